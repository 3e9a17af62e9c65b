"""Points in UTM coordinates, turned into latitude and longitude; codes that cannot be read are recognised.

The inverse of the transverse Mercator projection by Krueger's series in the third flattening n, to the fourth power
(L. Krueger, 1912, as given by C. F. F. Karney, "Transverse Mercator with an accuracy of a few nanometers", J. Geodesy
85, 2011, eqs. 7, 11, 15 and 36): good to well under a millimetre inside a zone.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_A_M: Final = 6_378_137.0
_F: Final = 1 / 298.257223563
_N: Final = _F / (2 - _F)
_SCALE: Final = 0.9996
_FALSE_EASTING_M: Final = 500_000.0
_RADIUS_M: Final = _A_M / (1 + _N) * (1 + _N**2 / 4 + _N**4 / 64)
_BETA: Final = (
    _N / 2 - 2 * _N**2 / 3 + 37 * _N**3 / 96 - _N**4 / 360,
    _N**2 / 48 + _N**3 / 15 - 437 * _N**4 / 1440,
    17 * _N**3 / 480 - 37 * _N**4 / 840,
    4397 * _N**4 / 161280,
)


@dataclass(frozen=True)
class GridPoint:
    """A UTM point in a text: latitude and longitude [degrees, WGS 84], its words, and what was assumed."""

    lat: float
    lon: float
    span: tuple[int, int]
    note: str


def utm_to_lat_lon(zone: int, easting_m: float, northing_m: float) -> tuple[float, float]:
    """Latitude and longitude [degrees, WGS 84] of a point of the northern hemisphere.

    Parameters
    ----------
    zone : int
        1 to 60; California lies in 10 and 11.
    easting_m, northing_m : float
        [m], the easting with its 500 km.
    """
    xi = northing_m / (_SCALE * _RADIUS_M)
    eta = (easting_m - _FALSE_EASTING_M) / (_SCALE * _RADIUS_M)
    xi_0, eta_0 = xi, eta
    for j, beta in enumerate(_BETA, 1):
        xi_0 -= beta * math.sin(2 * j * xi) * math.cosh(2 * j * eta)
        eta_0 -= beta * math.cos(2 * j * xi) * math.sinh(2 * j * eta)
    lon = zone * 6 - 183 + math.degrees(math.atan2(math.sinh(eta_0), math.cos(xi_0)))
    # Tangent of the conformal latitude, then Newton's method for that of the geographic one.
    conformal = math.sin(xi_0) / math.hypot(math.sinh(eta_0), math.cos(xi_0))
    e = math.sqrt(_F * (2 - _F))
    tau = conformal
    for _ in range(4):
        sigma = math.sinh(e * math.atanh(e * tau / math.hypot(1, tau)))
        reached = tau * math.hypot(1, sigma) - sigma * math.hypot(1, tau)
        step = (conformal - reached) / math.hypot(1, reached)
        tau += step * (1 + (1 - e * e) * tau * tau) / ((1 - e * e) * math.hypot(1, tau))
    return math.degrees(math.atan(tau)), lon


_METRES = r"\d{1,3}(?:,\d{3}){1,2}(?:\.\d{1,3})?|\d{6,7}(?:\.\d{1,3})?"
_SIDE = r"(?:east|north)(?:ing)?|[en]"
_EAST = rf"(?:{_SIDE})?\s?[:=]?\s?(?P<e>{_METRES})\s?(?:m?\s?e\b|m\b|east(?:ing)?)?"
_NORTH = rf"(?:{_SIDE})?\s?[:=]?\s?(?P<n>{_METRES})\s?(?:m?\s?n\b|m\b|north(?:ing)?)?"
_ZONE = r"(?P<zone>[1-9]|[1-5]\d|60)\s?(?P<band>[c-hj-np-x])?\b"
_GAP = r"[\s,;/]{1,3}(?:and\s)?"
_FORMS: Final = (
    re.compile(rf"\b(?:utm\s?)?(?:zone\s?)?{_ZONE}[\s,:;)]{{0,3}}{_EAST}{_GAP}{_NORTH}(?:\s?\(?utm\)?)?(?![\d.,]*\d)", re.IGNORECASE),
    re.compile(rf"\butm[\s:]{{0,2}}{_EAST}{_GAP}{_NORTH}[\s,;(]{{0,3}}(?:utm\s?)?zone\s?{_ZONE}\)?", re.IGNORECASE),
    re.compile(rf"(?<![\d.,])\b{_EAST}{_GAP}{_NORTH}[\s,;(]{{0,3}}(?:in\s)?(?:utm\s?(?:zone\s?)?|zone\s?){_ZONE}\)?", re.IGNORECASE),
)  # fmt: skip
_NO_ZONE: Final = re.compile(rf"\butm[\s:]{{0,2}}{_EAST}{_GAP}{_NORTH}(?![\d.,]*\d)", re.IGNORECASE)
_THREE_WORDS: Final = re.compile(r"///[a-z]{2,20}\.[a-z]{2,20}\.[a-z]{2,20}", re.IGNORECASE)
_HINT: Final = re.compile(r"\d{6}|\d,\d{3}")


def find_utm(text: str) -> Iterator[GridPoint]:
    """UTM points of a text ("10T 674900 4423000", "UTM zone 10 N 674900 E 4423000 N"), all written in the same form.

    A point counts where the zone, an easting of 100 to 900 km and a northing of 1,000 to 9,400 km are given.
    """
    if not _HINT.search(text):
        return
    for form in _FORMS:
        found = False
        for m in form.finditer(text):
            zone, easting, northing = int(m["zone"]), _number(m["e"]), _number(m["n"])
            if easting > 1e6 > northing:
                easting, northing = northing, easting
            if not (100e3 <= easting < 900e3 and 1e6 <= northing < 9.4e6):
                continue
            # Without the word the letter must be one of California's bands.
            if (m["band"] or "-").lower() not in "rst" and not re.search(r"utm|zone", m.group(), re.IGNORECASE):
                continue
            lat, lon = utm_to_lat_lon(zone, easting, northing)
            note = f"UTM zone {zone} north, easting {easting:,.0f} m, northing {northing:,.0f} m = {lat:.5f}, {lon:.5f} (WGS 84)"
            yield GridPoint(round(lat, 7), round(lon, 7), m.span(), note)
            found = True
        if found:
            return


def find_unread_codes(text: str) -> Iterator[tuple[tuple[int, int], str]]:
    """Codes that are recognised and not read: three words, UTM without a zone.

    Yields
    ------
    tuple
        Span in the text and a note; "{code}" in the note stands for the user's own characters.
    """
    for m in _THREE_WORDS.finditer(text):
        yield m.span(), "three-word addresses are not read: give latitude and longitude or a place"
    for m in _NO_ZONE.finditer(text):
        yield m.span(), "UTM coordinates need their zone (10 or 11 in California), such as 10T 674900 4423000"


def _number(text: str) -> float:
    return float(text.replace(",", ""))
