"""Rules about modules: import directions, size, what a bare import costs, what the package promises."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

MAX_LINES = 400
LONGER_BECAUSE: dict[str, str] = {}
"""Modules that may be longer: pure data tables only, each with its reason."""

HEAVY = ("numpy", "pyarrow", "rapidfuzz", "rich", "pyproj", "matplotlib")


def modules(root: Path) -> list[Path]:
    return sorted((root / "src" / "csrag").rglob("*.py"))


def test_import_directions(project_root: Path) -> None:
    pytest.importorskip("importlinter", reason="import-linter is a development tool and is not installed")
    code = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    done = subprocess.run([sys.executable, "-c", code], cwd=project_root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_modules_are_short(project_root: Path) -> None:
    long = {}
    for path in modules(project_root):
        name = path.relative_to(project_root / "src").as_posix()
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines >= MAX_LINES and name not in LONGER_BECAUSE:
            long[name] = lines
    assert not long, f"modules of {MAX_LINES} lines or more: {long}"


def test_the_list_of_long_modules_is_current(project_root: Path) -> None:
    for name in LONGER_BECAUSE:
        path = project_root / "src" / name
        assert path.exists(), f"{name} is gone: take it off the list"
        assert len(path.read_text(encoding="utf-8").splitlines()) >= MAX_LINES, f"{name} is short now"


def test_every_package_has_an_init(project_root: Path) -> None:
    bare = [p.parent for p in modules(project_root) if not (p.parent / "__init__.py").exists()]
    assert not bare, f"folders of modules without __init__.py (they would be left out of a wheel's package): {bare}"


def imported_by(statement: str) -> set[str]:
    """Top-level packages that a statement loads in a fresh interpreter, from `-X importtime`."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", statement], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return {m.group(1) for m in re.finditer(r"^import time:.*\|\s+([\w]+)[\w.]*$", done.stderr, re.M)}


def test_a_bare_import_is_light() -> None:
    loaded = imported_by("import csrag")
    assert "csrag" in loaded
    assert not loaded & set(HEAVY), f"`import csrag` loads {sorted(loaded & set(HEAVY))}"


def test_help_is_light() -> None:
    loaded = imported_by(
        "import contextlib\nfrom csrag.interfaces.cli import main\n"
        "with contextlib.suppress(SystemExit): main(['--help'])"
    )
    heavy = loaded & {"pyarrow", "rapidfuzz", "pyproj", "matplotlib", "scipy"}
    assert not heavy, f"`csrag --help` loads {sorted(heavy)}"


def test_extras_of_the_contract_exist(project_root: Path, contract: dict[str, list[str]]) -> None:
    project = tomllib.loads((project_root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    assert set(contract["extras"]) <= set(extras)
    doors = set(contract["extras"]) - {"all"}
    named = re.fullmatch(r"csrag\[(.+)\]", extras["all"][0])
    assert named
    everything = set(extras) - {"all", "test", "dev"}
    assert set(named.group(1).split(",")) == everything >= doors, "`all` must bring every door"


def test_lowest_versions_follow_pyproject(project_root: Path) -> None:
    project = tomllib.loads((project_root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    floors = dict(re.fullmatch(r"([\w-]+)>=([\d.]+)", d).groups() for d in project["dependencies"])  # type: ignore[union-attr]
    text = (project_root / "constraints-lowest.txt").read_text(encoding="utf-8")
    pins = dict(line.split("==") for line in text.splitlines() if "==" in line)
    assert set(pins) == set(floors)
    for name, floor in floors.items():
        assert f"{pins[name]}.".startswith(f"{floor}."), f"{name}: lowest tested {pins[name]}, lowest allowed {floor}"


def test_the_lock_covers_every_dependency(project_root: Path) -> None:
    project = tomllib.loads((project_root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = {
        re.split(r"[<>=\[]", d)[0].lower()
        for d in [*project["dependencies"], *(d for extra in extras.values() for d in extra)]
        if not d.startswith("csrag[")
    }
    lines = (project_root / "requirements.lock").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert all(re.fullmatch(r"[\w.-]+==[\w.+-]+", line) for line in pins), "only NAME==VERSION: no URL, no index"
    assert wanted <= {line.partition("==")[0].lower() for line in pins}, "run `python3 dev.py lock`"


@pytest.mark.parametrize(
    "before",
    ["import csrag", "from csrag import SitingQuery", "import csrag.ask.pipeline", "from csrag import Answer, ask"],
)
def test_csrag_ask_can_be_called_whatever_came_first(before: str) -> None:
    # `ask` is a package and a public function: importing the one must not hide the other.
    code = f"{before}\nimport csrag\nfor _ in range(2):\n    assert callable(csrag.ask)\n    csrag.SitingQuery\n"
    code += "from csrag import ask\nassert callable(ask)\n"
    code += "try:\n    ask()\nexcept TypeError as error:\n    assert 'question' in str(error), error\n"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
