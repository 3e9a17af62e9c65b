"""Hexagon summaries against plain loops, for any treatment, and the files they are written to."""

from __future__ import annotations

import csv
import json
import math
import sys

import numpy as np
import pytest
from tests.support.lookup import small_set, take_stock

from csrag.build.hexagons import hexagon_index, hexagons, rows_of
from csrag.errors import InvalidValueError
from csrag.interfaces.cli import main

h3 = pytest.importorskip("h3")
TREATMENTS = ("RMI100", "SDI55")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return small_set(tmp_path_factory.mktemp("hexagons") / "set", "Tuolumne", n=800, treatments=TREATMENTS)


@pytest.mark.parametrize("treatment", TREATMENTS)
@pytest.mark.parametrize("resolution", [4, 5, 6])
def test_each_hexagon_is_what_plain_loops_count(store, treatment, resolution):
    found = rows_of(hexagons(store, treatment, resolution=resolution))
    assert sum(row["clusters"] for row in found) == len(store)
    every = ("private", "usfs", "blm", "state", "tribal", "other")
    cell = [
        h3.latlng_to_cell(float(a), float(b), resolution)
        for a, b in zip(store.column("lat"), store.column("lon"), strict=True)
    ]
    for row in found[:12]:
        twin = take_stock(store, lambda r, _a, _b, mine=row["h3"]: cell[r] == mine, treatment, every)
        assert row["clusters"] == twin.forest_clusters
        assert row["acres"] == pytest.approx(twin.forest_acres)
        assert row["protected_acres"] == pytest.approx(twin.protected_acres)
        assert row["feedstock_bdt"] == pytest.approx(twin.bdt)
        assert row["unknown_burn_clusters"] == twin.burn_unknown
        if twin.burn_known_acres:
            assert row["mean_burn_probability"] == pytest.approx(twin.burn_acres / twin.burn_known_acres)
        else:
            assert row["mean_burn_probability"] is None
        if twin.costs:
            mean = sum(c * t for c, t in twin.costs) / sum(t for _, t in twin.costs)
            assert row["mean_harvest_usd_per_bdt"] == pytest.approx(mean)
        else:
            assert row["mean_harvest_usd_per_bdt"] is None


def test_treatments_differ(store):
    clear_cut, thinned = (hexagons(store, name) for name in TREATMENTS)
    assert not np.allclose(clear_cut.columns["feedstock_bdt"], thinned.columns["feedstock_bdt"])


def test_every_kind_of_file_holds_the_same(store, tmp_path, capsys):
    import pyarrow.parquet as pq

    files = {s: tmp_path / f"hexagons.{s}" for s in ("csv", "geojson", "parquet")}
    for file in files.values():
        assert (
            main(["layers", "hexagons", "--treatment", "SDI55", "--out", str(file), "--data", store.path, "--json"])
            == 0
        )
        said = json.loads(capsys.readouterr().out)
        assert (said["treatment"], said["resolution"], said["synthetic"]) == ("SDI55", 5, True)
    with files["csv"].open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    features = json.loads(files["geojson"].read_text(encoding="utf-8"))
    table = pq.read_table(files["parquet"])
    assert len(rows) == len(features["features"]) == table.num_rows == said["hexagons"]
    for row, feature, other in zip(rows, features["features"], table.to_pylist(), strict=True):
        got = feature["properties"]
        assert row["h3"] == got["h3"] == other["h3"]
        assert float(row["feedstock_bdt"]) == got["feedstock_bdt"] == other["feedstock_bdt"]
        assert (row["mean_harvest_usd_per_bdt"] == "") == (got["mean_harvest_usd_per_bdt"] is None)
        assert row["synthetic"] == "true"
        ring = feature["geometry"]["coordinates"][0]
        assert ring[0] == ring[-1]
        assert math.isclose(np.mean([p[1] for p in ring[:-1]]), got["lat"], abs_tol=0.05)
    assert table.schema.metadata[b"synthetic"] == b"true"


def test_what_cannot_be_done_is_refused(store, tmp_path, capsys, monkeypatch):
    with pytest.raises(InvalidValueError, match="resolution"):
        hexagons(store, "SDI55", resolution=9)
    with pytest.raises(InvalidValueError, match="no treatment"):
        hexagons(store, "TFA20")
    assert main(["layers", "hexagons", "--out", str(tmp_path / "x.xlsx"), "--data", store.path]) == 2
    assert "no kind of table" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "h3.api.basic_int", None)
    assert main(["layers", "hexagons", "--out", str(tmp_path / "x.csv"), "--data", store.path]) == 2
    assert 'pip install "csrag[gis]"' in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_points_fall_into_the_hexagon_that_holds_them():
    rng = np.random.default_rng(1)
    lat, lon = rng.uniform(38, 40, 200), rng.uniform(-122, -120, 200)
    index, at = hexagon_index(lat, lon, 5)
    assert (np.diff(index) > 0).all()
    for i in range(200):
        assert h3.int_to_str(int(index[at[i]])) == h3.latlng_to_cell(lat[i], lon[i], 5)
