"""Tons that a compact layer set leaves out, because they follow from the removed tons beside them to the last bit.

Saw logs are the stems over 9 inches; the feedstock of the class `log` is the stems of 4-9 inches, and `cut_to_length`
adds the recovered share of the branches: each times the cluster's area. A builder may leave such a column out only after
it has compared every value with what these formulas give (`csrag.build.compact`); the store then works them out as it
reads. Nothing else changes: the same columns, shapes and bytes come out of either form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.surfaces.catalog import FEEDSTOCK_CLASSES

COPRODUCT, FEEDSTOCK = "coproduct_bdt", "feedstock_bdt"
DERIVABLE_CLASSES = ("log", "cut_to_length")
DERIVABLE = (COPRODUCT, *(f"{FEEDSTOCK}.{name}" for name in DERIVABLE_CLASSES))
"""What a manifest's `derived` may name: a column, or a feedstock class."""

Read = Callable[[str], NDArray[Any]]
"""Values of a stored column; those by treatment for the treatment at hand."""


def is_derived_class(derived: tuple[str, ...], name: str) -> bool:
    """Whether a feedstock class is worked out rather than stored."""
    return f"{FEEDSTOCK}.{name}" in derived


def stored_classes(derived: tuple[str, ...]) -> tuple[int, ...]:
    """Positions in `catalog.FEEDSTOCK_CLASSES` of the classes that have a slab of their own in the file."""
    return tuple(i for i, name in enumerate(FEEDSTOCK_CLASSES) if not is_derived_class(derived, name))


def derive(what: str, read: Read, economics: Mapping[str, float]) -> NDArray[np.float32]:
    """One derived column or class for some clusters of one treatment.

    Parameters
    ----------
    what : str
        One of `DERIVABLE`.
    read : callable
        Gives stored columns, each of shape (k,).
    economics : mapping
        The manifest's; `residue_recovery_ctl_pct` decides how much of the branches is bundled.

    Returns
    -------
    ndarray of float32, shape (k,)
        Tons of the whole cluster [BDT]; NaN where there is no record.

    Raises
    ------
    KeyError
        If `what` cannot be derived.
    """
    if what not in DERIVABLE:
        raise KeyError(what)

    # float64 throughout and rounded once, as the simulator's own result is.
    if what == COPRODUCT:
        tons = np.multiply(read("stem_9_plus_bdt_per_acre"), read("area_acres"), dtype=np.float64)
        return tons.astype(np.float32)
    tons = np.add(read("stem_4_6_bdt_per_acre"), read("stem_6_9_bdt_per_acre"), dtype=np.float64)
    if what == f"{FEEDSTOCK}.cut_to_length":
        share = economics["residue_recovery_ctl_pct"] / 100
        tons += np.multiply(read("branch_bdt_per_acre"), share, dtype=np.float64)
    tons *= read("area_acres")
    return tons.astype(np.float32)


_CHUNK = 8192


def derive_into(outs: Mapping[str, NDArray[np.float32]], read: Read, economics: Mapping[str, float]) -> None:
    """`derive` several, a few thousand clusters at a time so that the wide intermediate values stay in the cache.

    Parameters
    ----------
    outs : mapping of str to ndarray of float32, shape (k,)
        Where the tons of the whole cluster go [BDT], by what `derive` calls it.
    read, economics
        As for `derive`.
    """
    for start in range(0, max((out.size for out in outs.values()), default=0), _CHUNK):
        rows = slice(start, start + _CHUNK)
        widened: dict[str, NDArray[Any]] = {}

        def wide(name: str, rows: slice = rows, widened: dict[str, NDArray[Any]] = widened) -> NDArray[Any]:
            if name not in widened:
                widened[name] = read(name)[rows].astype(np.float64)
            return widened[name]

        for what, out in outs.items():
            out[rows] = derive(what, wide, economics)
