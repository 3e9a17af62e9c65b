"""The one door to the boosting library: fit, bytes, predict; nothing else imports it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.build.surrogate.features import Floats
from csrag.errors import RequestError

LIBRARY = "catboost"
_BORDERS = 254


def load() -> Any:
    """The library's module.

    Raises
    ------
    RequestError
        If it is not installed.
    """
    try:
        import catboost
    except ImportError:
        raise RequestError(
            "A surrogate needs the package `catboost`, which is not installed.",
            'Install it with pip install "csrag[surrogate]", or build the cost layer with --cost exact.',
            code="extra_missing",
        ) from None
    return catboost


def version() -> str:
    """Version of the library."""
    return str(load().__version__)


def fit(values: NDArray[np.float32], target: NDArray[Any], *, trees: int, depth: int, rate: float, seed: int,
        classify: bool) -> Any:  # fmt: skip
    """Fit a regressor (least squares) or a two-class classifier (log loss) on one thread.

    Parameters
    ----------
    values : ndarray of float32, shape (n, f)
        Features.
    target : ndarray, shape (n,)
        Number, or class 0 or 1.
    trees, depth : int
        Number of trees and their depth, a count of splits.
    rate : float
        Learning rate, a share.
    seed : int
        Seed.
    classify : bool
        A classifier.

    Returns
    -------
    object
        The library's model.
    """
    catboost = load()
    kind = catboost.CatBoostClassifier if classify else catboost.CatBoostRegressor
    model = kind(
        iterations=trees, depth=depth, learning_rate=rate, random_seed=seed, thread_count=1, border_count=_BORDERS,
        loss_function="Logloss" if classify else "RMSE", allow_writing_files=False, logging_level="Silent",
    )  # fmt: skip
    model.fit(values, target)
    return model


def to_bytes(model: Any) -> bytes:
    """The model without the library's time stamp and random id, so that one seed gives one file."""
    import tempfile
    from pathlib import Path

    notes = model.get_metadata()
    for key in list(notes.keys()):
        del notes[key]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "model.cbm"
        model.save_model(str(place))
        return place.read_bytes()


def from_bytes(blob: bytes, classify: bool) -> Any:
    """Inverse of `to_bytes`."""
    catboost = load()
    model = catboost.CatBoostClassifier() if classify else catboost.CatBoostRegressor()
    model.load_model(blob=blob)
    return model


def pool(values: NDArray[np.float32]) -> Any:
    """Features in the library's own form, made once for several models."""
    return load().Pool(values)


def predict(model: Any, rows: Any) -> Floats:
    """What a regressor says of a pool, shape (n,)."""
    return np.asarray(model.predict(rows, thread_count=1), dtype=np.float64)


def probability(model: Any, rows: Any) -> Floats:
    """Probability of class 1 that a classifier gives to a pool, shape (n,)."""
    return np.asarray(model.predict(rows, prediction_type="Probability", thread_count=1)[:, 1], dtype=np.float64)
