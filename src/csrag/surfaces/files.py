"""Column files: plain ``.npy`` with a header that follows from dtype and shape, so that damage shows at once."""

from __future__ import annotations

import hashlib
import math
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_MAGIC = b"\x93NUMPY\x01\x00"
_ALIGN = 64


def header(dtype: str, shape: tuple[int, ...]) -> bytes:
    """The npy version 1 header that every column file of this dtype and shape starts with.

    Parameters
    ----------
    dtype : str
        NumPy dtype string with byte order, such as "<f4".
    shape : tuple of int
        Shape, C order.

    Returns
    -------
    bytes
        Header whose length is a multiple of 64 bytes.
    """
    text = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape!r}, }}"
    length = len(_MAGIC) + 2 + len(text) + 1
    padded = text + " " * (-length % _ALIGN) + "\n"
    return _MAGIC + len(padded).to_bytes(2, "little") + padded.encode("latin1")


def file_bytes(dtype: str, shape: tuple[int, ...]) -> int:
    """Exact size of a column file [bytes]."""
    return len(header(dtype, shape)) + math.prod(shape) * np.dtype(dtype).itemsize


def create(path: Path, dtype: str, shape: tuple[int, ...]) -> None:
    """Make a column file of its final size, zero filled, blocks reserved where the system can.

    Raises
    ------
    OSError
        If the disk is full or the place cannot be written.
    """
    size = file_bytes(dtype, shape)
    with path.open("wb") as stream:
        stream.write(header(dtype, shape))
        stream.flush()
        # A sparse file on a full disk ends in SIGBUS when its pages are written back; reserving fails here instead.
        if hasattr(os, "posix_fallocate") and size > 0:
            os.posix_fallocate(stream.fileno(), 0, size)
        else:  # pragma: no cover - platforms without posix_fallocate
            stream.truncate(size)


def open_column(path: Path, dtype: str, shape: tuple[int, ...], *, writable: bool = False) -> NDArray[Any]:
    """Memory-map a column file.

    Parameters
    ----------
    path : Path
        The file.
    dtype, shape
        As the manifest states them; the file's own header has been compared with them before.
    writable : bool
        Map for writing (the builder); readers map read-only.

    Returns
    -------
    ndarray
        A plain ndarray over the mapping: slicing a `numpy.memmap` costs ten times as much.
    """
    offset = len(header(dtype, shape))
    if math.prod(shape) == 0:
        return np.empty(shape, dtype=dtype)
    return np.asarray(np.memmap(path, dtype=dtype, mode="r+" if writable else "r", offset=offset, shape=shape))


def sha256_of(path: Path) -> str:
    """SHA-256 of a file's bytes, hexadecimal."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()
