"""Trips from clusters to facilities over a road network: what the fit learns from, and what it is tested on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.build.progress import Progress
from csrag.geo import haversine_km, to_albers_m
from csrag.simulators.road_graph import RoadGraph, search
from csrag.surfaces.roads import RoadNetwork

BANDS_KM = (0.0, 10.0, 20.0, 30.0, 40.0, 60.0, 100.0)
"""Edges of the straight-line bands; the last band's factor also serves trips beyond it."""
SHORTEST_KM = 1.0
"""A haul is never shorter than this, so that shorter trips teach nothing."""
REACH_FACTOR = 4.0
"""Ways longer than this many times the farthest band count as no way."""
_BLOCK_KM = 40.0

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Trips:
    """Trips of one facility.

    Parameters
    ----------
    facility : int
        Its number.
    cluster : ndarray of int64, shape (k,)
        Clusters whose straight line lies within the bands.
    straight_km, road_km : ndarray of float64, shape (k,)
        Lengths [km]; a road is never shorter than the straight line.
    """

    facility: int
    cluster: Ints
    straight_km: Floats
    road_km: Floats


@dataclass(frozen=True)
class Sample:
    """All trips between some facilities and some clusters.

    Parameters
    ----------
    trips : tuple of Trips
        One a facility that lies on the network.
    counts : mapping of str to int
        `clamped` trips whose road came out shorter than the straight line, `unreachable` trips without a way,
        `facilities_off` facilities without a road near them.
    """

    trips: tuple[Trips, ...]
    counts: Mapping[str, int]


def make_trips(
    network: RoadNetwork,
    clusters: Mapping[str, NDArray[Any]],
    sample: Ints,
    lat: Floats,
    lon: Floats,
    progress: Progress,
) -> Sample:
    """Road and straight-line lengths between facilities and sampled clusters.

    Parameters
    ----------
    network : RoadNetwork
        The roads and every cluster's landing.
    clusters : mapping of str to ndarray, shape (n,)
        lat and lon [degrees].
    sample : ndarray of int64
        Clusters to look at; those without a landing are left out.
    lat, lon : ndarray of float64, shape (f,)
        Facilities [degrees].
    progress : Progress
        Told of every facility.

    Returns
    -------
    Sample
        By `simulators.road_graph.search`, the very search that answers use.
    """
    graph = RoadGraph.from_network(network)
    sample = sample[network.landing_node[sample] >= 0]
    c_lat, c_lon = (np.asarray(clusters[name], dtype=np.float64)[sample] for name in ("lat", "lon"))
    node, leg_km = network.landing_node[sample], network.landing_km[sample].astype(np.float64)
    trips: list[Trips] = []
    clamped = unreachable = off = 0
    for k in range(lat.size):
        found = search(graph, float(lat[k]), float(lon[k]), REACH_FACTOR * BANDS_KM[-1])
        progress.advance(1)
        if found.snapped_node < 0:
            off += 1
            continue
        straight = haversine_km(lat[k], lon[k], c_lat, c_lon)
        near = np.flatnonzero((straight >= SHORTEST_KM) & (straight < BANDS_KM[-1]))
        road = found.road_km[node[near]] + leg_km[near]
        known = np.isfinite(road)
        unreachable += int(np.count_nonzero(~known))
        near, road = near[known], road[known]
        clamped += int(np.count_nonzero(road < straight[near]))
        trips.append(Trips(k, sample[near], straight[near], np.maximum(road, straight[near])))
    return Sample(tuple(trips), {"clamped": clamped, "unreachable": unreachable, "facilities_off": off})


def spatial_folds(lat: Floats, lon: Floats, folds: int, seed: int, block_km: float = _BLOCK_KM) -> Ints:
    """Put points into folds by blocks of country, so that no fold is learnt from next door.

    Parameters
    ----------
    lat, lon : ndarray of float64, shape (k,)
        Points [degrees].
    folds : int
        How many.
    seed : int
        Decides the order of the blocks.
    block_km : float, optional
        Side of a block [km].

    Returns
    -------
    ndarray of int64, shape (k,)
        Fold of each point. Blocks come in random order, each to the fold that holds the fewest points so far.
    """
    x, y = to_albers_m(lat, lon)
    key = np.floor(y / (1000 * block_km)).astype(np.int64) * 100_000 + np.floor(x / (1000 * block_km)).astype(np.int64)
    blocks, block = np.unique(key, return_inverse=True)
    size = np.bincount(block)
    held = np.zeros(folds, dtype=np.int64)
    fold_of = np.zeros(blocks.size, dtype=np.int64)
    for b in np.random.default_rng(seed).permutation(blocks.size):
        fold_of[b] = int(np.argmin(held))
        held[fold_of[b]] += size[b]
    return np.asarray(fold_of[block])
