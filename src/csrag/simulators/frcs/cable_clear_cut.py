"""Cable yarding, clear cut, unbunched: two jammer equations and five of skylines."""

from __future__ import annotations

import math

import numpy as np

from csrag.simulators.frcs.cable_yarder import Mix, TurnTime, turn_ft3, yarder_gal_per_pmh, yarder_rate
from csrag.simulators.frcs.ramps import Floats, Operation, falling, rising
from csrag.simulators.frcs.rates import Rates, gal_per_pmh
from csrag.simulators.frcs.stand import SQFT_PER_ACRE, Stand

BOARD_FT_PER_CUFT = 5.0
_LATERAL_FT = 5.0
_DELAY = 0.042
JAMMER_SPACING_FT, JAMMER_SHIFT_HOURS = 50.0, 0.5
"""Tailblock spacing and line shift of a jammer; it does not change landings."""
SKYLINE_SPACING_FT, RUNNING_SHIFT_HOURS, LIVE_SHIFT_HOURS = 70.0, 0.25, 0.5
"""Tailblock spacing and line shift of running and live skylines."""
LANDING_CHANGE_HOURS = 2.0
REACH = 1.5
"""Longest yarding distance over the mean one."""

JAMMER_SCHILLINGS = TurnTime("Idaho jammer (Schillings 1969)", 0.321, (("distance", 0.00285), ("slope", 0.009906)))
JAMMER_HENSEL = TurnTime(
    "Idaho jammer (Hensel and Johnson 1979)",
    72.26,
    (("distance", 0.1152), ("log_vol", 0.0638 * BOARD_FT_PER_CUFT), ("per_slope", -996.0)),
    scale=1 / 60,
)
LINKBELT_98 = TurnTime(
    "LinkBelt 98 live skyline (Hensel and Johnson 1979)",
    177.3,
    (("distance2", 0.000522), ("log_vol", 0.3568), ("slope2", 0.0105)),
    scale=1 / 60,
)
SKAGIT_HENSEL = TurnTime(
    "Skagit GT3 running skyline (Hensel and Johnson 1979)",
    164.0,
    (("distance2", 0.000405), ("log_vol", 0.04872 * BOARD_FT_PER_CUFT), ("per_slope", 607.0)),
    scale=1 / 60,
)
SKAGIT_GARDNER = TurnTime(
    "Skagit GT3 running skyline (Gardner 1980)",
    1.09,
    (("distance", 0.00106), ("logs", 0.0196), ("turn", 0.000617), ("slope", 0.000043 * _LATERAL_FT)),
    exponential=True,
)
LINKBELT_78 = TurnTime(
    "LinkBelt 78 shotgun live skyline (Gardner 1980)",
    1.91,
    (("distance", 0.000545), ("slope", -0.0068), ("turn", 0.00212), ("per_log", -0.416)),
    exponential=True,
)
WASHINGTON = TurnTime(
    "Washington SLH78 (Andersson and Young 1998)",
    0.31 + 1.593 + 0.326 + 0.021,
    (("distance", 0.00323), ("logs", 0.107), ("lg_logs", 1.24)),
    scale=1 + _DELAY,
)


def yard_clear_cut(stand: Stand, rates: Rates, *, fuel: bool = False) -> Operation:
    """Cable yarding of all trees of a clear cut.

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
        [USD per CCF] and [gal per CCF] of all trees. No hardwood factor.

    Notes
    -----
    Source: `@ucdavis/frcs` 2.0.0, `cyccu`. NaN or infinite at distance 0. The first equation's weight falls to 0 at
    100 ft3 a log and is 1 from there on, as in the package.
    """
    usd_per_pmh = yarder_rate(stand, rates)
    turn = turn_ft3(stand)
    log = stand.log_vol_all
    logs = np.maximum(1.0, turn / log)
    features: dict[str, Floats] = {
        "distance": stand.distance,
        "distance2": stand.distance * stand.distance,
        "slope": stand.slope,
        "slope2": stand.slope * stand.slope,
        "per_slope": 1.0 / np.maximum(20.0, stand.slope),
        "log_vol": log,
        "turn": turn,
        "logs": logs,
        "per_log": 1.0 / logs,
        "lg_logs": np.log10(logs),
    }
    per_hour = 100.0 * usd_per_pmh / stand.vol_all
    strip_acres = stand.distance * (SKYLINE_SPACING_FT / 2 * REACH / SQFT_PER_ACRE)
    half_circle_acres = features["distance2"] * (math.pi / 2 * REACH**2 / SQFT_PER_ACRE)
    landing = per_hour * LANDING_CHANGE_HOURS / half_circle_acres
    running = per_hour * RUNNING_SHIFT_HOURS / strip_acres + landing
    live = per_hour * LIVE_SHIFT_HOURS / strip_acres + landing
    jammer_acres = stand.distance * (2 * JAMMER_SPACING_FT / SQFT_PER_ACRE)
    jammer_shift = 100.0 * JAMMER_SHIFT_HOURS * rates.yarder_s / (stand.vol_all * jammer_acres)

    saw_logs = rising(log, 5.0, 10.0)
    small_logs = falling(log, 30.0, 60.0)
    steep = small_logs * rising(stand.slope, 30.0, 40.0)
    small_trees = falling(stand.tree_vol_all, 80.0, 160.0)
    schillings = np.where(log < 100.0, saw_logs * falling(log, 50.0, 100.0), 1.0)

    jammers = Mix(log, rates.yarder_s)
    jammers.add(JAMMER_SCHILLINGS.minutes(features), jammer_shift, schillings)
    jammers.add(JAMMER_HENSEL.minutes(features), jammer_shift, saw_logs)
    skylines = Mix(turn, usd_per_pmh)
    skylines.add(LINKBELT_98.minutes(features), live, saw_logs)
    skylines.add(SKAGIT_HENSEL.minutes(features), running, saw_logs)
    skylines.add(SKAGIT_GARDNER.minutes(features), running, small_logs)
    skylines.add(LINKBELT_78.minutes(features), live, steep)
    skylines.add(WASHINGTON.minutes(features), running, small_trees)
    usd_per_ccf = (jammers.product + skylines.product) / (jammers.divisor + skylines.divisor)
    if not fuel:
        return Operation(usd_per_ccf, None)
    of_jammers = schillings + saw_logs
    of_skylines = 2.0 * saw_logs + small_logs + steep + small_trees
    gallons = gal_per_pmh("yarder_s") * of_jammers + yarder_gal_per_pmh(stand) * of_skylines
    dollars = rates.yarder_s * of_jammers + usd_per_pmh * of_skylines
    return Operation(usd_per_ccf, gallons * usd_per_ccf / dollars)
