"""The cheapest supply under rules on shares: against every other supply of small cases, and against the linear programme."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from tests.support.supplies import PPI, SCALES, supply

from csrag.ask.computation.choose import select
from csrag.ask.computation.depletion import Rules, deplete
from csrag.ask.computation.rules import ShareRule, Shares
from csrag.ask.computation.rules_choice import take
from csrag.ask.computation.rules_reach import allowed_tons, needed_km


def groups(rng, n):
    """A hazard class and a land use of each cluster."""
    return rng.random(n) < rng.uniform(0.2, 0.8), rng.integers(0, 3, n)


def shares_over(high, land, least_high, least_private, most_usfs):
    rules, member = [], []
    if least_high > 0:
        rules.append(ShareRule("high_hazard", least_high))
        member.append(high)
    if least_private > 0:
        rules.append(ShareRule("private", least_private))
        member.append(land == 0)
    if most_usfs < 1:
        rules.append(ShareRule("usfs", 0.0, most_usfs))
        member.append(land == 1)
    return Shares(tuple(rules), np.array(member, dtype=bool).reshape(len(rules), len(high)))


def best_score(score, tons, shares, demand):
    """Least score of a divisible supply, by the linear programme over clusters; None where there is none."""
    over, most = shares.limits
    n = len(score)
    rows = (over * tons - most[:, None] * tons) if len(most) else np.zeros((0, n))
    found = linprog(score * tons, rows if len(most) else None, np.zeros(len(most)) if len(most) else None, tons[None, :], [demand],
                    [(0, 1)] * n)  # fmt: skip
    return found.fun if found.status == 0 else None


@given(st.integers(0, 100_000), st.integers(4, 11), st.integers(1, 6), st.data())
@settings(max_examples=400)
def test_alike_clusters_give_the_best_of_all_supplies(seed, n, k, data):
    """Clusters of one ton and shares that whole clusters can keep: nothing is lost to rounding, so every supply can be tried."""
    k = min(k, n)
    rng = np.random.default_rng(seed)
    high, land = groups(rng, n)
    least_high, least_private, most_usfs = (data.draw(st.integers(0, k)) / k for _ in range(3))
    shares = shares_over(high, land, least_high, least_private, most_usfs)
    score = np.round(rng.normal(size=n), 2)
    order = np.argsort(score, kind="stable").astype(np.int64)
    tons = np.ones(n)
    taken = take(order, tons, score, shares, float(k)) if shares.rules else order[:k]
    kept = [
        c
        for c in combinations(range(n), k)
        if high[list(c)].sum() >= least_high * k - 1e-9
        and (land[list(c)] == 0).sum() >= least_private * k - 1e-9
        and (land[list(c)] == 1).sum() <= most_usfs * k + 1e-9
    ]
    if not kept:
        assert len(taken) < k
        return
    assert len(taken) == len(set(taken)) == k
    assert high[taken].sum() >= least_high * k - 1e-9
    assert (land[taken] == 0).sum() >= least_private * k - 1e-9
    assert (land[taken] == 1).sum() <= most_usfs * k + 1e-9
    assert score[taken].sum() == pytest.approx(min(score[list(c)].sum() for c in kept))


@given(st.integers(0, 100_000), st.floats(0, 0.95), st.floats(0, 0.9), st.floats(0.05, 1), st.floats(0.02, 0.7))
@settings(max_examples=60)
def test_many_clusters_come_close_to_the_linear_programme(seed, least_high, least_private, most_usfs, part):
    rng = np.random.default_rng(seed)
    n = 400
    high, land = groups(rng, n)
    shares = shares_over(high, land, least_high, least_private, most_usfs)
    if not shares.rules:
        return
    score, tons = rng.normal(size=n), rng.uniform(5, 15, n)
    order = np.argsort(score).astype(np.int64)
    demand = float(tons.sum()) * part
    taken = take(order, tons, score, shares, demand)
    total, most = float(tons[taken].sum()), allowed_tons(tons, shares)
    if most < demand * (1 - 1e-9):
        assert total <= most * (1 + 1e-6)
        assert total >= most - 15.0 * 8
        return
    assert demand * (1 - 1e-9) <= total <= demand + 15.0 * 8
    over, largest = shares.limits
    assert ((over[:, taken] @ tons[taken]) <= largest * total + 15.0).all()
    bound = best_score(score, tons, shares, demand)
    assert bound is not None
    spread = float(np.ptp(score)) * 15.0
    assert bound - spread <= float((score * tons)[taken].sum()) <= bound + 8 * spread


@given(st.integers(0, 100_000), st.floats(0.05, 0.95), st.floats(0.02, 0.9))
@settings(max_examples=60)
def test_what_rules_allow_is_the_largest_divisible_supply(seed, least_high, most_usfs):
    rng = np.random.default_rng(seed)
    n = 30
    high, land = groups(rng, n)
    tons = rng.uniform(1, 9, n)
    for shares in (shares_over(high, land, least_high, 0, 1), shares_over(high, land, least_high, 0.1, most_usfs)):
        over, most = shares.limits
        found = linprog(-tons, over * tons - most[:, None] * tons, np.zeros(len(most)), bounds=[(0, 1)] * n)
        assert allowed_tons(tons, shares) == pytest.approx(-found.fun, abs=1e-6)


def test_a_rule_that_is_kept_anyway_changes_nothing():
    frame, costs = supply(2, 200)
    free = select(frame, costs, 5000.0, 0.2, SCALES, PPI)
    for share in (0.0, 0.3):
        ruled = replace(costs, shares=Shares((ShareRule("high_hazard", share),), np.ones((1, 200), dtype=bool)))
        assert list(select(frame, ruled, 5000.0, 0.2, SCALES, PPI).rows) == list(free.rows)


@given(st.integers(0, 10_000), st.floats(0.1, 0.9), st.floats(0.1, 0.9), st.randoms(use_true_random=False))
@settings(max_examples=25)
def test_all_rules_and_filters_at_once_and_row_order_never_matters(seed, least_high, most_usfs, rng):
    n, cap = 120, 90.0
    frame, costs = supply(seed, n)
    high, land = groups(np.random.default_rng(seed), n)
    shares = shares_over(high, land, least_high, 0.1, most_usfs)
    # The longest haul and machines that cannot work a cluster both show as an infinite cost.
    unit = np.where(costs.road_km <= 40.0, costs.unit, np.inf)
    costs = replace(costs, unit=unit, shares=shares)
    demand = float(costs.tons.sum()) * 0.15
    chosen = select(frame, costs, demand, 0.3, SCALES, PPI, cap)
    assert np.isfinite(costs.unit[chosen.rows]).all()
    assert len(set(chosen.rows)) == len(chosen.rows)
    if chosen.met:
        assert (costs.road_km[chosen.rows] <= 40.0).all()
        assert float(costs.unit[chosen.rows].max()) + chosen.move_in <= cap + 1e-9
        over, most = shares.limits
        weight = costs.tons[chosen.rows]
        assert (over[:, chosen.rows] @ weight <= most * chosen.tons + weight.max()).all()
    mixed = list(range(n))
    rng.shuffle(mixed)
    turned = costs.subset(np.ones(n, dtype=bool))
    turned = replace(
        turned, **{name: getattr(costs, name)[mixed] for name in ("harvest", "haul", "unit", "tons", "system_index", "road_km",
                                                               "circuity", "circuity_known", "tour_key")},
        shares=shares.subset(np.array(mixed)),
    )  # fmt: skip
    again = select(frame.take(np.array(mixed)), turned, demand, 0.3, SCALES, PPI, cap)
    assert list(frame["cluster_no"][chosen.rows]) == list(frame["cluster_no"][np.array(mixed)[again.rows]])


@given(st.integers(0, 10_000), st.floats(0.2, 0.9))
@settings(max_examples=25)
def test_rules_hold_in_every_year_and_no_cluster_is_cut_twice(seed, least):
    frame, costs = supply(seed, 400)
    member = np.random.default_rng(seed).random(400) < 0.6
    costs = replace(costs, shares=Shares((ShareRule("high_hazard", least),), member[None, :]))
    rules = Rules(12, 3000.0, 0.2, PPI, 20.0, 60.0)
    years = deplete(frame, costs, SCALES, rules)
    rows = np.concatenate([y.rows for y in years.years]) if years.years else np.zeros(0, int)
    assert len(set(rows)) == len(rows)
    for year in years.years:
        weight = costs.tons[year.rows]
        assert year.tons >= 3000.0 * (1 - 1e-9)
        assert float(weight[member[year.rows]].sum()) >= least * year.tons - weight.max()
        assert (frame["distance_km"][year.rows] <= year.radius_km).all()
    if years.exhausted_year is not None:
        left = np.isfinite(costs.unit)
        left[rows] = False
        inside = left & (frame["distance_km"] <= 60.0)
        assert allowed_tons(np.where(inside, costs.tons, 0.0), costs.shares) < 3000.0 + 5 * costs.tons.max()


@given(st.integers(0, 10_000), st.floats(0.2, 0.95), st.floats(0.02, 1.1))
@settings(max_examples=40)
def test_needed_radius_is_the_smallest_that_rules_allow(seed, least, part):
    rng = np.random.default_rng(seed)
    n = 80
    whole_km, tons = rng.integers(1, 31, n), rng.uniform(1, 9, n)
    shares = Shares((ShareRule("high_hazard", least),), (rng.random(n) < 0.5)[None, :])
    target = allowed_tons(tons, shares) * part
    by_hand = next(
        (r for r in range(31) if allowed_tons(tons[whole_km <= r], shares.subset(whole_km <= r)) >= target), 31
    )
    assert needed_km(whole_km, tons, shares, target, 30) == by_hand
