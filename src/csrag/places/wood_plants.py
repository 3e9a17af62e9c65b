"""Other users of wood: a small built-in table of California's wood-burning plants, and a table of the user's own.

Names and points of the built-in plants are the gazetteer's (a plant's point is that of its town). Capacities are round
figures of general public knowledge about these plants; what each burns of forest wood is ASSUMED, see `FOREST_SHARE`.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from csrag.errors import CsragError, InvalidValueError, RequestError
from csrag.geo import check_point
from csrag.places.gazetteer import lookup
from csrag.quantities import HHV_GJ_PER_BDMT, HOURS_PER_YEAR, TONNE_PER_SHORT_TON

BDT_PER_MW_YEAR = HOURS_PER_YEAR * 0.8 * 3.6 / (0.2 * HHV_GJ_PER_BDMT) / TONNE_PER_SHORT_TON
"""Wood of one MW in a year [BDT]: 80 % capacity factor, 20 % efficiency on the higher heating value, 7,473."""
FOREST_SHARE = {"power plant": 0.5, "mill": 0.2, "gasifier": 1.0}
"""Share of a plant's fuel that is cut in the forest for it (assumed): power plants burn farm and city wood too, the boilers
of mills mostly their own bark and sawdust."""
MAX_PLANTS = 1000
MAX_MW = 500.0
MAX_BDT = 5_000_000.0

BUILT_IN = (
    ("Sierra Pacific Quincy", 27.0, "mill"),
    ("Sierra Pacific Burney", 20.0, "mill"),
    ("Sierra Pacific Anderson", 30.0, "mill"),
    ("Sierra Pacific Lincoln", 18.0, "mill"),
    ("Sierra Pacific Sonora", 7.0, "mill"),
    ("Collins Pine Chester", 12.0, "mill"),
    ("Burney Forest Power", 31.0, "power plant"),
    ("Wheelabrator Shasta", 50.0, "power plant"),
    ("Honey Lake Power", 32.0, "power plant"),
    ("Rio Bravo Rocklin", 25.0, "power plant"),
    ("Rio Bravo Fresno", 25.0, "power plant"),
    ("Pacific Ultrapower Chinese Station", 20.0, "power plant"),
    ("Woodland Biomass", 25.0, "power plant"),
    ("Humboldt Sawmill", 28.0, "mill"),
    ("Roseburg Forest Products Weed", 12.0, "mill"),
    ("Buena Vista Biomass Power", 18.0, "power plant"),
    ("North Fork Community Power", 2.0, "gasifier"),
)
"""Name, capacity [MW], kind. Left out: plants that have stood idle, mills without a generator, rice hulls, coal."""


@dataclass(frozen=True)
class WoodPlant:
    """A plant that takes forest wood.

    Parameters
    ----------
    name : str
        Its name.
    lat, lon : float
        [degrees]
    bdt_per_year : float
        Forest wood that it takes in a year [BDT].
    capacity_mw : float or None
        [MW]; None where the table gives tons.
    basis : str
        Where the figure comes from.
    """

    name: str
    lat: float
    lon: float
    bdt_per_year: float
    capacity_mw: float | None
    basis: str


@lru_cache(maxsize=1)
def built_in_plants() -> tuple[WoodPlant, ...]:
    """The built-in table; every demand in it is assumed."""
    out = []
    for name, capacity, kind in BUILT_IN:
        place = next(p for p in lookup(name) if p.kind == "plant")
        share = FOREST_SHARE[kind]
        basis = f"assumed: {capacity:g} MW x {BDT_PER_MW_YEAR:,.0f} BDT a MW and year x {share:.0%} cut in the forest ({kind})"
        out.append(WoodPlant(name, place.lat, place.lon, capacity * BDT_PER_MW_YEAR * share, capacity, basis))
    return tuple(out)


def read_plants(path: Path) -> tuple[WoodPlant, ...]:
    """A table of the user's own: CSV with the columns name, lat, lon and one of mw and bdt_per_year.

    Parameters
    ----------
    path : Path
        The file, UTF-8. A row may leave one of mw and bdt_per_year empty; where both stand, the tons count. Capacity
        becomes tons at 80 % capacity factor and 20 % efficiency, all of it forest wood.

    Returns
    -------
    tuple of WoodPlant
        In the order of the file; empty for a table without rows.

    Raises
    ------
    RequestError
        If the file cannot be read or a column is missing.
    InvalidValueError
        For a row without meaning, naming its line.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = "is no UTF-8 text" if isinstance(error, UnicodeDecodeError) else "cannot be read"
        raise _unreadable(f"The table of plants {path.name!r} {why}.") from None
    rows = csv.DictReader(text.splitlines())
    found = {(name or "").strip().lower(): name for name in rows.fieldnames or ()}
    missing = [name for name in ("name", "lat", "lon") if name not in found]
    if not {"mw", "bdt_per_year"} & set(found):
        missing.append("mw or bdt_per_year")
    if missing:
        raise _unreadable(f"The table of plants {path.name!r} lacks {', '.join(missing)}.")
    out = []
    try:
        for row in rows:
            cells = {key: (row.get(column) or "").strip() for key, column in found.items()}
            if any(cells.values()):
                out.append(_plant(cells, rows.line_num))
    except csv.Error as error:
        raise _unreadable(f"The table of plants {path.name!r} is no CSV: {error}.") from None
    if len(out) > MAX_PLANTS:
        raise _unreadable(f"The table of plants has {len(out):,} rows; {MAX_PLANTS:,} are allowed.")
    return tuple(out)


def _unreadable(message: str) -> RequestError:
    fix = "Give a CSV file whose first line names the columns: name,lat,lon,mw or name,lat,lon,bdt_per_year."
    return RequestError(message, fix, code="plants_unreadable")


def _plant(cells: Mapping[str, str], line: int) -> WoodPlant:
    where = f"Line {line} of the table of plants"
    name = "".join(c for c in cells["name"] if c.isprintable())[:80]
    if not name:
        raise InvalidValueError(f"{where} has no name.", "Name every plant.")
    lat, lon = (_number(cells, key, where, -180, 180) for key in ("lat", "lon"))
    try:
        check_point(lat, lon)
    except CsragError as error:
        raise InvalidValueError(f"{where} ({name}): {error.message}", error.fix) from None
    if cells.get("bdt_per_year"):
        return WoodPlant(name, lat, lon, _number(cells, "bdt_per_year", where, 0, MAX_BDT), None, "your table")
    capacity = _number(cells, "mw", where, 0, MAX_MW)
    basis = f"your table: {capacity:g} MW x {BDT_PER_MW_YEAR:,.0f} BDT a MW and year (assumed)"
    return WoodPlant(name, lat, lon, capacity * BDT_PER_MW_YEAR, capacity, basis)


def _number(cells: Mapping[str, str], key: str, where: str, low: float, high: float) -> float:
    text = cells.get(key, "")
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not low <= value <= high:
        raise InvalidValueError(f"{where} has {key} = {text!r}.", f"Give a number from {low:g} to {high:g}.")
    return value
