"""What a treated-cluster table must satisfy before anything is written; refusals carry counts, examples and the cure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.errors import TableRefusedError
from csrag.geo import CALIFORNIA_BOX
from csrag.simulators.harvest import HarvestEconomics, harvest
from csrag.surfaces.catalog import REMOVAL_COLUMNS, SITE_STAND_COLUMNS

GT_PER_ACRE = (2.0, 60.0)
GT_PER_CLUSTER = (60.0, 2000.0)
"""Bounds of the mean Ground-Based Mech WT feedstock over non-zero records, and of single records that are counted."""
DENSITY_KG_PER_M3 = (200.0, 1000.0)
AREA_ACRES = (0.1, 2000.0)
YARDING_FT = (1.0, 100_000.0)
ACRES_PER_HECTARE = 2.471054
CELL_ACRES = 32.025
"""Area of FRREDSS's cell of 360 m a side."""
_LIKE_A_CELL = 0.08
LEAST_YARDING_FT = 451.0
"""Mean distance to a landing at the centre of a 360 m cell: a table whose typical value is shorter is in metres."""
_BLOCK = 65_536
_EXAMPLES = 3


@dataclass
class Findings:
    """Refusals found so far: what, how many, where, and how to mend each."""

    counts: dict[str, int] = field(default_factory=dict)
    rows: dict[str, list[str]] = field(default_factory=dict)
    fixes: dict[str, str] = field(default_factory=dict)

    def add(
        self, what: str, bad: NDArray[np.bool_], first_row: int, fix: str, values: NDArray[Any] | None = None
    ) -> None:
        """Count rows of a batch that fail one gate."""
        count = int(np.count_nonzero(bad))
        if not count:
            return
        self.counts[what] = self.counts.get(what, 0) + count
        self.fixes[what] = fix
        kept = self.rows.setdefault(what, [])
        for i in np.flatnonzero(bad)[: _EXAMPLES - len(kept)]:
            kept.append(f"row {first_row + int(i):,}" + (f": {values[i]}" if values is not None else ""))

    def refuse(self, table: str) -> None:
        """Raise if anything was found.

        Raises
        ------
        TableRefusedError
            With every finding, its count and its first rows.
        """
        if not self.counts:
            return
        said = "; ".join(f"{n:,} {what} ({', '.join(self.rows[what])})" for what, n in self.counts.items())
        fixes = " ".join(dict.fromkeys(self.fixes.values()))
        raise TableRefusedError(f"{table} is refused, nothing was written: {said}.", fixes, code="table_values")


def check_batch(
    findings: Findings, first_row: int, lat: NDArray[np.float64], lon: NDArray[np.float64],
    numbers: Mapping[str, NDArray[np.float64]], removals: NDArray[np.float64], cluster_no: NDArray[np.int64],
) -> None:  # fmt: skip
    """Gates that need one row only.

    Parameters
    ----------
    findings : Findings
        Where failures are counted.
    first_row : int
        Number of the batch's first row.
    lat, lon : ndarray of float64, shape (n,)
        Position of each record's cluster [degrees].
    numbers : mapping of str to ndarray of float64
        The batch's number columns.
    removals : ndarray of float64, shape (4, n)
        Removed tons per acre.
    cluster_no : ndarray of int64
        Keys; negative where there is none.
    """

    def add(what: str, bad: NDArray[np.bool_], fix: str, values: NDArray[Any] | None = None) -> None:
        findings.add(what, bad, first_row, fix, values)

    add("rows without a cluster_no", cluster_no < 0, "Number every cluster with a whole number of 0 or more.")
    finite = np.isfinite(lat) & np.isfinite(lon)
    add("rows without finite coordinates", ~finite, "Fill or remove rows without a position.")
    lat_min, lat_max, lon_min, lon_max = CALIFORNIA_BOX
    inside = (lat >= lat_min) & (lat <= lat_max) & (lon >= lon_min) & (lon <= lon_max)
    swapped = finite & (lat >= lon_min) & (lat <= lon_max) & (lon >= lat_min) & (lon <= lat_max)
    positive = finite & (lat >= lat_min) & (lat <= lat_max) & (-lon >= lon_min) & (-lon <= lon_max)
    add("rows with latitude and longitude swapped", swapped, "Exchange the lat and lng columns.", lat)
    add("rows whose longitude lacks its minus sign", positive, "Write western longitudes as negative numbers.", lon)
    away = finite & ~inside & ~swapped & ~positive
    add("rows outside California", away, "Keep clusters inside 32.45 to 42.05 N, 124.55 to 114.05 W.", lat)
    add(
        "rows with negative tons", np.logical_or.reduce(removals < 0, axis=0), "Removed tons per acre are zero or more."
    )
    add("rows with empty or infinite tons", ~np.logical_and.reduce(np.isfinite(removals), axis=0),
        "Write 0 where nothing is removed, and leave out records that do not exist.")  # fmt: skip
    for name, (low, high), unit in (("area", AREA_ACRES, "acres"), ("mean_yarding", YARDING_FT, "feet")):
        values = numbers[name]
        add(f"rows with {name} outside {low:g} to {high:g} {unit}", ~((values >= low) & (values <= high)),
            f"Give {name} in {unit}.", values)  # fmt: skip
    slope = numbers["slope"]
    add("rows with slope outside 0 to 1000 percent", (slope < 0) | (slope > 1000), "Give slope in percent.", slope)
    for name, low, high in (("burn_probability", 0.0, 1.0), ("circuity", 1.0, 6.0), ("slope_pct", 0.0, 1000.0)):
        if name in numbers:
            values = numbers[name]
            add(f"rows with {name} outside {low:g} to {high:g}", (values < low) | (values > high),
                f"{name} lies in {low:g} to {high:g}; leave it empty where unknown.", values)  # fmt: skip


def check_density(density: NDArray[np.float64], with_tons: NDArray[np.bool_], table: str) -> None:
    """Refuse densities in another unit or out of range, over clusters that have something to remove.

    Raises
    ------
    TableRefusedError
        Naming the unit that the values look like.
    """
    used = density[with_tons]
    if used.size == 0:
        return
    bad = ~((used >= DENSITY_KG_PER_M3[0]) & (used <= DENSITY_KG_PER_M3[1]))
    if not bad.any():
        return
    finite = used[np.isfinite(used)]
    middle = float(np.median(finite)) if finite.size else float("nan")
    unit, factor = "", ""
    if 0.2 <= middle <= 1.0:
        unit, factor = "g per cm3", "1000"
    elif 12 <= middle <= 62:
        unit, factor = "lb per ft3", "16.018"
    looks = f"; the median {middle:.3g} looks like {unit}" if unit else ""
    fix = f"Multiply wood_density by {factor}." if unit else "Give basic density in kg per m3 (200 to 1000)."
    raise TableRefusedError(
        f"{table} is refused, nothing was written: wood_density of {int(bad.sum()):,} of {used.size:,} clusters with "
        f"removals lies outside 200 to 1000 kg per m3{looks}.",
        fix, code="wood_density_unit",
    )  # fmt: skip


def check_area(area: NDArray[np.float64], table: str) -> None:
    """Refuse areas whose typical value is that of FRREDSS's cell (360 m a side) in another unit than acres.

    Parameters
    ----------
    area : ndarray of float64, shape (n,)
        By cluster, as the table gives it.
    table : str
        Its name in messages.

    Raises
    ------
    TableRefusedError
        Asking for the unit.
    """
    middle = float(np.median(area))
    for unit, acres in (("hectares", ACRES_PER_HECTARE), ("square kilometres", 100 * ACRES_PER_HECTARE)):
        if abs(middle * acres / CELL_ACRES - 1) < _LIKE_A_CELL:
            raise TableRefusedError(
                f"{table} is refused, nothing was written: the typical area is {middle:.4g}, which is FRREDSS's cluster of "
                f"{CELL_ACRES:.0f} acres in {unit}. Are these {unit}?",
                (
                    'Say so with --area-unit hectares (in a recipe: area_unit = "hectares" in [clusters])'
                    if unit == "hectares"
                    else f"Multiply area by {acres:.2f}"
                )
                + "; if they are acres after all, say --area-unit acres (in a recipe: area_unit = \"acres\").",
                code="area_unit",
            )  # fmt: skip


def check_yarding(yarding_ft: NDArray[np.float64], area_acres: NDArray[np.float64], table: str) -> None:
    """Refuse yarding distances in metres: most lie below what a cell of that area allows.

    Raises
    ------
    TableRefusedError
        If the median is less than half the least possible.
    """
    # The mean distance inside a square from its centre grows with its side.
    least = LEAST_YARDING_FT * np.sqrt(area_acres / CELL_ACRES)
    share = float(np.median(yarding_ft / least))
    if share < 0.5:
        raise TableRefusedError(
            f"{table} is refused, nothing was written: the median mean_yarding is {float(np.median(yarding_ft)):.0f}, "
            f"{share:.0%} of the least that clusters of this area allow.",
            "Give mean_yarding in feet (metres times 3.28084).", code="yarding_unit",
        )  # fmt: skip


@dataclass(frozen=True)
class Tonnage:
    """Ground-Based Mech WT feedstock of a table's records.

    Parameters
    ----------
    records : int
        Records with feedstock.
    mean_gt_per_acre, mean_gt_per_cluster : float
        Means over them [GT].
    outside : int
        Single records outside the bounds; counted, not refused.
    """

    records: int
    mean_gt_per_acre: float
    mean_gt_per_cluster: float
    outside: int


def tonnage(
    site: Mapping[str, NDArray[Any]],
    removals: Mapping[str, NDArray[np.float32]],
    clear_cut: Mapping[str, bool],
    mapping: str,
) -> Tonnage:
    """Feedstock of every record through the simulator's own mapping.

    Parameters
    ----------
    site : mapping
        `catalog.SITE_STAND_COLUMNS`, each (n,).
    removals : mapping of str to ndarray, shape (4, n)
        By treatment; NaN where there is no record.
    clear_cut : mapping of str to bool
        By treatment.
    mapping : str
        How clusters become simulator input.
    """
    economics = HarvestEconomics()
    dry = 1 - economics.moisture_pct / 100
    records, per_acre, per_cluster, outside = 0, 0.0, 0.0, 0
    for treatment, tons in removals.items():
        for start in range(0, tons.shape[1], _BLOCK):
            rows = slice(start, start + _BLOCK)
            known = np.isfinite(tons[:, rows]).all(axis=0)
            stand = {name: np.asarray(site[name][rows][known], dtype=np.float64) for name in SITE_STAND_COLUMNS}
            stand.update({name: tons[i, rows][known].astype(np.float64) for i, name in enumerate(REMOVAL_COLUMNS)})
            result = harvest(stand, (), economics, clear_cut=clear_cut[treatment], mapping=mapping)
            gt = result.feedstock_bdt[0] / dry
            some = np.isfinite(gt) & (gt > 0)
            gt, acre = gt[some], gt[some] / stand["area_acres"][some]
            records += gt.size
            per_acre += float(acre.sum())
            per_cluster += float(gt.sum())
            outside += int(np.count_nonzero((acre < GT_PER_ACRE[0]) | (acre > GT_PER_ACRE[1])))
    n = max(records, 1)
    return Tonnage(records, per_acre / n, per_cluster / n, outside)


def check_tonnage(found: Tonnage, table: str) -> None:
    """Refuse a table whose mean feedstock shows that per acre and per cluster were mixed up.

    Raises
    ------
    TableRefusedError
        With the mean and what it looks like.
    """
    if found.records == 0:
        raise TableRefusedError(
            f"{table} is refused, nothing was written: no record has any feedstock.",
            "Check the columns stem4to6_tonsacre, stem6to9_tonsacre and branch_tonsacre.", code="no_feedstock",
        )  # fmt: skip
    acre, cluster = found.mean_gt_per_acre, found.mean_gt_per_cluster
    if GT_PER_ACRE[0] <= acre <= GT_PER_ACRE[1] and GT_PER_CLUSTER[0] <= cluster <= GT_PER_CLUSTER[1]:
        return
    likely = "the tons look like tons per cluster" if acre > GT_PER_ACRE[1] else (
        "the tons look as if they had been divided by the area twice, or are in another unit"
    )  # fmt: skip
    raise TableRefusedError(
        f"{table} is refused, nothing was written: the mean Ground-Based Mech WT feedstock over {found.records:,} non-zero "
        f"records is {acre:,.2f} GT per acre ({cluster:,.0f} GT a cluster), outside 2 to 60 GT per acre and 60 to 2,000 GT "
        f"a cluster; {likely}.",
        "Give bone-dry short tons per acre in the *_tonsacre columns, and area in acres.",
        code="per_acre_per_cluster",
    )  # fmt: skip
