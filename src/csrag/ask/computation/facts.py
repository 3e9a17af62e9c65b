"""Labels and units of every value of an answer, and the builder that stage 3 fills."""

from __future__ import annotations

import math
from typing import Any

from csrag.ask.results import Analysis, Caveat, Fact, Table, unique_caveats
from csrag.errors import InternalError
from csrag.values import SITE_VALUES, unit_and_label

__all__ = ["NO_SUPPLY", "SITE_VALUES", "Ledger"]

NO_SUPPLY = "the demand is not met, so there is no selection to take an average over"


class Ledger:
    """Collects facts, tables and caveats of one analysis; refuses NaN and unnamed values."""

    def __init__(self) -> None:
        self.facts: dict[str, Fact] = {}
        self.tables: dict[str, Table] = {}
        self._caveats: list[Caveat] = []

    @classmethod
    def of(cls, analysis: Analysis) -> Ledger:
        """A ledger that starts with the facts and tables of an analysis."""
        ledger = cls()
        ledger.facts, ledger.tables = dict(analysis.facts), dict(analysis.tables)
        return ledger

    def put(self, value_id: str, value: Any, basis: str = "", label: str = "") -> None:
        """Record a value under its id.

        Parameters
        ----------
        value_id : str
            One of `VALUES`, or a numbered one.
        value : float, int, str or None
            None needs a `basis` that says why.
        basis : str
            How it was computed.
        label : str
            What it is, where the table's own words have to be narrowed.

        Raises
        ------
        InternalError
            For an id that is not in the table, a non-finite number, or a null without a reason.
        """
        known = unit_and_label(value_id)
        if known is None:
            raise InternalError(f"Value id {value_id!r} is not in the table of values.")
        unit, usual = known
        if isinstance(value, float) and not math.isfinite(value):
            raise InternalError(f"Value {value_id!r} came out as {value}.", "Please report this question.")
        if value is None and not basis:
            raise InternalError(f"Value {value_id!r} is missing without a reason.")
        if value is not None and not isinstance(value, (int, str)):
            value = float(value)
        self.facts[value_id] = Fact(value, unit, label or usual, basis)

    def table(self, name: str, columns: tuple[str, ...], rows: list[tuple[Any, ...]], note: str = "") -> None:
        """Record a table."""
        self.tables[name] = Table(columns, tuple(rows), note)

    def caveat(self, code: str, message: str) -> None:
        """Record a caveat."""
        self._caveats.append(Caveat(code, message))

    @property
    def caveats(self) -> tuple[Caveat, ...]:
        """Caveats in order, without repeats."""
        return unique_caveats(self._caveats)

    def fill_missing(self, ids: tuple[str, ...], basis: str) -> None:
        """Give every id that has no value yet a null with a reason."""
        for value_id in ids:
            if value_id not in self.facts:
                self.put(value_id, None, basis)
