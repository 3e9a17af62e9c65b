"""FRCS against the live reference simulator: seeded random rows, empty classes, NaN and infinite inputs, clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.support.frcs_cases import ask_oracle, columns, differences

from csrag.simulators.frcs.mapping import frcs_inputs
from csrag.simulators.frcs.simulate import simulate
from csrag.simulators.frcs.validation import PARAMETERS, problems
from csrag.simulators.harvest import HarvestEconomics
from csrag.surfaces.catalog import SYSTEMS

pytestmark = pytest.mark.oracle
NUMBERS = [k for k, kind in PARAMETERS.items() if kind == "number"]


def draw(rng: np.random.Generator, system: str, n: int, odd: float) -> list[dict[str, Any]]:
    """Records over the useful ranges, with empty classes and values on break points; a share `odd` has one value that
    is NaN, infinite, zero, tiny or huge."""

    def between(low: float, high: float) -> Any:
        return np.exp(rng.uniform(np.log(low), np.log(high), n))

    def sometimes_zero(values: Any, share: float) -> Any:
        return np.where(rng.random(n) < share, 0.0, values)

    volume = {c: np.where(rng.random(n) < 0.25, rng.integers(0, 81, n), between(0.1, 80)) for c in ("CT", "SLT")}
    volume["LLT"] = between(40, 400)
    d: dict[str, Any] = {
        "deliverToLandingDistance": between(20, 2500),
        "slope": sometimes_zero(rng.gamma(2.5, 9, n), 0.2),
        "elevation": rng.uniform(0, 9000, n),
        "area": between(1, 200),
        "moveInDistance": sometimes_zero(between(1, 100), 0.3),
        "dieselFuelPrice": rng.uniform(2, 7, n),
        "moistureContent": rng.uniform(10, 70, n),
        "wageFaller": rng.uniform(20, 60, n),
        "wageOther": rng.uniform(15, 50, n),
        "laborBenefits": rng.uniform(0, 60, n),
        "ppiCurrent": rng.uniform(150, 400, n),
        "residueRecovFracWT": rng.uniform(0, 100, n),
        "residueRecovFracCTL": sometimes_zero(rng.uniform(0, 100, n), 0.2),
    }
    for c in ("CT", "SLT", "LLT"):
        d[f"woodDensity{c}"] = rng.uniform(30, 75, n)
        d[f"residueFraction{c}"] = sometimes_zero(rng.uniform(0, 1.5, n), 0.3)
        d[f"hardwoodFraction{c}"] = sometimes_zero(rng.uniform(0, 1, n), 0.5)
        d[f"treesPerAcre{c}"] = sometimes_zero(between(0.5, 600), 0.2)
        d[f"volume{c}"] = sometimes_zero(volume[c], 0.15)
    hit, which = rng.random(n) < odd, rng.integers(0, len(NUMBERS), n)
    strange = rng.choice([np.nan, np.inf, 0.0, 1e-6, 1e6], n)
    for i, key in enumerate(NUMBERS):
        d[key] = np.where(hit & (which == i), strange, d[key])
    for key, kind in PARAMETERS.items():
        if kind == "boolean":
            d[key] = rng.random(n) < (0.15 if key == "isBiomassSalvage" else 0.5)
    return [{"system": system, **{k: d[k][i].item() for k in PARAMETERS if k != "system"}} for i in range(n)]


@pytest.mark.parametrize("odd", [0.0, 1.0], ids=["ordinary", "odd"])
@pytest.mark.parametrize("system", SYSTEMS)
def test_random_rows(system: str, odd: float) -> None:
    rng = np.random.default_rng([SYSTEMS.index(system), int(odd)])
    records = draw(rng, system, 600, odd)
    answers = ask_oracle({"kind": "frcs", "input": r} for r in records)
    out = simulate(system, columns(records))
    found = out.as_package_names()
    thrown = np.array(["error" in a for a in answers])
    assert np.array_equal(thrown, out.codes != 0)
    for record, answer in zip(records, answers, strict=True):
        assert ";".join(name for name, _ in problems(record)) == answer.get("errorClass", "")
    assert 0.3 < 1 - thrown.mean() <= 1
    for name, got in found.items():
        half, field = name.split(".")
        want = np.array([np.nan if "error" in a else float(a["output"][half][field]) for a in answers])
        wrong = [i for i in differences(want, got) if not thrown[i]]
        assert not wrong, (name, want[wrong[0]], got[wrong[0]], records[wrong[0]])


@pytest.mark.parametrize("variant", ["backend", "fixed"])
def test_random_clusters(variant: Any) -> None:
    rng = np.random.default_rng(7 if variant == "fixed" else 8)
    n = 400
    prices = HarvestEconomics(moisture_pct=42.0)
    economics = {
        "dieselFuelPrice": prices.diesel_usd_per_gal,
        "wageFaller": prices.faller_wage_usd_per_h,
        "wageOther": prices.other_wage_usd_per_h,
        "laborBenefits": prices.benefits_pct,
        "ppiCurrent": prices.ppi,
        "moistureContent": prices.moisture_pct,
        "residueRecovFracWT": prices.residue_recovery_wt_pct,
        "residueRecovFracCTL": prices.residue_recovery_ctl_pct,
    }
    theirs = {
        "slope": np.where(rng.random(n) < 0.05, np.nan, rng.gamma(2.6, 8.5, n)),
        "area": np.full(n, 32.024857),
        "mean_yarding": rng.uniform(451, 1400, n),
        "center_elevation": np.where(rng.random(n) < 0.05, np.nan, rng.uniform(0, 9000, n)),
        "stem4to6_tonsacre": rng.exponential(1.2, n) * (rng.random(n) > 0.1),
        "stem6to9_tonsacre": rng.exponential(3.0, n) * (rng.random(n) > 0.1),
        "stem9plus_tonsacre": rng.exponential(15.0, n) * (rng.random(n) > 0.1),
        "branch_tonsacre": rng.exponential(4.0, n) * (rng.random(n) > 0.1),
        "wood_density": rng.normal(420, 35, n),
    }
    ours = {
        "slope_pct": np.full(n, np.nan),
        "grade_pct": theirs["slope"],
        "yarding_ft": theirs["mean_yarding"],
        "elevation_ft": theirs["center_elevation"],
        "area_acres": theirs["area"],
        "wood_density_kg_per_m3": theirs["wood_density"],
        "stem_4_6_bdt_per_acre": theirs["stem4to6_tonsacre"],
        "stem_6_9_bdt_per_acre": theirs["stem6to9_tonsacre"],
        "stem_9_plus_bdt_per_acre": theirs["stem9plus_tonsacre"],
        "branch_bdt_per_acre": theirs["branch_tonsacre"],
    }
    for system in SYSTEMS:
        answers = ask_oracle(
            {
                "kind": "cluster",
                "system": system,
                "variant": variant,
                "econ": economics,
                "cluster": {"treatmentid": 8, **{k: v[i].item() for k, v in theirs.items()}},
            }
            for i in range(n)
        )
        inputs = frcs_inputs(ours, system, prices, clear_cut=False, variant=variant)
        for name, got in inputs.items():
            if got.dtype != bool:
                want = np.array([float(a["frcsInput"][name]) for a in answers])
                assert not differences(want, np.broadcast_to(got, n)).size, (system, name)
        out = simulate(system, inputs)
        assert np.array_equal(out.codes != 0, ["error" in a for a in answers])
        want = np.array([np.nan if "error" in a else float(a["output"]["feedstock"]["costPerAcre"]) for a in answers])
        assert not differences(want, out.feedstock.cost_usd_per_acre).size, system
