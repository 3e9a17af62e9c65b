"""Judging a surrogate on records of country it has not seen: errors, intervals, feasibility."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.build.surrogate.features import Floats
from csrag.surfaces.catalog import FAMILIES

LEVEL = 0.9
"""Nominal coverage of the intervals."""
TARGET_MEDIAN_PCT, TARGET_P95_PCT = 2.0, 8.0
"""A family is accepted below these absolute errors in percent of cost."""
SLOPE_EDGES_PCT = (0.0, 10.0, 20.0, 30.0, 40.0, 60.0, np.inf)
"""Terrain classes by slope [percent]."""
ACCEPTED_FAMILIES = ("ground", "cable", "helicopter")
DECILES = 10
_LEAST_OF_A_CLASS = 30
"""Smaller groups are counted, not judged."""


@dataclass(frozen=True)
class Judged:
    """Simulated and predicted cost of the hold-out of one system.

    Parameters
    ----------
    cost_usd_per_bdt, predicted_usd_per_bdt : ndarray of float64, shape (k,)
        Both [USD per BDT].
    slope_pct : ndarray of float64, shape (k,)
        Slope [percent].
    block : ndarray of int64, shape (k,)
        Block of country.
    at_base : ndarray of bool, shape (k,)
        The record carries the base economics.
    half_width_pct, base_half_width_pct : float
        Half width of the interval over all economics, and of that at base economics [percent of the predicted cost].
    """

    cost_usd_per_bdt: Floats
    predicted_usd_per_bdt: Floats
    slope_pct: Floats
    block: NDArray[np.int64]
    at_base: NDArray[np.bool_]
    half_width_pct: float
    base_half_width_pct: float

    @property
    def error_pct(self) -> Floats:
        """Signed error [percent of the simulated cost]."""
        return (self.predicted_usd_per_bdt / self.cost_usd_per_bdt - 1) * 100

    @property
    def covered(self) -> NDArray[np.bool_]:
        """Whether the interval over all economics holds the simulated cost."""
        return self._within(self.half_width_pct)

    @property
    def covered_at_base(self) -> NDArray[np.bool_]:
        """The same of the records at base economics with their own, narrower interval."""
        return self._within(self.base_half_width_pct)[self.at_base]

    def _within(self, width_pct: float) -> NDArray[np.bool_]:
        gap = np.abs(self.cost_usd_per_bdt - self.predicted_usd_per_bdt)
        return np.asarray(gap <= width_pct / 100 * self.predicted_usd_per_bdt)


def half_width_pct(cost_usd_per_bdt: Floats, predicted_usd_per_bdt: Floats, level: float = LEVEL) -> float:
    """Half width of a split-conformal interval.

    Parameters
    ----------
    cost_usd_per_bdt, predicted_usd_per_bdt : ndarray of float64, shape (k,)
        Calibration records [USD per BDT].
    level : float
        Nominal coverage, a share.

    Returns
    -------
    float
        Quantile of abs(cost - predicted) / predicted [percent], the ceil((k + 1) level)-th smallest.

    Notes
    -----
    Lei, G'Sell, Rinaldo, Tibshirani and Wasserman 2018, JASA 113:1094; it assumes that calibration and later records are
    exchangeable, which neighbours in a forest are only in the large: coverage is therefore checked on other blocks.
    """
    score = np.sort(np.abs(cost_usd_per_bdt - predicted_usd_per_bdt) / predicted_usd_per_bdt)
    rank = min(int(np.ceil((score.size + 1) * level)), score.size)
    return float(score[rank - 1] * 100)


def error_row(error_pct: Floats) -> dict[str, Any]:
    """Size, median and 95th percentile of the absolute error [percent], and the mean of the signed one."""
    if error_pct.size == 0:
        return {"n": 0, "median_abs_error_pct": None, "p95_abs_error_pct": None, "mean_error_pct": None}
    size = np.abs(error_pct)
    median, p95 = np.percentile(size, [50, 95])
    return {
        "n": int(size.size), "median_abs_error_pct": round(float(median), 3), "p95_abs_error_pct": round(float(p95), 3),
        "mean_error_pct": round(float(error_pct.mean()), 3),
    }  # fmt: skip


def judge(judged: Mapping[str, Judged]) -> dict[str, Any]:
    """Errors by system, family, terrain class, cost decile and block.

    Parameters
    ----------
    judged : mapping of str to Judged
        Hold-out by system.

    Returns
    -------
    dict
        Lists of rows for the card. `by_family` says whether the targets are met; `block_means` is the error that does not
        average out over the clusters of a neighbourhood.
    """
    families: list[dict[str, Any]] = []
    for family in ACCEPTED_FAMILIES:
        members = [judged[s].error_pct for s in FAMILIES[family] if s in judged]
        if members:
            row = error_row(np.concatenate(members))
            met = row["n"] > 0 and (
                row["median_abs_error_pct"] < TARGET_MEDIAN_PCT and row["p95_abs_error_pct"] < TARGET_P95_PCT
            )
            families.append({"family": family, **row, "accepted": bool(met)})
    return {
        "by_system": [{"system": s, **error_row(j.error_pct)} for s, j in judged.items()],
        "at_base_economics": [{"system": s, **error_row(j.error_pct[j.at_base])} for s, j in judged.items()],
        "by_family": families,
        "by_terrain": [
            {"system": s, "slope_pct": bounds, **error_row(j.error_pct[inside])}
            for s, j in judged.items() for bounds, inside in _terrain(j.slope_pct)
        ],
        "by_cost_decile": [row for s, j in judged.items() for row in _deciles(s, j)],
        "block_means": [_block_means(s, j) for s, j in judged.items()],
    }  # fmt: skip


def coverage(judged: Mapping[str, Judged]) -> dict[str, Any]:
    """Share of hold-out costs inside their interval [percent], by system, terrain class and at base economics."""
    return {
        "by_system": {s: _share(j.covered) for s, j in judged.items()},
        "at_base_economics": {s: _share(j.covered_at_base) for s, j in judged.items()},
        "by_terrain": [
            {"system": s, "slope_pct": bounds, "n": int(inside.sum()), "coverage_pct": _share(j.covered[inside])}
            for s, j in judged.items()
            for bounds, inside in _terrain(j.slope_pct)
        ],
    }


def confusion(truth: NDArray[np.bool_], said: NDArray[np.bool_]) -> dict[str, Any]:
    """How often feasible was called feasible, and the rest.

    Returns
    -------
    dict
        Counts: feasible_called_feasible, infeasible_called_feasible, feasible_called_infeasible,
        infeasible_called_infeasible; and the share of wrong calls [percent].
    """
    wrong = int(np.count_nonzero(truth != said))
    return {
        "n": int(truth.size),
        "feasible_called_feasible": int(np.count_nonzero(truth & said)),
        "infeasible_called_feasible": int(np.count_nonzero(~truth & said)),
        "feasible_called_infeasible": int(np.count_nonzero(truth & ~said)),
        "infeasible_called_infeasible": int(np.count_nonzero(~truth & ~said)),
        "wrong_pct": round(100 * wrong / truth.size, 3) if truth.size else None,
    }


def _share(inside: NDArray[np.bool_]) -> float | None:
    return round(100 * float(inside.mean()), 2) if inside.size >= _LEAST_OF_A_CLASS else None


def _terrain(slope_pct: Floats) -> list[tuple[list[float | None], NDArray[np.bool_]]]:
    found = []
    for low, high in pairwise(SLOPE_EDGES_PCT):
        inside = (slope_pct >= low) & (slope_pct < high)
        if inside.any():
            found.append(([low, None if np.isinf(high) else high], inside))
    return found


def _deciles(system: str, j: Judged) -> list[dict[str, Any]]:
    if j.cost_usd_per_bdt.size < DECILES:
        return []
    edges = np.quantile(j.cost_usd_per_bdt, np.linspace(0, 1, DECILES + 1))
    decile = np.clip(np.searchsorted(edges, j.cost_usd_per_bdt, side="right") - 1, 0, DECILES - 1)
    return [
        {
            "system": system, "decile": d + 1, "cost_usd_per_bdt": [round(float(edges[d]), 2), round(float(edges[d + 1]), 2)],
            **error_row(j.error_pct[decile == d]),
        }
        for d in range(DECILES)
    ]  # fmt: skip


def _block_means(system: str, j: Judged) -> dict[str, Any]:
    """Spread of the mean signed error over blocks of at least 30 records."""
    sizes = np.bincount(j.block)
    means = np.bincount(j.block, weights=j.error_pct)[sizes >= _LEAST_OF_A_CLASS] / sizes[sizes >= _LEAST_OF_A_CLASS]
    if means.size == 0:
        return {"system": system, "blocks": 0, "median_abs_mean_error_pct": None, "p95_abs_mean_error_pct": None}
    median, p95 = np.percentile(np.abs(means), [50, 95])
    return {
        "system": system, "blocks": int(means.size), "median_abs_mean_error_pct": round(float(median), 3),
        "p95_abs_mean_error_pct": round(float(p95), 3),
    }  # fmt: skip
