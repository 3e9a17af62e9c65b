"""The cost layer by a surrogate, samples as tables, and the commands."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.layers import SmallSource, build_small, bytes_of

from csrag.build import layout, worker
from csrag.build.materialize import materialize
from csrag.build.sources.demo import DemoSource
from csrag.build.surrogate.features import ECONOMIC_COLUMNS, INPUT_COLUMNS
from csrag.build.surrogate.files import load, save
from csrag.build.surrogate.layer import SurrogateCost
from csrag.build.surrogate.sample import Sample, draw
from csrag.build.surrogate.table import REQUIRED, read_sample
from csrag.build.surrogate.train import Settings, train
from csrag.errors import DataError, RequestError, TableRefusedError
from csrag.interfaces.cli.main import main
from csrag.simulators.harvest import HarvestEconomics
from csrag.surfaces.catalog import REMOVAL_COLUMNS
from csrag.surfaces.stores.columnar import ColumnarStore

pytest.importorskip("catboost", reason='the surrogate needs pip install "csrag[surrogate]"')
QUICK = Settings(trees=60, classifier_trees=20, depth=4, rate=0.3)
TWO = ("Ground-Based Mech WT", "Cable Manual WT")


@pytest.fixture(scope="module")
def sample() -> Sample:
    return draw(DemoSource(), 5_000, 3, varied_share=0.6)


@pytest.fixture(scope="module")
def model(sample: Sample, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of all ten systems, poor but whole."""
    place: Path = tmp_path_factory.mktemp("model") / "quick"
    save(train(sample, "quick", 3, replace(QUICK, trees=40)), place)
    return place


@pytest.fixture(scope="module")
def exact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out: Path = tmp_path_factory.mktemp("exact") / "small"
    build_small(out)
    return out


def rows_of(sample: Sample, systems: tuple[str, ...] = TWO, *, leave_out: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """The sample as rows of a table."""
    out = []
    for system in systems:
        run = sample.runs[system]
        for at, cost in zip(run.rows, run.cost_usd_per_bdt, strict=True):
            row = {name: float(values[at]) for name, values in sample.columns.items() if name not in leave_out}
            out.append({"system": system, "cost_usd_per_bdt": "" if np.isnan(cost) else float(cost), **row})
    return out


def write(file: Path, rows: list[dict[str, Any]]) -> Path:
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return file


# --- the layer --------------------------------------------------------------------------------------------------------


def test_only_cost_is_predicted(model: Path, exact: Path, tmp_path: Path) -> None:
    out = tmp_path / "small"
    manifest = materialize(SmallSource(), out, cost=SurrogateCost.at(model, "split"), workers=1)
    there, here = bytes_of(exact), bytes_of(out)
    changed = {name for name in there if there[name] != here.get(name)}
    assert changed == {"cost_usd_per_bdt.npy"}
    assert list(here) == list(there)
    one, two = (np.load(place / "cost_usd_per_bdt.npy") for place in (exact, out))
    # Feasible by FRCS's own rule: the same records have a cost.
    np.testing.assert_array_equal(np.isnan(one), np.isnan(two))
    error = np.abs(two / one - 1)[~np.isnan(one)]
    assert 0 < np.median(error) < 0.25
    assert ColumnarStore(out).verify() == []
    assert manifest.cost_method is not None
    assert manifest.layers_hash != ColumnarStore(exact).hash


def test_the_manifest_says_whose_costs_these_are(model: Path, tmp_path: Path) -> None:
    manifest = materialize(SmallSource(), tmp_path / "small", cost=SurrogateCost.at(model, "split"), workers=1)
    said, card = manifest.cost_method, load(model).card
    assert said is not None
    assert (said["method"], said["model"], said["hash"]) == ("surrogate", "quick", card["hash"])
    assert said["interval_pct"] == card["interval"]["at_base_economics_pct"]
    assert said["coverage_pct"] == card["coverage"]["at_base_economics"]
    assert {tuple(row) for row in said["accuracy"]} == {("system", "n", "median_abs_error_pct", "p95_abs_error_pct")}
    assert [row["system"] for row in said["accuracy"]] == list(card["systems"])
    assert "surrogate" in manifest.title
    cost = [p for p in manifest.provenance if p.layer == "cost"]
    assert len(cost) == 1
    assert "PREDICTED" in cost[0].note
    assert any("predicted by the surrogate quick" in note for note in manifest.notes)
    # The small source's terrain is its own: what the model never saw is counted and named.
    outside = said["out_of_range"]
    assert 0 < outside["records"] <= outside["of"]
    assert set(outside["by_column"]) <= set(INPUT_COLUMNS)


def test_other_economics_have_the_wider_interval(model: Path, tmp_path: Path) -> None:
    dear = HarvestEconomics(diesel_usd_per_gal=7.0)
    manifest = materialize(
        SmallSource(), tmp_path / "s", cost=SurrogateCost.at(model, "split"), workers=1, economics=dear
    )
    said, card = manifest.cost_method, load(model).card
    assert said is not None
    assert said["interval_pct"] == card["interval"]["half_width_pct"]
    assert said["accuracy"][0]["n"] == card["errors"]["by_system"][0]["n"]


def test_records_outside_are_counted_by_hand(model: Path, tmp_path: Path) -> None:
    manifest = materialize(SmallSource(), tmp_path / "small", cost=SurrogateCost.at(model, "split"), workers=1)
    store, known = ColumnarStore(tmp_path / "small"), load(model).card["columns"]["slope_pct"]
    files = {name: np.load(tmp_path / "small" / f"{name}.npy") for name in ("slope_pct", "roaded", *REMOVAL_COLUMNS)}
    tons = sum(np.nan_to_num(files[name].astype(float), nan=-np.inf) for name in REMOVAL_COLUMNS)
    counted = (tons > 0) & (files["roaded"] != 0)
    beyond = (files["slope_pct"] < known["low"]) | (files["slope_pct"] > known["high"])
    assert manifest.cost_method is not None
    assert manifest.cost_method["out_of_range"]["of"] == int(counted.sum())
    assert manifest.cost_method["out_of_range"]["by_column"].get("slope_pct", 0) == int((counted & beyond).sum())
    assert store.manifest.cost_method == json.loads(json.dumps(manifest.cost_method))


def test_an_interrupted_build_goes_on_to_the_same_bytes(model: Path, tmp_path: Path) -> None:
    cost = SurrogateCost.at(model, "split")
    whole, cut = tmp_path / "whole" / "small", tmp_path / "cut" / "small"
    materialize(SmallSource(), whole, cost=cost, workers=1, block_rows=64)
    done: list[worker.Task] = []

    def engine(directory: Path, tasks: Any, finished: Callable[..., None], stop: int | None) -> None:
        block = worker.BlockWorker(directory)
        for task in tasks[:stop]:
            finished(task, block.run(task))
            done.append(task)
        if stop is not None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        materialize(SmallSource(), cut, cost=cost, block_rows=64, engine=lambda d, t, f: engine(d, t, f, 3))
    job = json.loads((layout.partial_dir(cut) / worker.JOB_FILE).read_text(encoding="utf-8"))
    assert job["cost_method"] == {"method": "surrogate", "model": str(model), "hash": cost.hash}
    materialize(SmallSource(), cut, cost=cost, block_rows=64, engine=lambda d, t, f: engine(d, t, f, None))
    assert len(done) == len(set(done)) == 2 * 5  # none was computed twice
    assert ColumnarStore(cut).hash == ColumnarStore(whole).hash


def test_a_build_does_not_go_on_with_another_cost(model: Path, tmp_path: Path) -> None:
    done: list[worker.Task] = []

    def engine(directory: Path, tasks: Any, finished: Callable[..., None]) -> None:
        block = worker.BlockWorker(directory)
        finished(tasks[0], block.run(tasks[0]))
        done.append(tasks[0])
        raise KeyboardInterrupt

    for cost in (None, SurrogateCost.at(model, "split"), None):
        with pytest.raises(KeyboardInterrupt):
            materialize(SmallSource(), tmp_path / "small", cost=cost, block_rows=64, engine=engine)
    assert done == [done[0]] * 3


def test_another_mapping_is_refused(model: Path) -> None:
    with pytest.raises(RequestError, match="learned the mapping split") as caught:
        SurrogateCost.at(model, "fixed")
    assert caught.value.code == "mapping_differs"


def test_a_model_exchanged_during_the_build_is_noticed(model: Path) -> None:
    cost = replace(SurrogateCost.at(model, "split"), hash="0" * 64)
    with pytest.raises(DataError, match="no longer the one"):
        cost.costs({}, np.zeros((4, 0)), (), HarvestEconomics(), "split", False)


# --- a table of any simulator -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_table_trains_the_same_way(sample: Sample, tmp_path: Path, kind: str) -> None:
    import pyarrow.csv
    import pyarrow.parquet

    file = write(tmp_path / "sample.csv", rows_of(sample))
    if kind == "parquet":
        pyarrow.parquet.write_table(pyarrow.csv.read_csv(file), tmp_path / "sample.parquet")
        file = tmp_path / "sample.parquet"
    read = read_sample(file, "a simulator", synthetic=True)
    assert list(read.runs) == list(TWO)
    for system in TWO:
        run, kept = read.runs[system], sample.runs[system]
        np.testing.assert_allclose(run.cost_usd_per_bdt, kept.cost_usd_per_bdt, rtol=1e-12)
        for name in INPUT_COLUMNS:
            np.testing.assert_allclose(read.columns[name][run.rows], sample.columns[name][kept.rows], rtol=1e-12)
    card = train(read, "foreign", None, QUICK).card
    assert card["feasibility"] == "classifier"
    assert card["holdout"]["kind"] == "random"
    assert any("hold-out is random" in line for line in card["limits"])
    assert "rule" not in card["feasibility_check"]
    assert all(row["median_abs_error_pct"] < 12 for row in card["errors"]["by_system"])


def test_positions_make_the_hold_out_spatial(sample: Sample, tmp_path: Path) -> None:
    rows = rows_of(sample, TWO[:1])
    rng = np.random.default_rng(0)
    for row in rows:
        row |= {"lat": 39.5 + 2 * rng.random(), "lon": -121.5 + 2 * rng.random()}
    read = read_sample(write(tmp_path / "s.csv", rows), "a simulator")
    assert read.block_km == 20.0
    assert read.block.max() > 30


def test_missing_columns_do_not_act(sample: Sample, tmp_path: Path) -> None:
    rows = rows_of(sample, TWO[:1], leave_out=(*ECONOMIC_COLUMNS, "grade_pct"))
    read = read_sample(write(tmp_path / "s.csv", rows), "a simulator", synthetic=True)
    assert set(read.assumed) == {*ECONOMIC_COLUMNS, "grade_pct"}
    found = train(read, "poor", None, QUICK)
    columns = {name: values[:20] for name, values in sample.columns.items()}
    dear = {**columns, "diesel_usd_per_gal": np.full(20, 30.0)}
    allowed = np.ones((1, 20), bool)
    one, two = (found.cost_usd_per_bdt(c, TWO[:1], allowed) for c in (columns, dear))
    np.testing.assert_array_equal(one, two)
    assert any("do not act on cost" in line for line in found.card["limits"])


def test_a_foreign_model_fills_a_layer_by_its_classifier(sample: Sample, tmp_path: Path) -> None:
    read = read_sample(write(tmp_path / "s.csv", rows_of(sample)), "HarvestSim 3", synthetic=True)
    save(train(read, "foreign", None, QUICK), tmp_path / "foreign")
    manifest = materialize(
        SmallSource(), tmp_path / "small", cost=SurrogateCost.at(tmp_path / "foreign", "split"), workers=1
    )
    said = manifest.cost_method
    assert said is not None
    assert (said["simulator"], said["feasibility"], said["systems"]) == ("HarvestSim 3", "classifier", list(TWO))
    cost = np.load(tmp_path / "small" / "cost_usd_per_bdt.npy")
    known = [i for i, s in enumerate(manifest.systems) if s in TWO]
    assert np.isfinite(cost[:, known]).any(axis=(0, 2)).all()
    assert np.isnan(np.delete(cost, known, axis=1)).all()
    assert any("knows 2 of the 10 systems" in note for note in manifest.notes)


def change(rows: list[dict[str, Any]], name: str, value: Callable[[dict[str, Any]], Any]) -> list[dict[str, Any]]:
    return [{**row, name: value(row)} for row in rows]


def renamed(rows: list[dict[str, Any]], old: str, new: str) -> list[dict[str, Any]]:
    return [{(new if k == old else k): v for k, v in row.items()} for row in rows]


@pytest.mark.parametrize(
    ("spoil", "said", "code"),
    [
        (lambda r: renamed(r, "slope_pct", "slope_degrees"), "it has slope_degrees, which is another unit", "missing_columns"),
        (lambda r: renamed(r, "cost_usd_per_bdt", "cost_usd_per_gt"), "it has cost_usd_per_gt", "missing_columns"),
        (lambda r: renamed(r, "yarding_ft", "x"), r"lacks yarding_ft \(feet\)\.", "missing_columns"),
        (lambda r: change(r, "moisture_pct", lambda _: 0.5), "a share, not a percentage", "wrong_unit"),
        (lambda r: change(r, "slope_pct", lambda _: -5), "slope_pct .* lie outside 0 to 500", "out_of_bounds"),
        (lambda r: change(r, "cost_usd_per_bdt", lambda _: -1), "empty cost", "out_of_bounds"),
        (lambda r: change(r, "system", lambda _: "Mule"), "systems that the layers do not have: Mule", "unknown_system"),
        (lambda r: change(r, "slope_pct", lambda _: "steep"), "not a number everywhere", "table_refused"),
        (lambda r: change(r, "branch_bdt_per_acre", lambda _: ""), "no value at all in branch", "table_refused"),
        (lambda r: [*r[1:], {**r[0], "branch_bdt_per_acre": ""}], "1 rows .* no branch", "table_refused"),
        (lambda r: [{**row, "lat": 40.0} for row in r], "without their other half", "table_refused"),
    ],
)  # fmt: skip
def test_spoilt_tables_are_refused(
    sample: Sample, tmp_path: Path, spoil: Callable[[list[dict[str, Any]]], list[dict[str, Any]]], said: str, code: str
) -> None:
    rows = [{**r, "cost_usd_per_bdt": r["cost_usd_per_bdt"] or 10} for r in rows_of(sample, TWO[:1])[:40]]
    with pytest.raises(TableRefusedError, match=said) as caught:
        read_sample(write(tmp_path / "s.csv", spoil(rows)), "a simulator")
    assert caught.value.code == code


def test_files_that_are_no_tables(sample: Sample, tmp_path: Path) -> None:
    (tmp_path / "cut.parquet").write_bytes(b"PAR1 and no more")
    (tmp_path / "head.csv").write_text(",".join(REQUIRED) + "\n", encoding="utf-8")
    for name, said in (("cut.parquet", "cannot be read"), ("none.csv", "There is no file"), ("s.xlsx", "neither CSV")):
        with pytest.raises(RequestError, match=said):
            read_sample(tmp_path / name, "a simulator")
    with pytest.raises(TableRefusedError):
        read_sample(tmp_path / "head.csv", "a simulator")
    few = read_sample(write(tmp_path / "few.csv", rows_of(sample, TWO[:1])[:200]), "a simulator")
    with pytest.raises(TableRefusedError) as caught:
        train(few, "few", None, QUICK)
    assert caught.value.code == "too_few_rows"


# --- the commands -----------------------------------------------------------------------------------------------------


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(list(words))
    out = capsys.readouterr()
    return code, out.out, out.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("build", "--cost", "surrogate"), "needs a model"),
        (("build", "--model", "m"), "the costs are exact"),
        (("build", "--cost", "surrogate", "--model", "nowhere"), "no surrogate at"),
        (("import", "t.csv", "--out", "o", "--cost", "surrogate", "--model", "nowhere"), "no surrogate at"),
        (("train", "--demo", "northern-sierra", "--model", "m", "--simulator", "x"), "belongs to --sample"),
        (("train", "--sample", "s.csv", "--model", "m", "--simulator", "x", "--records", "9"), "belongs to --demo"),
        (("train", "--sample", "s.csv", "--model", "m"), "Say which simulator"),
        (("train", "--sample", "s.csv", "--model", "m", "--simulator", "FRCS"), "vouched"),
        (("train", "--sample", "s.csv", "--model", "m", "--simulator", "x"), "There is no file"),
        (("train", "--demo", "northern-sierra", "--model", "m", "--trees", "1"), "no useful model"),
        (("train", "--demo", "northern-sierra", "--model", "m", "--seed", "-1"), "is no seed"),
        (("train", "--demo", "northern-sierra", "--model", "m", "--records", "5"), "cannot be sampled"),
        (("train", "--demo", "atlantis", "--model", "m"), "atlantis"),
    ],
)
def test_slips_of_the_commands(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, err = run(capsys, "layers", *words)
    assert code == 2
    assert said in err
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == []


def test_train_then_build_by_command(capsys: pytest.CaptureFixture[str], sample: Sample, tmp_path: Path) -> None:
    table = write(tmp_path / "s.csv", rows_of(sample, TWO[:1]))
    code, out, err = run(capsys, "layers", "train", "--sample", str(table), "--simulator", "HarvestSim 3", "--synthetic",
                         "--model", str(tmp_path / "m"), "--trees", "60", "--json")  # fmt: skip
    assert code == 0, err
    card = json.loads(out)
    assert (card["name"], card["data"]["simulator"], card["data"]["synthetic"]) == ("m", "HarvestSim 3", True)
    assert card["hash"] == load(tmp_path / "m").hash
    code, out, _ = run(capsys, "layers", "train", "--sample", str(table), "--simulator", "HarvestSim 3", "--model",
                       str(tmp_path / "m"), "--trees", "10")  # fmt: skip
    assert code == 0
    assert "records dealt at random" in out
    assert "MISSES the targets" in out


@pytest.mark.slow
def test_demo_layers_by_command(
    capsys: pytest.CaptureFixture[str], model: Path, demo_layers: Path, tmp_path: Path
) -> None:
    out_dir = tmp_path / "by-surrogate"
    code, _, err = run(capsys, "layers", "build", "--demo", "northern-sierra", "--cost", "surrogate", "--model", str(model),
                       "--out", str(out_dir))  # fmt: skip
    assert code == 0, err
    one, two = (np.load(place / "cost_usd_per_bdt.npy", mmap_mode="r") for place in (demo_layers, out_dir))
    np.testing.assert_array_equal(np.isnan(one), np.isnan(two))
    code, out, _ = run(capsys, "layers", "info", "--data", str(out_dir), "--json")
    assert code == 0
    assert json.loads(out)["cost_method"]["method"] == "surrogate"
