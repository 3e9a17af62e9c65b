"""Several plants that share no fuel: chosen one after another, each from what the earlier ones leave, then looked over once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from csrag.ask.computation.search_rank import objective, ranked
from csrag.ask.computation.statewide import SearchPool, SiteCosts, site_costs, taken_rows
from csrag.ask.computation.statewide_twin import FIGURES, figures
from csrag.geo import haversine_km

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]
_MARGIN_KM = 0.01
_GAIN = 1e-9
"""A move has to be better by more than rounding."""


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
    Greedy: the best site, its clusters taken out, the sites in whose circle they lie costed again, the next. Then each plant
    in turn is taken up and set down where it is best given the others, once, if that is better.
    """
    search = _Search(pool, sites, costs, separation_km)
    while len(search.chosen) < count:
        site = search.best(search.costs)
        if site is None:
            break
        search.put(site)
        if progress is not None:
            progress(len(search.chosen), count)
    moved = sum(search.reconsider(k) for k in range(len(search.chosen))) if len(search.chosen) > 1 else 0
    left = float("nan")
    if len(search.chosen) < count:
        there = search.costs.available_bdt[search.free()]
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

    def _left(self, but: int | None = None) -> SearchPool:
        """What the plants leave; `but` names one whose clusters are free again."""
        taken = [rows for k, rows in enumerate(self._rows) if k != but]
        return self._pool.without(np.concatenate(taken)) if taken else self._pool

    def free(self, but: int | None = None) -> NDArray[np.bool_]:
        """Sites that stand far enough from every plant."""
        out = np.ones(len(self._sites.lat), dtype=bool)
        for k, site in enumerate(self.chosen):
            if k != but:
                out &= self._away(site) >= self._separation_km
                out[site] = False
        return out

    def _away(self, site: int) -> Floats:
        s = self._sites
        return haversine_km(s.lat[site], s.lon[site], s.lat, s.lon)

    def best(self, costs: SiteCosts, but: int | None = None) -> int | None:
        """The best site that may stand; None where there is none."""
        usable = costs.met & self._sites.allowed(costs) & self.free(but)
        order = ranked(self.score(costs), costs.average_usd_per_bdt, usable)
        return int(order[0]) if len(order) else None

    def score(self, costs: SiteCosts) -> Floats:
        weight, scales = self._sites.fire_weight, self._pool.scales
        return objective(costs.average_usd_per_bdt, costs.mean_burn_probability, weight, scales)

    def _costed(self, pool: SearchPool, changed: NDArray[np.bool_]) -> SiteCosts:
        s, at = self._sites, np.flatnonzero(changed)
        if not len(at):
            return self.costs
        fresh = site_costs(pool, s.lat[at], s.lon[at], s.demand_bdt, s.radius_km, s.fire_weight)
        return renewed(self.costs, at, fresh)

    def _near(self, rows: Rows) -> NDArray[np.bool_]:
        """Sites in whose circle any of the clusters may lie."""
        out = np.zeros(len(self._sites.lat), dtype=bool)
        at = self._pool.positions_of(rows)
        if not len(at):
            return out
        lat, lon = self._pool.lat[at], self._pool.lon[at]
        middle = float(lat.mean()), float(lon.mean())
        reach = float(haversine_km(*middle, lat, lon).max()) + self._sites.radius_km + _MARGIN_KM
        return np.asarray(haversine_km(*middle, self._sites.lat, self._sites.lon) <= reach)

    def put(self, site: int) -> None:
        """Set a plant down, take its clusters out, and cost again what it touches."""
        s = self._sites
        rows = taken_rows(
            self._left(), float(s.lat[site]), float(s.lon[site]), s.demand_bdt, s.radius_km, s.fire_weight
        )
        self.chosen.append(site)
        self._rows.append(rows)
        self.costs = self._costed(self._left(), self._near(rows))

    def reconsider(self, k: int) -> bool:
        """Take up plant `k` and set it down where it is best given the others; whether that moved it."""
        s, old = self._sites, self._rows[k]
        pool = self._left(but=k)
        costs = self._costed(pool, self._near(old))
        site = self.best(costs, but=k)
        if site is None:
            return False
        score = self.score(costs)
        if site != self.chosen[k] and not score[site] < score[self.chosen[k]] - _GAIN * abs(score[self.chosen[k]]):
            site = self.chosen[k]
        moved = site != self.chosen[k]
        self.costs = costs
        self._rows[k] = taken_rows(
            pool, float(s.lat[site]), float(s.lon[site]), s.demand_bdt, s.radius_km, s.fire_weight
        )
        self.chosen[k] = site
        self.costs = self._costed(self._left(), self._near(self._rows[k]))
        return moved

    def plant(self, k: int) -> Plant:
        site, rows, s = self.chosen[k], self._rows[k], self._sites
        mine = np.zeros(len(self._pool), dtype=bool)
        mine[self._pool.positions_of(rows)] = True
        # The clusters are chosen already; of a pool that holds no others the plain reckoning gives what they cost.
        own = dict(zip(FIGURES, figures(
            replace(self._pool, there=mine), float(s.lat[site]), float(s.lon[site]), s.demand_bdt, s.radius_km, s.fire_weight
        ).tolist(), strict=True))  # fmt: skip
        return Plant(
            site, rows, own["average_usd_per_bdt"], float(self._alone.average_usd_per_bdt[site]), own["taken_bdt"],
            float(self._alone.taken_bdt[site]),
        )  # fmt: skip


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
