"""Errors of road distance by mode and band: ``python benchmarks/circuity.py [--data DIR]... [--demo REGION]... [--roads DIR]``.

``--data`` prints what a built layer set carries; ``--demo`` draws a demonstration's roads and fits them without computing a
cost (SYNTHETIC); ``--roads`` fits to a real network given as `cal_nodes.csv` and `cal_edges.csv`, with clusters on a 4 km
lattice within 10 km of its nodes and facilities at 800 of its nodes. Everywhere the errors are those on facilities that the
fit did not use, clusters weighted by area: of the sum over all of them, of a single trip (mean of absolute errors), and of
the sum over one site's trips (median / 90th percentile of absolute errors).
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", action="append", default=[], metavar="DIR", help="a built layer set")
    parser.add_argument("--demo", action="append", default=[], metavar="REGION", help="northern-sierra or california")
    parser.add_argument("--seed", type=int, metavar="N", help="root seed of --demo (default: the region's)")
    parser.add_argument("--roads", metavar="DIR", help="folder of cal_nodes.csv and cal_edges.csv")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    results = dict(measured(options))
    if options.json:
        json.dump(results, sys.stdout)
        sys.stdout.write("\n")
        return 0
    for name, told in results.items():
        show(name, told)
    return 0


def measured(options: argparse.Namespace) -> Iterator[tuple[str, dict[str, Any]]]:
    for where in options.data:
        from csrag.interfaces.open import open_layers

        manifest = open_layers(where).manifest
        if manifest.transport is None:
            raise SystemExit(f"{where} has no road network and no error rows")
        yield f"{manifest.name} ({where})", {**manifest.transport, "zone_factors": manifest.zone_factors}
    for region in options.demo:
        from csrag.build.sources.demo import demo_source
        from csrag.build.sources.demo_region import DEFAULT_SEED

        begin = time.perf_counter()
        source = demo_source(region, DEFAULT_SEED if options.seed is None else options.seed)
        told = {**source.transport, "zone_factors": source.zone_factors, "seconds": time.perf_counter() - begin}
        yield f"{region}, SYNTHETIC, seed {source.seed}", told
    if options.roads:
        sys.path.insert(0, str(ROOT))
        from tests.support.main_roads import main_roads

        from csrag.build.circuity.fit import fit_transport

        begin = time.perf_counter()
        case = main_roads(Path(options.roads))
        fitted = fit_transport(case.network, case.clusters, case.facility_lat, case.facility_lon, seed=1)
        told = {**fitted.transport, "zone_factors": fitted.zone_factors, "seconds": time.perf_counter() - begin}
        yield f"real main roads, {case.clusters['lat'].size:,} lattice clusters", told


def show(name: str, told: Mapping[str, Any]) -> None:
    print(f"\n## {name}\n\n{told['basis']}")
    if "seconds" in told:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        print(f"{told['seconds']:.1f} s, at most {peak:.2f} GB resident")
    print(
        f"zones {len(told['zone_factors'])}, factors {told['zone_factors'][0]:.2f} to {told['zone_factors'][-1]:.2f}\n"
    )
    heads = ("km", "road / straight, sum", "median", "variation", "trips", "zone: sum %", "trip %", "site %",
             "stratified: sum %", "trip %", "site %")  # fmt: skip
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    rows = {(r["mode"], r["band_km"][0]): r for r in told["accuracy"]}
    sites = {(r["mode"], r["band_km"][0]): r for r in told["facility_error"]}
    for c in told["circuity"]:
        low = c["band_km"][0]
        cells = [
            f"{low:g}-{c['band_km'][1]:g}", figure(c["aggregate"], ".2f"), figure(c["median"], ".2f"),
            figure(c["variation"], ".2f"), f"{c['n']:,}",
        ]  # fmt: skip
        for mode in ("zone", "stratified"):
            row = rows[mode, low]
            cells += [
                figure(row["aggregate_error_pct"], "+.1f"),
                figure(row["mape_pct"], ".1f"),
                spread(sites[mode, low]),
            ]
        print(f"| {' | '.join(cells)} |")


def spread(row: Mapping[str, Any]) -> str:
    """Error of one facility's sum: half of them within the first figure, nine tenths within the second."""
    return f"{figure(row['median_abs_pct'], '.0f')} / {figure(row['p90_abs_pct'], '.0f')}"


def figure(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


if __name__ == "__main__":
    raise SystemExit(main())
