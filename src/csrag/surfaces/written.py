"""When the files of a layer set were written, so that a later change shows at opening without reading every byte."""

from __future__ import annotations

import json
from pathlib import Path

WRITTEN_FILE = "written.json"
_WHOLE_S = 1_000_000_000
_COARSE_NS = 2 * _WHOLE_S


def record_written(place: Path) -> None:
    """Write down the time and size of every column file.

    Parameters
    ----------
    place : Path
        Directory of the layer set.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    times = {file.name: list(_state(file)) for file in sorted(place.glob("*.npy"))}
    (place / WRITTEN_FILE).write_text(json.dumps(times, indent=0) + "\n", encoding="ascii")


def touched_since(place: Path) -> list[str]:
    """Column files that were written to after the set was made.

    Parameters
    ----------
    place : Path
        Directory of the layer set.

    Returns
    -------
    list of str
        File names. Empty where nothing was recorded, and where every file has another time: that is a copy of the whole
        set, whose times say nothing.
    """
    try:
        recorded = json.loads((place / WRITTEN_FILE).read_text(encoding="ascii"))
        touched = [name for name, (size, time_ns) in recorded.items() if not _same(_state(place / name), size, time_ns)]
    except (OSError, ValueError, TypeError, AttributeError):
        return []
    return touched if len(touched) < len(recorded) else []


def _state(file: Path) -> tuple[int, int]:
    found = file.stat()
    return found.st_size, found.st_mtime_ns


def _same(found: tuple[int, int], size: int, time_ns: int) -> bool:
    now_ns = found[1]
    # Archives keep whole seconds, some file systems every second one.
    coarse = now_ns % _WHOLE_S == 0 and abs(now_ns - time_ns) < _COARSE_NS
    return found[0] == size and (now_ns == time_ns or coarse)
