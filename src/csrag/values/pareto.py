"""Values of the trade-off of cost against fire: unit and label of each."""

from __future__ import annotations

_POINTS = {
    "within": "most likely to burn within the extra cost",
    "knee": "knee of the trade-off",
    "most_fire": "dear end of the trade-off",
}
_OF_POINT: dict[str, tuple[str, str]] = {
    "fire_weight_pct": ("percent", "weight of fire"),
    "average_delivered_cost": ("usd_per_bdt", "average delivered cost"),
    "extra_cost": ("usd_per_bdt", "extra cost over the cost-only supply"),
    "extra_cost_pct": ("percent_tenth", "extra cost over the cost-only supply"),
    "last_ton_cost": ("usd_per_bdt", "last ton"),
    "burn_probability": ("per_year", "annual burn probability"),
    "burn_chance_20_years_pct": ("percent", "chance of burning at least once in 20 years"),
    "burn_probability_ratio": ("ratio_2", "burn probability over the cost-only supply's"),
    "high_hazard_acres": ("acres", "acres in the high hazard classes"),
    "weight_price_usd_per_bdt_per_pct": ("usd_per_bdt_per_pct", "what the weight pays"),
    "step_price_usd_per_bdt_per_pct": ("usd_per_bdt_per_pct", "what the last step to it costs"),
}
# id: (unit, label)
TABLE: dict[str, tuple[str, str]] = {
    "pareto_weights": ("count", "fire weights tried"),
    "pareto_supplies": ("supplies", "different supplies"),
    "front_supplies": ("count", "supplies that no other beats in cost and burn probability"),
    "max_extra_cost_pct": ("percent_value", "what fire may cost beyond the cost-only supply"),
    "cost_only_burn_probability": ("per_year", "annual burn probability of the cost-only supply"),
    "cost_only_burn_chance_20_years_pct": ("percent", "chance of burning at least once in 20 years, cost-only supply"),
    "cost_only_high_hazard_acres": ("acres", "acres in the high hazard classes, cost-only supply"),
    "front_first_step_price": ("usd_per_bdt_per_pct", "first step of the trade-off"),
    "front_last_step_price": ("usd_per_bdt_per_pct", "last step of the trade-off"),
    **{
        f"{point}_{name}": (unit, f"{label}, {words}")
        for point, words in _POINTS.items()
        for name, (unit, label) in _OF_POINT.items()
    },
}
