"""What an answer says of harvest costs that a surrogate predicted instead of the simulator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from csrag.ask.computation.choose import Selection
from csrag.ask.computation.delivered import Costs, Economics, simulator_at_hand, simulator_of
from csrag.ask.computation.facts import Ledger
from csrag.ask.records import SitingQuery
from csrag.surfaces.catalog import SYSTEMS
from csrag.surfaces.manifest import Manifest

USUAL_LEVEL_PCT = 90.0
"""Level of an interval that does not say its own [percent]."""
MOST_OUT_OF_RANGE_PCT = 5.0
"""Share of records beyond the training ranges above which the interval's level is not taken as it stands [percent] (assumed)."""
_IDS = ("surrogate_level_pct", "surrogate_interval_pct", "average_harvest_cost_low", "average_harvest_cost_high")


def is_surrogate(manifest: Manifest) -> bool:
    """Whether the set's harvest costs were predicted by a surrogate."""
    return bool(manifest.cost_method) and (manifest.cost_method or {}).get("method") == "surrogate"


def cost_source(manifest: Manifest, query: SitingQuery, econ: Economics) -> str:
    """Where the harvest costs of an answer come from, in words."""
    if query.selection == "proximity":
        return "FRCS fed FRREDSS's way (mapping fixed)"
    if econ.recomputed:
        return "FRCS at your prices"
    if query.feedstock == "whole_tree":
        return "FRCS on the whole tree"
    simulator = simulator_of(manifest)
    return (
        f"a surrogate of {simulator}, from the cost layer"
        if is_surrogate(manifest)
        else f"{simulator}, from the cost layer"
    )


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
    if not (econ.recomputed or query.feedstock == "whole_tree"):
        _put_training(ledger, manifest)
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
    outside = _outside_words(told)
    half = _half_width_usd_per_bdt(told, costs, taken)
    level = float(told.get("interval_level_pct") or USUAL_LEVEL_PCT)
    simulator = simulator_of(manifest)
    which = f"a surrogate of {simulator}" + (f" (model {told['model']})" if told.get("model") else "")
    if half is None:
        for value_id in _IDS:
            ledger.put(value_id, None, "the layer set gives no interval for the harvesting systems taken")
        ledger.caveat(
            "surrogate_costs",
            f"Harvest costs come from {which}, whose interval is not known for the harvesting systems taken"
            + (
                "; ask with any price of your own to have them computed by FRCS itself"
                if simulator_at_hand(manifest)
                else ""
            )
            + f". {outside}",
        )
        return
    harvest = float(ledger.facts["average_harvest_cost"].value or 0.0)
    pct = half / harvest * 100 if harvest else 0.0
    basis = (
        f"{level:g} % conformal interval by harvesting system, taken as common to all clusters: weighted by tons, not averaged "
        "away"
    )
    ledger.put(
        "surrogate_level_pct",
        level,
        "share of harvest costs that lie inside the interval, held out from training"
        + ("; not measured for the records beyond the training ranges" if interval_qualified(told) else ""),
    )
    ledger.put("surrogate_interval_pct", pct, f"half width; {basis}")
    ledger.put("average_harvest_cost_low", max(harvest - half, 0.0), basis)
    ledger.put("average_harvest_cost_high", harvest + half, basis)
    ledger.caveat(
        "surrogate_costs",
        f"Harvest costs come from {which}, not from {simulator} itself: the average lies between "
        f"{max(harvest - half, 0.0):.2f} and {harvest + half:.2f} USD per BDT "
        + (
            f"({level:g} % interval). {outside}"
            if not interval_qualified(told)
            else f"(what was a {level:g} % interval on records like those it was trained on; here it may hold fewer). {outside}"
        ),
    )


def out_of_range_pct(told: Mapping[str, Any]) -> float | None:
    """Share of the layer set's records beyond the ranges that a surrogate was trained on [percent]; None where not counted."""
    counted = told.get("out_of_range") or {}
    if not counted.get("of"):
        return None
    return 100 * float(counted["records"]) / float(counted["of"])


def interval_qualified(told: Mapping[str, Any]) -> bool:
    """Whether too many records lie beyond the training ranges for the interval to be given with its level as it stands."""
    share = out_of_range_pct(told)
    return share is not None and share > MOST_OUT_OF_RANGE_PCT


def _holdout(told: Mapping[str, Any]) -> str:
    """How the errors were measured: spatial, random or unknown; sets of before say it only in their basis."""
    said = told.get("holdout")
    if said in {"spatial", "random"}:
        return str(said)
    basis = str(told.get("basis") or "")
    return "spatial" if "other blocks of country" in basis else "random" if "dealt at random" in basis else "unknown"


_HOLDOUT_WORDS = {
    "spatial": "Its errors were measured on blocks of country kept out of training (spatial hold-out).",
    "random": "Its errors were measured on records dealt at random, so in new country they may be larger (random hold-out).",
    "unknown": "The layer set does not say on what its errors were measured.",
}


def _put_training(ledger: Ledger, manifest: Manifest) -> None:
    """Whom the surrogate imitates, and how much of the layer set lies beyond what it learned."""
    told = manifest.cost_method or {}
    ledger.put("harvest_simulator", simulator_of(manifest), "the layer set's manifest")
    share = out_of_range_pct(told)
    counted = told.get("out_of_range") or {}
    ledger.put(
        "surrogate_out_of_range_pct", share,
        "the layer set does not count them" if share is None
        else f"{counted['records']:,} of {counted['of']:,} records of the whole layer set, every treatment",
    )  # fmt: skip


def _outside_words(told: Mapping[str, Any]) -> str:
    """Extrapolation and hold-out, in sentences."""
    share, counted = out_of_range_pct(told), told.get("out_of_range") or {}
    if share is None:
        outside = "How many of the layer set's records lie outside what it was trained on is not known."
    elif not counted["records"]:
        outside = "None of the layer set's records lie outside what it was trained on."
    else:
        outside = (
            f"{counted['records']:,} of the layer set's {counted['of']:,} records ({share:.1f} %) lie outside what it was "
            "trained on, where its errors have not been measured."
        )
    return f"{outside} {_HOLDOUT_WORDS[_holdout(told)]}"


def put_unworkable(ledger: Ledger, costs: Costs) -> None:
    """Say how many candidates of the layer set have no cost once it is computed anew; nothing where all have one."""
    if costs.unworkable:
        ledger.caveat(
            "no_cost_anew",
            f"{costs.unworkable:,} of {len(costs.unit):,} clusters that the layer set has a cost for have none once it is computed by "
            "FRCS, which finds that no allowed system can work them; they are left out.",
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
