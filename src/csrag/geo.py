"""Distances on the sphere, boxes around circles, and the California Albers grid.

All angles are decimal degrees, WGS 84. Latitude comes first in every signature of this module. A radius is always in
km and always a true circle: a radius in degrees is an ellipse on the ground (77 % of the area at 39.9 N).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from csrag.errors import InvalidValueError

EARTH_RADIUS_KM = 6371.0088
"""Mean Earth radius [km] (IUGG R1)."""

CALIFORNIA_BOX = (32.45, 42.05, -124.55, -114.05)
"""Outer bounds of California, lat_min, lat_max, lon_min, lon_max [degrees]."""


def haversine_km(
    lat_deg: ArrayLike, lon_deg: ArrayLike, lats_deg: ArrayLike, lons_deg: ArrayLike
) -> NDArray[np.float64]:
    """Great-circle distance between points.

    Parameters
    ----------
    lat_deg, lon_deg : array_like
        First point(s) [degrees].
    lats_deg, lons_deg : array_like
        Second point(s) [degrees]; broadcast against the first.

    Returns
    -------
    ndarray of float64
        Distance [km] on a sphere of `EARTH_RADIUS_KM`.

    Notes
    -----
    Haversine form, accurate at short range (Sinnott 1984, Sky and Telescope 68:159).
    """
    lat1, lon1 = np.radians(np.asarray(lat_deg, float)), np.radians(np.asarray(lon_deg, float))
    lat2, lon2 = np.radians(np.asarray(lats_deg, float)), np.radians(np.asarray(lons_deg, float))
    half = np.sin((lat2 - lat1) * 0.5) ** 2 + np.cos(lat1) * np.cos(lat2) * np.sin((lon2 - lon1) * 0.5) ** 2
    return np.asarray(2.0 * EARTH_RADIUS_KM * np.arcsin(np.sqrt(np.minimum(half, 1.0))), dtype=np.float64)


def padded_box(lat_deg: float, lon_deg: float, radius_km: float) -> tuple[float, float, float, float]:
    """Smallest lat/lon box that surely contains the circle, padded by a hair.

    Parameters
    ----------
    lat_deg, lon_deg : float
        Centre [degrees].
    radius_km : float
        Radius [km].

    Returns
    -------
    tuple of float
        lat_min, lat_max, lon_min, lon_max [degrees].

    Notes
    -----
    The widest meridian extent of a spherical cap lies poleward of due east: asin(sin(d)/cos(lat)).
    """
    angle = radius_km / EARTH_RADIUS_KM
    dlat = math.degrees(angle)
    ratio = math.sin(min(angle, math.pi / 2)) / max(math.cos(math.radians(lat_deg)), 1e-12)
    dlon = 180.0 if ratio >= 1.0 else math.degrees(math.asin(ratio))
    pad = 1e-6
    return lat_deg - dlat - pad, lat_deg + dlat + pad, lon_deg - dlon - pad, lon_deg + dlon + pad


def in_california_box(lat_deg: float, lon_deg: float) -> bool:
    """Whether a point lies inside California's outer bounds [degrees]."""
    lat_min, lat_max, lon_min, lon_max = CALIFORNIA_BOX
    return lat_min <= lat_deg <= lat_max and lon_min <= lon_deg <= lon_max


def check_point(lat_deg: float, lon_deg: float) -> None:
    """Refuse coordinates that cannot be a point in California.

    Raises
    ------
    InvalidValueError
        For non-finite numbers, latitude over 90, swapped coordinates, or a point outside California's bounds.
    """
    if not (math.isfinite(lat_deg) and math.isfinite(lon_deg)):
        raise InvalidValueError("The coordinates are not numbers.", "Give latitude and longitude in decimal degrees.")
    if abs(lat_deg) > 90 or abs(lon_deg) > 180 or not in_california_box(lat_deg, lon_deg):
        if in_california_box(lon_deg, lat_deg):
            raise InvalidValueError(
                f"Latitude {lat_deg:g} and longitude {lon_deg:g} look swapped.",
                f"Did you mean latitude {lon_deg:g}, longitude {lat_deg:g}?",
                code="coordinates_swapped",
            )
        raise InvalidValueError(
            f"The point {lat_deg:g}, {lon_deg:g} lies outside California.",
            "The layers cover California only: latitude 32.5 to 42.0, longitude -124.5 to -114.1.",
            code="outside_california",
        )


# EPSG:3310, NAD83 / California Albers, on the GRS 80 ellipsoid (Snyder 1987, USGS PP 1395, p. 101).
_A = 6378137.0
_F = 1 / 298.257222101
_E2 = _F * (2 - _F)
_E = math.sqrt(_E2)


def _q(sin_lat: NDArray[np.float64]) -> NDArray[np.float64]:
    es = _E * sin_lat
    return np.asarray((1 - _E2) * (sin_lat / (1 - es**2) - np.log((1 - es) / (1 + es)) / (2 * _E)), dtype=np.float64)


def _albers_constants() -> tuple[float, float, float]:
    def m(lat: float) -> float:
        return math.cos(lat) / math.sqrt(1 - _E2 * math.sin(lat) ** 2)

    p0, p1, p2 = 0.0, math.radians(34.0), math.radians(40.5)
    q0, q1, q2 = (float(_q(np.float64(math.sin(p)))) for p in (p0, p1, p2))  # type: ignore[arg-type]
    n = (m(p1) ** 2 - m(p2) ** 2) / (q2 - q1)
    c = m(p1) ** 2 + n * q1
    return n, c, _A * math.sqrt(c - n * q0) / n


_N, _C, _RHO0 = _albers_constants()
_LON0 = math.radians(-120.0)
_FALSE_NORTHING_M = -4_000_000.0


def to_albers_m(lat_deg: ArrayLike, lon_deg: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Project to California Albers (EPSG:3310).

    Parameters
    ----------
    lat_deg, lon_deg : array_like
        Points [degrees].

    Returns
    -------
    x_m, y_m : ndarray of float64
        Easting and northing [m].
    """
    lat, lon = np.radians(np.asarray(lat_deg, float)), np.radians(np.asarray(lon_deg, float))
    rho = _A * np.sqrt(_C - _N * _q(np.sin(lat))) / _N
    theta = _N * (lon - _LON0)
    return rho * np.sin(theta), _RHO0 - rho * np.cos(theta) + _FALSE_NORTHING_M


def from_albers_m(x_m: ArrayLike, y_m: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Inverse of `to_albers_m`.

    Parameters
    ----------
    x_m, y_m : array_like
        Easting and northing [m].

    Returns
    -------
    lat_deg, lon_deg : ndarray of float64
        Points [degrees], exact to about 1e-11.
    """
    x, y = np.asarray(x_m, float), np.asarray(y_m, float) - _FALSE_NORTHING_M
    rho = np.hypot(x, _RHO0 - y)
    theta = np.arctan2(x, _RHO0 - y)
    q = (_C - (rho * _N / _A) ** 2) / _N
    lat = np.arcsin(np.clip(q / 2, -1.0, 1.0))
    for _ in range(6):
        s = np.sin(lat)
        es2 = 1 - _E2 * s**2
        lat = lat + es2**2 / (2 * np.cos(lat)) * (
            q / (1 - _E2) - s / es2 + np.log((1 - _E * s) / (1 + _E * s)) / (2 * _E)
        )
    return np.degrees(lat), np.degrees(theta / _N + _LON0)
