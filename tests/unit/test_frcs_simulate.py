"""FRCS: what does not depend on the reference: blocks, order, shapes, refusals, rates."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from csrag.errors import InvalidValueError
from csrag.simulators.frcs.limits import CLASSES, ELEVATION_REQUIRED, LIMIT_SLOPE, LIMIT_YARDING, MEANINGS
from csrag.simulators.frcs.ramps import falling, rising
from csrag.simulators.frcs.rates import MACHINES, machine_rates
from csrag.simulators.frcs.simulate import cost_and_yield, cost_and_yield_systems, simulate, simulate_record
from csrag.simulators.frcs.systems import SYSTEM_TABLE
from csrag.simulators.frcs.validation import PARAMETERS, FrcsInputError, problems
from csrag.surfaces.catalog import SYSTEMS

module = importlib.import_module("csrag.simulators.frcs.simulate")  # the package names its function the same


def inputs(n: int = 1, **given: Any) -> dict[str, Any]:
    """An ordinary stand, constants as scalars."""
    return {
        "isPartialCut": True, "deliverToLandingDistance": np.full(n, 600.0), "slope": np.full(n, 12.0),
        "elevation": 4500.0, "includeLoadingCosts": True, "includeMoveInCosts": False, "area": 32.0,
        "moveInDistance": 0.0, "includeCostsCollectChipResidues": True,
        "woodDensityCT": 52.0, "woodDensitySLT": 52.0, "woodDensityLLT": 52.0,
        "residueFractionCT": 0.3, "residueFractionSLT": 0.2, "residueFractionLLT": 0.2,
        "hardwoodFractionCT": 0.2, "hardwoodFractionSLT": 0.0, "hardwoodFractionLLT": 0.0,
        "treesPerAcreCT": np.full(n, 110.0), "volumeCT": np.full(n, 3.0),
        "treesPerAcreSLT": np.full(n, 60.0), "volumeSLT": np.full(n, 30.0),
        "treesPerAcreLLT": 0.0, "volumeLLT": 0.0, "dieselFuelPrice": 4.5, "moistureContent": 50.0,
        "isBiomassSalvage": False, "wageFaller": 35.13, "wageOther": 22.07, "laborBenefits": 35.0, "ppiCurrent": 284.7,
        "residueRecovFracWT": 80.0, "residueRecovFracCTL": 50.0, **given,
    }  # fmt: skip


def varied(n: int, seed: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return inputs(
        n, slope=rng.gamma(2.6, 8.5, n), deliverToLandingDistance=rng.uniform(450, 1500, n),
        treesPerAcreCT=rng.uniform(0, 300, n), volumeCT=rng.uniform(0, 20, n), treesPerAcreSLT=rng.uniform(0, 90, n),
        volumeSLT=rng.uniform(5, 85, n), woodDensityCT=rng.uniform(35, 70, n), isPartialCut=rng.random(n) < 0.5,
    )  # fmt: skip


def test_parameters_are_34_and_systems_ten() -> None:
    assert len(PARAMETERS) == 34
    assert tuple(SYSTEM_TABLE) == SYSTEMS
    assert set(CLASSES) <= set(MEANINGS)


@settings(max_examples=30)
@given(st.integers(1, 60), st.integers(0, 2**32 - 1), st.integers(1, 25))
def test_order_and_blocks_do_not_matter(n: int, seed: int, block: int) -> None:
    given_inputs = varied(n, seed)
    order = np.random.default_rng(seed).permutation(n)
    shuffled = {k: v[order] if np.ndim(v) else v for k, v in given_inputs.items()}
    whole = cost_and_yield_systems(SYSTEMS, given_inputs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK_ROWS", block)
        pieces = cost_and_yield_systems(SYSTEMS, given_inputs)
        moved = cost_and_yield_systems(SYSTEMS, shuffled)
        outputs = simulate("Cable Manual WT", given_inputs).as_package_names()
    for name, values in simulate("Cable Manual WT", given_inputs).as_package_names().items():
        assert values.tobytes() == outputs[name].tobytes(), name
    for a, b, c in zip(whole, pieces, moved, strict=True):
        assert a.tobytes() == b.tobytes()
        assert a[:, order].tobytes() == c.tobytes()


def test_systems_together_and_alone_agree_to_the_bit() -> None:
    given_inputs = varied(500, 3)
    together = cost_and_yield_systems(SYSTEMS, given_inputs)
    for i, system in enumerate(SYSTEMS):
        for a, b in zip(together, cost_and_yield(system, given_inputs), strict=True):
            assert a[i].tobytes() == b.tobytes()


def test_systems_can_be_skipped() -> None:
    cost, gt, codes = cost_and_yield_systems(("Cable CTL",), varied(20, 1))
    assert cost.shape == gt.shape == codes.shape == (1, 20)
    assert codes.dtype == np.uint16


def test_a_limit_gives_nan_and_its_bit() -> None:
    out = simulate(
        "Cable CTL",
        inputs(3, slope=np.array([40.0, 40.1, 12.0]), deliverToLandingDistance=np.array([1300.0, 900.0, 1301.0])),
    )
    assert out.codes.tolist() == [0, LIMIT_SLOPE, LIMIT_YARDING]
    assert np.isfinite(out.feedstock.cost_usd_per_acre).tolist() == [True, False, False]
    assert np.isnan(out.total_biomass.yield_gt_per_acre[1])
    assert simulate("Helicopter CTL", inputs(elevation=-1.0)).codes.tolist() == [ELEVATION_REQUIRED]
    assert simulate("Cable CTL", inputs(elevation=-1.0)).codes.tolist() == [0]


def test_scalars_make_one_row() -> None:
    out = simulate("Ground-Based Mech WT", {k: np.asarray(v).reshape(-1)[0] for k, v in inputs().items()})
    assert all(len(v) == 1 for v in out.as_package_names().values())
    assert len(out.as_package_names()) == 20


def test_refusals_name_the_input() -> None:
    wrong = inputs()
    del wrong["slope"]
    with pytest.raises(FrcsInputError, match="missing param slope") as caught:
        simulate("Cable CTL", wrong)
    assert caught.value.error_class == "missing_param"
    with pytest.raises(FrcsInputError, match="unknown param yarding"):
        simulate("Cable CTL", inputs(yarding=1.0))
    with pytest.raises(FrcsInputError, match="should be boolean, was number"):
        simulate("Cable CTL", inputs(isPartialCut=1))
    with pytest.raises(FrcsInputError, match="should be number, was boolean"):
        simulate("Cable CTL", inputs(slope=True))
    with pytest.raises(FrcsInputError, match="Shovel"):
        simulate("Shovel", inputs())
    with pytest.raises(InvalidValueError, match="use simulate"):
        cost_and_yield("Cable CTL", inputs(isBiomassSalvage=True))
    assert simulate("Cable CTL", inputs(UserNote="kept for the package's sake")).codes.tolist() == [0]


def test_a_record_tells_all_its_problems_at_once() -> None:
    record = {"system": "Cable CTL", **inputs(), "slope": "steep", "volumeCT": 81.0}
    record = {k: v.item() if isinstance(v, np.ndarray) and v.ndim and k != "system" else v for k, v in record.items()}
    del record["area"]
    assert [name for name, _ in problems(record)] == ["missing_param", "wrong_type", "limit_volume_ct"]
    with pytest.raises(FrcsInputError):
        simulate_record(record)


def test_large_log_trees_beyond_250_ft3() -> None:
    """Cost per CCF stays that of 250 ft3; cost per acre is divided by the area once more, the reference's slip."""
    low, high = (inputs(treesPerAcreLLT=5.0, volumeLLT=v, woodDensityLLT=50.0) for v in (250.0, 300.0))
    at, beyond = (simulate("Ground-Based Mech WT", x) for x in (low, high))
    assert beyond.total_biomass.cost_usd_per_bole_ccf == pytest.approx(at.total_biomass.cost_usd_per_bole_ccf)
    ccf = (110 * 3 + 60 * 30 + 5 * 300) / 100
    cost = beyond.total_biomass.cost_usd_per_bole_ccf * ccf
    assert beyond.total_biomass.cost_usd_per_acre == pytest.approx(cost / 32)
    assert beyond.total_biomass.cost_usd_per_gt == pytest.approx(cost / beyond.total_biomass.yield_gt_per_acre)
    assert beyond.feedstock.cost_usd_per_acre == pytest.approx(at.feedstock.cost_usd_per_acre)


def test_ramps() -> None:
    x = np.array([4.0, 5.0, 7.5, 10.0, 11.0, np.nan])
    assert falling(x, 5, 10).tolist() == [1, 1, 0.5, 0, 0, 0]
    assert rising(x, 5, 10).tolist() == [0, 0, 0.5, 1, 1, 1]


def test_chainsaw_rate_by_hand() -> None:
    one = np.asarray(1.0)
    rates = machine_rates(4.5 * one, 40 * one, 22 * one, 25 * one, 176.6 * one)
    # 700 USD, a year's life, 20 % salvage: depreciation 560, mean investment 700; 800 h; repairs 7 x depreciation.
    assert rates.chainsaw == pytest.approx((560 + 0.15 * 700) / 800 + 7 * 560 / 800 + 40 * 1.25 / 0.5)
    assert len(MACHINES) == 19
