"""Export a layer set as GeoParquet: file by file, each checked when the work goes on, the whole shown when it is done."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from csrag.build.export_place import Place
from csrag.build.export_tables import Tables
from csrag.build.layout import lock_file, resolved, writing
from csrag.build.lock import writer_lock
from csrag.build.progress import Progress, Silent
from csrag.build.scales import counts
from csrag.errors import DataError, InvalidValueError, RequestError
from csrag.surfaces import exported, files
from csrag.surfaces.catalog import COLUMNS
from csrag.surfaces.derived import COPRODUCT, FEEDSTOCK, stored_classes
from csrag.surfaces.exported import ExportManifest
from csrag.surfaces.manifest import MANIFEST_FILE, Manifest
from csrag.surfaces.store import LayerStore

_PACKED_SHARE = 0.4
"""Least share of their plain size that columns take in the files; where that is not free, a disk is too small for sure."""
_LEVEL = 3
"""Of Zstandard."""


@dataclass(frozen=True)
class Exported:
    """What an export did.

    Parameters
    ----------
    place : Path
        The directory.
    manifest : ExportManifest
        Of the export.
    kept_files, written_files : int
        Files found finished and checked again, and files of this run.
    size_bytes : int
        On disk [bytes].
    seconds : float
        Of this run [seconds].
    """

    place: Path
    manifest: ExportManifest
    kept_files: int
    written_files: int
    size_bytes: int
    seconds: float


def export_geoparquet(
    store: LayerStore, out: Path, treatments: Sequence[str] = (), *, progress: Progress | None = None
) -> Exported:
    """Write a layer set as GeoParquet and Parquet files; see `csrag.surfaces.exported` for what lies where.

    An export that was cut off goes on where it stopped: what is finished is hashed again and kept. An older export at the
    place stays until the new one is whole.

    Parameters
    ----------
    store : LayerStore
        The set, opened.
    out : Path
        Directory of the export: new, empty, or an older export of csrag's.
    treatments : sequence of str
        Only these; all by default.
    progress : Progress, optional
        Told the records.

    Returns
    -------
    Exported

    Raises
    ------
    InvalidValueError
        For a treatment that the set does not hold.
    RequestError
        If the place holds something else, or is the layer set itself.
    DataError
        If the disk is full or cannot be written, or another process is writing there.
    """
    begin = time.perf_counter()
    names = _chosen(store, treatments)
    place = Place(resolved(out))
    if _same_place(store.path, place.out):
        raise RequestError(f"{out} is the layer set that is being exported.", "Name another directory with --out.",
                           code="same_file")  # fmt: skip
    place.check()
    with writer_lock(lock_file(place.out)), writing(place.out):
        place.check()
        place.recover()
        manifest = store.manifest if names == store.manifest.treatment_names else part_of(store, names)
        wanted = exported.files_of(manifest)
        there = place.finished(manifest.layers_hash)
        if there is not None:
            return Exported(place.out, there, len(wanted), 0, _size(place.out), time.perf_counter() - begin)
        writer = _Writer(place, Tables(store, manifest), manifest, progress or Silent())
        kept = writer.run(wanted)
        found = ExportManifest(manifest, writer.done, {f: writer.tables.columns(f) for f in _kinds(wanted)})
        place.publish(found.dumps())
    return Exported(place.out, found, kept, len(wanted) - kept, _size(place.out), time.perf_counter() - begin)


def part_of(store: LayerStore, treatments: Sequence[str]) -> Manifest:
    """Manifest of the same set with fewer treatments: hashes, counts and hash are its own, the score's scales stay.

    Parameters
    ----------
    store : LayerStore
        The whole set.
    treatments : sequence of str
        Names, in storage order.
    """
    m = store.manifest
    at = [m.treatment_names.index(name) for name in treatments]
    columns = dict(m.columns)
    for name, entry in m.columns.items():
        if name not in COLUMNS or COLUMNS[name].axes == "cluster":
            continue
        whole = store.column(name)
        shape = (len(at), *entry.shape[1:])
        digest = hashlib.sha256(files.header(entry.dtype, shape))
        for t in at:
            slab = whole[t][list(stored_classes(m.derived))] if name == FEEDSTOCK else whole[t]
            digest.update(np.ascontiguousarray(slab).data)
        columns[name] = replace(entry, shape=shape, sha256=digest.hexdigest())
    tally = [
        counts(store.column("cost_usd_per_bdt")[t : t + 1], store.column(COPRODUCT)[t : t + 1],
               store.column("burn_probability"), store.column("zone")) for t in at
    ]  # fmt: skip
    sums = {k: sum(c[k] for c in tally) for k in ("records", "feasible_records", "missing_records")}
    note = f"{', '.join(treatments)} of the layer set {m.name}, hash {m.layers_hash[:16]}"
    return replace(
        m, treatments=tuple(m.treatments[t] for t in at), columns=columns, counts={**m.counts, **sums},
        derived_exceptions=tuple((w, at.index(t), r, v) for w, t, r, v in m.derived_exceptions if t in at),
        notes=(*m.notes, note),
    ).with_hash()  # fmt: skip


class _Writer:
    """Writes the files of one export and keeps count in the work folder's journal."""

    def __init__(self, place: Place, tables: Tables, manifest: Manifest, progress: Progress) -> None:
        self._place, self.tables, self._manifest, self._progress = place, tables, manifest, progress
        self.done: dict[str, dict[str, Any]] = {}

    def run(self, wanted: Sequence[str]) -> int:
        """Write every file that is not finished; returns how many were."""
        job = f"{exported.SCHEMA} {self._manifest.layers_hash}"
        journal = self._place.start(job)
        total = int(self._manifest.counts["clusters"]) * len(self._manifest.treatments)
        self._check_space(journal)
        self._progress.start("exporting", total, "records")
        for file in wanted:
            entry = journal.get(file)
            if entry is not None and self._place.is_as_noted(file, entry):
                self.done[file] = entry
                if file.startswith("records/"):
                    self._progress.advance(int(entry["rows"]))
        kept = len(self.done)
        for file in wanted:
            if file not in self.done:
                self.done[file] = self._write(file)
                self._place.note(job, self.done)
        return kept

    def _write(self, file: str) -> dict[str, Any]:
        import pyarrow as pa
        import pyarrow.parquet as pq

        path = self._place.work / file
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_name(f"{path.name}.writing")
        schema = self.tables.schema(file)
        rows = 0
        listed = [f.name for f in schema if pa.types.is_dictionary(f.type) or f.name in ("zone", "area_acres", "mode")]
        # Packed so, measured floats take a tenth less than plain ones and are read no slower.
        packed = {f.name: "DELTA_BINARY_PACKED" for f in schema if f.type in (pa.int32(), pa.int64())}
        packed |= {f.name: "BYTE_STREAM_SPLIT" for f in schema if pa.types.is_floating(f.type) and f.name not in listed}
        with beside.open("wb") as stream:
            # Through a file of Python's own, so that a full disk is told as one.
            with pq.ParquetWriter(stream, schema, compression="zstd", compression_level=_LEVEL, use_dictionary=listed,
                                  column_encoding=packed) as writer:  # fmt: skip
                for table in self.tables.tables(file):
                    writer.write_table(table.cast(schema), row_group_size=exported.ROW_GROUP_ROWS)
                    rows += table.num_rows
                    if file.startswith("records/"):
                        self._progress.advance(table.num_rows)
            stream.flush()
            os.fsync(stream.fileno())
        entry = {"rows": rows, "bytes": beside.stat().st_size, "sha256": files.sha256_of(beside)}
        beside.replace(path)
        return entry

    def _check_space(self, journal: dict[str, Any]) -> None:
        """Refuse before anything is written where the disk is too small for sure."""
        n = int(self._manifest.counts["clusters"])
        a_record = sum(f.dtype.itemsize for f in exported.record_fields(self._manifest))
        needed = int(_PACKED_SHARE * n * a_record * len(self._manifest.treatments))
        have = sum(int(entry["bytes"]) for entry in journal.values())
        free = shutil.disk_usage(self._place.out.parent).free
        if free + have < needed:
            raise DataError(
                f"The export needs at least {needed / 1e6:,.0f} MB and {self._place.out.parent} has "
                f"{(free + have) / 1e6:,.0f} MB free.",
                "Free some space, choose another disk with --out, or export fewer treatments (--treatment); nothing was "
                "written.",
                code="disk_full",
            )


def _chosen(store: LayerStore, treatments: Sequence[str]) -> tuple[str, ...]:
    """The treatments to export, in storage order."""
    held = store.manifest.treatment_names
    strange = [name for name in treatments if name not in held]
    if strange:
        raise InvalidValueError(
            f"The layer set {store.manifest.name} holds no treatment {', '.join(map(repr, strange))}.",
            f"It holds {', '.join(held)}.", code="treatment_not_in_layers",
        )  # fmt: skip
    return tuple(name for name in held if not treatments or name in treatments)


def _kinds(wanted: Sequence[str]) -> dict[str, None]:
    """One file of each kind, records once."""
    return dict.fromkeys([f for f in wanted if not f.startswith("records/")] + [next(
        f for f in wanted if f.startswith("records/"))])  # fmt: skip


def _same_place(path: str, out: Path) -> bool:
    try:
        return out.exists() and Path(path).exists() and out.samefile(path)
    except OSError:
        return False


def _size(place: Path) -> int:
    return sum(p.stat().st_size for p in place.rglob("*") if p.is_file())


def read_manifest(place: Path) -> ExportManifest:
    """Manifest of an export that csrag wrote.

    Raises
    ------
    OSError, KeyError, TypeError, ValueError
        If it cannot be read.
    """
    return ExportManifest.from_json(json.loads((place / MANIFEST_FILE).read_text(encoding="utf-8")))
