"""The largest plant where share rules hold: no prefix of a curve, so it is searched for."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from csrag.ask.computation.choose import Selection
from csrag.ask.computation.delivered import Costs
from csrag.ask.computation.rules_reach import allowed_tons
from csrag.ask.records import SitingQuery

_STEPS = 40
_CLOSE = 1e-7


def largest_supply(
    query: SitingQuery, costs: Costs, size_bdt: float, choose: Callable[[float], Selection]
) -> tuple[Selection | None, float, str]:
    """The largest supply that keeps the share rules and the cap or budget.

    Parameters
    ----------
    query : SitingQuery
        Cap and its kind, or yearly budget.
    costs : Costs
        Candidates with the rules.
    size_bdt : float
        Demand of the largest plant that is planned for [BDT].
    choose : callable
        The selection for a demand [BDT], under the rules and a cap on the last ton.

    Returns
    -------
    selection : Selection or None
        None where nothing keeps them.
    demand_bdt : float
        Demand that it was chosen for [BDT].
    binds : str
        cap, budget, supply or size.

    Notes
    -----
    The average of a supply rises with its size but for the move-in, so the largest one is found by halving.
    """
    cap, budget = query.max_cost_usd_per_bdt, query.budget_usd_per_year

    def kept(selection: Selection) -> bool:
        average = selection.average(costs)
        if not selection.met or not np.isfinite(average):
            return False
        if cap is not None:
            dearest = float(costs.unit[selection.rows].max()) + selection.move_in
            return (dearest if query.max_cost_kind == "last_ton" else average) <= cap
        return budget is None or average * selection.tons <= budget

    allowed = allowed_tons(np.where(np.isfinite(costs.unit), costs.tons, 0.0), costs.shares) * (1 - 1e-6)
    high, binds = (allowed, "supply") if allowed <= size_bdt else (size_bdt, "size")
    best = choose(high) if high > 0 else None
    if best is not None and kept(best):
        return best, high, binds
    binds = "cap" if cap is not None else "budget" if budget is not None else "supply"
    low, best, at = 0.0, None, 0.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        found = choose(middle)
        if kept(found):
            low, best, at = middle, found, middle
        else:
            high = middle
        if high - low <= _CLOSE * max(high, 1.0):
            break
    return best, at, binds
