"""A pool laid out for the compiled kernel, and the call that runs it over many sites on several threads."""

from __future__ import annotations

import ctypes
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
from csrag.kernels import PoolRecord, library
from csrag.surfaces.index import CellGrid

Floats = NDArray[np.float64]

_CLUSTER = np.dtype([
    ("g", "<f8"), ("harvest", "<f8"), ("x", "<f8"), ("y", "<f8"), ("z", "<f8"), ("tons", "<f8"), ("burn", "<f8"),
    ("zone", "<i4"), ("high", "<i4"),
])  # fmt: skip
_BLOCK_KM = 4.0
"""Blocks of the kernel [km]: wider ones bound the haul less well, narrower ones are too many to look at."""
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
    grid = CellGrid.around(pool.lat, pool.lon, _BLOCK_KM)
    block = grid.cell_of(pool.lat, pool.lon)
    kept = pool.laid_out.setdefault("order", {})
    if fire_weight not in kept:
        kept[fire_weight] = np.lexsort((g, block))
    order = kept[fire_weight]
    if not pool.there.all():
        order = order[pool.there[order]]
    blocks = grid.rows * grid.cols
    of_block = block[order]
    offset = np.zeros(blocks + 1, dtype=np.int64)
    np.cumsum(np.bincount(of_block, minlength=blocks), out=offset[1:])
    cluster = np.empty(len(order), dtype=_CLUSTER)
    x, y, z = _unit_vectors(pool.lat[order], pool.lon[order])
    tons = pool.tons_bdt[order]
    zone = pool.zone[order] + 1
    for name, values in (("g", g[order]), ("harvest", pool.harvest_usd_per_bdt[order]), ("x", x), ("y", y), ("z", z),
                         ("tons", tons), ("burn", pool.burn_probability[order]), ("zone", zone),
                         ("high", pool.high_hazard[order])):  # fmt: skip
        cluster[name] = values
    edges, factor = circuity_table(pool)
    least = np.full((blocks, factor.shape[1]), np.inf)
    filled = np.flatnonzero(np.diff(offset))
    if len(filled):
        least[filled] = np.minimum.reduceat(factor[zone], offset[filled], axis=0)
    first_g = np.full(blocks, np.inf)
    first_g[filled] = cluster["g"][offset[filled]]
    before = np.zeros((grid.rows, grid.cols + 1))
    by_block = np.bincount(of_block, weights=tons, minlength=blocks).reshape(grid.rows, grid.cols)
    np.cumsum(by_block, axis=1, out=before[:, 1:])
    arrays: dict[str, NDArray[Any]] = {
        "offset": offset, "tons_before": before, "first_g": first_g, "least_factor": least.min(axis=1), "block_factor": least,
        "cluster": cluster, "x": x, "y": y, "z": z, "tons": tons, "acres": pool.area_acres[order], "edge_km": edges,
        "factor": factor,
    }  # fmt: skip
    arrays = {name: np.ascontiguousarray(values) for name, values in arrays.items()}
    key_tau = pool.tau_usd_per_bdt_km * share
    spread = float(np.ptp(g)) if len(g) else 1.0
    record = PoolRecord(
        rows=grid.rows, cols=grid.cols, bands=factor.shape[1],
        lat0=np.radians(grid.lat0), lon0=np.radians(grid.lon0),
        dlat=np.radians(grid.dlat), dlon=np.radians(grid.dlon),
        **{name: values.ctypes.data for name, values in arrays.items()},
        tau=pool.tau_usd_per_bdt_km, unloading=pool.unloading_usd_per_bdt, key_tau=key_tau,
        step=max(spread / 100, 1e-6), slack_per_rad=key_tau * EARTH_RADIUS_KM * float(factor.max(initial=1.0)),
    )  # fmt: skip
    layout = Layout(record, arrays)
    pool.laid_out["layout"] = (fire_weight, layout)  # one weight at a time: a state's layout is tens of megabytes
    return layout


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
