"""One core or all: what a build binds and gives back, and that `--workers 1` keeps to one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from csrag.build.pool import on_one_core

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system knows no affinity")


def cores_by_thread() -> dict[str, set[int]]:
    return {entry.name: os.sched_getaffinity(int(entry.name)) for entry in Path("/proc/self/task").iterdir()}


@pytest.mark.skipif(
    len(os.sched_getaffinity(0)) < 2 if hasattr(os, "sched_getaffinity") else True, reason="one core only"
)
def test_every_thread_is_bound_and_let_go():
    stop, begun = threading.Event(), threading.Event()

    def wait() -> None:
        begun.set()
        stop.wait()

    old = threading.Thread(target=wait)
    old.start()
    begun.wait()
    before = cores_by_thread()
    with on_one_core():
        (kept,) = {frozenset(cores) for cores in cores_by_thread().values()}
        assert len(kept) == 1
        young = threading.Thread(target=stop.wait)
        young.start()
    after = cores_by_thread()
    stop.set()
    old.join()
    young.join()
    assert {name: after[name] for name in before} == before
    assert all(len(cores) > 1 for cores in after.values())


def test_nothing_is_bound_unasked():
    before = cores_by_thread()
    with on_one_core(False):
        assert cores_by_thread() == before


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="memory is read from /proc")
def test_one_worker_keeps_to_one_core(tmp_path: Path) -> None:
    free = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    command = [sys.executable, str(ROOT / "benchmarks" / "build.py"), "--demo", "northern-sierra", "--out",
               str(tmp_path / "one"), "--workers", "1", "--json"]  # fmt: skip
    done = subprocess.run(command, env=free, capture_output=True, text=True, check=True)
    result = json.loads(done.stdout)
    assert 0.1 < result["most_cores_in_2_s"] < 1.1
    assert result["peak_rss_mb"] < 1024
