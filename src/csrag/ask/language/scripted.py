"""A model that says what it was told to say: for tests, and for trying the guards by hand."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from csrag.ask.language.protocol import Message, ModelFailure, ToolCall, Turn

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


class ScriptedPlanner(ScriptedModel):
    """Plans as it was told to, and streams its texts.

    Parameters
    ----------
    moves : sequence
        Each a sequence of (tool, arguments as JSON), an exception to raise, or a function of the conversation that returns one of
        these; after the last one it is done, unless `forever`.
    replies : sequence
        Texts, as for `ScriptedModel`.
    piece : int
        Characters that the stream gives at a time.
    pause_s : mapping of int to float
        Piece of the stream before which it waits, and how long [s].
    forever : bool
        Whether the last move is repeated.
    """

    def __init__(
        self,
        moves: Sequence[Any],
        replies: Sequence[Reply] = (),
        piece: int = 7,
        pause_s: Mapping[int, float] | None = None,
        *,
        forever: bool = False,
    ) -> None:
        super().__init__(replies)
        self._moves, self._piece, self._pause_s, self._forever = list(moves), piece, dict(pause_s or {}), forever
        self.conversations: list[list[Message]] = []
        self.told = 0

    def turn(
        self,
        instructions: str,  # noqa: ARG002
        messages: Sequence[Message],
        tools: Sequence[Mapping[str, Any]],  # noqa: ARG002
        wall_s: float,  # noqa: ARG002
    ) -> Turn:
        """The next move.

        Parameters
        ----------
        instructions, tools
            Not used.
        messages : sequence of Message
            Kept in `conversations`.
        wall_s : float
            Not used [s].
        """
        at = len(self.conversations)
        self.conversations.append(list(messages))
        if at >= len(self._moves) and not (self._forever and self._moves):
            return Turn(())
        move = self._moves[min(at, len(self._moves) - 1)]
        move = move(messages) if callable(move) else move
        if isinstance(move, Exception):
            raise move
        return Turn(tuple(ToolCall(name, arguments, f"{at}_{n}") for n, (name, arguments) in enumerate(move)))

    def stream(self, instructions: str, prompt: str, wall_s: float, emit: Callable[[str], bool]) -> None:
        """The next text, piece by piece; `told` counts the pieces.

        Parameters
        ----------
        instructions, prompt : str
            As for `complete`.
        wall_s : float
            Not used [s].
        emit : callable
            Given each piece.
        """
        text = self.complete(instructions, prompt, None, wall_s)
        for n, at in enumerate(range(0, len(text), self._piece)):
            time.sleep(self._pause_s.get(n, 0.0))
            self.told += 1
            if not emit(text[at : at + self._piece]):
                return
