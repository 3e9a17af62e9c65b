"""Burn probability at clusters, against rasters whose value is a function of place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support import geodata

from csrag.errors import DataError

pytest.importorskip("rasterio", reason="needs the extra gis")

from csrag.build.sources.raster_fire import FireSample, sample_fire

EAST, NORTH = 1.0e-7, 0.7e-7
"""Rise of the made-up probability for a metre eastward and northward."""


def plane(x: geodata.Array, y: geodata.Array) -> geodata.Array:
    """Burn probability as a function of coordinates in metres, positive within the region."""
    x0, y0 = _middle
    return np.asarray(0.01 + EAST * (x - x0) + NORTH * (y - y0))


_middle = (0.0, 0.0)


@pytest.fixture(autouse=True)
def middle(request: pytest.FixtureRequest) -> None:
    """The plane is 0.01 in the middle of the region in the system of the test."""
    global _middle
    crs = request.node.callspec.params.get("crs", "EPSG:5070") if hasattr(request.node, "callspec") else "EPSG:5070"
    x, y = geodata.projected(np.array([geodata.LAT]), np.array([geodata.LON]), crs)
    _middle = (float(x[0]), float(y[0]))


def expected(lat: geodata.Array, lon: geodata.Array, crs: str, pixel: float) -> geodata.Array:
    """Value at the centre of the pixel that a point falls in, by pyproj and the grid of whole multiples."""
    x, y = geodata.projected(lat, lon, crs)
    return plane((np.floor(x / pixel) + 0.5) * pixel, (np.floor(y / pixel) + 0.5) * pixel)


def sampled(path: Path, n: int = 400, **ask: Any) -> FireSample:
    lat, lon = geodata.points(n)
    return sample_fire(path, lat, lon, **ask)


@pytest.mark.parametrize("south_up", [False, True], ids=["north-up", "south-up"])
@pytest.mark.parametrize("crs", ["EPSG:5070", "EPSG:3310", "EPSG:26910", "EPSG:2226"])
def test_every_cluster_gets_the_pixel_under_it(tmp_path: Path, crs: str, south_up: bool) -> None:
    path = geodata.write_raster(
        tmp_path / "bp.tif", crs, plane, south_up=south_up, half=25_000 if crs != "EPSG:2226" else 80_000
    )
    lat, lon = geodata.points(400)
    found = sample_fire(path, lat, lon, vintage="2020")
    np.testing.assert_allclose(found.values, expected(lat, lon, crs, 270), rtol=0, atol=2e-9)
    assert found.counts == {
        "clusters": 400, "inside": 400, "known": 400, "nodata": 0, "undeclared_nodata": 0, "outside": 0, "above_0_2": 0
    }  # fmt: skip
    assert crs in found.provenance.note
    assert found.coverage_pct == 100


@pytest.mark.parametrize("turn", [0.0, 360.0], ids=["-180..180", "0..360"])
def test_degrees_too(tmp_path: Path, turn: float) -> None:
    import rasterio

    path, step = tmp_path / "bp.tif", 0.0025
    lon_c, lat_c = np.meshgrid(-121.2 + (np.arange(160) + 0.5) * step, 40.2 - (np.arange(160) + 0.5) * step)
    transform = geodata.upright(-121.2 + turn, 40.2, step)
    with rasterio.open(
        path, "w", driver="GTiff", width=160, height=160, count=1, dtype="float64", crs="EPSG:4326", transform=transform
    ) as out:
        out.write(0.01 + 0.02 * (lat_c - 40) + 0.01 * (lon_c + 121), 1)
    lat, lon = geodata.points(400)
    at_lat, at_lon = (np.floor(v / step) * step + step / 2 for v in (lat, lon))
    found = sample_fire(path, lat, lon, vintage="2020")
    np.testing.assert_allclose(found.values, 0.01 + 0.02 * (at_lat - 40) + 0.01 * (at_lon + 121), rtol=1e-6)


def test_a_turned_raster_is_sampled_where_it_lies(tmp_path: Path) -> None:
    import rasterio
    from rasterio.transform import Affine

    x0, y0 = _middle
    angle, size = np.radians(30.0), 200
    a, b = 270 * np.cos(angle), 270 * np.sin(angle)
    transform = Affine(a, b, x0 - 100 * (a + b), b, -a, y0 - 100 * (b - a))
    column, row = np.meshgrid(np.arange(size) + 0.5, np.arange(size) + 0.5)
    x, y = (
        transform.a * column + transform.b * row + transform.c,
        transform.d * column + transform.e * row + transform.f,
    )
    path = tmp_path / "bp.tif"
    with rasterio.open(
        path,
        "w",
        driver="GTiff",
        width=size,
        height=size,
        count=1,
        dtype="float64",
        crs="EPSG:5070",
        transform=transform,
    ) as out:
        out.write(plane(x, y), 1)
    lat, lon = geodata.points(400, half_deg=0.1)
    px, py = geodata.projected(lat, lon, "EPSG:5070")
    found = sample_fire(path, lat, lon, vintage="2020")
    assert found.counts["known"] == 400
    np.testing.assert_allclose(found.values, plane(px, py), rtol=0, atol=(EAST + NORTH) * 270)
    with pytest.raises(DataError, match="gdalwarp"):
        sample_fire(path, lat, lon, cell_size_m=360)


@pytest.mark.parametrize("nodata", [-9999.0, float("nan"), -3.4028234663852886e38, -3.4e38, 0.0, 255.0])
def test_declared_nodata_is_unknown_and_counted(tmp_path: Path, nodata: float) -> None:
    x0, _ = _middle
    path = geodata.write_raster(
        tmp_path / "bp.tif", "EPSG:5070", plane, nodata=nodata, hole=lambda x, _: x > x0 + 5000, compress="deflate"
    )
    lat, lon = geodata.points(400)
    x, _ = geodata.projected(lat, lon, "EPSG:5070")
    hole = (np.floor(x / 270) + 0.5) * 270 > x0 + 5000
    found = sample_fire(path, lat, lon)
    assert 40 < hole.sum() < 200
    assert np.array_equal(np.isnan(found.values), hole)
    assert found.counts["nodata"] == hole.sum()
    assert found.counts["undeclared_nodata"] == 0
    assert found.notes[0].startswith("WARNING: covers ")
    assert f"{hole.sum()} on nodata" in found.notes[0]


@pytest.mark.parametrize(
    "fill", [-9999.0, -3.4028234663852886e38, 3.4028234663852886e38, float("nan"), 255.0, -32768.0]
)
def test_a_fill_value_that_is_not_declared_is_never_a_value(tmp_path: Path, fill: float) -> None:
    x0, _ = _middle
    path = geodata.write_raster(
        tmp_path / "bp.tif", "EPSG:5070", plane, nodata=None, hole=lambda x, _: x > x0 + 5000, hole_value=fill
    )
    found = sampled(path)
    unknown = int(np.isnan(found.values).sum())
    assert unknown == found.counts["nodata"] > 40
    assert found.counts["undeclared_nodata"] == (0 if np.isnan(fill) else unknown)
    assert any("does not declare" in note for note in found.notes) == (not np.isnan(fill))
    assert np.nanmax(found.values) < 0.02


def test_a_mask_band_counts(tmp_path: Path) -> None:
    import rasterio

    path = geodata.write_raster(tmp_path / "bp.tif", "EPSG:5070", plane, nodata=None)
    with rasterio.Env(GDAL_TIFF_INTERNAL_MASK=True), rasterio.open(path, "r+") as out:
        mask = np.full((out.height, out.width), 255, dtype=np.uint8)
        mask[:, out.width // 2 :] = 0
        out.write_mask(mask)
        edge = out.transform.c + (out.width // 2) * 270
    lat, lon = geodata.points(400)
    x, _ = geodata.projected(lat, lon, "EPSG:5070")
    found = sample_fire(path, lat, lon)
    assert np.array_equal(np.isnan(found.values), x >= edge)


def test_blocks_that_were_never_written_are_unknown_not_zero(tmp_path: Path) -> None:
    import rasterio

    left, top, size = geodata.grid("EPSG:5070", 270, 25_000)
    path = tmp_path / "bp.tif"
    with rasterio.open(
        path, "w", driver="GTiff", width=size, height=size, count=1, dtype="float32", crs="EPSG:5070", tiled=True,
        blockxsize=64, blockysize=64, sparse_ok=True, transform=geodata.upright(left, top, 270),
    ) as out:  # fmt: skip
        out.write(np.full((64, 64), 0.01, dtype=np.float32), 1, window=rasterio.windows.Window(64, 64, 64, 64))
    lat, lon = geodata.points(600)
    x, y = geodata.projected(lat, lon, "EPSG:5070")
    column, row = (x - left) // 270, (top - y) // 270
    written = (column >= 64) & (column < 128) & (row >= 64) & (row < 128)
    found = sample_fire(path, lat, lon)
    assert 100 < written.sum() < 500
    assert np.array_equal(np.isfinite(found.values), written)


def test_outside_is_not_nodata(tmp_path: Path) -> None:
    path = geodata.write_raster(tmp_path / "bp.tif", "EPSG:5070", plane)
    lat, lon = geodata.points(400)
    lat[:10] += 2.0
    found = sample_fire(path, lat, lon)
    assert found.counts["outside"] == 10
    assert found.counts["nodata"] == 0
    assert np.isnan(found.values[:10]).all()
    assert found.notes[0] == "covers 390 of 400 clusters (97.5 %); unknown for the others: 10 outside the raster"


@pytest.mark.parametrize("lost", [19, 21])
def test_under_95_percent_warns(tmp_path: Path, lost: int) -> None:
    path = geodata.write_raster(tmp_path / "bp.tif", "EPSG:5070", plane)
    lat, lon = geodata.points(400)
    lat[:lost] += 2.0
    assert sample_fire(path, lat, lon).notes[0].startswith("WARNING") == (lost == 21)


def test_all_on_nodata_is_refused(tmp_path: Path) -> None:
    path = geodata.write_raster(tmp_path / "bp.tif", "EPSG:5070", plane, hole=lambda x, _: x > 0 * x - 1e9)
    with pytest.raises(DataError, match="all 400 clusters"):
        sampled(path)


def test_scale_and_offset_of_the_file_are_honoured(tmp_path: Path) -> None:
    path = geodata.write_raster(
        tmp_path / "bp.tif", "EPSG:5070", lambda x, y: np.round((plane(x, y) - 0.001) * 1e5), dtype="int16", scale=1e-5,
        offset=0.001, nodata=-9999,
    )  # fmt: skip
    lat, lon = geodata.points(400)
    np.testing.assert_allclose(sample_fire(path, lat, lon).values, expected(lat, lon, "EPSG:5070", 270), atol=0.6e-5)


def test_whole_numbers_need_a_scale(tmp_path: Path) -> None:
    path = geodata.write_raster(
        tmp_path / "bp.tif", "EPSG:5070", lambda x, y: np.round(plane(x, y) * 1e4), dtype="uint16", nodata=65535
    )
    with pytest.raises(DataError, match=r"no scale.*gdal_edit.py -scale") as caught:
        sampled(path)
    assert caught.value.code == "burn_scale_missing"
    lat, lon = geodata.points(400)
    found = sample_fire(path, lat, lon, scale=1e-4)
    np.testing.assert_allclose(found.values, expected(lat, lon, "EPSG:5070", 270), atol=0.6e-4)


@pytest.mark.case("A11")
@pytest.mark.parametrize(
    ("value", "said"),
    [
        (lambda x, _: np.round(np.abs(x) / 9000) % 7, "count of the times a pixel burned"),
        (lambda x, y: plane(x, y) * 100 + 0.5, "as percentages would be"),
        (lambda x, y: -plane(x, y), "outside 0 to 1"),
        (lambda x, _: (x > _middle[0]) * 1.0, "0 and 1 only"),
    ],
    ids=["count", "percent", "negative", "mask"],
)
@pytest.mark.parametrize("cell_size_m", [None, 600.0])
def test_what_is_no_probability_is_refused(tmp_path: Path, value: geodata.Place, said: str, cell_size_m: float) -> None:
    path = geodata.write_raster(tmp_path / "bp.tif", "EPSG:5070", value)
    with pytest.raises(DataError, match=said) as caught:
        sampled(path, cell_size_m=cell_size_m)
    assert caught.value.code == "burn_probability_range"


def test_high_values_are_counted_and_said(tmp_path: Path) -> None:
    x0, _ = _middle
    path = geodata.write_raster(
        tmp_path / "bp.tif", "EPSG:5070", plane, hole=lambda x, _: x > x0 + 5000, hole_value=0.31
    )
    found = sampled(path)
    assert found.counts["above_0_2"] == int((found.values > 0.2).sum()) > 40
    assert any("above 0.2 a year" in note and "0.310" in note for note in found.notes)


@pytest.mark.case("A11")
def test_vintage_and_resolution_stand_in_the_provenance(tmp_path: Path) -> None:
    old = geodata.write_raster(tmp_path / "old.tif", "EPSG:5070", plane, tags={"vintage": "LANDFIRE 2014"})
    told = geodata.write_raster(
        tmp_path / "told.tif", "EPSG:5070", plane, tags={"TIFFTAG_IMAGEDESCRIPTION": "BP, landscape of 2020"}
    )
    mute = geodata.write_raster(
        tmp_path / "mute.tif", "EPSG:5070", plane, tags={"TIFFTAG_DATETIME": "2023:05:06 07:08:09"}
    )
    assert sampled(old).provenance.vintage == "LANDFIRE 2014"
    assert sampled(old, vintage="2020", product="made-up FSim").provenance.vintage == "2020"
    assert sampled(old, product="made-up FSim").provenance.source == "made-up FSim"
    assert sampled(told).provenance.vintage == "BP, landscape of 2020"
    unknown = sampled(mute)
    assert unknown.provenance.vintage == "unknown"
    assert any("vintage unknown" in note and "2023:05:06" in note for note in unknown.notes)
    assert "pixels of 270 m" in unknown.provenance.note


def test_an_upsampled_product_is_named_as_such(tmp_path: Path) -> None:
    fine = geodata.write_raster(tmp_path / "fine.tif", "EPSG:5070", plane, pixel=30, half=16_000)
    coarse = geodata.write_raster(tmp_path / "coarse.tif", "EPSG:5070", plane)
    said = "upsampled from 270 m; neighbouring clusters share one simulation pixel"
    lat, lon = geodata.points(200, half_deg=0.1)
    found = sample_fire(fine, lat, lon)
    assert any(said in note and "pixels of 30 m" in note for note in found.notes)
    assert said in found.provenance.note
    assert not any(said in note for note in sampled(coarse).notes)


def test_mean_over_the_cell_is_the_plane_at_its_centre(tmp_path: Path) -> None:
    fine = geodata.write_raster(tmp_path / "fine.tif", "EPSG:5070", plane, pixel=30, half=16_000)
    lat, lon = geodata.points(300, half_deg=0.1)
    x, y = geodata.projected(lat, lon, "EPSG:5070")
    found = sample_fire(fine, lat, lon, cell_size_m=360)
    # The mean of a plane over a symmetric square is its value at the centre, here to within half a pixel's rise.
    np.testing.assert_allclose(found.values, plane(x, y), rtol=0, atol=(EAST + NORTH) * 15.5)
    # A raster of stripes one pixel wide averages to its mean where one pixel would be one stripe or the other.
    striped = geodata.write_raster(
        tmp_path / "striped.tif",
        "EPSG:5070",
        lambda x, _: np.where(np.floor(x / 30) % 2 == 0, 0.01, 0.03),
        pixel=30,
        half=16_000,
    )
    lone = sample_fire(striped, lat, lon).values
    assert set(np.unique(lone).round(4)) == {np.float32(0.01), np.float32(0.03)}
    np.testing.assert_allclose(sample_fire(striped, lat, lon, cell_size_m=360).values, 0.02, atol=0.00092)


def test_progress_counts_every_cluster(tmp_path: Path) -> None:
    class Watch:
        total = done = 0

        def start(self, _label: str, total: int, _unit: str) -> None:
            self.total = total

        def advance(self, count: int) -> None:
            self.done += count

    path = geodata.write_raster(tmp_path / "bp.tif", "EPSG:5070", plane, tiled=True, blockxsize=64, blockysize=64)
    lat, lon = geodata.points(400)
    lat[:5] += 3
    watch = Watch()
    sample_fire(path, lat, lon, progress=watch)
    assert watch.total == watch.done == 400


def test_a_scale_for_values_that_are_probabilities_already_is_refused(tmp_path: Path) -> None:
    path = geodata.write_raster(tmp_path / "bp.tif", "EPSG:5070", plane, dtype="float32")
    with pytest.raises(DataError, match="within 0 to 1 already") as refused:
        sample_fire(path, np.array([geodata.LAT]), np.array([geodata.LON]), scale=1e-4)
    assert refused.value.code == "burn_scale_needless"
