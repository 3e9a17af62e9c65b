"""Sessions and scenarios on disk: one SQLite file, safe for several processes."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from csrag.ask.results import Answer
from csrag.errors import DataError, RequestError

_VERSION = 1
_WAIT_S = 10.0
_NAME = re.compile(r"[^\W_][\w .\-]{0,59}")
_TABLES = """
create table if not exists turn (session text not null, n integer not null, question text not null, asked text not null,
                                 primary key (session, n));
create table if not exists scenario (name text primary key, saved text not null, session text, questions text not null,
                                     record text not null);
"""


@dataclass(frozen=True)
class Scenario:
    """A saved state of a conversation: its questions, and the record of the answer they led to."""

    name: str
    saved: str
    session: str | None
    questions: tuple[str, ...]
    record: Mapping[str, Any]


def checked_name(name: str) -> str:
    """A name fit for a session or a scenario.

    Raises
    ------
    RequestError
        For an empty or very long name, or one of other characters than letters, digits, space, dot, hyphen, underscore.
    """
    found = " ".join(name.split())
    if not _NAME.fullmatch(found):
        raise RequestError(
            f"{name[:70]!r} cannot be a name.",
            "Use up to 60 letters, digits, spaces, dots, hyphens and underscores, beginning with a letter or digit.",
            code="name_not_usable",
        )
    return found


class SavedSessions:
    """The file that holds them.

    Parameters
    ----------
    file : Path
        Made with its folder at the first write; readable by its owner only.
    """

    def __init__(self, file: Path) -> None:
        self._file = file

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """A connection in one transaction.

        Raises
        ------
        DataError
            If the file cannot be read or written, or is no session file of this version.
        """
        try:
            new = not self._file.exists()
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self._file, timeout=_WAIT_S)) as db:
                if new:
                    self._file.chmod(0o600)
                version = int(db.execute("pragma user_version").fetchone()[0])
                if version not in {0, _VERSION}:
                    raise DataError(
                        f"{self._file} was written by another version of csrag (format {version}).",
                        "Move it away, or use the version that wrote it.", code="session_file_version",
                    )  # fmt: skip
                with db:
                    if version == 0:
                        db.executescript(_TABLES)
                        db.execute(f"pragma user_version = {_VERSION}")
                    yield db
        except sqlite3.DatabaseError as error:
            busy = "locked" in str(error)
            raise DataError(
                f"The session file {self._file} cannot be used: {error}.",
                "Another csrag is writing to it; try again." if busy else
                "Free some space if the disk is full, else move the file away; a new one is made.",
                code="session_file",
            ) from None  # fmt: skip
        except OSError as error:
            raise DataError(
                f"The session file {self._file} cannot be used: {error.strerror or error}.",
                "Mend the permissions or the disk; CSRAG_SESSIONS names another file.", code="session_file",
            ) from None  # fmt: skip

    def questions(self, session: str) -> list[str]:
        """Questions of a session, oldest first; none for one that does not exist yet."""
        with self._open() as db:
            rows = db.execute("select question from turn where session = ? order by n", (checked_name(session),))
            return [str(row[0]) for row in rows]

    def add(self, session: str, question: str) -> None:
        """Put a question at the end of a session."""
        name, now = checked_name(session), _now()
        with self._open() as db:
            db.execute(
                "insert into turn values (?, (select coalesce(max(n), 0) + 1 from turn where session = ?), ?, ?)",
                (name, name, question, now),
            )

    def replace(self, session: str, questions: list[str]) -> None:
        """Put other questions in a session's place."""
        name, now = checked_name(session), _now()
        with self._open() as db:
            db.execute("delete from turn where session = ?", (name,))
            db.executemany(
                "insert into turn values (?, ?, ?, ?)", [(name, n, q, now) for n, q in enumerate(questions, 1)]
            )

    def sessions(self) -> list[tuple[str, int, str]]:
        """Name, number of questions and time of the last one of every session, the latest first."""
        with self._open() as db:
            rows = db.execute("select session, count(*), max(asked) from turn group by session order by 3 desc, 1")
            return [(str(a), int(b), str(c)) for a, b, c in rows]

    def save(self, name: str, session: str | None, questions: list[str], answer: Answer) -> bool:
        """Save a scenario; true where it takes the place of another of that name."""
        found = checked_name(name)
        with self._open() as db:
            there = db.execute("select 1 from scenario where name = ?", (found,)).fetchone() is not None
            db.execute(
                "insert or replace into scenario values (?, ?, ?, ?, ?)",
                (found, _now(), session, json.dumps(questions), json.dumps(answer.to_json(), allow_nan=False)),
            )
            return there

    def load(self, name: str) -> Scenario:
        """A scenario by its name, upper and lower case alike.

        Raises
        ------
        RequestError
            If there is none; the message lists those that exist.
        """
        with self._open() as db:
            row = db.execute("select * from scenario where lower(name) = lower(?)", (checked_name(name),)).fetchone()
            if row is None:
                names = [str(r[0]) for r in db.execute("select name from scenario order by saved desc limit 12")]
        if row is None:
            raise RequestError(
                f"There is no scenario called {name!r}.",
                f"Saved are: {', '.join(names)}." if names else 'Save one with "save this as NAME".',
                code="scenario_unknown",
            )
        return Scenario(str(row[0]), str(row[1]), row[2], tuple(json.loads(row[3])), json.loads(row[4]))

    def scenarios(self) -> list[Scenario]:
        """Every scenario, the latest first."""
        with self._open() as db:
            rows = db.execute("select * from scenario order by saved desc, name").fetchall()
        return [Scenario(str(a), str(b), c, tuple(json.loads(d)), json.loads(e)) for a, b, c, d, e in rows]

    def delete(self, name: str) -> None:
        """Remove a scenario; an unknown name is an error."""
        found = self.load(name).name
        with self._open() as db:
            db.execute("delete from scenario where name = ?", (found,))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
