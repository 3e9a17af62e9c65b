"""Tasks that misbehave, for the tests of the cluster engine; the workers import this module by its name."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from csrag.build.dask_engine import Computed, compute_block


def deadly(job_text: str, expected: str, treatment: int, inputs: dict[str, NDArray[Any]]) -> Computed:
    """Kills its worker at the second treatment, every time."""
    if treatment == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return compute_block(job_text, expected, treatment, inputs)


def deadly_once(job_text: str, expected: str, treatment: int, inputs: dict[str, NDArray[Any]]) -> Computed:
    """Kills its worker in the middle of a block, the first time any worker comes to the second treatment."""
    if treatment == 1:
        mark = Path(os.environ["CSRAG_TEST_MARK"])
        try:
            mark.touch(exist_ok=False)
        except FileExistsError:
            pass
        else:
            os.kill(os.getpid(), signal.SIGKILL)
    return compute_block(job_text, expected, treatment, inputs)


def slow(job_text: str, expected: str, treatment: int, inputs: dict[str, NDArray[Any]]) -> Computed:
    """Takes a little while, so that a test can act meanwhile."""
    time.sleep(0.05)
    return compute_block(job_text, expected, treatment, inputs)


def failing(job_text: str, expected: str, treatment: int, inputs: dict[str, NDArray[Any]]) -> Computed:  # noqa: ARG001
    """Fails as code does."""
    raise ZeroDivisionError("division by zero")


def damaging(job_text: str, expected: str, treatment: int, inputs: dict[str, NDArray[Any]]) -> Computed:
    """Loses a bit on the way back."""
    crc, outputs = compute_block(job_text, expected, treatment, inputs)
    return crc ^ 1, outputs
