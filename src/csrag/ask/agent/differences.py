"""What differs between two saved scenarios: what was asked, and what came out."""

from __future__ import annotations

from typing import Any

from csrag.ask.agent.saved import Scenario
from csrag.ask.results import Table
from csrag.values import unit_and_label

_HEADLINES = (
    "average_delivered_cost", "average_harvest_cost", "average_haul_cost", "last_ton_cost", "radius_km", "demand_bdt",
    "selected_clusters", "treated_acres", "truck_loads", "mean_burn_probability", "lcoe_current", "lcoe_constant",
    "life_average_delivered_cost", "life_radius_km", "life_coverage",
)  # fmt: skip
_NOT_COMPARED = frozenset({"spans", "notes", "explicit", "compare"})


def scenario_differences(one: Scenario, other: Scenario) -> Table:
    """Fields of the question and headline values that differ.

    Parameters
    ----------
    one, other : Scenario
        What is compared.

    Returns
    -------
    Table
        Rows of (what, unit, first, second, difference): fields of the query, then every headline value that both have,
        differing or not, the difference second less first. The note says where they stand on different layers.
    """
    rows: list[tuple[Any, ...]] = []
    asked, also = one.record["query"], other.record["query"]
    for name in sorted({*asked, *also} - _NOT_COMPARED):
        a, b = asked.get(name), also.get(name)
        if name == "locations":
            a, b = (", ".join(p["name"] for p in places or ()) for places in (a, b))
        if name == "overrides":
            for key in sorted({*(a or {}), *(b or {})}):
                if (a or {}).get(key) != (b or {}).get(key):
                    rows.append((key, "", _plain((a or {}).get(key)), _plain((b or {}).get(key)), None))
        elif a != b:
            rows.append((name, "", _plain(a), _plain(b), None))
    first, second = one.record["values"], other.record["values"]
    for value_id in _HEADLINES:
        x, y = (values.get(value_id, {}).get("value") for values in (first, second))
        if isinstance(x, (int, float)) and isinstance(y, (int, float)):
            unit, label = unit_and_label(value_id) or ("", value_id)
            rows.append((label, unit, x, y, y - x))
    hashes = [scenario.record["layers"].get("hash") for scenario in (one, other)]
    note = "" if hashes[0] == hashes[1] else "The two stand on different layer sets; their figures are not comparable."
    return Table(("what", "unit", one.name, other.name, "difference"), tuple(rows), note)


def _plain(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return ", ".join(str(v) for v in value)
    return "not set" if value is None else value
