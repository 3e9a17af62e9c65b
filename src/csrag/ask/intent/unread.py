"""What was said and has no field: each is answered by a note, so that nothing is dropped in silence."""

from __future__ import annotations

from csrag.ask.intent.draft import Draft, number
from csrag.ask.intent.rule import Rule, names_any
from csrag.ask.records import DEFAULT_CAPACITY_MW

_POWER = r"(?:mws?|mwe|kws?|gws?|mega ?watts?|kilo ?watts?|giga ?watts?)"
_NO_NUMBER = Rule(
    rf"(?<![\w.$])(?P<what>-?(?:\binf(?:inity|inite)?|\bnan|\bnull|\bnone|\bundefined|\btbd|\bn/a|[x?#]{{1,4}}|\bseveral|\bsome|"
    rf"\ba few|\bfew|\ba couple(?: of)?|\bdozens of|\bhundreds of|\d[^\s,;?!]{{0,12}})[ -]?{_POWER})(?![a-z0-9])"
)
"""A power with a word or a broken number before it."""
_NO_UNIT = Rule(
    r"(?<![\w.$/,])(?P<what>\d[\d.,]{0,11}\d?[ -]?(?P<unit>m|w|mva|kva|mgw|mhw|mw[a-z]{1,3}|mm?btus?\S{0,6}|btus?\S{0,6}|"
    r"(?:green |dry |bone[ -]dry |short |metric )?(?:t|tons?|tonnes?|bdt|gt)(?: ?/ ?| per | an )h(?:r|ou?r)?|tph))"
    r"(?=[ -]?(?:[,.;?!\x01)]|$)| ?(?:plants?|at|in|near|for|around|outside|facilit(?:y|ies)|"
    r"biomass|power|cogen\w*|chp|gasif\w+|boiler|steam|of)\b)"
)
"""A number with a letter or a unit that is none of ours, where the size of a plant stands."""
_HOURS = r"(?:hours?|hrs?|hr|h|minutes?|mins?|min)(?:'s|')?(?![a-z])"
_COUNT = r"(?:an?|one|two|three|half an|half a|half|\d+(?:\.\d+)?|thirty|forty[ -]five|forty|sixty|ninety)"
_TRAVEL = Rule(
    r"\b(?:within|inside|under|less than|at most|no more than|not more than|max(?:imum)?(?: of)?|up to|no longer than|"
    r"limit(?:ed)? to)"
    rf"(?: about| around| roughly)? (?P<time>{_COUNT}[ -]?{_HOURS}(?: and a half)?)"
    r"(?: (?:of )?(?:driv\w+|drive|haul\w*|truck\w*|travel\w*|road))?"
    rf"|\b(?P<time2>{_COUNT}[ -]{_HOURS}[ -](?:radius|isochrone|haul|drive ?time|travel ?time|catchment|limit|trucking|trips?))\b"
)
_REPLY = Rule(
    r"\b(?:answer|reply|respond|back to (?:me|us)|hear|need (?:this|it|an?)|run|finish|decide|meeting)\b[^.;?!]{0,24}$"
)
_WILD = Rule(r"\bwilderness(?:es)?(?: areas?| lands?)?\b")
_PARKS = Rule(
    r"\b(?:state|national)? ?parks? (?:included|too|as well|allowed)\b|\binclud(?:e|ing) (?:the )?(?:national )?parks?\b"
)
_WHEN_CUT = Rule(
    r"\b(?:harvest(?:ed|ing)?|cut(?:ting)?|log(?:ged|ging)?|thin(?:ned|ning)?|work(?:ing)?|haul(?:ed|ing)?)\b[^,.;?!]{0,12}? "
    r"(?:at night|by night|by day|in (?:the )?(?:winter|summer|spring|autumn|fall)|on weekends|over (?:snow|frozen ground))\b"
)
_NEAR_A_PLACE = Rule(
    r"\b(?:protect\w*|defend\w*|shield\w*|safeguard\w*|(?:fires?|risks?|hazards?|danger|threat)[\w ]{0,16} "
    r"(?:around|near|to|for|of|in|at|about|close to|next to|by))(?: the| people of| town of)? ?(?P<place>\x01+)"
)


def note_unread(draft: Draft) -> None:
    """Note wishes that no field holds: travel time, wilderness, the season of the cut."""
    source = draft.source
    text = source.masked
    if names_any(text, ("hour", "min", "hr", " h")):
        for limit in _TRAVEL.finditer(text):
            if _REPLY.search(text[max(0, limit.start() - 40) : limit.start()]):
                continue
            said = source.original(*limit.span()).strip()
            draft.note(f'a limit on travel time ("{said}") is not applied: name a radius in km or miles')
            draft.source.mask(limit.start("time" if limit["time"] else "time2"), limit.end())
    if _WILD.search(text) or _PARKS.search(text):
        draft.note("wilderness and national parks are never cut, whatever else is asked")
    if names_any(text, ("night", "by day", "winter", "summer", "spring", "autumn", "fall", "weekend", "over ")) and (
        m := _WHEN_CUT.search(text)
    ):
        draft.note(f'when wood is cut ("{source.original(*m.span())}") plays no part in the costs')


def note_fire_around(draft: Draft) -> None:
    """Say what a weight on fire does where a question wants a town protected."""
    if not draft.values.get("fire_weight") or not names_any(
        draft.source.masked, ("fire", "risk", "hazard", "protect", "defend")
    ):
        return
    if m := _NEAR_A_PLACE.search(draft.source.masked):
        draft.note(
            f"the weight on fire favours stands that are likely to burn; how near they lie to "
            f"{draft.source.original(*m.span('place'))} does not count"
        )


def note_money(draft: Draft) -> None:
    """Say of a large sum in a question of one sentence that nothing was made of it; longer texts tell stories."""
    if len(draft.source.sentences()) > 1:
        return
    for a in draft.of_unit("usd"):
        if a.value >= 1000 and not a.shape:
            said = draft.source.original(a.start, a.end)
            draft.note(f'"{said}" was not used: say whether it is a year\'s fuel budget or the cost to build')


def note_capacity(draft: Draft) -> None:
    """Say that a capacity was named and not understood, and what is taken instead."""
    named = {"capacity_mw", "capacity_range_mw", "_capacities"} & set(draft.values)
    if named or "power named" in draft.marks:
        return
    source = draft.source
    m = _NO_NUMBER.search(source.masked)
    if m is None:
        for other in _NO_UNIT.finditer(source.masked):
            # Small letters are metres or the west; a plant's size is written in capitals.
            if len(other["unit"]) > 1 or source.is_capital(other.start("unit")):
                m = other
                break
    if m is None:
        return
    said = source.original(*m.span("what"))
    carried = draft.values.get("_carried_capacity_mw")
    if "demand_bdt" in draft.values or "_demand_gt" in draft.values:
        instead = "the demand that was named is used"
    elif carried is not None:
        instead = f"{number(carried)} MW is kept"
    else:
        instead = f"{number(DEFAULT_CAPACITY_MW)} MW is assumed"
    draft.note(f'the capacity "{said}" was not understood; {instead}')
