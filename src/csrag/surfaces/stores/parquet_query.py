"""Asking an export's files through DuckDB: one connection, plain SQL over Parquet, arrays back."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.errors import LayerSetDamagedError, RequestError
from csrag.surfaces.exported import Field, code_name
from csrag.surfaces.manifest import MANIFEST_FILE

EXTRA = 'pip install "csrag[duckdb]"'
_MEND = (
    "Export the layer set again (csrag layers export), or restore the directory from a copy; csrag layers verify lists "
    "what is wrong."
)


def require_duckdb() -> Any:
    """The library, or what to install.

    Raises
    ------
    RequestError
        If it is not installed.
    """
    try:
        import duckdb
    except ImportError:
        raise RequestError(
            "A layer set exported to Parquet is read through DuckDB, which is not installed.",
            f"Install it with {EXTRA}, or name the directory that the export was made from.", code="extra_missing",
        ) from None  # fmt: skip
    return duckdb


class ParquetFiles:
    """The files of one export.

    Parameters
    ----------
    place : Path
        Directory of the export.

    Raises
    ------
    RequestError
        If DuckDB is not installed.
    """

    def __init__(self, place: Path) -> None:
        duckdb = require_duckdb()
        self._place, self._error = place, duckdb.Error
        self._state = self._stamp()
        # Nothing is fetched from anywhere: Parquet is built in, and other extensions are neither loaded nor installed.
        self._connection = duckdb.connect(":memory:", config={
            "autoinstall_known_extensions": "false", "autoload_known_extensions": "false",
        })  # fmt: skip
        self._connection.execute("SET parquet_metadata_cache = true")

    def ask(
        self, file: str, index: str, columns: Sequence[str], where: str = "", values: Sequence[Any] = ()
    ) -> dict[str, NDArray[Any]]:
        """Columns of one file where a condition holds, ascending by its index column.

        Parameters
        ----------
        file : str
            Path inside the export.
        index : str
            Index column; comes with the others.
        columns : sequence of str
            Their names.
        where : str
            SQL condition with `?` for values; all rows without one.
        values : sequence
            Bound to it.

        Raises
        ------
        LayerSetDamagedError
            If a file cannot be read, or the export was replaced since it was opened.
        """
        if self._stamp() != self._state:
            raise LayerSetDamagedError(
                f"The export at {self._place} was replaced while it was open.",
                "Open it again.",
                code="layer_set_replaced",
            )
        names = ", ".join(f'"{name}"' for name in dict.fromkeys((index, *columns)))
        sql = f"SELECT {names} FROM read_parquet(?, hive_partitioning = false)" + (f" WHERE {where}" if where else "")
        try:
            # A cursor of its own for every call: threads may ask together.
            found: dict[str, NDArray[Any]] = (
                self._connection.cursor().execute(sql, [str(self._place / file), *values]).fetchnumpy()
            )
        except (self._error, OSError) as error:
            raise LayerSetDamagedError(f"{self._place / file} cannot be read: {_first_line(error)}.", _MEND) from None
        at = np.asarray(found[index])
        if not (at[1:] > at[:-1]).all():
            order = np.argsort(at, kind="stable")
            found = {name: column[order] for name, column in found.items()}
        return found

    def _stamp(self) -> tuple[int, int, int]:
        """What changes when another export takes the place of this one."""
        try:
            found = os.stat(self._place / MANIFEST_FILE)  # noqa: PTH116 - half the cost of Path.stat, at every query
        except OSError as error:
            raise LayerSetDamagedError(
                f"{self._place / MANIFEST_FILE} cannot be read: {error.strerror or error}.", _MEND
            ) from None
        return found.st_ino, found.st_size, found.st_mtime_ns


def column_of(fields: Sequence[Field], found: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
    """A stored column from the fields that hold it, clusters (nodes, arcs) last; NULL is what the layer set has for unknown.

    Parameters
    ----------
    fields : sequence of Field
        One, or one for each system, class or end, in storage order.
    found : mapping of str to ndarray
        Columns as `ParquetFiles.ask` gives them, shape (k,).

    Returns
    -------
    ndarray, shape (k,) or (m, k)
    """
    first = fields[0]
    if first.at is None:
        return _filled(first, found[code_name(first)])
    out = np.empty((len(fields), len(found[first.name])), dtype=first.dtype)
    for field in fields:
        out[field.at] = _filled(field, found[field.name])
    return out


def _filled(field: Field, values: NDArray[Any]) -> NDArray[Any]:
    plain = np.ma.filled(values, field.unknown) if isinstance(values, np.ma.MaskedArray) else values
    return np.asarray(plain, dtype=field.dtype)


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0].rstrip(".") if str(error).strip() else type(error).__name__


class RowReader:
    """Columns of a query's rows as the columnar store gives them, to the last bit and stride.

    Parameters
    ----------
    fields : mapping of str to sequence of Field
        By column of the layer set.
    found : mapping of str to ndarray
        Columns of the file, shape (k,).
    distance_km : ndarray of float64, shape (k,), or None
        From the centre [km].
    """

    def __init__(
        self, fields: Mapping[str, Sequence[Field]], found: Mapping[str, NDArray[Any]],
        distance_km: NDArray[np.float64] | None,
    ) -> None:  # fmt: skip
        self._fields, self._found, self._distance_km = fields, found, distance_km

    def read(self, name: str) -> NDArray[Any]:
        """One column, clusters on the first axis."""
        if name == "row":
            return np.asarray(self._found["row"], dtype=np.int64)
        if name == "distance_km":
            assert self._distance_km is not None
            return self._distance_km
        # Clusters last in memory, as on disk: the order of summing, and so the last bit of a sum, follows from it.
        return column_of(self._fields[name], self._found).T

    def at_distance(self, distance_km: NDArray[np.float64]) -> RowReader:
        """The same rows with their distances [km], shape (k,)."""
        return RowReader(self._fields, self._found, distance_km)

    def take(self, rows: NDArray[np.integer[Any]]) -> RowReader:
        """Reader of some of these rows, by position."""
        away = None if self._distance_km is None else self._distance_km[rows]
        return RowReader(self._fields, {name: column[rows] for name, column in self._found.items()}, away)
