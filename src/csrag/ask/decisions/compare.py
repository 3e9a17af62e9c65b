"""A comparison: every option is answered as the site that it is, over Catchments that options of one circle share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from csrag.ask.checks import site_of, validate
from csrag.ask.computation.compare import compare_results
from csrag.ask.computation.compare_options import Option, options_of
from csrag.ask.computation.compare_standing import Draws, Result
from csrag.ask.computation.draws import DrawInputs, difference_in_draws, draw_seed
from csrag.ask.computation.draws_inputs import draw_inputs
from csrag.ask.computation.set_points import with_points
from csrag.ask.records import Location
from csrag.ask.results import Analysis, Catchment, Caveat
from csrag.ask.routes import analyse
from csrag.ask.run import CatchmentCache, Run
from csrag.errors import CsragError, InternalError, RequestError

_OF_ONE_SITE = frozenset({"place_ambiguous", "line_to_substation", "no_substations"})
"""Caveats on the question's first place; each option has its own."""

_AREAS = frozenset({"county", "forest", "region"})
_AREA_SITES = 3
"""Sites of an area that are answered in full, so that the best by the full answer can be taken [count]."""


@dataclass(frozen=True)
class _Priced:
    """An option with figures, and what they stand on."""

    option: Option
    run: Run
    catchment: Catchment
    analysis: Analysis


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
    kept: list[_Priced] = []
    refused: list[CsragError] = []
    for option in options:
        result, error = _answered(run, option, kept)
        results.append(result)
        refused += [error] if error is not None else []
    if len(refused) == len(options) and all(isinstance(e, RequestError) for e in refused):
        raise refused[0]
    drawn = _draws(run, results, kept)
    with run.trace.step("computation", "compare_options") as note:
        analysis = compare_results(results, drawn)
        note["rows"] = len(results)
    return analysis, None


def _answered(run: Run, option: Option, kept: list[_Priced]) -> tuple[Result, CsragError | None]:
    """One option as asking for it alone would answer it; an error is its own and spoils no other."""
    site = option.place
    try:
        validate(option.query)
        if site.kind in _AREAS:
            priced = _best_of_area(run, option)
            if priced is None:
                return Result(option, site, None, "no_site_in_area", "No site of the area finds enough fuel."), None
        else:
            said: list[Caveat] = []
            priced = _priced(run, option, site_of(option.query, said), said)
    except InternalError:
        raise
    except CsragError as error:
        return Result(option, site, None, error.code, str(error)), error
    analysis, site = priced.analysis, priced.run.site
    if analysis.status == "refused":
        return Result(option, site, analysis, analysis.reason, _why(analysis)), None
    kept.append(priced)
    return Result(option, site, analysis), None


def _priced(run: Run, option: Option, site: Location, said: list[Caveat]) -> _Priced:
    """Stages 2 and 3 of one option at one site."""
    query = option.query
    if query.line_to_substation and "line_km" not in query.explicit:
        query = query.with_(line_km=None)
    query, plants = with_points(query, run.plants, run.store.manifest, site, said)
    alone = replace(run, query=query, site=site, plants=plants)
    analysis, catchment = analyse(alone, said)
    return _Priced(option, alone, catchment, replace(analysis, warnings=(*said, *analysis.warnings)))


def _best_of_area(run: Run, option: Option) -> _Priced | None:
    """The site of an area where fuel is cheapest, of a few that a search finds best; None where it finds none."""
    from csrag.ask.decisions.search import best_sites_in

    found = best_sites_in(replace(run, query=option.query), option.place, _AREA_SITES)
    best: _Priced | None = None
    for site in found:
        priced = _priced(run, replace(option, query=option.query.with_(locations=(site.location,))), site.location, [])
        if best is None or _cost(priced) < _cost(best):
            best = priced
    if best is None:
        return None
    text = (
        f"{option.place.name} is an area. Of the candidate sites in it the {len(found)} that the search finds best were answered "
        f"in full, and the one with the cheapest fuel stands for it: {best.run.site.name}."
    )
    said = Caveat("area_best_site", text)
    return replace(best, option=option, analysis=replace(best.analysis, warnings=(said, *best.analysis.warnings)))


def _cost(priced: _Priced) -> float:
    """Average delivered cost, infinite where there is no supply [USD per BDT]."""
    cost = priced.analysis.facts["average_delivered_cost"].value
    return math.inf if not isinstance(cost, (int, float)) else float(cost)


def _draws(run: Run, results: Sequence[Result], kept: Sequence[_Priced]) -> Draws | None:
    """Draws of the measured errors of all options with figures; None where none has one, or there is nothing to compare."""
    if len(kept) < 2 or all(k.analysis.facts["average_delivered_cost_low"].value is None for k in kept):
        return None
    index = {r.option.number: n for n, r in enumerate(results)}
    inputs: list[DrawInputs] = []
    at: dict[int, int] = {}
    with run.trace.step("computation", "draw_differences") as note:
        for k in kept:
            given = draw_inputs(
                k.option.label, k.run.query, k.catchment, k.analysis, run.store.manifest, k.run.read_stand
            )
            if given is not None:
                at[index[k.option.number]] = len(inputs)
                inputs.append(given)
        drawn = difference_in_draws(inputs, seed=draw_seed(run.query, run.store.hash))
        note["rows"] = drawn.draws
    return Draws(drawn, at)


def _why(analysis: Analysis) -> str:
    """Why a site has no supply, with what can be had [BDT, MW]."""
    facts = analysis.facts
    need, have, largest = (facts[i].value for i in ("demand_bdt", "obtainable_bdt", "largest_capacity_mw"))
    words = "under the cap" if analysis.reason == "cap_not_met" else "in the circle"
    text = f"Demand not met: {need:,.0f} BDT a year are needed and {have:,.0f} are to be had {words}, enough for {largest:.3g} MW."
    wider = facts.get("radius_needed_km")
    return text if wider is None or wider.value is None else f"{text} A radius of {wider.value} km would hold it."
