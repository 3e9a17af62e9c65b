"""How far off each way of reckoning road distance is, by straight-line band, on facilities that the fit never saw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.build.circuity.trips import BANDS_KM, Trips

Floats = NDArray[np.float64]


def band_of(straight_km: Floats) -> NDArray[np.int64]:
    """Band of each straight-line distance; what lies beyond the last edge belongs to the last band."""
    return np.clip(np.searchsorted(BANDS_KM, straight_km, side="right") - 1, 0, len(BANDS_KM) - 2)


def reckoned_km(
    mode: str, straight_km: Floats, zone: NDArray[Any], zone_factors: Sequence[float], transport: Mapping[str, Any]
) -> Floats:
    """Road length by factor.

    Parameters
    ----------
    mode : str
        zone or stratified.
    straight_km : ndarray of float64, shape (k,)
        Straight lines [km].
    zone : ndarray of int, shape (k,)
        Zone of each trip's cluster, -1 unknown: the middle factor.
    zone_factors : sequence of float
        One a zone.
    transport : mapping
        `stratified`, `band_medians` and `zone_median`, as in the manifest.

    Returns
    -------
    ndarray of float64, shape (k,)
        [km].
    """
    known = zone >= 0
    if mode == "zone":
        table = np.append(np.asarray(zone_factors, dtype=np.float64), float(transport["zone_median"]))
        return np.asarray(straight_km * table[np.where(known, zone, -1)])
    by_band = np.vstack([np.asarray(transport["stratified"], dtype=np.float64), transport["band_medians"]])
    return np.asarray(straight_km * by_band[np.where(known, zone, -1), band_of(straight_km)])


def accuracy_rows(
    trips: Sequence[Trips], area_acres: NDArray[Any], zone: NDArray[Any], zone_factors: Sequence[float],
    transport: Mapping[str, Any],
) -> list[dict[str, Any]]:  # fmt: skip
    """Error of every mode by band, each cluster weighted by its area.

    Parameters
    ----------
    trips : sequence of Trips
        Of facilities that were not used in fitting.
    area_acres : ndarray of float, shape (clusters,)
        Weights [acres].
    zone : ndarray of int, shape (clusters,)
        Zones.
    zone_factors : sequence of float
        One a zone.
    transport : mapping
        The manifest's.

    Returns
    -------
    list of dict
        `mode`, `band_km`, `n` trips, `aggregate_error_pct` = (sum of reckoned - sum of road) / sum of road, `mape_pct` =
        mean of |reckoned - road| / road [percent]. Network is what the others are held against: its rows are 0.
    """
    cluster = np.concatenate([t.cluster for t in trips]) if trips else np.empty(0, dtype=np.int64)
    straight = np.concatenate([t.straight_km for t in trips]) if trips else np.empty(0)
    road = np.concatenate([t.road_km for t in trips]) if trips else np.empty(0)
    weight, band = np.asarray(area_acres, dtype=np.float64)[cluster], band_of(straight)
    out = []
    for mode in ("zone", "stratified", "network"):
        told = road if mode == "network" else reckoned_km(mode, straight, zone[cluster], zone_factors, transport)
        for b in range(len(BANDS_KM) - 1):
            here = band == b
            w, right, guess = weight[here], road[here], told[here]
            # A band without a trip has no error, not an error of nothing.
            some = float((w * right).sum()) > 0
            out.append({
                "mode": mode,
                "band_km": [BANDS_KM[b], BANDS_KM[b + 1]],
                "n": int(here.sum()),
                "aggregate_error_pct": round(100 * float((w * (guess - right)).sum() / (w * right).sum()), 3) if some
                else None,
                "mape_pct": round(100 * float((w * np.abs(guess - right) / right).sum() / w.sum()), 3) if some else None,
            })  # fmt: skip
    return out


def circuity_rows(trips: Sequence[Trips], area_acres: NDArray[Any]) -> list[dict[str, Any]]:
    """Circuity of the network itself by band, each cluster weighted by its area.

    Returns
    -------
    list of dict
        `band_km`, `n` trips, `aggregate` = sum of road / sum of straight line, `median`, and `variation`, the coefficient
        of variation; None where there is no trip.
    """
    cluster = np.concatenate([t.cluster for t in trips]) if trips else np.empty(0, dtype=np.int64)
    straight = np.concatenate([t.straight_km for t in trips]) if trips else np.empty(0)
    road = np.concatenate([t.road_km for t in trips]) if trips else np.empty(0)
    weight, band = np.asarray(area_acres, dtype=np.float64)[cluster], band_of(straight)
    out: list[dict[str, Any]] = []
    for b in range(len(BANDS_KM) - 1):
        here = np.flatnonzero(band == b)
        row: dict[str, Any] = {"band_km": [BANDS_KM[b], BANDS_KM[b + 1]], "n": int(here.size)}
        if here.size == 0:
            out.append({**row, "aggregate": None, "median": None, "variation": None})
            continue
        w, ratio = weight[here], road[here] / straight[here]
        order = np.argsort(ratio, kind="stable")
        middle = order[np.searchsorted(np.cumsum(w[order]), 0.5 * w.sum())]
        mean = float((w * ratio).sum() / w.sum())
        spread = float(np.sqrt((w * (ratio - mean) ** 2).sum() / w.sum()))
        whole = float((w * road[here]).sum() / (w * straight[here]).sum())
        out.append(
            {**row, "aggregate": round(whole, 4), "median": round(float(ratio[middle]), 4), "variation": round(spread / mean, 4)}
        )  # fmt: skip
    return out
