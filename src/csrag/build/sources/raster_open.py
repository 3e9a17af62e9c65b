"""Opening a raster: what it must say about itself before a pixel is read."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from csrag.build.sources.raster import BLOCK_BYTES, CACHE_BYTES, RasterBand, first_line
from csrag.build.sources.spatial import need, projection_of, refused, swapped_axes


@contextmanager
def open_band(path: Path, band: int | str | None, holds: str) -> Iterator[RasterBand]:
    """Open one band of a raster for reading within `BUDGET_BYTES`.

    Parameters
    ----------
    path : Path
        Any raster that GDAL reads.
    band : int or str or None
        Number from 1 or description of the band; needed where there are several.
    holds : str
        What the band should hold, in words, for messages.

    Raises
    ------
    DataError
        If the extra `gis` is missing, or the file is no raster, has no coordinate system or georeferencing, has several
        bands and none was named, or has blocks too large to be read within the budget.
    """
    rasterio = need("rasterio")
    with rasterio.Env(GDAL_CACHEMAX=CACHE_BYTES, GDAL_NUM_THREADS="1"):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", rasterio.errors.NotGeoreferencedWarning)
                dataset = rasterio.open(path)
        except (rasterio.errors.RasterioError, OSError, ValueError) as error:
            inside = " It is an archive: unpack it first." if path.suffix.lower() in (".zip", ".7z", ".gz") else ""
            raise refused(
                path, f"it cannot be opened as a raster ({first_line(error)})",
                f"Check the path, or download it again if it is truncated.{inside}", "raster_unreadable",
            ) from None  # fmt: skip
        with dataset:
            yield _checked(path, dataset, band, holds)


def _checked(path: Path, dataset: Any, band: int | str | None, holds: str) -> RasterBand:
    rasterio = need("rasterio")
    if dataset.count == 0:
        raise refused(path, "it holds no band", "Name the file of one variable.", "raster_unreadable")
    number = _band_number(path, dataset, band, holds)
    try:
        crs = dataset.crs.to_wkt() if dataset.crs else None
    except rasterio.errors.CRSError:
        crs = None
    projection = projection_of(path, crs, "raster")
    if dataset.transform.is_identity or dataset.transform.is_degenerate:
        raise refused(
            path, "it does not say where its pixels lie (no geotransform)",
            "Warp it to a grid with gdalwarp, or set its corners with gdal_edit.py -a_ullr ULX ULY LRX LRY.",
            "raster_not_placed",
        )  # fmt: skip
    out = RasterBand(path, dataset, number, projection)
    if swapped_axes(projection, out.bounds):
        raise refused(
            path, f"its latitudes run from {out.bounds[1]:g} to {out.bounds[3]:g}: its axes are swapped",
            "Write it again with longitude as x and latitude as y.", "axes_swapped",
        )  # fmt: skip
    if out.dtype.kind == "c":
        raise refused(path, "its values are complex numbers", f"Give a raster of {holds}.", "raster_wrong_kind")
    if out.breaks_off():
        raise refused(path, "it breaks off before its last block", "Download or copy it again.", "raster_damaged")
    if dataset.driver == "VRT" and out.nodata is None and not out.masked:
        raise refused(
            path, "it is a virtual raster without a nodata value, so gaps between its parts would read as zero",
            "Build it again with gdalbuildvrt -srcnodata N -vrtnodata N FILE PARTS.", "raster_vrt_gaps",
        )  # fmt: skip
    height, width = dataset.block_shapes[number - 1]
    if min(height, out.height) * min(width, out.width) * out.dtype.itemsize > BLOCK_BYTES:
        raise refused(
            path, f"it is stored in blocks of {height:,} by {width:,} pixels, too large to be read piece by piece",
            "Store it in tiles: gdal_translate -co TILED=YES -co COMPRESS=DEFLATE FILE NEW.", "raster_blocks",
        )  # fmt: skip
    return out


def _band_number(path: Path, dataset: Any, band: int | str | None, holds: str) -> int:
    names = [str(name or "") for name in dataset.descriptions]
    if band is None:
        # A band of transparency says where the other one holds, and is none to choose from.
        plain = [i for i, meaning in enumerate(dataset.colorinterp, start=1) if meaning.name != "alpha"]
        if len(plain) == 1:
            return plain[0]
        what = f"it has {dataset.count} bands ({_listed(names)}) and none was named"
    elif isinstance(band, str) and band in names:
        return names.index(band) + 1
    elif isinstance(band, int) and 1 <= band <= dataset.count:
        return band
    else:
        what = f"it has no band {band!r}; it has {dataset.count} ({_listed(names)})"
    raise refused(path, what, f"Name the band that holds {holds}, by number or description.", "raster_band")


def _listed(names: Sequence[str]) -> str:
    shown = [f"{i} {name!r}" if name else str(i) for i, name in enumerate(names[:12], start=1)]
    return ", ".join(shown) + (", ..." if len(names) > 12 else "")
