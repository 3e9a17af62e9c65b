"""Wording of what several calls of tools computed: each value stands with its label and with the call it belongs to."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from csrag.ask.language.prose import REFERENCE, SENTENCE, check_wording
from csrag.ask.language.writing import Wording
from csrag.ask.results import Fact

DIFFERENCES = (
    "average_delivered_cost",
    "last_ton_cost",
    "lcoe_current",
    "demand_bdt",
    "radius_needed_km",
    "max_capacity_mw",
)
"""Values whose difference between two calls is offered."""
SUMS = ("demand_bdt", "demand_gt", "generation_mwh")
"""Values that add up over two plants whatever their circles share."""
WORDED = (
    "radius_needed_km", "max_capacity_mw", "average_delivered_cost", "last_ton_cost", "lcoe_current", "lcoe_constant", "demand_bdt",
    "demand_gt", "generation_mwh", "projection_last_cost", "life_average_delivered_cost", "average_harvest_cost",
    "average_haul_cost", "radius_km", "feedstock_available_bdt", "candidate_clusters", "mean_burn_probability",
    "fuel_bill_usd_per_year", "obtainable_bdt", "largest_capacity_mw", "truck_loads", "selected_clusters",
    "feedstock_selected_bdt", "capital_usd", "unloading_cost", "move_in_cost", "cheapest_ton_cost",
)  # fmt: skip
"""Values that the words beside them tell apart, the likeliest to be asked for first; a text may refer to no other."""
_CALLED = {
    "radius_needed_km": r"need\w*|smallest|necessary", "max_capacity_mw": r"largest|biggest|maximum",
    "largest_capacity_mw": r"largest|biggest|maximum", "obtainable_bdt": r"obtainable", "capital_usd": r"capital",
}  # fmt: skip
"""Words that must stand beside a value, besides those of `check_wording`."""
_MAX_PER_CALL = 12
_MAX_GIVEN = 4
_INSTRUCTIONS = (
    "You write a short plain-English answer from values that several calls of a tool computed. You do not see the numbers. Where a "
    "value belongs, write its id in double braces, like {{id}}: number and unit are put there for you, so write no unit next to it. "
    "In the same sentence, before the value, write the call it belongs to, like <<call_1>>: it becomes the place and the plant. Name "
    "each value in the same clause by the words of its label. Write no digit, number word, place name, percentage, comparison, "
    "negation or list. Every sentence states a value; say at least one value of every call. One short paragraph, plain sentences, "
    "no headings."
)
_CALL = re.compile(r"<<call_([1-8])>>")
_ID = re.compile(r"^(?:call_(\d)|(diff|sum)_(\d)_(\d))_")
_CLAUSE = re.compile(r"[.;:!?,()\n]|\b(?:and|while|whereas|but|with|versus|vs|against)\b")
_WORDS = {"diff": r"\b(?:differ\w*|gap|apart)\b", "sum": r"\b(?:together|combined|jointly|sum|added)\b"}


@dataclass(frozen=True)
class CallFacts:
    """What one call gave.

    Parameters
    ----------
    number : int
        Of the call, from 1.
    place : str
        Name of its place; empty where it has none.
    given : mapping of str to Fact
        Numbers it was called with.
    values : mapping of str to Fact
        What it computed, by the ids of `csrag.values`.
    """

    number: int
    place: str
    given: Mapping[str, Fact]
    values: Mapping[str, Fact]

    def facts(self) -> dict[str, Fact]:
        """All of it under ids of its own, labelled with the call."""
        tag = f"call {self.number}" + (f", {self.place}" if self.place else "")
        out = {f"call_{self.number}_given_{i}": replace(f, label=f"{f.label} ({tag})") for i, f in self.given.items()}
        return out | {f"call_{self.number}_{i}": replace(f, label=f"{f.label} ({tag})") for i, f in self.values.items()}

    def offered(self) -> dict[str, Fact]:
        """What a text may refer to."""
        own = {i: self.values[i] for i in WORDED if i in self.values}
        there = {f"call_{self.number}_{i}": f for i, f in own.items() if f.value is not None}
        return dict(list(there.items())[:_MAX_PER_CALL])

    def described(self) -> str:
        """The call as the text names it, over references."""
        given = [f"{{{{call_{self.number}_given_{i}}}}}" for i in list(self.given)[:_MAX_GIVEN]]
        where = f"<<place_{chr(96 + self.number)}>>" if self.place else "the plant"
        return where + (f" ({', '.join(given)})" if given else "")


def between(calls: Sequence[CallFacts]) -> dict[str, Fact]:
    """Differences and sums of two calls, computed here so that no text has to; the difference is without its sign."""
    out: dict[str, Fact] = {}
    for n, one in enumerate(calls):
        for other in calls[n + 1 :]:
            pair = f"{one.number}_{other.number}"
            for i in dict.fromkeys((*DIFFERENCES, *SUMS)):
                a, b = one.values.get(i), other.values.get(i)
                if (
                    a is None
                    or b is None
                    or not isinstance(a.value, (int, float))
                    or not isinstance(b.value, (int, float))
                ):
                    continue
                of = f"of calls {one.number} and {other.number}"
                if i in DIFFERENCES:
                    out[f"diff_{pair}_{i}"] = Fact(
                        abs(b.value - a.value), a.unit, f"difference in {a.label} {of}", "computed"
                    )
                if i in SUMS:
                    out[f"sum_{pair}_{i}"] = Fact(a.value + b.value, a.unit, f"{a.label} together, {of}", "computed")
    return out


def base_id(value_id: str) -> str:
    """The id under which `csrag.values` knows a value of a call."""
    return _ID.sub("", value_id)


def plan_wording(calls: Sequence[CallFacts]) -> Wording:
    """What a model is to word of some calls.

    Parameters
    ----------
    calls : sequence of CallFacts
        Those that computed something.
    """
    offered = {i: f for call in calls for i, f in call.offered().items()} | between(calls)
    facts = offered | {i: f for call in calls for i, f in call.facts().items() if "_given_" in i}
    values = [{"id": i, "label": f.label, "unit": f.unit} for i, f in offered.items()]
    described = {str(call.number): call.described() for call in calls}
    names = {f"place_{chr(96 + call.number)}": call.place for call in calls if call.place}
    said = {call.number: set(call.offered()) for call in calls}

    def check(text: str) -> list[str]:
        return check_calls(text, offered, {call.place for call in calls if call.place}, set(described))

    def missing(text: str) -> list[str]:
        ids = set(REFERENCE.findall(text))
        pairs = {n for i in ids if (m := _ID.match(i)) and m[2] for n in (int(m[3]), int(m[4]))}
        return [f"call_{n} is missing" for n, own in said.items() if n not in pairs and not ids & own]

    return Wording(
        _INSTRUCTIONS, json.dumps({"calls": [f"<<call_{n}>>" for n in described], "values": values}), facts, names, check, missing,
        lambda text: _CALL.sub(lambda m: described[m[1]], text),
    )  # fmt: skip


def check_calls(text: str, offered: Mapping[str, Fact], places: set[str], known: set[str]) -> list[str]:
    """What is wrong with a wording: labels as for one site, and every value with the call it belongs to.

    Parameters
    ----------
    text : str
        Wording with references.
    offered : mapping of str to Fact
        Values that may be referred to.
    places : set of str
        Names of the calls' places; the wording may not hold one itself.
    known : set of str
        Numbers of the calls.
    """
    wrong = check_wording(text, offered, base_id)
    wrong += [f"unknown call_{n}" for n in _CALL.findall(text) if n not in known]
    if any(re.search(rf"\b{re.escape(place)}\b", text, re.IGNORECASE) for place in places):
        wrong.append("a place name in the wording")
    return wrong or [w for sentence in SENTENCE.split(text) for w in _belongs(sentence)]


def _belongs(sentence: str) -> list[str]:
    wrong: list[str] = []
    everyone, now = set(_CALL.findall(sentence)), set[str]()
    for clause in _CLAUSE.split(sentence):
        now = set(_CALL.findall(clause)) or now
        for value_id in REFERENCE.findall(clause):
            found, called = _ID.match(value_id), _CALLED.get(base_id(value_id))
            if called and not re.search(rf"\b(?:{called})\b", clause.lower()):
                wrong.append(f"{value_id} stands without the words of its label")
            if found is None:
                wrong.append(f"{value_id} belongs to no call")
            elif found[2]:
                if not {found[3], found[4]} <= everyone or not re.search(_WORDS[found[2]], clause.lower()):
                    wrong.append(f"{value_id} stands without both its calls or without saying that it is a {found[2]}")
            elif now != {found[1]}:
                wrong.append(f"{value_id} stands with another call than <<call_{found[1]}>>, or with none")
            elif any(re.search(pattern, clause.lower()) for pattern in _WORDS.values()):
                wrong.append(f"{value_id} is neither a difference nor a sum")
    return wrong
