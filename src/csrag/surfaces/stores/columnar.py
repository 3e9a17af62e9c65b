"""The default store: one directory of memory-mapped columns in cell order, and a manifest."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.errors import InvalidValueError, LayerSetDamagedError, LayerSetMissingError
from csrag.surfaces import files
from csrag.surfaces.catalog import COLUMNS, CORE_COLUMNS, REMOVAL_COLUMNS, ROAD_COLUMNS, SITE_STAND_COLUMNS
from csrag.surfaces.derived import DERIVABLE
from csrag.surfaces.frame import ClusterFrame
from csrag.surfaces.index import OFFSETS, Hits, RadiusIndex
from csrag.surfaces.manifest import MANIFEST_FILE, SCHEMA, ColumnFile, Manifest, stored_hash_matches
from csrag.surfaces.roads import RoadNetwork
from csrag.surfaces.store import CATCHMENT_COLUMNS
from csrag.surfaces.stores.reading import CircleReader, StoredColumns

_MEND = (
    "Build or import the layer set again (`csrag layers build`, `csrag layers import`), or restore the directory from "
    "a copy; `csrag layers verify` lists every damaged file."
)


class ColumnarStore:
    """A layer set in a directory.

    Opening reads the manifest and each file's header, not the columns: a set of 100,000 clusters opens in a few
    milliseconds.

    Parameters
    ----------
    path : Path or str
        The directory.

    Raises
    ------
    LayerSetMissingError
        If there is no layer set.
    LayerSetDamagedError
        If the manifest was altered or is of a foreign version, or a column is missing, truncated or of another form.
    """

    def __init__(self, path: Path | str) -> None:
        self._path = Path(path)
        self._manifest = _read_manifest(self._path)
        self._columns = {name: _open(self._path, name, entry) for name, entry in self._manifest.columns.items()}
        self._roads = RoadNetwork.from_columns(self._columns)
        self._stored = StoredColumns(self._columns, self._manifest)
        self._worked_out: dict[str, NDArray[Any]] = {}
        self._treatment = {t.name: i for i, t in enumerate(self._manifest.treatments)}
        self._index = RadiusIndex(
            self._manifest.grid, self._columns[OFFSETS], self._columns["lat"], self._columns["lon"]
        )

    def __repr__(self) -> str:
        return f"ColumnarStore({str(self._path)!r}, {len(self)} clusters)"

    def __len__(self) -> int:
        return int(self._columns["cluster_no"].shape[0])

    @property
    def manifest(self) -> Manifest:
        """What the set holds."""
        return self._manifest

    @property
    def hash(self) -> str:
        """Hash of the whole layer set."""
        return self._manifest.layers_hash

    @property
    def path(self) -> str:
        """The directory."""
        return str(self._path)

    @property
    def roads(self) -> RoadNetwork | None:
        """The road network, mapped, the same object every time; None where the set carries none."""
        return self._roads

    @property
    def size_bytes(self) -> int:
        """Size on disk [bytes]."""
        return sum(entry.stat().st_size for entry in self._path.iterdir() if entry.is_file())

    def column(self, name: str) -> NDArray[Any]:
        """A whole column in storage order and storage axes, read-only.

        What a compact set derives is worked out for all clusters at the first call and kept in memory.
        """
        if not self._stored.is_derived(name):
            return self._columns[name]
        if name not in self._worked_out:

            def slab(t: int) -> NDArray[np.float32]:
                return self._stored.derived_tons(name, t, None, lambda source: self._stored.stored(source, t))

            whole = np.stack([slab(t) for t in range(len(self._treatment))])
            whole.setflags(write=False)
            self._worked_out[name] = whole
        return self._worked_out[name]

    def within(self, lat: float, lon: float, radius_km: float) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Rows in a true circle, ascending, and their distances [km]; see `LayerStore.within`."""
        hits = self._index.search(float(lat), float(lon), float(radius_km))
        return hits.rows, hits.distance_km

    def catchment(
        self, lat: float, lon: float, radius_km: float, treatment: str, columns: Sequence[str] = CATCHMENT_COLUMNS
    ) -> ClusterFrame:
        """One joint read of the three layers; see `LayerStore.catchment`."""
        at = self._treatment_index(treatment)
        hits = self._index.search(float(lat), float(lon), float(radius_km))
        unknown = [name for name in columns if name not in COLUMNS and name not in CATCHMENT_COLUMNS]
        if unknown:
            raise KeyError(unknown[0])
        return ClusterFrame.reading(columns, hits.rows.size, CircleReader(self._stored, at, hits))

    def clusters_at(self, rows: NDArray[np.int64], treatment: str, columns: Sequence[str]) -> ClusterFrame:
        """Columns of one treatment at given rows; see `LayerStore.clusters_at`."""
        at = self._treatment_index(treatment)
        unknown = [name for name in columns if name not in COLUMNS and name != "row"]
        if unknown:
            raise KeyError(unknown[0])
        hits = Hits(np.asarray(rows, dtype=np.int64), np.zeros(len(rows)))
        return ClusterFrame.reading(columns, len(rows), CircleReader(self._stored, at, hits))

    def stand(self, rows: NDArray[np.int64], treatment: str) -> ClusterFrame:
        """Simulator inputs of given rows; see `LayerStore.stand`."""
        at = self._treatment_index(treatment)
        values = {name: np.take(self._columns[name], rows) for name in SITE_STAND_COLUMNS}
        values.update({name: np.take(self._columns[name][at], rows) for name in REMOVAL_COLUMNS})
        return ClusterFrame(values)

    def verify(self) -> list[str]:
        """Read every byte and compare hashes; returns what is wrong, one line a file."""
        wrong: list[str] = []
        for name, entry in sorted(self._manifest.columns.items()):
            try:
                actual = files.sha256_of(self._path / entry.file)
            except OSError as error:
                wrong.append(f"{entry.file}: cannot be read ({error.strerror or error})")
                continue
            if actual != entry.sha256:
                wrong.append(f"{entry.file}: column {name} was altered (its hash differs from the manifest's)")
        return wrong

    def _treatment_index(self, treatment: str) -> int:
        at = self._treatment.get(treatment)
        if at is None:
            raise InvalidValueError(
                f"The layer set {self._manifest.name} holds no treatment {treatment!r}.",
                f"It holds {', '.join(self._treatment)}.",
                code="treatment_not_in_layers",
            )
        return at


def _read_manifest(path: Path) -> Manifest:
    file = path / MANIFEST_FILE
    if not file.is_file():
        if path.is_dir() and any(path.glob("*.npy")):
            raise LayerSetDamagedError(f"{path} holds columns but no {MANIFEST_FILE}.", _MEND)
        raise LayerSetMissingError(
            f"There is no layer set at {path}.",
            "Build one with `csrag layers build --out DIR`, or import a table: `csrag layers import FILE --out DIR`.",
        )
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise LayerSetDamagedError(f"{file} cannot be read as JSON: {error}.", _MEND) from None
    schema = data.get("schema") if isinstance(data, dict) else None
    if schema != SCHEMA:
        raise LayerSetDamagedError(
            f"{path} is of version {schema!r}; this program reads {SCHEMA!r}.",
            "Build or import it again with this version, or open it with the version that made it.",
            code="layer_set_version",
        )
    if not stored_hash_matches(data):
        raise LayerSetDamagedError(f"{file} was altered after the layer set was made.", _MEND)
    try:
        manifest = Manifest.from_json(data)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise LayerSetDamagedError(f"{file} lacks a field or has one of the wrong form: {error}.", _MEND) from None
    strange = [name for name in manifest.derived if name not in DERIVABLE]
    if strange:
        raise LayerSetDamagedError(f"{file} derives {', '.join(strange)}, which cannot be derived.", _MEND)
    needed = [name for name in (*COLUMNS, OFFSETS) if name not in manifest.derived]
    missing = [name for name in needed if name not in manifest.columns]
    if missing:
        raise LayerSetDamagedError(f"{file} names no column {', '.join(missing)}.", _MEND)
    for table in (ROAD_COLUMNS, CORE_COLUMNS):
        absent = [name for name in table if name not in manifest.columns]
        if 0 < len(absent) < len(table):
            raise LayerSetDamagedError(f"{file} names part of a road network and no column {', '.join(absent)}.", _MEND)
    return manifest


def _open(path: Path, name: str, entry: ColumnFile) -> NDArray[Any]:
    """Map one column after comparing its header and size with the manifest."""
    file = path / entry.file
    head = files.header(entry.dtype, entry.shape)
    try:
        size = file.stat().st_size
        with file.open("rb") as stream:
            found = stream.read(len(head))
    except FileNotFoundError:
        raise LayerSetDamagedError(f"Column {name} is missing: there is no file {file}.", _MEND) from None
    except OSError as error:
        raise LayerSetDamagedError(f"{file} cannot be read: {error.strerror or error}.", _MEND) from None
    expected = files.file_bytes(entry.dtype, entry.shape)
    if size != expected:
        what = "truncated" if size < expected else "too long"
        raise LayerSetDamagedError(f"{file} is {what}: {size} bytes where {expected} are expected.", _MEND)
    if found != head:
        raise LayerSetDamagedError(
            f"{file} does not hold {entry.dtype} of shape {entry.shape} as the manifest says.", _MEND
        )
    return files.open_column(file, entry.dtype, entry.shape)
