"""Operating plants inside the circle: named with their demand in every answer, netted off only on request."""

from __future__ import annotations

from csrag.ask.computation.facts import Ledger
from csrag.ask.computation.set_points import has_plants, known_plants
from csrag.ask.results import Catchment
from csrag.geo import haversine_km
from csrag.surfaces.manifest import Manifest

_SHOWN = 4


def put_neighbours(ledger: Ledger, catchment: Catchment, manifest: Manifest) -> None:
    """Name the plants and mills of the layer set, else of the built-in table, inside year one's circle.

    Parameters
    ----------
    ledger : Ledger
        Receives the table `plants_in_circle` and a caveat.
    catchment : Catchment
        Year one's circle.
    manifest : Manifest
        It may hold plants of its own.
    """
    table = "layer set's table" if has_plants(manifest) else "built-in table"
    inside = []
    for plant in known_plants(manifest):
        if catchment.site.kind == "plant" and plant.name == catchment.site.name:
            continue
        distance = float(haversine_km(catchment.key.lat, catchment.key.lon, plant.lat, plant.lon))
        if distance <= catchment.radius_km:
            inside.append((distance, plant))
    if not inside:
        return
    inside.sort(key=lambda pair: (pair[0], pair[1].name))
    rows = [(p.name, d, p.capacity_mw, p.bdt_per_year, p.basis) for d, p in inside]
    columns = ("name", "distance_km", "capacity_mw", "demand_bdt_per_year", "basis")
    ledger.table("plants_in_circle", columns, rows, "forest wood each is assumed to burn; not netted off unless asked")
    total = sum(p.bdt_per_year for _, p in inside)
    ledger.put("plants_in_circle_bdt", total, f"assumed demand inside the circle, plants of the {table}")
    shown = ", ".join(f"{p.name} ({p.bdt_per_year:,.0f} BDT a year)" for _, p in inside[:_SHOWN])
    more = f" and {len(inside) - _SHOWN} more" if len(inside) > _SHOWN else ""
    ledger.caveat("plants_in_circle", f"Who else buys inside the circle, by the {table} (demand assumed): {shown}{more}. "
                  'Their wood is not taken off; ask "with existing plants" to let them choose first.')  # fmt: skip
