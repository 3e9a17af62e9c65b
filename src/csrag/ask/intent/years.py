"""Length of a projection: years ahead, not years ago, not the economic life."""

from __future__ import annotations

import re
from datetime import date

from csrag.ask.intent.draft import Draft
from csrag.ask.intent.rule import Rule, names_any

DEFAULT_YEARS = 20
_PAST_AFTER = Rule(
    r"^[ -]?(?:ago|earlier|old\b(?! ?plant is)|back|of experience|since|have passed|straight|in a row|running\b)"
)
_PAST_BEFORE = Rule(
    r"\b(?:for the (?:last|past)|(?:last|past|previous|prior) \S{0,12}|since|ago|have (?:\w+ )?(?:for|been)|"
    r"has (?:\w+ )?(?:for|been)|after|every|each|once in|some|founded|"
    r"these|closed|waited|spent|worked|lived)\b[^,.;?!]{0,16}$"
)
_AHEAD_BEFORE = Rule(
    r"\b(?:over|next|coming|following|project(?:ed|ing|ion|ions)?|for|through|across|during|until|till|horizon(?: of)?|"
    r"out|forward|forecast|outlook|of|in|simulate|run|look|ahead|proximos|durante|a lo largo de|"
    r"within|about|extend|plan|keep|to|at|make|try|after|with|entire|whole|full)\b[^.;?!]{0,26}$"
)
_AHEAD_AFTER = Rule(
    r"^[ -]?(?:(?:long[ -])?(?:projection|outlook|forecast|horizon|plan|simulation|depletion|run|view|look|cost|supply|"
    r"path|trajectory|scenario|period|span|time|of operation|out|ahead|from now|instead|please|version|model)|\?|$|,|"
    r"\.)"
)
_PROJECT = Rule(
    r"\b(?:project(?:ed|ing|ions?)\b(?! (?:cost|area|developer|manager|team|is|was|near|in|at|site|partners?))|"
    r"projection|year[ -](?:by|over|on|after)[ -]year|each year\b(?=[^.?!;]{0,30}\b(?:cost|deliver|price))|over (?:time|"
    r"the (?:years|life))|"
    r"(?:next|coming) (?:few |several |couple of )?(?:years|decades?)|long[ -](?:term|run)|"
    r"multi[ -]?year|forecast|depletion|depleted?|used up|"
    r"(?:over|during|across|through) (?:the|its) (?:whole |entire |full )?(?:plant'?s? |economic |operating |"
    r"project )?life(?:time|span)?|outlook|ano (?:a|por) ano|proyec(?:ta|tar|cion)|how does .{0,40}\b(?:develop|evolve|"
    r"change over))"
)
_DECADE = Rule(
    r"\b(?:(?:a|the|next|coming|one|this|per)[ -])(?:(?:next|coming|whole|full) )?decade\b|\bproxima decada\b"
)
_YEAR_NUMBER = Rule(r"\b(?:to|through|until|till|by) year (\d{1,2})\b")
_PROJECT_VERB = Rule(
    r"(?:^|[.;!?,] ?|\band |\bplease |\bnow |\bthen |\bcan you |\bcould you )(?:project(?! (?:life|"
    r"finance|cost|developer|area|manager|team|site|economic))|"
    r"simulate|extrapolate|forecast)\b"
)
_ONE_YEAR = Rule(
    r"\b(?:just|only|back to) (?:this year|the current year|year one|one year|a single year|the first year|year 1)\b|\b(?:single|"
    r"first)[ -]year only\b"
)
_DID = Rule(
    r"\b(?:have|has|had|was|were|been|did|cut|ran|run for|worked|owned|operated|served|lived|burned|closed|logged|paid|"
    r"used to|spent|stood)\b"
)
_CALENDAR = Rule(
    r"(?<![\d.,$])(?P<first>20\d\d) ?(?:-|to|through|thru|until|till|a|hasta) ?(?P<last>20\d\d)\b(?![\d,.]*\d)|"
    r"\b(?P<word>until|through|thru|till|up to|out to|up until|to|by|hasta)(?: the)?(?: end of| year)* "
    r"(?P<end>20\d\d)\b(?![\d,.]*\d)"
)
_NO_HORIZON = Rule(
    r"\b(?:contract\w*|ppa|leas\w+|permit\w*|licen[cs]\w*|open\w*|built|clos\w+|idle|ran|was|were|agreement|retire\w*|"
    r"paid|expire\w*|credits?|guarantee\w*|subsid\w+)\b[^,.;?!]{0,24}$"
)
_TELLS_AHEAD = ("project", "forecast", "simulat", "outlook", "year by year", "proyec")
_SURELY_AHEAD = Rule(r"\b(?:next|over|project)\b")


_WORDS = (
    "project", "year", "yr", "decade", "ano", "time", "long", "multi", "forecast", "deplet", "used up", "out of", "life",
    "outlook", "proyec", "20", "develop", "evolve", "change", "simulat", "extrapol", "decada",
)  # fmt: skip


def read_years(draft: Draft) -> None:
    """Set `years` and mark a projection."""
    text = draft.source.masked
    if not names_any(text, _WORDS):
        return
    if _calendar(draft, text):
        return
    projected = bool(_PROJECT.search(text) or _PROJECT_VERB.search(text))
    for a in draft.of_unit("year"):
        before = text[max(0, a.start - 44) : a.start]
        after = text[a.end : a.end + 34]
        low, high = draft.source.sentence(a.start)
        told = _DID.search(text, low, high) and not text[low:high].rstrip().endswith("?") and not projected
        past = _PAST_AFTER.match(after) or ((_PAST_BEFORE.search(before) or told) and not _SURELY_AHEAD.search(before))
        # "until the plant is 25 years old" looks ahead.
        if past and not (re.match(r"[ -]?old\b", after) and re.search(r"\buntil\b", before)):
            draft.use(a)
            continue
        if a.value != int(a.value) or not 0 <= a.value <= 1000:
            continue
        ahead = _AHEAD_BEFORE.search(before) or _AHEAD_AFTER.match(after) or re.search(r"(?:^|[,;:] ?)$", before)
        if ahead or projected:
            draft.put("years", int(a.value), a.start, a.end)
            draft.use(a)
            if a.value > 1:
                draft.marks.add("projection")
            return
    if projected and (m := _YEAR_NUMBER.search(text)):
        draft.put("years", int(m[1]), *m.span())
        draft.marks.add("projection")
        return
    if m := _DECADE.search(text):
        draft.put("years", 10, *m.span())
        draft.marks.add("projection")
        return
    if m := _ONE_YEAR.search(text):
        draft.put("years", 1, *m.span())
        draft.marks.add("one year")
        return
    if projected:
        draft.marks.add("projection")


def this_year() -> int:
    """The year on the calendar, from which "until 2045" counts."""
    return date.today().year


def _calendar(draft: Draft, text: str) -> bool:
    """ "2025 to 2045", "until 2045": the years from the first one said, or from this one, both ends counted."""
    now = this_year()
    for m in _CALENDAR.finditer(text):
        first, last = int(m["first"] or now), int(m["last"] or m["end"])
        loose = m["word"] in {"to", "by"} and not names_any(text, _TELLS_AHEAD)
        before = text[draft.source.sentence(m.start())[0] : m.start()]
        if last <= now or first > last or loose or _NO_HORIZON.search(before):
            continue
        count = last - first + 1
        draft.note(f"{first} to {last} is read as {count} years, both ends counted; year 1 is the first")
        draft.put("years", count, *m.span())
        draft.marks.add("projection")
        return True
    return False
