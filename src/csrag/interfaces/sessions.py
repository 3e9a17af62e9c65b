"""Where sessions and scenarios are kept, and one turn of a conversation: a command or a question."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from csrag.settings import user_data_folder

if TYPE_CHECKING:
    from csrag.ask.agent.saved import SavedSessions
    from csrag.ask.agent.session import Session
    from csrag.ask.language.protocol import Assistant
    from csrag.ask.results import Answer


def sessions_file() -> Path:
    """The file of sessions: `CSRAG_SESSIONS`, else in the user's data folder."""
    named = os.environ.get("CSRAG_SESSIONS")
    return Path(named).expanduser() if named else user_data_folder() / "sessions.sqlite"


def open_session(
    name: str | None,
    data: str | None,
    plants: Path | None,
    assistant: Assistant | None = None,
    area: Path | None = None,
    sites: Path | None = None,
) -> tuple[Session, SavedSessions]:
    """A conversation that goes on where the one of that name stopped, and the file it is kept in.

    Parameters
    ----------
    name : str or None
        Name of the session; None for one that lives in memory only.
    data : str or None
        Layer set.
    plants : Path or None
        Table of other plants.
    assistant : Assistant or None
        Language model.
    area : Path or None
        The user's own polygons.

    Raises
    ------
    RequestError, DataError
        For a name that cannot be one, or a file that cannot be used.
    """
    from csrag.ask.agent.saved import SavedSessions, checked_name
    from csrag.ask.agent.session import Session
    from csrag.interfaces.open import open_layers

    saved = SavedSessions(sessions_file())
    found = None if name is None else checked_name(name)
    earlier = saved.questions(found) if found else []
    session = Session(
        lambda: open_layers(data),
        name=found,
        earlier=earlier,
        plants_file=plants,
        assistant=assistant,
        area_file=area,
        sites_file=sites,
    )
    return session, saved


def turn(session: Session, saved: SavedSessions, line: str) -> Answer:
    """Answer one line of a conversation and keep it where the session has a name."""
    from csrag.ask.agent.commands import is_meant, read_command, run_command

    command = read_command(line)
    if command is not None and is_meant(command, line, saved):
        return run_command(command, session, saved, line)
    asked = len(session.questions)
    answer = session.ask(line)
    if session.name and len(session.questions) > asked:
        saved.add(session.name, line)
    return answer
