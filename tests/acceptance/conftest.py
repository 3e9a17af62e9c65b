"""Acceptance cases as data: a test names its cases and gets their records."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from csrag.ask.pipeline import CatchmentCache, ask
from csrag.interfaces.open import open_layers
from csrag.surfaces.store import LayerStore


@pytest.fixture(scope="session")
def demo(demo_layers: Path) -> LayerStore:
    """The demonstration layers, opened."""
    return open_layers(str(demo_layers))


@pytest.fixture(scope="session")
def answer(demo: LayerStore) -> Callable[..., dict[str, Any]]:
    """Ask in process; gives the answer record as JSON, and checks that it is JSON and that its text is backed."""

    def run(question: str, *earlier: str, cache: CatchmentCache | None = None) -> dict[str, Any]:
        result = ask(demo, question, earlier, cache)
        record: dict[str, Any] = json.loads(json.dumps(result.to_json(), allow_nan=False))
        record["exit_code"] = result.exit_code
        record["selected"] = result.selected
        return record

    return run


@pytest.fixture(autouse=True)
def case(request: pytest.FixtureRequest) -> dict[str, Any]:
    """The shared case that the test's `case` mark names; a test made from a case that is gone fails."""
    marker = request.node.get_closest_marker("case")
    if marker is None:
        return {}
    shared_dir: Path = request.getfixturevalue("shared_dir")
    for line in (shared_dir / "acceptance" / "cases.jsonl").read_text(encoding="utf-8").splitlines():
        record: dict[str, Any] = json.loads(line)
        if record["id"] == marker.args[0]:
            return record
    pytest.fail(f"case {marker.args[0]} is not in the shared cases")
