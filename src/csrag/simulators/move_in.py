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
from csrag.simulators.frcs.systems import SYSTEM_TABLE
from csrag.simulators.lowboy import (
    BUNDLE_LOADS,
    BUNDLE_MACHINES,
    EMPTY_MILES_PER_HOUR,
    HELICOPTER_MILES_PER_HOUR,
    HELICOPTER_USD_PER_HOUR,
    LOAD_HOURS,
    LOADED_MILES_PER_HOUR,
    LOWBOY_USD_PER_HOUR,
    TRUCK_MILES_PER_GALLON,
)
from csrag.surfaces.catalog import SYSTEMS


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

        campaign = SYSTEM_TABLE.get(system)
        if campaign is not None:
            fixed, per_mile = _drive_in(tuple(m for m in campaign.machines if m != "helicopter"), rates)
            if "helicopter" in campaign.machines:
                fixed = fixed + HELICOPTER_USD_PER_HOUR
                per_mile = per_mile + 2 * HELICOPTER_USD_PER_HOUR / HELICOPTER_MILES_PER_HOUR
            loads = campaign.move_loads + chippers
            per_mile = per_mile + chippers * chipper_per_mile + _backhaul(loads - 1)
            total = fixed + chippers * chipper_fixed + per_mile * distance
            total_diesel = (2 * loads - 1) * distance / TRUCK_MILES_PER_GALLON
        if system == "Ground-Based CTL":
            fixed, per_mile = _drive_in(BUNDLE_MACHINES, rates)
            bundles = np.where(collect, fixed + (per_mile + _backhaul(BUNDLE_LOADS)) * distance, 0.0)
            bundles_diesel = np.where(collect, BUNDLE_LOADS * 2 * distance / TRUCK_MILES_PER_GALLON, 0.0)
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
    if system not in SYSTEM_TABLE:
        raise InvalidValueError(f"No harvesting system is called {system!r}.", f"Use one of: {', '.join(SYSTEMS)}.")
    return float(move_in(system, distance_miles, ppi).total_cost_usd[0])
