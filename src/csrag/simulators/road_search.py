"""One search from a facility over the road graph: distance and hours to every node in reach."""

from __future__ import annotations

import heapq
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from csrag.simulators.road_contract import Contraction
from csrag.simulators.road_snap import SNAP_CAP_KM, join

if TYPE_CHECKING:
    from csrag.simulators.road_graph import RoadGraph

SNAP_FACTOR = 1.3
"""Road over straight-line distance between a facility and the node it snaps to (assumed)."""
SNAP_KM_PER_H = 25.0
"""Speed on that leg [km per hour], that of a forest or yard road (assumed)."""
HEAP_CORE_NODES = 60_000
"""Up to so many core nodes plain Python is done before SciPy would be imported."""
_FIRST_KM_PER_H = 45.0
_WIDER = 1.5


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
    fragments : int
        Small pieces of the network, cut off from the rest, that lie nearer and were passed over.
    """

    road_km: NDArray[np.float64]
    hours: NDArray[np.float64]
    snapped_node: int
    snap_km: float
    reason: str = ""
    fragments: int = 0


def search(
    graph: RoadGraph, lat_deg: float, lon_deg: float, reach_km: float, *,
    snap_cap_km: float = SNAP_CAP_KM, engine: str | None = None,
) -> Reach:  # fmt: skip
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
    engine : str, optional
        "heap" or "scipy"; by default SciPy's where it is loaded anyway or the graph is large. Both give the same bits.

    Returns
    -------
    Reach
        A node counts as reached when its fastest way is no longer than `reach_km`: a larger reach adds nodes and
        changes none.

    Notes
    -----
    Dijkstra (1959), Numerische Mathematik 1:269-271, on hours over the contracted graph; the km are those of the same
    way. The search stops at a limit in hours and goes on while any way that ends there could still be within `reach_km`.
    """
    node, away, passed = join(graph, float(lat_deg), float(lon_deg), snap_cap_km)
    if node < 0:
        nothing = np.full(len(graph), np.nan)
        reason = f"no road within {snap_cap_km:g} km of the site"
        return Reach(nothing, nothing.copy(), -1, float("nan"), reason)
    km, hours = from_node(graph.contraction, node, reach_km - away * SNAP_FACTOR, engine)
    km += away * SNAP_FACTOR
    hours += away * SNAP_FACTOR / SNAP_KM_PER_H
    reason = "" if np.isfinite(km).any() else f"the way to the nearest road alone is longer than {reach_km:g} km"
    return Reach(km, hours, node, away, reason, passed)


def from_node(
    core: Contraction, node: int, reach_km: float, engine: str | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Fastest ways from one node of the graph to all; see `search`.

    Parameters
    ----------
    core : Contraction
        The graph.
    node : int
        Where the ways start, as index of a graph node.
    reach_km : float
        Longest way wanted [km].
    engine : str, optional
        See `search`.

    Returns
    -------
    km, hours : ndarray of float64, shape (n,)
        Along the fastest way [km, hours]; NaN beyond the reach or unreachable.
    """
    if engine is None:
        loaded = "scipy.sparse.csgraph" in sys.modules
        engine = "scipy" if loaded or len(core) > HEAP_CORE_NODES else "heap"
    # Inside a chain the ways start at both of its ends, each with the way there.
    starts = {int(core.end[0, node]): (float(core.end_hours[0, node]), float(core.end_km[0, node]))}
    other = int(core.end[1, node])
    there = (float(core.end_hours[1, node]), float(core.end_km[1, node]))
    starts[other] = min(starts.get(other, there), there)
    run: _Engine = _SciPy(core, starts) if engine == "scipy" else _Heap(core, starts)
    limit = max(reach_km, 0.0) / _FIRST_KM_PER_H
    while True:
        dist = run.until(limit)
        core_km = _km_along(core, starts, dist)
        if _may_go_on(core, starts, dist, core_km, reach_km):
            limit *= _WIDER
            continue
        km, hours = _inside_chains(core, node, dist, core_km)
        beyond = ~(km <= reach_km)
        km[beyond] = hours[beyond] = np.nan
        # Deep in a chain a way of more hours than the limit may still lose against one from the chain's open end.
        latest = float(np.fmax.reduce(hours, initial=0.0))
        if latest <= limit:
            return km, hours
        limit = latest


class _Engine(Protocol):
    """A search that can be taken further."""

    def until(self, limit: float) -> NDArray[np.float64]:
        """Hours to every core node up to a limit [hours]; infinite beyond."""
        ...


class _Heap:
    """Binary heap in plain Python; keeps its state, so that a wider limit goes on where it stopped."""

    def __init__(self, core: Contraction, starts: dict[int, tuple[float, float]]) -> None:
        self._core = core
        self._best = [np.inf] * len(core)
        for node, (hours, _) in starts.items():
            self._best[node] = hours
        self._heap = sorted((hours, node) for node, (hours, _) in starts.items())

    def until(self, limit: float) -> NDArray[np.float64]:
        first, neighbour, hours = self._core.rows
        best, heap = self._best, self._heap
        push, pop = heapq.heappush, heapq.heappop
        while heap and heap[0][0] <= limit:
            at_hours, at = pop(heap)
            if at_hours > best[at]:
                continue
            for arc in range(first[at], first[at + 1]):
                to, found = neighbour[arc], at_hours + hours[arc]
                if found < best[to]:
                    best[to] = found
                    push(heap, (found, to))
        out = np.array(best)
        out[out > limit] = np.inf
        return out


class _SciPy:
    """`scipy.sparse.csgraph.dijkstra` from a node of its own that leads to the starts."""

    def __init__(self, core: Contraction, starts: dict[int, tuple[float, float]]) -> None:
        from scipy.sparse import csr_matrix

        n = len(core)
        self._free = [node for node, (hours, _) in starts.items() if hours == 0.0]
        indptr = np.append(core.indptr, core.indptr[-1] + len(starts)).astype(np.int32)
        heads = np.concatenate([core.neighbour, list(starts)]).astype(np.int32)
        hours = np.concatenate([core.hours, [hours for hours, _ in starts.values()]])
        self._links = csr_matrix((hours, heads, indptr), shape=(n + 1, n + 1))
        self._source = n

    def until(self, limit: float) -> NDArray[np.float64]:
        from scipy.sparse.csgraph import dijkstra

        # A link of zero hours is no link in a sparse matrix: a core node is itself the source.
        source = self._free[0] if self._free else self._source
        found = np.asarray(dijkstra(self._links, indices=source, limit=limit), dtype=np.float64)[:-1]
        found[found > limit] = np.inf
        return found


def _km_along(
    core: Contraction, starts: dict[int, tuple[float, float]], dist: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Length of the fastest way to each core node, infinite where there is none.

    The way before last of a node is the first of its arcs that explains its hours to the last bit; both engines find the
    same hours, so both get the same way. Lengths are summed by pointer doubling.
    """
    n = dist.size
    parent, km = np.arange(n), np.zeros(n)
    before = dist[core.neighbour]
    explains = np.flatnonzero((before + core.hours == dist[core.tail]) & (before < dist[core.tail]))[::-1]
    # Of repeated targets the last assignment stays: the first arc of each row.
    parent[core.tail[explains]] = core.neighbour[explains]
    km[core.tail[explains]] = core.km[explains]
    base = np.full(n, np.inf)
    for node, (hours, way) in starts.items():
        if dist[node] == hours:
            parent[node], km[node], base[node] = node, 0.0, way
    while True:
        further = parent[parent]
        km += np.where(further == parent, 0.0, km[parent])
        if np.array_equal(further, parent):
            return np.asarray(km + base[parent], dtype=np.float64)
        parent = further


def _may_go_on(
    core: Contraction, starts: dict[int, tuple[float, float]], dist: NDArray[np.float64], km: NDArray[np.float64],
    reach_km: float,
) -> bool:  # fmt: skip
    """Whether some way over the limit might still be within reach: one that leaves what is settled, or did not start."""
    settled = np.isfinite(dist)
    if any(way <= reach_km and not settled[node] for node, (_, way) in starts.items()):
        return True
    leaves = settled[core.tail] & ~settled[core.neighbour]
    return bool((km[core.tail[leaves]] + core.km[leaves] <= reach_km).any())


def _inside_chains(
    core: Contraction, node: int, dist: NDArray[np.float64], km: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Km and hours of every node from the ends of its chain; on the starting node's own chain also along it."""
    hours, way = dist[core.end[0]] + core.end_hours[0], km[core.end[0]] + core.end_km[0]
    other_hours, other_way = dist[core.end[1]] + core.end_hours[1], km[core.end[1]] + core.end_km[1]
    faster = (other_hours < hours) | ((other_hours == hours) & (other_way < way))
    np.copyto(hours, other_hours, where=faster)
    np.copyto(way, other_way, where=faster)
    own = np.flatnonzero(core.chain == core.chain[node]) if core.chain[node] >= 0 else np.array([node])
    direct = np.abs(core.end_hours[0, own] - core.end_hours[0, node])
    quicker = direct <= hours[own]
    hours[own[quicker]] = direct[quicker]
    way[own[quicker]] = np.abs(core.end_km[0, own] - core.end_km[0, node])[quicker]
    return way, hours
