"""The packages' small finance functions under their own names."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from csrag.economics.carbon import credit_usd
from csrag.economics.cash_flow import energy_revenue_usd
from csrag.economics.finance import level_cost_usd_per_kwh, present_worth_usd, real_rate, recovery_factor
from csrag.economics.schema import ANY, NOT_NEGATIVE, POSITIVE, RATE, Field, Interval, read, refuse
from csrag.economics.tables import SCALE_EXPONENT

_YEARS = Interval(1, 1000)
_CALENDAR = Interval(1000, 9999)

_RETURN = Field("equity_return_pct", "costOfEquity", "percent a year", "return on equity", RATE)
_INFLATION = Field("general_inflation_pct", "generalInflation", "percent a year", "general inflation", RATE)
_LIFE = Field("economic_life_y", "economicLife", "years", "economic life", _YEARS, kind="integer")
_PRESENT = Field("total_present_usd", "totalPresentWorth", "USD", "present worth of the required revenue")
_GENERATION = Field("generation_kwh", "annualGeneration", "kWh", "electricity in a year", POSITIVE)

CURRENT_LAC = (_RETURN, _LIFE, _PRESENT, _GENERATION)
CONSTANT_LAC = (_RETURN, _INFLATION, _LIFE, _PRESENT, _GENERATION)
PRESENT_WORTH = (
    Field("year", "year", "years", "number of the year", Interval(0, 1000), kind="integer"),
    _RETURN,
    Field("energy_revenue_usd", "energyRevenueRequired", "USD", "revenue required in the year"),
)
CARBON_CREDIT = (
    Field("year", "currentYear", "calendar years", "year of the credit", _CALENDAR, kind="integer"),
    Field("first_year", "firstYear", "calendar years", "year of the price", _CALENDAR, kind="integer"),
    Field("price_usd_per_t", "carbonCreditPrice", "USD per tonne of CO2 equivalent", "credit price", NOT_NEGATIVE),
    Field("intensity_g_per_mj", "carbonIntensity", "g of CO2 equivalent per MJ", "carbon intensity", ANY),
    Field("energy_economy_ratio", "energyEconomyRatio", "ratio", "energy economy ratio", NOT_NEGATIVE),
    Field("escalation_pct", "escalationRate", "percent a year", "growth of the price", RATE),
    Field("generation_kwh", "annualElectricGeneration", "kWh", "electricity in the year", NOT_NEGATIVE),
)
SCALED_COST = (
    Field("reference", "referenceCapacity", "kW", "capacity that the cost belongs to", POSITIVE),
    Field("capacity", "capacity", "kW", "capacity", POSITIVE),
    Field("cost", "referenceCost", "USD", "cost at the reference capacity", ANY),
)
_ROW = "cashFlow."
_REVENUE_ITEMS = {
    "equity_usd": "EquityRecovery",
    "debt_usd": "DebtRecovery",
    "fuel_usd": "BiomassFuelCost",
    "non_fuel_usd": "NonFuelExpenses",
    "taxes_usd": "Taxes",
    "reserve_usd": "DebtReserve",
    "capacity_usd": "IncomeCapacity",
    "reserve_interest_usd": "InterestOnDebtReserve",
}
_ITEMS_OF: dict[str, dict[str, str]] = {
    "GPO": {},
    "CHP": {"heat_usd": "IncomeHeat"},
    "GP": {"heat_usd": "IncomeHeat", "dual_fuel_usd": "DualFuelCost", "char_usd": "IncomeChar"},
}
_COUNTED = (
    Field("counted", "includeCarbonCredit", "true or false", "whether the carbon credit is income", default=False,
          kind="flag", required=False),
)  # fmt: skip


def checked(table: tuple[Field, ...], inputs: Mapping[str, Any], what: str) -> dict[str, Any]:
    """Take the fields of a table out of the inputs and check each.

    Raises
    ------
    InvalidValueError
        Where one is missing or has no meaning.
    """
    values = read(table, inputs, what)
    refuse(p for f in table if (p := f.problem(values[f.name])) is not None)
    return {f.name: int(values[f.name]) if f.kind == "integer" else values[f.name] for f in table}


def _current(inputs: Mapping[str, Any]) -> dict[str, Any]:
    v = checked(CURRENT_LAC, inputs, "currentLAC")
    factor = recovery_factor(v["equity_return_pct"] / 100, v["economic_life_y"])
    return {"value": level_cost_usd_per_kwh(v["total_present_usd"], factor, v["generation_kwh"])}


def _constant(inputs: Mapping[str, Any]) -> dict[str, Any]:
    v = checked(CONSTANT_LAC, inputs, "constantLAC")
    factor = recovery_factor(real_rate(v["equity_return_pct"], v["general_inflation_pct"]), v["economic_life_y"])
    return {"value": level_cost_usd_per_kwh(v["total_present_usd"], factor, v["generation_kwh"])}


def _present(inputs: Mapping[str, Any]) -> dict[str, Any]:
    v = checked(PRESENT_WORTH, inputs, "presentWorth")
    return {"value": present_worth_usd(v["energy_revenue_usd"], v["year"], v["equity_return_pct"])}


def _credit(inputs: Mapping[str, Any]) -> dict[str, Any]:
    return {"value": credit_usd(**checked(CARBON_CREDIT, inputs, "carbonCredit"))}


def _revenue(inputs: Mapping[str, Any]) -> dict[str, Any]:
    # A model that is none of the three has no items in the package either: only the credit is left.
    model = str(inputs.get("model"))
    names = _REVENUE_ITEMS | _ITEMS_OF[model] if model in _ITEMS_OF else {}
    if checked(_COUNTED, inputs, "energyRevenueRequired")["counted"]:
        names = names | {"carbon_usd": "LcfsCreditRevenue"}
    fields = tuple(Field(ours, _ROW + theirs, "USD", "item of the year") for ours, theirs in names.items())
    absent = dict.fromkeys((*_REVENUE_ITEMS, "dual_fuel_usd", "heat_usd", "char_usd", "carbon_usd"), 0.0)
    return {"value": energy_revenue_usd(**absent | checked(fields, inputs, "energyRevenueRequired"))}


def scaled_cost_usd(reference_kw: float, capacity_kw: float, cost_usd: float) -> float:
    """Cost at another capacity by the 0.82 rule, to a whole dollar as in the front end.

    Parameters
    ----------
    reference_kw, capacity_kw : float
        [kW]
    cost_usd : float
        Cost at the reference capacity [USD].
    """
    if capacity_kw == reference_kw:
        return cost_usd
    return float(math.floor(cost_usd * (capacity_kw / reference_kw) ** SCALE_EXPONENT + 0.5))


def _scaled(inputs: Mapping[str, Any]) -> dict[str, Any]:
    v = checked(SCALED_COST, inputs, "scaledCost")
    return {"cost": scaled_cost_usd(v["reference"], v["capacity"], v["cost"])}


FORMS: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "currentLAC": _current,
    "constantLAC": _constant,
    "presentWorth": _present,
    "carbonCredit": _credit,
    "energyRevenueRequired": _revenue,
    "scaledCost": _scaled,
}
"""By the package's name."""
