"""The selection at many fire weights at once, each the same as `select` makes at that weight.

A score is linear in the weight. Between two weights every cluster's distance from the threshold is therefore bounded by what it is
at both, and so is the threshold itself: clusters surely taken and surely left out of a whole stretch of weights are found once, and
only the band between is looked at weight by weight. At a single weight a histogram of tons by score finds the bin in which the
demand is met, and that bin alone is sorted.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Masks = NDArray[np.bool_]

_BINS = 1024
_STRETCH = 10
"""Weights between two that are solved over all clusters."""
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
    rows = _worth_a_look(items, demand, float(weights[0]), float(weights[-1]))
    live = items.at(rows)
    taken = np.zeros((len(weights), len(rows)), dtype=bool)
    ends = [*range(0, len(weights) - 1, _STRETCH), len(weights) - 1]
    before = live.score(float(weights[0]))
    level_before = level_of(before, live.tons, demand)
    for first, last in pairwise(ends):
        after = live.score(float(weights[last]))
        level_after = level_of(after, live.tons, demand)
        inside, band, _ = _bounds(before - level_before, after - level_after, live.tons, demand)
        stretch = slice(first, last + 1)
        taken[stretch, inside] = True
        at = np.flatnonzero(band)
        taken[stretch, at] = _in_band(live.at(at), demand - float(live.tons[inside].sum()), weights[stretch])
        before, level_before = after, level_after
    if len(weights) == 1:
        taken[0] = _in_band(live, demand, weights)[0]
    return rows, taken


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


def _bounds(before: Floats, after: Floats, tons: Floats, demand: float) -> tuple[Masks, Masks, Masks]:
    """Clusters surely taken, unsure, and surely left out, between two weights.

    `before` and `after` are scores less the threshold at either end: in between a cluster's lies between its two, and the
    threshold between the demand's levels of the lesser and of the greater of them.
    """
    least, greatest = np.minimum(before, after), np.maximum(before, after)
    low, high = level_of(least, tons, demand), level_of(greatest, tons, demand)
    inside = greatest < low - _ROUNDING
    outside = least > high + _ROUNDING
    return inside, ~(inside | outside), outside


def _worth_a_look(items: Items, demand: float, first: float, last: float) -> NDArray[np.int64]:
    before, after = items.score(first), items.score(last)
    before = before - level_of(before, items.tons, demand)
    after = after - level_of(after, items.tons, demand)
    return np.flatnonzero(~_bounds(before, after, items.tons, demand)[2])


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
