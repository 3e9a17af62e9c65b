"""A road network as a compact graph: from edges to arrays, and the nearest node of a point.

The graph is undirected: a truck goes out empty and comes back loaded on the same roads, so one-way streets are driven
both ways. Nodes lie in Morton order, near ones near in memory: a search then reads a quarter of the cache lines.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from csrag.errors import InvalidValueError
from csrag.geo import haversine_km
from csrag.simulators.road_contract import Contraction, contract
from csrag.simulators.road_search import Reach, search
from csrag.simulators.road_snap import SNAP_CAP_KM, snap
from csrag.surfaces.roads import RoadNetwork

__all__ = ["SNAP_CAP_KM", "Reach", "RoadGraph", "search", "snap", "spatial_order"]

_GRAPHS: WeakKeyDictionary[RoadNetwork, RoadGraph] = WeakKeyDictionary()
"""Graphs of networks in use: a session contracts its network once."""
_LENGTH_SLACK = 0.005
"""Sphere and ellipsoid differ by up to half a percent."""


@dataclass(frozen=True, eq=False)
class RoadGraph:
    """An undirected road graph in compressed rows, each edge stored from both of its ends.

    Parameters
    ----------
    node_lat, node_lon : ndarray of float64, shape (n,)
        Positions, in spatial order [degrees].
    indptr : ndarray of int32, shape (n + 1,)
        First arc of each node.
    neighbour : ndarray of int32, shape (m,)
        Node at the far end of each arc, ascending within a node.
    km : ndarray of float32, shape (m,)
        Length [km], never less than the straight line between the ends.
    hours : ndarray of float32, shape (m,)
        Driving time [hours].
    counts : mapping of str to int
        What `from_edges` left out or mended: `loops`, `parallel`, `lifted`.
    """

    node_lat: NDArray[np.float64]
    node_lon: NDArray[np.float64]
    indptr: NDArray[np.int32]
    neighbour: NDArray[np.int32]
    km: NDArray[np.float32]
    hours: NDArray[np.float32]
    counts: Mapping[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return int(self.node_lat.shape[0])

    @property
    def edges(self) -> int:
        """Number of undirected edges."""
        return int(self.neighbour.shape[0]) // 2

    @classmethod
    def from_network(cls, network: RoadNetwork) -> RoadGraph:
        """The graph of a stored network; no array is copied, and the same network gives the same graph."""
        known = _GRAPHS.get(network)
        if known is None:
            known = _GRAPHS[network] = cls(
                network.node_lat, network.node_lon, network.indptr, network.neighbour, network.km, network.hours
            )
            if network.core is not None:
                # Where a cached property keeps its value: it is read, not worked out.
                known.__dict__["contraction"] = Contraction.from_columns(network.core)
        return known

    @classmethod
    def from_edges(
        cls, lat: ArrayLike, lon: ArrayLike, u: ArrayLike, v: ArrayLike, km: ArrayLike, hours: ArrayLike
    ) -> RoadGraph:
        """Graph from nodes and undirected edges.

        Parameters
        ----------
        lat, lon : array_like of float, shape (n,)
            Node positions [degrees]. The graph's nodes are these in the order `spatial_order(lat, lon)`: nodes already
            in that order keep their numbers.
        u, v : array_like of int, shape (k,)
            Ends of each edge, as index into `lat`.
        km, hours : array_like of float, shape (k,)
            Length [km] and driving time [hours].

        Returns
        -------
        RoadGraph
            Loops are dropped; of parallel edges the fastest stays (the shorter of equally fast ones); an edge shorter
            than the straight line between its ends is lifted to it at its own speed. `counts` says how many.

        Raises
        ------
        InvalidValueError
            For arrays of unequal length, positions that are no numbers or swapped, ends that are no node, and lengths or
            times that are not greater than zero: an unknown length is missing, never free.
        """
        lats, lons = np.array(lat, dtype=np.float64), np.array(lon, dtype=np.float64)
        ends = np.asarray(u), np.asarray(v)
        length, time = np.array(km, dtype=np.float64), np.array(hours, dtype=np.float64)
        _check(lats, lons, ends, length, time)
        order = spatial_order(lats, lons)
        place = np.empty(order.size, dtype=np.int64)
        place[order] = np.arange(order.size)
        lats, lons = lats[order], lons[order]
        a, b = (place[np.asarray(end, dtype=np.int64)] for end in ends)
        a, b = np.minimum(a, b), np.maximum(a, b)

        straight = haversine_km(lats[a], lons[a], lats[b], lons[b])
        apart = a != b
        # Every too short edge is lifted; it counts as wrong only beyond what another ellipsoid or rounding explains.
        wrong = apart & (length < straight * (1 - _LENGTH_SLACK))
        short = length < straight
        time[short] *= straight[short] / length[short]
        length[short] = straight[short]
        a, b, length, time = a[apart], b[apart], length[apart], time[apart]
        ranked = np.lexsort((length, time, b, a))
        a, b = a[ranked], b[ranked]
        first = np.ones(a.size, dtype=bool)
        first[1:] = (a[1:] != a[:-1]) | (b[1:] != b[:-1])
        a, b, kept = a[first], b[first], ranked[first]
        tail, head = np.concatenate([a, b]), np.concatenate([b, a])
        arcs = np.lexsort((head, tail))
        indptr = np.zeros(order.size + 1, dtype=np.int32)
        np.cumsum(np.bincount(tail, minlength=order.size), out=indptr[1:])
        return cls(
            lats, lons, indptr, head[arcs].astype(np.int32),
            np.tile(length[kept], 2)[arcs].astype(np.float32), np.tile(time[kept], 2)[arcs].astype(np.float32),
            {
                "loops": int(np.count_nonzero(~apart)), "parallel": int(np.count_nonzero(~first)),
                "lifted": int(np.count_nonzero(wrong)),
            },
        )  # fmt: skip

    @cached_property
    def tail(self) -> NDArray[np.int32]:
        """Node that each arc leaves, shape (m,)."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.indptr))

    @cached_property
    def roaded(self) -> NDArray[np.bool_]:
        """Whether any road leads to a node, shape (n,)."""
        return np.asarray(self.indptr[1:] > self.indptr[:-1])

    @cached_property
    def contraction(self) -> Contraction:
        """The graph without the nodes that only pass a road on; made at first use and kept."""
        return contract(self.indptr, self.neighbour, self.km, self.hours)


def spatial_order(lat: ArrayLike, lon: ArrayLike) -> NDArray[np.int64]:
    """Order of points along the Morton curve of a 65,536 x 65,536 grid over the globe's degrees; stable.

    Parameters
    ----------
    lat, lon : array_like of float, shape (n,)
        Points [degrees].

    Returns
    -------
    ndarray of int64, shape (n,)
        Positions of the points in curve order (Morton 1966: bits of the two axes taken in turn).
    """
    north = _spread((np.asarray(lat, dtype=np.float64) + 90.0) / 180.0)
    east = _spread((np.asarray(lon, dtype=np.float64) + 180.0) / 360.0)
    return np.argsort((north << np.uint64(1)) | east, kind="stable")


def _spread(share: NDArray[np.float64]) -> NDArray[np.uint64]:
    """26 bits of a share of one, a zero between any two."""
    bits = np.clip(share * (1 << 26), 0, (1 << 26) - 1).astype(np.uint64)
    for shift, mask in (
        (16, 0x0000FFFF0000FFFF), (8, 0x00FF00FF00FF00FF), (4, 0x0F0F0F0F0F0F0F0F), (2, 0x3333333333333333),
        (1, 0x5555555555555555),
    ):  # fmt: skip
        bits = (bits | (bits << np.uint64(shift))) & np.uint64(mask)
    return bits


def _check(
    lat: NDArray[np.float64], lon: NDArray[np.float64], ends: tuple[NDArray[np.generic], NDArray[np.generic]],
    km: NDArray[np.float64], hours: NDArray[np.float64],
) -> None:  # fmt: skip
    """Refuse what cannot be a road graph; see `RoadGraph.from_edges`."""
    u, v = ends
    if lat.ndim != 1 or lat.shape != lon.shape or u.ndim != 1 or not u.shape == v.shape == km.shape == hours.shape:
        raise InvalidValueError(
            f"The road arrays differ in length: {lat.size} and {lon.size} node coordinates; {u.size}, {v.size}, "
            f"{km.size} and {hours.size} values of the edges.",
            "Give one latitude and longitude a node, and two ends, a length and a time an edge.",
        )
    strange = int(np.count_nonzero(~(np.isfinite(lat) & np.isfinite(lon))))
    if strange:
        raise InvalidValueError(f"{strange} road nodes have no position.", "Fill or remove them.")
    if (np.abs(lat) > 90).any() or (np.abs(lon) > 180).any():
        swapped = bool((np.abs(lon) <= 90).all())
        raise InvalidValueError(
            "The road nodes' latitudes and longitudes look swapped." if swapped
            else "Some road nodes lie beyond 90 degrees of latitude or 180 of longitude.",
            "Latitude comes first here; give both in decimal degrees.",
            code="coordinates_swapped" if swapped else None,
        )  # fmt: skip
    for end in ends:
        if end.size and not (np.issubdtype(end.dtype, np.integer) and end.min() >= 0 and end.max() < lat.size):
            raise InvalidValueError(
                f"Some road edges end at a node that is not one of the {lat.size}.", "Number nodes from 0."
            )
    for what, values in (("length", km), ("driving time", hours)):
        bad = int(np.count_nonzero(~(np.isfinite(values) & (values > 0))))
        if bad:
            raise InvalidValueError(
                f"{bad} road edges have no {what} above zero.", "Leave out what is unknown: a road is never free."
            )
