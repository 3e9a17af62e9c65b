"""A plant's levelised cost of electricity from its inputs: the three models in one place."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from csrag.economics.base_year import Boiler, Gasifier, boiler_year, gasifier_year
from csrag.economics.cash_flow import CashFlowYear, Financing, cash_flow, financing
from csrag.economics.finance import (
    combined_tax_pct,
    level_cost_usd_per_kwh,
    present_worth_usd,
    real_rate,
    recovery_factor,
)
from csrag.economics.inputs import GpInputs, PlantInputs
from csrag.errors import InvalidValueError


@dataclass(frozen=True, slots=True)
class TeaResult:
    """What a plant model gives.

    Parameters
    ----------
    plant : PlantInputs
        What was asked.
    base : Boiler or Gasifier
        First year.
    money : Financing
        Financing.
    rows : tuple of CashFlowYear
        Year by year.
    present_usd : tuple of float
        Present worth of each year's required revenue [USD], at the return on equity.
    total_present_usd : float
        Their sum [USD].
    real_rate : float
        Return on equity above inflation, a fraction.
    constant_factor : float
        Recovery factor at the real rate.
    combined_tax_pct : float
        Combined tax rate [percent].
    lcoe_current_usd_per_kwh, lcoe_constant_usd_per_kwh : float
        Levelised cost of electricity [USD per kWh].
    """

    plant: PlantInputs
    base: Boiler | Gasifier
    money: Financing
    rows: tuple[CashFlowYear, ...]
    present_usd: tuple[float, ...]
    total_present_usd: float
    real_rate: float
    constant_factor: float
    combined_tax_pct: float
    lcoe_current_usd_per_kwh: float
    lcoe_constant_usd_per_kwh: float


def evaluate(plant: PlantInputs, fuel_usd: Sequence[float] | None = None) -> TeaResult:
    """Run the model that belongs to the inputs.

    Parameters
    ----------
    plant : PlantInputs
        `GpoInputs`, `ChpInputs` or `GpInputs`.
    fuel_usd : sequence of float, optional
        Fuel cost of each year [USD], in place of the form's price and escalation.

    Raises
    ------
    InvalidValueError
        Where numbers are too large or too small to compute with.
    """
    try:
        result = _evaluate(plant, fuel_usd)
    except (OverflowError, ZeroDivisionError):
        raise _beyond() from None
    if not (math.isfinite(result.lcoe_current_usd_per_kwh) and math.isfinite(result.lcoe_constant_usd_per_kwh)):
        raise _beyond()
    return result


def _beyond() -> InvalidValueError:
    return InvalidValueError(
        "The inputs are too large or too small to compute with.", "Look for a number with the wrong unit or exponent."
    )


def _evaluate(plant: PlantInputs, fuel_usd: Sequence[float] | None) -> TeaResult:
    base = gasifier_year(plant) if isinstance(plant, GpInputs) else boiler_year(plant)
    money = financing(plant)
    rows = cash_flow(plant, base, money, fuel_usd)
    present = tuple(present_worth_usd(row.energy_revenue_usd, row.year, plant.equity_return_pct) for row in rows)
    total = sum(present)
    real = real_rate(plant.equity_return_pct, plant.general_inflation_pct)
    constant = recovery_factor(real, plant.economic_life_y)
    return TeaResult(
        plant=plant,
        base=base,
        money=money,
        rows=rows,
        present_usd=present,
        total_present_usd=total,
        real_rate=real,
        constant_factor=constant,
        combined_tax_pct=combined_tax_pct(plant.federal_tax_pct, plant.state_tax_pct),
        lcoe_current_usd_per_kwh=level_cost_usd_per_kwh(total, money.equity_factor, base.generation_kwh),
        lcoe_constant_usd_per_kwh=level_cost_usd_per_kwh(total, constant, base.generation_kwh),
    )
