"""What the tools do when they are called: each handler runs the pipeline's own functions."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from csrag.ask.agent.toolbox import Outcome
from csrag.ask.checks import validate
from csrag.ask.computation.delivered import delivered_costs, economics
from csrag.ask.computation.facts import Ledger
from csrag.ask.computation.need import need_of
from csrag.ask.computation.set_points import with_points
from csrag.ask.computation.site_facts import put_need, put_supply
from csrag.ask.intent import parse
from csrag.ask.records import Location, SitingQuery
from csrag.ask.results import Catchment, Caveat, Fact
from csrag.ask.retrieval.catchment import smallest_radius_km_for
from csrag.ask.routes import analyse
from csrag.ask.run import Run, Trace
from csrag.errors import PlaceError

if TYPE_CHECKING:
    from csrag.ask.agent.tools import Toolbox

_QUERY_FIELDS = frozenset(f.name for f in fields(SitingQuery))


def place_of(text: str) -> Location:
    """The one place that a text names.

    Raises
    ------
    PlaceError
        If it names none, several, or one outside California.
    """
    found = parse(f"biomass plant near {text}").locations
    if len(found) != 1:
        what = "no place that I know" if not found else "several places"
        raise PlaceError(f"{text!r:.80} names {what}.", "Name one town, county, ZIP code or point.", code="no_place")
    validate(SitingQuery(locations=found))
    return found[0]


def query_of(arguments: Mapping[str, Any], intent: str = "site") -> SitingQuery:
    """The query record of a call: what it names is explicit, the rest are the defaults of any question."""
    given = {k: v for k, v in arguments.items() if k in _QUERY_FIELDS}
    if "land_use" in given:
        given["land_use"] = (given["land_use"],)
    overrides = {k: v for k, v in arguments.items() if k not in _QUERY_FIELDS and k not in {"place", "assumption"}}
    if "place" in arguments:
        given["locations"] = (place_of(arguments["place"]),)
    explicit = tuple(sorted([*given, *(f"overrides.{k}" for k in overrides)]))
    return SitingQuery(intent=intent, overrides=overrides, explicit=explicit, **given)


def run_of(box: Toolbox, query: SitingQuery, trace: Trace, caveats: list[Caveat]) -> Run:
    """A checked call as a question on its way, over the toolbox's layers and Catchments."""
    validate(query)
    site = query.locations[0]
    query, plants = with_points(query, (), box.store.manifest, site, caveats)
    return Run(box.store, query, site, trace, box.cache, plants, box.cache.roads)


def geocode(_box: Toolbox, arguments: Mapping[str, Any], trace: Trace) -> Outcome:
    """Where a place is."""
    with trace.step("intent", "geocode") as note:
        place = place_of(arguments["place"])
        note["rows"] = 1
    where = {"latitude": Fact(place.lat, "degrees", "latitude", "gazetteer"),
             "longitude": Fact(place.lon, "degrees", "longitude", "gazetteer")}  # fmt: skip
    also = f"; also possible: {', '.join(place.alternatives)}" if place.alternatives else ""
    county = f", {place.county} County" if place.county and place.kind != "county" else ""
    return Outcome(where, text=f"{place.name}{county} ({place.kind}){also}")


def estimate_demand(box: Toolbox, arguments: Mapping[str, Any], trace: Trace) -> Outcome:
    """What a plant burns in a year."""
    query, ledger = query_of(arguments), Ledger()
    with trace.step("computation", "estimate_demand"):
        put_need(ledger, query, need_of(query), economics(box.store.manifest, query.overrides))
    return Outcome(ledger.facts)


def find_radius(box: Toolbox, arguments: Mapping[str, Any], trace: Trace) -> Outcome:
    """The smallest circle that holds one year's demand."""
    query, ledger = query_of(arguments), Ledger()
    validate(query)
    demand = need_of(query).demand_bdt
    with trace.step("retrieval", "find_radius_for_demand"):
        radius = smallest_radius_km_for(box.store, query.locations[0], query, demand)
    ledger.put("demand_bdt", demand, need_of(query).basis)
    ledger.put("radius_needed_km", radius, "smallest whole radius that holds one year's demand" if radius else
               "no circle up to 200 km holds the demand")  # fmt: skip
    return Outcome(ledger.facts, "answered" if radius else "refused", "" if radius else "demand_not_met")


def retrieve_clusters(box: Toolbox, arguments: Mapping[str, Any], trace: Trace) -> Outcome:
    """What the forest holds around a place."""
    caveats: list[Caveat] = []
    run = run_of(box, query_of(arguments), trace, caveats)
    need, ledger, manifest = need_of(run.query), Ledger(), box.store.manifest
    found: Catchment = run.catchment(run.query, need.demand_bdt)
    run.search_roads(found)
    with trace.step("computation", "cost_clusters") as note:
        costs = delivered_costs(found, run.query, manifest, economics(manifest, run.query.overrides), run.read_stand)
        put_supply(ledger, found, costs, need)
        note["rows"] = len(found.frame)
    key = hashlib.sha256(repr(found.key).encode()).hexdigest()[:12]
    handles = {"clusters": f"clusters:{key}", **box.keep(ledger.tables, "excluded")}
    return Outcome(ledger.facts, handles=handles, warnings=(*caveats, *ledger.caveats))


def analysed(intent: str, *tables: str) -> Callable[[Toolbox, Mapping[str, Any], Trace], Outcome]:
    """A handler that runs stages 2 and 3 of an intent."""

    def handler(box: Toolbox, arguments: Mapping[str, Any], trace: Trace) -> Outcome:
        query = query_of(arguments, intent)
        if "assumption" in arguments:
            query = query.with_(tornado_parameters=(arguments["assumption"],))
        caveats: list[Caveat] = []
        analysis, _ = analyse(run_of(box, query, trace, caveats), caveats)
        return Outcome(
            analysis.facts, analysis.status, analysis.reason, handles=box.keep(analysis.tables, *tables),
            warnings=(*caveats, *analysis.warnings),
        )  # fmt: skip

    return handler


def explain_method(_box: Toolbox, arguments: Mapping[str, Any], trace: Trace) -> Outcome:
    """What the documentation says."""
    from csrag.ask.methodology import answer_methodology

    answer = answer_methodology(SitingQuery(question=arguments["question"], intent="methodology"), trace)
    return Outcome(answer.facts, text=answer.text, sources=answer.sources)
