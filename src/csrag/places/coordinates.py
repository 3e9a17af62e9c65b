"""Coordinates in running text, in every usual notation, always returned as latitude and longitude.

A number alone is never a coordinate. Two neighbouring numbers are one when something says so: degree marks, compass
letters, the words latitude and longitude, or plain decimals that fall in California in one of the two orders. What was
repaired (a missing minus sign, the order) stands in the notes; a point outside California is returned with a note.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from csrag.geo import in_california_box

MISSING_MINUS: Final = "missing minus sign on the longitude"
SWAPPED: Final = "read as longitude, latitude: only that order lies in California"
DECIMAL_COMMA: Final = "decimal commas read as decimal points"
OUTSIDE: Final = "the point lies outside California"
SHORE_KM: Final = 1.0
"""A point this near the state's outline counts as inside: the outline is good to about 0.1 km, piers stick out."""


@dataclass(frozen=True)
class CoordinateMatch:
    """A point named in a text.

    Parameters
    ----------
    lat, lon : float
        Point [degrees].
    span : tuple of int
        Start and end of the words in the text.
    notes : tuple of str
        What was repaired or assumed; empty where the point was taken as written.
    in_california : bool
        Whether it lies in California (or within a km of its shore or border).
    """

    lat: float
    lon: float
    span: tuple[int, int]
    notes: tuple[str, ...] = ()
    in_california: bool = True


@dataclass(frozen=True)
class _Angle:
    """One number that may be an angle: value with its sign, what is known of its role, and how it was written."""

    value: float
    role: str  # "lat", "lon" or ""
    signed: bool  # a minus sign or a compass letter fixes the sign
    marked: bool  # degree mark, minutes, compass letter or label
    decimals: int
    start: int
    end: int


# Every repetition is bounded, so the search is linear in the length of the text.
_NUMBER = r"\d{1,3}(?:\.\d{1,15})?"
_DEGREE = r"(?:[°º˚]|degrees?\b|degs?\b\.?|grados?\b)"
_MINUTE = r"(?:['′’ʹ`](?!['′’])|minutes?\b|mins?\b\.?|minutos?\b)"
_SECOND = r"(?:[\"″”“]|''|′′|’’|seconds?\b|secs?\b\.?|segundos?\b)"
_COMPASS = r"(?:north|south|east|west|norte|sur|este|oeste|[nsew])(?![a-z0-9])"
_LABEL = r"(?:latitude|latitud|lat|longitude|longitud|long|lon|lng)"

_ANGLE: Final = re.compile(
    rf"""
    (?<![\w.$€])
    (?:(?P<label>{_LABEL})\.?\s{{0,2}}[:=]?\s{{0,2}}(?:is\s|of\s)?|(?P<lead>north|south|east|west|[nsew])\s{{0,2}})?
    (?P<sign>[-−–+])?
    (?:
        (?P<d1>\d{{1,3}})(?:d|\s?[:]\s?|\s)(?P<m1>\d{{1,2}}(?:\.\d{{1,12}})?)
            (?:m|(?=\s?[nsew](?![a-z0-9]))|(?:[:]|\s)(?=\d))
            (?:(?P<s1>\d{{1,2}}(?:\.\d{{1,12}})?)s?)?
            \s?(?P<c1>[nsew])(?![a-z0-9])
      |
        (?P<d2>{_NUMBER})(?![\d])(?!\.\d)
        (?:
            \s{{0,2}}(?P<mark>{_DEGREE})
            (?:\s{{0,2}}(?P<m2>\d{{1,2}}(?:\.\d{{1,12}})?)\s{{0,2}}{_MINUTE}
               (?:\s{{0,2}}(?P<s2>\d{{1,2}}(?:\.\d{{1,12}})?)\s{{0,2}}{_SECOND})?)?
        )?
        (?(lead)|(?:\s{{0,2}}(?P<c2>{_COMPASS}))?)
    )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_GAP: Final = re.compile(r"[\s,;/|&()\[\]]{1,6}|[\s,;]{0,3}(?:and|by|y|&)[\s,;]{1,3}", re.IGNORECASE)
_UNIT: Final = re.compile(
    r"\s{0,2}(?:%|/|[$€]|(?:percent|pct|mw|kw|gw|mwh|kwh|bdt|bdmt|gt|tons?|tonnes?|km|kilomet|mi\b|miles?|acres?|ha\b"
    r"|hectares?|usd|dollars?|cents?|years?|hours?|m\b|ft\b|feet|degrees? (?:f|c)\b|psi|btu))",
    re.IGNORECASE,
)
_LIST_BEFORE: Final = re.compile(r"\d\s?,\s?$")
_LIST_AFTER: Final = re.compile(r"\s?,?\s?(?:and|or|,)\s?[$]?\d{1,6}(?:\.\d{1,6})?(?P<rest>.{0,12})", re.IGNORECASE)
_MONEY_BEFORE: Final = re.compile(
    r"(?:[$€]|usd|costs?|prices?|priced|wages?|paying|pays?|factors?|between|from|values?|rates?)\s?(?:of|at|are|is|:)?\s?$",
    re.IGNORECASE,
)
_COMMA_PAIR: Final = re.compile(
    r"(?<![\w.,-])(?P<a>[-−]?\d{2,3}),(?P<af>\d{2,8})(?:\s?[;/|]\s?|\s)(?P<b>[-−]?\d{2,3}),(?P<bf>\d{2,8})(?![\w,])"
)


_MINUS: Final = ("-", "−", "–")


def _role(word: str) -> str:
    """Whether a label or compass word speaks of a latitude or a longitude."""
    if not word:
        return ""
    return "lat" if word[:3].lower() == "lat" or word[0] in "nNsS" else "lon"


def _angle(m: re.Match[str]) -> _Angle | None:
    """What a match says; None where minutes or seconds are out of range or the compass contradicts the label."""
    label, lead, sign, d1, m1, s1, c1, d2, mark, m2, s2, c2 = m.groups()
    degrees, minutes, seconds = d1 or d2, m1 or m2, s1 or s2
    compass = (c1 or c2 or lead or "").lower()
    value = float(degrees)
    if minutes:
        if float(minutes) >= 60 or float(seconds or 0) >= 60 or "." in degrees:
            return None
        value += float(minutes) / 60 + float(seconds or 0) / 3600
    role = _role(label or "")
    if compass:
        if role and role != _role(compass):
            return None
        role = _role(compass)
    minus = compass[0] in "sw" or compass == "oeste" if compass else sign in _MINUS
    decimals = len(degrees.partition(".")[2]) + (2 if minutes else 0)
    signed, marked = bool(minus or compass), bool(compass or label or mark or minutes)
    return _Angle(-value if minus else value, role, signed, marked, decimals, m.start(), m.end())


def _arranged(a: _Angle, b: _Angle) -> tuple[float, float, tuple[str, ...]] | None:
    """Latitude, longitude and notes of two angles; None where they cannot be a pair."""
    if a.role and a.role == b.role:
        return None
    swapped_only = a.role == "lon" or b.role == "lat"
    orders = [(b, a, False)] if swapped_only else [(a, b, False)]
    if not (a.role or b.role):
        orders.append((b, a, True))
    for repair in (False, True):
        for lat, lon, swapped in orders:
            if repair and (lon.signed or lon.value <= 0):
                continue
            x = -lon.value if repair else lon.value
            if in_california_box(lat.value, x):
                notes = ((SWAPPED,) if swapped else ()) + ((MISSING_MINUS,) if repair else ())
                return lat.value, x, notes
    for lat, lon, _ in orders:
        if abs(lat.value) <= 90 and abs(lon.value) <= 180:
            return lat.value, lon.value, (OUTSIDE,)
    return None


def _speaks_for_itself(a: _Angle, b: _Angle, inside: bool) -> bool:
    """Whether the way the two numbers are written makes them coordinates, whatever stands around them."""
    if a.marked and b.marked:
        return inside or bool(a.role and b.role) or min(a.decimals, b.decimals) > 0
    if inside:
        one_negative = a.value < 0 or b.value < 0
        return one_negative and (max(a.decimals, b.decimals) > 0 or a.marked or b.marked)
    return min(a.decimals, b.decimals) >= 3 or (min(a.decimals, b.decimals) >= 2 and min(a.value, b.value) < 0)


def _fits_in(text: str, a: _Angle, b: _Angle, inside: bool, free_from: int) -> bool:
    """Whether bare numbers that fall in California are coordinates, judged by what stands around them."""
    if not inside:
        return False
    before, after = text[max(free_from, a.start - 24) : a.start], text[b.end : b.end + 40]
    if _UNIT.match(after) or _MONEY_BEFORE.search(before) or _LIST_BEFORE.search(before):
        return False
    if a.value < 0 or b.value < 0 or a.marked or b.marked:
        return True
    if min(a.decimals, b.decimals) < 1:
        return False
    more = _LIST_AFTER.match(after)
    return more is None or bool(_UNIT.match(more["rest"])) or bool(_GAP.match(more["rest"]))


def _with_comma(text: str) -> Iterator[CoordinateMatch]:
    """Pairs with decimal commas; only those with a minus sign that fall in California, for 37,500 is a number too."""
    for m in _COMMA_PAIR.finditer(text):
        first, second = (float(f"{m[x].replace('−', '-')}.{m[x + 'f']}") for x in "ab")
        if in_california_box(first, second):
            yield CoordinateMatch(first, second, m.span(), (DECIMAL_COMMA,))
        elif in_california_box(second, first):
            yield CoordinateMatch(second, first, m.span(), (DECIMAL_COMMA, SWAPPED))


@lru_cache(maxsize=1024)
def _inside(lat: float, lon: float) -> bool:
    """Whether a point lies in California or within `SHORE_KM` of it; the polygons are read on first use."""
    from csrag.places.counties import OUTSIDE as NO_COUNTY
    from csrag.places.counties import county_of

    if not in_california_box(lat, lon):
        return False
    dlat = SHORE_KM / 111.2
    dlon = dlat * 1.27  # 1 / cos(38 deg)
    near = county_of([lat, lat + dlat, lat - dlat, lat, lat], [lon, lon, lon, lon + dlon, lon - dlon])
    return bool((near != NO_COUNTY).any())


def find_coordinates(text: str) -> list[CoordinateMatch]:
    """Every point named in a text.

    Parameters
    ----------
    text : str
        A question.

    Returns
    -------
    list of CoordinateMatch
        In order of appearance, not overlapping; latitude and longitude [degrees, WGS 84].

    Notes
    -----
    Understood are decimal degrees, degrees and decimal minutes, degrees, minutes and seconds (marks, primes, words or
    bare numbers with a compass letter), either order, parted by comma, blank, slash, semicolon or "and", with or
    without labels. Time is linear in the length of the text.
    """
    found = list(_with_comma(text))
    taken = [m.span for m in found]
    angles = [a for a in map(_angle, _ANGLE.finditer(text)) if a is not None]
    i, free_from = 0, 0
    while i + 1 < len(angles):
        a, b = angles[i], angles[i + 1]
        i += 1
        if not (a.marked or b.marked or a.decimals or b.decimals or a.signed or b.signed):
            continue  # plain whole numbers
        if any(s < b.end and a.start < e for s, e in taken) or b.start - a.end > 8:
            continue
        gap = text[a.end : b.start]
        if not (_GAP.fullmatch(gap) or (not gap and a.marked and b.marked)):
            continue
        arranged = _arranged(a, b)
        if arranged is None:
            continue
        lat, lon, notes = arranged
        inside = OUTSIDE not in notes
        if not (_speaks_for_itself(a, b, inside) or _fits_in(text, a, b, inside, free_from)):
            continue
        if inside and not _inside(lat, lon):
            notes, inside = (*notes, OUTSIDE), False
        found.append(CoordinateMatch(round(lat, 9), round(lon, 9), (a.start, b.end), notes, inside))
        free_from = b.end
        i += 1
    return sorted(found, key=lambda m: m.span)
