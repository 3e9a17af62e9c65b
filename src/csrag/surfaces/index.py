"""Order of clusters on disk and the radius search over it.

Clusters lie in cells of about 4 km, cell rows from south to north, cells from west to east, clusters by number inside a
cell. A circle is then a handful of contiguous row runs, one a cell row. The search narrows to those runs and applies
the exact float64 haversine to what is in them; it returns what a brute-force search returns, bit for bit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.geo import EARTH_RADIUS_KM

CELL_KM = 4.0
OFFSETS = "cell_offsets"
"""Name of the file with the first row of every cell."""
OFFSETS_DTYPE = "<i8"
_PAD_DEG = 1e-9
_PAD_KM = 1e-6


@dataclass(frozen=True)
class CellGrid:
    """A lat/lon grid whose cells are about 4 km wide.

    Parameters
    ----------
    lat0, lon0 : float
        South-west corner [degrees].
    dlat, dlon : float
        Cell size [degrees].
    rows, cols : int
        Number of cells northwards and eastwards.
    """

    lat0: float
    lon0: float
    dlat: float
    dlon: float
    rows: int
    cols: int

    @classmethod
    def around(cls, lat: NDArray[np.float64], lon: NDArray[np.float64], cell_km: float = CELL_KM) -> CellGrid:
        """Grid that covers all points; depends on their extent only, not on their order.

        Parameters
        ----------
        lat, lon : ndarray of float64, shape (n,)
            Cluster centres [degrees]; n may be 0.
        cell_km : float
            Cell size [km].
        """
        if lat.size == 0:
            return cls(0.0, 0.0, 1.0, 1.0, 1, 1)
        lat0, lat1, lon0, lon1 = float(lat.min()), float(lat.max()), float(lon.min()), float(lon.max())
        dlat = math.degrees(cell_km / EARTH_RADIUS_KM)
        dlon = dlat / max(math.cos(math.radians((lat0 + lat1) / 2)), 1e-6)
        return cls(lat0, lon0, dlat, dlon, math.floor((lat1 - lat0) / dlat) + 1, math.floor((lon1 - lon0) / dlon) + 1)

    def to_json(self) -> dict[str, Any]:
        """Plain mapping."""
        return asdict(self)

    def cell_of(self, lat: NDArray[np.float64], lon: NDArray[np.float64]) -> NDArray[np.int64]:
        """Cell number of each point, row-major from the south-west; points outside take the nearest cell."""
        row = np.clip(np.floor((lat - self.lat0) / self.dlat).astype(np.int64), 0, self.rows - 1)
        col = np.clip(np.floor((lon - self.lon0) / self.dlon).astype(np.int64), 0, self.cols - 1)
        return np.asarray(row * self.cols + col, dtype=np.int64)

    def order(
        self, lat: NDArray[np.float64], lon: NDArray[np.float64], cluster_no: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Storage order and cell offsets.

        Returns
        -------
        order : ndarray of int64, shape (n,)
            Positions of the points in storage order: by cell, then by cluster number.
        offsets : ndarray of int64, shape (rows * cols + 1,)
            First storage row of each cell.
        """
        cell = self.cell_of(lat, lon)
        order = np.lexsort((cluster_no, cell)).astype(np.int64)
        counts = np.bincount(cell, minlength=self.rows * self.cols)
        offsets = np.zeros(self.rows * self.cols + 1, dtype=np.int64)
        np.cumsum(counts, out=offsets[1:])
        return order, offsets


class RadiusIndex:
    """Radius search over clusters in cell order.

    Parameters
    ----------
    grid : CellGrid
        The grid they were ordered by.
    offsets : ndarray of int, shape (rows * cols + 1,)
        First storage row of each cell.
    lat, lon : ndarray of float64, shape (n,)
        Centres in storage order [degrees].
    """

    def __init__(
        self, grid: CellGrid, offsets: NDArray[Any], lat: NDArray[np.float64], lon: NDArray[np.float64]
    ) -> None:
        self.grid = grid
        self._offsets = np.asarray(offsets, dtype=np.int64)
        self._lat, self._lon = lat, lon

    def runs(self, lat_deg: float, lon_deg: float, radius_km: float) -> list[tuple[int, int]]:
        """Row runs [start, stop) that surely hold every cluster of the circle, ascending and disjoint.

        Notes
        -----
        For a cell row, the half width in longitude follows from the haversine with the row's nearest latitude to the
        centre and its smallest cosine: an upper bound over the row.
        """
        grid = self.grid
        angle = (radius_km + _PAD_KM) * (1 + 1e-9) / EARTH_RADIUS_KM
        reach = math.degrees(angle) + _PAD_DEG
        first = max(math.floor((lat_deg - reach - grid.lat0) / grid.dlat), 0)
        last = min(math.floor((lat_deg + reach - grid.lat0) / grid.dlat), grid.rows - 1)
        if first > last:
            return []
        rows = np.arange(first, last + 1)
        low = grid.lat0 + rows * grid.dlat - _PAD_DEG
        high = grid.lat0 + (rows + 1) * grid.dlat + _PAD_DEG
        apart = np.radians(np.maximum(np.maximum(low - lat_deg, lat_deg - high), 0.0))
        least_cos = np.cos(np.radians(np.minimum(np.maximum(np.abs(low), np.abs(high)), 90.0)))
        cosines = np.maximum(least_cos * math.cos(math.radians(lat_deg)), 1e-12)
        share = (math.sin(min(angle, math.pi) / 2) ** 2 - np.sin(apart / 2) ** 2) / cosines
        half = np.degrees(2 * np.arcsin(np.sqrt(np.clip(share, 0.0, 1.0)))) + _PAD_DEG
        west = np.floor((lon_deg - half - grid.lon0) / grid.dlon)
        east = np.floor((lon_deg + half - grid.lon0) / grid.dlon)
        inside = (share >= 0.0) & (east >= 0) & (west <= grid.cols - 1)
        base = rows * grid.cols
        starts = self._offsets[base + np.clip(west, 0, grid.cols - 1).astype(np.int64)]
        stops = self._offsets[base + np.clip(east, 0, grid.cols - 1).astype(np.int64) + 1]
        pairs = zip(starts.tolist(), stops.tolist(), inside.tolist(), strict=True)
        return [(a, b) for a, b, keep in pairs if keep and b > a]

    def search(self, lat_deg: float, lon_deg: float, radius_km: float) -> Hits:
        """Clusters at most `radius_km` away, exactly `haversine_km(...) <= radius_km`."""
        runs = self.runs(lat_deg, lon_deg, radius_km)
        distance = _distance_km(lat_deg, lon_deg, gather(self._lat, runs), gather(self._lon, runs))
        picks = np.flatnonzero(distance <= radius_km)
        return Hits(tuple(runs), picks, distance.take(picks))


def _distance_km(
    lat_deg: float, lon_deg: float, lats_deg: NDArray[np.float64], lons_deg: NDArray[np.float64]
) -> NDArray[np.float64]:
    """`geo.haversine_km` from one point to many, bit for bit, in three arrays: fresh memory costs more than the sines."""
    a, b = np.radians(lats_deg), np.radians(lons_deg)
    cosine = np.cos(a)
    a -= np.radians(lat_deg)
    b -= np.radians(lon_deg)
    for part in (a, b):
        part *= 0.5
        np.sin(part, out=part)
        part *= part
    cosine *= np.cos(np.radians(lat_deg))
    cosine *= b
    a += cosine
    np.minimum(a, 1.0, out=a)
    np.sqrt(a, out=a)
    np.arcsin(a, out=a)
    a *= 2.0 * EARTH_RADIUS_KM
    return a


@dataclass(frozen=True)
class Hits:
    """Result of a radius search: which rows of which runs.

    Parameters
    ----------
    runs : tuple of (int, int)
        Row runs that were read.
    picks : ndarray of int64, shape (k,)
        Positions of the hits in the concatenated runs.
    distance_km : ndarray of float64, shape (k,)
        Their distance [km].
    """

    runs: tuple[tuple[int, int], ...]
    picks: NDArray[np.int64]
    distance_km: NDArray[np.float64]

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """Storage rows of the hits, ascending."""
        if not self.runs:
            return np.empty(0, dtype=np.int64)
        return np.concatenate([np.arange(a, b, dtype=np.int64) for a, b in self.runs]).take(self.picks)

    def read(self, column: NDArray[Any]) -> NDArray[Any]:
        """The hits' values of a column stored with clusters on its last axis."""
        # Ascending rows straight from the mapping: half the time of copying the runs first and picking from the copy.
        if column.ndim == 1:
            return column.take(self.rows)
        out = np.empty((column.shape[0], self.picks.size), dtype=column.dtype)
        for values, target in zip(column, out, strict=True):
            values.take(self.rows, out=target, mode="clip")
        return out


def gather(column: NDArray[Any], runs: Sequence[tuple[int, int]]) -> NDArray[Any]:
    """Row runs of a column (clusters on the last axis), one after the other: block copies, no fancy indexing."""
    if not runs:
        return column[..., :0]
    if len(runs) == 1:
        return column[..., runs[0][0] : runs[0][1]]
    return np.concatenate([column[..., a:b] for a, b in runs], axis=-1)
