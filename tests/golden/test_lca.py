"""Life-cycle model against the golden rows of `@ucdavis/lca` 1.6.8."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path
from typing import Any

import pytest

from csrag.economics import models
from csrag.errors import InvalidValueError

REFUSED = {"unknown technology": "technology", "text": "harvestDiesel", "missing": "missing"}


def rows(shared_dir: Path) -> list[dict[str, Any]]:
    with gzip.open(shared_dir / "golden" / "tea" / "lca_public.jsonl.gz", "rt") as lines:
        return [json.loads(line) for line in lines]


@pytest.mark.shared
def test_every_golden_row(shared_dir: Path) -> None:
    compared = 0
    for row in rows(shared_dir):
        if row.get("note") in REFUSED:
            with pytest.raises(InvalidValueError, match=REFUSED[row["note"]]):
                models.run("lca", row["inputs"])
            continue
        got = models.run("lca", row["inputs"])
        assert got.keys() == row["outputs"].keys()
        for group, wanted in row["outputs"].items():
            assert got[group].keys() == wanted.keys()
            for name, want in wanted.items():
                assert math.isclose(got[group][name], want, rel_tol=1e-11), f"{row['id']} {group}.{name}"
        compared += 1
    assert compared == 197


@pytest.mark.shared
def test_stages_add_up_to_the_whole(shared_dir: Path) -> None:
    for row in rows(shared_dir):
        if row.get("note") not in REFUSED:
            got = models.run("lca", row["inputs"])
            assert sum(got["lifeStageCO2"].values()) == pytest.approx(got["lifeCycleEmissions"]["CO2"], rel=1e-12)
            assert sum(got["lifeStageGWP"].values()) == pytest.approx(
                got["lifeCycleImpacts"]["global_warming_air"], rel=1e-12
            )


def test_a_negative_use_is_computed_with_a_caution() -> None:
    inputs = dict.fromkeys(("harvestDiesel", "unloadDiesel", "gasoline", "jetfuel", "construction", "equipment"), 0)
    outcome = models.evaluate("lca", inputs | {"technology": "GP", "distance": -0.01})
    assert outcome.outputs["lifeStageCO2"]["transport"] == pytest.approx(-0.026706)
    assert [c.code for c in outcome.cautions] == ["outside_model_range"]
