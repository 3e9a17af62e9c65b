"""Finance closed forms, input checks, the door, and the tables they are made from."""

from __future__ import annotations

import copy
import dataclasses
import math
import subprocess
import sys
from decimal import Decimal, getcontext
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csrag.economics import models
from csrag.economics.carbon import credit_usd, standard_g_per_mj
from csrag.economics.finance import DEPRECIATION_20, depreciation_shares, real_rate, recovery_factor
from csrag.economics.grid import LineInputs, default_line, line_cost
from csrag.economics.inputs import PLANT_INPUTS, ChpInputs, GpInputs, GpoInputs
from csrag.economics.schema import Checked, Interval
from csrag.economics.tables import OPERATING_COSTS
from csrag.economics.tea import evaluate
from csrag.errors import InvalidValueError

ANCHORS = {
    "GPO": (0.142317, 0.119902),
    "CHP": (0.086487, 0.072865),
    "GP": (0.157888, 0.137606),
}
"""Cost of electricity at the front end's defaults, current and constant [USD per kWh]."""


def package_inputs(model: str) -> dict[str, Any]:
    """The defaults of a model under the package's names."""
    nested: dict[str, Any] = {}
    for field in PLANT_INPUTS[model].table:
        group, _, key = field.path.rpartition(".")
        value = list(field.default) if field.kind == "shares" else field.default
        (nested.setdefault(group, {}) if group else nested)[key] = value
    return nested


def changed(model: str, path: str, value: Any) -> dict[str, Any]:
    inputs = package_inputs(model)
    holder = inputs
    *groups, key = path.split(".")
    for group in groups:
        holder = holder[group]
    holder[key] = value
    return inputs


# --- closed forms -----------------------------------------------------------------------------------------------------


def exact_factor(rate: str, years: int) -> float:
    getcontext().prec = 80
    grown = (1 + Decimal(rate)) ** years
    return float(Decimal(rate) * grown / (grown - 1))


@pytest.mark.parametrize("rate", ["0.15", "0.05", "1e-4", "1e-9", "1e-11", "1e-16", "1e-30", "-0.02", "-1e-12", "3"])
@pytest.mark.parametrize("years", [1, 2, 20, 40])
def test_recovery_factor_is_right_at_every_rate(rate: str, years: int) -> None:
    assert recovery_factor(float(rate), years) == pytest.approx(exact_factor(rate, years), rel=1e-14)


def test_recovery_factor_at_zero_is_the_limit() -> None:
    assert recovery_factor(0.0, 20) == 1 / 20


@given(st.floats(0.001, 50), st.floats(0, 8))
def test_real_rate_is_the_plain_form(nominal_pct: float, inflation_pct: float) -> None:
    plain = (1 + nominal_pct / 100) / (1 + inflation_pct / 100) - 1
    assert real_rate(nominal_pct, inflation_pct) == pytest.approx(plain, abs=1e-15)


@given(st.integers(1, 60))
def test_depreciation_writes_off_the_whole_capital(years: int) -> None:
    shares = depreciation_shares(years)
    assert len(shares) == years
    assert sum(shares) == pytest.approx(1, abs=1e-12)


def test_depreciation_jumps_between_19_and_20_years() -> None:
    assert depreciation_shares(19)[:2] == (1 / 19, 1 / 19)
    assert depreciation_shares(20)[:16] == DEPRECIATION_20


def test_the_carbon_standard_falls_and_the_credit_is_never_a_charge() -> None:
    assert standard_g_per_mj(2025) == pytest.approx(86.8375)
    assert standard_g_per_mj(2030) == pytest.approx(79.985)
    assert standard_g_per_mj(2088) > 0 > standard_g_per_mj(2089)
    assert credit_usd(2025, 2025, 196, 500, 1, 2.6, 175_200_000) == 0
    assert credit_usd(2025, 2025, 196, 0, 1, 2.6, 175_200_000) == pytest.approx(10.7349e6, rel=1e-4)


# --- plants -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", ANCHORS)
def test_anchors(model: str) -> None:
    outputs = models.run(model.lower(), package_inputs(model))
    assert tuple(round(v, 6) for v in outputs["SensitivityAnalysis"].values()) == ANCHORS[model]
    assert outputs["CombinedTaxRate"] == pytest.approx(41.725)
    assert models.evaluate(model, package_inputs(model)).cautions == ()


def test_fuel_demand_of_25_mw() -> None:
    base = evaluate(GpoInputs.default()).base
    assert base.fuel_green_t == pytest.approx(338_950.99, abs=0.01)
    assert base.generation_kwh == 175_200_000


def test_principal_is_repaid_at_any_rate() -> None:
    for interest in (0.0, 1e-9, 5.0):
        plant = GpoInputs.default(debt_interest_pct=interest, equity_return_pct=interest, general_inflation_pct=0.0)
        last = evaluate(plant).rows[-1]
        assert last.debt_principal_remaining_usd == pytest.approx(0, abs=1e-6)
        assert last.equity_principal_remaining_usd == pytest.approx(0, abs=1e-6)


def test_the_tax_credit_is_worth_its_share_of_the_tax_factor() -> None:
    """Kept from the reference: a deduction worth t/(1-t), not a credit worth 1/(1-t)."""
    without = evaluate(GpoInputs.default()).rows[0]
    plant = GpoInputs.default(production_tax_credit_usd_per_kwh=0.010625)
    with_credit = evaluate(plant).rows[0]
    factor = 0.41725 / (1 - 0.41725)
    assert with_credit.tax_credit_usd == pytest.approx(1.8615e6)
    assert factor == pytest.approx(0.716, abs=1e-3)
    assert without.taxes_usd - with_credit.taxes_usd == pytest.approx(factor * 1.8615e6)
    assert "tax_credit_as_deduction" in {c.code for c in plant.cautions()}


def test_a_year_of_life_never_returns_the_reserve() -> None:
    plant = GpoInputs.default(economic_life_y=1)
    (row,) = evaluate(plant).rows
    assert row.debt_reserve_usd > 0
    assert "reserve_not_returned" in {c.code for c in plant.cautions()}


def test_gas_composition_never_touches_cost() -> None:
    one = evaluate(GpInputs.default())
    other = evaluate(GpInputs.default(co_pct=5.0, h2_pct=1.0, ch4_pct=0.5, co2_pct=30.0))
    assert one.lcoe_current_usd_per_kwh == other.lcoe_current_usd_per_kwh
    assert one.base.fuel_green_t == other.base.fuel_green_t


def test_equal_return_and_inflation_spread_the_present_worth_evenly() -> None:
    result = evaluate(ChpInputs.default(equity_return_pct=2.6))
    assert result.real_rate == 0
    assert result.lcoe_constant_usd_per_kwh == pytest.approx(result.total_present_usd / 20 / result.base.generation_kwh)


# --- refusals and cautions --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "path", "value", "named"),
    [
        ("GPO", "CapitalCost", "1e8", "text"),
        ("GPO", "CapitalCost", math.nan, "finite"),
        ("GPO", "CapitalCost", math.inf, "finite"),
        ("GPO", "CapitalCost", 10**400, "finite"),
        ("GPO", "CapitalCost", None, "finite"),
        ("GPO", "CapitalCost", True, "finite"),
        ("GPO", "CapitalCost", -1, "at least 0"),
        ("GPO", "ElectricalFuelBaseYear.MoistureContent", 100, "below 100"),
        ("GPO", "ElectricalFuelBaseYear.CapacityFactor", 100.5, "at most 100"),
        ("GPO", "Financing.EconomicLife", 20.5, "whole"),
        ("GPO", "Financing.EconomicLife", 0, "from 1 to 1000"),
        ("GPO", "Financing.EconomicLife", "20", "text"),
        ("GPO", "Financing.EconomicLife", 21, "TaxCreditFrac"),
        ("GPO", "Financing.CostOfEquity", -100, "above -100"),
        ("GPO", "TaxCreditFrac", [1, 1, None] * 10, "number"),
        ("GPO", "TaxCreditFrac", "11111111111111111111", "list"),
        ("GPO", "Taxes", {"FederalTaxRate": 100, "StateTaxRate": 7.5, "ProductionTaxCredit": 0}, "tax"),
        ("GPO", "IncludeCarbonCredit", "yes", "true or false"),
        ("GPO", "Financing", 5, "missing"),
        ("CHP", "HeatBaseYear.AggregateFractionOfHeatRecovered", 101, "from 0 to 100"),
        ("GP", "ElectricalFuelBaseYear.CO", 80, "109 %"),
        ("GP", "ElectricalFuelBaseYear.CarbonConcentration", 100, "below 100"),
        ("GPO", "CapitalCost", 1e308, "too large"),
        ("GPO", "ElectricalFuelBaseYear.NetElectricalCapacity", 1e-320, "too large or too small"),
    ],
)
def test_what_has_no_meaning_is_refused(model: str, path: str, value: Any, named: str) -> None:
    with pytest.raises(InvalidValueError, match=named) as refusal:
        models.run(model, changed(model, path, value))
    assert refusal.value.fix


def test_every_problem_is_named_at_once() -> None:
    inputs = changed("GPO", "CapitalCost", "x")
    inputs["Financing"]["DebtRatio"] = None
    with pytest.raises(InvalidValueError, match=r"CapitalCost.*DebtRatio"):
        models.run("gpo", inputs)


@pytest.mark.parametrize("model", list(PLANT_INPUTS))
def test_every_input_is_required_but_the_flag(model: str) -> None:
    for field in PLANT_INPUTS[model].table:
        inputs = package_inputs(model)
        *groups, key = field.path.split(".")
        holder = inputs
        for group in groups:
            holder = holder[group]
        del holder[key]
        if field.required:
            with pytest.raises(InvalidValueError, match=key):
                models.run(model, inputs)
        else:
            assert key == "IncludeCarbonCredit"
            assert models.run(model, inputs) == models.run(model, package_inputs(model))


@pytest.mark.parametrize("kind", ["hydrogen", "", None, 5])
def test_unknown_models_are_refused(kind: Any) -> None:
    with pytest.raises(InvalidValueError, match="no economic model"):
        models.run(kind, {})


@pytest.mark.parametrize("kind", models.KINDS)
@pytest.mark.parametrize(
    "inputs", [{}, [], None, "x", {"Miles": 3}, {"model": "GPO", "teaModel": "GPO"}, {"model": []}]
)
def test_rubbish_is_refused_everywhere(kind: str, inputs: Any) -> None:
    if kind == "energyRevenueRequired" and isinstance(inputs, dict) and inputs.get("model") != "GPO":
        inputs = {"model": "GPO", "includeCarbonCredit": 3}
    with pytest.raises(InvalidValueError):
        models.run(kind, inputs)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"efficiency_pct": 45.0}, "NetStationEfficiency"),
        ({"capital_usd": 1e6}, "USD per kW"),
        ({"labour_usd_per_y": 1e8}, "labour_usd_per_y"),
        ({"debt_ratio_pct": 110.0}, "DebtRatio"),
        ({"fuel_usd_per_green_t": -30.0}, "BiomassFuelCost"),
        ({"tax_credit_shares": (2.0,) * 20}, "TaxCreditFrac"),
    ],
)
def test_outside_the_advised_range_is_computed_with_a_caution(changes: dict[str, Any], words: str) -> None:
    plant = GpoInputs.default(**changes)
    assert math.isfinite(evaluate(plant).lcoe_current_usd_per_kwh)
    (caution,) = plant.cautions()
    assert caution.code == "outside_model_range"
    assert words in caution.message


def test_gross_capacity_above_the_fuel_power_is_said() -> None:
    messages = [c.message for c in ChpInputs.default(gross_capacity_kw=130_000.0).cautions()]
    assert any("negative" in m for m in messages)


# --- power line, substation, sensitivity, project ---------------------------------------------------------------------


def line_inputs(miles: float, length: str = "> 10 miles") -> dict[str, Any]:
    names = ("Forested", "Flat", "Wetland", "Farmland", "Desert", "Urban", "Hills", "Mountain")
    return {
        "VoltageClass": "230 kV Single Circuit", "ConductorType": "ACSS", "Structure": "Lattice",
        "LengthCategory": length, "NewOrReconductor": "New", "AverageTerrainMultiplier": 1,
        "Miles": dict.fromkeys(names, 0) | {f"Zone{n}": int(n == 1) for n in range(1, 13)} | {"Forested": miles},
    }  # fmt: skip


def test_the_line_is_dearer_just_below_a_class_limit() -> None:
    def musd(miles: float, length: str) -> float:
        return float(models.run("transmission", line_inputs(miles, length))["AllCost"] / 1e6)

    assert [round(musd(m, c), 2) for m, c in ((2.99, "< 3 miles"), (3, "3-10 miles"))] == [13.22, 10.61]
    assert [round(musd(m, c), 2) for m, c in ((10, "3-10 miles"), (10.01, "> 10 miles"))] == [35.37, 29.50]


def test_a_line_of_the_wrong_class_is_computed_with_a_caution() -> None:
    outcome = models.evaluate("transmission", line_inputs(2.0))
    assert [c.code for c in outcome.cautions] == ["length_class_mismatch"]
    assert outcome.outputs["ROWcost"] == pytest.approx(1293)


@pytest.mark.parametrize(
    "change", [{"VoltageClass": "115 kV"}, {"ConductorType": "AAC"}, {"Structure": "Wood"}, {"Miles": {"Forested": 1}}]
)
def test_an_unknown_line_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(InvalidValueError):
        models.run("transmission", line_inputs(5) | change)


def test_a_line_has_a_length() -> None:
    for miles in (0, -1):
        with pytest.raises(InvalidValueError):
            models.run("transmission", line_inputs(miles))
    with pytest.raises(InvalidValueError, match="0 miles"):
        default_line(0.0)
    assert isinstance(default_line(5.0), LineInputs)
    assert line_cost(default_line(5.0)).total_usd == pytest.approx(11.0e6, rel=0.005)


STATION = {
    "Voltage": "345 kV Substation", "NewOrExisting": "New", "CircuitBreakerType": "Ring Bus", "NoLineXFMRPositions": 2,
    "HVDCconverter": "No", "TransformerType": "115/345 kV XFMR", "MVAratingPerTransformer": 100, "NoTransformers": 1,
    "SVCmvarRating": 0, "ShuntReactorMVARrating": 0, "SeriesCapacitorMVARrating": 0,
}  # fmt: skip


def test_a_part_without_a_price_is_counted_as_nothing_and_said() -> None:
    assert models.evaluate("substation", STATION).cautions == ()
    outcome = models.evaluate("substation", STATION | {"TransformerType": "138/500 kV XFMR"})
    assert outcome.outputs["Transformer"] == 0
    assert [c.code for c in outcome.cautions] == ["part_without_price"]
    outcome = models.evaluate("substation", STATION | {"HVDCconverter": "600 kV HVDC Converter"})
    assert outcome.outputs["HVDCconverter"] == 0
    assert [c.code for c in outcome.cautions] == ["part_without_price"]
    none = STATION | {"TransformerType": "138/500 kV XFMR", "NoTransformers": 0}
    assert models.evaluate("substation", none).cautions == ()


@pytest.mark.parametrize("change", [{"CircuitBreakerType": "Fuse"}, {"TransformerType": "1/2"}, {"NoTransformers": -1}])
def test_an_unknown_substation_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(InvalidValueError):
        models.run("substation", STATION | change)


def sensitivity_inputs() -> dict[str, Any]:
    ends = {"CapitalCost": (0, 2e8), "BiomassFuelCost": (0, 100), "DebtRatio": (0, 100), "DebtInterestRate": (0, 15),
            "CostOfEquity": (0, 50), "NetStationEfficiency": (5, 50), "CapacityFactor": (40, 100)}  # fmt: skip
    ranges = {name: {"low": low, "high": high} for name, (low, high) in ends.items()}
    return {"model": "GPO", "input": package_inputs("GPO"), **ranges}


def test_sensitivity_reaches_zero_rates() -> None:
    outputs = models.run("sensitivity", sensitivity_inputs())
    assert {len(s["constantLAC"]) for s in outputs.values()} == {21}
    assert outputs["CostOfEquity"]["relativeChange"][0] == -100
    assert outputs["CapitalCost"]["constantLAC"][10] == pytest.approx(0.119902, abs=1e-6)


def test_sensitivity_needs_a_base_and_points_with_a_meaning() -> None:
    inputs = sensitivity_inputs()
    inputs["input"]["ExpensesBaseYear"]["BiomassFuelCost"] = 0
    with pytest.raises(InvalidValueError, match="percent"):
        models.run("sensitivity", inputs)
    inputs = sensitivity_inputs() | {"CapacityFactor": {"low": 0, "high": 100}}
    with pytest.raises(InvalidValueError, match="CapacityFactor"):
        models.run("sensitivity", inputs)


def project_inputs(years: int) -> dict[str, Any]:
    year = {"feedstockCostPerDryTonne": 60, "dryFeedstockTonnes": 169_475, "harvestDiesel": 1e5, "unloadDiesel": 8760,
            "gasoline": 0, "jetfuel": 0, "distanceKm": 1e6, "equipmentPrice": 0}  # fmt: skip
    return {"teaModel": "GPO", "teaInputs": package_inputs("GPO"), "transmission": line_inputs(0),
            "distanceMetres": 5000, "years": [copy.deepcopy(year) for _ in range(years)]}  # fmt: skip


def test_project_at_a_zero_return_has_numbers() -> None:
    inputs = project_inputs(3)
    inputs["teaInputs"]["Financing"]["CostOfEquity"] = 0
    rows = models.run("project", inputs)["years"]
    assert len(rows) == 3
    assert all(math.isfinite(row["currentLCOE"]) for row in rows)
    assert models.run("project", project_inputs(0))["totalPresentWorth"] == 0


def test_project_refuses_more_years_than_the_life_and_no_distance() -> None:
    with pytest.raises(InvalidValueError, match="21 years"):
        models.run("project", project_inputs(21))
    with pytest.raises(InvalidValueError, match="distanceMetres"):
        models.run("project", project_inputs(1) | {"distanceMetres": 0})
    broken = project_inputs(2)
    broken["years"][1]["gasoline"] = "0"
    with pytest.raises(InvalidValueError, match="gasoline"):
        models.run("project", broken)


# --- tables -----------------------------------------------------------------------------------------------------------


def all_records(kind: type[Checked]) -> list[type[Checked]]:
    return [kind, *(r for k in kind.__subclasses__() for r in all_records(k))]


@pytest.mark.parametrize("record", [r for r in all_records(Checked) if r.table], ids=lambda r: r.__name__)
def test_a_record_has_the_fields_of_its_table(record: type[Checked]) -> None:
    assert {f.name for f in dataclasses.fields(record)} == {f.name for f in record.table}  # type: ignore[arg-type]
    assert len({f.path for f in record.table}) == len(record.table)
    for field in record.table:
        assert field.meaning
        assert field.unit
        if field.default is not None:
            assert field.problem(field.default) is None
            assert not field.advice(field.default)


def test_operating_costs_are_fields() -> None:
    for kind in PLANT_INPUTS.values():
        assert set(OPERATING_COSTS) < {f.name for f in kind.table}


def test_intervals_in_words() -> None:
    assert str(Interval(0, 100)) == "from 0 to 100"
    assert str(Interval(0, 100, low_open=True)) == "above 0 and at most 100"
    assert str(Interval()) == "any number"


def test_reference_page_is_current(project_root: Path) -> None:
    tool = [sys.executable, str(project_root / "tools" / "make_economics_reference.py"), "--check"]
    done = subprocess.run(tool, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_import_is_light() -> None:
    code = "import sys, csrag.economics.models, csrag.economics.plant; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# --- anything at all --------------------------------------------------------------------------------------------------

EXTREME = st.one_of(
    st.floats(),
    st.sampled_from([0, -1, 1e-300, 1e300, -1e300, 5e-324, 100, 99.99999999999999, 10**30, "x", None, [], {}]),
)


@given(st.sampled_from(sorted(ANCHORS)), st.lists(st.tuples(st.integers(0, 60), EXTREME), min_size=1, max_size=4))
def test_finite_numbers_or_a_refusal_whatever_comes(model: str, changes: list[tuple[int, Any]]) -> None:
    table = PLANT_INPUTS[model].table
    inputs = package_inputs(model)
    for index, value in changes:
        *groups, key = table[index % len(table)].path.split(".")
        holder = inputs
        for group in groups:
            holder = holder[group]
        holder[key] = value
    try:
        outcome = models.evaluate(model, inputs)
    except InvalidValueError:
        return

    def numbers(thing: Any) -> list[float]:
        if isinstance(thing, dict | list):
            return [n for item in (thing.values() if isinstance(thing, dict) else thing) for n in numbers(item)]
        return [thing]

    assert all(map(math.isfinite, numbers(outcome.outputs)))
