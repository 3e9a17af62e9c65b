"""Reading answer records."""

from __future__ import annotations

from typing import Any


def value(record: dict[str, Any], value_id: str) -> Any:
    """The value of one id."""
    return record["values"][value_id]["value"]


def codes(record: dict[str, Any]) -> set[str]:
    """Codes of the warnings."""
    return {w["code"] for w in record["warnings"]}
