"""Facts, tables and caveats of a search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from csrag.ask.computation import caveats
from csrag.ask.computation.delivered import economics
from csrag.ask.computation.demand import capacity_mw_for
from csrag.ask.computation.facts import Ledger
from csrag.ask.computation.search_rules import RuleCount, binding_rule
from csrag.ask.computation.search_sites import GRID_M, nearest_km
from csrag.ask.computation.site_facts import put_need, put_obtainable
from csrag.ask.decisions.search_full import FoundSite
from csrag.ask.decisions.search_heat import put_heat_map
from csrag.ask.decisions.search_names import location_of
from csrag.ask.decisions.search_plan import DEFAULT_SEPARATION_KM, SearchPlan
from csrag.ask.decisions.search_sites import Searched, search_mode
from csrag.ask.results import Catchment, Caveat, RetrievalKey
from csrag.ask.run import Run
from csrag.quantities import km_to_miles
from csrag.surfaces.frame import ClusterFrame

POSSIBLE = {
    "slope": "possible_site_slope_pct", "road": "possible_km_to_road", "substation": "possible_km_to_substation",
    "plant": "possible_km_to_plant", "burn": "possible_burn_probability", "cap": "possible_cost",
}  # fmt: skip
"""What the other rules leave, by rule."""
_LIMITS = (
    "max_site_slope_pct",
    "max_km_to_road",
    "max_km_to_substation",
    "max_km_to_plant",
    "min_average_burn_probability",
)
_OF_SITE = (
    "average_delivered_cost", "average_harvest_cost", "average_haul_cost", "last_ton_cost", "lcoe_current",
    "life_average_delivered_cost", "mean_burn_probability", "treated_acres", "radius_km", "mean_road_km",
)  # fmt: skip
"""Values of a full answer that each site of a search has under its number."""
_SHOWN_CAVEATS = 3
_KINDS = {
    "grid": "points of a grid over the forest",
    "towns": "towns",
    "plants": "existing plants",
    "substations": "substations",
}
_COLUMNS = (
    "rank", "rank_in_search", "name", "lat", "lon", "county", "search_average_usd_per_bdt", "average_usd_per_bdt",
    "last_ton_usd_per_bdt", "lcoe_current_usd_per_mwh", "life_average_usd_per_bdt", "burn_probability", "treated_acres",
    "radius_km", "mean_road_km", "km_to_road", "km_to_substation", "limit_broken",
)  # fmt: skip


def candidate_words(kind: str) -> str:
    """What the sites are, in words: a kind, or the name of the user's table."""
    return _KINDS.get(kind, f"sites of {kind}")


def put_search(ledger: Ledger, run: Run, searched: Searched) -> None:
    """Record what was searched, what the rules took away, and the map of costs.

    Parameters
    ----------
    ledger : Ledger
        Receives them.
    run : Run
        The question.
    searched : Searched
        What was found.
    """
    plan, costs = searched.plan, searched.costs
    econ = economics(run.store.manifest, plan.query.overrides)
    put_need(ledger, plan.query, plan.need, econ)
    general = Catchment(
        RetrievalKey(run.store.hash, 0.0, 0.0, plan.radius_km, plan.query.treatment, plan.query.system, (), None, None, None),
        run.site, plan.radius_km, "given", ClusterFrame({}), np.zeros(0, dtype=np.int64), 0, {}, {}, 0.0,
    )  # fmt: skip
    caveats.about_data(ledger, run.store.manifest, general, plan.query, plan.need.capacity_mw)
    _put_plan(ledger, searched)
    if costs is not None:
        met = costs.average_usd_per_bdt[costs.met]
        ledger.put(
            "supplied_sites", int(costs.met.sum()), "the circle holds one year's demand under the question's filters"
        )
        if len(met):
            ledger.put("search_spread_low", float(met.min()), "of all sites that can be supplied")
            ledger.put("search_spread_high", float(met.max()), "of all sites that can be supplied")
            put_heat_map(ledger, searched.sites, costs)
    for value_id in _LIMITS:
        limit = getattr(plan.query, value_id)
        if limit is not None:
            ledger.put(value_id, float(limit), "as asked")
    rows = []
    for count in (*searched.site_rules, *searched.supply_rules):
        rule = count.rule
        ledger.put(f"removed_{rule.name}_sites", count.removed, "each site is charged to the first rule that it breaks")
        rows.append((rule.words, rule.limit, rule.unit, count.removed, count.left_without, count.possible))
    ledger.table(
        "site_rules", ("rule", "limit", "unit", "sites_removed", "sites_left_without_it", "best_that_the_others_leave"), rows,
        "rules on sites are counted over all sites looked at, rules on supply over those that were costed",
    )  # fmt: skip


def _put_plan(ledger: Ledger, searched: Searched) -> None:
    plan, query = searched.plan, searched.plan.query
    ledger.put("candidate_sites", searched.looked_at, f"{candidate_words(searched.sites.kind)} {plan.where}")
    ledger.put("searched_sites", len(searched.sites), "after the rules on the sites themselves")
    ledger.put("asked_sites", plan.count, "as asked" if query.site_count else "default")
    origin = "as asked" if query.radius_km is not None else "default of a search"
    ledger.put("search_radius_km", plan.radius_km, f"{origin}; true circle around each site")
    ledger.put("search_radius_miles", km_to_miles(plan.radius_km), f"{origin}; true circle around each site")
    apart = "as asked" if query.min_separation_km is not None else "default; ask for another distance apart"
    ledger.put("min_separation_km", plan.separation_km, apart)
    ledger.put("min_separation_miles", km_to_miles(plan.separation_km), apart)
    if searched.sites.kind == "grid":
        ledger.put(
            "grid_spacing_km", GRID_M / 1000, "California Albers; each point's own square holds forest of the layer set"
        )


def put_no_site(ledger: Ledger, searched: Searched) -> tuple[str, dict[str, str]]:
    """Record why no site is left and what is possible.

    Parameters
    ----------
    ledger : Ledger
        Receives the values.
    searched : Searched
        A search without a site.

    Returns
    -------
    reason : str
        no_candidate_sites, demand_not_met or no_site_keeps_rules.
    names : dict
        Data words of the text: `where`, `sites`, and `binding` where a rule binds.
    """
    plan, costs = searched.plan, searched.costs
    names = {"where": plan.where, "sites": candidate_words(searched.sites.kind)}
    nothing = "no site was left to cost"
    if not searched.looked_at:
        put_obtainable(ledger, 0.0, 0.0, "no candidate site")
        return "no_candidate_sites", names
    counts: Sequence[RuleCount] = searched.site_rules if costs is None else searched.supply_rules
    binding = binding_rule(counts)
    assert binding is not None
    names["binding"] = binding.rule.words
    ledger.put("sites_without_binding", binding.left_without, f"without the rule against sites {binding.rule.words}")
    value_id = POSSIBLE.get(binding.rule.name)
    if value_id is not None and binding.possible is not None:
        ledger.put(value_id, binding.possible, "over the sites that keep every other rule")
        names["possible"] = value_id
    if costs is None:
        ledger.put("obtainable_bdt", None, nothing)
        ledger.put("largest_capacity_mw", None, nothing)
        return "no_site_keeps_rules", names
    best = int(np.argmax(costs.available_bdt))
    most = float(costs.available_bdt[best])
    put_obtainable(
        ledger, most, capacity_mw_for(most, plan.need.plant), "all candidates in the circle of the richest site"
    )
    names["richest"] = location_of(searched.sites, best).name
    return ("demand_not_met" if binding.rule.name == "demand" and not costs.met.any() else "no_site_keeps_rules"), names


def put_sites(ledger: Ledger, run: Run, searched: Searched, shown: Sequence[FoundSite], rest: Sequence[FoundSite],
              prefix: str = "best") -> dict[str, str]:  # fmt: skip
    """Record the sites given, each under its number, and the table of them.

    Parameters
    ----------
    ledger : Ledger
        Receives the values.
    run : Run
        The question.
    searched : Searched
        The search.
    shown : sequence of FoundSite
        Best first.
    rest : sequence of FoundSite
        Evaluated and not given.
    prefix : str
        best or plant.

    Returns
    -------
    dict
        Names for the text: `site_a` is the first.
    """
    everyone = [*shown, *rest]
    roads, substations = _distances(run, everyone)
    rows = [_row(n, site, roads[n - 1], substations[n - 1]) for n, site in enumerate(everyone, 1)]
    order = "in full" if prefix == "best" else "chosen"
    ledger.table(
        "best_sites", _COLUMNS, rows[: len(shown)],
        f"rank {order}; by the search: {plan_words(searched.plan)}; distances to roads and substations are straight lines",
    )  # fmt: skip
    if rest:
        ledger.table(
            "also_evaluated",
            _COLUMNS,
            rows[len(shown) :],
            "evaluated in full as well; each ranks behind the sites given",
        )
    for n, site in enumerate(shown, 1):
        name = site.location.name
        ledger.put(f"{prefix}_{n}_search_rank", site.search_rank, name)
        ledger.put(
            f"{prefix}_{n}_search_average_cost", site.search_average_usd_per_bdt, f"{name}; {plan_words(searched.plan)}"
        )
        for value_id in _OF_SITE:
            fact = None if site.full is None else site.full.facts.get(value_id)
            if fact is not None and fact.value is not None:
                ledger.put(f"{prefix}_{n}_{value_id}", fact.value, f"{name}; {fact.basis}", fact.label)
            else:
                why = site.why_not or (fact.basis if fact is not None else "") or "not known"
                ledger.put(f"{prefix}_{n}_{value_id}", None, f"{name}; {why}")
        for value_id, away in (("km_to_road", roads[n - 1]), ("km_to_substation", substations[n - 1])):
            if away is not None:
                ledger.put(f"{prefix}_{n}_{value_id}", away, name)
    return {f"site_{chr(ord('a') + n)}": site.location.name for n, site in enumerate(shown)}


def plan_words(plan: SearchPlan) -> str:
    """How the search costs a site, in words."""
    mode = "zone factors" if search_mode(plan.query) == "zone" else "zone-and-band factors"
    return f"circle of {plan.radius_km:g} km, road distance by {mode}, move-in left out"


def _row(rank: int, site: FoundSite, road: float | None, substation: float | None) -> tuple[Any, ...]:
    where, v = site.location, site.value
    return (
        rank, site.search_rank, where.name, where.lat, where.lon, where.county, site.search_average_usd_per_bdt,
        v("average_delivered_cost"), v("last_ton_cost"), v("lcoe_current"), v("life_average_delivered_cost"),
        v("mean_burn_probability"), v("treated_acres"), v("radius_km"), v("mean_road_km"), road, substation, site.why_not or None,
    )  # fmt: skip


def _distances(run: Run, found: Sequence[FoundSite]) -> tuple[list[float | None], list[float | None]]:
    """Straight lines to the nearest road and the nearest substation of the layer set [km]."""
    lat = np.array([s.location.lat for s in found], dtype=np.float64)
    lon = np.array([s.location.lon for s in found], dtype=np.float64)
    roads, rows = run.store.roads, (run.store.manifest.points or {}).get("substations") or []
    to_road = nearest_km(lat, lon, *(([], []) if roads is None else (roads.node_lat, roads.node_lon)))
    to_substation = nearest_km(lat, lon, [r["lat"] for r in rows], [r["lon"] for r in rows])
    return _known(to_road.tolist()), _known(to_substation.tolist())


def _known(values: Sequence[float]) -> list[float | None]:
    return [None if np.isnan(v) else v for v in values]


def put_caveats(ledger: Ledger, searched: Searched, shown: Sequence[FoundSite]) -> None:
    """Caveats of the sites' own answers, those that all share said once, and what the search itself leaves out.

    Parameters
    ----------
    ledger : Ledger
        Receives them.
    searched : Searched
        The search.
    shown : sequence of FoundSite
        Sites given.
    """
    plan, said = searched.plan, set(ledger.caveats)
    of_sites: list[tuple[str, Sequence[Caveat]]] = [
        (s.location.name, s.full.warnings) for s in shown[:_SHOWN_CAVEATS] if s.full is not None
    ]
    by_code: dict[str, dict[str, list[str]]] = {}
    for name, warnings in of_sites:
        for warning in warnings:
            if warning not in said:
                by_code.setdefault(warning.code, {}).setdefault(warning.message, []).append(name)
    for code, messages in by_code.items():
        first, *others = messages.items()
        if len(first[1]) == len(of_sites):
            ledger.caveat(code, first[0])
        else:
            names = [name for _, at in others for name in at] + first[1][1:]
            likewise = f" The like, with other figures, holds at {' and '.join(names)}." if names else ""
            ledger.caveat(code, f"{first[1][0]}: {first[0]}{likewise}")
    ledger.caveat("search_method", f"Every site was costed the same way ({plan_words(plan)}); the best ones were then answered in "
                  "full, which ranks them anew. A site that only its roads make cheap can be missed.")  # fmt: skip
    if plan.query.min_separation_km is None and plan.separation_km:
        ledger.caveat("search_separation", f"Sites given stand at least {DEFAULT_SEPARATION_KM:g} km apart (default), since the "
                      "neighbours of the best point are the same site over again.")  # fmt: skip
    query = plan.query
    if (
        query.min_high_hazard_pct is not None
        or query.min_land_share_pct
        or query.max_land_share_pct
        or query.max_road_km is not None
    ):
        ledger.caveat("search_rules_in_full", "Shares by hazard and owner and the limit on haul were kept in the full answers; the "
                      "search before them ranked sites without these rules.")  # fmt: skip
    if query.other_plants != "none":
        ledger.caveat("search_other_plants", "Other plants' demand was counted in the full answers; the search before them ranked "
                      "sites without it.")  # fmt: skip
    if len({s.location.county for s in shown}) and plan.inside is not None:
        ledger.caveat("search_wood_from_outside", f"The plants stand {plan.where}; their wood may come from beyond.")
