"""When two options of a comparison differ by less than what is known: the error stated for each, and who ties with whom."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from csrag.ask.results import Fact

TIE_FLOOR_PCT = 1.0
"""Two costs closer than this are a tie whatever errors were measured (assumed): whole clusters, whole kilometres of radius
and rounded prices leave no more than that [percent]."""


@dataclass(frozen=True)
class StatedError:
    """What an option's own answer states of the error of its average delivered cost.

    Parameters
    ----------
    haul, harvest : float
        Error of the haul by the measured error of road distances, and of the harvest by the surrogate's interval
        [USD per BDT]; 0 where none was measured.
    roads, woods : tuple
        Options with the same `roads` share the error of their road distances, those with the same `woods` that of their
        harvest costs: it moves both costs together and is in their difference only as far as it is larger for one.
    known : bool
        Whether any error was measured.
    """

    haul: float
    harvest: float
    roads: tuple[Any, ...]
    woods: tuple[Any, ...]
    known: bool

    @property
    def cost(self) -> float:
        """Error of the average delivered cost [USD per BDT]: both parts, independent of each other."""
        return math.hypot(self.haul, self.harvest)


def stated_error(facts: Mapping[str, Fact], roads: tuple[Any, ...], woods: tuple[Any, ...]) -> StatedError:
    """Error of an option's average delivered cost, from the facts of its answer.

    Parameters
    ----------
    facts : mapping of str to Fact
        Of the site.
    roads, woods : tuple
        What decides whose errors are shared; see `StatedError`.

    Notes
    -----
    The mean absolute error of a trip is taken as that of the whole haul: errors of a facility's roads are common to its
    clusters and do not average out over them.
    """
    road_pct, harvest_pct = _number(facts, "transport_error_pct"), _number(facts, "surrogate_interval_pct")
    haul = (_number(facts, "average_haul_cost") or 0.0) * (road_pct or 0.0) / 100
    harvest = (_number(facts, "average_harvest_cost") or 0.0) * (harvest_pct or 0.0) / 100
    return StatedError(haul, harvest, roads, woods, road_pct is not None or harvest_pct is not None)


def _number(facts: Mapping[str, Fact], value_id: str) -> float | None:
    fact = facts.get(value_id)
    return float(fact.value) if fact is not None and isinstance(fact.value, (int, float)) else None


def error_of_difference(one: StatedError, other: StatedError) -> float:
    """Error of the difference of two options' average delivered costs [USD per BDT]."""
    haul = abs(one.haul - other.haul) if one.roads == other.roads else math.hypot(one.haul, other.haul)
    harvest = abs(one.harvest - other.harvest) if one.woods == other.woods else math.hypot(one.harvest, other.harvest)
    return math.hypot(haul, harvest)


def tie_margin(one_cost: float, other_cost: float, error: float) -> float:
    """Difference up to which two costs tie, in their unit: the error of the difference, and at least `TIE_FLOOR_PCT`."""
    return max(error, TIE_FLOOR_PCT / 100 * min(abs(one_cost), abs(other_cost)))


def ranks(costs: Sequence[float | None], ties: Callable[[int, int], bool]) -> list[int | None]:
    """Rank of each option, lowest cost first.

    Parameters
    ----------
    costs : sequence of float or None
        What is ranked by; None has no rank.
    ties : callable
        Whether two options, by index, tie.

    Returns
    -------
    list of int or None
        All that tie with the lowest share rank 1; the lowest of the rest leads the next group, whose rank counts the options
        before it. A tie is held against the leader of the group alone: A may tie with B and B with C where A and C do not.
    """
    order = sorted((i for i, c in enumerate(costs) if c is not None), key=lambda i: (costs[i], i))
    out: list[int | None] = [None] * len(costs)
    leader = -1
    for before, i in enumerate(order):
        if leader < 0 or not ties(leader, i):
            leader = i
            out[i] = before + 1
        else:
            out[i] = out[leader]
    return out
