"""How far off each way of reckoning road distance is, by straight-line band, on facilities that the fit never saw."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.build.circuity.trips import BANDS_KM

Floats = NDArray[np.float64]


def band_of(straight_km: Floats) -> NDArray[np.int64]:
    """Band of each straight-line distance; what lies beyond the last edge belongs to the last band."""
    return np.clip(np.searchsorted(BANDS_KM, straight_km, side="right") - 1, 0, len(BANDS_KM) - 2)


def reckoned_km(straight_km: Floats, zone: NDArray[Any], factors: Floats) -> Floats:
    """Road length by factor.

    Parameters
    ----------
    straight_km : ndarray of float64, shape (k,)
        Straight lines [km].
    zone : ndarray of int, shape (k,)
        Zone of each trip's cluster; -1 unknown: the middle factor.
    factors : ndarray of float64, shape (zones,) or (zones, bands)
        Factor by zone, or by zone and band.

    Returns
    -------
    ndarray of float64, shape (k,)
        [km].
    """
    table = np.concatenate([factors, np.median(factors, axis=0, keepdims=True)])
    at = np.where(zone >= 0, zone, -1)
    return np.asarray(straight_km * (table[at] if factors.ndim == 1 else table[at, band_of(straight_km)]))


def accuracy_rows(
    straight_km: Floats, road_km: Floats, weight: Floats, reckoned: Mapping[str, Floats]
) -> list[dict[str, Any]]:
    """Error of every mode by band.

    Parameters
    ----------
    straight_km, road_km : ndarray of float64, shape (k,)
        Trips of facilities that the reckoning did not see [km].
    weight : ndarray of float64, shape (k,)
        Area of each trip's cluster [acres].
    reckoned : mapping of str to ndarray, shape (k,)
        Road length by mode [km].

    Returns
    -------
    list of dict
        `mode`, `band_km`, `n` trips, `aggregate_error_pct` = (sum of reckoned - sum of road) / sum of road, `mape_pct` =
        mean of |reckoned - road| / road [percent]; None in a band without a trip. The last rows are of network, the
        reference that the others are held against: theirs are 0.
    """
    band = band_of(straight_km)
    out: list[dict[str, Any]] = []
    for mode, told in {**reckoned, "network": road_km}.items():
        for b in range(len(BANDS_KM) - 1):
            here = band == b
            w, right, guess = weight[here], road_km[here], told[here]
            whole = float((w * right).sum())
            row: dict[str, Any] = {"mode": mode, "band_km": [BANDS_KM[b], BANDS_KM[b + 1]], "n": int(here.sum())}
            # A band without a trip has no error, not an error of nothing.
            row["aggregate_error_pct"] = round(100 * float((w * (guess - right)).sum()) / whole, 3) if whole else None
            row["mape_pct"] = (
                round(100 * float(np.average(np.abs(guess - right) / right, weights=w)), 3) if whole else None
            )
            out.append(row)
    return out


def facility_rows(
    straight_km: Floats, road_km: Floats, weight: Floats, reckoned: Mapping[str, Floats], facility: NDArray[np.int64]
) -> list[dict[str, Any]]:
    """Error of the sum over one facility's trips, by mode and band: it is common to all of them and averages out over none.

    Parameters
    ----------
    straight_km, road_km, weight, reckoned
        As in `accuracy_rows`.
    facility : ndarray of int64, shape (k,)
        Facility of each trip.

    Returns
    -------
    list of dict
        `mode`, `band_km`, `facilities`, `median_abs_pct` and `p90_abs_pct`: half and nine tenths of the facilities err by
        no more [percent]; None in a band without a trip.
    """
    band, size = band_of(straight_km), int(facility.max(initial=-1)) + 1
    out: list[dict[str, Any]] = []
    for mode, told in reckoned.items():
        for b in range(len(BANDS_KM) - 1):
            here = band == b
            right = np.bincount(facility[here], weights=(weight * road_km)[here], minlength=size)
            guess = np.bincount(facility[here], weights=(weight * told)[here], minlength=size)
            some = right > 0
            off = 100 * np.abs(guess[some] / right[some] - 1)
            row: dict[str, Any] = {"mode": mode, "band_km": [BANDS_KM[b], BANDS_KM[b + 1]], "facilities": int(off.size)}
            for name, share in (("median_abs_pct", 0.5), ("p90_abs_pct", 0.9)):
                row[name] = round(float(np.quantile(off, share)), 3) if off.size else None
            out.append(row)
    return out


def circuity_rows(straight_km: Floats, road_km: Floats, weight: Floats) -> list[dict[str, Any]]:
    """Circuity of the network itself by band; see `accuracy_rows` for the trips.

    Returns
    -------
    list of dict
        `band_km`, `n` trips, `aggregate` = sum of road / sum of straight line, `median`, and `variation`, the coefficient
        of variation; None where there is no trip.
    """
    band = band_of(straight_km)
    out: list[dict[str, Any]] = []
    for b in range(len(BANDS_KM) - 1):
        here = np.flatnonzero(band == b)
        row: dict[str, Any] = {"band_km": [BANDS_KM[b], BANDS_KM[b + 1]], "n": int(here.size)}
        if here.size == 0:
            out.append({**row, "aggregate": None, "median": None, "variation": None})
            continue
        w, ratio = weight[here], road_km[here] / straight_km[here]
        order = np.argsort(ratio, kind="stable")
        middle = order[np.searchsorted(np.cumsum(w[order]), 0.5 * w.sum())]
        mean = float(np.average(ratio, weights=w))
        spread = float(np.sqrt(np.average((ratio - mean) ** 2, weights=w)))
        row["aggregate"] = round(float((w * road_km[here]).sum() / (w * straight_km[here]).sum()), 4)
        row["median"] = round(float(ratio[middle]), 4)
        row["variation"] = round(spread / mean, 4)
        out.append(row)
    return out
