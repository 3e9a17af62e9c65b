"""The 58 counties as polygons: which county holds a point, and the outline of the state.

The polygons come from the US Census cartographic boundaries (2016, 1:500,000), simplified to about 100 m with shared
borders kept shared. They follow the shore: a point in the ocean is outside. Lakes are inside.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from csrag.places.normal import fold

OUTSIDE: Final = 255
"""Code of a point in no county."""
_CROSSED = 254

COUNTY_NAMES: Final[tuple[str, ...]] = (
    "Alameda", "Alpine", "Amador", "Butte", "Calaveras", "Colusa", "Contra Costa", "Del Norte", "El Dorado", "Fresno",
    "Glenn", "Humboldt", "Imperial", "Inyo", "Kern", "Kings", "Lake", "Lassen", "Los Angeles", "Madera", "Marin",
    "Mariposa", "Mendocino", "Merced", "Modoc", "Mono", "Monterey", "Napa", "Nevada", "Orange", "Placer", "Plumas",
    "Riverside", "Sacramento", "San Benito", "San Bernardino", "San Diego", "San Francisco", "San Joaquin",
    "San Luis Obispo", "San Mateo", "Santa Barbara", "Santa Clara", "Santa Cruz", "Shasta", "Sierra", "Siskiyou",
    "Solano", "Sonoma", "Stanislaus", "Sutter", "Tehama", "Trinity", "Tulare", "Tuolumne", "Ventura", "Yolo", "Yuba",
)  # fmt: skip
"""Names without the word County, in the order of the codes."""

Ring = NDArray[np.float64]
"""Closed ring, shape (n, 2): longitude, latitude [degrees]."""


@dataclass(frozen=True)
class _Polygons:
    """Every ring's corners on an integer lattice, and a grid of cells that lie inside one county.

    Parameters
    ----------
    x, y : ndarray of int32
        Corners of all rings one after another [lattice steps].
    start : ndarray of int64, shape (rings + 1,)
        First corner of each ring.
    owner : ndarray of uint8, shape (rings,)
        County code of each ring.
    grid : ndarray of uint8, shape (rows, columns)
        County code of a cell, 254 where a border crosses it, 255 outside.
    lat0, lon0, cell, step : float
        South-west corner, cell size and lattice step [degrees].
    """

    x: NDArray[np.int32]
    y: NDArray[np.int32]
    start: NDArray[np.int64]
    owner: NDArray[np.uint8]
    grid: NDArray[np.uint8]
    lat0: float
    lon0: float
    cell: float
    step: float


@lru_cache(maxsize=1)
def _polygons() -> _Polygons:
    path = resources.files("csrag.places").joinpath("data", "counties.npz")
    with path.open("rb") as handle, np.load(handle, allow_pickle=False) as npz:
        lat0, lon0, cell, step = (float(v) for v in npz["frame"])
        start = np.concatenate([[0], np.cumsum(npz["length"], dtype=np.int64)])
        return _Polygons(
            np.cumsum(npz["dx"], dtype=np.int32), np.cumsum(npz["dy"], dtype=np.int32), start, npz["owner"],
            npz["grid"], lat0, lon0, cell, step,
        )  # fmt: skip


def county_names() -> tuple[str, ...]:
    """The 58 names in the order of the codes."""
    return COUNTY_NAMES


@lru_cache(maxsize=1)
def _codes() -> dict[str, int]:
    return {fold(name): code for code, name in enumerate(COUNTY_NAMES)}


def county_code(name: str) -> int:
    """Code of a county by name, with or without the word County.

    Raises
    ------
    KeyError
        If California has no such county.
    """
    return _codes()[fold(name).removesuffix(" county")]


def county_of(lats_deg: ArrayLike, lons_deg: ArrayLike) -> NDArray[np.uint8]:
    """County codes of many points.

    Parameters
    ----------
    lats_deg, lons_deg : array_like, shape (n,)
        Points [degrees].

    Returns
    -------
    ndarray of uint8, shape (n,)
        Index into `COUNTY_NAMES`; 255 where the point lies in no county or is not finite.

    Notes
    -----
    A cell of the grid that no border crosses answers at once; the other points are tested by the crossing number
    (Shimrat 1962, Comm. ACM 5:434) against the rings whose rows they share.
    """
    lat = np.atleast_1d(np.asarray(lats_deg, np.float64))
    lon = np.atleast_1d(np.asarray(lons_deg, np.float64))
    lat, lon = np.broadcast_arrays(lat, lon)
    p = _polygons()
    out = np.full(lat.shape, OUTSIDE, np.uint8)
    rows, cols = p.grid.shape
    with np.errstate(invalid="ignore"):
        r, c = np.floor((lat - p.lat0) / p.cell), np.floor((lon - p.lon0) / p.cell)
        known = (r >= 0) & (r < rows) & (c >= 0) & (c < cols)
    out[known] = p.grid[r[known].astype(np.intp), c[known].astype(np.intp)]
    doubtful = np.flatnonzero(out.ravel() == _CROSSED)
    if doubtful.size:
        flat = out.reshape(-1)
        flat[doubtful] = _test(p, lon.ravel()[doubtful] / p.step, lat.ravel()[doubtful] / p.step)
        out = flat.reshape(lat.shape)
    return out


def _test(p: _Polygons, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Codes of points in lattice units by crossing number, ring by ring over the points in the ring's box."""
    code = np.full(x.shape, OUTSIDE, np.uint8)
    order = np.argsort(y, kind="stable")
    ys = y[order]
    parity = np.zeros((x.size,), np.bool_)
    for county in range(len(COUNTY_NAMES)):
        parity[:] = False
        touched = False
        for ring in np.flatnonzero(p.owner == county):
            lo, hi = p.start[ring], p.start[ring + 1]
            rx, ry = p.x[lo:hi].astype(np.float64), p.y[lo:hi].astype(np.float64)
            first, last = np.searchsorted(ys, [ry.min(), ry.max()])
            some = order[first:last]
            some = some[(x[some] <= rx.max()) & (code[some] == OUTSIDE)]
            if some.size:
                touched = True
                parity[some] ^= _crossings(rx, ry, x[some], y[some])
        if touched:
            code[parity] = county
    return code


def _crossings(
    rx: NDArray[np.float64], ry: NDArray[np.float64], x: NDArray[np.float64], y: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Whether a ray to the east of each point crosses the closed ring an odd number of times; `y` ascending."""
    odd = np.zeros(x.shape, np.bool_)
    x0, y0, x1, y1 = rx[:-1], ry[:-1], rx[1:], ry[1:]
    low, high = np.minimum(y0, y1), np.maximum(y0, y1)
    first, last = np.searchsorted(y, low, "left"), np.searchsorted(y, high, "left")
    for k in np.flatnonzero(last > first):
        span = slice(first[k], last[k])  # low <= y < high: a corner counts for one of its two edges
        at = x0[k] + (y[span] - y0[k]) * (x1[k] - x0[k]) / (y1[k] - y0[k])
        odd[span] ^= x[span] < at
    return odd


def in_ring(ring: Ring, lats_deg: ArrayLike, lons_deg: ArrayLike) -> NDArray[np.bool_]:
    """Whether points lie inside one closed ring, by crossing number.

    Parameters
    ----------
    ring : ndarray of float64, shape (m, 2)
        Longitude and latitude [degrees], last corner equal to the first.
    lats_deg, lons_deg : array_like, shape (n,)
        Points [degrees].
    """
    lat = np.atleast_1d(np.asarray(lats_deg, np.float64))
    lon = np.atleast_1d(np.asarray(lons_deg, np.float64))
    order = np.argsort(lat, kind="stable")
    inside = np.zeros(lat.shape, np.bool_)
    inside[order] = _crossings(ring[:, 0], ring[:, 1], lon[order], lat[order])
    return inside


def county_at(lat_deg: float, lon_deg: float) -> str | None:
    """County that holds a point, without the word County; None outside California.

    Parameters
    ----------
    lat_deg, lon_deg : float
        Point [degrees].
    """
    code = int(county_of([lat_deg], [lon_deg])[0])
    return None if code == OUTSIDE else COUNTY_NAMES[code]


def in_california(lat_deg: float, lon_deg: float) -> bool:
    """Whether a point [degrees] lies in one of the 58 counties; exact to about 100 m at the border."""
    return county_at(lat_deg, lon_deg) is not None


def rings_of(county: str) -> list[Ring]:
    """Rings of a county's polygon, largest part first.

    Parameters
    ----------
    county : str
        Name, with or without the word County.

    Raises
    ------
    KeyError
        If California has no such county.
    """
    p, code = _polygons(), county_code(county)
    return [_ring(p, int(ring)) for ring in np.flatnonzero(p.owner == code)]


def _ring(p: _Polygons, ring: int) -> Ring:
    span = slice(p.start[ring], p.start[ring + 1])
    return np.asarray(np.column_stack([p.x[span], p.y[span]]) * p.step, dtype=np.float64)


@lru_cache(maxsize=1)
def outline() -> tuple[Ring, ...]:
    """Outline of California: what is left when every border between two counties is taken away.

    Returns
    -------
    tuple of ndarray, each of shape (n, 2)
        Closed rings, longitude and latitude [degrees], longest first.

    Notes
    -----
    Two neighbours share a border's corners exactly and run it in opposite directions, so each edge that has its
    reverse is inner; the rest is chained end to end.
    """
    p = _polygons()
    edges: dict[tuple[int, int], list[tuple[int, int]]] = {}
    seen: set[tuple[int, int, int, int]] = set()
    for ring in range(len(p.owner)):
        xs, ys = p.x[p.start[ring] : p.start[ring + 1]].tolist(), p.y[p.start[ring] : p.start[ring + 1]].tolist()
        seen.update(zip(xs[:-1], ys[:-1], xs[1:], ys[1:], strict=True))
    for ax, ay, bx, by in sorted(seen):
        if (bx, by, ax, ay) not in seen:
            edges.setdefault((ax, ay), []).append((bx, by))
    rings = []
    while edges:
        at = start = next(iter(edges))
        chain = [start]
        while at in edges:
            ends = edges[at]
            following = ends.pop()
            if not ends:
                del edges[at]
            chain.append(following)
            at = following
            if at == start:
                break
        if len(chain) > 3 and chain[-1] == start:
            rings.append(np.array(chain, np.float64) * p.step)
    return tuple(sorted(rings, key=len, reverse=True))
