"""What the plant of a question needs in a year."""

from __future__ import annotations

from dataclasses import dataclass

from csrag.ask.computation.demand import (
    PlantPerformance,
    capacity_mw_for,
    check_capacity,
    demand_bdt,
    generation_mwh,
    performance,
)
from csrag.ask.records import DEFAULT_CAPACITY_MW, SitingQuery
from csrag.quantities import check


@dataclass(frozen=True)
class Need:
    """What the plant needs in a year.

    Parameters
    ----------
    capacity_mw : float or None
        [MW]; None where the question names tons.
    demand_bdt : float
        [BDT per year]
    generation_mwh : float
        [MWh per year]
    plant : PlantPerformance
        Conversion figures.
    basis : str
        How the demand came about.
    """

    capacity_mw: float | None
    demand_bdt: float
    generation_mwh: float
    plant: PlantPerformance
    basis: str


def need_of(query: SitingQuery) -> Need:
    """Demand of a question: its tons, or those of its capacity, or those of the default 25 MW.

    Raises
    ------
    InvalidValueError
        For a capacity or demand out of range.
    """
    plant = performance(query.technology, query.overrides)
    if query.demand_bdt is not None and query.capacity_mw is None:
        demand = check("demand_bdt", query.demand_bdt)
        return Need(None, demand, generation_mwh(capacity_mw_for(demand, plant), plant), plant, "the demand as asked")
    low_high = query.capacity_range_mw
    middle = sum(low_high) / 2 if low_high else DEFAULT_CAPACITY_MW
    capacity = check_capacity(query.capacity_mw if query.capacity_mw is not None else middle)
    return Need(
        capacity, demand_bdt(capacity, plant), generation_mwh(capacity, plant), plant,
        f"{capacity:g} MW x 8760 h x {plant.capacity_factor_pct:g} % at {plant.efficiency_pct:g} % efficiency on "
        "18.608 GJ per dry tonne (HHV)",
    )  # fmt: skip


def plant_capacity_mw(need: Need) -> float:
    """Capacity of the plant [MW]: as asked, or what the tons asked for keep running."""
    return need.capacity_mw if need.capacity_mw is not None else capacity_mw_for(need.demand_bdt, need.plant)
