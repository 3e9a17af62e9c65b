"""`csrag layers export`: a layer set as GeoParquet, for notebooks and GIS."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from csrag.interfaces.cli.layers_place import WHERE, located, print_json
from csrag.interfaces.open import open_directory, terminal_progress

FORMATS = ("geoparquet",)


def add_parser(actions: Any) -> None:
    """Add the action."""
    parser = actions.add_parser("export", help="write a layer set as GeoParquet, for DuckDB, geopandas and GIS")
    parser.add_argument("directory", metavar="DIR", nargs="?", help=f"the {WHERE}")
    parser.add_argument("--format", choices=FORMATS, default=FORMATS[0], help="geoparquet (the default)")
    parser.add_argument(
        "--out", metavar="DIR", required=True, help="directory of the export: new, empty or an older export"
    )
    parser.add_argument("--treatment", metavar="T", action="append", default=[],
                        help="only this treatment; may be given several times (default: all)")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(handler=run)


def run(options: argparse.Namespace) -> int:
    """Write the export and say where it is."""
    from csrag.build.export_parquet import export_geoparquet

    store = open_directory(located(options.directory))
    with terminal_progress() as progress:
        done = export_geoparquet(store, Path(options.out), options.treatment, progress=progress)
    m = done.manifest.layers
    records = len(store) * len(m.treatments)
    if options.json:
        print_json({
            "where": str(done.place), "format": options.format, "name": m.name, "synthetic": m.synthetic, "hash": m.layers_hash,
            "from_hash": store.hash, "treatments": list(m.treatment_names), "clusters": len(store), "records": records,
            "files": len(done.manifest.files), "kept_files": done.kept_files, "size_bytes": done.size_bytes,
            "seconds": round(done.seconds, 2),
        })  # fmt: skip
        return 0
    made = "SYNTHETIC demonstration layers" if m.synthetic else "Layers"
    kept = f"; {done.kept_files} files were there already, checked and kept" if done.kept_files else ""
    print(
        f"{made} {m.name}: {len(store):,} clusters, {records:,} records ({', '.join(m.treatment_names)}) at {done.place}"
    )
    print(f"hash {m.layers_hash[:16]}, {done.size_bytes / 1e6:,.1f} MB in {len(done.manifest.files)} files, "
          f"{done.seconds:.1f} s{kept}")  # fmt: skip
    return 0
