"""Wording of a stock-taking: how much there is, whose it is, what it costs at the landing, who else buys it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from csrag.ask.records import SitingQuery
from csrag.ask.results import Analysis, Fact
from csrag.surfaces.catalog import LAND_USES

_OWNS = re.compile(r"\b(?:own(?:s|ed|er|ers|ership)?|who(?:se| holds| manages)|land ?holders?)\b", re.IGNORECASE)
_OWNERS = {
    "private": "private owners hold",
    "usfs": "the US Forest Service",
    "blm": "the Bureau of Land Management",
    "nps": "the National Park Service",
    "state": "the state",
    "tribal": "tribes",
    "other": "others",
}
_MANY = 6
"""Areas and treatments that the text tells one by one; the table has them all [count]."""


def lookup_paragraphs(query: SitingQuery, analysis: Analysis) -> list[list[str]]:
    """Paragraphs of a stock-taking.

    Parameters
    ----------
    query : SitingQuery
        What was asked.
    analysis : Analysis
        Its values; `names` holds the areas under `area_a`, `area_b` and so on.
    """
    facts = analysis.facts
    if "stock_bdt" not in facts:
        return _side_by_side(query, analysis)
    amount, owners = _amount(query, facts), _owners(facts, "")
    first = [owners, amount] if _OWNS.search(query.question) else [amount, owners]
    return [_plant(facts), *first, _cost(facts), _others(facts, "plants" in analysis.names)]


def _known(facts: Mapping[str, Fact], value_id: str) -> float | None:
    fact = facts.get(value_id)
    return None if fact is None or not isinstance(fact.value, (int, float)) else float(fact.value)


def _where(facts: Mapping[str, Fact], name: str, prefix: str = "") -> str:
    """The area in words: "within 20 miles (32 km) of Happy Camp", or its own name."""
    if _known(facts, f"{prefix}radius_km") is None:
        return f"in <<{name}>>"
    return f"within {{{{{prefix}radius_miles}}}} ({{{{{prefix}radius_km}}}}) of <<{name}>>"


def _amount(query: SitingQuery, facts: Mapping[str, Fact]) -> list[str]:
    where = _where(facts, "area_a")
    if not _known(facts, "stock_bdt"):
        out = [
            f"<<treatment>> finds no feedstock {where} that counts: of {{{{counted_clusters}}}} on <<land>> none gives any."
        ]
    else:
        kind = "can be had in practice" if query.availability == "practical" else "is the physical potential"
        out = [
            f"With <<treatment>>, there are {{{{stock_bdt}}}} ({{{{stock_gt}}}} at {{{{moisture_pct}}}} moisture) of feedstock "
            f"{where}, on {{{{stock_acres}}}} of <<land>>, {{{{stock_bdt_per_acre}}}}.",
            f"That {kind}, outside parks and wilderness; "
            + ("the physical potential is {{physical_bdt}} ({{physical_gt}})." if query.availability == "practical"
               else "in practice {{practical_bdt}} ({{practical_gt}}) of it can be had."),
        ]  # fmt: skip
        if _known(facts, "set_share_pct") is not None:
            out.append("It is {{set_share_pct}} of what the whole layer set holds under the same filters.")
    if _known(facts, "nothing_to_remove_clusters"):
        out.append(
            "Of {{counted_clusters}} on that land {{nothing_to_remove_clusters}} ({{nothing_to_remove_pct}}) have nothing to "
            "remove under this treatment."
        )
    if _known(facts, "protected_acres"):
        out.append(
            "Parks and wilderness, {{protected_acres}}, hold another {{protected_bdt}} ({{protected_gt}}), which are left out."
        )
    if _known(facts, "other_land_bdt"):
        out.append("Land of other owners holds {{other_land_bdt}} more.")
    return out


def _owners(facts: Mapping[str, Fact], prefix: str) -> list[str]:
    """Owners from the largest to the smallest, those without forest left out."""
    acres = {owner: _known(facts, f"{prefix}owner_{owner}_acres") or 0.0 for owner in LAND_USES}
    ranked = sorted((owner for owner in LAND_USES if acres[owner] > 0), key=lambda owner: -acres[owner])
    if not ranked:
        return []
    words = [
        f"{_OWNERS[owner]} {'' if owner == 'private' else 'holds ' if n == 0 and owner != 'tribal' else ''}"
        f"{{{{{prefix}owner_{owner}_acres}}}} ({{{{{prefix}owner_{owner}_pct}}}})"
        for n, owner in enumerate(ranked)
    ]
    listed = words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
    return [f"The forest is {{{{{prefix}forest_acres}}}}: {listed}."]


def _cost(facts: Mapping[str, Fact]) -> list[str]:
    out = []
    if _known(facts, "stock_harvest_cost") is not None:
        out.append(
            "At the landing it costs {{stock_harvest_cost}} on average ({{stock_harvest_cost_usd_per_gt}}), haul not counted; half "
            "the tons cost less than {{stock_harvest_cost_p50}}, and but for the cheapest and the dearest they lie between "
            "{{stock_harvest_cost_p05}} and {{stock_harvest_cost_p95}}."
        )
    if _known(facts, "main_system_pool_pct") is not None and _known(facts, "main_system_pct") is None:
        out.append("{{main_system}} is the cheapest way for {{main_system_pool_pct}} of the tons.")
    if _known(facts, "forest_burn_probability") is not None:
        text = "The forest burns with a probability of {{forest_burn_probability}} on average"
        if _known(facts, "forest_high_hazard_pct") is not None:
            text += "; {{forest_high_hazard_pct}} of it lies in high hazard classes ({{forest_high_hazard_acres}})"
        if _known(facts, "unknown_burn_clusters"):
            text += "; of {{unknown_burn_clusters}} the probability is unknown"
        out.append(text + ".")
    if _known(facts, "stock_bdt"):
        out.append(
            "By tons alone, whatever they cost and whoever else buys them, it would run at most {{one_year_mw}} for a single "
            "year, or {{sustained_mw}} for {{sustained_years}}."
        )
    return out


def _plant(facts: Mapping[str, Fact]) -> list[str]:
    if _known(facts, "main_system_pct") is None:
        return []
    return [
        "A plant of {{capacity_mw}} at <<place>> would take {{feedstock_selected_bdt}} a year, {{average_delivered_cost}} delivered "
        "on average. Of the tons taken {{main_system}} brings {{main_system_pct}}, of all candidates' {{main_system_pool_pct}}."
        if _known(facts, "capacity_mw") is not None
        else "Of the {{feedstock_selected_bdt}} that would be taken in a year, at {{average_delivered_cost}} delivered on average, "
        "{{main_system}} brings {{main_system_pct}} of the tons taken, of all candidates' {{main_system_pool_pct}}."
    ]


def _others(facts: Mapping[str, Fact], named: bool) -> list[str]:
    if not _known(facts, "plants_near_count"):
        return ["No wood-burning plant is known in the area or within {{near_km}} of its forest."]
    who = " (<<plants>>)" if named else ""
    return [
        "Wood-burning plants known in the area or within {{near_km}} of its forest: {{plants_near_count}}"
        + who
        + ", of which "
        "{{plants_inside_count}} in the area; together they are assumed to burn {{plants_near_bdt}} of forest wood."
    ]


def _side_by_side(query: SitingQuery, analysis: Analysis) -> list[list[str]]:
    """A sentence an area and treatment, and who owns each where that is asked."""
    facts, out = analysis.facts, []
    entries = [name for name in sorted(analysis.names) if re.fullmatch(r"area_[a-z]", name)]
    for name in entries[:_MANY]:
        number = ord(name[-1]) - ord("a") + 1
        prefix = f"area_{number}_"
        if not _known(facts, f"{prefix}forest_clusters"):
            out.append([f"<<{name}>>: the layer set holds no forest there."])
            continue
        where = _where(facts, name, prefix)
        sentence = (
            f"{where[0].upper()}{where[1:]} there are {{{{{prefix}stock_bdt}}}} ({{{{{prefix}stock_gt}}}} at "
            f"{{{{{prefix}moisture_pct}}}} moisture) on {{{{{prefix}stock_acres}}}} of <<land>>"
        )
        if _known(facts, f"{prefix}stock_harvest_cost") is not None:
            sentence += f", at {{{{{prefix}stock_harvest_cost}}}} on average at the landing"
        out.append([sentence + "."])
        if _OWNS.search(query.question):
            out[-1] += _owners(facts, prefix)
    if len(entries) > _MANY:
        out.append(["The rest stands in the table."])
    out.append(
        [
            "Tons are those of one cut each, outside parks and wilderness; areas may overlap, and treatments do not add up."
        ]
    )
    return out
