"""A pattern that is compiled when it is first needed: a first question pays only for the rules that its words touch."""

from __future__ import annotations

import re
from collections.abc import Iterator


class Rule:
    """Regular expression with the methods of `re.Pattern` that the rules use.

    Parameters
    ----------
    pattern : str
        The expression.
    needs : tuple of str
        Words of which every match holds at least one: a text without them is not searched, and the expression not compiled.
    """

    __slots__ = ("_compiled", "needs", "pattern")

    def __init__(self, pattern: str, needs: tuple[str, ...] = ()) -> None:
        self.pattern = pattern
        self.needs = needs
        self._compiled: re.Pattern[str] | None = None

    def _ready(self) -> re.Pattern[str]:
        if self._compiled is None:
            self._compiled = re.compile(self.pattern)
        return self._compiled

    def search(self, text: str, start: int = 0, end: int = 2**31) -> re.Match[str] | None:
        """As `re.Pattern.search`."""
        if self.needs and not names_any(text, self.needs):
            return None
        return self._ready().search(text, start, end)

    def match(self, text: str, start: int = 0, end: int = 2**31) -> re.Match[str] | None:
        """As `re.Pattern.match`."""
        return self._ready().match(text, start, end)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """As `re.Pattern.fullmatch`."""
        return self._ready().fullmatch(text)

    def finditer(self, text: str, start: int = 0, end: int = 2**31) -> Iterator[re.Match[str]]:
        """As `re.Pattern.finditer`."""
        if self.needs and not names_any(text, self.needs):
            return iter(())
        return self._ready().finditer(text, start, end)

    def findall(self, text: str) -> list[str]:
        """As `re.Pattern.findall` of a pattern without groups."""
        return self._ready().findall(text)


CORRECTION = Rule(
    r"\b(?:i mean(?:t)?|make (?:that|it)|sorry|wait|correction|scratch that|strike that|(?:or|no) rather|or actually|"
    r"no actually|should (?:say|be))\b"
)
"""Words between two values by which the second replaces the first."""


def names_any(text: str, words: tuple[str, ...]) -> bool:
    """Whether any of the words stands in the text: a cheap test before a table of rules is tried."""
    return any(word in text for word in words)
