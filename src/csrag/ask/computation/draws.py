"""Which of several options is cheaper, and in how many draws of the measured errors: common random numbers, seeded by the query.

Every option brings its cost at given deviates of two errors (`DrawInputs`): that of its road distances and that of a
surrogate's harvest costs, each common to all clusters of the option. Near sites share most of a draw (`shared_part`).
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from csrag.ask.records import SitingQuery
from csrag.geo import haversine_km

Floats = NDArray[np.float64]

LEVEL_PCT = 90.0
"""Level of every interval unless another is stated [percent]."""
SHARED_KM = 10.0
"""Distance over which the part of the error that two sites share falls to 1/e [km] (measured on
the demonstration, assumed elsewhere)."""
BATCH = 4_096
"""Draws added at a time; each comes with its mirror image, so that they are even in number."""
MOST_DRAWS = 65_536
WANTED_ERROR_PCT = 0.5
"""Draws are added until the standard error of every share is below this [percentage points]."""
_WORDING = (
    "notes", "explicit", "spans", "origins", "intent", "locations", "emissions", "sensitivity_pct", "sweep", "tornado_parameters",
)  # fmt: skip
"""Fields that leave the draws as they are."""


@dataclass(frozen=True)
class DrawInputs:
    """One option's cost as a function of the errors, tabulated.

    Parameters
    ----------
    label : str
        What the option is called.
    lat, lon : float
        Its site [degrees].
    road_deviates : ndarray of float64, shape (r,)
        Standard deviates of the road error, ascending; a single 0 where it has not been measured or is not at work.
    harvest_deviates : ndarray of float64, shape (h,)
        The same for a surrogate's harvest costs.
    cost_usd_per_bdt : ndarray of float64, shape (r, h)
        Average delivered cost at each pair [USD per BDT].
    unmeasured : str
        Why no error at all is known of this option; empty where one is.
    reselected : bool
        Whether clusters were chosen anew at each pair, or those of the answer were priced.
    """

    label: str
    lat: float
    lon: float
    road_deviates: Floats
    harvest_deviates: Floats
    cost_usd_per_bdt: Floats
    unmeasured: str = ""
    reselected: bool = False

    @property
    def measured(self) -> bool:
        """Whether any error is at work."""
        return self.cost_usd_per_bdt.size > 1

    def cost_at(self, road: Floats, harvest: Floats) -> Floats:
        """Cost at given deviates, linear between those tabulated and constant beyond [USD per BDT].

        Parameters
        ----------
        road, harvest : ndarray of float64, shape (n,)
            Standard deviates.
        """
        low, part = _place(self.road_deviates, road)
        below, share = _place(self.harvest_deviates, harvest)
        table = self.cost_usd_per_bdt
        high, above = np.minimum(low + 1, table.shape[0] - 1), np.minimum(below + 1, table.shape[1] - 1)
        left = table[low, below] + share * (table[low, above] - table[low, below])
        right = table[high, below] + share * (table[high, above] - table[high, below])
        return np.asarray(left + part * (right - left))


def _place(nodes: Floats, at: Floats) -> tuple[NDArray[np.int64], Floats]:
    """Node below each value, and how far on the way to the next one it is."""
    if nodes.size == 1:
        return np.zeros(at.size, dtype=np.int64), np.zeros(at.size)
    low = np.clip(np.searchsorted(nodes, at, side="right") - 1, 0, nodes.size - 2)
    return low, np.clip((at - nodes[low]) / (nodes[low + 1] - nodes[low]), 0.0, 1.0)


@dataclass(frozen=True)
class OptionDraws:
    """One option over all draws.

    Parameters
    ----------
    label : str
        What the option is called.
    mean, low, high : float
        Mean and ends of the interval of its average delivered cost [USD per BDT].
    cheapest_pct : float
        Share of draws in which no other option is cheaper; equal ones share a draw [percent].
    """

    label: str
    mean: float
    low: float
    high: float
    cheapest_pct: float


@dataclass(frozen=True)
class PairDraws:
    """Two options over all draws.

    Parameters
    ----------
    first, second : int
        Positions among the options.
    first_cheaper_pct, second_cheaper_pct : float
        Share of draws [percent]; what is left are draws in which both cost the same.
    mean, low, high : float
        Mean and ends of the interval of the cost of the first less that of the second [USD per BDT].
    standard_error_pct : float
        Of `first_cheaper_pct` [percentage points].
    verdict : str
        `first` or `second` where the interval of the difference lies on one side of nought, `tie` where both cost the same in
        every draw, else `indistinguishable`; `not_drawn` where no error is known.
    """

    first: int
    second: int
    first_cheaper_pct: float
    second_cheaper_pct: float
    mean: float
    low: float
    high: float
    standard_error_pct: float
    verdict: str


@dataclass(frozen=True)
class DrawsResult:
    """What the draws say.

    Parameters
    ----------
    status : str
        `drawn`; `partly` where an option has no measured error and stands still in every draw; `nothing_measured` where none
        has: then there are no draws and no shares (NaN), only the differences as computed.
    level_pct : float
        Level of every interval [percent].
    options : tuple of OptionDraws
        In the order given.
    best : int
        The option that is cheapest on average over the draws; of equal ones the first.
    pairs : tuple of PairDraws
        Every pair with the lower position first.
    draws : int
        How many.
    standard_error_pct : float
        Largest standard error of a share [percentage points].
    converged : bool
        Whether it came below the error wanted before the draws ended.
    seed : int
        Of the random numbers.
    unmeasured : tuple of (str, str)
        Options without a measured error, and why.
    reselected : bool
        Whether every option chose its clusters anew in each draw.
    """

    status: str
    level_pct: float
    options: tuple[OptionDraws, ...]
    best: int
    pairs: tuple[PairDraws, ...]
    draws: int
    standard_error_pct: float
    converged: bool
    seed: int
    unmeasured: tuple[tuple[str, str], ...] = ()
    reselected: bool = False

    def pair(self, first: int, second: int) -> PairDraws:
        """The draws of two options, seen from the first.

        Parameters
        ----------
        first, second : int
            Positions among the options.
        """
        for pair in self.pairs:
            if (pair.first, pair.second) == (first, second):
                return pair
            if (pair.first, pair.second) == (second, first):
                turned = {"first": "second", "second": "first"}.get(pair.verdict, pair.verdict)
                return PairDraws(
                    first, second, pair.second_cheaper_pct, pair.first_cheaper_pct, -pair.mean, -pair.high, -pair.low,
                    pair.standard_error_pct, turned,
                )  # fmt: skip
        raise ValueError(f"There is no pair {first}, {second} among the draws.")


def draw_seed(query: SitingQuery, layer_hash: str) -> int:
    """Seed of a question's draws: a hash of what is asked and of the layer set.

    Parameters
    ----------
    query : SitingQuery
        What is asked; its wording, and the order in which it names places, make no difference.
    layer_hash : str
        Content hash of the layer set.
    """
    asked = {k: v for k, v in query.to_json().items() if k not in _WORDING}
    places = sorted((p.name, p.lat or 0.0, p.lon or 0.0) for p in query.locations)
    text = json.dumps([layer_hash, asked, places], sort_keys=True, default=str)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def shared_part(lat: Floats, lon: Floats) -> Floats:
    """Correlation of the errors of sites: exp(-distance / `SHARED_KM`), 1 at the same place.

    Parameters
    ----------
    lat, lon : ndarray of float64, shape (n,)
        [degrees]

    Returns
    -------
    ndarray of float64, shape (n, n)
        [dimensionless]
    """
    apart = np.asarray(haversine_km(lat[:, None], lon[:, None], lat[None, :], lon[None, :]))
    return np.asarray(np.exp(-apart / SHARED_KM))


def difference_in_draws(
    options: Sequence[DrawInputs],
    level_pct: float = LEVEL_PCT,
    *,
    seed: int,
    wanted_error_pct: float = WANTED_ERROR_PCT,
    most_draws: int = MOST_DRAWS,
) -> DrawsResult:
    """Hold options against each other under the same draws of their errors.

    Parameters
    ----------
    options : sequence of DrawInputs
        Two or more (one gives its own interval).
    level_pct : float, optional
        Level of the intervals [percent].
    seed : int
        From `draw_seed`.
    wanted_error_pct : float, optional
        Draws are added in batches until the standard error of every share is below this [percentage points].
    most_draws : int, optional
        Never more than these.

    Returns
    -------
    DrawsResult
        The same bytes for the same options, seed and level.

    Notes
    -----
    Options at one place share their draws wholly, so that equal options cost the same in every draw. Each draw comes with its
    mirror image (all deviates with the other sign), and the standard error is that of the means of such pairs. The order of the
    options makes no difference to their draws.
    """
    if not options:
        raise ValueError("There are no options to draw for.")
    unmeasured = tuple((o.label, o.unmeasured) for o in options if not o.measured)
    if len(unmeasured) == len(options):
        return _as_computed(options, level_pct, seed, unmeasured)
    site, root = _sites(options)
    costs = np.zeros((len(options), 0))
    batch, worst = 0, math.inf
    while costs.shape[1] < most_draws:
        costs = np.concatenate([costs, _batch(options, site, root, seed, batch)], axis=1)
        batch += 1
        worst = _worst_error_pct(costs)
        if worst < wanted_error_pct:
            break
    pairs = tuple(_pair(costs, i, j, level_pct) for i in range(len(options)) for j in range(i + 1, len(options)))
    told = tuple(_option(options[i], costs, i, level_pct) for i in range(len(options)))
    return DrawsResult(
        "partly" if unmeasured else "drawn", level_pct, told, int(np.argmin([o.mean for o in told])), pairs, costs.shape[1],
        worst, worst < wanted_error_pct, seed, unmeasured, all(o.reselected for o in options),
    )  # fmt: skip


def _as_computed(
    options: Sequence[DrawInputs], level_pct: float, seed: int, unmeasured: tuple[tuple[str, str], ...]
) -> DrawsResult:
    """No error is known: the costs as they were computed, and no shares."""
    cost, nan = [float(o.cost_usd_per_bdt.ravel()[0]) for o in options], math.nan
    told = tuple(OptionDraws(o.label, c, nan, nan, nan) for o, c in zip(options, cost, strict=True))
    pairs = tuple(
        PairDraws(i, j, nan, nan, cost[i] - cost[j], nan, nan, nan, "not_drawn")
        for i in range(len(cost))
        for j in range(i + 1, len(cost))
    )
    return DrawsResult(
        "nothing_measured", level_pct, told, int(np.argmin(cost)), pairs, 0, nan, False, seed, unmeasured, False
    )


def _sites(options: Sequence[DrawInputs]) -> tuple[NDArray[np.int64], Floats]:
    """Site number of each option, and the root of the sites' correlation; sites in an order of their own."""
    places = sorted({(o.lat, o.lon) for o in options})
    lat, lon = (np.array([p[k] for p in places], dtype=np.float64) for k in (0, 1))
    number = {place: k for k, place in enumerate(places)}
    return np.array([number[o.lat, o.lon] for o in options], dtype=np.int64), _root(shared_part(lat, lon))


def _root(correlation: Floats) -> Floats:
    """Lower triangular root of a correlation matrix; a site that adds nothing of its own gets no column.

    Written out rather than taken from a linear algebra library, whose last bits differ between machines.
    """
    n = len(correlation)
    root = np.zeros((n, n))
    for k in range(n):
        rest = correlation[k, k] - math.fsum(root[k, :k] ** 2)
        if rest <= 1e-12:
            continue
        root[k, k] = math.sqrt(rest)
        for i in range(k + 1, n):
            root[i, k] = (correlation[i, k] - math.fsum(root[i, :k] * root[k, :k])) / root[k, k]
    return root


def _batch(options: Sequence[DrawInputs], site: NDArray[np.int64], root: Floats, seed: int, batch: int) -> Floats:
    """Costs of one batch of draws, shape (options, `BATCH`): draw and mirror image side by side."""
    draws = np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, batch])))
    own = draws.standard_normal((2, len(root), BATCH // 2))
    out = np.empty((len(options), BATCH))
    for k, option in enumerate(options):
        # One product and sum a site, in a fixed order: a matrix product may add in another order elsewhere.
        road, harvest = (np.add.reduce(root[site[k], :, None] * own[part], axis=0) for part in (0, 1))
        out[k, 0::2] = option.cost_at(road, harvest)
        out[k, 1::2] = option.cost_at(-road, -harvest)
    return out


def _worst_error_pct(costs: Floats) -> float:
    """Largest standard error of a share: one option cheaper than another, or than all [percentage points]."""
    worst, least = 0.0, costs.min(axis=0)
    for i in range(len(costs)):
        for j in range(i + 1, len(costs)):
            worst = max(worst, _error_pct(costs[i] < costs[j]))
        worst = max(worst, _error_pct(costs[i] == least))
    return worst


def _error_pct(hit: NDArray[np.bool_]) -> float:
    """Standard error of the share of hits, draw and mirror image taken together [percentage points]."""
    twos = hit.reshape(-1, 2).mean(axis=1)
    return 100 * float(twos.std()) / math.sqrt(twos.size)


def _ends(values: Floats, level_pct: float) -> tuple[float, float]:
    tail = (100 - level_pct) / 200
    ordered = np.sort(values)
    last = ordered.size - 1
    return float(ordered[math.floor(tail * last)]), float(ordered[math.ceil((1 - tail) * last)])


def _pair(costs: Floats, i: int, j: int, level_pct: float) -> PairDraws:
    less = costs[i] - costs[j]
    low, high = _ends(less, level_pct)
    first, second = float((less < 0).mean()) * 100, float((less > 0).mean()) * 100
    verdict = "first" if high < 0 else "second" if low > 0 else "indistinguishable"
    if first == second == 0:
        verdict = "tie"
    return PairDraws(i, j, first, second, float(less.mean()), low, high, _error_pct(less < 0), verdict)


def _option(option: DrawInputs, costs: Floats, k: int, level_pct: float) -> OptionDraws:
    low, high = _ends(costs[k], level_pct)
    least = costs.min(axis=0)
    alike = (costs == least).sum(axis=0)
    cheapest = float(np.where(costs[k] == least, 1.0 / alike, 0.0).mean()) * 100
    return OptionDraws(option.label, float(costs[k].mean()), low, high, cheapest)
