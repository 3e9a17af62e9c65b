"""An output file that is whole or not there: written beside its place and renamed."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, TextIO

from csrag.errors import DataError, InvalidValueError


@contextlib.contextmanager
def writing_to(name: str, source: BinaryIO | None = None) -> Iterator[TextIO]:
    """Open a file for writing; it takes its place when everything has been written.

    Parameters
    ----------
    name : str
        Path. A link is followed; a device or a pipe is written to as it stands.
    source : binary file, optional
        What is being read, which must not be the same file.

    Yields
    ------
    text file
        UTF-8, line feeds.

    Raises
    ------
    InvalidValueError
        If the path is a directory, cannot be written or is the file that is being read.
    DataError
        If the disk is full.
    """
    try:
        given = Path(name).expanduser()
        there = given.stat() if given.exists() else None
        place = given.resolve()
    except (OSError, RuntimeError) as error:
        raise _unusable(name, getattr(error, "strerror", None) or "the link leads back to itself") from None
    if there is not None and stat.S_ISDIR(there.st_mode):
        raise _unusable(name, "it is a directory")
    if there is not None and not stat.S_ISREG(there.st_mode):
        with _said(name), given.open("w", encoding="utf-8", newline="\n") as stream:
            yield stream
        return
    if there is not None and source is not None and _is(source, there):
        raise InvalidValueError(
            f"{name} is the file that is being read; it would be lost.",
            "Name another file with --out.",
            code="same_file",
        )
    if there is not None and not os.access(place, os.W_OK):
        raise _unusable(name, "it is write-protected")
    beside = place.with_name(f".csrag-writing-{secrets.token_hex(8)}")
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    except OSError as error:
        raise _unusable(name, error.strerror or str(error)) from None
    try:
        with _said(name):
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as stream:
                yield stream
            if there is not None:
                beside.chmod(stat.S_IMODE(there.st_mode))
            beside.replace(place)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _is(source: BinaryIO, there: os.stat_result) -> bool:
    try:
        return os.path.samestat(os.fstat(source.fileno()), there)
    except (OSError, ValueError):
        return False


def _unusable(name: str, why: str) -> InvalidValueError:
    return InvalidValueError(f"{name} cannot be written: {why}.", "Check the path and its permissions.")


@contextlib.contextmanager
def _said(name: str) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise DataError(
            f"{name} cannot be written: {error.strerror or error}.",
            "Free some space or name another file with --out; what was there before is unchanged.",
            code="not_writable",
        ) from None
