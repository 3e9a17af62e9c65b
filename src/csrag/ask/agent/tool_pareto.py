"""The tool that trades cost against fire at one site."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from csrag.ask.agent.tool_handlers import query_of, run_of
from csrag.ask.agent.toolbox import Outcome
from csrag.ask.results import Caveat
from csrag.ask.run import Trace

if TYPE_CHECKING:
    from csrag.ask.agent.tools import Toolbox

_OF_POINT = (
    "fire_weight_pct", "average_delivered_cost", "extra_cost", "extra_cost_pct", "burn_probability", "burn_probability_ratio",
    "high_hazard_acres", "weight_price_usd_per_bdt_per_pct", "step_price_usd_per_bdt_per_pct",
)  # fmt: skip
RETURNS = (
    "pareto_weights", "pareto_supplies", "front_supplies", "max_extra_cost_pct", "cost_only_average_delivered_cost",
    "cost_only_burn_probability", "cost_only_high_hazard_acres", "front_first_step_price", "front_last_step_price",
    *(f"{point}_{value_id}" for point in ("within", "knee", "most_fire") for value_id in _OF_POINT),
    "demand_bdt", "radius_km", "obtainable_bdt", "largest_capacity_mw", "radius_needed_km",
)  # fmt: skip


def trade_cost_against_fire(box: Toolbox, arguments: Mapping[str, Any], trace: Trace) -> Outcome:
    """The supply at every weight of fire."""
    from csrag.ask.decisions.pareto import trade_off_of

    caveats: list[Caveat] = []
    analysis, _ = trade_off_of(run_of(box, query_of(arguments, "pareto"), trace, caveats), caveats)
    return Outcome(
        analysis.facts, analysis.status, analysis.reason, handles=box.keep(analysis.tables, "pareto", "pareto_points"),
        warnings=(*caveats, *analysis.warnings),
    )  # fmt: skip
