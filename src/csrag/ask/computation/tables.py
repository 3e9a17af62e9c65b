"""Tables of a site answer: components, supply curve, systems, land."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.ask.computation.choose import Selection
from csrag.ask.computation.delivered import Costs
from csrag.ask.computation.facts import Ledger
from csrag.ask.computation.selection import SupplyCurve, supply_curve
from csrag.ask.results import Catchment
from csrag.quantities import usd_per_bdt_to_usd_per_gt
from csrag.surfaces.catalog import SYSTEMS
from csrag.surfaces.manifest import Manifest

CURVE_COLUMNS = ("cumulative_bdt", "delivered_cost_usd_per_bdt", "average_cost_usd_per_bdt", "cluster_no", "road_km")
_CURVE_POINTS = 2000
_POOL_POINTS = 400


def thin(curve: SupplyCurve, most: int, road_km: NDArray[np.float64]) -> tuple[list[tuple[Any, ...]], str]:
    """Rows of a curve, at most `most` of them [count], first and last kept; and a note where points were left out.

    Parameters
    ----------
    curve : SupplyCurve
        Tons in order of cost.
    most : int
        Rows at most.
    road_km : ndarray of float64, shape (n,)
        One-way road distance of each cluster, in the order that the curve was made from [km].
    """
    n = len(curve.cumulative_bdt)
    picks = np.arange(n) if n <= most else np.unique(np.linspace(0, n - 1, most).round().astype(np.int64))
    rows = [
        (float(curve.cumulative_bdt[i]), float(curve.delivered_usd_per_bdt[i]), float(curve.average_usd_per_bdt[i]),
         int(curve.cluster_no[i]), float(road_km[curve.order[i]]))
        for i in picks
    ]  # fmt: skip
    return rows, "" if n <= most else f"{len(picks)} of {n} clusters shown, evenly by rank"


def put_tables(ledger: Ledger, catchment: Catchment, costs: Costs, taken: Selection, demand: float, moisture_pct: float,
               manifest: Manifest) -> None:  # fmt: skip
    """Record the tables of one selection.

    Parameters
    ----------
    ledger : Ledger
        Receives the tables.
    catchment, costs : Catchment, Costs
        Candidates.
    taken : Selection
        Clusters taken.
    demand : float
        [BDT]
    moisture_pct : float
        Wet basis [percent], for the green column.
    manifest : Manifest
        Codes.
    """
    parts = ("average_harvest_cost", "average_haul_cost", "unloading_cost", "move_in_cost", "average_delivered_cost")
    rows = []
    for part in parts:
        value = float(ledger.facts[part].value or 0.0)
        rows.append((ledger.facts[part].label, value, usd_per_bdt_to_usd_per_gt(value, moisture_pct)))
    ledger.table("components", ("component", "usd_per_bdt", "usd_per_gt"), rows)
    delivered = costs.unit + taken.move_in
    keys = catchment.frame["cluster_no"]
    mine = supply_curve(delivered[taken.rows], costs.tons[taken.rows], keys[taken.rows], demand)
    ledger.table("supply_curve", CURVE_COLUMNS, *thin(mine, _CURVE_POINTS, costs.road_km[taken.rows]))
    pool = supply_curve(delivered, costs.tons, keys, demand)
    ledger.table("pool_curve", CURVE_COLUMNS, *thin(pool, _POOL_POINTS, costs.road_km))
    ledger.put("cheapest_ton_cost", float(pool.delivered_usd_per_bdt[0]), "first point of the pool's supply curve")
    ledger.put("pool_average_cost", float(pool.average_usd_per_bdt[-1]), "last point of the pool's supply curve")
    _shares(ledger, "systems", "system", SYSTEMS, costs.system_index, costs, taken)
    _system_mix(ledger, catchment, costs, taken)
    land = tuple(manifest.codes["land_use"])
    _shares(ledger, "land", "land_use", land, catchment.frame["land_use"], costs, taken)
    counties = tuple(manifest.codes["county"])
    _shares(ledger, "counties", "county", counties, catchment.frame["county"], costs, taken)


def _shares(ledger: Ledger, table: str, column: str, names: tuple[str, ...], code: NDArray[Any], costs: Costs,
            taken: Selection) -> None:  # fmt: skip
    """Tons and shares by class, over the selection and, apart, over the pool."""
    of_code = np.asarray(code, dtype=np.int64)
    pool = np.bincount(of_code, weights=costs.tons, minlength=256)
    mine = np.bincount(of_code[taken.rows], weights=costs.tons[taken.rows], minlength=256)
    rows = [
        (names[i] if i < len(names) else "unknown", float(mine[i]), float(mine[i] / mine.sum() * 100),
         float(pool[i] / pool.sum() * 100))
        for i in np.argsort(-mine, kind="stable")
        if mine[i] > 0 or pool[i] > 0
    ]  # fmt: skip
    columns = (column, "selected_bdt", "selected_share_pct", "pool_share_pct")
    ledger.table(table, columns, rows, "shares of the selected tons; the pool is all candidates in the circle")


def _system_mix(ledger: Ledger, catchment: Catchment, costs: Costs, taken: Selection) -> None:
    """Harvesting systems of what is taken and, apart from it, of every candidate: the two are seldom alike."""
    acres = catchment.frame["area_acres"].astype(np.float64)
    there = np.isfinite(costs.unit)
    pool, mine = np.flatnonzero(there), taken.rows
    sums = {
        name: [np.bincount(costs.system_index[rows], weights=None if w is None else w[rows], minlength=len(SYSTEMS))
               for w in (None, acres, costs.tons)]
        for name, rows in (("selected", mine), ("pool", pool))
    }  # fmt: skip
    selected, candidates = sums["selected"], sums["pool"]
    rows = [
        (SYSTEMS[i], int(selected[0][i]), float(selected[1][i]), float(selected[2][i]),
         float(100 * selected[2][i] / selected[2].sum()), int(candidates[0][i]), float(candidates[2][i]),
         float(100 * candidates[2][i] / candidates[2].sum()))
        for i in np.argsort(-selected[2], kind="stable")
        if candidates[0][i]
    ]  # fmt: skip
    ledger.table(
        "system_mix",
        ("system", "selected_clusters", "selected_acres", "selected_bdt", "selected_share_pct", "pool_clusters", "pool_bdt",
         "pool_share_pct"),
        rows, "shares of the tons taken, which add up to the whole; the pool is every candidate, taken or not",
    )  # fmt: skip
    ledger.put("main_system", rows[0][0], "by tons of the selection")
    ledger.put("main_system_pct", rows[0][4], "of the tons taken")
    ledger.put("main_system_pool_pct", rows[0][7], "of the tons of all candidates")
