"""What a question reads of its circle, the search in several pieces, and the benchmark that times both."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.support.layers import build_small

from csrag.ask.intent import parse
from csrag.ask.records import Location
from csrag.ask.retrieval.catchment import retrieve
from csrag.geo import haversine_km
from csrag.surfaces import index as index_module
from csrag.surfaces.index import CellGrid, RadiusIndex
from csrag.surfaces.stores.columnar import ColumnarStore
from csrag.surfaces.stores.reading import CircleReader

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out: Path = tmp_path_factory.mktemp("reads") / "small"
    build_small(out, n=600)
    return out


def benchmark(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / "retrieval.py"), *arguments],
        capture_output=True,
        text=True,
        check=True,
    )


def test_the_question_s_columns_of_the_benchmark_are_those_that_a_question_reads(built, monkeypatch):
    whole: list[str] = []
    original = CircleReader.read

    def noting(self: CircleReader, name: str) -> np.ndarray:
        if len(self._hits.rows) == circle:
            whole.append(name)
        return original(self, name)

    store = ColumnarStore(built)
    circle = len(store.within(40.0, -121.0, 28.0)[0])
    monkeypatch.setattr(CircleReader, "read", noting)
    query = replace(parse("20 MW at Quincy within 28 km"), treatment="SDI55")
    found = retrieve(store, Location("A mill", "coordinates", None, 40.0, -121.0), query, 1e5)
    assert 0 < len(found.frame) < found.rows_read == circle
    declared = (ROOT / "benchmarks" / "retrieval.py").read_text(encoding="utf-8")
    (line,) = [line for line in declared.splitlines() if line.startswith("QUESTION_COLUMNS")]
    assert {"distance_km", *whole} == set(line.split('"')[1::2])


def test_the_benchmark_compares_before_it_times(built):
    result = json.loads(benchmark("--data", str(built), "--radius", "28", "60", "--repeats", "2", "--json").stdout)
    assert [circle["radius_km"] for circle in result["circles"]] == [28.0, 60.0]
    store = ColumnarStore(built)
    for circle in result["circles"]:
        assert circle["rows"] == len(store.within(39.9368, -120.9465, circle["radius_km"])[0]) > 0
        assert circle["every"]["brute_ms"] > 0 < circle["question"]["warm_ratio"]


@pytest.mark.parametrize("size", [1, 7, 64, 4000])
def test_a_search_in_pieces_finds_the_same(size, monkeypatch):
    monkeypatch.setattr(index_module, "_CHUNK", size)
    rng = np.random.default_rng(3)
    lat, lon = rng.uniform(39.0, 41.0, 900), rng.uniform(-122.0, -120.0, 900)
    grid = CellGrid.around(lat, lon)
    order, offsets = grid.order(lat, lon, np.arange(900))
    lat, lon = lat[order], lon[order]
    index = RadiusIndex(grid, offsets, lat, lon)
    for radius in (0.0, 3.0, 28.0, 60.0, 300.0):
        for _ in range(2):  # the second time with what the first kept
            hits = index.search(39.9, -120.9, radius)
            distance = haversine_km(39.9, -120.9, lat, lon)
            np.testing.assert_array_equal(hits.rows, np.flatnonzero(distance <= radius))
            np.testing.assert_array_equal(hits.distance_km, distance[distance <= radius])
