"""Ranges, steps, power prices and subsidies in questions."""

from __future__ import annotations

import numpy as np
import pytest

from csrag.ask.intent import parse

DIESEL = "diesel_usd_per_gal"


@pytest.mark.parametrize(
    ("words", "parameter", "values"),
    [
        ("diesel from 3 to 7 in 50 cent steps", DIESEL, np.arange(3, 7.01, 0.5)),
        ("diesel from $3 to $7 in 50-cent steps", DIESEL, np.arange(3, 7.01, 0.5)),
        ("sweep diesel 3-7 $/gal in steps of 0.5", DIESEL, np.arange(3, 7.01, 0.5)),
        ("vary diesel from $7 down to $3", DIESEL, np.linspace(3, 7, 21)),
        ("diesel between 4 and 5 dollars by 0.1", DIESEL, np.arange(4, 5.01, 0.1)),
        ("diesel from 3 to 7", DIESEL, np.linspace(3, 7, 21)),
        ("moisture 35 to 55 %", "moisture_pct", np.linspace(35, 55, 21)),
        ("moisture between 35 and 55 percent in 5 point steps", "moisture_pct", [35, 40, 45, 50, 55]),
        ("a moisture of 35 to 55 % every 10 %", "moisture_pct", [35, 45, 55]),
        ("capacity factor from 0.7 to 0.9 in 5 points", "capacity_factor_pct", [70, 75, 80, 85, 90]),
        ("capacity factor from 70 to 90 % in 4 steps", "capacity_factor_pct", [70, 75, 80, 85, 90]),
        ("capital from $80 million to $120 million in steps of $20 million", "capital_usd", [80e6, 100e6, 120e6]),
        ("capital 4000 to 6000 $/kW sensitivity", "capital_usd", np.linspace(100e6, 150e6, 21)),
        ("wages from 20 to 40 $/h in 4 steps", "wages_usd_per_h", [20, 25, 30, 35, 40]),
        ("driver wages from $20 to $30 by $5", "driver_wage_usd_per_h", [20, 25, 30]),
        ("plant life from 15 to 17 years", "economic_life_y", [15, 16, 17]),
        ("equity return 10 to 20 % in 5 % steps", "equity_return_pct", [10, 15, 20]),
        ("interest rate 4 to 6 % in steps of 1", "debt_interest_pct", [4, 5, 6]),
    ],
)  # fmt: skip
def test_a_range_of_an_assumption_is_a_sweep(words, parameter, values):
    query = parse(f"25 MW at Quincy, {words}")
    assert query.intent == "sensitivity"
    assert [s["parameter"] for s in query.sweep] == [parameter]
    assert query.sweep[0]["values"] == pytest.approx(tuple(values), rel=1e-12)
    assert query.tornado_parameters == (parameter,)
    assert query.overrides == {}
    assert query.capacity_mw == 25


@pytest.mark.parametrize(
    "words",
    ["diesel at 6.25, radius 20 to 40 km", "20 to 30 MW", "diesel 5 and moisture 40 %", "10, 15 and 20 MW", "35 % moisture"],
)  # fmt: skip
def test_what_is_no_range_of_an_assumption_is_left_alone(words):
    query = parse(f"Quincy plant, {words}")
    assert query.sweep == ()
    assert query.intent != "sensitivity"


@pytest.mark.parametrize(
    ("question", "named", "pct"),
    [
        ("Tornado for 25 MW at Quincy", (), None),
        ("tornado +/- 10 % for 25 MW at Quincy", (), 10),
        ("tornado ±15% at Quincy, 25 MW", (), 15),
        ("tornado for 25 MW at Quincy, plus or minus 30 percent", (), 30),
        ("tornado for 25 MW at Quincy, 25 % either way", (), 25),
        ("what drives the cost of 25 MW at Quincy?", (), None),
        ("Tornado chart for 20 MW at Quincy: diesel, wages, moisture, capacity factor",
         (DIESEL, "driver_wage_usd_per_h", "logging_wages_usd_per_h", "moisture_pct", "capacity_factor_pct"), None),
        ("sensitivity of 25 MW at Quincy to discount rate and capital", ("equity_return_pct", "capital_usd"), None),
        ("How sensitive is the LCOE of a 9 MW cogen in Quincy to its efficiency?", ("efficiency_pct",), None),
    ],
)  # fmt: skip
def test_named_assumptions_and_their_reach(question, named, pct):
    query = parse(question)
    assert query.intent == "sensitivity"
    assert query.tornado_parameters == named
    assert query.sensitivity_pct == pct


def test_a_tornado_has_no_curves_and_a_question_about_one_assumption_has_one():
    assert parse("tornado of diesel and moisture, 25 MW at Quincy").sweep == ()
    assert [dict(s) for s in parse("how sensitive is 25 MW at Quincy to diesel?").sweep] == [
        {"parameter": DIESEL, "values": ()}
    ]


def test_an_override_beside_its_own_word_is_the_base_and_not_the_subject():
    query = parse("tornado for 25 MW at Quincy with diesel at $6, everything ±15%")
    assert query.overrides == {DIESEL: 6}
    assert query.tornado_parameters == ()


def test_a_follow_up_keeps_the_sweep_until_the_subject_changes():
    first = "20 MW at Quincy, diesel from 3 to 7"
    assert parse("and for 30 MW?", [first]).sweep == parse(first).sweep
    what_if = parse("what if moisture is 40 %?", [first])
    assert (what_if.intent, what_if.overrides) == ("sensitivity", {"moisture_pct": 40})
    assert parse("just the delivered cost", [first]).sweep == ()
    assert [s["parameter"] for s in parse("moisture from 35 to 55 %", [first]).sweep] == ["moisture_pct"]


def test_too_many_steps_are_thinned_and_said():
    query = parse("25 MW at Quincy, diesel from 3 to 7 in 1 cent steps")
    values = query.sweep[0]["values"]
    assert len(values) == 51
    assert (values[0], values[-1]) == (3, 7)
    assert any("too many" in n for n in query.notes)


@pytest.mark.parametrize(
    ("words", "price", "growth"),
    [
        ("if the PPA pays $199.72/MWh", 199.72, None),
        ("power price 140 $/MWh", 140, None),
        ("at 14 c/kWh", 140, None),
        ("at 14 cents per kWh", 140, None),
        ("sold at $0.1277 per kWh", 127.7, None),
        ("the tariff is 145 dollars per megawatt-hour", 145, None),
        ("PPA at 120 per MWh", 120, None),
        ("14 per kWh", 140, None),
        ("the contract pays $140/MWh escalating at 2 % a year", 140, 2),
        ("PPA of $140/MWh with a 1.5% annual escalator", 140, 1.5),
        ("PPA of $140/MWh with 1.5 % per year escalation", 140, 1.5),
        ("PPA $1,140/MWh", 1140, None),
    ],
)
def test_power_prices(words, price, growth):
    query = parse(f"25 MW at Quincy, {words}")
    assert query.power_price_usd_per_mwh == pytest.approx(price, rel=1e-12)
    if growth is not None:
        assert query.price_escalation_pct == growth
    assert query.intent == "site"
    assert query.capacity_mw == 25
    assert query.max_cost_usd_per_bdt is None
    assert "power_price_usd_per_mwh" in query.explicit


@pytest.mark.parametrize(
    "words", ["LCOE under 150 $/MWh", "a tax credit of $27/MWh", "heat sold as steam at $12/MWh", "200,000 MWh a year"]
)
def test_what_is_no_power_price(words):
    assert parse(f"25 MW at Quincy, {words}").power_price_usd_per_mwh is None


@pytest.mark.parametrize(
    ("words", "subsidy"),
    [
        ("with a subsidy of $20 per BDT", 20),
        ("subsidised at $15 a bone dry ton", 15),
        ("$20/BDT incentive", 20),
        ("a $20 subsidy per BDT", 20),
        ("incentive of $10 per green ton, 40 % moisture", 10 / 0.6),
        ("incentive of $10 per green ton", 20),
        ("keep the cost under $60/BDT", None),
        ("how much subsidy to break even at 120/MWh", None),
    ],
)
def test_subsidies(words, subsidy):
    query = parse(f"25 MW at Quincy, {words}")
    assert query.subsidy_usd_per_bdt == (None if subsidy is None else pytest.approx(subsidy, rel=1e-12))
    if subsidy is not None:
        assert query.max_cost_usd_per_bdt is None


def test_price_and_subsidy_are_carried_and_taken_back():
    first = ["25 MW at Quincy, PPA pays $150/MWh, subsidy of $10 per BDT"]
    carried = parse("and at 30 MW?", first)
    assert (carried.power_price_usd_per_mwh, carried.subsidy_usd_per_bdt) == (150, 10)
    assert parse("without the subsidy", first).subsidy_usd_per_bdt is None
    assert parse("no PPA", first).power_price_usd_per_mwh is None


def test_a_wanted_subsidy_without_a_price_says_what_is_missing():
    assert any("power price" in n for n in parse("25 MW at Quincy, how much subsidy is needed?").notes)
