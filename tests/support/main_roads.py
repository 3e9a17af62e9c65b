"""The real main-road network of California (shared test data) with clusters laid beside it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.build.road_layer import MadeNetwork, make_road_network
from csrag.build.sources.roads_read import read_roads
from csrag.geo import from_albers_m, to_albers_m
from csrag.simulators.road_graph import RoadGraph

LATTICE_KM = 4.0
NEAR_KM = 10.0


@dataclass(frozen=True)
class MainRoads:
    """Graph, landings of lattice clusters within `NEAR_KM` of it, and facilities at random nodes of its largest piece."""

    graph: RoadGraph
    network: MadeNetwork
    clusters: dict[str, NDArray[Any]]
    facility_lat: NDArray[np.float64]
    facility_lon: NDArray[np.float64]


def main_roads(folder: Path, facilities: int = 800, seed: int = 1) -> MainRoads:
    """Case from `cal_nodes.csv` and `cal_edges.csv`: slope and elevation are unknown, only the roads' density tells zones."""
    graph = read_roads(folder / "cal_nodes.csv", folder / "cal_edges.csv").graph
    x, y = to_albers_m(graph.node_lat, graph.node_lon)
    step = 1000 * LATTICE_KM
    xs, ys = (np.arange(v.min() - step, v.max() + step, step) for v in (x, y))
    lat, lon = from_albers_m(*(a.ravel() for a in np.meshgrid(xs, ys)))
    network = make_road_network(graph, lat, lon, snap_cap_km=NEAR_KM)
    near = np.flatnonzero(network.landing_node >= 0)
    lat, lon = lat[near], lon[near]
    network = make_road_network(graph, lat, lon, snap_cap_km=NEAR_KM)
    unknown = np.full(near.size, np.nan)
    clusters = {
        "lat": lat, "lon": lon, "area_acres": np.full(near.size, 32.025), "slope_pct": unknown, "elevation_ft": unknown,
    }  # fmt: skip
    at = np.random.default_rng(seed).choice(np.flatnonzero(np.diff(graph.indptr)), facilities, replace=False)
    return MainRoads(graph, network, clusters, graph.node_lat[at], graph.node_lon[at])
