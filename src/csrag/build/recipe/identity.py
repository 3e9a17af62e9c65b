"""What a file is: a hash over its bytes, and over those of its companions."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from csrag.build.progress import Progress
from csrag.errors import DataError

_SHAPEFILE_ENDS = frozenset({".shp", ".shx", ".dbf", ".prj", ".cpg", ".qix", ".sbn", ".sbx"})
_CHUNK = 1 << 20


def bytes_of(path: Path) -> tuple[Path, ...]:
    """Every file that a named one stands for: a shapefile's companions, the files of a geodatabase's directory."""
    if path.is_dir():
        return tuple(sorted(p for p in path.rglob("*") if p.is_file()))
    if path.suffix.lower() == ".shp":
        mine = (p for p in path.parent.iterdir() if p.stem == path.stem and p.suffix.lower() in _SHAPEFILE_ENDS)
        return tuple(sorted(mine))
    return (path,)


def identities(paths: Iterable[Path], progress: Progress) -> dict[Path, str]:
    """SHA-256 of each named file, companions included.

    Parameters
    ----------
    paths : iterable of Path
        Files, shapefiles or file geodatabases.
    progress : Progress
        Told of the bytes read.

    Returns
    -------
    dict of Path to str
        Hexadecimal; the same bytes give the same hash wherever they lie.

    Raises
    ------
    DataError
        If a file cannot be read to its end.
    """
    parts = {path: bytes_of(path) for path in dict.fromkeys(paths)}
    try:
        total = sum(p.stat().st_size for files in parts.values() for p in files)
        progress.start("hashing the sources", total, "bytes")
        return {path: _digest(path, files, progress) for path, files in parts.items()}
    except OSError as error:
        raise DataError(
            f"{error.filename} cannot be read: {error.strerror or error}.", "Download or copy it again.",
            code="file_not_readable",
        ) from None  # fmt: skip


def _digest(path: Path, files: tuple[Path, ...], progress: Progress) -> str:
    digest = hashlib.sha256()
    for file in files:
        if len(files) > 1:
            # Which companion the bytes are of counts too, but not how the whole is called.
            label = file.suffix.lower() if path.is_file() else file.relative_to(path).as_posix()
            digest.update(f"\0{label}\0{file.stat().st_size}\0".encode())
        with file.open("rb") as stream:
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
                progress.advance(len(chunk))
    return digest.hexdigest()
