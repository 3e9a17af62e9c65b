"""Reading a layer of polygons by box and batch."""

from __future__ import annotations

import math
import struct
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.build.sources.raster import first_line
from csrag.build.sources.spatial import (
    Box,
    Floats,
    Projection,
    describe_box,
    need,
    projection_of,
    refused,
    swapped_axes,
)
from csrag.geo import CALIFORNIA_BOX

_BATCH = 256
_AREAL = (3, 6)
_THREAD_OPTIONS = ("GDAL_NUM_THREADS", "OGR_GPKG_NUM_THREADS")
_CURVED = ("curve", "surface")


def folded(value: Any) -> str:
    """A value as it is compared: text without letter case and doubled blanks, whole numbers without a point."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, int | float | np.integer | np.floating) and float(value).is_integer():
        return str(int(value))
    text = " ".join(str(value).split()).lower()
    try:
        number = float(text)
    except ValueError:
        return text
    return str(int(number)) if number.is_integer() else text


@dataclass(frozen=True)
class Batch:
    """Some polygons of a layer.

    Parameters
    ----------
    geometries : ndarray of object, shape (m,)
        Valid polygons in the layer's coordinate system.
    values : list of str
        Their folded values of the field; empty list without a field.
    mended : int
        How many had to be mended (count).
    unreadable : int
        How many had no shape that can be read (count); not among the geometries.
    """

    geometries: NDArray[Any]
    values: list[str]
    mended: int
    unreadable: int


class LayerReader:
    """An opened layer.

    Attributes
    ----------
    path : Path
        The file.
    projection : Projection
        Its coordinate system.
    features : int
        Number of its polygons.
    warned : dict of str to None
        What GDAL warned of while it read, each once.
    """

    def __init__(
        self, path: Path, layer: str | None, field: str | None, projection: Projection, bounds: Box, features: int
    ) -> None:
        self.path, self.projection, self.features = path, projection, features
        self._layer, self._field, self._bounds = layer, field, bounds
        self.warned: dict[str, None] = {}

    def overlaps(self, x: Floats, y: Floats) -> bool:
        """Whether the layer's bounds and those of the points have a place in common."""
        west, south, east, north = self._bounds
        return bool(np.any((x >= west) & (x <= east) & (y >= south) & (y <= north)))

    def refuse_elsewhere(self, lat: Floats, lon: Floats, x: Floats, y: Floats, must_overlap: bool) -> None:
        """Refuse a layer that holds none of the points, unless it is plainly one of California that may miss them.

        Raises
        ------
        DataError
            If its axes are swapped, or it lies elsewhere.
        """
        there = f"the clusters lie at {describe_box(lat, lon)}; {self._reach()[0]}"
        if self.overlaps(y, x):
            raise refused(
                self.path, f"its axes are swapped, x where y belongs ({there})",
                "Swap them back, for instance with ogr2ogr -dialect sqlite -sql and SwapCoordinates(geometry).",
                "axes_swapped",
            )  # fmt: skip
        if must_overlap or not self._reach()[1]:
            raise refused(
                self.path, f"it holds none of the {lat.size:,} clusters ({there})",
                "Take the layer of this region, and check that its coordinate system is the one it was made in.",
                "no_overlap",
            )  # fmt: skip

    def _reach(self) -> tuple[str, bool]:
        """Where the layer lies, in words, and whether that touches California."""
        west, south, east, north = self._bounds
        px, py = np.meshgrid(np.linspace(west, east, 9), np.linspace(south, north, 9))
        lat, lon = self.projection.backward(px.ravel(), py.ravel())
        good = np.isfinite(lat) & np.isfinite(lon)
        if not good.any():
            return f"the layer's own bounds are no place in {self.projection.name}", False
        lat, lon = lat[good], lon[good]
        lat_min, lat_max, lon_min, lon_max = CALIFORNIA_BOX
        touches = lat.max() >= lat_min and lat.min() <= lat_max and lon.max() >= lon_min and lon.min() <= lon_max
        return f"the layer covers {describe_box(lat, lon)}", bool(touches)

    def batches(self, box: Box) -> Iterator[Batch]:
        """Polygons whose bounds meet a box in the layer's coordinates.

        Raises
        ------
        DataError
            If the file breaks off or holds shapes other than polygons.
        """
        pyogrio, shapely = need("pyogrio"), need("shapely")
        columns = [] if self._field is None else [self._field]
        try:
            with ExitStack() as stack:
                with _listening(self.warned):
                    opened = pyogrio.open_arrow(
                        self.path, layer=self._layer, columns=columns, bbox=box, batch_size=_BATCH, use_pyarrow=True
                    )
                    meta, reader = stack.enter_context(opened)
                name = meta["geometry_name"] or "wkb_geometry"
                while True:
                    with _listening(self.warned):
                        table = next(iter(reader), None)
                    if table is None:
                        break
                    wkb = table.column(name).to_numpy(zero_copy_only=False)
                    values = [] if self._field is None else table.column(self._field).to_pylist()
                    yield self._batch(shapely, wkb, values)
        except (RuntimeError, OSError, ValueError, ArithmeticError) as error:
            raise refused(
                self.path, f"it breaks off or is damaged ({first_line(error)})", "Download or copy it again, with all its files.",
                "layer_damaged",
            ) from None  # fmt: skip

    def _batch(self, shapely: Any, wkb: NDArray[Any], values: list[Any]) -> Batch:
        shapes = shapely.from_wkb(wkb, on_invalid="ignore")
        empty = shapely.is_missing(shapes) | shapely.is_empty(shapes)
        strange = sorted({str(s.geom_type) for s in shapes[~empty & ~np.isin(shapely.get_type_id(shapes), _AREAL)]})
        if strange:
            flat = "Make curves straight with ogr2ogr -nlt CONVERT_TO_LINEAR. " if _is_curved(strange[0]) else ""
            raise refused(
                self.path,
                f"it holds {', '.join(strange)}, not polygons",
                f"{flat}Take the layer of areas.",
                "layer_not_areas",
            )
        kept = shapes[~empty]
        broken = ~shapely.is_valid(kept)
        kept[broken] = shapely.make_valid(kept[broken])
        shown = [folded(value) for value, gone in zip(values, empty, strict=True) if not gone] if values else []
        return Batch(kept, shown, int(np.count_nonzero(broken)), int(np.count_nonzero(empty)))


def _is_curved(kind: str) -> bool:
    return any(sign in kind.lower() for sign in _CURVED)


@contextmanager
def open_layer(path: Path, layer: str | None, field: str | None) -> Iterator[LayerReader]:
    """Open a layer of polygons and check what it says about itself.

    Parameters
    ----------
    path : Path
        Any layer that OGR reads.
    layer : str or None
        Its name; needed where the file has several.
    field : str or None
        Field that is read.

    Raises
    ------
    DataError
        If the extra `gis` is missing, or the file cannot be read, is truncated, has several layers and none was named, no
        coordinate system, no such field, no polygons, or swapped axes.
    """
    pyogrio = need("pyogrio")
    need("shapely")
    _check_shapefile(path)
    with _one_thread(pyogrio):
        warned: dict[str, None] = {}
        try:
            with _listening(warned):
                names = [str(row[0]) for row in pyogrio.list_layers(path)]
            if layer is None and len(names) != 1:
                raise refused(
                    path, f"it holds {len(names)} layers ({', '.join(names) or 'none'})" + " and none was named" * bool(names),
                    "Name the layer, or export it to a file of its own.", "layer_not_named",
                )  # fmt: skip
            if layer is not None and layer not in names:
                raise refused(
                    path,
                    f"it has no layer {layer!r}; it has {', '.join(names)}",
                    "Name one of these.",
                    "layer_not_named",
                )
            with _listening(warned):
                about = pyogrio.read_info(path, layer=layer, force_feature_count=True, force_total_bounds=True)
        except (RuntimeError, OSError, ValueError) as error:
            archive = " It is an archive: unpack it first." if path.suffix.lower() in (".zip", ".7z", ".gz") else ""
            raise refused(
                path, f"it cannot be opened as a layer of polygons ({first_line(error)})",
                f"Check the path, or download it again with all its files.{archive}", "layer_unreadable",
            ) from None  # fmt: skip
        reader = _checked(path, layer, field, about)
        reader.warned.update(warned)
        yield reader


@contextmanager
def _listening(warned: dict[str, None]) -> Iterator[None]:
    """Keep what GDAL warns of, for the notes, instead of printing it."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        yield
    warned.update(dict.fromkeys(str(one.message) for one in heard))


@contextmanager
def _one_thread(pyogrio: Any) -> Iterator[None]:
    before = {name: pyogrio.get_gdal_config_option(name) for name in _THREAD_OPTIONS}
    pyogrio.set_gdal_config_options(dict.fromkeys(_THREAD_OPTIONS, "1"))
    try:
        yield
    finally:
        pyogrio.set_gdal_config_options(before)


def _checked(path: Path, layer: str | None, field: str | None, about: dict[str, Any]) -> LayerReader:
    fields = [str(name) for name in about["fields"]]
    if field is not None and field not in fields:
        near = next((name for name in fields if name.lower() == field.lower()), "")
        raise refused(
            path, f"it has no field {field!r}; it has {', '.join(fields) or 'none'}",
            f"Did you mean {near}?" if near else "Name one of these.", "field_missing",
        )  # fmt: skip
    if about["geometry_type"] is None:
        raise refused(path, "it is a table without shapes", "Take the layer of areas.", "layer_not_areas")
    if not about["features"]:
        raise refused(path, "it is empty", "Download it again, or leave it out of the recipe.", "layer_empty")
    projection = projection_of(path, about["crs"], "layer")
    bounds = tuple(float(edge) for edge in about["total_bounds"])
    if len(bounds) != 4 or not all(math.isfinite(edge) for edge in bounds):
        raise refused(path, "none of its features has a shape", "Download it again with all its files.", "layer_empty")
    if swapped_axes(projection, bounds):
        raise refused(
            path, f"its latitudes run from {bounds[1]:g} to {bounds[3]:g}: its axes are swapped",
            "Swap them back, for instance with ogr2ogr -dialect sqlite -sql and SwapCoordinates(geometry).", "axes_swapped",
        )  # fmt: skip
    return LayerReader(path, layer, field, projection, bounds, int(about["features"]))


def _check_shapefile(path: Path) -> None:
    """Refuse a shapefile shorter than its header says: GDAL would read what is there and say nothing."""
    if path.suffix.lower() != ".shp" or not path.is_file():
        return
    size = path.stat().st_size
    with path.open("rb") as stream:
        head = stream.read(28)
    if len(head) == 28 and head[:4] == b"\x00\x00\x27\x0a":
        promised = struct.unpack(">i", head[24:28])[0] * 2
        if size < promised:
            raise _cut(path, path, size, promised)
    table = next((p for s in (".dbf", ".DBF") if (p := path.with_suffix(s)).is_file()), None)
    if table is not None:
        with table.open("rb") as stream:
            head = stream.read(12)
        if len(head) == 12:
            rows, start, length = struct.unpack("<IHH", head[4:12])
            if table.stat().st_size < start + rows * length:
                raise _cut(path, table, table.stat().st_size, start + rows * length)


def _cut(path: Path, part: Path, size: int, promised: int) -> Exception:
    return refused(
        path,
        f"{part.name} breaks off: it has {size:,} of {promised:,} bytes",
        "Download or copy it again.",
        "layer_damaged",
    )
