"""Laws of the search over many sites, whatever the clusters and the engine."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.statewide import compiled, scattered, use

from csrag.ask.computation import statewide_kernel
from csrag.ask.computation.statewide import site_costs, taken_rows
from csrag.ask.computation.statewide_twin import FIGURES, figures
from csrag.geo import haversine_km

SITES = st.tuples(st.floats(39.0, 40.8), st.floats(-122.0, -119.8))
WEIGHTS = st.sampled_from([0.0, 0.05, 0.4, 0.9, 0.999999, 1.0])


@pytest.fixture(scope="module", autouse=True)
def _kernel(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        use(patch, compiled(tmp_path_factory.mktemp("kernel")))
        yield


@st.composite
def pools(draw):
    n = draw(st.sampled_from([0, 1, 2, 30, 400]))
    # A box of a few kilometres puts many clusters at the least haul, where whole costs tie.
    box = draw(st.sampled_from([(39.2, 40.6, -121.8, -120.0), (39.98, 40.02, -120.95, -120.9)]))
    return scattered(draw(st.integers(0, 10**6)), n, draw(st.sampled_from([0, 1, 4])), box)


@settings(max_examples=150)
@given(pools(), SITES, WEIGHTS, st.floats(1.0, 60_000.0), st.floats(1.0, 150.0))
def test_search_equals_the_reference(pool, site, weight, demand, radius_km):
    found = site_costs(pool, *site, demand, radius_km, weight)
    expected = figures(pool, *site, demand, radius_km, weight)
    row = np.array([float(getattr(found, name)[0]) for name in FIGURES])
    np.testing.assert_allclose(row, expected, rtol=1e-11, atol=0)


@settings(max_examples=50)
@given(pools(), SITES, WEIGHTS, st.floats(1.0, 20_000.0), st.floats(1.0, 100.0))
def test_what_is_taken_lies_in_the_circle_and_meets_the_demand_by_less_than_a_cluster(
    pool, site, weight, demand, radius_km
):
    rows = taken_rows(pool, *site, demand, radius_km, weight)
    found = site_costs(pool, *site, demand, radius_km, weight)
    at = {row: i for i, row in enumerate(pool.row.tolist())}
    taken = [at[row] for row in rows.tolist()]
    assert len(set(taken)) == len(taken)
    assert (haversine_km(*site, pool.lat[taken], pool.lon[taken]) <= radius_km).all()
    tons = pool.tons_bdt[taken]
    assert found.clusters[0] == len(taken)
    if found.met[0]:
        assert tons[:-1].sum() < demand <= found.taken_bdt[0]
        assert found.last_ton_usd_per_bdt[0] >= found.average_usd_per_bdt[0] * (1 - 1e-12)
    else:
        assert found.available_bdt[0] < demand * (1 + 1e-12)


@settings(max_examples=50)
@given(pools(), SITES, st.floats(10.0, 20_000.0), st.floats(1.0, 80.0), st.floats(1.0, 3.0))
def test_a_wider_circle_never_makes_the_last_ton_dearer(pool, site, demand, radius_km, wider):
    near, far = (site_costs(pool, *site, demand, r, 0.0) for r in (radius_km, radius_km * wider))
    assert far.available_bdt[0] >= near.available_bdt[0] * (1 - 1e-12)
    if near.met[0]:
        assert far.met[0]
        assert far.last_ton_usd_per_bdt[0] <= near.last_ton_usd_per_bdt[0] * (1 + 1e-12)


@settings(max_examples=50)
@given(pools(), SITES, st.floats(10.0, 20_000.0), st.floats(1.0, 4.0), st.floats(1.0, 100.0))
def test_more_demand_is_never_cheaper_in_the_same_circle(pool, site, demand, more, radius_km):
    less, much = (site_costs(pool, *site, d, radius_km, 0.0) for d in (demand, demand * more))
    if much.met[0]:
        assert less.met[0]
        assert less.average_usd_per_bdt[0] <= much.average_usd_per_bdt[0] * (1 + 1e-12)
        assert less.last_ton_usd_per_bdt[0] <= much.last_ton_usd_per_bdt[0] * (1 + 1e-12)


@settings(max_examples=40)
@given(pools(), SITES, st.floats(10.0, 5_000.0), st.floats(1.0, 100.0))
def test_weight_zero_is_cost_only_whatever_burns(pool, site, demand, radius_km):
    burnt = replace(pool, burn_probability=np.full(len(pool), np.nan), laid_out={})
    cost_only = taken_rows(burnt, *site, demand, radius_km, 0.9)
    assert taken_rows(pool, *site, demand, radius_km, 0.0).tolist() == cost_only.tolist()
    found, same = site_costs(pool, *site, demand, radius_km, 0.0), site_costs(burnt, *site, demand, radius_km, 0.9)
    for name in set(FIGURES) - {"mean_burn_probability"}:
        assert getattr(found, name) == pytest.approx(getattr(same, name), rel=1e-11, nan_ok=True)


@settings(max_examples=25)
@given(pools(), st.lists(SITES, min_size=1, max_size=40), WEIGHTS, st.floats(10.0, 5_000.0), st.integers(1, 4))
def test_company_and_workers_change_no_byte(pool, sites, weight, demand, workers):
    lat, lon = np.array(sites).T
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(statewide_kernel, "_SITES_A_TASK", 8)
        together = site_costs(pool, lat, lon, demand, 45.0, weight, workers)
        for i in range(0, len(lat), 7):
            alone = site_costs(pool, lat[i], lon[i], demand, 45.0, weight, 1)
            for name in FIGURES:
                assert getattr(alone, name).tobytes() == getattr(together, name)[i : i + 1].tobytes()
