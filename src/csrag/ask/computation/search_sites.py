"""Where a plant might stand: a grid over the forest, or a list of points, and what the ground and its surroundings are like."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.geo import EARTH_RADIUS_KM, from_albers_m, haversine_km, to_albers_m
from csrag.surfaces.store import LayerStore

Floats = NDArray[np.float64]

GRID_M = 2000.0
"""Spacing of the grid of sites, in California Albers like the clusters' own grid, from that projection's origin [m]."""
GROUND_KM = 2.0
"""A listed point takes slope and protection from the nearest cluster, if one lies this near [km]."""
_DIGITS = 5
_FEW_PAIRS = 2_000_000
_COLUMNS = 100_000


@dataclass(frozen=True)
class Candidates:
    """Points where a plant might stand; arrays of shape (n,).

    Parameters
    ----------
    kind : str
        grid, towns, plants, substations, or the name of the user's table.
    lat, lon : ndarray of float64
        [degrees]
    ground_row : ndarray of int64
        Layer row of the nearest cluster; -1 where none is near.
    names : tuple of str
        One a site; empty for a grid.
    """

    kind: str
    lat: Floats
    lon: Floats
    ground_row: NDArray[np.int64]
    names: tuple[str, ...] = ()

    def __len__(self) -> int:
        """Number of sites."""
        return len(self.lat)

    def take(self, at: NDArray[np.int64]) -> Candidates:
        """Some of them, in the order given.

        Parameters
        ----------
        at : ndarray of int64
            Positions.
        """
        names = tuple(self.names[i] for i in at.tolist()) if self.names else ()
        return Candidates(self.kind, self.lat[at], self.lon[at], self.ground_row[at], names)


def grid_sites(lat: Floats, lon: Floats) -> Candidates:
    """Points of a 2 km grid whose own square holds a cluster, from south to north and west to east.

    Parameters
    ----------
    lat, lon : ndarray of float64, shape (clusters,)
        Centres of the layer set's clusters [degrees].

    Notes
    -----
    The grid hangs on the projection, not on the clusters or the question: a place has the same point in every search.
    """
    if not len(lat):
        nothing = np.zeros(0)
        return Candidates("grid", nothing, nothing, np.zeros(0, dtype=np.int64))
    x, y = to_albers_m(lat, lon)
    column, row = np.rint(x / GRID_M), np.rint(y / GRID_M)
    off = (x - column * GRID_M) ** 2 + (y - row * GRID_M) ** 2
    key = row.astype(np.int64) * _COLUMNS + column.astype(np.int64)
    order = np.argsort(key, kind="stable")
    key, off = key[order], off[order]
    start = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]]))
    counts = np.diff(np.append(start, len(key)))
    nearest = np.flatnonzero(off == np.repeat(np.minimum.reduceat(off, start), counts))
    first = nearest[np.searchsorted(nearest, start)]
    at = order[first]
    lats, lons = from_albers_m(column[at] * GRID_M, row[at] * GRID_M)
    return Candidates("grid", np.round(lats, _DIGITS), np.round(lons, _DIGITS), at.astype(np.int64))


def listed_sites(store: LayerStore, kind: str, names: tuple[str, ...], lat: Floats, lon: Floats) -> Candidates:
    """Given points, with the cluster whose ground each stands on.

    Parameters
    ----------
    store : LayerStore
        Clusters.
    kind : str
        towns, plants, substations, or the name of the user's table.
    names : tuple of str
        One a point.
    lat, lon : ndarray of float64, shape (n,)
        [degrees]
    """
    ground = np.full(len(lat), -1, dtype=np.int64)
    for i, (y, x) in enumerate(zip(lat.tolist(), lon.tolist(), strict=True)):
        rows, away = store.within(y, x, GROUND_KM)
        if len(rows):
            ground[i] = rows[int(np.argmin(away))]
    return Candidates(kind, lat, lon, ground, names)


@dataclass(frozen=True)
class Ground:
    """What a site stands on; arrays of shape (n,).

    Parameters
    ----------
    slope_pct : ndarray of float64
        Of the nearest cluster; NaN where none is near [percent].
    protected : ndarray of bool
        The nearest cluster is wilderness or national park.
    """

    slope_pct: Floats
    protected: NDArray[np.bool_]


def ground_of(store: LayerStore, sites: Candidates) -> Ground:
    """Slope and protection of each site's own ground.

    Parameters
    ----------
    store : LayerStore
        Clusters.
    sites : Candidates
        Each with the row of its nearest cluster, or -1.
    """
    known = sites.ground_row >= 0
    rows = sites.ground_row[known]
    slope, protected = np.full(len(sites), np.nan), np.zeros(len(sites), dtype=bool)
    slope[known] = store.column("slope_pct")[rows]
    names = list(store.manifest.codes["land_use"])
    inside = store.column("wilderness")[rows].astype(bool)
    if "nps" in names:
        inside = inside | (store.column("land_use")[rows] == names.index("nps"))
    protected[known] = inside
    return Ground(slope, protected)


def nearest_km(lat: Floats, lon: Floats, to_lat: Any, to_lon: Any) -> Floats:
    """Straight line from each site to the nearest of some points.

    Parameters
    ----------
    lat, lon : ndarray of float64, shape (n,)
        Sites [degrees].
    to_lat, to_lon : array_like, shape (m,)
        Points [degrees].

    Returns
    -------
    ndarray of float64, shape (n,)
        [km]; NaN where there are no points.
    """
    points = np.asarray(to_lat, dtype=np.float64), np.asarray(to_lon, dtype=np.float64)
    if not len(points[0]):
        return np.full(len(lat), np.nan)
    if len(lat) * len(points[0]) <= _FEW_PAIRS:
        pairs = zip(lat.tolist(), lon.tolist(), strict=True)
        return np.array([float(haversine_km(y, x, *points).min()) for y, x in pairs])
    from scipy.spatial import cKDTree

    chord, _ = cKDTree(_unit(*points)).query(_unit(lat, lon))
    return np.asarray(2.0 * EARTH_RADIUS_KM * np.arcsin(np.minimum(chord / 2.0, 1.0)))


def _unit(lat: Floats, lon: Floats) -> Floats:
    phi, theta = np.radians(lat), np.radians(lon)
    return np.column_stack([np.cos(phi) * np.cos(theta), np.cos(phi) * np.sin(theta), np.sin(phi)])
