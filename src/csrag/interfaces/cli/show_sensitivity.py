"""The tornado and the sweep on a terminal, narrow enough for 80 columns."""

from __future__ import annotations

from typing import Any

from rich.markup import escape
from rich.table import Table as RichTable

from csrag.ask.results import Answer, Fact
from csrag.ask.results import Table as ResultTable
from csrag.ask.synthesis.format import number_text, value_text

PERCENT_OF_BASE = "percent_of_base"
_BAR_WIDTH = 12


def sensitivity_tables(answer: Answer) -> list[RichTable]:
    """Tables of a sensitivity: the tornado where it has more than one bar, then one table a sweep.

    Parameters
    ----------
    answer : Answer
        The record.
    """
    tornado, sweep = answer.tables.get("tornado"), answer.tables.get("sweep")
    out = []
    if tornado is not None and (len(tornado.rows) > 1 or sweep is None):
        out.append(_tornado(tornado))
    if sweep is not None:
        names = dict.fromkeys(str(r["parameter"]) for r in _records(sweep))
        labels = {r["parameter"]: r["label"] for r in _records(tornado)} if tornado is not None else {}
        for name in names:
            rows = [r for r in _records(sweep) if r["parameter"] == name]
            out.append(_sweep(str(labels.get(name, name)), rows))
    return out


def _records(table: ResultTable) -> list[dict[str, Any]]:
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def _money(value: Any) -> str:
    return "-" if value is None else f"{value:,.2f}"


def _value(value: Any, unit: str) -> str:
    """A value with as much of its unit as the table needs."""
    if value is None:
        return "-"
    return number_text(Fact(value, unit, "")) + {"percent_value": " %", PERCENT_OF_BASE: " %"}.get(unit, "")


def _name(label: Any, unit: str) -> str:
    """An assumption with its unit: "diesel price, per gallon"."""
    words = value_text(Fact(1.0, unit, "")).removeprefix(number_text(Fact(1.0, unit, ""))).strip(" %")
    name = str(label).removeprefix("the ").removeprefix("plant's ")
    return escape(f"{name}, {words}" if words else name)


def _bar(low: float | None, base: float | None, high: float | None, least: float, most: float) -> str:
    """Where a bar lies between the smallest and the largest cost of the table; "|" is the base."""
    if low is None or high is None or base is None or most <= least:
        return ""
    at = [
        round((v - least) / (most - least) * (_BAR_WIDTH - 1))
        for v in (min(low, high, base), max(low, high, base), base)
    ]
    cells = ["-" if at[0] <= k <= at[1] else " " for k in range(_BAR_WIDTH)]
    cells[at[2]] = "|"
    return "".join(cells)


def _tornado(table: ResultTable) -> RichTable:
    rows = _records(table)
    costs = [r[f"lcoe_{e}_usd_per_mwh"] for r in rows for e in ("low", "base", "high")]
    known = [c for c in costs if c is not None]
    least, most = (min(known), max(known)) if known else (0.0, 0.0)
    shown = RichTable(
        title="Tornado: USD per MWh at the low and the high value of each assumption", title_justify="left", title_style="bold",
        pad_edge=False,
    )  # fmt: skip
    shown.add_column("assumption")
    for head in ("low", "high", "USD/MWh", "", "swing"):
        shown.add_column(head, justify="right", no_wrap=head != "low" and head != "high")
    shown.columns[4].justify = "left"
    for r in rows:
        low, base, high = (r[f"lcoe_{e}_usd_per_mwh"] for e in ("low", "base", "high"))
        shown.add_row(
            _name(r["label"], r["unit"]), _value(r["low_value"], r["unit"]), _value(r["high_value"], r["unit"]),
            f"{_money(low)}\n{_money(high)}", _bar(low, base, high, least, most), _money(r["lcoe_swing_usd_per_mwh"]),
        )  # fmt: skip
    return shown


def _sweep(label: str, rows: list[dict[str, Any]]) -> RichTable:
    shown = RichTable(
        title=f"Along {_name(label, rows[0]['unit'])}; * the base",
        title_justify="left",
        title_style="bold",
        pad_edge=False,
    )
    for head in ("value", "USD/BDT", "over its life", "USD/MWh", "constant", "BDT a year"):
        shown.add_column(head, justify="right")
    for r in rows:
        shown.add_row(
            ("* " if r["base"] else "") + _value(r["value"], r["unit"]), _money(r["average_delivered_usd_per_bdt"]),
            _money(r["life_average_usd_per_bdt"]), _money(r["lcoe_current_usd_per_mwh"]),
            _money(r["lcoe_constant_usd_per_mwh"]), "-" if r["demand_bdt"] is None else f"{r['demand_bdt']:,.0f}",
            style="bold" if r["base"] else "",
        )  # fmt: skip
    return shown
