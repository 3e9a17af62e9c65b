"""Road distances and hours from one site to clusters, by one search that grows only where it has to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from csrag.ask.results import RoadPace, RoadTrips
from csrag.surfaces.roads import RoadNetwork

if TYPE_CHECKING:
    from csrag.simulators.road_graph import Reach

MOST_CIRCUITY = 6.0
"""Road over straight-line distance beyond which the network is taken to have a gap there, not a road [dimensionless]."""
SLACK_KM = 20.0
"""Detour allowed on top of that, for clusters close to the site [km] (assumed)."""
FIRST_CIRCUITY = 2.2
"""How far the first search goes, in straight lines; most roads are shorter [dimensionless]."""
_GROWS = 1.5
_LEGS = 100_000
"""Landings whose legs are averaged, evenly out of all [count]."""
_ROUNDING = 0.005
"""Sphere and ellipsoid differ by up to half a percent: less is no fault of the road."""


class SiteRoads:
    """One site on a road network; the search is made at the first question for distances and kept.

    What a cluster gets never depends on what was asked before: a wider search adds nodes and changes none, and a cluster
    counts as reached when its road is at most `MOST_CIRCUITY` straight lines and `SLACK_KM` long.

    Parameters
    ----------
    network : RoadNetwork
        Of the layer set.
    lat, lon : float
        The site [degrees].
    """

    def __init__(self, network: RoadNetwork, lat: float, lon: float) -> None:
        self._network, self._lat, self._lon = network, lat, lon
        self._reach: Reach | None = None
        self._reach_km = 0.0
        self._pace: RoadPace | None = None
        self.searches = 0
        """Searches made so far [count]."""

    @property
    def nodes_reached(self) -> int:
        """Road nodes with a known distance [count]."""
        return 0 if self._reach is None else int(np.count_nonzero(np.isfinite(self._reach.road_km)))

    def off_network(self) -> str:
        """Why the site itself does not lie on the network; empty where it does."""
        if self._reach is None:
            self._search(SLACK_KM)
        assert self._reach is not None
        return self._reach.reason if self._reach.snapped_node < 0 else ""

    def pace(self) -> RoadPace:
        """How fast the network is as a whole: the same for every question, so that every circle has the same costs."""
        if self._pace is None:
            network = self._network
            hours = float(np.sum(network.hours, dtype=np.float64))
            speed = float(np.sum(network.km, dtype=np.float64)) / hours if hours > 0 else np.inf
            every = max(1, len(network.landing_node) // _LEGS)
            km = network.landing_km[::every].astype(np.float64)
            leg_hours = network.landing_hours[::every].astype(np.float64)
            joined = (network.landing_node[::every] >= 0) & np.isfinite(km) & np.isfinite(leg_hours)
            mean = (float(km[joined].mean()), float(leg_hours[joined].mean())) if joined.any() else (0.0, 0.0)
            site_km = site_hours = 0.0
            if not self.off_network() and self._reach is not None:
                at = self._reach.snapped_node
                site_km, site_hours = float(self._reach.road_km[at]), float(self._reach.hours[at])
            self._pace = RoadPace(speed, mean[0] + site_km, mean[1] + site_hours)
        return self._pace

    def to(self, rows: NDArray[np.int64], straight_km: NDArray[np.float64]) -> RoadTrips:
        """One-way trips to clusters.

        Parameters
        ----------
        rows : ndarray of int64, shape (n,)
            Rows of the layer set.
        straight_km : ndarray of float64, shape (n,)
            Their straight-line distance from the site [km].

        Returns
        -------
        RoadTrips
            A road shorter than the straight line is lifted to it at its own speed. Null, zero, beyond what is believed or
            not reached is missing, never free.
        """
        node = np.take(self._network.landing_node, rows).astype(np.int64)
        joined = node >= 0
        believed_km = MOST_CIRCUITY * straight_km + SLACK_KM
        reach = self._reached(node, joined, straight_km, believed_km)
        at = np.maximum(node, 0)
        with np.errstate(invalid="ignore"):
            km = reach.road_km[at] + np.take(self._network.landing_km, rows).astype(np.float64)
            hours = reach.hours[at] + np.take(self._network.landing_hours, rows).astype(np.float64)
            known = joined & (km > 0) & (hours > 0) & (km <= believed_km)
            short = known & (km < straight_km)
            lifted = int(np.count_nonzero(short & (km < straight_km * (1 - _ROUNDING))))
        hours[short] *= straight_km[short] / km[short]
        km[short] = straight_km[short]
        km[~known] = hours[~known] = np.nan
        return RoadTrips(km, hours, lifted)

    def _reached(
        self, node: NDArray[np.int64], joined: NDArray[np.bool_], straight_km: NDArray[np.float64],
        believed_km: NDArray[np.float64],
    ) -> Reach:  # fmt: skip
        """The search, wide enough that every road that would be believed is in it."""
        wanted_km = FIRST_CIRCUITY * float(straight_km[joined].max(initial=0.0)) + SLACK_KM
        if self._reach is None:
            self._search(wanted_km)
        while True:
            assert self._reach is not None
            if self._reach.snapped_node < 0:
                return self._reach
            missing = joined & (believed_km > self._reach_km)
            missing[missing] = ~np.isfinite(self._reach.road_km[node[missing]])
            if not missing.any():
                return self._reach
            farthest_km = float(believed_km[missing].max())
            self._search(min(max(self._reach_km * _GROWS, wanted_km), farthest_km))

    def _search(self, reach_km: float) -> None:
        from csrag.simulators.road_graph import RoadGraph, search

        self._reach = search(RoadGraph.from_network(self._network), self._lat, self._lon, reach_km)
        self._reach_km = reach_km
        self.searches += 1


@dataclass
class RoadCache:
    """Keeps the searches of the last few sites, by layer hash and place."""

    size: int = 4
    kept: dict[tuple[str, float, float], SiteRoads] = field(default_factory=dict)

    def of(self, layer_hash: str, network: RoadNetwork | None, lat: float, lon: float) -> SiteRoads | None:
        """Roads of a site; None where the layer set has no network.

        Parameters
        ----------
        layer_hash : str
            Of the layer set.
        network : RoadNetwork or None
            Its roads.
        lat, lon : float
            The site [degrees].
        """
        if network is None:
            return None
        key = (layer_hash, lat, lon)
        if key not in self.kept:
            self.kept[key] = SiteRoads(network, lat, lon)
            while len(self.kept) > self.size:
                del self.kept[next(iter(self.kept))]
        return self.kept[key]
