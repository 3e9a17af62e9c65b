"""Which polygon each cluster lies in: ownership, hazard classes, exclusions such as wilderness, parks and roadless areas.

A layer is read by box and batch, so that a national layer does not enter memory. Points are taken to the layer's own
coordinate system, where its edges are straight. A point on an edge counts as inside.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.build.progress import Progress, Silent
from csrag.build.sources.polygons_owner import AMBIGUOUS, owner_code, owner_codes
from csrag.build.sources.polygons_read import LayerReader, folded, open_layer
from csrag.build.sources.spatial import Box, Floats, checked_points, need, refused
from csrag.errors import InvalidValueError
from csrag.surfaces.catalog import LAND_USES, UNKNOWN_CODE

__all__ = ["PolygonSample", "assign_polygons", "classify_polygons", "folded"]

_CELL_POINTS = 512
_LISTED = 15
_WARNINGS = 3
_NO_AREA = np.inf


@dataclass(frozen=True)
class PolygonSample:
    """What the polygons say of each cluster.

    Parameters
    ----------
    inside : ndarray of bool, shape (n,)
        Whether it lies in any polygon.
    codes : ndarray of uint8, shape (n,)
        Code of its polygon; 255 where it lies in none or the field is empty. All 255 where no field was asked for.
    counts : mapping of str to int
        `clusters`, `inside`, `outside`, `known` (with a code), `overlapping` (in polygons of different codes),
        `polygons_read`, `polygons_mended`, `polygons_unreadable`, `polygons_without_value`.
    notes : tuple of str
        What a reader must know.
    """

    inside: NDArray[np.bool_]
    codes: NDArray[np.uint8]
    counts: Mapping[str, int]
    notes: tuple[str, ...]


def assign_polygons(
    path: Path, lat: Any, lon: Any, *, field: str | None = None, mapping: Mapping[str, str] | None = None,
    unknown: str = "refuse", layer: str | None = None, progress: Progress | None = None,
) -> PolygonSample:  # fmt: skip
    """Ownership, or inside and outside.

    Parameters
    ----------
    path : Path
        Any layer that OGR reads: GeoPackage, shapefile, GeoJSON, file geodatabase and others.
    lat, lon : ndarray of float64, shape (n,)
        Centres of the clusters, WGS 84 [degrees].
    field : str, optional
        Field that names the owner; without one only inside and outside are told.
    mapping : mapping of str to str, optional
        Land use of `catalog.LAND_USES` of each owner; before the words of `polygons_owner.KNOWN_OWNERS`.
    unknown : {"refuse", "other"}
        What to do with owners that neither `mapping` nor the known words name.
    layer : str, optional
        Layer of the file; needed where it has several.
    progress : Progress, optional
        Told how many polygons are done.

    Returns
    -------
    PolygonSample
        `codes` are indices into `catalog.LAND_USES`. Where polygons of different owners overlap the smallest polygon
        counts, so that an inholding comes before the forest drawn around it; equal areas go to the lower code.

    Raises
    ------
    DataError
        If the layer cannot be placed or read, lies elsewhere, is empty, has no such field, or names owners that are not
        known.
    InvalidValueError
        If the positions are swapped, or `mapping` names another land use.
    """
    if unknown not in ("refuse", "other"):
        raise InvalidValueError(f"unknown = {unknown!r} is no choice.", 'Give "refuse" or "other".')
    if mapping and field is None:
        raise InvalidValueError("A mapping of owners is given but no field.", "Name the field that holds the owner.")
    if field is None:
        return classify_polygons(
            Path(path), lat, lon, field=None, codes={}, rank="smallest", layer=layer, holds="areas", progress=progress
        )
    given = owner_codes(mapping or {}, {owner: folded(owner) for owner in mapping or {}})
    return classify_polygons(
        Path(path), lat, lon, field=field, codes=_Owners(given, unknown == "other"), rank="smallest", layer=layer,
        holds="ownership", progress=progress,
    )  # fmt: skip


class _Owners(dict[str, int]):
    """Codes of owners: the given ones, else the known words; looked up as the layer is read."""

    def __init__(self, given: Mapping[str, int], rest_is_other: bool) -> None:
        super().__init__(given)
        self._rest = LAND_USES.index("other") if rest_is_other else None
        self.as_other: set[str] = set()

    def get(self, key: str, default: Any = None) -> Any:
        """Code of a folded word, None where there is none."""
        if key in self:
            return self[key]
        code = owner_code(key)
        if code is None and self._rest is not None:
            self.as_other.add(key)
            code = self._rest
        return default if code is None else code


@dataclass
class _Tally:
    """What was met on the way."""

    polygons: int = 0
    mended: int = 0
    unreadable: int = 0
    without_value: int = 0
    strays: dict[str, int] = field(default_factory=dict)


def classify_polygons(
    path: Path, lat: Any, lon: Any, *, field: str | None, codes: Mapping[str, int], rank: str, layer: str | None,
    holds: str, progress: Progress | None,
) -> PolygonSample:  # fmt: skip
    """Code of the polygon around each point.

    Parameters
    ----------
    path : Path
        Any layer that OGR reads.
    lat, lon : ndarray of float64, shape (n,)
        WGS 84 [degrees].
    field : str or None
        Field that holds the value, None for inside and outside alone.
    codes : mapping of str to int
        Code of each folded value (code number).
    rank : {"smallest", "highest"}
        Which polygon counts where some overlap: the smallest one, or the one of the highest code.
    layer : str or None
        Layer of the file.
    holds : str
        What the layer holds, for messages.
    progress : Progress, optional
        Told how many polygons are done.
    """
    lat, lon = checked_points(lat, lon)
    watch = progress or Silent()
    tally = _Tally()
    with open_layer(path, layer, field) as reader:
        x, y = reader.projection.forward(lat, lon)
        near = reader.overlaps(x, y)
        if not near:
            reader.refuse_elsewhere(lat, lon, x, y, must_overlap=field is not None)
        found = _Assignment(x, y, rank)
        if near:
            watch.start(f"reading {holds}", reader.features, "polygons")
            _read_all(reader, found, codes, tally, watch)
        if tally.strays:
            _refuse_strays(reader, tally.strays, field or "", list(dict.fromkeys(codes)), holds)
        system, warned = reader.projection.name, list(reader.warned)
    counts = {
        "clusters": lat.size, "inside": int(np.count_nonzero(found.inside)),
        "outside": int(np.count_nonzero(~found.inside)), "known": int(np.count_nonzero(found.codes != UNKNOWN_CODE)),
        "overlapping": int(np.count_nonzero(found.contested)), "polygons_read": tally.polygons,
        "polygons_mended": tally.mended, "polygons_unreadable": tally.unreadable,
        "polygons_without_value": tally.without_value,
    }  # fmt: skip
    notes = _notes(counts, tally, codes, rank, system, field)
    notes += [f"the reader warned: {text}" for text in warned[:_WARNINGS]]
    return PolygonSample(found.inside, found.codes, counts, tuple(notes))


def _read_all(
    reader: LayerReader, found: _Assignment, codes: Mapping[str, int], tally: _Tally, watch: Progress
) -> None:
    for batch in reader.batches(found.box):
        tally.polygons += batch.geometries.size + batch.unreadable
        tally.mended += batch.mended
        tally.unreadable += batch.unreadable
        number = np.full(batch.geometries.size, UNKNOWN_CODE, dtype=np.int64)
        for i, value in enumerate(batch.values):
            if not value:
                tally.without_value += 1
                continue
            code = codes.get(value)
            if code is None:
                tally.strays[value] = tally.strays.get(value, 0) + 1
            else:
                number[i] = code
        found.add(batch.geometries, number)
        watch.advance(batch.geometries.size + batch.unreadable)
    watch.advance(reader.features - tally.polygons)  # those far from every cluster


class _Assignment:
    """Points sorted into cells of neighbours, and the best polygon that each has met so far."""

    def __init__(self, x: Floats, y: Floats, rank: str) -> None:
        self._shapely = need("shapely")
        self._x, self._y, self._rank = x, y, rank
        n = x.size
        self.inside, self.contested = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
        self.codes = np.full(n, UNKNOWN_CODE, dtype=np.uint8)
        self._area = np.full(n, _NO_AREA)
        good = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
        self._cells = self._cells_of(good)
        boxes = [(x[c].min(), y[c].min(), x[c].max(), y[c].max()) for c in self._cells]
        self._tree = self._shapely.STRtree(self._shapely.box(*np.array(boxes).reshape(-1, 4).T))

    @property
    def box(self) -> Box:
        """Bounds of the points in the layer's coordinates."""
        x, y = self._x[np.isfinite(self._x)], self._y[np.isfinite(self._y)]
        return float(x.min()), float(y.min()), float(x.max()), float(y.max())

    def _cells_of(self, rows: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        """Strips of equal count from west to east, each cut from south to north."""
        strips = max(1, round(np.sqrt(rows.size / _CELL_POINTS)))
        out: list[NDArray[np.int64]] = []
        for strip in np.array_split(rows[np.argsort(self._x[rows], kind="stable")], strips):
            ordered = strip[np.argsort(self._y[strip], kind="stable")]
            out += [c for c in np.array_split(ordered, max(1, -(-ordered.size // _CELL_POINTS))) if c.size]
        return out

    def add(self, geometries: NDArray[Any], codes: NDArray[np.int64]) -> None:
        """Take a batch of polygons and their codes."""
        if not geometries.size:
            return
        shapely = self._shapely
        areas, bounds = shapely.area(geometries), shapely.bounds(geometries)
        shapely.prepare(geometries)
        for polygon, cell in self._tree.query(geometries, predicate="intersects").T.tolist():
            rows = self._cells[cell]
            px, py = self._x[rows], self._y[rows]
            west, south, east, north = bounds[polygon]
            near = (px >= west) & (px <= east) & (py >= south) & (py <= north)
            rows, px, py = rows[near], px[near], py[near]
            if rows.size:
                self._take(
                    rows[shapely.intersects_xy(geometries[polygon], px, py)], int(codes[polygon]), areas[polygon]
                )
        shapely.destroy_prepared(geometries)

    def _take(self, rows: NDArray[np.int64], code: int, area: float) -> None:
        self.inside[rows] = True
        if code == UNKNOWN_CODE:
            return
        held = self.codes[rows]
        empty = held == UNKNOWN_CODE
        self.contested[rows[~empty & (held != code)]] = True
        if self._rank == "highest":
            better = empty | (code > held)
        else:
            better = empty | (area < self._area[rows]) | ((area == self._area[rows]) & (code < held))
        self.codes[rows[better]] = code
        self._area[rows[better]] = area


def _refuse_strays(reader: LayerReader, strays: Mapping[str, int], field: str, known: list[str], holds: str) -> None:
    ordered = sorted(strays, key=lambda value: (-strays[value], value))
    shown = ", ".join(
        f"{value!r} ({strays[value]:,}{'; ' + AMBIGUOUS[value] if value in AMBIGUOUS and holds == 'ownership' else ''})"
        for value in ordered[:_LISTED]
    )
    more = f" and {len(ordered) - _LISTED} more" if len(ordered) > _LISTED else ""
    if holds == "ownership":
        fix = f"Give the land use of each ({', '.join(LAND_USES)}), or take a field that names the agency."
    else:
        fix = f"Give a class for each; given are {', '.join(repr(value) for value in known[:_LISTED])}."
    raise refused(
        reader.path, f"its field {field} holds values of {holds} that are not known, with their polygons: {shown}{more}",
        fix, "polygon_values",
    )  # fmt: skip


def _notes(
    counts: Mapping[str, int], tally: _Tally, codes: Mapping[str, int], rank: str, system: str, field: str | None
) -> list[str]:
    notes = [f"{counts['inside']:,} of {counts['clusters']:,} clusters lie in a polygon ({system})"]
    if counts["overlapping"]:
        rule = "the smallest polygon counts" if rank == "smallest" else "the higher class counts"
        notes.append(f"{counts['overlapping']:,} clusters lie in overlapping polygons of different values: {rule}")
    if field is not None and counts["inside"] > counts["known"]:
        notes.append(f"{counts['inside'] - counts['known']:,} clusters lie in polygons whose {field} is empty: unknown")
    if tally.mended:
        notes.append(f"{tally.mended:,} polygons crossed or touched themselves and were mended (make_valid)")
    if tally.unreadable:
        notes.append(f"WARNING: {tally.unreadable:,} polygons have no shape that can be read and are left out")
    if isinstance(codes, _Owners) and codes.as_other:
        names = sorted(codes.as_other)
        shown = ", ".join(repr(name) for name in names[:_LISTED]) + (", ..." if len(names) > _LISTED else "")
        notes.append(f"owners not recognised, taken as other: {shown}")
    return notes
