"""What a MWh costs: the plant's cash flow with the delivered cost of each year as its fuel price."""

from __future__ import annotations

from csrag.ask.computation.depletion import Depletion
from csrag.ask.computation.facts import Ledger
from csrag.ask.computation.life import fuel_prices, life_years
from csrag.ask.computation.power_line import put_line, snapped_km
from csrag.ask.records import SitingQuery
from csrag.economics.plant import PlantEconomics, PlantResult, lcoe
from csrag.errors import InvalidValueError

_SAID_ELSEWHERE = {"small_plant_optimistic"}


def plant_of(query: SitingQuery, capacity_mw: float) -> PlantEconomics:
    """The plant of a question: defaults of its technology, scaled to its capacity [MW], with the user's values put in."""
    return PlantEconomics.of(query.technology, capacity_mw, query.overrides)


def electricity_of(
    query: SitingQuery, capacity_mw: float, years: Depletion, demand: float, subsidy_usd_per_bdt: float = 0.0
) -> PlantResult | None:
    """Cost of electricity with the delivered cost of each year as its fuel price; None where a year is not supplied.

    Parameters
    ----------
    query : SitingQuery
        Technology and overrides.
    capacity_mw : float
        [MW]
    years : Depletion
        Delivered cost of each year.
    demand : float
        [BDT per year]
    subsidy_usd_per_bdt : float
        Taken off the price of every BDT, in dollars of year one; it grows like the prices [USD per BDT].
    """
    growth_pct = plant_of(query, capacity_mw).inputs.general_inflation_pct
    prices = fuel_prices(years, life_years(query), growth_pct)
    if prices is None:
        return None
    if subsidy_usd_per_bdt:
        growth = 1 + growth_pct / 100
        prices = [price - subsidy_usd_per_bdt * growth**k for k, price in enumerate(prices)]
    line_km = None if query.line_km is None else snapped_km(query.line_km)
    return lcoe(query.technology, capacity_mw, prices, demand, query.overrides, line_km=line_km)


def put_electricity(
    ledger: Ledger, query: SitingQuery, capacity_mw: float, years: Depletion, demand: float
) -> PlantResult | None:
    """Record the levelised cost of electricity, the cash flow, and what they assume.

    Parameters
    ----------
    ledger : Ledger
        Receives the values.
    query : SitingQuery
        Technology and overrides.
    capacity_mw : float
        [MW]
    years : Depletion
        Delivered cost of each year.
    demand : float
        [BDT per year]

    Returns
    -------
    PlantResult or None
        What was recorded; None where the supply ends before the plant's life does.
    """
    result = electricity_of(query, capacity_mw, years, demand)
    if result is None:
        why = f"the wood in reach ends before the plant's life of {life_years(query)} years does, so later fuel has no price"
        ledger.put("lcoe_current", None, why)
        ledger.put("lcoe_constant", None, why)
        if query.line_km is not None:
            put_line(ledger, query.line_km, capacity_mw, None, None, _line_basis(query))
        return None
    basis = (
        f"{result.plant.inputs.economic_life_y} years, delivered cost of each year as the fuel price, discounted at the equity "
        f"return of {result.plant.inputs.equity_return_pct:g} %"
    )
    ledger.put("lcoe_current", result.lcoe_current_usd_per_mwh, f"{basis}; current dollars")
    ledger.put("lcoe_constant", result.lcoe_constant_usd_per_mwh, f"{basis}; constant dollars")
    _put_assumptions(ledger, result)
    if query.line_km is not None:
        without = electricity_of(query.with_(line_km=None), capacity_mw, years, demand)
        put_line(ledger, query.line_km, capacity_mw, result, without, _line_basis(query))
    table = result.cash_flow_table()
    ledger.table("cash_flow", tuple(table["columns"]), [tuple(r) for r in table["rows"]], "USD of each year")
    for caution in result.cautions:
        if caution.code not in _SAID_ELSEWHERE:
            ledger.caveat(caution.code, caution.message)
    rows = [(a.name, a.value, a.unit, a.meaning, a.source) for a in result.assumptions()]
    ledger.table("plant_assumptions", ("name", "value", "unit", "meaning", "source"), rows)
    return result


def _line_basis(query: SitingQuery) -> str:
    return "straight line to the nearest substation of the layer set" if query.line_to_substation else "as asked"


def _put_assumptions(ledger: Ledger, result: PlantResult) -> None:
    inputs, first, mwh = result.plant.inputs, result.rows[0], result.generation_mwh
    source = result.plant.source("capital_usd")
    ledger.put("capital_usd", inputs.capital_usd, "as asked" if source == "given" else "25 MW default scaled by capacity^0.82"
               if result.plant.technology != "gasification" else "0.5 MW default scaled by capacity^0.82")  # fmt: skip
    ledger.put("operating_usd_per_year", inputs.operating_usd_per_y, "scaled by capacity^0.82 unless given")
    ledger.put("fuel_usd_per_year", first.fuel_usd, "delivered cost of year one times the demand")
    payment = inputs.capacity_payment_usd_per_kw_y
    ledger.put("capacity_payment_usd_per_kw_y", payment, "FRREDSS default, optimistic; not escalated")
    ledger.put("capacity_income_usd_per_mwh", result.capacity_income_usd_per_mwh, "capacity payment over generation")
    credit = getattr(inputs, "production_tax_credit_usd_per_kwh", 0.0) * 1000
    ledger.put("production_tax_credit_usd_per_mwh", credit, "default: none" if credit == 0 else "as asked")
    heat = getattr(first, "heat_income_usd", 0.0) / mwh
    if result.plant.technology != "combustion":
        ledger.put("heat_income_usd_per_mwh", heat, "recovered heat sold, year one")
    if result.plant.technology == "gasification":
        ledger.put("char_income_usd_per_mwh", first.char_income_usd / mwh, "char sold, year one; price 0 unless given")
        if first.char_income_usd:
            ledger.caveat("char_overstated", "The reference applies the ash of dry wood to the wet feed, so it makes too much "
                          "char, by the factor one over one less moisture; read the char income as an upper figure.")  # fmt: skip
        ledger.put("dual_fuel_usd_per_mwh", first.dual_fuel_usd / mwh, "heavy diesel beside the wood, year one")


def check_plant(query: SitingQuery, capacity_mw: float) -> None:
    """Refuse a plant that the models cannot compute, before anything is read.

    Raises
    ------
    InvalidValueError
        Naming the value and how to mend it.
    """
    if capacity_mw <= 0:
        raise InvalidValueError(f"A plant of {capacity_mw:g} MW has no cost.", "Give a capacity above 0 MW.")
    plant_of(query, capacity_mw)
