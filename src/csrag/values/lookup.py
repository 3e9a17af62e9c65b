"""Values of stock-taking of an area: unit and label of each."""

from __future__ import annotations

# id: (unit, label)
TABLE: dict[str, tuple[str, str]] = {}
