"""What a site of a search is called, so that people know where it is."""

from __future__ import annotations

import math

from csrag.ask.computation.search_sites import Candidates
from csrag.ask.records import Location
from csrag.places.counties import county_at
from csrag.places.gazetteer import place_near

_COMPASS = ("N", "NE", "E", "SE", "S", "SW", "W", "NW")
_KINDS = {"towns": "place", "plants": "plant"}
_IN_TOWN_KM = 0.5


def location_of(sites: Candidates, at: int) -> Location:
    """The record of one site; a grid point is named by the nearest town.

    Parameters
    ----------
    sites : Candidates
        All of them.
    at : int
        Which [position].
    """
    lat, lon = float(sites.lat[at]), float(sites.lon[at])
    name = sites.names[at] if sites.names else grid_name(lat, lon)
    return Location(name, _KINDS.get(sites.kind, "coordinates"), county_at(lat, lon), lat, lon)


def grid_name(lat_deg: float, lon_deg: float) -> str:
    """Distance and direction from the nearest town, and the point [degrees]: "4 km NE of Quincy (39.97, -120.91)"."""
    town, away_km = place_near(lat_deg, lon_deg)
    point = f"({lat_deg:.2f}, {lon_deg:.2f})"
    if away_km < _IN_TOWN_KM:
        return f"{town.name} {point}"
    return f"{away_km:.0f} km {_bearing(town.lat, town.lon, lat_deg, lon_deg)} of {town.name} {point}"


def _bearing(lat: float, lon: float, to_lat: float, to_lon: float) -> str:
    """Compass point of the initial great-circle bearing [degrees]."""
    here, there, across = math.radians(lat), math.radians(to_lat), math.radians(to_lon - lon)
    east = math.sin(across) * math.cos(there)
    north = math.cos(here) * math.sin(there) - math.sin(here) * math.cos(there) * math.cos(across)
    return _COMPASS[round(math.degrees(math.atan2(east, north)) / 45) % 8]
