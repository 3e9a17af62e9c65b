"""Geography under a demonstration region: smooth relief, and subregions that differ in forest, belts and fires.

A subregion is a polygon; its parameters are blended over about ten kilometres with its neighbours', so no polygon shows
its edge. Everything here is a sketch with assumed parameters, never a survey.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from csrag.build.sources.fields import Array, normal_quantile
from csrag.geo import from_albers_m, to_albers_m
from csrag.places.counties import in_ring

if TYPE_CHECKING:
    from csrag.build.sources.demo_region import FireRegime, Grid

COARSE = 10
"""Cells along one side of a coarse cell: the sketch is worked out on these and interpolated."""
BLEND_KM = 7.0
LOCAL_RELIEF_FT = 520.0
_BELT_FT = 350.0
_PASSES = 4


@dataclass(frozen=True)
class Subregion:
    """One part of the country.

    Parameters
    ----------
    name : str
        What people call it.
    ring : tuple of (lon, lat)
        Corners [degrees]; the ring closes itself.
    fire : FireRegime
        Between the foothills and the subalpine belt.
    forest : float
        Share of the ground under forest in the middle of its belt.
    low_ft, high_ft : float
        Lower and upper edge of the forest belt [ft].
    roughness, vigour : float
        Added to the standardised roughness and to the standardised vigour.
    oak_below_ft, fir_above_ft : float
        Edges of the oak and the true fir belts [ft].
    wet : float
        Added to the standardised moisture that decides the forest type.
    foothill_ft : float
        Below this the fires are those of the foothills [ft].
    klamath : bool
        Whether its moist forest is the Klamath mixture instead of Douglas-fir.
    """

    name: str
    ring: tuple[tuple[float, float], ...]
    fire: FireRegime
    forest: float
    low_ft: float
    high_ft: float
    roughness: float
    vigour: float
    oak_below_ft: float
    fir_above_ft: float
    wet: float
    foothill_ft: float
    klamath: bool = False


@dataclass(frozen=True)
class Country:
    """Subregions and relief of a region.

    Parameters
    ----------
    subregions : tuple of Subregion
        They do not overlap much; the first that holds a point has it.
    relief_ft : tuple of (lon, lat, elevation)
        Rounded elevations of known places [degrees, degrees, ft].
    foothill_fire, subalpine_fire : FireRegime
        Fires below and above each subregion's main belt.
    density : float
        Clusters over cells of the whole land: how many of the most likely cells carry forest.
    """

    subregions: tuple[Subregion, ...]
    relief_ft: tuple[tuple[float, float, float], ...]
    foothill_fire: FireRegime
    subalpine_fire: FireRegime
    density: float

    def over(self, grid: Grid) -> Sketch:
        """The country on a grid."""
        return Sketch(self, grid)


def logistic(x: Array) -> Array:
    """1 / (1 + exp(-x)), safe far out."""
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * x)), dtype=np.float64)


@dataclass
class Sketch:
    """A country on a grid: values at coarse points, read at any cells.

    Parameters
    ----------
    country : Country
        What is drawn.
    grid : Grid
        Where.
    """

    country: Country
    grid: Grid

    @cached_property
    def _coarse(self) -> tuple[Array, Array]:
        """Albers coordinates of the coarse points' columns and rows [m]; they reach past every edge."""
        rows, columns = self.grid.shape
        side = self.grid.x_m[1] - self.grid.x_m[0] if columns > 1 else 360.0
        x_m = self.grid.x_m[0] + side * COARSE * np.arange(-1, columns // COARSE + 3, dtype=np.float64)
        y_m = self.grid.y_m[0] + side * COARSE * np.arange(-1, rows // COARSE + 3, dtype=np.float64)
        return x_m, y_m

    @cached_property
    def _weights(self) -> Array:
        """Weight of every subregion at the coarse points, shape (subregions, rows, columns); what is left belongs to
        none: valleys, deserts, the sea."""
        x_m, y_m = self._coarse
        step_km = (x_m[1] - x_m[0]) / 1000.0
        # A margin lets the blur see what lies beyond the grid: a crop must not differ from the whole at its edge.
        margin = int(np.ceil(4.0 * BLEND_KM / step_km))
        wide_x = x_m[0] + 1000.0 * step_km * np.arange(-margin, x_m.size + margin)
        wide_y = y_m[0] + 1000.0 * step_km * np.arange(-margin, y_m.size + margin)
        lat, lon = from_albers_m(wide_x[None, :], wide_y[:, None])
        taken = np.zeros(lat.shape, dtype=bool)
        out = np.empty((len(self.country.subregions), y_m.size, x_m.size))
        offsets = np.arange(-margin, margin + 1) * step_km
        kernel = np.exp(-0.5 * (offsets / BLEND_KM) ** 2)
        kernel /= kernel.sum()
        for i, part in enumerate(self.country.subregions):
            ring = np.asarray((*part.ring, part.ring[0]), dtype=np.float64)
            here = in_ring(ring, lat.ravel(), lon.ravel()).reshape(lat.shape) & ~taken
            taken |= here
            along = np.lib.stride_tricks.sliding_window_view(here.astype(np.float64), kernel.size, axis=1) @ kernel
            out[i] = np.lib.stride_tricks.sliding_window_view(along, kernel.size, axis=0) @ kernel
        return out

    @cached_property
    def _base_ft(self) -> Array:
        """Relief at the coarse points by a smoothed linear radial basis through the known places [ft]."""
        points = np.asarray(self.country.relief_ft, dtype=np.float64)
        px, py = to_albers_m(points[:, 1], points[:, 0])
        place = np.column_stack([px, py]) / 1e5
        n = place.shape[0]
        apart = np.hypot(place[:, None, 0] - place[None, :, 0], place[:, None, 1] - place[None, :, 1])
        # r as basis with a constant: the surface goes through every place and is straight between two of them.
        system = np.zeros((n + 1, n + 1))
        system[:n, :n] = -apart + 0.01 * np.eye(n)
        system[:n, n] = system[n, :n] = 1.0
        solution = np.linalg.solve(system, np.append(points[:, 2], 0.0))
        x_m, y_m = self._coarse
        out = np.full((y_m.size, x_m.size), solution[n])
        for (x, y), w in zip(place, solution[:n], strict=True):
            out -= w * np.hypot(x_m[None, :] / 1e5 - x, y_m[:, None] / 1e5 - y)
        return out

    def _read(self, coarse: Array, cells: NDArray[np.int64]) -> Array:
        """Bilinear interpolation at flat cell indices, shape (n,)."""
        row, column = self.grid.rows_columns(cells)
        r, c = row / COARSE + 1.0, column / COARSE + 1.0
        i, j = r.astype(np.int64), c.astype(np.int64)
        dr, dc = r - i, c - j
        return np.asarray(
            (coarse[i, j] * (1 - dc) + coarse[i, j + 1] * dc) * (1 - dr)
            + (coarse[i + 1, j] * (1 - dc) + coarse[i + 1, j + 1] * dc) * dr,
            dtype=np.float64,
        )

    def base_ft(self, cells: NDArray[np.int64]) -> Array:
        """Smooth relief at flat cell indices [ft], shape (n,)."""
        return self._read(self._base_ft, cells)

    def elevation_ft(self, cells: NDArray[np.int64], relief: Array) -> Array:
        """Smooth relief plus standardised random relief at flat cell indices [ft], shape (n,); valleys stay flat."""
        return np.clip(self.base_ft(cells) + LOCAL_RELIEF_FT * self.hilliness(cells) * relief, -280.0, 14_000.0)

    def hilliness(self, cells: NDArray[np.int64]) -> Array:
        """Share of the random relief at flat cell indices: 1 inside the subregions, a tenth in valleys and deserts."""
        return 0.1 + 0.9 * self._read(self._weights.sum(axis=0), cells)

    def mean_of(self, name: str, cells: NDArray[np.int64]) -> Array:
        """A numeric parameter of the subregions, blended, at flat cell indices, shape (n,).

        Outside all of them it fades to that of the nearest, so that a belt does not bend at the edge of the country.
        """
        values = np.array([float(getattr(part, name)) for part in self.country.subregions])
        weights = self._weights + 1e-9
        return self._read(np.tensordot(values, weights, axes=1) / weights.sum(axis=0), cells)

    def forest_chance(self, cells: NDArray[np.int64], elevation_ft: Array) -> Array:
        """How likely a cell carries forest: its subregion's share inside the belt of elevation, shape (n,)."""
        shares = np.array([part.forest for part in self.country.subregions])
        share = self._read(np.tensordot(shares, self._weights, axes=1), cells)
        above = logistic((elevation_ft - self.mean_of("low_ft", cells)) / _BELT_FT)
        below = logistic((self.mean_of("high_ft", cells) - elevation_ft) / _BELT_FT)
        return np.asarray(share * above * below, dtype=np.float64)

    def forest_prior(self, cells: NDArray[np.int64], elevation_ft: Array) -> Array:
        """Normal quantile of `forest_chance`: what is added to a standardised random score, shape (n,)."""
        return normal_quantile(np.clip(self.forest_chance(cells, elevation_ft), 1e-6, 1 - 1e-6))

    def centred(self, luck: Array, cells: NDArray[np.int64], counted: NDArray[np.bool_]) -> Array:
        """Luck less its mean over each subregion: where a field is broad, its luck would lift or sink a whole subregion.

        Parameters
        ----------
        luck : ndarray of float64, shape (n,)
            Standardised random score at the cells.
        cells : ndarray of int64, shape (n,)
            Flat cell indices.
        counted : ndarray of bool, shape (n,)
            Cells that the means are taken over.

        Returns
        -------
        ndarray of float64, shape (n,)
            The means are blended as the subregions are; outside all of them nothing is taken off.
        """
        row, column = self.grid.rows_columns(cells[counted])
        shape = self._weights.shape[1:]
        nearest = ((row + COARSE // 2) // COARSE + 1) * shape[1] + (column + COARSE // 2) // COARSE + 1
        size = shape[0] * shape[1]
        count = np.bincount(nearest, minlength=size).astype(np.float64)
        total = np.asarray(np.bincount(nearest, weights=luck[counted], minlength=size), dtype=np.float64)
        weights = self._weights.reshape(len(self.country.subregions), size)
        means = (weights @ total) / np.maximum(weights @ count, 1e-9)
        # The weighted mean of an overlap belongs to both, so what is left after one pass is taken off in a few more.
        off = np.zeros(shape)
        for _ in range(_PASSES):
            blend = np.tensordot(means, self._weights, axes=1)
            off += blend
            total = total - count * blend.ravel()
            means = (weights @ total) / np.maximum(weights @ count, 1e-9)
        return luck - self._read(off, cells)

    def fire_weights(self, cells: NDArray[np.int64], elevation_ft: Array) -> tuple[tuple[FireRegime, ...], Array]:
        """Regimes, and their weights at flat cell indices, shape (regimes, n); each column adds up to 1."""
        country = self.country
        regimes = tuple(dict.fromkeys((*(p.fire for p in country.subregions), country.foothill_fire,
                                       country.subalpine_fire)))  # fmt: skip
        out = np.zeros((len(regimes), cells.size))
        low = logistic((self.mean_of("foothill_ft", cells) - elevation_ft) / 200.0)
        high = logistic((elevation_ft - self.mean_of("fir_above_ft", cells) - 1000.0) / 200.0)
        weights = self._weights + 1e-9
        weights = weights / weights.sum(axis=0)
        for part, weight in zip(country.subregions, weights, strict=True):
            out[regimes.index(part.fire)] += self._read(weight, cells) * (1 - low) * (1 - high)
        out[regimes.index(country.foothill_fire)] += low * (1 - high)
        out[regimes.index(country.subalpine_fire)] += high
        return regimes, out

    def subregion(self, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        """Heaviest subregion of each flat cell index, shape (n,)."""
        best, at = np.full(cells.size, -1.0), np.zeros(cells.size, dtype=np.int64)
        for i, weight in enumerate(self._weights):
            here = self._read(weight, cells)
            at[here > best] = i
            best = np.maximum(best, here)
        return at
