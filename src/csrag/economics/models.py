"""The door with the packages' own names: `run("gpo", inputs)` takes and gives what `@ucdavis/tea` and `lca` do.

Kinds: gpo, chp, gp, transmission, substation, lca, sensitivity, project; and the closed forms currentLAC, constantLAC,
presentWorth, carbonCredit, energyRevenueRequired, scaledCost, initial. Capitals do not matter.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass
from typing import Any

from csrag.economics import closed_forms, project
from csrag.economics.grid import LineCost, LineInputs, SubstationInputs, line_cost, substation_cost
from csrag.economics.inputs import PLANT_INPUTS, PlantInputs
from csrag.economics.lca import LcaInputs, lca_outputs, life_cycle
from csrag.economics.schema import Caution, Field, Interval, read
from csrag.economics.sensitivity import PARAMETERS, sweep_all
from csrag.economics.tea import evaluate as evaluate_plant
from csrag.economics.wire import cash_flow_row, tea_outputs
from csrag.errors import InvalidValueError


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outputs under the package's names, and what to know about them."""

    outputs: dict[str, Any]
    cautions: tuple[Caution, ...]


def run(kind: str, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Outputs of one model; see `evaluate`."""
    return evaluate(kind, inputs).outputs


def evaluate(kind: str, inputs: Mapping[str, Any]) -> Outcome:
    """Run one model.

    Parameters
    ----------
    kind : str
        See the module.
    inputs : mapping
        As the package takes them. Inputs that the model does not use are left alone.

    Returns
    -------
    Outcome
        Every number in it is finite.

    Raises
    ------
    InvalidValueError
        For an unknown kind; for an input that is missing, of the wrong type or without meaning; and wherever the result
        would not be a finite number.
    """
    outcome = compute(kind, inputs)
    if not _finite(outcome.outputs):
        raise beyond()
    return outcome


def compute(kind: str, inputs: Mapping[str, Any], *, bare_rows: bool = False) -> Outcome:
    """As `evaluate`, but for the last check: a number in it may not be finite, so the caller has to look.

    With `bare_rows` the yearly cash flows of a plant are tuples of numbers, whose names are `wire.CASH_FLOW_OF`.
    """
    name = str(kind).casefold()
    function = _BARE.get(name) if bare_rows else None
    function = function or _KINDS.get(name)
    if function is None:
        raise InvalidValueError(f"There is no economic model {kind!r}.", f"Choose one of {', '.join(KINDS)}.")
    if not isinstance(inputs, Mapping):
        raise InvalidValueError(f"The inputs of {kind} are not an object of named values.", "Give a JSON object.")
    try:
        outputs, cautions = function(inputs)
    except (OverflowError, ZeroDivisionError):
        raise beyond() from None
    return Outcome(outputs, tuple(dict.fromkeys(cautions)))


def beyond() -> InvalidValueError:
    """Refusal of inputs whose results are no finite numbers."""
    return InvalidValueError(
        "The inputs are too large or too small to compute with.", "Look for a number with the wrong unit or exponent."
    )


Result = tuple[dict[str, Any], list[Caution]]


def _finite(value: Any) -> bool:
    """Whether every number inside is finite; sums along the way, which a single NaN or infinity spoils."""
    total = 0.0
    for item in value.values() if isinstance(value, dict) else value:
        kind = type(item)
        if kind is float or kind is int:
            total += item
        elif (kind is dict or kind is list) and not _finite(item):
            return False
    return math.isfinite(total)


def _plant(model: str, *, bare_rows: bool = False) -> Callable[[Mapping[str, Any]], Result]:
    def run_plant(inputs: Mapping[str, Any]) -> Result:
        plant = PLANT_INPUTS[model].from_package(inputs)
        return tea_outputs(evaluate_plant(plant), bare_rows=bare_rows), plant.cautions()

    return run_plant


def _line_outputs(cost: LineCost) -> dict[str, Any]:
    return dict(zip(("LineCost", "ROWcost", "OverheadCost", "AllCost", "LineLoss"), astuple(cost), strict=True))


def _transmission(inputs: Mapping[str, Any]) -> Result:
    line = LineInputs.from_package(inputs)
    return _line_outputs(line_cost(line)), line.cautions()


def _substation(inputs: Mapping[str, Any]) -> Result:
    names = ("BaseCost", "CircuitBreakers", "HVDCconverter", "Transformer", "SVC", "ShuntReactor", "SeriesCapacitor",
             "OverheadCost", "TotalSubstationCost")  # fmt: skip
    station = SubstationInputs.from_package(inputs)
    return dict(zip(names, astuple(substation_cost(station)), strict=True)), station.cautions()


def _lca(inputs: Mapping[str, Any]) -> Result:
    use = LcaInputs.from_package(inputs)
    return lca_outputs(life_cycle(use)), use.cautions()


def _model(inputs: Mapping[str, Any], name_key: str, inputs_key: str) -> PlantInputs:
    """The plant inside the inputs of sensitivity and project."""
    word = Field("model", name_key, "word", "plant model", kind="word", words=tuple(PLANT_INPUTS))
    model = closed_forms.checked((word,), inputs, name_key)["model"]
    return PLANT_INPUTS[model].from_package(_part(inputs, inputs_key))


def _part(inputs: Mapping[str, Any], key: str) -> Any:
    if key not in inputs:
        raise InvalidValueError(f"{key} is missing.", f"Add {key}.")
    return inputs[key]


def _sensitivity(inputs: Mapping[str, Any]) -> Result:
    plant = _model(inputs, "model", "input")
    ends = tuple(
        Field(f"{name}.{end}", f"{name}.{end}", "unit of the input", f"{end} end of the sweep")
        for name in PARAMETERS for end in ("low", "high")
    )  # fmt: skip
    values = closed_forms.checked(ends, inputs, "The sensitivity")
    ranges = {name: (values[f"{name}.low"], values[f"{name}.high"]) for name in PARAMETERS}
    outputs = {
        name: {
            "constantLAC": list(s.constant_usd_per_kwh),
            "relativeChangeCOE": list(s.cost_change_pct),
            "relativeChange": list(s.value_change_pct),
        }
        for name, s in sweep_all(plant, ranges).items()
    }
    return outputs, plant.cautions()


_DISTANCE = (
    Field("distance_m", "distanceMetres", "metres", "distance to the substation", Interval(low=0, low_open=True)),
)


def _begin(inputs: Mapping[str, Any]) -> tuple[project.Start, dict[str, Any], list[Caution]]:
    plant = _model(inputs, "teaModel", "teaInputs")
    given = dict(_part(inputs, "transmission")) if isinstance(inputs.get("transmission"), Mapping) else inputs
    km = closed_forms.checked(_DISTANCE, inputs, "The project")["distance_m"] / 1000
    begin = project.start(plant, _line_of_any_length(given), km)
    base = begin.tea.base
    head = {
        "lengthCategory": begin.line.length_class,
        "miles": begin.line.forested_miles,
        "transmissionResults": _line_outputs(begin.line_cost),
        "capitalCost": begin.plant.capital_usd,
        "biomassTarget": base.fuel_green_t,
        "annualGeneration": base.generation_kwh,
    }
    return begin, head, begin.plant.cautions()


def _line_of_any_length(given: Mapping[str, Any]) -> LineInputs:
    """The line's inputs; its forested miles and its class come from the distance, whatever stands there."""
    miles = given.get("Miles")
    if isinstance(miles, Mapping):
        given = {**given, "Miles": {**miles, "Forested": 1.0}, "LengthCategory": "< 3 miles"}
    return LineInputs.from_package(given)


def _initial(inputs: Mapping[str, Any]) -> Result:
    begin, head, cautions = _begin(inputs)
    return head | {"teaResults": tea_outputs(begin.tea)}, cautions


def _project(inputs: Mapping[str, Any]) -> Result:
    begin, head, cautions = _begin(inputs)
    given = _part(inputs, "years")
    if not isinstance(given, list | tuple):
        raise InvalidValueError("years is not a list.", "Give one object for each year.")
    years = [project.ProjectYear(**read(project.YEAR, y, f"Year {k + 1}")) for k, y in enumerate(given)]
    rows = project.yearly(begin, years)
    outputs = head | {
        "totalPresentWorth": sum(row.present_usd for row in rows),
        "years": [
            {
                "year": row.calendar_year,
                "carbonIntensity": row.carbon_intensity_g_per_mj,
                "lca": lca_outputs(row.life_cycle),
                "cashFlow": cash_flow_row(begin.plant.model, row.cash_flow),
                "presentWorth": row.present_usd,
                "currentLCOE": row.running_current_usd_per_kwh,
                "constantLCOE": row.running_constant_usd_per_kwh,
            }
            for row in rows
        ],
    }
    return outputs, cautions


def _closed(form: Callable[[Mapping[str, Any]], dict[str, Any]]) -> Callable[[Mapping[str, Any]], Result]:
    def run_form(inputs: Mapping[str, Any]) -> Result:
        unknown = str(inputs.get("model", "GPO")) not in PLANT_INPUTS
        text = f"There is no plant model {inputs.get('model')!r}: it has no cost items, as in the package."
        return form(inputs), [Caution("unknown_model", text)] if unknown else []

    return run_form


_NAMED: dict[str, Callable[[Mapping[str, Any]], Result]] = {
    "gpo": _plant("GPO"),
    "chp": _plant("CHP"),
    "gp": _plant("GP"),
    "transmission": _transmission,
    "substation": _substation,
    "lca": _lca,
    "sensitivity": _sensitivity,
    "project": _project,
    "initial": _initial,
    **{name: _closed(form) for name, form in closed_forms.FORMS.items()},
}
KINDS = tuple(_NAMED)
"""Names of the models."""
_KINDS = {name.casefold(): function for name, function in _NAMED.items()}
_BARE = {model.casefold(): _plant(model, bare_rows=True) for model in PLANT_INPUTS}
