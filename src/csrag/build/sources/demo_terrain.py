"""Terrain, forest mask and landings of a demonstration region. Synthetic throughout."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from csrag.build.sources.demo_country import Sketch
from csrag.build.sources.demo_region import Grid, Region, region_cells
from csrag.build.sources.fields import Array, FieldMaker, gamma_quantile, normal_quantile, rank01, standardise

UNMAPPED_SHARE = 0.003
"""Share of clusters in corners where nothing is known about roads: no zone, no landing on the network."""
TOWN_CLEARING_KM = 1.0
ROADLESS_BEYOND_M = 1000.0

# Where subregions and belts say how much forest there is, luck decides the pattern, not whole valleys.
_COUNTRY_LUCK = (0.3, 0.6)
_NEVER = -2.0
"""Normal quantile of a chance of forest so small that the cell does not count among its subregion's."""
_CELL_MEAN_DISTANCE_M = 137.6
_FT_PER_M = 3.28084
_SLOPE_KNOTS = 2001


def mean_yarding_ft(landing_m: Array) -> Array:
    """Mean level distance from a 360 m cell's points to a landing `landing_m` from its centre [ft].

    A smooth fit within 1.5 % of the numerical integral: at 0 m the cell's own mean distance (137.6 m), far away the
    distance itself.
    """
    distance_m = (_CELL_MEAN_DISTANCE_M**2.5 + landing_m**2.5) ** 0.4
    return np.asarray(np.maximum(451.0, _FT_PER_M * distance_m), dtype=np.float64)


@dataclass(frozen=True)
class Terrain:
    """What the land looks like.

    Parameters
    ----------
    height : ndarray of float64, shape (rows, columns)
        Relief T, standardised over the box.
    vigour : ndarray of float64, shape (rows, columns)
        Stand vigour b, standardised over the box.
    forest : ndarray of bool, shape (rows, columns)
        Cells that carry forest: the clusters.
    cells : ndarray of int64, shape (n,)
        Flat indices of the clusters, row by row.
    elevation_ft, slope_pct, grade_pct, landing_m : ndarray of float64, shape (n,)
        Elevation [ft], slope [percent], grade to the landing [percent], distance to the landing [m].
    steepness : ndarray of float64, shape (n,)
        Normal quantile of the slope's rank.
    unmapped : ndarray of bool, shape (n,)
        Clusters of a few corners where nothing is known about roads.
    slope_everywhere_pct : ndarray of float32, shape (rows, columns)
        Slope of every cell, forest or not [percent]: roads cross them all.
    sketch : Sketch or None
        The country under the region, if it has one.
    """

    height: Array
    vigour: Array
    forest: NDArray[np.bool_]
    cells: NDArray[np.int64]
    elevation_ft: Array
    slope_pct: Array
    grade_pct: Array
    landing_m: Array
    steepness: Array
    unmapped: NDArray[np.bool_]
    slope_everywhere_pct: NDArray[np.float32]
    sketch: Sketch | None = None


def _over(mask: NDArray[np.bool_], values: Array) -> Array:
    """Standardise by the mean and spread inside `mask`, keeping the rectangle."""
    inside = values[mask]
    return np.asarray((values - inside.mean()) / inside.std(), dtype=np.float64)


def _slope_quantile(score: Array) -> Array:
    """Slope [percent] by rank: Gamma(2.6, 8.5), whose 5th, 50th and 95th percentiles are 5, 19 and 47."""
    return np.minimum(gamma_quantile(rank01(score), 2.6, 8.5), 100.0)


def _forest(share: float, inside: NDArray[np.bool_], score: Array, town_km: Array) -> NDArray[np.bool_]:
    """The highest-scoring cells of the region, exactly a share of it, none close to a town point."""
    open_to_forest = np.flatnonzero(inside & (town_km > TOWN_CLEARING_KM))
    count = min(round(share * int(inside.sum())), open_to_forest.size)
    best = np.argsort(-score.ravel()[open_to_forest], kind="stable")[:count]
    forest = np.zeros(inside.size, dtype=bool)
    forest[open_to_forest[best]] = True
    return forest.reshape(inside.shape)


def _slope_everywhere(
    score: Array, cells: NDArray[np.int64], slope_pct: Array, sketch: Sketch | None
) -> NDArray[np.float32]:
    """Slope of every cell of the rectangle [percent]: that of clusters of the same score; valleys of a country are flat."""
    order = np.argsort(score.ravel()[cells], kind="stable")
    knots = order[np.linspace(0, order.size - 1, min(order.size, _SLOPE_KNOTS)).astype(np.int64)]
    out = np.interp(score, score.ravel()[cells[knots]], slope_pct[knots])
    if sketch is not None:
        out *= sketch.hilliness(np.arange(score.size)).reshape(score.shape)
    return out.astype(np.float32)


def _lie_of_the_land(
    sketch: Sketch, inside: NDArray[np.bool_], height: Array, rough: Array, vigour: Array, score: Array
) -> Array:
    """Give random fields the country's shape, in place; returns the elevation [ft], shape (rows, columns).

    Roughness and vigour are shifted by the subregion's, the forest's score by how likely its belt carries forest.
    """
    land = np.flatnonzero(inside)
    elevation_ft = sketch.elevation_ft(land, height.ravel()[land])
    rough.ravel()[land] += sketch.mean_of("roughness", land)
    vigour.ravel()[land] += sketch.mean_of("vigour", land)
    prior = sketch.forest_prior(land, elevation_ft)
    luck = sketch.centred(standardise(score.ravel()[land]), land, prior > _NEVER)
    score.ravel()[land] = standardise(luck) + prior
    out = np.zeros(inside.shape)
    out.ravel()[land] = elevation_ft
    return out


def make_terrain(region: Region, grid: Grid, fields: FieldMaker, town_km: Array) -> Terrain:
    """Terrain of a region.

    Parameters
    ----------
    region : Region
        Box and share of forest.
    grid : Grid
        The cells.
    fields : FieldMaker
        Source of randomness.
    town_km : ndarray of float64, shape (rows, columns)
        Distance to the nearest town point [km], capped.

    Returns
    -------
    Terrain
    """
    inside = region_cells(region, grid)
    hills = fields.gaussian("terrain.hills", 6.0, 0.7)
    height = _over(inside, 0.8 * fields.gaussian("terrain.ranges", 25.0) + 0.6 * hills)
    d_row, d_column = np.gradient(hills)
    rough = _over(inside, np.hypot(d_row, d_column))
    vigour = _over(
        inside,
        0.65 * _over(inside, fields.gaussian("stand.broad", 15.0))
        + 0.5 * fields.gaussian("stand.local", 3.0)
        + 0.5 * fields.white("stand.noise")
        + 0.2 * height,
    )
    broad, local = (0.8, 0.3) if region.country is None else _COUNTRY_LUCK
    score = broad * height + 0.8 * fields.gaussian("forest.mask", 8.0) + local * vigour
    if region.country is None:
        sketch = None
        forest = _forest(region.forest_share, inside, score, town_km)
        elevation = np.clip(4900.0 + 1300.0 * height, 200.0, 9500.0)
    else:
        sketch = region.country.over(grid)
        elevation = _lie_of_the_land(sketch, inside, height, rough, vigour, score)
        forest = _forest(region.country.density, inside, score, town_km)
        height = _over(forest, elevation)
    del score
    cells = np.flatnonzero(forest)

    def at(field: Array) -> Array:
        return field.ravel()[cells]

    score = 0.7 * rough + 0.7 * _over(inside, fields.gaussian("slope.broad", 12.0)) + 0.4 * fields.white("slope.noise")
    slope_score = at(score)
    slope_pct = _slope_quantile(slope_score)
    steepness = normal_quantile(rank01(slope_score))
    # The grade to the landing has the slope's distribution and follows it loosely: a landing need not lie downhill.
    grade_score = 0.85 * steepness + 0.55 * at(fields.white("grade.noise"))
    landing = standardise(
        0.45 * steepness + 0.6 * at(fields.gaussian("landing.broad", 4.0)) + 0.65 * at(fields.white("landing.noise"))
    )
    return Terrain(
        height=height,
        vigour=vigour,
        forest=forest,
        cells=cells,
        elevation_ft=at(elevation),
        slope_pct=slope_pct,
        grade_pct=_slope_quantile(grade_score),
        landing_m=170.0 * np.exp(0.85 * landing),
        steepness=steepness,
        unmapped=rank01(at(fields.gaussian("zone.unknown", 4.0))) > 1.0 - UNMAPPED_SHARE,
        slope_everywhere_pct=_slope_everywhere(score, cells, slope_pct, sketch),
        sketch=sketch,
    )
