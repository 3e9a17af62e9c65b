"""Values of rules on the supply: hazard and ownership shares, haul limits: unit and label of each."""

from __future__ import annotations

_LAND = ("private", "usfs", "blm", "nps", "state", "tribal", "other")
# id: (unit, label)
TABLE: dict[str, tuple[str, str]] = {
    "min_high_hazard_pct": ("percent_value", "least share of the tons from high hazard zones"),
    "high_hazard_share_pct": ("percent_value", "share of the tons from high hazard zones"),
    "free_high_hazard_share_pct": ("percent_value", "share of the tons from high hazard zones without rules"),
    **{f"{use}_share_pct": ("percent_value", f"share of the tons from {use} land") for use in _LAND},
    **{f"free_{use}_share_pct": ("percent_value", f"share of the tons from {use} land without rules") for use in _LAND},
    **{f"min_{use}_share_pct": ("percent_value", f"least share of the tons from {use} land") for use in _LAND},
    **{f"max_{use}_share_pct": ("percent_value", f"largest share of the tons from {use} land") for use in _LAND},
    "binding_rules": ("count", "rules that bind"),
    "binding_rule": ("text", "rule that binds most"),
    "without_binding_rule_bdt": ("bdt", "feedstock without the rule that binds most"),
    "free_average_delivered_cost": ("usd_per_bdt", "average delivered cost without rules on shares"),
    "rules_extra_cost": ("usd_per_bdt", "extra cost of the rules on shares"),
    "max_road_km": ("km", "longest haul allowed, one way"),
    "max_road_miles": ("miles", "longest haul allowed, one way"),
    "longest_haul_km": ("km", "longest haul taken, one way"),
    "longest_haul_miles": ("miles", "longest haul taken, one way"),
    "beyond_haul_bdt": ("bdt", "feedstock beyond the longest haul, left out"),
}
