"""Felling by hand: felling alone, for whole-tree systems."""

from __future__ import annotations

import numpy as np

from csrag.simulators.frcs.ramps import Floats, Operation, choose, falling, rising
from csrag.simulators.frcs.rates import Rates
from csrag.simulators.frcs.stand import SQFT_PER_ACRE, Stand


def _chainsaw_ramp(tree_vol: Floats) -> Floats:
    """Weight of Andersson and Young (1998) by tree volume [ft3]."""
    return np.minimum(rising(tree_vol, 0.6, 15), falling(tree_vol, 90, 180))


def _fell(stand: Stand, rates: Rates, tree_vol: Floats, dbh: Floats, weight: Floats, hardwood: Floats) -> Operation:
    """Four chainsaw studies (McNeel 1994; Peterson 1987; Keatley 2000; Andersson and Young 1998 at `weight`)."""
    walk = np.sqrt(SQFT_PER_ACRE / np.maximum(stand.trees_all, 1.0))
    selection = 0.568 + (0.0193 * 0.305) * walk + (0.0294 * 2.54) * dbh
    mcneel = choose(
        stand.partial_cut,
        lambda: selection,
        lambda: np.minimum(selection, 0.163 + (0.0444 * 0.305) * walk + (0.0323 * 2.54) * dbh),
    )
    # dbh**1.496 through the logarithm of its square.
    big = 0.1 + 0.0111 * np.exp(0.748 * np.log((tree_vol + 3.675) * (1 / 0.216)))
    peterson = np.where(dbh < 10, 0.33 + 0.012 * dbh, big)
    keatley = np.sqrt(4.58 + 0.07 * walk + 0.16 * dbh)
    andersson = 1.082 + 0.01505 * tree_vol - 0.634 / tree_vol
    per_minute = 1 / mcneel + 1 / peterson + 1 / keatley + weight / andersson
    cost = (100 / 60) * hardwood * rates.chainsaw * (3 + weight) / (tree_vol * per_minute)
    return Operation(np.where(tree_vol > 0, cost, 0.0), None)


def fell_small_trees(stand: Stand, rates: Rates, *, fuel: bool = False) -> Operation:  # noqa: ARG001
    """Fell chip and small log trees [USD/CCF of them]; 0 without volume. Fuel is gasoline, a constant."""
    weight = np.minimum(_chainsaw_ramp(stand.tree_vol_st), _chainsaw_ramp(stand.tree_vol_all))
    return _fell(stand, rates, stand.tree_vol_st, stand.dbh_st, weight, stand.hardwood_factor_st)


def fell_chip_trees(stand: Stand, rates: Rates, *, fuel: bool = False) -> Operation:  # noqa: ARG001
    """Fell chip trees [USD/CCF of them]; 0 without volume. Fuel is gasoline, a constant."""
    weight = _chainsaw_ramp(stand.tree_vol_ct)
    return _fell(stand, rates, stand.tree_vol_ct, stand.dbh_ct, weight, stand.hardwood_factor_ct)
