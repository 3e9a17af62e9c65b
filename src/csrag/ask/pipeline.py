"""The four stages in order: intent, retrieval, computation, synthesis."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.ask.computation.competition import others_bdt, radius_beside_others
from csrag.ask.computation.demand import check_capacity
from csrag.ask.computation.facts import SITE_VALUES, VALUES
from csrag.ask.computation.inferred import inferred_fields
from csrag.ask.computation.life import supply_years
from csrag.ask.computation.max_capacity import POOL_RADIUS_KM, largest_plant, none_fits, with_largest
from csrag.ask.computation.sensitivity import add_sensitivity
from csrag.ask.computation.site import Need, analyse_site, need_of
from csrag.ask.intent import parse
from csrag.ask.records import Location, SitingQuery
from csrag.ask.results import Analysis, Answer, Catchment, Caveat, Claim, Fact, RetrievalKey, TraceStep
from csrag.ask.retrieval.catchment import AUTO_RADIUS_MULTIPLE, retrieval_key, retrieve, smallest_radius_km_for
from csrag.ask.synthesis.render import Rendered, UnbackedNumberError
from csrag.ask.synthesis.template import write_answer
from csrag.errors import CsragError, OutOfScopeError, PlaceError, RequestError
from csrag.geo import check_point
from csrag.places.wood_plants import WoodPlant, built_in_plants, read_plants
from csrag.quantities import QUANTITIES, check
from csrag.surfaces.frame import ClusterFrame
from csrag.surfaces.store import LayerStore

MAX_QUESTION_CHARACTERS = 10_000
ANSWERED_INTENTS = ("site", "supply_curve", "projection", "sensitivity", "max_capacity")
CAN_DO = (
    "I answer where and at what cost a biomass plant in California finds its fuel. Try: "
    '"25 MW facility near Quincy, CA. Fire risk matters."'
)
_SOURCES = (
    "Harvest cost: FRCS-West as in @ucdavis/frcs 2.0.0, recomputed exactly",
    "Truck cost, conversion figures: FRREDSS (UC Davis), @ucdavis/tea 1.4.3",
    "Places: GeoNames (CC BY 4.0), US Census county boundaries",
)


@dataclass
class Trace:
    """Collects the steps of one question."""

    steps: list[TraceStep] = field(default_factory=list)

    @contextmanager
    def step(self, stage: str, tool: str) -> Iterator[dict[str, Any]]:
        """Time one step; the body may set `rows` and `cache`."""
        note: dict[str, Any] = {"rows": None, "cache": "miss"}
        start = time.perf_counter()
        yield note
        self.steps.append(TraceStep(stage, tool, (time.perf_counter() - start) * 1000, note["rows"], note["cache"]))


@dataclass
class CatchmentCache:
    """Keeps the last few Catchments; a follow-up that changes no part of the retrieval key starts at computation."""

    size: int = 8
    kept: dict[RetrievalKey, Catchment] = field(default_factory=dict)

    def get(self, key: RetrievalKey) -> Catchment | None:
        """The Catchment of a key, if it is still kept."""
        return self.kept.get(key)

    def put(self, key: RetrievalKey, catchment: Catchment) -> None:
        """Keep a Catchment; the oldest goes when there are too many."""
        self.kept[key] = catchment
        while len(self.kept) > self.size:
            del self.kept[next(iter(self.kept))]


def ask(
    layers: LayerStore | Callable[[], LayerStore],
    question: str,
    earlier: Sequence[str] = (),
    cache: CatchmentCache | None = None,
    plants_file: Path | None = None,
) -> Answer:
    """Answer one question.

    Parameters
    ----------
    layers : LayerStore or callable
        The layer set, or what opens it; a question that is refused by itself opens nothing.
    question : str
        The question.
    earlier : sequence of str
        Earlier questions of the conversation, oldest first.
    cache : CatchmentCache, optional
        Catchments of earlier turns.
    plants_file : Path, optional
        The user's own table of other plants, whose demand is then counted; see `csrag.places.wood_plants.read_plants`.

    Returns
    -------
    Answer
        Also where the question is refused: `status` is then "refused", `reason` says why and `exit_code` is 2 (the request)
        or 3 (the data).
    """
    trace = Trace()
    store: LayerStore | None = layers if isinstance(layers, LayerStore) else None
    query = SitingQuery(question=question[:MAX_QUESTION_CHARACTERS])
    try:
        if len(question) > MAX_QUESTION_CHARACTERS:
            raise RequestError(
                f"The question has {len(question):,} characters.",
                f"Keep it under {MAX_QUESTION_CHARACTERS:,}; one sentence is enough.", code="question_too_long",
            )  # fmt: skip
        if not question.strip():
            raise RequestError("The question is empty.", CAN_DO, code="question_empty")
        with trace.step("intent", "parse_question"):
            query = parse(question, earlier)
        plants: Sequence[WoodPlant] = ()
        if plants_file is not None:
            plants = read_plants(plants_file)
            query = query.with_(other_plants=plants_file.name, explicit=(*query.explicit, "other_plants"))
        elif query.other_plants != "none":
            plants = built_in_plants()
        validate(query)
        if store is None:
            assert not isinstance(layers, LayerStore)
            store = layers()
        return _answer(store, query, trace, cache, plants)
    except CsragError as error:
        return _refusal(store, query, trace, error)


def _answer(
    store: LayerStore, query: SitingQuery, trace: Trace, cache: CatchmentCache | None, plants: Sequence[WoodPlant]
) -> Answer:
    caveats: list[Caveat] = []
    site = _site(query, caveats)
    if query.intent == "max_capacity":
        return _max_capacity(store, query, site, trace, cache, plants, caveats)
    need = need_of(query)
    catchment = _catchment(store, site, query, need, trace, cache, "retrieve_clusters", AUTO_RADIUS_MULTIPLE)
    needed = None
    short = float(catchment.frame["feedstock_bdt"].max(axis=1, initial=0.0).sum()) < need.demand_bdt
    if short and catchment.radius_origin == "given":
        with trace.step("retrieval", "find_radius_for_demand"):
            needed = smallest_radius_km_for(store, site, query, need.demand_bdt)
    pool, manifest = catchment, store.manifest

    def read_stand(rows: NDArray[np.int64]) -> ClusterFrame:
        return store.stand(rows, query.treatment)

    if catchment.radius_origin == "automatic":
        wide = "retrieve_clusters_for_life"
        pool = _catchment(store, site, query, need, trace, cache, wide, supply_years(query, manifest.scales.p_hi))
        if others := others_bdt(plants, pool, manifest.data_area):
            years = supply_years(query, manifest.scales.p_hi, others, need.demand_bdt)
            pool = _catchment(store, site, query, need, trace, cache, wide, years)
            target = AUTO_RADIUS_MULTIPLE * need.demand_bdt
            radius_km = radius_beside_others(query, pool, manifest, read_stand, plants, target)
            if radius_km is not None and radius_km > catchment.radius_km:
                grown = query.with_(radius_km=radius_km)
                catchment = _catchment(
                    store, site, grown, need, trace, cache, "retrieve_clusters", AUTO_RADIUS_MULTIPLE
                )
                catchment = replace(catchment, radius_origin="automatic")
    with trace.step("computation", "analyse_site") as note:
        analysis = analyse_site(query, catchment, manifest, read_stand, pool, needed, plants)
        note["rows"] = len(catchment.frame)
    if query.intent == "sensitivity" and analysis.status != "refused":
        wider = "retrieve_clusters_for_sensitivity"
        widen = (
            None
            if pool is catchment
            else lambda years: _catchment(store, site, query, need, trace, cache, wider, years)
        )
        plain = query.with_(burn_loss_pct=None, other_plants="none")
        if plain != query:
            caveats.append(Caveat("sensitivity_plain_years", "The sensitivity leaves fires and other plants out; the answer "
                                  "itself counts them, so the two differ."))  # fmt: skip
        with trace.step("computation", "sensitivity") as note:
            analysis = add_sensitivity(plain, analysis, catchment, pool, widen, manifest, read_stand)
    with trace.step("synthesis", "write_answer"):
        rendered = _write(query, analysis, site)
    status, exit_code = analysis.status, 3 if analysis.status == "refused" else 0
    if query.intent not in ANSWERED_INTENTS and status == "answered":
        status = "partial"
        caveats.append(_partly(query.intent))
    inferred = inferred_fields(query, catchment)
    return Answer(
        status=status, question=query.question, query=query, reason=analysis.reason, inferred=inferred,
        facts=analysis.facts, tables=analysis.tables, text=rendered.text, claims=rendered.claims,
        warnings=(*caveats, *analysis.warnings), trace=tuple(trace.steps), layers=layers_json(store), sources=_SOURCES,
        selected=analysis.selected, exit_code=exit_code,
    )  # fmt: skip


def _max_capacity(
    store: LayerStore,
    query: SitingQuery,
    site: Location,
    trace: Trace,
    cache: CatchmentCache | None,
    plants: Sequence[WoodPlant],
    caveats: list[Caveat],
) -> Answer:
    """The largest plant, then the site at its capacity over the same circle."""
    circle = query.with_(radius_km=query.radius_km or POOL_RADIUS_KM, capacity_mw=None, capacity_range_mw=None)

    def read_stand(rows: NDArray[np.int64]) -> ClusterFrame:
        return store.stand(rows, query.treatment)

    pool = _catchment(store, site, circle, need_of(circle), trace, cache, "retrieve_clusters", AUTO_RADIUS_MULTIPLE)
    with trace.step("computation", "largest_plant") as note:
        largest = largest_plant(circle, pool, store.manifest, read_stand)
        note["rows"] = len(pool.frame)
    if largest.capacity_mw < QUANTITIES["capacity_mw"].low:
        analysis = none_fits(circle, pool, largest, store.manifest)
    else:
        with trace.step("computation", "analyse_site") as note:
            at_largest = circle.with_(capacity_mw=largest.capacity_mw)
            analysis = analyse_site(at_largest, pool, store.manifest, read_stand, pool, None, plants)
            note["rows"] = len(pool.frame)
        if analysis.status != "refused":
            analysis = with_largest(query, analysis, largest)
    with trace.step("synthesis", "write_answer"):
        rendered = _write(query, analysis, site)
    return Answer(
        status=analysis.status, question=query.question, query=query, reason=analysis.reason,
        inferred=inferred_fields(query, pool), facts=analysis.facts, tables=analysis.tables, text=rendered.text,
        claims=rendered.claims, warnings=(*caveats, *analysis.warnings), trace=tuple(trace.steps),
        layers=layers_json(store), sources=_SOURCES, selected=analysis.selected,
        exit_code=3 if analysis.status == "refused" else 0,
    )  # fmt: skip


def _catchment(
    store: LayerStore,
    site: Location,
    query: SitingQuery,
    need: Need,
    trace: Trace,
    cache: CatchmentCache | None,
    tool: str,
    years: float,
) -> Catchment:
    """One retrieval, or the one kept from an earlier turn with the same key."""
    key = retrieval_key(store.hash, site, query, need.demand_bdt, years)
    with trace.step("retrieval", tool) as note:
        catchment = cache.get(key) if cache else None
        note["cache"] = "hit" if catchment is not None else "miss"
        if catchment is None:
            catchment = retrieve(store, site, query, need.demand_bdt, years)
            if cache is not None:
                cache.put(key, catchment)
        note["rows"] = catchment.rows_read
    return catchment


def validate(query: SitingQuery) -> None:
    """Check every value of a query before anything is read.

    Parameters
    ----------
    query : SitingQuery
        Stage 1's result.

    Raises
    ------
    RequestError
        For a value out of range, a place that cannot be used, or a question out of scope.
    """
    if query.intent == "out_of_scope":
        raise OutOfScopeError("That is outside what I can compute.", CAN_DO)
    if query.intent in {"methodology", "command"}:
        raise OutOfScopeError(
            f"A {query.intent} request is not answered in this version.", CAN_DO, code="not_available"
        )
    if query.capacity_mw is not None:
        check_capacity(query.capacity_mw)
    for capacity in query.capacity_range_mw or ():
        check_capacity(capacity)
    for name in ("demand_bdt", "radius_km", "fire_weight", "max_cost_usd_per_bdt", "budget_usd_per_year", "max_slope_pct",
                 "min_burn_probability", "years", "power_price_usd_per_mwh", "price_escalation_pct", "subsidy_usd_per_bdt",
                 "sensitivity_pct", "reentry_years", "burn_loss_pct", "line_km"):  # fmt: skip
        value = getattr(query, name)
        if value is not None:
            check(name, value)
    for name, value in query.overrides.items():
        check(name, value)
    for place in query.locations:
        _check_place(place)
    if not query.locations:
        raise PlaceError(
            "The question names no place that I know." if query.intent != "search" else
            "Searching for the best site is not answered in this version.",
            'Name a Californian town, county, ZIP code or point, such as "near Quincy".',
            code="no_place" if query.intent != "search" else "not_available",
        )  # fmt: skip


def _check_place(place: Location) -> None:
    if place.kind == "outside":
        raise PlaceError(
            f"{place.name} lies outside California ({place.state}).",
            "The layers cover California only; name a place there. Its Californian side can be asked for by a Californian town.",
            code="outside_california",
        )
    if place.kind == "unknown":
        near = f" Nearest known names: {', '.join(place.alternatives)}." if place.alternatives else ""
        raise PlaceError(f"I know no place called {place.name!r} in California.{near}",
                         "Check the spelling, or give a ZIP code or coordinates.", code="place_unknown")  # fmt: skip
    if place.lat is not None and place.lon is not None:
        check_point(place.lat, place.lon)


def _site(query: SitingQuery, caveats: list[Caveat]) -> Location:
    site = query.locations[0]
    if len(query.locations) > 1:
        others = ", ".join(p.name for p in query.locations[1:])
        caveats.append(
            Caveat(
                "first_place_only",
                f"This version answers for one place at a time: {site.name}. Not answered: {others}.",
            )
        )
    if site.alternatives:
        caveats.append(
            Caveat(
                "place_ambiguous",
                f"{site.name} in {site.county or 'California'} was taken; also possible: {', '.join(site.alternatives)}.",
            )
        )
    if site.kind in {"county", "forest", "region"}:
        caveats.append(
            Caveat("area_as_point", f"{site.name} is an area; its representative point stands in for the plant's site.")
        )
    return site


def _partly(intent: str) -> Caveat:
    words = intent.replace("_", " ")
    return Caveat(
        "intent_partly_answered", f"You asked for a {words}; this version gives the year-one cost of the site instead."
    )


def _write(query: SitingQuery, analysis: Analysis, site: Location) -> Rendered:
    place = site.name if not site.county or site.kind == "county" else f"{site.name}, {site.county} County"
    try:
        return write_answer(query, analysis, place)
    except UnbackedNumberError:
        # The values and tables were computed and stand; only the prose is withheld.
        return Rendered("The text did not pass its own check and is not shown; the values are in the table.", (), ())


def layers_json(store: LayerStore) -> dict[str, Any]:
    """The `layers` part of the answer record."""
    manifest = store.manifest
    versions = {p.layer: " ".join(x for x in (p.source, p.version, p.vintage) if x) for p in manifest.provenance}
    return {
        "name": manifest.name, "title": manifest.title, "synthetic": manifest.synthetic, "versions": versions,
        "mapping": manifest.mapping, "distance_modes": list(manifest.distance_modes), "hash": store.hash,
    }  # fmt: skip


def _refusal(store: LayerStore | None, query: SitingQuery, trace: Trace, error: CsragError) -> Answer:
    """A refusal is an answer too: the record with its reason, what to do, and every promised value null with that reason."""
    facts = {i: Fact(None, *VALUES[i], basis=error.message) for i in SITE_VALUES}
    text, claims = str(error), []
    for n, figure in enumerate(_FIGURE.finditer(text), start=1):
        facts[f"stated_{n}"] = Fact(
            figure.group(0), "as written", "figure quoted in the refusal", "the question or an allowed range"
        )
        claims.append(Claim(figure.group(0), f"stated_{n}", figure.start()))
    return Answer(
        status="refused", question=query.question, query=query, reason=error.code, text=text, claims=tuple(claims), facts=facts,
        warnings=(Caveat(error.code, text),), trace=tuple(trace.steps), layers=layers_json(store) if store else {},
        exit_code=error.exit_code,
    )  # fmt: skip


_FIGURE = re.compile(r"\d[\d,.]*\d|\d")
