"""Felling, limbing and bucking by hand, for log systems and for large log trees."""

from __future__ import annotations

import numpy as np

from csrag.simulators.frcs.ramps import Floats, Operation, choose, rising
from csrag.simulators.frcs.rates import Rates
from csrag.simulators.frcs.stand import SQFT_PER_ACRE, Stand


def _willamette_weight(tree_vol: Floats) -> Floats:
    """Weight of Kellogg, Miller and Olsen (1999): 1 from 2 to 70 ft3, then down 1 in 350 ft3, negative above 420."""
    return np.minimum(np.maximum(tree_vol - 1, 0.0), np.minimum(1.0, 1.2 - tree_vol / 350))


def _fell_limb_buck(
    stand: Stand,
    rates: Rates,
    *,
    tree_vol: Floats,
    dbh: Floats,
    logs: Floats,
    walk: Floats,
    andersson_vol: Floats,
    hardwood: Floats,
) -> Floats:
    """Three chainsaw studies: Kellogg and Olsen 1986; Kellogg et al. 1999; Andersson and Young 1998 [USD/CCF].

    The second is always weighted by the mean volume of all trees; the third by `andersson_vol` [ft3].
    """
    clear_cut_time = choose(stand.partial_cut, lambda: np.asarray(1.2), lambda: np.asarray(1.2 * 0.9))
    kellogg = clear_cut_time * (1.47 + 0.0187 * walk + 0.0143 * stand.slope + 0.0987 * tree_vol)
    heavy_thinning = choose(stand.partial_cut, lambda: np.asarray(0.0), lambda: np.asarray(0.426))
    # -0.465 + 31.5 limbs, 0.02 wedges, 0.21 corridors, not between openings; 25 percent delay.
    fixed = -0.465 + 0.016 * 31.5 + 0.734 * 0.02 + 0.137 * 0.21 + 0.449
    willamette = 1.25 * (fixed + 0.102 * dbh + 0.562 * logs + 0.009 * stand.slope + heavy_thinning)
    andersson = 1.197 * (1.772 + 0.02877 * tree_vol - 2.6486 / tree_vol)
    w2, w3 = _willamette_weight(stand.tree_vol_all), rising(andersson_vol, 5, 15)
    per_minute = 1 / kellogg + w2 / willamette + w3 / andersson
    return (100 / 60) * hardwood * rates.chainsaw * (1 + w2 + w3) / (tree_vol * per_minute)


def fell_limb_buck_all(stand: Stand, rates: Rates, *, fuel: bool = False) -> Operation:  # noqa: ARG001
    """All trees [USD/CCF]; NaN without volume. Fuel is gasoline, a constant."""
    cost = _fell_limb_buck(
        stand,
        rates,
        tree_vol=stand.tree_vol_all,
        dbh=stand.dbh_all,
        logs=stand.logs_per_tree_all,
        walk=np.sqrt(SQFT_PER_ACRE / np.maximum(stand.trees_all, 1.0)),
        andersson_vol=stand.tree_vol_all,
        hardwood=stand.hardwood_factor_all,
    )
    return Operation(cost, None)


def fell_limb_buck_logs(stand: Stand, rates: Rates, *, fuel: bool = False) -> Operation:  # noqa: ARG001
    """Log trees [USD/CCF of them]; 0 without volume. Fuel is gasoline, a constant."""
    cost = _fell_limb_buck(
        stand,
        rates,
        tree_vol=stand.tree_vol_alt,
        dbh=stand.dbh_alt,
        logs=stand.logs_per_tree_alt,
        walk=np.sqrt(SQFT_PER_ACRE / stand.trees_all),
        andersson_vol=stand.tree_vol_alt,
        hardwood=stand.hardwood_factor_alt,
    )
    return Operation(np.where(stand.tree_vol_alt > 0, cost, 0.0), None)


def _large(stand: Stand, rates: Rates, walk: Floats, andersson_vol: Floats) -> Operation:
    if not (stand.tree_vol_llt > 0).any():  # no large log trees at all: the usual block of a layer build
        return Operation(np.asarray(0.0), None)
    cost = _fell_limb_buck(
        stand,
        rates,
        tree_vol=stand.tree_vol_llt,
        dbh=stand.dbh_llt,
        logs=stand.logs_per_tree_llt,
        walk=walk,
        andersson_vol=andersson_vol,
        hardwood=stand.hardwood_factor_llt,
    )
    return Operation(np.where(stand.tree_vol_llt > 0, cost, 0.0), None)


def fell_limb_buck_large_mech(stand: Stand, rates: Rates, *, fuel: bool = False) -> Operation:  # noqa: ARG001
    """Large log trees beside a feller-buncher [USD/CCF of them]; 0 without volume. Weights by the mean of all trees."""
    return _large(stand, rates, np.sqrt(SQFT_PER_ACRE / np.maximum(stand.trees_llt, 1.0)), stand.tree_vol_all)


def fell_limb_buck_large(stand: Stand, rates: Rates, *, fuel: bool = False) -> Operation:  # noqa: ARG001
    """Large log trees in manual whole-tree systems [USD/CCF of them]; 0 without volume."""
    return _large(stand, rates, np.sqrt(SQFT_PER_ACRE / stand.trees_all), stand.tree_vol_llt)
