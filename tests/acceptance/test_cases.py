"""The shared acceptance cases of the main job, each on the layers and doors it speaks of."""

from __future__ import annotations

import re

import numpy as np
import pytest
from tests.support.records import codes, value

import csrag.quantities as q
from csrag.ask.computation.demand import DEFAULT_PERFORMANCE, demand_bdt, truck_loads
from csrag.ask.computation.transport import circuity_of
from csrag.ask.intent import parse
from csrag.ask.pipeline import CatchmentCache
from csrag.ask.retrieval.roads import SiteRoads
from csrag.errors import InvalidValueError
from csrag.geo import CALIFORNIA_BOX, check_point, haversine_km, padded_box
from csrag.quantities import QUANTITIES
from csrag.surfaces.catalog import COLUMNS, FEEDSTOCK_CLASSES, FRREDSS_TREATMENT_IDS

QUINCY = (39.94, -120.95)


@pytest.mark.case("A01")
def test_a01_circle_is_a_circle(case, demo):
    lat, lon = (float(x) for x in re.search(r"lat ([\d.]+) lon (-[\d.]+)", case["input"]).groups())
    radius = float(re.search(r"radius (\d+) km", case["input"]).group(1))
    north = np.arange(-40, 41) / (np.pi / 180 * 6371.0088)
    east = np.arange(-40, 41) / (np.pi / 180 * 6371.0088 * np.cos(np.radians(lat)))
    inside_ns = haversine_km(lat, lon, lat + north, np.full(81, lon)) <= radius
    inside_ew = haversine_km(lat, lon, np.full(81, lat), lon + east) <= radius
    assert inside_ew[40 + 25]
    assert inside_ew[40 - 25]
    assert abs(inside_ns.sum() - inside_ew.sum()) <= 1
    rows, distance = demo.within(lat, lon, radius)
    brute = haversine_km(lat, lon, demo.column("lat"), demo.column("lon"))
    assert np.array_equal(np.sort(rows), np.flatnonzero(brute <= radius))
    assert distance.max() <= radius


@pytest.mark.case("A02")
@pytest.mark.parametrize("radius", [10.0, 28.0, 120.0])
def test_a02_area_does_not_depend_on_latitude(radius):
    areas = []
    for lat in (32.7, 41.8):
        box = padded_box(lat, -120.0, radius)
        lats, lons = np.meshgrid(np.linspace(box[0], box[1], 1500), np.linspace(box[2], box[3], 1500))
        cell = np.cos(np.radians(lats)) * (haversine_km(lat, -120.0, lats, lons) <= radius)
        areas.append(cell.sum() * (box[1] - box[0]) * (box[3] - box[2]))
    assert abs(areas[0] / areas[1] - 1) < 0.005
    assert "degree" not in " ".join(QUANTITIES["radius_km"].unit.split())


@pytest.mark.case("A03")
def test_a03_distance_and_swapped_arguments():
    assert float(haversine_km(42.6664, -73.7987, 40.5518, -74.4647)) == pytest.approx(241.6, rel=0.005)
    with pytest.raises(InvalidValueError, match="swapped"):
        check_point(-120.95, 39.94)


@pytest.mark.case("A04")
def test_a04_swapped_input_is_rejected_by_the_bounds():
    for lat, lon in ((-120.95, 39.94), (120.95, 39.94), (39.94, 120.95)):
        with pytest.raises(InvalidValueError):
            check_point(lat, lon)
    lat_min, lat_max, lon_min, lon_max = CALIFORNIA_BOX
    assert lat_max < 90 < -lon_max
    assert lat_min < lat_max
    assert lon_min < lon_max


@pytest.mark.case("A05")
def test_a05_longitude_first_is_recognised_and_said(case):
    query = parse(case["input"].strip('"'))
    assert len(query.locations) == 1
    assert query.locations[0].lat == pytest.approx(37.18)
    assert query.locations[0].lon == pytest.approx(-119.75)
    assert any("longitude" in n.lower() for n in query.notes)


@pytest.mark.case("A07")
def test_a07_unknown_burn_probability_is_counted_never_zero(demo, answer):
    burn, lat, lon = (np.asarray(demo.column(c)) for c in ("burn_probability", "lat", "lon"))
    unknown = np.flatnonzero(~np.isfinite(burn))
    assert unknown.size, "the demonstration layers hold nodata patches"
    at = int(unknown[len(unknown) // 2])
    record = answer(f"15 MW at {lat[at]:.4f}, {lon[at]:.4f}, treatment TFB80")
    assert value(record, "unknown_burn_probability_pct") > 0
    assert "unknown_burn_probability" in codes(record)
    keys = set(record["selected"])
    mine = np.array([k in keys for k in demo.column("cluster_no")])
    assert (~np.isfinite(burn[mine])).sum() > 0
    assert value(record, "mean_burn_probability") >= np.nanmin(burn[mine])


@pytest.mark.case("A08")
def test_a08_missing_circuity_has_a_named_fallback(demo, answer):
    zone = np.asarray(demo.column("zone"))
    transport = demo.manifest.transport
    for mode in ("zone", "stratified"):
        factor, known = circuity_of(demo.manifest, mode, zone, np.full(len(zone), 25.0))
        assert (~known).sum() == (zone < 0).sum() > 0
        assert set(factor[~known]) == {transport["band_medians"][2]}
    lat, lon = np.asarray(demo.column("lat")), np.asarray(demo.column("lon"))
    at = int(np.flatnonzero(zone < 0)[0])
    record = answer(f"60 MW at {lat[at]:.4f}, {lon[at]:.4f}, TFB80, zone factors")
    assert value(record, "fallback_circuity_pct") > 0
    assert "circuity_fallback" in codes(record)


@pytest.mark.case("A13")
def test_a13_one_demand_in_three_bases(answer):
    record = answer("25 MW combustion plant at Quincy")
    assert value(record, "generation_mwh") == pytest.approx(175_200)
    assert round(value(record, "demand_bdt")) == 186_815
    assert round(value(record, "demand_bdmt")) in (169_475, 169_476)
    assert round(value(record, "demand_gt")) == 373_630
    assert record["values"]["demand_bdt"]["unit"] == "bdt_per_year"


@pytest.mark.case("A15")
def test_a15_moisture_changes_green_tons_and_trucks_only(answer):
    record = answer('"25 MW, 35% moisture" at Quincy')
    assert round(value(record, "demand_bdt")) == 186_815
    assert round(value(record, "demand_gt")) == 287_407
    assert value(record, "truck_loads") == 11_496
    assert record["query"]["overrides"] == {"moisture_pct": 35}
    assert "overrides.moisture_pct" in record["query"]["explicit"]


@pytest.mark.case("A16")
def test_a16_capacity_factor_as_percent_or_fraction(answer):
    for text in ("85", "0.85", "85%", "85 percent"):
        record = answer(f"25 MW at Quincy, capacity factor {text}")
        assert record["query"]["overrides"]["capacity_factor_pct"] == pytest.approx(85)
        assert value(record, "generation_mwh") == pytest.approx(25 * 8760 * 0.85)
    assert answer("25 MW at Quincy, capacity factor 8500%")["status"] == "refused"


@pytest.mark.case("A18")
def test_a18_bare_tons_are_read_as_bdt_and_said(answer):
    record = answer("Delivered cost of 60,000 tons a year at Quincy?")
    assert record["query"]["demand_bdt"] == pytest.approx(60_000)
    assert any("BDT" in note for note in record["query"]["notes"])
    assert {"demand_bdt", "demand_gt", "demand_bdmt"} <= set(record["values"])


@pytest.mark.case("A19")
def test_a19_conversions_round_trip_and_bases_cannot_be_mixed(answer):
    for moisture in (0.0, 35.0, 50.0, 79.9):
        for tons in (1e-3, 1.0, 186_814.7544):
            assert q.gt_to_bdt(q.bdt_to_gt(tons, moisture), moisture) == pytest.approx(tons, rel=1e-9)
            assert q.bdmt_to_bdt(q.bdt_to_bdmt(tons)) == pytest.approx(tons, rel=1e-9)
            assert q.usd_per_bdmt_to_usd_per_bdt(q.usd_per_bdt_to_usd_per_bdmt(tons)) == pytest.approx(tons, rel=1e-9)
            back = q.usd_per_bdt_to_usd_per_gt(q.usd_per_gt_to_usd_per_bdt(tons, moisture), moisture)
            assert back == pytest.approx(tons, rel=1e-9)
    record = answer("5 MW at Quincy")
    for name, fact in record["values"].items():
        if name.endswith(("_bdt", "_gt", "_bdmt")) and "usd" not in name:
            assert fact["unit"].startswith(name.rsplit("_", 1)[1]), name
        if "usd_per_gt" in name:
            assert fact["unit"] == "usd_per_gt", name


@pytest.mark.case("A20")
def test_a20_every_tonnage_says_its_basis(demo):
    for name, column in COLUMNS.items():
        if "bdt" in name:
            assert "BDT" in column.unit
        assert demo.manifest.units[name] == column.unit


@pytest.mark.case("A21")
def test_a21_per_cluster_is_per_acre_times_acres(demo):
    tons = np.asarray(demo.column("feedstock_bdt"))[:, FEEDSTOCK_CLASSES.index("whole_tree"), :]
    acres = np.asarray(demo.column("area_acres"))
    used = tons > 0
    green = tons[used].mean() * 2
    assert 60 <= green <= 2000
    per_acre = (tons / acres)[used].mean() * 2
    assert 2 <= per_acre <= 60


@pytest.mark.case("A23")
def test_a23_treatments_go_by_name(case, demo):
    assert parse(f"{case['input'].strip(chr(34))} at Quincy, 10 MW").treatment == "SDI55"
    ids = {t.name: t.id for t in demo.manifest.treatments}
    assert ids["SDI55"] == FRREDSS_TREATMENT_IDS["SDI55"] == 3
    assert ids["TFB80"] == 11


@pytest.mark.case("A24")
def test_a24_saw_logs_are_never_burned_unless_asked(answer):
    plain = answer("10 MW at Quincy, TFB40")
    whole = answer("10 MW at Quincy, TFB40, burn the whole tree")
    assert plain["query"]["feedstock"] == "residue"
    assert value(plain, "coproduct_gt") > 0
    assert whole["query"]["feedstock"] == "whole_tree"
    assert value(whole, "coproduct_gt") == 0
    assert value(whole, "selected_clusters") < value(plain, "selected_clusters")


@pytest.mark.case("A25")
def test_a25_parks_and_wilderness_stay_out_and_are_shown(demo, answer):
    record = answer("25 MW at Chester, within 60 km")
    names = demo.manifest.codes["land_use"]
    keys = np.asarray(demo.column("cluster_no"))
    mine = np.isin(keys, record["selected"])
    land = {names[i] for i in np.unique(np.asarray(demo.column("land_use"))[mine])}
    assert land <= {"private", "usfs"}
    assert not np.asarray(demo.column("wilderness"))[mine].any()
    assert value(record, "protected_excluded_bdt") > 0
    reasons = {row[0] for row in record["tables"]["excluded"]["rows"]}
    assert "wilderness" in reasons
    assert "left out" in record["text"]


@pytest.mark.case("A26")
def test_a26_move_in_and_unloading_are_lines(case, answer):
    record = answer(f"{case['input']}")
    labels = [row[0] for row in record["tables"]["components"]["rows"]]
    assert "move-in" in labels
    assert "unloading" in labels
    assert 0 < value(record, "move_in_cost") < 5
    assert value(record, "unloading_cost") == pytest.approx(1.087, abs=0.01)
    parts = ("average_harvest_cost", "average_haul_cost", "unloading_cost", "move_in_cost")
    assert sum(value(record, p) for p in parts) == pytest.approx(value(record, "average_delivered_cost"), rel=1e-12)


@pytest.mark.case("A27")
@pytest.mark.parametrize("weight", ["0.2", "0.8", "1"])
def test_a27_marginal_is_the_dearest_and_never_below_average(answer, weight):
    record = answer(f"25 MW at Quincy, fire weight {weight}")
    assert value(record, "last_ton_cost") >= value(record, "average_delivered_cost")
    curve = record["tables"]["supply_curve"]["rows"]
    assert value(record, "last_ton_cost") == pytest.approx(max(row[1] for row in curve), rel=1e-12)


@pytest.mark.case("A29")
def test_a29_fire_is_told_in_honest_words(answer):
    record = answer("25 MW at Quincy, alpha 0.8")
    assert record["query"]["fire_weight"] == pytest.approx(0.2)
    text = record["text"].lower()
    assert "as likely to burn" in text
    for lie in ("reduc", "lower the risk", "prevents", "protects"):
        assert lie not in text
    ratio = value(record, "mean_burn_probability") / value(record, "baseline_burn_probability")
    assert value(record, "burn_probability_ratio") == pytest.approx(ratio)


@pytest.mark.case("A36")
@pytest.mark.parametrize(("name", "county"), [("Greenville", "Plumas"), ("Quincy", "Plumas"), ("Auburn", "Placer")])
def test_a36_the_californian_town_and_its_county(answer, name, county):
    place = answer(f"10 MW near {name}")["query"]["locations"][0]
    assert place["name"] == name
    assert place["county"] == county


@pytest.mark.case("A37")
@pytest.mark.parametrize("name", ["Mt. Shasta", "Mt Shasta City"])
def test_a37_mt_shasta_is_mount_shasta(name):
    place = parse(f"20 MW at {name}").locations[0]
    assert place.name == "Mount Shasta"
    assert float(haversine_km(place.lat, place.lon, 41.310, -122.312)) < 5


@pytest.mark.case("A38")
@pytest.mark.parametrize("name", ["North Fork", "Wilseyville", "Camptonville", "Bieber", "Chinese Camp"])
def test_a38_small_towns_are_found(name):
    place = parse(f"3 MW in {name}").locations[0]
    assert place.name == name
    assert place.kind == "place"


@pytest.mark.case("A40")
@pytest.mark.parametrize("where", ["89501", "Lakeview OR", "Reno, Nevada"])
def test_a40_outside_california_is_said(answer, where):
    record = answer(f"25 MW near {where}")
    assert record["query"]["locations"][0]["kind"] == "outside"
    assert record["status"] == "refused"
    assert record["exit_code"] == 2
    assert "California" in record["text"]


@pytest.mark.case("A45")
@pytest.mark.parametrize("question", ["25 MW in the middle of Death Valley", "50 MW Farallon"])
def test_a45_no_forest_ends_at_once_with_what_there_is(answer, question):
    record = answer(question)
    assert record["status"] == "refused"
    assert record["exit_code"] in (2, 3)
    assert "BDT" in record["text"]
    assert "MW" in record["text"]


@pytest.mark.case("A46")
def test_a46_infeasible_says_what_is_possible_and_what_binds(answer):
    record = answer("50 MW at Quincy within 15 km")
    assert record["status"] == "refused"
    assert record["exit_code"] == 3
    assert 0 < value(record, "obtainable_bdt") < value(record, "demand_bdt")
    assert 0 < value(record, "largest_capacity_mw") < 50
    assert value(record, "radius_needed_km") > 15
    again = answer(f"{value(record, 'largest_capacity_mw') * 0.99:.2f} MW at Quincy within 15 km")
    assert again["status"] == "answered"
    wider = answer(f"50 MW at Quincy within {value(record, 'radius_needed_km')} km")
    assert wider["status"] == "answered"
    nearly = answer(f"50 MW at Quincy within {value(record, 'radius_needed_km') - 1} km")
    assert nearly["status"] == "refused"


@pytest.mark.case("A32")
def test_a32_a_what_if_needs_no_second_retrieval_and_lasts_through_the_projection(answer):
    cache = CatchmentCache()
    first = "18 MW at Quincy, delivered cost?"
    plain = answer(first, cache=cache)
    dear = answer("What if diesel hits $6.50?", first, cache=cache)
    assert [t["cache"] for t in dear["trace"] if t["stage"] == "retrieval"] == ["hit", "hit", "hit"]
    for part in ("average_harvest_cost", "average_haul_cost"):
        assert value(dear, part) > value(plain, part)
    assert value(dear, "unloading_cost") == value(
        plain, "unloading_cost"
    )  # a quarter hour of truck and driver, no diesel
    later = answer("keep the diesel and project 20 years", first, "What if diesel hits $6.50?", cache=cache)
    assert later["query"]["intent"] == "projection"
    assert later["query"]["overrides"] == {"diesel_usd_per_gal": 6.5}
    assert {t["cache"] for t in later["trace"] if t["stage"] == "retrieval"} == {"hit"}
    table = later["tables"]["projection"]
    column = {name: i for i, name in enumerate(table["columns"])}
    rows = table["rows"]
    assert rows[0][column["delivered_usd_per_bdt"]] == pytest.approx(value(dear, "average_delivered_cost"), rel=1e-12)
    for row in rows:
        grown = row[column["delivered_usd_per_bdt"]] * 1.026 ** (row[column["year"]] - 1)
        assert row[column["delivered_usd_of_the_year_per_bdt"]] == pytest.approx(grown, rel=1e-12)
    plain_later = answer("project 20 years", first, cache=cache)["tables"]["projection"]["rows"]
    assert all(
        a[column["delivered_usd_per_bdt"]] > b[column["delivered_usd_per_bdt"]]
        for a, b in zip(rows, plain_later, strict=True)
    )


@pytest.mark.case("A53")
def test_a53_numbers_exist_before_prose(answer):
    record = answer("Project 8 MW at Chester over 12 years")
    stages = [step["stage"] for step in record["trace"]]
    assert stages.index("computation") < stages.index("synthesis")
    assert len(record["tables"]["projection"]["rows"]) >= 12
    assert all(record["values"][claim["value_id"]]["value"] is not None for claim in record["claims"])


@pytest.mark.case("A54")
def test_a54_runs_with_stated_defaults(answer):
    record = answer("25 MW near Quincy")
    assert record["status"] == "answered"
    inferred = {i["field"]: i["value"] for i in record["inferred"]}
    assert inferred["treatment"] == "SDI55"
    assert inferred["technology"] == "combustion"
    assert {"system", "radius_km", "fire_weight", "land_use", "moisture_pct"} <= set(inferred)
    assert "capacity_mw" not in inferred
    assert "?" not in record["text"]


@pytest.mark.case("A58")
def test_a58_miles_are_miles(case, answer):
    record = answer(f"10 MW at Quincy within {case['input'].strip(chr(34))}")
    assert record["query"]["radius_km"] == pytest.approx(40.2336)
    assert value(record, "radius_km") == pytest.approx(40.2336)
    assert value(record, "radius_miles") == pytest.approx(25)
    assert "25 miles" in record["text"]


def test_gasification_demand_is_the_domain_figure():
    assert round(demand_bdt(3, DEFAULT_PERFORMANCE["gasification"])) == 23_992
    assert truck_loads(186_815.2, 35) == 11_496


@pytest.mark.case("A41")
def test_a41_no_road_is_shorter_than_the_line_and_a_missing_one_is_flagged(demo, answer):
    record = answer("25 MW near Quincy, within 60 km")
    table = record["tables"]["supply_curve"]
    curve = [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]
    keys = {int(key): i for i, key in enumerate(demo.column("cluster_no"))}
    place = record["query"]["locations"][0]
    for point in curve:
        at = keys[point["cluster_no"]]
        straight = haversine_km(place["lat"], place["lon"], demo.column("lat")[at], demo.column("lon")[at])
        assert point["road_km"] >= max(1.0, straight)
    rows = np.flatnonzero(demo.roads.landing_node < 0)
    assert len(rows)
    trips = SiteRoads(demo.roads, place["lat"], place["lon"]).to(rows, np.full(len(rows), 50.0))
    assert np.isnan(trips.km).all()
    assert np.isnan(trips.hours).all()


@pytest.mark.case("A43")
def test_a43_fifty_miles_by_zone_is_approximate_with_the_error_of_its_band(demo, answer):
    rows = {(r["mode"], r["band_km"][0]): r for r in demo.manifest.transport["accuracy"]}
    record = answer("25 MW near Quincy within 50 miles, zone factors")
    row = rows["zone", 60]
    assert value(record, "transport_error_pct") == row["mape_pct"]
    assert value(record, "transport_aggregate_error_pct") == row["aggregate_error_pct"]
    said = next(w["message"] for w in record["warnings"] if w["code"] == "transport_approximate")
    assert f"{row['mape_pct']:.1f} %" in said
    assert "60 to 100 km" in record["text"]
    near = answer("10 MW near Quincy within 28 km, zone factors")
    assert "transport_approximate" not in codes(near)
    assert "20 to 30 km" in near["text"]
    assert value(near, "transport_error_pct") == rows["zone", 20]["mape_pct"]
    banded = answer("25 MW near Quincy within 50 miles, stratified distances")
    assert abs(value(banded, "transport_aggregate_error_pct")) < abs(row["aggregate_error_pct"]) / 2
    default = answer("25 MW near Quincy within 50 miles")
    assert value(default, "transport_mode") == "network"


@pytest.mark.case("A44")
def test_a44_twenty_years_by_the_network_take_one_search_of_the_stored_graph(answer):
    record = answer("25 MW near Quincy over 20 years")
    assert value(record, "transport_mode") == "network"
    assert [t["cache"] for t in record["trace"] if t["tool"] == "search_roads"] == ["miss"]
    assert len(record["tables"]["projection"]["rows"]) == 20
