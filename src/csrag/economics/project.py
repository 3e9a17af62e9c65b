"""The reference product's yearly loop: each year's delivered fuel cost and fuel use in place of the form's.

The power line is added to the capital once. Year by year, the fuel cost becomes delivered cost x tonnage (the form's
price and escalation are thereby unused), the carbon credit follows from that year's life cycle (the form's intensity is
unused), and a running cost of electricity is struck over the years so far: the last year's is the plant's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from csrag.economics.carbon import MJ_PER_KWH, credit_usd
from csrag.economics.cash_flow import CashFlowYear
from csrag.economics.finance import level_cost_usd_per_kwh, present_worth_usd, real_rate, recovery_factor
from csrag.economics.grid import MILES_PER_KM, LineCost, LineInputs, line_cost, with_length
from csrag.economics.inputs import PlantInputs
from csrag.economics.lca import LcaInputs, LcaResult, life_cycle
from csrag.economics.schema import ANY, NOT_NEGATIVE, Checked, Field
from csrag.economics.tea import TeaResult, evaluate
from csrag.errors import InvalidValueError

CPI_2002, CPI_2021 = 179.9, 270.97
"""US consumer price index, year averages (1982-84 = 100)."""

YEAR = (
    Field("feedstock_usd_per_bdmt", "feedstockCostPerDryTonne", "USD per BDMT", "delivered cost of the fuel", ANY),
    Field("feedstock_bdmt", "dryFeedstockTonnes", "BDMT", "fuel bought in the year", NOT_NEGATIVE),
    Field("harvest_diesel_gal", "harvestDiesel", "gallon", "diesel of the harvest", NOT_NEGATIVE),
    Field("unload_diesel_gal", "unloadDiesel", "gallon", "diesel burned while unloading", NOT_NEGATIVE),
    Field("gasoline_gal", "gasoline", "gallon", "gasoline of the harvest", NOT_NEGATIVE),
    Field("jet_fuel_gal", "jetfuel", "gallon", "jet fuel of helicopters", NOT_NEGATIVE),
    Field("truck_km", "distanceKm", "km", "truck travel, out and back", NOT_NEGATIVE),
    Field("equipment_usd_2002", "equipmentPrice", "USD of 2002", "harvest machines bought in the year", NOT_NEGATIVE),
)


@dataclass(frozen=True, kw_only=True)
class ProjectYear(Checked):
    """What one year's supply costs and burns."""

    table: ClassVar[tuple[Field, ...]] = YEAR

    feedstock_usd_per_bdmt: float
    feedstock_bdmt: float
    harvest_diesel_gal: float
    unload_diesel_gal: float
    gasoline_gal: float
    jet_fuel_gal: float
    truck_km: float
    equipment_usd_2002: float


@dataclass(frozen=True, slots=True)
class ProjectRow:
    """One year of the loop."""

    calendar_year: int
    carbon_intensity_g_per_mj: float
    life_cycle: LcaResult
    cash_flow: CashFlowYear
    present_usd: float
    running_current_usd_per_kwh: float
    running_constant_usd_per_kwh: float


@dataclass(frozen=True, slots=True)
class Start:
    """The plant with its power line, before any year."""

    line: LineInputs
    line_cost: LineCost
    plant: PlantInputs
    tea: TeaResult


def start(plant: PlantInputs, line: LineInputs, distance_km: float) -> Start:
    """Put a power line of `distance_km` [km] into the plant's capital and run the plant."""
    stretched = with_length(line, distance_km)
    cost = line_cost(stretched)
    with_line = replace(plant, capital_usd=plant.capital_usd + cost.total_usd)
    return Start(stretched, cost, with_line, evaluate(with_line))


def yearly(begin: Start, years: Sequence[ProjectYear]) -> list[ProjectRow]:
    """Run the loop.

    Raises
    ------
    InvalidValueError
        If there are more years than the plant lives.
    """
    plant, generation = begin.plant, begin.tea.base.generation_kwh
    if len(years) > plant.economic_life_y:
        raise InvalidValueError(
            f"There are {len(years)} years of supply and the life is {plant.economic_life_y}.",
            "Give at most one entry for each year of the life.",
        )
    real = real_rate(plant.equity_return_pct, plant.general_inflation_pct)
    present, rows = 0.0, []
    for k, year in enumerate(years):
        cycle = life_cycle(_use(plant, generation, year, with_construction=k == 0))
        intensity = cycle.carbon_intensity_kg_per_kwh * 1000 / MJ_PER_KWH
        flow = _with_supply(plant, begin.tea.rows[k], generation, year, intensity)
        worth = present_worth_usd(flow.energy_revenue_usd, k + 1, plant.equity_return_pct)
        present += worth
        nominal_factor = recovery_factor(plant.equity_return_pct / 100, k + 1)
        rows.append(ProjectRow(
            calendar_year=plant.first_year + k,
            carbon_intensity_g_per_mj=intensity,
            life_cycle=cycle,
            cash_flow=flow,
            present_usd=worth,
            running_current_usd_per_kwh=level_cost_usd_per_kwh(present, nominal_factor, generation),
            running_constant_usd_per_kwh=level_cost_usd_per_kwh(present, recovery_factor(real, k + 1), generation),
        ))  # fmt: skip
    return rows


def _use(plant: PlantInputs, generation_kwh: float, year: ProjectYear, *, with_construction: bool) -> LcaInputs:
    """A year's use per kWh; the plant is built in the first year only."""
    construction_usd_2002 = plant.capital_usd / CPI_2021 * CPI_2002 if with_construction else 0.0
    return LcaInputs(
        technology=plant.model,
        harvest_diesel_gal_per_kwh=year.harvest_diesel_gal / generation_kwh,
        unload_diesel_gal_per_kwh=year.unload_diesel_gal / generation_kwh,
        gasoline_gal_per_kwh=year.gasoline_gal / generation_kwh,
        jet_fuel_gal_per_kwh=year.jet_fuel_gal / generation_kwh,
        truck_miles_per_kwh=year.truck_km * MILES_PER_KM / generation_kwh,
        construction_kusd_per_kwh=construction_usd_2002 / 1000 / generation_kwh,
        equipment_kusd_per_kwh=year.equipment_usd_2002 / 1000 / generation_kwh,
    )


def _with_supply(
    plant: PlantInputs, row: CashFlowYear, generation_kwh: float, year: ProjectYear, intensity_g_per_mj: float
) -> CashFlowYear:
    """A year's cash flow with its own fuel cost and carbon credit."""
    fuel = year.feedstock_usd_per_bdmt * year.feedstock_bdmt
    carbon = credit_usd(
        plant.first_year + row.year - 1, plant.first_year, plant.carbon_credit_usd_per_t, intensity_g_per_mj,
        plant.energy_economy_ratio, plant.general_inflation_pct, generation_kwh,
    )  # fmt: skip
    return row.with_fuel_and_credit(fuel, carbon, counted=plant.include_carbon_credit)
