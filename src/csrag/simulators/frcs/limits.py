"""Why a row is not feasible: the limits of FRCS and our own reasons, one bit each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from csrag.simulators.frcs.stand import Stand
from csrag.simulators.frcs.systems import HELICOPTERS, TREE_LIMIT_FT3, System

LIMIT_VOLUME_CT = 1
"""Chip trees over 80 ft3."""
LIMIT_VOLUME_SLT = 2
"""Small log trees over 80 ft3."""
LIMIT_SLOPE = 4
"""Slope over the system's limit."""
LIMIT_YARDING = 8
"""Distance to the landing over the system's limit."""
ELEVATION_REQUIRED = 16
"""Negative elevation, helicopter systems."""
NO_FEEDSTOCK = 32
"""No feedstock: zero or undefined yield."""
UNROADED = 64
"""No road near enough."""
COST_UNDEFINED = 128
"""Feedstock, but no finite cost."""

MEANINGS = {
    LIMIT_VOLUME_CT: "chip trees (4-9 in) are over 80 ft3",
    LIMIT_VOLUME_SLT: "small log trees are over 80 ft3",
    LIMIT_SLOPE: "slope is over the system's limit",
    LIMIT_YARDING: "yarding distance is over the system's limit",
    ELEVATION_REQUIRED: "elevation is negative",
    NO_FEEDSTOCK: "no feedstock is removed",
    UNROADED: "no road is near enough",
    COST_UNDEFINED: "the simulator gives no finite cost",
}
"""Bit to words."""

CLASSES = {
    LIMIT_VOLUME_CT: "limit_volume_ct",
    LIMIT_VOLUME_SLT: "limit_volume_slt",
    LIMIT_SLOPE: "limit_slope",
    LIMIT_YARDING: "limit_yarding",
    ELEVATION_REQUIRED: "elevation_required",
}
"""Bit to error class, for the limits that are FRCS's own."""


def _bit(mask: NDArray[np.bool_], bit: int) -> NDArray[np.uint16]:
    # bool * small uint16 keeps uint16 under both promotion rules of NumPy.
    return np.asarray(mask, dtype=np.uint16) * np.uint16(bit)


def stand_codes(stand: Stand) -> NDArray[np.uint16]:
    """Bits that do not depend on the system.

    Both volume bits are set where both volumes are too big; the package names the first alone.
    """
    return _bit(stand.tree_vol_ct > TREE_LIMIT_FT3, LIMIT_VOLUME_CT) | _bit(
        stand.tree_vol_slt > TREE_LIMIT_FT3, LIMIT_VOLUME_SLT
    )


def system_codes(system: System, stand: Stand) -> NDArray[np.uint16]:
    """Bits of one system; NaN exceeds nothing, as in the package."""
    codes = _bit(stand.slope > system.slope_limit_pct, LIMIT_SLOPE)
    if system.distance_limit_ft > 0:
        codes = codes | _bit(stand.distance > system.distance_limit_ft, LIMIT_YARDING)
    if system.name in HELICOPTERS:
        codes = codes | _bit(stand.elevation < 0, ELEVATION_REQUIRED)
    return codes
