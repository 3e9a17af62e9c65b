"""Cable yarding of cut-to-length logs bunched along the corridor: one equation."""

from __future__ import annotations

import numpy as np

from csrag.simulators.frcs.cable_yarder import (
    LATERAL_FT,
    Mix,
    TurnTime,
    capacity_ft3,
    corridor_usd_per_ccf_hour,
    yarder_gal_per_pmh,
    yarder_rate,
)
from csrag.simulators.frcs.ramps import Operation, falling
from csrag.simulators.frcs.rates import Rates
from csrag.simulators.frcs.stand import SQFT_PER_ACRE, Stand

TRAIL_SPACING_FT = 50.0
BUNCH_AREA_SQFT = TRAIL_SPACING_FT * 24.0 / 2
"""Area whose logs the harvester lays in one bunch [ft2]."""
LOG_FACTOR = 1.5
"""Logs are cut longer, and bunches are bigger, for a yarder than for a forwarder."""
CHANGE_HOURS = 1.5
_CHOKERS, _CHOKER_SETTERS = 3, 2

DIAMOND = TurnTime(
    "Diamond D210 standing skyline, Eaglet carriage (Doyal 1997)",
    145.5 + 43.77 * _CHOKERS + 0.639 * LATERAL_FT - 26.1 * _CHOKER_SETTERS + 0.007775 * LATERAL_FT**2,
    (("distance2", 0.0004806),),
    scale=1 / 100,
)


def yard_ctl(stand: Stand, rates: Rates, *, fuel: bool = False) -> Operation:
    """Cable yarding of the logs of chip and small log trees.

    Parameters
    ----------
    stand : Stand
        Rows of the block.
    rates : Rates
        Machine rates [USD per PMH].
    fuel : bool
        Diesel too.

    Returns
    -------
    Operation
        [USD per CCF] and [gal per CCF] of chip and small log trees. No hardwood factor.

    Notes
    -----
    Source: `@ucdavis/frcs` 2.0.0, `cyctl`. NaN where a log reaches 25 ft3, the end of the equation's range. Yarder
    size and corridor volume count the large trees too, although they are left standing.
    """
    usd_per_pmh = yarder_rate(stand, rates)
    log = LOG_FACTOR * stand.ctl_log_vol
    bunch = np.maximum(stand.vol_st * (BUNCH_AREA_SQFT * LOG_FACTOR / SQFT_PER_ACRE), stand.tree_vol_st)
    turn = np.minimum(capacity_ft3(stand, stand.density_st), bunch)
    mix = Mix(turn, usd_per_pmh)
    minutes = DIAMOND.minutes({"distance2": stand.distance * stand.distance})
    mix.add(minutes, corridor_usd_per_ccf_hour(stand, usd_per_pmh) * CHANGE_HOURS, falling(log, 10.0, 25.0))
    # The package's unused slot for the user's own equation makes an infinite density NaN.
    usd_per_ccf = mix.product / mix.divisor + 0.0 * stand.density_all
    gal_per_ccf = yarder_gal_per_pmh(stand) * usd_per_ccf / usd_per_pmh if fuel else None
    return Operation(usd_per_ccf, gal_per_ccf)
