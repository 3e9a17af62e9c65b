"""Cost of electricity of a plant of a given size that buys fuel at a given delivered cost.

The delivered cost of each year takes the place of the form's fuel price and its escalation, as in the reference
product's yearly loop. Everything else is the front end's default, scaled to the plant's size, unless given.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

from csrag.economics import tables
from csrag.economics.cash_flow import CashFlowYear
from csrag.economics.closed_forms import scaled_cost_usd
from csrag.economics.finance import present_worth_usd
from csrag.economics.grid import LineCost, default_line, line_cost
from csrag.economics.inputs import PLANT_INPUTS, ChpInputs, GpInputs, PlantInputs
from csrag.economics.schema import Caution
from csrag.economics.tea import TeaResult, evaluate
from csrag.errors import InvalidValueError
from csrag.quantities import bdmt_to_bdt, check

MODEL_OF = {"combustion": "GPO", "chp": "CHP", "gasification": "GP"}
"""Technology of a question to plant model."""
SMALL_PLANT_MW = 10.0
DEMAND_TOLERANCE = 0.1
KWH_PER_MWH = 1000
KW_PER_MW = 1000

_FIXED = {
    "net_capacity_kw",
    "fuel_usd_per_green_t",
    "fuel_escalation_pct",
    "include_carbon_credit",
    "tax_credit_shares",
}
"""Inputs that a caller cannot override: set by the arguments, or without effect here."""
_STATED = (
    "capital_usd", "capacity_factor_pct", "efficiency_pct", "gas_efficiency_pct", "dual_fuel_pct", "dual_fuel_usd_per_l",
    "economic_life_y", "debt_ratio_pct", "debt_interest_pct", "equity_return_pct", "capacity_payment_usd_per_kw_y",
    "heat_recovered_pct", "heat_usd_per_kwh", "federal_tax_pct", "state_tax_pct", "production_tax_credit_usd_per_kwh",
    "general_inflation_pct", "other_escalation_pct",
)  # fmt: skip
"""Assumptions that an answer has to name, in the order of their weight."""


@dataclass(frozen=True, slots=True)
class Assumption:
    """One figure the result rests on.

    Parameters
    ----------
    name : str
        Name of the input, ending in its unit.
    value : float
        [its unit]
    unit, meaning : str
        In words.
    source : str
        given, default, or scaled (the default at the reference capacity times the 0.82 rule).
    """

    name: str
    value: float
    unit: str
    meaning: str
    source: str


@dataclass(frozen=True)
class PlantEconomics:
    """A plant as the models see it, with what was given and what was assumed.

    Parameters
    ----------
    technology : str
        combustion, chp or gasification.
    capacity_mw : float
        Net capacity [MW].
    inputs : PlantInputs
        Inputs of the model.
    given : frozenset of str
        Inputs that the caller set.
    """

    technology: str
    capacity_mw: float
    inputs: PlantInputs
    given: frozenset[str]

    @classmethod
    def of(cls, technology: str, capacity_mw: float, overrides: Mapping[str, Any] | None = None) -> PlantEconomics:
        """Defaults of a technology, with capital and yearly costs scaled to the capacity.

        Parameters
        ----------
        technology : str
            combustion, chp or gasification.
        capacity_mw : float
            Net capacity [MW].
        overrides : mapping, optional
            Input name to value; names that are no input of the model (wages, diesel, speed, ...) are left alone, so
            that the overrides of a question can be handed over whole.

        Raises
        ------
        InvalidValueError
            For an unknown technology, a capacity of 0 or less, or a value without meaning.

        Notes
        -----
        cost = default x (capacity / reference)^0.82 to a whole dollar; reference 25 MW, gasification 0.5 MW. Ash
        disposal scales with the others (the FRREDSS form forgets it). Gross capacity keeps its ratio to net capacity.
        """
        if technology not in MODEL_OF:
            raise InvalidValueError(f"There is no technology {technology!r}.", f"Choose one of {', '.join(MODEL_OF)}.")
        if not _is_size(capacity_mw):
            raise InvalidValueError(f"A plant of {capacity_mw!r} MW has no cost.", "Give a capacity above 0 MW.")
        model = MODEL_OF[technology]
        kind = PLANT_INPUTS[model]
        net, reference = capacity_mw * KW_PER_MW, tables.REFERENCE_KW[model]
        default = {f.name: f.default for f in kind.table}
        values: dict[str, Any] = {"net_capacity_kw": net}
        for name in ("capital_usd", *tables.OPERATING_COSTS):
            values[name] = scaled_cost_usd(reference, net, default[name])
        if issubclass(kind, ChpInputs):
            values["gross_capacity_kw"] = default["gross_capacity_kw"] / reference * net
        given = {n: v for n, v in (overrides or {}).items() if n in default and n not in _FIXED}
        values |= given
        life = values.get("economic_life_y", default["economic_life_y"])
        shares = default["tax_credit_shares"]
        if isinstance(life, int | float) and len(shares) < life < 1000:
            values["tax_credit_shares"] = shares + (0.0,) * (math.ceil(life) - len(shares))
        return cls(technology, capacity_mw, kind.default(**values), frozenset(given))

    @property
    def generation_mwh(self) -> float:
        """Net electricity in a year [MWh]."""
        return evaluate(self.inputs).base.generation_kwh / KWH_PER_MWH

    def source(self, name: str) -> str:
        """Where an input's value comes from; see `Assumption`."""
        scaled = name == "capital_usd" or name in tables.OPERATING_COSTS
        return "given" if name in self.given else "scaled" if scaled else "default"

    def assumptions(self) -> tuple[Assumption, ...]:
        """What an answer has to name; the yearly costs other than fuel as one sum."""
        table = {f.name: f for f in self.inputs.table}
        stated = [
            Assumption(n, float(getattr(self.inputs, n)), table[n].unit, table[n].meaning, self.source(n))
            for n in _STATED
            if n in table
        ]
        own = self.given & set(tables.OPERATING_COSTS)
        operating = Assumption(
            "operating_usd_per_y", self.inputs.operating_usd_per_y, tables.USD_Y,
            "yearly costs other than fuel, base year", "given" if own else "scaled",
        )  # fmt: skip
        return (stated[0], operating, *stated[1:])


@dataclass(frozen=True)
class PlantResult:
    """Cost of electricity of a plant.

    Parameters
    ----------
    plant : PlantEconomics
        The plant, before its power line.
    tea : TeaResult
        The whole result of the model, power line included.
    fuel_usd_per_bdt : tuple of float
        Delivered cost of each year of the life [USD per BDT].
    demand_bdt : tuple of float
        Fuel bought in each year [BDT].
    line : LineCost or None
        The power line, where one was asked for.
    cautions : tuple of Caution
        What to know about the figures.
    """

    plant: PlantEconomics
    tea: TeaResult
    fuel_usd_per_bdt: tuple[float, ...]
    demand_bdt: tuple[float, ...]
    line: LineCost | None
    cautions: tuple[Caution, ...]

    @property
    def lcoe_current_usd_per_mwh(self) -> float:
        """Levelised cost of electricity in current dollars [USD per MWh]."""
        return self.tea.lcoe_current_usd_per_kwh * KWH_PER_MWH

    @property
    def lcoe_constant_usd_per_mwh(self) -> float:
        """Levelised cost of electricity in constant dollars [USD per MWh]."""
        return self.tea.lcoe_constant_usd_per_kwh * KWH_PER_MWH

    @property
    def generation_mwh(self) -> float:
        """Net electricity in a year [MWh]."""
        return self.tea.base.generation_kwh / KWH_PER_MWH

    @property
    def capacity_income_usd_per_mwh(self) -> float:
        """What the assumed capacity payment takes off the cost of year one [USD per MWh]; it does not escalate."""
        return self.tea.rows[0].capacity_income_usd / self.generation_mwh

    @property
    def rows(self) -> tuple[CashFlowYear, ...]:
        """Cash flow by year, every item of the reference model [USD]."""
        return self.tea.rows

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the items of a row."""
        return CashFlowYear._fields

    def cash_flow_table(self) -> dict[str, list[Any]]:
        """Columns and rows as the answer record keeps tables."""
        return {"columns": list(self.columns), "rows": [list(row) for row in self.rows]}

    def assumptions(self) -> tuple[Assumption, ...]:
        """What an answer has to name."""
        stated = self.plant.assumptions()
        if self.line is None:
            return stated
        line = Assumption("line_usd", self.line.total_usd, "USD", "power line, added to the capital", "given")
        return (*stated, line)


def fuel_path(first_usd_per_bdt: float, growth_pct: float, years: int) -> tuple[float, ...]:
    """Delivered cost of each year [USD per BDT] that grows from the first by `growth_pct` [percent a year]."""
    return tuple(first_usd_per_bdt * (1 + growth_pct / 100) ** k for k in range(years))


def _by_year(value: Any, years: int, what: str, growth_pct: float) -> tuple[float, ...]:
    """One value a year; a single value grows by `growth_pct` [percent a year]."""
    not_a_number = InvalidValueError(f"The {what} holds something that is not a finite number.", "Give one a year.")
    try:
        given = fuel_path(float(value), growth_pct, years) if isinstance(value, Real) else value
        path = tuple(float(v) for v in given)[:years]
    except (TypeError, ValueError, OverflowError):
        raise not_a_number from None
    if isinstance(value, str) or not all(map(math.isfinite, path)):
        raise not_a_number
    if len(path) < years:
        raise InvalidValueError(
            f"The {what} has {len(path)} years and the plant lives {years}.", f"Give one {what} for each year."
        )
    return path


def _is_size(value: Any) -> bool:
    return isinstance(value, Real) and 0 < float(value) < math.inf


def lcoe(
    technology: str,
    capacity_mw: float,
    fuel_cost_usd_per_bdt_by_year: Sequence[float] | float,
    demand_bdt: Sequence[float] | float,
    overrides: Mapping[str, Any] | None = None,
    *,
    line_km: float | None = None,
) -> PlantResult:
    """Cost of electricity of a plant at a delivered fuel cost.

    Parameters
    ----------
    technology : str
        combustion, chp or gasification.
    capacity_mw : float
        Net capacity [MW].
    fuel_cost_usd_per_bdt_by_year : sequence of float or float
        Delivered cost [USD per BDT] of each year of the life (more years are left out). A single number is the cost of
        year one: it grows by general inflation, 2.6 % a year in combustion and chp, 2.1 % in gasification, unless
        `general_inflation_pct` is overridden.
    demand_bdt : sequence of float or float
        Fuel bought in a year [BDT per year]; one number for every year, or one a year.
    overrides : mapping, optional
        See `PlantEconomics.of`.
    line_km : float, optional
        Length of a power line to build [km], the reference product's 230 kV line; none unless asked for.

    Returns
    -------
    PlantResult
        Cost, cash flow, assumptions and cautions.

    Raises
    ------
    InvalidValueError
        For a value without meaning, or fewer years than the plant lives.
    """
    plant = PlantEconomics.of(technology, capacity_mw, overrides)
    life = plant.inputs.economic_life_y
    prices = _by_year(fuel_cost_usd_per_bdt_by_year, life, "fuel cost", plant.inputs.general_inflation_pct)
    tons = _by_year(demand_bdt, life, "demand", 0.0)
    if min(tons) < 0:
        raise InvalidValueError("A plant cannot buy less than 0 BDT of fuel.", "Give a demand of 0 or more.")
    inputs, line = plant.inputs, None
    if line_km is not None:
        line = line_cost(default_line(line_km))
        values = {f.name: getattr(inputs, f.name) for f in inputs.table}
        inputs = type(inputs)(**values | {"capital_usd": inputs.capital_usd + line.total_usd})
    result = evaluate(inputs, [p * t for p, t in zip(prices, tons, strict=True)])
    cautions = (*plant.inputs.cautions(), *_cautions(plant, result, tons))
    return PlantResult(plant, result, prices, tons, line, cautions)


def model_demand_bdt(plant: PlantEconomics) -> float:
    """What the model itself says the plant burns [BDT per year]."""
    base = evaluate(plant.inputs).base
    return bdmt_to_bdt(base.fuel_green_t * (1 - plant.inputs.moisture_pct / 100))


def _cautions(plant: PlantEconomics, result: TeaResult, tons: Sequence[float]) -> list[Caution]:
    found = []
    if plant.capacity_mw < SMALL_PLANT_MW and not isinstance(plant.inputs, GpInputs):
        found.append(Caution("small_plant_optimistic", (
            f"Below {SMALL_PLANT_MW:g} MW the default efficiency ({plant.inputs.efficiency_pct:g} %) and the capital "
            f"exponent {tables.SCALE_EXPONENT} flatter the plant."
        )))  # fmt: skip
    own = bdmt_to_bdt(result.base.fuel_green_t * (1 - plant.inputs.moisture_pct / 100))
    mean = sum(tons) / len(tons)
    if abs(mean - own) > DEMAND_TOLERANCE * own:
        found.append(Caution("demand_differs_from_plant", (
            f"The fuel bought ({mean:,.0f} BDT a year) is not what the plant burns at full capacity factor "
            f"({own:,.0f} BDT a year); generation is not cut."
        )))  # fmt: skip
    return found


def lcoe_slope(
    technology: str, capacity_mw: float, demand_bdt: float, overrides: Mapping[str, Any] | None = None
) -> tuple[float, float]:
    """How much the cost of electricity moves with the fuel's.

    Parameters
    ----------
    technology, capacity_mw, demand_bdt, overrides
        As in `lcoe`, with one demand [BDT per year].

    Returns
    -------
    current, constant : float
        [USD per MWh per USD per BDT], for a cost that grows by general inflation from year one: 1.23 (current) for
        combustion at 25 MW. Exact, because the cost is linear in the fuel's.
    """
    check("demand_bdt", demand_bdt)
    plant = PlantEconomics.of(technology, capacity_mw, overrides)
    inputs = plant.inputs
    tea = evaluate(inputs)
    path = fuel_path(1.0, inputs.general_inflation_pct, inputs.economic_life_y)
    worth = sum(present_worth_usd(demand_bdt * p, k, inputs.equity_return_pct) for k, p in enumerate(path, start=1))
    per_mwh = worth / tea.base.generation_kwh * KWH_PER_MWH
    return per_mwh * tea.money.equity_factor, per_mwh * tea.constant_factor
