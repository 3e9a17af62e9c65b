"""The state-wide demonstration: its sketch of the country, a crop of it built and killed, and (slow) the whole of it."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.support.california_crop import CROP, build_crop
from tests.support.layers import bytes_of

from csrag.build.progress import Silent
from csrag.build.sources.demo import FIELD_COUNT, DemoSource
from csrag.build.sources.demo_california import CALIFORNIA
from csrag.build.sources.demo_outline import in_state
from csrag.build.sources.demo_region import Grid, region_cells, region_named
from csrag.geo import to_albers_m
from csrag.places.counties import OUTSIDE, county_of
from csrag.places.gazetteer import lookup
from csrag.surfaces.derived import DERIVABLE
from csrag.surfaces.stores.columnar import ColumnarStore

ROOT = Path(__file__).resolve().parents[2]

# Share of the 12 km around: at least this under forest, at most that, by what is generally known of the country.
FORESTED = {"Arcata": 0.6, "Weaverville": 0.8, "Quincy": 0.75, "Downieville": 0.75, "Burney": 0.65, "Mount Shasta": 0.65,
            "Idyllwild": 0.3}  # fmt: skip
OPEN = {"Alturas": 0.5, "Bishop": 0.3, "Bridgeport": 0.5}
MEMORY_LIMIT_MB = 4096
"""What docs/explanation/demo-layers.md promises of a full build."""
BARE = ("Fresno", "Bakersfield", "Colusa", "Barstow", "Needles", "El Centro", "Stockton", "Los Angeles")
# Known elevations [ft], none of them a support of the relief, and how far off the sketch may be.
ELEVATIONS = {"Placerville": 1867, "Oroville": 167, "Merced": 171, "Mount Shasta": 3586, "Chester": 4534, "Modesto": 89}


@pytest.fixture(scope="module")
def grid() -> Grid:
    return Grid.over(CALIFORNIA.box)


@lru_cache(maxsize=1)
def crop() -> DemoSource:
    return DemoSource(CROP, 17)


def cell_at(grid: Grid, lat: float, lon: float) -> int:
    x, y = to_albers_m(lat, lon)
    return int((float(y) - grid.y_m[0]) // 360 + 0.5) * grid.shape[1] + int((float(x) - grid.x_m[0]) // 360 + 0.5)


def around(grid: Grid, town: str, km: float) -> NDArray[np.int64]:
    place = lookup(town)[0]
    row, column = divmod(cell_at(grid, place.lat, place.lon), grid.shape[1])
    reach = int(km / 0.36)
    rows = np.arange(max(row - reach, 0), row + reach)[:, None]
    columns = np.arange(max(column - reach, 0), min(column + reach, grid.shape[1]))[None, :]
    return np.asarray((rows * grid.shape[1] + columns).ravel(), dtype=np.int64)


def test_california_is_a_region_of_the_same_code() -> None:
    assert region_named("california") is CALIFORNIA
    assert "synthetic" in CALIFORNIA.title


def test_outline_by_scan_lines_is_the_counties_own_answer() -> None:
    for box in [(38.6, 39.5, -120.6, -119.4), (37.4, 38.2, -123.1, -122.0), (32.5, 32.8, -117.3, -116.0)]:
        small = Grid.over(box)
        cells = np.arange(small.shape[0] * small.shape[1])
        expected = county_of(*small.lat_lon(cells)) != OUTSIDE
        assert 0.1 < expected.mean() < 0.95
        np.testing.assert_array_equal(in_state(small).ravel(), expected)


@pytest.mark.parametrize("town", ELEVATIONS)
def test_relief_is_roughly_where_it_is(grid: Grid, town: str) -> None:
    place = lookup(town)[0]
    cell = np.array([cell_at(grid, place.lat, place.lon)])
    assert CALIFORNIA.country is not None
    assert abs(CALIFORNIA.country.over(grid).base_ft(cell)[0] - ELEVATIONS[town]) < 1200


def test_forest_is_likely_where_forests_are_and_nowhere_else(grid: Grid) -> None:
    assert CALIFORNIA.country is not None
    sketch = CALIFORNIA.country.over(grid)
    for town, least in FORESTED.items():
        cells = around(grid, town, 12.0)
        assert sketch.forest_chance(cells, sketch.base_ft(cells)).mean() > least, town
    for town, most in OPEN.items():
        cells = around(grid, town, 12.0)
        assert 0.02 < sketch.forest_chance(cells, sketch.base_ft(cells)).mean() < most, town
    for town in BARE:
        cells = around(grid, town, 7.0)
        assert sketch.forest_chance(cells, sketch.base_ft(cells)).max() < 0.1, town


def test_shares_add_up_to_the_clusters_so_that_each_means_what_it_says(grid: Grid) -> None:
    # The likeliest cells up to the total carry forest. Were the chances to add up to less, every share would be exceeded.
    assert CALIFORNIA.country is not None
    sketch = CALIFORNIA.country.over(grid)
    cells = np.flatnonzero(in_state(grid).ravel() & grid.inside.ravel())[::11]
    expected = 11 * sketch.forest_chance(cells, sketch.base_ft(cells)).sum()
    assert expected == pytest.approx(1_080_000, rel=0.02)


def test_broad_luck_lifts_no_subregion(grid: Grid) -> None:
    assert CALIFORNIA.country is not None
    sketch = CALIFORNIA.country.over(grid)
    cells = np.flatnonzero(in_state(grid).ravel() & grid.inside.ravel())[::5]
    row, column = grid.rows_columns(cells)
    luck = np.sin(row / 150.0) + np.cos(column / 90.0)  # waves of some hundred kilometres
    counted = sketch.forest_chance(cells, sketch.base_ft(cells)) > 0.02
    left = sketch.centred(luck, cells, counted)
    home = sketch.subregion(cells)
    before, after = (
        [abs(x[(home == i) & counted].mean()) for i in range(len(CALIFORNIA.country.subregions))] for x in (luck, left)
    )
    assert max(before) > 0.5
    assert max(after) < 0.12
    nobody_s = sketch.hilliness(cells) < 0.1 + 1e-6
    assert nobody_s.mean() > 0.2
    np.testing.assert_allclose(left[nobody_s], luck[nobody_s], atol=1e-4)


def test_weights_of_fires_add_up_and_blend(grid: Grid) -> None:
    assert CALIFORNIA.country is not None
    sketch = CALIFORNIA.country.over(grid)
    cells = around(grid, "Quincy", 40.0)
    elevation = sketch.base_ft(cells)
    regimes, weights = sketch.fire_weights(cells, elevation)
    np.testing.assert_allclose(weights.sum(axis=0), 1.0, atol=1e-6)
    assert (weights >= 0).all()
    high = sketch.fire_weights(cells, np.full(cells.size, 9500.0))
    assert (high[1][[r.name for r in regimes].index("subalpine")] > 0.9).all()
    image = weights[[r.name for r in regimes].index("northern Sierra")].reshape(2 * int(40 / 0.36), -1)
    assert np.abs(np.diff(image, axis=1)).max() < 0.1  # no hard edge from one cell to the next


def test_a_crop_has_the_country_of_the_whole(grid: Grid) -> None:
    assert CALIFORNIA.country is not None
    small = Grid.over(CROP.box)
    cells = np.arange(0, small.shape[0] * small.shape[1], 997)
    row, column = small.rows_columns(cells)
    same = (row + small.row0 - grid.row0) * grid.shape[1] + column + small.column0 - grid.column0
    for name in ("low_ft", "wet", "roughness"):
        here = CALIFORNIA.country.over(small).mean_of(name, cells)
        # The coarse points differ by a fraction of 3.6 km.
        np.testing.assert_allclose(
            here, CALIFORNIA.country.over(grid).mean_of(name, same), rtol=0.1, atol=0.1 * np.ptp(here)
        )


def test_the_crop_is_as_dense_as_said_and_says_synthetic() -> None:
    source = crop()
    c = source.clusters()
    land = np.count_nonzero(in_state(Grid.over(CROP.box)) & Grid.over(CROP.box).inside)
    assert CROP.country is not None
    assert c["lat"].size == round(CROP.country.density * land)
    assert (c["county"] != OUTSIDE).all()
    assert any(p.layer == "country" and "SYNTHETIC" in p.note for p in source.provenance)
    known = np.isfinite(c["burn_probability"])
    assert 0.006 < np.median(c["burn_probability"][known]) < 0.020


def test_every_field_and_stage_moves_the_bar_once() -> None:
    phases: dict[str, list[int]] = {}

    class Counting(Silent):
        def start(self, label: str, total: int, unit: str) -> None:  # noqa: ARG002
            phases[label] = self.now = [total, 0]

        def advance(self, count: int) -> None:
            self.now[1] += count

    source = DemoSource(CROP, 3)
    source.watched_by(Counting())
    source.clusters()
    assert list(phases) == ["drawing random fields", "drawing roads", "fitting road factors"]
    assert phases["drawing random fields"] == [FIELD_COUNT, FIELD_COUNT]
    assert all(total == done > 0 for total, done in phases.values())


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX")
@pytest.mark.parametrize("workers", [1, 2])
def test_killed_at_ten_seeded_moments_and_run_again_gives_the_same_bytes(tmp_path: Path, workers: int) -> None:
    """Each kill strikes the leavings of the kill before; the last run ends with the bytes of an untroubled one."""
    whole = tmp_path / "whole"
    begin = time.monotonic()
    command = [sys.executable, "-m", "tests.support.california_crop"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([*command, str(whole), str(workers)], cwd=ROOT, env=env, check=True, capture_output=True)
    seconds = time.monotonic() - begin
    rng, out, killed = random.Random(17), tmp_path / "out", 0
    for _ in range(10):
        process = subprocess.Popen(
            [*command, str(out), str(workers)], cwd=ROOT, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            process.wait(rng.uniform(0.1, 0.95) * seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            killed += 1
        process.wait()
        if out.exists():
            assert ColumnarStore(out).verify() == []
    assert killed >= 5
    build_crop(out, workers)
    assert bytes_of(out) == bytes_of(whole)
    assert ColumnarStore(out).hash == ColumnarStore(whole).hash
    assert ColumnarStore(out).verify() == []
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out", "whole"]


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="memory is read from /proc")
def test_the_whole_state_is_built_where_it_should_be_within_its_memory(grid: Grid, tmp_path: Path) -> None:
    """Fields, roads, costs and compaction at full size: parent and workers together stay under the limit."""
    out = tmp_path / "california"
    command = [sys.executable, str(ROOT / "benchmarks" / "build.py"), "--out", str(out), "--workers", "2", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=1800)
    result = json.loads(done.stdout)
    assert 900 < result["peak_rss_mb"] < MEMORY_LIMIT_MB
    assert result["size_mb"] < 900
    store = ColumnarStore(out)
    assert store.manifest.derived == DERIVABLE
    assert (len(store), store.manifest.counts["records"]) == (1_080_000, 11_880_000)

    def held(lat: float, lon: float) -> int:
        return len(store.within(lat, lon, 28.0)[0])

    assert held(36.33, -119.65) == held(34.9, -117.02) == 0  # Hanford and Barstow; Fresno's own circle has foothills
    assert held(39.94, -120.95) > 0.8 * 19_000  # of the 360 m cells around Quincy: closed forest
    assert min(held(40.87, -124.0), held(37.5, -119.6)) > 8000  # a third of Arcata's circle is sea
    assert 2000 < held(33.78, -116.7) < 10_000  # Idyllwild
    assert CALIFORNIA.country is not None
    sketch = CALIFORNIA.country.over(grid)
    land = np.flatnonzero(region_cells(CALIFORNIA, grid).ravel()).astype(np.int64)
    forest = np.isin(grid.cluster_no(land), store.column("cluster_no"))
    chance, home = sketch.forest_chance(land, sketch.base_ft(land)), sketch.subregion(land)
    for i, part in enumerate(CALIFORNIA.country.subregions):
        core = (sketch.hilliness(land) > 0.9) & (home == i)
        assert forest[core].mean() == pytest.approx(chance[core].mean(), abs=0.1), part.name
    burn, elevation, lon = (store.column(name) for name in ("burn_probability", "elevation_ft", "lon"))
    assert 0.0005 < np.nanmedian(burn[elevation > 9500]) < 0.005
    assert 0.0015 < np.nanmedian(burn[lon < -123.9]) < 0.006
