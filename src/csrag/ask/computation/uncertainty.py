"""How far a cost may be off, from errors that the layer set has measured: road distances by band, harvest costs of a surrogate.

Both are common to all clusters of a plant: an error shifts the whole sum and is not averaged away over the clusters.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.ask.computation.cost_method import USUAL_LEVEL_PCT, interval_qualified, is_surrogate
from csrag.ask.computation.delivered import Costs, Economics
from csrag.ask.computation.selection import Scales, greedy, scores
from csrag.ask.computation.transport import NO_CIRCUITY
from csrag.ask.records import SitingQuery
from csrag.surfaces.catalog import SYSTEMS
from csrag.surfaces.frame import ClusterFrame
from csrag.surfaces.manifest import Manifest

Floats = NDArray[np.float64]

LEVEL_PCT = 90.0
"""Level of the intervals; the layer set states the errors of its facilities at it [percent]."""
_SD_OVER_MEAN_ABSOLUTE = math.sqrt(math.pi / 2)
"""Standard deviation over mean absolute deviation of a normal variable."""
_WIDEST_SPREAD = 2.0
_RULES = (
    "max_cost_usd_per_bdt", "min_high_hazard_pct", "min_land_share_pct", "max_land_share_pct", "max_road_km", "other_plants",
    "selection",
)  # fmt: skip
"""Fields that bind the choice beyond its order."""


def deviate_of(level_pct: float) -> float:
    """Standard deviate that a normal variable stays within, to either side, at a level [percent]; 1.645 at 90 %."""
    from statistics import NormalDist

    return NormalDist().inv_cdf(0.5 + level_pct / 200)


@dataclass(frozen=True)
class RoadError:
    """Error of one plant's road distances, by straight-line band: true over reckoned length is exp(centre + spread * z).

    Parameters
    ----------
    inner_km : ndarray of float64, shape (bands - 1,)
        Edges between the bands [km].
    centre, spread : ndarray of float64, shape (bands,)
        Middle and standard deviation of the logarithm of true over reckoned length [dimensionless].
    measured_on : str
        `facilities` where the layer set measured the error of a facility's sum; `trips` where it only knows that of single
        trips, which then is taken as common to all of them.
    facilities : int
        How many stand behind it; 0 for trips.
    """

    inner_km: Floats
    centre: Floats
    spread: Floats
    measured_on: str
    facilities: int

    def factor(self, straight_km: Floats, deviate: float) -> Floats:
        """True over reckoned length of trips at one deviate.

        Parameters
        ----------
        straight_km : ndarray of float64, shape (n,)
            Straight-line distance [km].
        deviate : float
            Standard deviate, the same in all bands [dimensionless].
        """
        return np.asarray(np.exp(self.centre + self.spread * deviate)[self.band_of(straight_km)])

    def band_of(self, straight_km: Floats) -> NDArray[np.int64]:
        """Band of each straight-line distance [km]; what lies beyond the last edge belongs to the last band."""
        return np.searchsorted(self.inner_km, straight_km, side="right").astype(np.int64)


def road_error(manifest: Manifest, mode: str) -> RoadError | None:
    """Error of a distance mode, as the layer set measured it; None where it did not, or is the reference itself.

    Parameters
    ----------
    manifest : Manifest
        `transport.facility_error` and `transport.accuracy`.
    mode : str
        zone, stratified or network.

    Notes
    -----
    The pooled error of the sum gives the middle: a mode that makes roads too long in sum costs less in truth. The spread is
    such that nine tenths of the facilities err by no more than the layer set's figure for nine tenths. Where only trips were
    measured, their mean absolute error times sqrt(pi/2), the standard deviation of a normal variable with that mean, stands
    for the plant's: errors are common to a plant's clusters unless a measurement says otherwise. A band without a
    measurement takes the nearest band's.
    """
    told = manifest.transport or {}
    trips = _by_band(told.get("accuracy"), mode, "mape_pct", "aggregate_error_pct")
    sites = _by_band(told.get("facility_error"), mode, "p90_abs_pct", "facilities")
    if not trips or all(row["mape_pct"] == 0 for row in trips.values()):
        return None
    lows = sorted({*trips, *sites})
    centre, spread, behind = (np.full(len(lows), np.nan) for _ in range(3))
    for k, low in enumerate(lows):
        if low in trips:
            centre[k] = -math.log1p(max(float(trips[low]["aggregate_error_pct"]), -90.0) / 100)
        if sites:
            if low in sites and np.isfinite(centre[k]):
                spread[k] = spread_of(float(centre[k]), float(sites[low]["p90_abs_pct"]) / 100)
                behind[k] = float(sites[low]["facilities"])
        elif low in trips:
            spread[k] = min(float(trips[low]["mape_pct"]) / 100 * _SD_OVER_MEAN_ABSOLUTE, _WIDEST_SPREAD)
    known = np.flatnonzero(np.isfinite(centre) & np.isfinite(spread))
    if not known.size:
        return None
    nearest = known[np.argmin(np.abs(np.arange(len(lows))[:, None] - known[None, :]), axis=1)]
    least = int(np.nanmin(behind)) if sites else 0
    inner = np.asarray(lows[1:], dtype=np.float64)
    return RoadError(inner, centre[nearest], spread[nearest], "facilities" if sites else "trips", least)


def _by_band(rows: Any, mode: str, *needed: str) -> dict[float, dict[str, Any]]:
    """Rows of a mode by the low edge of their band, those without a figure left out."""
    return {
        float(row["band_km"][0]): row
        for row in rows or ()
        if row["mode"] == mode and all(row.get(name) is not None for name in needed)
    }


def spread_of(centre: float, within: float, share: float = LEVEL_PCT / 100) -> float:
    """Standard deviation of ln(true / reckoned) for which reckoned / true is within 1 +- `within` at a given share.

    Parameters
    ----------
    centre : float
        Mean of that logarithm [dimensionless].
    within : float
        Largest error of that share of the facilities [fraction].
    share : float, optional
        [fraction]

    Returns
    -------
    float
        0 where no error is left. Found by bisection; where the middle itself lies outside, the middle is left out of account.
    """
    if within <= 0:
        return 0.0
    low_end, high_end = -math.log1p(within), (-math.log1p(-within) if within < 1 else math.inf)
    if not low_end < centre < high_end:
        centre = 0.0

    def inside(spread: float) -> float:
        return _below((high_end - centre) / spread) - _below((low_end - centre) / spread)

    low, high = 1e-9, _WIDEST_SPREAD
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if inside(middle) > share else (low, middle)
    return (low + high) / 2


def _below(deviate: float) -> float:
    return 0.5 * math.erfc(-deviate / math.sqrt(2))


@dataclass(frozen=True)
class Errors:
    """What is known of the errors of one answer's costs.

    Parameters
    ----------
    road : RoadError or None
        Of the road distances that it is at work on.
    stand_ins_only : bool
        The road network's own distances have no measured error, so `road` is at work on its stand-ins alone.
    harvest : ndarray of float64, shape (systems,), or None
        One standard deviation of the harvest cost by system [fraction]; None where it is not at work or not known.
    mode : str
        Distance mode of the answer.
    harvest_unknown : str
        Why a surrogate's error is not known; empty otherwise.
    qualified : bool
        Too many records lie beyond what the surrogate learned for its level to be taken as it stands.
    """

    road: RoadError | None
    stand_ins_only: bool
    harvest: Floats | None
    mode: str
    harvest_unknown: str = ""
    qualified: bool = False

    @property
    def known(self) -> bool:
        """Whether there is an interval to give."""
        return self.harvest is not None or (self.road is not None and not self.stand_ins_only)

    def haul_factor(self, frame: ClusterFrame, costs: Costs, rows: NDArray[np.int64], deviate: float) -> Floats:
        """True over reckoned haul cost of given candidates, shape of `rows`.

        Parameters
        ----------
        frame, costs : ClusterFrame, Costs
            Candidates.
        rows : ndarray of int64
            Positions among them.
        deviate : float
            Standard deviate of the road error [dimensionless].
        """
        if self.road is None:
            return np.ones(len(rows))
        factor = self.road.factor(frame["distance_km"][rows], deviate)
        return np.where(costs.circuity_known[rows], 1.0, factor) if self.stand_ins_only else factor

    def harvest_factor(self, costs: Costs, rows: NDArray[np.int64], deviate: float) -> Floats:
        """True over predicted harvest cost of given candidates at one deviate [dimensionless], shape of `rows`."""
        if self.harvest is None:
            return np.ones(len(rows))
        return np.maximum(1.0 + self.harvest[costs.system_index[rows]] * deviate, 0.0)


def errors_of(manifest: Manifest, query: SitingQuery, costs: Costs, econ: Economics, rows: NDArray[np.int64]) -> Errors:
    """Collect what the layer set knows of the errors behind a question's costs.

    Parameters
    ----------
    manifest : Manifest
        Measured errors.
    query : SitingQuery
        What is burned.
    costs : Costs
        Candidates.
    econ : Economics
        Whether harvest costs were computed anew, by the simulator itself.
    rows : ndarray of int64
        Candidates that matter: a surrogate's error has to be known for each of their systems.
    """
    assert costs.transport is not None
    mode = costs.transport.mode
    road = None if mode == NO_CIRCUITY else road_error(manifest, mode)
    stand_ins = False
    if mode == "network" and road is None:
        road, stand_ins = road_error(manifest, costs.transport.without_network), True
    harvest, unknown, qualified = None, "", False
    if is_surrogate(manifest) and not econ.recomputed and query.feedstock != "whole_tree":
        told = manifest.cost_method or {}
        half = np.array([_fraction((told.get("interval_pct") or {}).get(name)) for name in SYSTEMS])
        if np.isfinite(half[costs.system_index[rows]]).all():
            # A system that is not taken here and has no error of its own takes part in nothing.
            level = float(told.get("interval_level_pct") or USUAL_LEVEL_PCT)
            harvest = np.where(np.isfinite(half), half, np.nanmax(half)) / deviate_of(level) if len(rows) else None
            qualified = interval_qualified(told)
        else:
            unknown = "the surrogate gives no interval for the harvesting systems taken"
    return Errors(road, stand_ins, harvest, mode, unknown, qualified)


def _fraction(value: Any) -> float:
    return math.nan if value is None else float(value) / 100


def interval(
    cost: Callable[[float, float], float], errors: Errors, level_pct: float = LEVEL_PCT
) -> tuple[float, float]:
    """Ends of the interval of a cost that grows with either error.

    Parameters
    ----------
    cost : callable
        Cost at given standard deviates of the road error and of the harvest's.
    errors : Errors
        Which of them is at work.
    level_pct : float, optional
        [percent]

    Returns
    -------
    low, high : float
        In the units of `cost`. Each error alone gives its quantiles exactly; two errors, taken as independent of each other, are
        put together as the root of the sum of squares on each side of the middle.
    """
    z, middle = deviate_of(level_pct), cost(0.0, 0.0)
    below, above = [], []
    if errors.road is not None:
        below.append(middle - cost(-z, 0.0))
        above.append(cost(z, 0.0) - middle)
    if errors.harvest is not None:
        below.append(middle - cost(0.0, -z))
        above.append(cost(0.0, z) - middle)
    return middle - math.hypot(*below), middle + math.hypot(*above)


def choice_is_free(query: SitingQuery) -> bool:
    """Whether nothing but the order of the clusters decides what is taken, so that it may be chosen anew at other costs."""
    plain = SitingQuery()
    return all(getattr(query, name) == getattr(plain, name) for name in _RULES)


def chosen_at(
    query: SitingQuery, frame: ClusterFrame, costs: Costs, errors: Errors, scales: Scales, demand_bdt: float, road: float,
    harvest: float,
) -> tuple[NDArray[np.int64], Floats]:  # fmt: skip
    """Clusters that would be taken if costs were as at given deviates, and what they would cost.

    Parameters
    ----------
    query : SitingQuery
        Weight of fire.
    frame, costs : ClusterFrame, Costs
        Candidates.
    errors : Errors
        At work.
    scales : Scales
        Fixed scales of the score.
    demand_bdt : float
        [BDT per year]
    road, harvest : float
        Standard deviates [dimensionless].

    Returns
    -------
    rows : ndarray of int64
        Positions among the candidates.
    unit : ndarray of float64
        Harvest, haul and unloading of every candidate [USD per BDT].
    """
    unit = unit_at(costs, frame, errors, np.arange(len(frame)), road, harvest)
    score = scores(unit, frame["burn_probability"].astype(np.float64), query.fire_weight, scales)
    return greedy(score, unit, frame["cluster_no"], costs.tons, demand_bdt), unit


def unit_at(
    costs: Costs, frame: ClusterFrame, errors: Errors, rows: NDArray[np.int64], road: float, harvest: float
) -> Floats:
    """Harvest, haul and unloading of given candidates at given deviates [USD per BDT], shape of `rows`."""
    haul = costs.haul[rows] * errors.haul_factor(frame, costs, rows, road)
    cut = costs.harvest[rows]
    workable = np.isfinite(cut)
    # What no system can work stays without a cost, whatever the deviate.
    moved = np.where(workable, cut, 0.0) * errors.harvest_factor(costs, rows, harvest)
    return np.where(workable, haul + moved, np.inf) + costs.unloading
