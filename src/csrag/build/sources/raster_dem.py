"""Elevation and terrain slope of the clusters from a digital elevation model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.build.progress import Progress
from csrag.build.sources.raster import RasterBand, looks_like_fill
from csrag.build.sources.raster_cells import CellReading, Window, read_cells
from csrag.build.sources.raster_open import open_band
from csrag.build.sources.spatial import Floats, coverage_note, refused, vertical_unit_of
from csrag.errors import InvalidValueError

FEET_PER_M = 1 / 0.3048
CELL_M = 360.0
"""Side of FRREDSS's cell [m]."""
LOWEST_M, HIGHEST_M = -100.0, 4500.0
"""Bounds of elevation in California: Badwater Basin lies at -86 m, Mount Whitney at 4,421 m [m]."""
_COARSE_M = 100.0
_WHOLE_METRES_FINE_M = 60.0
_M_OF = {"m": 1.0, "ft": 0.3048}


@dataclass(frozen=True)
class DemSample:
    """Elevation and slope at the clusters.

    Parameters
    ----------
    elevation_ft : ndarray of float32, shape (n,)
        Elevation of the pixel under the centre [ft]; NaN unknown.
    slope_pct : ndarray of float32, shape (n,)
        Mean over the cell of the local slope [percent]; NaN unknown.
    counts : mapping of str to int
        `clusters`, `inside` the raster, `known` (elevation), `nodata`, `undeclared_nodata`, `outside`, `slope_known`,
        `slope_partial` (cells of which a part has no slope).
    notes : tuple of str
        What a reader must know.
    """

    elevation_ft: NDArray[np.float32]
    slope_pct: NDArray[np.float32]
    counts: Mapping[str, int]
    notes: tuple[str, ...]


def sample_dem(
    path: Path, lat: Any, lon: Any, *, cell_size_m: float = CELL_M, vertical_unit: str | None = None,
    band: int | str | None = None, progress: Progress | None = None,
) -> DemSample:  # fmt: skip
    """Sample an elevation raster.

    Parameters
    ----------
    path : Path
        GeoTIFF or any raster that GDAL reads, in any coordinate system, in degrees too.
    lat, lon : ndarray of float64, shape (n,)
        Centres of the clusters, WGS 84 [degrees].
    cell_size_m : float
        Side of the square over which slope is averaged [m].
    vertical_unit : {"m", "ft"}, optional
        Unit of the elevations; needed where the file does not state it, and counts before what it states.
    band : int or str, optional
        Number or description of the band; needed where the file has several.
    progress : Progress, optional
        Told how many clusters are done.

    Returns
    -------
    DemSample
        Elevation [ft], slope [percent], counts and what to know.

    Raises
    ------
    DataError
        If the raster cannot be placed or read, covers no cluster, states no vertical unit and none was given, or its
        elevations are none of California in that unit.
    InvalidValueError
        If the positions are swapped or no positions, or the unit is another word.

    Notes
    -----
    Slope of a pixel by Horn (1981, Proceedings of the IEEE 69:14-47): differences over three by three pixels with double
    weight on the middle ones, over the pixel's ground size on the ellipsoid. The cluster's slope is the mean of the
    pixels' slopes (rise over run, as percent), whichever way they face: what a machine meets, not the tilt of the cell as
    a whole. It falls with the pixel size of the raster, since a coarse pixel bridges what lies within it.
    """
    path = Path(path)
    if vertical_unit is not None and not vertical_unit_of(vertical_unit):
        raise InvalidValueError(f"{vertical_unit!r} is no vertical unit.", 'Give "m" or "ft".')
    with open_band(path, band, "elevation") as raster:
        unit, notes = _unit(raster, vertical_unit)

        def prepare(window: Window) -> tuple[Floats, Sequence[Floats]]:
            height, fill = _heights_m(raster, window, unit)
            return _horn_pct(height, window), (height, np.where(fill, 1.0, np.nan))

        cells = read_cells(raster, lat, lon, cell_size_m, "reading elevation", progress, prepare=prepare, margin_px=1)
        slope, elevation = cells.mean, cells.centres[0]
        counts = _counts(elevation, slope, cells)
        notes += coverage_note(
            counts, "known", counts["clusters"], {"outside": "outside the raster", "nodata": "on nodata"}
        )
        _gate(raster, elevation, counts, unit)
        notes += _notes(raster, counts, cells.pixel_size_m, cell_size_m)
    return DemSample((elevation * FEET_PER_M).astype(np.float32), slope.astype(np.float32), counts, tuple(notes))


def _unit(raster: RasterBand, given: str | None) -> tuple[str, list[str]]:
    stated = vertical_unit_of(raster.unit) or raster.projection.vertical_unit
    if given:
        asked = vertical_unit_of(given)
        if stated and stated != asked:
            return asked, [f"WARNING: elevations are read as {asked} as asked, though the file states {stated}"]
        return asked, []
    if not stated:
        said = f" (it states {raster.unit!r})" if raster.unit else ""
        raise refused(
            raster.path, f"it does not state whether its elevations are metres or feet{said}",
            'Look it up in its metadata and give vertical_unit = "m" or "ft" (USGS 3DEP: m).', "vertical_unit_missing",
        )  # fmt: skip
    return stated, []


def _heights_m(raster: RasterBand, window: Window, unit: str) -> tuple[Floats, NDArray[np.bool_]]:
    """Heights [m], NaN where there are none, and which pixels hold a fill value that the file does not declare."""
    heights = raster.values(window.raw) * _M_OF[unit]
    with np.errstate(invalid="ignore"):
        fill = ~window.missing & looks_like_fill(window.raw) & ~((heights >= LOWEST_M) & (heights <= HIGHEST_M))
    heights[window.missing | fill] = np.nan
    return heights, fill


def _horn_pct(z: Floats, window: Window) -> Floats:
    """Slope [percent] of each pixel with eight known neighbours; NaN elsewhere."""
    out = np.full(z.shape, np.nan)
    if min(z.shape) < 3:
        return out
    middle = out[1:-1, 1:-1]
    columns = z[:-2] + 2 * z[1:-1] + z[2:]
    np.divide(columns[:, 2:] - columns[:, :-2], 8 * window.across_m[1:-1], out=middle)
    del columns
    rows = z[:, :-2] + 2 * z[:, 1:-1] + z[:, 2:]
    np.hypot(middle, (rows[2:] - rows[:-2]) / (8 * window.down_m[1:-1]), out=middle)
    middle *= 100
    # The middle pixel enters no difference; without it the neighbours still say nothing about a place that is unknown.
    out[np.isnan(z)] = np.nan
    return out


def _counts(elevation: Floats, slope: Floats, cells: CellReading) -> dict[str, int]:
    known, within = int(np.count_nonzero(np.isfinite(elevation))), int(np.count_nonzero(cells.inside))
    return {
        "clusters": elevation.size, "inside": within, "known": known, "nodata": within - known,
        "undeclared_nodata": int(np.count_nonzero(np.isfinite(cells.centres[1]))), "outside": elevation.size - within,
        "slope_known": int(np.count_nonzero(np.isfinite(slope))), "slope_partial": int(np.count_nonzero(cells.partial)),
    }  # fmt: skip


def _gate(raster: RasterBand, elevation: Floats, counts: Mapping[str, int], unit: str) -> None:
    known = elevation[np.isfinite(elevation)]
    if not known.size:
        raise refused(
            raster.path, f"all {counts['inside']:,} clusters inside it lie on nodata",
            "Check the band and that the raster is of this region.", "no_values",
        )  # fmt: skip
    wrong = int(np.count_nonzero((known < LOWEST_M) | (known > HIGHEST_M)))
    if wrong:
        feet = " Are they feet?" if unit == "m" else ""
        raise refused(
            raster.path,
            f"{wrong:,} of {known.size:,} elevations lie outside {LOWEST_M:g} to {HIGHEST_M:g} m, where all of California is "
            f"({known.min():,.0f} to {known.max():,.0f} m, read as {unit})",
            f"Check the vertical unit, the band and the nodata value.{feet}", "elevation_range",
        )  # fmt: skip


def _notes(raster: RasterBand, counts: Mapping[str, int], size_m: float, cell_size_m: float) -> list[str]:
    notes = [
        f"slope is the mean over {cell_size_m:g} m cells of the slope of pixels of {size_m:.3g} m (Horn), any direction"
    ]
    if size_m > cell_size_m:
        notes[0] = f"slope is that of the pixel of {size_m:.3g} m under the centre (Horn), larger than a cell"
    if size_m > _COARSE_M:
        notes.append(f"WARNING: pixels of {size_m:.3g} m flatten the terrain: slopes are lower than on the ground")
    if raster.dtype.kind in "iu" and (raster.scale, raster.offset) == (1.0, 0.0) and size_m < _WHOLE_METRES_FINE_M:
        notes.append(f"elevations are whole numbers on pixels of {size_m:.3g} m: slopes of gentle ground come in steps")
    if counts["undeclared_nodata"]:
        notes.append(
            f"{counts['undeclared_nodata']:,} clusters lie on a fill value that the file does not declare as nodata; taken as unknown"
        )
    if counts["slope_partial"]:
        notes.append(f"slope of {counts['slope_partial']:,} cells is the mean over a part of them, the rest is unknown")
    lost = counts["known"] - counts["slope_known"]
    if lost > 0:
        notes.append(
            f"slope unknown for {lost:,} clusters whose elevation is known (edge of the raster or nodata beside them)"
        )
    return notes
