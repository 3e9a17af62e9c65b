"""What an input field is: its names, unit, default, allowed and advised range; reading and checking by table.

Two ranges stand side by side. *Allowed* is what has a meaning at all: outside, `InvalidValueError`. *Advised* is what
the models were made for: outside, the figure is computed and a caution `outside_model_range` goes with it.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

from csrag.errors import InvalidValueError

OUTSIDE_MODEL_RANGE = "outside_model_range"
_ABSENT = object()
_PLAIN = (float, int)
_MOST = sys.float_info.max


@dataclass(frozen=True, slots=True)
class Caution:
    """A stable code and a sentence about a figure that was computed all the same."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Interval:
    """A range of numbers [same unit as the field].

    Parameters
    ----------
    low, high : float
        Ends; infinite where there is none.
    low_open, high_open : bool
        Whether the end itself is left out.
    """

    low: float = -math.inf
    high: float = math.inf
    low_open: bool = False
    high_open: bool = False

    def holds(self, value: float) -> bool:
        """Whether `value` [any unit] lies inside."""
        above = value > self.low if self.low_open else value >= self.low
        below = value < self.high if self.high_open else value <= self.high
        return above and below

    def __str__(self) -> str:
        if math.isfinite(self.low) and math.isfinite(self.high) and not (self.low_open or self.high_open):
            return f"from {_number(self.low)} to {_number(self.high)}"
        parts = []
        if self.low != -math.inf:
            parts.append(f"{'above' if self.low_open else 'at least'} {_number(self.low)}")
        if self.high != math.inf:
            parts.append(f"{'below' if self.high_open else 'at most'} {_number(self.high)}")
        return " and ".join(parts) or "any number"


def _closed(interval: Interval) -> tuple[float, float]:
    """Least and greatest finite number inside."""
    low, high = max(interval.low, -_MOST), min(interval.high, _MOST)
    return (
        math.nextafter(low, math.inf) if interval.low_open else low,
        math.nextafter(high, -math.inf) if interval.high_open else high,
    )


ANY = Interval()
NOT_NEGATIVE = Interval(low=0)
POSITIVE = Interval(low=0, low_open=True)
PERCENT = Interval(0, 100)
PERCENT_ABOVE_0 = Interval(0, 100, low_open=True)
PERCENT_BELOW_100 = Interval(0, 100, high_open=True)
RATE = Interval(low=-100, low_open=True)
"""An interest or growth rate [percent a year]: at -100 everything is lost in the first year."""


@dataclass(frozen=True)
class Field:
    """One input.

    Parameters
    ----------
    name : str
        Our name, ending in its unit.
    path : str
        The reference package's name, with its group: `Financing.DebtRatio`.
    unit, meaning : str
        In words.
    allowed, advised : Interval
        See the module.
    default : object
        The front end's default; None where there is none (the input must be given).
    kind : str
        number, integer, flag (true or false), shares (list of numbers) or word.
    words : tuple of str
        The words allowed, for kind word.
    required : bool
        False where the reference package does without and takes the default.
    """

    name: str
    path: str
    unit: str
    meaning: str
    allowed: Interval = ANY
    advised: Interval = ANY
    default: Any = None
    kind: str = "number"
    words: tuple[str, ...] = ()
    required: bool = True

    @property
    def label(self) -> str:
        """Both names, for messages."""
        return f"{self.path} ({self.name})"

    def problem(self, value: Any) -> tuple[str, str] | None:
        """What is wrong with `value` and how to mend it; None if nothing is."""
        if self.kind == "number":  # nearly all
            if (type(value) is not float and not _is_number(value)) or not math.isfinite(value):
                return self._not_a_number(value)
            return None if self.allowed.holds(value) else self._outside(value)
        if self.kind == "integer":
            if not _is_number(value) or not math.isfinite(value):
                return self._not_a_number(value)
            if value != int(value):
                return f"{self.label} = {_number(value)} is not a whole number.", f"Give whole {self.unit}."
            return None if self.allowed.holds(value) else self._outside(value)
        if self.kind == "flag":
            right = isinstance(value, bool)
            return None if right else (f"{self.label} = {value!r} is neither true nor false.", "Give true or false.")
        if self.kind == "shares":
            return self._shares(value)
        right = isinstance(value, str) and value in self.words
        return None if right else (f"There is no {self.label} {value!r}.", f"Choose one of {', '.join(self.words)}.")

    def _not_a_number(self, value: Any) -> tuple[str, str]:
        what = "a text" if isinstance(value, str) else "not a finite number"
        return f"{self.label} = {value!r} is {what}.", f"Give a number in {self.unit}, without quotation marks."

    def _outside(self, value: float) -> tuple[str, str]:
        return f"{self.label} = {_number(value)} {self.unit} has no meaning.", f"It must be {self.allowed}."

    def _shares(self, value: Any) -> tuple[str, str] | None:
        if isinstance(value, str) or not isinstance(value, list | tuple):
            return f"{self.label} is not a list.", "Give one share (0 to 1) for each year of the life."
        if all(type(item) in _PLAIN and -_MOST <= item <= _MOST for item in value):  # nearly always
            return None
        if all(_is_number(item) and math.isfinite(item) for item in value):
            return None
        return f"{self.label} holds something that is not a number.", "Give one share (0 to 1) for each year."

    def advice(self, value: Any) -> str:
        """Why the figure was computed outside what the model was made for; empty inside."""
        if self.kind == "shares" and value and self.advised.low <= min(value) and max(value) <= self.advised.high:
            return ""
        items = value if self.kind == "shares" else (value,) if self.kind in {"number", "integer"} else ()
        for item in items:
            if not self.advised.holds(item):
                return (
                    f"{self.label} = {_number(item)} {self.unit} lies outside the range that the model was made for "
                    f"({self.advised})."
                )
        return ""


class _Plan:
    """A table arranged for speed: what a record of plain numbers inside their ranges needs, and nothing else.

    Every question it cannot answer with yes goes to the fields themselves, which know the words.
    """

    def __init__(self, table: tuple[Field, ...]) -> None:
        self.table = table
        paths = [(f.name, *f.path.rpartition(".")[::2], f) for f in table]
        self.groups = tuple(dict.fromkeys(group for _, group, _, _ in paths if group))
        self.required = tuple((name, group, key) for name, group, key, f in paths if f.required)
        self.optional = tuple((name, group, key, f.default) for name, group, key, f in paths if not f.required)
        numbers = [f for f in table if f.kind == "number"]
        self.numbers = tuple((f.name, *_closed(f.allowed)) for f in numbers)
        self.others = tuple(f for f in table if f.kind != "number")
        self.advised = tuple((f, *_closed(f.advised)) for f in table if f.advised != ANY and f.kind != "shares")
        self.shares = tuple(f for f in table if f.kind == "shares")

    def sound(self, values: Mapping[str, Any]) -> bool:
        """Whether every field is a plain number inside its range, or passes its own check; False where in doubt."""
        for name, low, high in self.numbers:
            value = values[name]
            kind = type(value)
            if kind not in _PLAIN or not low <= value <= high:
                return False
        return not any(f.problem(values[f.name]) for f in self.others)

    def taken(self, given: dict[str, Any]) -> dict[str, Any] | None:
        """Fields out of nested inputs; None where something is missing."""
        try:
            holders = {group: given[group] for group in self.groups}
            holders[""] = given
            values = {name: holders[group][key] for name, group, key in self.required}
            for name, group, key, default in self.optional:
                values[name] = holders[group].get(key, default)
        except (KeyError, TypeError, IndexError, AttributeError):
            return None
        return values if all(type(holder) is dict for holder in holders.values()) else None


_PLANS: dict[int, _Plan] = {}
"""By identity of the table; made with each input record, never later, and each keeps its table alive."""


class Checked:
    """Base of the input records: every instance has passed its table and its own rules across fields."""

    table: ClassVar[tuple[Field, ...]] = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        _PLANS[id(cls.table)] = _Plan(cls.table)

    def __post_init__(self) -> None:
        plan, values = _PLANS[id(self.table)], self.__dict__
        problems: list[tuple[str, str]] = []
        if not plan.sound(values):
            problems = [p for f in self.table if (p := f.problem(values[f.name])) is not None]
        for field in plan.others if not problems else ():
            if field.kind == "integer":
                object.__setattr__(self, field.name, int(values[field.name]))
            elif field.kind == "shares":
                object.__setattr__(self, field.name, tuple(values[field.name]))
        refuse(problems or self.conflicts())

    def conflicts(self) -> list[tuple[str, str]]:
        """What is wrong between fields, each with how to mend it."""
        return []

    def cautions(self) -> list[Caution]:
        """Where the record lies outside what the model was made for."""
        plan, values = _PLANS[id(self.table)], self.__dict__
        outside = [f for f, low, high in plan.advised if not low <= values[f.name] <= high]
        found = [f.advice(values[f.name]) for f in (*outside, *plan.shares)]
        return [Caution(OUTSIDE_MODEL_RANGE, message) for message in found if message]


def refuse(problems: Iterable[tuple[str, str]]) -> None:
    """Raise one error that names every problem, if there is any.

    Raises
    ------
    InvalidValueError
        With all messages and all ways to mend them, at most five of each.
    """
    some = list(dict.fromkeys(problems))
    if not some:
        return
    shown = some[:5]
    more = f" And {len(some) - 5} more." if len(some) > 5 else ""
    fixes = list(dict.fromkeys(fix for _, fix in shown))
    raise InvalidValueError(" ".join(message for message, _ in shown) + more, " ".join(fixes))


def read(table: tuple[Field, ...], given: Any, what: str) -> dict[str, Any]:
    """Take the fields of a table out of nested inputs with the reference package's names.

    Parameters
    ----------
    table : tuple of Field
        What to take; inputs that are not in the table are left alone.
    given : mapping
        `{"Financing": {"DebtRatio": 75, ...}, ...}`.
    what : str
        Name of the model, for messages.

    Returns
    -------
    dict
        Our name to value, not yet checked.

    Raises
    ------
    InvalidValueError
        Where a field or its group is missing.
    """
    if not isinstance(given, Mapping):
        raise InvalidValueError(
            f"The inputs of {what} are not an object of named values.", f"Give {table[0].path} etc."
        )
    plan = _PLANS.get(id(table))
    if plan is not None and type(given) is dict and (taken := plan.taken(given)) is not None:
        return taken
    values: dict[str, Any] = {}
    missing = []
    for field in table:
        group, _, key = field.path.rpartition(".")
        holder = given.get(group) if group else given
        value = holder.get(key, _ABSENT) if isinstance(holder, Mapping) else _ABSENT
        if value is _ABSENT and field.required:
            missing.append(f"{field.path} [{field.unit}]")
        else:
            values[field.name] = field.default if value is _ABSENT else value
    if missing:
        shown = ", ".join(missing[:8]) + (f" and {len(missing) - 8} more" if len(missing) > 8 else "")
        raise InvalidValueError(
            f"{what} needs inputs that are missing: {shown}.",
            "Add them; a cost or a length that there is none of is 0.",
        )
    return values


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    try:
        float(value)
    except OverflowError:  # a whole number beyond 1.8e308
        return False
    return True


def _number(value: float) -> str:
    """A number in words; years and other four-digit numbers without a comma."""
    if value != round(value) or abs(value) >= 1e15:
        return f"{value:g}"
    return f"{value:.0f}" if abs(value) < 10_000 else f"{value:,.0f}"
