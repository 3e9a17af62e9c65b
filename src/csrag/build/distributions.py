"""What a layer set covers and how its values spread, held against the bands outside which a result is a bug until explained."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.build.layer_view import MEASURES, cheapest, system_indices, zone_factor
from csrag.build.scales import SCALE_HAUL_KM
from csrag.simulators.truck import TruckEconomics, haul_usd_per_bdt_km
from csrag.surfaces.catalog import FEEDSTOCK_CLASS_OF, UNKNOWN_CODE
from csrag.surfaces.derived import FEEDSTOCK
from csrag.surfaces.store import LayerStore

SAMPLE_CLUSTERS = 200_000
"""Of a larger set every k-th cluster in cell order, which spreads them evenly over its area."""
_BAND_DELIVERED_USD_PER_BDT = (25.0, 130.0)
_BAND_BURN = (0.0, 0.2)
_BAND_CIRCUITY = (1.0, 6.0)
_BAND_GT_PER_ACRE = (2.0, 60.0)
_BAND_GT_PER_CLUSTER = (60.0, 2000.0)
_MECH_WT = "Ground-Based Mech WT"


@dataclass(frozen=True)
class Spread:
    """How one layer's values spread over the clusters.

    Parameters
    ----------
    layer, label : str
        Which layer, in one word and in words.
    treatment : str or None
        None for what does not depend on it.
    unit : str
        Unit in words.
    n : int
        Number of clusters with a value.
    unknown_share : float
        Share of clusters without one: infeasible, nothing removed or unknown.
    p5, p50, p95, mean : float or None
        Percentiles and mean, in the layer's unit; None without a value.
    band : tuple of float or None
        What the checked figure must lie in; None where there is no band.
    checks : str
        What the band is held against: each value, the median or the mean.
    outside_share : float or None
        Share of the values outside the band, where each is held against it.
    ok : bool or None
        Whether it lies inside; None without a band or a value.
    """

    layer: str
    label: str
    treatment: str | None
    unit: str
    n: int
    unknown_share: float
    p5: float | None
    p50: float | None
    p95: float | None
    mean: float | None
    band: tuple[float, float] | None
    checks: str
    outside_share: float | None
    ok: bool | None

    def to_json(self) -> dict[str, Any]:
        """JSON object."""
        return asdict(self)


def coverage(store: LayerStore) -> dict[str, float | None]:
    """Shares of clusters (and records) of which something is known; None where the set has no such layer.

    Returns
    -------
    dict of str to float or None
        burn_probability, zone, hazard_class, county, roaded, landing: shares of the clusters; records, feasible_records:
        shares of clusters times treatments. Zone is None without factors, landing without a road network.
    """
    m = store.manifest
    n = len(store)

    def share(mask: NDArray[np.bool_]) -> float:
        return float(np.count_nonzero(mask)) / max(n, 1)

    roads = store.roads
    records = max(n * len(m.treatments), 1)
    return {
        "burn_probability": share(np.isfinite(store.column("burn_probability"))),
        "zone": share(store.column("zone") >= 0) if m.zone_factors else None,
        "landing": None if roads is None else share(roads.landing_node >= 0),
        "hazard_class": share(store.column("hazard_class") != UNKNOWN_CODE) if m.codes.get("hazard_class") else None,
        "county": share(store.column("county") != UNKNOWN_CODE) if m.codes.get("county") else None,
        "roaded": share(store.column("roaded") > 0),
        "records": m.counts["records"] / records,
        "feasible_records": m.counts["feasible_records"] / records,
    }


def spreads(store: LayerStore) -> tuple[list[Spread], int]:
    """Distributions of the layers, and how many clusters they were taken from.

    Parameters
    ----------
    store : LayerStore
        The set.

    Returns
    -------
    rows : list of Spread
        Harvest cost, the same with 30 km of haul, and feedstock by treatment (cheapest of ground and cable); feedstock of the
        mechanised whole-tree system, per acre and per cluster; burn probability, slope and circuity once.
    clusters : int
        Number of clusters looked at; fewer than the set's where that is large.
    """
    m, n = store.manifest, len(store)
    step = max(1, -(-n // SAMPLE_CLUSTERS))
    rows: list[Spread] = []
    haul = SCALE_HAUL_KM * haul_usd_per_bdt_km(TruckEconomics())
    area = store.column("area_acres")[::step].astype(np.float64)
    auto = system_indices(store, "auto")
    class_of = np.array([*(FEEDSTOCK_CLASS_OF[name] for name in m.systems), 0])
    costs, tons = store.column("cost_usd_per_bdt"), store.column(FEEDSTOCK)
    moisture = float(m.economics.get("moisture_pct", 50.0))
    for t, name in enumerate(m.treatment_names):
        cost, which = cheapest(costs[t][:, ::step], auto)
        held = tons[t][:, ::step].astype(np.float64)
        rows.append(_spread("cost", "harvest cost", name, "USD per BDT", cost))
        rows.append(_spread("delivered", f"harvest cost and {SCALE_HAUL_KM:g} road km of haul", name, "USD per BDT", cost + haul,
                            _BAND_DELIVERED_USD_PER_BDT, "median"))  # fmt: skip
        taken = np.where(which >= 0, np.take_along_axis(held, class_of[which][None], axis=0)[0], np.nan)
        rows.append(_spread("feedstock", "feedstock", name, "BDT per acre", taken / area))
        if _MECH_WT in m.systems:
            green = held[FEEDSTOCK_CLASS_OF[_MECH_WT]] / (1 - moisture / 100)
            green[~(green > 0)] = np.nan
            words = f"feedstock of {_MECH_WT}, records above zero"
            rows.append(
                _spread("feedstock_gt_per_acre", words, name, "GT per acre", green / area, _BAND_GT_PER_ACRE, "mean")
            )
            rows.append(_spread("feedstock_gt", words, name, "GT per cluster", green, _BAND_GT_PER_CLUSTER, "mean"))
    for layer, band in (("fire", _BAND_BURN), ("slope", None)):
        column, label, unit = MEASURES[layer]
        rows.append(_spread(layer, label, None, unit, store.column(column)[::step].astype(np.float64), band))
    rows.append(_spread("circuity", "road over straight-line distance, by zone", None, "ratio", zone_factor(store)[::step],
                        _BAND_CIRCUITY))  # fmt: skip
    return rows, area.size


def _spread(
    layer: str, label: str, treatment: str | None, unit: str, values: NDArray[np.float64],
    band: tuple[float, float] | None = None, checks: str = "each",
) -> Spread:  # fmt: skip
    known = values[np.isfinite(values)]
    unknown_share = 1 - known.size / max(values.size, 1)
    if not known.size:
        return Spread(layer, label, treatment, unit, 0, unknown_share, None, None, None, None, band, checks, None, None)
    p5, p50, p95 = (float(v) for v in np.percentile(known, [5.0, 50.0, 95.0]))
    mean = float(known.mean())
    outside, ok = None, None
    if band is not None:
        if checks == "each":
            outside = float(np.count_nonzero((known < band[0]) | (known > band[1]))) / known.size
            ok = outside == 0
        else:
            ok = band[0] <= (p50 if checks == "median" else mean) <= band[1]
    return Spread(
        layer, label, treatment, unit, known.size, unknown_share, p5, p50, p95, mean, band, checks, outside, ok
    )
