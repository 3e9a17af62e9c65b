"""Several plants that share no fuel: chosen together by the search, then answered in full one after another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from csrag.ask.computation.demand import capacity_mw_for
from csrag.ask.computation.facts import Ledger
from csrag.ask.computation.search_portfolio import Portfolio, Sites, without_competition
from csrag.ask.computation.site_facts import put_obtainable
from csrag.ask.decisions.search_facts import candidate_words, plan_words, put_caveats, put_sites
from csrag.ask.decisions.search_full import FoundSite, evaluate, evaluating, found_site
from csrag.ask.decisions.search_sites import Searched
from csrag.ask.results import Analysis
from csrag.ask.run import Run


def portfolio_of(run: Run, searched: Searched, ledger: Ledger) -> Analysis:
    """Choose the plants, answer each, and say what sharing the forest costs.

    Parameters
    ----------
    run : Run
        The question.
    searched : Searched
        A search with at least one site.
    ledger : Ledger
        Receives values, tables and caveats.
    """
    plan, pool, costs = searched.plan, searched.pool, searched.costs
    assert pool is not None
    assert costs is not None
    sites = Sites(searched.sites.lat, searched.sites.lon, plan.need.demand_bdt, plan.radius_km, plan.query.fire_weight,
                  searched.allowed)  # fmt: skip
    told = run.trace.on_step

    def progress(done: int, total: int) -> None:
        if told is not None:
            told("computation", f"choose_portfolio {done} of {total}")

    with run.trace.step("computation", "choose_portfolio") as note:
        chosen = without_competition(pool, sites, costs, plan.count, plan.separation_km, progress)
        note["rows"] = len(chosen.plants)
    found: list[FoundSite] = []
    gone: list[NDArray[np.int64]] = []
    with evaluating(run, len(chosen.plants)) as begin:
        for n, plant in enumerate(chosen.plants, 1):
            begin(n)
            site = replace(found_site(searched, plant.site, n), search_average_usd_per_bdt=plant.average_usd_per_bdt)
            site = evaluate(run, searched, site, gone)
            if site.rows is not None:
                gone.append(site.rows)
            found.append(site)
    names = put_sites(ledger, run, searched, found, (), "plant")
    _put_totals(ledger, searched, chosen, found)
    put_caveats(ledger, searched, found)
    ledger.caveat("portfolio_order", "Each plant takes its cheapest wood of year one from what the plants before it leave, and none "
                  "takes a cluster of another. Later years are each plant's own: what the others cut after year one is not taken "
                  "off, so lives and electricity are on the cheap side.")  # fmt: skip
    status, reason = "answered", ""
    unsupplied = [s for s in found if not s.supplied]
    if unsupplied:
        status, reason = "partial", "plant_not_supplied"
        ledger.caveat("plant_not_supplied", f"Not every plant keeps the question's limits once it is answered in full: "
                      f"{'; '.join(f'{s.location.name} ({s.why_not})' for s in unsupplied)}.")  # fmt: skip
    if len(found) < plan.count:
        status, reason = "partial", "fewer_plants"
        left, words = chosen.left_bdt, f"{len(found)} of {plan.count} plants find their fuel"
        basis = "all that is left in the circle of the richest further site"
        put_obtainable(ledger, left, capacity_mw_for(left, plan.need.plant), basis)
        ledger.caveat("fewer_plants", f"{words}: at any further site that is allowed at most {left:,.0f} BDT are left within "
                      f"{plan.radius_km:g} km, or what is left breaks another rule.")  # fmt: skip
    names = {"where": plan.where, "sites": candidate_words(searched.sites.kind), **names}
    selected = tuple(key for site in found if site.full is not None for key in site.full.selected)
    return Analysis(status, reason, ledger.facts, ledger.tables, ledger.caveats, selected, names)


def _put_totals(ledger: Ledger, searched: Searched, chosen: Portfolio, found: list[FoundSite]) -> None:
    """What the plants take and pay together, and what they would pay if each were alone."""
    need, count = searched.plan.need, len(found)
    ledger.put("found_sites", count, "plants that find their fuel")
    ledger.put("evaluated_sites", count, "one after another, in the order chosen")
    ledger.put("portfolio_plants", count, "no two share a cluster")
    capacity = None if need.capacity_mw is None else need.capacity_mw * count
    ledger.put("portfolio_capacity_mw", capacity, "all plants" if capacity is not None else "the question names tons")
    ledger.put("portfolio_demand_bdt", need.demand_bdt * count, "all plants")
    full = [s for s in found if s.value("average_delivered_cost") is not None]
    tons = [s.value("feedstock_selected_bdt") or 0.0 for s in full]
    if full and sum(tons) > 0:
        paid = sum(t * (s.value("average_delivered_cost") or 0.0) for t, s in zip(tons, full, strict=True))
        ledger.put("portfolio_average_cost", paid / sum(tons), "by tons over the full answers")
        ledger.put("portfolio_selected_bdt", sum(tons), "year one, full answers")
        ledger.put(
            "portfolio_clusters", sum(len(s.full.selected) for s in full if s.full is not None), "no cluster twice"
        )
        ledger.put("portfolio_acres", sum(s.value("treated_acres") or 0.0 for s in full), "year one, full answers")
    plants, words = chosen.plants, plan_words(searched.plan)
    together = sum(p.tons_bdt * p.average_usd_per_bdt for p in plants) / sum(p.tons_bdt for p in plants)
    alone = sum(p.alone_bdt * p.alone_usd_per_bdt for p in plants) / sum(p.alone_bdt for p in plants)
    ledger.put("portfolio_together_cost", together, words)
    ledger.put("portfolio_alone_cost", alone, f"{words}; the same sites")
    ledger.put("portfolio_competition_cost", together - alone, f"{words}; together less alone")
    ledger.put("portfolio_contested_bdt", chosen.contested_bdt, f"{words}; the same sites, each alone")
    ledger.put(
        "portfolio_moved_plants",
        chosen.moved,
        "each plant was taken up and set down once where it is best beside the others",
    )
    for n, plant in enumerate(plants, 1):
        ledger.put(f"plant_{n}_alone_average_cost", plant.alone_usd_per_bdt, f"{found[n - 1].location.name}; {words}")
