"""Plant capacity: one value, a range, or a list to compare."""

from __future__ import annotations

from csrag.ask.intent.amounts import Amount
from csrag.ask.intent.draft import Draft, number
from csrag.ask.intent.rule import Rule
from csrag.ask.intent.units import THERMAL

_OLD = Rule(
    r"\b(?:existing|old|former|closed|shut|idle|retired|defunct|current|already (?:has|have|runs?)|"
    r"used to|our present|"
    r"neighbou?r(?:ing|'s)?|there's a|there is a|"
    r"there was a|next door|another|had a|bankrupt|since closed|competing)\b[^.;?!]{0,40}$"
)
_CORRECTION = Rule(
    r"\b(?:no wait|wait|sorry|i mean|i meant|make (?:that|it)|actually|rather|scratch that|"
    r"correction|or better|better|"
    r"not [\d.]+ ?mw,? but|but)\b[^.;?!]{0,20}$"
)
_REPLACED = Rule(r"\b(?:not|instead of|rather than|no longer|down from|up from|from)(?: the| a)? $")
_CUED = Rule(
    r"(?<![\d.])(?:(?:capacity|size|plant size|output|nameplate|rating)(?: mw)?|"
    r"mw(?= ?[\":=]))\"?(?: (?:of|is|at|to|be|as|=|about|around|set to|"
    r"set at))*(?: ?[=:])? ?$"
)
_NOT_CAPACITY = Rule(r"\b(?:factor|share|credit|of storage)\b")


def read_capacity(draft: Draft) -> None:
    """Set `capacity_mw`, `capacity_range_mw`, or `_capacities` (a list that may be compared)."""
    amounts = draft.of_unit("mw")
    if not amounts:
        _bare(draft)
        return
    for a in amounts:
        draft.use(a)
    groups = {a.group for a in amounts if a.shape == "range"}
    if groups:
        low, high = sorted(a.value for a in amounts if a.group == max(groups))
        span = [a for a in amounts if a.group == max(groups)]
        draft.put("capacity_range_mw", (low, high), span[0].start, span[-1].end)
        draft.note(f"a range of {number(low)} to {number(high)} MW: low, middle and high are computed")
        return
    lists = [a for a in amounts if a.shape == "list"]
    distinct = list(dict.fromkeys(a.value for a in amounts))
    if lists and len({a.value for a in lists}) > 1:
        values = list(dict.fromkeys(a.value for a in lists))
        draft.values["_capacities"] = values
        draft.spans["_capacities"] = (lists[0].start, lists[-1].end)
    elif len(distinct) > 1:
        # Named apart ("12 MW ... or would 20 MW be better?"): kept, in case that a comparison is asked for.
        draft.values["_capacities_apart"] = distinct
        draft.spans["_capacities_apart"] = (amounts[0].start, amounts[-1].end)
    own = _of_the_site(draft, amounts)
    chosen = own or _chosen(draft, amounts)
    if len(distinct) > 1 and not lists and own is None:
        others = ", ".join(number(v) for v in distinct if v != chosen.value)
        draft.note(f"two capacities were named; {number(chosen.value)} MW is used, not {others} MW")
    if chosen.label == "GW" and chosen.value > 200:
        draft.note(
            f"{number(chosen.said)} GW is {number(chosen.value)} MW, more than any wood-fired "
            f"plant; {number(chosen.said)} "
            f"MW was probably meant"
        )
    elif chosen.label == THERMAL:
        draft.note(
            f"capacity is electrical here: {number(chosen.said)} MW thermal is taken as {number(chosen.value)} MW of "
            f"electricity; for a boiler rated in heat name what it generates"
        )
    elif chosen.label != "MW":
        draft.note(f"{number(chosen.said)} {chosen.label} = {number(chosen.value)} MW")
    draft.put("capacity_mw", chosen.value, chosen.start, chosen.end)


def _chosen(draft: Draft, amounts: list[Amount]) -> Amount:
    """The capacity that is asked for, where several stand in the text."""
    text, source = draft.source.masked, draft.source
    last_question = max((a for a, b in source.sentences() if text[a:b].rstrip().endswith("?")), default=-1)

    def rank(a: Amount) -> tuple[int, int]:
        before = text[max(0, a.start - 70) : a.start]
        score = 0
        if _OLD.search(before):
            score -= 4
        if _REPLACED.search(before[-16:]):
            score -= 4
        if _CORRECTION.search(before):
            score += 4
        if last_question >= 0 and source.sentence(a.start)[0] == last_question:
            score += 2
        return score, a.start

    return max(amounts, key=rank)


_TO_PLACE = Rule(
    r"[ ,-]*(?:(?:biomass|power|chp|plants?|facility|"
    r"gasifiers?|project|unit|cogen\w*|of|capacity|the|\x01+) )*(?:(?:in|at|near|for|around|outside) )?$"
)
_FROM_PLACE = Rule(r"(?:,|:| at| with| for| gets| has)*(?: an?)? ?$")


def _of_the_site(draft: Draft, amounts: list[Amount]) -> Amount | None:
    """Where two places each have their own capacity, that of the place that is answered; the other half is said."""
    halves: list[tuple[int, int, str, bool]] = draft.values.get("_halves", [])
    text = draft.source.masked
    pairs: list[tuple[Amount, str, bool]] = []
    for start, end, name, taken in halves:
        near = [a for a in amounts if _TO_PLACE.fullmatch(text[a.end : start])] or [
            a for a in amounts if _FROM_PLACE.fullmatch(text[end : a.start])
        ]
        if near:
            pairs.append((near[0], name, taken))
    own = [a for a, _, taken in pairs if taken]
    one_breath = len({draft.source.sentence(a.start) for a, _, _ in pairs}) == 1
    if len({a.start for a, _, _ in pairs}) < 2 or not own or not one_breath:
        return None
    for a, name, taken in pairs:
        if not taken:
            draft.note(f"{number(a.value)} MW at {name} was not answered; ask it as a question of its own")
    return own[0]


def _bare(draft: Draft) -> None:
    """ "capacity of 20", "size: 15": a bare number with the word beside it."""
    text = draft.source.masked
    for a in draft.of_unit(""):
        if _CUED.search(text[max(0, a.start - 40) : a.start]) and not _NOT_CAPACITY.match(text, a.end + 1):
            draft.put("capacity_mw", a.value, a.start, a.end)
            draft.note(f"a capacity of {number(a.value)} is read as MW")
            draft.use(a)
            return
