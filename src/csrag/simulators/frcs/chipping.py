"""Chipping whole trees, cut-to-length logs, loose residue and bundles."""

from __future__ import annotations

import numpy as np

from csrag.simulators.frcs.ramps import Floats, Operation, falling
from csrag.simulators.frcs.rates import Rates, blend, gal_per_pmh
from csrag.simulators.frcs.stand import Stand

LOAD_GT = 25.0
"""Chips in a van [GT]."""
EXCHANGE_MIN = 5.3
"""Minutes from one van to the next."""
LOOSE_BDT_PER_PMH = (13.5 + 31) / 2
"""Drum chippers on piled residue (Desrochers, Puttock and Ryans 1995)."""


def _rate(stand: Stand, rates: Rates) -> Floats:
    return blend(rates.chipper_s, rates.chipper_b, stand.chipper_size)


def _gal(stand: Stand) -> Floats:
    small, big = gal_per_pmh("chipper_s"), gal_per_pmh("chipper_b")
    return small + (big - small) * stand.chipper_size


def _hartsough_van(dry_lb: Floats, dry_share: Floats) -> Floats:
    """Minutes a van, Hartsough et al. 1997, pieces of `dry_lb` [lb] each."""
    pieces = 1.2 + 338 / dry_lb
    swing = (0.25 + 0.0264 * pieces + 0.000498 * dry_lb) * 1.038
    return swing / (dry_lb * pieces) * (2000 * LOAD_GT * dry_share) + (0.93 + EXCHANGE_MIN)


def _finish(stand: Stand, rates: Rates, weight: Floats, volume: Floats, fuel: bool) -> Operation:
    rate = _rate(stand, rates)
    cost = np.where(stand.tree_vol_ct > 0, 100 * stand.hardwood_factor_ct * rate * weight / volume, 0.0)
    return Operation(cost, _gal(stand) * cost / rate if fuel else None)


def chip_whole_trees(stand: Stand, rates: Rates, moisture: Floats, *, fuel: bool = False) -> Operation:
    """Chip trees of the size of the chip trees [USD/CCF]; 0 where these have no volume.

    Johnson 1989; Hartsough (unpublished); Hartsough et al. 1997. `moisture` is a share, wet basis.
    """
    v = stand.tree_vol_ct
    dry_share = 1 - moisture
    hp = np.minimum(700.0, np.maximum(200.0, 100 + 100 * np.sqrt(v)))
    johnson = (hp / 6 - 17) * 2000 / stand.density_ct
    morbark = np.minimum(4000.0, 463 * np.exp(0.668 * stand.ln_tree_vol_ct))
    dry_lb = v * stand.density_ct * dry_share
    hartsough = (60 * 2000 * LOAD_GT) / (stand.density_ct * _hartsough_van(dry_lb, dry_share))
    w = falling(dry_lb, 400, 800)
    return _finish(stand, rates, 2 + w, johnson + morbark + w * hartsough, fuel)


def chip_ctl_logs(stand: Stand, rates: Rates, moisture: Floats, *, fuel: bool = False) -> Operation:
    """Chip cut-to-length logs of chip trees [USD/CCF of them]; 0 without volume.

    Drews et al. 1998; Hartsough et al. 1997. `moisture` is a share, wet basis.
    """
    dry_share = 1 - moisture
    lb = stand.ctl_log_vol_ct * stand.density_ct
    drews = np.maximum(0.8, (2.05 - 0.00541 * lb) * 1.111) * LOAD_GT + EXCHANGE_MIN
    dry_lb = lb * dry_share
    w_drews = np.maximum(0.1, falling(lb, 100, 200))
    w_hartsough = falling(dry_lb, 400, 800)
    volume = (
        (60 * 2000 * LOAD_GT) * (w_drews / drews + w_hartsough / _hartsough_van(dry_lb, dry_share)) / stand.density_ct
    )
    return _finish(stand, rates, w_drews + w_hartsough, volume, fuel)


def _residue(stand: Stand, rates: Rates, gt_per_pmh: Floats, fuel: bool) -> Operation:
    rate = _rate(stand, rates) + rates.loader_s
    cost = rate / gt_per_pmh
    return Operation(cost, (_gal(stand) + gal_per_pmh("loader_s")) * cost / rate if fuel else None)


def chip_loose(stand: Stand, rates: Rates, moisture: Floats, *, fuel: bool = False) -> Operation:
    """Chip piled residue [USD/GT].

    The package divides bone-dry tons by the moisture where dry share is meant; both are the same at 50 percent only.
    """
    return _residue(stand, rates, LOOSE_BDT_PER_PMH / moisture, fuel)


def chip_bundles(stand: Stand, rates: Rates, moisture: Floats, *, fuel: bool = False) -> Operation:
    """Chip bundled residue [USD/GT], half again as fast as loose residue (assumed by FRCS)."""
    return _residue(stand, rates, 1.5 * (LOOSE_BDT_PER_PMH / moisture), fuel)
