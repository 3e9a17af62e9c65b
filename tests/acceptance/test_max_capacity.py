"""The largest plant: the site at its capacity keeps the limit, one more cluster breaks it."""

from __future__ import annotations

import numpy as np
import pytest
from tests.support.records import value

from csrag.ask.computation.delivered import delivered_costs, economics
from csrag.ask.computation.move_in import move_in_usd
from csrag.ask.computation.selection import Scales, scores
from csrag.ask.intent import parse
from csrag.ask.retrieval import retrieve

QUESTIONS = [
    "Largest plant within 40 km of Quincy that keeps the average under $42/BDT?",
    "Largest plant at Burney if no single ton may cost more than $48/BDT, 35 km radius",
    "I have $3 million a year for fuel in Chester. What size plant can I run within 40 km?",
    "Biggest plant at Susanville within 45 km with an average under $50/BDT, fire matters",
    "Max MW at Westwood with the marginal ton below $60 per bone-dry metric tonne, within 40 km, private land only",
]


def prefix(demo, question, clusters):
    """Average, last ton and bill of the first clusters in the order a site takes them."""
    query = parse(question)
    pool = retrieve(demo, query.locations[0], query, 1.0)
    econ = economics(demo.manifest, query.overrides)
    costs = delivered_costs(pool, query, demo.manifest, econ, lambda rows: demo.stand(rows, query.treatment))
    weight = 0.0 if query.max_cost_kind == "last_ton" and query.max_cost_usd_per_bdt else query.fire_weight
    score = scores(
        costs.unit, pool.frame["burn_probability"].astype(float), weight, Scales.from_manifest(demo.manifest.scales)
    )
    rows = np.lexsort((pool.frame["cluster_no"], costs.unit, score))[:clusters]
    frame, tons = pool.frame, costs.tons[rows]
    moves = move_in_usd(
        costs.system_index[rows], frame["lat"][rows], frame["lon"][rows], costs.tour_key[rows], frame["cluster_no"][rows],
        frame["area_acres"][rows].astype(float), costs.circuity[rows], econ.harvest.ppi,
    )  # fmt: skip
    move_in = sum(moves.values()) / tons.sum()
    average = (costs.unit[rows] * tons).sum() / tons.sum() + move_in
    return average, costs.unit[rows].max() + move_in, average * tons.sum()


def keeps(query, average, last, bill):
    if query["budget_usd_per_year"]:
        return bill <= query["budget_usd_per_year"] * (1 + 1e-12)
    cap = query["max_cost_usd_per_bdt"] * (1 + 1e-12)
    return (last if query["max_cost_kind"] == "last_ton" else average) <= cap


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_site_at_the_largest_capacity_keeps_the_limit_and_one_more_cluster_breaks_it(demo, answer, question):
    record = answer(question)
    assert record["query"]["intent"] == "max_capacity"
    assert record["query"]["capacity_mw"] is None
    assert record["status"] == "answered", record["text"]
    clusters, query = value(record, "selected_clusters"), record["query"]
    average, last, bill = prefix(demo, question, clusters)
    assert value(record, "average_delivered_cost") == pytest.approx(average, rel=1e-9)
    assert value(record, "fuel_bill_usd_per_year") == pytest.approx(bill, rel=1e-6)
    assert keeps(query, average, last, bill)
    assert not keeps(query, *prefix(demo, question, clusters + 1))
    where = question.replace("Largest plant", "").replace("Biggest plant", "")
    place, radius = query["locations"][0]["name"], value(record, "radius_km")
    fire = ", fire matters" if query["fire_weight"] else ""
    land = ", private land only" if "private" in where else ""
    cap = (
        f", refusing any ton above ${query['max_cost_usd_per_bdt']}/BDT" if query["max_cost_kind"] == "last_ton" else ""
    )
    site = answer(f"{value(record, 'max_capacity_mw'):.9f} MW at {place} within {radius} km{fire}{land}{cap}")
    assert site["status"] == "answered", site["text"]
    assert value(site, "selected_clusters") == clusters
    assert value(site, "average_delivered_cost") == pytest.approx(average, rel=1e-9)


def test_a_cap_that_nothing_keeps_is_refused_with_the_reason(answer):
    record = answer("Largest plant at Quincy with an average under $12/BDT within 40 km")
    assert record["status"] == "refused"
    assert record["exit_code"] == 3
    assert value(record, "max_capacity_mw") == 0
    assert "cap" in record["text"]


def test_without_a_limit_the_supply_binds(answer):
    record = answer("How many megawatts could Chester support within 15 km?")
    assert record["status"] == "answered"
    assert value(record, "max_capacity_bdt") == pytest.approx(value(record, "feedstock_available_bdt"))
    assert "supply binds" in record["values"]["max_capacity_mw"]["basis"]
