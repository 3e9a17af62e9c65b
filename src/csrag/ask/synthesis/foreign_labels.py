"""What the words around a number say it is, and whether a value can be meant by them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

_SENTENCE = re.compile(r"(?<=[.!?])(?=\s)|\n\s*\n")
_CLAUSE = re.compile(r"[;:()]|,(?!\d)|\b(?:and|while|whereas|but|with|versus|vs)\b|(?=\bagainst\b)|(?=\bcompared\b)")


WINDOW = 300
"""How far a sentence is followed to either side of a number [characters]."""


@dataclass(frozen=True)
class _Group:
    """Meanings that exclude each other: words that say one, and the value ids that have it.

    `sentence`: the words count from anywhere before the number in its sentence, not only from its clause.
    """

    words: dict[str, str]
    values: dict[str, str]
    sentence: bool = False
    bracket: bool = True


_GROUPS = tuple(
    _Group({k: rf"\b(?:{w})\b" for k, w in words.items()}, values, sentence, bracket)
    for words, values, sentence, bracket in (
        (
            {"average": "averages?|averaged|averaging|mean", "last": "last tons?|dearest|marginal|demand ends|most expensive",
             "cheapest": "cheapest (?:cluster|ton)|lowest-cost|least expensive"},
            {"average": r"(?:life_|pool_|obtainable_|cost_only_)?average_(?:delivered|harvest|haul|cost).*|range_\w+_average_.*",
             "last": "last_ton_cost", "cheapest": "cheapest_ton_cost"}, False, True,
        ),
        (
            {"harvest": r"harvest\w*|felling|logging", "haul": "haul|haulage|hauling|trucking", "unloading": "unloading",
             "move-in": "move-?in|mobili[sz]ation", "delivered": "delivered"},
            {"harvest": "average_harvest_cost.*|harvest_cost_usd_per_gt", "haul": "average_haul_cost", "unloading": "unloading_cost",
             "move-in": "move_in_cost", "delivered": ".*delivered_cost.*"}, False, True,
        ),
        (
            {"current": "current|nominal", "constant": "constant|real"},
            {"current": "lcoe_.*current|lcoe_current", "constant": "lcoe_.*constant|lcoe_constant"}, False, False,
        ),
        (
            {"baseline": "against|cost-only|baseline|otherwise"},
            {"taken": "mean_burn_probability|burn_chance_20_years_pct", "baseline": "baseline_burn.*"}, False, False,
        ),
        (
            {"candidates": "taken from|candidates?|available|to choose from|out of", "taken": "comes? from|selected|chosen|picked",
             "demand": "burns?|needs?|needed|demand|requires?"},
            {"candidates": "candidate_clusters|feedstock_available_bdt", "taken": "selected_clusters|feedstock_selected_bdt",
             "demand": "demand_(?:bdt|gt|bdmt)"}, True, True,
        ),
        (
            {"pool": "all candidates|whole pool|all of the pool", "taken": "tons taken|taken"},
            {"pool": "main_system_pool_pct", "taken": "main_system_pct"}, False, True,
        ),
        (
            {"radius": "within|radius|circle|reach", "road": "road|roads|one way|haul|drive|driving"},
            {"radius": ".*radius.*", "road": "mean_road_.*"}, False, True,
        ),
        (
            {"life": "life|lifetime|life-?time|long run", "last": "last year(?: supplied)?|final year",
             "first": "(?<!dollars of )year one|first year|today"},
            {"life": "life_average.*|life_net.*", "last": "life_last_year.*",
             "first": "average_(?:delivered|harvest|haul)_cost.*|last_ton_cost|unloading_cost|move_in_cost"}, True, True,
        ),
    )
)  # fmt: skip

_MARKS = (
    (r"last_ton_cost", r"last ton|dearest|marginal|demand ends|most expensive|costliest|highest"),
    (r"lcoe_.*constant", r"constant|real"),
    (r"baseline_burn.*", r"against|cost-only|baseline|otherwise|cheapest"),
    (r"cost_only_.*", r"cost-only|without|cheapest|otherwise"),
    (r"(?:life_(?:average|last|net|radius|acres|coverage)).*", r"life|lifetime|last year|final year|long run|over the years"),
    (r"projection_last.*|projection_radius.*", r"project\w*|final year|last year"),
    (r"obtainable_.*", r"there|had|obtain\w*|under|within|supports?|fits|that much"),
    (r"largest_capacity_mw|max_capacity_mw", r"enough|largest|biggest|at most|maximum|up to|running|supports?|supported|than"),
    (r"range_low_.*|range_high_.*", r"range|low\w*|high\w*|at"),
    (r"lcoe_with_.*|net_delivered_cost|life_net_.*|lcoe_change_by_.*", r"subsid\w*|credit|less"),
    (r"coproduct_.*", r"saw ?logs?|logs|timber|sawtimber"),
    (r"lcoe_without_line.*", r"without"),
    (r"subsidy_to_break_even.*|break_even.*", r"break\w*"),
)  # fmt: skip
"""Values that are told wrongly if nothing near them says what they are: id, and words of which one has to stand there."""
_MARK_FORMS = tuple((re.compile(ids), re.compile(rf"\b(?:{words})\b")) for ids, words in _MARKS)


@dataclass(frozen=True)
class Place:
    """Where a number stands in its sentence.

    Parameters
    ----------
    text : str
        Plain text.
    start, end : int
        The number with its unit.
    others : tuple of (int, int)
        The numbers around it, itself included.
    """

    text: str
    start: int
    end: int
    others: tuple[tuple[int, int], ...]

    @cached_property
    def sentence(self) -> tuple[int, int]:
        """The sentence around it."""
        low, high = max(0, self.start - WINDOW), min(len(self.text), self.end + WINDOW)
        for m in _SENTENCE.finditer(self.text, low, high):
            if m.start() <= self.start:
                low = m.end()
            elif m.start() >= self.end:
                high = m.start()
                break
        return low, high

    @cached_property
    def clauses(self) -> tuple[list[tuple[int, int]], int]:
        """Clauses of the sentence, and which of them holds the number."""
        low, high = self.sentence
        cuts = [
            m for m in _CLAUSE.finditer(self.text, low, high) if not any(a <= m.start() < b for a, b in self.others)
        ]
        cuts = [m for m in cuts if not self.start <= m.start() < self.end]
        edges = [low, *(m.start() for m in cuts), high]
        spans = list(pairwise(edges))
        here = next(k for k, (a, b) in enumerate(spans) if a <= self.start < b or k == len(spans) - 1)
        return spans, here

    def _numbers_in(self, a: int, b: int) -> int:
        return sum(a <= s < b for s, _ in self.others)


def contradicts(value_id: str, place: Place) -> str:
    """Why a value cannot be what the words call the number; empty where it can.

    Parameters
    ----------
    value_id : str
        Id of a value that agrees in figure and unit.
    place : Place
        Where the number stands.
    """
    for group in _GROUPS:
        own = next((k for k, ids in group.values.items() if re.fullmatch(ids, value_id)), None)
        if own is None:
            continue
        said = _said(group, place)
        if said is not None and said != own:
            return f"the words say {said}, the value is the {own} one"
    low, high = place.sentence
    for ids, words in _MARK_FORMS:
        if ids.fullmatch(value_id) and not words.search(place.text, low, high):
            return "nothing beside it says so"
    return ""


def _said(group: _Group, place: Place) -> str | None:
    """Which meaning of a group the words give: nearest before the number in its clause, else after it, else further off."""
    spans, here = place.clauses
    a, b = spans[here]
    nearest = _last(group, place.text, a, place.start) or _first(group, place.text, place.end, b)
    if nearest or group.sentence:
        return nearest or _last(group, place.text, spans[0][0], a)
    if here + 1 < len(spans) and place._numbers_in(*spans[here + 1]) == 0:
        after = _first(group, place.text, *spans[here + 1])
        if after and place._numbers_in(a, b) == 1:
            return after
    if place.text[a] == "(" and group.bracket and here > 0:
        before, around = spans[here - 1]
        return _last(group, place.text, before, around)
    if here > 0 and all(place._numbers_in(*s) == 0 for s in spans[:here]):
        return _last(group, place.text, spans[0][0], a)
    return None


def _last(group: _Group, text: str, a: int, b: int) -> str | None:
    found = [(m.end(), k) for k, w in group.words.items() for m in re.compile(w).finditer(text, a, b)]
    return max(found)[1] if found else None


def _first(group: _Group, text: str, a: int, b: int) -> str | None:
    found = [
        (m.start(), k) for k, w in group.words.items() if k != "baseline" for m in re.compile(w).finditer(text, a, b)
    ]
    return min(found)[1] if found else None
