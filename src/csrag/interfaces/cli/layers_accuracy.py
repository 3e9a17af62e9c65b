"""`csrag layers accuracy`: how far off road distances and surrogate costs are, as measured when the set was built."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from csrag.errors import DataError
from csrag.interfaces.cli.layers_place import WHERE, located, print_json
from csrag.interfaces.open import open_directory
from csrag.surfaces.manifest import Manifest

_ROW = ("mode", "band_km", "n", "aggregate_error_pct", "mape_pct")


def add_accuracy(actions: Any) -> None:
    """Add the action to `csrag layers`."""
    parser = actions.add_parser("accuracy", help="say how far off road distances and surrogate costs are")
    parser.add_argument("--data", metavar="WHERE", help=WHERE)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(handler=run_accuracy)


def run_accuracy(options: argparse.Namespace) -> int:
    """Print the errors that the manifest carries.

    Raises
    ------
    DataError
        If the set has no measured error of either kind.
    """
    store = open_directory(located(options.data))
    m = store.manifest
    rows = [{key: row[key] for key in _ROW} for row in (m.transport or {}).get("accuracy", ())]
    surrogate = [dict(row) for row in (m.cost_method or {}).get("accuracy", ())]
    if not rows and not surrogate:
        raise DataError(
            f"The layer set {m.name!r} carries no measured error of road distances: it was built without a road network.",
            "Build it again with roads (`csrag layers build --source DIR` with a [roads] entry in its recipe), or build a "
            "demonstration (`csrag layers build`), whose roads are synthetic.",
            code="no_accuracy",
        )
    if options.json:
        told = {"name": m.name, "hash": store.hash, "synthetic": m.synthetic, "rows": rows}
        if m.transport:
            told |= {
                key: m.transport[key]
                for key in ("basis", "circuity", "facility_error", "facilities")
                if key in m.transport
            }
            told["reference"] = "network"
        if surrogate:
            told["surrogate"] = surrogate
        print_json(told)
        return 0
    _show(m, store.hash, rows, surrogate)
    return 0


def _show(
    m: Manifest, layers_hash: str, rows: Sequence[Mapping[str, Any]], surrogate: Sequence[Mapping[str, Any]]
) -> None:
    print(f"{m.name} (hash {layers_hash[:16]})")
    if m.synthetic:
        print("SYNTHETIC: errors against made-up roads, not California's.")
    if rows:
        print("\nError of road distance by straight-line distance; network is the reference\n")
        sites = {(r["mode"], tuple(r["band_km"])): r for r in (m.transport or {}).get("facility_error", ())}
        _table([
            ("mode", "km", "trips", "sum, %", "trip, %", "site, %"),
            *((str(r["mode"]), _band(r["band_km"]), f"{r['n']:,}", _figure(r["aggregate_error_pct"], "+.1f"),
               _figure(r["mape_pct"], ".1f"), _site(sites.get((r["mode"], tuple(r["band_km"]))))) for r in rows),
        ])  # fmt: skip
        print("\nsum: over all trips of all sites, (reckoned - road km) / road km; trip: mean of the absolute errors of single "
              "trips;\nsite: absolute error of the sum over one site's trips, half of the sites / nine tenths within it.")  # fmt: skip
    told = m.transport or {}
    if told.get("circuity"):
        print("\nRoad over straight-line distance on the network itself\n")
        _table([
            ("km", "trips", "sum of road / sum of straight", "median", "variation"),
            *((_band(r["band_km"]), f"{r['n']:,}", _figure(r["aggregate"], ".2f"), _figure(r["median"], ".2f"),
               _figure(r["variation"], ".2f")) for r in told["circuity"]),
        ])  # fmt: skip
    if told.get("basis"):
        print(f"\n{told['basis'][0].upper()}{told['basis'][1:]}.")
    if surrogate:
        print("\nError of surrogate costs on held-out clusters, % of cost\n")
        _table([
            ("system", "records", "median", "95th percentile"),
            *((str(r.get("system", "")), f"{r['n']:,}", _figure(r.get("median_abs_error_pct"), ".2f"),
               _figure(r.get("p95_abs_error_pct"), ".2f")) for r in surrogate),
        ])  # fmt: skip


def _band(edges: Sequence[float]) -> str:
    return f"{edges[0]:g}-{edges[1]:g}"


def _site(row: Mapping[str, Any] | None) -> str:
    if row is None:
        return "-"
    return f"{_figure(row['median_abs_pct'], '.0f')} / {_figure(row['p90_abs_pct'], '.0f')}"


def _figure(value: float | None, form: str) -> str:
    return "no trips" if value is None else format(value, form)


def _table(rows: Sequence[tuple[str, ...]]) -> None:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print(
            "  ".join(
                cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
        )
