"""Sentences on how road distances and harvest costs were found, and how far they are off."""

from __future__ import annotations

from collections.abc import Mapping

from csrag.ask.records import SitingQuery
from csrag.ask.results import Fact

MOST_OUT_OF_RANGE_PCT = 5.0
"""Above this share beyond the training ranges an interval is told with a reservation [percent]."""
_BY = {"zone": "zone factors", "stratified": "zone-and-band factors"}


def transport_sentences(query: SitingQuery, facts: Mapping[str, Fact]) -> list[str]:
    """The distance mode and its measured error at this radius.

    Parameters
    ----------
    query : SitingQuery
        Whether the user named the trucks' speed.
    facts : mapping of str to Fact
        Computed values.
    """
    mode = facts.get("transport_mode")
    if mode is None or mode.value is None:
        return []
    error = _has(facts, "transport_error_pct")
    if mode.value == "network":
        time = (
            "at the speed you set instead of its driving times"
            if "speed_km_per_h" in query.overrides
            else "and its driving times, {{mean_road_hours}} one way on average"
        )
        out = f"Road distances follow the layer set's road network {time}"
        if error:
            out += ", off by {{transport_error_pct}} a trip on average for trips of {{transport_band}}"
        elif _has(facts, "zone_transport_error_pct"):
            out += "; zone factors would be off by {{zone_transport_error_pct}} a trip on average for trips of {{transport_band}}"
        return [out + "."]
    if mode.value not in _BY:
        return ["The layer set knows no road distances: each is the straight line times one assumed factor."]
    by = f"Road distances: {_BY[mode.value]}"
    if error:
        return [
            f"{by}, off by {{{{transport_error_pct}}}} on average for trips of {{{{transport_band}}}} in this layer set."
        ]
    return [f"{by}, whose error has not been measured for this layer set."]


def cost_sentences(facts: Mapping[str, Fact]) -> list[str]:
    """That harvest costs come from a surrogate, with their interval; nothing where the simulator made them."""
    if "surrogate_interval_pct" not in facts:
        return []
    if not _has(facts, "surrogate_interval_pct"):
        return [f"The cost layer was made by {_surrogate(facts)}; {facts['surrogate_interval_pct'].basis}."]
    outside = facts.get("surrogate_out_of_range_pct")
    share = float(outside.value) if outside is not None and outside.value is not None else 0.0
    said = f"Harvest costs are predicted by {_surrogate(facts)}: "
    between = (
        "the average lies between {{average_harvest_cost_low}} and {{average_harvest_cost_high}}, give or take "
        "{{surrogate_interval_pct}} for all clusters alike"
    )
    if share > MOST_OUT_OF_RANGE_PCT:
        return [
            f"{said}were all records like those it learned, {between} at {{{{surrogate_level_pct}}}} coverage; but "
            "{{surrogate_out_of_range_pct}} of the layer set's records lie outside what it was trained on, so the true coverage is "
            "unknown and may be lower."
        ]
    out = f"{said}at {{{{surrogate_level_pct}}}} coverage {between}"
    return [
        out
        + (
            "; {{surrogate_out_of_range_pct}} of the layer set's records lie outside what it was trained on."
            if share
            else "."
        )
    ]


def _surrogate(facts: Mapping[str, Fact]) -> str:
    return (
        "a surrogate of {{harvest_simulator}}" if _has(facts, "harvest_simulator") else "a surrogate of the simulator"
    )


def _has(facts: Mapping[str, Fact], value_id: str) -> bool:
    fact = facts.get(value_id)
    return fact is not None and fact.value is not None
