"""The stand: inputs of a block of rows and the variables that operations share.

Every derived variable is computed when it is first read and then kept, so that ten systems on the same rows pay for it
once. Rules are those of `@ucdavis/frcs` 2.0.0, including what it makes of empty classes: 0 where it tests, NaN where it
divides 0 by 0.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from csrag.simulators.frcs.ramps import Floats, falling

MANUAL_TREE_FT3 = 150.0
"""Tree volume at which manual systems use their biggest machines [ft3]."""
MECH_TREE_FT3 = 80.0
"""Tree volume at which mechanised systems and chippers use their biggest machines [ft3]."""
DEFAULT_DENSITY = 50.0
"""Green wood density where none is given [lb/ft3]."""
HARDWOOD_PREMIUM = 0.2
"""Cost premium of hardwood, share."""
SQFT_PER_ACRE = 43560.0


def _dbh_squared(tree_vol: Floats) -> Floats:
    """Square of the diameter at breast height [in2] of a tree of `tree_vol` [ft3]; never below 17 (4.12 in)."""
    return np.asarray((tree_vol + 3.675) * (1 / 0.216))


def _ratio_or_zero(top: Floats, bottom: Floats) -> Floats:
    """`top / bottom`, 0 where `bottom` is not positive."""
    return np.where(bottom > 0, top / bottom, 0.0)


def _logs_per_tree(dbh: Floats) -> Floats:
    """Logs of 32 ft in a tree of diameter `dbh` [in]."""
    return -0.43 + 0.678 * np.sqrt(dbh)


@dataclass
class Stand:
    """A block of rows.

    Parameters
    ----------
    slope : (n,) float64
        Slope [percent].
    distance : (n,) float64
        Distance to the landing along the slope [ft].
    elevation : (n,) float64
        Elevation [ft].
    partial_cut : (n,) or () bool
        False for a clear cut.
    trees_ct, trees_slt, trees_llt : (n,) or () float64
        Trees cut [1/acre]: chip trees, small log trees, large log trees.
    tree_vol_ct, tree_vol_slt, tree_vol_llt : (n,) or () float64
        Bole volume of a tree [ft3].
    given_density_ct, given_density_slt, given_density_llt : (n,) or () float64
        Green density [lb/ft3]; 50 is used where it is not positive.
    residue_fraction_ct, residue_fraction_slt, residue_fraction_llt : (n,) or () float64
        Residue over bole weight.
    given_hardwood_ct, given_hardwood_slt, given_hardwood_llt : (n,) or () float64
        Hardwood share of the volume; NaN counts as 0.
    """

    slope: Floats
    distance: Floats
    elevation: Floats
    partial_cut: NDArray[np.bool_]
    trees_ct: Floats
    trees_slt: Floats
    trees_llt: Floats
    tree_vol_ct: Floats
    tree_vol_slt: Floats
    tree_vol_llt: Floats
    given_density_ct: Floats
    given_density_slt: Floats
    given_density_llt: Floats
    residue_fraction_ct: Floats
    residue_fraction_slt: Floats
    residue_fraction_llt: Floats
    given_hardwood_ct: Floats
    given_hardwood_slt: Floats
    given_hardwood_llt: Floats

    def at_distance(self, distance: Floats) -> Stand:
        """The same stand at another distance to the landing [ft]; what is known of it already is kept."""
        other = copy.copy(self)
        other.distance = distance
        other.__dict__.pop("ln_distance", None)
        return other

    # Trees per acre of the groups.
    @cached_property
    def trees_st(self) -> Floats:
        """Chip and small log trees [1/acre]."""
        return self.trees_ct + self.trees_slt

    @cached_property
    def trees_alt(self) -> Floats:
        """Log trees [1/acre]."""
        return self.trees_slt + self.trees_llt

    @cached_property
    def trees_all(self) -> Floats:
        """All trees [1/acre]."""
        return self.trees_ct + self.trees_slt + self.trees_llt

    # Volume per acre.
    @cached_property
    def vol_ct(self) -> Floats:
        """Chip trees [ft3/acre]."""
        return self.trees_ct * self.tree_vol_ct

    @cached_property
    def vol_slt(self) -> Floats:
        """Small log trees [ft3/acre]."""
        return self.trees_slt * self.tree_vol_slt

    @cached_property
    def vol_llt(self) -> Floats:
        """Large log trees [ft3/acre]."""
        return self.trees_llt * self.tree_vol_llt

    @cached_property
    def vol_st(self) -> Floats:
        """Chip and small log trees [ft3/acre]."""
        return self.vol_ct + self.vol_slt

    @cached_property
    def vol_alt(self) -> Floats:
        """Log trees [ft3/acre]."""
        return self.vol_slt + self.vol_llt

    @cached_property
    def vol_all(self) -> Floats:
        """All trees [ft3/acre]."""
        return self.vol_ct + self.vol_slt + self.vol_llt

    # Volume per tree of the groups (0 without trees).
    @cached_property
    def tree_vol_st(self) -> Floats:
        """Mean chip or small log tree [ft3]."""
        return _ratio_or_zero(self.vol_st, self.trees_st)

    @cached_property
    def tree_vol_alt(self) -> Floats:
        """Mean log tree [ft3]."""
        return _ratio_or_zero(self.vol_alt, self.trees_alt)

    @cached_property
    def tree_vol_all(self) -> Floats:
        """Mean tree [ft3]."""
        return _ratio_or_zero(self.vol_all, self.trees_all)

    # Natural logarithm of tree volume, -inf at 0: powers are exp(p ln v), which is several times faster than pow.
    @cached_property
    def ln_tree_vol_ct(self) -> Floats:
        """Chip trees."""
        return np.log(self.tree_vol_ct)

    @cached_property
    def ln_tree_vol_slt(self) -> Floats:
        """Small log trees."""
        return np.log(self.tree_vol_slt)

    @cached_property
    def ln_tree_vol_st(self) -> Floats:
        """Mean chip or small log tree."""
        return np.log(self.tree_vol_st)

    @cached_property
    def ln_tree_vol_all(self) -> Floats:
        """Mean tree."""
        return np.log(self.tree_vol_all)

    @cached_property
    def ln_distance(self) -> Floats:
        """Of the distance to the landing in ft."""
        return np.log(self.distance)

    # Diameter at breast height [in]. That of a group is the root of the tree-weighted mean square; since the square is
    # linear in tree volume it is the diameter of the mean tree.
    @cached_property
    def dbh_ct(self) -> Floats:
        """Chip trees [in], 4.12 where the volume is 0."""
        return np.sqrt(_dbh_squared(self.tree_vol_ct))

    @cached_property
    def dbh_slt(self) -> Floats:
        """Small log trees [in], 4.12 where the volume is 0."""
        return np.sqrt(_dbh_squared(self.tree_vol_slt))

    @cached_property
    def dbh_llt(self) -> Floats:
        """Large log trees [in], 4.12 where the volume is 0."""
        return np.sqrt(_dbh_squared(self.tree_vol_llt))

    @cached_property
    def dbh_st(self) -> Floats:
        """Chip and small log trees [in]; 0 without volume."""
        return np.sqrt(np.where(self.tree_vol_st > 0, _dbh_squared(self.tree_vol_st), 0.0))

    @cached_property
    def _dbh_alt_squared(self) -> Floats:
        return np.where(self.tree_vol_alt > 0, _dbh_squared(self.tree_vol_alt), 0.0)

    @cached_property
    def dbh_alt(self) -> Floats:
        """Log trees [in]; 0 without volume."""
        return np.sqrt(self._dbh_alt_squared)

    @cached_property
    def dbh_all(self) -> Floats:
        """All trees [in]; NaN without trees."""
        squares = self.trees_ct * _dbh_squared(self.tree_vol_ct) + self.trees_alt * self._dbh_alt_squared
        return np.sqrt(squares / self.trees_all)

    # Diameter at the butt [in].
    @cached_property
    def butt_slt(self) -> Floats:
        """Small log trees [in]."""
        return self.dbh_slt + 3

    @cached_property
    def butt_st(self) -> Floats:
        """Chip and small log trees [in]."""
        return self.dbh_st + 3

    @cached_property
    def butt_all(self) -> Floats:
        """All trees [in]."""
        return self.dbh_all + 3

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
        return _ratio_or_zero(self.density_ct * self.vol_ct + self.density_slt * self.vol_slt, self.vol_st)

    @cached_property
    def density_alt(self) -> Floats:
        """Log trees; 0 without volume."""
        return _ratio_or_zero(self.density_slt * self.vol_slt + self.density_llt * self.vol_llt, self.vol_alt)

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
        return _ratio_or_zero(self._hardwood_slt * self.vol_slt + self._hardwood_llt * self.vol_llt, self.vol_alt)

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
        share = _ratio_or_zero(self._hardwood_ct * self.vol_ct + self._hardwood_slt * self.vol_slt, self.vol_st)
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
