"""Laws of the trade-off of cost against fire."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.supplies import PPI, SCALES, supply

from csrag.ask.computation.choose import select
from csrag.ask.computation.pareto import WEIGHTS, knee, most_within, non_dominated, step_prices, trade_off
from csrag.ask.computation.pareto_sweep import Items, level_of, sweep
from csrag.ask.computation.rules import ShareRule, Shares
from csrag.ask.computation.selection import Scales, score_terms, scores, workable_in


def by_hand(frame, costs, demand, cap=None):
    """Every weight by `select` itself."""
    return [select(frame, costs, demand, float(w), SCALES, PPI, cap) for w in WEIGHTS]


def taken_by_sweep(frame, costs, demand):
    usable = workable_in(np.arange(len(frame)), costs.unit)
    cost, fire = score_terms(costs.unit[usable], frame["burn_probability"][usable].astype(float), SCALES)
    items = Items(cost, fire, costs.unit[usable], frame["cluster_no"][usable], costs.tons[usable])
    rows, taken = sweep(items, demand, WEIGHTS)
    return [set(usable[rows[mine]]) for mine in taken]


@given(st.integers(0, 10_000), st.integers(1, 400), st.floats(0.001, 0.999), st.booleans())
@settings(max_examples=80)
def test_every_weight_takes_what_a_site_takes_at_it(seed, n, part, coarse):
    frame, costs = supply(seed, n, coarse=coarse)
    demand = max(float(costs.tons.sum()) * part, 1.0)
    if costs.tons.sum() < demand:
        return
    expected = by_hand(frame, costs, demand)
    assert taken_by_sweep(frame, costs, demand) == [set(s.rows) for s in expected]
    points = trade_off(frame, costs, demand, SCALES, PPI, None)
    burn = frame["burn_probability"].astype(float)
    assert points.average == pytest.approx([s.average(costs) for s in expected], rel=1e-10)
    assert points.burn_probability == pytest.approx(
        [np.nan if (m := s.mean(burn, costs)) is None else m for s in expected], rel=1e-10, nan_ok=True
    )
    dearest = [max(float(costs.unit[s.rows].max()) + s.move_in, s.average(costs)) for s in expected]
    assert points.last_ton == pytest.approx(dearest, rel=1e-10)
    assert list(points.clusters) == [len(s.rows) for s in expected]
    assert points.tons == pytest.approx([s.tons for s in expected], rel=1e-12)


def test_whole_demand_of_the_pool_takes_all_of_it():
    frame, costs = supply(3, 50)
    points = trade_off(frame, costs, float(costs.tons.sum()), SCALES, PPI, None)
    assert set(points.clusters) == {int((costs.tons > 0).sum())}
    assert points.on_front.all()
    assert len(points.front) == 1


@given(st.integers(0, 10_000), st.integers(5, 300), st.floats(0.02, 0.8))
@settings(max_examples=60)
def test_no_dominated_point_on_the_front_and_every_other_off_it(seed, n, part):
    frame, costs = supply(seed, n)
    demand = float(costs.tons.sum()) * part
    if demand <= 0:
        return
    points = trade_off(frame, costs, demand, SCALES, PPI, None)
    cost, burn = points.average, points.burn_probability
    for i in range(len(cost)):
        beaten = bool(((cost <= cost[i]) & (burn >= burn[i]) & ((cost < cost[i]) | (burn > burn[i]))).any())
        assert points.on_front[i] == (np.isfinite(burn[i]) and not beaten)
    front = points.front
    assert (np.diff(cost[front]) > 0).all()
    assert (np.diff(burn[front]) > 0).all()
    assert len(set(points.supply[front])) == len(front) == len(set(points.supply[points.on_front]))


@given(
    st.lists(
        st.tuples(st.sampled_from([1.0, 2.0, 3.0]), st.sampled_from([0.1, 0.2, float("nan")])), min_size=1, max_size=12
    )
)
def test_ties_and_unknowns_on_a_front(pairs):
    cost, burn = np.array(pairs).T
    on = non_dominated(cost, burn)
    for i in range(len(cost)):
        beaten = any(
            cost[j] <= cost[i] and burn[j] >= burn[i] and (cost[j] < cost[i] or burn[j] > burn[i])
            for j in range(len(cost))
        )
        assert on[i] == (np.isfinite(burn[i]) and not beaten)


@given(st.integers(0, 10_000), st.integers(5, 300), st.floats(0.02, 0.8))
@settings(max_examples=40)
def test_weight_zero_is_cost_alone_and_scores_bound_each_other(seed, n, part):
    frame, costs = supply(seed, n)
    demand = float(costs.tons.sum()) * part
    if demand <= 0:
        return
    points = trade_off(frame, costs, demand, SCALES, PPI, None)
    cheapest = select(frame, costs, demand, 0.0, SCALES, PPI)
    assert points.average[0] == pytest.approx(cheapest.average(costs), rel=1e-12)
    within = most_within(points, 5.0)
    assert points.average[within] <= points.average[0] * 1.05 * (1 + 1e-9)
    allowed = points.average <= points.average[0] * 1.05
    assert (
        points.burn_probability[within] >= np.nanmax(points.burn_probability[allowed])
        or np.isnan(points.burn_probability[allowed]).all()
    )


def test_knee_is_the_point_farthest_above_the_chord():
    frame, costs = supply(11, 400)
    points = trade_off(frame, costs, float(costs.tons.sum()) * 0.2, SCALES, PPI, None)
    front, bend = points.front, knee(points)
    assert bend in front
    x, y = points.average[front], points.burn_probability[front]
    ends = np.array([[x[0], y[0]], [x[-1], y[-1]]])
    scaled = (np.stack([x, y], axis=1) - ends[0]) / (ends[1] - ends[0])
    # Distance from the chord through (0, 0) and (1, 1), by the cross product.
    distance = scaled[:, 1] - scaled[:, 0]
    assert distance[list(front).index(bend)] == pytest.approx(distance.max())
    assert distance.max() > 0


def test_steps_along_the_front_pay_cost_over_points():
    frame, costs = supply(12, 300)
    points = trade_off(frame, costs, float(costs.tons.sum()) * 0.2, SCALES, PPI, None)
    prices, front = step_prices(points), points.front
    assert np.isnan(prices[front[0]])
    assert np.isnan(prices[~points.on_front]).all()
    for before, here in pairwise(front):
        rise = (points.burn_probability[here] - points.burn_probability[before]) * 100
        assert prices[here] * rise == pytest.approx(points.average[here] - points.average[before])
        assert prices[here] > 0


def test_a_flat_fire_layer_takes_the_same_at_every_weight_but_one():
    frame, costs = supply(5, 200)
    flat = {name: frame[name] for name in frame.names} | {"burn_probability": np.full(200, 0.01, np.float32)}
    points = trade_off(type(frame)(flat), costs, float(costs.tons.sum()) * 0.3, SCALES, PPI, None)
    assert len(points.front) == 1
    assert knee(points) is None


def test_unknown_scales_leave_cost_alone():
    frame, costs = supply(6, 120)
    blind = Scales(30.0, 90.0, float("nan"), float("nan"))
    points = trade_off(frame, costs, float(costs.tons.sum()) * 0.3, blind, PPI, None)
    expected = select(frame, costs, float(costs.tons.sum()) * 0.3, 0.5, blind, PPI)
    assert points.average[50] == pytest.approx(expected.average(costs))


@given(st.integers(0, 10_000), st.integers(20, 120), st.floats(0.05, 0.4), st.floats(0.3, 0.9))
@settings(max_examples=15)
def test_rules_and_a_cap_hold_at_every_weight(seed, n, part, least):
    frame, costs = supply(seed, n)
    rng = np.random.default_rng(seed)
    member = rng.random(n) < 0.6
    costs = replace(costs, shares=Shares((ShareRule("high_hazard", least),), member[None, :]))
    demand, cap = float(costs.tons.sum()) * part, 95.0
    expected = by_hand(frame, costs, demand, cap)
    if not all(s.met for s in expected):
        return
    points = trade_off(frame, costs, demand, SCALES, PPI, None, cap)
    assert points.average == pytest.approx([s.average(costs) for s in expected], rel=1e-10)
    for s in expected:
        assert float(costs.unit[s.rows].max()) + s.move_in <= cap + 1e-9
        missed = least * s.tons - float(costs.tons[s.rows[member[s.rows]]].sum())
        assert missed < float(costs.tons[s.rows].max())


@given(st.integers(0, 10_000), st.integers(1, 60), st.floats(0.01, 1.2))
def test_level_is_the_score_that_meets_the_demand(seed, n, part):
    rng = np.random.default_rng(seed)
    score, tons = np.round(rng.normal(size=n), 1), rng.integers(1, 9, n).astype(float)
    demand = float(tons.sum()) * part
    level = level_of(score, tons, demand)
    if tons.sum() < demand:
        assert level == np.inf
    else:
        assert tons[score <= level].sum() >= demand > tons[score < level].sum()


def test_scores_are_their_two_terms():
    frame, costs = supply(7, 80)
    burn = frame["burn_probability"].astype(float)
    ok = np.isfinite(costs.unit)
    cost, fire = score_terms(costs.unit[ok], burn[ok], SCALES)
    for w in (0.0, 0.3, 1.0):
        assert np.array_equal(scores(costs.unit[ok], burn[ok], w, SCALES), (1 - w) * cost + w * fire)
