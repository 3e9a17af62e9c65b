"""Leaving out of a large layer set what follows from the rest of it: proved value by value, or it stays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.surfaces.catalog import FEEDSTOCK_CLASSES
from csrag.surfaces.derived import COPRODUCT, DERIVABLE, FEEDSTOCK, derive

COMPACT_RECORDS = 4_000_000
"""From this many records on a set is made compact; a smaller one keeps every column as a file of its own."""
COMPACT_FEEDSTOCK = f"{FEEDSTOCK}_stored"
"""Stem of the file that holds the remaining classes."""
_ROWS = 262_144


MOST_EXCEPTIONS = 1000
"""A column with more values that differ is not the same quantity, and stays."""
Miss = tuple[str, int, int, float]


def derivable(
    columns: Mapping[str, NDArray[Any]], economics: Mapping[str, float], advance: Callable[[int], None] = lambda _: None
) -> tuple[tuple[str, ...], tuple[Miss, ...]]:
    """Columns and classes that follow from the others, and the few values that do not.

    The simulator comes to the same tons by a longer way, and now and then its last rounding falls to the other side:
    about one value in ten million. Those are listed, so that every bit read from a compact set is the simulator's.

    Parameters
    ----------
    columns : mapping of str to ndarray
        The built columns in storage axes: the removals, `area_acres`, feedstock and saw logs.
    economics : mapping
        Harvest economics of the build.
    advance : callable
        Told of every column or class that has been looked at: there are as many as `surfaces.derived.DERIVABLE` has.

    Returns
    -------
    derived : tuple of str
        Those of `surfaces.derived.DERIVABLE` that were found equal over all records but the exceptions.
    exceptions : tuple of (str, int, int, float)
        What, treatment index, row, stored value.
    """
    derived: list[str] = []
    exceptions: list[Miss] = []
    for what in DERIVABLE:
        found = _differences(what, columns, economics)
        advance(1)
        if found is not None:
            derived.append(what)
            exceptions += found
    return tuple(derived), tuple(exceptions)


def _differences(what: str, columns: Mapping[str, NDArray[Any]], economics: Mapping[str, float]) -> list[Miss] | None:
    """Values that the formula misses, None where it is not the formula of this column."""
    n_treatments, n = columns[COPRODUCT].shape
    at = None if what == COPRODUCT else FEEDSTOCK_CLASSES.index(what.split(".")[1])
    out: list[Miss] = []
    for t in range(n_treatments):
        for start in range(0, n, _ROWS):
            rows = slice(start, min(start + _ROWS, n))

            def read(name: str, t: int = t, rows: slice = rows) -> NDArray[Any]:
                return columns[name][rows] if columns[name].ndim == 1 else columns[name][t, rows]

            made = derive(what, read, economics)
            kept = columns[COPRODUCT][t, rows] if at is None else columns[FEEDSTOCK][t, at, rows]
            # An unknown record is NaN in both, whatever bits the NaN has; a number must have the same bits.
            unknown = np.isnan(kept)
            if not np.array_equal(np.isnan(made), unknown):
                return None
            odd = np.flatnonzero((made.view(np.uint32) != np.ascontiguousarray(kept).view(np.uint32)) & ~unknown)
            if len(out) + odd.size > MOST_EXCEPTIONS:
                return None
            out += [(what, t, start + int(i), float(kept[i])) for i in odd]
    return out
