"""Burn loss: what fires take from clusters that still stand, drawn at the modelled probability, with a band over repeats."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from csrag.ask.computation.depletion import BeforeYear, Depletion, History
from csrag.ask.computation.facts import Ledger
from csrag.ask.records import SitingQuery

Floats = NDArray[np.float64]

REPEATS = 40
LOW, MIDDLE, HIGH = 0.05, 0.5, 0.95
_NOT_IN_SEED = (
    "notes", "explicit", "spans", "compare", "intent", "years", "burn_loss_pct", "emissions", "power_price_usd_per_mwh",
    "price_escalation_pct", "subsidy_usd_per_bdt", "tornado_parameters", "sweep", "sensitivity_pct",
)  # fmt: skip
"""Fields that leave the fires as they are: wording, length, what power sells for, and the share lost, so that shares can
be held side by side."""


def seed_of(query: SitingQuery, layer_hash: str) -> int:
    """Seed of a question's fires: a hash of what is asked and of the layer set.

    Parameters
    ----------
    query : SitingQuery
        What is asked.
    layer_hash : str
        Content hash of the layer set.
    """
    asked = {k: v for k, v in query.to_json().items() if k not in _NOT_IN_SEED}
    asked["locations"] = [(p.lat, p.lon) for p in query.locations]
    text = json.dumps([layer_hash, asked], sort_keys=True, default=str)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


class Risk:
    """Who can burn, the same for every history.

    Parameters
    ----------
    probability : ndarray of float64, shape (n,)
        Annual burn probability of each cluster of the pool; NaN, where unknown, never burns here (and is counted).
    cluster_no : ndarray of int64, shape (n,)
        Keys: draws go in their order, so that row order never matters.
    """

    def __init__(self, probability: Floats, cluster_no: NDArray[np.int64]) -> None:
        known = np.flatnonzero(np.isfinite(probability) & (probability > 0))
        self.rows = known[np.argsort(cluster_no[known], kind="stable")]
        self.probability = np.minimum(probability[self.rows], 1.0)
        self.most = float(self.probability.max(initial=0.0))


class Fires:
    """One history of fires; a `before_year` of the depletion.

    Parameters
    ----------
    risk : Risk
        Who can burn.
    share : float
        Share of its tons that a burned cluster loses [0 to 1].
    seed, repeat : int
        Seed of the question, number of the history.
    then : callable, optional
        Runs after the fires of the year: other plants.

    Notes
    -----
    The fires of a year burn after its harvest, so they tell from year two on, and year one stays the site's. Every
    cluster burns independently. With p_max the greatest probability, candidates are drawn by gaps of a geometric
    distribution at p_max and kept with chance p / p_max, which is the same as one draw a cluster at its own p.
    """

    def __init__(self, risk: Risk, share: float, seed: int, repeat: int, then: BeforeYear | None = None) -> None:
        self._risk = risk
        self._left = 1.0 - share
        self._draws = np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, repeat])))
        self._then = then
        self.lost_bdt = 0.0

    def __call__(self, year: int, tons: Floats, there: NDArray[np.bool_]) -> None:
        """Lower the tons of what burned since the last year's harvest."""
        if year > 1 and self._risk.most > 0:
            burned = self._burned()
            standing = burned[there[burned]]
            self.lost_bdt += float(tons[standing].sum()) * (1.0 - self._left)
            tons[burned] *= self._left
        if self._then is not None:
            self._then(year, tons, there)

    def _burned(self) -> NDArray[np.int64]:
        """Positions that burn in one year."""
        n, most = len(self._risk.rows), self._risk.most
        room = math.ceil(n * most + 6 * math.sqrt(n * most) + 10)
        at = np.cumsum(self._draws.geometric(most, room)) - 1
        while at[-1] < n - 1:
            more = np.cumsum(self._draws.geometric(most, room)) + at[-1]
            at = np.concatenate([at, more])
        at = at[at < n]
        kept = self._draws.random(len(at)) * most < self._risk.probability[at]
        return np.asarray(self._risk.rows[at[kept]], dtype=np.int64)


def run_histories(
    run: Callable[[BeforeYear], Depletion], fires: Callable[[int], Fires], life: int, *, any_loss: bool
) -> Depletion:
    """Run the years under each history of fires.

    Parameters
    ----------
    run : callable
        Runs the years with a `before_year`.
    fires : callable
        Gives the history of a number.
    life : int
        Years that the repeats are compared over [years].
    any_loss : bool
        False where nothing can burn or nothing is lost: one run then says it all.

    Returns
    -------
    Depletion
        The repeat in the middle, with all repeats: a real run, not an average of runs. Repeats that supply more years come
        first, among those the cheaper average.
    """
    runs = []
    for k in range(REPEATS if any_loss else 1):
        history = fires(k)
        years = run(history)
        runs.append(History(years, history.lost_bdt))
    order = sorted(range(len(runs)), key=lambda k: (-len(runs[k].years.years[:life]), _average(runs[k], life), k))
    middle = order[(len(order) - 1) // 2]
    return replace(runs[middle].years, repeats=tuple(runs), middle=middle)


def _average(run: History, life: int) -> float:
    lived = run.years.years[:life]
    tons = sum(y.tons for y in lived)
    return sum(y.average * y.tons for y in lived) / tons if tons else math.inf


def quantile(values: Sequence[float], share: float) -> float:
    """Value below or at which `share` of the values lie: one of them, never a mean of two."""
    ordered = sorted(values)
    return ordered[max(math.ceil(share * len(ordered)) - 1, 0)]


def put_burn_loss(ledger: Ledger, years: Depletion, loss_pct: float, life: int, unknown: int) -> None:
    """Record the middle and the band of the repeats.

    Parameters
    ----------
    ledger : Ledger
        Receives the values.
    years : Depletion
        From `run_histories`.
    loss_pct : float
        Share of its tons that a burned cluster loses [percent].
    life : int
        [years]
    unknown : int
        Clusters of the pool without a burn probability.
    """
    runs = [r for r in years.repeats if r.years.years]
    n = len(years.repeats)
    ledger.put(
        "burn_loss_pct", loss_pct, "as asked; of a burned cluster's tons, at its modelled annual burn probability"
    )
    ledger.put("burn_repeats", n, "seeded by the question" if n > 1 else "nothing can be lost, so one run says it all")
    each = f"over {n} repeats; the middle and the ends are real runs"
    columns = {
        "life_average_cost": [_average(r, life) for r in runs],
        "life_last_year": [r.years.years[:life][-1].average for r in runs],
        "exhaustion_year": [_exhausted(r, life) for r in years.repeats],
        "burned_bdt": [r.lost_bdt for r in years.repeats],
    }
    for name, values in columns.items():
        for tail, share in (("p05", LOW), ("p50", MIDDLE), ("p95", HIGH)):
            value = quantile(values, share) if values else math.inf
            missing = (
                f"the supply lasts the life of {life} years" if name == "exhaustion_year" else "no year is supplied"
            )
            ledger.put(
                f"{name}_{tail}", value if math.isfinite(value) else None, each if math.isfinite(value) else missing
            )
    ended = sum(math.isfinite(v) for v in columns["exhaustion_year"])
    ledger.put("burn_exhausted_pct", 100 * ended / n, f"share of the repeats whose supply ends within {life} years")
    rows = [(k + 1, _average(r, life) if r.years.years else None, r.years.years[:life][-1].average if r.years.years else None,
             int(e) if math.isfinite(e := _exhausted(r, life)) else None, r.lost_bdt, k == years.middle)
            for k, r in enumerate(years.repeats)]  # fmt: skip
    ledger.table(
        "burn_repeats",
        ("repeat", "life_average_usd_per_bdt", "life_last_year_usd_per_bdt", "exhaustion_year", "burned_bdt", "shown"),
        rows, "one row a history of fires; the one shown is the year table of the answer",
    )  # fmt: skip
    _band_table(ledger, runs)
    left_out = f" {unknown:,} clusters in reach have no burn probability and never burn here." if unknown else ""
    ledger.caveat("burn_loss_assumed", f"That a burned cluster loses {loss_pct:g} % of its tons is your assumption; clusters burn "
                  "independently, while real fires burn neighbours together, so the true band is wider." + left_out)  # fmt: skip


def _exhausted(run: History, life: int) -> float:
    year = run.years.exhausted_year
    return float(year) if year is not None and year <= life else math.inf


def _band_table(ledger: Ledger, runs: Sequence[History]) -> None:
    longest = max((len(r.years.years) for r in runs), default=0)
    rows = []
    for k in range(longest):
        supplied = [r.years.years[k] for r in runs if len(r.years.years) > k]
        costs, radii = [y.average for y in supplied], [y.radius_km for y in supplied]
        rows.append((k + 1, len(supplied), *(quantile(costs, q) for q in (LOW, MIDDLE, HIGH)),
                     *(quantile(radii, q) for q in (LOW, MIDDLE, HIGH))))  # fmt: skip
    ledger.table(
        "projection_band",
        ("year", "repeats_supplied", "delivered_p05_usd_per_bdt", "delivered_p50_usd_per_bdt", "delivered_p95_usd_per_bdt",
         "radius_p05_km", "radius_p50_km", "radius_p95_km"),
        rows, "dollars of year one; over the repeats that supply the year",
    )  # fmt: skip
