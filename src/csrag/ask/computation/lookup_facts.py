"""Values of a stock-taking: one set of them an area and treatment."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from csrag.ask.computation.demand import PlantPerformance, capacity_mw_for
from csrag.ask.computation.facts import Ledger
from csrag.ask.computation.lookup import (
    HIGH_HAZARD,
    QUANTILES_PCT,
    Forest,
    Stock,
    class_codes,
    mean_of,
    weighted_quantiles,
)
from csrag.ask.records import SitingQuery
from csrag.quantities import bdt_to_gt, km_to_miles, usd_per_bdt_to_usd_per_gt
from csrag.surfaces.catalog import LAND_USES, SYSTEMS, UNKNOWN_CODE
from csrag.surfaces.manifest import Manifest
from csrag.values import unit_and_label

SUSTAINED_YEARS = 20
"""Years that a stock has to last where the question names none: a plant's life."""
NOTHING = "there is no feedstock to take a mean over"


@dataclass(frozen=True)
class Entry:
    """One area and treatment of an answer.

    Parameters
    ----------
    prefix : str
        Of its value ids: empty where there is one, else `area_2_` and so on.
    name : str
        Area, and treatment where several are asked.
    query : SitingQuery
        With this entry's treatment.
    moisture_pct : float
        Wet basis [percent].
    plant : PlantPerformance
        What turns tons into capacity.
    radius_km : float or None
        Of a circle [km].
    edge_share : float
        Share of the area outside the data area [0 to 1].
    """

    prefix: str
    name: str
    query: SitingQuery
    moisture_pct: float
    plant: PlantPerformance
    radius_km: float | None
    edge_share: float


def put_stock(ledger: Ledger, entry: Entry, forest: Forest, stock: Stock, set_bdt: float, manifest: Manifest) -> None:
    """Record every value of one entry.

    Parameters
    ----------
    ledger : Ledger
        Receives the values.
    entry : Entry
        What it is.
    forest : Forest
        The area's clusters.
    stock : Stock
        Of the treatment.
    set_bdt : float
        What the whole layer set holds under the same filters, availability and prices [BDT].
    manifest : Manifest
        Codes.
    """
    _put_circle(ledger, entry)
    _put_tons(ledger, entry, forest, stock)
    _put_owners(ledger, entry, forest, manifest)
    _put_cost(ledger, entry, forest, stock)
    _put_system(ledger, entry, forest, stock)
    _put_fire(ledger, entry, forest, stock, manifest)
    _put_reach(ledger, entry, forest, stock, set_bdt)


def put(ledger: Ledger, entry: Entry, value_id: str, value: float | int | str | None, basis: str) -> None:
    """Record one value under the entry's own id; where there are several entries its label names this one.

    Parameters
    ----------
    ledger : Ledger
        Receives it.
    entry : Entry
        Whose it is.
    value_id : str
        Plain id, which tells the unit.
    value : float, int, str or None
        In any unit: the id tells it. None with the reason in `basis`.
    basis : str
        How it was computed.
    """
    label = ""
    if entry.prefix:
        known = unit_and_label(value_id)
        label = f"{known[1] if known else value_id}, {entry.name}"
    ledger.put(f"{entry.prefix}{value_id}", value, basis, label)


def available(entry: Entry, forest: Forest, stock: Stock) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Feedstock of every cluster at the availability asked for, shape (n,) [BDT]."""
    return stock.tons * forest.practical if entry.query.availability == "practical" else stock.tons


def _put_circle(ledger: Ledger, entry: Entry) -> None:
    if entry.radius_km is not None:
        how = "as asked" if entry.query.radius_km is not None else "assumed, since the question names no radius"
        put(ledger, entry, "radius_km", entry.radius_km, how)
        put(ledger, entry, "radius_miles", km_to_miles(entry.radius_km), how)
    put(ledger, entry, "data_edge_share", entry.edge_share, "points spread evenly over the area")
    put(ledger, entry, "moisture_pct", entry.moisture_pct,
        "as asked" if "moisture_pct" in entry.query.overrides else "default")  # fmt: skip


def _put_tons(ledger: Ledger, entry: Entry, forest: Forest, stock: Stock) -> None:
    counted = stock.of(forest)
    practical = entry.query.availability == "practical"
    how = "practical share of" if practical else "physical potential:"
    basis = f"{how} one treatment of every cluster that counts, its cheapest system"
    tons = available(entry, forest, stock)
    total, acres = float(tons[counted].sum()), float(forest.acres[counted].sum())
    physical = float(stock.tons[counted].sum())
    usual = float((stock.tons * forest.practical)[counted].sum())
    green = f"at {entry.moisture_pct:g} % moisture, wet basis"
    put(ledger, entry, "forest_clusters", len(forest), "every cluster of the layer set in the area")
    put(ledger, entry, "forest_acres", float(forest.acres.sum()), "every cluster of the layer set in the area")
    on_land = int(forest.counts.sum())
    put(ledger, entry, "counted_clusters", on_land, "owners and limits of the question, no parks, no wilderness")
    put(ledger, entry, "stock_clusters", int(counted.sum()), basis)
    put(ledger, entry, "stock_acres", acres, basis)
    put(ledger, entry, "stock_bdt", total, basis)
    put(ledger, entry, "stock_gt", bdt_to_gt(total, entry.moisture_pct), green)
    put(ledger, entry, "stock_bdt_per_acre", total / acres if acres > 0 else None, basis if acres > 0 else NOTHING)
    for name, bdt, why in (
        ("physical", physical, "everything that the treatment removes and the machines recover"),
        ("practical", usual, "0.45 of public land (North et al. 2015), 0.70 of private land (assumed)"),
    ):
        put(ledger, entry, f"{name}_bdt", bdt, why)
        put(ledger, entry, f"{name}_gt", bdt_to_gt(bdt, entry.moisture_pct), green)
    saw_logs = 0.0 if entry.query.feedstock == "whole_tree" else float(stock.coproduct[counted].sum())
    put(ledger, entry, "stock_coproduct_bdt", saw_logs, "saw logs of the same clusters; never burned")
    nothing = int((forest.counts & stock.nothing).sum())
    put(ledger, entry, "nothing_to_remove_clusters", nothing, "on land that counts: the treatment finds nothing to cut")
    put(ledger, entry, "nothing_to_remove_pct", 100 * nothing / on_land if on_land else None,
        "of the clusters on land that counts" if on_land else "no land counts")  # fmt: skip
    lost = int((forest.counts & ~stock.nothing & ~stock.usable).sum())
    put(
        ledger,
        entry,
        "infeasible_clusters",
        lost,
        "on land that counts: wood is there, no allowed machine can fetch it",
    )
    protected = forest.protected
    shut_off = float(tons[protected & stock.usable].sum())
    put(ledger, entry, "protected_acres", float(forest.acres[protected].sum()), "wilderness and national parks")
    put(ledger, entry, "protected_bdt", shut_off, "what the treatment would give there; never cut, not in the total")
    put(ledger, entry, "protected_gt", bdt_to_gt(shut_off, entry.moisture_pct), green)
    other = forest.reasons["other land"] & stock.usable
    put(ledger, entry, "other_land_bdt", float(tons[other].sum()), "owners that the question does not count")


def _put_owners(ledger: Ledger, entry: Entry, forest: Forest, manifest: Manifest) -> None:
    names = manifest.codes["land_use"]
    acres = np.bincount(class_codes(forest, "land_use", names), weights=forest.acres, minlength=len(names) + 1)
    of = dict(zip(names, acres.tolist(), strict=False))
    of["other"] = of.get("other", 0.0) + float(acres[len(names)])
    total = float(forest.acres.sum())
    for owner in LAND_USES:
        mine = float(of.get(owner, 0.0))
        put(ledger, entry, f"owner_{owner}_acres", mine, "clusters by their centre, parks and wilderness included")
        put(ledger, entry, f"owner_{owner}_pct", 100 * mine / total if total else None,
            "of the forest's acres" if total else "there is no forest")  # fmt: skip


def _put_cost(ledger: Ledger, entry: Entry, forest: Forest, stock: Stock) -> None:
    tons = available(entry, forest, stock)
    counted = stock.of(forest) & np.isfinite(stock.cost) & (tons > 0)
    ids = [f"stock_harvest_cost_p{q:02d}" for q in QUANTILES_PCT]
    if not counted.any():
        for value_id in ("stock_harvest_cost", "stock_harvest_cost_usd_per_gt", *ids):
            put(ledger, entry, value_id, None, NOTHING)
        return
    mean = float(np.average(stock.cost[counted], weights=tons[counted]))
    basis = "felling to chips in the truck, weighted by tons; haul and move-in are not in it"
    put(ledger, entry, "stock_harvest_cost", mean, basis)
    put(ledger, entry, "stock_harvest_cost_usd_per_gt", usd_per_bdt_to_usd_per_gt(mean, entry.moisture_pct),
        f"at {entry.moisture_pct:g} % moisture, wet basis")  # fmt: skip
    for value_id, value in zip(ids, weighted_quantiles(stock.cost[counted], tons[counted], QUANTILES_PCT), strict=True):
        put(ledger, entry, value_id, value, basis)


def _put_fire(ledger: Ledger, entry: Entry, forest: Forest, stock: Stock, manifest: Manifest) -> None:
    burn, counted = forest.burn, stock.of(forest)
    unknown = "no burn probability is known here"
    everywhere = mean_of(burn, forest.acres)
    put(ledger, entry, "forest_burn_probability", everywhere, "by acres, unknowns left out" if everywhere else unknown)
    tons = np.where(counted, available(entry, forest, stock), 0.0)
    wood = mean_of(burn, tons)
    put(ledger, entry, "stock_burn_probability", wood, "by tons, unknowns left out" if wood else unknown)
    put(ledger, entry, "unknown_burn_clusters", int((~np.isfinite(burn)).sum()), "left out of the means")
    hazard = manifest.codes.get("hazard_class", ())
    codes = class_codes(forest, "hazard_class", hazard)
    known = float(forest.acres[codes < len(hazard)].sum())
    high = np.isin(codes, [i for i, name in enumerate(hazard) if name in HIGH_HAZARD])
    acres = float(forest.acres[high].sum())
    put(ledger, entry, "forest_high_hazard_acres", acres, "all owners; unknown classes are not in it")
    put(ledger, entry, "forest_high_hazard_pct", 100 * acres / known if known else None,
        "of the acres whose class is known" if known else "no hazard class is known here")  # fmt: skip
    missing = int((forest.frame["hazard_class"] == UNKNOWN_CODE).sum())
    put(ledger, entry, "unknown_hazard_clusters", missing, "shown as a class of their own")
    slope = forest.frame["slope_pct"]
    put(ledger, entry, "unknown_slope_clusters", int((~np.isfinite(slope)).sum()), "shown as a class of their own")


def _put_system(ledger: Ledger, entry: Entry, forest: Forest, stock: Stock) -> None:
    counted = stock.of(forest)
    if not counted.any():
        return
    by_system = np.bincount(stock.system[counted], weights=stock.tons[counted], minlength=len(SYSTEMS))
    most = int(np.argmax(by_system))
    put(ledger, entry, "main_system", SYSTEMS[most], "the cheapest feasible system of each cluster that counts")
    put(ledger, entry, "main_system_pool_pct", 100 * float(by_system[most] / by_system.sum()), "of the tons that count")


def _put_reach(ledger: Ledger, entry: Entry, forest: Forest, stock: Stock, set_bdt: float) -> None:
    """What share of the whole it is, and the capacity it could carry by tons alone."""
    total = float(available(entry, forest, stock)[stock.of(forest)].sum())
    put(ledger, entry, "set_share_pct", 100 * total / set_bdt if set_bdt > 0 else None,
        "of the layer set's stock of this treatment, same filters" if set_bdt > 0 else "the layer set holds none")  # fmt: skip
    years = entry.query.years if entry.query.years > 1 else SUSTAINED_YEARS
    why = "by tons only, an upper bound: cost, haul and other buyers are not in it"
    put(ledger, entry, "one_year_mw", capacity_mw_for(total, entry.plant), why)
    put(ledger, entry, "sustained_years", years, "as asked" if entry.query.years > 1 else "a plant's usual life")
    put(ledger, entry, "sustained_mw", capacity_mw_for(total / years, entry.plant), f"{why}; each cluster is cut once")
