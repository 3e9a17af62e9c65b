"""A small SYNTHETIC source with winding roads, band factors and an accuracy table; and layer sets told otherwise."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from tests.support.layers import SmallSource

from csrag.build.materialize import materialize
from csrag.build.road_layer import MadeNetwork, make_road_network
from csrag.interfaces.open import open_layers
from csrag.simulators.road_graph import RoadGraph
from csrag.surfaces.manifest import Manifest

ALL_MODES = ("zone", "stratified", "network")
BANDS_KM = [0, 10, 20, 30, 40, 60, 100]
STRATIFIED = [[1.9, 1.7, 1.6, 1.5, 1.45, 1.4], [2.2, 2.0, 1.9, None, 1.7, 1.6], [2.6, 2.4, 2.2, 2.1, 1.9, 1.8]]
BAND_MEDIANS = [2.1, 1.95, 1.85, 1.8, 1.7, 1.6]
ERRORS = {
    "zone": [(9.0, 2.0), (8.0, 1.0), (12.0, -3.0), (25.0, -18.0), (31.0, -27.0), (40.0, -38.0)],
    "stratified": [(8.0, 1.5), (7.0, 1.0), (6.0, -0.8), (5.5, -2.0), (5.0, -2.5), (4.0, -3.0)],
}  # fmt: skip
"""Mean absolute error of a trip and error of the sum, by band [percent]."""


def accuracy() -> list[dict[str, Any]]:
    return [
        {"mode": mode, "band_km": [BANDS_KM[i], BANDS_KM[i + 1]], "n": 100 * (i + 1), "mape_pct": mape,
         "aggregate_error_pct": aggregate}
        for mode, rows in ERRORS.items()
        for i, (mape, aggregate) in enumerate(rows)
    ]  # fmt: skip


def winding_graph(seed: int, box: tuple[float, float, float, float] = (39.4, 40.6, -121.6, -120.1)) -> RoadGraph:
    """A jittered grid with a quarter of its streets missing, each 1.1 to 2.2 straight lines long at 20 to 70 km/h."""
    rng = np.random.default_rng(seed)
    rows, columns = 24, 22
    lat, lon = np.meshgrid(np.linspace(box[0], box[1], rows), np.linspace(box[2], box[3], columns), indexing="ij")
    lat, lon = lat + rng.uniform(-0.015, 0.015, lat.shape), lon + rng.uniform(-0.02, 0.02, lon.shape)
    number = np.arange(lat.size).reshape(lat.shape)
    u = np.concatenate([number[:, :-1].ravel(), number[:-1].ravel()])
    v = np.concatenate([number[:, 1:].ravel(), number[1:].ravel()])
    kept = rng.random(u.size) > 0.25
    u, v = u[kept], v[kept]
    flat = np.column_stack([lat.ravel() * 111.2, lon.ravel() * 111.2 * np.cos(np.radians(40))])
    km = np.linalg.norm(flat[u] - flat[v], axis=1) * rng.uniform(1.1, 2.2, u.size)
    return RoadGraph.from_edges(lat.ravel(), lon.ravel(), u, v, km, km / rng.uniform(20, 70, u.size))


class TransportSource(SmallSource):
    """`SmallSource` with roads and factors by band; a few landings join no road."""

    def __init__(self, seed: int = 1, modes: tuple[str, ...] = ALL_MODES, **changes: Any) -> None:
        super().__init__(seed=seed, **changes)
        self._modes = modes
        given = self.clusters()
        made = make_road_network(winding_graph(seed), given["lat"], given["lon"])
        node, km, hours = made.landing_node.copy(), made.landing_km.copy(), made.landing_hours.copy()
        node[::17], km[::17], hours[::17] = -1, np.nan, np.nan
        values = {f.name: getattr(made, f.name) for f in fields(made)}
        self._network = MadeNetwork(**{**values, "landing_node": node, "landing_km": km, "landing_hours": hours})

    def road_network(self) -> MadeNetwork | None:
        return self._network if "network" in self._modes else None

    @property
    def transport(self) -> dict[str, Any] | None:
        banded = "stratified" in self._modes
        if self._modes == ("zone",):
            return None
        return {
            "bands_km": BANDS_KM, "stratified": STRATIFIED if banded else [], "band_medians": BAND_MEDIANS if banded else [],
            "zone_median": 1.6, "network": {"source": "SYNTHETIC test streets", "metric": "hours"},
            "accuracy": [row for row in accuracy() if row["mode"] in self._modes], "basis": "made up",
        }  # fmt: skip


def build_transport(out: Path, **changes: Any) -> Manifest:
    """Build a `TransportSource` in this process."""
    return materialize(TransportSource(**changes), out, workers=1, block_rows=256)


class Told:
    """A store whose manifest, or whose roads, say something else."""

    def __init__(self, store: Any, **changes: Any) -> None:
        self._store = store
        if "roads" in changes:
            self.roads = changes.pop("roads")
        values = {f.name: getattr(store.manifest, f.name) for f in fields(store.manifest)}
        self.manifest = Manifest(**{**values, **changes})
        self.hash = self.manifest.compute_hash()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def __len__(self) -> int:
        return len(self._store)


def opened(path: Path, **changes: Any) -> Any:
    """A built set, opened, with parts of its manifest replaced."""
    store = open_layers(str(path))
    return Told(store, **changes) if changes else store
