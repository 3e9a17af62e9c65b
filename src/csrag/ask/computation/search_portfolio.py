"""Several plants that share no fuel: chosen one after another, each from what the earlier ones leave, then looked over once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.ask.computation.search_rank import objective, ranked
from csrag.ask.computation.statewide import SearchPool, SiteCosts, site_costs, taken_rows
from csrag.ask.computation.statewide_twin import FIGURES, figures
from csrag.geo import haversine_km

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]
_MARGIN_KM = 0.01
_GAIN = 1e-6
"""All plants together have to be better off by more than this share."""


@dataclass(frozen=True)
class Plant:
    """One plant of a portfolio.

    Parameters
    ----------
    site : int
        Position among the sites.
    rows : ndarray of int64
        Layer rows of its clusters, in the order taken; no other plant has any of them.
    average_usd_per_bdt, alone_usd_per_bdt : float
        Average delivered cost of those, and of what it would take if it were alone [USD per BDT].
    tons_bdt, alone_bdt : float
        Tons of the same [BDT].
    """

    site: int
    rows: Rows
    average_usd_per_bdt: float
    alone_usd_per_bdt: float
    tons_bdt: float
    alone_bdt: float


@dataclass(frozen=True)
class Portfolio:
    """Plants in the order chosen.

    Parameters
    ----------
    plants : tuple of Plant
        Fewer than asked for where no further site can be supplied.
    moved : int
        Plants that the second look moved [count].
    left_bdt : float
        Most that any further site could still have [BDT]; NaN where all plants were found.
    contested_bdt : float
        Tons that would be taken more than once if each plant chose alone [BDT].
    """

    plants: tuple[Plant, ...]
    moved: int
    left_bdt: float
    contested_bdt: float


@dataclass(frozen=True)
class Sites:
    """The sites of a search and how a supply is chosen at each.

    Parameters
    ----------
    lat, lon : ndarray of float64, shape (n,)
        [degrees]
    demand_bdt, radius_km : float
        One plant's year [BDT], and the circle around each site [km].
    fire_weight : float
        0 to 1 [dimensionless].
    allowed : callable
        Given costs, which sites may stand: booleans of shape (n,) for costs of the same shape.
    """

    lat: Floats
    lon: Floats
    demand_bdt: float
    radius_km: float
    fire_weight: float
    allowed: Callable[[SiteCosts], NDArray[np.bool_]]


def renewed(costs: SiteCosts, at: Rows, fresh: SiteCosts) -> SiteCosts:
    """Costs with those of some sites replaced.

    Parameters
    ----------
    costs : SiteCosts
        Of all sites.
    at : ndarray of int64, shape (k,)
        Positions of the sites that change.
    fresh : SiteCosts
        Theirs, of shape (k,).
    """
    out = {}
    for field in fields(SiteCosts):
        column = getattr(costs, field.name).copy()
        column[at] = getattr(fresh, field.name)
        out[field.name] = column
    return SiteCosts(**out)


def without_competition(pool: SearchPool, sites: Sites, costs: SiteCosts, count: int, separation_km: float,
                        progress: Callable[[int, int], None] | None = None) -> Portfolio:  # fmt: skip
    """Choose plants that share no cluster.

    Parameters
    ----------
    pool : SearchPool
        All candidates.
    sites : Sites
        Where plants may stand.
    costs : SiteCosts
        Of every site alone.
    count : int
        Plants wanted.
    separation_km : float
        Least distance between any two [km].
    progress : callable, optional
        Told how many plants stand, of how many.

    Notes
    -----
    Greedy: the best site, its clusters taken out, the sites in whose circle they lie costed again, the next. That is best for
    each in turn, not for all, so each plant is then taken up once: those whose wood it had held choose again, it is set down
    where it is best beside them, and it stays there if all plants together are better off.
    """
    search = _Search(pool, sites, costs, separation_km)
    while len(search.chosen) < count:
        site = search.best(search.costs, search.chosen)
        if site is None:
            break
        search.put(site)
        if progress is not None:
            progress(len(search.chosen), count)
    moved = sum(search.reconsider(k) for k in range(len(search.chosen)))
    left = float("nan")
    if len(search.chosen) < count:
        there = search.costs.available_bdt[search.free(search.chosen)]
        left = float(there.max()) if len(there) else 0.0
    plants = tuple(search.plant(k) for k in range(len(search.chosen)))
    return Portfolio(plants, moved, left, _contested(pool, sites, plants))


class _Search:
    """Plants chosen so far and what every site would cost now."""

    def __init__(self, pool: SearchPool, sites: Sites, costs: SiteCosts, separation_km: float) -> None:
        self._pool, self._sites, self._alone, self._separation_km = pool, sites, costs, separation_km
        self.costs = costs
        self.chosen: list[int] = []
        self._rows: list[Rows] = []

    def free(self, chosen: Sequence[int]) -> NDArray[np.bool_]:
        """Sites that stand far enough from given plants."""
        out = np.ones(len(self._sites.lat), dtype=bool)
        for site in chosen:
            s = self._sites
            out &= haversine_km(s.lat[site], s.lon[site], s.lat, s.lon) >= self._separation_km
            out[site] = False
        return out

    def best(self, costs: SiteCosts, chosen: Sequence[int]) -> int | None:
        """The best site that may stand beside given plants; None where there is none."""
        usable = costs.met & self._sites.allowed(costs) & self.free(chosen)
        order = ranked(self._score(costs), costs.average_usd_per_bdt, usable)
        return int(order[0]) if len(order) else None

    def _score(self, costs: SiteCosts) -> Floats:
        weight, scales = self._sites.fire_weight, self._pool.scales
        return objective(costs.average_usd_per_bdt, costs.mean_burn_probability, weight, scales)

    def _take(self, site: int, taken: Sequence[Rows]) -> Rows:
        """What a plant at a site takes beside others."""
        s = self._sites
        left = _less(self._pool, taken)
        return taken_rows(left, float(s.lat[site]), float(s.lon[site]), s.demand_bdt, s.radius_km, s.fire_weight)

    def _costed(self, costs: SiteCosts, changed: Sequence[Rows], taken: Sequence[Rows]) -> SiteCosts:
        """Costs of every site where some clusters were taken or set free; only sites in reach of those are costed."""
        s, pool = self._sites, self._pool
        at = pool.positions_of(np.concatenate([np.zeros(0, dtype=np.int64), *changed]))
        if not len(at):
            return costs
        lat, lon = pool.lat[at], pool.lon[at]
        middle = float(lat.mean()), float(lon.mean())
        reach_km = float(haversine_km(*middle, lat, lon).max()) + s.radius_km + _MARGIN_KM
        sites = np.flatnonzero(haversine_km(*middle, s.lat, s.lon) <= reach_km)
        if not len(sites):
            return costs
        near = haversine_km(*middle, pool.lat, pool.lon) <= reach_km + s.radius_km + _MARGIN_KM
        local = _less(_part(pool, near), taken)
        fresh = site_costs(local, s.lat[sites], s.lon[sites], s.demand_bdt, s.radius_km, s.fire_weight)
        return renewed(costs, sites, fresh)

    def put(self, site: int) -> None:
        """Set a plant down, take its clusters out, and cost again what it touches."""
        rows = self._take(site, self._rows)
        self.chosen.append(site)
        self._rows.append(rows)
        self.costs = self._costed(self.costs, [rows], self._rows)

    def reconsider(self, k: int) -> bool:
        """Take up plant `k`, let the others choose again, and set it down where that is best for all; whether it moved."""
        others = [j for j in range(len(self.chosen)) if j != k]
        rows = dict(enumerate(self._rows))
        del rows[k]
        for j in others:
            rows[j] = self._take(self.chosen[j], [rows[i] for i in others if i != j])
        if all(np.array_equal(rows[j], self._rows[j]) for j in others):
            return False  # nobody wanted its wood, and it stands where it was best
        beside = [self.chosen[j] for j in others]
        changed = [old for j, old in enumerate(self._rows) if j == k or not np.array_equal(rows[j], old)]
        changed += [rows[j] for j in others]
        costs = self._costed(self.costs, changed, [rows[j] for j in others])
        site = self.best(costs, beside)
        if site is None:
            return False
        rows[k] = self._take(site, [rows[j] for j in others])
        sites = [*self.chosen[:k], site, *self.chosen[k + 1 :]]
        now = [rows[j] for j in range(len(sites))]
        before, after = self._total(self.chosen, self._rows), self._total(sites, now)
        if not after < before - _GAIN * abs(before):
            return False
        moved = site != self.chosen[k]
        self.chosen, self._rows = sites, now
        self.costs = self._costed(costs, [rows[k]], now)
        return moved

    def _own(self, site: int, rows: Rows) -> dict[str, float]:
        """Figures of a plant whose clusters are chosen; of a pool that holds no others the plain reckoning gives them."""
        mine = np.zeros(len(self._pool), dtype=bool)
        mine[self._pool.positions_of(rows)] = True
        s = self._sites
        row = figures(
            replace(self._pool, there=mine), float(s.lat[site]), float(s.lon[site]), s.demand_bdt, s.radius_km, s.fire_weight
        )  # fmt: skip
        return dict(zip(FIGURES, row.tolist(), strict=True))

    def _total(self, sites: Sequence[int], rows: Sequence[Rows]) -> float:
        """Sum of what plants are ranked by; infinite where one breaks a rule."""
        own = [self._own(site, taken) for site, taken in zip(sites, rows, strict=True)]
        columns = {name: np.array([plant[name] for plant in own]) for name in FIGURES}
        costs = SiteCosts(**{**columns, "clusters": columns["clusters"].astype(np.int64), "met": columns["met"] > 0})
        if not (costs.met & self._sites.allowed(costs)).all():
            return float("inf")
        return float(self._score(costs).sum())

    def plant(self, k: int) -> Plant:
        """Plant `k` as it stands."""
        site, rows = self.chosen[k], self._rows[k]
        own = self._own(site, rows)
        return Plant(
            site, rows, own["average_usd_per_bdt"], float(self._alone.average_usd_per_bdt[site]), own["taken_bdt"],
            float(self._alone.taken_bdt[site]),
        )  # fmt: skip


def _less(pool: SearchPool, taken: Sequence[Rows]) -> SearchPool:
    """The pool less what plants have taken."""
    return pool.without(np.concatenate(list(taken))) if len(taken) else pool


def _part(pool: SearchPool, kept: NDArray[np.bool_]) -> SearchPool:
    """Some clusters of a pool as a pool of its own, which is laid out sooner."""
    n = len(pool)
    changes: dict[str, Any] = {}
    for field in fields(pool):
        values = getattr(pool, field.name)
        if isinstance(values, np.ndarray) and field.name != "offsets" and len(values) == n:
            changes[field.name] = values[kept]
    before = np.concatenate([[0], np.cumsum(kept)])
    return replace(pool, **changes, offsets=before[pool.offsets], laid_out={})


def _contested(pool: SearchPool, s: Sites, plants: tuple[Plant, ...]) -> float:
    """Tons that more than one of the plants would take if each chose from all that is there [BDT]."""
    alone = [
        pool.positions_of(taken_rows(pool, float(s.lat[p.site]), float(s.lon[p.site]), s.demand_bdt, s.radius_km, s.fire_weight))
        for p in plants
    ]  # fmt: skip
    if not alone:
        return 0.0
    at, times = np.unique(np.concatenate(alone), return_counts=True)
    return float(pool.tons_bdt[at[times > 1]].sum())
