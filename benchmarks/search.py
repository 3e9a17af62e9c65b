"""Supply cost at every site of a state: ``python benchmarks/search.py --data DIR [--rounds N] [--sample N] [--json]``.

Sites are the middles of the 2 km cells that hold a cluster of the layer set. Three ways are timed in the same run, in turn,
and their figures compared first: the search, the plain fused loop of the same C file (every cluster of every circle costed,
then the same choice), and the NumPy twin. Ratios are of processor time of one thread over the same sites: stretches of
neighbouring sites spread over the state. The whole state is timed by the clock on all cores.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag import kernels
from csrag.ask.computation import statewide_kernel
from csrag.ask.computation.delivered import economics
from csrag.ask.computation.demand import DEFAULT_PERFORMANCE, demand_bdt
from csrag.ask.computation.move_in import tour_keys
from csrag.ask.computation.statewide import prepare_pool, site_costs
from csrag.ask.computation.statewide_twin import figures
from csrag.ask.records import SitingQuery
from csrag.interfaces.open import open_layers
from csrag.surfaces.index import CellGrid
from csrag.surfaces.store import LayerStore

RADIUS_KM = 60.0
SITE_KM = 2.0
STRETCH = 256
FILTERED = SitingQuery(fire_weight=0.4, max_slope_pct=40.0, min_burn_probability=0.005, system="ground")
CASES = (
    ("25 MW, cost order", 25.0, SitingQuery()),
    ("5 MW, cost order", 5.0, SitingQuery()),
    ("25 MW, fire weight 0.4, slope up to 40 %, burn probability from 0.5 %, ground systems", 25.0, FILTERED),
    ("5 MW, the same", 5.0, FILTERED),
)


def sites_of(store: LayerStore) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Middles of the 2 km cells that hold a cluster, along the curve [degrees]."""
    lat, lon = np.asarray(store.column("lat")), np.asarray(store.column("lon"))
    grid = CellGrid.around(lat, lon, SITE_KM)
    row, col = np.divmod(np.unique(grid.cell_of(lat, lon)), grid.cols)
    lats, lons = grid.lat0 + (row + 0.5) * grid.dlat, grid.lon0 + (col + 0.5) * grid.dlon
    order = np.argsort(tour_keys(lats, lons), kind="stable")
    return lats[order], lons[order]


def stretches(n: int, sample: int) -> NDArray[np.int64]:
    """Positions of about `sample` sites: stretches of neighbours, evenly spread."""
    starts = np.linspace(0, max(n - STRETCH, 0), max(sample // STRETCH, 1)).astype(np.int64)
    return np.unique((starts[:, None] + np.arange(min(STRETCH, n))).ravel())


def timed(call: Callable[[], Any]) -> tuple[Any, float, float]:
    """What a call gives, its clock time and the processor time of the whole process [s]."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = call()
    return result, time.perf_counter() - wall, time.process_time() - cpu


def compare(found: NDArray[np.float64], expected: NDArray[np.float64], what: str) -> None:
    """Stop where figures differ by more than the rounding of a sum."""
    if not np.allclose(found, expected, rtol=1e-10, atol=0, equal_nan=True):
        sys.exit(f"{what} gives other figures")


def measure(store: LayerStore, name: str, capacity_mw: float, query: SitingQuery, rounds: int, sample: int,
            twins: int) -> dict[str, Any]:  # fmt: skip
    """One case: whole state by the clock, and the three ways on a sample by processor time."""
    lat, lon = sites_of(store)
    demand = demand_bdt(capacity_mw, DEFAULT_PERFORMANCE["combustion"])
    econ, weight = economics(store.manifest, {}), query.fire_weight
    prepared: list[float] = []
    laid: list[float] = []
    for _ in range(3):
        pool, wall, _ = timed(lambda: prepare_pool(store, query, econ))
        prepared.append(wall)
        laid.append(timed(lambda pool=pool: statewide_kernel.laid_out(pool, weight))[1])
    some = stretches(len(lat), sample)
    few = some[np.linspace(0, len(some) - 1, twins).astype(np.int64)]

    def run(at: NDArray[np.int64], brute: bool) -> Any:
        return statewide_kernel.run(pool, lat[at], lon[at], demand, RADIUS_KM, weight, 1, brute=brute)

    def twin(at: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.array([figures(pool, float(lat[i]), float(lon[i]), demand, RADIUS_KM, weight) for i in at])

    compare(run(some, True)[0], run(some, False)[0], "the plain loop")
    compare(run(few, False)[0], twin(few), "the twin")
    clock, fast, plain, slow = [], [], [], []
    for _ in range(rounds):
        fast.append(timed(lambda: run(some, False))[2] / len(some))
        plain.append(timed(lambda: run(some, True))[2] / len(some))
        slow.append(timed(lambda: twin(few))[2] / len(few))
        costs, wall, _ = timed(lambda: site_costs(pool, lat, lon, demand, RADIUS_KM, weight))
        clock.append(wall)
    return {
        "case": name, "demand_bdt": demand, "candidates": len(pool), "sites": len(lat), "sites_met": int(costs.met.sum()),
        "left_to_reference": int(statewide_kernel.run(pool, lat, lon, demand, RADIUS_KM, weight)[1].sum()),
        "clusters_taken_mean": float(costs.clusters[costs.met].mean()), "prepare_s": statistics.median(prepared),
        "lay_out_s": statistics.median(laid), "whole_state_s": statistics.median(clock), "whole_state_spread_s": _spread(clock),
        "search_us_per_site": statistics.median(fast) * 1e6, "plain_us_per_site": statistics.median(plain) * 1e6,
        "twin_us_per_site": statistics.median(slow) * 1e6,
        "plain_over_search": statistics.median(p / f for p, f in zip(plain, fast, strict=True)),
        "plain_over_search_spread": _spread([p / f for p, f in zip(plain, fast, strict=True)]),
        "twin_over_search": statistics.median(t / f for t, f in zip(slow, fast, strict=True)),
    }  # fmt: skip


def _spread(values: list[float]) -> tuple[float, float]:
    return min(values), max(values)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sample", type=int, default=6400)
    parser.add_argument("--twins", type=int, default=40)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if kernels.library() is None:
        sys.exit(f"There is no compiled kernel to measure: {kernels.describe()}")
    store = open_layers(options.data)
    rows = [measure(store, *case, options.rounds, options.sample, options.twins) for case in CASES]
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    if options.json:
        print(json.dumps({"layers": store.hash, "synthetic": store.manifest.synthetic, "load": load, "rows": rows}))
        return 0
    kind = "synthetic " if store.manifest.synthetic else ""
    print(
        f"{kind}{store.manifest.name}, {len(store):,} clusters of layers {store.hash[:12]}; load at the end {load:.1f}"
    )
    for r in rows:
        low, high = r["whole_state_spread_s"]
        least, most = r["plain_over_search_spread"]
        print(
            f"{r['case']} ({r['demand_bdt']:,.0f} BDT): {r['sites']:,} sites, {r['candidates']:,} candidates, {r['sites_met']:,} met, "
            f"{r['clusters_taken_mean']:,.0f} clusters taken on average, {r['left_to_reference']} left to the reference; whole state "
            f"{r['whole_state_s']:.2f} s ({low:.2f} to {high:.2f}) after {r['prepare_s']:.2f} s of reading and costing and "
            f"{r['lay_out_s']:.2f} s of sorting; a site {r['search_us_per_site']:.0f} us, plain loop {r['plain_us_per_site']:.0f} us, "
            f"{r['plain_over_search']:.1f} times ({least:.1f} to {most:.1f}), NumPy twin {r['twin_us_per_site']:.0f} us, "
            f"{r['twin_over_search']:.0f} times"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
