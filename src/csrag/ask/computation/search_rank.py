"""Which site is better, and the best ones that stand apart."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from csrag.ask.computation.selection import Scales, scores
from csrag.geo import haversine_km

Floats = NDArray[np.float64]


def objective(average_usd_per_bdt: Floats, burn_probability: Floats, fire_weight: float, scales: Scales) -> Floats:
    """What sites are ranked by, lower is better: the score of a cluster, taken at a site's averages.

    Parameters
    ----------
    average_usd_per_bdt : ndarray of float64, shape (n,)
        Average delivered cost [USD per BDT].
    burn_probability : ndarray of float64, shape (n,)
        Mean over what is taken; NaN where unknown, which earns no credit [per year].
    fire_weight : float
        0 to 1; at 0 sites are ranked by cost alone [dimensionless].
    scales : Scales
        Fixed scales of the score.

    Notes
    -----
    The score is linear in cost and in burn probability, so that a mean of scores over tons is the score of the means.
    """
    if fire_weight == 0 or not np.isfinite([scales.u_lo, scales.u_hi]).all():
        return np.asarray(average_usd_per_bdt, dtype=np.float64)
    return scores(average_usd_per_bdt, burn_probability, fire_weight, scales)


def ranked(score: Floats, average_usd_per_bdt: Floats, usable: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Positions of the usable sites, best first; equal ones by cost [USD per BDT], then by position.

    Parameters
    ----------
    score, average_usd_per_bdt : ndarray of float64, shape (n,)
        From `objective`, and the cost [USD per BDT].
    usable : ndarray of bool, shape (n,)
        Sites that count.
    """
    at = np.flatnonzero(usable)
    return np.asarray(at[np.lexsort((at, average_usd_per_bdt[at], score[at]))])


def apart(order: NDArray[np.int64], lat: Floats, lon: Floats, count: int, separation_km: float) -> list[int]:
    """The first `count` sites of an order that stand at least so far apart.

    Parameters
    ----------
    order : ndarray of int64
        Positions, best first.
    lat, lon : ndarray of float64, shape (n,)
        [degrees]
    count : int
        Sites wanted.
    separation_km : float
        Least distance between any two [km].
    """
    out: list[int] = []
    left = order
    while len(left) and len(out) < count:
        best = int(left[0])
        out.append(best)
        left = left[1:]
        away = haversine_km(lat[best], lon[best], lat[left], lon[left])
        left = left[away >= separation_km]
    return out
