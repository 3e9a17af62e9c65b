"""What selling the electricity at a named price brings, and what a subsidy a ton changes. Numbers only, no advice.

With R_y the revenue that year y requires (the cash flow's `energy_revenue_usd`), E the yearly generation, k the equity
return and N the life, the levelised cost is L = CRF(k, N) / E * sum_y R_y (1 + k)^-y. A price P_y brings, over what is
required, P_y E - R_y. R_y holds the tax on what it requires, so a dollar more is taxed once at the combined rate t, and

    NPV = (1 - t) * sum_y (P_y E - R_y) (1 + k)^-y        [USD, to the owners, after tax]

It is the net present value of the equity: the required revenue repays it with its return, whose present worth is the
equity itself. For a flat price P it equals (1 - t) (P - L) E / CRF(k, N), so it is zero exactly at P = L.
"""

from __future__ import annotations

from dataclasses import dataclass

from csrag.ask.computation.depletion import Depletion
from csrag.ask.computation.electricity import electricity_of
from csrag.ask.computation.facts import Ledger
from csrag.ask.records import SitingQuery
from csrag.economics.finance import present_worth_usd, recovery_factor
from csrag.economics.plant import PlantResult, lcoe_slope
from csrag.quantities import check

VIABILITY_VALUES = (
    "margin_usd_per_mwh", "margin_usd_per_year", "cash_margin_usd_per_year", "simple_payback_years", "npv_usd",
    "break_even_price_usd_per_mwh",
)  # fmt: skip
SUBSIDY_VALUES = ("lcoe_with_subsidy_current", "lcoe_with_subsidy_constant", "lcoe_change_by_subsidy")
NO_LCOE = "the wood in reach ends before the plant's life does, so there is no levelised cost to hold a price against"


@dataclass(frozen=True)
class Viability:
    """A price held against a plant's cash flow.

    Parameters
    ----------
    levelised_price : float
        Flat price worth the same over the life as the asked one [USD per MWh].
    margin : float
        Levelised price less the levelised cost, current dollars [USD per MWh].
    cash_margin_usd : float
        Year one: sales and other income less fuel and other costs, before debt, equity and tax [USD].
    payback_years : float or None
        Capital, power line included, over the cash margin; None where that is not positive.
    npv_usd : float
        Net present value to the owners at the equity return, after tax [USD].
    break_even_price : float
        Price of year one at which the net present value is zero [USD per MWh].
    """

    levelised_price: float
    margin: float
    cash_margin_usd: float
    payback_years: float | None
    npv_usd: float
    break_even_price: float


def viability(result: PlantResult, price_usd_per_mwh: float, escalation_pct: float = 0.0) -> Viability:
    """Hold a price of electricity against a plant.

    Parameters
    ----------
    result : PlantResult
        Cash flow of the plant.
    price_usd_per_mwh : float
        Paid in year one [USD per MWh].
    escalation_pct : float
        Growth of the price [percent a year]; 0 is flat in current dollars.

    Returns
    -------
    Viability
    """
    inputs, rows, mwh = result.tea.plant, result.rows, result.generation_mwh
    growth = 1 + escalation_pct / 100
    shape = [growth ** (row.year - 1) for row in rows]
    factor = recovery_factor(inputs.equity_return_pct / 100, inputs.economic_life_y)
    level = factor * sum(
        present_worth_usd(s, row.year, inputs.equity_return_pct) for s, row in zip(shape, rows, strict=True)
    )
    over = sum(
        present_worth_usd(price_usd_per_mwh * s * mwh - row.energy_revenue_usd, row.year, inputs.equity_return_pct)
        for s, row in zip(shape, rows, strict=True)
    )
    first = rows[0]
    carbon = first.carbon_credit_usd if inputs.include_carbon_credit else 0.0
    income = (
        price_usd_per_mwh * mwh + first.capacity_income_usd + first.heat_income_usd + first.char_income_usd + carbon
    )
    cash = income - first.fuel_usd - first.dual_fuel_usd - first.non_fuel_usd
    cost = result.lcoe_current_usd_per_mwh
    return Viability(
        levelised_price=price_usd_per_mwh * level,
        margin=price_usd_per_mwh * level - cost,
        cash_margin_usd=cash,
        payback_years=inputs.capital_usd / cash if cash > 0 else None,
        npv_usd=(1 - result.tea.combined_tax_pct / 100) * over,
        break_even_price=cost / level,
    )


def put_viability(
    ledger: Ledger, query: SitingQuery, capacity_mw: float, years: Depletion, result: PlantResult | None, demand: float
) -> None:
    """Record what a named power price brings and what a named subsidy changes; nothing where neither is named.

    Parameters
    ----------
    ledger : Ledger
        Holds the site's values, receives these.
    query : SitingQuery
        Price, its escalation, subsidy.
    capacity_mw : float
        [MW]
    years : Depletion
        Delivered cost of each year.
    result : PlantResult or None
        The plant on unsubsidised fuel; None where the supply ends before the plant's life does.
    demand : float
        [BDT per year]
    """
    subsidised = result
    if query.subsidy_usd_per_bdt is not None:
        subsidised = _put_subsidy(ledger, query, capacity_mw, years, result, demand)
    if query.power_price_usd_per_mwh is not None:
        _put_price(ledger, query, capacity_mw, result, subsidised, demand)


def _put_subsidy(ledger: Ledger, query: SitingQuery, capacity_mw: float, years: Depletion, result: PlantResult | None,
                 demand: float) -> PlantResult | None:  # fmt: skip
    subsidy = check("subsidy_usd_per_bdt", query.subsidy_usd_per_bdt or 0.0)
    ledger.put("subsidy_usd_per_bdt", subsidy, "as asked; price of year one, it grows like every other price")
    ledger.put("subsidy_usd_per_year", subsidy * demand, "year one, paid on every ton the plant burns")
    off = "less the subsidy, dollars of year one"
    for value_id, of in (("net_delivered_cost", "average_delivered_cost"),
                         ("life_net_delivered_cost", "life_average_delivered_cost")):  # fmt: skip
        cost = ledger.facts[of].value
        if cost is None:
            ledger.put(value_id, None, ledger.facts[of].basis)
        else:
            ledger.put(value_id, float(cost) - subsidy, off)
    if result is None:
        ledger.fill_missing(SUBSIDY_VALUES, NO_LCOE)
        return None
    with_it = electricity_of(query, capacity_mw, years, demand, subsidy)
    assert with_it is not None
    basis = "the plant's cash flow again, with the subsidy taken off each year's fuel price"
    ledger.put("lcoe_with_subsidy_current", with_it.lcoe_current_usd_per_mwh, f"{basis}; current dollars")
    ledger.put("lcoe_with_subsidy_constant", with_it.lcoe_constant_usd_per_mwh, f"{basis}; constant dollars")
    change = result.lcoe_current_usd_per_mwh - with_it.lcoe_current_usd_per_mwh
    ledger.put("lcoe_change_by_subsidy", change, "levelised cost without less with the subsidy, current dollars")
    return with_it


def _put_price(ledger: Ledger, query: SitingQuery, capacity_mw: float, plain: PlantResult | None,
               result: PlantResult | None, demand: float) -> None:  # fmt: skip
    price = check("power_price_usd_per_mwh", query.power_price_usd_per_mwh or 0.0)
    growth_pct = check("price_escalation_pct", query.price_escalation_pct or 0.0)
    path = f"growing by {growth_pct:g} % a year" if growth_pct else "flat in current dollars over the life"
    ledger.put("power_price_usd_per_mwh", price, f"as asked, {path}")
    ledger.put("price_escalation_pct", growth_pct, "as asked" if query.price_escalation_pct else "default: flat")
    if plain is None or result is None:
        ledger.fill_missing((*VIABILITY_VALUES, "subsidy_to_break_even_usd_per_bdt"), NO_LCOE)
        ledger.caveat("viability_not_computed", "Margin, payback and net present value are not given: the wood in reach ends "
                      "before the plant's life does, so its later fuel has no price.")  # fmt: skip
        return
    found = viability(result, price, growth_pct)
    aided = ", subsidy counted" if result is not plain else ""
    rate = result.plant.inputs.equity_return_pct
    ledger.put("equity_return_pct", rate, "discounts the net present value; the plant's own")
    ledger.put("margin_usd_per_mwh", found.margin, f"levelised price less levelised cost, current dollars{aided}")
    ledger.put(
        "margin_usd_per_year", found.margin * result.generation_mwh, f"margin times the year's generation{aided}"
    )
    ledger.put("cash_margin_usd_per_year", found.cash_margin_usd,
               f"year one: sales and other income less fuel and other costs, before debt, equity and tax{aided}")  # fmt: skip
    ledger.put("simple_payback_years", found.payback_years, f"capital, power line included, over year one's cash margin{aided}"
               if found.payback_years is not None else "year one brings no positive cash margin, so nothing is paid back")  # fmt: skip
    ledger.put("npv_usd", found.npv_usd, f"(1 - t) x sum over the life of (price x MWh - required revenue) x (1 + k)^-year, k = "
               f"{rate:g} % return on equity, t = {result.tea.combined_tax_pct:.4g} % combined tax; to the owners; "
               f"zero where the levelised price equals the levelised cost{aided}")  # fmt: skip
    ledger.put("break_even_price_usd_per_mwh", found.break_even_price,
               f"price of year one, {path}, at which the net present value is zero{aided}")  # fmt: skip
    _put_needed(ledger, query, capacity_mw, plain, price, growth_pct, demand)


def _put_needed(ledger: Ledger, query: SitingQuery, capacity_mw: float, plain: PlantResult, price: float,
                growth_pct: float, demand: float) -> None:  # fmt: skip
    """Subsidy at which the price covers the levelised cost: exact, because the cost is linear in the fuel's."""
    slope, _ = lcoe_slope(query.technology, capacity_mw, demand, query.overrides)
    ledger.put(
        "lcoe_usd_per_mwh_per_usd_per_bdt", slope, "current dollars; a fuel cost that grows like every other price"
    )
    short = -viability(plain, price, growth_pct).margin
    needed = max(short / slope, 0.0)
    how = "price of year one, on every ton burned: (levelised cost less levelised price) over the slope"
    basis = how if short > 0 else "the price covers the levelised cost without a subsidy"
    ledger.put("subsidy_to_break_even_usd_per_bdt", needed, basis)
    ledger.put("subsidy_to_break_even_usd_per_year", needed * demand, "that subsidy times the year's demand")
