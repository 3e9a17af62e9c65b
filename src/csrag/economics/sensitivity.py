"""Constant-dollar cost of electricity against seven inputs, 21 points each, as in `@ucdavis/tea` 1.4.3.

Eleven points from the low end to the base, ten from there to the high end. The inputs are never changed on the way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from csrag.economics.inputs import PlantInputs
from csrag.economics.tea import evaluate
from csrag.errors import InvalidValueError

HALF = 10
PARAMETERS = {
    "CapitalCost": "capital_usd",
    "BiomassFuelCost": "fuel_usd_per_green_t",
    "DebtRatio": "debt_ratio_pct",
    "DebtInterestRate": "debt_interest_pct",
    "CostOfEquity": "equity_return_pct",
    "NetStationEfficiency": "efficiency_pct",
    "CapacityFactor": "capacity_factor_pct",
}
"""The package's name of a sweep to our field."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """One swept input.

    Parameters
    ----------
    values : tuple of float
        The input [its unit].
    constant_usd_per_kwh : tuple of float
        Constant-dollar cost of electricity [USD per kWh].
    cost_change_pct, value_change_pct : tuple of float
        Change against the base [percent].
    """

    values: tuple[float, ...]
    constant_usd_per_kwh: tuple[float, ...]
    cost_change_pct: tuple[float, ...]
    value_change_pct: tuple[float, ...]


def points(low: float, base: float, high: float) -> list[float]:
    """21 values, all three arguments in the same unit: ten steps from low to base, ten from base to high."""
    down, up = (base - low) / HALF, (high - base) / HALF
    return [low + down * i for i in range(HALF + 1)] + [base + up * i for i in range(1, HALF + 1)]


def sweep(plant: PlantInputs, field: str, low: float, high: float) -> Sweep:
    """Sweep one field of the inputs.

    Parameters
    ----------
    plant : PlantInputs
        The base case.
    field : str
        Name of the field.
    low, high : float
        Ends [same unit as the field].

    Raises
    ------
    InvalidValueError
        If the base value or the base cost is zero (no relative change), or a point has no meaning.
    """
    base = float(getattr(plant, field))
    cost = evaluate(plant).lcoe_constant_usd_per_kwh
    if base == 0:
        raise InvalidValueError(f"The base value of {field} is 0: a change in percent has no meaning.",
                                "Choose a base other than 0.")  # fmt: skip
    if cost == 0:
        raise InvalidValueError("The base cost of electricity is 0: a change in percent has no meaning.",
                                "Change an income or a cost.")  # fmt: skip
    values = points(low, base, high)
    changes: list[dict[str, Any]] = [{field: value} for value in values]
    costs = [evaluate(replace(plant, **change)).lcoe_constant_usd_per_kwh for change in changes]
    return Sweep(
        values=tuple(values),
        constant_usd_per_kwh=tuple(costs),
        cost_change_pct=tuple((c - cost) / cost * 100 for c in costs),
        value_change_pct=tuple((v - base) / base * 100 for v in values),
    )


def sweep_all(plant: PlantInputs, ranges: Mapping[str, Sequence[float]]) -> dict[str, Sweep]:
    """All seven sweeps; `ranges` maps the package's name of each to its low and high end."""
    return {name: sweep(plant, field, *ranges[name]) for name, field in PARAMETERS.items()}
