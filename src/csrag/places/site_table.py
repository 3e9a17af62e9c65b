"""A table of the user's own sites: where a plant might stand."""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from pathlib import Path

from csrag.errors import CsragError, InvalidValueError, RequestError
from csrag.geo import check_point

MAX_SITES = 5000


@dataclass(frozen=True)
class SiteTable:
    """Points of a file.

    Parameters
    ----------
    name : str
        Name of the file.
    names : tuple of str
        One a point.
    lat, lon : tuple of float
        [degrees]
    """

    name: str
    names: tuple[str, ...]
    lat: tuple[float, ...]
    lon: tuple[float, ...]


def read_sites(path: Path) -> SiteTable:
    """A table of sites: CSV with the columns name, lat and lon.

    Parameters
    ----------
    path : Path
        The file, UTF-8; further columns are passed over, and so are empty lines.

    Returns
    -------
    SiteTable
        In the order of the file.

    Raises
    ------
    RequestError
        If the file cannot be read, a column is missing, or it holds no site or too many.
    InvalidValueError
        For a row without meaning, naming its line.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = "is no UTF-8 text" if isinstance(error, UnicodeDecodeError) else "cannot be read"
        raise _unreadable(f"The table of sites {path.name!r} {why}.") from None
    rows = csv.DictReader(text.splitlines())
    found = {(name or "").strip().lower(): name for name in rows.fieldnames or ()}
    missing = [name for name in ("name", "lat", "lon") if name not in found]
    if missing:
        raise _unreadable(f"The table of sites {path.name!r} lacks {', '.join(missing)}.")
    points: list[tuple[str, float, float]] = []
    try:
        for row in rows:
            cells = [(row.get(found[key]) or "").strip() for key in ("name", "lat", "lon")]
            if any(cells):
                points.append(_point(*cells, line=rows.line_num))
    except csv.Error as error:
        raise _unreadable(f"The table of sites {path.name!r} is no CSV: {error}.") from None
    if not points:
        raise _unreadable(f"The table of sites {path.name!r} holds no site.")
    if len(points) > MAX_SITES:
        raise _unreadable(f"The table of sites has {len(points):,} rows; {MAX_SITES:,} are allowed.")
    names, lats, lons = zip(*points, strict=True)
    return SiteTable("".join(c for c in path.name if c.isprintable())[:80], names, lats, lons)


def _unreadable(message: str) -> RequestError:
    fix = "Give a CSV file whose first line names the columns: name,lat,lon."
    return RequestError(message, fix, code="sites_unreadable")


def _point(name: str, lat: str, lon: str, *, line: int) -> tuple[str, float, float]:
    where = f"Line {line} of the table of sites"
    shown = "".join(c for c in name if c.isprintable())[:80]
    if not shown:
        raise InvalidValueError(f"{where} has no name.", "Name every site.")
    numbers = []
    for key, text in (("lat", lat), ("lon", lon)):
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise InvalidValueError(f"{where} ({shown}) has {key} = {text!r}.", "Give decimal degrees.")
        numbers.append(number)
    try:
        check_point(*numbers)
    except CsragError as error:
        raise InvalidValueError(f"{where} ({shown}): {error.message}", error.fix) from None
    return shown, numbers[0], numbers[1]
