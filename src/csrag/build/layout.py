"""Where a build keeps its work, and how the finished set takes its place."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from csrag.build.lock import writer_lock
from csrag.errors import DataError
from csrag.surfaces import files
from csrag.surfaces.catalog import COLUMNS
from csrag.surfaces.manifest import MANIFEST_FILE, SCHEMA

_SPARE_BYTES = 16 << 20


def partial_dir(out: Path) -> Path:
    """Where a build works until it is done."""
    return out.with_name(out.name + ".partial")


def _old_dir(out: Path) -> Path:
    return out.with_name(out.name + ".old")


def lock_file(out: Path) -> Path:
    """The writer's lock, beside the layer set."""
    return out.with_name(out.name + ".lock")


def column_shapes(n_treatments: int, n_systems: int, n_classes: int, n: int) -> dict[str, tuple[int, ...]]:
    """Shape of every column of the catalog."""
    axes = {
        "cluster": (n,),
        "treatment,cluster": (n_treatments, n),
        "treatment,system,cluster": (n_treatments, n_systems, n),
        "treatment,class,cluster": (n_treatments, n_classes, n),
    }
    return {name: axes[column.axes] for name, column in COLUMNS.items()}


def check_target(out: Path) -> None:
    """Refuse to replace what is not a layer set.

    Raises
    ------
    DataError
        If `out` is a file, or a directory with something else in it.
    """
    if out.is_dir():
        strangers = sorted(p.name for p in out.iterdir() if p.suffix != ".npy" and p.name != MANIFEST_FILE)
        if strangers or (any(out.iterdir()) and not _looks_like_layers(out)):
            what = f" (it holds {', '.join(strangers[:3])})" if strangers else ""
            raise DataError(
                f"{out} is a directory that is not a layer set{what}; it would be replaced.",
                "Name a new or empty directory with --out.",
                code="target_not_layers",
            )
    elif out.exists() or out.is_symlink():
        raise DataError(f"{out} is a file.", "Name a new or empty directory with --out.", code="target_not_layers")


def _looks_like_layers(path: Path) -> bool:
    if any(path.glob("*.npy")):
        return True
    try:
        found = json.loads((path / MANIFEST_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(found, dict) and str(found.get("schema", "")).startswith(SCHEMA.split("/")[0])


def check_space(out: Path, shapes: Mapping[str, tuple[int, ...]]) -> None:
    """Refuse before anything is written when the disk cannot hold the set.

    Raises
    ------
    DataError
        Naming what is needed and what is free.
    """
    needed = sum(files.file_bytes(COLUMNS[name].dtype, shape) for name, shape in shapes.items()) + _SPARE_BYTES
    partial = partial_dir(out)
    have = sum(p.stat().st_blocks * 512 for p in partial.glob("*.npy")) if partial.is_dir() else 0
    free = shutil.disk_usage(out.parent).free
    if free + have < needed:
        raise DataError(
            f"The layer set needs {needed / 1e6:,.0f} MB and {out.parent} has {(free + have) / 1e6:,.0f} MB free.",
            "Free some space or choose another disk with --out; nothing was written.",
            code="disk_full",
        )


@contextlib.contextmanager
def writing(out: Path) -> Iterator[None]:
    """Turn the system's write errors into one that says what was kept.

    Raises
    ------
    DataError
        For a full disk or a place that cannot be written.
    """
    try:
        yield
    except OSError as error:
        raise DataError(
            f"{out} cannot be written: {error.strerror or error}.",
            "Free some space or mend the permissions and run the same command again; what is done is kept, and a layer "
            "set that was there before still is.",
            code="disk_full" if error.errno == 28 else "not_writable",
        ) from None


def recover(out: Path) -> None:
    """Finish or undo a replacement that was cut off between its two renames."""
    old = _old_dir(out)
    if not old.exists():
        return
    if out.exists():
        shutil.rmtree(old)
    else:
        old.rename(out)


def interrupted_replacement(out: Path) -> bool:
    """Whether a replacement was cut off between its two renames."""
    return not out.exists() and _old_dir(out).is_dir()


def mend_replacement(out: Path) -> None:
    """`recover` under the writer's lock."""
    with writer_lock(lock_file(out), wait_s=60.0):
        recover(out)


def publish(out: Path, manifest_text: str, leftovers: tuple[str, ...]) -> None:
    """Write the manifest, bring every byte to the disk, and put the set in its place.

    Parameters
    ----------
    out : Path
        The layer set's place.
    manifest_text : str
        Text of the manifest.
    leftovers : tuple of str
        Files of the build that do not belong to the set.
    """
    partial = partial_dir(out)
    (partial / MANIFEST_FILE).write_text(manifest_text, encoding="utf-8")
    for file in sorted(partial.iterdir()):
        _sync(file)
    for name in leftovers:
        (partial / name).unlink(missing_ok=True)
    _sync(partial)
    old = _old_dir(out)
    if out.exists():
        out.rename(old)
    partial.rename(out)
    _sync(out.parent)
    if old.exists():
        shutil.rmtree(old)


def _sync(path: Path) -> None:
    if path.is_dir() and os.name == "nt":  # pragma: no cover - Windows cannot sync a directory
        return
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
