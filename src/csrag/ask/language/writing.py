"""A text asked of a model and checked: whole where nobody waits for it, else sentence by sentence as it comes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace

from csrag.ask.language.protocol import Assistant, ModelFailure, StreamingModel
from csrag.ask.results import Claim, Fact
from csrag.ask.synthesis.render import Rendered, UnbackedNumberError, render, verify
from csrag.ask.synthesis.sentences import Teller

MAX_CHARACTERS = 3000
_ATTEMPTS = 2
_SENTENCE = re.compile(r"[.!?][\"')\]]*\s+(?=\S)|\n+(?=\S)")
_FINISHED = re.compile(r"[.!?][\"')\]]*\s*$")
REFUSED = "its text did not pass the check"


@dataclass(frozen=True)
class Wording:
    """What a model is to word, and what its text is held against.

    Parameters
    ----------
    instructions, prompt : str
        For the model.
    facts : mapping of str to Fact
        Values that may be referred to.
    names : mapping of str to str
        Data words that may be referred to.
    check : callable
        What is wrong with a piece of wording: one sentence, or the whole.
    missing : callable
        What a whole text leaves out.
    expand : callable
        Turns the model's references into those of the renderer.
    """

    instructions: str
    prompt: str
    facts: Mapping[str, Fact]
    names: Mapping[str, str]
    check: Callable[[str], list[str]]
    missing: Callable[[str], list[str]]
    expand: Callable[[str], str] = str


@dataclass(frozen=True)
class Written:
    """What came of it.

    Parameters
    ----------
    rendered : Rendered or None
        Text that passed; None where there is none.
    sentences : int
        Number of its sentences.
    reason : str
        Why the text is not whole, fit for a note; empty where it is.
    """

    rendered: Rendered | None
    sentences: int = 0
    reason: str = ""


def write_text(assistant: Assistant, wording: Wording, teller: Teller) -> Written:
    """A model's text over references, regenerated once where the first does not pass.

    Where somebody listens and the model can stream, each sentence is told as soon as it has passed. What was told cannot be
    taken back: from then on there is no second try.

    Parameters
    ----------
    assistant : Assistant
        The model.
    wording : Wording
        What it is to word.
    teller : Teller
        Receives sentences as they pass.
    """
    reason = told = ""
    streams = teller.listens and isinstance(assistant.model, StreamingModel)
    for _ in range(_ATTEMPTS):
        again = f"\nYour last text was refused: {told}. Write it anew." if told else ""
        prompt = wording.prompt + again
        try:
            if streams:
                done, wrong = _streamed(assistant, replace(wording, prompt=prompt), teller)
                if done.rendered is not None:
                    return done
                told, reason = "; ".join(wrong[:3]), done.reason
                continue
            template = assistant.ask(wording.instructions, prompt).strip()
        except ModelFailure as failure:
            told = reason = str(failure)
            continue
        rendered, wrong = checked(template, wording)
        if rendered is not None:
            return Written(rendered, len(_SENTENCE.findall(template)) + 1)
        # What a model wrote is not repeated in a note: only which check.
        told, reason = "its text did not pass the check: " + "; ".join(wrong[:3]), REFUSED
    return Written(None, 0, reason)


def checked(template: str, wording: Wording) -> tuple[Rendered | None, list[str]]:
    """A whole text, rendered where it passes; else what is wrong with it."""
    if not template.strip() or len(template) > MAX_CHARACTERS:
        return None, ["the text is empty or too long"]
    wrong = wording.check(template) or wording.missing(template)
    return (None, wrong) if wrong else _rendered(template, wording)


def joined(first: Rendered, second: Rendered, space: str) -> Rendered:
    """Two checked texts as one."""
    at = len(first.text) + len(space)
    claims = (*first.claims, *(Claim(c.text, c.value_id, c.start + at) for c in second.claims))
    names = (*first.names, *((a + at, b + at) for a, b in second.names))
    return Rendered(first.text + space + second.text, claims, names)


def _rendered(template: str, wording: Wording) -> tuple[Rendered | None, list[str]]:
    try:
        rendered = render(wording.expand(template), wording.facts, wording.names)
    except UnbackedNumberError as error:
        return None, [error.message]
    wrong = verify(rendered, wording.facts)
    return (None, wrong) if wrong else (rendered, [])


class _Gate:
    """Lets one sentence after the other through, in its rendered form."""

    def __init__(self, wording: Wording, teller: Teller) -> None:
        self._wording, self._teller = wording, teller
        self._left = self.raw = self._space = ""
        self._seen: set[str] = set()
        self.passed: Rendered | None = None
        self.sentences = 0

    def feed(self, piece: str) -> list[str]:
        """What is wrong with the sentences that a piece completes; those before the wrong one are told."""
        self._left += piece
        while end := _SENTENCE.search(self._left):
            sentence, self._left = self._left[: end.end()], self._left[end.end() :]
            if wrong := self._let_through(sentence):
                return wrong
        return ["the text is too long"] if len(self.raw) + len(self._left) > MAX_CHARACTERS else []

    def finish(self) -> list[str]:
        """The same for what is left at the end."""
        last = self._left.strip()
        if not last:
            return [] if self.passed else ["the text is empty"]
        return self._let_through(last) if _FINISHED.search(last) else ["the text breaks off"]

    def _let_through(self, sentence: str) -> list[str]:
        bare = sentence.strip()
        if not bare:
            return []
        plain = " ".join(bare.lower().split())
        if plain in self._seen:
            return ["the text repeats itself"]
        self._seen.add(plain)
        wrong = self._wording.check(bare)
        if wrong:
            return wrong
        rendered, wrong = _rendered(bare, self._wording)
        if rendered is None:
            return wrong
        # The space before a sentence is told with it, so that a text that ends early has none at its end.
        self._teller.tell(self._space + rendered.text)
        self.passed = rendered if self.passed is None else joined(self.passed, rendered, self._space)
        self._space = "\n\n" if "\n" in sentence[len(sentence.rstrip()) :] else " "
        self.raw += " " + bare
        self.sentences += 1
        return []


def _streamed(assistant: Assistant, wording: Wording, teller: Teller) -> tuple[Written, list[str]]:
    gate, wrong, reason = _Gate(wording, teller), list[str](), ""
    try:
        with closing(assistant.stream(wording.instructions, wording.prompt)) as pieces:
            for piece in pieces:
                wrong = gate.feed(piece)
                if wrong:
                    break
        wrong = wrong or gate.finish()
    except ModelFailure as failure:
        wrong, reason = [str(failure)], str(failure)
    if not wrong:
        wrong = wording.missing(gate.raw)
        reason = "it left out what has to be said" if wrong else ""
    elif not reason:
        reason = REFUSED
    return Written(gate.passed, gate.sentences, reason), wrong
