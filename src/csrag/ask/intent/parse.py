"""Stage 1: a question, and the questions before it, to a `SitingQuery`. No model, no file but the gazetteer's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from csrag.ask.intent.amounts import find_amounts
from csrag.ask.intent.capacity import read_capacity
from csrag.ask.intent.credits import read_credits
from csrag.ask.intent.demand import read_demand, settle_demand
from csrag.ask.intent.draft import Draft
from csrag.ask.intent.fire import read_fire_weight, read_min_burn, read_weight_numbers
from csrag.ask.intent.followup import picked, read_bare_values, read_takebacks, restored
from csrag.ask.intent.guard import set_aside
from csrag.ask.intent.land import apply_land, read_land
from csrag.ask.intent.locations import read_locations
from csrag.ask.intent.methods import read_methods
from csrag.ask.intent.money import read_money, settle_cap
from csrag.ask.intent.overrides import read_overrides
from csrag.ask.intent.projection import read_projection
from csrag.ask.intent.purpose import mark_purpose, read_purpose, speaks_of_domain
from csrag.ask.intent.radius import read_radius
from csrag.ask.intent.ranges import name_parameters, read_ranges
from csrag.ask.intent.tariff import read_tariff, settle_subsidy
from csrag.ask.intent.terrain import read_slope
from csrag.ask.intent.text import Source
from csrag.ask.intent.treatment import read_treatment
from csrag.ask.intent.unread import note_capacity, note_fire_around, note_money, note_unread
from csrag.ask.intent.variants import joins_places, read_variants
from csrag.ask.intent.years import DEFAULT_YEARS, read_years
from csrag.ask.records import DEFAULT_LAND_USE, Origin, SitingQuery

_ASIDE = frozenset({"methodology", "out_of_scope", "command"})
"""Intents that leave the question at hand as it was."""
_DEFAULTS = SitingQuery()
_FIELDS = (
    "locations", "capacity_mw", "capacity_range_mw", "demand_bdt", "technology", "treatment", "system", "radius_km",
    "fire_weight", "max_cost_usd_per_bdt", "budget_usd_per_year", "land_use", "max_slope_pct", "min_burn_probability",
    "years", "transport", "selection", "feedstock", "availability", "reentry_years", "burn_loss_pct", "other_plants",
    "line_km", "line_to_substation", "include_lcfs", "power_price_usd_per_mwh", "price_escalation_pct", "subsidy_usd_per_bdt",
    "tornado_parameters", "sweep", "sensitivity_pct",
)  # fmt: skip
_SENSITIVITY_FIELDS = ("tornado_parameters", "sweep", "sensitivity_pct")
"""Part of what a sensitivity asks; they go when the intent does."""
_EMPTY_NOTE = "ask about a site, for example: delivered cost for a 20 MW plant at Quincy"


def parse(question: str, earlier: Sequence[str] = ()) -> SitingQuery:
    """Query record of a question.

    Parameters
    ----------
    question : str
        The question, in English or Spanish.
    earlier : sequence of str
        The questions asked before it, oldest first. Each turn changes only what it names.

    Returns
    -------
    SitingQuery
        Every default filled in; `explicit` names what the user set, `origins` where each field came from, `notes` what
        was repaired or assumed. Never raises on any text; a question without a subject has intent out_of_scope.
    """
    history: list[SitingQuery] = []
    for turn in (*earlier, question):
        history.append(_turn(turn, history))
    return history[-1]


def _turn(question: str, history: list[SitingQuery]) -> SitingQuery:
    """One turn on top of the ones before it."""
    kept = [q for q in history if q.intent not in _ASIDE]
    source = Source(question)
    set_aside(source)
    draft = Draft(source, notes=list(source.notes))
    base: SitingQuery | None = kept[-1] if kept else None
    mark_purpose(draft)
    back, singles = restored(draft, kept)
    if "restart" in draft.marks:
        base, kept = None, []
    elif back is not None:
        base = back
    elif base is not None and (choice := picked(draft, base, kept)) is not None:
        base = choice
    if kept:
        read_takebacks(draft)
    _read_fields(draft, base, kept)
    intent = read_purpose(draft, follows=base is not None)
    silent = not any(c.isalnum() for c in source.text)
    if silent or (base is None and intent not in _ASIDE and not speaks_of_domain(draft)):
        intent = "out_of_scope"
        draft.note(_EMPTY_NOTE)
    elif intent == "out_of_scope":
        draft.note("this is outside what csrag answers: where to site a forest-biomass plant and what its fuel costs")
    if intent in _ASIDE:
        # The numbers are the subject of the question, not wishes.
        draft.values, draft.overrides, draft.variants, draft.resets = {}, {}, [], []
        draft.spans = {k: v for k, v in draft.spans.items() if k == "locations"}
        if base is not None or intent == "command":
            draft.locations = []
    return _assembled(draft, base, intent, singles)


def _read_fields(draft: Draft, base: SitingQuery | None, kept: list[SitingQuery]) -> None:
    """All field rules, in the order in which they may take words from each other."""
    carried = dict(base.overrides) if base is not None else {}
    if base is not None and base.capacity_mw is not None:
        draft.values["_carried_capacity_mw"] = base.capacity_mw
    read_locations(draft)
    read_treatment(draft)
    read_methods(draft)
    read_weight_numbers(draft)
    draft.amounts = find_amounts(draft.source)
    if draft.of_unit("mw"):
        draft.marks.add("power named")
    note_unread(draft)
    read_credits(draft)
    read_tariff(draft)
    read_projection(draft, follows=base is not None)
    read_min_burn(draft)
    read_fire_weight(draft)
    note_fire_around(draft)
    read_slope(draft)
    read_land(draft)
    read_capacity(draft)
    read_ranges(draft)
    read_overrides(draft, carried)
    name_parameters(draft)
    read_demand(draft)
    read_money(draft)
    read_years(draft)
    read_radius(draft)
    read_bare_values(draft, kept)
    note_capacity(draft)
    note_money(draft)
    draft.values.pop("_carried_capacity_mw", None)
    moisture = draft.overrides.get("moisture_pct", carried.get("moisture_pct"))
    settle_demand(draft, moisture)
    settle_cap(draft, moisture)
    settle_subsidy(draft, moisture)
    read_variants(draft, base)


def _assembled(
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
        state[field] = value
        named.add(field)
    for name, value in draft.overrides.items():
        overrides[name] = value
        named.add(f"overrides.{name}")
    if draft.variants:
        compare = tuple(draft.variants)
        for field in draft.variants[0]:
            state[field] = getattr(_DEFAULTS, field)
            explicit.discard(field)
    intent = _settled_intent(draft, base, intent, state, named, bool(compare))
    if intent != "compare":
        compare = ()
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
    explicit |= {f for f in named if f not in {"max_cost_kind", "capacity_range_mw", *_SENSITIVITY_FIELDS}}
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
