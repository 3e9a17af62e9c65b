"""Distance modes of an answer: network, stratified, zone; what is missing, how far each is off, and what is said."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.exporting import export, pace_of
from tests.support.records import codes, value
from tests.support.solver import distance_km, solve, unknown_hours
from tests.support.transport_source import BAND_MEDIANS, ERRORS, STRATIFIED, Told, build_transport, opened

from csrag.ask.computation.cost_method import is_surrogate
from csrag.ask.computation.delivered import delivered_costs, economics
from csrag.ask.computation.transport import circuity_of, measured_error, transport_of
from csrag.ask.pipeline import CatchmentCache, ask
from csrag.ask.records import Location, SitingQuery
from csrag.ask.results import RoadTrips
from csrag.ask.retrieval.catchment import retrieve
from csrag.ask.retrieval.roads import MOST_CIRCUITY, SLACK_KM, SiteRoads
from csrag.surfaces.catalog import SYSTEMS

LAT, LON = 40.0, -120.9
PLANT = f"1 MW at {LAT}, {LON}"
HERE = Location("here", "coordinates", lat=LAT, lon=LON)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("transport") / "all"
    build_transport(out, seed=3, n=1500)
    return out


@pytest.fixture(scope="module")
def store(folder):
    return opened(folder)


def asked(store, question, *earlier, cache=None):
    result = ask(lambda: store, question, earlier, cache)
    record = json.loads(json.dumps(result.to_json(), allow_nan=False))
    record["selected"] = result.selected
    return record


def message(record, code):
    return next(w["message"] for w in record["warnings"] if w["code"] == code)


def costs_of(store, query, radius_km=40.0, **overrides):
    query = query.with_(radius_km=radius_km, overrides=overrides)
    catchment = retrieve(store, HERE, query, 1000.0)
    econ = economics(store.manifest, query.overrides)
    stand = lambda rows: store.stand(rows, query.treatment)  # noqa: E731
    return catchment, delivered_costs(catchment, query, store.manifest, econ, stand)


# --- the modes against the slow solver --------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["network", "stratified", "zone"])
@pytest.mark.parametrize(("weight", "radius_km"), [(0.0, 45.0), (0.4, 60.0)])
def test_each_mode_equals_the_slow_solver(store, mode, weight, radius_km):
    record = asked(store, f"{PLANT}, TFB40, within {radius_km:g} km, fire weight {weight:g}, {mode} distances")
    assert record["status"] == "answered", record["text"]
    assert value(record, "transport_mode") == mode
    scales = store.manifest.scales
    figures = (scales.u_lo_usd_per_bdt, scales.u_hi_usd_per_bdt, scales.p_lo, scales.p_hi)
    slow = solve(
        export(store, LAT, LON, "TFB40", mode=mode), LAT, LON, value(record, "demand_bdt"), weight, figures, radius_km,
        network=mode == "network",
    )  # fmt: skip
    assert record["selected"] == tuple(slow.taken)
    assert value(record, "average_haul_cost") == pytest.approx(slow.haul, rel=1e-6)
    assert value(record, "last_ton_cost") == pytest.approx(slow.last_unit + value(record, "move_in_cost"), rel=1e-6)


def test_the_modes_differ(store):
    hauls = {
        value(asked(store, f"{PLANT}, TFB40, within 45 km, {mode} distances"), "average_haul_cost")
        for mode in ("network", "stratified", "zone")
    }
    assert len(hauls) == 3


@pytest.mark.parametrize(
    ("modes", "used"),
    [(("zone",), "zone"), (("zone", "stratified"), "stratified"), (("zone", "network"), "network"),
     (("zone", "stratified", "network"), "network")],
)  # fmt: skip
def test_the_default_is_the_best_the_set_has(tmp_path, modes, used):
    build_transport(tmp_path / "set", seed=3, n=1500, modes=modes)
    record = asked(opened(tmp_path / "set"), f"{PLANT} within 60 km")
    assert value(record, "transport_mode") == used
    assert record["query"]["transport"] is None
    inferred = {i["field"]: i for i in record["inferred"]}
    assert inferred["transport"]["value"] == used
    assert "best" in inferred["transport"]["why"]


def test_a_mode_that_the_set_lacks_is_said(tmp_path):
    build_transport(tmp_path / "set", seed=3, n=1500, modes=("zone", "stratified"))
    record = asked(opened(tmp_path / "set"), f"{PLANT} within 60 km, network distances")
    assert record["query"]["transport"] == "network"
    assert "transport" in record["query"]["explicit"]
    assert not any(i["field"] == "transport" for i in record["inferred"])
    assert value(record, "transport_mode") == "stratified"
    said = message(record, "transport_mode_missing")
    assert "no network distances" in said
    assert "zone, stratified" in said
    assert "zone-and-band" in said


def test_old_sets_work_as_before(tmp_path):
    build_transport(tmp_path / "set", seed=3, n=1500, modes=("zone",))
    record = asked(opened(tmp_path / "set"), f"{PLANT} within 60 km")
    assert value(record, "transport_error_pct") is None
    assert "not been measured" in message(record, "transport_approximate")
    assert "not been measured" in record["text"]


# --- one site on the network ------------------------------------------------------------------------------------------


@given(st.lists(st.floats(1, 80), min_size=1, max_size=4), st.floats(1, 80))
@settings(max_examples=25)
def test_distances_do_not_depend_on_earlier_searches(store, radii, last):
    straight = np.array(
        [distance_km(LAT, LON, y, x) for y, x in zip(store.column("lat"), store.column("lon"), strict=True)]
    )
    used, fresh = SiteRoads(store.roads, LAT, LON), SiteRoads(store.roads, LAT, LON)
    for radius_km in radii:
        rows = np.flatnonzero(straight <= radius_km)
        used.to(rows, straight[rows])
    rows = np.flatnonzero(straight <= last)
    a, b = used.to(rows, straight[rows]), fresh.to(rows, straight[rows])
    assert np.array_equal(a.km, b.km, equal_nan=True)
    assert np.array_equal(a.hours, b.hours, equal_nan=True)


def test_a_road_is_never_shorter_than_the_line_and_never_free(store):
    rows = np.arange(len(store))
    straight = np.array(
        [distance_km(LAT, LON, y, x) for y, x in zip(store.column("lat"), store.column("lon"), strict=True)]
    )
    trips = SiteRoads(store.roads, LAT, LON).to(rows, straight)
    known = np.isfinite(trips.km)
    assert not known[store.roads.landing_node < 0].any()
    assert known.sum() > 0.8 * len(store)
    assert (np.isfinite(trips.hours) == known).all()
    assert (trips.km[known] >= straight[known]).all()
    assert (trips.hours[known] > 0).all()
    assert (trips.km[known] <= MOST_CIRCUITY * straight[known] + SLACK_KM).all()


def test_a_road_shorter_than_the_line_is_lifted_at_its_own_speed_and_counted(store):
    roads = SiteRoads(store.roads, LAT, LON)
    rows = np.flatnonzero(store.roads.landing_node >= 0)[:50]
    plain = roads.to(rows, np.zeros(50) + 30.0)
    far = roads.to(rows, np.full(50, 5000.0))
    assert far.lifted == 50
    assert (far.km == 5000.0).all()
    known = np.isfinite(plain.km)
    assert far.hours[known] == pytest.approx(plain.hours[known] * 5000.0 / plain.km[known])


def test_a_zero_road_is_missing(store):
    """A41: null, zero or unreachable is missing, never free."""

    landing = np.where(store.roads.landing_node >= 0, 0.0, np.nan).astype(np.float32)
    at_node = replace(store.roads, landing_km=landing, landing_hours=landing)
    node = int(store.roads.landing_node[store.roads.landing_node >= 0][0])
    there = SiteRoads(at_node, float(store.roads.node_lat[node]), float(store.roads.node_lon[node]))
    rows = np.flatnonzero(store.roads.landing_node == node)
    trips = there.to(rows, np.zeros(len(rows)))
    assert len(rows)
    assert np.isnan(trips.km).all()
    assert np.isnan(trips.hours).all()


def test_a_follow_up_on_transport_keeps_catchment_and_search(store):
    cache = CatchmentCache()
    asked(store, f"{PLANT} within 60 km", cache=cache)
    again = asked(store, "use zone factors", f"{PLANT} within 60 km", cache=cache)
    assert value(again, "transport_mode") == "zone"
    assert [t["cache"] for t in again["trace"] if t["tool"] == "retrieve_clusters"] == ["hit"]
    assert not [t for t in again["trace"] if t["tool"] == "search_roads"]
    back = asked(store, "use the road network", f"{PLANT} within 60 km", "use zone factors", cache=cache)
    fresh = asked(store, f"{PLANT} within 60 km, network distances")
    assert [t["cache"] for t in back["trace"] if t["tool"] == "search_roads"] == ["hit"]
    assert back["values"] == fresh["values"]
    assert back["selected"] == fresh["selected"]


def test_one_search_serves_year_one_and_the_life(store):
    record = asked(store, PLANT)
    assert [t["cache"] for t in record["trace"] if t["tool"] == "search_roads"] == ["miss"]
    assert len([t for t in record["trace"] if t["stage"] == "retrieval" and "retrieve" in t["tool"]]) == 2


# --- what is missing --------------------------------------------------------------------------------------------------


def test_clusters_without_a_road_take_the_factor_and_are_not_cheaper_for_it(store):
    catchment, costs = costs_of(store, SitingQuery(treatment="TFB40"))
    frame = catchment.frame
    off = ~costs.circuity_known
    joined = store.roads.landing_node[frame["row"]] >= 0
    assert off[~joined].all()
    assert 0 < off.sum() < len(off) / 2
    econ = economics(store.manifest, {})
    factor, _ = circuity_of(store.manifest, "stratified", frame["zone"][off], frame["distance_km"][off])
    km = np.maximum(1.0, frame["distance_km"][off] * factor)
    assert costs.road_km[off] == pytest.approx(km)
    truck = econ.truck
    hours = np.array([unknown_hours(k, *pace_of(store.roads, LAT, LON)) for k in km])
    assert (hours >= km / 40).all()
    trip = 2 * km * 0.621371 * truck.usd_per_mile + (2 * hours + 0.5) * truck.usd_per_h
    assert costs.haul[off] == pytest.approx(trip / truck.payload_bdt)
    _, plain = costs_of(store, SitingQuery(treatment="TFB40", transport="stratified"))
    assert (costs.haul[off] > plain.haul[off]).all()


def test_the_share_on_a_stand_in_is_said_and_recorded(store):
    record = asked(store, f"3 MW at {LAT}, {LON}, TFB40, within 60 km")
    keys = {int(c): i for i, c in enumerate(store.column("cluster_no"))}
    rows = np.array([keys[c] for c in record["selected"]])
    straight = np.array([distance_km(LAT, LON, store.column("lat")[i], store.column("lon")[i]) for i in rows])
    off = np.isnan(SiteRoads(store.roads, LAT, LON).to(rows, straight).km)
    assert off.any()
    assert 0 < value(record, "fallback_circuity_pct") < 100
    said = message(record, "circuity_fallback")
    assert said.startswith(f"{int(off.sum())} of the clusters taken")
    assert f"{value(record, 'fallback_circuity_pct'):.1f} % of the tons" in said


def test_unknown_zone_takes_the_median_of_its_band(store):
    zone, straight = np.array([-1, -1, 1, 2, 1]), np.array([5.0, 70.0, 35.0, 400.0, 10.0])
    factor, known = circuity_of(store.manifest, "stratified", zone, straight)
    assert factor.tolist() == [BAND_MEDIANS[0], BAND_MEDIANS[5], BAND_MEDIANS[3], STRATIFIED[2][5], STRATIFIED[1][1]]
    assert known.tolist() == [False, False, False, True, True]
    factor, known = circuity_of(store.manifest, "zone", zone, straight)
    assert factor.tolist() == [BAND_MEDIANS[0], BAND_MEDIANS[5], 1.6, 2.0, 1.6]
    assert known.tolist() == [False, False, True, True, True]


def test_a_site_off_the_network_falls_back_as_a_whole(store):
    moved = replace(store.roads, node_lat=store.roads.node_lat - 3.0)
    record = asked(Told(store, roads=moved), f"{PLANT} within 60 km")
    assert value(record, "transport_mode") == "stratified"
    said = message(record, "site_off_network")
    assert "20 km" in said
    assert "zone-and-band" in said
    assert "network" not in record["text"]


def test_no_circuity_at_all_is_one_assumed_factor(store):
    bare = Told(store, zone_factors=(), transport=None, distance_modes=(), roads=None)
    record = asked(bare, f"{PLANT} within 60 km")
    assert value(record, "transport_mode") == "none"
    assert "1.5 times the straight line" in message(record, "transport_approximate")
    straight, road = np.array([20.0]), circuity_of(bare.manifest, "none", np.array([0]), np.array([20.0]))[0] * 20.0
    assert road == pytest.approx(1.5 * straight)


# --- error by radius --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("radius_km", "band"), [(8, 0), (10, 0), (10.5, 1), (30, 2), (31, 3), (60, 4), (90, 5), (150, 5)]
)
def test_the_error_is_that_of_the_band_which_holds_the_radius(store, radius_km, band):
    for mode in ("zone", "stratified"):
        error = measured_error(store.manifest, mode, radius_km)
        assert (error.mape_pct, error.aggregate_pct) == ERRORS[mode][band]
        assert error.beyond == (radius_km > 100)
        assert error.n == 100 * (band + 1)
    assert measured_error(store.manifest, "network", radius_km) is None


@pytest.mark.parametrize("mode", ["zone", "stratified", "network"])
def test_the_text_says_mode_and_error_and_changes_with_the_radius(store, mode):
    texts = {}
    for radius_km, band in ((38, 3), (55, 4), (80, 5)):
        record = asked(store, f"{PLANT}, TFB40, within {radius_km} km, {mode} distances")
        assert record["status"] == "answered", record["text"]
        sentence = next(s for s in re.split(r"(?<=\.) ", record["text"]) if s.startswith("Road distances"))
        texts[radius_km] = sentence
        mape = ERRORS["zone" if mode == "network" else mode][band][0]
        low, high = ((30, 40), (40, 60), (60, 100))[band - 3]
        assert f"{mape:.0f} %" in sentence
        assert f"{low} to {high} km" in sentence
        backed = {c["value_id"] for c in record["claims"] if c["text"] in sentence}
        assert "transport_band" in backed
        assert ("zone_transport_error_pct" if mode == "network" else "transport_error_pct") in backed
        if mode == "zone":
            assert value(record, "transport_aggregate_error_pct") == ERRORS["zone"][band][1]
            assert f"{mape:.1f} %" in message(record, "transport_approximate")
    assert len(set(texts.values())) == 3
    assert {"zone": "zone factors", "stratified": "zone-and-band", "network": "road network"}[mode] in texts[38]


def test_a43_a_wide_circle_by_zone_is_flagged_with_the_error_of_its_band(store):
    record = asked(store, f"{PLANT} within 50 miles, zone factors")
    said = message(record, "transport_approximate")
    assert "meant for trips under 30 km" in said
    assert "40.0 %" in said
    assert "38.0 % too short" in said
    banded = asked(store, f"{PLANT} within 50 miles, stratified distances")
    assert "4.0 %" in message(banded, "transport_approximate")


def test_the_network_is_named_as_the_reference(store):
    record = asked(store, f"{PLANT} within 60 km")
    assert value(record, "transport_error_pct") is None
    assert "reference" in record["values"]["transport_error_pct"]["basis"]
    said = message(record, "transport_network")
    assert "SYNTHETIC" in said
    assert "has not been measured" in said
    assert value(record, "mean_road_hours") > 0


# --- prices -----------------------------------------------------------------------------------------------------------


def test_a_speed_of_the_users_replaces_the_networks_hours_and_is_said(store):
    _, plain = costs_of(store, SitingQuery())
    _, fast = costs_of(store, SitingQuery(), speed_km_per_h=60.0)
    assert np.array_equal(plain.road_km, fast.road_km)
    assert fast.hours == pytest.approx(fast.road_km / 60.0)
    known = plain.circuity_known
    assert not np.allclose(plain.hours[known], plain.road_km[known] / 40.0)
    record = asked(store, f"{PLANT} within 60 km, trucks drive 60 km/h")
    assert "60 km/h" in message(record, "transport_network")
    assert "the speed you set" in record["text"]


@pytest.mark.parametrize("mode", ["network", "stratified", "zone"])
def test_diesel_wages_and_moisture_act_on_the_haul_in_every_mode(store, mode):
    query = SitingQuery(transport=mode)
    _, base = costs_of(store, query)
    for change, more in (("diesel_usd_per_gal", 6.5), ("driver_wage_usd_per_h", 40.0), ("moisture_pct", 60.0)):
        _, other = costs_of(store, query, **{change: more})
        assert (other.haul > base.haul).all()
        assert np.array_equal(other.road_km, base.road_km)
    _, drier = costs_of(store, query, moisture_pct=0.0)
    assert drier.haul == pytest.approx(base.haul / 2)


def test_a_sweep_of_speed_starts_from_the_networks_own_mean(store):
    record = asked(store, f"{PLANT} within 60 km. How sensitive is the cost to truck speed?")
    assert "tornado" in record["tables"]
    table = record["tables"]["tornado"]
    row = dict(zip(table["columns"], table["rows"][0], strict=True))
    mean = value(record, "mean_road_km") / value(record, "mean_road_hours")
    assert row["base_value"] == pytest.approx(mean, rel=1e-6)


# --- costs by a surrogate ---------------------------------------------------------------------------------------------


def surrogate(interval):
    return {
        "method": "surrogate",
        "model": "catboost",
        "hash": "0" * 64,
        "interval_pct": interval,
        "interval_level_pct": 90.0,
        "coverage_pct": dict.fromkeys(interval, 90.4),
    }


def test_a_surrogate_is_said_with_an_interval_that_more_clusters_do_not_narrow(store):
    told = Told(store, cost_method=surrogate(dict.fromkeys(SYSTEMS, 6.0)))
    assert is_surrogate(told.manifest)
    record = asked(told, f"{PLANT} within 60 km")
    harvest = value(record, "average_harvest_cost")
    assert value(record, "surrogate_interval_pct") == pytest.approx(6.0)
    assert value(record, "average_harvest_cost_low") == pytest.approx(harvest * 0.94)
    assert value(record, "average_harvest_cost_high") == pytest.approx(harvest * 1.06)
    assert "90 % interval" in message(record, "surrogate_costs")
    assert "surrogate" in record["values"]["average_harvest_cost"]["basis"]
    assert "predicted by a surrogate of FRCS: at 90 % coverage" in record["text"]
    plain = asked(store, f"{PLANT} within 60 km")
    assert "surrogate_interval_pct" not in plain["values"]
    assert "surrogate_costs" not in codes(plain)


def test_the_interval_is_that_of_the_systems_taken(store):
    by = {name: 2.0 + i for i, name in enumerate(SYSTEMS)}
    told = Told(store, cost_method=surrogate(by))
    record = asked(told, f"{PLANT} within 60 km")
    columns = record["tables"]["systems"]["columns"]
    rows = [dict(zip(columns, r, strict=True)) for r in record["tables"]["systems"]["rows"]]
    used = [by[r["system"]] for r in rows if r["selected_bdt"] > 0]
    assert min(used) <= value(record, "surrogate_interval_pct") <= max(used)
    none = asked(Told(store, cost_method=surrogate({})), f"{PLANT} within 60 km")
    assert value(none, "surrogate_interval_pct") is None
    assert "not known" in message(none, "surrogate_costs")


def test_prices_of_ones_own_go_through_the_simulator_and_say_so(store):
    told = Told(store, cost_method=surrogate(dict.fromkeys(SYSTEMS, 6.0)))
    record = asked(told, f"{PLANT} within 60 km, diesel at $6")
    assert value(record, "surrogate_interval_pct") is None
    assert "surrogate's judgement" in message(record, "surrogate_costs")
    ruled = Told(store, cost_method={**surrogate({}), "feasibility": "rule"})
    said = message(asked(ruled, f"{PLANT} within 60 km, diesel at $6"), "surrogate_costs")
    assert "simulator itself" in said
    assert "judgement" not in said
    swept = asked(told, f"{PLANT} within 60 km. Tornado please")
    assert "sensitivity_exact_costs" in codes(swept)


# --- the choice itself ------------------------------------------------------------------------------------------------


def test_no_search_is_made_where_another_mode_is_asked_for(store):
    class Roads:
        def off_network(self) -> str:
            raise AssertionError("searched")

        def to(self, rows, straight_km) -> RoadTrips:
            raise AssertionError(f"searched {rows} {straight_km}")

    assert transport_of("zone", store.manifest, Roads()).mode == "zone"
    assert transport_of("stratified", store.manifest, Roads()).mode == "stratified"
    without = transport_of("network", store.manifest, None)
    assert without.mode == "stratified"
    assert without.off_network


# --- nothing is cheaper for being unknown -----------------------------------------------------------------------------


def slow_roads(roads, km_per_h, cut=(), leg_km_per_h=None):
    """The roads of a set, every road and leg at one speed [km/h], some landings cut off."""
    node, leg_km = np.array(roads.landing_node), np.array(roads.landing_km)
    cut = np.asarray(cut, dtype=np.int64)
    node[cut], leg_km[cut] = -1, np.nan
    leg_hours = (leg_km / (leg_km_per_h or km_per_h)).astype(np.float32)
    hours = (np.asarray(roads.km) / km_per_h).astype(np.float32)
    return replace(roads, hours=hours, landing_node=node, landing_km=leg_km, landing_hours=leg_hours, core=None)


def on_roads(store, roads, factor, **overrides):
    """Candidates and costs over given roads; every zone and band has one factor."""
    flat = {
        **store.manifest.transport, "stratified": [[factor] * 6] * 3, "band_medians": [factor] * 6, "zone_median": factor,
    }  # fmt: skip
    told = Told(store, transport=flat, zone_factors=(factor,) * 3)
    query = SitingQuery(transport="network").with_(radius_km=40.0, overrides=overrides)
    catchment = replace(retrieve(told, HERE, query, 1000.0), roads=SiteRoads(roads, LAT, LON))
    econ = economics(told.manifest, query.overrides)
    return catchment, delivered_costs(catchment, query, told.manifest, econ, lambda rows: told.stand(rows, "TFB40"))


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 999), speed=st.floats(8.0, 39.0), share=st.floats(0.02, 0.9))
def test_cutting_landings_off_a_slow_network_never_lowers_the_haul(store, seed, speed, share):
    catchment, costs = on_roads(store, slow_roads(store.roads, speed), 1.6)
    rng = np.random.default_rng(seed)
    way = np.flatnonzero(costs.circuity_known)
    # The factor of the most winding of the clusters cut off, so that only speed could make one cheaper.
    gone = rng.choice(way, max(1, int(share * len(way))), replace=False)
    straight = np.maximum(catchment.frame["distance_km"], 1.0)
    factor = float((costs.road_km / straight)[gone].max())
    cut = slow_roads(store.roads, speed, catchment.frame["row"][gone])
    _, after = on_roads(store, cut, factor)
    assert not after.circuity_known[gone].any()
    tons = costs.tons
    assert (after.haul * tons).sum() >= (costs.haul * tons).sum() * (1 - 1e-6)
    assert (after.haul[gone] >= costs.haul[gone] * (1 - 1e-6)).all()
    # Never less km than the same factor gives.
    assert (after.road_km[gone] >= straight[gone] * factor * (1 - 1e-9)).all()


def test_a_fast_network_leaves_the_usual_speed(store):
    catchment, costs = on_roads(store, slow_roads(store.roads, 70.0, np.arange(len(store.roads.landing_node))), 1.5)
    assert not costs.circuity_known.any()
    leg_km = catchment.roads.pace().leg_km
    far = costs.road_km > leg_km
    # Only the site's own leg is slower: it is driven at 25 km/h.
    assert costs.hours[far] == pytest.approx(leg_km / 25.0 + (costs.road_km[far] - leg_km) / 40.0)
    assert leg_km < 10


def test_slow_legs_are_in_the_hours_of_an_unknown_trip(store):
    fast = slow_roads(store.roads, 70.0, np.arange(0, len(store.roads.landing_node), 2), leg_km_per_h=10.0)
    catchment, costs = on_roads(store, fast, 1.5)
    unknown = ~costs.circuity_known
    leg_km = np.nanmean(fast.landing_km.astype(float))
    site_km = catchment.roads.pace().leg_km - leg_km
    far = unknown & (costs.road_km > leg_km + site_km)
    assert far.any()
    by_leg = leg_km / 10.0 + site_km / 25.0
    assert costs.hours[far] == pytest.approx(by_leg + (costs.road_km[far] - leg_km - site_km) / 40.0, rel=1e-5)


def test_a_cluster_costs_the_same_in_every_circle(store):
    query = SitingQuery(transport="network")
    near, of_near = costs_of(store, query, radius_km=25.0)
    far, of_far = costs_of(store, query, radius_km=60.0)
    at = {int(c): i for i, c in enumerate(far.frame["cluster_no"])}
    same = np.array([at[int(c)] for c in near.frame["cluster_no"]])
    assert not of_near.circuity_known.all()
    assert np.array_equal(of_near.haul, of_far.haul[same])
