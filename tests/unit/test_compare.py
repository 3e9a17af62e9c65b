"""Comparisons: which options a question has, who ties, and every option as it is answered alone."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from csrag.ask.checks import site_of
from csrag.ask.computation.compare_options import MAX_OPTIONS, options_of, variant_words
from csrag.ask.computation.compare_ties import TIE_FLOOR_PCT, error_of_difference, ranks, tie_margin
from csrag.ask.decisions import analyse_intent
from csrag.ask.records import TREATMENTS, Location, SitingQuery
from csrag.ask.results import Analysis, Caveat
from csrag.ask.run import CatchmentCache, Run, Trace
from csrag.ask.synthesis.template import write_answer
from csrag.errors import RequestError
from csrag.interfaces.open import open_layers
from csrag.surfaces.store import LayerStore

QUINCY = Location("Quincy", "place", "Plumas", 39.9368, -120.9465)
CHESTER = Location("Chester", "place", "Plumas", 40.3063, -121.2319)
FRESNO = Location("Fresno", "place", "Fresno", 36.7477, -119.7724)
RENO = Location("Reno", "outside", None, 39.5296, -119.8138, "NV")


@pytest.fixture(scope="module")
def layers(demo_layers: Path) -> LayerStore:
    return open_layers(str(demo_layers))


def asked(places: Sequence[Location], variants: Sequence[dict[str, Any]] = (), **more: Any) -> SitingQuery:
    return SitingQuery(intent="compare", locations=tuple(places), compare=tuple(variants), **more)


def run_of(layers: LayerStore, query: SitingQuery, cache: CatchmentCache | None = None) -> Run:
    return Run(layers, query, site_of(query, []), Trace(), cache)


def compared(layers: LayerStore, query: SitingQuery, cache: CatchmentCache | None = None) -> tuple[Analysis, Run]:
    run = run_of(layers, query, cache)
    analysis, _ = analyse_intent(run, [])
    return analysis, run


def rows(analysis: Analysis) -> list[dict[str, Any]]:
    table = analysis.tables["comparison"]
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


# --- which options ----------------------------------------------------------------------------------------------------


def test_places_and_variants_are_crossed_in_order() -> None:
    found = options_of(asked([QUINCY, CHESTER], [{"capacity_mw": 5.0}, {"capacity_mw": 10.0}]))
    assert [o.label for o in found] == ["Quincy, 5 MW", "Quincy, 10 MW", "Chester, 5 MW", "Chester, 10 MW"]
    assert [o.number for o in found] == [1, 2, 3, 4]
    assert [(o.query.locations, o.query.capacity_mw) for o in found][2] == ((CHESTER,), 5.0)
    assert {o.query.intent for o in found} == {"site"}
    assert not any(o.query.compare for o in found)


def test_a_variant_with_a_place_belongs_to_that_place() -> None:
    pairs = [{"place": "Quincy", "capacity_mw": 5.0}, {"place": "Chester", "capacity_mw": 10.0}]
    assert [o.label for o in options_of(asked([QUINCY, CHESTER], pairs))] == ["Quincy, 5 MW", "Chester, 10 MW"]
    one = options_of(asked([QUINCY, CHESTER], pairs[:1], capacity_mw=20.0))
    assert [(o.label, o.query.capacity_mw) for o in one] == [("Quincy, 5 MW", 5.0), ("Chester", 20.0)]
    with pytest.raises(RequestError, match="redding"):
        options_of(asked([QUINCY], [{"place": "Redding", "capacity_mw": 5.0}]))


def test_a_capacity_replaces_tons_and_an_override_is_explicit() -> None:
    tons = asked([QUINCY], [{"capacity_mw": 5.0}, {"moisture_pct": 40.0}], demand_bdt=9000.0, explicit=("demand_bdt",))
    by_power, by_moisture = options_of(tons)
    assert (by_power.query.capacity_mw, by_power.query.demand_bdt) == (5.0, None)
    assert by_power.query.explicit == ("capacity_mw",)
    assert by_moisture.query.overrides == {"moisture_pct": 40.0}
    assert by_moisture.query.demand_bdt == 9000.0
    assert "overrides.moisture_pct" in by_moisture.query.explicit


def test_repeats_stand_once_and_equal_names_are_told_apart() -> None:
    other = Location("Quincy", "place", "Sierra", 39.5, -120.5)
    found = options_of(asked([QUINCY, QUINCY, other]))
    assert [o.label for o in found] == ["Quincy, Plumas County", "Quincy, Sierra County"]
    assert len(options_of(asked([QUINCY], [{"treatment": "SDI55"}, {"treatment": "SDI55"}]))) == 1


@pytest.mark.parametrize(
    ("query", "code"),
    [
        (asked([QUINCY]), "one_option"),
        (asked([QUINCY], [{"colour": "green"}, {"colour": "red"}]), "unknown_field"),
        (asked([QUINCY], [{"question": "x"}, {"question": "y"}]), "unknown_field"),
        (asked([QUINCY, CHESTER, FRESNO], [{"treatment": t} for t in TREATMENTS]), "too_many_options"),
        (asked([Location(f"P{n}", "place", None, 40.0, -121.0 - n / 100) for n in range(13)]), "too_many_options"),
        (asked([RENO, Location("Atlantis", "unknown")]), "outside_california"),
        (asked([QUINCY], [{"capacity_mw": 25_000.0}, {"capacity_mw": 300.0}]), "invalid_value"),
    ],
)
def test_what_cannot_be_compared_is_refused_with_a_remedy(layers: LayerStore, query: SitingQuery, code: str) -> None:
    with pytest.raises(RequestError) as caught:
        analyse_intent(run_of(layers, query), [])
    assert caught.value.code == code
    assert caught.value.fix


def test_words_of_every_kind_of_variant() -> None:
    said = {
        "treatment": "TFB40", "technology": "chp", "system": "cable", "land_use": ("private",), "transport": "zone",
        "selection": "proximity", "capacity_mw": 12.5, "radius_km": 40.0, "fire_weight": 0.2, "overrides.diesel_usd_per_gal": 6.0,
        "moisture_pct": 40.0, "max_slope_pct": 35.0, "availability": "practical", "other_plants": "built-in", "years": 10,
    }  # fmt: skip
    words = {name: variant_words({name: value}) for name, value in said.items()}
    assert words["land_use"] == "private land"
    assert words["overrides.diesel_usd_per_gal"] == "diesel price $6.00 per gallon"
    assert words["moisture_pct"] == "moisture 40 %"
    assert words["fire_weight"] == "a fire weight of 20 %"
    assert words["system"] == "cable systems"
    assert len(set(words.values())) == len(said)
    assert all(words.values())
    found = options_of(asked([QUINCY], [{name: value} for name, value in said.items()]))
    assert len(found) == len(said) <= MAX_OPTIONS


# --- ties and ranks ---------------------------------------------------------------------------------------------------


def test_errors_in_common_cancel_and_others_add() -> None:
    assert error_of_difference(2.0, 2.0, 1.0) == 0
    assert error_of_difference(3.0, 2.0, 1.0) == pytest.approx(1.0)
    assert error_of_difference(3.0, 4.0, 0.0) == pytest.approx(5.0)
    assert error_of_difference(0.0, 4.0, 0.3) == pytest.approx(4.0)
    values = [error_of_difference(3.0, 4.0, shared / 10) for shared in range(11)]
    assert values == sorted(values, reverse=True)


def test_a_tie_needs_one_percent_or_the_error() -> None:
    assert tie_margin(50.0, 51.0, 0.0) == pytest.approx(0.5)
    assert tie_margin(50.0, 51.0, 2.0) == 2.0
    assert tie_margin(50.0, 51.0, -2.0) == pytest.approx(50 * TIE_FLOOR_PCT / 100)


def test_those_that_tie_with_the_leader_share_its_rank() -> None:
    costs = [10.9, None, 10.0, 10.5, 12.0, 11.4]

    def ties(i: int, j: int) -> bool:
        return (costs[j] or 0.0) - (costs[i] or 0.0) <= 0.6

    # 10.5 ties with 10.0; 10.9 does not, leads the next group, and 11.4 ties with it.
    assert ranks(costs, ties) == [3, None, 1, 1, 5, 3]
    assert ranks([None, None], ties) == [None, None]


def test_ranks_are_those_of_sorting_where_nothing_ties() -> None:
    draw = random.Random(6)
    for _ in range(50):
        costs: list[float | None] = [draw.choice([None, round(draw.uniform(30, 90), 6)]) for _ in range(12)]
        found = ranks(costs, lambda i, j, costs=costs: costs[i] == costs[j])
        for i, cost in enumerate(costs):
            cheaper = sum(c is not None and cost is not None and c < cost for c in costs)
            assert found[i] == (None if cost is None else cheaper + 1)


# --- each option as alone ---------------------------------------------------------------------------------------------

CASES: list[tuple[list[Location], list[dict[str, Any]], dict[str, Any]]] = [
    ([QUINCY, CHESTER], [], {"capacity_mw": 12.0}),
    ([QUINCY, CHESTER], [], {"capacity_mw": 12.0, "transport": "zone", "fire_weight": 0.3}),
    ([QUINCY], [{"treatment": t} for t in ("SDI30", "SDI55", "TFB40")], {"capacity_mw": 8.0}),
    ([CHESTER], [{"technology": t} for t in ("combustion", "chp", "gasification")], {"capacity_mw": 3.0}),
    ([QUINCY], [{"system": s} for s in ("ground", "cable")], {"demand_bdt": 30_000.0, "radius_km": 50.0}),
    ([QUINCY], [{"transport": t} for t in ("zone", "stratified", "network")], {"capacity_mw": 10.0}),
    ([QUINCY], [{"land_use": "private"}, {"land_use": ("private", "usfs")}, {"max_slope_pct": 30.0}], {"capacity_mw": 5.0}),
    ([QUINCY], [{"moisture_pct": 40.0}, {"diesel_usd_per_gal": 6.0}, {"capacity_mw": 6.0}], {"capacity_mw": 5.0}),
    ([QUINCY, CHESTER], [{"capacity_mw": 3.0}, {"capacity_mw": 9.0}], {"emissions": True, "power_price_usd_per_mwh": 150.0}),
    ([QUINCY, CHESTER], [], {"capacity_mw": 5.0, "years": 12, "burn_loss_pct": 50.0, "other_plants": "built-in"}),
]  # fmt: skip


@pytest.mark.parametrize(("places", "variants", "more"), CASES)
def test_an_option_is_byte_for_byte_what_it_is_alone(
    layers: LayerStore, places: list[Location], variants: list[dict[str, Any]], more: dict[str, Any]
) -> None:
    query = asked(places, variants, **more)
    analysis, _ = compared(layers, query)
    assert analysis.status == "answered"
    checked = 0
    for option in options_of(query):
        alone, _ = compared(layers, option.query)
        for value_id, fact in alone.facts.items():
            mine = analysis.facts.get(f"option_{option.number}_{value_id}")
            if mine is not None and value_id not in {"rank", "draws"}:
                assert (repr(mine.value), mine.unit, mine.basis) == (repr(fact.value), fact.unit, fact.basis), value_id
                checked += 1
    assert checked > 25 * len(options_of(query))


def test_two_runs_and_a_shared_cache_give_the_same_bytes(layers: LayerStore) -> None:
    query = asked([QUINCY, CHESTER], capacity_mw=12.0, transport="stratified")
    cache = CatchmentCache()
    found = [compared(layers, query, c)[0] for c in (None, cache, cache)]
    texts = [
        json.dumps([{k: f.to_json() for k, f in a.facts.items()}, a.tables["comparison"].to_json()]) for a in found
    ]
    assert texts[0] == texts[1] == texts[2]


def test_catchments_are_reused_where_the_key_is_the_same(layers: LayerStore) -> None:
    _, run = compared(layers, asked([QUINCY], [{"transport": t} for t in ("zone", "stratified")], capacity_mw=10.0))
    read = [s.cache for s in run.trace.steps if s.tool == "retrieve_clusters"]
    assert read == ["miss", "hit"]
    _, run = compared(layers, asked([QUINCY, CHESTER], capacity_mw=10.0))
    assert [s.cache for s in run.trace.steps if s.tool == "retrieve_clusters"] == ["miss", "miss"]


# --- what stands beside each other ------------------------------------------------------------------------------------


@pytest.mark.parametrize("transport", ["network", "zone"])
def test_differences_add_up_and_the_best_is_the_lowest(layers: LayerStore, transport: str) -> None:
    analysis, _ = compared(layers, asked([QUINCY, CHESTER], capacity_mw=12.0, transport=transport))
    found = rows(analysis)
    lowest = min(r["delivered_usd_per_bdt"] for r in found)
    for n, row in enumerate(found, start=1):
        value = {
            k.removeprefix(f"option_{n}_"): f.value for k, f in analysis.facts.items() if k.startswith(f"option_{n}_")
        }
        assert value["difference_to_best"] == row["delivered_usd_per_bdt"] - lowest
        parts = sum(value[f"{p}_difference"] for p in ("harvest", "haul", "unloading", "move_in"))
        assert parts == pytest.approx(value["difference_to_best"], abs=1e-9)
        assert value["difference_to_first"] == row["delivered_usd_per_bdt"] - found[0]["delivered_usd_per_bdt"]
        assert value["ratio_to_best"] == pytest.approx(row["delivered_usd_per_bdt"] / lowest)
        assert (value["rank"] == 1) == (value["difference_to_best"] <= value["tie_margin"])
    assert analysis.facts["best_option"].value == min(found, key=lambda r: r["delivered_usd_per_bdt"])["option"]


def test_the_same_option_at_a_hairs_breadth_is_a_tie_and_said_to_be_one(layers: LayerStore) -> None:
    near = Location("Quincy Mill", "coordinates", "Plumas", 39.9370, -120.9465)
    query = asked([QUINCY, near], capacity_mw=12.0)
    analysis, _ = compared(layers, query)
    costs = [r["delivered_usd_per_bdt"] for r in rows(analysis)]
    assert abs(costs[0] - costs[1]) / min(costs) < 0.01
    assert [r["rank"] for r in rows(analysis)] == [1, 1]
    assert analysis.facts["tied_options"].value == 2
    text = write_answer(query, analysis, "Quincy").text
    assert "tie" in text
    assert "cheapest" not in text
    assert "comparison_ties" in {c.code for c in analysis.warnings}


def test_draws_say_in_how_many_of_them_the_best_is_cheaper(layers: LayerStore) -> None:
    query = asked([QUINCY, CHESTER], capacity_mw=12.0, transport="zone")
    analysis, run = compared(layers, query)
    other = next(r for r in rows(analysis) if r["difference_to_best_usd_per_bdt"] > 0)
    share, low = other["best_cheaper_draws_pct"], other["difference_low_usd_per_bdt"]
    assert 0 < share < 100
    assert low < other["difference_high_usd_per_bdt"]
    assert (other["rank"] == 1) == (low <= 0 or other["difference_to_best_pct"] <= 1)
    assert analysis.facts["draws"].value >= 4096
    assert "of the draws" in write_answer(query, analysis, "Quincy").text
    assert "draw_differences" in {s.tool for s in run.trace.steps}
    network, _ = compared(layers, query.with_(transport="network"))
    assert "draws" not in network.facts, "nothing is measured of the network itself"


def test_one_option_without_figures_does_not_lose_the_others(layers: LayerStore) -> None:
    query = asked([QUINCY, FRESNO, RENO], capacity_mw=12.0)
    analysis, _ = compared(layers, query)
    assert analysis.status == "partial"
    assert [r["status"] for r in rows(analysis)] == ["answered", "refused", "refused"]
    assert "outside the area" in rows(analysis)[1]["why"]
    assert "outside California" in rows(analysis)[2]["why"]
    assert analysis.facts["option_2_average_delivered_cost"].value is None
    assert analysis.facts["option_2_average_delivered_cost"].basis
    text = write_answer(query, analysis, "Quincy").text
    assert "Fresno" in text
    assert "Reno" in text


def test_an_unmet_demand_says_what_can_be_had(layers: LayerStore) -> None:
    query = asked([QUINCY], [{"capacity_mw": 5.0}, {"capacity_mw": 60.0}], radius_km=15.0)
    analysis, _ = compared(layers, query)
    assert (analysis.status, analysis.reason) == ("partial", "demand_not_met")
    alone, _ = compared(layers, options_of(query)[1].query)
    for value_id in ("obtainable_bdt", "largest_capacity_mw"):
        assert analysis.facts[f"option_2_{value_id}"].value == alone.facts[value_id].value
    assert "Demand not met" in rows(analysis)[1]["why"]
    assert "enough for" in write_answer(query, analysis, "Quincy").text


def test_a_cap_on_the_average_is_held_against_each_option(layers: LayerStore) -> None:
    plain, _ = compared(layers, asked([QUINCY, CHESTER], capacity_mw=12.0))
    low, high = sorted(r["delivered_usd_per_bdt"] for r in rows(plain))
    query = asked([QUINCY, CHESTER], capacity_mw=12.0, max_cost_usd_per_bdt=(low + high) / 2)
    analysis, _ = compared(layers, query)
    assert (analysis.status, analysis.reason) == ("partial", "cap_exceeded")
    assert sorted(r["status"] for r in rows(analysis)) == ["answered", "partial"]
    over = next(r for r in rows(analysis) if r["status"] == "partial")
    assert "cap" in over["why"]
    text = write_answer(query, analysis, "Quincy").text
    assert f"lie: {over['option']}" in text


def test_a_range_has_its_middle_as_option_and_its_ends_in_columns(layers: LayerStore) -> None:
    analysis, _ = compared(layers, asked([QUINCY, CHESTER], capacity_range_mw=(4.0, 8.0)))
    for row in rows(analysis):
        assert row["capacity_mw"] == 6.0
        assert row["range_low_lcoe_current_usd_per_mwh"] > row["range_high_lcoe_current_usd_per_mwh"]


def test_all_refused_is_refused(layers: LayerStore) -> None:
    query = asked([FRESNO, Location("Bakersfield", "place", "Kern", 35.3733, -119.0187)], capacity_mw=12.0)
    analysis, _ = compared(layers, query)
    assert (analysis.status, analysis.reason) == ("refused", "outside_data_area")
    text = write_answer(query, analysis, "Fresno").text
    assert "Bakersfield" in text
    assert all(r["why"] for r in rows(analysis))


def test_options_of_unlike_plants_are_ranked_by_electricity(layers: LayerStore) -> None:
    query = asked([QUINCY], [{"technology": t} for t in ("combustion", "chp")], capacity_mw=5.0)
    analysis, _ = compared(layers, query)
    assert "electricity" in analysis.facts["comparison_measure"].value
    assert [r["rank"] for r in rows(analysis)] == [2, 1]
    # Both burn the same wood at the same price.
    assert (
        analysis.facts["option_1_difference_to_best"].value == analysis.facts["option_2_difference_to_best"].value == 0
    )
    assert "tie" in write_answer(query, analysis, "Quincy").text


def test_what_the_question_asks_for_besides_has_columns(layers: LayerStore) -> None:
    query = asked([QUINCY, CHESTER], capacity_mw=5.0, emissions=True, power_price_usd_per_mwh=150.0, fire_weight=0.2)
    columns = compared(layers, query)[0].tables["comparison"].columns
    for wanted in ("co2_kg_per_mwh", "npv_usd", "simple_payback_years", "fire_extra_cost_usd_per_bdt"):
        assert wanted in columns
    plain = compared(layers, asked([QUINCY, CHESTER], capacity_mw=5.0))[0].tables["comparison"].columns
    assert "npv_usd" not in plain


def test_fire_is_told_as_how_likely_stands_are_to_burn(layers: LayerStore) -> None:
    query = asked([QUINCY, CHESTER], capacity_mw=8.0, fire_weight=0.4)
    analysis, _ = compared(layers, query)
    burns = [r["burn_probability_per_year"] for r in rows(analysis)]
    ratios = [analysis.facts[f"option_{n}_burn_ratio_to_least"].value for n in (1, 2)]
    assert ratios == [b / min(burns) for b in burns]
    text = write_answer(query, analysis, "Quincy").text
    assert "as likely to burn" in text
    assert "risk" not in text


def test_a_line_to_the_nearest_substation_is_each_sites_own(layers: LayerStore) -> None:
    query = asked([QUINCY, CHESTER], capacity_mw=5.0, line_to_substation=True)
    analysis, _ = compared(layers, query)
    if not (layers.manifest.points or {}).get("substations"):
        assert {c.code for c in analysis.warnings} >= {"no_substations"}
        return
    lengths = [analysis.facts[f"option_{n}_line_km"].value for n in (1, 2)]
    assert lengths[0] != lengths[1]


def test_counties_stand_by_their_best_sites(layers: LayerStore) -> None:
    places = [Location(f"{name} County", "county", name, lat, lon) for name, lat, lon in
              (("Plumas", 40.0, -120.84), ("Butte", 39.67, -121.6))]  # fmt: skip
    analysis, _ = compared(layers, asked(places, capacity_mw=5.0))
    assert analysis.status == "answered"
    found = rows(analysis)
    assert [r["option"] for r in found] == ["Plumas County", "Butte County"]
    for n, row in enumerate(found, start=1):
        assert row["site"] != row["place"]
        site = Location(row["site"], "coordinates", None, row["lat"], row["lon"])
        alone, _ = compared(layers, SitingQuery(locations=(site,), capacity_mw=5.0))
        assert analysis.facts[f"option_{n}_lcoe_current"].value == alone.facts["lcoe_current"].value
    assert sum(c.code == "area_best_site" for c in analysis.warnings) == 2
    said: list[Caveat] = list(analysis.warnings)
    assert not any(c.code == "area_as_point" for c in said)
