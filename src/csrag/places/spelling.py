"""Misspelt place names: a string metric over the gazetteer's keys, with guards against ordinary words.

The score is the normalised insertion-deletion similarity (0 to 100). A match needs 80, a lead of 5 over the next
different place, and few enough edits for its length (optimal string alignment: a swap of two neighbours is one edit),
so that "truck" does not become Truckee.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from csrag.places.common_words import NEVER_PLACES
from csrag.places.records import FuzzyMatch, Kind, Place
from csrag.places.table import index, lines, normalise, place

CUTOFF: Final = 80.0
LEAD: Final = 5.0
OUTSIDE_CUTOFF: Final = 85.0
"""A misspelling is read as Californian first; a name elsewhere must fit better."""
MIN_LETTERS: Final = 4
MAX_LETTERS: Final = 40
_KINDS: Final = ("place", "county", "forest", "region", "plant")


@lru_cache(maxsize=8)
def _buckets(kind: Kind | None, outside: bool) -> dict[int, list[str]]:
    """Keys by length, of one kind or of all kinds in California (or of everything outside)."""
    wanted = {kind} if kind else ({"outside"} if outside else set(_KINDS))
    of_line = [line.split("\t", 3)[2] for line in lines()]
    out: dict[int, list[str]] = {}
    for key, numbers in index().items():
        if len(key) >= MIN_LETTERS and any(of_line[i] in wanted for i in numbers):
            out.setdefault(len(key), []).append(key)
    return out


def _edits_allowed(length: int) -> int:
    return 1 if length <= 5 else 2 if length <= 10 else 3


def _ranked(key: str, kind: Kind | None, outside: bool, cutoff: float) -> list[tuple[str, float]]:
    """Keys of about the same length with their scores, best first."""
    from rapidfuzz import fuzz, process

    buckets = _buckets(kind, outside)
    spare = max(2, len(key) // 4)
    near = [k for n in range(len(key) - spare, len(key) + spare + 1) for k in buckets.get(n, ())]
    return [(k, s) for k, s, _ in process.extract(key, near, scorer=fuzz.ratio, score_cutoff=cutoff, limit=8)]


def _first(key: str, kind: Kind | None, outside: bool) -> Place:
    """Best reading of a key among the wanted kinds."""
    found = [place(i) for i in index()[key]]
    if kind:
        return next(p for p in found if p.kind == kind)
    return next((p for p in found if (p.kind == "outside") == outside), found[0])


def fuzzy(words: str, *, limit_to: Kind | None = None) -> FuzzyMatch | None:
    """Place meant by a misspelt name.

    Parameters
    ----------
    words : str
        A handful of words that stand where a place is expected. An exact name is found too, with score 100.
    limit_to : str, optional
        Kind of place to look for.

    Returns
    -------
    FuzzyMatch or None
        None for words of fewer than four letters, for ordinary words, and where two places fit about equally well.
    """
    key = normalise(words[: 4 * MAX_LETTERS])
    letters = key.replace(" ", "")
    if not MIN_LETTERS <= len(letters) <= MAX_LETTERS or letters.isdigit():
        return None
    if key not in index() and all(w in NEVER_PLACES or w.isdigit() for w in key.split()):
        return None
    from rapidfuzz.distance import OSA

    passes = [(False, CUTOFF), (True, OUTSIDE_CUTOFF)] if limit_to is None else [(limit_to == "outside", CUTOFF)]
    for outside, cutoff in passes:
        ranked = _ranked(key, limit_to, outside, cutoff - LEAD)
        if not ranked:
            continue
        best, score = ranked[0]
        if score < cutoff or OSA.distance(key, best) > _edits_allowed(len(key)):
            continue
        taken = _first(best, limit_to, outside)
        rival = next(((p, s) for k, s in ranked[1:] if (p := _first(k, limit_to, outside)).label != taken.label), None)
        if rival is not None and score - rival[1] < LEAD and score < 100:
            return None
        return FuzzyMatch(words, taken, score, *(rival or (None, 0.0)))
    return None


def nearest_known(name: str, *, limit: int = 3) -> list[Place]:
    """Places whose names are most like a name that was not found, best first.

    Parameters
    ----------
    name : str
        The unknown name.
    limit : int, optional
        How many at most.

    Returns
    -------
    list of Place
        For "not found, the nearest known names are ..": suggestions, never an answer. Empty for very unlike words.
    """
    key = normalise(name[: 4 * MAX_LETTERS])
    if len(key) < MIN_LETTERS:
        return []
    from rapidfuzz import process
    from rapidfuzz.distance import JaroWinkler

    known = [k for keys in _buckets(None, False).values() for k in keys]
    # Jaro-Winkler rather than the metric above: people who remember a name half remember how it begins.
    near = process.extract(key, known, scorer=JaroWinkler.normalized_similarity, score_cutoff=0.8, limit=4 * limit)
    out: dict[str, Place] = {}
    for k, _, _ in near:
        found = _first(k, None, False)
        out.setdefault(found.label, found)
    return list(out.values())[:limit]
