"""Tables and values of a sensitivity: the tornado sorted by what it moves, the curves, and what the text says of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import fields
from itertools import pairwise
from typing import TYPE_CHECKING

from csrag.ask.computation.delivered import simulator_at_hand, simulator_missing, simulator_of
from csrag.ask.computation.facts import Ledger
from csrag.ask.computation.parameters import Parameter
from csrag.ask.results import Fact
from csrag.simulators.harvest import HarvestEconomics
from csrag.surfaces.manifest import Manifest
from csrag.values import VALUES

if TYPE_CHECKING:
    from csrag.ask.computation.sensitivity import Bar, Curve, Outcome

TORNADO_COLUMNS = (
    "parameter", "label", "unit", "base_value", "low_value", "high_value", "delivered_base_usd_per_bdt",
    "delivered_low_usd_per_bdt", "delivered_high_usd_per_bdt", "life_low_usd_per_bdt", "life_high_usd_per_bdt",
    "lcoe_base_usd_per_mwh", "lcoe_low_usd_per_mwh", "lcoe_high_usd_per_mwh", "lcoe_swing_usd_per_mwh",
    "delivered_swing_usd_per_bdt", "note",
)  # fmt: skip
SWEEP_COLUMNS = (
    "parameter", "unit", "value", "average_delivered_usd_per_bdt", "life_average_usd_per_bdt", "lcoe_current_usd_per_mwh",
    "lcoe_constant_usd_per_mwh", "demand_bdt", "base", "note",
)  # fmt: skip
_HARVEST = frozenset(f.name for f in fields(HarvestEconomics))
TIE = 0.005
"""Swings closer than this print as the same cent [USD]."""


def put_sensitivity(ledger: Ledger, base: Outcome, bars: Sequence[Bar], curves: Sequence[Curve], pct: float) -> None:
    """Record tables, values and caveats of a sensitivity.

    Parameters
    ----------
    ledger : Ledger
        Holds the site's values, receives these.
    base : Outcome
        The question as it was asked.
    bars : sequence of Bar
        Tornado, any order.
    curves : sequence of Curve
        Sweeps, in the order asked.
    pct : float
        To either side where no values were named [percent].
    """
    ledger.put("sensitivity_pct", pct, "to either side of the base, where the question names no values")
    ranked = sorted(
        bars, key=lambda b: (-_rank(lcoe_swing(b, base)), -_rank(delivered_swing(b, base)), b.parameter.name)
    )
    rows = [
        (b.parameter.name, b.parameter.label, b.unit, b.base_value, b.low_value, b.high_value, base.average, b.low.average,
         b.high.average, b.low.life_average, b.high.life_average, base.lcoe_current, b.low.lcoe_current,
         b.high.lcoe_current, lcoe_swing(b, base), delivered_swing(b, base), b.low.note or b.high.note)
        for b in ranked
    ]  # fmt: skip
    held = "one assumption at a time, all else as in the base; the circle of year one and its candidates are the base's"
    ledger.table("tornado", TORNADO_COLUMNS, rows, f"{held}; low and high are the low and high value of the assumption; "
                 "swing is the largest less the smallest of low, base and high")  # fmt: skip
    ledger.caveat("sensitivity_circle_held", "In the sensitivity the circle of year one and its candidates stay those of the base; "
                  "harvest (through FRCS), haul, demand, selection, the plant's life and electricity are computed anew for every "
                  "value. A question with that value would choose its own circle.")  # fmt: skip
    _drivers(ledger, ranked, base)
    if curves:
        _curves(ledger, curves, held)


def _rank(value: float | None) -> float:
    return -1.0 if value is None else value


def _swing(values: Sequence[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return None if len(known) < len(values) else max(known) - min(known)


def lcoe_swing(bar: Bar, base: Outcome) -> float | None:
    """Spread of the levelised cost over low, base and high [USD per MWh]."""
    return _swing((bar.low.lcoe_current, base.lcoe_current, bar.high.lcoe_current))


def delivered_swing(bar: Bar, base: Outcome) -> float | None:
    """Spread of year one's delivered cost over low, base and high [USD per BDT]."""
    return _swing((bar.low.average, base.average, bar.high.average))


def _put(ledger: Ledger, value_id: str, value: float | str, unit: str, basis: str) -> None:
    """A value whose unit is the parameter's."""
    ledger.facts[value_id] = Fact(value, unit, VALUES[value_id][1], basis)


def _drivers(ledger: Ledger, ranked: Sequence[Bar], base: Outcome) -> None:
    """The first, second and last bar, on electricity, and the first on delivered cost."""
    power = [b for b in ranked if lcoe_swing(b, base) is not None]
    for prefix, bar in _picked(power):
        _put(ledger, prefix, bar.parameter.label, "text", "tornado")
        ledger.put(f"{prefix}_lcoe_swing", lcoe_swing(bar, base), f"tornado, {bar.parameter.label}")
    if power:
        _ends(ledger, "largest_driver", power[0], lambda o: o.lcoe_current, "lcoe")
    fuel = sorted(ranked, key=lambda b: -_rank(delivered_swing(b, base)))
    if fuel and (first := delivered_swing(fuel[0], base)) is not None:
        _put(ledger, "largest_fuel_driver", fuel[0].parameter.label, "text", "tornado")
        ledger.put("largest_fuel_driver_swing", first, f"tornado, {fuel[0].parameter.label}")
        _ends(ledger, "largest_fuel_driver", fuel[0], lambda o: o.average, "delivered")
    if len(power) < len(ranked):
        ledger.caveat("sensitivity_incomplete", f"For {len(ranked) - len(power)} of {len(ranked)} assumptions an end has no cost of "
                      "electricity: see the notes in the table.")  # fmt: skip
    for one, two in pairwise(power):
        a, b = lcoe_swing(one, base), lcoe_swing(two, base)
        if a is not None and b is not None and a - b < TIE:
            names = f"{one.parameter.label} and {two.parameter.label}"
            ledger.caveat(
                "sensitivity_tie", f"Moved alike: {names} move electricity by the same cent; their order says nothing."
            )
    for bar in power:
        low, middle, high = bar.low.lcoe_current, base.lcoe_current, bar.high.lcoe_current
        assert low is not None
        assert middle is not None
        assert high is not None
        if min(low, high) - middle > TIE or middle - max(low, high) > TIE:
            ledger.caveat("sensitivity_one_sided", f"Both ends of {bar.parameter.label} lie on the same side of the base: "
                          "electricity does not move one way along it.")  # fmt: skip


def _picked(power: Sequence[Bar]) -> list[tuple[str, Bar]]:
    names = ("largest_driver", "second_driver")
    out = list(zip(names, power, strict=False))
    if len(power) > len(names):
        out.append(("smallest_driver", power[-1]))
    return out


def _ends(ledger: Ledger, prefix: str, bar: Bar, of: Callable[[Outcome], float | None], what: str) -> None:
    low, high = of(bar.low), of(bar.high)
    if low is None or high is None:
        return
    ledger.put(f"{prefix}_{what}_low", low, f"at the low value of {bar.parameter.label}")
    ledger.put(f"{prefix}_{what}_high", high, f"at the high value of {bar.parameter.label}")
    _put(ledger, f"{prefix}_low_value", bar.low_value, bar.unit, bar.parameter.label)
    _put(ledger, f"{prefix}_high_value", bar.high_value, bar.unit, bar.parameter.label)


def _curves(ledger: Ledger, curves: Sequence[Curve], held: str) -> None:
    rows = [
        (c.parameter.name, c.unit, v, o.average, o.life_average, o.lcoe_current, o.lcoe_constant, o.demand_bdt,
         c.base_value is not None and math.isclose(v, c.base_value, rel_tol=1e-12), o.note)
        for c in curves
        for v, o in zip(c.values, c.outcomes, strict=True)
    ]  # fmt: skip
    ledger.table("sweep", SWEEP_COLUMNS, rows, held)
    first = curves[0]
    _put(ledger, "sweep_parameter", first.parameter.label, "text", "as asked")
    ledger.put("sweep_values", len(first.values), "rows of the table for this assumption")
    _put(ledger, "sweep_from", first.values[0], first.unit, f"lowest value of {first.parameter.label}")
    _put(ledger, "sweep_to", first.values[-1], first.unit, f"highest value of {first.parameter.label}")
    for end, outcome in (("first", first.outcomes[0]), ("last", first.outcomes[-1])):
        where = f"at the {'lowest' if end == 'first' else 'highest'} value of {first.parameter.label}"
        ledger.put(
            f"sweep_{end}_delivered_cost", outcome.average, where if outcome.average is not None else outcome.note
        )
        ledger.put(
            f"sweep_{end}_lcoe", outcome.lcoe_current, where if outcome.lcoe_current is not None else outcome.note
        )
    for curve in curves:
        _monotonic(ledger, curve)
        missing = sum(o.lcoe_current is None for o in curve.outcomes)
        if missing:
            ledger.caveat("sweep_incomplete", f"Along {curve.parameter.label}, {missing} of {len(curve.values)} values have no "
                          "cost of electricity: see the notes in the table.")  # fmt: skip


def _monotonic(ledger: Ledger, curve: Curve) -> None:
    for what, field in (("delivered cost", "average"), ("electricity", "lcoe_current")):
        known = [float(v) for o in curve.outcomes if (v := getattr(o, field)) is not None]
        steps = [b - a for a, b in pairwise(known)]
        if any(s > TIE for s in steps) and any(s < -TIE for s in steps):
            ledger.caveat("sweep_not_monotonic", f"Along {curve.parameter.label} the {what} does not move one way throughout: whole "
                          "clusters are taken, so a step can go either way.")  # fmt: skip


def without_harvest(ledger: Ledger, manifest: Manifest, asked: Sequence[Parameter]) -> list[Parameter]:
    """The assumptions that can be moved: without those of the harvest where its simulator is not at hand.

    Parameters
    ----------
    ledger : Ledger
        Receives the caveat.
    manifest : Manifest
        `cost_method`.
    asked : sequence of Parameter
        All that are to be moved.

    Raises
    ------
    DataError
        If none would be left.
    """
    fixed = [] if simulator_at_hand(manifest) else [p for p in asked if not _HARVEST.isdisjoint(p.fields)]
    if not fixed:
        return list(asked)
    words = " and ".join(p.label for p in fixed)
    if len(fixed) == len(asked):
        raise simulator_missing(manifest, f"moving {words}")
    ledger.caveat(
        "simulator_not_at_hand",
        f"The sensitivity leaves out {words}: the layer set's harvest costs imitate {simulator_of(manifest)}, which is not at hand "
        "to compute them anew.",
    )
    return [p for p in asked if p not in fixed]
