"""One writer a layer set: a lock file that holds the writer's process id."""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from csrag.errors import DataError, RequestError

_NO_SUCH_NAME = (errno.ENOTDIR, errno.EEXIST, errno.ENAMETOOLONG, errno.ELOOP)

if sys.platform == "win32":  # pragma: no cover - exercised on Windows only
    import msvcrt

    def _try_lock(fd: int) -> bool:
        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _try_lock(fd: int) -> bool:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True


def _holder(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip() or "unknown"
    except OSError:
        return "unknown"


@contextmanager
def writer_lock(
    path: Path, *, wait_s: float = 0.0, on_wait: Callable[[str], None] | None = None, poll_s: float = 0.2
) -> Iterator[None]:
    """Hold the lock of a layer set.

    The operating system drops the lock when its process ends, however it ends, so a lock file left behind by a killed
    process is stale by itself and is taken over.

    Parameters
    ----------
    path : Path
        Lock file, beside the layer set.
    wait_s : float
        How long to wait for another process [seconds].
    on_wait : callable, optional
        Told the other process's id once, if there is a wait.
    poll_s : float
        Pause between attempts [seconds].

    Raises
    ------
    RequestError
        If the path leads through a file or is too long.
    DataError
        If another process still holds it after `wait_s`, or the place cannot be written.
    """
    deadline = time.monotonic() + wait_s
    told = False
    while True:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            # A name that cannot be is a slip of the request; a place that may not be written is a state of the machine.
            kind = RequestError if error.errno in _NO_SUCH_NAME else DataError
            raise kind(
                f"{path.parent} cannot be written: {error.strerror}.",
                "Choose another place with --out, or mend its permissions.",
                code="not_writable",
            ) from None
        if _try_lock(fd) and _is_same_file(fd, path):
            break
        os.close(fd)
        if not told and on_wait is not None and wait_s > 0:
            on_wait(_holder(path))
            told = True
        if time.monotonic() >= deadline:
            raise DataError(
                f"Another process (id {_holder(path)}) is writing the layer set in {path.parent}.",
                "Wait until it is done, or end that process and try again; what it finished is kept.",
                code="layer_set_busy",
            )
        time.sleep(poll_s)
    try:
        os.ftruncate(fd, 0)
        os.pwrite(fd, f"{os.getpid()}\n".encode("ascii"), 0) if hasattr(os, "pwrite") else os.write(fd, b"\n")
        yield
    finally:
        # Removed while still held: a waiter that opened this file sees that it is gone and opens a new one.
        with suppress(OSError):  # Windows does not remove an open file; an empty lock file does no harm
            path.unlink(missing_ok=True)
        os.close(fd)


def _is_same_file(fd: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(fd), path.stat())
    except OSError:
        return False
