"""From operations to what a system yields, costs and burns per acre."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from csrag.simulators.frcs.inner_move_in import (
    bundle_move_in_usd_per_gt,
    move_in_gal_per_acre,
    move_in_usd_per_ccf,
)
from csrag.simulators.frcs.ramps import Floats
from csrag.simulators.frcs.systems import Fuel, Part, Share, System
from csrag.simulators.frcs.work import Work
from csrag.simulators.lowboy import BUNDLE_LOADS

CHAINSAW_GAL_PER_CCF = 0.077797403
"""Gasoline of chainsaws [gal/CCF], a constant of FRCS."""


@dataclass
class Money:
    """Cost or fuel of one system per acre, total and the part that feedstock pays."""

    total: Floats
    feedstock: Floats


@dataclass
class Yields:
    """What a system takes, per acre.

    Parameters
    ----------
    bole_ccf : (n,) float64
        Bole volume [CCF/acre].
    optional_gt : (n,) float64
        Optional residue recovered [GT/acre].
    total_gt, feedstock_gt : (n,) float64
        Everything; chip trees with residue [GT/acre].
    """

    bole_ccf: Floats
    optional_gt: Floats
    total_gt: Floats
    feedstock_gt: Floats


def yields(system: System, work: Work) -> Yields:
    """What `system` takes from each row."""
    stand, terms = work.stand, work.terms
    everything = system.takes == "all"
    bole = stand.bole_all if everything else stand.bole_st
    zero = np.asarray(0.0)
    primary = terms.recovery_wt * stand.residue_ct if system.whole_tree else zero
    optional = zero
    if system.residue is not None:
        found = (
            terms.recovery_wt * stand.residue_slt
            if system.residue == "loose"
            else terms.recovery_ctl * stand.residue_st
        )
        optional = found if terms.collect.all() else np.where(terms.collect, found, 0.0)
    return Yields(
        (stand.vol_all if everything else stand.vol_st) / 100,
        optional,
        bole + primary + optional,
        optional + stand.bole_ct + primary,
    )


def _volume(part: Part, work: Work) -> Floats:
    found: Floats = getattr(work.stand, f"vol_{part.group}")
    return found


def _share(share: Share, system: System, work: Work) -> tuple[Floats, Floats]:
    """The chip trees' weight and the weight it is a part of."""
    stand = work.stand
    if share == "weight_st":
        return stand.bole_ct + stand.residue_ct, stand.bole_st + stand.residue_st
    if share == "weight_all":
        return stand.bole_ct + stand.residue_ct, stand.bole_all + stand.residue_all
    return stand.bole_ct, stand.bole_all if system.takes == "all" else stand.bole_st


def _feedstock_part(amount: Floats, share: Share, system: System, work: Work) -> Floats:
    if share == "all":
        return amount
    top, bottom = _share(share, system, work)
    return np.where(bottom > 0, amount * (top / bottom), 0.0)


def _chipped_ccf(system: System, work: Work) -> Floats:
    """Volume that is chipped as trees or logs [CCF/acre]."""
    stand = work.stand
    if not work.terms.salvage.any():
        return stand.vol_ct / 100
    return np.where(work.terms.salvage, stand.vol_all if system.takes == "all" else stand.vol_st, stand.vol_ct) / 100


def feedstock_cost(system: System, work: Work, taken: Yields) -> Floats:
    """Cost of feedstock [USD/acre] without move-in: the fast path; of rows that are not salvage."""
    cost = work.operation(system.chip).usd_per_ccf * (work.stand.vol_ct / 100)
    by_share: dict[Share, Floats] = {}
    for part in system.parts:
        if part.share == "none":
            continue
        amount = work.operation(part.operation).usd_per_ccf * _volume(part, work)
        by_share[part.share] = by_share[part.share] + amount if part.share in by_share else amount
    for share, amount in by_share.items():
        cost = cost + _feedstock_part(amount / 100, share, system, work)
    return cost + _residue_cost(system, work, taken).feedstock


def _residue_cost(system: System, work: Work, taken: Yields) -> Money:
    """Cost of the optional residue, for the total and for feedstock."""
    zero = np.asarray(0.0)
    if system.residue is None and system.prices_no_residue == "never":
        return Money(zero, zero)
    if system.residue == "bundles":
        cost = sum((op.usd_per_ccf for op in work.bundled_residue), zero) * taken.optional_gt
    else:
        cost = work.loose_residue.usd_per_ccf * taken.optional_gt
    if not work.terms.collect.all():
        cost = np.where(work.terms.collect, cost, 0.0)
    return Money(cost, zero if system.prices_no_residue == "total" else cost)


def _residue_fuel(system: System, work: Work, taken: Yields) -> Floats:
    if system.residue is None:
        return np.asarray(0.0)
    operations = (work.loose_residue,) if system.residue == "loose" else work.bundled_residue
    fuel = sum((op.gal_per_ccf for op in operations if op.gal_per_ccf is not None), np.asarray(0.0))
    return np.where(work.terms.collect, fuel * taken.optional_gt, 0.0)


def costs(system: System, work: Work, taken: Yields) -> Money:
    """Cost per acre with move-in [USD/acre]; the feedstock half is not yet the total for salvage rows."""
    terms = work.terms
    total = work.operation(system.chip).usd_per_ccf * _chipped_ccf(system, work)
    feedstock = total
    for part in system.parts:
        amount = work.operation(part.operation).usd_per_ccf * _volume(part, work) / 100
        total = total + (np.where(terms.salvage, 0.0, amount) if part.unless_salvage else amount)
        if part.share != "none":
            feedstock = feedstock + _feedstock_part(amount, part.share, system, work)
    residue = _residue_cost(system, work, taken)
    per_ccf = move_in_usd_per_ccf(system, work)
    moved = np.where(terms.include_move_in, per_ccf * taken.bole_ccf, 0.0)
    total, feedstock = total + moved + residue.total, feedstock + residue.feedstock
    # Cut-to-length systems move the residue machines too, a bundler and a forwarder on the ground; whole-tree and log
    # systems pay nothing. Kept as rate times amount: an infinite one of them makes NaN in the package as well.
    rate: Floats = np.asarray(0.0)
    if system.takes == "st":
        rate = per_ccf if "helicopter" in system.machines else bundle_move_in_usd_per_gt(work)
    moved = np.where(terms.include_move_in & terms.collect, rate * taken.optional_gt, 0.0)
    total = total + moved
    if system.takes == "st":
        feedstock = feedstock + moved
    return Money(total, feedstock)


def fuel(system: System, work: Work, taken: Yields, kind: Fuel) -> Money:
    """Fuel of one kind per acre [gal/acre]; the feedstock half is not yet the total for salvage rows."""
    terms = work.terms
    total: Floats = np.asarray(0.0)
    feedstock: Floats = np.asarray(0.0)
    for part in system.parts:
        if part.fuel != kind:
            continue
        if kind == "gasoline":
            amount = CHAINSAW_GAL_PER_CCF * _volume(part, work) / 100
        else:
            per_ccf = work.operation(part.operation).gal_per_ccf
            assert per_ccf is not None
            amount = part.fuel_times * per_ccf * _volume(part, work) / 100
        total = total + (np.where(terms.salvage, 0.0, amount) if part.unless_salvage else amount)
        if part.share != "none" and part.fuel_to_feedstock:
            feedstock = feedstock + _feedstock_part(amount, part.share, system, work)
    if kind != "diesel":
        return Money(total, feedstock)
    chip = work.operation(system.chip).gal_per_ccf
    assert chip is not None
    chipped = chip * _chipped_ccf(system, work)
    residue = _residue_fuel(system, work, taken)
    bundles = system.residue == "bundles"
    loads = system.diesel_loads + (BUNDLE_LOADS * terms.collect if bundles else 0)
    moved = np.where(terms.include_move_in, move_in_gal_per_acre(np.asarray(loads), work), 0.0)
    total, feedstock = total + chipped + moved + residue, feedstock + chipped + residue
    if bundles:
        moved = move_in_gal_per_acre(np.asarray(float(BUNDLE_LOADS)), work)
        feedstock = feedstock + np.where(terms.include_move_in & terms.collect, moved, 0.0)
    return Money(total, feedstock)
