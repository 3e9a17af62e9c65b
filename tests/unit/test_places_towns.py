"""Which towns are known, where they lie, and which namesake is taken."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from csrag.geo import haversine_km
from csrag.places import gazetteer as g
from csrag.places.counties import COUNTY_NAMES, county_at, county_of

# County of each town as printed on a map, not as computed from our polygons.
COUNTY_OF = {
    "Quincy": "Plumas", "Loyalton": "Sierra", "Burney": "Shasta", "Hayfork": "Trinity", "Bieber": "Lassen",
    "North Fork": "Madera", "Camptonville": "Yuba", "Wilseyville": "Calaveras", "Chinese Camp": "Tuolumne",
    "Scotia": "Humboldt", "Westwood": "Lassen", "Foresthill": "Placer", "Anza": "Riverside", "Greenville": "Plumas",
    "Taylorsville": "Plumas", "Sierraville": "Sierra", "Downieville": "Sierra", "Happy Camp": "Siskiyou",
    "Fort Jones": "Siskiyou", "Etna": "Siskiyou", "McCloud": "Siskiyou", "Fall River Mills": "Shasta",
    "McArthur": "Shasta", "Adin": "Modoc", "Canby": "Modoc", "Likely": "Modoc", "Cedarville": "Modoc",
    "Doyle": "Lassen", "Herlong": "Lassen", "Janesville": "Lassen", "Chilcoot": "Plumas", "Graeagle": "Plumas",
    "Blairsden": "Plumas", "Crescent Mills": "Plumas", "Canyondam": "Plumas", "Mineral": "Tehama",
    "Shingletown": "Shasta", "Viola": "Shasta", "Hat Creek": "Shasta", "Cassel": "Shasta", "Big Bend": "Shasta",
    "Round Mountain": "Shasta", "Montgomery Creek": "Shasta", "Lewiston": "Trinity", "Trinity Center": "Trinity",
    "Hyampom": "Trinity", "Zenia": "Trinity", "Covelo": "Mendocino", "Laytonville": "Mendocino",
    "Branscomb": "Mendocino", "Elk": "Mendocino", "Boonville": "Mendocino", "Philo": "Mendocino",
    "Mariposa": "Mariposa", "Groveland": "Tuolumne", "Buck Meadows": "Mariposa", "Coulterville": "Mariposa",
    "Bass Lake": "Madera", "Shaver Lake": "Fresno", "Auberry": "Fresno", "Prather": "Fresno",
    "Dinkey Creek": "Fresno", "Pinehurst": "Fresno", "Springville": "Tulare", "Kernville": "Kern",
    "Lake Isabella": "Kern", "Tehachapi": "Kern", "Idyllwild": "Riverside", "Running Springs": "San Bernardino",
    "Crestline": "San Bernardino", "Truckee": "Nevada", "Kings Beach": "Placer", "Portola": "Plumas",
    "Alturas": "Modoc", "Weed": "Siskiyou", "Redding": "Shasta", "Pollock Pines": "El Dorado", "Woodland": "Yolo",
    "Arcata": "Humboldt", "South Lake Tahoe": "El Dorado", "Tahoe City": "Placer", "Markleeville": "Alpine",
    "Lee Vining": "Mono", "Orick": "Humboldt", "Somes Bar": "Siskiyou", "Mad River": "Trinity", "Volcano": "Amador",
}  # fmt: skip

# Positions from road maps, to 0.02 degrees; the tolerance is 5 km.
POSITION_OF = {
    "Bieber": (41.12, -121.14), "North Fork": (37.23, -119.51), "Camptonville": (39.45, -121.05),
    "Wilseyville": (38.38, -120.51), "Chinese Camp": (37.87, -120.43), "Quincy": (39.94, -120.95),
    "Loyalton": (39.68, -120.24), "Burney": (40.88, -121.66), "Hayfork": (40.55, -123.18), "Scotia": (40.48, -124.10),
    "Foresthill": (39.02, -120.82), "Anza": (33.56, -116.67), "Taylorsville": (40.08, -120.84),
    "Sierraville": (39.59, -120.37), "Canby": (41.44, -120.87), "Adin": (41.19, -120.95), "Likely": (41.23, -120.50),
    "Mineral": (40.35, -121.60), "Big Bend": (41.02, -121.91), "Branscomb": (39.66, -123.63), "Elk": (39.13, -123.72),
    "Coulterville": (37.71, -120.20), "Prather": (37.04, -119.51), "Dinkey Creek": (37.09, -119.16),
    "Crescent Mills": (40.10, -120.91), "Mount Shasta": (41.31, -122.31),
}  # fmt: skip


@pytest.mark.parametrize(("name", "county"), COUNTY_OF.items())
def test_a_town_is_found_in_its_county(name: str, county: str) -> None:
    best = g.lookup(name)[0]
    assert (best.kind, best.state) == ("place", "CA")
    assert best.county == county
    assert county_at(best.lat, best.lon) == county


@pytest.mark.parametrize(("name", "point"), POSITION_OF.items())
def test_a_town_lies_where_the_map_has_it(name: str, point: tuple[float, float]) -> None:
    best = g.lookup(name)[0]
    assert haversine_km(best.lat, best.lon, *point) < 5


@pytest.mark.shared
def test_every_place_of_the_parsed_questions_is_known(shared_dir: Path) -> None:
    wrong = []
    for line in (shared_dir / "acceptance" / "queries.jsonl").read_text(encoding="utf-8").splitlines():
        for want in json.loads(line)["expect"].get("locations") or []:
            if want.get("kind") == "coordinates":
                continue
            found = g.lookup(want["name"])
            kind = want.get("kind", "place")
            if (
                not found
                or found[0].kind != kind
                or want.get("county") not in (None, found[0].county)
                or ("lat" in want and haversine_km(found[0].lat, found[0].lon, want["lat"], want["lon"]) > 5)
            ):
                wrong.append(want)
    assert wrong == []


def test_every_town_lies_in_its_recorded_county() -> None:
    towns = g.towns()
    codes = county_of(towns.lat, towns.lon)
    exceptions = [
        (name, county)
        for name, county, code in zip(towns.name, towns.county, codes, strict=True)
        if code >= len(COUNTY_NAMES) or COUNTY_NAMES[code] != county
    ]
    assert exceptions == []
    assert len(towns.name) > 1600


def test_mount_shasta_is_not_shasta() -> None:
    mount = {g.lookup(n)[0].label for n in ("Mt. Shasta", "mt shasta", "Mount Shasta", "Mt Shasta City", "MT. SHASTA")}
    assert mount == {"Mount Shasta, Siskiyou County"}
    old_shasta = g.lookup("Shasta")[0]
    assert old_shasta.label == "Shasta, Shasta County"
    assert haversine_km(*_at("Mount Shasta"), old_shasta.lat, old_shasta.lon) == pytest.approx(80.4, abs=1)


def _at(name: str) -> tuple[float, float]:
    best = g.lookup(name)[0]
    return best.lat, best.lon


@pytest.mark.parametrize("name", ["Greenville", "Quincy", "Auburn", "Georgetown", "Chester", "Anderson", "Portola"])
def test_a_californian_name_is_not_taken_for_its_bigger_namesake_elsewhere(name: str) -> None:
    readings = g.lookup(name)
    assert readings[0].state == "CA"
    assert len(g.equal_readings(readings)) == 1
    states = [p.state for p in readings]
    assert states == sorted(states, key=lambda s: s != "CA")


def test_namesakes_in_california_are_both_offered() -> None:
    offered = {p.county for p in g.equal_readings(g.lookup("Strawberry"))}
    assert offered == {"Tuolumne", "El Dorado", "Marin"}
    assert {p.county for p in g.equal_readings(g.lookup("Westwood"))} == {"Lassen", "Los Angeles"}
    assert g.lookup("Westwood")[0].county == "Lassen"  # a post office's town before a quarter of that name


def test_a_much_bigger_namesake_is_taken_without_asking() -> None:
    readings = g.lookup("Burbank")
    assert [p.county for p in readings if p.state == "CA"] == ["Los Angeles", "Santa Clara"]
    assert [p.county for p in g.equal_readings(readings)] == ["Los Angeles"]


def test_town_before_county_unless_the_words_say_county() -> None:
    assert [p.kind for p in g.lookup("Mariposa")] == ["place", "county"]
    assert [p.kind for p in g.lookup("Mariposa County")] == ["county"]
    assert g.lookup("Plumas")[0].name == "Plumas County"
    assert g.lookup("Plumas National Forest")[0].kind == "forest"
    assert g.lookup("Lassen NF")[0].name == "Lassen National Forest"
    assert g.lookup("condado de Plumas")[0].name == "Plumas County"


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("Reno", "Reno, NV"), ("Sparks NV", "Sparks, NV"), ("Carson City", "Carson City, NV"), ("Lakeview OR", "Lakeview, OR"),
        ("Lakeview, Oregon", "Lakeview, OR"), ("Klamath Falls", "Klamath Falls, OR"), ("Medford", "Medford, OR"),
        ("Ashland, OR", "Ashland, OR"), ("Yuma", "Yuma, AZ"), ("Portland", "Portland, OR"), ("Oregon", "Oregon"),
        ("Quincy, Illinois", "Quincy, IL"), ("Burney, Indiana", "Burney, IN"),
    ],
)  # fmt: skip
def test_places_elsewhere_are_known_as_such(name: str, label: str) -> None:
    best = g.lookup(name)[0]
    assert best.kind == "outside"
    assert best.county is None
    assert best.label == label


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("Quincy, CA", "Quincy, Plumas County"), ("Greenville California", "Greenville, Plumas County"),
        ("Strawberry, El Dorado County", "Strawberry, El Dorado County"), ("Anderson in Shasta County", "Anderson, Shasta County"),
        ("Truckee, Nevada County", "Truckee, Nevada County"), ("Nevada City", "Nevada City, Nevada County"),
    ],
)  # fmt: skip
def test_county_or_state_after_a_name(name: str, label: str) -> None:
    assert g.lookup(name)[0].label == label


def test_zip_codes() -> None:
    quincy, burney = g.lookup("95971")[0], g.zip_place("96013-1234")
    assert (quincy.kind, quincy.county, quincy.town) == ("zip", "Plumas", "Quincy")
    assert burney is not None
    assert burney.county == "Shasta"
    assert haversine_km(burney.lat, burney.lon, 40.895, -121.655) < 20
    reno = g.zip_place("89501")
    assert reno is not None
    assert (reno.kind, reno.state, reno.town) == ("outside", "NV", "Reno")


@pytest.mark.parametrize(
    ("code", "state"),
    [("97630", "OR"), ("85364", "AZ"), ("10001", "NY"), ("60601", "IL"), ("98101", "WA"), ("84101", "UT"),
     ("96801", "HI"), ("99501", "AK"), ("75201", "TX"), ("02108", "MA")],
)  # fmt: skip
def test_a_zip_of_another_state(code: str, state: str) -> None:
    found = g.zip_place(code)
    assert found is not None
    assert (found.kind, found.state) == ("outside", state)


@pytest.mark.parametrize("code", ["90000", "00000", "1234", "", "abcde", "٩٥٩٧١", "95999"])
def test_no_such_zip(code: str) -> None:
    assert g.zip_place(code) is None


def test_zip_point_and_town_centre_are_kept_apart() -> None:
    quincy = g.lookup("Quincy")[0]
    assert quincy.zip_lat is not None
    assert quincy.zip_lon is not None
    assert 0.5 < haversine_km(quincy.lat, quincy.lon, quincy.zip_lat, quincy.zip_lon) < 20


def test_all_counties() -> None:
    assert len(COUNTY_NAMES) == 58
    for name in COUNTY_NAMES:
        with_word, without = g.county(f"{name} County"), g.county(name)
        assert with_word is not None
        assert with_word == without
        assert (with_word.kind, with_word.county) == ("county", name)
        assert county_at(with_word.lat, with_word.lon) == name
    assert g.county("Washoe County") is None


def test_national_forests_and_regions() -> None:
    forests = (
        "Angeles", "Cleveland", "Eldorado", "Inyo", "Klamath", "Lassen", "Los Padres", "Mendocino", "Modoc", "Plumas",
        "San Bernardino", "Sequoia", "Shasta-Trinity", "Sierra", "Six Rivers", "Stanislaus", "Tahoe", "Humboldt-Toiyabe",
    )  # fmt: skip
    for name in forests:
        best = g.lookup(f"{name} National Forest")[0]
        assert best.kind == "forest", name
        assert county_at(best.lat, best.lon) in best.counties, name
    for name in (
        "North Coast",
        "northern Sierra",
        "SoCal",
        "Bay Area",
        "Central Valley",
        "Modoc Plateau",
        "north state",
    ):
        assert g.lookup(name)[0].kind == "region", name


def test_plants_say_that_their_point_is_the_towns() -> None:
    plant = g.lookup("Collins Pine")[0]
    assert (plant.kind, plant.town, plant.county, plant.approximate) == ("plant", "Chester", "Plumas", True)
    assert (plant.lat, plant.lon) == _at("Chester")


def test_nearest_town() -> None:
    town, distance_km = g.place_near(39.95, -120.95)
    assert town.name == "Quincy"
    assert distance_km == pytest.approx(1.5, abs=0.5)
    towns = g.towns()
    rng = np.random.default_rng(11)
    for lat, lon in zip(rng.uniform(33, 41.9, 20), rng.uniform(-123.5, -116, 20), strict=True):
        found, distance = g.place_near(lat, lon)
        assert distance == haversine_km(lat, lon, towns.lat, towns.lon).min()
        assert haversine_km(lat, lon, found.lat, found.lon) == pytest.approx(distance)


def test_looking_up_a_name_reads_no_polygons() -> None:
    code = (
        "import sys; from csrag.places import gazetteer as g; assert g.lookup('Quincy'); "
        "print([m for m in ('rapidfuzz', 'pyarrow', 'csrag.places.counties') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
