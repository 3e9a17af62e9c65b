"""A national raster does not enter memory."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from tests.support import geodata

from csrag.build.sources import raster as core
from csrag.build.sources.raster_dem import sample_dem
from csrag.build.sources.raster_fire import sample_fire

rasterio = pytest.importorskip("rasterio", reason="needs the extra gis")

WIDTH, HEIGHT = 100_000, 60_000


def write_sparse(path: Path, *, tiled: bool, unit: str = "") -> None:
    """A 30 m raster of 6 billion pixels over the contiguous states of which only 36 patches around the middle are stored."""
    x, y = geodata.projected(np.array([geodata.LAT]), np.array([geodata.LON]), "EPSG:5070")
    left, top = float(np.floor(x[0] / 30) * 30 - 15_000 * 30), float(np.floor(y[0] / 30) * 30 + 20_000 * 30)
    form = {"tiled": True, "blockxsize": 512, "blockysize": 512} if tiled else {"blockysize": 1}
    with rasterio.open(
        path, "w", driver="GTiff", width=WIDTH, height=HEIGHT, count=1, dtype="float32", nodata=-9999.0, crs="EPSG:5070",
        transform=geodata.upright(left, top, 30), sparse_ok=True, compress="deflate", zlevel=1, bigtiff="yes", **form,
    ) as out:  # fmt: skip
        if unit:
            out.units = (unit,)
        for row in range(18_944, 22_016, 512):
            levels = 0.001 + ((row // 512 + np.arange(27, 33)) % 7) * 0.001
            values = np.tile(np.repeat(levels * (1e5 if unit else 1), 512).astype(np.float32), (512, 1))
            out.write(values, 1, window=rasterio.windows.Window(13_824, row, 3072, 512))


@pytest.mark.parametrize("tiled", [True, False], ids=["tiles", "strips"])
def test_pixels_stay_within_the_budget_whatever_the_size(tmp_path: Path, tiled: bool) -> None:
    path = tmp_path / "bp.tif"
    write_sparse(path, tiled=tiled)
    n = 20_000 if tiled else 3_000
    lat, lon = geodata.points(n, half_deg=0.3)
    sample_fire(path, lat[:10], lon[:10])  # imports and projections are not what is measured
    tracemalloc.start()
    found = sample_fire(path, lat, lon)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.counts["known"] > 0.5 * n
    assert peak < core.BUDGET_BYTES - core.CACHE_BYTES + 200 * n
    assert WIDTH * HEIGHT * 4 > 300 * core.BUDGET_BYTES


def test_slopes_stay_within_the_budget_too(tmp_path: Path) -> None:
    path = tmp_path / "dem.tif"
    write_sparse(path, tiled=True, unit="m")
    lat, lon = geodata.points(5_000, half_deg=0.3)
    sample_dem(path, lat[:10], lon[:10])
    tracemalloc.start()
    found = sample_dem(path, lat, lon)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.counts["slope_known"] > 2_500
    assert peak < core.BUDGET_BYTES - core.CACHE_BYTES + 300 * lat.size


@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak of resident memory from /proc")
def test_resident_memory_grows_by_no_more_than_the_budget(tmp_path: Path) -> None:
    """GDAL's own memory is not Python's: a process of its own tells the peak of all of it."""
    path = tmp_path / "bp.tif"
    write_sparse(path, tiled=True)
    program = f"""
import numpy as np
from pathlib import Path
from csrag.build.sources.raster_fire import sample_fire
from tests.support import geodata
def peak():
    with open("/proc/self/status") as stream:
        return next(int(line.split()[1]) for line in stream if line.startswith("VmHWM")) / 1024
lat, lon = geodata.points(20_000, half_deg=0.3)
sample_fire(Path({str(path)!r}), lat[:10], lon[:10])
before = peak()
known = sample_fire(Path({str(path)!r}), lat, lon).counts["known"]
print(known, peak() - before)
"""
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    known, grown_mb = (float(word) for word in done.stdout.split())
    assert known > 10_000
    assert grown_mb < core.BUDGET_BYTES / 2**20 + 8


def test_each_window_is_small_and_every_point_is_in_one(tmp_path: Path) -> None:
    from csrag.build.sources.raster_open import open_band

    path = tmp_path / "bp.tif"
    write_sparse(path, tiled=True)
    rng = np.random.default_rng(3)
    column, row = rng.integers(0, WIDTH, 5000), rng.integers(0, HEIGHT, 5000)
    for around_px in (0, 12, 360):
        with open_band(path, None, "anything") as band:
            groups = list(band.windows(column, row, around_px))
        assert np.array_equal(np.sort(np.concatenate(groups)), np.arange(5000))
        for group in groups:
            height, width = (np.ptp(v[group]) + 1 + around_px for v in (row, column))
            assert height * width <= 2**19
