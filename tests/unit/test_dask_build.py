"""Builds on a cluster: the bytes of a local build, whoever dies, and nothing left running."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support import dask_tasks
from tests.support.layers import SmallSource, build_small, bytes_of

from csrag.build import dask_cluster, dask_engine, layout
from csrag.build.dask_engine import Patience
from csrag.build.materialize import materialize
from csrag.build.sources.demo import DemoSource
from csrag.build.sources.demo_region import NORTHERN_SIERRA
from csrag.errors import DataError, InternalError, RequestError
from csrag.interfaces.cli.main import main
from csrag.surfaces.manifest import Manifest
from csrag.surfaces.stores.columnar import ColumnarStore

pytest.importorskip("distributed", reason='the cluster engine needs pip install "csrag[dask]"')
if sys.platform == "win32":
    pytest.skip("the tests kill workers with SIGKILL", allow_module_level=True)

ROOT = Path(__file__).resolve().parents[2]
PATHS = os.pathsep.join([str(ROOT), str(ROOT / "src")])
QUICK = Patience(connect_s=3.0, workers_s=20.0, stall_s=60.0)
BLOCKS = 2 * 8
"""Blocks of 40 records in two treatments of 300 clusters."""


def children() -> dict[int, str]:
    """Processes below this one, zombies and Python's own tracker of resources left out."""
    import psutil

    found = {}
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            command = " ".join(process.cmdline())
            if process.status() != psutil.STATUS_ZOMBIE and "resource_tracker" not in command:
                found[process.pid] = command
    return found


@pytest.fixture(autouse=True)
def nothing_runs_on() -> Iterator[None]:
    """No process outlives its test."""
    before = children()
    yield
    deadline = time.monotonic() + 10
    while (left := children().keys() - before) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not left, children()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out: Path = tmp_path_factory.mktemp("whole") / "small"
    build_small(out, block_rows=40)
    return out


def build(out: Path, engine: dask_engine.DaskEngine, **more: object) -> Manifest:
    return materialize(SmallSource(), out, engine=engine, block_rows=40, **more)  # type: ignore[arg-type]


def same(out: Path, whole: Path) -> None:
    assert ColumnarStore(out).hash == ColumnarStore(whole).hash
    assert bytes_of(out) == bytes_of(whole)
    assert sorted(p.name for p in out.parent.iterdir() if p.name.startswith(".csrag")) == []


def test_two_workers_of_a_cluster_write_what_one_process_writes(whole, tmp_path):
    with dask_engine.dask_engine() as engine:
        build(tmp_path / "small", engine)
        same(tmp_path / "small", whole)
        listening = subprocess.run(["ss", "-Hltnp"], capture_output=True, text=True, check=False).stdout
        ours = [line for line in listening.splitlines() if f"pid={os.getpid()}," in line]
        assert all(line.split()[3].startswith("127.0.0.1:") for line in ours)


def test_a_crop_of_the_demonstration_has_the_hash_of_its_local_build(tmp_path):
    crop = replace(NORTHERN_SIERRA, name="crop", box=(39.85, 40.05, -121.1, -120.8))
    local = materialize(DemoSource(crop), tmp_path / "local", workers=1, block_rows=1024, compact=True)
    with dask_engine.dask_engine() as engine:
        there = materialize(DemoSource(crop), tmp_path / "there", engine=engine, block_rows=1024, compact=True)
    assert there.counts["records"] > 10_000
    assert there.layers_hash == local.layers_hash
    assert bytes_of(tmp_path / "there") == bytes_of(tmp_path / "local")


def test_a_worker_killed_in_the_middle_of_a_block_loses_nothing(whole, tmp_path, monkeypatch):
    monkeypatch.setenv("CSRAG_TEST_MARK", str(tmp_path / "killed"))
    with dask_engine.dask_engine(compute=dask_tasks.deadly_once) as engine:
        build(tmp_path / "small", engine)
    assert (tmp_path / "killed").exists()
    same(tmp_path / "small", whole)


def test_a_block_that_kills_every_worker_ends_in_words_and_the_rest_is_kept(whole, tmp_path):
    import dask

    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        pytest.raises(DataError, match="workers died") as caught,
        dask_engine.dask_engine(compute=dask_tasks.deadly) as engine,
    ):
        build(tmp_path / "small", engine)
    assert caught.value.code == "cluster_workers_died"
    assert "kept" in caught.value.fix
    journal = (layout.partial_dir(tmp_path / "small") / "journal.jsonl").read_text().splitlines()
    assert 0 < len(journal) <= BLOCKS // 2
    build_small(tmp_path / "small", block_rows=40)
    same(tmp_path / "small", whole)


class Stopper:
    """Acts once when a number of blocks has been computed."""

    def __init__(self, after: int, act: object) -> None:
        self._left, self._act, self._on = after, act, False

    def start(self, label: str, total: int, unit: str) -> None:  # noqa: ARG002
        self._on = label.startswith("computing")

    def advance(self, count: int) -> None:
        if self._on and count:
            self._left -= 1
            if self._left == 0:
                self._act()  # type: ignore[operator]


def outside_cluster(tmp_path: Path, workers: int = 1, **environment: str) -> tuple[str, list[subprocess.Popen[bytes]]]:
    """A scheduler and workers as processes of their own, as on a real cluster."""
    file = tmp_path / "scheduler.json"
    env = {**os.environ, "PYTHONPATH": PATHS, "DASK_DISTRIBUTED__SCHEDULER__HTTP__ROUTES": "[]", **environment}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": env}
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0",
             "--scheduler-file", str(file), "--no-dashboard", "--dashboard-address", "127.0.0.1:0"], **quiet,
        )
    ]  # fmt: skip
    for _ in range(workers):
        started.append(
            subprocess.Popen(
                [sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file", str(file), "--host", "127.0.0.1",
                 "--no-nanny", "--nthreads", "1", "--no-dashboard", "--death-timeout", "20"], cwd=tmp_path, **quiet,
            )
        )  # fmt: skip
    deadline = time.monotonic() + 20
    while not file.exists() or not file.read_text().strip():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return json.loads(file.read_text())["address"], started


@pytest.fixture
def ending() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Processes that end with the test."""
    started: list[subprocess.Popen[bytes]] = []
    yield started
    for process in started:
        process.kill()
        process.wait()


def test_a_scheduler_that_dies_midway_leaves_the_blocks_to_a_local_build(whole, tmp_path, ending):
    address, started = outside_cluster(tmp_path)
    ending += started
    out = tmp_path / "set" / "small"
    out.parent.mkdir()
    with (
        pytest.raises(DataError, match=r"was lost after [4-9] blocks") as caught,
        dask_engine.dask_engine(address, patience=QUICK, compute=dask_tasks.slow) as engine,
    ):
        build(out, engine, progress=Stopper(4, started[0].kill))
    assert caught.value.code == "cluster_lost"
    assert "without --engine" in caught.value.fix
    journal = (layout.partial_dir(out) / "journal.jsonl").read_text().splitlines()
    assert 4 <= len(journal) < BLOCKS
    build_small(out, block_rows=40)
    same(out, whole)


def test_the_only_worker_dies_and_none_comes(tmp_path, ending):
    address, started = outside_cluster(tmp_path)
    ending += started
    soon = replace(QUICK, workers_s=3.0)
    with (
        pytest.raises(DataError, match="has had no workers for 3 s") as caught,
        dask_engine.dask_engine(address, patience=soon, compute=dask_tasks.slow) as engine,
    ):
        build(tmp_path / "small", engine, progress=Stopper(4, started[1].kill))
    assert caught.value.code == "cluster_without_workers"


def test_the_only_worker_dies_and_another_comes(whole, tmp_path, ending):
    address, started = outside_cluster(tmp_path)
    ending += started
    out = tmp_path / "set" / "small"
    out.parent.mkdir()

    def change() -> None:
        started[1].kill()
        file = tmp_path / "scheduler.json"
        env = {**os.environ, "PYTHONPATH": PATHS}
        command = [sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file", str(file), "--host", "127.0.0.1",
                   "--no-nanny", "--nthreads", "1", "--no-dashboard"]  # fmt: skip
        ending.append(subprocess.Popen(command, cwd=tmp_path, env=env, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL))  # fmt: skip

    with dask_engine.dask_engine(address, patience=QUICK, compute=dask_tasks.slow) as engine:
        build(out, engine, progress=Stopper(4, change))
    same(out, whole)


def test_a_killed_driver_goes_on_where_it_was_and_takes_its_workers_along(whole, tmp_path):
    out = tmp_path / "small"
    code = (
        "import os, signal\nfrom pathlib import Path\nfrom csrag.build import dask_engine\n"
        "from tests.unit.test_dask_build import Stopper, build\n"
        "if __name__ == '__main__':\n"
        "    with dask_engine.dask_engine() as engine:\n"
        f"        build(Path({str(out)!r}), engine, progress=Stopper(5, lambda: os.kill(os.getpid(), signal.SIGKILL)))\n"
    )
    script = tmp_path / "driver.py"
    script.write_text(code)
    env = {**os.environ, "PYTHONPATH": PATHS}
    done = subprocess.run(
        [sys.executable, str(script)], env=env, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    journal = (layout.partial_dir(out) / "journal.jsonl").read_text().splitlines()
    assert len(journal) == 5
    finished: list[tuple[int, int, int]] = []

    class Counting(dask_engine.DaskEngine):
        def __call__(self, directory, tasks, on_done):
            finished.extend(tasks)
            super().__call__(directory, tasks, on_done)

    with dask_engine.dask_engine() as engine:
        engine.__class__ = Counting
        build(out, engine)
    assert len(finished) == BLOCKS - 5
    script.unlink()
    same(out, whole)


@pytest.mark.parametrize(
    "address", ["tcp://127.0.0.1:9", "127.0.0.1:9", "nonsense", "carrier-pigeon://127.0.0.1:9", ""]
)
def test_nobody_at_the_address(address, tmp_path):
    begin = time.monotonic()
    with (
        pytest.raises(RequestError, match="No scheduler answers") as caught,
        dask_engine.dask_engine(address, patience=replace(QUICK, connect_s=1.0)) as engine,
    ):
        build(tmp_path / "small", engine)
    assert caught.value.code == "scheduler_not_reached"
    assert time.monotonic() - begin < 10
    assert list(tmp_path.iterdir()) == []


def test_a_cluster_without_workers(tmp_path, ending):
    address, started = outside_cluster(tmp_path, workers=0)
    ending += started
    with (
        pytest.raises(DataError, match="has 0 of the 1 workers") as caught,
        dask_engine.dask_engine(address, patience=replace(QUICK, workers_s=1.0)),
    ):
        pass
    assert caught.value.code == "cluster_without_workers"


def test_workers_of_another_version_are_refused(monkeypatch):
    monkeypatch.setattr(dask_cluster, "__version__", "99.0")
    with pytest.raises(DataError, match=r"csrag \S+ \(here 99\.0\)") as caught, dask_engine.dask_engine(workers=1):
        pass
    assert caught.value.code == "cluster_versions_differ"


def test_workers_with_other_code_or_arithmetic_are_refused(monkeypatch):
    monkeypatch.setattr(dask_cluster, "_PROBE_ROWS", 500)
    dask_cluster.identity.cache_clear()
    try:
        with (
            pytest.raises(DataError, match="other bytes than this machine") as caught,
            dask_engine.dask_engine(workers=1),
        ):
            pass
    finally:
        monkeypatch.undo()
        dask_cluster.identity.cache_clear()
    assert caught.value.code == "cluster_not_uniform"


def test_a_worker_that_joins_later_is_held_against_the_driver_too():
    with pytest.raises(DataError, match="joined") as caught:
        dask_engine.compute_block("{}", "another", 0, {})
    assert caught.value.code == "cluster_not_uniform"


@pytest.mark.parametrize(
    ("task", "words"),
    [(dask_tasks.failing, "ZeroDivisionError: division by zero"), (dask_tasks.damaging, "damaged on its way")],
)
def test_a_block_that_fails_or_arrives_damaged(task, words, tmp_path):
    with (
        pytest.raises(InternalError, match=words) as caught,
        dask_engine.dask_engine(workers=1, compute=task) as engine,
    ):
        build(tmp_path / "small", engine)
    assert "kept" in caught.value.fix
    journal = layout.partial_dir(tmp_path / "small") / "journal.jsonl"
    assert journal.read_text() == ""


def test_blocks_under_way_are_bounded(whole, tmp_path, monkeypatch):
    monkeypatch.setattr(dask_engine, "IN_FLIGHT_BYTES", 40 * 4 * (11 + 15) * 3 + 1)
    with dask_engine.dask_engine(workers=1) as engine:
        submit, most, now, lock = engine._client.submit, [0], [0], threading.Lock()

        def counted(*arguments, **keywords):
            with lock:
                now[0] += 1
                most[0] = max(most[0], now[0])
            return submit(*arguments, **keywords)

        monkeypatch.setattr(engine._client, "submit", counted)

        class Down:
            def start(self, label, total, unit):
                pass

            def advance(self, count):  # noqa: ARG002
                now[0] -= 1 if now[0] else 0

        build(tmp_path / "small", engine, progress=Down())
    assert most[0] == 3
    same(tmp_path / "small", whole)


def test_without_the_package(monkeypatch, capsys, tmp_path):
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert main(["layers", "build", "--engine", "dask", "--out", str(tmp_path / "set")]) == 2
    assert 'pip install "csrag[dask]"' in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_the_command(monkeypatch, capsys, tmp_path, whole):
    monkeypatch.setattr("csrag.build.sources.demo.demo_source", lambda _region, seed=1: SmallSource(seed=seed))
    assert main(["layers", "build", "--engine", "dask", "--workers", "1", "--out", str(tmp_path / "small")]) == 0
    assert "Computing on 1 workers" in capsys.readouterr().err
    same(tmp_path / "small", whole)
    assert main(["layers", "build", "--scheduler", "tcp://127.0.0.1:9", "--out", str(tmp_path / "small")]) == 2
    assert "--engine dask" in capsys.readouterr().err
    assert main(["layers", "build", "--engine", "dask", "--workers", "0", "--out", str(tmp_path / "small")]) == 2


def test_the_probe_is_the_same_in_another_process():
    code = "from csrag.build.dask_cluster import identity; print(identity())"
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    dask_cluster.identity.cache_clear()
    assert there == dask_cluster.identity()


@pytest.mark.parametrize("address", ["foo", "tcp://127.0.0.1:1", "tcp://127.0.0.1:port"])
def test_an_address_without_scheduler_is_refused_before_a_client_is_made(address: str) -> None:
    from csrag.build.dask_cluster import _check_reach
    from csrag.errors import RequestError

    with pytest.raises(RequestError, match="No scheduler answers") as refused:
        _check_reach(address, 5.0)
    assert refused.value.code == "scheduler_not_reached"
