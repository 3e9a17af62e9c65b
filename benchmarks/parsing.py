"""Time to read a question: ``python benchmarks/parsing.py [--rounds N] [--json]``.

Every question of the acceptance sets, warm: median, 99th percentile and slowest, each the least of some rounds, a question after
others counted by the turn. Long and hostile texts of 10,000 characters stand beside an innocent one of the same run. Importing
the parser is timed in processes of its own, beside an empty one. Processor time, so that a busy machine changes little.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from csrag.ask.intent import parse

ROOT = Path(__file__).resolve().parents[1]
SETS = (
    *sorted((ROOT / "tests" / "acceptance").glob("held_out_[0-9].jsonl")),
    ROOT / "tests" / "acceptance" / "paraphrases.jsonl",
    ROOT.parent / "shared" / "acceptance" / "queries.jsonl",
)
INNOCENT = ("The council met on Tuesday, heard 3 reports about the bridge and went home at 9. " * 130)[:10_000]
HOSTILE = {
    "capacities and places": "10 mw at weed and ",
    "shares": "at least half of it ",
    "distances": "within 5 miles of a ",
    "counts": "best three sites ",
    "systems": "cable or ",
    "overrides": "diesel 5 ",
    "caps": "$60/BDT under ",
    "grid codes": "10 s fj 12 ",
}


def milliseconds(question: str, after: Sequence[str], rounds: int) -> float:
    """Least processor time of some readings, by the turn [ms]."""
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        parse(question, after)
        best = min(best, time.process_time() - start)
    return best * 1000 / (1 + len(after))


def import_ms(statement: str, rounds: int) -> float:
    """Median of a process that runs one statement [ms]."""
    taken = []
    for _ in range(rounds):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", statement], check=True)
        taken.append((time.perf_counter() - start) * 1000)
    return statistics.median(taken)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    cases = [
        json.loads(line) for path in SETS if path.is_file() for line in path.read_text(encoding="utf-8").splitlines()
    ]
    for case in cases:
        parse(case["question"], case["after"])
    taken = sorted((milliseconds(c["question"], c["after"], options.rounds), c["id"]) for c in cases)
    innocent = milliseconds(INNOCENT, (), options.rounds)
    hostile = {name: milliseconds((piece * 10_000)[:10_000], (), options.rounds) for name, piece in HOSTILE.items()}
    empty = import_ms("pass", options.rounds)
    report = {
        "questions": len(cases),
        "median_ms": statistics.median(ms for ms, _ in taken),
        "p99_ms": taken[int(0.99 * (len(taken) - 1))][0],
        "slowest_ms": taken[-1][0],
        "slowest": taken[-1][1],
        "innocent_10000_characters_ms": innocent,
        "hostile_10000_characters_ms": hostile,
        "import_and_first_question_ms": import_ms(
            "from csrag.ask.intent import parse; parse('25 MW near Quincy, fire matters')", options.rounds
        ) - empty,
        "import_ms": import_ms("import csrag.ask.intent", options.rounds) - empty,
    }  # fmt: skip
    if options.json:
        print(json.dumps(report))
        return
    print(
        f"{report['questions']} questions: median {report['median_ms']:.2f} ms, 99 % under {report['p99_ms']:.2f} ms, slowest "
        f"{report['slowest_ms']:.2f} ms ({report['slowest']})"
    )
    print(f"10,000 innocent characters {innocent:.1f} ms")
    for name, ms in hostile.items():
        print(f"10,000 characters of {name:24s} {ms:6.1f} ms, {ms / innocent:4.1f} times the innocent text")
    print(
        f"import {report['import_ms']:.0f} ms, with the first question {report['import_and_first_question_ms']:.0f} ms, beyond an "
        f"empty process"
    )


if __name__ == "__main__":
    main()
