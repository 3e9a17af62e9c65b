"""Values of comparisons: unit and label of each."""

from __future__ import annotations

# id: (unit, label)
TABLE: dict[str, tuple[str, str]] = {}
