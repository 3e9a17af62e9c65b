"""Each input of a recipe laid over the clusters, in the terms of the table; see `build.sources.table_finish.Filler`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from csrag.build.progress import Progress
from csrag.build.recipe.recipe import Part
from csrag.errors import DataError
from csrag.surfaces.catalog import LAND_USES, UNKNOWN_CODE

_COMPARED = 50
_UNIT_TOLERANCE = 0.08
_LOW_FT, _FAR_FT = 30.0, 300.0

Held = dict[str, NDArray[np.float64]]


@dataclass
class Told:
    """What the readers have said: sentences, counts, vintages.

    Parameters
    ----------
    notes : list of str
        Sentences, each with the section it belongs to.
    counts : dict of str to int
        Counts, named after their section.
    vintages : dict of str to str
        Vintage by section, where a file states one that the recipe does not.
    """

    notes: list[str] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    vintages: dict[str, str] = field(default_factory=dict)

    def take(self, part: Part, counts: Mapping[str, int], notes: Sequence[str] = ()) -> None:
        """Keep what one reader said."""
        head = "_".join(part.name.lower().replace(".", " ").split())
        self.counts.update({f"{head}_{name}": int(count) for name, count in counts.items()})
        self.notes += [f"{part.name}: {note}" for note in notes]


def lay_dem(part: Part, held: Held, told: Told, progress: Progress) -> None:
    """Fill elevation and terrain slope where the table has none; a missing grade is taken from the slope."""
    from csrag.build.sources.raster_dem import sample_dem

    found = sample_dem(
        part.file("raster"), held["lat"], held["lon"], vertical_unit=part.values.get("vertical_unit"),
        band=part.values.get("band"), progress=progress,
    )  # fmt: skip
    told.take(part, found.counts, found.notes)
    _compare_elevation(part, held.get("elevation"), found.elevation_ft, told)
    sampled = {"elevation": found.elevation_ft, "slope_pct": found.slope_pct, "slope": found.slope_pct}
    said = {
        "elevation": "elevation is that of the raster",
        "slope_pct": "terrain slope is that of the raster",
        "slope": "the table has no grade to the landing: the raster's terrain slope stands in for it",
    }
    for name, values in sampled.items():
        own = held.get(name, np.full(values.shape, np.nan))
        gap = np.isnan(own)
        held[name] = np.where(gap, values, own)
        filled = int(np.count_nonzero(gap & np.isfinite(held[name])))
        told.counts[f"dem_filled_{name}"] = filled
        if filled:
            told.notes.append(f"dem: {said[name]} for {filled:,} clusters")


def _compare_elevation(part: Part, own: NDArray[np.float64] | None, dem_ft: NDArray[np.float32], told: Told) -> None:
    """Refuse a raster and a table whose elevations differ by the metres in a foot; say where they are far apart."""
    if own is None:
        return
    both = np.isfinite(own) & np.isfinite(dem_ft)
    apart = float(np.median(np.abs(dem_ft[both] - own[both]))) if both.any() else 0.0
    usable = both & (np.abs(own) > _LOW_FT) & (np.abs(dem_ft) > _LOW_FT)
    if int(usable.sum()) >= _COMPARED:
        ratio = float(np.median(dem_ft[usable] / own[usable]))
        name = part.file("raster").name
        for factor, likely in ((0.3048, 'the raster is in metres: say vertical_unit = "m" in [dem]'),
                               (1 / 0.3048, "the table's elevation is in metres: convert that column to feet")):  # fmt: skip
            if abs(ratio / factor - 1) < _UNIT_TOLERANCE:
                raise DataError(
                    f"Elevations of [dem] {name} are {ratio:.3f} times the elevation column of the [clusters] table (median of "
                    f"{int(usable.sum()):,} clusters; raster as {part.text('vertical_unit') or 'the unit its file states'}, table "
                    "as ft): one of them is in the other unit, and slopes would be wrong by the same factor.",
                    f"Most likely {likely}; else mend the other of the two. Nothing was written.",
                    code="elevation_units_differ",
                )
    if apart > _FAR_FT:
        told.notes.append(
            f"dem: WARNING: the raster and the table's elevation differ by {apart:,.0f} ft (median of {int(both.sum()):,} "
            "clusters); check that both are of this region and in the units stated"
        )


def lay_fire(part: Part, held: Held, told: Told, progress: Progress) -> None:
    """Burn probability of the raster for every cluster; the table's own is left aside."""
    from csrag.build.sources.raster_fire import sample_fire

    own = held.get("burn_probability")
    found = sample_fire(
        part.file("raster"), held["lat"], held["lon"], vintage=part.text("vintage") or None,
        product=part.text("product") or None, band=part.values.get("band"), scale=part.values.get("scale"),
        progress=progress,
    )  # fmt: skip
    told.take(part, found.counts, found.notes)
    told.vintages[part.name] = found.provenance.vintage
    if own is not None and np.isfinite(own).any():
        told.notes.append("fire: the table's own burn_probability is left aside, the raster counts everywhere")
    held["burn_probability"] = found.values.astype(np.float64)


def lay_hazard(part: Part, held: Held, told: Told, progress: Progress) -> None:
    """Hazard class of the raster or polygons for every cluster; the table's own is left aside."""
    from csrag.build.sources.raster_hazard import sample_hazard_polygons, sample_hazard_raster

    classes, lat, lon = part.words("classes"), held["lat"], held["lon"]
    if "raster" in part.values:
        found = sample_hazard_raster(
            part.file("raster"), lat, lon, classes=classes, band=part.values.get("band"), progress=progress
        )
    else:
        found = sample_hazard_polygons(
            part.file("polygons"), lat, lon, field=part.text("field"), classes=classes, layer=part.values.get("layer"),
            progress=progress,
        )  # fmt: skip
    told.take(part, found.counts, found.notes)
    if np.isfinite(held.get("haz_class", np.full(1, np.nan))).any():
        told.notes.append("hazard: the table's own haz_class is left aside")
    held["hazard_code"] = found.codes.astype(np.float64)


def lay_ownership(part: Part, held: Held, told: Told, progress: Progress) -> None:
    """Land use of the polygon that a cluster lies in; outside them that of `outside`, else the table's own."""
    from csrag.build.sources.polygons import assign_polygons

    found = assign_polygons(
        part.file("polygons"), held["lat"], held["lon"], field=part.text("field"), mapping=part.words("mapping"),
        unknown=part.text("unknown") or "refuse", layer=part.values.get("layer"), progress=progress,
    )  # fmt: skip
    told.take(part, found.counts, found.notes)
    known = found.codes != UNKNOWN_CODE
    code = np.where(known, found.codes, np.nan)
    lost = ~found.inside
    if word := part.text("outside"):
        code = np.where(lost, LAND_USES.index(word), code)
        told.notes.append(f"ownership: {int(lost.sum()):,} clusters in no polygon are taken as {word}")
    else:
        told.notes.append(f"ownership: {int(lost.sum()):,} clusters in no polygon keep the table's own land use")
    held["land_use_code"] = code


def lay_exclusion(part: Part, held: Held, told: Told, progress: Progress) -> None:
    """Keep clusters inside the polygons out of every cut, whoever owns them."""
    from csrag.build.sources.polygons import assign_polygons

    found = assign_polygons(
        part.file("polygons"), held["lat"], held["lon"], layer=part.values.get("layer"), progress=progress
    )
    told.take(part, found.counts, found.notes)
    before = np.nan_to_num(held.get("wilderness", np.zeros(found.inside.shape))) > 0
    held["wilderness"] = (before | found.inside).astype(np.float64)
    new = int(np.count_nonzero(found.inside & ~before))
    told.notes.append(
        f"{part.name}: {int(found.inside.sum()):,} clusters lie inside and are kept out of every cut, {new:,} of them by no layer "
        "before it"
    )
