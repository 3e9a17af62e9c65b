"""Circuity zones: a small regression tree over terrain features, grown greedily, its size chosen by cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MAX_ZONES = 12
MIN_SHARE = 0.02
"""A zone holds at least this share of the trips' straight-line kilometres."""
_THRESHOLDS = 40


@dataclass(frozen=True)
class Split:
    """Zone `leaf` is cut: what lies above the threshold becomes a new zone, numbered next."""

    leaf: int
    feature: int
    threshold: float


@dataclass(frozen=True)
class ZoneTree:
    """Splits in the order in which they were made; the first k - 1 of them make k zones.

    Parameters
    ----------
    splits : tuple of Split
        In order.
    """

    splits: tuple[Split, ...]

    def leaves(self, features: Floats, zones: int | None = None) -> Ints:
        """Leaf of each row, shape (n,); -1 where a feature that the tree asks for is unknown.

        Parameters
        ----------
        features : ndarray of float64, shape (n, k)
            See `features.terrain_features`.
        zones : int, optional
            Stop at so many leaves.
        """
        leaf = np.zeros(features.shape[0], dtype=np.int64)
        for new, split in enumerate(self.splits if zones is None else self.splits[: zones - 1], start=1):
            value = features[:, split.feature]
            here = leaf == split.leaf
            leaf[here & (value > split.threshold)] = new
            leaf[here & np.isnan(value)] = -1
        return leaf

    def rules(self, names: Sequence[str]) -> tuple[str, ...]:
        """What each leaf is, in words."""
        bounds: list[dict[int, tuple[float, float]]] = [{}]
        for split in self.splits:
            low, high = bounds[split.leaf].get(split.feature, (-np.inf, np.inf))
            bounds.append({**bounds[split.leaf], split.feature: (max(low, split.threshold), high)})
            bounds[split.leaf] = {**bounds[split.leaf], split.feature: (low, min(high, split.threshold))}
        said = []
        for leaf in bounds:
            parts = []
            for feature, (low, high) in sorted(leaf.items()):
                below = f" <= {high:.4g}" if np.isfinite(high) else ""
                parts.append(f"{low:.4g} < {names[feature]}{below}" if np.isfinite(low) else f"{names[feature]}{below}")
            said.append(" and ".join(parts) or "everywhere")
        return tuple(said)


def grow(features: Floats, road_km: Floats, straight_km: Floats, max_zones: int = MAX_ZONES) -> ZoneTree:
    """Tree whose zones' factors explain road lengths best.

    Parameters
    ----------
    features : ndarray of float64, shape (n, k)
        Features of the clusters that trips start from.
    road_km, straight_km : ndarray of float64, shape (n,)
        Sums over each cluster's trips, weighted by its area [km]; zero where it has none.
    max_zones : int, optional
        Most leaves.

    Returns
    -------
    ZoneTree
        Best first: each cut takes away the most of the squared error sum(straight x (road/straight - factor)^2), factor
        = sum road / sum straight of the zone (Breiman et al. 1984, Classification and Regression Trees, section 8.3, with
        straight-line length as weight). Thresholds are quantiles; rows with an unknown feature take no part.
    """
    used = np.flatnonzero(np.isfinite(features).all(axis=1) & (straight_km > 0))
    x, road, straight = features[used], road_km[used], straight_km[used]
    if used.size == 0:
        return ZoneTree(())
    cuts = [np.unique(np.quantile(column, np.linspace(0, 1, _THRESHOLDS + 2)[1:-1])) for column in x.T]
    code = np.column_stack([np.searchsorted(cut, column, side="left") for cut, column in zip(cuts, x.T, strict=True)])
    least = MIN_SHARE * float(straight.sum())
    leaf = np.zeros(used.size, dtype=np.int64)
    best = {0: _best_cut(code, cuts, road, straight, least)}
    splits: list[Split] = []
    while len(best) < max_zones:
        at = max(best, key=lambda k: (best[k][0], -k))
        gain, feature, threshold = best[at]
        if gain <= 0:
            break
        splits.append(Split(at, feature, threshold))
        new = len(splits)
        leaf[(leaf == at) & (x[:, feature] > threshold)] = new
        for k in (at, new):
            rows = leaf == k
            best[k] = _best_cut(code[rows], cuts, road[rows], straight[rows], least)
    return ZoneTree(tuple(splits))


def _best_cut(
    code: Ints, cuts: Sequence[Floats], road: Floats, straight: Floats, least: float
) -> tuple[float, int, float]:
    """Gain, feature and threshold of the best cut; gain 0 where none leaves enough on both sides."""
    found = (0.0, -1, 0.0)
    s_all, r_all = float(straight.sum()), float(road.sum())
    for feature, cut in enumerate(cuts):
        s = np.cumsum(np.bincount(code[:, feature], weights=straight, minlength=cut.size + 1))[:-1]
        r = np.cumsum(np.bincount(code[:, feature], weights=road, minlength=cut.size + 1))[:-1]
        fits = (s >= least) & (s_all - s >= least)
        if not fits.any():
            continue
        s, r = s[fits], r[fits]
        # Between-group sum of squares of two groups with weights s and s_all - s.
        gain = r**2 / s + (r_all - r) ** 2 / (s_all - s) - r_all**2 / s_all
        k = int(np.argmax(gain))
        if gain[k] > found[0] + 1e-9 * s_all:
            found = (float(gain[k]), feature, float(cut[fits][k]))
    return found


def choose_zones(
    features: Floats, road_km: Floats, straight_km: Floats, max_zones: int = MAX_ZONES
) -> tuple[int, Floats]:
    """Number of zones that predicts best what it has not seen.

    Parameters
    ----------
    features : ndarray of float64, shape (n, k)
        Features.
    road_km, straight_km : ndarray of float64, shape (folds, n)
        Sums of each fold's trips by cluster [km].
    max_zones : int, optional
        Most zones.

    Returns
    -------
    zones : int
        Of the smallest error.
    error : ndarray of float64, shape (max_zones,)
        Weighted mean squared error of circuity by number of zones, over all folds left out in turn.
    """
    total, weight = np.zeros(max_zones), 0.0
    for k in range(road_km.shape[0]):
        road, straight = road_km.sum(axis=0) - road_km[k], straight_km.sum(axis=0) - straight_km[k]
        tree = grow(features, road, straight, max_zones)
        seen = straight_km[k] > 0
        ratio = np.divide(road_km[k], straight_km[k], out=np.zeros_like(road), where=seen)
        weight += float(straight_km[k].sum())
        for zones in range(1, max_zones + 1):
            leaf = tree.leaves(features, zones)
            factor = leaf_factors(leaf, road, straight, zones)
            known = seen & (leaf >= 0)
            total[zones - 1] += float(np.sum(straight_km[k][known] * (ratio[known] - factor[leaf[known]]) ** 2))
    error = total / max(weight, 1e-300)
    return int(np.argmin(error)) + 1, error


def leaf_factors(leaf: Ints, road_km: Floats, straight_km: Floats, zones: int) -> Floats:
    """Sum of road over sum of straight line in each leaf, shape (zones,); that of all where a leaf has no trip."""
    known = leaf >= 0
    road = np.bincount(leaf[known], weights=road_km[known], minlength=zones)
    straight = np.bincount(leaf[known], weights=straight_km[known], minlength=zones)
    overall = float(road_km.sum()) / max(float(straight_km.sum()), 1e-300)
    factors: Floats = np.divide(road, straight, out=np.full(zones, max(overall, 1.0)), where=straight > 0)
    return factors
