"""Misspelt and unknown names, where a place is expected."""

from __future__ import annotations

import re

from csrag.ask.intent.draft import Draft
from csrag.ask.intent.rule import Rule
from csrag.ask.intent.sites import LANDMARK_BEFORE, PREPOSITION, Found, is_terse, location_of
from csrag.ask.intent.words import COMMON
from csrag.ask.records import Location
from csrag.places import gazetteer

_UNKNOWN_CUE = Rule(
    r"\b(?:in|at|near|around|outside(?: of)?|close to|next to|beside|town of|city of|en|cerca de|"
    r"on the|in the|at the|near the)(?: downtown| the town of)? $"
)
_WORD = re.compile(r"[a-z][a-z'-]*[a-z]")
_ACRONYM = Rule(r"[A-Z].*[A-Z&0-9]")
_MONTHS = frozenset(["jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec"])


_TAIL_WORDS = (
    "city valley creek springs pines pine falls mills lake camp flat hill hills river ridge rock station bluff"
)
_TAILS = frozenset(_TAIL_WORDS.split())
"""Everyday words that end the names of towns."""
_LEAD = Rule(r"\b(?:mt|mount|ft|fort|st|san|santa|lake|camp|big|old|new|north|south|east|west|el|la|los)\.? $")


def find_slips(draft: Draft, found: list[Found], within: tuple[int, int] | None = None) -> list[Found]:
    """Misspelt or unknown names where a place is expected, of the whole question or of a stretch of it."""
    source = draft.source
    text = source.masked
    mixed = source.mixed
    low, high = within or (0, len(text))
    words = [(m.start(), m.end(), m.group()) for m in _WORD.finditer(text, low, high)]
    out: list[Found] = []
    tried = 0
    for i, (start, end, word) in enumerate(words):
        if tried >= 6 or out:
            break
        plain = word.removesuffix("'s")
        if plain in COMMON or len(plain) < 4 or any(f.start < end and start < f.end for f in found):
            continue
        before = text[max(0, start - 24) : start]
        cue = bool(_UNKNOWN_CUE.search(before)) or bool(PREPOSITION.search(before))
        capital = (
            source.is_capital(start)
            and mixed
            and bool(source.text[source.sentence(start)[0] : start].strip(" \x01\"'("))
        )
        if not (cue or capital or is_terse(source, start, end)):
            continue
        stop, length = end, 1
        while length < 3 and i + length < len(words):
            a, b, nxt = words[i + length]
            follows = (
                text[stop:a] in {" ", ". "}
                and (nxt not in COMMON or (nxt in _TAILS and source.is_capital(a)))
                and (source.is_capital(a) == source.is_capital(start))
            )
            if not follows:
                break
            stop, length = b, length + 1
        hit = None
        lead = _LEAD.search(before)
        if lead:
            # "Mt. Shassta", "Lake Almanor": the short word before belongs to the name.
            hit = gazetteer.fuzzy(source.original(start - len(lead[0]), end))
            start -= len(lead[0])
            stop = end if hit is not None else stop
        for k in range(length, 0, -1) if hit is None else ():
            tail = words[i + k - 1][1]
            tried += 1
            hit = gazetteer.fuzzy(source.original(start, tail).removesuffix("'s"))
            if hit is not None:
                stop = tail
                break
        if hit is not None and hit.place.state != "CA" and hit.score < _SURE_OUTSIDE:
            hit = None
        if hit is not None:
            name = source.original(start, stop)
            draft.note(f'"{name}" was read as {hit.place.label}')
            location = location_of(hit.place, name)
            out.append(Found(start, stop, location, 3, landmark=bool(LANDMARK_BEFORE.search(before)), exact=False))
        elif (
            _UNKNOWN_CUE.search(text[max(0, start - 24) : start])
            and source.is_capital(start)
            and mixed
            and not _is_no_name(source.original(start, stop))
        ):
            name = source.original(start, stop).removesuffix("'s")
            out.append(Found(start, stop, Location(name, "unknown", matched=name), 1, exact=False))
    return out


_SURE_OUTSIDE = 92
"""Score that a slip of a name outside California must reach: it would end in a refusal."""


def _is_no_name(word: str) -> bool:
    """Acronyms and months after "in" or "at" are no unknown towns."""
    return " " not in word and (word.lower() in _MONTHS or _ACRONYM.search(word) is not None)


def find_slips_in_lists(draft: Draft, found: list[Found]) -> list[Found]:
    """A misspelt member of a list of places ("Quincy and Chestr")."""
    source = draft.source
    out: list[Found] = []
    for f in found:
        if f.landmark:
            continue
        for m in (
            re.match(
                r"(?:,| and| or| vs\.?| versus|,? with| y| o)+ ([a-z][a-z'-]{3,}(?: [a-z]{4,})?)",
                source.masked[f.end : f.end + 40],
            ),
            re.search(
                r"([a-z][a-z'-]{3,}) (?:and|or|vs\.?|versus|y|o) $", source.masked[max(0, f.start - 40) : f.start]
            ),
        ):
            if m is None:
                continue
            base = f.end if m.re.pattern.startswith("(?:,") else max(0, f.start - 40)
            start = base + m.start(1)
            first = m[1].split(" ")[0]
            if first in COMMON or any(x.start < start + len(first) and start < x.end for x in [*found, *out]):
                continue
            if not source.is_capital(start) and source.is_capital(f.start):
                continue
            hit = gazetteer.fuzzy(source.original(start, start + len(first)))
            if hit is not None:
                name = source.original(start, start + len(first))
                draft.note(f'"{name}" was read as {hit.place.label}')
                out.append(Found(start, start + len(first), location_of(hit.place, name), 3, exact=False))
    return out
