"""Standing biomass, wood density, and what each of the eleven treatments removes. Synthetic throughout.

The removal shares rest on diameter distributions treated plot by plot; they are assumed, not measured in California.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from csrag.build.sources.demo_country import Sketch
from csrag.build.sources.demo_patches import scatter_patches
from csrag.build.sources.demo_region import Grid
from csrag.build.sources.demo_terrain import Terrain
from csrag.build.sources.fields import Array, FieldMaker, gamma_from_normal, rank01, standardise

SCAR_SHARE = 0.12
SCAR_KM2 = (1.0, 300.0)

FOREST_TYPES = ("Sierra mixed conifer", "pine", "true fir", "Douglas-fir", "Klamath mixed", "oak woodland")
BASIC_DENSITY_KG_PER_M3 = (385.0, 380.0, 370.0, 440.0, 470.0, 600.0)
"""Basic density (dry mass over green volume) by forest type, in the order of the Wood Handbook (FPL-GTR-282)."""
DENSITY_SPREAD_KG_PER_M3 = 25.0

# Mean shares of 4-6, 6-9, 9+ inch stems, branches, foliage in a stand's dry mass, and how tightly stands follow them.
_MEAN_SHARES = (0.035, 0.075, 0.68, 0.155, 0.055)
_CONCENTRATION = 60.0

REMOVAL_SHARES: dict[str, tuple[float, float, float, float]] = {
    "TFB20": (0.92, 0.68, 0.05, 0.14),
    "TFB40": (0.99, 0.92, 0.21, 0.32),
    "TFB60": (1.00, 0.98, 0.43, 0.52),
    "TFB80": (1.00, 1.00, 0.69, 0.75),
    "TFA20": (0.00, 0.01, 0.31, 0.25),
    "TFA40": (0.01, 0.03, 0.57, 0.48),
    "TFA60": (0.02, 0.08, 0.79, 0.68),
    "TFA80": (0.08, 0.32, 0.95, 0.86),
}
"""Share of the standing tons removed in (4-6, 6-9, 9+, branch) by thinning from below and from above."""

SDI_TARGETS = {"SDI30": 0.30, "SDI55": 0.55}
"""Stand density aimed at, as a share of the maximum."""
_SDI_SHARES = ((2.4, 1.0), (2.0, 1.0), (0.85, 1.0), (1.0, 1.0))


@dataclass(frozen=True)
class Stands:
    """What grows on each cluster.

    Parameters
    ----------
    standing_bdt_per_acre : ndarray of float64, shape (4, n)
        Stems 4-6, 6-9, 9+ inches, and branches [BDT per acre]; zero in burn scars.
    relative_density : ndarray of float64, shape (n,)
        Stand density index over its maximum.
    intensity : ndarray of float64, shape (n,)
        How much more or less than the treatment's mean share is cut here; one number a cluster for every treatment.
    scar : ndarray of bool, shape (n,)
        Burned lately: no biomass.
    forest_type : ndarray of uint8, shape (n,)
        Index into `FOREST_TYPES`.
    wood_density_kg_per_m3 : ndarray of float64, shape (n,)
        Basic density [kg per m3].
    """

    standing_bdt_per_acre: Array
    relative_density: Array
    intensity: Array
    scar: NDArray[np.bool_]
    forest_type: NDArray[np.uint8]
    wood_density_kg_per_m3: Array

    def removed_share(self, treatment: str, rows: slice) -> Array:
        """Share of the standing tons that a treatment removes, shape (4, rows).

        A clear cut takes everything. A density target takes what stands above it, small trees first. Thinning takes
        its table share times the cluster's intensity, never more than all: cutting harder never removes less.
        """
        intensity = self.intensity[rows]
        if treatment == "RMI100":
            return np.ones((4, intensity.size))
        if treatment in SDI_TARGETS:
            excess = np.maximum(0.0, 1.0 - SDI_TARGETS[treatment] / self.relative_density[rows])
            shares = np.stack([np.minimum(cap, slope * excess) for slope, cap in _SDI_SHARES])
        else:
            shares = np.asarray(REMOVAL_SHARES[treatment])[:, None]
        return np.minimum(1.0, shares * intensity)

    def removed(self, treatment: str, rows: slice) -> Array:
        """Removed [BDT per acre], shape (4, rows)."""
        return self.standing_bdt_per_acre[:, rows] * self.removed_share(treatment, rows)


def _standing(fields: FieldMaker, cells: NDArray[np.int64], vigour: Array) -> Array:
    """Dry mass of the four classes [BDT per acre], shape (4, n)."""
    total = np.clip(45.0 * np.exp(0.55 * vigour), 5.0, 220.0)
    # Dense stands hold a smaller share in small trees.
    small, large = np.exp(-0.25 * vigour), np.exp(0.08 * vigour)
    tilt = (small, small, large, np.ones_like(vigour), np.ones_like(vigour))
    means = np.stack([share * t for share, t in zip(_MEAN_SHARES, tilt, strict=True)])
    means /= means.sum(axis=0)
    # A Dirichlet draw is a set of Gamma draws over their sum; neighbouring stands draw alike.
    draws = np.empty_like(means)
    for i, part in enumerate(("stems-4-6", "stems-6-9", "stems-9-plus", "branches", "foliage")):
        local = fields.gaussian(f"stand.share.{part}", 3.0).ravel()[cells]
        noise = fields.white(f"stand.share.{part}.noise").ravel()[cells]
        draws[i] = gamma_from_normal(standardise(0.7 * local + 0.7 * noise), _CONCENTRATION * means[i])
    return np.asarray(total * (draws / draws.sum(axis=0))[:4], dtype=np.float64)


def _forest_type(grid: Grid, fields: FieldMaker, terrain: Terrain) -> NDArray[np.uint8]:
    """Types by elevation belt and by wet or dry side, with ragged edges."""
    cells = terrain.cells
    belt_ft = terrain.elevation_ft + 500.0 * fields.gaussian("type.belt", 6.0).ravel()[cells]
    if terrain.sketch is not None:
        return _subregion_type(terrain.sketch, fields, cells, belt_ft)
    row, column = grid.rows_columns(cells)
    west = 1.0 - 2.0 * column / grid.shape[1]
    north = 2.0 * row / grid.shape[0] - 1.0
    wet = fields.gaussian("type.moisture", 15.0).ravel()[cells] + 1.4 * west
    code = np.zeros(cells.size, dtype=np.uint8)
    code[wet < -1.1] = FOREST_TYPES.index("pine")
    code[wet > 1.6] = FOREST_TYPES.index("Douglas-fir")
    code[(wet > 0.6) & (west + north + 0.3 * wet > 1.5)] = FOREST_TYPES.index("Klamath mixed")
    code[belt_ft > 7000.0] = FOREST_TYPES.index("true fir")
    code[belt_ft < 4100.0] = FOREST_TYPES.index("oak woodland")
    return code


def _subregion_type(sketch: Sketch, fields: FieldMaker, cells: NDArray[np.int64], belt_ft: Array) -> NDArray[np.uint8]:
    """The same with the belts and the moisture of each part of the country."""
    wet = fields.gaussian("type.moisture", 15.0).ravel()[cells] + sketch.mean_of("wet", cells)
    code = np.zeros(cells.size, dtype=np.uint8)
    code[wet < -1.1] = FOREST_TYPES.index("pine")
    code[wet > 1.6] = FOREST_TYPES.index("Douglas-fir")
    code[(wet > 0.6) & (sketch.mean_of("klamath", cells) > 0.5)] = FOREST_TYPES.index("Klamath mixed")
    code[belt_ft > sketch.mean_of("fir_above_ft", cells)] = FOREST_TYPES.index("true fir")
    code[belt_ft < sketch.mean_of("oak_below_ft", cells)] = FOREST_TYPES.index("oak woodland")
    return code


def make_stands(grid: Grid, fields: FieldMaker, terrain: Terrain) -> Stands:
    """Stands on the clusters of a terrain."""
    cells = terrain.cells
    vigour = standardise(terrain.vigour.ravel()[cells])
    scar = scatter_patches(grid, fields, "scar", terrain.forest, SCAR_SHARE, *SCAR_KM2).ravel()[cells]
    standing = _standing(fields, cells, vigour)
    standing[:, scar] = 0.0
    crowding = standardise(vigour + 0.5 * fields.white("stand.density.noise").ravel()[cells])
    forest_type = _forest_type(grid, fields, terrain)
    deviation = (
        2.0
        * rank01(
            fields.gaussian("density.broad", 10.0).ravel()[cells] + 0.5 * fields.white("density.noise").ravel()[cells]
        )
        - 1.0
    )
    return Stands(
        standing_bdt_per_acre=standing,
        relative_density=np.clip(0.62 * np.exp(0.28 * crowding), 0.15, 1.1),
        intensity=np.clip(
            1.0
            + 0.12 * fields.gaussian("removal.broad", 10.0).ravel()[cells]
            + 0.08 * fields.white("removal.noise").ravel()[cells],
            0.6,
            1.4,
        ),
        scar=scar,
        forest_type=forest_type,
        wood_density_kg_per_m3=np.asarray(BASIC_DENSITY_KG_PER_M3)[forest_type] + DENSITY_SPREAD_KG_PER_M3 * deviation,
    )
