"""FRCS against the golden rows of the reference simulator: every output, NaN pattern, error class and message."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.support.frcs_cases import GOLDEN, RTOL, columns, differences, read, record

from csrag.simulators.frcs.limits import CLASSES
from csrag.simulators.frcs.mapping import check_variant, frcs_inputs, is_clear_cut
from csrag.simulators.frcs.simulate import PACKAGE_FIELDS, cost_and_yield, simulate, simulate_record
from csrag.simulators.frcs.validation import PARAMETERS, FrcsInputError, check_record
from csrag.surfaces.catalog import SYSTEMS

OUTPUTS = [f"{half}.{field}" for half in ("totalBiomass", "feedstock") for field in PACKAGE_FIELDS]
pytestmark = pytest.mark.shared


@pytest.fixture(scope="module")
def rows(shared_dir: Path) -> list[dict[str, str]]:
    return read(shared_dir / GOLDEN / "public.csv.gz")


def good(rows: list[dict[str, str]], system: str) -> tuple[list[dict[str, str]], list[dict[str, Any]]]:
    """Rows of a system that the reference runs, with their inputs."""
    kept = [(r, record(r)) for r in rows if r["status"] != "error"]
    kept = [(r, i) for r, i in kept if i["system"] == system]
    return [r for r, _ in kept], [i for _, i in kept]


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_output_of_every_row(rows: list[dict[str, str]], system: str) -> None:
    mine, inputs = good(rows, system)
    assert len(mine) > 200
    out = simulate(system, columns(inputs))
    assert not out.codes.any()
    found = out.as_package_names()
    assert list(found) == OUTPUTS
    for name in OUTPUTS:
        want = np.array([float(r[name.replace(".", "_")]) for r in mine])
        wrong = differences(want, found[name])
        cases = [(mine[i]["case"], want[i], found[name][i]) for i in wrong[:3]]
        assert not wrong.size, f"{name}: {wrong.size} rows differ, first {cases}"


@pytest.mark.parametrize("system", SYSTEMS)
def test_fast_path_is_the_same(rows: list[dict[str, str]], system: str) -> None:
    _, inputs = good(rows, system)
    # What the fast path leaves out: fuel, salvage, and move-in, which feedstock pays in cut-to-length systems.
    kept = [i for i in inputs if not i["isBiomassSalvage"] and not i["includeMoveInCosts"]]
    assert len(kept) > 50
    given = columns(kept)
    cost, gt, codes = cost_and_yield(system, given)
    slow = simulate(system, given)
    assert not differences(slow.feedstock.cost_usd_per_acre, cost).size
    assert not differences(slow.feedstock.yield_gt_per_acre, gt).size
    assert np.array_equal(codes, slow.codes)


def test_every_error_class_and_message(rows: list[dict[str, str]]) -> None:
    seen: Counter[str] = Counter()
    for row in rows:
        if row["status"] != "error":
            continue
        with pytest.raises(FrcsInputError) as caught:
            simulate_record(record(row))
        assert caught.value.error_class == row["error_class"], row["case"]
        if row["error_class"] != "type_error_unexpected_key":  # that one is an accident of the reference
            assert caught.value.package_message == row["error_message"].replace("\\n", "\n"), row["case"]
        seen[row["error_class"].split(";")[0]] += 1
    assert {"missing_param", "wrong_type", "unknown_system", "type_error_unexpected_key"} <= set(seen)
    assert set(CLASSES.values()) <= set(seen)


def test_rows_that_run_pass_the_checks(rows: list[dict[str, str]]) -> None:
    for row in rows:
        if row["status"] != "error":
            check_record(record(row))


def test_limits_as_codes_of_a_column(rows: list[dict[str, str]]) -> None:
    """The vectorised codes say what the reference throws, row by row; the reference names one volume at most."""
    checked = 0
    for system in SYSTEMS:
        mine = [r for r in rows if r["status"] == "error" and not r["mutation"] and r["system"] == system]
        out = simulate(system, columns([record(r) for r in mine]))
        for row, code in zip(mine, out.codes, strict=True):
            names = {name for bit, name in CLASSES.items() if code & bit}
            told = set(row["error_class"].split(";"))
            assert told == names or (told | {"limit_volume_slt"} == names and "limit_volume_ct" in told), row["case"]
            checked += 1
        assert np.isnan(out.feedstock.cost_usd_per_acre).all()
    assert checked > 100


def cluster(row: dict[str, str]) -> tuple[dict[str, np.ndarray[Any, Any]], Any, object]:
    """A golden cluster under the catalog's names, its economics, its treatment id."""

    def value(name: str) -> np.ndarray[Any, Any]:
        return np.array([float(row[f"cluster_{name}"] or "0")])  # an empty cell is null, which counts as 0

    stand = {
        "slope_pct": np.array([np.nan]),
        "grade_pct": value("slope"),
        "yarding_ft": value("mean_yarding"),
        "elevation_ft": value("center_elevation"),
        "area_acres": value("area"),
        "wood_density_kg_per_m3": value("wood_density"),
        "stem_4_6_bdt_per_acre": value("stem4to6_tonsacre"),
        "stem_6_9_bdt_per_acre": value("stem6to9_tonsacre"),
        "stem_9_plus_bdt_per_acre": value("stem9plus_tonsacre"),
        "branch_bdt_per_acre": value("branch_tonsacre"),
    }
    names = {
        "diesel_usd_per_gal": "dieselFuelPrice",
        "faller_wage_usd_per_h": "wageFaller",
        "other_wage_usd_per_h": "wageOther",
        "benefits_pct": "laborBenefits",
        "ppi": "ppiCurrent",
        "moisture_pct": "moistureContent",
        "residue_recovery_wt_pct": "residueRecovFracWT",
        "residue_recovery_ctl_pct": "residueRecovFracCTL",
    }
    prices = SimpleNamespace(**{ours: float(row[f"econ_{theirs}"]) for ours, theirs in names.items()})
    text = row["cluster_treatmentid"]
    return stand, prices, text.strip('"') if text.startswith('"') else int(text)


def test_every_cluster_row(shared_dir: Path) -> None:
    variants: Counter[str] = Counter()
    for row in read(shared_dir / GOLDEN / "public_cluster.csv.gz"):
        variant = check_variant(row["variant"])
        stand, prices, treatment = cluster(row)
        inputs = frcs_inputs(stand, row["system"], prices, clear_cut=is_clear_cut(treatment, variant), variant=variant)
        assert set(inputs) == set(PARAMETERS) - {"system"}
        for name, got in inputs.items():
            want = row[f"frcs_{name}"]
            if got.dtype == bool:
                assert bool(got) == (want == "true"), (row["case"], name)
            else:
                assert not differences(np.array([float(want)]), got.reshape(-1)).size, (row["case"], name, want, got)
        out = simulate(row["system"], inputs)
        variants[variant] += 1
        if row["error_class"]:
            assert out.codes[0], row["case"]
            continue
        acres = float(row["cluster_area"])
        gt, cost = out.feedstock.yield_gt_per_acre * acres, out.feedstock.cost_usd_per_acre * acres
        if row["rejected"]:
            assert not gt[0] > 0, row["case"]
            continue
        expected = {
            "feedstockGreenTons": gt,
            "feedstockHarvestCost": cost,
            "coproductGreenTons": (out.total_biomass.yield_gt_per_acre * acres - gt),
            "coproductHarvestCost": (out.total_biomass.cost_usd_per_acre * acres - cost),
        }
        for name, got in expected.items():
            want = float(row[name])
            # A difference of two sums: its error is that of the sums.
            slack = RTOL * max(abs(want), abs(cost[0]) if "Cost" in name else abs(gt[0]))
            assert (np.isnan(want) and np.isnan(got[0])) or abs(want - got[0]) <= slack, (row["case"], name)
    assert variants["backend"] > 100
    assert variants["fixed"] > 100
