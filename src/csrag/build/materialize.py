"""From a source of clusters to a layer set: inputs in cell order, costs block by block, hashes, manifest, rename.

A build may be killed at any moment. Its work lies in a folder of its own beside the target; a journal there names each
finished block with a checksum, under a fingerprint of all inputs. The same command run again checks those blocks,
computes the rest and ends with the same bytes. Whatever was at the target stays until the new set takes its place by a
rename.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from csrag import __version__
from csrag.build import layout
from csrag.build.compact import COMPACT_FEEDSTOCK, COMPACT_RECORDS, Miss, derivable
from csrag.build.lock import writer_lock
from csrag.build.pipeline import ClusterSource, checked_clusters, checked_removals
from csrag.build.pool import Done, core_count, run_tasks
from csrag.build.progress import Progress, Silent
from csrag.build.road_columns import NETWORK_COLUMNS, checked_roads, distance_modes, in_cell_order, transport_of
from csrag.build.scales import counts, fixed_scales
from csrag.build.worker import JOB_FILE, OUTPUT_COLUMNS, BlockWorker, Task
from csrag.errors import InvalidValueError, RequestError
from csrag.simulators.harvest import HarvestEconomics
from csrag.simulators.truck import TruckEconomics, haul_usd_per_bdt_km
from csrag.surfaces import files
from csrag.surfaces.catalog import (
    CLUSTER_COLUMNS,
    COLUMNS,
    FEEDSTOCK_CLASSES,
    REMOVAL_COLUMNS,
    SYSTEMS,
)  # fmt: skip
from csrag.surfaces.derived import COPRODUCT, DERIVABLE, FEEDSTOCK, stored_classes
from csrag.surfaces.index import OFFSETS, OFFSETS_DTYPE, CellGrid
from csrag.surfaces.manifest import MANIFEST_FILE, ColumnFile, Manifest, Treatment

if TYPE_CHECKING:
    from csrag.build.surrogate.layer import SurrogateCost

BLOCK_ROWS = 16_384
"""Records of one task: small enough for the cache and for progress, large enough to amortise a call."""
_REMOVAL_ROWS = 262_144
_RECORDS_A_WORKER = 100_000
"""Fewer records than this are computed sooner than another process starts."""
_JOURNAL = "journal.jsonl"
MAPPINGS = ("split", "fixed", "backend")
Engine = Callable[[Path, Sequence[Task], Done], None]
"""Computes the tasks of a build directory and reports each with the checksum of its bytes, in the caller's thread."""


def materialize(
    source: ClusterSource,
    out: Path,
    *,
    economics: HarvestEconomics | None = None,
    mapping: str = "split",
    tau_usd_per_bdt_km: float | None = None,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
    block_rows: int = BLOCK_ROWS,
    lock_wait_s: float = 0.0,
    on_wait: Callable[[str], None] | None = None,
    skip_if: Callable[[], bool] | None = None,
    compact: bool | None = None,
    replace: bool = False,
    cost: SurrogateCost | None = None,
) -> Manifest:
    """Build a layer set.

    Parameters
    ----------
    source : ClusterSource
        Clusters and removals.
    out : Path
        Directory of the layer set; an older set there is replaced at the very end.
    economics : HarvestEconomics, optional
        Harvest economics; the defaults of the layers.
    mapping : str
        split, fixed or backend.
    tau_usd_per_bdt_km : float, optional
        Haul of the fixed scales [USD per BDT-km]; that of the default truck.
    workers : int, optional
        Processes; all cores by default.
    engine : callable, optional
        Computes the blocks elsewhere, such as `build.dask_engine.DaskEngine`; by default processes of this machine do.
    progress : Progress, optional
        Told of every block.
    block_rows : int
        Records a task.
    lock_wait_s : float
        How long to wait for another writer of the same set [seconds].
    on_wait : callable, optional
        Told that writer's process id, once.
    skip_if : callable, optional
        Asked once the lock is held; true leaves the set as it is (another process has just built it).

    compact : bool, optional
        Leave out the tons that follow from others to the last bit; by default where the set is large
        (`csrag.build.compact.COMPACT_RECORDS`).
    replace : bool
        Whether an imported set at the target may give way to other data. The same table over itself always may.
    cost : SurrogateCost, optional
        Predicts the costs; by default FRCS computes them.

    Returns
    -------
    Manifest
        Of the set as written.

    Raises
    ------
    InvalidValueError
        For an unknown mapping or fewer than one worker.
    TableRefusedError
        If the source's columns are not usable.
    RequestError
        If the target is not a layer set, or an imported one that may not be replaced.
    DataError
        If the target cannot be written, is being written by another process, or the disk is full.
    """
    if mapping not in MAPPINGS:
        raise InvalidValueError(f"Unknown mapping {mapping!r}.", f"It is one of {', '.join(MAPPINGS)}.")
    if workers is not None and workers < 1:
        raise InvalidValueError(f"{workers} workers cannot compute anything.", "Use 1 or more.")
    out = layout.resolved(out)
    layout.check_target(out)
    there = layout.set_at(out)
    if there is not None and source.synthetic and not replace:
        there.refuse_loss(out)
    tau = haul_usd_per_bdt_km(TruckEconomics()) if tau_usd_per_bdt_km is None else tau_usd_per_bdt_km
    with writer_lock(layout.lock_file(out), wait_s=lock_wait_s, on_wait=on_wait), layout.writing(out):
        layout.recover(out)
        if skip_if is not None and skip_if():
            return Manifest.from_json(json.loads((out / MANIFEST_FILE).read_text(encoding="utf-8")))
        build = _Build(source, out, economics or HarvestEconomics(), mapping, progress or Silent(), block_rows, compact,
                       cost)  # fmt: skip
        build.write_inputs()
        if not replace:
            build.keep_imported()
        build.compute(workers, engine)
        return build.finish(tau)


class _Build:
    """One build in its partial directory."""

    def __init__(
        self, source: ClusterSource, out: Path, economics: HarvestEconomics, mapping: str, progress: Progress, rows: int,
        compact: bool | None, cost: SurrogateCost | None,
    ) -> None:  # fmt: skip
        self._source, self._out, self._mapping, self._progress = source, out, mapping, progress
        self._economics = asdict(economics)
        self._block_rows, self._compact_wanted, self._cost = rows, compact, cost
        self._dir = layout.partial_dir(out)
        self._treatments = tuple(Treatment(t.name, int(t.id), bool(t.clear_cut)) for t in source.treatments)
        if not self._treatments:
            raise InvalidValueError(f"The source {source.name} names no treatment.", "Name at least one.")
        self._hashes: dict[str, str] = {}
        self._shapes: dict[str, tuple[int, ...]] = {}
        self._dtypes = {c.name: c.dtype for c in (*COLUMNS.values(), *NETWORK_COLUMNS.values())} | {
            OFFSETS: OFFSETS_DTYPE
        }
        self._roads: dict[str, tuple[int, ...]] = {}

    def _file(self, name: str) -> Path:
        return self._dir / f"{name}.npy"

    def _column(self, name: str, *, writable: bool = False) -> NDArray[Any]:
        return files.open_column(self._file(name), self._dtypes[name], self._shapes[name], writable=writable)

    def _fresh(self, name: str) -> NDArray[Any]:
        # A new file, not the old one rewritten: a worker left over from a killed build keeps reading what it opened.
        self._file(name).unlink(missing_ok=True)
        files.create(self._file(name), self._dtypes[name], self._shapes[name])
        return self._column(name, writable=True)

    def write_inputs(self) -> None:
        """Write the cluster and removal columns in cell order."""
        watched_by = getattr(self._source, "watched_by", None)
        if watched_by is not None:
            watched_by(self._progress)
        columns = checked_clusters(self._source)
        n = columns["cluster_no"].shape[0]
        self._grid = CellGrid.around(columns["lat"], columns["lon"])
        order, offsets = self._grid.order(columns["lat"], columns["lon"], columns["cluster_no"])
        self._shapes = layout.column_shapes(len(self._treatments), len(SYSTEMS), len(FEEDSTOCK_CLASSES), n)
        roads = checked_roads(self._source, n)
        self._roads = {name: values.shape for name, values in roads.items()}
        self._shapes |= self._roads
        # While a compact set is finished, the feedstock lies there twice.
        twice = {FEEDSTOCK: self._shapes[FEEDSTOCK]} if self._is_compact(n) else {}
        layout.check_space(self._out, self._shapes, twice)
        self._shapes[OFFSETS] = offsets.shape
        layout.start_work(self._out)
        self._fresh(OFFSETS)[:] = offsets
        for name in CLUSTER_COLUMNS:
            self._fresh(name)[:] = columns[name][order]
        for name in NETWORK_COLUMNS:
            # A build of another source may have been cut off here.
            self._file(name).unlink(missing_ok=True)
            if name in roads:
                self._fresh(name)[:] = in_cell_order(name, roads[name], order)
        place = np.empty(n, dtype=np.int64)
        place[order] = np.arange(n)
        self._progress.start("reading removals", len(self._treatments) * n, "records")
        targets = {name: self._fresh(name) for name in REMOVAL_COLUMNS}
        for t, treatment in enumerate(self._treatments):
            for start in range(0, n, _REMOVAL_ROWS):
                rows = slice(start, min(start + _REMOVAL_ROWS, n))
                for name, values in checked_removals(self._source, treatment.name, rows, n).items():
                    targets[name][t, place[rows]] = values
                self._progress.advance(rows.stop - rows.start)
        for name in (OFFSETS, *CLUSTER_COLUMNS, *REMOVAL_COLUMNS, *roads):
            self._hashes[name] = files.sha256_of(self._file(name))

    def keep_imported(self) -> None:
        """Refuse to go on where the target is a set imported from other data; the same inputs may be computed again."""
        there = layout.set_at(self._out)
        if there is not None and any(there.columns.get(name) != found for name, found in self._hashes.items()):
            try:
                there.refuse_loss(self._out)
            except RequestError:
                layout.drop_work(self._out)
                raise

    def compute(self, workers: int | None, engine: Engine | None = None) -> None:
        """Compute every block that the journal does not vouch for."""
        n = self._shapes["cluster_no"][0]
        if workers is None:
            workers = min(core_count(), 1 + n * len(self._treatments) // _RECORDS_A_WORKER)
        job = {
            "program": __version__, "treatments": [asdict(t) for t in self._treatments], "systems": SYSTEMS,
            "mapping": self._mapping, "economics": self._economics, "inputs": self._hashes,
            "block_rows": self._block_rows, "shapes": self._shapes,
        }  # fmt: skip
        if self._cost is not None:
            job["cost_method"] = self._cost.job()
        text = json.dumps(job, sort_keys=True)
        fingerprint = hashlib.sha256(text.encode()).hexdigest()
        journal = self._dir / _JOURNAL
        done = self._resume(text, fingerprint)
        tasks: list[Task] = [
            (t, start, min(start + self._block_rows, n))
            for t in range(len(self._treatments))
            for start in range(0, n, self._block_rows)
        ]
        self._progress.start("computing costs", sum(b - a for _, a, b in tasks), "records")
        self._progress.advance(sum(b - a for t, a, b in tasks if (t, a, b) in done))
        with journal.open("a", encoding="ascii") as stream:

            def finished(task: Task, crc: int) -> None:
                stream.write(json.dumps([*task, crc, fingerprint]) + "\n")
                stream.flush()
                self._progress.advance(task[2] - task[1])

            left = [task for task in tasks if task not in done]
            if engine is not None:
                engine(self._dir, left, finished)
            else:
                run_tasks(self._dir, left, workers, finished)

    def _resume(self, job_text: str, fingerprint: str) -> set[Task]:
        """Blocks of an earlier run of the same job whose bytes are still what it wrote."""
        job_file = self._dir / JOB_FILE
        same = job_file.is_file() and job_file.read_text(encoding="utf-8") == job_text
        whole = all(
            self._file(name).is_file()
            and self._file(name).stat().st_size == files.file_bytes(self._dtypes[name], self._shapes[name])
            for name in OUTPUT_COLUMNS
        )
        if not (same and whole):
            (self._dir / _JOURNAL).unlink(missing_ok=True)
            job_file.unlink(missing_ok=True)
            for name in OUTPUT_COLUMNS:
                self._fresh(name)
            job_file.write_text(job_text, encoding="utf-8")
            return set()
        block = BlockWorker(self._dir)
        return {task for task, crc in _entries(self._dir / _JOURNAL, fingerprint) if block.checksum(task) == crc}

    def _is_compact(self, n: int) -> bool:
        return len(self._treatments) * n >= COMPACT_RECORDS if self._compact_wanted is None else self._compact_wanted

    def _compact(self) -> tuple[tuple[str, ...], tuple[Miss, ...]]:
        """Prove which tons can be left out, and write the feedstock classes that stay to a file of their own."""
        n_treatments, n = self._shapes["coproduct_bdt"]
        if not self._is_compact(n):
            return (), ()
        names = (*REMOVAL_COLUMNS, "area_acres", FEEDSTOCK, COPRODUCT)
        self._progress.start("comparing derived tons", len(DERIVABLE), "columns")
        columns = {name: self._column(name) for name in names}
        derived, misses = derivable(columns, self._economics, self._progress.advance)
        classes = list(stored_classes(derived))
        if len(classes) < len(FEEDSTOCK_CLASSES):
            self._shapes[COMPACT_FEEDSTOCK] = (n_treatments, len(classes), n)
            self._dtypes[COMPACT_FEEDSTOCK] = self._dtypes[FEEDSTOCK]
            source, target = self._column(FEEDSTOCK), self._fresh(COMPACT_FEEDSTOCK)
            for t in range(n_treatments):
                for i, at in enumerate(classes):
                    target[t, i] = source[t, at]
        return derived, misses

    def finish(self, tau_usd_per_bdt_km: float) -> Manifest:
        """Scales, counts, hashes, manifest, and the rename."""
        names = [t.name for t in self._treatments]
        cost, burn = self._column("cost_usd_per_bdt"), self._column("burn_probability")
        scales = fixed_scales(cost, burn, names, SYSTEMS, tau_usd_per_bdt_km)
        tally = counts(cost, self._column("coproduct_bdt"), burn, self._column("zone"))
        derived, misses = self._compact()
        stems = {name: name for name in (*COLUMNS, OFFSETS, *self._roads) if name not in derived}
        if COMPACT_FEEDSTOCK in self._shapes:
            stems[FEEDSTOCK] = COMPACT_FEEDSTOCK
        stored = [stems[name] for name in OUTPUT_COLUMNS if name in stems]
        self._progress.start("hashing", len(stored), "columns")
        for name in stored:
            self._hashes[name] = files.sha256_of(self._file(name))
            self._progress.advance(1)
        source = self._source
        transport = transport_of(source, self._roads)
        extra: Mapping[str, int] = getattr(source, "counts", {})
        manifest = Manifest(
            name=source.name,
            title=source.title,
            synthetic=source.synthetic,
            source=source.provenance[0].source if source.provenance else source.name,
            seed=source.seed,
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            mapping=self._mapping,
            economics=self._economics,
            provenance=tuple(source.provenance),
            treatments=self._treatments,
            systems=SYSTEMS,
            feedstock_classes=FEEDSTOCK_CLASSES,
            codes={name: tuple(values) for name, values in source.codes.items()},
            zone_factors=tuple(float(f) for f in source.zone_factors),
            scales=scales,
            distance_modes=distance_modes(source, transport),
            data_area=tuple(tuple((float(x), float(y)) for x, y in ring) for ring in source.data_area),
            counts={**extra, **tally},
            notes=tuple(getattr(source, "notes", ())),
            grid=self._grid,
            columns={name: self._entry(name, stem) for name, stem in stems.items()},
            derived=derived,
            derived_exceptions=misses,
            transport=transport,
            points=getattr(source, "points", None),
        )
        manifest = (manifest if self._cost is None else self._cost.stamped(manifest, self._column)).with_hash()
        unused = tuple(f"{name}.npy" for name in OUTPUT_COLUMNS if stems.get(name) != name)
        layout.publish(self._out, manifest.dumps(), (JOB_FILE, _JOURNAL, *unused))
        return manifest

    def _entry(self, name: str, stem: str) -> ColumnFile:
        known = COLUMNS.get(name) or NETWORK_COLUMNS.get(name)
        unit = known.unit if known is not None else ""
        return ColumnFile(f"{stem}.npy", self._dtypes[stem], self._shapes[stem], unit, self._hashes[stem])


def _entries(journal: Path, fingerprint: str) -> Iterator[tuple[Task, int]]:
    """Whole lines of a journal; the last one may have been cut off."""
    try:
        text = journal.read_text(encoding="ascii", errors="replace")
    except FileNotFoundError:
        return
    for line in text.splitlines():
        try:
            t, a, b, crc, of = json.loads(line)
        except ValueError:
            continue
        if of == fingerprint:
            yield (int(t), int(a), int(b)), int(crc)
