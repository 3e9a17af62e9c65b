"""What an answer says of harvest costs that a surrogate predicted instead of the simulator."""

from __future__ import annotations

from typing import Any

import numpy as np

from csrag.ask.computation.choose import Selection
from csrag.ask.computation.delivered import Costs, Economics
from csrag.ask.computation.facts import Ledger
from csrag.ask.records import SitingQuery
from csrag.surfaces.catalog import SYSTEMS
from csrag.surfaces.manifest import Manifest

USUAL_LEVEL_PCT = 90.0
"""Level of an interval that does not say its own [percent]."""
_IDS = ("surrogate_level_pct", "surrogate_interval_pct", "average_harvest_cost_low", "average_harvest_cost_high")


def is_surrogate(manifest: Manifest) -> bool:
    """Whether the set's harvest costs were predicted by a surrogate."""
    return bool(manifest.cost_method) and (manifest.cost_method or {}).get("method") == "surrogate"


def cost_source(manifest: Manifest, query: SitingQuery, econ: Economics) -> str:
    """Where the harvest costs of an answer come from, in words."""
    if econ.recomputed:
        return "FRCS at your prices"
    if query.feedstock == "whole_tree":
        return "FRCS on the whole tree"
    return "a surrogate of FRCS, from the cost layer" if is_surrogate(manifest) else "FRCS, from the cost layer"


def put_cost_method(ledger: Ledger, manifest: Manifest, query: SitingQuery, costs: Costs, taken: Selection,
                    econ: Economics) -> None:  # fmt: skip
    """Record the interval of a surrogate's harvest cost; nothing where the simulator itself made the layer.

    Parameters
    ----------
    ledger : Ledger
        Holds the average harvest cost [USD per BDT]; receives the values.
    manifest : Manifest
        `cost_method`.
    query : SitingQuery
        What is burned.
    costs : Costs
        Candidates.
    taken : Selection
        Clusters taken.
    econ : Economics
        Whether costs were recomputed through the simulator.

    Notes
    -----
    The error is taken as common to all clusters of a plant: half widths add up over the tons and are never averaged away.
    """
    if not is_surrogate(manifest):
        return
    told = manifest.cost_method or {}
    if econ.recomputed or query.feedstock == "whole_tree":
        for value_id in _IDS:
            ledger.put(value_id, None, "harvest costs of this answer were computed by the simulator itself")
        # A rule of the simulator's own decides alike; a classifier may not.
        judged = told.get("feasibility") != "rule"
        ledger.caveat(
            "surrogate_costs",
            "The layer set's harvest costs come from a surrogate of the simulator, but this question's were computed by the "
            "simulator itself (FRCS) for the clusters at hand, so they do not carry its error"
            + ("; only which machines can work a stand is still the surrogate's judgement." if judged else "."),
        )
        return
    half = _half_width_usd_per_bdt(told, costs, taken)
    level = float(told.get("interval_level_pct") or USUAL_LEVEL_PCT)
    model = f"model {told['model']}" if told.get("model") else "a surrogate"
    if half is None:
        for value_id in _IDS:
            ledger.put(value_id, None, "the layer set gives no interval for the harvesting systems taken")
        ledger.caveat(
            "surrogate_costs",
            f"Harvest costs come from a surrogate of the simulator ({model}), whose interval is not known for the harvesting "
            "systems taken; ask with any price of your own to have them computed by FRCS itself.",
        )
        return
    harvest = float(ledger.facts["average_harvest_cost"].value or 0.0)
    pct = half / harvest * 100 if harvest else 0.0
    basis = (
        f"{level:g} % conformal interval by harvesting system, taken as common to all clusters: weighted by tons, not averaged "
        "away"
    )
    ledger.put(
        "surrogate_level_pct", level, "share of harvest costs that lie inside the interval, held out from training"
    )
    ledger.put("surrogate_interval_pct", pct, f"half width; {basis}")
    ledger.put("average_harvest_cost_low", max(harvest - half, 0.0), basis)
    ledger.put("average_harvest_cost_high", harvest + half, basis)
    ledger.caveat(
        "surrogate_costs",
        f"Harvest costs come from a surrogate of the simulator ({model}), not from FRCS itself: the average lies between "
        f"{max(harvest - half, 0.0):.2f} and {harvest + half:.2f} USD per BDT ({level:g} % interval).",
    )


def _half_width_usd_per_bdt(told: Any, costs: Costs, taken: Selection) -> float | None:
    """Half width of the average harvest cost [USD per BDT]; None where a system taken has no interval."""
    by_system = told.get("interval_pct") or {}
    pct = np.array([_number(by_system.get(name)) for name in SYSTEMS])
    of_cluster = pct[costs.system_index[taken.rows]]
    if not np.isfinite(of_cluster).all() or not len(of_cluster):
        return None
    weight = costs.tons[taken.rows]
    return float((costs.harvest[taken.rows] * of_cluster / 100 * weight).sum() / weight.sum())


def _number(value: Any) -> float:
    return float("nan") if value is None else float(value)
