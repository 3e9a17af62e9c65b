"""Sentences of a comparison: who is cheapest and by what, who ties, what electricity says, and who has no figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from csrag.ask.records import SitingQuery
from csrag.ask.results import Analysis, Fact

_CENT = 0.005
_ALIKE = 1.05
"""Ratio of burn probabilities below which they are called about the same."""
_PARTS = (("harvest", "harvest"), ("haul", "haul"), ("unloading", "unloading"), ("move_in", "move-in"))
_MOST_FIGURES = 4
"""Options that tie whose figures all stand in the text; of more the first and the last [count]."""
_MOST = 0.6
"""Share of a difference from which one component is named as what makes it."""


@dataclass(frozen=True)
class _Cost:
    """One cost that options are ranked by, and the ids of what belongs to it."""

    value: str
    difference: str
    percent: str
    margin: str
    words: str


_DELIVERED = _Cost("average_delivered_cost", "difference_to_best", "difference_to_best_pct", "tie_margin", "fuel")
_LIFE = _Cost("life_average_delivered_cost", "life_difference_to_best", "", "life_tie_margin", "fuel")
_LCOE = _Cost("lcoe_current", "lcoe_difference_to_best", "lcoe_difference_to_best_pct", "lcoe_tie_margin",
              "electricity")  # fmt: skip


class _Options:
    """The options as a text refers to them."""

    def __init__(self, analysis: Analysis) -> None:
        self.facts, self.names = analysis.facts, analysis.names
        count = int(self.facts["compared_options"].value or 0)
        self.numbers = range(1, count + 1)
        self.several_places = len({self.facts[f"option_{n}_place_name"].value for n in self.numbers}) > 1

    def value(self, number: int, value_id: str) -> float | None:
        fact = self.facts.get(f"option_{number}_{value_id}")
        return float(fact.value) if fact is not None and isinstance(fact.value, (int, float)) else None

    def answered(self) -> list[int]:
        return [n for n in self.numbers if self.facts[f"option_{n}_option_status"].value != "refused"]

    def name(self, number: int) -> str:
        place, variant = f"<<option_{_letter(number)}>>", f"{{{{option_{number}_variant}}}}"
        if self.facts[f"option_{number}_variant"].value is None:
            return place
        return f"{place} with {variant}" if self.several_places else variant

    def at(self, number: int) -> str:
        """The option with its preposition: at a place, with a variant."""
        return f"at {self.name(number)}" if self.name(number).startswith("<<") else f"with {self.name(number)}"

    def why(self, number: int) -> str:
        return f"<<option_{_letter(number)}_why>>"

    def stands_in(self, number: int) -> bool:
        """Whether another point than the place itself was taken."""
        mark = _letter(number)
        return self.names.get(f"option_{mark}_area", "") != ""

    def by_cost(self, cost: _Cost) -> list[int]:
        known = [n for n in self.answered() if self.value(n, cost.value) is not None]
        return sorted(known, key=lambda n: (self.value(n, cost.value), n))

    def ties(self, cost: _Cost, number: int) -> bool:
        difference, margin = self.value(number, cost.difference), self.value(number, cost.margin)
        return difference is not None and margin is not None and difference <= margin


def _letter(number: int) -> str:
    return chr(ord("a") + number - 1)


def comparison_paragraphs(query: SitingQuery, analysis: Analysis) -> list[list[str]]:
    """Paragraphs of a comparison, refused ones included.

    Parameters
    ----------
    query : SitingQuery
        What was asked.
    analysis : Analysis
        From `csrag.ask.computation.compare.compare_results`.
    """
    options = _Options(analysis)
    if not options.answered():
        return [["None of the {{compared_options}} options can be answered."], _missing(options)]
    by_lcoe = "electricity" in str(analysis.facts["comparison_measure"].value)
    costs = (_LCOE, _DELIVERED) if by_lcoe else (_DELIVERED, _LCOE)
    return [
        _subject(options),
        [*_standing(options, costs[0]), *_draws(options)],
        _standing(options, costs[1]),
        _life(options),
        _fire(query, options),
        [*_over_limits(options), *_missing(options)],
    ]


def _subject(options: _Options) -> list[str]:
    facts = options.facts
    what = ""
    if _number(facts, "capacity_mw") is not None:
        burns = ", burning {{demand_bdt}}" if _number(facts, "demand_bdt") is not None else ""
        what = f" for a plant of {{{{capacity_mw}}}}{burns}"
        if options.value(options.answered()[0], "range_low_capacity_mw") is not None:
            what += " (the middle of your range, whose ends stand in the table)"
    elif _number(facts, "demand_bdt") is not None:
        what = " for {{demand_bdt}}"
    out = [f"Compared are {{{{compared_options}}}} options{what}, each answered as it would be alone."]
    areas = [n for n in options.numbers if options.stands_in(n)]
    if areas:
        sites = "; ".join(f"<<option_{_letter(n)}>> by <<option_{_letter(n)}_site>>" for n in areas)
        out.append(f"An area is stood for by the site of it where fuel is cheapest: {sites}.")
    return out


def _standing(options: _Options, cost: _Cost) -> list[str]:
    """Who is lowest, who ties, by how much the next is dearer and the last."""
    order = options.by_cost(cost)
    if not order:
        return (
            ["No cost of electricity is given: the wood in reach ends before the plant's life does."]
            if cost is _LCOE
            else []
        )
    best, *rest = order
    value = f"{{{{option_{best}_{cost.value}}}}}"
    average = " delivered, on average" if cost is _DELIVERED else " in current dollars, on the fuel of the plant's life"
    if not rest:
        return [f"{_capital(cost.words)} costs {value}{average} {options.at(best)}, the only option with that figure."]
    tied = [n for n in rest if options.ties(cost, n)]
    out = []
    if tied:
        out.append(_tie_sentence(options, cost, best, tied, average))
    else:
        out.append(f"{_capital(cost.words)} is cheapest {options.at(best)}: {value}{average}.")
    behind = [n for n in rest if n not in tied]
    for place, n in enumerate(behind):
        first, last = place == 0, place == len(behind) - 1
        if first or last or len(behind) <= 3:
            out.append(_behind(options, cost, n, detail=first))
    without = [n for n in options.answered() if options.value(n, cost.value) is None]
    if without:
        why = ", where the wood in reach ends before the plant's life does" if cost is _LCOE else ""
        out.append(f"There is no such figure for {_listed([options.name(n) for n in without])}{why}.")
    return out


def _tie_sentence(options: _Options, cost: _Cost, best: int, tied: Sequence[int], average: str) -> str:
    figures = [f"{options.name(n)} at {{{{option_{n}_{cost.value}}}}}" for n in (best, *tied)]
    if len(figures) > _MOST_FIGURES:
        between = _listed([options.name(n) for n in tied[:-1]])
        figures = [f"from {figures[0]} over {between} to {figures[-1]}"]
    far = tied[-1]
    if (options.value(far, cost.difference) or 0.0) < _CENT:
        return f"{_capital(cost.words)} costs the same, a tie: {_listed(figures)}{average}."
    all_of = "" if len(options.by_cost(cost)) > len(tied) + 1 else ", and none is the winner"
    return (
        f"On {cost.words} these tie{all_of}: {_listed(figures)}{average}. They lie {{{{option_{far}_{cost.difference}}}}} "
        f"({{{{option_{far}_{cost.percent}}}}}) apart, and differences up to {{{{option_{far}_{cost.margin}}}}} count as a tie."
    )


def _behind(options: _Options, cost: _Cost, number: int, *, detail: bool) -> str:
    more = f"{{{{option_{number}_{cost.difference}}}}} more ({{{{option_{number}_{cost.percent}}}}})"
    name = options.name(number)
    text = f"{name} costs {more}" if name.startswith("<<") else f"With {name} it costs {more}"
    if cost is not _DELIVERED or not detail:
        return f"{text}."
    difference = options.value(number, cost.difference) or 0.0
    parts = [(p, w, options.value(number, f"{p}_difference") or 0.0) for p, w in _PARTS]
    shown = [(p, w, x) for p, w, x in parts if abs(x) >= _CENT]
    if not shown or difference <= 0:
        return f"{text}."
    main = max(shown, key=lambda part: part[2])
    mostly = f", mostly by {main[1]}" if main[2] >= _MOST * difference else ""
    makes = _listed([f"{w} {{{{option_{number}_{p}_difference}}}}" for p, w, _ in shown])
    return f"{text}{mostly}: of that, {makes}." if len(shown) > 1 else f"{text}, all of it by {main[1]}."


def _draws(options: _Options) -> list[str]:
    """In how many draws of the measured errors the cheapest is cheaper than the next."""
    order = options.by_cost(_DELIVERED)
    drawn = [n for n in order[1:] if options.value(n, "cheaper_draws_pct") is not None]
    if not drawn:
        return []
    best, near = order[0], drawn[0]
    return [
        f"With the measured errors drawn {{{{draws}}}} times, fuel is cheaper {options.at(best)} than {options.at(near)} in "
        f"{{{{option_{near}_cheaper_draws_pct}}}} of the draws, and the difference lies between "
        f"{{{{option_{near}_difference_low}}}} and {{{{option_{near}_difference_high}}}} in {{{{interval_level_pct}}}} of them."
    ]


def _life(options: _Options) -> list[str]:
    """What the options cost over the life of the plants."""
    order = [n for n in options.by_cost(_LIFE) if options.value(n, _LIFE.difference) is not None]
    if len(order) < 2:
        return []
    best, *rest = order
    tied = [n for n in rest if options.ties(_LIFE, n)]

    def figure(n: int) -> str:
        return f"{{{{option_{n}_{_LIFE.value}}}}}"

    if tied:
        figures = [f"{options.name(n)} at {figure(n)}" for n in (best, *tied)]
        return [f"On what fuel averages over the plant's life these tie: {_listed(figures)}."]
    return [
        f"Over the plant's life fuel averages least {options.at(best)}: {figure(best)}, against {figure(rest[0])} "
        f"{options.at(rest[0])}."
    ]


def _fire(query: SitingQuery, options: _Options) -> list[str]:
    known = [n for n in options.answered() if options.value(n, "mean_burn_probability") is not None]
    weighed = query.fire_weight > 0 or any(options.value(n, "fire_extra_cost") is not None for n in known)
    if not weighed or len(known) < 2:
        return []
    most = max(known, key=lambda n: (options.value(n, "mean_burn_probability"), -n))
    least = min(known, key=lambda n: (options.value(n, "mean_burn_probability"), n))
    ratio = options.value(most, "burn_ratio_to_least")
    if most == least or ratio is None:
        return []
    against = f"({{{{option_{most}_mean_burn_probability}}}} against {{{{option_{least}_mean_burn_probability}}}})"
    if ratio < _ALIKE:
        return [f"The fuel of all options comes from stands about as likely to burn {against}."]
    return [
        f"{_capital(options.at(most))} the fuel comes from stands {{{{option_{most}_burn_ratio_to_least}}}} as likely to burn as "
        f"{options.at(least)} {against}."
    ]


def _over_limits(options: _Options) -> list[str]:
    """Options with figures that exceed the user's cap or budget."""
    facts, out = options.facts, []
    for limit, value_id in (("cap", "max_cost_usd_per_bdt"), ("budget", "budget_usd_per_year")):
        over = [n for n in options.answered() if f"your {limit} " in facts[f"option_{n}_option_status"].basis]
        if over:
            what = f"your {limit} of {{{{option_{over[0]}_{value_id}}}}}"
            parts = [
                f"{options.name(n)} ({{{{option_{n}_obtainable_bdt}}}} keep it, enough for {{{{option_{n}_largest_capacity_mw}}}})"
                for n in over
            ]
            out.append(f"Over {what} lie: {_listed(parts)}.")
    return out


def _missing(options: _Options) -> list[str]:
    done = set(options.answered())
    out = []
    for n in options.numbers:
        if n in done:
            continue
        text = f"There are no figures {options.at(n)}: {options.why(n)}"
        if options.value(n, "obtainable_bdt"):
            text += (
                f"; {{{{option_{n}_obtainable_bdt}}}} can be had of the {{{{option_{n}_demand_bdt}}}} needed, enough for "
                f"{{{{option_{n}_largest_capacity_mw}}}}"
            )
        out.append(f"{text}.")
    return out


def _number(facts: Mapping[str, Fact], value_id: str) -> float | None:
    fact = facts.get(value_id)
    return float(fact.value) if fact is not None and isinstance(fact.value, (int, float)) else None


def _capital(word: str) -> str:
    return word[0].upper() + word[1:]


def _listed(items: Sequence[str]) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"
