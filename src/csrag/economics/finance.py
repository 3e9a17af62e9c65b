"""Closed forms of the finance: recovery factor, present worth, levelised cost, depreciation, taxes.

Rates are fractions here, percent everywhere else. Source of the equations: the spreadsheet behind `@ucdavis/tea` 1.4.3
and any text on engineering economics (capital recovery: Park, Contemporary Engineering Economics, ch. 3).
"""

from __future__ import annotations

import math

DEPRECIATION_20 = (
    0.05, 0.095, 0.0855, 0.077, 0.0693, 0.0623, 0.059, 0.059,
    0.0591, 0.059, 0.0591, 0.059, 0.0591, 0.059, 0.0591, 0.0295,
)  # fmt: skip
"""Shares of capital, MACRS 15-year property, half-year convention (IRS Publication 946, table A-1)."""
LONG_LIFE_Y = 20


def recovery_factor(rate: float, years: int) -> float:
    """Level yearly payment that repays 1 USD.

    Parameters
    ----------
    rate : float
        Interest a year as a fraction, above -1.
    years : int
        Number of payments.

    Returns
    -------
    float
        i (1 + i)^N / ((1 + i)^N - 1), dimensionless. At rate 0 its limit 1/N, where the plain form is 0/0; written with
        expm1 and log1p, so that 1e-16 is as right as 0.1 (the plain form loses all digits there).
    """
    if rate == 0:
        return 1 / years
    return rate / -math.expm1(-years * math.log1p(rate))


def real_rate(nominal_pct: float, inflation_pct: float) -> float:
    """Rate above inflation as a fraction: (1 + i)/(1 + g) - 1, written without the cancellation.

    Parameters
    ----------
    nominal_pct, inflation_pct : float
        [percent a year]
    """
    return (nominal_pct - inflation_pct) / (100 + inflation_pct)


def present_worth_usd(amount_usd: float, year: int, rate_pct: float) -> float:
    """Worth today [USD] of `amount_usd` [USD] at the end of `year` (a number of years) at `rate_pct` [percent]."""
    return float(amount_usd * (1 + rate_pct / 100) ** -year)


def level_cost_usd_per_kwh(present_usd: float, factor: float, generation_kwh: float) -> float:
    """Levelised cost of electricity.

    Parameters
    ----------
    present_usd : float
        Present worth of the revenue required [USD].
    factor : float
        Capital recovery factor.
    generation_kwh : float
        Electricity in a year [kWh].

    Returns
    -------
    float
        [USD per kWh]
    """
    return present_usd * factor / generation_kwh


def depreciation_shares(years: int) -> tuple[float, ...]:
    """Share of capital that is written off in each year.

    Under 20 years: straight line. From 20 years on: the fixed 16-year table, then nothing. The jump between 19 and 20
    (5.3 % against 5 % in year one, 9.5 % in year two) is the reference model's and is kept.
    """
    if years < LONG_LIFE_Y:
        return (1 / years,) * years
    return DEPRECIATION_20 + (0.0,) * (years - len(DEPRECIATION_20))


def combined_tax_pct(federal_pct: float, state_pct: float) -> float:
    """State tax plus federal tax on what the state leaves [percent], from both rates [percent]."""
    return state_pct + federal_pct * (1 - state_pct / 100)
