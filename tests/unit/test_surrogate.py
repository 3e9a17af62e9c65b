"""The surrogate: what it learns from, how it is judged, what it says of itself, and what it refuses."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from csrag.build.sources.demo import DemoSource
from csrag.build.surrogate import booster
from csrag.build.surrogate.features import ECONOMIC_COLUMNS, INPUT_COLUMNS, features
from csrag.build.surrogate.files import load, save
from csrag.build.surrogate.predict import Surrogate
from csrag.build.surrogate.rule import within_limits
from csrag.build.surrogate.sample import ECONOMIC_RANGES, Sample, draw
from csrag.build.surrogate.split import CALIBRATE, TEST, TRAIN, blocks_of, roles
from csrag.build.surrogate.train import Settings, train
from csrag.build.surrogate.validate import Judged, confusion, coverage, half_width_pct, judge
from csrag.errors import DataError, InvalidValueError, RequestError, TableRefusedError
from csrag.simulators.frcs.limits import COST_UNDEFINED, NO_FEEDSTOCK, UNROADED
from csrag.simulators.harvest import HarvestEconomics, harvest
from csrag.surfaces.catalog import SYSTEMS
from csrag.surfaces.frame import ClusterFrame

pytest.importorskip("catboost", reason='the surrogate needs pip install "csrag[surrogate]"')
QUICK = Settings(trees=60, classifier_trees=20, depth=4, rate=0.3)
TWO = ("Ground-Based Mech WT", "Cable Manual WT")


@pytest.fixture(scope="module")
def source() -> DemoSource:
    return DemoSource()


@pytest.fixture(scope="module")
def sample(source: DemoSource) -> Sample:
    return draw(source, 5_000, 3)


@pytest.fixture(scope="module")
def small(sample: Sample) -> Sample:
    """The same with two systems: quick to train."""
    return replace(sample, runs={s: sample.runs[s] for s in TWO})


@pytest.fixture(scope="module")
def trained(small: Sample) -> Surrogate:
    return train(small, "quick", 3, QUICK)


@pytest.fixture
def saved(trained: Surrogate, tmp_path: Path) -> Path:
    save(trained, tmp_path / "model")
    return tmp_path / "model"


# --- sample and split -------------------------------------------------------------------------------------------------


def test_sampled_costs_are_the_simulators_own(sample: Sample) -> None:
    for row in (0, sample.size // 3, sample.size - 1):
        stand = {name: values[row : row + 1] for name, values in sample.columns.items() if name not in ECONOMIC_COLUMNS}
        prices = HarvestEconomics(**{name: float(sample.columns[name][row]) for name in ECONOMIC_COLUMNS})
        clear_cut = bool(stand.pop("clear_cut")[0])
        made = harvest(ClusterFrame({**stand, "roaded": np.ones(1)}), SYSTEMS, prices, clear_cut=clear_cut)
        kept = np.array([sample.runs[s].cost_usd_per_bdt[row] for s in SYSTEMS])
        np.testing.assert_array_equal(made.cost_usd_per_bdt[:, 0], kept)


def test_same_seed_same_sample_and_another_seed_another(source: DemoSource, sample: Sample) -> None:
    again, other = draw(source, 5_000, 3), draw(source, 5_000, 4)
    for name in INPUT_COLUMNS:
        np.testing.assert_array_equal(again.columns[name], sample.columns[name])
    assert not np.array_equal(other.columns["slope_pct"], sample.columns["slope_pct"])


def test_half_of_the_records_keep_the_base_and_the_rest_stays_in_the_ranges(sample: Sample) -> None:
    assert 0.45 < sample.at_base.mean() < 0.55
    base = asdict(HarvestEconomics())
    for name, (low, high) in ECONOMIC_RANGES.items():
        values = sample.columns[name]
        assert (values[sample.at_base] == base[name]).all()
        rest = values[~sample.at_base]
        assert rest.min() >= low
        assert rest.max() <= high
        assert np.ptp(rest) > 0.8 * (high - low)


def test_an_economy_stands_in_one_block_only(sample: Sample) -> None:
    """Else the hold-out would know the prices it is judged at, and its errors would be too small."""
    rest = np.flatnonzero(~sample.at_base)
    _, economy = np.unique(sample.columns["ppi"][rest], return_inverse=True)
    for one in np.unique(economy):
        assert np.unique(sample.block[rest][economy == one]).size == 1


def test_blocks_are_dealt_whole_and_near_their_shares(sample: Sample) -> None:
    role = roles(sample.block, 1)
    for block in np.unique(sample.block):
        assert np.unique(role[sample.block == block]).size == 1
    shares = [(role == part).mean() for part in (TRAIN, CALIBRATE, TEST)]
    assert np.allclose(shares, (0.6, 0.2, 0.2), atol=0.08)
    assert not np.array_equal(role, roles(sample.block, 2))


def test_blocks_grow_smaller_where_the_country_is_small() -> None:
    rng = np.random.default_rng(0)
    block, side = blocks_of(40 + rng.uniform(0, 0.1, 500), -121 + rng.uniform(0, 0.1, 500))
    assert side < 20
    assert block.max() + 1 >= 15
    block, side = blocks_of(np.full(9, 40.0), np.full(9, -121.0))
    assert (block == 0).all()
    assert side == pytest.approx(1.25)


def test_too_few_or_too_many_records_are_refused(source: DemoSource) -> None:
    for count in (10, 10**8):
        with pytest.raises(InvalidValueError, match="cannot be sampled"):
            draw(source, count, 1)


# --- features and rule ------------------------------------------------------------------------------------------------


def test_features_are_finite_even_where_nothing_is_removed(sample: Sample) -> None:
    columns = {name: values[:3].copy() for name, values in sample.columns.items()}
    for name in ("stem_4_6_bdt_per_acre", "stem_6_9_bdt_per_acre", "stem_9_plus_bdt_per_acre", "branch_bdt_per_acre"):
        columns[name][0] = 0.0
    made = features(columns)
    assert made.values.shape == (3, len(made.names))
    assert np.isfinite(made.values).all()


@pytest.mark.parametrize("mapping", ["split", "fixed", "backend"])
def test_rule_is_the_simulators_own(mapping: str) -> None:
    rng = np.random.default_rng(5)
    n = 3000
    stand = {
        "area_acres": np.full(n, 32.0), "slope_pct": rng.uniform(0, 120, n), "grade_pct": rng.uniform(0, 120, n),
        "yarding_ft": rng.uniform(100, 12_000, n) * rng.choice([1.0, 0.1], n), "elevation_ft": rng.uniform(-300, 9000, n),
        "wood_density_kg_per_m3": rng.uniform(60, 600, n), "roaded": np.ones(n),
        **{f"{c}_bdt_per_acre": rng.uniform(0, 20, n) for c in ("stem_4_6", "stem_6_9", "stem_9_plus", "branch")},
    }  # fmt: skip
    prices = HarvestEconomics(moisture_pct=40)
    codes = harvest(ClusterFrame(stand), SYSTEMS, prices, clear_cut=False, mapping=mapping).codes
    ours = ~np.uint16(NO_FEEDSTOCK | UNROADED | COST_UNDEFINED)
    allowed = within_limits(stand, SYSTEMS, prices, mapping)
    np.testing.assert_array_equal(allowed, (codes & ours) == 0)
    assert 0.01 < allowed.mean() < 0.99


# --- judgement --------------------------------------------------------------------------------------------------------


def test_half_width_is_the_conformal_quantile() -> None:
    cost = np.full(99, 100.0)
    predicted = 100.0 / (1 + np.arange(1, 100) / 100)  # relative errors of 1 to 99 percent of the prediction
    assert half_width_pct(cost, predicted, 0.9) == pytest.approx(90.0)
    assert half_width_pct(cost[:5], predicted[:5], 0.9) == pytest.approx(5.0)  # rank beyond the end: the largest


def test_coverage_of_exchangeable_records_is_nominal() -> None:
    rng = np.random.default_rng(1)
    cost = rng.uniform(20, 90, 8000)
    predicted = cost * np.exp(0.03 * rng.standard_normal(8000))
    width = half_width_pct(cost[:4000], predicted[:4000])
    held = Judged(cost[4000:], predicted[4000:], rng.uniform(0, 50, 4000), np.zeros(4000, dtype=np.int64),
                  np.ones(4000, dtype=bool), width, width)  # fmt: skip
    assert coverage({"A": held})["by_system"]["A"] == pytest.approx(90, abs=2)


def test_judgement_counts_by_hand() -> None:
    cost = np.full(100, 50.0)
    predicted = np.where(np.arange(100) < 50, 50.5, 55.0)
    held = Judged(
        cost, predicted, np.where(np.arange(100) < 50, 5.0, 45.0), np.repeat([0, 1], 50), np.arange(100) < 20, 2.0, 0.5
    )
    found = judge({"Cable CTL": held})
    assert found["by_system"][0]["median_abs_error_pct"] == pytest.approx(5.5)
    assert found["by_family"] == [{
        "family": "cable", "n": 100, "median_abs_error_pct": 5.5, "p95_abs_error_pct": 10.0, "mean_error_pct": 5.5,
        "accepted": False,
    }]  # fmt: skip
    assert [(r["slope_pct"], r["n"], r["median_abs_error_pct"]) for r in found["by_terrain"]] == [
        ([0.0, 10.0], 50, 1.0), ([40.0, 60.0], 50, 10.0),
    ]  # fmt: skip
    assert found["at_base_economics"][0]["n"] == 20
    assert found["block_means"][0] == {
        "system": "Cable CTL", "blocks": 2, "median_abs_mean_error_pct": 5.5, "p95_abs_mean_error_pct": 9.55,
    }  # fmt: skip
    covered = coverage({"Cable CTL": replace(held, at_base=np.arange(100) < 60)})
    assert covered["by_system"] == {"Cable CTL": 50.0}
    assert covered["at_base_economics"] == {"Cable CTL": 0.0}  # half a percent holds none of errors of 1 and 10
    terrain = covered["by_terrain"]
    assert [r["coverage_pct"] for r in terrain] == [100.0, 0.0]


def test_confusion_counts() -> None:
    truth, said = np.array([1, 1, 0, 0, 0], bool), np.array([1, 0, 0, 1, 1], bool)
    found = confusion(truth, said)
    assert found["feasible_called_infeasible"] == 1
    assert found["infeasible_called_feasible"] == 2
    assert found["wrong_pct"] == 60.0


# --- training ---------------------------------------------------------------------------------------------------------


def test_a_quick_training_learns_and_says_so(trained: Surrogate) -> None:
    card = trained.card
    for row in card["errors"]["by_system"]:
        assert row["median_abs_error_pct"] < 10
    for share in card["coverage"]["by_system"].values():
        assert 80 < share < 97
    assert [row["family"] for row in card["errors"]["by_family"]] == ["ground", "cable"]
    assert all(row["wrong_pct"] == 0 for row in card["feasibility_check"]["rule"])
    assert all(row["wrong_pct"] < 3 for row in card["feasibility_check"]["classifier"])
    assert card["data"]["synthetic"] is True
    assert any("SYNTHETIC" in line for line in card["limits"])


def test_intervals_are_of_the_calibration_blocks(trained: Surrogate, small: Sample) -> None:
    role, system = roles(small.block, QUICK.seed), TWO[0]
    cost = small.runs[system].cost_usd_per_bdt
    at = np.flatnonzero((role == CALIBRATE) & ~small.varied & np.isfinite(cost))
    columns = {name: values[at] for name, values in small.columns.items()}
    predicted = trained.cost_usd_per_bdt(columns, (system,), np.ones((1, at.size), bool))[0]
    inside = np.abs(cost[at] - predicted) <= trained.half_width_pct(system) / 100 * predicted
    assert inside.mean() == pytest.approx(0.9, abs=0.01)
    base = small.at_base[at]
    width = trained.card["interval"]["at_base_economics_pct"][system]
    inside = np.abs(cost[at] - predicted) <= width / 100 * predicted
    assert inside[base].mean() == pytest.approx(0.9, abs=0.01)
    assert inside[~base].mean() < 0.9


def test_unknown_systems_have_no_cost_and_infeasible_ones_neither(trained: Surrogate, small: Sample) -> None:
    columns = {name: values[:50] for name, values in small.columns.items()}
    allowed = np.ones((2, 50), bool)
    allowed[0, :7] = False
    found = trained.cost_usd_per_bdt(columns, (TWO[0], "Helicopter CTL"), allowed)
    assert np.isnan(found[0, :7]).all()
    assert np.isfinite(found[0, 7:]).all()
    assert np.isnan(found[1]).all()


def test_classifier_judges_where_no_rule_is_given(trained: Surrogate, small: Sample) -> None:
    columns = {name: values.copy() for name, values in small.columns.items()}
    columns["slope_pct"][:] = 75.0
    columns["yarding_ft"][:] = 600.0
    steep = trained.cost_usd_per_bdt(columns, TWO)
    assert np.isnan(steep[0]).mean() > 0.99
    assert np.isfinite(steep[1]).mean() > 0.9


def test_out_of_range_is_found_by_column(trained: Surrogate, small: Sample) -> None:
    columns = {name: values[:4].astype(np.float32).astype(np.float64) for name, values in small.columns.items()}
    inside = trained.out_of_range({name: np.full(2, trained.card["columns"][name]["low"]) for name in INPUT_COLUMNS})
    assert not any(found.any() for found in inside.values())
    columns["diesel_usd_per_gal"][0] = 40.0
    columns["slope_pct"][1] = np.nan
    found = trained.out_of_range(columns)
    assert found["diesel_usd_per_gal"].tolist()[:1] == [True]
    assert found["slope_pct"][1]
    assert not found["moisture_pct"].any()


def test_a_constant_cost_teaches_nothing(small: Sample) -> None:
    flat = {
        s: replace(r, cost_usd_per_bdt=np.where(np.isnan(r.cost_usd_per_bdt), np.nan, 40.0))
        for s, r in small.runs.items()
    }
    with pytest.raises(TableRefusedError, match="40 USD per BDT in all") as caught:
        train(replace(small, runs=flat), "flat", None, QUICK)
    assert caught.value.code == "constant_target"


def test_too_few_costs_are_refused(small: Sample) -> None:
    run = small.runs[TWO[0]]
    cost = np.where(np.arange(run.rows.size) < 100, run.cost_usd_per_bdt, np.nan)
    with pytest.raises(TableRefusedError, match="records with a cost to train, and 300 are needed") as caught:
        train(replace(small, runs={TWO[0]: replace(run, cost_usd_per_bdt=cost)}), "few", None, QUICK)
    assert caught.value.code == "too_few_rows"


# --- the directory ----------------------------------------------------------------------------------------------------


def test_saved_and_read_again_it_says_the_same(trained: Surrogate, saved: Path, small: Sample) -> None:
    again = load(saved)
    columns = {name: values[:200] for name, values in small.columns.items()}
    np.testing.assert_array_equal(again.cost_usd_per_bdt(columns, TWO), trained.cost_usd_per_bdt(columns, TWO))
    card = json.loads((saved / "card.json").read_text(encoding="utf-8"))
    assert card["hash"] == again.hash
    text = (saved / "card.md").read_text(encoding="utf-8")
    for part in ("SYNTHETIC", card["hash"], "## Limits", "## By terrain", "## By decile of cost", "## Feasibility"):
        assert part in text


def test_one_seed_gives_one_hash(small: Sample, saved: Path, tmp_path: Path) -> None:
    again = save(train(small, "quick", 3, QUICK), tmp_path / "again")
    assert again.hash == load(saved).hash
    other = save(train(small, "quick", 3, replace(QUICK, seed=2)), tmp_path / "other")
    assert other.hash != again.hash


def damage(place: Path, how: str) -> None:
    model = next(place.glob("*.cost.cbm"))
    if how == "truncated":
        model.write_bytes(model.read_bytes()[:1000])
    elif how == "altered":
        blob = bytearray(model.read_bytes())
        blob[2000] ^= 1
        model.write_bytes(blob)
    elif how == "missing":
        model.unlink()
    elif how == "card cut off":
        (place / "card.json").write_text((place / "card.json").read_text(encoding="utf-8")[:500], encoding="utf-8")
    elif how == "card altered":
        card = json.loads((place / "card.json").read_text(encoding="utf-8"))
        card["errors"]["by_family"][0]["median_abs_error_pct"] = 0.01
        (place / "card.json").write_text(json.dumps(card), encoding="utf-8")
    else:
        (place / "card.json").write_text('{"schema": "csrag.surrogate/9"}', encoding="utf-8")


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("truncated", "1,000 bytes instead of"),
        ("altered", "was altered"),
        ("missing", "No such file"),
        ("card cut off", "cut off or altered"),
        ("card altered", "its hash does not fit"),
        ("another version", "not a card of this version"),
    ],
)
def test_damage_is_named(saved: Path, how: str, said: str) -> None:
    damage(saved, how)
    with pytest.raises(DataError, match=said) as caught:
        load(saved)
    assert caught.value.code == "model_damaged"
    assert "csrag layers train" in caught.value.fix


def test_there_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="There is no surrogate"):
        load(tmp_path / "nowhere")


def test_only_a_surrogate_is_replaced(trained: Surrogate, saved: Path, tmp_path: Path) -> None:
    save(trained, saved)
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.jpg").write_bytes(b"x")
    with pytest.raises(RequestError, match="something else than a surrogate"):
        save(trained, tmp_path / "photos")
    assert (tmp_path / "photos" / "cat.jpg").read_bytes() == b"x"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["model", "photos"]


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, saved: Path) -> None:
    import builtins

    real = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.split(".")[0] == "catboost":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(RequestError, match=r'pip install "csrag\[surrogate\]"') as caught:
        load(saved)
    assert caught.value.code == "extra_missing"


def test_the_library_is_pinned_to_one_thread_and_no_files(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    model = booster.fit(np.random.default_rng(0).normal(size=(200, 3)).astype(np.float32), np.arange(200.0), trees=5, depth=2,
                        rate=0.3, seed=1, classify=False)  # fmt: skip
    assert model.get_param("thread_count") == 1
    assert list(tmp_path.iterdir()) == []
