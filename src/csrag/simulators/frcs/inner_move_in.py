"""Move-in as FRCS counts it inside a run, per acre of the harvest unit.

It differs from the campaign of `csrag.simulators.move_in`: every load is driven back empty, and the chipper costs
something only where there is chip-tree volume although its load is counted wherever residue is collected.
"""

from __future__ import annotations

import numpy as np

from csrag.simulators.frcs.ramps import Floats
from csrag.simulators.frcs.rates import Rates
from csrag.simulators.frcs.systems import System
from csrag.simulators.frcs.work import Work
from csrag.simulators.lowboy import (
    BUNDLE_LOADS,
    BUNDLE_MACHINES,
    EMPTY_MILES_PER_HOUR,
    HELICOPTER_MILES_PER_HOUR,
    HELICOPTER_USD_PER_HOUR,
    LOAD_HOURS,
    LOADED_MILES_PER_HOUR,
    LOWBOY_USD_PER_HOUR,
    TRUCK_MILES_PER_GALLON,
)


def _machines(names: tuple[str, ...], rates: Rates, miles: Floats) -> Floats:
    """Cost of bringing `names` in [USD], without the drive back."""
    total: Floats = np.asarray(0.0)
    for name in names:
        if name == "helicopter":
            total = total + HELICOPTER_USD_PER_HOUR * (1 + 2 * miles / HELICOPTER_MILES_PER_HOUR)
        else:
            hourly = LOWBOY_USD_PER_HOUR + getattr(rates, f"own_{name}")
            total = total + hourly * (LOAD_HOURS + miles / LOADED_MILES_PER_HOUR)
    return total


def _back(loads: Floats, miles: Floats) -> Floats:
    return LOWBOY_USD_PER_HOUR * loads * miles / EMPTY_MILES_PER_HOUR


def move_in_usd_per_ccf(system: System, work: Work) -> Floats:
    """Move-in of a system [USD per CCF of the boles it takes]; infinite where it takes none."""
    stand, terms = work.stand, work.terms
    chips = stand.vol_ct > 0
    loads = np.asarray(chips | terms.collect, dtype=np.float64) + system.move_loads
    total = (
        _machines(system.machines, work.rates, terms.move_in_distance)
        + np.where(chips, _machines(("chipper",), work.rates, terms.move_in_distance), 0.0)
        + _back(loads, terms.move_in_distance)
    )
    volume = stand.tree_vol_all * stand.trees_all if system.takes == "all" else stand.tree_vol_st * stand.trees_st
    return total * 100 / (terms.area * volume)


def bundle_move_in_usd_per_gt(work: Work) -> Floats:
    """Move-in of bundler and forwarder [USD per GT of residue recovered]; infinite where none is."""
    terms = work.terms
    loads = np.asarray(float(BUNDLE_LOADS))
    total = _machines(BUNDLE_MACHINES, work.rates, terms.move_in_distance) + _back(loads, terms.move_in_distance)
    return total / (terms.area * work.stand.residue_st * terms.recovery_ctl)


def move_in_gal_per_acre(loads: Floats, work: Work) -> Floats:
    """Diesel of `loads` lowboy loads, there and back [gal/acre]."""
    return loads * 2 * work.terms.move_in_distance / TRUCK_MILES_PER_GALLON / work.terms.area
