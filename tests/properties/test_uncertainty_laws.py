"""Laws of intervals and draws: zero error, common draws, order, coverage by simulation from the same model."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from csrag.ask.computation.draws import (
    BATCH,
    SHARED_KM,
    DrawInputs,
    difference_in_draws,
    draw_seed,
    shared_part,
)
from csrag.ask.computation.uncertainty import Errors, RoadError, deviate_of, interval
from csrag.ask.records import Location, SitingQuery
from csrag.geo import haversine_km
from csrag.surfaces.catalog import SYSTEMS

NODES = np.arange(-4.0, 4.01, 0.25)


def option(label="a", lat=40.0, lon=-121.0, base=40.0, haul=12.0, spread=0.12, cut=0.0):
    """Cost of base + haul x lognormal road factor + harvest deviate x cut."""
    road = NODES if spread else np.zeros(1)
    harvest = NODES if cut else np.zeros(1)
    table = base + haul * np.exp(spread * road)[:, None] + cut * harvest[None, :]
    return DrawInputs(label, lat, lon, road, harvest, table, "" if table.size > 1 else "nothing measured", True)


spreads = st.floats(0.02, 0.5)
hauls = st.floats(1.0, 40.0)
near = st.floats(-0.5, 0.5)


# --- ties, order, determinism ------------------------------------------------------------------------------------------


@given(spread=spreads, haul=hauls, seed=st.integers(0, 2**63))
@settings(max_examples=20)
def test_identical_sites_tie_in_every_draw(spread, haul, seed):
    result = difference_in_draws(
        [option("a", haul=haul, spread=spread), option("b", haul=haul, spread=spread)], seed=seed
    )
    (pair,) = result.pairs
    assert (pair.low, pair.mean, pair.high) == (0.0, 0.0, 0.0)
    assert (pair.first_cheaper_pct, pair.second_cheaper_pct, pair.verdict) == (0.0, 0.0, "tie")
    assert [o.cheapest_pct for o in result.options] == [50.0, 50.0]
    assert result.converged


@given(gap=st.floats(0.01, 5.0), spread=spreads, seed=st.integers(0, 2**63))
@settings(max_examples=20)
def test_at_one_place_a_lower_cost_wins_every_draw(gap, spread, seed):
    """Two treatments of one plant: what is common to both drops out of the difference."""
    result = difference_in_draws([option("a", spread=spread), option("b", spread=spread, base=40.0 + gap)], seed=seed)
    (pair,) = result.pairs
    assert pair.first_cheaper_pct == 100.0
    assert pair.verdict == "first"
    assert pair.low == pytest.approx(-gap, abs=1e-9)
    assert pair.high == pytest.approx(-gap, abs=1e-9)


@given(places=st.lists(st.tuples(near, near), min_size=2, max_size=6), seed=st.integers(0, 2**63))
@settings(max_examples=25)
def test_the_order_of_the_options_makes_no_difference(places, seed):
    some = [option(str(k), 40 + a, -121 + b, base=40 + k / 4) for k, (a, b) in enumerate(places)]
    one = difference_in_draws(some, seed=seed, most_draws=BATCH)
    back = difference_in_draws(some[::-1], seed=seed, most_draws=BATCH)
    assert one.options == back.options[::-1]
    last = len(some) - 1
    for pair in one.pairs:
        other = back.pair(last - pair.first, last - pair.second)
        assert (pair.first_cheaper_pct, pair.low, pair.verdict) == (other.first_cheaper_pct, other.low, other.verdict)


def test_the_same_draws_byte_for_byte():
    some = [option("a"), option("b", 40.1, -121.1, base=40.5, cut=1.0)]
    assert repr(difference_in_draws(some, seed=7)) == repr(difference_in_draws(some, seed=7))
    assert difference_in_draws(some, seed=7).options[1] != difference_in_draws(some, seed=8).options[1]


def test_the_pair_turned_round_says_the_same():
    result = difference_in_draws([option("a"), option("b", 41.0, -120.0, base=50.0)], seed=3)
    forth, back = result.pair(0, 1), result.pair(1, 0)
    assert (forth.verdict, back.verdict) == ("first", "second")
    assert (back.low, back.high, back.mean) == (-forth.high, -forth.low, -forth.mean)
    assert back.first_cheaper_pct == forth.second_cheaper_pct
    with pytest.raises(ValueError, match="no pair"):
        result.pair(0, 2)


# --- correlation -------------------------------------------------------------------------------------------------------


@given(places=st.lists(st.tuples(near, near), min_size=2, max_size=12))
@settings(max_examples=50)
def test_what_sites_share_is_a_correlation(places):
    lat, lon = (np.array([base + p[k] for p in places]) for k, base in ((0, 40.0), (1, -121.0)))
    shared = shared_part(lat, lon)
    assert np.allclose(np.diag(shared), 1.0)
    assert np.all((shared > 0) & (shared <= 1))
    assert np.linalg.eigvalsh(shared).min() > -1e-9


def test_near_sites_differ_less_than_far_ones():
    width = []
    for lon in (-121.0, -120.99, -120.9, -120.5, -118.0):
        pair = difference_in_draws([option("a"), option("b", lon=lon)], seed=11, wanted_error_pct=0.3).pairs[0]
        width.append(pair.high - pair.low)
    assert width[0] == 0.0
    assert width == sorted(width)


@pytest.mark.parametrize("km", [0.0, 5.0, 20.0, 200.0])
def test_draws_have_the_stated_correlation(km):
    lat = 40.0 + km / 111.195
    one, two = option("a", haul=1e-3, spread=0.1), option("b", lat=lat, haul=1e-3, spread=0.1)
    pair = difference_in_draws([one, two], seed=5, wanted_error_pct=0.0, most_draws=60_000)
    rho = math.exp(-float(haversine_km(40.0, -121.0, lat, -121.0)) / SHARED_KM)
    # Nearly linear: the difference's standard deviation is haul x spread x sqrt(2 (1 - rho)).
    expected = 1e-3 * 0.1 * math.sqrt(2 * (1 - rho)) * 2 * deviate_of(90)
    assert pair.pairs[0].high - pair.pairs[0].low == pytest.approx(expected, rel=0.03, abs=1e-12)


# --- shares and their error --------------------------------------------------------------------------------------------


def test_the_share_is_that_of_the_closed_form_and_its_error_is_stated():
    one, two = option("a", spread=0.1, haul=10.0), option("b", lat=45.0, spread=0.1, haul=10.0, base=40.5)
    result = difference_in_draws([one, two], seed=1)
    # ln(haul) symmetric and independent: a is cheaper with P(10 e^x - 10 e^y < 0.5).
    rng = np.random.default_rng(99)
    x, y = rng.standard_normal((2, 2_000_000)) * 0.1
    exact = 100 * float(np.mean(10 * np.exp(x) < 0.5 + 10 * np.exp(y)))
    pair = result.pairs[0]
    assert result.converged
    assert result.standard_error_pct < 0.5
    assert abs(pair.first_cheaper_pct - exact) < 4 * pair.standard_error_pct + 0.2
    assert pair.first_cheaper_pct + pair.second_cheaper_pct == pytest.approx(100)


def test_the_stated_standard_error_is_the_scatter_over_seeds():
    some = [option("a"), option("b", lat=41.0, base=40.3)]
    runs = [difference_in_draws(some, seed=s, most_draws=BATCH).pairs[0] for s in range(60)]
    scatter = float(np.std([p.first_cheaper_pct for p in runs]))
    assert scatter == pytest.approx(float(np.mean([p.standard_error_pct for p in runs])), rel=0.35)


def test_draws_that_do_not_converge_say_so():
    some = [option("a"), option("b", lat=41.0, base=40.3)]
    result = difference_in_draws(some, seed=1, wanted_error_pct=0.01, most_draws=BATCH)
    assert not result.converged
    assert result.draws == BATCH
    assert result.standard_error_pct > 0.01


def test_shares_of_the_cheapest_add_up():
    some = [option(str(k), 40 + k / 10, -121.0, base=40 + k / 3) for k in range(5)]
    result = difference_in_draws(some, seed=4)
    assert sum(o.cheapest_pct for o in result.options) == pytest.approx(100)
    assert result.best == 0


# --- nothing measured --------------------------------------------------------------------------------------------------


def test_without_a_measured_error_there_are_no_shares():
    result = difference_in_draws([option("a", spread=0.0), option("b", lat=41.0, base=41.0, spread=0.0)], seed=1)
    assert (result.status, result.draws, result.converged) == ("nothing_measured", 0, False)
    assert result.pairs[0].mean == -1.0
    assert math.isnan(result.pairs[0].first_cheaper_pct)
    assert result.pairs[0].verdict == "not_drawn"
    assert [label for label, _ in result.unmeasured] == ["a", "b"]


def test_an_option_without_a_measured_error_stands_still():
    result = difference_in_draws([option("a", spread=0.0), option("b", lat=41.0)], seed=1)
    assert result.status == "partly"
    assert result.unmeasured == (("a", "nothing measured"),)
    assert result.options[0].low == result.options[0].high == 52.0
    assert result.options[1].low < 52 < result.options[1].high


# --- coverage ----------------------------------------------------------------------------------------------------------


def road(spread, centre=0.0):
    return RoadError(np.array([10.0, 20.0]), np.full(3, centre), np.asarray(spread), "facilities", 100)


@given(
    spread=st.tuples(spreads, spreads, spreads), centre=st.floats(-0.2, 0.2), cut=st.floats(0.0, 0.15), haul=hauls,
    harvest=st.floats(10, 60),
)  # fmt: skip
@settings(max_examples=30)
def test_the_interval_covers_as_often_as_it_says(spread, centre, cut, haul, harvest):
    """Truth drawn from the model itself, many times; haul over three bands."""
    error = road(spread, centre)
    errors = Errors(error, False, np.full(len(SYSTEMS), cut) if cut > 0 else None, "stratified")
    share = np.array([0.2, 0.3, 0.5]) * haul

    def cost(z, w):
        factor = np.exp(error.centre + error.spread * np.asarray(z)[..., None])
        return (share * factor).sum(axis=-1) + harvest * np.maximum(1 + cut * np.asarray(w), 0)

    low, high = interval(lambda z, w: float(cost(z, w)), errors)
    z, w = np.random.default_rng(3).standard_normal((2, 40_000))
    told = cost(z, w)
    # One error alone: exact. Two: the root of the sum of squares is close.
    assert np.mean((told >= low) & (told <= high)) == pytest.approx(0.90, abs=0.008 if cut == 0 else 0.025)


@given(spread=st.tuples(spreads, spreads, spreads), more=st.floats(1.05, 3.0))
@settings(max_examples=30)
def test_a_wider_error_gives_a_wider_interval_around_the_narrow_one(spread, more):
    def ends(scale):
        error = road(np.array(spread) * scale)
        return interval(lambda z, _: float(np.exp(error.spread * z).sum()), Errors(error, False, None, "stratified"))

    (low, high), (lower, higher) = ends(1.0), ends(more)
    assert lower < low < high < higher


# --- the seed ----------------------------------------------------------------------------------------------------------


def test_the_seed_follows_what_is_asked_and_not_how():
    here, there = (Location(n, "place", lat=a, lon=-121.0) for n, a in (("Quincy", 40.0), ("Chester", 40.3)))
    query = SitingQuery(question="Quincy or Chester?", intent="compare", locations=(here, there))
    seed = draw_seed(query, "x")
    assert draw_seed(query.with_(question="Chester or Quincy?", locations=(there, here), notes=("n",)), "x") == seed
    assert draw_seed(query.with_(capacity_mw=10.0), "x") != seed
    assert draw_seed(query, "y") != seed
    # Known once, known everywhere: no hash of the process, of the machine or of the day goes into it.
    assert draw_seed(SitingQuery(), "layers") == draw_seed(SitingQuery(), "layers")
    assert 0 <= seed < 2**64


@given(cost=st.lists(st.floats(10, 90), min_size=6, max_size=6), z=st.lists(st.floats(-6, 6), min_size=1, max_size=20))
def test_costs_between_the_nodes_lie_between_their_neighbours(cost, z):
    table = np.sort(np.array(cost).reshape(3, 2), axis=0)
    told = DrawInputs("a", 40, -121, np.array([-1.0, 0.0, 1.0]), np.array([-1.0, 1.0]), table)
    at = np.array(z)
    values = told.cost_at(at, np.zeros(at.size))
    assert np.all((values >= table.min() - 1e-9) & (values <= table.max() + 1e-9))
    assert told.cost_at(np.array([0.0]), np.array([1.0]))[0] == pytest.approx(table[1, 1])
