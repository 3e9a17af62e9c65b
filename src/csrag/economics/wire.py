"""Results under the package's own names, group by group, in the package's structure."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from csrag.economics.cash_flow import SUMMED, CashFlowYear, totals
from csrag.economics.inputs import ChpInputs, GpInputs, PlantInputs
from csrag.economics.tea import TeaResult

CASH_FLOW = {
    "Year": "year",
    "EquityRecovery": "equity_recovery_usd",
    "EquityInterest": "equity_interest_usd",
    "EquityPrincipalPaid": "equity_principal_paid_usd",
    "EquityPrincipalRemaining": "equity_principal_remaining_usd",
    "DebtRecovery": "debt_recovery_usd",
    "DebtInterest": "debt_interest_usd",
    "DebtPrincipalPaid": "debt_principal_paid_usd",
    "DebtPrincipalRemaining": "debt_principal_remaining_usd",
    "NonFuelExpenses": "non_fuel_usd",
    "DebtReserve": "debt_reserve_usd",
    "Depreciation": "depreciation_usd",
    "IncomeCapacity": "capacity_income_usd",
    "InterestOnDebtReserve": "reserve_interest_usd",
    "TaxesWoCredit": "taxes_without_credit_usd",
    "TaxCredit": "tax_credit_usd",
    "Taxes": "taxes_usd",
    "EnergyRevenueRequired": "energy_revenue_usd",
    "BiomassFuelCost": "fuel_usd",
    "LcfsCreditRevenue": "carbon_credit_usd",
}
_CASH_FLOW_HEAT = {"IncomeHeat": "heat_income_usd"}
_CASH_FLOW_GAS = {"DualFuelCost": "dual_fuel_usd", "IncomeChar": "char_income_usd"}
CASH_FLOW_OF = {
    "GPO": CASH_FLOW,
    "CHP": CASH_FLOW | _CASH_FLOW_HEAT,
    "GP": CASH_FLOW | _CASH_FLOW_HEAT | _CASH_FLOW_GAS,
}
"""Package's name to ours, by model."""

_FINANCING = {
    "EquityRatio": "equity_ratio_pct",
    "CostOfMoney": "cost_of_money_pct",
    "TotalCostOfPlant": "plant_usd",
    "TotalEquityCost": "equity_usd",
    "TotalDebtCost": "debt_usd",
    "CapitalRecoveryFactorEquity": "equity_factor",
    "CapitalRecoveryFactorDebt": "debt_factor",
    "AnnualEquityRecovery": "equity_recovery_usd",
    "AnnualDebtPayment": "debt_payment_usd",
    "DebtReserve": "debt_reserve_usd",
}
_BOILER = {
    "AnnualHours": "hours",
    "BiomassTarget": "fuel_green_t",
    "FuelConsumptionRate": "fuel_green_t_per_h",
    "AnnualGeneration": "generation_kwh",
    "CapitalCostNEC": "capital_usd_per_kw",
    "AnnualFuelConsumption": "fuel_green_t",
    "AnnualAshDisposal": "ash_t",
}
_BOILER_CHP = {
    "ParasiticLoad": "parasitic_kw",
    "FuelPower": "fuel_power_kw",
    "GrossStationElectricalEfficiency": "gross_efficiency_pct",
}
_GASIFIER = {
    "AnnualHours": "hours",
    "BiomassTarget": "fuel_green_t",
    "ParasiticLoad": "parasitic_kw",
    "AnnualGeneration": "generation_kwh",
    "OverallNetSystemEfficiency": "net_efficiency_pct",
    "NitrogenGas": "n2_pct",
    "CleanGasMolecularMass": "gas_g_per_mol",
    "CleanGasDensity": "gas_kg_per_m3",
    "CleanGasHigherHeatingValue": "gas_hhv_kj_per_m3",
    "CleanGasLowerHeatingValue": "gas_lhv_kj_per_m3",
    "TotalFuelPowerInput": "fuel_power_kw",
    "CleanGasPowerInput": "gas_power_kw",
    "DualFuelPowerInput": "dual_fuel_power_kw",
    "CleanGasFlowRateVolume": "gas_m3_per_h",
    "CleanGasFlowRateMass": "gas_kg_per_h",
    "AnnualCleanGasConsumption": "gas_t",
    "DualFuelFlowRate": "dual_fuel_l_per_h",
    "AnnualDualFuelConsumption": "dual_fuel_l",
    "BiomassFeedRate": "feed_kg_per_h",
    "AnnualBiomassConsumption": "fuel_green_t",
    "CharProductionRate": "char_kg_per_h",
    "AnnualCharProduction": "char_t",
}
_HEAT = {
    "TotalHeatProductionRate": "produced_kw",
    "RecoveredHeat": "recovered_kw",
    "AnnualHeatSales": "sales_kwh",
    "TotalIncomeFromHeatSales": "income_usd",
    "HeatIncomePerUnitNEE": "income_usd_per_kwh",
    "OverallCHPefficiencyGross": "efficiency_gross_pct",
    "OverallCHPefficiencyNet": "efficiency_net_pct",
}
_COSTS = {
    "LaborCost": "labour_usd_per_y",
    "MaintenanceCost": "maintenance_usd_per_y",
    "InsurancePropertyTax": "insurance_usd_per_y",
    "Utilities": "utilities_usd_per_y",
    "Management": "management_usd_per_y",
    "OtherOperatingExpenses": "other_usd_per_y",
}


def _named(names: dict[str, str], thing: object) -> dict[str, Any]:
    return {theirs: getattr(thing, ours) for theirs, ours in names.items()}


_TAKE = {model: attrgetter(*names.values()) for model, names in CASH_FLOW_OF.items()}


def cash_flow_row(model: str, row: CashFlowYear) -> dict[str, Any]:
    """One year under the package's names; items that the model does not have are left out."""
    return dict(zip(CASH_FLOW_OF[model], _TAKE[model](row), strict=True))


def tea_outputs(result: TeaResult, *, bare_rows: bool = False) -> dict[str, Any]:
    """The whole result in the package's structure; `bare_rows` leaves the names (`CASH_FLOW_OF`) off the cash flow."""
    plant, base, money = result.plant, result.base, result.money
    names = CASH_FLOW_OF[plant.model]
    sums = totals(result.rows)
    current, constant = result.lcoe_current_usd_per_kwh, result.lcoe_constant_usd_per_kwh
    electrical = _GASIFIER if isinstance(plant, GpInputs) else _BOILER
    if isinstance(plant, ChpInputs) and not isinstance(plant, GpInputs):
        electrical = electrical | _BOILER_CHP
    income = {
        "AnnualCapacityPayment": plant.capacity_payment_usd_per_kw_y * plant.net_capacity_kw,
        "AnnualDebtReserveInterest": money.debt_reserve_usd * plant.reserve_interest_pct / 100,
    }
    if isinstance(plant, GpInputs):
        income["AnnualIncomeFromChar"] = plant.char_usd_per_t * base.char_t
    out: dict[str, Any] = {
        "SensitivityAnalysis": {"LACcurrent": current, "LACconstant": constant},
        "CombinedTaxRate": result.combined_tax_pct,
        "Financing": _named(_FINANCING, money),
        "CurrentLAC": {
            "CostOfMoney": plant.equity_return_pct / 100,
            "PresentWorth": list(result.present_usd),
            "TotalPresentWorth": result.total_present_usd,
            "CapitalRecoveryFactorCurrent": money.equity_factor,
            "CurrentLevelAnnualRevenueRequirements": result.total_present_usd * money.equity_factor,
            "CurrentLACofEnergy": current,
        },
        "ConstantLAC": {
            "RealCostOfMoney": result.real_rate,
            "CapitalRecoveryFactorConstant": result.constant_factor,
            "ConstantLevelAnnualRevenueRequirements": result.total_present_usd * result.constant_factor,
            "ConstantLACofEnergy": constant,
        },
        "ElectricalAndFuelBaseYear": _named(electrical, base),
        "ExpensesBaseYear": _expenses(plant, result),
        "IncomeOtherThanEnergy": income,
        "AnnualCashFlows": list(map(_TAKE[plant.model], result.rows))
        if bare_rows
        else [cash_flow_row(plant.model, row) for row in result.rows],
        "TotalCashFlow": {theirs: sums[ours] for theirs, ours in names.items() if ours in SUMMED},
    }
    if base.heat is not None:
        out["HeatBaseYear"] = _named(_HEAT, base.heat)
    return out


def _expenses(plant: PlantInputs, result: TeaResult) -> dict[str, Any]:
    """Costs of the first year, whole and per kWh."""
    generation = result.base.generation_kwh
    fuel = plant.fuel_usd_per_green_t * result.base.fuel_green_t
    per_kwh = {f"{theirs}Kwh": getattr(plant, ours) / generation for theirs, ours in _COSTS.items()}
    other = plant.operating_usd_per_y / generation
    dual = plant.dual_fuel_usd_per_l * result.base.dual_fuel_l if isinstance(plant, GpInputs) else 0.0
    ash = plant.ash_usd_per_y / generation
    out = {
        "TotalNonFuelExpenses": plant.operating_usd_per_y,
        "TotalExpensesIncludingFuel": fuel + dual + plant.operating_usd_per_y,
        **per_kwh,
        "TotalNonFuelExpensesKwh": other,
        "TotalExpensesIncludingFuelKwh": (fuel + dual) / generation + other,
    }
    if isinstance(plant, GpInputs):
        return out | {
            "BiomassFuelCostKwh": fuel / generation, "DualFuelCostKwh": dual / generation, "WasteTreatmentKwh": ash,
        }  # fmt: skip
    return out | {"FuelCostKwh": fuel / generation, "AshDisposalKwh": ash}
