"""A layer set exported to Parquet, read through DuckDB: the answers of the directory that it was exported from."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.errors import InvalidValueError, LayerSetDamagedError
from csrag.geo import haversine_km, padded_box
from csrag.surfaces import exported, files
from csrag.surfaces.catalog import COLUMNS, CORE_COLUMNS, REMOVAL_COLUMNS, ROAD_COLUMNS, SITE_STAND_COLUMNS
from csrag.surfaces.exported import ExportManifest, Field, code_name
from csrag.surfaces.frame import ClusterFrame
from csrag.surfaces.index import OFFSETS, OFFSETS_DTYPE, RadiusIndex
from csrag.surfaces.manifest import MANIFEST_FILE, Manifest
from csrag.surfaces.roads import RoadNetwork
from csrag.surfaces.store import CATCHMENT_COLUMNS
from csrag.surfaces.stores.parquet_query import ParquetFiles, RowReader, column_of

_MEND = "Export the layer set again (csrag layers export), or restore the directory from a copy."
_BOX = "lat BETWEEN ? AND ? AND lon BETWEEN ? AND ?"


class ParquetStore:
    """A layer set in an export's directory, read only.

    A circle is one scan: row groups lie in the order of place, so a box leaves most of a file unread; the exact distance is
    taken in float64 over what the box brings.

    Parameters
    ----------
    path : Path or str
        The directory.

    Raises
    ------
    RequestError
        If DuckDB is not installed.
    LayerSetDamagedError
        If the manifest was altered or is of another version, or a file is missing or of another size.
    """

    def __init__(self, path: Path | str) -> None:
        self._path = Path(path)
        self._files = ParquetFiles(self._path)
        self._export = _manifest(self._path)
        self._manifest = m = self._export.layers
        _check_files(self._path, self._export)
        self._treatment = {t.name: i for i, t in enumerate(m.treatments)}
        self._cluster_fields = _by_column(exported.cluster_fields(m))
        self._record_fields = _by_column(exported.record_fields(m))
        self._kept: dict[str, NDArray[Any]] = {}
        self._lock = threading.RLock()
        self._index: RadiusIndex | None = None
        self._roads: RoadNetwork | None = None

    def __repr__(self) -> str:
        return f"ParquetStore({str(self._path)!r}, {len(self)} clusters)"

    def __len__(self) -> int:
        return int(self._export.files[exported.CLUSTERS_FILE]["rows"])

    @property
    def manifest(self) -> Manifest:
        """What the set holds."""
        return self._manifest

    @property
    def hash(self) -> str:
        """Hash of the whole layer set: that of the directory it was exported from, where all treatments were."""
        return self._manifest.layers_hash

    @property
    def path(self) -> str:
        """The directory."""
        return str(self._path)

    @property
    def file_names(self) -> tuple[str, ...]:
        """Every file of the export but its manifest."""
        return tuple(sorted(self._export.files))

    @property
    def size_bytes(self) -> int:
        """Size on disk [bytes]."""
        named = sum(int(entry["bytes"]) for entry in self._export.files.values())
        return named + (self._path / MANIFEST_FILE).stat().st_size

    @property
    def roads(self) -> RoadNetwork | None:
        """The road network, read at the first call, the same object every time; None where the set carries none."""
        if self._roads is None and all(name in self._manifest.columns for name in ROAD_COLUMNS):
            with self._lock:
                if self._roads is None:
                    names = [n for n in (*ROAD_COLUMNS, *CORE_COLUMNS) if n in self._manifest.columns]
                    self._roads = RoadNetwork.from_columns({name: self.column(name) for name in names})
        return self._roads

    def column(self, name: str) -> NDArray[Any]:
        """A whole column in storage order and storage axes, read-only; those without treatments are kept in memory."""
        if name in self._record_fields and COLUMNS[name].axes != "cluster":
            fields = self._record_fields[name]
            slabs = [self._whole(exported.record_file(t.name), "row", fields) for t in self._manifest.treatments]
            whole = np.stack(slabs)
            whole.setflags(write=False)
            return whole
        with self._lock:
            if name not in self._kept:
                values = self._read_column(name)
                values.setflags(write=False)
                self._kept[name] = values
            return self._kept[name]

    def within(self, lat: float, lon: float, radius_km: float) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Rows in a true circle, ascending, and their distances [km]; see `LayerStore.within`."""
        hits = self._whole_index().search(float(lat), float(lon), float(radius_km))
        return hits.rows, hits.distance_km

    def catchment(
        self, lat: float, lon: float, radius_km: float, treatment: str, columns: Sequence[str] = CATCHMENT_COLUMNS
    ) -> ClusterFrame:
        """One joint read of the three layers in one scan; see `LayerStore.catchment`."""
        self._require(treatment)
        unknown = [name for name in columns if name not in COLUMNS and name not in CATCHMENT_COLUMNS]
        if unknown:
            raise KeyError(unknown[0])
        lat, lon, radius_km = float(lat), float(lon), float(radius_km)
        reader = self._reader(treatment, columns, _BOX, padded_box(lat, lon, radius_km))
        away = haversine_km(lat, lon, reader.read("lat"), reader.read("lon"))
        near = np.flatnonzero(away <= radius_km)
        reader = reader.at_distance(away).take(near)
        return ClusterFrame.reading(columns, near.size, reader)

    def clusters_at(self, rows: NDArray[np.int64], treatment: str, columns: Sequence[str]) -> ClusterFrame:
        """Columns of one treatment at given rows; see `LayerStore.clusters_at`."""
        self._require(treatment)
        unknown = [name for name in columns if name not in COLUMNS and name != "row"]
        if unknown:
            raise KeyError(unknown[0])
        wanted = np.asarray(rows, dtype=np.int64)
        if not wanted.size:
            return ClusterFrame.reading(columns, 0, self._reader(treatment, columns, "row < 0"))
        first, last = int(wanted.min()), int(wanted.max())
        if first < 0 or last >= len(self):
            raise IndexError(f"row {first if first < 0 else last} of a set of {len(self)} clusters")
        reader = self._reader(treatment, columns, "row BETWEEN ? AND ?", (first, last))
        return ClusterFrame.reading(columns, wanted.size, reader.take(wanted - first))

    def stand(self, rows: NDArray[np.int64], treatment: str) -> ClusterFrame:
        """Simulator inputs of given rows, in the order given; see `LayerStore.stand`."""
        names = (*SITE_STAND_COLUMNS, *REMOVAL_COLUMNS)
        frame = self.clusters_at(rows, treatment, names)
        return ClusterFrame({name: frame[name] for name in names})

    def verify(self) -> list[str]:
        """Read every byte and compare hashes; returns what is wrong, one line a file."""
        wrong: list[str] = []
        for name, entry in sorted(self._export.files.items()):
            try:
                actual = files.sha256_of(self._path / name)
            except OSError as error:
                wrong.append(f"{name}: cannot be read ({error.strerror or error})")
                continue
            if actual != entry["sha256"]:
                wrong.append(f"{name}: was altered (its hash differs from the manifest's)")
        return wrong

    def _reader(self, treatment: str, columns: Sequence[str], where: str, values: Sequence[float] = ()) -> RowReader:
        """Reader of the records of a treatment where a condition on place or row holds, every column read in one scan.

        Cluster columns that records do not repeat come in a second scan, with the same condition and so the same rows.
        """
        wanted = [n for n in dict.fromkeys(("lat", "lon", *columns)) if n not in ("row", "distance_km")]
        own = [n for n in wanted if n in self._record_fields]
        fields = {n: self._record_fields[n] for n in own}
        found = self._files.ask(exported.record_file(treatment), "row", _names(fields), where, values)
        beside = {n: self._cluster_fields[n] for n in wanted if n not in fields}
        if beside:
            more = self._files.ask(exported.CLUSTERS_FILE, "row", _names(beside), where, values)
            if not np.array_equal(more["row"], found["row"]):
                raise LayerSetDamagedError(
                    f"{self._path}: the records of {treatment} are not those of its clusters.", _MEND
                )
            fields |= beside
            found |= {name: column for name, column in more.items() if name != "row"}
        return RowReader(fields, found, None)

    def _read_column(self, name: str) -> NDArray[Any]:
        if name == OFFSETS:
            cells = self._manifest.grid.cell_of(self.column("lat"), self.column("lon"))
            size = self._manifest.grid.rows * self._manifest.grid.cols
            offsets = np.zeros(size + 1, dtype=OFFSETS_DTYPE)
            np.cumsum(np.bincount(cells, minlength=size), out=offsets[1:])
            return offsets
        if name in self._cluster_fields:
            return self._whole(exported.CLUSTERS_FILE, "row", self._cluster_fields[name])
        for file, (index, fields) in exported.road_tables(self._manifest).items():
            parts = _by_column(fields).get(name)
            if parts:
                values = self._whole(file, index, parts)
                pointed = exported.pointed_table(name)
                if pointed is None:
                    return values
                return np.append(values, np.array([self._export.files[pointed]["rows"]], dtype=values.dtype))
        raise KeyError(name)

    def _whole(self, file: str, index: str, fields: Sequence[Field]) -> NDArray[Any]:
        return column_of(fields, self._files.ask(file, index, [code_name(f) for f in fields]))

    def _whole_index(self) -> RadiusIndex:
        with self._lock:
            if self._index is None:
                lat, lon = self.column("lat"), self.column("lon")
                self._index = RadiusIndex(self._manifest.grid, self.column(OFFSETS), lat, lon)
            return self._index

    def _require(self, treatment: str) -> None:
        if treatment not in self._treatment:
            raise InvalidValueError(
                f"The layer set {self._manifest.name} holds no treatment {treatment!r}.",
                f"It holds {', '.join(self._treatment)}.",
                code="treatment_not_in_layers",
            )


def _by_column(fields: Sequence[Field]) -> dict[str, tuple[Field, ...]]:
    """Fields by the column that they hold."""
    found: dict[str, tuple[Field, ...]] = {}
    for field in fields:
        found[field.column] = (*found.get(field.column, ()), field)
    return found


def _names(fields: dict[str, tuple[Field, ...]]) -> list[str]:
    return [code_name(f) for parts in fields.values() for f in parts]


def _manifest(path: Path) -> ExportManifest:
    file = path / MANIFEST_FILE
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise LayerSetDamagedError(f"{file} cannot be read as JSON: {error}.", _MEND) from None
    schema = data.get("schema") if isinstance(data, dict) else None
    if schema != exported.SCHEMA:
        raise LayerSetDamagedError(
            f"The export at {path} is of version {schema!r}; this program reads {exported.SCHEMA!r}.",
            "Export the layer set again with this version, or open it with the version that made it.",
            code="layer_set_version",
        )
    try:
        return ExportManifest.from_json(data)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise LayerSetDamagedError(f"{file} was altered after the export was made: {error}.", _MEND) from None


def _check_files(path: Path, manifest: ExportManifest) -> None:
    """Refuse an export with a file that is missing or of another size than its manifest says."""
    for name in exported.files_of(manifest.layers):
        if name not in manifest.files:
            raise LayerSetDamagedError(f"{path / MANIFEST_FILE} names no file {name}.", _MEND)
        expected = int(manifest.files[name]["bytes"])
        try:
            size = (path / name).stat().st_size
        except FileNotFoundError:
            raise LayerSetDamagedError(f"A file is missing: there is no {path / name}.", _MEND) from None
        except OSError as error:
            raise LayerSetDamagedError(f"{path / name} cannot be read: {error.strerror or error}.", _MEND) from None
        if size != expected:
            what = "truncated" if size < expected else "too long"
            raise LayerSetDamagedError(f"{path / name} is {what}: {size} bytes where {expected} are expected.", _MEND)
