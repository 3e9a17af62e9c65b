"""No text makes the parser slow: the words of every pattern, repeated to ten thousand characters, beside an innocent text.

Times are compared within the run, by processor time, so that a busy machine changes nothing.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import time
from collections.abc import Iterator
from itertools import cycle, islice

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import csrag.ask.intent
from csrag.ask.intent import parse
from csrag.ask.intent.rule import Rule, names_any

CHARACTERS = 10_000
FACTOR = 8
ALPHABET = st.characters(codec="ascii", categories=("Ll", "Nd", "Zs", "Po", "Pd", "Sc", "Sm", "Ps", "Pe", "Cc"))
INNOCENT = ("The council met on Tuesday, heard 3 reports about the bridge and went home at 9. " * 130)[:CHARACTERS]
_LITERAL = re.compile(r"(?<![\\\[])[a-z][a-z' -]{2,}")


def patterns(value: object) -> Iterator[str]:
    """Every expression in a module's names, however deep in tables."""
    if isinstance(value, Rule | re.Pattern):
        yield value.pattern
    elif isinstance(value, dict):
        for item in value.values():
            yield from patterns(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from patterns(item)


def rules(value: object) -> Iterator[Rule]:
    """Every rule in a module's names that looks for a word first."""
    if isinstance(value, Rule):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from rules(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from rules(item)


def modules() -> list[str]:
    return [f"csrag.ask.intent.{m.name}" for m in pkgutil.iter_modules(csrag.ask.intent.__path__)]


def seconds(text: str, rounds: int = 2) -> float:
    best = 1e9
    for _ in range(rounds):
        start = time.process_time()
        parse(text)
        best = min(best, time.process_time() - start)
    return best


@pytest.fixture(scope="module")
def innocent_seconds() -> float:
    parse("20 MW at Quincy")
    return max(seconds(INNOCENT, 5), 1e-3)


@pytest.mark.parametrize("name", modules())
def test_the_words_of_a_module_repeated(name: str, innocent_seconds: float) -> None:
    module = importlib.import_module(name)
    for pattern in dict.fromkeys(p for v in vars(module).values() for p in patterns(v)):
        words = [w.strip() for w in _LITERAL.findall(pattern)] or ["a"]
        for glue in (" ", " 80 % ", ", 5 miles "):
            text = glue.join(islice(cycle(words), CHARACTERS // (len(glue) + min(map(len, words)))))[:CHARACTERS]
            taken = seconds(text, 1)
            if taken > FACTOR * innocent_seconds:
                taken = seconds(text, 3)
            assert taken < FACTOR * innocent_seconds, (pattern[:80], glue, taken / innocent_seconds)


@pytest.mark.parametrize(
    "piece",
    [
        "10 mw at weed and ", "at least half ", "80 % of the ", "5 miles from ", "no two closer ", "don't ", "site 5 ", "best three ",
        "the first and the second ", "w3r9+fx ", "10sfj ", "10 s fj 12 ", "50% more ", "between private and ", "of it it it ",
        "1 ", "a ",
        "half half ", "expansion 1.5 ", "which of the ", "no haul ", "one one one ", "usfs and ", "shasta and ",
        "10 mw shasta, ",
    ],
)  # fmt: skip
def test_a_piece_repeated(piece: str, innocent_seconds: float) -> None:
    text = (piece * (CHARACTERS // len(piece) + 1))[:CHARACTERS]
    assert seconds(text, 3) < FACTOR * innocent_seconds
    short = (piece * (1_000 // len(piece) + 1))[:1_000]
    assert seconds(short, 3) < FACTOR * innocent_seconds


GUARDED = {
    rule.pattern: rule
    for name in modules()
    for value in vars(importlib.import_module(name)).values()
    for rule in rules(value)
    if rule.needs
}


@pytest.mark.parametrize("pattern", GUARDED)
def test_the_word_looked_for_first_stands_in_every_match(pattern: str) -> None:
    rule, seen = GUARDED[pattern], []

    @given(st.from_regex(re.compile(pattern), alphabet=ALPHABET))
    @settings(max_examples=60, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    def every_match(text: str) -> None:
        seen.append(text)
        assert names_any(text, rule.needs), (text, rule.needs)

    every_match()
    assert seen
