"""Emissions of a year: harvest, haul and unloading, conversion, construction; biogenic CO2 counted, and said so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from csrag.ask.computation.delivered import Economics
from csrag.ask.computation.facts import Ledger
from csrag.economics.carbon import MJ_PER_KWH
from csrag.economics.lca import INVENTORY, STAGES, LcaInputs, LcaResult, emissions_by_stage, life_cycle
from csrag.economics.plant import MODEL_OF
from csrag.economics.project import CPI_2002, CPI_2021
from csrag.quantities import TRUCK_PAYLOAD_GT, bdt_to_gt
from csrag.simulators.harvest import TreatmentCost
from csrag.simulators.truck import MILES_PER_KM, UNLOADING_H_PER_LOAD

Floats = NDArray[np.float64]

UNLOADING_GAL_PER_H = 2.0
"""Diesel while a load is dumped [gallon per hour] (FRREDSS)."""
BIOGENIC = "biogenic CO2 included"
KWH_PER_MWH = 1000.0


@dataclass(frozen=True)
class FuelUse:
    """Fuel and travel of one year's supply.

    Parameters
    ----------
    diesel_gal, gasoline_gal, jet_fuel_gal : float
        Of the harvest, the part that is charged to feedstock [gallon].
    unload_diesel_gal : float
        Of dumping the loads [gallon].
    truck_miles : float
        Out and back [miles].
    unknown_share : float
        Share of the tons for which FRCS gives no fuel; they are taken to burn what the others do [0 to 1].
    """

    diesel_gal: float
    gasoline_gal: float
    jet_fuel_gal: float
    unload_diesel_gal: float
    truck_miles: float
    unknown_share: float


def fuel_use(harvested: TreatmentCost, tons: Floats, road_km: Floats, econ: Economics, *, whole_tree: bool) -> FuelUse:
    """Fuel of a selection.

    Parameters
    ----------
    harvested : TreatmentCost
        FRCS on the clusters taken.
    tons : ndarray of float64, shape (n,)
        Feedstock of each [BDT].
    road_km : ndarray of float64, shape (n,)
        One way [km].
    econ : Economics
        Moisture.
    whole_tree : bool
        Saw logs are burned too, so the whole harvest's fuel counts.

    Returns
    -------
    FuelUse

    Notes
    -----
    loads = green tons / 25; miles = loads x 2 x road km x 0.621371; unloading = loads x 0.25 h x 2 gallons an hour. As in
    FRREDSS, but without rounding each cluster's loads up and without the lowboys of the move-in.
    """
    green = np.asarray(bdt_to_gt(1.0, econ.moisture_pct) * tons, dtype=np.float64)
    rates = harvested.total_gal_per_gt if whole_tree else harvested.feedstock_gal_per_gt
    known = np.isfinite(rates).all(axis=0)
    known_green, total = float(green[known].sum()), float(green.sum())
    scale = total / known_green if known_green > 0 else 0.0
    diesel, gasoline, jet = (float((rate[known] * green[known]).sum()) * scale for rate in rates)
    loads = green / TRUCK_PAYLOAD_GT
    return FuelUse(
        diesel, gasoline, jet, float(loads.sum()) * UNLOADING_H_PER_LOAD * UNLOADING_GAL_PER_H,
        float((loads * 2 * road_km).sum()) * MILES_PER_KM, 1 - known_green / total if total > 0 else 0.0,
    )  # fmt: skip


def lca_inputs(technology: str, fuel: FuelUse, generation_mwh: float, construction_usd: float = 0.0) -> LcaInputs:
    """What a kWh uses.

    Parameters
    ----------
    technology : str
        combustion, chp or gasification.
    fuel : FuelUse
        Of the year.
    generation_mwh : float
        Of the year [MWh].
    construction_usd : float
        Capital booked on the year [USD of 2021].

    Notes
    -----
    Harvest machines' own manufacture is left out: the reference books it from a table of machine weights by treatment
    whose rows belong to an older list of treatments and which has none for TFB80.
    """
    kwh = generation_mwh * KWH_PER_MWH
    return LcaInputs(
        technology=MODEL_OF[technology],
        harvest_diesel_gal_per_kwh=fuel.diesel_gal / kwh,
        unload_diesel_gal_per_kwh=fuel.unload_diesel_gal / kwh,
        gasoline_gal_per_kwh=fuel.gasoline_gal / kwh,
        jet_fuel_gal_per_kwh=fuel.jet_fuel_gal / kwh,
        truck_miles_per_kwh=fuel.truck_miles / kwh,
        construction_kusd_per_kwh=construction_usd / CPI_2021 * CPI_2002 / 1000 / kwh,
        equipment_kusd_per_kwh=0.0,
    )


def intensities_by_year(
    technology: str, fuels: Sequence[FuelUse], generation_mwh: float, capital_usd: float
) -> list[float]:
    """Carbon intensity of each year [g CO2 equivalent per MJ], biogenic CO2 included; construction in year one.

    Parameters
    ----------
    technology : str
        combustion, chp or gasification.
    fuels : sequence of FuelUse
        Of each year.
    generation_mwh : float
        [MWh per year]
    capital_usd : float
        Of the plant and its power line [USD].
    """
    uses = [
        lca_inputs(technology, fuel, generation_mwh, capital_usd if k == 0 else 0.0) for k, fuel in enumerate(fuels)
    ]
    return [life_cycle(use).carbon_intensity_kg_per_kwh * 1000 / MJ_PER_KWH for use in uses]


def put_emissions(ledger: Ledger, technology: str, fuel: FuelUse, generation_mwh: float, capital_usd: float, life: int,
                  *, asked: bool) -> LcaResult:  # fmt: skip
    """Record the emissions of year one, construction spread over the plant's life.

    Parameters
    ----------
    ledger : Ledger
        Receives the values.
    technology : str
        combustion, chp or gasification.
    fuel : FuelUse
        Of year one.
    generation_mwh : float
        [MWh]
    capital_usd : float
        Of the plant and its power line [USD].
    life : int
        [years]
    asked : bool
        Whether the question asks about emissions: the caveats then come too.

    Returns
    -------
    LcaResult
        Per kWh.
    """
    use = lca_inputs(technology, fuel, generation_mwh, capital_usd / life)
    result = life_cycle(use)
    stages = emissions_by_stage(use)
    co2, kg = stages["CO2"], KWH_PER_MWH
    total = sum(co2.values())
    ledger.put(
        "co2_kg_per_mwh", total * kg, f"year one: harvest, haul, conversion, construction over {life} years; {BIOGENIC}"
    )
    ledger.put(
        "conversion_co2_kg_per_mwh", co2["conversion"] * kg, f"what leaves the stack; {BIOGENIC}: nearly all of it is"
    )
    ledger.put("supply_co2_kg_per_mwh", (co2["harvest"] + co2["transport"]) * kg, "diesel, gasoline and jet fuel of harvest, "
               "haul and unloading; fossil")  # fmt: skip
    ledger.put(
        "construction_co2_kg_per_mwh", co2["construction"] * kg, f"plant and line by their cost, over {life} years"
    )
    ledger.put(
        "global_warming_kg_per_mwh", result.impacts["global_warming_air"] * kg, f"CO2, CH4 x 30, N2O x 265; {BIOGENIC}"
    )
    intensity = result.carbon_intensity_kg_per_kwh * 1000 / MJ_PER_KWH
    ledger.put("carbon_intensity_g_per_mj", intensity, f"CO2 equivalent with CO and VOC; {BIOGENIC}")
    share = "FRCS, the part charged to feedstock"
    ledger.put("harvest_diesel_gal_per_mwh", fuel.diesel_gal / generation_mwh, share)
    ledger.put("harvest_gasoline_gal_per_mwh", fuel.gasoline_gal / generation_mwh, share)
    ledger.put("harvest_jet_fuel_gal_per_mwh", fuel.jet_fuel_gal / generation_mwh, share)
    ledger.put(
        "unload_diesel_gal_per_mwh",
        fuel.unload_diesel_gal / generation_mwh,
        "a quarter hour a load at 2 gallons an hour",
    )
    ledger.put("truck_miles_per_mwh", fuel.truck_miles / generation_mwh, "out and back, 25 GT a load")
    for name in ("NOx", "PM25", "SOx"):
        amount = sum(stages[name].values())
        ledger.put(f"{name.lower()}_g_per_mwh", amount * kg, "every stage")
    shown = [stage for stage in STAGES if stage != "equipment"]
    rows = [
        (name, "kg per MWh" if name == "CO2" else "g per MWh", *(stages[name][s] * kg for s in shown),
         sum(stages[name].values()) * kg)
        for name in INVENTORY
    ]  # fmt: skip
    warming = result.stage_warming_kg
    rows.append(("global warming", "kg CO2e per MWh", *(warming[s] * kg for s in shown), sum(warming.values()) * kg))
    ledger.table(
        "emissions", ("substance", "unit", "harvest", "transport", "conversion", "construction", "total"), rows,
        f"year one, construction spread over {life} years; {BIOGENIC}; manufacture of harvest machines left out",
    )  # fmt: skip
    if asked:
        _caveats(ledger, fuel)
    return result


def _caveats(ledger: Ledger, fuel: FuelUse) -> None:
    ledger.caveat("biogenic_co2_included", "The CO2 of the burned wood (biogenic CO2) is counted as an emission, as in the reference "
                  "life-cycle model; regrowth, and what the wood would have emitted left in the forest, are not counted.")  # fmt: skip
    ledger.caveat("equipment_left_out", "Manufacture of the harvest machines is left out: the reference's table of machine weights "
                  "does not fit the treatments offered here and has no row for TFB80. The machines' fuel is counted.")  # fmt: skip
    if fuel.unknown_share > 0:
        ledger.caveat("harvest_fuel_unknown", f"For {fuel.unknown_share:.0%} of the tons FRCS gives no fuel use; they are taken to "
                      "burn what the others do.")  # fmt: skip
