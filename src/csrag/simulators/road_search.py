"""One search from a facility over the road graph: distance and hours to every node in reach."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from csrag.simulators.road_snap import SNAP_CAP_KM, nearest

if TYPE_CHECKING:
    from csrag.simulators.road_graph import RoadGraph

SNAP_FACTOR = 1.3
"""Road over straight-line distance between a facility and the node it snaps to (assumed)."""
SNAP_KM_PER_H = 25.0
"""Speed on that leg [km per hour], that of a forest or yard road (assumed)."""


@dataclass(frozen=True)
class Reach:
    """What one search found.

    Parameters
    ----------
    road_km : ndarray of float64, shape (n,)
        Road distance from the facility along the fastest way [km]; NaN beyond the reach or where no road leads.
    hours : ndarray of float64, shape (n,)
        Driving time of that way [hours]; NaN likewise.
    snapped_node : int
        Node that the facility joins; -1 where none is near enough.
    snap_km : float
        Straight-line distance to it [km]; NaN where there is none.
    reason : str
        Why nothing was reached; empty where something was.
    """

    road_km: NDArray[np.float64]
    hours: NDArray[np.float64]
    snapped_node: int
    snap_km: float
    reason: str = ""


def search(
    graph: RoadGraph, lat_deg: float, lon_deg: float, reach_km: float, *, snap_cap_km: float = SNAP_CAP_KM
) -> Reach:
    """Fastest ways from a facility to every road node within reach.

    Parameters
    ----------
    graph : RoadGraph
        The network.
    lat_deg, lon_deg : float
        The facility [degrees].
    reach_km : float
        Longest road distance wanted [km], measured along the fastest way, the facility's own leg included.
    snap_cap_km : float
        Farthest road node that the facility may join [km].

    Returns
    -------
    Reach
        A node counts as reached when its fastest way is no longer than `reach_km`: a larger reach adds nodes and
        changes none.

    Notes
    -----
    Dijkstra (1959), Numerische Mathematik 1:269-271, on hours; the km are those of the same way.
    """
    n = len(graph)
    nothing = np.full(n, np.nan)
    node, away = nearest(graph, float(lat_deg), float(lon_deg), snap_cap_km)
    if node < 0:
        return Reach(nothing, nothing.copy(), -1, float("nan"), f"no road within {snap_cap_km:g} km of the site")
    km, hours = nothing, nothing.copy()
    start_km = away * SNAP_FACTOR
    heap = [(start_km / SNAP_KM_PER_H, start_km, node)]
    while heap:
        t, d, at = heapq.heappop(heap)
        if not np.isnan(hours[at]):
            continue
        hours[at], km[at] = t, d
        for arc in range(graph.indptr[at], graph.indptr[at + 1]):
            to = int(graph.neighbour[arc])
            if np.isnan(hours[to]):
                heapq.heappush(heap, (t + float(graph.hours[arc]), d + float(graph.km[arc]), to))
    beyond = ~(km <= reach_km)
    km[beyond] = hours[beyond] = np.nan
    return Reach(km, hours, node, away)
