"""What rasters and polygons share: the extra they need, checks of points, and coordinate systems.

Every projection here takes x before y, whatever order a coordinate system's definition states (`always_xy`): longitude
first, latitude second. Points come as latitude and longitude in WGS 84 and are taken to the file's own system, in which
its pixels are square and its edges straight.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.errors import DataError, InvalidValueError
from csrag.geo import CALIFORNIA_BOX

Floats = NDArray[np.float64]
Box = tuple[float, float, float, float]
"""West, south, east, north, or x_min, y_min, x_max, y_max."""

WGS84 = "EPSG:4326"
LEAST_COVERAGE_PCT = 95.0
"""Below this share of clusters with a value the notes warn [percent]."""
_CHUNK = 131_072
_HOW_TO_ASSIGN = {
    "raster": "gdal_edit.py -a_srs EPSG:NNNN FILE (in place), or gdal_translate -a_srs EPSG:NNNN FILE NEW",
    "layer": "ogr2ogr -a_srs EPSG:NNNN NEW FILE",
}


def need(module: str) -> Any:
    """A module of the extra `gis`, imported when it is first used.

    Raises
    ------
    DataError
        If it is not installed.
    """
    try:
        return import_module(module)
    except ImportError:
        raise DataError(
            f"Rasters and polygon layers need {module}, which is not installed.",
            'Install it with pip install "csrag[gis]".', code="extra_missing",
        ) from None  # fmt: skip


def refused(path: Path, what: str, fix: str, code: str) -> DataError:
    """The error for a file that cannot be used: its name, what is wrong, how to mend it."""
    return DataError(f"{path.name} cannot be used: {what}.", fix, code=code)


def checked_points(lat: Any, lon: Any) -> tuple[Floats, Floats]:
    """Positions as arrays, refused where they cannot be latitudes and longitudes.

    Parameters
    ----------
    lat, lon : array_like, shape (n,)
        WGS 84 [degrees].

    Raises
    ------
    InvalidValueError
        If there are none, they differ in number, are not finite, lie outside -90 to 90 and -180 to 180, or are swapped.
    """
    lat, lon = np.asarray(lat, dtype=np.float64), np.asarray(lon, dtype=np.float64)
    if lat.ndim != 1 or lat.shape != lon.shape or not lat.size:
        raise InvalidValueError(
            "Latitudes and longitudes are not two equally long lists.", "Give one of each a cluster."
        )
    bad = int(np.count_nonzero(~(np.isfinite(lat) & np.isfinite(lon))))
    if bad:
        raise InvalidValueError(f"{bad:,} of {lat.size:,} clusters have no position.", "Fill or remove them.")
    south, north, west, east = CALIFORNIA_BOX
    swapped = (lon >= south) & (lon <= north) & (lat >= west) & (lat <= east)
    if np.count_nonzero(swapped) * 2 > lat.size:
        raise InvalidValueError(
            f"Latitudes run from {lat.min():g} to {lat.max():g}, longitudes from {lon.min():g} to {lon.max():g}: they are swapped.",
            "Give latitude first.", code="coordinates_swapped",
        )  # fmt: skip
    outside = int(np.count_nonzero((np.abs(lat) > 90) | (np.abs(lon) > 180)))
    if outside:
        raise InvalidValueError(
            f"{outside:,} of {lat.size:,} clusters lie outside latitude -90 to 90 and longitude -180 to 180.",
            "Give decimal degrees in WGS 84, latitude first.",
        )
    return lat, lon


@dataclass(frozen=True)
class Projection:
    """A file's coordinate system and the way into it.

    Parameters
    ----------
    name : str
        EPSG code where there is one, else the name of the system.
    geographic : bool
        Whether its coordinates are degrees.
    unit_factor_m : float
        Metres in one unit of a projected system [m].
    vertical_unit : str
        "m" or "ft" where the system states the unit of heights, else "".
    """

    name: str
    geographic: bool
    unit_factor_m: float
    vertical_unit: str
    _forward: Any
    _backward: Any

    def forward(self, lat: Floats, lon: Floats) -> tuple[Floats, Floats]:
        """File coordinates x, y of WGS 84 latitudes and longitudes [degrees]; infinite where there are none."""
        x, y = np.empty(lat.size), np.empty(lat.size)
        for start in range(0, lat.size, _CHUNK):
            part = slice(start, start + _CHUNK)
            x[part], y[part] = self._forward.transform(lon[part], lat[part], errcheck=False)
        return x, y

    def backward(self, x: Floats, y: Floats) -> tuple[Floats, Floats]:
        """Latitudes and longitudes [degrees] of file coordinates; infinite where there are none."""
        lon, lat = self._backward.transform(x, y, errcheck=False)
        return np.asarray(lat), np.asarray(lon)


def projection_of(path: Path, crs: Any, kind: str) -> Projection:
    """Read a coordinate system, refusing what has no place on Earth.

    Parameters
    ----------
    path : Path
        The file, for messages.
    crs : str or None
        WKT or code as the file states it.
    kind : str
        "raster" or "layer", which decides the advice.

    Raises
    ------
    DataError
        If there is none, or it is a local system (LOCAL_CS, ENGCRS) that no datum ties to the Earth.
    """
    pyproj = need("pyproj")
    how = f"Look its system up in its metadata, then assign it: {_HOW_TO_ASSIGN[kind]}."
    if not crs:
        lost = " (a shapefile keeps it in its .prj file)" if path.suffix.lower() == ".shp" else ""
        raise refused(path, f"it names no coordinate system (CRS){lost}", how, "crs_missing")
    try:
        whole = pyproj.CRS.from_user_input(crs)
        flat = whole.to_2d()
        if not (flat.is_geographic or flat.is_projected):
            raise refused(
                path,
                f"its coordinate system {flat.name!r} ({flat.type_name}) is tied to no place on Earth",
                how,
                "crs_local",
            )
        forward = pyproj.Transformer.from_crs(WGS84, flat, always_xy=True)
        backward = pyproj.Transformer.from_crs(flat, WGS84, always_xy=True)
    except pyproj.exceptions.ProjError as error:
        raise refused(path, f"its coordinate system cannot be read ({error})", how, "crs_unreadable") from None
    code = flat.to_authority(min_confidence=70)
    name = ":".join(code) if code else flat.name
    factor = 1.0 if flat.is_geographic else float(flat.axis_info[0].unit_conversion_factor)
    up = [axis.unit_name for axis in whole.axis_info if axis.direction.lower() == "up"]
    return Projection(name, flat.is_geographic, factor, vertical_unit_of(up[0]) if up else "", forward, backward)


def vertical_unit_of(text: str) -> str:
    """ "m", "ft" or "" for a unit's name; the US survey foot differs from the foot by two millionths and counts as one."""
    word = " ".join(text.lower().replace("_", " ").replace("-", " ").split())
    if word in ("m", "metre", "meter", "metres", "meters"):
        return "m"
    if word in (
        "ft",
        "foot",
        "feet",
        "us survey foot",
        "us survey feet",
        "us ft",
        "ftus",
        "foot us",
        "international foot",
    ):
        return "ft"
    return ""


def swapped_axes(projection: Projection, box: Box) -> bool:
    """Whether the bounds of a geographic file can only be latitudes where longitudes belong."""
    return projection.geographic and max(abs(box[1]), abs(box[3])) > 90.5


def describe_box(lat: Floats, lon: Floats) -> str:
    """Bounds of points in words."""
    return f"latitude {lat.min():.3f} to {lat.max():.3f}, longitude {lon.min():.3f} to {lon.max():.3f}"


def coverage_note(counts: Mapping[str, int], known: str, total: int, reasons: Mapping[str, str]) -> list[str]:
    """A sentence on how many clusters have a value, and a warning where too few do.

    Parameters
    ----------
    counts : mapping of str to int
        What was counted.
    known : str
        Name of the count of clusters with a value.
    total : int
        Number of clusters.
    reasons : mapping of str to str
        Names of the counts that make up the rest, and their words.
    """
    covered_pct = 100.0 * counts[known] / total
    if counts[known] == total:
        return [f"covers all {total:,} clusters"]
    rest = ", ".join(f"{counts[name]:,} {words}" for name, words in reasons.items() if counts.get(name))
    said = f"covers {counts[known]:,} of {total:,} clusters ({_percent(covered_pct)} %); unknown for the others: {rest}"
    return [f"WARNING: {said}" if covered_pct < LEAST_COVERAGE_PCT else said]


def _percent(value: float) -> str:
    """One decimal, never rounded up to a whole 100 or down to nothing."""
    if 99.9 < value < 100:
        return "over 99.9"
    return "under 0.1" if 0 < value < 0.1 else f"{value:.1f}"
