"""From a sample to a surrogate with its card: one cost model and one classifier a system."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag import __version__
from csrag.build.progress import Progress, Silent
from csrag.build.surrogate import booster
from csrag.build.surrogate.card import SCHEMA, limits_of
from csrag.build.surrogate.features import INPUT_COLUMNS, UNITS, features
from csrag.build.surrogate.predict import FEASIBLE_FROM, Surrogate
from csrag.build.surrogate.rule import within_limits
from csrag.build.surrogate.sample import Run, Sample
from csrag.build.surrogate.split import CALIBRATE, TEST, TRAIN, parts_of, roles
from csrag.build.surrogate.validate import LEVEL, Judged, confusion, coverage, half_width_pct, judge
from csrag.errors import TableRefusedError
from csrag.simulators.harvest import HarvestEconomics

LEAST_TRAINED, LEAST_HELD = 300, 50
"""Records with a cost that each system needs for training, and for calibration and judgement each."""
_PARTS = {TRAIN: "train", CALIBRATE: "calibrate the intervals", TEST: "judge"}


@dataclass(frozen=True)
class Settings:
    """How the trees are grown.

    Parameters
    ----------
    trees : int
        Number of trees of a cost model.
    classifier_trees : int
        Number of trees of a classifier.
    depth : int
        Depth, a count of splits.
    rate : float
        Learning rate, a share.
    seed : int
        Seed of trees and split.
    """

    trees: int = 400
    classifier_trees: int = 100
    depth: int = 6
    rate: float = 0.15
    seed: int = 1


@dataclass(frozen=True)
class _System:
    """One system while it is trained: everything by row of its run."""

    run: Run
    role: NDArray[np.int8]
    log_cost: NDArray[np.float64]
    varied: NDArray[np.bool_]

    @property
    def feasible(self) -> NDArray[np.bool_]:
        return np.isfinite(self.log_cost)

    def rows(self, role: int) -> NDArray[np.int64]:
        """Rows of a part; of varied stands none but for training."""
        inside = self.role == role
        return np.flatnonzero(inside if role == TRAIN else inside & ~self.varied)

    def priced(self, role: int) -> NDArray[np.int64]:
        """Those of them with a cost."""
        rows = self.rows(role)
        return rows[self.feasible[rows]]


def train(
    sample: Sample, name: str, draw_seed: int | None, settings: Settings | None = None, progress: Progress | None = None
) -> Surrogate:
    """Train, calibrate and judge.

    Parameters
    ----------
    sample : Sample
        Records with costs.
    name : str
        Name of the surrogate.
    draw_seed : int or None
        Seed with which the sample was drawn, for the card.
    settings : Settings, optional
        How the trees are grown.
    progress : Progress, optional
        Told of every model.

    Returns
    -------
    Surrogate
        With a card that has no file hashes yet; `files.save` adds them.

    Raises
    ------
    TableRefusedError
        If a system has too few records with a cost, or the same cost everywhere.
    RequestError
        If the library is not installed.
    """
    booster.load()
    chosen, watcher = settings or Settings(), progress or Silent()
    role = roles(sample.block, chosen.seed)
    systems = {
        s: _System(run, role[run.rows], np.log(_positive(run)), sample.varied[run.rows])
        for s, run in sample.runs.items()
    }
    for system, data in systems.items():
        _check(system, data)
    made = features(sample.columns)
    watcher.start("training", len(systems), "systems")
    cost_models: dict[str, Any] = {}
    feasibility: dict[str, Any] = {}
    judged: dict[str, Judged] = {}
    by_classifier: list[dict[str, Any]] = []
    for number, (system, data) in enumerate(systems.items()):
        values = made.values[data.run.rows]
        cost_models[system], judged[system] = _fit_cost(data, values, sample, chosen, number)
        feasibility[system], row = _fit_feasibility(data, values, chosen, number)
        by_classifier.append({"system": system, **row})
        watcher.advance(1)
    card = _card(sample, role, name, draw_seed, chosen)
    card |= {
        "features": list(made.names),
        "interval": {
            "level_pct": 100 * LEVEL,
            "half_width_pct": {s: round(j.half_width_pct, 3) for s, j in judged.items()},
            "at_base_economics_pct": {s: round(j.base_half_width_pct, 3) for s, j in judged.items()},
        },
        "errors": judge(judged),
        "coverage": coverage(judged),
        "feasibility_check": {"classifier": by_classifier, **_by_rule(sample, systems)},
    }
    card["limits"] = limits_of(card)
    return Surrogate(card, cost_models, feasibility)


def _positive(run: Run) -> NDArray[np.float64]:
    # A cost of zero or less has no logarithm; a simulator that gives one has no cost there.
    return np.where(run.cost_usd_per_bdt > 0, run.cost_usd_per_bdt, np.nan)


def _check(system: str, data: _System) -> None:
    known = data.log_cost[data.feasible]
    if known.size and np.ptp(known) < 1e-9:
        raise TableRefusedError(
            f"The cost of {system} is {np.exp(known[0]):g} USD per BDT in all {known.size:,} rows.",
            "A constant teaches nothing: check the cost column, or leave the system out.",
            code="constant_target",
        )
    for role, least in ((TRAIN, LEAST_TRAINED), (CALIBRATE, LEAST_HELD), (TEST, LEAST_HELD)):
        count = data.priced(role).size
        if count < least:
            raise TableRefusedError(
                f"{system} has {count:,} records with a cost to {_PARTS[role]}, and {least} are needed "
                f"({known.size:,} in all).",
                "Give more rows of it, spread over more country, or leave the system out.",
                code="too_few_rows",
            )


def _fit_cost(
    data: _System, values: NDArray[np.float32], sample: Sample, chosen: Settings, number: int
) -> tuple[Any, Judged]:
    """The cost model of one system, and its hold-out with calibrated interval."""
    at = {role: data.priced(role) for role in _PARTS}
    model = booster.fit(
        values[at[TRAIN]], data.log_cost[at[TRAIN]], trees=chosen.trees, depth=chosen.depth, rate=chosen.rate,
        seed=chosen.seed + number, classify=False,
    )  # fmt: skip
    predicted = {r: np.exp(booster.predict(model, booster.pool(values[at[r]]))) for r in (CALIBRATE, TEST)}
    cost = data.run.cost_usd_per_bdt
    rows = data.run.rows[at[TEST]]
    width = half_width_pct(cost[at[CALIBRATE]], predicted[CALIBRATE])
    base = sample.at_base[data.run.rows[at[CALIBRATE]]]
    return model, Judged(
        cost_usd_per_bdt=cost[at[TEST]],
        predicted_usd_per_bdt=predicted[TEST],
        slope_pct=sample.columns["slope_pct"][rows],
        block=sample.block[rows],
        at_base=sample.at_base[rows],
        half_width_pct=width,
        base_half_width_pct=half_width_pct(cost[at[CALIBRATE]][base], predicted[CALIBRATE][base])
        if np.count_nonzero(base) >= LEAST_HELD
        else width,
    )


def _fit_feasibility(
    data: _System, values: NDArray[np.float32], chosen: Settings, number: int
) -> tuple[Any, dict[str, Any]]:
    """The classifier of one system with its confusion on the hold-out; a bool where there is one answer only."""
    learn, held = data.rows(TRAIN), data.rows(TEST)
    answers = np.unique(data.feasible[learn])
    if answers.size == 1:
        only = bool(answers[0])
        return only, confusion(data.feasible[held], np.full(held.size, only))
    model = booster.fit(
        values[learn], data.feasible[learn].astype(np.int8), trees=chosen.classifier_trees, depth=chosen.depth,
        rate=chosen.rate, seed=chosen.seed + number, classify=True,
    )  # fmt: skip
    said = booster.probability(model, booster.pool(values[held])) >= FEASIBLE_FROM
    return model, confusion(data.feasible[held], said)


def _by_rule(sample: Sample, systems: Mapping[str, _System]) -> dict[str, Any]:
    """Confusion of FRCS's limits on the hold-out, where the simulator is FRCS."""
    if sample.about["simulator"] != "FRCS":
        return {}
    rows: list[dict[str, Any]] = []
    economics = HarvestEconomics(**sample.base_economics)
    for system, data in systems.items():
        held = data.rows(TEST)
        stand = {name: sample.columns[name][data.run.rows[held]] for name in INPUT_COLUMNS}
        said = within_limits(stand, (system,), economics, str(sample.about["mapping"]))[0]
        rows.append({"system": system, **confusion(data.feasible[held], said)})
    return {"rule": rows}


def _card(sample: Sample, role: NDArray[np.int8], name: str, draw_seed: int | None, chosen: Settings) -> dict[str, Any]:
    """Everything but the judgement."""
    about = sample.about
    learn = role == TRAIN
    counted = parts_of(role, sample.block, sample.varied)
    return {
        "schema": SCHEMA,
        "name": name,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "data": {
            "simulator": about["simulator"], "source": about["source"], "title": about["title"],
            "synthetic": about["synthetic"], "seed": about["seed"], "draw_seed": draw_seed, "mapping": about["mapping"],
            "records": sample.size, "costs": sum(r.rows.size for r in sample.runs.values()),
            "at_base_economics": int(sample.at_base.sum()), "varied_stands": int(sample.varied.sum()),
        },
        "holdout": {
            "kind": "random" if sample.block_km is None else "spatial", "block_km": sample.block_km,
            "parts": [
                {"part": label, "blocks": counted[part][0], "records": counted[part][1]} for part, label in _PARTS.items()
            ],
        },
        "feasibility": "rule" if about["simulator"] == "FRCS" else "classifier",
        "base_economics": dict(sample.base_economics),
        "assumed": dict(sample.assumed),
        "columns": {column: _seen(sample.columns[column][learn], UNITS[column]) for column in INPUT_COLUMNS},
        "systems": list(sample.runs),
        "training": {"library": booster.LIBRARY, "version": booster.version(), **asdict(chosen)},
        "versions": {
            "csrag": __version__, booster.LIBRARY: booster.version(), "numpy": np.__version__,
            "python": platform.python_version(),
        },
    }  # fmt: skip


def _seen(values: NDArray[np.float64], unit: str) -> dict[str, Any]:
    known = values[np.isfinite(values)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 0.0)
    return {"unit": unit, "low": low, "high": high, "unknown": int(values.size - known.size)}
