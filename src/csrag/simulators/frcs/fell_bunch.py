"""Felling and bunching chip and small log trees with a feller-buncher."""

from __future__ import annotations

import math

import numpy as np

from csrag.simulators.frcs.ramps import Floats, Operation, falling, rising
from csrag.simulators.frcs.rates import Rates, gal_per_pmh
from csrag.simulators.frcs.stand import SQFT_PER_ACRE, Stand

BOOM_REACH_FT = 24
M3_PER_FT3 = 0.028317


def trees_in_boom_reach(stand: Stand) -> Floats:
    """Trees that one position of a swing boom can reach."""
    # In this order of operations: a whole number of accumulations is cut from it further down.
    return (stand.trees_st * math.pi * BOOM_REACH_FT**2) / SQFT_PER_ACRE


def bunch_size(stand: Stand) -> Floats:
    """Trees in a bunch, at least 1; skidders of bunched trees use it."""
    return np.maximum(1.0, trees_in_boom_reach(stand))


def fell_bunch(stand: Stand, rates: Rates, *, fuel: bool = False) -> Operation:
    """Feller-bunchers on chip and small log trees [USD/CCF of them]; 0 without volume.

    Four drive-to-tree machines on gentle slopes (Johnson 1979; chainsaw heads; Greene and McNeel 1991; Hartsough 2001)
    and six swing-boom machines on the rest (Johnson 1988; Gingras 1988 and 1996; Gonsier and Mandzak 1987; Plamondon
    1998; Hartsough et al. 1997), each with its range of tree size and slope.
    """
    d, v, s = stand.dbh_st, stand.tree_vol_st, stand.slope
    spacing = np.sqrt(SQFT_PER_ACRE / np.maximum(stand.trees_st, 1.0))
    slow = 1 + stand.slope_factor
    slow_sparse = slow + stand.removals_factor
    reach = trees_in_boom_reach(stand)
    bunch = np.maximum(1.0, reach)

    up_to_10_in, up_to_12_in, up_to_15_in = falling(d, 10, 15), falling(d, 12, 18), falling(d, 15, 20)
    gentle, moderate, steep = falling(s, 10, 20), rising(s, 5, 20), rising(s, 15, 35)

    # Drive-to-tree: trees per minute.
    bobcat = 1 / (0.204 + 0.00822 * spacing + 0.02002 * d + 0.00244 * s)
    saw_heads = 1 / (0.19794 + 0.02914 * d + 0.00289 * spacing)
    circular_saw = 1 / (0.314671 + 0.01345 * d + 0.001245 * spacing)
    load = np.maximum(1.0, 14.2 + d * (0.0799 * d - 2.18))
    hydro_ax = load / (0.38 + load * (0.073 + 0.00999 * d))
    drive_volume = 60 * gentle * (up_to_10_in * (bobcat + hydro_ax) + up_to_15_in * (saw_heads + circular_saw) / slow)
    drive_weight = 2 * gentle * (up_to_10_in + up_to_15_in)

    # Swing boom: trees per minute, trees per hour, or (the last two) ft3 per hour.
    timbco_2520 = bunch / (0.242 + bunch * (0.1295 + 0.0295 * d))
    unmerchantable = np.minimum(1.5, 285 / (2.47 * stand.trees_st))
    cycle = np.maximum(1.0, np.minimum(reach, 6.68 - 0.23 * d + 0.0010374 * stand.trees_st))
    timbco_2518 = 137.205 + 21.2 * cycle - 63.1 * unmerchantable
    timbco_steep = 1 / (0.324 + 0.00138 * (d * d))
    load = np.maximum(1.0, 1.81 - 0.0664 * d + 3.64 / d - 0.116)
    moves = 0.5 / (np.trunc(reach / load) + 1)
    timbco_420 = load / (1.0963 * (moves * (0.37896 + 0.00779 * spacing) + (0.285 + load * (0.126 + 0.0176 * d))))
    generic = (50.338 / M3_PER_FT3) * np.exp(0.3011 * (stand.ln_tree_vol_st + math.log(M3_PER_FT3)))
    tree_length = 5 / M3_PER_FT3 + 57.7 * v
    up_to_20_ft3 = falling(v, 20, 50)

    swing_weight = moderate * (2 * up_to_15_in + up_to_12_in + up_to_20_ft3 + 1)
    level_weight = up_to_15_in * steep
    per_tree = moderate * (up_to_15_in * (timbco_2520 + timbco_420) * 60 + up_to_12_in * timbco_2518)
    volume = (
        v * (drive_volume + per_tree / slow + (60 * level_weight * timbco_steep) / slow_sparse)
        + moderate * (generic + up_to_20_ft3 * tree_length) / slow_sparse
    )

    swing_rate = rates.self_level + (rates.swing_boom - rates.self_level) * stand.cab
    dollars = rates.drive_to_tree * drive_weight + swing_rate * swing_weight + rates.self_level * level_weight
    cost = np.where(v > 0, 100 * stand.hardwood_factor_st * dollars / volume, 0.0)
    if not fuel:
        return Operation(cost, None)
    swing_gal = gal_per_pmh("swing_boom") * stand.cab + gal_per_pmh("self_level") * (1 - stand.cab)
    gallons = (
        gal_per_pmh("drive_to_tree") * drive_weight
        + swing_gal * swing_weight
        + gal_per_pmh("self_level") * level_weight
    )
    return Operation(cost, gallons * cost / dollars)
