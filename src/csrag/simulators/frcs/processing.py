"""Processing small log trees at the landing."""

from __future__ import annotations

import math

import numpy as np

from csrag.simulators.frcs.ramps import Operation, falling
from csrag.simulators.frcs.rates import Rates, blend, gal_per_pmh
from csrag.simulators.frcs.stand import Stand


def process(stand: Stand, rates: Rates, *, fuel: bool = False) -> Operation:
    """Limb and buck small log trees [USD/CCF of them]; 0 without volume.

    Gonsier and Mandzak 1987; MacDonald 1990; Johnson 1988 (two machines); Schroder and Johnson 1997; Gingras 1996;
    Holtzscher and Lanford 1997.
    """
    v, d, butt, logs = stand.tree_vol_slt, stand.dbh_slt, stand.butt_slt, stand.logs_per_tree_slt
    hahn = 1.26 * (0.232 + 0.0494 * d)
    macdonald = 0.153 + 0.0145 * butt
    roger = -0.05 + 0.6844 * logs + 5e-8 * (v * v)
    harricana = -0.13 + 0.001 * (butt * butt) + 0.5942 * logs
    keto = 0.67 + 0.0116 * v
    woodstar = -0.341 + 0.1243 * d
    generic = (41.16 / 0.02832) * np.exp(0.4902 * (stand.ln_tree_vol_slt - math.log(35.31)))

    w_hahn, w_macdonald = falling(d, 15, 20), falling(butt, 20, 30)
    w_keto, w_woodstar = falling(v, 50, 100), falling(v, 20, 40)
    per_minute = (
        w_hahn / hahn
        + w_macdonald / macdonald
        + 1 / roger
        + 1 / harricana
        + w_keto / (keto * keto)
        + w_woodstar / woodstar
    )
    volume = 60 * v * per_minute + generic
    weight = 3 + w_hahn + w_macdonald + w_keto + w_woodstar
    rate = blend(rates.processor_s, rates.processor_b, stand.mech_size)
    cost = np.where(v > 0, 100 * stand.hardwood_factor_slt * rate * weight / volume, 0.0)
    if not fuel:
        return Operation(cost, None)
    small, big = gal_per_pmh("processor_s"), gal_per_pmh("processor_b")
    return Operation(cost, (small + (big - small) * stand.mech_size) * cost / rate)
