"""Grid references and plus codes as coordinates."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csrag.ask.intent import parse
from csrag.places.grid_codes import decode_plus_code, find_grid_codes, find_mgrs, find_short_codes

KM_PER_DEGREE = 111.2


def km_between(lat: float, lon: float, lat_2: float, lon_2: float) -> float:
    return KM_PER_DEGREE * math.hypot(lat - lat_2, (lon - lon_2) * math.cos(math.radians(lat)))


# The first is the example of the plus code specification's site (Google, Mountain View); the MGRS letters of Sacramento
# (10SFH) and Quincy (10SFK) are those of the USGS maps.
@pytest.mark.parametrize(
    ("code", "lat", "lon"),
    [("849VCWC8+R9", 37.4220, -122.0841), ("84GW8Q49+G6", 40.3063, -121.2319), ("84GW0000+", 40.5, -121.5)],
)
def test_whole_plus_codes(code: str, lat: float, lon: float) -> None:
    assert decode_plus_code(code) == (pytest.approx(lat, abs=2e-4), pytest.approx(lon, abs=2e-4))


@pytest.mark.parametrize(
    ("words", "lat", "lon", "within_km"),
    [
        ("10SFH 3025 7130", 38.581, -121.505, 1.0), ("10TFK 61904 42806", 40.12, -121.10, 0.1),
        ("10t fk 619 428", 40.12, -121.10, 0.2),
        ("10SFJ87115231", 39.30, -120.83, 0.1), ("11S MB 12 34", 37.353, -117.988, 1.0),
    ],
)  # fmt: skip
def test_mgrs_references(words: str, lat: float, lon: float, within_km: float) -> None:
    (point,) = find_mgrs(f"10 MW at {words}, cost?")
    assert km_between(point.lat, point.lon, lat, lon) < within_km


@given(st.floats(32.6, 41.9), st.floats(-124.3, -114.3))
def test_mgrs_agrees_with_the_projection_library(lat: float, lon: float) -> None:
    transformer = pytest.importorskip("pyproj", reason="the extra gis is not installed").Transformer
    zone = int((lon + 180) // 6) + 1
    easting, northing = transformer.from_crs(4326, 32600 + zone, always_xy=True).transform(lon, lat)
    column = ("STUVWXYZ", "ABCDEFGH", "JKLMNPQR")[zone % 3][int(easting // 1e5) - 1]
    row = "ABCDEFGHJKLMNPQRSTUV"[(int(northing // 1e5) + (5 if zone % 2 == 0 else 0)) % 20]
    band = "CDEFGHJKLMNPQRSTUVWX"[int((lat + 80) // 8)]
    (point,) = find_mgrs(f"{zone}{band} {column}{row} {int(easting % 1e5):05d} {int(northing % 1e5):05d}")
    assert km_between(point.lat, point.lon, lat, lon) < 0.002


def test_a_wrong_band_letter_is_mended_and_said() -> None:
    query = parse("10 MW at 10TFK 74900 23000")
    (site,) = query.locations
    assert km_between(site.lat or 0, site.lon or 0, 39.9391, -120.9529) < 0.1
    assert any("the band being S" in n for n in query.notes)


def test_a_short_plus_code_belongs_to_the_place_beside_it() -> None:
    query = parse("5 MW at W3R9+FX Quincy, what would chips cost")
    (site,) = query.locations
    assert site.kind == "coordinates"
    assert km_between(site.lat or 0, site.lon or 0, 39.9412, -120.9301) < 0.05
    assert query.capacity_mw == 5


@pytest.mark.parametrize(
    "text", ["20 MW at Weed TFA 20 40", "10 TFB 40 20 60", "5 + 7 MW", "C++", "10 MW in Quincy", "11 SDI 30 55", "12 MW at 96013+"]
)  # fmt: skip
def test_ordinary_words_are_no_codes(text: str) -> None:
    assert not list(find_grid_codes(text))
    assert not list(find_short_codes(text))
