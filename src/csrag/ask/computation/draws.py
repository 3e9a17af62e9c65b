"""Which of several options is cheaper, and in how many draws of the measured errors: common random numbers, seeded by the query.

Every option brings its cost at given deviates of two errors (`DrawInputs`): that of its road distances and that of a
surrogate's harvest costs, each common to all clusters of the option. Near sites share most of a draw (`shared_part`).
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from csrag.ask.computation.draws_records import DrawInputs, DrawsResult, OptionDraws, PairDraws
from csrag.ask.records import SitingQuery
from csrag.geo import haversine_km

__all__ = ["DrawInputs", "DrawsResult", "OptionDraws", "PairDraws", "difference_in_draws", "draw_seed", "shared_part"]

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
