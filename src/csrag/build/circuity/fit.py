"""From a road network to the `zone` and `stratified` factors of a layer set, with their measured errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from csrag.build.circuity.accuracy import accuracy_rows, band_of, circuity_rows
from csrag.build.circuity.features import FEATURES, terrain_features
from csrag.build.circuity.trips import BANDS_KM, Trips, make_trips, spatial_folds
from csrag.build.circuity.zones import ZoneTree, choose_zones, grow, leaf_factors
from csrag.build.progress import Progress, Silent
from csrag.errors import TableRefusedError
from csrag.simulators.road_graph import RoadGraph
from csrag.surfaces.roads import RoadNetwork

ZONE_TRIPS_KM = 30.0
"""Zone factors are fitted on trips whose straight line is shorter than this [km], as the published ones were."""
SAMPLE_CLUSTERS = 20_000
"""Clusters whose trips are looked at; with hundreds of facilities they are millions."""
FOLDS = 5
SHRINK_FACILITIES = 4.0
"""A zone's factor in a band counts half where so many facilities stand behind it, the band's own the other half
(assumed)."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class FittedTransport:
    """What a source hands to the builder.

    Parameters
    ----------
    zone : ndarray of int16, shape (clusters,)
        Circuity zone, ascending by factor; -1 unknown.
    zone_factors : tuple of float
        Road over straight-line distance by zone, on trips under 30 km.
    transport : dict
        The manifest's `transport`; `network` is left to the caller.
    """

    zone: NDArray[np.int16]
    zone_factors: tuple[float, ...]
    transport: dict[str, Any]


def fit_transport(
    network: RoadNetwork,
    clusters: Mapping[str, NDArray[Any]],
    facility_lat: ArrayLike,
    facility_lon: ArrayLike,
    *,
    seed: int = 0,
    unknown: NDArray[np.bool_] | None = None,
    progress: Progress | None = None,
) -> FittedTransport:
    """Fit zones, zone factors and zone-by-band factors to a road network, and measure them on other facilities.

    Parameters
    ----------
    network : RoadNetwork
        Roads and landings, in the clusters' order.
    clusters : mapping of str to ndarray, shape (n,)
        lat, lon [degrees], area_acres [acres], slope_pct [percent], elevation_ft [ft]; NaN where unknown.
    facility_lat, facility_lon : array_like of float, shape (f,)
        Where trips end [degrees]: existing plants, towns, road nodes. Half of them, by blocks of 40 km, are kept for the
        test.
    seed : int, optional
        Decides the sample of clusters, the blocks' order and the folds.
    unknown : ndarray of bool, shape (n,), optional
        Clusters whose zone is not to be told.
    progress : Progress, optional
        Told of every facility.

    Returns
    -------
    FittedTransport

    Raises
    ------
    TableRefusedError
        If fewer than two facilities on either side of the split reach any cluster over the network.
    """
    lat, lon = np.asarray(facility_lat, dtype=np.float64), np.asarray(facility_lon, dtype=np.float64)
    watch = progress or Silent()
    watch.start("fitting road factors", int(lat.size), "facilities")
    graph = RoadGraph.from_network(network)
    n = int(np.asarray(clusters["lat"]).size)
    rng = np.random.default_rng(seed)
    sample = np.sort(rng.choice(n, min(n, SAMPLE_CLUSTERS), replace=False))
    found = make_trips(network, clusters, sample, lat, lon, watch)
    held = spatial_folds(lat, lon, 2, seed) == 1
    trips = [t for t in found.trips if t.cluster.size]
    fitting, testing = ([t for t in trips if held[t.facility] == side] for side in (False, True))
    if min(len(fitting), len(testing)) < 2:
        raise TableRefusedError(
            f"Of {lat.size} facilities only {len(fitting)} and {len(testing)} on either side of the split reach a cluster "
            "over the road network: factors cannot be fitted and tested.",
            "Check that roads, clusters and facilities cover the same country, or leave the road network out.",
            code="roads_too_few",
        )
    area = np.asarray(clusters["area_acres"], dtype=np.float64)
    features = terrain_features(clusters, graph)
    known = [k for k in range(len(FEATURES)) if np.isfinite(features[sample, k]).any()]
    names, features = [FEATURES[k] for k in known], features[:, known]
    folds = spatial_folds(lat, lon, FOLDS, seed + 1)
    tree, zones, errors = _tree(features, fitting, folds, area, n)
    zone, order = _zones(tree, features, fitting, area)
    if unknown is not None:
        zone[unknown] = -1
    factors = tuple(_zone_factors(zone, fitting, area, zones))
    stratified, bands = _by_band(zone, fitting, area, zones)
    rules = tree.rules(names)
    transport: dict[str, Any] = {
        "bands_km": list(BANDS_KM),
        "stratified": [[round(float(f), 4) for f in row] for row in stratified],
        "band_medians": _middle(stratified),
        "band_factors": [round(float(f), 4) for f in bands],
        "zone_median": round(float(np.median(factors)), 4),
        "zone_rules": [rules[k] for k in order],
        "zone_errors": [round(float(e), 6) for e in errors],
        "network": None,
        "circuity": circuity_rows(trips, area),
        "facilities": {"fitting": len(fitting), "testing": len(testing), "sampled_clusters": int(sample.size),
                       **found.counts},
        "basis": f"fitted to {sum(t.cluster.size for t in fitting):,} trips of {len(fitting)} facilities, tested on "
                 f"{sum(t.cluster.size for t in testing):,} trips of {len(testing)} others, apart by blocks of 40 km; "
                 f"every cluster counts by its area; zone factors on trips under {ZONE_TRIPS_KM:g} km",
    }  # fmt: skip
    transport["accuracy"] = accuracy_rows(testing, area, zone, factors, transport)
    return FittedTransport(zone, factors, transport)


def _sums(trips: Sequence[Trips], area: Floats, n: int, under_km: float) -> tuple[Floats, Floats]:
    """Area-weighted road and straight-line kilometres of each cluster's trips."""
    road, straight = np.zeros(n), np.zeros(n)
    for t in trips:
        near = t.straight_km < under_km
        at = t.cluster[near]  # a facility has at most one trip a cluster
        road[at] += area[at] * t.road_km[near]
        straight[at] += area[at] * t.straight_km[near]
    return road, straight


def _tree(features: Floats, trips: Sequence[Trips], folds: Ints, area: Floats, n: int) -> tuple[ZoneTree, int, Floats]:
    """Tree of the size that predicts best what it has not seen; the error by size."""
    parts = [_sums([t for t in trips if folds[t.facility] == k], area, n, ZONE_TRIPS_KM) for k in range(FOLDS)]
    road, straight = (np.array([part[i] for part in parts]) for i in (0, 1))
    seen = np.flatnonzero(straight.sum(axis=0) > 0)
    zones, errors = choose_zones(features[seen], road[:, seen], straight[:, seen])
    tree = grow(features[seen], road[:, seen].sum(axis=0), straight[:, seen].sum(axis=0), zones)
    return tree, len(tree.splits) + 1, errors


def _zones(tree: ZoneTree, features: Floats, trips: Sequence[Trips], area: Floats) -> tuple[NDArray[np.int16], Ints]:
    """Zone of every cluster, ascending by factor, and the leaf that each zone was."""
    leaf = tree.leaves(features)
    zones = len(tree.splits) + 1
    factor = leaf_factors(leaf, *_sums(trips, area, leaf.size, ZONE_TRIPS_KM), zones)
    order = np.argsort(factor, kind="stable")
    rank = np.empty(zones + 1, dtype=np.int16)
    rank[order], rank[-1] = np.arange(zones), -1
    return rank[leaf], order


def _zone_factors(zone: NDArray[np.int16], trips: Sequence[Trips], area: Floats, zones: int) -> list[float]:
    road, straight = _sums(trips, area, zone.size, ZONE_TRIPS_KM)
    return [round(max(float(f), 1.0), 4) for f in leaf_factors(zone.astype(np.int64), road, straight, zones)]


def _by_band(zone: NDArray[np.int16], trips: Sequence[Trips], area: Floats, zones: int) -> tuple[Floats, Floats]:
    """Factors by zone and band, drawn towards the band's where few facilities stand behind them; the bands' own."""
    bands = len(BANDS_KM) - 1
    road, straight, behind = np.zeros((3, zones * bands))
    for t in trips:
        z = zone[t.cluster].astype(np.int64)
        at = (z * bands + band_of(t.straight_km))[z >= 0]
        weight = area[t.cluster][z >= 0]
        here = np.bincount(at, weights=weight * t.straight_km[z >= 0], minlength=zones * bands)
        straight += here
        road += np.bincount(at, weights=weight * t.road_km[z >= 0], minlength=zones * bands)
        behind += here > 0
    road, straight, behind = (values.reshape(zones, bands) for values in (road, straight, behind))
    own = np.full(bands, np.nan)
    seen = straight.sum(axis=0) > 0
    own[seen] = road.sum(axis=0)[seen] / straight.sum(axis=0)[seen]
    # A band without a trip takes the nearest band's.
    filled = np.flatnonzero(seen)
    own = own[filled[np.argmin(np.abs(np.arange(bands)[:, None] - filled[None, :]), axis=1)]]
    raw = np.divide(road, straight, out=np.tile(own, (zones, 1)), where=straight > 0)
    trust = behind / (behind + SHRINK_FACILITIES)
    return np.maximum(trust * raw + (1.0 - trust) * own, 1.0), np.maximum(own, 1.0)


def _middle(stratified: Floats) -> list[float]:
    return [round(float(m), 4) for m in np.median(stratified, axis=0)]
