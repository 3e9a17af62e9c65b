"""How wide a circle has to be for a supply that keeps the rules."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from csrag.ask.computation.rules import Shares
from csrag.ask.computation.rules_choice import kinds_of, most_tons

Floats = NDArray[np.float64]


def allowed_tons(tons: Floats, shares: Shares | None) -> float:
    """Largest supply out of given clusters that keeps the rules [BDT].

    Parameters
    ----------
    tons : ndarray of float64, shape (n,)
        Feedstock, nought for what may not be taken [BDT].
    shares : Shares or None
        Rules over the same clusters.
    """
    if shares is None or not len(tons):
        return float(tons.sum())
    groups, most = shares.limits
    return most_tons(kinds_of(tons, np.zeros(len(tons)), groups), most)


def needed_km(
    whole_km: NDArray[np.int64], tons: Floats, shares: Shares | None, target_bdt: float, widest_km: int
) -> int:
    """Smallest whole radius inside which the rules allow a target; one more than the widest where none does.

    Parameters
    ----------
    whole_km : ndarray of int64, shape (n,)
        Straight-line distance, rounded up [km].
    tons : ndarray of float64, shape (n,)
        Feedstock, nought for what may not be taken [BDT].
    shares : Shares or None
        Rules over the same clusters.
    target_bdt : float
        [BDT]
    widest_km : int
        [km]
    """
    reached = np.cumsum(np.bincount(whole_km, weights=tons, minlength=widest_km + 1))[: widest_km + 1]
    low, high = int(np.searchsorted(reached, target_bdt, side="left")), widest_km + 1
    if shares is None:
        return low
    # What the rules allow grows with the circle: a larger one holds every supply of a smaller.
    while low < high:
        middle = (low + high) // 2
        near = whole_km <= middle
        if allowed_tons(tons[near], shares.subset(near)) >= target_bdt:
            high = middle
        else:
            low = middle + 1
    return low
