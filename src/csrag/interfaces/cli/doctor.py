"""`csrag doctor`: what is installed, which layer set is used, what is missing and how to get it."""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import shutil
import sys
from pathlib import Path
from typing import Any

from csrag import __version__
from csrag.errors import CsragError

_CORE = ("numpy", "pyarrow", "rapidfuzz", "rich", "scipy")
_EXTRAS = {
    "dask": ("distributed",),
    "duckdb": ("duckdb",),
    "gis": ("h3", "osmium", "pyogrio", "pyproj", "rasterio", "shapely"),
    "llm": ("pydantic-ai-slim",),
    "report": ("matplotlib",),
    "surrogate": ("catboost",),
    "web": ("fastapi", "uvicorn"),
}
"""Optional extras and the packages that make them work."""
_LATER = ("mcp", "postgis")


def add_parser(subparsers: Any) -> None:
    """Add the sub-command."""
    parser = subparsers.add_parser("doctor", help="say what is installed and what is missing",
                                   description="Check the installation and the layer set.")  # fmt: skip
    parser.add_argument(
        "--data", metavar="WHERE", help="layer set: a directory (default: CSRAG_DATA, else your data folder)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(handler=run)


def _package(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _cannot_be_made(place: Path) -> str:
    """Why a directory cannot be made at a place; empty where it can."""
    folder = place.parent
    try:
        while not folder.exists():
            folder = folder.parent
    except OSError as error:
        return f"{folder}: {error.strerror or error}"
    if not folder.is_dir():
        return f"{folder} is a file"
    if not os.access(folder, os.W_OK | os.X_OK):
        return f"{folder} cannot be written"
    return f"{place} holds no layer set but is there" if place.exists() and (
        not place.is_dir() or any(place.iterdir())
    ) else ""  # fmt: skip


def examine(where: str | None) -> dict[str, Any]:
    """Look at the installation and the layer set without building anything.

    Parameters
    ----------
    where : str or None
        A layer set, or None for the default.

    Returns
    -------
    dict
        `ok`, versions, the layer set, and a list of findings with what to do.
    """
    from csrag.interfaces.open import CANNOT_BE_BUILT, default_place, find_layers, open_layers
    from csrag.kernels import describe

    findings: list[dict[str, str]] = []
    packages = {name: _package(name) for name in _CORE}
    for name, version in packages.items():
        if version is None:
            findings.append({"what": f"{name} is not installed", "fix": "pip install csrag again"})
    layers: dict[str, Any] | None = None
    target: Path | None = None
    try:
        target = find_layers(where)
        if target is None and (why := _cannot_be_made(default_place())):
            findings.append({"what": f"no layer set yet, and none can be built: {why}", "fix": CANNOT_BE_BUILT})
        elif target is None:
            findings.append({"what": "no layer set yet", "fix": "the first question builds the demonstration layers (seconds), or "
                             "run: csrag layers build --demo northern-sierra"})  # fmt: skip
        else:
            store = open_layers(str(target))
            manifest = store.manifest
            layers = {"where": str(target), "name": manifest.name, "synthetic": manifest.synthetic,
                      "clusters": len(store), "hash": store.hash}  # fmt: skip
    except CsragError as error:
        findings.append({"what": error.message, "fix": error.fix})
    free_gib = None
    if layers is not None and target is not None:
        free_gib = round(shutil.disk_usage(target).free / 2**30, 1)
    return {
        "ok": not [f for f in findings if f["what"] != "no layer set yet"],
        "csrag": __version__, "python": platform.python_version(), "platform": platform.platform(), "packages": packages,
        "extras": {name: all(_package(part) for part in parts) for name, parts in _EXTRAS.items()},
        "search": describe(), "doors_in_later_versions": list(_LATER), "layers": layers, "free_gib": free_gib, "findings": findings,
    }  # fmt: skip


def run(options: argparse.Namespace) -> int:
    """Print the findings; 0 when a question can be answered, else 3."""
    report = examine(options.data)
    if options.json:
        json.dump(report, sys.stdout)
        sys.stdout.write("\n")
        return 0 if report["ok"] else 3
    print(f"csrag {report['csrag']}, Python {report['python']} on {report['platform']}")
    print("packages   " + ", ".join(f"{k} {v or 'MISSING'}" for k, v in report["packages"].items()))
    layers = report["layers"]
    if layers:
        made = "SYNTHETIC demonstration data" if layers["synthetic"] else "imported data"
        print(f"layer set  {layers['name']} ({made}), {layers['clusters']:,} clusters, at {layers['where']}")
    missing = [name for name, there in report["extras"].items() if not there]
    there = ", ".join(name for name, ready in report["extras"].items() if ready) or "none"
    print(f"extras     {there}" + (
        f"; not installed: {', '.join(missing)} (pip install \"csrag[{','.join(missing)}]\")" if missing else ""))  # fmt: skip
    print(f"search     {report['search']}")
    print("not in this version: " + ", ".join(report["doors_in_later_versions"]))
    for finding in report["findings"]:
        print(f"!  {finding['what']}: {finding['fix']}")
    print("Ready." if report["ok"] else "Not ready: see above.")
    return 0 if report["ok"] else 3
