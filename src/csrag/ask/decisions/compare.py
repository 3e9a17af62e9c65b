"""A comparison: every option is answered as the site that it is, over Catchments that options of one circle share."""

from __future__ import annotations

from dataclasses import replace

from csrag.ask.checks import site_of, validate
from csrag.ask.computation.compare import Result, compare_results
from csrag.ask.computation.compare_options import Option, options_of
from csrag.ask.computation.set_points import with_points
from csrag.ask.records import Location
from csrag.ask.results import Analysis, Caveat
from csrag.ask.routes import analyse
from csrag.ask.run import CatchmentCache, Run
from csrag.errors import CsragError, InternalError, RequestError

_OF_ONE_SITE = frozenset({"place_ambiguous", "line_to_substation", "no_substations"})
"""Caveats on the question's first place; each option has its own."""


def compare(run: Run, caveats: list[Caveat]) -> tuple[Analysis, None]:
    """Answer every option of a comparison and set them side by side.

    Parameters
    ----------
    run : Run
        The question on its way.
    caveats : list of Caveat
        Receives what has to be said about the question.

    Returns
    -------
    Analysis
        With the table `comparison`; an option that cannot be answered has a row that says why.
    None
        There is no one circle.

    Raises
    ------
    RequestError
        For fewer than two options or too many, and where no option can be asked for at all.
    """
    caveats[:] = [c for c in caveats if c.code not in _OF_ONE_SITE]
    options = options_of(run.query)
    if len(options) < 2:
        raise RequestError(
            f"The question compares {options[0].label} with nothing else.",
            'Name a second place, treatment, system, technology or capacity, such as "compare Quincy with Chester".',
            code="one_option",
        )
    asked = len(run.query.compare or run.query.locations)
    if not run.query.compare and asked > len(options):
        caveats.append(Caveat("option_repeated", "An option that was named more than once stands in the table once."))
    if run.cache is None:
        # Options of one place follow each other, so that two circles of each, year one and life, are enough to share.
        run = replace(run, cache=CatchmentCache(size=4))
    results: list[Result] = []
    refused: list[CsragError] = []
    for option in options:
        result, error = _answered(run, option)
        results.append(result)
        refused += [error] if error is not None else []
    if len(refused) == len(options) and all(isinstance(e, RequestError) for e in refused):
        raise refused[0]
    with run.trace.step("computation", "compare_options") as note:
        analysis = compare_results(results)
        note["rows"] = len(results)
    return analysis, None


def _answered(run: Run, option: Option) -> tuple[Result, CsragError | None]:
    """One option as asking for it alone would answer it; an error is its own and spoils no other."""
    site: Location = option.place
    said: list[Caveat] = []
    try:
        query = option.query
        validate(query)
        site = site_of(query, said)
        if query.line_to_substation and "line_km" not in query.explicit:
            query = query.with_(line_km=None)
        query, plants = with_points(query, run.plants, run.store.manifest, site, said)
        analysis, _ = analyse(replace(run, query=query, site=site, plants=plants), said)
    except InternalError:
        raise
    except CsragError as error:
        return Result(option, site, None, error.code, str(error)), error
    analysis = replace(analysis, warnings=(*said, *analysis.warnings))
    if analysis.status == "refused":
        return Result(option, site, analysis, analysis.reason, _why(analysis)), None
    return Result(option, site, analysis), None


def _why(analysis: Analysis) -> str:
    """Why a site has no supply, with what can be had [BDT, MW]."""
    facts = analysis.facts
    need, have, largest = (facts[i].value for i in ("demand_bdt", "obtainable_bdt", "largest_capacity_mw"))
    words = "under the cap" if analysis.reason == "cap_not_met" else "in the circle"
    text = f"Demand not met: {need:,.0f} BDT a year are needed and {have:,.0f} are to be had {words}, enough for {largest:.3g} MW."
    wider = facts.get("radius_needed_km")
    return text if wider is None or wider.value is None else f"{text} A radius of {wider.value} km would hold it."
