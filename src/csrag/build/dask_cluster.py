"""A `distributed` cluster for a build: reaching or starting one, and refusing workers whose bytes could differ."""

from __future__ import annotations

import hashlib
import logging
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from csrag import __version__
from csrag.errors import DataError, RequestError
from csrag.simulators.harvest import HarvestEconomics, harvest
from csrag.surfaces.catalog import REMOVAL_COLUMNS, SYSTEMS
from csrag.surfaces.frame import ClusterFrame

_WORKER_MEMORY = "2GiB"
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
_PROBE_ROWS = 512
_DECIDING = (
    "simulators/frcs", "simulators/harvest.py", "surfaces/catalog.py", "build/worker.py", "build/surrogate/features.py",
    "build/surrogate/layer.py", "build/surrogate/predict.py", "build/surrogate/rule.py",
)  # fmt: skip
"""Source files, below the package, that decide what a block holds."""


@dataclass(frozen=True)
class Patience:
    """How long the driver waits before it says that something is wrong [seconds].

    Parameters
    ----------
    connect_s : float
        For the scheduler to answer.
    workers_s : float
        For a worker, at the beginning and when all are gone; a cluster that grows by itself needs minutes.
    stall_s : float
        For any block to come back; one takes a fraction of a second.
    """

    connect_s: float = 20.0
    workers_s: float = 300.0
    stall_s: float = 600.0


@lru_cache(maxsize=1)
def identity() -> str:
    """What decides the bytes that this process computes: the code, and its arithmetic to the last bit of float64.

    Two processors can differ in the last bit of a power or a logarithm, and so, once in a hundred million values, in a stored
    float32. A seeded block, checksummed before it is rounded, tells them apart.
    """
    digest = hashlib.sha256(f"csrag {__version__} numpy {np.__version__}".encode())
    package = Path(__file__).resolve().parents[1]
    for source in (file for part in _DECIDING for file in _sources(package / part)):
        digest.update(source.relative_to(package).as_posix().encode() + source.read_bytes())
    rng = np.random.default_rng(20_240_611)
    stand = {name: rng.gamma(2.0, 3.0, _PROBE_ROWS) for name in REMOVAL_COLUMNS} | {
        "area_acres": rng.uniform(10.0, 40.0, _PROBE_ROWS), "slope_pct": rng.uniform(0.0, 70.0, _PROBE_ROWS),
        "grade_pct": rng.uniform(0.0, 50.0, _PROBE_ROWS), "yarding_ft": rng.uniform(451.0, 1500.0, _PROBE_ROWS),
        "elevation_ft": rng.uniform(500.0, 8000.0, _PROBE_ROWS),
        "wood_density_kg_per_m3": rng.uniform(350.0, 480.0, _PROBE_ROWS), "roaded": np.ones(_PROBE_ROWS),
    }  # fmt: skip
    for clear_cut in (False, True):
        made = harvest(ClusterFrame(stand), SYSTEMS, HarvestEconomics(), clear_cut=clear_cut, mapping="split")
        digest.update(np.ascontiguousarray(made.cost_usd_per_bdt).tobytes())
        digest.update(np.ascontiguousarray(made.feedstock_bdt).tobytes())
    return digest.hexdigest()


def _sources(part: Path) -> list[Path]:
    return [part] if part.is_file() else sorted(part.rglob("*.py"))


def other_bytes(who: str) -> DataError:
    """The refusal of a worker whose `identity` differs."""
    return DataError(
        f"{who} computes other bytes than this machine: its processor, mathematics library or copy of csrag differs.",
        "Use machines of one kind, this one included (start the command on a machine of the cluster), or give all of them the "
        "same NPY_DISABLE_CPU_FEATURES.",
        code="cluster_not_uniform",
    )


@contextmanager
def quiet() -> Iterator[None]:
    """Keep the cluster's own log off the terminal: what matters of it comes as an error of ours."""
    handlers = logging.getLogger("distributed").handlers
    levels = [handler.level for handler in handlers]
    for handler in handlers:
        handler.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for handler, level in zip(handlers, levels, strict=True):
            handler.setLevel(level)


@contextmanager
def local_cluster(distributed: Any, workers: int) -> Iterator[Any]:
    """Processes of this machine, one thread each, reached through the loopback only.

    Raises
    ------
    DataError
        If they do not start.
    """
    import dask

    # The scheduler opens an HTTP port whatever it is told; it is kept on the loopback, on a free number and without pages.
    with dask.config.set({"distributed.scheduler.http.routes": [], "distributed.worker.http.routes": []}):
        try:
            cluster = distributed.LocalCluster(
                n_workers=workers, threads_per_worker=1, processes=True, host="127.0.0.1", protocol="tcp://",
                dashboard_address="127.0.0.1:0", scheduler_kwargs={"dashboard": False}, memory_limit=_WORKER_MEMORY,
                env=_ONE_THREAD, silence_logs=logging.CRITICAL,
            )  # fmt: skip
        except (OSError, RuntimeError, TimeoutError) as error:
            raise DataError(
                f"No cluster could be started on this machine: {error}.", "Leave --engine out.", code="cluster_lost"
            ) from None
        try:
            yield cluster
        finally:
            with suppress(OSError, TimeoutError):
                cluster.close(timeout=10)


def _check_reach(address: str, patience_s: float) -> None:
    """Refuse an address that is none, or where nothing listens, before a client is made that keeps trying."""
    said = urlsplit(address if "://" in address else f"tcp://{address}")
    try:
        host, port = said.hostname, said.port
    except ValueError:
        host, port = None, None
    why = "it is no host:port"
    if host and port:
        try:
            socket.create_connection((host, port), timeout=min(5.0, patience_s)).close()
            return
        except OSError as error:
            why = first_line(error)
    raise RequestError(
        f"No scheduler answers at {address!r}: {why}.",
        "Give the address that `dask scheduler` prints, such as tcp://10.0.0.5:8786, reachable from here; without "
        "--scheduler a cluster is started on this machine.",
        code="scheduler_not_reached",
    )


@contextmanager
def connected(distributed: Any, address: str, patience: Patience) -> Iterator[Any]:
    """A client of the scheduler at an address.

    Raises
    ------
    RequestError
        If the address is malformed or nobody answers there.
    """
    _check_reach(address, patience.connect_s)
    try:
        client = distributed.Client(address, timeout=patience.connect_s, set_as_default=False)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise RequestError(
            f"No scheduler answers at {address!r} within {patience.connect_s:.0f} s: {first_line(error)}.",
            "Give the address that `dask scheduler` prints, such as tcp://10.0.0.5:8786, reachable from here; without "
            "--scheduler a cluster is started on this machine.",
            code="scheduler_not_reached",
        ) from None
    try:
        yield client
    finally:
        with suppress(OSError, TimeoutError):
            client.close(timeout=5)


def first_line(error: BaseException) -> str:
    """What an error says, cut to a line."""
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")[:200]


def check_workers(client: Any) -> None:
    """Refuse workers whose bytes could differ, before anything is computed.

    Raises
    ------
    DataError
        If a worker has another version of csrag or NumPy, other code, or other arithmetic.
    """
    check_versions(client, {"csrag": __version__, "numpy": np.__version__})
    for worker, answer in client.run(identity, on_error="return").items():
        if isinstance(answer, BaseException):
            raise DataError(
                f"The worker {worker} cannot run this csrag: {type(answer).__name__}: {first_line(answer)}.",
                "Install the same copy of csrag on every worker; nothing was begun.", code="cluster_versions_differ",
            )  # fmt: skip
        if answer != identity():
            raise other_bytes(f"The worker {worker}")


def check_versions(client: Any, wanted: dict[str, str]) -> None:
    """Refuse workers that lack one of the packages or have it in another version.

    Raises
    ------
    DataError
        Naming the first such worker.
    """
    for worker, about in client.get_versions(packages=list(wanted))["workers"].items():
        there = about["packages"] if about else {}
        wrong = [f"{name} {there.get(name) or 'missing'} (here {own})" for name, own in wanted.items()
                 if there.get(name) != own]  # fmt: skip
        if wrong:
            raise DataError(
                f"The worker {worker} has {' and '.join(wrong)}; the layers could differ from those made here.",
                f"Install {' and '.join(f'{name}=={own}' for name, own in wanted.items())} on every worker; nothing was "
                "computed.",
                code="cluster_versions_differ",
            )
