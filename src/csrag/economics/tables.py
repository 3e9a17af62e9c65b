"""Every input of the plant models once: the package's name, ours, unit, ranges and the front end's default.

Names of the packages: `@ucdavis/tea` 1.4.3 (MIT). Defaults: the FRREDSS front end's forms. Advised ranges: what the
reference rows were drawn from and what plants of this kind have.
"""

from __future__ import annotations

from csrag.economics.schema import (
    ANY,
    NOT_NEGATIVE,
    PERCENT,
    PERCENT_ABOVE_0,
    PERCENT_BELOW_100,
    POSITIVE,
    RATE,
    Field,
    Interval,
)

_FUEL = "ElectricalFuelBaseYear."
_COST = "ExpensesBaseYear."
_LOAN = "Financing."
_INCOME = "IncomeOtherThanEnergy."
_GROWTH = "EscalationInflation."
_TAX = "Taxes."
_CARBON = "CarbonCredit."
_HEAT = "HeatBaseYear."

USD_Y = "USD per year"
YEARLY = "percent a year"
_ESCALATION = Interval(-2, 8)
_LIFE = Interval(1, 1000)

OPERATING_COSTS = (
    "labour_usd_per_y",
    "maintenance_usd_per_y",
    "insurance_usd_per_y",
    "utilities_usd_per_y",
    "ash_usd_per_y",
    "management_usd_per_y",
    "other_usd_per_y",
)
"""Fields of the yearly costs other than fuel; they scale with capacity."""


def _common(
    *, capital: float, kw: float, kw_range: Interval, efficiency: float, costs: tuple[float, ...], names: dict[str, str],
    debt: float, capacity_payment: float, reserve: float, inflation: float,
) -> tuple[Field, ...]:  # fmt: skip
    """Fields that the three plant models share; the arguments are what differs."""
    labour, maintenance, insurance, utilities, ash, management, other = costs
    return (
        Field("capital_usd", "CapitalCost", "USD", "capital cost of the plant", NOT_NEGATIVE, default=capital),
        Field("net_capacity_kw", _FUEL + "NetElectricalCapacity", "kW", "net electrical capacity",
              POSITIVE, kw_range, kw),
        Field("capacity_factor_pct", _FUEL + "CapacityFactor", "percent", "share of the year at full load",
              PERCENT_ABOVE_0, Interval(40, 95), 80.0),
        Field("moisture_pct", _FUEL + "MoistureContent", "percent wet basis", "moisture of the fuel",
              PERCENT_BELOW_100, Interval(0, 60), 50.0),
        Field("efficiency_pct", _FUEL + "NetStationEfficiency", "percent",
              "net electrical efficiency on the higher heating value", PERCENT_ABOVE_0, Interval(12, 40), efficiency),
        Field("hhv_kj_per_kg", _FUEL + names["hhv"], "kJ per kg dry", "higher heating value of the fuel",
              POSITIVE, Interval(16_000, 21_500), 18_608.0),
        Field("ash_pct", _FUEL + names["ash"], "percent dry",
              "ash of the fuel; applied to wet fuel, as in the package, and informational only where no char is sold",
              PERCENT, Interval(0, 15), 5.0),
        Field("fuel_usd_per_green_t", _COST + "BiomassFuelCost", "USD per green tonne",
              "fuel price as received; below 0 is a tipping fee", ANY, Interval(-25, 120), 22.05),
        Field("labour_usd_per_y", _COST + "LaborCost", USD_Y, "labour", default=labour),
        Field("maintenance_usd_per_y", _COST + "MaintenanceCost", USD_Y, "maintenance", default=maintenance),
        Field("insurance_usd_per_y", _COST + "InsurancePropertyTax", USD_Y, "insurance and property tax",
              default=insurance),
        Field("utilities_usd_per_y", _COST + "Utilities", USD_Y, "utilities", default=utilities),
        Field("ash_usd_per_y", _COST + names["ash_cost"], USD_Y, "ash disposal or waste treatment", default=ash),
        Field("management_usd_per_y", _COST + "Management", USD_Y, "management", default=management),
        Field("other_usd_per_y", _COST + "OtherOperatingExpenses", USD_Y, "other operating expenses", default=other),
        Field("debt_ratio_pct", _LOAN + "DebtRatio", "percent", "share of capital that is debt", ANY, PERCENT, debt),
        Field("debt_interest_pct", _LOAN + "InterestRateOnDebt", YEARLY, "interest on debt",
              RATE, Interval(0.5, 15), 5.0),
        Field("equity_return_pct", _LOAN + "CostOfEquity", YEARLY,
              "return on equity; also the rate that all revenue is discounted at", RATE, Interval(1, 50), 15.0),
        Field("economic_life_y", _LOAN + "EconomicLife", "years", "economic life, and the life of the loan",
              _LIFE, Interval(2, 40), 20, "integer"),
        Field("capacity_payment_usd_per_kw_y", _INCOME + "CapacityPayment", "USD per kW and year",
              "payment for capacity; does not escalate", ANY, Interval(0, 300), capacity_payment),
        Field("reserve_interest_pct", _INCOME + "InterestRateOnDebtReserve", YEARLY,
              "interest earned on the debt reserve (one debt payment)", RATE, Interval(0, 10), reserve),
        Field("general_inflation_pct", _GROWTH + "GeneralInflation", YEARLY,
              "general inflation: constant dollars, and the carbon credit's price", RATE, Interval(0, 8), inflation),
        Field("fuel_escalation_pct", _GROWTH + "EscalationBiomassFuel", YEARLY, "growth of the fuel price",
              RATE, _ESCALATION, 2.1),
        Field("tax_credit_escalation_pct", _GROWTH + "EscalationProductionTaxCredit", YEARLY,
              "growth of the production tax credit", RATE, _ESCALATION, 2.1),
        Field("other_escalation_pct", _GROWTH + "EscalationOther", YEARLY, "growth of the costs other than fuel",
              RATE, _ESCALATION, 2.1),
        Field("federal_tax_pct", _TAX + "FederalTaxRate", "percent", "federal income tax",
              PERCENT, Interval(0, 40), 37.0),
        Field("state_tax_pct", _TAX + "StateTaxRate", "percent", "state income tax, deductible from the federal one",
              PERCENT, Interval(0, 13.3), 7.5),
        Field("production_tax_credit_usd_per_kwh", _TAX + "ProductionTaxCredit", "USD per kWh",
              "production tax credit; the model deducts it from taxable income", NOT_NEGATIVE, Interval(0, 0.03), 0.0),
        Field("tax_credit_shares", "TaxCreditFrac", "share of each year",
              "share of the production tax credit that each year earns; at least as long as the life",
              ANY, Interval(0, 1), (1.0,) * 5 + (0.0,) * 15, "shares"),
        Field("carbon_credit_usd_per_t", _CARBON + "CreditPrice", "USD per tonne of CO2 equivalent",
              "price of a low-carbon fuel credit, tonne of emitted gas", NOT_NEGATIVE, Interval(0, 300), 196.0),
        Field("carbon_intensity_g_per_mj", _CARBON + "CIscore", "g of CO2 equivalent per MJ", "carbon intensity",
              ANY, Interval(-150, 200), 0.0),
        Field("energy_economy_ratio", _CARBON + "EnergyEconomyRatio", "ratio", "energy economy ratio of the use",
              NOT_NEGATIVE, Interval(0.5, 5), 1.0),
        Field("include_carbon_credit", "IncludeCarbonCredit", "true or false",
              "whether the credit counts as income; false where it is not given", default=False, kind="flag",
              required=False),
        Field("first_year", "FirstYear", "calendar years", "first year of operation",
              Interval(1000, 9999), Interval(2016, 2070), 2025, "integer"),
    )  # fmt: skip


def _heat(gross_kw: float, recovered_pct: float) -> tuple[Field, ...]:
    """Fields of a plant that sells heat; the arguments are the defaults of one model."""
    return (
        Field("gross_capacity_kw", _FUEL + "GrossElectricalCapacity", "kW",
              "gross capacity, net plus the plant's own load", NOT_NEGATIVE, default=gross_kw),
        Field("heat_recovered_pct", _HEAT + "AggregateFractionOfHeatRecovered", "percent",
              "share of the heat left after power that is sold", PERCENT, Interval(0, 90), recovered_pct),
        Field("heat_usd_per_kwh", _HEAT + "AggregateSalesPriceForHeat", "USD per kWh of heat", "price of heat",
              ANY, Interval(0, 0.06), 0.0207),
        Field("heat_escalation_pct", _GROWTH + "EscalationHeatSales", YEARLY, "growth of the price of heat",
              RATE, _ESCALATION, 2.1),
    )  # fmt: skip


_BOILER = {"hhv": "FuelHeatingValue", "ash": "FuelAshConcentration", "ash_cost": "AshDisposal"}
_BOILER_COSTS = (3.0e6, 2.0e6, 2.0e6, 3e5, 1.5e5, 3e5, 6e5)
_BOILER_KW = Interval(500, 60_000)

GPO = _common(
    capital=100e6, kw=25_000.0, kw_range=_BOILER_KW, efficiency=20.0, costs=_BOILER_COSTS, names=_BOILER, debt=75.0,
    capacity_payment=166.0, reserve=8.0, inflation=2.6,
)  # fmt: skip
CHP = GPO + _heat(25_000.0, 60.0)
_GAS = (
    Field("gas_efficiency_pct", _FUEL + "HHVEfficiency", "percent", "gasifier efficiency, fuel to clean gas",
          PERCENT_ABOVE_0, Interval(45, 85), 65.0),
    Field("dual_fuel_pct", _FUEL + "FractionOfInputEnergy", "percent", "share of engine fuel from heavy diesel",
          PERCENT, Interval(0, 50), 20.0),
    Field("co_pct", _FUEL + "CO", "percent by volume, dry", "carbon monoxide in the gas; never touches cost",
          PERCENT, PERCENT, 20.0),
    Field("h2_pct", _FUEL + "H2", "percent by volume, dry", "hydrogen in the gas; never touches cost",
          PERCENT, PERCENT, 12.0),
    Field("ch4_pct", _FUEL + "Hydrocarbons", "percent by volume, dry",
          "hydrocarbons in the gas, taken as methane; never touches cost", PERCENT, PERCENT, 5.0),
    Field("co2_pct", _FUEL + "CO2", "percent by volume, dry", "carbon dioxide in the gas; never touches cost",
          PERCENT, PERCENT, 12.0),
    Field("o2_pct", _FUEL + "O2", "percent by volume, dry", "oxygen in the gas; never touches cost",
          PERCENT, PERCENT, 0.0),
    Field("char_carbon_pct", _FUEL + "CarbonConcentration", "percent", "carbon in the char",
          PERCENT_BELOW_100, Interval(0, 90), 30.0),
    Field("dual_fuel_usd_per_l", _COST + "DualFuelCost", "USD per litre", "price of heavy diesel",
          ANY, Interval(0, 2), 0.3),
    Field("char_usd_per_t", _INCOME + "SalesPriceForChar", "USD per tonne of char", "price of char, dry",
          ANY, Interval(0, 800), 0.0),
    Field("dual_fuel_escalation_pct", _GROWTH + "EscalationDualFuel", YEARLY, "growth of the price of heavy diesel",
          RATE, _ESCALATION, 2.1),
    Field("char_escalation_pct", _GROWTH + "EscalationCharSales", YEARLY, "growth of the price of char",
          RATE, _ESCALATION, 2.1),
)  # fmt: skip
GP = _common(
    capital=3e6, kw=500.0, kw_range=Interval(50, 5_000), efficiency=23.0,
    costs=(70e3, 15e3, 3.5e3, 3.5e3, 7e3, 3.5e3, 3.5e3),
    names={"hhv": "HHV", "ash": "AshContent", "ash_cost": "WasteTreatment"}, debt=90.0, capacity_payment=0.0,
    reserve=2.0, inflation=2.1,
) + _heat(650.0, 50.0) + _GAS  # fmt: skip

REFERENCE_KW = {"GPO": 25_000.0, "CHP": 25_000.0, "GP": 500.0}
"""Capacity that the default capital and yearly costs belong to [kW]."""
SCALE_EXPONENT = 0.82
"""Cost-to-capacity exponent of the front end, for capital and yearly costs."""
