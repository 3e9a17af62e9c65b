"""The year's moves of machines for a selection, by the rule that its costs belong to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from csrag.ask.computation.delivered import Costs
from csrag.ask.computation.move_in import move_in_usd, moves_by_group
from csrag.surfaces.frame import ClusterFrame


def moves_usd(frame: ClusterFrame, costs: Costs, rows: NDArray[np.int64], ppi: float) -> dict[str, float]:
    """Cost of the year's moves by harvesting system [USD].

    Parameters
    ----------
    frame, costs : ClusterFrame, Costs
        Candidates; their costs say by which rule machines move.
    rows : ndarray of int64
        Positions taken.
    ppi : float
        Producer price index of machine prices [2002 = 176.6].
    """
    system, keys, circuity = costs.system_index[rows], costs.tour_key[rows], costs.circuity[rows]
    lat, lon, number = frame["lat"][rows], frame["lon"][rows], frame["cluster_no"][rows]
    if costs.one_move:
        from csrag.ask.computation.reference import one_move_usd

        return one_move_usd(system, lat, lon, keys, number, circuity, ppi)
    return move_in_usd(system, lat, lon, keys, number, frame["area_acres"][rows].astype(np.float64), circuity, ppi)


def moves_of_years(
    frame: ClusterFrame, costs: Costs, taken: Sequence[NDArray[np.int64]], ppi: float
) -> list[dict[str, float]]:
    """Cost of each year's moves by harvesting system [USD], all years together: what `moves_usd` gives for each.

    Parameters
    ----------
    frame, costs : ClusterFrame, Costs
        Candidates.
    taken : sequence of ndarray of int64
        Positions taken, one array a year.
    ppi : float
        Producer price index of machine prices [2002 = 176.6].
    """
    if costs.one_move or not taken:
        return [moves_usd(frame, costs, rows, ppi) for rows in taken]
    rows = np.concatenate(taken)
    year = np.repeat(np.arange(len(taken)), [len(r) for r in taken])
    return moves_by_group(
        year, len(taken), costs.system_index[rows], frame["lat"][rows], frame["lon"][rows], costs.tour_key[rows],
        frame["cluster_no"][rows], frame["area_acres"][rows].astype(np.float64), costs.circuity[rows], ppi,
    )  # fmt: skip
