"""Builds a small layer set and kills itself with SIGKILL at a named moment: ``python -m tests.support.killed_build``.

Arguments: directory, moment, workers. A moment is ``PHASE:N``, the N-th report of progress in that phase, or ``rename:N``
and ``renamed:N``, just before and just after the N-th renaming of a directory, or ``fsync:N``.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from tests.support.layers import build_small

from csrag.build import layout


def die() -> None:
    """End this process as a power cut would."""
    os.kill(os.getpid(), signal.SIGKILL)


class Killer:
    """A watcher of progress that kills at its moment."""

    def __init__(self, moment: str) -> None:
        self._phase, number = moment.split(":")
        self._number = int(number)
        self._now, self._count = "", 0

    def start(self, label: str, total: int, unit: str) -> None:  # noqa: ARG002
        self._now, self._count = label.split()[0], 0
        self._check()

    def advance(self, count: int) -> None:  # noqa: ARG002
        self._count += 1
        self._check()

    def _check(self) -> None:
        if (self._now, self._count) == (self._phase, self._number):
            die()


def arm(moment: str) -> None:
    """Kill around a renaming or a sync."""
    kind, number = moment.split(":")
    seen = {"rename": 0, "fsync": 0}
    rename, sync = Path.rename, layout._sync

    def counted_rename(self: Path, target: Path) -> Path:
        seen["rename"] += 1
        if kind == "rename" and seen["rename"] == int(number):
            die()
        result = rename(self, target)
        if kind == "renamed" and seen["rename"] == int(number):
            die()
        return result

    def counted_sync(path: Path) -> None:
        seen["fsync"] += 1
        if kind == "fsync" and seen["fsync"] == int(number):
            die()
        sync(path)

    Path.rename = counted_rename  # type: ignore[method-assign, assignment]
    layout._sync = counted_sync


if __name__ == "__main__":
    arm(sys.argv[2])
    build_small(
        Path(sys.argv[1]), workers=int(sys.argv[3]), progress=Killer(sys.argv[2]), block_rows=40, seed=int(sys.argv[4])
    )
