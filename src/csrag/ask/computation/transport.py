"""Road distance of every cluster: by the road network, by zone and distance band, or by zone, and how far each is off."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.ask.results import Catchment, RoadDistances, RoadPace
from csrag.simulators.truck import TruckEconomics, haul_usd_per_bdt_km, network_haul_usd_per_bdt
from csrag.surfaces.manifest import Manifest

Floats = NDArray[np.float64]

BEST_FIRST = ("network", "stratified", "zone")
NO_CIRCUITY = "none"
"""Mode of a set that knows no circuity at all: one assumed factor."""
FALLBACK_CIRCUITY = 1.5
"""Road over straight-line distance where a layer set knows no circuity at all (assumed)."""
MIN_HAUL_KM = 1.0
MODE_WORDS = {
    "network": "the road network", "stratified": "zone-and-band factors", "zone": "zone factors",
    NO_CIRCUITY: "one assumed factor",
}  # fmt: skip


@dataclass(frozen=True)
class Transport:
    """Which distance mode an answer uses, and why.

    Parameters
    ----------
    mode : str
        network, stratified, zone or none.
    wanted : str or None
        As asked; None where the question is silent.
    has : tuple of str
        Modes of the layer set.
    off_network : str
        Why a network that the set has could not be used for this site; empty otherwise.
    """

    mode: str
    wanted: str | None
    has: tuple[str, ...]
    off_network: str = ""

    @property
    def without_network(self) -> str:
        """The mode itself, or the one that stands in where the network knows no way."""
        return best_factors(self.has) if self.mode == "network" else self.mode


@dataclass(frozen=True)
class Trips:
    """One-way trips to clusters, all arrays of shape (n,).

    Parameters
    ----------
    road_km : ndarray of float64
        At least `MIN_HAUL_KM` [km].
    hours : ndarray of float64
        Driving time [hours].
    circuity : ndarray of float64
        Road over straight-line distance [dimensionless].
    known : ndarray of bool
        False where a fallback stands in.
    haul : ndarray of float64
        Round trip [USD per BDT].
    lifted : int
        Roads that were shorter than the straight line and were lifted to it.
    """

    road_km: Floats
    hours: Floats
    circuity: Floats
    known: NDArray[np.bool_]
    haul: Floats
    lifted: int = 0


def best_factors(has: tuple[str, ...]) -> str:
    """The best mode of a set that needs no network."""
    return next((m for m in BEST_FIRST[1:] if m in has), NO_CIRCUITY)


def transport_of(wanted: str | None, manifest: Manifest, roads: RoadDistances | None) -> Transport:
    """Choose the mode: the one asked for where the set has it, else the best it has.

    Parameters
    ----------
    wanted : str or None
        The question's.
    manifest : Manifest
        Modes of the set.
    roads : RoadDistances or None
        The site on the network; None without one.
    """
    has = manifest.distance_modes
    mode = wanted if wanted in has else next((m for m in BEST_FIRST if m in has), NO_CIRCUITY)
    if mode == "network":
        reason = roads.off_network() if roads is not None else "its road network is not at hand"
        if reason:
            return Transport(best_factors(has), wanted, has, reason)
    return Transport(mode, wanted, has)


def circuity_of(
    manifest: Manifest, mode: str, zone: NDArray[Any], straight_km: Floats
) -> tuple[Floats, NDArray[np.bool_]]:
    """Circuity factor of each trip by zone, or by zone and straight-line band.

    Parameters
    ----------
    manifest : Manifest
        Holds the factors.
    mode : str
        zone, stratified or none.
    zone : ndarray of int, shape (n,)
        Zone of each cluster, -1 unknown.
    straight_km : ndarray of float64, shape (n,)
        Straight-line distance [km].

    Returns
    -------
    factor : ndarray of float64, shape (n,)
        At least 1 [dimensionless]; where zone or factor is unknown the median factor of the band, else that of the zones,
        else `FALLBACK_CIRCUITY`.
    known : ndarray of bool, shape (n,)
    """
    told: Mapping[str, Any] = manifest.transport or {}
    zones = np.asarray(manifest.zone_factors, dtype=np.float64)
    table = np.asarray(told.get("stratified") or [], dtype=np.float64)
    band = _band_of(told, straight_km)
    if mode == "stratified" and table.size:
        in_table = (zone >= 0) & (zone < len(table))
        factor = np.full(len(zone), np.nan)
        factor[in_table] = table[zone[in_table], band[in_table]]
    else:
        in_table = (zone >= 0) & (zone < zones.size) & (mode != NO_CIRCUITY)
        factor = np.full(len(zone), np.nan)
        factor[in_table] = zones[zone[in_table]]
    known = np.isfinite(factor) & (factor >= 1.0)
    stand_in = np.full(len(zone), _middle(told, zones))
    medians = np.asarray(told.get("band_medians") or [], dtype=np.float64)
    if medians.size:
        of_band = medians[band]
        usable = np.isfinite(of_band) & (of_band >= 1.0)
        stand_in[usable] = of_band[usable]
    return np.where(known, factor, stand_in), known


def _band_of(told: Mapping[str, Any], straight_km: Floats) -> NDArray[np.int64]:
    """Straight-line band of each trip; what lies beyond the last edge belongs to the last band."""
    width = len(told.get("band_medians") or next(iter(told.get("stratified") or ()), ()))
    inner = np.asarray(list(told.get("bands_km") or ())[1 : max(width, 1)], dtype=np.float64)
    return np.searchsorted(inner, straight_km, side="right").astype(np.int64)


def _middle(told: Mapping[str, Any], zones: Floats) -> float:
    """Median of the zones' factors, at least 1."""
    given = told.get("zone_median")
    if given is not None and given >= 1.0:
        return float(given)
    finite = np.sort(zones[np.isfinite(zones)])
    # The middle by hand: np.median would load numpy.ma, a tenth of a cold start.
    middle = finite[(len(finite) - 1) // 2 : len(finite) // 2 + 1]
    return max(float(middle.mean()), 1.0) if len(middle) else FALLBACK_CIRCUITY


def trips_of(catchment: Catchment, transport: Transport, manifest: Manifest, truck: TruckEconomics,
             speed_set: bool) -> Trips:  # fmt: skip
    """Trips to every candidate, and what the haul costs.

    Parameters
    ----------
    catchment : Catchment
        Candidates, and the roads of their site.
    transport : Transport
        From `transport_of`.
    manifest : Manifest
        Factors.
    truck : TruckEconomics
        Prices, and the mean speed.
    speed_set : bool
        Whether the user named the speed: then it stands for the network's own hours.

    Notes
    -----
    By factor: tau x road km at the mean speed. By network: its km and its hours, with half an hour of loading and waiting
    a load. A cluster that the network does not reach has the factor's km, the mean leg from a landing at its own speed and
    the rest at the slower of the mean speed and the network's, and the same half hour, so that nothing is cheaper for being
    unknown. The network's speed is that of all its roads: a mean over the candidates at hand would price a cluster otherwise
    in year one than in the wider circle of the plant's life.
    """
    straight = catchment.frame["distance_km"]
    circuity, known = circuity_of(manifest, transport.without_network, catchment.frame["zone"], straight)
    road_km = np.maximum(MIN_HAUL_KM, straight * circuity)
    if transport.mode != "network":
        return Trips(road_km, road_km / truck.speed_km_per_h, circuity, known, haul_usd_per_bdt_km(truck) * road_km)
    assert catchment.roads is not None
    found = catchment.roads.to(catchment.frame["row"], straight)
    known = np.isfinite(found.km)
    least = np.maximum(MIN_HAUL_KM, np.where(known, found.km, 1.0))
    with np.errstate(invalid="ignore"):
        driven = found.hours * (least / found.km)
        circuity = np.where(known, np.maximum(least / np.maximum(straight, MIN_HAUL_KM), 1.0), circuity)
    road_km = np.where(known, least, road_km)
    if speed_set:
        hours = road_km / truck.speed_km_per_h
    else:
        hours = (
            driven if known.all() else np.where(known, driven, _unknown_hours(road_km, catchment.roads.pace(), truck))
        )
    return Trips(road_km, hours, circuity, known, network_haul_usd_per_bdt(road_km, hours, truck), found.lifted)


def _unknown_hours(road_km: Floats, pace: RoadPace, truck: TruckEconomics) -> Floats:
    """Driving time of trips that the network knows no way for [hours]."""
    slower = min(truck.speed_km_per_h, pace.km_per_h)
    # A leg that is quicker than the rest saves nothing.
    leg_hours = max(pace.leg_hours, pace.leg_km / slower)
    return np.asarray(leg_hours + np.maximum(road_km - pace.leg_km, 0.0) / slower)


@dataclass(frozen=True)
class MeasuredError:
    """What the layer set measured of a mode in one straight-line band.

    Parameters
    ----------
    low_km, high_km : float
        The band [km].
    beyond : bool
        The circle reaches past the last band measured.
    n : int
        Trips measured.
    mape_pct, aggregate_pct : float
        Mean absolute error of a trip, and error of the sum of all (positive: too long) [percent].
    """

    low_km: float
    high_km: float
    beyond: bool
    n: int
    mape_pct: float
    aggregate_pct: float

    @property
    def words(self) -> str:
        """The band in words."""
        return f"{self.low_km:g} to {self.high_km:g} km"


def measured_error(manifest: Manifest, mode: str, radius_km: float) -> MeasuredError | None:
    """Error of a mode in the band that holds a radius; None where it was not measured, or is nought by definition.

    Parameters
    ----------
    manifest : Manifest
        `transport.accuracy`.
    mode : str
        The mode used.
    radius_km : float
        Radius of the circle; a circle of 30 km belongs to the band that ends there [km].
    """
    rows = [r for r in (manifest.transport or {}).get("accuracy") or () if r["mode"] == mode and r["n"]]
    rows = [r for r in rows if r["mape_pct"] is not None and r["aggregate_error_pct"] is not None]
    if not rows or all(r["mape_pct"] == 0 and r["aggregate_error_pct"] == 0 for r in rows):
        return None
    rows.sort(key=lambda r: float(r["band_km"][0]))
    last = rows[-1]
    row = next((r for r in rows if r["band_km"][1] is not None and radius_km <= float(r["band_km"][1])), last)
    low, high = float(row["band_km"][0]), row["band_km"][1]
    beyond = high is None or radius_km > float(high)
    return MeasuredError(
        low, radius_km if high is None else float(high), beyond and high is not None, int(row["n"]),
        float(row["mape_pct"]), float(row["aggregate_error_pct"]),
    )  # fmt: skip
