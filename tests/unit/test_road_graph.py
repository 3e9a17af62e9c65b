"""The road graph: what it refuses and mends, its order, and the nearest node."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from tests.support.roads import SHAPES, random_graph

from csrag.build.road_layer import ACCESS_FACTOR, ACCESS_KM_PER_H, components, make_road_network
from csrag.errors import InvalidValueError
from csrag.geo import haversine_km
from csrag.simulators.road_graph import RoadGraph, snap, spatial_order
from csrag.simulators.road_snap import nearest
from csrag.surfaces.roads import RoadNetwork

LAT, LON = [40.0, 40.1, 40.2], [-121.0, -121.0, -121.0]


def test_both_directions_are_stored_and_nodes_lie_in_morton_order():
    rng = np.random.default_rng(4)
    lat, lon = rng.uniform(39, 41, 50), rng.uniform(-122, -120, 50)
    u, v = np.arange(49), np.arange(1, 50)
    graph = RoadGraph.from_edges(lat, lon, u, v, np.full(49, 400.0), np.full(49, 8.0))
    order = spatial_order(lat, lon)
    assert np.array_equal(graph.node_lat, lat[order])
    assert np.array_equal(spatial_order(graph.node_lat, graph.node_lon), np.arange(50))
    tail = np.repeat(np.arange(50), np.diff(graph.indptr))
    arcs = set(zip(tail.tolist(), graph.neighbour.tolist(), strict=True))
    assert arcs == {(b, a) for a, b in arcs}
    place = np.argsort(order)
    assert arcs == {(int(place[a]), int(place[b])) for p, q in zip(u, v, strict=True) for a, b in ((p, q), (q, p))}


def test_morton_order_takes_neighbours_together():
    lat, lon = (a.ravel() for a in np.meshgrid(np.linspace(39, 40, 32), np.linspace(-121, -120, 32)))
    order = spatial_order(lat, lon)
    step = haversine_km(lat[order[:-1]], lon[order[:-1]], lat[order[1:]], lon[order[1:]])
    # Row by row a quarter of the steps in a block of four would cross the block; along the curve the mean step is short.
    assert step.mean() < 1.8 * haversine_km(39.0, -121.0, 39.0 + 1 / 31, -121.0)


def test_of_parallel_edges_the_fastest_stays_loops_go_and_short_ones_are_lifted():
    km, hours = [20.0, 13.0, 13.0, 1.0, 2.0], [0.2, 0.5, 0.5, 0.1, 0.1]
    graph = RoadGraph.from_edges(LAT, LON, [0, 1, 1, 1, 2], [1, 0, 2, 2, 2], km, hours)
    assert dict(graph.counts) == {"loops": 1, "parallel": 2, "lifted": 1}
    assert graph.edges == 2
    assert graph.km[0] == np.float32(20.0)
    assert graph.hours[0] == np.float32(0.2)
    # One km over an 11 km gap is impossible: lifted to the straight line at its own 10 km/h, slower than the other edge.
    assert graph.km[-1] == np.float32(13.0)


def test_a_lifted_edge_keeps_its_speed():
    graph = RoadGraph.from_edges(LAT[:2], LON[:2], [0], [1], [1.0], [0.1])
    straight = float(haversine_km(LAT[0], LON[0], LAT[1], LON[1]))
    assert graph.km[0] == pytest.approx(straight, rel=1e-6)
    assert graph.km[0] / graph.hours[0] == pytest.approx(10.0, rel=1e-6)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"lat": [40.0, np.nan, 40.2]}, "1 road nodes have no position"),
        ({"lat": LON, "lon": LAT}, "look swapped"),
        ({"lat": [40.0, 95.0, 40.2]}, "beyond 90 degrees"),
        ({"lon": LON[:2]}, "differ in length"),
        ({"km": [20.0]}, "differ in length"),
        ({"u": [0, 3]}, "not one of the 3"),
        ({"v": [-1, 2]}, "not one of the 3"),
        ({"u": [0.0, 1.0]}, "not one of the 3"),
        ({"km": [20.0, 0.0]}, "no length above zero"),
        ({"km": [20.0, -3.0]}, "no length above zero"),
        ({"km": [20.0, np.nan]}, "no length above zero"),
        ({"hours": [np.inf, 1.0]}, "no driving time above zero"),
    ],
)
def test_what_cannot_be_a_road_is_refused(change, message):
    given_edges = {"lat": LAT, "lon": LON, "u": [0, 1], "v": [1, 2], "km": [20.0, 20.0], "hours": [1.0, 1.0]} | change
    with pytest.raises(InvalidValueError, match=message):
        RoadGraph.from_edges(**given_edges)


@hypothesis_settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(SHAPES), st.floats(0.1, 60))
def test_snapping_takes_the_nearest_roaded_node_within_the_cap(seed, shape, cap_km):
    graph = random_graph(seed, shape)
    rng = np.random.default_rng(seed)
    lat, lon = rng.uniform(39.5, 40.4, 80), rng.uniform(-121.5, -120.3, 80)
    lat[3] = np.nan
    away = haversine_km(lat[:, None], lon[:, None], graph.node_lat, graph.node_lon)
    away[:, np.diff(graph.indptr) == 0] = np.inf
    best = np.where(np.isfinite(away).any(axis=1), np.min(np.where(np.isnan(away), np.inf, away), axis=1), np.inf)
    for part in (slice(0, 80), slice(0, 20)):  # the tree and the box search
        node, distance = snap(graph, lat[part], lon[part], cap_km)
        near = best[part] <= cap_km
        assert np.array_equal(node >= 0, near)
        assert np.allclose(distance[near], best[part][near], rtol=1e-6)
        assert np.isnan(distance[~near]).all()


def test_an_empty_graph_joins_nothing():
    graph = RoadGraph.from_edges([], [], np.empty(0, int), np.empty(0, int), [], [])
    assert nearest(graph, 40.0, -121.0, 20.0)[0] == -1
    assert components(graph)[0] == 0
    assert len(graph.contraction) == 0


def test_a_graph_of_a_stored_network_copies_nothing_and_is_made_once():
    graph = random_graph(1, "winding")
    made = make_road_network(graph, [40.0], [-121.0])
    network = RoadNetwork(**{name: getattr(made, name) for name in RoadNetwork.__dataclass_fields__})
    again = RoadGraph.from_network(network)
    assert again.km is graph.km
    assert again.node_lat is graph.node_lat
    assert RoadGraph.from_network(network) is again


def two_pieces() -> RoadGraph:
    """A line of 200 nodes eastwards at 40 N, one of 60 at 41 N, and a pair of nodes at 40.02 N."""
    lat = np.concatenate([np.full(200, 40.0), np.full(60, 41.0), [40.02, 40.02]])
    lon = np.concatenate([-121 + 0.002 * np.arange(200), -121 + 0.002 * np.arange(60), [-121.0, -120.999]])
    order = spatial_order(lat, lon)
    place = np.argsort(order)
    u = np.concatenate([np.arange(199), 200 + np.arange(59), [260]])
    km = haversine_km(lat[u], lon[u], lat[u + 1], lon[u + 1])
    return RoadGraph.from_edges(lat[order], lon[order], place[u], place[u + 1], km, km / 40)


def test_landings_are_counted_beyond_the_cap_off_the_main_piece_and_pass_fragments_over():
    made = make_road_network(two_pieces(), [40.001, 41.001, 45.0, np.nan, 40.0201], [-121.0] * 5, snap_cap_km=5)
    assert made.counts == {
        "unsnapped": 2, "off_main": 1, "components": 3, "main_nodes": 200, "fragment_nodes": 2, "near_fragment": 0,
    }  # fmt: skip
    assert (made.landing_node[[2, 3]] == -1).all()
    assert np.isnan(made.landing_km[[2, 3]]).all()
    assert np.isnan(made.landing_hours[[2, 3]]).all()
    # The pair at 40.02 N is nearer to the last landing, but nothing else can be reached from it.
    assert made.node_lat[made.landing_node[4]] == 40.0
    straight = haversine_km(40.001, -121.0, made.node_lat[made.landing_node[0]], made.node_lon[made.landing_node[0]])
    assert made.landing_km[0] == pytest.approx(ACCESS_FACTOR * straight, rel=1e-6)
    assert made.landing_hours[0] == pytest.approx(ACCESS_FACTOR * straight / ACCESS_KM_PER_H, rel=1e-6)
    assert "2 landings (40.0%) lie beyond 5 km" in made.notes()[0]
    assert made.told("test")["unsnapped"] == 2


def test_a_landing_beside_a_fragment_only_is_not_said_to_lie_beyond_every_road():
    made = make_road_network(two_pieces(), [40.0201, 40.001, 45.0], [-121.0] * 3, snap_cap_km=1)
    assert made.landing_node.tolist()[0] == -1
    assert (made.counts["unsnapped"], made.counts["near_fragment"]) == (2, 1)
    beyond, passed = made.notes()
    assert "beyond 1 km of every road node that may be joined" in beyond
    assert "2 of 262 nodes (0.8%) lie in pieces of fewer than 26 nodes" in passed
    assert "1 of the 2 landings without a road lie near such a piece only" in passed
    assert "join them to the network" in passed
    assert "fill lengths" in passed


@pytest.mark.parametrize("cap_km", [0.0, -1.0, float("nan")])
def test_a_cap_that_joins_nothing_is_refused(cap_km):
    with pytest.raises(InvalidValueError, match="joins nothing"):
        make_road_network(two_pieces(), [40.0], [-121.0], snap_cap_km=cap_km)
