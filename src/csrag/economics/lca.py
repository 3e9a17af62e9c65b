"""Life-cycle emissions and impacts per kWh, as in `@ucdavis/lca` 1.6.8.

The conversion factors count the carbon dioxide of the burned wood (biogenic CO2) as an emission: every figure of CO2,
global warming or carbon intensity made from them has to say so. Inventory factors and TRACI 2.1 characterisation factors
are the package's data; CI adds CO and VOC as the CO2 they turn into (CA-GREET) and takes GWP 30 and 265 (IPCC AR5).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from csrag.economics.schema import ANY, Checked, Field, Interval, read

TECHNOLOGIES = ("GPO", "CHP", "GP")
_USED = Interval(low=0)


def _input(name: str, path: str, unit: str, meaning: str) -> Field:
    return Field(name, path, f"{unit} per kWh", meaning, ANY, _USED, 0.0)


TABLE = (
    Field("technology", "technology", "word", "conversion technology", kind="word", words=TECHNOLOGIES),
    _input("harvest_diesel_gal_per_kwh", "harvestDiesel", "gallon", "diesel of the harvest"),
    _input("unload_diesel_gal_per_kwh", "unloadDiesel", "gallon", "diesel burned while unloading"),
    _input("gasoline_gal_per_kwh", "gasoline", "gallon", "gasoline of the harvest"),
    _input("jet_fuel_gal_per_kwh", "jetfuel", "gallon", "jet fuel of helicopters"),
    _input("truck_miles_per_kwh", "distance", "mile", "truck travel, out and back"),
    _input("construction_kusd_per_kwh", "construction", "thousand USD of 2002", "construction of the plant"),
    _input("equipment_kusd_per_kwh", "equipment", "thousand USD of 2002", "harvest machines"),
)

INVENTORY: dict[str, tuple[float, ...]] = {
    "CO2": (1.589531927, 1.114658177, 0.948, 22.72140016, 6.248946441, 11.47657151, 2.6706, 559.2, 560),
    "CH4": (0.539646004, 0.379359954, 0.033, 17.2453, 14.1045, 12.45204283, 3.2, 1823.809524, 1976.190476),
    "N2O": (0.070824678, 0.049787619, 0.094, 0.3052173, 0.545, 0.04228042, 0.0093329, 31.22580645, 17.74193548),
    "CO": (1.3040968, 1.599434423, 0.071, 96.48953098, 2746.439297, 13.39653828, 3.6, 4210, 3330),
    "NOx": (0.808974654, 0.568259558, 0.078, 16.29367482, 48.15215306, 53.17357021, 2.6, 1560, 1840),
    "PM10": (0.134473479, 0.06747694, 0.024, 0.730447845, 32.31071629, 0.751620384, 0.042566, 3690, 536),
    "PM25": (0.120914794, 0.057925012, 0.012, 0.662052017, 24.41789897, 0.630963077, 0.036401, 653, 213),
    "SOx": (0.175284614, 0.117906099, 0.412, 2.660716136, 2.312625177, 5.082967761, 0.15408, 956, 1490),
    "VOC": (0.043849082, 0.048281502, 0.07, 3.16572975, 52.91121554, 3.203695964, 0.29682, 598, 684),
}
"""Kilograms of CO2, grams of the others: GPO, CHP, GP per kWh; diesel, gasoline, jet fuel per gallon; truck per mile;
construction, equipment per thousand USD of 2002."""

IMPACTS: dict[str, dict[str, float]] = {
    "global_warming_air": {"CO2": 1, "CH4": 30, "N2O": 265},
    "acidification_air": {"NOx": 0.7, "SOx": 1},
    "hh_particulate_air": {"CO": 0.000355556, "NOx": 0.007222222, "PM10": 0.227777778},
    "eutrophication_air": {"NOx": 0.04429},
    "smog_air": {"CH4": 0.014379487, "CO": 0.055622308, "NOx": 24.79358974},
}
"""Per kilogram emitted: kg CO2e, kg SO2e, kg PM2.5e, kg N e, kg O3 e (TRACI 2.1). PM2.5 and VOC are not used."""

WARMING = {"CO2": 1.0, "CH4": 30.0, "N2O": 265.0}
_CARBON_IN_CO2 = 12 / 44
CO_AS_CO2 = (12 / 28) / _CARBON_IN_CO2
VOC_AS_CO2 = 0.85 / _CARBON_IN_CO2
STAGES = ("harvest", "transport", "conversion", "construction", "equipment")


@dataclass(frozen=True, kw_only=True)
class LcaInputs(Checked):
    """What is used per kWh of electricity."""

    table: ClassVar[tuple[Field, ...]] = TABLE

    technology: str
    harvest_diesel_gal_per_kwh: float
    unload_diesel_gal_per_kwh: float
    gasoline_gal_per_kwh: float
    jet_fuel_gal_per_kwh: float
    truck_miles_per_kwh: float
    construction_kusd_per_kwh: float
    equipment_kusd_per_kwh: float

    @classmethod
    def from_package(cls, given: Mapping[str, Any]) -> LcaInputs:
        """Record from inputs with the package's names.

        Raises
        ------
        InvalidValueError
            Where something is missing, unknown or has no meaning.
        """
        return cls(**read(cls.table, given, "The life-cycle model"))


@dataclass(frozen=True, slots=True)
class LcaResult:
    """Per kWh.

    Parameters
    ----------
    emissions : dict
        Substance to kilograms (CO2) or grams (others).
    carbon_intensity_kg_per_kwh : float
        CO2 equivalent with CO and VOC, biogenic CO2 included [kg per kWh].
    impacts : dict
        TRACI category to its kilograms.
    stage_co2_kg, stage_warming_kg : dict
        Stage to kilograms of CO2, and of CO2 equivalent.
    """

    emissions: dict[str, float]
    carbon_intensity_kg_per_kwh: float
    impacts: dict[str, float]
    stage_co2_kg: dict[str, float]
    stage_warming_kg: dict[str, float]


def life_cycle(use: LcaInputs) -> LcaResult:
    """Emissions and impacts per kWh: sum of factor x use, plus the conversion factor of the technology."""
    stages = emissions_by_stage(use)
    emissions = {name: sum(by_stage.values()) for name, by_stage in stages.items()}
    kg = {name: amount if name == "CO2" else amount / 1000 for name, amount in emissions.items()}
    warming = dict.fromkeys(STAGES, 0.0)
    for name, factor in WARMING.items():
        for stage, amount in stages[name].items():
            warming[stage] += (amount if name == "CO2" else amount / 1000) * factor
    intensity = kg["CO"] * CO_AS_CO2 + kg["CO2"] + kg["CH4"] * 30 + kg["N2O"] * 265 + kg["VOC"] * VOC_AS_CO2
    return LcaResult(
        emissions=emissions,
        carbon_intensity_kg_per_kwh=intensity,
        impacts={c: sum(kg[name] * f for name, f in factors.items()) for c, factors in IMPACTS.items()},
        stage_co2_kg=stages["CO2"],
        stage_warming_kg=warming,
    )


def emissions_by_stage(use: LcaInputs) -> dict[str, dict[str, float]]:
    """Every substance by stage, per kWh: kilograms of CO2, grams of the others."""
    return {name: _stages(use, factors) for name, factors in INVENTORY.items()}


def _stages(use: LcaInputs, factors: tuple[float, ...]) -> dict[str, float]:
    """One substance by stage; diesel of unloading belongs to transport."""
    diesel, gasoline, jet, truck, construction, equipment = factors[3:]
    return {
        "harvest": diesel * use.harvest_diesel_gal_per_kwh
        + gasoline * use.gasoline_gal_per_kwh
        + jet * use.jet_fuel_gal_per_kwh,
        "transport": truck * use.truck_miles_per_kwh + diesel * use.unload_diesel_gal_per_kwh,
        "conversion": factors[TECHNOLOGIES.index(use.technology)],
        "construction": construction * use.construction_kusd_per_kwh,
        "equipment": equipment * use.equipment_kusd_per_kwh,
    }


def lca_outputs(result: LcaResult) -> dict[str, Any]:
    """Result in the package's structure."""
    return {
        "lifeCycleEmissions": result.emissions | {"CI": result.carbon_intensity_kg_per_kwh},
        "lifeCycleImpacts": dict(result.impacts),
        "lifeStageCO2": dict(result.stage_co2_kg),
        "lifeStageGWP": dict(result.stage_warming_kg),
    }
