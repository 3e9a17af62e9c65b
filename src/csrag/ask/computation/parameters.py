"""Assumptions that a sensitivity can move: their name, unit, base value and how a value is put into a question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from csrag.ask.computation.delivered import Economics
from csrag.ask.computation.need import Need
from csrag.economics.plant import PlantEconomics
from csrag.quantities import QUANTITIES

PERCENT_OF_BASE = "percent_of_base"


@dataclass(frozen=True)
class Parameter:
    """One assumption, or several that move together.

    Parameters
    ----------
    name : str
        Id in tables and in the query.
    label : str
        In words.
    unit : str
        Unit of its values, as in the record.
    fields : tuple of str
        Overrides it sets.
    technology : str
        Technology it belongs to; empty for all.
    """

    name: str
    label: str
    unit: str
    fields: tuple[str, ...]
    technology: str = ""


def _one(name: str, label: str, unit: str, technology: str = "") -> Parameter:
    return Parameter(name, label, unit, (name,), technology)


_TABLE = (
    _one("diesel_usd_per_gal", "the diesel price", "usd_per_gal"),
    _one("driver_wage_usd_per_h", "drivers' wages", "usd_per_hour"),
    Parameter("logging_wages_usd_per_h", "logging wages", "usd_per_hour", ("faller_wage_usd_per_h", "other_wage_usd_per_h")),
    _one("moisture_pct", "moisture", "percent_value"),
    _one("capacity_factor_pct", "the capacity factor", "percent_value"),
    _one("efficiency_pct", "the plant's efficiency", "percent_value"),
    _one("capital_usd", "the capital cost", "usd"),
    _one("equity_return_pct", "the return on equity", "percent_value"),
    _one("debt_interest_pct", "the interest on debt", "percent_value"),
    _one("debt_ratio_pct", "the debt ratio", "percent_value"),
    _one("economic_life_y", "the plant's life", "years"),
    _one("faller_wage_usd_per_h", "fallers' wages", "usd_per_hour"),
    _one("other_wage_usd_per_h", "other woods workers' wages", "usd_per_hour"),
    Parameter("wages_usd_per_h", "all wages", "usd_per_hour",
              ("driver_wage_usd_per_h", "faller_wage_usd_per_h", "other_wage_usd_per_h")),
    _one("benefits_pct", "woods workers' benefits", "percent_value"),
    _one("driver_benefits_pct", "drivers' benefits", "percent_value"),
    _one("ppi", "the price index of machines", "index"),
    _one("speed_km_per_h", "the trucks' speed", "km_per_hour"),
    _one("oil_usd_per_mile", "oil and tyres", "usd_per_mile"),
    _one("contractor_margin_pct", "the contractor's margin", "percent_value"),
    _one("gas_efficiency_pct", "the gasifier's efficiency", "percent_value", "gasification"),
    _one("dual_fuel_pct", "the dual fuel share", "percent_value", "gasification"),
)  # fmt: skip
PARAMETERS: dict[str, Parameter] = {p.name: p for p in _TABLE}
USUAL = tuple(p.name for p in _TABLE[:9])
"""Assumptions of a tornado where the question names none."""


def base_values(econ: Economics, need: Need, plant: PlantEconomics) -> dict[str, float]:
    """Value of every override at the base of a question, the user's own included.

    Parameters
    ----------
    econ : Economics
        Prices of woods and trucks.
    need : Need
        Conversion figures.
    plant : PlantEconomics
        Capital and financing.
    """
    places: tuple[object, ...] = (econ.truck, econ.harvest, need.plant, econ, plant.inputs)
    out: dict[str, float] = {}
    for parameter in _TABLE:
        for name in parameter.fields:
            found = next((getattr(p, name) for p in places if hasattr(p, name)), None)
            if found is not None:
                out[name] = float(found)
    return out


def with_value(parameter: Parameter, value: float, unit: str, base: Mapping[str, float]) -> dict[str, float]:
    """Overrides that put a value in.

    Parameters
    ----------
    parameter : Parameter
        What is moved.
    value : float
        What the parameter is set to [`unit`].
    unit : str
        The parameter's own, or percent of base: then each field is scaled.
    base : mapping
        From `base_values`.
    """
    if unit == PERCENT_OF_BASE:
        return {f: base[f] * value / 100 if value != 100 else base[f] for f in parameter.fields}
    return dict.fromkeys(parameter.fields, value)


def allowed_range(parameter: Parameter, unit: str, base: Mapping[str, float]) -> tuple[float, float]:
    """Values that a parameter may take, in `unit`; for several fields, those that all of them allow."""
    lows, highs = [], []
    for name in parameter.fields:
        quantity = QUANTITIES[name]
        scale = 100 / base[name] if unit == PERCENT_OF_BASE and base[name] else 1.0
        lows.append(quantity.low * scale)
        highs.append(quantity.high * scale)
    return max(lows), min(highs)
