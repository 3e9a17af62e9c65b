"""Lengths of road edges held against the straight lines between their ends: what betrays another unit.

No road is shorter than the straight line, and few wind to five times it. Miles in a column of km are caught as long as
more than `SHORT_SHARE` of the edges wind less than 1.609 times; a network that winds more than that everywhere gives no
sign, nor do lengths too long by less than `WINDING_LIMIT`. The median ratio is therefore always told.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from csrag.errors import TableRefusedError

Floats = NDArray[np.float64]

SHORT_SHARE = 0.2
"""More edges than this share shorter than the straight line are no accident [fraction of edges] (assumed)."""
SHORT_EDGES = 20
"""Fewer edges than this are no evidence of another unit, unless they are a hundred times too long."""
WINDING_LIMIT = 5.0
"""A median of length over straight line above this is no road network (assumed; mountain roads have 1.2 to 2)."""
LONGEST_EDGE_KM = 500.0
"""No road runs so far between two nodes [km] (assumed; half of California's length)."""
_FAR_KM = 0.3
_SLACK = 0.01
"""Sphere and ellipsoid differ by up to half a percent, and positions are simplified."""
_COARSEST_DEG = 0.001
_WINDING = (0.8, 3.0)
_TYPICAL = 1.1
_MOST_WINDING = 2.5
_UNITS: Mapping[str, Mapping[str, float]] = {
    "km": {"metres": 1000.0, "feet": 1000.0 / 0.3048, "miles": 1 / 1.609344},
    "metres": {"km": 0.001, "feet": 1 / 0.3048, "miles": 1 / 1609.344},
}
"""For a column read as km or as metres: value in each other unit over the value in the column's own."""


@dataclass(frozen=True)
class Lengths:
    """Where lengths were read, for messages.

    Parameters
    ----------
    file, column : str
        Table of edges and its column.
    unit : str
        Unit that the column's name says: km or metres.
    row : ndarray of int64, shape (k,)
        Row of each edge in the table, the header being row 1.
    """

    file: str
    column: str
    unit: str
    row: NDArray[np.int64]

    def at(self, edge: int) -> str:
        """Where one edge stands, in words."""
        return f"row {int(self.row[edge]):,} of {self.file}"


def check_lengths(km: Floats, straight_km: Floats, positions: tuple[Floats, Floats], where: Lengths) -> tuple[str, ...]:
    """Refuse lengths in another unit than their column says, and single ones beyond any road.

    Parameters
    ----------
    km : ndarray of float64, shape (k,)
        Lengths as read, above zero [km].
    straight_km : ndarray of float64, shape (k,)
        Great-circle distances between the edges' ends [km].
    positions : tuple of ndarray of float64, shape (n,)
        Latitudes and longitudes of the nodes, whose decimals say how well the straight lines are known [degrees].
    where : Lengths
        Where the lengths come from; its rows belong to `km`.

    Returns
    -------
    tuple of str
        The median ratio, as a sentence for the manifest.

    Raises
    ------
    TableRefusedError
        If more than `SHORT_SHARE` of the edges (at least `SHORT_EDGES`) are shorter than the straight line by more than
        rounding explains, if the median of length over straight line is above `WINDING_LIMIT`, or if an edge is longer
        than `LONGEST_EDGE_KM`.
    """
    per_unit = 1.0 if where.unit == "km" else 1000.0
    # Both ends may be half a step off in both axes; a degree has 111.2 km. Coarser steps are a lattice, not rounding.
    degrees = min(_COARSEST_DEG, *(_step(axis) for axis in positions))
    rounding = _step(km * per_unit) / per_unit / 2 + 111.2 * np.sqrt(2) * degrees
    judged = straight_km > 4 * rounding
    far = straight_km > max(_FAR_KM, 4 * rounding)
    if np.count_nonzero(far) < SHORT_EDGES:
        far = judged if judged.any() else straight_km > 0
    ratio = float(np.median(km[far] / straight_km[far])) if far.any() else float("nan")
    short = judged & (km < straight_km * (1 - _SLACK) - rounding)
    shorts, of = int(np.count_nonzero(short)), int(np.count_nonzero(judged))
    if shorts >= SHORT_EDGES and shorts > SHORT_SHARE * of:
        raise _refusal(
            f"{shorts:,} of {of:,} edges are shorter than the straight line between their ends, the median edge is "
            f"{ratio:.3g} times it", ratio, where,
        )  # fmt: skip
    long = ratio > 100 or (ratio > WINDING_LIMIT and int(np.count_nonzero(far)) >= SHORT_EDGES)
    beyond = np.flatnonzero(km > LONGEST_EDGE_KM)
    if long and (_unit(ratio, where) or not beyond.size or np.count_nonzero(far) >= SHORT_EDGES):
        raise _refusal(f"the median edge is {ratio:,.4g} times the straight line between its ends", ratio, where)
    if beyond.size:
        worst = int(beyond[0])
        raise TableRefusedError(
            f"{beyond.size:,} edges are longer than {LONGEST_EDGE_KM:g} km, which no road is between two nodes: the first is "
            f"{km[worst]:.4g} km, in {where.at(worst)} (column {where.column}, read as {where.unit}).",
            "Correct these lengths, or leave them empty.", code="edge_too_long",
        )  # fmt: skip
    if not np.isfinite(ratio):
        return ()
    sense = (
        "more than roads wind: check the unit, feet read as metres give about 3.6"
        if ratio > _MOST_WINDING
        else "roads: 1 to 2; miles read as km show only where roads wind less than 1.6 times"
    )
    return (
        f"{where.file}: lengths of column {where.column}, read as {where.unit}, are at the median {ratio:.3f} times the "
        f"straight line between an edge's ends ({sense})",
    )


def _unit(ratio: float, where: Lengths) -> tuple[str, float] | None:
    """The unit whose roads would wind most like roads, and how many of it make one of the column's; None where none would."""
    low, high = _WINDING
    fits = {
        unit: abs(np.log(ratio / share / _TYPICAL))
        for unit, share in _UNITS[where.unit].items()
        if low <= ratio / share <= high
    }
    best = min(fits, key=lambda unit: fits[unit], default=None)
    return None if best is None else (best, _UNITS[where.unit][best])


def _refusal(what: str, ratio: float, where: Lengths) -> TableRefusedError:
    found = _unit(ratio, where)
    told = f"In column {where.column} of {where.file}, read as {where.unit}, {what}"
    if found is None:
        return TableRefusedError(
            f"{told}; no usual unit explains that ratio.",
            "Check the unit of the lengths, and that edges and nodes belong to one network.",
            code="lengths_in_another_unit",
        )
    unit, share = found
    per = f"1 {where.unit.removesuffix('s')} = {share:.4g} {unit}" if share >= 1 else (
        f"1 {unit.removesuffix('s')} = {1 / share:.4g} {where.unit}")  # fmt: skip
    names = {"km": "length_km", "metres": "length_m"}
    mend = (
        f"If they are {unit}, name the column {names[unit]}."
        if unit in names
        else f"If they are {unit}, convert them to km and name the column length_km."
    )
    return TableRefusedError(
        f"{told}: the lengths look like {unit} ({per}).",
        mend,
        code="lengths_in_metres" if unit == "metres" else "lengths_in_another_unit",
    )


def _step(values: Floats) -> float:
    """The decimal step to which values are rounded, 1 to 1e-7; 1e-7 where they are not."""
    known = values[np.isfinite(values) & (np.abs(values) < 1e9)]
    for decimals in range(7):
        scaled = known * 10.0**decimals
        if (np.abs(scaled - np.round(scaled)) < 1e-6).all():
            return float(10.0**-decimals)
    return 1e-7
