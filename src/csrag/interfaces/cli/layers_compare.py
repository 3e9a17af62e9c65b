"""`csrag layers compare` and `csrag layers diff`: two layer sets side by side."""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from csrag.interfaces.cli.layers_info import cost_method
from csrag.interfaces.cli.layers_place import print_json, write_bytes
from csrag.interfaces.cli.output import writing_to
from csrag.interfaces.open import open_directory

if TYPE_CHECKING:
    from csrag.build.compare import Difference
    from csrag.build.layer_view import LayerView
    from csrag.surfaces.store import LayerStore

_MEASURED = ("cost", "feedstock", "fire", "circuity", "landing", "slope", "elevation", "yarding")


def add_parsers(actions: Any) -> None:
    """Add the two actions."""
    compare = actions.add_parser("compare", help="how the layers of two sets over the same clusters differ")
    diff = actions.add_parser("diff", help="what differs between two manifests")
    for action, handler in ((compare, run_compare), (diff, run_diff)):
        action.add_argument("first", metavar="A", help="directory of a layer set")
        action.add_argument("second", metavar="B", help="directory of another")
        action.add_argument("--json", action="store_true", help="print one JSON object")
        action.set_defaults(handler=handler)
    compare.add_argument("--treatment", metavar="T", help="only this treatment (maps: TFB40 by default)")
    compare.add_argument("--system", metavar="S", help="only this system or family (maps: auto by default)")
    compare.add_argument("--layer", choices=_MEASURED, default="cost", help="what the files below hold (default: cost)")
    compare.add_argument("--map", metavar="FILE", help="PNG map of B minus A (extra `report`)")
    compare.add_argument("--csv", metavar="FILE", help="table of B minus A, a row a cluster")
    compare.add_argument("--tif", metavar="FILE", help="GeoTIFF of B minus A, EPSG:3310 (extra `gis`)")


def run_compare(options: argparse.Namespace) -> int:
    """Say how B differs from A, and write the files asked for."""
    from csrag.build.compare import compare_sets

    a, b = _opened(options)
    rows, notes = compare_sets(a, b, treatment=options.treatment, system=options.system)
    written = _write(options, a, b) if options.map or options.csv or options.tif else {}
    if options.json:
        print_json({
            "first": _about(a), "second": _about(b), "synthetic": a.manifest.synthetic or b.manifest.synthetic,
            "clusters": len(a), "equal": all(r.n == r.n_equal and not r.share_only_a and not r.share_only_b for r in rows),
            "rows": [row.to_json() for row in rows], "notes": notes, "files": written,
        })  # fmt: skip
        return 0
    _show_sets(a, b)
    print(f"{len(a):,} clusters; B minus A where both have a value")
    differing = [row for row in rows if row.n != row.n_equal or row.share_only_a or row.share_only_b]
    if differing:
        head = (
            "layer",
            "treatment",
            "system",
            "n",
            "median",
            "p5",
            "p95",
            "max abs",
            "median %",
            "p95 %",
            "only A",
            "only B",
            "unit",
        )
        _table([head, *(_cells(row) for row in differing)])
    same = [row for row in rows if row not in differing]
    if same:
        by_layer = dict.fromkeys(row.layer for row in same)
        print(
            f"equal to the last bit: {', '.join(f'{name} ({sum(r.layer == name for r in same)})' for name in by_layer)}"
        )
    for note in notes:
        print(f"note: {note}")
    for what, file in written.items():
        print(f"{what}: {file}")
    return 0


def run_diff(options: argparse.Namespace) -> int:
    """Say what differs between the manifests of A and B."""
    from csrag.build.compare import diff_manifests

    a, b = _opened(options)
    found = diff_manifests(a.manifest, b.manifest)
    if options.json:
        print_json({"equal": found["equal"], "first": _about(a), "second": _about(b), "rows": found["rows"],
                    "columns": found["columns"]})  # fmt: skip
        return 0
    _show_sets(a, b)
    if found["equal"]:
        print("The two sets are equal: same hash over every column and the manifest.")
        return 0
    for row in found["rows"]:
        print(f"{row['field']}: {_short(row['a'])} -> {_short(row['b'])}")
    columns = found["columns"]
    print(f"columns equal: {len(columns['equal'])}; different: {', '.join(columns['different']) or 'none'}")
    for key, which in (("only_a", "A"), ("only_b", "B")):
        if columns[key]:
            print(f"columns in {which} only: {', '.join(columns[key])}")
    return 0


def _opened(options: argparse.Namespace) -> tuple[LayerStore, LayerStore]:
    return open_directory(Path(options.first).expanduser()), open_directory(Path(options.second).expanduser())


def _about(store: LayerStore) -> dict[str, Any]:
    m = store.manifest
    return {"where": store.path, "name": m.name, "hash": store.hash, "seed": m.seed, "synthetic": m.synthetic,
            "mapping": m.mapping, "cost_made_by": cost_method(m)}  # fmt: skip


def _show_sets(a: LayerStore, b: LayerStore) -> None:
    for letter, store in (("A", a), ("B", b)):
        m = store.manifest
        print(f"{letter} {m.name} (hash {store.hash[:16]}, mapping {m.mapping}, costs {cost_method(m).split(':')[0]}) at "
              f"{store.path}{'; SYNTHETIC' if m.synthetic else ''}")  # fmt: skip


def _cells(row: Difference) -> tuple[str, ...]:
    def figure(value: float | None) -> str:
        return "-" if value is None else f"{value:.4g}"

    return (
        row.layer, row.treatment or "", row.system or "", f"{row.n:,}", figure(row.median), figure(row.p5), figure(row.p95),
        figure(row.max_abs), figure(row.median_abs_pct), figure(row.p95_abs_pct), f"{100 * row.share_only_a:.2f} %",
        f"{100 * row.share_only_b:.2f} %", row.unit,
    )  # fmt: skip


def _table(rows: list[tuple[str, ...]]) -> None:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        words = [cell.ljust(w) if i < 3 or i == len(row) - 1 else cell.rjust(w)
                 for i, (cell, w) in enumerate(zip(row, widths, strict=True))]  # fmt: skip
        print("  ".join(words).rstrip())


def _short(value: Any) -> str:
    text = "none" if value is None else value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 70 else f"{text[:67]}..."


def _write(options: argparse.Namespace, a: LayerStore, b: LayerStore) -> dict[str, str]:
    from csrag.build.compare import difference_of
    from csrag.build.layer_view import view
    from csrag.build.map_pixels import difference_raster
    from csrag.build.maps import difference_picture

    seen = [view(store, options.layer, options.treatment, options.system or "auto") for store in (a, b)]
    gap = difference_of(*seen)
    written: dict[str, str] = {}
    if options.map:
        write_bytes(options.map, difference_picture(a, b, seen[0].label, seen[0].unit, gap, _note(seen)))
        written["map"] = options.map
    if options.tif:
        write_bytes(options.tif, difference_raster(a, gap))
        written["tif"] = options.tif
    if options.csv:
        _write_csv(options.csv, a, seen, gap.tolist())
        written["csv"] = options.csv
    return written


def _note(seen: list[LayerView]) -> str:
    import numpy as np

    has = [np.isfinite(s.values) for s in seen]
    both = int(np.count_nonzero(has[0] & has[1]))
    only = [int(np.count_nonzero(x & ~y)) for x, y in (has, has[::-1])]
    return f"{both:,} clusters in both, {only[0]:,} in the first only, {only[1]:,} in the second only"


def _write_csv(name: str, store: LayerStore, seen: list[LayerView], gap: list[float]) -> None:
    def cells(values: Iterable[float]) -> list[float | str]:
        return ["" if v != v else v for v in values]

    unit = seen[0].unit.replace(" ", "_")
    columns = [store.column(c).tolist() for c in ("cluster_no", "lat", "lon")]
    with writing_to(name) as stream:
        out = csv.writer(stream, lineterminator="\n")
        out.writerow(["cluster_no", "lat", "lon", f"a_{unit}", f"b_{unit}", f"difference_{unit}"])
        out.writerows(zip(*columns, *(cells(s.values.tolist()) for s in seen), cells(gap), strict=True))
