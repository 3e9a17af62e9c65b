"""Plants and substations of a layer set: the other plants of its country, and the end of a power line."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.layers import build_small

from csrag.ask.intent import parse
from csrag.ask.pipeline import ask
from csrag.geo import haversine_km
from csrag.surfaces.manifest import Manifest
from csrag.surfaces.stores.columnar import ColumnarStore

QUINCY = (39.9368, -120.9465)
PLANTS = [
    {
        "name": "Made-up Mill",
        "lat": 39.95,
        "lon": -120.95,
        "bdt_per_year": 300.0,
        "capacity_mw": None,
        "basis": "table x.csv",
    }
]
SUBSTATIONS = [
    {"name": "FAR", "lat": 40.4, "lon": -120.9, "kv": 115.0},
    {"name": "NEAR", "lat": 39.98, "lon": -120.94, "kv": None},
]  # fmt: skip
QUESTION = "0.2 MW plant at Quincy, thin from below, within 40 km"


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> ColumnarStore:
    place = tmp_path_factory.mktemp("points") / "set"
    build_small(place)
    return ColumnarStore(place)


@pytest.fixture(scope="module")
def pointed(plain: ColumnarStore, tmp_path_factory: pytest.TempPathFactory) -> ColumnarStore:
    """The same set with points in its manifest."""
    import shutil

    place = Path(shutil.copytree(plain.path, tmp_path_factory.mktemp("pointed") / "set"))
    manifest = Manifest.from_json(json.loads((place / "manifest.json").read_text()))
    manifest = replace(manifest, points={"plants": PLANTS, "substations": SUBSTATIONS}).with_hash()
    (place / "manifest.json").write_text(manifest.dumps())
    return ColumnarStore(place)


def codes(answer):
    return {caveat.code: caveat.message for caveat in answer.warnings}


def test_points_count_in_the_hash_and_absent_ones_leave_it(plain, pointed):
    assert "points" not in plain.manifest.to_json()
    assert plain.hash != pointed.hash
    assert Manifest.from_json(pointed.manifest.to_json()) == pointed.manifest
    assert pointed.verify() == []


def test_the_sets_plants_are_the_other_plants(plain, pointed):
    answer = ask(pointed, f"{QUESTION}, with existing plants")
    assert answer.status == "answered"
    assert answer.query.other_plants == "layer set"
    assert [row[0] for row in answer.tables["other_plants"].rows] == ["Made-up Mill"]
    assert "the layer set's table" in codes(answer)["other_plants_assumed"]
    assert ask(plain, f"{QUESTION}, with existing plants").query.other_plants == "built-in"


def test_the_users_own_table_comes_before_the_sets(pointed, tmp_path):
    table = tmp_path / "mine.csv"
    table.write_text("name,lat,lon,bdt_per_year\nMine,39.9,-120.9,100\n")
    answer = ask(pointed, QUESTION, plants_file=table)
    assert answer.query.other_plants == "mine.csv"
    assert [row[0] for row in answer.tables["other_plants"].rows] == ["Mine"]
    assert "your table" in codes(answer)["other_plants_assumed"]


def test_neighbours_are_the_sets(plain, pointed):
    said = codes(ask(pointed, QUESTION))["plants_in_circle"]
    assert "Made-up Mill" in said
    assert "by the layer set's table" in said
    assert "Made-up Mill" not in codes(ask(plain, QUESTION)).get("plants_in_circle", "")


def test_a_line_to_the_nearest_substation(pointed):
    answer = ask(pointed, f"{QUESTION}, with a power line to the nearest substation")
    expected = float(haversine_km(*QUINCY, 39.98, -120.94))
    assert answer.facts["line_km"].value == pytest.approx(expected, abs=0.3)
    assert "nearest substation" in answer.facts["line_km"].basis
    assert answer.facts["line_usd"].value > 0
    said = codes(answer)["line_to_substation"]
    assert "NEAR (voltage unknown)" in said
    given = ask(pointed, f"{QUESTION}, with a 5 km power line")
    assert (given.facts["line_km"].value, given.facts["line_km"].basis) == (5.0, "as asked")
    assert "line_to_substation" not in codes(given)


def test_a_set_without_substations_says_so(plain):
    answer = ask(plain, f"{QUESTION}, with a power line to the nearest substation")
    assert answer.status == "answered"
    assert "line_km" not in answer.facts
    assert "holds no substations" in codes(answer)["no_substations"]


@pytest.mark.parametrize(
    ("question", "to", "km"),
    [
        ("25 MW at Quincy with a power line to the nearest substation", True, None),
        ("25 MW at Quincy, transmission line to the closest substation", True, None),
        ("25 MW at Quincy, grid line to its nearest sub-station, fire matters", True, None),
        ("25 MW at Quincy, connected to the nearest substation", True, None),
        ("25 MW at Quincy with a 5 km power line to the nearest substation", False, 5.0),
        ("25 MW at Quincy, 3 km from the substation", False, 3.0),
        ("25 MW at Quincy with a power line", False, None),
        ("25 MW at Quincy", False, None),
    ],
)
def test_words(question, to, km):
    query = parse(question)
    assert (query.line_to_substation, query.line_km) == (to, km)
    assert ("line_to_substation" in query.explicit) is to


def test_a_later_turn_replaces_the_line():
    first = "25 MW at Quincy with a power line to the nearest substation"
    assert parse("and for 30 MW?", [first]).line_to_substation
    other = parse("make it a 5 km power line", [first])
    assert (other.line_to_substation, other.line_km) == (False, 5.0)
    back = parse("with a power line to the nearest substation", [first, "make it a 5 km power line"])
    assert (back.line_to_substation, back.line_km) == (True, None)
    none = parse("drop the power line", [first])
    assert (none.line_to_substation, none.line_km) == (False, None)
    assert "line_to_substation" not in none.explicit
