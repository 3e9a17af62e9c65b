"""Leaving out of a large layer set what follows from the rest of it: proved value by value, or it stays."""

from __future__ import annotations

from collections.abc import Mapping
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


def derivable(columns: Mapping[str, NDArray[Any]], economics: Mapping[str, float]) -> tuple[str, ...]:
    """Columns and classes whose every bit follows from the others.

    Parameters
    ----------
    columns : mapping of str to ndarray
        The built columns in storage axes: the removals, `area_acres`, feedstock and saw logs.
    economics : mapping
        Harvest economics of the build.

    Returns
    -------
    tuple of str
        Those of `surfaces.derived.DERIVABLE` that were found equal over all records.
    """
    return tuple(what for what in DERIVABLE if _equal(what, columns, economics))


def _equal(what: str, columns: Mapping[str, NDArray[Any]], economics: Mapping[str, float]) -> bool:
    n_treatments, n = columns[COPRODUCT].shape
    at = None if what == COPRODUCT else FEEDSTOCK_CLASSES.index(what.split(".")[1])
    for t in range(n_treatments):
        for start in range(0, n, _ROWS):
            rows = slice(start, min(start + _ROWS, n))

            def read(name: str, t: int = t, rows: slice = rows) -> NDArray[Any]:
                return columns[name][rows] if columns[name].ndim == 1 else columns[name][t, rows]

            made = derive(what, read, economics)
            kept = columns[COPRODUCT][t, rows] if at is None else columns[FEEDSTOCK][t, at, rows]
            # An unknown record is NaN in both, whatever bits the NaN has; a number must have the same bits.
            same = (made.view(np.uint32) == kept.view(np.uint32)) | (np.isnan(made) & np.isnan(kept))
            if not same.all():
                return False
    return True
