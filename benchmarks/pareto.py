"""101 fire weights at once against a full sort for each: ``python benchmarks/pareto.py --data DIR [--rounds 9] [--radius KM ...]``.

The plain loop scores every candidate at every weight, sorts all of them by score, cost and key, takes until the demand is met, moves
the machines and takes the averages: what a site question does at that weight. Both end with the same clusters and the same averages,
which is checked first. They run in turn; ratios are of medians of the process's own processor time, so that neither suffers from what
else the machine does. `sweep` is the part of it that finds which clusters are taken.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from csrag.ask.computation.delivered import Costs, delivered_costs, economics
from csrag.ask.computation.moves import moves_usd
from csrag.ask.computation.need import need_of
from csrag.ask.computation.pareto import WEIGHTS, knee, most_within, trade_off
from csrag.ask.computation.pareto_sweep import Items, sweep
from csrag.ask.computation.rules import high_hazard
from csrag.ask.computation.selection import Scales, score_terms, scores, workable_in
from csrag.ask.intent import parse
from csrag.ask.run import Run, Trace
from csrag.interfaces.open import open_layers
from csrag.surfaces.frame import ClusterFrame

QUESTION = "25 MW near Quincy within {radius:g} km"


def sorting_each(
    frame: ClusterFrame, costs: Costs, demand: float, scales: Scales, ppi: float, high: NDArray[np.bool_]
) -> list[tuple[NDArray[np.int64], float, float, float, float]]:
    """Rows, average, last ton, burn probability and acres of high hazard at every weight, by a full sort each."""
    out = []
    burn, acres = frame["burn_probability"].astype(np.float64), frame["area_acres"].astype(np.float64)
    for weight in WEIGHTS:
        score = scores(costs.unit, burn, float(weight), scales)
        order = workable_in(np.lexsort((frame["cluster_no"], costs.unit, score)), costs.unit)
        reached = np.cumsum(costs.tons[order])
        rows = order[: int(np.searchsorted(reached, demand, side="left")) + 1]
        tons, known = costs.tons[rows], np.isfinite(burn[rows])
        total = float(tons.sum())
        move_in = sum(moves_usd(frame, costs, rows, ppi).values()) / total
        average = float((tons * costs.unit[rows]).sum()) / total + move_in
        last = max(float(costs.unit[rows].max()) + move_in, average)
        mean_burn = float((tons * burn[rows])[known].sum() / tons[known].sum())
        out.append((rows, average, last, mean_burn, float(acres[rows][high[rows]].sum())))
    return out


def processor_ms(calls: dict[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Processor time of calls that take turns [ms]."""
    taken: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            start = time.process_time()
            call()
            taken[name].append((time.process_time() - start) * 1000)
    return taken


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", help="layer set")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--radius", type=float, nargs="*", default=[28.0, 60.0])
    options = parser.parse_args()
    store = open_layers(options.data)
    print(f"{store.manifest.title} ({store.hash[:12]})")
    for radius in options.radius:
        query = parse(QUESTION.format(radius=radius))
        run, demand = Run(store, query, query.locations[0], Trace()), need_of(query).demand_bdt
        found = run.catchment(query, demand)
        run.search_roads(found)
        econ, scales = economics(store.manifest, query.overrides), Scales.from_manifest(store.manifest.scales)
        frame, ppi = found.frame, econ.harvest.ppi
        costs, high = (
            delivered_costs(found, query, store.manifest, econ, run.read_stand),
            high_hazard(frame, store.manifest),
        )
        usable = workable_in(np.arange(len(frame)), costs.unit)
        terms = score_terms(costs.unit[usable], frame["burn_probability"][usable].astype(np.float64), scales)
        items = Items(*terms, costs.unit[usable], frame["cluster_no"][usable], costs.tons[usable])

        def all_at_once(f=frame, c=costs, d=demand, s=scales, p=ppi, h=high):  # type: ignore[no-untyped-def]
            return trade_off(f, c, d, s, p, h)

        def one_by_one(f=frame, c=costs, d=demand, s=scales, p=ppi, h=high):  # type: ignore[no-untyped-def]
            return sorting_each(f, c, d, s, p, h)

        points, plain = all_at_once(), one_by_one()
        rows, taken = sweep(items, demand, WEIGHTS)
        same = all(set(usable[rows[t]]) == set(r[0]) for t, r in zip(taken, plain, strict=True))
        for values, column in ((points.average, 1), (points.last_ton, 2), (points.burn_probability, 3)):
            same &= np.allclose(values, [r[column] for r in plain], rtol=1e-10, atol=0)
        same &= np.allclose(points.high_hazard_acres, [r[4] for r in plain], rtol=1e-10, atol=0)
        ms = processor_ms(
            {"plain": one_by_one, "ours": all_at_once, "sweep": lambda i=items, d=demand: sweep(i, d, WEIGHTS)},
            options.rounds,
        )
        plain_ms, ours, alone = (statistics.median(ms[name]) for name in ("plain", "ours", "sweep"))
        bend, within = knee(points), most_within(points, 5.0)
        at = points.weights[bend] if bend is not None else float("nan")
        print(f"{QUESTION.format(radius=radius)}: {len(frame):,} candidates of {found.rows_read:,} clusters, "
              f"{float(costs.tons.sum()) / demand:.1f} years' demand, {int(points.supply.max()) + 1} supplies, "
              f"{len(points.front)} on the front, knee at {at:g}, 5 % dearer at {points.weights[within]:g}; same clusters and "
              f"averages: {same}; full sorts {plain_ms:.0f} ms, all at once {ours:.1f} ms ({min(ms['ours']):.1f} to "
              f"{max(ms['ours']):.1f}; {alone:.1f} of it the sweep), {plain_ms / ours:.1f} times")  # fmt: skip


if __name__ == "__main__":
    main()
