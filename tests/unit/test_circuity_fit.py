"""Zones and factors fitted to road networks, and their measured errors."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from tests.support.main_roads import main_roads
from tests.support.transport_source import build_transport, opened, winding_graph

from csrag.build.circuity.accuracy import accuracy_rows, band_of, circuity_rows, facility_rows, reckoned_km
from csrag.build.circuity.features import FEATURES, terrain_features
from csrag.build.circuity.fit import fit_transport
from csrag.build.circuity.trips import BANDS_KM, make_trips
from csrag.build.circuity.zones import choose_zones, grow, leaf_factors
from csrag.build.progress import Silent
from csrag.build.road_layer import MadeNetwork, make_road_network
from csrag.build.sources.demo import demo_source
from csrag.errors import TableRefusedError
from csrag.interfaces.cli import layers_accuracy, main
from csrag.simulators.road_graph import RoadGraph, search

SHARED_ROADS = Path(__file__).resolve().parents[3] / "shared" / "data" / "roads"


def country(seed: int, n: int = 900) -> tuple[MadeNetwork, dict[str, np.ndarray], RoadGraph]:
    graph = winding_graph(seed)
    rng = np.random.default_rng(seed)
    lat, lon = rng.uniform(39.45, 40.55, n), rng.uniform(-121.5, -120.2, n)
    clusters = {
        "lat": lat, "lon": lon, "area_acres": rng.uniform(10, 40, n), "slope_pct": 30 * (lat - 39.45) + rng.normal(0, 2, n),
        "elevation_ft": rng.normal(4000, 500, n),
    }  # fmt: skip
    return make_road_network(graph, lat, lon), clusters, graph


def fitted(seed: int = 1, **changes):
    network, clusters, graph = country(seed)
    clusters = {**clusters, **changes}
    at = np.random.default_rng(9).choice(len(graph), 60, replace=False)
    return fit_transport(network, clusters, graph.node_lat[at], graph.node_lon[at], seed=3), network, clusters


def test_the_tree_finds_steps_that_are_there():
    rng = np.random.default_rng(1)
    x = rng.uniform(0, 1, (4000, 3))
    straight = rng.uniform(1, 30, 4000)
    truth = np.where(x[:, 1] > 0.6, 2.4, np.where(x[:, 0] > 0.3, 1.8, 1.5))
    folds = rng.integers(0, 5, 4000)
    road = truth * straight * rng.uniform(0.95, 1.05, 4000)
    parts = np.array([np.where(folds == k, values, 0.0) for values in (road, straight) for k in range(5)])
    zones, error = choose_zones(x, parts[:5], parts[5:])
    assert error[2] < 0.1 * error[0]
    assert zones >= 3
    tree = grow(x, road, straight, 3)
    assert {s.feature for s in tree.splits} == {0, 1}
    leaf = tree.leaves(x)
    assert np.sort(leaf_factors(leaf, road, straight, 3)) == pytest.approx([1.5, 1.8, 2.4], abs=0.05)
    rules = tree.rules(("a", "b", "c"))
    assert len(rules) == 3
    assert not any("c" in rule for rule in rules)


def test_an_unknown_feature_is_an_unknown_zone():
    x = np.array([[0.0], [1.0], [np.nan], [0.2]] * 50)
    road, straight = np.where(x[:, 0] > 0.5, 30.0, 15.0), np.full(200, 10.0)
    tree = grow(x, road, straight, 4)
    assert tree.leaves(x).tolist()[:4] == [0, 1, -1, 0]
    assert leaf_factors(tree.leaves(x), road, straight, 2).tolist() == [1.5, 3.0]


def test_trips_are_the_searches_own():
    network, clusters, graph = country(2)
    lat, lon = np.array([40.0, 39.6]), np.array([-121.0, -120.5])
    found = make_trips(network, clusters, np.arange(900), lat, lon, Silent())
    assert [t.facility for t in found.trips] == [0, 1]
    for t, y, x in zip(found.trips, lat, lon, strict=True):
        reach = search(graph, y, x, 400.0)
        road = reach.road_km[network.landing_node[t.cluster]] + network.landing_km[t.cluster]
        np.testing.assert_array_equal(t.road_km, np.maximum(road, t.straight_km))
        assert (t.road_km >= t.straight_km).all()
        assert (t.straight_km >= 1).all()
    missing = network.landing_node < 0
    assert not np.isin(np.flatnonzero(missing), np.concatenate([t.cluster for t in found.trips])).any()


def test_a_facility_without_a_road_is_counted():
    network, clusters, _ = country(2)
    found = make_trips(network, clusters, np.arange(50), np.array([37.0]), np.array([-121.0]), Silent())
    assert found.trips == ()
    assert found.counts["facilities_off"] == 1


def test_factors_are_what_they_say():
    made, network, clusters = fitted()
    told = made.transport
    zones = len(made.zone_factors)
    assert list(made.zone_factors) == sorted(made.zone_factors)
    assert all(1 <= f <= 6 for row in told["stratified"] for f in row)
    assert np.shape(told["stratified"]) == (zones, len(BANDS_KM) - 1)
    assert told["zone_median"] == pytest.approx(np.median(made.zone_factors))
    assert told["band_medians"] == pytest.approx(np.median(told["stratified"], axis=0), abs=1e-4)
    assert len(told["zone_rules"]) == zones
    assert set(np.unique(made.zone)) == set(range(zones))
    assert told["bands_km"] == [0, 10, 20, 30, 40, 60, 100]
    # The zone factor again, by hand, on every trip under 30 km.
    graph = RoadGraph.from_network(network)
    at = np.random.default_rng(9).choice(len(graph), 60, replace=False)
    trips = make_trips(network, clusters, np.arange(900), graph.node_lat[at], graph.node_lon[at], Silent()).trips
    area = clusters["area_acres"]
    for zone in range(zones):
        road = straight = 0.0
        for t in trips:
            here = (made.zone[t.cluster] == zone) & (t.straight_km < 30)
            road += float((area[t.cluster] * t.road_km)[here].sum())
            straight += float((area[t.cluster] * t.straight_km)[here].sum())
        assert made.zone_factors[zone] == pytest.approx(road / straight, rel=1e-4)
    json.dumps(told, allow_nan=False)


def test_same_seed_same_factors():
    first, _, _ = fitted()
    again, _, _ = fitted()
    assert first.transport == again.transport
    np.testing.assert_array_equal(first.zone, again.zone)


def test_a_table_without_terrain_is_told_apart_by_its_roads():
    nothing = np.full(900, np.nan)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made, _, _ = fitted(slope_pct=nothing, elevation_ft=nothing)
    assert all("slope" not in rule and "rugged" not in rule for rule in made.transport["zone_rules"])
    assert (made.zone >= 0).all()


def test_some_unknown_slopes_are_unknown_zones_only_where_nobody_near_knows():
    network, clusters, _ = country(1)
    slope = clusters["slope_pct"].copy()
    west = clusters["lon"] < -121.2
    slope[west] = np.nan
    made, _, _ = fitted(slope_pct=slope)
    unknown = made.zone < 0
    # The filter's window is 5 km wide.
    assert unknown.any() == any("slope" in rule for rule in made.transport["zone_rules"])
    assert clusters["lon"][unknown].max(initial=-122.0) < -121.2
    assert network.landing_node.size == made.zone.size


def test_too_few_facilities_are_refused():
    network, clusters, graph = country(1)
    with pytest.raises(TableRefusedError, match="in one corner") as caught:
        fit_transport(network, clusters, graph.node_lat[:2], graph.node_lon[:2])
    assert "leave the road network out" in caught.value.fix


def test_features_by_hand():
    network, clusters, graph = country(4)
    made = terrain_features(clusters, graph)
    assert FEATURES == ("slope_pct", "ruggedness_ft", "road_km_per_km2")
    assert made.shape == (900, 3)
    # Density: all roads over all country, edge effects aside.
    box_km2 = (40.6 - 39.4) * 111.2 * 1.5 * 111.2 * np.cos(np.radians(40))
    assert np.median(made[:, 2]) == pytest.approx(graph.km.sum() / 2 / box_km2, rel=0.25)
    # Slope follows latitude in this country.
    assert np.corrcoef(made[:, 0], clusters["lat"])[0, 1] > 0.97
    assert np.median(made[:, 1]) == pytest.approx(500, rel=0.15)
    still = terrain_features({**clusters, "elevation_ft": np.full(900, 12_000.0)}, graph)
    assert np.abs(still[:, 1]).max() < 1e-3
    assert network.node_lat.size == len(graph)


def test_rows_of_errors_by_hand():
    straight = np.array([5.0, 5.0, 50.0, 130.0])
    road, weight = np.array([10.0, 5.0, 100.0, 195.0]), np.array([1.0, 3.0, 1.0, 1.0])
    zone = np.array([0, 1, -1, 1])
    told = {
        "zone": reckoned_km(straight, zone, np.array([2.0, 1.5])),
        "stratified": reckoned_km(straight, zone, np.array([[2.0] * 6, [1.0] * 5 + [1.4]])),
    }
    assert told["zone"].tolist() == [10.0, 7.5, 87.5, 195.0]
    assert told["stratified"].tolist() == [10.0, 5.0, 75.0, 182.0]
    assert band_of(straight).tolist() == [0, 0, 4, 5]
    rows = {(r["mode"], r["band_km"][0]): r for r in accuracy_rows(straight, road, weight, told)}
    assert len(rows) == 18
    assert rows["zone", 0]["aggregate_error_pct"] == pytest.approx(100 * (10 + 3 * 7.5 - 25) / 25)
    assert rows["zone", 0]["mape_pct"] == pytest.approx(100 * 3 * 0.5 / 4)
    assert rows["stratified", 40]["aggregate_error_pct"] == pytest.approx(-25)
    assert rows["zone", 20] == {
        "mode": "zone", "band_km": [20.0, 30.0], "n": 0, "aggregate_error_pct": None, "mape_pct": None,
    }  # fmt: skip
    assert all(r["aggregate_error_pct"] in (0.0, None) for r in rows.values() if r["mode"] == "network")
    circuity = circuity_rows(straight, road, weight)
    assert circuity[0]["aggregate"] == pytest.approx(25 / 20)
    assert circuity[0]["median"] == 1.0
    assert circuity[2]["variation"] is None
    sites = {
        (r["mode"], r["band_km"][0]): r for r in facility_rows(straight, road, weight, told, np.array([0, 2, 2, 2]))
    }
    assert sites["zone", 0]["facilities"] == 2
    assert sites["zone", 0]["median_abs_pct"] == pytest.approx(25)
    assert sites["zone", 20]["median_abs_pct"] is None


def test_errors_are_those_of_facilities_not_used():
    """A model tested on what it was fitted to looks better than it is; the rows must not."""
    made, network, clusters = fitted()
    rows = {(r["mode"], r["band_km"][0]): r for r in made.transport["accuracy"]}
    graph = RoadGraph.from_network(network)
    at = np.random.default_rng(9).choice(len(graph), 60, replace=False)
    trips = make_trips(network, clusters, np.arange(900), graph.node_lat[at], graph.node_lon[at], Silent()).trips
    straight, road = (np.concatenate([getattr(t, name) for t in trips]) for name in ("straight_km", "road_km"))
    cluster = np.concatenate([t.cluster for t in trips])
    own = reckoned_km(straight, made.zone[cluster], np.array(made.transport["stratified"]))
    seen = accuracy_rows(straight, road, clusters["area_acres"][cluster], {"stratified": own})
    for row in seen[: len(BANDS_KM) - 1]:
        if row["n"]:
            assert rows["stratified", row["band_km"][0]]["n"] == row["n"]
            assert rows["stratified", row["band_km"][0]]["mape_pct"] > row["mape_pct"]
    assert made.transport["facilities"]["folds"] >= 3


def beyond_40_km(told: dict, mode: str) -> list[float]:
    return [
        abs(r["aggregate_error_pct"]) for r in told["accuracy"] if r["mode"] == mode and r["band_km"][0] >= 40
    ]  # fmt: skip


def check_must_show(told: dict) -> None:
    for zone, band in zip(beyond_40_km(told, "zone"), beyond_40_km(told, "stratified"), strict=True):
        assert band <= 0.5 * zone
    sites = {(r["mode"], r["band_km"][0]): r["median_abs_pct"] for r in told["facility_error"]}
    for low in (40.0, 60.0):
        # What a single site sees does not cancel over folds.
        assert sites["stratified", low] < 0.75 * sites["zone", low]
    medians = [r["median"] for r in told["circuity"]]
    assert all(r["variation"] > 0.15 for r in told["circuity"][:2])
    assert all(r["aggregate_error_pct"] == 0 for r in told["accuracy"] if r["mode"] == "network")
    assert medians[-1] < medians[1]


@pytest.mark.slow
@pytest.mark.parametrize(("region", "seed"), [("northern-sierra", 17), ("northern-sierra", 1), ("california", 17)])
def test_a_demonstration_halves_its_error(region: str, seed: int):
    told = demo_source(region, seed).transport
    check_must_show(told)
    assert told["circuity"][-1]["median"] < told["circuity"][0]["median"]


@pytest.mark.slow
@pytest.mark.shared
def test_the_real_main_roads_halve_their_error():
    if not SHARED_ROADS.is_dir():
        pytest.skip("the shared main-road network is not beside the project")
    case = main_roads(SHARED_ROADS)
    made = fit_transport(case.network, case.clusters, case.facility_lat, case.facility_lon, seed=1)
    check_must_show(made.transport)
    assert len(made.zone_factors) >= 4


def test_the_command_prints_exactly_the_rows(demo_layers: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["layers", "accuracy", "--data", str(demo_layers), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["synthetic"] is True
    assert told["name"] == "northern-sierra"
    assert len(told["hash"]) == 64
    assert {(r["mode"], *r["band_km"]) for r in told["rows"]} == {
        (mode, low, high)
        for mode in ("zone", "stratified", "network")
        for low, high in ((0, 10), (10, 20), (20, 30), (30, 40), (40, 60), (60, 100))
    }
    assert all(set(r) == {"mode", "band_km", "n", "aggregate_error_pct", "mape_pct"} for r in told["rows"])
    check_must_show({**told, "accuracy": told["rows"]})
    assert main(["layers", "accuracy", "--data", str(demo_layers)]) == 0
    out = capsys.readouterr().out
    assert "SYNTHETIC" in out
    assert "stratified" in out
    assert "60-100" in out


def test_a_set_without_roads_says_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    from tests.support.layers import SmallSource

    from csrag.build.materialize import materialize

    materialize(SmallSource(), tmp_path / "set")
    assert main(["layers", "accuracy", "--data", str(tmp_path / "set"), "--json"]) == 3
    err = capsys.readouterr()
    assert "without a road network" in err.out + err.err
    assert "recipe" in err.out + err.err


def test_errors_of_surrogate_costs_stand_beside_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    build_transport(tmp_path / "set")
    row = {"system": "Cable CTL", "n": 1234, "median_abs_error_pct": 0.7, "p95_abs_error_pct": 5.5}
    told = opened(tmp_path / "set", cost_method={"method": "surrogate", "accuracy": [row]})
    monkeypatch.setattr(layers_accuracy, "open_directory", lambda place: told)  # noqa: ARG005
    assert main(["layers", "accuracy", "--data", str(tmp_path / "set"), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["surrogate"] == [row]
    # A set whose source says nothing of single sites has dashes there, no error.
    assert {r["mode"] for r in printed["rows"]} == {"zone", "stratified"}
    assert main(["layers", "accuracy", "--data", str(tmp_path / "set")]) == 0
    out = capsys.readouterr().out
    assert "Cable CTL" in out
    assert "1,234" in out
