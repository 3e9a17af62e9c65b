"""The road node nearest to a point."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from csrag.geo import EARTH_RADIUS_KM, haversine_km

if TYPE_CHECKING:
    from csrag.simulators.road_graph import RoadGraph

SNAP_CAP_KM = 20.0
"""A point farther than this from every road node is not on the network (assumed)."""
FRAGMENT_NODES = 50
"""A piece of the network of fewer nodes, cut off from the rest, is taken for an error of the map and not joined."""
_BRUTE_POINTS = 64
"""From so many points on, building a k-d tree is quicker than looking at the nodes once for each."""


def snap(
    graph: RoadGraph,
    lat: ArrayLike,
    lon: ArrayLike,
    cap_km: float = SNAP_CAP_KM,
    usable: NDArray[np.bool_] | None = None,
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Nearest road node of each point; nodes without a road are passed over.

    Parameters
    ----------
    graph : RoadGraph
        The network.
    lat, lon : array_like of float, shape (k,)
        Points [degrees].
    cap_km : float
        Farther than this is not on the network [km].
    usable : ndarray of bool, shape (n,), optional
        Nodes that may be joined; all that a road leads to by default.

    Returns
    -------
    node : ndarray of int32, shape (k,)
        Nearest node; -1 beyond the cap or for a point that is no number.
    distance_km : ndarray of float32, shape (k,)
        Straight-line distance to it [km]; NaN where there is none.
    """
    usable = graph.roaded if usable is None else graph.roaded & usable
    lats, lons = np.atleast_1d(np.asarray(lat, np.float64)), np.atleast_1d(np.asarray(lon, np.float64))
    if lats.size < _BRUTE_POINTS:
        found = [nearest(graph, y, x, cap_km, usable) for y, x in zip(lats.tolist(), lons.tolist(), strict=True)]
        return (
            np.array([node for node, _ in found], dtype=np.int32),
            np.array([away for _, away in found], dtype=np.float32),
        )
    # Building time only: the k-d tree's import alone costs more than a question may.
    from scipy.spatial import cKDTree

    node = np.full(lats.size, -1, dtype=np.int32)
    away = np.full(lats.size, np.nan, dtype=np.float32)
    roaded = np.flatnonzero(usable)
    known = np.flatnonzero(np.isfinite(lats) & np.isfinite(lons))
    if roaded.size and known.size:
        tree = cKDTree(_unit_vectors(graph.node_lat[roaded], graph.node_lon[roaded]))
        # A chord a little longer than the cap's: what the tree leaves out is surely beyond.
        chord = 2 * np.sin(min(cap_km / EARTH_RADIUS_KM, np.pi) / 2) * (1 + 1e-6) + 1e-9
        found = tree.query(_unit_vectors(lats[known], lons[known]), distance_upper_bound=chord)[1]
        known, hit = known[found < roaded.size], roaded[found[found < roaded.size]]
        distance = haversine_km(lats[known], lons[known], graph.node_lat[hit], graph.node_lon[hit])
        near = distance <= cap_km
        node[known[near]], away[known[near]] = hit[near], distance[near]
    return node, away


def fragment_limit(nodes: int) -> int:
    """Pieces of fewer nodes are fragments: `FRAGMENT_NODES`, but never more than a tenth of the network."""
    return min(FRAGMENT_NODES, nodes // 10)


def join(graph: RoadGraph, lat_deg: float, lon_deg: float, cap_km: float) -> tuple[int, float, int]:
    """Node that a facility joins, its distance [km], and how many fragments nearer than it were passed over.

    The nearest node is taken after all where nothing but fragments lies within the cap.
    """
    usable = graph.roaded
    node, away = first = nearest(graph, lat_deg, lon_deg, cap_km, usable)
    passed = 0
    while node >= 0:
        piece = _fragment(graph, node)
        if not piece:
            return node, away, passed
        usable = usable.copy() if passed == 0 else usable
        usable[piece] = False
        passed += 1
        node, away = nearest(graph, lat_deg, lon_deg, cap_km, usable)
    return *first, 0


def _fragment(graph: RoadGraph, node: int) -> list[int]:
    """All nodes of the piece that a node lies in where that is a fragment, else none."""
    limit = fragment_limit(len(graph))
    seen, left = {node}, [node]
    while left and len(seen) < limit:
        at = left.pop()
        for to in graph.neighbour[graph.indptr[at] : graph.indptr[at + 1]].tolist():
            if to not in seen:
                seen.add(to)
                left.append(to)
    return sorted(seen) if len(seen) < limit else []


def nearest(
    graph: RoadGraph, lat_deg: float, lon_deg: float, cap_km: float, usable: NDArray[np.bool_] | None = None
) -> tuple[int, float]:
    """Nearest road node of one point and its distance [km]; (-1, NaN) beyond the cap. `usable` is as in `snap`.

    A box of a few km is looked at first, then larger ones: over ordered arrays that is quicker than any index that
    would have to be read first.
    """
    usable = graph.roaded if usable is None else usable
    box_km = min(3.0, cap_km)
    while np.isfinite(lat_deg) and np.isfinite(lon_deg):
        high = np.degrees(box_km / 6371.0) * 1.01
        wide = high / max(np.cos(np.radians(abs(lat_deg) + high)), 1e-6)
        inside = usable & (np.abs(graph.node_lat - lat_deg) <= high) & (np.abs(graph.node_lon - lon_deg) <= wide)
        at = np.flatnonzero(inside)
        if at.size:
            away = haversine_km(lat_deg, lon_deg, graph.node_lat[at], graph.node_lon[at])
            best = int(np.argmin(away))
            if away[best] <= box_km:
                return int(at[best]), float(away[best])
        if box_km >= cap_km:
            break
        box_km = min(box_km * 3, cap_km)
    return -1, float("nan")


def _unit_vectors(lat: NDArray[np.float64], lon: NDArray[np.float64]) -> NDArray[np.float64]:
    y, x = np.radians(lat), np.radians(lon)
    return np.column_stack([np.cos(y) * np.cos(x), np.cos(y) * np.sin(x), np.sin(y)])
