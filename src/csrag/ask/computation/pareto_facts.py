"""Values and tables of the trade-off of cost against fire."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from csrag.ask.computation.delivered import Costs, Economics, StandReader, delivered_costs
from csrag.ask.computation.facts import Ledger
from csrag.ask.computation.fire import HORIZON_YEARS, chance_over_years_pct
from csrag.ask.computation.pareto import TradeOff, knee, most_within, step_prices, trade_off
from csrag.ask.computation.rules import has_rules, high_hazard
from csrag.ask.computation.selection import Scales, fire_price_usd_per_bdt_per_pct
from csrag.ask.records import SitingQuery
from csrag.ask.results import Catchment
from csrag.quantities import check
from csrag.surfaces.catalog import UNKNOWN_CODE
from csrag.surfaces.manifest import Manifest

if TYPE_CHECKING:
    from csrag.places.wood_plants import WoodPlant

DEFAULT_EXTRA_COST_PCT = 5.0
"""What less likely savings may cost where the question names no limit [percent]."""
PARETO_COLUMNS = (
    "fire_weight", "average_delivered_cost_usd_per_bdt", "last_ton_usd_per_bdt", "burn_probability", "burn_chance_20_years_pct",
    "burn_probability_ratio", "high_hazard_acres", "weight_price_usd_per_bdt_per_pct", "step_price_usd_per_bdt_per_pct",
    "feedstock_bdt", "on_front",
)  # fmt: skip
POINT_COLUMNS = ("point", *PARETO_COLUMNS[:-2])
_FLAT = 1e-9


def year_one(query: SitingQuery, catchment: Catchment, pool: Catchment, plants: Sequence[WoodPlant], manifest: Manifest,
             econ: Economics, read_stand: StandReader) -> tuple[Catchment, Costs]:  # fmt: skip
    """Year one's candidates with their costs: what other plants take and what lies beyond the longest haul left out.

    Parameters
    ----------
    query : SitingQuery
        What is asked.
    catchment, pool : Catchment
        Year one's circle, and that of the plant's life.
    plants : sequence of WoodPlant
        Other plants whose demand is counted.
    manifest : Manifest
        Codes.
    econ : Economics
        Prices.
    read_stand : callable
        Reads the what-if inputs of given layer rows.
    """
    if query.other_plants != "none":
        from csrag.ask.computation.competition import Takings, left_in_year_one, rivals_in_reach, without_taken

        pool_costs = delivered_costs(pool, query, manifest, econ, read_stand)
        others = Takings(rivals_in_reach(plants, pool, manifest.data_area), pool.frame, pool_costs, econ, manifest)
        catchment = without_taken(catchment, pool, left_in_year_one(others, pool, pool_costs))
    costs = delivered_costs(catchment, query, manifest, econ, read_stand)
    if has_rules(query):
        from csrag.ask.computation.rules_facts import within_haul

        catchment, costs = within_haul(query, catchment, costs, manifest)
    return catchment, costs


def no_trade_off(catchment: Catchment, costs: Costs, scales: Scales) -> str:
    """Why fire cannot be traded here: no burn probability, or the same everywhere; empty where it can.

    Parameters
    ----------
    catchment, costs : Catchment, Costs
        Candidates.
    scales : Scales
        Fixed scales.
    """
    burn = catchment.frame["burn_probability"][np.isfinite(costs.unit)].astype(np.float64)
    known = burn[np.isfinite(burn)]
    if not len(known):
        return "no_burn_probability"
    return "" if scales.fire_known and float(np.ptp(known)) > _FLAT else "flat_burn_probability"


def compute(
    query: SitingQuery, catchment: Catchment, costs: Costs, demand: float, econ: Economics, manifest: Manifest
) -> TradeOff:
    """The trade-off of a question's candidates.

    Parameters
    ----------
    query : SitingQuery
        A cap on the last ton.
    catchment, costs : Catchment, Costs
        From `year_one`.
    demand : float
        [BDT]
    econ : Economics
        Prices.
    manifest : Manifest
        Scales, codes.
    """
    cap = query.max_cost_usd_per_bdt if query.max_cost_kind == "last_ton" else None
    known = bool((catchment.frame["hazard_class"] != UNKNOWN_CODE).any())
    high = high_hazard(catchment.frame, manifest) if known else None
    return trade_off(catchment.frame, costs, demand, Scales.from_manifest(manifest.scales), econ.harvest.ppi, high, cap)


def put_trade_off(ledger: Ledger, query: SitingQuery, points: TradeOff, scales: Scales) -> None:
    """Record the trade-off: the table of all weights, the named points and what steps along the front cost.

    Parameters
    ----------
    ledger : Ledger
        Receives values and the tables `pareto` and `pareto_points`.
    query : SitingQuery
        What fire may cost.
    points : TradeOff
        From `compute`.
    scales : Scales
        Fixed scales.
    """
    asked = query.max_extra_cost_pct
    extra = DEFAULT_EXTRA_COST_PCT if asked is None else check("max_extra_cost_pct", asked)
    steps, front = step_prices(points), points.front
    rows = [_row(points, i, scales, steps) for i in range(len(points.weights))]
    note = (
        "on_front: no other supply of the table is both no dearer and from stands no less likely to burn, and better in one; acres of "
        "high hazard are reported and decide nothing"
    )
    ledger.table("pareto", PARETO_COLUMNS, rows, note)
    ledger.put("pareto_weights", len(points.weights), "from cost alone to fire alone, evenly")
    ledger.put("pareto_supplies", int(points.supply.max()) + 1, "neighbouring weights often take the same clusters")
    ledger.put(
        "front_supplies", len(front), "in average delivered cost and burn probability; hazard acres decide nothing"
    )
    ledger.put("max_extra_cost_pct", extra, "as asked" if asked is not None else "default")
    ledger.put("fire_horizon_years", HORIZON_YEARS, "a plant's usual life")
    ledger.put("cost_only_average_delivered_cost", float(points.average[0]), "fire weight zero")
    ledger.put("cost_only_burn_probability", float(points.burn_probability[0]), "weighted by tons over the known")
    ledger.put(
        "cost_only_burn_chance_20_years_pct", chance_over_years_pct(float(points.burn_probability[0])), "1 - (1 - p)^20"
    )
    acres = float(points.high_hazard_acres[0])
    ledger.put("cost_only_high_hazard_acres", _known(acres), "fire weight zero" if math.isfinite(acres) else _NO_HAZARD)
    bend = knee(points)
    named = {"cost only": 0, "within": most_within(points, extra), "knee": bend, "most_fire": int(front[-1])}
    for name, at in named.items():
        if name != "cost only" and at is not None:
            _put_point(ledger, points, name, at, scales, steps)
    if bend is None:
        ledger.caveat(
            "no_knee", "The trade-off has no knee: it does not bend above the straight line between its ends."
        )
    words = {
        "within": f"at most {extra:g} % dearer",
        "most_fire": "fire alone" if front[-1] == len(points.weights) - 1 else "dear end",
    }
    table = [(words.get(name, name), *rows[at][:-2]) for name, at in named.items() if at is not None]
    note = "the knee lies farthest above the straight line between the front's ends, both axes scaled to them"
    ledger.table("pareto_points", POINT_COLUMNS, table, note)
    if len(front) > 1:
        ledger.put(
            "front_first_step_price", float(steps[front[1]]), "cost over percentage points, first step of the front"
        )
        ledger.put(
            "front_last_step_price", float(steps[front[-1]]), "cost over percentage points, last step of the front"
        )


_NO_HAZARD = "the layer set knows no hazard class here"


def _known(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _row(points: TradeOff, i: int, scales: Scales, steps: Any) -> tuple[Any, ...]:
    burn, first = float(points.burn_probability[i]), float(points.burn_probability[0])
    chance = chance_over_years_pct(burn) if math.isfinite(burn) else None
    return (
        float(points.weights[i]), float(points.average[i]), float(points.last_ton[i]), _known(burn), chance,
        burn / first if math.isfinite(burn) and first > 0 else None, _known(float(points.high_hazard_acres[i])),
        fire_price_usd_per_bdt_per_pct(float(points.weights[i]), scales), _known(float(steps[i])), float(points.tons[i]),
        bool(points.on_front[i]),
    )  # fmt: skip


def _put_point(ledger: Ledger, points: TradeOff, name: str, at: int, scales: Scales, steps: Any) -> None:
    average, first = float(points.average[at]), float(points.average[0])
    row = _row(points, at, scales, steps)
    weight, _, last, burn, chance, ratio, acres, price, step, _, _ = row
    same = np.flatnonzero(points.supply == points.supply[at])
    span = (
        f"; the same supply at weights {points.weights[same[0]]:g} to {points.weights[same[-1]]:g}"
        if len(same) > 1
        else ""
    )
    ledger.put(f"{name}_fire_weight_pct", weight * 100, f"least weight that takes this supply{span}")
    ledger.put(f"{name}_average_delivered_cost", average, "harvest + haul + unloading + move-in")
    ledger.put(f"{name}_extra_cost", average - first, "over the cost-only supply")
    ledger.put(f"{name}_extra_cost_pct", (average / first - 1) * 100, "over the cost-only supply")
    ledger.put(f"{name}_last_ton_cost", last, "dearest cluster taken, move-in included")
    why = "no burn probability is known for the clusters taken"
    ledger.put(f"{name}_burn_probability", burn, "weighted by tons over the known" if burn is not None else why)
    ledger.put(f"{name}_burn_chance_20_years_pct", chance, "1 - (1 - p)^20" if chance is not None else why)
    ledger.put(f"{name}_burn_probability_ratio", ratio, "over the cost-only supply's" if ratio is not None else why)
    ledger.put(f"{name}_high_hazard_acres", acres, "whole clusters" if acres is not None else _NO_HAZARD)
    ledger.put(f"{name}_weight_price_usd_per_bdt_per_pct", price, "w/(1-w) x cost scale / burn scale" if price is not None else
               "the weight is all on fire")  # fmt: skip
    ledger.put(f"{name}_step_price_usd_per_bdt_per_pct", step, "from the point of the front before it" if step is not None else
               "first point of the front, or not on it")  # fmt: skip
