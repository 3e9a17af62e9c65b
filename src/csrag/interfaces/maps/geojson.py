"""A map as GeoJSON: the squares, circles, outlines and places, each with its figures and units in the names."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.geo import from_albers_m, to_albers_m
from csrag.interfaces.maps.scene import Cells, Scene

_DIGITS = 6
"""Decimals of a degree: 0.1 m."""


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
        yield from cell_features(scene.cells, mark)
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


def _plain(values: NDArray[Any]) -> list[Any]:
    if values.dtype.kind == "f":
        return [None if not np.isfinite(v) else round(float(v), 6) for v in values.tolist()]
    return list(values.tolist())


def _points(ring: Sequence[Any] | NDArray[np.float64]) -> list[list[float]]:
    return [[round(float(lon), _DIGITS), round(float(lat), _DIGITS)] for lon, lat in ring]


def _feature(kind: str, coordinates: Any, properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "Feature", "geometry": {"type": kind, "coordinates": coordinates}, "properties": properties}
