"""Cash flow year by year, and the revenue from electricity that each year requires."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from csrag.economics.base_year import Boiler, Gasifier
from csrag.economics.carbon import credit_usd
from csrag.economics.finance import combined_tax_pct, depreciation_shares, recovery_factor
from csrag.economics.inputs import ChpInputs, GpInputs, PlantInputs
from csrag.errors import InvalidValueError


@dataclass(frozen=True, slots=True)
class Financing:
    """How the capital is raised and repaid, constant over the life."""

    equity_ratio_pct: float
    cost_of_money_pct: float
    plant_usd: float
    equity_usd: float
    debt_usd: float
    equity_factor: float
    debt_factor: float
    equity_recovery_usd: float
    debt_payment_usd: float
    debt_reserve_usd: float


class CashFlowYear(NamedTuple):
    """One year, all in USD of that year: a named tuple, because a plant makes one for each year of its life.

    `debt_reserve_usd` is one debt payment, paid in year one and returned in the last. `energy_revenue_usd` is what
    electricity must earn: recovery of equity and debt, fuel, other costs, taxes and reserve, less all other income.
    """

    year: int
    equity_recovery_usd: float
    equity_interest_usd: float
    equity_principal_paid_usd: float
    equity_principal_remaining_usd: float
    debt_recovery_usd: float
    debt_interest_usd: float
    debt_principal_paid_usd: float
    debt_principal_remaining_usd: float
    fuel_usd: float
    dual_fuel_usd: float
    non_fuel_usd: float
    debt_reserve_usd: float
    depreciation_usd: float
    capacity_income_usd: float
    heat_income_usd: float
    char_income_usd: float
    reserve_interest_usd: float
    taxes_without_credit_usd: float
    tax_credit_usd: float
    taxes_usd: float
    carbon_credit_usd: float
    energy_revenue_usd: float

    def with_fuel_and_credit(self, fuel_usd: float, carbon_usd: float, *, counted: bool) -> CashFlowYear:
        """The year with another fuel cost and carbon credit [USD]; `counted`: whether the credit is income."""
        revenue = energy_revenue_usd(
            equity_usd=self.equity_recovery_usd, debt_usd=self.debt_recovery_usd, fuel_usd=fuel_usd,
            dual_fuel_usd=self.dual_fuel_usd, non_fuel_usd=self.non_fuel_usd, taxes_usd=self.taxes_usd,
            reserve_usd=self.debt_reserve_usd, capacity_usd=self.capacity_income_usd,
            reserve_interest_usd=self.reserve_interest_usd, heat_usd=self.heat_income_usd,
            char_usd=self.char_income_usd, carbon_usd=carbon_usd if counted else 0.0,
        )  # fmt: skip
        return self._replace(fuel_usd=fuel_usd, carbon_credit_usd=carbon_usd, energy_revenue_usd=revenue)


NOT_SUMMED = ("year", "equity_principal_remaining_usd", "debt_principal_remaining_usd")
SUMMED = tuple(name for name in CashFlowYear._fields if name not in NOT_SUMMED)
"""Columns whose total over the life has a meaning."""


def financing(plant: PlantInputs) -> Financing:
    """Financing of a plant; the loan lasts as long as the plant.

    The weighted cost of money is reported only: everything is discounted at the return on equity, as in the package.
    """
    equity_pct = 100 - plant.debt_ratio_pct
    equity = plant.capital_usd * equity_pct / 100
    debt = plant.capital_usd * plant.debt_ratio_pct / 100
    on_equity = recovery_factor(plant.equity_return_pct / 100, plant.economic_life_y)
    on_debt = recovery_factor(plant.debt_interest_pct / 100, plant.economic_life_y)
    payment = debt * on_debt
    return Financing(
        equity_ratio_pct=equity_pct,
        cost_of_money_pct=plant.debt_ratio_pct / 100 * plant.debt_interest_pct
        + equity_pct / 100 * plant.equity_return_pct,
        plant_usd=plant.capital_usd,
        equity_usd=equity,
        debt_usd=debt,
        equity_factor=on_equity,
        debt_factor=on_debt,
        equity_recovery_usd=on_equity * equity,
        debt_payment_usd=payment,
        debt_reserve_usd=payment,
    )


def energy_revenue_usd(
    *, equity_usd: float, debt_usd: float, fuel_usd: float, dual_fuel_usd: float, non_fuel_usd: float, taxes_usd: float,
    reserve_usd: float, capacity_usd: float, reserve_interest_usd: float, heat_usd: float, char_usd: float,
    carbon_usd: float,
) -> float:  # fmt: skip
    """Revenue from electricity that a year requires [USD], from its items [USD]; absent items are 0."""
    costs = equity_usd + debt_usd + fuel_usd + dual_fuel_usd + non_fuel_usd + taxes_usd + reserve_usd
    return costs - capacity_usd - reserve_interest_usd - heat_usd - char_usd - carbon_usd


def _growth(rate_pct: float, years: int) -> list[float]:
    return [(1 + rate_pct / 100) ** k for k in range(years)]


def fuel_by_year(plant: PlantInputs, fuel_green_t: float) -> list[float]:
    """The form's fuel cost of each year [USD]: `fuel_green_t` [green tonne per year] times the escalated price."""
    first = fuel_green_t * plant.fuel_usd_per_green_t
    return [first * g for g in _growth(plant.fuel_escalation_pct, plant.economic_life_y)]


def cash_flow(
    plant: PlantInputs, base: Boiler | Gasifier, money: Financing, fuel_usd: Sequence[float] | None = None
) -> tuple[CashFlowYear, ...]:
    """Cash flow over the life.

    Parameters
    ----------
    plant : PlantInputs
        The plant.
    base : Boiler or Gasifier
        Its first year.
    money : Financing
        Its financing.
    fuel_usd : sequence of float, optional
        Fuel cost of each year [USD], in place of the form's price and escalation.

    Raises
    ------
    InvalidValueError
        If `fuel_usd` is shorter than the life.
    """
    life = plant.economic_life_y
    fuel = fuel_by_year(plant, base.fuel_green_t) if fuel_usd is None else [float(f) for f in fuel_usd]
    if len(fuel) < life:
        raise InvalidValueError(
            f"The fuel cost has {len(fuel)} years and the life is {life}.", "Give one fuel cost for each year."
        )
    tax = combined_tax_pct(plant.federal_tax_pct, plant.state_tax_pct) / 100
    tax_on_net = tax / (1 - tax)
    written_off = depreciation_shares(life)
    other = _growth(plant.other_escalation_pct, life)
    credit = _growth(plant.tax_credit_escalation_pct, life)
    operating = plant.operating_usd_per_y
    capacity = plant.capacity_payment_usd_per_kw_y * plant.net_capacity_kw
    reserve_interest = money.debt_reserve_usd * plant.reserve_interest_pct / 100
    zeros = [0.0] * life
    heat, dual, char = zeros, zeros, zeros
    if isinstance(plant, ChpInputs) and base.heat is not None:
        heat = [base.heat.income_usd * g for g in _growth(plant.heat_escalation_pct, life)]
    if isinstance(plant, GpInputs):
        dual = [base.dual_fuel_l * plant.dual_fuel_usd_per_l * g for g in _growth(plant.dual_fuel_escalation_pct, life)]
        char = [plant.char_usd_per_t * base.char_t * g for g in _growth(plant.char_escalation_pct, life)]
    equity_left, debt_left = money.equity_usd, money.debt_usd
    equity_rate, debt_rate = plant.equity_return_pct / 100, plant.debt_interest_pct / 100
    equity_recovery, debt_payment = money.equity_recovery_usd, money.debt_payment_usd
    rows = []
    for k in range(life):
        equity_interest = equity_rate * equity_left
        equity_paid = equity_recovery - equity_interest
        equity_left -= equity_paid
        debt_interest = debt_rate * debt_left
        debt_paid = debt_payment - debt_interest
        debt_left -= debt_paid
        # A life of one year pays the reserve in and never gets it back: the package asks for year one first.
        reserve = money.debt_reserve_usd if k == 0 else -money.debt_reserve_usd if k == life - 1 else 0.0
        depreciation = plant.capital_usd * written_off[k]
        taxable = equity_paid + debt_paid + equity_interest - depreciation + reserve
        tax_credit = (
            base.generation_kwh * plant.production_tax_credit_usd_per_kwh * credit[k] * plant.tax_credit_shares[k]
        )
        # The credit is taken off the income that is taxed, not off the tax: kept as the package has it.
        taxes = tax_on_net * (taxable - tax_credit)
        carbon = credit_usd(
            plant.first_year + k, plant.first_year, plant.carbon_credit_usd_per_t, plant.carbon_intensity_g_per_mj,
            plant.energy_economy_ratio, plant.general_inflation_pct, base.generation_kwh,
        )  # fmt: skip
        non_fuel = operating * other[k]
        rows.append(CashFlowYear(
            k + 1, equity_recovery, equity_interest, equity_paid, equity_left,
            debt_payment, debt_interest, debt_paid, debt_left,
            fuel[k], dual[k], non_fuel, reserve, depreciation, capacity, heat[k], char[k], reserve_interest,
            tax_on_net * taxable, tax_credit, taxes, carbon,
            energy_revenue_usd(
                equity_usd=equity_recovery, debt_usd=debt_payment, fuel_usd=fuel[k],
                dual_fuel_usd=dual[k], non_fuel_usd=non_fuel, taxes_usd=taxes, reserve_usd=reserve,
                capacity_usd=capacity, reserve_interest_usd=reserve_interest, heat_usd=heat[k], char_usd=char[k],
                carbon_usd=carbon if plant.include_carbon_credit else 0.0,
            ),
        ))  # fmt: skip
    return tuple(rows)


def totals(rows: Sequence[CashFlowYear]) -> dict[str, float]:
    """Sum of every column of `SUMMED` over the years [USD]."""
    columns = zip(CashFlowYear._fields, zip(*rows, strict=True), strict=True)
    return {name: sum(column) for name, column in columns if name not in NOT_SUMMED}
