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
