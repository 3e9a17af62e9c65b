"""The one table type: named read-only columns of equal length."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray


class ColumnReader(Protocol):
    """Gives the columns of a frame that nobody has asked for yet."""

    def read(self, name: str) -> NDArray[Any]:
        """One column, shape (n, ...)."""
        ...

    def take(self, rows: NDArray[np.integer[Any]]) -> ColumnReader:
        """Reader of these rows by position, in the order given."""
        ...


class ClusterFrame(Mapping[str, NDArray[Any]]):
    """Named columns whose first axis is the same cluster.

    A column may have further axes (cost has one per harvesting system). The arrays are views and read-only: a frame can
    be kept in a cache and handed to several threads. Columns of a frame made by `reading` are read when they are first
    asked for; taking rows before that reads those rows alone.

    Parameters
    ----------
    columns : mapping of str to array
        Columns; each of shape (n, ...).

    Raises
    ------
    ValueError
        If the first axes differ in length.
    """

    __slots__ = ("_columns", "_length")

    def __init__(self, columns: Mapping[str, NDArray[Any]]) -> None:
        kept: dict[str, NDArray[Any] | ColumnReader] = {}
        length: int | None = None
        for name, values in columns.items():
            view = np.asarray(values).view()
            if view.ndim == 0:
                raise ValueError(f"column {name} is a scalar, not a column")
            if length is None:
                length = view.shape[0]
            elif view.shape[0] != length:
                raise ValueError(f"column {name} has {view.shape[0]} rows where the others have {length}")
            view.flags.writeable = False
            kept[name] = view
        self._columns = kept
        self._length = length or 0

    @classmethod
    def reading(cls, names: Sequence[str], length: int, reader: ColumnReader) -> ClusterFrame:
        """Frame whose columns are read when they are first asked for.

        Parameters
        ----------
        names : sequence of str
            Columns that the reader knows.
        length : int
            Rows of each.
        reader : ColumnReader
            Asked once a column, or once a thread where two ask together.
        """
        return cls._of(dict.fromkeys(names, reader), length)

    @classmethod
    def _of(cls, columns: dict[str, NDArray[Any] | ColumnReader], length: int) -> ClusterFrame:
        frame = cls.__new__(cls)
        frame._columns, frame._length = columns, length
        return frame

    def __getitem__(self, name: str) -> NDArray[Any]:
        found = self._columns[name]
        if not isinstance(found, np.ndarray):
            found = found.read(name).view()
            found.flags.writeable = False
            self._columns[name] = found
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        """Rows, not columns: a frame is as long as its clusters."""
        return self._length

    def __bool__(self) -> bool:
        return self._length > 0

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def __repr__(self) -> str:
        return f"ClusterFrame({self._length} rows: {', '.join(self._columns)})"

    @property
    def names(self) -> tuple[str, ...]:
        """Column names in order."""
        return tuple(self._columns)

    def take(self, rows: NDArray[np.integer[Any]]) -> ClusterFrame:
        """Rows by position, in the order given."""
        readers: dict[int, ColumnReader] = {}
        taken: dict[str, NDArray[Any] | ColumnReader] = {}
        for name, values in self._columns.items():
            if isinstance(values, np.ndarray):
                mine = _take(values, rows)
                mine.flags.writeable = False
                taken[name] = mine
            else:
                if id(values) not in readers:
                    readers[id(values)] = values.take(rows)
                taken[name] = readers[id(values)]
        return ClusterFrame._of(taken, len(rows))

    def filter(self, keep: NDArray[np.bool_]) -> ClusterFrame:
        """Rows where `keep`, a boolean array of shape (n,), is true.

        Raises
        ------
        ValueError
            If `keep` is not boolean or of another length.
        """
        if keep.dtype != np.bool_ or keep.shape != (self._length,):
            raise ValueError(f"a filter must be {self._length} booleans, not {keep.shape} of {keep.dtype}")
        return self.take(np.flatnonzero(keep))

    def select(self, names: Sequence[str]) -> ClusterFrame:
        """Only these columns, in this order."""
        return ClusterFrame._of({name: self._columns[name] for name in names}, self._length)

    def with_columns(self, **columns: NDArray[Any]) -> ClusterFrame:
        """Copy with columns added or replaced; nothing is copied but the names."""
        added = ClusterFrame(columns)
        if columns and self._columns and len(added) != self._length:
            raise ValueError(f"column {next(iter(columns))} has {len(added)} rows where the others have {self._length}")
        return ClusterFrame._of({**self._columns, **added._columns}, self._length if self._columns else len(added))

    @classmethod
    def concat(cls, frames: Sequence[ClusterFrame]) -> ClusterFrame:
        """Frames of the same columns, one after the other.

        Raises
        ------
        ValueError
            If no frame is given or their columns differ.
        """
        if not frames:
            raise ValueError("nothing to concatenate")
        names = frames[0].names
        if any(set(frame.names) != set(names) for frame in frames):
            raise ValueError("the frames have different columns")
        return cls({name: np.concatenate([frame[name] for frame in frames]) for name in names})


def _take(values: NDArray[Any], rows: NDArray[np.integer[Any]]) -> NDArray[Any]:
    """Rows of a column; one that is stored with its clusters last is read along them, which is several times faster."""
    if values.ndim == 2 and not values.flags.c_contiguous:
        return np.take(values.T, rows, axis=-1).T
    return np.take(values, rows, axis=0)
