"""Pools of made-up clusters for the search over many sites, the compiled kernel of this source, and the plain reference."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from csrag.ask.computation.choose import select
from csrag.ask.computation.delivered import delivered_costs, economics
from csrag.ask.computation.selection import Scales
from csrag.ask.computation.statewide import SearchPool
from csrag.ask.records import Location
from csrag.ask.retrieval.catchment import retrieve
from csrag.kernels import loading
from csrag.kernels.compile import LIBRARY, NotCompiledError, compile_library
from csrag.surfaces.index import CellGrid

BANDS_KM = [0, 10, 20, 30, 40, 60, 100]
FACTORS = [[1.9, 1.7, 1.6, 1.5, 1.45, 1.4], [2.2, 2.0, 1.9, None, 1.7, 1.6], [2.6, 2.4, 2.2, 2.1, 1.9, 1.8]]
MEDIANS = [2.1, 1.95, 1.85, 1.8, 1.7, 1.6]
SCALES = Scales(30.0, 90.0, 0.004, 0.03)


def compiled(folder: Path) -> Path:
    """The kernel of the source as it stands; the test is skipped where there is no compiler."""
    target = folder / LIBRARY
    try:
        compile_library(target)
    except NotCompiledError as error:
        pytest.skip(f"the search kernel cannot be compiled here: {error}")
    return target


def use(monkeypatch: pytest.MonkeyPatch, library: Path) -> None:
    """Let searches run on a given library."""
    monkeypatch.delenv(loading.SWITCH, raising=False)
    monkeypatch.setattr(loading, "PLACE", library)
    assert loading.describe() == "compiled kernel"


def made_pool(lat: Any, lon: Any, harvest: Any, tons: Any, burn: Any = None, zone: Any = None, cluster_no: Any = None,
              transport: Any = None, scales: Scales = SCALES, mode: str = "stratified") -> SearchPool:  # fmt: skip
    """A pool of given clusters, in the order that `prepare_pool` gives."""
    lat, lon = np.asarray(lat, float), np.asarray(lon, float)
    n = len(lat)
    number = np.arange(n) * 3 + 1 if cluster_no is None else np.asarray(cluster_no)
    grid = CellGrid.around(lat, lon)
    order, offsets = grid.order(lat, lon, number.astype(np.int64))
    told = {"bands_km": BANDS_KM, "stratified": FACTORS, "band_medians": MEDIANS, "zone_median": 1.6}
    manifest: Any = SimpleNamespace(transport=transport or told, zone_factors=(1.3, 1.6, 2.0))
    hazard = np.where(np.arange(n) % 5 == 0, -1, np.arange(n) % 2).astype(np.int8)

    def column(values: Any, default: float) -> Any:
        return np.asarray(np.full(n, default) if values is None else values, float)[order]

    zones = np.zeros(n, np.int64) if zone is None else np.asarray(zone, np.int64)
    return SearchPool(
        np.arange(n)[order] * 2, number.astype(np.int64)[order], lat[order], lon[order], column(harvest, 30.0),
        column(tons, 100.0), column(burn, 0.01).astype("f4").astype(float), column(None, 32.0), hazard[order], zones[order],
        np.zeros(n, np.int64), np.ones(n, bool), mode, 0.3268, 1.09, 0.0, scales, manifest, grid, offsets,
    )  # fmt: skip


def scattered(
    seed: int, n: int, levels: int = 0, box: tuple[float, float, float, float] = (39.2, 40.6, -121.8, -120.0)
) -> SearchPool:
    """Clusters over a box; with `levels`, costs, tons and burn probabilities take so many values only, so that many tie."""
    rng = np.random.default_rng(seed)
    harvest, tons, burn = rng.uniform(12, 90, n), rng.gamma(2.0, 60, n), rng.uniform(0, 0.05, n)
    if levels:
        harvest, tons, burn = (
            np.ceil(v / v.max() * levels) / levels * v.max() if n else v for v in (harvest, tons, burn)
        )
    burn[rng.random(n) < 0.1] = np.nan
    lat, lon = rng.uniform(box[0], box[1], n), rng.uniform(box[2], box[3], n)
    return made_pool(lat, lon, harvest, tons, burn, rng.integers(-1, 3, n), rng.permutation(10 * n)[:n])


def one_site(store: Any, query: Any, lat: float, lon: float, demand: float, radius_km: float) -> Any:
    """What a question about one site chooses: catchment, costs and selection."""
    query = query.with_(radius_km=radius_km)
    here = Location("here", "coordinates", lat=lat, lon=lon)
    catchment = retrieve(store, here, query, demand)
    econ = economics(store.manifest, query.overrides)
    costs = delivered_costs(catchment, query, store.manifest, econ, lambda rows: store.stand(rows, query.treatment))
    scales = Scales.from_manifest(store.manifest.scales)
    return catchment, costs, select(catchment.frame, costs, demand, query.fire_weight, scales, econ.harvest.ppi)
