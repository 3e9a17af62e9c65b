"""A price held against a cash flow: the identities that tie net present value and levelised cost together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csrag.ask.computation.viability import viability
from csrag.economics.finance import recovery_factor
from csrag.economics.plant import lcoe, lcoe_slope

TECHNOLOGIES = st.sampled_from(["combustion", "chp", "gasification"])
OVERRIDES = st.fixed_dictionaries(
    {},
    optional={
        "equity_return_pct": st.floats(2, 30),
        "debt_interest_pct": st.floats(0, 12),
        "debt_ratio_pct": st.floats(0, 95),
        "economic_life_y": st.integers(3, 30).map(float),
        "capital_usd": st.floats(1e6, 3e8),
        "capacity_factor_pct": st.floats(40, 95),
    },
)


def plant(technology="combustion", fuel=60.0, overrides=None):
    return lcoe(technology, 25.0, fuel, 186_815.0, overrides or {})


@given(TECHNOLOGIES, st.floats(10, 150), OVERRIDES, st.floats(-3, 6))
def test_npv_is_zero_at_the_price_that_breaks_even(technology, fuel, overrides, growth):
    result = plant(technology, fuel, overrides)
    scale = 1e-9 * sum(abs(r.energy_revenue_usd) for r in result.rows)
    price = viability(result, 100.0, growth).break_even_price
    found = viability(result, price, growth)
    assert found.npv_usd == pytest.approx(0, abs=scale)
    assert found.margin == pytest.approx(0, abs=1e-9 * max(abs(price), 1))
    flat = viability(result, result.lcoe_current_usd_per_mwh)
    assert flat.npv_usd == pytest.approx(0, abs=scale)
    assert flat.break_even_price == pytest.approx(result.lcoe_current_usd_per_mwh, rel=1e-12)


@given(TECHNOLOGIES, st.floats(10, 150), OVERRIDES, st.floats(20, 400))
def test_npv_of_a_flat_price_in_closed_form(technology, fuel, overrides, price):
    result = plant(technology, fuel, overrides)
    inputs = result.tea.plant
    found = viability(result, price)
    factor = recovery_factor(inputs.equity_return_pct / 100, inputs.economic_life_y)
    tax = result.tea.combined_tax_pct / 100
    closed = (1 - tax) * (price - result.lcoe_current_usd_per_mwh) * result.generation_mwh / factor
    scale = 1e-9 * sum(abs(r.energy_revenue_usd) for r in result.rows)
    assert found.npv_usd == pytest.approx(closed, rel=1e-9, abs=scale)
    assert found.margin == pytest.approx(price - result.lcoe_current_usd_per_mwh, rel=1e-9, abs=1e-9)


@given(TECHNOLOGIES, st.floats(10, 150), OVERRIDES, st.floats(20, 400), st.floats(-3, 6))
def test_npv_equals_the_owners_own_cash_flow(technology, fuel, overrides, price, growth):
    """Built the long way: equity in, then each year sales less costs, debt, reserve and the tax on taxable income."""
    result = plant(technology, fuel, overrides)
    inputs, mwh = result.tea.plant, result.generation_mwh
    tax, k = result.tea.combined_tax_pct / 100, inputs.equity_return_pct / 100
    npv = -result.tea.money.equity_usd
    gross = abs(npv)
    for row in result.rows:
        sales = price * (1 + growth / 100) ** (row.year - 1) * mwh
        income = sales + row.capacity_income_usd + row.heat_income_usd + row.char_income_usd + row.reserve_interest_usd
        costs = row.fuel_usd + row.dual_fuel_usd + row.non_fuel_usd
        taxable = income - costs - row.debt_interest_usd - row.depreciation_usd
        owners = income - costs - row.debt_recovery_usd - row.debt_reserve_usd - tax * taxable
        npv += owners / (1 + k) ** row.year
        gross += abs(income) + abs(costs)
    assert viability(result, price, growth).npv_usd == pytest.approx(npv, rel=1e-7, abs=1e-9 * gross)


@given(TECHNOLOGIES, st.floats(20, 150), st.floats(0, 40), OVERRIDES)
def test_the_slope_gives_the_subsidy_that_an_exact_run_gives(technology, fuel, subsidy, overrides):
    plain, aided = plant(technology, fuel, overrides), plant(technology, fuel - subsidy, overrides)
    slope, _ = lcoe_slope(technology, 25.0, 186_815.0, overrides)
    change = plain.lcoe_current_usd_per_mwh - aided.lcoe_current_usd_per_mwh
    assert change == pytest.approx(slope * subsidy, rel=1e-9, abs=1e-7)


def test_payback_is_capital_over_the_first_years_cash():
    result = plant()
    found = viability(result, 200.0)
    first = result.rows[0]
    cash = 200 * result.generation_mwh + first.capacity_income_usd - first.fuel_usd - first.non_fuel_usd
    assert found.cash_margin_usd == pytest.approx(cash)
    assert found.payback_years == pytest.approx(100_000_000 / cash)


def test_a_price_that_covers_no_cash_cost_pays_nothing_back():
    assert viability(plant(fuel=300.0), 20.0).payback_years is None


def test_a_growing_price_is_worth_more():
    assert viability(plant(), 150.0, 2.0).npv_usd > viability(plant(), 150.0).npv_usd
    assert viability(plant(), 150.0, 2.0).break_even_price < viability(plant(), 150.0).break_even_price
