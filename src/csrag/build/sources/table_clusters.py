"""Gathers the records of a table cluster by cluster while it is read; independent of the order of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.build.sources.table_columns import OPTIONAL_NUMBERS, OPTIONAL_TEXTS
from csrag.build.sources.table_gates import check_area
from csrag.build.sources.table_read import Batch
from csrag.errors import TableRefusedError
from csrag.surfaces.catalog import TREATMENTS

_SAME_PLACE_DEG = 1e-4
_NO_RANK = np.iinfo(np.int16).max


class ClusterTable:
    """Clusters seen so far, their own columns, and what each treatment removes.

    Parameters
    ----------
    columns : sequence of str
        Columns that the table has.
    """

    def __init__(self, columns: Sequence[str]) -> None:
        numbers = [name for name in OPTIONAL_NUMBERS if name in columns and name != "year"]
        self.number_names = (
            "lat", "lon", "elevation", "slope", "area", "mean_yarding", "wood_density", *numbers,
        )  # fmt: skip
        self.text_names = ("land_use", *(name for name in OPTIONAL_TEXTS if name in columns))
        self._nos = np.empty(0, dtype=np.int64)
        self._ids = np.empty(0, dtype=np.int64)
        self._held: dict[str, NDArray[np.float64]] = {n: np.empty(0) for n in (*self.number_names, *self.text_names)}
        self._rank = np.empty(0, dtype=np.int16)
        self._differs: dict[str, NDArray[np.bool_]] = {name: np.empty(0, dtype=bool) for name in self._held}
        self._moved = np.empty(0, dtype=bool)
        self._removals: dict[int, NDArray[np.float32]] = {}
        self._words: dict[str, dict[str, int]] = {name: {} for name in self.text_names}
        self.rows = 0
        self.years: set[int] = set()
        self.filled: dict[str, int] = {}
        self._twice = 0
        self._twice_examples: list[str] = []

    @property
    def size(self) -> int:
        """Clusters seen."""
        return int(self._nos.shape[0])

    def add(
        self, batch: Batch, usable: NDArray[np.bool_], treatment: NDArray[np.int64], lat: NDArray[np.float64],
        lon: NDArray[np.float64], elevation: NDArray[np.float64], removals: NDArray[np.float64],
    ) -> None:  # fmt: skip
        """Lay the usable rows of a batch in.

        Parameters
        ----------
        batch : Batch
            The rows.
        usable : ndarray of bool, shape (n,)
            Rows with a key and a treatment.
        treatment : ndarray of int64, shape (n,)
            Position in `catalog.TREATMENTS`.
        lat, lon, elevation : ndarray of float64, shape (n,)
            Position [degrees] and elevation [ft].
        removals : ndarray of float64, shape (4, n)
            Removed tons per acre.
        """
        rows = np.flatnonzero(usable)
        if rows.size == 0:
            return
        self.rows += int(rows.size)
        t, tons = treatment[rows], removals[:, rows]
        ids, new = self._identify(batch.cluster_no[rows])
        if "year" in batch.numbers:
            years = batch.numbers["year"][rows]
            self.years.update(np.unique(years[np.isfinite(years)]).astype(int).tolist())
        special = {"lat": lat, "lon": lon, "elevation": elevation}
        values = {name: special.get(name, batch.numbers.get(name))[rows] for name in self.number_names}  # type: ignore[index]
        values.update({name: self._coded(name, batch.texts[name])[rows] for name in self.text_names})
        self._hold(ids, new, t + np.where(tons.sum(axis=0) > 0, 0, len(TREATMENTS)), values)
        self._lay(batch, rows, ids, t, tons)

    def count_filled(self, what: str, rows: NDArray[np.bool_]) -> None:
        """Count rows whose blank centre value was taken from the landing."""
        self.filled[what] = self.filled.get(what, 0) + int(np.count_nonzero(rows))

    def check_areas(self, table: str) -> None:
        """Refuse areas that look like another unit than acres; see `table_gates.check_area`."""
        check_area(self._held["area"][self._ids], table)

    def refuse(self, table: str) -> None:
        """Raise for duplicates and for clusters in two places.

        Raises
        ------
        TableRefusedError
            With counts, examples and how to mend it.
        """
        if self._twice:
            years = (
                f" The table holds the years {', '.join(map(str, sorted(self.years)[:6]))}."
                if len(self.years) > 1
                else ""
            )
            raise TableRefusedError(
                f"{table} is refused, nothing was written: {self._twice:,} rows repeat a cluster and treatment "
                f"({', '.join(self._twice_examples)}).{years}",
                "Keep one row a cluster and treatment" + (", that of one year." if years else "."),
                code="duplicate_records",
            )
        moved = int(np.count_nonzero(self._moved[: self.size]))
        if moved:
            raise TableRefusedError(
                f"{table} is refused, nothing was written: {moved:,} cluster numbers have more than one position.",
                "Give all records of a cluster the same centre.",
                code="cluster_in_two_places",
            )
        if self.rows == 0:
            raise TableRefusedError(f"{table} holds no usable rows.", "Export it again.", code="table_empty")

    def sorted_columns(self) -> tuple[NDArray[np.int64], dict[str, NDArray[np.float64]]]:
        """Cluster numbers ascending, and the clusters' own columns in that order (text columns as word numbers)."""
        return self._nos, {name: values[self._ids] for name, values in self._held.items()}

    def words(self, name: str) -> list[str]:
        """Words of a text column by word number."""
        return list(self._words[name])

    def pop_removals(self) -> dict[str, NDArray[np.float32]]:
        """Removed tons by treatment in the catalog's order, shape (4, n), by cluster number; can be taken once."""
        out: dict[str, NDArray[np.float32]] = {}
        for t in sorted(self._removals):
            out[TREATMENTS[t]] = self._removals.pop(t)[:, self._ids]
        return out

    def inconsistent(self) -> dict[str, int]:
        """Clusters whose records disagree, by column."""
        found = {name: int(np.count_nonzero(flags[: self.size])) for name, flags in self._differs.items()}
        return {name: count for name, count in found.items() if count}

    def _identify(self, cluster_no: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Dense ids of the rows' clusters; clusters not seen before get the next ids, which are returned too."""
        unique, inverse = np.unique(cluster_no, return_inverse=True)
        at = np.searchsorted(self._nos, unique)
        known = np.zeros(unique.shape, dtype=bool)
        inside = at < self.size
        known[inside] = self._nos[at[inside]] == unique[inside]
        fresh = np.arange(self.size, self.size + int(np.count_nonzero(~known)), dtype=np.int64)
        ids = np.empty(unique.shape, dtype=np.int64)
        ids[known] = self._ids[at[known]]
        ids[~known] = fresh
        self._nos = np.insert(self._nos, at[~known], unique[~known])
        self._ids = np.insert(self._ids, at[~known], fresh)
        self._grow(self.size)
        return ids[inverse.ravel()], fresh

    def _grow(self, n: int) -> None:
        have = self._rank.shape[0]
        if n <= have:
            return
        more = max(n, 2 * have, 4096) - have
        self._rank = np.concatenate([self._rank, np.full(more, _NO_RANK, dtype=np.int16)])
        self._moved = np.concatenate([self._moved, np.zeros(more, dtype=bool)])
        for name in self._held:
            self._held[name] = np.concatenate([self._held[name], np.full(more, np.nan)])
            self._differs[name] = np.concatenate([self._differs[name], np.zeros(more, dtype=bool)])
        for t, tons in self._removals.items():
            self._removals[t] = np.concatenate([tons, np.full((4, more), np.nan, dtype=np.float32)], axis=1)

    def _coded(self, name: str, column: Any) -> NDArray[np.float64]:
        """Word numbers of a text column; NaN where empty."""
        vocabulary = self._words[name]
        local = [
            vocabulary.setdefault(" ".join(str(word).split()), len(vocabulary)) if word else -1
            for word in column.dictionary.to_pylist()
        ]
        codes = np.array([*local, -1], dtype=np.float64)
        codes[codes < 0] = np.nan
        index = np.asarray(column.indices.fill_null(len(local)).to_numpy(zero_copy_only=False), dtype=np.int64)
        return codes[index]

    def _hold(
        self,
        ids: NDArray[np.int64],
        new: NDArray[np.int64],
        rank: NDArray[np.int64],
        values: dict[str, NDArray[np.float64]],
    ) -> None:
        """Keep each cluster's columns from its record of least rank and mark clusters whose records disagree."""
        order = np.lexsort((rank, ids))
        leads = np.ones(order.shape, dtype=bool)
        leads[1:] = ids[order][1:] != ids[order][:-1]
        pick = order[leads]
        is_new = np.isin(ids[pick], new)
        for name, column in values.items():
            held = self._held[name]
            held[ids[pick[is_new]]] = column[pick[is_new]]
            known = held[ids]
            differ = (column != known) & ~(np.isnan(column) & np.isnan(known))
            self._differs[name][ids[differ]] = True
            if name in ("lat", "lon"):
                self._moved[ids[np.abs(column - known) > _SAME_PLACE_DEG]] = True
        better = pick[rank[pick] < self._rank[ids[pick]]]
        self._rank[ids[better]] = rank[better]
        for name, column in values.items():
            self._held[name][ids[better]] = column[better]

    def _lay(
        self,
        batch: Batch,
        rows: NDArray[np.int64],
        ids: NDArray[np.int64],
        treatment: NDArray[np.int64],
        tons: NDArray[np.float64],
    ) -> None:
        """Put the removals in their place; count records that are there already."""
        for t in np.unique(treatment).tolist():
            if t not in self._removals:
                self._removals[t] = np.full((4, self._rank.shape[0]), np.nan, dtype=np.float32)
            mine = np.flatnonzero(treatment == t)
            target = self._removals[t]
            _, first = np.unique(ids[mine], return_index=True)
            again = np.ones(mine.shape, dtype=bool)
            again[first] = False
            again |= np.isfinite(target[0, ids[mine]])
            if again.any():
                self._twice += int(np.count_nonzero(again))
                for i in mine[again][: 3 - len(self._twice_examples)]:
                    self._twice_examples.append(
                        f"row {batch.first_row + int(rows[i]):,}: cluster {batch.cluster_no[rows[i]]}, {TREATMENTS[t]}"
                    )
            target[:, ids[mine]] = tons[:, mine]
