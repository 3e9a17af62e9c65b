"""What the rules on a supply did: which bind, what they cost, and what they allow where they cannot be kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from csrag.ask.computation.choose import Selection
from csrag.ask.computation.delivered import Costs, StandReader, delivered_costs, economics
from csrag.ask.computation.facts import Ledger
from csrag.ask.computation.rules import HIGH_HAZARD, ShareRule, Shares, require_hazard
from csrag.ask.computation.rules_reach import allowed_tons, needed_km
from csrag.ask.records import SitingQuery
from csrag.ask.results import Catchment
from csrag.quantities import km_to_miles
from csrag.surfaces.manifest import Manifest

BEYOND_HAUL = "beyond your longest haul"
"""Why such a cluster is no candidate."""
RULE_COLUMNS = ("rule", "least_pct", "most_pct", "actual_pct", "without_rules_pct", "state")
ALLOWED_COLUMNS = ("rule", "least_pct", "most_pct", "held_bdt", "allowed_without_it_bdt", "binds")
_MISSED = 1e-6

Again = Callable[[Shares | None], Selection]


def within_haul(query: SitingQuery, catchment: Catchment, costs: Costs, manifest: Manifest) -> tuple[Catchment, Costs]:
    """The candidates that the rules on each cluster leave: none beyond the longest haul.

    Parameters
    ----------
    query : SitingQuery
        Rules.
    catchment, costs : Catchment, Costs
        Candidates.
    manifest : Manifest
        Codes.

    Raises
    ------
    DataError
        For a rule on hazard where no hazard class is known.
    """
    require_hazard(query, catchment.frame, manifest)
    beyond = np.isfinite(costs.harvest) & ~np.isfinite(costs.unit)
    if query.max_road_km is None:
        return catchment, costs
    kept = replace(
        catchment, frame=catchment.frame.filter(~beyond), system_index=catchment.system_index[~beyond],
        excluded_bdt={**catchment.excluded_bdt, BEYOND_HAUL: float(costs.tons[beyond].sum())},
        excluded_clusters={**catchment.excluded_clusters, BEYOND_HAUL: int(beyond.sum())},
    )  # fmt: skip
    return kept, costs.subset(~beyond)


def put_rules(
    ledger: Ledger, query: SitingQuery, catchment: Catchment, costs: Costs, taken: Selection, again: Again
) -> None:
    """Record each rule with the share that came out, whether it binds, and what the rules cost together.

    Parameters
    ----------
    ledger : Ledger
        Receives values and the table `rules`.
    query : SitingQuery
        Rules.
    catchment, costs : Catchment, Costs
        Candidates.
    taken : Selection
        Under the rules.
    again : callable
        The selection under other share rules, or none.
    """
    _put_haul(ledger, query, catchment)
    if query.max_road_km is not None and len(taken.rows):
        longest = float(costs.road_km[taken.rows].max())
        ledger.put("longest_haul_km", longest, "dearest way of the clusters taken, one way")
        ledger.put("longest_haul_miles", km_to_miles(longest), "one way")
    shares = costs.shares
    if shares is None:
        return
    free = again(None)
    actual, before = shares.of(taken.rows, costs.tons), shares.of(free.rows, costs.tons)
    cluster = float(costs.tons[taken.rows].max()) / taken.tons * 100
    rows, missed = [], []
    for rule in shares.rules:
        others = shares.without(rule.name)
        other = again(others if others.rules else None)
        state = "slack" if np.array_equal(np.sort(other.rows), np.sort(taken.rows)) else "binding"
        short = max(rule.least - actual[rule.name], actual[rule.name] - rule.most)
        if short > _MISSED:
            state = "within a cluster"
            missed.append((rule, short * 100))
        _put_bounds(ledger, rule)
        how = "share of the tons taken" + (
            "; an unknown hazard class counts as not high" if rule.name == HIGH_HAZARD else ""
        )
        ledger.put(f"{rule.name}_share_pct", actual[rule.name] * 100, how)
        ledger.put(
            f"free_{rule.name}_share_pct", before[rule.name] * 100, "same circle, weight and prices, no rules on shares"
        )
        rows.append(
            (rule.name, rule.least * 100, rule.most * 100, actual[rule.name] * 100, before[rule.name] * 100, state)
        )
    ledger.table("rules", RULE_COLUMNS, rows, "binding: without this rule alone another supply would be taken")
    ledger.put(
        "binding_rules", sum(r[-1] != "slack" for r in rows), "rules without which another supply would be taken"
    )
    average, cheapest = taken.average(costs), free.average(costs)
    ledger.put("free_average_delivered_cost", cheapest, "same circle, weight and prices, no rules on shares")
    ledger.put("rules_extra_cost", average - cheapest, "average over that without rules on shares")
    for rule, short_pct in missed:
        by = f"The share of {group_words(rule.name)} misses its bound by {short_pct:.2g} percentage points"
        whole = f"clusters are taken whole, and one of them is up to {cluster:.2g} % of the supply"
        ledger.caveat("rule_missed_by_a_cluster", f"{by}: {whole}.")
    ledger.caveat("rules_every_year", "The rules on shares hold in year one and in every year of the plant's life.")


def put_rules_not_met(
    ledger: Ledger, query: SitingQuery, catchment: Catchment, costs: Costs, last_ton_cap: float | None
) -> bool:
    """Record what the rules allow where the demand is not met; whether it is they that bind.

    Parameters
    ----------
    ledger : Ledger
        Receives values and the table `rules_allowed`.
    query : SitingQuery
        Rules.
    catchment, costs : Catchment, Costs
        Candidates.
    last_ton_cap : float or None
        No cluster may cost more, move-in left out [USD per BDT].
    """
    _put_haul(ledger, query, catchment)
    demand = float(ledger.facts["demand_bdt"].value or 0.0)
    cap = np.inf if last_ton_cap is None else last_ton_cap
    tons = np.where(np.isfinite(costs.unit) & (costs.unit <= cap), costs.tons, 0.0)
    beyond = catchment.excluded_bdt.get(BEYOND_HAUL, 0.0)
    shares, binding = costs.shares, ""
    most_freed = 0.0
    for rule in shares.rules if shares is not None else ():
        _put_bounds(ledger, rule)
    if shares is not None and float(tons.sum()) >= demand > allowed_tons(tons, shares):
        rows = []
        for rule, mine in zip(shares.rules, shares.member, strict=True):
            others = shares.without(rule.name)
            freed = allowed_tons(tons, others if others.rules else None)
            if freed > most_freed:
                most_freed, binding = freed, rule.name
            rows.append((rule.name, rule.least * 100, rule.most * 100, float(tons[mine].sum()), freed, freed >= demand))
        ledger.table("rules_allowed", ALLOWED_COLUMNS, rows, "what the candidates hold of each group, and what could be had if this "
                     "rule alone were dropped")  # fmt: skip
    elif beyond and float(tons.sum()) + beyond >= demand:
        most_freed, binding = float(tons.sum()) + beyond, "longest_haul"
    if not binding:
        return False
    ledger.put("binding_rule", group_words(binding), "the rule whose dropping would free most")
    ledger.put("without_binding_rule_bdt", most_freed, "what could be had if this rule alone were dropped")
    return True


def _put_haul(ledger: Ledger, query: SitingQuery, catchment: Catchment) -> None:
    if query.max_road_km is None:
        return
    ledger.put("max_road_km", query.max_road_km, "as asked, one way by road")
    ledger.put("max_road_miles", km_to_miles(query.max_road_km), "as asked, one way by road")
    ledger.put(
        "beyond_haul_bdt", catchment.excluded_bdt.get(BEYOND_HAUL, 0.0), "candidates of the circle beyond it, left out"
    )


def _put_bounds(ledger: Ledger, rule: ShareRule) -> None:
    if rule.least > 0:
        ledger.put(
            f"min_{rule.name}_pct" if rule.name == HIGH_HAZARD else f"min_{rule.name}_share_pct",
            rule.least * 100,
            "as asked",
        )
    if rule.most < 1:
        ledger.put(f"max_{rule.name}_share_pct", rule.most * 100, "as asked")


def group_words(name: str) -> str:
    """A rule's group in words."""
    if name == "longest_haul":
        return "the longest haul"
    known = {HIGH_HAZARD: "tons from high hazard zones", "usfs": "tons from national forest land", "blm": "tons from BLM land",
             "nps": "tons from national park land", "other": "tons from other land"}  # fmt: skip
    return known.get(name, f"tons from {name} land")


def radius_under_rules(query: SitingQuery, pool: Catchment, manifest: Manifest, read_stand: StandReader,
                       target_bdt: float) -> tuple[float | None, float]:  # fmt: skip
    """Smallest whole radius in which the rules allow a target, and which share of the pool's tons they allow.

    Parameters
    ----------
    query : SitingQuery
        Rules.
    pool : Catchment
        Candidates out to where the plant's life can reach.
    manifest : Manifest
        Economics, codes.
    read_stand : callable
        Reads the what-if inputs of given layer rows.
    target_bdt : float
        What the circle has to allow [BDT].

    Returns
    -------
    radius_km : float or None
        [km]; None where the pool does not allow it.
    share : float
        Tons that the rules allow over all tons of the pool [0 to 1].
    """
    costs = delivered_costs(pool, query, manifest, economics(manifest, query.overrides), read_stand)
    tons = np.where(np.isfinite(costs.unit), costs.tons, 0.0)
    whole_km = np.ceil(pool.frame["distance_km"]).astype(np.int64)
    widest = int(np.ceil(pool.radius_km))
    found = needed_km(whole_km, tons, costs.shares, target_bdt, widest)
    total = float(costs.tons.sum())
    share = allowed_tons(tons, costs.shares) / total if total > 0 else 0.0
    return (float(found) if found <= widest else None), share
