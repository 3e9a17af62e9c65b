"""Read the three layers over a circle, filter, and find the automatic radius."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from csrag.ask.eligible import Kept, eligible
from csrag.ask.records import Location, SitingQuery
from csrag.ask.results import Catchment, RetrievalKey
from csrag.ask.retrieval.roads import SiteRoads
from csrag.errors import InvalidValueError, OutsideDataError
from csrag.quantities import check
from csrag.surfaces.catalog import SYSTEMS, systems_of
from csrag.surfaces.coverage import edge_share, inside_rings
from csrag.surfaces.frame import ClusterFrame
from csrag.surfaces.store import LayerStore

MIN_AUTO_RADIUS_KM = 10
MAX_AUTO_RADIUS_KM = 200
BESIDE_DATA_KM = 30.0
"""A site outside the data area is answered where a cluster lies this near, and told how much of its circle is unknown:
a mill stands beside the forest, seldom in it. An imported area is only the hull of its clusters."""
_FIRST_LOOK_KM = 40
AUTO_RADIUS_MULTIPLE = 5.0
"""The automatic circle holds this many years' demand: with 1.5 there is nothing to choose from, the wood comes 5-9 %
dearer and a fire weight does nothing."""


def retrieval_key(
    layer_hash: str, site: Location, query: SitingQuery, demand_bdt: float, years: float = AUTO_RADIUS_MULTIPLE
) -> RetrievalKey:
    """Key of a retrieval: layer-set hash, site, radius, treatment, system and filters.

    Parameters
    ----------
    layer_hash : str
        Content hash of the layer set.
    site : Location
        The plant's place, with coordinates.
    query : SitingQuery
        What is asked.
    demand_bdt : float
        One year's demand [BDT]; enters only where the radius is automatic.
    years : float
        Demand that the automatic circle holds [years].
    """
    if site.lat is None or site.lon is None:
        raise InvalidValueError(f"{site.name} has no coordinates.", "Name a town, a ZIP code or a point.")
    target = None if query.radius_km is not None else years * demand_bdt
    return RetrievalKey(
        layer_hash, site.lat, site.lon, query.radius_km, query.treatment, query.system, tuple(sorted(query.land_use)),
        query.max_slope_pct, query.min_burn_probability, target,
    )  # fmt: skip


def retrieve(
    store: LayerStore,
    site: Location,
    query: SitingQuery,
    demand_bdt: float,
    years: float = AUTO_RADIUS_MULTIPLE,
    start_km: float | None = None,
    roads: SiteRoads | None = None,
    radius_found: Callable[[int], None] | None = None,
) -> Catchment:
    """Stage 2: the candidates for one site.

    Parameters
    ----------
    store : LayerStore
        The layer set.
    site : Location
        The plant's place, with coordinates.
    query : SitingQuery
        Radius, treatment, system and filters.
    demand_bdt : float
        One year's demand [BDT], for the automatic radius.
    years : float
        Demand that the automatic circle holds [years].
    start_km : float, optional
        Where the automatic radius is expected [km]; it only saves a look at the light columns, never changes the result.
    roads : SiteRoads, optional
        The site on the store's road network, where an earlier question already searched it.
    radius_found : callable, optional
        Told how many clusters were read, as soon as an automatic radius is known.

    Raises
    ------
    OutsideDataError
        If the site lies outside the area that the layers cover.
    """
    key = retrieval_key(store.hash, site, query, demand_bdt, years)
    if roads is None and store.roads is not None:
        roads = SiteRoads(store.roads, key.lat, key.lon)
    rings: Sequence[Any] = store.manifest.data_area
    if rings and not inside_rings(np.array([key.lat]), np.array([key.lon]), rings)[0]:
        _refuse_far_site(store, site, key, query)
    allowed = [SYSTEMS.index(s) for s in systems_of(query.system)]
    if key.radius_km is not None:
        radius = check("radius_km", key.radius_km)
        joined = _read(store, key, radius)
        kept = eligible(store.manifest.codes["land_use"], query, joined, allowed)
        return _catchment(key, site, radius, "given", joined, kept, rings, roads)
    assert key.target_bdt is not None
    reach = _first_reach_km(store, query, key) if start_km is None else min(start_km, float(MAX_AUTO_RADIUS_KM))
    while True:
        joined = _read(store, key, reach)
        kept = eligible(store.manifest.codes["land_use"], query, joined, allowed)
        radius_km, have = _smallest_radius(joined, kept, key.target_bdt, reach)
        if radius_km is not None or reach >= MAX_AUTO_RADIUS_KM:
            break
        reach = _further(reach, key.target_bdt, have, 1.03)
    origin = "automatic"
    if radius_km is None:
        radius_km, origin = _farthest_km(joined, kept), "widest"
    if radius_found is not None:
        radius_found(len(joined))
    near = joined["distance_km"] <= radius_km
    inner = joined.filter(near)
    return _catchment(key, site, float(radius_km), origin, inner, Kept.subset(kept, near), rings, roads)


def _farthest_km(joined: ClusterFrame, kept: Kept) -> int:
    """Whole km that hold every candidate read: beyond it a wider circle finds nothing more, and says nothing true."""
    far = joined["distance_km"][kept.stays]
    return max(1, math.ceil(float(far.max()))) if len(far) else MAX_AUTO_RADIUS_KM


def _refuse_far_site(store: LayerStore, site: Location, key: RetrievalKey, query: SitingQuery) -> None:
    """Refuse a site outside the data area, unless clusters lie beside it; say what the layers hold in its reach.

    Raises
    ------
    OutsideDataError
        With the nearest cluster where one is in reach, and with zero tons only where there are none.
    """
    _, distance_km = store.within(key.lat, key.lon, BESIDE_DATA_KM)
    if len(distance_km):
        return
    allowed = [SYSTEMS.index(s) for s in systems_of(query.system)]
    joined = _read(store, key, float(MAX_AUTO_RADIUS_KM))
    tons = 0.0
    held = f"It holds 0 BDT within {MAX_AUTO_RADIUS_KM} km of this site, so 0 MW can be supported."
    if len(joined):
        kept = eligible(store.manifest.codes["land_use"], query, joined, allowed)
        tons = float(kept.tons[kept.stays].sum())
        nearest = int(np.argmin(joined["distance_km"]))
        lat, lon = (float(joined[name][nearest]) for name in ("lat", "lon"))
        held = (
            f"Its nearest cluster lies {float(joined['distance_km'][nearest]):.0f} km to the "
            f"{_direction(key.lat, key.lon, lat, lon)}, beyond the {BESIDE_DATA_KM:g} km up to which a site beside the data is "
            f"answered; within {MAX_AUTO_RADIUS_KM} km it holds {tons:,.0f} BDT under this question's filters, and what "
            "grows nearer is not known to it."
        )
    error = OutsideDataError(
        f"{site.name} ({key.lat:.3f}, {key.lon:.3f}) lies outside the area of the layer set "
        f"{store.manifest.name!r}: {_describe(store.manifest.data_area)}. {held}",
        "Ask about a place inside that area, or build or import layers that cover it (csrag layers build, import).",
    )
    error.held_bdt = tons if len(joined) else None
    raise error


_COMPASS = ("north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west")


def _direction(lat: float, lon: float, to_lat: float, to_lon: float) -> str:
    """Compass word of the initial great-circle bearing from one point to another [degrees]."""
    here, there, across = math.radians(lat), math.radians(to_lat), math.radians(to_lon - lon)
    east = math.sin(across) * math.cos(there)
    north = math.cos(here) * math.sin(there) - math.sin(here) * math.cos(there) * math.cos(across)
    return _COMPASS[round(math.degrees(math.atan2(east, north)) / 45) % 8]


def _further(reach_km: float, target_bdt: float, have_bdt: float, beyond: float) -> float:
    """Next circle to look at: feedstock grows with area, so to where the target should lie, at most twice as far."""
    factor = math.sqrt(target_bdt / have_bdt) * beyond if have_bdt > 0 else 2.0
    return min(float(MAX_AUTO_RADIUS_KM), math.ceil(reach_km * min(2.0, max(1.02, factor))))


def _first_reach_km(store: LayerStore, query: SitingQuery, key: RetrievalKey) -> float:
    """Where the automatic radius must lie at least, from a few light columns, so that the joint read is made once.

    Feedstock is counted at its most (the class that recovers most, every cluster feasible), so the radius found here is
    never beyond the true one; it is usually a kilometre or two short of it.
    """
    names = store.manifest.codes["land_use"]
    wanted = np.array([name in query.land_use for name in names] + [False] * (256 - len(names)))
    reach = float(_FIRST_LOOK_KM)
    while True:
        light = store.catchment(key.lat, key.lon, reach, key.treatment, _LIGHT_COLUMNS)
        most = np.nan_to_num(light["feedstock_bdt"]).max(axis=1, initial=0.0).astype(np.float64)
        most[~wanted[light["land_use"]] | light["wilderness"].astype(bool)] = 0.0
        by_km = np.bincount(np.ceil(light["distance_km"]).astype(np.int64), weights=most, minlength=int(reach) + 1)
        reached = np.cumsum(by_km)
        assert key.target_bdt is not None
        first = int(np.searchsorted(reached, key.target_bdt, side="left"))
        if first <= reach:
            return float(max(first + 1, MIN_AUTO_RADIUS_KM))
        if reach >= MAX_AUTO_RADIUS_KM:
            return float(MAX_AUTO_RADIUS_KM)
        reach = _further(reach, key.target_bdt, float(reached[int(reach)]), 1.05)


_LIGHT_COLUMNS = ("distance_km", "feedstock_bdt", "land_use", "wilderness")


def smallest_radius_km_for(store: LayerStore, site: Location, query: SitingQuery, demand_bdt: float) -> int | None:
    """Smallest whole radius, up to 200 km, whose candidates hold one year's demand.

    Parameters
    ----------
    store, site, query
        As for `retrieve`.
    demand_bdt : float
        Tons wanted [BDT].

    Returns
    -------
    int or None
        [km]; None where 200 km does not hold it.
    """
    key = retrieval_key(store.hash, site, query, demand_bdt)
    allowed = [SYSTEMS.index(s) for s in systems_of(query.system)]
    joined = _read(store, key, float(MAX_AUTO_RADIUS_KM))
    kept = eligible(store.manifest.codes["land_use"], query, joined, allowed)
    return _smallest_radius(joined, kept, demand_bdt, float(MAX_AUTO_RADIUS_KM), least_km=1)[0]


def _read(store: LayerStore, key: RetrievalKey, radius_km: float) -> ClusterFrame:
    return store.catchment(key.lat, key.lon, radius_km, key.treatment)


def _smallest_radius(joined: ClusterFrame, kept: Kept, target_bdt: float, reach_km: float,
                     least_km: int = MIN_AUTO_RADIUS_KM) -> tuple[int | None, float]:  # fmt: skip
    """Smallest whole km whose candidates hold the target, looking only as far as was read."""
    whole_km = np.ceil(joined["distance_km"][kept.stays]).astype(np.int64)
    by_km = np.bincount(whole_km, weights=kept.tons[kept.stays], minlength=int(reach_km) + 1)
    reached = np.cumsum(by_km)
    have = float(reached[min(int(reach_km), len(reached) - 1)])
    first = int(np.searchsorted(reached[: int(reach_km) + 1], target_bdt, side="left"))
    return (max(first, least_km), have) if first <= int(reach_km) else (None, have)


def _catchment(key: RetrievalKey, site: Location, radius_km: float, origin: str, joined: ClusterFrame, kept: Kept,
               rings: Sequence[Any], roads: SiteRoads | None) -> Catchment:  # fmt: skip
    tons_of = {r: float(kept.tons[m & (kept.system >= 0)].sum()) for r, m in kept.reasons.items()}
    count_of = {r: int(m.sum()) for r, m in kept.reasons.items()}
    return Catchment(
        key=key, site=site, radius_km=radius_km, radius_origin=origin, frame=joined.filter(kept.stays),
        system_index=kept.system[kept.stays], rows_read=len(joined), excluded_bdt=tons_of,
        excluded_clusters=count_of, edge_share=edge_share(key.lat, key.lon, radius_km, rings),
        roads=roads,
    )  # fmt: skip


def _describe(rings: Sequence[Any]) -> str:
    points = np.concatenate([np.asarray(r, dtype=np.float64) for r in rings])
    (west, south), (east, north) = points.min(axis=0), points.max(axis=0)
    return f"{south:.2f} to {north:.2f} N, {-east:.2f} to {-west:.2f} W"
