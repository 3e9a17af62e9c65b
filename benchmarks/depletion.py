"""Twenty years of supply against sorting anew every year: ``python benchmarks/depletion.py --data DIR [--rounds 7]``.

The plain loop reads nothing anew either: it has the same candidates and costs, and each year sorts those left in the circle by
score, cost and key, takes until the demand is met, and moves the machines: only those in the year's circle (the best that sorting can
do), or all that are left in the pool. A third baseline keeps nothing: every year it reads the circle again, costs, scores and sorts
it. All end with the same clusters in every year, which is checked. Processor time, medians.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from csrag.ask.computation.delivered import Costs, delivered_costs, economics
from csrag.ask.computation.depletion import Order, Rules, deplete
from csrag.ask.computation.depletion_plain import LeftInOrder
from csrag.ask.computation.life import supply_years
from csrag.ask.computation.moves import moves_usd
from csrag.ask.computation.need import need_of
from csrag.ask.computation.selection import Scales, scores, workable_in
from csrag.ask.intent import parse
from csrag.ask.retrieval import retrieve
from csrag.ask.run import Run, Trace
from csrag.interfaces.open import open_layers
from csrag.surfaces.frame import ClusterFrame

QUESTIONS = ("25 MW near Quincy, fire matters", "25 MW near Fresno", "100 MW near Redding, fire matters")


def sorting_anew(
    frame: ClusterFrame, costs: Costs, scales: Scales, rules: Rules, *, whole_pool: bool = False, sums: bool = True
) -> list[NDArray[np.int64]]:
    """Clusters taken each year, everything sorted again every year: those in the circle, or the whole pool."""
    there, radius, out = np.ones(len(frame), dtype=bool), rules.first_radius_km, []
    whole_km = np.ceil(frame["distance_km"]).astype(np.int64)
    score = scores(costs.unit, frame["burn_probability"].astype(np.float64), rules.fire_weight, scales)
    for year in range(1, rules.years + 1):
        if year > 1 and rules.widest_radius_km > radius:
            left = np.cumsum(
                np.bincount(whole_km[there], weights=costs.tons[there], minlength=int(rules.widest_radius_km) + 1)
            )
            needed = int(np.searchsorted(left, rules.choice_multiple * rules.demand_bdt, side="left"))
            radius = float(min(max(radius, needed), rules.widest_radius_km))
        near = frame["distance_km"] <= radius
        inside = np.flatnonzero(there if whole_pool else there & near)
        order = np.lexsort((frame["cluster_no"][inside], costs.unit[inside], score[inside]))
        rows = workable_in(inside[order], costs.unit)
        rows = rows[near[rows]] if whole_pool else rows
        reached = np.cumsum(costs.tons[rows])
        if not len(reached) or reached[-1] < rules.demand_bdt:
            break
        taken = rows[: int(np.searchsorted(reached, rules.demand_bdt, side="left")) + 1]
        there[taken] = False
        out.append(taken)
        if not sums:
            continue
        weight = costs.tons[taken]
        for values in (costs.unit, costs.harvest, costs.haul):
            float((values[taken] * weight).sum())
        moves_usd(frame, costs, taken, rules.ppi)
    return out


def choosing(frame: ClusterFrame, costs: Costs, scales: Scales, rules: Rules) -> list[NDArray[np.int64]]:
    """The choice of `deplete` alone: no sums over the years, no moves of machines."""
    order = Order.of(frame, costs, scales, rules)
    left = LeftInOrder(order.rows, order.distance_km, costs.tons[order.rows])
    radius, out = rules.first_radius_km, []
    for year in range(1, rules.years + 1):
        if year > 1 and rules.widest_radius_km > radius:
            needed = left.needed_km(rules.choice_multiple * rules.demand_bdt, int(rules.widest_radius_km))
            radius = float(min(max(radius, needed), rules.widest_radius_km))
        taken = left.take(radius, rules.demand_bdt)
        if taken is None:
            break
        out.append(taken)
    return out


def from_scratch(run: Run, scales: Scales, rules: Rules) -> list[NDArray[np.int64]]:
    """Keys of the clusters taken each year, with nothing kept from year to year but which were taken."""
    query, manifest, used, radius, out = (
        run.query,
        run.store.manifest,
        np.zeros(0, dtype=np.int64),
        rules.first_radius_km,
        [],
    )
    econ = economics(manifest, query.overrides)
    for year in range(1, rules.years + 1):
        while True:
            circle = retrieve(run.store, run.site, query.with_(radius_km=float(radius)), rules.demand_bdt)
            there = ~np.isin(circle.frame["cluster_no"], used)
            costs = delivered_costs(circle, query, manifest, econ, run.read_stand)
            left = float(costs.tons[there].sum())
            if year == 1 or left >= rules.choice_multiple * rules.demand_bdt or radius >= rules.widest_radius_km:
                break
            radius += 1
        kept = np.flatnonzero(there)
        score = scores(costs.unit, circle.frame["burn_probability"].astype(np.float64), rules.fire_weight, scales)
        number = circle.frame["cluster_no"]
        order = kept[np.lexsort((number[kept], costs.unit[kept], score[kept]))]
        reached = np.cumsum(costs.tons[order])
        taken = order[: int(np.searchsorted(reached, rules.demand_bdt, side="left")) + 1]
        moves_usd(circle.frame, costs, taken, rules.ppi)
        used = np.concatenate([used, number[taken]])
        out.append(number[taken])
    return out


def processor_ms(call: Callable[[], object], rounds: int) -> float:
    """Median processor time of a call [ms]."""
    taken = []
    for _ in range(rounds):
        start = time.process_time()
        call()
        taken.append((time.process_time() - start) * 1000)
    return statistics.median(taken)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", help="layer set")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    store = open_layers(options.data)
    print(f"{store.manifest.title} ({store.hash[:12]})")
    for question in QUESTIONS:
        query = parse(question)
        run, need = Run(store, query, query.locations[0], Trace()), need_of(query)
        first = run.catchment(query, need.demand_bdt)
        pool = run.catchment(query, need.demand_bdt, years=supply_years(query, store.manifest.scales.p_hi))
        run.search_roads(pool)
        econ, scales = economics(store.manifest, query.overrides), Scales.from_manifest(store.manifest.scales)
        costs = delivered_costs(pool, query, store.manifest, econ, run.read_stand)
        rules = Rules(
            years=20, demand_bdt=need.demand_bdt, fire_weight=query.fire_weight, ppi=econ.harvest.ppi,
            first_radius_km=first.radius_km, widest_radius_km=pool.radius_km,
        )  # fmt: skip
        ours = deplete(pool.frame, costs, scales, rules)
        taken = [y.rows.tolist() for y in ours.years]
        same = all(
            [r.tolist() for r in sorting_anew(pool.frame, costs, scales, rules, whole_pool=whole)] == taken
            for whole in (False, True)
        )
        numbers = [pool.frame["cluster_no"][y.rows].tolist() for y in ours.years]
        same &= [r.tolist() for r in from_scratch(run, scales, rules)] == numbers
        fast = processor_ms(lambda p=pool, c=costs, r=rules, s=scales: deplete(p.frame, c, s, r), options.rounds)
        slow, whole = (
            processor_ms(
                lambda p=pool, c=costs, r=rules, s=scales, w=w: sorting_anew(p.frame, c, s, r, whole_pool=w),
                options.rounds,
            )
            for w in (False, True)
        )
        same &= [r.tolist() for r in choosing(pool.frame, costs, scales, rules)] == taken
        alone = processor_ms(lambda p=pool, c=costs, r=rules, s=scales: choosing(p.frame, c, s, r), options.rounds)
        resort = processor_ms(
            lambda p=pool, c=costs, r=rules, s=scales: sorting_anew(p.frame, c, s, r, whole_pool=True, sums=False),
            options.rounds,
        )
        scratch = processor_ms(lambda n=run, s=scales, r=rules: from_scratch(n, s, r), 3)
        print(f"{question}: {len(pool.frame):,} candidates within {pool.radius_km:g} km, {len(ours.years)} years, "
              f"{sum(len(y.rows) for y in ours.years):,} clusters taken, same clusters: {same}; choosing alone {alone:.1f} ms, "
              f"sorting the pool anew {resort:.1f} ms, {resort / alone:.1f} times; with sums and moves {fast:.1f} ms; sorting the "
              f"circle anew {slow:.1f} ms, {slow / fast:.1f} times; sorting the pool anew {whole:.1f} ms, {whole / fast:.1f} times; "
              f"reading, costing and sorting anew {scratch:.0f} ms, {scratch / fast:.1f} times")  # fmt: skip


if __name__ == "__main__":
    main()
