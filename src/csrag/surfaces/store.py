"""What a store of layers can do, whatever holds the bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from csrag.surfaces.frame import ClusterFrame
from csrag.surfaces.manifest import Manifest
from csrag.surfaces.roads import RoadNetwork

CATCHMENT_COLUMNS = (
    "row", "distance_km", "cluster_no", "lat", "lon", "area_acres", "slope_pct", "burn_probability", "zone",
    "land_use", "wilderness", "county", "hazard_class", "cost_usd_per_bdt", "feedstock_bdt", "coproduct_bdt",
)  # fmt: skip
"""Columns of one joint read of the three layers."""


@runtime_checkable
class LayerStore(Protocol):
    """Reads the three layers of one layer set."""

    @property
    def manifest(self) -> Manifest:
        """What the set holds."""
        ...

    @property
    def hash(self) -> str:
        """Hash of the whole layer set; part of every cache key."""
        ...

    @property
    def path(self) -> str:
        """Where it is, in words for people."""
        ...

    @property
    def roads(self) -> RoadNetwork | None:
        """The road network and the clusters' landings on it; None where the set carries none."""
        ...

    def __len__(self) -> int:
        """Number of clusters."""
        ...

    def within(self, lat: float, lon: float, radius_km: float) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Rows of the clusters in a true circle, ascending, and their distances.

        Parameters
        ----------
        lat, lon : float
            Centre [degrees].
        radius_km : float
            Radius [km].

        Returns
        -------
        rows : ndarray of int64, shape (k,)
            Rows with `haversine_km(...) <= radius_km`.
        distance_km : ndarray of float64, shape (k,)
            Straight-line distance [km].
        """
        ...

    def catchment(
        self, lat: float, lon: float, radius_km: float, treatment: str, columns: Sequence[str] = CATCHMENT_COLUMNS
    ) -> ClusterFrame:
        """Cost, fire and circuity of the clusters in a circle, read together once.

        Parameters
        ----------
        lat, lon, radius_km : float
            The circle [degrees, km].
        treatment : str
            Name of the treatment.
        columns : sequence of str
            Any of `CATCHMENT_COLUMNS` and of the catalog's columns. Per-record columns are those of the treatment;
            cost has shape (k, systems), feedstock (k, classes).

        Raises
        ------
        InvalidValueError
            For a treatment that the set does not hold.
        """
        ...

    def clusters_at(self, rows: NDArray[np.int64], treatment: str, columns: Sequence[str]) -> ClusterFrame:
        """Columns of one treatment at given rows, whatever area they lie in.

        Parameters
        ----------
        rows : ndarray of int64, shape (k,)
            Storage rows, ascending.
        treatment : str
            Name of the treatment.
        columns : sequence of str
            As for `catchment`, but for the distance, which has no centre here.

        Raises
        ------
        InvalidValueError
            For a treatment that the set does not hold.
        """
        ...

    def stand(self, rows: NDArray[np.int64], treatment: str) -> ClusterFrame:
        """Stand, terrain and removals of given rows: what the harvest simulator needs for a what-if."""
        ...

    def column(self, name: str) -> NDArray[Any]:
        """A whole column in storage order and storage axes, read-only."""
        ...

    def verify(self) -> list[str]:
        """Read every byte and compare hashes; returns what is wrong, empty where all is well."""
        ...


class SizedStore(LayerStore, Protocol):
    """A store that knows how much room it takes."""

    @property
    def size_bytes(self) -> int:
        """Size where it lies [bytes]."""
        ...
