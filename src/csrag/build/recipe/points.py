"""Tables of plants and substations: points with a name, kept in the manifest of the layer set."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from csrag.errors import TableRefusedError
from csrag.geo import in_california_box
from csrag.places.wood_plants import BDT_PER_MW_YEAR, MAX_BDT, MAX_MW, MAX_PLANTS

MAX_SUBSTATIONS = 10_000
_KNOWN_NAMES = {
    "name": ("name", "plant_name", "plant name"),
    "lat": ("lat", "latitude", "y"),
    "lon": ("lon", "lng", "longitude", "x"),
    "mw": ("mw", "capacity_mw", "nameplate capacity (mw)"),
    "bdt_per_year": ("bdt_per_year",),
    "kv": ("kv", "max_volt", "voltage_kv"),
}
"""Column names that are found without being named: our own, those of EIA-860 and of HIFLD."""
_EXAMPLES = 3


@dataclass(frozen=True)
class Points:
    """A table that was read.

    Parameters
    ----------
    rows : tuple of mapping
        Plants: name, lat, lon [degrees], bdt_per_year [BDT], capacity_mw [MW] or None, basis. Substations: name, lat, lon
        [degrees], kv [kV] or None.
    outside : int
        Rows outside California, left out.
    """

    rows: tuple[Mapping[str, Any], ...]
    outside: int


def read_plants_table(path: Path, columns: Mapping[str, str]) -> Points:
    """Plants that take forest wood: name, point, and capacity or wood of a year.

    Parameters
    ----------
    path : Path
        CSV, UTF-8.
    columns : mapping of str to str
        Names of the columns by meaning (name, lat, lon, mw, bdt_per_year); usual names are found without it. Where both
        stand the tons count; capacity becomes tons as in `csrag.places.wood_plants`.

    Raises
    ------
    TableRefusedError
        With all columns that are missing, or all lines without meaning counted and the first of them shown.
    """
    rows, found = _rows(path, columns, ("name", "lat", "lon"), ("mw", "bdt_per_year"))
    lines = _Lines(path, "plants")
    out: list[Mapping[str, Any]] = []
    for line, row in rows:
        point = lines.point(line, row, found)
        if point is None:
            continue
        tons = lines.number(line, row, found, "bdt_per_year", 0, MAX_BDT)
        mw = lines.number(line, row, found, "mw", 0, MAX_MW)
        if tons is not None:
            out.append({**point, "bdt_per_year": tons, "capacity_mw": mw, "basis": f"table {path.name}"})
        elif mw is not None:
            basis = f"table {path.name}: {mw:g} MW x {BDT_PER_MW_YEAR:,.0f} BDT a MW and year (assumed)"
            out.append({**point, "bdt_per_year": mw * BDT_PER_MW_YEAR, "capacity_mw": mw, "basis": basis})
        else:
            lines.bad(line, "has neither mw nor bdt_per_year")
    return lines.done(out, MAX_PLANTS)


def read_substations_table(path: Path, columns: Mapping[str, str]) -> Points:
    """Substations: name, point, and voltage where it is known.

    Parameters
    ----------
    path : Path
        CSV, UTF-8.
    columns : mapping of str to str
        Names of the columns by meaning (name, lat, lon, kv); usual names are found without it.

    Raises
    ------
    TableRefusedError
        With all columns that are missing, or all lines without meaning counted and the first of them shown.
    """
    rows, found = _rows(path, columns, ("name", "lat", "lon"), ())
    lines = _Lines(path, "substations")
    out: list[Mapping[str, Any]] = []
    for line, row in rows:
        point = lines.point(line, row, found)
        if point is not None:
            # HIFLD writes an unknown voltage as -999999.
            kv = lines.number(line, row, found, "kv", -1e6, 2000)
            out.append({**point, "kv": kv if kv is not None and kv > 0 else None})
    return lines.done(out, MAX_SUBSTATIONS)


def _rows(
    path: Path, columns: Mapping[str, str], needed: tuple[str, ...], any_of: tuple[str, ...]
) -> tuple[list[tuple[int, list[str]]], dict[str, int]]:
    """Lines with their numbers, and the place of each column by meaning."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = "is no UTF-8 text" if isinstance(error, UnicodeDecodeError) else f"cannot be read: {error.strerror}"
        raise TableRefusedError(f"{path} {why}.", "Save it as CSV in UTF-8.", code="points_unreadable") from None
    reader = csv.reader(text.splitlines())
    try:
        header = next(reader, [])
        rows = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise TableRefusedError(f"{path} is no CSV: {error}.", "Export it again.", code="points_unreadable") from None
    place = {name.strip().lower(): i for i, name in reversed(list(enumerate(header)))}
    found: dict[str, int] = {}
    missing: list[str] = []
    for meaning in _KNOWN_NAMES:
        named = columns.get(meaning)
        names = (named.strip().lower(),) if named else _KNOWN_NAMES[meaning]
        at = next((place[name] for name in names if name in place), None)
        if at is not None:
            found[meaning] = at
        elif named:
            missing.append(f"{named} (given for {meaning})")
        elif meaning in needed:
            missing.append(f"{meaning} (or {', '.join(names[1:])})" if names[1:] else meaning)
    if any_of and not set(any_of) & set(found):
        missing.append(" or ".join(any_of))
    if missing:
        raise TableRefusedError(
            f"{path} lacks the columns {'; '.join(missing)}. It has {', '.join(header) or 'no header'}.",
            "Name them under columns in the recipe, or add them.",
            code="columns_missing",
        )
    width = len(header)
    short = [line for line, row in rows if len(row) != width]
    if short:
        raise TableRefusedError(
            f"{path} is cut off or damaged: line {short[0]} has not {width} values ({len(short):,} such lines).",
            "Export it again.", code="table_truncated",
        )  # fmt: skip
    return rows, found


class _Lines:
    """Checks lines one by one and refuses the table at the end where any had no meaning."""

    def __init__(self, path: Path, what: str) -> None:
        self._path, self._what = path, what
        self._bad: list[str] = []
        self._outside = self._swapped = 0

    def bad(self, line: int, why: str) -> None:
        """Note what is wrong with a line; the first thing counts."""
        if not self._bad or not self._bad[-1].startswith(f"line {line} "):
            self._bad.append(f"line {line} {why}")

    def point(self, line: int, row: list[str], found: Mapping[str, int]) -> dict[str, Any] | None:
        """Name and point of a line; None where it is left out or has none."""
        name = "".join(c for c in row[found["name"]].strip() if c.isprintable())[:80]
        lat, lon = (self.number(line, row, found, key, -180, 180) for key in ("lat", "lon"))
        if lat is None or lon is None:
            self.bad(line, "has no point")
            return None
        if not in_california_box(lat, lon):
            if in_california_box(lon, lat):
                self._swapped += 1
                self.bad(line, f"has latitude and longitude swapped ({lat:g}, {lon:g})")
            elif in_california_box(lat, -lon):
                self.bad(line, f"has a longitude without its minus sign ({lon:g})")
            else:
                self._outside += 1
            return None
        return {"name": name or f"line {line}", "lat": lat, "lon": lon}

    def number(
        self, line: int, row: list[str], found: Mapping[str, int], key: str, low: float, high: float
    ) -> float | None:
        """A number of a line; None where it is empty or the table has no such column."""
        text = row[found[key]].strip() if key in found else ""
        if not text:
            return None
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not low <= value <= high:
            self.bad(line, f"has {key} = {text[:20]!r}, no number from {low:g} to {high:g}")
            return None
        return value

    def done(self, rows: list[Mapping[str, Any]], most: int) -> Points:
        if self._bad:
            more = f" and {len(self._bad) - _EXAMPLES:,} more" if len(self._bad) > _EXAMPLES else ""
            raise TableRefusedError(
                f"{self._path} is refused: {'; '.join(self._bad[:_EXAMPLES])}{more}.",
                "Exchange the lat and lon columns." if self._swapped else "Mend or remove these lines.",
                code="points_values",
            )
        if not rows:
            what = f"all {self._outside:,} rows lie outside" if self._outside else "it has no rows"
            raise TableRefusedError(
                f"{self._path} holds no {self._what} in California: {what}.", "Check the file and its columns.",
                code="points_empty",
            )  # fmt: skip
        if len(rows) > most:
            raise TableRefusedError(
                f"{self._path} holds {len(rows):,} {self._what}; {most:,} are allowed.",
                "Keep those that matter: plants that burn wood, substations that a plant could join.", code="points_many",
            )  # fmt: skip
        return Points(tuple(rows), self._outside)
