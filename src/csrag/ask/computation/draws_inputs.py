"""One option of a comparison as the draws need it: its average delivered cost over a table of errors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from csrag.ask.computation.delivered import StandReader, delivered_costs, economics
from csrag.ask.computation.draws import DrawInputs
from csrag.ask.computation.need import need_of
from csrag.ask.computation.selection import Scales
from csrag.ask.computation.uncertainty import choice_is_free, chosen_at, errors_of, unit_at
from csrag.ask.computation.uncertainty_facts import why_no_interval
from csrag.ask.records import SitingQuery
from csrag.ask.results import Analysis, Catchment
from csrag.surfaces.manifest import Manifest

Floats = NDArray[np.float64]

ROAD_DEVIATES: Floats = np.arange(-4.0, 4.01, 0.25)
"""Standard deviates of the road error that costs are tabulated at; beyond them, once in 16,000 draws, the ends stand."""
HARVEST_DEVIATES: Floats = np.arange(-4.0, 4.01, 2.0)
"""The same of a surrogate's harvest error, in which costs are all but linear."""


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
    table = np.empty((road.size, harvest.size))
    scales, demand = Scales.from_manifest(manifest.scales), need_of(query).demand_bdt
    for k, z in enumerate(road):
        for j, w in enumerate(harvest):
            if free:
                rows, unit = chosen_at(query, catchment.frame, costs, errors, scales, demand, float(z), float(w))
                table[k, j] = _average(unit, costs.tons, rows) + move_in
            else:
                unit = unit_at(costs, catchment.frame, errors, taken, float(z), float(w))
                table[k, j] = _average(unit, costs.tons[taken], np.arange(len(taken))) + move_in
    return DrawInputs(label, lat, lon, road, harvest, table, "", free)


def _average(unit: Floats, tons: Floats, rows: NDArray[np.int64]) -> float:
    return float((unit[rows] * tons[rows]).sum() / tons[rows].sum())
