"""Render a template over facts into text and claims, and refuse any number that no fact backs.

A template writes `{{value_id}}` for a number with its unit and `<<name>>` for a word that is data (a place name, a
treatment code). Names are put in last, stripped of anything that could pass for markup, so that a place called "Twentynine
Palms" or a hostile cluster name can neither break the template nor count as a claim.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from csrag.ask.results import Claim, Fact
from csrag.ask.synthesis.format import value_text
from csrag.errors import InternalError

_REFERENCE = re.compile(r"\{\{([a-z0-9_]{1,80})\}\}|<<([a-z_]{1,40})>>")
_DIGIT = re.compile(r"\d")
_NUMBER_WORDS = frozenset((
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty", "thirty", "forty",
    "fifty", "sixty", "seventy", "eighty", "ninety", "hundred", "hundreds", "thousand", "thousands", "million",
    "millions", "billion", "billions", "trillion", "dozen", "dozens", "double", "doubled", "twice", "triple",
    "tripled", "thrice", "quadruple", "quarter", "quarters", "thirds", "fifth", "fifths", "sixth", "tenth",
    "tenths", "percent", "pct", "ii", "iii", "iv", "vi", "vii", "viii", "ix", "xi", "xii",
))  # fmt: skip


class UnbackedNumberError(InternalError):
    """A text states a number that no computed value backs."""

    default_code = "unbacked_number"


@dataclass(frozen=True)
class Rendered:
    """A checked text with its claims; `names` are the spans filled with data words (start, end)."""

    text: str
    claims: tuple[Claim, ...]
    names: tuple[tuple[int, int], ...]


def clean_name(name: str) -> str:
    """A data word fit to stand in a sentence: no braces, brackets, control or direction characters, at most 80 long."""
    kept = (c for c in name if unicodedata.category(c)[0] not in {"C", "Z"} or c == " ")
    return "".join(c for c in kept if c not in "{}<>[]`").strip()[:80]


def check_literal(text: str) -> None:
    """Refuse a piece of wording that states a number itself.

    Raises
    ------
    UnbackedNumberError
        For any digit (of any script) or number word.
    """
    found = _DIGIT.search(text)
    words = [w for w in re.findall(r"[^\W\d_]+", text.lower()) if w in _NUMBER_WORDS]
    if found or words:
        what = found.group(0) if found else words[0]
        raise UnbackedNumberError(
            f"The wording states {what!r}, which no computed value backs.", "The text is not shown."
        )


def render(template: str, facts: Mapping[str, Fact], names: Mapping[str, str]) -> Rendered:
    """Fill a template.

    Parameters
    ----------
    template : str
        Wording with `{{value_id}}` and `<<name>>` references.
    facts : mapping of str to Fact
        Computed values.
    names : mapping of str to str
        Data words.

    Returns
    -------
    Rendered

    Raises
    ------
    UnbackedNumberError
        If the wording itself holds a number, or a reference names no value or a value that is not there.
    """
    pieces: list[str] = []
    claims: list[Claim] = []
    spans: list[tuple[int, int]] = []
    at = length = 0
    for match in _REFERENCE.finditer(template):
        literal = template[at : match.start()]
        check_literal(literal)
        pieces.append(literal)
        length += len(literal)
        value_id, name = match.group(1), match.group(2)
        if value_id is not None:
            fact = facts.get(value_id)
            if fact is None or fact.value is None:
                raise UnbackedNumberError(
                    f"The wording refers to {value_id!r}, which has no value.", "The text is not shown."
                )
            piece = value_text(fact)
            claims.append(Claim(piece, value_id, length))
        else:
            if name not in names:
                raise UnbackedNumberError(f"The wording refers to the name {name!r}, which is not given.", "")
            piece = clean_name(names[name])
            spans.append((length, length + len(piece)))
        pieces.append(piece)
        length += len(piece)
        at = match.end()
    check_literal(template[at:])
    pieces.append(template[at:])
    return Rendered("".join(pieces), tuple(claims), tuple(spans))


def verify(rendered: Rendered, facts: Mapping[str, Fact]) -> list[str]:
    """Check a text after the fact: every number outside a claim or a data word, and every claim that misstates its value.

    Parameters
    ----------
    rendered : Rendered
        Text, claims, name spans.
    facts : mapping of str to Fact
        Computed values.

    Returns
    -------
    list of str
        What is wrong, empty where every number is backed.
    """
    wrong: list[str] = []
    covered = list(rendered.names)
    for claim in rendered.claims:
        end = claim.start + len(claim.text)
        fact = facts.get(claim.value_id)
        if rendered.text[claim.start : end] != claim.text:
            wrong.append(f"claim {claim.value_id} does not stand where it says")
        elif fact is None or fact.value is None or value_text(fact) != claim.text:
            wrong.append(f"claim {claim.text!r} does not state the value of {claim.value_id}")
        else:
            covered.append((claim.start, end))
    at = 0
    for start, end in sorted(covered):
        try:
            check_literal(rendered.text[at:start])
        except UnbackedNumberError as error:
            wrong.append(error.message)
        at = max(at, end)
    try:
        check_literal(rendered.text[at:])
    except UnbackedNumberError as error:
        wrong.append(error.message)
    return wrong
