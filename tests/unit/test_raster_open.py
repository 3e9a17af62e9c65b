"""What a raster must say about itself before it is sampled, and what is refused with which advice."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support import geodata

from csrag.errors import DataError, InvalidValueError

pytest.importorskip("rasterio", reason="needs the extra gis")

from csrag.build.sources.raster_fire import sample_fire


def plane(x: geodata.Array, y: geodata.Array) -> geodata.Array:
    """A burn probability that rises to the east and less so to the north, within 0.001 to 0.02 of the region."""
    return np.asarray(0.01 + 1e-7 * (x - x.mean()) + 3e-8 * (y - y.mean()))


def refused(path: Path, code: str, **ask: Any) -> str:
    lat, lon = geodata.points()
    with pytest.raises(DataError) as caught:
        sample_fire(path, ask.pop("lat", lat), ask.pop("lon", lon), **ask)
    assert caught.value.code == code
    assert path.name in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("crs", [None, geodata.LOCAL_WKT], ids=["none", "local"])
@pytest.mark.case("A10")
def test_a_raster_without_a_place_on_earth_is_refused(tmp_path: Path, crs: str | None) -> None:
    path = geodata.write_raster(tmp_path / "bp.tif", crs, plane, grid_crs="EPSG:5070")
    said = refused(path, "crs_local" if crs else "crs_missing")
    assert "-a_srs" in said


def test_a_raster_without_corners_is_refused(tmp_path: Path) -> None:
    import rasterio

    path = tmp_path / "bp.tif"
    with pytest.warns(rasterio.errors.NotGeoreferencedWarning):
        out = rasterio.open(path, "w", driver="GTiff", width=8, height=8, count=1, dtype="float32", crs="EPSG:5070")
    with out:
        out.write(np.full((1, 8, 8), 0.01, dtype=np.float32))
    assert "gdalwarp" in refused(path, "raster_not_placed")


def test_a_raster_of_elsewhere_is_refused_with_both_places(tmp_path: Path) -> None:
    path = geodata.write_raster(tmp_path / "bp.tif", "EPSG:5070", plane)
    lat, lon = geodata.points()
    said = refused(path, "no_overlap", lat=lat - 6, lon=lon + 4)
    assert "latitude 33.8" in said
    assert "longitude -121." in said


def test_swapped_positions_are_refused(tmp_path: Path) -> None:
    path = geodata.write_raster(tmp_path / "bp.tif", "EPSG:5070", plane)
    lat, lon = geodata.points()
    with pytest.raises(InvalidValueError, match="swapped") as caught:
        sample_fire(path, lon, lat)
    assert caught.value.code == "coordinates_swapped"


@pytest.mark.parametrize("bad", [np.nan, 91.0])
def test_positions_that_are_none_are_refused(tmp_path: Path, bad: float) -> None:
    path = geodata.write_raster(tmp_path / "bp.tif", "EPSG:5070", plane)
    lat, lon = geodata.points()
    lat[7] = bad
    with pytest.raises(InvalidValueError, match="1 of 300 clusters"):
        sample_fire(path, lat, lon)


def test_a_raster_with_latitude_as_x_is_refused(tmp_path: Path) -> None:
    import rasterio

    path = tmp_path / "bp.tif"
    transform = geodata.upright(39.5, -120.5, 0.01)
    with rasterio.open(
        path, "w", driver="GTiff", width=100, height=100, count=1, dtype="float32", crs="EPSG:4326", transform=transform
    ) as out:
        out.write(np.full((1, 100, 100), 0.01, dtype=np.float32))
    refused(path, "axes_swapped")


def test_a_projected_raster_with_northing_as_x_is_refused(tmp_path: Path) -> None:
    import rasterio

    x, y = geodata.projected(np.array([geodata.LAT]), np.array([geodata.LON]), "EPSG:5070")
    path = tmp_path / "bp.tif"
    transform = geodata.upright(y[0] - 20_000, x[0] + 20_000, 270)
    with rasterio.open(
        path, "w", driver="GTiff", width=150, height=150, count=1, dtype="float32", crs="EPSG:5070", transform=transform
    ) as out:
        out.write(np.full((1, 150, 150), 0.01, dtype=np.float32))
    refused(path, "axes_swapped")


def test_of_several_bands_one_must_be_named(tmp_path: Path) -> None:
    path = geodata.write_raster(tmp_path / "bp.tif", "EPSG:5070", plane, bands=("BP", "FLP1"))
    said = refused(path, "raster_band")
    assert "1 'BP', 2 'FLP1'" in said
    refused(path, "raster_band", band="FLP9")
    refused(path, "raster_band", band=3)
    lat, lon = geodata.points()
    by_name = sample_fire(path, lat, lon, band="BP")
    assert np.array_equal(by_name.values, sample_fire(path, lat, lon, band=1).values)


def test_what_is_no_raster_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bp.tif"
    path.write_text("<html>404</html>")
    refused(path, "raster_unreadable")
    refused(tmp_path / "absent.tif", "raster_unreadable")
    archive = tmp_path / "bp.zip"
    archive.write_bytes(b"PK\x05\x06" + bytes(18))
    assert "unpack" in refused(archive, "raster_unreadable")


@pytest.mark.parametrize("tiled", [True, False], ids=["tiles", "strips"])
@pytest.mark.parametrize("kept", [0.9, 0.5, 0.02])
@pytest.mark.parametrize("compress", [None, "deflate"])
def test_a_truncated_file_is_refused_never_read_as_zero(
    tmp_path: Path, tiled: bool, kept: float, compress: str | None
) -> None:
    form = {"tiled": True, "blockxsize": 64, "blockysize": 64} if tiled else {}
    path = geodata.write_raster(tmp_path / "bp.tif", "EPSG:5070", plane, compress=compress, nodata=None, **form)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * kept)])
    lat, lon = geodata.points(2000)
    with pytest.raises(DataError) as caught:
        sample_fire(path, lat, lon)
    assert caught.value.code in ("raster_damaged", "raster_unreadable")
    assert "Download" in caught.value.fix or "download" in caught.value.fix


def test_a_virtual_raster_with_gaps_that_would_read_as_zero_is_refused(tmp_path: Path) -> None:
    import rasterio

    part = geodata.write_raster(tmp_path / "part.tif", "EPSG:5070", plane, nodata=None)
    with rasterio.open(part) as raster:
        wkt, t, size = raster.crs.to_wkt(), raster.transform, raster.width
    path = tmp_path / "bp.vrt"
    frame = (
        f'<VRTDataset rasterXSize="{size * 2}" rasterYSize="{size}"><SRS>{wkt.replace(chr(34), "&quot;")}</SRS>'
        f"<GeoTransform>{t.c}, {t.a}, 0, {t.f}, 0, {t.e}</GeoTransform>"
        '<VRTRasterBand dataType="Float32" band="1">NODATA<SimpleSource><SourceFilename relativeToVRT="1">part.tif'
        f'</SourceFilename><SourceBand>1</SourceBand><SrcRect xOff="0" yOff="0" xSize="{size}" ySize="{size}"/>'
        f'<DstRect xOff="0" yOff="0" xSize="{size}" ySize="{size}"/></SimpleSource></VRTRasterBand></VRTDataset>'
    )
    path.write_text(frame.replace("NODATA", ""))
    assert "gdalbuildvrt" in refused(path, "raster_vrt_gaps")
    path.write_text(frame.replace("NODATA", "<NoDataValue>-1</NoDataValue>"))
    lat, lon = geodata.points()
    found = sample_fire(path, np.append(lat, geodata.LAT), np.append(lon, geodata.LON + 0.5))
    assert np.array_equal(found.values[:-1], sample_fire(part, lat, lon).values)
    assert np.isnan(found.values[-1])
    assert found.counts["nodata"] == 1


def test_blocks_that_do_not_fit_the_budget_are_refused(tmp_path: Path) -> None:
    import rasterio

    path = tmp_path / "bp.tif"
    transform = geodata.upright(-2_300_000, 2_300_000, 270)
    with rasterio.open(
        path, "w", driver="GTiff", width=3000, height=3000, count=1, dtype="float32", crs="EPSG:5070", nodata=-1,
        transform=transform, blockysize=3000, compress="deflate", sparse_ok=True,
    ):  # fmt: skip
        pass
    assert "TILED=YES" in refused(path, "raster_blocks")


def test_a_missing_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = geodata.write_raster(tmp_path / "bp.tif", "EPSG:5070", plane)
    monkeypatch.setitem(sys.modules, "rasterio", None)
    lat, lon = geodata.points()
    with pytest.raises(DataError) as caught:
        sample_fire(path, lat, lon)
    assert caught.value.code == "extra_missing"
    assert 'pip install "csrag[gis]"' in caught.value.fix
