"""Numbers of a text as others write them: digits, separators, number words, money, ranges, and the unit beside each."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace

from csrag.quantities import ACRES_PER_HECTARE, KM_PER_MILE, TONNE_PER_SHORT_TON

# noun: (pattern, dimension, how many of the dimension's unit one of them is); the first that fits wins.
_NOUNS: tuple[tuple[str, str, float], ...] = (
    (r"bone[- ]dry (?:metric tons?|tonnes?)|dry (?:metric tons?|tonnes?)|bdmt", "bdt", 1 / TONNE_PER_SHORT_TON),
    (r"bone[- ]dry (?:short )?tons?|dry (?:short )?tons?|bdts?|odts?", "bdt", 1.0),
    (r"green (?:short )?tons?|wet (?:short )?tons?|gts?", "gt", 1.0),
    (r"tonnes?|metric tons?", "tonne", 1.0),
    (r"(?:short )?tons?", "bdt", 1.0),
    (r"mwh|megawatt[- ]?hours?", "mwh", 1.0),
    (r"kwh|kilowatt[- ]?hours?", "mwh", 0.001),
    (r"gwh|gigawatt[- ]?hours?", "mwh", 1000.0),
    (r"mw|megawatts?", "mw", 1.0),
    (r"kw|kilowatts?", "mw", 0.001),
    (r"gw|gigawatts?", "mw", 1000.0),
    (r"km|kilomet(?:re|er)s?", "km", 1.0),
    (r"miles?|mi", "km", KM_PER_MILE),
    (r"acres?", "acre", 1.0),
    (r"hectares?|ha", "acre", ACRES_PER_HECTARE),
    (r"clusters?|stands?", "cluster", 1.0),
    (r"truck[- ]?loads?|loads?|trucks?", "load", 1.0),
    (r"years?|yrs?", "year", 1.0),
    (r"hours?|hrs?|h", "hour", 1.0),
    (r"gallons?|gal", "gal", 1.0),
    (r"mj|megajoules?", "mj", 1.0),
    (r"kg|kilograms?", "kg", 1.0),
    (r"grams?|g", "g", 1.0),
    (r"times|fold|x", "times", 1.0),
    (r"values?", "values", 1.0),
)  # fmt: skip
_NOUN_FORMS = [(re.compile(rf"[\s-]*(?:{p})\b(?: of (?:co2e?|\x01+)(?: equivalent)?)?"), d, f) for p, d, f in _NOUNS]
_PERCENT = re.compile(r"\s*(?:%|percent(?:age points?)?\b|per cent\b|pct\b)|-percent\b")
_MAGNITUDE = re.compile(r"[\s-]*(thousand|million|billion|bn|k|m)\b")
_TIMES = {"thousand": 1e3, "k": 1e3, "million": 1e6, "m": 1e6, "billion": 1e9, "bn": 1e9}
_DOLLARS = re.compile(r"[\s-]*(?:us )?(?:dollars?|usd|bucks)\b")
_CENTS = re.compile(r"\s*(?:cents?\b|¢|c(?=/))")
_PER = re.compile(r"\s*(?:/|per\b|an?\b|for (?:each|every)\b|each\b|every\b)\s*")
_PERIOD = re.compile(r"(?:year|yr|annum)\b")
_DAY = re.compile(r"(?:working |work)?day\b")
_OTHER_PERIOD = re.compile(r"(month|week|hour|minute)\b")
_MONEY_BEFORE = re.compile(r"(?:(?:us)?\$\s*-?|\busd\s*)(?:\d[\d.,]*(?<=\d)\s*(?:-|to)\s*)?$")
_NUMBER = re.compile(r"(?:\d{1,3}(?:[,'\u2009\u202f\u00a0]\d{3})+(?!\d)|\d+)(?:\.\d+)?|(?<![\d\w])\.\d+")
_CODE_BEFORE = re.compile(r"[^\W\d_]$|\b(?:sdi|tfa|tfb|rmi)[- ]$")
_BETWEEN = re.compile(r"\s*(?:to|-|and|or|through)\s*(?:us)?\$?\s*")
_ONES = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11,
    "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
}  # fmt: skip
_TENS = {
    w: 10 * n for n, w in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 2)
}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_WORD_VALUES = {**_ONES, **_TENS, **_SCALES, "zero": 0}
_ANY = "|".join(_WORD_VALUES)
_WORDS = re.compile(
    rf"\b(?:{_ANY})(?:(?:[ -]| and )(?:{_ANY}))*(?: point(?: (?:zero|{'|'.join(list(_ONES)[:9])}))+)?\b"
)
_RATIO_WORDS = re.compile(r"\b(?:twice|thrice|doubl(?:e|es|ed|ing)|tripl(?:e|es|ed|ing)|quadrupl(?:e|es|ed|ing))\b")
_RATIOS = {"tw": 2.0, "th": 3.0, "do": 2.0, "tr": 3.0, "qu": 4.0}
_SHARES = re.compile(r"\b(?:(?:an?|one|two|three)[ -])?(quarters?|thirds|fifths?|tenths?)\b|\b(?:one|a)[ -]third\b")
_VAGUE = re.compile(
    r"\b(?:dozens?|hundreds|thousands|millions|billions|scores of|ii|iii|iv|vi|vii|viii|ix|xi|xii)\b|[½¼¾⅓⅔⅛]"
)


@dataclass(frozen=True)
class Number:
    """A number of a text.

    Parameters
    ----------
    start, end : int
        Where its digits or words stand.
    value : float or None
        As written, magnitude and scale put in; None for one that names no figure ("dozens").
    half : float
        Half a unit of the last place written: how far the true value may lie from it.
    dimension : str
        What the unit beside it measures ("usd/bdt", "km", "pct"); empty where no unit stands there.
    scale : float
        Units of the dimension in one of what is written (miles to km).
    upto : int
        End of the unit.
    """

    start: int
    end: int
    value: float | None
    half: float
    dimension: str = ""
    scale: float = 1.0
    upto: int = 0


def plain_text(text: str) -> str:
    """The text in lower case, one character for one: digits of other scripts and dashes made plain."""
    out = []
    for char in text:
        digit = unicodedata.decimal(char, None)
        low = char.lower()
        out.append(str(digit) if digit is not None else "-" if char in "‐‑‒–—−" else low if len(low) == 1 else char)
    return "".join(out)


def numbers_of(text: str, hidden: Sequence[tuple[int, int]] = ()) -> list[Number]:
    """Every number of a text, in order.

    Parameters
    ----------
    text : str
        From `plain_text`.
    hidden : sequence of (int, int)
        Stretches that are names, not numbers.
    """
    for start, end in hidden:
        text = text[:start] + "\x01" * (end - start) + text[end:]
    found = [_with_unit(text, n) for n in (*_digits(text), *_words(text))]
    found.sort(key=lambda n: n.start)
    found = [n for k, n in enumerate(found) if not any(o.start < n.start < o.upto for o in found[max(0, k - 2) : k])]
    for k in range(len(found) - 2, -1, -1):
        one, other = found[k], found[k + 1]
        if not one.dimension and other.dimension and _BETWEEN.fullmatch(text[one.end : other.start]):
            found[k] = replace(one, dimension=other.dimension, scale=other.scale, upto=one.end)
        elif (
            one.dimension == "usd"
            and other.dimension.startswith("usd")
            and _BETWEEN.fullmatch(text[one.upto : other.start])
        ):
            found[k] = replace(one, dimension=other.dimension, scale=one.scale * other.scale)
    return found


def _digits(text: str) -> list[Number]:
    out = []
    for m in _NUMBER.finditer(text):
        written = re.sub(r"[,'\u2009\u202f\u00a0]", "", m.group())
        places = len(written.partition(".")[2])
        before = text[max(0, m.start() - 3) : m.start()]
        negative = re.search(r"(?:^|[\s($\x01])-\$?$", before) is not None
        value = -float(written) if negative else float(written)
        # A code ("SDI45") or a figure with a leading zero ("01 %") is no amount.
        odd = _CODE_BEFORE.search(text[max(0, m.start() - 6) : m.start()]) or re.match(r"0\d", written)
        out.append(Number(m.start(), m.end(), None if odd else value, 0.5 * 10.0**-places))
    return out


def _words(text: str) -> list[Number]:
    out: list[Number] = []

    def free(m: re.Match[str]) -> bool:
        return all(m.end() <= n.start or m.start() >= n.end for n in out)

    for m in _SHARES.finditer(text):
        kind, many = m.group(), _ONES.get(re.split(r"[ -]", m.group())[0], 1)
        part = 4 if "quarter" in kind else 3 if "third" in kind else 5 if "fifth" in kind else 10
        out.append(Number(m.start(), m.end(), 100.0 * many / part, 0.5, "pct", 1.0, m.end()))
    for m in _RATIO_WORDS.finditer(text):
        out.append(Number(m.start(), m.end(), _RATIOS[m.group()[:2]], 0.05, "times", 1.0, m.end()))
    for m in _WORDS.finditer(text):
        if m.group() != "one" and free(m):
            places = len(m.group().partition(" point ")[2].split())
            out.append(Number(m.start(), m.end(), _word_value(m.group()), 0.5 * 10.0**-places))
    for m in _VAGUE.finditer(text):
        if free(m):
            out.append(Number(m.start(), m.end(), None, 0.0))
    return out


def _word_value(words: str) -> float:
    whole, _, fraction = words.partition(" point ")
    total = part = 0
    for word in re.split(r"[ -]", whole):
        if word == "and":
            continue
        value = _WORD_VALUES[word]
        if value == 100:
            part = max(part, 1) * 100
        elif value > 100:
            total, part = total + max(part, 1) * value, 0
        else:
            part += value
    digits = "".join(str(_WORD_VALUES[w]) for w in fraction.split())
    return float(f"{total + part}.{digits or 0}")


def _noun(text: str, at: int) -> tuple[str, float, int] | None:
    for form, dimension, factor in _NOUN_FORMS:
        m = form.match(text, at)
        if m:
            return dimension, factor, m.end()
    return None


def _with_unit(text: str, number: Number) -> Number:
    """The number with the unit that stands before and after it."""
    if number.value is None or number.dimension:
        return number
    at, scale, dimension = number.end, 1.0, ""
    money = _MONEY_BEFORE.search(text[max(0, number.start - 25) : number.start]) is not None
    magnitude = _MAGNITUDE.match(text, at)
    if magnitude and (money or magnitude.group(1) != "m"):
        times, at = _TIMES[magnitude.group(1)], magnitude.end()
        number = replace(number, value=number.value * times, half=number.half * times)
    dollars, cents = _DOLLARS.match(text, at), _CENTS.match(text, at)
    if dollars or cents:
        money, at = True, (dollars or cents).end()  # type: ignore[union-attr]
        scale *= 1.0 if dollars else 0.01
    percent = None if money else _PERCENT.match(text, at)
    if percent:
        return replace(number, dimension="pct", scale=scale, upto=percent.end())
    if money:
        dimension = "usd"
    elif (noun := _noun(text, at)) is not None:
        dimension, factor, at = noun
        scale *= factor
    elif re.search(r"\byear $", text[max(0, number.start - 6) : number.start]):
        dimension = "yearno"
    per = _PER.match(text, at)
    if per:
        below = None if _PERIOD.match(text, per.end()) else _noun(text, per.end())
        other = _OTHER_PERIOD.match(text, per.end())
        if _DAY.match(text, per.end()):
            dimension, at = f"{dimension or 'load'}/day", per.end()
        elif other and dimension:
            dimension, at = f"{dimension}/{other.group(1)}", other.end()
        elif below and dimension and below[0] not in {"year", "times", "values", "cluster", "load"}:
            dimension, scale, at = f"{dimension}/{below[0]}", scale / below[1], below[2]
    return replace(number, dimension=dimension, scale=scale, upto=max(at, number.end))
