"""Input records of the plant models, made from `tables`; every instance has been checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from csrag.economics import tables
from csrag.economics.finance import combined_tax_pct
from csrag.economics.schema import OUTSIDE_MODEL_RANGE, Caution, Checked, Field, read

ADVISED_CAPITAL_USD_PER_KW = (1_500.0, 12_000.0)
ADVISED_COST_TIMES = (0.3, 3.0)
"""Yearly costs against the capacity-scaled default."""

P = TypeVar("P", bound="PlantInputs")


@dataclass(frozen=True, kw_only=True)
class PlantInputs(Checked):
    """What the three plant models share. Unit, range and default of each field: `docs/reference/economics.md`."""

    model: ClassVar[str] = ""

    capital_usd: float
    net_capacity_kw: float
    capacity_factor_pct: float
    moisture_pct: float
    efficiency_pct: float
    hhv_kj_per_kg: float
    ash_pct: float
    fuel_usd_per_green_t: float
    labour_usd_per_y: float
    maintenance_usd_per_y: float
    insurance_usd_per_y: float
    utilities_usd_per_y: float
    ash_usd_per_y: float
    management_usd_per_y: float
    other_usd_per_y: float
    debt_ratio_pct: float
    debt_interest_pct: float
    equity_return_pct: float
    economic_life_y: int
    capacity_payment_usd_per_kw_y: float
    reserve_interest_pct: float
    general_inflation_pct: float
    fuel_escalation_pct: float
    tax_credit_escalation_pct: float
    other_escalation_pct: float
    federal_tax_pct: float
    state_tax_pct: float
    production_tax_credit_usd_per_kwh: float
    tax_credit_shares: tuple[float, ...]
    carbon_credit_usd_per_t: float
    carbon_intensity_g_per_mj: float
    energy_economy_ratio: float
    include_carbon_credit: bool
    first_year: int

    @classmethod
    def default(cls: type[P], **changes: Any) -> P:
        """Record of the front end's defaults with some fields changed.

        Raises
        ------
        InvalidValueError
            Where a value has no meaning.
        """
        return cls(**{f.name: f.default for f in cls.table} | changes)

    @classmethod
    def from_package(cls: type[P], given: Mapping[str, Any]) -> P:
        """Record from nested inputs with the package's names.

        Raises
        ------
        InvalidValueError
            Where something is missing or has no meaning.
        """
        return cls(**read(cls.table, given, f"The {cls.model} model"))

    @property
    def operating_usd_per_y(self) -> float:
        """Yearly costs other than fuel, base year [USD per year]."""
        return (
            self.labour_usd_per_y + self.maintenance_usd_per_y + self.insurance_usd_per_y + self.utilities_usd_per_y
            + self.ash_usd_per_y + self.management_usd_per_y + self.other_usd_per_y
        )  # fmt: skip

    def conflicts(self) -> list[tuple[str, str]]:
        """Rules across fields: the credit list covers the life, and taxes leave something."""
        found = []
        if len(self.tax_credit_shares) < self.economic_life_y:
            found.append((
                f"TaxCreditFrac has {len(self.tax_credit_shares)} years and the life is {self.economic_life_y}.",
                "Give one share for each year; 0 where no credit is earned.",
            ))  # fmt: skip
        if combined_tax_pct(self.federal_tax_pct, self.state_tax_pct) >= 100:
            found.append(("Federal and state tax together take all income.", "Their combination must be below 100 %."))
        return found

    def cautions(self) -> list[Caution]:
        """Where the plant lies outside what the model was made for, and readings of the model to know about."""
        found = super().cautions()
        low, high = ADVISED_CAPITAL_USD_PER_KW
        per_kw = self.capital_usd / self.net_capacity_kw
        if not low <= per_kw <= high:
            found.append(_outside(f"Capital of {per_kw:,.0f} USD per kW", f"{low:,.0f} to {high:,.0f}"))
        scale = (self.net_capacity_kw / tables.REFERENCE_KW[self.model]) ** tables.SCALE_EXPONENT
        fewest, most = ADVISED_COST_TIMES
        for name, default in _OPERATING_DEFAULTS[self.model].items():
            usual, value = default * scale, getattr(self, name)
            if not fewest * usual <= value <= most * usual:
                found.append(_outside(f"{name} = {value:,.0f}", f"{fewest * usual:,.0f} to {most * usual:,.0f} USD"))
        if self.production_tax_credit_usd_per_kwh > 0:
            found.append(Caution("tax_credit_as_deduction", (
                "The model deducts the production tax credit from taxable income, so it is worth t/(1-t) of itself; a "
                "true credit, grossed up, would be worth 1/(1-t)."
            )))  # fmt: skip
        if self.economic_life_y == 1:
            found.append(Caution("reserve_not_returned", (
                "With a life of one year the debt reserve is paid in and never returned, as in the reference model."
            )))  # fmt: skip
        return found


def _outside(what: str, advised: str) -> Caution:
    return Caution(OUTSIDE_MODEL_RANGE, f"{what} lies outside the range that the model was made for ({advised}).")


@dataclass(frozen=True, kw_only=True)
class GpoInputs(PlantInputs):
    """Generic power only: a boiler and a steam turbine."""

    model: ClassVar[str] = "GPO"
    table: ClassVar[tuple[Field, ...]] = tables.GPO


@dataclass(frozen=True, kw_only=True)
class ChpInputs(PlantInputs):
    """Generic combined heat and power: the same, and heat is sold."""

    model: ClassVar[str] = "CHP"
    table: ClassVar[tuple[Field, ...]] = tables.CHP

    gross_capacity_kw: float
    heat_recovered_pct: float
    heat_usd_per_kwh: float
    heat_escalation_pct: float

    def cautions(self) -> list[Caution]:
        """Those of every plant, and gross capacity against net capacity."""
        found = super().cautions()
        net, gross = self.net_capacity_kw, self.gross_capacity_kw
        if not net <= gross <= 1.3 * net:
            found.append(_outside(f"GrossElectricalCapacity = {gross:g} kW", f"{net:g} to {1.3 * net:g} kW"))
        if gross > net / (self.efficiency_pct / 100):
            found.append(
                Caution(OUTSIDE_MODEL_RANGE, "Gross capacity exceeds the fuel power: heat income is negative.")
            )
        return found


@dataclass(frozen=True, kw_only=True)
class GpInputs(ChpInputs):
    """Gasification with an engine, heavy diesel as second fuel; heat and char are sold."""

    model: ClassVar[str] = "GP"
    table: ClassVar[tuple[Field, ...]] = tables.GP

    gas_efficiency_pct: float
    dual_fuel_pct: float
    co_pct: float
    h2_pct: float
    ch4_pct: float
    co2_pct: float
    o2_pct: float
    char_carbon_pct: float
    dual_fuel_usd_per_l: float
    char_usd_per_t: float
    dual_fuel_escalation_pct: float
    char_escalation_pct: float

    def conflicts(self) -> list[tuple[str, str]]:
        """Those of every plant, and a gas that can exist and burn."""
        found = super().conflicts()
        total = self.co_pct + self.h2_pct + self.ch4_pct + self.co2_pct + self.o2_pct
        if total > 100 + 1e-9:
            found.append(
                (f"The gas adds up to {total:g} %.", "CO, H2, Hydrocarbons, CO2 and O2 together: at most 100.")
            )
        if self.co_pct + self.h2_pct + self.ch4_pct == 0:
            found.append(("The gas holds nothing that burns.", "Give CO, H2 or Hydrocarbons above 0."))
        return found


PLANT_INPUTS: dict[str, type[PlantInputs]] = {c.model: c for c in (GpoInputs, ChpInputs, GpInputs)}
_OPERATING_DEFAULTS = {
    model: {f.name: f.default for f in cls.table if f.name in tables.OPERATING_COSTS}
    for model, cls in PLANT_INPUTS.items()
}
