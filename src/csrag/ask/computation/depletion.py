"""Many years: used clusters leave, the circle grows by rule, and each year is selected like the first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from csrag.ask.computation.delivered import Costs
from csrag.ask.computation.depletion_plain import LeftInOrder
from csrag.ask.computation.moves import moves_of_years
from csrag.ask.computation.ranking import ranked
from csrag.ask.computation.rules_choice import take
from csrag.ask.computation.rules_reach import needed_km
from csrag.ask.computation.selection import Scales, scores, workable_in
from csrag.surfaces.frame import ClusterFrame

Floats = NDArray[np.float64]

CHOICE_MULTIPLE = 5.0
"""From year two on the circle grows, a whole km at a time, until what is left in it is this many times one year's demand."""


@dataclass(frozen=True)
class Rules:
    """How the years go by.

    Parameters
    ----------
    years : int
        Length [years].
    demand_bdt : float
        Demand of each year [BDT].
    fire_weight : float
        0 to 1 [dimensionless].
    ppi : float
        Producer price index, for the move-in [2002 = 176.6].
    first_radius_km : float
        Radius of year one [km].
    widest_radius_km : float
        The circle never grows beyond this [km]; equal to the first where the user gave a radius.
    last_ton_cap : float or None
        No cluster may cost more, move-in left out [USD per BDT].
    reentry_years : int or None
        A cluster may be treated again this many years after it was cut, with its first yield; None never.
    choice_multiple : float
        From year two on the circle grows until what is left in it is this many times the demand [dimensionless].
    """

    years: int
    demand_bdt: float
    fire_weight: float
    ppi: float
    first_radius_km: float
    widest_radius_km: float
    last_ton_cap: float | None = None
    reentry_years: int | None = None
    choice_multiple: float = CHOICE_MULTIPLE


@dataclass(frozen=True)
class Year:
    """One year of supply, costs in dollars of year one.

    Parameters
    ----------
    year : int
        1, 2, ...
    radius_km : float
        Circle of the year [km].
    rows : ndarray of int64
        Positions taken in the pool.
    tons : float
        [BDT]
    harvest, haul, move_in, average, last_ton : float
        [USD per BDT], the average with unloading.
    acres : float
        Treated [acres].
    burn_probability : float or None
        Tonnage-weighted over the known [per year].
    remaining_bdt : float
        Left in the circle after the year [BDT].
    """

    year: int
    radius_km: float
    rows: NDArray[np.int64]
    tons: float
    harvest: float
    haul: float
    move_in: float
    average: float
    last_ton: float
    acres: float
    burn_probability: float | None
    remaining_bdt: float

    def with_moves(self, usd_by_system: Mapping[str, float]) -> Year:
        """The year with its moves of machines in it.

        Parameters
        ----------
        usd_by_system : mapping
            Cost of the year's moves [USD].
        """
        move_in = sum(usd_by_system.values()) / self.tons
        return replace(self, move_in=move_in, average=self.average + move_in, last_ton=self.last_ton + move_in)


@dataclass(frozen=True)
class Depletion:
    """All years that could be supplied.

    Parameters
    ----------
    years : tuple of Year
        In order.
    exhausted_year : int or None
        First year whose demand is not met; None where all are.
    in_reach_bdt : float
        Feedstock of the pool within the last radius, before any year [BDT].
    repeats : tuple of History
        Where fires are drawn: every repeat, this one among them.
    middle : int
        Which of the repeats this is.
    """

    years: tuple[Year, ...]
    exhausted_year: int | None
    in_reach_bdt: float
    repeats: tuple[History, ...] = ()
    middle: int = 0

    def average(self) -> float:
        """Tonnage-weighted delivered cost over the years, dollars of year one [USD per BDT]."""
        tons = sum(y.tons for y in self.years)
        return sum(y.average * y.tons for y in self.years) / tons


@dataclass(frozen=True)
class History:
    """The years under one history of fires, and what these took from clusters that still stood [BDT]."""

    years: Depletion
    lost_bdt: float


BeforeYear = Callable[[int, Floats, NDArray[np.bool_]], None]


@dataclass(frozen=True)
class Order:
    """In which order clusters are taken, and the whole km around each; the same for every run over a pool.

    Parameters
    ----------
    rows : ndarray of int64
        Positions, best score first, those over the cap and those without a cost left out.
    distance_km : ndarray of float64
        Straight-line distance of `rows` [km].
    whole_km : ndarray of int64, shape (n,)
        Straight-line distance of every cluster, rounded up [km].
    score : ndarray of float64, shape (n,)
        Of every cluster, lower is better [dimensionless].
    usable : ndarray of bool, shape (n,)
        Which clusters have a finite cost.
    """

    rows: NDArray[np.int64]
    distance_km: Floats
    whole_km: NDArray[np.int64]
    score: Floats
    usable: NDArray[np.bool_]

    @classmethod
    def of(cls, frame: ClusterFrame, costs: Costs, scales: Scales, rules: Rules) -> Order:
        """Order of a pool under the rules' fire weight and cap."""
        score = scores(costs.unit, frame["burn_probability"].astype(np.float64), rules.fire_weight, scales)
        rows = workable_in(ranked(score, costs.unit, frame["cluster_no"]), costs.unit)
        if rules.last_ton_cap is not None:
            rows = rows[costs.unit[rows] <= rules.last_ton_cap]
        distance = frame["distance_km"]
        return cls(rows, distance[rows], np.ceil(distance).astype(np.int64), score, np.isfinite(costs.unit))


def deplete(
    frame: ClusterFrame,
    costs: Costs,
    scales: Scales,
    rules: Rules,
    before_year: BeforeYear | None = None,
    order: Order | None = None,
) -> Depletion:
    """Run the years.

    Parameters
    ----------
    frame : ClusterFrame
        The pool: every candidate out to the widest radius.
    costs : Costs
        Their costs and tons, dollars of year one. Prices escalate alike, so the order of clusters is that of year one.
    scales : Scales
        Fixed scales of the score.
    rules : Rules
        Demand, radius, re-entry.
    before_year : callable, optional
        Called with the year, the tons (may be lowered in place: burn loss) and the mask of clusters still there (may be
        cleared in place: cut by another plant that year) before each year's choice.
    order : Order, optional
        Of the pool, where it is known from an earlier run.

    Returns
    -------
    Depletion

    Notes
    -----
    Year one keeps the circle it is given, so that it takes exactly what the site's year one takes; from year two on the
    circle grows by the rule. A cluster that is treated again has its first yield again. Share rules of the question hold in
    every year, and the circle then grows until what they allow of it is enough.
    """
    order = order or Order.of(frame, costs, scales, rules)
    if before_year is None and rules.reentry_years is None and rules.last_ton_cap is None and costs.shares is None:
        return _plainly(frame, costs, rules, order)
    tons, there = costs.tons.copy(), np.ones(len(frame), dtype=bool)
    cut_in = np.zeros(len(frame), dtype=np.int64)
    radius, done, exhausted = rules.first_radius_km, [], None
    for year in range(1, rules.years + 1):
        if rules.reentry_years is not None:
            again = ~there & (year - cut_in >= rules.reentry_years)
            there |= again
            tons[again] = costs.tons[again]
        if before_year is not None:
            stood = there.copy()
            before_year(year, tons, there)
            cut_in[stood & ~there] = year
        if year > 1:
            radius = _grown(radius, order, tons * (there & order.usable), rules, costs)
        usable = order.rows[there[order.rows] & (order.distance_km <= radius)]
        reached = np.cumsum(tons[usable])
        if not len(reached) or reached[-1] < rules.demand_bdt:
            exhausted = year
            break
        taken = usable[: int(np.searchsorted(reached, rules.demand_bdt, side="left")) + 1]
        if costs.shares is not None:
            taken = take(usable, tons, order.score, costs.shares, rules.demand_bdt)
            if float(tons[taken].sum()) < rules.demand_bdt * (1 - 1e-12):
                exhausted = year
                break
        there[taken], cut_in[taken] = False, year
        done.append(_year(year, radius, taken, tons, frame, costs, float(reached[-1])))
    return _finished(done, radius, exhausted, frame, costs, rules, order)


def _finished(done: list[Year], radius_km: float, exhausted: int | None, frame: ClusterFrame, costs: Costs, rules: Rules,
              order: Order) -> Depletion:  # fmt: skip
    """The years with their moves, and what the last circle held before any of them."""
    moves = moves_of_years(frame, costs, [y.rows for y in done], rules.ppi)
    years = tuple(y.with_moves(usd) for y, usd in zip(done, moves, strict=True))
    in_reach = float(costs.tons[(frame["distance_km"] <= radius_km) & order.usable].sum())
    return Depletion(years, exhausted, in_reach)


def _plainly(frame: ClusterFrame, costs: Costs, rules: Rules, order: Order) -> Depletion:
    """The years where nothing but the plant itself takes wood: the same choice, without going over the pool every year."""
    left = LeftInOrder(order.rows, order.distance_km, costs.tons[order.rows])
    radius, done, exhausted = rules.first_radius_km, [], None
    for year in range(1, rules.years + 1):
        if year > 1 and rules.widest_radius_km > radius:
            needed = left.needed_km(rules.choice_multiple * rules.demand_bdt, int(rules.widest_radius_km))
            radius = float(min(max(radius, needed), rules.widest_radius_km))
        available = left.within_bdt(radius)
        taken = left.take(radius, rules.demand_bdt)
        if taken is None:
            exhausted = year
            break
        done.append(_year(year, radius, taken, costs.tons, frame, costs, available))
    return _finished(done, radius, exhausted, frame, costs, rules, order)


def _grown(radius_km: float, order: Order, left: Floats, rules: Rules, costs: Costs) -> float:
    """The circle of the year: grown while what is left in it, by the rules, is under its multiple of the demand."""
    if rules.widest_radius_km <= radius_km:
        return radius_km
    target = rules.choice_multiple * rules.demand_bdt
    needed = needed_km(order.whole_km, left, costs.shares, target, int(rules.widest_radius_km), int(radius_km))
    return float(min(max(radius_km, needed), rules.widest_radius_km))


def _year(year: int, radius_km: float, taken: NDArray[np.int64], tons: Floats, frame: ClusterFrame, costs: Costs,
          available: float) -> Year:  # fmt: skip
    """The year before its machines are moved."""
    weight = tons[taken]
    total = float(weight.sum())
    burn = frame["burn_probability"][taken].astype(np.float64)
    known = np.isfinite(burn)
    known_tons = float(weight[known].sum())
    unit = float((costs.unit[taken] * weight).sum()) / total
    return Year(
        year=year, radius_km=radius_km, rows=taken, tons=total,
        harvest=float((costs.harvest[taken] * weight).sum()) / total,
        haul=float((costs.haul[taken] * weight).sum()) / total,
        move_in=0.0, average=unit, last_ton=float(costs.unit[taken].max()),
        acres=float(frame["area_acres"][taken].astype(np.float64).sum()),
        burn_probability=float((burn[known] * weight[known]).sum()) / known_tons if known_tons > 0 else None,
        remaining_bdt=available - total,
    )  # fmt: skip
