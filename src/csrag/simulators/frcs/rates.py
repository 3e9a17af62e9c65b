"""Machine rates: what an hour of each machine costs.

The machine rate method of Miyata (1980): ownership from the purchase price, operation from fuel, lube, repairs and
labour. Prices are those of 2002 moved by a producer price index.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from csrag.simulators.frcs.ramps import Floats

PPI_2002 = 176.6
"""Producer price index of the purchase prices below."""
SCHEDULED_HOURS = 1600
"""Scheduled machine hours a year [h]."""
INTEREST = 0.08
"""Share of the average yearly investment."""
INSURANCE_AND_TAX = 0.07
"""Share of the average yearly investment."""


class Machine(NamedTuple):
    """One machine of the rate table.

    Parameters
    ----------
    price_usd_2002 : float
        Purchase price [USD of 2002].
    hp : float
        Engine power [hp].
    life_y : float
        Life [years].
    salvage : float
        Salvage value, share of the price.
    utilisation : float
        Productive over scheduled hours.
    repair : float
        Repair and maintenance, share of depreciation.
    fuel_gal_per_hp_h : float
        Fuel consumption rate [gal per hp and PMH].
    lube : float
        Lube cost, share of fuel cost.
    crew : float
        Workers at the general wage; the chainsaw has one faller instead.
    """

    price_usd_2002: float
    hp: float
    life_y: float
    salvage: float
    utilisation: float
    repair: float
    fuel_gal_per_hp_h: float
    lube: float
    crew: float


MACHINES: dict[str, Machine] = {
    #                           price    hp  life  salv  util  rep   fuel   lube crew
    "chainsaw": Machine(700, 0, 1, 0.2, 0.5, 7, 0.0, 0.0, 1),
    "drive_to_tree": Machine(150_000, 150, 3, 0.2, 0.65, 1.0, 0.026, 0.37, 1),
    "swing_boom": Machine(310_000, 200, 5, 0.15, 0.6, 0.75, 0.026, 0.37, 1),
    "self_level": Machine(310_000, 240, 5, 0.15, 0.6, 0.75, 0.026, 0.37, 1),
    "harvester_s": Machine(350_000, 120, 4, 0.2, 0.65, 1.1, 0.029, 0.37, 1),
    "harvester_b": Machine(450_000, 200, 4, 0.2, 0.65, 1.1, 0.029, 0.37, 1),
    "skidder_s": Machine(140_000, 120, 5, 0.2, 0.65, 0.9, 0.028, 0.37, 1),
    "skidder_b": Machine(200_000, 200, 4, 0.2, 0.65, 0.9, 0.028, 0.37, 1),
    "forwarder_s": Machine(240_000, 110, 4, 0.25, 0.65, 1.0, 0.025, 0.37, 1),
    "forwarder_b": Machine(310_000, 200, 4, 0.2, 0.65, 1.0, 0.025, 0.37, 1),
    "yarder_s": Machine(160_000, 100, 10, 0.1, 0.75, 1.0, 0.04, 0.1, 5),
    "yarder_i": Machine(330_000, 200, 10, 0.1, 0.75, 1.0, 0.04, 0.1, 5),
    "processor_s": Machine(300_000, 120, 5, 0.2, 0.65, 1.0, 0.022, 0.37, 1),
    "processor_b": Machine(400_000, 200, 5, 0.2, 0.65, 1.0, 0.022, 0.37, 1),
    "loader_s": Machine(190_000, 120, 5, 0.3, 0.65, 0.9, 0.022, 0.37, 1),
    "loader_b": Machine(250_000, 200, 5, 0.3, 0.65, 0.9, 0.022, 0.37, 1),
    "chipper_s": Machine(200_000, 350, 5, 0.2, 0.75, 1.0, 0.023, 0.37, 1),
    "chipper_b": Machine(300_000, 700, 5, 0.2, 0.75, 1.0, 0.023, 0.37, 1),
    "bundler": Machine(450_000, 180, 5, 0.2, 0.75, 1.0, 0.025, 0.37, 1),
}
"""Purchase prices of 2002 and rate parameters, `@ucdavis/frcs` 2.0.0 (suffix s small, b big, i intermediate)."""


@dataclass(frozen=True)
class Rates:
    """Machine rates [USD per PMH] and ownership costs [USD per PMH].

    The fields named after a machine are its full rate. `own_*` is the ownership part, the plain mean over a kind's
    variants, which move-in charges while machines travel.
    """

    chainsaw: Floats
    drive_to_tree: Floats
    swing_boom: Floats
    self_level: Floats
    harvester_s: Floats
    harvester_b: Floats
    skidder_s: Floats
    skidder_b: Floats
    forwarder_s: Floats
    forwarder_b: Floats
    yarder_s: Floats
    yarder_i: Floats
    processor_s: Floats
    processor_b: Floats
    loader_s: Floats
    loader_b: Floats
    chipper_s: Floats
    chipper_b: Floats
    bundler: Floats
    own_feller_buncher: Floats
    own_harvester: Floats
    own_skidder: Floats
    own_forwarder: Floats
    own_yarder: Floats
    own_processor: Floats
    own_loader: Floats
    own_chipper: Floats
    own_bundler: Floats


def ownership(machine: Machine, ppi: Floats) -> tuple[Floats, Floats]:
    """Ownership cost and depreciation of a machine [USD per PMH each]."""
    price = machine.price_usd_2002 * ppi / PPI_2002
    salvage = price * machine.salvage
    depreciation = (price - salvage) / machine.life_y
    investment = (price - salvage) * (machine.life_y + 1) / (2 * machine.life_y) + salvage
    hours = SCHEDULED_HOURS * machine.utilisation
    return ((INTEREST + INSURANCE_AND_TAX) * investment + depreciation) / hours, depreciation / hours


def machine_rates(
    diesel_usd_per_gal: Floats, faller_wage: Floats, other_wage: Floats, benefits_pct: Floats, ppi: Floats
) -> Rates:
    """Rates of all machines.

    Parameters
    ----------
    diesel_usd_per_gal : () or (n,) float64
        Diesel price [USD per gal].
    faller_wage, other_wage : () or (n,) float64
        Wages before benefits [USD per h].
    benefits_pct : () or (n,) float64
        Benefits on top of the wage [percent].
    ppi : () or (n,) float64
        Producer price index, 2002 = 176.6.

    Returns
    -------
    Rates
        Each field () or (n,) float64 [USD per PMH].
    """
    loading = 1 + benefits_pct / 100
    own: dict[str, Floats] = {}
    rate: dict[str, Floats] = {}
    for name, machine in MACHINES.items():
        own[name], depreciation = ownership(machine, ppi)
        fuel = machine.hp * machine.fuel_gal_per_hp_h * diesel_usd_per_gal
        wage = faller_wage if name == "chainsaw" else other_wage
        full = (
            own[name]
            + fuel * (1 + machine.lube)
            + depreciation * machine.repair
            + machine.crew * wage * loading / machine.utilisation
        )
        # An infinite rate meets a weight of 0 somewhere in every operation of the package.
        rate[name] = np.where(np.isfinite(full), full, np.nan)

    def mean(*names: str) -> Floats:
        return np.asarray(sum(own[n] for n in names) / len(names))

    return Rates(
        **rate,
        own_feller_buncher=mean("drive_to_tree", "swing_boom", "self_level"),
        own_harvester=mean("harvester_s", "harvester_b"),
        own_skidder=mean("skidder_s", "skidder_b"),
        own_forwarder=mean("forwarder_s", "forwarder_b"),
        own_yarder=mean("yarder_s", "yarder_i"),
        own_processor=mean("processor_s", "processor_b"),
        own_loader=mean("loader_s", "loader_b"),
        own_chipper=mean("chipper_s", "chipper_b"),
        own_bundler=mean("bundler"),
    )


def blend(small: Floats, big: Floats, share_big: Floats) -> Floats:
    """Rate of a machine between two sizes: linear in `share_big` (0 to 1)."""
    return np.asarray(small + (big - small) * share_big)


def gal_per_pmh(name: str) -> float:
    """Fuel of a machine [gal per PMH]."""
    machine = MACHINES[name]
    return machine.hp * machine.fuel_gal_per_hp_h
