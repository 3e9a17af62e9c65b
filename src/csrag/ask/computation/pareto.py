"""The trade-off of cost against fire: the supply at every fire weight, and which of them no other beats."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from csrag.ask.computation.choose import select
from csrag.ask.computation.delivered import Costs
from csrag.ask.computation.move_in import HARVEST_UNIT_ACRES, campaign_usd
from csrag.ask.computation.pareto_sweep import Items, sweep
from csrag.ask.computation.selection import Scales, score_terms, workable_in
from csrag.geo import EARTH_RADIUS_KM
from csrag.quantities import km_to_miles
from csrag.surfaces.catalog import SYSTEMS
from csrag.surfaces.frame import ClusterFrame

Floats = NDArray[np.float64]

WEIGHTS = np.round(np.arange(101) / 100, 2)
"""Fire weights of the sweep [dimensionless]."""
_SAME = 1e-9
_NEAR = 1e-3
"""Squared half chord below which the series is exact to rounding: some 400 km [dimensionless]."""


@dataclass(frozen=True)
class TradeOff:
    """What each fire weight takes; arrays of shape (weights,).

    Parameters
    ----------
    weights : ndarray of float64
        [0 to 1]
    average, last_ton : ndarray of float64
        Delivered cost with move-in, mean by tons and of the dearest cluster [USD per BDT].
    burn_probability : ndarray of float64
        Mean by tons over the known; NaN where none is known [per year].
    high_hazard_acres : ndarray of float64
        [acres]; NaN where no hazard class is known.
    tons : ndarray of float64
        [BDT]
    clusters : ndarray of int64
        Taken.
    supply : ndarray of int64
        Number of the supply; equal numbers take the same clusters.
    on_front : ndarray of bool
        No other weight's supply is both no dearer and from stands no less likely to burn, and better in one of them.
    """

    weights: Floats
    average: Floats
    last_ton: Floats
    burn_probability: Floats
    high_hazard_acres: Floats
    tons: Floats
    clusters: NDArray[np.int64]
    supply: NDArray[np.int64]
    on_front: NDArray[np.bool_]

    @property
    def front(self) -> NDArray[np.int64]:
        """Positions of the front's supplies, each at its least weight, cheapest first."""
        at = np.flatnonzero(self.on_front)
        _, first = np.unique(self.supply[at], return_index=True)
        at = at[first]
        return at[np.lexsort((at, self.burn_probability[at], self.average[at]))]


def trade_off(frame: ClusterFrame, costs: Costs, demand: float, scales: Scales, ppi: float, high_hazard: NDArray[np.bool_] | None,
              last_ton_cap: float | None = None, weights: Floats = WEIGHTS) -> TradeOff:  # fmt: skip
    """Select at every weight.

    Parameters
    ----------
    frame, costs : ClusterFrame, Costs
        Candidates; together they hold the demand.
    demand : float
        [BDT]
    scales : Scales
        Fixed scales of the score.
    ppi : float
        Producer price index, for the move-in [2002 = 176.6].
    high_hazard : ndarray of bool, shape (n,), or None
        Clusters in the high hazard classes; None where no class is known.
    last_ton_cap : float, optional
        No cluster may cost more, move-in included [USD per BDT].
    weights : ndarray of float64, shape (weights,)
        Ascending [0 to 1].

    Returns
    -------
    TradeOff

    Notes
    -----
    Under a cap on the last ton or rules on shares each weight is selected by itself; otherwise all in one sweep, which takes the
    same clusters.
    """
    if last_ton_cap is None and costs.shares is None and not costs.one_move:
        rows, taken = _swept(frame, costs, demand, scales, weights)
    else:
        rows, taken = _selected(frame, costs, demand, scales, ppi, last_ton_cap, weights)
    distinct, supply = _distinct(taken)
    summary = _summary(rows, distinct, frame, costs, ppi, high_hazard)
    each = {name: values[supply] for name, values in summary.items()}
    clusters = distinct.sum(axis=1).astype(np.int64)[supply]
    on_front = non_dominated(each["average"], each["burn_probability"])
    return TradeOff(weights=weights, clusters=clusters, supply=supply, on_front=on_front, **each)


def _swept(frame: ClusterFrame, costs: Costs, demand: float, scales: Scales, weights: Floats
           ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:  # fmt: skip
    usable = workable_in(np.arange(len(frame)), costs.unit)
    cost_term, fire_term = score_terms(costs.unit[usable], frame["burn_probability"][usable].astype(np.float64), scales)
    items = Items(cost_term, fire_term, costs.unit[usable], frame["cluster_no"][usable], costs.tons[usable])
    rows, taken = sweep(items, demand, weights)
    return usable[rows], taken


def _selected(frame: ClusterFrame, costs: Costs, demand: float, scales: Scales, ppi: float, last_ton_cap: float | None,
              weights: Floats) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:  # fmt: skip
    taken = np.zeros((len(weights), len(frame)), dtype=bool)
    for i, weight in enumerate(weights):
        taken[i, select(frame, costs, demand, float(weight), scales, ppi, last_ton_cap).rows] = True
    return np.arange(len(frame)), taken


def _distinct(taken: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Different supplies in the order in which they come, and the number of each weight's."""
    seen: dict[bytes, int] = {}
    packed = np.packbits(taken, axis=1)
    supply = np.array([seen.setdefault(row.tobytes(), len(seen)) for row in packed], dtype=np.int64)
    _, first = np.unique(supply, return_index=True)
    return taken[first], supply


def _summary(rows: NDArray[np.int64], taken: NDArray[np.bool_], frame: ClusterFrame, costs: Costs, ppi: float,
             high_hazard: NDArray[np.bool_] | None) -> dict[str, Floats]:  # fmt: skip
    """Averages of each supply, as one product of matrices."""
    ever = np.flatnonzero(taken.any(axis=0))
    rows, taken = rows[ever], taken[:, ever]
    system, key, number = costs.system_index[rows], costs.tour_key[rows], frame["cluster_no"][rows]
    order = np.lexsort((number, key, system))
    rows, taken, system = rows[order], taken[:, order], system[order]
    burn, tons = frame["burn_probability"][rows].astype(np.float64), costs.tons[rows]
    acres, known = frame["area_acres"][rows].astype(np.float64), np.isfinite(burn)
    high = np.zeros(len(rows)) if high_hazard is None else high_hazard[rows] * acres
    columns = np.stack([tons, tons * costs.unit[rows], tons * known, np.where(known, burn, 0.0) * tons, high], axis=1)
    weight = taken.astype(np.float64)
    total, spent, known_tons, burned, high_acres = (weight @ columns).T
    move_in = _moves_usd(rows, taken, weight, system, acres, frame, costs, ppi) / total
    dearest = np.where(taken, costs.unit[rows], -np.inf).max(axis=1)
    average = spent / total + move_in
    with np.errstate(invalid="ignore", divide="ignore"):
        mean_burn = np.where(known_tons > 0, burned / known_tons, np.nan)
    return {
        "average": average, "last_ton": np.maximum(dearest + move_in, average), "burn_probability": mean_burn,
        "high_hazard_acres": high_acres if high_hazard is not None else np.full(len(total), np.nan), "tons": total,
    }  # fmt: skip


def _moves_usd(rows: NDArray[np.int64], taken: NDArray[np.bool_], weight: Floats, system: NDArray[np.int64], acres: Floats,
               frame: ClusterFrame, costs: Costs, ppi: float) -> Floats:  # fmt: skip
    """Move-in of each supply [USD]: `csrag.ask.computation.moves`, over columns that stand in the order of the tours."""
    if costs.one_move:
        from csrag.ask.computation.moves import moves_usd

        return np.array([sum(moves_usd(frame, costs, rows[mine], ppi).values()) for mine in taken])
    lat, lon = np.radians(frame["lat"][rows]), np.radians(frame["lon"][rows])
    place = (np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat))
    out = np.zeros(len(taken))
    for s in np.unique(system):
        first, last = np.searchsorted(system, [s, s + 1])
        sums = weight[:, first:last] @ np.stack(
            [acres[first:last], costs.circuity[rows[first:last]], np.ones(last - first)], axis=1
        )
        mine = taken[:, first:last]
        ends = np.cumsum(np.count_nonzero(mine, axis=1))
        starts = np.concatenate([[0], ends[:-1]])
        column = np.flatnonzero(mine) - np.repeat(np.arange(len(mine)) * (last - first), ends - starts)
        chord_squared = np.zeros(max(len(column) - 1, 0))
        for axis in place:
            along = axis[first:last][column]
            step = np.subtract(along[1:], along[:-1])
            chord_squared += np.multiply(step, step, out=step)
        # Legs of one tour after another; those from a tour's end to the next one's start lie outside both.
        reached = np.concatenate([[0.0], np.cumsum(_arc_km(chord_squared))])
        tour_km = np.where(
            ends - starts > 1, reached[np.maximum(ends - 1, 0)] - reached[np.minimum(starts, len(reached) - 1)], 0.0
        )
        moves = np.ceil(sums[:, 0] / HARVEST_UNIT_ACRES)
        fixed, per_mile = campaign_usd(SYSTEMS[s], ppi)
        out += moves * fixed + per_mile * km_to_miles(1.0) * tour_km * sums[:, 1] / np.maximum(sums[:, 2], 1)
    return out


def _arc_km(chord_squared: Floats) -> Floats:
    """Great-circle distance of points of the unit sphere from their squared chord: 2 R asin(c / 2), by its series where c is small."""
    q = chord_squared / 4
    arc = q * (35 / 1152)
    for term in (5 / 112, 3 / 40, 1 / 6):
        arc += term
        arc *= q
    arc += 1.0
    arc *= np.sqrt(q)
    far = np.flatnonzero(q > _NEAR)
    arc[far] = np.arcsin(np.sqrt(q[far]))
    arc *= 2 * EARTH_RADIUS_KM
    return arc


def non_dominated(average: Floats, burn_probability: Floats) -> NDArray[np.bool_]:
    """Which points no other point beats: none is as cheap and as likely to burn, and better in one of the two.

    Parameters
    ----------
    average : ndarray of float64, shape (n,)
        Delivered cost, less is better [USD per BDT].
    burn_probability : ndarray of float64, shape (n,)
        More is better [per year]; a point whose probability is unknown is on no front.
    """
    known = np.isfinite(average) & np.isfinite(burn_probability)
    out = np.zeros(len(average), dtype=bool)
    at = np.flatnonzero(known)
    order = at[np.lexsort((-burn_probability[at], average[at]))]
    best, best_cost = -math.inf, math.nan
    for i in order:
        # Sorted by cost, then by probability: a point is beaten by the best before it, save by its own twin.
        if burn_probability[i] > best or (burn_probability[i] == best and average[i] == best_cost):
            out[i] = True
            best, best_cost = float(burn_probability[i]), float(average[i])
    return out


def knee(points: TradeOff) -> int | None:
    """Position of the knee: the point of the front farthest above the chord between its ends, both axes scaled to the ends.

    Parameters
    ----------
    points : TradeOff
        With cost [USD per BDT] and burn probability [per year].

    Returns
    -------
    int or None
        None where the front has no inside, or bends nowhere.
    """
    front = points.front
    if len(front) < 3:
        return None
    cost, burn = points.average[front], points.burn_probability[front]
    rise = (burn - burn[0]) / (burn[-1] - burn[0])
    run = (cost - cost[0]) / (cost[-1] - cost[0])
    above = rise - run
    best = int(np.argmax(above))
    return int(front[best]) if above[best] > _SAME else None


def most_within(points: TradeOff, extra_pct: float) -> int:
    """Position of the supply most likely to burn among those that cost no more than so much above the first weight's.

    Parameters
    ----------
    points : TradeOff
        The first weight being cost alone.
    extra_pct : float
        Extra cost [percent].
    """
    limit = points.average[0] * (1 + extra_pct / 100)
    fits = np.flatnonzero(points.average <= limit * (1 + _SAME))
    order = fits[np.lexsort((fits, points.average[fits], -np.nan_to_num(points.burn_probability[fits], nan=-1.0)))]
    return int(order[0])


def step_prices(points: TradeOff) -> Floats:
    """What the last step along the front cost, shape (weights,) [USD per BDT per percentage point]; NaN at its first point and off it.

    Parameters
    ----------
    points : TradeOff
        With cost [USD per BDT] and burn probability [per year].
    """
    out = np.full(len(points.weights), np.nan)
    front = points.front
    for before, here in pairwise(front):
        rise = (points.burn_probability[here] - points.burn_probability[before]) * 100
        price = (points.average[here] - points.average[before]) / rise if rise > 0 else math.nan
        out[points.on_front & (points.supply == points.supply[here])] = price
    return out
