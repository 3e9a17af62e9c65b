"""README and docs are executed.

In a ```console block every line that starts with `$ ` is run, in order, one scratch folder a page, against the
demonstration layers; `python3 dev.py` stands for csrag, and `python3 dev.py check` is this very run and left out. Each
must exit 0. A comment right above the block changes that:

    <!-- not executed: why -->      the block is not run
    <!-- exit: 3 -->                its last command must exit with this code
    <!-- output checked -->         every printed line that is shown must come; a line `...` stands for any others

```python blocks of a page run as one script.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").glob("*.md")])
BLOCK = re.compile(r"(?:^<!-- (?P<mark>[^\n]*?) -->\n+)?^```(?P<kind>\w*)\n(?P<body>.*?)^```$", re.M | re.S)
ITSELF = re.compile(r"python3? dev\.py check\b")
UNTESTED_KINDS = {"bash", "sh", "shell", "zsh", "pycon"}


@dataclass(frozen=True)
class Block:
    kind: str
    mark: str
    body: str

    @property
    def skipped(self) -> bool:
        return self.mark.startswith("not executed:") and len(self.mark) > len("not executed: ")

    @property
    def exit_code(self) -> int:
        found = re.fullmatch(r"exit: (\d)", self.mark)
        return int(found.group(1)) if found else 0

    def commands(self) -> list[tuple[str, list[str]]]:
        """Each command with the output lines shown below it."""
        out: list[tuple[str, list[str]]] = []
        continued = False
        for line in self.body.splitlines():
            if continued:
                out[-1] = (out[-1][0] + "\n" + line.removeprefix("> "), out[-1][1])
            elif line.startswith("$ "):
                out.append((line[2:], []))
            elif out:
                out[-1][1].append(line)
            continued = line.endswith("\\") and not (out and out[-1][1])
        return out


def blocks(text: str) -> list[Block]:
    return [Block(m["kind"], m["mark"] or "", m["body"]) for m in BLOCK.finditer(text)]


def squeeze(line: str) -> str:
    return " ".join(line.split())


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_page_is_executable_or_says_why_not(page: Path) -> None:
    for block in blocks(page.read_text(encoding="utf-8")):
        if block.kind in UNTESTED_KINDS:
            assert block.skipped, f"write ```console with `$ ` lines, or say why it is not executed:\n{block.body}"
        if block.kind == "console" and not block.skipped:
            assert block.commands(), f"a console block without a `$ ` line:\n{block.body}"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_page_links_exist(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
    links = [m.group(1) for m in re.finditer(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text)]
    dead = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert not dead


def test_every_page_is_linked_from_another() -> None:
    linked = set()
    for page in PAGES:
        for match in re.finditer(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
            linked.add((page.parent / match.group(1)).resolve())
    lost = [p.relative_to(ROOT).as_posix() for p in PAGES if p.resolve() not in linked and p.name != "README.md"]
    assert not lost, f"no page links to {lost}: add them to docs/index.md or to the index of their folder"


def executed(kind: str) -> list[Path]:
    return [p for p in PAGES if any(b.kind == kind and not b.skipped for b in blocks(p.read_text(encoding="utf-8")))]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="console blocks are run by bash, which is absent")
@pytest.mark.parametrize("page", executed("console"), ids=lambda p: p.relative_to(ROOT).as_posix())
def test_console_blocks(page: Path, demo_layers: Path, tmp_path: Path) -> None:
    env = {**os.environ, "CSRAG_DATA": str(demo_layers), "NO_COLOR": "1", "COLUMNS": "100", "HOME": str(tmp_path)}
    env["PATH"] = str(Path(sys.executable).parent) + os.pathsep + env.get("PATH", "")
    env["XDG_DATA_HOME"] = env["XDG_CACHE_HOME"] = str(tmp_path / "xdg")
    folder = tmp_path / "page"
    folder.mkdir()
    for block in blocks(page.read_text(encoding="utf-8")):
        if block.kind != "console" or block.skipped:
            continue
        commands = block.commands()
        for number, (command, shown) in enumerate(commands):
            if ITSELF.match(command):
                continue
            plain = re.sub(r"\bpython3? dev\.py (?:csrag )?", "csrag ", command)
            done = subprocess.run(
                ["bash", "-c", plain], cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=300
            )
            wanted = block.exit_code if number == len(commands) - 1 else 0
            assert done.returncode == wanted, f"$ {command}\n{done.stdout[-1500:]}\n{done.stderr[-1500:]}"
            assert "Traceback" not in done.stderr
            if block.mark == "output checked":
                printed = {squeeze(line) for line in (done.stdout + "\n" + done.stderr).splitlines()}
                missing = [line for line in shown if line.strip() not in {"", "..."} and squeeze(line) not in printed]
                assert not missing, f"$ {command}\nshown on the page and not printed: {missing}\n{done.stdout[-3000:]}"


@pytest.mark.slow
@pytest.mark.parametrize("page", executed("python"), ids=lambda p: p.relative_to(ROOT).as_posix())
def test_python_blocks(page: Path, demo_layers: Path, tmp_path: Path) -> None:
    code = "\n".join(b.body for b in blocks(page.read_text(encoding="utf-8")) if b.kind == "python" and not b.skipped)
    env = {**os.environ, "CSRAG_DATA": str(demo_layers)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=env, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr[-3000:]


def test_the_reader_of_blocks() -> None:
    text = (
        "<!-- exit: 3 -->\n```console\n$ csrag ask \\\n>   x\nout\n$ echo b\n```\n\n"
        "<!-- not executed: needs the network -->\n```console\n$ pip install .\n```\n"
    )
    first, second = blocks(text)
    assert first.exit_code == 3
    assert [c for c, _ in first.commands()] == ["csrag ask \\\n  x", "echo b"]
    assert first.commands()[0][1] == ["out"]
    assert second.skipped
    assert not Block("console", "not executed:", "").skipped
