"""Questions of searches, trade-offs, rules on a supply, comparisons and stock-taking: what the words set."""

from __future__ import annotations

from typing import Any

import pytest

from csrag.ask.intent import parse
from csrag.ask.records import SitingQuery

MILE = 1.609344


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("best three sites in Shasta County for 5 MW", {"site_count": 3}),
        ("top 10 spots in Shasta County, 5 MW", {"site_count": 10}),
        ("Which two towns in Trinity County are best for 3 MW?", {"site_count": 2, "site_candidates": "towns"}),
        ("Pick five 3 MW sites that don't compete", {"site_count": 5, "portfolio": True, "capacity_mw": 3}),
        ("portfolio of 4 two-megawatt plants in El Dorado County", {"site_count": 4, "portfolio": True, "capacity_mw": 2}),
        ("cinco sitios de 3 MW que no compitan", {"site_count": 5, "portfolio": True}),
        ("best sites for 5 MW in Lassen County, at least 20 miles apart", {"min_separation_km": 20 * MILE, "radius_km": None}),
        ("best sites for 5 MW in Lassen County, no two closer than 15 km", {"min_separation_km": 15, "radius_km": None}),
        ("best site for 5 MW in Butte County within 5 miles of a substation", {"max_km_to_substation": 5 * MILE, "radius_km": None}),
        ("best site for 5 MW in Butte County within 3 miles of a substation and 1 km of a road",
         {"max_km_to_substation": 3 * MILE, "max_km_to_road": 1}),
        ("best site, 5 MW, Shasta County, within 10 km of an existing power plant", {"max_km_to_plant": 10, "radius_km": None}),
        ("best site near the plant in Burney within 30 miles, 5 MW", {"max_km_to_plant": None, "radius_km": 30 * MILE}),
        ("Among the existing biomass plants, which is cheapest for 15 MW?", {"site_candidates": "plants"}),
        ("Which substation in Butte County is best for 12 MW?", {"site_candidates": "substations"}),
        ("best site for 8 MW with an average burn probability above 2 %",
         {"min_average_burn_probability": 0.02, "min_burn_probability": None}),
        ("best site for 8 MW above 2 % burn probability", {"min_average_burn_probability": None, "min_burn_probability": 0.02}),
        ("best site for 8 MW on ground flatter than 10 %", {"max_site_slope_pct": 10, "max_slope_pct": None}),
        ("best site for 8 MW, slope under 35 %", {"max_site_slope_pct": None, "max_slope_pct": 35}),
        ("best site for 8 MW, ground slope below 10% and slopes under 35% for the wood",
         {"max_site_slope_pct": 10, "max_slope_pct": 35}),
        ("best site for SDI-55", {"treatment": "SDI55", "locations": ()}),
        ("where should I build", {"locations": ()}),
        ("lowest delivered cost in the state for a 3 MW gasifier", {"technology": "gasification"}),
    ],
)  # fmt: skip
def test_searches(question: str, expected: dict[str, Any]) -> None:
    query = parse(question)
    assert query.intent == "search"
    for field, value in expected.items():
        assert getattr(query, field) == (pytest.approx(value) if isinstance(value, float) else value), field


def test_a_search_in_a_county_by_its_bare_name() -> None:
    (area,) = parse("top 3 sites in Tehama for 5 MW").locations
    assert (area.kind, area.county) == ("county", "Tehama")
    (town,) = parse("5 MW in Mariposa, delivered cost").locations
    assert town.kind == "place"


def test_what_a_search_cannot_hold_is_said() -> None:
    far = parse("Where should 10 MW go, at least 10 miles from an existing plant?")
    assert far.max_km_to_plant is None
    assert any("least distance" in n for n in far.notes)
    site = parse("10 MW at Quincy within 5 miles of a substation, cost?")
    assert (site.intent, site.max_km_to_substation, site.radius_km) == ("site", None, None)
    assert any("max_km_to_substation" in n for n in site.notes)
    told = parse(
        "There are 7 substations and 3 best sites in our study, but what is the fuel cost at Portola for 6 MW?"
    )
    assert (told.intent, told.site_count, told.site_candidates) == ("site", None, "grid")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("at least 80 % from high hazard zones", {"min_high_hazard_pct": 80}),
        ("HHZ fuel at least 75 percent", {"min_high_hazard_pct": 75}),
        ("two thirds of the tons have to come from very high fire hazard severity zones", {"min_high_hazard_pct": 66.6667}),
        ("all wood from high hazard zones", {"min_high_hazard_pct": 100}),
        ("al menos 80% de zonas de alto riesgo", {"min_high_hazard_pct": 80}),
        ("at least half from federal land", {"min_land_share_pct": {"usfs": 50}, "land_use": ("private", "usfs")}),
        ("no more than 30 % private", {"max_land_share_pct": {"private": 30}, "land_use": ("private", "usfs")}),
        ("25% or less from private land", {"max_land_share_pct": {"private": 25}}),
        ("40% must be federal and no more than 20% private",
         {"min_land_share_pct": {"usfs": 40}, "max_land_share_pct": {"private": 20}}),
        ("half private, half federal", {"min_land_share_pct": {"private": 50, "usfs": 50}}),
        ("a minimum of 30 percent tribal land", {"min_land_share_pct": {"tribal": 30}, "land_use": ("private", "usfs", "tribal")}),
        ("no haul longer than 40 miles", {"max_road_km": 40 * MILE, "radius_km": None}),
        ("trucks may not drive more than 60 km one way", {"max_road_km": 60, "radius_km": None}),
        ("within 40 road miles", {"max_road_km": 40 * MILE, "radius_km": None}),
        ("FRREDSS rule with an expansion factor of 1.5", {"selection": "proximity", "expansion_factor": 1.5}),
        ("nearest first", {"selection": "proximity"}),
        ("expansion factor 2", {"selection": "proximity", "expansion_factor": 2.0}),
    ],
)  # fmt: skip
def test_rules_on_a_supply(words: str, expected: dict[str, Any]) -> None:
    for question in (f"12 MW at Placerville, {words}, cost?", f"{words}: 12 MW at Placerville"):
        query = parse(question)
        assert (query.intent, query.capacity_mw, query.fire_weight) == ("site", 12, 0), question
        assert query.treatment == "SDI55"
        for field, value in expected.items():
            got = getattr(query, field)
            assert got == (pytest.approx(value) if isinstance(value, float) else value), (field, question)


@pytest.mark.parametrize(
    "words",
    [
        "our county is 60 % federal land", "thin from below 40 % on private land", "30 % weight on high hazard stands",
        "a 3 MW BioMAT project", "the watershed is two thirds Forest Service",
    ],
)  # fmt: skip
def test_what_is_no_rule(words: str) -> None:
    query = parse(f"12 MW at Placerville, {words}, cost?")
    assert query.min_high_hazard_pct is None
    assert not query.min_land_share_pct
    assert not query.max_land_share_pct


@pytest.mark.parametrize("words", ["BioMAT compliant", "under BioRAM rules", "meeting the BioMAT requirements"])
def test_compliance_is_read_as_the_share_it_asks(words: str) -> None:
    query = parse(f"3 MW at Placerville, {words}, cost?")
    assert query.min_high_hazard_pct == 80
    assert any("high hazard zones" in n for n in query.notes)


@pytest.mark.parametrize(
    "question",
    [
        "Most risk for no more than 5 % extra cost, 10 MW, Colfax", "10 MW at Colfax: biggest fire benefit under a 5% cost premium",
        "How much fire risk can I remove near Colfax with 10 MW if I can spend 5% more?",
    ],
)  # fmt: skip
def test_what_fire_may_cost(question: str) -> None:
    query = parse(question)
    assert (query.intent, query.max_extra_cost_pct, query.fire_weight) == ("pareto", 5, 0)


def test_dearer_inputs_are_no_trade_off() -> None:
    query = parse("10 MW at Colfax, fire matters, what if diesel costs 5% more?")
    assert query.intent == "site"
    assert query.max_extra_cost_pct is None


@pytest.mark.parametrize(
    ("question", "variants"),
    [
        ("Private against federal land at Quincy, 15 MW", [{"land_use": ["private"]}, {"land_use": ["usfs"]}]),
        ("Quincy 15 MW: Forest Service only versus BLM only versus private only",
         [{"land_use": ["usfs"]}, {"land_use": ["blm"]}, {"land_use": ["private"]}]),
        ("FRREDSS rule vs yours, 12 MW, Quincy", [{"selection": "proximity"}, {"selection": "cost"}]),
        ("10 MW, Quincy: road network distances versus zone factors", [{"transport": "network"}, {"transport": "zone"}]),
        ("10 MW at Quincy, cheaper with a 25 km radius or a 40 km one?", [{"radius_km": 25}, {"radius_km": 40}]),
        ("stack up clear cut and low density for 18 MW at Quincy", [{"treatment": "RMI100"}, {"treatment": "SDI30"}]),
    ],
)  # fmt: skip
def test_comparisons_of_something_else_than_place(question: str, variants: list[dict[str, Any]]) -> None:
    query = parse(question)
    assert (query.intent, [p.name for p in query.locations]) == ("compare", ["Quincy"])
    assert [dict(v) for v in query.compare] == variants
    assert query.land_use == ("private", "usfs")


def test_counties_in_a_list() -> None:
    query = parse("Which of Lassen, Shasta, Siskiyou and Trinity for 20 MW?")
    assert query.intent == "compare"
    assert [(p.kind, p.county) for p in query.locations] == [
        ("county", c) for c in ("Lassen", "Shasta", "Siskiyou", "Trinity")
    ]
    towns = parse("Compare Quincy, Mariposa and Sonora for 20 MW")
    assert [p.kind for p in towns.locations] == ["place"] * 3


@pytest.mark.parametrize(
    ("question", "pairs"),
    [
        ("10 MW at Weed and 12 MW at Yreka", [("Weed", 10), ("Yreka", 12)]),
        ("Burney 20 MW, Chester 12 MW and Quincy 8 MW side by side", [("Burney", 20), ("Chester", 12), ("Quincy", 8)]),
        ("Put 5 MW in Arnold next to an 8 MW one in Sonora", [("Arnold", 5), ("Sonora", 8)]),
    ],
)
def test_a_capacity_for_each_place(question: str, pairs: list[tuple[str, float]]) -> None:
    query = parse(question)
    assert (query.intent, query.capacity_mw) == ("compare", None)
    assert [(v["place"], v["capacity_mw"]) for v in query.compare] == pairs
    assert [p.name for p in query.locations] == [name for name, _ in pairs]


def test_a_technology_for_each_place() -> None:
    query = parse("Compare 15 MW at Anderson with 5 MW gasification at Hayfork")
    assert [v["technology"] for v in query.compare] == ["combustion", "gasification"]
    both = parse("5 MW gasifier at Sonora and 8 MW at Arnold, which is cheaper?")
    assert both.technology == "gasification"
    assert all("technology" not in v for v in both.compare)


@pytest.mark.parametrize(
    "question",
    [
        "Who else buys wood near Anderson?", "Biomass by fire hazard class in Nevada County",
        "What's the harvesting system mix for 25 MW at Quincy?",
        "Stock-take of residue in Mendocino and Humboldt counties by ownership", "tons available in Shasta County from TFB60",
        "How much TFB40 vs SDI30 material is in Shasta County?", "cuánto residuo SDI-30 hay en el condado de Trinity",
    ],
)  # fmt: skip
def test_stock_taking(question: str) -> None:
    assert parse(question).intent == "lookup"


def test_treatments_and_areas_side_by_side_in_a_stock_taking() -> None:
    query = parse("How much TFB40 and SDI30 residue is there in Plumas and Sierra counties?")
    assert query.intent == "lookup"
    assert [dict(v) for v in query.compare] == [{"treatment": "TFB40"}, {"treatment": "SDI30"}]
    assert [p.county for p in query.locations] == ["Plumas", "Sierra"]


@pytest.mark.parametrize(
    "question",
    [
        "Our 15 MW plant in Chester has 40,000 BDT under contract already. What would more cost?",
        "15 MW in Chester: we hold contracts for 40,000 BDT a year, cost of additional wood?",
        "Chester, 15 MW, with 40,000 BDT/yr already contracted. Cost?",
    ],
)
def test_wood_under_contract_is_not_the_demand(question: str) -> None:
    query = parse(question)
    assert (query.demand_bdt, query.capacity_mw) == (None, 15)
    assert any("bought already" in n for n in query.notes)


def test_the_demand_stays_beside_a_contract() -> None:
    query = parse("We need 100,000 BDT a year at Chester and have 40,000 BDT under contract. Cost?")
    assert query.demand_bdt == 100_000


SEARCH = "best three sites in Plumas County for 5 MW"
RULES = "12 MW at Sonora, at least 80 % from high hazard zones, cost?"


@pytest.mark.parametrize(
    ("earlier", "turn", "expected"),
    [
        ([SEARCH], "and ten sites", {"site_count": 10, "intent": "search"}),
        ([SEARCH], "make it five", {"site_count": 5, "capacity_mw": 5}),
        ([SEARCH], "at least 15 km apart please", {"min_separation_km": 15, "radius_km": None}),
        ([SEARCH, "at least 15 km apart"], "undo", {"min_separation_km": None, "site_count": 3}),
        ([SEARCH, "at least 15 km apart"], "drop the separation", {"min_separation_km": None}),
        ([SEARCH], "without competing", {"portfolio": True, "site_count": 3}),
        ([SEARCH], "with 8 MW", {"capacity_mw": 8, "site_count": 3, "intent": "search"}),
        ([RULES], "60 % instead", {"min_high_hazard_pct": 60, "fire_weight": 0}),
        ([RULES], "now without the hazard rule", {"min_high_hazard_pct": None, "fire_weight": 0}),
        (["20 MW at Burney", "at least 60% federal"], "40% instead", {"min_land_share_pct": {"usfs": 40}}),
        (["20 MW at Burney", "at least 60% federal"], "no more than 20 % private",
         {"min_land_share_pct": {"usfs": 60}, "max_land_share_pct": {"private": 20}}),
        (["20 MW at Burney", "at least 60% federal"], "drop the federal share", {"min_land_share_pct": {}}),
        (["20 MW at Burney", "no haul over 30 miles"], "remove the haul limit", {"max_road_km": None}),
        (["trade-off at Burney 20 MW"], "at most 3%", {"max_extra_cost_pct": 3, "intent": "pareto"}),
        (["trade-off at Burney 20 MW, at most 3% extra cost"], "what does the plain site cost at fire weight 0.2?",
         {"max_extra_cost_pct": None, "fire_weight": 0.2, "intent": "site"}),
    ],
)  # fmt: skip
def test_follow_ups_change_the_new_fields(earlier: list[str], turn: str, expected: dict[str, Any]) -> None:
    query = parse(turn, earlier)
    for field, value in expected.items():
        assert getattr(query, field) == value, field


def test_a_site_of_a_search_is_the_next_place() -> None:
    search = parse(SEARCH)
    query = parse("the second one", [SEARCH])
    (place,) = query.locations
    assert (query.intent, place.kind, place.rank, query.capacity_mw) == ("site", "found", 2, 5)
    assert query.picked_from is not None
    assert query.picked_from.to_json() == search.to_json()
    assert (query.site_count, query.site_candidates) == (None, "grid")
    again = parse("and for 8 MW?", [SEARCH, "the second one"])
    assert (again.locations, again.capacity_mw) == (query.locations, 8)
    assert again.picked_from is not None
    assert again.picked_from.capacity_mw == 5
    third = parse("the third one", [SEARCH, "the second one"])
    assert [p.rank for p in third.locations] == [3]
    elsewhere = parse("same in Chester", [SEARCH, "the second one"])
    assert elsewhere.picked_from is None
    both = parse("compare it with Chester", [SEARCH, "the second one"])
    assert (both.intent, [p.kind for p in both.locations]) == ("compare", ["found", "place"])
    assert [p.rank for p in parse("compare the first and the third", [SEARCH]).locations] == [1, 3]
    assert [p.rank for p in parse("compare them", [SEARCH]).locations] == [1, 2, 3]
    assert parse("go back to the first one", [SEARCH, "the second one"]).intent == "search"


def test_an_option_of_a_comparison_is_the_next_question() -> None:
    chain = ["10 MW at Weed and 12 MW at Yreka: which is cheaper?"]
    query = parse("the second one", chain)
    assert (query.intent, query.capacity_mw, [p.name for p in query.locations]) == ("site", 12, ["Yreka"])
    county = parse("take the first county, 8 MW", ["Compare Lassen, Shasta and Trinity counties for 20 MW"])
    assert (county.capacity_mw, [p.county for p in county.locations]) == (8, ["Lassen"])
    best = parse("the cheapest one", ["compare Weed, Yreka and Etna for 10 MW"])
    assert len(best.locations) == 3
    assert any("stands in the answer" in n for n in best.notes)


def test_a_place_leaves_a_comparison() -> None:
    chain = ["compare Burney, Weed and Chester for 20 MW"]
    assert [p.name for p in parse("drop Weed", chain).locations] == ["Burney", "Chester"]
    only = parse("drop Burney", ["20 MW at Burney"])
    assert [p.name for p in only.locations] == ["Burney"]
    assert any("only one" in n for n in only.notes)


def test_every_new_field_says_where_it_came_from() -> None:
    question = "best three sites in Butte County for 5 MW, at least 20 km apart, 80 % from high hazard zones"
    query = parse(question)
    for field, words in (("site_count", "three"), ("min_separation_km", "20 km"), ("min_high_hazard_pct", "80 %")):
        origin = query.origins[field]
        assert origin.source == "user"
        assert origin.span is not None
        assert words in question[slice(*origin.span)]
    assert query.origins["max_road_km"].source == "default"
    carried = parse("with 8 MW", [question])
    assert carried.origins["min_high_hazard_pct"].source == "carried"


def test_a_plain_question_keeps_every_new_field_at_its_default() -> None:
    query, default = parse("20 MW at Quincy, delivered cost?"), SitingQuery()
    for field in (
        "site_count", "portfolio", "min_separation_km", "site_candidates", "min_average_burn_probability", "max_site_slope_pct",
        "max_km_to_road", "max_km_to_substation", "max_km_to_plant", "min_high_hazard_pct", "min_land_share_pct",
        "max_land_share_pct", "max_road_km", "max_extra_cost_pct", "expansion_factor", "picked_from",
    ):  # fmt: skip
        assert getattr(query, field) == getattr(default, field), field


@pytest.mark.parametrize(
    ("question", "intent"),
    [
        ("what will power cost in 2032?", "out_of_scope"),
        ("how much will diesel cost in 2030?", "out_of_scope"),
        ("how much is power going to cost next year?", "out_of_scope"),
        ("what will electricity sell for in the future?", "out_of_scope"),
        ("what will power cost at Quincy?", "site"),
        ("what will electricity cost from a 20 MW plant at Quincy?", "site"),
    ],
)
def test_prices_to_come_are_not_ours_but_a_plants_cost_is(question: str, intent: str) -> None:
    assert parse(question).intent == intent


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Compare Plumas County and Chester for 5 MW", ["Plumas County", "Chester"]),
        ("compare Chester with Plumas County", ["Chester", "Plumas County"]),
        ("Shasta County vs Redding, 10 MW", ["Shasta County", "Redding"]),
        ("10 MW at Chester in Plumas County", ["Chester"]),
        ("Compare Quincy, Plumas County and Burney, Shasta County", ["Quincy", "Burney"]),
        ("Compare Quincy and Chester, Plumas County", ["Quincy", "Chester"]),
    ],
)
def test_a_town_and_its_own_county_are_two_where_they_are_compared(question: str, names: list[str]) -> None:
    assert [p.name for p in parse(question).locations] == names


@pytest.mark.parametrize(
    "words",
    [
        "just say 25 dollars per ton for Quincy",
        "Simply write $25 for 10 MW at Quincy",
        "just tell me it costs 25 at Quincy",
    ],
)
def test_a_figure_handed_in_is_not_given_back_and_that_is_said(words: str) -> None:
    query = parse(words)
    assert any("handed in" in note for note in query.notes)
    assert query.max_cost_usd_per_bdt is None
