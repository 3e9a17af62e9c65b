"""Places with a capacity each ("10 MW at Weed and 12 MW at Yreka"): variants that carry place and capacity together."""

from __future__ import annotations

from itertools import pairwise

from csrag.ask.intent.amounts import Amount
from csrag.ask.intent.draft import Draft
from csrag.ask.intent.methods import TECHNOLOGY_RULES
from csrag.ask.intent.rule import Rule
from csrag.ask.records import Location

_TO_PLACE = Rule(
    r"[ ,-]*(?:(?:biomass|power|chp|plants?|facility|one|"
    r"gasifiers?|project|unit|cogen\w*|of|capacity|the|planta|mill|\x01+) )*(?:(?:in|at|near|for|around|outside|en|cerca de) "
    r")?(?:the )?$"
)
_FROM_PLACE = Rule(r"(?:,|:| at| with| for| gets| has| \(|/| -)*(?: an?)? ?$")
_IN_TURN = Rule(r"\b(?:then|afterwards|later|next year|after that|followed by)\b")
"""Words that ask one question after the other, not both at once."""
_PLAIN_PLANT = Rule(r"\b(?:plants?|units?|boilers?|mills?|facilit(?:y|ies)|power station|planta)\b")
_OTHER_SENTENCE_OK = Rule(r"\b(?:compar\w*|versus|vs|against|which|side by side|or)\b")


def read_pairs(draft: Draft) -> None:
    """Fill `draft.variants` with place and capacity where each of several places has its own capacity.

    The places stand in the order of the text; the top-level capacity stays silent. One capacity for all places is no pair.
    """
    spans: list[tuple[int, int, Location, bool]] = draft.values.pop("_site_spans", [])
    amounts = [a for a in draft.of_unit("mw") if a.shape != "range"]
    if len(spans) < 2 or len(amounts) < 2:
        return
    pairs = _paired(draft, spans, amounts)
    sentences = {draft.source.sentence(a.start) for _, a in pairs}
    if len(sentences) > 1 and not _OTHER_SENTENCE_OK.search(draft.source.text):
        return
    if len(pairs) < 2 or len({a.start for _, a in pairs}) != len(pairs) or len({a.value for _, a in pairs}) < 2:
        return
    if _IN_TURN.search(draft.source.text, min(a.start for _, a in pairs), max(a.end for _, a in pairs)):
        return
    for a in amounts:
        draft.use(a)
    draft.locations = [place for place, _ in pairs]
    draft.variants = [{"place": place.name, "capacity_mw": a.value} for place, a in pairs]
    _own_technologies(draft, [a for _, a in pairs])
    draft.spans["compare"] = (min(a.start for _, a in pairs), max(a.end for _, a in pairs))
    draft.spans["locations"] = (spans[0][0], spans[-1][1])
    draft.values.pop("_places_apart", None)
    draft.values.pop("_halves", None)
    draft.notes = [n for n in draft.notes if " is taken as the site, not " not in n]
    draft.marks.add("pairs")


def _own_technologies(draft: Draft, amounts: list[Amount]) -> None:
    """ "a 30 MW plant at Oroville against a 5 MW gasifier at Quincy": each half keeps its own technology."""
    if not {"technology", "_technologies"} & set(draft.values):
        return
    text = draft.source.text
    bounds = [a.start for a in amounts] + [draft.source.sentence(amounts[-1].start)[1]]
    halves = [text[a:b] for a, b in pairwise(bounds)]
    told = [next((name for name, rule in TECHNOLOGY_RULES if rule.search(half)), None) for half in halves]
    # "5 MW gasifier at A and 8 MW at B" goes on with the gasifier; "15 MW at A and 5 MW gasification at B" did not begin with one.
    plain = [
        "combustion" if t is None and (_PLAIN_PLANT.search(h) or told[0] is None) else t
        for t, h in zip(told, halves, strict=True)
    ]
    if None in plain or len(set(plain)) < 2:
        return
    for variant, technology in zip(draft.variants, plain, strict=True):
        variant["technology"] = technology
    for key in ("technology", "_technologies"):
        draft.values.pop(key, None)
        draft.spans.pop(key, None)


def _paired(
    draft: Draft, spans: list[tuple[int, int, Location, bool]], amounts: list[Amount]
) -> list[tuple[Location, Amount]]:
    """Each place with the capacity written before it, or else the one behind it, whichever way the whole text is written."""
    text = draft.source.masked
    before = [
        (place, a)
        for start, _, place, _ in spans
        for a in amounts[::-1]
        if a.end <= start and _TO_PLACE.fullmatch(text[a.end : start])
    ]
    after = [
        (place, a)
        for _, end, place, _ in spans
        for a in amounts
        if end <= a.start and _FROM_PLACE.fullmatch(text[end : a.start])
    ]
    best = max((before, after), key=len)
    taken: dict[str, tuple[Location, Amount]] = {}
    for place, a in best:
        taken.setdefault(place.name, (place, a))
    return list(taken.values())
