"""A user's own area: polygons from a file, as rings of longitude and latitude.

GeoJSON is read here with nothing but the standard library. Any other format goes through pyogrio, shapely and pyproj, the
extra `gis`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from csrag.errors import RequestError
from csrag.geo import CALIFORNIA_BOX, in_california_box
from csrag.places.counties import in_ring

MAX_CORNERS = 200_000
MAX_BYTES = 50_000_000
_GEOJSON = (".geojson", ".json")
_WGS84 = ("CRS84", "4326", "4269")
"""Coordinate systems in which longitude and latitude may be taken as they are: NAD 83 lies within about a metre of WGS 84."""

Ring = NDArray[np.float64]
"""Closed ring, shape (n, 2): longitude, latitude [degrees]."""


@dataclass(frozen=True, eq=False)
class AreaOutline:
    """An area that the user drew.

    Parameters
    ----------
    name : str
        Name of its file, without the ending.
    polygons : tuple of tuple of rings
        Each polygon its outer ring and then its holes, longitude and latitude [degrees].
    """

    name: str
    polygons: tuple[tuple[Ring, ...], ...]

    @property
    def rings(self) -> tuple[Ring, ...]:
        """Every ring, for a map."""
        return tuple(ring for polygon in self.polygons for ring in polygon)

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """lat_min, lat_max, lon_min, lon_max [degrees]."""
        corners = np.concatenate(self.rings)
        (west, south), (east, north) = corners.min(axis=0), corners.max(axis=0)
        return float(south), float(north), float(west), float(east)

    @property
    def middle(self) -> tuple[float, float]:
        """Latitude and longitude of the middle of its box [degrees]."""
        south, north, west, east = self.bounds
        return (south + north) / 2, (west + east) / 2

    def contains(self, lats_deg: ArrayLike, lons_deg: ArrayLike) -> NDArray[np.bool_]:
        """Which points lie in any of the polygons and in none of its holes.

        Parameters
        ----------
        lats_deg, lons_deg : array_like, shape (n,)
            Points [degrees].
        """
        lat = np.atleast_1d(np.asarray(lats_deg, np.float64))
        lon = np.atleast_1d(np.asarray(lons_deg, np.float64))
        south, north, west, east = self.bounds
        near = np.flatnonzero((lat >= south) & (lat <= north) & (lon >= west) & (lon <= east))
        inside = np.zeros(near.shape, dtype=np.bool_)
        for polygon in self.polygons:
            mine = np.zeros(near.shape, dtype=np.bool_)
            for ring in polygon:
                mine ^= in_ring(ring, lat[near], lon[near])
            inside |= mine
        out = np.zeros(lat.shape, dtype=np.bool_)
        out[near[inside]] = True
        return out


def read_area(path: Path) -> AreaOutline:
    """Read a file of polygons: GeoJSON, or with the extra `gis` whatever GDAL reads.

    Parameters
    ----------
    path : Path
        The file. Every polygon in it counts; points and lines beside them do not.

    Raises
    ------
    RequestError
        If it cannot be read, holds no polygon, or does not lie in California in longitude and latitude.
    """
    try:
        size = path.stat().st_size
    except OSError as error:
        raise _unreadable(path, f"cannot be read ({error.strerror or error})") from None
    if size > MAX_BYTES:
        raise _unreadable(path, f"has {size / 1e6:,.0f} MB; {MAX_BYTES / 1e6:,.0f} are allowed")
    polygons = _geojson(path) if path.suffix.lower() in _GEOJSON else _by_gdal(path)
    closed = tuple(tuple(_closed(path, ring) for ring in polygon) for polygon in polygons if len(polygon))
    if not closed:
        raise _unreadable(path, "holds no polygon")
    if sum(len(ring) for polygon in closed for ring in polygon) > MAX_CORNERS:
        raise _unreadable(path, f"has more than {MAX_CORNERS:,} corners; simplify it")
    outline = AreaOutline("".join(c for c in path.stem if c.isprintable())[:80] or "area", closed)
    _check_where(path, outline)
    return outline


def _unreadable(path: Path, why: str) -> RequestError:
    return RequestError(
        f"The area file {path.name!r} {why}.",
        "Give a GeoJSON file with a Polygon or MultiPolygon in longitude and latitude (WGS 84).",
        code="area_unreadable",
    )


def _geojson(path: Path) -> list[Sequence[Any]]:
    try:
        data = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        raise _unreadable(path, "is no UTF-8 text" if isinstance(error, ValueError) else "cannot be read") from None
    except (ValueError, RecursionError):
        raise _unreadable(path, "is no JSON") from None
    if not isinstance(data, dict):
        raise _unreadable(path, "is no GeoJSON object")
    crs = data.get("crs")
    if crs is not None and not any(known in json.dumps(crs) for known in _WGS84):
        raise _unreadable(path, f"is in another coordinate system ({json.dumps(crs)[:80]})")
    return list(_polygons(path, data))


def _polygons(path: Path, item: Any, depth: int = 0) -> Iterator[Sequence[Any]]:
    """Coordinates of every polygon of a GeoJSON object."""
    if not isinstance(item, dict) or depth > 20:
        return
    kind = item.get("type")
    if kind == "FeatureCollection":
        parts, key = item.get("features"), None
    elif kind == "GeometryCollection":
        parts, key = item.get("geometries"), None
    elif kind == "Feature":
        parts, key = [item.get("geometry")], None
    elif kind == "Polygon":
        parts, key = [item.get("coordinates")], "polygon"
    elif kind == "MultiPolygon":
        parts, key = item.get("coordinates"), "polygon"
    else:
        return
    if not isinstance(parts, list):
        raise _unreadable(path, f"has a {kind} without its parts")
    for part in parts:
        if key == "polygon":
            if not isinstance(part, list):
                raise _unreadable(path, f"has a {kind} without coordinates")
            yield part
        else:
            yield from _polygons(path, part, depth + 1)


def _closed(path: Path, ring: Any) -> Ring:
    try:
        corners = np.array([(float(point[0]), float(point[1])) for point in ring], dtype=np.float64).reshape(-1, 2)
    except (TypeError, ValueError, IndexError, KeyError):
        raise _unreadable(path, "has a ring that is no list of longitudes and latitudes") from None
    if len(corners) and not np.array_equal(corners[0], corners[-1]):
        corners = np.vstack([corners, corners[:1]])
    if len(corners) < 4 or not np.isfinite(corners).all():
        raise _unreadable(path, "has a ring with fewer than three corners, or one that is no number")
    return corners


def _check_where(path: Path, outline: AreaOutline) -> None:
    """Refuse metres, swapped axes and areas that do not touch California's box."""
    south, north, west, east = outline.bounds
    if max(abs(west), abs(east)) > 180 or max(abs(south), abs(north)) > 90:
        if in_california_box(west, south):
            raise _unreadable(path, "gives latitude before longitude; GeoJSON gives longitude first")
        raise _unreadable(path, f"is not in degrees (its corners reach {east:,.0f}, {north:,.0f})")
    if in_california_box(west, south):
        raise _unreadable(path, "gives latitude before longitude; GeoJSON gives longitude first")
    lat_min, lat_max, lon_min, lon_max = CALIFORNIA_BOX
    if north < lat_min or south > lat_max or east < lon_min or west > lon_max:
        raise RequestError(
            f"The area of {path.name!r} ({south:.2f} to {north:.2f} N, {west:.2f} to {east:.2f} E) lies outside California.",
            "The layers cover California only: latitude 32.5 to 42.0, longitude -124.5 to -114.1.",
            code="outside_california",
        )


def _by_gdal(path: Path) -> list[Sequence[Any]]:
    try:
        import pyogrio
        import shapely
        from pyproj import CRS, Transformer
        from pyproj.exceptions import CRSError
    except ImportError:
        raise RequestError(
            f"Reading {path.suffix or path.name!r} needs the extra `gis`, which is not installed.",
            'Install it with pip install "csrag[gis]", or give the area as GeoJSON (.geojson).',
            code="extra_missing",
        ) from None
    try:
        meta, _, geometry, _ = pyogrio.raw.read(path, columns=[], force_2d=True)
        shapes = shapely.from_wkb(geometry)
    except (pyogrio.errors.DataSourceError, shapely.errors.ShapelyError, ValueError) as error:
        raise _unreadable(path, f"cannot be read: {str(error)[:120]}") from None
    if not meta.get("crs"):
        raise _unreadable(path, "names no coordinate system")
    try:
        to_degrees = Transformer.from_crs(CRS.from_user_input(meta["crs"]), CRS.from_epsg(4326), always_xy=True)
    except CRSError as error:
        raise _unreadable(path, f"has a coordinate system that cannot be read ({str(error)[:80]})") from None
    out: list[Sequence[Any]] = []
    for shape in shapely.get_parts(shapely.get_parts(shapes)):
        if shapely.get_type_id(shape) != 3:
            continue
        rings = [shape.exterior, *shape.interiors]
        out.append([np.column_stack(to_degrees.transform(*np.asarray(ring.coords.xy))) for ring in rings])
    return out
