"""Stock-taking, as it is asked: the questions of planners, the system mix, one demand, any treatment."""

from __future__ import annotations

import json

import pytest
from tests.support.lookup import haversine, small_set, take_stock
from tests.support.records import codes, value

from csrag.ask.pipeline import ask

QUESTIONS = {
    "Tuolumne": "How much SDI-55 residue is in Tuolumne County, in BDT and GT?",
    "Modoc": "What is Modoc County like for forest biomass?",
    "Happy Camp": "Who owns the forest within 20 miles of Happy Camp?",
}


@pytest.fixture(scope="module")
def regions(tmp_path_factory):
    folder = tmp_path_factory.mktemp("regions")
    return {
        name: small_set(folder / name.replace(" ", "-"), name, n=900, treatments=("SDI55", "TFB40"))
        for name in QUESTIONS
    }


@pytest.mark.parametrize("name", list(QUESTIONS))
def test_the_questions_of_the_issue_are_answered_by_the_loops(regions, name):
    from csrag.interfaces.maps.answers import scene_of
    from csrag.interfaces.maps.geojson import geojson_of

    store = regions[name]
    result = ask(store, QUESTIONS[name])
    record = json.loads(json.dumps(result.to_json(), allow_nan=False))
    assert (record["status"], record["query"]["intent"]) == ("answered", "lookup"), record["text"]
    if name == "Happy Camp":
        place, km = result.query.locations[0], 20 * 1.609344
        twin = take_stock(store, lambda _r, lat, lon: haversine(place.lat, place.lon, lat, lon) <= km, "SDI55")
    else:
        code = store.manifest.codes["county"].index(name)
        twin = take_stock(store, lambda row, *_: int(store.column("county")[row]) == code, "SDI55")
    assert twin.clusters > 20
    assert value(record, "stock_bdt") == pytest.approx(twin.bdt)
    assert value(record, "stock_gt") == pytest.approx(2 * twin.bdt)
    for owner, acres in twin.owner_acres.items():
        assert value(record, f"owner_{owner}_acres") == pytest.approx(acres)
        assert value(record, f"owner_{owner}_pct") == pytest.approx(100 * acres / twin.forest_acres)
    assert "synthetic_data" in codes(record)
    assert {"treatments", "ownership", "hazard_classes", "slope_classes", "stock_systems"} <= set(record["tables"])
    assert "BDT" in record["text"]
    assert "green tons at 50 % moisture" in record["text"]
    assert len(json.loads(geojson_of(scene_of(result, store)))["features"]) > twin.forest_clusters


@pytest.mark.case("A30")
def test_system_mix_is_of_what_is_taken_and_apart_of_all(answer, demo):
    record = answer("25 MW at Quincy: system mix?")
    table = record["tables"]["system_mix"]
    column = {name: [row[i] for row in table["rows"]] for i, name in enumerate(table["columns"])}
    assert sum(column["selected_share_pct"]) == pytest.approx(100)
    assert sum(column["pool_share_pct"]) == pytest.approx(100)
    assert column["selected_share_pct"] != pytest.approx(column["pool_share_pct"], abs=0.5)
    assert sum(column["selected_bdt"]) == pytest.approx(value(record, "feedstock_selected_bdt"))
    assert sum(column["pool_bdt"]) == pytest.approx(value(record, "feedstock_available_bdt"))
    assert sum(column["selected_clusters"]) == value(record, "selected_clusters")
    taken = set(record["selected"])
    rows = [r for r in range(len(demo)) if int(demo.column("cluster_no")[r]) in taken]
    t = demo.manifest.treatment_names.index("SDI55")
    by_system: dict[str, int] = {}
    for row in rows:
        costs = demo.column("cost_usd_per_bdt")[t][:8, row].tolist()
        best = min((c, i) for i, c in enumerate(costs) if c == c)[1]
        by_system[demo.manifest.systems[best]] = by_system.get(demo.manifest.systems[best], 0) + 1
    assert dict(zip(column["system"], column["selected_clusters"], strict=True)) | by_system == {
        **dict.fromkeys(column["system"], 0), **by_system
    }  # fmt: skip
    assert "of the tons taken" in record["text"].lower()
    assert "of all candidates'" in record["text"]


@pytest.mark.case("A30")
def test_a_stock_taking_with_a_plant_has_both_mixes(demo):
    from csrag.ask.decisions.lookup import take_stock as stock_taking
    from csrag.ask.intent import parse
    from csrag.ask.run import Run, Trace

    query = parse("25 MW at Quincy").with_(intent="lookup", radius_km=40.0)
    analysis, catchment = stock_taking(Run(demo, query, query.locations[0], Trace()), [])
    assert catchment is not None
    mix = analysis.tables["system_mix"]
    assert sum(row[mix.columns.index("selected_share_pct")] for row in mix.rows) == pytest.approx(100)
    pool = analysis.tables["stock_systems"]
    of_pool = {row[0]: row[pool.columns.index("share_pct")] for row in pool.rows}
    of_mix = {row[0]: row[mix.columns.index("pool_share_pct")] for row in mix.rows}
    assert of_mix == pytest.approx(of_pool)


def test_every_treatment_is_that_of_its_own_question(answer):
    whole = answer("How much biomass is in Plumas County?")
    table = whole["tables"]["treatments"]
    at = table["columns"].index("feedstock_bdt")
    by_name = {row[0]: row[at] for row in table["rows"]}
    assert len(by_name) == 11
    for name in ("RMI100", "TFB40", "TFA80"):
        alone = answer(f"How much {name} biomass is in Plumas County?")
        assert value(alone, "stock_bdt") == pytest.approx(by_name[name])


def test_owners_add_up_and_parks_stand_apart(answer):
    record = answer("Who owns the forest within 20 miles of Chester?")
    owners = [v["value"] for k, v in record["values"].items() if k.startswith("owner_") and k.endswith("_acres")]
    assert sum(owners) == pytest.approx(value(record, "forest_acres"))
    assert value(record, "protected_acres") > 0
    assert record["text"].startswith("The forest is ")


def test_a_place_outside_the_layers_is_refused_with_the_reason(answer):
    record = answer(QUESTIONS["Tuolumne"])
    assert (record["status"], record["exit_code"]) == ("refused", 3)
    assert "Tuolumne" in record["text"]
    assert all(v["value"] is None or k.startswith("stated_") for k, v in record["values"].items())


def test_a_county_partly_outside_says_how_much(answer):
    record = answer("How much SDI55 biomass is in Sierra County?")
    assert record["status"] == "answered"
    assert 0 < value(record, "data_edge_share") < 1


def test_it_is_fast(answer):
    answer("How much SDI55 biomass is in Plumas County?")
    record = answer("What is Lassen County like for forest biomass?")
    assert sum(step["ms"] for step in record["trace"]) < 5000
