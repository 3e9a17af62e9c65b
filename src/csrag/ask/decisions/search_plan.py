"""What a search is to do: where it looks, at which points, how far around each, and how many it gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from csrag.ask.computation.need import Need, need_of
from csrag.ask.computation.search_sites import Candidates, grid_sites, listed_sites
from csrag.ask.computation.set_points import known_plants
from csrag.ask.computation.statewide import SEARCH_RADIUS_KM
from csrag.ask.records import Location, SitingQuery
from csrag.ask.results import Caveat
from csrag.ask.run import Run
from csrag.errors import DataError
from csrag.geo import haversine_km
from csrag.places.areas import contains, has_area
from csrag.places.gazetteer import towns
from csrag.places.records import Kind, Place

DEFAULT_SITES = 3
DEFAULT_SEPARATION_KM = 20.0
"""Least distance between the sites given, unless told [km]: the best point's neighbours are the same site over again (assumed).
Points of a list are sites of their own, however near to each other."""
DEFAULT_CIRCLE_KM = 50.0
"""How far around a town a search looks, unless told [km]; as far as a stock-taking counts (assumed)."""

Inside = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.bool_]]


@dataclass(frozen=True)
class SearchPlan:
    """A search with every default filled in.

    Parameters
    ----------
    query : SitingQuery
        What is asked, its radius that around each site.
    need : Need
        One plant's year.
    count : int
        Sites, or plants, wanted.
    separation_km : float
        Least distance between them [km].
    radius_km : float
        Circle around each site in the search [km].
    where : str
        In words: "in Plumas County".
    inside : callable or None
        Which points lie in the area; None for everywhere.
    """

    query: SitingQuery
    need: Need
    count: int
    separation_km: float
    radius_km: float
    where: str
    inside: Inside | None


def plan_of(run: Run, caveats: list[Caveat]) -> SearchPlan:
    """Fill in what the question leaves open.

    Parameters
    ----------
    run : Run
        The question; its places are areas to search in.
    caveats : list of Caveat
        Receives what had to be decided about them.
    """
    query = run.query
    listed = run.sites is not None or query.site_candidates != "grid"
    usual = 0.0 if listed else DEFAULT_SEPARATION_KM
    separation = usual if query.min_separation_km is None else query.min_separation_km
    where, inside, radius = _area(run, caveats)
    query = query.with_(radius_km=radius)
    return SearchPlan(
        query, need_of(query), query.site_count or DEFAULT_SITES, separation,
        SEARCH_RADIUS_KM if radius is None else radius, where, inside,
    )  # fmt: skip


def _area(run: Run, caveats: list[Caveat]) -> tuple[str, Inside | None, float | None]:
    """Where to look in words and as a test, and the radius that is left to the sites themselves [km]."""
    tests: list[Inside] = []
    words: list[str] = []
    radius, circle_km = run.query.radius_km, None
    if run.area is not None:
        tests.append(run.area.contains)
        words.append(f"in the area {run.area.name}")
    for place in run.query.locations:
        area = _area_place(place)
        if area is not None:
            tests.append(_in_area(area))
            words.append(_words(area.name))
        elif place.lat is not None and place.lon is not None:
            circle_km = DEFAULT_CIRCLE_KM if run.query.radius_km is None else run.query.radius_km
            radius = None
            tests.append(_in_circle(place.lat, place.lon, circle_km))
            words.append(f"within {round(circle_km, 1):g} km of {place.name}")
    if circle_km is not None:
        told = "as asked" if run.query.radius_km is not None else 'the default; "within 60 km of" sets it'
        caveats.append(
            Caveat("search_circle", f"Sites were looked for within {round(circle_km, 1):g} km of the place named ({told}); each "
                   "site's own wood may come from farther away.")
        )  # fmt: skip
    if not tests:
        return "in the whole layer set", None, radius
    return _listed(words), lambda lat, lon: np.any([test(lat, lon) for test in tests], axis=0), radius


def _area_place(place: Location) -> Place | None:
    """The place as the gazetteer's record, where it has an area to search in."""
    if place.kind not in {"county", "forest", "region"}:
        return None
    out = Place(place.name, cast(Kind, place.kind), place.county, place.lat or 0.0, place.lon or 0.0)
    return out if has_area(out) else None


def _in_area(area: Place) -> Inside:
    return lambda lat, lon: contains(area, lat, lon)


def _in_circle(lat: float, lon: float, radius_km: float) -> Inside:
    return lambda lats, lons: np.asarray(haversine_km(lat, lon, lats, lons) <= radius_km)


def _words(name: str) -> str:
    return (
        f"{name[0].lower()}{name[1:]}"
        if name.startswith(("North of", "South of", "East of", "West of"))
        else f"in {name}"
    )


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def candidates_of(run: Run) -> Candidates:
    """Every point that the question lets a plant stand on, before any rule.

    Raises
    ------
    DataError
        If the layer set has no such points.
    """
    kind, store = run.query.site_candidates, run.store
    if run.sites is not None:
        table = run.sites
        return listed_sites(store, table.name, table.names, np.array(table.lat), np.array(table.lon))
    if kind == "towns":
        t = towns()
        return listed_sites(store, kind, t.name, t.lat, t.lon)
    if kind == "plants":
        plants = known_plants(store.manifest)
        lat, lon = np.array([p.lat for p in plants]), np.array([p.lon for p in plants])
        return listed_sites(store, kind, tuple(p.name for p in plants), lat, lon)
    if kind == "substations":
        rows = substations_of(run)
        lat, lon = (
            np.array([r["lat"] for r in rows], dtype=np.float64),
            np.array([r["lon"] for r in rows], dtype=np.float64),
        )
        return listed_sites(store, kind, tuple(str(r["name"]) for r in rows), lat, lon)
    return grid_sites(store.column("lat"), store.column("lon"))


def substations_of(run: Run) -> list[dict[str, object]]:
    """Substations of the layer set.

    Raises
    ------
    DataError
        If it holds none.
    """
    rows = (run.store.manifest.points or {}).get("substations")
    if not rows:
        raise DataError(
            "This layer set holds no substations, so a search cannot heed them.",
            "Build layers with a table of substations (see the guide on building from public sources), give the substations as "
            "sites (--sites FILE), or ask without them.",
            code="no_substations",
        )
    return list(rows)
