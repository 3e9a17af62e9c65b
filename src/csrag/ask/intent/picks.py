"""Picks from a list: "the second one" of the places or variants compared, of a search's sites, or of the questions so far."""

from __future__ import annotations

import re
from collections.abc import Sequence

from csrag.ask.intent.draft import Draft
from csrag.ask.intent.measures import COUNT, count_of
from csrag.ask.intent.rule import Rule
from csrag.ask.intent.search import MOST_SITES, SEARCH_FIELDS
from csrag.ask.records import DEFAULT_SITE_COUNT, Location, SitingQuery

_PICK = Rule(
    r"^\W*(?:(?:take|use|ok|let's (?:take|use|go with)|go with|show(?: me)?|i(?:'d| would)? (?:take|like|prefer|mean|"
    r"meant)|build(?: at)?|detail(?:s)?(?: (?:of|for|on))?|more (?:about|on)|and|now|what about|how about|run|tell me about|"
    r"cost (?:of|at)|zoom in(?:to| on)?|open|choose|pick|elige|toma) )*(?:at |for |on |of )?(?:the |site |number |no\. |el |la |"
    r"numero )*"
    r"(?P<pick>first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|former|latter|previous|winner|best|cheapest|"
    r"top|primer[oa]?|segund[oa]|tercer[oa]?|(?<=site )\d{1,2}|(?<=number )\d{1,2}|\d{1,2}(?:st|nd|rd|th))"
    r"(?:[ -](?:best|ranked|cheapest))?(?: (?:one|option|place|site|spot|location|choice|pick|candidate|plant|county|region|area|"
    r"town|question|uno|sitio|lugar)(?: (?:on|in|of) (?:the|your|that) (?:list|table|search|ranking))?)?\b"
    r"(?:\W*(?:please|then|instead|only|in (?:full|detail))?\W*$|(?=[,;:] ?| (?:with|at|for|but|using|without|and|over) ))"
)
_NTH = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_PICKED = {word: k for k, word in enumerate(_NTH)} | {
    "former": 0, "latter": -1, "last": -1, "previous": -1, "winner": 0, "best": 0, "cheapest": 0, "top": 0, "primer": 0, "primera": 0,
    "primero": 0, "segunda": 1, "segundo": 1, "tercer": 2, "tercera": 2, "tercero": 2,
}  # fmt: skip
_BY_ANSWER = frozenset({"winner", "best", "cheapest", "top"})
"""Picks that only an answer can settle; a search ranks its sites, a comparison of named places stands in the order asked."""
_PICK_INSIDE = Rule(
    rf"\b(?:at|for|on|of|in|with|near) (?:the |that )?(?:(?:site |number |no\. ?)+(?P<number>\d{{1,2}})\b|"
    rf"(?P<pick>{'|'.join(_NTH)}|last|winner|best|cheapest|top)(?:[ -](?:best|ranked))? "
    r"(?:one|site|place|spot|location|choice|pick|candidate)\b)"
)
_NTH_WORD = "|".join(_NTH)
_PICK_MANY = Rule(
    rf"^\W*(?:compare|show|run|contrast|put|take|compara) (?:me )?(?:the )?(?:(?P<top>(?:top|first|best) {COUNT})|(?P<all>them|"
    rf"these|those|all(?: of them)?|sites|list)(?= ?(?:$|[.!?]|side|in full|please))|(?:site |"
    rf"number )?(?P<many>(?:{_NTH_WORD})(?:(?:,| and| with| to| against| vs\.?| versus|"
    rf", and)+ (?:the )?(?:{_NTH_WORD})){{1,5}}))"
    r"(?: (?:ones?|sites?|places?|spots?|locations?))?\b"
)


def picked(draft: Draft, base: SitingQuery, history: Sequence[SitingQuery]) -> SitingQuery | None:
    """ "the second one" of several places or variants, of a search's list, or, where there are none, of the questions so far."""
    text = draft.source.text
    ranked = base if base.intent == "search" else base.picked_from
    if ranked is not None and (many := _PICK_MANY.match(text)):
        if many["many"]:
            ranks = [_PICKED[w] + 1 for w in re.findall(_NTH_WORD, many["many"])]
        else:
            ranks = list(range(1, (count_of(many) if many["top"] else ranked.site_count or DEFAULT_SITE_COUNT) + 1))
        return _ranked(draft, many, ranked, ranks, "compare")
    m = _PICK.match(text) or (None if ranked is None else _PICK_INSIDE.search(text))
    if m is None:
        return None
    word = m["pick"] or m.groupdict()["number"]
    k = _PICKED[word] if word in _PICKED else int(re.sub(r"\D", "", word)) - 1
    options = base.compare or base.locations
    if ranked is not None and not (base.intent == "compare" and len(options) > 1):
        return _ranked(draft, m, ranked, [(ranked.site_count or DEFAULT_SITE_COUNT) if k == -1 else k + 1], "site")
    if word in _BY_ANSWER:
        if len(options) > 1:
            draft.note("which of them is best stands in the answer: name it, or say the first, the second one")
        return None
    if len(options) < 2:
        k = len(history) - 2 if k == -1 else k
        options = ()
        if not 0 <= k < len(history):
            return None
    elif k >= len(options):
        return None
    draft.source.mask(*m.span())
    draft.marks.add("restored")
    if not options:
        return history[k]
    if base.compare:
        changes = dict(base.compare[k])
        if (place := changes.pop("place", None)) is not None:
            changes["locations"] = tuple(p for p in base.locations if p.name == place)[:1]
        explicit = tuple(sorted({*base.explicit, *changes}))
        return base.with_(intent="site", compare=(), explicit=explicit, **changes)
    return base.with_(intent="site", locations=(base.locations[k],))


def _ranked(draft: Draft, m: re.Match[str], search: SitingQuery, ranks: list[int], intent: str) -> SitingQuery | None:
    """Sites of a search's list as the places of a question; the search goes along, since only it knows where they are."""
    if not ranks or not 1 <= min(ranks) <= max(ranks) <= MOST_SITES:
        return None
    draft.source.mask(*m.span())
    draft.marks.add("restored")
    count = search.site_count or DEFAULT_SITE_COUNT
    if max(ranks) > count:
        draft.note(f"the search listed {count} sites; it is run again for {max(ranks)}")
    places = tuple(
        Location(f"site {k} of the search", "found", matched=draft.source.original(*m.span()).strip(), rank=k)
        for k in dict.fromkeys(ranks)
    )
    said = "the place is" if len(places) == 1 else "the places are"
    draft.note(f"{said} {', '.join(p.name for p in places)}")
    plain = {f: getattr(SitingQuery(), f) for f in SEARCH_FIELDS}
    source = search.with_(site_count=max(count, *ranks))
    explicit = tuple(sorted({*search.explicit, "locations"} - set(SEARCH_FIELDS)))
    return search.with_(intent=intent, locations=places, picked_from=source, compare=(), explicit=explicit, **plain)
