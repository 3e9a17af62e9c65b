"""Two layer sets over the same clusters, value by value; and two manifests, field by field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.build.layer_view import (
    CIRCUITY,
    COST,
    FEEDSTOCK_LAYER,
    LANDING,
    MEASURES,
    LayerView,
    cheapest,
    system_indices,
    treatment_of,
    view,
)
from csrag.errors import InvalidValueError, RequestError
from csrag.surfaces.catalog import FEEDSTOCK_CLASSES
from csrag.surfaces.derived import FEEDSTOCK
from csrag.surfaces.manifest import Manifest
from csrag.surfaces.store import LayerStore

_SAME_CLUSTERS = ("cluster_no", "lat", "lon")
_UNTOLD = ("columns", "layers_hash", "created", "grid", "schema")
"""Manifest fields that are said in another way, or say nothing about the layers."""


@dataclass(frozen=True)
class Difference:
    """How the second set differs from the first in one layer, over the clusters where both have a value.

    Parameters
    ----------
    layer, unit : str
        Which layer; unit in words.
    treatment, system : str or None
        None for what does not depend on them. For feedstock `system` is the feedstock class.
    n : int
        Number of clusters with a value in both.
    n_equal : int
        Number of them with the very same value.
    share_only_a, share_only_b : float
        Share of all clusters with a value in one set alone: feasible, or known, in that one only.
    median, p5, p95, mean, max_abs : float or None
        Of second minus first, in the layer's unit; None where no cluster has both.
    median_abs_pct, p95_abs_pct : float or None
        Size of the difference in percent of the first set's value, where that is not zero.
    """

    layer: str
    treatment: str | None
    system: str | None
    unit: str
    n: int
    n_equal: int
    share_only_a: float
    share_only_b: float
    median: float | None
    p5: float | None
    p95: float | None
    mean: float | None
    max_abs: float | None
    median_abs_pct: float | None
    p95_abs_pct: float | None

    def to_json(self) -> dict[str, Any]:
        """JSON object."""
        return asdict(self)


def check_same_clusters(a: LayerStore, b: LayerStore) -> None:
    """Refuse two sets whose rows are not the same clusters.

    Raises
    ------
    RequestError
        If numbers or positions differ, as they do between two seeds of a demonstration.
    """
    first, second = a.manifest.columns, b.manifest.columns
    if all(first[name].sha256 == second[name].sha256 for name in _SAME_CLUSTERS):
        return
    numbers = np.intersect1d(a.column("cluster_no"), b.column("cluster_no")).size
    seeds = f" (seeds {a.manifest.seed} and {b.manifest.seed})" if a.manifest.seed != b.manifest.seed else ""
    raise RequestError(
        f"The two sets hold different clusters{seeds}: {len(a):,} in {a.path} and {len(b):,} in {b.path}, of which {numbers:,} "
        "carry the same number, and their numbers or positions differ.",
        "Compare sets made from the same clusters, such as one with exact and one with surrogate costs; `csrag layers diff` "
        "says what differs between any two.",
        code="different_clusters",
    )


def difference_of(a: LayerView, b: LayerView) -> NDArray[np.float64]:
    """Second minus first, NaN where either has no value, shape (n,), in the views' unit."""
    return np.asarray(b.values.astype(np.float64) - a.values.astype(np.float64))


def compare_sets(
    a: LayerStore, b: LayerStore, *, treatment: str | None = None, system: str | None = None
) -> tuple[list[Difference], list[str]]:
    """How every layer of the second set differs from the first.

    Parameters
    ----------
    a, b : LayerStore
        Two sets over the same clusters.
    treatment : str, optional
        Only this treatment's costs and feedstock.
    system : str, optional
        Only this system's (or family's) costs.

    Returns
    -------
    rows : list of Difference
        Cost by treatment for `auto` and every system; feedstock per cluster by treatment and class; fire, circuity, slope and
        what else a cluster has.
    notes : list of str
        What one set holds and the other does not.

    Raises
    ------
    RequestError
        If the clusters differ, or the sets share no treatment.
    InvalidValueError
        If one of them lacks the treatment or the system named.
    """
    check_same_clusters(a, b)
    notes = _held_by_one("treatments", a.manifest.treatment_names, b.manifest.treatment_names)
    notes += _held_by_one("systems", a.manifest.systems, b.manifest.systems)
    names = [name for name in a.manifest.treatment_names if name in b.manifest.treatment_names]
    if treatment is not None:
        names = [treatment_of(a, treatment)]
        treatment_of(b, treatment)
    if not names:
        raise RequestError("The two sets share no treatment.", "`csrag layers diff` says what each holds.")
    systems = ["auto", *(s for s in a.manifest.systems if s in b.manifest.systems)] if system is None else [system]
    rows: list[Difference] = []
    for name in names:
        costs = [store.column("cost_usd_per_bdt")[store.manifest.treatment_names.index(name)] for store in (a, b)]
        for which in systems:
            values = [cheapest(c, system_indices(store, which))[0] for c, store in zip(costs, (a, b), strict=True)]
            rows.append(_difference(COST, name, which, "USD per BDT", *values))
        if system is None:
            tons = [store.column(FEEDSTOCK)[store.manifest.treatment_names.index(name)] for store in (a, b)]
            for c, label in enumerate(FEEDSTOCK_CLASSES):
                rows.append(_difference(FEEDSTOCK_LAYER, name, label, "BDT per cluster", tons[0][c], tons[1][c]))
    for layer in (*MEASURES, CIRCUITY, LANDING):
        try:
            first, second = view(a, layer), view(b, layer)
        except InvalidValueError:
            continue  # no road network in one of them, which `notes` and the distance modes say
        rows.append(_difference(layer, None, None, first.unit, first.values, second.values))
    notes += _held_by_one("distance modes", a.manifest.distance_modes, b.manifest.distance_modes)
    return rows, notes


def _held_by_one(what: str, a: tuple[str, ...], b: tuple[str, ...]) -> list[str]:
    only = (("the first", [x for x in a if x not in b]), ("the second", [x for x in b if x not in a]))
    return [f"{what} in {which} only: {', '.join(found)}" for which, found in only if found]


def _difference(
    layer: str, treatment: str | None, system: str | None, unit: str, a: NDArray[Any], b: NDArray[Any]
) -> Difference:
    x, y = a.astype(np.float64), b.astype(np.float64)
    has_a, has_b = np.isfinite(x), np.isfinite(y)
    both = has_a & has_b
    n, total = int(np.count_nonzero(both)), max(x.size, 1)
    only_a, only_b = (float(np.count_nonzero(m & ~both)) / total for m in (has_a, has_b))
    x, gap = x[both], y[both] - x[both]
    n_equal = int(np.count_nonzero(gap == 0))
    if n == 0:
        return Difference(layer, treatment, system, unit, 0, 0, only_a, only_b, *([None] * 7))
    if n_equal == n:
        return Difference(layer, treatment, system, unit, n, n, only_a, only_b, *([0.0] * 7))
    p5, median, p95 = (float(v) for v in np.percentile(gap, [5.0, 50.0, 95.0]))
    some = x != 0
    share = 100 * np.abs(gap[some] / x[some])
    middle, high = (float(v) for v in np.percentile(share, [50.0, 95.0])) if share.size else (None, None)
    largest = float(np.abs(gap).max())
    return Difference(layer, treatment, system, unit, n, n_equal, only_a, only_b, median, p5, p95, float(gap.mean()), largest,
                      middle, high)  # fmt: skip


def diff_manifests(a: Manifest, b: Manifest) -> dict[str, Any]:
    """What differs between two manifests.

    Returns
    -------
    dict
        `equal` (the sets' hashes are the same), `rows` of field, a, b for every differing field below the columns, and
        `columns`: which files are equal, differ, or are in one set only.
    """
    first, second = _flat(a.to_json()), _flat(b.to_json())
    rows = [
        {"field": name, "a": first.get(name), "b": second.get(name)}
        for name in sorted({*first, *second})
        if first.get(name) != second.get(name)
    ]
    ours, theirs = a.columns, b.columns
    common = [name for name in ours if name in theirs]
    columns = {
        "equal": sorted(name for name in common if ours[name].sha256 == theirs[name].sha256),
        "different": sorted(name for name in common if ours[name].sha256 != theirs[name].sha256),
        "only_a": sorted(name for name in ours if name not in theirs),
        "only_b": sorted(name for name in theirs if name not in ours),
    }
    return {"equal": a.layers_hash == b.layers_hash, "rows": rows, "columns": columns}


def _flat(data: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested mappings as one, keys joined by dots; provenance and treatments by their names; other lists stay whole."""
    out: dict[str, Any] = {}
    for key, value in data.items():
        if not prefix and key in _UNTOLD:
            continue
        if key in ("provenance", "treatments") and not prefix:
            label = "layer" if key == "provenance" else "name"
            seen: dict[str, int] = {}
            for entry in value:
                seen[entry[label]] = seen.get(entry[label], 0) + 1
                number = f"#{seen[entry[label]]}" if seen[entry[label]] > 1 else ""
                out.update(_flat(entry, f"{key}.{entry[label]}{number}."))
        elif isinstance(value, Mapping):
            out.update(_flat(value, f"{prefix}{key}."))
        else:
            out[prefix + key] = list(value) if isinstance(value, tuple) else value
    return out
