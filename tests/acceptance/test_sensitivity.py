"""Sensitivity, power price and subsidy, end to end on the demonstration layers."""

from __future__ import annotations

from itertools import pairwise

import pytest
from tests.support.records import codes, value

PLACE = "10 MW at Quincy within 70 km"
DEARER_IS_NEVER_CHEAPER = ("diesel_usd_per_gal", "driver_wage_usd_per_h", "logging_wages_usd_per_h", "capital_usd",
                           "debt_interest_pct", "moisture_pct")  # fmt: skip
OVERRIDES = {
    "diesel_usd_per_gal": "diesel at ${:.12g} a gallon",
    "driver_wage_usd_per_h": "driver wages ${:.12g} an hour",
    "moisture_pct": "{:.12g} % moisture",
    "capacity_factor_pct": "capacity factor {:.12g} %",
    "efficiency_pct": "efficiency {:.12g} %",
    "capital_usd": "capital cost ${:.12g}",
    "equity_return_pct": "return on equity {:.12g} %",
    "debt_interest_pct": "debt interest {:.12g} %",
}


def rows(record, table):
    t = record["tables"][table]
    return [dict(zip(t["columns"], row, strict=True)) for row in t["rows"]]


@pytest.fixture(scope="module")
def tornado(answer):
    return answer(f"Tornado for {PLACE}")


@pytest.fixture(scope="module")
def plain(answer):
    return answer(PLACE)


def test_the_tornado_stands_on_the_plain_answer(tornado, plain):
    assert tornado["status"] == "answered"
    assert "sensitivity_circle_held" in codes(tornado)
    found = rows(tornado, "tornado")
    assert len(found) == 9
    for row in found:
        assert row["delivered_base_usd_per_bdt"] == value(plain, "average_delivered_cost")
        assert row["lcoe_base_usd_per_mwh"] == value(plain, "lcoe_current")
        ends = [row[f"lcoe_{e}_usd_per_mwh"] for e in ("low", "base", "high")]
        assert row["lcoe_swing_usd_per_mwh"] == max(ends) - min(ends)
    swings = [row["lcoe_swing_usd_per_mwh"] for row in found]
    assert swings == sorted(swings, reverse=True)
    assert value(tornado, "largest_driver_lcoe_swing") == swings[0]
    assert value(tornado, "smallest_driver_lcoe_swing") == swings[-1]
    assert value(tornado, "largest_driver") == found[0]["label"]


def test_the_ends_of_a_bar_are_what_asking_with_that_value_gives(tornado, answer):
    for row in rows(tornado, "tornado"):
        template = OVERRIDES.get(row["parameter"])
        for end in ("low", "high"):
            if template is None:
                assert row["parameter"] == "logging_wages_usd_per_h"
                share = row[f"{end}_value"] / 100
                words = f"faller wages ${35.13 * share:.12g} an hour and other workers ${22.07 * share:.12g} an hour"
            else:
                words = template.format(row[f"{end}_value"])
            record = answer(f"{PLACE}, {words}")
            assert record["status"] == "answered", words
            assert row[f"delivered_{end}_usd_per_bdt"] == value(record, "average_delivered_cost"), words
            assert row[f"life_{end}_usd_per_bdt"] == value(record, "life_average_delivered_cost"), words
            assert row[f"lcoe_{end}_usd_per_mwh"] == value(record, "lcoe_current"), words


def test_what_makes_things_dearer_makes_nothing_cheaper(tornado):
    for row in rows(tornado, "tornado"):
        if row["parameter"] in DEARER_IS_NEVER_CHEAPER:
            for what in ("delivered_{}_usd_per_bdt", "lcoe_{}_usd_per_mwh"):
                low, base, high = (row[what.format(e)] for e in ("low", "base", "high"))
                assert low <= base + 1e-9, row["parameter"]
                assert base <= high + 1e-9, row["parameter"]


def test_an_automatic_circle_is_held_and_the_life_reaches_on(answer):
    record, base = answer("Tornado for 10 MW at Quincy: efficiency, diesel, capital"), answer("10 MW at Quincy")
    for row in rows(record, "tornado"):
        assert row["lcoe_base_usd_per_mwh"] == value(base, "lcoe_current")
        assert None not in (row["lcoe_low_usd_per_mwh"], row["lcoe_high_usd_per_mwh"])
    diesel = next(r for r in rows(record, "tornado") if r["parameter"] == "diesel_usd_per_gal")
    # Diesel changes no demand, so the question with that price has the same circle.
    again = answer(f"10 MW at Quincy, diesel at ${diesel['high_value']:g} a gallon")
    assert diesel["delivered_high_usd_per_bdt"] == value(again, "average_delivered_cost")
    assert diesel["lcoe_high_usd_per_mwh"] == value(again, "lcoe_current")


def test_a_sweep_with_its_own_steps_passes_through_the_plain_answer(answer, plain):
    record = answer(f"{PLACE}, diesel from 3 to 7 in 50 cent steps")
    assert record["status"] == "answered"
    found = rows(record, "sweep")
    assert [r["value"] for r in found] == [3, 3.5, 4, 4.5, 5, 5.5, 6, 6.5, 7]
    base = [r for r in found if r["base"]]
    assert [r["value"] for r in base] == [4.5]
    assert base[0]["average_delivered_usd_per_bdt"] == value(plain, "average_delivered_cost")
    assert base[0]["lcoe_current_usd_per_mwh"] == value(plain, "lcoe_current")
    assert base[0]["lcoe_constant_usd_per_mwh"] == value(plain, "lcoe_constant")
    assert base[0]["life_average_usd_per_bdt"] == value(plain, "life_average_delivered_cost")
    costs = [r["average_delivered_usd_per_bdt"] for r in found]
    assert all(a < b for a, b in pairwise(costs))
    assert "$3.00 per gallon" in record["text"]


def test_how_sensitive_to_efficiency_is_21_points_of_20_percent(answer):
    record = answer("How sensitive is the LCOE of a 9 MW cogen in Quincy to its efficiency?")
    found = rows(record, "sweep")
    assert len(found) == 21
    assert (found[0]["value"], found[10]["value"], found[-1]["value"]) == (16, 20, 24)
    assert {r["parameter"] for r in found} == {"efficiency_pct"}
    assert found[10]["base"]
    demands = [r["demand_bdt"] for r in found]
    assert all(a > b for a, b in pairwise(demands))
    assert found[10]["lcoe_current_usd_per_mwh"] == value(record, "lcoe_current")


def test_an_override_is_the_base(answer):
    record = answer(f"Tornado for {PLACE} with diesel at $6 a gallon")
    dear = answer(f"{PLACE}, diesel at $6 a gallon")
    bar = next(r for r in rows(record, "tornado") if r["parameter"] == "diesel_usd_per_gal")
    assert (bar["low_value"], bar["base_value"], bar["high_value"]) == (4.8, 6, 7.2)
    assert bar["lcoe_base_usd_per_mwh"] == value(dear, "lcoe_current")


def test_a_value_outside_its_range_is_cut_and_said(answer):
    record = answer(f"{PLACE}, capacity factor from 60 to 140 % in steps of 20")
    assert "sensitivity_clipped" in codes(record)
    assert [r["value"] for r in rows(record, "sweep")] == [60, 80, 100]
    wide = answer(f"tornado +/- 60 % for {PLACE}: capacity factor, diesel")
    assert "sensitivity_clipped" in codes(wide)
    factor = next(r for r in rows(wide, "tornado") if r["parameter"] == "capacity_factor_pct")
    assert (factor["low_value"], factor["high_value"]) == (32, 100)


def test_an_end_without_supply_is_null_with_its_reason(answer):
    record = answer("10 MW at Quincy within 22 km, efficiency from 4 to 20 % in steps of 8")
    first = rows(record, "sweep")[0]
    assert first["lcoe_current_usd_per_mwh"] is None
    assert first["note"]
    assert codes(record) & {"sweep_incomplete", "sensitivity_incomplete"}


def test_an_assumption_of_another_technology_is_left_out(answer):
    record = answer(f"tornado for {PLACE}: gas efficiency, diesel")
    assert "sensitivity_not_applicable" in codes(record)
    assert [r["parameter"] for r in rows(record, "tornado")] == ["diesel_usd_per_gal"]


def test_a_price_against_the_cost(answer, plain):
    record = answer(f"{PLACE}, if the PPA pays $199.72/MWh")
    cost = value(plain, "lcoe_current")
    assert value(record, "lcoe_current") == cost
    assert value(record, "margin_usd_per_mwh") == pytest.approx(199.72 - cost, abs=1e-9)
    assert value(record, "margin_usd_per_year") == pytest.approx(
        (199.72 - cost) * value(record, "generation_mwh"), rel=1e-9
    )
    assert value(record, "break_even_price_usd_per_mwh") == pytest.approx(cost, rel=1e-12)
    assert value(record, "simple_payback_years") == pytest.approx(
        value(record, "capital_usd") / value(record, "cash_margin_usd_per_year"), rel=1e-12)  # fmt: skip
    assert "flat in current dollars" in record["text"]
    for advice in ("should", "recommend", "worth it", "good investment"):
        assert advice not in record["text"].lower()
    at_cost = answer(f"{PLACE}, if the PPA pays ${cost:.9f}/MWh")
    assert abs(value(at_cost, "npv_usd")) < 1
    assert value(plain, "lcoe_current") > 0
    assert "npv_usd" not in plain["values"]


def test_the_subsidy_that_breaks_even_does(answer):
    first = answer(f"{PLACE}, how much subsidy to break even at 120/MWh")
    needed = value(first, "subsidy_to_break_even_usd_per_bdt")
    assert needed > 0
    again = answer(f"{PLACE} with a subsidy of ${needed:.9f} per BDT, PPA pays $120/MWh")
    assert value(again, "margin_usd_per_mwh") == pytest.approx(0, abs=1e-6)
    assert value(again, "lcoe_with_subsidy_current") == pytest.approx(120, abs=1e-6)
    assert value(again, "net_delivered_cost") == pytest.approx(
        value(again, "average_delivered_cost") - needed, abs=1e-8
    )
    assert value(answer(f"{PLACE}, PPA pays $500/MWh"), "subsidy_to_break_even_usd_per_bdt") == 0


def test_no_price_is_judged_where_the_wood_ends_first(answer):
    record = answer("10 MW at Quincy within 22 km, PPA pays $150/MWh, subsidy of $10 per BDT")
    assert value(record, "lcoe_current") is None
    for value_id in ("margin_usd_per_mwh", "npv_usd", "simple_payback_years", "lcoe_with_subsidy_current"):
        assert value(record, value_id) is None
        assert record["values"][value_id]["basis"]
    assert value(record, "net_delivered_cost") == pytest.approx(value(record, "average_delivered_cost") - 10)
    assert "viability_not_computed" in codes(record)
    assert "wood in reach ends" in record["text"]


@pytest.mark.parametrize("words", ["PPA pays $99999/MWh", "subsidy of $5000 per BDT", "tornado +/- 95 %"])
def test_values_out_of_range_are_refused(answer, words):
    record = answer(f"{PLACE}, {words}")
    assert record["status"] == "refused"
    assert record["exit_code"] == 2


@pytest.mark.parametrize("question", [f"Tornado for {PLACE}", f"{PLACE}, diesel from 3 to 7 in 50 cent steps",
                                      f"{PLACE}, how sensitive to moisture and capital?"])  # fmt: skip
def test_the_terminal_shows_the_tables_in_80_columns(demo, question):
    import io

    from rich.console import Console

    from csrag.ask.pipeline import ask
    from csrag.interfaces.cli.show import show_answer

    out = io.StringIO()
    show_answer(ask(demo, question), Console(file=out, width=80, highlight=False))
    text = out.getvalue()
    assert "USD/MWh" in text
    assert max(map(len, text.splitlines())) <= 80
    assert "Tornado" in text or "Along" in text


def test_variants_without_fires_and_other_plants_say_so(answer):
    record = answer(f"Tornado for {PLACE}, counting other plants: diesel, capital")
    assert "sensitivity_plain_years" in codes(record)
    assert "leave fires and other plants out" in record["text"]
