"""Procurement radius: a length that limits where the wood comes from, not one that describes a town."""

from __future__ import annotations

from itertools import pairwise

from csrag.ask.intent.amounts import Amount
from csrag.ask.intent.draft import Draft, number
from csrag.ask.intent.rule import Rule

_CUE_BEFORE = Rule(
    r"\b(?:within|inside|radius|circle|up to|no (?:further|farther|more) than|not (?:further|farther) than|at most|"
    r"max(?:imum)?|haul(?:ing|s)?|catchment|draw(?:ing|s)?|procure(?:ment)?|limit(?:ed)?|out to|under|less than|reach|ring|"
    r"supply (?:area|zone|shed)|collect(?:ion|ing)?|sourc(?:e|ing)|from (?:a|the|within)|radio|dentro de|a menos de|widen|"
    r"extend|expand|shrink|enlarge|stretch|distance|cap|buffer|go(?:ing)? out|max haul|hasta|<|closer than|beyond|trucking|"
    r"trucks? (?:no|go)|search)\b[^.;?!]{0,36}$"
)
_CUE_AFTER = Rule(
    r"^[ -]?(?:\(?[\d.]* ?(?:km|mi)?\)? ?)?(?:(?:procurement|supply|haul(?:ing)?|collection|search|sourcing|fuel|"
    r"max(?:imum)?|straight[ -]line|air|feedstock|sourcing|wood|or less|or closer|only|wide|at most) ?){0,3}"
    r"(?:radius|circle|catchment|ring|haul|around|limit|out\b|reach|procurement|supply|of (?:the )?(?:plant|site|mill|"
    r"facility|it|town|there)|range|zone|buffer|or (?:less|closer)|max\b|at most|a la redonda|de radio)"
)
_TRAP_AFTER = Rule(
    r"^ ?(?:(?:or so|further|farther|due|just|straight|as the crow flies|by road|drive)? ?(?:north|south|east|west|n|s|e|w|ne|"
    r"nw|se|sw|up|down|off|out(?:side)?|away|from|of|inland|upstream|downstream|past|beyond|uphill|apart|long|above|below|"
    r"drive|down the road|to the|al (?:norte|sur|este|oeste))\b(?! (?:the )?(?:plant|site|mill|facility|it)\b))"
)
_TRAP_BEFORE = Rule(
    r"\b(?:is|are|was|sits?|lies?|lives?|located|situated|town|drives?|drove|driving|far|elevation|altitude|at an elevation of|"
    r"road|line|fence|trail|pipeline|transmission line|substation|tall|wide|deep|high|long)\b[^,.;?!]{0,14}$"
)
_STRONG_BEFORE = Rule(
    r"\b(?:within|at most|max(?:imum)?|not (?:further|farther) than|inside|radius|no (?:further|farther|more) than|"
    r"catchment|up to|circle|dentro de|out to|limit|drawing|draw|collect\w*|haul\w*)\b[^,.;?!]{0,22}$"
)
_PEOPLE_BEFORE = Rule(
    r"\b(?:live|lives|lived|living|dwell\w*|reside(?:s|d)?|residing|residents?|houses?|homes?|people|families|neighbou?rs?|"
    r"schools?|kids|children|work|works|worked|"
    r"grew up|born|camp(?:ed|ing)?|commut\w+)(?: \w+){0,2} (?:within|inside|under|less than|no more than|about|only)? ?$"
)
"""A distance that tells where people live or things stand."""
_OR = Rule(r"[^.;?!]{0,24}\b(?:or|versus|vs\.?|against|and then|o)\b[^.;?!]{0,16}")
_TINY_KM = 0.3


def read_radius(draft: Draft) -> None:
    """Set `radius_km`. A length without a cue counts too, unless it tells where a town lies or how long a road is."""
    amounts = draft.of_unit("km")
    best: tuple[int, Amount] | None = None
    for a in amounts:
        draft.use(a)
        score = _score(draft, a)
        if score > 0 and (best is None or score >= best[0]):
            if best is not None and best[1].value != a.value and not a.shape:
                draft.note(f"two distances were named; {number(a.said)} {a.label} is used as the radius")
            best = (score, a)
    if best is None:
        _bare(draft)
        return
    a = best[1]
    many = [x for x in amounts if x.group == a.group and x.shape == "list"]
    if "compare" in draft.marks:
        many = [x for x in amounts if _score(draft, x) > 0]
    if len({x.value for x in many}) < 2:
        scored = [x for x in amounts if _score(draft, x) > 0]
        many = [x for x, y in pairwise(scored) if _OR.fullmatch(draft.source.masked[x.end : y.start])]
        many += [y for x, y in pairwise(scored) if x in many and y not in many]
    if len({x.value for x in many}) > 1:
        draft.values["_radii"] = list(dict.fromkeys(x.value for x in many))
    if a.label != "km":
        draft.note(f"{number(a.said)} {a.label} = {number(a.value)} km")
    draft.put("radius_km", a.value, a.start, a.end)


def _score(draft: Draft, a: Amount) -> int:
    source = draft.source
    low, high = source.sentence(a.start)
    before = source.masked[max(low, a.start - 60) : a.start]
    after = source.masked[a.end : min(high, a.end + 48)]
    if a.label in {"m", "ft"} and abs(a.value) < _TINY_KM:
        return 0
    if _PEOPLE_BEFORE.search(before):
        return 0
    if _CUE_AFTER.match(after):
        return 3
    if _STRONG_BEFORE.search(before):
        return 3
    if _TRAP_AFTER.match(after) or _TRAP_BEFORE.search(before):
        return 0
    if _CUE_BEFORE.search(before):
        return 2
    # Metres and feet without a cue are heights and roads, not radii.
    return 0 if a.label in {"m", "ft"} else 1


_BARE = Rule(r"\bradius(?: (?:of|is|at|to|be|=|about|around))*(?: ?[=:])? ?$")


def _bare(draft: Draft) -> None:
    """ "radius 40" without a unit is km."""
    text = draft.source.masked
    for a in draft.of_unit(""):
        if _BARE.search(text[max(0, a.start - 24) : a.start]):
            draft.note(f"a radius of {number(a.value)} is read as km")
            draft.put("radius_km", a.value, a.start, a.end)
            draft.use(a)
            return
