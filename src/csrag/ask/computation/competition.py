"""Other plants' demand: each takes its wood first every year, cheapest for itself, from the same clusters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.ask.computation.delivered import Costs, Economics, StandReader, delivered_costs, economics
from csrag.ask.computation.facts import Ledger
from csrag.ask.computation.transport import MIN_HAUL_KM, circuity_of
from csrag.ask.records import SitingQuery
from csrag.ask.results import Catchment
from csrag.geo import EARTH_RADIUS_KM, haversine_km
from csrag.places.counties import in_ring
from csrag.places.wood_plants import WoodPlant
from csrag.simulators.truck import haul_usd_per_bdt_km
from csrag.surfaces.frame import ClusterFrame
from csrag.surfaces.manifest import Manifest

Floats = NDArray[np.float64]

SUPPLY_KM = 80.0
"""Circle from which another plant is taken to draw its wood [km]: about 50 miles, a usual limit of haul (assumed)."""
_POINTS = 2000
_LOOK = 4096
"""Clusters looked at in one go."""


@dataclass(frozen=True)
class Rival:
    """Another plant as it concerns one circle.

    Parameters
    ----------
    plant : WoodPlant
        Name, place, demand.
    distance_km : float
        From the site [km].
    share : float
        Share of its own circle of `SUPPLY_KM` that lies in ours and in the data area [0 to 1].
    """

    plant: WoodPlant
    distance_km: float
    share: float

    @property
    def demand_bdt(self) -> float:
        """What it draws from our circle in a year [BDT]: its demand times the share."""
        return self.plant.bdt_per_year * self.share


def share_in_reach(plant: WoodPlant, catchment: Catchment, area: Sequence[Any]) -> float:
    """Share of a plant's own circle that lies in the catchment's circle and in the data area.

    Parameters
    ----------
    plant : WoodPlant
        The other plant.
    catchment : Catchment
        The pool of the site.
    area : sequence of rings
        Data area of the layer set, (lon, lat) [degrees]; empty where it has none.

    Returns
    -------
    float
        0 to 1, from points spread evenly over the plant's circle.
    """
    k = np.arange(_POINTS) + 0.5
    away, turn = SUPPLY_KM * np.sqrt(k / _POINTS), k * math.pi * (3 - math.sqrt(5))
    lat = plant.lat + np.degrees(away * np.cos(turn) / EARTH_RADIUS_KM)
    lon = plant.lon + np.degrees(away * np.sin(turn) / EARTH_RADIUS_KM) / math.cos(math.radians(plant.lat))
    inside = haversine_km(catchment.key.lat, catchment.key.lon, lat, lon) <= catchment.radius_km
    if area and inside.any():
        covered = np.zeros(_POINTS, dtype=bool)
        for ring in area:
            corners = np.asarray(ring, dtype=np.float64)
            covered ^= in_ring(np.vstack([corners, corners[:1]]), lat, lon)
        inside &= covered
    return float(inside.mean())


def rivals_in_reach(plants: Sequence[WoodPlant], catchment: Catchment, area: Sequence[Any]) -> tuple[Rival, ...]:
    """The plants whose own circle overlaps the catchment's inside the data area, in the order of the table.

    Parameters
    ----------
    plants : sequence of WoodPlant
        Built in or the user's own. The plant that the question itself is about is left out.
    catchment : Catchment
        The pool of the site.
    area : sequence of rings
        Data area of the layer set.
    """
    out = []
    for plant in plants:
        if catchment.site.kind == "plant" and plant.name == catchment.site.name:
            continue
        distance = float(haversine_km(catchment.key.lat, catchment.key.lon, plant.lat, plant.lon))
        if plant.bdt_per_year <= 0 or distance >= SUPPLY_KM + catchment.radius_km:
            continue
        share = share_in_reach(plant, catchment, area)
        if share > 0:
            out.append(Rival(plant, distance, share))
    return tuple(out)


class Takings:
    """What the rivals cut before each year's choice; a `before_year` of the depletion.

    Parameters
    ----------
    rivals : sequence of Rival
        In the order in which they choose.
    frame : ClusterFrame
        The pool.
    costs : Costs
        Of the pool.
    econ : Economics
        Truck prices.
    manifest : Manifest, optional
        Factors by zone and band for a rival's own trips, which the site's road network says nothing about; without it the
        circuity of `costs`.
    """

    def __init__(self, rivals: Sequence[Rival], frame: ClusterFrame, costs: Costs, econ: Economics,
                 manifest: Manifest | None = None) -> None:  # fmt: skip
        self.rivals = tuple(rivals)
        tau = haul_usd_per_bdt_km(econ.truck)
        self._orders: list[NDArray[np.int64]] = []
        for rival in self.rivals:
            distance = haversine_km(rival.plant.lat, rival.plant.lon, frame["lat"], frame["lon"])
            circuity = costs.circuity
            if manifest is not None and costs.transport is not None:
                circuity, _ = circuity_of(manifest, costs.transport.without_network, frame["zone"], distance)
            cost = costs.harvest + tau * np.maximum(MIN_HAUL_KM, distance * circuity)
            near = np.flatnonzero((distance <= SUPPLY_KM) & np.isfinite(cost))
            self._orders.append(near[np.lexsort((frame["cluster_no"][near], cost[near]))])
        self.taken_bdt: list[dict[int, float]] = [{} for _ in self.rivals]
        """Tons that each took, by year [BDT]."""

    def __call__(self, year: int, tons: Floats, there: NDArray[np.bool_]) -> None:
        """Take one year's demand of every rival out of `there`, whole clusters, cheapest for itself first."""
        for rival, order, taken_bdt in zip(self.rivals, self._orders, self.taken_bdt, strict=True):
            have, at = 0.0, 0
            while have < rival.demand_bdt and at < len(order):
                some = order[at : at + _LOOK]
                usable = some[there[some]]
                reached = have + np.cumsum(tons[usable])
                taken = usable[: int(np.searchsorted(reached, rival.demand_bdt, side="left")) + 1]
                there[taken] = False
                have += float(tons[taken].sum())
                at += _LOOK
            taken_bdt[year] = have


def left_in_year_one(takings: Takings, pool: Catchment, costs: Costs) -> NDArray[np.bool_]:
    """Which clusters of the pool the rivals leave in year one, shape (n,)."""
    there = np.ones(len(pool.frame), dtype=bool)
    takings(1, costs.tons.copy(), there)
    return there


def without_taken(catchment: Catchment, pool: Catchment, left: NDArray[np.bool_]) -> Catchment:
    """The catchment without the clusters of the pool that are not `left`; they count as left out, with their reason."""
    gone = np.isin(catchment.frame["cluster_no"], pool.frame["cluster_no"][~left])
    if not gone.any():
        return catchment
    feedstock = catchment.frame["feedstock_bdt"][gone].max(axis=1, initial=0.0).astype(np.float64)
    reason = "taken by other plants"
    return replace(
        catchment, frame=catchment.frame.filter(~gone), system_index=catchment.system_index[~gone],
        excluded_bdt={**catchment.excluded_bdt, reason: float(feedstock.sum())},
        excluded_clusters={**catchment.excluded_clusters, reason: int(gone.sum())},
    )  # fmt: skip


def others_bdt(plants: Sequence[WoodPlant], pool: Catchment, area: Sequence[Any]) -> float:
    """What other plants draw from a pool in a year [BDT]; 0 where none does."""
    return sum(r.demand_bdt for r in rivals_in_reach(plants, pool, area))


def radius_beside_others(query: SitingQuery, pool: Catchment, manifest: Manifest, read_stand: StandReader,
                         plants: Sequence[WoodPlant], target_bdt: float) -> float | None:  # fmt: skip
    """Smallest whole radius in which what other plants leave in year one holds a target.

    Parameters
    ----------
    query : SitingQuery
        What is asked.
    pool : Catchment
        Candidates out to where the plant's life can reach.
    manifest : Manifest
        Economics, codes.
    read_stand : callable
        Reads the what-if inputs of given layer rows.
    plants : sequence of WoodPlant
        Other plants.
    target_bdt : float
        What the circle has to hold [BDT].

    Returns
    -------
    float or None
        [km]; None where the pool does not hold it.
    """
    econ = economics(manifest, query.overrides)
    costs = delivered_costs(pool, query, manifest, econ, read_stand)
    left = left_in_year_one(
        Takings(rivals_in_reach(plants, pool, manifest.data_area), pool.frame, costs, econ, manifest), pool, costs
    )
    whole_km = np.ceil(pool.frame["distance_km"][left]).astype(np.int64)
    reached = np.cumsum(np.bincount(whole_km, weights=costs.tons[left], minlength=1))
    first = int(np.searchsorted(reached, target_bdt, side="left"))
    return float(first) if first < len(reached) else None


def put_competition(ledger: Ledger, takings: Takings, source: str) -> None:
    """Record who else takes wood, how much, and that it is assumed.

    Parameters
    ----------
    ledger : Ledger
        Receives the values.
    takings : Takings
        After the years were run.
    source : str
        built-in, layer set, or the name of the user's table.
    """
    rivals = takings.rivals
    demand = sum(r.demand_bdt for r in rivals)
    how = f"share of each plant's own circle of {SUPPLY_KM:g} km that lies in reach and in the data, times its demand"
    ledger.put(
        "other_plants_count", len(rivals), f"plants of the table ({source}) whose circle of {SUPPLY_KM:g} km overlaps"
    )
    ledger.put("other_plants_demand_bdt", demand, f"assumed; {how}")
    first = sum(t.get(1, 0.0) for t in takings.taken_bdt)
    ledger.put("other_plants_taken_bdt", first, "year one, whole clusters, each plant the cheapest for itself")
    rows = [
        (r.plant.name, r.plant.lat, r.plant.lon, r.distance_km, r.plant.capacity_mw, r.plant.bdt_per_year, r.share,
         r.demand_bdt, taken.get(1, 0.0), r.plant.basis)
        for r, taken in zip(rivals, takings.taken_bdt, strict=True)
    ]  # fmt: skip
    ledger.table(
        "other_plants",
        ("name", "lat", "lon", "distance_km", "capacity_mw", "demand_bdt_per_year", "share_in_reach",
         "drawn_bdt_per_year", "taken_year_one_bdt", "basis"),
        rows, "each takes its wood before the plant asked about, every year",
    )  # fmt: skip
    if not rivals:
        ledger.caveat(
            "no_other_plants", "No plant of the table draws wood from this reach, so other plants change nothing."
        )
        return
    names = [r.plant.name for r in sorted(rivals, key=lambda r: (-r.demand_bdt, r.plant.name))]
    shown = ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
    whose = {"built-in": "for forest wood is assumed, not known", "layer set": "is that of the layer set's table"}
    assumed = f"their demand {whose.get(source, 'is that of your table')}"
    ledger.caveat("other_plants_assumed", f"Other plants are counted and choose first every year: {shown}. {assumed.capitalize()}, "
                  f"and so is the circle of {SUPPLY_KM:g} km that each draws from.")  # fmt: skip
