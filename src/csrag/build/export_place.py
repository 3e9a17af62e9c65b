"""Where an export is written: a work folder beside its place, a journal of finished files, two renames at the end."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from csrag.errors import RequestError
from csrag.surfaces import files
from csrag.surfaces.exported import ExportManifest, export_schema
from csrag.surfaces.manifest import MANIFEST_FILE

JOURNAL = "csrag-export-work.json"
"""Marks a folder as the work of an export, and lists what is finished in it."""
_WORK_SCHEMA = "csrag.export-work/1"
_FIX = "Name a new or empty directory with --out."


class Place:
    """The directory of an export and its neighbours.

    Parameters
    ----------
    out : Path
        Where the export shall be, links resolved.
    """

    def __init__(self, out: Path) -> None:
        self.out = out
        self.work = out.with_name(f".csrag-export-{out.name}")
        self._old = out.with_name(f".csrag-export-old-{out.name}")

    def check(self) -> None:
        """Refuse to replace what is not an export, and to work in a folder that is not ours.

        Raises
        ------
        RequestError
            Saying what is in the way.
        """
        try:
            self._check_out()
            for folder, ours in ((self.work, self._is_work), (self._old, self._is_export)):
                if (folder.exists() or folder.is_symlink()) and not ours(folder):
                    raise RequestError(
                        f"{folder} is in the way: an export would work there, but csrag did not make it.",
                        "Move it away, or choose another place with --out.", code="target_not_export",
                    )  # fmt: skip
        except OSError as error:
            raise RequestError(
                f"{self.out} cannot be read: {error.strerror}.", _FIX, code="target_not_export"
            ) from None

    def _check_out(self) -> None:
        if not self.out.is_dir():
            if self.out.exists() or self.out.is_symlink():
                raise RequestError(f"{self.out} is a file.", _FIX, code="target_not_export")
            return
        if not any(self.out.iterdir()):
            return
        if export_schema(self.out) is None:
            raise RequestError(
                f"{self.out} is a directory that is not an export (it has no {MANIFEST_FILE} of csrag's); it would be "
                "replaced.",
                f"{_FIX[:-1]}, or empty this one yourself.", code="target_not_export",
            )  # fmt: skip
        strange = _strangers(self.out)
        if strange:
            raise RequestError(
                f"{self.out} is a directory that is not an export alone (it holds {', '.join(strange[:3])}); it would be "
                "replaced.",
                _FIX, code="target_not_export",
            )  # fmt: skip

    def _is_work(self, folder: Path) -> bool:
        if folder.is_symlink() or not folder.is_dir():
            return False
        return _journal(folder) is not None or not any(folder.iterdir()) or self._is_export(folder)

    @staticmethod
    def _is_export(folder: Path) -> bool:
        if folder.is_symlink() or not folder.is_dir() or export_schema(folder) is None:
            return False
        return not _strangers(folder)

    def recover(self) -> None:
        """Finish a replacement that was cut off after its work was done, or undo it."""
        if self._is_export(self.work):
            self._swap()
        if not self._is_export(self._old):
            return
        if not self.out.exists():
            self._old.rename(self.out)
        elif self._is_export(self.out):
            shutil.rmtree(self._old)

    def finished(self, layers_hash: str) -> ExportManifest | None:
        """The export that stands here, if it is of this layer set and every file is as it was written."""
        try:
            found = ExportManifest.from_json(json.loads((self.out / MANIFEST_FILE).read_text(encoding="utf-8")))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None
        if found.layers.layers_hash != layers_hash:
            return None
        return found if all(is_as_noted(self.out / name, entry) for name, entry in found.files.items()) else None

    def start(self, job: str) -> dict[str, dict[str, Any]]:
        """Make the work folder, or find what an interrupted export of the same job left there; returns its finished files."""
        found = _journal(self.work) if self.work.is_dir() else None
        if found is not None and found.get("job") == job:
            return dict(found["done"])
        if self.work.exists():
            shutil.rmtree(self.work)
        self.work.mkdir(parents=True)
        self.note(job, {})
        return {}

    def note(self, job: str, done: Mapping[str, Any]) -> None:
        """Write down what is finished."""
        text = json.dumps({"schema": _WORK_SCHEMA, "for": self.out.name, "job": job, "done": done}, indent=0) + "\n"
        beside = self.work / f"{JOURNAL}.writing"
        beside.write_text(text, encoding="utf-8")
        beside.replace(self.work / JOURNAL)

    def is_as_noted(self, file: str, entry: Mapping[str, Any]) -> bool:
        """Whether a finished file of the work folder still has the bytes that were noted."""
        return is_as_noted(self.work / file, entry)

    def publish(self, manifest_text: str) -> None:
        """Write the manifest and put the export in its place."""
        with (self.work / MANIFEST_FILE).open("w", encoding="utf-8") as stream:
            stream.write(manifest_text)
            stream.flush()
            os.fsync(stream.fileno())
        for left in self.work.rglob("*.writing"):
            left.unlink()
        (self.work / JOURNAL).unlink()
        self._swap()

    def _swap(self) -> None:
        if self._old.exists():
            shutil.rmtree(self._old)
        if self.out.is_dir() and not any(self.out.iterdir()):
            self.out.rmdir()
        if self.out.exists():
            self.out.rename(self._old)
        self.work.rename(self.out)
        if self._old.exists():
            shutil.rmtree(self._old)


def is_as_noted(path: Path, entry: Mapping[str, Any]) -> bool:
    """Whether a file has the size and the SHA-256 that were written down for it."""
    try:
        return path.stat().st_size == int(entry["bytes"]) and files.sha256_of(path) == str(entry["sha256"])
    except OSError:
        return False


def _journal(folder: Path) -> dict[str, Any] | None:
    try:
        found = json.loads((folder / JOURNAL).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    ours = isinstance(found, dict) and found.get("schema") == _WORK_SCHEMA and isinstance(found.get("done"), dict)
    return found if ours else None


def _strangers(place: Path) -> list[str]:
    """Files in an export's directory that its manifest does not name."""
    data = json.loads((place / MANIFEST_FILE).read_text(encoding="utf-8"))
    named = data.get("files")
    own = {MANIFEST_FILE, *(named if isinstance(named, dict) else ())}
    return sorted(
        name for p in place.rglob("*") if not p.is_dir() or p.is_symlink()
        for name in [p.relative_to(place).as_posix()] if name not in own or p.is_symlink()
    )  # fmt: skip
