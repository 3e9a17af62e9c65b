"""`csrag layers compare`, `diff`, `map` and what `info` adds: figures held against sums worked out apart from them."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.support.layers import SmallSource, build_small

from csrag.build.compare import compare_sets, diff_manifests
from csrag.build.distributions import coverage, spreads
from csrag.build.layer_view import LAYERS, cheapest, view
from csrag.build.map_pixels import Frame, fastest_roads, pixel_classes, pixel_means, widened
from csrag.errors import InvalidValueError, RequestError
from csrag.geo import to_albers_m
from csrag.interfaces.cli.main import main
from csrag.simulators.harvest import HarvestEconomics
from csrag.surfaces.catalog import FAMILIES, SYSTEMS
from csrag.surfaces.roads import RoadNetwork
from csrag.surfaces.stores.columnar import ColumnarStore

DIESEL = HarvestEconomics(diesel_usd_per_gal=6.0)


@pytest.fixture(scope="module")
def sets(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("sets")
    made = {name: folder / name for name in ("plain", "again", "dear", "fixed", "seed")}
    build_small(made["plain"])
    build_small(made["again"], block_rows=50, shuffle=3)
    build_small(made["dear"], economics=DIESEL)
    build_small(made["fixed"], mapping="fixed")
    build_small(made["seed"], seed=2)
    return made


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["layers", *arguments])
    said = capsys.readouterr()
    assert "Traceback" not in said.err
    return code, said.out, said.err


def auto_cost(store: ColumnarStore, treatment: int) -> np.ndarray:
    """Cheapest ground or cable cost, the plain way."""
    costs = store.column("cost_usd_per_bdt")[treatment].astype(np.float64)
    with np.errstate(invalid="ignore"):
        among = np.where(np.isnan(costs), np.inf, costs)[[SYSTEMS.index(s) for s in FAMILIES["auto"]]].min(axis=0)
    return np.where(np.isinf(among), np.nan, among)


# --- compare ----------------------------------------------------------------------------------------------------------


def test_a_set_and_itself_are_equal(sets, capsys):
    code, text, _ = run(capsys, "compare", str(sets["plain"]), str(sets["again"]), "--json")
    assert code == 0
    found = json.loads(text)
    assert found["equal"] is True
    assert all(row["max_abs"] == 0 for row in found["rows"] if row["n"])
    code, text, _ = run(capsys, "compare", str(sets["plain"]), str(sets["again"]))
    assert code == 0
    assert "equal to the last bit: cost (22), feedstock (8)" in text


@pytest.mark.parametrize("other", ["dear", "fixed"])
def test_differences_are_those_of_the_columns(sets, other):
    a, b = ColumnarStore(sets["plain"]), ColumnarStore(sets[other])
    rows, notes = compare_sets(a, b)
    assert notes == []
    by_key = {(r.layer, r.treatment, r.system): r for r in rows}
    for t, treatment in enumerate(("SDI55", "TFB40")):
        x, y = auto_cost(a, t), auto_cost(b, t)
        both = np.isfinite(x) & np.isfinite(y)
        gap = (y - x)[both]
        row = by_key["cost", treatment, "auto"]
        assert row.n == both.sum() > 100
        assert row.unit == "USD per BDT"
        np.testing.assert_allclose([row.p5, row.median, row.p95], np.percentile(gap, [5, 50, 95]), rtol=1e-12)
        assert row.max_abs == np.abs(gap).max() > 0
        assert row.share_only_a == (np.isfinite(x) & np.isnan(y)).sum() / len(a)
        assert row.share_only_b == (np.isnan(x) & np.isfinite(y)).sum() / len(a)
        np.testing.assert_allclose(row.median_abs_pct, np.median(100 * np.abs(gap) / x[both]), rtol=1e-12)
        at = SYSTEMS.index("Cable CTL")
        x, y = (s.column("cost_usd_per_bdt")[t, at].astype(np.float64) for s in (a, b))
        assert by_key["cost", treatment, "Cable CTL"].median == pytest.approx(np.nanmedian(y - x), rel=1e-12)
    assert by_key["fire", None, None].n_equal == by_key["fire", None, None].n
    if other == "dear":
        assert by_key["cost", "TFB40", "auto"].median > 0
        assert by_key["feedstock", "TFB40", "log"].max_abs == 0
    else:
        assert by_key["cost", "TFB40", "auto"].share_only_a + by_key["cost", "TFB40", "auto"].share_only_b > 0


def test_one_treatment_and_one_system_alone(sets):
    a, b = ColumnarStore(sets["plain"]), ColumnarStore(sets["dear"])
    rows, _ = compare_sets(a, b, treatment="tfb40", system="helicopter")
    assert [(r.layer, r.treatment, r.system) for r in rows][:2] == [
        ("cost", "TFB40", "helicopter"), ("fire", None, None),
    ]  # fmt: skip
    with pytest.raises(InvalidValueError, match="holds no treatment 'RMI100'"):
        compare_sets(a, b, treatment="RMI100")
    with pytest.raises(InvalidValueError, match="no harvesting system 'mule'"):
        compare_sets(a, b, system="mule")


def test_other_clusters_are_refused_and_the_seeds_named(sets, capsys):
    code, _, err = run(capsys, "compare", str(sets["plain"]), str(sets["seed"]))
    assert code == 2
    assert "different clusters (seeds 1 and 2)" in err
    assert "csrag layers diff" in err


def test_sets_of_other_treatments_share_what_they_share(tmp_path):
    build_small(tmp_path / "a", treatments=("SDI55", "TFB40"))
    build_small(tmp_path / "b", treatments=("TFB40", "TFA40"))
    build_small(tmp_path / "c", treatments=("RMI100",))
    a, b, c = (ColumnarStore(tmp_path / name) for name in "abc")
    rows, notes = compare_sets(a, b)
    assert {r.treatment for r in rows if r.layer == "cost"} == {"TFB40"}
    assert notes == ["treatments in the first only: SDI55", "treatments in the second only: TFA40"]
    with pytest.raises(RequestError, match="share no treatment"):
        compare_sets(a, c)


def test_files_of_the_difference(sets, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    rasterio = pytest.importorskip("rasterio")
    files = {name: str(tmp_path / f"gap.{name}") for name in ("png", "csv", "tif")}
    code, text, _ = run(
        capsys, "compare", str(sets["plain"]), str(sets["fixed"]), "--json", "--map", files["png"], "--csv", files["csv"],
        "--tif", files["tif"], "--treatment", "SDI55",
    )  # fmt: skip
    assert code == 0
    assert json.loads(text)["files"] == {"map": files["png"], "tif": files["tif"], "csv": files["csv"]}
    a, b = ColumnarStore(sets["plain"]), ColumnarStore(sets["fixed"])
    x, y = auto_cost(a, 0), auto_cost(b, 0)
    with Path(files["csv"]).open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [int(r["cluster_no"]) for r in rows] == a.column("cluster_no").tolist()
    told = np.array([float(r["difference_USD_per_BDT"] or "nan") for r in rows])
    np.testing.assert_array_equal(told, y - x)
    assert sum(r["a_USD_per_BDT"] == "" for r in rows) == np.isnan(x).sum() > 0
    with rasterio.open(files["tif"]) as raster:
        assert raster.crs.to_epsg() == 3310
        assert raster.res == (360.0, 360.0)
        east, north = to_albers_m(a.column("lat"), a.column("lon"))
        read = np.array([v[0] for v in raster.sample(zip(east, north, strict=True))])
        image = raster.read(1)
    pixels = {tuple(np.floor([e / 360, n / 360])) for e, n in zip(east, north, strict=True)}
    assert (
        len(pixels) > 280
    )  # hardly two clusters of 300 share a cell, so nearly every cell holds one cluster's own value
    same = np.isclose(read, (y - x).astype(np.float32), rtol=1e-6) | (np.isnan(read) & np.isnan(y - x))
    assert same.mean() > 0.95
    assert np.isfinite(image).sum() <= np.isfinite(y - x).sum()


def test_layer_sets_that_are_not_there(sets, tmp_path, capsys):
    for arguments in (
        ("compare", str(sets["plain"]), str(tmp_path / "no")),
        ("diff", str(tmp_path), str(sets["plain"])),
    ):
        code, out, err = run(capsys, *arguments)
        assert code == 3
        assert out == ""
        assert "There is no layer set" in err


# --- diff -------------------------------------------------------------------------------------------------------------


def test_diff_names_fields_and_columns(sets, capsys):
    code, text, _ = run(capsys, "diff", str(sets["plain"]), str(sets["dear"]), "--json")
    assert code == 0
    found = json.loads(text)
    assert found["equal"] is False
    fields = {row["field"]: (row["a"], row["b"]) for row in found["rows"]}
    assert fields["economics.diesel_usd_per_gal"] == (4.5, 6.0)
    assert set(fields) <= {"economics.diesel_usd_per_gal", "scales.u_lo_usd_per_bdt", "scales.u_hi_usd_per_bdt"}
    assert found["columns"]["different"] == ["cost_usd_per_bdt"]
    assert "lat" in found["columns"]["equal"]
    code, text, _ = run(capsys, "diff", str(sets["plain"]), str(sets["dear"]))
    assert code == 0
    assert "economics.diesel_usd_per_gal: 4.5 -> 6.0" in text
    assert "different: cost_usd_per_bdt" in text


def test_diff_of_equal_sets_and_of_two_seeds(sets, capsys):
    code, text, _ = run(capsys, "diff", str(sets["plain"]), str(sets["again"]), "--json")
    assert code == 0
    assert json.loads(text)["equal"] is True
    assert json.loads(text)["rows"] == []
    a, b = ColumnarStore(sets["plain"]).manifest, ColumnarStore(sets["seed"]).manifest
    found = diff_manifests(a, b)
    assert {"field": "seed", "a": 1, "b": 2} in found["rows"]
    assert "lat" in found["columns"]["different"]


# --- views, distributions, info ---------------------------------------------------------------------------------------


def test_the_cheapest_system_of_each_cluster():
    costs = np.array([[3.0, np.nan, np.nan], [2.0, 5.0, np.nan], [1.0, 9.0, 4.0]], dtype=np.float32)
    best, which = cheapest(costs, [0, 1])
    np.testing.assert_array_equal(best, [2.0, 5.0, np.nan])
    assert which.tolist() == [1, 1, -1]


def test_feedstock_is_that_of_the_cheapest_system(sets):
    store = ColumnarStore(sets["plain"])
    seen = view(store, "feedstock", "TFB40")
    cost = view(store, "cost", "TFB40")
    np.testing.assert_array_equal(np.isnan(seen.values), np.isnan(cost.values))
    np.testing.assert_array_equal(cost.values, auto_cost(store, 1))
    only = view(store, "feedstock", "TFB40", "Ground-Based CTL")
    tons = store.column("feedstock_bdt")[1, 3].astype(np.float64) / store.column("area_acres").astype(np.float64)
    possible = np.isfinite(store.column("cost_usd_per_bdt")[1, SYSTEMS.index("Ground-Based CTL")])
    np.testing.assert_array_equal(only.values[possible], tons[possible])
    assert seen.unit == "BDT per acre"


def test_coverage_counts_what_is_known(sets):
    store = ColumnarStore(sets["plain"])
    found = coverage(store)
    assert found["burn_probability"] == pytest.approx(285 / 300)
    assert found["zone"] == (store.column("zone") >= 0).mean()
    assert found["landing"] is None
    assert found["feasible_records"] == store.manifest.counts["feasible_records"] / 600


def test_distributions_and_their_bands(sets, tmp_path):
    rows, clusters = spreads(ColumnarStore(sets["plain"]))
    assert clusters == 300
    by_key = {(r.layer, r.treatment): r for r in rows}
    cost = auto_cost(ColumnarStore(sets["plain"]), 1)
    np.testing.assert_allclose(
        [by_key["cost", "TFB40"].p5, by_key["cost", "TFB40"].p50, by_key["cost", "TFB40"].p95],
        np.nanpercentile(cost, [5, 50, 95]), rtol=1e-12,
    )  # fmt: skip
    assert by_key["fire", None].ok is True

    class Hot(SmallSource):
        def clusters(self):
            made = super().clusters()
            burn = made["burn_probability"].copy()
            burn[40:55] = 0.5
            return {**made, "burn_probability": burn}

        def removals(self, treatment, rows):
            return {name: 12 * tons for name, tons in super().removals(treatment, rows).items()}

    from csrag.build.materialize import materialize

    materialize(Hot(), tmp_path / "hot", workers=1)
    by_key = {(r.layer, r.treatment): r for r in spreads(ColumnarStore(tmp_path / "hot"))[0]}
    fire, tons = by_key["fire", None], by_key["feedstock_gt_per_acre", "TFB40"]
    assert fire.ok is False
    assert fire.outside_share == pytest.approx(15 / fire.n)
    assert tons.ok is False
    assert tons.mean is not None
    assert tons.mean > 60


def test_a_large_set_is_sampled_and_says_so(sets, monkeypatch, capsys):
    monkeypatch.setattr("csrag.build.distributions.SAMPLE_CLUSTERS", 100)
    rows, clusters = spreads(ColumnarStore(sets["plain"]))
    assert clusters == 100
    cost = auto_cost(ColumnarStore(sets["plain"]), 1)[::3]
    assert next(r for r in rows if r.layer == "cost" and r.treatment == "TFB40").n == np.isfinite(cost).sum()
    assert "1 in 3 clusters" in run(capsys, "info", "--data", str(sets["plain"]))[1]


def test_info_says_coverage_bands_and_how_costs_were_made(sets, capsys):
    code, text, _ = run(capsys, "info", "--data", str(sets["plain"]), "--json")
    assert code == 0
    found = json.loads(text)
    assert found["coverage"]["burn_probability"] == pytest.approx(0.95)
    assert found["cost_made_by"].startswith("exact")
    assert {row["layer"] for row in found["distributions"]["rows"]} >= {
        "cost",
        "feedstock",
        "fire",
        "slope",
        "circuity",
    }
    assert found["counts"]["clusters"] == 300
    code, text, _ = run(capsys, "info", "--data", str(sets["plain"]))
    assert code == 0
    assert "burn probability 95.0 %" in text
    assert "TFB40" in text
    assert "inside their sanity bands" in text


# --- maps -------------------------------------------------------------------------------------------------------------


def test_pixels_hold_the_mean_of_their_clusters():
    x, y = np.array([0.0, 360.0, 0.0, 720.0]), np.array([0.0, 0.0, -360.0, -360.0])
    frame = Frame.around(x, y, most=3)
    assert (frame.rows, frame.columns, frame.pixel_m) == (2, 3, 360.0)
    values = np.array([1.0, 2.0, np.nan, 4.0])
    np.testing.assert_array_equal(
        pixel_means(frame, frame.pixel_of(x, y), values), [[1.0, 2.0, np.nan], [np.nan, np.nan, 4.0]]
    )
    coarse = Frame.around(x, y, most=2)
    assert (coarse.rows, coarse.columns, coarse.pixel_m) == (1, 2, 720.0)
    np.testing.assert_array_equal(pixel_means(coarse, coarse.pixel_of(x, y), values), [[1.5, 4.0]])
    codes = np.array([1, 1, 0, -1])
    np.testing.assert_array_equal(pixel_classes(coarse, coarse.pixel_of(x, y), codes, 2), [[1, -1]])
    assert frame.pixel_of(np.array([5000.0]), np.array([0.0])).tolist() == [-1]


@pytest.mark.parametrize("layer", [layer for layer in LAYERS if layer not in ("network", "landing")])
def test_every_layer_has_a_picture(layer, sets, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    image = pytest.importorskip("matplotlib.image")
    out = tmp_path / "layer.png"
    code, text, _ = run(capsys, "map", layer, "--out", str(out), "--data", str(sets["plain"]), "--json")
    assert code == 0
    assert json.loads(text)["synthetic"] is True
    pixels = image.imread(io.BytesIO(out.read_bytes()))
    assert pixels.shape[0] > 800
    assert len(np.unique((pixels[..., :3] * 255).round() @ [65536, 256, 1])) > 20
    red = (np.abs(pixels[..., :3] - np.array([0xB0, 0x00, 0x20]) / 255) < 0.02).all(axis=2)
    assert red.sum() > 500, "the word SYNTHETIC is missing"


def test_all_pictures_and_what_is_left_out(sets, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    code, text, _ = run(capsys, "map", "all", "--out", str(tmp_path / "maps"), "--data", str(sets["plain"]))
    assert code == 0
    assert sorted(p.stem for p in (tmp_path / "maps").iterdir()) == sorted(set(LAYERS) - {"network", "landing"})
    assert "network: left out; small holds no road network" in text
    assert "SYNTHETIC" in text
    code, _, err = run(capsys, "map", "network", "--out", str(tmp_path / "n.png"), "--data", str(sets["plain"]))
    assert code == 2
    assert "no road network" in err
    assert not (tmp_path / "n.png").exists()


def test_roads_are_drawn_by_their_speed():
    class Store:
        roads = RoadNetwork(
            node_lat=np.array([40.0, 40.0, 40.1]), node_lon=np.array([-121.0, -120.9, -121.0]),
            indptr=np.array([0, 2, 3, 4], dtype=np.int32), neighbour=np.array([1, 2, 0, 0], dtype=np.int32),
            km=np.array([9.0, 12.0, 9.0, 12.0], dtype=np.float32), hours=np.array([0.1, 0.4, 0.1, 0.4], dtype=np.float32),
            landing_node=np.zeros(0, dtype=np.int32), landing_km=np.zeros(0, dtype=np.float32),
            landing_hours=np.zeros(0, dtype=np.float32),
        )  # fmt: skip

    x, y = to_albers_m(Store.roads.node_lat, Store.roads.node_lon)
    frame = Frame.around(x, y)
    image = fastest_roads(frame, Store())
    wide = widened(image)
    assert np.isfinite(wide).sum() > 2 * np.isfinite(image).sum()
    assert np.nanmax(wide) == np.nanmax(image) == 90.0
    drawn = image[np.isfinite(image)]
    assert set(np.round(np.unique(drawn), 3)) == {30.0, 90.0}
    assert image.ravel()[frame.pixel_of(x[:1], y[:1])[0]] == pytest.approx(90.0)
    along = np.hypot(x[1] - x[0], y[1] - y[0]) / frame.pixel_m, np.hypot(x[2] - x[0], y[2] - y[0]) / frame.pixel_m
    assert (np.isclose(drawn, 90).sum(), np.isclose(drawn, 30).sum()) >= tuple(int(0.9 * n) for n in along)


def test_without_matplotlib(sets, tmp_path, capsys, monkeypatch):
    for name in ("matplotlib", "matplotlib.figure", "matplotlib.backends.backend_agg"):
        monkeypatch.setitem(sys.modules, name, None)
    code, _, err = run(capsys, "map", "cost", "--out", str(tmp_path / "a.png"), "--data", str(sets["plain"]))
    assert code == 2
    assert 'pip install "csrag[report]"' in err
    assert list(tmp_path.iterdir()) == []


def test_slips_of_a_map_request(sets, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    for arguments in (
        ("map", "cost", "--out", str(tmp_path)),
        ("map", "all", "--out", str(sets["plain"] / "manifest.json")),
        ("map", "cost", "--treatment", "RMI100", "--out", str(tmp_path / "a.png")),
        ("map", "cost", "--system", "mule", "--out", str(tmp_path / "a.png")),
    ):
        code, _, err = run(capsys, *arguments, "--data", str(sets["plain"]))
        assert code == 2, arguments
        assert err.startswith("csrag: ")
    with pytest.raises(SystemExit) as caught:
        main(["layers", "map", "nothing", "--out", "x"])
    assert caught.value.code == 2
    capsys.readouterr()


def test_a_picture_is_named_png(sets: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "map", "cost", "--out", str(tmp_path / "q.jpg"), "--data", str(sets["plain"]))
    assert (code, "q.png" in err, list(tmp_path.iterdir())) == (2, True, [])


def test_a_refusal_is_one_object_on_stdout_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, text, err = run(capsys, "build", "--seed", "-1", "--out", str(tmp_path / "s"), "--json")
    said = json.loads(text)["error"]
    assert (code, said["code"], said["message"] in err) == (2, "invalid_value", True)
    assert set(said) == {"code", "message", "fix"}


def test_demo_without_a_region_is_the_default_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "build", "--demo", "--seed", "-1", "--out", str(tmp_path / "s"))
    assert (code, "--seed -1" in err) == (2, True)
