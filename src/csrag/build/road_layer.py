"""Clusters' landings put onto a road graph, all at once, with what could not be joined counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from csrag.errors import InvalidValueError
from csrag.simulators.road_graph import RoadGraph, snap
from csrag.simulators.road_snap import fragment_limit
from csrag.surfaces.roads import RoadNetwork

LANDING_CAP_KM = 10.0
"""A landing farther than this from every road node is not on the network (assumed)."""
ACCESS_FACTOR = 1.3
"""Road over straight-line distance between a landing and the node it joins (assumed)."""
ACCESS_KM_PER_H = 25.0
"""Speed on that leg [km per hour], that of a forest road (assumed)."""


@dataclass(frozen=True, eq=False)
class MadeNetwork(RoadNetwork):
    """A road network as `RoadNetwork`, and how it came out.

    Parameters
    ----------
    counts : mapping of str to int
        `unsnapped` landings beyond the cap or without a position, `off_main` landings that join a piece of the network
        other than its largest, `components` of the graph, `main_nodes` in the largest, `fragment_nodes` in pieces too
        small to be joined (`road_snap.FRAGMENT_NODES`), `near_fragment` unsnapped landings within the cap of such a piece.
    snap_cap_km : float
        The cap [km].
    """

    counts: Mapping[str, int] = field(default_factory=dict)
    snap_cap_km: float = LANDING_CAP_KM

    def told(self, source: str) -> dict[str, Any]:
        """The `network` entry of a manifest's `transport`.

        Parameters
        ----------
        source : str
            Where the roads came from, in words.
        """
        return {
            "nodes": int(self.node_lat.size), "edges": int(self.neighbour.size) // 2, "source": source,
            "snap_cap_km": self.snap_cap_km, "access_factor": ACCESS_FACTOR, "access_km_per_h": ACCESS_KM_PER_H,
            "metric": "hours", **self.counts,
        }  # fmt: skip

    def notes(self) -> tuple[str, ...]:
        """Sentences for the manifest: what is not on the network, and what is assumed."""
        landings = max(int(self.landing_node.size), 1)
        lost, apart = self.counts.get("unsnapped", 0), self.counts.get("off_main", 0)
        passed, nodes = self.counts.get("fragment_nodes", 0), max(int(self.node_lat.size), 1)
        limit = fragment_limit(nodes)
        told = (
            f"Road network: {lost:,} landings ({lost / landings:.1%}) lie beyond {self.snap_cap_km:g} km of every road "
            f"node{' that may be joined' if passed else ''} and {apart:,} ({apart / landings:.1%}) on pieces apart from the "
            f"largest of {self.counts.get('components', 0):,}; roads are driven both ways; the leg from landing to road is "
            f"{ACCESS_FACTOR:g} times the straight line at {ACCESS_KM_PER_H:g} km/h (assumed)."
        )
        if not passed:
            return (told,)
        near = self.counts.get("near_fragment", 0)
        return (
            told,
            f"Road network: {passed:,} of {nodes:,} nodes ({passed / nodes:.1%}) lie in pieces of fewer than {limit:,} nodes "
            f"that nothing connects with the rest; they are passed over, and {near:,} of the {lost:,} landings without a road "
            "lie near such a piece only. If these roads are real, join them to the network: give the edges between them, and "
            "fill lengths that are missing (an edge without one is left out and cuts the network).",
        )


def make_road_network(
    graph: RoadGraph, cluster_lat: ArrayLike, cluster_lon: ArrayLike, *, snap_cap_km: float = LANDING_CAP_KM
) -> MadeNetwork:
    """Join every cluster's landing to its nearest road node.

    Parameters
    ----------
    graph : RoadGraph
        The network.
    cluster_lat, cluster_lon : array_like of float, shape (n,)
        Clusters, in the source's order [degrees].
    snap_cap_km : float
        Farthest node that a landing may join [km].

    Returns
    -------
    MadeNetwork
        Ready to be a source's `road_network()`. The access leg is `ACCESS_FACTOR` times the straight line, driven at
        `ACCESS_KM_PER_H`.

    Raises
    ------
    InvalidValueError
        If the cap is not above zero or the two arrays differ in length.
    """
    lat, lon = np.asarray(cluster_lat, dtype=np.float64), np.asarray(cluster_lon, dtype=np.float64)
    if not snap_cap_km > 0:
        raise InvalidValueError(f"A snap cap of {snap_cap_km:g} km joins nothing.", "Give one above zero.")
    if lat.shape != lon.shape or lat.ndim != 1:
        raise InvalidValueError("The clusters' latitudes and longitudes differ in number.", "Give one each a cluster.")
    count, label = components(graph)
    sizes = np.bincount(label, minlength=1)
    fragment = sizes[label] < fragment_limit(len(graph))
    node, away = snap(graph, lat, lon, snap_cap_km, ~fragment)
    lone = np.flatnonzero(node < 0)
    near = snap(graph, lat[lone], lon[lone], snap_cap_km, fragment)[0] if lone.size and fragment.any() else node[:0]
    access_km = away * np.float32(ACCESS_FACTOR)
    joined = node >= 0
    return MadeNetwork(
        node_lat=graph.node_lat, node_lon=graph.node_lon, indptr=graph.indptr, neighbour=graph.neighbour, km=graph.km,
        hours=graph.hours, landing_node=node, landing_km=access_km,
        landing_hours=access_km / np.float32(ACCESS_KM_PER_H),
        counts={
            "unsnapped": int(np.count_nonzero(~joined)),
            "off_main": int(np.count_nonzero(label[node[joined]] != int(np.argmax(sizes)))),
            "components": count, "main_nodes": int(sizes.max()), "fragment_nodes": int(np.count_nonzero(fragment)),
            "near_fragment": int(np.count_nonzero(near >= 0)),
        },
        snap_cap_km=float(snap_cap_km),
    )  # fmt: skip


def components(graph: RoadGraph) -> tuple[int, NDArray[np.int32]]:
    """Pieces of the network that no road connects.

    Parameters
    ----------
    graph : RoadGraph
        The network.

    Returns
    -------
    count : int
        How many; a node without a road is one of its own.
    label : ndarray of int32, shape (nodes,)
        Which piece each node lies in.
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    n = len(graph)
    if n == 0:
        return 0, np.empty(0, dtype=np.int32)
    links = csr_matrix((np.ones(graph.neighbour.size, dtype=np.int8), graph.neighbour, graph.indptr), shape=(n, n))
    count, label = connected_components(links, directed=False)
    return int(count), label
