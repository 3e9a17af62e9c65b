"""What a reader of the parser found missing: every number and wish is read, or a note says that it is not."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import pytest

from csrag.ask.intent import parse, years
from csrag.places.gazetteer import towns
from csrag.places.utm import utm_to_lat_lon

SITE = "10 MW at Quincy, "
CREDIT = "production_tax_credit_usd_per_kwh"


@pytest.mark.parametrize(
    ("question", "usd"),
    [
        ("Can we afford a 10 MW plant at Chester on 2 million dollars of fuel a year?", 2e6),
        ("10 MW at Chester on two million dollars of fuel a year", 2e6),
        ("10 MW at Chester on $2M of fuel a year", 2e6),
        ("10 MW at Chester on $1.5 million worth of wood per year", 1.5e6),
        ("10 MW at Chester with a fuel bill of at most $3,000,000", 3e6),
        ("10 MW at Chester, spend no more than $2.5M a year on fuel", 2.5e6),
        ("10 MW at Chester on $200,000 of fuel a month", 2.4e6),
    ],
)  # fmt: skip
def test_money_for_fuel_is_a_budget(question: str, usd: float) -> None:
    query = parse(question)
    assert query.budget_usd_per_year == pytest.approx(usd)
    assert query.capacity_mw == 10


def test_a_budget_for_a_plant_is_no_fuel_budget() -> None:
    assert parse("Can we afford 10 MW at Chester for $2,000,000?").budget_usd_per_year == 2e6
    assert parse("Can we afford an $80 million plant of 10 MW at Chester?").budget_usd_per_year is None


def test_what_a_budget_builds_is_the_largest_plant() -> None:
    query = parse("What can we build at Chester on two million dollars of fuel a year?")
    assert (query.intent, query.budget_usd_per_year) == ("max_capacity", 2e6)


@pytest.mark.parametrize(
    ("words", "usd_per_kwh"),
    [
        ("with a PTC of $15/MWh", 0.015), ("45Y credit 1.5 c/kWh", 0.015), ("a tax credit of 1.5 cents per kWh", 0.015),
        ("$15/MWh production tax credit", 0.015), ("production tax credit 0.03 $/kWh", 0.03), ("PTC: $27.50 per MWh", 0.0275),
        ("a production tax credit of $0.015", 0.015), ("a production tax credit of $15", 0.015), ("PTC of 1.5 cents", 0.015),
    ],
)  # fmt: skip
def test_a_production_tax_credit_is_set(words: str, usd_per_kwh: float) -> None:
    query = parse(SITE + words)
    assert query.overrides == {CREDIT: pytest.approx(usd_per_kwh)}
    assert query.power_price_usd_per_mwh is None
    assert query.capacity_mw == 10


def test_a_tax_credit_beside_a_power_price() -> None:
    query = parse(SITE + "PPA of $140/MWh with a production tax credit of $15/MWh")
    assert query.power_price_usd_per_mwh == 140
    assert query.overrides[CREDIT] == pytest.approx(0.015)


def test_a_tax_credit_can_be_taken_back() -> None:
    first = SITE + "PTC of $15/MWh"
    assert CREDIT not in parse("without the PTC", [first]).overrides
    assert parse("and at 20 MW?", [first]).overrides[CREDIT] == pytest.approx(0.015)


@pytest.mark.parametrize(
    ("first", "second", "question"),
    [
        ("Loyalton", "Portola", "Is a 5 MW plant at Loyalton cheaper than one at Portola?"),
        ("Portola", "Loyalton", "Would Portola be cheaper than Loyalton for 5 MW?"),
        ("Weed", "Yreka", "which is better for 5 MW, Weed or Yreka"),
        ("Weed", "Yreka", "Is fuel for 5 MW more expensive at Weed than at Yreka?"),
        ("Weed", "Yreka", "Does Weed beat Yreka for 5 MW?"),
    ],
)  # fmt: skip
def test_cheaper_than_compares_both_places(first: str, second: str, question: str) -> None:
    query = parse(question)
    assert query.intent == "compare"
    assert [p.name for p in query.locations] == [first, second]
    assert query.capacity_mw == 5


def test_a_statement_about_other_towns_is_no_comparison() -> None:
    query = parse("Fuel at Weed is cheaper than at Yreka, we hear. What does it cost for 10 MW at Quincy?")
    assert [p.name for p in query.locations] == ["Quincy"]


@pytest.mark.parametrize(
    ("words", "mw"),
    [("2e1 MW", 20), ("10,000 horsepower", 7.457), ("25 hp", 0.01864), ("25 MWe", 25), ("25 MWth", 25), ("25 MW thermal", 25),
     ("9,000,000 watts", 9), ("-5 MW", -5), ("1.2e4 kW", 12)],
)  # fmt: skip
def test_capacity_is_read_in_what_it_is_written(words: str, mw: float) -> None:
    query = parse(f"{words} at Quincy, cost?")
    assert query.capacity_mw == pytest.approx(mw, rel=1e-3)
    assert [p.name for p in query.locations] == ["Quincy"]
    assert any("electrical" in n for n in query.notes) == ("th" in words)


def test_thermal_is_a_town_where_it_is_named() -> None:
    assert [p.name for p in parse("10 MW in Thermal, delivered cost?").locations] == ["Thermal"]


@pytest.mark.parametrize(
    "words",
    ["NaN MW", "1e400 MW", "25 M", "infinity MW", "xx MW", "a few megawatts", "25 MVA", "80 MMBtu/h", "?? MW", "25 W"],
)
def test_a_capacity_that_is_not_understood_is_said(words: str) -> None:
    query = parse(f"{words} at Quincy, delivered cost?")
    assert query.capacity_mw is None
    assert [n for n in query.notes if "was not understood; 25 MW is assumed" in n and words in n]


@pytest.mark.parametrize(
    "question",
    [
        "10 MW at Quincy, 5 m from the river", "How many MW can Quincy carry under $60/BDT?", "delivered cost at Quincy",
        "80,000 BDT a year at Quincy", "20 to 30 MW at Quincy", "largest plant in MW at Quincy under $50/BDT",
        "25 GW at Quincy", "biomass within 25 miles of Weed",
    ],
)  # fmt: skip
def test_nothing_is_said_of_capacities_that_are_understood_or_absent(question: str) -> None:
    assert not [n for n in parse(question).notes if "not understood" in n]


def test_a_boiler_rated_in_steam_is_no_demand() -> None:
    query = parse("60 t/h boiler at Quincy, cost?")
    assert query.demand_bdt is None
    assert any('"60 t/h" was not understood' in n for n in query.notes)


def test_a_follow_up_with_an_unread_capacity_keeps_the_earlier_one() -> None:
    query = parse("and for NaN MW?", ["12 MW at Quincy, cost?"])
    assert query.capacity_mw == 12
    assert any("12 MW is kept" in n for n in query.notes)


def test_the_later_of_a_negative_and_a_positive_capacity() -> None:
    query = parse("-5 MW at Quincy, I mean 30 MW")
    assert query.capacity_mw == 30
    query = parse("-5 MW or 30 MW at Quincy?")
    assert query.intent == "compare"


@pytest.mark.parametrize(
    ("words", "note"),
    [
        ("within 30 min", 'travel time ("within 30 min")'), ("within an hour's drive", "travel time"),
        ("a 45-minute haul", "travel time"), ("no more than two hours of trucking", "travel time"),
        ("wilderness included", "never cut"), ("include national parks", "never cut"),
        ("with a production tax credit", "needs its value"), ("with the ITC", "not modelled"),
        ("under 150 $/MWh", "cap on the cost of electricity"), ("LCOE below 15 c/kWh", "cap on the cost of electricity"),
        ("on 2 million dollars", '"2 million dollars" was not used'),
        ("LCOE of $150/MWh or less", "cap on the cost of electricity"), ("harvest in winter", "plays no part"),
    ],
)  # fmt: skip
def test_a_wish_without_a_field_is_noted(words: str, note: str) -> None:
    query = parse(SITE + words)
    assert any(note in n for n in query.notes), query.notes
    assert query.radius_km is None
    assert query.power_price_usd_per_mwh is None
    assert CREDIT not in query.overrides


def test_a_power_price_is_no_cap() -> None:
    for words in ("PPA of $150/MWh", "we sell power at up to $150/MWh", "power price under $150/MWh"):
        assert parse(SITE + words).power_price_usd_per_mwh == 150


def test_nautical_miles_and_bare_wages_are_read() -> None:
    assert parse(SITE + "within 50 nautical miles").radius_km == pytest.approx(92.6)
    query = parse(SITE + "wage 22.07")
    assert set(query.overrides.values()) == {22.07}
    assert len(query.overrides) == 3
    assert any("everyone's" in n for n in query.notes)
    assert not parse(SITE + "we pay $65 for chips").overrides


def test_wages_go_up_for_everyone_and_a_named_one_stays() -> None:
    query = parse(SITE + "wages up 10%")
    assert query.overrides["other_wage_usd_per_h"] == pytest.approx(22.07 * 1.1)
    assert len(query.overrides) == 3
    query = parse(SITE + "driver wage 25, wage 22")
    assert query.overrides["driver_wage_usd_per_h"] == 25
    assert query.overrides["faller_wage_usd_per_h"] == 22


@pytest.mark.parametrize("words", ["to protect Greenville from fire", "reduce fire risk around Greenville"])
def test_protecting_a_town_weighs_stands_and_says_so(words: str) -> None:
    query = parse(SITE + words)
    assert query.fire_weight == 0.2
    assert [p.name for p in query.locations] == ["Quincy"]
    assert any("how near they lie to Greenville does not count" in n for n in query.notes)


@pytest.mark.parametrize(
    ("words", "field", "value"),
    [
        ("whole tree", "feedstock", "whole_tree"), ("burn saw logs too", "feedstock", "whole_tree"),
        ("use the whole tree", "feedstock", "whole_tree"), ("including saw logs", "feedstock", "whole_tree"),
        ("roundwood too", "feedstock", "whole_tree"), ("sawtimber included", "feedstock", "whole_tree"),
        ("whole tree, ground-based", "feedstock", "whole_tree"),
        ("whole-tree and ground-based", "system", "ground"),
        ("whole-tree mechanised", "system", "Ground-Based Mech WT"), ("whole tree, mechanised", "system", "Ground-Based Mech WT"),
        ("whole tree harvesting", "system", "Ground-Based Mech WT"), ("WT system", "system", "Ground-Based Mech WT"),
        ("cable whole tree", "system", "Cable Manual WT"),
    ],
)  # fmt: skip
def test_whole_trees_are_burned_or_a_way_to_cut(words: str, field: str, value: Any) -> None:
    query = parse(SITE + words)
    assert getattr(query, field) == value
    assert (query.feedstock == "whole_tree") == (field == "feedstock")


def test_whole_tree_without_a_comma() -> None:
    assert parse("25 MW at Quincy whole tree").feedstock == "whole_tree"
    assert parse("Quincy 25 MW whole tree").feedstock == "whole_tree"


def test_whole_tree_beside_another_system_is_compared() -> None:
    for words in ("compare whole tree and cut to length", "cut to length or whole tree?"):
        query = parse(SITE + words)
        assert {v["system"] for v in query.compare} == {"Ground-Based CTL", "Ground-Based Mech WT"}
        assert query.feedstock == "residue"


@pytest.mark.parametrize(
    "words",
    [
        "10T 674900 4423000", "UTM zone 10 N 674900 E 4423000 N", "UTM 10N 674900 4423000", "10 T 674900E 4423000N",
        "674900 mE 4423000 mN, UTM zone 10", "UTM easting 674,900, northing 4,423,000 (zone 10)", "zone 10, N 4423000, E 674900",
    ],
)  # fmt: skip
def test_utm_is_read_and_said(words: str) -> None:
    query = parse(f"What does fuel cost for 12 MW at {words}?")
    assert query.capacity_mw == 12
    assert query.demand_bdt is None
    (site,) = query.locations
    assert (site.kind, site.county) == ("coordinates", "Plumas")
    assert (site.lat, site.lon) == (pytest.approx(39.93906, abs=1e-5), pytest.approx(-120.95292, abs=1e-5))
    assert any("UTM zone 10" in n for n in query.notes)


def test_utm_against_an_independent_projection() -> None:
    pyproj = pytest.importorskip("pyproj", reason="pyproj is not installed")
    for zone in (10, 11):
        back = pyproj.Transformer.from_crs(32600 + zone, 4326, always_xy=True)
        for easting in range(200_000, 850_001, 65_000):
            for northing in range(3_590_000, 4_660_001, 107_000):
                lon, lat = back.transform(easting, northing)
                assert utm_to_lat_lon(zone, easting, northing) == (
                    pytest.approx(lat, abs=1e-9),
                    pytest.approx(lon, abs=1e-9),
                )


@pytest.mark.parametrize(
    ("words", "note"),
    [
        ("W2QF+7X", "the plus code W2QF+7X is shortened"), ("///filled.count.soap", "three-word addresses"),
        ("UTM 674900 4423000", "need their zone"),
    ],
)  # fmt: skip
def test_codes_that_are_not_read_are_said(words: str, note: str) -> None:
    query = parse(f"10 MW at {words}")
    assert query.locations == ()
    assert query.capacity_mw == 10
    assert any(note in n for n in query.notes)


@pytest.mark.parametrize(
    ("question", "site", "mw", "other"),
    [
        ("10 MW in Weed then 12 MW in Yreka", "Weed", 10, "12 MW at Yreka was not answered"),
        ("a 30 MW plant at Oroville, afterwards a 5 MW gasifier near Quincy", "Oroville", 30, "5 MW at Quincy was not answered"),
    ],
)  # fmt: skip
def test_site_and_capacity_come_from_the_same_half(question: str, site: str, mw: float, other: str) -> None:
    query = parse(question)
    assert [p.name for p in query.locations] == [site]
    assert query.capacity_mw == mw
    assert any(other in n for n in query.notes)


def test_the_farallones_are_known_and_are_no_town() -> None:
    for words in ("50 MW Farallon", "50 MW on the Farallon Islands"):
        query = parse(words)
        (site,) = query.locations
        assert (site.name, site.kind) == ("Farallon Islands", "region")
        assert site.lon is not None
        assert site.lon < -122.9
    assert not [n for n in towns().name if "Farallon" in n]


@pytest.mark.parametrize(
    ("words", "count"),
    [
        ("2025 to 2045", 21),
        ("2027-2036", 10),
        ("until 2045", 20),
        ("cost through 2040", 15),
        ("project the cost to 2035", 10),
    ],
)
def test_calendar_years_are_a_length(words: str, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(years, "this_year", lambda: 2026)
    query = parse(SITE + words)
    assert (query.intent, query.years) == ("projection", count)
    assert any("both ends counted" in n for n in query.notes)


@pytest.mark.parametrize(
    "words", ["PPA until 2040", "the mill ran from 2001 to 2015", "the lease runs to 2050", "built by 2030"]
)
def test_calendar_years_of_something_else_are_none(words: str) -> None:
    assert parse(SITE + words).years == 1


def test_the_new_rules_keep_the_parse_fast() -> None:
    questions = [
        SITE + w for w in ("within 30 min", "PTC of $15/MWh", "2025 to 2045", "10T 674900 4423000", "whole tree")
    ] * 4
    for q in questions:
        parse(q)
    best = min(_seconds(questions) for _ in range(3))
    assert best / len(questions) < 0.005


def _seconds(questions: list[str]) -> float:
    start = perf_counter()
    for q in questions:
        parse(q)
    return perf_counter() - start


@pytest.mark.parametrize(
    ("question", "field", "expected"),
    [
        ("10 MW at Chester, economic life 0 years", "economic_life_y", 0),
        ("10 MW at Chester, economic life 0.5 years", "economic_life_y", 0.5),
        ("project 10 MW at Chester 0 years", "years", 0),
        ("I have a budget of $1 a year for fuel at Chester, how big a plant?", "budget_usd_per_year", 1),
    ],
)
def test_a_value_that_cannot_be_is_kept_for_the_check_to_refuse(question: str, field: str, expected: float) -> None:
    query = parse(question)
    assert query.overrides.get(field, getattr(query, field, None)) == expected
