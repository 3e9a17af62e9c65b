"""The cheapest supply that keeps share rules: how many tons of each kind, then which whole clusters.

In the limit of small clusters the choice is a linear programme: least sum of score times tons over all supplies that meet the
demand and keep every share. Inside one kind of cluster (the same side of every rule) the best scores go first, so what has to be
found is how much of each kind to take. One rule settles that by itself: where the free choice breaks it, it holds exactly. Two leave
one amount to find, and more are solved by cutting planes (Kelley 1960) over the kinds, each cost curve being convex and piecewise
linear.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from csrag.ask.computation.rules import Shares

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

_ROUNDING = 1e-9
"""Relative room for rounding in sums of tons."""
_SOLVED = 3e-7
"""How exactly the linear programme is solved, relative to the demand."""
_SINGULAR = 1e-12
_FIRST_CUTS = 12
_HALVINGS = 60
_MOST_CUTS = 80
_MENDING = 4
"""Clusters a kind that may come on top of the demand so that a share is kept."""


@dataclass(frozen=True)
class Kind:
    """Clusters on the same side of every limit, best score first.

    Parameters
    ----------
    at : ndarray of int64
        Their places in the order.
    reached : ndarray of float64
        Running tons, nought first [BDT].
    score : ndarray of float64
        [dimensionless]
    under : ndarray of bool, shape (limits,)
        Limits whose group they belong to.
    """

    at: Rows
    reached: Floats
    score: Floats
    under: NDArray[np.bool_]

    @property
    def held(self) -> float:
        """All of its tons [BDT]."""
        return float(self.reached[-1])


def kinds_of(tons: Floats, score: Floats, sign: Rows, limits: int) -> list[Kind]:
    """Sort an order of clusters into kinds.

    Parameters
    ----------
    tons, score : ndarray of float64, shape (n,)
        Of the clusters in the order in which they would be taken [BDT], [dimensionless].
    sign : ndarray of int64, shape (n,)
        Limits that each belongs to, as bits.
    limits : int
        How many there are [count].
    """
    kinds = []
    for one in np.flatnonzero(np.bincount(sign, minlength=1)):
        at = np.flatnonzero(sign == one)
        reached = np.concatenate([[0.0], np.cumsum(tons[at])])
        kinds.append(Kind(at, reached, score[at], under_limits(int(one), limits)))
    return kinds


def under_limits(sign: int, limits: int) -> NDArray[np.bool_]:
    """The bits of a sign, shape (limits,)."""
    return np.array([bool(sign >> i & 1) for i in range(limits)], dtype=bool)


def most_tons(held: Floats, under: NDArray[np.bool_], most: Floats) -> float:
    """Largest supply that keeps every limit [BDT], clusters taken as divisible.

    Parameters
    ----------
    held : ndarray of float64, shape (kinds,)
        What there is of each kind [BDT].
    under : ndarray of bool, shape (kinds, limits)
        Limits whose group each kind belongs to.
    most : ndarray of float64, shape (limits,)
        Largest shares [0 to 1].
    """
    total = float(held.sum())
    if len(most) == 0 or total <= 0:
        return total
    if len(most) == 1:
        free = float(held[~under[:, 0]].sum())
        return total if most[0] >= 1 else min(total, free / (1 - float(most[0])))
    if bool((held @ under <= most * total).all()):
        return total
    points = _dual_points(under.tobytes(), under.shape, most.tobytes())
    gain = np.maximum(1 - points @ (under - most).T, 0.0)
    return min(total, float((gain @ held).min()))


@lru_cache(maxsize=64)
def _dual_points(under: bytes, shape: tuple[int, int], most: bytes) -> Floats:
    """Corners at which the dual of `most_tons` can be least, shape (corners, limits).

    With prices y on the limits the dual is the sum over kinds of held x (1 - sum of y x (under - most)), where positive. It is
    convex and piecewise linear, so its least value on y >= 0 lies where as many of its bends and of the bounds meet as there are
    prices; these corners depend on the rules alone.
    """
    kinds = np.frombuffer(under, dtype=bool).reshape(shape).astype(np.float64) - np.frombuffer(most)
    m = shape[1]
    lines, right = np.vstack([kinds, np.eye(m)]), np.concatenate([np.ones(shape[0]), np.zeros(m)])
    corners = []
    for chosen in combinations(range(len(lines)), m):
        matrix = lines[list(chosen)]
        if abs(np.linalg.det(matrix)) > _SINGULAR:
            corner = np.linalg.solve(matrix, right[list(chosen)])
            if (corner >= -_SINGULAR).all():
                corners.append(np.maximum(corner, 0.0))
    return np.array(corners)


def amounts(kinds: list[Kind], most: Floats, demand: float) -> Floats:
    """Tons of each kind in the cheapest divisible supply [BDT], shape (kinds,).

    Parameters
    ----------
    kinds : list of Kind
        What there is; more than one limit may be at work.
    most : ndarray of float64, shape (limits,)
        Largest shares [0 to 1].
    demand : float
        Tons, no more than `most_tons` [BDT].
    """
    from scipy.optimize import linprog

    n, scale = len(kinds), max(demand, 1e-300)
    held = np.array([k.held for k in kinds]) / scale
    cuts: list[tuple[int, float, float]] = []
    seen: list[set[int]] = [set() for _ in kinds]
    spent = [np.concatenate([[0.0], np.cumsum(k.score * np.diff(k.reached))]) / scale for k in kinds]

    def cut(which: int, amount: float) -> bool:
        """Add the tangent at an amount; False where it is known."""
        kind = kinds[which]
        j = int(np.clip(np.searchsorted(kind.reached, amount * scale, side="left") - 1, 0, len(kind.score) - 1))
        if j in seen[which]:
            return False
        seen[which].add(j)
        slope = float(kind.score[j])
        cuts.append((which, slope, float(spent[which][j]) - slope * float(kind.reached[j]) / scale))
        return True

    for i in range(n):
        for amount in np.linspace(0.0, min(float(held[i]), 1.0), _FIRST_CUTS):
            cut(i, float(amount))
    under = np.array([k.under for k in kinds], dtype=np.float64).T
    share_rows = np.hstack([under, np.zeros((len(most), n))])
    equal = np.concatenate([np.ones(n), np.zeros(n)])[None, :]
    bounds = [(0.0, float(h)) for h in held] + [(None, None)] * n
    target = np.zeros(2 * n)
    target[n:] = 1.0
    amount_of = np.zeros(n)
    for _ in range(_MOST_CUTS):
        rows = np.zeros((len(cuts), 2 * n))
        for r, (i, slope, _offset) in enumerate(cuts):
            rows[r, i], rows[r, n + i] = slope, -1.0
        below = np.concatenate([[-offset for _, _, offset in cuts], most + _ROUNDING])
        found = linprog(target, np.vstack([rows, share_rows]), below, equal, [1.0], bounds)
        if found.status != 0:
            break
        amount_of = np.asarray(found.x[:n], dtype=np.float64)
        added = [cut(i, float(amount_of[i])) for i in range(n)]
        if not any(added):
            break
    return amount_of * scale


def take(order: Rows, tons: Floats, score: Floats, shares: Shares, demand: float) -> Rows:
    """Whole clusters of the cheapest supply that keeps the rules.

    Parameters
    ----------
    order : ndarray of int64
        Positions in the order in which they would be taken without rules.
    tons, score : ndarray of float64, shape (n,)
        Feedstock [BDT] and score [dimensionless] by position.
    shares : Shares
        Rules over all positions.
    demand : float
        [BDT]

    Returns
    -------
    ndarray of int64
        Positions taken, in the order given. Where the rules do not allow the demand, the most that they allow: its tons then
        fall short of it.

    Notes
    -----
    Where the free choice keeps the rules it is returned unchanged. Otherwise each kind is filled with whole clusters up to its
    divisible amount, and further ones are added, best first, while they break no limit, until the demand is met. The result meets
    the demand by at most a cluster a kind; a share is missed only where no cluster is left that fits, and then by less than a
    cluster's tons.
    """
    weight = tons[order]
    reached = np.cumsum(weight)
    groups, most = shares.limits
    free = int(np.searchsorted(reached, demand, side="left")) + 1
    if not len(order) or not len(most):
        return order[:free]
    if reached[-1] >= demand and _kept(weight[:free], groups[:, order[:free]], most):
        return order[:free]
    kinds = kinds_of(weight, score[order], shares.sign[order], len(most))
    held, under = np.array([k.held for k in kinds]), np.array([k.under for k in kinds])
    allowed = most_tons(held, under, most)
    wanted = demand if allowed >= demand * (1 - _ROUNDING) else allowed * (1 - _ROUNDING)
    if wanted <= 0:
        return order[:0]
    split = _one_limit(kinds, most, wanted) if len(most) == 1 else None
    if len(most) == 2:
        split = _two_limits(kinds, most, wanted)
    if split is None:
        split = amounts(kinds, most, wanted)
    return order[_whole(kinds, split, most, wanted, short=wanted < demand * (1 - _ROUNDING))]


def _kept(weight: Floats, groups: NDArray[np.bool_], most: Floats) -> bool:
    return bool((groups @ weight <= most * weight.sum() * (1 + _ROUNDING)).all())


def _one_limit(kinds: list[Kind], most: Floats, demand: float) -> Floats:
    """The group takes its largest share, the rest the remainder; where there is too little of either, the other fills in."""
    mine = min(float(most[0]) * demand, sum(k.held for k in kinds if k.under[0]))
    return np.array([mine if k.under[0] else min(demand - mine, k.held) for k in kinds])


def _two_limits(kinds: list[Kind], most: Floats, demand: float) -> Floats | None:
    """One limit holding exactly, where that keeps the other too; else both hold exactly, and one amount is left to find.

    With both, what both groups share leaves the rest no choice: t of it means most[0] x demand - t of the first alone, and so on.
    The cost is convex in t, so its least value is where its slope changes sign.
    """
    for i in (0, 1):
        split = _merged(kinds, i, float(most[i]) * demand, demand)
        over = sum(q for q, k in zip(split, kinds, strict=True) if k.under[1 - i])
        if over <= float(most[1 - i]) * demand * (1 + _ROUNDING):
            return split
    of = {(bool(k.under[0]), bool(k.under[1])): n for n, k in enumerate(kinds)}
    first, second = float(most[0]) * demand, float(most[1]) * demand
    start = {(True, True): 0.0, (True, False): first, (False, True): second, (False, False): demand - first - second}
    turn = {(True, True): 1.0, (True, False): -1.0, (False, True): -1.0, (False, False): 1.0}
    low, high = -np.inf, np.inf
    for sign, begin in start.items():
        held = kinds[of[sign]].held if sign in of else 0.0
        ends = sorted((-begin * turn[sign], (held - begin) * turn[sign]))
        low, high = max(low, ends[0]), min(high, ends[1])
    if low > high:
        if low - high > _SOLVED * demand:
            return None
        low = high = (low + high) / 2

    def slope(t: float) -> float:
        return sum(turn[sign] * _marginal(kinds[n], start[sign] + turn[sign] * t) for sign, n in of.items())

    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if slope(middle) > 0 else (middle, high)
    return np.array([min(max(start[sign] + turn[sign] * low, 0.0), kinds[n].held) for sign, n in of.items()])


def _marginal(kind: Kind, amount: float) -> float:
    """Score of the cluster at an amount of a kind [dimensionless]."""
    j = int(np.searchsorted(kind.reached, amount, side="right")) - 1
    return float(kind.score[min(max(j, 0), len(kind.score) - 1)])


def _merged(kinds: list[Kind], limit: int, share_bdt: float, demand: float) -> Floats:
    """Amounts of each kind where the group of one limit gives exactly so much, each side best score first [BDT]."""
    split = np.zeros(len(kinds))
    mine = min(share_bdt, sum(k.held for k in kinds if k.under[limit]))
    for inside, wanted in ((True, mine), (False, demand - mine)):
        side = [n for n, k in enumerate(kinds) if bool(k.under[limit]) == inside]
        if not side:
            continue
        which = np.concatenate([np.full(len(kinds[n].score), n) for n in side])
        score = np.concatenate([kinds[n].score for n in side])
        tons = np.concatenate([np.diff(kinds[n].reached) for n in side])
        at = np.concatenate([kinds[n].at for n in side])
        order = np.lexsort((at, score))
        reached = np.cumsum(tons[order])
        full = int(np.searchsorted(reached, wanted, side="right"))
        split += np.bincount(which[order[:full]], weights=tons[order[:full]], minlength=len(kinds))
        if full < len(order):
            split[which[order[full]]] += max(wanted - (float(reached[full - 1]) if full else 0.0), 0.0)
    return split


@dataclass
class _Filling:
    """Whole clusters of each kind, and what they come to."""

    kinds: list[Kind]
    most: Floats
    demand: float
    count: list[int]

    def __post_init__(self) -> None:
        self.under = np.array([k.under for k in self.kinds], dtype=np.float64)
        self.have = np.array([k.reached[c] for k, c in zip(self.kinds, self.count, strict=True)])

    @property
    def total(self) -> float:
        return float(self.have.sum())

    @property
    def met(self) -> bool:
        return self.total >= self.demand * (1 - 1e-12)

    def next_tons(self, i: int) -> float:
        """Tons of the next cluster of a kind; NaN where it has none."""
        reached, c = self.kinds[i].reached, self.count[i]
        return float(reached[c + 1] - reached[c]) if c + 1 < len(reached) else np.nan

    def add(self, i: int) -> None:
        self.have[i] += self.next_tons(i)
        self.count[i] += 1

    def breach(self, i: int | None = None) -> float:
        """Tons by which the worst limit is broken once a cluster of a kind is added; at most nought where all are kept."""
        tons = 0.0 if i is None else self.next_tons(i)
        over = self.have @ self.under + (0.0 if i is None else self.under[i] * tons)
        room = self.most * max(self.demand, self.total + tons) * (1 + _ROUNDING)
        return float((over - room).max())

    def fitting(self) -> list[int]:
        """Kinds whose next cluster leaves their own limits unbroken."""
        out = []
        for i in range(len(self.kinds)):
            tons = self.next_tons(i)
            if np.isnan(tons):
                continue
            over = self.have @ self.under + self.under[i] * tons
            room = self.most * max(self.demand, self.total + tons) * (1 + _ROUNDING)
            if bool((over <= room)[self.under[i] > 0].all()):
                out.append(i)
        return out


def _whole(kinds: list[Kind], split: Floats, most: Floats, demand: float, *, short: bool) -> Rows:
    """Whole clusters near a divisible supply, as places in the order."""
    # The programme is solved to some 1e-7 of the demand: a cluster that ends there is whole.
    slack = _SOLVED * demand
    count = [int(np.searchsorted(k.reached, q + slack, side="right")) - 1 for k, q in zip(kinds, split, strict=True)]
    filling = _Filling(kinds, most, demand, count)

    def rank(i: int) -> tuple[bool, float, int]:
        return bool(filling.have[i] >= split[i] - slack), float(kinds[i].score[filling.count[i]]), i

    while not filling.met:
        fitting = filling.fitting()
        if not fitting and short:
            break
        rest = [(filling.breach(i), i) for i in range(len(kinds)) if not np.isnan(filling.next_tons(i))]
        if not rest:
            break
        filling.add(min(fitting, key=rank) if fitting else min(rest)[1])
    best, least = list(filling.count), filling.breach()
    for _ in range(_MENDING * len(kinds)):
        fitting = filling.fitting()
        if least <= 0 or not fitting:
            break
        filling.add(min(fitting, key=lambda i: (filling.breach(i), i)))
        if filling.breach() < least:
            best, least = list(filling.count), filling.breach()
    return np.sort(np.concatenate([k.at[:c] for k, c in zip(kinds, best, strict=True)])).astype(np.int64)
