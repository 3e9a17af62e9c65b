"""Questions about method: answered with passages of the documentation, cited, or not at all.

No number is computed here and none is taken from a passage for a site: figures inside a passage are quotations, listed as
such in the record.
"""

from __future__ import annotations

from csrag.ask.records import SitingQuery
from csrag.ask.results import Answer, stated_figures
from csrag.ask.run import Trace
from csrag.errors import OutOfScopeError

MAX_PASSAGES = 2
_LEAD = "From the documentation; nothing was computed for a site."
_TRY = 'Ask about a place for figures of your own, such as "25 MW facility near Quincy, CA. Fire risk matters."'


def answer_methodology(query: SitingQuery, trace: Trace) -> Answer:
    """Cited passages that speak of the question.

    Parameters
    ----------
    query : SitingQuery
        Stage 1's result, of intent "methodology".
    trace : Trace
        Receives the search.

    Returns
    -------
    Answer
        With the passages as text, every figure in them as a quoted value, and their addresses as sources.

    Raises
    ------
    OutOfScopeError
        If no passage speaks of enough of what was asked.
    """
    from csrag.documentation.search import COVERED_AT_LEAST, documentation

    with trace.step("retrieval", "explain_method") as note:
        found = [f for f in documentation().search(query.question) if f.covered >= COVERED_AT_LEAST][:MAX_PASSAGES]
        note["rows"] = len(found)
    if not found:
        raise OutOfScopeError(
            "The documentation does not say enough about that to answer from it.",
            f"Ask in other words, or read it from docs/index.md. {_TRY}",
            code="not_in_documentation",
        )
    parts = [_LEAD, *(f"{f.passage.heading} (docs/{f.passage.anchor}): {f.passage.text}" for f in found)]
    text = "\n\n".join(parts)
    facts, claims = stated_figures(text, "quoted", "figure quoted from the documentation")
    return Answer(
        status="answered", question=query.question, query=query, facts=facts, text=text, claims=claims,
        trace=tuple(trace.steps), sources=tuple(f"docs/{f.passage.anchor}" for f in found),
    )  # fmt: skip
