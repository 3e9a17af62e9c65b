"""Conversations of many clients, kept in memory and apart: nobody sees another's, and the oldest idle one goes first."""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from csrag.ask.agent.session import Session
from csrag.errors import RequestError
from csrag.surfaces.store import LayerStore

MOST = 200
"""Conversations kept at once."""
IDLE_S = 3600.0
"""A conversation not spoken to for this long is forgotten [s]."""


class SessionBusyError(RequestError):
    """A conversation was asked while it was still answering."""

    default_code = "session_busy"


@dataclass
class Conversation:
    """One client's conversation: its session, and the lock that keeps its turns in order."""

    session: Session
    used: float
    turn: threading.Lock = field(default_factory=threading.Lock)


class Conversations:
    """Every conversation there is, by an id that cannot be guessed.

    Parameters
    ----------
    layers : callable
        Gives the layer set, opened once and only read; all that conversations share.
    most : int
        Conversations kept at once; the one idle longest goes first, never one that is answering.
    idle_s : float
        Forgotten after this long without a question [s].
    clock : callable, optional
        Seconds that only grow; for tests.
    """

    def __init__(
        self,
        layers: Callable[[], LayerStore],
        most: int = MOST,
        idle_s: float = IDLE_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._layers, self._most, self._idle_s, self._clock = layers, most, idle_s, clock
        self._kept: OrderedDict[str, Conversation] = OrderedDict()
        self._guard = threading.Lock()

    def __len__(self) -> int:
        with self._guard:
            return len(self._kept)

    def begin(self) -> str:
        """A new conversation; returns its id.

        Raises
        ------
        RequestError
            With code too_many_sessions, where every conversation kept is answering right now.
        """
        with self._guard:
            self._forget_idle()
            while len(self._kept) >= self._most:
                idle = next((i for i, c in self._kept.items() if not c.turn.locked()), None)
                if idle is None:
                    raise RequestError(
                        "Too many conversations are answering right now.", "Try again in a moment.", code="too_many_sessions"
                    )  # fmt: skip
                del self._kept[idle]
            name = secrets.token_urlsafe(24)
            self._kept[name] = Conversation(Session(self._layers, name=name), self._clock())
        return name

    def get(self, name: str) -> Conversation:
        """The conversation of an id.

        Raises
        ------
        RequestError
            With code session_unknown: never begun, ended, or idle for too long.
        """
        with self._guard:
            self._forget_idle()
            found = self._kept.get(name)
            if found is None:
                raise RequestError(
                    "There is no such conversation; it may have been idle for too long.",
                    "Begin one with POST /api/sessions, or leave `session` out.",
                    code="session_unknown",
                )
            found.used = self._clock()
            self._kept.move_to_end(name)
            return found

    def end(self, name: str) -> bool:
        """Forget a conversation; whether there was one."""
        with self._guard:
            return self._kept.pop(name, None) is not None

    def _forget_idle(self) -> None:
        limit = self._clock() - self._idle_s
        for name in [i for i, c in self._kept.items() if c.used < limit and not c.turn.locked()]:
            del self._kept[name]
