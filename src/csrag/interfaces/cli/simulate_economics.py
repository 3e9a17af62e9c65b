"""The economic models behind `csrag simulate`: plants, power lines, substations, life cycle, sensitivity, project.

Each answerer takes the inputs of many lines and gives one `Answer` a line; what a model warns of stands in `warnings`
beside the outputs. Names are those of `@ucdavis/tea` 1.4.3 and `@ucdavis/lca` 1.6.8. A plant's answer holds some five
hundred numbers, so writing them is half of the work: see `written`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from typing import Any

from csrag.economics import models
from csrag.economics.grid import LineInputs, SubstationInputs
from csrag.economics.inputs import PLANT_INPUTS
from csrag.economics.lca import LcaInputs
from csrag.economics.schema import Field
from csrag.economics.sensitivity import PARAMETERS
from csrag.economics.wire import CASH_FLOW_OF
from csrag.errors import InvalidValueError
from csrag.interfaces.cli.simulate_harvest import Answer, Record

ANY_MODEL = "tea"
"""Kind whose lines name their own model."""
FEW_LINES = 16
"""Batches below this are written without loading pyarrow."""
CHUNK_LINES = 64
"""Lines whose numbers are spelled together."""
WHOLE_BELOW = 1e10
"""Whole numbers below this are written without a point, as Arrow does."""

Shape = tuple[Any, ...]
MOST_TEMPLATES = 256
"""Shapes of answers that are kept: one for each model and length of life."""
_templates: dict[Shape, str] = {}
_PLAIN = frozenset((float, int))
_HOLE = "\0"
_NUMBER, _ALL_NUMBERS = "\0number", "\0numbers"


# --- writing ----------------------------------------------------------------------------------------------------------


def _flatten(value: Any, shape: list[Any], numbers: list[float]) -> None:
    """Take the numbers out of nested outputs; what is left is their shape."""
    if type(value) is dict:
        shape.append(tuple(value))
        value = value.values()
    else:
        shape.append(len(value))
    if _PLAIN.issuperset(map(type, value)):
        shape.append(_ALL_NUMBERS)
        numbers.extend(value)
        return
    if set(map(type, value)) == {tuple}:  # rows of a cash flow
        numbers.extend(chain.from_iterable(value))
        return
    for item in value:
        kind = type(item)
        if kind is float or kind is int:
            shape.append(_NUMBER)
            numbers.append(item)
        elif kind is dict or kind is list:
            _flatten(item, shape, numbers)
        else:
            shape.append(item)


def _holes(model: str, value: Any) -> Any:
    """The same outputs with a mark in place of each number, and names put to the rows of a cash flow."""
    if isinstance(value, dict):
        return {key: _holes(model, item) for key, item in value.items()}
    if isinstance(value, list):
        return [_holes(model, item) for item in value]
    if isinstance(value, tuple):
        return dict.fromkeys(CASH_FLOW_OF[model.upper()], _HOLE)
    return _HOLE if type(value) in _PLAIN else value


def _template(model: str, outputs: Record) -> str:
    """JSON text of outputs with `%s` in place of each number."""
    return json.dumps(_holes(model, outputs)).replace("%", "%%").replace(json.dumps(_HOLE), "%s")


def _spelled(value: float) -> str:
    """Shortest text that reads back as the same number."""
    return str(int(value)) if abs(value) < WHOLE_BELOW and value == int(value) else repr(float(value))


def _texts(numbers: list[float]) -> list[str]:
    """Each number as JSON, many at once."""
    import numpy as np
    import pyarrow as pa

    # Half of a cash flow repeats from year to year. Arrow spells as repr does, the shortest text that reads back the
    # same, at a fifth of its time; adding 0 makes -0 plain.
    different, place = np.unique(np.array(numbers, dtype=np.float64) + 0.0, return_inverse=True)
    texts = np.array(pa.array(different).cast(pa.string()).to_pylist(), dtype=object)
    spelled: list[str] = texts[place].tolist()
    return spelled


def written(results: Sequence[tuple[str, Sequence[float]]]) -> Iterator[str]:
    """JSON text of each result.

    Parameters
    ----------
    results : sequence of (str, sequence of float)
        Template and the numbers that belong into it, all finite.

    Yields
    ------
    str
        Every number reads back exactly as it was.
    """
    if len(results) < FEW_LINES:
        yield from (template % tuple(map(_spelled, numbers)) for template, numbers in results)
        return
    for start in range(0, len(results), CHUNK_LINES):
        chunk = results[start : start + CHUNK_LINES]
        texts = iter(_texts(list(chain.from_iterable(numbers for _, numbers in chunk))))
        for template, numbers in chunk:
            yield template % tuple(islice(texts, len(numbers)))


# --- answering --------------------------------------------------------------------------------------------------------


def _refused(error: InvalidValueError) -> Answer:
    return Answer(None, str(error), {"errorClass": error.code})


def _answers(asked: Sequence[tuple[str, Any]]) -> list[Answer]:
    """Answer requests of (model, inputs)."""
    answers: list[Answer | None] = []
    results: list[tuple[str, Sequence[float]]] = []
    warnings: list[Mapping[str, Any]] = []
    for model, inputs in asked:
        try:
            outcome = models.compute(model, inputs, bare_rows=True)
            shape: list[Any] = []
            numbers: list[float] = []
            _flatten(outcome.outputs, shape, numbers)
            # One NaN or infinity spoils the sum.
            if not math.isfinite(sum(numbers)):
                raise models.beyond()
        except InvalidValueError as error:
            answers.append(_refused(error))
            continue
        except OverflowError:
            answers.append(_refused(models.beyond()))
            continue
        key = (model, *shape)
        template = _templates.get(key)
        if template is None:
            if len(_templates) >= MOST_TEMPLATES:
                _templates.clear()
            template = _templates[key] = _template(model, outcome.outputs)
        answers.append(None)
        results.append((template, numbers))
        found = [{"code": c.code, "message": c.message} for c in outcome.cautions]
        warnings.append({"warnings": found} if found else {})
    done = (Answer(None, "", extra, text) for text, extra in zip(written(results), warnings, strict=True))
    return [next(done) if answer is None else answer for answer in answers]


def answer_model(model: str, records: Sequence[Record]) -> list[Answer]:
    """Answer inputs of one model."""
    return _answers([(model, record) for record in records])


def answer_any(records: Sequence[Record]) -> list[Answer]:
    """Answer whole requests, each with its own model."""
    return _answers([(record["model"], record["inputs"]) for record in records])


# --- requests ---------------------------------------------------------------------------------------------------------


def _tops(table: Sequence[Field]) -> frozenset[str]:
    """Names at the top of the inputs."""
    return frozenset(field.path.partition(".")[0] for field in table)


_NAMES: dict[str, frozenset[str]] = {
    **{model.casefold(): _tops(kind.table) for model, kind in PLANT_INPUTS.items()},
    "transmission": _tops(LineInputs.table),
    "substation": _tops(SubstationInputs.table),
    "lca": _tops(LcaInputs.table),
    "sensitivity": frozenset(("input", *PARAMETERS)),
    "project": frozenset(("teaModel", "teaInputs", "transmission", "distanceMetres", "years")),
    ANY_MODEL: frozenset(),
}
ECONOMIC: dict[str, tuple[Callable[[Sequence[Record]], list[Answer]], frozenset[str]]] = {
    kind: (answer_any if kind == ANY_MODEL else partial(answer_model, kind), names) for kind, names in _NAMES.items()
}
"""Kind to its answerer and the names of its inputs."""


def wraps(kind: str, key: str, request: Mapping[str, Any]) -> bool:
    """Whether `key` of a request holds the inputs, not one of them: sensitivity has an input named `input`."""
    if kind == "sensitivity" and key == "input":
        return isinstance(request[key], Mapping) and "input" in request[key]
    return True


def wrong_model(kind: str, request: Mapping[str, Any]) -> str:
    """What is wrong with the model that a request names, and how to mend it; empty if nothing is."""
    asked = request.get("model")
    if kind == ANY_MODEL:
        if "model" in request and "inputs" in request:
            return ""
        return 'the line names no model. Each line of tea must be {"id": .., "model": "GPO", "inputs": {..}}.'
    if kind == "sensitivity" and "inputs" not in request:
        return ""  # an input of its own
    if "model" in request and (not isinstance(asked, str) or asked.casefold() != kind):
        known = isinstance(asked, str) and asked.casefold() in _NAMES
        mend = f"csrag simulate {asked.casefold()}" if known else f"csrag simulate {ANY_MODEL}"  # type: ignore[union-attr]
        return f"the line is of model {asked!r}. Run it with: {mend}"
    return ""
