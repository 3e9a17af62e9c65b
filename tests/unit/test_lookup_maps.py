"""Maps of answers: what they show, that nothing is drawn where nothing can be, and how they refuse."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest
from tests.support.lookup import haversine, small_set

from csrag.ask.pipeline import ask
from csrag.errors import CsragError
from csrag.geo import to_albers_m
from csrag.interfaces.cli import main
from csrag.interfaces.maps import geojson, palette
from csrag.interfaces.maps.answers import scene_of
from csrag.interfaces.maps.drawing import drawing_of
from csrag.interfaces.maps.geojson import geojson_of
from csrag.interfaces.maps.scene import Cells, Circle, Scene, frame_of, limits, raster_of, towns_in

LOOKUP = "How much SDI55 residue is in Tuolumne County?"
SITE = "0.5 MW plant at Twain Harte, SDI55"
NAMESPACE = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return small_set(tmp_path_factory.mktemp("maps") / "set", "Tuolumne", treatments=("SDI55",))


@pytest.fixture(scope="module")
def site(store):
    answer = ask(store, SITE)
    assert answer.status == "answered", answer.text
    return answer


def squares(features):
    return [f["properties"] for f in features["features"] if f["properties"]["kind"] == "cell"]


def test_a_site_shows_what_is_taken_and_what_it_costs(store, site):
    found = json.loads(geojson_of(scene_of(site, store)))
    assert found["synthetic"] is True
    assert store.hash[:16] in found["note"]
    cells = squares(found)
    assert len(cells) == site.facts["candidate_clusters"].value
    taken = [c for c in cells if c["taken"]]
    assert {c["cluster_no"] for c in taken} == set(site.selected)
    tons = sum(c["feedstock_bdt"] for c in taken)
    assert tons == pytest.approx(site.facts["feedstock_selected_bdt"].value, rel=1e-6)
    mean = sum(c["feedstock_bdt"] * c["delivered_usd_per_bdt"] for c in taken) / tons
    assert mean == pytest.approx(site.facts["average_delivered_cost"].value, rel=1e-5)
    circle = next(f for f in found["features"] if f["properties"]["kind"] == "circle")
    lat, lon = site.query.locations[0].lat, site.query.locations[0].lon
    for x, y in circle["geometry"]["coordinates"][0]:
        assert haversine(lat, lon, y, x) == pytest.approx(site.facts["radius_km"].value, rel=1e-4)


def test_a_stock_taking_shows_its_clusters_and_its_area(store):
    answer = ask(store, LOOKUP)
    found = json.loads(geojson_of(scene_of(answer, store)))
    cells = squares(found)
    assert len(cells) == answer.facts["forest_clusters"].value
    counted = [c for c in cells if c["counted"]]
    assert sum(c["feedstock_bdt"] for c in counted) == pytest.approx(answer.facts["stock_bdt"].value, rel=1e-6)
    assert sum(f["properties"]["kind"] == "area" for f in found["features"]) == 1
    assert any(c["burn_probability"] is None for c in cells)
    owners = scene_of(ask(store, "Who owns the forest within 20 miles of Twain Harte?"), store)
    assert owners.cells is not None
    assert "US Forest Service" in owners.cells.classes


def test_a_square_lies_around_its_cluster(store):
    scene = scene_of(ask(store, LOOKUP), store)
    feature = next(f for f in json.loads(geojson_of(scene))["features"] if f["properties"]["kind"] == "cell")
    ring = np.array(feature["geometry"]["coordinates"][0])
    assert np.array_equal(ring[0], ring[-1])
    x, y = to_albers_m(ring[:-1, 1], ring[:-1, 0])
    assert np.ptp(x) == pytest.approx(360, abs=0.2)
    assert np.ptp(y) == pytest.approx(360, abs=0.2)
    assert scene.cells is not None
    cx, cy = to_albers_m(scene.cells.lat[:1], scene.cells.lon[:1])
    assert (x.mean(), y.mean()) == pytest.approx((float(cx[0]), float(cy[0])), abs=0.2)


@pytest.mark.parametrize("with_library", [True, False])
def test_many_clusters_are_summed_up(store, monkeypatch, with_library):
    if with_library:
        pytest.importorskip("h3")
    else:
        monkeypatch.setattr("csrag.build.hexagons.require_h3", _no_library)
    monkeypatch.setattr(geojson, "MOST_CELLS", 100)
    answer = ask(store, LOOKUP)
    features = [f["properties"] for f in json.loads(geojson_of(scene_of(answer, store)))["features"]]
    sums = [f for f in features if f["kind"] == "sum"]
    assert 1 < len(sums) < answer.facts["forest_clusters"].value
    assert sum(f["clusters"] for f in sums) == answer.facts["forest_clusters"].value
    assert sum(f["area_acres"] for f in sums) == pytest.approx(answer.facts["forest_acres"].value, rel=1e-6)


def _no_library():
    from csrag.errors import RequestError

    raise RequestError("h3 is not there.", "", code="extra_missing")


@pytest.mark.parametrize("question", [SITE, LOOKUP, "Who owns the forest within 20 miles of Twain Harte?"])
def test_drawings_are_svg_with_legend_scale_and_mark(store, question):
    text = drawing_of(scene_of(ask(store, question), store))
    root = ET.fromstring(text)
    assert root.tag == NAMESPACE + "svg"
    words = " ".join("".join(t.itertext()) for t in root.iter(NAMESPACE + "text"))
    assert "SYNTHETIC demonstration data" in words
    assert re.search(r"\d+ km", words)
    assert store.hash[:16] in words
    unit = "USD per BDT" if question == SITE else "US Forest Service" if "owns" in question else "BDT per acre"
    assert unit in words
    assert len(list(root.iter(NAMESPACE + "path"))) > 5


def test_real_data_is_not_called_synthetic(store):
    scene = replace(scene_of(ask(store, LOOKUP), store), synthetic=False)
    assert "SYNTHETIC" not in drawing_of(scene)
    assert json.loads(geojson_of(scene))["synthetic"] is False


def test_pictures_are_png(store, site):
    pytest.importorskip("matplotlib")
    from csrag.interfaces.maps.picture import picture_of

    data = picture_of(scene_of(site, store))
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert len(data) > 20_000


def test_pixels_keep_full_squares_over_faint_ones():
    lat = np.array([38.0, 38.0, 38.0])
    cells = Cells(lat, np.array([-120.0, -120.0, -119.9]), 360.0, np.array([10.0, 30.0, 50.0]), "cost", "USD per BDT",
                  np.array([True, False, True]))  # fmt: skip
    raster = raster_of(cells)
    assert np.nanmin(raster.values) == 30
    assert raster.there.sum() == 2
    assert raster.pale.sum() == 1


def test_limits_are_never_equal():
    flat = Cells(np.zeros(3), np.zeros(3), 360.0, np.full(3, 7.0), "", "", np.zeros(3, bool))
    low, high = limits(flat)
    assert low < 7 < high
    nothing = replace(flat, values=np.full(3, np.nan))
    assert limits(nothing) == (0.0, 1.0)


def test_ramp_gets_lighter_all_the_way():
    colours = palette.ramp(np.linspace(0, 1, 50))
    light = colours @ np.array([0.2126, 0.7152, 0.0722])
    assert (np.diff(light) > 0).all()


def test_towns_leave_each_other_room():
    scene = Scene("", None, (), (Circle(40.0, -121.0, 50.0),), (), True, "")
    frame = frame_of(scene)
    towns = towns_in(frame, [])
    assert 3 < len(towns) <= 14
    assert len({name for name, *_ in towns}) == len(towns)


# --- the command ------------------------------------------------------------------------------------------------------


def run(*arguments):
    return main([str(a) for a in arguments])


def test_the_command_writes_each_kind_of_map(store, tmp_path, capsys):
    for suffix in ("svg", "geojson", "png"):
        if suffix == "png":
            pytest.importorskip("matplotlib")
        file = tmp_path / f"map.{suffix}"
        assert run("ask", LOOKUP, "--data", store.path, "--json", "--map", file) == 0
        out, err = capsys.readouterr()
        assert json.loads(out)["status"] == "answered"
        assert "map written" in err
        assert file.stat().st_size > 1000
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.parametrize(
    ("name", "words"),
    [("map.jpg", "no kind of map"), ("map", "no kind of map"), ("no/such/map.svg", "cannot be written")],
)
def test_a_map_that_cannot_be_written_is_refused_before_anything_is_computed(
    store, tmp_path, capsys, monkeypatch, name, words
):
    monkeypatch.setattr("csrag.interfaces.cli.ask._answers", lambda *_: pytest.fail("it computed first"))
    assert run("ask", LOOKUP, "--data", store.path, "--map", tmp_path / name) == 2
    assert words in capsys.readouterr().err


def test_a_missing_extra_is_named_before_anything_is_computed(store, tmp_path, capsys, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.setattr("csrag.interfaces.cli.ask._answers", lambda *_: pytest.fail("it computed first"))
    assert run("ask", LOOKUP, "--data", store.path, "--map", tmp_path / "map.png") == 2
    assert 'pip install "csrag[report]"' in capsys.readouterr().err


def test_an_answer_with_nothing_on_a_map_writes_none_and_says_so(store, tmp_path, capsys):
    file = tmp_path / "map.svg"
    file.write_text("before")
    assert run("ask", "How do you compute harvest cost?", "--data", store.path, "--map", file) == 2
    assert "No map was written" in capsys.readouterr().err
    assert file.read_text() == "before"
    assert run("ask", "How much biomass is in Modoc County?", "--data", store.path, "--map", file) == 3
    assert "No map was written" in capsys.readouterr().err
    assert [p.name for p in tmp_path.iterdir()] == ["map.svg"]
    with pytest.raises(CsragError, match="No map was written"):
        scene_of(ask(store, "How do you compute harvest cost?"), store)
