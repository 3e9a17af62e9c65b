"""The area that a layer set covers, and how much of a circle lies outside it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from csrag.geo import EARTH_RADIUS_KM

Ring = Sequence[Sequence[float]]
_SAMPLES = 4000


def inside_rings(
    lats_deg: NDArray[np.float64], lons_deg: NDArray[np.float64], rings: Sequence[Ring]
) -> NDArray[np.bool_]:
    """Even-odd test of points against rings of (lon, lat) [degrees].

    Parameters
    ----------
    lats_deg, lons_deg : ndarray of float64, shape (n,)
        Points [degrees].
    rings : sequence of rings
        Each a closed or open list of (lon, lat) [degrees]; holes are further rings.

    Returns
    -------
    ndarray of bool, shape (n,)
    """
    inside = np.zeros(len(lats_deg), dtype=bool)
    if not len(lats_deg):
        return inside
    south, north, west = lats_deg.min(), lats_deg.max(), lons_deg.min()
    for ring in rings:
        xy = np.asarray(ring, dtype=np.float64)
        x1, y1 = xy[:, 0], xy[:, 1]
        x2, y2 = np.roll(x1, -1), np.roll(y1, -1)
        # A ray to the east meets only edges at the points' latitudes that do not end west of all of them: of a state's
        # outline that is a handful.
        meets = (
            (np.minimum(y1, y2) <= north) & (np.maximum(y1, y2) >= south) & (np.maximum(x1, x2) >= west) & (y1 != y2)
        )
        for ax, ay, bx, by in zip(x1[meets], y1[meets], x2[meets], y2[meets], strict=True):
            crosses = (ay > lats_deg) != (by > lats_deg)
            inside ^= crosses & (lons_deg < (bx - ax) * (lats_deg - ay) / (by - ay) + ax)
    return inside


def edge_share(lat_deg: float, lon_deg: float, radius_km: float, rings: Sequence[Ring]) -> float:
    """Share of the circle's area outside the data area.

    Parameters
    ----------
    lat_deg, lon_deg : float
        Centre [degrees].
    radius_km : float
        Radius [km].
    rings : sequence of rings
        The data area, rings of (lon, lat) [degrees]; none means everywhere.

    Returns
    -------
    float
        0 to 1, from 4,000 points spread evenly over the disc (sunflower order), so to about half a percent.
    """
    if not rings:
        return 0.0
    k = np.arange(_SAMPLES, dtype=np.float64) + 0.5
    distance = radius_km * np.sqrt(k / _SAMPLES)
    bearing = k * (math.pi * (3 - math.sqrt(5)))
    north, east = distance * np.cos(bearing), distance * np.sin(bearing)
    lats = lat_deg + np.degrees(north / EARTH_RADIUS_KM)
    lons = lon_deg + np.degrees(east / (EARTH_RADIUS_KM * np.cos(np.radians(lats))))
    return float(1 - inside_rings(lats, lons, rings).mean())
