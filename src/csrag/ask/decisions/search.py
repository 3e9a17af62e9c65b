"""Where is best: every candidate site costed the same way, the best of them answered in full and ranked anew."""

from __future__ import annotations

from dataclasses import replace

from csrag.ask.computation.facts import Ledger
from csrag.ask.computation.search_rank import apart
from csrag.ask.decisions.search_facts import candidate_words, put_caveats, put_no_site, put_search, put_sites
from csrag.ask.decisions.search_full import FoundSite, evaluate, evaluating, found_site, reranked
from csrag.ask.decisions.search_plan import plan_of
from csrag.ask.decisions.search_portfolio import portfolio_of
from csrag.ask.decisions.search_sites import Searched, search_sites, with_cache
from csrag.ask.records import Location
from csrag.ask.results import Analysis, Caveat
from csrag.ask.run import Run

MORE_IN_FULL = 5
"""Sites answered in full beyond those asked for [count], so that ranking anew can bring one in. On the demonstrations the three
best in full of 40 and 60 stood among the first seven of the search."""
__all__ = ["FoundSite", "best_sites_in", "search"]


def search(run: Run, caveats: list[Caveat]) -> tuple[Analysis, None]:
    """Answer a search, or a portfolio of plants that share no fuel.

    Parameters
    ----------
    run : Run
        The question on its way.
    caveats : list of Caveat
        Receives what has to be said about the question.

    Returns
    -------
    Analysis
        With the tables `best_sites`, `site_rules` and `heat_map`; `selected` holds the clusters of the best site, or of all
        plants of a portfolio.
    None
        There is no one circle.

    Raises
    ------
    DataError
        Where a rule asks for roads or substations that the layer set does not hold.
    """
    # The whole state is no place for a power line to start from; each site says its own.
    caveats[:] = [c for c in caveats if c.code != "no_substations"]
    run = with_cache(run)
    plan = plan_of(run, caveats)
    searched = search_sites(run, plan)
    ledger = Ledger()
    put_search(ledger, run, searched)
    if not len(searched.order):
        reason, names = put_no_site(ledger, searched)
        return Analysis("refused", reason, ledger.facts, ledger.tables, ledger.caveats, names=names), None
    if run.query.portfolio:
        return portfolio_of(run, searched, ledger), None
    return _best(run, searched, ledger), None


def _best(run: Run, searched: Searched, ledger: Ledger) -> Analysis:
    """The best sites by the search, answered in full and ranked anew."""
    plan, sites = searched.plan, searched.sites
    most = plan.count + MORE_IN_FULL
    at = apart(searched.order, sites.lat, sites.lon, 3 * most, plan.separation_km)
    found: list[FoundSite] = []
    with evaluating(run, min(most, len(at))) as begin:
        for rank, position in enumerate(at, 1):
            # Beyond the first ones only as long as full answers break a limit of the question.
            if rank > most and sum(site.supplied for site in found) >= plan.count:
                break
            begin(rank)
            found.append(evaluate(run, searched, found_site(searched, position, rank)))
    order = reranked(run, found)
    supplied = [site for site in order if site.supplied]
    shown = (supplied or order)[: plan.count]
    rest = [site for site in order if site not in shown]
    ledger.put("evaluated_sites", len(found), "best by the search that stand far enough apart")
    ledger.put("found_sites", len(shown), "ranked by their full answers")
    names = {"where": plan.where, "sites": candidate_words(sites.kind), **put_sites(ledger, run, searched, shown, rest)}
    put_caveats(ledger, searched, shown)
    status, reason = "answered", ""
    if not supplied:
        full = shown[0].full
        status, reason = "partial", "site_not_answered" if full is None else full.reason or "limits_broken"
        ledger.caveat("no_site_in_full", "None of the sites keeps every limit of the question once it is answered in full: "
                      f"{shown[0].why_not or reason}. They are shown in the order of the search.")  # fmt: skip
    elif len(shown) < plan.count:
        status, reason = "partial", "fewer_sites"
        why = (
            f"only {len(at)} sites keep the rules and stand {plan.separation_km:g} km apart" if len(at) < plan.count
            else "the others keep not every limit once they are answered in full"
        )  # fmt: skip
        ledger.caveat("fewer_sites", f"{len(shown)} of {plan.count} sites are given: {why}.")
    best = shown[0].full
    selected = () if best is None else best.selected
    return Analysis(status, reason, ledger.facts, ledger.tables, ledger.caveats, selected, names)


def best_sites_in(run: Run, area: Location | None, count: int = 1) -> list[FoundSite]:
    """The best sites inside an area by the search alone, for a comparison of areas.

    Parameters
    ----------
    run : Run
        The question; its places do not matter. Its cache keeps what the searches of several areas share.
    area : Location or None
        County, forest or region, or a place to look around; None for the whole layer set.
    count : int
        Sites wanted.

    Returns
    -------
    list of FoundSite
        Best first, far enough apart, `full` not computed; empty where no site of the area keeps the question's rules and finds
        enough fuel.
    """
    query = run.query.with_(locations=() if area is None else (area,), portfolio=False)
    inner = replace(with_cache(run), query=query)
    searched = search_sites(inner, plan_of(inner, []))
    at = apart(searched.order, searched.sites.lat, searched.sites.lon, count, searched.plan.separation_km)
    return [found_site(searched, position, rank) for rank, position in enumerate(at, 1)]
