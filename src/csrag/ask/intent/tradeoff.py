"""What a trade-off and the reference rule ask: how much more fire may cost, how far FRREDSS's rings reach."""

from __future__ import annotations

from csrag.ask.intent.draft import Draft, number
from csrag.ask.intent.measures import PERCENT, share_pct
from csrag.ask.intent.rule import Rule, names_any
from csrag.ask.records import SitingQuery

_MOST = (
    r"(?:no more than|not more than|at most|up to|max(?:imum)?(?: of)?|under|within|less than|only|just|even|another|an "
    r"additional|an extra|a|por|hasta|no mas de|un)"
)
_COST = r"(?:costs?|price|money|expense|delivered cost|fuel cost|spend(?:ing)?|costo|coste)"
_EXTRA: tuple[Rule, ...] = (
    Rule(rf"{PERCENT} (?:extra|more|added|additional|higher|greater|further|mas)(?: (?:in|on|of|for|than|de))*(?: (?:the|delivered|"
        rf"fuel|average|overall|total|cheapest|lowest))*(?: {_COST})?\b"),
    Rule(rf"{PERCENT} (?:cost |price )?(?:premium|surcharge|mark-?up|penalty|increase|over (?:the )?(?:cheapest|lowest|least|"
        rf"minimum)(?:[ -]cost)?|above (?:the )?(?:cheapest|lowest|least|minimum)(?:[ -]cost)?)(?: (?:in|on|of) (?:the )?{_COST})?"),
    Rule(rf"\b(?:premium|extra cost|added cost|additional cost|cost increase|cost penalty)(?: (?:of|is|at|to|by|"
        rf"{_MOST}))* {PERCENT}"),
    Rule(rf"\b{_COST} (?:may|can|could|to|is allowed to|are allowed to|should|rises?|goes? up|increases?|grows?|climbs?|by|not|"
        rf"no)(?: (?:rise|go up|increase|grow|climb|by|be|not|more|than))*(?: {_MOST})* {PERCENT}(?: (?:more|higher|extra))?"),
    Rule(rf"\b(?:pay|spend|accept|tolerate|afford|stomach|give up|pagar)(?: {_MOST})* {PERCENT}(?: (?:more|extra|higher|mas))?(?: "
        rf"(?:{_COST}|for))?"),
)  # fmt: skip
_FIRE_GAIN = (
    r"(?:(?:wild)?fires?|burn\w*|risk\w*|hazard\w*|incendios?|fuego|riesgo)(?:[ -](?:risk|benefits?|probability|reduction|"
    r"hazard|danger))?"
)
_WEIGHED = Rule(
    rf"\b(?:costs?|prices?|cheap\w*|dollars|expense|costo|precio)(?: \w+)? (?:against|versus|vs\.?|contra|frente a) (?:the |"
    rf"el )?{_FIRE_GAIN}|\b{_FIRE_GAIN}(?: \w+)? (?:against|versus|vs\.?) (?:the )?(?:\w+ )?(?:costs?|prices?|expense)\b|"
    r"\b(?:cost|price|dollars?|pay|paying|spend) (?:of|for|per|to (?:get|buy)) (?:each |every |an? |one |the )?(?:extra |"
    r"additional |more |added )?"
    r"(?:(?:percentage )?points? of |unit of )?(?:burn|fire[ -](?:benefit|reduction)|risk[ -](?:reduction|removed))|"
    r"\b(?:each|every|one|per) (?:extra |additional |more |added )?(?:percentage )?points? of (?:burn|fire|risk)|"
    rf"\b(?:sweet spot|balance|compromise|knee|happy medium|middle ground|equilibrio|punto medio) (?:between|of|entre|"
    rf"for)\b[^.?!;]{{0,50}}?{_FIRE_GAIN}|"
    rf"\bhow much (?:more )?(?:wild)?{_FIRE_GAIN} (?:can|could|do|would|will|does) (?:we|i|you|they|one|it)\b|"
    r"\b(?:most|max(?:imum)?|greatest|biggest) (?:wild)?(?:fire|burn|risk|hazard)(?:[ -](?:risk|reduction|benefit|"
    r"probability))?\b[^.?!;]{0,30}?\b(?:for|per|without|at) (?:\w+ ){0,4}?(?:costs?|money|dollar|buck|price|extra|expense)\b|"
    r"\b(?:what|which|best|right|optimal) (?:fire[ -])?weight(?:ing)?\b(?= (?:gives?|is|would|should|makes?|buys?|for|to use|"
    r"pays?|on fire))|"
    rf"\bhow much (?:more|extra|dearer)\b[^.?!;]{{0,24}}?\b(?:costs?|pay|expensive|price)\b[^.?!;]{{0,40}}?\b(?:risk\w*|"
    rf"fire[ -](?:benefit|reduction|prone)|burn\w*|"
    r"hazard\w*)(?! zones?)\b|\bbang for (?:the|our|my|your) buck\b[^.?!;]{0,40}?\b(?:fire|risk|burn|hazard)|\b(?:fire|risk|"
    r"burn|hazard)[^.?!;]{0,40}?\bbang for (?:the|our|my|your) buck",
    (
        "against",
        "versus",
        "vs",
        "contra",
        "frente a",
        "point",
        "unit of",
        "cost",
        "price",
        "pay",
        "spend",
        "sweet",
        "balance",
        "compromise",
        "knee",
        "medium",
        "middle",
        "equilib",
        "punto",
        "how much",
        "most",
        "max",
        "greatest",
        "biggest",
        "weight",
        "bang",
        "dollar",
    ),
)
_PERCENT_WORDS = ("%", "percent", "per cent", "pct", "por ciento")
_FIRE = ("fire", "burn", "risk", "hazard", "incendio", "fuego", "trade", "pareto")
_OTHER = Rule(
    r"\b(?:diesel|wages?|moisture|efficienc\w+|interest|debt|equity|capital|drivers?|fallers?|capacity factor|weight)\b"
)
_EXPANSION = Rule(
    r"\bexpansion[ -]?(?:factor|multiple|ratio)?(?: (?:of|is|at|to|be|=|set to|by|"
    r"factor))*(?: ?[=:])? ?(?P<n>\d{1,2}(?:\.\d{1,3})?)(?:x\b| times)?|"
    r"(?<![\d.])(?P<n2>\d{1,2}(?:\.\d{1,3})?)(?:x|[ -]?times)?[ -]expansion(?:[ -]factor)?\b"
)


def read_tradeoff(draft: Draft, base: SitingQuery | None) -> None:
    """Set `max_extra_cost_pct` and `expansion_factor`, before the amounts are read."""
    source = draft.source
    text = source.masked
    if "expansion" in text and (m := _EXPANSION.search(text)):
        draft.put("expansion_factor", float(m["n"] or m["n2"]), *m.span())
        source.mask(*m.span())
        if base is None or base.selection != "proximity":
            draft.put("selection", "proximity", *m.span())
            draft.note(
                f"an expansion factor belongs to FRREDSS's rule: selection by proximity, "
                f"gathering {number(draft.values['expansion_factor'])} times the demand"
            )
    follows = base is not None and base.intent == "pareto"
    if not (follows or names_any(source.text, _FIRE)) or not names_any(text, _PERCENT_WORDS):
        return
    for rule in _EXTRA:
        if (m := rule.search(source.masked)) is None:
            continue
        low, high = source.sentence(m.start())
        if _OTHER.search(source.masked[max(low, m.start() - 30) : min(high, m.end() + 20)]):
            continue
        draft.put("max_extra_cost_pct", share_pct(m), *m.span())
        draft.marks.add("tradeoff")
        source.mask(*m.span())
        return


def weighs_fire(text: str) -> bool:
    """Whether a question holds cost against fire without the word trade-off ("the sweet spot between cheap chips and risk")."""
    return names_any(text, _FIRE) and _WEIGHED.search(text) is not None
