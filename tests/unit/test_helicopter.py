"""Helicopter yarding and loading against their formulas worked by hand."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest

from csrag.simulators.frcs.helicopter import HELICOPTERS
from csrag.simulators.frcs.helicopter_loading import load_ctl, load_log
from csrag.simulators.frcs.helicopter_yarding import yard_ctl, yard_log
from csrag.simulators.frcs.rates import Rates, machine_rates
from csrag.simulators.frcs.stand import Stand


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """Operations are called under errstate by the entry points."""
    with np.errstate(all="ignore"):
        yield


def stand(**given: object) -> Stand:
    values: dict[str, object] = {
        "slope": [30.0], "distance": [2000.0], "elevation": [5000.0], "trees_ct": 0.0, "tree_vol_ct": 0.0,
        "trees_slt": 40.0, "tree_vol_slt": 60.0, "trees_llt": 0.0, "tree_vol_llt": 0.0,
        "given_density_ct": 60.0, "given_density_slt": 55.0, "given_density_llt": 62.0,
        "residue_fraction_ct": 0.0, "residue_fraction_slt": 0.0, "residue_fraction_llt": 0.0,
        "given_hardwood_ct": 0.0, "given_hardwood_slt": 0.0, "given_hardwood_llt": 0.0,
    }  # fmt: skip
    values.update(given)
    arrays = {k: np.asarray(v, dtype=np.float64) for k, v in values.items()}
    return Stand(partial_cut=np.asarray(True), **arrays)


def rates(diesel: float = 3.61) -> Rates:
    return machine_rates(*(np.asarray(x) for x in (diesel, 35.13, 22.07, 35.0, 284.7)))


def _daily_ccf(payload: float, hook: float, speed: float, hours: float, trees: float, volume: float) -> float:
    """One helicopter's day, with the branches of the published procedure written out."""
    density, distance = 55.0, 2000.0
    logs = -0.43 + 0.678 * math.sqrt(math.sqrt((volume + 3.675) / 0.216))
    log_lb = density * volume / logs
    reach_lb = math.pi * 37.5**2 / 43506 * trees * volume * density
    of_greatest, payloads = log_lb / (1.25 * payload), reach_lb / (1.25 * payload)
    factor = 0.9
    factor += 0.1 - 0.2 * of_greatest if of_greatest < 0.5 else 0
    factor += -0.05 + 0.05 / 3 * (payloads - 1) if payloads < 4 else 0
    factor *= payloads if payloads < 1 else 1
    load = min(10 * log_lb, max(factor * payload, min(log_lb, payload)))
    minutes_per_ft = 2 * 60 / (speed * 5280)
    turns = (60 * hours - 7 * 5000 * minutes_per_ft) / (hook + distance * minutes_per_ft)
    return load * turns / (density * 100)


@pytest.mark.parametrize(("trees", "volume"), [(40.0, 60.0), (3.0, 60.0), (200.0, 140.0), (400.0, 2.0)])
def test_log_lengths_by_hand(trees: float, volume: float) -> None:
    daily = (
        _daily_ccf(4500 - 0.116 * 5000, 1.63, 39, 6, trees, volume)
        + _daily_ccf(8160 - 0.0352 * 5000, 1.18, 58, 6.76, trees, volume)
        + _daily_ccf(4800.9 - 0.0046 * 5000, 1.15, 60, 8.5, trees, volume)
    )
    flying = 1.1 * (
        (6 * 340 + 263 * 6 + 3700 + 460) + (6.76 * 1052 + 263 * 10 + 7580 + 2155) + (8.5 * 840 + 263 * 9 + 6750 + 1000)
    )
    block = stand(trees_slt=trees, tree_vol_slt=volume)
    got = yard_log(block, rates(), fuel=True)
    assert got.usd_per_ccf[0] == pytest.approx(flying / daily, rel=1e-12)
    assert got.gal_per_ccf is not None
    assert got.gal_per_ccf[0] == pytest.approx((86 * 6 + 180 * 6.76 + 86 * 8.5) / daily, rel=1e-12)
    loading = load_log(block, rates())
    assert loading.usd_per_ccf[0] == pytest.approx(1.1 * 5 * (263 + 770) / daily, rel=1e-12)
    assert loading.gal_per_ccf is None


def test_ctl_differs_by_the_k_max_payload_only() -> None:
    """With small log trees alone both fly the same logs; 0.9 lb of payload is the difference."""
    log, ctl = yard_log(stand(), rates()).usd_per_ccf[0], yard_ctl(stand(), rates()).usd_per_ccf[0]
    assert log != ctl
    assert ctl == pytest.approx(log, rel=1e-4)
    assert HELICOPTERS["K-MAX"].payload_lb - HELICOPTERS["K-MAX"].payload_lb_ctl == pytest.approx(0.9)


def test_undefined_from_150_ft3_in_the_mean_of_all_trees() -> None:
    trees = stand(slope=[30.0] * 2, distance=[2000.0] * 2, elevation=[5000.0] * 2, trees_llt=40.0,
                  tree_vol_llt=[239.99, 240.01])  # fmt: skip
    for method in (yard_log, yard_ctl, load_log, load_ctl):
        assert np.isnan(method(trees, rates()).usd_per_ccf).tolist() == [False, True], method.__name__


def test_nothing_to_fly_is_nan() -> None:
    for method in (yard_log, yard_ctl, load_log, load_ctl):
        assert np.isnan(method(stand(trees_slt=0.0), rates()).usd_per_ccf).all()
        assert np.isnan(method(stand(given_density_slt=np.inf), rates()).usd_per_ccf).all()


def test_hardwood_costs_a_fifth_more_and_diesel_has_no_effect() -> None:
    plain, hard = yard_log(stand(), rates()), yard_log(stand(given_hardwood_slt=1.0), rates())
    assert hard.usd_per_ccf[0] == pytest.approx(1.2 * plain.usd_per_ccf[0])
    assert yard_log(stand(), rates(diesel=9.0)).usd_per_ccf[0] == plain.usd_per_ccf[0]


def test_higher_and_farther_is_dearer() -> None:
    far = yard_log(stand(slope=[30.0] * 50, elevation=[5000.0] * 50, distance=np.linspace(0, 10_000, 50)), rates())
    assert (np.diff(far.usd_per_ccf) > 0).all()
    high = yard_log(stand(slope=[30.0] * 50, distance=[2000.0] * 50, elevation=np.linspace(0, 9000, 50)), rates())
    assert (np.diff(high.usd_per_ccf) > 0).all()
