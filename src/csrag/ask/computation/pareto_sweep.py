"""The selection at many fire weights at once, each the same as `select` makes at that weight.

A score is linear in the weight. Between two weights every cluster's distance from the threshold is therefore bounded by what it is
at both, and so is the threshold itself: clusters surely taken and surely left out of a whole stretch of weights are found once, and
only the band between is looked at weight by weight. At a single weight a histogram of tons by score finds the bin in which the
demand is met, and that bin alone is sorted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Masks = NDArray[np.bool_]

_BINS = 1024
_STRETCH = 13
"""Weights of a stretch that is not halved again."""
_ROUNDING = 1e-9
"""Room for rounding in scores [dimensionless]; scores are of the order of one."""


@dataclass(frozen=True)
class Items:
    """Clusters as the sweep sees them, all arrays of shape (n,).

    Parameters
    ----------
    cost_term, fire_term : ndarray of float64
        Terms of the score [dimensionless].
    unit : ndarray of float64
        Unit cost, the first tie-break [USD per BDT].
    cluster_no : ndarray of int64
        The last tie-break.
    tons : ndarray of float64
        [BDT]
    """

    cost_term: Floats
    fire_term: Floats
    unit: Floats
    cluster_no: NDArray[np.int64]
    tons: Floats

    def score(self, weight: float) -> Floats:
        """Score at a weight [0 to 1], as `csrag.ask.computation.selection.scores` gives it."""
        return (1 - weight) * self.cost_term + weight * self.fire_term

    def at(self, rows: NDArray[np.int64]) -> Items:
        """Some of them."""
        return Items(
            self.cost_term[rows], self.fire_term[rows], self.unit[rows], self.cluster_no[rows], self.tons[rows]
        )


def sweep(items: Items, demand: float, weights: Floats) -> tuple[NDArray[np.int64], Masks]:
    """Clusters taken at each weight.

    Parameters
    ----------
    items : Items
        Clusters with a finite cost; together they hold the demand.
    demand : float
        [BDT], more than nought.
    weights : ndarray of float64, shape (w,)
        Ascending, 0 to 1 [dimensionless].

    Returns
    -------
    rows : ndarray of int64, shape (m,)
        Clusters that are taken at any weight, or nearly.
    taken : ndarray of bool, shape (w, m)
        Which of them each weight takes.
    """
    ends = []
    for weight in (float(weights[0]), float(weights[-1])):
        score = items.score(weight)
        ends.append(score - level_of(score, items.tons, demand))
    least, greatest = np.minimum(*ends), np.maximum(*ends)
    rows = np.flatnonzero(least <= level_of(greatest, items.tons, demand) + _ROUNDING)
    live = items.at(rows)
    taken = np.zeros((len(weights), len(rows)), dtype=bool)
    _Stretches(live, weights, taken).solve(
        np.arange(len(rows)), demand, 0, len(weights) - 1, ends[0][rows], ends[1][rows]
    )
    return rows, taken


@dataclass(frozen=True)
class _Stretches:
    """Stretches of weights, halved until few clusters are unsure.

    Parameters
    ----------
    items : Items
        Clusters that any weight may take.
    weights : ndarray of float64, shape (w,)
        [dimensionless]
    taken : ndarray of bool, shape (w, m)
        Filled in.
    """

    items: Items
    weights: Floats
    taken: Masks

    def solve(
        self, rows: NDArray[np.int64], demand: float, first: int, last: int, before: Floats, after: Floats
    ) -> None:
        """Find what the weights from `first` to `last` take of some clusters.

        Parameters
        ----------
        rows : ndarray of int64, shape (k,)
            Clusters that are not yet sure.
        demand : float
            What they have to give [BDT].
        first, last : int
            Both included.
        before, after : ndarray of float64, shape (k,)
            Scores less the threshold at either end [dimensionless]. In between a cluster's lies between its two, and the threshold
            between the demand's levels of the lesser and of the greater of them.
        """
        items, tons = self.items, self.items.tons[rows]
        least, greatest = np.minimum(before, after), np.maximum(before, after)
        inside = greatest < level_of(least, tons, demand) - _ROUNDING
        unsure = np.flatnonzero(~inside & (least <= level_of(greatest, tons, demand) + _ROUNDING))
        self.taken[first : last + 1, rows[inside]] = True
        demand -= float(tons[inside].sum())
        rows, before, after = rows[unsure], before[unsure], after[unsure]
        if last - first <= _STRETCH:
            self.taken[first : last + 1, rows] = _in_band(items.at(rows), demand, self.weights[first : last + 1])
            return
        middle = (first + last) // 2
        weight = float(self.weights[middle])
        score = (1 - weight) * items.cost_term[rows] + weight * items.fire_term[rows]
        here = score - level_of(score, items.tons[rows], demand)
        self.solve(rows, demand, first, middle, before, here)
        self.solve(rows, demand, middle, last, here, after)


def level_of(score: Floats, tons: Floats, demand: float) -> float:
    """Score of the cluster that meets the demand when the lowest go first; infinite where the tons do not.

    Parameters
    ----------
    score, tons : ndarray of float64, shape (n,)
        [dimensionless], [BDT].
    demand : float
        [BDT]
    """
    if not len(score):
        return np.inf
    low, high = float(score.min()), float(score.max())
    if not high > low:
        return low if float(tons.sum()) >= demand else np.inf
    bins = ((score - low) * (_BINS / (high - low))).astype(np.int64)
    reached = np.cumsum(np.bincount(bins, weights=tons, minlength=_BINS + 1))
    bin_no = int(np.searchsorted(reached, demand, side="left"))
    if bin_no >= len(reached):
        return np.inf
    here = np.flatnonzero(bins == bin_no)
    order = here[np.argsort(score[here], kind="stable")]
    below = float(reached[bin_no - 1]) if bin_no else 0.0
    at = int(np.searchsorted(np.cumsum(tons[order]), demand - below, side="left"))
    return float(score[order[min(at, len(order) - 1)]])


def _in_band(items: Items, demand: float, weights: Floats) -> Masks:
    """Which clusters of a band are taken at each weight, shape (weights, band)."""
    w = weights[:, None]
    score = (1 - w) * items.cost_term[None, :] + w * items.fire_term[None, :]
    order = np.argsort(score, axis=1)
    ranked = np.take_along_axis(score, order, axis=1)
    reached = np.cumsum(items.tons[order], axis=1)
    taken = np.zeros(score.shape, dtype=bool)
    for i in range(len(weights)):
        count = int(np.searchsorted(reached[i], demand, side="left")) + 1 if demand > 0 else 0
        line = ranked[i]
        n = len(line)
        tied = 0 < count <= n and (
            (count < n and line[count] == line[count - 1]) or (count > 1 and line[count - 2] == line[count - 1])
        )
        if not tied:
            taken[i, order[i, :count]] = True
            continue
        level = line[count - 1]
        first = int(np.searchsorted(line, level, side="left"))
        taken[i, order[i, :first]] = True
        same = np.flatnonzero(score[i] == level)
        same = same[np.lexsort((items.cluster_no[same], items.unit[same]))]
        need = demand - (float(reached[i, first - 1]) if first else 0.0)
        taken[i, same[: int(np.searchsorted(np.cumsum(items.tons[same]), need, side="left")) + 1]] = True
    return taken
