"""Tax credits: the production tax credit per kWh, and the ones that are not modelled and are said so."""

from __future__ import annotations

import re

from csrag.ask.intent.draft import Draft, number
from csrag.ask.intent.rule import Rule, names_any

OVERRIDE = "production_tax_credit_usd_per_kwh"
_CUE_WORDS = (
    r"(?:production[ -]tax[ -]credits?|\bptcs?\b|(?:(?:section|sec\.?|irc|§) ?)?\b45y?\b(?: production)?(?: tax)? credits?|\b45y\b|"
    r"(?:renewable (?:electricity|energy|power)|clean electricity) (?:production )?(?:tax )?credits?|(?<!investment )\btax credits?)"
)
_CUE = Rule(_CUE_WORDS)
_OTHER = Rule(r"\binvestment tax credits?\b|\bitc\b|\b48e\b(?: credits?)?")
_NO = Rule(
    r"\b(?:no|without|drop|remove|forget|ignor(?:e|ing)|exclud(?:e|ing)|not counting)(?: the| any| a)?(?: federal)? $"
)
_ASKED = Rule(r"\b(?:what(?:'s| is| are)|is there|are there|explain|define)\b[^.;?!]*$")
_NUM = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
_VALUE = (
    rf"(?<![\d.,])(?P<cur>us ?\$ ?|usd ?|\$ ?)?(?P<num>{_NUM}) ?(?P<in>cents?|¢|c(?= ?(?:/|per|a )|\b)|dollars?|bucks?|usd|\$)?"
    r"(?:(?: ?/ ?| ?per | ?(?:an?|each|every) )(?P<unit>mwh|kwh|megawatt[ -]?hours?|kilowatt[ -]?hours?)(?![a-z]))?"
)
_AFTER = Rule(rf"(?: ?(?:of|at|is|are|was|worth|set to|about|around|being|for|=|:|\(|to|be|value|up to))* ?{_VALUE}")
_BEFORE = Rule(rf"{_VALUE}(?:,? ?(?:of|as|in|the|a|an|for|federal|us|from|with|inflation-adjusted))* ?$")
_REACH = 44


def read_credits(draft: Draft) -> None:
    """Set the override of the production tax credit [USD per kWh]; without a value say that one is needed.

    Parameters
    ----------
    draft : Draft
        The turn; runs before the power price, so that "$15/MWh tax credit" is no price of electricity.
    """
    text = draft.source.masked
    if not names_any(text, ("credit", "ptc", "45y", "itc", "48e")):
        return
    for m in _OTHER.finditer(text):
        draft.note("an investment tax credit is not modelled; a lower capital cost can stand for it")
        draft.source.mask(*m.span())
    text = draft.source.masked
    bare: re.Match[str] | None = None
    for m in _CUE.finditer(text):
        if _NO.search(text[max(0, m.start() - 30) : m.start()]):
            draft.resets.append(f"overrides.{OVERRIDE}")
            draft.source.mask(*m.span())
            return
        start = max(0, m.start() - _REACH)
        value = _good(_AFTER.match(text, m.end())) or _good(_BEFORE.search(text[: m.start()], start))
        if value is not None:
            _put(draft, value, min(m.start(), value.start("num")), max(m.end(), value.end()))
            return
        bare = bare or m
    if bare is not None and not _ASKED.search(text[: bare.start()]):
        draft.note("a production tax credit needs its value, such as $15/MWh; none is assumed")
        draft.source.mask(*bare.span())


def _good(m: re.Match[str] | None) -> re.Match[str] | None:
    """A value in money: "for 25 MW" behind a credit is none."""
    return m if m is not None and (m["cur"] or m["in"] or m["unit"]) else None


def _put(draft: Draft, m: re.Match[str], start: int, end: int) -> None:
    said = float(m["num"].replace(",", ""))
    cents = bool(m["in"]) and m["in"][0] in "c¢"
    dollars = bool(m["cur"]) or (bool(m["in"]) and not cents)
    hourly = (m["unit"] or "").startswith("k")
    if not m["unit"]:
        # A credit of cents, or of less than a dollar, is one per kWh; of dollars one per MWh.
        hourly = cents or said < 1
        draft.note(f"a tax credit without a unit is read per {'kWh' if hourly else 'MWh'}")
    if not dollars and not cents and hourly and said >= 0.1:
        cents = True
    value = said * (0.01 if cents else 1.0) / (1.0 if hourly else 1000.0)
    draft.note(f"a production tax credit of ${number(value * 1000)}/MWh is counted for the years that earn it")
    draft.put_override(OVERRIDE, round(value, 9), start, end)
    for a in list(draft.amounts):
        if a.start < end and a.end > start:
            draft.use(a)
    draft.source.mask(start, end)
