"""Which clusters lie in an area: a county, a forest, a region, a circle around a place, the user's polygons, everything."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from csrag.ask.records import Location
from csrag.geo import haversine_km
from csrag.places import areas
from csrag.places.area_file import AreaOutline
from csrag.places.normal import fold
from csrag.places.records import Kind, Place
from csrag.surfaces.coverage import edge_share, inside_rings
from csrag.surfaces.store import LayerStore

Floats = NDArray[np.float64]
Inside = Callable[[Floats, Floats], NDArray[np.bool_]]
DEFAULT_CIRCLE_KM = 50.0
"""Circle around a place whose question names none [km]: about 30 miles, what a truck is driven for without a second
thought (assumed)."""
_GRID = 64
"""Points a side of the grid that measures how much of an area the layers cover."""


@dataclass(frozen=True, eq=False)
class StockArea:
    """One area and the clusters in it.

    Parameters
    ----------
    name : str
        As a text names it; of a circle, the place in its middle.
    kind : str
        county, forest, region, circle, polygon or all.
    rows : ndarray of int64, shape (k,)
        Storage rows, ascending.
    rings : tuple of ndarray
        Outline for a map, longitude and latitude [degrees]; empty for a circle and for all.
    lat, lon : float or None
        Centre of a circle [degrees].
    radius_km : float or None
        Of a circle [km].
    edge_share : float
        Share of the area outside the data area [0 to 1].
    contains : callable
        Tells which points lie in it: latitudes and longitudes [degrees].
    """

    name: str
    kind: str
    rows: NDArray[np.int64]
    rings: tuple[Floats, ...]
    lat: float | None
    lon: float | None
    radius_km: float | None
    edge_share: float
    contains: Inside


def rows_of(
    store: LayerStore, place: Location | None, radius_km: float | None, outline: AreaOutline | None
) -> StockArea:
    """The clusters of one area.

    Parameters
    ----------
    store : LayerStore
        The layer set.
    place : Location or None
        A county, forest or region is taken whole where no radius is given; of anything else a circle. None: everything.
    radius_km : float or None
        Radius around the place [km].
    outline : AreaOutline or None
        The user's polygons; with a place too, what lies in both.

    Returns
    -------
    StockArea
    """
    area = _of_place(store, place, radius_km, outline)
    if outline is None:
        return area
    if place is None or (area.kind == "circle" and radius_km is None):
        return _of_outline(store, outline)
    lat, lon = store.column("lat"), store.column("lon")
    both = area.rows[outline.contains(lat[area.rows], lon[area.rows])]

    def contains(lats: Floats, lons: Floats) -> NDArray[np.bool_]:
        return np.asarray(area.contains(lats, lons) & outline.contains(lats, lons))

    share = _uncovered(contains, outline.bounds, store.manifest.data_area)
    return StockArea(
        f"{area.name} inside {outline.name}",
        "polygon",
        both,
        outline.rings,
        None,
        None,
        area.radius_km,
        share,
        contains,
    )


def _of_place(
    store: LayerStore, place: Location | None, radius_km: float | None, outline: AreaOutline | None
) -> StockArea:
    rings: Sequence[Any] = store.manifest.data_area
    if place is None or place.lat is None or place.lon is None:
        everything = np.arange(len(store), dtype=np.int64)
        return StockArea("the whole layer set", "all", everything, (), None, None, None, 0.0, _everywhere)
    named = Place(place.name, cast("Kind", place.kind), place.county, place.lat, place.lon)
    if place.kind in {"county", "forest", "region"} and radius_km is None and areas.has_area(named):
        return _of_region(store, named)
    km = DEFAULT_CIRCLE_KM if radius_km is None else radius_km
    lat, lon = place.lat, place.lon
    rows, _ = store.within(lat, lon, km) if outline is None or radius_km is not None else (np.zeros(0, np.int64), None)

    def contains(lats: Floats, lons: Floats) -> NDArray[np.bool_]:
        return np.asarray(haversine_km(lat, lon, lats, lons) <= km)

    return StockArea(place.name, "circle", rows, (), lat, lon, km, edge_share(lat, lon, km, rings), contains)


def _everywhere(lats: Floats, _lons: Floats) -> NDArray[np.bool_]:
    return np.ones(len(lats), dtype=np.bool_)


def _of_region(store: LayerStore, named: Place) -> StockArea:
    codes = [fold(name) for name in store.manifest.codes.get("county", ())]
    if named.kind == "county" and named.county is not None and fold(named.county) in codes:
        # The layer's own county column: what an answer's table of counties is made from.
        rows = np.flatnonzero(store.column("county") == codes.index(fold(named.county)))
    else:
        rows = _in_box(store, areas.bounds(named), lambda lats, lons: areas.contains(named, lats, lons))

    def contains(lats: Floats, lons: Floats) -> NDArray[np.bool_]:
        return areas.contains(named, lats, lons)

    share = _uncovered(contains, areas.bounds(named), store.manifest.data_area)
    return StockArea(named.name, named.kind, rows, tuple(areas.area_rings(named)), None, None, None, share, contains)


def _of_outline(store: LayerStore, outline: AreaOutline) -> StockArea:
    rows = _in_box(store, outline.bounds, outline.contains)
    share = _uncovered(outline.contains, outline.bounds, store.manifest.data_area)
    return StockArea(outline.name, "polygon", rows, outline.rings, None, None, None, share, outline.contains)


def _in_box(store: LayerStore, bounds: tuple[float, float, float, float], contains: Inside) -> NDArray[np.int64]:
    """Rows of the clusters that an area contains; only those in its box are tested."""
    south, north, west, east = bounds
    lat, lon = store.column("lat"), store.column("lon")
    near = np.flatnonzero((lat >= south) & (lat <= north) & (lon >= west) & (lon <= east))
    return near[contains(lat[near], lon[near])]


def _uncovered(contains: Inside, bounds: tuple[float, float, float, float], rings: Sequence[Any]) -> float:
    """Share of an area outside the data area, from an even grid of points; 0 where the set names no area."""
    if not rings:
        return 0.0
    south, north, west, east = bounds
    at = (np.arange(_GRID) + 0.5) / _GRID
    lats, lons = (a.ravel() for a in np.meshgrid(south + at * (north - south), west + at * (east - west)))
    mine = contains(lats, lons)
    if not mine.any():
        return 0.0
    return float(1 - inside_rings(lats[mine], lons[mine], rings).mean())
