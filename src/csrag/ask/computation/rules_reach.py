"""How wide a circle has to be for a supply that keeps the rules."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from csrag.ask.computation.rules import Shares
from csrag.ask.computation.rules_choice import most_tons, under_limits

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
    by_sign = np.asarray(np.bincount(shares.sign, weights=tons, minlength=1), dtype=np.float64)
    return _allowed(by_sign, shares)


def _allowed(by_sign: Floats, shares: Shares) -> float:
    """The same of tons by sign, shape (signs,)."""
    _, most = shares.limits
    signs = np.flatnonzero(by_sign)
    under = np.array([under_limits(int(s), len(most)) for s in signs], dtype=bool).reshape(len(signs), len(most))
    return most_tons(by_sign[signs], under, most)


def needed_km(whole_km: NDArray[np.int64], tons: Floats, shares: Shares | None, target_bdt: float, widest_km: int,
              least_km: int = 0) -> int:  # fmt: skip
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
    least_km : int
        Where to begin to look [km].
    """
    reached = np.cumsum(np.bincount(whole_km, weights=tons, minlength=widest_km + 1))[: widest_km + 1]
    low = max(int(np.searchsorted(reached, target_bdt, side="left")), least_km)
    if shares is None or low > widest_km:
        return min(low, widest_km + 1)
    signs = int(shares.sign.max(initial=0)) + 1
    at = np.minimum(whole_km, widest_km + 1) * signs + shares.sign
    by_km = np.cumsum(np.bincount(at, weights=tons, minlength=(widest_km + 2) * signs).reshape(-1, signs), axis=0)
    if _allowed(by_km[low], shares) >= target_bdt:
        return low
    # What the rules allow grows with the circle: a larger one holds every supply of a smaller.
    high, low = widest_km + 1, min(low + 1, widest_km + 1)
    while low < high:
        middle = (low + high) // 2
        if _allowed(by_km[middle], shares) >= target_bdt:
            high = middle
        else:
            low = middle + 1
    return low
