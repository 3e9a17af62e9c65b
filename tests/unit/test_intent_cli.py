"""`csrag parse`: one question, a batch, and its errors."""

from __future__ import annotations

import argparse
import io
import json
from pathlib import Path

import pytest

from csrag.interfaces.cli.parse import add_parser


def _run(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    add_parser(parser.add_subparsers())
    options = parser.parse_args(["parse", *arguments])
    return int(options.handler(options))


def test_one_question_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("and for 30 MW?", "--json", "--after", "20 MW at Quincy, cost?") == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["intent"], record["capacity_mw"], record["locations"][0]["name"]) == ("site", 30, "Quincy")


def test_one_question_as_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("20 MW at Quincy within 25 miles, cost?") == 0
    out = capsys.readouterr().out
    assert "Quincy (place, Plumas County)" in out
    assert "default" in out
    assert "note: 25 miles = 40.23 km" in out


def test_no_question(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("  ") == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "There is no question" in captured.err


def test_a_batch_goes_on_after_broken_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [
        '{"id": "a", "question": "20 MW at Quincy", "after": []}',
        "not json",
        '{"id": "b"}',
        "[1]",
        '{"id": "c", "question": "and for 30 MW?", "after": "20 MW"}',
        '{"id": "d", "question": "and for 30 MW?", "after": ["20 MW at Quincy"]}',
    ]
    path = tmp_path / "questions.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    assert _run("--batch", str(path)) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [r["id"] for r in rows] == ["a", None, "b", None, "c", "d"]
    assert [("error" in r) for r in rows] == [False, True, True, True, True, False]
    assert rows[-1]["query"]["capacity_mw"] == 30


def test_a_batch_from_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO('{"id": 1, "question": "5 MW at Weed"}\n\n'))
    assert _run("--batch", "-") == 0
    assert json.loads(capsys.readouterr().out)["query"]["capacity_mw"] == 5


def test_an_unreadable_batch(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("--batch", str(tmp_path / "none.jsonl")) == 2
    assert _run("--batch", str(tmp_path)) == 2
    assert "cannot be read" in capsys.readouterr().err
