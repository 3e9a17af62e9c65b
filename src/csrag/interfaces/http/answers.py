"""Answering over HTTP: the same functions as the command line, in a bounded number of threads, told as they go."""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from csrag.ask.agent.questions import split_message
from csrag.ask.pipeline import CatchmentCache, ask
from csrag.ask.results import Answer
from csrag.errors import CsragError, RequestError
from csrag.interfaces.http.conversations import Conversation, Conversations, SessionBusyError
from csrag.surfaces.store import LayerStore

Event = tuple[str, Any]
_END: Event = ("end", None)
HEARTBEAT_S = 10.0
"""Silence after which a stream says that it is alive [s]."""


class BusyError(RequestError):
    """All places for questions are taken."""

    default_code = "server_busy"


class TimeUpError(Exception):
    """The question took too long; it is given up at its next step."""


class GoneError(Exception):
    """The client has gone away; the question is given up at its next step."""


class Answerer:
    """Answers questions, a limited number at once.

    Parameters
    ----------
    layers : callable
        Gives the layer set.
    conversations : Conversations
        Of all clients.
    at_once : int
        Questions answered at the same time; further ones are refused, not queued without end.
    wall_s : float
        A question that takes longer is given up at its next step [s].
    """

    def __init__(
        self, layers: Callable[[], LayerStore], conversations: Conversations, at_once: int, wall_s: float
    ) -> None:
        self._layers, self._conversations, self._wall_s = layers, conversations, wall_s
        self._places = threading.BoundedSemaphore(at_once)

    def record(
        self, question: str, session: str | None, tell: Callable[[str, Any], None] | None = None
    ) -> dict[str, Any]:
        """The answer record of a message, with `also` where it holds several questions, as `csrag ask --json` gives it.

        Parameters
        ----------
        question : str
            The message.
        session : str or None
            Id of a conversation; None for a question by itself.
        tell : callable, optional
            Told `stage` and `sentence` events as they happen; may raise `GoneError`.

        Raises
        ------
        BusyError
            If all places are taken.
        SessionBusyError
            If the conversation is still answering.
        RequestError
            If there is no such conversation.
        """
        if not self._places.acquire(timeout=WAIT_S):
            raise BusyError("The server is answering as many questions as it can.", "Try again in a moment.")
        try:
            questions, timed = split_message(question), self._timed(tell)
            if session is None:
                answers = self._by_themselves(questions, timed)
            else:
                with self._turn(session) as conversation:
                    answers = self._in_turn(conversation, questions, timed)
        finally:
            self._places.release()
        record = answers[0].to_json()
        if len(answers) > 1:
            record["also"] = [answer.to_json() for answer in answers[1:]]
        return record

    def _timed(self, tell: Callable[[str, Any], None] | None) -> Callable[[str, Any], None]:
        """A listener that also stops the question when its time is up."""
        end = time.monotonic() + self._wall_s

        def told(kind: str, data: Any) -> None:
            if time.monotonic() > end:
                raise TimeUpError
            if tell is not None:
                tell(kind, data)

        return told

    def _by_themselves(self, questions: list[str], tell: Callable[[str, Any], None]) -> list[Answer]:
        cache = CatchmentCache()
        on_step, on_sentence = _listeners(tell)
        return [
            ask(self._layers, question, questions[:n], cache, on_step=on_step, on_sentence=on_sentence)
            for n, question in enumerate(questions)
        ]

    @contextlib.contextmanager
    def _turn(self, session: str) -> Iterator[Conversation]:
        conversation = self._conversations.get(session)
        if not conversation.turn.acquire(blocking=False):
            raise SessionBusyError(
                "This conversation is still answering.", "Wait for its answer, or begin another one."
            )
        try:
            yield conversation
        finally:
            conversation.turn.release()

    def _in_turn(
        self, conversation: Conversation, questions: list[str], tell: Callable[[str, Any], None]
    ) -> list[Answer]:
        session = conversation.session
        kept = list(session.questions)
        session.on_step, session.on_sentence = _listeners(tell)
        try:
            return [session.ask(question) for question in questions]
        except (GoneError, TimeUpError):
            session.restore(kept)
            raise
        finally:
            session.on_step = session.on_sentence = None

    def events(self, question: str, session: str | None) -> Events:
        """A message as it is answered: see `Events`.

        Parameters
        ----------
        question : str
            The message.
        session : str or None
            Id of a conversation.
        """
        return Events(lambda tell: self.record(question, session, tell))


class Events:
    """What happens while a message is answered, in a thread of its own.

    `stage` as each step begins, `sentence` as each is checked, then `record` or `error`; `heartbeat` in long silences.

    Parameters
    ----------
    answer : callable
        Answers, telling what happens to the function it is given.
    """

    def __init__(self, answer: Callable[[Callable[[str, Any], None]], dict[str, Any]]) -> None:
        self._box: queue.Queue[Event] = queue.Queue()
        self._gone = threading.Event()
        self._answer = answer
        threading.Thread(target=self._work, name="csrag-answer", daemon=True).start()

    def _tell(self, kind: str, data: Any) -> None:
        if self._gone.is_set():
            raise GoneError
        self._box.put((kind, data))

    def _work(self) -> None:
        try:
            self._box.put(("record", self._answer(self._tell)))
        except GoneError:
            pass
        except TimeUpError:
            self._box.put(("error", dict(TIME_UP)))
        except CsragError as error:
            self._box.put(("error", error_json(error)))
        except Exception:
            logging.getLogger("csrag.http").exception("a question failed")
            self._box.put(("error", dict(FAULT)))
        finally:
            self._box.put(_END)

    def next(self) -> Event | None:
        """The next event; None after the last. Waits, but not longer than until the next heartbeat."""
        try:
            event = self._box.get(timeout=HEARTBEAT_S)
        except queue.Empty:
            return ("heartbeat", {})
        return None if event is _END else event

    def close(self) -> None:
        """The client is gone: the question is given up at its next step."""
        self._gone.set()


WAIT_S = 5.0
"""How long a question waits for a place [s]."""
FAULT: Mapping[str, str] = {
    "code": "internal_error", "message": "Something went wrong on our side.", "fix": "Please report the question.",
}  # fmt: skip
"""What a client is told of a fault of ours."""
TIME_UP: Mapping[str, str] = {
    "code": "time_up", "message": "The question took longer than this server allows.",
    "fix": "Ask for a smaller area or fewer options, or run csrag on your own machine.",
}  # fmt: skip
"""What a client is told of a question that took too long."""


def error_json(error: CsragError) -> dict[str, str]:
    """A refusal as JSON: the codes of the command line."""
    return {"code": error.code, "message": error.message, "fix": error.fix}


def _listeners(tell: Callable[[str, Any], None]) -> tuple[Callable[[str, str], None], Callable[[str], None]]:
    def on_step(stage: str, tool: str) -> None:
        tell("stage", {"stage": stage, "tool": tool})

    def on_sentence(sentence: str) -> None:
        tell("sentence", {"text": sentence})

    return on_step, on_sentence
