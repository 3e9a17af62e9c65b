"""The road network of a layer set: plain arrays, as its columns hold them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.surfaces.catalog import CORE_COLUMNS, ROAD_COLUMNS


@dataclass(frozen=True, eq=False)
class RoadNetwork:
    """A road graph and where each cluster's landing joins it.

    Parameters
    ----------
    node_lat, node_lon : ndarray of float64, shape (nodes,)
        Positions of the graph's nodes, in spatial order [degrees].
    indptr : ndarray of int32, shape (nodes + 1,)
        First arc of each node; each edge is stored from both of its ends.
    neighbour : ndarray of int32, shape (arcs,)
        Node at the far end of each arc.
    km : ndarray of float32, shape (arcs,)
        Length [km].
    hours : ndarray of float32, shape (arcs,)
        Truck's driving time [hours].
    landing_node : ndarray of int32, shape (clusters,)
        Graph node that the cluster's landing joins; -1 where none is near enough.
    landing_km, landing_hours : ndarray of float32, shape (clusters,)
        Access leg from the landing to that node [km, hours]; NaN where there is none.
    core : mapping of str to ndarray, optional
        `catalog.CORE_COLUMNS` where the set holds them.
    """

    node_lat: NDArray[np.float64]
    node_lon: NDArray[np.float64]
    indptr: NDArray[np.int32]
    neighbour: NDArray[np.int32]
    km: NDArray[np.float32]
    hours: NDArray[np.float32]
    landing_node: NDArray[np.int32]
    landing_km: NDArray[np.float32]
    landing_hours: NDArray[np.float32]
    core: Mapping[str, NDArray[Any]] | None = None

    @classmethod
    def from_columns(cls, columns: Mapping[str, NDArray[Any]]) -> RoadNetwork | None:
        """Network from the stored columns, not copied; None where any of `ROAD_COLUMNS` is absent."""
        if any(name not in columns for name in ROAD_COLUMNS):
            return None
        core = {name: columns[name] for name in CORE_COLUMNS} if all(n in columns for n in CORE_COLUMNS) else None
        return cls(**{field_of(name): columns[name] for name in ROAD_COLUMNS}, core=core)

    def to_columns(self) -> dict[str, NDArray[Any]]:
        """The arrays under the names and in the types that a layer set stores."""
        return {
            name: np.ascontiguousarray(getattr(self, field_of(name)), dtype=column.dtype)
            for name, column in ROAD_COLUMNS.items()
        }


def field_of(column: str) -> str:
    """Field of `RoadNetwork` that a stored column fills: `road_km` is `km`, `landing_km` is itself."""
    return column.removeprefix("road_")
