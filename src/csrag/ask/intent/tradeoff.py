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
    if not (follows or names_any(source.text, _FIRE)):
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
