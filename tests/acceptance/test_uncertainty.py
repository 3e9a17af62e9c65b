"""Intervals on the demonstration, whose road network tells the truth that its factors only reckon."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.support.records import codes, value

from csrag.ask.computation.uncertainty_facts import HEADLINES

BENCHMARK = Path(__file__).resolve().parents[2] / "benchmarks" / "interval_coverage.py"
SITES = 40


@pytest.fixture(scope="module")
def benchmark():
    spec = importlib.util.spec_from_file_location("interval_coverage", BENCHMARK)
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, spec.name, module)  # where dataclasses look for their module
        spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module", params=["stratified", "zone"])
def sites(request, demo, benchmark):
    found = [
        benchmark.look(demo, lat, lon, 25.0, request.param) for lat, lon in benchmark.places(demo, SITES, 1, "nodes")
    ]
    return [s for s in found if s is not None]


@pytest.mark.slow
@pytest.mark.parametrize("what", ["average", "average_chosen_anew", "last_ton"])
def test_the_truth_lies_inside_about_as_often_as_stated(sites, what):
    """90 % of 40 sites that are not independent of each other: below 80 % would be no chance."""
    assert len(sites) >= SITES - 2
    assert np.mean([s.inside[what] for s in sites]) >= 0.80


@pytest.mark.slow
def test_the_intervals_are_not_so_wide_that_they_say_nothing(sites):
    """The spread of the true averages over sites is wider than an interval: sites can be told apart."""
    true = np.array([s.true_average for s in sites])
    half = [np.ptp(s.inputs.cost_at(np.array([-1.645, 1.645]), np.zeros(2))) / 2 for s in sites]
    assert np.mean(half) < (true.max() - true.min()) / 2


@pytest.mark.slow
def test_shares_of_draws_are_not_too_bold(sites, benchmark):
    for row in benchmark.pairs(sites, 1):
        if row["stated_from_pct"] >= 70 and row["pairs"] >= 40:
            assert row["right_pct"] >= row["stated_mean_pct"] - 10, row


def test_a_question_by_factors_says_how_far_off_it_may_be(answer):
    record = answer("25 MW near Quincy, stratified distances")
    for name in HEADLINES:
        assert value(record, f"{name}_low") < value(record, name) < value(record, f"{name}_high"), name
    assert "interval_leaves_out" in codes(record)
    assert "in 90 % of cases" in record["text"]


def test_a_question_over_the_network_says_that_nothing_is_measured(answer):
    record = answer("25 MW near Quincy")
    assert value(record, "average_delivered_cost_low") is None
    assert "No interval is given" in record["text"]
    assert "no_interval" in codes(record)
