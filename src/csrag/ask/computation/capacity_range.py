"""A range of capacities: low, middle and high side by side."""

from __future__ import annotations

from dataclasses import replace

from csrag.ask.computation.facts import Ledger
from csrag.ask.results import Analysis

RANGE_COLUMNS = (
    "capacity_mw", "status", "demand_bdt", "radius_km", "average_delivered_cost", "last_ton_cost",
    "life_average_delivered_cost", "lcoe_current", "lcoe_constant",
)  # fmt: skip
_IN_TEXT = ("average_delivered_cost", "lcoe_current")


def with_range(middle: Analysis, low: Analysis, high: Analysis) -> Analysis:
    """Put both ends of a range beside the answer for its middle.

    Parameters
    ----------
    middle, low, high : Analysis
        The three sites, each with its own circle.

    Returns
    -------
    Analysis
        The middle's, with the table `capacity_range` and the ends' prices.
    """
    ledger = Ledger.of(middle)
    rows = []
    for analysis in (low, middle, high):
        facts = analysis.facts
        rows.append((facts["capacity_mw"].value, analysis.status, *(facts[c].value for c in RANGE_COLUMNS[2:])))
    ledger.table("capacity_range", RANGE_COLUMNS, rows, "each with its own circle and demand; null where not computed")
    for end, analysis in (("low", low), ("high", high)):
        ledger.put(f"range_{end}_capacity_mw", analysis.facts["capacity_mw"].value, "as asked")
        for name in _IN_TEXT:
            fact = analysis.facts[name]
            ledger.put(f"range_{end}_{name}", fact.value, fact.basis or "as the middle")
    return replace(middle, facts=ledger.facts, tables=ledger.tables)
