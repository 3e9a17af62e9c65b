"""Sentences of the trade-off of cost against fire. Wording only; numbers are references to values."""

from __future__ import annotations

from collections.abc import Mapping

from csrag.ask.records import SitingQuery
from csrag.ask.results import Analysis, Fact
from csrag.ask.synthesis.template_rules import rules_sentences

_CENT = 0.005
_CHANGED = 0.005


def pareto_paragraphs(query: SitingQuery, analysis: Analysis, plant: str) -> list[list[str]]:
    """Paragraphs: both ends, the most for little money, the knee, what a step costs; empty where there is no trade-off.

    Parameters
    ----------
    query : SitingQuery
        What was asked.
    analysis : Analysis
        Computed values.
    plant : str
        The plant, as a template names it.
    """
    facts = analysis.facts
    if _number(facts, "pareto_weights") is None:
        return []
    ends = [
        f"The cheapest fuel for {plant} at <<place>> costs {{{{cost_only_average_delivered_cost}}}} delivered and comes from stands "
        "with an annual burn probability of {{cost_only_burn_probability}}, a chance of {{cost_only_burn_chance_20_years_pct}} over "
        "{{fire_horizon_years}}.",
    ]
    if (_number(facts, "front_supplies") or 0) < 2:
        ends.append(
            "None of {{pareto_weights}} weights of fire finds stands more likely to burn, so there is nothing to trade here."
        )
        return [ends, _rest(query)]
    ends.append(
        "Weighing fire at {{pareto_weights}} weights from cost alone to fire alone gives {{pareto_supplies}}, of which "
        "{{front_supplies}} are beaten by no other in both cost and burn probability; at the dear end fuel costs "
        f"{{{{most_fire_average_delivered_cost}}}} and comes from stands {_likely('most_fire')}."
    )
    return [
        ends,
        [_within(facts), _bend(facts), _steps(facts)],
        _hazard(facts),
        [*rules_sentences(query, analysis), *_rest(query)],
        [
            "What is cut is then more likely to burn if left alone; how far cutting it lowers the risk of fire is not modelled."
        ],
    ]


def _number(facts: Mapping[str, Fact], value_id: str) -> float | None:
    fact = facts.get(value_id)
    return None if fact is None or fact.value is None else float(fact.value)


def _likely(point: str) -> str:
    return (
        f"{{{{{point}_burn_probability_ratio}}}} as likely to burn as those of the cheapest supply ({{{{{point}_burn_probability}}}}; "
        f"{{{{{point}_burn_chance_20_years_pct}}}} over {{{{fire_horizon_years}}}})"
    )


def _within(facts: Mapping[str, Fact]) -> str:
    limit = "For no more than {{max_extra_cost_pct}} extra cost"
    if abs((_number(facts, "within_burn_probability_ratio") or 1.0) - 1) < _CHANGED:
        return f"{limit} no supply comes from stands noticeably more likely to burn."
    extra = _number(facts, "within_extra_cost") or 0.0
    paid = "{{within_extra_cost}} more" if extra >= _CENT else "no extra cost"
    return (
        f"{limit}, fire can weigh {{{{within_fire_weight_pct}}}}: fuel then costs {{{{within_average_delivered_cost}}}}, {paid}, "
        f"and comes from stands {_likely('within')}."
    )


def _bend(facts: Mapping[str, Fact]) -> str:
    if _number(facts, "knee_fire_weight_pct") is None:
        return "The trade-off has no knee."
    if facts["knee_fire_weight_pct"].value == facts["within_fire_weight_pct"].value:
        return "That is also the knee, from where each further step buys less."
    return (
        "The knee, from where each further step buys less, lies at a weight of {{knee_fire_weight_pct}}: "
        f"{{{{knee_average_delivered_cost}}}}, {{{{knee_extra_cost_pct}}}} more than the cheapest, from stands {_likely('knee')}."
    )


def _steps(facts: Mapping[str, Fact]) -> str:
    if _number(facts, "front_first_step_price") is None:
        return ""
    return "The first step costs {{front_first_step_price}}, the last {{front_last_step_price}}."


def _hazard(facts: Mapping[str, Fact]) -> list[str]:
    if _number(facts, "cost_only_high_hazard_acres") is None or _number(facts, "most_fire_high_hazard_acres") is None:
        return ["No hazard class is known here, so acres of high hazard treated are not given."]
    knee = ", {{knee_high_hazard_acres}} at the knee" if _number(facts, "knee_high_hazard_acres") is not None else ""
    return [
        "Of high hazard land the cheapest supply treats {{cost_only_high_hazard_acres}}"
        f"{knee} and {{{{most_fire_high_hazard_acres}}}} at the dear end; these acres are reported and decide nothing."
    ]


def _rest(query: SitingQuery) -> list[str]:
    weighed = " (at the weight that you gave)" if query.fire_weight > 0 else ""
    return [
        "The plant burns {{demand_bdt}} ({{demand_gt}}, {{truck_loads}} or {{truck_loads_per_day}}), taken from "
        "{{candidate_clusters}} with {{feedstock_available_bdt}} within {{radius_miles}} ({{radius_km}}); the other values of "
        f"this answer{weighed} are those of year one and the plant's life as a site question gives them."
    ]
