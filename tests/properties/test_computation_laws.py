"""Laws that any selection must keep, whatever the clusters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from csrag.ask.computation.demand import DEFAULT_PERFORMANCE, capacity_mw_for, demand_bdt
from csrag.ask.computation.move_in import hilbert_index, move_in_usd, tour_keys, tour_km
from csrag.ask.computation.selection import (
    Scales,
    fire_price_usd_per_bdt_per_pct,
    greedy,
    scores,
    supply_curve,
    weighted_mean,
)
from csrag.simulators.move_in import move_in_total_cost_usd
from csrag.surfaces.catalog import SYSTEMS

SCALES = Scales(30.0, 90.0, 0.004, 0.03)


@st.composite
def pools(draw):
    n = draw(st.integers(1, 60))
    unit = draw(arrays(np.float64, n, elements=st.floats(15, 400)))
    burn = draw(arrays(np.float64, n, elements=st.one_of(st.just(float("nan")), st.floats(0, 0.1))))
    tons = draw(arrays(np.float64, n, elements=st.floats(0.5, 900)))
    return unit, burn, tons, np.arange(n, dtype=np.int64) * 7 + 3


@given(pools(), st.floats(0, 1), st.floats(1, 20_000))
def test_selection_meets_demand_by_less_than_one_cluster(pool, weight, demand):
    unit, burn, tons, keys = pool
    taken = greedy(scores(unit, burn, weight, SCALES), unit, keys, tons, demand)
    total = tons[taken].sum()
    if tons.sum() >= demand * (1 + 1e-12):
        assert total >= demand * (1 - 1e-12)
        assert total - tons[taken[-1]] < demand
    else:
        assert len(taken) == len(tons)


@given(pools(), st.floats(0, 1), st.floats(1, 20_000), st.randoms(use_true_random=False))
def test_row_order_never_matters(pool, weight, demand, rng):
    unit, burn, tons, keys = pool
    order = list(range(len(unit)))
    rng.shuffle(order)
    first = keys[greedy(scores(unit, burn, weight, SCALES), unit, keys, tons, demand)]
    u, b, t, k = unit[order], burn[order], tons[order], keys[order]
    assert list(first) == list(k[greedy(scores(u, b, weight, SCALES), u, k, t, demand)])


@given(pools(), st.floats(0, 0.95), st.floats(1, 5_000), st.floats(1e4, 1e6))
def test_an_outlier_outside_the_selection_changes_nothing(pool, weight, demand, outlier_cost):
    unit, burn, tons, keys = pool
    score = scores(unit, burn, weight, SCALES)
    taken = keys[greedy(score, unit, keys, tons, demand)]
    if tons.sum() < demand * (1 + 1e-9):
        return
    u, b = np.append(unit, outlier_cost), np.append(burn, np.nan)
    t, k = np.append(tons, 500.0), np.append(keys, 1_000_003)
    assert list(taken) == list(k[greedy(scores(u, b, weight, SCALES), u, k, t, demand)])


@given(pools(), st.floats(1, 20_000))
def test_supply_curve_is_non_decreasing_and_marginal_never_below_average(pool, demand):
    unit, _, tons, keys = pool
    curve = supply_curve(unit, tons, keys, demand)
    assert (np.diff(curve.delivered_usd_per_bdt) >= 0).all()
    assert (np.diff(curve.cumulative_bdt) > 0).all()
    assert (curve.delivered_usd_per_bdt >= curve.average_usd_per_bdt * (1 - 1e-12)).all()
    assert curve.status == ("met" if curve.cumulative_bdt[-1] >= demand else "demand_not_met")


def test_empty_pool_has_a_status_not_an_error():
    none = np.zeros(0)
    assert supply_curve(none, none, none.astype(np.int64), 5.0).status == "no_clusters"


@given(pools(), st.floats(0.01, 0.9))
def test_unknown_burn_probability_earns_no_credit(pool, weight):
    unit, _, _, _ = pool
    unknown = scores(unit, np.full_like(unit, np.nan), weight, SCALES)
    lowest = scores(unit, np.full_like(unit, SCALES.p_lo), weight, SCALES)
    np.testing.assert_allclose(unknown, lowest, rtol=0, atol=1e-12)


@given(st.floats(0.01, 0.9))
def test_fire_price_is_what_the_score_trades(weight):
    price = fire_price_usd_per_bdt_per_pct(weight, SCALES)
    two = scores(np.array([50.0, 50.0 + price]), np.array([0.010, 0.020]), weight, SCALES)
    assert two[0] == pytest.approx(two[1], abs=1e-9)


def test_unknown_is_left_out_of_a_mean_not_counted_as_zero():
    values, weights = np.array([0.02, np.nan, 0.04]), np.array([1.0, 100.0, 1.0])
    assert weighted_mean(values, weights) == pytest.approx(0.03)
    assert weighted_mean(np.array([np.nan]), np.array([1.0])) is None


@given(st.sampled_from(sorted(DEFAULT_PERFORMANCE)), st.floats(0.1, 200))
def test_capacity_and_demand_are_inverse(technology, mw):
    plant = DEFAULT_PERFORMANCE[technology]
    assert capacity_mw_for(demand_bdt(mw, plant), plant) == pytest.approx(mw, rel=1e-12)


@pytest.mark.parametrize("bits", [1, 2, 3, 5])
def test_hilbert_curve_visits_every_cell_once_by_single_steps(bits):
    side = 1 << bits
    x, y = (a.ravel() for a in np.meshgrid(np.arange(side), np.arange(side)))
    order = np.argsort(hilbert_index(x, y, bits))
    assert sorted(hilbert_index(x, y, bits)) == list(range(side * side))
    assert (np.abs(np.diff(x[order])) + np.abs(np.diff(y[order])) == 1).all()


@given(st.integers(2, 40), st.randoms(use_true_random=False))
def test_tour_does_not_depend_on_row_order(n, rng):
    lat = np.array([39.5 + rng.random() for _ in range(n)])
    lon = np.array([-121.5 + rng.random() for _ in range(n)])
    numbers, order = np.arange(n, dtype=np.int64), np.array(rng.sample(range(n), n))
    there = tour_km(lat, lon, tour_keys(lat, lon), numbers)
    shuffled = tour_km(lat[order], lon[order], tour_keys(lat[order], lon[order]), numbers[order])
    assert there == pytest.approx(shuffled, rel=1e-12)


@pytest.mark.parametrize("system", SYSTEMS)
def test_move_in_is_the_simulators_own_cost_times_the_moves(system):
    n, ppi = 40, 284.7
    rng = np.random.default_rng(5)
    lat, lon = 39.5 + rng.random(n), -121.5 + rng.random(n)
    numbers, acres, circuity = np.arange(n), np.full(n, 32.0), np.full(n, 1.5)
    keys = tour_keys(lat, lon)
    cost = move_in_usd(np.full(n, SYSTEMS.index(system)), lat, lon, keys, numbers, acres, circuity, ppi)
    moves = 6  # 1,280 acres at 250 a move
    miles = tour_km(lat, lon, keys, numbers) * 1.5 / 1.609344 / moves
    assert cost == {system: pytest.approx(moves * move_in_total_cost_usd(system, miles, ppi), rel=1e-12)}
