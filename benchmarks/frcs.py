"""Speed of the harvest simulator, per system and for all ten together, beside the npm package where Node is present.

    OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 python benchmarks/frcs.py [--rows 100000] [--rounds 5]

The reference runs in the same rounds as ours, on some of the same rows, warm, timed inside Node without reading and
writing. It is found through CSRAG_FRCS_ORACLE_DIR, a folder with node_modules/@ucdavis/frcs; without it the ratio is
left out and the reason is printed. CPU time of one thread. The rows are synthetic.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.support.frcs_clusters import Clusters

from csrag.simulators.frcs import cost_and_yield
from csrag.simulators.frcs.mapping import frcs_inputs
from csrag.simulators.harvest import HarvestEconomics, harvest
from csrag.surfaces.catalog import SYSTEMS

TREATMENT = "TFB40"
NODE_ROWS = 5000
NODE_TIMER = """
const frcs = require(process.argv[1] + '/node_modules/@ucdavis/frcs/out/index.js');
const rows = JSON.parse(require('fs').readFileSync(0, 'utf8'));
for (let pass = 0; pass < 3; pass++) for (const r of rows) frcs.getFrcsOutputs(r);
const start = process.cpuUsage();
for (let pass = 0; pass < 3; pass++) for (const r of rows) frcs.getFrcsOutputs(r);
const used = process.cpuUsage(start);
process.stdout.write(String((used.user + used.system) / 1e6));
"""


def cpu_seconds(work: Callable[[], object]) -> float:
    """CPU time of one call [s]."""
    start = time.process_time()
    work()
    return time.process_time() - start


def reference() -> tuple[Path | None, str]:
    """Folder of the npm package, or why there is none."""
    folder = Path(os.environ.get("CSRAG_FRCS_ORACLE_DIR", ""))
    if not os.environ.get("CSRAG_FRCS_ORACLE_DIR"):
        return None, "CSRAG_FRCS_ORACLE_DIR is not set"
    if not (folder / "node_modules" / "@ucdavis" / "frcs").is_dir():
        return None, "CSRAG_FRCS_ORACLE_DIR holds no node_modules/@ucdavis/frcs"
    if shutil.which("node") is None:
        return None, "Node is not installed"
    return folder.resolve(), ""


def node_seconds(folder: Path, system: str, inputs: dict[str, Any]) -> float:
    """CPU time of one call of the package, warm, over rows within the limits (what it throws costs it more) [s]."""
    rows = len(inputs["slope"])
    within = np.flatnonzero(cost_and_yield(system, inputs)[2] == 0)[:NODE_ROWS]
    full = {k: np.broadcast_to(v, rows)[within].tolist() for k, v in inputs.items()}
    records = [{"system": system, **{k: v[i] for k, v in full.items()}} for i in range(len(within))]
    done = subprocess.run(
        ["node", "-e", NODE_TIMER, str(folder)], input=json.dumps(records), capture_output=True, text=True, check=True
    )
    return float(done.stdout) / (3 * len(within))


def main() -> int:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000, help="clusters")
    parser.add_argument("--rounds", type=int, default=5, help="rounds; the median is printed")
    options = parser.parse_args()
    stand = {k: v.astype(np.float32) for k, v in Clusters(options.rows).removal(TREATMENT).items()}
    wide = {k: v.astype(np.float64) for k, v in stand.items()}
    inputs = {s: frcs_inputs(wide, s, HarvestEconomics(), clear_cut=False) for s in SYSTEMS}
    folder, reason = reference()

    ours: dict[str, list[float]] = {s: [] for s in SYSTEMS}
    theirs: dict[str, list[float]] = {s: [] for s in SYSTEMS}
    together: dict[str, list[float]] = {"partial cut": [], "clear cut": []}
    for _ in range(options.rounds):
        for system in SYSTEMS:
            ours[system].append(cpu_seconds(lambda s=system: cost_and_yield(s, inputs[s])) / options.rows)
            if folder is not None:
                theirs[system].append(node_seconds(folder, system, inputs[system]))
        for name, seconds in together.items():
            clear = name == "clear cut"
            seconds.append(cpu_seconds(lambda c=clear: harvest(stand, SYSTEMS, clear_cut=c)))

    print(
        f"{platform.machine()}, Python {platform.python_version()}, NumPy {np.__version__}; {options.rows} clusters, ",
        end="",
    )
    print(f"{TREATMENT}, mapping split, median of {options.rounds} rounds, one thread, synthetic")
    print("| system | rows/s | slowest round | npm calls/s | ratio |\n|---|---|---|---|---|")
    for system in SYSTEMS:
        rate, worst = 1 / statistics.median(ours[system]), 1 / max(ours[system])
        npm = 1 / statistics.median(theirs[system]) if theirs[system] else None
        beside = f"{npm:,.0f} | {rate / npm:.0f}" if npm else "- | -"
        print(f"| {system} | {rate:,.0f} | {worst:,.0f} | {beside} |")
    for name, seconds in together.items():
        middle = statistics.median(seconds)
        print(
            f"harvest(), all ten systems with mapping and codes, {name}: {middle:.3f} s for {options.rows} clusters ",
            end="",
        )
        print(f"({10 * options.rows / middle:,.0f} costs/s)")
    if folder is None:
        print(f"No comparison with the npm package: {reason}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
