"""Cable yarding, partial cut, unbunched: ten turn-time equations.

The package holds five more (LeDoux 1985 regressions) and one for the user; their weight is always 0, and all they do
is turn an infinite corridor cost into NaN, which is kept.
"""

from __future__ import annotations

import numpy as np

from csrag.simulators.frcs.cable_yarder import (
    LATERAL_FT,
    Mix,
    TurnTime,
    corridor_usd_per_ccf_hour,
    turn_ft3,
    yarder_gal_per_pmh,
    yarder_rate,
)
from csrag.simulators.frcs.ramps import Floats, Operation, falling, rising
from csrag.simulators.frcs.rates import Rates
from csrag.simulators.frcs.stand import Stand

LOG_LENGTH_FT = 32.0
_DECK_FT = 5.0
_CARRIAGE_FT = 40.0
RUNNING_HOURS = 1.0
"""Corridor change of a running skyline [h]; Clearwater Yarder too, as in the package."""
STANDING_HOURS = 1.5
"""Corridor change of a live or standing skyline [h]."""

CLEARWATER = TurnTime(
    "Clearwater shotgun live skyline (Johnson and Lee 1988)",
    1.51 + 0.004 * LATERAL_FT + 0.0002 * LATERAL_FT**2,
    (("distance", 0.004), ("turn", 0.012 + 0.021 * _DECK_FT * 2 / LOG_LENGTH_FT), ("logs", 0.011 * _DECK_FT)),
)
MADILL_071 = TurnTime(
    "Madill 071 live skyline, Danebo MSP (Kellogg, Olsen and Hargrave 1986)",
    1.82 + 0.00021 * LATERAL_FT**2 + 1.05,
    (("distance", 0.0024), ("turn", 0.0125), ("slope", 0.0151)),
)
SKAGIT_SHELTERWOOD = TurnTime(
    "Skagit GT3 running skyline, shelterwood (Gardner 1980)",
    1.46 + 0.00114 * LATERAL_FT,
    (("distance", 0.000486), ("turn_lb", 0.00000896)),
    exponential=True,
)
SKAGIT_GROUP = TurnTime(
    "Skagit GT3 running skyline, group selection (Gardner 1980)",
    0.58 + 0.00193 * LATERAL_FT,
    (("ln_distance", 0.192), ("slope", -0.00308), ("logs_turn_lb", 0.000004)),
    exponential=True,
)
LINKBELT_GROUP = TurnTime(
    "LinkBelt 78 shotgun live skyline, group selection (Gardner 1980)",
    1.813 + 0.00172 * LATERAL_FT,
    (("distance", 0.00094), ("slope", -0.0095), ("logs_turn_lb", 0.00000277)),
    exponential=True,
)
MADILL_044 = TurnTime("Madill 044, Bowman Mark Vd (Boswell 2001)", 3.73 + 0.154 * LATERAL_FT, (("distance", 0.0028),))
SKYLEAD = TurnTime("Skylead C40, Mini-Maki II (Pavel 1999)", 2.761 + 0.0114 * LATERAL_FT, (("distance", 0.0014),))
KOLLER_SKA = TurnTime(
    "Koller K501, SKA 2.5 carriage, preset chokers (Kellogg, Milota and Miller 1996)",
    2.341 + 0.012 * LATERAL_FT + 0.722,
    (("distance", 0.0017), ("logs", 0.191)),
)
KOLLER_EAGLET = TurnTime(
    "Koller K501, Eaglet carriage, preset chokers (Kellogg, Miller and Olsen 1999)",
    0.231 + 0.01 * LATERAL_FT + 0.017 * _CARRIAGE_FT - 0.668,
    (("distance", 0.003), ("logs", 0.141), ("slope", 0.012)),
)
KOLLER_K300 = TurnTime(
    "Koller K300 (Huyler and LeDoux 1997)",
    0.223 + 0.024 * LATERAL_FT,
    (("distance", 0.004), ("turn", 0.059), ("per_tree_vol", 35.23)),
)


def yard_partial_cut(stand: Stand, rates: Rates, *, fuel: bool = False) -> Operation:
    """Cable yarding of all trees of a partial cut.

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
    Source: `@ucdavis/frcs` 2.0.0, `cypcu`. NaN at distance 0.
    """
    usd_per_pmh = yarder_rate(stand, rates)
    change = corridor_usd_per_ccf_hour(stand, usd_per_pmh)
    turn = turn_ft3(stand)
    logs = np.maximum(1.0, turn / stand.log_vol_all)
    turn_lb = stand.density_all * turn
    features: dict[str, Floats] = {
        "distance": stand.distance,
        "ln_distance": np.log(stand.distance),
        "slope": stand.slope,
        "turn": turn,
        "logs": logs,
        "turn_lb": turn_lb,
        "logs_turn_lb": logs * turn_lb,
        "per_tree_vol": 1.0 / stand.tree_vol_all,
    }
    running, standing = change * RUNNING_HOURS, change * STANDING_HOURS
    tree, log = stand.tree_vol_all, stand.log_vol_all
    up_to_90 = falling(tree, 90.0, 180.0)
    small_logs = falling(log, 30.0, 60.0)

    mix = Mix(turn, usd_per_pmh)
    mix.add(CLEARWATER.minutes(features), running, falling(tree, 10.0, 20.0))
    mix.add(MADILL_071.minutes(features), standing, falling(turn, 200.0, 400.0))
    mix.add(SKAGIT_SHELTERWOOD.minutes(features), running, small_logs)
    mix.add(SKAGIT_GROUP.minutes(features), running, small_logs)
    mix.add(LINKBELT_GROUP.minutes(features), standing, small_logs * rising(stand.slope, 30.0, 40.0))
    mix.add(MADILL_044.minutes(features), standing, up_to_90)
    mix.add(SKYLEAD.minutes(features), standing, up_to_90)
    mix.add(KOLLER_SKA.minutes(features), standing, falling(tree, 60.0, 120.0))
    mix.add(KOLLER_EAGLET.minutes(features), standing, falling(tree, 70.0, 140.0))
    mix.add(KOLLER_K300.minutes(features), standing, rising(tree, 5.0, 10.0) * falling(tree, 40.0, 80.0))
    # The equations of weight 0 leave 0 * change behind: NaN where the corridor has no volume.
    usd_per_ccf = (mix.product + 0.0 * change) / mix.divisor
    gal_per_ccf = yarder_gal_per_pmh(stand) * usd_per_ccf / usd_per_pmh if fuel else None
    return Operation(usd_per_ccf, gal_per_ccf)
