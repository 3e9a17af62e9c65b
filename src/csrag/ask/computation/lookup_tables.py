"""Tables of a stock-taking: by treatment, owner, slope, hazard, harvesting system and cost, and who else buys there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.ask.computation.facts import Ledger
from csrag.ask.computation.lookup import Forest, Stock, class_codes, mean_of
from csrag.ask.computation.lookup_facts import Entry, available, put
from csrag.geo import EARTH_RADIUS_KM
from csrag.places.wood_plants import WoodPlant
from csrag.quantities import bdt_to_gt
from csrag.surfaces.catalog import SYSTEMS
from csrag.surfaces.manifest import Manifest

Floats = NDArray[np.float64]
SLOPE_EDGES_PCT = (0.0, 10.0, 20.0, 35.0, 50.0)
"""Lower edges of the slope classes [percent]: 35 is about where machines on wheels and tracks stop."""
COST_EDGES_USD_PER_BDT = (0.0, 20.0, 30.0, 40.0, 50.0, 60.0, 80.0, 100.0, 150.0)
NEAR_KM = 80.0
"""How far outside an area a plant still counts as near [km]: about 50 miles, a usual limit of haul (assumed)."""
_AMOUNTS = ("clusters", "acres", "feedstock_bdt", "feedstock_gt", "share_pct")
_LANDS = {
    "private": "private", "usfs": "US Forest Service", "blm": "Bureau of Land Management", "nps": "National Park Service",
    "state": "state", "tribal": "tribal", "other": "other",
}  # fmt: skip


class Rows:
    """Rows of several tables; with more than one entry each row begins with its area and treatment.

    Parameters
    ----------
    several : bool
        Whether there is more than one entry.
    """

    def __init__(self, several: bool) -> None:
        self._several = several
        self._tables: dict[str, tuple[tuple[str, ...], list[tuple[Any, ...]], str]] = {}
        self._lead: tuple[str, ...] = ()

    def begin(self, area: str, treatment: str) -> None:
        """The entry that the next rows belong to."""
        self._lead = (area, treatment) if self._several else ()

    def add(self, name: str, columns: tuple[str, ...], rows: Sequence[tuple[Any, ...]], note: str = "") -> None:
        """Rows of a table."""
        head = ("area", "treatment", *columns) if self._several else columns
        kept = self._tables.setdefault(name, (head, [], note))[1]
        kept += [(*self._lead, *row) for row in rows]

    def put_into(self, ledger: Ledger) -> None:
        """Record them all."""
        for name, (columns, rows, note) in self._tables.items():
            ledger.table(name, columns, rows, note)


def add_tables(rows: Rows, entry: Entry, forest: Forest, stock: Stock, manifest: Manifest) -> None:
    """Every table of one entry but treatments and plants.

    Parameters
    ----------
    rows : Rows
        Receives them.
    entry : Entry
        What it is.
    forest, stock : Forest, Stock
        The area's clusters, and the treatment.
    manifest : Manifest
        Codes.
    """
    tons, counted = available(entry, forest, stock), stock.of(forest)
    _add_owners(rows, entry, forest, stock, tons, manifest)
    slope = forest.frame["slope_pct"].astype(np.float64)
    code = np.where(np.isfinite(slope), np.searchsorted(SLOPE_EDGES_PCT, slope, side="right") - 1, len(SLOPE_EDGES_PCT))
    _add_classes(rows, "slope_classes", "slope_pct", edge_names(SLOPE_EDGES_PCT), code, entry, forest, tons, counted)
    names = manifest.codes.get("hazard_class", ())
    _add_classes(rows, "hazard_classes", "hazard_class", [*names, "unknown"], class_codes(forest, "hazard_class", names), entry,
                 forest, tons, counted)  # fmt: skip
    _add_systems(rows, entry, forest, stock, tons, counted)
    cost = np.where(np.isfinite(stock.cost), stock.cost, 0.0)
    code = np.searchsorted(COST_EDGES_USD_PER_BDT, np.maximum(cost, 0.0), side="right") - 1
    _add_classes(
        rows,
        "harvest_cost_classes",
        "usd_per_bdt",
        edge_names(COST_EDGES_USD_PER_BDT),
        code,
        entry,
        forest,
        tons,
        counted,
    )
    left_out = {**forest.reasons, "nothing to remove": forest.counts & stock.nothing,
                "no feasible harvesting system": forest.counts & ~stock.nothing & ~stock.usable}  # fmt: skip
    rows.add("excluded", ("reason", "clusters", "acres", "feedstock_bdt"),
             [(why, int(m.sum()), float(forest.acres[m].sum()), float(tons[m & stock.usable].sum()))
              for why, m in left_out.items() if m.any()],
             "each cluster counts under its first reason; none of it is in the total")  # fmt: skip


def edge_names(edges: Sequence[float]) -> list[str]:
    """Words of the classes between edges of any unit: "0 to 10" and so on, "50 and over", and "unknown" last."""
    inner = [f"{low:g} to {high:g}" for low, high in pairwise(edges)]
    return [*inner, f"{edges[-1]:g} and over", "unknown"]


def _add_classes(rows: Rows, table: str, column: str, names: Sequence[str], code: NDArray[Any], entry: Entry, forest: Forest,
                 tons: Floats, counted: NDArray[np.bool_]) -> None:  # fmt: skip
    """Clusters, acres and tons by class of what counts, in the order of the classes, empty ones left out."""
    mine = code[counted].astype(np.int64)
    number = np.bincount(mine, minlength=len(names))
    acres = np.bincount(mine, weights=forest.acres[counted], minlength=len(names))
    bdt = np.bincount(mine, weights=tons[counted], minlength=len(names))
    total = float(bdt.sum())
    rows.add(
        table, (column, *_AMOUNTS),
        [(names[i], int(number[i]), float(acres[i]), float(bdt[i]), bdt_to_gt(float(bdt[i]), entry.moisture_pct),
          100 * float(bdt[i]) / total) for i in range(len(names)) if number[i]],
        "what counts: owners and limits of the question, outside parks and wilderness; shares of its tons",
    )  # fmt: skip


def _add_owners(rows: Rows, entry: Entry, forest: Forest, stock: Stock, tons: Floats, manifest: Manifest) -> None:
    names = manifest.codes["land_use"]
    code, counted = class_codes(forest, "land_use", names), stock.of(forest)
    total = float(forest.acres.sum())
    out = []
    for i, name in enumerate([*names, "unknown"]):
        here = code == i
        if not here.any():
            continue
        acres, bdt = float(forest.acres[here].sum()), float(tons[here & counted].sum())
        out.append((_LANDS.get(name, name), int(here.sum()), acres, 100 * acres / total,
                    float(forest.acres[here & forest.protected].sum()), float(tons[here & stock.usable].sum()), bdt,
                    bdt_to_gt(bdt, entry.moisture_pct)))  # fmt: skip
    rows.add(
        "ownership",
        ("land_use", "clusters", "acres", "share_pct", "protected_acres", "all_feedstock_bdt", "counted_bdt", "counted_gt"),
        sorted(out, key=lambda row: -row[2]), "all forest of the area; shares of its acres; counted is what the total holds",
    )  # fmt: skip


def _add_systems(
    rows: Rows, entry: Entry, forest: Forest, stock: Stock, tons: Floats, counted: NDArray[np.bool_]
) -> None:
    total = float(tons[counted].sum())
    out = []
    for i, name in enumerate(SYSTEMS):
        mine = counted & (stock.system == i)
        if mine.any():
            bdt = float(tons[mine].sum())
            out.append((name, int(mine.sum()), float(forest.acres[mine].sum()), bdt, bdt_to_gt(bdt, entry.moisture_pct),
                        100 * bdt / total, mean_of(stock.cost[mine], tons[mine])))  # fmt: skip
    rows.add("stock_systems", ("system", *_AMOUNTS, "mean_harvest_usd_per_bdt"), sorted(out, key=lambda row: -row[3]),
             "the cheapest feasible system of each cluster that counts; shares of its tons")  # fmt: skip


def treatment_row(entry: Entry, forest: Forest, stock: Stock) -> tuple[Any, ...]:
    """One treatment's line in the table of all of them."""
    tons, counted = available(entry, forest, stock), stock.of(forest)
    mine = tons[counted]
    bdt, acres = float(mine.sum()), float(forest.acres[counted].sum())
    return (
        stock.treatment, len(mine), acres, bdt, bdt_to_gt(bdt, entry.moisture_pct), bdt / acres if acres else None,
        float((stock.cost[counted] * mine).sum()) / bdt if bdt else None, float(stock.coproduct[counted].sum()),
        int((forest.counts & stock.nothing).sum()), int((forest.counts & ~stock.nothing & ~stock.usable).sum()),
    )  # fmt: skip


TREATMENT_COLUMNS = (
    "treatment", "clusters", "acres", "feedstock_bdt", "feedstock_gt", "bdt_per_acre", "mean_harvest_usd_per_bdt",
    "saw_logs_bdt", "nothing_to_remove_clusters", "infeasible_clusters",
)  # fmt: skip


def add_plants(
    rows: Rows, ledger: Ledger, entry: Entry, forest: Forest, plants: Sequence[WoodPlant],
    contains: Callable[[Floats, Floats], NDArray[np.bool_]],
) -> list[WoodPlant]:  # fmt: skip
    """Who else buys wood in the area or near it.

    Parameters
    ----------
    rows : Rows
        Receives the table.
    ledger : Ledger
        Receives the totals.
    entry : Entry
        What it is.
    forest : Forest
        The area's clusters; a plant outside is as near as the nearest of them.
    plants : sequence of WoodPlant
        Known plants with their demand.
    contains : callable
        Tells which points lie in the area.

    Returns
    -------
    list of WoodPlant
        Those in the area or near it, in the order of the table.
    """
    lat, lon = (np.array([getattr(p, name) for p in plants], dtype=np.float64) for name in ("lat", "lon"))
    inside = contains(lat, lon) if len(plants) else np.zeros(0, dtype=np.bool_)
    away = np.where(inside, 0.0, nearest_km(lat, lon, forest.frame["lat"], forest.frame["lon"]))
    order = sorted((float(away[i]), plants[i].name, i) for i in range(len(plants)) if away[i] <= NEAR_KM)
    near = [(d, bool(inside[i]), plants[i]) for d, _, i in order]
    rows.add("wood_plants", ("name", "inside", "distance_km", "capacity_mw", "demand_bdt_per_year", "basis"),
             [(p.name, "yes" if within else "no", d, p.capacity_mw, p.bdt_per_year, p.basis) for d, within, p in near],
             "distance to the nearest cluster of the area; the demand is not taken off the total")  # fmt: skip
    put(ledger, entry, "near_km", NEAR_KM, "about 50 miles, a usual limit of haul (assumed)")
    put(
        ledger, entry, "plants_inside_count", sum(within for _, within, _ in near), "plants whose town lies in the area"
    )
    put(ledger, entry, "plants_near_count", len(near), f"in the area or within {NEAR_KM:g} km of its forest")
    demand = sum(p.bdt_per_year for _, _, p in near)
    put(ledger, entry, "plants_near_bdt", demand, "assumed; see the table of plants")
    return [p for _, _, p in near]


def nearest_km(lat_deg: Floats, lon_deg: Floats, lats_deg: Floats, lons_deg: Floats) -> Floats:
    """Distance from each point to the nearest of many.

    Parameters
    ----------
    lat_deg, lon_deg : ndarray of float64, shape (m,)
        Points [degrees].
    lats_deg, lons_deg : ndarray of float64, shape (n,)
        The many [degrees].

    Returns
    -------
    ndarray of float64, shape (m,)
        [km]; infinite where there are none. By the chord between points on the unit sphere.
    """
    if not len(lats_deg) or not len(lat_deg):
        return np.full(len(lat_deg), np.inf)
    best = np.full(len(lat_deg), np.inf)
    here = _on_sphere(lat_deg, lon_deg)
    for start in range(0, len(lats_deg), 65_536):
        some = slice(start, start + 65_536)
        chord2 = 2 - 2 * (here @ _on_sphere(lats_deg[some], lons_deg[some]).T)
        np.minimum(best, chord2.min(axis=1), out=best)
    return np.asarray(2 * EARTH_RADIUS_KM * np.arcsin(np.sqrt(np.clip(best, 0.0, 4.0)) / 2))


def _on_sphere(lat_deg: Floats, lon_deg: Floats) -> Floats:
    lat, lon = np.radians(lat_deg), np.radians(lon_deg)
    return np.column_stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)])
