"""What csrag asks of a language model, and the limits every model is held to."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol


class ModelFailure(Exception):  # noqa: N818 - it never reaches a user as an error
    """A model did not deliver; the message is fit for a note in the answer and holds nothing of the exchange."""


@dataclass(frozen=True)
class Limits:
    """Limits of one question.

    Parameters
    ----------
    wall_s : float
        All calls of one question together [s].
    call_s : float
        One call [s].
    requests : int
        Calls at most.
    output_tokens : int
        Tokens that one call may write.
    reply_characters : int
        A longer reply is not read.
    """

    wall_s: float = 30.0
    call_s: float = 15.0
    requests: int = 4
    output_tokens: int = 900
    reply_characters: int = 20_000


class LanguageModel(Protocol):
    """A model behind whatever wire."""

    @property
    def name(self) -> str:
        """PROVIDER:MODEL, as the user named it."""
        ...

    def complete(self, instructions: str, prompt: str, schema: Mapping[str, Any] | None, wall_s: float) -> str:
        """One reply.

        Parameters
        ----------
        instructions : str
            What the model is to do.
        prompt : str
            What it works on.
        schema : mapping or None
            JSON schema of the reply; None for plain text.
        wall_s : float
            Time it may take [s].

        Raises
        ------
        ModelFailure
            If there is no usable reply.
        """
        ...


class Assistant:
    """A model held to the limits of one question; begun anew with `begin`.

    Parameters
    ----------
    model : LanguageModel
        The model.
    limits : Limits
        Its limits.
    """

    def __init__(self, model: LanguageModel, limits: Limits | None = None) -> None:
        self.model = model
        self.limits = limits or Limits()
        self._calls = 0
        self._down = ""
        self._deadline = 0.0
        self.begin()

    def begin(self) -> None:
        """A new question: all limits afresh."""
        self._calls = 0
        self._down = ""
        self._deadline = time.monotonic() + self.limits.wall_s

    def ask(self, instructions: str, prompt: str, schema: Mapping[str, Any] | None = None) -> str:
        """One reply within the limits; after a time-out or a dead wire the question makes no further call.

        Parameters
        ----------
        instructions, prompt : str
            As for `LanguageModel.complete`.
        schema : mapping, optional
            JSON schema of the reply.

        Raises
        ------
        ModelFailure
            Whatever goes wrong in the model or on the way to it.
        """
        if self._down:
            raise ModelFailure(self._down)
        if self._calls >= self.limits.requests:
            raise ModelFailure(f"it was not done after {self.limits.requests} requests")
        self._calls += 1
        seconds = min(self.limits.call_s, self._deadline - time.monotonic())
        if seconds <= 0:
            raise ModelFailure("its time was up")
        box: list[str | Exception] = []

        def work() -> None:
            try:
                box.append(self.model.complete(instructions, prompt, schema, seconds))
            except Exception as error:
                box.append(error)

        # A thread of its own: a reply that never ends must not hold the answer, whatever the wire does.
        thread = threading.Thread(target=work, daemon=True, name="csrag-model")
        thread.start()
        thread.join(seconds + 0.25)
        if not box:
            self._down = "it did not reply in time"
            raise ModelFailure(self._down)
        reply = box[0]
        if isinstance(reply, ModelFailure):
            if time.monotonic() >= self._deadline:
                self._down = str(reply)
            raise reply
        if isinstance(reply, Exception):
            # The class alone: a library's message may repeat addresses, headers or the exchange.
            raise ModelFailure(f"it failed ({type(reply).__name__})")
        if not isinstance(reply, str) or len(reply) > self.limits.reply_characters:
            raise ModelFailure("its reply is no text of a usable length")
        return reply
