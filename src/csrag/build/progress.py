"""Progress on stderr: a bar with rate and time left on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any, Protocol


def _rate(per_second: float) -> str:
    """A rate in words: slow phases have decimals."""
    return f"{per_second:,.0f}" if per_second >= 10 else f"{per_second:.1f}"


class Progress(Protocol):
    """What a long task tells its watcher."""

    def start(self, label: str, total: int, unit: str) -> None:
        """A phase begins: what, how many, of what."""
        ...

    def advance(self, count: int) -> None:
        """So many more are done."""
        ...


class Silent:
    """Says nothing."""

    def start(self, label: str, total: int, unit: str) -> None:
        """Nothing."""

    def advance(self, count: int) -> None:
        """Nothing."""


class PlainProgress:
    """A line at the start of a phase, then at most one every `every_s` seconds, and one at its end."""

    def __init__(self, every_s: float = 2.0) -> None:
        self._every_s = every_s
        self._label, self._unit, self._total, self._done = "", "", 0, 0
        self._begin = self._last = 0.0

    def start(self, label: str, total: int, unit: str) -> None:
        """Begin a phase."""
        self._label, self._unit, self._total, self._done = label, unit, total, 0
        self._begin = self._last = time.monotonic()
        print(f"{label}: {total:,} {unit}", file=sys.stderr, flush=True)

    def advance(self, count: int) -> None:
        """Count, and print if it is time."""
        if count <= 0:
            return
        self._done += count
        now = time.monotonic()
        if now - self._last < self._every_s and self._done < self._total:
            return
        self._last = now
        rate = self._done / max(now - self._begin, 1e-9)
        left = (self._total - self._done) / rate if rate > 0 else 0.0
        share = 100 * self._done / max(self._total, 1)
        print(
            f"{self._label}: {share:.0f} %, {_rate(rate)} {self._unit}/s, {left:.0f} s left",
            file=sys.stderr,
            flush=True,
        )


class TerminalProgress:
    """A `rich` bar; use as a context manager so that the terminal is left in order."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as RichProgress

        self._bar = RichProgress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[unit]}, {task.fields[rate]}"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
            redirect_stdout=False,  # a result printed meanwhile belongs on stdout, not above the bar
        )
        self._task: Any = None
        self._begin = 0.0

    def __enter__(self) -> TerminalProgress:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def start(self, label: str, total: int, unit: str) -> None:
        """Begin a phase; the bar of the phase before is taken away."""
        if self._task is not None:
            self._bar.remove_task(self._task)
        self._begin = time.monotonic()
        self._task = self._bar.add_task(label, total=total, unit=unit, rate="")

    def advance(self, count: int) -> None:
        """Move the bar."""
        task = next(t for t in self._bar.tasks if t.id == self._task)
        rate = (task.completed + count) / max(time.monotonic() - self._begin, 1e-9)
        self._bar.update(self._task, advance=count, rate=f"{_rate(rate)}/s")
