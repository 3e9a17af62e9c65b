"""Stock-taking: what the forest of an area holds of one treatment, who owns it, what it costs at the landing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from csrag.ask.computation.delivered import PRACTICAL_SHARE, PRACTICAL_SHARE_PUBLIC
from csrag.ask.eligible import cheapest_system, eligible
from csrag.ask.records import SitingQuery
from csrag.surfaces.catalog import FEEDSTOCK_CLASS_OF, SYSTEMS, UNKNOWN_CODE
from csrag.surfaces.frame import ClusterFrame
from csrag.surfaces.manifest import Manifest

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

FOREST_COLUMNS = (
    "row", "lat", "lon", "area_acres", "slope_pct", "burn_probability", "land_use", "wilderness", "hazard_class",
)  # fmt: skip
"""What is the same for every treatment."""
RECORD_COLUMNS = ("cost_usd_per_bdt", "feedstock_bdt", "coproduct_bdt")
QUANTILES_PCT = (5, 25, 50, 75, 95)
HIGH_HAZARD = ("high", "very high")
_CLASS_OF_SYSTEM = np.array([FEEDSTOCK_CLASS_OF[s] for s in SYSTEMS], dtype=np.int64)
_CHUNK = 65_536


@dataclass(frozen=True, eq=False)
class Forest:
    """The clusters of an area, whatever is cut there; arrays of shape (n,).

    Parameters
    ----------
    frame : ClusterFrame
        With `FOREST_COLUMNS`.
    acres : ndarray of float64
        Area [acres].
    counts : ndarray of bool
        On land that counts: the question's owners and limits, outside parks and wilderness.
    reasons : mapping of str to ndarray of bool
        Who does not count, each under its first reason.
    practical : ndarray of float64
        Share of the physical feedstock that can be had in practice [0 to 1].
    """

    frame: ClusterFrame
    acres: Floats
    counts: Bools
    reasons: dict[str, Bools]
    practical: Floats

    def __len__(self) -> int:
        """Clusters."""
        return len(self.frame)

    @property
    def protected(self) -> Bools:
        """Wilderness and national parks."""
        return self.reasons["wilderness"] | self.reasons["national park"]

    @property
    def burn(self) -> Floats:
        """Annual burn probability; NaN unknown [per year]."""
        return self.frame["burn_probability"].astype(np.float64)


@dataclass(frozen=True, eq=False)
class Stock:
    """What one treatment would give in an area; arrays of shape (n,).

    Parameters
    ----------
    treatment : str
        Its name.
    tons : ndarray of float64
        Physical feedstock by the cheapest allowed system; 0 where there is none [BDT].
    cost : ndarray of float64
        Harvest cost at the landing; NaN where no system can work [USD per BDT].
    system : ndarray of int64
        Index into `SYSTEMS`; -1 where none.
    coproduct : ndarray of float64
        Saw logs [BDT].
    nothing : ndarray of bool
        Nothing to remove.
    usable : ndarray of bool
        There is feedstock and a system that can fetch it.
    """

    treatment: str
    tons: Floats
    cost: Floats
    system: NDArray[np.int64]
    coproduct: Floats
    nothing: Bools
    usable: Bools

    def of(self, forest: Forest) -> Bools:
        """What counts: usable and on land that counts."""
        return self.usable & forest.counts


def forest_of(frame: ClusterFrame, query: SitingQuery, manifest: Manifest) -> Forest:
    """The clusters of an area and which of them count, by the very filters that a site's candidates pass.

    Parameters
    ----------
    frame : ClusterFrame
        With `FOREST_COLUMNS`, shape (n,).
    query : SitingQuery
        Land, slope, burn probability.
    manifest : Manifest
        Codes of land use.
    """
    n = len(frame)
    one = np.float32(1.0)
    # Costs and tons that every cluster would pass: what is left of the filters is the land.
    open_frame = frame.with_columns(
        cost_usd_per_bdt=np.broadcast_to(one, (n, len(SYSTEMS))), feedstock_bdt=np.broadcast_to(one, (n, 4))
    )
    kept = eligible(manifest.codes["land_use"], query, open_frame, [0])
    names = manifest.codes["land_use"]
    share = np.array([PRACTICAL_SHARE.get(name, PRACTICAL_SHARE_PUBLIC) for name in names])
    code = np.minimum(frame["land_use"].astype(np.int64), len(names) - 1)
    return Forest(frame, frame["area_acres"].astype(np.float64), kept.stays, dict(kept.reasons), share[code])


def stock_of(treatment: str, records: ClusterFrame, allowed: Sequence[int]) -> Stock:
    """One treatment of every cluster of an area at the layer set's own prices.

    Parameters
    ----------
    treatment : str
        Its name.
    records : ClusterFrame
        With `RECORD_COLUMNS`, shape (n,).
    allowed : sequence of int
        Harvesting systems that may be used, by their place in `SYSTEMS`.
    """
    n = len(records)
    costs, feedstock = records["cost_usd_per_bdt"], records["feedstock_bdt"]
    system = np.full(n, -1, dtype=np.int64)
    tons, cost, anything = np.zeros(n), np.full(n, np.nan), np.zeros(n, dtype=np.bool_)
    for start in range(0, n, _CHUNK):  # a stretch at a time stays in the processor's cache
        at = slice(start, min(n, start + _CHUNK))
        system[at] = cheapest_system(costs[at], allowed)
        for s in allowed:
            mine = np.flatnonzero(system[at] == s) + start
            if len(mine):
                cost[mine] = costs[mine, s]
                tons[mine] = feedstock[mine, _CLASS_OF_SYSTEM[s]]
        for column in range(feedstock.shape[1]):
            anything[at] |= feedstock[at, column] > 0  # unknown tons are not above zero
    tons[~(tons > 0)] = 0.0
    saw_logs = np.nan_to_num(records["coproduct_bdt"].astype(np.float64))
    return Stock(treatment, tons, cost, system, saw_logs, ~anything, (system >= 0) & (tons > 0))


def priced(stock: Stock, at: NDArray[np.int64], cost: Floats, tons: Floats, system: NDArray[np.int64]) -> Stock:
    """A stock with costs and tons at the question's own prices at some clusters.

    Parameters
    ----------
    stock : Stock
        At the layer set's prices.
    at : ndarray of int64, shape (k,)
        Positions of the clusters.
    cost, tons : ndarray of float64, shape (k,)
        [USD per BDT], infinite where the simulator finds no system that can work one; [BDT].
    system : ndarray of int64, shape (k,)
        Index into `SYSTEMS`.
    """
    new_cost, new_tons, new_system = stock.cost.copy(), stock.tons.copy(), stock.system.copy()
    fine = np.isfinite(cost)
    new_cost[at], new_tons[at] = np.where(fine, cost, np.nan), np.where(fine, tons, 0.0)
    new_system[at] = np.where(fine, system, -1)
    usable = stock.usable.copy()
    usable[at] = fine & (tons > 0)
    return replace(stock, cost=new_cost, tons=new_tons, system=new_system, usable=usable)


def weighted_quantiles(values: Floats, weights: Floats, percents: Sequence[float]) -> list[float]:
    """Least value below or at which a given share of the weight lies.

    Parameters
    ----------
    values, weights : ndarray of float64, shape (n,)
        n at least 1; weights positive, values in any unit.
    percents : sequence of float
        [percent]

    Returns
    -------
    list of float
        In the values' unit.
    """
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    at = np.searchsorted(reached, np.asarray(percents, dtype=np.float64) / 100 * reached[-1], side="left")
    return [float(values[order[min(int(i), len(order) - 1)]]) for i in at]


def class_codes(forest: Forest, column: str, names: Sequence[str]) -> NDArray[np.int64]:
    """Codes of a coded column with everything unknown as the last code, `len(names)`."""
    codes = forest.frame[column].astype(np.int64)
    return np.where((codes == UNKNOWN_CODE) | (codes >= len(names)), len(names), codes)


def mean_of(values: Floats, weights: Floats) -> float | None:
    """Weighted mean of what is known; None where nothing is.

    Parameters
    ----------
    values, weights : ndarray of float64, shape (n,)
        Values in any unit, NaN unknown; weights in any unit, 0 for what does not count.
    """
    known = np.isfinite(values) & (weights > 0)
    return float(np.average(values[known], weights=weights[known])) if known.any() else None
