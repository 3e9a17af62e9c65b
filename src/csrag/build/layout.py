"""Where a build keeps its work, and how the finished set takes its place."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from csrag.build.lock import writer_lock
from csrag.errors import DataError, RequestError
from csrag.surfaces import files
from csrag.surfaces.catalog import COLUMNS, CORE_COLUMNS, ROAD_COLUMNS
from csrag.surfaces.index import OFFSETS
from csrag.surfaces.manifest import MANIFEST_FILE, SCHEMA
from csrag.surfaces.written import WRITTEN_FILE, record_written

WORK_FILE = "csrag-work.json"
"""Marks a folder as the work of a build."""
_SPARE_BYTES = 16 << 20


def partial_dir(out: Path) -> Path:
    """Where a build works until it is done: a name that nobody gives a folder of their own."""
    return out.with_name(f".csrag-partial-{out.name}")


def old_dir(out: Path) -> Path:
    """Where the older set stands for the moment between the two renames of a replacement."""
    return out.with_name(f".csrag-old-{out.name}")


def lock_file(out: Path) -> Path:
    """The writer's lock, beside the layer set."""
    return out.with_name(f".csrag-lock-{out.name}")


def column_shapes(n_treatments: int, n_systems: int, n_classes: int, n: int) -> dict[str, tuple[int, ...]]:
    """Shape of every column of the catalog."""
    axes = {
        "cluster": (n,),
        "treatment,cluster": (n_treatments, n),
        "treatment,system,cluster": (n_treatments, n_systems, n),
        "treatment,class,cluster": (n_treatments, n_classes, n),
    }
    return {name: axes[column.axes] for name, column in COLUMNS.items()}


def resolved(out: Path) -> Path:
    """The place itself: a link keeps pointing at the set, what it names is replaced.

    Raises
    ------
    RequestError
        For a link that leads back to itself, or a name that no file system takes.
    """
    try:
        place = out.expanduser().resolve()
        place.exists()
    except (OSError, RuntimeError) as error:
        why = getattr(error, "strerror", None) or "the link leads back to itself"
        raise RequestError(f"{out} cannot be used: {why}.", "Name another directory.", code="bad_path") from None
    return place


def check_target(out: Path) -> None:
    """Refuse to replace what is not a layer set, and to work in a folder that is not our own.

    Raises
    ------
    RequestError
        If `out` is a file, or a directory that holds anything but a layer set, or something of the user's carries the
        name of a build's own folder.
    """
    fix = "Name a new or empty directory with --out."
    if out.is_dir():
        try:
            strangers = strangers_in(out)
        except OSError as error:
            raise RequestError(f"{out} cannot be read: {error.strerror}.", fix, code="target_not_layers") from None
        if strangers is None:
            raise RequestError(
                f"{out} is a directory that is not a layer set (it has no {MANIFEST_FILE} of csrag's); it would be replaced.",
                f"{fix[:-1]}, or empty this one yourself.", code="target_not_layers",
            )  # fmt: skip
        if strangers:
            raise RequestError(
                f"{out} is a directory that is not a layer set alone (it holds {', '.join(strangers[:3])}); it would be "
                "replaced.",
                fix, code="target_not_layers",
            )  # fmt: skip
    elif out.exists() or out.is_symlink():
        raise RequestError(f"{out} is a file.", fix, code="target_not_layers")
    for folder, own in ((partial_dir(out), _is_own_work), (old_dir(out), is_own_set)):
        if (folder.exists() or folder.is_symlink()) and not own(folder):
            raise RequestError(
                f"{folder} is in the way: a build would work there, but csrag did not make it.",
                "Move it away, or choose another place with --out.", code="target_not_layers",
            )  # fmt: skip


def strangers_in(place: Path) -> list[str] | None:
    """Names in a directory that do not belong to the layer set there.

    Parameters
    ----------
    place : Path
        A directory.

    Returns
    -------
    list of str or None
        Empty for a layer set and for an empty directory; None for a directory without a manifest of csrag's.

    Raises
    ------
    OSError
        If the directory cannot be read.
    """
    found = sorted(place.iterdir())
    if not found:
        return []
    manifest = _manifest(place)
    if manifest is None:
        return None
    columns = manifest.get("columns")
    entries = columns.values() if isinstance(columns, dict) else ()
    own = {MANIFEST_FILE, WRITTEN_FILE, *(str(e.get("file")) for e in entries if isinstance(e, dict))}
    own |= {f"{name}.npy" for name in (*COLUMNS, OFFSETS)}
    return [p.name for p in found if p.name not in own or p.is_symlink() or not p.is_file()]


def is_own_set(place: Path) -> bool:
    """Whether a directory is a layer set and nothing else."""
    try:
        return (
            place.is_dir()
            and not place.is_symlink()
            and (place / MANIFEST_FILE).is_file()
            and strangers_in(place) == []
        )
    except OSError:
        return False


def _manifest(place: Path) -> dict[str, Any] | None:
    """The manifest of a directory if csrag wrote it, whatever state its columns are in."""
    try:
        found = json.loads((place / MANIFEST_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    ours = isinstance(found, dict) and str(found.get("schema", "")).split("/")[0] == SCHEMA.split("/")[0]
    return found if ours else None


def set_at(out: Path) -> SetThere | None:
    """What layer set a build would replace, None where there is none."""
    found = _manifest(out)
    if found is None:
        return None
    columns = found.get("columns")
    hashes = {str(k): str(v.get("sha256")) for k, v in columns.items() if isinstance(v, dict)} if isinstance(
        columns, dict) else {}  # fmt: skip
    return SetThere(str(found.get("name")), str(found.get("layers_hash")), found.get("synthetic") is True, hashes)


@dataclass(frozen=True)
class SetThere:
    """The set that stands at a build's target: its name, hash, whether it is made up, and the hashes of its columns."""

    name: str
    layers_hash: str
    synthetic: bool
    columns: Mapping[str, str]

    def refuse_loss(self, place: Path) -> None:
        """Refuse to put another set in the place of an imported one.

        Raises
        ------
        RequestError
            Always, for an imported set.
        """
        if not self.synthetic:
            raise RequestError(
                f"{place} holds the imported layer set {self.name!r} (hash {self.layers_hash[:16]}), made from another table; "
                "it stays as it is.",
                "Name another directory with --out, or add --replace to put the new set in its place.",
                code="imported_set_there",
            )


def _is_own_work(folder: Path) -> bool:
    """Whether a folder is a build's: marked as such, or not yet (empty), or no longer (about to be renamed)."""
    try:
        return folder.is_dir() and not folder.is_symlink() and (
            (folder / WORK_FILE).is_file() or not any(folder.iterdir()) or is_own_set(folder)
        )  # fmt: skip
    except OSError:
        return False


def start_work(out: Path) -> Path:
    """Make the build's own folder, or find the one that an interrupted build left, and mark it as ours."""
    partial = partial_dir(out)
    partial.mkdir(parents=True, exist_ok=True)
    (partial / WORK_FILE).write_text(json.dumps({"schema": "csrag.work/1", "for": out.name}) + "\n", encoding="utf-8")
    return partial


def drop_work(out: Path) -> None:
    """Remove the build's own folder."""
    partial = partial_dir(out)
    if partial.exists() and _is_own_work(partial):
        shutil.rmtree(partial)


def check_space(
    out: Path, shapes: Mapping[str, tuple[int, ...]], passing: Mapping[str, tuple[int, ...]] | None = None
) -> None:
    """Refuse before anything is written when the disk cannot hold the set.

    Parameters
    ----------
    out : Path
        The layer set's place.
    shapes : mapping
        Shape of every column.
    passing : mapping, optional
        Columns that lie there a second time while the set is finished.

    Raises
    ------
    DataError
        Naming what is needed and what is free.
    """
    columns = [*shapes.items(), *(passing or {}).items()]
    known = {**COLUMNS, **ROAD_COLUMNS, **CORE_COLUMNS}
    needed = sum(files.file_bytes(known[name].dtype, shape) for name, shape in columns) + _SPARE_BYTES
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
    """Finish or undo a replacement of ours that was cut off between its two renames."""
    old = old_dir(out)
    if not is_own_set(old):
        return
    if not out.exists():
        old.rename(out)
    elif is_own_set(out):
        shutil.rmtree(old)


def interrupted_replacement(place: Path) -> bool:
    """Whether a replacement of ours was cut off between its two renames."""
    try:
        out = place.resolve()
        return not out.exists() and is_own_set(old_dir(out))
    except (OSError, RuntimeError):
        return False


def mend_replacement(place: Path) -> None:
    """`recover` under the writer's lock.

    Raises
    ------
    DataError
        If the place cannot be written.
    """
    out = place.resolve()
    with writer_lock(lock_file(out), wait_s=60.0), writing(out):
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
    # After the sync: a mapped file's time moves when its pages are written back.
    record_written(partial)
    _sync(partial / WRITTEN_FILE)
    (partial / WORK_FILE).unlink(missing_ok=True)
    _sync(partial)
    old = old_dir(out)
    if out.is_dir() and not any(out.iterdir()):
        out.rmdir()
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
