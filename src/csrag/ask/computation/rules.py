"""Rules on a supply: shares of its tons by hazard class and owner, and the longest haul."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from csrag.ask.records import SitingQuery
from csrag.errors import DataError, InvalidValueError
from csrag.quantities import check
from csrag.surfaces.catalog import HAZARD_CLASSES, UNKNOWN_CODE
from csrag.surfaces.frame import ClusterFrame
from csrag.surfaces.manifest import Manifest

Floats = NDArray[np.float64]

HIGH_HAZARD = "high_hazard"
"""Name of the rule on hazard classes; a rule on land bears the name of its land use."""
_HIGH = ("high", "very high")


@dataclass(frozen=True)
class ShareRule:
    """A share of the tons taken that has to come, or may at most come, from one group of clusters.

    Parameters
    ----------
    name : str
        high_hazard, or a land use.
    least, most : float
        Bounds of the share of the tons taken [0 to 1].
    """

    name: str
    least: float = 0.0
    most: float = 1.0


@dataclass(frozen=True)
class Shares:
    """Share rules over given candidates.

    Parameters
    ----------
    rules : tuple of ShareRule
        In the order of the question.
    member : ndarray of bool, shape (rules, n)
        Which candidates belong to the group of each rule.
    """

    rules: tuple[ShareRule, ...]
    member: NDArray[np.bool_]

    @cached_property
    def limits(self) -> tuple[NDArray[np.bool_], Floats]:
        """Every rule as an upper limit: groups of shape (limits, n), and the largest share of the tons of each [0 to 1].

        A least share of a group is a largest share of what does not belong to it.
        """
        groups, most = [], []
        for rule, mine in zip(self.rules, self.member, strict=True):
            if rule.least > 0:
                groups.append(~mine)
                most.append(1 - rule.least)
            if rule.most < 1:
                groups.append(mine)
                most.append(rule.most)
        n = self.member.shape[1]
        return np.array(groups, dtype=bool).reshape(len(groups), n), np.array(most, dtype=np.float64)

    @cached_property
    def sign(self) -> NDArray[np.int64]:
        """Which limits' groups each candidate belongs to, as bits, shape (n,): candidates of one sign are of one kind."""
        groups, _ = self.limits
        return np.asarray((1 << np.arange(len(groups))) @ groups.astype(np.int64), dtype=np.int64)

    def subset(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> Shares:
        """The same rules over some of the candidates, by position or by mask."""
        return Shares(self.rules, self.member[:, rows])

    def without(self, name: str) -> Shares:
        """The rules but one."""
        keep = [i for i, rule in enumerate(self.rules) if rule.name != name]
        return Shares(tuple(self.rules[i] for i in keep), self.member[keep])

    def of(self, rows: NDArray[np.int64], tons: Floats) -> dict[str, float]:
        """Share of the tons of a selection in each rule's group [0 to 1].

        Parameters
        ----------
        rows : ndarray of int64
            Positions taken.
        tons : ndarray of float64, shape (n,)
            Feedstock [BDT].
        """
        weight = tons[rows]
        total = float(weight.sum())
        return {
            rule.name: float(weight[mine[rows]].sum()) / total if total > 0 else 0.0
            for rule, mine in zip(self.rules, self.member, strict=True)
        }


def has_rules(query: SitingQuery) -> bool:
    """Whether a question sets any rule on its supply."""
    return bool(share_rules(query)) or query.max_road_km is not None


def share_rules(query: SitingQuery) -> tuple[ShareRule, ...]:
    """Share rules of a question, those that rule out nothing left out.

    Raises
    ------
    InvalidValueError
        For a share out of range, a rule on land that is not taken, or shares that no supply can have.
    """
    rules = []
    if query.min_high_hazard_pct:
        rules.append(ShareRule(HIGH_HAZARD, check("min_high_hazard_pct", query.min_high_hazard_pct) / 100))
    least, most = _checked(query, "min_land_share_pct"), _checked(query, "max_land_share_pct")
    for name in sorted({*least, *most}):
        rule = ShareRule(name, least.get(name, 0.0), most.get(name, 1.0))
        if rule.least > rule.most:
            raise InvalidValueError(
                f"At least {rule.least * 100:g} % and at most {rule.most * 100:g} % from {name} land contradict each other.",
                "Give a least share that is no more than the largest.",
            )
        rules.append(rule)
    if sum(least.values()) > 1 + 1e-12:
        raise InvalidValueError(
            f"The least shares by land use add up to {sum(least.values()) * 100:g} %.",
            "They may be 100 % together at most.",
        )
    taken = set(query.land_use)
    if taken and taken <= set(most) and sum(most[name] for name in taken) < 1 - 1e-12:
        raise InvalidValueError(
            f"The largest shares of all land that is taken add up to {sum(most[n] for n in taken) * 100:g} %.",
            "They have to leave room for 100 %, or more land has to be taken.",
        )
    return tuple(r for r in rules if r.least > 0 or r.most < 1)


def _checked(query: SitingQuery, field: str) -> dict[str, float]:
    shares: Mapping[str, float] = getattr(query, field)
    for name, value in shares.items():
        check(field, value)
        if field == "min_land_share_pct" and value > 0 and name not in query.land_use:
            raise InvalidValueError(
                f"A least share from {name} land is asked for, but that land is not taken.",
                f"Land taken: {', '.join(query.land_use)}; name {name} land too.",
            )
    return {name: float(value) / 100 for name, value in shares.items()}


def shares_of(query: SitingQuery, frame: ClusterFrame, manifest: Manifest) -> Shares | None:
    """Share rules of a question over given candidates; None where it sets none.

    Parameters
    ----------
    query : SitingQuery
        What is asked.
    frame : ClusterFrame
        Candidates.
    manifest : Manifest
        Codes of hazard classes and land uses.
    """
    rules = share_rules(query)
    if not rules:
        return None
    member = np.zeros((len(rules), len(frame)), dtype=bool)
    for i, rule in enumerate(rules):
        member[i] = high_hazard(frame, manifest) if rule.name == HIGH_HAZARD else _on_land(rule.name, frame, manifest)
    return Shares(rules, member)


def require_hazard(query: SitingQuery, frame: ClusterFrame, manifest: Manifest) -> None:
    """Refuse a rule on hazard where no candidate's hazard class is known.

    Raises
    ------
    DataError
        Naming the rule and the layer set.
    """
    if query.min_high_hazard_pct and len(frame) and bool((frame["hazard_class"] == UNKNOWN_CODE).all()):
        raise DataError(
            f"The layer set {manifest.name!r} knows no hazard class here, so no share from high hazard zones can be kept.",
            "Leave that rule out, or use a layer set with hazard classes.",
            code="no_hazard_class",
        )


def high_hazard(frame: ClusterFrame, manifest: Manifest) -> NDArray[np.bool_]:
    """Which candidates lie in a high or very high hazard class, shape (n,); an unknown class is not counted as high.

    Parameters
    ----------
    frame : ClusterFrame
        Candidates.
    manifest : Manifest
        Codes of the hazard classes.
    """
    names = manifest.codes.get("hazard_class", HAZARD_CLASSES)
    is_high = np.zeros(256, dtype=bool)
    is_high[: len(names)] = [name in _HIGH for name in names]
    is_high[UNKNOWN_CODE] = False
    return np.asarray(is_high[frame["hazard_class"]])


def _on_land(name: str, frame: ClusterFrame, manifest: Manifest) -> NDArray[np.bool_]:
    names = tuple(manifest.codes["land_use"])
    return np.asarray(frame["land_use"] == names.index(name)) if name in names else np.zeros(len(frame), dtype=bool)


def within_road_limit(unit_cost: Floats, road_km: Floats, query: SitingQuery) -> Floats:
    """Unit costs with those beyond the longest haul made infinite, so that they are never taken [USD per BDT].

    Parameters
    ----------
    unit_cost : ndarray of float64, shape (n,)
        [USD per BDT]
    road_km : ndarray of float64, shape (n,)
        One way [km].
    query : SitingQuery
        The longest haul, if any [km].
    """
    if query.max_road_km is None:
        return unit_cost
    return np.where(road_km <= check("max_road_km", query.max_road_km), unit_cost, np.inf)
