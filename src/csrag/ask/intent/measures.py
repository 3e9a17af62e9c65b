"""Lengths, shares and counts as one pattern each, for the rules that read a number together with the words around it.

These rules run before the amounts of a question are collected and take their numbers out of play, so that the twenty of
"twenty miles apart" is no radius and the eighty of "80 % from high hazard zones" no degree of thinning.
"""

from __future__ import annotations

import re

from csrag.ask.intent.units import unit_at
from csrag.ask.intent.vocabulary import NUMBER_WORDS

_SPELT = "|".join(sorted((w for w, n in NUMBER_WORDS.items() if n), key=len, reverse=True))
_TENS = "|".join(w for w, n in NUMBER_WORDS.items() if 20 <= n <= 90)
_ONES = "|".join(w for w, n in NUMBER_WORDS.items() if 0 < n < 10)
_NUMBER = rf"(?:\d{{1,4}}(?:\.\d{{1,3}})?|(?:{_TENS})[ -](?:{_ONES})|(?:{_SPELT})|an?)"
LENGTH = (
    rf"(?<![\w.$])(?:about |around |roughly |some )?(?P<length>{_NUMBER}[ -]?(?:road |driving |air |truck )?"
    r"(?:nautical miles?|miles?|millas?|mi|kilomet(?:er|re)s?|kilometros?|kms?|klicks?|met(?:er|re)s?|m|feet|ft))(?![a-z0-9])"
)
"""A length with its unit, in the group `length`; see `length_km`."""
_FRACTIONS = {
    "three quarters": 75.0, "three fourths": 75.0, "two thirds": 200 / 3, "one third": 100 / 3, "a third": 100 / 3,
    "one quarter": 25.0, "a quarter": 25.0, "one half": 50.0, "half": 50.0, "all": 100.0, "la mitad": 50.0,
    "dos tercios": 200 / 3, "un tercio": 100 / 3, "tres cuartos": 75.0,
}  # fmt: skip
_FRACTION = "|".join(w.replace(" ", "[ -]") for w in _FRACTIONS if w != "all")
PERCENT = rf"(?<![\w.$])(?:about |around |roughly |el |un )?(?P<share>{_NUMBER} ?(?:%|percent|per cent|pct|por ciento))(?![a-z])"
"""A percentage, in the group `share`."""
SHARE = (
    rf"(?<![\w.$])(?:about |around |roughly |el |un )?(?P<share>{_NUMBER} ?(?:%|percent|per cent|pct|por ciento)|(?:{_FRACTION}))"
    r"(?![a-z])"
)
"""A percentage or a fraction in words, in the group `share`; see `share_pct`."""
COUNT = (
    rf"(?<![\w.$])(?P<count>\d{{1,3}}|{_SPELT}|(?:a |half a )?dozen|a (?:couple|pair|handful)(?: of)?)(?![\w.%$]|,\d)"
)
"""How many, in the group `count`; see `count_of`."""
_LOOSE_COUNTS = {"dozen": 12, "a dozen": 12, "half a dozen": 6, "a couple": 2, "a pair": 2, "a handful": 5}
_LETTER_AFTER = re.compile(r"[ -]?(?=[a-z%])")


def _number(text: str) -> float:
    """Digits or number words to a number."""
    text = text.strip(" -")
    if text in {"a", "an"}:
        return 1.0
    if text[0].isdigit():
        return float(text)
    return float(sum(NUMBER_WORDS[w] for w in re.split(r"[ -]", text)))


def length_km(m: re.Match[str], group: str = "length") -> float:
    """Length [km] of a match of `LENGTH`.

    Parameters
    ----------
    m : re.Match
        Match of a pattern that holds `LENGTH`.
    group : str
        Name of the group.
    """
    number, unit = _parted(m[group])
    unit = re.sub(r"^(?:road|driving|air|truck) ", "", unit)
    found = unit_at(unit, 0)
    assert found is not None  # the pattern admits units of the table only
    return _number(number) * found[0].factor


def share_pct(m: re.Match[str]) -> float:
    """Share [percent] of a match of `SHARE` or `PERCENT`, to four decimals."""
    text = m["share"].replace("-", " ")
    if text in _FRACTIONS:
        return round(_FRACTIONS[text], 4)
    return round(_number(re.sub(r" ?(?:%|percent|per cent|pct|por ciento)$", "", text)), 4)


def count_of(m: re.Match[str]) -> int:
    """Count of a match of `COUNT`."""
    text = m["count"].removesuffix(" of")
    if text in _LOOSE_COUNTS:
        return _LOOSE_COUNTS[text]
    return int(_number(text))


def _parted(text: str) -> tuple[str, str]:
    """Number and unit."""
    m = re.match(rf"({_NUMBER})[ -]?", text)
    assert m is not None
    return m[1], text[m.end() :]
