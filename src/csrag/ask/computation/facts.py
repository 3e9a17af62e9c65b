"""Labels and units of every value of an answer, and the builder that stage 3 fills."""

from __future__ import annotations

import math
from typing import Any

from csrag.ask.results import Analysis, Caveat, Fact, Table, unique_caveats
from csrag.errors import InternalError

# id: (unit, label). The ids of the contract come first; further ids follow the same style.
VALUES: dict[str, tuple[str, str]] = {
    "demand_bdt": ("bdt_per_year", "fuel demand"),
    "generation_mwh": ("mwh_per_year", "net generation"),
    "radius_km": ("km", "procurement radius"),
    "candidate_clusters": ("clusters", "candidate clusters"),
    "selected_clusters": ("clusters", "clusters taken"),
    "feedstock_available_bdt": ("bdt", "feedstock of all candidates"),
    "feedstock_selected_bdt": ("bdt", "feedstock of the selection"),
    "average_delivered_cost": ("usd_per_bdt", "average delivered cost"),
    "average_harvest_cost": ("usd_per_bdt", "average harvest cost"),
    "average_haul_cost": ("usd_per_bdt", "average haul cost"),
    "unloading_cost": ("usd_per_bdt", "unloading"),
    "move_in_cost": ("usd_per_bdt", "move-in"),
    "last_ton_cost": ("usd_per_bdt", "last ton, the dearest cluster taken"),
    "mean_burn_probability": ("per_year", "annual burn probability of what is taken"),
    "baseline_burn_probability": ("per_year", "annual burn probability of the cost-only selection"),
    "lcoe_current": ("usd_per_mwh", "levelised cost of electricity, current dollars"),
    "lcoe_constant": ("usd_per_mwh", "levelised cost of electricity, constant dollars"),
    "treated_acres": ("acres", "acres treated in the year"),
    "truck_loads": ("loads_per_year", "truck loads"),
    "coproduct_gt": ("gt", "saw logs that come with it"),
    "fire_price_usd_per_bdt_per_pct": ("usd_per_bdt_per_pct", "what the fire weight pays"),
    "data_edge_share": ("share", "share of the circle outside the data"),
    "life_average_delivered_cost": ("usd_per_bdt", "average delivered cost over the plant's life"),
    "life_last_year_cost": ("usd_per_bdt", "delivered cost in the last year"),
    "life_radius_km": ("km", "radius reached over the plant's life"),
    "life_coverage": ("share", "feedstock in reach over need, plant's life"),
    # further values
    "capacity_mw": ("mw", "capacity"),
    "demand_gt": ("gt_per_year", "fuel demand, green"),
    "demand_bdmt": ("bdmt_per_year", "fuel demand, bone-dry metric"),
    "radius_miles": ("miles", "procurement radius"),
    "clusters_in_circle": ("clusters", "forest clusters inside the circle"),
    "supply_ratio": ("ratio", "candidate feedstock over one year's demand"),
    "average_delivered_cost_usd_per_gt": ("usd_per_gt", "average delivered cost, green"),
    "cost_only_average_delivered_cost": ("usd_per_bdt", "average delivered cost of the cost-only selection"),
    "fire_extra_cost": ("usd_per_bdt", "extra cost over the cost-only selection"),
    "burn_probability_ratio": ("ratio", "burn probability taken over the cost-only selection's"),
    "burn_chance_20_years_pct": ("percent", "chance of burning at least once in 20 years, what is taken"),
    "baseline_burn_chance_20_years_pct": (
        "percent",
        "chance of burning at least once in 20 years, cost-only selection",
    ),
    "fire_horizon_years": ("years", "years that the chance of burning looks ahead"),
    "high_hazard_acres": ("acres", "acres in the high and very high hazard class"),
    "fire_weight_pct": ("percent", "weight of fire in the score"),
    "truck_loads_per_day": ("loads_per_day", "truck loads a working day"),
    "mean_road_km": ("km", "mean road distance, one way"),
    "mean_road_miles": ("miles", "mean road distance, one way"),
    "coproduct_bdt": ("bdt", "saw logs that come with it, bone dry"),
    "treatment_cost_usd_per_acre": ("usd_per_acre", "cost of the whole treatment"),
    "harvest_cost_usd_per_gt": ("usd_per_gt", "harvest cost, green"),
    "unknown_burn_probability_pct": ("percent", "share of the selected tons with unknown burn probability"),
    "fallback_circuity_pct": ("percent", "share of the selected tons on the fallback circuity"),
    "largest_capacity_mw": ("mw", "largest plant this supply keeps running"),
    "obtainable_bdt": ("bdt_per_year", "fuel that can be had"),
    "radius_needed_km": ("km", "smallest radius that holds the demand"),
    "cheapest_ton_cost": ("usd_per_bdt", "delivered cost of the cheapest cluster in the circle"),
    "pool_average_cost": ("usd_per_bdt", "average delivered cost if every candidate were taken"),
    "obtainable_average_cost": ("usd_per_bdt", "average delivered cost of all that can be had"),
    "protected_excluded_bdt": ("bdt", "feedstock in parks and wilderness, left out"),
    "nothing_to_remove_pct": ("percent", "share of clusters in the circle with nothing to remove"),
    "life_years": ("years", "life of the plant"),
    "life_acres_per_year": ("acres_per_year", "acres treated in a mean year of the plant's life"),
    "life_average_current_dollars": ("usd_per_bdt", "average delivered cost over the life, dollars of each year"),
    "projection_years": ("years", "years projected"),
    "projection_last_cost": ("usd_per_bdt", "delivered cost in the last year projected, dollars of year one"),
    "projection_last_current_dollars": (
        "usd_per_bdt",
        "delivered cost in the last year projected, dollars of that year",
    ),
    "projection_radius_km": ("km", "radius in the last year projected"),
    "projection_radius_miles": ("miles", "radius in the last year projected"),
    "exhaustion_year": ("year_number", "first year whose demand is not met"),
    "first_year_past_40_km": ("year_number", "first year whose circle is wider than 40 km"),
    "escalation_pct": ("percent_1", "escalation of every price a year"),
    "capital_usd": ("usd", "capital cost of the plant"),
    "operating_usd_per_year": ("usd_per_year", "yearly costs other than fuel"),
    "fuel_usd_per_year": ("usd_per_year", "fuel cost of year one"),
    "capacity_payment_usd_per_kw_y": ("usd_per_kw_year", "capacity payment assumed"),
    "capacity_income_usd_per_mwh": ("usd_per_mwh", "what the capacity payment takes off"),
    "production_tax_credit_usd_per_mwh": ("usd_per_mwh", "production tax credit assumed"),
    "heat_income_usd_per_mwh": ("usd_per_mwh", "heat sales of year one"),
    "char_income_usd_per_mwh": ("usd_per_mwh", "char sales of year one"),
    "dual_fuel_usd_per_mwh": ("usd_per_mwh", "heavy diesel of year one"),
    "lcoe_usd_per_mwh_per_usd_per_bdt": ("usd_per_mwh", "change of the levelised cost for each dollar per BDT"),
    "sensitivity_pct": ("percent", "how far each assumption is moved to either side"),
    "largest_driver": ("text", "assumption that moves electricity most"),
    "largest_driver_lcoe_swing": ("usd_per_mwh", "swing of electricity by the largest driver"),
    "largest_driver_lcoe_low": ("usd_per_mwh", "electricity at the low value of the largest driver"),
    "largest_driver_lcoe_high": ("usd_per_mwh", "electricity at the high value of the largest driver"),
    "largest_driver_low_value": ("text", "low value of the largest driver"),
    "largest_driver_high_value": ("text", "high value of the largest driver"),
    "second_driver": ("text", "assumption that moves electricity second most"),
    "second_driver_lcoe_swing": ("usd_per_mwh", "swing of electricity by the second driver"),
    "smallest_driver": ("text", "assumption that moves electricity least"),
    "smallest_driver_lcoe_swing": ("usd_per_mwh", "swing of electricity by the smallest driver"),
    "largest_fuel_driver": ("text", "assumption that moves delivered cost most"),
    "largest_fuel_driver_swing": ("usd_per_bdt", "swing of delivered cost by its largest driver"),
    "largest_fuel_driver_delivered_low": ("usd_per_bdt", "delivered cost at the low value of its largest driver"),
    "largest_fuel_driver_delivered_high": ("usd_per_bdt", "delivered cost at the high value of its largest driver"),
    "largest_fuel_driver_low_value": ("text", "low value of the largest driver of delivered cost"),
    "largest_fuel_driver_high_value": ("text", "high value of the largest driver of delivered cost"),
    "sweep_parameter": ("text", "assumption that is swept"),
    "sweep_values": ("values", "values along the sweep"),
    "sweep_from": ("text", "lowest value of the sweep"),
    "sweep_to": ("text", "highest value of the sweep"),
    "sweep_first_delivered_cost": ("usd_per_bdt", "delivered cost at the lowest value of the sweep"),
    "sweep_last_delivered_cost": ("usd_per_bdt", "delivered cost at the highest value of the sweep"),
    "sweep_first_lcoe": ("usd_per_mwh", "electricity at the lowest value of the sweep"),
    "sweep_last_lcoe": ("usd_per_mwh", "electricity at the highest value of the sweep"),
    "power_price_usd_per_mwh": ("usd_per_mwh", "price that the electricity is sold at"),
    "price_escalation_pct": ("percent_1", "growth of the power price"),
    "equity_return_pct": ("percent_value", "return on equity"),
    "margin_usd_per_mwh": ("usd_per_mwh", "margin over the levelised cost"),
    "margin_usd_per_year": ("usd_per_year", "margin over the levelised cost, a year"),
    "cash_margin_usd_per_year": ("usd_per_year", "cash margin of year one"),
    "simple_payback_years": ("years_1", "simple payback of the capital"),
    "npv_usd": ("usd", "net present value to the owners"),
    "break_even_price_usd_per_mwh": ("usd_per_mwh", "power price that breaks even"),
    "subsidy_usd_per_bdt": ("usd_per_bdt", "subsidy on the fuel"),
    "subsidy_usd_per_year": ("usd_per_year", "subsidy on the fuel, a year"),
    "net_delivered_cost": ("usd_per_bdt", "average delivered cost less the subsidy"),
    "life_net_delivered_cost": ("usd_per_bdt", "delivered cost over the plant's life less the subsidy"),
    "lcoe_with_subsidy_current": ("usd_per_mwh", "levelised cost of electricity with the subsidy, current dollars"),
    "lcoe_with_subsidy_constant": ("usd_per_mwh", "levelised cost of electricity with the subsidy, constant dollars"),
    "lcoe_change_by_subsidy": ("usd_per_mwh", "what the subsidy takes off the levelised cost"),
    "subsidy_to_break_even_usd_per_bdt": ("usd_per_bdt", "subsidy at which the power price breaks even"),
    "subsidy_to_break_even_usd_per_year": ("usd_per_year", "subsidy at which the power price breaks even, a year"),
    "line_usd": ("usd", "power line, in the capital"),
    "line_km": ("km", "length of the power line"),
    "line_miles": ("miles", "length of the power line"),
    "line_usd_per_mwh": ("usd_per_mwh", "what the power line adds to the levelised cost, current dollars"),
    "lcoe_without_line_current": (
        "usd_per_mwh",
        "levelised cost of electricity without the power line, current dollars",
    ),
    "lcoe_without_line_constant": (
        "usd_per_mwh",
        "levelised cost of electricity without the power line, constant dollars",
    ),
    "lcfs_standard_g_per_mj": ("g_per_mj", "low-carbon fuel standard for diesel"),
    "lcfs_intensity_g_per_mj": ("g_per_mj", "lowest carbon intensity of the years, biogenic CO2 included"),
    "lcfs_credit_usd": ("usd", "low-carbon fuel credits over the life"),
    "lcfs_usd_per_mwh": ("usd_per_mwh", "levelised low-carbon fuel credit"),
    "lcoe_with_lcfs_current": ("usd_per_mwh", "levelised cost of electricity less the fuel credit, current dollars"),
    "reentry_years": ("years", "years after which a cluster may be treated again"),
    "reentered_clusters": ("clusters", "clusters treated again over the plant's life"),
    "other_plants_count": ("count", "other plants that draw wood from the reach"),
    "other_plants_demand_bdt": ("bdt_per_year", "wood that other plants draw from the reach"),
    "other_plants_taken_bdt": ("bdt", "wood that other plants take in year one"),
    "burn_loss_pct": ("percent", "share of its tons that a burned cluster loses"),
    "burn_repeats": ("count", "repeats of the fires"),
    "burn_exhausted_pct": ("percent", "share of the repeats whose supply ends within the plant's life"),
    "life_average_cost_p05": ("usd_per_bdt", "average delivered cost over the life, low end of the repeats"),
    "life_average_cost_p50": ("usd_per_bdt", "average delivered cost over the life, middle of the repeats"),
    "life_average_cost_p95": ("usd_per_bdt", "average delivered cost over the life, high end of the repeats"),
    "life_last_year_p05": ("usd_per_bdt", "delivered cost in the last year supplied, low end of the repeats"),
    "life_last_year_p50": ("usd_per_bdt", "delivered cost in the last year supplied, middle of the repeats"),
    "life_last_year_p95": ("usd_per_bdt", "delivered cost in the last year supplied, high end of the repeats"),
    "exhaustion_year_p05": ("year_number", "first year whose demand is not met, early end of the repeats"),
    "exhaustion_year_p50": ("year_number", "first year whose demand is not met, middle of the repeats"),
    "exhaustion_year_p95": ("year_number", "first year whose demand is not met, late end of the repeats"),
    "burned_bdt_p05": ("bdt", "feedstock that fires take over the years, low end of the repeats"),
    "burned_bdt_p50": ("bdt", "feedstock that fires take over the years, middle of the repeats"),
    "burned_bdt_p95": ("bdt", "feedstock that fires take over the years, high end of the repeats"),
    "co2_kg_per_mwh": ("kg_per_mwh", "CO2, biogenic CO2 included"),
    "conversion_co2_kg_per_mwh": ("kg_per_mwh", "CO2 of the conversion, biogenic CO2 included"),
    "supply_co2_kg_per_mwh": ("kg_per_mwh", "CO2 of harvest, haul and unloading"),
    "construction_co2_kg_per_mwh": ("kg_per_mwh", "CO2 of the construction, spread over the life"),
    "global_warming_kg_per_mwh": ("kg_co2e_per_mwh", "global warming, biogenic CO2 included"),
    "carbon_intensity_g_per_mj": ("g_per_mj", "carbon intensity of the electricity, biogenic CO2 included"),
    "harvest_diesel_gal_per_mwh": ("gal_per_mwh", "diesel of the harvest"),
    "harvest_gasoline_gal_per_mwh": ("gal_per_mwh", "gasoline of the harvest"),
    "harvest_jet_fuel_gal_per_mwh": ("gal_per_mwh", "jet fuel of helicopters"),
    "unload_diesel_gal_per_mwh": ("gal_per_mwh", "diesel of unloading"),
    "truck_miles_per_mwh": ("miles_per_mwh", "truck travel, out and back"),
    "nox_g_per_mwh": ("g_per_mwh", "nitrogen oxides"),
    "pm25_g_per_mwh": ("g_per_mwh", "fine particles"),
    "sox_g_per_mwh": ("g_per_mwh", "sulfur oxides"),
    "max_capacity_mw": ("mw", "largest plant"),
    "max_capacity_bdt": ("bdt_per_year", "fuel of the largest plant"),
    "budget_usd_per_year": ("usd_per_year", "fuel budget"),
    "fuel_bill_usd_per_year": ("usd_per_year", "fuel bill of the largest plant"),
    "plants_in_circle_bdt": ("bdt_per_year", "forest wood that other plants in the circle are assumed to burn"),
    "range_low_capacity_mw": ("mw", "low end of the range"),
    "range_high_capacity_mw": ("mw", "high end of the range"),
    "range_low_average_delivered_cost": ("usd_per_bdt", "average delivered cost at the low end"),
    "range_high_average_delivered_cost": ("usd_per_bdt", "average delivered cost at the high end"),
    "range_low_lcoe_current": ("usd_per_mwh", "levelised cost at the low end, current dollars"),
    "range_high_lcoe_current": ("usd_per_mwh", "levelised cost at the high end, current dollars"),
    "moisture_pct": ("percent", "moisture as delivered"),
    "max_cost_usd_per_bdt": ("usd_per_bdt", "cost cap"),
}
NO_SUPPLY = "the demand is not met, so there is no selection to take an average over"


class Ledger:
    """Collects facts, tables and caveats of one analysis; refuses NaN and unnamed values."""

    def __init__(self) -> None:
        self.facts: dict[str, Fact] = {}
        self.tables: dict[str, Table] = {}
        self._caveats: list[Caveat] = []

    @classmethod
    def of(cls, analysis: Analysis) -> Ledger:
        """A ledger that starts with the facts and tables of an analysis."""
        ledger = cls()
        ledger.facts, ledger.tables = dict(analysis.facts), dict(analysis.tables)
        return ledger

    def put(self, value_id: str, value: Any, basis: str = "", label: str = "") -> None:
        """Record a value under its id.

        Parameters
        ----------
        value_id : str
            One of `VALUES`.
        value : float, int, str or None
            None needs a `basis` that says why.
        basis : str
            How it was computed.
        label : str
            What it is, where the table's own words have to be narrowed.

        Raises
        ------
        InternalError
            For an id that is not in the table, a non-finite number, or a null without a reason.
        """
        if value_id not in VALUES:
            raise InternalError(f"Value id {value_id!r} is not in the table of values.")
        unit, usual = VALUES[value_id]
        if isinstance(value, float) and not math.isfinite(value):
            raise InternalError(f"Value {value_id!r} came out as {value}.", "Please report this question.")
        if value is None and not basis:
            raise InternalError(f"Value {value_id!r} is missing without a reason.")
        if value is not None and not isinstance(value, (int, str)):
            value = float(value)
        self.facts[value_id] = Fact(value, unit, label or usual, basis)

    def table(self, name: str, columns: tuple[str, ...], rows: list[tuple[Any, ...]], note: str = "") -> None:
        """Record a table."""
        self.tables[name] = Table(columns, tuple(rows), note)

    def caveat(self, code: str, message: str) -> None:
        """Record a caveat."""
        self._caveats.append(Caveat(code, message))

    @property
    def caveats(self) -> tuple[Caveat, ...]:
        """Caveats in order, without repeats."""
        return unique_caveats(self._caveats)

    def fill_missing(self, ids: tuple[str, ...], basis: str) -> None:
        """Give every id that has no value yet a null with a reason."""
        for value_id in ids:
            if value_id not in self.facts:
                self.put(value_id, None, basis)


SITE_VALUES = tuple(list(VALUES)[:26])
"""Ids that the contract promises for `site`."""
