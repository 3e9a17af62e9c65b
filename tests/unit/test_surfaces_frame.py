"""The table type: equal lengths, read-only, positions kept."""

from __future__ import annotations

import numpy as np
import pytest

from csrag.surfaces.frame import ClusterFrame

FRAME = ClusterFrame({"a": np.array([1, 2, 3]), "b": np.arange(6.0).reshape(3, 2)})


def test_length_is_rows_and_mapping_is_columns():
    assert len(FRAME) == 3
    assert list(FRAME) == ["a", "b"]
    assert FRAME.names == ("a", "b")
    assert "a" in FRAME
    assert "c" not in FRAME
    with pytest.raises(KeyError):
        FRAME["c"]


def test_columns_of_other_length_or_no_length_are_refused():
    with pytest.raises(ValueError, match="column b has 2 rows"):
        ClusterFrame({"a": np.arange(3), "b": np.arange(2)})
    with pytest.raises(ValueError, match="scalar"):
        ClusterFrame({"a": np.float64(1)})


def test_columns_cannot_be_written_and_the_caller_keeps_his_own():
    mine = np.arange(3)
    frame = ClusterFrame({"a": mine})
    with pytest.raises(ValueError, match="read-only"):
        frame["a"][0] = 9
    mine[0] = 5  # the caller's array stays writable


def test_take_filter_select_with_columns_concat():
    assert FRAME.take(np.array([2, 0]))["a"].tolist() == [3, 1]
    kept = FRAME.filter(FRAME["a"] > 1)
    assert kept["b"].tolist() == [[2.0, 3.0], [4.0, 5.0]]
    assert FRAME.select(["b"]).names == ("b",)
    assert FRAME.with_columns(c=np.ones(3)).names == ("a", "b", "c")
    both = ClusterFrame.concat([FRAME, kept])
    assert both["a"].tolist() == [1, 2, 3, 2, 3]
    assert both["b"].shape == (5, 2)


def test_filter_takes_booleans_of_its_length_only():
    with pytest.raises(ValueError, match="booleans"):
        FRAME.filter(np.array([0, 1, 2]))
    with pytest.raises(ValueError, match="booleans"):
        FRAME.filter(np.array([True]))


def test_concat_needs_the_same_columns():
    with pytest.raises(ValueError, match="different columns"):
        ClusterFrame.concat([FRAME, FRAME.select(["a"])])
    with pytest.raises(ValueError, match="nothing"):
        ClusterFrame.concat([])


def test_an_empty_frame_is_false_and_has_no_rows():
    assert not ClusterFrame({})
    assert len(ClusterFrame({"a": np.empty(0)})) == 0
