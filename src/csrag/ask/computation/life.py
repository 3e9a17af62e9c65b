"""A plant's life: one year's supply is not twenty years', since a cluster is treated once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from csrag.ask.computation.delivered import Costs, Economics
from csrag.ask.computation.depletion import CHOICE_MULTIPLE, BeforeYear, Depletion, Order, Rules, Year, deplete
from csrag.ask.computation.facts import Ledger
from csrag.ask.computation.selection import Scales
from csrag.ask.records import SitingQuery
from csrag.ask.results import Catchment
from csrag.quantities import check, km_to_miles

DEFAULT_LIFE_YEARS = 20
FAR_KM = 40.0
"""Radius from which the published system's road distances were no longer usable [km]."""
PROJECTION_COLUMNS = (
    "year", "radius_km", "clusters", "feedstock_bdt", "harvest_usd_per_bdt", "haul_usd_per_bdt", "unloading_usd_per_bdt",
    "move_in_usd_per_bdt", "delivered_usd_per_bdt", "delivered_usd_of_the_year_per_bdt", "last_ton_usd_per_bdt",
    "treated_acres", "burn_probability", "remaining_bdt",
)  # fmt: skip


def life_years(query: SitingQuery) -> int:
    """Life of the plant [years]: the user's economic life, else 20.

    Raises
    ------
    InvalidValueError
        If it is out of range or no whole number of years.
    """
    return round(check("economic_life_y", query.overrides.get("economic_life_y", DEFAULT_LIFE_YEARS)))


def choice_multiple(query: SitingQuery) -> float:
    """How many years' demand the circle of a later year holds: five, or the expansion factor of FRREDSS's rule [years]."""
    return query.expansion_factor if query.selection == "proximity" else CHOICE_MULTIPLE


def run_years(query: SitingQuery, pool: Catchment, costs: Costs, scales: Scales, econ: Economics, demand: float,
              first_radius_km: float, last_ton_cap: float | None, others: BeforeYear | None = None) -> Depletion:  # fmt: skip
    """Deplete the pool over the plant's life, or the years asked for where those are more.

    Parameters
    ----------
    query : SitingQuery
        Years, fire weight.
    pool : Catchment
        Candidates out to where the years can reach.
    costs : Costs
        Of the pool.
    scales : Scales
        Fixed scales.
    econ : Economics
        Price index for the move-in.
    demand : float
        [BDT per year]
    first_radius_km : float
        Circle of year one [km].
    last_ton_cap : float or None
        [USD per BDT], move-in left out.
    others : callable, optional
        What other plants cut before each year's choice.

    Returns
    -------
    Depletion
        Where the question asks for burn loss, the middle one of the repeats.
    """
    rules = Rules(
        years=max(life_years(query), query.years), demand_bdt=demand, fire_weight=query.fire_weight, ppi=econ.harvest.ppi,
        first_radius_km=first_radius_km, widest_radius_km=pool.radius_km, last_ton_cap=last_ton_cap,
        reentry_years=query.reentry_years, choice_multiple=choice_multiple(query),
    )  # fmt: skip
    if query.burn_loss_pct is None:
        return deplete(pool.frame, costs, scales, rules, others)
    order = Order.of(pool.frame, costs, scales, rules)
    from csrag.ask.computation.burn_loss import Fires, Risk, run_histories, seed_of

    risk = Risk(pool.frame["burn_probability"].astype(np.float64), pool.frame["cluster_no"])
    share, seed = check("burn_loss_pct", query.burn_loss_pct) / 100, seed_of(query, pool.key.layer_hash)
    return run_histories(
        lambda before_year: deplete(pool.frame, costs, scales, rules, before_year, order),
        lambda repeat: Fires(risk, share, seed, repeat, others),
        life_years(query),
        any_loss=share > 0 and risk.most > 0 and rules.years > 1,
    )


def supply_years(
    query: SitingQuery, highest_burn: float | None, others_bdt: float = 0.0, demand_bdt: float = 1.0
) -> float:
    """How many years' demand the pool of a life has to hold.

    Parameters
    ----------
    query : SitingQuery
        Years, burn loss.
    highest_burn : float
        A high annual burn probability of the layer set [per year]; None where there is none.
    others_bdt : float
        What other plants draw in a year [BDT].
    demand_bdt : float
        The plant's own demand [BDT per year].

    Returns
    -------
    float
        [years]: the life and five more to choose from, with what others take and fires may destroy on top.
    """
    years = max(life_years(query), query.years)
    target = years * (1 + others_bdt / demand_bdt) + CHOICE_MULTIPLE
    if query.burn_loss_pct and highest_burn is not None and math.isfinite(highest_burn):
        target /= max((1 - query.burn_loss_pct / 100 * min(highest_burn, 1.0)) ** years, 0.2)
    return target


def put_life(ledger: Ledger, query: SitingQuery, years: Depletion, unloading: float, demand: float,
             escalation_pct: float, unknown_burn: int = 0) -> None:  # fmt: skip
    """Record the life of the plant, and the projection where one was asked for.

    Parameters
    ----------
    ledger : Ledger
        Receives the values.
    query : SitingQuery
        Years asked for.
    years : Depletion
        From `run_years`.
    unloading : float
        [USD per BDT]
    demand : float
        [BDT per year]
    escalation_pct : float
        Of every price [percent a year].
    unknown_burn : int
        Clusters of the pool without a burn probability.
    """
    life = life_years(query)
    lived = years.years[:life]
    ledger.put("life_years", life, "economic life as asked" if "economic_life_y" in query.overrides else "default")
    ledger.put(
        "escalation_pct", escalation_pct, "general inflation; an override is the price of year one and escalates alike"
    )
    out_of_wood = years.exhausted_year if years.exhausted_year is not None and years.exhausted_year <= life else None
    used = "used clusters leave"
    if query.reentry_years is not None:
        used = f"used clusters come back {query.reentry_years} years after they were cut, with their first yield"
        ledger.put("reentry_years", query.reentry_years, "as asked; with the first yield again (assumed)")
        _put_reentered(ledger, lived)
    held = "five years' demand" if query.selection == "cost" else f"{query.expansion_factor:g} times one year's demand"
    grows = f"{used}; each year the circle grows until what is left in it is {held}"
    if query.radius_km is not None or query.seed_compatible:
        grows = f"{used}; the circle stays as you set it"
    kept = replace(years, years=lived)
    if not lived:
        ledger.put("life_average_delivered_cost", None, "not even one year is supplied")
        ledger.put("life_last_year_cost", None, "not even one year is supplied")
        ledger.put("life_acres_per_year", None, "not even one year is supplied")
    else:
        until = f"; the supply ends in year {out_of_wood}" if out_of_wood else ""
        ledger.put("life_average_delivered_cost", kept.average(), f"dollars of year one; {grows}{until}")
        ledger.put("life_last_year_cost", lived[-1].average, f"year {lived[-1].year}, dollars of year one{until}")
        ledger.put("life_acres_per_year", sum(y.acres for y in lived) / len(lived), "mean over the years supplied")
        growth = 1 + escalation_pct / 100
        nominal = sum(y.average * y.tons * growth ** (y.year - 1) for y in lived) / sum(y.tons for y in lived)
        ledger.put("life_average_current_dollars", nominal, f"every price grows by {escalation_pct:g} % a year")
    ledger.put("life_radius_km", lived[-1].radius_km if lived else None, grows)
    reach = lived[-1].radius_km if lived else 0.0
    ledger.put(
        "life_coverage", years.in_reach_bdt / (life * demand),
        f"feedstock within {reach:g} km, each cluster once, over {life} years' need",
    )  # fmt: skip
    if out_of_wood:
        ledger.put("exhaustion_year", out_of_wood, "what is left in reach is under one year's demand")
        ledger.caveat("life_not_covered", f"The wood in reach does not last the plant's life of {life} years: the demand is not "
                      f"met from year {out_of_wood} on.")  # fmt: skip
    _table(ledger, years, unloading, escalation_pct)
    if years.repeats and query.burn_loss_pct is not None:
        from csrag.ask.computation.burn_loss import put_burn_loss

        put_burn_loss(ledger, years, query.burn_loss_pct, life, unknown_burn)
    if query.intent == "projection":
        _projection(ledger, query, years, escalation_pct)


def _put_reentered(ledger: Ledger, lived: Sequence[Year]) -> None:
    rows = np.concatenate([y.rows for y in lived]) if lived else np.zeros(0, dtype=np.int64)
    again = len(rows) - len(np.unique(rows))
    ledger.put("reentered_clusters", again, "treated more than once over the plant's life, each further time counted")


def _table(ledger: Ledger, years: Depletion, unloading: float, escalation_pct: float) -> None:
    growth = 1 + escalation_pct / 100
    rows = [
        (y.year, y.radius_km, len(y.rows), y.tons, y.harvest, y.haul, unloading, y.move_in, y.average,
         y.average * growth ** (y.year - 1), y.last_ton, y.acres, y.burn_probability, y.remaining_bdt)
        for y in years.years
    ]  # fmt: skip
    note = f"dollars of year one unless said otherwise; prices grow by {escalation_pct:g} % a year"
    ledger.table("projection", PROJECTION_COLUMNS, rows, note)


def _projection(ledger: Ledger, query: SitingQuery, years: Depletion, escalation_pct: float) -> None:
    asked = years.years[: query.years]
    ledger.put("projection_years", query.years, "as asked")
    if not asked:
        return
    last = asked[-1]
    growth = (1 + escalation_pct / 100) ** (last.year - 1)
    ledger.put("projection_last_cost", last.average, f"year {last.year}, dollars of year one")
    ledger.put("projection_last_current_dollars", last.average * growth, f"year {last.year}, dollars of that year")
    ledger.put("projection_radius_km", last.radius_km, f"year {last.year}")
    ledger.put("projection_radius_miles", km_to_miles(last.radius_km), f"year {last.year}")
    past = next((y.year for y in asked if y.radius_km > FAR_KM), None)
    ledger.put(
        "first_year_past_40_km", past, "first year whose circle is wider than 40 km" if past else "no year of these"
    )
    if years.exhausted_year is not None and years.exhausted_year <= query.years:
        ledger.put("exhaustion_year", years.exhausted_year, "what is left in reach is under one year's demand")


def fuel_prices(years: Depletion, life: int, escalation_pct: float) -> list[float] | None:
    """Delivered cost of each year of the life in dollars of that year [USD per BDT]; None where a year is not supplied.

    Parameters
    ----------
    years : Depletion
        From `run_years`.
    life : int
        [years]
    escalation_pct : float
        [percent a year]
    """
    if len(years.years) < life:
        return None
    growth = 1 + escalation_pct / 100
    return [float(y.average * np.power(growth, y.year - 1)) for y in years.years[:life]]
