"""Steepest slope taken, in percent; degrees are 100 tan of the angle."""

from __future__ import annotations

from csrag.ask.intent.draft import Draft, number
from csrag.ask.intent.rule import Rule
from csrag.quantities import degrees_to_slope_pct

_SLOPE = Rule(
    r"\b(?:slopes?|steep(?:er|ness|est)?|gradients?|grades?|inclines?|flatter|gentler|terrain|pendientes?|hillsides?|"
    r"empinad[ao]s?)\b"
)
_RATIO = Rule(r"\b1(?: in |:)(\d{1,2}(?:\.\d)?)\b")
_NOT_SLOPE = Rule(
    r"\b(?:moisture|factor|debt|equity|interest|efficien\w*|weight|burn\w*|fire|thin\w*|crown|from (?:above|below)|"
    r"below from)\b"
)
# "our lot sits on a 12 % slope" tells of the building ground; a limit is put on where wood comes from.
_BUILDING_GROUND = Rule(
    r"\b(?:lot|parcel|property|pad|yard|driveway|access road|building site|plant site|the site|our site|my site|"
    r"site itself|land we own|ranch)\b[^,.;?!]{0,30}?\b(?:sits?|lies?|is|was|has|had|stands?|with|at|on)\b[^,.;?!]{0,24}$"
)
_OF_THE_SITE = Rule(
    r"\b(?:flat(?:ter|test)?|level|gentler) (?:ground|land|terrain|than|site|sites|pads?|parcels?|spots?)\b|\b(?:pads?|"
    r"parcels?|building sites?|plant sites?|the sites?|site itself|sites) (?:\w+ ){0,6}?(?:flat\w*|level|slopes?|steep\w*|"
    r"grade|ground)\b|\b(?:ground|terrain|land)(?: that is)? (?:flatter|gentler|no steeper) than\b|\b(?:site|ground|"
    r"pad) slopes?\b|\bterreno (?:plano|llano)\b"
)
_LIMIT = Rule(
    r"\b(?:max(?:imum)?|limit\w*|under|below|less|at most|no more|not more|up to|over|above|exceed\w*|steeper|beyond|"
    r"flatter|only|nothing|exclud\w+|avoid\w*|skip\w*|leav\w+|cap\w*)\b"
)


def read_slope(draft: Draft) -> None:
    """Set `max_slope_pct` from the percentage or angle nearest to a slope word."""
    source = draft.source
    for cue in _SLOPE.finditer(source.masked):
        low, high = source.sentence(cue.start())
        ratio = _RATIO.search(source.masked, max(low, cue.start() - 24), min(high, cue.end() + 24))
        if ratio and float(ratio[1]) > 0:
            value = 100 / float(ratio[1])
            draft.note(f"a slope of 1 in {ratio[1]} = {number(value)} percent")
            draft.put("max_slope_pct", value, *ratio.span())
            source.mask(*ratio.span())
            draft.amounts = [a for a in draft.amounts if not ratio.start() <= a.start < ratio.end()]
            return
        near = [
            (max(cue.start() - a.end, a.start - cue.end(), 0), a)
            for a in draft.of_unit("pct", "deg", "")
            if low <= a.start and a.end <= high
        ]
        near = [(gap, a) for gap, a in near if gap <= (34 if a.unit else 22)]
        for _, a in sorted(near, key=lambda item: (not item[1].unit, item[0])):
            between = source.masked[min(a.end, cue.end()) : max(a.start, cue.start())]
            if any(b is not a and min(a.end, cue.end()) <= b.start < max(a.start, cue.start()) for b in draft.amounts):
                continue
            if _NOT_SLOPE.search(between) or (a.unit == "" and not 1 <= a.value <= 200):
                continue
            first, last = min(a.start, cue.start()), max(a.end, cue.end())
            if _BUILDING_GROUND.search(source.masked[low:first]) and not _LIMIT.search(source.masked[low : last + 12]):
                draft.use(a)
                continue
            if a.shape == "range":
                a = max((b for b in draft.amounts if b.group == a.group), key=lambda b: b.value)
            value = a.value
            if a.unit == "deg":
                value = degrees_to_slope_pct(min(max(a.value, 0.0), 89.0))
                draft.note(f"a slope of {number(a.value)} degrees = {number(value)} percent")
            elif a.unit == "":
                draft.note(f"a slope of {number(a.value)} is read as percent")
            around = source.masked[max(low, first - 32) : min(high, last + 14)]
            site = "seeking" in draft.marks and _OF_THE_SITE.search(around)
            draft.put("max_site_slope_pct" if site else "max_slope_pct", value, a.start, a.end)
            draft.use(a)
            source.mask(min(a.start, cue.start()), max(a.end, cue.end()))
            if "seeking" not in draft.marks or {"max_site_slope_pct", "max_slope_pct"} <= set(draft.values):
                return
            break
