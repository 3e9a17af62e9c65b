"""Moving the machines to a harvest unit: the FRCS move-in cost of one campaign.

Every machine rides a lowboy truck: two hours of truck and idle machine to load and unload, then the loaded drive at
25 miles per hour; the truck comes back empty at 40. A helicopter flies in by itself. Formulas and constants follow
`getMoveInOutputs` of `@ucdavis/frcs` 2.0.0 (MIT), its quirks included: diesel price, wages and benefits have no effect;
an unknown system costs nothing in total while its chipper still costs something; backhaul is counted on one load less
than is driven in, except for bundles and for the chipper alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from csrag.errors import InvalidValueError
from csrag.simulators.frcs.rates import Rates, machine_rates
from csrag.surfaces.catalog import SYSTEMS

LOWBOY_USD_PER_HOUR = 35.0 + 18.0
"""Truck and driver [USD per hour]; fixed in FRCS, not indexed."""
LOAD_HOURS = 2.0
LOADED_MILES_PER_HOUR = 25.0
EMPTY_MILES_PER_HOUR = 40.0
TRUCK_MILES_PER_GALLON = 6.0
HELICOPTER_MILES_PER_HOUR = 120.0
HELICOPTER_USD_PER_HOUR = (3700 / 6 + 340 + 7580 / 6.76 + 1052 + 6750 / 8.5 + 840) / 3
"""Mean of the three helicopters of FRCS: daily fixed cost over flight hours, plus the hourly cost."""


@dataclass(frozen=True)
class _Campaign:
    """What one system brings: machine classes, lowboy loads without the chipper, and whether a helicopter flies in."""

    machines: tuple[str, ...]
    loads: int
    helicopter: bool = False


# Loads are FRCS's own counts; they are not always the number of machines (Cable Manual WT/Log counts 3 for 2).
_CAMPAIGNS: dict[str, _Campaign] = {
    "Ground-Based Mech WT": _Campaign(("feller_buncher", "skidder", "processor", "loader"), 4),
    "Ground-Based Manual WT": _Campaign(("skidder", "processor", "loader"), 3),
    "Ground-Based Manual Log": _Campaign(("skidder", "loader"), 2),
    "Ground-Based CTL": _Campaign(("harvester", "forwarder", "loader"), 3),
    "Cable Manual WT/Log": _Campaign(("yarder", "loader"), 3),
    "Cable Manual WT": _Campaign(("yarder", "processor", "loader"), 4),
    "Cable Manual Log": _Campaign(("yarder", "loader"), 2),
    "Cable CTL": _Campaign(("harvester", "yarder", "loader"), 3),
    "Helicopter Manual Log": _Campaign(("loader", "loader"), 2, helicopter=True),
    "Helicopter CTL": _Campaign(("harvester", "loader", "loader"), 3, helicopter=True),
}
_BUNDLE_MACHINES = ("bundler", "forwarder")
_BUNDLE_LOADS = 2


@dataclass(frozen=True)
class MoveIn:
    """Move-in of one campaign, in the reference's two halves.

    Parameters
    ----------
    total_cost_usd, residual_cost_usd : ndarray, shape (n,)
        Cost of the whole campaign, and of the machines that make the residue product [USD].
    total_diesel_gal, residual_diesel_gal : ndarray, shape (n,)
        Diesel of the trucks [US gallon].
    """

    total_cost_usd: NDArray[np.float64]
    residual_cost_usd: NDArray[np.float64]
    total_diesel_gal: NDArray[np.float64]
    residual_diesel_gal: NDArray[np.float64]


def _drive_in(machines: tuple[str, ...], rates: Rates) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Fixed [USD] and per-mile [USD per mile] cost of bringing `machines`, backhaul not counted."""
    hourly = np.asarray(sum(LOWBOY_USD_PER_HOUR + getattr(rates, f"own_{machine}") for machine in machines))
    return hourly * LOAD_HOURS, hourly / LOADED_MILES_PER_HOUR


def _backhaul(loads: NDArray[np.float64] | float) -> NDArray[np.float64] | float:
    """Empty return of `loads` trucks [USD per mile]."""
    return LOWBOY_USD_PER_HOUR * loads / EMPTY_MILES_PER_HOUR


def move_in(
    system: str,
    distance_miles: ArrayLike,
    ppi: ArrayLike,
    *,
    harvest_chip_trees: ArrayLike = True,
    collect_residues: ArrayLike = True,
    salvage: ArrayLike = False,
) -> MoveIn:
    """Move-in cost and diesel of one campaign of one system.

    Parameters
    ----------
    system : str
        FRCS name. An unknown one gives total 0 as the reference does; callers that want an error check the name.
    distance_miles : array_like, shape (n,)
        One-way distance [mile].
    ppi : array_like, shape (n,) or ()
        Producer price index [2002 = 176.6]; scales the machines' ownership cost, nothing else.
    harvest_chip_trees, collect_residues : array_like of bool
        Whether chip trees are cut, whether residues are collected; a chipper comes for either.
    salvage : array_like of bool
        Biomass salvage: everything is residue, so its half equals the total.

    Returns
    -------
    MoveIn
        Arrays of the common broadcast shape, at least one-dimensional.

    Notes
    -----
    Source: `@ucdavis/frcs` 2.0.0, `movein`. NaN and infinite inputs travel through as in the reference.
    """
    distance, index, chip_trees, collect, salvaged = np.broadcast_arrays(
        np.atleast_1d(np.asarray(distance_miles, dtype=np.float64)),
        np.asarray(ppi, dtype=np.float64),
        np.asarray(harvest_chip_trees, dtype=bool),
        np.asarray(collect_residues, dtype=bool),
        np.asarray(salvage, dtype=bool),
    )
    with np.errstate(invalid="ignore", over="ignore"):
        unused = np.zeros(())  # ownership depends on the price index alone
        rates = machine_rates(unused, unused, unused, unused, index)
        chippers = (chip_trees | collect).astype(np.float64)
        chipper_fixed, chipper_per_mile = _drive_in(("chipper",), rates)
        residual = chippers * (chipper_fixed + (chipper_per_mile + _backhaul(chippers)) * distance)
        residual_diesel = chippers * 2 * distance / TRUCK_MILES_PER_GALLON
        total = np.zeros_like(distance)
        total_diesel = np.zeros_like(distance)

        campaign = _CAMPAIGNS.get(system)
        if campaign is not None:
            fixed, per_mile = _drive_in(campaign.machines, rates)
            if campaign.helicopter:
                fixed = fixed + HELICOPTER_USD_PER_HOUR
                per_mile = per_mile + 2 * HELICOPTER_USD_PER_HOUR / HELICOPTER_MILES_PER_HOUR
            loads = campaign.loads + chippers
            per_mile = per_mile + chippers * chipper_per_mile + _backhaul(loads - 1)
            total = fixed + chippers * chipper_fixed + per_mile * distance
            total_diesel = (2 * loads - 1) * distance / TRUCK_MILES_PER_GALLON
        if system == "Ground-Based CTL":
            fixed, per_mile = _drive_in(_BUNDLE_MACHINES, rates)
            bundles = np.where(collect, fixed + (per_mile + _backhaul(_BUNDLE_LOADS)) * distance, 0.0)
            bundles_diesel = np.where(collect, _BUNDLE_LOADS * 2 * distance / TRUCK_MILES_PER_GALLON, 0.0)
            total, total_diesel = total + bundles, total_diesel + bundles_diesel
            residual, residual_diesel = residual + bundles, residual_diesel + bundles_diesel
    return MoveIn(
        total_cost_usd=total,
        residual_cost_usd=np.where(salvaged, total, residual),
        total_diesel_gal=total_diesel,
        residual_diesel_gal=np.where(salvaged, total_diesel, residual_diesel),
    )


def move_in_total_cost_usd(system: str, distance_miles: float, ppi: float) -> float:
    """Cost of one campaign that cuts chip trees and collects residues [USD].

    Parameters
    ----------
    system : str
        FRCS name of the harvesting system.
    distance_miles : float
        One-way distance of the move [mile].
    ppi : float
        Producer price index [2002 = 176.6].

    Raises
    ------
    InvalidValueError
        If the system is not one of the ten of FRCS.

    Notes
    -----
    The reference's `totalCost` with `harvestChipTrees` and `includeCostsCollectChipResidues` on; see `move_in`.
    """
    if system not in _CAMPAIGNS:
        raise InvalidValueError(f"No harvesting system is called {system!r}.", f"Use one of: {', '.join(SYSTEMS)}.")
    return float(move_in(system, distance_miles, ppi).total_cost_usd[0])
