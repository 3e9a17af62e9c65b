"""Cluster mapping: what `split` promises, where the variants differ, and the branch ratios."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from csrag.errors import InvalidValueError
from csrag.simulators.frcs.mapping import (
    BRANCH_RATIO,
    CHIP_TREE_TONS,
    LOG_TREE_TONS,
    branch_ratio,
    check_variant,
    frcs_inputs,
    frcs_slope,
    is_clear_cut,
    split_branches,
    trees_and_wood,
)
from csrag.simulators.harvest import HarvestEconomics

PRICES = HarvestEconomics()
TONS = st.floats(0, 80, allow_subnormal=False).map(lambda x: 0.0 if x < 1e-6 else x)


def stand(**given: float) -> dict[str, Any]:
    values = {
        "area_acres": 32.0,
        "slope_pct": 20.0,
        "grade_pct": 10.0,
        "yarding_ft": 700.0,
        "elevation_ft": 4500.0,
        "wood_density_kg_per_m3": 420.0,
        "roaded": 1.0,
        "stem_4_6_bdt_per_acre": 1.2,
        "stem_6_9_bdt_per_acre": 3.0,
        "stem_9_plus_bdt_per_acre": 15.0,
        "branch_bdt_per_acre": 4.5,
        **given,
    }
    return {k: np.array([v]) for k, v in values.items()}


def test_tree_masses() -> None:
    # Rounded values of the published description of the FRREDSS mapping [short tons].
    assert pytest.approx((0.0292, 0.0879), abs=5e-5) == CHIP_TREE_TONS
    assert pytest.approx(0.160, abs=5e-4) == LOG_TREE_TONS


def test_branch_ratio_falls_with_size() -> None:
    # Shares of a 5 in (12.7 cm) softwood by hand: foliage .0738, bark .1121, wood .5969.
    assert branch_ratio(5.0) == pytest.approx(0.2172 / 0.7090, rel=2e-3)
    assert list(BRANCH_RATIO) == sorted(BRANCH_RATIO, reverse=True)


@given(TONS, TONS, TONS, TONS)
def test_split_conserves_mass(s46: float, s69: float, s9: float, branch: float) -> None:
    chip, log = split_branches(*(np.array([x]) for x in (s46, s69, s9, branch)))
    assert (chip >= 0).all()
    assert (log >= 0).all()
    removed = branch if s46 + s69 + s9 > 0 else 0.0
    assert chip[0] + log[0] == pytest.approx(removed, rel=1e-12, abs=1e-12)


@given(TONS, TONS, TONS, TONS, st.floats(300, 650), st.floats(0, 70))
def test_split_feeds_frcs_the_removed_mass(
    s46: float, s69: float, s9: float, branch: float, density: float, moisture: float
) -> None:
    """Green bole weight and residue that FRCS makes of its inputs are the green tons removed."""
    given_stand = stand(
        stem_4_6_bdt_per_acre=s46, stem_6_9_bdt_per_acre=s69, stem_9_plus_bdt_per_acre=s9, branch_bdt_per_acre=branch,
        wood_density_kg_per_m3=density,
    )  # fmt: skip
    with np.errstate(all="ignore"):
        f = trees_and_wood(given_stand, moisture, "split")
    bole = {c: (f[f"treesPerAcre{c}"] * f[f"volume{c}"] * f[f"woodDensity{c}"] / 2000).item() for c in ("CT", "SLT")}
    dry = 1 - moisture / 100
    assert bole["CT"] * dry == pytest.approx(s46 + s69, rel=1e-12)
    assert bole["SLT"] * dry == pytest.approx(s9, rel=1e-12)
    residue = sum(bole[c] * f[f"residueFraction{c}"].item() for c in ("CT", "SLT"))
    assert residue * dry == pytest.approx(branch if s46 + s69 + s9 > 0 else 0.0, rel=1e-11, abs=1e-12)
    assert f["treesPerAcreLLT"] == 0


def test_split_keeps_tops_of_saw_logs_off_chip_trees() -> None:
    tops_only = stand(stem_4_6_bdt_per_acre=0.0, stem_6_9_bdt_per_acre=0.1, branch_bdt_per_acre=6.0)
    with np.errstate(all="ignore"):
        ours, theirs = (trees_and_wood(tops_only, 50.0, v) for v in ("split", "fixed"))
    # FRREDSS counts the branches of saw-log trees as boles of chip trees.
    assert theirs["volumeCT"][0] > 20 * ours["volumeCT"][0]
    assert theirs["residueFractionSLT"] == 0
    assert ours["residueFractionSLT"][0] > 0.2


def test_helicopters_fly_level() -> None:
    slope = frcs_inputs(stand(grade_pct=75.0), "Cable Manual WT", PRICES, clear_cut=False)
    assert slope["deliverToLandingDistance"][0] == pytest.approx(700 * 1.25)
    for variant, level in (("split", 700.0), ("fixed", 700.0), ("backend", 700 * 1.25)):
        found = frcs_inputs(
            stand(grade_pct=75.0), "Helicopter Manual Log", PRICES, clear_cut=False, variant=check_variant(variant)
        )
        assert found["deliverToLandingDistance"][0] == pytest.approx(level), variant
        found = frcs_inputs(
            stand(grade_pct=75.0), "Helicopter CTL", PRICES, clear_cut=False, variant=check_variant(variant)
        )
        assert found["deliverToLandingDistance"][0] == pytest.approx(700.0), variant


def test_slope_is_terrain_then_grade_then_unknown() -> None:
    nan = float("nan")
    assert frcs_slope(stand(), "split")[0] == 20
    assert frcs_slope(stand(slope_pct=nan), "split")[0] == 10
    assert np.isnan(frcs_slope(stand(slope_pct=nan, grade_pct=nan), "split")[0])
    assert frcs_slope(stand(), "fixed")[0] == 10
    assert frcs_slope(stand(grade_pct=nan), "fixed")[0] == 0


def test_clear_cut_ids() -> None:
    assert [is_clear_cut(i, "backend") for i in (1, "1", "01", 2)] == [False, True, False, False]
    assert [is_clear_cut(i, "fixed") for i in (1, "1", "8", 2, "RMI100")] == [True, True, False, False, False]


def test_unknown_variant_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="split"):
        check_variant("reference")
