"""The baked table of places and its index of names; read on first use."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib import resources
from typing import Final

from csrag.places.common_words import COMMON_WORDS
from csrag.places.normal import fold
from csrag.places.records import Place

MUCH_BIGGER: Final = 20
"""A town this many times as big as its namesake is taken without offering the other."""
SMALL_COMMUNITY: Final = 300
"""Inhabitants assumed of a community whose number is not known (the sources count from 500)."""
_RANK: Final = {"place": 0, "county": 1, "forest": 2, "region": 3, "plant": 4, "zip": 5, "outside": 6}


def read_text(name: str) -> str:
    """Text of one of the data files."""
    return resources.files("csrag.places").joinpath("data", name).read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def lines() -> tuple[str, ...]:
    """Raw lines of places.tsv."""
    return tuple(read_text("places.tsv").splitlines())


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
    _, name, kind, county, lat, lon, state, population, zip_point, aliases, town, _ = lines()[i].split("\t")
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
        common_word=fold(name) in COMMON_WORDS,
        approximate=kind == "plant",
    )


def drop_city(key: str) -> str:
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
    return drop_city(fold(text))


def _rank(p: Place) -> tuple[int, bool]:
    return _RANK[p.kind], not p.is_state


def readings_of(key: str) -> tuple[Place, ...]:
    """All places of a key, towns first, then counties, forests, regions, plants, other states, cities there."""
    return tuple(sorted((place(i) for i in index().get(key, ())), key=_rank))


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
    rivals = [p for p in places if p.kind == places[0].kind]
    if places[0].kind == "plant":
        return tuple(rivals)
    if places[0].kind != "place" or len(rivals) < 2:
        return (places[0],)
    biggest = max(p.population for p in rivals)
    kept = [p for p in rivals if (p.population or SMALL_COMMUNITY) * MUCH_BIGGER >= biggest]
    return tuple(sorted(kept, key=lambda p: p is not places[0]))
