"""Progress: plain lines where there is no terminal, a bar where there is one, nothing on stdout."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from csrag.build.progress import PlainProgress, TerminalProgress


def test_plain_lines_say_rate_and_time_left(capsys):
    progress = PlainProgress(every_s=0.0)
    progress.start("computing", 100, "records")
    progress.advance(25)
    progress.advance(0)
    progress.advance(75)
    said = capsys.readouterr()
    lines = said.err.splitlines()
    assert said.out == ""
    assert lines[0] == "computing: 100 records"
    assert lines[1].startswith("computing: 25 %, ")
    assert lines[1].endswith(" s left")
    assert lines[2].startswith("computing: 100 %")
    assert len(lines) == 3


def test_plain_lines_are_few(capsys):
    progress = PlainProgress(every_s=60.0)
    progress.start("computing", 1000, "records")
    for _ in range(1000):
        progress.advance(1)
    assert len(capsys.readouterr().err.splitlines()) == 2


def test_bar_goes_through_phases_to_stderr_only(capsys):
    with TerminalProgress() as progress:
        progress.start("first", 10, "rows")
        progress.advance(10)
        progress.start("second", 5, "rows")
        progress.advance(2)
    assert capsys.readouterr().out == ""


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are POSIX")
def test_a_terminal_gets_a_bar():
    import pty

    main_end, far_end = pty.openpty()
    code = (
        "from csrag.interfaces.open import terminal_progress\n"
        "with terminal_progress() as p:\n"
        "    p.start('computing', 10, 'records'); p.advance(5)\n"
        "    print(type(p).__name__)\n"
    )
    env = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    done = subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=far_end, text=True, env=env, check=True
    )
    os.close(far_end)
    shown = os.read(main_end, 100_000).decode()
    os.close(main_end)
    assert done.stdout.strip() == "TerminalProgress"
    assert "computing" in shown
    assert "5/10" in shown
