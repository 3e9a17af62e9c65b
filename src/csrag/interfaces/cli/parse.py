"""`csrag parse`: stage 1 alone, one question or a batch of them."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from csrag.ask.intent import parse
from csrag.ask.records import SitingQuery
from csrag.errors import RequestError

_SHOWN = (
    "intent", "locations", "capacity_mw", "capacity_range_mw", "demand_bdt", "technology", "treatment", "system",
    "radius_km", "fire_weight", "max_cost_usd_per_bdt", "budget_usd_per_year", "land_use", "max_slope_pct",
    "min_burn_probability", "years", "transport", "selection", "feedstock", "availability",
)  # fmt: skip


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    p = subparsers.add_parser(
        "parse",
        help="show how a question is understood, without computing anything",
        description="Stage 1 alone: the query record of a question.",
    )
    p.add_argument("question", nargs="?", help="the question, in quotes")
    p.add_argument("--json", action="store_true", help="print the query record as one JSON object")
    p.add_argument(
        "--after", action="append", default=[], metavar="EARLIER", help="a question asked before; may be repeated"
    )
    p.add_argument("--batch", metavar="FILE", help='JSON lines {"id", "question", "after"} from FILE, or - for stdin')
    p.set_defaults(handler=run, run=run)


def run(args: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    try:
        if args.batch is not None:
            return _batch(args.batch)
        if not (args.question or "").strip():
            raise RequestError("There is no question.", 'Try: csrag parse "20 MW at Quincy, delivered cost?"')
        query = parse(args.question, args.after)
    except RequestError as error:
        print(f"csrag: {error}", file=sys.stderr)
        return error.exit_code
    if args.json:
        print(json.dumps(query.to_json(), ensure_ascii=False))
    else:
        print(describe(query))
    return 0


def _batch(name: str) -> int:
    if name == "-":
        _answer(_decoded(getattr(sys.stdin, "buffer", sys.stdin)), sys.stdout)
        return 0
    fix = "Give a text file with one JSON object a line."
    try:
        stream = Path(name).expanduser().open("rb")
    except OSError as error:
        raise RequestError(f"{name} cannot be read: {error.strerror or error}.", fix) from None
    with stream:
        _answer(_decoded(stream), sys.stdout)
    return 0


def _decoded(lines: Iterable[bytes | str]) -> Iterator[str]:
    """Lines as text; a byte that is not UTF-8 spoils its own character only, as in `csrag simulate`."""
    for number, line in enumerate(lines):
        text = line if isinstance(line, str) else line.decode("utf-8", errors="replace")
        yield text.removeprefix("\ufeff") if number == 0 else text


def _answer(lines: Iterable[str], out: IO[str]) -> None:
    """Write one result line for each input line, in order; a broken line does not stop the rest."""
    for number, line in enumerate(lines, start=1):
        if line.strip():
            out.write(json.dumps(_result(line, number), ensure_ascii=False) + "\n")


def _result(line: str, number: int) -> dict[str, Any]:
    given: Any = None
    try:
        given = json.loads(line)
        if not isinstance(given, dict):
            raise TypeError("not a JSON object")
        question, after = given.get("question"), given.get("after") or []
        if not isinstance(question, str):
            raise TypeError('no "question" text')
        if not isinstance(after, list) or not all(isinstance(x, str) for x in after):
            raise TypeError('"after" must be a list of texts')
    except (ValueError, TypeError, RecursionError) as error:
        known = given.get("id") if isinstance(given, dict) else None
        return {"id": known, "error": f"line {number}: {error}"}
    return {"id": given.get("id"), "query": parse(question, after).to_json()}


def describe(query: SitingQuery) -> str:
    """Short readable table of the fields with their origin."""
    record = query.to_json()
    rows: list[tuple[str, str, str]] = []
    for field in _SHOWN:
        value = record.get(field)
        if value is None or value == []:
            continue
        origin = query.origins[field].source if field in query.origins else ""
        rows.append((field, _text(field, value), origin))
    for name, value in query.overrides.items():
        rows.append((f"overrides.{name}", f"{value:g}", query.origins[f"overrides.{name}"].source))
    if query.max_cost_usd_per_bdt is not None:
        rows.append(("max_cost_kind", query.max_cost_kind, ""))
    rows += [("compare", ", ".join(f"{k} {v}" for k, v in variant.items()), "user") for variant in query.compare]
    width = max(len(r[0]) for r in rows)
    wide = max(len(r[1]) for r in rows)
    lines = [f"{name:<{width}}  {value:<{wide}}  {origin}".rstrip() for name, value, origin in rows]
    return "\n".join([*lines, *(f"note: {n}" for n in query.notes)])


def _text(field: str, value: Any) -> str:
    if field == "locations":
        return "; ".join(
            f"{p['name']} ({p['kind']}"
            + (f", {p['county']} County" if p.get("county") and p["kind"] != "county" else "")
            + ")"
            for p in value
        )
    if isinstance(value, list):
        return ", ".join(f"{v:g}" if isinstance(v, float) else str(v) for v in value)
    return f"{value:g}" if isinstance(value, float) else str(value)
