"""Loading logs on trucks; `include` says where it is counted at all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from csrag.simulators.frcs.ramps import Floats, Operation, falling, rising
from csrag.simulators.frcs.rates import Rates, blend, gal_per_pmh
from csrag.simulators.frcs.stand import Stand

LOAD_LB = 50_000.0
"""Logs on a truck [lb]: 25 green short tons."""
EXCHANGE_MIN = 5.0
"""Minutes from one truck to the next."""


def _finish(
    stand: Stand, rates: Rates, there: NDArray[np.bool_], factor: Floats, weight: Floats, volume: Floats, fuel: bool
) -> Operation:
    rate = blend(rates.loader_s, rates.loader_b, stand.manual_size_alt)
    cost = np.where(there, 100 * factor * rate * weight / volume, 0.0)
    if not fuel:
        return Operation(cost, None)
    small, big = gal_per_pmh("loader_s"), gal_per_pmh("loader_b")
    return Operation(cost, (small + (big - small) * stand.manual_size_alt) * cost / rate)


def _jackson(log_vol: Floats) -> Floats:
    """Jackson et al. 1984 [ft3/PMH]."""
    return 100 * (11.04 + log_vol * (0.522 - 0.00173 * log_vol))


def load_full_length(stand: Stand, rates: Rates, include: NDArray[np.bool_], *, fuel: bool = False) -> Operation:
    """Load logs of log trees [USD/CCF of them]; 0 without volume.

    Vaughan 1989; Brown and Kellogg 1996; Hartsough et al. 1998; Jackson et al. 1984.
    """
    log = stand.log_vol_alt
    load_ccf = (LOAD_LB / 100) / stand.density_alt
    front_end = 27 - 0.129 * log
    knuckleboom = load_ccf / (0.1 + 0.019 * log) + EXCHANGE_MIN
    hartsough = 0.66 + 46.2 / stand.dbh_alt
    w_front, w_knuckle, w_jackson = rising(log, 10, 40), falling(log, 10, 20), falling(log, 75, 100)
    volume = 6000 * (
        load_ccf * (w_front / front_end + w_knuckle / knuckleboom) + 0.8 / hartsough
    ) + w_jackson * _jackson(log)
    weight = 0.8 + w_front + w_knuckle + w_jackson
    return _finish(stand, rates, include & (stand.tree_vol_alt > 0), stand.hardwood_factor_alt, weight, volume, fuel)


def load_ctl(stand: Stand, rates: Rates, include: NDArray[np.bool_], *, fuel: bool = False) -> Operation:
    """Load cut-to-length logs of small log trees [USD/CCF of them]; 0 without volume.

    Brown and Kellogg 1996; Jackson et al. 1984.
    """
    log = stand.ctl_log_vol
    load_ccf = (LOAD_LB / 100) / stand.density_slt
    knuckleboom = load_ccf / (0.1 + 0.019 * log) + EXCHANGE_MIN
    w_knuckle = falling(log, 10, 20)
    volume = 6000 * load_ccf * w_knuckle / knuckleboom + 0.5 * _jackson(log)
    return _finish(
        stand, rates, include & (stand.tree_vol_slt > 0), stand.hardwood_factor_slt, 0.5 + w_knuckle, volume, fuel
    )
