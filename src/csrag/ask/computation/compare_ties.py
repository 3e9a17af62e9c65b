"""When two options of a comparison differ by less than is known of them: who ties with whom, and who ranks where."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

TIE_FLOOR_PCT = 1.0
"""Two costs closer than this are a tie whatever errors were measured (assumed): whole clusters, whole kilometres of radius
and rounded prices leave no more than that [percent]."""


def error_of_difference(one: float, other: float, shared: float) -> float:
    """Error of the difference of two costs, in their unit.

    Parameters
    ----------
    one, other : float
        Error of each, in the unit of the costs [USD per BDT or USD per MWh]; 0 where none was measured.
    shared : float
        Correlation of both errors [dimensionless], 0 to 1: what they share moves both costs alike and is in their difference
        only as far as it is larger for one.

    Notes
    -----
    sqrt(a^2 + b^2 - 2 r a b), the standard deviation of a difference of correlated variables, for half widths at one level.
    """
    return math.sqrt(max((one - other) ** 2 + 2 * (1 - shared) * one * other, 0.0))


def tie_margin(one_cost: float, other_cost: float, error: float) -> float:
    """Difference up to which two costs tie: the error of the difference, and at least `TIE_FLOOR_PCT` of the lower cost.

    Parameters
    ----------
    one_cost, other_cost, error : float
        All in one unit [USD per BDT or USD per MWh].
    """
    return max(error, TIE_FLOOR_PCT / 100 * min(abs(one_cost), abs(other_cost)))


def ranks(costs: Sequence[float | None], ties: Callable[[int, int], bool]) -> list[int | None]:
    """Rank of each option, lowest cost first.

    Parameters
    ----------
    costs : sequence of float or None
        What is ranked by; None has no rank.
    ties : callable
        Whether two options, by index, the cheaper one first, tie.

    Returns
    -------
    list of int or None
        All that tie with the lowest share rank 1; the lowest of the rest leads the next group, whose rank counts the options
        before it. A tie is held against the leader of the group alone: A may tie with B and B with C where A and C do not.
    """
    order = [i for _, i in sorted((cost, i) for i, cost in enumerate(costs) if cost is not None)]
    out: list[int | None] = [None] * len(costs)
    left, rank = order, 1
    while left:
        leader = left[0]
        group = [i for i in left if i == leader or ties(leader, i)]
        for i in group:
            out[i] = rank
        rank += len(group)
        left = [i for i in left if i not in group]
    return out
