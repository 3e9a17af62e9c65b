"""A map as GeoJSON: the squares, circles, outlines and places, each with its figures and units in the names."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.errors import RequestError
from csrag.geo import from_albers_m, to_albers_m
from csrag.interfaces.maps.scene import Cells, Scene

_DIGITS = 6
"""Decimals of a degree: 0.1 m."""
MOST_CELLS = 50_000
"""Squares that are written one by one; more are summed up."""
_HEXAGON_RESOLUTION = 6
_SUMMED = ("_bdt", "_acres")


def geojson_of(scene: Scene) -> str:
    """The text of a GeoJSON file (RFC 7946): one feature a square, circle, outline and place.

    Parameters
    ----------
    scene : Scene
        What the map shows. Whether the data is synthetic, and from which layer set it comes, stands in the collection and in
        every feature.
    """
    mark = {"synthetic": scene.synthetic}
    parts = [json.dumps(f, ensure_ascii=False, allow_nan=False) for f in _features(scene, mark)]
    head = {"type": "FeatureCollection", "name": scene.title, "synthetic": scene.synthetic, "note": scene.note}
    return json.dumps(head, ensure_ascii=False)[:-1] + ', "features": [\n' + ",\n".join(parts) + "\n]}\n"


def _features(scene: Scene, mark: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if scene.cells is not None:
        many = len(scene.cells.lat) > MOST_CELLS
        yield from summed_features(scene.cells, mark) if many else cell_features(scene.cells, mark)
    for ring in scene.outlines:
        yield _feature("Polygon", [_points(ring)], {"kind": "area", **mark})
    for circle in scene.circles:
        ring = circle.ring()[::-1]
        yield _feature(
            "Polygon", [_points(ring)], {"kind": "circle", "radius_km": circle.radius_km, "name": circle.name, **mark}
        )
    for marker in scene.markers:
        point = [round(marker.lon, _DIGITS), round(marker.lat, _DIGITS)]
        yield _feature("Point", point, {"kind": marker.kind, "name": marker.name, **marker.properties, **mark})


def cell_features(cells: Cells, mark: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A polygon with its properties for every square; what is not known is null."""
    x, y = to_albers_m(cells.lat, cells.lon)
    half = cells.side_m / 2
    corners = [from_albers_m(x + dx, y + dy) for dx, dy in ((-half, -half), (half, -half), (half, half), (-half, half))]
    lats = np.round(np.stack([c[0] for c in corners], axis=1), _DIGITS).tolist()
    lons = np.round(np.stack([c[1] for c in corners], axis=1), _DIGITS).tolist()
    columns = {name: _plain(values) for name, values in cells.properties.items()}
    for i, (lat, lon) in enumerate(zip(lats, lons, strict=True)):
        ring = [[a, b] for a, b in zip(lon, lat, strict=True)]
        yield _feature("Polygon", [[*ring, ring[0]]],
                       {"kind": "cell", **{name: values[i] for name, values in columns.items()}, **mark})  # fmt: skip


def summed_features(cells: Cells, mark: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Squares summed up, by H3 hexagon where the library is installed and else by larger squares: how many they are, tons and acres
    added up, and the mean of the value shown or its most frequent class."""
    rings, at = _groups(cells)
    size = len(rings)
    number = np.bincount(at, minlength=size)
    columns: dict[str, list[Any]] = {"clusters": number.tolist()}
    for name, values in cells.properties.items():
        if name.endswith(_SUMMED):
            known = np.nan_to_num(values.astype(np.float64))
            columns[name] = _plain(np.bincount(at, weights=known, minlength=size))
    known = np.isfinite(cells.values)
    if cells.classes:
        counts = np.stack(
            [np.bincount(at[known & (cells.values == c)], minlength=size) for c in range(len(cells.classes))]
        )
        columns["most"] = [cells.classes[c] for c in counts.argmax(axis=0).tolist()]
    else:
        total = np.bincount(at[known], weights=cells.values[known], minlength=size)
        with np.errstate(invalid="ignore", divide="ignore"):
            columns["mean_" + cells.unit.lower().replace(" ", "_")] = _plain(
                total / np.bincount(at[known], minlength=size)
            )
    for i, ring in enumerate(rings):
        yield _feature(
            "Polygon", [ring], {"kind": "sum", **{name: values[i] for name, values in columns.items()}, **mark}
        )


def _groups(cells: Cells) -> tuple[list[list[list[float]]], NDArray[np.int64]]:
    """Outlines of the groups, and each square's group."""
    try:
        from csrag.build.hexagons import hexagon_index, require_h3

        h3 = require_h3()
    except RequestError:
        x, y = to_albers_m(cells.lat, cells.lon)
        side = cells.side_m * max(2, round(10 * np.sqrt(len(x) / 1_000_000)))
        key = np.floor(y / side).astype(np.int64) * 100_000 + np.floor(x / side).astype(np.int64) + 50_000
        keys, at = np.unique(key, return_inverse=True)
        west, south = (keys % 100_000 - 50_000) * side, keys // 100_000 * side
        corners = [
            from_albers_m(west + dx, south + dy) for dx, dy in ((0, 0), (side, 0), (side, side), (0, side), (0, 0))
        ]
        lats, lons = (np.round(np.stack([c[n] for c in corners], axis=1), _DIGITS).tolist() for n in (0, 1))
        return [
            [[a, b] for a, b in zip(lon, lat, strict=True)] for lat, lon in zip(lats, lons, strict=True)
        ], at.astype(np.int64)
    hexagons, at = hexagon_index(cells.lat, cells.lon, _HEXAGON_RESOLUTION)
    edges = (h3.cell_to_boundary(cell) for cell in hexagons.tolist())
    return [[[round(lon, _DIGITS), round(lat, _DIGITS)] for lat, lon in (*edge, edge[0])] for edge in edges], at


def _plain(values: NDArray[Any]) -> list[Any]:
    if values.dtype.kind == "f":
        return [None if not np.isfinite(v) else round(float(v), 6) for v in values.tolist()]
    return list(values.tolist())


def _points(ring: Sequence[Any] | NDArray[np.float64]) -> list[list[float]]:
    return [[round(float(lon), _DIGITS), round(float(lat), _DIGITS)] for lon, lat in ring]


def _feature(kind: str, coordinates: Any, properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "Feature", "geometry": {"type": kind, "coordinates": coordinates}, "properties": properties}
