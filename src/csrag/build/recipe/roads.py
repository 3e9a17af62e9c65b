"""Roads of a recipe: the graph, every cluster's landing on it, and the zones and factors fitted to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.build.progress import Progress
from csrag.build.recipe.readers import Held, Told
from csrag.build.recipe.recipe import Part
from csrag.errors import TableRefusedError
from csrag.places.gazetteer import towns
from csrag.surfaces.roads import RoadNetwork

FACILITIES = 200
"""Towns, and as many road nodes drawn at random, to which factors are fitted and on which they are tested."""
_SEED = 20_160_034
_BESIDE_DEG = 0.5
"""Towns this far beside the clusters may still be plants' places [degrees]."""


@dataclass(frozen=True)
class Roads:
    """What the roads give a layer set.

    Parameters
    ----------
    network : RoadNetwork
        Graph and landings, in the clusters' order.
    zone_factors : tuple of float or None
        Fitted road over straight-line distance by zone; None where no factors could be fitted.
    transport : mapping
        The manifest's `transport`.
    """

    network: RoadNetwork
    zone_factors: tuple[float, ...] | None
    transport: Mapping[str, Any]


def lay_roads(part: Part, held: Held, told: Told, progress: Progress) -> Roads:
    """Read the roads, snap every landing, fit zones and factors, and write the clusters' zones.

    Parameters
    ----------
    part : Part
        The section `roads`.
    held : dict of str to ndarray of float64, shape (n,)
        The clusters' columns; `zone` is written, the table's own `zone` and `circuity` are left aside.
    told : Told
        Receives notes and counts.
    progress : Progress
        Told of each phase.

    Raises
    ------
    CsragError
        If the files cannot be read, or hold no road.
    """
    from csrag.build.circuity.fit import fit_transport
    from csrag.build.road_layer import LANDING_CAP_KM, make_road_network
    from csrag.build.sources.roads_osm import read_osm
    from csrag.build.sources.roads_table import read_tables

    progress.start("reading roads", len(part.files), "files")
    read = read_osm(part.file("pbf")) if "pbf" in part.values else read_tables(part.file("nodes"), part.file("edges"))
    progress.advance(len(part.files))
    told.take(part, read.counts, read.notes)
    cap_km = float(part.values.get("snap_cap_km", LANDING_CAP_KM))
    lat, lon = held["lat"], held["lon"]
    network = make_road_network(read.graph, lat, lon, snap_cap_km=cap_km)
    told.take(part, network.counts, network.notes())
    source = part.text("source") or ", ".join(path.name for path in part.files)
    entry = network.told(source)
    clusters = {"lat": lat, "lon": lon, "area_acres": held["area"], "elevation_ft": held["elevation"],
                "slope_pct": held.get("slope_pct", held["slope"])}  # fmt: skip
    try:
        fitted = fit_transport(network, clusters, *_facilities(network, lat, lon), seed=_SEED, progress=progress)
    except TableRefusedError as error:
        if error.code != "roads_too_few":
            raise
        # A network without one landing on it serves no trip: it is kept for inspection, its mode told as without use.
        use = (
            "Answers use the network itself; no zones."
            if (network.landing_node >= 0).any()
            else "No landing joins the network either: no mode of distance of this set gives a road distance."
        )
        told.notes.append(f"roads: {error.message} {use}")
        held.pop("zone", None)  # a zone of the table means nothing without its factor
        return Roads(network, None, {"bands_km": [], "stratified": [], "band_medians": [], "accuracy": [],
                                     "basis": "no factors could be fitted", "network": entry})  # fmt: skip
    for name in ("zone", "circuity"):
        if name in held and np.isfinite(held[name]).any():
            told.notes.append(f"roads: the table's own {name} is left aside; zones are fitted to these roads")
    held.pop("circuity", None)
    held["zone"] = fitted.zone.astype(np.float64)
    return Roads(network, fitted.zone_factors, {**fitted.transport, "network": entry})


def _facilities(
    network: RoadNetwork, lat: NDArray[np.float64], lon: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Places where plants could stand: towns in and beside the clusters, and random road nodes among them."""
    rng = np.random.default_rng(_SEED)
    box = (lat.min() - _BESIDE_DEG, lat.max() + _BESIDE_DEG, lon.min() - _BESIDE_DEG, lon.max() + _BESIDE_DEG)
    known = towns()
    out = []
    for lats, lons in ((known.lat, known.lon), (network.node_lat, network.node_lon)):
        inside = np.flatnonzero((lats >= box[0]) & (lats <= box[1]) & (lons >= box[2]) & (lons <= box[3]))
        if inside.size > FACILITIES:
            inside = np.sort(rng.choice(inside, FACILITIES, replace=False))
        out.append(np.array([lats[inside], lons[inside]]))
    together = np.concatenate(out, axis=1)
    return together[0], together[1]
