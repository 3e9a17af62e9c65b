"""The search's arithmetic in NumPy, one site at a time: the reference, and what serves where the kernel is absent."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from csrag.ask.computation.selection import greedy, scores
from csrag.ask.computation.statewide_pool import SearchPool
from csrag.ask.computation.transport import MIN_HAUL_KM, circuity_of

Floats = NDArray[np.float64]

FIGURES = (
    "average_usd_per_bdt", "harvest_usd_per_bdt", "haul_usd_per_bdt", "last_ton_usd_per_bdt", "taken_bdt",
    "available_bdt", "clusters", "mean_burn_probability", "mean_road_km", "acres", "high_hazard_acres", "met",
)  # fmt: skip
"""What is worked out for each site, in the order of a row of figures."""


@dataclass(frozen=True)
class Circle:
    """Candidates of one site; arrays of shape (k,).

    Parameters
    ----------
    at : ndarray of int64
        Positions in the pool.
    road_km, haul_usd_per_bdt, unit_usd_per_bdt : ndarray of float64
        One-way road [km], round trip, and harvest + haul + unloading [USD per BDT].
    taken : ndarray of int64
        Positions in the circle, in the order taken.
    """

    at: NDArray[np.int64]
    road_km: Floats
    haul_usd_per_bdt: Floats
    unit_usd_per_bdt: Floats
    taken: NDArray[np.int64]


def choose(pool: SearchPool, lat: float, lon: float, demand_bdt: float, radius_km: float, fire_weight: float) -> Circle:
    """Choose clusters for one site as a question about that site does.

    Parameters
    ----------
    pool : SearchPool
        Candidates.
    lat, lon : float
        The site [degrees].
    demand_bdt, radius_km : float
        One year's demand [BDT] and the circle [km].
    fire_weight : float
        0 to 1 [dimensionless].
    """
    hits = pool.index.search(lat, lon, radius_km)
    if not pool.there.all():
        hits = hits.take(np.flatnonzero(pool.there[hits.rows]))
    at = hits.rows
    circuity, _ = circuity_of(pool.manifest, pool.mode, pool.zone[at], hits.distance_km)
    road = np.maximum(MIN_HAUL_KM, hits.distance_km * circuity)
    haul = pool.tau_usd_per_bdt_km * road
    unit = pool.harvest_usd_per_bdt[at] + haul + pool.unloading_usd_per_bdt
    with np.errstate(invalid="ignore", divide="ignore"):
        score = scores(unit, pool.burn_probability[at], fire_weight, pool.scales)
    taken = greedy(score, unit, pool.cluster_no[at], pool.tons_bdt[at], demand_bdt)
    return Circle(at, road, haul, unit, taken)


def figures(
    pool: SearchPool, lat: float, lon: float, demand_bdt: float, radius_km: float, fire_weight: float
) -> Floats:
    """The `FIGURES` of one site as a row; where the demand is not met, what is there and NaN for the rest.

    Parameters
    ----------
    pool, lat, lon, demand_bdt, radius_km, fire_weight
        As for `choose`.
    """
    circle = choose(pool, lat, lon, demand_bdt, radius_km, fire_weight)
    available = float(pool.tons_bdt[circle.at].sum())
    at = circle.at[circle.taken]
    tons = pool.tons_bdt[at]
    taken = float(tons.sum())
    if not (len(at) and taken >= demand_bdt):
        missing = math.nan
        return np.array([missing] * 4 + [available, available, len(circle.at)] + [missing] * 4 + [0.0])
    harvest = float((pool.harvest_usd_per_bdt[at] * tons).sum()) / taken
    haul = float((circle.haul_usd_per_bdt[circle.taken] * tons).sum()) / taken
    burn, hazard, acres = pool.burn_probability[at], pool.high_hazard[at], pool.area_acres[at]
    known = np.isfinite(burn)
    burnt = float(tons[known].sum())
    return np.array([
        harvest + haul + pool.unloading_usd_per_bdt, harvest, haul, circle.unit_usd_per_bdt[circle.taken].max(), taken,
        available, len(at),
        float((burn[known] * tons[known]).sum()) / burnt if burnt > 0 else math.nan,
        float((circle.road_km[circle.taken] * tons).sum()) / taken, acres.sum(),
        acres[hazard == 1].sum() if (hazard >= 0).any() else math.nan, 1.0,
    ])  # fmt: skip
