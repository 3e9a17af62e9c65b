"""A stock-taking on a terminal: its tables with short headings, narrow enough for 80 columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rich.markup import escape
from rich.table import Table as RichTable

from csrag.ask.results import Answer, Table


def _whole(value: Any) -> str:
    return "" if value is None else f"{value:,.0f}"


def _cents(value: Any) -> str:
    return "" if value is None else f"{value:,.2f}"


def _tenth(value: Any) -> str:
    return "" if value is None else f"{value:,.1f}"


def _words(value: Any) -> str:
    return "" if value is None else str(value)


_FORMS: dict[str, tuple[str, Callable[[Any], str]]] = {
    "clusters": ("clusters", _whole),
    "acres": ("acres", _whole),
    "feedstock_bdt": ("BDT", _whole),
    "feedstock_gt": ("green\ntons", _whole),
    "counted_bdt": ("counted\nBDT", _whole),
    "share_pct": ("share\n%", _tenth),
    "bdt_per_acre": ("BDT per\nacre", _tenth),
    "mean_harvest_usd_per_bdt": ("harvest\n$/BDT", _cents),
    "nothing_to_remove_clusters": ("nothing to\nremove", _whole),
    "protected_acres": ("parks, wild-\nerness, acres", _whole),
    "forest_clusters": ("forest\nclusters", _whole),
    "distance_km": ("km away", _whole),
    "capacity_mw": ("MW", _tenth),
    "demand_bdt_per_year": ("assumed\nBDT a year", _whole),
    "selected_bdt": ("taken\nBDT", _whole),
    "selected_share_pct": ("share of what\nis taken, %", _tenth),
    "pool_bdt": ("all candi-\ndates, BDT", _whole),
    "pool_share_pct": ("share of\nall, %", _tenth),
}
_TITLES = {
    "areas": "Side by side",
    "treatments": "By treatment (a cluster is cut by one of them: they do not add up)",
    "ownership": "By owner (all forest; counted: what the total holds)",
    "slope_classes": "By slope in percent",
    "hazard_classes": "By hazard class",
    "stock_systems": "By harvesting system, all that counts",
    "harvest_cost_classes": "By harvest cost in USD per BDT at the landing",
    "wood_plants": "Who else buys wood there",
    "system_mix": "Harvesting systems of what is taken, and of all candidates",
}
_LEAD = (
    "area",
    "treatment",
    "of_treatment",
    "land_use",
    "slope_pct",
    "hazard_class",
    "system",
    "usd_per_bdt",
    "name",
    "inside",
)


def lookup_tables(answer: Answer) -> list[RichTable]:
    """The tables of a stock-taking, and the system mix of a site's supply.

    Parameters
    ----------
    answer : Answer
        The record.
    """
    asked = answer.query.intent == "lookup"
    return [_shown(title, answer.tables[name]) for name, title in _TITLES.items()
            if name in answer.tables and answer.tables[name].rows and (asked or name == "system_mix")]  # fmt: skip


def _shown(title: str, table: Table) -> RichTable:
    out = RichTable(title=title, title_justify="left", title_style="bold", box=None, padding=(0, 2, 0, 0), pad_edge=False,
                    header_style="bold dim")  # fmt: skip
    kept = [(i, n) for i, n in enumerate(table.columns) if n in _LEAD or n in _FORMS]
    for _, name in kept:
        heading = (
            _FORMS[name][0] if name in _FORMS else name.replace("of_", "").replace("_pct", ", %").replace("_", " ")
        )
        out.add_column(escape(heading), justify="right" if name in _FORMS else "left")
    for row in table.rows:
        out.add_row(*(escape(_FORMS.get(name, ("", _words))[1](row[i])) for i, name in kept))
    return out
