"""Commands of a conversation: save, load, list, compare and delete scenarios by name."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from csrag.ask.agent.differences import scenario_differences
from csrag.ask.agent.saved import SavedSessions, checked_name
from csrag.ask.agent.session import Session
from csrag.ask.records import SitingQuery
from csrag.ask.results import Answer, Caveat, Table, stated_figures
from csrag.errors import CsragError, RequestError

_THING = r"(?:(?:this|that|it|the|my|current|a)\b ?)*(?:scenario|session|question|result|answer|case|run)?"
_NAME = r"[\"'“]?(?P<name>[^\"'”]+?)[\"'”]?"
_FORMS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (action, re.compile(rf"^\W*(?:please )?{form}[.! ]*$", re.IGNORECASE))
    for action, form in (
        ("list", r"(?:list|show)(?: me)?(?: all)?(?: the| my)?(?: saved)? (?:scenarios|cases)"),
        ("diff", r"(?:diff|compare)(?: the)?(?: scenarios?)? [\"'“]?(?P<name>[^\"'”]+?)[\"'”]? (?:with|to|and|against|vs\.?|versus) "
                 r"[\"'“]?(?P<other>[^\"'”]+?)[\"'”]?"),
        ("save", rf"(?:save|store|keep) ?{_THING} ?(?:as|under(?: the name)?|named|called) {_NAME}"),
        ("load", rf"(?:load|open|reopen|restore) ?{_THING} (?:called |named )?{_NAME}"),
        ("delete", rf"(?:delete|remove) {_THING} ?(?:called |named )?{_NAME}"),
    )
)  # fmt: skip


@dataclass(frozen=True)
class Command:
    """A command as it was read: what to do, and with which names."""

    action: str
    name: str = ""
    other: str = ""


def read_command(text: str) -> Command | None:
    """The scenario command that a line gives, None where it gives none.

    Parameters
    ----------
    text : str
        What the user wrote, such as "save this as base case" or "/load base case".
    """
    line = text.strip().lstrip("/")
    for action, form in _FORMS:
        found = form.match(line)
        if found:
            groups = found.groupdict()
            return Command(action, (groups.get("name") or "").strip(), (groups.get("other") or "").strip())
    return None


_OPENLY = re.compile(r"^\s*/|^\W*(?:please )?load\b|\bscenarios?\b|[\"'“”]", re.IGNORECASE)
_MANNER = re.compile(r"(?:it |that |they |this )?(?:is|was|are|were|before|usual|now)", re.IGNORECASE)


def is_meant(command: Command, line: str, saved: SavedSessions) -> bool:
    """Whether a line that reads like a command is one: "compare Quincy with Burney" and "remove the slope limit" are questions.

    Parameters
    ----------
    command : Command
        From `read_command`.
    line : str
        What the user wrote.
    saved : SavedSessions
        Scenarios there are; their names decide.
    """
    if command.action == "list" or _OPENLY.search(line):
        return True
    if command.action == "save":
        return _MANNER.fullmatch(command.name) is None
    known = {scenario.name.casefold() for scenario in saved.scenarios()}
    return bool({command.name.casefold(), command.other.casefold()} & known)


def run_command(command: Command, session: Session, saved: SavedSessions, question: str) -> Answer:
    """Carry out a command.

    Parameters
    ----------
    command : Command
        From `read_command`.
    session : Session
        The conversation.
    saved : SavedSessions
        Where scenarios are kept.
    question : str
        The line as the user wrote it.

    Returns
    -------
    Answer
        With a table for `list` and `diff`; refused, with the reason, where it cannot be done. After `load` the
        conversation goes on from the scenario, whose answer is computed anew from the layers at hand.
    """
    query = SitingQuery(question=question, intent="command")
    try:
        return replace(_ACTIONS[command.action](command, session, saved, query), session=session.name)
    except CsragError as error:
        facts, claims = stated_figures(str(error), "stated", "figure quoted in the refusal")
        return Answer(status="refused", question=question, query=query, session=session.name, reason=error.code,
                      text=str(error), facts=facts, claims=claims, exit_code=error.exit_code)  # fmt: skip


def _said(query: SitingQuery, text: str, tables: dict[str, Table] | None = None) -> Answer:
    facts, claims = stated_figures(text, "stated", "figure of a scenario's name or of a count")
    return Answer(status="answered", question=query.question, query=query, text=text, facts=facts, claims=claims,
                  tables=tables or {})  # fmt: skip


def _save(command: Command, session: Session, saved: SavedSessions, query: SitingQuery) -> Answer:
    if session.last is None and session.questions:
        # A session read back from disk keeps its questions; the answer follows from them.
        *before, last = session.questions
        session.restore(before)
        session.ask(last)
    if session.last is None:
        raise RequestError("There is no answer to save yet.", "Ask about a site first.", code="nothing_to_save")
    there = saved.save(command.name, session.name, session.questions, session.last)
    name = checked_name(command.name)
    again = " The scenario of that name that was there before is replaced." if there else ""
    return _said(query, f"Saved as {name}.{again}")


def _load(command: Command, session: Session, saved: SavedSessions, _query: SitingQuery) -> Answer:
    scenario = saved.load(command.name)
    if not scenario.questions:
        raise RequestError(f"The scenario {scenario.name} holds no question.", "Save it again.", code="scenario_empty")
    *before, last = scenario.questions
    session.restore(before)
    answer = session.ask(last)
    if session.name:
        saved.replace(session.name, session.questions)
    then, now = scenario.record["layers"].get("hash"), answer.layers.get("hash")
    if then != now and now is not None:
        answer = replace(answer, warnings=(*answer.warnings, Caveat(
            "scenario_on_other_layers", f"The scenario {scenario.name} was saved on another layer set; its figures are "
            "computed anew on this one.")))  # fmt: skip
    return answer


def _list(_command: Command, _session: Session, saved: SavedSessions, query: SitingQuery) -> Answer:
    rows = tuple(
        (s.name, s.saved[:16].replace("T", " "), s.questions[-1] if s.questions else "",
         s.record["values"].get("average_delivered_cost", {}).get("value"))
        for s in saved.scenarios()
    )  # fmt: skip
    if not rows:
        return _said(query, 'No scenario is saved yet. Save one with "save this as NAME".')
    table = Table(("scenario", "saved_utc", "last_question", "average_delivered_cost_usd_per_bdt"), rows)
    return _said(query, "Saved scenarios: " + ", ".join(row[0] for row in rows) + ".", {"scenarios": table})


def _diff(command: Command, _session: Session, saved: SavedSessions, query: SitingQuery) -> Answer:
    one, other = saved.load(command.name), saved.load(command.other)
    table = scenario_differences(one, other)
    text = f"{one.name} beside {other.name}; the difference is the second less the first."
    return _said(query, f"{text} {table.note}".strip(), {"comparison": table})


def _delete(command: Command, _session: Session, saved: SavedSessions, query: SitingQuery) -> Answer:
    name = saved.load(command.name).name
    saved.delete(name)
    return _said(query, f"Deleted the scenario {name}.")


_ACTIONS: dict[str, Callable[[Command, Session, SavedSessions, SitingQuery], Answer]] = {
    "save": _save, "load": _load, "list": _list, "diff": _diff, "delete": _delete,
}  # fmt: skip
