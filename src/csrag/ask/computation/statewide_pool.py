"""Every candidate cluster of a layer set, costed once and laid out in blocks of 4 km: what a search over many sites reads."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.ask.computation.delivered import Economics, delivered_costs
from csrag.ask.computation.selection import Scales
from csrag.ask.computation.transport import NO_CIRCUITY, best_factors, circuity_of
from csrag.ask.eligible import eligible
from csrag.ask.records import Location, SitingQuery
from csrag.ask.results import Catchment, RetrievalKey
from csrag.errors import InvalidValueError
from csrag.geo import EARTH_RADIUS_KM
from csrag.simulators.truck import haul_usd_per_bdt_km, unloading_usd_per_bdt
from csrag.surfaces.catalog import HAZARD_CLASSES, SYSTEMS, UNKNOWN_CODE, systems_of
from csrag.surfaces.frame import ClusterFrame
from csrag.surfaces.index import CellGrid, RadiusIndex
from csrag.surfaces.manifest import Manifest
from csrag.surfaces.store import LayerStore

Floats = NDArray[np.float64]

SEARCH_RADIUS_KM = 60.0
"""Circle that a search looks at around each site unless told [km]: beyond it haul alone costs more than most wood."""
_AROUND_THE_EARTH_KM = np.pi * EARTH_RADIUS_KM + 100.0
_CHUNK = 65_536
"""Clusters costed at a time."""
_COLUMNS = (
    "row", "distance_km", "cluster_no", "lat", "lon", "area_acres", "slope_pct", "burn_probability", "zone", "land_use",
    "wilderness", "hazard_class", "cost_usd_per_bdt", "feedstock_bdt",
)  # fmt: skip
_HIGH = ("high", "very high")


@dataclass(frozen=True)
class SearchPool:
    """Candidates of a whole layer set under one question: everything about them that does not depend on the site.

    Arrays have the shape (n,) and one order: blocks from south to north and west to east, clusters by number inside a block.
    What no system can work at a finite cost is left out.

    Parameters
    ----------
    row, cluster_no : ndarray of int64
        Layer row and key.
    lat, lon : ndarray of float64
        Centre [degrees].
    harvest_usd_per_bdt : ndarray of float64
        Harvest at the landing under the question's prices [USD per BDT].
    tons_bdt : ndarray of float64
        Feedstock, availability applied [BDT].
    burn_probability : ndarray of float64
        Annual; NaN unknown [per year].
    area_acres : ndarray of float64
        [acres]
    high_hazard : ndarray of int8
        1 in the classes high and very high, 0 below, -1 unknown.
    zone : ndarray of int64
        Circuity zone, -1 unknown.
    system_index : ndarray of int64
        Index into `catalog.SYSTEMS`.
    there : ndarray of bool
        False for clusters that were taken out by `without`.
    mode : str
        Distance mode: stratified, zone or none.
    tau_usd_per_bdt_km, unloading_usd_per_bdt : float
        Truck prices [USD per BDT and road km; USD per BDT].
    fire_weight : float
        The question's, used where a search names none [0 to 1].
    scales : Scales
        Fixed scales of the score.
    manifest : Manifest
        Factors of road over straight-line distance.
    grid : CellGrid
        The blocks.
    offsets : ndarray of int64, shape (blocks + 1,)
        First cluster of each block.
    laid_out : dict
        What `statewide_kernel` made of the pool before; the orders in it are shared with pools made by `without`.
    """

    row: NDArray[np.int64]
    cluster_no: NDArray[np.int64]
    lat: Floats
    lon: Floats
    harvest_usd_per_bdt: Floats
    tons_bdt: Floats
    burn_probability: Floats
    area_acres: Floats
    high_hazard: NDArray[np.int8]
    zone: NDArray[np.int64]
    system_index: NDArray[np.int64]
    there: NDArray[np.bool_]
    mode: str
    tau_usd_per_bdt_km: float
    unloading_usd_per_bdt: float
    fire_weight: float
    scales: Scales
    manifest: Manifest
    grid: CellGrid
    offsets: NDArray[np.int64]
    laid_out: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)

    def __len__(self) -> int:
        """Candidates, taken out ones included."""
        return len(self.row)

    @cached_property
    def index(self) -> RadiusIndex:
        """Radius search over the pool, equal to the haversine bit for bit."""
        return RadiusIndex(self.grid, self.offsets, self.lat, self.lon)

    @cached_property
    def _by_row(self) -> NDArray[np.int64]:
        return np.argsort(self.row)

    def positions_of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Positions in the pool of layer rows; rows that are no candidates are passed over."""
        if not len(self.row):
            return np.zeros(0, dtype=np.int64)
        order = self._by_row
        at = np.minimum(np.searchsorted(self.row, rows, sorter=order), len(order) - 1)
        found = order[at]
        return np.asarray(found[self.row[found] == rows], dtype=np.int64)

    def without(self, rows: NDArray[np.int64]) -> SearchPool:
        """The pool less some layer rows, which other plants of a portfolio have taken; nothing is sorted again.

        Parameters
        ----------
        rows : ndarray of int64
            Layer rows.
        """
        there = self.there.copy()
        there[self.positions_of(np.asarray(rows, dtype=np.int64))] = False
        return replace(self, there=there, laid_out=dict.fromkeys(("order",), self.laid_out.setdefault("order", {})))


def prepare_pool(
    store: LayerStore, query: SitingQuery, econ: Economics, mode: str = "stratified",
    rows: NDArray[np.int64] | None = None,
) -> SearchPool:  # fmt: skip
    """Read, filter and cost every candidate of a layer set once.

    Parameters
    ----------
    store : LayerStore
        The layer set.
    query : SitingQuery
        Treatment, system, filters, feedstock rule, availability, fire weight.
    econ : Economics
        Prices; where they differ from the layer's, harvest costs are computed anew.
    mode : str
        stratified or zone; where the set lacks it, the best factors that it has.
    rows : ndarray of int64, optional
        Only these layer rows.

    Raises
    ------
    InvalidValueError
        For a treatment that the set does not hold, another mode, or a filter out of range.
    DataError
        If harvest costs would have to be computed anew and come from a simulator that is not at hand.
    """
    manifest = store.manifest
    mode = _mode_of(mode, manifest)
    frame = store.catchment(0.0, 0.0, _AROUND_THE_EARTH_KM, query.treatment, _COLUMNS)
    if rows is not None:
        frame = frame.filter(np.isin(frame["row"], rows))
    allowed = [SYSTEMS.index(s) for s in systems_of(query.system)]
    kept = eligible(manifest.codes["land_use"], query, frame, allowed)
    frame, system = frame.filter(kept.stays), kept.system[kept.stays]
    harvest, tons, system = _costed(store, frame, system, query.with_(transport=mode), econ)
    workable = np.isfinite(harvest) & np.isfinite(tons)
    frame, harvest, tons, system = frame.filter(workable), harvest[workable], tons[workable], system[workable]
    lat, lon = frame["lat"].astype(np.float64), frame["lon"].astype(np.float64)
    cluster_no = frame["cluster_no"].astype(np.int64)
    grid = CellGrid.around(lat, lon)
    order, offsets = grid.order(lat, lon, cluster_no)
    return SearchPool(
        frame["row"].astype(np.int64)[order], cluster_no[order], lat[order], lon[order], harvest[order], tons[order],
        frame["burn_probability"].astype(np.float64)[order], frame["area_acres"].astype(np.float64)[order],
        _high_hazard(frame, manifest)[order], frame["zone"].astype(np.int64)[order], system[order],
        np.ones(len(order), dtype=bool), mode, haul_usd_per_bdt_km(econ.truck), unloading_usd_per_bdt(econ.truck),
        query.fire_weight, Scales.from_manifest(manifest.scales), manifest, grid, offsets,
    )  # fmt: skip


def _mode_of(mode: str, manifest: Manifest) -> str:
    if mode not in {"stratified", "zone", NO_CIRCUITY}:
        raise InvalidValueError(
            f"A search over many sites knows no distance mode {mode!r}.",
            "Use stratified (factors by zone and distance band) or zone; the road network serves one site at a time.",
        )
    return mode if mode in manifest.distance_modes else best_factors(manifest.distance_modes)


def _costed(store: LayerStore, frame: ClusterFrame, system: NDArray[np.int64], query: SitingQuery,
            econ: Economics) -> tuple[Floats, Floats, NDArray[np.int64]]:  # fmt: skip
    """Harvest cost, tons and system of candidates, as a site's own computation gives them, some thousands at a time."""
    harvest, tons, index = np.empty(len(frame)), np.empty(len(frame)), system.copy()
    key = RetrievalKey(store.hash, 0.0, 0.0, None, query.treatment, query.system, (), None, None, None)
    for start in range(0, len(frame), _CHUNK):
        part = slice(start, min(start + _CHUNK, len(frame)))
        some = frame.take(np.arange(part.start, part.stop))
        catchment = Catchment(
            key, Location("", "coordinates"), 0.0, "given", some, system[part], len(some), {}, {}, 0.0
        )
        costs = delivered_costs(catchment, query, store.manifest, econ, lambda rows: store.stand(rows, query.treatment))
        harvest[part], tons[part], index[part] = costs.harvest, costs.tons, costs.system_index
    return harvest, tons, index


def _high_hazard(frame: ClusterFrame, manifest: Manifest) -> NDArray[np.int8]:
    names = manifest.codes.get("hazard_class", HAZARD_CLASSES)
    of_code = np.full(256, -1, dtype=np.int8)
    of_code[: len(names)] = [name in _HIGH for name in names]
    of_code[UNKNOWN_CODE] = -1
    return np.asarray(of_code[frame["hazard_class"]])


def circuity_table(pool: SearchPool) -> tuple[Floats, Floats]:
    """Circuity of every zone and band of a pool's mode.

    Parameters
    ----------
    pool : SearchPool
        Zones, mode, factors.

    Returns
    -------
    edges_km : ndarray of float64, shape (bands - 1,)
        Inner edges of the straight-line bands [km].
    factor : ndarray of float64, shape (zones + 1, bands)
        Road over straight-line distance [dimensionless]; the first row is the unknown zone's.
    """
    told = pool.manifest.transport or {}
    width = max(len(told.get("band_medians") or next(iter(told.get("stratified") or ()), ())), 1)
    edges = np.asarray(list(told.get("bands_km") or ())[1:width], dtype=np.float64)
    zones = np.arange(-1, int(pool.zone.max(initial=-1)) + 1)
    factor = np.empty((len(zones), len(edges) + 1))
    for band in range(len(edges) + 1):
        inside = 0.0 if band == 0 else float(edges[band - 1])
        factor[:, band] = circuity_of(pool.manifest, pool.mode, zones, np.full(len(zones), inside))[0]
    return edges, factor
