"""Import of a treated-cluster table in FRREDSS's column names: read in batches, checked, offered as a source.

The order of rows does not matter. A cluster's own columns are taken from its record of the first treatment (in the
catalog's order, records with tons first); records that disagree with it are counted, and a cluster number with two
positions is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.build.progress import Progress, Silent
from csrag.build.sources.table_clusters import ClusterTable
from csrag.build.sources.table_columns import (
    ELEVATIONS,
    POSITIONS,
    REMOVAL_SOURCES,
    TREATMENT_ID,
    TREATMENT_NAMES,
    frredss_ids,
    read_treatment_ids,
)  # fmt: skip
from csrag.build.sources.table_finish import Filler, Finished, finish
from csrag.build.sources.table_gates import ACRES_PER_HECTARE, Findings, check_batch
from csrag.build.sources.table_read import Batch, read_batches
from csrag.errors import InvalidValueError, TableRefusedError
from csrag.surfaces.catalog import CLEAR_CUT, REMOVAL_COLUMNS, TREATMENTS
from csrag.surfaces.manifest import Provenance, Treatment


@dataclass(frozen=True)
class TableOptions:
    """Choices of an import.

    Parameters
    ----------
    name : str or None
        Name of the layer set; the file's by default.
    treatments : Path or None
        Id table.
    treatment_ids : str or None
        "frredss" takes FRREDSS's own numbering; nothing is ever assumed.
    zone_factors : tuple of float
        Road over straight-line distance by zone, for a table with a `zone` column.
    source, vintage : str or None
        Who made the table, and the year it describes.
    mapping : str
        How clusters become simulator input; used by the check of tons.
    area_unit : str or None
        Unit of the area column, acres or hectares; None where the user did not say, which is taken for acres unless the
        values look like another unit.
    """

    name: str | None = None
    treatments: Path | None = None
    treatment_ids: str | None = None
    zone_factors: tuple[float, ...] = ()
    source: str = ""
    vintage: str | None = None
    mapping: str = "split"
    area_unit: str | None = None


class TableSource:
    """A checked table; offers what `build.pipeline.ClusterSource` asks for. Made by `read_table`."""

    synthetic = False
    seed = None

    def __init__(self, path: Path, options: TableOptions, found: Finished) -> None:
        self.name = options.name or path.name.split(".")[0]
        self.title = f"Imported from {path.name}"
        self._found = found
        self._options = options
        self._path = path
        self.treatments: Sequence[Treatment] = found.treatments
        self.zone_factors = found.zone_factors
        self.codes = found.codes
        self.data_area = found.data_area
        self.notes = found.notes
        self.counts = found.counts
        self.mapping = options.mapping

    @property
    def report(self) -> dict[str, Any]:
        """What was read, counted and noted."""
        return {"table": self._path.name, **self.counts, "notes": list(self.notes)}

    @property
    def provenance(self) -> tuple[Provenance, ...]:
        """One entry a layer."""
        source = self._options.source or f"table {self._path.name}"
        vintage = self._options.vintage or self._found.vintage
        fire = "" if self._found.has_fire else "unknown: the table has no burn_probability"
        roads = "" if self.zone_factors else "unknown: the table has no zone or circuity"
        return (
            Provenance("clusters", source, "", vintage, "imported treated-cluster table"),
            Provenance("cost", source, "", vintage, "FRCS over the table's stands"),
            Provenance("fire", source, "", vintage, fire),
            Provenance("circuity", source, "", vintage, roads),
        )

    def clusters(self) -> dict[str, NDArray[Any]]:
        """Every column of `catalog.CLUSTER_COLUMNS`, by cluster number."""
        return self._found.clusters

    def removals(self, treatment: str, rows: slice) -> dict[str, NDArray[np.float32]]:
        """Removed tons of a block [BDT per acre]; NaN where the table has no record."""
        tons = self._found.removals[treatment]
        return {name: tons[i, rows] for i, name in enumerate(REMOVAL_COLUMNS)}


@contextmanager
def read_table(
    path: Path, options: TableOptions, progress: Progress | None = None, filler: Filler | None = None
) -> Iterator[TableSource]:
    """Read and check a table; nothing is written.

    Parameters
    ----------
    path : Path
        CSV (plain or compressed) or Parquet.
    options : TableOptions
        Choices.
    progress : Progress, optional
        Told of what has been read.
    filler : Filler, optional
        What lays other sources over the clusters, once the table has passed the gates that need it alone.

    Yields
    ------
    TableSource
        Ready to be built.

    Raises
    ------
    TableRefusedError
        If a gate fails: with counts, first rows and how to mend it.
    InvalidValueError
        If the treatment table or the options are wrong.
    """
    filled = filler.fills if filler is not None else ()
    columns, batches = read_batches(path, progress or Silent(), filled)
    key = _TreatmentKey(columns, options, path)
    table = ClusterTable(columns)
    findings = Findings()
    for batch in batches:
        at = key.of(batch)
        _blank(batch, filled)
        if options.area_unit == "hectares":
            batch.numbers["area"] = batch.numbers["area"] * ACRES_PER_HECTARE
        _take(batch, at, table, findings)
    key.refuse()
    findings.refuse(path.name)
    table.refuse(path.name)
    if options.area_unit is None:
        table.check_areas(path.name)
    yield TableSource(path, options, finish(table, key.ids, options.zone_factors, options.mapping, path.name, filler))


def _blank(batch: Batch, filled: Sequence[str]) -> None:
    """Add the columns that the table lacks and another source fills, all of them empty."""
    if "slope" in filled and "slope" not in batch.numbers:
        batch.numbers["slope"] = np.full(len(batch), np.nan)
    if "land_use" in filled and "land_use" not in batch.texts:
        import pyarrow as pa

        batch.texts["land_use"] = pa.nulls(len(batch), pa.string()).dictionary_encode()


def _take(batch: Batch, treatment: NDArray[np.int64], table: ClusterTable, findings: Findings) -> None:
    """Check one batch and lay it into the table of clusters."""
    n = len(batch)
    lat, lon = np.full(n, np.nan), np.full(n, np.nan)
    for lat_name, lon_name in POSITIONS:
        if lat_name in batch.numbers and lon_name in batch.numbers:
            # The centre is the cluster's position; the landing stands in where there is none.
            gap = np.isnan(lat) & np.isnan(lon)
            if lat_name != POSITIONS[0][0] and POSITIONS[0][0] in batch.numbers:
                table.count_filled("position", gap & np.isfinite(batch.numbers[lat_name]))
            lat = np.where(gap, batch.numbers[lat_name], lat)
            lon = np.where(gap, batch.numbers[lon_name], lon)
    elevation = np.full(n, np.nan)
    for name in ELEVATIONS:
        if name in batch.numbers:
            if name != ELEVATIONS[0] and ELEVATIONS[0] in batch.numbers:
                table.count_filled("elevation", np.isnan(elevation) & np.isfinite(batch.numbers[name]))
            elevation = np.where(np.isnan(elevation), batch.numbers[name], elevation)
    removals = np.stack([batch.numbers[name] for name in REMOVAL_SOURCES])
    check_batch(findings, batch.first_row, lat, lon, batch.numbers, removals, batch.cluster_no)
    usable = (batch.cluster_no >= 0) & (treatment >= 0)
    if not findings.counts:
        table.add(batch, usable, treatment, lat, lon, elevation, removals)


class _TreatmentKey:
    """Which treatment each row is: by name, by an id table, or by FRREDSS's numbering where that was chosen."""

    def __init__(self, columns: Sequence[str], options: TableOptions, path: Path) -> None:
        self._path = path
        self._name_column = next((name for name in TREATMENT_NAMES if name in columns), None)
        self._has_ids = TREATMENT_ID in columns
        self._unknown: dict[str, int] = {}
        self._table: dict[int, str] | None = None
        if options.treatments is not None and options.treatment_ids:
            raise InvalidValueError("Both an id table and FRREDSS's numbering are given.", "Give one of them.")
        if options.treatments is not None:
            self._table = read_treatment_ids(options.treatments)
        elif options.treatment_ids == "frredss":
            self._table = frredss_ids()
        if self._table is None and self._name_column is None:
            raise TableRefusedError(
                f"{path.name} names treatments by id only, and ids differ between systems.",
                "Give the id table with --treatments FILE (CSV id,name), add a column `treatment`, or choose FRREDSS's "
                "numbering with --treatment-ids frredss.",
                code="treatment_ids_unknown",
            )
        if self._table is not None and not self._has_ids:
            raise InvalidValueError(
                f"An id table is given but {path.name} has no treatmentid column.",
                "Leave it out: treatments are named.",
            )
        self._seen: dict[str, set[int]] = {}

    @property
    def ids(self) -> dict[str, int]:
        """Id of each treatment in this table; the catalog's order where names alone are given."""
        if self._table is not None:
            return {name: number for number, name in self._table.items()}
        single = {name: next(iter(found)) for name, found in self._seen.items() if len(found) == 1}
        return single if len(set(single.values())) == len(self._seen) else {}

    def of(self, batch: Batch) -> NDArray[np.int64]:
        """Position in `catalog.TREATMENTS` of each row; -1 unknown."""
        if self._table is not None:
            return self._by_id(batch.numbers[TREATMENT_ID])
        assert self._name_column is not None
        column = batch.texts[self._name_column]
        names = [str(v).strip().upper() if v is not None else "" for v in column.dictionary.to_pylist()]
        codes = np.array([TREATMENTS.index(v) if v in TREATMENTS else -1 for v in names] or [-1], dtype=np.int64)
        index = np.asarray(column.indices.fill_null(-1).to_numpy(zero_copy_only=False), dtype=np.int64)
        at = np.where(index >= 0, codes[np.maximum(index, 0)], -1)
        for i in np.unique(index[at < 0]).tolist():
            label = names[i] if i >= 0 else ""
            self._count(label or "(empty)", int(np.count_nonzero(index == i)))
        if self._has_ids:
            ids = batch.numbers[TREATMENT_ID]
            for t in np.unique(at[at >= 0]).tolist():
                own = ids[at == t]
                self._seen.setdefault(TREATMENTS[t], set()).update(
                    np.unique(own[np.isfinite(own)]).astype(int).tolist()
                )
        return at

    def _by_id(self, ids: NDArray[np.float64]) -> NDArray[np.int64]:
        assert self._table is not None
        at = np.full(ids.shape, -1, dtype=np.int64)
        for number, name in self._table.items():
            at[ids == number] = TREATMENTS.index(name)
        stray = ids[at < 0]
        for value in np.unique(stray[np.isfinite(stray)]):
            self._count(f"{value:g}", int(np.count_nonzero(stray == value)))
        if empty := int(np.count_nonzero(~np.isfinite(stray))):
            self._count("(empty)", empty)
        return at

    def _count(self, label: str, count: int) -> None:
        self._unknown[label] = self._unknown.get(label, 0) + count

    def refuse(self) -> None:
        """Raise if rows carry a treatment that is not known.

        Raises
        ------
        TableRefusedError
            With each unknown id or name and its count.
        """
        if self._unknown:
            said = ", ".join(f"{label} ({count:,} rows)" for label, count in sorted(self._unknown.items())[:12])
            raise TableRefusedError(
                f"{self._path.name} is refused, nothing was written: unknown treatments {said}.",
                f"Add them to the id table, or remove the rows; treatments are {', '.join(TREATMENTS)}, the only clear cut "
                f"being {CLEAR_CUT}.",
                code="treatment_unknown",
            )
