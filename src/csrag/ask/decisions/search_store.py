"""A layer set less some clusters: what is left for one plant when others have taken theirs."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.surfaces.frame import ClusterFrame
from csrag.surfaces.manifest import Manifest
from csrag.surfaces.roads import RoadNetwork
from csrag.surfaces.store import CATCHMENT_COLUMNS, LayerStore


class StoreWithout:
    """A store whose circles do not hold given clusters; rows keep their numbers, so whole columns and roads are the store's own.

    Parameters
    ----------
    store : LayerStore
        The layer set.
    rows : ndarray of int64
        Layer rows to leave out.
    """

    def __init__(self, store: LayerStore, rows: NDArray[np.int64]) -> None:
        self._store = store
        self._gone = np.zeros(len(store), dtype=bool)
        self._gone[rows] = True
        self._mark = hashlib.sha256(np.sort(rows).astype("<i8").tobytes()).hexdigest()[:16]

    @property
    def manifest(self) -> Manifest:
        """That of the whole set."""
        return self._store.manifest

    @property
    def hash(self) -> str:
        """Hash of the set and of what is left out."""
        return f"{self._store.hash}-{self._mark}"

    @property
    def path(self) -> str:
        """That of the whole set."""
        return self._store.path

    @property
    def roads(self) -> RoadNetwork | None:
        """Those of the whole set."""
        return self._store.roads

    def __len__(self) -> int:
        """Clusters of the whole set: rows keep their numbers."""
        return len(self._store)

    def within(self, lat: float, lon: float, radius_km: float) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """As the store's, in a circle [degrees, km], less what is left out."""
        rows, distance_km = self._store.within(lat, lon, radius_km)
        kept = ~self._gone[rows]
        return rows[kept], distance_km[kept]

    def catchment(
        self, lat: float, lon: float, radius_km: float, treatment: str, columns: Sequence[str] = CATCHMENT_COLUMNS
    ) -> ClusterFrame:
        """As the store's, in a circle [degrees, km], less what is left out."""
        wanted = tuple(columns)
        frame = self._store.catchment(lat, lon, radius_km, treatment, wanted if "row" in wanted else (*wanted, "row"))
        return frame.filter(~self._gone[frame["row"]])

    def clusters_at(self, rows: NDArray[np.int64], treatment: str, columns: Sequence[str]) -> ClusterFrame:
        """As the store's."""
        return self._store.clusters_at(rows, treatment, columns)

    def stand(self, rows: NDArray[np.int64], treatment: str) -> ClusterFrame:
        """As the store's."""
        return self._store.stand(rows, treatment)

    def column(self, name: str) -> NDArray[Any]:
        """As the store's, the clusters left out among them."""
        return self._store.column(name)

    def verify(self) -> list[str]:
        """As the store's."""
        return self._store.verify()
