"""Random road graphs, made-up extracts and a source with roads, for tests of the road network."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tests.support.layers import SmallSource

from csrag.build.road_layer import MadeNetwork, make_road_network
from csrag.geo import haversine_km
from csrag.simulators.road_graph import RoadGraph

SHAPES = ("scattered", "ring", "winding", "tree", "lollipops")


def random_graph(seed: int, shape: str, most: int = 40) -> RoadGraph:
    """A SYNTHETIC graph of up to so many nodes around Quincy: any edges, one ring, long chains, a tree, or loops on stalks."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, most))
    lat, lon = rng.uniform(39.8, 40.1, n), rng.uniform(-121.1, -120.7, n)
    row = np.arange(n)
    if shape == "ring":
        u, v = row, (row + 1) % n
    elif shape == "winding":
        u, v = np.r_[row[:-1], rng.integers(0, n, 3)], np.r_[row[1:], rng.integers(0, n, 3)]
    elif shape == "tree":
        u, v = row[1:], np.array([rng.integers(0, i) for i in range(1, n)])
    elif shape == "lollipops":
        starts = np.arange(0, n - 4, 5)
        u = np.concatenate([starts, starts + 1, starts + 2, starts + 3, starts[:-1]])
        v = np.concatenate([starts + 1, starts + 2, starts + 3, starts + 1, starts[1:]])
    else:
        k = int(rng.integers(1, int(1.3 * n) + 2))
        u, v = rng.integers(0, n, k), rng.integers(0, n, k)
    km = haversine_km(lat[u], lon[u], lat[v], lon[v]) * rng.uniform(1, 2, u.size) + 0.01
    return RoadGraph.from_edges(lat, lon, u, v, km, km / rng.choice([20.0, 40.0, 80.0], u.size))


def brute(graph: RoadGraph, node: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Fastest ways by relaxing every arc until nothing changes (Bellman-Ford), with the km of the same way."""
    hours, km = np.full(len(graph), np.inf), np.full(len(graph), np.nan)
    hours[node] = km[node] = 0.0
    changed = True
    while changed:
        changed = False
        for at in range(len(graph)):
            for arc in range(graph.indptr[at], graph.indptr[at + 1]):
                to = graph.neighbour[arc]
                if hours[at] + float(graph.hours[arc]) < hours[to]:
                    hours[to], km[to] = hours[at] + float(graph.hours[arc]), km[at] + float(graph.km[arc])
                    changed = True
    return km, hours


def lattice(
    rows: int, seed: int, kinds: Sequence[str] = ("primary", "secondary", "tertiary")
) -> tuple[list[tuple[float, float]], list[tuple[list[int], str]]]:
    """MADE-UP winding roads between rows x rows crossings: points (lat, lon), and ways as points and class."""
    rng = np.random.default_rng(seed)
    lat = 39.8 + np.arange(rows)[:, None] * 0.03 + rng.uniform(-0.008, 0.008, (rows, rows))
    lon = -121.2 + np.arange(rows)[None, :] * 0.04 + rng.uniform(-0.01, 0.01, (rows, rows))
    points = list(zip(lat.ravel().tolist(), lon.ravel().tolist(), strict=True))
    ways: list[tuple[list[int], str]] = []
    for i in range(rows):
        for j in range(rows):
            for k, m in ((i + 1, j), (i, j + 1)):
                if k < rows and m < rows and rng.uniform() < 0.85:
                    a, b = np.array(points[i * rows + j]), np.array(points[k * rows + m])
                    inner = []
                    for share in (0.25, 0.5, 0.75):
                        inner.append(len(points))
                        y, x = a + share * (b - a) + rng.normal(0, 0.004, 2)
                        points.append((float(y), float(x)))
                    ways.append(([i * rows + j, *inner, k * rows + m], kinds[int(rng.integers(len(kinds)))]))
    return points, ways


def write_osm(
    path: Path, points: Sequence[tuple[float, float]], ways: Sequence[tuple[Sequence[int], dict[str, str]]],
    *, absent: Sequence[int] = (),
) -> Path:  # fmt: skip
    """An OpenStreetMap file of points (lat, lon), numbered from 1, and of ways over them."""
    import osmium
    from osmium.osm.mutable import Node, Way

    path.unlink(missing_ok=True)
    writer = osmium.SimpleWriter(str(path))
    for i, (lat, lon) in enumerate(points, start=1):
        if i - 1 not in absent:
            writer.add_node(Node(id=i, version=1, location=(lon, lat)))
    for i, (nodes, tags) in enumerate(ways, start=1):
        writer.add_way(Way(id=i, version=1, nodes=[n + 1 for n in nodes], tags=tags))
    writer.close()
    return path


class RoadedSource(SmallSource):
    """`SmallSource` with a MADE-UP road network, landings in the source's own row order."""

    def __init__(self, *, roads: bool = True, **changes: Any) -> None:
        super().__init__(**changes)
        self._with_roads = roads

    def road_network(self) -> MadeNetwork | None:
        if not self._with_roads:
            return None
        points, ways = lattice(12, 5)
        lat, lon = np.array(points).T
        lon = lon + 0.2
        u = np.concatenate([way[:-1] for way, _ in ways])
        v = np.concatenate([way[1:] for way, _ in ways])
        km = haversine_km(lat[u], lon[u], lat[v], lon[v]) * 1.05
        graph = RoadGraph.from_edges(lat, lon, u, v, km, km / 45)
        rows = self.clusters()
        return make_road_network(graph, rows["lat"], rows["lon"], snap_cap_km=8.0)
