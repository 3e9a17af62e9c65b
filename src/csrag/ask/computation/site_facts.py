"""Values of a site answer: need, supply, cost by component, and the treatment that it comes from."""

from __future__ import annotations

import numpy as np

from csrag.ask.computation.choose import Selection
from csrag.ask.computation.cost_method import cost_source, put_cost_method, put_unworkable
from csrag.ask.computation.delivered import Costs, Economics, StandReader, mapping_of
from csrag.ask.computation.demand import WORKING_DAYS, truck_loads
from csrag.ask.computation.facts import Ledger
from csrag.ask.computation.need import Need
from csrag.ask.computation.transport import MODE_WORDS
from csrag.ask.computation.transport_facts import put_trips
from csrag.ask.records import SitingQuery
from csrag.ask.results import Catchment
from csrag.quantities import bdt_to_bdmt, bdt_to_gt, km_to_miles, usd_per_bdt_to_usd_per_gt
from csrag.simulators.harvest import TreatmentCost, treatment_cost
from csrag.surfaces.catalog import CLEAR_CUT
from csrag.surfaces.manifest import Manifest


def put_need(ledger: Ledger, query: SitingQuery, need: Need, econ: Economics) -> None:
    """Record what the plant needs in a year, in every basis.

    Parameters
    ----------
    ledger : Ledger
        Receives the values.
    query : SitingQuery
        What is asked.
    need : Need
        Demand [BDT per year] and generation [MWh per year].
    econ : Economics
        Moisture [percent].
    """
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


def put_supply(ledger: Ledger, catchment: Catchment, costs: Costs, need: Need) -> None:
    """Record what the circle holds, and what the filters leave out of it.

    Parameters
    ----------
    ledger : Ledger
        Receives the values.
    catchment, costs : Catchment, Costs
        Candidates.
    need : Need
        Demand [BDT per year].
    """
    origin = {
        "given": "as asked",
        "automatic": "smallest whole km that holds five years' demand",
        "widest": "automatic, at its limit: five years' demand is not in reach",
        "rules": "smallest whole km in which the rules on the supply allow five years' demand",
        "haul": "as far as the longest haul reaches: five years' demand is not within it",
        "rings": "rings of a km until the candidates hold the expansion factor times one year's demand",
    }[catchment.radius_origin]
    ledger.put("radius_km", catchment.radius_km, origin)
    ledger.put("radius_miles", km_to_miles(catchment.radius_km), origin)
    ledger.put("clusters_in_circle", catchment.rows_read, "true circle, great-circle distance")
    ledger.put(
        "candidate_clusters", len(catchment.frame) - costs.unworkable, "after land, slope and feasibility filters"
    )
    put_unworkable(ledger, costs)
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


def put_costs(ledger: Ledger, query: SitingQuery, catchment: Catchment, costs: Costs, taken: Selection, econ: Economics,
              manifest: Manifest) -> None:  # fmt: skip
    """Record delivered cost by component and what was taken.

    Parameters
    ----------
    ledger : Ledger
        Receives the values.
    query : SitingQuery
        What is burned.
    catchment, costs : Catchment, Costs
        Candidates.
    taken : Selection
        Clusters taken.
    econ : Economics
        Prices.
    manifest : Manifest
        Where costs and distances come from.
    """
    weighted = "weighted by tons over the selection"
    harvest = taken.mean(costs.harvest, costs)
    haul = taken.mean(costs.haul, costs)
    assert harvest is not None
    assert haul is not None
    average = taken.average(costs)
    assert costs.transport is not None
    source = cost_source(manifest, query, econ)
    ledger.put("average_harvest_cost", harvest, f"{source}; felling to chips in the truck, {weighted}")
    ledger.put(
        "average_haul_cost", haul, f"round trip, road distance by {MODE_WORDS[costs.transport.mode]}, {weighted}"
    )
    paid = ", with the woods workers' benefits" if costs.one_move else ""
    ledger.put("unloading_cost", costs.unloading, f"a quarter hour of truck and driver a load of 25 GT{paid}")
    moves = "residue half, one move a year" if costs.one_move else "one move per 250 acres"
    ledger.put("move_in_cost", taken.move_in, f"FRCS move-in, {moves} and system, shared over the selection")
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
    put_trips(ledger, costs, taken)
    put_cost_method(ledger, manifest, query, costs, taken, econ)


def put_treatment(ledger: Ledger, query: SitingQuery, catchment: Catchment, costs: Costs, taken: Selection,
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
        clear_cut=query.treatment == CLEAR_CUT, mapping=mapping_of(query, manifest),
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


def put_obtainable(ledger: Ledger, bdt: float, capacity_mw: float, basis: str) -> None:
    """Record what can be had and the plant it keeps running.

    Parameters
    ----------
    ledger : Ledger
        Receives the values.
    bdt : float
        What can be had [BDT per year].
    capacity_mw : float
        What it keeps running [MW].
    basis : str
        Where the figure comes from.
    """
    ledger.put("obtainable_bdt", bdt, basis)
    ledger.put("largest_capacity_mw", capacity_mw, f"from {basis}")
