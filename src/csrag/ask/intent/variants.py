"""Variants to compare on something other than place: treatments, technologies, systems, capacities, radii, fire."""

from __future__ import annotations

import re

from csrag.ask.intent.draft import Draft
from csrag.ask.intent.rule import Rule
from csrag.ask.records import TECHNOLOGIES, TREATMENTS, SitingQuery

_ASKED = Rule(
    r"\b(?:compar\w*|versus|vs|side[ -]by[ -]side|contrast|head[ -]to[ -]head|cheaper|better|cheapest|dearer|costlier|"
    r"which|difference between|rank|stack(?:s|ed)? up|or|lado a lado|mas barat[ao]|mejor|with and without|each of|both|table|"
    r"against|"
    r"cual)\b"
)
_LISTED = Rule(r"\b(?:side[ -]by[ -]side|each|both|compar\w*|versus|vs|lado a lado|respectively)\b")
_WITH_WITHOUT = Rule(
    r"\bwith and without (?:the |any )?(?:weight(?:ing)? on )?(?:wild)?fire\b|\bwith or without (?:the )?(?:wild)?fire\b"
)
_PRONOUN = Rule(
    r"\bcompar\w* (?:it|this|that|them|these|to|with|against|both)\b|\b(?:versus|vs\.?|against)\b|\bhow does (?:it|"
    r"that|this) compare\b|\b(?:that|it|this|there|the (?:first|current|present|old) one),? or\b|\bor (?:that|this|it|"
    r"there)\b|\bstack up\b|\bnext to\b|\bside by side\b"
)
_FIELDS = (
    ("_treatments", "treatment"),
    ("_technologies", "technology"),
    ("_systems", "system"),
    ("_capacities", "capacity_mw"),
    ("_radii", "radius_km"),
    ("_fire_weights", "fire_weight"),
    ("_owners", "land_use"),
    ("_selections", "selection"),
    ("_transports", "transport"),
)


_WHICH = Rule(
    r"\b(?:which|what|cual|best|cheapest) (?:harvest(?:ing)? |logging |conversion )?"
    r"(?:(?P<treatment>treatment|tratamiento)|(?P<technology>technology)|(?P<system>system))s? "
    r"(?:is|are|would|gives?|has|costs?|should|es|works?|comes?|for|at|in|near|around|to use|makes?|wins?|en|para)\b|"
    r"\b(?:compare|rank) (?:all )?(?:the )?(?:(?:eleven|11|three|different|harvesting|logging) )*"
    r"(?:(?P<t2>treatments)|(?P<n2>technologies)|(?P<s2>systems))\b"
)
_ALL_OF: dict[str, tuple[str, ...]] = {
    "treatment": TREATMENTS,
    "technology": TECHNOLOGIES,
    "system": ("ground", "cable", "helicopter"),
}


def read_variants(draft: Draft, base: SitingQuery | None) -> None:
    """Fill `draft.variants` and take the compared field back to its default."""
    text = draft.source.text
    if "pairs" in draft.marks:
        return
    if m := _WITH_WITHOUT.search(text):
        weight = draft.values.pop("fire_weight", 0.0) or 0.2
        draft.spans.pop("fire_weight", None)
        draft.variants = [{"fire_weight": 0.0}, {"fire_weight": weight}]
        draft.spans["compare"] = m.span()
    asked = _ASKED.search(text)
    for key, field in _FIELDS:
        options = draft.values.pop(key, None)
        span = draft.spans.pop(key, None)
        apart = draft.values.pop("_capacities_apart", None) if field == "capacity_mw" else None
        if options is None and apart and _LISTED.search(text):
            options = apart
            span = draft.spans.get(field)
        if options is None:
            continue
        # A list of capacities is a comparison even without the word; other lists need one.
        counted = key == "_treatments" and "stock" in draft.marks
        if draft.variants or not (asked or counted or key in {"_capacities", "_fire_weights", "_owners"}):
            draft.note(f"several values of {field} were named; {draft.values.get(field)} is used")
            continue
        draft.variants = [{field: v} for v in options]
        draft.spans["compare"] = span or (0, 0)
        draft.values.pop(field, None)
        draft.spans.pop(field, None)
        draft.notes = [n for n in draft.notes if not n.startswith("two capacities")]
    if not draft.variants and (m := _WHICH.search(text)):
        field = "treatment" if m["treatment"] or m["t2"] else "technology" if m["technology"] or m["n2"] else "system"
        if field not in draft.values:
            draft.variants = [{field: v} for v in _ALL_OF[field]]
            draft.spans["compare"] = m.span()
    if base is not None and not draft.variants and _PRONOUN.search(text) and not draft.locations:
        _against_the_earlier(draft, base)


def _against_the_earlier(draft: Draft, base: SitingQuery) -> None:
    """ "compare it with a gasifier": the earlier value beside the new one."""
    for field in ("technology", "treatment", "system", "capacity_mw", "radius_km", "fire_weight"):
        if field in draft.values:
            old, new = getattr(base, field), draft.values.pop(field)
            span = draft.spans.pop(field)
            if field == "capacity_mw" and old is None:
                old = 25.0
            if old is None or old == new:
                draft.put(field, new, *span)
                continue
            draft.variants = [{field: old}, {field: new}]
            draft.spans["compare"] = span
            return


def joins_places(draft: Draft, base: SitingQuery | None) -> bool:
    """Whether the turn's places stand beside the earlier ones ("compare it with Oroville", "add Chester")."""
    if base is None or not base.locations or not draft.locations:
        return False
    text = draft.source.text
    if re.search(r"\b(?:instead|rather than|move it|relocate)\b", text) and not re.search(r"\bcompar", text):
        return False
    if _PRONOUN.search(text) and (len(draft.locations) == 1 or re.search(r"\b(?:it|this|that|them|these)\b", text)):
        return True
    if len(base.locations) > 1 and base.intent == "compare":
        return bool(
            re.search(r"\b(?:add|also|too|as well|plus|include|along with)\b", text)
            or re.match(r"^\W*(?:and|what about|how about)\b", text)
        )
    return bool(re.match(r"^\W*(?:add|include|put)\b", text))
