"""What the map of an answer shows: the supply of a site, the sites of a comparison or a search, the forest of an area."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.ask.computation.choose import select
from csrag.ask.computation.delivered import delivered_costs, economics
from csrag.ask.computation.lookup import FOREST_COLUMNS, RECORD_COLUMNS, forest_of, stock_of
from csrag.ask.computation.need import need_of
from csrag.ask.computation.pareto_facts import year_one
from csrag.ask.computation.selection import Scales
from csrag.ask.computation.set_points import known_plants
from csrag.ask.records import Location, SitingQuery
from csrag.ask.results import Answer, Table
from csrag.ask.retrieval.area_rows import rows_of
from csrag.ask.retrieval.catchment import retrieve
from csrag.ask.synthesis.format import value_text
from csrag.errors import RequestError
from csrag.interfaces.maps.scene import CLUSTER_M, Cells, Circle, Marker, Scene
from csrag.places.area_file import AreaOutline
from csrag.places.wood_plants import WoodPlant
from csrag.surfaces.catalog import SYSTEMS, systems_of
from csrag.surfaces.store import LayerStore

_OF_ONE_SITE = ("site", "supply_curve", "projection", "sensitivity", "max_capacity", "pareto")
_OWNS = re.compile(r"\b(?:own(?:s|ed|er|ers|ership)?|whose|land ?holders?)\b", re.IGNORECASE)
_HEAT_SIDE_M = 2000.0


def nothing_to_draw(answer: Answer) -> RequestError:
    """The refusal of a map where an answer has nothing that lies anywhere."""
    what = "a refusal" if answer.status == "refused" else f"an answer of the kind {answer.query.intent!r}"
    return RequestError(
        f"No map was written: {what} has nothing to show on one.",
        "Ask for a site, a comparison, a search or what a county holds.", code="nothing_to_draw",
    )  # fmt: skip


def scene_of(answer: Answer, store: LayerStore, area: AreaOutline | None = None) -> Scene:
    """The scene of an answer.

    Parameters
    ----------
    answer : Answer
        The record.
    store : LayerStore
        The layer set it was computed on.
    area : AreaOutline, optional
        The user's polygons.

    Raises
    ------
    RequestError
        If there is nothing to show.
    """
    query = answer.query
    if answer.status == "refused":
        raise nothing_to_draw(answer)
    if "best_sites" in answer.tables or "heat_map" in answer.tables:
        return _search(answer, store, area)
    if query.intent == "compare" and "comparison" in answer.tables:
        return _compare(answer, store)
    if query.intent == "lookup":
        return _lookup(answer, store, area)
    if "pareto_points" in answer.tables and query.other_plants == "none":
        return _trade_off(answer, store)
    if query.intent in _OF_ONE_SITE and query.locations and answer.selected:
        return _site(answer, store)
    raise nothing_to_draw(answer)


def _note(store: LayerStore, more: str = "") -> str:
    note = f"layer set {store.manifest.name}, {store.hash[:16]}"
    return f"{note}; {more}" if more else note


def _value(answer: Answer, value_id: str) -> float | None:
    fact = answer.facts.get(value_id)
    return None if fact is None or not isinstance(fact.value, (int, float)) else float(fact.value)


def _plant_markers(store: LayerStore, but: str = "") -> list[Marker]:
    return [
        Marker(p.lat, p.lon, p.name, "plant", p.name, _demand(p)) for p in known_plants(store.manifest) if p.name != but
    ]


def _demand(plant: WoodPlant) -> dict[str, Any]:
    return {"demand_bdt_per_year": plant.bdt_per_year, "capacity_mw": plant.capacity_mw, "basis": plant.basis}


def _site(answer: Answer, store: LayerStore) -> Scene:
    """One site's circle: what is taken in full colour, the other candidates faint."""
    place, query = answer.query.locations[0], answer.query
    radius = _value(answer, "radius_km")
    assert radius is not None
    cells = supply_cells(store, place, query, radius, answer.selected, _value(answer, "move_in_cost") or 0.0)
    mean = answer.facts.get("average_delivered_cost")
    figure = f", {value_text(mean)} delivered on average" if mean is not None and mean.value is not None else ""
    capacity = answer.facts.get("capacity_mw")
    plant = f"{value_text(capacity)} at " if capacity is not None and capacity.value is not None else ""
    assert place.lat is not None
    assert place.lon is not None
    site = Marker(place.lat, place.lon, place.name, "site", place.name, {"radius_km": radius})
    return Scene(
        f"{plant}{place.name}: {query.treatment}{figure}", cells, (), (Circle(place.lat, place.lon, radius, place.name),),
        (*_plant_markers(store, place.name), site), store.manifest.synthetic,
        _note(store, f"{len(answer.selected):,} of {len(cells.lat):,} candidate clusters are taken within {radius:g} km"),
    )  # fmt: skip


def _trade_off(answer: Answer, store: LayerStore) -> Scene:
    """What the knee of the trade-off takes, and what the cheapest supply takes."""
    query, manifest = answer.query, store.manifest
    table = answer.tables["pareto_points"]
    rows = {str(_at(table, row, "point")): row for row in table.rows}
    name = next((n for n in ("knee", *rows) if n in rows and n != "cost only"), None)
    place, radius = query.locations[0], _value(answer, "radius_km")
    if name is None or radius is None or place.lat is None or place.lon is None:
        return _site(answer, store)
    weight = float(_at(table, rows[name], "fire_weight"))
    econ = economics(manifest, query.overrides)
    found = retrieve(store, place, query.with_(radius_km=radius), need_of(query).demand_bdt)
    found, costs = year_one(query, found, found, (), manifest, econ, lambda r: store.stand(r, query.treatment))
    frame, demand = found.frame, need_of(query).demand_bdt
    cap = query.max_cost_usd_per_bdt if query.max_cost_kind == "last_ton" else None
    scales = Scales.from_manifest(manifest.scales)
    taken = np.zeros((2, len(frame)), dtype=np.bool_)
    for n, w in enumerate((0.0, weight)):
        taken[n, select(frame, costs, demand, w, scales, econ.harvest.ppi, cap).rows] = True
    values = np.select([taken[0] & taken[1], taken[0], taken[1]], [0.0, 1.0, 2.0], np.nan)
    delivered = np.where(np.isfinite(costs.unit), costs.unit, np.nan)
    properties = {
        "cluster_no": frame["cluster_no"], "taken_by_cost_alone": taken[0], "taken_at_the_weight": taken[1],
        "feedstock_bdt": costs.tons, "delivered_without_move_in_usd_per_bdt": delivered,
        "burn_probability": frame["burn_probability"].astype(np.float64),
    }  # fmt: skip
    cells = Cells(
        frame["lat"], frame["lon"], CLUSTER_M, values, "what is taken", "", np.zeros(len(frame), dtype=np.bool_),
        nothing_words="candidates not taken", classes=("either way", "by cost alone only", f"{name} only"), properties=properties,
    )  # fmt: skip
    return Scene(
        f"{place.name}: cost alone against {name} (fire weight {weight:g})", cells, (),
        (Circle(place.lat, place.lon, radius, place.name),), (*_plant_markers(store, place.name),
        Marker(place.lat, place.lon, place.name, "site", place.name, {"radius_km": radius})), manifest.synthetic,
        _note(store, f"{int(taken[0].sum()):,} clusters by cost alone, {int(taken[1].sum()):,} at the weight"),
    )  # fmt: skip


def supply_cells(store: LayerStore, place: Location, query: SitingQuery, radius_km: float, selected: Sequence[int],
                 move_in: float) -> Cells:  # fmt: skip
    """The candidates of a circle with their delivered cost, by the functions that the answer was computed with.

    Parameters
    ----------
    store : LayerStore
        The layer set.
    place : Location
        The plant's place.
    query : SitingQuery
        What was asked.
    radius_km : float
        Circle of year one [km].
    selected : sequence of int
        Keys of the clusters taken.
    move_in : float
        Shared by every ton [USD per BDT].
    """
    manifest = store.manifest
    found = retrieve(store, place, query.with_(radius_km=radius_km), need_of(query).demand_bdt)
    costs = delivered_costs(
        found, query, manifest, economics(manifest, query.overrides), lambda rows: store.stand(rows, query.treatment)
    )
    frame = found.frame
    taken = np.isin(frame["cluster_no"], np.asarray(selected, dtype=np.int64))
    delivered = np.where(np.isfinite(costs.unit), costs.unit + move_in, np.nan)
    systems = np.array([*SYSTEMS, ""])[costs.system_index]
    properties = {
        "cluster_no": frame["cluster_no"], "taken": taken, "delivered_usd_per_bdt": delivered,
        "harvest_usd_per_bdt": np.where(np.isfinite(costs.harvest), costs.harvest, np.nan), "feedstock_bdt": costs.tons,
        "road_km": costs.road_km, "area_acres": frame["area_acres"].astype(np.float64), "system": systems,
        "burn_probability": frame["burn_probability"].astype(np.float64),
        "land_use": _names(manifest.codes["land_use"], frame["land_use"]),
    }  # fmt: skip
    return Cells(
        frame["lat"], frame["lon"], CLUSTER_M, delivered, "delivered cost", "USD per BDT", ~taken, "not taken", "taken",
        properties=properties,
    )  # fmt: skip


def _names(meanings: Sequence[str], codes: NDArray[Any]) -> NDArray[Any]:
    table = np.array([*meanings, *["unknown"] * (256 - len(meanings))])
    return np.asarray(table[codes])


def _at(table: Table, row: Sequence[Any], column: str) -> Any:
    return row[table.columns.index(column)] if column in table.columns else None


def _search(answer: Answer, store: LayerStore, area: AreaOutline | None) -> Scene:
    """The heat map of what fuel would cost, and the sites found, numbered."""
    heat, best = answer.tables.get("heat_map"), answer.tables.get("best_sites")
    cells = None
    if heat is not None and (heat.whole or heat.rows):
        lat, lon, cost = np.array(heat.whole or heat.rows, dtype=np.float64)[:, :3].T
        cells = Cells(lat, lon, _HEAT_SIDE_M, cost, "average delivered cost by the search", "USD per BDT",
                      np.zeros(len(lat), dtype=np.bool_), properties={"average_usd_per_bdt": cost})  # fmt: skip
    markers, circles = [], []
    for number, row in enumerate(best.rows if best is not None else (), 1):
        assert best is not None
        values = {name: _at(best, row, name) for name in best.columns}
        name, lat, lon = str(values["name"]), float(values["lat"]), float(values["lon"])
        cost = values.get("average_usd_per_bdt") or values.get("search_average_usd_per_bdt")
        price = f" ${cost:,.2f}" if isinstance(cost, float) else ""
        markers.append(
            Marker(
                lat, lon, name, "site", f"{number}{price}", {k: v for k, v in values.items() if k not in {"lat", "lon"}}
            )
        )
        if isinstance(values.get("radius_km"), (int, float)):
            circles.append(Circle(lat, lon, float(values["radius_km"]), name))
    outlines = _outlines(store, answer.query.locations, area)
    words = "sites of the portfolio" if answer.query.portfolio else "best sites"
    return Scene(
        f"{len(markers)} {words}: {answer.query.treatment}", cells, outlines, tuple(circles), tuple(markers),
        store.manifest.synthetic, _note(store, "squares of 2 km; stars: the sites with their average delivered cost per BDT"),
    )  # fmt: skip


def _outlines(
    store: LayerStore, places: Sequence[Location], area: AreaOutline | None
) -> tuple[NDArray[np.float64], ...]:
    rings = [ring for place in places for ring in rows_of(store, place, None, None).rings]
    return (*rings, *(area.rings if area is not None else ()))


def _compare(answer: Answer, store: LayerStore) -> Scene:
    """The options as numbered sites with what they cost."""
    table = answer.tables["comparison"]
    markers, circles = [], []
    places: dict[tuple[float, float], list[str]] = {}
    for number, row in enumerate(table.rows, 1):
        lat, lon = _at(table, row, "lat"), _at(table, row, "lon")
        if lat is None or lon is None:
            continue
        cost = _value(answer, f"option_{number}_average_delivered_cost")
        name = str(_at(table, row, "option"))
        words = f"{number} {name}" + (f" ${cost:,.2f}" if cost is not None else "")
        stacked = places.setdefault((lat, lon), [])
        stacked.append(words)
        radius = _value(answer, f"option_{number}_radius_km")
        if radius is not None:
            circles.append(Circle(lat, lon, radius, name))
        # Options at one place share its point: their labels stand below each other.
        markers.append(Marker(lat, lon, name, "site", "\n" * (len(stacked) - 1) + words,
                              {"option": number, "average_delivered_cost_usd_per_bdt": cost, "radius_km": radius}))  # fmt: skip
    if not markers:
        raise nothing_to_draw(answer)
    names = "; ".join(f"{n} {_at(table, row, 'option')}" for n, row in enumerate(table.rows, 1))
    return Scene(
        "Comparison: average delivered cost per BDT", None, (), tuple(circles), (*_plant_markers(store), *markers),
        store.manifest.synthetic, _note(store, names),
    )  # fmt: skip


def _lookup(answer: Answer, store: LayerStore, area: AreaOutline | None) -> Scene:
    """The forest of the areas: who owns it where that is asked, else feedstock by acre, what does not count faint."""
    query, manifest = answer.query, store.manifest
    found = [rows_of(store, place, query.radius_km, area) for place in query.locations or (None,)]
    rows = np.unique(np.concatenate([a.rows for a in found]))
    treatment = next((str(v["treatment"]) for v in query.compare if "treatment" in v), query.treatment)
    forest = forest_of(store.clusters_at(rows, treatment, FOREST_COLUMNS), query, manifest)
    stock = stock_of(treatment, store.clusters_at(rows, treatment, RECORD_COLUMNS),
                     [SYSTEMS.index(s) for s in systems_of(query.system)])  # fmt: skip
    tons = stock.tons * (forest.practical if query.availability == "practical" else 1.0)
    per_acre = np.where(stock.usable, tons / forest.acres, np.nan)
    frame, counted = forest.frame, stock.of(forest)
    land, hazard = manifest.codes["land_use"], manifest.codes.get("hazard_class", ())
    properties = {
        "land_use": _names(land, frame["land_use"]), "wilderness": frame["wilderness"].astype(bool), "counted": counted,
        "area_acres": forest.acres, "feedstock_bdt": tons, "harvest_usd_per_bdt": stock.cost, "burn_probability": forest.burn,
        "hazard_class": _names(hazard, frame["hazard_class"]), "slope_pct": frame["slope_pct"].astype(np.float64),
    }  # fmt: skip
    owners = bool(_OWNS.search(query.question))
    nothing = np.zeros(len(rows), dtype=np.bool_)
    if owners:
        values = np.where(frame["land_use"] < len(land), frame["land_use"], np.nan).astype(np.float64)
        cells = Cells(frame["lat"], frame["lon"], CLUSTER_M, values, "owner of the forest", "", nothing,
                      classes=tuple(_OWNER_WORDS.get(name, name) for name in land), properties=properties)  # fmt: skip
    else:
        cells = Cells(frame["lat"], frame["lon"], CLUSTER_M, per_acre, f"feedstock of {treatment}", "BDT per acre",
                      stock.usable & ~counted, "not counted: other land, parks, limits", "counted",
                      "nothing to remove, or out of reach", properties=properties)  # fmt: skip
    circles = tuple(Circle(a.lat, a.lon, a.radius_km, a.name) for a in found
                    if a.lat is not None and a.lon is not None and a.radius_km is not None)  # fmt: skip
    names = " and ".join(a.name for a in found)
    what = "who owns the forest" if owners else f"feedstock of {treatment}"
    centres = tuple(Marker(c.lat, c.lon, c.name, "site", c.name, {"radius_km": c.radius_km}) for c in circles)
    return Scene(
        f"{names}: {what}", cells, tuple(ring for a in found for ring in a.rings), circles, (*_plant_markers(store), *centres),
        manifest.synthetic, _note(store, f"{len(rows):,} forest clusters"),
    )  # fmt: skip


_OWNER_WORDS = {"private": "private", "usfs": "US Forest Service", "blm": "Bureau of Land Management",
                "nps": "National Park Service", "state": "state", "tribal": "tribal", "other": "other"}  # fmt: skip
