"""Candidate sites, the rules on them, their names, and layers less some clusters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.layers import build_small

from csrag.ask.computation import search_sites
from csrag.ask.computation.search_rank import apart, objective, ranked
from csrag.ask.computation.search_rules import SiteRule, binding_rule, count_rules, keeping
from csrag.ask.computation.search_sites import GRID_M, grid_sites, ground_of, listed_sites, nearest_km
from csrag.ask.computation.selection import Scales, scores
from csrag.ask.decisions.search_names import grid_name
from csrag.ask.decisions.search_store import StoreWithout
from csrag.errors import CsragError, InvalidValueError, RequestError
from csrag.geo import from_albers_m, haversine_km, to_albers_m
from csrag.interfaces.open import open_layers
from csrag.places.gazetteer import lookup
from csrag.places.site_table import MAX_SITES, read_sites
from csrag.surfaces.store import LayerStore


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    folder = tmp_path_factory.mktemp("search") / "layers"
    build_small(folder, n=400, seed=5)
    return open_layers(str(folder))


def scattered(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.uniform(39.0, 41.0, n), rng.uniform(-122.0, -120.0, n)


@given(st.integers(1, 400), st.integers(0, 10_000))
def test_every_square_with_a_cluster_has_one_site_and_the_nearest_cluster_of_it(n, seed):
    lat, lon = scattered(n, seed)
    x, y = to_albers_m(lat, lon)
    squares: dict[tuple[int, int], list[int]] = {}
    for i in range(n):
        squares.setdefault((round(y[i] / GRID_M), round(x[i] / GRID_M)), []).append(i)
    sites = grid_sites(lat, lon)
    assert len(sites) == len(squares)
    for k, (row, column) in enumerate(sorted(squares)):
        off = [(x[i] - column * GRID_M) ** 2 + (y[i] - row * GRID_M) ** 2 for i in squares[row, column]]
        assert sites.ground_row[k] == squares[row, column][int(np.argmin(off))]
        there = from_albers_m(column * GRID_M, row * GRID_M)
        assert (sites.lat[k], sites.lon[k]) == pytest.approx([float(v) for v in there], abs=1e-5)


def test_a_place_has_the_same_point_whatever_else_the_layers_hold():
    lat, lon = scattered(3000, 1)
    everyone, some = grid_sites(lat, lon), grid_sites(lat[::7], lon[::7])
    assert {*zip(some.lat, some.lon, strict=True)} <= {*zip(everyone.lat, everyone.lon, strict=True)}
    assert len(grid_sites(lat[:0], lon[:0])) == 0


def test_both_ways_of_finding_the_nearest_point_agree(monkeypatch):
    lat, lon = scattered(150, 2)
    to_lat, to_lon = scattered(80, 3)
    by_pairs = nearest_km(lat, lon, to_lat, to_lon)
    expected = [min(haversine_km(y, x, to_lat, to_lon)) for y, x in zip(lat, lon, strict=True)]
    assert by_pairs.tolist() == expected
    monkeypatch.setattr(search_sites, "_FEW_PAIRS", 0)
    assert nearest_km(lat, lon, to_lat, to_lon) == pytest.approx(by_pairs, rel=1e-9)
    assert np.isnan(nearest_km(lat, lon, [], [])).all()


def test_the_ground_of_a_listed_point_is_that_of_the_nearest_cluster_or_unknown(small):
    lat, lon = np.append(small.column("lat")[:20], 36.0), np.append(small.column("lon")[:20], -118.0)
    sites = listed_sites(small, "towns", tuple(map(str, range(21))), lat, lon)
    assert sites.ground_row.tolist() == [*range(20), -1]
    ground = ground_of(small, sites)
    assert ground.slope_pct[:20].tolist() == small.column("slope_pct")[:20].tolist()
    assert np.isnan(ground.slope_pct[20])
    nps = list(small.manifest.codes["land_use"]).index("nps")
    kept_out = (small.column("wilderness")[:20] == 1) | (small.column("land_use")[:20] == nps)
    assert 0 < kept_out.sum() < 20
    assert ground.protected.tolist() == [*kept_out.tolist(), False]


def test_rules_charge_each_site_once_and_say_what_binds():
    a = SiteRule("slope", "steep", np.array([0, 0, 1, 1, 1], bool), np.array([9.0, 8, 1, 2, 3]), 5.0, "percent_value")
    b = SiteRule("road", "far", np.array([0, 1, 0, 0, 0], bool), np.array([9.0, 1, 7, 6, np.nan]), 5.0, "km_1")
    counts = count_rules([a, b], 5)
    assert [c.removed for c in counts] == [2, 3]
    assert [c.left_without for c in counts] == [1, 3]
    assert [c.possible for c in counts] == [8.0, 6.0]
    assert not keeping([a, b], 5).any()
    assert binding_rule(counts) is counts[1]
    assert binding_rule(count_rules([], 5)) is None


def test_sites_apart_are_the_best_of_what_the_ones_before_leave():
    lat, lon = scattered(200, 4)
    cost = np.random.default_rng(4).uniform(20, 60, 200)
    order = ranked(cost, cost, cost < 55)
    got = apart(order, lat, lon, 8, 25.0)
    expected: list[int] = []
    for i in sorted(np.flatnonzero(cost < 55), key=lambda i: cost[i]):
        if len(expected) < 8 and all(haversine_km(lat[i], lon[i], lat[j], lon[j]) >= 25.0 for j in expected):
            expected.append(int(i))
    assert got == expected
    assert len(apart(order, lat, lon, 200, 0.0)) == (cost < 55).sum()


def test_sites_rank_by_cost_alone_at_weight_nought_and_by_the_score_of_their_means_beyond():
    scales = Scales(40.0, 110.0, 0.004, 0.03)
    rng = np.random.default_rng(0)
    unit, burn, tons = rng.uniform(30, 90, 50), rng.uniform(0, 0.05, 50), rng.uniform(1, 300, 50)
    mean_unit, mean_burn = np.average(unit, weights=tons), np.average(burn, weights=tons)
    assert objective(unit, burn, 0.0, scales).tolist() == unit.tolist()
    got = objective(np.array([mean_unit]), np.array([mean_burn]), 0.4, scales)[0]
    assert got == pytest.approx(np.average(scores(unit, burn, 0.4, scales), weights=tons), rel=1e-12)


def test_a_grid_point_is_named_by_the_nearest_town_and_its_direction():
    portola = lookup("Portola")[0]
    assert grid_name(portola.lat + 0.03, portola.lon + 0.04) == "5 km NE of Portola (39.84, -120.43)"
    assert grid_name(portola.lat, portola.lon) == "Portola (39.81, -120.47)"


@given(st.integers(0, 1000))
def test_layers_less_some_clusters_are_the_layers_less_those(small, seed):
    rng = np.random.default_rng(seed)
    gone = rng.choice(len(small), 60, replace=False)
    store = StoreWithout(small, gone)
    assert isinstance(store, LayerStore)
    rows, distance = small.within(40.0, -120.9, 45.0)
    kept = ~np.isin(rows, gone)
    got, away = store.within(40.0, -120.9, 45.0)
    assert got.tolist() == rows[kept].tolist()
    assert away.tolist() == distance[kept].tolist()
    for columns in (("row", "cluster_no"), ("cluster_no", "lat")):
        frame = store.catchment(40.0, -120.9, 45.0, "SDI55", columns)
        whole = small.catchment(40.0, -120.9, 45.0, "SDI55", columns)
        assert frame["cluster_no"].tolist() == whole["cluster_no"][kept].tolist()
    assert store.hash != small.hash
    assert store.hash == StoreWithout(small, gone[::-1]).hash != StoreWithout(small, gone[1:]).hash


def test_a_table_of_sites_is_read_in_its_order_and_its_blank_lines_passed_over(tmp_path):
    file = tmp_path / "mine.csv"
    file.write_text("Name,LAT,lon,owner\nMill pond,40.1,-121.0,us\n\n ,,\nQuarry,39.9,-120.8,\n", encoding="utf-8")
    table = read_sites(file)
    assert (table.name, table.names) == ("mine.csv", ("Mill pond", "Quarry"))
    assert (table.lat, table.lon) == ((40.1, 39.9), (-121.0, -120.8))


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("name,lat\nA,40\n", RequestError, "lacks lon"),
        ("name,lat,lon\n", RequestError, "holds no site"),
        ("name,lat,lon\nA,forty,-121\n", InvalidValueError, "Line 2 .* lat = 'forty'"),
        ("name,lat,lon\nA,nan,-121\n", InvalidValueError, "Line 2 .* lat = 'nan'"),
        ("name,lat,lon\n,40,-121\n", InvalidValueError, "Line 2 .* has no name"),
        ("name,lat,lon\nA,40,-121\nReno,39.5,-113.8\n", InvalidValueError, r"Line 3 .*\(Reno\).*outside California"),
        ("name,lat,lon\nA,-121,40\n", InvalidValueError, r"Line 2 .*swapped"),
        ("name,lat,lon\n" + "A,40,-121\n" * (MAX_SITES + 1), RequestError, "5,001 rows"),
    ],
)
def test_a_bad_table_of_sites_is_refused_with_its_line(tmp_path, text, error, words):
    file = tmp_path / "bad.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(error, match=words):
        read_sites(file)


def test_a_table_of_sites_that_is_not_there_or_no_text_is_refused(tmp_path):
    with pytest.raises(CsragError, match="cannot be read"):
        read_sites(tmp_path / "none.csv")
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CsragError, match="no UTF-8"):
        read_sites(tmp_path / "binary.csv")
