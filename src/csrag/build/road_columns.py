"""The optional road network of a source: checked, put into cell order, and told to the manifest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.build.pipeline import ClusterSource
from csrag.errors import TableRefusedError
from csrag.simulators.road_contract import contract
from csrag.surfaces.catalog import CORE_COLUMNS, ROAD_COLUMNS
from csrag.surfaces.roads import field_of

NETWORK_COLUMNS = {**ROAD_COLUMNS, **CORE_COLUMNS}
_FIX = "Make the network with `csrag.build.road_layer.make_road_network`, which keeps all of this."


def checked_roads(source: ClusterSource, n: int) -> dict[str, NDArray[Any]]:
    """The source's road network as `catalog.ROAD_COLUMNS`, landings in source order, and the `CORE_COLUMNS` it implies.

    Parameters
    ----------
    source : ClusterSource
        It may offer `road_network()`: an object with the fields of `surfaces.roads.RoadNetwork`, or None.
    n : int
        Number of clusters.

    Returns
    -------
    dict of str to ndarray
        Empty where the source has no network or one without an edge.

    Raises
    ------
    TableRefusedError
        For arrays whose lengths do not fit one another, ends or landings that are no node, a length or time that is not
        above zero, an edge stored from one end only, or a landing without its access leg.
    """
    offer = getattr(source, "road_network", None)
    network = None if offer is None else offer()
    if network is None or np.size(network.neighbour) == 0:
        return {}
    out = {
        name: np.ascontiguousarray(getattr(network, field_of(name)), dtype=column.dtype)
        for name, column in ROAD_COLUMNS.items()
    }
    nodes, arcs = out["road_node_lat"].size, out["road_neighbour"].size
    sizes = {"cluster": n, "node": nodes, "node+1": nodes + 1, "arc": arcs}
    uneven = [name for name, column in ROAD_COLUMNS.items() if out[name].shape != (sizes[column.axes],)]
    if uneven:
        raise TableRefusedError(
            f"The road columns {', '.join(uneven)} of {source.name} do not fit {n} clusters, {nodes} nodes and {arcs} "
            "arcs.",
            _FIX,
        )
    for fault in _faults(out):
        raise TableRefusedError(f"The road network of {source.name}: {fault}.", _FIX)
    core = contract(*(out[f"road_{name}"] for name in ("indptr", "neighbour", "km", "hours"))).to_columns()
    return out | {name: np.ascontiguousarray(core[name], dtype=column.dtype) for name, column in CORE_COLUMNS.items()}


def _faults(roads: Mapping[str, NDArray[Any]]) -> list[str]:
    """What is wrong with columns of the right lengths."""
    indptr, neighbour = roads["road_indptr"].astype(np.int64), roads["road_neighbour"].astype(np.int64)
    nodes = indptr.size - 1
    if indptr[0] != 0 or indptr[-1] != neighbour.size or (np.diff(indptr) < 0).any():
        return ["the first arcs of its nodes do not ascend from 0 to the number of arcs"]
    if neighbour.min() < 0 or neighbour.max() >= nodes:
        return ["an arc ends at a node that does not exist"]
    out = []
    for name in ("road_km", "road_hours"):
        bad = int(np.count_nonzero(~(np.isfinite(roads[name]) & (roads[name] > 0))))
        if bad:
            out.append(f"{bad} values of {name} are not above zero")
    if not (np.isfinite(roads["road_node_lat"]).all() and np.isfinite(roads["road_node_lon"]).all()):
        out.append("some nodes have no position")
    tail = np.repeat(np.arange(nodes), np.diff(indptr))
    there, back = tail * nodes + neighbour, neighbour * nodes + tail
    forth, home = np.argsort(there, kind="stable"), np.argsort(back, kind="stable")
    same = np.array_equal(there[forth], back[home])
    if not same or any((roads[name][forth] != roads[name][home]).any() for name in ("road_km", "road_hours")):
        out.append("some edges are stored from one end only, or differ between their ends")
    landing = roads["landing_node"]
    if landing.size and (landing.min() < -1 or landing.max() >= nodes):
        out.append("a landing joins a node that does not exist")
    joined = landing >= 0
    for name in ("landing_km", "landing_hours"):
        leg = roads[name]
        if (np.isfinite(leg) != joined).any() or (leg[joined] < 0).any():
            out.append(f"{name} is not a length where a landing joins a node, and unknown where none does")
    return out


def in_cell_order(name: str, values: NDArray[Any], order: NDArray[np.int64]) -> NDArray[Any]:
    """A road column as stored: landings in the clusters' storage order, the graph as it is."""
    return values[order] if name in ROAD_COLUMNS and ROAD_COLUMNS[name].axes == "cluster" else values


def transport_of(source: ClusterSource, roads: Mapping[str, tuple[int, ...]]) -> dict[str, Any] | None:
    """The manifest's `transport`: what the source says, with the size of the network that was written.

    Parameters
    ----------
    source : ClusterSource
        It may offer `transport`.
    roads : mapping of str to tuple of int
        Shapes of the road columns; empty without a network.

    Returns
    -------
    dict or None
        None where the source knows no more than one factor a zone and there is no network.
    """
    given = getattr(source, "transport", None)
    if given is None and not roads:
        return None
    empty = {"bands_km": [], "stratified": [], "band_medians": [], "accuracy": [], "basis": ""}
    out: dict[str, Any] = dict(empty if given is None else given)
    if not roads:
        return {**out, "network": None}
    size = {"nodes": roads["road_node_lat"][0], "edges": roads["road_neighbour"][0] // 2, "metric": "hours"}
    return {**out, "network": {**(out.get("network") or {}), **size}}


def distance_modes(source: ClusterSource, transport: Mapping[str, Any] | None) -> tuple[str, ...]:
    """Modes that the set can serve, the last resort first."""
    told = transport or {}
    has = {"zone": len(source.zone_factors), "stratified": told.get("stratified"), "network": told.get("network")}
    return tuple(mode for mode, present in has.items() if present)
