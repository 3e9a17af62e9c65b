"""Clusters of a layer set as plain objects, with the circuity or the road trip that a distance mode gives each."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import Any

import numpy as np
from tests.support.solver import Cluster, band_of, distance_km, road_trip, ways

from csrag.surfaces.catalog import FAMILIES, FEEDSTOCK_CLASS_OF, SYSTEMS

_LIGHT = ("cluster_no", "lat", "lon", "area_acres", "slope_pct", "burn_probability", "zone", "land_use", "wilderness")


def export(store: Any, lat: float, lon: float, treatment: str, allowed: Sequence[str] = FAMILIES["auto"],
           mode: str = "zone", reach_km: float = 75.0) -> list[Cluster]:  # fmt: skip
    """Clusters near a site, read column by column and not through the circle search; one at a time from there."""
    manifest = store.manifest
    t = manifest.treatment_names.index(treatment)
    names = {c: np.asarray(store.column(c)) for c in _LIGHT}
    near = np.flatnonzero((abs(names["lat"] - lat) < 0.8) & (abs(names["lon"] - lon) < 1.0))
    cost = np.asarray(store.column("cost_usd_per_bdt")[t][:, near])
    tons = np.asarray(store.column("feedstock_bdt")[t][:, near])
    roads, found, pace = store.roads, {}, (40.0, 0.0, 0.0)
    if mode == "network":
        pace = pace_of(roads, lat, lon)
        found = ways(_adjacent(roads), roads.node_lat.tolist(), roads.node_lon.tolist(), (lat, lon))
    out = []
    for k, i in enumerate(near):
        straight = distance_km(lat, lon, float(names["lat"][i]), float(names["lon"][i]))
        if straight > reach_km:
            continue
        factor, known = _factor(manifest, mode, int(names["zone"][i]), straight)
        trip = (float("nan"), float("nan"))
        if mode == "network":
            legs = float(roads.landing_km[i]), float(roads.landing_hours[i])
            trip = road_trip(found, int(roads.landing_node[i]), *legs, straight)
        out.append(Cluster(
            int(names["cluster_no"][i]), float(names["lat"][i]), float(names["lon"][i]), float(names["area_acres"][i]),
            float(names["slope_pct"][i]), float(names["burn_probability"][i]), factor, known,
            manifest.codes["land_use"][int(names["land_use"][i])], bool(names["wilderness"][i]),
            {s: float(cost[SYSTEMS.index(s), k]) for s in allowed},
            {s: float(tons[FEEDSTOCK_CLASS_OF[s], k]) for s in allowed}, *trip, pace,
        ))  # fmt: skip
    return out


def _adjacent(roads: Any) -> list[list[tuple[int, float, float]]]:
    first, to, km, hours = (np.asarray(a).tolist() for a in (roads.indptr, roads.neighbour, roads.km, roads.hours))
    return [[(to[a], km[a], hours[a]) for a in range(first[i], first[i + 1])] for i in range(len(first) - 1)]


def pace_of(roads: Any, lat: float, lon: float) -> tuple[float, float, float]:
    """Speed of all roads together, and the mean leg from a landing with that of the site."""
    speed = math.fsum(np.asarray(roads.km).tolist()) / math.fsum(np.asarray(roads.hours).tolist())
    legs = [
        (float(roads.landing_km[i]), float(roads.landing_hours[i])) for i, n in enumerate(roads.landing_node) if n >= 0
    ]
    found = ways(_adjacent(roads), roads.node_lat.tolist(), roads.node_lon.tolist(), (lat, lon))
    site_hours, site_km = min(found.values()) if found else (0.0, 0.0)
    count = max(len(legs), 1)
    return speed, math.fsum(k for k, _ in legs) / count + site_km, math.fsum(h for _, h in legs) / count + site_hours


def _factor(manifest: Any, mode: str, zone: int, straight: float) -> tuple[float, bool]:
    """Circuity of one trip: of its zone and band, of its zone, or the median that stands in."""
    told = manifest.transport or {}
    banded = bool(told.get("stratified")) and mode in ("stratified", "network")
    band = band_of(list(told["bands_km"]), straight) if told.get("bands_km") else 0
    factor = None
    if zone >= 0:
        factor = told["stratified"][zone][band] if banded else manifest.zone_factors[zone]
    if factor is not None and factor >= 1:
        return float(factor), True
    medians = told.get("band_medians")
    if medians and medians[band] is not None:
        return float(medians[band]), False
    return float(told.get("zone_median") or statistics.median(manifest.zone_factors)), False
