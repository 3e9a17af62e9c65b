"""Chip trucks: what a ton costs per road kilometre, and to unload.

Formula and defaults as in FRREDSS's transportation module: round trip, oil and tyres by the mile, diesel at 6 miles to
the gallon, driver with benefits and truck ownership by the hour, 25 green short tons a load.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from csrag.quantities import TRUCK_PAYLOAD_GT, check

MILES_PER_KM = 0.621371
"""Conversion as FRREDSS rounds it."""
TRUCK_MILES_PER_GAL = 6.0
TRUCK_USD_PER_H = 13.10
"""Truck ownership [USD per hour on the road]."""
UNLOADING_H_PER_LOAD = 0.25
NETWORK_WAITING_H_PER_LOAD = 0.5
"""Loading and waiting a load, added where the hours come from a road network instead of a mean speed."""


@dataclass(frozen=True)
class TruckEconomics:
    """Prices behind the haul.

    Parameters
    ----------
    diesel_usd_per_gal : float
        Diesel [USD per gallon].
    driver_wage_usd_per_h : float
        Driver's wage before benefits [USD per hour].
    driver_benefits_pct : float
        Benefits on top of the wage [percent].
    oil_usd_per_mile : float
        Oil, tyres and wear [USD per mile].
    speed_km_per_h : float
        Mean speed where there is no road network [km per hour].
    moisture_pct : float
        Moisture of the load, wet basis [percent].

    Raises
    ------
    InvalidValueError
        For a value outside the range of `csrag.quantities`.
    """

    diesel_usd_per_gal: float = 4.50
    driver_wage_usd_per_h: float = 24.71
    driver_benefits_pct: float = 67.0
    oil_usd_per_mile: float = 0.35
    speed_km_per_h: float = 40.0
    moisture_pct: float = 50.0

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            check(name, getattr(self, name))

    @property
    def usd_per_h(self) -> float:
        """Driver with benefits, and truck [USD per hour]."""
        return (1 + self.driver_benefits_pct / 100) * self.driver_wage_usd_per_h + TRUCK_USD_PER_H

    @property
    def usd_per_mile(self) -> float:
        """Oil and diesel [USD per mile]."""
        return self.oil_usd_per_mile + self.diesel_usd_per_gal / TRUCK_MILES_PER_GAL

    @property
    def payload_bdt(self) -> float:
        """Dry wood of one load [BDT]."""
        return TRUCK_PAYLOAD_GT * (1 - self.moisture_pct / 100)


def trip_usd(road_km: float, truck: TruckEconomics) -> float:
    """Cost of one round trip [USD] over a one-way road distance [km] at the mean speed."""
    return 2 * road_km * (MILES_PER_KM * truck.usd_per_mile + truck.usd_per_h / truck.speed_km_per_h)


def haul_usd_per_bdt_km(truck: TruckEconomics) -> float:
    """Round-trip truck cost per BDT and one-way road kilometre, the tau of the delivered cost.

    Parameters
    ----------
    truck : TruckEconomics
        Prices.

    Returns
    -------
    float
        USD per BDT-km; 0.3268 at the defaults.
    """
    return trip_usd(1.0, truck) / truck.payload_bdt


def network_haul_usd_per_bdt(road_km: ArrayLike, hours: ArrayLike, truck: TruckEconomics) -> NDArray[np.float64]:
    """Haul over a road network that knows its own driving time.

    Parameters
    ----------
    road_km : array_like
        One-way road distance [km].
    hours : array_like
        One-way driving time [hours].
    truck : TruckEconomics
        Prices; its speed is not used.

    Returns
    -------
    ndarray of float64
        USD per BDT, with half an hour of loading and waiting a load.
    """
    miles = 2 * np.asarray(road_km, dtype=np.float64) * MILES_PER_KM
    time = 2 * np.asarray(hours, dtype=np.float64) + NETWORK_WAITING_H_PER_LOAD
    return np.asarray((miles * truck.usd_per_mile + time * truck.usd_per_h) / truck.payload_bdt, dtype=np.float64)


def unloading_usd_per_bdt(truck: TruckEconomics) -> float:
    """A quarter of an hour of truck and driver a load [USD per BDT]; 1.09 at the defaults."""
    return UNLOADING_H_PER_LOAD * truck.usd_per_h / truck.payload_bdt
