"""Cost caps and budgets: what may not be exceeded, on which basis, and of what kind."""

from __future__ import annotations

import re

from csrag.ask.intent.amounts import Amount
from csrag.ask.intent.demand import DEFAULT_MOISTURE_PCT, PER_YEAR
from csrag.ask.intent.draft import Draft, number
from csrag.ask.intent.rule import Rule
from csrag.quantities import usd_per_gt_to_usd_per_bdt

_LIMIT = Rule(
    r"\b(?:under|below|less than|at most|no more than|not more than|not over|no higher than|max(?:imum)?|cap(?:ped|s)?|"
    r"keep(?:s|ing)?|stay(?:s|ing)?|limit(?:ed)?|ceiling|up to|within|"
    r"exceed(?:s|ing)?|above|over|more than|beyond|dearer|costlier|pricier|higher than|expensive|threshold|afford|"
    r"willing|can pay|cheaper than|must be|has to be|hold|held|top out|"
    r"menor(?:es)? (?:a|de|que)|inferior a|supere|bajo|menos de|"
    r"maximo|no mas de|hasta|por debajo|tope|not to exceed|at or below|inside|or less|tops|break[ -]?even|target)\b|<|>"
)
_AFTER_LIMIT = Rule(
    r"^[^,.;?!]{0,24}\b(?:or less|or below|or under|at most|max(?:imum)?|tops|cap|ceiling|limit|or cheaper)\b"
)
EACH_TON = Rule(
    r"\b(?:(?:any|no|each|every|single|last|marginal|final|dearest|costliest|worst|individual|one|priciest|"
    r"most expensive)(?: [\w-]+)? (?:tons?|tonnes?|bdt|clusters?|stands?|cells?|loads?|truckloads?)|"
    r"marginal(?: costs?| price)?|last[ -]ton|tons? (?:that (?:are|is|cost)s? )?(?:above|over|dearer|costing|beyond|"
    r"costlier)|nothing (?:above|over|dearer|that costs)|"
    r"none (?:above|over|dearer)|(?:clusters?|stands?) (?:above|over|dearer|costing)|ultima tonelada|ninguna tonelada|"
    r"anything (?:above|over|dearer|costing|beyond|that costs))\b"
)
_AVERAGE = Rule(r"\b(?:average|averaging|mean|avg|on average|promedio|overall|blended)\b")
_BACKGROUND = Rule(
    r"\b(?:we (?:currently |now |already )?(?:pay|paid|were quoted)|currently|at present|quoted|charged?|last year|"
    r"used to|we've been paying|been paying|our neighbou?rs? pays?|consultant|in (?:19|20)\d\d)\b"
)
_BUDGET = Rule(
    r"\b(?:budget(?:s|ed|ing)?|spend(?:s|ing)?|fuel bill|fuel money|presupuesto|gastar|allot(?:ted|ment)?|allocat(?:e|"
    r"ed|ion)|to spend|can (?:pay|spend|afford)|afford|funds?|funding|fuel (?:cost|spend(?:ing)?|purchases?) of)\b"
)
_THE_PLANT = Rule(
    r"[ -]?(?:\w+ )?(?:plants?|facility|projects?|gasifiers?|cogens?|chps?|power station)\b|(?: \w+){0,2} to build\b"
)
_FUEL = Rule(r"\b(?:fuel|feedstock|wood|chips|biomass|procurement|combustible|supply|purchas\w+)\b")
_MINE = Rule(
    r"\b(?:i|we|they|council|board|county|district) (?:have|has|got|can|could|only have)\b|\bwith\b|\bon\b|\bfor\b|"
    r"\btengo\b|\btenemos\b|\bunder\b"
)
_CAP_BEFORE = Rule(
    r"\b(?:cost|costs|delivered|average|fuel|ton|tons|price|marginal|cap|cheaper|chips|wood|bdt|largest|biggest|how big|"
    r"how large|max mw|what size)\b"
)
_CAP_AFTER = Rule(
    r" ?,? ?(?:(?:on|an|the|in|per|as|a|for|any|each) )*(?:average|avg|mean|delivered|fuel|tons?|bone[ -]dry|marginal|last)\b"
)
_HARVEST_COST = Rule(r"\b(?:harvest(?:ing)?|haul(?:ing)?|treatment) costs?\b")


def read_money(draft: Draft) -> None:
    """Set the cost cap (green or metric bases wait for the moisture) and the budget."""
    source = draft.source
    for a in draft.of_unit("usd_per_bdt", "usd_per_gt"):
        low, high = source.sentence(a.start)
        sentence = source.masked[low:high]
        before = source.masked[max(low, a.start - 90) : a.start]
        around = source.masked[max(low, a.start - 90) : min(high, a.end + 30)]
        draft.use(a)
        if _BACKGROUND.search(around) and not re.search(r"\b(?:willing|afford|up to|under|below|max)\b", around):
            continue
        limited = _LIMIT.search(before) or _AFTER_LIMIT.match(source.masked[a.end : high])
        asked_size = re.search(
            r"\b(?:largest|biggest|how (?:big|large|much|many)|most|max(?:imum)?|what size)\b", sentence
        )
        if not limited and not asked_size and "sensitivity" not in draft.marks:
            continue
        _put_cap(draft, a, sentence, before)
    _plain_caps(draft)
    _budgets(draft)


def _put_cap(draft: Draft, a: Amount, sentence: str, before: str) -> None:
    kind = "average"
    if EACH_TON.search(before[-70:]) or (EACH_TON.search(sentence) and not _AVERAGE.search(sentence)):
        kind = "last_ton"
    if _AVERAGE.search(before[-40:]):
        kind = "average"
    draft.values["_cap"] = a
    draft.put("max_cost_kind", kind, a.start, a.end)
    draft.spans["_cap"] = (a.start, a.end)
    if a.bare:
        draft.note(
            '"$/ton" without a basis is read as dollars per bone-dry short ton (BDT)'
            if a.label == "$/tons"
            else '"$/tonne" without a basis is read as dollars per bone-dry metric tonne'
        )


def _plain_caps(draft: Draft) -> None:
    """ "keep the average under $65": dollars without a unit, small, right after a limit word."""
    source = draft.source
    if "_cap" in draft.values:
        return
    for a in draft.of_unit("usd"):
        low, high = source.sentence(a.start)
        before = source.masked[max(low, a.start - 60) : a.start]
        after = source.masked[a.end : min(high, a.end + 24)]
        if a.per or not 5 <= a.value <= 500 or not _LIMIT.search(before[-28:]):
            continue
        if not _CAP_BEFORE.search(before) and not _CAP_AFTER.match(after):
            continue
        if re.search(r"\b(?:diesel|wage|driver|faller|hour|gallon|capital|crude)\b", before[-40:]):
            continue
        draft.use(a)
        draft.note(f"${number(a.value)} is read as dollars per BDT")
        _put_cap(draft, a, source.masked[low:high], before)
        return


def _budgets(draft: Draft) -> None:
    source = draft.source
    for a in draft.of_unit("usd"):
        low, high = source.sentence(a.start)
        sentence = source.masked[low:high]
        near = source.masked[max(low, a.start - 60) : min(high, a.end + 40)]
        if (
            (a.value < 1000 and not re.search(r"\bbudget", near))
            or a.shape == "range"
            or _THE_PLANT.match(source.masked, a.end)
            or re.search(
                r"\b(?:capital|capex|invest\w*|construction|build(?:ing)? cost|charged|reports?|grant)\b", near
            )
        ):
            continue
        cued = _BUDGET.search(near) or (a.per and (_FUEL.search(sentence) or _MINE.search(near)))
        if not cued or _BACKGROUND.search(near):
            continue
        draft.use(a)
        value = a.value * PER_YEAR[a.per]
        if a.per in {"month", "week", "day"}:
            draft.note(f"${number(a.value)} a {a.per} = ${number(value)} a year")
        elif not a.per:
            draft.note(f"a budget of ${number(value)} is read as a year's")
        draft.put("budget_usd_per_year", value, a.start, a.end)
        return


def settle_cap(draft: Draft, moisture_pct: float | None) -> None:
    """Turn the cap into dollars per BDT at the question's moisture, or at 50 % where it names none."""
    cap: Amount | None = draft.values.pop("_cap", None)
    if cap is None:
        return
    start, end = draft.spans.pop("_cap")
    value = cap.value
    if cap.unit == "usd_per_gt":
        used = DEFAULT_MOISTURE_PCT if moisture_pct is None else moisture_pct
        value = usd_per_gt_to_usd_per_bdt(cap.value, min(max(used, 0.0), 99.0))
        draft.note(f"${number(cap.said)}/GT at {number(used)} % moisture = ${number(value)}/BDT")
    elif cap.label not in {"$/BDT", "$/tons", "$"}:
        draft.note(f"${number(cap.said)} {cap.label.removeprefix('$')} = ${number(value)}/BDT")
    draft.put("max_cost_usd_per_bdt", value, start, end)
