"""Laws of an exported layer set: read through DuckDB it is the layer set, to the last bit and in every answer."""

from __future__ import annotations

import functools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.layers import build_small

import csrag
from csrag.build.export_parquet import export_geoparquet
from csrag.geo import EARTH_RADIUS_KM, haversine_km
from csrag.surfaces.catalog import CLUSTER_COLUMNS, COLUMNS
from csrag.surfaces.store import CATCHMENT_COLUMNS, LayerStore
from csrag.surfaces.stores.columnar import ColumnarStore

pytest.importorskip("duckdb", reason="the extra duckdb is not installed")
from csrag.surfaces.stores.parquet import ParquetStore

TREATMENTS = ("SDI55", "TFB40")
ANY_COLUMNS = (*CATCHMENT_COLUMNS, "grade_pct", "elevation_ft", "forest_type", "roaded", "branch_bdt_per_acre")
Pair = tuple[ColumnarStore, ParquetStore]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    folder = tmp_path_factory.mktemp("export-laws")
    build_small(folder / "set", n=900, seed=5)
    store = ColumnarStore(folder / "set")
    export_geoparquet(store, folder / "export")
    return store, ParquetStore(folder / "export")


@pytest.fixture(scope="module")
def demo(demo_layers: Path, tmp_path_factory: pytest.TempPathFactory) -> Pair:
    store = ColumnarStore(demo_layers)
    place = tmp_path_factory.mktemp("export-demo") / "export"
    export_geoparquet(store, place)
    return store, ParquetStore(place)


def assert_same_bytes(a: Any, b: Any) -> None:
    order = [(x.flags.c_contiguous, x.flags.f_contiguous) for x in (a, b)]
    assert (a.dtype, a.shape, order[0]) == (b.dtype, b.shape, order[1])
    assert a.tobytes() == b.tobytes()


def assert_same_catchment(pair: Pair, lat: float, lon: float, radius: float, treatment: str,
                          columns: tuple[str, ...] = ANY_COLUMNS) -> int:  # fmt: skip
    here, there = (store.catchment(lat, lon, radius, treatment, columns) for store in pair)
    assert here.names == there.names
    for name in columns:
        assert_same_bytes(here[name], there[name])
    for one, other in zip(*(store.within(lat, lon, radius) for store in pair), strict=True):
        assert_same_bytes(one, other)
    return len(here)


@given(lat=st.floats(39.2, 40.8), lon=st.floats(-121.8, -119.9), radius=st.floats(0.1, 250.0),
       treatment=st.sampled_from(TREATMENTS))  # fmt: skip
def test_any_circle(small, lat, lon, radius, treatment):
    assert_same_catchment(small, lat, lon, radius, treatment)


@given(at=st.integers(0, 899), to=st.integers(0, 899), nudge=st.sampled_from([-1, 0, 1]))
def test_a_cluster_exactly_on_the_rim(small, at, to, nudge):
    store = small[0]
    lat, lon = store.column("lat"), store.column("lon")
    radius = float(haversine_km(lat[at], lon[at], lat, lon)[to])
    radius = radius if nudge == 0 else max(math.nextafter(radius, math.inf * nudge), 0.0)
    assert_same_catchment(small, float(lat[at]), float(lon[at]), radius, "TFB40")
    found, _ = small[1].within(float(lat[at]), float(lon[at]), radius)
    assert (to in found) == (nudge >= 0 or radius == 0.0)


@given(
    at=st.integers(0, 899), bearing=st.sampled_from(["north", "south", "east", "west"]), away_km=st.floats(0.5, 150.0)
)
def test_a_cluster_where_the_circle_touches_its_box(small, at, bearing, away_km):
    store = small[0]
    lat, lon = float(store.column("lat")[at]), float(store.column("lon")[at])
    angle = away_km / EARTH_RADIUS_KM
    if bearing in ("north", "south"):
        site = (lat - math.degrees(angle) * (1 if bearing == "north" else -1), lon)
    else:  # the easternmost point of a circle lies nearer the pole than its centre
        centre = math.asin(math.sin(math.radians(lat)) * math.cos(angle))
        half = math.degrees(math.asin(math.sin(angle) / math.cos(centre)))
        site = (math.degrees(centre), lon - half * (1 if bearing == "east" else -1))
    radius = float(haversine_km(*site, lat, lon))
    assert abs(radius - away_km) < 1e-6
    assert_same_catchment(small, *site, radius, "SDI55")
    assert at in small[1].catchment(*site, radius, "SDI55", ("row",))["row"]


@pytest.mark.parametrize("site", [(0.0, 0.0), (89.9, -120.0), (-89.0, 60.0), (40.0, 179.9), (40.0, -179.9)])
def test_sites_at_the_ends_of_the_earth(small, site):
    assert assert_same_catchment(small, *site, 400.0, "SDI55") == 0


@given(rows=st.lists(st.integers(0, 899), max_size=40), treatment=st.sampled_from(TREATMENTS))
def test_given_rows(small, rows, treatment):
    wanted = np.array(rows, dtype=np.int64)
    for one, other in zip(*(list(store.stand(wanted, treatment).items()) for store in small), strict=True):
        assert one[0] == other[0]
        np.testing.assert_array_equal(one[1], other[1])
    ascending = np.unique(wanted)
    columns = tuple(name for name in ANY_COLUMNS if name != "distance_km")
    here, there = (store.clusters_at(ascending, treatment, columns) for store in small)
    for name in columns:
        assert_same_bytes(here[name], there[name])


def test_taking_before_reading_is_taking_after(small):
    frame = small[1].catchment(40.0, -120.8, 60.0, "SDI55")
    rows = np.flatnonzero(np.arange(len(frame)) % 3 == 1)[::-1]
    early = frame.take(rows)
    for name in CATCHMENT_COLUMNS:
        np.testing.assert_array_equal(early[name], frame[name][rows])


@pytest.mark.parametrize("which", ["small", "demo"])
def test_every_column_of_the_set(which, request):
    here, there = request.getfixturevalue(which)
    assert here.hash == there.hash
    assert here.manifest == there.manifest
    assert len(here) == len(there)
    for name in here.manifest.columns:
        one, other = here.column(name), there.column(name)
        assert (one.dtype, one.shape) == (other.dtype, other.shape), name
        assert one.tobytes() == other.tobytes(), name
        assert not other.flags.writeable


def test_a_part_of_the_treatments(small, tmp_path):
    whole = small[0]
    export_geoparquet(whole, tmp_path / "part", ["TFB40"])
    part = ParquetStore(tmp_path / "part")
    assert part.manifest.treatment_names == ("TFB40",)
    assert part.hash != whole.hash
    assert part.hash == part.manifest.compute_hash()
    for name, entry in part.manifest.columns.items():
        column = part.column(name)
        assert column.shape == entry.shape
        theirs = whole.column(name)
        by_treatment = name in COLUMNS and name not in CLUSTER_COLUMNS
        assert column.tobytes() == (theirs[1:2] if by_treatment else theirs).tobytes()
    frames = [store.catchment(40.0, -120.8, 60.0, "TFB40") for store in (whole, part)]
    for name in CATCHMENT_COLUMNS:
        assert_same_bytes(frames[0][name], frames[1][name])


def record_of(store: LayerStore, question: str) -> dict[str, Any]:
    """The answer record without times and paths."""
    record: dict[str, Any] = json.loads(json.dumps(csrag.ask(store, question).to_json()))
    record["trace"] = [{k: v for k, v in step.items() if k != "ms"} for step in record["trace"]]
    return record


TREATED = ("SDI55", "TFB40", "RMI100", "TFA60")
TOWNS = ("Quincy", "Chester", "Portola", "Greenville")
FILTERS = ("", ", slopes under 30 %", ", national forest land only", ", burn probability at least 1 %", ", fire weight 0.4",
           ", helicopter", ", transport = zone", ", diesel 6 dollars a gallon")  # fmt: skip


@settings(max_examples=12)
@given(
    mw=st.sampled_from([3, 10, 25]), town=st.sampled_from(TOWNS), treatment=st.sampled_from(TREATED),
    radius=st.sampled_from(["", ", within 40 km", ", within 25 miles"]), limit=st.sampled_from(FILTERS),
)  # fmt: skip
def test_site_answers(demo, mw, town, treatment, radius, limit):
    question = f"{mw} MW plant at {town}, {treatment}{radius}{limit}"
    here, there = map(functools.partial(record_of, question=question), demo)
    assert here == there
    assert here["status"] in {"answered", "partial", "refused"}


@pytest.mark.parametrize("question", [
    "How much biomass is there in Plumas County?",
    "Compare Quincy and Chester for 10 MW",
    "Trade-off of cost and fire for 10 MW at Quincy",
    "What is the largest plant at Portola under 60 $/BDT?",
])  # fmt: skip
def test_other_answers(demo, question):
    here, there = map(functools.partial(record_of, question=question), demo)
    assert here == there
    assert here["status"] == "answered"
