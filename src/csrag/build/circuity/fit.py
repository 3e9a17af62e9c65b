"""From a road network to the `zone` and `stratified` factors of a layer set, with their measured errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from csrag.build.circuity.accuracy import accuracy_rows, band_of, circuity_rows, facility_rows, reckoned_km
from csrag.build.circuity.features import FEATURES, terrain_features
from csrag.build.circuity.trips import BANDS_KM, Trips, make_trips, spatial_folds
from csrag.build.circuity.zones import choose_zones, grow, leaf_factors
from csrag.build.progress import Progress, Silent
from csrag.errors import TableRefusedError
from csrag.geo import haversine_km
from csrag.simulators.road_graph import RoadGraph
from csrag.surfaces.roads import RoadNetwork

ZONE_TRIPS_KM = 30.0
"""Zone factors are fitted on trips whose straight line is shorter than this [km], as the published ones were."""
TRIPS_WANTED = 2_000_000
"""So many clusters are sampled that this many trips come about."""
SAMPLE_CLUSTERS = (2_000, 40_000)
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


@dataclass(frozen=True)
class _Model:
    """Zones and factors fitted to some trips: zone of every cluster, factor by zone, by zone and band, and by band."""

    zone: NDArray[np.int16]
    factors: Floats
    stratified: Floats
    bands: Floats
    rules: tuple[str, ...]
    errors: Floats


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
        Where trips end [degrees]: existing plants, towns, road nodes.
    seed : int, optional
        Decides the sample of clusters and the folds.
    unknown : ndarray of bool, shape (n,), optional
        Clusters whose zone is not to be told.
    progress : Progress, optional
        Told of every facility.

    Returns
    -------
    FittedTransport
        Its factors rest on all facilities. Its errors are cross-validated: facilities fall into five folds by blocks of
        40 km, and the trips of each fold are reckoned by zones and factors fitted to the other four. In `accuracy`, which
        pools the folds, errors of single facilities cancel; `facility_error` says how large those are.

    Raises
    ------
    TableRefusedError
        If in fewer than two folds a facility reaches a cluster over the network.
    """
    lat, lon = np.asarray(facility_lat, dtype=np.float64), np.asarray(facility_lon, dtype=np.float64)
    watch = progress or Silent()
    watch.start("fitting road factors", int(lat.size), "facilities")
    n = int(np.asarray(clusters["lat"]).size)
    sample = _sample(clusters, lat, lon, n, np.random.default_rng(seed))
    found = make_trips(network, clusters, sample, lat, lon, watch)
    folds = spatial_folds(lat, lon, FOLDS, seed)
    trips = [t for t in found.trips if t.cluster.size]
    used = sorted({int(folds[t.facility]) for t in trips})
    if len(used) < 2:
        raise TableRefusedError(
            f"Of {lat.size} facilities {len(trips)} reach a cluster over the road network, all in one corner: road factors "
            "cannot be fitted and tested.",
            "Check that roads, clusters and facilities cover the same country, or leave the road network out.",
            code="roads_too_few",
        )
    area = np.asarray(clusters["area_acres"], dtype=np.float64)
    features = terrain_features(clusters, RoadGraph.from_network(network))
    known = [k for k in range(len(FEATURES)) if np.isfinite(features[sample, k]).any()]
    names, features = [FEATURES[k] for k in known], features[:, known]

    def model(some: Sequence[Trips]) -> _Model:
        return _fitted(features, names, some, folds, area, unknown)

    whole = model(trips)
    order, told = [], []
    for k in used:
        tested = [t for t in trips if folds[t.facility] == k]
        order += tested
        told.append(_reckoned(model([t for t in trips if folds[t.facility] != k]), tested))
    straight, road = (np.concatenate([getattr(t, name) for t in order]) for name in ("straight_km", "road_km"))
    weight = area[np.concatenate([t.cluster for t in order])]
    facility = np.repeat([t.facility for t in order], [t.cluster.size for t in order])
    reckoned = {mode: np.concatenate([part[mode] for part in told]) for mode in told[0]}
    factors = tuple(whole.factors.tolist())
    transport: dict[str, Any] = {
        "bands_km": list(BANDS_KM),
        "stratified": whole.stratified.tolist(),
        "band_medians": np.round(np.median(whole.stratified, axis=0), 4).tolist(),
        "band_factors": whole.bands.tolist(),
        "zone_median": round(float(np.median(factors)), 4),
        "zone_rules": list(whole.rules),
        "zone_errors": np.round(whole.errors, 6).tolist(),
        "network": None,
        "circuity": circuity_rows(straight, road, weight),
        "accuracy": accuracy_rows(straight, road, weight, reckoned),
        "facility_error": facility_rows(straight, road, weight, reckoned, facility),
        "facilities": {"used": len(trips), "folds": len(used), "sampled_clusters": int(sample.size), **found.counts},
        "basis": f"fitted to {straight.size:,} trips of {len(trips)} facilities, zone factors on those under "
                 f"{ZONE_TRIPS_KM:g} km; every cluster counts by its area; errors are those on facilities not used in "
                 f"fitting, in {len(used)} folds of blocks of 40 km",
    }  # fmt: skip
    return FittedTransport(whole.zone, factors, transport)


def _sample(clusters: Mapping[str, NDArray[Any]], lat: Floats, lon: Floats, n: int, rng: np.random.Generator) -> Ints:
    """Clusters to look at: in a small region every facility reaches most of them, in a state few."""
    order = rng.permutation(n)
    look, some = order[:500], rng.permutation(lat.size)[:200]
    away = haversine_km(
        lat[some, None], lon[some, None], np.asarray(clusters["lat"])[look], np.asarray(clusters["lon"])[look]
    )  # fmt: skip
    share = max(float(np.mean(away < BANDS_KM[-1])), 1e-3)
    low, high = SAMPLE_CLUSTERS
    return np.sort(order[: int(np.clip(TRIPS_WANTED / (share * max(lat.size, 1)), low, high))])


def _reckoned(model: _Model, trips: Sequence[Trips]) -> dict[str, Floats]:
    """Road length of trips by zone and by zone and band [km]."""
    straight = np.concatenate([t.straight_km for t in trips])
    zone = model.zone[np.concatenate([t.cluster for t in trips])]
    return {
        "zone": reckoned_km(straight, zone, model.factors),
        "stratified": reckoned_km(straight, zone, model.stratified),
    }


def _fitted(
    features: Floats, names: Sequence[str], trips: Sequence[Trips], folds: Ints, area: Floats,
    unknown: NDArray[np.bool_] | None,
) -> _Model:  # fmt: skip
    """Zones, ascending by factor, and their factors."""
    n = area.size
    present = sorted({int(folds[t.facility]) for t in trips})
    parts = [_sums([t for t in trips if folds[t.facility] == k], area, n, ZONE_TRIPS_KM) for k in present]
    road, straight = (np.array([part[i] for part in parts]) for i in (0, 1))
    seen = np.flatnonzero(straight.sum(axis=0) > 0)
    zones, errors = choose_zones(features[seen], road[:, seen], straight[:, seen])
    road, straight = road.sum(axis=0), straight.sum(axis=0)
    tree = grow(features[seen], road[seen], straight[seen], zones)
    zones = len(tree.splits) + 1
    leaf = tree.leaves(features)
    order = np.argsort(leaf_factors(leaf, road, straight, zones), kind="stable")
    rank = np.empty(zones + 1, dtype=np.int16)
    rank[order], rank[-1] = np.arange(zones), -1
    zone = rank[leaf]
    if unknown is not None:
        zone[unknown] = -1
    factors = np.maximum(leaf_factors(zone.astype(np.int64), road, straight, zones), 1.0)
    stratified, bands = _by_band(zone, trips, area, zones)
    rules = tree.rules(names)
    return _Model(
        zone, _rounded(factors), _rounded(stratified), _rounded(bands), tuple(rules[k] for k in order), errors
    )  # fmt: skip


def _rounded(factors: Floats) -> Floats:
    return np.asarray(np.round(factors, 4), dtype=np.float64)


def _sums(trips: Sequence[Trips], area: Floats, n: int, under_km: float) -> tuple[Floats, Floats]:
    """Area-weighted road and straight-line kilometres of each cluster's trips."""
    road, straight = np.zeros(n), np.zeros(n)
    for t in trips:
        near = t.straight_km < under_km
        at = t.cluster[near]  # a facility has at most one trip a cluster
        road[at] += area[at] * t.road_km[near]
        straight[at] += area[at] * t.straight_km[near]
    return road, straight


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
