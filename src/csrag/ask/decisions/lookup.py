"""Stock-taking: what the forest of one or several areas holds, who owns it, what it costs at the landing."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from csrag.ask.computation.delivered import Economics, delivered_costs, economics
from csrag.ask.computation.facts import Ledger
from csrag.ask.computation.lookup import FOREST_COLUMNS, RECORD_COLUMNS, Forest, Stock, forest_of, priced, stock_of
from csrag.ask.computation.lookup_facts import Entry, available, put_stock
from csrag.ask.computation.lookup_tables import TREATMENT_COLUMNS, Rows, add_plants, add_tables, treatment_row
from csrag.ask.computation.need import need_of
from csrag.ask.computation.set_points import known_plants
from csrag.ask.records import Location, SitingQuery
from csrag.ask.results import Analysis, Catchment, Caveat, RetrievalKey, unique_caveats
from csrag.ask.retrieval.area_rows import DEFAULT_CIRCLE_KM, StockArea, rows_of
from csrag.ask.routes import analyse
from csrag.ask.run import Run
from csrag.errors import OutsideDataError, RequestError
from csrag.places.wood_plants import WoodPlant
from csrag.surfaces.catalog import SYSTEMS, systems_of
from csrag.surfaces.store import LayerStore

MAX_ENTRIES = 26
"""Areas times treatments of one answer."""
_CHUNK = 65_536
_THREADS_FROM = 100_000
"""Clusters from which on treatments are counted side by side."""
_NOT_HERE = ("max_cost_usd_per_bdt", "budget_usd_per_year", "fire_weight")
"""What a plant's supply is asked with and a stock-taking has no use for."""


def take_stock(run: Run, caveats: list[Caveat]) -> tuple[Analysis, Catchment | None]:
    """Stages 2 and 3 of a stock-taking.

    Parameters
    ----------
    run : Run
        The question on its way. Its places are areas: a county, forest or region whole, anything else with a circle around
        it, or the user's polygons; the variants of `compare` name further treatments.
    caveats : list of Caveat
        Receives what has to be said about the question.

    Returns
    -------
    Analysis
        Plain value ids for one area and treatment, `area_1_...` and so on for several.
    Catchment or None
        Only where the question names a plant too: that site's candidates.

    Raises
    ------
    OutsideDataError
        If no area holds a cluster of the layer set.
    RequestError
        For more areas and treatments than one answer can hold.
    """
    plant = _plant_of(run, caveats)
    if plant is not None and run.query.radius_km is None:
        run = replace(run, query=run.query.with_(radius_km=plant[1].radius_km))
    query, store = run.query, run.store
    with run.trace.step("retrieval", "find_area") as note:
        found = [rows_of(store, place, query.radius_km, run.area) for place in query.locations or (None,)]
        note["rows"] = sum(len(area.rows) for area in found)
    treatments = treatments_of(query)
    if len(found) * len(treatments) > MAX_ENTRIES:
        raise RequestError(
            f"{len(found)} areas times {len(treatments)} treatments are more than one answer holds ({MAX_ENTRIES}).",
            "Ask for fewer at a time.", code="too_many_areas",
        )  # fmt: skip
    if not any(len(area.rows) for area in found):
        raise _nothing_there(store, found)
    ledger = Ledger()
    with run.trace.step("computation", "take_stock") as note:
        names = _take(run, found, treatments, ledger)
        note["rows"] = sum(len(area.rows) for area in found)
    _about(query, store, found, ledger)
    analysis = Analysis("answered", "", ledger.facts, ledger.tables, ledger.caveats, names=names)
    return (analysis, None) if plant is None else (_beside(analysis, plant[0]), plant[1])


def treatments_of(query: SitingQuery) -> tuple[str, ...]:
    """The treatments asked about, each once: those of the variants, else the query's own."""
    named = [str(v["treatment"]) for v in query.compare if "treatment" in v]
    return tuple(dict.fromkeys(named)) or (query.treatment,)


def area_letter(number: int) -> str:
    """How the names of the texts count areas: a, b, c."""
    return chr(ord("a") + number - 1)


def _take(run: Run, found: Sequence[StockArea], treatments: Sequence[str], ledger: Ledger) -> dict[str, str]:
    query, store = run.query, run.store
    econ = economics(store.manifest, query.overrides)
    plant, plants = need_of(query).plant, run.plants or known_plants(store.manifest)
    several = len(found) * len(treatments) > 1
    rows, whole = Rows(several), _Whole(run, econ)
    names = {"land": _land_words(query)}
    summary: list[tuple[Any, ...]] = []
    for area in found:
        forest, stocks = _read_all(store, area, query)
        near: list[WoodPlant] = []
        for treatment in treatments:
            number = len(summary) + 1
            asked = query.with_(treatment=treatment)
            what = area.name if len(treatments) == 1 else f"{area.name}, {treatment}"
            entry = Entry(f"area_{number}_" if several else "", what, asked, econ.moisture_pct, plant, area.radius_km,
                          area.edge_share)  # fmt: skip
            stock = _at_prices(run, asked, econ, forest, stocks[treatment])
            put_stock(ledger, entry, forest, stock, whole.bdt(asked, area, forest, stock, entry), store.manifest)
            rows.begin(area.name, treatment)
            add_tables(rows, entry, forest, stock, store.manifest)
            near = add_plants(rows, ledger, entry, forest, plants, area.contains)
            names[f"area_{area_letter(number)}"] = what
            summary.append((area.name, treatment, len(forest), *treatment_row(entry, forest, stock)[1:6]))
        rows.begin(area.name, "")
        each = [treatment_row(entry, forest, stocks[name]) for name in store.manifest.treatment_names]
        rows.add("treatments", tuple("of_treatment" if several and c == "treatment" else c for c in TREATMENT_COLUMNS), each,
                 "every treatment of the same clusters at the layer set's own prices; a cluster is cut by one of them, so they "
                 "do not add up")  # fmt: skip
        if not several and near:
            names["plants"] = _listed([p.name for p in near])
    if several:
        columns = (
            "area",
            "treatment",
            "forest_clusters",
            "clusters",
            "acres",
            "feedstock_bdt",
            "feedstock_gt",
            "bdt_per_acre",
        )
        ledger.table("areas", columns, summary, "side by side; areas may overlap, and treatments do not add up")
    rows.put_into(ledger)
    return names


def _listed(words: Sequence[str], longest: int = 60) -> str:
    """The first few, as many as a sentence bears [characters]."""
    shown = [words[0]]
    for word in words[1:]:
        if len(", ".join([*shown, word])) > longest:
            break
        shown.append(word)
    return ", ".join(shown) + (" and others" if len(shown) < len(words) else "")


_LANDS = {"private": "private", "usfs": "Forest Service", "blm": "BLM", "nps": "park", "state": "state", "tribal": "tribal",
          "other": "other"}  # fmt: skip


def _land_words(query: SitingQuery) -> str:
    return " and ".join(_LANDS[name] for name in query.land_use) + " land"


def _read_all(store: LayerStore, area: StockArea, query: SitingQuery) -> tuple[Forest, dict[str, Stock]]:
    """The area's clusters, and every treatment of them at the layer set's own prices."""
    allowed = [SYSTEMS.index(s) for s in systems_of(query.system)]
    forest = forest_of(store.clusters_at(area.rows, query.treatment, FOREST_COLUMNS), query, store.manifest)

    def one(name: str) -> Stock:
        return stock_of(name, store.clusters_at(area.rows, name, RECORD_COLUMNS), allowed)

    names = store.manifest.treatment_names
    if len(area.rows) < _THREADS_FROM:
        return forest, {name: one(name) for name in names}
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(max_workers=min(4, os.cpu_count() or 1)) as pool:  # NumPy lets go of the interpreter's lock
        return forest, dict(zip(names, pool.map(one, names), strict=True))


def _at_prices(run: Run, query: SitingQuery, econ: Economics, forest: Forest, stock: Stock) -> Stock:
    """A stock at the question's own prices, by the functions that a site's candidates are costed with."""
    if not (econ.recomputed or econ.contractor_margin_pct or query.feedstock == "whole_tree"):
        return stock
    at = np.flatnonzero(stock.of(forest))
    plain = query.with_(availability="physical", transport=None, selection="cost")
    site = Location("", "coordinates", None, 0.0, 0.0)
    key = RetrievalKey(run.store.hash, 0.0, 0.0, 1.0, query.treatment, query.system, (), None, None, None)
    cost, tons = np.zeros(len(at)), np.zeros(len(at))
    system = np.zeros(len(at), dtype=np.int64)
    for start in range(0, len(at), _CHUNK):
        some = slice(start, start + _CHUNK)
        rows = forest.frame["row"][at[some]]
        frame = run.store.clusters_at(rows, query.treatment, _COSTED).with_columns(distance_km=np.ones(len(rows)))
        made = delivered_costs(
            Catchment(key, site, 1.0, "given", frame, stock.system[at[some]], len(rows), {}, {}, 0.0), plain,
            run.store.manifest, econ, lambda r: run.store.stand(r, query.treatment),
        )  # fmt: skip
        cost[some], tons[some], system[some] = made.harvest, made.tons, made.system_index
    return priced(stock, at, cost, tons, system)


_COSTED = (
    "row", "cluster_no", "lat", "lon", "area_acres", "zone", "land_use", "cost_usd_per_bdt", "feedstock_bdt", "coproduct_bdt",
)  # fmt: skip


class _Whole:
    """What the whole layer set holds of a treatment, counted once a treatment."""

    def __init__(self, run: Run, econ: Economics) -> None:
        self._run, self._econ = run, econ
        self._known: dict[str, float] = {}

    def bdt(self, query: SitingQuery, area: StockArea, forest: Forest, stock: Stock, entry: Entry) -> float:
        """[BDT], under the question's filters, availability and prices."""
        if area.kind == "all":
            return float(available(entry, forest, stock)[stock.of(forest)].sum())
        if query.treatment not in self._known:
            store = self._run.store
            everything = np.arange(len(store), dtype=np.int64)
            all_forest = forest_of(
                store.clusters_at(everything, query.treatment, FOREST_COLUMNS), query, store.manifest
            )
            allowed = [SYSTEMS.index(s) for s in systems_of(query.system)]
            everywhere = stock_of(
                query.treatment, store.clusters_at(everything, query.treatment, RECORD_COLUMNS), allowed
            )
            everywhere = _at_prices(self._run, query, self._econ, all_forest, everywhere)
            self._known[query.treatment] = float(
                available(entry, all_forest, everywhere)[everywhere.of(all_forest)].sum()
            )
        return self._known[query.treatment]


def _nothing_there(store: LayerStore, found: Sequence[StockArea]) -> OutsideDataError:
    names = " and ".join(area.name for area in found)
    error = OutsideDataError(
        f"The layer set {store.manifest.name!r} holds no forest cluster in {names}.",
        "Ask about an area inside it, or build or import layers that cover it (csrag layers build, import).",
    )
    error.held_bdt = None
    return error


def _about(query: SitingQuery, store: LayerStore, found: Sequence[StockArea], ledger: Ledger) -> None:
    """Caveats: synthetic data, areas beyond the data, loose outlines, what the question named in vain."""
    manifest = store.manifest
    if manifest.synthetic:
        ledger.caveat(
            "synthetic_data",
            f"SYNTHETIC demonstration data ({manifest.name}): forest, terrain, ownership and fire are made up; only town and "
            "county positions are real. Nothing here is California's truth.",
        )
    for area in found:
        if area.edge_share > 0.05:
            ledger.caveat("data_edge", f"{area.edge_share * 100:.0f} % of {area.name} lies outside the data area of the layer "
                          "set; what grows there is not counted, so the totals are short of the truth.")  # fmt: skip
        if not len(area.rows):
            ledger.caveat("area_empty", f"The layer set holds no forest cluster in {area.name}.")
        if area.kind in {"forest", "region"}:
            ledger.caveat("area_outline_loose", f"The outline of {area.name} is drawn by hand and loose: it says where to look, "
                          "not who owns the land.")  # fmt: skip
        if area.kind == "circle" and query.radius_km is None:
            ledger.caveat("circle_assumed", f"The question names no radius around {area.name}; {DEFAULT_CIRCLE_KM:g} km "
                          "is taken.")  # fmt: skip
        if area.kind == "all" and len(found) == 1:
            ledger.caveat("whole_set", "The question names no area, so everything that the layer set holds is counted.")
    if query.availability == "practical":
        ledger.caveat("practical_availability", "Practical availability: 45 % of public land (North et al. 2015), 70 % of private "
                      "land (assumed).")  # fmt: skip
    elif "availability" not in query.explicit:
        ledger.caveat("physical_potential", "Tons are the physical potential: everything that the treatment removes and the "
                      "machines recover. The practical share stands beside it.")  # fmt: skip
    vain = [name for name in _NOT_HERE if name in query.explicit]
    if vain:
        ledger.caveat("not_in_a_stock", f"A stock-taking has no use for {', '.join(n.replace('_', ' ') for n in vain)}; ask for "
                      "the cost of a plant there.")  # fmt: skip


def _plant_of(run: Run, caveats: list[Caveat]) -> tuple[Analysis, Catchment] | None:
    """The plant that a question names beside its place: its answer, and the circle that the stock is then taken of."""
    query = run.query
    point = (
        len(query.locations) == 1 and query.locations[0].kind not in {"county", "forest", "region"} and run.area is None
    )
    if not point or not {"capacity_mw", "demand_bdt"} & set(query.explicit):
        return None
    return analyse(replace(run, query=query.with_(intent="site")), caveats)


def _beside(stock: Analysis, site: Analysis) -> Analysis:
    """What is there, and beside it what the plant takes of it."""
    if site.status == "refused":
        short = Caveat("plant_not_supplied", "The wood of this circle does not keep the plant running under the question's filters; "
                       "what is there is told, what the plant would take is not.")  # fmt: skip
        return replace(stock, warnings=(*stock.warnings, short))
    return replace(
        stock, facts={**site.facts, **stock.facts, **{k: f for k, f in site.facts.items() if k.startswith("main_system")}},
        tables={**site.tables, **stock.tables}, warnings=unique_caveats((*stock.warnings, *site.warnings)), selected=site.selected,
    )  # fmt: skip
