"""Annual burn probability of a raster at the clusters, such as FSim's at 270 m."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.build.progress import Progress
from csrag.build.sources.raster import RasterBand, looks_like_fill, read_points
from csrag.build.sources.raster_cells import Window, read_cells
from csrag.build.sources.raster_open import open_band
from csrag.build.sources.spatial import Floats, coverage_note, refused
from csrag.surfaces.manifest import Provenance

_FILL_FROM = 1e30
HIGH_BURN_PROBABILITY = 0.2
"""Annual probabilities above this are counted and said: a fire every five years is hardly plausible for forest [per year]."""
FSIM_PIXEL_M = 270.0
UPSAMPLED_BELOW_M = 200.0
_VINTAGE_KEYS = ("vintage", "data_vintage", "landscape_year", "data_year", "year", "period", "landfire_version")
_TEXT_KEYS = ("tifftag_imagedescription", "description", "title", "layer_name")
_YEAR = re.compile(r"(?<!\d)(?:19[89]\d|20[0-4]\d)(?!\d)")
_UNKNOWN = "unknown"
_SHARES = {"outside": "outside the raster", "nodata": "on nodata"}


@dataclass(frozen=True)
class FireSample:
    """Burn probability at the clusters.

    Parameters
    ----------
    values : ndarray of float32, shape (n,)
        Annual burn probability [per year]; NaN unknown.
    counts : mapping of str to int
        `clusters`, `inside` the raster, `known`, `nodata` (inside without a value), `undeclared_nodata` (part of nodata: a
        fill value that the file does not declare), `outside`, `above_0_2`; known + nodata = inside.
    provenance : Provenance
        Product, vintage, coordinate system and pixel size.
    notes : tuple of str
        What a reader must know.
    """

    values: NDArray[np.float32]
    counts: Mapping[str, int]
    provenance: Provenance
    notes: tuple[str, ...]

    @property
    def coverage_pct(self) -> float:
        """Share of clusters with a value [percent]."""
        return 100.0 * self.counts["known"] / self.counts["clusters"]


def sample_fire(
    path: Path, lat: Any, lon: Any, *, vintage: str | None = None, product: str | None = None, band: int | str | None = None,
    scale: float | None = None, cell_size_m: float | None = None, progress: Progress | None = None,
) -> FireSample:  # fmt: skip
    """Sample a raster of annual burn probability.

    Parameters
    ----------
    path : Path
        GeoTIFF or any raster that GDAL reads, in any coordinate system.
    lat, lon : ndarray of float64, shape (n,)
        Centres of the clusters, WGS 84 [degrees].
    vintage : str, optional
        What year the landscape is of. Else the file's tags are asked, else it is "unknown" and said so.
    product : str, optional
        Title and identifier of the product.
    band : int or str, optional
        Number or description of the band; needed where the file has several.
    scale : float, optional
        Factor from stored numbers to probabilities (dimensionless), in place of the file's own.
    cell_size_m : float, optional
        Mean over a square of this side around each centre, in place of the pixel under it [m].
    progress : Progress, optional
        Told how many clusters are done.

    Returns
    -------
    FireSample
        Values, counts, where they came from and what to know.

    Raises
    ------
    DataError
        If the raster cannot be placed or read, covers no cluster, holds whole numbers without a scale, or holds values
        outside 0 to 1: a count of fires, a percentage or a class is no probability.
    InvalidValueError
        If the positions are swapped or no positions.
    """
    path = Path(path)
    with open_band(path, band, "annual burn probability") as raster:
        _check_kind(raster, scale)
        if cell_size_m is None:
            points = read_points(raster, lat, lon, "reading burn probability", progress)
            _check_scale(raster, points.raw, points.missing | ~points.inside, scale)
            values, undeclared = _scaled(raster, points.raw, points.missing | ~points.inside, scale)
            inside, size_m = points.inside, points.pixel_size_m
            how = "the pixel under each cluster's centre"
        else:

            def prepare(window: Window) -> tuple[Floats, Sequence[Floats]]:
                found, fill = _scaled(raster, window.raw, window.missing, scale)
                _gate(raster, found)
                return found, (np.where(fill, 1.0, np.nan),)

            cells = read_cells(raster, lat, lon, cell_size_m, "reading burn probability", progress, prepare=prepare)
            values, undeclared = cells.mean, np.isfinite(cells.centres[0])
            inside, size_m = cells.inside, cells.pixel_size_m
            how = f"the mean of the pixels in a square of {cell_size_m:g} m around each cluster's centre"
        counts = _counts(values, inside, undeclared)
        notes = coverage_note(counts, "known", counts["clusters"], _SHARES)
        if not counts["known"]:
            raise refused(
                path, f"all {counts['inside']:,} clusters inside it lie on nodata",
                "Check the band and that the raster is of this region.", "no_values",
            )  # fmt: skip
        _gate(raster, values)
        when, basis = _vintage(vintage, raster.tags, path)
        notes += _notes(counts, values, size_m, basis)
        about = f"{raster.projection.name}, pixels of {size_m:,.0f} m; {how}"
        provenance = Provenance("fire", product or path.name, vintage=when, note="; ".join([about, *notes]))
    return FireSample(values.astype(np.float32), counts, provenance, tuple(notes))


def _check_kind(raster: RasterBand, scale: float | None) -> None:
    scaled = scale is not None or (raster.scale, raster.offset) != (1.0, 0.0)
    if raster.dtype.kind in "iub" and not scaled:
        raise refused(
            raster.path,
            f"it holds whole numbers ({raster.dtype}) and no scale, so they are counts, classes or scaled probabilities",
            "A burn count or a hazard class is no probability: take the product's burn-probability raster. If its metadata "
            "state a factor, such as 0.0001, give it as scale, or write it into the file: gdal_edit.py -scale 0.0001 FILE.",
            "burn_scale_missing",
        )


def _check_scale(raster: RasterBand, raw: NDArray[Any], missing: NDArray[np.bool_], scale: float | None) -> None:
    """Refuse a small factor for a float raster that holds probabilities already."""
    if scale is None or scale >= 1 or raster.dtype.kind != "f":
        return
    known = raw[~missing].astype(np.float64)
    known = known[np.isfinite(known) & (np.abs(known) < _FILL_FROM)]
    if known.size and known.min() >= 0 and 0 < known.max() <= 1:
        raise refused(
            raster.path,
            f"its values lie within 0 to 1 already (median {np.median(known):.3g}, highest {known.max():.3g}); times the scale of "
            f"{scale:g} the highest would be {known.max() * scale:.3g}",
            "Leave scale out: these are probabilities.", "burn_scale_needless",
        )  # fmt: skip


def _scaled(
    raster: RasterBand, raw: NDArray[Any], missing: NDArray[np.bool_], scale: float | None
) -> tuple[Floats, NDArray[np.bool_]]:
    """Values, NaN where there are none, and which pixels hold a fill value that the file does not declare."""
    values = raster.values(raw, scale)
    with np.errstate(invalid="ignore"):
        undeclared = ~missing & looks_like_fill(raw) & ~((values >= 0) & (values <= 1))
    values[missing | undeclared] = np.nan
    return values, undeclared


def _counts(values: Floats, inside: NDArray[np.bool_], undeclared: NDArray[np.bool_]) -> dict[str, int]:
    known = int(np.count_nonzero(np.isfinite(values)))
    within = int(np.count_nonzero(inside))
    return {
        "clusters": values.size, "inside": within, "known": known, "nodata": within - known,
        "undeclared_nodata": int(np.count_nonzero(undeclared)), "outside": values.size - within,
        "above_0_2": int(np.count_nonzero(values > HIGH_BURN_PROBABILITY)),
    }  # fmt: skip


def _gate(raster: RasterBand, values: Floats) -> None:
    """Refuse what cannot be an annual probability."""
    known = values[np.isfinite(values)]
    if not known.size:
        return
    low, high = float(known.min()), float(known.max())
    wrong = int(np.count_nonzero((known < 0) | (known > 1)))
    whole = bool(np.all(known == np.floor(known)))
    if wrong and whole and low >= 0:
        what = (
            f"its values are whole numbers from {low:g} to {high:g}: a count of the times a pixel burned, or a class, "
            "is no probability"
        )
        fix = "Take the product's annual burn probability, or divide a count by the number of simulated years."
    elif wrong:
        percent = ", as percentages would be" if low >= 0 and high <= 100 else ""
        what = f"{wrong:,} of {known.size:,} values lie outside 0 to 1 ({low:g} to {high:g}){percent}"
        fix = "Take annual burn probability per year; where the metadata state a factor, set it: gdal_edit.py -scale F FILE."
    elif whole and high == 1.0:
        what = "its values are 0 and 1 only: whether a pixel burned is no probability"
        fix = "Take the product's annual burn probability."
    else:
        return
    raise refused(raster.path, what, fix, "burn_probability_range")


def _notes(counts: Mapping[str, int], values: Floats, size_m: float, basis: str) -> list[str]:
    notes = [basis] if basis else []
    if size_m < UPSAMPLED_BELOW_M:
        notes.append(
            f"pixels of {size_m:.0f} m: upsampled from {FSIM_PIXEL_M:.0f} m; neighbouring clusters share one simulation pixel"
        )
    if counts["undeclared_nodata"]:
        notes.append(
            f"{counts['undeclared_nodata']:,} clusters lie on a fill value that the file does not declare as nodata; taken as unknown"
        )
    if counts["above_0_2"]:
        notes.append(
            f"WARNING: burn probability of {counts['above_0_2']:,} clusters is above 0.2 a year "
            f"(highest {np.nanmax(values):.3f}); check that it is annual"
        )
    if not np.nanmax(values) > 0:
        notes.append("WARNING: burn probability is zero at every cluster that has one")
    return notes


def _vintage(given: str | None, tags: Mapping[str, str], path: Path) -> tuple[str, str]:
    """Vintage, and a note on where it was found unless it was given."""
    if given and given.strip():
        return given.strip(), ""
    folded = {name.lower(): text.strip() for name, text in tags.items() if text.strip()}
    for key in _VINTAGE_KEYS:
        if key in folded:
            return folded[key], f"vintage {folded[key]!r} is the file's tag {key}"
    for key in _TEXT_KEYS:
        if _YEAR.search(folded.get(key, "")):
            return folded[key], f"vintage {folded[key]!r} is the file's tag {key}"
    written = folded.get("tifftag_datetime", "")
    hint = f"; {path.name} was written {written[:10]}, which is not the year of the landscape" if written else ""
    return _UNKNOWN, f"vintage unknown: neither given nor in the file's tags{hint}"
