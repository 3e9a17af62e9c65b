"""Radius retrieval against brute force: ``python benchmarks/retrieval.py [--data DIR] [--radius KM ...] [--json]``.

Every circle (28, 60 and 120 km around Quincy) is read by the store and by brute force in turn, in the same run: a
vectorised NumPy float64 haversine over all clusters, then the same columns picked from the same mappings. The hits and
every value of both are compared first. Two reads are timed:

- `every`: all catchment columns, ten systems, four feedstock classes;
- `question`: the columns that a site question asks for at every cluster of its circle; it reads the others only for the
  clusters that its filters leave.

`ms` are medians of wall time. Ratios are of medians of the thread's own processor time, system time included, so that
neither suffers from what else the machine does. The store's time is taken right after a brute force has emptied the
caches (`ratio`) and right after a read of its own (`warm`). `first` is the first read of a store just opened, once: it
also works out what the store keeps (cosines of the latitudes that it met), and its memory is new.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from csrag.geo import haversine_km
from csrag.interfaces.open import open_layers
from csrag.surfaces.catalog import COLUMNS
from csrag.surfaces.store import CATCHMENT_COLUMNS, LayerStore

QUINCY = (39.9368, -120.9465)
QUESTION_COLUMNS = ("distance_km", "cost_usd_per_bdt", "feedstock_bdt", "land_use", "wilderness")
READS = {"every": CATCHMENT_COLUMNS, "question": QUESTION_COLUMNS}


def brute(store: LayerStore, radius_km: float, treatment: str, names: Sequence[str]) -> dict[str, np.ndarray]:
    """The same answer without an index."""
    at = store.manifest.treatment_names.index(treatment)
    distance = haversine_km(*QUINCY, store.column("lat"), store.column("lon"))
    rows = np.flatnonzero(distance <= radius_km)
    out: dict[str, np.ndarray] = {"row": rows, "distance_km": distance[rows]}
    for name in names:
        if name not in out:
            column = store.column(name)
            out[name] = column[rows] if COLUMNS[name].axes == "cluster" else column[at][..., rows].T
    return out


def indexed(store: LayerStore, radius_km: float, treatment: str, names: Sequence[str]) -> dict[str, np.ndarray]:
    """The store's answer, every column asked for."""
    frame = store.catchment(*QUINCY, radius_km, treatment, names)
    return {name: frame[name] for name in names}


class Clock:
    """Medians of wall and processor time by label."""

    def __init__(self) -> None:
        self.wall: dict[str, list[float]] = {}
        self.processor: dict[str, list[float]] = {}

    def time(self, label: str, call: Callable[[], object]) -> None:
        """Time one call."""
        wall, processor = time.perf_counter(), time.thread_time()
        call()
        self.processor.setdefault(label, []).append(1000 * (time.thread_time() - processor))
        self.wall.setdefault(label, []).append(1000 * (time.perf_counter() - wall))

    def ms(self, label: str) -> float:
        """Median wall time [ms]."""
        return round(statistics.median(self.wall[label]), 3)

    def ratio(self, over: str, under: str) -> float:
        """Ratio of the medians of processor time."""
        return round(statistics.median(self.processor[over]) / statistics.median(self.processor[under]), 2)


def measure(data: str | None, radius_km: float, treatment: str, repeats: int) -> dict[str, Any]:
    """One circle."""
    store = open_layers(data)
    clock = Clock()
    clock.time("first", lambda: indexed(store, radius_km, treatment, QUESTION_COLUMNS))
    found, expected = (read(store, radius_km, treatment, CATCHMENT_COLUMNS) for read in (indexed, brute))
    for name in CATCHMENT_COLUMNS:
        np.testing.assert_array_equal(found[name], expected[name], err_msg=name)
    for _ in range(repeats):
        for label, names in READS.items():
            clock.time(f"{label} brute", lambda names=names: brute(store, radius_km, treatment, names))
            for temper in ("cold", "warm"):
                clock.time(f"{label} {temper}", lambda names=names: indexed(store, radius_km, treatment, names))
        clock.time("haversine", lambda: haversine_km(*QUINCY, store.column("lat"), store.column("lon")))
    result: dict[str, Any] = {"radius_km": radius_km, "rows": len(found["row"]), "haversine_ms": clock.ms("haversine"),
                              "first_ms": clock.ms("first")}  # fmt: skip
    for label in READS:
        result[label] = {
            "brute_ms": clock.ms(f"{label} brute"), "index_ms": clock.ms(f"{label} cold"),
            "warm_ms": clock.ms(f"{label} warm"), "ratio": clock.ratio(f"{label} brute", f"{label} cold"),
            "warm_ratio": clock.ratio(f"{label} brute", f"{label} warm"),
            "haversine_ratio": clock.ratio("haversine", f"{label} cold"),
        }  # fmt: skip
    return result


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", help="layer set (default: as csrag ask)")
    parser.add_argument("--radius", type=float, nargs="+", default=[28.0, 60.0, 120.0], help="radii [km]")
    parser.add_argument("--repeats", type=int, default=31)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    begin = time.perf_counter()
    store = open_layers(options.data)
    opening = 1000 * (time.perf_counter() - begin)
    names = store.manifest.treatment_names
    treatment = "SDI55" if "SDI55" in names else names[0]
    circles = [measure(options.data, radius, treatment, options.repeats) for radius in options.radius]
    result = {"layers": store.manifest.name, "hash": store.hash[:12], "clusters": len(store), "treatment": treatment,
              "open_ms": round(opening, 1), "circles": circles}  # fmt: skip
    if options.json:
        json.dump(result, sys.stdout)
        print()
        return 0
    print(f"{len(store):,} clusters of {result['layers']} ({result['hash']}), {treatment}, opened in {opening:.0f} ms")
    print(
        f"{'km':>5} {'rows':>8} {'read':>9} {'brute ms':>9} {'index ms':>9} {'warm ms':>8} {'ratio':>6} {'warm':>6} {'first ms':>9}"
    )
    for circle in circles:
        for label in READS:
            r = circle[label]
            print(
                f"{circle['radius_km']:>5g} {circle['rows']:>8,} {label:>9} {r['brute_ms']:>9.2f} {r['index_ms']:>9.3f} "
                f"{r['warm_ms']:>8.3f} {r['ratio']:>6.1f} {r['warm_ratio']:>6.1f} {circle['first_ms']:>9.2f}"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
