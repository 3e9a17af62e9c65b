"""Whose land: which owners a question keeps, adds or leaves out."""

from __future__ import annotations

import re
from itertools import pairwise

from csrag.ask.intent.draft import Draft
from csrag.ask.intent.rule import Rule, names_any
from csrag.ask.records import DEFAULT_LAND_USE, LAND_USES

_NOUN = (
    r"(?:lands?|ground|forests?(?: lands?)?|timber(?:lands?)?|woodlands?|owner(?:s|ship)?|property|properties|holdings|"
    r"parcels|acres|acreage|stands|tracts|parks?)"
)
_OWNERS: list[tuple[tuple[str, ...], Rule]] = [
    (("nps",), Rule(
        r"\bnational[ -]parks?(?: lands?| service)?\b|\bpark service(?: lands?)?\b|\bnps(?: lands?)?\b|"
        r"\bparques nacionales\b")),
    (("usfs",), Rule(
        r"\bnational[ -]forests?(?: service)?(?: system)?(?: lands?| ground| acres| stands| timber)?\b|\b(?:us |"
            r"u\.s\. )?forest service(?:'s)?(?: lands?| ground| stands| acres| timber)?\b|"
        r"\busfs(?: lands?| ground)?\b|\bfederal (?:forests?|timber)(?: lands?)?\b|\busda forests?\b|"
            r"\b(?:tierras? (?:del )?)?(?:bosques? nacional(?:es)?|servicio forestal)\b")),
    (("blm",), Rule(r"\bblm(?:[ -](?:lands?|ground|acres|managed lands?))?\b|\bbureau of land management(?: lands?)?\b")),
    (("state",), Rule(
        rf"\bstate[ -](?:owned |run |managed )?{_NOUN}\b|\bstate[ -]owned\b|\bcal ?fire lands?\b|"
            rf"\bstate (?:demonstration )?forests?\b|\btierras? (?:del estado|estatales)\b|\bowned by the state\b")),
    (("tribal",), Rule(
        r"\b(?:tribal|tribes?'?|reservation|native american|indian)(?:[ -](?:trust|owned))?(?: (?:trust )?lands?| ground|"
        r" forests?| timber| holdings)\b|\btribal\b|\breservations?\b|\btierras? tribales\b")),
    (("private",), Rule(
        rf"\b(?:private(?:ly)?|industrial|family|company|corporate|non-?industrial|small)(?:[ -](?:owned|industrial|"
            rf"family|held|forest|timber|non-?industrial|company))*[ -]{_NOUN}\b|"
        r"\b(?:industrial|private) (?:land)?owners?\b|\bprivad[ao]s?\b|\btierras? privadas?\b|\bprivate(?=,| only| and| - | [+&/]|/|"
            r" or| plus| against| versus| vs| and (?:federal|public|forest|usfs|blm)|$|\.|\?| \x01)|(?<=only )private\b|(?<=just "
            r")private\b|\bowned by (?:timber )?compan(?:y|ies)\b")),
    (("usfs", "blm"), Rule(r"\bfederal(?:ly owned)? (?:lands?|ground|acres|wood|fuel|owners?\w*)\b|\bfederal(?= (?:against|versus|"
        r"vs|or|and) )|(?<=against )federal\b|"
        r"(?<=versus )federal\b|(?<=vs )federal\b|\btierras? federales\b")),
    (("usfs", "blm", "state"), Rule(
        r"\bpublic (?:lands?|ground|forests?)\b|\bpublicly owned (?:lands?|forests?)\b|"
        r"\btierras? publicas\b")),
    (tuple(u for u in LAND_USES if u != "nps"), Rule(
        r"\b(?:all|any|every|whatever|whichever|each)(?: the| possible)? (?:lands?|owners?|ownerships?|land (?:uses?|"
        r"owners?|types?|classes))\b(?: types?| classes)?|\bregardless of (?:who owns|owner(?:ship)?)[\w ]{0,10}")),
    (("other",), Rule(
        r"\bother (?:lands?|owners?|ownership)\b|\b(?:county|city|local government|municipal)[ -]owned (?:lands?|"
        r"forests?)\b")),
]  # fmt: skip
_ONLY = Rule(
    r"\b(?:only|just|exclusively|solely|restrict(?:ed)?|nothing but|limit(?:ed)?|confined?|stick(?:ing)? to|alone|"
    r"strictly|entirely|purely|solo|solamente|unicamente|switch to|use)\b"
)
_ADD = Rule(
    r"\b(?:add(?:ing|ed|s)?|includ(?:e|es|ed|ing)|plus|also|as well(?: as)?|in addition|on top of|too|along with|allow(?:ing|"
    r"ed)?|usual|open(?:ing)? up|with the|together with|agrega|incluye(?:ndo)?|incluir|tambien|besides|bring in|let in)\b"
)
_OUT = Rule(
    r"\b(?:no|without|exclud(?:e|es|ed|ing)|except(?:ing)?|leav(?:e|es|ing) out|not|skip(?:ping)?|avoid(?:ing)?|"
    r"rather than|instead of|minus|sin|off limits|excluida?s?|drop(?:ping)?|omit(?:ting)?|never|other than|"
    r"nothing (?:from|on)|stay(?:ing)? (?:off|out of)|keep(?:ing)? (?:off|out of)|remove)\b"
)
_ASKING = Rule(r"\b(?:who(?:se)? owns?|who owns|ownership (?:of|in|breakdown|mix)|what share|how much of|owned by)\b")


_AGAINST = Rule(
    r"[^.;?!]{0,24}\b(?:against|versus|vs\.?|or|compared (?:to|with)|contra|frente a|rather than|and then|than|and)\b(?: (?:on|"
    r"from|the|only|just|with|for|en|a plant|using))* ?$"
)
_BESIDE = Rule(
    r"\b(?:against|versus|vs|compar\w*|side by side|contra|frente a|difference between|which (?:is|are|would|costs?|land|"
    r"owner\w*)|cheaper|better|cual)\b"
)
_WORDS = (
    "land", "private", "privad", "forest service", "national", "nacional", "forestal", "usfs", "blm", "nps", "federal", "public",
    "state", "tribal", "tribe", "reservation", "owner", "owned", "timber", "industrial", "family", "tierra", "parks", "indian",
)  # fmt: skip


def read_land(draft: Draft) -> None:
    """Set `land_use`: "only" replaces, "add" widens the usual private and Forest Service land, "no" narrows it.

    The result stands in `draft.values["_land"]` as (mode, owners) pairs, because a follow-up adds to what is carried.
    """
    source = draft.source
    text = source.masked
    if not names_any(text, _WORDS):
        return
    hits: list[tuple[int, int, tuple[str, ...]]] = []
    for owners, pattern in _OWNERS:
        for m in pattern.finditer(text):
            if not any(x < m.end() and m.start() < y for x, y, _ in hits):
                hits.append((*m.span(), owners))
    if not hits:
        return
    hits.sort()
    if _beside(draft, hits):
        return
    steps: list[tuple[str, tuple[str, ...]]] = []
    spans: list[tuple[int, int]] = []
    previous_end, previous_mode = -1, ""
    for i, (a, b, owners) in enumerate(hits):
        low, high = source.clause(a)
        nearest_left = hits[i - 1][1] if i else low
        nearest_right = hits[i + 1][0] if i + 1 < len(hits) else high
        before = text[max(low, nearest_left, a - 48) : a]
        after = text[b : min(high, nearest_right, b + 32)]
        joined = i > 0 and re.fullmatch(
            r",? ?(?:and|or|y|plus|&|\+|/|,|as well as|along with)? ?(?:the |also )?", text[previous_end:a]
        )
        mode = _mode(before, after)
        if joined and not mode:
            mode = previous_mode
        if not mode and i + 1 < len(hits):
            # "Forest Service and BLM land only": the word after the last owner governs the list.
            chain_end, k = b, i
            while k + 1 < len(hits) and re.fullmatch(
                r",? ?(?:and|or|y|plus|&|\+|/|,)? ?(?:the )?", text[chain_end : hits[k + 1][0]]
            ):
                k += 1
                chain_end = hits[k][1]
            if k > i:
                mode = _mode("", text[chain_end : min(len(text), chain_end + 24)])
        if mode == "" and _ASKING.search(text[max(0, a - 60) : b + 20]):
            previous_end, previous_mode = b, mode
            continue
        steps.append((mode or "set", owners))
        spans.append((a, b))
        previous_end, previous_mode = b, mode
    if not steps:
        return
    draft.values["_land"] = steps
    draft.spans["land_use"] = (spans[0][0], spans[-1][1])
    if any(owners == ("usfs", "blm") for _, owners in steps):
        draft.note("federal land is read as Forest Service and BLM land; national parks are never cut")
    source.mask_all(spans)


def _beside(draft: Draft, hits: list[tuple[int, int, tuple[str, ...]]]) -> bool:
    """ "private against federal land": owners to compare, not to add up. "Federal" is then what of it is usually cut."""
    source, text = draft.source, draft.source.masked
    if len(hits) < 2 or not _BESIDE.search(text):
        return False
    low, high = source.sentence(hits[0][0])
    if hits[-1][1] > high or _OUT.search(text[low : hits[-1][1]]):
        return False
    listed = re.search(r"\b(?:compar\w*|between) ", text[low : hits[0][0]]) is not None
    groups: list[list[str]] = [list(hits[0][2])]
    parted = False
    for (_, end, _), (start, _, owners) in pairwise(hits):
        gap = text[end:start]
        apart = _AGAINST.fullmatch(gap)
        if apart and not re.search(r"\band (?:the )?$", gap):
            parted = True
            groups.append(list(owners))
        elif re.fullmatch(r",? ?(?:and|plus|&|\+|y) ?(?:the )?", gap) and not re.search(
            r"\b(?:compar\w*|between) ", text[low : hits[0][0]]
        ):
            groups[-1] += owners
        elif re.fullmatch(r"(?: only| alone| land)?,? ?(?:and|y)? ?(?:the )?", gap):
            groups.append(list(owners))
            parted = parted or listed
        else:
            return False
    options = [tuple(u for u in LAND_USES if u in g) for g in groups]
    if ("usfs", "blm") in options and not any(o != ("usfs", "blm") and "usfs" in o for o in options):
        options = [("usfs",) if o == ("usfs", "blm") else o for o in options]
        draft.note("federal land is read as Forest Service land here; name BLM to have it beside or added")
    if not parted or len(set(options)) < 2:
        return False
    draft.values["_owners"] = [list(o) for o in dict.fromkeys(options)]
    draft.spans["_owners"] = (hits[0][0], hits[-1][1])
    source.mask_all([(a, b) for a, b, _ in hits])
    return True


def _mode(before: str, after: str) -> str:
    """only, add, out, or nothing said: the cue nearest before the owner, else the one right after."""
    found = [(m.end(), name) for name, p in (("only", _ONLY), ("add", _ADD), ("out", _OUT)) for m in p.finditer(before)]
    tail = re.match(r"[^,.;?!]{0,18}", after)
    tail_text = tail[0] if tail else ""
    if re.match(r" ?(?:is |are )?(?:only|alone|exclusively)\b", tail_text):
        return "only"
    if re.match(r" ?(?:as well|too|also|included|on top|in addition)\b", tail_text):
        return "add"
    if re.match(r" ?(?:is |are |should be )?(?:excluded|out|off[ -]limits|not|left out)\b", tail_text):
        return "out"
    return max(found)[1] if found else ""


def apply_land(steps: list[tuple[str, tuple[str, ...]]], carried: tuple[str, ...]) -> tuple[str, ...]:
    """Land use after the steps of one turn, in the order of the vocabulary.

    Parameters
    ----------
    steps : list of (mode, owners)
        From `read_land`.
    carried : tuple of str
        What stood before this turn.
    """
    fixed = [o for mode, owners in steps if mode in {"only", "set"} for o in owners]
    kept = set(fixed) if fixed else set(carried or DEFAULT_LAND_USE)
    for mode, owners in steps:
        if mode == "add":
            kept |= set(owners)
        elif mode == "out":
            kept -= set(owners)
    return tuple(u for u in LAND_USES if u in kept) or carried
