"""The default store: what it reads back, and every kind of damage refused with what and how to mend it."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path

import numpy as np
import pytest
from tests.support.layers import SmallSource, build_small

from csrag.errors import InvalidValueError, LayerSetDamagedError, LayerSetMissingError
from csrag.simulators.harvest import HarvestEconomics, harvest
from csrag.surfaces import files
from csrag.surfaces.catalog import CLUSTER_COLUMNS, COLUMNS, REMOVAL_COLUMNS, SYSTEMS
from csrag.surfaces.manifest import MANIFEST_FILE, Manifest
from csrag.surfaces.store import CATCHMENT_COLUMNS, LayerStore
from csrag.surfaces.stores.columnar import ColumnarStore
from csrag.surfaces.stores.reading import CircleReader


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out: Path = tmp_path_factory.mktemp("columnar") / "small"
    build_small(out, treatments=("RMI100", "SDI55", "TFB40"))
    return out


@pytest.fixture
def copy(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "copy"))


def test_reads_back_what_the_source_gave(built):
    store, source = ColumnarStore(built), SmallSource(treatments=("RMI100", "SDI55", "TFB40"))
    given = source.clusters()
    order = {int(no): i for i, no in enumerate(given["cluster_no"])}
    back = np.array([order[int(no)] for no in store.column("cluster_no")])
    for name in CLUSTER_COLUMNS:
        np.testing.assert_array_equal(store.column(name), given[name][back])
    for t, treatment in enumerate(store.manifest.treatment_names):
        tons = source.removals(treatment, slice(0, 300))
        for name in REMOVAL_COLUMNS:
            np.testing.assert_array_equal(store.column(name)[t], tons[name][back].astype(np.float32))


@pytest.mark.parametrize("treatment", ["RMI100", "SDI55"])
def test_stored_costs_are_those_of_a_what_if_at_the_defaults(built, treatment):
    store = ColumnarStore(built)
    rows = np.arange(5, 290, 3)
    known = rows[np.isfinite(store.column("coproduct_bdt")[store.manifest.treatment_names.index(treatment)][rows])]
    result = harvest(store.stand(known, treatment), SYSTEMS, HarvestEconomics(**store.manifest.economics),
                     clear_cut=treatment == "RMI100", mapping=store.manifest.mapping)  # fmt: skip
    at = store.manifest.treatment_names.index(treatment)
    for name in ("cost_usd_per_bdt", "feedstock_bdt", "coproduct_bdt"):
        stored = np.ascontiguousarray(store.column(name)[at][..., known])
        assert stored.tobytes() == getattr(result, name).astype(np.float32).tobytes(), name


def test_missing_records_are_unknown_not_zero(built):
    store = ColumnarStore(built)
    unknown = np.isnan(store.column(REMOVAL_COLUMNS[0]))
    assert unknown.any()
    assert np.isnan(store.column("feedstock_bdt").transpose(0, 2, 1)[unknown]).all()
    assert np.isnan(store.column("coproduct_bdt")[unknown]).all()
    assert np.isnan(store.column("cost_usd_per_bdt").transpose(0, 2, 1)[unknown]).all()
    assert store.manifest.counts["missing_records"] == int(unknown.sum())
    assert store.manifest.counts["records"] == int((~unknown).sum())


def test_counts_and_scales_by_hand(built):
    store = ColumnarStore(built)
    m = store.manifest
    cost = store.column("cost_usd_per_bdt").astype(np.float64)
    assert m.counts["feasible_records"] == int(np.isfinite(cost).any(axis=1).sum())
    of_tfb40 = cost[m.treatment_names.index("TFB40")][:8]
    of_tfb40 = np.where(np.isnan(of_tfb40), np.inf, of_tfb40).min(axis=0)
    u = of_tfb40[np.isfinite(of_tfb40)] + 30 * 0.32682648
    assert (m.scales.u_lo_usd_per_bdt, m.scales.u_hi_usd_per_bdt) == pytest.approx(
        tuple(np.percentile(u, [5, 95])), rel=1e-5
    )
    p = store.column("burn_probability").astype(np.float64)
    assert (m.scales.p_lo, m.scales.p_hi) == pytest.approx(tuple(np.percentile(p[np.isfinite(p)], [5, 95])))
    assert "TFB40" in m.scales.basis


def test_is_a_store_and_opens_fast(built):
    store = ColumnarStore(built)
    assert isinstance(store, LayerStore)
    assert len(store) == 300
    assert store.path == str(built)
    assert "300 clusters" in repr(store)
    begin = time.perf_counter()
    for _ in range(10):
        ColumnarStore(built)
    assert (time.perf_counter() - begin) / 10 < 0.1
    with pytest.raises(ValueError, match="read-only"):
        store.column("lat")[0] = 1.0


def test_manifest_round_trip_and_units(built):
    manifest = ColumnarStore(built).manifest
    assert Manifest.from_json(json.loads(manifest.dumps())) == manifest
    assert manifest.compute_hash() == manifest.layers_hash
    assert manifest.units["cost_usd_per_bdt"] == "USD per BDT"
    assert set(manifest.columns) == {*COLUMNS, "cell_offsets"}


def test_headers_are_those_that_numpy_reads(built):
    for name, column in COLUMNS.items():
        loaded = np.load(built / f"{name}.npy")
        assert loaded.dtype == np.dtype(column.dtype)
        np.testing.assert_array_equal(loaded, ColumnarStore(built).column(name))
    assert len(files.header("<f4", (1, 2, 3))) % 64 == 0


def test_unknown_treatment_is_the_request_s_fault(built):
    with pytest.raises(InvalidValueError, match="SDI30") as caught:
        ColumnarStore(built).catchment(40.0, -121.0, 10.0, "SDI30")
    assert "SDI55" in caught.value.fix


def test_verify_of_a_whole_set_finds_nothing(built):
    assert ColumnarStore(built).verify() == []


@pytest.mark.parametrize("name", CATCHMENT_COLUMNS)
def test_rows_taken_before_a_column_is_read_are_those_taken_after(built, name):
    circle = (40.0, -121.0, 45.0, "TFB40")
    whole = ColumnarStore(built).catchment(*circle)
    assert len(whole) > 50
    rows = np.random.default_rng(5).permutation(len(whole))[:40]  # in no order, as a selection leaves them
    expected = whole[name][rows]
    for frame in (whole, ColumnarStore(built).catchment(*circle)):  # one has read the column, one has not
        np.testing.assert_array_equal(frame.take(rows)[name], expected)
        np.testing.assert_array_equal(frame.take(rows).take(np.array([3, 3, 0]))[name], expected[[3, 3, 0]])
        assert not frame.take(rows)[name].flags.writeable


def test_a_column_is_read_when_asked_for_and_once(built, monkeypatch):
    read: list[str] = []
    original = CircleReader.read

    def counting(self: CircleReader, name: str) -> np.ndarray:
        read.append(name)
        return original(self, name)

    monkeypatch.setattr(CircleReader, "read", counting)
    frame = ColumnarStore(built).catchment(40.0, -121.0, 45.0, "TFB40")
    assert (frame.names, len(frame) > 0, read) == (CATCHMENT_COLUMNS, True, [])
    near = frame.filter(frame["distance_km"] < 20.0)
    assert read == ["distance_km"]
    np.testing.assert_array_equal(near["lat"], near["lat"])
    assert read == ["distance_km", "lat"]


def test_a_wide_circle_copied_in_blocks_is_the_narrow_one_s_way(built, monkeypatch):
    store = ColumnarStore(built)
    by_row = {name: store.catchment(40.0, -121.0, 45.0, "TFB40")[name] for name in CATCHMENT_COLUMNS}
    monkeypatch.setattr("csrag.surfaces.index._BLOCKS_FROM", 0)
    monkeypatch.setattr("csrag.surfaces.index._LONG", 3)
    blocks = ColumnarStore(built).catchment(40.0, -121.0, 45.0, "TFB40")
    for name, values in by_row.items():
        np.testing.assert_array_equal(blocks[name], values)


def test_missing_directory(tmp_path):
    with pytest.raises(LayerSetMissingError, match="no layer set") as caught:
        ColumnarStore(tmp_path / "none")
    assert "csrag layers build" in caught.value.fix


def refused(path: Path) -> str:
    with pytest.raises(LayerSetDamagedError) as caught:
        ColumnarStore(path)
    assert "Build or import" in caught.value.fix
    return caught.value.message


@pytest.mark.parametrize("name", ["cost_usd_per_bdt", "lat", "cell_offsets", "land_use"])
def test_truncated_column(copy, name):
    file = copy / f"{name}.npy"
    file.write_bytes(file.read_bytes()[:-1])
    assert "truncated" in refused(copy)
    file.write_bytes(b"")
    assert "truncated" in refused(copy)


def test_longer_column(copy):
    with (copy / "lon.npy").open("ab") as stream:
        stream.write(b"\0")
    assert "too long" in refused(copy)


@pytest.mark.parametrize("name", ["burn_probability", "feedstock_bdt"])
def test_missing_column(copy, name):
    (copy / f"{name}.npy").unlink()
    message = refused(copy)
    assert name in message
    assert "missing" in message


def test_column_of_another_type_or_shape(copy):
    values = np.load(copy / "zone.npy")
    np.save(copy / "zone.npy", values.view(np.uint16))
    assert "does not hold <i2" in refused(copy)


def test_manifest_without_a_column_missing_or_not_json(copy):
    file = copy / MANIFEST_FILE
    data = json.loads(file.read_text())
    del data["columns"]["lat"]
    manifest = Manifest.from_json(data).with_hash()
    file.write_text(manifest.dumps())
    assert "names no column lat" in refused(copy)
    file.write_text("{")
    assert "JSON" in refused(copy)
    file.unlink()
    assert "no manifest.json" in refused(copy)


@pytest.mark.parametrize(
    ("field", "value"), [("synthetic", False), ("seed", 99), ("mapping", "fixed"), ("name", "real")]
)
def test_altered_manifest(copy, field, value):
    file = copy / MANIFEST_FILE
    data = json.loads(file.read_text())
    assert data[field] != value
    file.write_text(json.dumps({**data, field: value}))
    assert "altered" in refused(copy)


def test_foreign_version(copy):
    file = copy / MANIFEST_FILE
    file.write_text(file.read_text().replace("csrag.layers/1", "csrag.layers/9"))
    with pytest.raises(LayerSetDamagedError, match=r"csrag\.layers/9") as caught:
        ColumnarStore(copy)
    assert caught.value.code == "layer_set_version"


@pytest.mark.parametrize("name", [*COLUMNS, "cell_offsets"])
def test_one_altered_byte_is_found_by_verify(copy, name):
    file = copy / f"{name}.npy"
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(bytes(data))
    wrong = ColumnarStore(copy).verify()
    assert len(wrong) == 1
    assert name in wrong[0]
