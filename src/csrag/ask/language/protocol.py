"""What csrag asks of a language model, and the limits every model is held to."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, runtime_checkable

_GRACE_S = 0.25
"""What a model's own time-out may take longer than ours [s]."""
_CHARACTERS_PER_TOKEN = 4
T = TypeVar("T")


class ModelFailure(Exception):  # noqa: N818 - it never reaches a user as an error
    """A model did not deliver; the message is fit for a note in the answer and holds nothing of the exchange."""


class NoToolCallingError(ModelFailure):
    """The model or its server knows no tool calling."""


@dataclass(frozen=True)
class Limits:
    """Limits of one question.

    Parameters
    ----------
    wall_s : float
        All calls of one question together [s].
    call_s : float
        One call [s].
    stall_s : float
        Silence within a streamed reply [s]; the first word may take as long as a call.
    requests : int
        Calls at most.
    output_tokens : int
        Tokens that one call may write.
    reply_characters : int
        A longer reply is not read.
    plan_wall_s, plan_requests, plan_tokens : float, int, int
        The same for a question that the model plans: time [s], calls, and tokens written in all of them together.
    """

    wall_s: float = 30.0
    call_s: float = 15.0
    stall_s: float = 5.0
    requests: int = 4
    output_tokens: int = 900
    reply_characters: int = 20_000
    plan_wall_s: float = 60.0
    plan_requests: int = 12
    plan_tokens: int = 6_000


@dataclass(frozen=True)
class ToolCall:
    """A call of a tool as a model wrote it: nothing of it is checked yet.

    Parameters
    ----------
    name : str
        Of the tool.
    arguments : str
        JSON, or what the model took for it.
    call_id : str
        Ties the result to the call.
    """

    name: str
    arguments: str
    call_id: str


@dataclass(frozen=True)
class Message:
    """One message of a planning conversation.

    Parameters
    ----------
    role : str
        user, model, or tool.
    text : str
        What it says.
    calls : tuple of ToolCall
        Of a model's message.
    call : ToolCall or None
        The call that a tool's message answers.
    """

    role: str
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    call: ToolCall | None = None


@dataclass(frozen=True)
class Turn:
    """A model's move in a planning conversation: the calls it wants, none where it is done; and the tokens it wrote."""

    calls: tuple[ToolCall, ...]
    text: str = ""
    tokens: int = 0


class LanguageModel(Protocol):
    """A model behind whatever wire. It may also be a `StreamingModel` and a `ToolModel`."""

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


@runtime_checkable
class StreamingModel(Protocol):
    """A model whose plain text can be had as it is written."""

    def stream(self, instructions: str, prompt: str, wall_s: float, emit: Callable[[str], bool]) -> None:
        """One reply, piece by piece.

        Parameters
        ----------
        instructions, prompt : str
            As for `LanguageModel.complete`.
        wall_s : float
            Time it may take [s].
        emit : callable
            Given each piece; where it returns false nobody listens any more and the reply is to be broken off.

        Raises
        ------
        ModelFailure
            If the reply does not come to its end.
        """
        ...


@runtime_checkable
class ToolModel(Protocol):
    """A model that knows tool calling."""

    def turn(
        self, instructions: str, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]], wall_s: float
    ) -> Turn:
        """The model's next move.

        Parameters
        ----------
        instructions : str
            What the model is to do.
        messages : sequence of Message
            The conversation so far.
        tools : sequence of mapping
            Name, description and parameters (a JSON schema) of each tool.
        wall_s : float
            Time it may take [s].

        Raises
        ------
        NoToolCallingError
            If the model or its server knows none.
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
        self._calls = self._requests = self._tokens = 0
        self._down = ""
        self._deadline = 0.0
        self.begin()

    def begin(self, *, planning: bool = False) -> None:
        """A new question: all limits afresh.

        Parameters
        ----------
        planning : bool
            Whether the limits of a question that the model plans hold.
        """
        self._calls = self._tokens = 0
        self._requests = self.limits.plan_requests if planning else self.limits.requests
        self._down = ""
        self._deadline = time.monotonic() + (self.limits.plan_wall_s if planning else self.limits.wall_s)

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
        reply = self._within(lambda seconds: self.model.complete(instructions, prompt, schema, seconds))
        if not isinstance(reply, str) or len(reply) > self.limits.reply_characters:
            raise ModelFailure("its reply is no text of a usable length")
        self._count(len(reply) // _CHARACTERS_PER_TOKEN)
        return reply

    def turn(self, instructions: str, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]) -> Turn:
        """One move of a planning conversation within the limits.

        Parameters
        ----------
        instructions, messages, tools
            As for `ToolModel.turn`.

        Raises
        ------
        NoToolCallingError
            If the model knows no tool calling.
        ModelFailure
            Whatever else goes wrong.
        """
        model = self.model
        if not isinstance(model, ToolModel):
            raise NoToolCallingError("it knows no tool calling")
        turn = self._within(lambda seconds: model.turn(instructions, messages, tools, seconds))
        written = len(turn.text) + sum(len(c.arguments) for c in turn.calls)
        if written > self.limits.reply_characters:
            raise ModelFailure("its reply is no text of a usable length")
        self._count(max(turn.tokens, written // _CHARACTERS_PER_TOKEN))
        return turn

    def stream(self, instructions: str, prompt: str) -> Generator[str, None, None]:
        """Pieces of one reply as they come, within the limits; a silence ends it.

        A model that cannot stream gives its whole reply as one piece. Closing the iterator breaks the reply off.

        Parameters
        ----------
        instructions, prompt : str
            As for `LanguageModel.complete`.

        Raises
        ------
        ModelFailure
            Whatever goes wrong, also after the first pieces.
        """
        model = self.model
        if not isinstance(model, StreamingModel):
            yield self.ask(instructions, prompt)
            return
        seconds = self._admit()
        pieces: queue.SimpleQueue[str | Exception | None] = queue.SimpleQueue()
        left = threading.Event()

        def emit(piece: str) -> bool:
            pieces.put(piece)
            return not left.is_set()

        def work() -> None:
            try:
                model.stream(instructions, prompt, seconds, emit)
                pieces.put(None)
            except Exception as error:
                pieces.put(error)

        threading.Thread(target=work, daemon=True, name="csrag-model").start()
        end, silence, length = time.monotonic() + seconds + _GRACE_S, seconds, 0
        try:
            while True:
                try:
                    piece = pieces.get(timeout=max(0.0, min(silence, end - time.monotonic())))
                except queue.Empty:
                    self._down = (
                        "it did not reply in time" if length == 0 else "it fell silent in the middle of its reply"
                    )
                    raise ModelFailure(self._down) from None
                if piece is None:
                    break
                if isinstance(piece, Exception):
                    raise self._failure(piece) from None
                length += len(piece)
                if length > self.limits.reply_characters:
                    raise ModelFailure("its reply is no text of a usable length")
                silence = min(self.limits.stall_s, seconds) + _GRACE_S
                yield piece
        finally:
            left.set()
            self._count(length // _CHARACTERS_PER_TOKEN, raises=False)

    def _admit(self) -> float:
        """Count a call and give the time it may take [s].

        Raises
        ------
        ModelFailure
            If the question has no call or no time left.
        """
        if self._down:
            raise ModelFailure(self._down)
        if self._calls >= self._requests:
            raise ModelFailure(f"it was not done after {self._requests} requests")
        self._calls += 1
        seconds = min(self.limits.call_s, self._deadline - time.monotonic())
        if seconds <= 0:
            raise ModelFailure("its time was up")
        return seconds

    def _within(self, work: Callable[[float], T]) -> T:
        """Run one call in a thread of its own: a reply that never ends must not hold the answer, whatever the wire does.

        Raises
        ------
        ModelFailure
            Whatever goes wrong.
        """
        seconds = self._admit()
        box: list[T] = []
        failed: list[Exception] = []

        def run() -> None:
            try:
                box.append(work(seconds))
            except Exception as error:
                failed.append(error)

        thread = threading.Thread(target=run, daemon=True, name="csrag-model")
        thread.start()
        thread.join(seconds + _GRACE_S)
        if failed:
            raise self._failure(failed[0]) from None
        if not box:
            self._down = "it did not reply in time"
            raise ModelFailure(self._down)
        return box[0]

    def _failure(self, error: Exception) -> ModelFailure:
        if isinstance(error, ModelFailure):
            if time.monotonic() >= self._deadline:
                self._down = str(error)
            return error
        # The class alone: a library's message may repeat addresses, headers or the exchange.
        return ModelFailure(f"it failed ({type(error).__name__})")

    def _count(self, tokens: int, *, raises: bool = True) -> None:
        self._tokens += tokens
        if self._tokens > self.limits.plan_tokens:
            self._down = "it wrote more than a question may cost"
            if raises:
                raise ModelFailure(self._down)
