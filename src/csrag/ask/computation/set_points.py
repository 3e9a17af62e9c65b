"""Plants and substations that came with a layer set: the other plants of its country, and the end of a power line."""

from __future__ import annotations

from collections.abc import Sequence

from csrag.ask.records import Location, SitingQuery
from csrag.ask.results import Caveat
from csrag.geo import haversine_km
from csrag.places.wood_plants import WoodPlant, built_in_plants
from csrag.quantities import QUANTITIES
from csrag.surfaces.manifest import Manifest

SET_TABLE = "layer set"
"""How a query names the plants of its layer set."""


def known_plants(manifest: Manifest) -> tuple[WoodPlant, ...]:
    """Plants of the layer set where it holds any, else the built-in ones."""
    rows = (manifest.points or {}).get("plants")
    return tuple(WoodPlant(**row) for row in rows) if rows else built_in_plants()


def has_plants(manifest: Manifest) -> bool:
    """Whether the layer set brought plants of its own."""
    return bool((manifest.points or {}).get("plants"))


def with_points(
    query: SitingQuery, plants: Sequence[WoodPlant], manifest: Manifest, site: Location, caveats: list[Caveat]
) -> tuple[SitingQuery, Sequence[WoodPlant]]:
    """Let the layer set's own points stand where the question leaves them open.

    Parameters
    ----------
    query : SitingQuery
        What is asked.
    plants : sequence of WoodPlant
        Other plants whose demand is counted; the user's own table stays.
    manifest : Manifest
        It may hold plants and substations.
    site : Location
        The plant's place; a power line starts there.
    caveats : list of Caveat
        Receives what has to be said about the line.

    Returns
    -------
    query : SitingQuery
        With `line_km` where a line to the nearest substation was asked for and there is one.
    plants : sequence of WoodPlant
        Those that count.
    """
    if query.other_plants == "built-in" and has_plants(manifest):
        query, plants = query.with_(other_plants=SET_TABLE), known_plants(manifest)
    if query.line_to_substation and query.line_km is None:
        query = _with_line(query, manifest, site, caveats)
    return query, plants


def _with_line(query: SitingQuery, manifest: Manifest, site: Location, caveats: list[Caveat]) -> SitingQuery:
    rows = (manifest.points or {}).get("substations")
    if not rows or site.lat is None or site.lon is None:
        caveats.append(
            Caveat(
                "no_substations",
                "This layer set holds no substations, so the power line has no length and was left out; name one, such as "
                '"with a 5 km power line".',
            )
        )
        return query
    away = [float(haversine_km(site.lat, site.lon, row["lat"], row["lon"])) for row in rows]
    nearest = min(range(len(rows)), key=lambda i: (away[i], str(rows[i]["name"])))
    line = QUANTITIES["line_km"]
    length_km = min(max(away[nearest], line.low), line.high)
    kv = rows[nearest]["kv"]
    voltage = f"{kv:g} kV" if kv is not None else "voltage unknown"
    caveats.append(
        Caveat(
            "line_to_substation",
            f"The power line runs {length_km:.1f} km straight to the nearest substation that came with the layer set, "
            f"{rows[nearest]['name']} ({voltage}); a real line is longer, and whether it can join there is not known.",
        )
    )
    return query.with_(line_km=length_km)
