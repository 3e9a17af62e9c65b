"""What a map shows, whatever it is drawn with: cells with a value, circles, outlines, numbered places."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.geo import to_albers_m
from csrag.places.gazetteer import towns

Floats = NDArray[np.float64]
CLUSTER_M = 360.0
"""Side of a cluster's square [m]."""
_TAIL_PCT = 2.0
_TOWNS = 14
_UNDER_M = 1500.0
_APART_M = 0.085
"""Least distance between two town names, as a share of the picture's larger side."""


@dataclass(frozen=True, eq=False)
class Cells:
    """Squares that carry a value.

    Parameters
    ----------
    lat, lon : ndarray of float64, shape (n,)
        Centres [degrees].
    side_m : float
        Side of a square [m].
    values : ndarray of float64, shape (n,)
        In `unit`, or a class code; NaN where there is none.
    label, unit : str
        What it is; unit in words, empty for classes.
    pale : ndarray of bool, shape (n,)
        Drawn faintly: there, but not taken.
    pale_words, full_words, nothing_words : str
        What faint, full and grey squares are; the first two empty where none is faint.
    classes : tuple of str
        Meanings of the codes; empty for a measure.
    properties : mapping of str to ndarray
        Further columns of a GeoJSON, each of shape (n,).
    """

    lat: Floats
    lon: Floats
    side_m: float
    values: Floats
    label: str
    unit: str
    pale: NDArray[np.bool_]
    pale_words: str = ""
    full_words: str = ""
    nothing_words: str = "no value"
    classes: tuple[str, ...] = ()
    properties: Mapping[str, NDArray[Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Marker:
    """A named point: a site (numbered where there are several) or a plant that buys wood there already."""

    lat: float
    lon: float
    name: str
    kind: str
    text: str
    properties: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Circle:
    """A true circle on the ground."""

    lat: float
    lon: float
    radius_km: float
    name: str = ""

    def ring(self, corners: int = 180) -> Floats:
        """Its outline, shape (corners + 1, 2): longitude and latitude [degrees]."""
        angle = self.radius_km / 6371.0088
        turn = np.linspace(0.0, 2 * np.pi, corners + 1)
        here = np.radians(self.lat)
        lat = np.arcsin(np.sin(here) * np.cos(angle) + np.cos(here) * np.sin(angle) * np.cos(turn))
        east = np.arctan2(np.sin(turn) * np.sin(angle) * np.cos(here), np.cos(angle) - np.sin(here) * np.sin(lat))
        return np.column_stack([self.lon + np.degrees(east), np.degrees(lat)])


@dataclass(frozen=True, eq=False)
class Scene:
    """Everything on one map.

    Parameters
    ----------
    title : str
        One line.
    cells : Cells or None
        The squares.
    outlines : tuple of ndarray
        Closed rings of longitude and latitude [degrees].
    circles : tuple of Circle
        Procurement circles.
    markers : tuple of Marker
        Places.
    synthetic : bool
        Whether the forest is made up.
    note : str
        Layer set and whatever else has to be said below the picture.
    """

    title: str
    cells: Cells | None
    outlines: tuple[Floats, ...]
    circles: tuple[Circle, ...]
    markers: tuple[Marker, ...]
    synthetic: bool
    note: str


@dataclass(frozen=True, eq=False)
class Raster:
    """Squares gathered into a grid of pixels in California Albers.

    Parameters
    ----------
    west_m, north_m : float
        Outer corner [m].
    pixel_m : float
        Side of a pixel [m].
    values : ndarray of float64, shape (rows, columns)
        Mean of the squares drawn in full, else of the faint ones; of classes the most frequent. NaN where there is none.
    pale : ndarray of bool, shape (rows, columns)
        Whether a pixel holds faint squares only.
    there : ndarray of bool, shape (rows, columns)
        Whether a pixel holds any square.
    """

    west_m: float
    north_m: float
    pixel_m: float
    values: Floats
    pale: NDArray[np.bool_]
    there: NDArray[np.bool_]


@dataclass(frozen=True)
class Frame:
    """The picture's part of the plane in California Albers [m]."""

    west: float
    east: float
    south: float
    north: float


def raster_of(cells: Cells, most: int = 700) -> Raster:
    """Gather squares into pixels that are a whole number of squares wide, at most `most` [count] along either side."""
    x, y = to_albers_m(cells.lat, cells.lon)
    side = cells.side_m
    west, north = float(x.min()) - side / 2, float(y.max()) + side / 2
    across, down = float(x.max()) + side / 2 - west, north - float(y.min()) + side / 2
    pixel = side * max(1, int(np.ceil(max(across, down) / side / most)))
    columns, rows = max(1, round(across / pixel + 0.499)), max(1, round(down / pixel + 0.499))
    column = np.clip(np.floor((x - west) / pixel + 1e-6).astype(np.int64), 0, columns - 1)
    row = np.clip(np.floor((north - y) / pixel + 1e-6).astype(np.int64), 0, rows - 1)
    at, size = row * columns + column, rows * columns
    full, faint = _gathered(cells, at, ~cells.pale, size), _gathered(cells, at, cells.pale, size)
    any_full = np.bincount(at[~cells.pale], minlength=size) > 0
    there = np.bincount(at, minlength=size) > 0
    values = np.where(any_full, full, faint)
    shape = (rows, columns)
    return Raster(west, north, pixel, values.reshape(shape), (there & ~any_full).reshape(shape), there.reshape(shape))


def _gathered(cells: Cells, at: NDArray[np.int64], some: NDArray[np.bool_], size: int) -> Floats:
    known = some & np.isfinite(cells.values)
    if cells.classes:
        counts = np.stack(
            [np.bincount(at[known & (cells.values == code)], minlength=size) for code in range(len(cells.classes))]
        )
        return np.where(counts.max(axis=0) > 0, counts.argmax(axis=0), np.nan).astype(np.float64)
    number = np.bincount(at[known], minlength=size)
    total = np.bincount(at[known], weights=cells.values[known], minlength=size)
    return np.asarray(np.divide(total, number, out=np.full(size, np.nan), where=number > 0), dtype=np.float64)


def limits(cells: Cells) -> tuple[float, float]:
    """Ends of the colour ramp in the values' unit, never equal: all but the outermost 2 % to either side.

    Where some squares are faint the ramp is that of the others, stretched to the middle of the faint ones.
    """
    known = cells.values[np.isfinite(cells.values) & ~cells.pale]
    faint = cells.values[np.isfinite(cells.values) & cells.pale]
    known, faint = (known, faint) if known.size else (faint, known)
    if not known.size:
        return 0.0, 1.0
    low, high = (float(v) for v in np.percentile(known, [_TAIL_PCT, 100 - _TAIL_PCT]))
    if faint.size:
        middle = float(np.median(faint))
        low, high = min(low, middle), max(high, middle)
    if high - low <= 1e-6 * max(abs(low), abs(high), 1e-12):
        low, high = low - 0.05 * abs(low) - 1e-6, high + 0.05 * abs(high) + 1e-6
    return low, high


def plants_in(scene: Scene, frame: Frame) -> bool:
    """Whether any wood-burning plant can be seen in the picture: one under a site's star cannot."""
    sites = [to_albers_m(m.lat, m.lon) for m in scene.markers if m.kind == "site"]
    for marker in scene.markers:
        x, y = (float(v) for v in to_albers_m(marker.lat, marker.lon))
        seen = all(abs(x - float(a)) + abs(y - float(b)) > _UNDER_M for a, b in sites)
        if marker.kind == "plant" and seen and frame.west < x < frame.east and frame.south < y < frame.north:
            return True
    return False


def frame_of(scene: Scene) -> Frame:
    """The part of the plane that holds everything shown, with a margin; never less than 20 km wide."""
    xs: list[Floats] = []
    ys: list[Floats] = []

    def take(lon: Any, lat: Any) -> None:
        x, y = to_albers_m(lat, lon)
        xs.append(np.atleast_1d(x))
        ys.append(np.atleast_1d(y))

    if scene.cells is not None and len(scene.cells.lat):
        take(scene.cells.lon, scene.cells.lat)
    for ring in (*scene.outlines, *(circle.ring() for circle in scene.circles)):
        take(ring[:, 0], ring[:, 1])
    for marker in scene.markers:
        if marker.kind == "site" or not xs:
            take(marker.lon, marker.lat)
    x, y = np.concatenate(xs), np.concatenate(ys)
    west, east, south, north = float(x.min()), float(x.max()), float(y.min()), float(y.max())
    margin = max(0.04 * max(east - west, north - south), (20_000 - max(east - west, north - south)) / 2)
    west, east, south, north = west - margin, east + margin, south - margin, north + margin
    # Neither a strip nor a column: the shorter side is at least 0.55 of the longer, so that the legend has room.
    width, height = east - west, north - south
    across, down = max(0.0, 0.55 * height - width) / 2, max(0.0, 0.55 * width - height) / 2
    return Frame(west - across, east + across, south - down, north + down)


def towns_in(frame: Frame, taken: list[tuple[float, float]]) -> list[tuple[str, float, float]]:
    """The largest towns of a frame whose names leave each other, and the points of `taken` [m], room.

    Returns
    -------
    list of (str, float, float)
        Name, easting and northing [m].
    """
    known = towns()
    x, y = to_albers_m(known.lat, known.lon)
    inner = 0.02 * (frame.east - frame.west)
    inside = (
        (x > frame.west + inner) & (x < frame.east - 5 * inner) & (y > frame.south + inner) & (y < frame.north - inner)
    )
    room = _APART_M * max(frame.east - frame.west, frame.north - frame.south)
    out: list[tuple[str, float, float]] = []
    busy = list(taken)
    for i in sorted(np.flatnonzero(inside).tolist(), key=lambda i: (-int(known.population[i]), known.name[i])):
        here = (float(x[i]), float(y[i]))
        if all(abs(here[0] - bx) > 1.6 * room or abs(here[1] - by) > 0.5 * room for bx, by in busy):
            out.append((known.name[i], *here))
            busy.append(here)
        if len(out) == _TOWNS:
            break
    return out


def scale_km(frame: Frame) -> int:
    """Length of the scale bar [km]: the longest round one that fits a fifth of the width."""
    fits = [k for k in (1, 2, 5, 10, 20, 50, 100, 200) if k * 1000 <= (frame.east - frame.west) / 5]
    return fits[-1] if fits else 1
