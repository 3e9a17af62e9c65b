"""The stand, first half: inputs of a block of rows; trees, volumes and diameters.

Every derived variable is computed when it is first read and then kept, so that ten systems on the same rows pay for it
once. Rules are those of `@ucdavis/frcs` 2.0.0, including what it makes of empty classes: 0 where it tests, NaN where it
divides 0 by 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from csrag.simulators.frcs.ramps import Floats

SQFT_PER_ACRE = 43560.0


def _dbh_squared(tree_vol: Floats) -> Floats:
    """Square of the diameter at breast height [in2] of a tree of `tree_vol` [ft3]; never below 17 (4.12 in)."""
    return np.asarray((tree_vol + 3.675) * (1 / 0.216))


def ratio_or_zero(top: Floats, bottom: Floats) -> Floats:
    """`top / bottom` in any unit, 0 where `bottom` is not positive."""
    return np.where(bottom > 0, top / bottom, 0.0)


@dataclass
class StandVolume:
    """Inputs of a block of rows, and its trees, volumes and diameters.

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
        return ratio_or_zero(self.vol_st, self.trees_st)

    @cached_property
    def tree_vol_alt(self) -> Floats:
        """Mean log tree [ft3]."""
        return ratio_or_zero(self.vol_alt, self.trees_alt)

    @cached_property
    def tree_vol_all(self) -> Floats:
        """Mean tree [ft3]."""
        return ratio_or_zero(self.vol_all, self.trees_all)

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
