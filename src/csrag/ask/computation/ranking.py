"""The order in which clusters are taken: by score, then cost, then cluster key, worked out fast."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def ranked(score: Floats, unit_cost: Floats, cluster_no: NDArray[np.int64]) -> NDArray[np.int64]:
    """Positions in order of score, ties by unit cost, then by cluster key.

    Parameters
    ----------
    score, unit_cost : ndarray of float64, shape (n,)
        Score [dimensionless] and unit cost [USD per BDT]; no NaN.
    cluster_no : ndarray of int64, shape (n,)
        Cluster keys.

    Returns
    -------
    ndarray of int64, shape (n,)
        What `numpy.lexsort((cluster_no, unit_cost, score))` gives.

    Notes
    -----
    One plain sort by score is several times faster than a sort by three keys, and scores are seldom equal: only runs of
    equal ones are sorted again, by all three.
    """
    order = np.argsort(score)
    along = score[order]
    same = along[1:] == along[:-1]
    if same.any():
        tied = np.zeros(len(order), dtype=bool)
        tied[1:] |= same
        tied[:-1] |= same
        # Runs keep their places: among tied rows alone, the order by score is that of the runs.
        rows = order[tied]
        order[tied] = rows[np.lexsort((cluster_no[rows], unit_cost[rows], score[rows]))]
    return order
