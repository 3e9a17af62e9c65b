"""Bundling residue in the stand and forwarding the bundles (cut-to-length systems)."""

from __future__ import annotations

import numpy as np

from csrag.simulators.frcs.ramps import Floats, Operation
from csrag.simulators.frcs.rates import Rates, gal_per_pmh
from csrag.simulators.frcs.stand import SQFT_PER_ACRE, Stand

TRAIL_SPACING_FT = 50.0
BUNDLE_GT = 0.9
MOVE_FT = 30.0


def bundle(stand: Stand, rates: Rates, recovery: Floats, *, fuel: bool = False) -> Operation:
    """Bundle residue of chip and small log trees [USD/GT recovered]; 0 without residue.

    Cuchet, Roux and Spinelli 2003; Rummer, Len and O'Brien 2004. `recovery` is the share recovered.
    """
    recovered = recovery * stand.residue_st
    ft_per_gt = SQFT_PER_ACRE / (TRAIL_SPACING_FT * recovered)
    moving = (0.27 + (0.0134 * 1.1 / 3.28) * ft_per_gt) / 1.1
    loading = (1.57 / 1.1) * np.maximum(3.0, 5.5 - (0.1 * 2.47 / 1.1) * recovered)
    cuchet = np.maximum(moving + loading + 0.97 / 1.1, 4.5 / 1.1)
    fixed = 0.06 + (0.34 + 0.45 * 3.9) + 0.96 + 0.048 + 0.34 + 0.15
    rummer = fixed + (0.0084 * BUNDLE_GT) * ft_per_gt
    gt_per_pmh = 60 / cuchet + 60 * BUNDLE_GT / rummer
    cost = np.where(stand.residue_st > 0, 2 * rates.bundler / gt_per_pmh, 0.0)
    return Operation(cost, gal_per_pmh("bundler") * cost / rates.bundler if fuel else None)


def forward_bundles(stand: Stand, rates: Rates, *, fuel: bool = False) -> Operation:
    """Forward bundles [USD/GT recovered]; 0 without residue. Adapted by FRCS from McNeel and Rutherford 1994."""
    x = stand.distance
    load = (0.75 * 11) * stand.slope_load_factor
    inter = load * (SQFT_PER_ACRE / TRAIL_SPACING_FT) / stand.residue_st
    out = np.minimum(2 * x, x + 0.5 * inter)
    back = np.maximum(0.0, x - 0.5 * inter)
    move = np.maximum(MOVE_FT, inter / (load / BUNDLE_GT))
    minutes = (
        (0.342 + 9.248 / 2 + 0.239 + 5.385 / 2)
        + (0.0135 * 0.305) * out
        + (0.2048 + (0.0146 * 0.305) * move) * (inter / move)
        + (0.0125 * 0.305) * back
    )
    cost = np.where(stand.residue_st > 0, rates.forwarder_s * minutes / (60 * load), 0.0)
    return Operation(cost, gal_per_pmh("forwarder_s") * cost / rates.forwarder_s if fuel else None)
