"""Forwarding cut-to-length logs to the landing."""

from __future__ import annotations

import math

import numpy as np

from csrag.simulators.frcs.ramps import Operation, falling
from csrag.simulators.frcs.rates import Rates, blend, gal_per_pmh
from csrag.simulators.frcs.stand import SQFT_PER_ACRE, Stand

TRAIL_SPACING_FT = 50.0
LOAD_SHARE = 0.95
"""How full a load is."""
MOVE_FT = 30.0
"""Feet from one loading stop to the next: 1.5 booms of 20 ft."""


def forward(stand: Stand, rates: Rates, *, fuel: bool = False) -> Operation:
    """Forward chip and small log trees cut to length [USD/CCF of them]; 0 without volume.

    Six machines of 8 to 15 tons (letters as in FRCS): A Schroder and Johnson 1997; B McNeel and Rutherford 1994; C
    Kellogg and Bettinger 1994; D Drews et al. 2000; E Sambo 1999; F Bolding 2003. E is credited with B's load and F
    with D's, as in the package.
    """
    x, v, d = stand.distance, stand.tree_vol_st, stand.dbh_st
    ft3_per_ton = (LOAD_SHARE * 2000) * stand.slope_load_factor / stand.density_st
    ft_per_ton = ft3_per_ton * (SQFT_PER_ACRE / TRAIL_SPACING_FT) / stand.vol_st

    # A, 8 tons.
    inter = 8 * ft_per_ton
    moves = inter * (1 / MOVE_FT)
    way_in = np.maximum(0.0, x - 0.5 * inter)
    way_in2 = way_in * way_in
    load = 0.93149 + 0.02219 * 95 + moves * (0.17581 - 0.00133 * 95)
    between = 0.61205 - 0.17877 + 0.011067 * 95 + 5.40853e-7 * way_in2 + 0.00115 * inter
    fixed = 1.75519 + 2.5626 + math.exp(0.61358 + 0.01378 * 95)
    minutes_a = fixed + 0.00433 * (x + 0.5 * inter) + load * load + between * between + 3.53836e-6 * way_in2
    # B, 11 tons.
    inter = 11 * ft_per_ton
    way_in = np.maximum(0.0, x - 0.5 * inter)
    fixed = 0.342 + 9.248 + 2.054 + 0.239 + 5.385 + 2.104 + 0.5 * (0.1763 + 0.0061 * 0.305 * 100)
    stop = (0.2048 + 0.0146 * 0.305 * MOVE_FT) / MOVE_FT
    minutes_b = fixed + (0.0135 * 0.305) * (x + 0.5 * inter) + stop * inter + (0.0125 * 0.305) * way_in
    # C, 9.9 tons, straight to ft3 per hour.
    inter = 9.9 * ft_per_ton
    way_in = np.maximum(0.0, x - 0.5 * inter)
    fixed = 573.7 - 59.7 * 0.8 - 122.8 * 0.1
    volume_c = np.maximum(
        100.0, fixed + (0.2707 * 9.9) * ft3_per_ton - 0.086 * (x + 0.5 * inter) - 0.062 * inter - 0.042 * way_in
    )
    # D, 13.2 tons; hundredths of a minute.
    inter = 13.2 * ft_per_ton
    fixed = (11.25 + 0.26 * 50) + 103.36 + 235.81 + (51.21 + 90.84 * 0.08) + (36.82 + 0.198 * 50)
    fixed += -162 + 852.2 * LOAD_SHARE + 5105 * 0.83 * 0.02
    loading = np.maximum(0.0, 1549.6 * LOAD_SHARE - (128.48 * LOAD_SHARE) * stand.ctl_log_vol)
    minutes_d = 0.01 * (fixed + 0.8114 * x + 0.0117 * (x * stand.slope) + loading + 0.7519 * inter)
    # E, 13.2 tons.
    minutes_e = 10.7 + (0.14 * 13.2) * ft3_per_ton / stand.ctl_log_vol + (0.01 / 3.28) * x
    # F, 15 tons.
    inter = 15 * ft_per_ton
    way_in = np.maximum(0.0, x - 0.5 * inter)
    unload = (0.001 * 15 / 3) * ft3_per_ton * stand.density_st
    minutes_f = 5.32 + 0.0028 * (x + 0.5 * inter + way_in) + (0.0087 + 0.732 / MOVE_FT) * inter + unload

    wa, wb, wc, wd = falling(v, 25, 50), falling(d, 16, 20), falling(v, 40, 80), falling(d, 12, 20)
    we, wf = falling(v, 10, 20), falling(v, 20, 40)
    loads = 8 * wa / minutes_a + 11 * (wb / minutes_b + we / minutes_e) + 13.2 * (wd / minutes_d + wf / minutes_f)
    volume = 60 * ft3_per_ton * loads + wc * volume_c
    rate = blend(rates.forwarder_s, rates.forwarder_b, stand.mech_size)
    weight = wa + wb + wc + wd + we + wf
    cost = np.where(v > 0, 100 * stand.hardwood_factor_st * rate * weight / volume, 0.0)
    if not fuel:
        return Operation(cost, None)
    small, big = gal_per_pmh("forwarder_s"), gal_per_pmh("forwarder_b")
    return Operation(cost, (small + (big - small) * stand.mech_size) * cost / rate)
