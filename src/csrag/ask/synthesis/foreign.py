"""Check a text by anybody against an answer record: every number backed by a value, under the right label and unit.

The text may be a press release, a summary or the reply of a chatbot. Nothing is computed: the record is all that counts.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from csrag.ask.results import Fact
from csrag.ask.synthesis.foreign_labels import WINDOW, Place, contradicts
from csrag.ask.synthesis.foreign_numbers import Number, numbers_of, plain_text
from csrag.ask.synthesis.format import value_text
from csrag.errors import RequestError
from csrag.quantities import KM_PER_MILE, TONNE_PER_SHORT_TON

_DIMENSIONS: dict[str, tuple[str, float]] = {
    "usd_per_bdt": ("usd/bdt", 1), "usd_per_gt": ("usd/gt", 1), "usd_per_mwh": ("usd/mwh", 1), "usd_per_acre": ("usd/acre", 1),
    "usd_per_bdt_per_pct": ("usd/bdt", 1), "bdt": ("bdt", 1), "bdt_per_year": ("bdt", 1),
    "bdmt_per_year": ("bdt", 1 / TONNE_PER_SHORT_TON), "gt": ("gt", 1), "gt_per_year": ("gt", 1), "mwh_per_year": ("mwh", 1),
    "mw": ("mw", 1), "years": ("year", 1), "years_1": ("year", 1), "km": ("km", 1), "miles": ("km", KM_PER_MILE),
    "hours": ("hour", 1), "acres": ("acre", 1), "acres_per_year": ("acre", 1), "year_number": ("yearno", 1),
    "percent_1": ("pct", 1), "usd": ("usd", 1), "usd_per_year": ("usd", 1), "usd_per_kw_year": ("usd/mw", 1000),
    "clusters": ("cluster", 1), "loads_per_year": ("load", 1), "loads_per_day": ("load/day", 1), "percent": ("pct", 1),
    "count": ("", 1), "kg_per_mwh": ("kg/mwh", 1), "kg_co2e_per_mwh": ("kg/mwh", 1), "g_per_mj": ("g/mj", 1),
    "g_per_mwh": ("g/mwh", 1), "gal_per_mwh": ("gal/mwh", 1), "miles_per_mwh": ("km/mwh", KM_PER_MILE),
    "percent_value": ("pct", 1), "percent_of_base": ("pct", 1), "usd_per_gal": ("usd/gal", 1), "usd_per_hour": ("usd/hour", 1),
    "usd_per_mile": ("usd/km", 1 / KM_PER_MILE), "km_per_hour": ("km/hour", 1), "index": ("", 1), "values": ("values", 1),
    "ratio": ("times", 1), "per_year": ("pct", 100), "share": ("pct", 100),
}  # fmt: skip
"""Unit of a value: what it measures, and how many of that one is."""
_ASKED = (
    ("_usd_per_bdt", "usd_per_bdt"), ("_usd_per_gal", "usd_per_gal"), ("_usd_per_h", "usd_per_hour"),
    ("_usd_per_mwh", "usd_per_mwh"), ("_usd_per_year", "usd_per_year"), ("_usd_per_mile", "usd_per_mile"), ("_usd", "usd"),
    ("_mw", "mw"), ("_bdt", "bdt"), ("_km_per_h", "km_per_hour"), ("_km", "km"), ("_pct", "percent_value"), ("years", "years"),
    ("_y", "years"), ("_probability", "per_year"), ("_weight", "share"),
)  # fmt: skip
_CODES = re.compile(r"\b(?:co2e?|pm2\.5|nox|sox)\b", re.IGNORECASE)
_AT_MOST = re.compile(r"\b(?:less than|under|below)\s*$")
_TELLING = 40
"""A figure of another unit is taken for that value misnamed where it has this many steps of its last place."""


@dataclass(frozen=True)
class Finding:
    """One number of a text and what the record says to it.

    Parameters
    ----------
    start, end : int
        Where it stands.
    text : str
        As it stands there.
    verdict : str
        backed, unbacked (no value of the record has this figure) or wrong label (a value has it, but under another name or
        unit).
    value_id : str or None
        The value that backs it, or that has the figure.
    message : str
        Why, in words; empty where it is backed.
    """

    start: int
    end: int
    text: str
    verdict: str
    value_id: str | None
    message: str = ""

    def to_json(self) -> dict[str, Any]:
        """JSON object: the fields, the span as two offsets."""
        return {
            "span": [self.start, self.end], "text": self.text, "verdict": self.verdict, "value_id": self.value_id,
            "message": self.message,
        }  # fmt: skip


def verify_text(text: str, answer_record: Mapping[str, Any]) -> list[Finding]:
    """Check every number of a text against an answer record.

    Parameters
    ----------
    text : str
        Any prose.
    answer_record : mapping
        What `csrag ask --json` prints, or `Answer.to_json()`; the records of further questions under `also` count too.

    Returns
    -------
    list of Finding
        One for each number, in order: digits, number words, "twice", "a quarter". The words one, both, first, second, each
        and half are no numbers; names of the record's places, its treatment and its technology are none either. A number may be
        rounded more coarsely than the product rounds, to as many places as it shows.

    Raises
    ------
    RequestError
        If the record is none.
    """
    if not isinstance(answer_record, Mapping) or not isinstance(answer_record.get("values"), Mapping):
        raise RequestError(
            "That is no answer record: it has no values.",
            "Give what `csrag ask --json` prints.",
            code="no_answer_record",
        )
    records = [answer_record, *(answer_record.get("also") or [])]
    facts = [pair for record in records for pair in _facts(record)]
    plain = plain_text(text)
    literal = dict(_literals(plain, facts))
    hidden = [*_names(plain, records), *literal]
    numbers = numbers_of(plain, hidden)
    spans = sorted([*((n.start, max(n.end, n.upto)) for n in numbers), *literal])
    findings = [_judge(text, plain, n, facts, spans) for n in numbers]
    findings += [Finding(a, b, text[a:b], "backed", i) for (a, b), i in literal.items()]
    return sorted(findings, key=lambda f: f.start)


def _facts(record: Mapping[str, Any]) -> Iterator[tuple[str, Fact]]:
    """Values of the record, and what its question asked for."""
    for value_id, fact in record["values"].items():
        if fact.get("value") is not None:
            yield value_id, Fact(fact["value"], fact["unit"], fact.get("label", ""), fact.get("basis", ""))
    query = record.get("query") or {}
    for name, value in (*query.items(), *(query.get("overrides") or {}).items()):
        unit = next((u for suffix, u in _ASKED if name.endswith(suffix)), None)
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if unit and number and name not in record["values"] and (name != "years" or value > 1):
            yield f"query.{name}", Fact(value, unit, name.replace("_", " "), "as asked")


def _literals(plain: str, facts: list[tuple[str, Fact]]) -> Iterator[tuple[tuple[int, int], str]]:
    """Values that are texts with figures in them ("20 to 30 km"), where they stand word for word."""
    taken: list[tuple[int, int]] = []
    texts = [
        (i, plain_text(f.value)) for i, f in facts if isinstance(f.value, str) and any(c.isdigit() for c in f.value)
    ]
    for value_id, words in sorted(texts, key=lambda pair: -len(pair[1])):
        for m in re.finditer(rf"(?<![\w.,]){re.escape(words)}(?!\w|[.,]\d)", plain):
            if all(m.end() <= a or m.start() >= b for a, b in taken):
                taken.append(m.span())
                yield m.span(), value_id


def _names(plain: str, records: list[Mapping[str, Any]]) -> list[tuple[int, int]]:
    """Stretches that are names with figures or number words in them."""
    names: set[str] = set()
    for record in records:
        query = record.get("query") or {}
        for place in query.get("locations") or ():
            names |= {str(place.get(key) or "") for key in ("name", "matched", "county")}
        code = str(query.get("treatment") or "")
        names |= {code, re.sub(r"(\d)", r"-\1", code, count=1), re.sub(r"(\d)", r" \1", code, count=1)}
        names |= {str((record.get("layers") or {}).get(key) or "") for key in ("name", "title")}
    spans = [m.span() for m in _CODES.finditer(plain)]
    for name in sorted(names, key=len, reverse=True):
        if name and numbers_of(plain_text(name)):
            spans += [m.span() for m in re.finditer(rf"(?<!\w){re.escape(plain_text(name))}(?!\w)", plain)]
    return spans


def _agrees(number: Number, fact: Fact, plain: str) -> bool:
    """Whether a value has the figure, at the rounding shown, leaving units of another kind aside."""
    if number.value is None or isinstance(fact.value, str) or fact.value is None:
        return False
    _, factor = _DIMENSIONS.get(fact.unit, ("", 1.0))
    scale = number.scale if _comparable(number, fact) and number.dimension else 1.0
    held = float(fact.value) * (factor if _comparable(number, fact) or factor == 100 else 1.0)
    if number.value == 1 and number.dimension == "pct" and _AT_MOST.search(plain[: number.start]):
        return 0 < abs(held) < 1
    step = 2 * number.half
    if round(held / scale / step) == round(number.value / step):
        return True
    return _comparable(number, fact) and any(
        n.value == number.value and n.half == number.half and (not number.dimension or n.scale == number.scale)
        for n in _numbers_in(value_text(fact)) if n.value is not None
    )  # fmt: skip


@lru_cache(maxsize=4096)
def _numbers_in(words: str) -> tuple[Number, ...]:
    return tuple(numbers_of(plain_text(words)))


def _comparable(number: Number, fact: Fact) -> bool:
    """Whether the unit beside a number can be the value's; a number without a unit says nothing against any."""
    return not number.dimension or number.dimension == _DIMENSIONS.get(fact.unit, ("", 1.0))[0]


def _judge(
    text: str, plain: str, number: Number, facts: list[tuple[str, Fact]], spans: list[tuple[int, int]]
) -> Finding:
    end = max(number.end, number.upto)
    shown = text[number.start : end]
    near = spans[bisect_left(spans, (number.start - WINDOW, 0)) : bisect_left(spans, (end + WINDOW, 0))]
    place = Place(plain, number.start, end, tuple(near))
    agreeing = [(i, f) for i, f in facts if _agrees(number, f, plain)]
    reasons: list[tuple[str, str]] = []
    fits: list[str] = []
    for value_id, fact in agreeing:
        if not _comparable(number, fact):
            if abs(number.value or 0.0) < _TELLING * number.half:
                continue  # a small round figure agrees with something by chance
            reasons.append((value_id, f"the unit differs: the value is {value_text(fact)}"))
        elif why := contradicts(value_id, place):
            reasons.insert(0, (value_id, why))
        else:
            fits.append(value_id)
    if fits:
        return Finding(number.start, end, shown, "backed", _best(fits, facts, place))
    in_label = next((i for i, f in facts if _in_label(number, f, place)), None)
    if in_label:
        return Finding(number.start, end, shown, "backed", in_label)
    if reasons:
        value_id, why = reasons[0]
        label = next(f.label for i, f in facts if i == value_id)
        return Finding(number.start, end, shown, "wrong label", value_id, f"{label}: {why}")
    return Finding(number.start, end, shown, "unbacked", None, "no value of the record has this figure")


def _in_label(number: Number, fact: Fact, place: Place) -> bool:
    """A figure that is part of what a value is ("first year whose circle is wider than 40 km"), where that is spoken of."""
    if not number.dimension or not any(
        n.value == number.value and n.dimension == number.dimension for n in _numbers_in(fact.label)
    ):
        return False
    low, high = place.sentence
    return len(_words(place.text[low:high]) & _words(fact.label)) > 1


@lru_cache(maxsize=4096)
def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z]{4,}", text.lower()))


def _best(fits: list[str], facts: list[tuple[str, Fact]], place: Place) -> str:
    """Of several values that fit, the one whose label shares most words with the sentence."""
    low, high = place.sentence
    words, labels = _words(place.text[low:high]), dict(facts)
    return max(fits, key=lambda i: len(words & _words(labels[i].label)))
