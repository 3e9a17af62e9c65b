"""Where is best: questions of the decision suite, the cases about them, and what a search promises."""

from __future__ import annotations

import json
import subprocess
import time

import numpy as np
import pytest
from tests.conftest import csrag_program
from tests.support.records import codes, value

from csrag.ask.checks import site_of, validate
from csrag.ask.computation.choose import select
from csrag.ask.computation.delivered import delivered_costs, economics
from csrag.ask.computation.need import need_of
from csrag.ask.computation.selection import Scales
from csrag.ask.decisions import analyse_intent
from csrag.ask.decisions.search import best_sites_in
from csrag.ask.decisions.search_heat import HEAT_ROWS
from csrag.ask.decisions.search_plan import DEFAULT_SEPARATION_KM, DEFAULT_SITES
from csrag.ask.pipeline import CatchmentCache, ask
from csrag.ask.recording import answer_of, write
from csrag.ask.records import Location, SitingQuery
from csrag.ask.retrieval import retrieve
from csrag.ask.run import Run, Trace
from csrag.errors import DataError
from csrag.geo import haversine_km
from csrag.places.counties import county_at

UNWRITTEN = "did not pass"


@pytest.fixture(scope="session")
def searched(demo):
    """Answer a search whose query is made by hand; a record like the ones of `answer`."""

    def run(cache=None, sites=None, **fields):
        query = SitingQuery(intent="search", explicit=tuple(fields), **fields)
        validate(query)
        caveats = []
        on_way = Run(demo, query, site_of(query, caveats), Trace(), cache, sites=sites)
        analysis, catchment = analyse_intent(on_way, caveats)
        result = answer_of(on_way, analysis, catchment, write(query, analysis, on_way.site), caveats)
        record = json.loads(json.dumps(result.to_json(), allow_nan=False))
        assert UNWRITTEN not in record["text"]
        record |= {"exit_code": result.exit_code, "selected": result.selected, "whole": result.tables}
        return record

    return run


def rows_of(record, table="best_sites"):
    columns = record["tables"][table]["columns"]
    return [dict(zip(columns, row, strict=True)) for row in record["tables"][table]["rows"]]


def test_the_best_three_sites_north_of_the_interstate_above_a_burn_probability(answer):
    record = answer("Best three sites north of I-80 for 5 MW above 2 % burn probability")
    assert (record["status"], record["exit_code"]) == ("answered", 0), record["text"]
    assert UNWRITTEN not in record["text"]
    sites = rows_of(record)
    assert [s["rank"] for s in sites] == [1, 2, 3]
    averages = [s["average_usd_per_bdt"] for s in sites]
    assert averages == sorted(averages)
    everyone = sorted(sites + rows_of(record, "also_evaluated"), key=lambda s: s["rank_in_search"])
    assert [s["rank_in_search"] for s in everyone] == list(range(1, len(everyone) + 1))
    by_search = [s["search_average_usd_per_bdt"] for s in everyone]
    assert by_search == sorted(by_search)
    for n, site in enumerate(everyone):
        assert site["burn_probability"] >= 0.02
        assert site["county"] == county_at(site["lat"], site["lon"])
        assert all(
            haversine_km(site["lat"], site["lon"], s["lat"], s["lon"]) >= DEFAULT_SEPARATION_KM for s in everyone[:n]
        )
    assert value(record, "best_1_average_delivered_cost") == averages[0]
    assert value(record, "best_3_search_rank") == sites[2]["rank_in_search"]
    assert {i["field"] for i in record["inferred"]} >= {"radius_km", "min_separation_km"}


@pytest.mark.case("A34")
def test_the_best_site_for_a_treatment_is_that_of_its_own_layers(answer, case):
    assert "SDI-55" in case["input"]
    record = answer("best site for SDI-55 for a 10 MW plant")
    site = rows_of(record)[0]
    assert record["query"]["treatment"] == "SDI55"
    alone = answer(f"10 MW at {site['lat']}, {site['lon']} with SDI55")
    for ours, theirs in (
        ("average_usd_per_bdt", "average_delivered_cost"), ("lcoe_current_usd_per_mwh", "lcoe_current"),
        ("last_ton_usd_per_bdt", "last_ton_cost"), ("treated_acres", "treated_acres"), ("radius_km", "radius_km"),
    ):  # fmt: skip
        assert site[ours] == value(alone, theirs), ours
    assert list(record["selected"]) == list(alone["selected"])
    clear_cut = answer("best site for a 10 MW plant with clear cut")
    assert rows_of(clear_cut)[0]["search_average_usd_per_bdt"] != site["search_average_usd_per_bdt"]


@pytest.mark.case("A14")
def test_one_demand_whichever_way_it_is_asked(answer):
    records = [answer(q) for q in ("25 MW near Quincy", "where is best for 25 MW?", "25 MW at Chester within 50 km")]
    assert {value(r, "demand_bdt") for r in records} == {value(records[0], "demand_bdt")}
    assert value(records[0], "demand_bdt") == pytest.approx(186_815, abs=1)
    demand_rule = next(r for r in rows_of(records[1], "site_rules") if r["unit"] == "bdt")
    assert demand_rule["limit"] == value(records[0], "demand_bdt")


@pytest.mark.case("A54")
def test_where_should_i_build_runs_a_search_and_asks_nothing(answer):
    record = answer("where should I build")
    assert record["status"] == "answered"
    assert record["query"]["intent"] == "search"
    assert len(rows_of(record)) == DEFAULT_SITES
    assert value(record, "demand_bdt") == pytest.approx(186_815, abs=1)


@pytest.mark.case("A45")
@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("best site for 25 MW in Imperial County", "no_candidate_sites"),
        ("best site for 25 MW near Death Valley", "no_candidate_sites"),
        ("best site in Lassen County for 200 MW on slopes under 3 percent", "demand_not_met"),
    ],
)
def test_where_nothing_can_be_had_it_ends_soon_with_tons_and_megawatts(answer, question, reason):
    start = time.process_time()
    record = answer(question)
    assert time.process_time() - start < 2
    assert (record["status"], record["reason"], record["exit_code"]) == ("refused", reason, 3), record["text"]
    assert UNWRITTEN not in record["text"]
    assert value(record, "obtainable_bdt") >= 0
    assert value(record, "largest_capacity_mw") == pytest.approx(value(record, "obtainable_bdt") / 7472.6, rel=1e-4)
    if reason == "demand_not_met":
        assert value(record, "obtainable_bdt") > 0
        assert value(record, "obtainable_bdt") < value(record, "demand_bdt")


@pytest.mark.case("A46")
@pytest.mark.parametrize(
    ("fields", "rule", "possible"),
    [
        ({"max_km_to_road": 0.1, "max_site_slope_pct": 0.5}, None, None),
        ({"max_site_slope_pct": 0.0}, "slope", "possible_site_slope_pct"),
        ({"max_km_to_plant": 0.1, "max_site_slope_pct": 30.0}, "plant", "possible_km_to_plant"),
        ({"min_average_burn_probability": 0.19}, "burn", "possible_burn_probability"),
        ({"max_cost_usd_per_bdt": 12.0}, "cap", "possible_cost"),
        ({"max_cost_usd_per_bdt": 13.0, "max_cost_kind": "last_ton"}, "cap", "possible_cost"),
    ],
)
def test_rules_that_leave_no_site_say_which_binds_and_what_is_possible(searched, fields, rule, possible):
    record = searched(capacity_mw=5.0, **fields)
    assert (record["status"], record["reason"], record["exit_code"]) == ("refused", "no_site_keeps_rules", 3), record[
        "text"
    ]
    assert "binds" in record["text"]
    removed = sum(r["sites_removed"] for r in rows_of(record, "site_rules"))
    assert removed == value(record, "candidate_sites")
    if rule is None:
        return
    limit = next(iter(fields))
    at_most = limit != "min_average_burn_probability"
    reached = value(record, possible)
    # At what is said to be possible there is a site again, and a hair beyond it there is none.
    hair = 1e-9 if at_most else -1e-9
    assert searched(capacity_mw=5.0, **{**fields, limit: reached * (1 + hair)})["reason"] != "no_site_keeps_rules"
    assert searched(capacity_mw=5.0, **{**fields, limit: reached * (1 - hair)})["reason"] == "no_site_keeps_rules"
    assert value(record, "sites_without_binding") > 0


def brute(demo, query, lat, lon, radius_km):
    """One site by the ordinary computation at a fixed radius, without move-in: averages, last ton, clusters."""
    fixed = query.with_(radius_km=radius_km, transport="stratified")
    circle = retrieve(demo, Location("x", "coordinates", None, lat, lon), fixed, 1.0)
    econ = economics(demo.manifest, fixed.overrides)
    costs = delivered_costs(circle, fixed, demo.manifest, econ, lambda rows: demo.stand(rows, fixed.treatment))
    taken = select(circle.frame, costs, need_of(fixed).demand_bdt, fixed.fire_weight, Scales.from_manifest(demo.manifest.scales),
                   econ.harvest.ppi)  # fmt: skip
    return (taken.average(costs) - taken.move_in if taken.met else None), float(costs.tons.sum())


@pytest.mark.parametrize(
    ("fields", "radius_km"),
    [
        ({"capacity_mw": 5.0}, 60.0),
        ({"capacity_mw": 12.0, "fire_weight": 0.4, "max_slope_pct": 35.0, "min_burn_probability": 0.004, "radius_km": 40.0,
          "land_use": ("usfs",), "treatment": "TFB40", "overrides": {"diesel_usd_per_gal": 6.0}}, 40.0),
        ({"capacity_mw": 3.0, "technology": "gasification", "availability": "practical", "system": "cable"}, 60.0),
    ],
)  # fmt: skip
def test_every_point_of_the_heat_map_is_what_the_site_alone_would_be_told(demo, searched, fields, radius_km):
    record = searched(**fields)
    query = SitingQuery(**fields)
    points = record["whole"]["heat_map"].whole
    assert len(points) == value(record, "supplied_sites")
    rng = np.random.default_rng(3)
    for at in rng.choice(len(points), 15, replace=False).tolist():
        lat, lon, average = points[at]
        expected, _ = brute(demo, query, lat, lon, radius_km)
        assert average == pytest.approx(expected, abs=0.0051)
    best = rows_of(record)[0]
    expected, _ = brute(demo, query, best["lat"], best["lon"], radius_km)
    assert best["search_average_usd_per_bdt"] == pytest.approx(expected, rel=1e-9)
    if not query.fire_weight and best["rank_in_search"] == 1:
        assert best["search_average_usd_per_bdt"] == pytest.approx(min(p[2] for p in points), abs=0.0051)
        assert value(record, "search_spread_low") == pytest.approx(best["search_average_usd_per_bdt"], rel=1e-12)


def test_the_record_shows_a_part_of_a_large_map_with_the_cheapest_site_in_it(searched):
    record = searched(capacity_mw=5.0)
    shown, whole = record["tables"]["heat_map"]["rows"], record["whole"]["heat_map"].whole
    assert len(shown) <= HEAT_ROWS < len(whole)
    assert min(r[2] for r in shown) == min(r[2] for r in whole)
    assert {tuple(r) for r in shown} <= set(whole)
    assert "cheapest of each" in record["tables"]["heat_map"]["note"]


def test_five_plants_that_do_not_compete_share_no_cluster(answer):
    record = answer("Pick five 3 MW sites that don't compete")
    assert record["status"] == "answered", record["text"]
    assert UNWRITTEN not in record["text"]
    assert len(record["selected"]) == len(set(record["selected"])) == value(record, "portfolio_clusters")
    sites = rows_of(record)
    assert len(sites) == value(record, "portfolio_plants") == 5
    assert value(record, "portfolio_capacity_mw") == 15
    assert value(record, "portfolio_demand_bdt") == pytest.approx(5 * value(record, "demand_bdt"))
    assert value(record, "portfolio_selected_bdt") >= value(record, "portfolio_demand_bdt")
    averages = [value(record, f"plant_{n}_average_delivered_cost") for n in range(1, 6)]
    assert min(averages) <= value(record, "portfolio_average_cost") <= max(averages)
    gap = value(record, "portfolio_together_cost") - value(record, "portfolio_alone_cost")
    assert value(record, "portfolio_competition_cost") == pytest.approx(gap, abs=1e-12)
    assert "portfolio_order" in codes(record)


def test_plants_that_crowd_pay_for_it_and_what_runs_out_is_partial(searched):
    quincy = Location("Quincy", "place", "Plumas", 39.9368, -120.9472)
    record = searched(
        capacity_mw=10.0, portfolio=True, site_count=12, min_separation_km=2.0, radius_km=25.0, locations=(quincy,)
    )
    crowd = searched(capacity_mw=20.0, portfolio=True, site_count=3, min_separation_km=2.0, locations=(quincy,))
    assert crowd["status"] == "answered", crowd["text"]
    assert value(crowd, "portfolio_competition_cost") > 0.1
    assert value(crowd, "portfolio_contested_bdt") > 0
    assert len(crowd["selected"]) == len(set(crowd["selected"])) == value(crowd, "portfolio_clusters")
    averages = [value(crowd, f"plant_{n}_average_delivered_cost") for n in (1, 2, 3)]
    assert max(averages) - min(averages) > 0.1
    assert record["query"]["radius_km"] == 25.0
    assert "search_circle" in codes(record)
    short = searched(capacity_mw=60.0, portfolio=True, site_count=8, min_separation_km=5.0, max_slope_pct=25.0, radius_km=60.0,
                     locations=(Location("Plumas County", "county", "Plumas", 40.0, -120.8),), land_use=("usfs",))  # fmt: skip
    assert (short["status"], short["reason"]) == ("partial", "fewer_plants"), short["text"]
    assert value(short, "portfolio_plants") < 8
    assert value(short, "obtainable_bdt") >= 0
    assert "fewer_plants" in codes(short)


@pytest.mark.parametrize(
    "fields",
    [
        {"locations": (Location("Plumas County", "county", "Plumas", 40.0, -120.8),)},
        {"locations": (Location("Lassen National Forest", "forest", None, 40.5, -121.4),)},
        {"locations": (Location("Plumas County", "county", "Plumas", 40.0, -120.8),
                       Location("Sierra County", "county", "Sierra", 39.6, -120.5))},
    ],
)  # fmt: skip
def test_sites_lie_in_the_areas_named_and_wood_may_not(searched, fields):
    record = searched(capacity_mw=4.0, site_count=2, min_separation_km=5.0, **fields)
    counties = {place.county for place in fields["locations"]}
    for site in rows_of(record):
        if None not in counties:
            assert site["county"] in counties
    everywhere = searched(capacity_mw=4.0, site_count=2, min_separation_km=5.0)
    assert 0 < value(record, "candidate_sites") < value(everywhere, "candidate_sites")
    assert "search_wood_from_outside" in codes(record)


def test_rules_on_sites_hold_and_each_says_what_it_took(demo, searched):
    record = searched(capacity_mw=3.0, max_site_slope_pct=12.0, max_km_to_road=1.0, max_km_to_plant=30.0, site_count=4)
    taken = {r["rule"]: r["sites_removed"] for r in rows_of(record, "site_rules")}
    assert sum(taken.values()) + value(record, "supplied_sites") == value(record, "candidate_sites")
    assert value(record, "removed_slope_sites") > 0
    assert value(record, "removed_protected_sites") > 0
    for site in rows_of(record):
        assert site["km_to_road"] <= 1.0
        rows, away = demo.within(site["lat"], site["lon"], 3.0)
        assert demo.column("slope_pct")[rows[np.argmin(away)]] <= 12.0


@pytest.mark.parametrize("kind", ["towns", "plants"])
def test_candidates_may_be_towns_or_plants(searched, kind):
    record = searched(capacity_mw=3.0, site_candidates=kind, site_count=2)
    assert record["status"] == "answered", record["text"]
    assert value(record, "removed_outside_sites") > 0
    assert all("(" not in site["name"] for site in rows_of(record))


def test_substations_that_the_layers_do_not_hold_are_said_to_be_missing(searched):
    for fields in ({"site_candidates": "substations"}, {"max_km_to_substation": 5.0}):
        with pytest.raises(DataError, match="holds no substations"):
            searched(capacity_mw=3.0, **fields)


def test_a_cap_that_full_answers_break_is_told(searched):
    plain = searched(capacity_mw=5.0)
    low = value(plain, "search_spread_low")
    record = searched(capacity_mw=5.0, max_cost_usd_per_bdt=low + 0.5)
    assert (record["status"], record["reason"]) == ("partial", "cap_exceeded")
    assert "no_site_in_full" in codes(record)


def test_fire_moves_the_best_site_towards_stands_that_burn(searched):
    plain, fiery = searched(capacity_mw=5.0), searched(capacity_mw=5.0, fire_weight=0.7)
    assert rows_of(fiery)[0]["burn_probability"] > rows_of(plain)[0]["burn_probability"]
    assert rows_of(fiery)[0]["average_usd_per_bdt"] >= rows_of(plain)[0]["average_usd_per_bdt"]
    assert rows_of(searched(capacity_mw=5.0, fire_weight=0.0)) == rows_of(plain)


def test_a_follow_up_goes_on_from_what_the_search_prepared(demo):
    cache = CatchmentCache()
    first = ask(demo, "where is best for 5 MW?", (), cache)
    second = ask(demo, "and for 8 MW?", ["where is best for 5 MW?"], cache)
    fresh = ask(demo, "and for 8 MW?", ["where is best for 5 MW?"])
    assert second.query.intent == "search"
    assert second.tables["best_sites"] == fresh.tables["best_sites"] != first.tables["best_sites"]
    assert {key[0] for key in cache.searches} == {"sites", "pool"}


def test_the_best_site_of_an_area_is_that_of_a_search_in_it(demo, searched):
    county = Location("Plumas County", "county", "Plumas", 40.0, -120.8)
    run = Run(demo, SitingQuery(intent="compare", capacity_mw=6.0), county, Trace(), CatchmentCache())
    (best,) = best_sites_in(run, county)
    by_rank = {s["rank_in_search"]: s for s in rows_of(searched(capacity_mw=6.0, locations=(county,), site_count=5))}
    assert (best.location.name, best.search_average_usd_per_bdt) == (
        by_rank[1]["name"],
        by_rank[1]["search_average_usd_per_bdt"],
    )
    assert best_sites_in(run, Location("Imperial County", "county", "Imperial", 33.0, -115.4)) == []
    assert len(best_sites_in(run, None, 4)) == 4


def test_progress_is_told_and_can_stop_a_search(demo):
    told = []
    ask(demo, "where is best for 5 MW?", on_step=lambda _stage, tool: told.append(tool))
    assert "find_candidate_sites" in told
    assert any(t.startswith("evaluate_sites ") for t in told)

    class StopError(Exception):
        pass

    def stop(_stage, tool):
        if tool.startswith("evaluate_sites 2"):
            raise StopError

    with pytest.raises(StopError):
        ask(demo, "where is best for 5 MW?", on_step=stop)


def test_the_command_takes_points_and_polygons(demo_layers, tmp_path):
    (tmp_path / "mine.csv").write_text(
        "name,lat,lon\nMill,40.31,-121.23\nYard 7,39.94,-120.95\nFar south,34.0,-117.0\n", encoding="utf-8"
    )
    ring = [[-121.3, 39.8], [-120.8, 39.8], [-120.8, 40.2], [-121.3, 40.2], [-121.3, 39.8]]
    (tmp_path / "block.geojson").write_text(json.dumps({"type": "Polygon", "coordinates": [ring]}), encoding="utf-8")

    def record_of(*more):
        command = [*csrag_program(), "ask", "Which is best for 4 MW?", "--data", str(demo_layers), "--json", *more]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    listed = record_of("--sites", "mine.csv")
    assert listed["query"]["site_candidates"] == "mine.csv"
    assert {s["name"] for s in rows_of(listed)} == {"Mill", "Yard 7"}
    assert value(listed, "removed_outside_sites") == 1
    inside = record_of("--sites", "mine.csv", "--area", "block.geojson")
    assert {s["name"] for s in rows_of(inside)} == {"Yard 7"}
    assert (inside["status"], inside["reason"]) == ("partial", "fewer_sites")


def test_the_terminal_shows_sites_and_rules(demo_layers):
    command = [*csrag_program(), "ask", "Best two sites in Plumas County for 4 MW", "--data", str(demo_layers)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for words in ("Sites left out", "in a park or wilderness", "search", "Plumas County"):
        assert words in done.stdout
