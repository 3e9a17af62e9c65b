"""Operating plants inside the circle: named with their demand in every answer, netted off only on request."""

from __future__ import annotations

from csrag.ask.computation.facts import Ledger
from csrag.ask.results import Catchment
from csrag.geo import haversine_km
from csrag.places.wood_plants import built_in_plants

_SHOWN = 4


def put_neighbours(ledger: Ledger, catchment: Catchment) -> None:
    """Name the wood-fired plants and mills of the built-in table inside year one's circle.

    Parameters
    ----------
    ledger : Ledger
        Receives the table `plants_in_circle` and a caveat.
    catchment : Catchment
        Year one's circle.
    """
    inside = []
    for plant in built_in_plants():
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
    ledger.put("plants_in_circle_bdt", total, "assumed demand of the built-in table's plants inside the circle")
    shown = ", ".join(f"{p.name} ({p.bdt_per_year:,.0f} BDT a year)" for _, p in inside[:_SHOWN])
    more = f" and {len(inside) - _SHOWN} more" if len(inside) > _SHOWN else ""
    ledger.caveat("plants_in_circle", f"Who else buys inside the circle, by the built-in table (demand assumed): {shown}{more}. "
                  'Their wood is not taken off; ask "with existing plants" to let them choose first.')  # fmt: skip
