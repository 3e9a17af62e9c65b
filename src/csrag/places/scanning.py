"""Places named in a list of words, by exact look-up of every run of words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from csrag.places.common_words import COMMON_WORDS
from csrag.places.normal import fold_token, join_tokens
from csrag.places.records import Match, Place
from csrag.places.states import STATE_CODES, STATE_NAMES, WORDLIKE_CODES
from csrag.places.table import drop_city, index, readings_of

MAX_TOKENS: Final = 5
"""Longest name, in tokens, that `scan` looks for."""

_BETWEEN: Final = frozenset(
    {"", "mill", "sawmill", "plant", "facility", "cogen", "in", "at", "near", "of", "the", "biomass", "power"}
)
"""Words that may stand between an operator's name and the town of its plant."""
_TURNED: Final = frozenset({"city", "town", "the", "village", "community", "county", "bosque"})
"""First words that a key does not begin with; see `csrag.places.normal.fold`."""


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
        end, found = _longest(keys, at)
        # "the Sierra" is a range, yet "the Sierra Pacific mill" and "the Sierra National Forest" are not.
        longer_without_article = keys[at] == "the" and at + 1 < len(keys) and _longest(keys, at + 1)[0] > end
        if not found or longer_without_article:
            at += 1
            continue
        common = join_tokens(keys[at:end]) in COMMON_WORDS
        end, found, qualified = _qualify(tokens, keys, end, found)
        out.append(Match(at, end, " ".join(tokens[at:end]), found, common and not qualified))
        at = end
    return _plants_of_operators(tokens, keys, out)


def _plants_of_operators(tokens: Sequence[str], keys: Sequence[str], found: list[Match]) -> list[Match]:
    """An operator's name beside a town is that operator's plant there; where it has none there, the town stays.

    "the SPI mill in Quincy" and "Quincy SPI mill" are Sierra Pacific Quincy; "SPI" alone stays all of SPI's plants.
    """
    out: list[Match] = []
    for match in found:
        before = out[-1] if out else None
        if before is None or set(keys[before.end : match.start]) - _BETWEEN:
            out.append(match)
            continue
        operator = next((m for m in (before, match) if _is_operator(m)), None)
        town = match if operator is before else before
        if operator is None or town.place.kind != "place":
            out.append(match)
            continue
        here = tuple(p for p in operator.places if p.kind == "plant" and p.town in {t.name for t in town.places})
        words = " ".join(tokens[before.start : match.end])
        out[-1] = Match(before.start, match.end, words, here, False) if here else town
    return out


def _is_operator(match: Match) -> bool:
    """Whether a match names an operator of several plants."""
    return match.place.kind == "plant" and len(match.places) > 1


@lru_cache(maxsize=1)
def _first_words() -> frozenset[str]:
    """Words a name can begin with, also where the key turns it round ("county of plumas"); most words of a text are none."""
    return frozenset(key.split(" ", 1)[0] for key in index()) | _TURNED


def _longest(keys: Sequence[str], at: int) -> tuple[int, tuple[Place, ...]]:
    """End and readings of the longest known name that begins at token `at`."""
    if not keys[at] or keys[at].split(" ", 1)[0] not in _first_words():
        return at, ()
    for end in range(min(len(keys), at + MAX_TOKENS), at, -1):
        if not keys[end - 1]:
            continue
        key = join_tokens(list(keys[at:end]))
        if len(key) < 2 or (end - at == 1 and len(key) == 2):
            continue  # bare two-letter words are no places; a state's code counts only after a name
        known = key if key in index() else (drop_city(key) if end - at > 1 else key)
        if known in index():
            return end, readings_of(known)
    return at, ()


def _qualify(
    tokens: Sequence[str], keys: Sequence[str], end: int, readings: tuple[Place, ...]
) -> tuple[int, tuple[Place, ...], bool]:
    """Take in a county or state that follows the name and keep the readings that agree with it."""
    if end >= len(keys) or readings[0].is_state:
        return end, readings, False
    following, more = _longest(keys, end)
    if keys[end] == "in" and end + 1 < len(keys):  # "Anderson in Shasta County"
        following, more = _longest(keys, end + 1)
    counties = [p for p in more if p.kind == "county"]
    if counties and keys[following - 1].endswith(("county", "co")) and following - end >= 2:
        kept = tuple(p for p in readings if p.county == counties[0].county and p.kind != "county")
        return (following, kept, True) if kept else (end, readings, False)
    if keys[end] == "in" and not (tokens[end] == "IN" and tokens[end - 1].endswith(",")):
        return end, readings, False
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
    state = readings_of(STATE_NAMES[code].lower())
    point = next(p for p in state if p.state == code)
    return Place(name, "outside", None, point.lat, point.lon, state=code, approximate=True)
