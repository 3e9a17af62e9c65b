"""Values of intervals and draws: unit and label of each."""

from __future__ import annotations

# id: (unit, label)
TABLE: dict[str, tuple[str, str]] = {
    "interval_level_pct": ("percent", "level of the intervals"),
    "interval_basis": ("text", "whose errors the intervals hold"),
    "average_haul_cost_low": ("usd_per_bdt", "average haul cost, low end of its interval"),
    "average_haul_cost_high": ("usd_per_bdt", "average haul cost, high end of its interval"),
    "average_delivered_cost_low": ("usd_per_bdt", "average delivered cost, low end of its interval"),
    "average_delivered_cost_high": ("usd_per_bdt", "average delivered cost, high end of its interval"),
    "last_ton_cost_low": ("usd_per_bdt", "last ton, low end of its interval"),
    "last_ton_cost_high": ("usd_per_bdt", "last ton, high end of its interval"),
    "life_average_delivered_cost_low": ("usd_per_bdt", "average delivered cost over the life, low end of its interval"),
    "life_average_delivered_cost_high": (
        "usd_per_bdt",
        "average delivered cost over the life, high end of its interval",
    ),
    "lcoe_current_low": ("usd_per_mwh", "levelised cost of electricity, current dollars, low end of its interval"),
    "lcoe_current_high": ("usd_per_mwh", "levelised cost of electricity, current dollars, high end of its interval"),
    "draws": ("count", "draws of the measured errors"),
    "draws_standard_error_pct": ("percent_value", "largest standard error of a share of draws"),
    "cheapest_draws_pct": ("percent", "share of draws in which no other is cheaper"),
    "cheaper_draws_pct": ("percent", "share of draws in which the best is cheaper than this one"),
    "difference_low": ("usd_per_bdt", "difference of delivered cost to the best, low end of its interval"),
    "difference_high": ("usd_per_bdt", "difference of delivered cost to the best, high end of its interval"),
}
