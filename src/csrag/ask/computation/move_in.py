"""Moving machines between harvest units, shared over the selection."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from csrag.geo import haversine_km
from csrag.quantities import km_to_miles
from csrag.simulators.move_in import move_in_total_cost_usd
from csrag.surfaces.catalog import SYSTEMS

Floats = NDArray[np.float64]
HARVEST_UNIT_ACRES = 250.0
"""Area that one move of the machines serves [acres] (assumed; a usual unit of a thinning contract)."""
_HILBERT_BITS = 16


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


def tour_km(lats_deg: Floats, lons_deg: Floats, cluster_no: NDArray[np.int64]) -> float:
    """Length of an open tour through clusters in space-filling order [km, straight lines].

    Parameters
    ----------
    lats_deg, lons_deg : ndarray of float64, shape (n,)
        Clusters [degrees].
    cluster_no : ndarray of int64, shape (n,)
        Keys; the tie-break, so that row order never matters.
    """
    if len(lats_deg) < 2:
        return 0.0
    x = (lons_deg - lons_deg.min()) * math.cos(math.radians(float(lats_deg.min() + lats_deg.max()) / 2))
    y = lats_deg - lats_deg.min()
    scale = ((1 << _HILBERT_BITS) - 1) / max(float(x.max()), float(y.max()), 1e-12)
    order = np.lexsort((cluster_no, hilbert_index((x * scale).astype(np.int64), (y * scale).astype(np.int64))))
    lat, lon = lats_deg[order], lons_deg[order]
    return float(haversine_km(lat[:-1], lon[:-1], lat[1:], lon[1:]).sum())


def move_in_usd(system_index: NDArray[np.int64], lats_deg: Floats, lons_deg: Floats, cluster_no: NDArray[np.int64],
                acres: Floats, circuity: Floats, ppi: float) -> dict[str, float]:  # fmt: skip
    """Cost of a year's moves by harvesting system.

    Parameters
    ----------
    system_index : ndarray of int64, shape (n,)
        System of each selected cluster.
    lats_deg, lons_deg : ndarray of float64, shape (n,)
        Selected clusters [degrees].
    cluster_no : ndarray of int64, shape (n,)
        Keys.
    acres, circuity : ndarray of float64, shape (n,)
        Area [acres] and road over straight-line distance [dimensionless].
    ppi : float
        Producer price index of machine prices [2002 = 176.6].

    Returns
    -------
    dict of str to float
        USD by system: ceil(acres / 250) moves, each the FRCS move-in cost over the mean road distance between units.
    """
    cost: dict[str, float] = {}
    for s in np.unique(system_index):
        mine = system_index == s
        moves = math.ceil(float(acres[mine].sum()) / HARVEST_UNIT_ACRES)
        road_km = tour_km(lats_deg[mine], lons_deg[mine], cluster_no[mine]) * float(circuity[mine].mean())
        miles_a_move = km_to_miles(road_km) / moves
        cost[SYSTEMS[s]] = moves * float(move_in_total_cost_usd(SYSTEMS[s], miles_a_move, ppi))
    return cost
