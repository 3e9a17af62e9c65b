"""Annual burn probability and a hazard class made from it. Synthetic throughout."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from csrag.build.sources.demo_patches import holes
from csrag.build.sources.demo_region import Grid, Region, regime_of
from csrag.build.sources.demo_terrain import Terrain
from csrag.build.sources.fields import Array, FieldMaker, normal_quantile, rank01, standardise
from csrag.surfaces.catalog import HAZARD_CLASSES

PROBABILITY_RANGE = (5e-4, 0.06)
NODATA_SHARE, NODATA_PATCHES = 0.005, 2
HAZARD_SHARES = {"moderate": 0.12, "high": 0.28, "very high": 0.60}


@dataclass(frozen=True)
class Fire:
    """Fire layer.

    Parameters
    ----------
    burn_probability : ndarray of float64, shape (n,)
        Annual chance of a large fire [per year]; NaN where unknown.
    hazard_class : ndarray of uint8, shape (n,)
        Index into `catalog.HAZARD_CLASSES`; a synthetic class, not CAL FIRE's.
    """

    burn_probability: Array
    hazard_class: NDArray[np.uint8]


def _without(values: Array, other: Array) -> Array:
    """`values` less their linear regression on `other`."""
    centred = other - other.mean()
    slope = float(values @ centred) / float(centred @ centred)
    return np.asarray(values - centred * slope, dtype=np.float64)


def _even(proneness: Array, weights: Array) -> Array:
    """Proneness with mean 0 and spread 1 inside every regime: its median is then the regime's own."""
    total = weights.sum(axis=1)
    mean = (weights @ proneness) / total
    spread = np.sqrt((weights @ proneness**2) / total - mean**2)
    return np.asarray((proneness - mean @ weights) / (spread @ weights), dtype=np.float64)


def make_fire(region: Region, grid: Grid, fields: FieldMaker, terrain: Terrain) -> Fire:
    """Burn probability and hazard class on the clusters of a terrain."""
    cells = terrain.cells

    def at(name: str, length_km: float) -> Array:
        return standardise(fields.gaussian(name, length_km).ravel()[cells])

    # Two long fields correlate by chance in a window this small; the chance part is taken out, so that steep ground
    # burns more in every seed.
    weather = _without(at("fire.broad", 18.0) + 0.3 * at("fire.local", 5.0), terrain.steepness)
    proneness = standardise(
        weather + 0.35 * terrain.steepness - 0.2 * terrain.height.ravel()[cells] + 0.1 * terrain.vigour.ravel()[cells]
    )
    if terrain.sketch is None:
        median, log_sd = regime_of(region, *grid.lat_lon(cells))
    else:
        regimes, weights = terrain.sketch.fire_weights(cells, terrain.elevation_ft)
        median = np.exp(np.log([regime.median for regime in regimes]) @ weights)
        log_sd = np.array([regime.log_sd for regime in regimes]) @ weights
        proneness = _even(proneness, weights)
    probability = np.clip(median * np.exp(log_sd * proneness), *PROBABILITY_RANGE)
    hazard_score = rank01(
        0.5 * normal_quantile(rank01(probability)) + 0.25 * terrain.steepness + 0.7 * at("hazard", 4.0)
    )
    hazard = np.empty(cells.size, dtype=np.uint8)
    upper = 0.0
    for name, share in HAZARD_SHARES.items():
        hazard[hazard_score >= upper] = HAZARD_CLASSES.index(name)
        upper += share
    unknown = holes(grid, fields, "fire.nodata", terrain.forest, NODATA_SHARE, NODATA_PATCHES)
    probability[unknown.ravel()[cells]] = np.nan
    return Fire(probability, hazard)
