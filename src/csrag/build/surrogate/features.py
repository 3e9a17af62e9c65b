"""What the surrogate looks at: columns of a sample, and the features worked out of them.

The columns are those of a layer set and of the harvest economics, so a table of any simulator's results can be brought
into the same form. The derived features are the quantities that harvesting studies find cost to follow: tons per acre,
size of the piece, the chip trees' share in the joint work, distance along the slope, hourly cost of labour.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.simulators.frcs.mapping import CHIP_TREE_TONS, LOG_TREE_TONS, SHORT_TON_PER_KG, split_branches
from csrag.simulators.harvest import HarvestEconomics
from csrag.surfaces.catalog import COLUMNS, REMOVAL_COLUMNS

Floats = NDArray[np.float64]
SITE_COLUMNS = ("slope_pct", "grade_pct", "yarding_ft", "elevation_ft", "wood_density_kg_per_m3", "area_acres")
ECONOMIC_COLUMNS = tuple(f.name for f in fields(HarvestEconomics))
CLEAR_CUT = "clear_cut"
INPUT_COLUMNS = (*SITE_COLUMNS, *REMOVAL_COLUMNS, CLEAR_CUT, *ECONOMIC_COLUMNS)
"""Columns that features are made of, in order; `clear_cut` is 0 or 1."""
_ECONOMIC_UNITS = {
    "diesel_usd_per_gal": "USD per gal", "faller_wage_usd_per_h": "USD per hour", "other_wage_usd_per_h": "USD per hour",
    "benefits_pct": "percent of wage", "ppi": "index, 176.6 in 2002", "moisture_pct": "percent, wet basis",
    "residue_recovery_wt_pct": "percent", "residue_recovery_ctl_pct": "percent",
}  # fmt: skip
UNITS = {
    **{name: COLUMNS[name].unit for name in (*SITE_COLUMNS, *REMOVAL_COLUMNS)}, CLEAR_CUT: "0 or 1", **_ECONOMIC_UNITS,
}  # fmt: skip
"""Unit of every input column, in words."""
FT3_PER_M3 = 35.3147
_LEAST_TONS = 1e-3
"""Tons per acre below this are as good as none; keeps logarithms and ratios finite [BDT per acre]."""


@dataclass(frozen=True)
class Features:
    """A block of features.

    Parameters
    ----------
    values : ndarray of float32, shape (n, f)
        A row a record; NaN where unknown.
    names : tuple of str
        Names of the columns of `values`.
    """

    values: NDArray[np.float32]
    names: tuple[str, ...]


def _log(values: Floats) -> Floats:
    return np.log(np.maximum(values, _LEAST_TONS))


def _derived(c: Mapping[str, Floats]) -> dict[str, Floats]:
    s46, s69, s9, branch = (c[name] for name in REMOVAL_COLUMNS)
    chip, stems = s46 + s69, s46 + s69 + s9
    chip_branch, log_branch = split_branches(s46, s69, s9, branch)
    some_chip, some_stems = np.maximum(chip, _LEAST_TONS), np.maximum(stems, _LEAST_TONS)
    chip_trees = s46 / CHIP_TREE_TONS[0] + s69 / CHIP_TREE_TONS[1]
    log_trees = s9 / LOG_TREE_TONS
    trees = np.maximum(chip_trees + log_trees, _LEAST_TONS)
    wt, ctl = c["residue_recovery_wt_pct"] / 100, c["residue_recovery_ctl_pct"] / 100
    ft3_per_ton = 1.0 / (SHORT_TON_PER_KG * c["wood_density_kg_per_m3"] / FT3_PER_M3)
    chip_tree = np.where(chip_trees > 0, chip / np.maximum(chip_trees, _LEAST_TONS), 0.0)
    whole = chip + wt * (chip_branch + log_branch)
    bundled = chip + ctl * branch
    weight_share = (chip + chip_branch) / np.maximum(stems + branch, _LEAST_TONS)
    grade = np.nan_to_num(c["grade_pct"]) / 100
    along = c["yarding_ft"] * np.sqrt(1 + grade * grade)
    return {
        "slope": np.where(np.isnan(c["slope_pct"]), c["grade_pct"], c["slope_pct"]),
        "log_stem_tons": _log(stems),
        "log_chip_tons": _log(chip),
        "log_log_tons": _log(s9),
        "log_branch_tons": _log(branch),
        "chip_share": chip / some_stems,
        "small_chip_share": s46 / some_chip,
        "branch_ratio": branch / some_stems,
        "tree_ft3": stems / trees * ft3_per_ton,
        "chip_tree_ft3": chip_tree * ft3_per_ton,
        "log_tree_ft3": LOG_TREE_TONS * ft3_per_ton,
        "log_trees_per_acre": np.log(trees),
        "log_tree_share": log_trees / trees,
        "weight_share": weight_share,
        "log_whole_tree_tons": _log(whole),
        "log_chips_only_tons": _log(chip + wt * chip_branch),
        "log_bundled_tons": _log(bundled),
        "whole_work_ratio": np.log(np.maximum(weight_share, 1e-4) * some_stems / np.maximum(whole, _LEAST_TONS)),
        "whole_chip_share": chip / np.maximum(whole, _LEAST_TONS),
        "bundled_chip_share": chip / np.maximum(bundled, _LEAST_TONS),
        "along_slope_ft": along,
        "log_corridor_tons": _log(along * some_stems),
        "faller_usd_per_h": c["faller_wage_usd_per_h"] * (1 + c["benefits_pct"] / 100),
        "worker_usd_per_h": c["other_wage_usd_per_h"] * (1 + c["benefits_pct"] / 100),
    }


def features(columns: Mapping[str, NDArray[Any]]) -> Features:
    """Features of records.

    Parameters
    ----------
    columns : mapping of str to ndarray, shape (n,)
        `INPUT_COLUMNS` in their units.

    Returns
    -------
    Features
        The input columns and those derived from them.
    """
    n = len(columns[REMOVAL_COLUMNS[0]])
    c = {name: np.broadcast_to(np.asarray(columns[name], dtype=np.float64), n) for name in INPUT_COLUMNS}
    made = {**c, **_derived(c)}
    # A row a feature, then turned: the library reads columns without copying them.
    values = np.empty((len(made), n), dtype=np.float32)
    for row, column in zip(values, made.values(), strict=True):
        row[:] = column
    return Features(values.T, tuple(made))
