"""Stage 1: a question, and the questions before it, to a `SitingQuery`. No model, no file but the gazetteer's."""

from __future__ import annotations

from collections.abc import Sequence

from csrag.ask.intent.amounts import find_amounts
from csrag.ask.intent.assembly import assembled
from csrag.ask.intent.capacity import read_capacity
from csrag.ask.intent.credits import read_credits
from csrag.ask.intent.demand import read_demand, settle_demand
from csrag.ask.intent.draft import Draft
from csrag.ask.intent.fire import read_fire_weight, read_min_burn, read_weight_numbers
from csrag.ask.intent.followup import read_bare_values, read_takebacks, restored
from csrag.ask.intent.guard import set_aside
from csrag.ask.intent.land import read_land
from csrag.ask.intent.locations import read_locations
from csrag.ask.intent.methods import read_methods
from csrag.ask.intent.money import read_money, settle_cap
from csrag.ask.intent.overrides import read_overrides
from csrag.ask.intent.pairs import read_pairs
from csrag.ask.intent.picks import picked
from csrag.ask.intent.projection import read_projection
from csrag.ask.intent.purpose import mark_purpose, read_purpose, speaks_of_domain
from csrag.ask.intent.radius import read_radius
from csrag.ask.intent.ranges import name_parameters, read_ranges
from csrag.ask.intent.search import read_search
from csrag.ask.intent.supply_rules import read_supply_rules
from csrag.ask.intent.tariff import read_tariff, settle_subsidy
from csrag.ask.intent.terrain import read_slope
from csrag.ask.intent.text import Source
from csrag.ask.intent.tradeoff import read_tradeoff
from csrag.ask.intent.treatment import read_treatment
from csrag.ask.intent.unread import note_capacity, note_fire_around, note_money, note_unread
from csrag.ask.intent.variants import read_variants
from csrag.ask.intent.years import read_years
from csrag.ask.records import SitingQuery

_ASIDE = frozenset({"methodology", "out_of_scope", "command"})
"""Intents that leave the question at hand as it was."""
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
    if base is not None:
        draft.marks.add("follows")
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
    return assembled(draft, base, intent, singles)


def _read_fields(draft: Draft, base: SitingQuery | None, kept: list[SitingQuery]) -> None:
    """All field rules, in the order in which they may take words from each other."""
    carried = dict(base.overrides) if base is not None else {}
    if base is not None and base.capacity_mw is not None:
        draft.values["_carried_capacity_mw"] = base.capacity_mw
    read_locations(draft)
    read_supply_rules(draft)
    read_search(draft, base)
    read_tradeoff(draft, base)
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
    read_pairs(draft)
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
