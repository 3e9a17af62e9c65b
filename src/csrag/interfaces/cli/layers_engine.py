"""Where `csrag layers build` and `csrag layers import` compute: this machine, or a cluster."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from csrag.errors import RequestError

if TYPE_CHECKING:
    from csrag.build.materialize import Engine


def add_engine(parser: argparse.ArgumentParser) -> None:
    """Add the options --engine and --scheduler."""
    parser.add_argument(
        "--engine", choices=["local", "dask"], default="local",
        help="where it is computed: processes of this machine (default) or a cluster (extra `dask`)",
    )  # fmt: skip
    parser.add_argument("--scheduler", metavar="ADDRESS", help="the cluster's scheduler, such as tcp://10.0.0.5:8786 "
                        "(default: two workers on this machine)")  # fmt: skip


@contextmanager
def chosen_engine(options: argparse.Namespace) -> Iterator[Engine | None]:
    """The engine that the options name, connected and checked; None for processes of this machine.

    Raises
    ------
    RequestError
        If --scheduler is given without --engine dask, `distributed` is missing, or no scheduler answers.
    DataError
        If the cluster has no workers, or its workers would compute other bytes.
    """
    if options.engine == "local":
        if options.scheduler:
            raise RequestError(
                "--scheduler names a cluster, and the engine is local.", "Add --engine dask, or leave --scheduler out."
            )
        yield None
        return
    from csrag.build.dask_engine import dask_engine

    with dask_engine(options.scheduler, options.workers) as engine:
        yield engine
