"""Small rasters and polygon layers in their true formats, for tests: SYNTHETIC, describing no real place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

LAT, LON = 40.0, -121.0
"""Middle of the made-up country [degrees]."""
Array = NDArray[np.float64]
Place = Callable[[Array, Array], Array]
"""A value as a function of file coordinates x, y."""

LOCAL_WKT = 'LOCAL_CS["made-up site grid",UNIT["metre",1]]'


def points(n: int = 300, half_deg: float = 0.15, seed: int = 5) -> tuple[Array, Array]:
    """Random centres around the middle [degrees]: latitudes, longitudes."""
    rng = np.random.default_rng(seed)
    return LAT + rng.uniform(-half_deg, half_deg, n), LON + rng.uniform(-half_deg, half_deg, n)


def projected(lat: Array, lon: Array, crs: str) -> tuple[Array, Array]:
    """File coordinates x, y of points, by pyproj."""
    import pyproj

    x, y = pyproj.Transformer.from_crs("EPSG:4326", crs, always_xy=True).transform(lon, lat)
    return np.asarray(x), np.asarray(y)


def grid(crs: str, pixel: float, half: float) -> tuple[float, float, int]:
    """Left, top and number of pixels a side of a square around the middle, on whole multiples of the pixel.

    Parameters
    ----------
    crs : str
        Coordinate system.
    pixel, half : float
        Pixel size and half the side, in its unit.
    """
    x, y = projected(np.array([LAT]), np.array([LON]), crs)
    left, top = np.floor((x[0] - half) / pixel) * pixel, np.ceil((y[0] + half) / pixel) * pixel
    return float(left), float(top), round(2 * half / pixel)


def upright(left: float, top: float, step: float) -> Any:
    """Transform of a north-up grid from its corner and pixel size."""
    from rasterio.transform import Affine

    return Affine(step, 0.0, left, 0.0, -step, top)


def write_raster(
    path: Path, crs: str | None, value: Place, *, pixel: float = 270.0, half: float = 25_000.0, dtype: str = "float32",
    nodata: float | None = -9999.0, south_up: bool = False, hole: Callable[[Array, Array], NDArray[np.bool_]] | None = None,
    hole_value: float | None = None, grid_crs: str | None = None, tags: Mapping[str, str] | None = None,
    scale: float | None = None, offset: float = 0.0, unit: str = "", bands: Sequence[str] = ("",), **form: Any,
) -> Path:  # fmt: skip
    """A GeoTIFF whose pixels hold a function of their centre's coordinates.

    Parameters
    ----------
    path : Path
        Where to.
    crs : str or None
        What the file states.
    value : callable
        Value of a pixel at x, y; of its stored number where a scale is given.
    pixel, half : float
        Pixel size and half the side of the square, in the system's unit.
    hole, hole_value : callable and float, optional
        Where pixels hold another number, and which; the nodata value where not given.
    grid_crs : str, optional
        System of the grid where it is not the one that the file states.
    """
    import rasterio
    from rasterio.transform import Affine

    left, top, size = grid(grid_crs or crs or "EPSG:5070", pixel, half)
    x, y = np.meshgrid(left + (np.arange(size) + 0.5) * pixel, top - (np.arange(size) + 0.5) * pixel)
    values = np.asarray(value(x, y), dtype=np.float64)
    if hole is not None:
        there = -9999.0 if nodata is None else nodata
        values = np.where(hole(x, y), there if hole_value is None else hole_value, values)
    transform = Affine(pixel, 0, left, 0, -pixel, top)
    if south_up:
        values, transform = values[::-1], Affine(pixel, 0, left, 0, pixel, top - size * pixel)
    with rasterio.open(
        path, "w", driver="GTiff", width=size, height=size, count=len(bands), dtype=dtype, crs=crs, transform=transform,
        nodata=nodata, **form,
    ) as out:  # fmt: skip
        for number, name in enumerate(bands, start=1):
            out.write(values.astype(dtype), number)
            if name:
                out.set_band_description(number, name)
        if scale is not None:
            out.scales, out.offsets = (scale,) * len(bands), (offset,) * len(bands)
        if unit:
            out.units = (unit,) * len(bands)
        if tags:
            out.update_tags(**tags)
    return path


def box(lat0: float, lat1: float, lon0: float, lon1: float) -> Array:
    """Ring of lon, lat around a box given as offsets from the middle [degrees], edges cut every hundredth degree."""
    import shapely

    ring = shapely.segmentize(shapely.box(LON + lon0, LAT + lat0, LON + lon1, LAT + lat1), 0.01)
    return np.asarray(shapely.get_coordinates(ring))


def write_layer(
    path: Path, rings: Sequence[Array], fields: Mapping[str, Sequence[Any]] | None = None, crs: str | None = "EPSG:3310", *,
    swapped: bool = False, layer: str | None = None, append: bool = False, grid_crs: str | None = None,
) -> Path:  # fmt: skip
    """A layer of polygons from rings of lon, lat, written in a coordinate system.

    Parameters
    ----------
    path : Path
        The ending decides the format.
    rings : sequence of ndarray, shape (m, 2)
        Longitudes and latitudes [degrees].
    fields : mapping of str to sequence
        Values a polygon.
    crs : str or None
        What the file states.
    swapped : bool
        Write y before x.
    """
    import pyogrio
    import shapely

    system = grid_crs or crs or "EPSG:3310"
    shapes = []
    for ring in rings:
        x, y = projected(ring[:, 1], ring[:, 0], system)
        shapes.append(shapely.Polygon(np.column_stack((y, x) if swapped else (x, y))))
    columns = dict(fields or {"NAME": [f"made-up {i}" for i in range(len(rings))]})
    data = [np.array(list(v), dtype=object if isinstance(v[0], str | None) else None) for v in columns.values()]
    pyogrio.raw.write(
        path, shapely.to_wkb(np.array(shapes)), data, list(columns), geometry_type="Polygon", crs=crs, layer=layer,
        append=append, driver="OpenFileGDB" if path.suffix == ".gdb" else None,
    )  # fmt: skip
    return path
