"""The answer record: of an analysis, or of a refusal."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from csrag.ask.computation.inferred import inferred_fields
from csrag.ask.records import Location, SitingQuery
from csrag.ask.results import Analysis, Answer, Catchment, Caveat, Claim, Fact
from csrag.ask.run import Run, Trace
from csrag.ask.synthesis.render import Rendered, UnbackedNumberError
from csrag.ask.synthesis.template import write_answer
from csrag.errors import CsragError
from csrag.surfaces.store import LayerStore
from csrag.values import SITE_VALUES, VALUES

_SOURCES = (
    "Harvest cost: FRCS-West as in @ucdavis/frcs 2.0.0, recomputed exactly",
    "Truck cost: FRREDSS (UC Davis); electricity: @ucdavis/tea 1.4.3; life cycle: @ucdavis/lca 1.6.8",
    "Places: GeoNames (CC BY 4.0), US Census county boundaries",
)
_FIGURE = re.compile(r"\d[\d,.]*\d|\d")


def answer_of(
    run: Run, analysis: Analysis, catchment: Catchment | None, rendered: Rendered, caveats: Sequence[Caveat]
) -> Answer:
    """The record of an analysis.

    Parameters
    ----------
    run : Run
        Question, trace, layers.
    analysis : Analysis
        Stage 3's result.
    catchment : Catchment or None
        Year one's candidates, where the answer stands on one circle.
    rendered : Rendered
        Checked text.
    caveats : sequence of Caveat
        On the question itself; they come first.
    """
    return Answer(
        status=analysis.status, question=run.query.question, query=run.query, reason=analysis.reason,
        inferred=inferred_fields(run.query, catchment, analysis.facts), facts=analysis.facts, tables=analysis.tables,
        text=rendered.text, claims=rendered.claims, warnings=(*caveats, *analysis.warnings), trace=tuple(run.trace.steps),
        layers=layers_json(run.store), sources=_SOURCES, selected=analysis.selected,
        exit_code=3 if analysis.status == "refused" else 0,
    )  # fmt: skip


def write(query: SitingQuery, analysis: Analysis, site: Location) -> Rendered:
    """The checked text of an analysis; where a text does not pass its check, words that say so.

    Parameters
    ----------
    query : SitingQuery
        What was asked.
    analysis : Analysis
        Stage 3's result.
    site : Location
        The plant's place.
    """
    try:
        return write_answer(query, analysis, place_words(site))
    except UnbackedNumberError:
        # The values and tables were computed and stand; only the prose is withheld.
        return Rendered("The text did not pass its own check and is not shown; the values are in the table.", (), ())


def place_words(site: Location) -> str:
    """A site as a text names it."""
    return site.name if not site.county or site.kind == "county" else f"{site.name}, {site.county} County"


def layers_json(store: LayerStore) -> dict[str, Any]:
    """The `layers` part of the answer record."""
    manifest = store.manifest
    versions = {p.layer: " ".join(x for x in (p.source, p.version, p.vintage) if x) for p in manifest.provenance}
    return {
        "name": manifest.name, "title": manifest.title, "synthetic": manifest.synthetic, "versions": versions,
        "mapping": manifest.mapping, "distance_modes": list(manifest.distance_modes), "hash": store.hash,
    }  # fmt: skip


def refusal_of(store: LayerStore | None, query: SitingQuery, trace: Trace, error: CsragError) -> Answer:
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
