"""Sentences on many years and the plant's surroundings: re-entry, fires, other plants, power line, credit, emissions."""

from __future__ import annotations

from collections.abc import Mapping

from csrag.ask.records import SitingQuery
from csrag.ask.results import Fact

NAMES = {"biogenic": "biogenic CO2 included"}
"""Words with a digit that is part of a name, not a number."""


def _has(facts: Mapping[str, Fact], *ids: str) -> bool:
    return all(i in facts and facts[i].value is not None for i in ids)


def cut_words(facts: Mapping[str, Fact]) -> str:
    """How often a cluster is cut, as the middle of a sentence."""
    if _has(facts, "reentry_years"):
        return "a cluster may be cut again {{reentry_years}} after it was cut, with its first yield,"
    return "each cluster is cut once"


def about_years(facts: Mapping[str, Fact]) -> list[str]:
    """What fires do to the life of the plant, and what other plants take.

    Parameters
    ----------
    facts : mapping of str to Fact
        Computed values.
    """
    out = []
    if _has(facts, "reentered_clusters"):
        if facts["reentered_clusters"].value:
            out.append("Over the life {{reentered_clusters}} are treated again.")
        else:
            out.append("No cluster is treated again within the life.")
    if _has(facts, "burn_repeats", "burn_loss_pct", "life_average_cost_p50"):
        out += _fires(facts)
    return out


def about_others(facts: Mapping[str, Fact]) -> list[str]:
    """What other plants take from the supply.

    Parameters
    ----------
    facts : mapping of str to Fact
        Computed values.
    """
    if not _has(facts, "other_plants_count"):
        return []
    if not facts["other_plants_count"].value:
        return ["Other plants were to be counted, but none of the table draws wood from this reach."]
    return [
        "Other plants ({{other_plants_count}} of the table) choose first every year: their demand is assumed at "
        "{{other_plants_demand_bdt}} from this reach, and {{other_plants_taken_bdt}} are gone before year one's choice."
    ]


def _fires(facts: Mapping[str, Fact]) -> list[str]:
    repeats = facts["burn_repeats"].value
    if not isinstance(repeats, (int, float)) or repeats < 2:
        return ["Nothing in reach can lose tons to fire under these terms, so fires change nothing."]
    out = [
        "If fires take {{burn_loss_pct}} of a burned cluster's tons, the life's average lies between {{life_average_cost_p05}} "
        "and {{life_average_cost_p95}} (middle {{life_average_cost_p50}}) and the last year's cost between {{life_last_year_p05}} "
        "and {{life_last_year_p95}}, the low and high ends of {{burn_repeats}} repeats; the figures above are the repeat in the "
        "middle."
    ]
    if facts["burn_exhausted_pct"].value:
        text = "The supply ends within the life in {{burn_exhausted_pct}} of the repeats"
        early = "exhaustion_year_p05"
        out.append(text + (f", at its early end in {{{{{early}}}}}." if _has(facts, early) else "."))
    return out


def about_line(facts: Mapping[str, Fact]) -> list[str]:
    """The power line apart, and char where it is sold.

    Parameters
    ----------
    facts : mapping of str to Fact
        Computed values.
    """
    char = []
    if _has(facts, "char_income_usd_per_mwh") and facts["char_income_usd_per_mwh"].value:
        char = ["Char sales of {{char_income_usd_per_mwh}} in year one are counted in."]
    if not _has(facts, "line_usd"):
        return char
    if not _has(facts, "line_usd_per_mwh"):
        return [*char, "The power line of {{line_miles}} ({{line_km}}) costs {{line_usd}}, apart from the plant."]
    return [
        *char,
        "The power line of {{line_miles}} ({{line_km}}) costs {{line_usd}} apart from the plant; without it electricity would cost "
        "{{lcoe_without_line_current}} in current dollars, so the line adds {{line_usd_per_mwh}}.",
    ]


def about_emissions(query: SitingQuery, facts: Mapping[str, Fact]) -> list[str]:
    """Emissions where the question asks about them, and the fuel credit where it is wanted.

    Parameters
    ----------
    query : SitingQuery
        What was asked.
    facts : mapping of str to Fact
        Computed values.
    """
    out = []
    if query.emissions and _has(facts, "co2_kg_per_mwh"):
        out.append(
            "The plant emits {{co2_kg_per_mwh}}, <<biogenic>>: {{conversion_co2_kg_per_mwh}} in conversion, where the wood's own "
            "carbon leaves the stack, {{supply_co2_kg_per_mwh}} from the fuel of harvest, haul and unloading, and "
            "{{construction_co2_kg_per_mwh}} from construction spread over the life."
        )
        out.append(
            "Global warming comes to {{global_warming_kg_per_mwh}} and the carbon intensity to {{carbon_intensity_g_per_mj}}, "
            "both with <<biogenic>>; regrowth is not counted."
        )
    if query.include_lcfs and _has(facts, "lcfs_credit_usd"):
        if facts["lcfs_credit_usd"].value:
            text = "Low-carbon fuel credits come to {{lcfs_credit_usd}} over the life"
            more = ", which takes {{lcfs_usd_per_mwh}} off, to {{lcoe_with_lcfs_current}} in current dollars"
            out.append(text + (more if _has(facts, "lcfs_usd_per_mwh", "lcoe_with_lcfs_current") else "") + ".")
        else:
            out.append(
                "There is no credit under the low-carbon fuel standard: with <<biogenic>> the carbon "
                "intensity is {{lcfs_intensity_g_per_mj}} at its lowest, above the standard of {{lcfs_standard_g_per_mj}}."
            )
    return out
