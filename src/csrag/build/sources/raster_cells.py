"""Means of a raster over the cell of each cluster, from sums over windows."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.build.progress import Progress, Silent
from csrag.build.sources.raster import RasterBand, Reading
from csrag.build.sources.spatial import Floats, checked_points, refused

_KNOTS = 9
_MOST_AROUND_PX = 512


@dataclass(frozen=True)
class Window:
    """A window of pixels and the ground size of its rows' pixels.

    Parameters
    ----------
    raw : ndarray, shape (h, w)
        In the file's own type.
    missing : ndarray of bool, shape (h, w)
        Pixels without a value.
    across_m, down_m : ndarray of float64, shape (h, 1)
        Length of a step along the row and along the column [m].
    """

    raw: NDArray[Any]
    missing: NDArray[np.bool_]
    across_m: Floats
    down_m: Floats


@dataclass(frozen=True)
class CellReading:
    """Means over cells.

    Parameters
    ----------
    mean : ndarray of float64, shape (n,)
        Mean over the known pixels of each cell; NaN where there is none.
    centres : tuple of ndarray of float64, shape (n,)
        Other quantities in the pixel under the centre; NaN where unknown or outside.
    inside : ndarray of bool, shape (n,)
        Whether the centre lies inside the raster.
    partial : ndarray of bool, shape (n,)
        Whether some pixels of the cell, but not all, lie inside and have a value.
    pixel_size_m : float
        Size of a pixel in the middle of the points [m].
    """

    mean: Floats
    centres: tuple[Floats, ...]
    inside: NDArray[np.bool_]
    partial: NDArray[np.bool_]
    pixel_size_m: float


def read_cells(
    band: RasterBand, lat: Any, lon: Any, cell_size_m: float, label: str, progress: Progress | None = None, *,
    prepare: Callable[[Window], tuple[Floats, Sequence[Floats]]], margin_px: int = 0,
) -> CellReading:  # fmt: skip
    """Mean of quantities worked out of a raster over a square around each point.

    Parameters
    ----------
    band : RasterBand
        Where to read.
    lat, lon : ndarray of float64, shape (n,)
        Centres, WGS 84 [degrees].
    cell_size_m : float
        Side of the square [m]. A pixel belongs to it if its centre does; the pixel under the point always does.
    label : str
        What is read, for the progress bar.
    progress : Progress, optional
        Told how many points are done.
    prepare : callable
        What to average of a window, NaN where unknown, and what to take under the centres; each of the window's shape.
    margin_px : int
        Pixels around a cell that `prepare` needs as neighbours (count).

    Raises
    ------
    DataError
        If rows and columns of the raster do not run along its coordinate axes, or a cell holds too many pixels.
    """
    if not band.rectilinear:
        raise refused(
            band.path, "its rows and columns are turned against its coordinate axes",
            "Warp it to an upright grid with gdalwarp.", "raster_turned",
        )  # fmt: skip
    watch = progress or Silent()
    lat, lon = checked_points(lat, lon)
    x, y, inside = band.locate(lat, lon)
    rows = np.flatnonzero(inside)
    x, y = x[rows], y[rows]
    size_m = band.pixel_size_m(x, y)
    watch.start(label, lat.size, "clusters")
    watch.advance(lat.size - rows.size)
    mean, partial = np.full(lat.size, np.nan), np.zeros(lat.size, dtype=bool)
    centres: list[Floats] = []
    around_px = _around_px(band, x, y, cell_size_m) + 2 * margin_px
    for group in band.windows(x.astype(np.int64), y.astype(np.int64), around_px):
        gx, gy, at = x[group], y[group], rows[group]
        spans = _Spans.around(band, gx, gy, cell_size_m)
        row0, row1 = max(int(spans.row0.min()) - margin_px, 0), min(int(spans.row1.max()) + margin_px, band.height)
        col0, col1 = max(int(spans.col0.min()) - margin_px, 0), min(int(spans.col1.max()) + margin_px, band.width)
        window = _window(band, band.read(row0, row1, col0, col1), row0, col0)
        averaged, under = prepare(window)
        total, count = spans.sums(averaged, row0, col0)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean[at] = total / count
        partial[at] = (count > 0) & (count < spans.pixels)
        for k, quantity in enumerate(under):
            if len(centres) <= k:
                centres.append(np.full(lat.size, np.nan))
            centres[k][at] = quantity[gy.astype(np.int64) - row0, gx.astype(np.int64) - col0]
        watch.advance(group.size)
    return CellReading(mean, tuple(centres), inside, partial, size_m)


def _around_px(band: RasterBand, x: Floats, y: Floats, cell_size_m: float) -> int:
    """Pixels along the side of a cell, the most of the corners of the area."""
    corners_x, corners_y = np.meshgrid((x.min(), x.max()), (y.min(), y.max()))
    least_m = min(float(side.min()) for side in band.pixel_m(corners_x.ravel(), corners_y.ravel()))
    around_px = math.ceil(cell_size_m / max(least_m, 1e-9)) + 1
    if around_px > _MOST_AROUND_PX:
        raise refused(
            band.path, f"its pixels of {least_m:.2g} m are too fine for cells of {cell_size_m:g} m",
            "Make a coarser raster first: gdalwarp -tr 5 5 -r average FILE NEW.", "raster_too_fine",
        )  # fmt: skip
    return around_px


def _window(band: RasterBand, found: Reading, row0: int, col0: int) -> Window:
    height, width = found.raw.shape
    knots = np.linspace(row0, row0 + height, min(_KNOTS, height + 1))
    across, down = band.pixel_m(np.full(knots.size, col0 + width / 2), knots)
    middles = row0 + np.arange(height) + 0.5
    return Window(
        found.raw, found.missing, np.interp(middles, knots, across)[:, None], np.interp(middles, knots, down)[:, None]
    )


@dataclass(frozen=True)
class _Spans:
    """Rows and columns of the cells, ends excluded, cut to the raster; `pixels` is their number before the cut."""

    row0: NDArray[np.int64]
    row1: NDArray[np.int64]
    col0: NDArray[np.int64]
    col1: NDArray[np.int64]
    pixels: NDArray[np.int64]

    @classmethod
    def around(cls, band: RasterBand, x: Floats, y: Floats, cell_size_m: float) -> _Spans:
        knots = np.linspace(y.min(), y.max(), _KNOTS)
        across, down = band.pixel_m(np.full(_KNOTS, float(np.median(x))), knots)
        half_x = 0.5 * cell_size_m / np.interp(y, knots, across)
        half_y = 0.5 * cell_size_m / np.interp(y, knots, down)
        col0, col1 = _span(x, half_x)
        row0, row1 = _span(y, half_y)
        pixels = (col1 - col0) * (row1 - row0)
        return cls(
            np.maximum(row0, 0),
            np.minimum(row1, band.height),
            np.maximum(col0, 0),
            np.minimum(col1, band.width),
            pixels,
        )

    def sums(self, values: Floats, row0: int, col0: int) -> tuple[Floats, NDArray[np.int64]]:
        """Sum and number of the known values in each cell, from the table of sums over all rows and columns before."""
        known = np.isfinite(values)
        total = _table(np.where(known, values, 0.0), np.float64)
        count = _table(known, np.int64)
        up, low, left, right = self.row0 - row0, self.row1 - row0, self.col0 - col0, self.col1 - col0

        def inside(table: NDArray[Any]) -> NDArray[Any]:
            out = table[low, right] - table[up, right] - table[low, left] + table[up, left]
            return np.asarray(out)

        return inside(total), inside(count)


def _span(place: Floats, half: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    own = np.floor(place).astype(np.int64)
    first = np.minimum(np.ceil(place - half - 0.5).astype(np.int64), own)
    return first, np.maximum(np.ceil(place + half - 0.5).astype(np.int64), own + 1)


def _table(values: NDArray[Any], kind: Any) -> NDArray[Any]:
    out = np.zeros((values.shape[0] + 1, values.shape[1] + 1), dtype=kind)
    np.cumsum(values, axis=0, dtype=kind, out=out[1:, 1:])
    np.cumsum(out[1:, 1:], axis=1, out=out[1:, 1:])
    return out
