"""Harvest cost of clusters: laws, codes, agreement with `simulate`, and the trial of the demonstration recipe."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.frcs_clusters import Clusters

from csrag.errors import InvalidValueError
from csrag.simulators import harvest as module
from csrag.simulators.frcs.limits import (
    COST_UNDEFINED,
    LIMIT_SLOPE,
    LIMIT_VOLUME_CT,
    LIMIT_YARDING,
    NO_FEEDSTOCK,
    UNROADED,
)
from csrag.simulators.frcs.mapping import frcs_inputs
from csrag.simulators.frcs.simulate import simulate
from csrag.simulators.harvest import HarvestEconomics, harvest, treatment_cost
from csrag.surfaces.catalog import FEEDSTOCK_CLASS_OF, SYSTEMS

MAPPINGS = ("split", "fixed", "backend")
CLUSTERS = Clusters(1500)


def one(**given: float) -> dict[str, Any]:
    values = {
        "area_acres": 32.0, "slope_pct": 20.0, "grade_pct": 10.0, "yarding_ft": 700.0, "elevation_ft": 4500.0,
        "wood_density_kg_per_m3": 420.0, "roaded": 1.0, "stem_4_6_bdt_per_acre": 1.2, "stem_6_9_bdt_per_acre": 3.0,
        "stem_9_plus_bdt_per_acre": 15.0, "branch_bdt_per_acre": 4.5, **given,
    }  # fmt: skip
    return {k: np.array([v]) for k, v in values.items()}


@pytest.mark.parametrize("mapping", MAPPINGS)
@pytest.mark.parametrize("clear_cut", [False, True])
def test_equals_simulate(mapping: Any, clear_cut: bool) -> None:
    stand = {k: v[:300] for k, v in CLUSTERS.removal("TFB40").items()}
    prices = HarvestEconomics(moisture_pct=43.0)
    found = harvest(stand, SYSTEMS, prices, clear_cut=clear_cut, mapping=mapping)
    acres, dry = stand["area_acres"], 0.57
    for i, system in enumerate(SYSTEMS):
        cut = clear_cut and mapping != "backend"  # the backend never finds its clear cut
        out = simulate(system, frcs_inputs(stand, system, prices, clear_cut=cut, variant=mapping))
        with np.errstate(invalid="ignore"):
            unit = out.feedstock.cost_usd_per_acre / out.feedstock.yield_gt_per_acre / dry
        unit[stand["roaded"] == 0] = np.nan
        np.testing.assert_allclose(found.cost_usd_per_bdt[i], unit, rtol=1e-12)
        assert np.array_equal(found.codes[i] == 0, np.isfinite(unit))
        runs = out.codes == 0
        feedstock = out.feedstock.yield_gt_per_acre * acres * dry
        np.testing.assert_allclose(found.feedstock_bdt[FEEDSTOCK_CLASS_OF[system]][runs], feedstock[runs], rtol=1e-12)
        total = out.total_biomass.yield_gt_per_acre * acres * dry
        np.testing.assert_allclose(found.coproduct_bdt[runs], (total - feedstock)[runs], rtol=1e-9, atol=1e-9)


@settings(max_examples=30)
@given(st.integers(1, 80), st.integers(0, 2**32 - 1), st.integers(1, 33))
def test_order_and_blocks_do_not_matter(n: int, seed: int, block: int) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.permutation(1500)[:n]
    stand = {k: v[rows].astype(np.float32) for k, v in CLUSTERS.removal("SDI30").items()}
    order = rng.permutation(n)
    whole = harvest(stand, SYSTEMS, clear_cut=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK_ROWS", block)
        pieces = harvest(stand, SYSTEMS, clear_cut=False)
        moved = harvest({k: v[order] for k, v in stand.items()}, SYSTEMS, clear_cut=False)
    for name in ("cost_usd_per_bdt", "feedstock_bdt", "coproduct_bdt", "codes"):
        a, b, c = (np.asarray(getattr(h, name)) for h in (whole, pieces, moved))
        assert a.tobytes() == b.tobytes(), name
        assert np.ascontiguousarray(a[..., order]).tobytes() == np.ascontiguousarray(c).tobytes(), name


def test_a_system_does_not_depend_on_its_company() -> None:
    stand = CLUSTERS.removal("TFB60")
    together = harvest(stand, SYSTEMS, clear_cut=False)
    for i, system in enumerate(SYSTEMS):
        alone = harvest(stand, (system,), clear_cut=False)
        assert alone.cost_usd_per_bdt[0].tobytes() == together.cost_usd_per_bdt[i].tobytes()
        assert alone.codes[0].tobytes() == together.codes[i].tobytes()


@pytest.mark.parametrize("treatment", ["RMI100", "SDI55", "TFB20", "TFA40"])
def test_codes_are_zero_exactly_where_cost_is_finite(treatment: str) -> None:
    found = harvest(CLUSTERS.removal(treatment), SYSTEMS, clear_cut=treatment == "RMI100")
    assert np.array_equal(found.codes == 0, np.isfinite(found.cost_usd_per_bdt))
    assert (found.cost_usd_per_bdt[found.codes == 0] > 0).all()
    assert (found.feedstock_bdt >= 0).all()
    # The classes nest: boles, with their tops, with all tops; bundles take some of the slash.
    whole, chips, log, ctl = found.feedstock_bdt
    assert (whole >= chips).all()
    assert (chips >= log).all()
    assert (ctl >= log).all()


def test_why_a_cluster_is_not_feasible() -> None:
    def codes(system: str, mapping: str = "split", **given: float) -> int:
        return int(harvest(one(**given), (system,), clear_cut=False, mapping=mapping).codes[0, 0])

    nan = float("nan")
    assert codes("Ground-Based Mech WT") == 0
    assert codes("Ground-Based Mech WT", slope_pct=40.5) == LIMIT_SLOPE
    assert codes("Cable Manual WT", slope_pct=40.5) == 0
    assert codes("Cable Manual WT", yarding_ft=1301.0) == LIMIT_YARDING
    assert codes("Helicopter Manual Log", yarding_ft=9_990.0, grade_pct=40.0) == 0
    assert codes("Ground-Based Mech WT", roaded=0.0) == UNROADED
    nothing = {k: 0.0 for k in one() if k.endswith("bdt_per_acre")}
    assert codes("Ground-Based Mech WT", **nothing) == NO_FEEDSTOCK
    assert codes("Ground-Based Mech WT", stem_4_6_bdt_per_acre=nan) == NO_FEEDSTOCK
    # A log system makes feedstock of chip-tree boles alone.
    assert codes("Cable Manual Log", stem_4_6_bdt_per_acre=0.0, stem_6_9_bdt_per_acre=0.0) == NO_FEEDSTOCK
    assert codes("Ground-Based Mech WT", stem_4_6_bdt_per_acre=0.0, stem_6_9_bdt_per_acre=0.0) == 0
    assert codes("Ground-Based Mech WT", slope_pct=nan, grade_pct=nan) == COST_UNDEFINED
    assert codes("Ground-Based Mech WT", yarding_ft=nan) == COST_UNDEFINED
    big = {"stem_4_6_bdt_per_acre": 0.1, "stem_6_9_bdt_per_acre": 0.0, "branch_bdt_per_acre": 20.0}
    assert codes("Ground-Based Mech WT", mapping="fixed", **big) == LIMIT_VOLUME_CT
    assert codes("Ground-Based Mech WT", **big) == 0


def test_unknown_slope_is_infeasible_not_cheap() -> None:
    found = harvest(one(slope_pct=float("nan"), grade_pct=float("nan")), SYSTEMS[:4], clear_cut=False)
    assert np.isnan(found.cost_usd_per_bdt).all()
    assert (found.feedstock_bdt > 0).all()


def test_moisture_is_a_unit_only_where_frcs_lets_it_be() -> None:
    """Dry tons do not depend on moisture; green tons do."""
    dry, wet = (harvest(one(), SYSTEMS, HarvestEconomics(moisture_pct=m), clear_cut=False) for m in (35.0, 55.0))
    np.testing.assert_allclose(dry.feedstock_bdt, wet.feedstock_bdt, rtol=1e-12)
    np.testing.assert_allclose(dry.coproduct_bdt, wet.coproduct_bdt, rtol=1e-12)


def test_feedstock_by_hand() -> None:
    found = harvest(one(), SYSTEMS[:1], clear_cut=False)
    whole, chips, log, ctl = found.feedstock_bdt[:, 0] / 32
    assert log == pytest.approx(4.2)
    assert found.coproduct_bdt[0] / 32 == pytest.approx(15.0)
    assert whole == pytest.approx(4.2 + 0.8 * 4.5)
    assert ctl == pytest.approx(4.2 + 0.5 * 4.5)
    assert log < chips < whole


def test_dearer_inputs_cost_more() -> None:
    base = harvest(one(), SYSTEMS, clear_cut=False).cost_usd_per_bdt
    for dearer in (
        HarvestEconomics(diesel_usd_per_gal=7.0), HarvestEconomics(ppi=350.0), HarvestEconomics(other_wage_usd_per_h=40.0),
        HarvestEconomics(benefits_pct=60.0),
    ):  # fmt: skip
        assert (harvest(one(), SYSTEMS, dearer, clear_cut=False).cost_usd_per_bdt > base).all()


def test_treatment_cost_is_the_total() -> None:
    stand = {k: v[:200] for k, v in CLUSTERS.removal("TFB40").items()}
    index = np.arange(200) % 11 - 1
    found = treatment_cost(stand, index, clear_cut=False)
    assert np.isnan(found.cost_usd_per_acre[index == -1]).all()
    for i, system in enumerate(SYSTEMS):
        at = (index == i) & (stand["roaded"] != 0)
        out = simulate(system, frcs_inputs(stand, system, HarvestEconomics(), clear_cut=False))
        np.testing.assert_allclose(found.cost_usd_per_acre[at], out.total_biomass.cost_usd_per_acre[at], rtol=1e-12)
        np.testing.assert_allclose(found.yield_gt_per_acre[at], out.total_biomass.yield_gt_per_acre[at], rtol=1e-12)
    np.testing.assert_allclose(found.yield_gt, found.yield_gt_per_acre * stand["area_acres"], rtol=1e-12)
    with pytest.raises(InvalidValueError, match="system number 10"):
        treatment_cost(stand, np.full(200, 10), clear_cut=False)
    with pytest.raises(InvalidValueError, match="length"):
        treatment_cost(stand, index[:-1], clear_cut=False)


def test_refusals() -> None:
    with pytest.raises(InvalidValueError, match="another base year"):
        HarvestEconomics(ppi=145.62)
    with pytest.raises(InvalidValueError, match="moisture_pct"):
        HarvestEconomics(moisture_pct=100.0)
    with pytest.raises(InvalidValueError, match="residue_recovery_wt_pct"):
        HarvestEconomics(residue_recovery_wt_pct=101.0)
    stand = one()
    del stand["yarding_ft"]
    with pytest.raises(InvalidValueError, match="yarding_ft"):
        harvest(stand, SYSTEMS, clear_cut=False)
    with pytest.raises(InvalidValueError, match="length"):
        harvest({**one(), "roaded": np.ones(2)}, SYSTEMS, clear_cut=False)
    with pytest.raises(InvalidValueError, match="mapping"):
        harvest(one(), SYSTEMS, clear_cut=False, mapping="deployed")
    with pytest.raises(InvalidValueError, match="Shovel"):
        harvest(one(), ("Shovel",), clear_cut=False)


def test_no_clusters() -> None:
    found = harvest({k: v[:0] for k, v in one().items()}, SYSTEMS, clear_cut=False)
    assert found.cost_usd_per_bdt.shape == (10, 0)
    assert found.feedstock_bdt.shape == (4, 0)


# Trial of the recipe, synthetic throughout: share usable; feedstock GT/acre p5, median, p95; mean BDT a cluster; harvest
# USD/BDT p5, median, p95. Ground and cable systems, the cheapest of each cluster.
TRIAL = {
    "RMI100": (0.95, (10, 21, 44), 365, (24, 32, 55)),
    "SDI30": (0.95, (3.7, 14.5, 35), 258, (30, 45, 93)),
    "SDI55": (0.65, (0.6, 7.2, 29), 158, (33, 48, 103)),
    "TFB20": (0.95, (4.1, 8.5, 18), 151, (49, 74, 199)),
    "TFB40": (0.95, (5.9, 12, 25), 214, (37, 55, 112)),
    "TFB60": (0.95, (7.1, 14.6, 31), 259, (31, 45, 85)),
    "TFB80": (0.95, (8.2, 17, 37), 306, (27, 39, 70)),
    "TFA20": (0.95, (1.0, 2.7, 7.3), 52, (18, 18, 21)),
    "TFA40": (0.95, (2.0, 5.3, 14), 101, (18, 19, 23)),
    "TFA60": (0.95, (3.0, 7.8, 21), 147, (18, 20, 26)),
    "TFA80": (0.95, (4.8, 11.5, 28), 212, (20, 25, 38)),
}


@pytest.mark.parametrize("treatment", TRIAL)
def test_trial_of_the_recipe(treatment: str) -> None:
    share, tons, cluster_bdt, cost = TRIAL[treatment]
    systems = SYSTEMS[:8]
    found = harvest(CLUSTERS.removal(treatment), systems, clear_cut=treatment == "RMI100")
    unit = np.where(np.isnan(found.cost_usd_per_bdt), np.inf, found.cost_usd_per_bdt)
    best, cheapest = unit.argmin(axis=0), unit.min(axis=0)
    ok = np.isfinite(cheapest)
    bdt = found.feedstock_bdt[[FEEDSTOCK_CLASS_OF[systems[i]] for i in best], np.arange(len(best))][ok]
    assert ok.mean() == pytest.approx(share, abs=0.04)
    assert np.percentile(bdt / 32.024857 * 2, [5, 50, 95]) == pytest.approx(tons, rel=0.25)
    assert np.median(bdt / 32.024857 * 2) == pytest.approx(tons[1], rel=0.08)
    assert bdt.mean() == pytest.approx(cluster_bdt, rel=0.10)
    assert np.median(cheapest[ok]) == pytest.approx(cost[1], rel=0.08)
    assert np.percentile(cheapest[ok], [5, 95]) == pytest.approx((cost[0], cost[2]), rel=0.20)
    assert (best[ok] == 0).mean() > 0.75, "mostly Ground-Based Mech WT"
