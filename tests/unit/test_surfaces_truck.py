"""The haul against the figures that the field's own tools print."""

import pytest

from csrag.errors import InvalidValueError
from csrag.simulators.truck import (
    TruckEconomics,
    haul_usd_per_bdt_km,
    network_haul_usd_per_bdt,
    trip_usd,
    unloading_usd_per_bdt,
)

DEFAULT = TruckEconomics()


def test_fifty_road_km_cost_817_a_green_ton():
    assert trip_usd(50, DEFAULT) / 25 == pytest.approx(8.17, abs=0.005)


def test_haul_per_bdt_km_and_unloading_at_half_moisture():
    assert haul_usd_per_bdt_km(DEFAULT) == pytest.approx(0.3268, abs=5e-5)
    assert unloading_usd_per_bdt(DEFAULT) == pytest.approx(1.09, abs=0.005)


def test_by_hand():
    truck = TruckEconomics(diesel_usd_per_gal=6, driver_wage_usd_per_h=30, driver_benefits_pct=50, oil_usd_per_mile=0.5,
                           speed_km_per_h=50, moisture_pct=20)  # fmt: skip
    trip = 2 * 10 * 0.621371 * (0.5 + 1.0) + 2 * 10 / 50 * (45 + 13.10)
    assert trip_usd(10, truck) == pytest.approx(trip)
    assert haul_usd_per_bdt_km(truck) == pytest.approx(trip / 10 / (25 * 0.8))


def test_network_hours_replace_the_speed_and_add_half_an_hour():
    at_mean_speed = network_haul_usd_per_bdt([50.0], [50 / 40], DEFAULT)[0]
    waiting = 0.5 * DEFAULT.usd_per_h / 12.5
    assert at_mean_speed == pytest.approx(50 * haul_usd_per_bdt_km(DEFAULT) + waiting)


@pytest.mark.parametrize(
    ("field", "value"), [("moisture_pct", 100), ("speed_km_per_h", 0), ("diesel_usd_per_gal", float("nan"))]
)
def test_refuses_nonsense(field, value):
    with pytest.raises(InvalidValueError):
        TruckEconomics(**{field: value})
