"""The tool that looks for the best sites, or for plants that share no fuel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from csrag.ask.agent.tool_handlers import place_of, query_of
from csrag.ask.agent.toolbox import Outcome
from csrag.ask.checks import site_of, validate
from csrag.ask.computation.set_points import with_points
from csrag.ask.results import Caveat
from csrag.ask.run import Run, Trace

if TYPE_CHECKING:
    from csrag.ask.agent.tools import Toolbox

CANDIDATES = ("grid", "towns", "plants", "substations")
KINDS = ("best", "portfolio")
_SHOWN = 5
"""Sites whose values are given one by one; the table has all."""
_EACH = ("average_delivered_cost", "search_average_cost", "search_rank", "lcoe_current", "mean_burn_probability")
RETURNS = (
    "candidate_sites", "searched_sites", "supplied_sites", "found_sites", "search_radius_km", "min_separation_km", "demand_bdt",
    "obtainable_bdt", "largest_capacity_mw", "sites_without_binding", "portfolio_average_cost", "portfolio_competition_cost",
    "portfolio_contested_bdt",
    *(f"{prefix}_{n}_{value_id}" for prefix in ("best", "plant") for n in range(1, _SHOWN + 1) for value_id in _EACH),
)  # fmt: skip


def search_sites(box: Toolbox, arguments: Mapping[str, Any], trace: Trace) -> Outcome:
    """The best sites of an area or of the whole layer set.

    Raises
    ------
    DataError
        Where a limit asks for roads or substations that the layer set does not hold.
    """
    from csrag.ask.decisions.search import search

    plain = {k: v for k, v in arguments.items() if k not in {"area", "kind"}}
    areas = tuple(place_of(text) for text in str(arguments.get("area", "")).split(";") if text.strip())
    query = query_of(plain, "search").with_(locations=areas, portfolio=arguments.get("kind") == "portfolio")
    validate(query)
    caveats: list[Caveat] = []
    site = site_of(query, caveats)
    query, plants = with_points(query, (), box.store.manifest, site, caveats)
    run = Run(box.store, query, site, trace, box.cache, plants, box.cache.roads)
    analysis, _ = search(run, caveats)
    names = {k: v for k, v in analysis.names.items() if k.startswith("site_")}
    listed = "; ".join(f"{n}. {name}" for n, name in enumerate(names.values(), 1))
    return Outcome(
        analysis.facts, analysis.status, analysis.reason, text=listed,
        handles=box.keep(analysis.tables, "best_sites", "site_rules", "heat_map"), warnings=(*caveats, *analysis.warnings),
    )  # fmt: skip
