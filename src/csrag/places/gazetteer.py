"""Offline gazetteer of California: exact look-up of names, fuzzy look-up of misspellings, ZIP codes, nearest towns.

Everything is a hash look-up on keys made by `csrag.places.normal.fold`; the data were baked by tools/bake_places.py
from the sources that data/NOTICE names. Places outside California are known too, so that they can be refused by name
instead of being mistaken for a Californian namesake.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from csrag.geo import haversine_km
from csrag.places.normal import fold, fold_token, join_tokens
from csrag.places.states import STATE_CODES, STATE_NAMES, WORDLIKE_CODES

Kind = Literal["place", "county", "zip", "forest", "region", "plant", "outside"]
MAX_TOKENS: Final = 5
"""Longest name, in tokens, that `scan` looks for."""
MUCH_BIGGER: Final = 20
"""A town this many times as big as its namesake is taken without offering the other."""
SMALL_COMMUNITY: Final = 300
"""Inhabitants assumed of a community whose number is not known (the sources count from 500)."""
_RANK: Final = {"place": 0, "county": 1, "forest": 2, "region": 3, "plant": 4, "zip": 5, "outside": 6}


@dataclass(frozen=True)
class Place:
    """One place.

    Parameters
    ----------
    name : str
        Proper name: "Mount Shasta", "Plumas County", "Plumas National Forest", "ZIP 95971".
    kind : str
        place, county, zip, forest, region, plant, or outside (not in California).
    county : str or None
        County without the word County; None for what spans several and for what lies outside.
    lat, lon : float
        Representative point [degrees]. For a plant it is its town's (see `approximate`).
    state : str
        Two-letter state; MX for Mexico.
    population : int
        Inhabitants; 0 where unknown.
    zip_lat, zip_lon : float or None
        Point of the post office's ZIP area [degrees], kept apart from the town's centre.
    aliases : tuple of str
        Other names.
    town : str
        ZIP: its post office. Plant: its town.
    counties : tuple of str
        Member counties of a forest or region.
    note : str
        What kind of plant it is.
    common_word : bool
        The name is an ordinary English word too (Weed, Likely, Cool): take it for a place only with a cue.
    approximate : bool
        The point is that of the town, not of the thing itself.
    """

    name: str
    kind: Kind
    county: str | None
    lat: float
    lon: float
    state: str = "CA"
    population: int = 0
    zip_lat: float | None = None
    zip_lon: float | None = None
    aliases: tuple[str, ...] = ()
    town: str = ""
    counties: tuple[str, ...] = ()
    note: str = ""
    common_word: bool = False
    approximate: bool = False

    @property
    def is_state(self) -> bool:
        """Whether it is a whole state of the US other than California."""
        return self.kind == "outside" and STATE_NAMES.get(self.state) == self.name

    @property
    def label(self) -> str:
        """Name with what tells it from its namesakes: "Quincy, Plumas County", "Reno, NV"."""
        if self.kind == "outside":
            return self.name if self.is_state else f"{self.name}, {self.state}"
        if self.county and self.kind in {"place", "plant", "zip"}:
            return f"{self.name}, {self.county} County"
        return self.name


@dataclass(frozen=True)
class Match:
    """Tokens `start` up to but without `end` name one of `places`, best reading first.

    `needs_cue` is set where the words are ordinary English too, so that a preposition, a capital letter inside a
    sentence or a list of places must speak for the place.
    """

    start: int
    end: int
    text: str
    places: tuple[Place, ...]
    needs_cue: bool = False

    @property
    def place(self) -> Place:
        """The best reading."""
        return self.places[0]


@dataclass(frozen=True)
class FuzzyMatch:
    """A misspelt name, the place taken for it, its score (0 to 100), and the next best different place."""

    text: str
    place: Place
    score: float
    runner_up: Place | None = None
    runner_up_score: float = 0.0


def _text(name: str) -> str:
    return resources.files("csrag.places").joinpath("data", name).read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def lines() -> tuple[str, ...]:
    """Raw lines of places.tsv."""
    return tuple(_text("places.tsv").splitlines())


@lru_cache(maxsize=1)
def index() -> dict[str, list[int]]:
    """Key to line numbers, in the order of the file: best reading of a key first within its kind."""
    out: dict[str, list[int]] = {}
    for i, line in enumerate(lines()):
        for key in line[: line.index("\t")].split("|"):
            out.setdefault(key, []).append(i)
    return out


@lru_cache(maxsize=4096)
def place(i: int) -> Place:
    """Place of line `i`."""
    _, name, kind, county, lat, lon, state, population, zip_point, aliases, town, source = lines()[i].split("\t")
    zip_lat, _, zip_lon = zip_point.partition(",")
    members = kind in {"forest", "region"}
    where, _, note = town.partition("; ")
    return Place(
        name=name,
        kind=kind,  # type: ignore[arg-type]
        county=county or None,
        lat=float(lat),
        lon=float(lon),
        state=state,
        population=int(population or 0),
        zip_lat=float(zip_lat) if zip_lat else None,
        zip_lon=float(zip_lon) if zip_lon else None,
        aliases=tuple(a for a in aliases.split("|") if a),
        town="" if members else where,
        counties=tuple(town.split("|")) if members and town else (),
        note=note,
        common_word=source.endswith("c"),
        approximate=kind == "plant",
    )


def _drop_city(key: str) -> str:
    """The key itself if it is known, else without a trailing "city" or "town" if that is known."""
    if key not in index():
        for tail in (" city", " town", " ca", " california", " village"):
            if key.endswith(tail) and key.removesuffix(tail) in index():
                return key.removesuffix(tail)
    return key


def normalise(text: str) -> str:
    """Key of a name: lower case, accents folded, abbreviations expanded, a needless "City" dropped.

    Parameters
    ----------
    text : str
        A name in any spelling: "Mt. Shasta City" gives "mount shasta", "Nevada City" stays as it is.
    """
    return _drop_city(fold(text))


def _rank(p: Place) -> int:
    return _RANK[p.kind]


def _readings(key: str) -> tuple[Place, ...]:
    """All places of a key, towns first, then counties, forests, regions, plants, the rest of the world."""
    return tuple(sorted((place(i) for i in index().get(key, ())), key=_rank))


def lookup(name: str) -> tuple[Place, ...]:
    """Every place of that name, best reading first; empty where there is none.

    Parameters
    ----------
    name : str
        A name, a ZIP code ("96013", "ZIP 96013"), or a name with its county or state ("Quincy, CA", "Lakeview OR").

    Returns
    -------
    tuple of Place
        Town before county before forest before region before plant before what lies outside California. Namesakes in
        California all stand in it; see `equal_readings` for those that are equally good.
    """
    digits = name.strip().lower().removeprefix("zip").removeprefix(" code").strip()
    if digits[:5].isdecimal() and len(digits) in (5, 10):
        found = zip_place(digits[:5])
        return (found,) if found else ()
    found_all = _readings(normalise(name))
    if found_all:
        return found_all
    tokens = name.replace(",", " ").split()
    matches = scan(tokens)
    if matches and (matches[0].start, matches[0].end) == (0, len(tokens)):
        return matches[0].places
    return ()


def equal_readings(places: Sequence[Place]) -> tuple[Place, ...]:
    """The leading readings that are equally good: more than one means that the user should be offered the choice.

    Parameters
    ----------
    places : sequence of Place
        From `lookup` or a `Match`.

    Notes
    -----
    Only namesakes of the leader's own kind compete, and one that is less than a twentieth of the biggest is left out.
    """
    if not places:
        return ()
    rivals = [p for p in places if p.kind == places[0].kind and p.kind == "place"]
    if len(rivals) < 2:
        return (places[0],)
    biggest = max(p.population for p in rivals)
    kept = [p for p in rivals if (p.population or SMALL_COMMUNITY) * MUCH_BIGGER >= biggest]
    return tuple(sorted(kept, key=lambda p: p is not places[0]))


def scan(tokens: Sequence[str]) -> list[Match]:
    """Every place named in a list of tokens.

    Parameters
    ----------
    tokens : sequence of str
        Words of the question in their order and in their own case (a state code such as OR counts only in capitals);
        punctuation at their ends does no harm.

    Returns
    -------
    list of Match
        Non-overlapping, in order of appearance; at each token the longest name wins. A county or state that follows
        ("Quincy, Plumas County", "Greenville CA", "Lakeview OR") is part of the match and decides between namesakes.
    """
    keys = [fold_token(t) for t in tokens]
    out: list[Match] = []
    at = 0
    while at < len(keys):
        end, readings = _longest(keys, at)
        if not readings:
            at += 1
            continue
        end, readings, qualified = _qualify(tokens, keys, end, readings)
        cue = readings[0].common_word and not qualified
        out.append(Match(at, end, " ".join(tokens[at:end]), readings, cue))
        at = end
    return out


def _longest(keys: Sequence[str], at: int) -> tuple[int, tuple[Place, ...]]:
    """End and readings of the longest known name that begins at token `at`."""
    if not keys[at]:
        return at, ()
    for end in range(min(len(keys), at + MAX_TOKENS), at, -1):
        if not keys[end - 1]:
            continue
        key = join_tokens(list(keys[at:end]))
        if len(key) < 2 or (end - at == 1 and len(key) == 2):
            continue  # bare two-letter words are no places; a state's code counts only after a name
        known = key if key in index() else (_drop_city(key) if end - at > 1 else key)
        if known in index():
            return end, _readings(known)
    return at, ()


def _qualify(
    tokens: Sequence[str], keys: Sequence[str], end: int, readings: tuple[Place, ...]
) -> tuple[int, tuple[Place, ...], bool]:
    """Take in a county or state that follows the name and keep the readings that agree with it."""
    if end >= len(keys) or readings[0].is_state:
        return end, readings, False
    following, more = _longest(keys, end)
    counties = [p for p in more if p.kind == "county"]
    if counties and keys[following - 1].endswith("county") and following - end >= 2:
        kept = tuple(p for p in readings if p.county == counties[0].county and p.kind != "county")
        return (following, kept, True) if kept else (end, readings, False)
    token, key = tokens[end].strip(".,;:!?()"), keys[end]
    if key in {"ca", "california", "calif"}:
        if following - end > 1:
            return end, readings, False  # "Quincy California Hot Springs" is two places
        kept = tuple(p for p in readings if p.state == "CA")
        return (end + 1, kept, True) if kept else (end, readings, False)
    code, stop = _state_at(token, keys, end)
    if code is None or (more and following > stop):
        return end, readings, False
    kept = tuple(p for p in readings if p.state == code)
    if kept:
        return stop, kept, True
    if stop - end == 1 and len(key) == 2 and code in WORDLIKE_CODES:
        return end, readings, False
    if code == "NV" and key == "nevada":  # Truckee, Nevada: the county, unless it is said to be the state
        in_county = tuple(p for p in readings if p.county == "Nevada")
        if in_county:
            return stop, in_county, True
    return stop, (_elsewhere(readings[0].name, code),), True


def _state_at(token: str, keys: Sequence[str], at: int) -> tuple[str | None, int]:
    """State named at token `at`, and the token after it."""
    two = " ".join(keys[at : at + 2])
    if " " in two and two in STATE_CODES:
        return STATE_CODES[two], at + 2
    if keys[at] in STATE_CODES:
        return STATE_CODES[keys[at]], at + 1
    bare = token.replace(".", "")
    if bare.upper() in STATE_NAMES and len(bare) == 2 and (bare.isupper() or bare.upper() not in WORDLIKE_CODES):
        return bare.upper(), at + 1
    return None, at


def _elsewhere(name: str, code: str) -> Place:
    """A place that is said to lie in another state and that the gazetteer does not hold there: the state's point."""
    state = _readings(STATE_NAMES[code].lower())
    point = next(p for p in state if p.state == code)
    return Place(name, "outside", None, point.lat, point.lon, state=code, approximate=True)


@lru_cache(maxsize=1)
def _zips() -> dict[str, str]:
    return {line[:5]: line for line in _text("zips.tsv").splitlines()}


@lru_cache(maxsize=1)
def _prefixes() -> dict[str, tuple[str, float, float]]:
    return {k: (v[0], v[1], v[2]) for k, v in json.loads(_text("zip_prefixes.json")).items()}


def zip_place(code: str) -> Place | None:
    """Place of a ZIP code.

    Parameters
    ----------
    code : str
        Five digits, with or without the four that may follow.

    Returns
    -------
    Place or None
        Kind zip in California, kind outside with its state elsewhere; None where no such ZIP exists (or, outside
        California, no ZIP with these first three digits).
    """
    digits = code.strip()[:5]
    if len(digits) != 5 or not (digits.isascii() and digits.isdigit()):
        return None
    line = _zips().get(digits)
    if line is not None:
        _, town, state, county, lat, lon = line.split("\t")
        kind: Kind = "zip" if state == "CA" else "outside"
        return Place(
            f"ZIP {digits}", kind, county or None, float(lat), float(lon), state, aliases=(digits,), town=town,
            zip_lat=float(lat), zip_lon=float(lon),
        )  # fmt: skip
    state, plat, plon = _prefixes().get(digits[:3], ("CA", 0.0, 0.0))
    if state == "CA":
        return None
    return Place(f"ZIP {digits}", "outside", None, plat, plon, state, aliases=(digits,), approximate=True)


def county(name: str) -> Place | None:
    """County of that name, with or without the word County; None where California has none."""
    key = fold(name)
    for candidate in (key, f"{key} county"):
        for p in _readings(candidate):
            if p.kind == "county":
                return p
    return None


@dataclass(frozen=True)
class Towns:
    """Californian towns as columns: names, latitude and longitude [degrees], population (0 unknown)."""

    name: tuple[str, ...]
    county: tuple[str, ...]
    lat: NDArray[np.float64]
    lon: NDArray[np.float64]
    population: NDArray[np.int64]
    line: NDArray[np.int64]


@lru_cache(maxsize=1)
def towns() -> Towns:
    """All Californian towns; arrays are read-only and shared."""
    rows = [(i, line.split("\t", 8)) for i, line in enumerate(lines()) if "\tplace\t" in line]
    lat = np.array([r[4] for _, r in rows], np.float64)
    lon = np.array([r[5] for _, r in rows], np.float64)
    population = np.array([int(r[7] or 0) for _, r in rows], np.int64)
    number = np.array([i for i, _ in rows], np.int64)
    for array in (lat, lon, population, number):
        array.flags.writeable = False
    return Towns(tuple(r[1] for _, r in rows), tuple(r[3] for _, r in rows), lat, lon, population, number)


def place_near(lat_deg: float, lon_deg: float) -> tuple[Place, float]:
    """Nearest Californian town to a point, and its distance [km].

    Parameters
    ----------
    lat_deg, lon_deg : float
        Point [degrees].
    """
    t = towns()
    distance = haversine_km(lat_deg, lon_deg, t.lat, t.lon)
    best = int(np.argmin(distance))
    return place(int(t.line[best])), float(distance[best])


def fuzzy(words: str, *, limit_to: Kind | None = None) -> FuzzyMatch | None:
    """Place meant by a misspelt name; see `csrag.places.spelling.fuzzy`."""
    from csrag.places.spelling import fuzzy as search

    return search(words, limit_to=limit_to)


def nearest_known(name: str) -> list[Place]:
    """Up to three places whose names are most like `name`; see `csrag.places.spelling.nearest_known`."""
    from csrag.places.spelling import nearest_known as search

    return search(name)
