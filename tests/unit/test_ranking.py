"""The fast order against the plain sort by three keys."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from csrag.ask.computation.ranking import ranked


@given(st.lists(st.tuples(st.sampled_from([0.0, -0.0, 0.5, 1.0, np.inf]), st.sampled_from([1.0, 2.0, np.inf])), max_size=60),
       st.randoms())  # fmt: skip
def test_the_order_is_that_of_the_sort_by_three_keys(rows, random):
    numbers = list(range(len(rows)))
    random.shuffle(numbers)
    score, unit = (np.array([r[i] for r in rows], dtype=np.float64) for i in (0, 1))
    number = np.array(numbers, dtype=np.int64)
    assert ranked(score, unit, number).tolist() == np.lexsort((number, unit, score)).tolist()


@pytest.mark.parametrize("n", [0, 1, 2, 50_000])
def test_many_rows_without_ties(n):
    rng = np.random.default_rng(3)
    score, number = rng.random(n), rng.permutation(n)
    assert np.array_equal(ranked(score, score, number), np.argsort(score, kind="stable"))


@given(st.integers(1, 6), st.integers(0, 120), st.integers(0, 2**32 - 1))
def test_moves_of_several_years_are_those_of_each(years, n, seed):
    from csrag.ask.computation.move_in import move_in_usd, moves_by_group, tour_keys

    rng = np.random.default_rng(seed)
    lat, lon = 39 + rng.integers(0, 4, n) * 0.01, -121 + rng.random(n) * 0.3
    year, system, number = rng.integers(0, years, n), rng.integers(0, 4, n), rng.permutation(n)
    acres, circuity, keys = 30 + rng.random(n), 1 + rng.random(n), tour_keys(lat, lon)
    together = moves_by_group(year, years, system, lat, lon, keys, number, acres, circuity, 284.7)
    shuffled = rng.permutation(n)
    for y in range(years):
        rows = shuffled[year[shuffled] == y]
        alone = move_in_usd(
            system[rows], lat[rows], lon[rows], keys[rows], number[rows], acres[rows], circuity[rows], 284.7
        )
        assert together[y] == alone
