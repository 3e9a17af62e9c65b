"""Irregular patches on the grid: burn scars, and holes in the burn probability."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from csrag.build.sources.demo_region import CELL_M, Grid
from csrag.build.sources.fields import Array, FieldMaker

_CELL_KM2 = (CELL_M / 1000.0) ** 2


def _stamp(
    grid: Grid, wobble: Array, cell: int, area_km2: float, aspect: float, angle: float
) -> tuple[tuple[slice, slice], NDArray[np.bool_]]:
    """Window and mask of one patch: an ellipse around `cell` whose rim is pushed in and out by `wobble`."""
    row, column = divmod(cell, grid.shape[1])
    radius = np.sqrt(area_km2 / np.pi / _CELL_KM2)
    reach = int(np.ceil(2.5 * radius)) + 2
    rows = slice(max(row - reach, 0), min(row + reach + 1, grid.shape[0]))
    columns = slice(max(column - reach, 0), min(column + reach + 1, grid.shape[1]))
    dy = (np.arange(rows.start, rows.stop) - row)[:, None]
    dx = (np.arange(columns.start, columns.stop) - column)[None, :]
    along, across = dx * np.cos(angle) + dy * np.sin(angle), dy * np.cos(angle) - dx * np.sin(angle)
    stretch = np.sqrt(aspect)
    distance = np.hypot(along / stretch, across * stretch) * wobble[rows, columns]
    # A patch cut by the edge of the grid keeps its size in proportion.
    visible = distance.size / (2 * reach + 1) ** 2
    count = max(1, min(distance.size - 1, round(area_km2 / _CELL_KM2 * visible)))
    return (rows, columns), distance <= np.partition(distance.ravel(), count - 1)[count - 1]


def scatter_patches(
    grid: Grid, fields: FieldMaker, name: str, forest: NDArray[np.bool_], share: float, low_km2: float, high_km2: float
) -> NDArray[np.bool_]:
    """Separate patches, sizes log-uniform, until they hold a share of the forest.

    Parameters
    ----------
    grid : Grid
        The grid.
    fields : FieldMaker
        Source of randomness.
    name : str
        Name of the field; the seed follows from it.
    forest : ndarray of bool, shape (rows, columns)
        Where patches may be centred and what the share refers to.
    share : float
        Wanted share of the forest; met within 0.003.
    low_km2, high_km2 : float
        Range of sizes [km2], forested or not.

    Returns
    -------
    ndarray of bool, shape (rows, columns)
    """
    rng = fields.rng(f"{name}.centres")
    wobble = np.exp(0.35 * fields.gaussian(f"{name}.rim", 2.0))
    candidates = np.flatnonzero(forest)
    goal, slack = share * candidates.size, 0.003 * candidates.size
    taken = np.zeros(grid.shape, dtype=bool)
    centres = np.empty((0, 3))
    covered = 0
    # Tries are bounded: where the forest is too small for another patch, the share is simply left a little short.
    for _ in range(200 + 40 * candidates.size // 1000):
        cell = int(candidates[rng.integers(candidates.size)])
        area = float(np.exp(rng.uniform(np.log(low_km2), np.log(high_km2))))
        aspect, angle = rng.uniform(1.0, 2.2), rng.uniform(0.0, np.pi)
        row, column = divmod(cell, grid.shape[1])
        radius = np.sqrt(area / np.pi / _CELL_KM2)
        gap = np.hypot(centres[:, 0] - row, centres[:, 1] - column) - 1.9 * (centres[:, 2] + radius) - 3.0
        if gap.size and gap.min() < 0:
            continue
        window, mask = _stamp(grid, wobble, cell, area, aspect, angle)
        gain = int(np.count_nonzero(mask & forest[window] & ~taken[window]))
        if covered + gain > goal + slack:
            continue
        taken[window] |= mask
        covered += gain
        centres = np.vstack([centres, [row, column, radius]])
        if covered >= goal - slack:
            break
    return taken


def holes(
    grid: Grid, fields: FieldMaker, name: str, forest: NDArray[np.bool_], share: float, count: int
) -> NDArray[np.bool_]:
    """`count` compact patches that together hold exactly `share` of the forest cells, shape (rows, columns)."""
    rng = fields.rng(f"{name}.centres")
    wobble = np.exp(0.35 * fields.gaussian(f"{name}.rim", 2.0))
    candidates = np.flatnonzero(forest)
    rows, columns = grid.rows_columns(candidates)
    out = np.zeros(forest.size, dtype=bool)
    free = np.ones(candidates.size, dtype=bool)
    each = round(share * candidates.size / count)
    for _ in range(count):
        here = int(rng.integers(candidates.size))
        distance = np.hypot(rows - rows[here], columns - columns[here]) * wobble.ravel()[candidates]
        distance[~free] = np.inf
        nearest = np.argsort(distance, kind="stable")[:each]
        out[candidates[nearest]] = True
        free[nearest] = False
    return out.reshape(forest.shape)
