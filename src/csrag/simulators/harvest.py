"""Harvest cost and tons of treated clusters: the catalog's columns in, the layers' columns out.

One cluster under one treatment is mapped to FRCS inputs once and run under every system wanted. Costs are USD per
bone-dry short ton (BDT) of feedstock at the landing: feedstock cost per acre over feedstock yield per acre, which is not
the package's `costPerGT` (that one divides by the total yield).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from csrag.errors import InvalidValueError
from csrag.quantities import check
from csrag.simulators.frcs.limits import COST_UNDEFINED, NO_FEEDSTOCK, UNROADED, stand_codes
from csrag.simulators.frcs.mapping import (
    Variant,
    check_variant,
    frcs_inputs,
    is_level,
    level_distance,
)
from csrag.simulators.frcs.ramps import Floats
from csrag.simulators.frcs.simulate import BLOCK_ROWS, Summary, feedstock, known_system, simulate, work_of
from csrag.simulators.frcs.work import Work
from csrag.surfaces.catalog import FEEDSTOCK_CLASSES, REMOVAL_COLUMNS, SITE_STAND_COLUMNS, SYSTEMS

STAND_COLUMNS = (*SITE_STAND_COLUMNS, *REMOVAL_COLUMNS)
"""Columns that `harvest` reads."""
PPI_LEAST = 150.0
"""A producer price index below this is of another base year: the machine prices have 176.6 in 2002."""


@dataclass(frozen=True)
class HarvestEconomics:
    """Prices and shares of harvesting; the defaults are those of the layers.

    Parameters
    ----------
    diesel_usd_per_gal : float
        Diesel [USD per gal].
    faller_wage_usd_per_h, other_wage_usd_per_h : float
        Wages before benefits [USD per h].
    benefits_pct : float
        Benefits [percent of wage].
    ppi : float
        Producer price index of machines, 176.6 in 2002.
    moisture_pct : float
        Moisture [percent, wet basis].
    residue_recovery_wt_pct, residue_recovery_ctl_pct : float
        Residue recovered by whole-tree and by cut-to-length systems [percent].

    Raises
    ------
    InvalidValueError
        A value out of range, or a price index of another base.
    """

    diesel_usd_per_gal: float = 4.50
    faller_wage_usd_per_h: float = 35.13
    other_wage_usd_per_h: float = 22.07
    benefits_pct: float = 35.0
    ppi: float = 284.7
    moisture_pct: float = 50.0
    residue_recovery_wt_pct: float = 80.0
    residue_recovery_ctl_pct: float = 50.0

    def __post_init__(self) -> None:
        """Check every field."""
        for name in ("diesel_usd_per_gal", "faller_wage_usd_per_h", "other_wage_usd_per_h", "benefits_pct", "ppi"):
            check(name, getattr(self, name))
        check("moisture_pct", self.moisture_pct)
        if self.ppi < PPI_LEAST:
            raise InvalidValueError(
                f"ppi = {self.ppi:g} is a price index of another base year.",
                "Give it on the base where the year 2002 is 176.6; October 2021 is 284.7 there.",
            )
        for name in ("residue_recovery_wt_pct", "residue_recovery_ctl_pct"):
            share = getattr(self, name)
            if not 0 <= share <= 100:
                raise InvalidValueError(
                    f"{name} = {share:g} percent is outside the allowed range.", "It must be 0 to 100."
                )


@dataclass(frozen=True)
class Harvest:
    """What cutting each cluster costs and yields.

    Parameters
    ----------
    cost_usd_per_bdt : (S, n) float64
        Harvest cost of feedstock at the landing [USD/BDT]; NaN where infeasible.
    feedstock_bdt : (4, n) float64
        Feedstock of the whole cluster by class of `catalog.FEEDSTOCK_CLASSES` [BDT], feasible or not.
    coproduct_bdt : (n,) float64
        Saw logs of the whole cluster [BDT].
    codes : (S, n) uint16
        Why infeasible, bits of `csrag.simulators.frcs.limits`; 0 exactly where the cost is finite.
    """

    cost_usd_per_bdt: NDArray[np.float64]
    feedstock_bdt: NDArray[np.float64]
    coproduct_bdt: NDArray[np.float64]
    codes: NDArray[np.uint16]


class TreatmentCost(NamedTuple):
    """The whole treatment, saw logs included, each cluster under its own system.

    Parameters
    ----------
    cost_usd_per_acre : (n,) float64
        Cost of everything cut [USD/acre]; NaN where there is no system or it is infeasible.
    yield_gt_per_acre : (n,) float64
        Everything taken, green [GT/acre].
    yield_gt : (n,) float64
        The same of the whole cluster [GT].
    feedstock_gal_per_gt, total_gal_per_gt : (3, n) float64
        Diesel, gasoline and jet fuel that the harvest burns for a green ton of feedstock, and of everything taken
        [gal/GT]; NaN where there is no yield or FRCS gives no figure.
    """

    cost_usd_per_acre: NDArray[np.float64]
    yield_gt_per_acre: NDArray[np.float64]
    yield_gt: NDArray[np.float64]
    feedstock_gal_per_gt: NDArray[np.float64]
    total_gal_per_gt: NDArray[np.float64]


def _rows(stand: Mapping[str, NDArray[np.generic]]) -> int:
    missing = [name for name in STAND_COLUMNS if name not in stand]
    if missing:
        raise InvalidValueError(
            f"The stand has no column {', '.join(missing)}.", f"It needs {', '.join(STAND_COLUMNS)}."
        )
    lengths = {len(stand[name]) for name in STAND_COLUMNS}
    if len(lengths) != 1:
        raise InvalidValueError("The stand's columns differ in length.", "Give columns of one length.")
    return lengths.pop()


def _blocks(stand: Mapping[str, NDArray[np.generic]], rows: int) -> Iterator[tuple[slice, dict[str, Floats]]]:
    for start in range(0, rows, BLOCK_ROWS):
        span = slice(start, min(start + BLOCK_ROWS, rows))
        yield span, {name: np.ascontiguousarray(stand[name][span], dtype=np.float64) for name in STAND_COLUMNS}


def _clear_cut(clear_cut: bool, variant: Variant) -> bool:
    # The backend compares the id with a string and never finds its clear cut.
    return clear_cut and variant != "backend"


def _tons(work: Work, block: Mapping[str, Floats], dry_share: float) -> tuple[list[Floats], Floats]:
    """Feedstock by class and saw logs of whole clusters [BDT]."""
    stand, terms = work.stand, work.terms
    bdt = block["area_acres"] * dry_share
    chips = stand.bole_ct
    tops = terms.recovery_wt * stand.residue_ct
    by_class = {
        "whole_tree": terms.recovery_wt * stand.residue_slt + chips + tops,
        "whole_tree_chips_only": chips + tops,
        "log": chips,
        "cut_to_length": terms.recovery_ctl * stand.residue_st + chips,
    }
    return [by_class[name] * bdt for name in FEEDSTOCK_CLASSES], (stand.bole_slt + stand.bole_llt) * bdt


def harvest(
    stand: Mapping[str, NDArray[np.generic]],
    systems: Sequence[str],
    economics: HarvestEconomics | None = None,
    *,
    clear_cut: bool,
    mapping: str = "split",
) -> Harvest:
    """Cost and tons of clusters under one treatment and several systems.

    Parameters
    ----------
    stand : mapping of str to (n,) array
        `STAND_COLUMNS`, any float type; computed in float64.
    systems : sequence of str
        FRCS names, in the order wanted.
    economics : HarvestEconomics, optional
        Prices; the defaults of the layers.
    clear_cut : bool
        The treatment is FRCS's clear cut.
    mapping : {"split", "fixed", "backend"}
        See `csrag.simulators.frcs.mapping`; `backend` never clear-cuts.

    Returns
    -------
    Harvest
        A row's values depend on that row alone, to the last bit.

    Raises
    ------
    InvalidValueError
        A column is missing, columns differ in length, or the mapping or a system is unknown.
    """
    variant, prices = check_variant(mapping), economics or HarvestEconomics()
    chosen = [known_system(name) for name in systems]
    rows, dry_share = _rows(stand), 1 - prices.moisture_pct / 100
    cost = np.empty((len(chosen), rows))
    codes = np.empty((len(chosen), rows), dtype=np.uint16)
    feedstock_bdt = np.empty((len(FEEDSTOCK_CLASSES), rows))
    coproduct_bdt = np.empty(rows)
    # Any system that works along the slope stands for all of them; helicopters get their own distance.
    on_the_ground = next(name for name in SYSTEMS if not is_level(name, variant))
    with np.errstate(all="ignore"):
        for span, block in _blocks(stand, rows):
            inputs = frcs_inputs(
                block, on_the_ground, prices, clear_cut=_clear_cut(clear_cut, variant), variant=variant
            )
            slope_work = work_of(inputs, with_fuel=False, air_distance=level_distance(block))
            feedstock_bdt[:, span], coproduct_bdt[span] = _tons(slope_work, block, dry_share)
            common = stand_codes(slope_work.stand) | ((block["roaded"] == 0) * np.uint16(UNROADED))
            for i, system in enumerate(chosen):
                # The backend's slip: this helicopter system gets the distance along the slope.
                work = slope_work
                if system.name == "Helicopter Manual Log" and not is_level(system.name, variant):
                    work = work_of(inputs, with_fuel=False)
                usd, gt, limits = feedstock(system, work)
                cost[i, span], codes[i, span] = _judge(usd, gt, common | limits, dry_share)
    return Harvest(cost, feedstock_bdt, coproduct_bdt, codes)


def _judge(usd: Floats, gt: Floats, limits: NDArray[np.uint16], dry_share: float) -> tuple[Floats, NDArray[np.uint16]]:
    """Unit cost [USD/BDT] and final codes of one system."""
    some = np.isfinite(gt) & (gt > 0)
    per_bdt = usd / (gt * dry_share)
    codes = limits | (~some * np.uint16(NO_FEEDSTOCK))
    defined = np.isfinite(per_bdt) & (per_bdt >= 0)
    codes = codes | ((~defined & (codes == 0)) * np.uint16(COST_UNDEFINED))
    return np.where(codes == 0, per_bdt, np.nan), codes


def treatment_cost(
    stand: Mapping[str, NDArray[np.generic]],
    system_index: NDArray[np.integer],
    economics: HarvestEconomics | None = None,
    *,
    clear_cut: bool,
    mapping: str = "split",
) -> TreatmentCost:
    """Cost and yield of everything that a treatment cuts, for the clusters at hand.

    Parameters
    ----------
    stand : mapping of str to (n,) array
        `STAND_COLUMNS`.
    system_index : (n,) int
        Each cluster's system as an index into `catalog.SYSTEMS`; negative for none.
    economics : HarvestEconomics, optional
        Prices; the defaults of the layers.
    clear_cut : bool
        The treatment is FRCS's clear cut.
    mapping : {"split", "fixed", "backend"}
        See `csrag.simulators.frcs.mapping`.

    Returns
    -------
    TreatmentCost
        FRCS `totalBiomass`, without move-in.

    Raises
    ------
    InvalidValueError
        As `harvest`; or the index has another length, or names no system.
    """
    variant, prices = check_variant(mapping), economics or HarvestEconomics()
    rows = _rows(stand)
    index = np.asarray(system_index)
    if index.shape != (rows,):
        raise InvalidValueError("The system of each cluster has another length than the stand.", "Give one a row.")
    if rows and index.max() >= len(SYSTEMS):
        raise InvalidValueError(f"There is no system number {index.max()}.", f"Give 0 to {len(SYSTEMS) - 1}.")
    cost, gt = np.full(rows, np.nan), np.full(rows, np.nan)
    feedstock_fuel, total_fuel = np.full((3, rows), np.nan), np.full((3, rows), np.nan)
    for i in np.unique(index[index >= 0]):
        at = np.flatnonzero(index == i)
        block = {name: np.ascontiguousarray(stand[name][at], dtype=np.float64) for name in STAND_COLUMNS}
        system = SYSTEMS[int(i)]
        inputs = frcs_inputs(block, system, prices, clear_cut=_clear_cut(clear_cut, variant), variant=variant)
        out = simulate(system, inputs)
        unroaded = block["roaded"] == 0
        cost[at] = np.where(unroaded, np.nan, out.total_biomass.cost_usd_per_acre)
        gt[at] = np.where(unroaded, np.nan, out.total_biomass.yield_gt_per_acre)
        feedstock_fuel[:, at] = np.where(unroaded, np.nan, _gal_per_gt(out.feedstock))
        total_fuel[:, at] = np.where(unroaded, np.nan, _gal_per_gt(out.total_biomass))
    acres = np.asarray(stand["area_acres"], dtype=np.float64)
    return TreatmentCost(cost, gt, gt * acres, feedstock_fuel, total_fuel)


def _gal_per_gt(half: Summary) -> Floats:
    """Diesel, gasoline, jet fuel [gal/GT] of one half of FRCS's outputs."""
    fuel = np.stack([half.diesel_gal_per_acre, half.gasoline_gal_per_acre, half.jet_fuel_gal_per_acre])
    gt = half.yield_gt_per_acre
    return np.where(gt > 0, fuel / np.where(gt > 0, gt, 1.0), np.nan)
