"""Roads from files: what every reader gives, the speeds of road classes, and the gates in front of the graph."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from csrag.build.sources.roads_lengths import LONGEST_EDGE_KM, Lengths, check_lengths
from csrag.errors import InvalidValueError, TableRefusedError
from csrag.geo import CALIFORNIA_BOX, haversine_km
from csrag.simulators.road_graph import RoadGraph

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

CLASS_KM_PER_H: Mapping[str, float] = {
    "motorway": 88, "motorway_link": 60, "trunk": 80, "trunk_link": 55, "primary": 70, "primary_link": 50,
    "secondary": 60, "secondary_link": 45, "tertiary": 50, "tertiary_link": 40, "unclassified": 40, "residential": 30,
    "living_street": 15, "road": 30, "service": 20, "track": 25,
}  # fmt: skip
"""Speed of a loaded chip truck by OpenStreetMap highway class [km per hour] (assumed); classes not here are no truck roads."""
TRACK_GRADE_KM_PER_H: Mapping[str, float] = {"grade1": 35, "grade2": 30, "grade3": 25, "grade4": 18, "grade5": 12}
"""The same for a track whose surface is graded [km per hour] (assumed)."""
TRUCK_CAP_KM_PER_H = 88.5
"""No truck is faster: 55 miles per hour, the limit of California Vehicle Code 22406 for three axles or more."""
DEFAULT_KM_PER_H = 40.0
"""Where a table says neither speed nor class [km per hour]: the mean speed of `csrag.simulators.truck`."""
SLOWEST_KM_PER_H = 5.0
"""A truck that walks: what says less is an error or another unit [km per hour] (assumed)."""
_SPEED = re.compile(r"(\d+(?:\.\d+)?)\s*(mph|mi/h|km/h|kmh|kph|knots)?", re.IGNORECASE)
_UNIT_KM_PER_H = {"mph": 1.609344, "mi/h": 1.609344, "knots": 1.852}


@dataclass(frozen=True)
class RoadsRead:
    """A road graph and how reading it went.

    Parameters
    ----------
    graph : RoadGraph
        The network.
    counts : mapping of str to int
        What was read, left out and mended.
    notes : tuple of str
        Sentences for the manifest.
    """

    graph: RoadGraph
    counts: Mapping[str, int]
    notes: tuple[str, ...]


def read_roads(roads: Path, edges: Path | None = None) -> RoadsRead:
    """Read a road network, whichever form it has.

    Parameters
    ----------
    roads : Path
        An OpenStreetMap file (.osm.pbf, .osm, .osm.gz, .osm.bz2), or the table of nodes.
    edges : Path, optional
        The table of edges that goes with a table of nodes.

    Raises
    ------
    InvalidValueError
        If there is no such file, or a table of nodes comes without its edges.
    TableRefusedError
        If the contents fail a gate.
    DataError
        If an OpenStreetMap file is given and the extra that reads it is not installed.
    """
    from csrag.build.sources.roads_osm import is_osm, read_osm
    from csrag.build.sources.roads_table import read_tables

    if is_osm(roads):
        if edges is not None:
            raise InvalidValueError(
                f"{roads.name} holds nodes and ways in one; {edges} is not needed.", "Leave it out."
            )
        return read_osm(roads)
    if edges is None:
        raise InvalidValueError(
            f"{roads.name} is no OpenStreetMap file (.osm.pbf, .osm), so it must be a table of road nodes.",
            "Name the table of edges beside it.",
        )
    return read_tables(roads, edges)


def parse_maxspeed(text: str) -> float | None:
    """Speed of an OpenStreetMap `maxspeed` [km per hour]; the lowest of several, None where it names no number.

    A bare number is km per hour, "55 mph" is miles. Below `SLOWEST_KM_PER_H` it is taken for an error: None.
    """
    found = [
        float(number) * _UNIT_KM_PER_H.get((unit or "").lower(), 1.0)
        for part in text.split(";")
        for number, unit in [m.groups() for m in [_SPEED.fullmatch(part.strip())] if m]
    ]
    return min(found) if found and min(found) >= SLOWEST_KM_PER_H else None


def make_graph(
    name: str, lat: Floats, lon: Floats, u: Ints, v: Ints, km: Floats, km_per_h: Floats, counts: dict[str, int],
    notes: tuple[str, ...] = (), lengths: Lengths | None = None,
) -> RoadsRead:  # fmt: skip
    """Gates and graph, the same for every reader.

    Parameters
    ----------
    name : str
        The file, for messages.
    lat, lon : ndarray of float64, shape (n,)
        Nodes [degrees].
    u, v : ndarray of int64, shape (k,)
        Ends of each edge, as index into `lat`.
    km, km_per_h : ndarray of float64, shape (k,)
        Length [km] and speed [km per hour]; an edge without a length above zero is left out and counted.
    counts : dict of str to int
        What the reader has counted so far.
    notes : tuple of str
        What the reader wants said.
    lengths : Lengths, optional
        Where the lengths were read; None where they were measured from the positions themselves.

    Raises
    ------
    TableRefusedError
        If coordinates are swapped, lengths are in another unit (`roads_lengths.check_lengths`) or beyond any road, a speed
        is below `SLOWEST_KM_PER_H`, or nothing is left inside California's bounds.
    """
    _refuse_swapped(name, lat, lon)
    counts = dict(counts)
    placed = np.isfinite(lat) & np.isfinite(lon)
    south, north, west, east = CALIFORNIA_BOX
    with np.errstate(invalid="ignore"):
        inside = placed & (lat >= south) & (lat <= north) & (lon >= west) & (lon <= east)
    counts["nodes_without_position"] = int(np.count_nonzero(~placed))
    counts["nodes_outside_california"] = int(np.count_nonzero(placed & ~inside))
    kept = inside[u] & inside[v]
    counts["edges_outside_california"] = int(np.count_nonzero(~kept))
    known = km > 0  # an endless length is refused below, not taken for an unknown one
    counts["edges_without_length"] = int(np.count_nonzero(kept & ~known))
    with np.errstate(invalid="ignore"):
        counts["speeds_capped"] = int(np.count_nonzero(kept & known & (km_per_h > TRUCK_CAP_KM_PER_H)))
    kept &= known
    if not kept.any():
        raise TableRefusedError(
            f"{name} holds no road with a length inside California's bounds ({counts['nodes_outside_california']:,} "
            f"nodes lie outside, {counts['edges_without_length']:,} edges have no length).",
            "Check the extent and the units of the file.", code="no_roads",
        )  # fmt: skip
    u, v, km, km_per_h = u[kept], v[kept], km[kept], km_per_h[kept]
    slow = int(np.count_nonzero(~(km_per_h >= SLOWEST_KM_PER_H)))
    if slow:
        raise TableRefusedError(
            f"{slow:,} edges of {name} are slower than {SLOWEST_KM_PER_H:g} km/h, which no truck is.",
            "Give speeds in km per hour.", code="speed_too_low",
        )  # fmt: skip
    if lengths is not None:
        straight = haversine_km(lat[u], lon[u], lat[v], lon[v])
        used_lat, used_lon = (axis[np.unique(np.concatenate([u, v]))] for axis in (lat, lon))
        where = replace(lengths, row=lengths.row[kept])
        notes = (*notes, *check_lengths(km, straight, (used_lat, used_lon), where))
    elif km.max() > LONGEST_EDGE_KM:
        raise TableRefusedError(
            f"{name} has an edge of {km.max():.4g} km, which no road is between two nodes.",
            "Check the positions of the nodes.", code="edge_too_long",
        )  # fmt: skip
    used, ends = np.unique(np.concatenate([u, v]), return_inverse=True)
    speed = np.minimum(km_per_h, TRUCK_CAP_KM_PER_H)
    graph = RoadGraph.from_edges(lat[used], lon[used], ends[: u.size], ends[u.size :], km, km / speed)
    counts.update({f"edges_{what}": number for what, number in graph.counts.items()})
    counts.update({"road_nodes": len(graph), "road_edges": graph.edges})
    return RoadsRead(graph, counts, (*notes, *_sentences(name, counts)))


def _refuse_swapped(name: str, lat: Floats, lon: Floats) -> None:
    south, north, west, east = CALIFORNIA_BOX
    with np.errstate(invalid="ignore"):
        swapped = (lon >= south) & (lon <= north) & (lat >= west) & (lat <= east)
    if np.count_nonzero(swapped) * 2 > lat.size:
        raise TableRefusedError(
            f"Latitude and longitude of {name} look swapped: latitudes run from {np.nanmin(lat):g} to "
            f"{np.nanmax(lat):g}.",
            "Exchange the two columns.", code="coordinates_swapped",
        )  # fmt: skip


def _sentences(name: str, counts: Mapping[str, int]) -> tuple[str, ...]:
    told = {
        "nodes_without_position": "nodes without a position", "nodes_outside_california": "nodes outside California",
        "edges_without_length": "edges without a length, taken as missing", "edges_lifted": "edges shorter than the "
        "straight line between their ends, lifted to it", "edges_parallel": "slower parallel edges", "edges_loops": "loops",
        "edges_unknown_node": "edges to unknown nodes",
        "speeds_capped": f"edges said to be faster than {TRUCK_CAP_KM_PER_H:g} km/h, taken at that",
        "speeds_not_above_zero": "speeds of zero or less, taken as unknown",
    }  # fmt: skip
    parts = [f"{counts[key]:,} {what}" for key, what in told.items() if counts.get(key)]
    size = f"{name}: {counts['road_nodes']:,} road nodes and {counts['road_edges']:,} edges"
    return (f"{size}; {', '.join(parts)}" if parts else size,)
