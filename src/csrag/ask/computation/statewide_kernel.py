"""A pool laid out for the compiled kernel, and the call that runs it over many sites on several threads."""

from __future__ import annotations

import ctypes
import math
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.ask.computation.move_in import tour_keys
from csrag.ask.computation.statewide_pool import SearchPool, circuity_table
from csrag.ask.computation.statewide_twin import FIGURES
from csrag.geo import EARTH_RADIUS_KM
from csrag.kernels import GridRecord, PoolRecord, library
from csrag.surfaces.index import CellGrid

Floats = NDArray[np.float64]

_CLUSTER = np.dtype([
    ("g", "<f8"), ("harvest", "<f8"), ("x", "<f8"), ("y", "<f8"), ("z", "<f8"), ("tons", "<f8"), ("burn", "<f4"),
    ("acres", "<f4"), ("zone", "<i4"), ("high", "<i4"),
])  # fmt: skip
_BLOCK_KM = 4.0
"""Blocks of the kernel [km]: wider ones bound the haul less well, narrower ones are too many to look at."""
_CELL_KM = 2.0
"""Cells by which the wood inside a circle is added up [km]: only those on its rim are looked into."""
_SITES_A_TASK = 256
"""Sites of one task: neighbours along the curve, so that each starts from the cut of the one before. Tasks are the same
whatever the number of threads."""


@dataclass(frozen=True)
class Layout:
    """Arrays of one pool and fire weight as the kernel reads them; kept alive by the record that points to them."""

    record: PoolRecord
    arrays: dict[str, NDArray[Any]]


def serves(pool: SearchPool, fire_weight: float) -> bool:
    """Whether the compiled kernel can run this search: it is there, and the score is a finite function of cost.

    Parameters
    ----------
    pool : SearchPool
        Its scales.
    fire_weight : float
        0 to 1 [dimensionless].
    """
    scales = pool.scales
    spread = bool(np.isfinite(scales.u_lo) and np.isfinite(scales.u_hi) and scales.u_hi > scales.u_lo)
    return library() is not None and spread and len(pool) < 2**31 and fire_weight <= 1.0


def run(pool: SearchPool, lats: Floats, lons: Floats, demand_bdt: float, radius_km: float, fire_weight: float,
        workers: int | None = None, progress: Callable[[int, int], None] | None = None,
        brute: bool = False) -> tuple[Floats, NDArray[np.bool_], int]:  # fmt: skip
    """Figures of many sites by the compiled kernel.

    Parameters
    ----------
    pool : SearchPool
        Candidates.
    lats, lons : ndarray of float64, shape (sites,)
        Sites [degrees].
    demand_bdt, radius_km, fire_weight : float
        [BDT, km, 0 to 1].
    workers : int, optional
        Threads.
    progress : callable, optional
        Told how many sites are done, of how many.
    brute : bool
        Cost every cluster of every circle: the plain way, for comparison.

    Returns
    -------
    figures : ndarray of float64, shape (sites, figures)
        In the order of `FIGURES`.
    unsure : ndarray of bool, shape (sites,)
        Sites where a decision hangs on the last digits and the reference has to decide.
    gathered : int
        How often clusters were gathered; once a site at best.
    """
    layout = laid_out(pool, fire_weight)
    order = np.argsort(tour_keys(lats, lons), kind="stable")
    lat, lon = np.radians(lats[order]), np.radians(lons[order])
    xyz = np.ascontiguousarray(_unit_vectors(lats[order], lons[order]).T)
    out, flag = np.empty((len(lat), len(FIGURES))), np.zeros(len(lat), dtype=np.int8)
    program = library()
    assert program is not None

    def task(start: int) -> int:
        stop = min(start + _SITES_A_TASK, len(lat))
        return int(program.csrag_statewide(
            ctypes.byref(layout.record), stop - start, lat[start:].ctypes.data, lon[start:].ctypes.data,
            xyz[start:].ctypes.data, demand_bdt, radius_km, int(brute), out[start:].ctypes.data, flag[start:].ctypes.data,
        ))  # fmt: skip

    starts, gathered = range(0, len(lat), _SITES_A_TASK), 0
    with ThreadPoolExecutor(max_workers=_threads(workers, len(starts))) as threads:
        for done, rounds in enumerate(threads.map(task, starts), start=1):
            if rounds < 0:
                raise MemoryError("the search kernel was given no memory")
            gathered += rounds
            if progress is not None:
                progress(min(done * _SITES_A_TASK, len(lat)), len(lat))
    table, unsure = np.empty_like(out), np.empty(len(lat), dtype=bool)
    table[order], unsure[order] = out, flag != 0
    return table, unsure, gathered


def _threads(workers: int | None, tasks: int) -> int:
    if workers is None:
        offered = getattr(os, "sched_getaffinity", None)
        workers = len(offered(0)) if offered is not None else os.cpu_count() or 1
    return max(1, min(workers, tasks))


def _unit_vectors(lat: Floats, lon: Floats) -> Floats:
    """Points on the unit sphere, shape (3, n), from degrees."""
    phi, lam = np.radians(lat), np.radians(lon)
    flat = np.cos(phi)
    return np.stack([flat * np.cos(lam), flat * np.sin(lam), np.sin(phi)])


def laid_out(pool: SearchPool, fire_weight: float) -> Layout:
    """The pool as the kernel reads it for one fire weight; sorted once a weight, for the pool and all made from
    it, and kept for the next search.

    Parameters
    ----------
    pool : SearchPool
        Candidates.
    fire_weight : float
        0 to 1 [dimensionless].
    """
    made = pool.laid_out.get("layout")
    if made is not None and made[0] == fire_weight:
        return made[1]  # type: ignore[no-any-return]
    g, share = _fixed_part(pool, fire_weight)
    blocks, cells = (CellGrid.around(pool.lat, pool.lon, km) for km in (_BLOCK_KM, _CELL_KM))
    block, by_cell = blocks.cell_of(pool.lat, pool.lon), cells.cell_of(pool.lat, pool.lon)
    kept = pool.laid_out.setdefault("order", {})
    if fire_weight not in kept:
        kept[fire_weight] = np.lexsort((g, block))
    if "cells" not in kept:
        kept["cells"] = np.argsort(by_cell, kind="stable")
    order, spread_out = kept[fire_weight], kept["cells"]
    if not pool.there.all():
        order, spread_out = order[pool.there[order]], spread_out[pool.there[spread_out]]
    cluster, (edges, factor) = _clusters(pool, g, order), circuity_table(pool)
    offset, cell_offset = _offsets(blocks, block[order]), _offsets(cells, by_cell[spread_out])
    filled = np.flatnonzero(np.diff(offset))
    least, first_g = np.full((len(offset) - 1, factor.shape[1]), np.inf), np.full(len(offset) - 1, np.inf)
    if len(filled):
        least[filled] = np.minimum.reduceat(factor[cluster["zone"]], offset[filled], axis=0)
        first_g[filled] = cluster["g"][offset[filled]]
    tons = pool.tons_bdt[spread_out]
    before = np.zeros((cells.rows, cells.cols + 1))
    by_row = np.bincount(by_cell[spread_out], weights=tons, minlength=cells.rows * cells.cols)
    np.cumsum(by_row.reshape(cells.rows, cells.cols), axis=1, out=before[:, 1:])
    x, y, z = _unit_vectors(pool.lat[spread_out], pool.lon[spread_out])
    arrays: dict[str, NDArray[Any]] = {
        "tons_before": before, "first_g": first_g, "least_factor": least.min(axis=1), "block_factor": least,
        "cluster": cluster, "x": x, "y": y, "z": z, "tons": tons, "edge_km": edges,
        "factor": factor,
    }  # fmt: skip
    arrays = {name: np.ascontiguousarray(values) for name, values in arrays.items()}
    key_tau = pool.tau_usd_per_bdt_km * share
    record = PoolRecord(
        blocks=_grid_record(blocks, offset), cells=_grid_record(cells, cell_offset), bands=factor.shape[1],
        **{name: values.ctypes.data for name, values in arrays.items()},
        tau=pool.tau_usd_per_bdt_km, unloading=pool.unloading_usd_per_bdt, key_tau=key_tau,
        step=_step(g),
        slack_per_rad=key_tau * EARTH_RADIUS_KM * float(factor.max(initial=1.0)),
    )  # fmt: skip
    layout = Layout(record, {**arrays, "offset": offset, "cell_offset": cell_offset})
    pool.laid_out["layout"] = (fire_weight, layout)  # one weight at a time: a state's layout is tens of megabytes
    return layout


def _step(g: Floats) -> float:
    """A twentieth of the way from the cheap clusters to the middling ones: the few dear ones say nothing of where cuts lie."""
    if not len(g):
        return 1.0
    low, middle = np.partition(g, [len(g) // 20, len(g) // 2])[[len(g) // 20, len(g) // 2]]
    return max(float(middle - low) / 20, 1e-6)


def _clusters(pool: SearchPool, g: Floats, order: NDArray[np.int64]) -> NDArray[Any]:
    cluster = np.empty(len(order), dtype=_CLUSTER)
    x, y, z = _unit_vectors(pool.lat[order], pool.lon[order])
    for name, values in (("g", g[order]), ("harvest", pool.harvest_usd_per_bdt[order]), ("x", x), ("y", y), ("z", z),
                         ("tons", pool.tons_bdt[order]), ("burn", pool.burn_probability[order]), ("acres", pool.area_acres[order]),
                         ("zone", pool.zone[order] + 1), ("high", pool.high_hazard[order])):  # fmt: skip
        cluster[name] = values
    return cluster


def _offsets(grid: CellGrid, cell: NDArray[np.int64]) -> NDArray[np.int64]:
    """First cluster of each cell of a grid, and one more, for clusters in the order of cells."""
    offset = np.zeros(grid.rows * grid.cols + 1, dtype=np.int64)
    np.cumsum(np.bincount(cell, minlength=grid.rows * grid.cols), out=offset[1:])
    return offset


def _grid_record(grid: CellGrid, offset: NDArray[np.int64]) -> GridRecord:
    corner = {name: math.radians(getattr(grid, name)) for name in ("lat0", "lon0", "dlat", "dlon")}
    return GridRecord(rows=grid.rows, cols=grid.cols, offset=offset.ctypes.data, **corner)


def _fixed_part(pool: SearchPool, fire_weight: float) -> tuple[Floats, float]:
    """The part of each cluster's score that does not depend on the site, and the share of haul in the score.

    Divided by (1 - w)/(u_hi - u_lo) and less what is the same for all, the score is harvest + haul + w/(1 - w) x
    (u_hi - u_lo) x fire term: the same order, in USD per BDT. At w = 1 cost decides only between equal fire terms.
    """
    scales = pool.scales
    if fire_weight == 0 or not scales.fire_known:
        return pool.harvest_usd_per_bdt, 1.0
    fire = 1 - (pool.burn_probability - scales.p_lo) / (scales.p_hi - scales.p_lo)
    fire = np.where(np.isfinite(fire), fire, 1.0)
    if fire_weight >= 1:
        return fire, 0.0
    return pool.harvest_usd_per_bdt + fire_weight / (1 - fire_weight) * (scales.u_hi - scales.u_lo) * fire, 1.0
