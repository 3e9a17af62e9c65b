"""The unit table: how a unit is written, what it measures, and its size in the unit csrag keeps."""

from __future__ import annotations

import re
from dataclasses import dataclass

from csrag.quantities import ACRES_PER_HECTARE, KM_PER_MILE, M_PER_FT, TONNE_PER_SHORT_TON


@dataclass(frozen=True)
class Unit:
    """A unit a user may write.

    Parameters
    ----------
    name : str
        What it measures and the canonical unit: mw, km, acre, bdt, gt, pct, deg, year, km_per_h, mwh, kw, gal, h.
    factor : float
        Canonical units in one of these.
    bare : bool
        True for "tons" and "tonnes" without a basis, which are read as bone dry.
    label : str
        How a note names it.
    """

    name: str
    factor: float
    bare: bool
    label: str


KM_PER_NAUTICAL_MILE = 1.852
"""International nautical mile, exact."""
MW_PER_HORSEPOWER = 745.699872e-6
"""Mechanical horsepower of 550 foot-pounds a second."""
THERMAL = "MW thermal"
_DRY = r"(?:bone|oven|moisture|absolutely)?[ -]?dry"
_WET = r"(?:green|wet|fresh|raw|as[ -]received)"
# Longest forms first: the first that matches wins.
_TABLE: list[tuple[str, str, float, bool, str]] = [
    (r"bdmt|odmt|bd ?metric tons?|bd ?tonnes?", "bdt", 1 / TONNE_PER_SHORT_TON, False, "BDMT"),
    (rf"{_DRY}[ -]metric[ -](?:tonnes?|tons?)|metric {_DRY} (?:tonnes?|tons?)|{_DRY}[ -](?:tonnes?|toneladas? metricas?)",
     "bdt", 1 / TONNE_PER_SHORT_TON, False, "BDMT"),
    (rf"bdst|bdts?|bd tons?|{_DRY}[ -](?:short[ -]|us )?tons?|dry st|odt|toneladas? (?:totalmente )?secas?",
     "bdt", 1.0, False, "BDT"),
    (rf"{_WET}[ -](?:metric[ -](?:tonnes?|tons?)|tonnes?)|gmt", "gt", 1 / TONNE_PER_SHORT_TON, False, "green tonnes"),
    (rf"{_WET}[ -](?:short[ -]|us )?tons?|gts?|gst|toneladas? verdes?", "gt", 1.0, False, "GT"),
    (r"short tons?|tons?|stons?|toneladas? cortas?", "bdt", 1.0, True, "tons"),
    (r"metric tons?|tonnes?|t|toneladas?(?: metricas?)?", "bdt", 1 / TONNE_PER_SHORT_TON, True, "tonnes"),
    (r"gwh", "mwh", 1000.0, False, "GWh"),
    (r"mwh|megawatt[ -]?hours?", "mwh", 1.0, False, "MWh"),
    (r"kwh|kilowatt[ -]?hours?", "mwh", 0.001, False, "kWh"),
    (r"gws?|gigawatts?|gigavatios?", "mw", 1000.0, False, "GW"),
    (r"(?:mw|megawatts?)[ /-]?(?:th|t|\(th?\)|thermal|of (?:heat|steam)|heat)", "mw", 1.0, False, THERMAL),
    (r"mws?|mwe|mw\(e\)|megawatts?|mega watts?|megavatios?|megas?|megs?", "mw", 1.0, False, "MW"),
    (r"kws?|kwe|kilowatts?|kilovatios?", "mw", 0.001, False, "kW"),
    (r"watts?|vatios?", "mw", 1e-6, False, "W"),
    (r"hp|bhp|horse ?powers?|caballos(?: de (?:fuerza|vapor))?", "mw", MW_PER_HORSEPOWER, False, "horsepower"),
    (r"mph|miles? (?:per|an) hour|mi/h", "km_per_h", KM_PER_MILE, False, "mph"),
    (r"km ?/ ?h|kph|kmh|km (?:per|an) hour|kilomet(?:er|re)s? (?:per|an) hour", "km_per_h", 1.0, False, "km/h"),
    (r"nautical (?:miles?|mi)|naut\.? ?mi(?:les?)?|nmi|nm|sea miles?|millas? nauticas?", "km",
      KM_PER_NAUTICAL_MILE, False, "nautical miles"),
    (r"miles?|mi|millas?", "km", KM_PER_MILE, False, "miles"),
    (r"kms?|kilomet(?:er|re)s?|kilometros?|klicks?", "km", 1.0, False, "km"),
    (r"met(?:er|re)s?|metros?|m", "km", 0.001, False, "m"),
    (r"feet|foot|ft", "km", M_PER_FT / 1000, False, "ft"),
    (r"hectares?|hectareas?|ha", "acre", ACRES_PER_HECTARE, False, "ha"),
    (r"acres?|ac", "acre", 1.0, False, "acres"),
    (r"%|percent|per cent|pct|por ciento|percentage points?", "pct", 1.0, False, "percent"),
    (r"°|degrees?|degs?|grados?", "deg", 1.0, False, "degrees"),
    (r"years?|yrs?|anos?", "year", 1.0, False, "years"),
    (r"decades?|decadas?", "year", 10.0, False, "decades"),
    (r"gal(?:lons?)?|galon(?:es)?", "gal", 1.0, False, "gallon"),
    (r"lit(?:er|re)s?|l|litros?", "gal", 1 / 3.785411784, False, "litre"),
    (r"hours?|hrs?|hr|h|horas?", "h", 1.0, False, "hour"),
]  # fmt: skip

_UNITS = [Unit(name, factor, bare, label) for _, name, factor, bare, label in _TABLE]
_PATTERN = re.compile("|".join(f"(?P<u{i}>{form})" for i, (form, *_) in enumerate(_TABLE)))
_BOUNDED = re.compile(rf"(?:{_PATTERN.pattern})(?![a-z0-9])(?!\(e)")


def unit_at(text: str, pos: int) -> tuple[Unit, int] | None:
    """The unit written at `pos`, and where it ends; None where there is none."""
    m = _BOUNDED.match(text, pos)
    if m is None or m.lastgroup is None:
        return None
    return _UNITS[int(m.lastgroup[1:])], m.end()
