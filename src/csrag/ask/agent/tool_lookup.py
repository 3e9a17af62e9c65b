"""The tool that takes stock of areas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from csrag.ask.agent.tool_handlers import place_of, query_of
from csrag.ask.agent.toolbox import Outcome
from csrag.ask.checks import site_of, validate
from csrag.ask.results import Caveat
from csrag.ask.run import Run, Trace

if TYPE_CHECKING:
    from csrag.ask.agent.tools import Toolbox

_SHOWN = 4
"""Areas whose values are given one by one; the table has all."""
_EACH = (
    "stock_bdt", "stock_gt", "stock_acres", "forest_acres", "stock_harvest_cost", "practical_bdt", "owner_private_pct",
    "owner_usfs_pct", "protected_bdt",
)  # fmt: skip
RETURNS = (
    *_EACH, "moisture_pct", "radius_km", "physical_bdt", "nothing_to_remove_pct", "forest_burn_probability",
    "forest_high_hazard_pct", "set_share_pct", "one_year_mw", "sustained_mw", "sustained_years", "plants_near_count",
    "plants_near_bdt", "data_edge_share", "owner_private_acres", "owner_usfs_acres",
    *(f"area_{n}_{value_id}" for n in range(1, _SHOWN + 1) for value_id in _EACH),
)  # fmt: skip
AVAILABILITIES = ("physical", "practical")


def lookup_areas(box: Toolbox, arguments: Mapping[str, Any], trace: Trace) -> Outcome:
    """What the forest of one or several areas holds; of the whole layer set where none is named."""
    from csrag.ask.decisions.lookup import take_stock

    plain = {k: v for k, v in arguments.items() if k != "areas"}
    areas = tuple(place_of(text) for text in str(arguments.get("areas", "")).split(";") if text.strip())
    query = query_of(plain, "lookup").with_(locations=areas)
    validate(query)
    caveats: list[Caveat] = []
    run = Run(box.store, query, site_of(query, caveats), trace, box.cache, (), box.cache.roads)
    analysis, _ = take_stock(run, caveats)
    listed = "; ".join(word for name, word in sorted(analysis.names.items()) if name.startswith("area_"))
    tables = ("areas", "treatments", "ownership", "slope_classes", "hazard_classes", "stock_systems", "harvest_cost_classes",
              "excluded", "wood_plants")  # fmt: skip
    return Outcome(
        analysis.facts, analysis.status, analysis.reason, text=listed, handles=box.keep(analysis.tables, *tables),
        warnings=(*caveats, *analysis.warnings),
    )  # fmt: skip
