"""`csrag verify-text`: hold the numbers of any text against an answer record."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from csrag.errors import RequestError

_MAX_BYTES = 50_000_000


def add_parser(subparsers: Any) -> None:
    """Add the sub-command."""
    parser = subparsers.add_parser(
        "verify-text", help="check a text by anybody against an answer record",
        description="Say of every number of a text whether a value of the answer record backs it, under the right label and "
        "unit. Exit code 0 where all are backed, 2 otherwise.",
    )  # fmt: skip
    parser.add_argument("file", metavar="FILE", help="the text (UTF-8); - reads standard input")
    parser.add_argument(
        "--record", metavar="FILE", required=True, help="the answer record, as `csrag ask --json` prints it"
    )
    parser.add_argument("--json", action="store_true", help="print the findings as one JSON object")
    parser.set_defaults(handler=run)


def run(options: argparse.Namespace) -> int:
    """Check, print, return the exit code."""
    from csrag.ask.synthesis.foreign import verify_text

    text = sys.stdin.read() if options.file == "-" else _read(options.file)
    try:
        record = json.loads(_read(options.record))
    except json.JSONDecodeError as error:
        raise RequestError(
            f"{options.record} is not one JSON object: {error}.", "Give what `csrag ask --json` prints."
        ) from None
    findings = verify_text(text, record)
    wrong = [f for f in findings if f.verdict != "backed"]
    if options.json:
        out = {"backed": not wrong, "numbers": len(findings), "rows": [f.to_json() for f in findings]}
        json.dump(out, sys.stdout, ensure_ascii=False, allow_nan=False)
        sys.stdout.write("\n")
        return 2 if wrong else 0
    for finding in wrong:
        line = text.count("\n", 0, finding.start) + 1
        print(f"line {line}: {finding.text!r}: {finding.verdict}: {finding.message}")
    print(f"{len(findings) - len(wrong)} of {len(findings)} numbers are backed by the record.")
    return 2 if wrong else 0


def _read(name: str) -> str:
    path = Path(name)
    if path.is_file() and path.stat().st_size > _MAX_BYTES:
        raise RequestError(f"{name} is larger than {_MAX_BYTES // 1_000_000} MB.", "Give the text alone.")
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise RequestError(f"{name} is not UTF-8 text.", "Save it as UTF-8.") from None
