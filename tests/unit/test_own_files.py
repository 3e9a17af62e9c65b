"""What belongs to the user stays the user's: no folder is deleted, renamed or taken over that csrag did not make."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.layers import SmallSource, build_small

from csrag.build import layout
from csrag.build.materialize import materialize
from csrag.build.sources.table import TableOptions, read_table
from csrag.errors import LayerSetMissingError, RequestError
from csrag.interfaces.cli.main import main
from csrag.interfaces.open import open_directory
from csrag.surfaces.written import touched_since

SMALL = Path(__file__).resolve().parents[1] / "data" / "treated_clusters_small.csv"


def everything(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() if p.is_file() else b"" for p in sorted(folder.rglob("*"))}


def import_small(out: Path, table: Path = SMALL, *, replace: bool = False) -> str:
    with read_table(table, TableOptions(treatment_ids="frredss")) as source:
        return materialize(source, out, workers=1, replace=replace).layers_hash


def half_of_the_table(folder: Path) -> Path:
    lines = SMALL.read_text().splitlines()
    half = folder / "half.csv"
    half.write_text("\n".join([lines[0], *lines[1::2]]) + "\n")
    return half


def test_a_build_leaves_what_stands_beside_it(tmp_path):
    before = {}
    for name in ("foo.old", "foo.partial", "foo.lock.d", "foo.bak"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "diary.txt").write_text("dear diary")
    (tmp_path / "foo.partial" / "journal.jsonl").write_text("mine")
    (tmp_path / "foo.lock").write_text("mine")
    before = everything(tmp_path)
    for seed in (1, 2):
        build_small(tmp_path / "foo", n=20, seed=seed)
    after = {name: data for name, data in everything(tmp_path).items() if not name.startswith("foo/") and name != "foo"}
    assert after == before


def test_reading_renames_nothing_of_the_users(tmp_path, capsys):
    build_small(tmp_path / "bar.old", n=20)
    before = everything(tmp_path)
    with pytest.raises(LayerSetMissingError):
        open_directory(tmp_path / "bar")
    assert main(["ask", "5 MW at Quincy", "--data", str(tmp_path / "bar")]) == 3
    assert everything(tmp_path) == before
    capsys.readouterr()


@pytest.mark.parametrize("name", ["partial", "old"])
@pytest.mark.parametrize("kind", ["file", "folder", "link"])
def test_even_the_builds_own_names_are_left_where_csrag_did_not_make_them(tmp_path, name, kind):
    place = layout.partial_dir(tmp_path / "foo") if name == "partial" else layout.old_dir(tmp_path / "foo")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "diary.txt").write_text("dear diary")
    if kind == "file":
        place.write_text("mine")
    elif kind == "link":
        place.symlink_to(tmp_path / "elsewhere")
    else:
        shutil.copytree(tmp_path / "elsewhere", place)
    before = everything(tmp_path)
    with pytest.raises(RequestError, match="in the way") as caught:
        build_small(tmp_path / "foo", n=20)
    assert str(place) in caught.value.message
    assert not layout.interrupted_replacement(tmp_path / "foo")
    assert everything(tmp_path) == before


def test_columns_alone_are_no_layer_set(tmp_path):
    out = tmp_path / "arrays"
    build_small(out, n=20)
    (out / "manifest.json").unlink()
    before = everything(out)
    with pytest.raises(RequestError, match="not a layer set"):
        build_small(out, n=30)
    (out / "manifest.json").write_text('{"name": "of another program"}')
    with pytest.raises(RequestError, match="not a layer set"):
        build_small(out, n=30)
    assert {**everything(out), "manifest.json": b""} == {**before, "manifest.json": b""}


@pytest.mark.parametrize("stranger", ["results.npy", "notes.txt", "folder"])
def test_a_set_with_something_of_the_users_in_it_is_kept(tmp_path, stranger):
    out = tmp_path / "set"
    build_small(out, n=20)
    if stranger == "folder":
        (out / stranger).mkdir()
    else:
        (out / stranger).write_text("mine")
    before = everything(out)
    with pytest.raises(RequestError, match=stranger):
        build_small(out, n=30)
    assert everything(out) == before


def test_a_damaged_set_may_be_built_again(tmp_path):
    out = tmp_path / "set"
    build_small(out, n=20)
    (out / "lat.npy").unlink()
    build_small(out, n=20)
    assert open_directory(out).verify() == []


def test_an_imported_set_gives_way_only_when_told_to(tmp_path):
    out = tmp_path / "set"
    first = import_small(out)
    assert import_small(out) == first
    before = everything(out)
    half = half_of_the_table(tmp_path)
    with pytest.raises(RequestError, match=first[:16]) as caught:
        import_small(out, half)
    assert "--replace" in caught.value.fix
    with pytest.raises(RequestError, match="imported"):
        materialize(SmallSource(n=20), out, workers=1)
    assert everything(out) == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["half.csv", "set"]
    assert import_small(out, half, replace=True) != first


def test_what_is_replaced_is_named(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("csrag.build.sources.demo.demo_source", lambda _region, seed=1: SmallSource(n=50, seed=seed))
    out = str(tmp_path / "set")

    def said(*arguments: str) -> str:
        assert main(["layers", *arguments, "--out", out]) == 0
        return "".join(line for line in capsys.readouterr().err.splitlines() if "replaced" in line)

    assert said("build") == ""
    assert said("build") == ""
    synthetic = open_directory(Path(out)).hash
    assert synthetic[:16] in said("build", "--seed", "7")
    assert "SYNTHETIC" in said("import", str(SMALL), "--treatment-ids", "frredss")
    assert said("import", str(SMALL), "--treatment-ids", "frredss") == ""
    assert main(["layers", "build", "--out", out]) == 2
    assert "imported" in said("build", "--replace")


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights on Windows")
def test_links_as_targets(tmp_path):
    (tmp_path / "dangling").symlink_to(tmp_path / "real")
    build_small(tmp_path / "dangling", n=20)
    build_small(tmp_path / "dangling", n=30)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["dangling", "real"]
    layout.resolved(tmp_path / "dangling").rename(layout.old_dir(tmp_path / "real"))
    assert len(open_directory(tmp_path / "dangling")) == 30
    assert sorted(p.name for p in tmp_path.iterdir()) == ["dangling", "real"]
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "file").write_text("mine")
    (tmp_path / "to_file").symlink_to(tmp_path / "file")
    for name in ("loop", "to_file", "x" * 300):
        with pytest.raises(RequestError):
            build_small(tmp_path / name, n=20)
    assert (tmp_path / "file").read_text() == "mine"


def test_touched_columns_are_said_until_they_are_verified(tmp_path, capsys):
    out = tmp_path / "set"
    build_small(out, n=20)
    open_directory(out)
    assert capsys.readouterr().err == ""
    data = bytearray((out / "lat.npy").read_bytes())
    data[200] ^= 1
    (out / "lat.npy").write_bytes(bytes(data))
    open_directory(out)
    assert "lat.npy" in (warning := capsys.readouterr().err)
    assert "layers verify" in warning
    assert main(["layers", "verify", "--data", str(out)]) == 3
    data[200] ^= 1
    (out / "lat.npy").write_bytes(bytes(data))
    assert touched_since(out) == ["lat.npy"]
    assert main(["layers", "verify", "--data", str(out)]) == 0
    assert touched_since(out) == []
    capsys.readouterr()


def test_a_copy_of_the_whole_set_is_no_touch(tmp_path):
    build_small(tmp_path / "set", n=20)
    (tmp_path / "copy").mkdir()
    for i, file in enumerate((tmp_path / "set").iterdir()):
        shutil.copyfile(file, tmp_path / "copy" / file.name)
        os.utime(tmp_path / "copy" / file.name, (1e9 + i, 1e9 + i))
    assert touched_since(tmp_path / "copy") == []
    shutil.copytree(tmp_path / "set", tmp_path / "kept")  # keeps the times
    assert touched_since(tmp_path / "kept") == []


@pytest.fixture
def nowhere(tmp_path, monkeypatch):
    """A user whose data folder cannot be made."""
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("CSRAG_DATA", raising=False)
    return tmp_path


@pytest.mark.usefixtures("nowhere")
def test_a_home_that_cannot_be_written(capsys):
    assert main(["ask", "5 MW at Quincy", "--json"]) == 3
    said = capsys.readouterr()
    assert "CSRAG_DATA" in said.out
    assert "Choose another place with --out" not in said.out
    assert main(["doctor"]) == 3
    said = capsys.readouterr()
    assert "CSRAG_DATA" in said.out
    assert "Ready." not in said.out


@pytest.fixture(scope="module")
def imported(tmp_path_factory):
    out = tmp_path_factory.mktemp("imported") / "set"
    import_small(out)
    return out


QUESTION = "1 MW at Quincy"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("options", [["--json"], []])
def test_a_full_disk_behind_stdout_is_no_fault_of_ours(imported, options):
    command = [sys.executable, "-m", "csrag", "ask", QUESTION, "--data", str(imported), *options]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=60)
    assert done.returncode == 3
    assert "No space left" in done.stderr
    assert "fault of ours" not in done.stderr
    assert "Exception ignored" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")
@pytest.mark.parametrize("options", ["--json", ""])
def test_a_reader_that_goes_away_is_nothing_to_tell(imported, options):
    command = f"{sys.executable} -m csrag ask '{QUESTION}' --data {imported} {options} | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, timeout=60)
    assert (done.stdout, done.stderr) == ("0\n", "")


def test_no_output_at_all(imported):
    command = [sys.executable, "-c", "import sys; sys.stdout = None\nfrom csrag.interfaces.cli import main\nmain("
               f"['ask', {QUESTION!r}, '--data', {str(imported)!r}, '--json'])"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


LONG = "x" * 300


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["ask", QUESTION, "--data", LONG], 3),
        (["ask", QUESTION, "--data", "none"], 3),
        (["layers", "info", "--data", LONG], 3),
        (["layers", "import", "none.csv", "--out", "set"], 2),
        (["layers", "import", str(SMALL), "--out", "set", "--treatments", "none"], 2),
        (["layers", "import", str(SMALL), "--out", "file", "--treatment-ids", "frredss"], 2),
        (["layers", "import", str(SMALL), "--out", LONG, "--treatment-ids", "frredss"], 2),
        (["layers", "build", "--out", "file"], 2),
        (["layers", "build", "--out", "file/below"], 2),
        (["simulate", "frcs", "--in", "none"], 2),
        (["simulate", "frcs", "--in", "file", "--out", "none/out"], 2),
        (["simulate", "frcs", "--in", "file", "--out", "."], 2),
        (["parse", "--batch", "none"], 2),
        (["parse", "--batch", LONG], 2),
        (["ask", QUESTION, "--plants", "none"], 2),
    ],
)
def test_one_convention_for_paths(tmp_path, monkeypatch, capsys, imported, arguments, code):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("mine")
    if "--plants" in arguments:
        arguments = [*arguments, "--data", str(imported)]
    assert main(arguments) == code
    said = capsys.readouterr()
    assert "fault of ours" not in said.err
    assert "Errno" not in said.out
    assert everything(tmp_path) == {"file": b"mine"}
