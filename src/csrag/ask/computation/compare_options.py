"""The options of a comparison: each is a question of its own, about one site."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from csrag.ask.computation.parameters import PARAMETERS
from csrag.ask.computation.transport import MODE_WORDS
from csrag.ask.records import Location, SitingQuery
from csrag.errors import RequestError
from csrag.quantities import QUANTITIES
from csrag.surfaces.catalog import FAMILIES, LAND_USES

MAX_OPTIONS = 24
"""Most options of one comparison; places alone may be twelve."""
MAX_PLACES = 12
_FIELDS = frozenset(f.name for f in fields(SitingQuery)) - {
    "question", "intent", "locations", "compare", "explicit", "notes", "origins", "overrides",
}  # fmt: skip
_LAND_WORDS = {
    "private": "private land", "usfs": "national forest land", "blm": "land of the Bureau of Land Management",
    "nps": "national parks", "state": "state land", "tribal": "tribal land", "other": "other land",
}  # fmt: skip
_SELECTION_WORDS = {"cost": "cost-order selection", "proximity": "nearest-first selection"}
_WITHOUT = {
    "radius_km": "an automatic radius", "max_slope_pct": "no slope limit", "max_cost_usd_per_bdt": "no cap",
    "budget_usd_per_year": "no budget", "min_high_hazard_pct": "no share from high hazard", "max_road_km": "no limit on the haul",
    "min_burn_probability": "any burn probability", "transport": "the best distances there are", "burn_loss_pct": "no burn loss",
    "reentry_years": "cutting once", "line_km": "no power line", "power_price_usd_per_mwh": "no power price",
    "subsidy_usd_per_bdt": "no subsidy",
}  # fmt: skip
"""Fields that a variant leaves unset."""
_FORMS = {
    "capacity_mw": "{:g} MW", "demand_bdt": "{:,.0f} BDT a year", "radius_km": "a {:g} km radius",
    "max_slope_pct": "slopes up to {:g} %", "max_cost_usd_per_bdt": "a cap of ${:,.2f} per BDT",
    "budget_usd_per_year": "${:,.0f} a year", "years": "{:g} years", "subsidy_usd_per_bdt": "${:,.2f} per BDT of subsidy",
    "power_price_usd_per_mwh": "${:,.2f} per MWh of price", "line_km": "a {:g} km power line",
    "reentry_years": "cutting again after {:g} years", "burn_loss_pct": "{:g} % of burned wood lost",
    "max_road_km": "hauls up to {:g} km", "min_high_hazard_pct": "at least {:g} % from high hazard",
    "expansion_factor": "expansion factor {:g}", "price_escalation_pct": "price growth of {:g} % a year",
}  # fmt: skip
_UNITS = {
    "usd_per_gal": "${:,.2f} per gallon", "usd_per_hour": "${:,.2f} an hour", "usd_per_mile": "${:,.2f} per mile",
    "percent_value": "{:g} %", "usd": "${:,.0f}", "years": "{:g} years", "km_per_hour": "{:g} km an hour", "index": "{:g}",
}  # fmt: skip


@dataclass(frozen=True)
class Option:
    """One option of a comparison.

    Parameters
    ----------
    number : int
        From 1 on, in the order of the question [count].
    place : Location
        Where it is.
    query : SitingQuery
        The question that asking for this option alone would give: a site.
    changes : mapping
        Fields in which it differs from the question itself.
    place_words : str
        The place, told apart from the others.
    variant : str
        The changes in words; empty where it differs by place alone.
    """

    number: int
    place: Location
    query: SitingQuery
    changes: Mapping[str, Any]
    place_words: str
    variant: str

    @property
    def label(self) -> str:
        """Place and variant, as a table names the option."""
        return f"{self.place_words}, {self.variant}" if self.variant else self.place_words


def options_of(query: SitingQuery) -> list[Option]:
    """Options of a question: its places, crossed with its variants where it has both.

    Parameters
    ----------
    query : SitingQuery
        With intent compare. A variant that names a `place` of the question belongs to that place alone.

    Returns
    -------
    list of Option
        Without repeats, in the question's order: all variants of the first place, then of the second.

    Raises
    ------
    RequestError
        For more than `MAX_OPTIONS` options or `MAX_PLACES` places, a variant of a place that the question does not name, or
        of a field that it does not have.
    """
    places = list({_key(p): p for p in reversed(query.locations)}.values())[::-1]
    if len(places) > MAX_PLACES:
        raise RequestError(f"The question compares {len(places)} places.", f"Name at most {MAX_PLACES} at a time.",
                           code="too_many_options")  # fmt: skip
    pairs = _pairs(query, places)
    if len(pairs) > MAX_OPTIONS:
        raise RequestError(
            f"That makes {len(pairs)} options: {len(places)} places, each in {len(query.compare)} ways.",
            f"Compare at most {MAX_OPTIONS} at a time: name fewer places or fewer ways.", code="too_many_options",
        )  # fmt: skip
    words = place_words(places)
    out: list[Option] = []
    seen: set[str] = set()
    for place, changes in pairs:
        asked = with_changes(query, place, changes)
        mark = repr((_key(place), asked.with_(explicit=(), locations=()).to_json()))
        if mark not in seen:
            seen.add(mark)
            out.append(Option(len(out) + 1, place, asked, changes, words[place], variant_words(changes)))
    return out


def _key(place: Location) -> tuple[object, ...]:
    return (place.name, place.kind, place.lat, place.lon, place.state)


def _pairs(query: SitingQuery, places: list[Location]) -> list[tuple[Location, dict[str, Any]]]:
    named = {str(v["place"]).casefold() for v in query.compare if "place" in v}
    unknown = named - {p.name.casefold() for p in places}
    if unknown:
        raise RequestError(f"The comparison names {', '.join(sorted(unknown))}, which is no place of the question.",
                           "Name the place as the question does.", code="unknown_option")  # fmt: skip
    everywhere = [dict(v) for v in query.compare if "place" not in v]
    pairs = []
    for place in places:
        own = [
            {k: x for k, x in v.items() if k != "place"}
            for v in query.compare
            if "place" in v and str(v["place"]).casefold() == place.name.casefold()
        ]
        # Two places of one name share that name's variants; the question tells them apart by county only.
        pairs += [(place, changes) for changes in [*own, *everywhere] or [{}]]
    return pairs


def with_changes(query: SitingQuery, place: Location, changes: Mapping[str, Any]) -> SitingQuery:
    """The question for one option alone.

    Parameters
    ----------
    query : SitingQuery
        The comparison.
    place : Location
        The option's place.
    changes : mapping
        Field to value; overrides by their own name, or as `overrides.moisture_pct`.

    Raises
    ------
    RequestError
        For a field that a question does not have.
    """
    explicit = [e for e in query.explicit if e != "compare"]
    asked = query.with_(intent="site", compare=(), locations=(place,))
    overrides = dict(query.overrides)
    for name, value in changes.items():
        plain = name.removeprefix("overrides.")
        if plain in PARAMETERS or (name != plain and plain in QUANTITIES):
            fields_set = PARAMETERS[plain].fields if plain in PARAMETERS else (plain,)
            overrides |= dict.fromkeys(fields_set, float(value))
            explicit += [f"overrides.{f}" for f in fields_set]
        elif name in _FIELDS:
            if name in {"capacity_mw", "demand_bdt", "capacity_range_mw"}:
                asked = asked.with_(capacity_mw=None, demand_bdt=None, capacity_range_mw=None)
                explicit = [e for e in explicit if e not in {"capacity_mw", "demand_bdt", "capacity_range_mw"}]
            if name == "land_use":
                value = (value,) if isinstance(value, str) else tuple(value)
            asked = asked.with_(**{name: value})
            explicit.append(name)
        else:
            raise RequestError(f"A comparison over {name!r:.60} is not possible: a question has no such field.",
                               "Compare places, treatments, systems, technologies, capacities or land.",
                               code="unknown_field")  # fmt: skip
    return asked.with_(overrides=overrides, explicit=tuple(dict.fromkeys(explicit)))


def place_words(places: list[Location]) -> dict[Location, str]:
    """Each place in words that none of the others shares: its county, else its coordinates, where names are the same.

    Parameters
    ----------
    places : list of Location
        The places of a comparison.
    """
    out: dict[Location, str] = {}
    for place in places:
        same = [p for p in places if p.name == place.name]
        if len(same) == 1:
            out[place] = place.name
        elif place.county and sum(p.county == place.county for p in same) == 1:
            out[place] = f"{place.name}, {place.county} County"
        else:
            out[place] = f"{place.name} ({place.lat:.3f}, {place.lon:.3f})" if place.lat is not None else place.name
    return out


def variant_words(changes: Mapping[str, Any]) -> str:
    """What an option changes, in words: "15 MW", "chp", "private land"."""
    return ", ".join(_words(name, value) for name, value in changes.items())


def _words(name: str, value: Any) -> str:
    plain = name.removeprefix("overrides.")
    if value is None:
        return _WITHOUT.get(name, f"no {plain.replace('_', ' ')}")
    if name in {"min_land_share_pct", "max_land_share_pct"} and isinstance(value, Mapping):
        bound = "at least" if name.startswith("min") else "at most"
        return (
            " and ".join(f"{bound} {share:g} % from {_LAND_WORDS.get(use, use)}" for use, share in value.items())
            or "any land"
        )
    if name == "land_use":
        uses = (value,) if isinstance(value, str) else tuple(value)
        return " and ".join(_LAND_WORDS[u] if u in LAND_USES else str(u) for u in uses) or "no land"
    if name == "system":
        return {"auto": "any system"}.get(str(value), f"{value} systems" if value in FAMILIES else str(value))
    if name == "selection":
        return _SELECTION_WORDS.get(str(value), str(value))
    if name == "transport":
        return f"distances by {MODE_WORDS[value]}" if value in MODE_WORDS else str(value)
    if name == "fire_weight":
        return f"a fire weight of {float(value) * 100:g} %"
    if name == "min_burn_probability":
        return f"burn probabilities from {float(value) * 100:g} % a year"
    if name == "availability":
        return f"{value} availability"
    if name == "other_plants":
        return "no other plants" if value == "none" else "other plants"
    if plain in PARAMETERS:
        parameter = PARAMETERS[plain]
        number = _UNITS[parameter.unit].format(float(value))
        return f"{parameter.label.removeprefix('the ')} {number}"
    if name in _FORMS and isinstance(value, (int, float)):
        return _FORMS[name].format(value)
    return str(value) if name in {"treatment", "technology", "feedstock"} else f"{plain.replace('_', ' ')} {value}"
