"""Reads a treated-cluster table in batches of bounded memory: CSV (plain or compressed) or Parquet."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.build.progress import Progress, Silent
from csrag.build.sources.table_columns import TEXTS, needed_columns
from csrag.errors import InvalidValueError, TableRefusedError

_NULLS = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "\\N"]
_CSV_BLOCK_BYTES = 8 << 20
_PARQUET_ROWS = 131_072
_NUMBER = re.compile(r"\s*[-+]?(\d+\.?\d*([eE][-+]?\d+)?|\.\d+([eE][-+]?\d+)?|inf|infinity|nan)\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Batch:
    """Some rows of the table.

    Parameters
    ----------
    first_row : int
        Number of the first, counted from 1 without the header.
    numbers : dict of str to ndarray of float64, shape (n,)
        Number columns; NaN where empty. `cluster_no` is among them only as int64 in `cluster_no`.
    texts : dict of str to pyarrow dictionary array
        Text columns.
    cluster_no : ndarray of int64
        Keys; -1 where empty or not whole.
    """

    first_row: int
    numbers: dict[str, NDArray[np.float64]]
    texts: dict[str, Any]
    cluster_no: NDArray[np.int64]

    def __len__(self) -> int:
        return int(self.cluster_no.shape[0])


class _Counting:
    """A binary file that tells how far it has been read."""

    def __init__(self, path: Path, progress: Progress) -> None:
        self._stream = path.open("rb")
        self._progress = progress

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self._progress.advance(len(data))
        return data

    def close(self) -> None:
        self._stream.close()

    @property
    def closed(self) -> bool:
        return self._stream.closed

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return False

    def seekable(self) -> bool:
        return False


def read_batches(path: Path, progress: Progress, filled: Sequence[str] = ()) -> tuple[list[str], Iterator[Batch]]:
    """Open a table.

    Parameters
    ----------
    path : Path
        CSV, gzip or other compressed CSV, or Parquet; told apart by content.
    progress : Progress
        Told of what has been read.
    filled : sequence of str
        What the table may lack; see `table_columns.needed_columns`.

    Returns
    -------
    columns : list of str
        Lower-case names of the columns that will be read.
    batches : iterator of Batch
        In file order.

    Raises
    ------
    InvalidValueError
        If there is no such file.
    TableRefusedError
        If the file is empty, cut off or not a table, or a column is missing or appears twice.
    """
    try:
        with path.open("rb") as stream:
            start = stream.read(4)
    except OSError as error:
        raise InvalidValueError(
            f"{path} cannot be read: {error.strerror or error}.", "Check the path.", code="file_not_readable"
        ) from None
    if not start.strip():
        raise TableRefusedError(f"{path} is empty.", "Export the table again.", code="table_empty")
    if start == b"PAR1":
        return _open_parquet(path, progress, filled)
    return _open_csv(path, progress, filled)


def _names(found: list[str], path: Path) -> dict[str, str]:
    lower: dict[str, str] = {}
    for name in found:
        key = name.strip().lower()
        if key in lower:
            raise TableRefusedError(f"{path} has the column {key} twice.", "Keep one of them.")
        lower[key] = name
    return lower


def _open_parquet(path: Path, progress: Progress, filled: Sequence[str]) -> tuple[list[str], Iterator[Batch]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(path)
    except (pa.ArrowException, OSError) as error:
        raise TableRefusedError(
            f"{path} is a Parquet file that was cut off or damaged ({_first_line(error)}).", "Export it again.",
            code="table_truncated",
        ) from None  # fmt: skip
    names = _names(list(file.schema_arrow.names), path)
    columns = needed_columns(names, filled)
    if file.metadata.num_rows == 0:
        raise TableRefusedError(f"{path} holds no rows.", "Export the table again.", code="table_empty")

    def batches() -> Iterator[Batch]:
        progress.start("reading table", file.metadata.num_rows, "rows")
        first = 1
        try:
            with file:
                for batch in file.iter_batches(_PARQUET_ROWS, columns=[names[c] for c in columns]):
                    yield _batch({c: batch.column(names[c]) for c in columns}, first, path)
                    first += batch.num_rows
                    progress.advance(batch.num_rows)
        except (pa.ArrowException, OSError) as error:
            raise TableRefusedError(
                f"{path} is damaged near row {first:,} ({_first_line(error)}).", "Export it again.",
                code="table_truncated",
            ) from None  # fmt: skip

    return columns, batches()


@contextmanager
def _csv_stream(path: Path, progress: Progress) -> Iterator[Any]:
    """The plain bytes of a CSV file, decompressed where its first bytes say so."""
    import pyarrow as pa

    counting = _Counting(path, progress)
    try:
        raw = pa.PythonFile(counting, mode="r")
        with path.open("rb") as stream:
            magic = stream.read(6)
        for start, codec in ((b"\x1f\x8b", "gzip"), (b"BZh", "bz2"), (b"\x28\xb5\x2f\xfd", "zstd")):
            if magic.startswith(start):
                raw = pa.CompressedInputStream(raw, codec)
                break
        yield raw
    finally:
        counting.close()


def _is_utf8(data: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data)  # a character cut off at the end is none of its faults
    except UnicodeDecodeError:
        return False
    return True


def _csv_header(path: Path) -> tuple[list[str], str]:
    """Column names as written and the delimiter."""
    with _csv_stream(path, Silent()) as stream:
        start = bytes(stream.read(1 << 16))
    first = start.split(b"\n")[0].rstrip(b"\r")
    if b"\0" in start or not _is_utf8(first if len(first) < len(start) else start):
        raise TableRefusedError(
            f"{path} is not a UTF-8 text table.",
            "Save it as CSV in UTF-8 (not UTF-16 or a spreadsheet file), or as Parquet.", code="not_text",
        )  # fmt: skip
    line = first.decode("utf-8-sig", errors="replace")
    delimiter = max(",;\t", key=line.count)
    return next(csv.reader([line], delimiter=delimiter), []), delimiter


def _open_csv(path: Path, progress: Progress, filled: Sequence[str]) -> tuple[list[str], Iterator[Batch]]:
    import pyarrow as pa
    import pyarrow.csv as pc

    try:
        header, delimiter = _csv_header(path)
    except (pa.ArrowException, OSError, EOFError) as error:
        raise TableRefusedError(f"{path} cannot be read ({_first_line(error)}).", "Export it again.") from None
    names = _names(header, path)
    columns = needed_columns(names, filled)
    types = {
        names[c]: pa.dictionary(pa.int32(), pa.string()) if c in TEXTS else pa.int64() if c == "cluster_no" else pa.float64()
        for c in columns
    }  # fmt: skip

    def batches() -> Iterator[Batch]:
        progress.start("reading table", path.stat().st_size, "bytes")
        first = 1
        try:
            with (
                _csv_stream(path, progress) as stream,
                pc.open_csv(
                    stream,
                    read_options=pc.ReadOptions(block_size=_CSV_BLOCK_BYTES, use_threads=False),
                    parse_options=pc.ParseOptions(delimiter=delimiter),
                    convert_options=pc.ConvertOptions(
                        column_types=types, include_columns=list(types), null_values=_NULLS, strings_can_be_null=True
                    ),
                ) as reader,
            ):
                for batch in reader:
                    yield _batch({c: batch.column(names[c]) for c in columns}, first, path)
                    first += batch.num_rows
        except (pa.ArrowException, OSError, EOFError) as error:
            raise _csv_refusal(path, names, columns, delimiter, error) from None
        if first == 1:
            raise TableRefusedError(
                f"{path} holds a header and no rows.", "Export the table again.", code="table_empty"
            )

    return columns, batches()


def _csv_refusal(
    path: Path, names: dict[str, str], columns: list[str], delimiter: str, error: Exception
) -> TableRefusedError:
    """Say which columns hold text, or where the file ends early, by a slow second look at a file already refused."""
    bad: dict[str, list[str]] = {}
    counts: dict[str, int] = {}
    short, first_short, row = 0, 0, 0
    width = len(names)
    order = list(names)
    try:
        with _csv_stream(path, Silent()) as stream:
            text = io.TextIOWrapper(io.BufferedReader(_Raw(stream)), encoding="utf-8-sig", errors="replace", newline="")
            for fields in csv.reader(text, delimiter=delimiter):
                if row == 0 or not fields:
                    row += 1 if row == 0 else 0
                    continue
                if len(fields) != width:
                    short += 1
                    first_short = first_short or row
                else:
                    for name, value in zip(order, fields, strict=True):
                        if name not in columns or name in TEXTS or value.strip() in _NULLS or _fits(name, value):
                            continue
                        counts[name] = counts.get(name, 0) + 1
                        bad.setdefault(name, []).append(f"{value[:20]!r} in row {row:,}") if counts[name] <= 2 else None
                row += 1
    except Exception as late:
        return TableRefusedError(
            f"{path} ends early or is damaged after row {max(row - 1, 0):,} ({_first_line(late)}).",
            "Export the table again.", code="table_truncated",
        )  # fmt: skip
    if short:
        cut = short == 1 and first_short == row - 1
        what = (
            f"{path} is cut off: its last row ({first_short:,}) is not whole."
            if cut
            else f"{short:,} rows of {path} do not have {width} values, the first is row {first_short:,}."
        )
        return TableRefusedError(what, "Export the table again.", code="table_truncated")
    if counts:
        said = "; ".join(f"{name}: {counts[name]:,} ({', '.join(examples)})" for name, examples in bad.items())
        return TableRefusedError(
            f"{path} holds text in number columns. {said}.", "Write numbers without units or thousands separators.",
            code="text_in_numbers",
        )  # fmt: skip
    return TableRefusedError(f"{path} cannot be read as a table ({_first_line(error)}).", "Export it again.")


def _fits(name: str, value: str) -> bool:
    if name == "cluster_no":
        return re.fullmatch(r"\s*[-+]?\d+\s*", value) is not None
    return _NUMBER.fullmatch(value) is not None


class _Raw(io.RawIOBase):
    """An Arrow stream as a raw Python stream."""

    def __init__(self, stream: Any) -> None:
        self._arrow = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._arrow.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def _batch(columns: dict[str, Any], first: int, path: Path) -> Batch:
    import pyarrow as pa

    numbers: dict[str, NDArray[np.float64]] = {}
    texts: dict[str, Any] = {}
    keys = np.empty(0, dtype=np.int64)
    for name, column in columns.items():
        if name in TEXTS:
            text = column if pa.types.is_dictionary(column.type) else column.cast(pa.string()).dictionary_encode()
            texts[name] = text
        elif name == "cluster_no":
            keys = _keys(column, path)
        else:
            try:
                plain = column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
                numbers[name] = plain.cast(pa.float64()).to_numpy(zero_copy_only=False)
            except pa.ArrowException as error:
                raise TableRefusedError(
                    f"{path} holds text in the number column {name} ({_first_line(error)}).",
                    "Write numbers without units or thousands separators.",
                    code="text_in_numbers",
                ) from None
    return Batch(first, numbers, texts, keys)


def _keys(column: Any, path: Path) -> NDArray[np.int64]:
    """Cluster numbers; -1 where there is none."""
    import pyarrow as pa

    try:
        whole = column.cast(pa.int64())
    except pa.ArrowException as error:
        raise TableRefusedError(
            f"cluster_no of {path} is not a whole number everywhere ({_first_line(error)}).", "Number the clusters.",
            code="text_in_numbers",
        ) from None  # fmt: skip
    return np.asarray(whole.fill_null(-1).to_numpy(zero_copy_only=False), dtype=np.int64)


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:160].rstrip(".")
