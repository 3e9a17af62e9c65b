"""Recipes: every key is checked, everything that is wrong is said at once, and nothing is read before."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.public_sources import HOW_TO, recipe_of_the_page

from csrag.build.recipe.points import read_plants_table, read_substations_table
from csrag.build.recipe.recipe import Recipe, read_recipe
from csrag.build.recipe.schema import SECTIONS
from csrag.errors import InvalidValueError, TableRefusedError
from csrag.places.wood_plants import BDT_PER_MW_YEAR

LEAST = '[output]\nname = "x"\n[clusters]\ntable = "t.csv"\n'


def recipe(folder: Path, text: str, *files: str) -> Recipe:
    for name in ("t.csv", *files):
        (folder / name).write_text("x\n")
    (folder / "recipe.toml").write_text(text, encoding="utf-8")
    return read_recipe(folder)


def refused(folder: Path, text: str, *files: str) -> str:
    with pytest.raises(InvalidValueError) as caught:
        recipe(folder, text, *files)
    assert caught.value.exit_code == 2
    assert caught.value.fix
    return caught.value.message


def test_least_recipe(tmp_path):
    found = recipe(tmp_path, LEAST)
    assert found.parts["clusters"].file("table") == tmp_path / "t.csv"
    assert [part.name for part in found.all_parts] == ["output", "clusters"]
    assert len(found.sha256) == 64
    assert found.sha256 != recipe(tmp_path, LEAST + "\n").sha256


def test_no_recipe_and_no_directory(tmp_path):
    with pytest.raises(InvalidValueError, match=r"has no recipe\.toml"):
        read_recipe(tmp_path)
    with pytest.raises(InvalidValueError, match="is no directory"):
        read_recipe(tmp_path / "nowhere")


@pytest.mark.parametrize("text", ["[output\n", "name = \n", "\ufeff[output]\nname = 'x\n"])
def test_not_toml(tmp_path, text):
    assert "is not TOML" in refused(tmp_path, text)


def test_everything_wrong_is_said_together(tmp_path):
    text = """
[output]
nam = "x"
synthetic = "yes"
[clusters]
table = "tt.csv"
area_unit = "acre"
treatments = "ids.csv"
treatment_ids = "frredss"
zone_factors = [1.2, 9, "a"]
[fires]
raster = "bp.tif"
[dem]
raster = "dem.tif"
vertical_unit = "yards"
[hazard]
polygons = "h.shp"
raster = "h.tif"
classes = { a = "very hi", b = "high" }
[roads]
snap_cap_km = -1
[ownership]
polygons = 7
field = ""
[[exclusions]]
polygons = "w.shp"
[plants]
table = "p.csv"
columns = { megawatt = "MW" }
"""
    message = refused(tmp_path, text)
    lines = message.splitlines()[1:]
    assert all(line.startswith("  - [") for line in lines)
    for said in (
        "[fires]: there is no such section; did you mean fire?",
        "[output] nam: there is no such key; did you mean name?",
        "[output] synthetic: 'yes' is neither true nor false",
        "[output]: name is missing",
        "[clusters] table: the file tt.csv is not there",
        "did you mean t.csv?",
        "[clusters] area_unit: 'acre' is none of acres, hectares; did you mean acres?",
        "[clusters] zone_factors: 9 lies outside 1 to 6",
        "[clusters] zone_factors: 'a' is no number",
        "[dem] raster: the file dem.tif is not there",
        "[dem] vertical_unit: 'yards' is none of m, ft",
        "[hazard]: raster and polygons given; give exactly one of raster, polygons",
        "[hazard] classes: 'a': 'very hi' is none of none, moderate, high, very high; did you mean very high?",
        "[roads] snap_cap_km: -1 lies outside 0.01 to 50",
        "[roads]: neither pbf nor edges given",
        "[ownership] polygons: 7 is no file name",
        "[ownership] field: '' is empty",
        "[exclusions.1]: name is missing",
        "[plants] columns: 'megawatt' is none of name, lat, lon, mw, bdt_per_year",
    ):
        assert said in message, said
    assert f"{len(lines)} problems" in message


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ('treatments = "i.csv"\ntreatment_ids = "frredss"\n', "treatments and treatment_ids are both given"),
        ('zone_factors = [1.3]\n[roads]\npbf = "i.csv"\n', "zones are fitted on [roads]"),
        ('[hazard]\npolygons = "i.csv"\nclasses = { a = "high" }\n', "[hazard]: field is missing"),
        ('[roads]\nedges = "i.csv"\n', "[roads]: nodes is missing"),
        ('[roads]\npbf = "i.csv"\nnodes = "i.csv"\n', "nodes goes with edges"),
        ('[exclusions]\nname = "a"\npolygons = "i.csv"\n', "write it as [[exclusions]]"),
        ('[[exclusions]]\nname = "a"\npolygons = "i.csv"\n[[exclusions]]\nname = "A"\npolygons = "i.csv"\n', "'a' is there twice"),
    ],
)  # fmt: skip
def test_keys_that_do_not_go_together(tmp_path, more, said):
    assert said in refused(tmp_path, LEAST + more, "i.csv")


def test_a_section_that_is_a_value(tmp_path):
    assert "[fire]: write it as a section" in refused(tmp_path, 'fire = "bp.tif"\n' + LEAST)
    assert "the section is missing; it needs table" in refused(tmp_path, '[output]\nname = "x"\n')


def test_a_vintage_may_be_a_number(tmp_path):
    assert recipe(tmp_path, LEAST + "vintage = 2025\n").parts["clusters"].text("vintage") == "2025"


def test_a_directory_is_no_file_but_a_geodatabase_is(tmp_path):
    (tmp_path / "d").mkdir()
    (tmp_path / "own.gdb").mkdir()
    section = '[[exclusions]]\nname = "w"\npolygons = "{}"\n'
    assert "the file d is a directory" in refused(tmp_path, LEAST + section.format("d"))
    assert recipe(tmp_path, LEAST + section.format("own.gdb")).exclusions[0].file("polygons").name == "own.gdb"


def test_the_page_tells_every_key():
    page = HOW_TO.read_text(encoding="utf-8")
    assert set(SECTIONS) <= {line.strip("[]") for line in recipe_of_the_page().splitlines() if line.startswith("[")}
    silent = [f"{name}.{key}" for name, section in SECTIONS.items() for key in section.keys
              if f"`{key}`" not in page and f"{key} = " not in page]  # fmt: skip
    assert not silent


# --- plants and substations -------------------------------------------------------------------------------------------


def table(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "points.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_plants_with_usual_names(tmp_path):
    path = table(tmp_path, "Plant Name,Latitude,Longitude,Nameplate Capacity (MW)\nA,39.9,-120.9,2\nB,45,-120,5\n")
    found = read_plants_table(path, {})
    assert found.outside == 1
    assert found.rows[0]["bdt_per_year"] == pytest.approx(2 * BDT_PER_MW_YEAR)
    assert found.rows[0]["capacity_mw"] == 2
    assert "assumed" in found.rows[0]["basis"]


def test_plants_with_named_columns_and_tons(tmp_path):
    path = table(tmp_path, "who,n,w,MW,dry\nA,39.9,-120.9,2,1000\nB,39.8,-120.8,1,\n")
    found = read_plants_table(path, {"name": "who", "lat": "N", "lon": "w", "bdt_per_year": "dry"})
    assert [round(row["bdt_per_year"]) for row in found.rows] == [1000, round(BDT_PER_MW_YEAR)]


def test_substations_with_unknown_voltage(tmp_path):
    path = table(
        tmp_path, "NAME,LATITUDE,LONGITUDE,MAX_VOLT\nA,39.9,-120.9,60\nB,39.8,-120.8,-999999\nC,39.8,-120.7,\n"
    )
    assert [row["kv"] for row in read_substations_table(path, {}).rows] == [60, None, None]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name,lat\nA,39.9\n", "lacks the columns lon (or lng, longitude, x); mw or bdt_per_year"),
        ("name,lat,lon,mw\nA,-120.9,39.9,1\n", "line 2 has latitude and longitude swapped"),
        ("name,lat,lon,mw\nA,39.9,120.9,1\n", "line 2 has a longitude without its minus sign"),
        ("name,lat,lon,mw\nA,39.9,-120.9,\n", "line 2 has neither mw nor bdt_per_year"),
        ("name,lat,lon,mw\nA,39.9,-120.9,many\n", "line 2 has mw = 'many'"),
        ("name,lat,lon,mw\nA,39.9,-120.9,1\nB,39.9\n", "is cut off or damaged: line 3"),
        ("name,lat,lon,mw\nA,45,-120.9,1\n", "all 1 rows lie outside"),
        ("name,lat,lon,mw\n", "it has no rows"),
        ("", "It has no header"),
        ("name,lat,lon,mw\nA,,,1\n", "line 2 has no point"),
    ],
)
def test_plants_refused(tmp_path, text, said):
    path = table(tmp_path, text)
    with pytest.raises(TableRefusedError) as caught:
        read_plants_table(path, {})
    assert said in caught.value.message
    assert str(path) in caught.value.message
    assert caught.value.fix
