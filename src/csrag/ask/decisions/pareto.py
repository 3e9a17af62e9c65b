"""What does fire cost: the supply at every fire weight, and the trade-off between them."""

from __future__ import annotations

from dataclasses import replace

from csrag.ask.computation.delivered import economics
from csrag.ask.computation.facts import Ledger
from csrag.ask.computation.need import need_of
from csrag.ask.computation.pareto_facts import compute, no_trade_off, put_trade_off, year_one
from csrag.ask.computation.selection import Scales
from csrag.ask.results import Analysis, Catchment, Caveat
from csrag.ask.routes import analyse, circles
from csrag.ask.run import Run

_WHY_NONE = {
    "no_burn_probability": "The layer set knows no burn probability here, so there is no trade-off between cost and fire: what "
    "follows is the cheapest supply.",
    "flat_burn_probability": "Burn probability is the same at every candidate here, so no weight of fire changes the supply and "
    "there is no trade-off to show.",
}


def trade_off_of(run: Run, caveats: list[Caveat]) -> tuple[Analysis, Catchment]:
    """Answer a trade-off of cost against fire at one site.

    Parameters
    ----------
    run : Run
        The question on its way.
    caveats : list of Caveat
        Receives what has to be said about the question.

    Returns
    -------
    Analysis, Catchment
        The site's answer with the tables `pareto` and `pareto_points`, and year one's candidates. Partial, without these
        tables, where the layers know no fire or the same everywhere.
    """
    if run.query.selection != "cost" or run.query.seed_compatible:
        caveats.append(
            Caveat(
                "trade_off_by_cost",
                "A trade-off is taken over supplies by score; the other rule of selection was left out.",
            )
        )
        run = replace(run, query=run.query.with_(selection="cost", seed_compatible=False))
    analysis, catchment = analyse(run, caveats)
    if analysis.status == "refused":
        return analysis, catchment
    query, manifest = run.query, run.store.manifest
    econ, scales = economics(manifest, query.overrides), Scales.from_manifest(manifest.scales)
    ledger = Ledger.of(analysis)
    with run.trace.step("computation", "trade_off") as note:
        pool = circles(run)[1] if run.plants else catchment
        candidates, costs = year_one(query, catchment, pool, run.plants, manifest, econ, run.read_stand)
        note["rows"] = len(candidates.frame)
        why = no_trade_off(candidates, costs, scales)
        if not why:
            put_trade_off(
                ledger, query, compute(query, candidates, costs, need_of(query).demand_bdt, econ, manifest), scales
            )
    status, reason = analysis.status, analysis.reason
    if why:
        ledger.caveat(why, _WHY_NONE[why])
        status, reason = "partial", why
    return (
        replace(
            analysis, status=status, reason=reason, facts=ledger.facts, tables=ledger.tables,
            warnings=(*ledger.caveats, *analysis.warnings),
        ),
        catchment,
    )  # fmt: skip
