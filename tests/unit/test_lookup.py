"""Stock-taking against plain loops over every cluster, in counties, circles, forests and polygons."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.support.lookup import haversine, small_set, take_stock

from csrag.ask.computation.lookup import forest_of, stock_of, weighted_quantiles
from csrag.ask.computation.lookup_tables import edge_names, nearest_km
from csrag.ask.pipeline import ask
from csrag.ask.records import Location, SitingQuery
from csrag.ask.results import Answer
from csrag.ask.retrieval.area_rows import rows_of
from csrag.ask.synthesis.template import write_answer
from csrag.geo import haversine_km
from csrag.interfaces.open import open_directory
from csrag.surfaces.catalog import SYSTEMS

TREATMENTS = ("RMI100", "SDI55", "TFB40")


@pytest.fixture(scope="module")
def tuolumne(tmp_path_factory):
    return small_set(tmp_path_factory.mktemp("lookup") / "set", "Tuolumne", treatments=TREATMENTS)


def value(answer: Answer, value_id: str) -> float:
    fact = answer.facts[value_id]
    assert fact.value is not None, (value_id, fact.basis)
    return fact.value


def county_rows(store, name):
    code = store.manifest.codes["county"].index(name)
    return lambda row, _lat, _lon: int(store.column("county")[row]) == code


def agrees(answer: Answer, twin, prefix: str = "") -> None:
    """Every figure of an answer against the loops."""

    def near(value_id, expected):
        assert value(answer, prefix + value_id) == pytest.approx(expected, rel=1e-9, abs=1e-6), value_id

    near("forest_clusters", twin.forest_clusters)
    near("forest_acres", twin.forest_acres)
    near("stock_clusters", twin.clusters)
    near("stock_acres", twin.acres)
    near("stock_bdt", twin.bdt)
    near("stock_gt", twin.bdt * 2)
    near("practical_bdt", twin.practical_bdt)
    near("nothing_to_remove_clusters", twin.nothing)
    near("infeasible_clusters", twin.infeasible)
    near("protected_acres", twin.protected_acres)
    near("protected_bdt", twin.protected_bdt)
    near("other_land_bdt", twin.other_bdt)
    near("unknown_burn_clusters", twin.burn_unknown)
    near("forest_burn_probability", twin.burn_acres / twin.burn_known_acres)
    near("stock_harvest_cost", sum(c * t for c, t in twin.costs) / sum(t for _, t in twin.costs))
    for owner, acres in twin.owner_acres.items():
        near(f"owner_{owner}_acres", acres)
        near(f"owner_{owner}_pct", 100 * acres / twin.forest_acres)


@pytest.mark.parametrize("treatment", TREATMENTS)
def test_a_county_is_what_plain_loops_count(tuolumne, treatment):
    answer = ask(tuolumne, f"How much {treatment} residue is in Tuolumne County, in BDT and GT?")
    assert answer.status == "answered", answer.text
    assert answer.query.intent == "lookup"
    twin = take_stock(tuolumne, county_rows(tuolumne, "Tuolumne"), treatment)
    assert twin.clusters > 50
    agrees(answer, twin)
    table = answer.tables["treatments"]
    row = next(r for r in table.rows if r[0] == treatment)
    assert row[table.columns.index("feedstock_bdt")] == pytest.approx(twin.bdt)
    assert row[table.columns.index("nothing_to_remove_clusters")] == twin.nothing
    assert [r[0] for r in table.rows] == list(TREATMENTS)


def test_classes_add_up_to_the_total_and_are_those_of_the_loops(tuolumne):
    answer = ask(tuolumne, "How much SDI55 residue is in Tuolumne County?")
    twin = take_stock(tuolumne, county_rows(tuolumne, "Tuolumne"), "SDI55")
    for name, expected in (
        ("hazard_classes", twin.hazard_bdt),
        ("slope_classes", twin.slope_bdt),
        ("stock_systems", twin.system_bdt),
    ):
        table = answer.tables[name]
        bdt = {row[0]: row[table.columns.index("feedstock_bdt")] for row in table.rows}
        assert bdt == pytest.approx(expected), name
        assert sum(row[table.columns.index("share_pct")] for row in table.rows) == pytest.approx(100)
    costs = answer.tables["harvest_cost_classes"]
    assert sum(row[costs.columns.index("feedstock_bdt")] for row in costs.rows) == pytest.approx(twin.bdt)
    owners = answer.tables["ownership"]
    assert sum(row[owners.columns.index("share_pct")] for row in owners.rows) == pytest.approx(100)
    assert sum(row[owners.columns.index("counted_bdt")] for row in owners.rows) == pytest.approx(twin.bdt)
    left_out = answer.tables["excluded"]
    gone = sum(row[left_out.columns.index("clusters")] for row in left_out.rows)
    assert gone + twin.clusters == twin.forest_clusters


def test_distribution_of_the_harvest_cost_is_by_tons(tuolumne):
    answer = ask(tuolumne, "How much SDI55 residue is in Tuolumne County?")
    costs = sorted(take_stock(tuolumne, county_rows(tuolumne, "Tuolumne"), "SDI55").costs)
    total = sum(t for _, t in costs)
    for percent in (5, 25, 50, 75, 95):
        reached, expected = 0.0, costs[-1][0]
        for cost, tons in costs:
            reached += tons
            if reached >= percent / 100 * total:
                expected = cost
                break
        assert value(answer, f"stock_harvest_cost_p{percent:02d}") == pytest.approx(expected)


def test_a_circle_is_a_true_circle_and_owners_come_first_where_they_are_asked_for(tuolumne):
    answer = ask(tuolumne, "Who owns the forest within 20 miles of Twain Harte?")
    place, km = answer.query.locations[0], 20 * 1.609344
    assert answer.query.radius_km == pytest.approx(km)
    twin = take_stock(tuolumne, lambda _r, lat, lon: haversine(place.lat, place.lon, lat, lon) <= km, "SDI55")
    assert 0 < twin.forest_clusters < len(tuolumne)
    agrees(answer, twin)
    assert value(answer, "radius_km") == pytest.approx(km)
    assert answer.text.startswith("The forest is ")


def test_the_set_share_is_of_the_same_filters_everywhere(tuolumne):
    answer = ask(tuolumne, "How much SDI55 residue is in Tuolumne County?")
    everything = take_stock(tuolumne, lambda *_: True, "SDI55")
    part = take_stock(tuolumne, county_rows(tuolumne, "Tuolumne"), "SDI55")
    assert value(answer, "set_share_pct") == pytest.approx(100 * part.bdt / everything.bdt)
    whole = ask(tuolumne, "How much SDI55 biomass is there?")
    assert whole.query.locations == ()
    assert value(whole, "stock_bdt") == pytest.approx(everything.bdt)
    assert "whole_set" in {w.code for w in whole.warnings}


def test_polygons_with_holes_and_several_parts(tuolumne, tmp_path):
    outer = [[-120.4, 37.8], [-119.9, 37.8], [-119.9, 38.2], [-120.4, 38.2], [-120.4, 37.8]]
    hole = [[-120.2, 37.9], [-120.0, 37.9], [-120.0, 38.0], [-120.2, 38.0], [-120.2, 37.9]]
    other = [[-119.7, 37.7], [-119.4, 37.7], [-119.4, 37.9], [-119.7, 37.9]]  # not closed, as some programs write it
    shape = {"type": "MultiPolygon", "coordinates": [[outer, hole], [other]]}
    file = tmp_path / "my area.geojson"
    file.write_text(json.dumps({"type": "FeatureCollection", "features": [{"type": "Feature", "geometry": shape}]}))

    def inside(_row, lat, lon):
        first = -120.4 <= lon <= -119.9 and 37.8 <= lat <= 38.2
        second = -119.7 <= lon <= -119.4 and 37.7 <= lat <= 37.9
        return (first and not (-120.2 <= lon <= -120.0 and 37.9 <= lat <= 38.0)) or second

    answer = ask(tuolumne, "How much SDI55 biomass is in my area?", area_file=file)
    agrees(answer, take_stock(tuolumne, inside, "SDI55"))
    assert answer.query.area == "my area"
    assert "in my area" in answer.text
    both = ask(tuolumne, "How much SDI55 residue is in Tuolumne County?", area_file=file)
    here = county_rows(tuolumne, "Tuolumne")
    agrees(both, take_stock(tuolumne, lambda r, lat, lon: inside(r, lat, lon) and here(r, lat, lon), "SDI55"))


def asked(store, *places, **fields):
    """An answer to a query record, whatever the parser makes of words."""
    from csrag.ask.decisions import analyse_intent
    from csrag.ask.run import Run, Trace

    query = SitingQuery(intent="lookup", locations=places, **fields)
    caveats: list = []
    analysis, _ = analyse_intent(Run(store, query, places[0], Trace()), caveats)
    rendered = write_answer(query, analysis, places[0].name)
    return Answer("answered", "", query, facts=analysis.facts, tables=analysis.tables, text=rendered.text,
                  claims=rendered.claims, warnings=analysis.warnings)  # fmt: skip


def county(name, lat, lon):
    return Location(f"{name} County", "county", name, lat, lon)


TUOLUMNE, CALAVERAS = county("Tuolumne", 38.03, -119.95), county("Calaveras", 38.2, -120.55)


def test_several_areas_and_treatments_stand_side_by_side(tuolumne):
    variants = ({"treatment": "SDI55"}, {"treatment": "TFB40"})
    answer = asked(tuolumne, TUOLUMNE, CALAVERAS, compare=variants)
    order = [("Tuolumne", "SDI55"), ("Tuolumne", "TFB40"), ("Calaveras", "SDI55"), ("Calaveras", "TFB40")]
    for number, (name, treatment) in enumerate(order, 1):
        agrees(answer, take_stock(tuolumne, county_rows(tuolumne, name), treatment), f"area_{number}_")
        assert name in answer.facts[f"area_{number}_stock_bdt"].label
    assert "stock_bdt" not in answer.facts
    assert [row[:2] for row in answer.tables["areas"].rows] == [(f"{n} County", t) for n, t in order]
    assert answer.tables["ownership"].columns[:2] == ("area", "treatment")
    assert answer.text.count("green tons") == 4


def test_practical_availability_scales_the_headline_and_says_the_potential(tuolumne):
    answer = asked(tuolumne, TUOLUMNE, availability="practical")
    twin = take_stock(tuolumne, county_rows(tuolumne, "Tuolumne"), "SDI55")
    assert value(answer, "stock_bdt") == pytest.approx(twin.practical_bdt)
    assert value(answer, "physical_bdt") == pytest.approx(twin.bdt)
    assert "practical_availability" in {w.code for w in answer.warnings}


def test_other_owners_count_where_the_question_counts_them(tuolumne):
    lands = ("private", "usfs", "blm", "tribal")
    answer = asked(tuolumne, TUOLUMNE, land_use=lands)
    agrees(answer, take_stock(tuolumne, county_rows(tuolumne, "Tuolumne"), "SDI55", lands))


def test_a_question_with_its_own_diesel_price_costs_the_woods_anew(tuolumne):
    usual = asked(tuolumne, TUOLUMNE)
    same = asked(tuolumne, TUOLUMNE, overrides={"diesel_usd_per_gal": 4.5})
    dear = asked(tuolumne, TUOLUMNE, overrides={"diesel_usd_per_gal": 9.0})
    assert value(same, "stock_harvest_cost") == value(usual, "stock_harvest_cost")
    assert value(dear, "stock_harvest_cost") > value(usual, "stock_harvest_cost") * 1.02
    margin = asked(tuolumne, TUOLUMNE, overrides={"contractor_margin_pct": 10.0})
    assert value(margin, "stock_harvest_cost") == pytest.approx(1.1 * value(usual, "stock_harvest_cost"))
    wet = asked(tuolumne, TUOLUMNE, overrides={"moisture_pct": 40.0})
    assert value(wet, "stock_gt") == pytest.approx(value(wet, "stock_bdt") / 0.6)


def test_an_area_without_forest_is_outside_the_data(tuolumne):
    answer = ask(tuolumne, "How much SDI55 residue is in Modoc County?")
    assert (answer.status, answer.exit_code) == ("refused", 3)
    assert "Modoc" in answer.text
    beside = asked(tuolumne, TUOLUMNE, county("Modoc", 41.59, -120.72))
    assert beside.facts["area_2_stock_bdt"].value == 0
    assert beside.facts["area_2_stock_harvest_cost"].value is None
    assert "area_empty" in {w.code for w in beside.warnings}


def test_what_lies_beyond_the_data_is_said(tuolumne):
    answer = ask(tuolumne, "How much SDI55 residue is in Calaveras County?")
    share = value(answer, "data_edge_share")
    assert 0 < share < 1
    assert ("data_edge" in {w.code for w in answer.warnings}) == (share > 0.05)


def test_a_place_without_a_radius_gets_a_stated_one(tuolumne):
    answer = ask(tuolumne, "How much biomass is there around Sonora?")
    assert answer.query.intent == "lookup"
    assert value(answer, "radius_km") == 50
    assert any(i["field"] == "radius_km" for i in answer.inferred)
    assert "circle_assumed" in {w.code for w in answer.warnings}


def test_a_forest_is_its_outline(tuolumne):
    from csrag.places.areas import contains
    from csrag.places.gazetteer import lookup

    answer = ask(tuolumne, "How much SDI55 biomass is in the Stanislaus National Forest?")
    place = next(p for p in lookup("Stanislaus National Forest") if p.kind == "forest")
    inside = contains(place, tuolumne.column("lat"), tuolumne.column("lon"))
    agrees(answer, take_stock(tuolumne, lambda row, *_: bool(inside[row]), "SDI55"))
    assert "area_outline_loose" in {w.code for w in answer.warnings}


def test_who_else_buys_is_named_with_distances(tuolumne):
    answer = ask(tuolumne, "How much SDI55 residue is in Tuolumne County?")
    rows = {row[0]: row for row in answer.tables["wood_plants"].rows}
    assert rows["Sierra Pacific Sonora"][1:3] == ("yes", 0.0)
    assert "Sierra Pacific Quincy" not in rows
    assert value(answer, "plants_near_count") == len(rows)
    assert value(answer, "plants_near_bdt") == pytest.approx(sum(row[4] for row in rows.values()))
    assert all("assumed" in row[5] for row in rows.values())


def test_capacities_are_upper_bounds_by_tons(tuolumne):
    answer = ask(tuolumne, "How much SDI55 residue is in Tuolumne County?")
    tons = value(answer, "stock_bdt")
    assert value(answer, "one_year_mw") == pytest.approx(tons / (186_815 / 25), rel=1e-4)
    assert value(answer, "sustained_mw") == pytest.approx(value(answer, "one_year_mw") / 20)
    assert "at most" in answer.text


def test_systems_and_limits_of_the_question_are_kept(tuolumne):
    cable = asked(tuolumne, TUOLUMNE, system="cable")
    assert {row[0] for row in cable.tables["stock_systems"].rows} <= set(SYSTEMS[4:8])
    flat = asked(tuolumne, TUOLUMNE, max_slope_pct=20.0)
    assert {row[0] for row in flat.tables["slope_classes"].rows} <= {"0 to 10", "10 to 20", "20 to 35"}
    assert value(flat, "stock_bdt") < value(asked(tuolumne, TUOLUMNE), "stock_bdt")


def test_the_candidates_are_those_of_a_site(tuolumne):
    """The same circle asked as a stock-taking and as a site holds the same tons."""
    stock = ask(tuolumne, "How much SDI55 biomass is there within 25 km of Twain Harte?")
    site = ask(tuolumne, "0.2 MW plant within 25 km of Twain Harte, SDI55")
    assert site.status != "refused", site.text
    assert value(stock, "stock_bdt") == pytest.approx(value(site, "feedstock_available_bdt"))
    assert value(stock, "stock_clusters") == value(site, "candidate_clusters")


def test_quantiles_of_weights():
    assert weighted_quantiles(np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 2.0]), (0, 25, 26, 75, 76, 100)) == [
        1,
        1,
        2,
        2,
        3,
        3,
    ]


def test_nearest_distance_is_the_haversine():
    rng = np.random.default_rng(3)
    lats, lons = rng.uniform(36, 42, 300), rng.uniform(-124, -118, 300)
    here = np.array([38.0, 41.0]), np.array([-120.0, -122.0])
    expected = [haversine_km(a, o, lats, lons).min() for a, o in zip(*here, strict=True)]
    assert nearest_km(*here, lats, lons) == pytest.approx(expected, rel=1e-6)
    assert np.isinf(nearest_km(*here, lats[:0], lons[:0])).all()


def test_edges_are_named():
    assert edge_names((0.0, 10.0, 20.0)) == ["0 to 10", "10 to 20", "20 and over", "unknown"]


def test_unknowns_are_a_class_of_their_own(tmp_path):
    """Slope and hazard that are not known are counted as such, never as zero."""
    store = small_set(tmp_path / "set", "Tuolumne", n=200, treatments=("SDI55",))
    frame = store.clusters_at(np.arange(200), "SDI55", ("row", "lat", "lon", "area_acres", "slope_pct", "burn_probability",
                                                        "land_use", "wilderness", "hazard_class"))  # fmt: skip
    slope, hazard = frame["slope_pct"].copy(), frame["hazard_class"].copy()
    slope[:50], hazard[:80] = np.nan, 255
    frame = frame.with_columns(slope_pct=slope, hazard_class=hazard, wilderness=np.zeros(200, np.uint8),
                               land_use=np.zeros(200, np.uint8))  # fmt: skip
    from csrag.ask.computation.demand import performance
    from csrag.ask.computation.facts import Ledger
    from csrag.ask.computation.lookup_facts import Entry, put_stock
    from csrag.ask.computation.lookup_tables import Rows, add_tables

    query = SitingQuery(intent="lookup")
    forest = forest_of(frame, query, store.manifest)
    records = store.clusters_at(np.arange(200), "SDI55", ("cost_usd_per_bdt", "feedstock_bdt", "coproduct_bdt"))
    stock = stock_of("SDI55", records, range(8))
    ledger, rows = Ledger(), Rows(False)
    entry = Entry("", "here", query, 50.0, performance("combustion", {}), None, 0.0)
    put_stock(ledger, entry, forest, stock, 1.0, store.manifest)
    add_tables(rows, entry, forest, stock, store.manifest)
    rows.put_into(ledger)
    assert ledger.facts["unknown_slope_clusters"].value == 50
    assert ledger.facts["unknown_hazard_clusters"].value == 80
    for name, unknown in (("slope_classes", np.arange(200) < 50), ("hazard_classes", np.arange(200) < 80)):
        last = ledger.tables[name].rows[-1]
        assert last[0] == "unknown"
        assert last[1] == int((unknown & stock.of(forest)).sum())


def test_rows_of_a_county_are_the_layers_own_column(tuolumne):
    area = rows_of(tuolumne, TUOLUMNE, None, None)
    code = tuolumne.manifest.codes["county"].index("Tuolumne")
    assert np.array_equal(area.rows, np.flatnonzero(tuolumne.column("county") == code))


def test_clusters_at_rows_are_those_of_a_circle(tuolumne):
    frame = tuolumne.catchment(38.0, -120.0, 25.0, "SDI55")
    rows = frame["row"]
    again = tuolumne.clusters_at(rows, "SDI55", ("cluster_no", "cost_usd_per_bdt", "feedstock_bdt", "coproduct_bdt"))
    for name in again:
        assert np.array_equal(again[name], frame[name], equal_nan=name != "cluster_no")


def test_a_set_on_disk_answers_alike(tuolumne):
    again = open_directory(tuolumne._path)
    one, two = (ask(s, "How much SDI55 residue is in Tuolumne County?") for s in (tuolumne, again))
    assert {k: f.value for k, f in one.facts.items()} == {k: f.value for k, f in two.facts.items()}
