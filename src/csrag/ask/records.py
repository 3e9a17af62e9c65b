"""The records that travel through the four stages; frozen, plain, and the shape of the public JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from csrag.surfaces.catalog import LAND_USES, TREATMENTS

INTENTS = (
    "site", "compare", "search", "pareto", "supply_curve", "max_capacity", "projection", "sensitivity", "lookup",
    "methodology", "out_of_scope", "command",
)  # fmt: skip
__all__ = ["INTENTS", "LAND_USES", "TECHNOLOGIES", "TREATMENTS", "Location", "Origin", "SitingQuery"]
TECHNOLOGIES = ("combustion", "chp", "gasification")
DEFAULT_LAND_USE = ("private", "usfs")
DEFAULT_CAPACITY_MW = 25.0
DEFAULT_TREATMENT = "SDI55"
DEFAULT_SITE_COUNT = 3
"""Sites that a search gives where the question does not say how many."""


@dataclass(frozen=True)
class Location:
    """A place the question names.

    Parameters
    ----------
    name : str
        Proper name, as the gazetteer spells it ("Mount Shasta", "Plumas County", "ZIP 95971").
    kind : str
        place, county, zip, coordinates, plant, forest, region, outside (not in California), unknown (no such name), or found
        (a site of an earlier search, which the answer's stages put in place; see `SitingQuery.picked_from`).
    county : str or None
        County without the word "County".
    lat, lon : float or None
        Representative point [degrees].
    state : str
        Two-letter state.
    matched : str
        The words of the question that were matched.
    alternatives : tuple of str
        Equally good readings that were not taken.
    rank : int or None
        Place of a found site in the ranking of its search, 1 the best.
    """

    name: str
    kind: str
    county: str | None = None
    lat: float | None = None
    lon: float | None = None
    state: str = "CA"
    matched: str = ""
    alternatives: tuple[str, ...] = ()
    rank: int | None = None

    def to_json(self) -> dict[str, Any]:
        """JSON object of the contract, with the extra fields where they say something."""
        out: dict[str, Any] = {
            "name": self.name, "kind": self.kind, "county": self.county, "lat": self.lat, "lon": self.lon,
        }  # fmt: skip
        if self.state != "CA":
            out["state"] = self.state
        if self.matched:
            out["matched"] = self.matched
        if self.rank is not None:
            out["rank"] = self.rank
        if self.alternatives:
            out["alternatives"] = list(self.alternatives)
        return out


@dataclass(frozen=True)
class Origin:
    """Where a field's value came from: the span in the question and who set it (user, carried, default)."""

    span: tuple[int, int] | None
    source: str


@dataclass(frozen=True)
class SitingQuery:
    """The query record of the contract: what is asked, with every default filled in.

    `tornado_parameters` names the parameters of a sensitivity (none: the usual ones), `sweep` those that are swept, each as
    {"parameter", "values"}, the values empty where none were named: then `sensitivity_pct` (20 by default) to either side.

    `capacity_mw` and `demand_bdt` stay None where the user named neither; `explicit` holds the names of what the user
    set; `origins` maps a field to where it came from.

    `reentry_years` lets a cluster be treated again after so many years, `burn_loss_pct` is the share of its tons that a
    burned cluster loses, `other_plants` counts other plants' demand (none, built-in, layer set, or the name of the user's
    table), `line_km` is a power line to build, `line_to_substation` asks for one as long as the way to the nearest substation of
    the layer set, `include_lcfs` puts the low-carbon fuel credit into the cost of electricity, and
    `emissions` says that the question asks about them.

    A search gives `site_count` sites (or, with `portfolio`, that many plants which share no fuel), at least
    `min_separation_km` apart, among `site_candidates` (grid, towns, plants, substations, or the name of the user's
    table), on ground no steeper than `max_site_slope_pct`, no farther than the `max_km_to_...` limits, and with at least
    `min_average_burn_probability` on average over what is taken; its places are areas to search in. `picked_from` is the
    search whose list a place of kind found comes from ("the second one"): it is run again, and the site that it ranks so
    is taken. `area` is the name of the user's own polygon file: a search looks and a stock-taking counts inside it. Rules
    on any supply: `min_high_hazard_pct` of the tons from high hazard zones, shares of the tons by land use, and
    `max_road_km` of haul. `max_extra_cost_pct` is what fire may cost in a trade-off, `expansion_factor` the multiple of
    the demand that FRREDSS's rule gathers before it chooses (selection by proximity), and `seed_compatible` takes the
    published description's simplifications, to measure them.
    """

    question: str = ""
    intent: str = "site"
    locations: tuple[Location, ...] = ()
    capacity_mw: float | None = None
    capacity_range_mw: tuple[float, float] | None = None
    demand_bdt: float | None = None
    technology: str = "combustion"
    treatment: str = DEFAULT_TREATMENT
    system: str = "auto"
    radius_km: float | None = None
    fire_weight: float = 0.0
    max_cost_usd_per_bdt: float | None = None
    max_cost_kind: str = "average"
    budget_usd_per_year: float | None = None
    land_use: tuple[str, ...] = DEFAULT_LAND_USE
    max_slope_pct: float | None = None
    min_burn_probability: float | None = None
    years: int = 1
    overrides: Mapping[str, float] = field(default_factory=dict)
    transport: str | None = None
    selection: str = "cost"
    feedstock: str = "residue"
    availability: str = "physical"
    reentry_years: int | None = None
    burn_loss_pct: float | None = None
    other_plants: str = "none"
    line_km: float | None = None
    line_to_substation: bool = False
    include_lcfs: bool = False
    emissions: bool = False
    tornado_parameters: tuple[str, ...] = ()
    sweep: tuple[Mapping[str, Any], ...] = ()
    sensitivity_pct: float | None = None
    power_price_usd_per_mwh: float | None = None
    price_escalation_pct: float | None = None
    subsidy_usd_per_bdt: float | None = None
    compare: tuple[Mapping[str, Any], ...] = ()
    picked_from: SitingQuery | None = None
    site_count: int | None = None
    portfolio: bool = False
    min_separation_km: float | None = None
    site_candidates: str = "grid"
    min_average_burn_probability: float | None = None
    max_site_slope_pct: float | None = None
    max_km_to_road: float | None = None
    max_km_to_substation: float | None = None
    max_km_to_plant: float | None = None
    min_high_hazard_pct: float | None = None
    min_land_share_pct: Mapping[str, float] = field(default_factory=dict)
    max_land_share_pct: Mapping[str, float] = field(default_factory=dict)
    max_road_km: float | None = None
    max_extra_cost_pct: float | None = None
    area: str | None = None
    expansion_factor: float = 1.0
    seed_compatible: bool = False
    explicit: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    origins: Mapping[str, Origin] = field(default_factory=dict)

    def with_(self, **changes: Any) -> SitingQuery:
        """Copy with changes."""
        return replace(self, **changes)

    def to_json(self) -> dict[str, Any]:
        """JSON object of the contract."""
        out: dict[str, Any] = {}
        for f in fields(self):
            if f.name in {"origins", "question", "picked_from"}:
                continue
            value = getattr(self, f.name)
            if f.name == "locations":
                value = [loc.to_json() for loc in value]
            elif f.name in {"overrides", "min_land_share_pct", "max_land_share_pct"}:
                value = dict(value)
            elif f.name in {"compare", "sweep"}:
                value = [dict(v) for v in value]
            elif isinstance(value, tuple):
                value = list(value)
            out[f.name] = value
        if self.capacity_range_mw is None:
            del out["capacity_range_mw"]
        out["spans"] = {k: {"span": o.span, "source": o.source} for k, o in self.origins.items()}
        return out
