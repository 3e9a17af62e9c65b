"""Helicopters: what three of them carry in a day.

The three machines have the same weight, 1 up to 75 ft3 a tree falling to 0 at 150, so their weighted mean cost is the
sum of their daily costs over the sum of their daily volumes, and undefined (NaN) from 150 ft3 on. Daily costs are
dollars of the studies: wages, fuel price and price index do not move them.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from csrag.simulators.frcs.ramps import Floats
from csrag.simulators.frcs.stand import Stand

TREE_LIMIT_FT3 = 150.0
"""Mean tree from which no equation applies [ft3]; of all trees, even where only the small ones are flown."""
HOOK_DIAMETER_FT = 75.0
SQFT_PER_ACRE_HERE = 43506.0
"""The package's figure for helicopters; an acre has 43,560 ft2."""
SERVICE_CYCLES = 7
SERVICE_FLIGHT_FT = 5000.0
FT_PER_MILE = 5280.0
_OVERHEAD = 1.1
_CREW_USD_PER_DAY, _LOADER_USD_PER_DAY = 263.0, 770.0
_PAYLOAD_MARGIN = 1.25
"""Greatest payload over the one observed on average."""


class Helicopter(NamedTuple):
    """One helicopter.

    Parameters
    ----------
    payload_lb, payload_lb_per_ft : float
        Observed mean payload [lb] at sea level, and its change with elevation.
    payload_lb_ctl : float
        The first again, as used for cut-to-length.
    hook_min : float
        Hooking and unhooking a turn [min].
    speed_mph : float
        Mean yarding speed [mile/h].
    flight_h : float
        Flight hours a day.
    usd_per_h, crew, usd_per_day, other_usd_per_day : float
        Hourly cost, people, and fixed costs of a day.
    loaders : int
        Log loaders with their operators that keep pace with it.
    jet_gal_per_h : float
        Jet fuel [gal/h].
    """

    payload_lb: float
    payload_lb_per_ft: float
    payload_lb_ctl: float
    hook_min: float
    speed_mph: float
    flight_h: float
    usd_per_h: float
    crew: int
    usd_per_day: float
    other_usd_per_day: float
    loaders: int
    jet_gal_per_h: float

    @property
    def yarding_usd_per_day(self) -> float:
        """Helicopter and woods crew [USD per day]."""
        crew = _CREW_USD_PER_DAY * self.crew
        return _OVERHEAD * (self.flight_h * self.usd_per_h + crew + self.usd_per_day + self.other_usd_per_day)

    @property
    def loading_usd_per_day(self) -> float:
        """Loaders at the landing [USD per day]."""
        return _OVERHEAD * self.loaders * (_CREW_USD_PER_DAY + _LOADER_USD_PER_DAY)

    @property
    def minutes_per_ft(self) -> float:
        """Flight out and back for each foot of distance [min]."""
        return 2 * 60 / (self.speed_mph * FT_PER_MILE)

    @property
    def yarding_minutes_per_day(self) -> float:
        """Flight time left for yarding after the service flights [min]."""
        return 60 * self.flight_h - SERVICE_CYCLES * SERVICE_FLIGHT_FT * self.minutes_per_ft


HELICOPTERS: dict[str, Helicopter] = {
    #                                  payload  per ft   ctl     hook  mph flight  $/h crew fixed other loaders gal/h
    "Bell 204 class": Helicopter(4500.0, -0.116, 4500.0, 1.63, 39, 6.0, 340, 6, 3700, 460, 1, 86),
    "Boeing Vertol 107-61A": Helicopter(8160.0, -0.0352, 8160.0, 1.18, 58, 6.76, 1052, 10, 7580, 2155, 2, 180),
    "K-MAX": Helicopter(4800.9, -0.0046, 4800.0, 1.15, 60, 8.5, 840, 9, 6750, 1000, 2, 86),
}
"""Helicopters of `@ucdavis/frcs` 2.0.0."""

YARDING_USD_PER_DAY = sum(h.yarding_usd_per_day for h in HELICOPTERS.values())
LOADING_USD_PER_DAY = sum(h.loading_usd_per_day for h in HELICOPTERS.values())
JET_GAL_PER_DAY = sum(h.jet_gal_per_h * h.flight_h for h in HELICOPTERS.values())


def _turn_lb(payload: Floats, log_lb: Floats, hook_lb: Floats) -> Floats:
    """Weight of a turn [lb] for an observed mean `payload` [lb].

    Light logs let it come nearer to the payload, few logs within the hook's reach leave it below; at least one log
    that the machine lifts, at most ten.
    """
    per_greatest = 1.0 / (_PAYLOAD_MARGIN * payload)
    logs_share = log_lb * per_greatest
    payloads_in_reach = hook_lb * per_greatest
    light_logs = np.maximum(0.1 - 0.2 * logs_share, 0.0)
    scattered = np.minimum((0.05 / 3) * (payloads_in_reach - 1.0) - 0.05, 0.0)
    share = (0.9 + light_logs + scattered) * np.minimum(payloads_in_reach, 1.0)
    return np.minimum(10.0 * log_lb, np.maximum(share * payload, np.minimum(log_lb, payload)))


def ccf_per_day(stand: Stand, vol: Floats, density: Floats, log_vol: Floats, *, ctl: bool) -> Floats:
    """Volume that the three helicopters together fly in a day [CCF per day].

    Parameters
    ----------
    stand : Stand
        Rows of the block.
    vol : (n,) float64
        Volume of the trees that are flown [ft3/acre].
    density : (n,) float64
        Their green density [lb/ft3].
    log_vol : (n,) float64
        Volume of a log [ft3].
    ctl : bool
        Cut-to-length logs.

    Returns
    -------
    (n,) float64
        NaN from `TREE_LIMIT_FT3` on, and where nothing is flown.

    Notes
    -----
    Source: `@ucdavis/frcs` 2.0.0, `helicopteryarding`.
    """
    log_lb = density * log_vol
    hook_lb = vol * density * (math.pi * (HOOK_DIAMETER_FT / 2) ** 2 / SQFT_PER_ACRE_HERE)
    lb_per_day: Floats = np.asarray(0.0)
    for machine in HELICOPTERS.values():
        payload = stand.elevation * machine.payload_lb_per_ft + (machine.payload_lb_ctl if ctl else machine.payload_lb)
        cycle = stand.distance * machine.minutes_per_ft + machine.hook_min
        lb_per_day = lb_per_day + _turn_lb(payload, log_lb, hook_lb) * (machine.yarding_minutes_per_day / cycle)
    daily = lb_per_day / (100.0 * density)
    return np.where((stand.tree_vol_all < TREE_LIMIT_FT3) & (daily != 0.0), daily, np.nan)
