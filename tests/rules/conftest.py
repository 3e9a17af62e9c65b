"""Fixtures of the house rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def contract() -> dict[str, Any]:
    """The frozen names, checked in beside the tests that hold the code to them."""
    loaded: dict[str, Any] = json.loads(Path(__file__).with_name("contract.json").read_text(encoding="utf-8"))
    return loaded
