"""Rules about what may stand in a file that is handed on: no machine's paths, no registry hosts, no big blobs."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

MAX_BYTES = 3_000_000
# Spelt in pieces, so that this file does not find itself.
MACHINE_PATHS = re.compile(
    "|".join(
        [r"(?<!\w)/" + "work/", r"(?<!\w)/" + "root/", r"(?<!\w)/" + "farm/", r"\." + "library/", "/" + "home/[a-z]"]
    )
)
SCRATCH_PATHS = re.compile("/" + "tmp/")
REGISTRY_HOSTS = re.compile(
    "|".join(["pypi" + r"\.org", "pythonhosted" + r"\.org", "registry" + r"\.npmjs", "deb" + r"\.debian\.org"])
    + "|--" + "(extra-)?index-url",
)  # fmt: skip
WRITERS = re.compile("|".join(["co-authored" + "-by", "as an ai" + " ", "language model" + " assistant"]), re.I)


@pytest.fixture(scope="module")
def tracked(project_root: Path) -> dict[str, str]:
    """Text of every tracked file by its path; binary files are left out."""
    done = subprocess.run(["git", "ls-files", "-z"], cwd=project_root, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("this copy of the project is no git repository")
    texts = {}
    for name in filter(None, done.stdout.split("\0")):
        path = project_root / name
        if not path.is_file():
            continue  # removed in the working tree, not yet committed
        data = path.read_bytes()
        if b"\0" not in data[:8000]:
            texts[name] = data.decode("utf-8", errors="replace")
    assert "pyproject.toml" in texts
    return texts


def hits(texts: dict[str, str], pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{name}:{number}: {line.strip()[:120]}"
        for name, text in texts.items()
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]


@pytest.mark.parametrize("pattern", [MACHINE_PATHS, REGISTRY_HOSTS, WRITERS], ids=["paths", "registries", "writers"])
def test_nothing_of_a_machine_or_a_registry(tracked: dict[str, str], pattern: re.Pattern[str]) -> None:
    assert hits(tracked, pattern) == []


def test_no_scratch_folder_in_source_and_docs(tracked: dict[str, str]) -> None:
    shown = {n: t for n, t in tracked.items() if n.startswith(("src/", "docs/", "README", "tools/", "benchmarks/"))}
    assert hits(shown, SCRATCH_PATHS) == []


def test_every_file_is_of_sensible_size(project_root: Path, tracked: dict[str, str]) -> None:
    big = {name: size for name in tracked if (size := (project_root / name).stat().st_size) > MAX_BYTES}
    assert not big


def test_licence_is_whole(project_root: Path) -> None:
    text = (project_root / "LICENSE").read_text(encoding="utf-8")
    assert "Version 2.0, January 2004" in text
    assert "9. Accepting Warranty or Additional Liability" in text
    assert "csrag contributors" in text


def test_patterns_find_what_they_should() -> None:
    assert MACHINE_PATHS.search("see /" + "work/main")
    assert REGISTRY_HOSTS.search("pip install --" + "index-url x")
    assert not MACHINE_PATHS.search("network/roads, homework/x")
