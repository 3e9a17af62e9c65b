"""What the country around a cluster is like: slope, ruggedness, density of roads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.geo import haversine_km
from csrag.simulators.road_graph import RoadGraph

FEATURES = ("slope_pct", "ruggedness_ft", "road_km_per_km2")
SLOPE_WINDOW_KM = 5
RUGGED_WINDOW_KM = 15
ROAD_WINDOW_KM = 15
"""Sides of the squares looked at [km]; tried on both demonstrations by the error on folds left out."""
_KM_PER_DEG = 111.195

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class _Bins:
    """Square kilometres under a set of points."""

    lat0: float
    lon0: float
    km_per_deg_lon: float
    shape: tuple[int, int]

    @classmethod
    def under(cls, lat: Floats, lon: Floats) -> _Bins:
        margin = max(SLOPE_WINDOW_KM, RUGGED_WINDOW_KM, ROAD_WINDOW_KM)
        lon_km = _KM_PER_DEG * float(np.cos(np.radians(lat.mean())))
        rows = int((lat.max() - lat.min()) * _KM_PER_DEG) + 1 + 2 * margin
        columns = int((lon.max() - lon.min()) * lon_km) + 1 + 2 * margin
        return cls(lat.min() - margin / _KM_PER_DEG, lon.min() - margin / lon_km, lon_km, (rows, columns))

    def at(self, lat: Floats, lon: Floats) -> NDArray[np.int64]:
        """Flat bin of each point; -1 outside."""
        row = np.floor((lat - self.lat0) * _KM_PER_DEG).astype(np.int64)
        column = np.floor((lon - self.lon0) * self.km_per_deg_lon).astype(np.int64)
        there = (row >= 0) & (row < self.shape[0]) & (column >= 0) & (column < self.shape[1])
        return np.where(there, row * self.shape[1] + column, -1)

    def around(self, at: NDArray[np.int64], amount: Floats, window_km: int) -> Floats:
        """Mean over a window of each bin's total, flat; what lies in no bin is left out."""
        from scipy.ndimage import uniform_filter

        total = np.bincount(at[at >= 0], weights=amount[at >= 0], minlength=self.shape[0] * self.shape[1])
        spread = uniform_filter(total.reshape(self.shape), size=window_km, mode="constant")
        return np.asarray(spread, dtype=np.float64).ravel()


def terrain_features(clusters: Mapping[str, NDArray[Any]], graph: RoadGraph) -> Floats:
    """Features of every cluster, by which circuity zones are told apart.

    Parameters
    ----------
    clusters : mapping of str to ndarray, shape (n,)
        lat, lon [degrees], slope_pct [percent], elevation_ft [ft]; NaN where unknown.
    graph : RoadGraph
        Its lengths make the density.

    Returns
    -------
    ndarray of float64, shape (n, 3)
        `FEATURES`: mean slope of the clusters within 5 x 5 km [percent]; standard deviation of their elevation within
        15 x 15 km [ft]; length of graph edges within 15 x 15 km [km per km2]. NaN where no cluster around knows it.
    """
    lat, lon = (np.asarray(clusters[name], dtype=np.float64) for name in ("lat", "lon"))
    bins = _Bins.under(lat, lon)
    at = bins.at(lat, lon)
    slope, _ = _spread(bins, at, np.asarray(clusters["slope_pct"], dtype=np.float64), SLOPE_WINDOW_KM)
    _, rugged = _spread(bins, at, np.asarray(clusters["elevation_ft"], dtype=np.float64), RUGGED_WINDOW_KM)
    made = np.column_stack([slope[at], rugged[at], _road_density(bins, graph)[at]])
    # The filter's running sums leave 1e-16 where there is no road: a threshold must not fall between two zeros.
    return np.round(made, 6) + 0.0


def _spread(bins: _Bins, at: NDArray[np.int64], values: Floats, window_km: int) -> tuple[Floats, Floats]:
    """Mean and standard deviation of the known values around each bin."""
    known = np.isfinite(values)
    middle = float(values[known].mean()) if known.any() else 0.0
    # About the overall mean: the difference of two large squares would lose what is looked for.
    centred = np.where(known, values - middle, 0.0)
    count = bins.around(at, known.astype(np.float64), window_km)
    with np.errstate(invalid="ignore", divide="ignore"):
        some = np.where(count > 1e-9, count, np.nan)
        mean = bins.around(at, centred, window_km) / some
        square = bins.around(at, centred**2, window_km) / some
    return mean + middle, np.sqrt(np.maximum(square - mean**2, 0.0))


def _road_density(bins: _Bins, graph: RoadGraph) -> Floats:
    """Length of roads in the square kilometres around each bin [km per km2]; a long edge is laid out along its chord."""
    once = graph.tail < graph.neighbour
    a, b, km = graph.tail[once], graph.neighbour[once], graph.km[once].astype(np.float64)
    lat_a, lon_a, lat_b, lon_b = graph.node_lat[a], graph.node_lon[a], graph.node_lat[b], graph.node_lon[b]
    pieces = np.ceil(np.maximum(haversine_km(lat_a, lon_a, lat_b, lon_b), 0.5)).astype(np.int64)
    edge = np.repeat(np.arange(a.size), pieces)
    share = (np.arange(edge.size) - np.repeat(np.cumsum(pieces) - pieces, pieces) + 0.5) / pieces[edge]
    lat = lat_a[edge] + share * (lat_b - lat_a)[edge]
    lon = lon_a[edge] + share * (lon_b - lon_a)[edge]
    return bins.around(bins.at(lat, lon), (km / pieces)[edge], ROAD_WINDOW_KM)
