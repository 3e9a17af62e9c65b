"""Names and two-letter codes of the other states, and which codes are also English words."""

from __future__ import annotations

from typing import Final

STATE_NAMES: Final[dict[str, str]] = {
    "AL": "Alabama", "AK": "Alaska", "AZ": "Arizona", "AR": "Arkansas", "CO": "Colorado", "CT": "Connecticut",
    "DE": "Delaware", "DC": "District of Columbia", "FL": "Florida", "GA": "Georgia", "HI": "Hawaii", "ID": "Idaho",
    "IL": "Illinois", "IN": "Indiana", "IA": "Iowa", "KS": "Kansas", "KY": "Kentucky", "LA": "Louisiana",
    "ME": "Maine", "MD": "Maryland", "MA": "Massachusetts", "MI": "Michigan", "MN": "Minnesota", "MS": "Mississippi",
    "MO": "Missouri", "MT": "Montana", "NE": "Nebraska", "NV": "Nevada", "NH": "New Hampshire", "NJ": "New Jersey",
    "NM": "New Mexico", "NY": "New York", "NC": "North Carolina", "ND": "North Dakota", "OH": "Ohio",
    "OK": "Oklahoma", "OR": "Oregon", "PA": "Pennsylvania", "RI": "Rhode Island", "SC": "South Carolina",
    "SD": "South Dakota", "TN": "Tennessee", "TX": "Texas", "UT": "Utah", "VT": "Vermont", "VA": "Virginia",
    "WA": "Washington", "WV": "West Virginia", "WI": "Wisconsin", "WY": "Wyoming",
}  # fmt: skip
"""Two-letter code to name, California left out."""

STATE_CODES: Final[dict[str, str]] = {name.lower(): code for code, name in STATE_NAMES.items()}
"""Lower-case name to code."""

WORDLIKE_CODES: Final = frozenset(
    {"OR", "IN", "ME", "OK", "HI", "OH", "PA", "LA", "DE", "ID", "MA", "CO", "AL", "MT", "MS", "MD", "CT", "NE", "KS"}
)
"""Codes that are words, units or abbreviations too: they count only in capitals, right after a place's name."""
