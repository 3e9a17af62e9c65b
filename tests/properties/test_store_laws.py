"""Laws of the radius index and of the store: a circle is what brute force says it is, bit for bit."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.layers import build_small

from csrag.geo import haversine_km
from csrag.surfaces.catalog import COLUMNS
from csrag.surfaces.index import CellGrid, RadiusIndex
from csrag.surfaces.store import CATCHMENT_COLUMNS
from csrag.surfaces.stores.columnar import ColumnarStore


def indexed(lat: np.ndarray, lon: np.ndarray) -> tuple[RadiusIndex, np.ndarray, np.ndarray]:
    """Points in storage order and their index."""
    grid = CellGrid.around(lat, lon)
    order, offsets = grid.order(lat, lon, np.arange(lat.size, dtype=np.int64))
    return RadiusIndex(grid, offsets, lat[order], lon[order]), lat[order], lon[order]


def assert_equals_brute_force(
    index: RadiusIndex, lats: np.ndarray, lons: np.ndarray, lat: float, lon: float, radius: float
):
    hits = index.search(lat, lon, radius)
    distance = haversine_km(lat, lon, lats, lons)
    expected = np.flatnonzero(distance <= radius)
    np.testing.assert_array_equal(hits.rows, expected)
    np.testing.assert_array_equal(hits.distance_km, distance[expected])


_rng = np.random.default_rng(7)
STATE = indexed(_rng.uniform(32.5, 42.0, 4000), _rng.uniform(-124.4, -114.2, 4000))
lats, lons = st.floats(32.0, 42.5), st.floats(-125.0, -113.5)


@given(lat=lats, lon=lons, radius=st.floats(0.1, 400.0))
def test_any_site_and_radius(lat, lon, radius):
    assert_equals_brute_force(*STATE, lat, lon, radius)


@given(at=st.integers(0, 3999), radius=st.floats(0.1, 400.0))
def test_sites_on_a_cluster(at, radius):
    index, lat, lon = STATE
    assert_equals_brute_force(index, lat, lon, float(lat[at]), float(lon[at]), radius)


@given(at=st.integers(0, 3999), to=st.integers(0, 3999))
def test_radius_exactly_at_a_cluster_holds_it(at, to):
    index, lat, lon = STATE
    radius = float(haversine_km(lat[at], lon[at], lat, lon)[to])
    assert_equals_brute_force(index, lat, lon, float(lat[at]), float(lon[at]), radius)
    assert to in index.search(float(lat[at]), float(lon[at]), radius).rows
    below = math.nextafter(radius, 0.0)
    assert_equals_brute_force(index, lat, lon, float(lat[at]), float(lon[at]), below)


@given(row=st.integers(-1, 60), col=st.integers(-1, 60), radius=st.floats(0.1, 60.0), nudge=st.sampled_from([-1, 0, 1]))
def test_sites_and_clusters_at_cell_borders(row, col, radius, nudge):
    # Clusters exactly on the corners of their own grid, where rounding decides the cell.
    grid = CellGrid.around(np.array([39.0, 41.0]), np.array([-122.0, -120.0]))
    i, j = np.meshgrid(np.arange(grid.rows), np.arange(grid.cols), indexing="ij")
    lat, lon = (grid.lat0 + i * grid.dlat).ravel(), (grid.lon0 + j * grid.dlon).ravel()
    index, lat, lon = indexed(lat, lon)
    site = grid.lat0 + row * grid.dlat
    assert_equals_brute_force(index, lat, lon, site + nudge * math.ulp(site), grid.lon0 + col * grid.dlon, radius)


@given(
    points=st.lists(st.tuples(lats, lons), min_size=0, max_size=30),
    site=st.tuples(lats, lons),
    radius=st.floats(0.1, 400.0),
)
def test_few_points_in_any_arrangement(points, site, radius):
    lat, lon = (np.array([p[k] for p in points], dtype=np.float64) for k in (0, 1))
    assert_equals_brute_force(*indexed(lat, lon), *site, radius)


@given(site=st.tuples(st.floats(-89.0, 89.0), st.floats(-180.0, 180.0)), radius=st.floats(0.1, 400.0))
def test_sites_far_from_the_data_find_nothing_or_the_truth(site, radius):
    assert_equals_brute_force(*STATE, *site, radius)


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 200))
def test_order_is_a_permutation_that_follows_cells_and_numbers(seed, n):
    rng = np.random.default_rng(seed)
    lat, lon, no = rng.uniform(39, 40, n), rng.uniform(-121, -120, n), rng.permutation(n).astype(np.int64)
    grid = CellGrid.around(lat, lon)
    order, offsets = grid.order(lat, lon, no)
    assert sorted(order.tolist()) == list(range(n))
    cell = grid.cell_of(lat, lon)[order]
    assert (np.diff(cell) >= 0).all()
    for c in np.unique(cell):
        rows = slice(offsets[c], offsets[c + 1])
        assert (cell[rows] == c).all()
        assert (np.diff(no[order][rows]) > 0).all()
    shuffled = rng.permutation(n)
    again, _ = CellGrid.around(lat[shuffled], lon[shuffled]).order(lat[shuffled], lon[shuffled], no[shuffled])
    np.testing.assert_array_equal(no[shuffled][again], no[order])


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> ColumnarStore:
    out: Path = tmp_path_factory.mktemp("laws") / "small"
    build_small(out, n=700)
    return ColumnarStore(out)


@given(lat=st.floats(39.3, 40.7), lon=st.floats(-121.7, -120.0), radius=st.floats(0.1, 120.0),
       treatment=st.sampled_from(["SDI55", "TFB40"]))  # fmt: skip
def test_catchment_is_the_columns_at_the_brute_force_rows(store, lat, lon, radius, treatment):
    frame = store.catchment(lat, lon, radius, treatment)
    at = store.manifest.treatment_names.index(treatment)
    distance = haversine_km(lat, lon, store.column("lat"), store.column("lon"))
    rows = np.flatnonzero(distance <= radius)
    assert frame.names == CATCHMENT_COLUMNS
    np.testing.assert_array_equal(frame["row"], rows)
    np.testing.assert_array_equal(frame["distance_km"], distance[rows])
    for name in CATCHMENT_COLUMNS[2:]:
        column = store.column(name)
        expected = column[rows] if COLUMNS[name].axes == "cluster" else column[at][..., rows].T
        np.testing.assert_array_equal(frame[name], expected)
        assert frame[name].dtype == np.dtype(COLUMNS[name].dtype)
    found, km = store.within(lat, lon, radius)
    np.testing.assert_array_equal(found, rows)
    np.testing.assert_array_equal(km, distance[rows])


@given(rows=st.lists(st.integers(0, 699), max_size=40), treatment=st.sampled_from(["SDI55", "TFB40"]))
def test_stand_gives_the_rows_asked_for_in_their_order(store, rows, treatment):
    frame = store.stand(np.array(rows, dtype=np.int64), treatment)
    at = store.manifest.treatment_names.index(treatment)
    assert len(frame) == len(rows)
    for name in frame:
        column = store.column(name)
        np.testing.assert_array_equal(frame[name], (column if column.ndim == 1 else column[at])[rows])
