"""`csrag layers export`: what lies in the files, what is refused, what survives a cut, and exports opened as layer sets."""

from __future__ import annotations

import errno
import itertools
import json
import shutil
import sys
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.support.layers import SmallSource, build_small

from csrag.ask.computation.transport import circuity_of
from csrag.build import export_parquet
from csrag.build.export_parquet import export_geoparquet
from csrag.build.export_tables import boxes, circuity_table
from csrag.errors import DataError, InvalidValueError, LayerSetDamagedError, RequestError
from csrag.interfaces.cli.main import main
from csrag.interfaces.open import open_directory
from csrag.surfaces.catalog import FAMILIES, FEEDSTOCK_CLASS_OF, SYSTEMS
from csrag.surfaces.exported import ROW_GROUP_ROWS, record_file
from csrag.surfaces.manifest import Manifest
from csrag.surfaces.stores.columnar import ColumnarStore

pytest.importorskip("duckdb", reason="the extra duckdb is not installed")
import duckdb

from csrag.surfaces.stores.parquet import ParquetStore


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exporting")
    build_small(folder / "set", n=400)
    export_geoparquet(ColumnarStore(folder / "set"), folder / "export")
    return folder


@pytest.fixture
def copied(whole: Path, tmp_path: Path) -> Path:
    shutil.copytree(whole / "export", tmp_path / "export")
    return tmp_path / "export"


@pytest.fixture(scope="module")
def demo_export(demo_layers: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("demo") / "export"
    export_geoparquet(ColumnarStore(demo_layers), place, ["SDI55"])
    return place


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["layers", *arguments])
    said = capsys.readouterr()
    assert "Traceback" not in said.err
    return code, said.out, said.err


def files_in(place: Path) -> dict[str, bytes]:
    return {p.relative_to(place).as_posix(): p.read_bytes() for p in sorted(place.rglob("*")) if p.is_file()}


# --- what lies in the files -------------------------------------------------------------------------------------------


def test_points_are_geoparquet(whole):
    store = ColumnarStore(whole / "set")
    file = pq.ParquetFile(whole / "export" / "clusters.parquet")
    geo = json.loads(file.schema_arrow.metadata[b"geo"])
    assert geo["version"] == "1.1.0"
    about = geo["columns"][geo["primary_column"]]
    assert about["encoding"] == "WKB"
    assert about["geometry_types"] == ["Point"]
    assert "crs" not in about, "without one a file is in OGC:CRS84"
    lat, lon = store.column("lat"), store.column("lon")
    assert about["bbox"] == [lon.min(), lat.min(), lon.max(), lat.max()]
    table = file.read()
    box = table["bbox"].combine_chunks()
    for low, high, exact in (("xmin", "xmax", lon), ("ymin", "ymax", lat)):
        assert (box.field(low).to_numpy().astype(float) <= exact).all()
        assert (box.field(high).to_numpy().astype(float) >= exact).all()
    shapely = pytest.importorskip("shapely", reason="the extra gis is not installed")
    points = shapely.from_wkb(table["geometry"].to_numpy(zero_copy_only=False))
    np.testing.assert_array_equal(shapely.get_x(points), lon)
    np.testing.assert_array_equal(shapely.get_y(points), lat)


def test_geopandas_opens_it_and_reads_a_box(whole):
    geopandas = pytest.importorskip("geopandas", reason="geopandas is a development tool and is not installed")
    store = ColumnarStore(whole / "set")
    place = whole / "export" / "clusters.parquet"
    frame = geopandas.read_parquet(place)
    assert frame.crs.equals("OGC:CRS84")
    assert len(frame) == len(store)
    np.testing.assert_array_equal(frame.geometry.y, store.column("lat"))
    assert frame["burn_probability"].isna().sum() == np.isnan(store.column("burn_probability")).sum() > 0
    near = geopandas.read_parquet(place, bbox=(-121.0, 39.8, -120.6, 40.1))
    lat, lon = store.column("lat"), store.column("lon")
    inside = (lon >= -121.0) & (lon <= -120.6) & (lat >= 39.8) & (lat <= 40.1)
    assert sorted(near["cluster_no"]) == sorted(store.column("cluster_no")[inside])


def test_boxes_hold_their_points_at_every_rounding():
    rng = np.random.default_rng(3)
    lat, lon = rng.uniform(-90, 90, 10_000), rng.uniform(-180, 180, 10_000)
    found = boxes(lat, lon)
    assert (found.field("ymin").to_numpy().astype(float) <= lat).all()
    assert (found.field("ymax").to_numpy().astype(float) >= lat).all()
    width = found.field("xmax").to_numpy() - found.field("xmin").to_numpy()
    assert (width >= 0).all()
    assert width.max() < 4e-5


def test_every_file_says_what_it_is(whole, demo_export):
    for place in (whole / "export", demo_export):
        manifest = json.loads((place / "manifest.json").read_text(encoding="utf-8"))
        assert manifest["schema"] == "csrag.geoparquet/1"
        assert manifest["synthetic"] is True
        assert manifest["layers_hash"] == manifest["layer_set"]["layers_hash"]
        for name in manifest["files"]:
            metadata = pq.ParquetFile(place / name).schema_arrow.metadata
            about = json.loads(metadata[b"csrag"])
            assert metadata[b"synthetic"] == b"true"
            assert about["note"].startswith("SYNTHETIC")
            assert about["layers_hash"] == manifest["layers_hash"]


def test_every_column_is_described_and_masses_say_their_basis(demo_export):
    manifest = json.loads((demo_export / "manifest.json").read_text(encoding="utf-8"))
    for file, columns in manifest["columns"].items():
        schema = pq.ParquetFile(demo_export / file).schema_arrow
        assert set(schema.names) == set(columns)
        for name, words in columns.items():
            assert words["meaning"], f"{file}: {name}"
            if "bdt" in name.split("_"):
                assert "BDT" in words["unit"]
            said = schema.field(name).metadata or {}
            assert said.get(b"unit", b"").decode() == words["unit"]
            assert "NaN" not in words["meaning"]
            assert "manifest.codes;" not in words["meaning"]


def test_row_groups_lie_in_order_of_place(demo_export):
    file = pq.ParquetFile(demo_export / record_file("SDI55"))
    at = file.schema_arrow.names.index("lat")
    groups = [file.metadata.row_group(i) for i in range(file.num_row_groups)]
    assert len(groups) > 4
    assert {g.num_rows for g in groups[:-1]} == {ROW_GROUP_ROWS}
    bounds = [g.column(at).statistics for g in groups]
    whole_span = bounds[-1].max - bounds[0].min
    assert all(b.has_min_max and b.max - b.min < 0.4 * whole_span for b in bounds)
    assert all(a.min < b.min for a, b in itertools.pairwise(bounds))


def test_values_by_plain_reckoning(whole):
    store = ColumnarStore(whole / "set")
    con = duckdb.connect()
    for t, treatment in enumerate(store.manifest.treatment_names):
        frame = con.execute(
            "SELECT row, auto_system, auto_cost_usd_per_bdt, auto_feedstock_bdt, land_use, land_use_code, zone, county, wilderness, "
            "burn_probability, cost_cable_manual_wt_log_usd_per_bdt, feedstock_cut_to_length_bdt "
            "FROM read_parquet(?, hive_partitioning = true) WHERE treatment = ? ORDER BY row",
            [str(whole / "export" / "records" / "*" / "*.parquet"), treatment],
        ).fetchall()
        assert len(frame) == len(store)
        costs, tons = store.column("cost_usd_per_bdt")[t], store.column("feedstock_bdt")[t]
        for i, found in enumerate(frame):
            feasible = [s for s in FAMILIES["auto"] if np.isfinite(costs[SYSTEMS.index(s), i])]
            cheapest = min(feasible, key=lambda s: costs[SYSTEMS.index(s), i], default=None)
            assert found[:2] == (i, cheapest)
            if cheapest is None:
                assert found[2:4] == (None, None)
            else:
                assert found[2] == costs[SYSTEMS.index(cheapest), i]
                assert found[3] == tons[FEEDSTOCK_CLASS_OF[cheapest], i]
            assert found[4] == store.manifest.codes["land_use"][found[5]]
            assert found[5] == store.column("land_use")[i]
            assert found[6] == (None if store.column("zone")[i] < 0 else store.column("zone")[i])
            assert found[7] == store.manifest.codes["county"][31]
            assert found[8] == bool(store.column("wilderness")[i])
            for value, exact in ((found[9], store.column("burn_probability")[i]),
                                 (found[10], costs[SYSTEMS.index("Cable Manual WT/Log"), i]), (found[11], tons[3, i])):  # fmt: skip
                assert value == (None if np.isnan(exact) else exact)


def test_circuity_factors_are_those_of_an_answer(demo_layers):
    m = ColumnarStore(demo_layers).manifest
    assert_factors(m)


def test_circuity_factors_where_some_are_unknown(whole):
    import dataclasses

    m = ColumnarStore(whole / "set").manifest
    assert m.transport is None
    assert_factors(m)
    told = {"bands_km": [0.0, 10.0, 25.0, 60.0], "stratified": [[1.4, None, 0.5], [2.0, 1.9, 1.8], [1.6, 1.5, 1.4]],
            "band_medians": [1.7, None, 1.5], "zone_median": None}  # fmt: skip
    known = {
        k: [[np.nan if f is None else f for f in r] for r in v] if k == "stratified" else v for k, v in told.items()
    }
    known["band_medians"] = [1.7, np.nan, 1.5]
    assert_factors(dataclasses.replace(m, transport=known, zone_factors=(1.3, float("nan"), 2.0)))
    assert circuity_table(dataclasses.replace(m, zone_factors=())).num_rows == 0


def assert_factors(m: Manifest) -> None:
    rng = np.random.default_rng(1)
    edges = list((m.transport or {}).get("bands_km", ()))
    away = np.concatenate([rng.uniform(0, 250, 2000), edges, np.nextafter(edges, 0)])
    zone = rng.integers(-1, len(m.zone_factors), away.size)
    con = duckdb.connect()
    con.register("circuity", circuity_table(m))
    modes = [name for name in ("zone", "stratified") if name == "zone" or (m.transport or {}).get("stratified")]
    for mode in modes:
        factor, known = circuity_of(m, mode, zone, np.maximum(away, 0.0))
        rows = con.execute("SELECT zone, from_km, to_km, factor, known FROM circuity WHERE mode = ?", [mode]).fetchall()
        for z, d, f, k in zip(
            zone.tolist(), np.maximum(away, 0.0).tolist(), factor.tolist(), known.tolist(), strict=True
        ):
            hit = [r for r in rows if r[0] == (None if z < 0 else z) and r[1] <= d < r[2]]
            assert [(r[3], r[4]) for r in hit] == [(f, k)]


def test_county_stock_by_sql_is_the_sum_of_the_columns(demo_layers, demo_export):
    store = ColumnarStore(demo_layers)
    t = store.manifest.treatment_names.index("SDI55")
    at = np.flatnonzero(store.column("county") == store.manifest.codes["county"].index("Plumas"))
    parks = store.column("wilderness")[at].astype(bool) | (store.column("land_use")[at] == 3)
    at = at[~parks]
    costs = store.column("cost_usd_per_bdt")[t][:8, at].astype(float)
    costs[np.isnan(costs)] = np.inf
    which = costs.argmin(axis=0)
    tons = store.column("feedstock_bdt")[t].astype(float)[[FEEDSTOCK_CLASS_OF[SYSTEMS[s]] for s in which], at]
    feasible = np.isfinite(costs.min(axis=0))
    clusters, bdt = duckdb.connect().execute(
        "SELECT count(*), sum(auto_feedstock_bdt::DOUBLE) FROM read_parquet(?) WHERE county = 'Plumas' AND NOT wilderness "
        "AND land_use IS DISTINCT FROM 'nps'", [str(demo_export / record_file("SDI55"))],
    ).fetchall()[0]  # fmt: skip
    assert clusters == at.size > 1000
    assert bdt == pytest.approx(tons[feasible].sum(), rel=1e-12)


# --- places -----------------------------------------------------------------------------------------------------------


def test_the_same_export_twice_changes_nothing(whole, capsys, tmp_path):
    arguments = ("export", str(whole / "set"), "--format", "geoparquet", "--out", str(tmp_path / "out"))
    code, text, progress = run(capsys, *arguments)
    assert code == 0
    assert "SYNTHETIC" in text
    assert "exporting: 800 records" in progress
    before = {p: p.stat().st_mtime_ns for p in (tmp_path / "out").rglob("*")}
    code, text, _ = run(capsys, *arguments, "--json")
    said = json.loads(text)
    assert code == 0
    assert said["kept_files"] == said["files"] == 4
    assert {p: p.stat().st_mtime_ns for p in (tmp_path / "out").rglob("*")} == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out"]


def test_another_selection_takes_the_place_of_an_export(whole, capsys, tmp_path):
    out = str(tmp_path / "out")
    for treatment in ("SDI55", "TFB40"):
        code, text, _ = run(capsys, "export", str(whole / "set"), "--out", out, "--treatment", treatment, "--json")
        assert code == 0
        assert json.loads(text)["treatments"] == [treatment]
    assert [p.name for p in (tmp_path / "out" / "records").iterdir()] == ["treatment=TFB40"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out"]


def test_what_is_not_an_export_is_not_replaced(whole, copied, tmp_path):
    store = ColumnarStore(whole / "set")
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.txt").write_text("years of work")
    (copied / "notes.txt").write_text("mine too")
    (tmp_path / "file").write_text("a file")
    work = tmp_path / ".csrag-export-new"
    work.mkdir()
    (work / "thesis.txt").write_text("years of work")
    for place, words in ((mine, "not an export"), (copied, "notes.txt"), (tmp_path / "file", "is a file"),
                         (tmp_path / "new", "in the way")):  # fmt: skip
        before = files_in(tmp_path)
        with pytest.raises(RequestError, match=words) as caught:
            export_geoparquet(store, place)
        assert caught.value.code == "target_not_export"
        assert "--out" in caught.value.fix
        assert files_in(tmp_path) == before
    with pytest.raises(RequestError, match="being exported"):
        export_geoparquet(store, whole / "set")
    other = tmp_path / "other-set"
    build_small(other, n=30)
    with pytest.raises(RequestError, match="not an export"):
        export_geoparquet(store, other)


def test_a_build_does_not_replace_an_export(copied, capsys, monkeypatch):
    monkeypatch.setattr("csrag.build.sources.demo.demo_source", lambda _region, seed=1: SmallSource(n=50, seed=seed))
    before = files_in(copied)
    code, _, err = run(capsys, "build", "--out", str(copied), "--seed", "4", "--workers", "1")
    assert code == 2
    assert "not a layer set" in err
    assert files_in(copied) == before


def test_treatment_that_is_not_there(whole, tmp_path):
    with pytest.raises(InvalidValueError, match="'TFA80'") as caught:
        export_geoparquet(ColumnarStore(whole / "set"), tmp_path / "out", ["SDI55", "TFA80"])
    assert "SDI55, TFB40" in caught.value.fix
    assert not any(tmp_path.iterdir())


def test_too_small_a_disk_is_said_before_anything_is_written(whole, tmp_path, monkeypatch):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(100, 90, 10))
    with pytest.raises(DataError, match="needs at least") as caught:
        export_geoparquet(ColumnarStore(whole / "set"), tmp_path / "out")
    assert caught.value.code == "disk_full"
    assert not (tmp_path / "out").exists()


class FullAt:
    """A disk that is full after so many files."""

    def __init__(self, files: int) -> None:
        self.left, self.written, self._write = files, [], export_parquet._Writer._write

    def __call__(self, writer: object, file: str) -> dict[str, object]:
        if self.left == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        self.left -= 1
        self.written.append(file)
        return self._write(writer, file)


@pytest.mark.parametrize("after", [0, 1, 3])
def test_a_cut_export_goes_on_where_it_stopped(whole, tmp_path, monkeypatch, after):
    store, out = ColumnarStore(whole / "set"), tmp_path / "out"
    export_geoparquet(store, out, ["SDI55"])
    old = files_in(out)
    disk = FullAt(after)
    with monkeypatch.context() as patch:
        patch.setattr(export_parquet._Writer, "_write", lambda self, file: disk(self, file))
        with pytest.raises(DataError, match="No space left") as caught:
            export_geoparquet(store, out)
    assert caught.value.code == "disk_full"
    assert files_in(out) == old, "the older export stays until the new one is whole"
    again = FullAt(99)
    monkeypatch.setattr(export_parquet._Writer, "_write", lambda self, file: again(self, file))
    done = export_geoparquet(store, out)
    assert done.kept_files == after
    assert not set(again.written) & set(disk.written)
    assert files_in(out) == files_in(whole / "export")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out"]


def test_a_finished_file_that_was_damaged_since_is_written_again(whole, tmp_path, monkeypatch):
    store, out = ColumnarStore(whole / "set"), tmp_path / "out"
    disk = FullAt(3)
    with monkeypatch.context() as patch:
        patch.setattr(export_parquet._Writer, "_write", lambda self, file: disk(self, file))
        with pytest.raises(DataError):
            export_geoparquet(store, out)
    victim = tmp_path / ".csrag-export-out" / disk.written[2]
    data = bytearray(victim.read_bytes())
    data[len(data) // 2] ^= 1
    victim.write_bytes(data)
    assert export_geoparquet(store, out).kept_files == 2
    assert files_in(out) == files_in(whole / "export")


def test_a_replacement_cut_between_its_renames_is_finished(whole, tmp_path):
    store, out = ColumnarStore(whole / "set"), tmp_path / "out"
    export_geoparquet(store, out, ["SDI55"])
    out.rename(tmp_path / ".csrag-export-old-out")
    shutil.copytree(whole / "export", tmp_path / ".csrag-export-out")
    done = export_geoparquet(store, out)
    assert done.written_files == 0
    assert files_in(out) == files_in(whole / "export")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out"]


# --- exports opened as layer sets -------------------------------------------------------------------------------------


def test_info_verify_and_export_of_an_export(whole, copied, capsys, tmp_path):
    code, text, _ = run(capsys, "info", "--data", str(copied), "--json")
    assert code == 0
    mine, theirs = json.loads(text), json.loads(run(capsys, "info", "--data", str(whole / "set"), "--json")[1])
    for told in (mine, theirs):
        del told["where"], told["size_bytes"]
    assert mine == theirs
    code, text, _ = run(capsys, "verify", "--data", str(copied))
    assert code == 0
    assert "all 4 files" in text
    assert run(capsys, "export", str(copied), "--out", str(tmp_path / "second"))[0] == 0
    assert files_in(tmp_path / "second") == files_in(whole / "export")
    assert run(capsys, "compare", str(whole / "set"), str(copied), "--json")[0] == 0


def test_damage_is_found(copied, capsys):
    file = copied / record_file("SDI55")
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    code, text, _ = run(capsys, "verify", "--data", str(copied), "--json")
    assert code == 3
    assert [record_file("SDI55") in line for line in json.loads(text)["damage"]] == [True]
    file.write_bytes(data[:-7])
    with pytest.raises(LayerSetDamagedError, match="truncated"):
        open_directory(copied)
    file.unlink()
    with pytest.raises(LayerSetDamagedError, match="missing"):
        open_directory(copied)


def test_a_file_that_is_no_parquet_is_said_when_it_is_read(copied):
    file = copied / record_file("SDI55")
    file.write_bytes(b"x" * file.stat().st_size)
    store = open_directory(copied)
    with pytest.raises(LayerSetDamagedError, match="cannot be read") as caught:
        store.catchment(40.0, -120.8, 60.0, "SDI55")
    assert "layers verify" in caught.value.fix
    assert len(store.catchment(40.0, -120.8, 60.0, "TFB40")) > 0


@pytest.mark.parametrize(("change", "words"), [
    (lambda d: d["layer_set"].update(synthetic=False), "altered"),
    (lambda d: d["files"]["clusters.parquet"].update(rows=7), "altered"),
    (lambda d: d.update(schema="csrag.geoparquet/9"), "version"),
])  # fmt: skip
def test_an_altered_or_foreign_manifest_is_refused(copied, change, words):
    file = copied / "manifest.json"
    data = json.loads(file.read_text(encoding="utf-8"))
    change(data)
    file.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(LayerSetDamagedError, match=words):
        open_directory(copied)


def test_an_export_replaced_under_an_open_store_is_not_mixed_up(whole, copied):
    store = open_directory(copied)
    store.catchment(40.0, -120.8, 60.0, "SDI55")
    shutil.rmtree(copied)
    export_geoparquet(ColumnarStore(whole / "set"), copied, ["SDI55"])
    with pytest.raises(LayerSetDamagedError, match="replaced"):
        store.catchment(40.0, -120.8, 60.0, "SDI55")


def test_without_duckdb_the_error_names_the_extra(copied, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    code, _, err = run(capsys, "info", "--data", str(copied))
    assert code == 2
    assert 'pip install "csrag[duckdb]"' in err


def test_no_such_treatment_column_or_row(copied):
    store = open_directory(copied)
    with pytest.raises(InvalidValueError, match="RMI100"):
        store.catchment(40.0, -120.8, 60.0, "RMI100")
    with pytest.raises(KeyError):
        store.catchment(40.0, -120.8, 60.0, "SDI55", ("no_such_column",))
    with pytest.raises(KeyError):
        store.column("no_such_column")
    for row in (-1, 400):
        with pytest.raises(IndexError):
            store.clusters_at(np.array([row]), "SDI55", ("lat",))


def test_threads_may_ask_together(whole):
    store, plain = ParquetStore(whole / "export"), ColumnarStore(whole / "set")
    sites = [(39.6 + 0.02 * i, -121.2 + 0.02 * i) for i in range(40)]

    def both(site: tuple[float, float]) -> bool:
        here, there = (s.catchment(*site, 45.0, "TFB40") for s in (store, plain))
        near = store.within(*site, 45.0)[0]
        return all(here[n].tobytes() == there[n].tobytes() for n in here) and near.tobytes() == here["row"].tobytes()

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(both, sites))


def test_a_set_of_one_cluster(tmp_path):
    build_small(tmp_path / "set", n=1)
    export_geoparquet(ColumnarStore(tmp_path / "set"), tmp_path / "export")
    store = open_directory(tmp_path / "export")
    assert len(store) == 1
    lat, lon = float(store.column("lat")[0]), float(store.column("lon")[0])
    assert store.catchment(lat, lon, 0.0, "SDI55")["row"].tolist() == [0]
    assert len(store.catchment(lat + 1, lon, 60.0, "SDI55")) == 0
    assert len(store.clusters_at(np.zeros(0, np.int64), "SDI55", ("lat",))) == 0
    assert store.verify() == []
