"""Amounts: every number of a question with its unit, its size in csrag's unit, and where it stands.

Ranges ("20 to 30 MW") and lists ("10, 15 and 20 MW") share the unit written last.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from dataclasses import dataclass, replace

from csrag.ask.intent.rule import CORRECTION
from csrag.ask.intent.text import Source
from csrag.ask.intent.units import unit_at
from csrag.ask.intent.vocabulary import MULTIPLIERS, NUMBER_WORDS


@dataclass(frozen=True)
class Amount:
    """One number as the user wrote it.

    Parameters
    ----------
    value : float
        Size in the canonical unit.
    unit : str
        Canonical unit ("mw", "km", "acre", "bdt", "gt", "pct", "deg", "year", "km_per_h", "mwh"), "usd", a rate
        ("usd_per_bdt", "usd_per_gt", "usd_per_mwh", "usd_per_mw", "usd_per_gal", "usd_per_h", "usd_per_km",
        "usd_per_acre"), or "" for a bare number.
    start, end : int
        Working positions.
    said : float
        The number in the user's own unit.
    label : str
        The user's own unit in words, "" for a bare number.
    bare : bool
        Tons without a basis.
    per : str
        "year", "month", "week" or "day" where a rate in time follows, else "".
    shape : str
        "", "range" or "list"; the members share `group`.
    group : int
        Number of the range or list, -1 for a single amount.
    """

    value: float
    unit: str
    start: int
    end: int
    said: float
    label: str = ""
    bare: bool = False
    per: str = ""
    shape: str = ""
    group: int = -1


MAX_AMOUNTS = 60
"""No question needs more numbers; the rules that pair numbers with words stay bounded."""
_NUM = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d{1,3},\d(?=[ %]?[a-z%])(?!\d)|\d+(?:\.\d+)?(?:e[+-]?\d{1,3}(?!\d))?|\.\d+"
_DECIMAL_COMMA = re.compile(r",(?=\d$)")
_NUMBER = re.compile(
    rf"(?:(?<![\w.)\]])(?P<sign>[-+])(?=[\d.$]))?(?:(?P<cur>us ?\$ ?|usd ?|"
    rf"\$ ?)(?P<sign2>-)?)?(?<![\d.,])(?P<num>{_NUM})"
)
_SCALE = re.compile(r"[ -]?(?:(thousand|k|mil)|(millions?|millon(?:es)?|mn|mio)|(mm?)|(billions?|bn|b))(?![a-z])")
_SPELT = "|".join(sorted([*NUMBER_WORDS, *MULTIPLIERS], key=len, reverse=True))
_WORDS = re.compile(rf"\b(?:(?:half a|quarter of a|a|an)[ -])?(?:(?:{_SPELT})(?:[ -](?:and )?|\b)){{1,6}}")
_DOLLARS = re.compile(r" ?(?:us )?(?:dollars?|bucks?|usd|dolares|us\$|\$)(?![a-z])")
_CENTS = re.compile(r" ?(?:cents?|¢|c(?= ?(?:/|per)))")
_PER = re.compile(r" ?(?:/ ?|(?:per|a|an|each|every|for (?:a|each|every)|por|al?|la|el) )(?:single )?")
_TIME = (
    r" ?(?:/ ?(?:(?P<y>years?|yrs?|y|a|ano)|(?P<m>months?|mo)|(?P<w>weeks?|wk)|(?P<d>days?|d))|"
    r"(?:per|a|an|each|every|por|al|cada) (?:(?P<y2>years?|yrs?|annum|ano)|(?P<m2>months?|mes)|"
    r"(?P<w2>weeks?|semana)|(?P<d2>days?|dia))|"
    r"(?P<y3>annually|yearly|p\.?a\.?|anuales|anualmente|annual)|(?P<d3>daily)|(?P<w3>weekly)|"
    r"(?P<m3>monthly))(?![a-z])"
)
_PERIOD = re.compile(_TIME)
_PERIOD_LATER = re.compile(r"[^\d.,;?!$\x01]{0,32}?\b" + _TIME.removeprefix(" ?"))
_HOURLY = re.compile(r" ?/ ?h(?:r|our)?\b| (?:per|an|each) hour\b| hourly\b")
_OF_FUEL = re.compile(
    r" (?:worth )?(?:of|for|on|in) (?:the |our |its )?(?:fuel|feedstock|wood|biomass|chips)(?: (?:costs?|bills?|purchases?|money))?"
    + _TIME
)
_IDENTIFIERS = re.compile(
    r"\b(?:highway|hwy|route|rte|state route|interstate|county road|freeway|exit|suite|ste|apt|lot|"
    r"unit|section|phase|"
    r"page|table|figure|version|chapter|rule|title|sb|ab|hr|docket|room|box|no\.|number)[ -]?#?\d{1,6}[a-z]?\b"
    r"(?! ?(?:mw|kw|gw|mega|kilo|%))|\b(?:sr|i|us|cr|ca)-\d{1,3}\b|\b(?:sr|us) (?:395|299|199|101|"
    r"97|99|49|50|70|89|36|20|95)\b"
    r"(?! ?(?:mw|kw|gw|mega|kilo|%|bdt|dollars))|#\d+\b|\b\d{1,2}(?:st|nd|rd|th)\b|\b\d{1,2}:\d{2}\b"
    r"|\b\d{1,2}/\d{1,2}/\d{2,4}\b|\b\d{4}-\d{2}-\d{2}\b|\b\d{3}-\d{3}-\d{4}\b|\b\d{3}-\d{4}\b"
)
_YEAR_NUMBER = re.compile(r"(?<![\d.,$])(?:19|20)\d\d(?![\d,]*\d)(?!\.\d)s?\b")
_RANGE_GAP = re.compile(r" ?(?:-|to|through|thru|a|y|and|up to|\.\.+) ?(?:about |roughly |around )?$")
_LIST_GAP = re.compile(r" ?(?:,|/|&|,? (?:and|or|vs\.?|versus|y|o|and then|against|with)) ?(?:at |for |with |then )?$")
_AND_A_HALF = re.compile(r" and (?:a|one)[ -](half|quarter|third)\b")
_SHARE_OF_ONE = {"half": 0.5, "quarter": 0.25, "third": 1 / 3}
_VULGAR = {"½": 0.5, "¼": 0.25, "¾": 0.75}
_AND_VULGAR = re.compile(r" ?([½¼¾])|[ -]([1-3])/([248])(?![\d/])")
_PART = re.compile(
    r"\b(?:(?:a |one )?(?P<half>half)|(?:a |one )?(?P<quarter>quarter)|(?P<three>three[ -]quarters))(?: of)?(?: an?)?[ -]"
    r"(?=mega|mw|gw|giga|mile|million)|(?<![\d.])(?P<sign>[½¼¾]) ?"
)
_TAKEN_BACK_WITHIN = 40
_MONEY_NAMES = {"bdt", "gt", "mwh", "mw", "gal", "h", "km", "acre"}


def _value_of_words(words: str) -> float | None:
    """Number that a run of number words spells; None where they do not spell one."""
    total, current, seen = 0.0, 0.0, False
    share = 0.5 if words.startswith("half a") else 0.25 if words.startswith("quarter of a") else 1.0
    last_tens = False
    for word in re.split(r"[ -]+", words.strip(" -")):
        if word in NUMBER_WORDS:
            n = NUMBER_WORDS[word]
            if n == 12 and word == "dozen":
                current = (current or 1) * 12
            elif current % 100 and not (last_tens and n < 10):
                return None
            else:
                current += n
            last_tens, seen = 20 <= n <= 90 and n % 10 == 0, True
        elif word in MULTIPLIERS:
            m = MULTIPLIERS[word]
            current = (current or 1) * m
            if m >= 1000:
                total, current = total + current, 0
            last_tens, seen = False, True
    return (total + current) * share if seen else None


def _scaled(text: str, end: int, money: bool) -> tuple[float, int]:
    """Factor of "k", "million" and the like after a number, and where it ends."""
    m = _SCALE.match(text, end)
    if m is None:
        return 1.0, end
    thousand, million, letter_m, billion = m.groups()
    if thousand:
        return 1e3, m.end()
    if million:
        return 1e6, m.end()
    if billion and (money or billion.startswith("bil")):
        return 1e9, m.end()
    # "$2.4M" is money; "22,000 m" is metres.
    if letter_m and money:
        return 1e6, m.end()
    return 1.0, end


def _one(text: str, start: int, end: int, number: float, currency: bool) -> Amount:
    """Finish one number: scale, currency, unit, rate and period."""
    if half := _AND_A_HALF.match(text, end):
        number, end = number + _SHARE_OF_ONE[half[1]], half.end()
    elif (half := _AND_VULGAR.match(text, end)) and number == int(number):
        number += _VULGAR[half[1]] if half[1] else int(half[2]) / int(half[3])
        end = half.end()
    factor, end = _scaled(text, end, currency)
    said = value = number * factor
    money = currency
    if not money:
        if m := _CENTS.match(text, end):
            money, value, end = True, value / 100, m.end()
        elif (m := _DOLLARS.match(text, end)) is not None:
            money, end = True, m.end()
    elif m := _DOLLARS.match(text, end):
        end = m.end()
    if money:
        if (per := _PER.match(text, end)) and (found := unit_at(text, per.end())):
            unit, stop = found
            if unit.name in _MONEY_NAMES:
                return Amount(
                    value / unit.factor, f"usd_per_{unit.name}", start, stop, said, f"$/{unit.label}", unit.bare
                )
        if m := _PERIOD.match(text, end) or _OF_FUEL.match(text, end):
            return Amount(value, "usd", start, m.end(), said, "$", per=_period(m))
        return Amount(value, "usd", start, end, said, "$")
    gap = 1 if text[end : end + 1] in {" ", "-"} else 0
    if found := unit_at(text, end + gap):
        unit, end = found
        if unit.name in {"gal", "h"}:
            return Amount(value, "", start, end, said)
        if unit.name in {"bdt", "gt"} and _HOURLY.match(text, end):
            return Amount(value, "", start, end, said)
        per_year = ""
        if unit.name in {"bdt", "gt", "mwh"} and (
            (m := _PERIOD.match(text, end)) or (m := _PERIOD_LATER.match(text, end))
        ):
            per_year = _period(m)
        return Amount(value * unit.factor, unit.name, start, end, said, unit.label, unit.bare, per_year)
    return Amount(value, "", start, end, said)


def _period(m: re.Match[str]) -> str:
    g = m.groupdict()
    if g["d"] or g["d2"] or g["d3"]:
        return "day"
    if g["w"] or g["w2"] or g["w3"]:
        return "week"
    return "month" if g["m"] or g["m2"] or g["m3"] else "year"


def find_amounts(source: Source) -> list[Amount]:
    """All amounts of the unmasked text, in order, with ranges and lists joined."""
    source.mask_all([m.span() for m in _IDENTIFIERS.finditer(source.masked)])
    text = source.masked
    found: list[Amount] = []
    for m in _NUMBER.finditer(text):
        if m.start() and text[m.start() - 1].isalpha() and not (m["cur"] or m["sign"]):
            continue
        if found and m.start() < found[-1].end:
            continue
        try:
            number = float(_DECIMAL_COMMA.sub(".", m["num"]).replace(",", ""))
        except ValueError:  # pragma: no cover - the pattern admits numbers only
            continue
        if m["sign"] == "-" or m["sign2"] == "-":
            number = -number
        if not math.isfinite(number):
            continue
        amount = _one(text, m.start(), m.end(), number, bool(m["cur"]))
        if amount.unit in {"", "usd"} and not amount.per and not m["cur"] and _YEAR_NUMBER.fullmatch(m["num"]):
            continue
        if math.isfinite(amount.value):
            found.append(amount)
    taken = [(a.start, a.end) for a in found]
    for m in _WORDS.finditer(text):
        words = m.group()
        number_of_words = _value_of_words(words)
        if number_of_words is None:
            continue
        end = m.start() + len(words.rstrip(" -").removesuffix(" and"))
        amount = _one(text, m.start(), end, number_of_words, False)
        # Without a unit "one of the best" or "two of us" is no amount.
        k = bisect_right(taken, (m.start(), len(text)))
        inside = k > 0 and taken[k - 1][1] > m.start()
        if amount.unit and not inside:
            found.append(amount)
    for m in _PART.finditer(text):
        part = _VULGAR[m["sign"]] if m["sign"] else 0.5 if m["half"] else 0.25 if m["quarter"] else 0.75
        amount = _one(text, m.start(), m.end() - (0 if m["sign"] else 1), part, False)
        if amount.unit and not any(a.start <= m.start() < a.end for a in found):
            found.append(amount)
    found.sort(key=lambda a: a.start)
    return _joined(text, _corrected(text, found[:MAX_AMOUNTS]))


def _corrected(text: str, amounts: list[Amount]) -> list[Amount]:
    """Without the amounts that the user takes back at once: "10 MW, sorry, 12 MW"."""
    return [
        a
        for i, a in enumerate(amounts)
        if not any(
            a.unit
            and a.unit == b.unit
            and b.start - a.end <= _TAKEN_BACK_WITHIN
            and not re.search(r"[?!;]|\x01", text[a.end : b.start])
            and CORRECTION.search(text[a.end : b.start])
            for b in amounts[i + 1 : i + 3]
        )
    ]


def _joined(text: str, amounts: list[Amount]) -> list[Amount]:
    """Give the members of ranges and lists their common unit and group."""
    out = list(amounts)
    group = 0
    i = len(out) - 1
    while i > 0:
        last = out[i]
        if not last.unit:
            i -= 1
            continue
        k = i
        shape = ""
        while k > 0:
            left = out[k - 1]
            gap = text[left.end : out[k].start]
            same = left.unit == last.unit
            money = left.unit == "usd" and last.unit.startswith("usd_per_")
            if not (same or not left.unit or money) or len(gap) > 24:
                break
            between = text[max(0, left.start - 10) : left.start].rstrip().endswith(("between", "entre"))
            if _RANGE_GAP.match(gap) and (gap.strip() not in {"and", "y", "a"} or between) and k == i and not shape:
                if left.value >= last.value and not left.unit:
                    left_value = left.value * (last.value / last.said if last.said else 1)
                    if left_value >= last.value:
                        break
                shape = "range"
                k -= 1
                break
            # "7 %, 60 % debt" is no list: percentages and dollars with units of their own belong to different words.
            own = bool(left.unit) and last.unit not in {"mw", "km"}
            # "alpha 0.8, 20 MW": a number without a unit joins a list only over "and", "or" and the like.
            loose = k == i and not left.unit and gap.strip() == ","
            # "a factor of 0.9 and 22 % efficiency": a fraction is not of the kind of a percentage.
            loose = loose or (not left.unit and last.unit == "pct" and 0 < left.value < 1 <= last.said)
            if shape != "range" and not own and not loose and _LIST_GAP.match(gap):
                shape = "list"
                k -= 1
                continue
            break
        if shape:
            ratio = last.value / last.said if last.said else 1.0
            for j in range(k, i + 1):
                a = out[j]
                value = a.value if a.unit == last.unit else a.said * ratio
                out[j] = replace(
                    a,
                    value=value,
                    unit=last.unit,
                    label=last.label,
                    bare=last.bare,
                    per=a.per or last.per,
                    shape=shape,
                    group=group,
                )
            group += 1
        i = k - 1 if shape else i - 1
    return out
