"""Ten kills of a build at full size: ``python benchmarks/kill_build.py --work DIR [--reference SET] [--seed N] [--json]``.

Builds ``--demo california`` into a folder of its own and kills the process with SIGKILL at ten marks, drawn with a seed
and spread over the stages: while fields and roads are drawn, removals are read, costs are computed (five of the ten),
derived tons are compared and columns are hashed. A mark is a share of a stage, seen in the build's own progress lines,
and up to a second and a half after it. Every run starts from the leavings of the run before. Last of all the build is
left alone; its hash must be that of an untroubled build (`--reference`, or one made first). Linux and macOS.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import time
from pathlib import Path

STAGES = ("drawing random fields", "drawing roads", "reading removals", "computing costs", "comparing derived tons",
          "hashing")  # fmt: skip
COSTS = "computing costs"
_AT = re.compile(r"^(?P<stage>[^:]+): (?:(?P<percent>\d+) %|[\d,]+ )")


def marks(seed: int, kills: int) -> list[tuple[str, float, float]]:
    """Stage, share of it [percent] and seconds after that, in an order in which each can still be reached."""
    rng = random.Random(seed)
    stages = [*STAGES, *[COSTS] * max(kills - len(STAGES), 0)][:kills]
    # Short stages are killed in their first half: past that, they may end before the kill comes.
    most = {stage: 95.0 if stage in (COSTS, STAGES[0]) else 50.0 for stage in STAGES}
    drawn = [(stage, rng.uniform(0.0, most[stage]), rng.uniform(0.0, 1.5)) for stage in stages]
    # Costs once computed are kept, so their marks must rise; what comes after them comes after them.
    return sorted(drawn, key=lambda mark: (STAGES.index(mark[0]), mark[1]))


def command(demo: str, out: Path) -> list[str]:
    """The build as a user starts it."""
    return [sys.executable, "-m", "csrag", "layers", "build", "--demo", demo, "--out", str(out)]


def killed(demo: str, out: Path, mark: tuple[str, float, float]) -> dict[str, object]:
    """One run, killed at its mark; says where it was."""
    stage, share, after_s = mark
    begin = time.monotonic()
    process = subprocess.Popen(command(demo, out), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    seen = ""
    for line in process.stderr:
        found = _AT.match(line)
        if found is None:
            continue
        seen = line.strip()
        if found["stage"] == stage and float(found["percent"] or 0) >= share:
            time.sleep(after_s)
            break
    finished = process.poll() is not None
    process.kill()
    process.wait()
    process.stderr.close()
    return {"stage": stage, "mark_percent": round(share, 1), "seen": seen, "seconds": round(time.monotonic() - begin, 1),
            "killed": not finished}  # fmt: skip


def finished(demo: str, out: Path) -> tuple[str, float]:
    """An untroubled run: its hash and seconds."""
    begin = time.monotonic()
    subprocess.run(command(demo, out), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    seconds = time.monotonic() - begin
    return str(json.loads((out / "manifest.json").read_text())["layers_hash"]), seconds


def main() -> int:
    """Kill, finish, compare, verify."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, help="folder for the sets")
    parser.add_argument("--reference", type=Path, help="an untroubled set of the same program")
    parser.add_argument("--demo", default="california")
    parser.add_argument("--seed", type=int, default=20260101)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    if options.reference is None:
        expected, _ = finished(options.demo, options.work / "untroubled")
    else:
        expected = str(json.loads((options.reference / "manifest.json").read_text())["layers_hash"])
    out = options.work / "killed"
    runs = []
    for mark in marks(options.seed, options.kills):
        runs.append(killed(options.demo, out, mark))
        if not options.json:
            print(runs[-1], flush=True)
        if out.exists():
            print("The target appeared before the last run.", file=sys.stderr)
            return 1
    actual, seconds = finished(options.demo, out)
    verify = [sys.executable, "-m", "csrag", "layers", "verify", "--data", str(out)]
    verified = subprocess.run(verify, stdout=subprocess.DEVNULL, check=False).returncode == 0
    left_over = sorted(p.name for p in options.work.iterdir() if p.name not in ("killed", "untroubled"))
    result = {"runs": runs, "last_run_seconds": round(seconds, 1), "hash": actual, "expected": expected,
              "same": actual == expected, "verified": verified, "left_over": left_over}  # fmt: skip
    print(json.dumps(result) if options.json else {k: v for k, v in result.items() if k != "runs"})
    return 0 if result["same"] and verified and all(run["killed"] for run in runs) and not left_over else 1


if __name__ == "__main__":
    sys.exit(main())
