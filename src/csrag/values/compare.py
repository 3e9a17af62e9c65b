"""Values of comparisons: unit and label of each."""

from __future__ import annotations

# id: (unit, label). All but the first five belong to one option and stand under its number: `option_2_rank`.
TABLE: dict[str, tuple[str, str]] = {
    "compared_options": ("count", "options compared"),
    "answered_options": ("count", "options with figures"),
    "tied_options": ("count", "options that tie for first"),
    "comparison_measure": ("text", "what the options are ranked by"),
    "best_option": ("text", "first option by rank; one of several where options tie for first"),
    "place_name": ("text", "place of the option"),
    "variant": ("text", "what sets the option apart at its place"),
    "option_status": ("text", "whether the option has figures"),
    "rank": ("count", "rank; options that tie share one"),
    "lcoe_rank": ("count", "rank by levelised cost of electricity; options that tie share one"),
    "difference_to_first": ("usd_per_bdt", "average delivered cost over the first option's"),
    "difference_to_first_pct": ("percent_tenth", "average delivered cost over the first option's"),
    "ratio_to_first": ("ratio_2", "average delivered cost as a multiple of the first option's"),
    "difference_to_best": ("usd_per_bdt", "average delivered cost over the cheapest option's"),
    "difference_to_best_pct": ("percent_tenth", "average delivered cost over the cheapest option's"),
    "ratio_to_best": ("ratio_2", "average delivered cost as a multiple of the cheapest option's"),
    "harvest_difference": ("usd_per_bdt", "average harvest cost over the cheapest option's"),
    "haul_difference": ("usd_per_bdt", "average haul cost over the cheapest option's"),
    "unloading_difference": ("usd_per_bdt", "unloading over the cheapest option's"),
    "move_in_difference": ("usd_per_bdt", "move-in over the cheapest option's"),
    "tie_margin": ("usd_per_bdt", "difference to the cheapest option up to which the two tie"),
    "life_difference_to_best": ("usd_per_bdt", "delivered cost over the life, over the lowest of the options"),
    "life_tie_margin": ("usd_per_bdt", "difference to the lowest cost over the life up to which the two tie"),
    "lcoe_difference_to_first": ("usd_per_mwh", "levelised cost of electricity over the first option's"),
    "lcoe_difference_to_best": ("usd_per_mwh", "levelised cost of electricity over the lowest of the options"),
    "lcoe_difference_to_best_pct": ("percent_tenth", "levelised cost of electricity over the lowest of the options"),
    "lcoe_ratio_to_best": ("ratio_2", "levelised cost of electricity as a multiple of the lowest of the options"),
    "lcoe_tie_margin": ("usd_per_mwh", "difference to the lowest cost of electricity up to which the two tie"),
    "burn_ratio_to_least": ("ratio", "burn probability of what is taken over the lowest of the options"),
    "cost_error": ("usd_per_bdt", "error of the average delivered cost, to either side"),
}
