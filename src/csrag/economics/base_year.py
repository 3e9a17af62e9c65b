"""Fuel, electricity and heat of the first year: boiler plants and gasifiers.

The higher heating value is taken as received, dry value times (1 - moisture), without the latent heat of the water.
Ash in percent of dry matter is applied to wet fuel, as in `@ucdavis/tea` 1.4.3; it touches no cost but sold char.
"""

from __future__ import annotations

from dataclasses import dataclass

from csrag.economics.inputs import ChpInputs, GpInputs, PlantInputs
from csrag.quantities import HOURS_PER_YEAR

SECONDS_PER_HOUR = 3600
KG_PER_T = 1000

HEAVY_DIESEL_KJ_PER_L = 45.5 * 850
"""45.5 MJ/kg (higher heating value) times 850 kg/m3 at 298 K."""
GAS_HHV_MJ_PER_KG = {"co": 10.1, "h2": 142.0, "ch4": 55.5}
GAS_LHV_MJ_PER_KG = {"co": 10.1, "h2": 120.0, "ch4": 50.0}
MOLAR_MASS = {"co": 28.0, "h2": 2.0, "ch4": 16.0, "co2": 44.0, "o2": 32.0, "n2": 28.0}
"""[g per mol], rounded as in the package."""


@dataclass(frozen=True, slots=True)
class Heat:
    """Heat of the first year."""

    produced_kw: float
    recovered_kw: float
    sales_kwh: float
    income_usd: float
    income_usd_per_kwh: float
    efficiency_gross_pct: float
    efficiency_net_pct: float


@dataclass(frozen=True, slots=True)
class Boiler:
    """First year of a boiler plant; gross figures equal net ones where the model has no gross capacity."""

    hours: float
    fuel_green_t: float
    fuel_green_t_per_h: float
    generation_kwh: float
    capital_usd_per_kw: float
    ash_t: float
    parasitic_kw: float = 0.0
    fuel_power_kw: float = 0.0
    gross_efficiency_pct: float = 0.0
    heat: Heat | None = None

    @property
    def dual_fuel_l(self) -> float:
        """A boiler burns no second fuel [litres]."""
        return 0.0

    @property
    def char_t(self) -> float:
        """A boiler sells no char [tonne of char, dry]."""
        return 0.0


@dataclass(frozen=True, slots=True)
class Gasifier:
    """First year of a gasifier with an engine."""

    hours: float
    fuel_green_t: float
    generation_kwh: float
    parasitic_kw: float
    net_efficiency_pct: float
    n2_pct: float
    gas_g_per_mol: float
    gas_kg_per_m3: float
    gas_hhv_kj_per_m3: float
    gas_lhv_kj_per_m3: float
    fuel_power_kw: float
    gas_power_kw: float
    dual_fuel_power_kw: float
    gas_m3_per_h: float
    gas_kg_per_h: float
    gas_t: float
    dual_fuel_l_per_h: float
    dual_fuel_l: float
    feed_kg_per_h: float
    char_kg_per_h: float
    char_t: float
    heat: Heat | None = None


def boiler_year(plant: PlantInputs) -> Boiler:
    """First year of a boiler plant, with heat where the plant sells it.

    Notes
    -----
    fuel [green t] = net kW / efficiency x 3600 / (HHV x (1 - moisture)) / 1000 x hours.
    """
    hours = plant.capacity_factor_pct / 100 * HOURS_PER_YEAR
    hhv = plant.hhv_kj_per_kg * (1 - plant.moisture_pct / 100)
    per_hour = plant.net_capacity_kw / (plant.efficiency_pct / 100) * SECONDS_PER_HOUR / hhv / KG_PER_T
    generation = plant.net_capacity_kw * HOURS_PER_YEAR * plant.capacity_factor_pct / 100
    fuel = per_hour * hours
    ash = fuel * plant.ash_pct / 100
    per_kw = plant.capital_usd / plant.net_capacity_kw
    if not isinstance(plant, ChpInputs):
        return Boiler(hours, fuel, per_hour, generation, per_kw, ash)
    power = per_hour * KG_PER_T * hhv / SECONDS_PER_HOUR
    gross = plant.gross_capacity_kw
    return Boiler(
        hours, fuel, per_hour, generation, per_kw, ash,
        parasitic_kw=gross - plant.net_capacity_kw,
        fuel_power_kw=power,
        gross_efficiency_pct=gross / power * 100,
        heat=_heat(plant, power, hours, generation),
    )  # fmt: skip


def _heat(plant: ChpInputs, power_kw: float, hours: float, generation_kwh: float) -> Heat:
    """Heat left after gross power, of which a share is sold; negative where gross exceeds the fuel power."""
    produced = power_kw - plant.gross_capacity_kw
    recovered = produced * plant.heat_recovered_pct / 100
    sales = recovered * hours
    income = sales * plant.heat_usd_per_kwh
    fuel_kwh = power_kw * hours
    return Heat(
        produced_kw=produced,
        recovered_kw=recovered,
        sales_kwh=sales,
        income_usd=income,
        income_usd_per_kwh=income / generation_kwh,
        efficiency_gross_pct=(plant.gross_capacity_kw * hours + sales) / fuel_kwh * 100,
        efficiency_net_pct=(generation_kwh + sales) / fuel_kwh * 100,
    )


def _kg_per_m3(g_per_mol: float) -> float:
    """Density of an ideal gas at 1 atm and 298 K [kg per m3]."""
    return 101325 * g_per_mol / 8314 / 298


def gasifier_year(plant: GpInputs) -> Gasifier:
    """First year of a gasifier.

    Notes
    -----
    feed [kg/h] = gas power / gas efficiency / (HHV x (1 - moisture)) x 3600; char = ash x feed / (1 - carbon in char).
    The composition of the gas sets its flow and heating value and no cost. Heating values are per m3: the package's
    own figures, which its names call kJ per litre times 1000.
    """
    hours = plant.capacity_factor_pct / 100 * HOURS_PER_YEAR
    generation = plant.net_capacity_kw * hours
    n2 = 100 - (plant.co_pct + plant.h2_pct + plant.ch4_pct + plant.co2_pct + plant.o2_pct)
    parts = {"co": plant.co_pct, "h2": plant.h2_pct, "ch4": plant.ch4_pct, "co2": plant.co2_pct, "o2": plant.o2_pct}
    molar = sum(share * MOLAR_MASS[gas] for gas, share in (parts | {"n2": n2}).items()) / 100
    density = _kg_per_m3(molar)

    def heating(table: dict[str, float]) -> float:
        return sum(parts[g] * mj * _kg_per_m3(MOLAR_MASS[g]) * 1000 for g, mj in table.items()) / 100

    hhv_gas = heating(GAS_HHV_MJ_PER_KG)
    power = plant.net_capacity_kw / (plant.efficiency_pct / 100)
    gas_power = power * (1 - plant.dual_fuel_pct / 100)
    dual_power = power * plant.dual_fuel_pct / 100
    gas_m3 = gas_power / hhv_gas * SECONDS_PER_HOUR
    dual_l = dual_power / HEAVY_DIESEL_KJ_PER_L * SECONDS_PER_HOUR
    hhv = plant.hhv_kj_per_kg * (1 - plant.moisture_pct / 100)
    feed = gas_power / (plant.gas_efficiency_pct / 100) / hhv * SECONDS_PER_HOUR
    char = plant.ash_pct / 100 * feed / (1 - plant.char_carbon_pct / 100)
    return Gasifier(
        hours=hours,
        fuel_green_t=feed * hours / KG_PER_T,
        generation_kwh=generation,
        parasitic_kw=plant.gross_capacity_kw - plant.net_capacity_kw,
        net_efficiency_pct=plant.gas_efficiency_pct * plant.efficiency_pct / 100,
        n2_pct=n2,
        gas_g_per_mol=molar,
        gas_kg_per_m3=density,
        gas_hhv_kj_per_m3=hhv_gas,
        gas_lhv_kj_per_m3=heating(GAS_LHV_MJ_PER_KG),
        fuel_power_kw=power,
        gas_power_kw=gas_power,
        dual_fuel_power_kw=dual_power,
        gas_m3_per_h=gas_m3,
        gas_kg_per_h=gas_m3 * density,
        gas_t=gas_m3 * density * hours / KG_PER_T,
        dual_fuel_l_per_h=dual_l,
        dual_fuel_l=dual_l * hours,
        feed_kg_per_h=feed,
        char_kg_per_h=char,
        char_t=char * hours / KG_PER_T,
        heat=_heat(plant, power, hours, generation),
    )
