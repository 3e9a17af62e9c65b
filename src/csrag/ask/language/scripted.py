"""A model that says what it was told to say: for tests, and for trying the guards by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from csrag.ask.language.protocol import ModelFailure

Reply = str | Exception | Callable[[str, str], str]


class ScriptedModel:
    """Replies in order; the last one is repeated.

    Parameters
    ----------
    replies : sequence
        Text, an exception to raise, or a function of (instructions, prompt).
    """

    def __init__(self, replies: Sequence[Reply]) -> None:
        self._replies = list(replies)
        self.calls: list[tuple[str, str]] = []

    @property
    def name(self) -> str:
        """Name in the notes."""
        return "scripted:model"

    def complete(self, instructions: str, prompt: str, schema: Mapping[str, Any] | None, wall_s: float) -> str:  # noqa: ARG002
        """The next reply.

        Parameters
        ----------
        instructions, prompt : str
            Kept in `calls`.
        schema : mapping or None
            Not used.
        wall_s : float
            Not used [s].

        Raises
        ------
        ModelFailure
            If there is none.
        """
        if not self._replies:
            raise ModelFailure("it has nothing to say")
        reply = self._replies[min(len(self.calls), len(self._replies) - 1)]
        self.calls.append((instructions, prompt))
        if isinstance(reply, Exception):
            raise reply
        return reply if isinstance(reply, str) else reply(instructions, prompt)
