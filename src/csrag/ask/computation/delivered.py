"""Delivered cost of every candidate: harvest (from the layer or recomputed), haul, unloading."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from csrag.ask.computation.move_in import tour_keys
from csrag.ask.computation.rules import Shares, shares_of, within_road_limit
from csrag.ask.computation.transport import Transport, transport_of, trips_of
from csrag.ask.records import SitingQuery
from csrag.ask.results import Catchment
from csrag.errors import DataError
from csrag.quantities import check
from csrag.simulators.harvest import HarvestEconomics, harvest, treatment_cost
from csrag.simulators.truck import TruckEconomics, unloading_usd_per_bdt
from csrag.surfaces.catalog import CLEAR_CUT, FEEDSTOCK_CLASS_OF, SYSTEMS, systems_of
from csrag.surfaces.frame import ClusterFrame
from csrag.surfaces.manifest import Manifest

Floats = NDArray[np.float64]
StandReader = Callable[[NDArray[np.int64]], ClusterFrame]

PRACTICAL_SHARE = {"private": 0.70}
"""Preset `practical`: share of the physical feedstock that can be had. Public land 0.45 (North et al. 2015: 25 of 58 %
of Sierra national forest is open to machines), private 0.70 (assumed)."""
PRACTICAL_SHARE_PUBLIC = 0.45

_CLASS_OF_SYSTEM = np.array([FEEDSTOCK_CLASS_OF[s] for s in SYSTEMS], dtype=np.int64)


SIMULATOR_AT_HAND = "FRCS"
"""The harvest simulator that csrag itself holds, as surrogates of it are marked."""


@dataclass(frozen=True)
class Economics:
    """Every price of one computation: woods and trucks share diesel and moisture.

    `speed_set` says that the user named the trucks' speed, which then stands for the road network's own hours.
    """

    harvest: HarvestEconomics
    truck: TruckEconomics
    contractor_margin_pct: float
    recomputed: bool
    speed_set: bool = False

    @property
    def moisture_pct(self) -> float:
        """Moisture of the wood as delivered, wet basis [percent]."""
        return self.harvest.moisture_pct


@dataclass(frozen=True)
class Costs:
    """Cost of each candidate, all arrays of shape (n,).

    Parameters
    ----------
    harvest, haul, unit : ndarray of float64
        Harvest at the landing, round-trip haul, and harvest + haul + unloading [USD per BDT]. Infinite, with no tons, where
        no allowed system can work a cluster once costs are computed anew: such a one is never taken.
    unloading : float
        [USD per BDT]
    tons : ndarray of float64
        Feedstock [BDT].
    system_index : ndarray of int64
        Index into `SYSTEMS`.
    road_km : ndarray of float64
        One-way road distance [km].
    circuity : ndarray of float64
        Road over straight-line distance [dimensionless].
    circuity_known : ndarray of bool
        False where a fallback stands in.
    tour_key : ndarray of int64
        Place along the curve that machines follow from unit to unit.
    hours : ndarray of float64 or None
        One-way driving time [hours].
    transport : Transport or None
        How the road distances were found.
    lifted : int
        Roads of the network that were shorter than the straight line and were lifted to it.
    one_move : bool
        Machines are moved once a year, FRREDSS's way, instead of once for each harvest unit.
    shares : Shares or None
        Share rules of the question that any selection has to keep. A cluster beyond the question's longest haul has an
        infinite unit cost, and a finite one at the landing.
    """

    harvest: Floats
    haul: Floats
    unit: Floats
    unloading: float
    tons: Floats
    system_index: NDArray[np.int64]
    road_km: Floats
    circuity: Floats
    circuity_known: NDArray[np.bool_]
    tour_key: NDArray[np.int64]
    hours: Floats | None = None
    transport: Transport | None = None
    lifted: int = 0
    one_move: bool = False
    shares: Shares | None = None

    @property
    def unworkable(self) -> int:
        """Candidates that no allowed system can work."""
        return int(np.count_nonzero(~np.isfinite(self.harvest)))

    def subset(self, keep: NDArray[np.bool_]) -> Costs:
        """Those of some candidates, by a mask of shape (n,)."""
        hours = None if self.hours is None else self.hours[keep]
        return replace(
            self, harvest=self.harvest[keep], haul=self.haul[keep], unit=self.unit[keep], tons=self.tons[keep],
            system_index=self.system_index[keep], road_km=self.road_km[keep], circuity=self.circuity[keep],
            circuity_known=self.circuity_known[keep], tour_key=self.tour_key[keep], hours=hours,
            shares=None if self.shares is None else self.shares.subset(keep),
        )  # fmt: skip


def economics(manifest: Manifest, overrides: Mapping[str, float]) -> Economics:
    """The layer set's economics with the user's values put in.

    Parameters
    ----------
    manifest : Manifest
        Holds the economics that the cost layer was made with.
    overrides : mapping
        The user's values, checked against the table of quantities.

    Raises
    ------
    InvalidValueError
        For a value out of range.
    """
    base = HarvestEconomics(**manifest.economics)
    names = {f.name for f in fields(HarvestEconomics)} & set(overrides)
    woods = replace(base, **{n: check(n, overrides[n]) for n in names})
    # Woods and trucks share diesel and moisture: the layer's own where the user names none.
    truck = TruckEconomics(diesel_usd_per_gal=base.diesel_usd_per_gal, moisture_pct=base.moisture_pct)
    truck_names = {f.name for f in fields(TruckEconomics)} & set(overrides)
    truck = replace(truck, **{n: check(n, overrides[n]) for n in truck_names})
    margin = check("contractor_margin_pct", overrides.get("contractor_margin_pct", 0.0))
    return Economics(woods, truck, margin, recomputed=woods != base, speed_set="speed_km_per_h" in overrides)


def mapping_of(query: SitingQuery, manifest: Manifest) -> str:
    """How clusters are fed to FRCS: as the layers were made, or FRREDSS's way where its rule is asked for."""
    return "fixed" if query.selection == "proximity" else manifest.mapping


def simulator_of(manifest: Manifest) -> str:
    """Whose harvest costs a layer set holds, simulated or imitated."""
    return str((manifest.cost_method or {}).get("simulator") or SIMULATOR_AT_HAND)


def simulator_at_hand(manifest: Manifest) -> bool:
    """Whether harvest costs can be computed anew by the simulator that the layer set's costs come from."""
    return simulator_of(manifest) == SIMULATOR_AT_HAND


def simulator_missing(manifest: Manifest, wanted: str) -> DataError:
    """The refusal where a question needs costs of a simulator that csrag does not hold.

    Parameters
    ----------
    manifest : Manifest
        `cost_method`.
    wanted : str
        What needs them, as the subject of a sentence.
    """
    return DataError(
        f"The layer set's harvest costs imitate {simulator_of(manifest)}, which is not at hand here; {wanted} would need it, and "
        f"{SIMULATOR_AT_HAND} cannot stand in for it.",
        "Ask at the layer set's own prices and feedstock; the trucks' speed, drivers' wages, oil, the contractor's margin and "
        "everything of the plant itself may still be set. Or use a layer set whose costs come from FRCS.",
        code="simulator_not_at_hand",
    )


def _require_simulator(manifest: Manifest, query: SitingQuery, econ: Economics) -> None:
    if simulator_at_hand(manifest):
        return
    if query.feedstock == "whole_tree":
        raise simulator_missing(manifest, "the cost of burning whole trees")
    if econ.recomputed:
        base = HarvestEconomics(**manifest.economics)
        changed = [f.name for f in fields(base) if getattr(base, f.name) != getattr(econ.harvest, f.name)]
        names = " and ".join(name.split("_usd_per_")[0].removesuffix("_pct").replace("_", " ") for name in changed)
        raise simulator_missing(manifest, f"another {names or 'price'}")


def _recomputed(stand: ClusterFrame, query: SitingQuery, econ: Economics, manifest: Manifest,
                layer_cost: NDArray[np.float32]) -> NDArray[np.float32]:  # fmt: skip
    """Cost of every allowed system through FRCS at the user's prices, float32 like the layer."""
    allowed = systems_of(query.system)
    result = harvest(stand, allowed, econ.harvest, clear_cut=query.treatment == CLEAR_CUT, mapping=manifest.mapping)
    cost = np.full(layer_cost.shape, np.nan, dtype=np.float32)
    for row, name in enumerate(allowed):
        s = SYSTEMS.index(name)
        # What a system can work is a matter of terrain and trees, not of prices: the layer's own answer stands.
        cost[:, s] = np.where(np.isnan(layer_cost[:, s]), np.nan, result.cost_usd_per_bdt[row].astype(np.float32))
    return cost


def _whole_tree(stand: ClusterFrame, query: SitingQuery, econ: Economics, manifest: Manifest,
                layer_cost: NDArray[np.float32]) -> tuple[Floats, NDArray[np.int64], Floats]:  # fmt: skip
    """Saw logs burned too: unit cost is the whole treatment's cost over all of its tons."""
    n = len(layer_cost)
    best, index, tons = np.full(n, np.inf), np.full(n, -1, dtype=np.int64), np.zeros(n)
    dry = 1 - econ.moisture_pct / 100
    for name in systems_of(query.system):
        s = SYSTEMS.index(name)
        rows = np.full(n, s, dtype=np.int64)
        whole = treatment_cost(
            stand, rows, econ.harvest, clear_cut=query.treatment == CLEAR_CUT, mapping=manifest.mapping
        )
        bdt_per_acre = whole.yield_gt_per_acre * dry
        with np.errstate(invalid="ignore", divide="ignore"):
            unit = (whole.cost_usd_per_acre / bdt_per_acre).astype(np.float32).astype(np.float64)
        better = np.isfinite(unit) & ~np.isnan(layer_cost[:, s]) & (unit < best)
        best[better], index[better] = unit[better], s
        tons[better] = (bdt_per_acre * stand["area_acres"].astype(np.float64))[better]
    return best, index, tons


def delivered_costs(catchment: Catchment, query: SitingQuery, manifest: Manifest, econ: Economics,
                    read_stand: StandReader) -> Costs:  # fmt: skip
    """Cost of every candidate at the user's prices.

    Parameters
    ----------
    catchment : Catchment
        Candidates of one circle.
    query : SitingQuery
        System, treatment, feedstock rule, availability.
    manifest : Manifest
        Mapping, zone factors, codes.
    econ : Economics
        From `economics`.
    read_stand : callable
        Reads the what-if inputs of given layer rows; called only when prices differ from the layer's.

    Returns
    -------
    Costs
        The haul follows the distance mode: see `csrag.ask.computation.transport.trips_of`.

    Raises
    ------
    DataError
        If harvest costs would have to be computed anew and come from a simulator that is not at hand.
    """
    if query.selection == "proximity":
        from csrag.ask.computation.reference import reference_costs

        return reference_costs(catchment, query, manifest, econ, read_stand)
    _require_simulator(manifest, query, econ)
    frame = catchment.frame
    layer_cost = frame["cost_usd_per_bdt"]
    index = catchment.system_index
    everyone = np.arange(len(frame))
    if query.feedstock == "whole_tree":
        harvest_cost, index, tons = _whole_tree(read_stand(frame["row"]), query, econ, manifest, layer_cost)
    else:
        if econ.recomputed and len(frame):
            layer_cost = _recomputed(read_stand(frame["row"]), query, econ, manifest, layer_cost)
            allowed = [SYSTEMS.index(s) for s in systems_of(query.system)]
            filled = np.where(np.isnan(layer_cost[:, allowed]), np.inf, layer_cost[:, allowed])
            index = np.asarray(allowed)[np.argmin(filled, axis=1)]
        harvest_cost = layer_cost[everyone, index].astype(np.float64)
        tons = frame["feedstock_bdt"][everyone, _CLASS_OF_SYSTEM[index]].astype(np.float64)
    workable = np.isfinite(harvest_cost)
    if not workable.all():
        # Judged feasible when the layer was made, by a classifier say; the simulator finds no system that can work it.
        harvest_cost, tons = np.where(workable, harvest_cost, np.inf), np.where(workable, tons, 0.0)
        index = np.where(workable, index, SYSTEMS.index(systems_of(query.system)[0]))
    harvest_cost = harvest_cost * (1 + econ.contractor_margin_pct / 100)
    tons = tons * availability(frame, query, manifest)
    transport = transport_of(query.transport, manifest, catchment.roads)
    trips = trips_of(catchment, transport, manifest, econ.truck, econ.speed_set)
    unloading = unloading_usd_per_bdt(econ.truck)
    unit = within_road_limit(harvest_cost + trips.haul + unloading, trips.road_km, query)
    return Costs(
        harvest_cost, trips.haul, unit, unloading, tons, index, trips.road_km,
        trips.circuity, trips.known, tour_keys(frame["lat"], frame["lon"]), trips.hours, transport, trips.lifted,
        shares=shares_of(query, frame, manifest),
    )  # fmt: skip


def availability(frame: ClusterFrame, query: SitingQuery, manifest: Manifest) -> Floats:
    """Share of the physical feedstock that can be had, shape (n,): all of it, or the preset `practical` [0 to 1].

    Parameters
    ----------
    frame : ClusterFrame
        Candidates.
    query : SitingQuery
        The preset.
    manifest : Manifest
        Codes of land use.
    """
    if query.availability != "practical":
        return np.ones(len(frame))
    names = manifest.codes["land_use"]
    share = np.array([PRACTICAL_SHARE.get(n, PRACTICAL_SHARE_PUBLIC) for n in names] + [1.0] * (256 - len(names)))
    return np.asarray(share[frame["land_use"]], dtype=np.float64)
