"""Which clusters are cut: score on fixed scales, greedy selection, the supply curve."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from csrag.surfaces.manifest import FixedScales

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Scales:
    """Fixed scales of the fire-aware score, from the layer set's manifest and the same for every question.

    Parameters
    ----------
    u_lo, u_hi : float
        Low and high unit cost [USD per BDT].
    p_lo, p_hi : float
        Low and high annual burn probability [per year].
    """

    u_lo: float
    u_hi: float
    p_lo: float
    p_hi: float

    @classmethod
    def from_manifest(cls, scales: FixedScales) -> Scales:
        """Take the four figures from a manifest; an unknown one becomes NaN.

        Parameters
        ----------
        scales : FixedScales
            [USD per BDT] and [per year].
        """
        values = (scales.u_lo_usd_per_bdt, scales.u_hi_usd_per_bdt, scales.p_lo, scales.p_hi)
        return cls(*(float("nan") if v is None else float(v) for v in values))

    @property
    def fire_known(self) -> bool:
        """Whether the layer set holds a usable spread of burn probability."""
        return bool(np.isfinite(self.p_lo) and np.isfinite(self.p_hi) and self.p_hi > self.p_lo)


def scores(unit_cost: Floats, burn_probability: Floats, fire_weight: float, scales: Scales) -> Floats:
    """Fire-aware score of each candidate, lower is better.

    Parameters
    ----------
    unit_cost : ndarray of float64, shape (n,)
        Harvest, haul and unloading [USD per BDT].
    burn_probability : ndarray of float64, shape (n,)
        Annual burn probability [per year]; NaN where unknown, which earns no fire credit.
    fire_weight : float
        Weight of fire, 0 to 1 [dimensionless].
    scales : Scales
        The layer set's fixed scales. Because they do not depend on the candidates, a cluster's rank cannot change
        because of an outlier elsewhere in the circle.

    Returns
    -------
    ndarray of float64, shape (n,)
    """
    cost_term, fire_term = score_terms(unit_cost, burn_probability, scales)
    # A candidate that cannot be worked costs infinity, and nought times that is no number.
    paid = (1 - fire_weight) * cost_term if fire_weight < 1 else np.zeros_like(cost_term)
    return paid if fire_weight == 0 else paid + fire_weight * fire_term


def score_terms(unit_cost: Floats, burn_probability: Floats, scales: Scales) -> tuple[Floats, Floats]:
    """The two terms of the score: it is (1 - w) times the first plus w times the second.

    Parameters
    ----------
    unit_cost : ndarray of float64, shape (n,)
        [USD per BDT]
    burn_probability : ndarray of float64, shape (n,)
        [per year]; NaN where unknown.
    scales : Scales
        Fixed scales.

    Returns
    -------
    cost_term, fire_term : ndarray of float64, shape (n,)
        [dimensionless]; the second is nought for all where the layer set knows no fire, and 1 where a cluster's is unknown.
    """
    cost_term = (unit_cost - scales.u_lo) / (scales.u_hi - scales.u_lo)
    if not scales.fire_known:
        return cost_term, np.zeros_like(cost_term)
    fire_term = 1 - (burn_probability - scales.p_lo) / (scales.p_hi - scales.p_lo)
    return cost_term, np.where(np.isfinite(fire_term), fire_term, 1.0)


def fire_price_usd_per_bdt_per_pct(fire_weight: float, scales: Scales) -> float | None:
    """What the weight pays for one percentage point of burn probability.

    Parameters
    ----------
    fire_weight : float
        Weight of fire, 0 to 1 [dimensionless].
    scales : Scales
        Fixed scales.

    Returns
    -------
    float or None
        [USD per BDT per percentage point]; None at weight 1, where cost counts for nothing, and where burn probability
        is not known.
    """
    if fire_weight >= 1 or not scales.fire_known:
        return None
    ratio = fire_weight / (1 - fire_weight)
    return ratio * (scales.u_hi - scales.u_lo) / ((scales.p_hi - scales.p_lo) * 100)


def workable_in(order: NDArray[np.int64], unit_cost: Floats) -> NDArray[np.int64]:
    """The positions of an order whose cost is finite.

    Parameters
    ----------
    order : ndarray of int64
        Positions.
    unit_cost : ndarray of float64, shape (n,)
        Infinite where no system can work a cluster [USD per BDT].
    """
    finite = np.isfinite(unit_cost)
    return order if finite.all() else order[finite[order]]


def greedy(
    score: Floats, unit_cost: Floats, cluster_no: NDArray[np.int64], tons: Floats, demand: float
) -> NDArray[np.int64]:
    """Take whole clusters in order of score until the demand is met.

    Parameters
    ----------
    score, unit_cost, tons : ndarray of float64, shape (n,)
        Score [dimensionless], unit cost [USD per BDT] and feedstock [BDT] of each candidate.
    cluster_no : ndarray of int64, shape (n,)
        Cluster keys; the last tie-break, so that row order never matters.
    demand : float
        Tons wanted [BDT].

    Returns
    -------
    ndarray of int64
        Positions taken, in order; all of them where the supply falls short. What has no finite cost is never taken.
    """
    order = workable_in(np.lexsort((cluster_no, unit_cost, score)), unit_cost)
    reached = np.cumsum(tons[order])
    count = int(np.searchsorted(reached, demand, side="left")) + 1
    return order[:count]


@dataclass(frozen=True)
class SupplyCurve:
    """Tons in order of delivered cost.

    Parameters
    ----------
    cumulative_bdt, delivered_usd_per_bdt, average_usd_per_bdt : ndarray of float64, shape (n,)
        Running tons, cost of the cluster that adds the last of them, and running tonnage-weighted average.
    cluster_no : ndarray of int64, shape (n,)
        Key of that cluster.
    status : str
        met, demand_not_met or no_clusters.
    order : ndarray of int64, shape (n,)
        Where each stood before.
    """

    cumulative_bdt: Floats
    delivered_usd_per_bdt: Floats
    average_usd_per_bdt: Floats
    cluster_no: NDArray[np.int64]
    status: str
    order: NDArray[np.int64]


def supply_curve(delivered: Floats, tons: Floats, cluster_no: NDArray[np.int64], demand: float) -> SupplyCurve:
    """Order clusters by delivered cost.

    Parameters
    ----------
    delivered, tons : ndarray of float64, shape (n,)
        Delivered cost [USD per BDT] and feedstock [BDT].
    cluster_no : ndarray of int64, shape (n,)
        Cluster keys, the tie-break.
    demand : float
        Tons wanted [BDT]; decides the status.

    Notes
    -----
    What has no finite cost stands on no curve.
    """
    order = workable_in(np.lexsort((cluster_no, delivered)), delivered)
    cumulative = np.cumsum(tons[order])
    spent = np.cumsum(tons[order] * delivered[order])
    with np.errstate(invalid="ignore", divide="ignore"):
        average = np.where(cumulative > 0, spent / cumulative, delivered[order])
    status = "met" if len(order) and cumulative[-1] >= demand else "demand_not_met"
    if len(order) == 0:
        status = "no_clusters"
    return SupplyCurve(cumulative, delivered[order], average, cluster_no[order], status, order)


def weighted_mean(values: Floats, weights: Floats) -> float | None:
    """Weighted mean over the finite values; None where no weight is left. Units are those of `values`."""
    known = np.isfinite(values)
    total = float(weights[known].sum())
    return float((values[known] * weights[known]).sum() / total) if total > 0 else None
