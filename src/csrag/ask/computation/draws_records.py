"""What goes into the draws of a comparison, and what they say."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class DrawInputs:
    """One option's cost as a function of the errors, tabulated.

    Parameters
    ----------
    label : str
        What the option is called.
    lat, lon : float
        Its site [degrees].
    road_deviates : ndarray of float64, shape (r,)
        Standard deviates of the road error, ascending; a single 0 where it has not been measured or is not at work.
    harvest_deviates : ndarray of float64, shape (h,)
        The same for a surrogate's harvest costs.
    cost_usd_per_bdt : ndarray of float64, shape (r, h)
        Average delivered cost at each pair [USD per BDT].
    unmeasured : str
        Why no error at all is known of this option; empty where one is.
    reselected : bool
        Whether clusters were chosen anew at each pair, or those of the answer were priced.
    """

    label: str
    lat: float
    lon: float
    road_deviates: Floats
    harvest_deviates: Floats
    cost_usd_per_bdt: Floats
    unmeasured: str = ""
    reselected: bool = False

    @property
    def measured(self) -> bool:
        """Whether any error is at work."""
        return self.cost_usd_per_bdt.size > 1

    def cost_at(self, road: Floats, harvest: Floats) -> Floats:
        """Cost at given deviates, linear between those tabulated and constant beyond [USD per BDT].

        Parameters
        ----------
        road, harvest : ndarray of float64, shape (n,)
            Standard deviates [dimensionless].
        """
        low, part = _place(self.road_deviates, road)
        below, share = _place(self.harvest_deviates, harvest)
        table = self.cost_usd_per_bdt
        high, above = np.minimum(low + 1, table.shape[0] - 1), np.minimum(below + 1, table.shape[1] - 1)
        left = table[low, below] + share * (table[low, above] - table[low, below])
        right = table[high, below] + share * (table[high, above] - table[high, below])
        return np.asarray(left + part * (right - left))


def _place(nodes: Floats, at: Floats) -> tuple[NDArray[np.int64], Floats]:
    """Node below each value, and how far on the way to the next one it is."""
    if nodes.size == 1:
        return np.zeros(at.size, dtype=np.int64), np.zeros(at.size)
    low = np.clip(np.searchsorted(nodes, at, side="right") - 1, 0, nodes.size - 2)
    return low, np.clip((at - nodes[low]) / (nodes[low + 1] - nodes[low]), 0.0, 1.0)


@dataclass(frozen=True)
class OptionDraws:
    """One option over all draws.

    Parameters
    ----------
    label : str
        What the option is called.
    mean, low, high : float
        Mean and ends of the interval of its average delivered cost [USD per BDT].
    cheapest_pct : float
        Share of draws in which no other option is cheaper; equal ones share a draw [percent].
    """

    label: str
    mean: float
    low: float
    high: float
    cheapest_pct: float


@dataclass(frozen=True)
class PairDraws:
    """Two options over all draws.

    Parameters
    ----------
    first, second : int
        Positions among the options.
    first_cheaper_pct, second_cheaper_pct : float
        Share of draws [percent]; what is left are draws in which both cost the same.
    mean, low, high : float
        Mean and ends of the interval of the cost of the first less that of the second [USD per BDT].
    standard_error_pct : float
        Of `first_cheaper_pct` [percentage points].
    verdict : str
        `first` or `second` where the interval of the difference lies on one side of nought, `tie` where both cost the same in
        every draw, else `indistinguishable`; `not_drawn` where no error is known.
    """

    first: int
    second: int
    first_cheaper_pct: float
    second_cheaper_pct: float
    mean: float
    low: float
    high: float
    standard_error_pct: float
    verdict: str


@dataclass(frozen=True)
class DrawsResult:
    """What the draws say.

    Parameters
    ----------
    status : str
        `drawn`; `partly` where an option has no measured error and stands still in every draw; `nothing_measured` where none
        has: then there are no draws and no shares (NaN), only the differences as computed.
    level_pct : float
        Level of every interval [percent].
    options : tuple of OptionDraws
        In the order given.
    best : int
        The option that is cheapest on average over the draws; of equal ones the first.
    pairs : tuple of PairDraws
        Every pair with the lower position first.
    draws : int
        How many.
    standard_error_pct : float
        Largest standard error of a share [percentage points].
    converged : bool
        Whether it came below the error wanted before the draws ended.
    seed : int
        Of the random numbers.
    unmeasured : tuple of (str, str)
        Options without a measured error, and why.
    reselected : bool
        Whether every option chose its clusters anew in each draw.
    """

    status: str
    level_pct: float
    options: tuple[OptionDraws, ...]
    best: int
    pairs: tuple[PairDraws, ...]
    draws: int
    standard_error_pct: float
    converged: bool
    seed: int
    unmeasured: tuple[tuple[str, str], ...] = ()
    reselected: bool = False

    def pair(self, first: int, second: int) -> PairDraws:
        """The draws of two options, seen from the first.

        Parameters
        ----------
        first, second : int
            Positions among the options.
        """
        for pair in self.pairs:
            if (pair.first, pair.second) == (first, second):
                return pair
            if (pair.first, pair.second) == (second, first):
                turned = {"first": "second", "second": "first"}.get(pair.verdict, pair.verdict)
                return PairDraws(
                    first, second, pair.second_cheaper_pct, pair.first_cheaper_pct, -pair.mean, -pair.high, -pair.low,
                    pair.standard_error_pct, turned,
                )  # fmt: skip
        raise ValueError(f"There is no pair {first}, {second} among the draws.")
