"""The raster's elevations against the table's own."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from csrag.build.recipe.readers import Told, _compare_elevation
from csrag.errors import DataError

OWN_FT = np.linspace(2000.0, 7000.0, 80)


def part(unit: str) -> Any:
    return SimpleNamespace(file=lambda _: Path("dem.tif"), text=lambda _: unit, name="dem")


@pytest.mark.parametrize(
    ("factor", "fix"), [(0.3048, 'vertical_unit = "m"'), (1 / 0.3048, "table's elevation is in metres")]
)
def test_a_foot_taken_for_a_metre_is_refused(factor: float, fix: str) -> None:
    with pytest.raises(DataError, match=r"dem\.tif") as refused:
        _compare_elevation(part("ft"), OWN_FT, (OWN_FT * factor).astype(np.float32), Told())
    assert fix in refused.value.fix
    assert "[clusters] table" in refused.value.message


def test_far_apart_is_said_and_near_is_not() -> None:
    told = Told()
    _compare_elevation(part("m"), OWN_FT, (OWN_FT + 100).astype(np.float32), told)
    assert not told.notes
    _compare_elevation(part("m"), OWN_FT, (OWN_FT + 400).astype(np.float32), told)
    assert "400 ft (median of 80 clusters)" in told.notes[0]


def test_too_few_clusters_judge_no_unit() -> None:
    told = Told()
    _compare_elevation(part("m"), OWN_FT[:40], (OWN_FT[:40] * 0.3048).astype(np.float32), told)
    assert "differ by" in told.notes[0]
