"""Plants that share no fuel: each cluster once, far enough apart, and no worse than choosing one after another."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.layers import build_small

from csrag.ask.computation.delivered import economics
from csrag.ask.computation.search_portfolio import Sites, without_competition
from csrag.ask.computation.search_rank import objective
from csrag.ask.computation.search_sites import grid_sites
from csrag.ask.computation.statewide import prepare_pool, site_costs, taken_rows
from csrag.ask.records import SitingQuery
from csrag.geo import haversine_km
from csrag.interfaces.open import open_layers


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    folder = tmp_path_factory.mktemp("portfolio") / "layers"
    build_small(folder, n=700, seed=11, box=(39.8, 40.3, -121.2, -120.5))
    return open_layers(str(folder))


def setting(store, query, demand, radius_km, allowed=None, every=9):
    pool = prepare_pool(store, query, economics(store.manifest, query.overrides))
    grid = grid_sites(store.column("lat"), store.column("lon"))
    lat, lon = grid.lat[::every], grid.lon[::every]
    sites = Sites(lat, lon, demand, radius_km, query.fire_weight, allowed or (lambda costs: costs.met))
    return pool, sites, site_costs(pool, lat, lon, demand, radius_km, query.fire_weight)


def one_after_another(pool, sites, count, separation_km):
    """The plain loop: every site costed anew after each choice."""
    chosen, rows = [], []
    while len(chosen) < count:
        left = pool.without(np.concatenate(rows)) if rows else pool
        costs = site_costs(left, sites.lat, sites.lon, sites.demand_bdt, sites.radius_km, sites.fire_weight)
        far = np.ones(len(sites.lat), dtype=bool)
        for site in chosen:
            far &= haversine_km(sites.lat[site], sites.lon[site], sites.lat, sites.lon) >= separation_km
            far[site] = False
        usable = np.flatnonzero(far & costs.met & sites.allowed(costs))
        if not len(usable):
            break
        score = objective(costs.average_usd_per_bdt, costs.mean_burn_probability, sites.fire_weight, pool.scales)
        best = min(usable.tolist(), key=lambda i: (score[i], costs.average_usd_per_bdt[i], i))
        chosen.append(best)
        rows.append(
            taken_rows(left, sites.lat[best], sites.lon[best], sites.demand_bdt, sites.radius_km, sites.fire_weight)
        )
    return chosen, rows


def totals(pool, sites, chosen, rows):
    """Sum of what the plants are ranked by, from the clusters themselves."""
    out = 0.0
    for site, mine in zip(chosen, rows, strict=True):
        alone = pool.without(np.setdiff1d(pool.row, mine))
        cost = site_costs(
            alone, sites.lat[[site]], sites.lon[[site]], sites.demand_bdt, sites.radius_km, sites.fire_weight
        )
        assert cost.met[0]
        out += float(objective(cost.average_usd_per_bdt, cost.mean_burn_probability, sites.fire_weight, pool.scales)[0])
    return out


@settings(max_examples=25)
@given(
    st.floats(300, 6000), st.sampled_from([12.0, 25.0, 60.0]), st.integers(2, 6), st.sampled_from([0.0, 5.0, 15.0]),
    st.sampled_from([0.0, 0.3, 1.0]), st.sampled_from([None, 30.0]), st.sampled_from([("private", "usfs"), ("usfs",)]),
)  # fmt: skip
def test_no_cluster_is_used_twice_and_no_site_either(small, demand, radius_km, count, apart_km, weight, slope, land):
    query = SitingQuery(fire_weight=weight, max_slope_pct=slope, land_use=land, min_burn_probability=0.005)
    pool, sites, costs = setting(small, query, demand, radius_km)
    found = without_competition(pool, sites, costs, count, apart_km)
    rows = [row for plant in found.plants for row in plant.rows.tolist()]
    assert len(rows) == len(set(rows))
    tons = dict(zip(pool.row.tolist(), pool.tons_bdt.tolist(), strict=True))
    for n, plant in enumerate(found.plants):
        assert sum(tons[r] for r in plant.rows.tolist()) >= demand * (1 - 1e-12)
        assert plant.tons_bdt == pytest.approx(sum(tons[r] for r in plant.rows.tolist()), rel=1e-12)
        for other in found.plants[:n]:
            away = haversine_km(*(v[i] for i in (plant.site, other.site) for v in (sites.lat, sites.lon)))
            assert away >= apart_km
            assert plant.site != other.site
    greedy, greedy_rows = one_after_another(pool, sites, count, apart_km)
    assert len(found.plants) == len(greedy)
    mine = totals(pool, sites, [p.site for p in found.plants], [p.rows for p in found.plants])
    plain = totals(pool, sites, greedy, greedy_rows)
    assert mine <= plain + 1e-9 * abs(plain)
    if not found.moved and [p.site for p in found.plants] == greedy and apart_km > 2 * radius_km:
        assert mine == pytest.approx(plain, rel=1e-12)


def test_plants_out_of_each_others_reach_cost_what_they_cost_alone(small):
    query = SitingQuery()
    pool, sites, costs = setting(small, query, 400.0, 10.0)
    found = without_competition(pool, sites, costs, 3, 25.0)
    assert len(found.plants) == 3
    assert found.contested_bdt == 0.0
    for plant in found.plants:
        assert plant.average_usd_per_bdt == pytest.approx(plant.alone_usd_per_bdt, rel=1e-12)
        assert plant.tons_bdt == pytest.approx(plant.alone_bdt, rel=1e-12)


def test_sharing_is_counted_where_circles_overlap_and_what_runs_out_is_told(small):
    query = SitingQuery()
    pool, sites, costs = setting(small, query, 4000.0, 40.0)
    found = without_competition(pool, sites, costs, 20, 0.0)
    assert 1 < len(found.plants) < 20
    assert 0 <= found.left_bdt < 4000.0
    alone = [taken_rows(pool, sites.lat[p.site], sites.lon[p.site], 4000.0, 40.0) for p in found.plants]
    rows, times = np.unique(np.concatenate(alone), return_counts=True)
    tons = dict(zip(pool.row.tolist(), pool.tons_bdt.tolist(), strict=True))
    assert found.contested_bdt == pytest.approx(sum(tons[r] for r in rows[times > 1].tolist()), rel=1e-12)
    assert found.contested_bdt > 0
    assert sum(p.tons_bdt * p.average_usd_per_bdt for p in found.plants) > sum(
        p.alone_bdt * p.alone_usd_per_bdt for p in found.plants
    )


def test_a_rule_on_the_supply_holds_for_every_plant_once_the_others_have_taken_theirs(small):
    query = SitingQuery()
    limit = 0.021

    def burning(costs):
        with np.errstate(invalid="ignore"):
            return costs.met & (costs.mean_burn_probability >= limit)

    pool, sites, costs = setting(small, query, 1500.0, 30.0, burning)
    found = without_competition(pool, sites, costs, 4, 5.0)
    assert found.plants
    burn = dict(zip(pool.row.tolist(), pool.burn_probability.tolist(), strict=True))
    tons = dict(zip(pool.row.tolist(), pool.tons_bdt.tolist(), strict=True))
    for plant in found.plants:
        known = [r for r in plant.rows.tolist() if np.isfinite(burn[r])]
        mean = sum(burn[r] * tons[r] for r in known) / sum(tons[r] for r in known)
        assert mean >= limit * (1 - 1e-12)


def test_the_second_look_moves_a_plant_where_that_is_better_for_all(small):
    moved = 0
    for demand in range(500, 6000, 500):
        pool, sites, costs = setting(small, SitingQuery(), float(demand), 20.0, every=7)
        found = without_competition(pool, sites, costs, 4, 8.0)
        greedy, rows = one_after_another(pool, sites, 4, 8.0)
        moved += found.moved
        mine = totals(pool, sites, [p.site for p in found.plants], [p.rows for p in found.plants])
        plain = totals(pool, sites, greedy, rows)
        if found.moved:
            assert mine < plain * (1 - 1e-7)
    assert moved > 0
