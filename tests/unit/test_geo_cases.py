"""Distances and conversions against figures from outside."""

from __future__ import annotations

import inspect

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csrag import geo
from csrag import quantities as q
from csrag.errors import InvalidValueError


def test_albany_to_piscataway() -> None:
    # 241.6 km by the report in duckdb-spatial 671; the swapped call there gave another figure without a word.
    assert geo.haversine_km(42.6664, -73.7987, 40.5518, -74.4647) == pytest.approx(241.6, rel=0.005)


def test_latitude_comes_first_in_every_signature() -> None:
    for function in (geo.haversine_km, geo.padded_box, geo.check_point, geo.to_albers_m, geo.in_california_box):
        assert next(iter(inspect.signature(function).parameters)).startswith("lat")


def test_swapped_arguments_are_refused() -> None:
    with pytest.raises(InvalidValueError) as caught:
        geo.check_point(-120.95, 39.94)
    assert caught.value.code == "coordinates_swapped"


PAIRS = [
    (q.bdt_to_bdmt, q.bdmt_to_bdt), (q.miles_to_km, q.km_to_miles), (q.hectares_to_acres, q.acres_to_hectares),
    (q.usd_per_bdt_to_usd_per_bdmt, q.usd_per_bdmt_to_usd_per_bdt),
]  # fmt: skip


@given(st.floats(1e-6, 1e9), st.sampled_from(PAIRS))
def test_conversions_are_undone_to_1e9(value: float, pair: tuple[object, object]) -> None:
    there, back = pair
    assert back(there(value)) == pytest.approx(value, rel=1e-9)  # type: ignore[operator]
    assert there(back(value)) == pytest.approx(value, rel=1e-9)  # type: ignore[operator]


@given(st.floats(1e-6, 1e9), st.floats(0, 80))
def test_moisture_conversions_are_undone_to_1e9(value: float, moisture_pct: float) -> None:
    assert q.gt_to_bdt(q.bdt_to_gt(value, moisture_pct), moisture_pct) == pytest.approx(value, rel=1e-9)
    usd_per_gt = q.usd_per_bdt_to_usd_per_gt(value, moisture_pct)
    assert q.usd_per_gt_to_usd_per_bdt(usd_per_gt, moisture_pct) == pytest.approx(value, rel=1e-9)


@given(st.floats(0.01, 400))
def test_slopes_are_undone_to_1e9(slope_pct: float) -> None:
    assert q.degrees_to_slope_pct(q.slope_pct_to_degrees(slope_pct)) == pytest.approx(slope_pct, rel=1e-9)
