"""Sentences on how far the headline costs may be off."""

from __future__ import annotations

from collections.abc import Mapping

from csrag.ask.results import Fact


def interval_sentences(facts: Mapping[str, Fact]) -> list[str]:
    """The interval of year one's cost, or that there is none and why.

    Parameters
    ----------
    facts : mapping of str to Fact
        Computed values.
    """
    level = facts.get("interval_level_pct")
    if level is None:
        return []
    if level.value is None:
        return [f"No interval is given: {level.basis}."]
    return [
        f"As far as {facts['interval_basis'].value} may be off, the average lies between {{{{average_delivered_cost_low}}}} and "
        "{{average_delivered_cost_high}} in {{interval_level_pct}} of cases, and the last ton between {{last_ton_cost_low}} and "
        "{{last_ton_cost_high}}; the error is common to all clusters."
    ]


def life_interval_sentences(facts: Mapping[str, Fact]) -> list[str]:
    """The interval of the life's average and of electricity, which moves with the fuel alone."""
    if not _has(facts, "interval_level_pct"):
        return []
    out = []
    if _has(facts, "lcoe_current_low"):
        out.append(
            "With fuel over the life between {{life_average_delivered_cost_low}} and {{life_average_delivered_cost_high}}, "
            "electricity lies between {{lcoe_current_low}} and {{lcoe_current_high}}; only the fuel moves in that, and a dollar "
            "per BDT in every year is {{lcoe_usd_per_mwh_per_usd_per_bdt}}."
        )
    elif _has(facts, "life_average_delivered_cost_low"):
        out.append(
            "Fuel over the life lies between {{life_average_delivered_cost_low}} and {{life_average_delivered_cost_high}}."
        )
    return out


def _has(facts: Mapping[str, Fact], value_id: str) -> bool:
    fact = facts.get(value_id)
    return fact is not None and fact.value is not None
