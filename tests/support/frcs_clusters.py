"""Independent synthetic clusters for the harvest tests: seeded, assumed distributions, no map behind them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SHARES = np.array([0.035, 0.075, 0.68, 0.155, 0.055])
"""Mean shares of 4-6, 6-9, 9+ inch stems, branches and foliage."""
REMOVED = {
    "RMI100": (1.0, 1.0, 1.0, 1.0),
    "TFB20": (0.92, 0.68, 0.05, 0.14),
    "TFB40": (0.99, 0.92, 0.21, 0.32),
    "TFB60": (1.0, 0.98, 0.43, 0.52),
    "TFB80": (1.0, 1.0, 0.69, 0.75),
    "TFA20": (0.0, 0.01, 0.31, 0.25),
    "TFA40": (0.01, 0.03, 0.57, 0.48),
    "TFA60": (0.02, 0.08, 0.79, 0.68),
    "TFA80": (0.08, 0.32, 0.95, 0.86),
}
TARGET = {"SDI30": 0.30, "SDI55": 0.55}


class Clusters:
    """Sites and standing biomass; `removal` gives the stand of one treatment.

    Parameters
    ----------
    n : int
        How many.
    seed : int
        Seed.
    """

    def __init__(self, n: int, seed: int = 20240611) -> None:
        rng = np.random.default_rng(seed)
        b = rng.standard_normal(n)
        total = np.clip(45 * np.exp(0.55 * b), 5, 220)
        small, large = np.exp(-0.25 * b), np.exp(0.08 * b)
        means = SHARES[:, None] * np.stack([small, small, large, np.ones(n), np.ones(n)])
        draws = rng.gamma(60 * means / means.sum(axis=0))
        self.standing = (total * draws / draws.sum(axis=0))[:4]
        self.relative_sdi = np.clip(
            0.62 * np.exp(0.28 * (b + 0.5 * rng.standard_normal(n)) / np.hypot(1, 0.5)), 0.15, 1.1
        )
        self.intensity = np.clip(1 + 0.12 * rng.standard_normal(n) + 0.08 * rng.standard_normal(n), 0.6, 1.4)
        landing_m = 170 * np.exp(0.85 * rng.standard_normal(n))
        slope = np.minimum(rng.gamma(2.6, 8.5, n), 100)
        self.site: dict[str, Floats] = {
            "area_acres": np.full(n, 32.024857),
            "slope_pct": slope,
            "grade_pct": slope * rng.uniform(0.3, 1.0, n),
            "yarding_ft": np.maximum(451, 3.28084 * (137.6**2.5 + landing_m**2.5) ** (1 / 2.5)),
            "elevation_ft": np.clip(rng.normal(4900, 1300, n), 200, 9500),
            "wood_density_kg_per_m3": rng.normal(390, 25, n),
            "roaded": (landing_m <= 1000).astype(np.float64),
        }

    def removal(self, treatment: str) -> dict[str, Floats]:
        """Catalog columns of one treatment."""
        if treatment in TARGET:
            r = np.maximum(0.0, 1 - TARGET[treatment] / self.relative_sdi)
            share = np.stack([np.minimum(1, 2.4 * r), np.minimum(1, 2.0 * r), 0.85 * r, r])
        else:
            share = np.array(REMOVED[treatment])[:, None] * np.ones_like(self.intensity)
        scale = np.ones_like(self.intensity) if treatment == "RMI100" else self.intensity
        cut = self.standing * np.minimum(1.0, share * scale)
        names = ("stem_4_6", "stem_6_9", "stem_9_plus", "branch")
        return {**self.site, **{f"{k}_bdt_per_acre": v for k, v in zip(names, cut, strict=True)}}
