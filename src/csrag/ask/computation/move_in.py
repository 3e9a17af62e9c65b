"""Moving machines between harvest units, shared over the selection."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from csrag.geo import CALIFORNIA_BOX, haversine_km
from csrag.quantities import km_to_miles
from csrag.simulators.move_in import move_in_total_cost_usd
from csrag.surfaces.catalog import SYSTEMS

Floats = NDArray[np.float64]
HARVEST_UNIT_ACRES = 250.0
"""Area that one move of the machines serves [acres] (assumed; a usual unit of a thinning contract)."""
_HILBERT_BITS = 12
"""Order of the curve over California: cells of about 300 m, no wider than a cluster."""


def hilbert_index(x: NDArray[np.int64], y: NDArray[np.int64], bits: int = _HILBERT_BITS) -> NDArray[np.int64]:
    """Position along the Hilbert curve of a 2^bits square.

    Parameters
    ----------
    x, y : ndarray of int64, shape (n,)
        Cells, 0 to 2^bits - 1 [dimensionless].
    bits : int
        Order of the curve [dimensionless].

    Notes
    -----
    At each level the quadrant is turned so that the sub-curve enters and leaves where its neighbours do (Hilbert 1891).
    """
    x, y, top = x.copy(), y.copy(), (1 << bits) - 1
    position = np.zeros_like(x)
    side = 1 << (bits - 1)
    while side:
        rx = (x & side) > 0
        ry = (y & side) > 0
        position += side * side * ((3 * rx) ^ ry)
        flip = ~ry & rx
        x[flip], y[flip] = top - x[flip], top - y[flip]
        swap = ~ry
        x[swap], y[swap] = y[swap].copy(), x[swap].copy()
        side >>= 1
    return position


def tour_keys(lats_deg: Floats, lons_deg: Floats) -> NDArray[np.int64]:
    """Place of each cluster along one Hilbert curve over all of California.

    Parameters
    ----------
    lats_deg, lons_deg : ndarray of float64, shape (n,)
        Clusters [degrees].

    Returns
    -------
    ndarray of int64, shape (n,)
        The curve does not depend on which clusters are selected, so the keys of a pool serve every year's tour.
    """
    lat_min, lat_max, lon_min, lon_max = CALIFORNIA_BOX
    shrink = math.cos(math.radians((lat_min + lat_max) / 2))
    side = max(lat_max - lat_min, (lon_max - lon_min) * shrink)
    top = (1 << _HILBERT_BITS) - 1
    x = np.clip((lons_deg - lon_min) * shrink / side * top, 0, top).astype(np.int64)
    y = np.clip((lats_deg - lat_min) / side * top, 0, top).astype(np.int64)
    return hilbert_index(x, y)


def tour_km(lats_deg: Floats, lons_deg: Floats, keys: NDArray[np.int64], cluster_no: NDArray[np.int64]) -> float:
    """Length of an open tour through clusters in space-filling order [km, straight lines].

    Parameters
    ----------
    lats_deg, lons_deg : ndarray of float64, shape (n,)
        Clusters [degrees].
    keys : ndarray of int64, shape (n,)
        Their `tour_keys`.
    cluster_no : ndarray of int64, shape (n,)
        Cluster keys; the tie-break, so that row order never matters.
    """
    if len(lats_deg) < 2:
        return 0.0
    order = np.lexsort((cluster_no, keys))
    lat, lon = lats_deg[order], lons_deg[order]
    return float(haversine_km(lat[:-1], lon[:-1], lat[1:], lon[1:]).sum())


@lru_cache(maxsize=256)
def campaign_usd(system: str, ppi: float) -> tuple[float, float]:
    """Fixed cost [USD] and cost per mile [USD per mile] of one move of a system; the FRCS move-in is linear in distance.

    Parameters
    ----------
    system : str
        FRCS name.
    ppi : float
        Producer price index of machine prices [2002 = 176.6].
    """
    fixed = move_in_total_cost_usd(system, 0.0, ppi)
    return fixed, (move_in_total_cost_usd(system, 1000.0, ppi) - fixed) / 1000.0


def move_in_usd(
    system_index: NDArray[np.int64],
    lats_deg: Floats,
    lons_deg: Floats,
    keys: NDArray[np.int64],
    cluster_no: NDArray[np.int64],
    acres: Floats,
    circuity: Floats,
    ppi: float,
) -> dict[str, float]:
    """Cost of a year's moves by harvesting system.

    Parameters
    ----------
    system_index : ndarray of int64, shape (n,)
        System of each selected cluster.
    lats_deg, lons_deg : ndarray of float64, shape (n,)
        Selected clusters [degrees].
    keys : ndarray of int64, shape (n,)
        Their `tour_keys`.
    cluster_no : ndarray of int64, shape (n,)
        Cluster keys.
    acres, circuity : ndarray of float64, shape (n,)
        Area [acres] and road over straight-line distance [dimensionless].
    ppi : float
        Producer price index of machine prices [2002 = 176.6].

    Returns
    -------
    dict of str to float
        USD by system: ceil(acres / 250) moves, each the FRCS move-in cost over the mean road distance between units.
    """
    group = np.zeros(len(system_index), dtype=np.int64)
    return moves_by_group(group, 1, system_index, lats_deg, lons_deg, keys, cluster_no, acres, circuity, ppi)[0]


def moves_by_group(
    group: NDArray[np.int64],
    groups: int,
    system_index: NDArray[np.int64],
    lats_deg: Floats,
    lons_deg: Floats,
    keys: NDArray[np.int64],
    cluster_no: NDArray[np.int64],
    acres: Floats,
    circuity: Floats,
    ppi: float,
) -> list[dict[str, float]]:
    """Cost of the moves of several selections at once, the years of a plant's life say, each by harvesting system.

    Parameters
    ----------
    group : ndarray of int64, shape (n,)
        Selection that each cluster belongs to, 0 to `groups` - 1.
    groups : int
        Number of selections.
    system_index, keys, cluster_no : ndarray of int64, shape (n,)
        As for `move_in_usd`, of all selections together.
    lats_deg, lons_deg : ndarray of float64, shape (n,)
        Selected clusters [degrees].
    acres, circuity : ndarray of float64, shape (n,)
        Area [acres] and road over straight-line distance [dimensionless].
    ppi : float
        Producer price index of machine prices [2002 = 176.6].

    Returns
    -------
    list of dict of str to float
        USD by system, one a selection; what stands in other selections changes no digit of one.
    """
    out: list[dict[str, float]] = [{} for _ in range(groups)]
    if not len(group):
        return out
    member = group * len(SYSTEMS) + system_index
    # One whole number holds selection, system and place on the curve, so that one plain sort orders them all.
    along = (member << (2 * _HILBERT_BITS)) | keys
    order = np.argsort(along)
    same = along[order][1:] == along[order][:-1]
    if same.any():
        order = np.lexsort((cluster_no, along))
    of = member[order]
    lat, lon = lats_deg[order], lons_deg[order]
    leg = haversine_km(lat[:-1], lon[:-1], lat[1:], lon[1:])
    size = groups * len(SYSTEMS)
    inside = of[1:] == of[:-1]
    tour = np.bincount(of[1:][inside], weights=leg[inside], minlength=size)
    area, factor = (np.bincount(of, weights=values[order], minlength=size) for values in (acres, circuity))
    count = np.bincount(of, minlength=size)
    for m in np.flatnonzero(count):
        moves = math.ceil(float(area[m]) / HARVEST_UNIT_ACRES)
        name = SYSTEMS[m % len(SYSTEMS)]
        miles_a_move = km_to_miles(float(tour[m]) * float(factor[m]) / int(count[m])) / moves
        fixed, per_mile = campaign_usd(name, ppi)
        out[m // len(SYSTEMS)][name] = moves * (fixed + per_mile * miles_a_move)
    return out
