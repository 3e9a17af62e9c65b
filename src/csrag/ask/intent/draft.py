"""What one turn says, collected rule by rule: only the fields it names, each with its span."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from csrag.ask.intent.amounts import Amount
from csrag.ask.intent.text import Source
from csrag.ask.records import Location


@dataclass
class Draft:
    """Working record of one turn; the rules fill it, `assemble` turns it into a `SitingQuery`.

    Parameters
    ----------
    source : Source
        The question, ready for the rules.
    amounts : list of Amount
        Every number; a rule that uses one takes it out.
    values : dict
        Field to value, only what the turn names.
    spans : dict
        Field to working span.
    overrides : dict
        Override to value.
    resets : list of str
        Fields that the turn takes back to their default ("drop the cap").
    variants : list of dict
        Variants to compare.
    marks : set of str
        Small facts that later rules ask for.
    """

    source: Source
    amounts: list[Amount] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)
    spans: dict[str, tuple[int, int]] = field(default_factory=dict)
    overrides: dict[str, float] = field(default_factory=dict)
    resets: list[str] = field(default_factory=list)
    variants: list[dict[str, Any]] = field(default_factory=list)
    locations: list[Location] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    marks: set[str] = field(default_factory=set)

    def put(self, name: str, value: Any, start: int, end: int) -> None:
        """Set a field; a later mention replaces an earlier one."""
        self.values[name] = value
        self.spans[name] = (start, end)

    def put_override(self, name: str, value: float, start: int, end: int) -> None:
        """Set an override."""
        self.overrides[name] = value
        self.spans[f"overrides.{name}"] = (start, end)

    def note(self, text: str) -> None:
        """Say once what was repaired or assumed."""
        if text not in self.notes:
            self.notes.append(text)

    def use(self, amount: Amount) -> None:
        """Take an amount out of play."""
        self.amounts = [a for a in self.amounts if a.start != amount.start]

    def of_unit(self, *units: str) -> list[Amount]:
        """Amounts not used so far, of the given units."""
        return [a for a in self.amounts if a.unit in units]


def number(value: float) -> str:
    """A number for a note: no trailing zeros, thousands parted."""
    text = f"{value:,.2f}" if abs(value) >= 0.01 else f"{value:.6g}"
    return text.rstrip("0").rstrip(".") if "." in text else text
