"""Move-in against the golden rows of the reference simulator, and against its closed form."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import numpy as np
import pytest

from csrag.errors import InvalidValueError
from csrag.simulators.lowboy import HELICOPTER_USD_PER_HOUR
from csrag.simulators.move_in import MoveIn, move_in, move_in_total_cost_usd
from csrag.surfaces.catalog import SYSTEMS

GOLDEN = Path(__file__).parents[3] / "shared" / "golden" / "frcs" / "public_movein.csv.gz"
FIELDS = {
    "totalCost": "total_cost_usd",
    "residualCost": "residual_cost_usd",
    "totalDiesel": "total_diesel_gal",
    "residualDiesel": "residual_diesel_gal",
}


def _rows() -> list[dict[str, str]]:
    if not GOLDEN.exists():
        pytest.skip(f"golden rows are not there: {GOLDEN.name}")
    with gzip.open(GOLDEN, "rt", newline="") as handle:
        return list(csv.DictReader(handle))


def _run(system: str, rows: list[dict[str, str]]) -> MoveIn:
    def flags(key: str) -> list[bool]:
        return [r[key] == "true" for r in rows]

    return move_in(
        system,
        [float(r["moveInDistance"]) for r in rows],
        [float(r["ppiCurrent"]) for r in rows],
        harvest_chip_trees=flags("harvestChipTrees"),
        collect_residues=flags("includeCostsCollectChipResidues"),
        salvage=flags("isBiomassSalvage"),
    )


@pytest.mark.shared
def test_every_golden_row() -> None:
    rows = _rows()
    seen = set()
    for system in sorted({r["system"] for r in rows}):
        of_system = [r for r in rows if r["system"] == system]
        result = _run(system, of_system)
        for theirs, ours in FIELDS.items():
            want = np.array([float(r[theirs]) for r in of_system])
            np.testing.assert_allclose(getattr(result, ours), want, rtol=1e-9, atol=0, err_msg=f"{system} {theirs}")
        seen.add(system)
    assert set(SYSTEMS) < seen, "the golden rows hold every system and at least one unknown name"


def test_slope_over_distance_is_exact_trucking_arithmetic() -> None:
    got = move_in("Ground-Based CTL", [0.0, 60.0], 284.7, harvest_chip_trees=False, collect_residues=False)
    assert got.total_diesel_gal.tolist() == pytest.approx([0.0, (2 * 3 - 1) * 60 / 6])
    assert got.residual_cost_usd.tolist() == [0.0, 0.0]


def test_helicopter_flies_one_hour_and_two_legs() -> None:
    """At PPI 0 machines cost nothing to own: what is left is lowboys at 53 USD/h and the helicopter."""
    got = move_in("Helicopter Manual Log", [0.0, 120.0], 0.0, harvest_chip_trees=False, collect_residues=False)
    assert got.total_cost_usd[0] == pytest.approx(HELICOPTER_USD_PER_HOUR + 2 * 2 * 53)
    per_mile = 2 * HELICOPTER_USD_PER_HOUR / 120 + 2 * 53 / 25 + 53 * 1 / 40
    assert got.total_cost_usd[1] - got.total_cost_usd[0] == pytest.approx(120 * per_mile)


def test_only_ground_ctl_pays_for_bundles() -> None:
    for system in SYSTEMS:
        plain, collecting = move_in(system, [20.0, 20.0], 284.7, collect_residues=[False, True]).total_cost_usd
        assert (collecting > plain) == (system == "Ground-Based CTL"), system


def test_salvage_makes_everything_residue() -> None:
    got = move_in("Cable Manual WT", [5.0], 284.7, salvage=True)
    assert got.residual_cost_usd[0] == got.total_cost_usd[0]
    assert got.residual_diesel_gal[0] == got.total_diesel_gal[0]


def test_unknown_system_costs_nothing_but_its_chipper() -> None:
    got = move_in("Shovel", [5.0], 284.7)
    assert got.total_cost_usd[0] == 0
    assert got.residual_cost_usd[0] > 0


def test_scalar_helper_is_the_array_result() -> None:
    got = move_in_total_cost_usd("Ground-Based Mech WT", 12.5, 284.7)
    assert got == move_in("Ground-Based Mech WT", [1.0, 12.5], 284.7).total_cost_usd[1]
    assert got > move_in_total_cost_usd("Ground-Based Mech WT", 12.5, 176.6)
    with pytest.raises(InvalidValueError, match="Helicopter CTL"):
        move_in_total_cost_usd("Helicopter Manual WT", 1.0, 284.7)
