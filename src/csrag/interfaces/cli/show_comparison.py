"""A comparison on a terminal: a row an option, cheapest first, narrow enough for 100 columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table as RichTable

from csrag.ask.computation.compare_values import ids_of
from csrag.ask.results import Answer
from csrag.ask.synthesis.format import value_text
from csrag.values import unit_and_label

_NARROW = 96
"""Terminal width below which last ton, radius and acres are left out [characters]; the JSON record has them."""


def _money(value: Any) -> str:
    return "-" if value is None else f"{value:,.2f}"


def _whole(value: Any) -> str:
    return "-" if value is None else f"{value:,.0f}"


def _yearly_pct(value: Any) -> str:
    return "-" if value is None else f"{value * 100:.2f}"


def _dearer(value: Any) -> str:
    return "-" if value is None else f"+{value:.1f} %" if value > 0 else ""


_COLUMNS: tuple[tuple[str, str, Callable[[Any], str], bool], ...] = (
    ("fuel\n$/BDT", "delivered_usd_per_bdt", _money, True),
    ("harvest\n$/BDT", "harvest_usd_per_bdt", _money, True),
    ("haul\n$/BDT", "haul_usd_per_bdt", _money, True),
    ("last ton\n$/BDT", "last_ton_usd_per_bdt", _money, False),
    ("life\n$/BDT", "life_delivered_usd_per_bdt", _money, True),
    ("power\n$/MWh", "lcoe_usd_per_mwh", _money, True),
    ("radius\nkm", "radius_km", _whole, False),
    ("acres\na year", "treated_acres", _whole, False),
    ("burns\n%/year", "burn_probability_per_year", _yearly_pct, True),
)


def comparison_tables(answer: Answer, width: int) -> list[RichTable]:
    """The comparison, then what the question asks for beyond the usual columns.

    Parameters
    ----------
    answer : Answer
        Its table `comparison` has a column `option`.
    width : int
        Of the terminal [characters].
    """
    table = answer.tables["comparison"]
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    shown = [c for c in _COLUMNS if c[3] or width >= _NARROW]
    by_lcoe = "electricity" in str(answer.facts["comparison_measure"].value)
    ranked, dearer = (
        ("lcoe_usd_per_mwh", "lcoe_difference_to_best_pct") if by_lcoe else (_COLUMNS[0][1], "difference_to_best_pct")
    )
    at = next(k for k, c in enumerate(shown) if c[1] == ranked)
    shown.insert(at + 1, ("dearer\nby", dearer, _dearer, True))
    rows.sort(key=lambda r: (r["rank"] is None, r["rank"] or 0, r[ranked] or 0.0))
    one_place = len({row["place"] for row in rows}) == 1
    out = RichTable(
        title="Options, by rank; those that share a rank tie", title_justify="left", title_style="bold", box=SIMPLE_HEAD,
        pad_edge=False, padding=(0, 1, 0, 0), show_edge=False,
    )  # fmt: skip
    out.add_column("rank", justify="right")
    out.add_column("option", max_width=max(16, width - 9 * len(shown) - 6))
    for title, *_ in shown:
        out.add_column(title, justify="right", no_wrap=True)
    for row in rows:
        name = str(row["variant"] if one_place and row["variant"] else row["option"])
        rank = "-" if row["rank"] is None else str(row["rank"])
        style = "bold" if row["rank"] == 1 else ""
        out.add_row(rank, escape(name), *(show(row[column]) for _, column, show, _ in shown), style=style)
    extra = _asked_for(answer, [str(row["option"]) for row in rows])
    return [out] if extra is None else [out, extra]


def _asked_for(answer: Answer, order: list[str]) -> RichTable | None:
    """Values that only this question asks for: a row a value, a column an option where they are few."""
    columns = answer.tables["comparison"].columns
    place = columns.index("option")
    numbers = {str(row[place]): n for n, row in enumerate(answer.tables["comparison"].rows, start=1)}
    # What the user set is the same for all and was said by the user.
    wanted = [
        i
        for i in dict.fromkeys(ids_of(answer.query))
        if not hasattr(answer.query, i) and any(_has(answer, n, i) for n in numbers.values())
    ]
    if not wanted:
        return None
    out = RichTable(title="Asked for besides", title_justify="left", title_style="bold", box=SIMPLE_HEAD, pad_edge=False,
                    show_edge=False)  # fmt: skip
    out.add_column("option")
    out.add_column("value")
    out.add_column("", justify="right")
    for option in order:
        for k, value_id in enumerate(wanted):
            fact = answer.facts.get(f"option_{numbers[option]}_{value_id}")
            label = (unit_and_label(value_id) or ("", value_id))[1]
            out.add_row(escape(option) if k == 0 else "", label, "-" if fact is None else value_text(fact))
    return out


def _has(answer: Answer, number: int, value_id: str) -> bool:
    fact = answer.facts.get(f"option_{number}_{value_id}")
    return fact is not None and fact.value is not None
