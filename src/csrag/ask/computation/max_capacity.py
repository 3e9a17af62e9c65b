"""The largest plant under a cap or a budget: the longest prefix of the supply curve that keeps it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from csrag.ask.computation import caveats
from csrag.ask.computation.choose import Selection, select, selection_of
from csrag.ask.computation.delivered import Costs, Economics, StandReader, delivered_costs, economics
from csrag.ask.computation.demand import PlantPerformance, capacity_mw_for, performance
from csrag.ask.computation.facts import SITE_VALUES, Ledger
from csrag.ask.computation.selection import Scales, scores, workable_in
from csrag.ask.computation.transport import transport_of
from csrag.ask.computation.transport_facts import put_transport
from csrag.ask.records import SitingQuery
from csrag.ask.results import Analysis, Catchment
from csrag.quantities import QUANTITIES, check, km_to_miles
from csrag.surfaces.manifest import Manifest

POOL_RADIUS_KM = 200.0
"""Radius of the pool where the question names none [km]; the data may end before."""
_LOOK_AHEAD = 24
_SHAVE = 1e-9


@dataclass(frozen=True)
class Largest:
    """The largest plant.

    Parameters
    ----------
    capacity_mw : float
        A hair under what the prefix keeps running, so that the site at this capacity takes that prefix [MW].
    bdt : float
        Feedstock of the prefix [BDT per year].
    clusters : int
        Clusters in it.
    binds : str
        What stops it: cap, budget, supply, or size (the largest plant this system plans for).
    move_in : float
        Move-in of the prefix [USD per BDT].
    """

    capacity_mw: float
    bdt: float
    clusters: int
    binds: str
    move_in: float


def largest_plant(query: SitingQuery, pool: Catchment, manifest: Manifest, read_stand: StandReader) -> Largest:
    """Find the largest plant that a pool feeds within the question's cap or budget.

    Parameters
    ----------
    query : SitingQuery
        Cap and its kind, or yearly budget; fire weight, overrides.
    pool : Catchment
        All candidates in the circle.
    manifest : Manifest
        Economics, scales.
    read_stand : callable
        What-if inputs of given layer rows.

    Returns
    -------
    Largest
        With 0 MW where not even one cluster fits.

    Notes
    -----
    Clusters are taken in the order in which a site takes them. With k clusters the average, the last ton and the bill all
    rise with k but for the move-in, which is shared over more tons; so the longest prefix without move-in bounds the answer,
    and from there the exact condition is followed down and then a little way up again.
    """
    econ = economics(manifest, query.overrides)
    costs = delivered_costs(pool, query, manifest, econ, read_stand)
    plant = performance(query.technology, query.overrides)
    order = _order(query, pool, costs, Scales.from_manifest(manifest.scales))
    tons = np.cumsum(costs.tons[order])
    most = QUANTITIES["capacity_mw"].high
    if costs.shares is not None:
        return _under_rules(query, pool, costs, econ, plant, Scales.from_manifest(manifest.scales))
    size_limit = int(np.searchsorted(tons * (1 - _SHAVE), _bdt_of(most, capacity_mw_for(1.0, plant)), side="right"))
    keeps, binds = _condition(query, order, costs, tons)
    limit = min(len(order), size_limit)
    found = _longest(limit, keeps, lambda k: _selection(order[:k], pool, costs, econ))
    if found is None:
        return Largest(0.0, 0.0, 0, binds, 0.0)
    taken = found
    k = len(taken.rows)
    if k == len(order):
        binds = "supply"
    elif k == size_limit:
        binds = "size"
    capacity = capacity_mw_for(taken.tons, plant) * (1 - _SHAVE)
    return Largest(min(capacity, most), taken.tons, k, binds, taken.move_in)


def _under_rules(query: SitingQuery, pool: Catchment, costs: Costs, econ: Economics, plant: PlantPerformance,
                 scales: Scales) -> Largest:  # fmt: skip
    from csrag.ask.computation.rules_capacity import largest_supply

    by_last_ton = query.max_cost_usd_per_bdt is not None and query.max_cost_kind == "last_ton"
    weight, cap = (0.0, query.max_cost_usd_per_bdt) if by_last_ton else (query.fire_weight, None)

    def choose(demand: float) -> Selection:
        return select(pool.frame, costs, demand, weight, scales, econ.harvest.ppi, cap)

    mw_per_bdt = capacity_mw_for(1.0, plant)
    size = _bdt_of(QUANTITIES["capacity_mw"].high, mw_per_bdt)
    found, demand, binds = largest_supply(query, costs, size, choose)
    if found is None:
        return Largest(0.0, 0.0, 0, binds, 0.0)
    return Largest(demand * mw_per_bdt * (1 - _SHAVE), found.tons, len(found.rows), binds, found.move_in)


def _bdt_of(capacity_mw: float, mw_per_bdt: float) -> float:
    return capacity_mw / mw_per_bdt


def _order(query: SitingQuery, pool: Catchment, costs: Costs, scales: Scales) -> NDArray[np.int64]:
    # Under a cap on the last ton every cluster below it may be taken, whatever the fire weight: cost alone decides.
    by_cost = query.max_cost_usd_per_bdt is not None and query.max_cost_kind == "last_ton"
    weight = 0.0 if by_cost else query.fire_weight
    score = scores(costs.unit, pool.frame["burn_probability"].astype(np.float64), weight, scales)
    return workable_in(np.lexsort((pool.frame["cluster_no"], costs.unit, score)), costs.unit)


def _condition(query: SitingQuery, order: NDArray[np.int64], costs: Costs, tons: NDArray[np.float64]
               ) -> tuple[Callable[[float], NDArray[np.bool_]], str]:  # fmt: skip
    """Which prefixes keep the limit, given a move-in; and the limit's name."""
    spent = np.cumsum(costs.tons[order] * costs.unit[order])
    average = spent / tons
    dearest = np.maximum.accumulate(costs.unit[order]) if len(order) else costs.unit[order]
    cap, budget = query.max_cost_usd_per_bdt, query.budget_usd_per_year
    if cap is not None:
        check("max_cost_usd_per_bdt", cap)
        curve = dearest if query.max_cost_kind == "last_ton" else average
        return (lambda move_in: curve + move_in <= cap), "cap"
    if budget is not None:
        check("budget_usd_per_year", budget)
        return (lambda move_in: (average + move_in) * tons <= budget), "budget"
    return (lambda _: np.ones(len(order), dtype=bool)), "supply"


def _longest(limit: int, keeps: Callable[[float], NDArray[np.bool_]], select: Callable[[int], Selection]
             ) -> Selection | None:  # fmt: skip
    """Longest prefix whose own move-in keeps the limit."""

    def last(move_in: float) -> int:
        held = np.flatnonzero(keeps(move_in)[:limit])
        return int(held[-1]) + 1 if len(held) else 0

    k = last(0.0)
    chosen = select(k) if k else None
    while chosen is not None and not keeps(chosen.move_in)[k - 1]:
        shorter = last(chosen.move_in)
        k = min(shorter, k - 1) if shorter else k - 1
        chosen = select(k) if k else None
    if chosen is None:
        return None
    return _climbed(chosen, limit, keeps, select)


def _climbed(chosen: Selection, limit: int, keeps: Callable[[float], NDArray[np.bool_]],
             select: Callable[[int], Selection]) -> Selection:  # fmt: skip
    """Longer prefixes that keep the limit too: a smaller share of move-in can make room for the next clusters."""
    while True:
        k = len(chosen.rows)
        held = np.flatnonzero(keeps(chosen.move_in)[:limit])
        far = int(held[-1]) + 1 if len(held) else k
        tries = [far, *range(min(k + _LOOK_AHEAD, limit), k, -1)]
        for longer in tries:
            if longer <= k:
                continue
            other = select(longer)
            if keeps(other.move_in)[longer - 1]:
                chosen = other
                break
        else:
            return chosen


def _selection(rows: NDArray[np.int64], pool: Catchment, costs: Costs, econ: Economics) -> Selection:
    return selection_of(rows, pool.frame, costs, econ.harvest.ppi, float(costs.tons[rows].sum()))


_BINDS = {
    "cap": "the cap binds: one more cluster would break it",
    "budget": "the budget binds: one more cluster would break it",
    "supply": "the supply binds: every candidate in the circle is taken",
    "size": "it is the largest plant this system plans for",
}


def with_largest(query: SitingQuery, analysis: Analysis, largest: Largest) -> Analysis:
    """Add the largest plant to the analysis of the site at its capacity.

    Parameters
    ----------
    query : SitingQuery
        The question, cap and budget included.
    analysis : Analysis
        Of the site at that capacity and radius.
    largest : Largest
        From `largest_plant`.
    """
    ledger = Ledger.of(analysis)
    ledger.put("max_capacity_mw", largest.capacity_mw, _BINDS[largest.binds])
    ledger.put("max_capacity_bdt", largest.bdt, f"{largest.clusters:,} whole clusters in the order a site takes them")
    if query.budget_usd_per_year is not None:
        ledger.put("budget_usd_per_year", query.budget_usd_per_year, "as asked")
    average = analysis.facts["average_delivered_cost"].value
    if average is not None:
        ledger.put("fuel_bill_usd_per_year", float(average) * largest.bdt, "average delivered cost times the tons")
    return replace(analysis, facts=ledger.facts)


def none_fits(query: SitingQuery, pool: Catchment, largest: Largest, manifest: Manifest) -> Analysis:
    """The refusal where not even the smallest plant fits within the limit."""
    ledger = Ledger()
    ledger.put("max_capacity_mw", largest.capacity_mw, _BINDS[largest.binds])
    ledger.put("max_capacity_bdt", largest.bdt, "what fits within the limit")
    ledger.put("radius_km", pool.radius_km, "the pool's circle")
    ledger.put("radius_miles", km_to_miles(pool.radius_km), "the pool's circle")
    ledger.put("candidate_clusters", len(pool.frame), "after land, slope and feasibility filters")
    if query.max_cost_usd_per_bdt is not None:
        ledger.put("max_cost_usd_per_bdt", query.max_cost_usd_per_bdt, f"your cap on the {query.max_cost_kind}")
    if query.budget_usd_per_year is not None:
        ledger.put("budget_usd_per_year", query.budget_usd_per_year, "as asked")
    caveats.about_data(ledger, manifest, pool, query, None)
    transport = transport_of(query.transport, manifest, pool.roads)
    put_transport(ledger, manifest, transport, pool.radius_km, economics(manifest, query.overrides))
    ledger.fill_missing(SITE_VALUES, "no plant fits within the limit")
    return Analysis(
        "refused", "cap_not_met" if largest.binds != "supply" else "demand_not_met", ledger.facts, {}, ledger.caveats
    )
