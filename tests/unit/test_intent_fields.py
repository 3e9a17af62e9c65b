"""Words and numbers to fields: the settled cases of the contract, one by one."""

from __future__ import annotations

import pytest

from csrag.ask.intent import parse

SITE = "10 MW at Quincy, "


@pytest.mark.parametrize(
    ("words", "mw"),
    [
        ("12 MW", 12), ("4,500 kW", 4.5), ("0.03 GW", 30), ("five megawatts", 5), ("twenty-five MW", 25), ("1,5 MW", 1.5),
        ("-5 MW", -5), ("capacity of 20", 20), ("3 meg", 3),
    ],
)  # fmt: skip
def test_capacity_in_any_unit(words: str, mw: float) -> None:
    assert parse(f"{words} at Quincy, delivered cost?").capacity_mw == pytest.approx(mw)


def test_a_range_sweeps_and_leaves_the_capacity_open() -> None:
    for words in ("20 to 30 MW", "20-30 MW", "20–30 MW", "between 20 and 30 MW"):
        query = parse(f"{words} at Oroville, cost?")
        assert query.capacity_range_mw == (20, 30)
        assert query.capacity_mw is None
        assert query.to_json()["capacity_range_mw"] == [20, 30]


def test_gigawatts_are_kept_and_the_likely_meaning_is_said() -> None:
    query = parse("25 GW at Quincy, cost?")
    assert query.capacity_mw == 25_000
    assert any("25 MW was probably meant" in n for n in query.notes)


def test_two_capacities_say_which_was_used() -> None:
    query = parse("There was a 30 MW plant in Burney once. What would fuel cost for 12 MW in Bieber?")
    assert query.capacity_mw == 12
    assert query.locations[0].name == "Bieber"
    assert any("12 MW is used" in n for n in query.notes)


@pytest.mark.parametrize(
    ("words", "bdt"),
    [
        ("80,000 BDT a year", 80_000),
        ("100,000 green tons a year at 45% moisture", 55_000),
        ("100,000 green tons a year", 50_000),
        ("50,000 bone-dry metric tonnes per year", 55_115.566),
        ("half a million tons a year", 500_000),
        ("200 BDT a day", 73_000),
    ],
)
def test_demand_on_any_basis(words: str, bdt: float) -> None:
    query = parse(f"A mill in Anderson needs {words}. Delivered cost?")
    assert query.demand_bdt == pytest.approx(bdt, rel=1e-6)
    assert query.capacity_mw is None


def test_bare_tons_say_their_basis() -> None:
    assert any("BDT" in n for n in parse("100,000 tons a year to Canby, cost?").notes)
    assert any("BDT" in n for n in parse("20 MW at Quincy, under $60 a ton. Cost?").notes)


@pytest.mark.parametrize(
    ("words", "km"),
    [
        ("within 25 miles", 40.2336), ("30-mile radius", 48.28032), ("radius 22,000 m", 22), ("40 km haul limit", 40),
        ("wood from at most 25 miles away", 40.2336), ("radius of 35", 35),
    ],
)  # fmt: skip
def test_radius(words: str, km: float) -> None:
    assert parse(SITE + words + ", cost?").radius_km == pytest.approx(km)


@pytest.mark.parametrize(
    "question",
    [
        "12 MW in Weed, the town about 10 miles north-west of Mount Shasta. Cost?",
        "Our site is 12 km east of Quincy. 15 MW. Cost?",
        "10 MW at Happy Camp, 70 miles from the coast, cost?",
        "Highway 36 runs past our lot in Chester. 10 MW, cost?",
        "I-5 runs by Weed; cost for 10 MW there?",
        "The county road is 14 miles long. 10 MW at Weed?",
    ],
)
def test_distances_and_numbers_that_describe_are_no_radius(question: str) -> None:
    query = parse(question)
    assert query.radius_km is None
    assert len(query.locations) == 1


def test_background_numbers_become_no_fields() -> None:
    query = parse(
        "Founded in 1994, 37 members. In 2021 the fire burned 963,000 acres and four consultants charged $40,000 each. "
        "What would fuel cost for a 9 MW plant in Portola?"
    )
    assert query.explicit == ("capacity_mw", "locations")
    assert query.capacity_mw == 9


@pytest.mark.parametrize(
    ("words", "treatment"),
    [
        ("clear cut", "RMI100"), ("complete removal", "RMI100"), ("light crown thin", "TFA20"), ("crown thin, heavy", "TFA60"),
        ("thin from above", "TFA40"), ("severe thinning from below", "TFB80"), ("understory thin 20 percent", "TFB20"),
        ("ladder fuels", "TFB40"), ("thin from below", "TFB40"), ("60 % thin from below", "TFB60"), ("medium density", "SDI55"),
        ("low density thinning", "SDI30"), ("SDI-30", "SDI30"), ("tfb 60", "TFB60"), ("SDI-30 instead of SDI-55", "SDI30"),
    ],
)  # fmt: skip
def test_treatment_words(words: str, treatment: str) -> None:
    assert parse(SITE + words + ", cost?").treatment == treatment


@pytest.mark.parametrize(
    ("words", "system"),
    [
        ("ground-based only", "ground"), ("whole-tree mechanised", "Ground-Based Mech WT"), ("cut to length", "Ground-Based CTL"),
        ("cable yarding", "cable"), ("helicopter only", "helicopter"), ("Ground-Based Manual Log", "Ground-Based Manual Log"),
        ("Cable Manual WT/Log", "Cable Manual WT/Log"), ("no cable", "ground"), ("no helicopters", "auto"),
    ],
)  # fmt: skip
def test_system_words(words: str, system: str) -> None:
    assert parse(SITE + words + ", cost?").system == system


@pytest.mark.parametrize(
    ("words", "weight"),
    [
        ("ignore fire", 0), ("cost only", 0), ("slightly favour stands likely to burn", 0.05), ("light weight on fire", 0.05),
        ("fire risk matters", 0.2), ("fire-aware", 0.2), ("account for wildfire", 0.2), ("moderate weight on fire", 0.2),
        ("fire is important", 0.4), ("fire is a high priority", 0.4), ("prioritise fire", 0.4), ("maximise fire benefit", 0.7),
        ("mostly about fire", 0.7), ("only fire", 1), ("30 % weight on fire", 0.3), ("fire weight 0.35", 0.35),
        ("alpha = 0.8", 0.2), ("fire_weight=0.15", 0.15), ("weigh cost and fire equally", 0.5), ("70% cost 30% fire", 0.3),
    ],
)  # fmt: skip
def test_fire_words(words: str, weight: float) -> None:
    query = parse(SITE + words)
    assert query.fire_weight == pytest.approx(weight)
    assert "fire_weight" in query.explicit


@pytest.mark.parametrize(
    "words", ["beside the fire station", "our fire department burns firewood", "after the Dixie Fire", "after the fire"]
)
def test_other_fires_are_no_weight(words: str) -> None:
    query = parse(f"10 MW at Greenville, {words}. Cost?")
    assert query.fire_weight == 0
    assert "fire_weight" not in query.explicit


@pytest.mark.parametrize(
    ("words", "cap", "kind"),
    [
        ("average under $65/BDT", 65, "average"), ("no ton above $80/BDT", 80, "last_ton"),
        ("marginal ton below $66 per bone-dry metric tonne", 59.874193, "last_ton"),
        ("average under $40 per green ton at 50% moisture", 80, "average"), ("capped at 70 dollars a ton", 70, "average"),
        ("keep the average cost under $65", 65, "average"),
    ],
)  # fmt: skip
def test_caps(words: str, cap: float, kind: str) -> None:
    query = parse(f"Largest plant at Burney, {words}")
    assert query.intent == "max_capacity"
    assert query.max_cost_usd_per_bdt == pytest.approx(cap, rel=1e-6)
    assert query.max_cost_kind == kind


def test_a_unit_alone_is_no_cap_and_what_we_pay_is_none_either() -> None:
    assert parse("15MW Alturas. $/BDT?").max_cost_usd_per_bdt is None
    assert parse("We currently pay $70/BDT. What would 10 MW cost at Alturas?").max_cost_usd_per_bdt is None


@pytest.mark.parametrize(
    ("words", "land"),
    [
        ("private land only", ("private",)), ("national forest land", ("usfs",)), ("add BLM land", ("private", "usfs", "blm")),
        ("no federal forest, just private ground", ("private",)), ("Forest Service and BLM land only", ("usfs", "blm")),
        ("excluding national forest land", ("private",)), ("tribal land only", ("tribal",)),
        ("private + USFS + BLM", ("private", "usfs", "blm")), ("from Plumas National Forest land only", ("usfs",)),
    ],
)  # fmt: skip
def test_land_use(words: str, land: tuple[str, ...]) -> None:
    assert parse(SITE + words + ", cost?").land_use == land


@pytest.mark.parametrize(
    ("words", "pct"),
    [
        ("nothing steeper than 35%", 35), ("slopes under 20 degrees", 36.397023), ("max slope 30", 30),
        ("nothing steeper than 1 in 4", 25),
    ],
)  # fmt: skip
def test_slope(words: str, pct: float) -> None:
    assert parse(SITE + words + ", cost?").max_slope_pct == pytest.approx(pct, rel=1e-6)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("capacity factor 0.85", {"capacity_factor_pct": 85}),
        ("capacity factor 85 %", {"capacity_factor_pct": 85}),
        ("diesel at $6.25 a gallon", {"diesel_usd_per_gal": 6.25}),
        ("diesel doubles", {"diesel_usd_per_gal": 9.0}),
        (
            "70% debt at 6% interest, 14% return on equity",
            {"debt_ratio_pct": 70, "debt_interest_pct": 6, "equity_return_pct": 14},
        ),
        (
            "interest 7%, 60% debt, 15% return on equity",
            {"debt_ratio_pct": 60, "debt_interest_pct": 7, "equity_return_pct": 15},
        ),
        ("economic life 25 years", {"economic_life_y": 25}),
        ("truckers earn $32 an hour", {"driver_wage_usd_per_h": 32}),
        ("capital cost $45 million", {"capital_usd": 45e6}),
        ("capex $4,000/kW", {"capital_usd": 40e6}),
        ("trucks at 35 mph", {"speed_km_per_h": 56.32704}),
    ],
)
def test_overrides(words: str, expected: dict[str, float]) -> None:
    query = parse(SITE + words + ", LCOE?")
    assert dict(query.overrides) == pytest.approx(expected)
    assert query.years == 1
    assert {f"overrides.{name}" for name in expected} <= set(query.explicit)


def test_other_fields() -> None:
    assert parse(SITE + "use the road network").transport == "network"
    assert parse(SITE + "nearest first, as FRREDSS does").selection == "proximity"
    assert parse(SITE + "burn the whole tree").feedstock == "whole_tree"
    assert parse(SITE + "Ground-Based Mech WT").feedstock == "residue"
    assert parse(SITE + "practical availability").availability == "practical"
    assert parse(SITE + "only stands with at least 1% annual burn probability").min_burn_probability == pytest.approx(
        0.01
    )
    assert parse("I have $6 million a year for fuel in Sonora. What size plant?").budget_usd_per_year == 6e6
    assert parse("3 mw gassifier in camptonvile, cost").technology == "gasification"


def test_years_ahead_not_behind() -> None:
    assert parse("Project 20 MW at Burney over 15 years").years == 15
    assert parse("10 MW at Burney over the next decade").years == 10
    assert parse("The mill in Chester closed 15 years ago. Fuel for 10 MW there?").years == 1
    assert parse("We have owned a lot in Anderson since 2011. Fuel for 18 MW?").years == 1


def test_a_weight_and_a_capacity_side_by_side_are_no_list() -> None:
    query = parse("Redding, alpha 0.8, 20 MW")
    assert (query.fire_weight, query.capacity_mw, query.compare) == (pytest.approx(0.2), 20, ())
    assert parse("Redding, capacity factor 0.9, 20 MW").capacity_mw == 20


def test_what_a_question_compares() -> None:
    def compared(question: str) -> list[object]:
        query = parse(question)
        assert query.intent == "compare"
        return [value for variant in query.compare for value in variant.values()]

    assert compared("Cost with fire weights 0, 0.2 and 0.4 at Quincy, 10 MW") == [0, 0.2, 0.4]
    assert compared("Compare a 30 km radius with a 60 km radius, 10 MW, Quincy") == [30, 60]
    assert compared("Which harvesting system is cheapest at Hayfork, 10 MW?") == ["ground", "cable", "helicopter"]
    assert len(compared("Compare all treatments at Burney for 10 MW")) == 11
    assert compared("Compare cost with and without fire weighting, 15 MW at Oakhurst") == [0, 0.2]


def test_years_that_are_told_and_years_that_are_asked() -> None:
    told = "My family cut timber here for 40 years and the mill burned twice. What would a 7 MW plant at Westwood pay for chips?"
    assert (parse(told).intent, parse(told).years) == ("site", 1)
    assert parse("Run 12 MW at Chester for 25 years").years == 25


def test_a_split_between_cost_and_fire_and_weekly_tons() -> None:
    assert parse(SITE + "80/20 cost to fire").fire_weight == pytest.approx(0.2)
    query = parse("Supply 1,000 green tons a week at 40% to Quincy, cost?")
    assert query.demand_bdt == pytest.approx(31_200)
    assert dict(query.overrides) == {"moisture_pct": 40}
