"""Laws of the demonstration recipe that hold for any input."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from csrag.build.sources.demo_region import Grid, region_named
from csrag.build.sources.demo_stands import FOREST_TYPES, Stands
from csrag.build.sources.demo_terrain import mean_yarding_ft
from csrag.build.sources.fields import fast_length, rank01
from csrag.errors import InvalidValueError
from csrag.geo import to_albers_m

DENSITIES = hnp.arrays(np.float64, 5, elements=st.floats(0.15, 1.1))
INTENSITIES = hnp.arrays(np.float64, 5, elements=st.floats(0.6, 1.4))
FROM_MILD_TO_HARD = [
    ("TFB20", "TFB40", "TFB60", "TFB80", "RMI100"),
    ("TFA20", "TFA40", "TFA60", "TFA80", "RMI100"),
    ("SDI55", "SDI30", "RMI100"),
]


def stands(density: np.ndarray, intensity: np.ndarray) -> Stands:
    n = density.size
    return Stands(
        standing_bdt_per_acre=np.ones((4, n)),
        relative_density=density,
        intensity=intensity,
        scar=np.zeros(n, dtype=bool),
        forest_type=np.full(n, FOREST_TYPES.index("pine"), dtype=np.uint8),
        wood_density_kg_per_m3=np.full(n, 380.0),
    )


@pytest.mark.parametrize("ladder", FROM_MILD_TO_HARD, ids=lambda names: names[0][:3])
@given(density=DENSITIES, intensity=INTENSITIES)
def test_a_harder_cut_never_removes_less(ladder: tuple[str, ...], density: np.ndarray, intensity: np.ndarray) -> None:
    made = stands(density, intensity)
    shares = [made.removed_share(name, slice(None)) for name in ladder]
    for mild, hard in pairwise(shares):
        assert (mild <= hard).all()
        assert (mild >= 0).all()
        assert (hard <= 1).all()


@given(st.floats(0, 5000), st.floats(0, 5000))
def test_yarding_grows_with_the_distance(a: float, b: float) -> None:
    near, far = mean_yarding_ft(np.array(sorted((a, b))))
    assert 451.0 <= near <= far
    # Never less than the straight line, never more than line plus the cell's own mean distance.
    assert far >= 3.28084 * max(a, b) - 1e-9
    assert far <= 3.28084 * (max(a, b) + 137.6) + 1e-9


@given(st.integers(1, 5000))
def test_fast_length_is_near(n: int) -> None:
    assert n <= fast_length(n) <= max(2 * n, 1)


@given(hnp.arrays(np.float64, st.integers(1, 50), elements=st.floats(-1e6, 1e6)))
def test_ranks_keep_the_order(values: np.ndarray) -> None:
    ranks = rank01(values)
    assert sorted(ranks.tolist()) == pytest.approx(((np.arange(values.size) + 0.5) / values.size).tolist())
    smaller = values[:, None] < values[None, :]
    assert (ranks[:, None] < ranks[None, :])[smaller].all()


@given(st.floats(38.0, 41.0), st.floats(-121.5, -120.5), st.floats(0.02, 0.2))
def test_a_cell_has_one_number_in_every_region(lat: float, lon: float, size: float) -> None:
    small = Grid.over((lat, lat + size, lon, lon + size))
    large = Grid.over((lat - 0.1, lat + size + 0.1, lon - 0.1, lon + size + 0.1))
    cells = np.flatnonzero(small.inside)
    lat_small, lon_small = small.lat_lon(cells)
    every = np.flatnonzero(large.inside)
    numbers = large.cluster_no(every)
    found = every[np.searchsorted(numbers, small.cluster_no(cells))]
    lat_large, lon_large = large.lat_lon(found)
    assert lat_large == pytest.approx(lat_small, abs=1e-12)
    assert lon_large == pytest.approx(lon_small, abs=1e-12)


@given(
    st.lists(st.tuples(st.floats(39.3, 40.0), st.floats(-121.9, -121.0)), min_size=1, max_size=5),
    st.floats(1.0, 12.0),
)
def test_distance_to_towns_equals_brute_force(points: list[tuple[float, float]], reach_km: float) -> None:
    grid = Grid.over((39.5, 39.7, -121.5, -121.2))
    lats, lons = np.array(points).T
    x_m, y_m = to_albers_m(lats, lons)
    brute = np.min(
        [np.hypot(grid.x_m[None, :] - x, grid.y_m[:, None] - y) / 1000.0 for x, y in zip(x_m, y_m, strict=True)], axis=0
    )
    assert grid.km_to_nearest(lats, lons, reach_km) == pytest.approx(np.minimum(brute, reach_km), abs=1e-9)


def test_regions_are_keyed_by_their_name() -> None:
    for name in ("northern-sierra", "california"):
        assert region_named(name).name == name
    with pytest.raises(InvalidValueError, match="no demonstration region"):
        region_named("nowhere")
