"""Fire hazard class of the clusters, from a raster or from polygons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.build.progress import Progress
from csrag.build.sources.polygons import classify_polygons, folded
from csrag.build.sources.raster import RasterBand, looks_like_fill, read_points
from csrag.build.sources.raster_open import open_band
from csrag.build.sources.spatial import coverage_note, refused
from csrag.errors import InvalidValueError
from csrag.surfaces.catalog import HAZARD_CLASSES, UNKNOWN_CODE

_LISTED = 12


@dataclass(frozen=True)
class HazardSample:
    """Hazard class at the clusters.

    Parameters
    ----------
    codes : ndarray of uint8, shape (n,)
        Index into `catalog.HAZARD_CLASSES`; 255 unknown.
    counts : mapping of str to int
        `clusters`, `known`, `outside` and a count a class such as `class_very_high`; of a raster also `inside`, `nodata`
        and `undeclared_nodata`, of polygons what `classify_polygons` counts.
    notes : tuple of str
        What a reader must know.
    """

    codes: NDArray[np.uint8]
    counts: Mapping[str, int]
    notes: tuple[str, ...]


def hazard_codes(classes: Mapping[Any, str]) -> dict[str, int]:
    """Codes of a mapping from a file's values to words, its keys folded as values are.

    Raises
    ------
    InvalidValueError
        If it is empty or names another class.
    """
    out = {}
    for value, word in classes.items():
        name = " ".join(str(word).lower().replace("_", " ").split())
        if name not in HAZARD_CLASSES:
            raise InvalidValueError(
                f"{word!r} is no hazard class.", f"Classes are {', '.join(HAZARD_CLASSES)}.", code="hazard_class"
            )
        out[folded(value)] = HAZARD_CLASSES.index(name)
    if not out:
        raise InvalidValueError(
            "No hazard classes are given.",
            'Name the class of each value, such as {"1" = "moderate"}.',
            code="hazard_class",
        )
    return out


def sample_hazard_raster(
    path: Path, lat: Any, lon: Any, *, classes: Mapping[Any, str], band: int | str | None = None,
    progress: Progress | None = None,
) -> HazardSample:  # fmt: skip
    """Sample a raster of hazard classes in the pixel under each centre.

    Parameters
    ----------
    path : Path
        GeoTIFF or any raster that GDAL reads.
    lat, lon : ndarray of float64, shape (n,)
        Centres of the clusters, WGS 84 [degrees].
    classes : mapping
        Word of `catalog.HAZARD_CLASSES` of each value in the raster; keys are numbers or their text.
    band : int or str, optional
        Number or description of the band; needed where the file has several.
    progress : Progress, optional
        Told how many clusters are done.

    Raises
    ------
    DataError
        If the raster cannot be placed or read, covers no cluster, or holds values that `classes` does not name.
    InvalidValueError
        If `classes` names no hazard class, or its keys are no numbers.
    """
    path = Path(path)
    named = hazard_codes(classes)
    try:
        numbers = {float(value): code for value, code in named.items()}
    except ValueError:
        raise InvalidValueError(
            "The values of a raster are numbers, and so must the keys of its classes be.",
            'Write {"3" = "very high"}, with the numbers of the raster\'s legend.', code="hazard_class",
        ) from None  # fmt: skip
    with open_band(path, band, "hazard classes") as raster:
        sample = read_points(raster, lat, lon, "reading fire hazard", progress)
        there = sample.inside & ~sample.missing
        values = raster.values(sample.raw)
        codes = np.full(values.shape, UNKNOWN_CODE, dtype=np.uint8)
        mapped = np.zeros(values.shape, dtype=bool)
        for number, code in numbers.items():
            hit = there & (values == number)
            codes[hit] = code
            mapped |= hit
        undeclared = there & ~mapped & looks_like_fill(sample.raw)
        _refuse_strays(raster, values[there & ~mapped & ~undeclared])
        counts = {
            "clusters": codes.size, "inside": int(np.count_nonzero(sample.inside)), "known": int(np.count_nonzero(mapped)),
            "nodata": int(np.count_nonzero(sample.inside & ~mapped)), "undeclared_nodata": int(np.count_nonzero(undeclared)),
            "outside": int(np.count_nonzero(~sample.inside)), **_by_class(codes),
        }  # fmt: skip
        if not counts["known"]:
            raise refused(
                path, f"all {counts['inside']:,} clusters inside it lie on nodata",
                "Check the band and that the raster is of this region.", "no_values",
            )  # fmt: skip
        notes = coverage_note(counts, "known", codes.size, {"outside": "outside the raster", "nodata": "on nodata"})
        if counts["undeclared_nodata"]:
            notes.append(
                f"{counts['undeclared_nodata']:,} clusters lie on a fill value that neither the file declares nor the classes name"
            )
        notes.append(f"{raster.projection.name}, pixels of {sample.pixel_size_m:,.0f} m, the one under each centre")
    return HazardSample(codes, counts, tuple(notes))


def sample_hazard_polygons(
    path: Path, lat: Any, lon: Any, *, field: str, classes: Mapping[Any, str], layer: str | None = None,
    progress: Progress | None = None,
) -> HazardSample:  # fmt: skip
    """Hazard class of the polygon around each centre; the higher class where polygons overlap.

    Parameters
    ----------
    path : Path
        Any layer that OGR reads.
    lat, lon : ndarray of float64, shape (n,)
        Centres of the clusters, WGS 84 [degrees].
    field : str
        Field that holds the class.
    classes : mapping
        Word of `catalog.HAZARD_CLASSES` of each value of the field; letter case does not count.
    layer : str, optional
        Layer of the file; needed where it has several.
    progress : Progress, optional
        Told how many clusters are done.

    Raises
    ------
    DataError
        If the layer cannot be placed or read, lies elsewhere, has no such field, or holds values that `classes` does not
        name.
    InvalidValueError
        If `classes` names no hazard class.
    """
    found = classify_polygons(
        Path(path), lat, lon, field=field, codes=hazard_codes(classes), rank="highest", layer=layer, holds="fire hazard",
        progress=progress,
    )  # fmt: skip
    return HazardSample(found.codes, {**found.counts, **_by_class(found.codes)}, found.notes)


def _by_class(codes: NDArray[np.uint8]) -> dict[str, int]:
    tally = np.bincount(codes, minlength=UNKNOWN_CODE + 1)
    return {f"class_{name.replace(' ', '_')}": int(tally[i]) for i, name in enumerate(HAZARD_CLASSES)}


def _refuse_strays(raster: RasterBand, values: NDArray[np.float64]) -> None:
    if not values.size:
        return
    strays, many = np.unique(values, return_counts=True)
    shown = ", ".join(f"{value:g} ({count:,})" for value, count in zip(strays[:_LISTED], many[:_LISTED], strict=True))
    more = f" and {strays.size - _LISTED} more" if strays.size > _LISTED else ""
    raise refused(
        raster.path, f"it holds values that no class is given for, with the clusters on them: {shown}{more}",
        f"Name the class of each ({', '.join(HAZARD_CLASSES)}), from the product's legend.", "hazard_values",
    )  # fmt: skip
