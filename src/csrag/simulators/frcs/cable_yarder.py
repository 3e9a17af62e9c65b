"""What the three ways of cable yarding share: yarder, turn, corridor, and the weighting of their equations.

Each equation gives the minutes of a turn. With V the yarder's productivity [ft3 per PMH] the cost of an equation is
``100 * rate / V + change`` [USD per CCF], where `change` is moving the corridor and the landing; equations are mixed as
``sum(w V cost) / sum(w V)``. Terms are kept in that form, not cancelled: where V or the change is infinite the package
answers NaN or infinity, and so does this.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from csrag.simulators.frcs.ramps import Floats
from csrag.simulators.frcs.rates import Rates, blend, gal_per_pmh
from csrag.simulators.frcs.stand import SQFT_PER_ACRE, Stand

TURN_AREA_SQFT = 800.0
"""Area from which chokers can be set for one turn [ft2]."""
LATERAL_FT = 35.0
"""Mean lateral yarding distance of partial cuts and cut-to-length [ft]."""
CORRIDOR_SPACING_FT = 150.0
"""Distance between skyline corridors, partial cut and cut-to-length [ft]."""


class TurnTime(NamedTuple):
    """Regression for the minutes of one turn.

    Parameters
    ----------
    source : str
        Machine and study, as FRCS cites it.
    constant : float
        Constant with the fixed inputs (lateral distance, chokers, ...) already in.
    terms : tuple of (str, float)
        Feature and coefficient.
    exponential : bool
        The sum is the logarithm of the minutes.
    scale : float
        Factor on the sum: from the study's unit of time to minutes, and delays.
    """

    source: str
    constant: float
    terms: tuple[tuple[str, float], ...]
    exponential: bool = False
    scale: float = 1.0

    def minutes(self, features: Mapping[str, Floats]) -> Floats:
        """Minutes of a turn, (n,) float64."""
        name, coefficient = self.terms[0]
        total = features[name] * (coefficient * self.scale)
        total = total + self.constant * self.scale
        for name, coefficient in self.terms[1:]:
            total = total + features[name] * (coefficient * self.scale)
        return np.exp(total) if self.exponential else total


class Mix:
    """Running weighted mean of cable equations that share a yarder and a turn.

    Parameters
    ----------
    turn_ft3 : (n,) float64
        Volume of a turn [ft3].
    usd_per_pmh : (n,) float64
        Rate of the yarder.
    """

    def __init__(self, turn_ft3: Floats, usd_per_pmh: Floats) -> None:
        self._per_hour = turn_ft3 * 60.0
        self._usd_per_ccf_minute = 100.0 * usd_per_pmh / self._per_hour
        self.product: Floats = np.asarray(0.0)
        self.divisor: Floats = np.asarray(0.0)

    def add(self, minutes: Floats, change_usd_per_ccf: Floats, weight: Floats) -> None:
        """Take one equation in; see the module's head."""
        weighted = weight * (self._per_hour / minutes)
        self.product = self.product + weighted * (minutes * self._usd_per_ccf_minute + change_usd_per_ccf)
        self.divisor = self.divisor + weighted


def yarder_rate(stand: Stand, rates: Rates) -> Floats:
    """Rate of the yarder for the mean tree [USD per PMH]."""
    return blend(rates.yarder_s, rates.yarder_i, stand.manual_size)


def yarder_gal_per_pmh(stand: Stand) -> Floats:
    """Diesel of the yarder for the mean tree [gal per PMH]."""
    return blend(np.asarray(gal_per_pmh("yarder_s")), np.asarray(gal_per_pmh("yarder_i")), stand.manual_size)


def capacity_ft3(stand: Stand, density: Floats) -> Floats:
    """Largest turn the yarder lifts [ft3]: 6,000 to 9,000 lb over the green density [lb/ft3]."""
    return (6000.0 + 3000.0 * stand.manual_size) / density


def turn_ft3(stand: Stand) -> Floats:
    """Turn of whole trees or logs [ft3]: what lies in reach, at least a tree, at most the yarder's capacity."""
    in_reach = np.maximum(stand.vol_all * (TURN_AREA_SQFT / SQFT_PER_ACRE), stand.tree_vol_all)
    return np.minimum(capacity_ft3(stand, stand.density_all), in_reach)


def corridor_usd_per_ccf_hour(stand: Stand, usd_per_pmh: Floats) -> Floats:
    """Cost of one hour of corridor change, spread over the corridor's volume [USD per CCF].

    The corridor is twice the yarding distance long and `CORRIDOR_SPACING_FT` wide; at distance 0 it has no volume.
    """
    acres = stand.distance * (2.0 * CORRIDOR_SPACING_FT / SQFT_PER_ACRE)
    return 100.0 * usd_per_pmh / (stand.vol_all * acres)
