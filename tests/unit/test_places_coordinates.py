"""Coordinates in running text: a table of notations, repairs, and number pairs that are something else."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csrag.places.coordinates import DECIMAL_COMMA, MISSING_MINUS, OUTSIDE, SWAPPED, find_coordinates

QUINCY = (39.93667, -120.94722)

AS_WRITTEN = [
    "39.93667, -120.94722", "39.93667,-120.94722", "39.93667 -120.94722", "39.93667/-120.94722",
    "39.93667; -120.94722", "(39.93667, -120.94722)", "[39.93667, -120.94722]", "39.93667, −120.94722",
    "39.93667N 120.94722W", "39.93667 N, 120.94722 W", "N39.93667 W120.94722", "N 39.93667, W 120.94722",
    "39.93667° N / 120.94722° W", "39.93667°, -120.94722°", "120.94722W 39.93667N", "n39.93667, w120.94722",
    "39.93667 north, 120.94722 west", "39.93667 degrees north 120.94722 degrees west",
    "39° 56' 12\" N, 120° 56' 50\" W", "39°56′12″N 120°56′50″W", "39° 56' 12'' N, 120° 56' 50'' W",
    "39º 56’ 12” N, 120º 56’ 50” W", "39 deg 56 min 12 sec N, 120 deg 56 min 50 sec W",
    "39 degrees 56 minutes 12 seconds north, 120 degrees 56 minutes 50 seconds west",
    "39 56 12 N 120 56 50 W", "39:56:12N 120:56:50W", "39d56m12sN 120d56m50sW",
    "39° 56.2' N, 120° 56.8333' W", "N 39° 56.2', W 120° 56.8333'", "39° 56.2′ N 120° 56.8333′ W",
    "lat 39.93667 lon -120.94722", "latitude 39.93667 and longitude -120.94722", "lat: 39.93667, long: -120.94722",
    "lon=-120.94722&lat=39.93667", "Lat 39.93667 N, Lon 120.94722 W", "latitud 39.93667, longitud -120.94722",
    "@39.93667,-120.94722,12z", "geo:39.93667,-120.94722",
]  # fmt: skip


@pytest.mark.parametrize("written", AS_WRITTEN)
@pytest.mark.parametrize("around", ["{}", "25 MW near {} within 30 km", "Cost at {}?", "10 MW, {}, SDI55"])
def test_notations(written: str, around: str) -> None:
    text = around.format(written)
    (point,) = find_coordinates(text)
    assert (point.lat, point.lon) == pytest.approx(QUINCY, abs=2e-5)
    assert point.notes == ()
    assert point.in_california
    assert text[slice(*point.span)].strip("@[]()") in written or written in text[slice(*point.span)]


@pytest.mark.parametrize(
    ("text", "lat", "lon", "notes"),
    [
        ("-120.95, 39.94", 39.94, -120.95, (SWAPPED,)),
        ("30 MW at -119.75, 37.18", 37.18, -119.75, (SWAPPED,)),
        ("Put 10 MW at 40.42, 120.65 and give me the cost", 40.42, -120.65, (MISSING_MINUS,)),
        ("at 120.65, 40.42", 40.42, -120.65, (SWAPPED, MISSING_MINUS)),
        ("lat 39.94 lon 120.95", 39.94, -120.95, (MISSING_MINUS,)),
        ("lon 120.95, lat 39.94", 39.94, -120.95, (MISSING_MINUS,)),
        ("39° 56' 12\", 120° 56' 50\"", *QUINCY, (MISSING_MINUS,)),
        ("39,94; -120,95", 39.94, -120.95, (DECIMAL_COMMA,)),
        ("39.94, 120.95, 20 MW", 39.94, -120.95, (MISSING_MINUS,)),
    ],
)
def test_repairs_are_said(text: str, lat: float, lon: float, notes: tuple[str, ...]) -> None:
    (point,) = find_coordinates(text)
    assert (point.lat, point.lon) == pytest.approx((lat, lon), abs=1e-4)
    assert point.notes == notes


@pytest.mark.parametrize(
    ("text", "lat", "lon"),
    [
        ("20 MW at 39.5296, -119.8138", 39.5296, -119.8138),  # Reno, inside the state's box
        ("45.52, -122.68", 45.52, -122.68),
        ("42.19N 120.35W", 42.19, -120.35),  # Lakeview
        ("51.5074, -0.1278", 51.5074, -0.1278),
        ("lat 48.1 lon 11.6", 48.1, 11.6),
        ("35.6762, 139.6503", 35.6762, 139.6503),
    ],
)
def test_points_elsewhere_are_returned_with_a_note(text: str, lat: float, lon: float) -> None:
    (point,) = find_coordinates(text)
    assert (point.lat, point.lon) == (lat, lon)
    assert point.notes[-1] == OUTSIDE
    assert not point.in_california


@pytest.mark.parametrize(
    "text",
    [
        "10, 15 and 20 MW", "25, 30", "Side by side at Ukiah: 10, 15 and 20 MW", "between 35.2 - 117.5 $/BDT",
        "20-30 MW", "cost of 35.50, 120.75 and 60", "$39.94, $120.95", "Highway 36 W, 20 MW", "4,500 kW",
        "37,500 120,000 acres", "37.5 120 MW", "70% debt at 6% interest, 14% return", "moisture 40.5, 120.2 $/BDT",
        "20 MW, 36.5, 118.5 USD", "0, 0", "39.94", "N", "lat", "40, 120 and 200 MW", "39.9, 120.5 %", "3.5, 2.1",
        "in 2021, 963,000 acres", "TFB-40 within 40 miles at 40 MW", "1,2,3,4,5", "40 W, 120 W bulbs", "",
    ],
)  # fmt: skip
def test_numbers_that_are_no_coordinates(text: str) -> None:
    assert find_coordinates(text) == []


def test_two_points() -> None:
    points = find_coordinates("compare 39.94, -120.95 and 40.42, -120.65")
    assert [(p.lat, p.lon) for p in points] == [(39.94, -120.95), (40.42, -120.65)]
    points = find_coordinates("Compare 40.42, 120.65 and 39.94, 120.95 for 20 MW")
    assert [(p.lat, p.lon) for p in points] == [(40.42, -120.65), (39.94, -120.95)]


@pytest.mark.parametrize("angle", ["39° 76' 12\" N, 120° 56' 50\" W", "39.5° 20' N, 120° 5' W", "95 N, 120 N"])
def test_impossible_angles(angle: str) -> None:
    assert find_coordinates(angle) == []


def test_a_pier_is_still_california() -> None:
    (point,) = find_coordinates("34.0075, -118.4990")  # the end of Santa Monica Pier
    assert point.in_california


@given(st.floats(33.5, 40.5), st.floats(-119.0, -118.0))
def test_what_is_written_is_read(lat: float, lon: float) -> None:
    for text in (f"{lat:.5f}, {lon:.5f}", f"{lat:.5f}N {-lon:.5f}W", f"lat {lat:.5f} lon {lon:.5f}"):
        (point,) = find_coordinates(text)
        assert (point.lat, point.lon) == pytest.approx((lat, lon), abs=6e-6)


@given(st.text(alphabet="0123456789.,-−°'\"′″NSEWnsew lato:;/&()|", max_size=80))
def test_any_text_is_survived(text: str) -> None:
    last = 0
    for point in find_coordinates(text):
        assert -90 <= point.lat <= 90
        assert -180 <= point.lon <= 180
        assert last <= point.span[0] < point.span[1] <= len(text)
        last = point.span[1]


@pytest.mark.parametrize(
    "piece",
    ["9", "39.9 ", "39, ", "N ", "lat ", "39 56 12 ", "39°", "-", "° ' \" ", "39d56m", "1 ", "a", "39.9,-120.9 ", "1:", "39,94 "],
)  # fmt: skip
def test_no_text_is_slow(piece: str) -> None:
    def seconds(length: int) -> float:
        text = (piece * length)[:length]
        start = time.process_time()
        find_coordinates(text)
        return time.process_time() - start

    find_coordinates("39.9, -120.9")  # reads the polygons
    assert min(seconds(10_000) for _ in range(3)) < 0.15  # 0.05 s on an idle machine; quadratic would be minutes
