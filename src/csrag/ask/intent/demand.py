"""Fuel demand: what a mill or plant takes in a year, on any basis, as BDT."""

from __future__ import annotations

import re

from csrag.ask.intent.amounts import Amount
from csrag.ask.intent.draft import Draft, number
from csrag.ask.intent.rule import Rule
from csrag.quantities import gt_to_bdt

DEFAULT_MOISTURE_PCT = 50.0
PER_YEAR = {"": 1, "year": 1, "month": 12, "week": 52, "day": 365}
_TAKES = Rule(
    r"\b(?:needs?|needed|needing|uses?|using|consum(?:e|es|ing|ption)|takes?|taking|burns?|burning|requir(?:e|es|ing|ed|ement)|"
    r"demands?|suppl(?:y|ies|ying)|deliver(?:s|ed|y|ing)?|feed(?:s|ing)?|procur(?:e|es|ing|ement)|buy(?:s|ing)?|sourc(?:e|es|"
    r"ing)|haul(?:s|ing)?|intake|receiv(?:e|es|ing)|process(?:es|ing)?|secur(?:e|ing)|purchas(?:e|es|ing)|get(?:ting)?|"
    r"want(?:s)?|bring(?:ing)?|for|necesita|consume|suministrar|entregar|of)\b"
)
_NOT_DEMAND = Rule(
    r"\b(?:burned|destroyed|left|lost|grows?|produces?|generates?|yields?|there (?:are|is|were)|available|stand(?:s|"
    r"ing)? (?:on|in)|produced|removed|last year|in (?:19|20)\d\d|used to|formerly|surplus|emits?|sequester)\b"
)


_CONTRACTED_BEFORE = Rule(
    r"\b(?:contract(?:s|ed)?(?: (?:for|of|on|covering|totall?ing))*|already (?:have|has|hold|holds|get|buy|secured?|committed|"
    r"signed|booked|under contract)|(?:signed|locked|lined|sewn)(?: up| in| for)*|secured|committed(?: to us)?|"
    r"on (?:the )?books|on top of|in addition to|beyond|besides|existing supply(?: of)?|contratad[oa]s?)(?: (?:the|our|about|"
    r"some|another|for|of|up|with|a))* ?$"
)
_CONTRACTED_AFTER = Rule(
    r"^,?(?: (?:a|per|each) (?:year|yr)|/ ?(?:yr|year)|yearly|annually)?(?: (?:of|that|which|we|is|are|it|they|fuel|wood|chips|"
    r"biomass|supply|feedstock|already|have|has|now|currently|been|were|a|year|per|worth))* (?:under (?:a )?contracts?|"
    r"contracted|on contract|by contract|committed|secured|locked (?:in|up)|signed(?: up)?|lined up|already have|bajo contrato|"
    r"contratad[oa]s)\b"
)
_HAVE_ALREADY = Rule(r"\b(?:has|have|hold|holds|got|with)(?: about| some)? $")
_AT_PCT = Rule(r"[^\d;?!]{0,28}\b(?:at|with|@) ?(?:about )?")


def read_demand(draft: Draft) -> None:
    """Set `demand_bdt`; green tons wait in `_demand_gt` for the moisture (see `settle_demand`)."""
    source = draft.source
    candidates: list[Amount] = []
    for a in draft.of_unit("bdt", "gt"):
        low, high = source.sentence(a.start)
        sentence = source.masked[low:high]
        taken = bool(_TAKES.search(sentence))
        if _NOT_DEMAND.search(source.masked[max(low, a.start - 60) : min(high, a.end + 30)]) and not re.search(
            r"\b(?:needs?|takes?|consumes?|uses?)\b", sentence
        ):
            continue
        before, after = source.masked[max(low, a.start - 48) : a.start], source.masked[a.end : min(high, a.end + 70)]
        already = _HAVE_ALREADY.search(before) and re.match(r"[^.;?!]{0,40}?\balready\b", after)
        if _CONTRACTED_BEFORE.search(before) or _CONTRACTED_AFTER.match(after) or already:
            _contracted(draft, a)
            continue
        if a.per or taken or len(source.text) < 60:
            candidates.append(a)
    if not candidates:
        return
    chosen = max(candidates, key=lambda a: (bool(a.per), a.start))
    for a in candidates:
        draft.use(a)
    value = chosen.value * PER_YEAR[chosen.per]
    if len({a.value for a in candidates}) > 1:
        draft.note(f"two demands were named; {number(chosen.said)} {chosen.label} is used")
    if chosen.per in {"day", "week", "month"}:
        draft.note(f"{number(chosen.said)} {chosen.label} a {chosen.per} = {number(value)} a year")
    if chosen.bare:
        basis = "bone-dry short tons (BDT)" if chosen.label == "tons" else "bone-dry metric tonnes"
        draft.note(f'"{chosen.label}" without a basis is read as {basis}')
    if chosen.unit == "gt":
        # "green tons a week at 50 %": a percentage right behind green tons is their moisture.
        for a in draft.of_unit("pct"):
            behind = draft.source.masked[chosen.end : a.start]
            if "moisture_pct" not in draft.overrides and _AT_PCT.fullmatch(behind):
                draft.put_override("moisture_pct", a.value, a.start, a.end)
                draft.use(a)
        draft.values["_demand_gt"] = value
        draft.spans["_demand_gt"] = (chosen.start, chosen.end)
        return
    if chosen.label not in {"BDT", "tons"}:
        draft.note(f"{number(chosen.said)} {chosen.label} = {number(chosen.value)} BDT")
    draft.put("demand_bdt", value, chosen.start, chosen.end)


def _contracted(draft: Draft, a: Amount) -> None:
    """Wood that is bought already is not what the plant needs: it is said, and left to a question of its own."""
    draft.use(a)
    said = f"{number(a.said)} {a.label}"
    draft.note(
        f"{said} under contract is wood that is bought already, not the demand: the whole demand is costed from the forest. "
        f"For what more would cost, ask for the tons that are still missing, or for a supply curve"
    )


def settle_demand(draft: Draft, moisture_pct: float | None) -> None:
    """Turn green tons into BDT at the question's moisture, or at 50 % where it names none."""
    gt = draft.values.pop("_demand_gt", None)
    if gt is None:
        return
    start, end = draft.spans.pop("_demand_gt")
    used = DEFAULT_MOISTURE_PCT if moisture_pct is None else moisture_pct
    value = gt_to_bdt(gt, min(max(used, 0.0), 99.0))
    said = "" if moisture_pct is not None else " (the default)"
    draft.note(f"{number(gt)} green tons at {number(used)} % moisture{said} = {number(value)} BDT")
    draft.put("demand_bdt", value, start, end)
