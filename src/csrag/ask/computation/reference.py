"""FRREDSS's own rule, kept to measure cost-rank selection against: nearest rings first, then the cheapest within them.

Circles grow by 1 km until the candidates hold the expansion factor times one year's demand; from these the cheapest by harvest
and haul are taken, whole clusters. Harvest costs and tons come from FRCS with the mapping `fixed`; a cluster's last truck drives
part-filled; unloading pays the woods workers' benefits; machines are moved once a year, at the residue half of FRCS's move-in.
Source: FRREDSS (UC Davis), as set down in the project's domain notes.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from csrag.ask.computation.delivered import (
    Costs,
    Economics,
    StandReader,
    availability,
    simulator_at_hand,
    simulator_missing,
)
from csrag.ask.computation.move_in import tour_keys, tour_km
from csrag.ask.computation.transport import transport_of, trips_of
from csrag.ask.records import SitingQuery
from csrag.ask.results import Catchment, Caveat
from csrag.errors import RequestError
from csrag.quantities import km_to_miles
from csrag.simulators.harvest import harvest
from csrag.simulators.move_in import move_in
from csrag.simulators.truck import TRUCK_USD_PER_H, UNLOADING_H_PER_LOAD, TruckEconomics
from csrag.surfaces.catalog import CLEAR_CUT, FEEDSTOCK_CLASS_OF, SYSTEMS, systems_of
from csrag.surfaces.manifest import Manifest

Floats = NDArray[np.float64]
MAPPING = "fixed"
"""How FRREDSS feeds FRCS, with the slips that make it fail mended."""
LAYER_TONS = 2.0
"""How much more the layers' mapping may yield than FRREDSS's: the circle of a life is read that much fuller."""
FIRST_LOOK_YEARS = 5.0
"""Demand that the first circle read holds, beyond the rings' own [years]; it saves reading, and changes nothing."""
_CLASS_OF_SYSTEM = np.array([FEEDSTOCK_CLASS_OF[s] for s in SYSTEMS], dtype=np.int64)


def is_reference(query: SitingQuery) -> bool:
    """Whether the question asks for FRREDSS's rule."""
    return query.selection == "proximity"


def reference_query(query: SitingQuery, manifest: Manifest, caveats: list[Caveat]) -> SitingQuery:
    """The question as FRREDSS's rule can take it.

    Parameters
    ----------
    query : SitingQuery
        With selection `proximity`.
    manifest : Manifest
        Distance modes, and whose harvest costs the layers hold.
    caveats : list of Caveat
        Receives what the rule leaves out.

    Raises
    ------
    RequestError
        For whole trees, and for selection rules that FRREDSS does not have.
    DataError
        Where FRCS is not the simulator behind the layers.
    """
    if query.feedstock == "whole_tree":
        raise RequestError(
            "FRREDSS's rule burns residue and chip trees, not whole trees.", "Ask for it without whole trees."
        )
    if not simulator_at_hand(manifest):
        raise simulator_missing(manifest, "FRREDSS's rule")
    caveats.append(
        Caveat("reference_selection", "Selected by FRREDSS's rule (nearest rings, then the cheapest in them), with its harvest "
               "mapping, part-filled trucks and one move of the machines a year. It stands here to be compared with; the default "
               "chooses by delivered cost.")
    )  # fmt: skip
    if query.fire_weight > 0:
        caveats.append(Caveat("fire_weight_ignored", "FRREDSS's rule knows no fire weight; it is left out here."))
        query = query.with_(fire_weight=0.0)
    if "network" not in manifest.distance_modes:
        caveats.append(
            Caveat("reference_without_network", "FRREDSS measures the haul on roads; this layer set has no road network, so "
                   "factors stand in for it.")
        )  # fmt: skip
    return query


def ring_radius_km(distance_km: Floats, tons: Floats, target_bdt: float) -> int | None:
    """Whole km at which rings of 1 km first hold the target.

    Parameters
    ----------
    distance_km, tons : ndarray of float64, shape (n,)
        Straight-line distance [km] and feedstock [BDT] of each candidate.
    target_bdt : float
        [BDT]

    Returns
    -------
    int or None
        At least 1; None where all of them do not hold it.
    """
    if not len(tons):
        return None
    whole = np.maximum(np.ceil(distance_km).astype(np.int64), 1)
    reached = np.cumsum(np.bincount(whole, weights=tons))
    first = int(np.searchsorted(reached, target_bdt, side="left"))
    return first if first < len(reached) else None


def in_rings(catchment: Catchment, costs: Costs, target_bdt: float) -> tuple[Catchment, Costs]:
    """Candidates of the rings that hold the target, and their costs; all of them where they do not hold it.

    Parameters
    ----------
    catchment, costs : Catchment, Costs
        Candidates of a circle that is wide enough.
    target_bdt : float
        Expansion factor times one year's demand [BDT].
    """
    distance = catchment.frame["distance_km"]
    radius = ring_radius_km(distance, costs.tons, target_bdt)
    if radius is None or radius >= catchment.radius_km:
        return catchment, costs
    near = distance <= radius
    inner = replace(catchment, radius_km=float(radius), radius_origin="rings", frame=catchment.frame.filter(near),
                    system_index=catchment.system_index[near])  # fmt: skip
    return inner, costs.subset(near)


def reference_costs(catchment: Catchment, query: SitingQuery, manifest: Manifest, econ: Economics, read_stand: StandReader,
                    mapping: str = MAPPING, *, part_filled: bool = True, woods_benefits: bool = True,
                    one_move: bool = True) -> Costs:  # fmt: skip
    """Cost and tons of every candidate as FRREDSS reckons them.

    Parameters
    ----------
    catchment : Catchment
        Candidates.
    query : SitingQuery
        Treatment, system, availability, distance mode.
    manifest : Manifest
        Codes and factors.
    econ : Economics
        Prices.
    read_stand : callable
        Reads the stand inputs of given layer rows.
    mapping : str
        How clusters are fed to FRCS; another than `fixed` only to measure what the mapping does.
    part_filled, woods_benefits, one_move : bool
        Whether a cluster's last truck pays its whole trip, unloading pays the woods workers' benefits, and machines move once
        a year; off only to measure what each does.
    """
    frame, allowed = catchment.frame, systems_of(query.system)
    n = len(frame)
    tons = np.zeros(n)
    best, index = np.full(n, np.inf), np.full(n, SYSTEMS.index(allowed[0]), dtype=np.int64)
    if n:
        result = harvest(
            read_stand(frame["row"]), allowed, econ.harvest, clear_cut=query.treatment == CLEAR_CUT, mapping=mapping
        )
        for row, name in enumerate(allowed):
            s = SYSTEMS.index(name)
            cost = result.cost_usd_per_bdt[row].astype(np.float32).astype(np.float64)
            better = np.isfinite(cost) & (cost < best)
            best[better], index[better] = cost[better], s
        workable = np.isfinite(best)
        tons = np.where(workable, result.feedstock_bdt[_CLASS_OF_SYSTEM[index], np.arange(n)], 0.0)
        tons = tons * availability(frame, query, manifest)
        # No tons, no truck: such a cluster cannot be taken, whatever it costs.
        best = np.where(tons > 0, best, np.inf)
    best = best * (1 + econ.contractor_margin_pct / 100)
    transport = transport_of(query.transport, manifest, catchment.roads)
    trips = trips_of(catchment, transport, manifest, econ.truck, econ.speed_set)
    haul = trips.haul
    if part_filled:
        with np.errstate(invalid="ignore", divide="ignore"):
            loads = tons / econ.truck.payload_bdt
            haul = np.where(tons > 0, haul * np.ceil(loads) / loads, haul)
    unloading = unloading_with_benefits(econ.truck, econ.harvest.benefits_pct if woods_benefits else None)
    return Costs(
        best, haul, best + haul + unloading, unloading, tons, index, trips.road_km, trips.circuity, trips.known,
        tour_keys(frame["lat"], frame["lon"]), trips.hours, transport, trips.lifted, one_move,
    )  # fmt: skip


def unloading_with_benefits(truck: TruckEconomics, benefits_pct: float | None) -> float:
    """A quarter of an hour of truck and driver a load at given benefits [USD per BDT]; the driver's own where None.

    Parameters
    ----------
    truck : TruckEconomics
        Wage [USD per hour] and payload [BDT].
    benefits_pct : float or None
        On top of the wage [percent].
    """
    share = truck.driver_benefits_pct if benefits_pct is None else benefits_pct
    return (
        UNLOADING_H_PER_LOAD * ((1 + share / 100) * truck.driver_wage_usd_per_h + TRUCK_USD_PER_H) / truck.payload_bdt
    )


@lru_cache(maxsize=256)
def _residual(system: str, ppi: float) -> tuple[float, float]:
    """Fixed cost [USD] and cost per mile [USD per mile] of the machines that make the residue product; linear in distance."""
    fixed = float(move_in(system, 0.0, ppi).residual_cost_usd[0])
    return fixed, (float(move_in(system, 1000.0, ppi).residual_cost_usd[0]) - fixed) / 1000.0


def one_move_usd(
    system_index: NDArray[np.int64],
    lats_deg: Floats,
    lons_deg: Floats,
    keys: NDArray[np.int64],
    cluster_no: NDArray[np.int64],
    circuity: Floats,
    ppi: float,
) -> dict[str, float]:
    """One mobilisation a year by harvesting system: the residue half of FRCS's move-in over the whole tour.

    Parameters
    ----------
    system_index : ndarray of int64, shape (n,)
        System of each selected cluster.
    lats_deg, lons_deg : ndarray of float64, shape (n,)
        Selected clusters [degrees].
    keys, cluster_no : ndarray of int64, shape (n,)
        Their places along the tour, and keys.
    circuity : ndarray of float64, shape (n,)
        Road over straight-line distance [dimensionless].
    ppi : float
        Producer price index of machine prices [2002 = 176.6].

    Returns
    -------
    dict of str to float
        USD by system.
    """
    cost: dict[str, float] = {}
    for s in np.unique(system_index):
        mine = system_index == s
        road_km = tour_km(lats_deg[mine], lons_deg[mine], keys[mine], cluster_no[mine]) * float(circuity[mine].mean())
        fixed, per_mile = _residual(SYSTEMS[s], ppi)
        cost[SYSTEMS[s]] = fixed + per_mile * km_to_miles(road_km)
    return cost


def first_look_years(query: SitingQuery) -> float:
    """Demand that the circle read for the rings holds [years]."""
    return FIRST_LOOK_YEARS + 2 * math.ceil(query.expansion_factor)
