"""Exported Parquet through DuckDB: ``python benchmarks/parquet.py [--data DIR] [--radius KM ...] [--json]``.

The layer set is exported to a scratch folder, timed. Then every circle (28, 60 and 120 km around Quincy) is read four ways in
turn, in the same run, all catchment columns, ten systems, four feedstock classes:

- `mapped`: the layer set's own directory, memory-mapped;
- `duckdb`: the export opened as a layer set;
- `sql`: plain SQL over the export, padded box and haversine, as the how-to page writes it;
- `degrees`: the same SQL with a radius in degrees at 111 km, as the published description has it.

Before timing, the first three are compared: the same rows, and every value of the first two to the last bit. `ms` are medians
of wall time, after one read of each that is not counted.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from csrag.build.export_parquet import export_geoparquet
from csrag.geo import padded_box
from csrag.interfaces.open import open_directory, open_layers
from csrag.surfaces.exported import SITE_COLUMNS, code_name, record_fields, record_file
from csrag.surfaces.store import CATCHMENT_COLUMNS, LayerStore

QUINCY = (39.9368, -120.9465)
KM_PER_DEGREE = 111.0
_DISTANCE = (
    "2 * 6371.0088 * asin(sqrt(least(1, sin(radians(lat - $lat) / 2) ** 2 + "
    "cos(radians($lat)) * cos(radians(lat)) * sin(radians(lon - $lon) / 2) ** 2)))"
)
_IN_BOX = "lat BETWEEN $south AND $north AND lon BETWEEN $west AND $east"
_DEGREES = "sqrt((lat - $lat) ** 2 + (lon - $lon) ** 2)"


def joined(store: LayerStore, radius_km: float, treatment: str) -> dict[str, np.ndarray]:
    """Every catchment column of a circle."""
    frame = store.catchment(*QUINCY, radius_km, treatment)
    return {name: frame[name] for name in CATCHMENT_COLUMNS}


class Sql:
    """Plain SQL over one treatment's file of an export."""

    def __init__(self, export: Path, store: LayerStore, treatment: str) -> None:
        self._file = str(export / record_file(treatment))
        wanted = [f for f in record_fields(store.manifest) if f.column in CATCHMENT_COLUMNS]
        assert {f.column for f in wanted} >= set(SITE_COLUMNS)
        self._columns = ", ".join(["row", *(code_name(f) for f in wanted)])
        self._connection = duckdb.connect()

    def circle(self, radius_km: float) -> dict[str, Any]:
        """A true circle [km]."""
        south, north, west, east = padded_box(*QUINCY, radius_km)
        box = {"south": south, "north": north, "west": west, "east": east}
        return self._ask(f"{_IN_BOX} AND {_DISTANCE} <= $reach", {**box, "reach": radius_km})

    def degrees(self, radius_km: float) -> dict[str, Any]:
        """A radius in degrees, with no box: nothing tells the file what it may skip."""
        return self._ask(f"{_DEGREES} <= $reach", {"reach": radius_km / KM_PER_DEGREE})

    def _ask(self, where: str, values: dict[str, float]) -> dict[str, Any]:
        sql = f"SELECT {self._columns} FROM read_parquet($file) WHERE {where} ORDER BY row"
        given = {"file": self._file, "lat": QUINCY[0], "lon": QUINCY[1], **values}
        found: dict[str, Any] = self._connection.cursor().execute(sql, given).fetchnumpy()
        return found


def measure(store: LayerStore, export: Path, radius_km: float, treatment: str, repeats: int) -> dict[str, Any]:
    """One circle, four ways."""
    exported, sql = open_directory(export), Sql(export, store, treatment)
    ways: dict[str, Callable[[], dict[str, Any]]] = {
        "mapped": lambda: joined(store, radius_km, treatment), "duckdb": lambda: joined(exported, radius_km, treatment),
        "sql": lambda: sql.circle(radius_km), "degrees": lambda: sql.degrees(radius_km),
    }  # fmt: skip
    first = {name: way() for name, way in ways.items()}
    for name in CATCHMENT_COLUMNS:
        np.testing.assert_array_equal(first["mapped"][name], first["duckdb"][name], err_msg=name)
    true = first["mapped"]["row"]
    # SQL's sines may differ from NumPy's in the last bit, so a cluster within a micrometre of the rim may fall on either side.
    rim = np.setxor1d(true, first["sql"]["row"])
    assert rim.size <= 1, rim
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(repeats):
        for name, way in ways.items():
            begin = time.perf_counter()
            way()
            times[name].append(1000 * (time.perf_counter() - begin))
    found = np.asarray(first["degrees"]["row"])
    return {
        "radius_km": radius_km, "rows": int(true.size), "degrees_rows": int(found.size),
        "degrees_missing": int(np.setdiff1d(true, found).size), "degrees_beyond": int(np.setdiff1d(found, true).size),
        "rim_rows_apart": int(rim.size), **{f"{name}_ms": round(statistics.median(t), 1) for name, t in times.items()},
        "spread_ms": {name: (round(min(t), 1), round(max(t), 1)) for name, t in times.items()},
    }  # fmt: skip


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", help="layer set (default: as csrag ask)")
    parser.add_argument("--radius", type=float, nargs="+", default=[28.0, 60.0, 120.0], help="radii [km]")
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    store = open_layers(options.data)
    names = store.manifest.treatment_names
    treatment = "SDI55" if "SDI55" in names else names[0]
    with tempfile.TemporaryDirectory() as scratch:
        done = export_geoparquet(store, Path(scratch) / "export")
        begin = time.perf_counter()
        open_directory(done.place)
        opening = 1000 * (time.perf_counter() - begin)
        circles = [measure(store, done.place, radius, treatment, options.repeats) for radius in options.radius]
    size = sum(p.stat().st_size for p in Path(store.path).iterdir()) if Path(store.path).is_dir() else 0
    result = {"layers": store.manifest.name, "hash": store.hash[:12], "clusters": len(store), "records": len(store) * len(names),
              "treatment": treatment, "duckdb": duckdb.__version__, "export_s": round(done.seconds, 1),
              "export_mb": round(done.size_bytes / 1e6, 1), "layers_mb": round(size / 1e6, 1), "open_ms": round(opening, 1),
              "circles": circles}  # fmt: skip
    if options.json:
        json.dump(result, sys.stdout)
        print()
        return 0
    print(f"{result['layers']} ({result['hash']}), {result['records']:,} records: exported in {result['export_s']} s, "
          f"{result['export_mb']} MB ({result['layers_mb']} MB as a layer set), opened in {result['open_ms']} ms; DuckDB "
          f"{result['duckdb']}")  # fmt: skip
    for c in circles:
        print(f"{c['radius_km']:g} km, {c['rows']:,} rows: mapped {c['mapped_ms']} ms, duckdb {c['duckdb_ms']} ms, sql "
              f"{c['sql_ms']} ms, degrees {c['degrees_ms']} ms with {c['degrees_rows']:,} rows ({c['degrees_missing']:,} of the "
              f"circle missing, {c['degrees_beyond']:,} beyond it)")  # fmt: skip
        print("  spread " + ", ".join(f"{name} {low} to {high}" for name, (low, high) in c["spread_ms"].items()))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
