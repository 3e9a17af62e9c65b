"""Every value of a query is checked before anything is read, and the site is taken from its places."""

from __future__ import annotations

from csrag.ask.computation.demand import check_capacity
from csrag.ask.records import Location, SitingQuery
from csrag.ask.results import Caveat
from csrag.errors import OutOfScopeError, PlaceError, RequestError
from csrag.geo import check_point
from csrag.quantities import check

MAX_QUESTION_CHARACTERS = 10_000
WHOLE_STATE = Location("California", "region")
"""Where a search looks that names no place."""
SEVERAL_PLACES: frozenset[str] = frozenset({"lookup", "compare", "search"})
"""Intents whose places are taken together, or as areas; their own modules say what was done with them."""
PROXIMITY_INTENTS = ("site", "supply_curve", "projection", "compare")
"""Intents that FRREDSS's rule serves."""
CAN_DO = (
    "I answer where and at what cost a biomass plant in California finds its fuel. Try: "
    '"25 MW facility near Quincy, CA. Fire risk matters."'
)


def check_question(question: str) -> None:
    """Refuse an empty question, and one too long to be one.

    Raises
    ------
    RequestError
        Saying what to ask instead.
    """
    if len(question) > MAX_QUESTION_CHARACTERS:
        raise RequestError(
            f"The question has {len(question):,} characters.",
            f"Keep it under {MAX_QUESTION_CHARACTERS:,}; one sentence is enough.",
            code="question_too_long",
        )
    if not question.strip():
        raise RequestError("The question is empty.", CAN_DO, code="question_empty")


def validate(query: SitingQuery) -> None:
    """Check every value of a query before anything is read.

    Parameters
    ----------
    query : SitingQuery
        Stage 1's result.

    Raises
    ------
    RequestError
        For a value out of range, a place that cannot be used, or a question out of scope.
    """
    if query.intent == "out_of_scope":
        raise OutOfScopeError("That is outside what I can compute.", CAN_DO)
    if query.intent == "command":
        raise OutOfScopeError(
            "That is a command, not a question.",
            'In a conversation (`csrag chat`, or `csrag ask --session NAME`): "save this as NAME", "load NAME", "list scenarios", '
            '"compare NAME with NAME". Exports are not available yet.',
            code="not_available",
        )
    if query.capacity_mw is not None:
        check_capacity(query.capacity_mw)
    for capacity in query.capacity_range_mw or ():
        check_capacity(capacity)
    if query.seed_compatible and (query.intent != "site" or len(query.locations) > 1):
        raise RequestError(
            "--seed-compatible serves the cost of one site only.", "Ask for one plant at one place, or leave the option out.",
            code="seed_compatible_site_only",
        )  # fmt: skip
    if query.seed_compatible and query.selection != "cost":
        raise RequestError("--seed-compatible and selection by proximity are two different rules.", "Use one of them.")
    if query.selection == "proximity" and query.intent not in PROXIMITY_INTENTS:
        raise RequestError(
            f"Selection by proximity (FRREDSS's rule) does not serve {query.intent.replace('_', ' ')} questions.",
            "It is there to compare one site's cost with: ask for the cost, the supply curve, the years or a comparison.",
            code="proximity_not_served",
        )
    for name in ("demand_bdt", "radius_km", "fire_weight", "max_cost_usd_per_bdt", "budget_usd_per_year", "max_slope_pct",
                 "min_burn_probability", "years", "power_price_usd_per_mwh", "price_escalation_pct", "subsidy_usd_per_bdt",
                 "sensitivity_pct", "reentry_years", "burn_loss_pct", "line_km", "site_count", "min_separation_km",
                 "min_average_burn_probability", "max_site_slope_pct", "max_km_to_road", "max_km_to_substation", "max_km_to_plant",
                 "min_high_hazard_pct", "max_road_km", "max_extra_cost_pct", "expansion_factor"):  # fmt: skip
        value = getattr(query, name)
        if value is not None:
            check(name, value)
    for name, value in query.overrides.items():
        check(name, value)
    for name in ("min_land_share_pct", "max_land_share_pct"):
        for value in getattr(query, name).values():
            check(name, value)
    # Each place of a comparison is checked as the option that it is: one that cannot be used spoils no other.
    for place in query.locations if query.intent != "compare" else ():
        _check_place(place)
    if not query.locations and query.intent not in {"search", "lookup"}:
        raise PlaceError(
            "The question names no place that I know.",
            'Name a Californian town, county, ZIP code or point, such as "near Quincy".',
            code="no_place",
        )


def _check_place(place: Location) -> None:
    if place.kind == "outside":
        raise PlaceError(
            f"{place.name} lies outside California ({place.state}).",
            "The layers cover California only; name a place there. Its Californian side can be asked for by a Californian town.",
            code="outside_california",
        )
    if place.kind == "unknown":
        near = f" Nearest known names: {', '.join(place.alternatives)}." if place.alternatives else ""
        raise PlaceError(f"I know no place called {place.name!r} in California.{near}",
                         "Check the spelling, or give a ZIP code or coordinates.", code="place_unknown")  # fmt: skip
    if place.lat is not None and place.lon is not None:
        check_point(place.lat, place.lon)


def site_of(query: SitingQuery, caveats: list[Caveat]) -> Location:
    """The plant's place, and what has to be said about it.

    Parameters
    ----------
    query : SitingQuery
        With at least one place, save for a search.
    caveats : list of Caveat
        Receives them.
    """
    if not query.locations:
        return WHOLE_STATE
    site = query.locations[0]
    several = query.intent in SEVERAL_PLACES
    if len(query.locations) > 1 and not several:
        others = ", ".join(p.name for p in query.locations[1:])
        caveats.append(
            Caveat(
                "first_place_only",
                f"This version answers for one place at a time: {site.name}. Not answered: {others}.",
            )
        )
    if site.alternatives:
        caveats.append(
            Caveat(
                "place_ambiguous",
                f"{site.name} in {site.county or 'California'} was taken; also possible: {', '.join(site.alternatives)}.",
            )
        )
    if site.kind in {"county", "forest", "region"} and not several:
        caveats.append(
            Caveat("area_as_point", f"{site.name} is an area; its representative point stands in for the plant's site.")
        )
    return site
