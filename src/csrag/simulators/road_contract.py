"""The road graph without the nodes that only pass a road on.

A node with exactly two neighbours lies inside a chain; a search need only look at the chains' ends. What lies inside
follows from the two ends and the distances to them. Chains are walked by pointer doubling, so the work is a few array
operations however long they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Contraction:
    """Core nodes with the chains between them, and where every node lies on its chain.

    Parameters
    ----------
    node : ndarray of int64, shape (c,)
        Graph node of each core node.
    indptr, neighbour : ndarray of int64, shapes (c + 1,), (a,)
        The core graph in compressed rows; parallel chains keep the fastest, chains back to the same node are dropped.
    km, hours : ndarray of float64, shape (a,)
        Length and time of each chain, the same in both directions [km, hours].
    end : ndarray of int64, shape (2, n)
        Core nodes at the two ends of each node's chain; a core node's own number twice.
    end_km, end_hours : ndarray of float64, shape (2, n)
        Way along the chain to those ends [km, hours].
    chain : ndarray of int64, shape (n,)
        Number that the nodes inside one chain share; -1 for a core node.
    """

    node: Ints
    indptr: Ints
    neighbour: Ints
    km: Floats
    hours: Floats
    end: Ints
    end_km: Floats
    end_hours: Floats
    chain: Ints

    def __len__(self) -> int:
        return int(self.node.size)

    @cached_property
    def tail(self) -> Ints:
        """Core node that each core arc leaves, shape (a,)."""
        return np.repeat(np.arange(len(self)), np.diff(self.indptr))

    @cached_property
    def rows(self) -> tuple[list[int], list[int], list[float]]:
        """First arcs, neighbours and hours as lists, which plain Python reads quicker than arrays."""
        return self.indptr.tolist(), self.neighbour.tolist(), self.hours.tolist()


def contract(
    indptr: NDArray[np.int32], neighbour: NDArray[np.int32], km: NDArray[np.float32], hours: NDArray[np.float32]
) -> Contraction:
    """Contract an undirected graph without loops and parallel edges.

    Parameters
    ----------
    indptr, neighbour : ndarray of int32, shapes (n + 1,), (m,)
        Compressed rows, each edge stored from both ends.
    km, hours : ndarray of float32, shape (m,)
        Lengths and times [km, hours].

    Returns
    -------
    Contraction
        Of every node. A ring without a junction keeps its lowest node as its only core node.
    """
    first, head = indptr.astype(np.int64), neighbour.astype(np.int64)
    degree = np.diff(first)
    n = degree.size
    tail = np.repeat(np.arange(n), degree)
    core = degree != 2
    while True:
        walked = _walk(first, head, tail, core, km.astype(np.float64), hours.astype(np.float64))
        if not walked.endless.size:
            break
        core[_lowest_of_rings(walked.endless, first, head, tail)] = True
    number = np.cumsum(core) - 1
    node = np.flatnonzero(core)

    # The arc that enters an end names that side of the chain; the lower one is side 0 and names the chain.
    inner = np.flatnonzero(~core)
    sides = first[inner] + np.array([[0], [1]])
    swap = walked.last[sides[0]] > walked.last[sides[1]]
    sides[:, swap] = sides[::-1, swap]
    end = np.tile(number, (2, 1))
    end_km, end_hours = np.zeros((2, n)), np.zeros((2, n))
    chain = np.full(n, -1, dtype=np.int64)
    end[:, inner] = number[walked.end[sides]]
    end_km[:, inner], end_hours[:, inner] = walked.km[sides], walked.hours[sides]
    chain[inner] = walked.last[sides[0]]

    out = np.flatnonzero(core[tail])
    a, b = number[tail[out]], number[walked.end[out]]
    out, a, b = out[a != b], a[a != b], b[a != b]
    return _core_graph(node, a, b, walked.km[out], walked.hours[out], end, end_km, end_hours, chain)


def _core_graph(
    node: Ints, a: Ints, b: Ints, km: Floats, hours: Floats, end: Ints, end_km: Floats, end_hours: Floats, chain: Ints
) -> Contraction:
    """Rows of the core graph from its chains, each given from both ends and summed in two orders; one sum serves both."""
    low, high = np.minimum(a, b), np.maximum(a, b)
    ranked = np.lexsort((a > b, km, hours, high, low))
    low, high = low[ranked], high[ranked]
    best = np.ones(low.size, dtype=bool)
    best[1:] = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
    low, high, kept = low[best], high[best], ranked[best]
    tail, head = np.concatenate([low, high]), np.concatenate([high, low])
    arcs = np.lexsort((head, tail))
    indptr = np.zeros(node.size + 1, dtype=np.int64)
    np.cumsum(np.bincount(tail, minlength=node.size), out=indptr[1:])
    return Contraction(
        node,
        indptr,
        head[arcs],
        np.tile(km[kept], 2)[arcs],
        np.tile(hours[kept], 2)[arcs],
        end,
        end_km,
        end_hours,
        chain,
    )


@dataclass(frozen=True)
class _Walked:
    """Where each arc leads when followed to the next core node, and the arcs that go round for ever."""

    end: Ints
    last: Ints
    km: Floats
    hours: Floats
    endless: Ints


def _walk(first: Ints, head: Ints, tail: Ints, core: NDArray[np.bool_], km: Floats, hours: Floats) -> _Walked:
    last = np.arange(head.size)
    going = np.flatnonzero(~core[head])
    # The way on from an inner node is its other arc, the one that does not lead back.
    at = first[head[going]]
    follow = np.full(head.size, -1, dtype=np.int64)
    follow[going] = at + (head[at] == tail[going])
    rounds = 0
    while going.size and rounds <= int(head.size).bit_length():
        on = follow[going]
        km[going], hours[going] = km[going] + km[on], hours[going] + hours[on]
        last[going], follow[going] = last[on], follow[on]
        going = going[follow[going] >= 0]
        rounds += 1
    return _Walked(head[last], last, km, hours, going)


def _lowest_of_rings(arcs: Ints, first: Ints, head: Ints, tail: Ints) -> list[int]:
    """Lowest node of every ring among arcs that go round."""
    left = set(tail[arcs].tolist())
    lowest = []
    while left:
        start = before = min(left)
        lowest.append(start)
        at = int(head[first[start]])
        left.discard(start)
        while at != start:
            left.discard(at)
            one, other = int(head[first[at]]), int(head[first[at] + 1])
            before, at = at, (other if one == before else one)
    return lowest
