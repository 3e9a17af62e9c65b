"""How a value is written: number and unit, the same everywhere."""

from __future__ import annotations

from csrag.ask.results import Fact

# unit: (format, text after the number); a leading "$" marks money.
_FORMS: dict[str, tuple[str, str]] = {
    "usd_per_bdt": ("${:,.2f}", " per BDT"),
    "usd_per_gt": ("${:,.2f}", " per green ton"),
    "usd_per_mwh": ("${:,.2f}", " per MWh"),
    "usd_per_acre": ("${:,.0f}", " per acre"),
    "usd_per_bdt_per_pct": ("${:,.2f}", " per BDT for each percentage point of annual burn probability"),
    "bdt": ("{:,.0f}", " BDT"),
    "bdt_per_year": ("{:,.0f}", " BDT a year"),
    "bdmt_per_year": ("{:,.0f}", " bone-dry tonnes a year"),
    "gt": ("{:,.0f}", " green tons"),
    "gt_per_year": ("{:,.0f}", " green tons a year"),
    "mwh_per_year": ("{:,.0f}", " MWh a year"),
    "mw": ("{:,.6g}", " MW"),
    "years": ("{:,.0f}", " years"),
    "years_1": ("{:,.1f}", " years"),
    "km": ("{:,.0f}", " km"),
    "km_1": ("{:,.1f}", " km"),
    "miles": ("{:,.0f}", " miles"),
    "hours": ("{:,.1f}", " hours"),
    "acres": ("{:,.0f}", " acres"),
    "acres_per_year": ("{:,.0f}", " acres a year"),
    "year_number": ("year {:.0f}", ""),
    "percent_1": ("{:,.1f}", " % a year"),
    "usd": ("${:,.0f}", ""),
    "usd_per_year": ("${:,.0f}", " a year"),
    "usd_per_kw_year": ("${:,.0f}", " per kW a year"),
    "clusters": ("{:,.0f}", " clusters"),
    "loads_per_year": ("{:,.0f}", " truck loads a year"),
    "loads_per_day": ("{:,.0f}", " a working day"),
    "percent": ("{:,.0f}", " %"),
    "count": ("{:,.0f}", ""),
    "rank": ("{:,.0f}", ""),
    "supplies": ("{:,.0f}", " different supplies"),
    "sites": ("{:,.0f}", " sites"),
    "plants": ("{:,.0f}", " plants"),
    "kg_per_mwh": ("{:,.0f}", " kg of CO2 per MWh"),
    "kg_co2e_per_mwh": ("{:,.0f}", " kg of CO2 equivalent per MWh"),
    "g_per_mj": ("{:,.0f}", " g of CO2 equivalent per MJ"),
    "g_per_mwh": ("{:,.0f}", " g per MWh"),
    "gal_per_mwh": ("{:,.2f}", " gallons per MWh"),
    "miles_per_mwh": ("{:,.1f}", " miles per MWh"),
    "percent_value": ("{:,.4g}", " %"),
    "percent_of_base": ("{:,.4g}", " % of the base"),
    "usd_per_gal": ("${:,.2f}", " per gallon"),
    "usd_per_hour": ("${:,.2f}", " an hour"),
    "usd_per_mile": ("${:,.2f}", " per mile"),
    "km_per_hour": ("{:,.4g}", " km an hour"),
    "index": ("{:,.1f}", ""),
    "values": ("{:,.0f}", " values"),
    "bdt_per_acre": ("{:,.1f}", " BDT per acre"),
    "ratio": ("{:,.1f}", " times"),
    "ratio_2": ("{:,.2f}", " times"),
    "percent_tenth": ("{:,.1f}", " %"),
}


_ONE = frozenset({"sites", "plants", "clusters", "values", "years"})
"""Units that lose their last letter beside a one."""


def number_text(fact: Fact) -> str:
    """The number alone, as it is shown."""
    value = fact.value
    if value is None:
        return "not available"
    if isinstance(value, str):
        return value
    if fact.unit == "per_year":
        return f"{value * 100:.2f} % a year"
    if fact.unit == "share":
        return f"{value * 100:.0f} %"
    form, _ = _FORMS[fact.unit]
    text = form.format(value).replace("$-", "-$")
    if fact.unit == "percent" and 0 < abs(value) < 1:
        return "less than 1"
    if fact.unit == "mw" and abs(value) >= 0.1:
        return f"{float(f'{value:.3g}'):,g}"
    return text


def value_text(fact: Fact) -> str:
    """Number and unit, as it stands in a sentence."""
    if fact.value is None or isinstance(fact.value, str):
        return number_text(fact)
    if fact.unit in {"per_year", "share"}:
        return number_text(fact)
    number, unit = number_text(fact), _FORMS[fact.unit][1]
    return number + (unit[:-1] if number == "1" and fact.unit in _ONE else unit)
