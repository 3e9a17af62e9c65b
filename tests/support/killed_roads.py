"""Builds a small layer set with roads and kills itself at a named moment: ``python -m tests.support.killed_roads DIR MOMENT``."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.support.killed_build import Killer, arm
from tests.support.roads import RoadedSource

from csrag.build.materialize import materialize

if __name__ == "__main__":
    arm(sys.argv[2])
    materialize(RoadedSource(), Path(sys.argv[1]), workers=1, block_rows=40, progress=Killer(sys.argv[2]))
