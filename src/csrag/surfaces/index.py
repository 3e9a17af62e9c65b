"""Order of clusters on disk and the radius search over it.

Clusters lie in cells of about 4 km, cell rows from south to north, cells from west to east, clusters by number inside a
cell. A circle is then a handful of contiguous row runs, one a cell row. The search narrows to those runs and applies
the exact float64 haversine to what is in them; it returns what a brute-force search returns, bit for bit.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.geo import EARTH_RADIUS_KM

CELL_KM = 4.0
OFFSETS = "cell_offsets"
"""Name of the file with the first row of every cell."""
OFFSETS_DTYPE = "<i8"
_CHUNK = 32_768
"""Points whose distances are worked out at a time."""
_LONG = 64
"""Hits in a row that are copied as a block."""
_BLOCKS_FROM = 30_000
"""Hits from which on copying blocks pays."""
_HALF_RADIANS = 0.5 * (math.pi / 180.0)
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
        self._scratch = _Scratch()
        # Cosines of the latitudes where a circle has been: a question looks at the same place several times. 0 is unknown;
        # memory that no circle touched is never handed out.
        self._cosines = np.zeros(lat.size)

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
        cos_centre, square = math.cos(math.radians(lat_deg)), math.sin(min(angle, math.pi) / 2) ** 2
        lat0, lon0, dlat, dlon, cols = grid.lat0, grid.lon0, grid.dlat, grid.dlon, grid.cols
        found: list[tuple[int, int]] = []
        # Plain floats: a circle touches a few dozen rows, too few for arrays to pay.
        for row in range(first, last + 1):
            low = lat0 + row * dlat - _PAD_DEG
            high = lat0 + (row + 1) * dlat + _PAD_DEG
            apart = math.radians(max(low - lat_deg, lat_deg - high, 0.0))
            least_cos = math.cos(math.radians(min(max(abs(low), abs(high)), 90.0)))
            share = (square - math.sin(apart / 2) ** 2) / max(least_cos * cos_centre, 1e-12)
            if share < 0.0:
                continue
            half = math.degrees(2 * math.asin(math.sqrt(min(share, 1.0)))) + _PAD_DEG
            west = max(math.floor((lon_deg - half - lon0) / dlon), 0)
            east = min(math.floor((lon_deg + half - lon0) / dlon), cols - 1)
            if west <= east:
                start, stop = int(self._offsets[row * cols + west]), int(self._offsets[row * cols + east + 1])
                if start < stop:
                    found.append((start, stop))
        return found

    def search(self, lat_deg: float, lon_deg: float, radius_km: float) -> Hits:
        """Clusters at most `radius_km` away, exactly `haversine_km(...) <= radius_km`."""
        rows: list[NDArray[np.int64]] = []
        distance: list[NDArray[np.float64]] = []
        a, b, c = self._scratch.arrays
        cosine = np.cos(np.radians(lat_deg))
        for pieces in _chunks(self.runs(lat_deg, lon_deg, radius_km)):
            n = self._halves(pieces, cosine, a, b, c)
            if not c[:n].min() > 0.0:
                for start, stop in pieces:
                    self._cosines[start:stop] = np.cos(np.radians(self._lat[start:stop]))
                self._halves(pieces, cosine, a, b, c)
            km = _distance_km(lat_deg, lon_deg, a[:n], b[:n], c[:n])
            near = np.flatnonzero(km <= radius_km)
            distance.append(km.take(near))
            ends = list(accumulate(stop - start for start, stop in pieces))
            upto = [0, *np.searchsorted(near, ends).tolist()]
            shifts = [stop - end for (_, stop), end in zip(pieces, ends, strict=True)]
            near += np.repeat(shifts, [j - i for i, j in pairwise(upto)])
            rows.append(near)
        if not rows:
            return Hits(np.empty(0, dtype=np.int64), np.empty(0))
        return Hits(np.concatenate(rows), np.concatenate(distance)) if len(rows) > 1 else Hits(rows[0], distance[0])

    def _halves(
        self, pieces: list[tuple[int, int]], cosine: float, a: NDArray[np.float64], b: NDArray[np.float64],
        c: NDArray[np.float64],
    ) -> int:  # fmt: skip
        """Half the latitudes and longitudes [radians] of some runs, and their cosine of latitude times `cosine`, into three
        arrays; returns how many. A piece that no circle has met has products of 0."""
        n = 0
        for start, stop in pieces:
            end = n + stop - start
            np.multiply(self._lat[start:stop], _HALF_RADIANS, out=a[n:end])
            np.multiply(self._lon[start:stop], _HALF_RADIANS, out=b[n:end])
            np.multiply(self._cosines[start:stop], cosine, out=c[n:end])
            n = end
        return n


class _Scratch(threading.local):
    """Arrays that every search of a thread uses again: to be given fresh memory takes longer than the sines."""

    def __init__(self) -> None:
        self.arrays = tuple(np.empty((3, _CHUNK), dtype=np.float64))


def _chunks(runs: Sequence[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    """Runs packed in order into lists of at most `_CHUNK` rows; a longer run is cut."""
    pieces: list[tuple[int, int]] = []
    room = _CHUNK
    for start, stop in runs:
        for a in range(start, stop, _CHUNK):
            b = min(a + _CHUNK, stop)
            if b - a > room:
                yield pieces
                pieces, room = [], _CHUNK
            pieces.append((a, b))
            room -= b - a
    if pieces:
        yield pieces


def _distance_km(
    lat_deg: float, lon_deg: float, a: NDArray[np.float64], b: NDArray[np.float64], c: NDArray[np.float64]
) -> NDArray[np.float64]:
    """`geo.haversine_km` from one point to many, bit for bit; overwrites what `_halves` gave.

    Half an angle less half another is half their difference to the last bit: halving changes no digit.
    """
    a -= 0.5 * np.radians(lat_deg)
    b -= 0.5 * np.radians(lon_deg)
    for part in (a, b):
        np.sin(part, out=part)
        part *= part
    c *= b
    a += c
    np.minimum(a, 1.0, out=a)
    np.sqrt(a, out=a)
    np.arcsin(a, out=a)
    a *= 2.0 * EARTH_RADIUS_KM
    return a


@dataclass(frozen=True)
class Hits:
    """Result of a radius search.

    Parameters
    ----------
    rows : ndarray of int64, shape (k,)
        Storage rows of the hits; ascending as they are found.
    distance_km : ndarray of float64, shape (k,)
        Their distance [km].
    """

    rows: NDArray[np.int64]
    distance_km: NDArray[np.float64]

    @cached_property
    def _inside(self) -> list[tuple[int, int]]:
        """Stretches [start, stop) of hits whose rows follow one another, where they are long: a circle's inside."""
        breaks = np.flatnonzero(self.rows[1:] - self.rows[:-1] != 1) + 1
        edges = np.concatenate([[0], breaks, [self.rows.size]])
        long = np.flatnonzero(edges[1:] - edges[:-1] >= _LONG)
        return list(zip(edges[long].tolist(), edges[long + 1].tolist(), strict=True))

    @cached_property
    def _rim(self) -> NDArray[np.int64]:
        """Positions of the hits outside the long stretches."""
        rim = np.ones(self.rows.size, dtype=bool)
        for a, b in self._inside:
            rim[a:b] = False
        return np.flatnonzero(rim)

    def take(self, at: NDArray[np.integer[Any]]) -> Hits:
        """Some of the hits by position, in the order given."""
        return Hits(self.rows.take(at), self.distance_km.take(at))

    def read(self, column: NDArray[Any], out: NDArray[Any] | None = None) -> NDArray[Any]:
        """The hits' values of a column stored with clusters on its last axis.

        Parameters
        ----------
        column : ndarray, shape (n,) or (m, n)
            Stored values.
        out : ndarray, shape (k,) or (m, k), optional
            Where to put them.
        """
        few = self.rows.size < _BLOCKS_FROM
        if few and out is None and column.ndim == 1:
            return column.take(self.rows)
        if out is None:
            out = np.empty((*column.shape[:-1], self.rows.size), dtype=column.dtype)
        if few:
            pairs = [(column, out)] if column.ndim == 1 else zip(column, out, strict=True)
            for values, target in pairs:
                values.take(self.rows, out=target, mode="clip")
            return out
        # In a wide circle block copies of the inside take half the time of picking row by row.
        for a, b in self._inside:
            first = int(self.rows[a])
            out[..., a:b] = column[..., first : first + b - a]
        out[..., self._rim] = column[..., self.rows[self._rim]]
        return out
