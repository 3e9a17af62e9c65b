"""Harvesting chip and small log trees cut to length."""

from __future__ import annotations

import math

import numpy as np

from csrag.simulators.frcs.fell_bunch import M3_PER_FT3
from csrag.simulators.frcs.ramps import Operation, choose, falling
from csrag.simulators.frcs.rates import Rates, blend, gal_per_pmh
from csrag.simulators.frcs.stand import SQFT_PER_ACRE, Stand

TRAIL_SPACING_FT = 50.0
BOOM_REACH_FT = 24.0
CLEAR_CUT_FACTOR = 0.9
_LN_10 = math.log(10)


def harvest(stand: Stand, rates: Rates, *, fuel: bool = False) -> Operation:
    """Fell, limb and buck chip and small log trees with a harvester [USD/CCF of them]; 0 without volume.

    Seventeen studies (letters as in FRCS): A to C Schroder and Johnson 1997; D Kellogg and Bettinger 1994; E McNeel and
    Rutherford 1994; F Brinker and Tufts 1990; G Drews et al. 2000; H, I Meek 2000; J Gingras 1996; K MacDonald 1988;
    L to N Matzka 2003; O Eliasson et al. 1999; P Lageson 1997; Q Bolding and Lanford 2002.
    """
    v, d, trees, logs = stand.tree_vol_st, stand.dbh_st, stand.trees_st, stand.ctl_logs_per_tree
    slow = 1 + stand.slope_factor
    slow_sparse = slow + stand.removals_factor
    reach = np.maximum(1.0, trees * (TRAIL_SPACING_FT * BOOM_REACH_FT / 2 / SQFT_PER_ACRE))
    per_move = (SQFT_PER_ACRE / TRAIL_SPACING_FT) / trees
    move = np.maximum(BOOM_REACH_FT / 2, per_move)
    d2 = d * d
    cycle_vol = reach * v

    up_to_25, up_to_30, up_to_40 = falling(v, 25, 50), falling(v, 30, 60), falling(v, 40, 80)
    up_to_60 = falling(v, 60, 100)
    up_to_12_in, up_to_16_in, up_to_15_in = falling(d, 12, 20), falling(d, 16, 20), falling(d, 15, 20)
    lageson = choose(stand.partial_cut, lambda: falling(v, 20, 40), lambda: np.asarray(0.0))

    # Trees per minute where few trees slow the machine down as slopes do.
    a = np.exp(-_LN_10 * (-1.0123 + 0.219 * logs + 0.2082 * np.sqrt(stand.butt_st)))
    p = 1 / (0.232 + (0.0185 * 2.54) * d)
    q = 1 / (0.18 + 0.0038 * d2 + 0.04937 * stand.slope / np.sqrt(trees))
    # Trees per minute where only slope does.
    b_root = -0.1485 + 0.1305 * np.log(cycle_vol) + 0.6258 * np.sqrt(reach)
    c_root = 0.4886 + 0.04159 * (reach * logs) + 0.09496 * np.sqrt(cycle_vol)
    process = (-4.3 + 2.104 * d + (6.5 - 1.17 * 0.2 + 2.11 * 0.2) * logs) / 100
    e = 1 / (0.0283 + (0.0019 * 2.54) * d + process + 0.2981 + (0.1944 + (0.0357 * 0.305) * move) / reach)
    swing_and_fell = (0.89 + 14.59 + 0.272 * stand.dbh_all - 2.38 * 0.2 + 0.8 * (2.67 + 0.452 * d)) / 100
    moving = (3.44 + (1.22 + 0.0369 * stand.slope) * move) / (100 * reach)
    g = 1 / (1.126 * (moving + swing_and_fell + process))
    l_m_n = (
        1 / (0.1928 + 0.012 * per_move + 0.004 * d2)
        + 1 / (0.3532 + 0.01 * per_move + 0.005 * d2)
        + 1 / (0.4345 + 0.011 * per_move + 0.005 * d2)
    )
    o_partial = choose(stand.partial_cut, lambda: 0.39 + 0.015 * v, lambda: 0.35 + 0.012 * v)
    o = 1 / (o_partial - 0.00006 * trees)
    # ft3 per hour before slope and few trees.
    ln_m3 = stand.ln_tree_vol_st + math.log(M3_PER_FT3)
    dv = -617 + 189.3 * d
    h_i = (42.729 / M3_PER_FT3) * 2**0.5874 * (1 + 2**-0.4015) * np.exp(0.8195 * ln_m3)
    j = (42.46 / M3_PER_FT3) * np.exp(0.6683 * ln_m3)
    k = 4.59 / M3_PER_FT3 + 67.84 * v
    f1 = -1.961 + 0.5502 * d + v * (1.871 - 0.04502 * d - 0.1786 * logs)
    f2 = -1.539 + 0.6683 * d + v * (0.9754 - 0.1257 * logs)
    f = np.maximum(100.0, 85 * f1 / slow_sparse) + np.maximum(100.0, 85 * f2 / slow_sparse)

    sparse = 60 * v * (up_to_25 * a + lageson * p + up_to_40 * q) + up_to_40 * (dv + j) + up_to_30 * (h_i + k)
    only_slope = v * (
        up_to_25 * reach * (1 / (b_root * b_root) + 1 / (c_root * c_root))
        + up_to_16_in * e
        + up_to_12_in * g
        + up_to_40 * l_m_n
        + up_to_60 * o
    )
    volume = sparse / slow_sparse + 60 * only_slope / slow + 0.25 * up_to_15_in * f
    weight = (
        3 * (up_to_25 + up_to_30) + 6 * up_to_40 + up_to_60 + up_to_12_in + up_to_16_in + 0.5 * up_to_15_in + lageson
    )
    rate = blend(rates.harvester_s, rates.harvester_b, stand.mech_size)
    cut = choose(stand.partial_cut, lambda: np.asarray(1.0), lambda: np.asarray(CLEAR_CUT_FACTOR))
    cost = np.where(v > 0, 100 * cut * stand.hardwood_factor_st * rate * weight / volume, 0.0)
    if not fuel:
        return Operation(cost, None)
    small, big = gal_per_pmh("harvester_s"), gal_per_pmh("harvester_b")
    return Operation(cost, (small + (big - small) * stand.mech_size) * cost / rate)
