"""Radius retrieval against brute force: ``python benchmarks/retrieval.py [--data DIR] [--json]``.

Times the joint read of one 28 km circle (every catchment column, ten systems) in the same run, in turn, with a vectorised
NumPy float64 haversine over all clusters followed by reading the same columns, so that the ratio does not depend on how
busy the machine is. The hits of both are compared first.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np

from csrag.geo import haversine_km
from csrag.interfaces.open import open_layers
from csrag.surfaces.catalog import COLUMNS
from csrag.surfaces.store import CATCHMENT_COLUMNS, LayerStore

QUINCY = (39.9368, -120.9465)


def brute(store: LayerStore, lat: float, lon: float, radius_km: float, treatment: str) -> dict[str, np.ndarray]:
    """The same answer without an index."""
    at = store.manifest.treatment_names.index(treatment)
    distance = haversine_km(lat, lon, store.column("lat"), store.column("lon"))
    rows = np.flatnonzero(distance <= radius_km)
    out: dict[str, np.ndarray] = {"row": rows, "distance_km": distance[rows]}
    for name in CATCHMENT_COLUMNS[2:]:
        column = store.column(name)
        out[name] = column[rows] if COLUMNS[name].axes == "cluster" else column[at][..., rows].T
    return out


def milliseconds(call: Callable[[], object]) -> float:
    """One call [ms]."""
    begin = time.perf_counter()
    call()
    return 1000 * (time.perf_counter() - begin)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="layer set (default: as csrag ask)")
    parser.add_argument("--radius", type=float, default=28.0, help="radius [km]")
    parser.add_argument("--repeats", type=int, default=41)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    opening = milliseconds(lambda: open_layers(options.data))
    store = open_layers(options.data)
    args = (
        *QUINCY,
        options.radius,
        "SDI55" if "SDI55" in store.manifest.treatment_names else store.manifest.treatment_names[0],
    )
    found, expected = store.catchment(*args), brute(store, *args)
    for name in CATCHMENT_COLUMNS:
        np.testing.assert_array_equal(found[name], expected[name], err_msg=name)
    index_ms, brute_ms, haversine_ms = [], [], []
    for _ in range(options.repeats):
        index_ms.append(milliseconds(lambda: store.catchment(*args)))
        brute_ms.append(milliseconds(lambda: brute(store, *args)))
        haversine_ms.append(milliseconds(lambda: haversine_km(*QUINCY, store.column("lat"), store.column("lon"))))
    result = {
        "clusters": len(store), "rows": len(found), "radius_km": options.radius, "open_ms": round(opening, 2),
        "index_ms": round(statistics.median(index_ms), 3), "index_best_ms": round(min(index_ms), 3),
        "brute_ms": round(statistics.median(brute_ms), 3), "haversine_all_ms": round(statistics.median(haversine_ms), 3),
        "ratio_to_haversine": round(statistics.median(haversine_ms) / statistics.median(index_ms), 2),
        "ratio_to_brute": round(statistics.median(brute_ms) / statistics.median(index_ms), 2),
    }  # fmt: skip
    if options.json:
        json.dump(result, sys.stdout)
        print()
    else:
        for name, value in result.items():
            print(f"{name:<20} {value}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
