"""Counties by polygon: known points, the shore, the state line, and the fast path against a slow one."""

from __future__ import annotations

import numpy as np
import pytest

from csrag.geo import to_albers_m
from csrag.places import gazetteer as g
from csrag.places.areas import area_rings, bounds, contains, has_area
from csrag.places.counties import (
    COUNTY_NAMES,
    OUTSIDE,
    Ring,
    county_at,
    county_code,
    county_of,
    in_california,
    in_ring,
    outline,
    rings_of,
)


@pytest.mark.parametrize(
    ("lat", "lon", "county"),
    [
        (39.328, -120.183, "Nevada"),  # Truckee
        (39.2377, -120.0266, "Placer"),  # Kings Beach
        (39.6763, -120.241, "Sierra"),  # Loyalton
        (39.4521, -121.0488, "Yuba"),  # Camptonville
        (39.8105, -120.4691, "Plumas"),  # Portola
        (38.9399, -119.9772, "El Dorado"),  # South Lake Tahoe
        (37.7793, -122.4193, "San Francisco"),
        (37.8044, -122.2712, "Alameda"),
        (32.7157, -117.1611, "San Diego"),
        (41.9558, -121.4772, "Siskiyou"),  # Tulelake
        (34.0095, -119.80, "Santa Barbara"),  # Santa Cruz Island
        (33.39, -118.42, "Los Angeles"),  # Santa Catalina Island
        (39.10, -120.05, "Placer"),  # in Lake Tahoe, west of the state line
        (39.5296, -119.8138, None),  # Reno
        (42.1888, -120.3458, None),  # Lakeview, Oregon
        (32.5, -117.0382, None),  # Tijuana
        (38.5, -124.3, None),  # the ocean
        (0.0, 0.0, None),
        (90.0, 180.0, None),
    ],
)
def test_county_of_a_point(lat: float, lon: float, county: str | None) -> None:
    assert county_at(lat, lon) == county
    assert in_california(lat, lon) == (county is not None)


def test_unknown_coordinates_are_outside() -> None:
    codes = county_of([np.nan, np.inf, -np.inf, 39.9], [-120.0, -120.0, np.nan, -np.inf])
    assert (codes == OUTSIDE).all()


def test_shapes_are_kept() -> None:
    lat, lon = np.meshgrid(np.linspace(33, 41, 5), np.linspace(-123, -115, 7))
    codes = county_of(lat, lon)
    assert codes.shape == lat.shape
    assert (codes.ravel() == county_of(lat.ravel(), lon.ravel())).all()
    assert county_of([], []).shape == (0,)


def _winding(ring: Ring, lat: float, lon: float) -> int:
    """Winding number of a ring around a point, by summing angles: slow and quite unlike the code under test."""
    a = np.arctan2(ring[:, 1] - lat, ring[:, 0] - lon)
    turn = np.diff(a)
    turn = (turn + np.pi) % (2 * np.pi) - np.pi
    return round(float(turn.sum() / (2 * np.pi)))


def test_the_grid_agrees_with_winding_numbers() -> None:
    rng = np.random.default_rng(58)
    lats, lons = rng.uniform(32.5, 42.05, 400), rng.uniform(-124.5, -114.1, 400)
    rings = [rings_of(name) for name in COUNTY_NAMES]
    for lat, lon, code in zip(lats, lons, county_of(lats, lons), strict=True):
        inside = [k for k, parts in enumerate(rings) if sum(_winding(r, lat, lon) for r in parts) % 2]
        assert inside == ([] if code == OUTSIDE else [code])


def test_points_by_the_borders_agree_with_winding_numbers() -> None:
    rng = np.random.default_rng(59)
    for name in ("Sierra", "Yuba", "Nevada", "Placer"):
        ring = rings_of(name)[0]
        corners = ring[rng.integers(0, len(ring), 40)] + rng.normal(0, 0.002, (40, 2))
        codes = county_of(corners[:, 1], corners[:, 0])
        for (lon, lat), code in zip(corners, codes, strict=True):
            assert (code == county_code(name)) == bool(_winding(ring, lat, lon))


def _area_km2(ring: Ring) -> float:
    x, y = to_albers_m(ring[:, 1], ring[:, 0])
    return float(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1])) / 2e6


def test_areas() -> None:
    # Land and inland water of the state are 409,500 km2 and a little; Plumas County is 6,770, San Bernardino 52,070
    # (US Census gazetteer, land plus water).
    total = sum(abs(sum(_area_km2(r) for r in rings_of(name))) for name in COUNTY_NAMES)
    assert total == pytest.approx(409_900, rel=0.01)
    assert abs(_area_km2(rings_of("Plumas")[0])) == pytest.approx(6_770, rel=0.005)
    assert abs(_area_km2(rings_of("San Bernardino")[0])) == pytest.approx(52_070, rel=0.005)
    outer = abs(sum(_area_km2(r) for r in outline()))
    assert outer == pytest.approx(total, rel=1e-6)


def test_the_outline_holds_what_the_counties_hold() -> None:
    rng = np.random.default_rng(60)
    lats, lons = rng.uniform(32.4, 42.1, 3000), rng.uniform(-124.6, -114.0, 3000)
    inside = np.zeros(3000, np.bool_)
    for ring in outline():
        assert (ring[0] == ring[-1]).all()
        inside ^= in_ring(ring, lats, lons)
    assert (inside == (county_of(lats, lons) != OUTSIDE)).all()


def test_county_codes() -> None:
    assert [county_code(name) for name in COUNTY_NAMES] == list(range(58))
    assert county_code("san luis obispo county") == COUNTY_NAMES.index("San Luis Obispo")
    assert list(COUNTY_NAMES) == sorted(COUNTY_NAMES)
    with pytest.raises(KeyError):
        county_code("Washoe")


def test_areas_to_search_in() -> None:
    plumas, forest, quincy = g.lookup("Plumas County")[0], g.lookup("Plumas National Forest")[0], g.lookup("Quincy")[0]
    north = g.lookup("north of I-80")[0]
    assert has_area(plumas)
    assert has_area(forest)
    assert has_area(north)
    assert not has_area(quincy)
    assert contains(plumas, [39.94, 40.59], [-120.95, -122.39]).tolist() == [True, False]
    assert contains(forest, [39.94, 33.0], [-120.95, -117.0]).tolist() == [True, False]
    assert contains(north, [40.59, 34.05, 38.0], [-122.39, -118.24, -120.0]).tolist() == [True, False, False]
    south, top, west, east = bounds(plumas)
    assert south < 39.94 < top
    assert west < -120.95 < east
    assert area_rings(quincy) == []
    with pytest.raises(ValueError, match="has no area"):
        contains(quincy, 39.94, -120.95)
    with pytest.raises(ValueError, match="has no area"):
        bounds(quincy)


def test_every_forest_and_region_holds_its_own_point() -> None:
    areas = [g.place(i) for i, line in enumerate(g.lines()) if line.split("\t")[2] in {"forest", "region"}]
    assert len(areas) >= 40
    for area in areas:
        assert contains(area, area.lat, area.lon).all(), area.name
        assert set(area.counties) <= set(COUNTY_NAMES), area.name
