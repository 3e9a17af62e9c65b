"""Rasters of any size laid under points: opened with checks, read window by window, never whole.

A national raster does not enter memory: points are sorted by the raster's own blocks and each block that holds a point is
read once. Pixels in memory, GDAL's block cache included, stay within `BUDGET_BYTES` whatever the raster's size.

Nothing becomes a value that is none: the declared nodata value, NaN, the mask band, blocks that were never written, and
fill values that the file does not declare are unknown, and each is counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.build.progress import Progress, Silent
from csrag.build.sources.spatial import (
    Box,
    Floats,
    Projection,
    checked_points,
    describe_box,
    need,
    refused,
)

BUDGET_BYTES = 64 * 2**20
"""Most memory that pixels may take, GDAL's block cache included [bytes]."""
CACHE_BYTES = 24 * 2**20
BLOCK_BYTES = 24 * 2**20
_WINDOW_PIXELS = 2**19
_LEAST_TILE = 64
KNOWN, NODATA, UNDECLARED = 0, 1, 2
"""What a pixel is: a value, declared or physically missing, or a fill value that the file does not declare."""
_FILLS = (
    -9999.0, 9999.0, -99999.0, 99999.0, -999999.0, -32768.0, -32767.0, 32767.0, 65535.0, -128.0, 255.0,
    -2147483648.0, -2147483647.0, 2147483647.0, 4294967295.0,
)  # fmt: skip
_HUGE = 1e19
_LONG_NUMBER = 1e6
"""A nodata value as large as this is compared loosely: as text it rarely is the stored number to its last bit."""


@dataclass(frozen=True)
class Reading:
    """Pixels of a band as read.

    Parameters
    ----------
    raw : ndarray
        In the file's own type.
    missing : ndarray of bool
        Nodata, masked, NaN or never written.
    """

    raw: NDArray[Any]
    missing: NDArray[np.bool_]


class RasterBand:
    """One band of an open raster.

    Attributes
    ----------
    path : Path
        The file.
    projection : Projection
        Its coordinate system.
    band : int
        Number of the band, from 1.
    width, height : int
        Size [pixels].
    """

    def __init__(self, path: Path, dataset: Any, band: int, projection: Projection) -> None:
        self.path, self.projection, self.band = path, projection, band
        self.width, self.height = int(dataset.width), int(dataset.height)
        self._dataset = dataset
        self.dtype = np.dtype(dataset.dtypes[band - 1])
        self._to_pixel = ~dataset.transform
        self._from_pixel = dataset.transform
        nodata = dataset.nodatavals[band - 1]
        self.nodata = None if nodata is None else float(nodata)
        self.scale, self.offset = float(dataset.scales[band - 1]), float(dataset.offsets[band - 1])
        flags = {flag.name for flag in dataset.mask_flag_enums[band - 1]}
        self.masked = bool(flags & {"per_dataset", "alpha"})
        block = dataset.block_shapes[band - 1]
        self._block = (min(int(block[0]), self.height), min(int(block[1]), self.width))
        self._sparse = dataset.driver == "GTiff" and self.nodata is None and not self.masked
        self.unit = str(dataset.units[band - 1] or "")
        self.description = str(dataset.descriptions[band - 1] or "")
        self.tags = {**dataset.tags(), **dataset.tags(band)}

    @property
    def rectilinear(self) -> bool:
        """Whether rows and columns run along the axes of the coordinate system."""
        t = self._from_pixel
        return bool(abs(t.b) <= 1e-9 * abs(t.a) and abs(t.d) <= 1e-9 * abs(t.e))

    @property
    def bounds(self) -> Box:
        """Bounds of its corners in its own coordinates."""
        x, y = self._coordinates(np.array([0.0, 1, 0, 1]) * self.width, np.array([0.0, 0, 1, 1]) * self.height)
        return float(x.min()), float(y.min()), float(x.max()), float(y.max())

    def locate(self, lat: Floats, lon: Floats) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        """Fractional column and row of points, and which of them lie inside.

        Parameters
        ----------
        lat, lon : ndarray of float64, shape (n,)
            WGS 84 [degrees].

        Raises
        ------
        DataError
            If none lies inside.
        """
        x, y = self.projection.forward(lat, lon)
        column, row, inside = self._pixels(x, y)
        if not inside.any():
            code = "no_overlap"
            here = f"the clusters lie at {describe_box(lat, lon)}; {self._reach()}"
            if self._pixels(y, x)[2].any():
                raise refused(
                    self.path, f"its axes are swapped, x where y belongs ({here})",
                    "Write it again with x (longitude, easting) first.", "axes_swapped",
                )  # fmt: skip
            raise refused(
                self.path, f"it covers none of the {lat.size:,} clusters ({here})",
                "Take the raster of this region, and check that its coordinate system is the one it was made in.", code,
            )  # fmt: skip
        return column, row, inside

    def _pixels(self, x: Floats, y: Floats) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        if self.projection.geographic:
            # Some global products count longitude from 0 to 360.
            left = self.bounds[0]
            with np.errstate(invalid="ignore"):
                x = np.where(np.isfinite(x), (x - left) % 360.0 + left, x)
        t = self._to_pixel
        with np.errstate(invalid="ignore"):
            column, row = t.a * x + t.b * y + t.c, t.d * x + t.e * y + t.f
            inside = (column >= 0) & (column < self.width) & (row >= 0) & (row < self.height)
        return column, row, inside

    def _reach(self) -> str:
        column, row = np.meshgrid(np.linspace(0, self.width, 9), np.linspace(0, self.height, 9))
        x, y = self._coordinates(column.ravel(), row.ravel())
        lat, lon = self.projection.backward(x, y)
        good = np.isfinite(lat) & np.isfinite(lon)
        if not good.any():
            return f"the raster's own bounds are no place in {self.projection.name}"
        return f"the raster covers {describe_box(lat[good], lon[good])}"

    def _coordinates(self, column: Floats, row: Floats) -> tuple[Floats, Floats]:
        t = self._from_pixel
        return t.a * column + t.b * row + t.c, t.d * column + t.e * row + t.f

    def pixel_m(self, column: Floats, row: Floats) -> tuple[Floats, Floats]:
        """Ground size of a pixel at places of the raster, measured on the ellipsoid.

        Parameters
        ----------
        column, row : ndarray of float64
            Places [pixels].

        Returns
        -------
        across_m, down_m : ndarray of float64
            Length of one step along a row and along a column [m].
        """
        geod = need("pyproj").Geod(ellps="WGS84")
        out = []
        for step_column, step_row in ((0.5, 0.0), (0.0, 0.5)):
            ends = [
                self.projection.backward(*self._coordinates(column + s * step_column, row + s * step_row))
                for s in (-1, 1)
            ]
            (lat0, lon0), (lat1, lon1) = ends
            out.append(np.abs(np.asarray(geod.inv(lon0, lat0, lon1, lat1)[2], dtype=np.float64)))
        return out[0], out[1]

    def pixel_size_m(self, column: Floats, row: Floats) -> float:
        """Pixel size in the middle of some places [m]."""
        across, down = self.pixel_m(np.array([np.median(column)]), np.array([np.median(row)]))
        return float(np.sqrt(across[0] * down[0]))

    def windows(
        self, column: NDArray[np.int64], row: NDArray[np.int64], around_px: int = 0
    ) -> Iterator[NDArray[np.int64]]:
        """Groups of points whose pixels lie together, in the order in which the file stores them.

        Parameters
        ----------
        column, row : ndarray of int64
            Pixel of each point.
        around_px : int
            Rows and columns that are read beyond the points (count).

        Yields
        ------
        ndarray of int64
            Indices of the points of one group; their pixels span at most `_WINDOW_PIXELS`.
        """
        height, width = self._tile(around_px)
        key = (row // height) * (self.width // width + 1) + column // width
        order = np.argsort(key, kind="stable")
        ends = np.flatnonzero(np.diff(key[order])) + 1
        yield from np.split(order, ends)

    def _tile(self, around_px: int) -> tuple[int, int]:
        """Height and width of the parts in which the raster is read: whole blocks where they are small enough."""
        height, width = self._block

        def pixels(height: int, width: int) -> int:
            return (height + around_px) * (width + around_px)

        while pixels(height, width) > _WINDOW_PIXELS and max(height, width) > _LEAST_TILE:
            height, width = (height, -(-width // 2)) if width >= height else (-(-height // 2), width)
        while height < self.height or width < self.width:
            grow_down = height < self.height and (height <= width or width >= self.width)
            taller, wider = (height * 2, width) if grow_down else (height, width * 2)
            if pixels(taller, wider) > _WINDOW_PIXELS:
                break
            height, width = taller, wider
        return height, width

    def read(self, row0: int, row1: int, column0: int, column1: int) -> Reading:
        """Pixels of a window that lies inside the raster, rows row0 to row1, columns column0 to column1 (ends excluded).

        Raises
        ------
        DataError
            If the file breaks off or is damaged there.
        """
        rasterio = need("rasterio")
        window = rasterio.windows.Window(column0, row0, column1 - column0, row1 - row0)
        try:
            raw = self._dataset.read(self.band, window=window)
            missing = (
                self._dataset.read_masks(self.band, window=window) == 0 if self.masked else np.zeros(raw.shape, bool)
            )
        except rasterio.errors.RasterioError as error:
            raise refused(
                self.path, f"it breaks off or is damaged around row {row0:,}, column {column0:,} "
                f"({first_line(error.__cause__ or error)})",
                "Download or copy it again.", "raster_damaged",
            ) from None  # fmt: skip
        if raw.dtype.kind == "f":
            missing |= np.isnan(raw)
        if self.nodata is not None and not np.isnan(self.nodata):
            missing |= self._is_nodata(raw)
        if self._sparse:
            self._mark_unwritten(missing, row0, column0)
        return Reading(raw, missing)

    def _is_nodata(self, raw: NDArray[Any]) -> NDArray[np.bool_]:
        assert self.nodata is not None
        if raw.dtype.kind != "f":
            return np.asarray(raw == self.nodata)
        with np.errstate(over="ignore"):
            value = raw.dtype.type(self.nodata)
        close = np.asarray(raw == value)
        if np.isfinite(value) and abs(self.nodata) >= _LONG_NUMBER:
            with np.errstate(over="ignore", invalid="ignore"):
                close |= np.abs(raw - value) <= abs(self.nodata) * 1e-6
        return close

    def _mark_unwritten(self, missing: NDArray[np.bool_], row0: int, column0: int) -> None:
        """Blocks that a sparse GeoTIFF never stored would read as zero."""
        height, width = self._block
        for i in range(row0 // height, (row0 + missing.shape[0] - 1) // height + 1):
            for j in range(column0 // width, (column0 + missing.shape[1] - 1) // width + 1):
                if self._block_tag("OFFSET", i, j) is None:
                    top, left = max(i * height - row0, 0), max(j * width - column0, 0)
                    missing[top : (i + 1) * height - row0, left : (j + 1) * width - column0] = True

    def _block_tag(self, what: str, i: int, j: int) -> str | None:
        """OFFSET or SIZE in bytes of block row i, column j of a GeoTIFF; None where it was never written."""
        found = self._dataset.get_tag_item(f"BLOCK_{what}_{j}_{i}", "TIFF", self.band)
        return None if found is None else str(found)

    def breaks_off(self) -> bool:
        """Whether the last block of a GeoTIFF would lie beyond the end of its file."""
        if self._dataset.driver != "GTiff" or not self.path.is_file():
            return False
        i, j = (self.height - 1) // self._block[0], (self.width - 1) // self._block[1]
        offset, size = self._block_tag("OFFSET", i, j), self._block_tag("SIZE", i, j)
        return offset is not None and int(offset) + int(size or 0) > self.path.stat().st_size

    def values(self, raw: NDArray[Any], scale: float | None = None) -> Floats:
        """Raw pixels times the scale plus the offset that the file declares, or times a scale that was given."""
        if scale is not None:
            return np.asarray(raw.astype(np.float64) * scale)
        return np.asarray(raw.astype(np.float64) * self.scale + self.offset)


def looks_like_fill(raw: NDArray[Any]) -> NDArray[np.bool_]:
    """Pixels that hold a number commonly written where there is no value, such as -9999 or 3.4e38."""
    if raw.dtype.kind == "f":
        raw = raw.astype(np.float64)
        with np.errstate(invalid="ignore"):
            return np.asarray(np.isin(raw, _FILLS) | ~(np.abs(raw) < _HUGE))
    return np.asarray(np.isin(raw, np.array(_FILLS)))


def first_line(error: BaseException) -> str:
    """First line of an error's text, short enough for a sentence."""
    return (str(error).splitlines() or [type(error).__name__])[0][:200].rstrip(".")


@dataclass(frozen=True)
class PointReading:
    """One pixel for each point.

    Parameters
    ----------
    raw : ndarray, shape (n,)
        Value of the pixel in the file's own type; undefined where there is none.
    inside : ndarray of bool, shape (n,)
        Whether the point lies inside the raster.
    missing : ndarray of bool, shape (n,)
        Inside, but the pixel holds no value.
    pixel_size_m : float
        Size of a pixel in the middle of the points [m].
    """

    raw: NDArray[Any]
    inside: NDArray[np.bool_]
    missing: NDArray[np.bool_]
    pixel_size_m: float


def read_points(band: RasterBand, lat: Any, lon: Any, label: str, progress: Progress | None = None) -> PointReading:
    """The pixel under each point, read window by window.

    Parameters
    ----------
    band : RasterBand
        Where to read.
    lat, lon : ndarray of float64, shape (n,)
        WGS 84 [degrees].
    label : str
        What is read, for the progress bar.
    progress : Progress, optional
        Told how many points are done.
    """
    watch = progress or Silent()
    lat, lon = checked_points(lat, lon)
    x_pixel, y_pixel, inside = band.locate(lat, lon)
    rows = np.flatnonzero(inside)
    column, row = x_pixel[rows].astype(np.int64), y_pixel[rows].astype(np.int64)
    size_m = band.pixel_size_m(x_pixel[rows], y_pixel[rows])
    del x_pixel, y_pixel
    raw, missing = np.zeros(lat.size, dtype=band.dtype), np.zeros(lat.size, dtype=bool)
    watch.start(label, lat.size, "clusters")
    watch.advance(lat.size - rows.size)
    for group in band.windows(column, row):
        c, r = column[group], row[group]
        row0, column0 = int(r.min()), int(c.min())
        found = band.read(row0, int(r.max()) + 1, column0, int(c.max()) + 1)
        raw[rows[group]] = found.raw[r - row0, c - column0]
        missing[rows[group]] = found.missing[r - row0, c - column0]
        watch.advance(group.size)
    return PointReading(raw, inside, missing, size_m)
