"""Fixtures and guards that every test shares."""

from __future__ import annotations

import os

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # before NumPy: two threads on a busy machine are many times slower than one
os.environ.pop("CSRAG_DATA", None)  # a developer's own layer set must not decide whether the tests pass

import contextlib
import hashlib
import ipaddress
import platform
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parents[1]
DEMO_REGION = "northern-sierra"
DEMO_SOURCES = ("build", "simulators", "surfaces", "places", "geo.py", "quantities.py")
"""Parts of src/csrag that decide what the demonstration layers hold."""

# ci: the same examples on every run. explore: fresh examples, for a long search by hand (HYPOTHESIS_PROFILE=explore).
settings.register_profile("ci", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("explore", deadline=None, max_examples=2000, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


# --- no network -------------------------------------------------------------------------------------------------------


def _is_local(host: object) -> bool:
    if host in (None, "", "localhost", b"localhost"):
        return True
    text = host.decode() if isinstance(host, bytes) else str(host)
    try:
        return ipaddress.ip_address(text.partition("%")[0]).is_loopback
    except ValueError:
        return False


@pytest.fixture(scope="session", autouse=True)
def no_network() -> Iterator[None]:
    """Let no test reach past this machine: connecting or looking a name up anywhere else fails the test."""
    patch = pytest.MonkeyPatch()

    def guarded(real: Callable[..., Any]) -> Callable[..., Any]:
        def connect(self: socket.socket, address: Any) -> Any:
            if isinstance(address, tuple) and not _is_local(address[0]):
                pytest.fail(f"a test tried to reach the network: {address[0]}")
            return real(self, address)

        return connect

    real_lookup = socket.getaddrinfo

    def lookup(host: Any, *args: Any, **kwargs: Any) -> Any:
        if not _is_local(host):
            pytest.fail(f"a test tried to look a name up on the network: {host}")
        return real_lookup(host, *args, **kwargs)

    patch.setattr(socket.socket, "connect", guarded(socket.socket.connect))
    patch.setattr(socket.socket, "connect_ex", guarded(socket.socket.connect_ex))
    patch.setattr(socket, "getaddrinfo", lookup)
    yield
    patch.undo()


@pytest.fixture(scope="session", autouse=True)
def own_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Give the tests, and the commands they start, user folders of their own: no settings of the developer's."""
    patch = pytest.MonkeyPatch()
    for name in ("CSRAG_SETTINGS", "CSRAG_WORKERS", "CSRAG_DEMO"):
        patch.delenv(name, raising=False)
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        patch.setenv(name, str(tmp_path_factory.mktemp(name.lower())))
    yield
    patch.undo()


# --- files outside the project ----------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def project_root() -> Path:
    """Folder that holds pyproject.toml."""
    return ROOT


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """Golden and acceptance files that are no part of the project; the test is skipped where they are absent."""
    folder = ROOT.parent / "shared"
    if not (folder / "spec" / "contract.md").is_file():
        pytest.skip("the shared golden and acceptance files are absent (expected at ../shared)")
    return folder


# --- the demonstration layers -----------------------------------------------------------------------------------------


def csrag_program() -> list[str]:
    """The csrag command of the environment that runs the tests."""
    script = Path(sys.executable).with_name("csrag.exe" if os.name == "nt" else "csrag")
    return [str(script)] if script.exists() else [sys.executable, "-m", "csrag"]


def source_key() -> str:
    """Hash of everything that decides what the demonstration layers hold."""
    digest = hashlib.sha256(f"{platform.python_version()} numpy {np.__version__}".encode())
    package = ROOT / "src" / "csrag"
    for name in DEMO_SOURCES:
        top = package / name
        files = [top] if top.is_file() else sorted(p for p in top.rglob("*") if p.is_file() and p.suffix != ".pyc")
        for path in files:
            digest.update(path.relative_to(package).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


@contextlib.contextmanager
def _one_at_a_time(path: Path) -> Iterator[None]:
    """File lock (POSIX); a killed holder releases it by itself."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    with path.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _build_demo(target: Path) -> None:
    """Build beside the target and rename, so that a run that was killed leaves nothing that looks finished."""
    scratch = target.with_name(f"{target.name}.making")
    shutil.rmtree(scratch, ignore_errors=True)
    command = [*csrag_program(), "layers", "build", "--demo", DEMO_REGION, "--out", str(scratch)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.fail(f"{' '.join(command[1:])} failed (exit {done.returncode}):\n{done.stderr[-4000:]}")
    scratch.rename(target)


@pytest.fixture(scope="session")
def demo_layers(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Layer set of the northern Sierra demonstration, read-only for tests; built once for each state of the source.

    Kept in pytest's cache folder, so that the next run finds it; workers of one run wait for the first of them.
    """
    cache = getattr(request.config, "cache", None)
    folder = cache.mkdir("csrag-demo") if cache is not None else tmp_path_factory.getbasetemp().parent / "csrag-demo"
    folder.mkdir(exist_ok=True)
    target: Path = folder / f"{DEMO_REGION}-{source_key()}"
    with _one_at_a_time(folder / "lock"):
        if not target.exists():
            kept = sorted((p for p in folder.iterdir() if p.is_dir()), key=lambda p: p.stat().st_mtime)
            for old in kept[:-1]:  # the newest stays: another environment may be using it
                shutil.rmtree(old, ignore_errors=True)
            _build_demo(target)
    return target
