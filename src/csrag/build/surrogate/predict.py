"""A trained surrogate in memory: cost, feasibility and interval of records, and what lies outside its experience."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.build.surrogate import booster
from csrag.build.surrogate.features import INPUT_COLUMNS, Floats, features

FEASIBLE_FROM = 0.5
"""Probability from which a record counts as feasible."""
_HAIR = 1e-6
"""A value beyond a bound by this share of it is rounding (columns are stored as float32), not another country."""


@dataclass(frozen=True)
class Surrogate:
    """Models by system with their card.

    Parameters
    ----------
    card : mapping
        Everything about it, as written to `card.json`.
    cost_models : mapping of str to object
        Logarithm of cost by system.
    feasibility_models : mapping of str to object or bool
        Classifier by system; a bool where the sample knew one answer only.
    """

    card: Mapping[str, Any]
    cost_models: Mapping[str, Any]
    feasibility_models: Mapping[str, Any]

    @property
    def systems(self) -> tuple[str, ...]:
        """Systems it knows, in the order of its card."""
        return tuple(self.cost_models)

    @property
    def hash(self) -> str:
        """SHA-256 of card and model files."""
        return str(self.card["hash"])

    def inputs(self, columns: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Input columns with those that the sample did not have at the constant they were given."""
        assumed = self.card["assumed"]
        n = len(next(iter(columns.values())))
        return {
            name: np.full(n, float(assumed[name])) if name in assumed else np.asarray(columns[name])
            for name in INPUT_COLUMNS
        }

    def cost_usd_per_bdt(
        self,
        columns: Mapping[str, NDArray[Any]],
        systems: Sequence[str],
        feasible: NDArray[np.bool_] | None = None,
    ) -> Floats:
        """Predicted harvest cost.

        Parameters
        ----------
        columns : mapping of str to ndarray, shape (n,)
            `features.INPUT_COLUMNS`.
        systems : sequence of str
            Systems wanted.
        feasible : ndarray of bool, shape (systems, n), optional
            Which records a rule allows; by default the classifiers judge.

        Returns
        -------
        ndarray of float64, shape (systems, n)
            Cost [USD per BDT]; NaN where infeasible, and for systems that the surrogate does not know.
        """
        rows = booster.pool(features(self.inputs(columns)).values)
        n = len(next(iter(columns.values())))
        out = np.full((len(systems), n), np.nan)
        for i, system in enumerate(systems):
            if system in self.cost_models and n:
                allowed = self._feasible(system, rows, n) if feasible is None else feasible[i]
                if allowed.any():
                    out[i] = np.where(allowed, np.exp(booster.predict(self.cost_models[system], rows)), np.nan)
        return out

    def feasible(self, columns: Mapping[str, NDArray[Any]], system: str) -> NDArray[np.bool_]:
        """What the classifier of a system says, shape (n,)."""
        rows = booster.pool(features(self.inputs(columns)).values)
        return self._feasible(system, rows, len(next(iter(columns.values()))))

    def _feasible(self, system: str, rows: Any, n: int) -> NDArray[np.bool_]:
        model = self.feasibility_models[system]
        if isinstance(model, bool):
            return np.full(n, model)
        return np.asarray(booster.probability(model, rows) >= FEASIBLE_FROM)

    def half_width_pct(self, system: str) -> float:
        """Half width of the interval of a system [percent of the predicted cost]."""
        return float(self.card["interval"]["half_width_pct"][system])

    def out_of_range(self, columns: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[np.bool_]]:
        """Records outside what the surrogate was trained on, by input column.

        Parameters
        ----------
        columns : mapping of str to ndarray, shape (n,)
            `features.INPUT_COLUMNS` or some of them.

        Returns
        -------
        dict of str to ndarray of bool, shape (n,)
            True where the value lies beyond the bounds of training, or is unknown where training knew all. Columns that
            the sample did not have are not judged.
        """
        found: dict[str, NDArray[np.bool_]] = {}
        for name, known in self.card["columns"].items():
            if name in columns and name not in self.card["assumed"]:
                found[name] = _outside(np.asarray(columns[name]), known)
        return found


def _outside(values: NDArray[Any], known: Mapping[str, Any]) -> NDArray[np.bool_]:
    low, high = float(known["low"]), float(known["high"])
    slack = _HAIR * max(abs(low), abs(high))
    outside = (values < low - slack) | (values > high + slack)
    return np.asarray(outside | np.isnan(values) if not known["unknown"] else outside)
