"""Polygons from a user's file: what is read, what is refused and why."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest

from csrag.errors import RequestError
from csrag.places.area_file import read_area

SQUARE = [[-121.0, 40.0], [-120.0, 40.0], [-120.0, 41.0], [-121.0, 41.0], [-121.0, 40.0]]


def written(tmp_path, value, name="area.geojson"):
    file = tmp_path / name
    file.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return file


def polygon(*rings):
    return {"type": "Polygon", "coordinates": list(rings)}


@pytest.mark.parametrize(
    "value",
    [
        polygon(SQUARE),
        {"type": "Feature", "properties": {}, "geometry": polygon(SQUARE)},
        {"type": "FeatureCollection", "features": [{"type": "Feature", "geometry": polygon(SQUARE)},
                                                  {"type": "Feature", "geometry": {"type": "Point", "coordinates": [0, 0]}},
                                                  {"type": "Feature", "geometry": None}]},
        {"type": "GeometryCollection", "geometries": [polygon(SQUARE)]},
        {"type": "MultiPolygon", "coordinates": [[SQUARE]]},
        polygon([[x, y, 1200.0] for x, y in SQUARE]),
        polygon(SQUARE[:-1]),
        {**polygon(SQUARE), "crs": {"type": "name", "properties": {"name": "urn:ogc:def:crs:OGC:1.3:CRS84"}}},
    ],
)  # fmt: skip
def test_every_form_of_a_square_is_that_square(tmp_path, value):
    area = read_area(written(tmp_path, value))
    assert area.name == "area"
    assert area.bounds == (40.0, 41.0, -121.0, -120.0)
    lat, lon = np.array([40.5, 39.9, 40.5, 41.1]), np.array([-120.5, -120.5, -121.1, -120.5])
    assert area.contains(lat, lon).tolist() == [True, False, False, False]


def test_holes_are_out_and_overlapping_polygons_do_not_cancel(tmp_path):
    hole = [[-120.6, 40.4], [-120.4, 40.4], [-120.4, 40.6], [-120.6, 40.6], [-120.6, 40.4]]
    over = [[-120.5, 40.0], [-119.5, 40.0], [-119.5, 41.0], [-120.5, 41.0], [-120.5, 40.0]]
    area = read_area(written(tmp_path, {"type": "MultiPolygon", "coordinates": [[SQUARE, hole], [over]]}))
    lat = np.array([40.5, 40.5, 40.2, 40.2])
    lon = np.array([-120.55, -120.45, -120.25, -119.7])
    assert area.contains(lat, lon).tolist() == [False, True, True, True]


def test_containment_is_the_crossing_number_of_shapely(tmp_path):
    shapely = pytest.importorskip("shapely")
    rng = np.random.default_rng(5)
    angle = np.sort(rng.uniform(0, 2 * np.pi, 40))
    reach = rng.uniform(0.1, 0.6, 40)
    ring = np.column_stack([-120.5 + reach * np.cos(angle), 40.2 + reach * np.sin(angle)])
    area = read_area(written(tmp_path, polygon(ring.tolist())))
    lat, lon = rng.uniform(39.5, 41, 2000), rng.uniform(-121.2, -119.8, 2000)
    expected = shapely.contains_xy(shapely.Polygon(ring), lon, lat)
    assert np.array_equal(area.contains(lat, lon), expected)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("{", "no JSON"),
        ("[1]", "no GeoJSON object"),
        ("[" * 100_000, "no JSON"),
        ({"type": "Point", "coordinates": [-120, 40]}, "no polygon"),
        ({"type": "FeatureCollection", "features": []}, "no polygon"),
        (polygon([[y, x] for x, y in SQUARE]), "latitude before longitude"),
        (polygon([[x * 10_000, y * 10_000] for x, y in SQUARE]), "not in degrees"),
        (polygon([[x + 40, y] for x, y in SQUARE]), "outside California"),
        (polygon([["a", "b"], [1, 2], [3, 4], [5, 6]]), "no list of longitudes"),
        (polygon([[-120, 40], [-121, 40]]), "fewer than three corners"),
        (polygon([[-120, 40], [-121, 40], [-121, float("nan")], [-120, 40]]), "no number"),
        ({**polygon(SQUARE), "crs": {"properties": {"name": "EPSG:3310"}}}, "another coordinate system"),
        ({"type": "MultiPolygon", "coordinates": 3}, "without its parts"),
    ],
)
def test_what_is_no_area_is_refused(tmp_path, value, words):
    with pytest.raises(RequestError, match=words):
        read_area(written(tmp_path, value))


def test_files_that_are_not_there_or_not_text(tmp_path):
    with pytest.raises(RequestError, match="cannot be read"):
        read_area(tmp_path / "none.geojson")
    binary = tmp_path / "x.geojson"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(RequestError, match="no UTF-8"):
        read_area(binary)


def test_other_formats_in_other_systems_are_read_with_the_extra(tmp_path):
    pyogrio, shapely = pytest.importorskip("pyogrio"), pytest.importorskip("shapely")
    pyproj = pytest.importorskip("pyproj")
    to_albers = pyproj.Transformer.from_crs(4326, 3310, always_xy=True)
    hole = [[-120.6, 40.4], [-120.4, 40.4], [-120.4, 40.6], [-120.6, 40.6], [-120.6, 40.4]]
    rings = [np.column_stack(to_albers.transform(*np.array(ring).T)) for ring in (SQUARE, hole)]
    shapes = [shapely.MultiPolygon([shapely.Polygon(rings[0], [rings[1]])])]
    file = tmp_path / "stand.gpkg"
    pyogrio.raw.write(file, geometry=np.array(shapely.to_wkb(shapes), dtype=object), field_data=[], fields=[], crs="EPSG:3310",
                      geometry_type="MultiPolygon")  # fmt: skip
    area = read_area(file)
    assert area.name == "stand"
    assert area.bounds == pytest.approx((40.0, 41.0, -121.0, -120.0), abs=0.02)
    assert area.contains([40.5, 40.2], [-120.5, -120.2]).tolist() == [False, True]
    (tmp_path / "bad.gpkg").write_text("no database")
    with pytest.raises(RequestError, match="cannot be read"):
        read_area(tmp_path / "bad.gpkg")


def test_without_the_extra_it_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyogrio", None)
    file = written(tmp_path, "x", "area.shp")
    with pytest.raises(RequestError, match=r"csrag\[gis\]|extra `gis`"):
        read_area(file)
