"""Cost of electricity of a plant at a delivered fuel cost: anchors, scaling, laws, refusals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from csrag.economics.inputs import GpoInputs
from csrag.economics.plant import (
    MODEL_OF,
    PlantEconomics,
    fuel_path,
    lcoe,
    lcoe_slope,
    model_demand_bdt,
)
from csrag.economics.tables import OPERATING_COSTS
from csrag.economics.tea import evaluate
from csrag.errors import InvalidValueError
from csrag.quantities import TONNE_PER_SHORT_TON

BDT_25_MW = 186_815.0
SIZE_MW = {"combustion": 25.0, "chp": 25.0, "gasification": 0.5}
LOOP = {
    "combustion": (0.1015, 0.1350, 0.1686, 0.2022, 0.2358),
    "chp": (0.0456, 0.0792, 0.1128, 0.1464, 0.1799),
    "gasification": (0.402, 0.438, 0.474, 0.510, 0.546),
}
"""Reference yearly loop: current USD per kWh at 0, 30, 60, 90, 120 USD per BDMT in year one, rising 2.6 % a year, with a
5 km power line."""


def form_price_path() -> list[float]:
    """The form's 22.05 USD per green tonne at 50 % moisture, rising 2.1 % a year [USD per BDT]."""
    return [44.10 * TONNE_PER_SHORT_TON * 1.021**k for k in range(20)]


def demand(technology: str) -> float:
    return model_demand_bdt(PlantEconomics.of(technology, SIZE_MW[technology]))


@pytest.mark.parametrize("technology", LOOP)
def test_anchors_of_the_yearly_loop(technology: str) -> None:
    for first, want in zip((0, 30, 60, 90, 120), LOOP[technology], strict=True):
        path = fuel_path(first * TONNE_PER_SHORT_TON, 2.6, 20)
        got = lcoe(technology, SIZE_MW[technology], path, demand(technology), line_km=5)
        digits = 3 if technology == "gasification" else 4
        assert round(got.lcoe_current_usd_per_mwh / 1000, digits) == want


@pytest.mark.parametrize(
    ("km", "current", "constant"),
    [(1, 0.1441, 0.1214), (5, 0.1494, 0.1259), (10, 0.1565, 0.1318), (16.0, 0.1650, 0.1390), (16.2, 0.1615, 0.1360),
     (24.4, 0.1711, 0.1442), (50, 0.2014, 0.1697)],
)  # fmt: skip
def test_anchors_of_the_power_line(km: float, current: float, constant: float) -> None:
    got = lcoe("combustion", 25, form_price_path(), demand("combustion"), line_km=km)
    assert round(got.lcoe_current_usd_per_mwh / 1000, 4) == current
    assert round(got.lcoe_constant_usd_per_mwh / 1000, 4) == constant
    assert got.line is not None
    assert got.assumptions()[-1].name == "line_usd"
    assert got.rows[0].depreciation_usd == pytest.approx(0.05 * (100e6 + got.line.total_usd))


@pytest.mark.parametrize(
    ("technology", "current", "constant"),
    [("combustion", 142.317, 119.902), ("chp", 86.487, 72.865), ("gasification", 157.888, 137.606)],
)
def test_the_forms_price_gives_the_forms_cost(technology: str, current: float, constant: float) -> None:
    got = lcoe(technology, SIZE_MW[technology], form_price_path(), demand(technology))
    assert round(got.lcoe_current_usd_per_mwh, 3) == current
    assert round(got.lcoe_constant_usd_per_mwh, 3) == constant
    assert got.line is None


@pytest.mark.parametrize(
    ("technology", "mw", "bdt"), [("combustion", 25, 186_815), ("chp", 25, 186_815), ("gasification", 3, 23_992)]
)
def test_demand_is_the_one_of_every_other_path(technology: str, mw: float, bdt: float) -> None:
    assert round(model_demand_bdt(PlantEconomics.of(technology, mw))) == bdt


def test_slope_of_25_mw() -> None:
    current, constant = lcoe_slope("combustion", 25, BDT_25_MW)
    assert current == pytest.approx(1.23, abs=0.005)
    assert current * TONNE_PER_SHORT_TON / 10 == pytest.approx(0.112, abs=0.0005)  # cents per kWh per USD per BDMT
    dear, cheap = lcoe("combustion", 25, 61.3, BDT_25_MW), lcoe("combustion", 25, 60.3, BDT_25_MW)
    assert dear.lcoe_current_usd_per_mwh - cheap.lcoe_current_usd_per_mwh == pytest.approx(current, rel=1e-9)
    assert dear.lcoe_constant_usd_per_mwh - cheap.lcoe_constant_usd_per_mwh == pytest.approx(constant, rel=1e-9)


@pytest.mark.parametrize("technology", MODEL_OF)
def test_the_forms_fuel_price_has_no_effect(technology: str) -> None:
    base = lcoe(technology, 3, 60, 20_000)
    same = lcoe(technology, 3, 60, 20_000, {"fuel_usd_per_green_t": 500.0, "fuel_escalation_pct": 8.0})
    assert base.tea.rows == same.tea.rows


def test_a_single_price_grows_by_the_models_inflation() -> None:
    assert lcoe("combustion", 25, 60, BDT_25_MW).fuel_usd_per_bdt[1] == pytest.approx(60 * 1.026)
    assert lcoe("gasification", 3, 60, 24_000).fuel_usd_per_bdt[1] == pytest.approx(60 * 1.021)
    given = lcoe("combustion", 25, 60, BDT_25_MW, {"general_inflation_pct": 4.0})
    assert given.fuel_usd_per_bdt[-1] == pytest.approx(60 * 1.04**19)


def test_scaling_of_capital_and_yearly_costs() -> None:
    at_reference = PlantEconomics.of("combustion", 25).inputs
    assert at_reference == GpoInputs.default()
    small = PlantEconomics.of("combustion", 5).inputs
    for name in ("capital_usd", *OPERATING_COSTS):
        want = getattr(at_reference, name) * 0.2**0.82
        assert getattr(small, name) == pytest.approx(want, abs=0.51)
    assert PlantEconomics.of("gasification", 3).inputs.gross_capacity_kw == pytest.approx(3900)  # type: ignore[attr-defined]
    given = PlantEconomics.of("combustion", 5, {"capital_usd": 1e8, "labour_usd_per_y": 1.0})
    assert given.inputs.capital_usd == 1e8
    assert given.source("capital_usd") == "given"
    assert given.source("maintenance_usd_per_y") == "scaled"
    assert given.source("debt_ratio_pct") == "default"


def test_overrides_of_a_question_are_handed_over_whole() -> None:
    question = {"diesel_usd_per_gal": 6.5, "driver_wage_usd_per_h": 40.0, "equity_return_pct": 10.0}
    got = lcoe("combustion", 25, 60, BDT_25_MW, question)
    assert (
        got.lcoe_current_usd_per_mwh
        == lcoe("combustion", 25, 60, BDT_25_MW, {"equity_return_pct": 10.0}).lcoe_current_usd_per_mwh
    )
    by_name = {a.name: a for a in got.assumptions()}
    assert by_name["equity_return_pct"].source == "given"
    assert by_name["capacity_payment_usd_per_kw_y"].value == 166
    assert by_name["production_tax_credit_usd_per_kwh"].value == 0
    assert got.capacity_income_usd_per_mwh == pytest.approx(23.69, abs=0.01)


def test_a_long_life_gets_a_credit_list_of_its_length() -> None:
    got = lcoe("combustion", 25, 60, BDT_25_MW, {"economic_life_y": 33})
    assert len(got.rows) == 33
    assert len(got.plant.inputs.tax_credit_shares) == 33
    assert lcoe("combustion", 25, [60.0] * 40, BDT_25_MW, {"economic_life_y": 10}).fuel_usd_per_bdt == (60.0,) * 10


def test_the_table_has_every_item_of_every_year() -> None:
    got = lcoe("gasification", 3, 60, 23_992)
    table = got.cash_flow_table()
    assert len(table["rows"]) == 20
    assert {len(row) for row in table["rows"]} == {len(table["columns"])}
    column = table["columns"].index("fuel_usd")
    assert [row[column] for row in table["rows"]] == pytest.approx([60 * 1.021**k * 23_992 for k in range(20)])


def test_cautions() -> None:
    def codes(*args: Any, **options: Any) -> list[str]:
        return [c.code for c in lcoe(*args, **options).cautions]

    assert codes("combustion", 25, 60, BDT_25_MW) == []
    assert codes("combustion", 5, 60, BDT_25_MW / 5) == ["small_plant_optimistic"]
    assert codes("combustion", 25, 60, BDT_25_MW / 2) == ["demand_differs_from_plant"]
    assert codes("gasification", 3, 60, 23_992) == []
    assert codes("combustion", 25, 60, BDT_25_MW, {"efficiency_pct": 20, "debt_interest_pct": 20}) == [
        "outside_model_range"
    ]


@given(st.sampled_from(sorted(MODEL_OF)), st.floats(0.1, 200), st.floats(-20, 200), st.floats(0, 40))
def test_more_dear_fuel_never_makes_cheaper_electricity(technology: str, mw: float, price: float, more: float) -> None:
    bdt = mw * 7473
    low, high = lcoe(technology, mw, price, bdt), lcoe(technology, mw, price + more, bdt)
    assert math.isfinite(low.lcoe_current_usd_per_mwh)
    assert low.lcoe_current_usd_per_mwh <= high.lcoe_current_usd_per_mwh + 1e-9
    assert low.lcoe_constant_usd_per_mwh <= high.lcoe_constant_usd_per_mwh + 1e-9


@given(
    equity=st.floats(0, 50), debt=st.floats(0, 100), interest=st.floats(0, 15), inflation=st.floats(0, 8),
    life=st.integers(1, 40),
)  # fmt: skip
def test_never_a_number_that_is_none(equity: float, debt: float, interest: float, inflation: float, life: int) -> None:
    plant = GpoInputs.default(
        equity_return_pct=equity, debt_ratio_pct=debt, debt_interest_pct=interest, general_inflation_pct=inflation,
        economic_life_y=life, tax_credit_shares=(0.0,) * life,
    )  # fmt: skip
    result = evaluate(plant)
    assert all(math.isfinite(v) for v in (result.lcoe_current_usd_per_kwh, result.lcoe_constant_usd_per_kwh))
    assert all(math.isfinite(row.energy_revenue_usd) for row in result.rows)


@pytest.mark.parametrize("price", [np.float32(60), np.int64(60), np.full(20, 60.0), (60,) * 20])
def test_numbers_of_other_kinds(price: Any) -> None:
    assert lcoe("combustion", np.float64(25), price, np.float32(186_815)).fuel_usd_per_bdt[0] == 60


@pytest.mark.parametrize(
    "arguments",
    [
        ("nuclear", 25, 60, 1e5),
        ("combustion", 0, 60, 1e5),
        ("combustion", math.nan, 60, 1e5),
        ("combustion", "25", 60, 1e5),
        ("combustion", 25, math.nan, 1e5),
        ("combustion", 25, "60", 1e5),
        ("combustion", 25, "6" * 20, 1e5),
        ("combustion", 25, None, 1e5),
        ("combustion", 25, [60] * 19, 1e5),
        ("combustion", 25, [60] * 19 + [None], 1e5),
        ("combustion", 25, 60, -1),
        ("combustion", 25, 60, 1e5, {"moisture_pct": 100}),
        ("combustion", 25, 60, 1e5, {"economic_life_y": 20.5}),
        ("combustion", 25, 60, 1e5, {"economic_life_y": 0}),
        ("combustion", 25, 60, 1e5, {"debt_interest_pct": "5"}),
        ("combustion", 25, 1e308, 1e300),
    ],
)
def test_what_has_no_meaning_is_refused(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(InvalidValueError) as refusal:
        lcoe(*arguments)
    assert refusal.value.fix


def test_a_line_of_no_length_is_refused() -> None:
    with pytest.raises(InvalidValueError):
        lcoe("combustion", 25, 60, BDT_25_MW, line_km=0)
