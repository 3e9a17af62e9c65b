"""An output file takes its place whole, and never the place of what is being read."""

from __future__ import annotations

import io
import json
import os
import stat
import sys
from pathlib import Path

import pytest

from csrag.interfaces.cli.main import main
from csrag.interfaces.cli.output import writing_to

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and modes are POSIX")
LINE = '{"id": 1, "kind": "gpo", "inputs": {}}\n'


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").write_text(LINE)
    return tmp_path


@pytest.mark.parametrize("form", ["in", "./in", "symlink", "hardlink", "stdin"])
def test_the_input_is_never_the_output(here, capsys, monkeypatch, form):
    (here / "symlink").symlink_to(here / "in")
    os.link(here / "in", here / "hardlink")
    if form == "stdin":
        with (here / "in").open() as stream:
            monkeypatch.setattr("sys.stdin", stream)
            assert main(["simulate", "gpo", "--out", "in"]) == 2
    else:
        assert main(["simulate", "gpo", "--in", "in", "--out", form]) == 2
    assert "being read" in capsys.readouterr().err
    assert (here / "in").read_text() == LINE
    assert sorted(p.name for p in here.iterdir()) == ["hardlink", "in", "symlink"]


def test_a_link_is_followed_and_the_mode_kept(here):
    (here / "real").write_text("older")
    (here / "real").chmod(0o640)
    (here / "link").symlink_to(here / "real")
    (here / "dangling").symlink_to(here / "new")
    for name in ("link", "dangling"):
        assert main(["simulate", "gpo", "--in", "in", "--out", name]) == 0
        assert (here / name).is_symlink()
    assert json.loads((here / "real").read_text())["id"] == 1
    assert (here / "new").read_text() == (here / "real").read_text()
    assert stat.S_IMODE((here / "real").stat().st_mode) == 0o640
    assert sorted(p.name for p in here.iterdir()) == ["dangling", "in", "link", "new", "real"]


def test_what_was_there_stays_when_the_writing_fails(here):
    (here / "out").write_text("older")

    def stopped() -> None:
        with writing_to("out") as stream:
            stream.write("half")
            raise RuntimeError("stopped")

    with pytest.raises(RuntimeError):
        stopped()
    assert (here / "out").read_text() == "older"
    assert sorted(p.name for p in here.iterdir()) == ["in", "out"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.usefixtures("here")
def test_devices_are_written_as_they_stand(capsys):
    assert main(["simulate", "gpo", "--in", "in", "--out", "/dev/null"]) == 0
    assert main(["simulate", "gpo", "--in", "in", "--out", "/dev/full"]) == 3
    assert "No space left" in capsys.readouterr().err
    assert Path("/dev/full").is_char_device()


@pytest.mark.parametrize("source", ["file", "stdin"])
def test_a_byte_that_is_not_utf8_spoils_its_line_only(here, capsys, monkeypatch, source):
    asked = (b"\xef\xbb\xbf", b"5 MW at Weed"), (b"", b"7 MW at Weed, Ca\xf1on"), (b"", b"9 MW at Weed")
    lines = b"".join(b'%s{"id": %d, "question": "%s"}\n' % (a, i, q) for i, (a, q) in enumerate(asked, start=1))
    (here / "batch").write_bytes(lines)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines)))
    assert main(["parse", "--batch", "batch" if source == "file" else "-"]) == 0
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [a["id"] for a in answers] == [1, 2, 3]
    assert [a["query"]["capacity_mw"] for a in answers] == [5, 7, 9]
