"""Compile the kernel with the system's C compiler: for the build hook of the package, and for `python -m csrag.kernels`.

Only the standard library is used, and nothing of csrag: the build hook runs this file before csrag is installed.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

SOURCE = Path(__file__).with_name("statewide.c")
LIBRARY = "_statewide.dll" if os.name == "nt" else "_statewide.so"
"""File name of the compiled library, beside the source."""
FLAGS = ("-O3", "-std=c99", "-fPIC", "-shared", "-fvisibility=hidden", "-fno-fast-math", "-ffp-contract=off")
"""No option that depends on the machine at hand and none that lets results differ between machines."""


class NotCompiledError(Exception):
    """The library could not be made; the text says why."""


def source_hash(source: Path = SOURCE) -> str:
    """First 16 hex digits of the source's SHA-256; the library carries them."""
    return hashlib.sha256(source.read_bytes()).hexdigest()[:16]


def compilers() -> list[list[str]]:
    """Commands to try, the one named by the environment variable CC alone where it is set."""
    named = os.environ.get("CC", "").strip()
    if named:
        return [shlex.split(named)]
    return [[path] for path in (shutil.which(name) for name in ("cc", "gcc", "clang")) if path]


def compile_library(target: Path, source: Path = SOURCE) -> list[str]:
    """Compile the source.

    Parameters
    ----------
    target : Path
        The library to write; it is replaced in one step, so a running program keeps the old one.
    source : Path
        The C source.

    Returns
    -------
    list of str
        The command that did it.

    Raises
    ------
    NotCompiledError
        If there is no compiler, or it fails.
    """
    tried = []
    for compiler in compilers():
        with tempfile.TemporaryDirectory(prefix="csrag-kernel-") as scratch:
            made = Path(scratch) / target.name
            define = f'-DCSRAG_SOURCE="{source_hash(source)}"'
            command = [*compiler, *FLAGS, define, "-o", str(made), str(source), "-lm"]
            try:
                done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
            except (OSError, subprocess.TimeoutExpired) as error:
                tried.append(f"{compiler[0]}: {error}")
                continue
            if done.returncode or not made.is_file():
                tried.append(f"{compiler[0]}: {' '.join(done.stderr.split())[-300:] or f'exit {done.returncode}'}")
                continue
            part = target.with_name(f"{target.name}.{os.getpid()}.tmp")
            try:
                shutil.copyfile(made, part)
                part.replace(target)
            except OSError as error:
                part.unlink(missing_ok=True)
                raise NotCompiledError(f"{target} cannot be written: {error.strerror or error}") from None
            return command
    raise NotCompiledError("; ".join(tried) or "no C compiler was found (cc, gcc or clang on the path, or CC)")
