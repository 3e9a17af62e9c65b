"""Places named in a list of words, by exact look-up of every run of words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from csrag.places.common_words import COMMON_WORDS
from csrag.places.normal import fold_token, join_tokens
from csrag.places.records import Match, Place
from csrag.places.states import STATE_CODES, STATE_NAMES, WORDLIKE_CODES
from csrag.places.table import drop_city, index, readings_of

MAX_TOKENS: Final = 5
"""Longest name, in tokens, that `scan` looks for."""


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
        if not found:
            at += 1
            continue
        common = join_tokens(keys[at:end]) in COMMON_WORDS
        end, found, qualified = _qualify(tokens, keys, end, found)
        out.append(Match(at, end, " ".join(tokens[at:end]), found, common and not qualified))
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
