"""Made-up candidates with their costs, for tests of selections."""

from __future__ import annotations

import numpy as np

from csrag.ask.computation.delivered import Costs
from csrag.ask.computation.move_in import tour_keys
from csrag.ask.computation.rules import Shares
from csrag.ask.computation.selection import Scales
from csrag.surfaces.frame import ClusterFrame

SCALES = Scales(30.0, 90.0, 0.004, 0.03)
PPI = 284.7


def supply(seed: int, n: int, *, coarse: bool = False, shares: Shares | None = None) -> tuple[ClusterFrame, Costs]:
    """Clusters around a point; `coarse` ones have few different costs, tons and burn probabilities, so that many tie."""
    rng = np.random.default_rng(seed)
    lat, lon = 40 + rng.uniform(-0.4, 0.4, n), -121 + rng.uniform(-0.4, 0.4, n)
    burn = rng.uniform(0.001, 0.05, n)
    harvest, haul, tons = rng.uniform(20, 90, n), rng.uniform(1, 30, n), rng.uniform(5, 400, n)
    if coarse:
        burn, harvest = rng.integers(1, 4, n) / 100, rng.integers(3, 6, n) * 10.0
        haul, tons = rng.integers(1, 3, n) * 5.0, rng.integers(1, 4, n) * 50.0
    burn[rng.random(n) < 0.1] = np.nan
    unworkable = rng.random(n) < 0.05
    harvest, tons = np.where(unworkable, np.inf, harvest), np.where(unworkable, 0.0, tons)
    frame = ClusterFrame({
        "cluster_no": rng.permutation(10 * n)[:n].astype(np.int64), "lat": lat, "lon": lon,
        "burn_probability": burn.astype(np.float32), "distance_km": rng.uniform(0, 60, n),
        "area_acres": np.full(n, 32.0, np.float32),
    })  # fmt: skip
    costs = Costs(
        harvest, haul, harvest + haul + 1.09, 1.09, tons, rng.choice([0, 4, 7], n), haul * 2.0, rng.uniform(1.2, 2.5, n),
        np.ones(n, dtype=bool), tour_keys(lat, lon), shares=shares,
    )  # fmt: skip
    return frame, costs
