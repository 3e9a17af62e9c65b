"""A turn's record: what is carried, what is taken back, what is named."""

from __future__ import annotations

from typing import Any

from csrag.ask.intent.draft import Draft
from csrag.ask.intent.land import apply_land
from csrag.ask.intent.search import SEARCH_FIELDS, settle_search
from csrag.ask.intent.variants import joins_places
from csrag.ask.intent.years import DEFAULT_YEARS
from csrag.ask.records import DEFAULT_LAND_USE, Origin, SitingQuery

_DEFAULTS = SitingQuery()
_FIELDS = (
    "locations", "capacity_mw", "capacity_range_mw", "demand_bdt", "technology", "treatment", "system", "radius_km",
    "fire_weight", "max_cost_usd_per_bdt", "budget_usd_per_year", "land_use", "max_slope_pct", "min_burn_probability",
    "years", "transport", "selection", "feedstock", "availability", "reentry_years", "burn_loss_pct", "other_plants",
    "line_km", "line_to_substation", "include_lcfs", "power_price_usd_per_mwh", "price_escalation_pct", "subsidy_usd_per_bdt",
    "tornado_parameters", "sweep", "sensitivity_pct", *SEARCH_FIELDS, "min_high_hazard_pct", "min_land_share_pct",
    "max_land_share_pct", "max_road_km", "max_extra_cost_pct", "expansion_factor", "picked_from",
)  # fmt: skip
_SHARES = ("min_land_share_pct", "max_land_share_pct")
"""A turn adds to these or changes one of their owners."""
_SENSITIVITY_FIELDS = ("tornado_parameters", "sweep", "sensitivity_pct")
"""Part of what a sensitivity asks; they go when the intent does."""


def assembled(
    draft: Draft, base: SitingQuery | None, intent: str | None, singles: list[tuple[str, SitingQuery]]
) -> SitingQuery:
    """The turn's record: what is carried, what is taken back, what is named."""
    start = base if base is not None else _DEFAULTS
    state: dict[str, Any] = {f: getattr(start, f) for f in _FIELDS}
    state["max_cost_kind"] = start.max_cost_kind
    overrides = dict(start.overrides)
    explicit = set(start.explicit)
    compare = start.compare
    named: set[str] = set()
    for field, query in singles:
        _take_from(field, query, state, overrides, explicit)
    for field in draft.resets:
        _reset(field, state, overrides, explicit)
        if field == "compare":
            compare = ()
    values = dict(draft.values)
    land = values.pop("_land", None)
    apart = values.pop("_places_apart", None)
    if land is not None:
        values["land_use"] = apply_land(land, tuple(state["land_use"]))
    dropped = values.pop("_dropped", None)
    if dropped and base is not None and not draft.locations:
        left = tuple(p for p in base.locations if all(p.name != d.name for d in dropped))
        if left and left != base.locations:
            values["locations"] = left
            compare = tuple(v for v in compare if v.get("place") is None or any(v["place"] == p.name for p in left))
        else:
            draft.note(
                f"{' and '.join(d.name for d in dropped)} was not among the places asked about, or was the only one"
            )
    if draft.locations:
        joined = tuple(draft.locations)
        if joins_places(draft, base) and base is not None:
            joined = (*(p for p in base.locations if p not in joined), *joined)
        elif apart and intent == "compare" and not draft.variants:
            joined = tuple(apart)
        values["locations"] = joined
    if "capacity_mw" in values or "capacity_range_mw" in values:
        _clear(state, explicit, "demand_bdt", "capacity_range_mw", "capacity_mw")
    elif "demand_bdt" in values:
        _clear(state, explicit, "capacity_mw", "capacity_range_mw")
    for field, value in values.items():
        if field.startswith("_"):
            continue
        state[field] = {**state[field], **value} if field in _SHARES else value
        named.add(field)
    for name, value in draft.overrides.items():
        overrides[name] = value
        named.add(f"overrides.{name}")
    if draft.variants:
        compare = tuple(draft.variants)
        for field in draft.variants[0]:
            if field == "place":
                continue
            state[field] = getattr(_DEFAULTS, field)
            explicit.discard(field)
    intent = _settled_intent(draft, base, intent, state, named, bool(compare))
    if intent not in {"compare", "lookup"}:
        compare = ()
    if all(p.kind != "found" for p in state["locations"]):
        state["picked_from"] = None
    if intent == "pareto" and "weight number" not in draft.marks and "fire_weight" in named:
        # "the most fire benefit for 3 % more" sweeps every weight; only a number fixes one.
        state["fire_weight"] = start.fire_weight
        named.discard("fire_weight")
    settle_search(draft, intent, explicit, state, _DEFAULTS)
    named -= {f for f in SEARCH_FIELDS if intent != "search"}
    if intent != "pareto":
        state["max_extra_cost_pct"] = None
        explicit.discard("max_extra_cost_pct")
        named.discard("max_extra_cost_pct")
    if intent == "max_capacity" and "capacity_mw" not in named:
        _clear(state, explicit, "capacity_mw", "capacity_range_mw", "demand_bdt")
    if intent == "projection" and "years" not in named and state["years"] == 1:
        state["years"] = DEFAULT_YEARS
        draft.note(f"a projection without a length covers {DEFAULT_YEARS} years, the life of the plant")
    elif intent not in {"projection", "compare"} and "years" not in named:
        state["years"] = 1
        explicit.discard("years")
    if intent != "sensitivity":
        state |= {f: getattr(_DEFAULTS, f) for f in _SENSITIVITY_FIELDS}
    explicit |= {
        f for f in named if f not in {"max_cost_kind", "capacity_range_mw", "site_count", *_SENSITIVITY_FIELDS}
    }
    if "capacity_range_mw" in named:
        explicit.add("capacity_range_mw")
    silent = not (named or draft.resets or singles or draft.variants or "restored" in draft.marks)
    if base is not None and silent and intent == base.intent:
        draft.note("nothing was changed: name a field, for example a capacity, a radius or a place")
    return SitingQuery(
        question=draft.source.question,
        intent=intent,
        overrides=overrides,
        compare=compare,
        explicit=tuple(sorted(explicit)),
        notes=tuple(draft.notes),
        origins=_origins(draft, overrides, explicit, named, intent, base),
        **state,
    )


def _settled_intent(
    draft: Draft, base: SitingQuery | None, intent: str | None, state: dict[str, Any], named: set[str], varied: bool
) -> str:
    """Intent after what the turn changed, where it did not say one itself."""
    several = len(state["locations"]) > 1
    if draft.variants and intent in {None, "site"}:
        return "compare"
    if base is not None and joins_places(draft, base) and intent in {None, "site", "compare"}:
        return "compare"
    if intent is not None:
        if intent == "compare" and not varied and not several:
            return "site"
        return intent
    assert base is not None  # a first question always has an intent
    old = base.intent
    if old == "compare" and not varied and not several:
        return "site"
    if old == "max_capacity" and "capacity_mw" in named:
        return "site"
    if old == "lookup" and "capacity_mw" in named:
        return "site"
    if (
        old == "search"
        and "locations" in named
        and all(p.kind in {"place", "zip", "coordinates", "plant"} for p in state["locations"])
    ):
        return "site"
    if old == "pareto" and "fire_weight" in named:
        return "site"
    if old == "projection" and ("years" in draft.resets or (state["years"] == 1 and "years" in named)):
        return "site"
    if several and "locations" in named and old == "site":
        return "compare"
    return old


def _clear(state: dict[str, Any], explicit: set[str], *fields: str) -> None:
    for field in fields:
        state[field] = None
        explicit.discard(field)


def _reset(field: str, state: dict[str, Any], overrides: dict[str, float], explicit: set[str]) -> None:
    """Take one field back to its default."""
    if field == "overrides":
        overrides.clear()
        explicit -= {f for f in explicit if f.startswith("overrides.")}
        return
    if field.startswith("overrides."):
        overrides.pop(field.removeprefix("overrides."), None)
    elif field == "land_use":
        state[field] = DEFAULT_LAND_USE
    elif field in state:
        state[field] = getattr(_DEFAULTS, field)
    explicit.discard(field)


def _take_from(
    field: str, query: SitingQuery, state: dict[str, Any], overrides: dict[str, float], explicit: set[str]
) -> None:
    """Restore one field as an earlier turn had it."""
    if field.startswith("overrides."):
        name = field.removeprefix("overrides.")
        if name in query.overrides:
            overrides[name] = query.overrides[name]
        else:
            overrides.pop(name, None)
    elif field == "overrides":
        overrides.clear()
        overrides.update(query.overrides)
        explicit -= {f for f in explicit if f.startswith("overrides.")}
        explicit |= {f for f in query.explicit if f.startswith("overrides.")}
        return
    elif field in state:
        state[field] = getattr(query, field)
        if field == "max_cost_usd_per_bdt":
            state["max_cost_kind"] = query.max_cost_kind
    if field in query.explicit:
        explicit.add(field)
    else:
        explicit.discard(field)


def _origins(
    draft: Draft, overrides: dict[str, float], explicit: set[str], named: set[str], intent: str, base: SitingQuery | None,
) -> dict[str, Origin]:  # fmt: skip
    """Where every field came from."""
    out: dict[str, Origin] = {
        "intent": Origin(None, "carried" if base is not None and base.intent == intent else "user")
    }
    for field in (*_FIELDS, *(f"overrides.{name}" for name in overrides)):
        if field in named:
            span = draft.spans.get(field)
            out[field] = Origin(draft.source.span(*span) if span else None, "user")
        elif field in explicit:
            out[field] = Origin(None, "carried")
        else:
            out[field] = Origin(None, "default")
    if "compare" in draft.spans:
        out["compare"] = Origin(draft.source.span(*draft.spans["compare"]), "user")
    return out
