"""Values of rules on the supply: hazard and ownership shares, haul limits: unit and label of each."""

from __future__ import annotations

# id: (unit, label)
TABLE: dict[str, tuple[str, str]] = {}
