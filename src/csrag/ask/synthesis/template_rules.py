"""Sentences on rules of the supply: which bind, what they cost, and what they allow. Wording only."""

from __future__ import annotations

from collections.abc import Mapping

from csrag.ask.records import SitingQuery
from csrag.ask.results import Analysis, Fact

_CENT = 0.005
_LAND = {"usfs": "national forest land", "blm": "BLM land", "nps": "national park land"}


def _has(facts: Mapping[str, Fact], *ids: str) -> bool:
    return all(i in facts and facts[i].value is not None for i in ids)


def _group(name: str) -> str:
    return "high hazard zones" if name == "high_hazard" else _LAND.get(name, f"{name} land")


def _bounds(facts: Mapping[str, Fact], name: str) -> str:
    least = "min_high_hazard_pct" if name == "high_hazard" else f"min_{name}_share_pct"
    parts = [f"at least {{{{{least}}}}}"] if _has(facts, least) else []
    most = f"max_{name}_share_pct"
    parts += [f"at most {{{{{most}}}}}"] if _has(facts, most) else []
    return " and ".join(parts)


def rules_sentences(query: SitingQuery, analysis: Analysis) -> list[str]:
    """What each rule did to the supply; empty where the question sets none.

    Parameters
    ----------
    query : SitingQuery
        What was asked.
    analysis : Analysis
        Computed values, with the table `rules`.
    """
    facts, out = analysis.facts, []
    if query.max_road_km is not None and _has(facts, "max_road_km", "longest_haul_km"):
        left = " {{beyond_haul_bdt}} of the circle lie beyond it." if facts["beyond_haul_bdt"].value else ""
        out.append(
            f"No haul is longer than {{{{max_road_miles}}}} ({{{{max_road_km}}}}); the longest is {{{{longest_haul_miles}}}} "
            f"({{{{longest_haul_km}}}}).{left}"
        )
    table = analysis.tables.get("rules")
    for name, *_, state in table.rows if table is not None else ():
        share = f"{{{{{name}_share_pct}}}} of the tons come from {_group(name)}"
        asked = f"{_bounds(facts, name)} asked for"
        if state == "slack":
            out.append(f"{share}, with {asked}: that rule is slack.")
        else:
            whole = ", within a whole cluster," if state != "binding" else ""
            out.append(
                f"{share}, with {asked}: that rule binds{whole} and without rules it would be {{{{free_{name}_share_pct}}}}."
            )
    if _has(facts, "rules_extra_cost", "binding_rules") and facts["binding_rules"].value:
        extra = float(facts["rules_extra_cost"].value or 0.0)
        cost = "{{rules_extra_cost}} more than" if extra >= _CENT else "no more than"
        out.append(
            f"Keeping the rules on shares costs {cost} the same supply without them ({{{{free_average_delivered_cost}}}}), in year "
            "one."
        )
    return out


def under_rules(facts: Mapping[str, Fact]) -> str:
    """Words that a supply keeps rules, where the question sets any on shares or haul."""
    rules = any(_bounds(facts, name) for name in ("high_hazard", *_LAND, "private", "state", "tribal", "other"))
    return " under your rules on the supply" if rules or _has(facts, "max_road_km") else ""


def rules_refusal(analysis: Analysis, plant: str) -> str:
    """Why the rules cannot be kept, and what they allow.

    Parameters
    ----------
    analysis : Analysis
        Refused for its rules.
    plant : str
        The plant, as a template names it.
    """
    facts = analysis.facts
    table = analysis.tables.get("rules_allowed")
    asked = [f"{_bounds(facts, row[0])} from {_group(row[0])}" for row in table.rows] if table is not None else []
    if _has(facts, "max_road_km"):
        asked.append("no haul over {{max_road_miles}} ({{max_road_km}})")
    text = (
        f"Your rules on the supply ({', '.join(asked)}) cannot be kept for {plant} at <<place>>: {{{{demand_bdt}}}} are needed, "
        "and the rules allow {{obtainable_bdt}} within {{radius_miles}} ({{radius_km}})"
    )
    text += (
        ", enough for {{largest_capacity_mw}} at {{obtainable_average_cost}} on average."
        if facts["obtainable_bdt"].value and _has(facts, "obtainable_average_cost")
        else ", so {{largest_capacity_mw}} can be supported."
    )
    wider = " A circle of {{radius_needed_km}} would allow the demand." if _has(facts, "radius_needed_km") else ""
    if table is not None and not any(row[-1] for row in table.rows):
        freed = (
            "No rule alone binds: dropping the one on {{binding_rule}} would free most, {{without_binding_rule_bdt}}."
        )
    else:
        freed = "What binds is the rule on {{binding_rule}}: without it there would be {{without_binding_rule_bdt}}."
    return f"{text} {freed}{wider}"
