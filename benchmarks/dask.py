"""Throughput of a build on this machine and on a local cluster of two workers, and whether the bytes are equal.

    OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 python benchmarks/dask.py [--region northern-sierra] [--rounds 3] [--workers 2]
                                                                        [--scheduler ADDRESS]

Only the costing of the blocks is compared (the phase that a cluster takes over), in the same rounds; the fields, the order and
the hashes are made by one process either way. Wall time. The layers are synthetic.
"""

from __future__ import annotations

import argparse
import platform
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from csrag.build.dask_engine import dask_engine
from csrag.build.materialize import materialize
from csrag.build.sources.demo import demo_source


class Clock:
    """Wall time of each phase of a build [s], and how much it did."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.total: dict[str, int] = {}
        self._label, self._begin = "", 0.0

    def start(self, label: str, total: int, unit: str) -> None:  # noqa: ARG002
        """A phase begins, so the one before has ended."""
        self.stop()
        self._label, self._begin, self.total[label] = label, time.perf_counter(), total

    def advance(self, count: int) -> None:
        """Nothing: only whole phases are timed."""

    def stop(self) -> None:
        """The last phase ends."""
        if self._label:
            self.seconds[self._label] = time.perf_counter() - self._begin


def main() -> int:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--region", default="northern-sierra", help="demonstration region")
    parser.add_argument("--rounds", type=int, default=3, help="rounds; the median is printed")
    parser.add_argument("--workers", type=int, default=2, help="processes of either engine")
    parser.add_argument("--scheduler", help="a cluster of your own instead of one on this machine")
    options = parser.parse_args()
    rates: dict[str, list[float]] = {"local": [], "dask": []}
    whole: dict[str, list[float]] = {"local": [], "dask": []}
    hashes: set[str] = set()
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(options.rounds):
            for engine in rates:
                clock, out = Clock(), Path(folder) / engine
                shutil.rmtree(out, ignore_errors=True)
                begin = time.perf_counter()
                if engine == "local":
                    made = materialize(demo_source(options.region), out, workers=options.workers, progress=clock)
                else:
                    with dask_engine(options.scheduler, options.workers) as cluster:
                        made = materialize(demo_source(options.region), out, engine=cluster, progress=clock)
                whole[engine].append(time.perf_counter() - begin)
                clock.stop()
                hashes.add(made.layers_hash)
                label = next(name for name in clock.seconds if name.startswith("computing"))
                rates[engine].append(clock.total[label] / clock.seconds[label])
    print(
        f"{platform.machine()}, Python {platform.python_version()}, NumPy {np.__version__}; {options.region}, synthetic, ",
        end="",
    )
    print(f"{made.counts['records']:,} records, {options.workers} workers, median of {options.rounds} rounds")
    print("| engine | records/s costed | slowest round | records/s a worker | whole build, s |\n|---|---|---|---|---|")
    for engine, found in rates.items():
        middle = statistics.median(found)
        print(f"| {engine} | {middle:,.0f} | {min(found):,.0f} | {middle / options.workers:,.0f} | "
              f"{statistics.median(whole[engine]):.1f} |")  # fmt: skip
    print(f"hashes: {'equal' if len(hashes) == 1 else 'DIFFERENT'} ({', '.join(sorted(h[:16] for h in hashes))})")
    return 0 if len(hashes) == 1 else 1


if __name__ == "__main__":
    sys.exit(main())
