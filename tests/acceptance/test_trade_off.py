"""Trade-offs of cost against fire, end to end on the demonstration layers."""

from __future__ import annotations

import re

import pytest
from tests.support.records import value

QUESTION = "Show the trade-off between cost and burn probability for 10 MW at Quincy"
CLAIMS_RISK_FALLS = re.compile(
    r"(?:reduc|lower|cut|halv|decreas|less)\w*\s+(?:the\s+)?(?:wild)?fire[\s-]*(?:risk|hazard|danger)?s?\s+(?:by|to|\d|in half)|"
    r"(?:wild)?fire[\s-]*risk\w*\s+(?:falls|drops|is (?:reduced|lowered|halved|cut))|times\s+(?:less|safer|lower)",
    re.I,
)


def rows(record, table):
    t = record["tables"][table]
    return [dict(zip(t["columns"], row, strict=True)) for row in t["rows"]]


@pytest.fixture(scope="module")
def trade_off(answer):
    return answer(QUESTION)


def test_it_is_answered_with_every_weight_and_the_named_points(trade_off):
    assert trade_off["status"] == "answered"
    assert trade_off["query"]["intent"] == "pareto"
    weights = [r["fire_weight"] for r in rows(trade_off, "pareto")]
    assert weights == [round(i / 100, 2) for i in range(101)]
    points = rows(trade_off, "pareto_points")
    assert [p["point"] for p in points][:3] == ["cost only", "at most 5 % dearer", "knee"]
    assert points[1]["average_delivered_cost_usd_per_bdt"] <= points[0]["average_delivered_cost_usd_per_bdt"] * 1.05
    assert value(trade_off, "knee_average_delivered_cost") == points[2]["average_delivered_cost_usd_per_bdt"]
    assert "trade_off" in {s["tool"] for s in trade_off["trace"]}


@pytest.mark.parametrize("weight", [0.0, 0.07, 0.2, 0.63, 1.0])
def test_a_weight_costs_what_a_site_question_at_it_costs(trade_off, answer, weight):
    site = answer(f"10 MW at Quincy with fire weight {weight:g}")
    assert site["query"]["fire_weight"] == weight
    row = rows(trade_off, "pareto")[round(weight * 100)]
    assert row["average_delivered_cost_usd_per_bdt"] == pytest.approx(value(site, "average_delivered_cost"), rel=1e-10)
    assert row["last_ton_usd_per_bdt"] == pytest.approx(value(site, "last_ton_cost"), rel=1e-10)
    assert row["burn_probability"] == pytest.approx(value(site, "mean_burn_probability"), rel=1e-10)
    assert row["burn_chance_20_years_pct"] == pytest.approx(value(site, "burn_chance_20_years_pct"), rel=1e-10)
    assert row["high_hazard_acres"] == pytest.approx(value(site, "high_hazard_acres"), rel=1e-10)
    assert row["weight_price_usd_per_bdt_per_pct"] == value(site, "fire_price_usd_per_bdt_per_pct")
    assert row["feedstock_bdt"] == pytest.approx(value(site, "feedstock_selected_bdt"), rel=1e-10)


@pytest.mark.case("A14")
def test_the_demand_is_the_one_of_every_other_path(trade_off, answer):
    assert value(trade_off, "demand_bdt") == value(answer("10 MW at Quincy"), "demand_bdt")


def test_the_limit_on_extra_cost_is_the_users(answer):
    tight = answer("Pareto front for 10 MW at Quincy, at most 1% more expensive")
    assert value(tight, "max_extra_cost_pct") == 1
    assert 0 <= value(tight, "within_extra_cost_pct") <= 1 + 1e-9
    best = max(
        r["burn_probability"]
        for r in rows(tight, "pareto")
        if r["average_delivered_cost_usd_per_bdt"] <= value(tight, "cost_only_average_delivered_cost") * 1.01
    )
    assert value(tight, "within_burn_probability") == best


def test_the_front_holds_no_dominated_point(trade_off):
    table = rows(trade_off, "pareto")
    pairs = [(r["average_delivered_cost_usd_per_bdt"], r["burn_probability"]) for r in table]
    for row, (cost, burn) in zip(table, pairs, strict=True):
        beaten = any(c <= cost and b >= burn and (c < cost or b > burn) for c, b in pairs)
        assert row["on_front"] == (not beaten)


@pytest.mark.case("A29")
@pytest.mark.parametrize("question", [
    QUESTION, "Trade-off of cost and fire at Burney, 20 MW", "Pareto 3 MW gasification Chester",
    "10 MW at Quincy with fire weight 0.8", "25 MW near Quincy, fire risk matters", "5 MW at Susanville, only fire",
    "10 MW Quincy, mostly about fire, at least 90 % of the tons from high hazard zones",
    "Compare Quincy and Burney for 10 MW, fire is important",
])  # fmt: skip
def test_no_text_says_that_risk_falls_by_a_factor(answer, question):
    """Case A29: burn probabilities of what is taken stand beside each other; nothing is said of how far risk falls."""
    record = answer(question)
    assert record["status"] in {"answered", "partial"}
    assert not CLAIMS_RISK_FALLS.search(record["text"]), record["text"]
    if record["query"]["intent"] == "pareto" or record["query"]["fire_weight"] >= 0.4:
        assert "as likely to burn" in record["text"]


def test_the_pattern_knows_the_claims_it_is_to_find():
    for claim in ("reduces fire risk by 2x", "cuts wildfire risk in half", "fire risk is halved", "lowers fire by 30 %",
                  "two times safer", "Fire risk drops"):  # fmt: skip
        assert CLAIMS_RISK_FALLS.search(claim), claim


def test_a_refusal_is_the_sites(answer):
    record = answer("Trade-off of cost against fire for 200 MW at Quincy within 5 km")
    assert record["status"] == "refused"
    assert record["reason"] == "demand_not_met"
    assert "pareto" not in record["tables"]
