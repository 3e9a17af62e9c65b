"""Builds a crop of the California demonstration: ``python -m tests.support.california_crop DIR WORKERS``."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from csrag.build.materialize import materialize
from csrag.build.progress import PlainProgress
from csrag.build.sources.demo import DemoSource
from csrag.build.sources.demo_california import CALIFORNIA
from csrag.surfaces.manifest import Manifest

CROP = replace(CALIFORNIA, name="california-crop", box=(39.4, 40.4, -121.6, -120.4))
BLOCK_ROWS = 2048


def build_crop(out: Path, workers: int | None, *, compact: bool = True) -> Manifest:
    """Build the crop as a compact set, in small blocks so that there is much to resume."""
    return materialize(
        DemoSource(CROP), out, workers=workers, block_rows=BLOCK_ROWS, compact=compact, progress=PlainProgress(0.2)
    )


if __name__ == "__main__":
    build_crop(Path(sys.argv[1]), int(sys.argv[2]))
