"""What the electricity is sold at, how that price grows, and a subsidy on the fuel."""

from __future__ import annotations

from csrag.ask.intent.demand import DEFAULT_MOISTURE_PCT
from csrag.ask.intent.draft import Draft, number
from csrag.ask.intent.rule import Rule
from csrag.ask.intent.units import unit_at
from csrag.quantities import usd_per_gt_to_usd_per_bdt

_NUM = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
_PRICE = Rule(
    rf"(?<![\d.,])(?P<cur>us ?\$ ?|usd ?|\$ ?)?(?P<num>{_NUM}) ?(?P<in>cents?|¢|c(?= ?(?:/|per|a ))|dollars?|bucks?|usd|\$)?"
    r"(?: ?/ ?| ?per | ?(?:an?|each|every|el|por) )(?P<unit>mwh|kwh|megawatt[ -]?hours?|kilowatt[ -]?hours?)(?![a-z])"
)
_NOT_A_PRICE = Rule(
    r"\b(?:lcoe|levelized|levelised|tax credit|ptc|heat|steam|costs? of (?:electricity|power|energy)|capacity payment|"
    r"produces? (?:power|electricity) (?:at|for)|generat(?:e|es|ing|ion) costs?)\b[^.;?!]*$"
)
_SOLD = Rule(
    r"\b(?:ppa|pays?|paid|paying|price[ds]?|tariff|contract|offtake|sells?|sold|selling|bioMAT|biomat|revenue|rate|earns?|"
    r"break[ -]?even|feed[ -]?in)\b"
)
_SOLD_NEAR = Rule(
    r"\b(?:ppa|pays?|paid|paying|prices?|tariff|contract|offtake|sells?|sold|selling|biomat|revenue|earns?|feed[ -]?in)\b"
)
_LIMIT = Rule(
    r"(?:\b(?:under|below|less than|at most|no more than|not more than|not over|max(?:imum)?|cap(?:ped)?|limit(?:ed)?|up to|"
    r"cheaper than|lower than|no higher than|within|beat|keep|menos de|por debajo de)(?: (?:of|to|at|is|about|a|an))*|<=?) ?$"
)
_LIMIT_AFTER = Rule(r" ?(?:or (?:less|below|under|cheaper)|at most|max(?:imum)?\b|tops\b|cap\b|ceiling\b)")
_POWER_SOLD = Rule(
    r"\b(?:ppa|pays?|paid|contract|offtake|tariff|earns?|(?:power|electricity) (?:prices?|sold|sells|at|for))\b"
)
_GROWS = r"(?:escalat\w+|ris\w+|grow\w*|increas\w+|go(?:es|ing) up|index(?:ed|ation))"
_ESCALATION = Rule(
    rf"\b{_GROWS}(?: (?:at|by|of|up|with|rate))*:? ?(?P<a>{_NUM}) ?(?:%|percent|pct|per cent)|"
    rf"(?<![\d.,])(?P<b>{_NUM}) ?(?:%|percent|pct|per cent)(?: ?(?:a|per|/|each|every) ?(?:year|annum)| annual(?:ly)?| yearly)? "
    rf"(?:price )?{_GROWS}"
)
_ESCALATION_REACH = 70
_AID = Rule(
    r"\b(?:subsid(?:y|ies|i[sz]e[ds]?|i[sz]ing|io)|incentives?|bcap|matching payments?|support payments?|buy-?downs?|"
    r"(?:feedstock|fuel|biomass) (?:payments?|credits?|support))\b"
)
_NO_AID = Rule(
    r"\b(?:no|without|drop|remove|forget|ignore)(?: the| any)? (?:subsid(?:y|ies)|incentives?)\b(?! (?:needed|required))"
)
_NO_PRICE = Rule(
    r"\b(?:no|without|drop|remove|forget|ignore)(?: the| any| a)? (?:ppa|power price|electricity price|tariff)\b"
)
_AID_TON = Rule(
    rf"\$ ?(?P<num>{_NUM}) (?:subsidy|incentive|support|payment|credit) ?(?:per |a |for (?:each|every|a) |/ ?)"
)
_HOW_MUCH_AID = Rule(
    r"\b(?:how much|what|how (?:big|large|high)(?: of)?(?: an?)?|which)(?: \w+){0,3} (?:subsid|incentive)|"
    r"\b(?:subsid\w+|incentives?) (?:needed|required|would|do|does|to break)"
)
_ANOTHER = Rule(r"\d[\d,.]*(?: ?[c$¢])?(?: ?/ ?[mk]wh)? ?(?:-|to|or|and) ?$")
_STOP = Rule(r"[.;?!](?: |$)")
_AID_REACH = 44


def read_tariff(draft: Draft) -> None:
    """Set `power_price_usd_per_mwh`, `price_escalation_pct`, and `subsidy_usd_per_bdt` (a green one waits for the moisture).

    Parameters
    ----------
    draft : Draft
        The turn; amounts that are used leave it.
    """
    text = draft.source.masked
    if _NO_AID.search(text):
        draft.resets.append("subsidy_usd_per_bdt")
    if _NO_PRICE.search(text):
        draft.resets += ["power_price_usd_per_mwh", "price_escalation_pct"]
    if "wh" in text or "hour" in text:
        _price(draft)
    if _AID.search(text):
        _subsidy(draft)


def settle_subsidy(draft: Draft, moisture_pct: float | None) -> None:
    """Turn a subsidy per green ton into one per BDT, at the question's moisture [percent] or 50 %."""
    green = draft.values.pop("_subsidy_gt", None)
    if green is None:
        return
    used = DEFAULT_MOISTURE_PCT if moisture_pct is None else min(max(moisture_pct, 0.0), 99.0)
    value = usd_per_gt_to_usd_per_bdt(green, used)
    draft.note(f"a subsidy of ${number(green)}/GT at {number(used)} % moisture = ${number(value)}/BDT")
    draft.put("subsidy_usd_per_bdt", value, *draft.spans.pop("_subsidy_gt"))


def _taken(draft: Draft, start: int, end: int) -> None:
    """Take every amount and word between two positions out of play."""
    for a in list(draft.amounts):
        if a.start < end and a.end > start:
            draft.use(a)
    draft.source.mask(start, end)


def _price(draft: Draft) -> None:
    text = draft.source.masked
    for m in _PRICE.finditer(text):
        low = draft.source.sentence(m.start())[0]
        before = text[max(low, m.start() - 60) : m.start()]
        other = _NOT_A_PRICE.search(before)
        capped = _LIMIT.search(before) or _LIMIT_AFTER.match(text, m.end())
        if (other or not _SOLD_NEAR.search(text[low : m.end() + 40])) and capped and not _POWER_SOLD.search(before):
            draft.note(
                f"a cap on the cost of electricity ({draft.source.original(*m.span()).strip()}) is not applied: what can be capped is "
                "the cost of fuel per BDT"
            )
            _taken(draft, m.start(), m.end())
            continue
        if other and not _POWER_SOLD.search(before[other.start() :]):
            continue
        said = float(m["num"].replace(",", ""))
        hourly = m["unit"].startswith("k")
        cents = bool(m["in"]) and m["in"][0] in "c¢"
        bare = not m["cur"] and not m["in"]
        if bare and hourly and said >= 1:
            cents = True
        value = said * (0.01 if cents else 1.0) * (1000 if hourly else 1.0)
        if bare:
            draft.note(f"{number(said)} per {'kWh' if hourly else 'MWh'} is read in {'cents' if cents else 'dollars'}")
        if cents or hourly:
            draft.note(f"{'' if cents else '$'}{number(said)}{' c' if cents else ''}/{'kWh' if hourly else 'MWh'} = "
                       f"${number(value)}/MWh")  # fmt: skip
        if not _SOLD.search(text):
            draft.note(f"${number(value)}/MWh is read as the price that the electricity is sold at")
        if _ANOTHER.search(before):
            draft.note(f"several power prices are named; ${number(value)}/MWh is used, ask for the others one by one")
        draft.put("power_price_usd_per_mwh", round(value, 9), m.start(), m.end())
        _escalation(draft, m.start(), m.end())
        _taken(draft, m.start(), m.end())
        return


def _escalation(draft: Draft, start: int, end: int) -> None:
    text = draft.source.masked
    stop = min(draft.source.sentence(start)[1], end + _ESCALATION_REACH)
    m = _ESCALATION.search(text, end, stop)
    if m is None:
        return
    draft.put("price_escalation_pct", float(m["a"] or m["b"]), m.start(), m.end())
    _taken(draft, m.start(), m.end())


def _subsidy(draft: Draft) -> None:
    text = draft.source.masked
    if m := _AID_TON.search(text):
        found = unit_at(text, m.end())
        if found and found[0].name in {"bdt", "gt"}:
            _put_subsidy(draft, float(m["num"].replace(",", "")) / found[0].factor, found[0].name, m.start(), found[1])
            return
    cues = [c.span() for c in _AID.finditer(text)]
    best: tuple[int, int] | None = None
    rates = draft.of_unit("usd_per_bdt", "usd_per_gt")
    for i, a in enumerate(rates):
        for start, end in cues:
            gap = text[end : a.start] if a.start >= end else text[a.end : start]
            if len(gap) <= _AID_REACH and not _STOP.search(gap) and (best is None or len(gap) < best[0]):
                best = (len(gap), i)
    if best is not None:
        a = rates[best[1]]
        if a.bare:
            draft.note('a subsidy per "ton" without a basis is read as per bone-dry ton (BDT)')
        _put_subsidy(draft, a.value, a.unit.removeprefix("usd_per_"), a.start, a.end)
    elif _HOW_MUCH_AID.search(text) and "power_price_usd_per_mwh" not in draft.values:
        draft.note("the subsidy that breaks even needs a power price to hold the cost against, such as $140/MWh")


def _put_subsidy(draft: Draft, value: float, unit: str, start: int, end: int) -> None:
    if unit == "gt":
        draft.values["_subsidy_gt"], draft.spans["_subsidy_gt"] = value, (start, end)
    else:
        draft.put("subsidy_usd_per_bdt", value, start, end)
    _taken(draft, start, end)
