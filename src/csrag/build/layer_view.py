"""One layer of a set as one value a cluster: what maps, comparisons and distributions look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.errors import InvalidValueError
from csrag.surfaces.catalog import FEEDSTOCK_CLASS_OF, UNKNOWN_CODE, systems_of
from csrag.surfaces.derived import FEEDSTOCK
from csrag.surfaces.store import LayerStore

COST, FEEDSTOCK_LAYER, CIRCUITY, NETWORK, LANDING = "cost", "feedstock", "circuity", "network", "landing"
RECORD_LAYERS = (COST, FEEDSTOCK_LAYER)
"""Layers that differ by treatment and system."""
MEASURES = {
    "fire": ("burn_probability", "annual burn probability", "per year"),
    "slope": ("slope_pct", "terrain slope", "percent"),
    "elevation": ("elevation_ft", "elevation", "feet"),
    "yarding": ("yarding_ft", "mean yarding distance", "feet"),
}
"""Layer to column, label, unit."""
CODES = {
    "hazard": ("hazard_class", "fire hazard class"),
    "land-use": ("land_use", "land use"),
    "forest-type": ("forest_type", "forest type"),
}
"""Layer of named classes to column and label."""
LAYERS = (
    *RECORD_LAYERS,
    "fire",
    "hazard",
    CIRCUITY,
    NETWORK,
    LANDING,
    "slope",
    "elevation",
    "yarding",
    "land-use",
    "forest-type",
)
DEFAULT_TREATMENT = "TFB40"


@dataclass(frozen=True, eq=False)
class LayerView:
    """One value a cluster.

    Parameters
    ----------
    layer : str
        One of `LAYERS`.
    label : str
        What it is, treatment and system included.
    unit : str
        Unit in words; empty for classes.
    values : ndarray, shape (n,)
        float64 with NaN where unknown or infeasible; integer codes with -1 where unknown for a layer of classes.
    classes : tuple of str
        Meanings of the codes; empty for a measure.
    """

    layer: str
    label: str
    unit: str
    values: NDArray[Any]
    classes: tuple[str, ...] = ()


def treatment_of(store: LayerStore, named: str | None) -> str:
    """The treatment named, TFB40 or else the set's first where none is.

    Raises
    ------
    InvalidValueError
        If the set does not hold it.
    """
    names = store.manifest.treatment_names
    if named is None:
        return DEFAULT_TREATMENT if DEFAULT_TREATMENT in names else names[0]
    if named.upper() not in names:
        raise InvalidValueError(f"{store.manifest.name} holds no treatment {named!r}.", f"It holds {', '.join(names)}.")
    return named.upper()


def system_indices(store: LayerStore, system: str) -> list[int]:
    """Positions in the set of the systems that a word or a name allows.

    Raises
    ------
    InvalidValueError
        If it is neither a family nor a system of the set.
    """
    held = store.manifest.systems
    try:
        found = [held.index(name) for name in systems_of(system) if name in held]
    except KeyError:
        found = []
    if not found:
        raise InvalidValueError(
            f"There is no harvesting system {system!r} in {store.manifest.name}.",
            f"It is auto, ground, cable, helicopter, or one of {', '.join(held)}.",
        )
    return found


def view(store: LayerStore, layer: str, treatment: str | None = None, system: str = "auto") -> LayerView:
    """A layer of a set, one value a cluster.

    Parameters
    ----------
    store : LayerStore
        The set.
    layer : str
        One of `LAYERS` but the road network, which is no property of a cluster.
    treatment : str, optional
        For cost and feedstock; TFB40 by default.
    system : str
        For cost and feedstock: a system, or a family, of which each cluster's cheapest feasible one counts.

    Returns
    -------
    LayerView
        In storage order.

    Raises
    ------
    InvalidValueError
        For an unknown layer, treatment or system, or a layer that the set does not hold.
    """
    if layer in RECORD_LAYERS:
        return _record(store, layer, treatment_of(store, treatment), system)
    if layer in MEASURES:
        column, label, unit = MEASURES[layer]
        return LayerView(layer, label, unit, store.column(column).astype(np.float64))
    if layer in CODES:
        column, label = CODES[layer]
        codes = store.column(column).astype(np.int64)
        return LayerView(
            layer, label, "", np.where(codes == UNKNOWN_CODE, -1, codes), store.manifest.codes.get(column, ())
        )
    if layer == CIRCUITY:
        return LayerView(layer, "road over straight-line distance, by zone", "ratio", zone_factor(store))
    if layer == LANDING:
        roads = store.roads
        if roads is None:
            raise no_roads(store)
        return LayerView(
            layer, "access leg from the landing to the road network", "km", roads.landing_km.astype(np.float64)
        )
    raise InvalidValueError(f"There is no layer {layer!r}.", f"It is one of {', '.join(LAYERS)}.")


def no_roads(store: LayerStore) -> InvalidValueError:
    """The refusal of a road layer where the set has no network."""
    return InvalidValueError(
        f"{store.manifest.name} holds no road network.",
        "Build it with roads, or look at `circuity`.",
        code="layer_not_in_set",
    )


def zone_factor(store: LayerStore) -> NDArray[np.float64]:
    """Circuity factor of each cluster's zone, shape (n,); NaN where the zone is unknown or the set has no factors."""
    zone = store.column("zone").astype(np.int64)
    factors = np.array([*store.manifest.zone_factors, np.nan])
    return np.asarray(factors[np.where((zone >= 0) & (zone < factors.size - 1), zone, -1)])


def cheapest(costs: NDArray[Any], among: Sequence[int]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Least cost among some systems and which one it is.

    Parameters
    ----------
    costs : ndarray, shape (systems, n)
        Harvest cost of one treatment; NaN infeasible [USD per BDT].
    among : sequence of int
        Positions of the systems.

    Returns
    -------
    cost : ndarray of float64, shape (n,)
        NaN where none is feasible [USD per BDT].
    system : ndarray of int64, shape (n,)
        Index of the system, -1 where none is feasible.
    """
    best = np.full(costs.shape[1], np.nan)
    which = np.full(costs.shape[1], -1, dtype=np.int64)
    for at in among:
        values = costs[at].astype(np.float64)
        better = (values < best) | (np.isnan(best) & np.isfinite(values))
        best[better] = values[better]
        which[better] = at
    return best, which


def _record(store: LayerStore, layer: str, treatment: str, system: str) -> LayerView:
    m = store.manifest
    t = m.treatment_names.index(treatment)
    costs, which = cheapest(store.column("cost_usd_per_bdt")[t], system_indices(store, system))
    words = f"{treatment}, {'cheapest of ground and cable' if system == 'auto' else system}"
    if layer == COST:
        return LayerView(layer, f"harvest cost, {words}", "USD per BDT", costs)
    class_of = np.array([*(FEEDSTOCK_CLASS_OF[name] for name in m.systems), -1])[which]
    tons = store.column(FEEDSTOCK)[t]
    out = np.full(costs.shape, np.nan)
    for c in range(tons.shape[0]):
        here = class_of == c
        out[here] = tons[c][here]
    out /= store.column("area_acres").astype(np.float64)
    return LayerView(layer, f"feedstock, {words}", "BDT per acre", out)
