"""The answer to "what does fuel cost at this site": every value, table and caveat of one site and one year."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from csrag.ask.computation import caveats
from csrag.ask.computation.choose import Selection, affordable_bdt, select
from csrag.ask.computation.delivered import Costs, Economics, StandReader, delivered_costs, economics
from csrag.ask.computation.demand import (
    WORKING_DAYS,
    PlantPerformance,
    capacity_mw_for,
    check_capacity,
    demand_bdt,
    generation_mwh,
    performance,
    truck_loads,
)
from csrag.ask.computation.depletion import Depletion, Year
from csrag.ask.computation.electricity import plant_of, put_electricity
from csrag.ask.computation.emissions import FuelUse, fuel_use, intensities_by_year, put_emissions
from csrag.ask.computation.facts import NO_SUPPLY, SITE_VALUES, Ledger
from csrag.ask.computation.fire import put_fire
from csrag.ask.computation.life import put_life, run_years
from csrag.ask.computation.selection import Scales
from csrag.ask.computation.tables import put_tables
from csrag.ask.computation.viability import put_viability
from csrag.ask.records import DEFAULT_CAPACITY_MW, SitingQuery
from csrag.ask.results import Analysis, Catchment
from csrag.quantities import bdt_to_bdmt, bdt_to_gt, check, km_to_miles, usd_per_bdt_to_usd_per_gt
from csrag.simulators.harvest import TreatmentCost, treatment_cost
from csrag.surfaces.catalog import CLEAR_CUT
from csrag.surfaces.manifest import Manifest

if TYPE_CHECKING:
    from csrag.ask.computation.competition import Takings
    from csrag.places.wood_plants import WoodPlant


@dataclass(frozen=True)
class Need:
    """What the plant needs in a year.

    Parameters
    ----------
    capacity_mw : float or None
        [MW]; None where the question names tons.
    demand_bdt : float
        [BDT per year]
    generation_mwh : float
        [MWh per year]
    plant : PlantPerformance
        Conversion figures.
    basis : str
        How the demand came about.
    """

    capacity_mw: float | None
    demand_bdt: float
    generation_mwh: float
    plant: PlantPerformance
    basis: str


def need_of(query: SitingQuery) -> Need:
    """Demand of a question: its tons, or those of its capacity, or those of the default 25 MW.

    Raises
    ------
    InvalidValueError
        For a capacity or demand out of range.
    """
    plant = performance(query.technology, query.overrides)
    if query.demand_bdt is not None and query.capacity_mw is None:
        demand = check("demand_bdt", query.demand_bdt)
        return Need(None, demand, generation_mwh(capacity_mw_for(demand, plant), plant), plant, "the demand as asked")
    low_high = query.capacity_range_mw
    middle = sum(low_high) / 2 if low_high else DEFAULT_CAPACITY_MW
    capacity = check_capacity(query.capacity_mw if query.capacity_mw is not None else middle)
    return Need(
        capacity, demand_bdt(capacity, plant), generation_mwh(capacity, plant), plant,
        f"{capacity:g} MW x 8760 h x {plant.capacity_factor_pct:g} % at {plant.efficiency_pct:g} % efficiency on "
        "18.608 GJ per dry tonne (HHV)",
    )  # fmt: skip


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

        others = Takings(rivals_in_reach(plants, pool, manifest.data_area), pool.frame, pool_costs, econ)
        catchment = without_taken(catchment, pool, left_in_year_one(others, pool, pool_costs))
        put_competition(ledger, others, query.other_plants)
    costs = delivered_costs(catchment, query, manifest, econ, read_stand)
    scales = Scales.from_manifest(manifest.scales)
    _put_need(ledger, query, need, econ)
    _put_supply(ledger, catchment, costs, need)
    caveats.about_data(ledger, manifest, catchment, query, need.capacity_mw)
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
    _put_costs(ledger, catchment, costs, taken, econ)
    harvested = _put_treatment(ledger, query, catchment, costs, taken, econ, manifest, read_stand)
    put_fire(ledger, query, catchment, costs, taken, baseline, scales, manifest)
    put_tables(ledger, catchment, costs, taken, need.demand_bdt, econ.moisture_pct, manifest)
    caveats.about_selection(ledger, query, catchment, costs, taken, manifest)
    _put_years(
        ledger, query, catchment, costs, taken, need, econ, scales, manifest, read_stand, pool, harvested, others
    )
    ledger.fill_missing(SITE_VALUES, NO_SUPPLY)
    status, reason = "answered", ""
    average = ledger.facts["average_delivered_cost"].value
    if cap is not None and query.max_cost_kind == "average" and float(average or 0) > cap:
        status, reason = "partial", "cap_exceeded"
        fits = affordable_bdt(costs, catchment.frame["cluster_no"], cap, "average", taken.move_in)
        _put_obtainable(ledger, fits, need, "whole clusters, cheapest first, while the average stays under the cap")
    return Analysis(
        status, reason, ledger.facts, ledger.tables, ledger.caveats,
        tuple(int(c) for c in catchment.frame["cluster_no"][taken.rows]),
    )  # fmt: skip


def _put_need(ledger: Ledger, query: SitingQuery, need: Need, econ: Economics) -> None:
    ledger.put(
        "capacity_mw", need.capacity_mw, "as asked or default" if need.capacity_mw else "the question names tons"
    )
    ledger.put("demand_bdt", need.demand_bdt, need.basis)
    ledger.put(
        "demand_gt", bdt_to_gt(need.demand_bdt, econ.moisture_pct), f"at {econ.moisture_pct:g} % moisture, wet basis"
    )
    ledger.put("demand_bdmt", bdt_to_bdmt(need.demand_bdt), "0.90718474 tonne a short ton")
    ledger.put("generation_mwh", need.generation_mwh, f"{need.plant.capacity_factor_pct:g} % of 8760 h")
    loads = truck_loads(need.demand_bdt, econ.moisture_pct)
    ledger.put("truck_loads", loads, "demand in green tons over 25 GT a load")
    ledger.put("truck_loads_per_day", loads / WORKING_DAYS, f"over {WORKING_DAYS} working days")
    ledger.put("moisture_pct", econ.moisture_pct, "as asked" if "moisture_pct" in query.overrides else "default")
    ledger.put("fire_weight_pct", query.fire_weight * 100, "share of fire in the score; the rest is cost")


def _put_supply(ledger: Ledger, catchment: Catchment, costs: Costs, need: Need) -> None:
    origin = {
        "given": "as asked",
        "automatic": "smallest whole km that holds five years' demand",
        "widest": "automatic, at its limit: five years' demand is not in reach",
    }[catchment.radius_origin]
    ledger.put("radius_km", catchment.radius_km, origin)
    ledger.put("radius_miles", km_to_miles(catchment.radius_km), origin)
    ledger.put("clusters_in_circle", catchment.rows_read, "true circle, great-circle distance")
    ledger.put("candidate_clusters", len(catchment.frame), "after land, slope and feasibility filters")
    available = float(costs.tons.sum())
    ledger.put("feedstock_available_bdt", available, "one treatment of every candidate, its cheapest system")
    ledger.put("supply_ratio", available / need.demand_bdt, "feedstock of all candidates over one year's demand")
    ledger.put("data_edge_share", catchment.edge_share, "4,000 points spread over the circle")
    protected = catchment.excluded_bdt.get("wilderness", 0.0) + catchment.excluded_bdt.get("national park", 0.0)
    ledger.put("protected_excluded_bdt", protected, "wilderness and national parks are never cut")
    rows = [
        (reason, catchment.excluded_clusters[reason], round(tons, 1))
        for reason, tons in catchment.excluded_bdt.items()
        if catchment.excluded_clusters[reason]
    ]
    ledger.table(
        "excluded", ("reason", "clusters", "feedstock_bdt"), rows, "each cluster counts under its first reason"
    )


def _put_costs(ledger: Ledger, catchment: Catchment, costs: Costs, taken: Selection, econ: Economics) -> None:
    weighted = "weighted by tons over the selection"
    harvest = taken.mean(costs.harvest, costs)
    haul = taken.mean(costs.haul, costs)
    assert harvest is not None
    assert haul is not None
    average = taken.average(costs)
    source = "FRCS at your prices" if econ.recomputed else "FRCS, from the cost layer"
    ledger.put("average_harvest_cost", harvest, f"{source}; felling to chips in the truck, {weighted}")
    ledger.put("average_haul_cost", haul, f"round trip, road distance by zone factor, {weighted}")
    ledger.put("unloading_cost", costs.unloading, "a quarter hour of truck and driver a load of 25 GT")
    ledger.put(
        "move_in_cost", taken.move_in, "FRCS move-in, one move per 250 acres and system, shared over the selection"
    )
    ledger.put("average_delivered_cost", average, "harvest + haul + unloading + move-in")
    ledger.put(
        "average_delivered_cost_usd_per_gt", usd_per_bdt_to_usd_per_gt(average, econ.moisture_pct),
        f"the same per green short ton at {econ.moisture_pct:g} % moisture",
    )  # fmt: skip
    ledger.put("harvest_cost_usd_per_gt", usd_per_bdt_to_usd_per_gt(harvest, econ.moisture_pct), "green short ton")
    last = float(costs.unit[taken.rows].max()) + taken.move_in
    ledger.put("last_ton_cost", max(last, average), "dearest cluster taken, move-in included")
    ledger.put("selected_clusters", len(taken.rows), "whole clusters until the demand is met")
    ledger.put("feedstock_selected_bdt", taken.tons, "whole clusters, so a little over the demand")
    ledger.put(
        "treated_acres", float(catchment.frame["area_acres"][taken.rows].astype(np.float64).sum()), "whole clusters"
    )
    road = taken.mean(costs.road_km, costs)
    assert road is not None
    ledger.put("mean_road_km", road, f"one way, {weighted}")
    ledger.put("mean_road_miles", km_to_miles(road), f"one way, {weighted}")
    fallback = float(costs.tons[taken.rows][~costs.circuity_known[taken.rows]].sum()) / taken.tons * 100
    ledger.put("fallback_circuity_pct", fallback, "circuity zone unknown; the median factor stands in")


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
    caveats.about_life(ledger, pool)


def plant_capacity_mw(need: Need) -> float:
    """Capacity of the plant [MW]: as asked, or what the tons asked for keep running."""
    return need.capacity_mw if need.capacity_mw is not None else capacity_mw_for(need.demand_bdt, need.plant)


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
            clear_cut=query.treatment == CLEAR_CUT, mapping=manifest.mapping,
        )  # fmt: skip
        whole_tree = query.feedstock == "whole_tree"
        out.append(fuel_use(harvested, costs.tons[year.rows], costs.road_km[year.rows], econ, whole_tree=whole_tree))
    return out


def _put_treatment(ledger: Ledger, query: SitingQuery, catchment: Catchment, costs: Costs, taken: Selection,
                   econ: Economics, manifest: Manifest, read_stand: StandReader) -> TreatmentCost:  # fmt: skip
    """Saw logs, and what the whole treatment costs an acre: the other side of the joint-cost allocation."""
    dry = catchment.frame["coproduct_bdt"][taken.rows].astype(np.float64)
    if query.feedstock == "whole_tree":
        ledger.put("coproduct_bdt", 0.0, "whole trees are burned")
        ledger.put("coproduct_gt", 0.0, "whole trees are burned")
    else:
        ledger.put("coproduct_bdt", float(np.nansum(dry)), "saw logs of the clusters taken; never burned")
        ledger.put(
            "coproduct_gt", bdt_to_gt(float(np.nansum(dry)), econ.moisture_pct), "saw logs of the clusters taken"
        )
    stand = read_stand(catchment.frame["row"][taken.rows])
    whole = treatment_cost(
        stand, costs.system_index[taken.rows], econ.harvest,
        clear_cut=query.treatment == CLEAR_CUT, mapping=manifest.mapping,
    )  # fmt: skip
    acres = stand["area_acres"].astype(np.float64)
    known = np.isfinite(whole.cost_usd_per_acre)
    per_acre = float((whole.cost_usd_per_acre * acres)[known].sum() / acres[known].sum()) if known.any() else None
    ledger.put(
        "treatment_cost_usd_per_acre", per_acre,
        "FRCS cost of felling, yarding, processing, loading and chipping everything cut, saw logs included"
        if per_acre is not None else "FRCS gives no finite treatment cost for these clusters",
    )  # fmt: skip
    return whole


def _put_obtainable(ledger: Ledger, bdt: float, need: Need, basis: str) -> None:
    ledger.put("obtainable_bdt", bdt, basis)
    ledger.put("largest_capacity_mw", capacity_mw_for(bdt, need.plant), f"from {basis}")


def _refused(ledger: Ledger, query: SitingQuery, catchment: Catchment, costs: Costs, need: Need, taken: Selection,
             last_ton_cap: float | None, radius_needed_km: int | None, manifest: Manifest) -> Analysis:  # fmt: skip
    """Demand not met: say what is there, what it supports and which limit binds."""
    if last_ton_cap is not None and float(costs.tons.sum()) >= need.demand_bdt:
        reason, basis = "cap_not_met", "all candidates under the cap on the last ton"
    else:
        reason, basis = "demand_not_met", "all candidates in the circle"
    _put_obtainable(ledger, taken.tons, need, basis)
    average = taken.mean(costs.unit, costs)
    if average is not None:
        ledger.put("obtainable_average_cost", average + taken.move_in, "taking all of it")
    else:
        ledger.put("obtainable_average_cost", None, "there is nothing to take")
    ledger.put("radius_needed_km", radius_needed_km, "smallest whole radius that holds one year's demand under the same "
               "filters" if radius_needed_km else "no circle up to 200 km holds the demand, or another limit binds")  # fmt: skip
    ledger.fill_missing(SITE_VALUES, NO_SUPPLY)
    caveats.about_selection(ledger, query, catchment, costs, taken, manifest)
    return Analysis("refused", reason, ledger.facts, ledger.tables, ledger.caveats)
