"""Which layer set is opened, settings, and the demonstration that is built where there is none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.layers import SmallSource, build_small

from csrag.build import layout
from csrag.errors import InvalidValueError, LayerSetMissingError, RequestError
from csrag.interfaces import open as opening
from csrag.settings import Settings, load_settings, user_config_folder, user_data_folder
from csrag.surfaces.stores.columnar import ColumnarStore


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user with nothing yet."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in ("CSRAG_DATA", "CSRAG_WORKERS", "CSRAG_DEMO", "CSRAG_SETTINGS"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def small_demo(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The demonstration replaced by a small source; holds the regions that were built."""
    built: list[str] = []

    def demo_source(region: str, seed: int = 1) -> SmallSource:
        built.append(region)
        return SmallSource(n=50, seed=seed)

    monkeypatch.setattr("csrag.build.sources.demo.demo_source", demo_source)
    return built


def test_folders_follow_the_platform():
    env = {"HOME": "/h", "XDG_DATA_HOME": "/d", "XDG_CONFIG_HOME": "/c"}
    assert user_data_folder(env) == Path("/d/csrag")
    assert user_config_folder(env) == Path("/c/csrag")
    if sys.platform == "linux":
        assert user_data_folder({"HOME": "/h"}) == Path("/h/.local/share/csrag")
        assert user_config_folder({"HOME": "/h"}) == Path("/h/.config/csrag")


def test_settings_file_then_environment(home, monkeypatch):
    assert load_settings() == Settings()
    folder = home / "config" / "csrag"
    folder.mkdir(parents=True)
    (folder / "settings.toml").write_text('data = "/here"\nworkers = 3\n')
    assert load_settings() == Settings(data="/here", workers=3)
    monkeypatch.setenv("CSRAG_DATA", "/there")
    monkeypatch.setenv("CSRAG_WORKERS", "1")
    assert load_settings() == Settings(data="/there", workers=1)
    (home / "mine.toml").write_text('demo = "california"\n')
    monkeypatch.setenv("CSRAG_SETTINGS", str(home / "mine.toml"))
    assert load_settings().demo == "california"


@pytest.mark.parametrize(
    ("text", "said"),
    [("data = 3", "data to 3"), ("workers = 0", "whole number"), ("workers = true", "whole number"), ("colour = 'red'", "colour"),
     ("data = ", "cannot be read")],
)  # fmt: skip
def test_unusable_settings(home, monkeypatch, text, said):
    (home / "mine.toml").write_text(text)
    monkeypatch.setenv("CSRAG_SETTINGS", str(home / "mine.toml"))
    with pytest.raises(InvalidValueError, match=said):
        load_settings()
    monkeypatch.setenv("CSRAG_SETTINGS", str(home / "none.toml"))
    with pytest.raises(InvalidValueError, match="no file"):
        load_settings()


def test_named_place_beats_the_environment_beats_the_default(home, monkeypatch, small_demo):
    for name, seed in (("a", 11), ("b", 12)):
        build_small(home / name, n=20, seed=seed)
    monkeypatch.setenv("CSRAG_DATA", str(home / "b"))
    assert opening.open_layers(str(home / "a")).manifest.seed == 11
    assert opening.open_layers(None).manifest.seed == 12
    monkeypatch.delenv("CSRAG_DATA")
    assert opening.open_layers().manifest.seed == 1
    assert small_demo == ["northern-sierra"]


def test_the_demonstration_is_built_once_and_its_name_is_said(home, small_demo, capsys):
    assert opening.find_layers() is None
    store = opening.open_layers()
    said = capsys.readouterr()
    assert said.out == ""
    assert "SYNTHETIC" in said.err
    assert "northern-sierra" in said.err
    assert store.path == str(home / "data" / "csrag" / "layers" / "northern-sierra")
    assert opening.open_layers().hash == store.hash
    assert small_demo == ["northern-sierra"]
    assert capsys.readouterr().err == ""


def test_a_named_place_without_layers_is_not_built(home, small_demo, monkeypatch):
    with pytest.raises(LayerSetMissingError):
        opening.open_layers(str(home / "nothing"))
    monkeypatch.setenv("CSRAG_DATA", str(home / "nothing"))
    with pytest.raises(LayerSetMissingError):
        opening.open_layers()
    assert small_demo == []


@pytest.mark.parametrize("address", ["postgresql://localhost/csrag", "postgres://u:p@h/d"])
@pytest.mark.usefixtures("home")
def test_a_database_comes_later(address):
    with pytest.raises(RequestError, match="not from a database") as caught:
        opening.open_layers(address)
    assert "postgis" in caught.value.fix


def test_a_replacement_cut_off_between_its_renames_is_finished_on_opening(home):
    build_small(home / "a", n=20)
    old = layout.old_dir(home / "a")
    (home / "a").rename(old)
    assert len(opening.open_layers(str(home / "a"))) == 20
    assert not old.exists()


@pytest.mark.slow
def test_two_first_questions_at_once_build_one_set(home):
    code = "from csrag.interfaces.open import open_layers; s = open_layers(); print(s.hash, len(s))"
    both = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             env=dict(os.environ)) for _ in range(2)]  # fmt: skip
    results = [process.communicate(timeout=300) for process in both]
    assert [process.returncode for process in both] == [0, 0], results
    assert results[0][0] == results[1][0]
    assert sum("reading removals" in err for _, err in results) == 1
    place = home / "data" / "csrag" / "layers"
    assert [p.name for p in place.iterdir()] == ["northern-sierra"]
    assert ColumnarStore(place / "northern-sierra").verify() == []
