"""Stages 2 and 3 of each intent: what is retrieved, and what is computed from it."""

from __future__ import annotations

import math
from dataclasses import replace

from csrag.ask.computation.capacity_range import with_range
from csrag.ask.computation.demand import capacity_mw_for
from csrag.ask.computation.life import supply_years
from csrag.ask.computation.need import need_of
from csrag.ask.computation.rules import has_rules
from csrag.ask.computation.site import analyse_site
from csrag.ask.results import Analysis, Catchment, Caveat
from csrag.ask.retrieval.catchment import AUTO_RADIUS_MULTIPLE, MAX_AUTO_RADIUS_KM, smallest_radius_km_for
from csrag.ask.run import Run
from csrag.errors import OutsideDataError
from csrag.quantities import QUANTITIES

_FOR_LIFE = "retrieve_clusters_for_life"


def analyse(run: Run, caveats: list[Caveat]) -> tuple[Analysis, Catchment]:
    """Retrieve and compute what the intent needs.

    Parameters
    ----------
    run : Run
        The question on its way.
    caveats : list of Caveat
        Receives what has to be said about the question.

    Returns
    -------
    Analysis, Catchment
        The result, and year one's candidates.
    """
    if run.query.seed_compatible:
        from csrag.ask.computation.seed_compatible import seed_query

        run.query = seed_query(run.query, run.store.manifest, caveats)
    if run.query.selection == "proximity":
        from csrag.ask.computation.reference import reference_query

        run.query = reference_query(run.query, run.store.manifest, caveats)
    try:
        if run.query.intent == "max_capacity":
            return _largest(run)
        catchment, pool = circles(run)
    except OutsideDataError as error:
        if error.held_bdt is not None:
            megawatts = capacity_mw_for(error.held_bdt, need_of(run.query).plant)
            error.message += f" That would keep at most {megawatts:.1f} MW running."
        raise
    analysis = _site(run, catchment, pool)
    if run.query.capacity_range_mw is not None and run.query.capacity_mw is None and analysis.status != "refused":
        analysis = _range(run, analysis, run.query.capacity_range_mw)
    if run.query.intent == "sensitivity" and analysis.status != "refused":
        analysis = _sensitivity(run, analysis, catchment, pool, caveats)
    return analysis, catchment


def circles(run: Run) -> tuple[Catchment, Catchment]:
    """Year one's candidates, and those that the plant's life can reach.

    Parameters
    ----------
    run : Run
        The question on its way.
    """
    query, manifest = run.query, run.store.manifest
    with run.trace.step("computation", "estimate_demand"):
        demand = need_of(query).demand_bdt
    if query.seed_compatible:
        circle = _degree_circle(run, demand)
        return circle, circle
    more = 1.0
    if query.selection == "proximity":
        from csrag.ask.computation.reference import LAYER_TONS, first_look_years

        more = LAYER_TONS
        catchment = run.catchment(query, demand, years=first_look_years(query))
    else:
        catchment = run.catchment(query, demand)
    if catchment.radius_origin != "automatic":
        run.search_roads(catchment)
        return catchment, catchment
    pool = run.catchment(query, demand, _FOR_LIFE, more * supply_years(query, manifest.scales.p_hi), catchment)
    run.search_roads(pool)
    if has_rules(query) and query.selection == "cost":
        catchment, pool = _under_rules(run, demand, catchment, pool)
    if not run.plants or query.selection == "proximity":
        return catchment, pool
    from csrag.ask.computation.competition import others_bdt, radius_beside_others

    others = others_bdt(run.plants, pool, manifest.data_area)
    if not others:
        return catchment, pool
    beside = run.catchment(query, demand, _FOR_LIFE, supply_years(query, manifest.scales.p_hi, others, demand))
    pool = max(pool, beside, key=lambda c: c.radius_km)
    run.search_roads(pool)
    target = AUTO_RADIUS_MULTIPLE * demand
    radius_km = radius_beside_others(query, pool, manifest, run.read_stand, run.plants, target)
    if radius_km is not None and radius_km > catchment.radius_km:
        catchment = replace(run.catchment(query.with_(radius_km=radius_km), demand), radius_origin="automatic")
    return catchment, pool


def _under_rules(run: Run, demand_bdt: float, catchment: Catchment, pool: Catchment) -> tuple[Catchment, Catchment]:
    """Circles wide enough that the rules on the supply, not the filters alone, leave the usual choice."""
    from csrag.ask.computation.rules_facts import radius_under_rules

    query, manifest, target = run.query, run.store.manifest, AUTO_RADIUS_MULTIPLE * demand_bdt
    if query.max_road_km is not None and pool.radius_km > query.max_road_km:
        # No road is shorter than the straight line, so nothing beyond this circle can be taken.
        pool = run.catchment(query.with_(radius_km=float(math.ceil(query.max_road_km))), demand_bdt, _FOR_LIFE)
        run.search_roads(pool)
    radius_km, share = radius_under_rules(query, pool, manifest, run.read_stand, target)
    if 0 < share < 1 and pool.radius_origin == "automatic":
        pool = run.catchment(query, demand_bdt, _FOR_LIFE, supply_years(query, manifest.scales.p_hi) / share, pool)
        run.search_roads(pool)
        radius_km, _ = radius_under_rules(query, pool, manifest, run.read_stand, target)
    if radius_km is None:
        pool = replace(pool, radius_origin="haul" if query.max_road_km is not None else "widest")
        return pool, pool
    if radius_km > catchment.radius_km:
        catchment = replace(run.catchment(query.with_(radius_km=radius_km), demand_bdt), radius_origin="rules")
    return catchment, pool


def _degree_circle(run: Run, demand_bdt: float) -> Catchment:
    """The circle of the published description: our radius, taken for degrees."""
    from csrag.ask.computation.seed_compatible import WIDER, degree_circle

    query = run.query
    first = run.catchment(query, demand_bdt)
    wide = run.catchment(query.with_(radius_km=min(first.radius_km * WIDER, QUANTITIES["radius_km"].high)), demand_bdt)
    rows, _ = run.store.within(wide.key.lat, wide.key.lon, wide.radius_km)
    lat, lon = (run.store.column(name)[rows] for name in ("lat", "lon"))
    return replace(degree_circle(wide, first.radius_km, lat, lon), radius_origin=first.radius_origin)


def _site(run: Run, catchment: Catchment, pool: Catchment) -> Analysis:
    demand, needed = need_of(run.query).demand_bdt, None
    short = float(catchment.frame["feedstock_bdt"].max(axis=1, initial=0.0).sum()) < demand
    if short and catchment.radius_origin == "given" and not has_rules(run.query):
        with run.trace.step("retrieval", "find_radius_for_demand"):
            needed = smallest_radius_km_for(run.store, run.site, run.query, demand)
    with run.trace.step("computation", "analyse_site") as note:
        analysis = analyse_site(run.query, catchment, run.store.manifest, run.read_stand, pool, needed, run.plants)
        note["rows"] = len(catchment.frame)
    if has_rules(run.query) and analysis.status == "refused" and catchment.radius_origin == "given":
        analysis = _with_needed_radius(run, analysis, demand)
    return analysis


def _with_needed_radius(run: Run, analysis: Analysis, demand_bdt: float) -> Analysis:
    """A refusal with the smallest circle in which the rules on the supply would allow the demand."""
    from csrag.ask.computation.facts import Ledger
    from csrag.ask.computation.rules_facts import radius_under_rules

    reach_km = min(float(MAX_AUTO_RADIUS_KM), float(math.ceil(run.query.max_road_km or MAX_AUTO_RADIUS_KM)))
    wide = run.catchment(run.query.with_(radius_km=reach_km), demand_bdt, "find_radius_for_demand")
    run.search_roads(wide)
    needed, _ = radius_under_rules(run.query, wide, run.store.manifest, run.read_stand, demand_bdt)
    if needed is None:
        return analysis
    ledger = Ledger.of(analysis)
    ledger.put(
        "radius_needed_km", needed, "smallest whole radius in which the rules on the supply allow one year's demand"
    )
    return replace(analysis, facts=ledger.facts)


def _range(run: Run, middle: Analysis, low_high: tuple[float, float]) -> Analysis:
    """Low and high end of a capacity range, each as a question of its own, beside the middle."""
    ends = []
    for capacity in low_high:
        end = replace(run, query=run.query.with_(capacity_mw=capacity, capacity_range_mw=None))
        ends.append(_site(end, *circles(end)))
    return with_range(middle, *ends)


def _sensitivity(
    run: Run, analysis: Analysis, catchment: Catchment, pool: Catchment, caveats: list[Caveat]
) -> Analysis:
    from csrag.ask.computation.sensitivity import add_sensitivity

    demand = need_of(run.query).demand_bdt

    def widen(years: float) -> Catchment:
        wide = run.catchment(run.query, demand, "retrieve_clusters_for_sensitivity", years)
        run.search_roads(wide)
        return wide

    plain = run.query.with_(burn_loss_pct=None, other_plants="none")
    if plain != run.query:
        caveats.append(
            Caveat(
                "sensitivity_plain_years",
                "The sensitivity leaves fires and other plants out; the answer itself counts them, so the two differ.",
            )
        )
    with run.trace.step("computation", "sensitivity"):
        return add_sensitivity(
            plain, analysis, catchment, pool, None if pool is catchment else widen, run.store.manifest, run.read_stand
        )


def _largest(run: Run) -> tuple[Analysis, Catchment]:
    """The largest plant, then the site at its capacity over the same circle."""
    from csrag.ask.computation.max_capacity import POOL_RADIUS_KM, largest_plant, none_fits, with_largest

    query, manifest = run.query, run.store.manifest
    circle = query.with_(radius_km=query.radius_km or POOL_RADIUS_KM, capacity_mw=None, capacity_range_mw=None)
    with run.trace.step("computation", "estimate_demand"):
        least_bdt = need_of(circle).demand_bdt
    pool = run.catchment(circle, least_bdt)
    run.search_roads(pool)
    with run.trace.step("computation", "largest_plant") as note:
        largest = largest_plant(circle, pool, manifest, run.read_stand)
        note["rows"] = len(pool.frame)
    if largest.capacity_mw < QUANTITIES["capacity_mw"].low:
        return none_fits(circle, pool, largest, manifest), pool
    with run.trace.step("computation", "analyse_site") as note:
        at_largest = circle.with_(capacity_mw=largest.capacity_mw)
        analysis = analyse_site(at_largest, pool, manifest, run.read_stand, pool, None, run.plants)
        note["rows"] = len(pool.frame)
    return (analysis if analysis.status == "refused" else with_largest(query, analysis, largest)), pool
