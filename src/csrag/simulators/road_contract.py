"""The road graph without the nodes that only pass a road on.

A node with exactly two neighbours lies inside a chain; a search need only look at the chains' ends. What lies inside
follows from the two ends and the distances to them. All chains are walked at once, so that the work is a few array
operations for each step of the longest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
_LONGEST = 256
"""Steps into a chain after which it is cut: all chains are walked at once, a step of the longest costs one of all."""
_EVERY = 64


@dataclass(frozen=True)
class Contraction:
    """Core nodes with the chains between them, and where every node lies on its chain.

    Parameters
    ----------
    node : ndarray of int, shape (c,)
        Graph node of each core node.
    indptr, neighbour : ndarray of int, shapes (c + 1,), (a,)
        The core graph in compressed rows; parallel chains keep the fastest, chains back to the same node are dropped.
    km, hours : ndarray of float64, shape (a,)
        Length and time of each chain, the same in both directions [km, hours].
    end : ndarray of int, shape (2, n)
        Core nodes at the two ends of each node's chain; a core node's own number twice.
    end_km, end_hours : ndarray of float64, shape (2, n)
        Way along the chain to those ends [km, hours].
    chain : ndarray of int, shape (n,)
        Number that the nodes inside one chain share; -1 for a core node.
    """

    node: NDArray[np.integer[Any]]
    indptr: NDArray[np.integer[Any]]
    neighbour: NDArray[np.integer[Any]]
    km: Floats
    hours: Floats
    end: NDArray[np.integer[Any]]
    end_km: Floats
    end_hours: Floats
    chain: NDArray[np.integer[Any]]

    def __len__(self) -> int:
        return int(self.node.size)

    @classmethod
    def from_columns(cls, columns: Mapping[str, NDArray[Any]]) -> Contraction:
        """Contraction as a layer set stores it (`catalog.CORE_COLUMNS`); the large arrays are not copied."""
        return cls(**{name: columns[f"core_{name}"] for name in cls.__dataclass_fields__})

    def to_columns(self) -> dict[str, NDArray[Any]]:
        """The arrays under the names that a layer set stores."""
        return {f"core_{name}": getattr(self, name) for name in self.__dataclass_fields__}

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
        Of every node. Rings without a junction, and chains too long to walk, keep some inner nodes as core nodes.
    """
    first, head = indptr.astype(np.int64), neighbour.astype(np.int64)
    length, time = km.astype(np.float64), hours.astype(np.float64)
    degree = np.diff(first)
    core = degree != 2
    while True:
        walks = _walk(first, head, core, length, time)
        seen = core.copy()
        for step in walks.steps:
            seen[step.node] = True
        if not walks.cut.size and seen.all():
            break
        # Long chains are cut where the walks stopped. Nodes that none of them saw lie in their middles, or in rings,
        # which have a node lower than both of its neighbours.
        core[walks.cut] = True
        lost = np.flatnonzero(~seen)
        lowest = (lost < head[first[lost]]) & (lost < head[first[lost] + 1])
        core[lost[lowest | (lost % _EVERY == 0)]] = True
    return _contraction(degree, head, core, walks)


@dataclass(frozen=True)
class _Step:
    """The inner nodes that some walks reach in one step, and the way from where each walk began."""

    node: Ints
    walk: Ints
    km: Floats
    hours: Floats


@dataclass(frozen=True)
class _Walks:
    """One walk from each core node into each of its arcs, up to the next core node."""

    arc: Ints
    last: Ints
    """Node before the one that the walk ends at; the start itself where that is the next node."""
    end: Ints
    km: Floats
    hours: Floats
    steps: list[_Step]
    cut: Ints
    """Inner nodes at which walks stopped because they had become too long."""


def _walk(first: Ints, head: Ints, core: NDArray[np.bool_], km: Floats, hours: Floats) -> _Walks:
    """All walks at once, a node a step, so many steps at most."""
    start = np.flatnonzero(core)
    degree = first[start + 1] - first[start]
    arc = np.repeat(first[start] - np.cumsum(degree) + degree, degree) + np.arange(degree.sum())
    before = np.repeat(start, degree)
    way_km, way_hours = km[arc], hours[arc]
    last, end = before.copy(), head[arc]
    walk = np.flatnonzero(~core[end])
    at, before = end[walk], before[walk]
    steps: list[_Step] = []
    go_km, go_hours = way_km[walk], way_hours[walk]
    while walk.size and len(steps) < _LONGEST:
        steps.append(_Step(at, walk, go_km, go_hours))
        # The way on from an inner node is its other arc, the one that does not lead back.
        on = first[at]
        on = on + (head[on] == before)
        go_km, go_hours = go_km + km[on], go_hours + hours[on]
        before, at = at, head[on]
        there = core[at]
        done = walk[there]
        last[done], end[done], way_km[done], way_hours[done] = before[there], at[there], go_km[there], go_hours[there]
        there = ~there
        walk, at, before, go_km, go_hours = walk[there], at[there], before[there], go_km[there], go_hours[there]
    return _Walks(arc, last, end, way_km, way_hours, steps, at)


def _contraction(degree: Ints, head: Ints, core: NDArray[np.bool_], walks: _Walks) -> Contraction:
    """Core graph, and each inner node's place, from walks that saw every node from both sides."""
    n = core.size
    node = np.flatnonzero(core)
    number = np.cumsum(core) - 1
    start = np.repeat(node, degree[node])
    # Each chain is walked from both ends; the walk from the lower end is side 0 and names the chain. Where both ends are
    # one node, the lower first step decides.
    lower = (start < walks.end) | ((start == walks.end) & (head[walks.arc] < walks.last))
    end = np.tile(number, (2, 1))
    end_km, end_hours = np.zeros((2, n)), np.zeros((2, n))
    chain = np.full(n, -1, dtype=np.int64)
    if walks.steps:
        at, walk = (np.concatenate([getattr(step, name) for step in walks.steps]) for name in ("node", "walk"))
        km, hours = (np.concatenate([getattr(step, name) for step in walks.steps]) for name in ("km", "hours"))
        named = lower[walk]
        place = np.where(named, at, at + n)
        end.reshape(-1)[place] = number[start][walk]
        end_km.reshape(-1)[place], end_hours.reshape(-1)[place] = km, hours
        chain[at[named]] = walk[named]
    # The sum from the lower end serves both directions: in another order of adding it would differ in its last bits.
    up = np.flatnonzero(start < walks.end)
    rows = _rows(node.size, number[start[up]], number[walks.end[up]], walks.km[up], walks.hours[up])
    return Contraction(node, *rows, end, end_km, end_hours, chain)


def _rows(c: int, low: Ints, high: Ints, km: Floats, hours: Floats) -> tuple[Ints, Ints, Floats, Floats]:
    """Compressed rows of the core graph, the fastest of parallel chains kept, from chains each given once."""
    key = low * c + high
    ranked = np.argsort(key, kind="stable")
    twice = key[ranked][1:] == key[ranked][:-1]
    if twice.any():
        run = np.append(False, twice) | np.append(twice, False)
        some = ranked[run]
        ranked[run] = some[np.lexsort((km[some], hours[some], key[some]))]
        ranked = ranked[np.append(True, ~twice)]
    low, high, km, hours = low[ranked], high[ranked], km[ranked], hours[ranked]
    tail, head = np.concatenate([low, high]), np.concatenate([high, low])
    arcs = np.argsort(tail * c + head)
    indptr = np.zeros(c + 1, dtype=np.int64)
    np.cumsum(np.bincount(tail, minlength=c), out=indptr[1:])
    return indptr, head[arcs], np.tile(km, 2)[arcs], np.tile(hours, 2)[arcs]
