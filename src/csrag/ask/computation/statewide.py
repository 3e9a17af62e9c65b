"""Supply cost at every candidate site of a state: what a question about each would find, at a fixed radius, in seconds.

For each site the clusters of its circle are taken greedily by score until one year's demand is met, with the same circle,
road factors, score, tie-breaks and prices as the answer about that one site with `radius_km` and `transport` given, the
move-in left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from csrag.ask.computation.statewide_kernel import run, serves
from csrag.ask.computation.statewide_pool import SEARCH_RADIUS_KM, SearchPool, prepare_pool
from csrag.ask.computation.statewide_twin import FIGURES, choose, figures
from csrag.errors import InvalidValueError
from csrag.quantities import check

__all__ = ["SEARCH_RADIUS_KM", "SearchPool", "SiteCosts", "prepare_pool", "site_costs", "taken_rows"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class SiteCosts:
    """What each site's supply costs; all arrays have the shape (sites,).

    Where the demand is not met the figures are NaN, but for `available_bdt`, `taken_bdt` (all that is there) and `clusters`.

    Parameters
    ----------
    average_usd_per_bdt : ndarray of float64
        Harvest, haul and unloading, without move-in, weighted by tons [USD per BDT].
    harvest_usd_per_bdt, haul_usd_per_bdt : ndarray of float64
        Its parts [USD per BDT].
    last_ton_usd_per_bdt : ndarray of float64
        Dearest cluster taken [USD per BDT].
    taken_bdt, available_bdt : ndarray of float64
        Taken, and all candidates of the circle [BDT].
    clusters : ndarray of int64
        Clusters taken.
    mean_burn_probability : ndarray of float64
        Of what is taken, weighted by tons, unknowns left out [per year].
    mean_road_km : ndarray of float64
        Weighted by tons, one way [km].
    acres, high_hazard_acres : ndarray of float64
        Treated area, and the part in the classes high and very high; NaN where no class is known [acres].
    met : ndarray of bool
        Whether the demand is met.
    """

    average_usd_per_bdt: Floats
    harvest_usd_per_bdt: Floats
    haul_usd_per_bdt: Floats
    last_ton_usd_per_bdt: Floats
    taken_bdt: Floats
    available_bdt: Floats
    clusters: NDArray[np.int64]
    mean_burn_probability: Floats
    mean_road_km: Floats
    acres: Floats
    high_hazard_acres: Floats
    met: NDArray[np.bool_]


def site_costs(
    pool: SearchPool,
    lat: ArrayLike,
    lon: ArrayLike,
    demand_bdt: float,
    radius_km: float = SEARCH_RADIUS_KM,
    fire_weight: float | None = None,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> SiteCosts:
    """Supply cost at many sites.

    Parameters
    ----------
    pool : SearchPool
        From `prepare_pool`.
    lat, lon : array_like, shape (sites,)
        Sites [degrees].
    demand_bdt : float
        One year's demand [BDT].
    radius_km : float
        Circle around each site [km].
    fire_weight : float, optional
        0 to 1; the question's where left out [dimensionless].
    workers : int, optional
        Threads; as many as the machine offers where left out. Their number changes no figure.
    progress : callable, optional
        Told how many sites are done, of how many.

    Raises
    ------
    InvalidValueError
        For a demand, radius or weight out of range, or coordinates that are no finite pairs.
    """
    lats, lons = _sites(lat, lon)
    _check(demand_bdt, radius_km)
    weight = pool.fire_weight if fire_weight is None else check("fire_weight", fire_weight)
    if not len(lats):
        return _site_costs(np.empty((0, len(FIGURES))))
    if serves(pool, weight):
        table, unsure, _ = run(pool, lats, lons, demand_bdt, radius_km, weight, workers, progress)
        left = np.flatnonzero(unsure)
    else:
        table, left = np.empty((len(lats), len(FIGURES))), np.arange(len(lats))
    for done, i in enumerate(left.tolist(), start=1):
        table[i] = figures(pool, float(lats[i]), float(lons[i]), demand_bdt, radius_km, weight)
        if progress is not None and len(left) == len(lats) and (done % 256 == 0 or done == len(left)):
            progress(done, len(lats))
    return _site_costs(table)


def taken_rows(pool: SearchPool, lat: float, lon: float, demand_bdt: float, radius_km: float = SEARCH_RADIUS_KM,
               fire_weight: float | None = None) -> NDArray[np.int64]:  # fmt: skip
    """Layer rows taken for one site, in the order taken; all candidates of the circle where the demand is not met.

    Parameters
    ----------
    pool : SearchPool
        From `prepare_pool`.
    lat, lon : float
        The site [degrees].
    demand_bdt, radius_km, fire_weight
        As for `site_costs` [BDT, km, 0 to 1].
    """
    _check(demand_bdt, radius_km)
    weight = pool.fire_weight if fire_weight is None else check("fire_weight", fire_weight)
    circle = choose(pool, float(lat), float(lon), demand_bdt, radius_km, weight)
    return np.asarray(pool.row[circle.at[circle.taken]])


def _sites(lat: ArrayLike, lon: ArrayLike) -> tuple[Floats, Floats]:
    lats, lons = np.atleast_1d(np.asarray(lat, dtype=np.float64)), np.atleast_1d(np.asarray(lon, dtype=np.float64))
    if lats.shape != lons.shape or lats.ndim != 1 or not (np.isfinite(lats).all() and np.isfinite(lons).all()):
        raise InvalidValueError(
            "Sites need as many finite latitudes as longitudes.", "Give decimal degrees, one pair a site."
        )
    return lats, lons


def _check(demand_bdt: float, radius_km: float) -> None:
    check("radius_km", radius_km)
    if not (np.isfinite(demand_bdt) and demand_bdt > 0):
        raise InvalidValueError(
            f"A demand of {demand_bdt:g} BDT cannot be supplied.", "Give a positive number of BDT a year."
        )


def _site_costs(table: Floats) -> SiteCosts:
    columns = {name: table[:, i] for i, name in enumerate(FIGURES)}
    return SiteCosts(
        **{name: column.copy() for name, column in columns.items() if name not in {"clusters", "met"}},
        clusters=columns["clusters"].astype(np.int64), met=columns["met"] > 0,
    )  # fmt: skip
