"""Points in grid codes: MGRS (also called USNG) references and plus codes, whole or shortened to a town.

MGRS is UTM with letters for the zone's band and for the square of 100 km (NGA.STND.0037, "Universal Grids and Grid
Reference Systems"); a plus code is base 20 digits of latitude and longitude in turn (Open Location Code specification).
Both name cells; the middle of the cell is returned.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from csrag.places.utm import GridPoint, utm_to_lat_lon

_MGRS: Final = re.compile(
    r"(?<![\w.])(?P<zone>[1-9]|[1-5]\d|60)\s?(?P<band>[n-x])\s?(?P<square>[a-hj-np-z][a-hj-np-v])\s?"
    r"(?P<digits>\d{2}\s\d{2}|\d{3}\s?\d{3}|\d{4}\s?\d{4}|\d{5}\s?\d{5}|\d{4})(?!\s?\d)(?![\w%])(?!\.\d)",
    re.IGNORECASE,
)
_BANDS: Final = "CDEFGHJKLMNPQRSTUVWX"
_COLUMNS: Final = ("STUVWXYZ", "ABCDEFGH", "JKLMNPQR")
_ROWS: Final = "ABCDEFGHJKLMNPQRSTUV"
_SQUARE_M: Final = 100_000
_MOST_FROM_MERIDIAN: Final = 4.0
"""Degrees of longitude from the zone's meridian at which a square still belongs to it."""
_ALPHABET: Final = "23456789cfghjmpqrvwx"
_PLUS: Final = re.compile(
    rf"(?<![\w+.])(?P<head>(?:[{_ALPHABET}]{{2}}){{2,4}}|[{_ALPHABET}]{{4}}0000|"
    rf"[{_ALPHABET}]{{6}}00)\+(?P<tail>[{_ALPHABET}]{{2,6}})?(?![\w+])",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class ShortCode:
    """A plus code without its leading digits; a place near by completes it.

    Parameters
    ----------
    code : str
        Lower case, with its plus.
    span : tuple of int
        Where it stands in the text.
    """

    code: str
    span: tuple[int, int]

    def near(self, lat_deg: float, lon_deg: float) -> tuple[float, float]:
        """Latitude and longitude [degrees] of the cell of this code that is nearest to a point.

        Parameters
        ----------
        lat_deg, lon_deg : float
            The place it is shortened to [degrees].
        """
        missing = 8 - self.code.index("+")
        block = 20.0 ** (2 - missing // 2)
        whole = _encoded(lat_deg, lon_deg)[:missing] + self.code
        lat, lon = decode_plus_code(whole)
        return _nearest(lat, lat_deg, block), _nearest(lon, lon_deg, block)


def _nearest(value: float, reference: float, block: float) -> float:
    """`value` moved by whole blocks to within half a block of `reference` [degrees]."""
    return value + block * round((reference - value) / block)


def _encoded(lat_deg: float, lon_deg: float) -> str:
    """First eight digits of a point's plus code."""
    y, x = lat_deg + 90.0, lon_deg + 180.0
    out = ""
    for step in (20.0, 1.0, 0.05, 0.0025):
        out += _ALPHABET[int(y / step) % 20] + _ALPHABET[int(x / step) % 20]
    return out


def decode_plus_code(code: str) -> tuple[float, float]:
    """Latitude and longitude [degrees] of the middle of a whole plus code's cell.

    Parameters
    ----------
    code : str
        Eight digits before the plus, the last of them zeros where the cell is large.
    """
    digits = code.lower().replace("+", "").rstrip("0")
    lat, lon, step = -90.0, -180.0, 20.0
    for i in range(0, min(len(digits), 10), 2):
        step = 20.0 / 20.0 ** (i // 2)
        lat += _ALPHABET.index(digits[i]) * step
        lon += _ALPHABET.index(digits[i + 1]) * step
    tall = wide = step
    for digit in digits[10:]:
        tall, wide = tall / 5, wide / 4
        row, column = divmod(_ALPHABET.index(digit), 4)
        lat, lon = lat + row * tall, lon + column * wide
    return lat + tall / 2, lon + wide / 2


def find_mgrs(text: str) -> Iterator[GridPoint]:
    """Points of a text in MGRS ("10TFK 6190 4428"), northern hemisphere; letters that name no square there are left alone."""
    for m in _MGRS.finditer(text):
        point = _mgrs_point(m)
        if point is not None:
            lat, lon, band = point
            mended = "" if band == m["band"].upper() else f", the band being {band}"
            said = " ".join(m[0].upper().split())
            yield GridPoint(lat, lon, m.span(), f"MGRS {said} = {lat:.5f}, {lon:.5f} (WGS 84){mended}")


def _mgrs_point(m: re.Match[str]) -> tuple[float, float, str] | None:
    """Middle of the cell [degrees] and its band; None where the square lies neither in the band named nor in the next one."""
    zone, band, square = int(m["zone"]), m["band"].upper(), m["square"].upper()
    digits = re.sub(r"\s", "", m["digits"])
    half = len(digits) // 2
    if half == 2 and " " not in m["digits"].strip() and " " in m[0][: m.start("digits") - m.start()]:
        return None  # "10 TFK 2030" says too little to be told from other numbers
    cell = 10 ** (5 - half)
    column = _COLUMNS[zone % 3].find(square[0])
    row = _ROWS.find(square[1])
    if column < 0 or row < 0 or band in "IO":
        return None
    easting = (column + 1) * _SQUARE_M + (int(digits[:half]) + 0.5) * cell
    base = ((row - (5 if zone % 2 == 0 else 0)) % 20) * _SQUARE_M + (int(digits[half:]) + 0.5) * cell
    named = _BANDS.index(band)
    # A wrong band letter is mended where there are digits enough that the whole can be nothing else.
    for k in (named, named - 1, named + 1) if half > 2 else (named,):
        south, tall = k * 8 - 80, 12 if k == len(_BANDS) - 1 else 8
        for turn in range(5):
            lat, lon = utm_to_lat_lon(zone, easting, base + turn * 2_000_000)
            if south - 0.01 <= lat <= south + tall + 0.01 and abs(lon - (zone * 6 - 183)) < _MOST_FROM_MERIDIAN:
                return round(lat, 7), round(lon, 7), _BANDS[min(k, len(_BANDS) - 1)]
    return None


def _whole_plus_codes(text: str) -> Iterator[GridPoint]:
    for m in _PLUS.finditer(text):
        code = m[0].lower()
        if len(m["head"]) == 8 and any(c.isdigit() for c in code):
            lat, lon = decode_plus_code(code)
            yield GridPoint(round(lat, 7), round(lon, 7), m.span(), f"plus code {m[0].upper()} = {lat:.5f}, {lon:.5f}")


def find_short_codes(text: str) -> Iterator[ShortCode]:
    """Plus codes that are shortened to a place ("W3R9+FX Quincy")."""
    for m in _PLUS.finditer(text):
        if len(m["head"]) < 8 and m["tail"] and any(c.isdigit() for c in m[0]):
            yield ShortCode(m[0].lower(), m.span())


def find_grid_codes(text: str) -> Iterator[GridPoint]:
    """MGRS references and whole plus codes of a text."""
    yield from find_mgrs(text)
    if "+" in text:
        yield from _whole_plus_codes(text)
