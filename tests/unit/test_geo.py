"""Distances, boxes and the projection, against independent computations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from csrag import geo
from csrag.errors import InvalidValueError

LATS = st.floats(32.5, 42.0)
LONS = st.floats(-124.5, -114.1)


def test_one_degree_of_latitude() -> None:
    assert geo.haversine_km(39.0, -120.0, 40.0, -120.0) == pytest.approx(math.radians(1) * 6371.0088, rel=1e-12)


def test_haversine_against_the_chord() -> None:
    rng = np.random.default_rng(7)
    lat, lon = rng.uniform(32, 42, (2, 500)), rng.uniform(-124, -114, (2, 500))
    la, lo = np.radians(lat), np.radians(lon)
    points = np.stack([np.cos(la) * np.cos(lo), np.cos(la) * np.sin(lo), np.sin(la)])
    chord = np.linalg.norm(points[:, 0] - points[:, 1], axis=0)
    expected = 2 * geo.EARTH_RADIUS_KM * np.arcsin(chord / 2)
    np.testing.assert_allclose(geo.haversine_km(lat[0], lon[0], lat[1], lon[1]), expected, rtol=1e-9)


@given(LATS, LONS, LATS, LONS)
def test_haversine_is_symmetric(lat_1: float, lon_1: float, lat_2: float, lon_2: float) -> None:
    there, back = geo.haversine_km(lat_1, lon_1, lat_2, lon_2), geo.haversine_km(lat_2, lon_2, lat_1, lon_1)
    assert there == pytest.approx(back, abs=1e-9)
    assert geo.haversine_km(lat_1, lon_1, lat_1, lon_1) == 0


@given(LATS, LONS, st.floats(1, 400), st.floats(0, 2 * math.pi))
def test_the_box_holds_the_circle(lat: float, lon: float, radius_km: float, bearing: float) -> None:
    angle, phi = radius_km / geo.EARTH_RADIUS_KM, math.radians(lat)
    sin_lat = math.sin(phi) * math.cos(angle) + math.cos(phi) * math.sin(angle) * math.cos(bearing)
    rim_lat = math.asin(sin_lat)
    rim_lon = math.radians(lon) + math.atan2(
        math.sin(bearing) * math.sin(angle) * math.cos(phi), math.cos(angle) - math.sin(phi) * sin_lat
    )
    lat_min, lat_max, lon_min, lon_max = geo.padded_box(lat, lon, radius_km)
    assert lat_min <= math.degrees(rim_lat) <= lat_max
    assert lon_min <= math.degrees(rim_lon) <= lon_max


def circle_share(lat: float, lon: float, radius_km: float) -> float:
    """Area kept by a 360 m grid inside the circle, over the circle's true area."""
    x0, y0 = geo.to_albers_m(lat, lon)
    steps = np.arange(-100, 101) * 360.0
    x, y = np.meshgrid(x0 + steps, y0 + steps)
    lats, lons = geo.from_albers_m(x, y)
    inside = int((geo.haversine_km(lat, lon, lats, lons) <= radius_km).sum())
    cap = 2 * math.pi * geo.EARTH_RADIUS_KM**2 * (1 - math.cos(radius_km / geo.EARTH_RADIUS_KM))
    return inside * 0.36**2 / cap


@pytest.mark.parametrize(("lat", "lon"), [(32.7, -116.5), (39.94, -120.95), (41.8, -122.0)])
def test_a_radius_is_a_true_circle_at_every_latitude(lat: float, lon: float) -> None:
    # The projection keeps area on the ellipsoid, the haversine is on a sphere: they differ by less than 0.5 %.
    assert circle_share(lat, lon, 28.0) == pytest.approx(1.0, abs=0.005)


@given(LATS, LONS)
def test_the_projection_is_undone(lat: float, lon: float) -> None:
    back_lat, back_lon = geo.from_albers_m(*geo.to_albers_m(lat, lon))
    assert back_lat == pytest.approx(lat, abs=1e-9)
    assert back_lon == pytest.approx(lon, abs=1e-9)


def test_the_projection_against_pyproj() -> None:
    pyproj = pytest.importorskip("pyproj", reason="pyproj is a development tool and is not installed")
    rng = np.random.default_rng(3310)
    lat, lon = rng.uniform(32.5, 42, 2000), rng.uniform(-124.5, -114.1, 2000)
    # From NAD 83: the step from WGS 84 is taken as nothing (docs/decisions/0002).
    reference = pyproj.Transformer.from_crs("EPSG:4269", "EPSG:3310", always_xy=True)
    x, y = reference.transform(lon, lat)
    ours_x, ours_y = geo.to_albers_m(lat, lon)
    np.testing.assert_allclose(ours_x, x, atol=1e-3, rtol=0)
    np.testing.assert_allclose(ours_y, y, atol=1e-3, rtol=0)


@pytest.mark.parametrize(
    ("lat", "lon", "code"),
    [
        (-120.95, 39.94, "coordinates_swapped"),
        (45.5, -122.6, "outside_california"),
        (39.94, 120.95, "outside_california"),
        (math.nan, -120.0, "invalid_value"),
        (math.inf, -120.0, "invalid_value"),
    ],
)
def test_points_that_cannot_be(lat: float, lon: float, code: str) -> None:
    with pytest.raises(InvalidValueError) as caught:
        geo.check_point(lat, lon)
    assert caught.value.code == code
    assert caught.value.fix
