"""What became of every option, and who stands where: lowest cost, margins of ties, ranks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from csrag.ask.computation.compare_options import Option
from csrag.ask.computation.compare_ties import error_of_difference, ranks, tie_margin
from csrag.ask.computation.draws import DrawsResult, PairDraws, shared_part
from csrag.ask.records import Location
from csrag.ask.results import Analysis, Fact

_INTERVALS = ("average_delivered_cost", "lcoe_current", "life_average_delivered_cost")


@dataclass(frozen=True)
class Result:
    """What became of one option.

    Parameters
    ----------
    option : Option
        As asked.
    site : Location
        Where its figures stand; another point than the option's place where that is an area.
    analysis : Analysis or None
        Of the site alone; None where it was refused before anything was computed.
    code, message : str
        Why there are no figures; empty where there are.
    """

    option: Option
    site: Location
    analysis: Analysis | None = None
    code: str = ""
    message: str = ""

    @property
    def facts(self) -> Mapping[str, Fact]:
        """Facts of the site; none where it was refused beforehand."""
        return {} if self.analysis is None else self.analysis.facts

    @property
    def answered(self) -> bool:
        """Whether the option has figures."""
        return self.analysis is not None and self.analysis.status != "refused"

    def number(self, value_id: str) -> float | None:
        """A value of the site as a number; None where there is none."""
        fact = self.facts.get(value_id)
        if not self.answered or fact is None or isinstance(fact.value, str) or fact.value is None:
            return None
        return float(fact.value)

    def half_width(self, value_id: str) -> float | None:
        """Half the width of a value's interval, in its unit; None where it has none."""
        low, high = self.number(f"{value_id}_low"), self.number(f"{value_id}_high")
        return None if low is None or high is None else (high - low) / 2


@dataclass(frozen=True)
class Standing:
    """One cost over all options: who is lowest, the margins of ties, the ranks.

    Parameters
    ----------
    costs : list of float or None
        In the options' order.
    best : int or None
        Index of the lowest; None where no option has the cost.
    margins : list of float or None
        Difference to the lowest up to which an option ties with it, in the unit of the cost.
    ranks : list of int or None
        From 1.
    """

    costs: list[float | None]
    best: int | None
    margins: list[float | None] = field(default_factory=list)
    ranks: list[int | None] = field(default_factory=list)


@dataclass(frozen=True)
class Draws:
    """Draws of the measured errors, by the options' order.

    Parameters
    ----------
    result : DrawsResult
        Over the options that have figures.
    at : mapping of int to int
        Index of an option to its position among the draws.
    """

    result: DrawsResult
    at: Mapping[int, int]

    def pair(self, dearer: int, cheaper: int) -> PairDraws | None:
        """Draws of two options by their index; None where one of both has none or nothing was measured."""
        if self.result.status == "nothing_measured" or not {dearer, cheaper} <= set(self.at) or dearer == cheaper:
            return None
        return self.result.pair(self.at[dearer], self.at[cheaper])


def standings(results: Sequence[Result], drawn: Draws | None = None) -> tuple[Standing, Standing, Standing]:
    """Who stands where by delivered cost, by the cost of electricity, and by the fuel of the plant's life.

    Parameters
    ----------
    results : sequence of Result
        One an option.
    drawn : Draws, optional
        They tell more of two delivered costs than two intervals do: the choice is made anew in each.
    """
    costs = [r.number("average_delivered_cost") for r in results]
    power = [r.number("lcoe_current") for r in results]
    # An average over the years until the wood ends is no cost of a plant's life.
    lives = [None if r.number("lcoe_current") is None else r.number("life_average_delivered_cost") for r in results]
    shared = shared_part(
        *(np.array([x or 0.0 for x in at]) for at in zip(*((r.site.lat, r.site.lon) for r in results), strict=True))
    )
    sizes = {i: [r.half_width(i) or 0.0 for r in results] for i in _INTERVALS}

    def error(value_id: str, cheaper: int, dearer: int) -> float:
        pair = drawn.pair(dearer, cheaper) if drawn is not None and value_id == "average_delivered_cost" else None
        if pair is not None:
            # They tie where the interval of the difference reaches down to nought: the difference less its low end.
            return (costs[dearer] or 0.0) - (costs[cheaper] or 0.0) - pair.low
        one, other = sizes[value_id][cheaper], sizes[value_id][dearer]
        return error_of_difference(one, other, float(shared[cheaper, dearer]))

    first, second, third = (
        standing(values, partial(error, value_id))
        for values, value_id in zip((costs, power, lives), _INTERVALS, strict=True)
    )
    return first, second, third


def standing(costs: list[float | None], error: Callable[[int, int], float]) -> Standing:
    """Lowest cost, margins and ranks.

    Parameters
    ----------
    costs : list of float or None
        Of each option, in any unit.
    error : callable
        Error of the difference of two options, by index, the cheaper one first, in the same unit.
    """
    known = [i for i, c in enumerate(costs) if c is not None]
    if not known:
        return Standing(costs, None, [None] * len(costs), [None] * len(costs))

    def margin(i: int, j: int) -> float:
        return tie_margin(costs[i] or 0.0, costs[j] or 0.0, 0.0 if i == j else error(i, j))

    best = min(known, key=lambda i: (costs[i] or 0.0, i))
    order = ranks(costs, lambda i, j: (costs[j] or 0.0) - (costs[i] or 0.0) <= margin(i, j))
    return Standing(costs, best, [margin(best, i) if i in known else None for i in range(len(costs))], order)
