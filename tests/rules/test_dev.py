"""dev.py: what it reuses, what it remakes, and what it says when a step fails. No real environment is made here."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture
def dev(project_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """dev.py, loaded as a module, with a scratch folder as its project and a set-up that only leaves its traces."""
    spec = importlib.util.spec_from_file_location("dev_under_test", project_root / "dev.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    (tmp_path / "lock").write_text("a==1\n")
    made: list[str] = []

    def fake_setup(what: str, command: Sequence[str], advice: str) -> None:
        assert advice
        made.append(what)
        if "venv" in command:
            scripts = Path(command[-1]) / module.SCRIPTS
            scripts.mkdir()
            (scripts / f"python{module.EXE}").touch()
        else:
            (Path(command[0]).parent / f"csrag{module.EXE}").touch()

    monkeypatch.setattr(module, "run_setup", fake_setup)
    module.__dict__["made"] = made
    return module


def make(dev: ModuleType) -> Path:
    venv: Path = dev.environment(".venv", "", [dev.ROOT / "lock"])
    return venv


def test_an_environment_is_made_once(dev: ModuleType) -> None:
    assert make(dev) == make(dev)
    assert len(dev.made) == 2, "one environment and one installation"


@pytest.mark.parametrize("changed", ["pyproject.toml", "lock", "src/csrag/kernels/statewide.c"])
def test_it_is_remade_when_the_pins_change(dev: ModuleType, changed: str) -> None:
    make(dev)
    (dev.ROOT / changed).parent.mkdir(parents=True, exist_ok=True)
    (dev.ROOT / changed).write_text("changed\n")
    make(dev)
    assert len(dev.made) == 4


@pytest.mark.parametrize("lost", ["stamp", "program", "interpreter"])
def test_a_half_made_one_is_remade(dev: ModuleType, lost: str) -> None:
    venv = make(dev)
    name = {
        "stamp": dev.READY,
        "program": f"{dev.SCRIPTS}/csrag{dev.EXE}",
        "interpreter": f"{dev.SCRIPTS}/python{dev.EXE}",
    }
    (venv / name[lost]).unlink()
    (venv / "debris").touch()
    make(dev)
    assert len(dev.made) == 4
    assert not (venv / "debris").exists()


def test_somebody_else_s_environment_is_kept(dev: ModuleType) -> None:
    (dev.ROOT / ".venv").mkdir()
    (dev.ROOT / ".venv" / "precious").touch()
    make(dev)
    assert (dev.ROOT / ".venv-yours-1" / "precious").exists()


def test_a_failed_installation_says_what_and_how_to_go_on(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(what: str, _command: Sequence[str], advice: str) -> None:
        raise dev.SetupFailedError(f"{what} failed. {advice}")

    monkeypatch.setattr(dev, "run_setup", fail)
    assert dev.main(["ask", "x"]) == 1
    shown = capsys.readouterr()
    assert "failed" in shown.err
    assert "run the same command again" in " ".join(shown.err.split())
    assert shown.out == ""
    assert not (dev.ROOT / ".venv" / dev.READY).exists()


@pytest.mark.parametrize("arguments", [[], ["chek"], ["check", "--fast"], ["lock", "x"]])
def test_an_unknown_command_shows_the_usage(
    dev: ModuleType, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert dev.main(arguments) == 2
    assert "dev.py ask" in capsys.readouterr().err
    assert dev.made == []


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in for csrag is a shell script")
def test_arguments_and_exit_code_pass_through(project_root: Path, tmp_path: Path) -> None:
    (tmp_path / "dev.py").write_bytes((project_root / "dev.py").read_bytes())
    code = (
        "import dev, pathlib, sys\n"
        "fake = pathlib.Path('venv/bin'); fake.mkdir(parents=True)\n"
        "(fake / 'csrag').write_text('#!/bin/sh\\nprintf \"%s|\" \"$@\"; exit 3\\n'); (fake / 'csrag').chmod(0o755)\n"
        "dev.environment = lambda *_: pathlib.Path('venv').resolve()\n"
        "sys.exit(dev.main(['ask', 'two words', '--json']))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 3, done.stderr
    assert done.stdout == "ask|two words|--json|"


def test_what_cannot_be_cleared_is_said_in_words(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (make(dev) / dev.READY).unlink()

    def busy(_path: Path) -> None:
        raise OSError("Directory not empty")

    monkeypatch.setattr(dev.shutil, "rmtree", busy)
    assert dev.main(["csrag", "--help"]) == 1
    assert "Directory not empty" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="there is no lock on Windows")
def test_an_installation_that_outlives_its_parent_keeps_the_lock(project_root: Path, tmp_path: Path) -> None:
    (tmp_path / "dev.py").write_bytes((project_root / "dev.py").read_bytes())
    parent = (
        "import dev, os, pathlib, sys, subprocess\n"
        "with dev.only_one(pathlib.Path('venv').resolve()):\n"
        "    child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(1.5)'], close_fds=False)\n"
        "    os._exit(0)\n"
    )
    wait = (
        "import dev, pathlib, time\nstarted = time.monotonic()\n"
        "with dev.only_one(pathlib.Path('venv').resolve()):\n    print(time.monotonic() - started)\n"
    )
    subprocess.run([sys.executable, "-c", parent], cwd=tmp_path, check=True)
    done = subprocess.run([sys.executable, "-c", wait], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert float(done.stdout) > 0.3
