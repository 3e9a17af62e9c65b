"""Which points lie in a county, a forest, a region: the area meant by a place that is larger than a town.

Counties are exact (to about 100 m). Forests are boxes and regions loose rings drawn by hand: they say where to look,
not who owns the land, which is what the land-use layer is for.
"""

from __future__ import annotations

import json
from functools import lru_cache
from importlib import resources

import numpy as np
from numpy.typing import ArrayLike, NDArray

from csrag.places.counties import county_code, county_of, in_ring, rings_of
from csrag.places.records import Place


@lru_cache(maxsize=1)
def _rings() -> dict[str, NDArray[np.float64]]:
    """Closed rings of forests and regions by name, longitude and latitude [degrees]."""
    raw = json.loads(resources.files("csrag.places").joinpath("data", "areas.json").read_text(encoding="utf-8"))
    return {name: np.array([[lon, lat] for lat, lon in [*ring, ring[0]]]) for name, ring in raw.items()}


def has_area(place: Place) -> bool:
    """Whether the place is a county, a forest or a region, that is, has an area to search in."""
    return place.kind == "county" or place.name in _rings()


def area_rings(place: Place) -> list[NDArray[np.float64]]:
    """Closed rings of a place's area for a map, longitude and latitude [degrees]; empty for a town."""
    if place.kind == "county" and place.county:
        return rings_of(place.county)
    ring = _rings().get(place.name)
    return [] if ring is None else [ring]


def contains(place: Place, lats_deg: ArrayLike, lons_deg: ArrayLike) -> NDArray[np.bool_]:
    """Which points lie in the area of a county, forest or region.

    Parameters
    ----------
    place : Place
        Of kind county, forest or region.
    lats_deg, lons_deg : array_like, shape (n,)
        Points [degrees].

    Returns
    -------
    ndarray of bool, shape (n,)

    Raises
    ------
    ValueError
        For a place without an area.
    """
    lat = np.atleast_1d(np.asarray(lats_deg, np.float64))
    lon = np.atleast_1d(np.asarray(lons_deg, np.float64))
    if place.kind == "county" and place.county:
        return np.asarray(county_of(lat, lon) == county_code(place.county))
    ring = _rings().get(place.name)
    if ring is None:
        raise ValueError(f"{place.name} has no area")
    return in_ring(ring, lat, lon)


def bounds(place: Place) -> tuple[float, float, float, float]:
    """Box around a place's area: lat_min, lat_max, lon_min, lon_max [degrees].

    Raises
    ------
    ValueError
        For a place without an area.
    """
    rings = area_rings(place)
    if not rings:
        raise ValueError(f"{place.name} has no area")
    corners = np.concatenate(rings)
    (west, south), (east, north) = corners.min(axis=0), corners.max(axis=0)
    return float(south), float(north), float(west), float(east)
