"""The stages as named tools: what a planner, or a program, calls one at a time. They run the pipeline's own functions."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

from csrag.ask.agent.tool_compare import RETURNS as COMPARED
from csrag.ask.agent.tool_compare import VARIED, compare_options
from csrag.ask.agent.tool_handlers import (
    analysed,
    estimate_demand,
    explain_method,
    find_radius,
    geocode,
    retrieve_clusters,
)
from csrag.ask.agent.tool_lookup import AVAILABILITIES, lookup_areas
from csrag.ask.agent.tool_lookup import RETURNS as COUNTED
from csrag.ask.agent.tool_pareto import RETURNS as TRADED
from csrag.ask.agent.tool_pareto import trade_cost_against_fire
from csrag.ask.agent.tool_search import CANDIDATES, KINDS, search_sites
from csrag.ask.agent.tool_search import RETURNS as FOUND
from csrag.ask.agent.toolbox import CallBudget, Parameter, Tool, ToolResult
from csrag.ask.computation.parameters import PARAMETERS
from csrag.ask.records import TECHNOLOGIES
from csrag.ask.results import Table
from csrag.ask.run import CatchmentCache, Trace
from csrag.errors import RequestError
from csrag.quantities import QUANTITIES
from csrag.surfaces.catalog import FAMILIES, LAND_USES, SYSTEMS, TREATMENTS
from csrag.surfaces.store import LayerStore

MAX_ROWS = 100
"""Rows of a table that one look gives."""


def _number(name: str, meaning: str = "", *, required: bool = False) -> Parameter:
    return Parameter(name, "number", meaning or QUANTITIES[name].meaning, required=required)


_PLACE = Parameter("place", "text", "town, county, ZIP code or coordinates in California", required=True)
_PLANT = (
    _number("capacity_mw"), _number("demand_bdt"), Parameter("technology", "choice", "kind of plant", TECHNOLOGIES),
    _number("efficiency_pct"), _number("capacity_factor_pct"), _number("moisture_pct"),
)  # fmt: skip
_FILTERS = (
    Parameter("treatment", "choice", "what is cut", TREATMENTS),
    Parameter("system", "choice", "harvesting system, or a family of them", (*FAMILIES, *SYSTEMS)),
    Parameter("land_use", "choice", "one owner alone; private and usfs where left out", LAND_USES),
    _number("max_slope_pct"), _number("min_burn_probability"),
)  # fmt: skip
_CIRCLE = (_PLACE, *_PLANT, *_FILTERS, _number("radius_km"))
_PRICES = (
    _number("fire_weight"), _number("max_cost_usd_per_bdt"),
    Parameter("max_cost_kind", "choice", "what the cap is on", ("average", "last_ton")), _number("diesel_usd_per_gal"),
    Parameter("transport", "choice", "how road distances are found", ("zone", "stratified", "network")),
    _number("min_high_hazard_pct"), _number("max_road_km"),
)  # fmt: skip
_SITE = (*_CIRCLE, *_PRICES)
_SHORT = ("demand_bdt", "obtainable_bdt", "largest_capacity_mw", "radius_needed_km")
"""Given where the demand is not met."""


class Toolbox:
    """The tools over one layer set; Catchments are shared between calls exactly as between turns of a conversation.

    Parameters
    ----------
    layers : LayerStore or callable
        The layer set, or what opens it at the first call that needs it.
    cache : CatchmentCache, optional
        That of a conversation, to go on from what it has read.
    on_step : callable, optional
        Told the stage and the name of each step as it begins.
    """

    def __init__(
        self,
        layers: LayerStore | Callable[[], LayerStore],
        cache: CatchmentCache | None = None,
        on_step: Callable[[str, str], None] | None = None,
    ) -> None:
        self._layers = layers
        self._store: LayerStore | None = layers if isinstance(layers, LayerStore) else None
        self.cache = CatchmentCache() if cache is None else cache
        self._on_step = on_step
        self._tables: dict[str, Table] = {}

    @property
    def store(self) -> LayerStore:
        """The layer set, opened now if it was not yet."""
        if self._store is None:
            assert not isinstance(self._layers, LayerStore)
            self._store = self._layers()
        return self._store

    def call(self, name: str, arguments: Mapping[str, Any], budget: CallBudget | None = None) -> ToolResult:
        """Call a tool.

        Parameters
        ----------
        name : str
            One of `TOOLS`.
        arguments : mapping
            As its schema says; null means left out.
        budget : CallBudget, optional
            Counts the call and refuses a repeated one.

        Raises
        ------
        RequestError
            For a tool that is not listed, arguments outside the schema, or a spent budget.
        DataError
            If the layers cannot answer it.
        """
        if budget is not None:
            budget.spend()
        tool = TOOLS.get(name)
        if tool is None:
            raise RequestError(f"There is no tool {name!r:.60}.", f"Tools: {', '.join(TOOLS)}.", code="unknown_tool")
        checked = tool.checked(arguments)
        if budget is not None:
            budget.admit(name, checked)
        trace = Trace() if self._on_step is None else Trace(on_step=self._on_step)
        out = tool.handler(self, checked, trace)
        quoted = name == "explain_method"
        values = {i: f for i, f in out.facts.items() if quoted or i in tool.returns}
        return ToolResult(
            name,
            checked,
            out.status,
            out.reason,
            values,
            out.text,
            out.handles,
            out.warnings,
            out.sources,
            tuple(trace.steps),
        )

    def rows(self, handle: str, start: int = 0, count: int = 20) -> Table:
        """Some rows of a table that a call left behind.

        Parameters
        ----------
        handle : str
            From `ToolResult.handles`.
        start, count : int
            First row and number of rows, at most 100.

        Raises
        ------
        RequestError
            For a handle that is none of this toolbox.
        """
        table = self._tables.get(handle)
        if table is None:
            raise RequestError(
                f"There is no table {handle!r:.60}.", "Call the tool that makes it.", code="unknown_handle"
            )
        first = max(0, start)
        return Table(table.columns, table.rows[first : first + min(max(0, count), MAX_ROWS)], table.note)

    def keep(self, tables: Mapping[str, Table], *names: str) -> dict[str, str]:
        """Handles for tables, fetched with `rows`; the same table has the same handle."""
        out = {}
        for name in names:
            if name in tables:
                mark = hashlib.sha256(repr((tables[name].columns, tables[name].rows)).encode()).hexdigest()[:12]
                out[name] = f"table:{name}:{mark}"
                self._tables[out[name]] = tables[name]
        return out


_COSTS = (
    "average_delivered_cost",
    "average_harvest_cost",
    "average_haul_cost",
    "unloading_cost",
    "move_in_cost",
    "last_ton_cost",
)

TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool("geocode", "where a place is", (_PLACE,), ("latitude", "longitude"), geocode),
        Tool("estimate_demand", "what a plant burns in a year", _PLANT,
             ("capacity_mw", "demand_bdt", "demand_gt", "demand_bdmt", "generation_mwh", "truck_loads", "truck_loads_per_day",
              "moisture_pct"), estimate_demand),
        Tool("find_radius", "smallest circle that holds one year's demand", (_PLACE, *_PLANT, *_FILTERS),
             ("demand_bdt", "radius_needed_km"), find_radius),
        Tool("retrieve_clusters", "what the forest holds around a place", _CIRCLE,
             ("radius_km", "clusters_in_circle", "candidate_clusters", "feedstock_available_bdt", "supply_ratio", "data_edge_share",
              "protected_excluded_bdt"), retrieve_clusters),
        Tool("supply_curve", "delivered cost of one year's supply, and the curve it stands on", _SITE,
             (*_COSTS, "cheapest_ton_cost", "pool_average_cost", "selected_clusters", "feedstock_selected_bdt", "radius_km",
              "mean_burn_probability", "baseline_burn_probability", "fire_extra_cost", *_SHORT),
             analysed("supply_curve", "supply_curve", "pool_curve", "components")),
        Tool("lcoe", "levelised cost of electricity on the fuel of the plant's life", _SITE,
             ("lcoe_current", "lcoe_constant", "capital_usd", "operating_usd_per_year", "fuel_usd_per_year",
              "capacity_income_usd_per_mwh", "life_average_delivered_cost", "life_coverage", *_SHORT),
             analysed("site", "cash_flow", "plant_assumptions")),
        Tool("project", "delivered cost year by year", (*_SITE, Parameter("years", "integer", "years projected", required=True)),
             ("average_delivered_cost", "projection_years", "projection_last_cost", "projection_last_current_dollars",
              "projection_radius_km", "exhaustion_year", "life_average_delivered_cost", "life_last_year_cost", "life_radius_km",
              *_SHORT), analysed("projection", "projection")),
        Tool("sensitivity", "how far each assumption moves the cost",
             (*_SITE, _number("sensitivity_pct"), Parameter("assumption", "choice", "one alone", tuple(PARAMETERS))),
             ("average_delivered_cost", "lcoe_current", "sensitivity_pct", "largest_driver", "largest_driver_lcoe_swing",
              "largest_driver_lcoe_low", "largest_driver_lcoe_high", *_SHORT), analysed("sensitivity", "tornado", "sensitivity")),
        Tool("pareto", "cost against burn probability: the supply at every weight of fire, the knee, the most for an extra cost",
             (*_SITE, _number("max_extra_cost_pct")), TRADED, trade_cost_against_fire),
        Tool("max_capacity", "largest plant under a cap or a budget",
             (_PLACE, *_PLANT[2:], *_FILTERS, _number("radius_km"), *_PRICES, _number("budget_usd_per_year")),
             ("max_capacity_mw", "max_capacity_bdt", "average_delivered_cost", "last_ton_cost", "radius_km",
              "fuel_bill_usd_per_year", "budget_usd_per_year", "max_cost_usd_per_bdt"), analysed("max_capacity", "supply_curve")),
        Tool("compare", "places, or ways of supplying a plant at them, side by side",
             (Parameter("places", "text", "places as in geocode, a semicolon between them", required=True),
              Parameter("vary", "choice", "what differs between the options at each place", tuple(VARIED)),
              Parameter("values", "text", "its values, a semicolon between them"), *_SITE[1:]), COMPARED, compare_options),
        Tool("search", "the best sites, or plants that share no fuel, in an area or in the whole layer set",
             (Parameter("area", "text", "counties, forests, regions or places as in geocode, a semicolon between them"),
              Parameter("kind", "choice", "best sites, or a portfolio of plants that share no fuel", KINDS),
              Parameter("site_count", "integer", QUANTITIES["site_count"].meaning),
              Parameter("site_candidates", "choice", "what points a plant may stand on", CANDIDATES),
              _number("min_separation_km"), _number("max_site_slope_pct"), _number("max_km_to_road"), _number("max_km_to_substation"),
              _number("max_km_to_plant"), _number("min_average_burn_probability"), *_SITE[1:]), FOUND, search_sites),
        Tool("lookup", "what the forest of areas holds, who owns it, what it costs at the landing, who else buys wood there",
             (Parameter("areas", "text", "counties, forests, regions or places as in geocode, a semicolon between them; all where "
                        "left out"), *_FILTERS, _number("radius_km"), _number("moisture_pct"),
              Parameter("availability", "choice", "physical potential, or what can be had in practice", AVAILABILITIES)),
             COUNTED, lookup_areas),
        Tool("explain_method", "what the documentation says about method",
             (Parameter("question", "text", "what to explain", required=True),), (), explain_method),
    )
}  # fmt: skip
"""Every tool there is; nothing else can be called."""


def tool_list() -> list[dict[str, Any]]:
    """Name, meaning, schema of the arguments and units of the values of every tool."""
    return [
        {"name": t.name, "description": t.meaning, "parameters": t.schema(), "returns": t.units()}
        for t in TOOLS.values()
    ]
