"""Roads of an OpenStreetMap extract, read way by way through osmium.

Every way of a class that trucks drive (`CLASS_KM_PER_H`) is taken, ferries not. A way closed to motor vehicles or trucks
is left out. Private ways are kept where they are tracks, service or unclassified roads, because timber companies haul on
their own gated roads, and left out elsewhere. One-way streets, turn restrictions and barriers are not regarded.
"""

from __future__ import annotations

import tempfile
from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.build.sources.roads_read import (
    CLASS_KM_PER_H,
    SLOWEST_KM_PER_H,
    TRACK_GRADE_KM_PER_H,
    TRUCK_CAP_KM_PER_H,
    Floats,
    RoadsRead,
    make_graph,
    parse_maxspeed,
)
from csrag.build.sources.spatial import need
from csrag.errors import InvalidValueError, TableRefusedError
from csrag.geo import haversine_km

SPACING_KM = 0.5
"""Along a road a node is kept at least so often, so that landings find one near."""
READ_AS = (".osm.pbf", ".osm", ".osm.gz", ".osm.bz2")
"""Names of the forms of extracts that are read."""
LOST_SHARE = 0.2
"""An extract that lacks the positions of more of its road nodes than this is refused [fraction of nodes] (assumed)."""
_SUFFIXES = (".osm.pbf", ".pbf", ".osm", ".osm.xml", ".osm.gz", ".osm.bz2", ".o5m")
_ON_DISK_BYTES = 200_000_000
_CLOSED = {"no"}
_PRIVATE = {"private"}
_PRIVATE_KEPT = {"track", "service", "unclassified"}
_NO_SERVICE = {"driveway", "parking_aisle", "drive-through", "emergency_access"}


def is_osm(path: Path) -> bool:
    """Whether a file's name says that it is OpenStreetMap data."""
    return path.name.lower().endswith(_SUFFIXES)


def read_osm(path: Path) -> RoadsRead:
    """Read the truck roads of an OpenStreetMap extract.

    Parameters
    ----------
    path : Path
        .osm.pbf, or XML as .osm, .osm.gz or .osm.bz2.

    Returns
    -------
    RoadsRead
        A graph of junctions, road ends and nodes at most `SPACING_KM` apart between them. Lengths follow every node of
        the ways; hours are at `maxspeed` where it is given, else the class's speed, never above the truck's cap.

    Raises
    ------
    DataError
        If osmium is not installed.
    InvalidValueError
        If there is no such file.
    TableRefusedError
        If the file is cut off or no OpenStreetMap data, holds several versions of its objects, more than `LOST_SHARE` of
        its road nodes have no position before the ways, or it holds no road.

    Notes
    -----
    Positions of all nodes are kept by osmium's own index, of a file above 200 MB on disk beside the temporary files (16
    bytes a node); Python holds 16 bytes a node of the roads.
    """
    need("osmium")
    if not path.is_file():
        raise InvalidValueError(f"There is no file {path}.", "Check the path.", code="file_not_readable")
    if path.stat().st_size == 0:
        raise TableRefusedError(f"{path.name} is empty.", "Download it again.", code="table_empty")
    found = _Ways()
    try:
        with tempfile.TemporaryDirectory() as folder:
            large = path.stat().st_size > _ON_DISK_BYTES
            found.read(path, f"sparse_file_array,{folder}/nodes" if large else "flex_mem")
    except (RuntimeError, ValueError, OSError) as error:
        raise TableRefusedError(
            f"{path.name} is cut off, damaged or no OpenStreetMap file ({str(error).rstrip('.')}).",
            "Download it again, and compare its checksum with the one published beside it.", code="table_truncated",
        ) from None  # fmt: skip
    if not found.counts["ways"]:
        raise TableRefusedError(f"{path.name} holds no road that a truck drives.", "Take an extract with highways.",
                                code="no_roads")  # fmt: skip
    return _graph(path.name, found)


@dataclass
class _Ways:
    """What the pass over the ways collects, flat: one entry a node of a way, and where each way begins."""

    refs: array[int] = field(default_factory=lambda: array("q"))
    x: array[int] = field(default_factory=lambda: array("i"))
    y: array[int] = field(default_factory=lambda: array("i"))
    start: array[int] = field(default_factory=lambda: array("q"))
    speed: array[float] = field(default_factory=lambda: array("d"))
    counts: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(
            (
                "ways",
                "ways_closed",
                "ways_private",
                "ways_other_class",
                "speeds_given",
                "speeds_unread",
                "way_nodes_lost",
            ),
            0,
        )
    )

    def read(self, path: Path, storage: str) -> None:
        osmium: Any = need("osmium")
        header = osmium.io.Reader(str(path), osmium.osm.osm_entity_bits.NOTHING).header()
        if header.has_multiple_object_versions:
            raise ValueError("it holds the history of its objects; take an extract of today's")
        bits = osmium.osm.osm_entity_bits
        ways = (
            osmium.FileProcessor(str(path), bits.NODE | bits.WAY)
            .with_locations(storage)
            .with_filter(osmium.filter.EntityFilter(bits.WAY))
            .with_filter(osmium.filter.KeyFilter("highway"))
        )
        wkb = osmium.geom.WKBFactory()
        for way in ways:
            speed = self._speed(way.tags)
            if speed is None:
                continue
            self.counts["ways"] += 1
            try:
                line = wkb.create_linestring(way, osmium.geom.use_nodes.ALL)
            except (osmium.InvalidLocationError, RuntimeError):
                self._add_cut(way.nodes, speed)
            else:
                self._add(way.nodes, line, speed)

    def _speed(self, tags: Any) -> float | None:
        """Speed on a way [km per hour]; None where trucks do not drive."""
        kind = tags.get("highway")
        if kind not in CLASS_KM_PER_H or tags.get("area") == "yes" or tags.get("route") == "ferry" or (
            kind == "service" and tags.get("service") in _NO_SERVICE
        ):  # fmt: skip
            self.counts["ways_other_class"] += 1
            return None
        # The most particular tag decides: motor_vehicle=yes opens a way that access=no closes.
        general = next((v for v in (tags.get(k) for k in ("motor_vehicle", "vehicle", "access")) if v), "yes")
        truck = tags.get("hgv") or general
        if truck in _CLOSED:
            self.counts["ways_closed"] += 1
            return None
        if truck in _PRIVATE and kind not in _PRIVATE_KEPT:
            self.counts["ways_private"] += 1
            return None
        given = tags.get("maxspeed")
        speed = None if given is None else parse_maxspeed(given)
        if given is not None:
            self.counts["speeds_unread" if speed is None else "speeds_given"] += 1
        if speed is None:
            speed = TRACK_GRADE_KM_PER_H.get(tags.get("tracktype") or "", CLASS_KM_PER_H[kind]) if (
                kind == "track") else CLASS_KM_PER_H[kind]  # fmt: skip
        return min(speed, TRUCK_CAP_KM_PER_H)

    def _add(self, nodes: Any, line: str, speed: float) -> None:
        """A way whose nodes all have a position; one text of coordinates is read ten times faster than its nodes."""
        self.start.append(len(self.refs))
        self.speed.append(speed)
        self.refs.extend([node.ref for node in nodes])
        # Nine bytes of byte order, type and count, then longitude and latitude in turn.
        place = np.rint(np.frombuffer(bytes.fromhex(line), dtype="<f8", offset=9) * 1e7).astype(np.int32)
        self.x.frombytes(place[::2].tobytes())
        self.y.frombytes(place[1::2].tobytes())

    def _add_cut(self, nodes: Any, speed: float) -> None:
        """A way cut where a node's position is not in the extract."""
        begin = True
        for node in nodes:
            place = node.location
            if not place.valid():
                self.counts["way_nodes_lost"] += 1
                begin = True
                continue
            if begin:
                self.start.append(len(self.refs))
                self.speed.append(speed)
                begin = False
            self.refs.append(node.ref)
            self.x.append(place.x)
            self.y.append(place.y)


def _graph(name: str, ways: _Ways) -> RoadsRead:
    """Junctions, and points at equal distances along the roads between them."""
    refs = np.frombuffer(ways.refs, dtype=np.int64) if ways.refs else np.empty(0, dtype=np.int64)
    lost = ways.counts["way_nodes_lost"]
    if lost > LOST_SHARE * (lost + refs.size):
        raise TableRefusedError(
            f"{name}: the positions of {lost:,} of {lost + refs.size:,} road nodes are not in the file before the ways.",
            "Sort it (osmium sort), or download an extract that keeps complete ways.", code="nodes_missing",
        )  # fmt: skip
    lat, lon = (np.frombuffer(a, dtype=np.int32).astype(np.float64) * 1e-7 for a in (ways.y, ways.x))
    start = np.frombuffer(ways.start, dtype=np.int64)
    speed = np.frombuffer(ways.speed, dtype=np.float64)
    way = np.repeat(np.arange(start.size), np.diff(np.append(start, refs.size)))
    inside = way[1:] == way[:-1]
    step = np.where(inside, haversine_km(lat[:-1], lon[:-1], lat[1:], lon[1:]), 0.0)
    along = np.concatenate([[0.0], np.cumsum(step)])

    # A junction is where roads meet or end: a node met more than once, or at either end of a way.
    ids, number, met = np.unique(refs, return_inverse=True, return_counts=True)
    stop = met[number] > 1
    stop[start] = True
    stop[np.append(start[1:], refs.size) - 1] = True
    at = np.flatnonzero(stop)
    first, last = at[:-1], at[1:]
    real = (way[first] == way[last]) & (along[last] > along[first])
    no_length = int(np.count_nonzero((way[first] == way[last]) & ~real & (refs[first] != refs[last])))
    first, last = first[real], last[real]
    length = along[last] - along[first]
    pieces = np.maximum(np.ceil(length / SPACING_KM - 1e-9), 1).astype(np.int64)
    # A way that returns to its junction must not become a loop, which would be dropped.
    pieces[number[first] == number[last]] = np.maximum(pieces[number[first] == number[last]], 3)
    junctions = np.flatnonzero(np.bincount(number[at], minlength=ids.size))
    name_of = np.full(ids.size, -1, dtype=np.int64)
    name_of[junctions] = np.arange(junctions.size)
    one = np.zeros(ids.size, dtype=np.int64)
    one[number] = np.arange(refs.size)

    chain = np.repeat(np.arange(pieces.size), pieces - 1)
    rank = np.arange(chain.size) - np.repeat(np.cumsum(pieces - 1) - (pieces - 1), pieces - 1) + 1
    target = along[first][chain] + length[chain] * rank / pieces[chain]
    all_lat = np.concatenate([lat[one[junctions]], _between(target, along, lat)])
    all_lon = np.concatenate([lon[one[junctions]], _between(target, along, lon)])
    u, v, piece = _pieces(name_of[number[first]], name_of[number[last]], pieces, junctions.size)
    counts: Mapping[str, int] = {**ways.counts, "ways_without_length": no_length}
    return make_graph(
        name,
        all_lat,
        all_lon,
        u,
        v,
        (length / pieces)[piece],
        speed[way[first]][piece],
        dict(counts),
        _notes(ways.counts, refs.size),
    )


def _between(target: Floats, along: Floats, value: Floats) -> Floats:
    """Coordinate at a way along the roads, linear between two nodes."""
    return np.asarray(np.interp(target, along, value), dtype=np.float64)


def _pieces(
    a: NDArray[np.int64], b: NDArray[np.int64], pieces: NDArray[np.int64], base: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Edges of chains of so many pieces, inner nodes numbered from `base`: ends, and the chain of each."""
    piece = np.repeat(np.arange(pieces.size), pieces)
    rank = np.arange(piece.size) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    inner = base + np.cumsum(pieces - 1) - (pieces - 1)
    u = np.where(rank == 0, a[piece], inner[piece] + rank - 1)
    v = np.where(rank == pieces[piece] - 1, b[piece], inner[piece] + rank)
    return u, v, piece


def _notes(counts: Mapping[str, int], placed: int) -> tuple[str, ...]:
    lost, unread = counts["way_nodes_lost"], counts["speeds_unread"]
    cut = (
        f"OpenStreetMap roads: the positions of {lost:,} of {lost + placed:,} road nodes ({lost / (lost + placed):.1%}) are not "
        "in the file; their ways are cut there. Where that is not the border of the extract, take one with complete ways",
    )  # fmt: skip
    ignored = f" ({unread:,} that name no speed from {SLOWEST_KM_PER_H:g} km/h on are ignored)" if unread else ""
    return (
        f"OpenStreetMap roads: {counts['ways']:,} ways driven by trucks; left out: {counts['ways_closed']:,} closed, "
        f"{counts['ways_private']:,} private other than tracks, service and unclassified roads; speeds of "
        f"{counts['speeds_given']:,} ways as posted{ignored}, of the others by class (assumed), at most "
        f"{TRUCK_CAP_KM_PER_H:g} km/h; one-way streets, turn restrictions and gates not regarded",
        *(cut if lost else ()),
    )  # fmt: skip
