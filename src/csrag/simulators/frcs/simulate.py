"""The public door: 34 inputs in, 20 outputs and codes out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from csrag.simulators.frcs.limits import stand_codes, system_codes
from csrag.simulators.frcs.ramps import Floats
from csrag.simulators.frcs.rates import machine_rates
from csrag.simulators.frcs.stand import Stand
from csrag.simulators.frcs.systems import HELICOPTERS, LARGE_TREE_FT3, SYSTEM_TABLE, System
from csrag.simulators.frcs.totals import Money, Yields, costs, feedstock_cost, fuel, yields
from csrag.simulators.frcs.validation import PARAMETERS, FrcsInputError, check_record
from csrag.simulators.frcs.work import Terms, Work

BLOCK_ROWS = 8192
"""Rows worked on at a time: some dozens of columns of this length stay in the cache of one core."""


@dataclass(frozen=True)
class Summary:
    """One half of the outputs; every field (n,) float64, NaN where a limit is exceeded.

    Parameters
    ----------
    yield_gt_per_acre : (n,) float64
        Yield [green short tons per acre].
    cost_usd_per_acre, cost_usd_per_bole_ccf, cost_usd_per_gt : (n,) float64
        Cost. Per GT is over the TOTAL yield in both halves, as in the package: for feedstock use cost per acre over
        yield per acre.
    diesel_gal_per_acre, diesel_gal_per_bole_ccf : (n,) float64
        Diesel.
    gasoline_gal_per_acre, gasoline_gal_per_bole_ccf : (n,) float64
        Gasoline of chainsaws.
    jet_fuel_gal_per_acre, jet_fuel_gal_per_bole_ccf : (n,) float64
        Jet fuel of helicopters.
    """

    yield_gt_per_acre: Floats
    cost_usd_per_acre: Floats
    cost_usd_per_bole_ccf: Floats
    cost_usd_per_gt: Floats
    diesel_gal_per_acre: Floats
    diesel_gal_per_bole_ccf: Floats
    gasoline_gal_per_acre: Floats
    gasoline_gal_per_bole_ccf: Floats
    jet_fuel_gal_per_acre: Floats
    jet_fuel_gal_per_bole_ccf: Floats


SUMMARY_FIELDS = tuple(f.name for f in fields(Summary))
PACKAGE_FIELDS = (
    "yieldPerAcre", "costPerAcre", "costPerBoleCCF", "costPerGT", "dieselPerAcre", "dieselPerBoleCCF",
    "gasolinePerAcre", "gasolinePerBoleCCF", "jetFuelPerAcre", "jetFuelPerBoleCCF",
)  # fmt: skip
"""The package's names of `SUMMARY_FIELDS`."""


@dataclass(frozen=True)
class FrcsOutputs:
    """Outputs of one system.

    Parameters
    ----------
    total_biomass, feedstock : Summary
        Everything that is cut; chip trees with recovered residue.
    codes : (n,) uint16
        Limits exceeded (`limits`), 0 for none.
    """

    total_biomass: Summary
    feedstock: Summary
    codes: NDArray[np.uint16]

    def as_package_names(self) -> dict[str, Floats]:
        """The 20 outputs under the package's names, such as ``feedstock.costPerAcre``."""
        halves = (("totalBiomass", self.total_biomass), ("feedstock", self.feedstock))
        return {
            f"{half}.{theirs}": getattr(summary, ours)
            for half, summary in halves
            for ours, theirs in zip(SUMMARY_FIELDS, PACKAGE_FIELDS, strict=True)
        }


def known_system(name: str) -> System:
    """The system called `name`.

    Raises
    ------
    FrcsInputError
        If there is none.
    """
    if name not in SYSTEM_TABLE:
        raise FrcsInputError([("unknown_system", f"unidentified System type {name!r}")])
    return SYSTEM_TABLE[name]


def _columns(inputs: Mapping[str, ArrayLike]) -> dict[str, NDArray[Any]]:
    """Inputs as arrays of their kinds.

    Raises
    ------
    FrcsInputError
        With missing and unknown keys and wrong kinds.
    """
    known = {k: v for k, v in inputs.items() if k != "system" and "User" not in k}
    unknown = [k for k in known if k not in PARAMETERS]
    if unknown:
        raise FrcsInputError([("type_error_unexpected_key", f"unknown param {k}") for k in unknown])
    found = [("missing_param", f"missing param {k}") for k in PARAMETERS if k != "system" and k not in known]
    out: dict[str, NDArray[Any]] = {}
    for key, value in known.items():
        array = np.asarray(value)
        kind = {"b": "boolean", "i": "number", "u": "number", "f": "number", "U": "string"}.get(
            array.dtype.kind, "object"
        )
        if kind != PARAMETERS[key]:
            found.append(("wrong_type", f"wrong type for {key} (should be {PARAMETERS[key]}, was {kind}) "))
        elif kind == "number":
            out[key] = np.ascontiguousarray(array, dtype=np.float64) if array.ndim else array.astype(np.float64)
        else:
            out[key] = np.ascontiguousarray(array) if array.ndim else array
    if found:
        raise FrcsInputError(found)
    return out


def _stand(c: Mapping[str, NDArray[Any]], large_tree_ft3: Floats) -> Stand:
    return Stand(
        c["slope"], c["deliverToLandingDistance"], c["elevation"], c["isPartialCut"],
        c["treesPerAcreCT"], c["treesPerAcreSLT"], c["treesPerAcreLLT"],
        c["volumeCT"], c["volumeSLT"], large_tree_ft3,
        c["woodDensityCT"], c["woodDensitySLT"], c["woodDensityLLT"],
        c["residueFractionCT"], c["residueFractionSLT"], c["residueFractionLLT"],
        c["hardwoodFractionCT"], c["hardwoodFractionSLT"], c["hardwoodFractionLLT"],
    )  # fmt: skip


def work_of(c: Mapping[str, NDArray[Any]], *, with_fuel: bool, air_distance: Floats | None = None) -> Work:
    """Checked inputs as a block of work, large log trees cut down to the 250 ft3 that FRCS extrapolates to.

    `air_distance` [ft] is the helicopters' distance where it differs.
    """
    rates = machine_rates(c["dieselFuelPrice"], c["wageFaller"], c["wageOther"], c["laborBenefits"], c["ppiCurrent"])
    terms = Terms(
        c["moistureContent"] / 100, c["residueRecovFracWT"] / 100, c["residueRecovFracCTL"] / 100,
        c["includeCostsCollectChipResidues"], c["isBiomassSalvage"], c["includeLoadingCosts"], c["includeMoveInCosts"],
        c["area"], c["moveInDistance"],
    )  # fmt: skip
    return Work(_stand(c, np.minimum(c["volumeLLT"], LARGE_TREE_FT3)), rates, terms, with_fuel, air_distance)


def _beyond(system: System, work: Work, c: Mapping[str, NDArray[Any]], total: dict[str, Floats]) -> None:
    """What the package does to the totals of rows with large log trees over 250 ft3.

    Cost and fuel per CCF are those at 250 ft3; times the true volume they make cost per acre, which the package divides
    by the area once more (harmless at 1 acre only); cost per ton comes from before that division.
    """
    over = np.asarray(c["volumeLLT"] > LARGE_TREE_FT3)
    if not over.any():
        return
    true = yields(system, Work(_stand(c, c["volumeLLT"]), work.rates, work.terms))
    cost = total["cost_usd_per_bole_ccf"] * true.bole_ccf
    new = {"yield_gt_per_acre": true.total_gt, "cost_usd_per_gt": cost / true.total_gt}
    for name in ("cost_usd", "diesel_gal", "gasoline_gal", "jet_fuel_gal"):
        new[f"{name}_per_acre"] = total[f"{name}_per_bole_ccf"] * true.bole_ccf / work.terms.area
    for name, values in new.items():
        total[name] = np.where(over, values, total[name])


def _halves(system: System, work: Work, taken: Yields) -> tuple[dict[str, Floats], dict[str, Floats]]:
    """All 20 outputs by field name, before salvage and the 250 ft3 rule."""
    total: dict[str, Floats] = {"yield_gt_per_acre": taken.total_gt}
    feedstock: dict[str, Floats] = {"yield_gt_per_acre": taken.feedstock_gt}
    both = ((total, "total"), (feedstock, "feedstock"))
    money = costs(system, work, taken)
    for half, name in both:
        cost = getattr(money, name)
        half["cost_usd_per_acre"] = cost
        half["cost_usd_per_bole_ccf"] = cost / taken.bole_ccf
        half["cost_usd_per_gt"] = cost / taken.total_gt
    fuels: tuple[tuple[str, Money], ...] = (
        ("diesel", fuel(system, work, taken, "diesel")),
        ("gasoline", fuel(system, work, taken, "gasoline")),
        ("jet_fuel", fuel(system, work, taken, "jet")),
    )
    for kind, burnt in fuels:
        for half, name in both:
            gal = getattr(burnt, name)
            half[f"{kind}_gal_per_acre"] = gal
            # A 0-d value is a fuel that this half of the system never burns: 0, not 0/0 where nothing is cut.
            half[f"{kind}_gal_per_bole_ccf"] = gal if gal.ndim == 0 else gal / taken.bole_ccf
    return total, feedstock


def simulate(system: str, inputs: Mapping[str, ArrayLike]) -> FrcsOutputs:
    """Run one system over rows.

    Parameters
    ----------
    system : str
        FRCS name.
    inputs : mapping of str to array_like
        The 33 inputs other than `system` (which is ignored if present) under the package's names, each (n,) or a
        scalar; booleans must be boolean. Units as in the package: ft, percent, acre, lb/ft3, ft3, USD.

    Returns
    -------
    FrcsOutputs
        Each output (n,) float64; NaN with a code where a limit is exceeded, and where the package gives NaN.

    Raises
    ------
    FrcsInputError
        Unknown system, missing or unknown input, wrong type.

    Notes
    -----
    Source: `@ucdavis/frcs` 2.0.0, to rounding, its quirks included. The package throws where a limit is exceeded.
    """
    chosen = known_system(system)
    columns = _columns(inputs)
    rows = np.broadcast_shapes((1,), *(a.shape for a in columns.values()))[0]
    halves = tuple({name: np.empty(rows) for name in SUMMARY_FIELDS} for _ in range(2))
    codes = np.empty(rows, dtype=np.uint16)
    for span, block in _blocks(columns, rows):
        # Full columns, so that a 0-d result can only be a fuel that is never burnt.
        n = span.stop - span.start
        full = {k: np.ascontiguousarray(np.broadcast_to(a, n)) for k, a in block.items()}
        with np.errstate(all="ignore"):
            found, codes[span] = _run(chosen, full)
        for half, values in zip(halves, found, strict=True):
            for name in SUMMARY_FIELDS:
                half[name][span] = values[name]
    return FrcsOutputs(Summary(**halves[0]), Summary(**halves[1]), codes)


def _blocks(columns: Mapping[str, NDArray[Any]], rows: int) -> Iterator[tuple[slice, dict[str, NDArray[Any]]]]:
    """Columns in blocks of rows; scalars stay scalars."""
    for start in range(0, rows, BLOCK_ROWS):
        span = slice(start, min(start + BLOCK_ROWS, rows))
        yield span, {k: a[span] if a.ndim and a.size > 1 else a for k, a in columns.items()}


def _run(system: System, c: Mapping[str, NDArray[Any]]) -> tuple[tuple[dict[str, Floats], ...], NDArray[np.uint16]]:
    """Both halves of the outputs of a block, and its codes."""
    work = work_of(c, with_fuel=True)
    total, feedstock = _halves(system, work, yields(system, work))
    _beyond(system, work, c, total)
    feedstock = {k: np.where(work.terms.salvage, total[k], feedstock[k]) for k in total}
    codes = stand_codes(work.stand) | system_codes(system, work.stand)
    return tuple({k: np.where(codes == 0, v, np.nan) for k, v in h.items()} for h in (total, feedstock)), codes


def simulate_record(record: Mapping[str, object]) -> FrcsOutputs:
    """Run one record of the package's 34 inputs, `system` included.

    Returns
    -------
    FrcsOutputs
        Arrays of length 1.

    Raises
    ------
    FrcsInputError
        Where the package throws, with its classes and messages.
    """
    check_record(record)
    return simulate(str(record["system"]), {k: v for k, v in record.items() if k in PARAMETERS})  # type: ignore[misc]


def feedstock(system: System, work: Work) -> tuple[Floats, Floats, NDArray[np.uint16]]:
    """Cost [USD/acre], yield [GT/acre] of feedstock and limits exceeded, of a block without salvage."""
    taken = yields(system, work)
    stand = work.flown if system.name in HELICOPTERS else work.stand
    return feedstock_cost(system, work, taken), taken.feedstock_gt, system_codes(system, stand)


def cost_and_yield(
    system: str, inputs: Mapping[str, ArrayLike]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.uint16]]:
    """Cost and yield of feedstock: the fast path, without fuel and move-in.

    Parameters
    ----------
    system : str
        FRCS name.
    inputs : mapping of str to array_like
        As for `simulate`. Move-in inputs are not used (it is charged to feedstock in Ground-Based CTL alone); salvage
        is not supported. Constant columns are best given as scalars.

    Returns
    -------
    cost_usd_per_acre, yield_gt_per_acre : (n,) float64
        Cost NaN where a limit is exceeded.
    codes : (n,) uint16
        Limits exceeded.

    Raises
    ------
    FrcsInputError
        As `simulate`.
    """
    cost, gt, codes = cost_and_yield_systems((system,), inputs)
    return cost[0], gt[0], codes[0]


def cost_and_yield_systems(
    systems: tuple[str, ...], inputs: Mapping[str, ArrayLike]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.uint16]]:
    """Cost and yield of feedstock under several systems, sharing what they share.

    Parameters
    ----------
    systems : tuple of str
        FRCS names: leave out what is not wanted.
    inputs : mapping of str to array_like
        As for `cost_and_yield`; one distance for all systems.

    Returns
    -------
    cost_usd_per_acre, yield_gt_per_acre : (S, n) float64
        Cost NaN where a limit is exceeded.
    codes : (S, n) uint16
        Limits exceeded.

    Raises
    ------
    FrcsInputError
        As `simulate`.
    """
    chosen = [known_system(s) for s in systems]
    columns = _columns(inputs)
    if columns["isBiomassSalvage"].any():
        raise FrcsInputError([("wrong_type", "isBiomassSalvage must be false on the fast path; use simulate")])
    rows = np.broadcast_shapes((1,), *(a.shape for a in columns.values()))[0]
    cost = np.empty((len(chosen), rows))
    gt = np.empty((len(chosen), rows))
    codes = np.empty((len(chosen), rows), dtype=np.uint16)
    with np.errstate(all="ignore"):
        for span, block in _blocks(columns, rows):
            work = work_of(block, with_fuel=False)
            common = stand_codes(work.stand)
            for i, system in enumerate(chosen):
                cost[i, span], gt[i, span], found = feedstock(system, work)
                codes[i, span] = common | found
    cost[codes != 0] = np.nan
    return cost, gt, codes
