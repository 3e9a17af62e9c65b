"""The search itself: candidate sites, the rules that they have to keep, the supply at each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.ask.computation.delivered import economics
from csrag.ask.computation.search_rank import objective, ranked
from csrag.ask.computation.search_rules import RuleCount, SiteRule, count_rules, keeping
from csrag.ask.computation.search_sites import Candidates, ground_of, nearest_km
from csrag.ask.computation.set_points import known_plants
from csrag.ask.computation.statewide import SearchPool, SiteCosts, prepare_pool, site_costs
from csrag.ask.decisions.search_plan import SearchPlan, candidates_of, substations_of
from csrag.ask.records import SitingQuery
from csrag.ask.retrieval.catchment import BESIDE_DATA_KM
from csrag.ask.run import CatchmentCache, Run
from csrag.errors import DataError
from csrag.surfaces.coverage import inside_rings

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

_KEPT = 2
"""Prepared pools that a conversation keeps."""
_PROGRESS_PARTS = 10


@dataclass(frozen=True)
class Searched:
    """What a search found.

    Parameters
    ----------
    plan : SearchPlan
        What it was to do.
    looked_at : int
        Sites in the area, before any rule [count].
    sites : Candidates
        Those that keep the rules on sites.
    site_rules, supply_rules : tuple of RuleCount
        What the rules on sites and those on their supply take away.
    pool : SearchPool or None
        Candidate clusters; None where no site was left to cost.
    costs : SiteCosts or None
        Of `sites`.
    order : ndarray of int64
        Positions of the sites that keep every rule, best first.
    """

    plan: SearchPlan
    looked_at: int
    sites: Candidates
    site_rules: tuple[RuleCount, ...]
    supply_rules: tuple[RuleCount, ...]
    pool: SearchPool | None
    costs: SiteCosts | None
    order: NDArray[np.int64]

    def allowed(self, costs: SiteCosts) -> Mask:
        """Which sites keep the rules on their supply, at given costs."""
        return keeping(supply_rules(self.plan, costs), len(costs.met))


def search_sites(run: Run, plan: SearchPlan) -> Searched:
    """Look at every candidate site and cost the supply of those that keep the rules.

    Parameters
    ----------
    run : Run
        The question.
    plan : SearchPlan
        From `plan_of`.

    Raises
    ------
    DataError
        Where a rule asks for roads or substations that the layer set does not hold.
    """
    with run.trace.step("retrieval", "find_candidate_sites") as note:
        sites = _of_run(run, ("sites", run.store.hash, run.query.site_candidates), lambda: candidates_of(run))
        if plan.inside is not None and len(sites):
            sites = sites.take(np.flatnonzero(plan.inside(sites.lat, sites.lon)))
        note["rows"] = looked_at = len(sites)
        rules = _site_rules(run, plan.query, sites)
        counts = tuple(count_rules(rules, looked_at))
        sites = sites.take(np.flatnonzero(keeping(rules, looked_at)))
    if not len(sites):
        return Searched(plan, looked_at, sites, counts, (), None, None, np.zeros(0, dtype=np.int64))
    with run.trace.step("retrieval", "prepare_search") as note:
        pool = _of_run(run, _pool_key(run, plan.query), lambda: _pool(run, plan.query))
        note["rows"] = len(pool)
    with run.trace.step("computation", "search_sites") as note:
        costs = site_costs(
            pool, sites.lat, sites.lon, plan.need.demand_bdt, plan.radius_km, plan.query.fire_weight,
            progress=_progress(run),
        )  # fmt: skip
        note["rows"] = len(sites)
        supply = supply_rules(plan, costs)
        score = objective(costs.average_usd_per_bdt, costs.mean_burn_probability, plan.query.fire_weight, pool.scales)
        order = ranked(score, costs.average_usd_per_bdt, keeping(supply, len(sites)))
    return Searched(plan, looked_at, sites, counts, tuple(count_rules(supply, len(sites))), pool, costs, order)


def _site_rules(run: Run, query: SitingQuery, sites: Candidates) -> list[SiteRule]:
    """Rules on the site itself, in the order in which they are charged."""
    store, n = run.store, len(sites)
    ground = ground_of(store, sites)
    rules = [
        SiteRule("outside", "outside the layers' area", _in_data(run, sites)),
        SiteRule("protected", "in a park or wilderness", ~ground.protected),
    ]
    limit = query.max_site_slope_pct
    if limit is not None:
        with np.errstate(invalid="ignore"):
            flat = ground.slope_pct <= limit
        rules.append(SiteRule("slope", "on ground steeper than the limit or of unknown slope", flat, ground.slope_pct, limit,
                              "percent_value"))  # fmt: skip
    for name, words, limit, points in (
        ("road", "too far from a road", query.max_km_to_road, _road_points),
        ("substation", "too far from a substation", query.max_km_to_substation, _substation_points),
        ("plant", "too far from a wood-burning plant", query.max_km_to_plant, _plant_points),
    ):
        if limit is not None:
            away = nearest_km(sites.lat, sites.lon, *points(run)) if n else np.zeros(0)
            rules.append(SiteRule(name, words, away <= limit, away, limit, "km_1"))
    return rules


def _in_data(run: Run, sites: Candidates) -> Mask:
    """Sites that an answer about each alone would not refuse: inside the data area, or with a cluster beside them."""
    rings = run.store.manifest.data_area
    known = sites.ground_row >= 0
    other = np.flatnonzero(~known)
    known[other] = inside_rings(sites.lat[other], sites.lon[other], rings) if rings else True
    for at in np.flatnonzero(~known).tolist():
        rows, _ = run.store.within(float(sites.lat[at]), float(sites.lon[at]), BESIDE_DATA_KM)
        known[at] = len(rows) > 0
    return np.asarray(known)


def _road_points(run: Run) -> tuple[Floats, Floats]:
    roads = run.store.roads
    if roads is None:
        raise DataError(
            "This layer set holds no roads, so a search cannot heed the way to one.",
            "Build layers with roads, or ask without that limit.", code="no_roads",
        )  # fmt: skip
    return roads.node_lat, roads.node_lon


def _substation_points(run: Run) -> tuple[Floats, Floats]:
    rows = substations_of(run)
    return np.array([r["lat"] for r in rows], dtype=np.float64), np.array([r["lon"] for r in rows], dtype=np.float64)


def _plant_points(run: Run) -> tuple[Floats, Floats]:
    plants = known_plants(run.store.manifest)
    return np.array([p.lat for p in plants]), np.array([p.lon for p in plants])


def supply_rules(plan: SearchPlan, costs: SiteCosts) -> list[SiteRule]:
    """Rules on the supply of each site, in the order in which they are charged.

    Parameters
    ----------
    plan : SearchPlan
        Demand, cap, least burn probability.
    costs : SiteCosts
        Of the sites.
    """
    query, need = plan.query, plan.need
    rules = [
        SiteRule(
            "demand", "without enough fuel in its circle", costs.met, costs.available_bdt, need.demand_bdt, "bdt", False
        )
    ]
    least = query.min_average_burn_probability
    with np.errstate(invalid="ignore"):
        if least is not None:
            burn = costs.mean_burn_probability
            rules.append(SiteRule("burn", "with fuel from stands that burn less often than asked for", burn >= least, burn, least,
                                  "per_year", False))  # fmt: skip
        cap = query.max_cost_usd_per_bdt
        if cap is not None:
            cost = costs.last_ton_usd_per_bdt if query.max_cost_kind == "last_ton" else costs.average_usd_per_bdt
            rules.append(SiteRule("cap", "over the cap", cost <= cap, cost, cap, "usd_per_bdt"))
    return rules


def _pool(run: Run, query: SitingQuery) -> SearchPool:
    return prepare_pool(run.store, query, economics(run.store.manifest, query.overrides), search_mode(query))


def search_mode(query: SitingQuery) -> str:
    """Distance mode of the search: zone factors where asked for, else stratified; a network serves one site at a time."""
    return "zone" if query.transport == "zone" else "stratified"


def _pool_key(run: Run, query: SitingQuery) -> tuple[Any, ...]:
    return (
        "pool", run.store.hash, query.treatment, query.system, tuple(sorted(query.land_use)), query.max_slope_pct,
        query.min_burn_probability, query.feedstock, query.availability, tuple(sorted(query.overrides.items())),
        search_mode(query),
    )  # fmt: skip


def _of_run(run: Run, key: tuple[Any, ...], make: Callable[[], Any]) -> Any:
    """What an earlier search of the conversation prepared, or what is prepared now and kept."""
    if run.cache is None or (run.sites is not None and key[0] == "sites"):
        return make()
    kept = run.cache.searches
    if key not in kept:
        made = make()
        same = [k for k in kept if k[0] == key[0]]
        for old in same[: len(same) - _KEPT + 1]:
            del kept[old]
        kept[key] = made
    return kept[key]


def _progress(run: Run) -> Callable[[int, int], None] | None:
    """Tells the display how far the search is; what it raises stops the search."""
    told, parts = run.trace.on_step, [0]
    if told is None:
        return None

    def progress(done: int, total: int) -> None:
        part = done * _PROGRESS_PARTS // max(total, 1)
        if part > parts[0]:
            parts[0] = part
            told("computation", f"search_sites {100 * part // _PROGRESS_PARTS} %")

    return progress


def with_cache(run: Run) -> Run:
    """The run with somewhere to keep what searches prepare."""
    return run if run.cache is not None else replace(run, cache=CatchmentCache(size=2))
