"""The road network in a layer set: written in cell order, hashed, resumed, found damaged; absent where there is none."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.layers import SmallSource, build_small, bytes_of
from tests.support.roads import RoadedSource

from csrag.build.materialize import materialize
from csrag.errors import DataError, LayerSetDamagedError, TableRefusedError
from csrag.simulators.road_graph import RoadGraph, search
from csrag.surfaces.catalog import CORE_COLUMNS, ROAD_COLUMNS
from csrag.surfaces.manifest import Manifest
from csrag.surfaces.stores.columnar import ColumnarStore

ROOT = Path(__file__).resolve().parents[2]


def build(out: Path, **changes: Any) -> Manifest:
    return materialize(RoadedSource(**changes), out, workers=1, block_rows=40)


@pytest.fixture(scope="module")
def roaded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out: Path = tmp_path_factory.mktemp("roaded") / "small"
    build(out)
    return out


def test_columns_are_listed_with_units_and_hashes(roaded):
    store = ColumnarStore(roaded)
    assert {*ROAD_COLUMNS, *CORE_COLUMNS} <= set(store.manifest.columns)
    assert store.manifest.units["landing_hours"] == "hours"
    assert store.manifest.units["road_km"] == "km"
    assert store.verify() == []
    assert store.manifest.distance_modes == ("zone", "network")
    told = store.manifest.transport
    assert told is not None
    assert told["network"]["nodes"] == len(store.column("road_node_lat"))
    assert told["network"]["edges"] * 2 == len(store.column("road_km"))
    assert store.roads is store.roads


def test_each_cluster_keeps_its_own_landing(roaded):
    store, source = ColumnarStore(roaded), RoadedSource()
    made, numbers = source.road_network(), source.clusters()["cluster_no"]
    assert made is not None
    assert 0 < np.count_nonzero(made.landing_node < 0) < len(numbers)
    for number, node, km, hours in zip(numbers, made.landing_node, made.landing_km, made.landing_hours, strict=True):
        row = int(np.flatnonzero(store.column("cluster_no") == number)[0])
        assert store.roads is not None
        assert store.roads.landing_node[row] == node
        assert np.array_equal(store.roads.landing_km[row], km, equal_nan=True)
        assert np.array_equal(store.roads.landing_hours[row], hours, equal_nan=True)


def test_the_stored_graph_gives_what_the_made_one_gives(roaded):
    store, made = ColumnarStore(roaded), RoadedSource().road_network()
    assert store.roads is not None
    assert made is not None
    stored = search(RoadGraph.from_network(store.roads), 39.9, -120.9, 60)
    fresh = search(RoadGraph.from_network(made), 39.9, -120.9, 60)
    assert np.isfinite(stored.road_km).sum() > 100
    assert np.array_equal(stored.road_km, fresh.road_km, equal_nan=True)


def test_a_set_without_roads_is_as_before(tmp_path):
    manifest = build(tmp_path / "bare", roads=False)
    plain = build_small(tmp_path / "plain", block_rows=40)
    assert manifest.layers_hash == plain.layers_hash
    assert manifest.transport is None
    assert manifest.distance_modes == ("zone",)
    assert ColumnarStore(tmp_path / "bare").roads is None


@pytest.mark.parametrize("shuffle", [3, 11])
def test_row_order_of_the_source_does_not_matter(roaded, tmp_path, shuffle):
    build(tmp_path / "shuffled", shuffle=shuffle)
    assert bytes_of(tmp_path / "shuffled") == bytes_of(roaded)


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX")
@pytest.mark.parametrize("moment", ["reading:1", "computing:3", "hashing:1", "fsync:12", "fsync:31", "rename:1"])
def test_killed_and_run_again_gives_the_same_bytes(roaded, tmp_path, moment):
    out = tmp_path / "small"
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.killed_roads", str(out), moment], cwd=ROOT, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == -9, done.stderr
    manifest = build(out)
    assert manifest.layers_hash == ColumnarStore(roaded).hash
    assert bytes_of(out) == bytes_of(roaded)
    assert [p.name for p in tmp_path.iterdir()] == ["small"]


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX")
def test_a_build_without_roads_leaves_none_of_a_killed_one_behind(tmp_path):
    out = tmp_path / "small"
    subprocess.run(
        [sys.executable, "-m", "tests.support.killed_roads", str(out), "computing:3"], cwd=ROOT, capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False, timeout=120,
    )  # fmt: skip
    assert (tmp_path / ".csrag-partial-small" / "road_km.npy").is_file()
    build(out, roads=False)
    assert not [p.name for p in out.iterdir() if p.stem in {**ROAD_COLUMNS, **CORE_COLUMNS}]


@pytest.mark.parametrize("name", [*ROAD_COLUMNS, *CORE_COLUMNS])
def test_a_missing_or_short_file_is_damage(roaded, tmp_path, name):
    import shutil

    for what in ("missing", "short"):
        copy = tmp_path / what
        shutil.copytree(roaded, copy)
        file = copy / f"{name}.npy"
        if what == "missing":
            file.unlink()
        else:
            file.write_bytes(file.read_bytes()[:-4])
        with pytest.raises(LayerSetDamagedError, match=name):
            ColumnarStore(copy)


def test_an_altered_file_is_found_by_verify(roaded, tmp_path):
    import shutil

    shutil.copytree(roaded, tmp_path / "copy")
    file = tmp_path / "copy" / "road_hours.npy"
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(bytes(data))
    assert ColumnarStore(tmp_path / "copy").verify() == [
        "road_hours.npy: column road_hours was altered (its hash differs from the manifest's)"
    ]


def without(roaded: Path, copy: Path, names: list[str]) -> Path:
    """A copy of the set whose manifest, with a hash of its own, does not name these columns."""
    import shutil

    shutil.copytree(roaded, copy)
    data = json.loads((roaded / "manifest.json").read_text())
    for name in names:
        del data["columns"][name]
    (copy / "manifest.json").write_text(Manifest.from_json(data).with_hash().dumps())
    return copy


@pytest.mark.parametrize("name", ["landing_km", "core_end"])
def test_part_of_a_network_is_damage(roaded, tmp_path, name):
    with pytest.raises(LayerSetDamagedError, match=f"no column {name}"):
        ColumnarStore(without(roaded, tmp_path / "copy", [name]))


def test_without_the_stored_contraction_it_is_worked_out_to_the_same_bits(roaded, tmp_path):
    stores = ColumnarStore(roaded), ColumnarStore(without(roaded, tmp_path / "copy", list(CORE_COLUMNS)))
    networks = [store.roads for store in stores]
    assert networks[0] is not None
    assert networks[1] is not None
    assert (networks[0].core is None, networks[1].core is None) == (False, True)
    for engine in ("heap", "scipy"):
        one, other = (
            search(RoadGraph.from_network(n), 40.0, -120.9, 45, engine=engine) for n in networks if n is not None
        )
        assert np.array_equal(one.road_km, other.road_km, equal_nan=True)
        assert np.array_equal(one.hours, other.hours, equal_nan=True)


def with_change(field: str, change: Any) -> type[SmallSource]:
    class Changed(RoadedSource):
        def road_network(self) -> Any:
            made = super().road_network()
            assert made is not None
            return dataclasses.replace(made, **{field: change(np.array(getattr(made, field)))})

    return Changed


def at(index: int, value: float) -> Any:
    def change(values: np.ndarray) -> np.ndarray:
        values[index] = value
        return values

    return change


@pytest.mark.parametrize(
    ("field", "change", "message"),
    [
        ("landing_km", lambda v: v[:-1], "landing_km .* do not fit 300 clusters"),
        ("hours", lambda v: v[:-2], "road_hours .* do not fit"),
        ("indptr", at(3, 10**6), "do not ascend"),
        ("neighbour", at(0, 10**6), "node that does not exist"),
        ("km", at(0, 0.0), "road_km are not above zero"),
        ("hours", at(5, np.nan), "road_hours are not above zero"),
        ("node_lat", at(0, np.nan), "have no position"),
        ("km", at(0, 99.0), "differ between their ends"),
        ("landing_node", at(0, 10**6), "a landing joins a node that does not exist"),
        ("landing_node", lambda v: np.full_like(v, -1), "landing_km is not a length"),
        ("landing_hours", lambda v: v - 1e6, "landing_hours is not a length"),
    ],
)
def test_a_network_that_cannot_be_is_refused_before_anything_is_computed(tmp_path, field, change, message):
    with pytest.raises(TableRefusedError, match=message):
        materialize(with_change(field, change)(), tmp_path / "out", workers=1)
    assert not (tmp_path / "out").exists()


def test_the_room_that_roads_need_is_asked_for(tmp_path, monkeypatch):
    from csrag.build import layout

    class Wide(RoadedSource):
        def road_network(self) -> Any:
            made = super().road_network()
            assert made is not None
            more = 4_000_000
            return dataclasses.replace(
                made, node_lat=np.append(made.node_lat, np.full(more, 40.0)),
                node_lon=np.append(made.node_lon, np.full(more, -121.0)),
                indptr=np.append(made.indptr, np.full(more, made.indptr[-1])),
            )  # fmt: skip

    class Disk:
        free = 60_000_000

    monkeypatch.setattr(layout.shutil, "disk_usage", lambda _: Disk)
    with pytest.raises(DataError, match="has 60 MB free"):
        materialize(Wide(), tmp_path / "out", workers=1)
