"""From costs to a selection: score, cap, greedy choice, and the move-in that the choice brings."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from csrag.ask.computation.delivered import Costs
from csrag.ask.computation.moves import moves_usd
from csrag.ask.computation.rules_choice import take
from csrag.ask.computation.selection import Scales, greedy, scores, weighted_mean, workable_in
from csrag.surfaces.frame import ClusterFrame

Floats = NDArray[np.float64]
_CAP_ROUNDS = 4


@dataclass(frozen=True)
class Selection:
    """Clusters taken for one year.

    Parameters
    ----------
    rows : ndarray of int64
        Positions among the candidates, in the order taken.
    tons : float
        Feedstock taken [BDT].
    move_in : float
        Move-in, the same for every ton [USD per BDT].
    move_in_by_system : dict
        USD by harvesting system.
    met : bool
        Whether the demand is met.
    """

    rows: NDArray[np.int64]
    tons: float
    move_in: float
    move_in_by_system: dict[str, float]
    met: bool

    def mean(self, values: Floats, costs: Costs) -> float | None:
        """Tonnage-weighted mean of a candidate array over the selection, unknowns left out."""
        return weighted_mean(values[self.rows], costs.tons[self.rows])

    def average(self, costs: Costs) -> float:
        """Average delivered cost: harvest + haul + unloading + move-in [USD per BDT]; NaN where nothing is taken."""
        harvest, haul = self.mean(costs.harvest, costs), self.mean(costs.haul, costs)
        if harvest is None or haul is None:
            return math.nan
        return harvest + haul + costs.unloading + self.move_in


def selection_of(rows: NDArray[np.int64], frame: ClusterFrame, costs: Costs, ppi: float, demand: float) -> Selection:
    """A selection of given candidates, with the move-in that they bring.

    Parameters
    ----------
    rows : ndarray of int64
        Positions among the candidates.
    frame, costs : ClusterFrame, Costs
        Candidates.
    ppi : float
        Producer price index [2002 = 176.6].
    demand : float
        [BDT]
    """
    tons = float(costs.tons[rows].sum())
    by_system = moves_usd(frame, costs, rows, ppi)
    per_bdt = sum(by_system.values()) / tons if tons > 0 else 0.0
    return Selection(rows, tons, per_bdt, by_system, tons >= demand)


def select(frame: ClusterFrame, costs: Costs, demand: float, fire_weight: float, scales: Scales, ppi: float,
           last_ton_cap: float | None = None) -> Selection:  # fmt: skip
    """Choose clusters for one year's demand.

    Parameters
    ----------
    frame : ClusterFrame
        Candidates.
    costs : Costs
        Their costs and tons.
    demand : float
        [BDT]
    fire_weight : float
        0 to 1 [dimensionless].
    scales : Scales
        Fixed scales of the score.
    ppi : float
        Producer price index, for the move-in [2002 = 176.6].
    last_ton_cap : float, optional
        No cluster may cost more, move-in included [USD per BDT]. The move-in is known only after the choice, so the
        choice is repeated with it.

    Returns
    -------
    Selection
    """
    score = scores(costs.unit, frame["burn_probability"].astype(np.float64), fire_weight, scales)
    move_in = 0.0
    chosen = Selection(np.zeros(0, dtype=np.int64), 0.0, 0.0, {}, demand <= 0)
    for _ in range(_CAP_ROUNDS if last_ton_cap is not None else 1):
        allowed = np.arange(len(frame))
        if last_ton_cap is not None:
            allowed = np.flatnonzero(costs.unit + move_in <= last_ton_cap)
        taken = chosen_rows(allowed, frame, costs, score, demand)
        chosen = selection_of(taken, frame, costs, ppi, demand)
        per_bdt = chosen.move_in
        if last_ton_cap is None or per_bdt <= move_in or not len(taken):
            break
        if float(costs.unit[taken].max()) + per_bdt <= last_ton_cap:
            break
        move_in = per_bdt
    return chosen


def chosen_rows(
    allowed: NDArray[np.int64], frame: ClusterFrame, costs: Costs, score: Floats, demand: float
) -> NDArray[np.int64]:
    """Positions taken out of some candidates, best score first; under share rules the cheapest supply that keeps them.

    Parameters
    ----------
    allowed : ndarray of int64
        Positions that may be taken.
    frame, costs : ClusterFrame, Costs
        All candidates; the costs carry the share rules of the question.
    score : ndarray of float64, shape (n,)
        Lower is better [dimensionless].
    demand : float
        [BDT]
    """
    if costs.shares is None:
        return allowed[
            greedy(score[allowed], costs.unit[allowed], frame["cluster_no"][allowed], costs.tons[allowed], demand)
        ]
    order = workable_in(
        np.lexsort((frame["cluster_no"][allowed], costs.unit[allowed], score[allowed])), costs.unit[allowed]
    )
    return take(allowed[order], costs.tons, score, costs.shares, demand)
