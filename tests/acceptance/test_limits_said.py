"""What was asked is used, or said not to be: budgets, ranges, intents that are not computed, later circles."""

from __future__ import annotations

import pytest
from tests.support.records import codes, value


def test_a_budget_is_held_against_the_fuel_bill(answer):
    over, under = (
        answer("25 MW at Quincy for at most $5 million a year"),
        answer("25 MW at Quincy on a fuel budget of $9 million a year"),
    )
    assert (over["status"], over["reason"]) == ("partial", "budget_exceeded")
    assert value(over, "fuel_bill_usd_per_year") > 5e6
    assert value(over, "largest_capacity_mw") < 25
    assert "over your budget" in over["text"]
    assert under["status"] == "answered"
    assert "within your budget" in under["text"]
    fits = answer(
        f"{value(over, 'largest_capacity_mw'):.9f} MW at Quincy within {value(over, 'radius_km')} km for at most $5 million a year"
    )
    assert fits["status"] == "answered"
    assert value(fits, "fuel_bill_usd_per_year") <= 5e6


def test_a_capacity_range_is_swept(answer):
    record = answer("Somewhere between 20 and 30 MW at Burney, what would it cost?")
    rows = record["tables"]["capacity_range"]["rows"]
    assert [row[0] for row in rows] == [20, 25, 30]
    for mw, row in zip((20, 25, 30), rows, strict=True):
        alone = answer(f"{mw} MW at Burney")
        assert row[4] == value(alone, "average_delivered_cost")
        assert row[7] == value(alone, "lcoe_current")
    assert "20 MW" in record["text"]
    assert "30 MW" in record["text"]


@pytest.mark.parametrize(
    ("question", "intent", "table"),
    [
        ("Show the trade-off between cost and burn probability for 10 MW at Chester", "pareto", "pareto"),
        ("Where in Plumas County is the best site for 5 MW?", "search", "best_sites"),
        ("Compare Quincy and Chester for 5 MW", "compare", "comparison"),
        ("How much SDI55 residue is there in Plumas County?", "lookup", "treatments"),
    ],
)
def test_every_intent_is_computed(answer, question, intent, table):
    record = answer(question)
    assert (record["status"], record["query"]["intent"]) == ("answered", intent)
    assert record["tables"][table]["rows"]


def test_the_edge_caveat_speaks_of_the_circle_the_life_reaches(answer):
    record = answer("30 MW at Burney over 30 years")
    assert "life_data_edge" in codes(record)
    message = next(w["message"] for w in record["warnings"] if w["code"] == "life_data_edge")
    last = record["tables"]["projection"]["rows"][-1]
    assert f"{last[1]:g} km" in message


def test_other_plants_in_the_circle_are_named_with_their_demand_and_not_netted_off(answer):
    plain = answer("10 MW at Burney")
    rows = plain["tables"]["plants_in_circle"]["rows"]
    assert any("Burney" in row[0] for row in rows)
    assert all(row[1] <= value(plain, "radius_km") for row in rows)
    assert value(plain, "plants_in_circle_bdt") == pytest.approx(sum(row[3] for row in rows))
    assert "plants_in_circle" in codes(plain)
    counted = answer("10 MW at Burney with existing plants")
    assert "plants_in_circle" not in codes(counted)
    assert value(counted, "radius_km") > value(plain, "radius_km")
    assert value(counted, "average_delivered_cost") > value(plain, "average_delivered_cost")
