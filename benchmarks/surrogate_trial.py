"""Choosing and testing the surrogate on FRCS output. Everything runs on SYNTHETIC demonstration stands, one thread.

    OMP_NUM_THREADS=1 python benchmarks/surrogate_trial.py libraries [--records 66000]
    OMP_NUM_THREADS=1 python benchmarks/surrogate_trial.py designs [--records 44000]
    OMP_NUM_THREADS=1 python benchmarks/surrogate_trial.py seed MODEL [--demo-seed 18]
    OMP_NUM_THREADS=1 python benchmarks/surrogate_trial.py golden MODEL [--golden ../shared/golden/frcs]

`libraries`: CatBoost, LightGBM, XGBoost and scikit-learn's HistGradientBoosting on the same features and split, one
system of each family (libraries that are not installed are left out and named). `designs`: one model a system against
one a family, with and without the derived features, with prices held monotone, deeper trees, a linear fit first.
`seed`: a trained model on another seed of the demonstration. `golden`: a trained model on the golden clusters, against
FRCS itself and, for a model of mapping `fixed`, against the golden figures.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import pickle
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from csrag.build.sources.demo import demo_source
from csrag.build.surrogate.features import CLEAR_CUT, ECONOMIC_COLUMNS, INPUT_COLUMNS, features
from csrag.build.surrogate.files import load
from csrag.build.surrogate.sample import Sample, draw
from csrag.build.surrogate.split import TEST, TRAIN, roles
from csrag.simulators.frcs.mapping import is_clear_cut
from csrag.simulators.harvest import HarvestEconomics, harvest
from csrag.surfaces.catalog import FAMILIES, SYSTEMS
from csrag.surfaces.frame import ClusterFrame

ONE_A_FAMILY = ("Ground-Based Mech WT", "Cable Manual WT", "Helicopter Manual Log")
SPEED_ROWS = 16_384
TREES, DEPTH, RATE, SEED = 400, 6, 0.15, 1
PRICES = ("diesel_usd_per_gal", "faller_wage_usd_per_h", "other_wage_usd_per_h", "benefits_pct", "ppi",
          "faller_usd_per_h", "worker_usd_per_h")  # fmt: skip


def catboost_model(**more: Any) -> Any:
    import catboost

    given = {"iterations": TREES, "depth": DEPTH, "learning_rate": RATE, "border_count": 254, **more}
    return catboost.CatBoostRegressor(
        **given, random_seed=SEED, thread_count=1, logging_level="Silent", allow_writing_files=False
    )


def lightgbm_model() -> Any:
    import lightgbm

    return lightgbm.LGBMRegressor(
        n_estimators=TREES, num_leaves=2**DEPTH, learning_rate=RATE, n_jobs=1, random_state=SEED, verbose=-1
    )


def xgboost_model() -> Any:
    import xgboost

    return xgboost.XGBRegressor(
        n_estimators=TREES, max_depth=DEPTH, learning_rate=RATE, n_jobs=1, random_state=SEED, tree_method="hist"
    )


def sklearn_model() -> Any:
    from sklearn.ensemble import HistGradientBoostingRegressor

    return HistGradientBoostingRegressor(
        max_iter=TREES, max_leaf_nodes=2**DEPTH, learning_rate=RATE, early_stopping=False, random_state=SEED
    )


LIBRARIES: dict[str, tuple[str, Callable[[], Any]]] = {
    "CatBoost": ("catboost", catboost_model),
    "LightGBM": ("lightgbm", lightgbm_model),
    "XGBoost": ("xgboost", xgboost_model),
    "scikit-learn": ("sklearn.ensemble", sklearn_model),
}


def size_of(model: Any) -> int:
    """Bytes of a model in its library's own compact form, else pickled."""
    if type(model).__module__.startswith("catboost"):
        from csrag.build.surrogate.booster import to_bytes

        return len(to_bytes(model))
    if type(model).__module__.startswith("xgboost"):
        return len(model.get_booster().save_raw("ubj"))
    return len(pickle.dumps(model))


def import_seconds(module: str) -> float:
    """Wall time of importing it in a fresh process that has NumPy already, best of three [s]."""
    code = f"import numpy, time; t = time.perf_counter(); import {module}; print(time.perf_counter() - t)"
    return min(float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
               for _ in range(3))  # fmt: skip


def error_pct(model: Any, values: Any, log_cost: Any) -> Any:
    return np.abs(np.expm1(model.predict(values) - log_cost)) * 100


def quantiles(error: Any) -> str:
    median, p95 = np.percentile(error, [50, 95])
    return f"median {median:.2f} p95 {p95:.2f}"


def rows_of(sample: Sample, system: str, role: Any) -> tuple[Any, Any]:
    """Rows with a cost to learn from and to judge on."""
    feasible = np.isfinite(sample.runs[system].cost_usd_per_bdt)
    return np.flatnonzero(feasible & (role == TRAIN)), np.flatnonzero(feasible & (role == TEST) & ~sample.varied)


def libraries(options: argparse.Namespace) -> None:
    sample = draw(demo_source(), options.records, SEED)
    values, role = np.ascontiguousarray(features(sample.columns).values), roles(sample.block, SEED)
    print(f"{sample.size} records, {values.shape[1]} features, {TREES} trees of depth {DEPTH} (or {2**DEPTH} leaves)")
    for name, (module, make) in LIBRARIES.items():
        try:
            seconds = import_seconds(module)
        except subprocess.CalledProcessError:
            print(f"{name}: not installed, left out")
            continue
        fit, size, rates, said = 0.0, 0, [], []
        for system in ONE_A_FAMILY:
            y = np.log(sample.runs[system].cost_usd_per_bdt)
            learn, held = rows_of(sample, system, role)
            model = make()
            begin = time.process_time()
            model.fit(values[learn], y[learn])
            fit += time.process_time() - begin
            size += size_of(model)
            begin = time.process_time()
            for _ in range(5):
                model.predict(values[:SPEED_ROWS])
            rates.append(5 * SPEED_ROWS / (time.process_time() - begin))
            said.append(f"{system}: {quantiles(error_pct(model, values[held], y[held]))}")
        print(f"{name}: {'; '.join(said)}; {np.median(rates):,.0f} rows/s, fit {fit:.0f} s for three, "
              f"{size / 3e6:.2f} MB a model, import {seconds:.2f} s", flush=True)  # fmt: skip


def designs(options: argparse.Namespace) -> None:
    sample = draw(demo_source(), options.records, SEED)
    made, role = features(sample.columns), roles(sample.block, SEED)
    values = np.ascontiguousarray(made.values)
    raw = [made.names.index(name) for name in INPUT_COLUMNS]
    rising = [int(name in PRICES) for name in made.names]
    kinds: dict[str, tuple[Any, dict[str, Any]]] = {
        "as chosen": (values, {}),
        "input columns only": (values[:, raw], {}),
        "prices monotone": (values, {"monotone_constraints": rising}),
        "depth 8": (values, {"depth": 8}),
        "rate 0.08": (values, {"learning_rate": 0.08}),
    }
    for system in ONE_A_FAMILY:
        y = np.log(sample.runs[system].cost_usd_per_bdt)
        learn, held = rows_of(sample, system, role)
        for label, (given, more) in kinds.items():
            begin = time.process_time()
            model = catboost_model(**more).fit(given[learn], y[learn])
            print(f"{system}: {label}: {quantiles(error_pct(model, given[held], y[held]))}, "
                  f"{time.process_time() - begin:.1f} s", flush=True)  # fmt: skip
        print(f"{system}: a linear fit first: {quantiles(linear_first(values, y, learn, held))}", flush=True)
    for family in ("ground", "cable", "helicopter"):
        whole, judged = one_a_family(sample, values, role, FAMILIES[family])
        print(f"{family}: one model with the system as a feature: {quantiles(whole)}", flush=True)
        print(f"{family}: one model a system: {quantiles(judged)}", flush=True)


def linear_first(values: Any, y: Any, learn: Any, held: Any) -> Any:
    """Error where the trees correct a ridge regression on the features and their squares."""
    x = values.astype(np.float64)
    x = np.clip((x - x[learn].mean(axis=0)) / (x[learn].std(axis=0) + 1e-9), -5, 5)
    x = np.hstack([x, x * x, np.ones((len(x), 1))])
    width = x.shape[1]
    weights = np.linalg.lstsq(np.vstack([x[learn], np.eye(width)]), np.r_[y[learn], np.zeros(width)], rcond=None)[0]
    base = x @ weights
    model = catboost_model().fit(values[learn], (y - base)[learn])
    return np.abs(np.expm1(model.predict(values[held]) + base[held] - y[held])) * 100


def one_a_family(sample: Sample, values: Any, role: Any, systems: tuple[str, ...]) -> tuple[Any, Any]:
    """Errors of one model for all, with as many trees as the members have together, and of the members' own models."""
    learn_x, learn_y, held_x, held_y, apart = [], [], [], [], []
    for number, system in enumerate(systems):
        y = np.log(sample.runs[system].cost_usd_per_bdt)
        learn, held = rows_of(sample, system, role)
        tagged = np.column_stack([values, np.full(len(values), number, dtype=np.float32)])
        learn_x.append(tagged[learn])
        learn_y.append(y[learn])
        held_x.append(tagged[held])
        held_y.append(y[held])
        apart.append(error_pct(catboost_model().fit(values[learn], y[learn]), values[held], y[held]))
    model = catboost_model(iterations=TREES * 2).fit(np.concatenate(learn_x), np.concatenate(learn_y))
    return error_pct(model, np.concatenate(held_x), np.concatenate(held_y)), np.concatenate(apart)


def told(model: Any, columns: Any, truth: Any) -> None:
    """Print errors and coverage by family of a model on records, and the share outside its experience."""
    outside = np.logical_or.reduce(list(model.out_of_range(columns).values()))
    predicted = model.cost_usd_per_bdt(columns, SYSTEMS, np.isfinite(truth))
    print(f"{truth.shape[1]} records, {100 * outside.mean():.2f} % outside what it was trained on")
    for family in ("ground", "cable", "helicopter"):
        rows = [i for i, system in enumerate(SYSTEMS) if system in FAMILIES[family]]
        for label, kept in (("all", np.ones_like(outside)), ("inside its ranges", ~outside)):
            error, covered = [], []
            for i in rows:
                at = np.isfinite(truth[i]) & (truth[i] > 0) & kept
                error.append(np.abs(predicted[i][at] / truth[i][at] - 1) * 100)
                wide = model.half_width_pct(SYSTEMS[i]) / 100 * predicted[i][at]
                covered.append(np.abs(predicted[i][at] - truth[i][at]) <= wide)
            error, covered = np.concatenate(error), np.concatenate(covered)
            if error.size:
                print(f"  {family}, {label}: n {error.size}, {quantiles(error)}, coverage {100 * covered.mean():.1f} %")


def other_seed(options: argparse.Namespace) -> None:
    model = load(Path(options.model))
    sample = draw(demo_source("northern-sierra", options.demo_seed), options.records, SEED + 1,
                  mapping=model.card["data"]["mapping"], varied_share=0.0)  # fmt: skip
    told(model, sample.columns, np.stack([sample.runs[s].cost_usd_per_bdt for s in SYSTEMS]))


def golden(options: argparse.Namespace) -> None:
    model = load(Path(options.model))
    mapping = model.card["data"]["mapping"]
    with gzip.open(Path(options.golden) / "public_cluster.csv.gz", "rt", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    names = dict(zip(INPUT_COLUMNS, (None, "cluster_slope", "cluster_mean_yarding", "cluster_center_elevation",
                 "cluster_wood_density", "cluster_area", "cluster_stem4to6_tonsacre", "cluster_stem6to9_tonsacre",
                 "cluster_stem9plus_tonsacre", "cluster_branch_tonsacre", None, "econ_dieselFuelPrice", "econ_wageFaller",
                 "econ_wageOther", "econ_laborBenefits", "econ_ppiCurrent", "econ_moistureContent",
                 "econ_residueRecovFracWT", "econ_residueRecovFracCTL"), strict=True))  # fmt: skip
    n = len(rows)
    columns = {c: np.full(n, np.nan) if k is None else np.array([float(r[k] or "nan") for r in rows])
               for c, k in names.items()}  # fmt: skip
    columns["slope_pct"] = columns["grade_pct"]  # FRREDSS's slope column is the grade; the terrain's is not in the rows
    columns[CLEAR_CUT] = np.array([float(is_clear_cut(json.loads(r["cluster_treatmentid"]), "fixed")) for r in rows])
    truth = np.full((len(SYSTEMS), n), np.nan)
    for i in range(n):
        given = {name: float(columns[name][i]) for name in ECONOMIC_COLUMNS}
        if given["ppi"] < 150 or given["moisture_pct"] > 80:
            continue
        stand = {name: values[i : i + 1] for name, values in columns.items() if name not in ECONOMIC_COLUMNS}
        out = harvest(ClusterFrame({**stand, "roaded": np.ones(1)}), SYSTEMS, HarvestEconomics(**given),
                      clear_cut=bool(columns[CLEAR_CUT][i]), mapping=mapping)  # fmt: skip
        truth[:, i] = out.cost_usd_per_bdt[:, 0]
    left = int(np.count_nonzero(~np.isfinite(truth).any(axis=0)))
    print(f"against FRCS under mapping {mapping}, ten systems a cluster; {left} clusters without any cost")
    told(model, columns, truth)
    figures = np.full_like(truth, np.nan)
    for i, row in enumerate(rows):
        tons, moisture = float(row["feedstockGreenTons"] or 0), columns["moisture_pct"][i] / 100
        if row["variant"] == mapping and not row["error_class"] and tons > 0:
            figures[SYSTEMS.index(row["system"]), i] = float(row["feedstockHarvestCost"]) / tons / (1 - moisture)
    if np.isfinite(figures).any():
        print("against the golden figures themselves")
        told(model, columns, figures)


def main() -> None:
    """Run one part."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parts = parser.add_subparsers(required=True)
    for name, run, records in (("libraries", libraries, 66_000), ("designs", designs, 44_000), ("seed", other_seed, 22_000),
                               ("golden", golden, 0)):  # fmt: skip
        part = parts.add_parser(name)
        part.add_argument("--records", type=int, default=records)
        if run in (other_seed, golden):
            part.add_argument("model")
        part.add_argument("--demo-seed", type=int, default=18)
        part.add_argument("--golden", default=str(Path(__file__).resolve().parents[2] / "shared" / "golden" / "frcs"))
        part.set_defaults(run=run)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
