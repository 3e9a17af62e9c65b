"""Which records train, which calibrate the intervals, which are kept for the judgement: whole blocks of country."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from csrag.geo import to_albers_m

TRAIN, CALIBRATE, TEST = 0, 1, 2
SHARES = (0.6, 0.2, 0.2)
BLOCK_KM = 20.0
_LEAST_BLOCKS, _LEAST_KM = 15, 1.0


def blocks_of(lat_deg: ArrayLike, lon_deg: ArrayLike) -> tuple[NDArray[np.int64], float]:
    """Square blocks of country (EPSG:3310).

    Parameters
    ----------
    lat_deg, lon_deg : array_like, shape (n,)
        Positions [degrees].

    Returns
    -------
    block : ndarray of int64, shape (n,)
        Block of each position, numbered from 0.
    block_km : float
        Side [km]: 20, made smaller, down to 1, where fewer than 15 blocks would hold all positions.
    """
    x_m, y_m = to_albers_m(lat_deg, lon_deg)
    side = BLOCK_KM
    while True:
        cells = np.floor(np.stack([x_m, y_m], axis=1) / (1000 * side)).astype(np.int64)
        block = np.unique(cells, axis=0, return_inverse=True)[1].ravel().astype(np.int64)
        if block.size == 0 or block.max() + 1 >= _LEAST_BLOCKS or side / 2 < _LEAST_KM:
            return block, side
        side /= 2


def roles(block: NDArray[np.int64], seed: int) -> NDArray[np.int8]:
    """Deal blocks to the three parts.

    Parameters
    ----------
    block : ndarray of int64, shape (n,)
        Block of each record, from 0.
    seed : int
        Seed of the deal.

    Returns
    -------
    ndarray of int8, shape (n,)
        TRAIN, CALIBRATE or TEST; a block is in one part only.
    """
    sizes = np.bincount(block)
    order = np.random.default_rng(seed).permutation(sizes.size)
    # Middle of each block on the way through all records.
    middle = (np.cumsum(sizes[order]) - sizes[order] / 2) / sizes.sum()
    part = np.empty(sizes.size, dtype=np.int8)
    part[order] = np.searchsorted(np.cumsum(SHARES)[:-1], middle, side="right")
    return part[block]


def parts_of(role: NDArray[np.int8], block: NDArray[np.int64], varied: NDArray[np.bool_]) -> dict[int, tuple[int, int]]:
    """Number of blocks and of records by part; varied records train only."""
    found = {}
    for part in (TRAIN, CALIBRATE, TEST):
        inside = (role == part) if part == TRAIN else (role == part) & ~varied
        found[part] = (int(np.unique(block[inside]).size), int(inside.sum()))
    return found
