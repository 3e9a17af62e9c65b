"""The working text of a question: lower case, one kind of dash and quote, single blanks, spans kept.

Every rule reads `Source.text`. What a rule has understood it masks, so that the forty of "TFB-40" can never become
forty miles. `Source.span` leads back to the user's own characters.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from functools import cached_property
from itertools import pairwise

from csrag.ask.intent.vocabulary import SITING_WORDS, mended

MAX_CHARS = 20_000
"""Longer questions are cut here, with a note: no question needs more, and the time stays bounded."""

LONG_CHARS = 1_000
"""Longer texts are condensed to the parts that speak of siting."""
_CHUNK_CHARS = 300
_CHUNK_END = re.compile(r"[.?!;](?: |$)")
_POWER = re.compile(r"\d ?(?:mw|kw|gw|megawatt|bdt|bone|green ton)")
MASK = "\x01"
_PLAIN = {
    **dict.fromkeys("‐‑‒–−﹘", "-"),
    **dict.fromkeys("‘’‛′`´", "'"),
    **dict.fromkeys("“”‟″„«»", '"'),
    **dict.fromkeys("_\t\r\v\f\u00a0\u2007\u202f\u2009\u200a\u3000", " "),
    "—": ",", "º": "°", "≤": "<", "≥": ">", "⩽": "<", "⩾": ">", "￡": "£", "＄": "$", "×": "x", "¿": " ", "¡": " ",
}  # fmt: skip
_ABBREVIATIONS = re.compile(
    r"(?:\b(?:mt|ft|st|mi|no|vs|approx|hwy|rte|sq|yr|ca|co|dr|e\.g|i\.e|s|n|w|e|p\.a|a\.m|p\.m|u\.s))$"
)
_ENDS = re.compile(r"[.?!;]")
_BREAKS = re.compile(r"[,:()\[\]]| - | but | pero ")
_WORD = re.compile(r"[a-z]{5,}")


def _plain(char: str) -> str:
    """One working character for one of the question's (so that offsets stay one to one)."""
    if char in _PLAIN:
        return _PLAIN[char]
    if char.isascii():
        return char.lower() if char.isprintable() else " "
    if char in "½¼¾":
        return char
    base = unicodedata.normalize("NFKD", char)[:1].lower()[:1]
    if base.isascii() and base.isalnum():
        return base
    low = char.lower()
    if len(low) != 1 or unicodedata.category(char) in {"Cf", "Cc", "Cs", "Zl", "Zp", "Zs", "Mn"}:
        return " "
    return low


class _Table(dict[int, str]):
    """Translation table that fills itself: `str.translate` then runs at the speed of C over any text."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        self[code] = plain = "\n" if char == "\n" else _plain(char)
        return plain


_TABLE = _Table()
_BLANKS = re.compile(r"[ \n]+")


def _squeezed(plain: str) -> tuple[str, list[int]]:
    """One blank for every run of them; a blank line ends a sentence, a single line break is only a wrapped line."""
    pieces: list[str] = []
    offsets: list[int] = []
    at = 0
    for m in _BLANKS.finditer(plain):
        start, end = m.span()
        pieces.append(plain[at:start])
        offsets += range(at, start)
        at = end
        if not offsets:
            continue
        gap = "; " if m.group().count("\n") > 1 and plain[start - 1] not in ".?!;" else " "
        pieces.append(gap)
        offsets += range(start, start + len(gap))
    pieces.append(plain[at:])
    offsets += range(at, len(plain))
    return "".join(pieces), offsets


class Source:
    """A question made ready for the rules. Holds a mask that rules add to; nothing else changes."""

    def __init__(self, question: str) -> None:
        self.question = question
        self.notes: list[str] = []
        if len(question) > MAX_CHARS:
            self.notes.append(f"only the first {MAX_CHARS:,} characters were read")
        text, offsets = _squeezed(question[:MAX_CHARS].translate(_TABLE))
        text, offsets = _condensed(text, offsets, self.notes)
        self.text, self._offsets = _spelled(text, offsets, self.notes)
        self.text = self.text.rstrip()
        self.masked = self.text
        self._ends: list[int] | None = None
        self._breaks: list[int] | None = None

    def mask(self, start: int, end: int) -> None:
        """Hide a stretch from the rules that follow."""
        self.masked = self.masked[:start] + MASK * (end - start) + self.masked[end:]

    def mask_all(self, spans: list[tuple[int, int]]) -> None:
        """Hide many stretches at once."""
        if not spans:
            return
        out, at = [], 0
        for start, end in sorted(spans):
            if end <= at:
                continue
            start = max(start, at)
            out += [self.masked[at:start], MASK * (end - start)]
            at = end
        self.masked = "".join([*out, self.masked[at:]])

    def drop_all(self, spans: list[tuple[int, int]]) -> None:
        """Take stretches out of the question for good (text and mask)."""
        self.mask_all(spans)
        self.text = self.masked
        self._ends = self._breaks = None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Span in the user's own question of working positions [start, end)."""
        if not self._offsets or end <= start:
            return (0, 0)
        last = len(self._offsets) - 1
        return self._offsets[min(start, last)], self._offsets[min(end - 1, last)] + 1

    def original(self, start: int, end: int) -> str:
        """The user's own characters."""
        a, b = self.span(start, end)
        return self.question[a:b]

    def is_capital(self, pos: int) -> bool:
        """Whether the user wrote the character at `pos` as a capital."""
        return pos < len(self._offsets) and self.question[self._offsets[pos]].isupper()

    @cached_property
    def mixed(self) -> bool:
        """Whether the user wrote capitals and small letters, so that a capital says something."""
        return not self.question.isupper() and any(c.isupper() for c in self.question[1:] if c.isalpha())

    def _sentence_ends(self) -> list[int]:
        if self._ends is None:
            text, ends = self.text, [0]
            for m in _ENDS.finditer(text):
                i = m.start()
                if m.group() == ".":
                    after = text[i + 1 : i + 2]
                    if (after and after not in " \"')") or _ABBREVIATIONS.search(text[max(0, i - 7) : i]):
                        continue
                ends.append(i + 1)
            if ends[-1] < len(text):
                ends.append(len(text))
            self._ends = ends
        return self._ends

    def sentence(self, pos: int) -> tuple[int, int]:
        """The sentence around a position."""
        ends = self._sentence_ends()
        k = bisect_right(ends, pos)
        return ends[k - 1], ends[k] if k < len(ends) else len(self.text)

    def sentences(self) -> list[tuple[int, int]]:
        """All sentences, in order."""
        ends = self._sentence_ends()
        return [(a, b) for a, b in pairwise(ends) if self.text[a:b].strip(" \x01")]

    def clause(self, pos: int) -> tuple[int, int]:
        """The stretch between commas, colons, brackets or "but" around a position, within its sentence."""
        if self._breaks is None:
            digits = "0123456789"
            self._breaks = [
                m.start()
                for m in _BREAKS.finditer(self.text)
                if not (
                    m.group() in ",:"
                    and self.text[m.start() - 1 : m.start()] in digits
                    and self.text[m.end() : m.end() + 1] in digits
                    and self.text[m.end() : m.end() + 1]
                )
            ]
        low, high = self.sentence(pos)
        k = bisect_right(self._breaks, pos)
        if k > 0:
            low = max(low, self._breaks[k - 1] + 1)
        if k < len(self._breaks):
            high = min(high, self._breaks[k])
        return low, high


def _condensed(text: str, offsets: list[int], notes: list[str]) -> tuple[str, list[int]]:
    """Of a very long text, the stretches that can hold a question: with numbers, units, siting words, a question mark.

    Keeps the time bounded whatever is pasted; what was left out is said in a note.
    """
    if len(text) <= LONG_CHARS:
        return text, offsets
    chunks: list[tuple[int, int]] = []
    at = 0
    while at < len(text):
        # A chunk ends at a sentence end, or at the last blank or the last character before it grows too long.
        window = text[at : at + _CHUNK_CHARS]
        ends = [m.end() for m in _CHUNK_END.finditer(window)]
        size = (
            ends[0]
            if ends
            else len(window)
            if at + len(window) == len(text)
            else (window.rfind(" ") + 1 or len(window))
        )
        chunks.append((at, at + size))
        at += size
    ranked = sorted(range(len(chunks)), key=lambda k: (-_weight(text[slice(*chunks[k])]), k))
    kept, total = [], 0
    for k in ranked:
        size = chunks[k][1] - chunks[k][0]
        if total + size <= LONG_CHARS:
            kept.append(k)
            total += size
    pieces: list[str] = []
    out: list[int] = []
    last = -1
    for k in sorted(kept):
        start, end = chunks[k]
        if last >= 0 and k != last + 1 and not pieces[-1].rstrip().endswith((".", "?", "!", ";")):
            pieces.append("; ")
            out += [offsets[start], offsets[start]]
        pieces.append(text[start:end])
        out += offsets[start:end]
        last = k
    notes.append("the text is long; only the parts that speak of siting were read")
    return "".join(pieces), out


def _weight(chunk: str) -> int:
    """How much a stretch of text looks like part of a siting question."""
    words = {w.strip(".,;:?!()'") for w in chunk.split()}
    size = 8 if _POWER.search(chunk) else 0
    return (
        size
        + 3 * ("?" in chunk)
        + 2 * min(len(words & SITING_WORDS), 6)
        + (1 if any(c.isdigit() for c in chunk) else 0)
    )


def _spelled(text: str, offsets: list[int], notes: list[str]) -> tuple[str, list[int]]:
    """Mend slips in the words the rules live on ("gassifier"); places are the gazetteer's business."""
    pieces: list[str] = []
    out: list[int] = []
    at = 0
    for m in _WORD.finditer(text):
        right = mended(m.group())
        if right is None:
            continue
        start, end = m.span()
        pieces += [text[at:start], right]
        out += offsets[at:start]
        out += [offsets[min(start + min(k, end - start - 1), end - 1)] for k in range(len(right))]
        at = end
        notes.append(f'"{m.group()}" was read as "{right}"')
    if not pieces:
        return text, offsets
    return "".join([*pieces, text[at:]]), out + offsets[at:]
