"""`csrag layers`: what it prints, its JSON, its exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.layers import SmallSource, build_small

from csrag.interfaces.cli.main import main

SMALL = Path(__file__).resolve().parents[1] / "data" / "treated_clusters_small.csv"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user with nothing yet, and a small demonstration."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("CSRAG_DATA", raising=False)
    monkeypatch.setattr("csrag.build.sources.demo.demo_source", lambda _region, seed=1: SmallSource(n=50, seed=seed))
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["layers", *arguments])
    said = capsys.readouterr()
    assert "Traceback" not in said.err
    return code, said.out, said.err


def test_build_info_verify(capsys, home):
    out = str(home / "set")
    code, text, progress = run(capsys, "build", "--out", out, "--seed", "4", "--workers", "1")
    assert code == 0
    assert "SYNTHETIC" in text
    assert "50 clusters" in text
    assert "computing costs" in progress
    code, text, _ = run(capsys, "info", "--data", out)
    assert code == 0
    for words in ("SYNTHETIC", "seed 4", "mapping split", "diesel_usd_per_gal 4.5", "TFB40", "hash"):
        assert words in text
    code, text, _ = run(capsys, "verify", "--data", out)
    assert code == 0
    assert "25 files" in text


def test_json_is_one_object_on_stdout(capsys, home):
    out = str(home / "set")
    code, text, _ = run(capsys, "build", "--out", out, "--json", "--mapping", "fixed")
    built = json.loads(text)
    assert code == 0
    assert built["mapping"] == "fixed"
    code, text, err = run(capsys, "info", "--data", out, "--json")
    info = json.loads(text)
    assert err == ""
    assert info["hash"] == built["hash"]
    assert info["synthetic"] is True
    assert info["counts"]["clusters"] == 50
    assert info["size_bytes"] > 0
    assert info["columns"]["cost_usd_per_bdt"]["unit"] == "USD per BDT"
    code, text, _ = run(capsys, "verify", "--data", out, "--json")
    assert json.loads(text) == {
        "ok": True,
        "where": out,
        "name": "small",
        "hash": info["hash"],
        "damage": [],
        "fix": "",
    }


def test_build_again_replaces(capsys, home):
    out = str(home / "set")
    hashes = []
    for seed in ("1", "2", "1"):
        assert run(capsys, "build", "--out", out, "--seed", seed)[0] == 0
        hashes.append(json.loads(run(capsys, "info", "--data", out, "--json")[1])["hash"])
    assert hashes[0] == hashes[2] != hashes[1]


def test_default_place(capsys, home):
    code, _, err = run(capsys, "info")
    assert code == 3
    assert "csrag layers build" in err
    assert run(capsys, "build")[0] == 0
    code, text, _ = run(capsys, "info")
    assert code == 0
    assert str(home / "data" / "csrag" / "layers" / "northern-sierra") in text


@pytest.mark.parametrize("damage", ["byte", "truncated", "missing", "manifest"])
def test_verify_says_what_is_damaged_and_exits_3(capsys, home, damage):
    out = home / "set"
    build_small(out, n=30)
    file = out / "lat.npy"
    if damage == "byte":
        data = bytearray(file.read_bytes())
        data[200] ^= 4
        file.write_bytes(bytes(data))
    elif damage == "truncated":
        file.write_bytes(file.read_bytes()[:100])
    elif damage == "missing":
        file.unlink()
    else:
        file = out / "manifest.json"
        file.write_text(file.read_text().replace('"synthetic": true', '"synthetic": false'))
    code, text, err = run(capsys, "verify", "--data", str(out))
    assert code == 3
    assert text == ""
    assert file.name in err
    assert "again" in err
    code, text, _ = run(capsys, "verify", "--data", str(out), "--json")
    assert code == 3
    found = json.loads(text)
    assert found["ok"] is False
    assert file.name in found["damage"][0]
    assert found["fix"]
    assert run(capsys, "info", "--data", str(out))[0] == (0 if damage == "byte" else 3)


def test_import(capsys, home):
    out = str(home / "set")
    code, text, err = run(capsys, "import", str(SMALL), "--out", out)
    assert code == 3
    assert "--treatment-ids frredss" in err
    assert not Path(out).exists()
    code, text, _ = run(capsys, "import", str(SMALL), "--out", out, "--treatment-ids", "frredss", "--name", "plumas")
    assert code == 0
    assert "Layers plumas: 60 clusters, 657 records" in text
    assert "SYNTHETIC" not in text
    code, text, _ = run(capsys, "import", str(SMALL), "--out", out, "--treatment-ids", "frredss", "--json")
    report = json.loads(text)
    assert report["read"]["rows_read"] == 657
    assert report["read"]["notes"]
    assert run(capsys, "import", str(SMALL), "--out", out, "--treatment-ids", "frredss", "--zone-factors", "a")[0] == 2
    assert run(capsys, "import", str(SMALL), "--out", out, "--treatment-ids", "frredss", "--zone-factors", "9")[0] == 2


def test_a_refused_table_keeps_the_older_set(capsys, home):
    out = home / "set"
    build_small(out, n=30)
    before = {p.name: p.read_bytes() for p in out.iterdir()}
    bad = home / "bad.csv"
    bad.write_text(SMALL.read_text().replace("Plumas,Private", "Plumas,Private").replace("32.024857", "-1"))
    code, _, err = run(capsys, "import", str(bad), "--out", str(out), "--treatment-ids", "frredss")
    assert code == 3
    assert "657 rows with area" in err
    assert {p.name: p.read_bytes() for p in out.iterdir()} == before


def test_unknown_action_and_option_are_requests_gone_wrong(capsys):
    for arguments in (["layers"], ["layers", "guess"], ["layers", "build", "--mapping", "guess"]):
        with pytest.raises(SystemExit) as caught:
            main(arguments)
        assert caught.value.code == 2
    capsys.readouterr()


def test_a_directory_without_a_recipe_says_so(capsys):
    code, _, err = run(capsys, "build", "--source", "rasters")
    assert code == 2
    assert "recipe.toml" in err


def test_numbers_that_cannot_be(capsys, home):
    out = str(home / "set")
    for option, value in (("--workers", "0"), ("--workers", "-2"), ("--seed", "-1")):
        code, _, err = run(capsys, "build", "--out", out, option, value)
        assert code == 2
        assert err.startswith("csrag: ")
    assert not Path(out).exists()
