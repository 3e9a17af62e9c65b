"""A build under watch: ``python benchmarks/build.py --out DIR [--demo california] [--workers N] [--json]``.

Runs ``csrag layers build`` as a process and looks at it and everything it started ten times a second: resident memory
(pages shared by several processes counted once a process, and once in all), and the cores that were busy. Linux only.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def tree(root: int) -> list[int]:
    """A process and all that descend from it."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except (OSError, IndexError, ValueError):
                continue
    found = [root]
    for one in found:
        found += [child for child, parent in parents.items() if parent == one]
    return found


def memory_mb(processes: list[int]) -> tuple[float, float]:
    """Resident and proportional memory of some processes [MB]: Rss counts a shared page once a process, Pss once."""
    rss = pss = 0
    for process in processes:
        try:
            text = Path(f"/proc/{process}/smaps_rollup").read_text()
        except OSError:
            continue
        values = {line.split(":")[0]: int(line.split()[1]) for line in text.splitlines()[1:] if line.endswith("kB")}
        rss += values.get("Rss", 0)
        pss += values.get("Pss", 0)
    return rss / 1024, pss / 1024


def cpu_seconds(processes: list[int]) -> dict[int, float]:
    """Processor time used so far, by process [s]."""
    tick = os.sysconf("SC_CLK_TCK")
    used: dict[int, float] = {}
    for process in processes:
        try:
            fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        used[process] = (int(fields[11]) + int(fields[12])) / tick
    return used


def main() -> int:
    """Build, watch and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="directory of the layer set")
    parser.add_argument("--demo", default="california")
    parser.add_argument("--workers", type=int)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    command = [sys.executable, "-m", "csrag", "layers", "build", "--demo", options.demo, "--out", str(options.out)]
    if options.workers is not None:
        command += ["--workers", str(options.workers)]
    begin = time.monotonic()
    said = tempfile.TemporaryFile("w+")  # noqa: SIM115 - read when the build is over
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said, text=True)
    peak_rss = peak_pss = most_cores = 0.0
    used: dict[int, float] = {}
    window = (time.monotonic(), 0.0)
    while process.poll() is None:
        everything = tree(process.pid)
        rss, pss = memory_mb(everything)
        peak_rss, peak_pss = max(peak_rss, rss), max(peak_pss, pss)
        used |= cpu_seconds(everything)
        now, total = time.monotonic(), sum(used.values())
        if now - window[0] >= 2.0:
            most_cores = max(most_cores, (total - window[1]) / (now - window[0]))
            window = (now, total)
        time.sleep(0.1)
    seconds = time.monotonic() - begin
    if process.returncode:
        said.seek(0)
        print(said.read(), file=sys.stderr)
        return process.returncode
    manifest = json.loads((options.out / "manifest.json").read_text())
    result = {
        "demo": options.demo, "workers": options.workers, "hash": manifest["layers_hash"], "counts": manifest["counts"],
        "seconds": round(seconds, 1), "cpu_seconds": round(sum(used.values()), 1),
        "most_cores_in_2_s": round(most_cores, 2), "peak_rss_mb": round(peak_rss), "peak_pss_mb": round(peak_pss),
        "size_mb": round(sum(f.stat().st_size for f in options.out.iterdir()) / 1e6, 1),
    }  # fmt: skip
    if options.json:
        print(json.dumps(result))
    else:
        for name, value in result.items():
            print(f"{name:<20} {value}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
