"""Hazard classes of a raster or of polygons."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.support import geodata

from csrag.errors import DataError, InvalidValueError
from csrag.surfaces.catalog import HAZARD_CLASSES

pytest.importorskip("rasterio", reason="needs the extra gis")
pytest.importorskip("pyogrio", reason="needs the extra gis")

from csrag.build.sources.raster_hazard import sample_hazard_polygons, sample_hazard_raster

CLASSES = {"1": "moderate", "2": "high", 3: "very high", "7": "none"}


def by_column(x: geodata.Array, _: geodata.Array) -> geodata.Array:
    """Classes in stripes of ten pixels."""
    return np.array([1.0, 2.0, 3.0, 7.0])[(np.floor(x / 2700) % 4).astype(int)]


def test_classes_follow_the_mapping(tmp_path: Path) -> None:
    path = geodata.write_raster(tmp_path / "h.tif", "EPSG:5070", by_column, dtype="uint8", nodata=0)
    lat, lon = geodata.points(400)
    x, _ = geodata.projected(lat, lon, "EPSG:5070")
    words = np.array(["moderate", "high", "very high", "none"])[(np.floor(x / 2700) % 4).astype(int)]
    found = sample_hazard_raster(path, lat, lon, classes=CLASSES)
    assert found.codes.dtype == np.uint8
    assert [HAZARD_CLASSES[code] for code in found.codes] == words.tolist()
    assert found.counts["class_very_high"] == int((words == "very high").sum()) > 0
    assert found.counts["known"] == 400


def test_nodata_is_unknown_not_none(tmp_path: Path) -> None:
    x0 = geodata.projected(np.array([geodata.LAT]), np.array([geodata.LON]), "EPSG:5070")[0][0]
    lat, lon = geodata.points(400)
    x, _ = geodata.projected(lat, lon, "EPSG:5070")
    hole = (np.floor(x / 270) + 0.5) * 270 > x0
    for name, nodata, kind in (("declared", 0, "nodata"), ("undeclared", None, "undeclared_nodata")):
        path = geodata.write_raster(
            tmp_path / f"{name}.tif", "EPSG:5070", by_column, dtype="uint8", nodata=nodata, hole=lambda x, _: x > x0,
            hole_value=0 if nodata == 0 else 255,
        )  # fmt: skip
        found = sample_hazard_raster(path, lat, lon, classes=CLASSES)
        assert np.array_equal(found.codes == 255, hole), name
        assert found.counts[kind] == hole.sum(), name
        assert found.counts["class_none"] < 200, name


def test_values_without_a_class_are_listed(tmp_path: Path) -> None:
    path = geodata.write_raster(tmp_path / "h.tif", "EPSG:5070", by_column, dtype="uint8", nodata=0)
    lat, lon = geodata.points(400)
    with pytest.raises(DataError, match=r"no class is given for.*3 \(\d+\), 7 \(\d+\)") as caught:
        sample_hazard_raster(path, lat, lon, classes={1: "moderate", 2: "high"})
    assert caught.value.code == "hazard_values"


@pytest.mark.parametrize("classes", [{"1": "extreme"}, {"low": "moderate"}, {}], ids=["word", "key", "empty"])
def test_classes_that_are_none_are_refused(tmp_path: Path, classes: dict[str, str]) -> None:
    path = geodata.write_raster(tmp_path / "h.tif", "EPSG:5070", by_column, dtype="uint8", nodata=0)
    lat, lon = geodata.points(400)
    with pytest.raises(InvalidValueError) as caught:
        sample_hazard_raster(path, lat, lon, classes=classes)
    assert caught.value.code == "hazard_class"


@pytest.mark.parametrize("values", [["High", "Very High"], [2, 3]], ids=["words", "numbers"])
def test_of_overlapping_polygons_the_higher_class_counts(tmp_path: Path, values: list[object]) -> None:
    high, very = geodata.box(-0.1, 0.1, -0.1, 0.02), geodata.box(-0.1, 0.1, -0.02, 0.1)
    lat, lon = geodata.points(600)
    classes = {str(values[0]).upper(): "high", str(values[1]): "very high"}
    for order in (slice(None), slice(None, None, -1)):
        path = geodata.write_layer(tmp_path / f"h{order.step}.gpkg", [high, very][order], {"CLASS": values[order]})
        found = sample_hazard_polygons(path, lat, lon, field="CLASS", classes=classes)
        within = np.abs(lat - 40) < 0.0999
        east, west = lon + 121 > -0.02, lon + 121 < 0.02
        inner = within & (np.abs(lon + 121) < 0.0999)
        # Edges of the boxes are straight in the layer's system, so points within a metre of them are left out.
        clear = (np.abs(np.abs(lat - 40) - 0.1) > 1e-4) & (np.abs(np.abs(lon + 121) - 0.1) > 1e-4)
        clear &= np.abs(np.abs(lon + 121) - 0.02) > 1e-4
        assert (found.codes[clear & inner & east] == HAZARD_CLASSES.index("very high")).all()
        assert (found.codes[clear & inner & ~east] == HAZARD_CLASSES.index("high")).all()
        assert (found.codes[clear & ~inner] == 255).all()
        assert abs(found.counts["overlapping"] - int((inner & east & west).sum())) <= 2
        assert found.counts["overlapping"] > 10


def test_polygon_values_without_a_class_are_listed(tmp_path: Path) -> None:
    path = geodata.write_layer(tmp_path / "h.gpkg", [geodata.box(-0.1, 0.1, -0.1, 0.1)], {"CLASS": ["Extreme"]})
    lat, lon = geodata.points(50)
    with pytest.raises(DataError, match=r"'extreme' \(1\).*'high'") as caught:
        sample_hazard_polygons(path, lat, lon, field="CLASS", classes={"High": "high"})
    assert caught.value.code == "polygon_values"
