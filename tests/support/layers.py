"""A small synthetic source of clusters and a way to build it, for tests of stores and builds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.build.materialize import materialize
from csrag.places.counties import COUNTY_NAMES
from csrag.surfaces.catalog import CLUSTER_COLUMNS, COLUMNS, HAZARD_CLASSES, LAND_USES, REMOVAL_COLUMNS
from csrag.surfaces.manifest import Manifest, Provenance, Treatment


class SmallSource:
    """SYNTHETIC clusters scattered over a box of California, rows in an order that a second seed shuffles.

    Parameters
    ----------
    n : int
        Clusters.
    seed : int
        What they are.
    shuffle : int or None
        In which order they come.
    treatments : tuple of str
        Names.
    box : tuple of float
        lat_min, lat_max, lon_min, lon_max.
    """

    synthetic = True
    name = "small"
    title = "Small SYNTHETIC test source"
    zone_factors = (1.3, 1.6, 2.0)

    def __init__(
        self, n: int = 300, seed: int = 1, shuffle: int | None = None, treatments: tuple[str, ...] = ("SDI55", "TFB40"),
        box: tuple[float, float, float, float] = (39.5, 40.5, -121.5, -120.2),
    ) -> None:  # fmt: skip
        self.seed = seed
        self._names = treatments
        rng = np.random.default_rng(seed)
        lat, lon = rng.uniform(box[0], box[1], n), rng.uniform(box[2], box[3], n)
        burn = rng.uniform(0.001, 0.04, n)
        burn[: n // 20] = np.nan
        made = {
            "cluster_no": rng.permutation(10 * n)[:n], "lat": lat, "lon": lon, "area_acres": np.full(n, 32.024857),
            "slope_pct": rng.uniform(0, 60, n), "grade_pct": rng.uniform(0, 50, n), "yarding_ft": rng.uniform(451, 1500, n),
            "elevation_ft": rng.uniform(1000, 7000, n), "wood_density_kg_per_m3": rng.uniform(350, 480, n),
            "burn_probability": burn, "zone": rng.integers(-1, 3, n), "land_use": rng.integers(0, len(LAND_USES), n),
            "wilderness": rng.integers(0, 2, n), "roaded": (rng.uniform(size=n) > 0.1), "county": np.full(n, 31),
            "forest_type": np.zeros(n), "hazard_class": rng.integers(0, 4, n),
        }  # fmt: skip
        scale = {"stem_4_6": 1.5, "stem_6_9": 3.0, "stem_9_plus": 15.0, "branch": 5.0}
        self._tons: dict[str, NDArray[np.float64]] = {}
        for name in treatments:
            tons = np.stack([rng.gamma(2.0, scale[c.split("_bdt")[0]] / 2, n) for c in REMOVAL_COLUMNS])
            tons[:, rng.uniform(size=n) < 0.1] = 0.0
            tons[:, rng.uniform(size=n) < 0.05] = np.nan
            self._tons[name] = tons
        order = np.arange(n) if shuffle is None else np.random.default_rng(shuffle).permutation(n)
        self._columns = {name: np.asarray(made[name])[order].astype(COLUMNS[name].dtype) for name in CLUSTER_COLUMNS}
        self._tons = {name: tons[:, order] for name, tons in self._tons.items()}

    @property
    def provenance(self) -> tuple[Provenance, ...]:
        return tuple(
            Provenance(layer, "test", "1", "", "SYNTHETIC") for layer in ("clusters", "cost", "fire", "circuity")
        )

    @property
    def treatments(self) -> tuple[Treatment, ...]:
        return tuple(Treatment(name, i, name == "RMI100") for i, name in enumerate(self._names, start=1))

    @property
    def codes(self) -> Mapping[str, tuple[str, ...]]:
        return {
            "land_use": LAND_USES,
            "county": COUNTY_NAMES,
            "forest_type": ("conifer",),
            "hazard_class": HAZARD_CLASSES,
        }

    @property
    def data_area(self) -> list[list[tuple[float, float]]]:
        return [[(-121.5, 39.5), (-120.2, 39.5), (-120.2, 40.5), (-121.5, 40.5), (-121.5, 39.5)]]

    def clusters(self) -> dict[str, NDArray[Any]]:
        return dict(self._columns)

    def removals(self, treatment: str, rows: slice) -> dict[str, NDArray[np.float64]]:
        return {name: self._tons[treatment][i, rows] for i, name in enumerate(REMOVAL_COLUMNS)}


def build_small(out: Path, **changes: Any) -> Manifest:
    """Build a small source in this process; `materialize` options may be given beside the source's."""
    keys = ("workers", "mapping", "block_rows", "progress", "economics")
    options = {key: changes.pop(key) for key in keys if key in changes}
    return materialize(SmallSource(**changes), out, **{"workers": 1, "block_rows": 128, **options})


def bytes_of(path: Path) -> dict[str, bytes]:
    """Every column file of a layer set."""
    return {file.name: file.read_bytes() for file in sorted(path.glob("*.npy"))}
