"""How cost moves with one assumption at a time: a tornado over several, a curve along one.

Every variant is computed as a question with that override would be: demand, harvest through FRCS for the clusters at hand,
haul, unloading, selection, move-in, the plant's life and its cost of electricity, by the same functions. Only the circle
of year one and its candidates are the base's, so that a difference comes from the assumption and not from a wider circle.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from csrag.ask.computation.choose import select
from csrag.ask.computation.cost_method import is_surrogate, put_unworkable
from csrag.ask.computation.delivered import Costs, Economics, StandReader, delivered_costs, economics, simulator_at_hand
from csrag.ask.computation.depletion import CHOICE_MULTIPLE, Depletion
from csrag.ask.computation.electricity import electricity_of, plant_of
from csrag.ask.computation.facts import Ledger
from csrag.ask.computation.life import life_years
from csrag.ask.computation.need import Need, need_of, plant_capacity_mw
from csrag.ask.computation.parameters import (
    PARAMETERS,
    PERCENT_OF_BASE,
    USUAL,
    Parameter,
    allowed_range,
    base_values,
    with_value,
)
from csrag.ask.computation.selection import Scales
from csrag.ask.computation.sensitivity_facts import put_sensitivity, without_harvest
from csrag.ask.computation.site import years_of
from csrag.ask.records import SitingQuery
from csrag.ask.results import Analysis, Catchment
from csrag.economics.sensitivity import HALF, points
from csrag.errors import InvalidValueError
from csrag.surfaces.frame import ClusterFrame
from csrag.surfaces.manifest import Manifest

DEFAULT_SENSITIVITY_PCT = 20.0
ROUND = 10
"""Decimals of a stepped value: 3.3 instead of 3.3000000000000003."""


@dataclass(frozen=True)
class Outcome:
    """What one variant costs; None where it is not supplied, and then `note` says why.

    Parameters
    ----------
    average : float or None
        Average delivered cost of year one [USD per BDT].
    life_average : float or None
        Over the plant's life, dollars of year one [USD per BDT].
    lcoe_current, lcoe_constant : float or None
        Levelised cost of electricity [USD per MWh].
    demand_bdt : float or None
        [BDT per year]
    note : str
        Why a value is missing.
    """

    average: float | None
    life_average: float | None
    lcoe_current: float | None
    lcoe_constant: float | None
    demand_bdt: float | None
    note: str = ""


@dataclass(frozen=True)
class Bar:
    """One parameter between two values.

    Parameters
    ----------
    parameter : Parameter
        What is moved.
    unit : str
        Unit of its values.
    base_value : float or None
        None where several fields of different size are set to one value.
    low_value, high_value : float
        Ends [unit].
    low, high : Outcome
        What they cost.
    """

    parameter: Parameter
    unit: str
    base_value: float | None
    low_value: float
    high_value: float
    low: Outcome
    high: Outcome


@dataclass(frozen=True)
class Curve:
    """One parameter along many values, lowest first, and what each costs."""

    parameter: Parameter
    unit: str
    base_value: float | None
    values: tuple[float, ...]
    outcomes: tuple[Outcome, ...]


class Bench:
    """Computes variants of one question on held candidates; what a variant does not touch is kept from before.

    Parameters
    ----------
    query : SitingQuery
        The base.
    catchment : Catchment
        Candidates of year one.
    pool : Catchment
        Candidates out to where the base's life can reach.
    widen : callable or None
        Candidates that hold so many years of the base's demand; None where the circle is the user's or at its limit.
    manifest : Manifest
        Economics, scales, codes.
    read_stand : callable
        Reads the what-if inputs of given layer rows.
    """

    def __init__(self, query: SitingQuery, catchment: Catchment, pool: Catchment, widen: Callable[[float], Catchment] | None,
                 manifest: Manifest, read_stand: StandReader) -> None:  # fmt: skip
        self.query, self.catchment, self.pool, self.manifest = query, catchment, pool, manifest
        self.scales = Scales.from_manifest(manifest.scales)
        self._widen, self._read = widen, read_stand
        self._stands: list[tuple[NDArray[np.int64], ClusterFrame]] = []
        self._costs: dict[tuple[Economics, int], Costs] = {}
        self._years: dict[tuple[Economics, float, int, float], tuple[float, Depletion] | None] = {}
        self._held_years = self._wide_years = self._years_needed(query)
        self._wide: Catchment | None = None
        need = need_of(query)
        plant = plant_of(query, plant_capacity_mw(need))
        econ = self._economics(query)
        self.base = base_values(econ, need, plant)
        if not econ.speed_set:
            # Around the network's own hours a speed moves from the mean that they come to.
            self.base["speed_km_per_h"] = self._mean_speed_km_per_h(econ, need) or self.base["speed_km_per_h"]

    def _economics(self, query: SitingQuery) -> Economics:
        """Prices of a variant; a surrogate's layer is computed anew at the base too, so that its error is in no difference.

        Not so where the simulator it imitates is not at hand: then nothing that is moved touches the harvest.
        """
        econ = economics(self.manifest, query.overrides)
        anew = is_surrogate(self.manifest) and simulator_at_hand(self.manifest)
        return replace(econ, recomputed=True) if anew else econ

    def _mean_speed_km_per_h(self, econ: Economics, need: Need) -> float | None:
        """Mean speed over the network of what the base takes, by ton [km/h]; None in another mode."""
        costs = self._cost(econ, self.catchment)
        if costs.transport is None or costs.transport.mode != "network" or costs.hours is None:
            return None
        rows = select(
            self.catchment.frame, costs, need.demand_bdt, self.query.fire_weight, self.scales, econ.harvest.ppi
        ).rows
        hours = float((costs.tons * costs.hours)[rows].sum())
        return float((costs.tons * costs.road_km)[rows].sum()) / hours if hours > 0 else None

    def reach_for(self, changes: Sequence[dict[str, float]]) -> None:
        """Say which variants are to come, so that a wider pool, where one of them needs it, is read once."""
        for change in changes:
            # A value that the models refuse is reported when it is computed.
            with suppress(InvalidValueError):
                self._wide_years = max(self._wide_years, math.ceil(self._years_needed(self._changed(change))))

    def _changed(self, changes: dict[str, float]) -> SitingQuery:
        return self.query.with_(overrides={**self.query.overrides, **changes})

    def _pool_for(self, query: SitingQuery) -> Catchment:
        """The base's pool, or a wider one where a greater demand or a longer life needs it."""
        needed = self._years_needed(query)
        if self._widen is None or needed <= self._held_years * (1 + 1e-9):
            return self.pool
        if self._wide is None or needed > self._wide_years:
            self._wide_years = max(self._wide_years, float(math.ceil(needed)))
            self._wide = self._widen(self._wide_years)
        return self._wide

    def _years_needed(self, query: SitingQuery) -> float:
        """Tons that a life can reach for, in years of the base's demand."""
        years = max(life_years(query), query.years) + CHOICE_MULTIPLE
        return years * need_of(query).demand_bdt / need_of(self.query).demand_bdt

    def _stand(self, rows: NDArray[np.int64]) -> ClusterFrame:
        for known, stand in self._stands:
            if known is rows:
                return stand
        self._stands.append((rows, self._read(rows)))
        return self._stands[-1][1]

    def _cost(self, econ: Economics, where: Catchment) -> Costs:
        key = (econ, id(where))
        if key not in self._costs:
            self._costs[key] = delivered_costs(where, self.query, self.manifest, econ, self._stand)
        return self._costs[key]

    def base_costs(self) -> Costs:
        """Costs of the base's candidates."""
        return self._cost(self._economics(self.query), self.catchment)

    def _supply(self, query: SitingQuery, econ: Economics) -> tuple[float, Depletion] | None:
        """Average of year one and the years of the life; None where year one is not supplied."""
        need, life = need_of(query), max(life_years(query), query.years)
        key = (econ, need.demand_bdt, life, plant_capacity_mw(need))
        if key in self._years:
            return self._years[key]
        costs = self._cost(econ, self.catchment)
        cap = query.max_cost_usd_per_bdt if query.max_cost_kind == "last_ton" else None
        taken = select(
            self.catchment.frame, costs, need.demand_bdt, query.fire_weight, self.scales, econ.harvest.ppi, cap
        )
        found = None
        if taken.met:
            pool = self._pool_for(query)
            pool_costs = costs if pool is self.catchment else self._cost(econ, pool)
            years = years_of(query, self.catchment.radius_km, pool, pool_costs, taken, need, econ, self.scales)
            found = (taken.average(costs), years)
        self._years[key] = found
        return found

    def outcome(self, changes: dict[str, float]) -> Outcome:
        """Cost of the question with some overrides put in (a value that the models refuse gives an empty outcome)."""
        query = self._changed(changes)
        try:
            need = need_of(query)
            supply = self._supply(query, self._economics(query))
            if supply is None:
                return Outcome(
                    None, None, None, None, need.demand_bdt, "the demand is not met within the base's circle"
                )
            average, years = supply
            lived = replace(years, years=years.years[: life_years(query)])
            power = electricity_of(query, plant_capacity_mw(need), years, need.demand_bdt)
        except InvalidValueError as error:
            return Outcome(None, None, None, None, None, error.message)
        life = lived.average() if lived.years else None
        if power is None:
            return Outcome(
                average, life, None, None, need.demand_bdt, "the wood in reach ends before the plant's life does"
            )
        return Outcome(average, life, power.lcoe_current_usd_per_mwh, power.lcoe_constant_usd_per_mwh, need.demand_bdt)


def add_sensitivity(query: SitingQuery, analysis: Analysis, catchment: Catchment, pool: Catchment,
                    widen: Callable[[float], Catchment] | None, manifest: Manifest, read_stand: StandReader) -> Analysis:  # fmt: skip
    """Put a tornado, and the curves that were asked for, beside a site's answer.

    Parameters
    ----------
    query : SitingQuery
        Assumptions and values asked for; none gives the usual ones, 20 % to either side.
    analysis : Analysis
        The base, answered.
    catchment, pool, widen, manifest, read_stand
        As in `Bench`.

    Returns
    -------
    Analysis
        With tables `tornado` and `sweep`.

    Raises
    ------
    DataError
        If every assumption asked for is one of the harvest, and its simulator is not at hand.
    """
    ledger = Ledger()
    ledger.facts, ledger.tables = dict(analysis.facts), dict(analysis.tables)
    bench = Bench(query, catchment, pool, widen, manifest, read_stand)
    base = bench.outcome({})
    if is_surrogate(manifest) and simulator_at_hand(manifest):
        ledger.caveat("sensitivity_exact_costs", "The sensitivity computes every variant, its base included, through FRCS itself, "
                      "so its base differs from the answer's by the surrogate's error.")  # fmt: skip
        put_unworkable(ledger, bench.base_costs())
    pct = query.sensitivity_pct if query.sensitivity_pct is not None else DEFAULT_SENSITIVITY_PCT
    given = {str(s["parameter"]): tuple(s["values"]) for s in query.sweep}
    plans = _plans(ledger, query, given, pct, bench)
    bench.reach_for([change for plan in plans for change in plan.changes(bench.base)])
    bars: list[Bar] = []
    curves: list[Curve] = []
    for plan in plans:
        ends = plan.changes(bench.base)
        if plan.parameter.name in given:
            outcomes = tuple(bench.outcome(change) for change in ends)
            curves.append(Curve(plan.parameter, plan.unit, plan.base_value, plan.values, outcomes))
            low, high = outcomes[0], outcomes[-1]
        else:
            low, high = bench.outcome(ends[0]), bench.outcome(ends[-1])
        bars.append(Bar(plan.parameter, plan.unit, plan.base_value, plan.values[0], plan.values[-1], low, high))
    put_sensitivity(ledger, base, bars, curves, pct)
    return replace(analysis, facts=ledger.facts, tables=ledger.tables, warnings=(*analysis.warnings, *ledger.caveats))


@dataclass(frozen=True)
class _Plan:
    """What to compute for one parameter: its values in `unit`, lowest first."""

    parameter: Parameter
    unit: str
    base_value: float | None
    values: tuple[float, ...]

    def changes(self, base: dict[str, float]) -> list[dict[str, float]]:
        return [with_value(self.parameter, v, self.unit, base) for v in self.values]


def _plans(
    ledger: Ledger, query: SitingQuery, given: dict[str, tuple[float, ...]], pct: float, bench: Bench
) -> list[_Plan]:
    plans = []
    asked = [PARAMETERS[name] for name in query.tornado_parameters or USUAL]
    for parameter in without_harvest(ledger, bench.manifest, asked):
        label = parameter.label.capitalize()
        if parameter.technology and parameter.technology != query.technology:
            ledger.caveat(
                "sensitivity_not_applicable", f"{label} belongs to {parameter.technology} only; it is left out."
            )
            continue
        own = given.get(parameter.name, ())
        unit = PERCENT_OF_BASE if len(parameter.fields) > 1 and not own else parameter.unit
        values = _values(ledger, parameter, unit, own, pct, bench)
        middle = _base_of(parameter, unit, bench)
        if len(values) < 2:
            stands = "unknown" if middle is None else f"{middle:g}"
            ledger.caveat("sensitivity_no_range", f"{label} has no range to move in here: its base is {stands}.")
            continue
        plans.append(_Plan(parameter, unit, middle, values))
    return plans


def _base_of(parameter: Parameter, unit: str, bench: Bench) -> float | None:
    if unit == PERCENT_OF_BASE:
        return 100.0
    values = {bench.base.get(f) for f in parameter.fields}
    return values.pop() if len(values) == 1 else None


def _values(
    ledger: Ledger, parameter: Parameter, unit: str, own: tuple[float, ...], pct: float, bench: Bench
) -> tuple[float, ...]:
    """Values to compute, lowest first, inside what the parameter allows; the user's own, or `pct` to either side."""
    base = _base_of(parameter, unit, bench)
    low, high = allowed_range(parameter, unit, bench.base)
    if own:
        wanted = sorted(own)
    elif base is None:
        return ()
    else:
        ends = sorted((base * (1 - pct / 100), base * (1 + pct / 100)))
        ends = [round(min(max(e, low), high), ROUND) for e in ends]
        wanted = [round(v, ROUND) for v in points(ends[0], base, ends[1])]
        # The base itself, not a sum of steps that comes near it.
        wanted[HALF] = base
        if max(base * (1 + pct / 100) - high, low - base * (1 - pct / 100)) > 1e-9:
            _clipped(ledger, parameter, low, high)
    kept = [v for v in wanted if low <= v <= high]
    if own and len(kept) < len(wanted):
        _clipped(ledger, parameter, low, high)
        kept += [e for e in (low, high) if wanted[0] < e < wanted[-1]]
    if parameter.name == "economic_life_y":
        kept = [float(round(v)) for v in kept]
    return tuple(sorted(set(kept)))


def _clipped(ledger: Ledger, parameter: Parameter, low: float, high: float) -> None:
    ledger.caveat(
        "sensitivity_clipped", f"{parameter.label.capitalize()} is kept inside its allowed range, {low:g} to {high:g}."
    )
