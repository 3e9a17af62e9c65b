"""The trade-off of cost against fire on a terminal: a small chart of the front, and its named points."""

from __future__ import annotations

from typing import Any

from rich.markup import escape
from rich.table import Table as RichTable

from csrag.ask.results import Answer, Table

_WIDTH, _HEIGHT = 56, 11


def front_chart(table: Table, points: Table, width: int = _WIDTH, height: int = _HEIGHT) -> list[str]:
    """Draw burn probability against cost: a dot for each supply of the front, letters for the named points.

    Parameters
    ----------
    table, points : Table
        `pareto` and `pareto_points` of an answer: delivered cost [USD per BDT], burn probability [per year].
    width, height : int
        Size in characters [count].

    Returns
    -------
    list of str
        Lines, axes and labels included; none where the front is a single point.
    """
    cost_at, burn_at, on_front = (
        table.columns.index(c) for c in ("average_delivered_cost_usd_per_bdt", "burn_probability", "on_front")
    )
    front = [(r[cost_at], r[burn_at]) for r in table.rows if r[on_front]]
    if len(set(front)) < 2:
        return []
    low, high = min(c for c, _ in front), max(c for c, _ in front)
    least, most = min(b for _, b in front), max(b for _, b in front)
    grid = [[" "] * width for _ in range(height)]

    def put(cost: float, burn: float, mark: str) -> None:
        if low <= cost <= high and least <= burn <= most:
            column = round((cost - low) / (high - low) * (width - 1))
            line = round((most - burn) / (most - least) * (height - 1))
            grid[line][column] = mark

    for cost, burn in front:
        put(cost, burn, "·")
    offset = points.columns.index("average_delivered_cost_usd_per_bdt"), points.columns.index("burn_probability")
    for mark, row in zip("ABCD", points.rows, strict=False):
        put(row[offset[0]], row[offset[1]], mark)
    lines = []
    for n, marks in enumerate(grid):
        level = most - (most - least) * n / (height - 1)
        label = f"{level * 100:6.2f} % " if n in {0, height // 2, height - 1} else " " * 9
        lines.append(label + "│" + "".join(marks).rstrip())
    lines.append(" " * 9 + "└" + "─" * width)
    left, right = f"${low:,.2f}", f"${high:,.2f} per BDT"
    lines.append(" " * 10 + left + " " * max(1, width - len(left) - len(right)) + right)
    return lines


def trade_off_tables(answer: Answer) -> tuple[list[str], RichTable]:
    """The chart's lines and the table of named points of a trade-off.

    Parameters
    ----------
    answer : Answer
        With the tables `pareto` and `pareto_points`.
    """
    points = answer.tables["pareto_points"]
    out = RichTable(pad_edge=False)
    for title in ("", "supply", "fire\nweight", "fuel\n$/BDT", "last ton\n$/BDT", "burns\n%/year", "as likely\nto burn",
                  "high hazard\nacres", "weight pays\n$/BDT per point"):  # fmt: skip
        out.add_column(title, justify="left" if title in {"", "supply"} else "right")
    for mark, row in zip("ABCD", points.rows, strict=False):
        name, weight, cost, last, burn, _, ratio, acres, price, *_ = row
        cells = (_text(burn, "{:.2f}", 100), _text(ratio, "{:.2f} x"), _text(acres, "{:,.0f}"), _text(price, "{:,.2f}"))
        out.add_row(mark, escape(str(name)), f"{weight:.2f}", f"{cost:,.2f}", f"{last:,.2f}", *cells)
    return front_chart(answer.tables["pareto"], points), out


def _text(value: Any, form: str, scale: float = 1.0) -> str:
    return "-" if value is None else form.format(value * scale)
