"""The stand, second half: density, hardwood, logs, weights, machine sizes and slope.

Every derived variable is computed when it is first read and then kept, so that ten systems on the same rows pay for it
once. Rules are those of `@ucdavis/frcs` 2.0.0, including what it makes of empty classes: 0 where it tests, NaN where it
divides 0 by 0.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from csrag.simulators.frcs.ramps import Floats, falling
from csrag.simulators.frcs.stand_volume import SQFT_PER_ACRE, StandVolume, ratio_or_zero

__all__ = ["SQFT_PER_ACRE", "Stand"]

MANUAL_TREE_FT3 = 150.0
"""Tree volume at which manual systems use their biggest machines [ft3]."""
MECH_TREE_FT3 = 80.0
"""Tree volume at which mechanised systems and chippers use their biggest machines [ft3]."""
DEFAULT_DENSITY = 50.0
"""Green wood density where none is given [lb/ft3]."""
HARDWOOD_PREMIUM = 0.2
"""Cost premium of hardwood, share."""


def _logs_per_tree(dbh: Floats) -> Floats:
    """Logs of 32 ft in a tree of diameter `dbh` [in]."""
    return -0.43 + 0.678 * np.sqrt(dbh)


@dataclass
class Stand(StandVolume):
    """A block of rows with everything that operations share; the inputs are those of `StandVolume`."""

    def at_distance(self, distance: Floats) -> Stand:
        """The same stand at another distance to the landing [ft]; what is known of it already is kept."""
        other = copy.copy(self)
        other.distance = distance
        other.__dict__.pop("ln_distance", None)
        return other

    # Green density [lb/ft3], volume-weighted in groups.
    @cached_property
    def density_ct(self) -> Floats:
        """Chip trees."""
        return np.where(self.given_density_ct > 0, self.given_density_ct, DEFAULT_DENSITY)

    @cached_property
    def density_slt(self) -> Floats:
        """Small log trees."""
        return np.where(self.given_density_slt > 0, self.given_density_slt, DEFAULT_DENSITY)

    @cached_property
    def density_llt(self) -> Floats:
        """Large log trees."""
        return np.where(self.given_density_llt > 0, self.given_density_llt, DEFAULT_DENSITY)

    @cached_property
    def density_st(self) -> Floats:
        """Chip and small log trees; 0 without volume."""
        return ratio_or_zero(self.density_ct * self.vol_ct + self.density_slt * self.vol_slt, self.vol_st)

    @cached_property
    def density_alt(self) -> Floats:
        """Log trees; 0 without volume."""
        return ratio_or_zero(self.density_slt * self.vol_slt + self.density_llt * self.vol_llt, self.vol_alt)

    @cached_property
    def density_all(self) -> Floats:
        """All trees; NaN without volume."""
        return (self.density_ct * self.vol_ct + self.density_alt * self.vol_alt) / self.vol_all

    # Hardwood: share of volume, then the factor on cost.
    @cached_property
    def _hardwood_ct(self) -> Floats:
        return np.where(np.isnan(self.given_hardwood_ct), 0.0, self.given_hardwood_ct)

    @cached_property
    def _hardwood_slt(self) -> Floats:
        return np.where(np.isnan(self.given_hardwood_slt), 0.0, self.given_hardwood_slt)

    @cached_property
    def _hardwood_llt(self) -> Floats:
        return np.where(np.isnan(self.given_hardwood_llt), 0.0, self.given_hardwood_llt)

    @cached_property
    def _hardwood_alt(self) -> Floats:
        return ratio_or_zero(self._hardwood_slt * self.vol_slt + self._hardwood_llt * self.vol_llt, self.vol_alt)

    @cached_property
    def hardwood_factor_ct(self) -> Floats:
        """Chip trees, 1 and more."""
        return np.asarray(1 + HARDWOOD_PREMIUM * self._hardwood_ct)

    @cached_property
    def hardwood_factor_slt(self) -> Floats:
        """Small log trees, 1 and more."""
        return np.asarray(1 + HARDWOOD_PREMIUM * self._hardwood_slt)

    @cached_property
    def hardwood_factor_llt(self) -> Floats:
        """Large log trees, 1 and more."""
        return np.asarray(1 + HARDWOOD_PREMIUM * self._hardwood_llt)

    @cached_property
    def hardwood_factor_st(self) -> Floats:
        """Chip and small log trees, 1 and more."""
        share = ratio_or_zero(self._hardwood_ct * self.vol_ct + self._hardwood_slt * self.vol_slt, self.vol_st)
        return 1 + HARDWOOD_PREMIUM * share

    @cached_property
    def hardwood_factor_alt(self) -> Floats:
        """Log trees, 1 and more."""
        return 1 + HARDWOOD_PREMIUM * self._hardwood_alt

    @cached_property
    def hardwood_factor_all(self) -> Floats:
        """All trees, 1 and more; NaN without volume."""
        return 1 + HARDWOOD_PREMIUM * (
            (self._hardwood_ct * self.vol_ct + self._hardwood_alt * self.vol_alt) / self.vol_all
        )

    # Logs: 1 a chip tree.
    @cached_property
    def logs_per_tree_slt(self) -> Floats:
        """Small log trees."""
        return _logs_per_tree(self.dbh_slt)

    @cached_property
    def logs_per_tree_llt(self) -> Floats:
        """Large log trees."""
        return _logs_per_tree(self.dbh_llt)

    @cached_property
    def logs_per_tree_st(self) -> Floats:
        """Chip and small log trees; NaN without trees."""
        return (self.trees_ct + self.logs_per_tree_slt * self.trees_slt) / self.trees_st

    @cached_property
    def logs_per_tree_alt(self) -> Floats:
        """Log trees; 0 without trees."""
        logs = self.logs_per_tree_slt * self.trees_slt + self.logs_per_tree_llt * self.trees_llt
        return np.where(self.trees_alt == 0, 0.0, logs / self.trees_alt)

    @cached_property
    def logs_per_tree_all(self) -> Floats:
        """All trees; NaN without trees."""
        return (self.trees_ct + self.logs_per_tree_alt * self.trees_alt) / self.trees_all

    @cached_property
    def log_vol_st(self) -> Floats:
        """Volume of a log, chip and small log trees [ft3]."""
        return self.tree_vol_st / self.logs_per_tree_st

    @cached_property
    def log_vol_alt(self) -> Floats:
        """Volume of a log, log trees [ft3]; 0 without trees."""
        return np.where(self.trees_alt == 0, 0.0, self.tree_vol_alt / self.logs_per_tree_alt)

    @cached_property
    def log_vol_all(self) -> Floats:
        """Volume of a log, all trees [ft3]."""
        return self.tree_vol_all / self.logs_per_tree_all

    @cached_property
    def ctl_logs_per_tree_ct(self) -> Floats:
        """Cut-to-length logs of a chip tree, at least 1."""
        return np.maximum(1.0, 2 * _logs_per_tree(self.dbh_ct))

    @cached_property
    def ctl_logs_per_tree(self) -> Floats:
        """Cut-to-length logs of a chip or small log tree, at least 1."""
        return np.maximum(1.0, 2 * _logs_per_tree(self.dbh_st))

    @cached_property
    def ctl_log_vol_ct(self) -> Floats:
        """Cut-to-length log of a chip tree [ft3]."""
        return self.tree_vol_ct / self.ctl_logs_per_tree_ct

    @cached_property
    def ctl_log_vol(self) -> Floats:
        """Cut-to-length log of a chip or small log tree [ft3]."""
        return self.tree_vol_st / self.ctl_logs_per_tree

    # Weights, green short tons per acre.
    @cached_property
    def bole_ct(self) -> Floats:
        """Boles of chip trees [GT/acre]."""
        return self.density_ct * self.vol_ct * (1 / 2000)

    @cached_property
    def bole_slt(self) -> Floats:
        """Boles of small log trees [GT/acre]."""
        return self.density_slt * self.vol_slt * (1 / 2000)

    @cached_property
    def bole_llt(self) -> Floats:
        """Boles of large log trees [GT/acre]."""
        return self.density_llt * self.vol_llt * (1 / 2000)

    @cached_property
    def bole_st(self) -> Floats:
        """Boles of chip and small log trees [GT/acre]."""
        return self.bole_ct + self.bole_slt

    @cached_property
    def bole_all(self) -> Floats:
        """All boles [GT/acre]."""
        return self.bole_ct + (self.bole_slt + self.bole_llt)

    @cached_property
    def residue_ct(self) -> Floats:
        """Residue of chip trees before recovery [GT/acre]."""
        return self.residue_fraction_ct * self.bole_ct

    @cached_property
    def residue_slt(self) -> Floats:
        """Residue of small log trees before recovery [GT/acre]."""
        return self.residue_fraction_slt * self.bole_slt

    @cached_property
    def residue_llt(self) -> Floats:
        """Residue of large log trees before recovery [GT/acre]."""
        return self.residue_fraction_llt * self.bole_llt

    @cached_property
    def residue_st(self) -> Floats:
        """Residue of chip and small log trees before recovery [GT/acre]."""
        return self.residue_ct + self.residue_slt

    @cached_property
    def residue_all(self) -> Floats:
        """Residue of all trees before recovery [GT/acre]."""
        return self.residue_ct + (self.residue_slt + self.residue_llt)

    # Share of the bigger machine, 0 to 1.
    @cached_property
    def manual_size(self) -> Floats:
        """Manual systems, all trees."""
        return np.minimum(1.0, self.tree_vol_all * (1 / MANUAL_TREE_FT3))

    @cached_property
    def manual_size_alt(self) -> Floats:
        """Manual systems, log trees."""
        return np.minimum(1.0, self.tree_vol_alt * (1 / MANUAL_TREE_FT3))

    @cached_property
    def mech_size(self) -> Floats:
        """Mechanised systems."""
        return np.minimum(1.0, self.tree_vol_st * (1 / MECH_TREE_FT3))

    @cached_property
    def chipper_size(self) -> Floats:
        """Chippers."""
        return np.minimum(1.0, self.tree_vol_ct * (1 / MECH_TREE_FT3))

    # Slope and density of removal (Mellgren 1990).
    @cached_property
    def cab(self) -> Floats:
        """Share of machines whose cab does not level: 1 below 15 percent slope, 0 from 35 on."""
        return falling(self.slope, 15.0, 35.0)

    @cached_property
    def slope_factor(self) -> Floats:
        """Added time share of felling and harvesting machines on slopes."""
        return self.slope * (0.00015 * self.slope + 0.00359 * self.cab)

    @cached_property
    def removals_factor(self) -> Floats:
        """Added time share where few trees are cut."""
        per_ha = 2.47 * self.trees_st
        return np.maximum(0.0, 0.66 + per_ha * (5.357e-7 * per_ha - 0.001193))

    @cached_property
    def slope_load_factor(self) -> Floats:
        """Load of skidders and forwarders on slopes over that on the flat; negative above 88.7 percent."""
        return 1 - 0.000127 * (self.slope * self.slope)
