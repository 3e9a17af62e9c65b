"""The answer to "what does fuel cost at this site": every value, table and caveat of one site and one year."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from csrag.ask.computation import caveats
from csrag.ask.computation.choose import Selection, select
from csrag.ask.computation.delivered import Costs, Economics, StandReader, delivered_costs, economics, mapping_of
from csrag.ask.computation.demand import capacity_mw_for
from csrag.ask.computation.depletion import Depletion, Year
from csrag.ask.computation.electricity import plant_of, put_electricity
from csrag.ask.computation.emissions import FuelUse, fuel_use, intensities_by_year, put_emissions
from csrag.ask.computation.facts import NO_SUPPLY, SITE_VALUES, Ledger
from csrag.ask.computation.fire import put_fire
from csrag.ask.computation.life import put_life, run_years
from csrag.ask.computation.max_capacity import largest_plant
from csrag.ask.computation.need import Need, need_of, plant_capacity_mw
from csrag.ask.computation.neighbours import put_neighbours
from csrag.ask.computation.rules import Shares, has_rules
from csrag.ask.computation.selection import Scales
from csrag.ask.computation.site_facts import put_costs, put_need, put_obtainable, put_supply, put_treatment
from csrag.ask.computation.tables import put_tables
from csrag.ask.computation.transport_facts import about_life_transport, put_transport
from csrag.ask.computation.uncertainty_facts import put_intervals
from csrag.ask.computation.viability import put_viability
from csrag.ask.records import SitingQuery
from csrag.ask.results import Analysis, Catchment
from csrag.quantities import check
from csrag.simulators.harvest import TreatmentCost, treatment_cost
from csrag.surfaces.catalog import CLEAR_CUT
from csrag.surfaces.manifest import Manifest

if TYPE_CHECKING:
    from csrag.ask.computation.competition import Takings
    from csrag.places.wood_plants import WoodPlant


def analyse_site(query: SitingQuery, catchment: Catchment, manifest: Manifest, read_stand: StandReader,
                 pool: Catchment | None = None, radius_needed_km: int | None = None,
                 plants: Sequence[WoodPlant] = ()) -> Analysis:  # fmt: skip
    """Stage 3 for one site.

    Parameters
    ----------
    query : SitingQuery
        What is asked.
    catchment : Catchment
        Candidates of one circle.
    manifest : Manifest
        Economics, scales, codes.
    read_stand : callable
        Reads the what-if inputs of given layer rows.
    pool : Catchment, optional
        Candidates out to where the plant's life can reach; the catchment itself where left out.
    radius_needed_km : int, optional
        Where the circle does not hold the demand: the smallest one that does [km].
    plants : sequence of WoodPlant
        Other plants, where the question counts their demand: they choose first, in year one too.

    Returns
    -------
    Analysis
        With status answered, partial (an average cap exceeded) or refused (demand not met).
    """
    need = need_of(query)
    econ = economics(manifest, query.overrides)
    ledger, others = Ledger(), None
    pool = catchment if pool is None else pool
    if query.other_plants != "none":
        pool_costs = delivered_costs(pool, query, manifest, econ, read_stand)
        from csrag.ask.computation.competition import (
            Takings,
            left_in_year_one,
            put_competition,
            rivals_in_reach,
            without_taken,
        )

        others = Takings(rivals_in_reach(plants, pool, manifest.data_area), pool.frame, pool_costs, econ, manifest)
        catchment = without_taken(catchment, pool, left_in_year_one(others, pool, pool_costs))
        put_competition(ledger, others, query.other_plants)
    costs = delivered_costs(catchment, query, manifest, econ, read_stand)
    scales = Scales.from_manifest(manifest.scales)
    if query.selection == "proximity":
        from csrag.ask.computation.reference import in_rings

        catchment, costs = in_rings(catchment, costs, query.expansion_factor * need.demand_bdt)
    elif query.seed_compatible:
        from csrag.ask.computation.seed_compatible import candidate_scales

        scales = candidate_scales(costs.unit, catchment.frame["burn_probability"].astype(np.float64))
    if has_rules(query):
        from csrag.ask.computation.rules_facts import within_haul

        catchment, costs = within_haul(query, catchment, costs, manifest)
    put_need(ledger, query, need, econ)
    put_supply(ledger, catchment, costs, need)
    caveats.about_data(ledger, manifest, catchment, query, need.capacity_mw)
    assert costs.transport is not None
    put_transport(ledger, manifest, costs.transport, catchment.radius_km, econ)
    cap = query.max_cost_usd_per_bdt
    if cap is not None:
        ledger.put("max_cost_usd_per_bdt", check("max_cost_usd_per_bdt", cap), f"your cap on the {query.max_cost_kind}")
    last_ton_cap = cap if query.max_cost_kind == "last_ton" else None
    ppi = econ.harvest.ppi
    taken = select(catchment.frame, costs, need.demand_bdt, query.fire_weight, scales, ppi, last_ton_cap)
    if not taken.met:
        return _refused(ledger, query, catchment, costs, need, taken, last_ton_cap, radius_needed_km, manifest)
    baseline = taken
    if query.fire_weight > 0:
        baseline = select(catchment.frame, costs, need.demand_bdt, 0.0, scales, ppi, last_ton_cap)
    put_costs(ledger, query, catchment, costs, taken, econ, manifest)
    harvested = put_treatment(ledger, query, catchment, costs, taken, econ, manifest, read_stand)
    put_fire(ledger, query, catchment, costs, taken, baseline, scales, manifest)
    if has_rules(query):
        from csrag.ask.computation.rules_facts import put_rules

        def again(shares: Shares | None) -> Selection:
            other = replace(costs, shares=shares)
            return select(catchment.frame, other, need.demand_bdt, query.fire_weight, scales, ppi, last_ton_cap)

        put_rules(ledger, query, catchment, costs, taken, again)
    put_tables(ledger, catchment, costs, taken, need.demand_bdt, econ.moisture_pct, manifest)
    caveats.about_selection(ledger, query, catchment, taken, manifest)
    caveats.about_price(ledger, query)
    if query.other_plants == "none":
        put_neighbours(ledger, catchment, manifest)
    _put_years(
        ledger, query, catchment, costs, taken, need, econ, scales, manifest, read_stand, pool, harvested, others
    )
    ledger.fill_missing(SITE_VALUES, NO_SUPPLY)
    status, reason = "answered", ""
    average = ledger.facts["average_delivered_cost"].value
    if cap is not None and query.max_cost_kind == "average" and float(average or 0) > cap:
        status, reason = "partial", "cap_exceeded"
        fits = largest_plant(query, catchment, manifest, read_stand)
        put_obtainable(
            ledger, fits.bdt, fits.capacity_mw, "whole clusters in order, while the average stays under the cap"
        )
    if query.budget_usd_per_year is not None:
        budget, bill = check("budget_usd_per_year", query.budget_usd_per_year), float(average or 0) * taken.tons
        ledger.put("budget_usd_per_year", budget, "as asked")
        ledger.put("fuel_bill_usd_per_year", bill, "average delivered cost times the tons taken")
        if bill > budget and status == "answered":
            status, reason = "partial", "budget_exceeded"
            fits = largest_plant(query, catchment, manifest, read_stand)
            put_obtainable(
                ledger, fits.bdt, fits.capacity_mw, "whole clusters in order, while the bill stays within the budget"
            )
    return Analysis(
        status, reason, ledger.facts, ledger.tables, ledger.caveats,
        tuple(int(c) for c in catchment.frame["cluster_no"][taken.rows]),
    )  # fmt: skip


def _put_years(
    ledger: Ledger,
    query: SitingQuery,
    catchment: Catchment,
    costs: Costs,
    taken: Selection,
    need: Need,
    econ: Economics,
    scales: Scales,
    manifest: Manifest,
    read_stand: StandReader,
    pool: Catchment,
    harvested: TreatmentCost,
    others: Takings | None,
) -> None:
    """The plant's life, the electricity that it makes, what its sale brings, and what all of it emits."""
    pool_costs = costs if pool is catchment else delivered_costs(pool, query, manifest, econ, read_stand)
    capacity = plant_capacity_mw(need)
    inflation = plant_of(query, capacity).inputs.general_inflation_pct
    years = years_of(query, catchment.radius_km, pool, pool_costs, taken, need, econ, scales, others)
    unknown_burn = int((~np.isfinite(pool.frame["burn_probability"])).sum()) if query.burn_loss_pct is not None else 0
    put_life(ledger, query, years, costs.unloading, need.demand_bdt, inflation, unknown_burn)
    result = put_electricity(ledger, query, capacity, years, need.demand_bdt)
    put_viability(ledger, query, capacity, years, result, need.demand_bdt)
    put_intervals(
        ledger, query, catchment, costs, taken, pool, pool_costs, years, econ, manifest, capacity, need.demand_bdt
    )
    whole_tree = query.feedstock == "whole_tree"
    fuel = fuel_use(harvested, costs.tons[taken.rows], costs.road_km[taken.rows], econ, whole_tree=whole_tree)
    inputs = plant_of(query, capacity).inputs if result is None else result.tea.plant
    life = inputs.economic_life_y
    asked = query.emissions or query.include_lcfs
    put_emissions(ledger, query.technology, fuel, need.generation_mwh, inputs.capital_usd, life, asked=asked)
    if query.include_lcfs and years.years:
        fuels = _fuel_by_year(query, pool, pool_costs, years.years[:life], econ, manifest, read_stand)
        intensities = intensities_by_year(query.technology, fuels, need.generation_mwh, inputs.capital_usd)
        from csrag.ask.computation.fuel_credit import put_credit

        put_credit(ledger, inputs, intensities, need.generation_mwh, result)
    caveats.about_life(ledger, manifest, catchment.site, catchment.radius_km)
    if years.years and pool_costs.transport is not None:
        mode, reached_km = pool_costs.transport.mode, years.years[-1].radius_km
        about_life_transport(ledger, manifest, mode, catchment.radius_km, reached_km)


def years_of(query: SitingQuery, first_radius_km: float, pool: Catchment, pool_costs: Costs, taken: Selection, need: Need,
             econ: Economics, scales: Scales, others: Takings | None = None) -> Depletion:  # fmt: skip
    """The years of the plant's life, or of the projection where that is longer.

    Parameters
    ----------
    query : SitingQuery
        Cap, years, fire weight.
    first_radius_km : float
        Circle of year one [km].
    pool, pool_costs : Catchment, Costs
        Candidates out to where the life can reach.
    taken : Selection
        Year one's, for the move-in that a cap on the last ton has to leave room for.
    need : Need
        Demand.
    econ : Economics
        Prices.
    scales : Scales
        Fixed scales of the score.
    others : Takings, optional
        What other plants cut first.
    """
    cap = query.max_cost_usd_per_bdt if query.max_cost_kind == "last_ton" else None
    cap = None if cap is None else cap - taken.move_in
    return run_years(query, pool, pool_costs, scales, econ, need.demand_bdt, first_radius_km, cap, others)


def _fuel_by_year(query: SitingQuery, pool: Catchment, costs: Costs, years: Sequence[Year], econ: Economics,
                  manifest: Manifest, read_stand: StandReader) -> list[FuelUse]:  # fmt: skip
    """Fuel of each year's supply: FRCS on the clusters of every year."""
    out = []
    for year in years:
        harvested = treatment_cost(
            read_stand(pool.frame["row"][year.rows]), costs.system_index[year.rows], econ.harvest,
            clear_cut=query.treatment == CLEAR_CUT, mapping=mapping_of(query, manifest),
        )  # fmt: skip
        whole_tree = query.feedstock == "whole_tree"
        out.append(fuel_use(harvested, costs.tons[year.rows], costs.road_km[year.rows], econ, whole_tree=whole_tree))
    return out


def _refused(ledger: Ledger, query: SitingQuery, catchment: Catchment, costs: Costs, need: Need, taken: Selection,
             last_ton_cap: float | None, radius_needed_km: int | None, manifest: Manifest) -> Analysis:  # fmt: skip
    """Demand not met: say what is there, what it supports and which limit binds."""
    if last_ton_cap is not None and float(costs.tons.sum()) >= need.demand_bdt:
        reason, basis = "cap_not_met", "all candidates under the cap on the last ton"
    else:
        reason, basis = "demand_not_met", "all candidates in the circle"
    if has_rules(query):
        from csrag.ask.computation.rules_facts import put_rules_not_met

        if put_rules_not_met(ledger, query, catchment, costs, last_ton_cap):
            reason, basis, radius_needed_km = "rules_not_met", "what the rules on the supply allow", None
    put_obtainable(ledger, taken.tons, capacity_mw_for(taken.tons, need.plant), basis)
    average = taken.mean(costs.unit, costs)
    if average is not None:
        ledger.put("obtainable_average_cost", average + taken.move_in, "taking all of it")
    else:
        ledger.put("obtainable_average_cost", None, "there is nothing to take")
    ledger.put("radius_needed_km", radius_needed_km, "smallest whole radius that holds one year's demand under the same "
               "filters" if radius_needed_km else "no circle up to 200 km holds the demand, or another limit binds")  # fmt: skip
    ledger.fill_missing(SITE_VALUES, NO_SUPPLY)
    caveats.about_selection(ledger, query, catchment, taken, manifest)
    return Analysis("refused", reason, ledger.facts, ledger.tables, ledger.caveats)
