"""The sites of a search on a terminal: a row a site, and what each rule took away."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table as RichTable

from csrag.ask.results import Answer, Table

_NARROW = 110
"""Terminal width below which county, last ton and distances are left out [characters]; the JSON record has them."""


def _money(value: Any) -> str:
    return "-" if value is None else f"{value:,.2f}"


def _whole(value: Any) -> str:
    return "-" if value is None else f"{value:,.0f}"


def _tenth(value: Any) -> str:
    return "-" if value is None else f"{value:,.1f}"


def _yearly_pct(value: Any) -> str:
    return "-" if value is None else f"{value * 100:.2f}"


_COLUMNS: tuple[tuple[str, str, Callable[[Any], str], bool], ...] = (
    ("rank", "rank", _whole, True),
    ("in\nsearch", "rank_in_search", _whole, True),
    ("site", "name", str, True),
    ("county", "county", lambda v: v or "-", False),
    ("search\n$/BDT", "search_average_usd_per_bdt", _money, True),
    ("fuel\n$/BDT", "average_usd_per_bdt", _money, True),
    ("last ton\n$/BDT", "last_ton_usd_per_bdt", _money, False),
    ("power\n$/MWh", "lcoe_current_usd_per_mwh", _money, True),
    ("burns\n%/year", "burn_probability", _yearly_pct, True),
    ("acres\na year", "treated_acres", _whole, False),
    ("road\nkm", "km_to_road", _tenth, False),
    ("substation\nkm", "km_to_substation", _tenth, False),
)


def search_tables(answer: Answer, width: int) -> list[RichTable]:
    """Sites given, sites that were answered in full and not given, and the rules.

    Parameters
    ----------
    answer : Answer
        With the table `best_sites` or `site_rules`.
    width : int
        Of the terminal [characters].
    """
    out = []
    for name, title in (("best_sites", "Sites"), ("also_evaluated", "Answered in full too")):
        table = answer.tables.get(name)
        if table is not None:
            out.append(_sites(table, title, width))
    rules = answer.tables.get("site_rules")
    if rules is not None and any(row[3] for row in rules.rows):
        out.append(_rules(rules))
    return out


def _sites(table: Table, title: str, width: int) -> RichTable:
    shown = [c for c in _COLUMNS if c[3] or width >= _NARROW]
    empty = {name for i, name in enumerate(table.columns) if all(row[i] is None for row in table.rows)}
    shown = [c for c in shown if c[1] not in empty]
    out = RichTable(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, pad_edge=False)
    for head, name, _, _ in shown:
        words = name in {"name", "county"}
        out.add_column(head, justify="left" if words else "right", no_wrap=not words)
    at = {name: i for i, name in enumerate(table.columns)}
    for row in table.rows:
        out.add_row(*(escape(form(row[at[name]])) for _, name, form, _ in shown))
    return out


def _rules(table: Table) -> RichTable:
    out = RichTable(title="Sites left out", title_justify="left", title_style="bold", box=SIMPLE_HEAD, pad_edge=False)
    for head in ("sites", "left out", "left without the rule"):
        out.add_column(head, justify="left" if head == "sites" else "right")
    for words, _, _, removed, left, _ in table.rows:
        if removed:
            out.add_row(escape(str(words)), _whole(removed), _whole(left))
    return out
