"""Which demonstration regions exist, and the 360 m grid under them.

The parameters are those of the recipe (docs/explanation/demo-layers.md); none was measured in California's forests.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from csrag.build.sources.demo_country import Country
from csrag.build.sources.demo_outline import in_state
from csrag.build.sources.fields import FieldMaker
from csrag.errors import InvalidValueError
from csrag.geo import from_albers_m, to_albers_m

CELL_M = 360.0
DEFAULT_SEED = 17
"""Chosen from thirty: the forest around Quincy, Chester, Burney and Susanville is neither a gap nor a glut."""

# Row 0, column 0 of the cell numbers, whole cells south-west of every point of California in EPSG:3310.
_ORIGIN_X_M = -1200 * CELL_M
_ORIGIN_Y_M = -1800 * CELL_M
_COLUMNS_PER_ROW = 10_000

Box = tuple[float, float, float, float]
"""lat_min, lat_max, lon_min, lon_max [degrees]."""


@dataclass(frozen=True)
class FireRegime:
    """Log-normal spread of annual burn probability in one part of the state: median [per year], log standard deviation."""

    name: str
    median: float
    log_sd: float


NORTHERN_SIERRA_FIRE = FireRegime("northern Sierra", 0.012, 0.60)


@dataclass(frozen=True)
class Region:
    """One demonstration region.

    Parameters
    ----------
    name, title : str
        Key and heading.
    box : Box
        Bounds [degrees].
    forest_share : float
        Share of the box's cells that carry forest.
    fire : tuple of (Box, FireRegime)
        Regimes by subregion; a cell belongs to the first box that holds it, else to the last.
    clip_to_state : bool
        Whether cells in no Californian county are left out; the data area is then the state's outline.
    country : Country, optional
        Relief and subregions. With it, `forest_share` and `fire` are the country's affair.
    parks : int
        National parks.
    """

    name: str
    title: str
    box: Box
    forest_share: float
    fire: tuple[tuple[Box, FireRegime], ...]
    clip_to_state: bool = False
    country: Country | None = None
    parks: int = 1


NORTHERN_SIERRA = Region(
    name="northern-sierra",
    title="Northern Sierra demonstration region (synthetic)",
    box=(39.26, 41.20, -122.12, -120.06),
    forest_share=0.36,
    fire=(((39.26, 41.20, -122.12, -120.06), NORTHERN_SIERRA_FIRE),),
)


def region_named(name: str) -> Region:
    """Region of that name.

    Raises
    ------
    InvalidValueError
        If there is none; the fix lists those that exist.
    """
    from csrag.build.sources.demo_california import CALIFORNIA  # its tables are long and build on this module

    regions = {region.name: region for region in (NORTHERN_SIERRA, CALIFORNIA)}
    if name not in regions:
        raise InvalidValueError(
            f'There is no demonstration region "{name}".', f"Choose one of: {', '.join(sorted(regions))}."
        )
    return regions[name]


@dataclass(frozen=True)
class Grid:
    """Rectangle of 360 m cells in California Albers that covers a box, and which of its cells lie inside the box.

    Cell edges are multiples of 360 m, so the same cell has the same number in every region.
    """

    box: Box
    row0: int
    column0: int
    shape: tuple[int, int]

    @classmethod
    def over(cls, box: Box) -> Grid:
        """Smallest aligned rectangle over a latitude-longitude box."""
        lat_min, lat_max, lon_min, lon_max = box
        # Parallels are arcs in this projection: walk along the edges, not only the corners.
        lats, lons = np.linspace(lat_min, lat_max, 65), np.linspace(lon_min, lon_max, 65)
        edge_lat = np.concatenate([lats, lats, np.full(65, lat_min), np.full(65, lat_max)])
        edge_lon = np.concatenate([np.full(65, lon_min), np.full(65, lon_max), lons, lons])
        x_m, y_m = to_albers_m(edge_lat, edge_lon)
        column0 = int(np.floor((x_m.min() - _ORIGIN_X_M) / CELL_M))
        row0 = int(np.floor((y_m.min() - _ORIGIN_Y_M) / CELL_M))
        columns = int(np.ceil((x_m.max() - _ORIGIN_X_M) / CELL_M)) - column0
        rows = int(np.ceil((y_m.max() - _ORIGIN_Y_M) / CELL_M)) - row0
        return cls(box, row0, column0, (rows, columns))

    @cached_property
    def x_m(self) -> NDArray[np.float64]:
        """Easting of the cell centres, one a column [m]."""
        return _ORIGIN_X_M + (self.column0 + np.arange(self.shape[1], dtype=np.float64) + 0.5) * CELL_M

    @cached_property
    def y_m(self) -> NDArray[np.float64]:
        """Northing of the cell centres, one a row [m]."""
        return _ORIGIN_Y_M + (self.row0 + np.arange(self.shape[0], dtype=np.float64) + 0.5) * CELL_M

    @cached_property
    def inside(self) -> NDArray[np.bool_]:
        """Whether each cell's centre lies in the box, shape (rows, columns)."""
        lat, lon = from_albers_m(self.x_m[None, :], self.y_m[:, None])
        lat_min, lat_max, lon_min, lon_max = self.box
        return np.asarray((lat >= lat_min) & (lat <= lat_max) & (lon >= lon_min) & (lon <= lon_max))

    def rows_columns(self, cells: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Row and column of flat cell indices."""
        return cells // self.shape[1], cells % self.shape[1]

    def cluster_no(self, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        """Stable number of flat cell indices: 10,000 x row + column of the state-wide grid."""
        row, column = self.rows_columns(cells)
        return (row + self.row0) * _COLUMNS_PER_ROW + column + self.column0

    def lat_lon(self, cells: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Centres of flat cell indices [degrees]."""
        row, column = self.rows_columns(cells)
        return from_albers_m(self.x_m[column], self.y_m[row])

    def fields(self, seed: int, on_field: Callable[[], None] | None = None) -> FieldMaker:
        """Maker of random fields on this rectangle."""
        return FieldMaker(seed, self.shape, CELL_M / 1000.0, on_field=on_field)

    def km_to_nearest(
        self, lats: NDArray[np.float64], lons: NDArray[np.float64], reach_km: float
    ) -> NDArray[np.float64]:
        """Distance of every cell to the nearest of some points, capped at `reach_km`, shape (rows, columns) [km].

        Distances are planar in Albers (within 1 % of true here); each point touches only the window within its reach.
        """
        out = np.full(self.shape, reach_km)
        reach = int(np.ceil(reach_km * 1000.0 / CELL_M)) + 1
        px, py = to_albers_m(lats, lons)
        for x, y in zip(px, py, strict=True):
            column, row = int((x - self.x_m[0]) // CELL_M), int((y - self.y_m[0]) // CELL_M)
            rows = slice(max(row - reach, 0), max(row + reach + 2, 0))
            columns = slice(max(column - reach, 0), max(column + reach + 2, 0))
            window = out[rows, columns]
            d_km = np.hypot(self.x_m[None, columns] - x, self.y_m[rows, None] - y) / 1000.0
            np.minimum(window, d_km, out=window)
        return out


def region_cells(region: Region, grid: Grid) -> NDArray[np.bool_]:
    """Cells that belong to a region: in its box and, where it asks for that, in California; shape (rows, columns)."""
    return grid.inside & in_state(grid) if region.clip_to_state else grid.inside


def regime_of(
    region: Region, lats: NDArray[np.float64], lons: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Median and log standard deviation of burn probability at each point [per year, -]."""
    median = np.full(lats.shape, region.fire[-1][1].median)
    log_sd = np.full(lats.shape, region.fire[-1][1].log_sd)
    for (lat_min, lat_max, lon_min, lon_max), regime in reversed(region.fire):
        here = (lats >= lat_min) & (lats <= lat_max) & (lons >= lon_min) & (lons <= lon_max)
        median[here], log_sd[here] = regime.median, regime.log_sd
    return median, log_sd
