"""Ownership and exclusions: points in polygons of every format, against boxes whose inside is known."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support import geodata

from csrag.build.sources.polygons import assign_polygons
from csrag.build.sources.polygons_owner import KNOWN_OWNERS, owner_code
from csrag.build.sources.polygons_read import folded
from csrag.errors import CsragError, DataError, InvalidValueError
from csrag.surfaces.catalog import LAND_USES

pyogrio = pytest.importorskip("pyogrio", reason="needs the extra gis")
shapely = pytest.importorskip("shapely", reason="needs the extra gis")

USFS, PRIVATE, NPS, OTHER = (LAND_USES.index(name) for name in ("usfs", "private", "nps", "other"))
BOX = (-0.1, 0.05, -0.08, 0.1)
FORMATS = [
    ("a.gpkg", "EPSG:3310"), ("a.shp", "EPSG:5070"), ("a.geojson", "EPSG:4326"), ("a.gpkg", "EPSG:4326"),
    ("a.fgb", "EPSG:26910"), ("a.shp", "EPSG:2226"), ("a.gdb", "EPSG:3310"),
]  # fmt: skip


def within(lat: geodata.Array, lon: geodata.Array, box: tuple[float, float, float, float]) -> np.ndarray[Any, Any]:
    lat0, lat1, lon0, lon1 = box
    dlat, dlon = lat - geodata.LAT, lon - geodata.LON
    return (dlat > lat0) & (dlat < lat1) & (dlon > lon0) & (dlon < lon1)


def clear(lat: geodata.Array, lon: geodata.Array, *boxes: tuple[float, float, float, float]) -> np.ndarray[Any, Any]:
    """Points farther than 20 m from every edge: an edge straight in one system is bent in another."""
    out = np.ones(lat.shape, dtype=bool)
    for lat0, lat1, lon0, lon1 in boxes:
        for value, edges in ((lat - geodata.LAT, (lat0, lat1)), (lon - geodata.LON, (lon0, lon1))):
            for edge in edges:
                out &= np.abs(value - edge) > 2.5e-4
    return out


def refused(path: Path, code: str, **ask: Any) -> str:
    lat, lon = geodata.points()
    with pytest.raises(DataError) as caught:
        assign_polygons(path, ask.pop("lat", lat), ask.pop("lon", lon), **ask)
    assert caught.value.code == code, str(caught.value)
    assert path.name in str(caught.value)
    assert caught.value.fix
    return str(caught.value)


@pytest.mark.parametrize(("name", "crs"), FORMATS, ids=[f"{n.split('.')[1]}-{c}" for n, c in FORMATS])
def test_inside_is_inside_in_every_format_and_system(tmp_path: Path, name: str, crs: str) -> None:
    if name.endswith(".gdb") and "w" not in pyogrio.list_drivers().get("OpenFileGDB", ""):
        pytest.skip("this GDAL does not write file geodatabases")
    path = geodata.write_layer(tmp_path / name, [geodata.box(*BOX)], {"OWNER": ["US Forest Service"]}, crs)
    lat, lon = geodata.points(3000)
    inside, sure = within(lat, lon, BOX), clear(lat, lon, BOX)
    found = assign_polygons(path, lat, lon, field="OWNER")
    assert np.array_equal(found.inside[sure], inside[sure])
    assert (found.codes[sure & inside] == USFS).all()
    assert (found.codes[sure & ~inside] == 255).all()
    assert found.counts["inside"] + found.counts["outside"] == 3000
    mask = assign_polygons(path, lat, lon)
    assert np.array_equal(mask.inside, found.inside)
    assert (mask.codes == 255).all()


def test_many_polygons_with_holes_agree_with_a_plain_test(tmp_path: Path) -> None:
    rng = np.random.default_rng(11)
    shapes, owners = [], []
    for _ in range(320):
        x, y = geodata.projected(
            geodata.LAT + rng.uniform(-0.2, 0.2, 1), geodata.LON + rng.uniform(-0.2, 0.2, 1), "EPSG:3310"
        )
        angle = np.sort(rng.uniform(0, 2 * np.pi, 9))
        radius = rng.uniform(200, 3000) * rng.uniform(0.5, 1.0, 9)
        outer = shapely.Polygon(np.column_stack((x + radius * np.cos(angle), y + radius * np.sin(angle))))
        shapes.append(outer.convex_hull.difference(outer.centroid.buffer(radius.min() / 3)))
        owners.append(str(rng.choice(["BLM", "State of California", "Private"])))
    kept = [i for i, s in enumerate(shapes) if s.geom_type in ("Polygon", "MultiPolygon") and s.is_valid]
    shapes, owners = [shapes[i] for i in kept], [owners[i] for i in kept]
    path = tmp_path / "many.gpkg"
    pyogrio.raw.write(
        path, shapely.to_wkb(np.array([shapely.multipolygons([s]) if s.geom_type == "Polygon" else s for s in shapes])),
        [np.array(owners, dtype=object)], ["OWNER"], geometry_type="MultiPolygon", crs="EPSG:3310",
    )  # fmt: skip
    lat, lon = geodata.points(2000)
    x, y = geodata.projected(lat, lon, "EPSG:3310")
    best, code, count = np.full(2000, np.inf), np.full(2000, 255), np.zeros(2000, dtype=int)
    seen: list[set[int]] = [set() for _ in range(2000)]
    for shape, owner in zip(shapes, owners, strict=True):
        number = owner_code(folded(owner))
        assert number is not None
        for i in np.flatnonzero(shapely.intersects_xy(shape, x, y)):
            seen[i].add(number)
            count[i] += 1
            if shape.area < best[i]:
                best[i], code[i] = shape.area, number
    found = assign_polygons(path, lat, lon, field="OWNER")
    assert np.array_equal(found.codes, code)
    assert np.array_equal(found.inside, count > 0)
    assert found.counts["overlapping"] == sum(len(s) > 1 for s in seen) > 20


@pytest.mark.parametrize("order", [1, -1])
def test_where_owners_overlap_the_smaller_polygon_counts(tmp_path: Path, order: int) -> None:
    """An inholding comes before the forest drawn around it, in whichever order the file has them."""
    hole = (-0.02, 0.02, -0.02, 0.02)
    path = geodata.write_layer(
        tmp_path / "own.gpkg", [geodata.box(*BOX), geodata.box(*hole)][::order], {"O": ["USFS", "Private"][::order]}
    )
    lat, lon = geodata.points(2000)
    sure, small = clear(lat, lon, BOX, hole), within(lat, lon, hole)
    found = assign_polygons(path, lat, lon, field="O")
    assert (found.codes[sure & small] == PRIVATE).all()
    assert (found.codes[sure & within(lat, lon, BOX) & ~small] == USFS).all()
    assert abs(found.counts["overlapping"] - small.sum()) <= (~sure).sum()
    assert any("the smallest polygon counts" in note for note in found.notes)


def test_a_polygon_that_crosses_itself_is_mended_and_counted(tmp_path: Path) -> None:
    bow_tie = geodata.LON + np.array([-0.1, 0.1, -0.1, 0.1, -0.1]), geodata.LAT + np.array([-0.1, 0.1, 0.1, -0.1, -0.1])
    path = geodata.write_layer(tmp_path / "bow.gpkg", [np.column_stack(bow_tie)], crs="EPSG:4326")
    lat, lon = geodata.points(2000)
    dlat, dlon = lat - geodata.LAT, lon - geodata.LON
    # The ring runs corner to opposite corner twice: its triangles lie north and south of the crossing.
    inside = (np.abs(dlat) < 0.1) & (np.abs(dlat) > np.abs(dlon))
    sure = (np.abs(np.abs(dlat) - 0.1) > 1e-4) & (np.abs(np.abs(dlat) - np.abs(dlon)) > 1e-4)
    found = assign_polygons(path, lat, lon)
    assert np.array_equal(found.inside[sure], inside[sure])
    assert found.counts["polygons_mended"] == 1
    assert any("mended" in note for note in found.notes)


def test_only_polygons_near_the_clusters_are_read(tmp_path: Path) -> None:
    rings = [geodata.box(i - 0.1, i + 0.1, -0.1, 0.1) for i in range(-6, 2)]
    path = geodata.write_layer(tmp_path / "far.gpkg", rings)
    lat, lon = geodata.points(200)
    found = assign_polygons(path, lat, lon)
    assert found.counts["polygons_read"] == 1
    assert 0 < found.counts["inside"] < 200


def test_owners_by_the_recipe_before_the_known_words(tmp_path: Path) -> None:
    west, east = (-0.15, 0.15, -0.15, 0.0), (-0.15, 0.15, 0.0, 0.15)
    path = geodata.write_layer(
        tmp_path / "own.shp", [geodata.box(*west), geodata.box(*east)], {"O": ["Sierra  Pacific", "USFS"]}
    )
    lat, lon = geodata.points(500)
    assert "'sierra pacific' (1)" in refused(path, "polygon_values", field="O")
    found = assign_polygons(path, lat, lon, field="O", mapping={"SIERRA PACIFIC": "private", "usfs": "nps"})
    sure = clear(lat, lon, west, east)
    assert set(found.codes[sure & within(lat, lon, west)]) == {PRIVATE}
    assert set(found.codes[sure & within(lat, lon, east)]) == {NPS}
    loose = assign_polygons(path, lat, lon, field="O", unknown="other")
    assert set(loose.codes[sure & within(lat, lon, west)]) == {OTHER}
    assert any("taken as other: 'sierra pacific'" in note for note in loose.notes)
    with pytest.raises(InvalidValueError, match="'timber'"):
        assign_polygons(path, lat, lon, field="O", mapping={"USFS": "timber"})
    with pytest.raises(InvalidValueError, match="no field"):
        assign_polygons(path, lat, lon, mapping={"USFS": "usfs"})


def test_an_empty_owner_is_unknown(tmp_path: Path) -> None:
    path = geodata.write_layer(tmp_path / "own.gpkg", [geodata.box(*BOX)], {"O": [None]})
    lat, lon = geodata.points(300)
    found = assign_polygons(path, lat, lon, field="O")
    assert found.counts["inside"] > 0
    assert found.counts["known"] == 0
    assert found.counts["polygons_without_value"] == 1
    assert (found.codes == 255).all()


@pytest.mark.parametrize(
    ("word", "use"),
    [
        ("United States Forest Service", "usfs"), ("USDA Forest Service", "usfs"), ("USFS", "usfs"),
        ("United States Bureau of Land Management", "blm"), ("National Park Service", "nps"), ("State", "state"),
        ("California Department of Parks and Recreation", "state"), ("CAL FIRE", "state"), ("Local Government", "other"),
        ("BIA", "tribal"), ("Non Profit", "other"), ("Special District", "other"), ("City of State Line", "other"),
        ("PVT", "private"), ("US Fish and Wildlife Service", "other"), ("Department of Defense", "other"),
        ("Federal", None), ("Unknown", None), ("Timberland Trust LLC", None),
    ],
)  # fmt: skip
def test_words_of_ownership_layers(word: str, use: str | None) -> None:
    code = owner_code(folded(word))
    assert (None if code is None else LAND_USES[code]) == use


def test_no_word_stands_for_two_owners() -> None:
    words = [word for words in KNOWN_OWNERS.values() for word in words]
    assert len(words) == len(set(words))
    assert all(folded(word) == word for word in words)
    assert set(KNOWN_OWNERS) == set(LAND_USES)


def test_a_level_above_the_agency_is_refused_with_the_reason(tmp_path: Path) -> None:
    path = geodata.write_layer(tmp_path / "own.gpkg", [geodata.box(*BOX)], {"LEVEL": ["Federal"]})
    said = refused(path, "polygon_values", field="LEVEL")
    assert "which agency is not said" in said


def test_a_field_that_is_not_there_lists_those_that_are(tmp_path: Path) -> None:
    path = geodata.write_layer(tmp_path / "own.gpkg", [geodata.box(*BOX)], {"OWNER": ["USFS"], "ACRES": [5.0]})
    said = refused(path, "field_missing", field="owner")
    assert "OWNER, ACRES" in said
    assert "Did you mean OWNER?" in said


def test_of_several_layers_one_must_be_named(tmp_path: Path) -> None:
    path = tmp_path / "two.gpkg"
    geodata.write_layer(path, [geodata.box(*BOX)], layer="first")
    geodata.write_layer(path, [geodata.box(0.06, 0.1, -0.1, 0.1)], layer="second", append=True)
    lat, lon = geodata.points(300)
    assert "first, second" in refused(path, "layer_not_named")
    refused(path, "layer_not_named", layer="third")
    first, second = (assign_polygons(path, lat, lon, layer=name).inside for name in ("first", "second"))
    assert first.any()
    assert second.any()
    assert not (first & second).any()


@pytest.mark.case("A10")
def test_a_layer_without_a_coordinate_system_is_refused(tmp_path: Path) -> None:
    path = geodata.write_layer(tmp_path / "a.shp", [geodata.box(*BOX)])
    path.with_suffix(".prj").unlink()
    said = refused(path, "crs_missing")
    assert ".prj" in said
    assert "ogr2ogr -a_srs" in said
    local = geodata.write_layer(tmp_path / "b.gpkg", [geodata.box(*BOX)], crs=geodata.LOCAL_WKT, grid_crs="EPSG:3310")
    refused(local, "crs_local")


@pytest.mark.parametrize(("name", "crs"), [("a.geojson", "EPSG:4326"), ("a.gpkg", "EPSG:4269"), ("a.shp", "EPSG:3310")])
def test_swapped_axes_are_refused(tmp_path: Path, name: str, crs: str) -> None:
    path = geodata.write_layer(tmp_path / name, [geodata.box(*BOX)], crs=crs, swapped=True)
    refused(path, "axes_swapped")


def test_swapped_positions_are_refused(tmp_path: Path) -> None:
    path = geodata.write_layer(tmp_path / "a.gpkg", [geodata.box(*BOX)])
    lat, lon = geodata.points()
    with pytest.raises(InvalidValueError, match="swapped"):
        assign_polygons(path, lon, lat)


def test_a_layer_in_the_wrong_system_lies_elsewhere(tmp_path: Path) -> None:
    """Albers of California read as that of the country."""
    path = geodata.write_layer(
        tmp_path / "a.gpkg", [geodata.box(*BOX)], {"O": ["USFS"]}, crs="EPSG:5070", grid_crs="EPSG:3310"
    )
    assert "the clusters lie at latitude 39.8" in refused(path, "no_overlap", field="O")
    refused(path, "no_overlap")


def test_exclusions_elsewhere_in_california_exclude_nothing_and_say_so(tmp_path: Path) -> None:
    path = geodata.write_layer(tmp_path / "a.gpkg", [geodata.box(-5.1, -5.0, 3.0, 3.1)], {"O": ["USFS"]})
    lat, lon = geodata.points()
    found = assign_polygons(path, lat, lon)
    assert not found.inside.any()
    assert found.notes[0].startswith("0 of 300 clusters")
    refused(path, "no_overlap", field="O")


def test_an_empty_layer_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.gpkg"
    pyogrio.raw.write(
        path, np.array([], dtype=object), [np.array([], dtype=object)], ["O"], geometry_type="Polygon", crs="EPSG:3310"
    )
    refused(path, "layer_empty")


def test_lines_and_tables_are_no_areas(tmp_path: Path) -> None:
    x, y = geodata.projected(geodata.LAT + np.array([-0.1, 0.1]), geodata.LON + np.array([-0.1, 0.1]), "EPSG:3310")
    path = tmp_path / "lines.gpkg"
    line = shapely.to_wkb(np.array([shapely.LineString(np.column_stack((x, y)))]))
    pyogrio.raw.write(path, line, [], [], geometry_type="LineString", crs="EPSG:3310")
    assert "LineString" in refused(path, "layer_not_areas")
    table = tmp_path / "table.csv"
    table.write_text("a,b\n1,2\n")
    refused(table, "layer_not_areas")


@pytest.mark.parametrize("name", ["a.gpkg", "a.shp", "a.geojson", "a.fgb"])
@pytest.mark.parametrize("kept", [0.9, 0.4])
def test_a_truncated_file_is_refused(tmp_path: Path, name: str, kept: float) -> None:
    rings = [geodata.box(i / 100, i / 100 + 0.009, -0.1, 0.1) for i in range(-10, 10)]
    crs = "EPSG:4326" if name.endswith("json") else "EPSG:3310"
    path = geodata.write_layer(tmp_path / name, rings, {"O": [f"owner {i} " + "x" * 60 for i in range(20)]}, crs)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * kept)])
    lat, lon = geodata.points()
    with pytest.raises(DataError) as caught:
        assign_polygons(path, lat, lon)
    assert caught.value.code in ("layer_damaged", "layer_unreadable")


@pytest.mark.parametrize(("part", "code"), [(".dbf", "layer_damaged"), (".shx", "layer_unreadable")])
def test_a_shapefile_of_which_a_part_is_lost_is_refused(tmp_path: Path, part: str, code: str) -> None:
    path = geodata.write_layer(tmp_path / "a.shp", [geodata.box(*BOX)] * 20, {"O": ["USFS"] * 20})
    other = path.with_suffix(part)
    other.write_bytes(other.read_bytes()[:-60])
    refused(path, code, field="O")
    other.unlink()
    lat, lon = geodata.points()
    with pytest.raises(DataError):
        assign_polygons(path, lat, lon, field="O")


def test_what_is_no_layer_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.geojson"
    path.write_text("<html>404</html>")
    refused(path, "layer_unreadable")
    refused(tmp_path / "absent.gpkg", "layer_unreadable")


def test_a_shape_that_cannot_be_read_is_counted_and_said(tmp_path: Path) -> None:
    whole, open_ring = geodata.box(*BOX).tolist(), geodata.box(0.06, 0.1, -0.1, 0.1).tolist()[:-1]
    features = [
        {"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates": [ring]}}
        for ring in (whole, open_ring)
    ]
    path = tmp_path / "a.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    lat, lon = geodata.points()
    found = assign_polygons(path, lat, lon)
    assert np.array_equal(found.inside, within(lat, lon, BOX))
    assert found.counts["polygons_unreadable"] == 1
    assert any(note.startswith("WARNING: 1 polygon") for note in found.notes)


def test_a_missing_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = geodata.write_layer(tmp_path / "a.gpkg", [geodata.box(*BOX)])
    monkeypatch.setitem(sys.modules, "pyogrio", None)
    lat, lon = geodata.points()
    with pytest.raises(CsragError) as caught:
        assign_polygons(path, lat, lon)
    assert 'pip install "csrag[gis]"' in caught.value.fix
