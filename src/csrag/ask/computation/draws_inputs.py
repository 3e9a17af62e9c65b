"""One option of a comparison as the draws need it: its average delivered cost over a table of errors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from csrag.ask.computation.delivered import Costs, StandReader, delivered_costs, economics
from csrag.ask.computation.draws import DrawInputs
from csrag.ask.computation.need import need_of
from csrag.ask.computation.selection import Scales, greedy, scores
from csrag.ask.computation.uncertainty import Errors, errors_of
from csrag.ask.computation.uncertainty_facts import why_no_interval
from csrag.ask.records import SitingQuery
from csrag.ask.results import Analysis, Catchment
from csrag.surfaces.manifest import Manifest

Floats = NDArray[np.float64]

ROAD_DEVIATES: Floats = np.arange(-4.0, 4.01, 0.25)
"""Standard deviates of the road error that costs are tabulated at; beyond them, once in 16,000 draws, the ends stand."""
HARVEST_DEVIATES: Floats = np.arange(-4.0, 4.01, 2.0)
"""The same of a surrogate's harvest error, in which costs are all but linear."""
_RULES = (
    "max_cost_usd_per_bdt", "min_high_hazard_pct", "min_land_share_pct", "max_land_share_pct", "max_road_km", "other_plants",
    "selection",
)  # fmt: skip
"""Fields that bind the choice beyond its order: where one is set, the clusters of the answer are priced as they are."""


def draw_inputs(label: str, query: SitingQuery, catchment: Catchment, analysis: Analysis, manifest: Manifest,
                read_stand: StandReader) -> DrawInputs | None:  # fmt: skip
    """Cost of an option at every pair of errors.

    Parameters
    ----------
    label : str
        What the option is called.
    query : SitingQuery
        Of this option alone.
    catchment : Catchment
        Its candidates of year one.
    analysis : Analysis
        Its answer: what was taken, and the move-in, which does not move with the errors.
    manifest : Manifest
        Measured errors.
    read_stand : callable
        Reads the what-if inputs of given layer rows.

    Returns
    -------
    DrawInputs or None
        None where the option has no supply to price.

    Notes
    -----
    At every pair of errors the clusters are chosen anew by the same score, as an operator would who knows the roads; with a
    cap, shares, other plants or another rule of choice, those of the answer are priced instead.
    """
    if not analysis.selected or analysis.status == "refused":
        return None
    econ = economics(manifest, query.overrides)
    costs = delivered_costs(catchment, query, manifest, econ, read_stand)
    keys = catchment.frame["cluster_no"]
    order = np.argsort(keys, kind="stable")
    taken = order[np.searchsorted(keys[order], np.asarray(analysis.selected, dtype=np.int64))]
    errors = errors_of(manifest, query, costs, econ, taken)
    site = catchment.site
    lat, lon = float(site.lat or 0.0), float(site.lon or 0.0)
    move_in = float(analysis.facts["move_in_cost"].value or 0.0)
    if not errors.known:
        still = _average(costs.unit, costs.tons, taken) + move_in
        none = np.zeros(1)
        return DrawInputs(label, lat, lon, none, none, np.array([[still]]), why_no_interval(errors))
    free = choice_is_free(query)
    road = ROAD_DEVIATES if errors.road is not None else np.zeros(1)
    harvest = HARVEST_DEVIATES if errors.harvest is not None else np.zeros(1)
    demand, everyone = need_of(query).demand_bdt, np.arange(len(catchment.frame))
    rows = everyone if free else taken
    table = np.empty((road.size, harvest.size))
    scales = Scales.from_manifest(manifest.scales)
    for k, z in enumerate(road):
        haul = costs.haul[rows] * errors.haul_factor(catchment.frame, costs, rows, float(z))
        for j, w in enumerate(harvest):
            unit = haul + _cut(errors, costs, rows, float(w)) + costs.unloading
            chosen = _chosen(query, catchment, costs, unit, scales, demand) if free else np.arange(len(rows))
            table[k, j] = _average(unit, costs.tons[rows], chosen) + move_in
    return DrawInputs(label, lat, lon, road, harvest, table, "", free)


def choice_is_free(query: SitingQuery) -> bool:
    """Whether nothing but the order of the clusters decides what is taken, so that each draw may choose anew."""
    plain = SitingQuery()
    return all(getattr(query, name) == getattr(plain, name) for name in _RULES)


def _chosen(query: SitingQuery, catchment: Catchment, costs: Costs, unit: Floats, scales: Scales, demand: float
            ) -> NDArray[np.int64]:  # fmt: skip
    burn = catchment.frame["burn_probability"].astype(np.float64)
    score = scores(unit, burn, query.fire_weight, scales)
    return greedy(score, unit, catchment.frame["cluster_no"], costs.tons, demand)


def _cut(errors: Errors, costs: Costs, rows: NDArray[np.int64], deviate: float) -> Floats:
    """Harvest cost at a deviate; what no system can work stays without a finite cost [USD per BDT]."""
    harvest = costs.harvest[rows]
    with np.errstate(invalid="ignore"):
        moved = harvest * errors.harvest_factor(costs, rows, deviate)
    return np.where(np.isfinite(harvest), moved, harvest)


def _average(unit: Floats, tons: Floats, rows: NDArray[np.int64]) -> float:
    return float((unit[rows] * tons[rows]).sum() / tons[rows].sum())
