"""The 500 m grid on which a demonstration's roads are drawn: what a step costs, and how long the road along it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.build.sources.demo_region import CELL_M, Grid
from csrag.build.sources.fields import Array
from csrag.geo import from_albers_m, to_albers_m

ROAD_CELL_M = 500.0
COST_PER_SLOPE_PCT = 0.08
"""A step costs its length times exp(0.08 slope): on a slope of 30 % three times what it costs on one of 16 %."""

# Every neighbour of a cell: row and column offset.
_AROUND = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))


@dataclass(frozen=True)
class Winding:
    """How much longer a road is than the step of the grid that it follows.

    Roads bend inside 500 m: gently on level ground, in switchbacks on a slope. The factor of a step is
    1 + (level + slope x share of `steep_pct`, at most 1) x exp(spread x field), field a standard Gaussian one.

    Parameters
    ----------
    level, slope : float
        Addition to 1 on level ground, and what steep ground adds to that.
    steep_pct : float
        Slope from which on it adds no more [percent].
    spread : float
        Log standard deviation from place to place.
    """

    level: float
    slope: float
    steep_pct: float = 40.0
    spread: float = 0.35

    def factor(self, slope_pct: Array, field: Array) -> Array:
        """Road over grid length of a step, at least 1."""
        return np.asarray(
            1.0 + (self.level + self.slope * np.minimum(slope_pct / self.steep_pct, 1.0)) * np.exp(self.spread * field),
            dtype=np.float64,
        )


@dataclass(frozen=True)
class RoadGrid:
    """Square cells of 500 m over a region's rectangle; those on land are numbered row by row.

    Parameters
    ----------
    x_m, y_m : ndarray of float64
        Albers coordinates of the columns' and rows' centres [m].
    land : ndarray of bool, shape (rows, columns)
        Cells that a road may cross.
    slope_pct : ndarray of float64, shape (n,)
        Slope of the land cells [percent].
    bends : ndarray of float64, shape (n,)
        Standard Gaussian field of how winding roads are here.
    """

    x_m: Array
    y_m: Array
    land: NDArray[np.bool_]
    slope_pct: Array
    bends: Array

    @classmethod
    def over(cls, grid: Grid, inside: NDArray[np.bool_], slope_pct: NDArray[np.float32], bends: Array) -> RoadGrid:
        """Grid over a region of 360 m cells.

        Parameters
        ----------
        grid : Grid
            The 360 m cells.
        inside : ndarray of bool, shape (rows, columns)
            Those that a road may cross.
        slope_pct : ndarray of float32, shape (rows, columns)
            Their slopes [percent].
        bends : ndarray of float64, shape (rows, columns)
            Field of winding.
        """
        x0, y0 = grid.x_m[0] - CELL_M / 2, grid.y_m[0] - CELL_M / 2
        rows, columns = (int(np.ceil(n * CELL_M / ROAD_CELL_M)) for n in inside.shape)
        x_m = x0 + ROAD_CELL_M * (np.arange(columns, dtype=np.float64) + 0.5)
        y_m = y0 + ROAD_CELL_M * (np.arange(rows, dtype=np.float64) + 0.5)
        row = np.clip(((y_m - y0) / CELL_M).astype(np.int64), 0, inside.shape[0] - 1)[:, None]
        column = np.clip(((x_m - x0) / CELL_M).astype(np.int64), 0, inside.shape[1] - 1)[None, :]
        land = inside[row, column]
        # A cell of forest at the edge belongs to a road cell whose own middle may lie outside.
        row_of = ((grid.y_m - y0) / ROAD_CELL_M).astype(np.int64)[:, None]
        column_of = ((grid.x_m - x0) / ROAD_CELL_M).astype(np.int64)[None, :]
        land.ravel()[(row_of * columns + column_of)[inside]] = True
        return cls(
            x_m, y_m, land, slope_pct[row, column][land].astype(np.float64), bends[row, column][land].astype(np.float64)
        )  # fmt: skip

    def __len__(self) -> int:
        return int(self.slope_pct.size)

    @cached_property
    def flat(self) -> NDArray[np.int64]:
        """Position of each land cell in the rectangle, shape (n,)."""
        return np.flatnonzero(self.land)

    @cached_property
    def number(self) -> NDArray[np.int32]:
        """Number of each cell of the rectangle; -1 off the land. Shape (rows, columns)."""
        out = np.full(self.land.shape, -1, dtype=np.int32)
        out[self.land] = np.arange(len(self), dtype=np.int32)
        return out

    def cell_of(self, lat: Array, lon: Array) -> NDArray[np.int32]:
        """Land cell that holds each point [degrees]; -1 for a point off the land."""
        x, y = to_albers_m(lat, lon)
        column = np.floor((x - self.x_m[0]) / ROAD_CELL_M + 0.5).astype(np.int64)
        row = np.floor((y - self.y_m[0]) / ROAD_CELL_M + 0.5).astype(np.int64)
        rows, columns = self.land.shape
        there = (row >= 0) & (row < rows) & (column >= 0) & (column < columns)
        out = np.full(x.shape, -1, dtype=np.int32)
        out[there] = self.number[row[there], column[there]]
        return out

    def position_m(self, cells: NDArray[Any]) -> tuple[Array, Array]:
        """Albers coordinates of land cells [m]."""
        row, column = np.divmod(self.flat[cells], self.land.shape[1])
        return self.x_m[column], self.y_m[row]

    def lat_lon(self, cells: NDArray[Any]) -> tuple[Array, Array]:
        """Centres of land cells [degrees]."""
        return from_albers_m(*self.position_m(cells))

    def step_km(self, a: NDArray[Any], b: NDArray[Any]) -> Array:
        """Straight length of steps between land cells [km]."""
        xa, ya = self.position_m(a)
        xb, yb = self.position_m(b)
        return np.asarray(np.hypot(xa - xb, ya - yb) / 1000.0, dtype=np.float64)

    def slope_between(self, a: NDArray[Any], b: NDArray[Any]) -> Array:
        """Slope along steps [percent]: the mean of both ends."""
        return np.asarray(0.5 * (self.slope_pct[a] + self.slope_pct[b]), dtype=np.float64)

    def road_km(self, a: NDArray[Any], b: NDArray[Any], winding: Winding) -> Array:
        """Length of the road along steps [km]."""
        field = 0.5 * (self.bends[a] + self.bends[b])
        return self.step_km(a, b) * winding.factor(self.slope_between(a, b), field)

    def steps(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int32], Array]]:
        """Every step once: cells, their neighbour in one of four directions, and what the step costs."""
        for row, column in _AROUND[4:]:
            there = self._neighbour(row, column)
            a = np.flatnonzero(there >= 0)
            yield a, there[a], self._cost(a, there[a], row, column)

    def _neighbour(self, row: int, column: int) -> NDArray[np.int32]:
        """Land cell at an offset from each land cell; -1 where there is none."""
        padded = np.pad(self.number, 1, constant_values=-1)
        rows, columns = self.land.shape
        return np.asarray(padded[1 + row : 1 + row + rows, 1 + column : 1 + column + columns][self.land])

    def _cost(self, a: NDArray[Any], b: NDArray[Any], row: int, column: int) -> Array:
        length_km = ROAD_CELL_M / 1000.0 * float(np.hypot(row, column))
        return np.asarray(length_km * np.exp(COST_PER_SLOPE_PCT * self.slope_between(a, b)), dtype=np.float64)

    def cost_matrix(self) -> Any:
        """Costs of all steps as a SciPy sparse matrix, each step from both of its ends.

        Notes
        -----
        Eight columns a cell are filled in ascending order of neighbour: no sorting, and one copy of 13 million steps.
        """
        from scipy.sparse import csr_array

        n = len(self)
        to = np.empty((n, len(_AROUND)), dtype=np.int32)
        cost = np.zeros((n, len(_AROUND)), dtype=np.float64)
        for k, (row, column) in enumerate(_AROUND):
            to[:, k] = self._neighbour(row, column)
            a = np.flatnonzero(to[:, k] >= 0)
            cost[a, k] = self._cost(a, to[a, k], row, column)
        known = to >= 0
        indptr = np.zeros(n + 1, dtype=np.int32)
        np.cumsum(known.sum(axis=1), out=indptr[1:])
        return csr_array((cost[known], to[known], indptr), shape=(n, n))
