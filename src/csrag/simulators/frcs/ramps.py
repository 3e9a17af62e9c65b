"""Small vectorised helpers that every operation uses."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
"""One value a row, or a 0-d array where all rows share it."""


class Operation(NamedTuple):
    """What an operation costs.

    Parameters
    ----------
    usd_per_ccf : (n,) float64
        Cost [USD per 100 ft3 of the trees it handles]; USD per green short ton where the function says so.
    gal_per_ccf : (n,) float64 or None
        Fuel [gallons per 100 ft3, or per green short ton]; None unless it was asked for.
    """

    usd_per_ccf: Floats
    gal_per_ccf: Floats | None


def falling(x: Floats, full: float, zero: float) -> Floats:
    """Weight 1 up to `full`, 0 from `zero` on, linear between; 0 for NaN, the last branch of the package's tests."""
    return np.fmin(np.fmax((zero - x) * (1.0 / (zero - full)), 0.0), 1.0)


def rising(x: Floats, zero: float, full: float) -> Floats:
    """Weight 0 up to `zero`, 1 from `full` on, linear between; 1 for NaN, the last branch of the package's tests."""
    return np.fmax(np.fmin((x - zero) * (1.0 / (full - zero)), 1.0), 0.0)


def choose(mask: NDArray[np.bool_], yes: Callable[[], Floats], no: Callable[[], Floats]) -> Floats:
    """`yes()` where `mask`, else `no()`; a side that no row needs is not computed."""
    if mask.all():
        return yes()
    if not mask.any():
        return no()
    return np.where(mask, yes(), no())
