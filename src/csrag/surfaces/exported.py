"""Names and forms of a layer set exported to Parquet: what a writer lays down and what a reader finds.

One directory an export::

    manifest.json                     `csrag.geoparquet/1`: the layer set's own manifest, every file's rows, bytes and SHA-256
    clusters.parquet                  a row a cluster, storage order: cluster columns, point geometry (GeoParquet 1.1)
    records/treatment=NAME/part-0.parquet   a row a cluster and treatment: position, filters, costs, tons
    circuity.parquet                  road over straight-line distance by mode, zone and distance band
    roads/nodes, arcs, core, chains   the road network, where the set carries one

Unknown is NULL. Codes stand twice: by name for people, and as the number that the layer set has. `cluster_no` and `row`
(storage row, from 0) join the tables.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from csrag.surfaces.catalog import (
    CLUSTER_COLUMNS,
    COLUMNS,
    CORE_COLUMNS,
    REMOVAL_COLUMNS,
    ROAD_COLUMNS,
    UNKNOWN_CODE,
    Column,
)
from csrag.surfaces.index import OFFSETS
from csrag.surfaces.manifest import MANIFEST_FILE, Manifest

SCHEMA = "csrag.geoparquet/1"
ROW_GROUP_ROWS = 16_384
"""Rows of a row group, in cell order: a circle of 28 km meets four of California's 66."""
CODED = ("land_use", "county", "forest_type", "hazard_class")
FLAGS = ("wilderness", "roaded")
SITE_COLUMNS = (
    "cluster_no", "lat", "lon", "area_acres", "slope_pct", "burn_probability", "zone", "land_use", "wilderness", "county",
    "hazard_class",
)  # fmt: skip
"""Cluster columns that every record repeats, so that a site is one scan."""
AUTO = ("auto_system", "auto_cost_usd_per_bdt", "auto_feedstock_bdt")
"""Cheapest feasible ground or cable system of a record, its cost, and its feedstock."""
_NETWORK = {**ROAD_COLUMNS, **CORE_COLUMNS}
_ROAD_TABLES = {"nodes": "node", "arcs": "arc", "core": "core", "chains": "chain"}


@dataclass(frozen=True)
class Field:
    """One exported column that holds (part of) a column of the layer set.

    Parameters
    ----------
    name : str
        Name in the file, unit suffix included.
    column : str
        Column of the layer set.
    at : int or None
        Position on that column's middle axis: system, class or end; None without one.
    unit, meaning : str
        For people.
    """

    name: str
    column: str
    at: int | None
    unit: str
    meaning: str

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type in the layer set."""
        return np.dtype(known(self.column).dtype)

    @property
    def unknown(self) -> float | int | None:
        """What stands in the layer set where the file has NULL; None where nothing is ever unknown."""
        if self.dtype.kind == "f":
            return float("nan")
        if self.column in CODED:
            return UNKNOWN_CODE
        return -1 if self.column in ("zone", "landing_node", "core_chain") else None


def known(column: str) -> Column:
    """Catalog entry of a stored column, roads included."""
    return COLUMNS[column] if column in COLUMNS else _NETWORK[column]


def slug(label: str) -> str:
    """A label as part of a column name: `Ground-Based Mech WT` is `ground_based_mech_wt`."""
    return re.sub(r"[^a-z0-9]+", "_", label.lower()).strip("_")


def cluster_fields(manifest: Manifest) -> tuple[Field, ...]:
    """Columns of `clusters.parquet` that hold the set's, in order."""
    landing = [n for n, c in ROAD_COLUMNS.items() if c.axes == "cluster" and n in manifest.columns]
    return tuple(_plain(name) for name in (*CLUSTER_COLUMNS, *landing))


def record_fields(manifest: Manifest) -> tuple[Field, ...]:
    """Columns of a record file that hold the set's, in order."""
    cost, feedstock = COLUMNS["cost_usd_per_bdt"], COLUMNS["feedstock_bdt"]
    return (
        *(_plain(name) for name in SITE_COLUMNS),
        *(Field(f"cost_{slug(s)}_usd_per_bdt", cost.name, i, cost.unit, f"{cost.meaning.replace('NaN', 'NULL')}; {s}")
          for i, s in enumerate(manifest.systems)),
        *(Field(f"feedstock_{slug(c)}_bdt", feedstock.name, i, feedstock.unit, f"{feedstock.meaning}; {c}")
          for i, c in enumerate(manifest.feedstock_classes)),
        *(_plain(name) for name in ("coproduct_bdt", *REMOVAL_COLUMNS)),
    )  # fmt: skip


def road_tables(manifest: Manifest) -> dict[str, tuple[str, tuple[Field, ...]]]:
    """File of each road table with its index column and fields; empty for a set without roads.

    A column of one more than nodes (or core nodes) has no place for its last entry, which is the number of arcs (chains).
    """
    found: dict[str, tuple[str, tuple[Field, ...]]] = {}
    for table, index in _ROAD_TABLES.items():
        fields: list[Field] = []
        for name, column in _NETWORK.items():
            if name not in manifest.columns or column.axes == "cluster":
                continue
            if column.axes in (index, f"{index}+1"):
                fields.append(_plain(name))
            elif column.axes == f"end,{index}":
                fields += [Field(f"{word}_{name}", name, at, column.unit, f"{column.meaning}; {word} end")
                           for at, word in enumerate(("first", "second"))]  # fmt: skip
        if fields:
            found[f"roads/{table}.parquet"] = (index, tuple(fields))
    return found


def pointed_table(column: str) -> str | None:
    """Road table whose length is the last entry of a column of one more than nodes; None for other columns."""
    return {"road_indptr": "roads/arcs.parquet", "core_indptr": "roads/chains.parquet"}.get(column)


def record_file(treatment: str) -> str:
    """Where the records of a treatment lie, by its name."""
    return f"records/treatment={quote(treatment, safe='')}/part-0.parquet"


CLUSTERS_FILE, CIRCUITY_FILE = "clusters.parquet", "circuity.parquet"


def code_name(field: Field) -> str:
    """Column that holds the number where `field.name` holds the name."""
    return f"{field.name}_code" if field.column in CODED else field.name


def _plain(name: str) -> Field:
    column = known(name)
    meaning = re.sub(r"(?<!\w)(NaN|255|-1)(?= )", "NULL", column.meaning).replace("coded in manifest.codes", "by name")
    return Field(name, name, None, column.unit, meaning)


@dataclass(frozen=True)
class ExportManifest:
    """The manifest of an export.

    Parameters
    ----------
    layers : Manifest
        Of the layer set that the export holds.
    files : mapping of str to mapping
        Of every file, by its path inside the export: `rows`, `bytes` and `sha256`.
    columns : mapping of str to mapping
        Unit and meaning of every column by table, for people.
    """

    layers: Manifest
    files: Mapping[str, Mapping[str, Any]]
    columns: Mapping[str, Mapping[str, Mapping[str, str]]]

    def dumps(self) -> str:
        """Text of `manifest.json`."""
        m = self.layers
        data: dict[str, Any] = {
            "schema": SCHEMA, "name": m.name, "title": m.title, "synthetic": m.synthetic, "layers_hash": m.layers_hash,
            "note": synthetic_note(m), "treatments": {t.name: record_file(t.name) for t in m.treatments},
            "files": {name: dict(entry) for name, entry in self.files.items()}, "columns": self.columns,
            "layer_set": m.to_json(),
        }  # fmt: skip
        data["export_hash"] = _hash_of(data)
        return json.dumps(data, indent=1, sort_keys=True, allow_nan=False) + "\n"

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ExportManifest:
        """From the JSON object of `dumps`.

        Raises
        ------
        KeyError, TypeError, ValueError
            If a field is missing or of the wrong form, or the text was altered.
        """
        if data.get("export_hash") != _hash_of(data):
            raise ValueError("its hash does not fit")
        layers = Manifest.from_json(data["layer_set"])
        if layers.layers_hash != layers.compute_hash():
            raise ValueError("the layer set's hash does not fit")
        files = {str(n): {"rows": int(e["rows"]), "bytes": int(e["bytes"]), "sha256": str(e["sha256"])}
                 for n, e in data["files"].items()}  # fmt: skip
        return cls(layers, files, data["columns"])


def synthetic_note(manifest: Manifest) -> str:
    """What every file says of made-up data; empty for real data."""
    return "SYNTHETIC: made-up demonstration data, not California's forest" if manifest.synthetic else ""


def export_schema(place: Path) -> str | None:
    """Schema of the export in a directory, of whatever version; None where there is no export of csrag's.

    Raises
    ------
    OSError
        If the directory cannot be read.
    """
    file = place / MANIFEST_FILE
    if not file.is_file():
        return None
    try:
        with file.open(encoding="utf-8") as stream:
            data = json.load(stream)
    except ValueError:
        return None
    schema = data.get("schema") if isinstance(data, dict) else None
    return schema if isinstance(schema, str) and schema.split("/")[0] == SCHEMA.split("/")[0] else None


def is_export(place: Path) -> bool:
    """Whether a directory is an export rather than a layer set's own, at next to no cost for the latter.

    Raises
    ------
    OSError
        If the directory cannot be read.
    """
    return not (place / f"{OFFSETS}.npy").is_file() and export_schema(place) is not None


def files_of(manifest: Manifest, treatments: Sequence[str] | None = None) -> tuple[str, ...]:
    """Every file of an export but its manifest, in the order of writing."""
    names = manifest.treatment_names if treatments is None else treatments
    return (CLUSTERS_FILE, CIRCUITY_FILE, *road_tables(manifest), *(record_file(name) for name in names))


def _hash_of(data: Mapping[str, Any]) -> str:
    kept = {key: value for key, value in data.items() if key != "export_hash"}
    return hashlib.sha256(json.dumps(kept, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()).hexdigest()
