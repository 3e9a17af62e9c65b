"""Laws of circuity zones and of the errors measured on them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from csrag.build.circuity.accuracy import accuracy_rows, band_of, reckoned_km
from csrag.build.circuity.trips import BANDS_KM, spatial_folds
from csrag.build.circuity.zones import MIN_SHARE, grow, leaf_factors

ROWS = st.integers(1, 60)


@st.composite
def country(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    n = draw(st.integers(3, 80))
    features = draw(hnp.arrays(np.float64, (n, 2), elements=st.floats(-5, 5) | st.just(np.nan)))
    straight = draw(hnp.arrays(np.float64, n, elements=st.floats(0, 50)))
    factor = draw(hnp.arrays(np.float64, n, elements=st.floats(1, 4)))
    return features, straight * factor, straight


@given(country(), st.integers(1, 12))
def test_zones_cover_what_is_known(made: tuple[np.ndarray, np.ndarray, np.ndarray], most: int) -> None:
    features, road, straight = made
    tree = grow(features, road, straight, most)
    leaf = tree.leaves(features)
    known = np.isfinite(features).all(axis=1)
    assert len(tree.splits) < most or most == 1
    assert (leaf[known] >= 0).all()
    assert leaf.max(initial=0) <= len(tree.splits)
    assert len(tree.rules(("a", "b"))) == len(tree.splits) + 1
    # No zone is smaller than its least share of the trips it was grown on.
    used = known & (straight > 0)
    for zone in range(len(tree.splits) + 1 if tree.splits else 0):
        here = used & (leaf == zone)
        assert straight[here].sum() >= MIN_SHARE * straight[used].sum() * (1 - 1e-9)


@given(country())
def test_more_zones_never_fit_worse(made: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    features, road, straight = made
    used = np.isfinite(features).all(axis=1) & (straight > 0)
    features, road, straight = features[used], road[used], straight[used]
    tree = grow(features, road, straight)
    errors = []
    for zones in range(1, len(tree.splits) + 2):
        leaf = tree.leaves(features, zones)
        factor = leaf_factors(leaf, road, straight, zones)
        ratio = np.divide(road, straight, out=np.zeros_like(road), where=straight > 0)
        errors.append(float((straight * (ratio - factor[leaf]) ** 2).sum()))
    assert all(b <= a * (1 + 1e-9) + 1e-9 for a, b in pairwise(errors))


@given(country())
def test_the_trips_that_were_fitted_have_no_error_in_sum(made: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    features, road, straight = made
    leaf = grow(features, road, straight).leaves(features)
    factor = leaf_factors(leaf, road, straight, int(leaf.max(initial=0)) + 1)
    known = leaf >= 0
    told = reckoned_km(straight, leaf, factor)
    assert told[known].sum() == pytest.approx(road[known].sum(), rel=1e-9, abs=1e-6)


@given(hnp.arrays(np.float64, ROWS, elements=st.floats(1, 300)), st.floats(1.0, 3.0), st.floats(-0.5, 0.5))
def test_a_constant_slip_is_the_error_of_every_band(straight: np.ndarray, circuity: float, slip: float) -> None:
    road = circuity * straight
    weight = np.linspace(1, 2, straight.size)
    rows = accuracy_rows(straight, road, weight, {"zone": road * (1 + slip)})
    for row in rows:
        if row["mode"] == "zone" and row["n"]:
            assert row["aggregate_error_pct"] == pytest.approx(100 * slip, abs=1e-2)
            assert row["mape_pct"] == pytest.approx(100 * abs(slip), abs=1e-2)
    assert sum(row["n"] for row in rows if row["mode"] == "zone") == straight.size


@given(hnp.arrays(np.float64, ROWS, elements=st.floats(0, 1e4)))
def test_every_distance_has_its_band(straight: np.ndarray) -> None:
    band = band_of(straight)
    edges = np.array(BANDS_KM)
    assert (edges[band] <= straight).all()
    assert ((straight < edges[band + 1]) | (band == len(BANDS_KM) - 2)).all()


@given(st.integers(2, 6), st.integers(0, 1000), st.integers(12, 80))
def test_a_block_lies_in_one_fold(folds: int, seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    lat, lon = rng.uniform(36, 41, n), rng.uniform(-122, -118, n)
    fold = spatial_folds(lat, lon, folds, seed)
    twice = spatial_folds(np.tile(lat, 2), np.tile(lon + 1e-9, 2), folds, seed)
    np.testing.assert_array_equal(twice[:n], twice[n:])
    assert set(np.unique(fold)) <= set(range(folds))
