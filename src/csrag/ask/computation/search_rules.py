"""Rules that a site has to keep: how many sites each takes away, which of them binds, and what is possible without it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class SiteRule:
    """One rule over all sites.

    Parameters
    ----------
    name : str
        Stable name: outside, protected, slope, road, substation, plant, demand, burn or cap.
    words : str
        In words, without numbers.
    keeps : ndarray of bool, shape (n,)
        Which sites keep it.
    values : ndarray of float64, shape (n,), or None
        What it is judged by; NaN unknown [`unit`].
    limit : float or None
        [`unit`]
    unit : str
        Unit code.
    at_most : bool
        Whether values have to lie below the limit.
    """

    name: str
    words: str
    keeps: Mask
    values: Floats | None = None
    limit: float | None = None
    unit: str = ""
    at_most: bool = True


@dataclass(frozen=True)
class RuleCount:
    """What one rule does.

    Parameters
    ----------
    rule : SiteRule
        The rule.
    removed : int
        Sites whose first broken rule it is.
    left_without : int
        Sites that would be left if it alone were dropped.
    possible : float or None
        Best value that the other rules leave [the rule's unit].
    """

    rule: SiteRule
    removed: int
    left_without: int
    possible: float | None


def keeping(rules: Sequence[SiteRule], n: int) -> Mask:
    """Which of `n` sites [count] keep every rule."""
    out = np.ones(n, dtype=bool)
    for rule in rules:
        out &= rule.keeps
    return out


def count_rules(rules: Sequence[SiteRule], n: int) -> list[RuleCount]:
    """Count what each rule takes away; each site is charged to the first rule that it breaks.

    Parameters
    ----------
    rules : sequence of SiteRule
        In the order of charging.
    n : int
        Sites [count].
    """
    out, left = [], np.ones(n, dtype=bool)
    for k, rule in enumerate(rules):
        others = keeping([*rules[:k], *rules[k + 1 :]], n)
        possible = None
        if rule.values is not None:
            values = rule.values[others]
            values = values[np.isfinite(values)]
            if len(values):
                possible = float(values.min() if rule.at_most else values.max())
        out.append(RuleCount(rule, int(np.count_nonzero(left & ~rule.keeps)), int(others.sum()), possible))
        left &= rule.keeps
    return out


def binding_rule(counts: Sequence[RuleCount]) -> RuleCount | None:
    """The rule whose dropping leaves most sites, where none are left; if no single one does, the one that takes most away."""
    broken = [c for c in counts if c.removed or c.left_without]
    if not broken:
        return None
    return max(broken, key=lambda c: (c.left_without, c.removed))
