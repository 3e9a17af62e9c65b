"""What is left of a pool from year to year where nothing but the plant's own cutting changes it: no sorting after the first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_FIRST_LOOK = 4096
"""Clusters looked at first for a year's supply."""


class LeftInOrder:
    """Clusters still there, best first, and their tons by whole km.

    Parameters
    ----------
    rows : ndarray of int64, shape (m,)
        Positions in the pool, best score first.
    distance_km : ndarray of float64, shape (m,)
        Their straight-line distance [km].
    tons : ndarray of float64, shape (m,)
        Their feedstock [BDT].
    """

    def __init__(self, rows: NDArray[np.int64], distance_km: Floats, tons: Floats) -> None:
        self._rows, self._km, self._tons = rows.copy(), distance_km.copy(), tons.copy()
        self._whole_km = np.ceil(distance_km).astype(np.int64)
        self._start = 0
        self._by_km = np.bincount(self._whole_km, weights=tons)
        self._look = _FIRST_LOOK

    def needed_km(self, target_bdt: float, widest_km: int) -> int:
        """Smallest whole km that holds the target; one more than the widest where none does.

        Parameters
        ----------
        target_bdt : float
            [BDT]
        widest_km : int
            How far to look [km].
        """
        reached = np.zeros(widest_km + 1)
        known = min(len(self._by_km), widest_km + 1)
        reached[:known] = self._by_km[:known]
        return int(np.searchsorted(np.cumsum(reached), target_bdt, side="left"))

    def within_bdt(self, radius_km: float) -> float:
        """Feedstock left within a radius [BDT].

        Parameters
        ----------
        radius_km : float
            [km]
        """
        if radius_km == int(radius_km):
            return float(self._by_km[: int(radius_km) + 1].sum())
        km, tons = self._km[self._start :], self._tons[self._start :]
        return float(tons[km <= radius_km].sum())

    def take(self, radius_km: float, demand_bdt: float) -> NDArray[np.int64] | None:
        """Take whole clusters within a radius, best first, until the demand is met.

        Parameters
        ----------
        radius_km : float
            [km]
        demand_bdt : float
            [BDT]

        Returns
        -------
        ndarray of int64 or None
            Positions in the pool, in the order taken; None where the demand is not met, and then nothing is taken.
        """
        have, parts, end = 0.0, [], self._start
        while end < len(self._rows):
            start, end = end, min(end + self._look, len(self._rows))
            near = start + np.flatnonzero(self._km[start:end] <= radius_km)
            reached = have + np.cumsum(self._tons[near])
            if len(reached) and reached[-1] >= demand_bdt:
                parts.append(near[: int(np.searchsorted(reached, demand_bdt, side="left")) + 1])
                return self._remove(np.concatenate(parts), end)
            parts.append(near)
            have = float(reached[-1]) if len(reached) else have
        return None

    def _remove(self, at: NDArray[np.int64], end: int) -> NDArray[np.int64]:
        taken = self._rows[at]
        gone = np.bincount(self._whole_km[at], weights=self._tons[at])
        self._by_km[: len(gone)] -= gone
        # Distances whose last cluster went hold nothing, not a rounding.
        self._by_km[np.abs(self._by_km) < 1e-9] = 0.0
        # Those looked at and left close up to the rest; what was not looked at is not touched.
        stays = np.ones(end - self._start, dtype=bool)
        stays[at - self._start] = False
        start = self._start + len(at)
        for values in (self._rows, self._km, self._tons, self._whole_km):
            values[start:end] = values[self._start : end][stays]
        self._look = max(_FIRST_LOOK, end - self._start)
        self._start = start
        return taken
