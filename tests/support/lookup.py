"""A stock-taking by plain loops, and small SYNTHETIC layer sets for the places that the questions name."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.layers import SmallSource

from csrag.build.materialize import materialize
from csrag.interfaces.open import open_directory
from csrag.places.counties import county_of
from csrag.surfaces.catalog import FEEDSTOCK_CLASS_OF, HAZARD_CLASSES, LAND_USES, SYSTEMS
from csrag.surfaces.store import LayerStore

BOXES = {
    "Tuolumne": (37.6, 38.5, -120.7, -119.2),
    "Modoc": (41.0, 42.0, -121.5, -120.0),
    "Happy Camp": (41.2, 42.0, -124.0, -122.8),
}


class RealCounties(SmallSource):
    """The small source with the counties that its points really lie in."""

    def __init__(self, box: tuple[float, float, float, float], **kwargs: Any) -> None:
        super().__init__(box=box, **kwargs)
        self._box = box
        self._columns["county"] = county_of(self._columns["lat"], self._columns["lon"])

    @property
    def data_area(self) -> list[list[tuple[float, float]]]:
        south, north, west, east = self._box
        return [[(west, south), (east, south), (east, north), (west, north), (west, south)]]


def small_set(out: Path, place: str, n: int = 1500, **kwargs: Any) -> LayerStore:
    """A layer set of scattered clusters around a place."""
    materialize(RealCounties(BOXES[place], n=n, **kwargs), out, workers=1, block_rows=512)
    return open_directory(out)


@dataclass
class Twin:
    """What a stock-taking must find, counted one cluster after the other."""

    forest_clusters: int = 0
    forest_acres: float = 0.0
    clusters: int = 0
    acres: float = 0.0
    bdt: float = 0.0
    practical_bdt: float = 0.0
    nothing: int = 0
    infeasible: int = 0
    protected_acres: float = 0.0
    protected_bdt: float = 0.0
    other_bdt: float = 0.0
    owner_acres: dict[str, float] = field(default_factory=lambda: dict.fromkeys(LAND_USES, 0.0))
    hazard_bdt: dict[str, float] = field(default_factory=dict)
    slope_bdt: dict[str, float] = field(default_factory=dict)
    system_bdt: dict[str, float] = field(default_factory=dict)
    costs: list[tuple[float, float]] = field(default_factory=list)
    burn_acres: float = 0.0
    burn_known_acres: float = 0.0
    burn_unknown: int = 0


def haversine(lat1: float, lon1: float, lat2: float, lon2: float) -> float:
    """Great-circle distance [km], by the textbook."""
    a, b = math.radians(lat1), math.radians(lat2)
    half = math.sin((b - a) / 2) ** 2 + math.cos(a) * math.cos(b) * math.sin(math.radians(lon2 - lon1) / 2) ** 2
    return 2 * 6371.0088 * math.asin(math.sqrt(half))


def slope_class(slope: float) -> str:
    for low, high, name in ((0, 10, "0 to 10"), (10, 20, "10 to 20"), (20, 35, "20 to 35"), (35, 50, "35 to 50")):
        if low <= slope < high:
            return name
    return "50 and over" if slope >= 50 else "unknown"


def take_stock(store: LayerStore, inside: Any, treatment: str, lands: tuple[str, ...] = ("private", "usfs")) -> Twin:
    """Loop over every cluster of a set; `inside(row, lat, lon)` says which are meant."""
    t = store.manifest.treatment_names.index(treatment)
    cost, feed = store.column("cost_usd_per_bdt")[t], store.column("feedstock_bdt")[t]
    get = {n: store.column(n) for n in ("lat", "lon", "area_acres", "land_use", "wilderness", "burn_probability", "slope_pct",
                                        "hazard_class")}  # fmt: skip
    out = Twin()
    for row in range(len(store)):
        if not inside(row, float(get["lat"][row]), float(get["lon"][row])):
            continue
        acres = float(get["area_acres"][row])
        land = LAND_USES[int(get["land_use"][row])]
        burn = float(get["burn_probability"][row])
        out.forest_clusters += 1
        out.forest_acres += acres
        out.owner_acres[land] += acres
        if math.isnan(burn):
            out.burn_unknown += 1
        else:
            out.burn_acres += burn * acres
            out.burn_known_acres += acres
        best, system = math.inf, -1
        for s in range(8):  # helicopters only where they are asked for
            price = float(cost[s][row])
            if price < best:
                best, system = price, s
        tons = 0.0 if system < 0 else float(feed[FEEDSTOCK_CLASS_OF[SYSTEMS[system]]][row])
        tons = tons if tons > 0 else 0.0
        anything = any(float(feed[c][row]) > 0 for c in range(4))
        if get["wilderness"][row] or land == "nps":
            out.protected_acres += acres
            out.protected_bdt += tons
            continue
        if land not in lands:
            out.other_bdt += tons
            continue
        if not anything:
            out.nothing += 1
            continue
        if not tons:
            out.infeasible += 1
            continue
        out.clusters += 1
        out.acres += acres
        out.bdt += tons
        out.practical_bdt += tons * (0.70 if land == "private" else 0.45)
        out.costs.append((best, tons))
        for sums, key in ((out.system_bdt, SYSTEMS[system]), (out.hazard_bdt, HAZARD_CLASSES[int(get["hazard_class"][row])]),
                          (out.slope_bdt, slope_class(float(get["slope_pct"][row])))):  # fmt: skip
            sums[key] = sums.get(key, 0.0) + tons
    return out
