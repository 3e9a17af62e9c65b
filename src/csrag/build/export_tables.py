"""Tables of an export: arrays of a layer set as Arrow, geometry, circuity factors, and the words that travel with them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.build.layer_view import cheapest
from csrag.errors import LayerSetDamagedError
from csrag.surfaces import exported
from csrag.surfaces.catalog import FAMILIES, FEEDSTOCK_CLASS_OF
from csrag.surfaces.exported import AUTO, CODED, FLAGS, Field
from csrag.surfaces.manifest import Manifest
from csrag.surfaces.store import LayerStore

_BLOCK_ROWS = 8 * exported.ROW_GROUP_ROWS
_POINT = np.dtype([("order", "u1"), ("kind", "<u4"), ("x", "<f8"), ("y", "<f8")])
"""A point as little-endian well-known binary, 21 bytes."""
_BESIDE = {
    "row": ("", "storage row of the cluster, from 0; the same in every table"),
    "geometry": ("degrees", "cluster centre as a point, longitude and latitude (OGC:CRS84)"),
    "bbox": ("degrees", "box around the geometry, single precision, rounded outwards"),
    "auto_system": ("", "cheapest feasible ground or cable system; NULL where none is feasible"),
    "auto_cost_usd_per_bdt": ("USD per BDT", "its harvest cost of feedstock at the landing"),
    "auto_feedstock_bdt": ("BDT per cluster", "its feedstock of the whole cluster, bone dry"),
    "mode": ("", "zone: one factor a zone; stratified: by zone and band of straight-line distance"),
    "from_km": ("km", "straight-line distance from which the factor holds"),
    "to_km": ("km", "straight-line distance below which it holds; the last band is open"),
    "factor": ("", "road over straight-line distance"),
    "known": ("", "false where a median stands in for an unknown factor"),
    "from_node": ("", "road node that the arc leaves"),
}


class Tables:
    """The Arrow tables of one export.

    Parameters
    ----------
    store : LayerStore
        The layer set.
    manifest : Manifest
        Of what is exported: the store's own, or its part with fewer treatments.
    """

    def __init__(self, store: LayerStore, manifest: Manifest) -> None:
        self._store, self._manifest = store, manifest

    def schema(self, file: str) -> Any:
        """Arrow schema of a file, with units, meanings and what the data is."""
        import pyarrow as pa

        table = self._road_table(file, slice(0, 0)) if file.startswith("roads/") else None
        if table is None:
            table = next(self.tables(file, rows=slice(0, 0)))
        words = self.columns(file)
        fields = [f.with_metadata({k: v for k, v in words[f.name].items() if v}) for f in table.schema]
        m = self._manifest
        about = {"schema": exported.SCHEMA, "layer_set": m.name, "layers_hash": m.layers_hash, "synthetic": m.synthetic,
                 "note": exported.synthetic_note(m)}  # fmt: skip
        metadata = {"csrag": json.dumps(about), "synthetic": str(m.synthetic).lower()}
        if file == exported.CLUSTERS_FILE:
            metadata["geo"] = json.dumps(geo_metadata(self._store.column("lat"), self._store.column("lon")))
        return pa.schema(fields, metadata=metadata)

    def columns(self, file: str) -> dict[str, dict[str, str]]:
        """Unit and meaning of every column of a file."""
        fields, index = self._fields(file)
        found = {index: _BESIDE.get(index, ("", f"number of the {index}, from 0"))} if index else {}
        for field in fields:
            found[field.name] = (field.unit if field.column not in CODED else "", field.meaning)
            if field.column in CODED:
                found[f"{field.name}_code"] = ("code", f"the same as the number in the manifest's codes.{field.column}")
        beside = {
            exported.CLUSTERS_FILE: ("geometry", "bbox"), "roads/arcs.parquet": ("from_node",),
            exported.CIRCUITY_FILE: ("mode", "zone", "from_km", "to_km", "factor", "known"),
        }.get(file, AUTO if file.startswith("records/") else ())  # fmt: skip
        for name in beside:
            found[name] = _BESIDE.get(name, ("", "circuity zone; NULL where it is unknown"))
        return {name: {"unit": unit, "meaning": meaning} for name, (unit, meaning) in found.items()}

    def tables(self, file: str, rows: slice | None = None) -> Iterator[Any]:
        """The file's contents block by block, in the order of storage."""
        if file == exported.CIRCUITY_FILE:
            yield circuity_table(self._manifest)
        elif file.startswith("roads/"):
            yield self._road_table(file, slice(None))
        else:
            blocks = [rows] if rows is not None else _blocks(len(self._store))
            for block in blocks:
                yield self._clusters(block) if file == exported.CLUSTERS_FILE else self._records(file, block)

    def _fields(self, file: str) -> tuple[Sequence[Field], str]:
        """Fields of a file, and its index column."""
        if file == exported.CLUSTERS_FILE:
            return exported.cluster_fields(self._manifest), "row"
        if file.startswith("records/"):
            return exported.record_fields(self._manifest), "row"
        if file.startswith("roads/"):
            index, fields = exported.road_tables(self._manifest)[file]
            return fields, index
        return (), ""

    def _clusters(self, rows: slice) -> Any:
        import pyarrow as pa

        at = np.arange(rows.start, rows.stop, dtype=np.int64)
        fields, _ = self._fields(exported.CLUSTERS_FILE)
        own = [f.column for f in fields if not f.column.startswith("landing_")]
        frame = self._store.clusters_at(at, self._manifest.treatments[0].name, own)
        values = {f.column: frame[f.column] if f.column in own else self._store.column(f.column)[rows] for f in fields}
        columns = {"row": pa.array(at.astype(np.int32)), **self._arrays(fields, values)}
        columns["geometry"] = points_wkb(values["lat"], values["lon"])
        columns["bbox"] = boxes(values["lat"], values["lon"])
        return pa.table(columns)

    def _records(self, file: str, rows: slice) -> Any:
        import pyarrow as pa

        treatment = next(t.name for t in self._manifest.treatments if exported.record_file(t.name) == file)
        at = np.arange(rows.start, rows.stop, dtype=np.int64)
        fields, _ = self._fields(file)
        frame = self._store.clusters_at(at, treatment, tuple(dict.fromkeys(f.column for f in fields)))
        arrays = self._arrays(fields, frame)
        first = len(exported.SITE_COLUMNS)
        codes = {name: array for name, array in arrays.items() if name.endswith("_code")}
        named = [(name, array) for name, array in arrays.items() if name not in codes]
        auto = auto_columns(self._manifest, frame["cost_usd_per_bdt"], frame["feedstock_bdt"])
        columns = {"row": pa.array(at.astype(np.int32)), **dict(named[:first]), **auto, **dict(named[first:]), **codes}
        return pa.table(columns)

    def _road_table(self, file: str, rows: slice) -> Any:
        import pyarrow as pa

        fields, index = self._fields(file)
        whole = {f.column: self._store.column(f.column) for f in fields}
        for name, values in whole.items():
            pointed = exported.pointed_table(name)
            if pointed is None:
                continue
            there = self._store.column(exported.road_tables(self._manifest)[pointed][1][0].column).shape[-1]
            if int(values[-1]) != there:
                raise LayerSetDamagedError(f"Column {name} ends at {int(values[-1])} where there are {there} entries.")
            whole[name] = values[:-1]
        length = next(iter(whole.values())).shape[-1]
        columns = {index: pa.array(np.arange(length, dtype=np.int32)[rows])}
        if index == "arc":
            starts = self._store.column("road_indptr")
            leaves = np.repeat(np.arange(starts.size - 1, dtype=np.int32), np.diff(starts))
            columns["from_node"] = pa.array(leaves[rows])
        return pa.table({**columns, **self._arrays(fields, {n: v[..., rows].T for n, v in whole.items()})})

    def _arrays(self, fields: Sequence[Field], values: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
        """Arrow arrays of the columns of a frame, codes by name and as numbers."""
        out: dict[str, Any] = {}
        for field in fields:
            part = values[field.column] if field.at is None else values[field.column][:, field.at]
            out.update(_arrow(field, np.ascontiguousarray(part), self._manifest))
        return out


def _arrow(field: Field, values: NDArray[Any], manifest: Manifest) -> dict[str, Any]:
    import pyarrow as pa

    if field.column in FLAGS:
        if values.size and values.max() > 1:
            raise LayerSetDamagedError(f"Column {field.column} holds {int(values.max())} where 0 or 1 is expected.")
        return {field.name: pa.array(values.astype(bool))}
    unknown = field.unknown
    if unknown is None:
        return {field.name: pa.array(values)}
    missing = np.isnan(values) if field.dtype.kind == "f" else values == unknown
    if field.column not in CODED:
        return {field.name: pa.array(values, mask=missing)}
    names = manifest.codes.get(field.column, ())
    named = pa.DictionaryArray.from_arrays(
        pa.array(np.where(values < len(names), values, 0).astype(np.int16), mask=values >= len(names)),
        pa.array(list(names), type=pa.string()),
    )
    return {field.name: named, f"{field.name}_code": pa.array(values, mask=missing)}


def auto_columns(manifest: Manifest, costs: NDArray[np.float32], feedstock: NDArray[np.float32]) -> dict[str, Any]:
    """The cheapest feasible ground or cable system of each record, its cost and its feedstock, as Arrow arrays.

    Parameters
    ----------
    manifest : Manifest
        Systems and feedstock classes, in storage order.
    costs : ndarray of float32, shape (k, systems)
        Harvest costs [USD per BDT]; NaN infeasible.
    feedstock : ndarray of float32, shape (k, classes)
        [BDT per cluster].
    """
    import pyarrow as pa

    among = [i for i, name in enumerate(manifest.systems) if name in FAMILIES["auto"]]
    best, which = cheapest(costs.T, among)
    none = which < 0
    at = np.maximum(which, 0)
    of_system = np.array([FEEDSTOCK_CLASS_OF[name] for name in manifest.systems], dtype=np.int64)
    tons = feedstock[np.arange(len(at)), of_system[at]]
    system = pa.DictionaryArray.from_arrays(
        pa.array(at.astype(np.int8), mask=none), pa.array(list(manifest.systems), type=pa.string())
    )
    arrays = (system, pa.array(best.astype(np.float32), mask=none), pa.array(tons, mask=none | np.isnan(tons)))
    return dict(zip(AUTO, arrays, strict=True))


def points_wkb(lat: NDArray[np.float64], lon: NDArray[np.float64]) -> Any:
    """Points as an Arrow array of well-known binary.

    Parameters
    ----------
    lat, lon : ndarray of float64, shape (n,)
        [degrees]
    """
    import pyarrow as pa

    points = np.empty(lat.size, dtype=_POINT)
    points["order"], points["kind"], points["x"], points["y"] = 1, 1, lon, lat
    ends = np.arange(lat.size + 1, dtype=np.int32) * _POINT.itemsize
    return pa.Array.from_buffers(pa.binary(), lat.size, [None, pa.py_buffer(ends), pa.py_buffer(points.tobytes())])


def boxes(lat: NDArray[np.float64], lon: NDArray[np.float64]) -> Any:
    """Boxes around points as an Arrow struct array of single-precision corners, rounded outwards [degrees]."""
    import pyarrow as pa

    def outwards(values: NDArray[np.float64], towards: float) -> NDArray[np.float32]:
        near = values.astype(np.float32)
        short = near > values if towards < 0 else near < values
        return np.where(short, np.nextafter(near, np.float32(towards)), near).astype(np.float32)

    corners = {"xmin": (lon, -np.inf), "ymin": (lat, -np.inf), "xmax": (lon, np.inf), "ymax": (lat, np.inf)}
    return pa.StructArray.from_arrays([pa.array(outwards(*given)) for given in corners.values()], names=list(corners))


def geo_metadata(lat: NDArray[np.float64], lon: NDArray[np.float64]) -> dict[str, Any]:
    """The `geo` key of a GeoParquet 1.1 file of points in longitude and latitude (OGC:CRS84, the default)."""
    about: dict[str, Any] = {
        "encoding": "WKB", "geometry_types": ["Point"],
        "covering": {"bbox": {side: ["bbox", side] for side in ("xmin", "ymin", "xmax", "ymax")}},
    }  # fmt: skip
    if lat.size:
        about["bbox"] = [float(lon.min()), float(lat.min()), float(lon.max()), float(lat.max())]
    return {"version": "1.1.0", "primary_column": "geometry", "columns": {"geometry": about}}


def circuity_table(manifest: Manifest) -> Any:
    """Circuity factor by mode, zone (NULL: unknown) and band of straight-line distance, as an Arrow table.

    Every combination has a row whose factor can be used as it is: where a zone's own is unknown, the band's median stands
    in, else the zones' median. A set without factors has no rows.
    """
    import pyarrow as pa

    told = manifest.transport or {}
    zones = [float(f) for f in manifest.zone_factors]
    table = [[np.nan if f is None else float(f) for f in row] for row in told.get("stratified") or ()]
    medians = [np.nan if f is None else float(f) for f in told.get("band_medians") or ()]
    width = max(len(medians), len(table[0]) if table else 0, 1)
    edges = [0.0, *(float(e) for e in list(told.get("bands_km") or ())[1:width]), np.inf]
    middle = _median_factor(told.get("zone_median"), zones)
    rows: list[tuple[str, int | None, float, float, float, bool]] = []
    for mode, count in (("zone", len(zones)), ("stratified", len(table))):
        for zone in (*range(count), None) if count else ():
            for band in range(len(edges) - 1):
                own = np.nan if zone is None else zones[zone] if mode == "zone" else table[zone][band]
                stand_in = medians[band] if band < len(medians) and medians[band] >= 1 else middle
                known = bool(np.isfinite(own) and own >= 1)
                factor = own if known else stand_in
                if factor is not None:
                    rows.append((mode, zone, edges[band], edges[band + 1], factor, known))
    types = (pa.string(), pa.int16(), pa.float64(), pa.float64(), pa.float64(), pa.bool_())
    names = ("mode", "zone", "from_km", "to_km", "factor", "known")
    return pa.table(
        {n: pa.array([r[i] for r in rows], type=t) for i, (n, t) in enumerate(zip(names, types, strict=True))}
    )


def _median_factor(given: float | None, zones: Sequence[float]) -> float | None:
    if given is not None and given >= 1.0:
        return float(given)
    finite = [z for z in zones if np.isfinite(z)]
    return max(float(np.median(finite)), 1.0) if finite else None


def _blocks(n: int) -> list[slice]:
    return [slice(a, min(a + _BLOCK_ROWS, n)) for a in range(0, n, _BLOCK_ROWS)] or [slice(0, 0)]
