"""Synthetic roads: least-cost ways, a tree with loops, forest roads to the landings, measured circuity."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components, dijkstra, minimum_spanning_tree
from tests.support.california_crop import CROP

from csrag.build.progress import Silent
from csrag.build.sources.demo import DemoSource
from csrag.build.sources.demo_region import NORTHERN_SIERRA
from csrag.build.sources.demo_road_grid import COST_PER_SLOPE_PCT, RoadGrid, Winding
from csrag.build.sources.demo_roads import FOREST_KM_PER_H, MAIN_KM_PER_H, MAX_DETOUR, DemoRoads, make_roads
from csrag.geo import from_albers_m, haversine_km

SIDE = 24


def small_grid(seed: int, holes: float = 0.05) -> RoadGrid:
    rng = np.random.default_rng(seed)
    land = rng.random((SIDE, SIDE)) > holes
    n = int(land.sum())
    centres = 250.0 + 500.0 * np.arange(SIDE)
    return RoadGrid(centres - 80_000.0, centres + 200_000.0, land, rng.gamma(2.6, 8.5, n), rng.standard_normal(n))


def draw(grid: RoadGrid, seed: int, towns: int = 7, max_detour: float = MAX_DETOUR) -> tuple[DemoRoads, np.ndarray]:
    rng = np.random.default_rng(seed)
    cells = rng.choice(len(grid), towns, replace=False)
    x, y = (rng.uniform(axis[0], axis[-1], 200) for axis in (grid.x_m, grid.y_m))
    lat, lon = from_albers_m(x, y)
    joined = np.ones(200, dtype=bool)
    joined[:5] = False
    return make_roads(grid, *grid.lat_lon(cells), lat, lon, joined, Silent(), max_detour), cells


@pytest.fixture(scope="module")
def source() -> DemoSource:
    return DemoSource(NORTHERN_SIERRA)


@pytest.mark.parametrize("seed", range(6))
def test_a_tree_of_least_cost_ways(seed: int) -> None:
    """Without loops the links cost what SciPy's minimum spanning tree over all pairs of towns costs."""
    grid = small_grid(seed)
    made, cells = draw(grid, seed, max_detour=np.inf)
    assert made.loops == 0
    pieces, _ = connected_components(grid.cost_matrix(), directed=False)
    metric = dijkstra(grid.cost_matrix(), indices=cells)[:, cells]
    metric[~np.isfinite(metric)] = 0.0
    tree = minimum_spanning_tree(metric)
    assert made.links == tree.nnz
    # Every step of a main road, at its cost, once: shared stretches are paid once, so never more than the tree.
    g = made.graph
    once = g.tail < g.neighbour
    ends = [grid.cell_of(g.node_lat[e], g.node_lon[e]) for e in (g.tail[once], g.neighbour[once])]
    cost = grid.step_km(*ends) * np.exp(COST_PER_SLOPE_PCT * grid.slope_between(*ends))
    assert cost.sum() <= tree.sum() * (1 + 1e-9)
    assert cost.sum() > 0.5 * tree.sum()
    towns, _ = connected_components(_links(made), directed=False)
    assert towns >= 1
    assert pieces >= 1


def _links(made: DemoRoads) -> object:
    from scipy.sparse import csr_array

    g = made.graph
    return csr_array((g.km.astype(float), g.neighbour, g.indptr), shape=(len(g), len(g)))


@pytest.mark.parametrize("seed", range(6))
def test_no_link_that_is_left_out_saves_much(seed: int) -> None:
    grid = small_grid(seed, holes=0.0)
    tree, _ = draw(grid, seed, towns=12, max_detour=np.inf)
    made, _ = draw(grid, seed, towns=12)
    assert made.loops > 0
    assert made.links == 11 + made.loops
    assert len(made.graph) > len(tree.graph)
    there = dijkstra(_links(made), indices=made.town_node)[:, made.town_node]
    round_about = dijkstra(_links(tree), indices=tree.town_node)[:, tree.town_node]
    assert np.isfinite(there).all()
    assert there.sum() < round_about.sum()


@pytest.mark.parametrize("seed", range(4))
def test_a_forest_road_is_the_least_cost_way(seed: int) -> None:
    """By a search from every single landing, which knows nothing of predecessors and doubling."""
    grid = small_grid(seed)
    made, _ = draw(grid, seed)
    rng = np.random.default_rng(seed)
    rng.choice(len(grid), 7, replace=False)
    x, y = (rng.uniform(axis[0], axis[-1], 200) for axis in (grid.x_m, grid.y_m))
    cell = grid.cell_of(*from_albers_m(x, y))
    main = grid.cell_of(made.graph.node_lat, made.graph.node_lon)
    main = main[np.diff(made.graph.indptr) > 0]
    costs = grid.cost_matrix()
    assert (made.landing_node[:5] == -1).all()
    assert np.isnan(made.landing_km[:5]).all()
    slow, fast = FOREST_KM_PER_H
    for k in range(5, 200, 9):
        if cell[k] < 0:
            assert made.landing_node[k] == -1
            continue
        cost, before = dijkstra(costs, indices=cell[k], return_predecessors=True)
        best = main[np.argmin(cost[main])]
        if not np.isfinite(cost[best]):
            assert made.landing_node[k] == -1
            continue
        node = made.landing_node[k]
        found = grid.cell_of(made.graph.node_lat[[node]], made.graph.node_lon[[node]])[0]
        assert cost[found] == pytest.approx(cost[best], rel=1e-12)
        length, at = 0.0, best
        while at != cell[k]:
            length += float(grid.step_km(np.array([at]), np.array([before[at]]))[0])
            at = before[at]
        assert made.landing_km[k] >= length * 0.999
        assert made.landing_km[k] <= 4 * (length + 0.4)
        assert made.landing_km[k] / fast * 0.999 <= made.landing_hours[k] <= made.landing_km[k] / slow * 1.001


def test_winding_never_shortens() -> None:
    slope, field = np.linspace(0, 100, 50), np.linspace(-4, 4, 50)
    factor = Winding(0.03, 0.25).factor(slope[:, None], field[None, :])
    assert (factor >= 1).all()
    assert (np.diff(factor, axis=0) >= 0).all()
    assert np.ptp(factor[10]) > 0.1


def test_grid_covers_the_cells(source: DemoSource) -> None:
    network = source.road_network()
    c = source.clusters()
    lost = network.landing_node < 0
    # Without a road: what is too far from one to be worked, and corners where nothing is known.
    assert lost[c["roaded"] == 0].all()
    assert lost[c["zone"] == -1].all()
    assert not lost[(c["roaded"] == 1) & (c["zone"] >= 0)].any()
    assert source.counts == {"landings_without_road": int(lost.sum())}
    assert 0.015 < lost.mean() < 0.03
    assert np.isnan(network.landing_hours[lost]).all()


def test_roads_of_the_region(source: DemoSource) -> None:
    network = source.road_network()
    tail = np.repeat(np.arange(network.node_lat.size), np.diff(network.indptr))
    straight = haversine_km(
        network.node_lat[tail], network.node_lon[tail], network.node_lat[network.neighbour], network.node_lon[network.neighbour]
    )  # fmt: skip
    assert straight.max() < 0.72
    winding = network.km / straight
    assert winding.min() >= 1
    assert winding.std() > 0.02, "a constant times the straight line"
    assert network.km / network.hours == pytest.approx(MAIN_KM_PER_H, rel=1e-4)
    speed = network.landing_km[network.landing_node >= 0] / network.landing_hours[network.landing_node >= 0]
    assert FOREST_KM_PER_H[0] * 0.999 <= speed.min() < speed.max() <= FOREST_KM_PER_H[1] * 1.001
    told = source.transport["network"]
    assert told["source"].startswith("SYNTHETIC")
    assert told["loops"] > 0
    assert told["unsnapped"] == int((network.landing_node < 0).sum())


def test_circuity_of_the_region(source: DemoSource) -> None:
    """What the recipe wants: near these values, varying, and falling with distance."""
    rows = source.transport["circuity"]
    wanted = (2.1, 2.0, 1.9, 1.85, 1.75, 1.6)
    assert [r["aggregate"] for r in rows] == pytest.approx(wanted, rel=0.16)
    medians = [r["median"] for r in rows]
    assert medians[-1] < medians[0] - 0.1
    assert all(r["variation"] > 0.15 for r in rows[:2])


def test_one_seed_one_network() -> None:
    first, again, other = DemoSource(CROP, 3), DemoSource(CROP, 3), DemoSource(CROP, 4)
    for name, values in first.road_network().to_columns().items():
        np.testing.assert_array_equal(values, again.road_network().to_columns()[name], err_msg=name)
    assert first.transport == again.transport
    assert first.transport != other.transport
    assert first.road_network().km.size != other.road_network().km.size
