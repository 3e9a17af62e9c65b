"""Clusters and roads gathered into the pixels of a map, and those pixels as a GeoTIFF."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.build.layer_view import no_roads
from csrag.errors import RequestError
from csrag.geo import to_albers_m
from csrag.surfaces.store import LayerStore

CELL_M = 360.0
"""Side of a cluster's cell [m]."""
_MOST_PIXELS = 900


@dataclass(frozen=True)
class Frame:
    """The pixels of a picture in California Albers.

    Parameters
    ----------
    x0_m, y1_m : float
        West and north edge [m].
    pixel_m : float
        Side of a pixel [m].
    rows, columns : int
        Number of pixels, from the north and from the west.
    """

    x0_m: float
    y1_m: float
    pixel_m: float
    rows: int
    columns: int

    @classmethod
    def around(cls, x_m: NDArray[np.float64], y_m: NDArray[np.float64], most: int = _MOST_PIXELS) -> Frame:
        """Pixels that cover points, each a whole number of cells wide, and at most `most` along either side.

        Parameters
        ----------
        x_m, y_m : ndarray, shape (n,)
            Points [m].
        most : int
            Number of pixels.
        """
        west, north = float(x_m.min()) - CELL_M / 2, float(y_m.max()) + CELL_M / 2
        width, height = float(x_m.max()) + CELL_M / 2 - west, north - (float(y_m.min()) - CELL_M / 2)
        pixel = CELL_M * max(1, int(np.ceil(max(width, height) / CELL_M / most)))
        return cls(west, north, pixel, int(np.ceil(height / pixel - 1e-6)), int(np.ceil(width / pixel - 1e-6)))

    def pixel_of(self, x_m: NDArray[np.float64], y_m: NDArray[np.float64]) -> NDArray[np.int64]:
        """Index of the pixel of each point, row by row from the north-west, -1 outside; points [m]."""
        column = np.floor((x_m - self.x0_m) / self.pixel_m).astype(np.int64)
        row = np.floor((self.y1_m - y_m) / self.pixel_m).astype(np.int64)
        inside = (row >= 0) & (row < self.rows) & (column >= 0) & (column < self.columns)
        return np.where(inside, row * self.columns + column, -1)

    @property
    def extent(self) -> tuple[float, float, float, float]:
        """West, east, south, north [m]."""
        return (
            self.x0_m, self.x0_m + self.columns * self.pixel_m, self.y1_m - self.rows * self.pixel_m, self.y1_m,
        )  # fmt: skip


def pixel_means(frame: Frame, pixel: NDArray[np.int64], values: NDArray[Any]) -> NDArray[np.float64]:
    """Mean of the known values in each pixel.

    Parameters
    ----------
    frame : Frame
        The pixels.
    pixel : ndarray of int64, shape (n,)
        Index of each value's pixel; -1 outside.
    values : ndarray, shape (n,)
        Values, any unit; NaN unknown.

    Returns
    -------
    ndarray of float64, shape (rows, columns)
        In the values' unit; NaN where a pixel has no known value.
    """
    known = np.isfinite(values) & (pixel >= 0)
    size = frame.rows * frame.columns
    count = np.bincount(pixel[known], minlength=size)
    total = np.bincount(pixel[known], weights=values[known].astype(np.float64), minlength=size)
    means = np.full(size, np.nan)
    np.divide(total, count, out=means, where=count > 0)
    return means.reshape(frame.rows, frame.columns)


def pixel_classes(frame: Frame, pixel: NDArray[np.int64], codes: NDArray[Any], number: int) -> NDArray[np.int64]:
    """Most frequent code in each pixel, the lower one of equals, -1 where none is known; shape (rows, columns)."""
    size = frame.rows * frame.columns
    best, most = np.full(size, -1, dtype=np.int64), np.zeros(size, dtype=np.int64)
    for code in range(number):
        count = np.bincount(pixel[(codes == code) & (pixel >= 0)], minlength=size)
        more = count > most
        best[more], most[more] = code, count[more]
    return best.reshape(frame.rows, frame.columns)


def fastest_roads(frame: Frame, store: LayerStore) -> NDArray[np.float64]:
    """Speed of the fastest road through each pixel.

    Returns
    -------
    ndarray of float64, shape (rows, columns)
        Truck's speed [km per hour]; NaN where no road passes. Edges are drawn straight from node to node.

    Raises
    ------
    InvalidValueError
        If the set has no road network.
    """
    roads = store.roads
    if roads is None:
        raise no_roads(store)
    start = np.repeat(np.arange(roads.node_lat.size), np.diff(roads.indptr))
    once = start < roads.neighbour
    u, v = start[once], np.asarray(roads.neighbour)[once].astype(np.int64)
    hours = np.asarray(roads.hours)[once].astype(np.float64)
    speed = np.divide(np.asarray(roads.km)[once], hours, out=np.full(hours.shape, np.nan), where=hours > 0)
    x, y = to_albers_m(roads.node_lat, roads.node_lon)
    speed = np.round(speed, 1)  # stored as float32: a road class would show as noise around its speed
    steps = 1 + np.ceil(2 * np.hypot(x[v] - x[u], y[v] - y[u]) / frame.pixel_m).astype(np.int64)
    out = np.full(frame.rows * frame.columns, -np.inf)
    for lo in range(0, u.size, 500_000):  # a national graph's points need not lie in memory together
        at = slice(lo, lo + 500_000)
        many = steps[at]
        edge = np.repeat(np.arange(many.size), many)
        share = (np.arange(edge.size) - np.repeat(np.cumsum(many) - many, many)) / np.maximum(many - 1, 1)[edge]
        a, b = u[at][edge], v[at][edge]
        pixel = frame.pixel_of(x[a] + share * (x[b] - x[a]), y[a] + share * (y[b] - y[a]))
        fine = (pixel >= 0) & np.isfinite(speed[at][edge])
        np.maximum.at(out, pixel[fine], speed[at][edge][fine])
    return np.where(np.isfinite(out), out, np.nan).reshape(frame.rows, frame.columns)


def widened(image: NDArray[np.float64]) -> NDArray[np.float64]:
    """Each pixel as the greatest of itself and its eight neighbours, so that thin lines can be seen; NaN where all are."""
    padded = np.pad(image, 1, constant_values=np.nan)
    out = image
    for row in range(3):
        for column in range(3):
            out = np.fmax(out, padded[row : row + image.shape[0], column : column + image.shape[1]])
    return out


def difference_raster(store: LayerStore, gap: NDArray[np.float64]) -> bytes:
    """A GeoTIFF of differences in California Albers (EPSG:3310), one cell of 360 m a cluster.

    Parameters
    ----------
    store : LayerStore
        Either set.
    gap : ndarray, shape (n,)
        Differences, any unit; NaN where either has no value.

    Returns
    -------
    bytes
        GeoTIFF file, float32, NaN for no value.

    Raises
    ------
    RequestError
        If rasterio is not installed.
    """
    try:
        from rasterio.io import MemoryFile
        from rasterio.transform import Affine
    except ImportError:
        raise RequestError(
            "A GeoTIFF needs rasterio, which is not installed.", 'Install it with pip install "csrag[gis]", or use --csv.',
            code="extra_missing",
        ) from None  # fmt: skip
    x, y = to_albers_m(store.column("lat"), store.column("lon"))
    frame = Frame.around(x, y, most=1 << 30)
    image = pixel_means(frame, frame.pixel_of(x, y), gap).astype(np.float32)
    with MemoryFile() as memory:
        with memory.open(
            driver="GTiff", height=frame.rows, width=frame.columns, count=1, dtype="float32", crs="EPSG:3310", nodata=np.nan,
            transform=Affine(frame.pixel_m, 0.0, frame.x0_m, 0.0, -frame.pixel_m, frame.y1_m), compress="deflate",
        ) as target:  # fmt: skip
            target.write(image, 1)
        return bytes(memory.getbuffer())
