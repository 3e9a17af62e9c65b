"""Rules on a supply, end to end on the demonstration layers: kept, told, and where they cannot be kept, what is possible."""

from __future__ import annotations

import numpy as np
import pytest
from tests.support.records import codes, value

HIGH = "10 MW at Quincy within 40 km with at least 97% of the tons from high hazard zones"


def rows(record, table):
    t = record["tables"][table]
    return [dict(zip(t["columns"], row, strict=True)) for row in t["rows"]]


def share_of_land(record, use):
    return next((r["selected_share_pct"] for r in rows(record, "land") if r["land_use"] == use), 0.0)


def test_a_share_from_high_hazard_zones_is_enforced_in_the_selection(answer):
    free, ruled = answer("10 MW at Quincy within 40 km"), answer(HIGH)
    assert ruled["status"] == "answered"
    assert value(ruled, "high_hazard_share_pct") >= 97
    assert value(ruled, "free_high_hazard_share_pct") < 97
    assert value(ruled, "free_average_delivered_cost") == pytest.approx(value(free, "average_delivered_cost"))
    assert value(ruled, "rules_extra_cost") > 0
    assert value(ruled, "average_delivered_cost") == pytest.approx(
        value(ruled, "free_average_delivered_cost") + value(ruled, "rules_extra_cost")
    )
    assert rows(ruled, "rules")[0]["state"] == "binding"
    assert "that rule binds" in ruled["text"]
    assert value(ruled, "feedstock_selected_bdt") >= value(ruled, "demand_bdt")


def test_a_rule_that_is_kept_anyway_is_slack_and_changes_nothing(answer):
    free = answer("10 MW at Quincy within 40 km")
    ruled = answer("10 MW at Quincy within 40 km with at least 10% of the tons from high hazard zones")
    assert rows(ruled, "rules")[0]["state"] == "slack"
    assert value(ruled, "rules_extra_cost") == 0
    for name in ("average_delivered_cost", "selected_clusters", "life_average_delivered_cost", "lcoe_current"):
        assert value(ruled, name) == value(free, name)


def test_shares_of_land_hold(answer):
    free = answer("10 MW at Quincy within 40 km")
    least = share_of_land(free, "usfs") + 20
    ruled = answer(f"10 MW at Quincy within 40 km, at least {least:.0f} % from national forest")
    assert ruled["query"]["min_land_share_pct"] == {"usfs": round(least)}
    assert share_of_land(ruled, "usfs") >= round(least)
    most = share_of_land(free, "private") - 20
    ruled = answer(f"10 MW at Quincy within 40 km, no more than {most:.0f} % from private land")
    assert share_of_land(ruled, "private") <= round(most) + 0.5


def test_the_longest_haul_holds_and_what_lies_beyond_is_counted(answer):
    free = answer("10 MW at Quincy within 40 km")
    ruled = answer("10 MW at Quincy within 40 km, no haul over 18 miles")
    assert value(ruled, "longest_haul_km") <= value(ruled, "max_road_km") == pytest.approx(18 * 1.609344)
    assert max(r["road_km"] for r in rows(ruled, "supply_curve")) <= 18 * 1.609344
    assert value(ruled, "feedstock_available_bdt") + value(ruled, "beyond_haul_bdt") == pytest.approx(
        value(free, "feedstock_available_bdt")
    )
    assert value(ruled, "average_delivered_cost") >= value(free, "average_delivered_cost")


def test_a_rule_costs_more_the_tighter_it_is(answer):
    averages = [
        value(
            answer(f"10 MW at Quincy within 30 km with at least {p} % of the tons from national forest"),
            "average_delivered_cost",
        )
        for p in (20, 40, 60)
    ]
    assert averages == sorted(averages)


def test_the_automatic_circle_leaves_the_usual_choice_under_the_rules(answer):
    free = answer("10 MW at Quincy")
    ruled = answer("10 MW at Quincy with at least 80% of the tons from national forest")
    assert value(ruled, "radius_km") > value(free, "radius_km")
    assert "rules on the supply allow" in ruled["values"]["radius_km"]["basis"]
    assert ruled["status"] == "answered"


@pytest.mark.case("A46")
def test_rules_that_cannot_be_kept_say_which_binds_and_what_is_possible(answer):
    """Case A46."""
    record = answer(
        "25 MW at Quincy within 20 km with at least 70 % from national forest and at least 99 % of the tons from high hazard zones"
    )
    assert record["status"] == "refused"
    assert record["reason"] == "rules_not_met"
    assert 0 < value(record, "obtainable_bdt") < value(record, "demand_bdt")
    assert 0 < value(record, "largest_capacity_mw") < 25
    assert value(record, "binding_rule") == "tons from national forest land"
    assert value(record, "without_binding_rule_bdt") > value(record, "demand_bdt")
    assert value(record, "radius_needed_km") > 20
    assert "What binds is the rule on tons from national forest land" in record["text"]
    assert record["values"]["average_delivered_cost"]["value"] is None
    # What is said to be possible is possible, and the circle that is said to be enough is.
    smaller = answer(
        f"{value(record, 'largest_capacity_mw') * 0.99:.2f} MW at Quincy within 20 km with at least 70 % from national forest and "
        "at least 99 % of the tons from high hazard zones"
    )
    assert smaller["status"] == "answered"
    wider = answer(
        f"25 MW at Quincy within {value(record, 'radius_needed_km'):g} km with at least 70 % from national forest and at least "
        "99 % of the tons from high hazard zones"
    )
    assert wider["status"] == "answered"


def test_a_haul_limit_that_binds_says_so(answer):
    record = answer("25 MW at Quincy within 28 km, no haul over 9 miles")
    assert record["reason"] == "rules_not_met"
    assert value(record, "binding_rule") == "the longest haul"
    assert "What binds is the rule on the longest haul" in record["text"]


@pytest.mark.parametrize(("question", "part"), [
    ("10 MW at Quincy with at least 60 % from private land and at least 60 % from national forest", "add up to 120 %"),
    ("10 MW at Quincy on national forest land only, at least 20 % from private land", "not taken"),
])  # fmt: skip
def test_rules_that_contradict_each_other_are_refused_with_the_way_out(answer, question, part):
    record = answer(question)
    assert record["status"] == "refused"
    assert part in record["text"]


def test_the_largest_plant_keeps_the_rules(answer):
    free = answer("Largest plant at Quincy within 30 km under $48 per BDT")
    ruled = answer(
        "Largest plant at Quincy within 30 km under $48 per BDT with at least 60% of the tons from national forest"
    )
    assert 0 < value(ruled, "max_capacity_mw") < value(free, "max_capacity_mw")
    assert value(ruled, "average_delivered_cost") <= 48 + 1e-6
    assert share_of_land(ruled, "usfs") >= 60 - 0.5


def test_the_life_keeps_the_rules(answer):
    record = answer("5 MW at Quincy over 20 years with at least 97% of the tons from high hazard zones")
    assert record["status"] == "answered"
    assert "rules_every_year" in codes(record)
    free = answer("5 MW at Quincy over 20 years")
    assert value(record, "life_average_delivered_cost") >= value(free, "life_average_delivered_cost") - 0.05
    tons = np.array([r["feedstock_bdt"] for r in rows(record, "projection")])
    assert (tons >= value(record, "demand_bdt")).all()
