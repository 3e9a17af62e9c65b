"""Builds: the same bytes whatever the order, the workers and the interruptions; nothing lost when something fails."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from tests.support.layers import SmallSource, build_small, bytes_of

from csrag.build import layout, materialize, pool
from csrag.build.lock import writer_lock
from csrag.build.worker import BlockWorker
from csrag.errors import DataError, InternalError, InvalidValueError, RequestError, TableRefusedError
from csrag.simulators.harvest import HarvestEconomics
from csrag.surfaces.catalog import SYSTEMS
from csrag.surfaces.stores.columnar import ColumnarStore

ROOT = Path(__file__).resolve().parents[2]
MOMENTS = ("reading:1", "reading:2", "computing:0", "computing:1", "computing:2", "computing:7", "computing:15",
           "hashing:0", "hashing:2", "fsync:1", "fsync:20", "fsync:27", "rename:1", "renamed:1")  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out: Path = tmp_path_factory.mktemp("whole") / "small"
    build_small(out, block_rows=40)
    return out


def nothing_left_beside(out: Path) -> None:
    assert sorted(p.name for p in out.parent.iterdir()) == [out.name]


@hypothesis_settings(max_examples=8)
@given(shuffle=st.integers(0, 10_000))
def test_row_order_of_the_source_does_not_matter(whole, tmp_path_factory, shuffle):
    out = tmp_path_factory.mktemp("shuffled") / "small"
    manifest = build_small(out, block_rows=40, shuffle=shuffle)
    assert manifest.layers_hash == ColumnarStore(whole).hash
    assert bytes_of(out) == bytes_of(whole)


@pytest.mark.parametrize("block_rows", [7, 300, 5000])
def test_block_size_does_not_matter(whole, tmp_path, block_rows):
    assert build_small(tmp_path / "small", block_rows=block_rows).layers_hash == ColumnarStore(whole).hash


def test_two_workers_write_what_one_writes(whole, tmp_path):
    out = tmp_path / "small"
    manifest = build_small(out, block_rows=40, workers=2)
    assert manifest.layers_hash == ColumnarStore(whole).hash
    assert bytes_of(out) == bytes_of(whole)
    nothing_left_beside(out)


def test_hash_depends_on_seed_mapping_and_economics(whole, tmp_path):
    hashes = {
        ColumnarStore(whole).hash,
        build_small(tmp_path / "seed", seed=2).layers_hash,
        build_small(tmp_path / "mapping", mapping="fixed").layers_hash,
        build_small(tmp_path / "economics", economics=HarvestEconomics(diesel_usd_per_gal=6)).layers_hash,
    }
    assert len(hashes) == 4


def killed(out: Path, moment: str, workers: int = 1, seed: int = 1) -> None:
    command = [sys.executable, "-m", "tests.support.killed_build", str(out), moment, str(workers), str(seed)]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True,
                          check=False, timeout=120)  # fmt: skip
    assert done.returncode == -9, f"it was to be killed at {moment}: {done.stderr}"


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX")
@pytest.mark.parametrize("moment", MOMENTS)
def test_killed_at_any_moment_and_run_again_gives_the_same_bytes(whole, tmp_path, moment):
    out = tmp_path / "small"
    killed(out, moment)
    manifest = build_small(out, block_rows=40)
    assert manifest.layers_hash == ColumnarStore(whole).hash
    assert bytes_of(out) == bytes_of(whole)
    assert ColumnarStore(out).verify() == []
    nothing_left_beside(out)


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX")
@pytest.mark.slow
@pytest.mark.parametrize("moment", ["computing:3", "computing:9"])
def test_killed_with_two_workers_and_run_again_gives_the_same_bytes(whole, tmp_path, moment):
    out = tmp_path / "small"
    killed(out, moment, workers=2)
    build_small(out, block_rows=40, workers=2)
    assert bytes_of(out) == bytes_of(whole)


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX")
@pytest.mark.parametrize("moment", ["computing:5", "fsync:27", "rename:1", "renamed:1", "rename:2", "renamed:2"])
def test_an_older_set_stays_until_the_new_one_takes_its_place(whole, tmp_path, moment):
    out = tmp_path / "small"
    shutil.copytree(whole, out)
    killed(out, moment, seed=2)
    layout.mend_replacement(out)
    seed = ColumnarStore(out).manifest.seed
    assert seed == (2 if moment == "renamed:2" else 1)
    assert ColumnarStore(out).verify() == []
    fresh = build_small(tmp_path / "fresh", seed=2, block_rows=40)
    assert build_small(out, seed=2, block_rows=40).layers_hash == fresh.layers_hash
    assert not layout.partial_dir(out).exists()


class Counting:
    """Counts the blocks that are computed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.tasks: list[tuple[int, int, int]] = []
        run = BlockWorker.run

        def counted(worker: BlockWorker, task: tuple[int, int, int]) -> int:
            self.tasks.append(task)
            return run(worker, task)

        monkeypatch.setattr(BlockWorker, "run", counted)


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX")
def test_finished_blocks_are_not_computed_again(tmp_path, monkeypatch):
    out = tmp_path / "small"
    killed(out, "computing:7")  # the first report tells of resumed blocks, so six were journaled
    counting = Counting(monkeypatch)
    build_small(out, block_rows=40)
    assert len(counting.tasks) == 2 * 8 - 6


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX")
def test_a_block_that_was_journaled_but_lost_is_computed_again(whole, tmp_path, monkeypatch):
    out = tmp_path / "small"
    killed(out, "computing:7")
    partial = layout.partial_dir(out)
    shapes = json.loads((partial / "job.json").read_text())["shapes"]
    cost = np.load(partial / "cost_usd_per_bdt.npy", mmap_mode="r+")
    assert list(cost.shape) == shapes["cost_usd_per_bdt"]
    cost[0, :, 0:40] = 0.0
    cost.flush()
    del cost
    with (partial / "journal.jsonl").open("a") as stream:
        stream.write("[0, 280, 300, 12")  # a line cut off in the middle
    counting = Counting(monkeypatch)
    build_small(out, block_rows=40)
    assert (0, 0, 40) in counting.tasks
    assert len(counting.tasks) == 2 * 8 - 5
    assert bytes_of(out) == bytes_of(whole)


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX")
def test_work_of_another_job_is_not_taken_over(tmp_path):
    out = tmp_path / "small"
    killed(out, "computing:7", seed=2)
    fresh = build_small(tmp_path / "fresh", block_rows=40)
    assert build_small(out, block_rows=40).layers_hash == fresh.layers_hash


def test_a_directory_that_is_no_layer_set_is_left_alone(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    with pytest.raises(RequestError, match="not a layer set"):
        build_small(tmp_path / "mine")
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "years of work"
    (tmp_path / "file").write_text("x")
    with pytest.raises(RequestError, match="is a file"):
        build_small(tmp_path / "file")
    assert (tmp_path / "file").read_text() == "x"


def test_an_empty_directory_is_used(tmp_path):
    (tmp_path / "small").mkdir()
    build_small(tmp_path / "small", n=20)
    assert len(ColumnarStore(tmp_path / "small")) == 20


def test_too_little_space_is_said_before_anything_is_written(whole, tmp_path, monkeypatch):
    out = tmp_path / "small"
    shutil.copytree(whole, out)
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(100, 90, 10))
    with pytest.raises(DataError, match=r"needs \d+ MB and .* has 0 MB free") as caught:
        build_small(out, seed=3)
    assert caught.value.code == "disk_full"
    nothing_left_beside(out)
    assert bytes_of(out) == bytes_of(whole)


def test_a_disk_that_fills_up_underway_loses_nothing(whole, tmp_path, monkeypatch):
    out = tmp_path / "small"
    shutil.copytree(whole, out)
    create, seen = materialize.files.create, []

    def full(path: Path, dtype: str, shape: tuple[int, ...]) -> None:
        seen.append(path)
        if len(seen) == 20:
            raise OSError(28, "No space left on device")
        create(path, dtype, shape)

    monkeypatch.setattr(materialize.files, "create", full)
    with pytest.raises(DataError, match="No space left on device") as caught:
        build_small(out, seed=3)
    assert caught.value.code == "disk_full"
    assert bytes_of(out) == bytes_of(whole)
    monkeypatch.setattr(materialize.files, "create", create)
    assert build_small(out, seed=3).layers_hash == build_small(tmp_path / "fresh", seed=3).layers_hash


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write anywhere")
def test_a_place_that_cannot_be_written(tmp_path):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(DataError, match="cannot be written"):
            build_small(tmp_path / "small")
    finally:
        tmp_path.chmod(0o700)


def test_a_place_below_a_file_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(RequestError, match="cannot be written") as caught:
        build_small(tmp_path / "file" / "small")
    assert caught.value.fix


def test_two_writers_do_not_meet(tmp_path):
    out = tmp_path / "small"
    with writer_lock(layout.lock_file(out)):
        with pytest.raises(DataError, match=f"process \\(id {os.getpid()}\\)") as caught:
            build_small(out)
        assert caught.value.code == "layer_set_busy"
    build_small(out, n=20)
    nothing_left_beside(out)


def test_a_stale_lock_file_is_taken_over(tmp_path):
    out = tmp_path / "small"
    layout.lock_file(out).write_text("999999\n")
    build_small(out, n=20)
    nothing_left_beside(out)


def test_unusable_options(tmp_path):
    with pytest.raises(InvalidValueError, match="mapping"):
        build_small(tmp_path / "a", mapping="guess")
    with pytest.raises(InvalidValueError, match="workers"):
        build_small(tmp_path / "a", workers=0)
    assert list(tmp_path.iterdir()) == []


class Broken(SmallSource):
    """A source with one column changed."""

    def __init__(self, name: str, values: np.ndarray | None) -> None:
        super().__init__(n=20)
        if values is None:
            del self._columns[name]
        else:
            self._columns[name] = values


@pytest.mark.parametrize(
    ("name", "values", "said"),
    [
        ("zone", None, "lacks the columns zone"),
        ("zone", np.zeros(19), "not 20 values long"),
        ("cluster_no", np.zeros(20, dtype=np.int64), "19 cluster numbers"),
        ("lat", np.full(20, np.nan), "no position"),
        ("land_use", np.full(20, 9), "20 clusters"),
    ],
)
def test_sources_with_unusable_clusters(tmp_path, name, values, said):
    with pytest.raises(TableRefusedError, match=said):
        materialize.materialize(Broken(name, values), tmp_path / "small", workers=1)
    assert not (tmp_path / "small").exists()


def test_a_source_with_negative_tons(tmp_path):
    source = SmallSource(n=20)
    source._tons["SDI55"][0, 3] = -1.0
    with pytest.raises(TableRefusedError, match="1 values of stem_4_6"):
        materialize.materialize(source, tmp_path / "small", workers=1)


def test_a_worker_process_that_fails_is_told(tmp_path):
    (tmp_path / "job.json").write_text("{}")
    with pytest.raises(InternalError, match="worker process"):
        pool.run_tasks(tmp_path, [(0, 0, 1), (0, 1, 2)], 2, lambda *_: None)


def test_a_broken_pipe_of_a_killed_worker_does_not_hide_what_ended_the_build(tmp_path, monkeypatch):
    class Broken:
        def __init__(self, process):
            self._process, self._stdin = process, process.stdin
            process.stdin = self

        def __getattr__(self, name):
            return getattr(self._stdin, name)

        def close(self):
            self._stdin.close()
            raise BrokenPipeError("a task was left in the buffer")

    real = pool._launch

    def launch(directory):
        process = real(directory)
        Broken(process)
        return process

    monkeypatch.setattr(pool, "_launch", launch)
    (tmp_path / "job.json").write_text("{}")
    with pytest.raises(InternalError, match="worker process"):
        pool.run_tasks(tmp_path, [(0, 0, 1), (0, 1, 2)], 2, lambda *_: None)


def test_costs_cover_every_system(whole):
    cost = ColumnarStore(whole).column("cost_usd_per_bdt")
    assert cost.shape[1] == len(SYSTEMS)
    assert np.isfinite(cost).any(axis=(0, 2)).all()


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights on Windows")
def test_a_link_to_a_set_keeps_pointing_at_it(tmp_path):
    build_small(tmp_path / "real", n=20)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    build_small(tmp_path / "link", n=30)
    assert (tmp_path / "link").is_symlink()
    assert len(ColumnarStore(tmp_path / "real")) == len(ColumnarStore(tmp_path / "link")) == 30


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")
@pytest.mark.slow
def test_an_interrupt_ends_the_workers_and_keeps_the_work(tmp_path):
    out = tmp_path / "small"
    code = (
        "import os, signal, sys; from pathlib import Path; from tests.support.layers import build_small\n"
        "class P:\n"
        "    n = 0\n"
        "    def start(self, *a): self.label = a[0]\n"
        "    def advance(self, count):\n"
        "        self.n += self.label.startswith('computing')\n"
        "        if self.n == 4: os.kill(os.getpid(), signal.SIGINT)\n"
        "build_small(Path(sys.argv[1]), workers=2, block_rows=10, progress=P())"
    )
    done = subprocess.run([sys.executable, "-c", code, str(out)], cwd=ROOT, capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=60)  # fmt: skip
    assert "KeyboardInterrupt" in done.stderr
    assert not out.exists()
    assert (layout.partial_dir(out) / "journal.jsonl").read_text().count("\n") >= 3
    left = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert str(layout.partial_dir(out)) not in left
    assert build_small(out, block_rows=10).layers_hash == build_small(tmp_path / "fresh").layers_hash
