"""Which records train, which calibrate the intervals, which are kept for the judgement: whole blocks of country."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from csrag.build.surrogate.sample import Sample
from csrag.geo import to_albers_m

TRAIN, CALIBRATE, TEST = 0, 1, 2
SHARES = (0.6, 0.2, 0.2)
BLOCK_KM = 20.0
_LEAST_BLOCKS, _LEAST_KM = 15, 1.0


@dataclass(frozen=True)
class Split:
    """The three parts of a sample.

    Parameters
    ----------
    role : ndarray of int8, shape (n,)
        TRAIN, CALIBRATE or TEST.
    block : ndarray of int64, shape (n,)
        Block of each record, from 0.
    block_km : float or None
        Side of a block [km]; None where the sample has no positions and groups were dealt at random.
    """

    role: NDArray[np.int8]
    block: NDArray[np.int64]
    block_km: float | None

    def count(self, role: int) -> tuple[int, int]:
        """Number of blocks and of records of a part."""
        inside = self.role == role
        return int(np.unique(self.block[inside]).size), int(inside.sum())


def split(sample: Sample, seed: int) -> Split:
    """Deal blocks of 20 km (EPSG:3310) to the three parts.

    Parameters
    ----------
    sample : Sample
        Records.
    seed : int
        Seed of the deal.

    Returns
    -------
    Split
        Blocks are made smaller, down to 1 km, where fewer than 15 would lie in the sample's area. Without positions,
        groups (clusters) are dealt instead: the error found then is that of a neighbour, and is called random.
    """
    rng = np.random.default_rng(seed)
    if sample.lat_deg is None or sample.lon_deg is None:
        block = np.unique(sample.group, return_inverse=True)[1].astype(np.int64)
        return Split(_dealt(block, rng), block, None)
    x, y = to_albers_m(sample.lat_deg, sample.lon_deg)
    side = BLOCK_KM
    block = _blocks(x, y, side)
    while block.max() + 1 < _LEAST_BLOCKS and side / 2 >= _LEAST_KM:
        side /= 2
        block = _blocks(x, y, side)
    return Split(_dealt(block, rng), block, side)


def _blocks(x_m: NDArray[np.float64], y_m: NDArray[np.float64], side_km: float) -> NDArray[np.int64]:
    cells = np.floor(np.stack([x_m, y_m], axis=1) / (1000 * side_km)).astype(np.int64)
    return np.unique(cells, axis=0, return_inverse=True)[1].ravel().astype(np.int64)


def _dealt(block: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int8]:
    """A part for every block: shuffled, then cut where the records reach the shares."""
    sizes = np.bincount(block)
    order = rng.permutation(sizes.size)
    # Middle of each block on the way through all records.
    middle = (np.cumsum(sizes[order]) - sizes[order] / 2) / sizes.sum()
    part = np.empty(sizes.size, dtype=np.int8)
    part[order] = np.searchsorted(np.cumsum(SHARES)[:-1], middle, side="right")
    return part[block]
