"""The area that layers cover: even-odd rings, and the share of a circle outside."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from csrag.surfaces.coverage import edge_share, inside_rings

SQUARE = [[(-121.0, 40.0), (-120.0, 40.0), (-120.0, 41.0), (-121.0, 41.0)]]


def plain_inside(lat, lon, rings):
    """One point, every edge."""
    inside = False
    for ring in rings:
        for (ax, ay), (bx, by) in zip(ring, [*ring[1:], ring[0]], strict=True):
            if (ay > lat) != (by > lat) and lon < (bx - ax) * (lat - ay) / (by - ay) + ax:
                inside = not inside
    return inside


@given(st.integers(0, 10_000), st.integers(3, 40))
def test_rings_equal_the_plain_test(seed, corners):
    rng = np.random.default_rng(seed)
    rings = [[(float(x), float(y)) for x, y in rng.uniform(-1, 1, (corners, 2))] for _ in range(2)]
    lat, lon = rng.uniform(-1.2, 1.2, 50), rng.uniform(-1.2, 1.2, 50)
    expected = [plain_inside(a, b, rings) for a, b in zip(lat, lon, strict=True)]
    assert inside_rings(lat, lon, rings).tolist() == expected


def test_no_point_is_inside_nothing():
    assert inside_rings(np.zeros(0), np.zeros(0), SQUARE).shape == (0,)


@pytest.mark.parametrize(("lon", "share"), [(-120.5, 0.0), (-121.0, 0.5), (-122.0, 1.0)])
def test_share_of_a_circle_outside_a_box(lon, share):
    assert edge_share(40.5, lon, 20.0, SQUARE) == pytest.approx(share, abs=0.01)
    assert edge_share(40.5, lon, 20.0, []) == 0.0


def test_share_at_a_corner_is_three_quarters():
    assert edge_share(40.0, -121.0, 30.0, SQUARE) == pytest.approx(0.75, abs=0.01)


def test_a_segment_of_a_circle_has_its_closed_form():
    radius, away = 40.0, 20.0
    lon = -121.0 + away / (6371.0088 * math.cos(math.radians(40.5)) * math.pi / 180)
    half = math.acos(away / radius)
    segment = (half - math.sin(half) * math.cos(half)) / math.pi
    assert edge_share(40.5, lon, radius, SQUARE) == pytest.approx(segment, abs=0.01)
