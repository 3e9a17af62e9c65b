"""Skidding all trees to the landing, unbunched or bunched."""

from __future__ import annotations

import math

import numpy as np

from csrag.simulators.frcs.fell_bunch import bunch_size
from csrag.simulators.frcs.ramps import Floats, Operation, choose, falling, rising
from csrag.simulators.frcs.rates import Rates, blend, gal_per_pmh
from csrag.simulators.frcs.stand import Stand

MAX_CHOKER_LOGS = 10.0
BOARD_FEET_PER_FT3 = 5.0
INTERMEDIATE_MOVE_FT = 17.0
GROUND_RATING = 1.1


def _turn_volume(stand: Stand) -> Floats:
    """Volume of a turn [ft3]: clear cuts make fuller turns, slopes emptier ones."""
    full = choose(stand.partial_cut, lambda: np.asarray(31.62), lambda: np.asarray(44.87))
    return full * np.exp(0.282 * stand.ln_tree_vol_all) * stand.slope_load_factor


def _finish(stand: Stand, rates: Rates, weight: Floats, volume: Floats, fuel: bool) -> Operation:
    rate = blend(rates.skidder_s, rates.skidder_b, stand.manual_size)
    cost = 100 * stand.hardwood_factor_all * rate * weight / volume
    if not fuel:
        return Operation(cost, None)
    gal = gal_per_pmh("skidder_s") + (gal_per_pmh("skidder_b") - gal_per_pmh("skidder_s")) * stand.manual_size
    return Operation(cost, gal * cost / rate)


def skid_unbunched(stand: Stand, rates: Rates, *, fuel: bool = False) -> Operation:
    """Skid unbunched trees [USD/CCF]; NaN without volume.

    Chokers: Johnson and Lee 1988; Gibson and Egging 1973; Gardner 1979; Andersson and Young 1998. Grapples: Johnson
    1988; Gebhardt 1977.
    """
    v, x, s = stand.tree_vol_all, stand.distance, stand.slope
    turn = _turn_volume(stand)
    logs = turn / stand.log_vol_all
    choked = np.minimum(MAX_CHOKER_LOGS, logs)
    load = choked * stand.log_vol_all

    johnson_lee = -15.58 + 0.345 * choked + 0.037 * load + 4.05 * np.log(x + 25)
    gibson = (
        2.74
        + 0.726 * choked
        + load * (0.00363 * BOARD_FEET_PER_FT3 + 0.0002 * stand.density_all)
        + 0.00777 * x
        + 0.00313 * (s * s)
    )
    gardner = 2.57 + 0.823 * choked + (0.0054 * BOARD_FEET_PER_FT3) * load + 0.0156 * x
    andersson = 7.36 + 0.0053 * x
    cat_518 = 0.518 + 0.0107 * x + 0.0011 * (s * s * s) + 1.62 * np.log(logs)
    clearing = choose(stand.partial_cut, lambda: np.asarray(0.315 * 1.5), lambda: np.asarray(0.0))
    fixed = 1.072 - 0.819 * GROUND_RATING + 0.00469 * INTERMEDIATE_MOVE_FT
    jd_648 = fixed + clearing + 0.00314 * x + 0.0192 * s + 0.489 * logs + (0.00139 * BOARD_FEET_PER_FT3) * turn

    w_johnson_lee = falling(load, 90, 180)
    w_andersson = np.minimum(rising(v, 5, 15), falling(v, 75, 150))
    w_cat_518 = falling(stand.butt_all, 20, 25)
    volume = 60 * (
        load * (w_johnson_lee / johnson_lee + 1 / gibson + 1 / gardner + w_andersson / andersson)
        + turn * (w_cat_518 / cat_518 + 1 / jd_648)
    )
    return _finish(stand, rates, 3 + w_johnson_lee + w_andersson + w_cat_518, volume, fuel)


def skid_bunched(stand: Stand, rates: Rates, *, fuel: bool = False) -> Operation:
    """Skid bunches of a feller-buncher [USD/CCF]; NaN without volume.

    Grapple skidders: Johnson 1988; Tufts et al. 1988; Kosicki 2000, 2002a, 2002b; Henderson 2001; Boswell 1998.
    """
    v, x, s = stand.tree_vol_all, stand.distance, stand.slope
    turn = _turn_volume(stand)
    trees = turn / v
    bunch = bunch_size(stand)
    bunches = np.maximum(1.0, turn / (v * bunch))

    # Johnson: travel empty and loaded, load, deck at 3 ft.
    load = np.maximum(0.0, 0.882 + 0.0042 * (s * s) - 0.000048 * (trees * trees * trees))
    fixed = -2.179 - 0.919 + 0.063 + 0.55 * math.log(3)
    johnson = (
        fixed + s * (0.0362 + 0.000062 * (s * s)) + 1.064 * stand.ln_distance + 0.00081 * x + load + 0.0228 * trees
    )
    # Tufts et al., in hundredths of a minute.
    hp = 50.5 + 5.74 * np.sqrt(v)
    empty = 0.1905 * x + 0.3557 * hp - 0.0003336 * x * hp
    grapple = np.minimum(500.0, -38.36 + bunches * (161.6 - 0.5599 * hp + 1.398 * bunch))
    loaded = -34.52 + x * (0.2634 - 0.00122 * hp + 0.03782 * bunches) + 0.7634 * hp
    weight_lb = turn * stand.density_all
    # Not factored: an infinite weight makes this NaN in the package.
    ungrapple = np.maximum(
        0.0, 5.177 * bunches + 0.002508 * weight_lb - weight_lb * (0.00007944 * (bunches * bunches * bunch))
    )
    tufts = 0.013 * (empty + grapple + loaded + ungrapple)
    jd_748e = 1.1624 + 0.0054 * x
    cat_d5h = 2.818 + 0.0109 * x
    jd_748g = 0.649 + 0.0058 * x + 0.581 * bunches
    tigercat_island = 5.77 + 0.007 * x
    tigercat = 2.98 + 0.006 * x + 0.27 * trees

    w_johnson = falling(stand.butt_all, 15, 20)
    at_least_10_ft3 = rising(v, 5, 10)
    w_mid = np.minimum(at_least_10_ft3, falling(v, 50, 100))
    w_748g = falling(v, 30, 60)
    w_island = np.minimum(at_least_10_ft3, falling(v, 100, 150))
    w_tigercat = falling(v, 40, 80)
    per_minute = (
        w_johnson / johnson
        + 0.5 / tufts
        + w_mid * (1 / jd_748e + 1 / cat_d5h)
        + w_748g / jd_748g
        + w_island / tigercat_island
        + w_tigercat / tigercat
    )
    weight = 0.5 + w_johnson + 2 * w_mid + w_748g + w_island + w_tigercat
    return _finish(stand, rates, weight, 60 * turn * per_minute, fuel)
