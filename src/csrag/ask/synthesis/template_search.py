"""Sentences of a search: the best sites, what was searched, what the rules took away; or plants that share no fuel."""

from __future__ import annotations

from csrag.ask.records import SitingQuery
from csrag.ask.results import Analysis

_REMOVED = (
    ("outside", "outside the layers' area"),
    ("protected", "in parks or wilderness"),
    ("slope", "on ground steeper than {{max_site_slope_pct}} or of unknown slope"),
    ("road", "farther than {{max_km_to_road}} from a road"),
    ("substation", "farther than {{max_km_to_substation}} from a substation"),
    ("plant", "farther than {{max_km_to_plant}} from a wood-burning plant"),
    ("demand", "without one year's fuel in their circle"),
    ("burn", "whose fuel comes from stands that burn less than {{min_average_burn_probability}} on average"),
    ("cap", "over your cap on the cost"),
)
_POSSIBLE = {
    "possible_site_slope_pct": "the gentlest ground that the other rules leave has {{possible_site_slope_pct}} of slope",
    "possible_km_to_road": "the nearest to a road that the other rules leave lies {{possible_km_to_road}} from one",
    "possible_km_to_substation": "the nearest to a substation that the other rules leave lies {{possible_km_to_substation}} from one",
    "possible_km_to_plant": "the nearest to a plant that the other rules leave lies {{possible_km_to_plant}} from one",
    "possible_burn_probability": "the highest average that the other rules leave is {{possible_burn_probability}}",
    "possible_cost": "the lowest cost that the other rules leave is {{possible_cost}}",
}
_TIE = 0.02
"""Two sites closer than this share of their cost are told to be as good as equal."""
_MENTIONED = 5


def search_paragraphs(query: SitingQuery, analysis: Analysis) -> list[list[str]]:
    """Paragraphs of a search, of a portfolio, or of a search that finds nothing.

    Parameters
    ----------
    query : SitingQuery
        What was asked.
    analysis : Analysis
        Its result.
    """
    if analysis.status == "refused":
        return [[_nothing(analysis)], _removed(analysis)]
    if query.portfolio:
        return [_plants(analysis), _sharing(analysis), _how(query, analysis), _removed(analysis)]
    return [_best(query, analysis), _how(query, analysis), _removed(analysis)]


def _has(analysis: Analysis, value_id: str) -> bool:
    fact = analysis.facts.get(value_id)
    return fact is not None and fact.value is not None


def _number(analysis: Analysis, value_id: str) -> float:
    fact = analysis.facts.get(value_id)
    return 0.0 if fact is None or fact.value is None or isinstance(fact.value, str) else float(fact.value)


def _plant(analysis: Analysis) -> str:
    return "{{capacity_mw}} of <<technology>>" if _has(analysis, "capacity_mw") else "{{demand_bdt}}"


def _site(letter: str) -> str:
    return f"<<site_{letter}>>"


def _cost(analysis: Analysis, prefix: str) -> str:
    """What one site costs, as far as it is known."""
    if not _has(analysis, f"{prefix}_average_delivered_cost"):
        return f"{{{{{prefix}_search_average_cost}}}} by the search"
    text = f"{{{{{prefix}_average_delivered_cost}}}} delivered, on average"
    if _has(analysis, f"{prefix}_lcoe_current"):
        text += f", and electricity {{{{{prefix}_lcoe_current}}}}"
    return text


def _best(query: SitingQuery, analysis: Analysis) -> list[str]:
    found = int(_number(analysis, "found_sites"))
    weighed = ", cost and fire weighed together (fire at {{fire_weight_pct}})," if query.fire_weight > 0 else ","
    out = [
        f"For {_plant(analysis)}{weighed} the best of {{{{searched_sites}}}} <<where>> is {_site('a')}: fuel costs "
        f"{_cost(analysis, 'best_1')}."
    ]
    if found > 1:
        nexts = []
        for n in range(2, min(found, _MENTIONED) + 1):
            value = (
                "average_delivered_cost"
                if _has(analysis, f"best_{n}_average_delivered_cost")
                else "search_average_cost"
            )
            nexts.append(f"{_site(chr(ord('a') + n - 1))} at {{{{best_{n}_{value}}}}}")
        out.append(f"Next {'comes' if len(nexts) == 1 else 'come'} {_listed(nexts)}.")
        first, second = (_number(analysis, f"best_{n}_average_delivered_cost") for n in (1, 2))
        if query.fire_weight == 0 and first > 0 and 0 <= second - first < _TIE * first:
            out.append(
                "The first and the next are as good as equal: they differ by less than distances and harvest costs are known."
            )
    power = {
        n: _number(analysis, f"best_{n}_lcoe_current")
        for n in range(1, found + 1)
        if _has(analysis, f"best_{n}_lcoe_current")
    }
    least = min(power, key=lambda n: power[n]) if power else 1
    if least != 1 and 1 in power:
        out.append(
            f"Over the plant's life it is {_site(chr(ord('a') + least - 1))} that makes the cheapest electricity of them, at "
            f"{{{{best_{least}_lcoe_current}}}}: its wood lasts better."
        )
    if _has(analysis, "best_1_mean_burn_probability"):
        burn = "The wood of the best site comes from stands with an annual burn probability of {{best_1_mean_burn_probability}}"
        weighed = (
            ", fire weighed at {{fire_weight_pct}} in choosing both wood and site" if query.fire_weight > 0 else ""
        )
        out.append(f"{burn}{weighed}; {{{{best_1_treated_acres}}}} are treated in the year.")
    return out


def _how(query: SitingQuery, analysis: Analysis) -> list[str]:
    grid = ", a grid of {{grid_spacing_km}}" if _has(analysis, "grid_spacing_km") else ""
    out = [
        f"Each of {{{{searched_sites}}}} (<<sites>>{grid}) was costed over a circle of {{{{search_radius_miles}}}} "
        "({{search_radius_km}}) for {{demand_bdt}}, treated with <<treatment>>, without move-in; {{supplied_sites}} can be supplied, "
        "at {{search_spread_low}} to {{search_spread_high}} on average."
    ]
    if query.portfolio:
        if _number(analysis, "min_separation_km") > 0:
            out.append("The plants stand at least {{min_separation_miles}} ({{min_separation_km}}) apart.")
        return out
    best = int(_number(analysis, "best_1_search_rank"))
    order = "it was first in the search too" if best == 1 else "in the search it was number {{best_1_search_rank}}"
    out.append(
        f"The best {{{{evaluated_sites}}}}{_apart(analysis)} were then answered in full,{_circle(analysis)} with the best road "
        f"distances, move-in and the plant's life, and ranked anew. Of the site that now leads: {order}, at "
        "{{best_1_search_average_cost}}."
    )
    return out


def _apart(analysis: Analysis) -> str:
    if _number(analysis, "min_separation_km") <= 0:
        return ""
    return " that stand at least {{min_separation_miles}} ({{min_separation_km}}) apart"


def _circle(analysis: Analysis) -> str:
    """The circle of the full answers, which is each site's own unless the question names one."""
    same = _number(analysis, "best_1_radius_km") == _number(analysis, "search_radius_km")
    if same or not _has(analysis, "best_1_radius_km"):
        return ""
    return " each over its own automatic circle ({{best_1_radius_km}} at the best site),"


def _removed(analysis: Analysis) -> list[str]:
    parts = [
        f"{{{{removed_{name}_sites}}}} {words}"
        for name, words in _REMOVED
        if _number(analysis, f"removed_{name}_sites") > 0
    ]
    return [f"Left out of {{{{candidate_sites}}}} looked at: {_listed(parts)}."] if parts else []


def _plants(analysis: Analysis) -> list[str]:
    found = int(_number(analysis, "found_sites"))
    total = "{{portfolio_capacity_mw}} in all, " if _has(analysis, "portfolio_capacity_mw") else ""
    out = []
    if found < _number(analysis, "asked_sites"):
        further = (
            "a further one would find no more than {{obtainable_bdt}}"
            if _number(analysis, "obtainable_bdt") > 0
            else "no further site that stands far enough from them has any fuel left"
        )
        out.append(f"{{{{found_sites}}}} of {{{{asked_sites}}}} asked for can be supplied; {further}.")
    if _has(analysis, "portfolio_average_cost"):
        who = "{{portfolio_plants}} that share no fuel," if found > 1 else "{{portfolio_plants}},"
        pay = "pay" if found > 1 else "pays"
        out.append(
            f"{who} {total}{pay} {{{{portfolio_average_cost}}}} delivered, on average, for "
            "{{portfolio_selected_bdt}} from {{portfolio_clusters}} on {{portfolio_acres}}, no cluster cut for more than one plant."
        )
    listed = [f"{_site(chr(ord('a') + n - 1))} at {_short(analysis, n)}" for n in range(1, found + 1)]
    out.append(f"The plants, <<where>>: {_listed(listed)}.")
    return out


def _short(analysis: Analysis, n: int) -> str:
    if _has(analysis, f"plant_{n}_average_delivered_cost"):
        return f"{{{{plant_{n}_average_delivered_cost}}}}"
    return f"{{{{plant_{n}_search_average_cost}}}} by the search"


def _sharing(analysis: Analysis) -> list[str]:
    if int(_number(analysis, "found_sites")) < 2:
        return []
    if _number(analysis, "portfolio_contested_bdt") <= 0:
        return [
            "Even if each chose alone, none of them would want wood that another wants, so sharing the forest costs them nothing."
        ]
    return [
        "If each chose alone, {{portfolio_contested_bdt}} would be wanted by more than one of them; keeping apart costs "
        "{{portfolio_competition_cost}} on average ({{portfolio_together_cost}} against {{portfolio_alone_cost}} by the search's "
        "measure)."
    ]


def _nothing(analysis: Analysis) -> str:
    if analysis.reason == "no_candidate_sites":
        return (
            f"There is no site to look at <<where>> (<<sites>>), so {_plant(analysis)} cannot be placed there: "
            "{{obtainable_bdt}} can be had, enough for {{largest_capacity_mw}}."
        )
    names = analysis.names
    if analysis.reason == "demand_not_met":
        return (
            f"No site <<where>> supplies {_plant(analysis)}: {{{{demand_bdt}}}} are needed a year, and the richest of "
            "{{searched_sites}}, <<richest>>, has {{obtainable_bdt}} within {{search_radius_miles}} ({{search_radius_km}}), enough "
            "for {{largest_capacity_mw}}. The fuel in reach binds, not a rule on the sites."
        )
    without = "without that rule {{sites_without_binding}} would be left"
    if _number(analysis, "sites_without_binding") <= 0:
        without = "no single rule is to blame: dropping that one alone would leave none either"
    text = (
        f"No site <<where>> keeps every rule for {_plant(analysis)}. What binds: sites <<binding>> are out; {without}"
    )
    possible = _POSSIBLE.get(names.get("possible", ""))
    return f"{text}{f', and {possible}' if possible else ''}."


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
