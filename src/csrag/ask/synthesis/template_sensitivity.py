"""Sentences on what moves the cost, on a power price and on a subsidy. Wording only; numbers are references to values."""

from __future__ import annotations

from collections.abc import Mapping

from csrag.ask.records import SitingQuery
from csrag.ask.results import Fact


def _has(facts: Mapping[str, Fact], *ids: str) -> bool:
    return all(i in facts and facts[i].value is not None for i in ids)


def _amount(facts: Mapping[str, Fact], value_id: str) -> float:
    value = facts[value_id].value
    return float(value) if value is not None else 0.0


def sensitivity_sentences(query: SitingQuery, facts: Mapping[str, Fact]) -> list[str]:
    """The largest and smallest driver, and the curve that was asked for; empty where the question asks for neither.

    Parameters
    ----------
    query : SitingQuery
        What was asked.
    facts : mapping of str to Fact
        Computed values.
    """
    if not _has(facts, "sensitivity_pct"):
        return []
    out = []
    if _has(facts, "largest_driver", "second_driver"):
        out.append(
            f"{_moved(query)}, electricity moves most with {{{{largest_driver}}}}: {{{{largest_driver_lcoe_low}}}} at "
            "{{largest_driver_low_value}} and {{largest_driver_lcoe_high}} at {{largest_driver_high_value}}, a swing of "
            "{{largest_driver_lcoe_swing}}."
        )
        least = ""
        if _has(facts, "smallest_driver"):
            least = "; it moves least with {{smallest_driver}}, by {{smallest_driver_lcoe_swing}}"
        out.append(f"Next is {{{{second_driver}}}} with {{{{second_driver_lcoe_swing}}}}{least}.")
    if _has(facts, "largest_fuel_driver_delivered_low") and not _has(facts, "sweep_parameter"):
        out.append(
            "The delivered cost of year one moves most with {{largest_fuel_driver}}: "
            "{{largest_fuel_driver_delivered_low}} at {{largest_fuel_driver_low_value}} and "
            "{{largest_fuel_driver_delivered_high}} at {{largest_fuel_driver_high_value}}."
        )
    out += _curve(query, facts)
    if out and (query.burn_loss_pct is not None or query.other_plants != "none"):
        out.append("These variants leave fires and other plants out, the rest of this answer does not.")
    return out


def _moved(query: SitingQuery) -> str:
    """How far the assumptions were moved."""
    own = {s["parameter"] for s in query.sweep if s["values"]}
    if own and own >= set(query.tornado_parameters):
        return "Over the values you gave, one assumption at a time"
    if own:
        return "Over the values you gave, the others {{sensitivity_pct}} to either side, one at a time"
    return "Moved {{sensitivity_pct}} to either side, one at a time"


def _curve(query: SitingQuery, facts: Mapping[str, Fact]) -> list[str]:
    if not _has(facts, "sweep_parameter"):
        return []
    parts = []
    if _has(facts, "sweep_first_delivered_cost", "sweep_last_delivered_cost"):
        parts.append("delivered cost goes from {{sweep_first_delivered_cost}} to {{sweep_last_delivered_cost}}")
    if _has(facts, "sweep_first_lcoe", "sweep_last_lcoe"):
        goes = "" if parts else " goes"
        parts.append(f"electricity{goes} from {{{{sweep_first_lcoe}}}} to {{{{sweep_last_lcoe}}}}")
    goes = f"{parts[0]}{' and ' + parts[1] if parts[1:] else ''}" if parts else "an end cannot be supplied"
    rest = " The table has the other assumptions too." if len(query.sweep) > 1 else ""
    return [
        f"Over {{{{sweep_values}}}} of {{{{sweep_parameter}}}}, from {{{{sweep_from}}}} to {{{{sweep_to}}}}, {goes}.{rest}"
    ]


def viability_sentences(facts: Mapping[str, Fact]) -> list[str]:
    """What a named price brings and what a named subsidy changes; empty where the question names neither.

    Parameters
    ----------
    facts : mapping of str to Fact
        Computed values.
    """
    return [*_subsidy(facts), *_price(facts)]


def _subsidy(facts: Mapping[str, Fact]) -> list[str]:
    if not _has(facts, "subsidy_usd_per_bdt", "net_delivered_cost"):
        return []
    power = ""
    if _has(facts, "lcoe_with_subsidy_current"):
        power = ", and electricity to {{lcoe_with_subsidy_current}}, {{lcoe_change_by_subsidy}} less"
    return [
        "A subsidy of {{subsidy_usd_per_bdt}} ({{subsidy_usd_per_year}} at first) brings the delivered cost down to "
        f"{{{{net_delivered_cost}}}}{power}."
    ]


def _price(facts: Mapping[str, Fact]) -> list[str]:
    if not _has(facts, "power_price_usd_per_mwh"):
        return []
    if not _has(facts, "margin_usd_per_mwh"):
        return [
            "No margin, payback or net present value is given for {{power_price_usd_per_mwh}}, since the wood in reach ends "
            "before the plant's life does."
        ]
    path = (
        "growing by {{price_escalation_pct}}" if _amount(facts, "price_escalation_pct") else "flat in current dollars"
    )
    aided = " and the subsidy" if _has(facts, "subsidy_usd_per_bdt") else ""
    out = [
        f"At {{{{power_price_usd_per_mwh}}}}{aided}, {path}, the margin over the levelised cost is {{{{margin_usd_per_mwh}}}} "
        "({{margin_usd_per_year}}), and the net present value to the owners, after tax at a return on equity of "
        "{{equity_return_pct}}, is {{npv_usd}}."
    ]
    if _has(facts, "simple_payback_years"):
        out.append(
            "The cash margin of year one, before debt and tax, is {{cash_margin_usd_per_year}}, a simple payback of "
            "{{simple_payback_years}} on {{capital_usd}}."
        )
    else:
        out.append("The cash margin of year one is {{cash_margin_usd_per_year}}, which pays nothing back.")
    out.append(
        f"The price that breaks even{' with the subsidy' if aided else ''} is {{{{break_even_price_usd_per_mwh}}}}."
    )
    if _has(facts, "subsidy_to_break_even_usd_per_bdt"):
        if _amount(facts, "subsidy_to_break_even_usd_per_bdt") > 0:
            out.append(
                "The subsidy at which this price breaks even is {{subsidy_to_break_even_usd_per_bdt}} "
                "in all ({{subsidy_to_break_even_usd_per_year}} at first)."
            )
        else:
            out.append("No subsidy is needed to break even at this price.")
    return out
