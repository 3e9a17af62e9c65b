"""A slow reference solver: plain loops over exported clusters, nothing shared with csrag's computation.

It answers one question: which clusters feed a plant at a site for one year, and at what cost. Every formula is written
again from the domain description, one cluster at a time.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass


@dataclass
class Cluster:
    """One cluster as exported: position, land, burn probability, and per system cost and feedstock."""

    key: int
    lat: float
    lon: float
    acres: float
    slope_pct: float
    burn: float
    factor: float
    known_factor: bool
    land: str
    wilderness: bool
    cost: dict[str, float]
    tons: dict[str, float]
    road_km: float = math.nan
    road_hours: float = math.nan
    pace: tuple[float, float, float] = (40.0, 0.0, 0.0)


def distance_km(lat1: float, lon1: float, lat2: float, lon2: float) -> float:
    a, b, c, d = map(math.radians, (lat1, lon1, lat2, lon2))
    h = math.sin((c - a) / 2) ** 2 + math.cos(a) * math.cos(c) * math.sin((d - b) / 2) ** 2
    return 2 * 6371.0088 * math.asin(min(1.0, math.sqrt(h)))


def haul_usd_per_bdt_km(diesel: float = 4.5, wage: float = 24.71, moisture_pct: float = 50.0) -> float:
    miles, hours = 2 * 0.621371, 2 / 40.0
    trip = miles * (0.35 + diesel / 6) + hours * (1.67 * wage + 13.10)
    return trip / (25 * (1 - moisture_pct / 100))


def unloading_usd_per_bdt(wage: float = 24.71, moisture_pct: float = 50.0) -> float:
    return 0.25 * (1.67 * wage + 13.10) / (25 * (1 - moisture_pct / 100))


def band_of(edges: list[float], straight_km: float) -> int:
    """Straight-line band, the last one open."""
    band = 0
    while band + 2 < len(edges) and straight_km >= edges[band + 1]:
        band += 1
    return band


def ways(adjacent: list[list[tuple[int, float, float]]], lat: list[float], lon: list[float], at: tuple[float, float]
         ) -> dict[int, tuple[float, float]]:  # fmt: skip
    """Hours and km of the fastest way from a point to every node: the point joins its nearest node within 20 km."""
    away = [distance_km(*at, y, x) if adjacent[i] else math.inf for i, (y, x) in enumerate(zip(lat, lon, strict=True))]
    start = min(range(len(away)), key=away.__getitem__)
    if away[start] > 20:
        return {}
    found: dict[int, tuple[float, float]] = {}
    heap = [(away[start] * 1.3 / 25, away[start] * 1.3, start)]
    while heap:
        hours, km, node = heapq.heappop(heap)
        if node in found:
            continue
        found[node] = (hours, km)
        for other, length, time in adjacent[node]:
            if other not in found:
                heapq.heappush(heap, (hours + time, km + length, other))
    return found


def road_trip(found: dict[int, tuple[float, float]], node: int, leg_km: float, leg_hours: float, straight_km: float
              ) -> tuple[float, float]:  # fmt: skip
    """Road km and hours to a landing; NaN where there is no road, or none short enough to be believed."""
    if node < 0 or node not in found:
        return math.nan, math.nan
    hours, km = found[node][0] + leg_hours, found[node][1] + leg_km
    if km <= 0 or km > 6 * straight_km + 20:
        return math.nan, math.nan
    longer = max(1.0, straight_km / km)
    return km * longer, hours * longer


def network_haul(km: float, hours: float, diesel: float, moisture_pct: float, wage: float = 24.71) -> float:
    """Round trip by the network's own hours, half an hour of waiting a load, at least one km [USD per BDT]."""
    longer = max(1.0, 1.0 / km)
    trip = 2 * km * longer * 0.621371 * (0.35 + diesel / 6) + (2 * hours * longer + 0.5) * (1.67 * wage + 13.10)
    return trip / (25 * (1 - moisture_pct / 100))


def unknown_hours(km: float, km_per_h: float, leg_km: float, leg_hours: float) -> float:
    """Hours of a trip without a known way: a usual leg, and the rest at the network's speed or 40 km/h."""
    speed = km_per_h if km_per_h < 40 else 40.0
    leg_speed = speed if leg_km == 0 or leg_hours == 0 else min(speed, leg_km / leg_hours)
    return leg_km / leg_speed + (0.0 if km <= leg_km else (km - leg_km) / speed)


@dataclass
class Solution:
    taken: list[int]
    tons: float
    harvest: float
    haul: float
    last_unit: float
    burn: float | None
    acres: float
    candidates: int
    available: float
    radius_km: float


def solve(clusters: list[Cluster], lat: float, lon: float, demand: float, weight: float, scales: tuple[float, ...],
          radius_km: float | None, land: tuple[str, ...] = ("private", "usfs"), max_slope: float | None = None,
          diesel_haul: float = 4.5, moisture_pct: float = 50.0, network: bool = False) -> Solution:  # fmt: skip
    u_lo, u_hi, p_lo, p_hi = scales
    tau, unload = (
        haul_usd_per_bdt_km(diesel_haul, moisture_pct=moisture_pct),
        unloading_usd_per_bdt(moisture_pct=moisture_pct),
    )
    usable = []
    for c in clusters:
        best = min(((v, n) for n, v in c.cost.items() if not math.isnan(v)), default=None, key=lambda t: t[0])
        if best is None or c.wilderness or c.land not in land:
            continue
        if max_slope is not None and not c.slope_pct <= max_slope:
            continue
        tons = c.tons[best[1]]
        if tons > 0:
            usable.append((distance_km(lat, lon, c.lat, c.lon), c, best[0], tons))
    if radius_km is None:
        radius_km, within = 200.0, [0.0] * 202
        for d, _, _, tons in usable:
            if d <= 200:
                within[math.ceil(d)] += tons
        for km in range(10, 201):
            if math.fsum(within[: km + 1]) >= 5 * demand:
                radius_km = float(km)
                break
    inside = [(d, c, cost, t) for d, c, cost, t in usable if d <= radius_km]
    ranked = []
    for d, c, cost, tons in inside:
        haul = tau * max(1.0, d * c.factor)
        if network:
            km, hours = c.road_km, c.road_hours
            if math.isnan(km):
                km = max(1.0, d * c.factor)
                hours = unknown_hours(km, *c.pace)
            haul = network_haul(km, hours, diesel_haul, moisture_pct)
        unit = cost + haul + unload
        fire = 1.0 if math.isnan(c.burn) else 1 - (c.burn - p_lo) / (p_hi - p_lo)
        score = (1 - weight) * (unit - u_lo) / (u_hi - u_lo) + weight * fire
        ranked.append((score, unit, c.key, tons, cost, haul, c))
    ranked.sort(key=lambda r: r[:3])
    taken, total = [], 0.0
    for row in ranked:
        if total >= demand:
            break
        taken.append(row)
        total += row[3]
    if not taken:
        return Solution([], 0.0, math.nan, math.nan, math.nan, None, 0.0, len(inside), 0.0, radius_km)
    known = [(r[6].burn, r[3]) for r in taken if not math.isnan(r[6].burn)]
    return Solution(
        [r[2] for r in taken], total, math.fsum(r[4] * r[3] for r in taken) / total,
        math.fsum(r[5] * r[3] for r in taken) / total, max(r[1] for r in taken),
        math.fsum(b * t for b, t in known) / math.fsum(t for _, t in known) if known else None,
        math.fsum(r[6].acres for r in taken), len(inside), math.fsum(t for *_, t in inside), radius_km,
    )  # fmt: skip
