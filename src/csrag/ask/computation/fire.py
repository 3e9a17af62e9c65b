"""What the fire weight does: burn probability of what is taken against the cost-only selection."""

from __future__ import annotations

import numpy as np

from csrag.ask.computation.choose import Selection
from csrag.ask.computation.delivered import Costs
from csrag.ask.computation.facts import Ledger
from csrag.ask.computation.selection import Scales, fire_price_usd_per_bdt_per_pct
from csrag.ask.records import SitingQuery
from csrag.ask.results import Catchment
from csrag.surfaces.catalog import HAZARD_CLASSES, UNKNOWN_CODE
from csrag.surfaces.manifest import Manifest

HORIZON_YEARS = 20
_HIGH = ("high", "very high")


def chance_over_years_pct(annual_probability: float, years: int = HORIZON_YEARS) -> float:
    """Chance of at least one fire in `years` [percent]: 1 - (1 - p)^years, years independent."""
    return (1 - (1 - annual_probability) ** years) * 100


def put_fire(ledger: Ledger, query: SitingQuery, catchment: Catchment, costs: Costs, taken: Selection,
             baseline: Selection, scales: Scales, manifest: Manifest) -> None:  # fmt: skip
    """Record burn probability, its price, and acres by hazard class.

    Parameters
    ----------
    ledger : Ledger
        Receives the values.
    query : SitingQuery
        Fire weight [0 to 1].
    catchment, costs : Catchment, Costs
        Candidates.
    taken, baseline : Selection
        With the weight, and by cost alone.
    scales : Scales
        Fixed scales of the score.
    manifest : Manifest
        Codes.
    """
    burn = catchment.frame["burn_probability"].astype(np.float64)
    of_taken, of_baseline = taken.mean(burn, costs), baseline.mean(burn, costs)
    no_data = "no burn probability is known for the clusters taken"
    known_only = "weighted by tons, clusters with unknown burn probability left out"
    ledger.put("mean_burn_probability", of_taken, known_only if of_taken is not None else no_data)
    ledger.put("baseline_burn_probability", of_baseline, known_only if of_baseline is not None else no_data)
    tons = costs.tons[taken.rows]
    unknown = float(tons[~np.isfinite(burn[taken.rows])].sum()) / taken.tons * 100
    ledger.put("unknown_burn_probability_pct", unknown, "counted apart, never taken as zero")
    price = fire_price_usd_per_bdt_per_pct(query.fire_weight, scales)
    why_none = "the weight is all on fire" if scales.fire_known else "the layer set has no burn probability"
    ledger.put(
        "fire_price_usd_per_bdt_per_pct", price, "w/(1-w) x cost scale / burn scale" if price is not None else why_none
    )
    ledger.put("fire_horizon_years", HORIZON_YEARS, "a plant's usual life")
    if of_taken is not None:
        ledger.put("burn_chance_20_years_pct", chance_over_years_pct(of_taken), "1 - (1 - p)^20")
    if of_baseline is not None:
        ledger.put("baseline_burn_chance_20_years_pct", chance_over_years_pct(of_baseline), "1 - (1 - p)^20")
    if of_taken is not None and of_baseline:
        ledger.put("burn_probability_ratio", of_taken / of_baseline, "what is taken over the cost-only selection")
    cost_only = baseline.mean(costs.unit, costs)
    mine = taken.mean(costs.unit, costs)
    if cost_only is not None and mine is not None:
        cost_only += baseline.move_in
        ledger.put("cost_only_average_delivered_cost", cost_only, "same circle and prices, fire weight zero")
        ledger.put(
            "fire_extra_cost", mine + taken.move_in - cost_only, "average over the cost-only selection's average"
        )
    _put_hazard(ledger, catchment, taken, manifest)


def _put_hazard(ledger: Ledger, catchment: Catchment, taken: Selection, manifest: Manifest) -> None:
    names = manifest.codes.get("hazard_class", HAZARD_CLASSES)
    code = catchment.frame["hazard_class"][taken.rows]
    acres = catchment.frame["area_acres"][taken.rows].astype(np.float64)
    rows = [(name, float(acres[code == i].sum())) for i, name in enumerate(names)]
    unknown = float(acres[code == UNKNOWN_CODE].sum())
    if unknown:
        rows.append(("unknown", unknown))
    column = "synthetic_hazard_class" if manifest.synthetic else "hazard_class"
    ledger.table("hazard", (column, "acres"), [r for r in rows if r[1] > 0])
    if unknown < acres.sum():
        high = sum(a for name, a in rows if name in _HIGH)
        kind = "synthetic" if manifest.synthetic else "mapped"
        ledger.put(
            "high_hazard_acres", high, f"{kind} hazard class", f"acres in the high and very high {kind} hazard class"
        )
    else:
        ledger.put("high_hazard_acres", None, "the layer set knows no hazard class here")
