"""Which cells of a grid lie in California: scan lines through the outline, exact tests along it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from csrag.geo import to_albers_m
from csrag.places.counties import OUTSIDE, county_of, outline

if TYPE_CHECKING:
    from csrag.build.sources.demo_region import Grid

_STEP_DEG = 0.02


def _crossings(grid: Grid) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Rows of cell centres that the outline crosses, and the eastings where it does [m]."""
    rows, eastings = [], []
    for ring in outline():
        lon, lat = ring[:, 0], ring[:, 1]
        # A straight line in degrees is an arc in Albers: long edges are cut up.
        steps = np.maximum(np.ceil(np.hypot(np.diff(lon), np.diff(lat)) / _STEP_DEG).astype(np.int64), 1)
        edge = np.repeat(np.arange(steps.size), steps)
        part = np.arange(edge.size) - np.repeat(np.cumsum(steps) - steps, steps)
        share = part / steps[edge]
        x_m, y_m = to_albers_m(
            np.append(lat[:-1][edge] + share * np.diff(lat)[edge], lat[-1]),
            np.append(lon[:-1][edge] + share * np.diff(lon)[edge], lon[-1]),
        )
        low, high = np.minimum(y_m[:-1], y_m[1:]), np.maximum(y_m[:-1], y_m[1:])
        first, last = np.searchsorted(grid.y_m, low), np.searchsorted(grid.y_m, high)
        for k in np.flatnonzero(last > first):
            row = np.arange(first[k], last[k])
            rows.append(row)
            eastings.append(x_m[k] + (grid.y_m[row] - y_m[k]) * (x_m[k + 1] - x_m[k]) / (y_m[k + 1] - y_m[k]))
    if not rows:
        return np.empty(0, dtype=np.int64), np.empty(0)
    return np.concatenate(rows), np.concatenate(eastings)


def in_state(grid: Grid) -> NDArray[np.bool_]:
    """Cells whose centre lies in a county, shape (rows, columns).

    Between the crossings of its row a cell is in or out; the cells along the outline are tested against the county
    polygons, so that the result is theirs.
    """
    row, easting = _crossings(grid)
    # Each crossing turns inside and outside for everything east of it.
    column = np.searchsorted(grid.x_m, easting)
    flips = np.zeros((grid.shape[0], grid.shape[1] + 1), dtype=np.int32)
    np.add.at(flips, (row, column), 1)
    inside = (np.cumsum(flips[:, :-1], axis=1) % 2).astype(bool)
    wide = np.pad(inside, 1, mode="edge")
    near = [
        wide[1 + i : 1 + i + inside.shape[0], 1 + j : 1 + j + inside.shape[1]] for i in (-1, 0, 1) for j in (-1, 0, 1)
    ]
    border = np.flatnonzero((np.logical_or.reduce(near) & ~np.logical_and.reduce(near)).ravel())
    flat = inside.ravel()
    flat[border] = county_of(*grid.lat_lon(border)) != OUTSIDE
    return flat.reshape(inside.shape)
