"""What the question did not say, and which value was used for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from csrag.ask.computation.need import need_of
from csrag.ask.records import DEFAULT_CAPACITY_MW, SitingQuery
from csrag.ask.results import Catchment, Fact

_RADIUS = {
    "automatic": "automatic: smallest whole km that holds five years' demand",
    "rules": "automatic: smallest whole km in which the rules on the supply allow five years' demand",
    "haul": "automatic: as far as the longest haul reaches",
    "rings": "rings of a km until the candidates hold the expansion factor times one year's demand",
}
_OF_A_PLANT = ("fire_weight", "selection", "years")
"""What a stock-taking has no use for."""


def inferred_fields(
    query: SitingQuery, catchment: Catchment | None, facts: Mapping[str, Fact]
) -> tuple[dict[str, Any], ...]:
    """Every field the user did not set, with the value used and why.

    Parameters
    ----------
    query : SitingQuery
        What is asked.
    catchment : Catchment or None
        The circle used, where there is one.
    facts : mapping of str to Fact
        Computed values; they tell the distance mode used.
    """
    # What a comparison varies was named, for each option in its own way.
    explicit = {*query.explicit, *(name for variant in query.compare for name in variant)}
    out: list[dict[str, Any]] = []
    if query.intent not in {"max_capacity", "lookup"} and not explicit & {"capacity_mw", "demand_bdt"}:
        capacity = need_of(query).capacity_mw
        out.append({"field": "capacity_mw", "value": capacity if query.capacity_range_mw else DEFAULT_CAPACITY_MW,
                    "why": "middle of the range" if query.capacity_range_mw else "default"})  # fmt: skip
    for name in ("technology", "treatment", "system", "fire_weight", "selection", "years", "feedstock", "availability"):
        if name not in explicit and not (query.intent == "lookup" and name in _OF_A_PLANT):
            out.append({"field": name, "value": getattr(query, name), "why": "default"})
    if "land_use" not in explicit:
        out.append({"field": "land_use", "value": list(query.land_use), "why": "default"})
    if "radius_km" not in explicit and catchment is not None:
        out.append(
            {
                "field": "radius_km",
                "value": catchment.radius_km,
                "why": _RADIUS.get(catchment.radius_origin, "automatic, at its limit"),
            }
        )
    elif "radius_km" not in explicit and query.intent == "lookup" and "radius_km" in facts:
        out.append({"field": "radius_km", "value": facts["radius_km"].value, "why": facts["radius_km"].basis})
    elif "radius_km" not in explicit and query.intent == "compare":
        out.append({"field": "radius_km", "value": None, "why": "automatic for each option: five years' demand"})
    for name, value_id in (
        ("site_count", "asked_sites"),
        ("radius_km", "search_radius_km"),
        ("min_separation_km",) * 2,
    ):
        used = facts.get(value_id)
        asked = name in explicit or getattr(query, name) is not None
        if query.intent == "search" and not asked and used is not None:
            out.append({"field": name, "value": used.value, "why": used.basis})
    mode = facts.get("transport_mode")
    if "transport" not in explicit and mode is not None and mode.value is not None:
        out.append({"field": "transport", "value": mode.value, "why": f"default: {mode.basis}"})
    if query.max_slope_pct is None and "max_slope_pct" not in explicit:
        out.append({"field": "max_slope_pct", "value": None, "why": "default: no limit but the machines' own"})
    if "moisture_pct" not in query.overrides and not explicit & {"moisture_pct", "overrides.moisture_pct"}:
        out.append({"field": "moisture_pct", "value": 50.0, "why": "default"})
    return tuple(out)
