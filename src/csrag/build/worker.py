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
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from csrag.simulators.harvest import HarvestEconomics, harvest
from csrag.surfaces import files
from csrag.surfaces.catalog import COLUMNS, REMOVAL_COLUMNS, SITE_STAND_COLUMNS
from csrag.surfaces.frame import ClusterFrame

if TYPE_CHECKING:
    from csrag.build.surrogate.layer import SurrogateCost

JOB_FILE = "job.json"
INPUT_COLUMNS = (*SITE_STAND_COLUMNS, *REMOVAL_COLUMNS)
OUTPUT_COLUMNS = ("cost_usd_per_bdt", "feedstock_bdt", "coproduct_bdt")
Task = tuple[int, int, int]
"""Treatment, first row, end row."""


@dataclass(frozen=True)
class BlockJob:
    """What every block of a build shares, as the job file says it; it travels to other machines as that text.

    Parameters
    ----------
    clear_cut : tuple of bool
        Whether a treatment is a clear cut, in storage order.
    systems : tuple of str
        Harvesting systems in storage order.
    mapping : str
        split, fixed or backend.
    economics : HarvestEconomics
        Harvest economics.
    cost : SurrogateCost or None
        Predicts the costs; None where the simulator computes them.
    """

    clear_cut: tuple[bool, ...]
    systems: tuple[str, ...]
    mapping: str
    economics: HarvestEconomics
    cost: SurrogateCost | None = None

    @classmethod
    def from_text(cls, text: str) -> BlockJob:
        """Read a job file's text."""
        job: dict[str, Any] = json.loads(text)
        return cls(
            tuple(bool(t["clear_cut"]) for t in job["treatments"]), tuple(job["systems"]), str(job["mapping"]),
            HarvestEconomics(**job["economics"]), _surrogate(job.get("cost_method")),
        )  # fmt: skip


def _surrogate(said: Mapping[str, str] | None) -> SurrogateCost | None:
    if said is None:
        return None
    from csrag.build.surrogate.layer import SurrogateCost

    return SurrogateCost(said["model"], said["hash"])


def block_outputs(job: BlockJob, treatment: int, inputs: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[np.float32]]:
    """Costs and tons of one block; a pure function of its arguments, the same wherever it runs.

    Parameters
    ----------
    job : BlockJob
        What the blocks share.
    treatment : int
        Index of the treatment.
    inputs : mapping of str to ndarray, shape (k,)
        `INPUT_COLUMNS` as they are stored.

    Returns
    -------
    dict of str to ndarray of float32
        `OUTPUT_COLUMNS`: cost (systems, k) [USD per BDT], feedstock (classes, k) and saw logs (k,) [BDT a cluster]; NaN where
        there is no record.
    """
    stand = {name: inputs[name].astype(np.float64) for name in INPUT_COLUMNS}
    known = np.logical_and.reduce([np.isfinite(stand[name]) for name in REMOVAL_COLUMNS])
    for name in REMOVAL_COLUMNS:
        stand[name] = np.where(known, stand[name], 0.0)
    clear_cut = job.clear_cut[treatment]
    # Tons follow from the stand by closed forms: they are the simulator's own, whoever gives the cost.
    simulated = job.systems if job.cost is None else ()
    result = harvest(ClusterFrame(stand), simulated, job.economics, clear_cut=clear_cut, mapping=job.mapping)
    cost = result.cost_usd_per_bdt
    if job.cost is not None:
        cost = job.cost.costs(stand, result.feedstock_bdt, job.systems, job.economics, job.mapping, clear_cut)
    # No record is not a record of zero tons: all three columns stay unknown.
    made = {
        "cost_usd_per_bdt": cost, "feedstock_bdt": result.feedstock_bdt,
        "coproduct_bdt": result.coproduct_bdt,
    }  # fmt: skip
    return {name: np.where(known, values, np.nan).astype(COLUMNS[name].dtype) for name, values in made.items()}


def block_checksum(outputs: Mapping[str, NDArray[Any]]) -> int:
    """CRC-32 of the three output columns of a block, in their order."""
    crc = 0
    for name in OUTPUT_COLUMNS:
        crc = zlib.crc32(np.ascontiguousarray(outputs[name]).tobytes(), crc)
    return crc


class BlockWorker:
    """Reads, computes and writes the blocks of a build directory.

    Parameters
    ----------
    directory : Path
        Holds the input columns, the output columns at their final size, and the job file.
    """

    def __init__(self, directory: Path) -> None:
        text = (directory / JOB_FILE).read_text(encoding="utf-8")
        self._job = BlockJob.from_text(text)
        shapes = {name: tuple(shape) for name, shape in json.loads(text)["shapes"].items()}

        def opened(name: str, writable: bool) -> NDArray[Any]:
            return files.open_column(directory / f"{name}.npy", COLUMNS[name].dtype, shapes[name], writable=writable)

        self._inputs = {name: opened(name, False) for name in INPUT_COLUMNS}
        self._outputs = {name: opened(name, True) for name in OUTPUT_COLUMNS}

    def inputs(self, task: Task) -> dict[str, NDArray[Any]]:
        """The block's `INPUT_COLUMNS`, each of shape (k,), read from the mapping as they are used."""
        t, a, b = task
        return {name: column[a:b] if column.ndim == 1 else column[t, a:b] for name, column in self._inputs.items()}

    @property
    def values_a_record(self) -> int:
        """Number of output values of a record: costs, feedstock classes and saw logs."""
        return sum(int(np.prod(column.shape[1:-1])) for column in self._outputs.values())

    def run(self, task: Task) -> int:
        """Compute one block; returns the checksum of what was written."""
        return self.write(task, block_outputs(self._job, task[0], self.inputs(task)))

    def write(self, task: Task, outputs: Mapping[str, NDArray[Any]]) -> int:
        """Put a block's outputs into the columns; returns the checksum of what was written."""
        t, a, b = task
        for name in OUTPUT_COLUMNS:
            self._outputs[name][t, ..., a:b] = outputs[name]
        return self.checksum(task)

    def checksum(self, task: Task) -> int:
        """CRC-32 of the three output columns over a block."""
        t, a, b = task
        return block_checksum({name: self._outputs[name][t, ..., a:b] for name in OUTPUT_COLUMNS})


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
