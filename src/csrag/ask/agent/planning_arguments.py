"""Arguments of a planned call: whatever a model writes there must stand in the question, or be a result of an earlier call."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from csrag.ask.agent.tool_handlers import place_of
from csrag.ask.agent.toolbox import Parameter, Tool, ToolResult
from csrag.ask.intent.amounts import find_amounts
from csrag.ask.intent.text import Source
from csrag.ask.language.evidence import CHOICES, free_place
from csrag.ask.records import SitingQuery
from csrag.errors import PlaceError, RequestError

_SAME = 1e-4
"""Results are told with six digits, so a copy differs by less than this share."""
_AROUND = 40
"""Characters to either side of a number in which the word that says what it is must stand."""
# Argument: units of csrag.ask.intent.amounts, and a word that must stand near.
_STATED: Mapping[str, tuple[tuple[str, ...], str]] = {
    "capacity_mw": (("mw",), ""),
    "demand_bdt": (("bdt",), ""),
    "radius_km": (("km",), ""),
    "years": (("year",), ""),
    "max_cost_usd_per_bdt": (("usd_per_bdt", "usd"), r"under|below|most|cap|max|pay|less|limit|within|over|above|than"),
    "budget_usd_per_year": (("usd",), r"budget|spend|afford"),
    "diesel_usd_per_gal": (("usd_per_gal", "usd"), r"diesel"),
    "moisture_pct": (("pct",), r"moist|wet|water"),
    "capacity_factor_pct": (("pct",), r"factor|uptime|availab|running"),
    "efficiency_pct": (("pct",), r"efficien"),
    "max_slope_pct": (("pct",), r"slope|steep"),
    "sensitivity_pct": (("pct",), r"sensitiv|var(?:y|ied)|plus|either"),
}
_ALWAYS_KEPT = frozenset(
    {"technology", "treatment", "system", "max_slope_pct", "min_burn_probability", "fire_weight", "transport"}
)
"""What a question says of the plant or the forest holds in all its calls; the rest only where an earlier turn said it."""
_STATE = re.compile(r",?\s*(?:ca|calif\.?|california)\.?\s*$", re.IGNORECASE)


def read_arguments(text: str) -> dict[str, Any]:
    """Arguments as a model wrote them.

    Raises
    ------
    RequestError
        If they are no JSON object.
    """
    try:
        found = json.loads(text or "{}")
        found = json.loads(found) if isinstance(found, str) else found
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise RequestError("The arguments are no JSON object.", "Write one.", code="arguments_not_json")
    return found


def borne_out(
    tool: Tool, given: Mapping[str, Any], query: SitingQuery, results: Sequence[ToolResult]
) -> dict[str, Any]:
    """The arguments of a call, each borne out, and what the question says beside them filled in.

    Parameters
    ----------
    tool : Tool
        What is called.
    given : mapping
        As the model wrote them.
    query : SitingQuery
        The grammar's reading of the question.
    results : sequence of ToolResult
        Of earlier calls.

    Raises
    ------
    RequestError
        With code argument_not_in_question.
    """
    known = {p.name: p for p in tool.parameters}
    out = {
        name: _borne_out(known[name], value, query, results) if name in known else value
        for name, value in given.items()
        if value is not None
    }
    return {**_said(tool, out, query), **out}


def _borne_out(parameter: Parameter, value: Any, query: SitingQuery, results: Sequence[ToolResult]) -> Any:
    name = parameter.name
    if parameter.kind in {"number", "integer"}:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return value  # its own check refuses it
        for exact in _numbers(name, query, results):
            if abs(exact - value) <= _SAME * max(1e-12, abs(exact)):
                return int(exact) if parameter.kind == "integer" and exact == int(exact) else exact
        raise _unborne(name)
    if not isinstance(value, str):
        return value
    if parameter.kind == "choice":
        if value not in parameter.choices or value in _choices(name, query) or _stands(value, query.question):
            return value
        words = CHOICES.get(name, {}).get(value)
        if words and re.search(rf"\b(?:{words})\b", query.question.lower()):
            return value
        raise _unborne(name)
    text = _STATE.sub("", value).strip()
    if name == "place":
        return _place(text, query)
    if not _stands(text, query.question):
        raise _unborne(name)
    return text


def _place(text: str, query: SitingQuery) -> str:
    """A place by the gazetteer's own name, so that one place has one spelling."""
    named = place_of(text)
    if not _stands(text, query.question) and named.name not in {p.name for p in query.locations}:
        raise _unborne("place")
    try:
        same = place_of(named.name)
    except PlaceError:
        return text
    return named.name if (same.lat, same.lon) == (named.lat, named.lon) else text


def _numbers(name: str, query: SitingQuery, results: Sequence[ToolResult]) -> Iterator[float]:
    for held in (getattr(query, name, None), query.overrides.get(name)):
        if isinstance(held, (int, float)):
            yield float(held)
    if name in _STATED:
        units, near = _STATED[name]
        source = Source(query.question)
        for amount in find_amounts(source):
            around = source.original(
                max(0, amount.start - _AROUND), min(len(source.text), amount.end + _AROUND)
            ).lower()
            if amount.unit in units and (not near or re.search(near, around)):
                yield amount.value
    unit = name.rsplit("_", 1)[-1]
    for result in results:
        for value_id, fact in result.values.items():
            if isinstance(fact.value, (int, float)) and value_id.rsplit("_", 1)[-1] == unit:
                yield float(fact.value)


def _choices(name: str, query: SitingQuery) -> set[Any]:
    held = getattr(query, name, None)
    own = set(held) if isinstance(held, tuple) else {held}
    return own | {variant[name] for variant in query.compare if name in variant}


def _stands(text: str, question: str) -> bool:
    return free_place(question, text, ()) is not None


def _unborne(name: str) -> RequestError:
    return RequestError(
        f"{name} has a value that neither the question nor an earlier result holds.",
        "Leave it out, or use what stands there.", code="argument_not_in_question",
    )  # fmt: skip


def _said(tool: Tool, given: Mapping[str, Any], query: SitingQuery) -> dict[str, Any]:
    """What the user said and the model left out."""
    out: dict[str, Any] = {}
    for parameter in tool.parameters:
        name = parameter.name
        field = name if name in query.explicit else f"overrides.{name}"
        if name in given or field not in query.explicit:
            continue
        if name in {"capacity_mw", "demand_bdt"} and given.keys() & {"capacity_mw", "demand_bdt"}:
            continue
        origin = query.origins.get(field)
        carried = origin is not None and origin.source == "carried"
        if not (carried or field != name or name in _ALWAYS_KEPT or name in {"capacity_mw", "demand_bdt", "land_use"}):
            continue
        value = query.overrides.get(name) if field != name else getattr(query, name, None)
        if isinstance(value, tuple):
            value = value[0] if len(value) == 1 else None
        if value is not None:
            out[name] = value
    return out
