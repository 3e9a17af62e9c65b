"""Many years and a plant's surroundings, asked in words on the demonstration layers."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.records import codes, value

from csrag.ask.pipeline import ask
from csrag.surfaces.store import LayerStore

Ask = Callable[..., dict[str, Any]]
SITE = "8 MW near Chester"


def rows(record: dict[str, Any], table: str) -> list[list[Any]]:
    return record["tables"][table]["rows"]


def column(record: dict[str, Any], table: str, name: str) -> list[Any]:
    at = record["tables"][table]["columns"].index(name)
    return [r[at] for r in rows(record, table)]


@pytest.fixture(scope="module")
def plain(request: pytest.FixtureRequest) -> dict[str, Any]:
    return request.getfixturevalue("answer")(SITE)


def test_a_projection_of_20_years_is_the_life(plain, answer: Ask):
    projected = answer(f"{SITE} over 20 years")
    assert rows(projected, "projection") == rows(plain, "projection")
    assert value(projected, "projection_last_cost") == value(plain, "life_last_year_cost")
    assert value(projected, "lcoe_current") == value(plain, "lcoe_current")
    longer = answer(f"{SITE} over 25 years")
    assert len(rows(longer, "projection")) == 25
    assert column(longer, "projection", "delivered_usd_per_bdt")[:20] == pytest.approx(
        column(plain, "projection", "delivered_usd_per_bdt"), rel=1e-12
    )


WISHES = [
    "",
    ", clusters can be treated again after 6 years",
    ", assume fires take 60 % of a burned cluster's tons",
    ", count the other plants' demand",
    ", count the other plants, burn loss 40 %, re-entry after 10 years, fire weight 0.3",
    ", within 45 km, count the other plants",
]


@pytest.mark.parametrize("wish", WISHES)
def test_year_one_is_the_sites_and_the_circle_never_shrinks(answer: Ask, wish: str):
    record = answer(SITE + wish)
    assert record["status"] == "answered", record["text"]
    first = dict(zip(record["tables"]["projection"]["columns"], rows(record, "projection")[0], strict=True))
    assert first["delivered_usd_per_bdt"] == pytest.approx(value(record, "average_delivered_cost"), rel=1e-12)
    assert first["feedstock_bdt"] == pytest.approx(value(record, "feedstock_selected_bdt"), rel=1e-12)
    assert first["clusters"] == value(record, "selected_clusters")
    assert first["radius_km"] == value(record, "radius_km")
    radii = column(record, "projection", "radius_km")
    assert radii == sorted(radii)


def test_reentry_shortens_the_reach(plain, answer: Ask):
    record = answer(f"{SITE}, clusters can be treated again after 6 years")
    assert value(record, "life_radius_km") < value(plain, "life_radius_km")
    assert value(record, "life_average_delivered_cost") < value(plain, "life_average_delivered_cost")
    assert value(record, "reentered_clusters") > 0
    assert (
        column(record, "projection", "delivered_usd_per_bdt")[:6]
        == column(plain, "projection", "delivered_usd_per_bdt")[:6]
    )
    assert "cut once" not in record["text"]
    assert "with its first yield" in record["text"]


def test_burn_loss_gives_a_band_that_is_seeded(demo: LayerStore, plain, answer: Ask):
    question = f"{SITE}, assume fires take 60 % of a burned cluster's tons"
    record = answer(question)
    for name in ("life_average_cost", "life_last_year"):
        low, middle, high = (value(record, f"{name}_{p}") for p in ("p05", "p50", "p95"))
        assert low <= middle <= high
        assert low < high
    assert value(record, "life_average_cost_p50") == value(record, "life_average_delivered_cost")
    assert value(record, "life_average_delivered_cost") > value(plain, "life_average_delivered_cost")
    assert value(record, "average_delivered_cost") == value(plain, "average_delivered_cost")
    assert len(rows(record, "burn_repeats")) == value(record, "burn_repeats") == 40
    assert sum(column(record, "burn_repeats", "shown")) == 1
    assert value(record, "exhaustion_year_p50") is None
    assert record["values"]["exhaustion_year_p50"]["basis"]
    assert "burn_loss_assumed" in codes(record)
    assert "repeats" in record["text"]

    def body(text: str) -> str:
        whole = ask(demo, text).to_json()
        return json.dumps({k: whole[k] for k in ("values", "tables", "text", "claims", "warnings")}, sort_keys=True)

    assert body(question) == body(question)


def test_a_burn_loss_of_nothing_is_the_plain_answer(plain, answer: Ask):
    record = answer(f"{SITE}, burn loss 0 %")
    assert record["query"]["burn_loss_pct"] == 0
    assert rows(record, "projection") == rows(plain, "projection")
    assert value(record, "life_average_cost_p05") == value(record, "life_average_cost_p95")
    assert value(record, "burn_repeats") == 1


def test_other_plants_choose_first(plain, answer: Ask):
    record = answer(f"{SITE}, count the other plants' demand")
    assert value(record, "average_delivered_cost") > value(plain, "average_delivered_cost")
    assert value(record, "life_average_delivered_cost") > value(plain, "life_average_delivered_cost")
    assert value(record, "other_plants_count") == len(rows(record, "other_plants")) > 0
    assert value(record, "other_plants_taken_bdt") >= value(record, "other_plants_demand_bdt") * 0.9
    assert "taken by other plants" in column(record, "excluded", "reason")
    message = next(w["message"] for w in record["warnings"] if w["code"] == "other_plants_assumed")
    assert "assumed" in message
    assert "Collins Pine Chester" in column(record, "other_plants", "name")
    assert all("assumed" in basis for basis in column(record, "other_plants", "basis"))
    assert "other_plants_count" not in plain["values"]


def ask_with_table(demo: LayerStore, tmp_path: Path, text: str) -> dict[str, Any]:
    path = tmp_path / "plants.csv"
    path.write_text(text, encoding="utf-8")
    return json.loads(json.dumps(ask(demo, SITE, plants_file=path).to_json()))  # type: ignore[no-any-return]


def test_a_table_of_ones_own(demo: LayerStore, tmp_path: Path, plain):
    empty = ask_with_table(demo, tmp_path, "name,lat,lon,mw\n")
    assert rows(empty, "projection") == rows(plain, "projection")
    # Neighbours are named only where none are counted; every other value must be the plain one's.
    same = {k: v for k, v in plain["values"].items() if k != "plants_in_circle_bdt"}
    assert {k: v for k, v in empty["values"].items() if k in same} == same
    assert "no_other_plants" in codes(empty)
    near = ask_with_table(demo, tmp_path, "name,lat,lon,bdt_per_year\nNeighbour,40.31,-121.23,60000\n")
    assert near["query"]["other_plants"] == "plants.csv"
    assert value(near, "other_plants_count") == 1
    assert value(near, "average_delivered_cost") > value(plain, "average_delivered_cost")
    assert "Neighbour" in next(w["message"] for w in near["warnings"] if w["code"] == "other_plants_assumed")


def test_a_bad_table_is_refused_in_words(demo_layers: Path, tmp_path: Path):
    bad = tmp_path / "bad.csv"
    bad.write_text("name,lat,lon,mw\nA,40.1,-121.0,lots\n", encoding="utf-8")
    for path, says in ((bad, "Line 2"), (tmp_path / "none.csv", "cannot be read")):
        done = subprocess.run(
            [sys.executable, "-m", "csrag", "ask", SITE, "--data", str(demo_layers), "--plants", str(path), "--json"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 2, done.stderr
        assert "Traceback" not in done.stderr
        record = json.loads(done.stdout)
        assert record["status"] == "refused"
        assert says in record["text"]


def test_a_power_line_stands_apart_and_is_off_unless_asked(plain, answer: Ask):
    assert "line_usd" not in plain["values"]
    assert "a power line is not in it" in plain["text"]
    record = answer(f"{SITE} with a 6.5 km power line")
    assert value(record, "radius_km") == value(plain, "radius_km")
    assert value(record, "lcoe_without_line_current") == value(plain, "lcoe_current")
    assert value(record, "lcoe_current") == pytest.approx(
        value(plain, "lcoe_current") + value(record, "line_usd_per_mwh")
    )
    assert value(record, "line_usd") > 0
    assert "line_cost_not_monotonic" not in codes(record)
    assert "line_reference_model" in codes(record)
    for length in ("2.9 miles", "3 miles", "10 miles", "17 km"):
        near = answer(f"{SITE} with a {length} power line")
        assert "line_cost_not_monotonic" in codes(near), length
    steps = [value(answer(f"{SITE} with a {m} mile power line"), "line_usd") for m in (2.99, 3, 10, 10.01)]
    assert steps[0] > steps[1]
    assert steps[2] > steps[3]


@pytest.mark.parametrize("technology", ["combustion", "chp", "gasification"])
def test_no_fuel_credit_where_biogenic_co2_counts(answer: Ask, technology: str):
    record = answer(f"{SITE}, {technology}, with LCFS credit")
    assert value(record, "lcfs_credit_usd") == 0
    assert value(record, "lcoe_with_lcfs_current") == value(record, "lcoe_current")
    low, high = {"combustion": (430, 530), "chp": (300, 370), "gasification": (270, 330)}[technology]
    assert low < value(record, "lcfs_intensity_g_per_mj") < high
    assert len(rows(record, "lcfs")) == 20
    years = column(record, "lcfs", "carbon_intensity_g_per_mj")
    assert years[0] > max(years[1:])  # construction is booked on year one, as in the reference
    assert "no_lcfs_credit" in codes(record)
    assert "There is no credit" in record["text"]
    assert "biogenic CO2 included" in record["text"]


def test_emissions_are_always_there_and_said_when_asked(plain, answer: Ask):
    asked = answer("What are the emissions of 8 MW near Chester?")
    assert asked["query"]["emissions"]
    assert {k: v for k, v in asked["values"].items() if k in plain["values"]} == plain["values"]
    assert rows(asked, "emissions") == rows(plain, "emissions")
    assert "biogenic CO2 included" in asked["text"]
    assert "kg of CO2 per MWh" in asked["text"]
    assert "kg of CO2 per MWh" not in plain["text"]
    assert {"biogenic_co2_included", "equipment_left_out"} <= codes(asked)
    assert "biogenic_co2_included" not in codes(plain)
    assert "biogenic CO2 included" in plain["values"]["co2_kg_per_mwh"]["label"]
    assert 1500 < value(plain, "conversion_co2_kg_per_mwh") < 1650
    assert 10 < value(plain, "supply_co2_kg_per_mwh") < 100


def test_tfb80_has_emissions_too(answer: Ask):
    record = answer(f"emissions of {SITE}, TFB80, helicopter allowed")
    assert record["status"] == "answered"
    assert value(record, "co2_kg_per_mwh") > 0
    assert "TFB80" in next(w["message"] for w in record["warnings"] if w["code"] == "equipment_left_out")


def test_a_user_of_tons_has_emissions_of_the_plant_they_run(answer: Ask):
    record = answer("60,000 BDT a year at Chester with a 5 km power line")
    assert value(record, "co2_kg_per_mwh") > 0
    assert value(record, "line_usd") > 0


@pytest.mark.parametrize(
    ("wish", "says"),
    [("with a 900 km power line", "line_km"), ("burn loss 140 %", "burn_loss_pct")],
)
def test_what_has_no_meaning_is_refused(answer: Ask, wish: str, says: str):
    record = answer(f"{SITE}, {wish}")
    assert record["status"] == "refused"
    assert record["exit_code"] == 2
    assert says in record["text"]


def test_char_and_dual_fuel_of_a_gasifier(answer: Ask):
    site = "3 MW gasification near Chester"
    free, sold = answer(site), answer(f"{site}, char sells at $200 per tonne")
    assert value(free, "char_income_usd_per_mwh") == 0
    assert value(free, "dual_fuel_usd_per_mwh") > 0
    assert "dual_fuel" in codes(free)
    # Ash 5 % of the wet feed over 70 % of char that is not carbon, as in the reference.
    tonnes = value(sold, "demand_gt") * 0.90718474 * 0.05 / 0.7
    income = value(sold, "char_income_usd_per_mwh")
    assert income == pytest.approx(tonnes * 200 / value(sold, "generation_mwh"), rel=1e-9)
    assert value(sold, "lcoe_current") < value(free, "lcoe_current")
    assert "char_overstated" in codes(sold)
    assert "Char sales" in sold["text"]
    assert answer(f"{site}, dual fuel 0 %")["values"]["dual_fuel_usd_per_mwh"]["value"] == 0


def test_a_line_has_its_cost_where_the_supply_ends_early(answer: Ask):
    record = answer("20 MW at Chester within 25 km with a 6 km power line")
    assert value(record, "lcoe_current") is None
    assert value(record, "line_usd") > 0
    assert record["values"]["line_usd_per_mwh"]["basis"]
    assert "power line" in record["text"]
