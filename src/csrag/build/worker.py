"""Costs of one block of records: the unit of work of a build, in this process or in one of its own.

Run as ``python -m csrag.build.worker DIR`` it reads tasks from stdin, one ``treatment start stop`` a line, and answers
each with the checksum of what it wrote. A process of its own rather than a forked or spawned one: nothing of the
caller's main module is imported again, and the end of the caller closes stdin and so ends the worker.
"""

from __future__ import annotations

import json
import signal
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.simulators.harvest import HarvestEconomics, harvest
from csrag.surfaces import files
from csrag.surfaces.catalog import COLUMNS, REMOVAL_COLUMNS, SITE_STAND_COLUMNS
from csrag.surfaces.frame import ClusterFrame

JOB_FILE = "job.json"
OUTPUT_COLUMNS = ("cost_usd_per_bdt", "feedstock_bdt", "coproduct_bdt")
Task = tuple[int, int, int]
"""Treatment, first row, end row."""


class BlockWorker:
    """Computes blocks of a build directory and writes them in place.

    Parameters
    ----------
    directory : Path
        Holds the input columns, the output columns at their final size, and the job file.
    """

    def __init__(self, directory: Path) -> None:
        job: dict[str, Any] = json.loads((directory / JOB_FILE).read_text(encoding="utf-8"))
        self._treatments: list[dict[str, Any]] = job["treatments"]
        self._systems = tuple(job["systems"])
        self._mapping = str(job["mapping"])
        self._economics = HarvestEconomics(**job["economics"])
        shapes = {name: tuple(shape) for name, shape in job["shapes"].items()}

        def opened(name: str, writable: bool) -> NDArray[Any]:
            return files.open_column(directory / f"{name}.npy", COLUMNS[name].dtype, shapes[name], writable=writable)

        self._inputs = {name: opened(name, False) for name in (*SITE_STAND_COLUMNS, *REMOVAL_COLUMNS)}
        self._outputs = {name: opened(name, True) for name in OUTPUT_COLUMNS}

    def run(self, task: Task) -> int:
        """Compute one block; returns the checksum of what was written."""
        t, a, b = task
        stand = {name: self._inputs[name][a:b].astype(np.float64) for name in SITE_STAND_COLUMNS}
        stand.update({name: self._inputs[name][t, a:b].astype(np.float64) for name in REMOVAL_COLUMNS})
        known = np.logical_and.reduce([np.isfinite(stand[name]) for name in REMOVAL_COLUMNS])
        for name in REMOVAL_COLUMNS:
            stand[name] = np.where(known, stand[name], 0.0)
        result = harvest(
            ClusterFrame(stand), self._systems, self._economics,
            clear_cut=bool(self._treatments[t]["clear_cut"]), mapping=self._mapping,
        )  # fmt: skip
        # No record is not a record of zero tons: all three columns stay unknown.
        self._outputs["cost_usd_per_bdt"][t, :, a:b] = np.where(known, result.cost_usd_per_bdt, np.nan)
        self._outputs["feedstock_bdt"][t, :, a:b] = np.where(known, result.feedstock_bdt, np.nan)
        self._outputs["coproduct_bdt"][t, a:b] = np.where(known, result.coproduct_bdt, np.nan)
        return self.checksum(task)

    def checksum(self, task: Task) -> int:
        """CRC-32 of the three output columns over a block."""
        t, a, b = task
        crc = 0
        for name in OUTPUT_COLUMNS:
            crc = zlib.crc32(np.ascontiguousarray(self._outputs[name][t, ..., a:b]).tobytes(), crc)
        return crc


def main() -> int:
    """Serve tasks until stdin closes."""
    # The caller decides when to stop; an interrupt at the terminal reaches it too.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    worker = BlockWorker(Path(sys.argv[1]))
    for line in sys.stdin:
        t, a, b = (int(part) for part in line.split())
        try:
            print(worker.run((t, a, b)), flush=True)
        except Exception as error:
            print(f"error {type(error).__name__}: {error}".replace("\n", " "), flush=True)
            return 4
    return 0


if __name__ == "__main__":
    sys.exit(main())
