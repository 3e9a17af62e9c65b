"""The four stages in order: intent, retrieval, computation, synthesis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from csrag.ask.checks import MAX_QUESTION_CHARACTERS, WHOLE_STATE, check_question, site_of, validate
from csrag.ask.computation.set_points import with_points
from csrag.ask.decisions import analyse_intent
from csrag.ask.intent import parse
from csrag.ask.recording import answer_of, place_words, refusal_of, write
from csrag.ask.records import SitingQuery
from csrag.ask.results import Answer, Caveat
from csrag.ask.retrieval.roads import RoadCache
from csrag.ask.run import CatchmentCache, Run, Trace
from csrag.ask.synthesis.sentences import Teller
from csrag.errors import CsragError
from csrag.surfaces.store import LayerStore

if TYPE_CHECKING:
    from csrag.ask.language.protocol import Assistant
    from csrag.places.area_file import AreaOutline
    from csrag.places.site_table import SiteTable
    from csrag.places.wood_plants import WoodPlant

__all__ = ["CatchmentCache", "ask"]


def ask(
    layers: LayerStore | Callable[[], LayerStore],
    question: str,
    earlier: Sequence[str] = (),
    cache: CatchmentCache | None = None,
    plants_file: Path | None = None,
    on_step: Callable[[str, str], None] | None = None,
    assistant: Assistant | None = None,
    area_file: Path | None = None,
    on_sentence: Callable[[str], None] | None = None,
    sites_file: Path | None = None,
    *,
    seed_compatible: bool = False,
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
    on_step : callable, optional
        Told the stage and the name of each step as it begins, for a display of progress.
    assistant : Assistant, optional
        A language model for gaps of the parse and for the wording; it computes nothing. Whole questions that the grammar cannot
        take apart go to `csrag.ask.agent.planning.ask_planned`.
    area_file : Path, optional
        The user's own polygons, to search in or take stock of; see `csrag.places.area_file.read_area`.
    on_sentence : callable, optional
        Given the text of the answer sentence by sentence, each as soon as it is checked and final, with the space between them:
        together they are the `text` of the record, whoever wrote it.
    sites_file : Path, optional
        The user's own points, among which a search chooses; see `csrag.places.site_table.read_sites`.
    seed_compatible : bool
        Take the published description's simplifications; see `csrag.ask.computation.seed_compatible`.

    Returns
    -------
    Answer
        Also where the question is refused: `status` is then "refused", `reason` says why and `exit_code` is 2 (the request)
        or 3 (the data).
    """
    teller = Teller(on_sentence)
    answer, names = _answer(
        layers, question, earlier, cache, plants_file, Trace(on_step=on_step), assistant, teller, area_file,
        sites_file, seed_compatible,
    )  # fmt: skip
    teller.finish(answer.text, names)
    return answer


def _answer(
    layers: LayerStore | Callable[[], LayerStore],
    question: str,
    earlier: Sequence[str],
    cache: CatchmentCache | None,
    plants_file: Path | None,
    trace: Trace,
    assistant: Assistant | None,
    teller: Teller,
    area_file: Path | None,
    sites_file: Path | None,
    seed_compatible: bool,
) -> tuple[Answer, tuple[tuple[int, int], ...]]:
    """The answer, and the spans of names in its text."""
    store: LayerStore | None = layers if isinstance(layers, LayerStore) else None
    query = SitingQuery(question=question[:MAX_QUESTION_CHARACTERS])
    try:
        check_question(question)
        with trace.step("intent", "parse_question"):
            query = parse(question, earlier)
        caveats: list[Caveat] = []
        if assistant is not None:
            query = _read_gaps(query, assistant, trace, caveats)
        if seed_compatible:
            query = query.with_(seed_compatible=True, explicit=(*query.explicit, "seed_compatible"))
        query, plants = _with_plants(query, plants_file)
        query, area = _with_area(query, area_file)
        query, sites = _with_sites(query, sites_file)
        if query.intent == "methodology":
            from csrag.ask.methodology import answer_methodology

            return answer_methodology(query, trace), ()
        validate(query)
        if store is None:
            assert not isinstance(layers, LayerStore)
            store = layers()
        roads = RoadCache() if cache is None else cache.roads
        if query.picked_from is not None:
            from csrag.ask.decisions.found_places import with_found_places

            query = with_found_places(Run(store, query, WHOLE_STATE, trace, cache, plants, roads, area, sites))
        site = site_of(query, caveats)
        query, plants = with_points(query, plants, store.manifest, site, caveats)
        run = Run(store, query, site, trace, cache, plants, roads, area, sites)
        analysis, catchment = analyse_intent(run, caveats)
        with trace.step("synthesis", "write_answer"):
            rendered = write(run.query, analysis, run.site)
        if assistant is not None and analysis.status == "answered":
            from csrag.ask.language.prose import WORDED_INTENTS, write_prose

            if query.intent in WORDED_INTENTS:
                with trace.step("synthesis", "write_with_model"):
                    rendered = write_prose(assistant, rendered, analysis.facts, place_words(run.site), caveats, teller)
        return answer_of(run, analysis, catchment, rendered, caveats), rendered.names
    except CsragError as error:
        return refusal_of(store, query, trace, error), ()


def _read_gaps(query: SitingQuery, assistant: Assistant, trace: Trace, caveats: list[Caveat]) -> SitingQuery:
    from csrag.ask.language.reading import fill_gaps, has_gap

    assistant.begin()
    if not has_gap(query):
        return query
    with trace.step("intent", "fill_gaps_with_model"):
        return fill_gaps(query, assistant, caveats)


def _with_plants(query: SitingQuery, plants_file: Path | None) -> tuple[SitingQuery, Sequence[WoodPlant]]:
    """Other plants whose demand is counted: the user's table, the built-in one where asked for, else none."""
    if plants_file is None and query.other_plants == "none":
        return query, ()
    from csrag.places.wood_plants import built_in_plants, read_plants

    if plants_file is None:
        return query, built_in_plants()
    named = query.with_(other_plants=plants_file.name, explicit=(*query.explicit, "other_plants"))
    return named, read_plants(plants_file)


def _with_area(query: SitingQuery, area_file: Path | None) -> tuple[SitingQuery, AreaOutline | None]:
    """The user's own polygons, and the query with their name."""
    if area_file is None:
        return query, None
    from csrag.places.area_file import read_area

    area = read_area(area_file)
    return query.with_(area=area.name, explicit=(*query.explicit, "area")), area


def _with_sites(query: SitingQuery, sites_file: Path | None) -> tuple[SitingQuery, SiteTable | None]:
    """The user's own points, and the query with their name; a question that names no place asks for the best of them."""
    if sites_file is None:
        return query, None
    from csrag.places.site_table import read_sites

    sites = read_sites(sites_file)
    if not query.locations and query.intent in {"site", "compare"}:
        query = query.with_(intent="search")
    return query.with_(site_candidates=sites.name, explicit=(*query.explicit, "site_candidates")), sites
