"""One conversation: its questions, its Catchments, its last answer. Nothing in it is shared with another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from csrag.ask.pipeline import CatchmentCache, ask
from csrag.ask.results import Answer
from csrag.errors import RequestError
from csrag.surfaces.store import LayerStore

if TYPE_CHECKING:
    from csrag.ask.language.protocol import Assistant

MAX_TURNS = 200


def answering(assistant: Assistant | None) -> Callable[..., Answer]:
    """What answers a question: with a model the function that can plan, else the pipeline alone.

    Parameters
    ----------
    assistant : Assistant or None
        The model; without one nothing of planning is imported.
    """
    if assistant is None:
        return ask
    from csrag.ask.agent.planning import ask_planned

    return ask_planned


class Session:
    """A conversation over one layer set.

    A turn changes only what it names; the answer to a chain of turns is that of a fresh run given the same chain.

    Parameters
    ----------
    layers : LayerStore or callable
        The layer set, or what opens it; opened once, at the first question that needs it.
    name : str, optional
        Its name, repeated in every answer record.
    earlier : sequence of str
        Questions of an earlier part of the conversation, oldest first.
    plants_file : Path, optional
        The user's own table of other plants.
    assistant : Assistant, optional
        A language model for gaps of the parse, for the wording, and for a plan where the grammar cannot take a question apart.
    area_file : Path, optional
        The user's own polygons, to search in or take stock of.
    sites_file : Path, optional
        The user's own points, among which a search chooses.
    """

    def __init__(
        self,
        layers: LayerStore | Callable[[], LayerStore],
        *,
        name: str | None = None,
        earlier: Sequence[str] = (),
        plants_file: Path | None = None,
        assistant: Assistant | None = None,
        area_file: Path | None = None,
        sites_file: Path | None = None,
    ) -> None:
        self._layers = layers
        self._store: LayerStore | None = layers if isinstance(layers, LayerStore) else None
        self._plants_file = plants_file
        self._assistant = assistant
        self._area_file = area_file
        self._sites_file = sites_file
        self._cache = CatchmentCache()
        self.on_step: Callable[[str, str], None] | None = None
        self.on_sentence: Callable[[str], None] | None = None
        self.name = name
        self.questions: list[str] = list(earlier)
        self.last: Answer | None = None

    @property
    def store(self) -> LayerStore:
        """The layer set, opened now if it was not yet."""
        if self._store is None:
            assert not isinstance(self._layers, LayerStore)
            self._store = self._layers()
        return self._store

    @property
    def opened(self) -> LayerStore | None:
        """The layer set, if it was opened."""
        return self._store

    def ask(self, question: str) -> Answer:
        """Answer the next question.

        Parameters
        ----------
        question : str
            The question; it becomes part of the conversation.

        Returns
        -------
        Answer
            Carries the session's name.

        Raises
        ------
        RequestError
            If the conversation is too long to go on with.
        """
        if len(self.questions) >= MAX_TURNS:
            raise RequestError(
                f"This conversation has {MAX_TURNS} turns.", "Begin a new one; save a scenario to go on from it.",
                code="session_too_long",
            )  # fmt: skip
        answer = answering(self._assistant)(
            lambda: self.store, question, self.questions, self._cache, self._plants_file, on_step=self.on_step,
            assistant=self._assistant, area_file=self._area_file, sites_file=self._sites_file, on_sentence=self.on_sentence,
        )  # fmt: skip
        answer = replace(answer, session=self.name)
        if question.strip():
            self.questions.append(question)
        if answer.status != "refused" and answer.query.intent not in {"methodology", "command"}:
            self.last = answer
        return answer

    def restore(self, questions: Sequence[str]) -> None:
        """Put other questions in the place of those asked so far; Catchments stay, their keys decide."""
        self.questions = list(questions)
        self.last = None
