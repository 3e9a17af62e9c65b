"""From a treated cluster to FRCS inputs.

Three variants. `backend` is what FRREDSS computes, slips included. `fixed` mends four of them: treatment id, helicopter
name, infinite residue fraction, NaN slope. `split` is ours and the default: `backend` and `fixed` book all branches to the
chip trees and count their volume as bole, which inflates tree volume, dilutes density and leaves saw-log tops without
feedstock; `split` shares branches between the classes by size and feeds FRCS bole volumes and green density.

Columns are those of `csrag.surfaces.catalog` (`SITE_STAND_COLUMNS` and `REMOVAL_COLUMNS`); dry short tons per acre.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from csrag.errors import InvalidValueError
from csrag.simulators.frcs.ramps import Floats
from csrag.simulators.frcs.systems import HELICOPTERS

Variant = Literal["backend", "fixed", "split"]
VARIANTS: tuple[Variant, ...] = ("backend", "fixed", "split")

CM_PER_INCH = 2.54
SHORT_TON_PER_KG = 0.00110231
LB_FT3_PER_KG_M3 = 0.06242796
LB_PER_SHORT_TON = 2000
CHIP_DBH_IN = (5.0, 7.5)
"""Representative diameters of the classes 4-6 and 6-9 in [in]."""
LOG_DBH_IN = 12.0
"""Representative diameter of the class over 9 in [in]."""
HARDWOOD_SHARE = {"CT": 0.2, "SLT": 0.0, "LLT": 0.0}

CHIP_TREE_TONS = tuple(SHORT_TON_PER_KG * math.exp(-3.6295 + 2.7174 * math.log(d * CM_PER_INCH)) for d in CHIP_DBH_IN)
"""Dry stem mass of the representative chip trees [short tons] (FRREDSS)."""
LOG_TREE_TONS = SHORT_TON_PER_KG * (0.0675 * (LOG_DBH_IN * CM_PER_INCH) ** 2.245)
"""Dry stem mass of the representative log tree [short tons] (FRREDSS)."""

JENKINS_SOFTWOOD = {"foliage": (-2.9584, 4.4766), "stem_bark": (-2.0980, -1.1432), "stem_wood": (-0.3737, -1.8055)}
"""Component shares of aboveground mass, exp(b0 + b1 / dbh in cm): Jenkins et al. 2003, Forest Science 49(1), softwood."""

# Systems whose distance the variant leaves level. FRREDSS names one that does not exist.
_LEVEL = {"backend": frozenset({"Helicopter CTL"}), "fixed": HELICOPTERS, "split": HELICOPTERS}


class Economics(Protocol):
    """Prices that FRCS needs; `csrag.simulators.harvest.HarvestEconomics` is one."""

    @property
    def diesel_usd_per_gal(self) -> float:
        """Diesel [USD per gal]."""

    @property
    def faller_wage_usd_per_h(self) -> float:
        """Faller's wage [USD per h]."""

    @property
    def other_wage_usd_per_h(self) -> float:
        """Other workers' wage [USD per h]."""

    @property
    def benefits_pct(self) -> float:
        """Benefits [percent of wage]."""

    @property
    def ppi(self) -> float:
        """Producer price index, 2002 = 176.6."""

    @property
    def moisture_pct(self) -> float:
        """Moisture [percent, wet basis]."""

    @property
    def residue_recovery_wt_pct(self) -> float:
        """Residue recovered by whole-tree systems [percent]."""

    @property
    def residue_recovery_ctl_pct(self) -> float:
        """Residue recovered by cut-to-length systems [percent]."""


def branch_ratio(dbh_in: float) -> float:
    """Branches and tops over stem (wood and bark) of a softwood tree.

    Parameters
    ----------
    dbh_in : float
        Diameter at breast height [in].

    Returns
    -------
    float
        Dry mass ratio.

    Notes
    -----
    Jenkins, Chojnacky, Heath and Birdsey 2003, component equations; branches are what the three named parts leave.
    """
    share = {k: math.exp(b0 + b1 / (dbh_in * CM_PER_INCH)) for k, (b0, b1) in JENKINS_SOFTWOOD.items()}
    return (1 - sum(share.values())) / (share["stem_bark"] + share["stem_wood"])


BRANCH_RATIO = tuple(branch_ratio(d) for d in (*CHIP_DBH_IN, LOG_DBH_IN))
"""Branch ratios of the three size classes."""


def check_variant(name: str) -> Variant:
    """`name` as a variant.

    Raises
    ------
    InvalidValueError
        If there is no such variant.
    """
    for known in VARIANTS:
        if name == known:
            return known
    raise InvalidValueError(f"mapping {name!r} is not known.", f"It must be one of {', '.join(VARIANTS)}.")


def is_clear_cut(treatment_id: object, variant: Variant) -> bool:
    """Whether a FRREDSS treatment id is the clear cut (id 1).

    The backend compares with the string "1", and its database hands out numbers: there it never is.
    """
    if variant == "backend":
        return treatment_id == "1" and isinstance(treatment_id, str)
    try:
        return float(str(treatment_id)) == 1
    except ValueError:
        return False


def _zero_if_nan(x: Floats) -> Floats:
    return np.where(np.isnan(x), 0.0, x)


def _where_both(a: Floats, b: Floats, value: Floats) -> Floats:
    """`value` where a and b are neither 0 nor NaN, else 0."""
    return np.where((a != 0) & (b != 0) & ~np.isnan(a) & ~np.isnan(b), value, 0.0)


def split_branches(s46: Floats, s69: Floats, s9: Floats, branch: Floats) -> tuple[Floats, Floats]:
    """Branches of chip trees and of log trees, in proportion to stem mass times branch ratio.

    Parameters
    ----------
    s46, s69, s9 : (n,) float64
        Removed stems by class [BDT/acre].
    branch : (n,) float64
        Removed branches and tops [BDT/acre].

    Returns
    -------
    chip, log : (n,) float64
        The two parts [BDT/acre]; both 0 where no stem is removed.
    """
    chip = s46 * BRANCH_RATIO[0] + s69 * BRANCH_RATIO[1]
    log = s9 * BRANCH_RATIO[2]
    total = chip + log
    with np.errstate(all="ignore"):
        per = np.where(total > 0, branch / total, 0.0)
    return chip * per, log * per


def trees_and_wood(stand: Mapping[str, Floats], moisture_pct: float, variant: Variant) -> dict[str, Floats]:
    """Trees, volumes, densities and residue fractions.

    Parameters
    ----------
    stand : mapping of str to (n,) float64
        Catalog columns.
    moisture_pct : float
        Moisture [percent, wet basis].
    variant : {"backend", "fixed", "split"}
        Mapping.

    Returns
    -------
    dict of str to (n,) or () float64
        FRCS inputs under the package's names.
    """
    s46, s69 = stand["stem_4_6_bdt_per_acre"], stand["stem_6_9_bdt_per_acre"]
    s9, branch = stand["stem_9_plus_bdt_per_acre"], stand["branch_bdt_per_acre"]
    dry_share = 1 - moisture_pct / 100
    lb_ft3 = stand["wood_density_kg_per_m3"] * LB_FT3_PER_KG_M3
    chip = s46 + s69
    trees_ct = s46 / CHIP_TREE_TONS[0] + s69 / CHIP_TREE_TONS[1]
    trees_slt = s9 / LOG_TREE_TONS
    zero = np.asarray(0.0)
    ft3_slt = LB_PER_SHORT_TON * s9 / lb_ft3
    if variant == "split":
        chip_branch, log_branch = split_branches(s46, s69, s9, branch)
        ft3_ct = LB_PER_SHORT_TON * chip / lb_ft3
        density_ct = density_slt = lb_ft3 / dry_share
        residue_ct = np.where(chip > 0, chip_branch / chip, 0.0)
        residue_slt = np.where(s9 > 0, log_branch / s9, 0.0)
    else:
        ft3_ct = (LB_PER_SHORT_TON * chip + LB_PER_SHORT_TON * branch) / lb_ft3
        green_ct = LB_PER_SHORT_TON * chip / dry_share
        green_slt = LB_PER_SHORT_TON * s9 / dry_share
        density_ct = _where_both(ft3_ct, green_ct, green_ct / ft3_ct)
        density_slt = _where_both(ft3_slt, green_slt, green_slt / ft3_slt)
        residue_ct = _zero_if_nan(LB_PER_SHORT_TON * branch / dry_share / green_ct)
        if variant == "fixed":
            residue_ct = np.where(np.isfinite(residue_ct), residue_ct, 0.0)
        residue_slt = zero
    return {
        "woodDensityCT": density_ct,
        "woodDensitySLT": density_slt,
        "woodDensityLLT": zero,
        "residueFractionCT": residue_ct,
        "residueFractionSLT": residue_slt,
        "residueFractionLLT": zero,
        **{f"hardwoodFraction{c}": np.asarray(share) for c, share in HARDWOOD_SHARE.items()},
        "treesPerAcreCT": trees_ct,
        "volumeCT": _where_both(ft3_ct, trees_ct, ft3_ct / trees_ct),
        "treesPerAcreSLT": trees_slt,
        "volumeSLT": _where_both(ft3_slt, trees_slt, ft3_slt / trees_slt),
        "treesPerAcreLLT": zero,
        "volumeLLT": zero,
    }


def level_distance(stand: Mapping[str, Floats]) -> Floats:
    """Yarding distance as the crow flies [ft]."""
    return stand["yarding_ft"]


def slope_distance(stand: Mapping[str, Floats], variant: Variant) -> Floats:
    """Yarding distance along the slope [ft]: level distance times sqrt(1 + (grade/100)^2).

    An unknown grade counts as level ground, except in `backend`.
    """
    grade = stand["grade_pct"] if variant == "backend" else _zero_if_nan(stand["grade_pct"])
    ratio = grade / 100
    return stand["yarding_ft"] * np.sqrt(1 + ratio * ratio)


def is_level(system: str, variant: Variant) -> bool:
    """Whether `system` works over the level distance."""
    return system in _LEVEL[variant]


def frcs_slope(stand: Mapping[str, Floats], variant: Variant) -> Floats:
    """Slope given to FRCS [percent].

    `split`: terrain slope, grade to the landing where that is unknown, NaN where both are. `backend` and `fixed`: the
    grade, which is the slope column of FRREDSS, 0 where unknown.
    """
    if variant == "split":
        return np.where(np.isnan(stand["slope_pct"]), stand["grade_pct"], stand["slope_pct"])
    return _zero_if_nan(stand["grade_pct"])


def frcs_inputs(
    stand: Mapping[str, Floats],
    system: str,
    economics: Economics,
    *,
    clear_cut: bool | NDArray[np.bool_],
    variant: Variant = "split",
) -> dict[str, NDArray[Any]]:
    """All FRCS inputs of clusters but the system's name.

    Parameters
    ----------
    stand : mapping of str to (n,) float64
        Catalog columns.
    system : str
        FRCS name; it decides the distance only.
    economics : Economics
        Prices, moisture, recovery.
    clear_cut : bool or (n,) bool
        The treatment is a clear cut. The backend's own slip on it is in `is_clear_cut`.
    variant : {"backend", "fixed", "split"}
        Mapping.

    Returns
    -------
    dict of str to (n,) or () array
        Inputs of `simulate` under the package's names.
    """
    with np.errstate(all="ignore"):
        distance = level_distance(stand) if is_level(system, variant) else slope_distance(stand, variant)
        return {
            "isPartialCut": np.asarray(~np.asarray(clear_cut, dtype=np.bool_)),
            "deliverToLandingDistance": distance,
            "slope": frcs_slope(stand, variant),
            "elevation": _zero_if_nan(stand["elevation_ft"]),
            "includeLoadingCosts": np.asarray(True),
            "includeMoveInCosts": np.asarray(False),
            "area": stand["area_acres"],
            "moveInDistance": np.asarray(0.0),
            "includeCostsCollectChipResidues": np.asarray(True),
            **trees_and_wood(stand, economics.moisture_pct, variant),
            "dieselFuelPrice": np.asarray(float(economics.diesel_usd_per_gal)),
            "moistureContent": np.asarray(float(economics.moisture_pct)),
            "isBiomassSalvage": np.asarray(False),
            "wageFaller": np.asarray(float(economics.faller_wage_usd_per_h)),
            "wageOther": np.asarray(float(economics.other_wage_usd_per_h)),
            "laborBenefits": np.asarray(float(economics.benefits_pct)),
            "ppiCurrent": np.asarray(float(economics.ppi)),
            "residueRecovFracWT": np.asarray(float(economics.residue_recovery_wt_pct)),
            "residueRecovFracCTL": np.asarray(float(economics.residue_recovery_ctl_pct)),
        }
