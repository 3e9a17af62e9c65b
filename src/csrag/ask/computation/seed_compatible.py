"""The published description's simplifications, so that the difference they make can be measured; never the default.

Radius in degrees at 111 km a degree, in latitude and longitude alike, so that the circle is an ellipse on the ground; one
circuity factor a zone at every distance; cost and burn probability scaled between their least and greatest value among the
candidates, so that a cluster's rank depends on what else lies in the circle.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from csrag.ask.computation.selection import Scales
from csrag.ask.records import SitingQuery
from csrag.ask.results import Catchment, Caveat
from csrag.surfaces.manifest import Manifest

KM_PER_DEGREE = 111.0
WIDER = 1.003
"""A circle this much wider holds the whole ellipse: a degree of latitude is at most 111.7 km."""


def seed_query(query: SitingQuery, manifest: Manifest, caveats: list[Caveat]) -> SitingQuery:
    """The question as the published description would take it.

    Parameters
    ----------
    query : SitingQuery
        What is asked.
    manifest : Manifest
        Distance modes.
    caveats : list of Caveat
        Receives the warning.
    """
    caveats.append(
        Caveat("seed_compatible", "Computed with the published description's simplifications: a radius in degrees at 111 km, one "
               "factor a zone at every distance, scales between the extremes of the candidates. They are known to be wrong; "
               "leave --seed-compatible out for the answer.")
    )  # fmt: skip
    if "zone" in manifest.distance_modes:
        query = query.with_(transport="zone")
    return query


def degree_circle(
    catchment: Catchment, radius_km: float, all_lat: NDArray[np.float64], all_lon: NDArray[np.float64]
) -> Catchment:
    """The candidates within a radius in degrees.

    Parameters
    ----------
    catchment : Catchment
        Of a true circle that is wide enough.
    radius_km : float
        The radius that is taken for degrees [km].
    all_lat, all_lon : ndarray of float64, shape (k,)
        Every cluster of that circle, before any filter [degrees].
    """
    lat, lon = catchment.key.lat, catchment.key.lon
    frame = catchment.frame
    near = in_degrees(frame["lat"], frame["lon"], lat, lon, radius_km)
    return replace(
        catchment, radius_km=radius_km, frame=frame.filter(near), system_index=catchment.system_index[near],
        rows_read=int(in_degrees(all_lat, all_lon, lat, lon, radius_km).sum()),
    )  # fmt: skip


def in_degrees(
    lats_deg: NDArray[np.float64], lons_deg: NDArray[np.float64], lat_deg: float, lon_deg: float, radius_km: float
) -> NDArray[np.bool_]:
    """Which points lie within a radius in degrees.

    Parameters
    ----------
    lats_deg, lons_deg : ndarray of float64, shape (n,)
        Points [degrees].
    lat_deg, lon_deg : float
        Centre [degrees].
    radius_km : float
        Radius, divided by 111 [km].
    """
    return np.asarray(np.hypot(lats_deg - lat_deg, lons_deg - lon_deg) <= radius_km / KM_PER_DEGREE)


def candidate_scales(unit_cost: NDArray[np.float64], burn_probability: NDArray[np.float64]) -> Scales:
    """Scales between the extremes of the candidates; unknown where nothing is known.

    Parameters
    ----------
    unit_cost, burn_probability : ndarray of float64, shape (n,)
        [USD per BDT] and [per year].
    """
    cost, burn = unit_cost[np.isfinite(unit_cost)], burn_probability[np.isfinite(burn_probability)]
    nan = float("nan")
    u_lo, u_hi = (float(cost.min()), float(cost.max())) if len(cost) else (nan, nan)
    p_lo, p_hi = (float(burn.min()), float(burn.max())) if len(burn) else (nan, nan)
    # Where all candidates cost the same, the cost term is nought for all of them.
    return Scales(u_lo, u_hi if u_hi > u_lo else u_lo + 1.0, p_lo, p_hi)
