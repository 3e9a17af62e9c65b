"""Questions over more than one site or circle: trade-offs, comparisons, searches, stock-taking. The rest goes its usual route."""

from __future__ import annotations

from csrag.ask.results import Analysis, Catchment, Caveat
from csrag.ask.routes import analyse
from csrag.ask.run import Run


def analyse_intent(run: Run, caveats: list[Caveat]) -> tuple[Analysis, Catchment | None]:
    """Stages 2 and 3 of any intent.

    Parameters
    ----------
    run : Run
        The question on its way.
    caveats : list of Caveat
        Receives what has to be said about the question.

    Returns
    -------
    Analysis
        The result.
    Catchment or None
        Year one's candidates, where the answer stands on one circle.
    """
    # Each module is imported when its intent is asked, so that a plain question starts fast.
    if run.query.intent == "compare":
        from csrag.ask.decisions.compare import compare

        return compare(run, caveats)
    if run.query.intent == "lookup":
        from csrag.ask.decisions.lookup import take_stock

        return take_stock(run, caveats)
    if run.query.intent == "pareto":
        from csrag.ask.decisions.pareto import trade_off_of

        return trade_off_of(run, caveats)
    if run.query.intent == "search":
        from csrag.ask.decisions.search import search

        return search(run, caveats)
    return analyse(run, caveats)
