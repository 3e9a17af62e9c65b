"""The compiled library, loaded once where it can be used, and the record that it reads."""

from __future__ import annotations

import ctypes
import os
from functools import lru_cache
from pathlib import Path

from csrag.kernels.compile import LIBRARY, SOURCE, source_hash

SWITCH = "CSRAG_KERNEL"
"""Environment variable; `numpy` leaves the compiled kernel aside."""

_POINTERS = (
    "tons_before", "first_g", "least_factor", "block_factor", "cluster", "x", "y", "z", "tons", "edge_km", "factor",
)  # fmt: skip
_AFTER = ("tau", "unloading", "key_tau", "step", "slack_per_rad")


class GridRecord(ctypes.Structure):
    """`Grid` of the C source, field by field; angles in radians."""

    _fields_ = (
        *((name, ctypes.c_int64) for name in ("rows", "cols")),
        *((name, ctypes.c_double) for name in ("lat0", "lon0", "dlat", "dlon")),
        ("offset", ctypes.c_void_p),
    )


class PoolRecord(ctypes.Structure):
    """`Pool` of the C source, field by field."""

    _fields_ = (
        ("blocks", GridRecord),
        ("cells", GridRecord),
        ("bands", ctypes.c_int64),
        *((name, ctypes.c_void_p) for name in _POINTERS),
        *((name, ctypes.c_double) for name in _AFTER),
    )


PLACE = Path(__file__).with_name(LIBRARY)
"""Where the library lies."""


@lru_cache(maxsize=4)
def _opened(path: Path) -> tuple[ctypes.CDLL | None, str]:
    if not path.is_file():
        return None, "it was not compiled when csrag was installed"
    try:
        library = ctypes.CDLL(os.fspath(path))
        told = library.csrag_source
        run = library.csrag_statewide
    except (OSError, AttributeError) as error:
        return None, f"{path.name} cannot be loaded: {error}"
    told.restype = ctypes.c_char_p
    if SOURCE.is_file() and told() != source_hash().encode():
        return None, f"{path.name} was compiled from another source"
    pointer, double, integer = ctypes.c_void_p, ctypes.c_double, ctypes.c_int64
    run.argtypes = [
        ctypes.POINTER(PoolRecord), integer, pointer, pointer, pointer, double, double, integer, pointer, pointer,
    ]  # fmt: skip
    run.restype = integer
    return library, ""


def library() -> ctypes.CDLL | None:
    """The compiled library, opened once; None where it is absent, of another source, or switched off, and NumPy has to do."""
    return None if os.environ.get(SWITCH, "").lower() == "numpy" else _opened(PLACE)[0]


def describe() -> str:
    """One line: which engine searches run on, and what to do where it is the slow one."""
    if os.environ.get(SWITCH, "").lower() == "numpy":
        return f"NumPy, because {SWITCH}=numpy says so; the results are the same, a whole-state search takes minutes"
    opened, why = _opened(PLACE)
    if opened is not None:
        return "compiled kernel"
    return (
        f"NumPy, because {why}; the results are the same, a whole-state search takes minutes. "
        "With a C compiler installed: python -m csrag.kernels"
    )
