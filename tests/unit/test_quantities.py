"""Conversions against figures worked out by hand or published, and ranges at their ends."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csrag import quantities as q
from csrag.errors import InvalidValueError


def test_masses() -> None:
    assert q.bdt_to_bdmt(1) == pytest.approx(0.90718474)
    assert q.bdt_to_gt(186_815, 50) == pytest.approx(373_630)
    assert q.gt_to_bdt(25, 40) == pytest.approx(15)


def test_prices_go_the_other_way_than_masses() -> None:
    assert q.usd_per_gt_to_usd_per_bdt(30, 50) == pytest.approx(60)
    assert q.usd_per_bdt_to_usd_per_bdmt(1) == pytest.approx(1 / 0.90718474)


def test_lengths_areas_slopes() -> None:
    assert q.miles_to_km(79) == pytest.approx(127.138176)
    assert q.hectares_to_acres(12.96) == pytest.approx(q.CLUSTER_ACRES, rel=1e-6)
    assert q.degrees_to_slope_pct(45) == pytest.approx(100)


@given(st.floats(0, 1e7), st.floats(0, 80))
def test_money_is_the_same_in_every_basis(bdt: float, moisture_pct: float) -> None:
    usd = 57.0 * bdt
    in_green = q.usd_per_bdt_to_usd_per_gt(57.0, moisture_pct) * q.bdt_to_gt(bdt, moisture_pct)
    in_metric = q.usd_per_bdt_to_usd_per_bdmt(57.0) * q.bdt_to_bdmt(bdt)
    assert in_green == pytest.approx(usd)
    assert in_metric == pytest.approx(usd)


@given(st.floats(-1e6, 1e6))
def test_conversions_are_undone(value: float) -> None:
    assert q.bdmt_to_bdt(q.bdt_to_bdmt(value)) == pytest.approx(value)
    assert q.km_to_miles(q.miles_to_km(value)) == pytest.approx(value)
    assert q.acres_to_hectares(q.hectares_to_acres(value)) == pytest.approx(value)
    assert q.usd_per_bdmt_to_usd_per_bdt(q.usd_per_bdt_to_usd_per_bdmt(value)) == pytest.approx(value)
    assert q.usd_per_gt_to_usd_per_bdt(q.usd_per_bdt_to_usd_per_gt(value, 35), 35) == pytest.approx(value)
    assert q.slope_pct_to_degrees(q.degrees_to_slope_pct(value / 1e6 * 80)) == pytest.approx(value / 1e6 * 80)


def test_ranges_include_their_ends() -> None:
    for quantity in q.QUANTITIES.values():
        for bound in (quantity.low, quantity.high):
            if not math.isnan(bound):
                assert quantity.check(bound) == bound


@pytest.mark.parametrize(
    ("name", "value"),
    [("capacity_mw", 25_000), ("capacity_mw", 0), ("fire_weight", 1.01), ("moisture_pct", -1), ("ppi", math.nan),
     ("radius_km", math.inf)],
)  # fmt: skip
def test_out_of_range_is_refused_in_words(name: str, value: float) -> None:
    with pytest.raises(InvalidValueError) as caught:
        q.check(name, value)
    assert name in caught.value.message
    assert caught.value.fix
    assert caught.value.exit_code == 2
