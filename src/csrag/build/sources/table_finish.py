"""From the gathered records of a table to the catalog's columns: codes, circuity, the checks that need the whole table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from csrag.build.sources.table_clusters import ClusterTable
from csrag.build.sources.table_columns import hazard_code, land_use_code
from csrag.build.sources.table_gates import CELL_ACRES, check_density, check_tonnage, check_yarding, tonnage
from csrag.errors import InvalidValueError, TableRefusedError
from csrag.places.counties import COUNTY_NAMES, county_code, county_of
from csrag.surfaces.catalog import CLEAR_CUT, COLUMNS, HAZARD_CLASSES, LAND_USES, UNKNOWN_CODE
from csrag.surfaces.manifest import Treatment

_HULL_DIRECTIONS = 256
_OUTSIDE_SHARE = 0.05
"""Largest share of clusters that may lie in no county: the polygons are simplified to about 100 m."""
_HIGH_BURN_PROBABILITY = 0.2
_UNUSUAL_AREA = 0.25


@dataclass(frozen=True)
class Finished:
    """A checked table in the catalog's terms; see `build.pipeline.ClusterSource`."""

    treatments: tuple[Treatment, ...]
    zone_factors: tuple[float, ...]
    codes: Mapping[str, tuple[str, ...]]
    data_area: tuple[tuple[tuple[float, float], ...], ...]
    notes: tuple[str, ...]
    counts: Mapping[str, int]
    clusters: dict[str, NDArray[Any]]
    removals: Mapping[str, NDArray[np.float32]]
    vintage: str
    has_fire: bool


@dataclass(frozen=True)
class Filled:
    """What a filler has found beside the columns that it changed.

    Parameters
    ----------
    zone_factors : tuple of float or None
        Fitted factor of each value of the column `zone`; None where it brought no zones.
    notes : tuple of str
        What it wants said.
    counts : mapping of str to int
        What it counted.
    """

    zone_factors: tuple[float, ...] | None = None
    notes: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)


class Filler(Protocol):
    """Lays other sources over the clusters of a table."""

    @property
    def fills(self) -> Sequence[str]:
        """Of slope, elevation and land_use: what the table may lack."""
        ...

    def fill(self, held: dict[str, NDArray[np.float64]]) -> Filled:
        """Change or add columns of the clusters in place.

        Parameters
        ----------
        held : dict of str to ndarray of float64, shape (n,)
            By cluster number: lat, lon [degrees], elevation [ft], slope, slope_pct [percent], burn_probability, zone,
            wilderness; `land_use_code` and `hazard_code` are those of the catalog and stand before the table's own words,
            NaN where the table's word counts.
        """
        ...


def finish(
    table: ClusterTable, ids: Mapping[str, int], zone_factors: Sequence[float], mapping: str, label: str,
    filler: Filler | None = None,
) -> Finished:  # fmt: skip
    """Check the whole table and put it into the catalog's columns.

    Parameters
    ----------
    table : ClusterTable
        All records.
    ids : mapping of str to int
        Id of each treatment in the table; the catalog's order where it lacks one.
    zone_factors : sequence of float
        For a table with a `zone` column.
    mapping : str
        How clusters become simulator input.
    label : str
        The table's name in messages.
    filler : Filler, optional
        Lays other sources over the clusters.

    Raises
    ------
    TableRefusedError
        If densities, distances or tons are in another unit, or the clusters lie outside California.
    InvalidValueError
        If zones and zone factors do not fit.
    """
    notes: list[str] = []
    counts: dict[str, int] = {"rows_read": table.rows}
    cluster_no, held = table.sorted_columns()
    removals = table.pop_removals()
    n = cluster_no.size
    with_tons = np.zeros(n, dtype=bool)
    for tons in removals.values():
        with_tons |= np.nansum(tons, axis=0) > 0
    check_density(held["wood_density"], with_tons, label)
    check_yarding(held["mean_yarding"], held["area"], label)
    county = _counties(table, held, counts, notes, label)
    if filler is not None:
        filled = filler.fill(held)
        zone_factors = zone_factors if filled.zone_factors is None else filled.zone_factors
        notes += filled.notes
        counts.update(filled.counts)
    codes: dict[str, tuple[str, ...]] = {
        "land_use": LAND_USES, "county": COUNTY_NAMES, "hazard_class": HAZARD_CLASSES, "forest_type": (),
    }  # fmt: skip
    codes["forest_type"], forest_type = _forest_types(table, held, notes)
    level = int(np.count_nonzero(np.isnan(held["slope"])))
    if level:
        counts["clusters_without_slope"] = level
        notes.append(
            f"slope unknown for {level:,} clusters: their grade to the landing is taken as level, as FRREDSS does"
        )
    _about_blanks(table, held, counts, notes)
    notes.append(
        "the data area is the hull around the clusters; sites beside it are answered, with the share of their circle outside"
    )
    middle_acres = float(np.median(held["area"]))
    if abs(middle_acres / CELL_ACRES - 1) > _UNUSUAL_AREA:
        notes.append(f"typical cluster area {middle_acres:.1f} acres; FRREDSS's clusters have {CELL_ACRES:.0f}")
    zone, factors = _zones(held, zone_factors, counts, notes)
    slope_pct = _terrain_slope(held, notes)
    if np.isnan(slope_pct).all():
        raise TableRefusedError(
            "No cluster has a terrain slope, so no harvesting system could be judged and the set would hold no cost.",
            "Fill the column slope (or slope_pct), or give an elevation raster in a recipe ([dem]).",
        )
    columns: dict[str, NDArray[Any]] = {
        "cluster_no": cluster_no,
        "lat": held["lat"],
        "lon": held["lon"],
        "area_acres": held["area"],
        "slope_pct": slope_pct,
        "grade_pct": held["slope"],
        "yarding_ft": held["mean_yarding"],
        "elevation_ft": held["elevation"],
        "wood_density_kg_per_m3": held["wood_density"],
        "burn_probability": _burn_probability(held, counts, notes),
        "zone": zone,
        "land_use": _land_uses(table, held, counts, notes),
        "wilderness": _wilderness(held, notes),
        "roaded": np.ones(n),
        "county": county,
        "forest_type": forest_type,
        "hazard_class": _hazard(held, counts, notes),
    }
    clusters = {name: np.ascontiguousarray(values, dtype=COLUMNS[name].dtype) for name, values in columns.items()}
    clear = {name: name == CLEAR_CUT for name in removals}
    found = tonnage(clusters, removals, clear, mapping)
    check_tonnage(found, label)
    counts["records_outside_tonnage_bounds"] = found.outside
    notes.append(
        f"Ground-Based Mech WT feedstock of {found.records:,} non-zero records: mean {found.mean_gt_per_acre:.1f} GT per "
        f"acre, {found.mean_gt_per_cluster:.0f} GT a cluster; {found.outside:,} single records outside 2 to 60 GT per acre"
    )
    missing = sum(int(np.count_nonzero(np.isnan(tons[0]))) for tons in removals.values())
    if missing:
        notes.append(
            f"{missing:,} of {n * len(removals):,} cluster and treatment pairs have no record: unknown, not zero"
        )
    for name, count in table.inconsistent().items():
        notes.append(
            f"{name} differs between the records of {count:,} clusters; that of the first treatment with tons is used"
        )
        counts[f"inconsistent_{name}"] = count
    order = {name: i for i, name in enumerate(removals, start=1)}
    years = sorted(table.years)
    return Finished(
        tuple(Treatment(name, ids.get(name, order[name]), clear[name]) for name in removals),
        factors, codes, (_hull(held["lon"], held["lat"]),), tuple(notes), counts, clusters, removals,
        ", ".join(map(str, years)) if years else "", bool(np.isfinite(clusters["burn_probability"]).any()),
    )  # fmt: skip


def _about_blanks(
    table: ClusterTable, held: Mapping[str, NDArray[np.float64]], counts: dict[str, int], notes: list[str]
) -> None:
    for what, rows in table.filled.items():
        if rows:
            counts[f"rows_with_{what}_of_the_landing"] = rows
            notes.append(f"{what} of the centre blank in {rows:,} rows: that of the landing is taken")
    unknown = int(np.count_nonzero(np.isnan(held["elevation"])))
    if unknown:
        counts["clusters_without_elevation"] = unknown
        notes.append(
            f"elevation unknown for {unknown:,} clusters: taken as sea level, which flatters helicopters' payload"
        )


def _counties(
    table: ClusterTable, held: Mapping[str, NDArray[np.float64]], counts: dict[str, int], notes: list[str], label: str
) -> NDArray[np.uint8]:
    by_place = county_of(held["lat"], held["lon"])
    nowhere = int(np.count_nonzero(by_place == UNKNOWN_CODE))
    if nowhere > _OUTSIDE_SHARE * by_place.size:
        raise TableRefusedError(
            f"{label} is refused, nothing was written: {nowhere:,} of {by_place.size:,} clusters lie in no Californian county.",
            "Keep Californian clusters, and check the coordinates.", code="outside_california",
        )  # fmt: skip
    if nowhere:
        counts["clusters_in_no_county"] = nowhere
        notes.append(f"{nowhere:,} clusters lie in no county's polygon (at the shore or the state line)")
    if "county_name" not in table.text_names:
        notes.append("no county_name column: counties by position")
        return by_place
    lookup = []
    unmapped: list[str] = []
    for word in table.words("county_name"):
        try:
            lookup.append(county_code(word))
        except KeyError:
            lookup.append(UNKNOWN_CODE)
            unmapped.append(word)
    named = _look_up(held["county_name"], lookup, UNKNOWN_CODE)
    if unmapped:
        notes.append(f"unknown county names, taken by position: {_listed(unmapped)}")
    return np.where(named == UNKNOWN_CODE, by_place, named).astype(np.uint8)


def _look_up(numbers: NDArray[np.float64], codes: Sequence[int], empty: int) -> NDArray[np.int64]:
    table = np.array([*codes, empty], dtype=np.int64)
    return table[np.where(np.isnan(numbers), len(codes), numbers).astype(np.int64)]


def _listed(words: Sequence[str]) -> str:
    kept = sorted(words)
    return ", ".join(repr(word) for word in kept[:8]) + (f" and {len(kept) - 8} more" if len(kept) > 8 else "")


def _land_uses(
    table: ClusterTable, held: Mapping[str, NDArray[np.float64]], counts: dict[str, int], notes: list[str]
) -> NDArray[np.int64]:
    given = held.get("land_use_code", np.full(held["lat"].shape, np.nan))
    words = table.words("land_use")
    found = [land_use_code(word) for word in words]
    other = LAND_USES.index("other")
    stray = [word for word, code in zip(words, found, strict=True) if code is None]
    unmapped = [code is None for code in found]
    strange = _look_up(held["land_use"], [int(flag) for flag in unmapped], 1) > 0
    count = int(np.count_nonzero(strange & np.isnan(given)))
    if count:
        counts["land_use_not_recognised"] = count
        notes.append(f"land use of {count:,} clusters not recognised, counted as other: {_listed(stray) or 'empty'}")
    own = _look_up(held["land_use"], [other if code is None else code for code in found], other)
    return np.where(np.isnan(given), own, np.nan_to_num(given)).astype(np.int64)


def _forest_types(
    table: ClusterTable, held: Mapping[str, NDArray[np.float64]], notes: list[str]
) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    if "forest_type" not in table.text_names:
        return (), np.full(held["lat"].shape, UNKNOWN_CODE, dtype=np.int64)
    words = table.words("forest_type")
    kept = sorted(words)[:UNKNOWN_CODE]
    if len(words) > len(kept):
        notes.append(f"{len(words) - len(kept)} forest types beyond the first {len(kept)} are counted as unknown")
    place = {word: i for i, word in enumerate(kept)}
    return tuple(kept), _look_up(held["forest_type"], [place.get(w, UNKNOWN_CODE) for w in words], UNKNOWN_CODE)


def _zones(
    held: Mapping[str, NDArray[np.float64]], zone_factors: Sequence[float], counts: dict[str, int], notes: list[str]
) -> tuple[NDArray[np.int64], tuple[float, ...]]:
    n = held["lat"].size
    if "circuity" in held:
        values = np.round(held["circuity"], 2)
        known = np.isfinite(values)
        factors = np.unique(values[known])
        zone = np.where(known, np.searchsorted(factors, np.where(known, values, 1.0)), -1)
        notes.append(f"circuity rounded to 0.01: {factors.size} zones")
        return _unknown_zones(zone, counts, notes), tuple(factors.tolist())
    if "zone" not in held:
        if zone_factors:
            raise InvalidValueError("Zone factors are given but the table has no zone column.", "Leave them out.")
        notes.append("no zone or circuity column: circuity unknown everywhere")
        return np.full(n, -1, dtype=np.int64), ()
    if not zone_factors:
        raise InvalidValueError("The table has a zone column but no factors are given.", "Add --zone-factors F0,F1,..")
    values = held["zone"]
    known = np.isfinite(values) & (values >= 0)
    stray = int(np.count_nonzero(known & ((values >= len(zone_factors)) | (values != np.floor(values)))))
    if stray:
        raise InvalidValueError(
            f"{stray:,} clusters lie in zones without a factor.", f"Zones are 0 to {len(zone_factors) - 1} here."
        )
    return _unknown_zones(np.where(known, values, -1).astype(np.int64), counts, notes), tuple(zone_factors)


def _unknown_zones(zone: NDArray[Any], counts: dict[str, int], notes: list[str]) -> NDArray[np.int64]:
    unknown = int(np.count_nonzero(zone < 0))
    if unknown:
        notes.append(f"circuity unknown for {unknown:,} clusters")
        counts["clusters_without_circuity"] = unknown
    return zone.astype(np.int64)


def _terrain_slope(held: Mapping[str, NDArray[np.float64]], notes: list[str]) -> NDArray[np.float64]:
    if "slope_pct" in held:
        return held["slope_pct"]
    notes.append("no slope_pct column: terrain slope taken equal to `slope`, which FRREDSS measures to the landing")
    return held["slope"]


def _burn_probability(
    held: Mapping[str, NDArray[np.float64]], counts: dict[str, int], notes: list[str]
) -> NDArray[np.float64]:
    if "burn_probability" not in held:
        notes.append("no burn_probability column: unknown everywhere, so a fire weight does nothing")
        return np.full(held["lat"].shape, np.nan)
    values = held["burn_probability"]
    high = int(np.count_nonzero(values > _HIGH_BURN_PROBABILITY))
    if high:
        counts["high_burn_probability"] = high
        notes.append(f"burn probability of {high:,} clusters is above 0.2 a year")
    return values


def _wilderness(held: Mapping[str, NDArray[np.float64]], notes: list[str]) -> NDArray[np.bool_]:
    if "wilderness" not in held:
        notes.append("no wilderness column: none is excluded")
        return np.zeros(held["lat"].shape, dtype=bool)
    return np.nan_to_num(held["wilderness"]) > 0


def _hazard(held: Mapping[str, NDArray[np.float64]], counts: dict[str, int], notes: list[str]) -> NDArray[np.uint8]:
    if "hazard_code" in held:
        return held["hazard_code"].astype(np.uint8)
    if "haz_class" not in held:
        return np.full(held["lat"].shape, UNKNOWN_CODE, dtype=np.uint8)
    codes = hazard_code(held["haz_class"])
    notes.append("haz_class read as 0 none, 1 moderate, 2 high, 3 very high")
    unknown = int(np.count_nonzero(codes == UNKNOWN_CODE))
    if unknown:
        counts["hazard_class_unknown"] = unknown
    return codes


def _hull(lon: NDArray[np.float64], lat: NDArray[np.float64]) -> tuple[tuple[float, float], ...]:
    """Closed ring around all clusters: the farthest point in each of 256 directions, in order around."""
    angle = np.linspace(0.0, 2 * np.pi, _HULL_DIRECTIONS, endpoint=False)
    far = [int(np.argmax(lon * np.cos(a) + lat * np.sin(a))) for a in angle.tolist()]
    corners = list(dict.fromkeys((float(lon[i]), float(lat[i])) for i in far))
    return (*corners, corners[0])
