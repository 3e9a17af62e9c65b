"""A text told sentence by sentence, as soon as each is known to be right."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

_END = re.compile(r"[.!?][\"')\]]*\s+|\n+")


def split_sentences(text: str, kept: Sequence[tuple[int, int]] = ()) -> Iterator[str]:
    """Sentences of a text, each with the space after it: joined they are the text.

    Parameters
    ----------
    text : str
        The text.
    kept : sequence of (int, int)
        Spans that are never parted, such as "Mt. Shasta".
    """
    at = 0
    for end in _END.finditer(text):
        if not any(a < end.end() < b for a, b in kept):
            yield text[at : end.end()]
            at = end.end()
    if at < len(text):
        yield text[at:]


class Teller:
    """Hands an answer's text on, piece by piece and each piece once.

    Parameters
    ----------
    on_sentence : callable or None
        Given each sentence with the space after it; all together they are the text of the answer.
    """

    def __init__(self, on_sentence: Callable[[str], None] | None) -> None:
        self._on_sentence = on_sentence
        self.told = ""

    @property
    def listens(self) -> bool:
        """Whether anybody listens."""
        return self._on_sentence is not None

    def tell(self, piece: str) -> None:
        """Hand on a piece that is right and final."""
        if self._on_sentence is not None and piece:
            self.told += piece
            self._on_sentence(piece)

    def finish(self, text: str, kept: Sequence[tuple[int, int]] = ()) -> None:
        """Hand on what of the answer's text was not told yet.

        Parameters
        ----------
        text : str
            The whole text; what was told is its beginning.
        kept : sequence of (int, int)
            Spans that are never parted.
        """
        if self._on_sentence is None:
            return
        at = len(self.told)
        assert text.startswith(self.told), "a sentence that was told is not in the answer"
        for sentence in split_sentences(text[at:], [(a - at, b - at) for a, b in kept]):
            self.tell(sentence)
