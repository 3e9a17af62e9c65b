"""Rasters and polygons at full size: ``python benchmarks/raster.py [--points N] [--rounds N] [--json]``.

Everything is made up and written to a scratch folder first: a burn-probability raster of the size of the contiguous states
at 270 m (17,000 by 10,700 pixels, EPSG:5070), in tiles and in strips; an elevation raster of one degree at a third of an
arc-second; and 4,000 polygons. Each reader then runs in a process of its own, which reports its time and how far its peak of
resident memory grew over what it held before (imports and points included there).
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

WIDTH, HEIGHT, PIXEL_M = 17_000, 10_700, 270.0
LEFT_M, TOP_M = -2_340_000.0, 3_180_000.0
SEED = 4
DEM_SIDE = 10_800
POLYGONS = 4000
CALIFORNIA = ((39.0, -122.5), (37.0, -119.0), (41.0, -121.5), (34.4, -118.0), (36.0, -121.0))
"""Middles of the made-up forests [degrees]."""


def cluster_points(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Centres scattered around five places of California [degrees], in an order that follows no raster."""
    rng = np.random.default_rng(SEED)
    middle = np.array(CALIFORNIA)[rng.integers(0, len(CALIFORNIA), n)]
    return middle[:, 0] + rng.uniform(-0.9, 0.9, n), middle[:, 1] + rng.uniform(-0.9, 0.9, n)


def write_burn(path: Path, tiled: bool) -> None:
    """Burn probability as a smooth function of place, a band of rows at a time."""
    import rasterio
    from rasterio.transform import Affine

    form = {"tiled": True, "blockxsize": 256, "blockysize": 256} if tiled else {"blockysize": 1}
    with rasterio.open(
        path, "w", driver="GTiff", width=WIDTH, height=HEIGHT, count=1, dtype="float32", nodata=-9999.0, crs="EPSG:5070",
        transform=Affine(PIXEL_M, 0, LEFT_M, 0, -PIXEL_M, TOP_M), compress="deflate", zlevel=1, **form,
    ) as out:  # fmt: skip
        across = np.sin(np.arange(WIDTH) / 300)
        for row in range(0, HEIGHT, 256):
            rows = np.arange(row, min(row + 256, HEIGHT))
            values = 0.02 + 0.019 * across[None, :] * np.cos(rows / 200)[:, None]
            out.write(values.astype(np.float32), 1, window=((row, row + rows.size), (0, WIDTH)))


def write_dem(path: Path) -> None:
    """A degree of hills at a third of an arc-second."""
    import rasterio
    from rasterio.transform import Affine

    with rasterio.open(
        path, "w", driver="GTiff", width=DEM_SIDE, height=DEM_SIDE, count=1, dtype="float32", nodata=-999999.0,
        crs="EPSG:4269", transform=Affine(1 / DEM_SIDE, 0, -121.5, 0, -1 / DEM_SIDE, 40.5), tiled=True, compress="deflate",
        zlevel=1,
    ) as out:  # fmt: skip
        across = np.sin(np.arange(DEM_SIDE) / 90)
        for row in range(0, DEM_SIDE, 256):
            rows = np.arange(row, min(row + 256, DEM_SIDE))
            values = 1200 + 150 * across[None, :] * np.cos(rows / 70)[:, None]
            out.write(values.astype(np.float32), 1, window=((row, row + rows.size), (0, DEM_SIDE)))


def write_polygons(path: Path) -> None:
    """Blobs of 200 corners, 1 to 12 km wide, over the points."""
    import pyogrio
    import shapely

    from csrag.geo import to_albers_m

    rng = np.random.default_rng(SEED + 1)
    lat, lon = cluster_points(POLYGONS)
    x, y = to_albers_m(lat, lon)
    angle = np.linspace(0, 2 * np.pi, 200, endpoint=False)
    radius = rng.uniform(500, 6000, (POLYGONS, 1)) * (1 + 0.3 * np.sin(5 * angle + rng.uniform(0, 6, (POLYGONS, 1))))
    corners = np.stack((x[:, None] + radius * np.cos(angle), y[:, None] + radius * np.sin(angle)), axis=-1)
    owners = np.array(["USFS", "BLM", "Private", "State"], dtype=object)[rng.integers(0, 4, POLYGONS)]
    shapes = shapely.to_wkb(shapely.polygons(corners))
    pyogrio.raw.write(path, shapes, [owners], ["OWNER"], geometry_type="Polygon", crs="EPSG:3310")


def peak_mb() -> float:
    """Peak of this process's resident memory so far [MB]."""
    with Path("/proc/self/status").open(encoding="ascii") as stream:
        return next(int(line.split()[1]) for line in stream if line.startswith("VmHWM")) * 1024 / 1e6


def measure(what: str, path: Path, n: int) -> dict[str, float | int | str]:
    """Run one reader on all points and report."""
    from csrag.build.sources.polygons import assign_polygons
    from csrag.build.sources.raster_dem import sample_dem
    from csrag.build.sources.raster_fire import sample_fire

    lat, lon = cluster_points(n)
    if what == "dem":
        lat, lon = 39.5 + (lat - lat.min()) / np.ptp(lat), -121.5 + (lon - lon.min()) / np.ptp(lon)
    readers = {"dem": sample_dem, "polygons": assign_polygons}
    more = {"dem": {"vertical_unit": "m"}, "polygons": {"field": "OWNER"}}.get(what, {})
    reader = readers.get(what, sample_fire)
    reader(path, lat[:100], lon[:100], **more)
    before, start = peak_mb(), time.perf_counter()
    found = reader(path, lat, lon, **more)
    seconds = time.perf_counter() - start
    grown_mb = round(peak_mb() - before)
    size_mb = round(path.stat().st_size / 1e6)
    return {
        "what": what, "points": n, "known": found.counts["known"], "seconds": round(seconds, 2), "file_mb": size_mb,
        "peak_growth_mb": grown_mb,
    }  # fmt: skip


def main() -> None:
    """Write the inputs, run each reader in its own process, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=1_080_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--one", nargs=2, metavar=("WHAT", "FILE"), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        print(json.dumps(measure(asked.one[0], Path(asked.one[1]), asked.points)))
        return
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        files = {
            "burn, tiles": Path(scratch, "tiles.tif"), "burn, strips": Path(scratch, "strips.tif"),
            "dem": Path(scratch, "dem.tif"), "polygons": Path(scratch, "owners.gpkg"),
        }  # fmt: skip
        write_burn(files["burn, tiles"], True)
        write_burn(files["burn, strips"], False)
        write_dem(files["dem"])
        write_polygons(files["polygons"])
        for what, path in files.items():
            command = [sys.executable, __file__, "--points", str(asked.points), "--one", what, str(path)]
            runs = []
            for _ in range(asked.rounds):
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                runs.append(json.loads(done.stdout))
            times = [run["seconds"] for run in runs]
            grown = max(run["peak_growth_mb"] for run in runs)
            rows.append({**runs[0], "seconds": statistics.median(times), "all_seconds": times, "peak_growth_mb": grown})
    if asked.json:
        print(json.dumps(rows))
        return
    for row in rows:
        print(
            f"{row['what']:14} {row['points']:,} points, {row['known']:,} with a value: median {row['seconds']} s of "
            f"{row['all_seconds']}, peak memory grew by at most {row['peak_growth_mb']} MB; file of {row['file_mb']} MB"
        )


if __name__ == "__main__":
    main()
