"""Offline gazetteer of California: exact look-up of names, fuzzy look-up of misspellings, ZIP codes, nearest towns.

Everything is a hash look-up on keys made by `csrag.places.normal.fold`; the data were baked by tools/bake_places.py
from the sources that data/NOTICE names. Places outside California are known too, so that they can be refused by name
instead of being mistaken for a Californian namesake.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from csrag.geo import haversine_km
from csrag.places.normal import fold
from csrag.places.records import FuzzyMatch, Kind, Match, Place
from csrag.places.scanning import scan
from csrag.places.table import equal_readings, index, lines, normalise, place, readings_of
from csrag.places.zips import zip_place

__all__ = [
    "FuzzyMatch", "Kind", "Match", "Place", "Towns", "county", "equal_readings", "fuzzy", "index", "lines", "lookup",
    "nearest_known", "normalise", "place", "place_near", "scan", "towns", "zip_place",
]  # fmt: skip


def lookup(name: str) -> tuple[Place, ...]:
    """Every place of that name, best reading first; empty where there is none.

    Parameters
    ----------
    name : str
        A name, a ZIP code ("96013", "ZIP 96013"), or a name with its county or state ("Quincy, CA", "Lakeview OR").

    Returns
    -------
    tuple of Place
        Town before county before forest before region before plant before what lies outside California. Namesakes in
        California all stand in it; see `equal_readings` for those that are equally good.
    """
    digits = name.strip().lower().removeprefix("zip").removeprefix(" code").strip()
    if digits[:5].isdecimal() and len(digits) in (5, 10):
        found = zip_place(digits[:5])
        return (found,) if found else ()
    found_all = readings_of(normalise(name))
    if found_all:
        return found_all
    tokens = name.replace(",", " ").split()
    matches = scan(tokens)
    if matches and (matches[0].start, matches[0].end) == (0, len(tokens)):
        return matches[0].places
    return ()


def county(name: str) -> Place | None:
    """County of that name, with or without the word County; None where California has none."""
    key = fold(name)
    for candidate in (key, f"{key} county"):
        for p in readings_of(candidate):
            if p.kind == "county":
                return p
    return None


@dataclass(frozen=True)
class Towns:
    """Californian towns as columns: names, latitude and longitude [degrees], population (0 unknown)."""

    name: tuple[str, ...]
    county: tuple[str, ...]
    lat: NDArray[np.float64]
    lon: NDArray[np.float64]
    population: NDArray[np.int64]
    line: NDArray[np.int64]


@lru_cache(maxsize=1)
def towns() -> Towns:
    """All Californian towns; arrays are read-only and shared."""
    rows = [(i, line.split("\t", 8)) for i, line in enumerate(lines()) if "\tplace\t" in line]
    lat = np.array([r[4] for _, r in rows], np.float64)
    lon = np.array([r[5] for _, r in rows], np.float64)
    population = np.array([int(r[7] or 0) for _, r in rows], np.int64)
    number = np.array([i for i, _ in rows], np.int64)
    for array in (lat, lon, population, number):
        array.flags.writeable = False
    return Towns(tuple(r[1] for _, r in rows), tuple(r[3] for _, r in rows), lat, lon, population, number)


def place_near(lat_deg: float, lon_deg: float) -> tuple[Place, float]:
    """Nearest Californian town to a point, and its distance [km].

    Parameters
    ----------
    lat_deg, lon_deg : float
        Point [degrees].
    """
    t = towns()
    distance = haversine_km(lat_deg, lon_deg, t.lat, t.lon)
    best = int(np.argmin(distance))
    return place(int(t.line[best])), float(distance[best])


def fuzzy(words: str, *, limit_to: Kind | None = None) -> FuzzyMatch | None:
    """Place meant by a misspelt name; see `csrag.places.spelling.fuzzy`."""
    from csrag.places.spelling import fuzzy as search

    return search(words, limit_to=limit_to)


def nearest_known(name: str) -> list[Place]:
    """Up to three places whose names are most like `name`; see `csrag.places.spelling.nearest_known`."""
    from csrag.places.spelling import nearest_known as search

    return search(name)
