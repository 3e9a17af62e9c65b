"""`csrag layers map`: a picture of a layer."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from csrag.errors import CsragError, InvalidValueError
from csrag.interfaces.cli.layers_place import WHERE, located, print_json, write_bytes
from csrag.interfaces.open import open_directory

_LAYERS = [
    "cost",
    "feedstock",
    "fire",
    "hazard",
    "circuity",
    "network",
    "landing",
    "slope",
    "elevation",
    "yarding",
    "land-use",
    "forest-type",
]


def add_parser(actions: Any) -> None:
    """Add the action."""
    parser = actions.add_parser("map", help="draw a layer as a PNG picture (extra `report`)")
    parser.add_argument(
        "layer", metavar="LAYER", choices=[*_LAYERS, "all"], help=f"{', '.join(_LAYERS)}, or all of them"
    )
    parser.add_argument("--out", metavar="FILE", required=True, help="PNG file; for `all` a directory")
    parser.add_argument("--treatment", metavar="T", help="for cost and feedstock (default: TFB40)")
    parser.add_argument("--system", metavar="S", default="auto",
                        help="for cost and feedstock: a system, or ground, cable, helicopter, auto (default)")  # fmt: skip
    parser.add_argument("--data", metavar="WHERE", help=WHERE)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(handler=run)


def run(options: argparse.Namespace) -> int:
    """Draw one layer, or every layer that the set holds."""
    from csrag.build.layer_view import NETWORK, view
    from csrag.build.maps import layer_picture

    many = options.layer == "all"
    out = Path(options.out).expanduser()
    if many:
        if out.exists() and not out.is_dir():
            raise InvalidValueError(f"{out} is a file.", "For `all`, --out names a directory.")
        out.mkdir(parents=True, exist_ok=True)
    elif out.suffix.lower() != ".png":
        raise InvalidValueError(
            f"{out.name} does not end in .png, and pictures are PNG.", f"Write --out {out.stem}.png."
        )
    store = open_directory(located(options.data))
    rows, left_out = [], []
    for layer in _LAYERS if many else [options.layer]:
        begin = time.perf_counter()
        try:
            seen = None if layer == NETWORK else view(store, layer, options.treatment, options.system)
            picture = layer_picture(store, seen)
        except CsragError as error:
            if not many or error.code != "layer_not_in_set":
                raise
            left_out.append({"layer": layer, "why": error.message})
            continue
        file = out / f"{layer}.png" if many else out
        write_bytes(str(file), picture)
        rows.append({"layer": layer, "file": str(file), "seconds": round(time.perf_counter() - begin, 2)})
    if options.json:
        print_json({"name": store.manifest.name, "hash": store.hash, "synthetic": store.manifest.synthetic, "rows": rows,
                    "left_out": left_out})  # fmt: skip
        return 0
    for row in rows:
        print(f"{row['layer']}: {row['file']}")
    for row in left_out:
        print(f"{row['layer']}: left out; {row['why']}")
    if store.manifest.synthetic:
        print("SYNTHETIC: these are pictures of made-up demonstration data.")
    return 0
