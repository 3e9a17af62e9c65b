"""The how-to's recipe and commands, run on small SYNTHETIC files that carry the names of its downloads."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest
from tests.support.public_sources import HOW_TO, recipe_of_the_page, write_sources

from csrag.interfaces.cli import main

for name in ("rasterio", "pyogrio", "shapely", "pyproj", "osmium"):
    pytest.importorskip(name, reason="reading public sources needs the extra gis")


def commands() -> list[list[str]]:
    block = re.search(r"^```console\n(.*?)^```$", HOW_TO.read_text(encoding="utf-8"), re.M | re.S)
    assert block
    return [shlex.split(line.removeprefix("$ csrag ")) for line in block.group(1).splitlines()]


def test_commands_of_the_page(tmp_path: Path, monkeypatch, capsys):
    write_sources(tmp_path / "sources")
    monkeypatch.chdir(tmp_path)
    ran = commands()
    assert [words[:2] for words in ran][:3] == [["layers", "build"], ["layers", "info"], ["layers", "verify"]]
    assert any(words[0] == "ask" for words in ran)
    for words in ran:
        assert main(words) == 0, words
        assert "SYNTHETIC" in capsys.readouterr().out or words[:2] == ["layers", "verify"]


def test_every_section_of_the_recipe_is_in_the_table_of_downloads():
    page = HOW_TO.read_text(encoding="utf-8")
    for section in set(tomllib.loads(recipe_of_the_page())) - {"output"}:
        assert re.search(rf"^\| `\[+{section}\]+`", page, re.M), section
