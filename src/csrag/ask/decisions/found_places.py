"""Sites of an earlier search as the places of a question: "the second one" after "best three sites".

The query holds the search itself, not its result, so that a conversation and a fresh run of the same questions answer alike.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from csrag.ask.checks import WHOLE_STATE
from csrag.ask.decisions.search import search
from csrag.ask.records import Location, SitingQuery
from csrag.ask.run import Run, Trace
from csrag.errors import PlaceError


def with_found_places(run: Run) -> SitingQuery:
    """The run's query with each place of kind found at the point that its search gives it.

    Parameters
    ----------
    run : Run
        The question on its way; its cache keeps the list of a search that was run for this before.

    Raises
    ------
    PlaceError
        Where the search gives fewer sites than the rank asked for.
    """
    if run.query.picked_from is None:
        return run.query
    ranked = _ranked_sites(run, run.query.picked_from)
    places = tuple(_placed(p, ranked) if p.kind == "found" else p for p in run.query.locations)
    variants = tuple(
        {**v, "place": _placed_name(v["place"], run.query.locations, places)} if "place" in v else v
        for v in run.query.compare
    )
    return run.query.with_(locations=places, compare=variants, picked_from=None)


def _ranked_sites(run: Run, query: SitingQuery) -> list[dict[str, Any]]:
    """Rows of the search's table of best sites, in its own order."""
    record = {k: v for k, v in query.to_json().items() if k not in {"notes", "spans", "explicit"}}
    files = (None if run.area is None else run.area.name, None if run.sites is None else run.sites.name)
    key = ("found sites", run.store.manifest.layers_hash, json.dumps(record, sort_keys=True), files)
    searches = {} if run.cache is None else run.cache.searches
    if key not in searches:
        inner = replace(run, query=query, site=WHOLE_STATE, trace=Trace(on_step=run.trace.on_step))
        with run.trace.step("computation", "search_again") as note:
            analysis, _ = search(inner, [])
            table = analysis.tables.get("best_sites")
            rows = [] if table is None else [dict(zip(table.columns, row, strict=True)) for row in table.rows]
            note["rows"] = len(rows)
        searches[key] = rows
    found: list[dict[str, Any]] = searches[key]
    return found


def _placed(place: Location, ranked: list[dict[str, Any]]) -> Location:
    assert place.rank is not None
    if place.rank > len(ranked):
        raise PlaceError(
            f"The search gives {len(ranked)} sites; there is no site {place.rank}.",
            "Ask for more sites, loosen its rules, or name a town.", code="no_such_site",
        )  # fmt: skip
    row = ranked[place.rank - 1]
    return replace(place, name=row["name"], kind="coordinates", county=row["county"], lat=row["lat"], lon=row["lon"])


def _placed_name(name: str, before: tuple[Location, ...], after: tuple[Location, ...]) -> str:
    return next((b.name for a, b in zip(before, after, strict=True) if a.name == name), name)
