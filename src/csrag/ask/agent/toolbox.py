"""What a tool is: a name, one line of meaning, typed arguments with bounds, what it returns; and a budget of calls."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from csrag.ask.results import Caveat, Fact, TraceStep
from csrag.errors import InvalidValueError, RequestError
from csrag.quantities import QUANTITIES
from csrag.values import unit_and_label

MAX_CALLS = 8
MAX_TEXT_CHARACTERS = 500


@dataclass(frozen=True)
class Parameter:
    """One argument of a tool.

    Parameters
    ----------
    name : str
        Carries its unit.
    kind : str
        number, integer, text, or choice.
    meaning : str
        One line.
    choices : tuple of str
        Of a choice.
    required : bool
        Whether a call must give it.
    """

    name: str
    kind: str
    meaning: str
    choices: tuple[str, ...] = ()
    required: bool = False

    def schema(self) -> dict[str, Any]:
        """JSON schema of the argument, with the bounds of `csrag.quantities`."""
        kinds = {"number": "number", "integer": "integer"}
        out: dict[str, Any] = {"type": kinds.get(self.kind, "string"), "description": self.meaning}
        if self.kind == "choice":
            out["enum"] = list(self.choices)
        if self.kind == "text":
            out |= {"minLength": 1, "maxLength": MAX_TEXT_CHARACTERS}
        if self.name in QUANTITIES:
            quantity = QUANTITIES[self.name]
            out["description"] = f"{self.meaning} [{quantity.unit}]"
            bounds = {"minimum": quantity.low, "maximum": quantity.high}
            out |= {key: bound for key, bound in bounds.items() if not math.isnan(bound)}
        return out

    def checked(self, value: Any) -> Any:
        """The value, in its type.

        Raises
        ------
        InvalidValueError
            For another type, or a value out of bounds or not among the choices.
        """
        if self.kind in {"number", "integer"}:
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise InvalidValueError(f"{self.name} = {value!r:.60} is no number.", "Give a number without its unit.")
            number = QUANTITIES[self.name].check(value)
            if self.kind == "integer" and number != int(number):
                raise InvalidValueError(f"{self.name} = {value:g} is no whole number.", "Round it.")
            return int(number) if self.kind == "integer" else number
        if not isinstance(value, str) or not value.strip() or len(value) > MAX_TEXT_CHARACTERS:
            raise InvalidValueError(
                f"{self.name} must be a text of 1 to {MAX_TEXT_CHARACTERS} characters.", "Give it in words."
            )
        if self.kind == "choice" and value not in self.choices:
            raise InvalidValueError(
                f"{self.name} = {value!r:.60} is unknown.", f"Choose one of {', '.join(self.choices)}."
            )
        return value.strip()


@dataclass(frozen=True)
class Outcome:
    """What a handler hands back before the values that its tool does not promise are left out."""

    facts: Mapping[str, Fact]
    status: str = "answered"
    reason: str = ""
    text: str = ""
    handles: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[Caveat, ...] = ()
    sources: tuple[str, ...] = ()


@dataclass(frozen=True)
class Tool:
    """A stage, or a part of one, under a name.

    Parameters
    ----------
    name : str
        As in the trace and in every listing.
    meaning : str
        One line.
    parameters : tuple of Parameter
        Flat and typed.
    returns : tuple of str
        Ids of the values it gives where they apply; their units are those of `csrag.values`, save coordinates, in degrees.
    handler : callable
        Runs the stage.
    """

    name: str
    meaning: str
    parameters: tuple[Parameter, ...]
    returns: tuple[str, ...]
    handler: Callable[..., Outcome]

    def schema(self) -> dict[str, Any]:
        """JSON schema of the arguments."""
        return {
            "type": "object",
            "properties": {p.name: p.schema() for p in self.parameters},
            "required": [p.name for p in self.parameters if p.required],
            "additionalProperties": False,
        }

    def units(self) -> dict[str, str]:
        """Unit of every value it returns."""
        return {i: (unit_and_label(i) or ("degrees",))[0] for i in self.returns}

    def checked(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments in their types; those given as null are left out.

        Raises
        ------
        InvalidValueError
            For an unknown, missing or wrong argument.
        """
        known = {p.name: p for p in self.parameters}
        given = {name: value for name, value in arguments.items() if value is not None}
        strange = sorted(set(given) - set(known))
        if strange:
            raise InvalidValueError(
                f"{self.name} has no argument {strange[0]!r:.60}.",
                f"It takes {', '.join(known)}.",
                code="unknown_argument",
            )
        missing = [p.name for p in self.parameters if p.required and p.name not in given]
        if missing:
            raise InvalidValueError(f"{self.name} needs {missing[0]}.", f"Give {missing[0]}.", code="missing_argument")
        return {name: known[name].checked(given[name]) for name in sorted(given)}


@dataclass(frozen=True)
class ToolResult:
    """What a call gave: values with units, handles for what is long, caveats, and the steps that ran.

    Parameters
    ----------
    tool : str
        Name of the tool.
    arguments : mapping
        As checked.
    status : str
        answered, partial or refused, and `reason` why.
    values : mapping of str to Fact
        Only the ids that the tool promises.
    handles : mapping of str to str
        Name of a table or a set of clusters to what it is fetched by.
    trace : tuple of TraceStep
        With rows, milliseconds and cache state.
    """

    tool: str
    arguments: Mapping[str, Any]
    status: str
    reason: str
    values: Mapping[str, Fact]
    text: str
    handles: Mapping[str, str]
    warnings: tuple[Caveat, ...]
    sources: tuple[str, ...]
    trace: tuple[TraceStep, ...]

    def to_json(self) -> dict[str, Any]:
        """JSON object: short whatever was computed."""
        return {
            "tool": self.tool, "arguments": dict(self.arguments), "status": self.status, "reason": self.reason,
            "values": {i: f.to_json() for i, f in self.values.items()}, "text": self.text, "handles": dict(self.handles),
            "warnings": [w.to_json() for w in self.warnings], "sources": list(self.sources),
            "trace": [s.to_json() for s in self.trace],
        }  # fmt: skip


class CallBudget:
    """A limit on calls, and no call twice: a planner that goes round in circles ends.

    Parameters
    ----------
    limit : int
        Number of calls; refused ones count.
    """

    def __init__(self, limit: int = MAX_CALLS) -> None:
        self.limit = limit
        self.spent = 0
        self._seen: set[str] = set()

    def spend(self) -> None:
        """Count a call.

        Raises
        ------
        RequestError
            With code tool_limit, if there are no calls left.
        """
        if self.spent >= self.limit:
            raise RequestError(
                f"All {self.limit} calls are used.",
                "Answer with what there is, or say what is missing.",
                code="tool_limit",
            )
        self.spent += 1

    def admit(self, tool: str, arguments: Mapping[str, Any]) -> None:
        """Refuse a call that was made before, however its arguments were ordered, spaced or capitalised.

        Raises
        ------
        RequestError
            With code tool_repeated.
        """
        plain = {k: " ".join(v.lower().split()) if isinstance(v, str) else float(v) for k, v in arguments.items()}
        key = f"{tool} {json.dumps(plain, sort_keys=True)}"
        if key in self._seen:
            raise RequestError(
                f"{tool} was called with the same arguments before; the result is the same.",
                "Use that result, or change an argument.", code="tool_repeated",
            )  # fmt: skip
        self._seen.add(key)
