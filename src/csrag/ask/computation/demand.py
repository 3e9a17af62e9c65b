"""What a plant burns in a year, and what capacity an amount of fuel supports. The one place for either figure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from csrag.errors import InvalidValueError
from csrag.quantities import (
    HHV_GJ_PER_BDMT,
    HOURS_PER_YEAR,
    QUANTITIES,
    TONNE_PER_SHORT_TON,
    TRUCK_PAYLOAD_GT,
    bdt_to_gt,
    check,
)

MJ_PER_KWH = 3.6
WORKING_DAYS = 250


@dataclass(frozen=True)
class PlantPerformance:
    """Conversion figures of one technology, all in percent.

    Parameters
    ----------
    efficiency_pct : float
        Net station efficiency on the higher heating value [percent].
    capacity_factor_pct : float
        Share of the year at full load [percent].
    gas_efficiency_pct : float
        Fuel-to-gas efficiency [percent]; 100 where there is no gasifier.
    dual_fuel_pct : float
        Share of fuel energy from heavy diesel [percent].
    """

    efficiency_pct: float
    capacity_factor_pct: float
    gas_efficiency_pct: float = 100.0
    dual_fuel_pct: float = 0.0


DEFAULT_PERFORMANCE: dict[str, PlantPerformance] = {
    "combustion": PlantPerformance(20.0, 80.0),
    "chp": PlantPerformance(20.0, 80.0),
    "gasification": PlantPerformance(23.0, 80.0, 65.0, 20.0),
}
"""Defaults of the generic power-only, heat-and-power and gasification models (FRREDSS, `@ucdavis/tea` 1.4.3)."""


def performance(technology: str, overrides: Mapping[str, float]) -> PlantPerformance:
    """Performance of a technology with the user's values put in.

    Parameters
    ----------
    technology : str
        combustion, chp or gasification.
    overrides : mapping
        The user's values; only those that concern conversion are read [percent].

    Raises
    ------
    InvalidValueError
        For an unknown technology or a value out of range.
    """
    if technology not in DEFAULT_PERFORMANCE:
        known = ", ".join(DEFAULT_PERFORMANCE)
        raise InvalidValueError(f"There is no technology {technology!r}.", f"Choose one of {known}.")
    base = DEFAULT_PERFORMANCE[technology]
    picked = {
        name: check(name, overrides[name]) if name in overrides else getattr(base, name)
        for name in ("efficiency_pct", "capacity_factor_pct", "gas_efficiency_pct", "dual_fuel_pct")
    }
    return PlantPerformance(**picked)


def generation_mwh(capacity_mw: float, plant: PlantPerformance) -> float:
    """Net electricity in a year [MWh] of `capacity_mw` [MW] at the plant's capacity factor."""
    return capacity_mw * HOURS_PER_YEAR * plant.capacity_factor_pct / 100


def _bdt_per_mwh(plant: PlantPerformance) -> float:
    useful = plant.efficiency_pct / 100 * plant.gas_efficiency_pct / 100
    bdmt = MJ_PER_KWH * (1 - plant.dual_fuel_pct / 100) / (useful * HHV_GJ_PER_BDMT)
    return bdmt / TONNE_PER_SHORT_TON


def demand_bdt(capacity_mw: float, plant: PlantPerformance) -> float:
    """Fuel burned in a year.

    Parameters
    ----------
    capacity_mw : float
        Net capacity [MW].
    plant : PlantPerformance
        Conversion figures [percent].

    Returns
    -------
    float
        Demand [BDT per year]; 25 MW of combustion burn 186,815. Moisture does not enter: the heating value is taken
        on the higher basis (HHV 18.608 GJ per dry tonne).
    """
    return generation_mwh(capacity_mw, plant) * _bdt_per_mwh(plant)


def capacity_mw_for(bdt_per_year: float, plant: PlantPerformance) -> float:
    """Capacity [MW] that `bdt_per_year` [BDT per year] keeps running; the inverse of `demand_bdt`."""
    return bdt_per_year / (HOURS_PER_YEAR * plant.capacity_factor_pct / 100 * _bdt_per_mwh(plant))


def truck_loads(bdt_per_year: float, moisture_pct: float) -> int:
    """Chip-truck loads in a year: green tons over the payload of 25 GT, nearest whole.

    Parameters
    ----------
    bdt_per_year : float
        Demand [BDT per year].
    moisture_pct : float
        Moisture, wet basis [percent].
    """
    return round(bdt_to_gt(bdt_per_year, moisture_pct) / TRUCK_PAYLOAD_GT)


def check_capacity(capacity_mw: float) -> float:
    """Return the capacity [MW] if it is one a biomass plant can have.

    Raises
    ------
    InvalidValueError
        Outside 0.1 to 200 MW; a value a thousand times too large is read as a unit slip and the likely meaning is said.
    """
    low, high = QUANTITIES["capacity_mw"].low, QUANTITIES["capacity_mw"].high
    if low <= capacity_mw <= high:
        return capacity_mw
    fix = f"Capacity must lie between {low:g} and {high:g} MW."
    if capacity_mw > high and low <= capacity_mw / 1000 <= high:
        fix += f" Did you mean {capacity_mw / 1000:g} MW?"
    elif 0 < capacity_mw < low and low <= capacity_mw * 1000 <= high:
        fix += f" Did you mean {capacity_mw * 1000:g} MW?"
    elif capacity_mw < 0 and low <= -capacity_mw <= high:
        fix += f" Did you mean {-capacity_mw:g} MW?"
    raise InvalidValueError(f"{capacity_mw:,g} MW is not a capacity this system can plan for.", fix)
