"""Which clusters are candidates: the filters of a question, for one circle and for a whole state alike."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from csrag.ask.records import SitingQuery
from csrag.quantities import check
from csrag.surfaces.catalog import FEEDSTOCK_CLASS_OF, SYSTEMS
from csrag.surfaces.frame import ClusterFrame

_CLASS_OF_SYSTEM = np.array([FEEDSTOCK_CLASS_OF[s] for s in SYSTEMS], dtype=np.int64)


def cheapest_system(costs: NDArray[np.float32], allowed: Sequence[int]) -> NDArray[np.int64]:
    """Index of the cheapest feasible allowed system of each cluster; -1 where none is feasible.

    Parameters
    ----------
    costs : ndarray of float32, shape (n, systems)
        Harvest cost [USD per BDT], NaN where infeasible.
    allowed : sequence of int
        Columns that may be chosen; the first of equals wins.
    """
    best = np.full(len(costs), np.inf, dtype=np.float32)
    index = np.full(len(costs), -1, dtype=np.int64)
    for s in allowed:
        column = costs[:, s]
        better = column < best
        best[better] = column[better]
        index[better] = s
    return index


class Kept:
    """What the filters made of a joined frame: who stays, which system, and why the others went.

    Parameters
    ----------
    stays : ndarray of bool, shape (n,)
        Which clusters are candidates.
    system : ndarray of int64, shape (n,)
        Cheapest allowed system under the layer's own economics; -1 where none is feasible.
    tons : ndarray of float64, shape (n,)
        Feedstock by that system [BDT].
    reasons : dict
        Masks of the clusters left out, by reason.
    """

    def __init__(self, stays: NDArray[np.bool_], system: NDArray[np.int64], tons: NDArray[np.float64],
                 reasons: dict[str, NDArray[np.bool_]]) -> None:  # fmt: skip
        self.stays, self.system, self.tons, self.reasons = stays, system, tons, reasons

    def subset(self, rows: NDArray[np.bool_]) -> Kept:
        """Those of some rows, given as booleans of shape (n,)."""
        reasons = {name: mask[rows] for name, mask in self.reasons.items()}
        return Kept(self.stays[rows], self.system[rows], self.tons[rows], reasons)


def eligible(land_uses: Sequence[str], query: SitingQuery, joined: ClusterFrame, allowed: Sequence[int]) -> Kept:
    """Apply the filters in a fixed order; each cluster is charged to the first reason that takes it out.

    Parameters
    ----------
    land_uses : sequence of str
        Names of the land-use codes, from the manifest.
    query : SitingQuery
        Land, slope, burn probability.
    joined : ClusterFrame
        Clusters of one treatment.
    allowed : sequence of int
        Harvesting systems that may work them.

    Raises
    ------
    InvalidValueError
        For a limit out of its range.
    """
    system = cheapest_system(joined["cost_usd_per_bdt"], allowed)
    classes = _CLASS_OF_SYSTEM[np.maximum(system, 0)]
    tons = joined["feedstock_bdt"][np.arange(len(joined)), classes].astype(np.float64)
    names = tuple(land_uses)
    wanted = np.array([name in query.land_use for name in names] + [False] * (256 - len(names)))
    masks: dict[str, NDArray[np.bool_]] = {}
    usable = (system >= 0) & (tons > 0)
    anything = np.nan_to_num(joined["feedstock_bdt"]).max(axis=1, initial=0.0) > 0
    masks["nothing to remove"] = ~anything
    masks["no feasible harvesting system"] = anything & ~usable
    masks["wilderness"] = joined["wilderness"].astype(bool)
    masks["national park"] = (
        (joined["land_use"] == names.index("nps")) if "nps" in names else np.zeros(len(joined), bool)
    )
    if "nps" in query.land_use:
        masks["national park"] = np.zeros(len(joined), bool)
    masks["other land"] = ~wanted[joined["land_use"]]
    if query.max_slope_pct is not None:
        limit = check("max_slope_pct", query.max_slope_pct)
        masks["steeper than the limit"] = ~(joined["slope_pct"] <= np.float32(limit))
    if query.min_burn_probability is not None:
        least = check("min_burn_probability", query.min_burn_probability)
        unknown = ~np.isfinite(joined["burn_probability"])
        masks["burn probability unknown"] = unknown
        masks["burn probability below the limit"] = ~unknown & (joined["burn_probability"] < np.float32(least))
    stays = np.ones(len(joined), dtype=bool)
    reasons = {}
    for reason, mask in masks.items():
        reasons[reason] = mask & stays
        stays = stays & ~mask
    return Kept(stays, system, tons, reasons)
