"""`csrag simulate`: a reference simulator on JSON lines, one answer a line, in order.

A line is ``{"id": .., "inputs": {..}}``, the bare inputs, or a request of the references' own test programs
(``{"id": .., "kind": "frcs", "input": {..}}``, ``{"id": .., "model": "GPO", "inputs": {..}}``).
The answer is ``{"id": .., "outputs": {..}}`` or ``{"id": .., "error": ".."}``. Lines are taken in batches, so ten
thousand need seconds and the memory of a few thousand; from a pipe a batch is what has arrived, so that a program can
wait for each answer.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import select
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from csrag.errors import InvalidValueError
from csrag.interfaces.cli.output import writing_to
from csrag.interfaces.cli.simulate_economics import ANY_MODEL, ECONOMIC, wraps, wrong_model
from csrag.interfaces.cli.simulate_harvest import (
    CLUSTER_KEYS,
    MOVE_IN_PARAMETERS,
    Answer,
    Record,
    answer_cluster,
    answer_frcs,
    answer_move_in,
    spell,
)
from csrag.simulators.frcs.validation import PARAMETERS

BATCH_LINES = 4096
"""Most lines computed together."""
READ_BYTES = 1 << 20
"""Bytes asked for at a time."""

_ANSWERERS: dict[str, tuple[Callable[[Sequence[Record]], list[Answer]], frozenset[str]]] = {
    "frcs": (answer_frcs, frozenset(PARAMETERS)),
    "move-in": (answer_move_in, frozenset(MOVE_IN_PARAMETERS)),
    "cluster": (answer_cluster, frozenset(CLUSTER_KEYS)),
    **ECONOMIC,
}
KINDS = tuple(_ANSWERERS)
"""Models that can be run."""
_ENVELOPE = ("id", "kind")


class _RefusedError(Exception):
    """A line that is no request."""


def _inputs(request: Record, kind: str, names: frozenset[str]) -> Record:
    """The inputs of a request, whatever form it has."""
    asked = request.get("kind")
    other = isinstance(asked, str) and asked.replace("-", "") != kind.replace("-", "")
    # In a request of an economic model, `kind` may be a word of the caller's own.
    if other and (kind not in ECONOMIC or asked in _ANSWERERS):
        raise _RefusedError(f"the line is of kind {asked!r}. Run it with: csrag simulate {asked}")
    if kind in ECONOMIC and (wrong := wrong_model(kind, request)):
        raise _RefusedError(wrong)
    if kind == ANY_MODEL:
        return request
    for key in ("inputs", "input"):
        if key in request and (kind not in ECONOMIC or wraps(kind, key, request)):
            stray = sorted((names - {key}) & request.keys())
            if stray:
                raise _RefusedError(f"{stray[0]!r} stands beside {key!r}. Put every input inside {key!r}.")
            if not isinstance(request[key], dict):
                raise _RefusedError(f"{key!r} is not a JSON object. Give the inputs by name.")
            found: Record = request[key]
            return found
    return {k: v for k, v in request.items() if k not in _ENVELOPE}


def _parse(line: str, kind: str, names: frozenset[str]) -> tuple[object, Record | Answer]:
    """Id and inputs of a line, or its refusal."""
    try:
        request = json.loads(line)
    except (ValueError, RecursionError) as error:
        return None, Answer(None, f"bad json: {error}. Each line must be one JSON object.", {"errorClass": "bad_json"})
    if not isinstance(request, dict):
        return None, Answer(
            None, "bad json: not an object. Each line must be one JSON object.", {"errorClass": "bad_json"}
        )
    number = request.get("id")
    if isinstance(number, float):
        number = spell(number)
    elif isinstance(number, dict | list):
        number = json.loads(json.dumps(number), parse_constant=str)
    try:
        return number, _inputs(request, kind, names)
    except _RefusedError as refused:
        return number, Answer(
            None, str(refused), {"errorClass": "bad_kind" if "csrag simulate" in str(refused) else "bad_json"}
        )


def _answer(kind: str, lines: Sequence[str]) -> list[str]:
    """Answer one batch."""
    answerer, names = _ANSWERERS[kind]
    parsed = [_parse(line, kind, names) for line in lines]
    asked = [found for _, found in parsed if not isinstance(found, Answer)]
    computed = iter(answerer(asked))
    out = []
    for number, found in parsed:
        answer = found if isinstance(found, Answer) else next(computed)
        if answer.text:
            extra = f", {json.dumps(answer.extra)[1:-1]}" if answer.extra else ""
            out.append(f'{{"id": {json.dumps(number)}, "outputs": {answer.text}{extra}}}')
            continue
        body: Record = {"outputs": answer.outputs} if answer.outputs is not None else {"error": answer.error}
        out.append(json.dumps({"id": number, **body, **answer.extra}))
    return out


def check_kind(kind: str) -> str:
    """`kind` if it can be run.

    Raises
    ------
    InvalidValueError
        If there is no such model.
    """
    if kind not in _ANSWERERS:
        raise InvalidValueError(f"no model is called {kind!r}.", f"It must be one of {', '.join(KINDS)}.")
    return kind


def simulate_lines(kind: str, lines: Iterable[str]) -> Iterator[str]:
    """Answer JSON lines, in order, one for one.

    Parameters
    ----------
    kind : str
        Model, one of `KINDS`.
    lines : iterable of str
        Requests, with or without the line break. At most `BATCH_LINES` are held at a time.

    Yields
    ------
    str
        Answer to each line, without a line break.

    Raises
    ------
    InvalidValueError
        If the model is unknown. Nothing a line holds raises.
    """
    check_kind(kind)
    source = iter(lines)
    while batch := list(islice(source, BATCH_LINES)):
        yield from _answer(kind, batch)


def _more_is_waiting(stream: BinaryIO) -> bool:
    """Whether a read would return at once; False where that cannot be told."""
    try:
        return bool(select.select([stream], [], [], 0)[0])
    except (OSError, ValueError, io.UnsupportedOperation):
        return False


def _arriving(stream: BinaryIO) -> Iterator[list[str]]:
    """Batches of whole lines as they arrive: as many as are there, at least one, at most `BATCH_LINES`."""
    rest = b""
    reader = getattr(stream, "read1", stream.read)
    while data := reader(READ_BYTES):
        pieces = [rest, data]
        size = len(data)
        while size < READ_BYTES and _more_is_waiting(stream) and (data := reader(READ_BYTES)):
            pieces.append(data)
            size += len(data)
        *whole, rest = b"".join(pieces).split(b"\n")
        lines = [line.decode("utf-8", errors="replace") for line in whole]
        for start in range(0, len(lines), BATCH_LINES):
            yield lines[start : start + BATCH_LINES]
    if rest:
        yield [rest.decode("utf-8", errors="replace")]


def add_parser(subparsers: Any) -> None:
    """Add the sub-command."""
    parser = subparsers.add_parser(
        "simulate",
        help="run a reference simulator on JSON lines",
        description='Read JSON lines {"id", "inputs": {..}} (or bare inputs), write {"id", "outputs": {..}} or '
        '{"id", "error"} lines, in order. Names are those of the npm packages @ucdavis/frcs 2.0.0, @ucdavis/tea '
        "1.4.3 and @ucdavis/lca 1.6.8.",
    )
    parser.add_argument(
        "kind", choices=KINDS, metavar="KIND",
        help="frcs (harvest cost and yield per acre), move-in (moving the machines), cluster (a treated cluster "
        "through the mapping and frcs), gpo, chp, gp (power plants), transmission, substation, lca (emissions per kWh), "
        "sensitivity (of a plant's cost), project (a plant with its line and yearly supply), tea (economic lines that "
        "name their own model)",
    )  # fmt: skip
    parser.add_argument("--in", dest="source", metavar="FILE", help="read from FILE instead of standard input")
    parser.add_argument("--out", dest="target", metavar="FILE", help="write to FILE instead of standard output")
    parser.set_defaults(handler=run)


def run(options: argparse.Namespace) -> int:
    """Answer every line; 0 also where lines were refused, each says so itself."""
    kind = check_kind(options.kind)
    with contextlib.ExitStack() as stack:
        stream: BinaryIO = sys.stdin.buffer
        if options.source:
            try:
                stream = stack.enter_context(Path(options.source).expanduser().open("rb"))
            except OSError as error:
                raise InvalidValueError(
                    f"{error.filename}: {error.strerror}.", "Check the path and its permissions."
                ) from None
        target = stack.enter_context(writing_to(options.target, stream)) if options.target else sys.stdout
        first = True
        for batch in _arriving(stream):
            if first:
                batch[0] = batch[0].removeprefix("\ufeff")
                first = False
            target.write("".join(f"{line}\n" for line in _answer(kind, batch)))
            target.flush()
    return 0
