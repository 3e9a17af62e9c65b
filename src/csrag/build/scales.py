"""Bounds of the fire-aware score and the counts of a finished build."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.surfaces.catalog import FAMILIES
from csrag.surfaces.manifest import FixedScales

SCALE_TREATMENT = "TFB40"
SCALE_HAUL_KM = 30.0
_PERCENTILES = (5.0, 95.0)


def fixed_scales(
    cost_usd_per_bdt: NDArray[Any],
    burn_probability: NDArray[Any],
    treatments: Sequence[str],
    systems: Sequence[str],
    haul_usd_per_bdt_km: float,
) -> FixedScales:
    """5th and 95th percentile over clusters of TFB40's cheapest ground or cable cost with a 30 km haul.

    Parameters
    ----------
    cost_usd_per_bdt : ndarray, shape (treatments, systems, n)
        Harvest cost; NaN infeasible [USD per BDT].
    burn_probability : ndarray, shape (n,)
        Annual burn probability; NaN unknown.
    treatments, systems : sequence of str
        Names along the first two axes.
    haul_usd_per_bdt_km : float
        Round-trip truck cost per one-way road km [USD per BDT-km].

    Returns
    -------
    FixedScales
        With None where there is nothing to take a percentile of.
    """
    name = SCALE_TREATMENT if SCALE_TREATMENT in treatments else treatments[0]
    of_treatment = cost_usd_per_bdt[list(treatments).index(name)]
    cheapest = np.full(of_treatment.shape[1], np.nan)
    for i, system in enumerate(systems):
        if system in FAMILIES["auto"]:
            cheapest = np.fmin(cheapest, of_treatment[i].astype(np.float64))
    haul = SCALE_HAUL_KM * haul_usd_per_bdt_km
    u_lo, u_hi = _bounds(cheapest[np.isfinite(cheapest)] + haul)
    known = burn_probability.astype(np.float64)
    p_lo, p_hi = _bounds(known[np.isfinite(known)])
    why = "" if name == SCALE_TREATMENT else f" (the set holds no {SCALE_TREATMENT})"
    basis = (
        f"5th and 95th percentile over clusters of {name}{why}, cheapest feasible ground or cable system, "
        f"plus {SCALE_HAUL_KM:g} road km at {haul_usd_per_bdt_km:.4f} USD per BDT-km; burn probability where known"
    )
    return FixedScales(u_lo, u_hi, p_lo, p_hi, basis)


def _bounds(values: NDArray[np.float64]) -> tuple[float | None, float | None]:
    if values.size == 0:
        return None, None
    low, high = np.percentile(values, _PERCENTILES)
    return float(low), float(high)


def counts(
    cost_usd_per_bdt: NDArray[Any], coproduct_bdt: NDArray[Any], burn_probability: NDArray[Any], zone: NDArray[Any]
) -> dict[str, int]:
    """Clusters, records, and what is unknown among them.

    A record is feasible where at least one system has a cost.
    """
    n_treatments, n_systems, n = cost_usd_per_bdt.shape
    feasible = unknown = 0
    for t in range(n_treatments):
        possible = np.zeros(n, dtype=bool)
        for s in range(n_systems):
            possible |= np.isfinite(cost_usd_per_bdt[t, s])
        feasible += int(np.count_nonzero(possible))
        unknown += int(np.count_nonzero(np.isnan(coproduct_bdt[t])))
    return {
        "clusters": n,
        "records": n_treatments * n - unknown,
        "feasible_records": feasible,
        "missing_records": unknown,
        "unknown_burn_probability": int(np.count_nonzero(np.isnan(burn_probability))),
        "unknown_zone": int(np.count_nonzero(zone < 0)),
    }
