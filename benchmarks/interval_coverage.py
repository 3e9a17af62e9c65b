"""How often the truth lies inside an interval: costs by factors against costs over the road network of the same layer set.

    python benchmarks/interval_coverage.py --data DIR [--sites 40] [--capacity 25] [--seed 1] [--json]

The network is taken for the truth, so that the set needs one. Sites are random road nodes, as those that the set measured its
errors on, and, apart, random points of the country. `average` prices the clusters that the mode chose over the network's
kilometres at the mode's own 40 km/h; `last_ton` chooses anew over these; `own_hours` is the network's own answer, whose driving
times no interval holds. `pairs` holds the share of draws in which the first of two sites is cheaper against how often it was, and
`shared` the correlation of the errors of two nodes by their distance.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from csrag.ask.computation.choose import select
from csrag.ask.computation.delivered import delivered_costs, economics
from csrag.ask.computation.draws import DrawInputs, difference_in_draws
from csrag.ask.computation.draws_inputs import draw_inputs
from csrag.ask.computation.need import need_of
from csrag.ask.computation.selection import Scales
from csrag.ask.pipeline import CatchmentCache
from csrag.ask.records import Location, SitingQuery
from csrag.ask.results import Analysis
from csrag.ask.routes import analyse
from csrag.ask.run import Run, Trace
from csrag.errors import CsragError
from csrag.geo import haversine_km
from csrag.interfaces.open import open_layers
from csrag.simulators.road_graph import RoadGraph, search
from csrag.simulators.truck import haul_usd_per_bdt_km
from csrag.surfaces.store import LayerStore

MODES = ("stratified", "zone")
MARGIN_DEG = 0.35
"""Sites stay this far from the edge of the data, so that their circles are whole."""
FARTHEST_PAIR_KM = 100.0
NODES = 300
APART_KM = (0, 2, 5, 10, 15, 20, 30, 50, 100)
BINS = (50, 60, 70, 80, 90, 95, 100.0001)


@dataclass(frozen=True)
class Site:
    """One site: what the mode said and what the network says [USD per BDT]."""

    lat: float
    lon: float
    inside: dict[str, bool]
    true_average: float
    inputs: DrawInputs


def places(store: LayerStore, count: int, seed: int, kind: str) -> Iterator[tuple[float, float]]:
    """Random road nodes, or random points, away from the edge [degrees]."""
    rng = np.random.default_rng(seed)
    ring = np.asarray(store.manifest.data_area[0])
    (west, south), (east, north) = ring.min(axis=0) + MARGIN_DEG, ring.max(axis=0) - MARGIN_DEG
    if kind == "points":
        for _ in range(count):
            yield float(rng.uniform(south, north)), float(rng.uniform(west, east))
        return
    assert store.roads is not None
    lat, lon = np.asarray(store.roads.node_lat), np.asarray(store.roads.node_lon)
    within = np.flatnonzero((lat > south) & (lat < north) & (lon > west) & (lon < east))
    for k in rng.permutation(within)[:count]:
        yield float(lat[k]), float(lon[k])


def look(store: LayerStore, lat: float, lon: float, capacity_mw: float, mode: str) -> Site | None:
    """One site by a mode and by the network; None where it has no supply or no road."""
    here = Location("site", "coordinates", lat=lat, lon=lon)
    query = SitingQuery(locations=(here,), capacity_mw=capacity_mw, transport=mode)
    run = Run(store, query, here, Trace(), CatchmentCache())
    try:
        told, catchment = analyse(run, [])
    except CsragError:
        return None
    if told.status == "refused" or catchment.roads is None or catchment.roads.off_network():
        return None
    manifest = store.manifest
    econ, demand = economics(manifest, {}), need_of(query).demand_bdt
    by_factor = delivered_costs(catchment, query, manifest, econ, run.read_stand)
    network = delivered_costs(catchment, query.with_(transport="network"), manifest, econ, run.read_stand)
    haul = haul_usd_per_bdt_km(econ.truck) * network.road_km
    true = replace(by_factor, haul=haul, unit=by_factor.harvest + haul + by_factor.unloading)
    keys = {int(c): k for k, c in enumerate(catchment.frame["cluster_no"])}
    taken = np.array([keys[c] for c in told.selected])
    move_in, scales = float(told.facts["move_in_cost"].value or 0), Scales.from_manifest(manifest.scales)
    as_chosen = float((true.unit[taken] * true.tons[taken]).sum() / true.tons[taken].sum()) + move_in
    anew = select(catchment.frame, true, demand, 0.0, scales, econ.harvest.ppi)
    own = select(catchment.frame, network, demand, 0.0, scales, econ.harvest.ppi)
    last = float(true.unit[anew.rows].max()) + anew.move_in
    inside = {
        "average": _holds(told, "average_delivered_cost", as_chosen),
        "average_chosen_anew": _holds(told, "average_delivered_cost", anew.average(true)),
        "last_ton": _holds(told, "last_ton_cost", last),
        "own_hours": _holds(told, "average_delivered_cost", own.average(network)),
    }
    inputs = draw_inputs("site", query, catchment, told, manifest, run.read_stand)
    assert inputs is not None
    return Site(lat, lon, inside, anew.average(true), inputs)


def _holds(told: Analysis, value_id: str, truth: float) -> bool:
    low, high = (float(told.facts[f"{value_id}_{end}"].value or np.nan) for end in ("low", "high"))
    return low <= truth <= high


def pairs(sites: list[Site], seed: int) -> list[dict[str, Any]]:
    """Stated share of draws in which the likelier is cheaper, against how often it was, by bin of the stated share."""
    result = difference_in_draws([s.inputs for s in sites], seed=seed)
    stated, right = [], []
    for pair in result.pairs:
        one, two = sites[pair.first], sites[pair.second]
        if float(haversine_km(one.lat, one.lon, two.lat, two.lon)) > FARTHEST_PAIR_KM:
            continue
        first = pair.first_cheaper_pct >= pair.second_cheaper_pct
        stated.append(max(pair.first_cheaper_pct, pair.second_cheaper_pct))
        right.append((one.true_average < two.true_average) == first)
    share, hit = np.array(stated), np.array(right)
    out = []
    for low, high in pairwise(BINS):
        here = (share >= low) & (share < high)
        if here.any():
            out.append({"stated_from_pct": low, "pairs": int(here.sum()), "stated_mean_pct": round(float(share[here].mean()), 1),
                        "right_pct": round(100 * float(hit[here].mean()), 1)})  # fmt: skip
    return out


def shared(store: LayerStore, count: int, seed: int) -> list[dict[str, Any]]:
    """Correlation of the logarithm of true over reckoned road length of two nodes, by distance and band; `stratified`."""
    told, network, rng = store.manifest.transport or {}, store.roads, np.random.default_rng(seed)
    assert network is not None
    edges, factors = np.asarray(told["bands_km"]), np.asarray(told["stratified"], dtype=np.float64)
    lat, lon, zone = (np.asarray(store.column(name)) for name in ("lat", "lon", "zone"))
    looked = rng.permutation(lat.size)[:8000]
    looked = looked[(network.landing_node[looked] >= 0) & (zone[looked] >= 0)]
    graph, nodes = RoadGraph.from_network(network), rng.permutation(len(network.node_lat))[:count]
    ratio = np.full((count, len(edges) - 1), np.nan)
    for k, node in enumerate(nodes):
        at = float(network.node_lat[node]), float(network.node_lon[node])
        found = search(graph, *at, 4 * float(edges[-1]))
        line = haversine_km(*at, lat[looked], lon[looked])
        road = np.maximum(found.road_km[network.landing_node[looked]] + network.landing_km[looked], line)
        band = np.searchsorted(edges, line, side="right") - 1
        for b in range(len(edges) - 1):
            here = (band == b) & (line >= 1) & np.isfinite(road)
            if here.sum() >= 10:
                ratio[k, b] = np.log(road[here].sum() / (line[here] * factors[zone[looked][here], b]).sum())
    z = (ratio - np.nanmean(ratio, axis=0)) / np.nanstd(ratio, axis=0)
    one, two = np.triu_indices(count, 1)
    a, b = nodes[one], nodes[two]
    apart = haversine_km(network.node_lat[a], network.node_lon[a], network.node_lat[b], network.node_lon[b])
    out = []
    for low, high in pairwise(APART_KM):
        here = (apart >= low) & (apart < high)
        means = np.nanmean(z[one[here]] * z[two[here]], axis=0)
        out.append({"apart_km": [low, high], "pairs": int(here.sum()), "by_band": [round(float(m), 2) for m in means]})
    return out


def coverage(store: LayerStore, count: int, seed: int, capacity_mw: float, mode: str, kind: str) -> dict[str, Any]:
    """Shares of sites whose truth lies inside [percent]."""
    found = [look(store, lat, lon, capacity_mw, mode) for lat, lon in places(store, count, seed, kind)]
    sites = [s for s in found if s is not None]
    shares = {name: round(100 * float(np.mean([s.inside[name] for s in sites])), 1) for name in sites[0].inside}
    told: dict[str, Any] = {"mode": mode, "sites": kind, "count": len(sites), "inside_pct": shares}
    if kind == "nodes":
        told["pairs"] = pairs(sites, seed)
    return told


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True)
    parser.add_argument("--sites", type=int, default=40)
    parser.add_argument("--capacity", type=float, default=25.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    store = open_layers(asked.data)
    rows = [
        coverage(store, asked.sites, asked.seed, asked.capacity, mode, kind)
        for kind in ("nodes", "points")
        for mode in MODES
    ]
    if asked.json:
        print(
            json.dumps({"layers": store.manifest.name, "capacity_mw": asked.capacity, "seed": asked.seed, "rows": rows})
        )
        return
    for row in rows:
        print(f"{row['mode']:11s} {row['sites']:7s} {row['count']:3d} sites, inside: {row['inside_pct']}")
        for pair in row.get("pairs", ()):
            print(
                f"    stated {pair['stated_mean_pct']:5.1f} % in {pair['pairs']:4d} pairs: right in {pair['right_pct']:5.1f} %"
            )
    print("correlation of two nodes' errors, by straight-line band (stratified)")
    for row in shared(store, NODES, asked.seed):
        print(
            f"    {row['apart_km'][0]:3d} to {row['apart_km'][1]:3d} km apart, {row['pairs']:6,d} pairs: {row['by_band']}"
        )


if __name__ == "__main__":
    main()
