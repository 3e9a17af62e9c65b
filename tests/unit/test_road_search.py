"""One search from a facility: the fastest ways, their km, their bound; both engines, and against twins of other make."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from tests.support.roads import SHAPES, brute, random_graph
from tests.unit.test_road_graph import two_pieces

from csrag.geo import haversine_km
from csrag.simulators.road_contract import contract
from csrag.simulators.road_graph import RoadGraph, search
from csrag.simulators.road_search import SNAP_FACTOR, SNAP_KM_PER_H, from_node

SHARED_ROADS = Path(__file__).resolve().parents[3] / "shared" / "data" / "roads"
GRAPHS = st.builds(random_graph, st.integers(0, 100_000), st.sampled_from(SHAPES))
ENGINES = ("heap", "scipy")


@pytest.mark.parametrize("engine", ENGINES)
@hypothesis_settings(max_examples=80, deadline=None)
@given(GRAPHS, st.integers(0, 1000), st.sampled_from([np.inf, 40.0, 15.0, 4.0, 0.0]))
def test_equals_a_brute_twin_on_the_whole_graph(engine, graph, pick, reach_km):
    node = pick % len(graph)
    km, hours = brute(graph, node)
    reached = km <= reach_km
    found_km, found_hours = from_node(graph.contraction, node, reach_km, engine)
    assert np.array_equal(np.isfinite(found_km), reached)
    assert np.array_equal(np.isfinite(found_hours), reached)
    assert np.allclose(found_km[reached], km[reached], rtol=1e-9, atol=1e-12)
    assert np.allclose(found_hours[reached], hours[reached], rtol=1e-9, atol=1e-12)


@hypothesis_settings(max_examples=80, deadline=None)
@given(GRAPHS, st.integers(0, 1000), st.floats(0, 60))
def test_heap_and_scipy_give_the_same_bits(graph, pick, reach_km):
    heap, scipy = (from_node(graph.contraction, pick % len(graph), reach_km, engine) for engine in ENGINES)
    assert np.array_equal(heap[0], scipy[0], equal_nan=True)
    assert np.array_equal(heap[1], scipy[1], equal_nan=True)


@hypothesis_settings(max_examples=60, deadline=None)
@given(GRAPHS, st.floats(0, 50), st.floats(0, 50))
def test_a_larger_reach_adds_nodes_and_changes_none(graph, one, other):
    near, far = (search(graph, 39.95, -120.9, r, snap_cap_km=100) for r in sorted((one, other)))
    reached = np.isfinite(near.road_km)
    assert (near.road_km[reached] <= min(one, other)).all()
    assert np.array_equal(far.road_km[reached], near.road_km[reached])
    assert np.array_equal(far.hours[reached], near.hours[reached])


@hypothesis_settings(max_examples=40, deadline=None)
@given(GRAPHS)
def test_hours_are_symmetric_and_no_arc_offers_a_shorter_way(graph):
    hours = np.array([from_node(graph.contraction, i, np.inf)[1] for i in range(len(graph))])
    assert np.allclose(hours, hours.T, rtol=1e-9, equal_nan=True)
    tail = np.repeat(np.arange(len(graph)), np.diff(graph.indptr))
    for row in hours:
        known = np.isfinite(row[tail])
        assert np.array_equal(known, np.isfinite(row[graph.neighbour]))
        shortcut = row[tail[known]] + graph.hours[known]
        assert (row[graph.neighbour[known]] <= shortcut * (1 + 1e-9)).all()


@hypothesis_settings(max_examples=40, deadline=None)
@given(GRAPHS)
def test_roads_are_no_shorter_than_straight_lines(graph):
    reach = search(graph, 39.95, -120.9, 500, snap_cap_km=100)
    straight = haversine_km(39.95, -120.9, graph.node_lat, graph.node_lon)
    known = np.isfinite(reach.road_km)
    assert (reach.road_km[known] >= straight[known] * (1 - 1e-6)).all()


def test_two_pieces_are_unreachable_from_one_another_and_stay_missing():
    graph = two_pieces()
    reach = search(graph, 40.0, -120.9, 10_000)
    assert np.isnan(reach.road_km[graph.node_lat == 41.0]).all()
    assert np.isnan(reach.hours[graph.node_lat == 41.0]).all()
    assert np.isfinite(reach.road_km[graph.node_lat == 40.0]).all()


def test_the_facilitys_own_leg_is_slow_and_counted():
    graph = two_pieces()
    reach = search(graph, 39.99, -121.0, 100)
    straight = float(haversine_km(39.99, -121.0, 40.0, -121.0))
    assert reach.snap_km == pytest.approx(straight)
    assert reach.road_km[reach.snapped_node] == pytest.approx(SNAP_FACTOR * straight)
    assert reach.hours[reach.snapped_node] == pytest.approx(SNAP_FACTOR * straight / SNAP_KM_PER_H)
    assert reach.reason == ""


def test_a_facility_far_from_every_road_is_told_why():
    reach = search(two_pieces(), 35.0, -118.0, 300)
    assert reach.snapped_node == -1
    assert np.isnan(reach.snap_km)
    assert np.isnan(reach.road_km).all()
    assert reach.reason == "no road within 20 km of the site"
    near = search(two_pieces(), 39.9, -121.0, 5)
    assert np.isnan(near.road_km).all()
    assert "longer than 5 km" in near.reason


def test_a_facility_passes_a_fragment_over():
    reach = search(two_pieces(), 40.0205, -121.0, 100)
    assert reach.fragments == 1
    assert np.isfinite(reach.road_km).sum() == 200


def test_a_way_through_the_open_end_of_a_chain_beats_the_slow_chain():
    # a -- slow chain of 30 km -- b, and a -- fast detour of 90 km in an hour -- b: the middle of the chain near b is
    # reached through b, which lies beyond a reach of 60 km; the slower way along the chain must not stand in for it.
    lon = -121 + 0.035 * np.arange(11)
    lat = np.full(11, 40.0)
    u, v = np.r_[np.arange(10), 0], np.r_[np.arange(1, 11), 10]
    km, hours = np.r_[np.full(10, 3.0), 90.0], np.r_[np.full(10, 0.5), 1.0]
    graph = RoadGraph.from_edges(np.append(lat, 40.3), np.append(lon, -121), np.r_[u, 0, 10], np.r_[v, 11, 11],
                                 np.r_[km, 60, 60], np.r_[hours, 9, 9])  # fmt: skip
    start = int(np.flatnonzero(np.isclose(graph.node_lon, -121) & (graph.node_lat == 40))[0])
    whole, part = from_node(graph.contraction, start, np.inf)[0], from_node(graph.contraction, start, 60.0)[0]
    assert np.array_equal(np.isfinite(part), whole <= 60)
    assert np.isfinite(part).sum() < np.isfinite(whole).sum()


@pytest.mark.parametrize("n", [300, 3000])
@pytest.mark.parametrize("ring", [False, True])
def test_very_long_chains_and_rings_are_cut_and_still_exact(n, ring):
    u = np.arange(n if ring else n - 1)
    angle = 2 * np.pi * np.arange(n) / n
    lat, lon = 40 + 0.3 * np.sin(angle), -121 + 0.3 * np.cos(angle)
    graph = RoadGraph.from_edges(lat, lon, u, (u + 1) % n, np.full(u.size, 1.0), np.full(u.size, 0.01))
    assert 0 < len(graph.contraction) < n / 5
    assert graph.contraction.end_km.max() <= 512
    number = np.array(
        [np.argmin(haversine_km(y, x, lat, lon)) for y, x in zip(graph.node_lat, graph.node_lon, strict=True)]
    )
    km, _ = from_node(graph.contraction, int(np.flatnonzero(number == 17)[0]), np.inf)
    along = np.abs(number - 17)
    assert np.allclose(km, np.minimum(along, n - along) if ring else along, rtol=1e-9)


def test_contraction_keeps_every_node_and_both_directions_equal():
    graph = random_graph(7, "winding", most=200)
    core = contract(graph.indptr, graph.neighbour, graph.km, graph.hours)
    assert len(core) == np.count_nonzero(np.diff(graph.indptr) != 2)
    forth = {(a, b): h for a, b, h in zip(core.tail, core.neighbour, core.hours, strict=True)}
    assert all(forth[b, a] == h for (a, b), h in forth.items())
    assert np.array_equal(core.node[core.end[0, core.node]], core.node)


def test_a_small_graph_is_searched_without_scipy():
    code = (
        "import sys, numpy as np\n"
        "from csrag.simulators.road_graph import RoadGraph, search\n"
        "g = RoadGraph.from_edges([40.0, 40.1], [-121.0, -121.0], [0], [1], [12.0], [0.2])\n"
        "assert np.isfinite(search(g, 40.0, -121.0, 50).road_km).all()\n"
        "print(any(m.split('.')[0] == 'scipy' for m in sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "False"


@pytest.fixture(scope="module")
def main_roads() -> RoadGraph:
    if not SHARED_ROADS.is_dir():
        pytest.skip("the shared main-road network is not beside the project")
    from csrag.build.sources.roads_read import read_roads

    return read_roads(SHARED_ROADS / "cal_nodes.csv", SHARED_ROADS / "cal_edges.csv").graph


def scipy_twin(graph: RoadGraph, node: int) -> np.ndarray:
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import dijkstra

    n = len(graph)
    return dijkstra(csr_matrix((graph.hours.astype(float), graph.neighbour, graph.indptr), shape=(n, n)), indices=node)


@pytest.mark.shared
@pytest.mark.parametrize("engine", ENGINES)
def test_real_main_roads_equal_scipys_search_of_the_whole_graph(main_roads, engine):
    for lat, lon in ((39.9368, -120.9465), (40.5865, -122.3917), (36.7378, -119.7871)):
        reach = search(main_roads, lat, lon, 2000, engine=engine)
        hours = scipy_twin(main_roads, reach.snapped_node) + reach.snap_km * SNAP_FACTOR / SNAP_KM_PER_H
        known = np.isfinite(reach.hours)
        assert known.sum() > 20_000
        assert np.array_equal(known, np.isfinite(hours))
        assert np.allclose(reach.hours[known], hours[known], rtol=1e-9)


@pytest.mark.shared
def test_circuity_between_real_towns_is_plausible(main_roads):
    towns = {
        "Redding": (40.5865, -122.3917), "Chico": (39.7285, -121.8375), "Susanville": (40.4163, -120.6530),
        "Sacramento": (38.5816, -121.4944), "Eureka": (40.8021, -124.1637), "Fresno": (36.7378, -119.7871),
    }  # fmt: skip
    places = np.array(list(towns.values()))
    for lat, lon in places:
        reach = search(main_roads, lat, lon, 1500)
        for to_lat, to_lon in places:
            straight = float(haversine_km(lat, lon, to_lat, to_lon))
            if straight > 1:
                at = int(np.argmin(haversine_km(to_lat, to_lon, main_roads.node_lat, main_roads.node_lon)))
                assert 1.0 <= reach.road_km[at] / straight <= 3.0
