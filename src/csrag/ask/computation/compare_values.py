"""Which values a comparison shows of each option, and how its columns are called."""

from __future__ import annotations

from collections.abc import Callable

from csrag.ask.records import SitingQuery
from csrag.values import unit_and_label

HEADLINES = (
    "capacity_mw", "demand_bdt", "generation_mwh", "radius_km", "candidate_clusters", "selected_clusters",
    "feedstock_available_bdt", "feedstock_selected_bdt", "average_delivered_cost", "average_harvest_cost",
    "average_haul_cost", "unloading_cost", "move_in_cost", "last_ton_cost", "mean_burn_probability", "treated_acres",
    "truck_loads", "mean_road_km", "coproduct_gt", "data_edge_share", "transport_mode", "transport_error_pct",
    "life_average_delivered_cost", "life_last_year_cost", "life_radius_km", "life_coverage", "lcoe_current", "lcoe_constant",
)  # fmt: skip
"""Values that every option has; null, with the reason, where it has no figures."""
SHORT = ("obtainable_bdt", "obtainable_average_cost", "largest_capacity_mw", "radius_needed_km")
"""Given where an option's demand is not met, or its cap or budget is exceeded."""
INTERVALS = tuple(
    f"{value_id}_{end}"
    for value_id in ("average_delivered_cost", "last_ton_cost", "lcoe_current", "life_average_delivered_cost")
    for end in ("low", "high")
)
_ASKED_ONLY: tuple[tuple[Callable[[SitingQuery], object], tuple[str, ...]], ...] = (
    (lambda q: q.fire_weight > 0, ("baseline_burn_probability", "burn_probability_ratio", "fire_extra_cost", "high_hazard_acres",
                                   "cost_only_average_delivered_cost", "fire_price_usd_per_bdt_per_pct")),
    (lambda q: q.years > 1, ("projection_last_cost", "projection_radius_km", "exhaustion_year")),
    (lambda q: q.burn_loss_pct is not None, ("life_average_cost_p05", "life_average_cost_p50", "life_average_cost_p95")),
    (lambda q: q.other_plants != "none", ("other_plants_count", "other_plants_demand_bdt", "other_plants_taken_bdt")),
    (lambda q: q.budget_usd_per_year is not None, ("fuel_bill_usd_per_year", "budget_usd_per_year")),
    (lambda q: q.max_cost_usd_per_bdt is not None, ("max_cost_usd_per_bdt",)),
    (lambda q: q.line_km is not None or q.line_to_substation, ("line_km", "line_usd", "line_usd_per_mwh",
                                                               "lcoe_without_line_current")),
    (lambda q: q.power_price_usd_per_mwh is not None, ("power_price_usd_per_mwh", "margin_usd_per_mwh", "margin_usd_per_year",
                                                       "cash_margin_usd_per_year", "simple_payback_years", "npv_usd",
                                                       "break_even_price_usd_per_mwh")),
    (lambda q: q.subsidy_usd_per_bdt is not None, ("subsidy_usd_per_bdt", "net_delivered_cost", "lcoe_with_subsidy_current")),
    (lambda q: q.emissions or q.include_lcfs, ("co2_kg_per_mwh", "supply_co2_kg_per_mwh", "carbon_intensity_g_per_mj")),
    (lambda q: q.include_lcfs, ("lcfs_credit_usd", "lcfs_usd_per_mwh")),
    (lambda q: q.capacity_range_mw is not None, ("range_low_capacity_mw", "range_low_average_delivered_cost",
                                                 "range_low_lcoe_current", "range_high_capacity_mw",
                                                 "range_high_average_delivered_cost", "range_high_lcoe_current")),
)  # fmt: skip
COLUMNS = (
    ("delivered_usd_per_bdt", "average_delivered_cost"), ("harvest_usd_per_bdt", "average_harvest_cost"),
    ("haul_usd_per_bdt", "average_haul_cost"), ("unloading_usd_per_bdt", "unloading_cost"),
    ("move_in_usd_per_bdt", "move_in_cost"), ("last_ton_usd_per_bdt", "last_ton_cost"),
    ("life_delivered_usd_per_bdt", "life_average_delivered_cost"), ("lcoe_usd_per_mwh", "lcoe_current"),
    ("lcoe_constant_usd_per_mwh", "lcoe_constant"), ("capacity_mw", "capacity_mw"), ("demand_bdt", "demand_bdt"),
    ("radius_km", "radius_km"), ("life_radius_km", "life_radius_km"), ("mean_road_km", "mean_road_km"),
    ("clusters", "selected_clusters"), ("treated_acres", "treated_acres"), ("burn_probability_per_year", "mean_burn_probability"),
    ("rank", "rank"), ("lcoe_rank", "lcoe_rank"), ("difference_to_first_usd_per_bdt", "difference_to_first"),
    ("difference_to_best_usd_per_bdt", "difference_to_best"), ("difference_to_best_pct", "difference_to_best_pct"),
    ("lcoe_difference_to_best_pct", "lcoe_difference_to_best_pct"), ("tie_margin_usd_per_bdt", "tie_margin"),
    ("cost_error_usd_per_bdt", "cost_error"),
)  # fmt: skip
DRAWN_COLUMNS = (
    ("best_cheaper_draws_pct", "cheaper_draws_pct"), ("difference_low_usd_per_bdt", "difference_low"),
    ("difference_high_usd_per_bdt", "difference_high"),
)  # fmt: skip
"""Columns of a comparison whose measured errors were drawn."""
COMPONENTS = {
    "harvest": "average_harvest_cost", "haul": "average_haul_cost", "unloading": "unloading_cost", "move_in": "move_in_cost",
}  # fmt: skip
"""Parts of the delivered cost; they add up to it."""
COMMON = ("capacity_mw", "demand_bdt", "demand_gt", "demand_bdmt", "generation_mwh", "truck_loads", "truck_loads_per_day",
          "moisture_pct", "fire_weight_pct", "transport_mode")  # fmt: skip
"""Said once, without a number, where every option has the same."""
BY_LCOE = frozenset({"technology", "capacity_mw", "demand_bdt", "capacity_range_mw", "line_km"})
"""Fields after which dollars a ton no longer tell which option is better: the plants differ."""
NOT_ANSWERED = {
    "outside_data_area": "it lies outside the area of the layers",
    "outside_california": "it lies outside California",
    "place_unknown": "no such place is known",
    "demand_not_met": "its demand is not met",
    "no_site_in_area": "no site of it finds enough fuel",
    "cap_not_met": "too little can be had under the cap",
}
"""Why an option has no figures, as a text says it."""


def ids_of(query: SitingQuery) -> tuple[str, ...]:
    """Values that an option of a question shows, beyond those every option has.

    Parameters
    ----------
    query : SitingQuery
        The option's own: what it asks for is shown.
    """
    return tuple(i for asked, ids in _ASKED_ONLY if asked(query) for i in ids)


def column_of(value_id: str) -> str:
    """Name of a value's column: its id with its unit, where it does not end on it."""
    unit = (unit_and_label(value_id) or ("", ""))[0]
    known = {"usd_per_bdt", "usd_per_mwh", "per_year", "acres", "years", "years_1"}
    suffix = unit.removesuffix("_1")
    return value_id if unit not in known or value_id.endswith(suffix) else f"{value_id}_{suffix}"
