"""Synthetic roads of a demonstration region: main roads between real towns, forest roads to every landing.

Both follow least-cost ways over random terrain, so they wind as roads do, and lead nowhere that a real road leads.

Main roads
    The shortest links between neighbouring towns under the cost of a step, taken in ascending order: a link is drawn where
    the roads drawn before leave its towns unjoined (that is the minimum spanning tree of the least-cost metric: Mehlhorn
    1988, Information Processing Letters 27:125) or lead round by more than `MAX_DETOUR` times (a greedy spanner: Althöfer
    et al. 1993, Discrete and Computational Geometry 9:81). A tree alone sends a truck the long way round.
Forest roads
    Each landing takes the least-cost way to the nearest main road. They are no nodes of the graph: their length and
    driving time are the landing's access leg.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.build.progress import Progress
from csrag.build.sources.demo_road_grid import RoadGrid, Winding
from csrag.build.sources.fields import Array, FieldMaker
from csrag.geo import to_albers_m
from csrag.simulators.road_graph import SNAP_CAP_KM, RoadGraph, spatial_order
from csrag.surfaces.roads import RoadNetwork

MAIN_KM_PER_H = 70.0
FOREST_KM_PER_H = (25.0, 40.0)
"""On slopes of `Winding.steep_pct` and more, and on level ground [km per hour]."""
MAX_DETOUR = 1.25
MAIN_WINDING = Winding(level=0.04, slope=0.30)
FOREST_WINDING = Winding(level=0.05, slope=0.20)
"""Tuned, with the detour, so that circuity by distance comes near the recipe's."""

Cells = NDArray[np.int32]


@dataclass(frozen=True)
class DemoRoads:
    """Roads of a region.

    Parameters
    ----------
    graph : RoadGraph
        Main roads; a node every 500 m.
    landing_node : ndarray of int32, shape (clusters,)
        Node that each landing's forest road meets; -1 for a landing without a road.
    landing_km, landing_hours : ndarray of float32, shape (clusters,)
        Length and driving time of that forest road [km, hours]; NaN for a landing without one.
    town_node : ndarray of int32
        Nodes that stand for towns.
    links, loops : int
        Links between towns that were drawn, and how many of them are no part of the tree.
    """

    graph: RoadGraph
    landing_node: NDArray[np.int32]
    landing_km: NDArray[np.float32]
    landing_hours: NDArray[np.float32]
    town_node: NDArray[np.int32]
    links: int
    loops: int

    @cached_property
    def network(self) -> RoadNetwork:
        """The same as a source's `road_network()`."""
        g = self.graph
        return RoadNetwork(
            g.node_lat, g.node_lon, g.indptr, g.neighbour, g.km, g.hours, self.landing_node, self.landing_km,
            self.landing_hours,
        )  # fmt: skip

    def told(self, seed: int) -> dict[str, Any]:
        """The `network` entry of the manifest's `transport`."""
        return {
            "nodes": len(self.graph), "edges": self.graph.edges, "metric": "hours", "snap_cap_km": SNAP_CAP_KM,
            "source": f"SYNTHETIC roads, seed {seed}: least-cost ways over random terrain between real town points",
            "unsnapped": int(np.count_nonzero(self.landing_node < 0)), "links": self.links, "loops": self.loops,
            "main_km_per_h": MAIN_KM_PER_H, "forest_km_per_h": list(FOREST_KM_PER_H),
        }  # fmt: skip

    def facilities(self, fields: FieldMaker, towns: int, nodes: int) -> tuple[Array, Array]:
        """Random towns and random places on main roads, as latitudes and longitudes [degrees]; no place twice."""
        rng = fields.rng("roads.facilities")
        roaded = np.flatnonzero(np.diff(self.graph.indptr))
        in_town = np.intersect1d(self.town_node, roaded)
        chosen = [
            rng.choice(pool, min(count, pool.size), replace=False)
            for pool, count in ((in_town, towns), (roaded, nodes))
        ]
        at = np.unique(np.concatenate(chosen))
        return self.graph.node_lat[at], self.graph.node_lon[at]


def make_roads(
    grid: RoadGrid,
    town_lat: Array, town_lon: Array,
    landing_lat: Array, landing_lon: Array,
    joined: NDArray[np.bool_],
    progress: Progress,
    max_detour: float = MAX_DETOUR,
) -> DemoRoads:  # fmt: skip
    """Draw the roads of a region.

    Parameters
    ----------
    grid : RoadGrid
        Cells and costs.
    town_lat, town_lon : ndarray of float64
        Town points [degrees]; those off the land are passed over.
    landing_lat, landing_lon : ndarray of float64, shape (clusters,)
        Landings [degrees].
    joined : ndarray of bool, shape (clusters,)
        Landings that have a road at all.
    progress : Progress
        Told of every stage.
    max_detour : float, optional
        A link is drawn where the roads before it lead round by more than this many times its own length.

    Returns
    -------
    DemoRoads
    """
    progress.start("drawing roads", 4, "stages")
    costs = grid.cost_matrix()
    progress.advance(1)
    towns = np.unique(grid.cell_of(town_lat, town_lon))
    towns = towns[towns >= 0]
    main, links, loops = _main_roads(grid, costs, towns, max_detour)
    progress.advance(1)
    a, b = main
    cells = np.unique(np.concatenate([a, b, towns]))
    lat, lon = grid.lat_lon(cells)
    order = spatial_order(lat, lon)
    cells, lat, lon = cells[order], lat[order], lon[order]
    node = np.full(len(grid), -1, dtype=np.int32)
    node[cells] = np.arange(cells.size, dtype=np.int32)
    km = grid.road_km(a, b, MAIN_WINDING)
    graph = RoadGraph.from_edges(lat, lon, node[a], node[b], km, km / MAIN_KM_PER_H)
    leg_km, leg_hours, meets = _forest_roads(grid, costs, np.unique(np.concatenate([a, b])))
    progress.advance(1)
    del costs
    cell = np.where(joined, grid.cell_of(landing_lat, landing_lon), -1)
    there = (cell >= 0) & np.isfinite(leg_km[cell])
    landing_km, landing_hours = np.full((2, cell.size), np.nan)
    landing_node = np.full(cell.size, -1, dtype=np.int32)
    at = cell[there]
    landing_node[there] = node[meets[at]]
    # From the landing itself to the middle of its cell: another piece of forest road.
    x, y = grid.position_m(at)
    off_km = _offset_km(landing_lat[there], landing_lon[there], x, y)
    off_km *= FOREST_WINDING.factor(grid.slope_pct[at], grid.bends[at])
    landing_km[there] = leg_km[at] + off_km
    landing_hours[there] = leg_hours[at] + off_km / _forest_km_per_h(grid.slope_pct[at])
    progress.advance(1)
    return DemoRoads(
        graph, landing_node, landing_km.astype(np.float32), landing_hours.astype(np.float32), node[towns], links, loops
    )  # fmt: skip


def _offset_km(lat: Array, lon: Array, x_m: Array, y_m: Array) -> Array:
    px, py = to_albers_m(lat, lon)
    return np.asarray(np.hypot(px - x_m, py - y_m) / 1000.0, dtype=np.float64)


def _forest_km_per_h(slope_pct: Array) -> Array:
    steep, level = FOREST_KM_PER_H
    return level - (level - steep) * np.minimum(slope_pct / FOREST_WINDING.steep_pct, 1.0)


def _nearest(costs: Any, sources: Cells) -> tuple[Array, Cells, Cells]:
    """Cost to the nearest source, the next cell on the way there (-1 at a source or where no way leads), that source."""
    from scipy.sparse.csgraph import dijkstra

    cost, before, source = dijkstra(
        costs, directed=True, indices=sources, min_only=True, return_predecessors=True
    )  # fmt: skip
    return cost, np.where(before < 0, -1, before).astype(np.int32), np.where(source < 0, -1, source).astype(np.int32)


def _along(before: Cells, *amounts: Array) -> list[Array]:
    """Sum of each cell's amounts along its way to a source (each cell's own amount is that of its first step)."""
    sums = [values.copy() for values in amounts]
    ahead = before.copy()
    while (going := np.flatnonzero(ahead >= 0)).size:
        to = ahead[going]
        # Each round doubles the stretch already summed: read before any is written.
        more = [values[to] for values in sums]
        further = ahead[to]
        for values, extra in zip(sums, more, strict=True):
            values[going] += extra
        ahead[going] = further
    return sums


def _first_steps(before: Cells) -> tuple[Cells, Cells]:
    a = np.flatnonzero(before >= 0).astype(np.int32)
    return a, before[a]


def _main_roads(grid: RoadGrid, costs: Any, towns: Cells, max_detour: float) -> tuple[tuple[Cells, Cells], int, int]:
    """Steps of all main roads, and how many links and loops they make."""
    cost, before, source = _nearest(costs, towns)
    a, b = _first_steps(before)
    km = np.zeros(len(grid))
    km[a] = grid.road_km(a, b, MAIN_WINDING)
    (km,) = _along(before, km)
    link_a, link_b, link_cost = _best_links(grid, cost, source)
    link_km = km[link_a] + grid.road_km(link_a, link_b, MAIN_WINDING) + km[link_b]
    drawn, loops = _spanner(source[link_a], source[link_b], link_cost, link_km, max_detour)
    steps_a, steps_b = [link_a[drawn]], [link_b[drawn]]
    wanted = np.zeros(len(grid), dtype=bool)
    front = np.unique(np.concatenate([link_a[drawn], link_b[drawn]]))
    while front.size:
        wanted[front] = True
        front = np.unique(before[front])
        front = front[front >= 0]
        front = front[~wanted[front]]
    on_way = np.flatnonzero(wanted & (before >= 0)).astype(np.int32)
    steps_a.append(on_way)
    steps_b.append(before[on_way])
    return (np.concatenate(steps_a), np.concatenate(steps_b)), int(drawn.size), loops


def _best_links(grid: RoadGrid, cost: Array, source: Cells) -> tuple[Cells, Cells, Array]:
    """For every two towns whose surroundings touch, the step between them that gives the cheapest way."""
    found: list[tuple[Cells, Cells, Array]] = []
    for a, b, step in grid.steps():
        here = np.flatnonzero((source[a] != source[b]) & (source[a] >= 0) & (source[b] >= 0))
        a_here, b_here = a[here].astype(np.int32), b[here]
        swap = source[a_here] > source[b_here]
        a_here, b_here = np.where(swap, b_here, a_here), np.where(swap, a_here, b_here)
        found.append((a_here, b_here, cost[a_here] + step[here] + cost[b_here]))
    a_all, b_all = (np.concatenate([part[i] for part in found]) for i in (0, 1))
    total = np.concatenate([part[2] for part in found])
    order = np.lexsort((b_all, a_all, total, source[b_all], source[a_all]))
    a_all, b_all, total = a_all[order], b_all[order], total[order]
    first = np.ones(order.size, dtype=bool)
    first[1:] = (source[a_all][1:] != source[a_all][:-1]) | (source[b_all][1:] != source[b_all][:-1])
    return a_all[first], b_all[first], total[first]


def _spanner(u: Cells, v: Cells, cost: Array, km: Array, max_detour: float) -> tuple[NDArray[np.int64], int]:
    """Links to draw, in ascending order of cost, and how many of them close a loop."""
    roads: dict[int, list[tuple[int, float]]] = {}
    drawn, loops = [], 0
    group: dict[int, int] = {}

    def root(town: int) -> int:
        while group.setdefault(town, town) != town:
            group[town] = town = group[group[town]]
        return town

    for k in np.lexsort((v, u, cost)):
        a, b, length = int(u[k]), int(v[k]), float(km[k])
        joined = root(a) == root(b)
        if joined and _leads(roads, a, b, max_detour * length):
            continue
        loops += joined
        group[root(a)] = root(b)
        drawn.append(int(k))
        roads.setdefault(a, []).append((b, length))
        roads.setdefault(b, []).append((a, length))
    return np.array(drawn, dtype=np.int64), loops


def _leads(roads: dict[int, list[tuple[int, float]]], start: int, goal: int, within_km: float) -> bool:
    """Whether roads lead from one town to another within a length."""
    best = {start: 0.0}
    heap = [(0.0, start)]
    while heap:
        so_far, town = heapq.heappop(heap)
        if town == goal:
            return True
        if so_far > best[town]:
            continue
        for other, length in roads.get(town, ()):
            total = so_far + length
            if total <= within_km and total < best.get(other, np.inf):
                best[other] = total
                heapq.heappush(heap, (total, other))
    return False


def _forest_roads(grid: RoadGrid, costs: Any, main: Cells) -> tuple[Array, Array, Cells]:
    """Length [km] and time [hours] of every cell's way to the nearest main road, and the cell where it meets it."""
    cost, before, meets = _nearest(costs, main)
    a, b = _first_steps(before)
    km, hours = np.zeros((2, len(grid)))
    km[a] = grid.road_km(a, b, FOREST_WINDING)
    hours[a] = km[a] / _forest_km_per_h(grid.slope_between(a, b))
    km, hours = _along(before, km, hours)
    nowhere = ~np.isfinite(cost)
    km[nowhere] = hours[nowhere] = np.nan
    return km, hours, meets
