"""Intervals of an answer: of each headline cost, what stands behind them, and what they leave out."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from csrag.ask.computation.choose import Selection
from csrag.ask.computation.delivered import Costs, Economics
from csrag.ask.computation.depletion import Depletion, Year
from csrag.ask.computation.electricity import electricity_of
from csrag.ask.computation.facts import Ledger
from csrag.ask.computation.life import life_years
from csrag.ask.computation.selection import Scales
from csrag.ask.computation.transport import MODE_WORDS, NO_CIRCUITY
from csrag.ask.computation.uncertainty import LEVEL_PCT, Errors, choice_is_free, chosen_at, errors_of, interval, unit_at
from csrag.ask.records import SitingQuery
from csrag.ask.results import Catchment
from csrag.economics.plant import lcoe_slope
from csrag.surfaces.manifest import Manifest

HEADLINES = (
    "average_haul_cost",
    "average_delivered_cost",
    "last_ton_cost",
    "life_average_delivered_cost",
    "lcoe_current",
)
"""Values that carry an interval, as `..._low` and `..._high`."""
LEFT_OUT = (
    "errors of FRCS itself and of the stands' tons, prices and their mixed dollar years, the market's answer to a new buyer, the age "
    "of the burn probabilities, trucks' speed, and plants farther from roads than those that were measured"
)
"""What no interval holds, because nothing here measures it."""
_AS_CHOSEN = "the supply stays as chosen"


def put_intervals(ledger: Ledger, query: SitingQuery, catchment: Catchment, costs: Costs, taken: Selection,
                  pool: Catchment, pool_costs: Costs, years: Depletion, econ: Economics, manifest: Manifest,
                  capacity_mw: float, demand_bdt: float) -> None:  # fmt: skip
    """Record the interval of each headline cost, or why there is none.

    Parameters
    ----------
    ledger : Ledger
        Holds the headline costs; receives the intervals.
    query : SitingQuery
        What is asked.
    catchment, costs : Catchment, Costs
        Candidates of year one.
    taken : Selection
        Year one's; it stays as it is while its price moves.
    pool, pool_costs : Catchment, Costs
        Candidates of the life.
    years : Depletion
        The life's years, which stay as they are too.
    econ : Economics
        Prices.
    manifest : Manifest
        Measured errors.
    capacity_mw, demand_bdt : float
        Of the plant [MW], [BDT per year].
    """
    errors = errors_of(manifest, query, costs, econ, taken.rows)
    if not errors.known or query.seed_compatible:
        why = why_no_interval(errors) if not query.seed_compatible else "the published simplifications have none"
        for value_id in (*_ids(), "interval_level_pct", "interval_basis"):
            ledger.put(value_id, None, why)
        ledger.caveat("no_interval", f"The costs carry no interval: {why}. Nor is anything measured of {LEFT_OUT}.")
        return
    basis = _basis(errors)
    ledger.put("interval_level_pct", LEVEL_PCT, "share of plants whose cost lies inside, as far as those errors go")
    ledger.put("interval_basis", _covers(errors), basis)
    _put(
        ledger,
        "average_haul_cost",
        lambda z, w: _mean(catchment, costs, taken, errors, z, w, haul_only=True),
        errors,
        basis,
    )
    _put(ledger, "average_delivered_cost", lambda z, w: _mean(catchment, costs, taken, errors, z, w), errors, basis)
    _put_last(ledger, query, catchment, costs, taken, errors, Scales.from_manifest(manifest.scales), demand_bdt, basis)
    _put_life(ledger, query, pool, pool_costs, years, errors, basis, capacity_mw, demand_bdt)
    _about(ledger, errors)


def _ids() -> list[str]:
    return [f"{value_id}_{end}" for value_id in HEADLINES for end in ("low", "high")]


def _put(ledger: Ledger, value_id: str, cost: Callable[[float, float], float], errors: Errors, basis: str) -> None:
    low, high = interval(cost, errors)
    ledger.put(f"{value_id}_low", low, basis)
    ledger.put(f"{value_id}_high", high, basis)


def _mean(catchment: Catchment, costs: Costs, taken: Selection, errors: Errors, road: float, harvest: float, *,
          haul_only: bool = False) -> float:  # fmt: skip
    """Average delivered cost of what is taken, or its haul alone, at given deviates [USD per BDT]."""
    rows = taken.rows
    haul = costs.haul[rows] * errors.haul_factor(catchment.frame, costs, rows, road)
    cost = haul if haul_only else haul + costs.harvest[rows] * errors.harvest_factor(costs, rows, harvest)
    mean = float((cost * costs.tons[rows]).sum() / costs.tons[rows].sum())
    return mean if haul_only else mean + costs.unloading + taken.move_in


def _put_last(ledger: Ledger, query: SitingQuery, catchment: Catchment, costs: Costs, taken: Selection, errors: Errors,
              scales: Scales, demand_bdt: float, basis: str) -> None:  # fmt: skip
    """Interval of the last ton: where the supply curve meets the demand once costs are other than reckoned."""
    free, frame = choice_is_free(query), catchment.frame

    def last(road: float, harvest: float) -> float:
        if free:
            rows, unit = chosen_at(query, frame, costs, errors, scales, demand_bdt, road, harvest)
            return float(unit[rows].max()) + taken.move_in
        return float(unit_at(costs, frame, errors, taken.rows, road, harvest).max()) + taken.move_in

    _put(ledger, "last_ton_cost", last, errors, basis.replace(_AS_CHOSEN, "clusters chosen anew") if free else basis)


def years_at(years: Depletion, pool: Catchment, costs: Costs, errors: Errors, road: float, harvest: float) -> Depletion:
    """The same years and the same clusters, priced at given deviates.

    Parameters
    ----------
    years : Depletion
        As computed.
    pool, costs : Catchment, Costs
        Candidates that its rows point into.
    errors : Errors
        At work.
    road, harvest : float
        Standard deviates [dimensionless].
    """
    return replace(years, years=tuple(_year_at(year, pool, costs, errors, road, harvest) for year in years.years))


def _year_at(year: Year, pool: Catchment, costs: Costs, errors: Errors, road: float, harvest: float) -> Year:
    weight = costs.tons[year.rows]
    haul, cut = weight * costs.haul[year.rows], weight * costs.harvest[year.rows]
    longer = float((haul * errors.haul_factor(pool.frame, costs, year.rows, road)).sum() / haul.sum())
    dearer = float((cut * errors.harvest_factor(costs, year.rows, harvest)).sum() / cut.sum())
    more_haul, more_cut = year.haul * (longer - 1), year.harvest * (dearer - 1)
    return replace(
        year, haul=year.haul + more_haul, harvest=year.harvest + more_cut, average=year.average + more_haul + more_cut
    )


def _put_life(ledger: Ledger, query: SitingQuery, pool: Catchment, pool_costs: Costs, years: Depletion, errors: Errors, basis: str,
              capacity_mw: float, demand_bdt: float) -> None:  # fmt: skip
    """Intervals of the life's average and of the electricity on it."""
    lived = replace(years, years=years.years[: life_years(query)])
    if lived.years:

        def average(road: float, harvest: float) -> float:
            return years_at(lived, pool, pool_costs, errors, road, harvest).average()

        _put(ledger, "life_average_delivered_cost", average, errors, f"{basis}; the same in every year")
    else:
        _none(ledger, "life_average_delivered_cost", "not even one year is supplied")
    if ledger.facts["lcoe_current"].value is None:
        _none(ledger, "lcoe_current", "there is no cost of electricity to give an interval to")
        return

    def power(road: float, harvest: float) -> float:
        at = years_at(lived, pool, pool_costs, errors, road, harvest)
        result = electricity_of(query, capacity_mw, at, demand_bdt)
        return math.nan if result is None else result.lcoe_current_usd_per_mwh

    slope, _ = lcoe_slope(query.technology, capacity_mw, demand_bdt, query.overrides)
    ledger.put(
        "lcoe_usd_per_mwh_per_usd_per_bdt", slope, "current dollars; a fuel cost that grows like every other price"
    )
    _put(ledger, "lcoe_current", power, errors, f"{basis}; only the fuel moves, the plant's own costs stand still")


def _none(ledger: Ledger, value_id: str, why: str) -> None:
    for end in ("low", "high"):
        ledger.put(f"{value_id}_{end}", None, why)


def _covers(errors: Errors) -> str:
    """What the interval holds, in words without figures."""
    parts = []
    if errors.road is not None and not errors.stand_ins_only:
        parts.append("road distances")
    if errors.harvest is not None:
        parts.append("harvest costs of the surrogate")
    if errors.stand_ins_only and errors.road is not None:
        parts.append("distances that stand in for the road network")
    return " and ".join(parts)


def _basis(errors: Errors) -> str:
    parts = []
    if errors.road is not None and not errors.stand_ins_only:
        by = MODE_WORDS[errors.mode]
        if errors.road.measured_on == "facilities":
            parts.append(f"error of one facility's haul by {by}, measured on this layer set by band")
        else:
            parts.append(
                f"error of single trips by {by}, measured on this layer set by band and taken as common to all of them"
            )
    if errors.harvest is not None:
        parts.append("the surrogate's interval by harvesting system")
    if errors.stand_ins_only and errors.road is not None:
        parts.append("error of the factors that stand in for the network, whose own error is not measured")
    return "; ".join(parts) + "; common to all clusters, not averaged away; " + _AS_CHOSEN


def why_no_interval(errors: Errors) -> str:
    """Why nothing is known of an answer's errors, in words without figures."""
    if errors.mode == "network":
        roads = "the error of the road network, which other distances are measured against, is not measured itself"
    elif errors.mode == NO_CIRCUITY:
        roads = "the layer set knows no road distances to measure against"
    else:
        roads = "the layer set does not say how far its road distances are off"
    return f"{roads}, and {errors.harvest_unknown or 'the error of the harvest simulator is not measured either'}"


def _about(ledger: Ledger, errors: Errors) -> None:
    """What the intervals hold and leave out; and where their middle is not the headline."""
    text = f"The intervals hold the error of {_covers(errors)} alone, at {LEVEL_PCT:g} %. They leave out {LEFT_OUT}"
    if errors.harvest_unknown:
        text += f"; and {errors.harvest_unknown}"
    if errors.stand_ins_only:
        text += "; and the road network's own error, which is not measured"
    if errors.qualified:
        text += "; and what the surrogate errs beyond the records it learned from, so they may hold fewer"
    ledger.caveat("interval_leaves_out", text + ".")
    road = errors.road
    if road is not None and road.measured_on == "trips" and not errors.stand_ins_only:
        ledger.caveat("interval_from_trips", "The layer set measured single trips, not the sum of a plant's; their error is taken as "
                      "common to all trips of the plant, so the intervals are wide.")  # fmt: skip
    average = float(ledger.facts["average_delivered_cost"].value or 0.0)
    low, high = (float(ledger.facts[f"average_delivered_cost_{end}"].value or 0.0) for end in ("low", "high"))
    if not low <= average <= high:
        side = "too long" if average > high else "too short"
        ledger.caveat("interval_beside_average", f"The average delivered cost lies outside its own interval: at this radius the layer "
                      f"set's road distances are {side} in sum, which the interval allows for and the average does not.")  # fmt: skip
