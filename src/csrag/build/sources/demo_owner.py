"""Who owns the clusters: blocks, a railway checkerboard, wilderness. Synthetic throughout."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from csrag.build.sources.demo_region import Grid
from csrag.build.sources.demo_terrain import Terrain
from csrag.build.sources.fields import Array, FieldMaker, rank01, standardise
from csrag.surfaces.catalog import LAND_USES

BLOCK_KM2 = 120.0
OWNER_SHARES = {"private": 0.36, "blm": 0.02, "state": 0.02, "tribal": 0.02, "nps": 0.03}
"""Shares of the clusters, squares of the checkerboard included; the rest is national forest."""
CHECKERBOARD_SHARE = 0.15
SQUARE_M = 1600.0
WILDERNESS_SHARE = 0.06
PARKS_APART_M = 100_000.0

_PRIVATE, _USFS = LAND_USES.index("private"), LAND_USES.index("usfs")


@dataclass(frozen=True)
class Owners:
    """Land use as index into `catalog.LAND_USES`, and designated wilderness (0 or 1); shape (n,) each."""

    land_use: NDArray[np.uint8]
    wilderness: NDArray[np.uint8]


def _blocks(grid: Grid, fields: FieldMaker, cells: NDArray[np.int64]) -> NDArray[np.int64]:
    """Block of each cluster: the nearest of random seed points, one in every square of `BLOCK_KM2`, ragged borders.

    Shape (n,); numbers have gaps. With one seed a square, the nearest lies at most two squares away.
    """
    side = np.sqrt(BLOCK_KM2) * 1000.0
    row, column = grid.rows_columns(cells)
    # Borders bend by a couple of km, so that blocks are not polygons with ruler edges.
    x = (grid.x_m[column] + 1500.0 * fields.gaussian("owner.bend-x", 3.0).ravel()[cells]) / side
    y = (grid.y_m[row] + 1500.0 * fields.gaussian("owner.bend-y", 3.0).ravel()[cells]) / side
    x0, y0 = np.floor(x.min()) - 3, np.floor(y.min()) - 3
    x, y = x - x0, y - y0
    width, height = int(x.max()) + 4, int(y.max()) + 4
    jitter = fields.rng("owner.seeds").random((2, height, width))
    own_x, own_y = x.astype(np.int64), y.astype(np.int64)
    best = np.full(cells.size, np.inf)
    block = np.zeros(cells.size, dtype=np.int64)
    for dy in range(-2, 3):
        for dx in range(-2, 3):
            i, j = own_y + dy, own_x + dx
            d2 = (j + jitter[0, i, j] - x) ** 2 + (i + jitter[1, i, j] - y) ** 2
            nearer = d2 < best
            best[nearer] = d2[nearer]
            block[nearer] = (i * width + j)[nearer]
    return block


def _mean_by(block: NDArray[np.int64], size: Array, values: Array) -> Array:
    return np.bincount(block, weights=values, minlength=size.size) / size


def _pick_until(order: NDArray[np.int64], size: Array, goal: float) -> NDArray[np.int64]:
    """First blocks of `order` whose sizes add up closest to `goal`; at least one."""
    total = np.cumsum(size[order])
    count = int(np.argmin(np.abs(total - goal))) + 1
    return order[:count]


def make_owners(grid: Grid, fields: FieldMaker, terrain: Terrain, town_km: Array, parks: int = 1) -> Owners:
    """Owners of the clusters of a terrain.

    Small owners take whole blocks by quota, private land the low blocks and those near towns until (checkerboard
    squares included) its share is met; national forest is the rest.
    """
    cells = terrain.cells
    n = cells.size
    block = np.unique(_blocks(grid, fields, cells), return_inverse=True)[1].astype(np.int64)
    size = np.bincount(block).astype(np.float64)
    row, column = grid.rows_columns(cells)
    centre_x, centre_y = _mean_by(block, size, grid.x_m[column]), _mean_by(block, size, grid.y_m[row])
    height = _mean_by(block, size, terrain.elevation_ft)
    near_town = _mean_by(block, size, np.exp(-town_km.ravel()[cells] / 8.0))
    rng = fields.rng("owner.blocks")
    chance = rng.random(size.size)

    owner = np.full(size.size, _USFS, dtype=np.uint8)
    free = np.ones(size.size, dtype=bool)
    far = np.ones(size.size, dtype=bool)
    for name in (*["nps"] * parks, "tribal", "state", "blm"):
        goal = OWNER_SHARES[name] * n / (parks if name == "nps" else 1)
        if name == "nps":
            # A park is a high block and its neighbours; the next one lies elsewhere.
            start = int(
                np.argmax(np.where(free & far & (size > 0.3 * size.max()), rank01(height) + 0.6 * chance, -1.0))
            )
            rank = np.hypot(centre_x - centre_x[start], centre_y - centre_y[start])
        else:
            # Small blocks first, or one block could hold twice the share; which of them is chance.
            rank = rng.random(size.size) + 2.0 * (size > 0.5 * goal)
        order = np.argsort(np.where(free, rank, np.inf), kind="stable")[: int(free.sum())]
        taken = _pick_until(order, size, goal)
        owner[taken] = LAND_USES.index(name)
        free[taken] = False
        if name == "nps":
            far &= np.hypot(centre_x - centre_x[start], centre_y - centre_y[start]) > PARKS_APART_M

    # Odd squares of the grants stay public, even ones are private; only where the block is national forest.
    grant = rank01(fields.gaussian("owner.grants", 12.0).ravel()[cells]) > 1.0 - CHECKERBOARD_SHARE
    even = (np.floor(grid.x_m[column] / SQUARE_M) + np.floor(grid.y_m[row] / SQUARE_M)).astype(np.int64) % 2 == 0
    square = grant & even
    squares = np.bincount(block, weights=square, minlength=size.size)
    lowland = 1.0 / (1.0 + np.exp((height - 3000.0) / 500.0))
    wish = standardise(1.2 * standardise(near_town) - 0.5 * standardise(height) + rng.standard_normal(size.size))
    order = np.argsort(np.where(free, -(wish + 3.0 * lowland), np.inf), kind="stable")[: int(free.sum())]
    held = np.cumsum(size[order]) + squares[order].sum() - np.cumsum(squares[order])
    count = int(np.argmin(np.abs(held - OWNER_SHARES["private"] * n))) + 1
    owner[order[:count]] = _PRIVATE

    land_use = owner[block]
    public = land_use == _USFS
    land_use[public & square] = _PRIVATE
    # Wilderness keeps off the grants: a checkerboard was never designated.
    wild_score = 0.7 * terrain.height.ravel()[cells] + 0.7 * fields.gaussian("owner.wilderness", 10.0).ravel()[cells]
    eligible = np.flatnonzero(public & ~grant)
    wild = eligible[np.argsort(-wild_score[eligible], kind="stable")[: round(WILDERNESS_SHARE * n)]]
    wilderness = np.zeros(n, dtype=np.uint8)
    wilderness[wild] = 1
    return Owners(land_use.astype(np.uint8), wilderness)
