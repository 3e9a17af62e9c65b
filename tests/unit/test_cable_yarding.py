"""Cable yarding against its formulas worked by hand, and its numerical traps."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest

from csrag.simulators.frcs.cable_clear_cut import yard_clear_cut
from csrag.simulators.frcs.cable_ctl import yard_ctl
from csrag.simulators.frcs.cable_partial_cut import yard_partial_cut
from csrag.simulators.frcs.rates import Rates, machine_rates
from csrag.simulators.frcs.stand import Stand

METHODS = [yard_partial_cut, yard_clear_cut, yard_ctl]


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """Operations are called under errstate by the entry points."""
    with np.errstate(all="ignore"):
        yield


def stand(**given: object) -> Stand:
    """One kind of tree by default: 20 chip trees an acre of 50 ft3, 60 lb/ft3, 20 % slope, 400 ft to the landing."""
    values: dict[str, object] = {
        "slope": [20.0], "distance": [400.0], "elevation": [5000.0], "trees_ct": 20.0, "tree_vol_ct": 50.0,
        "trees_slt": 0.0, "tree_vol_slt": 0.0, "trees_llt": 0.0, "tree_vol_llt": 0.0,
        "given_density_ct": 60.0, "given_density_slt": 58.0, "given_density_llt": 62.0,
        "residue_fraction_ct": 0.0, "residue_fraction_slt": 0.0, "residue_fraction_llt": 0.0,
        "given_hardwood_ct": 0.0, "given_hardwood_slt": 0.0, "given_hardwood_llt": 0.0,
    }  # fmt: skip
    values.update(given)
    arrays = {k: np.asarray(v, dtype=np.float64) for k, v in values.items()}
    return Stand(partial_cut=np.asarray(True), **arrays)


def rates() -> Rates:
    return machine_rates(*(np.asarray(x) for x in (3.61, 35.13, 22.07, 35.0, 284.7)))


def test_ctl_by_hand() -> None:
    """40 chip trees an acre of 12 ft3: the log is 1.5 x 12 / 3.84 = 4.7 ft3, so the one equation has full weight."""
    rate = rates()
    got = yard_ctl(stand(trees_ct=40.0, tree_vol_ct=12.0), rate, fuel=True)
    vol_per_acre = 40 * 12
    size = 12 / 150
    hourly = float(rate.yarder_s) * (1 - size) + float(rate.yarder_i) * size
    bunch = vol_per_acre * 600 * 1.5 / 43560
    turn = min((6000 + 3000 * size) / 60, max(bunch, 12))
    minutes = (145.5 + 43.77 * 3 + 0.639 * 35 - 26.1 * 2 + 0.0004806 * 400**2 + 0.007775 * 35**2) / 100
    change = 100 * hourly * 1.5 / (vol_per_acre * 400 * 2 * 150 / 43560)
    want = 100 * hourly / (turn / (minutes / 60)) + change
    assert got.usd_per_ccf[0] == pytest.approx(want, rel=1e-12)
    assert got.gal_per_ccf is not None
    assert got.gal_per_ccf[0] == pytest.approx((4 * (1 - size) + 8 * size) * want / hourly, rel=1e-12)


def test_ctl_is_undefined_from_25_ft3_a_log() -> None:
    """30 and 200 ft3 chip trees give logs below and above 25 ft3."""
    got = yard_ctl(stand(slope=[20.0, 20.0], distance=[400.0, 400.0], tree_vol_ct=[30.0, 200.0]), rates())
    assert np.isfinite(got.usd_per_ccf[0])
    assert np.isnan(got.usd_per_ccf[1])


def test_partial_cut_by_hand_where_three_equations_apply() -> None:
    """Trees of 150 ft3, 100 an acre, dense wood: what is left is Madill 071 (by turn), Madill 044 and Skylead (1/3)."""
    rate = rates()
    got = yard_partial_cut(stand(trees_ct=100.0, tree_vol_ct=150.0), rate, fuel=True)
    turn = 9000 / 60
    minutes_b = 1.82 + 0.0024 * 400 + 0.00021 * 35**2 + 0.0125 * turn + 0.0151 * 20 + 1.05
    minutes_f = 3.73 + 0.0028 * 400 + 0.154 * 35
    minutes_g = 2.761 + 0.0014 * 400 + 0.0114 * 35
    hourly = float(rate.yarder_i)
    change = 1.5 * 100 * hourly / (100 * 150 * 400 * 2 * 150 / 43560)
    product = divisor = 0.0
    for minutes, weight in ((minutes_b, 1.0), (minutes_f, 2 - 150 / 90), (minutes_g, 2 - 150 / 90)):
        productivity = turn / (minutes / 60)
        product += weight * productivity * (100 * hourly / productivity + change)
        divisor += weight * productivity
    assert got.usd_per_ccf[0] == pytest.approx(product / divisor, rel=1e-12)
    assert got.gal_per_ccf is not None
    assert got.gal_per_ccf[0] == pytest.approx(8 * product / divisor / hourly, rel=1e-12)


def test_clear_cut_by_hand_where_two_equations_apply() -> None:
    """Trees of 4 ft3 are one log each: below 5 ft3 a log only Gardner's Skagit and the Washington are left."""
    rate = rates()
    got = yard_clear_cut(stand(trees_ct=300.0, tree_vol_ct=4.0), rate, fuel=True)
    size = 4 / 150
    hourly = float(rate.yarder_s) * (1 - size) + float(rate.yarder_i) * size
    volume = 300 * 4
    turn = volume * 800 / 43560
    logs = turn / 4
    minutes_e = math.exp(1.09 + 0.0196 * logs + 0.00106 * 400 + 0.000617 * turn + 0.000043 * 5 * 20)
    minutes_g = 1.042 * (0.31 + 0.00323 * 400 + 1.593 + 1.24 * math.log10(logs) + 0.326 + 0.107 * logs + 0.021)
    line = 100 * hourly * 0.25 / (volume * 35 * 1.5 * 400 / 43560)
    landing = 100 * hourly * 2 / (volume * math.pi / 2 * 600**2 / 43560)
    product = divisor = 0.0
    for minutes in (minutes_e, minutes_g):
        productivity = turn / (minutes / 60)
        product += productivity * (100 * hourly / productivity + line + landing)
        divisor += productivity
    assert got.usd_per_ccf[0] == pytest.approx(product / divisor, rel=1e-12)
    assert got.gal_per_ccf is not None
    assert got.gal_per_ccf[0] == pytest.approx((4 * (1 - size) + 8 * size) * product / divisor / hourly, rel=1e-12)


def test_clear_cut_is_discontinuous_at_100_ft3_a_log() -> None:
    """Schillings' equation has weight 0 just below 100 ft3 a log and 1 from there on, as in the package."""
    below, above = 99.999999, 100.000001
    cost = yard_clear_cut(
        stand(slope=[20.0] * 2, distance=[900.0] * 2, tree_vol_ct=[below, above]), rates()
    ).usd_per_ccf
    assert abs(cost[1] / cost[0] - 1) > 1e-3


def test_no_distance_leaves_no_corridor() -> None:
    assert np.isnan(yard_partial_cut(stand(distance=[0.0]), rates()).usd_per_ccf[0])
    assert np.isposinf(yard_ctl(stand(distance=[0.0], tree_vol_ct=12.0), rates()).usd_per_ccf[0])
    # Every clear-cut equation has weight here, so the infinite change is not met by a weight of 0.
    everywhere = stand(distance=[0.0], slope=[45.0], trees_ct=60.0, tree_vol_ct=20.0)
    assert np.isposinf(yard_clear_cut(everywhere, rates()).usd_per_ccf[0])
    # On gentle slopes one of them has none.
    assert np.isnan(yard_clear_cut(stand(distance=[0.0], trees_ct=60.0, tree_vol_ct=20.0), rates()).usd_per_ccf[0])


@pytest.mark.parametrize("method", METHODS)
def test_no_trees_is_nan(method: object) -> None:
    assert np.isnan(method(stand(trees_ct=0.0), rates()).usd_per_ccf).all()  # type: ignore[operator]


@pytest.mark.parametrize("method", METHODS)
def test_infinite_density_is_nan(method: object) -> None:
    assert np.isnan(method(stand(given_density_ct=np.inf), rates()).usd_per_ccf).all()  # type: ignore[operator]


@pytest.mark.parametrize("method", METHODS)
def test_a_row_does_not_depend_on_its_block(method: object) -> None:
    rng = np.random.default_rng(20)
    n = 37
    columns = {
        "slope": rng.uniform(0, 60, n), "distance": rng.uniform(50, 1300, n), "elevation": rng.uniform(0, 8000, n),
        "trees_ct": rng.uniform(0, 200, n), "tree_vol_ct": rng.uniform(0.1, 60, n),
        "trees_slt": rng.uniform(0, 200, n), "tree_vol_slt": rng.uniform(5, 80, n),
    }  # fmt: skip
    whole = method(stand(**columns), rates(), fuel=True)  # type: ignore[operator]
    for i in range(n):
        alone = method(stand(**{k: v[i : i + 1] for k, v in columns.items()}), rates(), fuel=True)  # type: ignore[operator]
        assert alone.usd_per_ccf.tobytes() == whole.usd_per_ccf[i : i + 1].tobytes()
        assert alone.gal_per_ccf.tobytes() == whole.gal_per_ccf[i : i + 1].tobytes()


@pytest.mark.parametrize("method", METHODS)
def test_more_wood_per_acre_is_cheaper(method: object) -> None:
    """Corridors cost the same however little comes down them."""
    trees = np.linspace(5, 300, 60)
    cost = method(stand(trees_ct=trees, tree_vol_ct=12.0), rates()).usd_per_ccf  # type: ignore[operator]
    assert (np.diff(cost) < 0).all()


def test_fuel_is_left_out_unless_asked_for() -> None:
    for method in METHODS:
        assert method(stand(), rates()).gal_per_ccf is None
