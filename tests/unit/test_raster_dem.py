"""Elevation and slope of clusters, against planes and hills whose slope is known in closed form."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.support import geodata

from csrag.errors import DataError, InvalidValueError

pytest.importorskip("rasterio", reason="needs the extra gis")

from csrag.build.sources.raster_dem import sample_dem

FT = 0.3048


def tilted(east: float, north: float, crs: str, level: float = 900.0) -> geodata.Place:
    """A plane that rises `east` and `north` units a unit of the coordinate system."""
    x0, y0 = (float(v[0]) for v in geodata.projected(np.array([geodata.LAT]), np.array([geodata.LON]), crs))
    return lambda x, y: level + east * (x - x0) + north * (y - y0)


@pytest.mark.parametrize("south_up", [False, True], ids=["north-up", "south-up"])
@pytest.mark.parametrize(("east", "north"), [(0.03, 0.04), (-0.05, 0.0), (0.0, 0.02), (0.0, 0.0)])
def test_slope_of_a_plane(tmp_path: Path, east: float, north: float, south_up: bool) -> None:
    place = tilted(east, north, "EPSG:26910")
    path = geodata.write_raster(
        tmp_path / "dem.tif", "EPSG:26910", place, pixel=30, half=15_000, south_up=south_up, unit="m"
    )
    lat, lon = geodata.points(300, half_deg=0.1)
    x, y = geodata.projected(lat, lon, "EPSG:26910")
    found = sample_dem(path, lat, lon)
    # UTM stretches by 0.9996 to 1.0004 near the middle of its zone, which is all the tolerance is for.
    np.testing.assert_allclose(found.slope_pct, 100 * np.hypot(east, north), rtol=2e-3, atol=1e-4)
    px, py = ((np.floor(v / 30) + 0.5) * 30 for v in (x, y))
    np.testing.assert_allclose(found.elevation_ft * FT, place(px, py), atol=2e-3)
    assert found.counts["slope_known"] == found.counts["known"] == 300


def test_slope_in_degrees_counts_metres_both_ways(tmp_path: Path) -> None:
    """A plane in degrees: a degree of longitude is shorter than one of latitude, and both are measured."""
    import pyproj

    north, east = 4000.0, 3000.0
    path = geodata.write_raster(
        tmp_path / "dem.tif", "EPSG:4269", lambda x, y: 900 + north * (y - geodata.LAT) + east * (x - geodata.LON),
        pixel=1 / 3600, half=0.13, unit="metre", dtype="float64",
    )  # fmt: skip
    lat, lon = geodata.points(300, half_deg=0.1)
    geod = pyproj.Geod(ellps="GRS80")
    one = 1e-4
    m_north = geod.inv(lon, lat - one / 2, lon, lat + one / 2)[2] / one
    m_east = geod.inv(lon - one / 2, lat, lon + one / 2, lat)[2] / one
    found = sample_dem(path, lat, lon)
    np.testing.assert_allclose(found.slope_pct, 100 * np.hypot(north / m_north, east / m_east), rtol=1e-4)


def test_web_mercator_does_not_flatten(tmp_path: Path) -> None:
    """Its metres are 0.77 of a metre at 40 degrees north."""
    path = geodata.write_raster(
        tmp_path / "dem.tif", "EPSG:3857", tilted(0.05, 0.0, "EPSG:3857"), pixel=30, half=18_000, unit="m"
    )
    lat, lon = geodata.points(300, half_deg=0.1)
    np.testing.assert_allclose(sample_dem(path, lat, lon).slope_pct, 5 / np.cos(np.radians(lat)), rtol=4e-3)


def test_state_plane_feet_are_measured_as_ground_metres(tmp_path: Path) -> None:
    place = tilted(0.08, 0.06, "EPSG:2226", level=6000)
    path = geodata.write_raster(tmp_path / "dem.tif", "EPSG:2226", place, pixel=100, half=50_000, unit="US survey foot")
    lat, lon = geodata.points(300, half_deg=0.08)
    found = sample_dem(path, lat, lon)
    np.testing.assert_allclose(found.slope_pct, 10.0, rtol=3e-3)
    x, y = geodata.projected(lat, lon, "EPSG:2226")
    np.testing.assert_allclose(found.elevation_ft, place(x, y), atol=12)


def test_slope_is_the_mean_of_local_slopes_not_the_tilt_of_the_cell(tmp_path: Path) -> None:
    """Roofs of 30 % on both sides, narrower than a cell: the cell as a whole is level, a machine meets 30 %."""

    def roofs(x: geodata.Array, _: geodata.Array) -> geodata.Array:
        return np.asarray(900 + 0.3 * np.abs((x / 10 % 24) - 12) * 10)

    path = geodata.write_raster(
        tmp_path / "dem.tif", "EPSG:3310", roofs, pixel=10, half=9_000, unit="m", dtype="float64"
    )
    lat, lon = geodata.points(200, half_deg=0.06)
    found = sample_dem(path, lat, lon)
    # Ridges and valleys take two pixels of twelve in which Horn's differences meet both sides.
    assert found.slope_pct.min() > 24
    assert found.slope_pct.max() < 30.01
    assert 26 < found.slope_pct.mean() < 28.6


def test_cells_average_over_what_they_hold(tmp_path: Path) -> None:
    """Level in the west, 20 % in the east: a cell across the line has the share of its pixels."""
    x0, _ = geodata.projected(np.array([geodata.LAT]), np.array([geodata.LON]), "EPSG:3310")
    line = float(np.floor(x0[0] / 10) * 10)
    path = geodata.write_raster(
        tmp_path / "dem.tif", "EPSG:3310", lambda x, _: 900 + 0.2 * np.maximum(x - line, 0), pixel=10, half=9_000, unit="m",
        dtype="float64",
    )  # fmt: skip
    lat, lon = geodata.points(400, half_deg=0.004)
    x, _ = geodata.projected(lat, lon, "EPSG:3310")
    share = np.clip((x + 180 - line) / 360, 0, 1)
    np.testing.assert_allclose(sample_dem(path, lat, lon).slope_pct, 20 * share, atol=20 * 15 / 360)


def test_nodata_makes_no_slope_and_no_level_ground(tmp_path: Path) -> None:
    x0, _ = geodata.projected(np.array([geodata.LAT]), np.array([geodata.LON]), "EPSG:3310")
    lat, lon = geodata.points(300, half_deg=0.08)
    x, _ = geodata.projected(lat, lon, "EPSG:3310")
    for name, nodata, fill in (("declared", -999999.0, None), ("undeclared", None, -32768.0)):
        path = geodata.write_raster(
            tmp_path / f"{name}.tif", "EPSG:3310", tilted(0.03, 0.04, "EPSG:3310"), pixel=30, half=12_000, unit="m",
            nodata=nodata, hole=lambda x, _: x > x0[0], hole_value=fill,
        )  # fmt: skip
        found = sample_dem(path, lat, lon)
        hole = (np.floor(x / 30) + 0.5) * 30 > x0[0]
        assert np.array_equal(np.isnan(found.elevation_ft), hole)
        assert found.counts["nodata"] == hole.sum()
        assert found.counts["undeclared_nodata"] == (hole.sum() if fill else 0)
        known = np.isfinite(found.slope_pct)
        np.testing.assert_allclose(found.slope_pct[known], 5.0, rtol=4e-3)
        assert known[x < x0[0] - 250].all()
        assert not known[x > x0[0] + 250].any()
        assert found.counts["slope_partial"] > 0
        assert found.notes[0].startswith("WARNING: covers")


def test_the_vertical_unit_must_be_known(tmp_path: Path) -> None:
    place = tilted(0.03, 0.04, "EPSG:3310")
    path = geodata.write_raster(tmp_path / "dem.tif", "EPSG:3310", place, pixel=90, half=18_000)
    lat, lon = geodata.points(50, half_deg=0.1)
    with pytest.raises(DataError, match="metres or feet") as caught:
        sample_dem(path, lat, lon)
    assert caught.value.code == "vertical_unit_missing"
    in_m, in_ft = (sample_dem(path, lat, lon, vertical_unit=unit) for unit in ("m", "ft"))
    np.testing.assert_allclose(in_m.elevation_ft, in_ft.elevation_ft / FT, rtol=1e-6)
    np.testing.assert_allclose(in_m.slope_pct, in_ft.slope_pct / FT, rtol=1e-4)
    with pytest.raises(InvalidValueError, match="fathoms"):
        sample_dem(path, lat, lon, vertical_unit="fathoms")


def test_what_is_asked_counts_before_what_the_file_states(tmp_path: Path) -> None:
    path = geodata.write_raster(
        tmp_path / "dem.tif", "EPSG:3310", tilted(0, 0, "EPSG:3310"), pixel=90, half=18_000, unit="ft"
    )
    lat, lon = geodata.points(50, half_deg=0.1)
    found = sample_dem(path, lat, lon, vertical_unit="m")
    np.testing.assert_allclose(found.elevation_ft, 900 / FT, rtol=1e-6)
    assert found.notes[0].startswith("WARNING: elevations are read as m")


def test_the_unit_of_a_compound_system_is_read(tmp_path: Path) -> None:
    path = geodata.write_raster(
        tmp_path / "dem.tif",
        "EPSG:26910+8228",
        tilted(0, 0, "EPSG:26910"),
        pixel=90,
        half=18_000,
        grid_crs="EPSG:26910",
    )  # NAVD88 height (ft)
    lat, lon = geodata.points(50, half_deg=0.1)
    np.testing.assert_allclose(sample_dem(path, lat, lon).elevation_ft, 900, rtol=1e-6)


def test_feet_read_as_metres_are_refused(tmp_path: Path) -> None:
    path = geodata.write_raster(
        tmp_path / "dem.tif", "EPSG:3310", tilted(0, 0, "EPSG:3310", level=6000), pixel=90, half=18_000
    )
    lat, lon = geodata.points(50, half_deg=0.1)
    with pytest.raises(DataError, match="Are they feet") as caught:
        sample_dem(path, lat, lon, vertical_unit="m")
    assert caught.value.code == "elevation_range"
    np.testing.assert_allclose(sample_dem(path, lat, lon, vertical_unit="ft").elevation_ft, 6000, rtol=1e-6)


def test_a_coarse_raster_says_that_it_flattens(tmp_path: Path) -> None:
    place = tilted(0.03, 0.04, "EPSG:5070")
    lat, lon = geodata.points(100)
    for pixel, warned, own in ((30, False, False), (270, True, False), (900, True, True)):
        path = geodata.write_raster(tmp_path / f"{pixel}.tif", "EPSG:5070", place, pixel=pixel, unit="m")
        found = sample_dem(path, lat, lon)
        assert any("flatten" in note for note in found.notes) == warned
        assert any("under the centre" in note for note in found.notes) == own
        # CONUS Albers keeps areas by stretching one way what it shrinks the other, about 1 % here.
        np.testing.assert_allclose(found.slope_pct, 5.0, rtol=0.015)


def test_whole_metres_on_fine_pixels_are_said(tmp_path: Path) -> None:
    path = geodata.write_raster(
        tmp_path / "dem.tif",
        "EPSG:3310",
        tilted(0.03, 0.04, "EPSG:3310"),
        pixel=30,
        half=12_000,
        unit="m",
        dtype="int16",
    )
    lat, lon = geodata.points(50, half_deg=0.08)
    assert any("whole numbers" in note for note in sample_dem(path, lat, lon).notes)


def test_pixels_too_fine_for_the_budget_are_refused(tmp_path: Path) -> None:
    path = geodata.write_raster(
        tmp_path / "dem.tif", "EPSG:3310", tilted(0.03, 0.04, "EPSG:3310"), pixel=0.5, half=300, unit="m"
    )
    with pytest.raises(DataError, match="too fine") as caught:
        sample_dem(path, np.array([geodata.LAT]), np.array([geodata.LON]))
    assert caught.value.code == "raster_too_fine"
