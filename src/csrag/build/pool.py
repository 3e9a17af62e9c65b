"""Runs the tasks of a build over worker processes."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from csrag.build.worker import BlockWorker, Task
from csrag.errors import InternalError

_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
Done = Callable[[Task, int], None]


def core_count() -> int:
    """Cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return max(len(os.sched_getaffinity(0)), 1)
    return os.cpu_count() or 1  # pragma: no cover - platforms without affinity


@contextmanager
def on_one_core(wanted: bool = True) -> Iterator[None]:
    """Keep this process, every thread of it, on one of its cores; afterwards it may use again what it might before.

    Parameters
    ----------
    wanted : bool
        Whether to do anything.

    Notes
    -----
    One process is not one core: a linear algebra library starts threads of its own when NumPy is loaded. Where the
    system knows no affinity (macOS, Windows), nothing happens.
    """
    threads = Path("/proc/self/task")
    if not (wanted and hasattr(os, "sched_setaffinity") and threads.is_dir()):
        yield
        return
    before = {int(entry.name): os.sched_getaffinity(int(entry.name)) for entry in threads.iterdir()}
    allowed = sorted(os.sched_getaffinity(0))
    one = {allowed[os.getpid() % len(allowed)]}
    _bind(dict.fromkeys(before, one))
    try:
        yield
    finally:
        _bind({int(entry.name): before.get(int(entry.name), set(allowed)) for entry in threads.iterdir()})


def _bind(cores: dict[int, set[int]]) -> None:
    for thread, some in cores.items():
        # A thread may have ended meanwhile.
        with suppress(OSError):
            os.sched_setaffinity(thread, some)


def run_tasks(directory: Path, tasks: Sequence[Task], workers: int, on_done: Done) -> None:
    """Compute all tasks; `on_done` is called in this thread as each is finished.

    Parameters
    ----------
    directory : Path
        The build directory.
    tasks : sequence of Task
        What is to do.
    workers : int
        Processes; 1 computes here.
    on_done : callable
        Told the task and the checksum of its bytes.

    Raises
    ------
    InternalError
        If a worker dies or fails.
    """
    workers = min(workers, len(tasks))
    if workers <= 1:
        block = BlockWorker(directory)
        for task in tasks:
            on_done(task, block.run(task))
        return
    waiting: queue.SimpleQueue[Task] = queue.SimpleQueue()
    for task in tasks:
        waiting.put(task)
    finished: queue.SimpleQueue[tuple[Task, str] | None] = queue.SimpleQueue()
    processes = [_launch(directory) for _ in range(workers)]
    threads = [threading.Thread(target=_serve, args=(p, waiting, finished), daemon=True) for p in processes]
    try:
        for thread in threads:
            thread.start()
        left, serving = len(tasks), workers
        while left:
            item = finished.get()
            if item is None:
                serving -= 1
                if not serving:
                    raise InternalError(
                        "All worker processes ended early.", "Run the build again; what is done is kept."
                    )
                continue
            done, answer = item
            if not answer.isdigit():
                raise InternalError(
                    f"A worker process failed: {answer or 'it ended without an answer'}.",
                    "Run the build again, with --workers 1 if it repeats; what is done is kept.",
                )
            left -= 1
            on_done(done, int(answer))
    finally:
        for process in processes:
            process.kill()
        for process in processes:
            process.wait()
        for thread in threads:
            thread.join()
        for process in processes:
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    # A task still in the buffer of a killed worker's pipe must not hide what ended the build.
                    with suppress(OSError):
                        stream.close()


def _launch(directory: Path) -> subprocess.Popen[str]:
    package_root = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(part for part in (package_root, os.environ.get("PYTHONPATH", "")) if part)
    return subprocess.Popen(
        [sys.executable, "-m", "csrag.build.worker", str(directory)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
        env={**os.environ, **_ONE_THREAD, "PYTHONPATH": path},
    )


def _serve(
    process: subprocess.Popen[str],
    waiting: queue.SimpleQueue[Task],
    finished: queue.SimpleQueue[tuple[Task, str] | None],
) -> None:
    """Feed one process, a task at a time."""
    assert process.stdin is not None
    assert process.stdout is not None
    while True:
        try:
            task = waiting.get_nowait()
        except queue.Empty:
            break
        try:
            process.stdin.write(f"{task[0]} {task[1]} {task[2]}\n")
            process.stdin.flush()
            answer = process.stdout.readline().strip()
        except (OSError, ValueError):
            answer = ""
        finished.put((task, answer))
        if not answer.isdigit():
            break
    finished.put(None)
