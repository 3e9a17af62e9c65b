"""A value that a model read out of a question counts only if it stands there, unread by the grammar."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from csrag.errors import CsragError
from csrag.quantities import check

# Field: words one of which must stand in the same quotation, so that a number cannot be read as something else.
NUMBERS: Mapping[str, str] = {
    "capacity_mw": r"mw|megawatts?",
    "radius_km": r"km|kilomet(?:er|re)s?",
    "max_slope_pct": r"slopes?|steep\w*",
    "years": r"years?",
    "budget_usd_per_year": r"budget|spend\w*|afford",
    "max_cost_usd_per_bdt": r"bdt|cap|pay|cost\w*",
    "overrides.moisture_pct": r"moisture|wet\w*|water",
    "overrides.capacity_factor_pct": r"capacity|uptime|availability|running|runs",
    "overrides.efficiency_pct": r"efficien\w*",
    "overrides.diesel_usd_per_gal": r"diesel|fuel",
    "overrides.driver_wage_usd_per_h": r"drivers?|truckers?",
}
CHOICES: Mapping[str, Mapping[str, str]] = {
    "technology": {"gasification": r"gasif\w*|syngas", "chp": r"chp|cogen\w*|heat", "combustion": r"combustion|burn\w*|boiler"},
    "selection": {"proximity": r"nearest|closest|proximity", "cost": r"cheapest|cost"},
}  # fmt: skip
_SMALL = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
          "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_WORDS = {word: n for n, word in enumerate(_SMALL)} | {word: 10 * n for n, word in enumerate(_TENS, start=2)}
_SCALE = {"k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6}
_NUMBER = re.compile(
    r"(?<![\w.])(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)\s?(k|thousand|million)?(?![\d.]*\d)"
)


def numbers_in(text: str) -> list[float]:
    """Every number of a text, digits with thousands marks and plain number words alike."""
    low = text.lower()
    out = [float(m.group(1).replace(",", "")) * _SCALE.get(m.group(2) or "", 1.0) for m in _NUMBER.finditer(low)]
    tens: float | None = None
    for word in [*re.findall(r"[a-z]+", low), ""]:
        value = _WORDS.get(word)
        if tens is not None:
            if value is not None and 1 <= value <= 9:
                out.append(tens + value)
                tens = None
                continue
            out.append(tens)
            tens = None
        if value is not None and value >= 20:
            tens = float(value)
        elif value is not None:
            out.append(float(value))
    return out


def free_place(question: str, quote: str, taken: Iterable[tuple[int, int]]) -> tuple[int, int] | None:
    """Where a quotation stands as whole tokens outside what the grammar has read; None where it does not.

    Parameters
    ----------
    question : str
        The question.
    quote : str
        The quotation.
    taken : iterable of (int, int)
        Spans that the grammar has read.
    """
    words = re.findall(r"\S+", quote)
    if not words or len(words) > 8:
        return None
    pattern = r"(?<![\w.,-])" + r"\s+".join(map(re.escape, words)) + r"(?!\w|[.,]\d)"
    spans = list(taken)
    for match in re.finditer(pattern, question, re.IGNORECASE):
        if all(match.end() <= a or match.start() >= b for a, b in spans):
            return match.span()
    return None


def supported(
    question: str, taken: Iterable[tuple[int, int]], field: str, value: Any, quote: Any
) -> tuple[float | str, tuple[int, int]] | None:
    """A proposal that the question bears out: the value and where it stands; None for every other.

    Parameters
    ----------
    question : str
        The question.
    taken : iterable of (int, int)
        Spans that the grammar has read.
    field : str
        Name of the field.
    value, quote : Any
        What the model says, and the words it says it from.
    """
    if not isinstance(quote, str) or isinstance(value, bool):
        return None
    span = free_place(question, quote, taken)
    if span is None:
        return None
    found = question[span[0] : span[1]].lower()
    if field in CHOICES:
        words = CHOICES[field].get(value) if isinstance(value, str) else None
        return (value, span) if words and re.search(rf"\b(?:{words})\b", found) else None
    if field not in NUMBERS or not isinstance(value, int | float):
        return None
    stated = numbers_in(found)
    if len(stated) != 1 or abs(stated[0] - value) > 1e-9 * max(1.0, abs(value)):
        return None
    if not re.search(rf"(?<![a-z])(?:{NUMBERS[field]})(?![a-z])", found):
        return None
    try:
        check(field.removeprefix("overrides."), float(value))
    except (CsragError, KeyError):
        return None
    if field == "years" and value != int(value):
        return None
    return (int(value) if field == "years" else float(value)), span
