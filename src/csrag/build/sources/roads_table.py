"""Roads from two tables, nodes and edges, as CSV (plain or compressed) or Parquet.

Columns, any order, upper or lower case; others are ignored.

nodes
    `node_id` (also id, node, osmid), `lon` (longitude, x), `lat` (latitude, y).
edges
    `u` (from, from_node, source, start), `v` (to, to_node, target, end), a length: `length_km` (km, distance_km) or
    `length_m` (metres, length_meters), and if known `speed_km_per_h` (km_per_h, speed_kmh, maxspeed_kmh) or `class`
    (highway, road_class, fclass) with OpenStreetMap's names. A column named only `length` says no unit and is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.build.sources.roads_lengths import Lengths
from csrag.build.sources.roads_read import (
    CLASS_KM_PER_H,
    DEFAULT_KM_PER_H,
    SLOWEST_KM_PER_H,
    Floats,
    Ints,
    RoadsRead,
    make_graph,
)
from csrag.errors import InvalidValueError, TableRefusedError

NODE_COLUMNS: Mapping[str, Sequence[str]] = {
    "node_id": ("node_id", "id", "node", "osmid", "osm_id"), "lon": ("lon", "longitude", "lng", "x"),
    "lat": ("lat", "latitude", "y"),
}  # fmt: skip
EDGE_COLUMNS: Mapping[str, Sequence[str]] = {
    "u": ("u", "from", "from_node", "source", "start", "start_node"), "v": ("v", "to", "to_node", "target", "end", "end_node"),
    "length_km": ("length_km", "km", "distance_km"), "length_m": ("length_m", "metres", "meters", "length_meters"),
    "speed_km_per_h": ("speed_km_per_h", "km_per_h", "speed_kmh", "speed_kph", "maxspeed_kmh"),
    "class": ("class", "highway", "road_class", "fclass"),
}  # fmt: skip
"""Names that each column may have; the first is ours."""
_TAIL_BYTES = 65_536
_ROWS_TO_COMPARE = 20
_TEXT = ("class",)
_ALSO = {"length_km", "length_m", "speed_km_per_h", "class"}


def read_tables(nodes: Path, edges: Path) -> RoadsRead:
    """Read a road network from a table of nodes and one of edges.

    Parameters
    ----------
    nodes, edges : Path
        The tables.

    Returns
    -------
    RoadsRead
        Hours are at the edge's speed, else its class's (`CLASS_KM_PER_H`), else `DEFAULT_KM_PER_H`; never above the
        truck's cap. Edges without a length, or of a class that trucks do not drive, are left out and counted.

    Raises
    ------
    InvalidValueError
        If a file cannot be read.
    TableRefusedError
        If a file is cut off or no table, a column is missing, a node is numbered twice, more than one edge in a hundred
        ends at an unknown node, or a gate of `roads_read.make_graph` fails.
    """
    node = _columns(nodes, NODE_COLUMNS, optional=())
    edge = _columns(edges, EDGE_COLUMNS, optional=_ALSO)
    lengths = [name for name in ("length_km", "length_m") if name in edge]
    if not lengths:
        raise TableRefusedError(
            f"{edges.name} has no column of lengths whose name says the unit.",
            f"Name it {' or '.join(n for k in ('length_km', 'length_m') for n in EDGE_COLUMNS[k][:1])}.",
            code="column_missing",
        )
    per_km = 1.0 if lengths[0] == "length_km" else 1000.0
    km = np.asarray(edge[lengths[0]], dtype=np.float64) / per_km
    row = np.arange(2, km.size + 2)  # the header is row 1
    ids = _keys(nodes, "node_id", node["node_id"])
    order = np.argsort(ids, kind="stable")
    ranked = ids[order]
    twice = int(np.count_nonzero(ranked[1:] == ranked[:-1]))
    if twice:
        raise TableRefusedError(f"{twice:,} node numbers of {nodes.name} appear twice.", "Make them unique.")
    (u, u_known), (v, v_known) = (_find(ranked, order, _keys(edges, name, edge[name])) for name in ("u", "v"))
    known = u_known & v_known
    unknown = int(np.count_nonzero(~known))
    if unknown * 100 > known.size:
        raise TableRefusedError(
            f"{unknown:,} of {known.size:,} edges of {edges.name} end at a node that {nodes.name} does not hold.",
            "Give the two tables of one network.", code="unknown_nodes",
        )  # fmt: skip
    speed, kept, counts, notes = _speeds(edges.name, edge, km.size)
    kept &= known
    counts["edges_unknown_node"] = unknown
    return make_graph(
        f"{nodes.name} and {edges.name}",
        node["lat"],
        node["lon"],
        u[kept],
        v[kept],
        km[kept],
        speed[kept],
        counts,
        notes,
        Lengths(edges.name, edge["named"][lengths[0]], "km" if per_km == 1 else "metres", row[kept]),
    )


def _speeds(
    name: str, edge: Mapping[str, Any], n: int
) -> tuple[Floats, NDArray[np.bool_], dict[str, int], tuple[str, ...]]:
    """Speed of each edge, which are driven, what was counted, and a sentence."""
    speed = np.full(n, np.nan)
    kept = np.ones(n, dtype=bool)
    counts = {"edges_other_class": 0}
    if "class" in edge:
        words, code = np.unique(np.asarray(edge["class"], dtype=object).astype(str), return_inverse=True)
        by_word = np.array([CLASS_KM_PER_H.get(word.strip().lower(), np.nan) for word in words])
        said = np.array([bool(word.strip()) for word in words])
        kept = ~(np.isnan(by_word) & said)[code]
        speed = by_word[code]
        counts["edges_other_class"] = int(np.count_nonzero(~kept))
        if not kept.any():
            raise TableRefusedError(
                f"No class of {name} is a road that trucks drive: {', '.join(map(str, words[:5]))}.",
                f"Use OpenStreetMap's names: {', '.join(list(CLASS_KM_PER_H)[:6])} ...", code="unknown_classes",
            )  # fmt: skip
    if "speed_km_per_h" in edge:
        given = edge["speed_km_per_h"]
        good = np.isfinite(given) & (given > 0)
        slow = np.flatnonzero(good & (given < SLOWEST_KM_PER_H) & kept)
        if slow.size:
            raise TableRefusedError(
                f"{slow.size:,} speeds of {name} are below {SLOWEST_KM_PER_H:g} km/h, which no truck drives; the first is "
                f"{given[slow[0]]:.4g} in row {slow[0] + 2:,} (the header is row 1).",
                "Give speeds in km per hour, or leave unknown ones empty.", code="speed_too_low",
            )  # fmt: skip
        counts["speeds_not_above_zero"] = int(np.count_nonzero(np.isfinite(given) & (given <= 0)))
        speed = np.where(good, given, speed)
    silent = np.isnan(speed)
    counts["edges_without_speed"] = int(np.count_nonzero(silent & kept))
    told = (
        f"{name}: {counts['edges_without_speed']:,} of {n:,} edges say no speed or class and are driven at "
        f"{DEFAULT_KM_PER_H:g} km/h (assumed)"
    )
    return np.where(silent, DEFAULT_KM_PER_H, speed), kept, counts, (told,) if counts["edges_without_speed"] else ()


def _find(ranked: Ints, order: Ints, keys: Ints) -> tuple[Ints, NDArray[np.bool_]]:
    """Row of each key among the nodes, and whether there is one."""
    if not ranked.size:
        return np.zeros(keys.size, dtype=np.int64), np.zeros(keys.size, dtype=bool)
    at = np.minimum(np.searchsorted(ranked, keys), ranked.size - 1)
    return order[at], ranked[at] == keys


def _keys(path: Path, name: str, values: Floats) -> Ints:
    """Node numbers as whole numbers."""
    if np.issubdtype(values.dtype, np.integer):
        return values.astype(np.int64)
    bad = int(np.count_nonzero(~(np.isfinite(values) & (values == np.round(values)))))
    if bad:
        raise TableRefusedError(f"{bad:,} values of {name} in {path.name} are empty or not whole.", "Number the nodes.")
    return values.astype(np.int64)


def _columns(path: Path, wanted: Mapping[str, Sequence[str]], optional: Sequence[str] | set[str]) -> dict[str, Any]:
    """The wanted columns of a table under our names, numbers as float64 or int64; `named`: what the file calls each."""
    import pyarrow as pa

    table = _table(path)
    found = {name.strip().lower(): name for name in reversed(table.column_names)}
    out: dict[str, Any] = {"named": {}}
    for name, aliases in wanted.items():
        given = [alias for alias in aliases if alias in found]
        if not given:
            if name not in optional:
                raise TableRefusedError(
                    f"{path.name} has no column {name} (nor {', '.join(aliases[1:])}); it has "
                    f"{', '.join(table.column_names[:12])}.",
                    "Add or rename it.", code="column_missing",
                )  # fmt: skip
            continue
        column = table.column(found[given[0]])
        out["named"][name] = found[given[0]]
        try:
            if name in _TEXT:
                out[name] = column.cast(pa.string()).fill_null("").to_numpy()
            elif pa.types.is_integer(column.type) and column.null_count == 0:
                out[name] = column.to_numpy()
            else:
                out[name] = column.cast(pa.float64()).to_numpy()
        except pa.ArrowException:
            raise TableRefusedError(
                f"The column {given[0]} of {path.name} holds text.",
                "Write numbers without units.",
                code="text_in_numbers",
            ) from None
    if not table.num_rows:
        raise TableRefusedError(f"{path.name} holds no rows.", "Export it again.", code="table_empty")
    return out


def _refuse_cut(path: Path, data: bytes) -> None:
    """Refuse a table whose last row has fewer values than its header, or ends within its last value.

    A number cut in its middle still is a number. It shows where the file ends without a line end and the value is shorter
    than those of all rows before it; a file that only lacks its last line end passes.
    """
    head, tail = data[:_TAIL_BYTES].partition(b"\n")[0], data[-_TAIL_BYTES:].rstrip(b"\r\n").splitlines()
    rows = [line.split(b",") for line in tail[1:]]
    # Commas and line ends within quotes are left to the reader proper.
    if not rows or b'"' in data[-_TAIL_BYTES:]:
        return
    ends = [len(row[-1]) for row in rows]
    stunted = not data.endswith((b"\n", b"\r")) and len(ends) > _ROWS_TO_COMPARE and ends[-1] < min(ends[:-1])
    if len(rows[-1]) < head.count(b",") + 1 or stunted:
        raise TableRefusedError(
            f"{path.name} is cut off: its last row ({tail[-1][:60].decode('utf-8', 'replace')!r}) is not whole.",
            "Export it again; if that row is whole, end it with a line end." if stunted else "Export it again.",
            code="table_truncated",
        )


def _table(path: Path) -> Any:
    """A table, told apart by its first bytes."""
    import pyarrow as pa
    import pyarrow.csv as pc
    import pyarrow.parquet as pq

    try:
        with path.open("rb") as stream:
            magic = stream.read(6)
    except OSError as error:
        folder = path.is_dir()
        raise InvalidValueError(
            f"{path} is a folder, not a table." if folder else f"{path} cannot be read: {error.strerror or error}.",
            "Name the CSV or Parquet file in it." if folder else "Check the path.", code="file_not_readable",
        ) from None  # fmt: skip
    if not magic.strip():
        raise TableRefusedError(f"{path.name} is empty.", "Export it again.", code="table_empty")
    codecs = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstd"}
    codec = next((codec for start, codec in codecs.items() if magic.startswith(start)), None)
    try:
        if magic.startswith(b"PAR1"):
            return pq.read_table(path)
        with pa.input_stream(str(path), compression=codec) as stream:
            data = stream.read()
        _refuse_cut(path, data)
        return pc.read_csv(pa.BufferReader(data), read_options=pc.ReadOptions(use_threads=False))
    except (pa.ArrowException, OSError, EOFError) as error:
        why = (str(error).splitlines() or [""])[0][:160].rstrip(".")
        raise TableRefusedError(
            f"{path.name} is cut off, damaged or no table ({why}).", "Export it again as CSV in UTF-8 or as Parquet.",
            code="table_truncated",
        ) from None  # fmt: skip
