"""Blocks of a build computed on a `distributed` cluster, with or without a file system that its machines share.

Each block travels with its inputs and comes back as its outputs with their checksum; only the driver writes, into the same
columns and the same journal as a local build. So a killed driver goes on where it was, on the cluster or without it, and the
bytes do not depend on where a block was computed. A block whose worker dies is given to another by the scheduler, which keeps
its inputs until the driver has its outputs.
"""

from __future__ import annotations

import json
import queue
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.build.dask_cluster import (
    Patience,
    check_versions,
    check_workers,
    connected,
    first_line,
    identity,
    local_cluster,
    other_bytes,
    quiet,
)
from csrag.build.pool import Done
from csrag.build.worker import INPUT_COLUMNS, JOB_FILE, BlockJob, BlockWorker, Task, block_checksum, block_outputs
from csrag.errors import CsragError, DataError, InternalError, RequestError

LOCAL_WORKERS = 2
IN_FLIGHT_BYTES = 512 << 20
"""Inputs and outputs that are under way at a time hold no more memory than this, on the scheduler and over all workers."""
_MEND = "what is done is kept: run the same command again, or without --engine to finish on this machine."

Computed = tuple[int, dict[str, NDArray[np.float32]]]
Compute = Callable[[str, str, int, dict[str, NDArray[Any]]], Computed]


def compute_block(job_text: str, expected: str, treatment: int, inputs: dict[str, NDArray[Any]]) -> Computed:
    """The task: one block on a worker.

    Parameters
    ----------
    job_text : str
        Text of the job file.
    expected : str
        The driver's `identity`; a worker that joined later is held against it too.
    treatment : int
        Index of the treatment.
    inputs : dict of str to ndarray, shape (k,)
        `worker.INPUT_COLUMNS` of the block.

    Returns
    -------
    tuple of int and dict
        Checksum and `worker.OUTPUT_COLUMNS`.

    Raises
    ------
    DataError
        If this worker would compute other bytes than the driver.
    """
    if identity() != expected:
        raise other_bytes("A worker that joined the cluster")
    outputs = block_outputs(_job(job_text), treatment, inputs)
    return block_checksum(outputs), outputs


@lru_cache(maxsize=4)
def _job(text: str) -> BlockJob:
    return BlockJob.from_text(text)


@contextmanager
def dask_engine(
    scheduler: str | None = None, workers: int | None = None, *, patience: Patience | None = None,
    compute: Compute = compute_block,
) -> Iterator[DaskEngine]:  # fmt: skip
    """A checked connection to a cluster, to be given to `materialize` as its engine.

    Parameters
    ----------
    scheduler : str, optional
        Address such as "tcp://10.0.0.5:8786"; without one a cluster of processes is started on this machine's loopback.
    workers : int, optional
        Without an address: processes to start, two by default. With one: workers to wait for, one by default.
    patience : Patience, optional
        How long to wait for what.
    compute : callable
        The task.

    Raises
    ------
    RequestError
        If `distributed` is not installed, the address is malformed or nobody answers there.
    DataError
        If no worker comes, or a worker would compute other bytes than this machine.

    Notes
    -----
    A script that calls this without an address needs the usual guard, ``if __name__ == "__main__":``, because the processes
    of a local cluster import its main module.
    """
    try:
        import distributed
    except ImportError:
        raise RequestError(
            "The cluster engine needs the package `distributed`, which is not installed.",
            'Install it with pip install "csrag[dask]", or leave --engine out.',
            code="extra_missing",
        ) from None
    patience = patience or Patience()
    if workers is not None and workers < 1:
        raise RequestError(f"{workers} workers cannot compute anything.", "Use 1 or more.", code="invalid_value")
    with ExitStack() as stack:
        stack.enter_context(quiet())
        if scheduler is None:
            wanted = workers or LOCAL_WORKERS
            address = stack.enter_context(local_cluster(distributed, wanted)).scheduler_address
        else:
            wanted, address = workers or 1, scheduler
        client = stack.enter_context(connected(distributed, address, patience))
        try:
            client.wait_for_workers(wanted, timeout=patience.workers_s)
        except TimeoutError:
            there = len(client.nthreads())
            raise DataError(
                f"The cluster at {address} has {there} of the {wanted} workers waited for after {patience.workers_s:.0f} s.",
                "Start workers (`dask worker ADDRESS`) or ask for fewer with --workers; nothing was begun.",
                code="cluster_without_workers",
            ) from None
        check_workers(client)
        print(f"Computing on {len(client.nthreads())} workers of the cluster at {address}.", file=sys.stderr)
        yield DaskEngine(client, address, patience, compute)


class DaskEngine:
    """Computes the tasks of a build directory on a connected cluster; see `dask_engine`."""

    def __init__(self, client: Any, address: str, patience: Patience, compute: Compute) -> None:
        self._client, self._address, self._patience, self._compute = client, address, patience, compute

    def __call__(self, directory: Path, tasks: Sequence[Task], on_done: Done) -> None:
        """Compute all tasks; `on_done` is called in this thread as each is written.

        Parameters
        ----------
        directory : Path
            The build directory; only this process reads and writes it.
        tasks : sequence of Task
            What is to do.
        on_done : callable
            Told the task and the checksum of its bytes.

        Raises
        ------
        DataError
            If the cluster goes away, has no workers left, stands still, or loses several workers over one block.
        InternalError
            If a block fails on a worker, or arrives damaged.
        """
        if not tasks:
            return
        block = BlockWorker(directory)
        job_text = (directory / JOB_FILE).read_text(encoding="utf-8")
        if json.loads(job_text).get("cost_method"):
            # A surrogate's model is read on the worker, at the same path as here, by the same library.
            check_versions(self._client, {"catboost": version("catboost")})
        run = uuid.uuid4().hex[:12]
        waiting = iter(tasks)
        back: queue.SimpleQueue[Any] = queue.SimpleQueue()
        under_way: dict[str, tuple[Any, Task]] = {}
        limit = self._limit(block, tasks)

        def submit_next() -> None:
            task = next(waiting, None)
            if task is None:
                return
            # Inputs go with the task, not ahead of it as scattered data: those would be lost with the worker that holds them.
            inputs = {name: np.array(values) for name, values in block.inputs(task).items()}
            key = f"csrag-{run}-{task[0]}-{task[1]}"
            future = self._client.submit(
                self._compute, job_text, identity(), task[0], inputs, key=key, pure=False
            )  # fmt: skip
            under_way[key] = (future, task)
            future.add_done_callback(back.put)

        done, last = 0, time.monotonic()
        try:
            for _ in range(limit):
                submit_next()
            while under_way:
                try:
                    future = back.get(timeout=1.0)
                except queue.Empty:
                    self._check_alive(time.monotonic() - last, done)
                    continue
                task = under_way[future.key][1]
                crc, outputs = self._result(future, task, done)
                del under_way[future.key]
                if block.write(task, outputs) != crc:
                    raise InternalError(
                        f"The block {task} was damaged on its way from the cluster.", f"Probably {_MEND}"
                    )
                done, last = done + 1, time.monotonic()
                on_done(task, crc)
                submit_next()
        except (OSError, RuntimeError) as error:
            # What the client raises from its own calls once its connection is gone.
            if self._client.status == "running":
                raise
            raise self._lost(done, first_line(error)) from None
        finally:
            if under_way and self._client.status == "running":
                with suppress(Exception):  # the error under way matters, not that the rest could not be called off
                    self._client.cancel([future for future, _ in under_way.values()])

    def _limit(self, block: BlockWorker, tasks: Sequence[Task]) -> int:
        """Blocks under way at a time: enough that no worker waits, and no more than the memory allows."""
        rows = max(b - a for _, a, b in tasks)
        one = rows * 4 * (len(INPUT_COLUMNS) + block.values_a_record)
        threads = sum(self._client.nthreads().values())
        return max(1, min(2 * int(threads) + 2, IN_FLIGHT_BYTES // one))

    def _result(self, future: Any, task: Task, done: int) -> Computed:
        from distributed import KilledWorker

        try:
            if future.status == "error":
                raise future.exception()
            crc, outputs = future.result(timeout=self._patience.stall_s)
        except CsragError:
            raise
        except KilledWorker:
            raise DataError(
                f"Several workers died one after another over the same block (treatment {task[0]}, rows {task[1]} to {task[2]}) "
                f"after {done:,} blocks; they may lack memory.",
                f"Give the workers more memory; {_MEND}", code="cluster_workers_died",
            ) from None  # fmt: skip
        except (OSError, TimeoutError) as error:
            raise self._lost(done, first_line(error)) from None
        except BaseException as error:
            if type(error).__name__.endswith("CancelledError"):
                raise self._lost(done, "its blocks were called off") from None
            if not isinstance(error, Exception):
                raise
            raise InternalError(
                f"The block {task} failed on the cluster: {type(error).__name__}: {first_line(error)}.",
                f"Then {_MEND}",
            ) from None
        return crc, outputs

    def _check_alive(self, idle_s: float, done: int) -> None:
        if self._client.status != "running":
            raise self._lost(done, "the connection ended")
        if idle_s >= self._patience.workers_s and not self._client.nthreads():
            raise DataError(
                f"The cluster at {self._address} has had no workers for {idle_s:.0f} s, after {done:,} blocks.",
                f"Start workers; {_MEND}", code="cluster_without_workers",
            )  # fmt: skip
        if idle_s >= self._patience.stall_s:
            raise DataError(
                f"The cluster at {self._address} has finished no block for {idle_s:.0f} s, after {done:,}.",
                f"Look at its workers; {_MEND}", code="cluster_stalled",
            )  # fmt: skip

    def _lost(self, done: int, why: str) -> DataError:
        return DataError(
            f"The cluster at {self._address} was lost after {done:,} blocks: {why}.",
            f"Start it again; {_MEND}", code="cluster_lost",
        )  # fmt: skip
