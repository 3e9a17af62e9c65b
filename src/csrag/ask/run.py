"""What one question carries through the stages: store, query, site, trace, and the Catchments of earlier turns."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from csrag.ask.records import Location, SitingQuery
from csrag.ask.results import Catchment, RetrievalKey, TraceStep
from csrag.ask.retrieval.catchment import AUTO_RADIUS_MULTIPLE, retrieval_key, retrieve
from csrag.ask.retrieval.roads import RoadCache, SiteRoads
from csrag.surfaces.store import LayerStore

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from csrag.places.area_file import AreaOutline
    from csrag.places.site_table import SiteTable
    from csrag.places.wood_plants import WoodPlant
    from csrag.surfaces.frame import ClusterFrame


@dataclass
class Trace:
    """Collects the steps of one question; `on_step` is told the stage and the name of each as it begins."""

    steps: list[TraceStep] = field(default_factory=list)
    on_step: Callable[[str, str], None] | None = None

    @contextmanager
    def step(self, stage: str, tool: str) -> Iterator[dict[str, Any]]:
        """Time one step; the body may set `rows` and `cache`. A step that raises is in the trace too, with the reason."""
        if self.on_step is not None:
            self.on_step(stage, tool)
        note: dict[str, Any] = {
            "stage": stage,
            "tool": tool,
            "start": time.perf_counter(),
            "rows": None,
            "cache": "miss",
        }
        try:
            yield note
        except BaseException as error:
            self._end(note, getattr(error, "code", None) or type(error).__name__)
            raise
        self._end(note)

    def go_on(self, note: dict[str, Any], tool: str) -> None:
        """End the step of a note here; what is left of its body is a step of another name."""
        self._end(note)
        note |= {"tool": tool, "start": time.perf_counter()}
        if self.on_step is not None:
            self.on_step(note["stage"], tool)

    def _end(self, note: dict[str, Any], reason: str = "") -> None:
        ms = (time.perf_counter() - note["start"]) * 1000
        self.steps.append(TraceStep(note["stage"], note["tool"], ms, note["rows"], note["cache"], reason))


@dataclass
class CatchmentCache:
    """Keeps the last few Catchments; a follow-up that changes no part of the retrieval key starts at computation.

    `searches` holds what searches over many sites prepare, by whatever that depends on.
    """

    size: int = 8
    kept: dict[RetrievalKey, Catchment] = field(default_factory=dict)
    roads: RoadCache = field(default_factory=RoadCache)
    searches: dict[Any, Any] = field(default_factory=dict)

    def get(self, key: RetrievalKey) -> Catchment | None:
        """The Catchment of a key, if it is still kept."""
        return self.kept.get(key)

    def put(self, key: RetrievalKey, catchment: Catchment) -> None:
        """Keep a Catchment; the oldest goes when there are too many."""
        self.kept[key] = catchment
        while len(self.kept) > self.size:
            del self.kept[next(iter(self.kept))]


@dataclass
class Run:
    """One question on its way.

    Parameters
    ----------
    store : LayerStore
        The layer set.
    query : SitingQuery
        Stage 1's result.
    site : Location
        The plant's place.
    trace : Trace
        Collects the steps.
    cache : CatchmentCache or None
        Catchments of earlier turns.
    plants : sequence of WoodPlant
        Other plants whose demand is counted.
    roads : RoadCache
        Searches over the road network, shared with earlier turns.
    area : AreaOutline or None
        The user's own polygons.
    sites : SiteTable or None
        The user's own points, where a search may put a plant.
    """

    store: LayerStore
    query: SitingQuery
    site: Location
    trace: Trace
    cache: CatchmentCache | None = None
    plants: Sequence[WoodPlant] = ()
    roads: RoadCache = field(default_factory=RoadCache)
    area: AreaOutline | None = None
    sites: SiteTable | None = None

    def read_stand(self, rows: NDArray[np.int64]) -> ClusterFrame:
        """What-if inputs of given layer rows."""
        return self.store.stand(rows, self.query.treatment)

    def catchment(
        self,
        query: SitingQuery,
        demand_bdt: float,
        tool: str = "retrieve_clusters",
        years: float = AUTO_RADIUS_MULTIPLE,
        near: Catchment | None = None,
    ) -> Catchment:
        """One retrieval, or the one kept from an earlier turn with the same key.

        Parameters
        ----------
        query : SitingQuery
            Radius, treatment, system, filters.
        demand_bdt : float
            One year's demand [BDT].
        tool : str
            Name of the step in the trace.
        years : float
            Demand that an automatic circle holds [years].
        near : Catchment, optional
            A smaller automatic circle of the same question: how its wood lies tells where the wider one will end.
        """
        key = retrieval_key(self.store.hash, self.site, query, demand_bdt, years)
        kept = self.cache.get(key) if self.cache else None
        looks = kept is None and key.radius_km is None
        with self.trace.step("retrieval", "find_radius" if looks else tool) as note:
            note["cache"] = "hit" if kept is not None else "miss"

            def found(rows: int) -> None:
                note["rows"] = rows
                self.trace.go_on(note, tool)

            if kept is None:
                start = None if near is None else _expected_km(near, years * demand_bdt)
                roads = self.roads.of(self.store.hash, self.store.roads, key.lat, key.lon)
                kept = retrieve(self.store, self.site, query, demand_bdt, years, start, roads, found)
                if self.cache is not None:
                    self.cache.put(key, kept)
            note["rows"] = kept.rows_read
        return kept

    def search_roads(self, widest: Catchment) -> None:
        """Search the road network once, out to the widest circle of the question, where its mode is the network's.

        Parameters
        ----------
        widest : Catchment
            Every narrower circle of this site uses what is found for it.
        """
        roads = widest.roads
        modes = self.store.manifest.distance_modes
        if not isinstance(roads, SiteRoads) or "network" not in modes or self.query.transport in {*modes} - {"network"}:
            return
        with self.trace.step("retrieval", "search_roads") as note:
            before = roads.searches
            roads.to(widest.frame["row"], widest.frame["distance_km"])
            note["cache"] = "hit" if roads.searches == before else "miss"
            note["rows"] = roads.nodes_reached


_BEYOND = 1.04


def _expected_km(near: Catchment, target_bdt: float) -> float | None:
    """Radius that should hold the target if wood goes on as in a smaller circle [km]: feedstock grows with area."""
    have = float(near.frame["feedstock_bdt"].max(axis=1, initial=0.0).sum())
    return math.ceil(near.radius_km * math.sqrt(target_bdt / have) * _BEYOND) if have > 0 else None
