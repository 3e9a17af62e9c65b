"""`csrag layers hexagons`: the layers summed up by H3 hexagon, as a table or as GeoJSON."""

from __future__ import annotations

import argparse
import csv
import io
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from csrag.errors import InvalidValueError
from csrag.interfaces.cli.layers_place import WHERE, located, print_json, write_bytes
from csrag.interfaces.open import open_directory

if TYPE_CHECKING:
    from csrag.build.hexagons import Hexagons
    from csrag.surfaces.store import LayerStore

SUFFIXES = (".csv", ".geojson", ".parquet")


def add_parser(actions: Any) -> None:
    """Add the action."""
    parser = actions.add_parser("hexagons", help="sum the layers up by H3 hexagon (extra `gis`)")
    parser.add_argument("--out", metavar="FILE", required=True, help=f"{', '.join(SUFFIXES)}")
    parser.add_argument("--treatment", metavar="T", help="of feedstock and cost: any of the set (default: TFB40)")
    parser.add_argument("--system", metavar="S", default="auto",
                        help="a system, or ground, cable, helicopter, auto (default)")  # fmt: skip
    parser.add_argument("--resolution", metavar="R", type=int, default=5, help="4, 5 (default) or 6: edges of about 26, 10 and "
                        "3.7 km")  # fmt: skip
    parser.add_argument("--data", metavar="WHERE", help=WHERE)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(handler=run)


def run(options: argparse.Namespace) -> int:
    """Sum up and write."""
    from csrag.build.hexagons import hexagons, require_h3

    suffix = Path(options.out).suffix.lower()
    if suffix not in SUFFIXES:
        raise InvalidValueError(
            f"{Path(options.out).name!r} names no kind of table.", f"End it in {', '.join(SUFFIXES)}."
        )
    require_h3()
    store = open_directory(located(options.data))
    begin = time.perf_counter()
    found = hexagons(store, options.treatment, options.system, options.resolution)
    write_bytes(options.out, _bytes(found, store, suffix))
    seconds = time.perf_counter() - begin
    if options.json:
        print_json({
            "file": str(options.out), "hexagons": len(found), "treatment": found.treatment, "system": found.system,
            "resolution": found.resolution, "synthetic": store.manifest.synthetic, "hash": store.hash,
            "feedstock_bdt": float(found.columns["feedstock_bdt"].sum()), "seconds": round(seconds, 2),
        })  # fmt: skip
        return 0
    made_up = " (SYNTHETIC demonstration data)" if store.manifest.synthetic else ""
    print(
        f"{options.out}: {len(found):,} hexagons of resolution {found.resolution}, {found.treatment}, "
        f"{found.columns['feedstock_bdt'].sum():,.0f} BDT outside parks and wilderness{made_up}, in {seconds:.1f} s"
    )
    return 0


def _bytes(found: Hexagons, store: LayerStore, suffix: str) -> bytes:
    from csrag.build.hexagons import hexagons_geojson, rows_of

    if suffix == ".geojson":
        return hexagons_geojson(found, store).encode("utf-8")
    if suffix == ".csv":
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        names = (*found.columns, "treatment", "synthetic")
        writer.writerow(names)
        mark = (found.treatment, str(store.manifest.synthetic).lower())
        writer.writerows((*("" if v is None else v for v in row.values()), *mark) for row in rows_of(found))
        return text.getvalue().encode("utf-8")
    import pyarrow as pa
    import pyarrow.parquet as pq

    about = {"treatment": found.treatment, "system": found.system, "resolution": str(found.resolution),
             "layers_hash": store.hash, "synthetic": str(store.manifest.synthetic).lower()}  # fmt: skip
    table = pa.table(
        {n: pa.array(v, from_pandas=v.dtype.kind == "f") for n, v in found.columns.items()}, metadata=about
    )
    out = io.BytesIO()
    pq.write_table(table, out)
    return out.getvalue()
