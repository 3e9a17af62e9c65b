"""Supply cost at many sites: what a question about each would choose, by the kernel and by its NumPy twin."""

from __future__ import annotations

from dataclasses import astuple, replace
from types import SimpleNamespace

import numpy as np
import pytest
from tests.support.statewide import FACTORS, MEDIANS, compiled, made_pool, one_site, scattered, use
from tests.support.transport_source import build_transport, opened

from csrag import kernels
from csrag.ask.computation import statewide_kernel
from csrag.ask.computation.delivered import economics
from csrag.ask.computation.selection import Scales
from csrag.ask.computation.statewide import prepare_pool, site_costs, taken_rows
from csrag.ask.computation.statewide_twin import FIGURES, figures
from csrag.ask.pipeline import ask
from csrag.ask.records import SitingQuery
from csrag.errors import InvalidValueError
from csrag.geo import haversine_km

ALL_LAND = ("private", "usfs", "blm", "state", "tribal", "other")


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return compiled(tmp_path_factory.mktemp("kernel"))


@pytest.fixture
def kernel(monkeypatch, library):
    use(monkeypatch, library)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    out = tmp_path_factory.mktemp("statewide") / "set"
    build_transport(out, seed=5, n=4000, modes=("zone", "stratified"))
    return opened(out)


def some_sites(seed, n, box=(39.4, 40.6, -121.7, -120.1)):
    rng = np.random.default_rng(seed)
    return rng.uniform(box[0], box[1], n), rng.uniform(box[2], box[3], n)


def pool_of(store, query, mode="stratified", rows=None):
    return prepare_pool(store, query, economics(store.manifest, query.overrides), mode, rows)


def twin(pool, lat, lon, demand, radius_km, weight):
    return np.array([figures(pool, y, x, demand, radius_km, weight) for y, x in zip(lat, lon, strict=True)])


def table_of(costs):
    return np.column_stack([getattr(costs, name).astype(float) for name in FIGURES])


def assert_same(costs, expected):
    """Counts and what is NaN alike; the rest to the rounding of a differently ordered sum."""
    np.testing.assert_allclose(table_of(costs), expected, rtol=1e-11, atol=0)


# --- equal to a question about one site -------------------------------------------------------------------------------

CASES = [
    ({}, 800.0, 45.0),
    ({"fire_weight": 0.4}, 800.0, 45.0),
    ({"fire_weight": 1.0, "treatment": "TFB40"}, 2000.0, 30.0),
    ({"fire_weight": 0.2, "land_use": ALL_LAND, "max_slope_pct": 40.0, "min_burn_probability": 0.01, "system": "ground"},
     1500.0, 60.0),
    ({"system": "cable", "treatment": "TFB40"}, 600.0, 25.0),
    ({"availability": "practical", "overrides": {"speed_km_per_h": 55.0, "driver_wage_usd_per_h": 30.0}}, 500.0, 60.0),
    ({"overrides": {"diesel_usd_per_gal": 6.5, "moisture_pct": 40.0, "contractor_margin_pct": 12.0}}, 900.0, 45.0),
    ({"feedstock": "whole_tree", "fire_weight": 0.1}, 4000.0, 35.0),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "demand", "radius_km"), CASES)
@pytest.mark.usefixtures("kernel")
def test_every_site_equals_the_answer_about_it(store, changes, demand, radius_km):
    query = SitingQuery(transport="stratified", **{"treatment": "SDI55", **changes})
    pool = pool_of(store, query)
    lat, lon = some_sites(11, 25)
    found = site_costs(pool, lat, lon, demand, radius_km)
    assert found.met.any()
    for i in range(len(lat)):
        catchment, costs, taken = one_site(store, query, float(lat[i]), float(lon[i]), demand, radius_km)
        rows = taken_rows(pool, float(lat[i]), float(lon[i]), demand, radius_km)
        assert rows.tolist() == catchment.frame["row"][taken.rows].tolist()
        assert bool(found.met[i]) == taken.met
        assert found.available_bdt[i] == pytest.approx(costs.tons.sum(), rel=1e-12)
        if not taken.met:
            continue
        assert found.clusters[i] == len(taken.rows)
        assert found.taken_bdt[i] == pytest.approx(taken.tons, rel=1e-12)
        assert found.average_usd_per_bdt[i] == pytest.approx(taken.average(costs) - taken.move_in, rel=1e-12)
        assert found.haul_usd_per_bdt[i] == pytest.approx(taken.mean(costs.haul, costs), rel=1e-12)
        assert found.last_ton_usd_per_bdt[i] == pytest.approx(costs.unit[taken.rows].max(), rel=1e-12)
        assert found.mean_road_km[i] == pytest.approx(taken.mean(costs.road_km, costs), rel=1e-12)
        burn = taken.mean(catchment.frame["burn_probability"].astype(float), costs)
        assert found.mean_burn_probability[i] == pytest.approx(burn, rel=1e-12)
        acres = catchment.frame["area_acres"][taken.rows].astype(float)
        high = catchment.frame["hazard_class"][taken.rows] >= 2
        assert found.acres[i] == pytest.approx(acres.sum())
        assert found.high_hazard_acres[i] == pytest.approx(acres[high].sum())


@pytest.mark.usefixtures("kernel")
def test_a_whole_question_takes_the_same_clusters(store):
    record = ask(lambda: store, "0.1 MW at 40.0, -120.9, SDI55, within 45 km, fire weight 0.3, stratified distances")
    demand = float(record.facts["demand_bdt"].value)
    pool = pool_of(store, record.query)
    rows = taken_rows(pool, 40.0, -120.9, demand, 45.0)
    assert tuple(store.column("cluster_no")[rows].tolist()) == record.selected
    found = site_costs(pool, 40.0, -120.9, demand, 45.0)
    average = float(record.facts["average_delivered_cost"].value) - float(record.facts["move_in_cost"].value)
    assert found.average_usd_per_bdt[0] == pytest.approx(average, rel=1e-12)


@pytest.mark.parametrize("mode", ["stratified", "zone"])
@pytest.mark.parametrize("weight", [0.0, 0.35, 1.0])
@pytest.mark.usefixtures("kernel")
def test_the_kernel_equals_its_twin_on_many_sites(store, mode, weight):
    pool = pool_of(store, SitingQuery(fire_weight=weight), mode)
    lat, lon = some_sites(3, 200)
    table, unsure, _ = statewide_kernel.run(pool, lat, lon, 900.0, 40.0, weight)
    assert not unsure.any(), "nothing in this set is close enough for the reference to be asked"
    np.testing.assert_allclose(table, twin(pool, lat, lon, 900.0, 40.0, weight), rtol=1e-11, atol=0)
    plain, _, _ = statewide_kernel.run(pool, lat, lon, 900.0, 40.0, weight, brute=True)
    assert plain.tobytes() == table.tobytes()


# --- ties and edges ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("weight", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("levels", [1, 3])
@pytest.mark.usefixtures("kernel")
def test_ties_are_broken_as_the_reference_breaks_them(weight, levels):
    pool = scattered(7, 1500, levels=levels)
    lat, lon = some_sites(5, 40)
    # Sites on clusters, and short circles: haul at its least of 1 km, so that whole costs tie.
    lat[:20], lon[:20] = pool.lat[:20], pool.lon[:20]
    for demand, radius_km in ((150.0, 2.0), (2500.0, 25.0), (9000.0, 60.0)):
        costs = site_costs(pool, lat, lon, demand, radius_km, fire_weight=weight)
        assert_same(costs, twin(pool, lat, lon, demand, radius_km, weight))


@pytest.mark.usefixtures("kernel")
def test_equal_clusters_are_taken_by_number():
    number = [9, 2, 7, 4]
    pool = made_pool([40.0] * 4, [-121.0] * 4, [30.0] * 4, [100.0] * 4, cluster_no=number)
    rows = taken_rows(pool, 40.0, -121.0, 250.0, 5.0)
    assert [number[row // 2] for row in rows] == [2, 4, 7]
    assert site_costs(pool, 40.0, -121.0, 250.0, 5.0).clusters.tolist() == [3]


@pytest.mark.usefixtures("kernel")
def test_a_cluster_on_the_circle_belongs_to_it():
    pool = scattered(2, 800)
    lat, lon = some_sites(8, 30)
    for y, x in zip(lat.tolist(), lon.tolist(), strict=True):
        away = np.sort(haversine_km(y, x, pool.lat, pool.lon))
        for edge in away[[5, 100, 400]].tolist():
            for radius_km in (edge, np.nextafter(edge, 0), np.nextafter(edge, 1e3)):
                if radius_km < 1:
                    continue
                found = site_costs(pool, y, x, 10.0, radius_km)
                inside = haversine_km(y, x, pool.lat, pool.lon) <= radius_km
                assert found.available_bdt[0] == pytest.approx(pool.tons_bdt[inside].sum(), rel=1e-13)


@pytest.mark.usefixtures("kernel")
def test_a_cluster_on_a_band_edge_has_the_factor_of_the_next_band():
    pool = scattered(4, 600)
    lat, lon = some_sites(9, 12)
    for y, x in zip(lat.tolist(), lon.tolist(), strict=True):
        edge = float(np.sort(haversine_km(y, x, pool.lat, pool.lon))[60])
        for at in (edge, float(np.nextafter(edge, 0)), float(np.nextafter(edge, 1e3))):
            told = {
                "bands_km": [0, at, 2 * at, 3 * at, 4 * at, 5 * at, 6 * at],
                "stratified": FACTORS,
                "band_medians": MEDIANS,
            }
            moved = replace(pool, manifest=SimpleNamespace(transport=told, zone_factors=(1.3, 1.6, 2.0)), laid_out={})
            assert_same(site_costs(moved, y, x, 12_000.0, 60.0), twin(moved, [y], [x], 12_000.0, 60.0, 0.0))


@pytest.mark.usefixtures("kernel")
def test_a_demand_met_to_the_last_ton_takes_no_cluster_more():
    pool = scattered(6, 700, levels=4)
    lat, lon = some_sites(10, 15)
    for y, x in zip(lat.tolist(), lon.tolist(), strict=True):
        at = {row: i for i, row in enumerate(pool.row.tolist())}
        order = [at[row] for row in taken_rows(pool, y, x, 1e9, 50.0).tolist()]
        reached = np.cumsum(pool.tons_bdt[order])
        for k in (1, 7, 40):
            for demand in (reached[k], np.nextafter(reached[k], 0), np.nextafter(reached[k], 1e9)):
                assert_same(site_costs(pool, y, x, float(demand), 50.0), twin(pool, [y], [x], float(demand), 50.0, 0.0))
        everything = float(reached[-1])
        for demand in (everything, everything * (1 + 1e-15), everything * (1 + 1e-9), everything * 1.01):
            assert_same(site_costs(pool, y, x, demand, 50.0), twin(pool, [y], [x], demand, 50.0, 0.0))


@pytest.mark.usefixtures("kernel")
def test_a_demand_above_everything_says_what_is_there():
    pool = scattered(1, 500)
    found = site_costs(pool, [40.0, 36.0], [-121.0, -119.0], 1e7, 30.0)
    inside = haversine_km(40.0, -121.0, pool.lat, pool.lon) <= 30.0
    assert not found.met.any()
    assert found.available_bdt == pytest.approx([pool.tons_bdt[inside].sum(), 0.0])
    assert found.taken_bdt == pytest.approx(found.available_bdt)
    assert found.clusters.tolist() == [inside.sum(), 0]
    assert np.isnan(found.average_usd_per_bdt).all()
    assert np.isnan(found.mean_burn_probability).all()


@pytest.mark.usefixtures("kernel")
def test_no_clusters_and_no_sites():
    empty = made_pool([], [], [], [])
    found = site_costs(empty, [40.0], [-121.0], 100.0)
    assert found.met.tolist() == [False]
    assert found.available_bdt.tolist() == [0.0]
    assert len(taken_rows(empty, 40.0, -121.0, 100.0)) == 0
    none = site_costs(scattered(1, 10), [], [], 100.0)
    assert all(len(values) == 0 for values in astuple(none))


@pytest.mark.usefixtures("kernel")
def test_unknown_is_not_zero():
    pool = scattered(3, 400)
    pool = replace(pool, burn_probability=np.full(400, np.nan), high_hazard=np.full(400, -1, np.int8))
    for weight in (0.0, 0.5, 1.0):
        found = site_costs(pool, 40.0, -121.0, 1000.0, 60.0, fire_weight=weight)
        assert found.met.all()
        assert np.isnan(found.mean_burn_probability).all()
        assert np.isnan(found.high_hazard_acres).all()
        assert_same(found, twin(pool, [40.0], [-121.0], 1000.0, 60.0, weight))


@pytest.mark.parametrize("scales", [
    Scales(30.0, 90.0, float("nan"), float("nan")), Scales(30.0, 90.0, 0.01, 0.01), Scales(50.0, 50.0, 0.004, 0.03),
    Scales(float("nan"), float("nan"), 0.004, 0.03),
])  # fmt: skip
@pytest.mark.parametrize("weight", [0.0, 0.5, 1.0])
@pytest.mark.usefixtures("kernel")
def test_scales_that_say_nothing_choose_as_the_reference_does(scales, weight):
    pool = replace(scattered(12, 600), scales=scales)
    lat, lon = some_sites(13, 10)
    costs = site_costs(pool, lat, lon, 2000.0, 45.0, fire_weight=weight)
    assert_same(costs, twin(pool, lat, lon, 2000.0, 45.0, weight))


# --- the same bytes ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("weight", [0.0, 0.4])
@pytest.mark.usefixtures("kernel")
def test_workers_order_and_company_change_no_byte(store, monkeypatch, weight):
    monkeypatch.setattr(statewide_kernel, "_SITES_A_TASK", 16)
    pool = pool_of(store, SitingQuery())
    lat, lon = some_sites(20, 150)
    once = table_of(site_costs(pool, lat, lon, 900.0, 40.0, weight, workers=1))
    for workers in (2, 3, 8):
        assert table_of(site_costs(pool, lat, lon, 900.0, 40.0, weight, workers)).tobytes() == once.tobytes()
    mixed = np.random.default_rng(1).permutation(len(lat))
    again = table_of(site_costs(pool, lat[mixed], lon[mixed], 900.0, 40.0, weight))
    assert again.tobytes() == once[mixed].tobytes()
    alone = table_of(site_costs(pool, lat[77], lon[77], 900.0, 40.0, weight))
    assert alone.tobytes() == once[77:78].tobytes()


def test_the_engine_changes_no_figure(store, monkeypatch, library):
    pool, (lat, lon) = pool_of(store, SitingQuery()), some_sites(21, 40)
    use(monkeypatch, library)
    fast = site_costs(pool, lat, lon, 900.0, 40.0, 0.2)
    monkeypatch.setenv(kernels.SWITCH, "numpy")
    slow = site_costs(pool, lat, lon, 900.0, 40.0, 0.2)
    assert_same(fast, table_of(slow))
    assert fast.clusters.tolist() == slow.clusters.tolist()


# --- pools ------------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("kernel")
def test_clusters_taken_out_are_not_taken_again(store):
    pool, demand = pool_of(store, SitingQuery(fire_weight=0.2)), 700.0
    taken = []
    left = pool
    for lat, lon in ((40.0, -120.9), (40.05, -120.95), (39.95, -120.8)):
        rows = taken_rows(left, lat, lon, demand, 45.0)
        assert site_costs(left, lat, lon, demand, 45.0).clusters.tolist() == [len(rows)]
        taken.extend(rows.tolist())
        left = left.without(rows)
    assert len(set(taken)) == len(taken)
    rest = np.setdiff1d(pool.row, taken)
    anew = pool_of(store, SitingQuery(fire_weight=0.2), rows=rest)
    lat, lon = some_sites(4, 30)
    assert_same(site_costs(left, lat, lon, demand, 45.0), table_of(site_costs(anew, lat, lon, demand, 45.0)))
    assert pool.there.all(), "the pool itself keeps its clusters"
    assert len(left.without(np.array([-5, 10**9])).row) == len(pool.row)


def test_what_no_system_works_is_no_candidate(store):
    pool = pool_of(store, SitingQuery(land_use=("private",), max_slope_pct=30.0))
    assert np.isfinite(pool.harvest_usd_per_bdt).all()
    assert (pool.tons_bdt > 0).all()
    codes = store.manifest.codes["land_use"]
    assert {codes[c] for c in store.column("land_use")[pool.row]} == {"private"}
    assert store.column("slope_pct")[pool.row].max() <= 30.0
    assert not store.column("wilderness")[pool.row].any()


def test_a_mode_the_set_lacks_takes_the_best_factors(tmp_path):
    build_transport(tmp_path / "zone", seed=5, n=200, modes=("zone",))
    zone_only = opened(tmp_path / "zone")
    assert pool_of(zone_only, SitingQuery()).mode == "zone"
    with pytest.raises(InvalidValueError, match="distance mode"):
        pool_of(zone_only, SitingQuery(), mode="network")


@pytest.mark.parametrize("switch", ["", "numpy"])
def test_progress_reaches_the_number_of_sites(store, monkeypatch, switch):
    lat, lon = some_sites(2, 600)
    monkeypatch.setenv(kernels.SWITCH, switch)
    told = []
    pool = pool_of(store, SitingQuery())
    site_costs(pool, lat, lon, 300.0, 20.0, progress=lambda done, of: told.append((done, of)))
    assert [of for _, of in told] == [600] * len(told)
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1] == (600, 600)


@pytest.mark.parametrize(("lat", "lon", "demand", "radius_km", "weight"), [
    ([40.0], [-121.0, -120.0], 100.0, 60.0, 0.0), ([np.nan], [-121.0], 100.0, 60.0, 0.0), ([40.0], [-121.0], 0.0, 60.0, 0.0),
    ([40.0], [-121.0], np.nan, 60.0, 0.0), ([40.0], [-121.0], 100.0, 0.0, 0.0), ([40.0], [-121.0], 100.0, 60.0, 1.5),
])  # fmt: skip
def test_what_cannot_be_searched_is_refused(lat, lon, demand, radius_km, weight):
    with pytest.raises(InvalidValueError):
        site_costs(scattered(1, 20), lat, lon, demand, radius_km, weight)
