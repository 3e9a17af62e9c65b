"""Misspelt place names: a string metric over the gazetteer's keys, with guards against ordinary words.

The score is the normalised insertion-deletion similarity (0 to 100). A match needs 80, a lead of 5 over the next
different place, and few enough edits for its length (optimal string alignment: a swap of two neighbours is one edit),
so that "truck" does not become Truckee.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from csrag.places.gazetteer import FuzzyMatch, Kind, Place, index, lines, normalise, place

CUTOFF: Final = 80.0
LEAD: Final = 5.0
OUTSIDE_CUTOFF: Final = 85.0
"""A misspelling is read as Californian first; a name elsewhere must fit better."""
MIN_LETTERS: Final = 4
MAX_LETTERS: Final = 40
_KINDS: Final = ("place", "county", "forest", "region", "plant")

NEVER: Final = frozenset(
    """
    about above acre acres after agricultural amount answer area average below benefit best biomas biomass boiler
    budget build building burn burning bunch cable capacity capital carbon cheap cheaper cheapest chip chips circuit
    clear clearcut climate cluster clusters coal cogen combine combustion compare comparison condition cost costs
    county cover crown curve dead delivered demand density diesel distance does done dollar dollars drop each east
    electric electricity energy equity export expect explain factor fall family fast feed feedstock feul fire fires
    fires forest forests forestry forrest fuel fuels fule gallon gasification gasifier gassifier give good grade green
    ground hack half harvest harvesting haul hauling have head heavy helicopter high highway hill hour hours house
    hundred impact increase input interest into invest just keep kilowatt ladder lake land large largest last least
    less level light like limit line list load loads local lodge long make mark market maximise maximize maximum
    mean meaning meat median megawatt megawatts mile miles mill mills minimum model moderate moisture money more most
    mountain much national natural near need next north often once only open operator option order other output over
    owned owner owners oxygen pareto park part percent pine pines place plan plant plants please poem point pool
    power price private probability project projection public quick radius rain range rate rather ratio read reading
    recommend region residue residues result rice risk river road roads rock round rule sale same save score search
    sell sensitivity severe short show side site sites size slope small smoke snow soil solar some south spend stand
    stands state station steep still stock stop sugar supply surface surrogate system table take tell term test thank
    thanks that them then there they thin thing thinned thinning this through timber time tomorrow ton tonne tonnes
    tons total town trade train transport treatment tree trees truck trucker truckers trucks turn under understory
    until used value valley very view wage wages wait want waste water watt weight well west what wheat when where
    which whole wide wild wildfire wind with wood woods woody work would year years yield your
    """.split()
)
"""Ordinary words of this field that a metric may find near a place's name; they are never misspelt places."""


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
    if key not in index() and all(w in NEVER or w.isdigit() for w in key.split()):
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
    out: dict[str, Place] = {}
    for k, _ in _ranked(key, None, False, 60.0):
        found = _first(k, None, False)
        out.setdefault(found.label, found)
    return list(out.values())[:limit]
