"""Which questions a model may plan: those whose own reading says that the grammar left a part of them unanswered."""

from __future__ import annotations

import re

from csrag.ask.agent.tools import TOOLS
from csrag.ask.records import DEFAULT_LAND_USE, SitingQuery

EXCLUDED = frozenset({"explain_method", "compare", "search", "lookup", "pareto"})
"""Tools that are not planned with: a passage of the documentation is no number of a site, and values of several places or supplies
in one result cannot be told apart by the label check. The grammar asks for those itself; a plan calls for one site at a time."""
_NEVER = frozenset({"methodology", "out_of_scope", "command"})
_LEFT_OUT = re.compile(r"was not answered; ask it as a question of its own")
_ONE_OF_TWO = re.compile(r"^(?:two (?:capacities|distances|demands) were named; |several values of \w+ were named; )")
_OTHER_PLACE = re.compile(r" is taken as the site, not ")
_REUSE = (
    r"(?:\b(?:that|this|the same|the resulting|its|such an?)\s+(?:\w+\s+){0,1}"
    r"(?:radius|circle|reach|size|capacity|demand|plant|amount|cost|price)\b|\bof (?:that|the same) size\b|\binstead\b)"
)
_SUM = r"\b(?:combined|altogether|sum of|total of both|jointly|both (?:plants )?together|together (?:need|burn|use|make))\b"
_CHAIN = re.compile(
    r"\b(?:find|largest|biggest|radius|circle|how (?:big|large|wide|far|much))\b[^?]{4,160}?[,;:.]?\s*"
    r"(?:\band\b|\bthen\b|,|;|\.)[^?]{0,40}?" + _REUSE, re.IGNORECASE,
)  # fmt: skip
_COMPUTES = re.compile(rf"{_REUSE}|{_SUM}|\bdifference between\b", re.IGNORECASE)
_ADDS = re.compile(_SUM, re.IGNORECASE)
_HELD = frozenset({"locations", "compare", "intent"}) | {
    p.name for tool in TOOLS.values() if tool.name not in EXCLUDED for p in tool.parameters
}


def planning_reason(query: SitingQuery) -> str:
    """Why the grammar cannot take a question apart, empty where it can.

    It cannot where its reading notes that a part of the question was not answered, that of two amounts one was used, or that of
    two places one was taken in a question that wants something computed from both; where the values of two places are to be
    added; and where a question uses a result of its own first half ("... then use that radius ..."). Nothing is planned that the
    tools could not carry: other plants, own polygons, power lines and whatever else the user named that is no argument of any.

    Parameters
    ----------
    query : SitingQuery
        Stage 1's result.

    Returns
    -------
    str
        part_left_out, one_of_two, two_places, adds_places, uses_own_result, or empty.
    """
    if query.intent in _NEVER or any(p.kind in {"outside", "unknown"} for p in query.locations):
        return ""
    if any(not _carried(query, name) for name in query.explicit) or query.other_plants != "none":
        return ""
    notes = query.notes
    if any(_LEFT_OUT.search(note) for note in notes):
        return "part_left_out"
    if any(_ONE_OF_TWO.search(note) for note in notes):
        return "one_of_two"
    question = query.question
    if any(_OTHER_PLACE.search(note) for note in notes) and _COMPUTES.search(question):
        return "two_places"
    if len(query.locations) > 1 and query.intent == "compare" and _ADDS.search(question):
        return "adds_places"
    return "uses_own_result" if query.locations and _CHAIN.search(question) else ""


def settled_note(note: str) -> bool:
    """Whether a note of the reading says what a plan has answered after all."""
    return bool(_LEFT_OUT.search(note) or _ONE_OF_TWO.search(note) or _OTHER_PLACE.search(note))


def _carried(query: SitingQuery, name: str) -> bool:
    if name == "land_use":
        return len(query.land_use) == 1 or query.land_use == DEFAULT_LAND_USE
    return name.removeprefix("overrides.") in _HELD
