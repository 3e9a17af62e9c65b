"""The compiled kernel as a file: made by a compiler, recognised, and done without."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import pytest
from tests.support.statewide import compiled, made_pool, use

from csrag import kernels
from csrag.ask.computation.statewide import site_costs
from csrag.kernels import loading
from csrag.kernels.compile import FLAGS, SOURCE, NotCompiledError, compile_library, compilers, source_hash


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return compiled(tmp_path_factory.mktemp("kernel"))


def test_the_library_says_what_it_was_made_from(library):
    loaded = ctypes.CDLL(str(library))
    loaded.csrag_source.restype = ctypes.c_char_p
    assert loaded.csrag_source().decode() == source_hash()


def test_nothing_in_the_flags_depends_on_the_machine_or_reorders_sums():
    assert not [flag for flag in FLAGS if flag.startswith(("-march", "-mtune", "-Ofast")) or flag == "-ffast-math"]
    assert {"-fno-fast-math", "-ffp-contract=off"} <= set(FLAGS)


def test_a_library_of_another_source_is_left_alone(tmp_path, monkeypatch, library):
    other = tmp_path / "statewide.c"
    other.write_bytes(SOURCE.read_bytes() + b"/* changed */\n")
    compile_library(tmp_path / library.name, other)
    monkeypatch.delenv(kernels.SWITCH, raising=False)
    monkeypatch.setattr(loading, "PLACE", tmp_path / library.name)
    assert kernels.library() is None
    assert "another source" in kernels.describe()


def test_without_a_library_numpy_answers_and_the_line_says_so(tmp_path, monkeypatch):
    monkeypatch.delenv(kernels.SWITCH, raising=False)
    monkeypatch.setattr(loading, "PLACE", tmp_path / "none.so")
    assert kernels.library() is None
    assert "NumPy" in kernels.describe()
    assert "python -m csrag.kernels" in kernels.describe()
    pool = made_pool([40.0, 40.01], [-121.0, -121.0], [30.0, 40.0], [100.0, 100.0])
    assert site_costs(pool, [40.0], [-121.0], 150.0).clusters.tolist() == [2]


def test_a_file_that_is_no_library_is_done_without(tmp_path, monkeypatch):
    (tmp_path / "broken.so").write_bytes(b"not a library")
    monkeypatch.delenv(kernels.SWITCH, raising=False)
    monkeypatch.setattr(loading, "PLACE", tmp_path / "broken.so")
    assert kernels.library() is None
    assert "cannot be loaded" in kernels.describe()


def test_the_kernel_can_be_switched_off(monkeypatch, library):
    use(monkeypatch, library)
    assert kernels.library() is not None
    monkeypatch.setenv(kernels.SWITCH, "numpy")
    assert kernels.library() is None
    assert kernels.SWITCH in kernels.describe()


def test_no_compiler_is_an_error_that_says_so(tmp_path, monkeypatch):
    monkeypatch.setenv("CC", str(tmp_path / "no-such-compiler"))
    with pytest.raises(NotCompiledError, match="no-such-compiler"):
        compile_library(tmp_path / "out.so")
    monkeypatch.delenv("CC")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert compilers() == []
    with pytest.raises(NotCompiledError, match="no C compiler"):
        compile_library(tmp_path / "out.so")
    assert not list(tmp_path.iterdir())


def test_a_compiler_that_fails_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.setenv("CC", f"{sys.executable} -c 'import sys; sys.exit(\"cannot do it\")'")
    with pytest.raises(NotCompiledError, match="cannot do it"):
        compile_library(tmp_path / "out.so")
    assert not list(tmp_path.iterdir())


def test_the_command_says_why_it_failed(tmp_path):
    env = {"CC": str(tmp_path / "none"), "PATH": ""}
    done = subprocess.run(
        [sys.executable, "-m", "csrag.kernels"], capture_output=True, text=True, env=env, check=False, cwd=tmp_path
    )
    assert done.returncode == 1
    assert "was not compiled" in done.stderr
    assert "Traceback" not in done.stderr
