"""The ten systems as tables: which operation handles which trees, and what part of it feedstock pays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from csrag.surfaces.catalog import SYSTEMS

Group = Literal["ct", "slt", "llt", "st", "alt", "all"]
Fuel = Literal["diesel", "gasoline", "jet"]
Share = Literal["none", "all", "weight_st", "weight_all", "bole"]
"""Part of an operation's cost that feedstock pays: nothing; all; the chip trees' share of the weight (bole and residue)
of small trees or of all trees; the chip trees' share of the boles that the system takes."""


@dataclass(frozen=True)
class Part:
    """One operation of a system.

    Parameters
    ----------
    operation : str
        Name of the operation, an attribute of `work.Work`.
    group : str
        Trees it handles; its cost is USD per CCF of them.
    share : str
        Part of its cost that feedstock pays.
    fuel : str
        What it burns.
    unless_salvage : bool
        Left out when every tree is chipped.
    fuel_times : float
        Fuel in multiples of the operation's own.
    fuel_to_feedstock : bool
        False where the package charges feedstock the cost but not the fuel.
    """

    operation: str
    group: Group
    share: Share = "none"
    fuel: Fuel = "diesel"
    unless_salvage: bool = False
    fuel_times: float = 1.0
    fuel_to_feedstock: bool = True


@dataclass(frozen=True)
class System:
    """One harvesting system.

    Parameters
    ----------
    name : str
        FRCS name.
    parts : tuple of Part
        Felling, extraction, processing and loading; chipping is added by `chip`.
    chip : str
        Chipping operation of chip trees.
    takes : str
        Trees whose boles leave the stand: "all", or "st" where large log trees stay.
    whole_tree : bool
        Residue of chip trees comes along with them.
    residue : str or None
        Optional collection of other residue: "loose" (of small log trees), "bundles" (of small trees), None.
    machines : tuple of str
        Machines moved in, chipper aside; "helicopter" flies.
    move_loads : int
        Lowboy loads of the move-in cost, chipper aside.
    diesel_loads : int
        Lowboy loads of the move-in fuel.
    slope_limit_pct, distance_limit_ft : float
        Limits (exceeding is an error); distance 0 is none.
    prices_no_residue : str
        Where the package adds the residue price times no residue: nothing, unless the price is not a number.
    """

    name: str
    parts: tuple[Part, ...]
    chip: str
    takes: Literal["all", "st"]
    whole_tree: bool
    residue: Literal["loose", "bundles"] | None
    machines: tuple[str, ...]
    move_loads: int
    diesel_loads: int
    slope_limit_pct: float
    distance_limit_ft: float
    prices_no_residue: Literal["never", "total", "both"] = "never"


TREE_LIMIT_FT3 = 80.0
"""Largest chip tree and small log tree [ft3], any system."""
LARGE_TREE_FT3 = 250.0
"""Volume at which FRCS stops extrapolating the felling of large log trees [ft3]."""
HELICOPTERS = frozenset(SYSTEMS[8:10])

_LOAD = Part("load_full_length", "alt", unless_salvage=True)
_LOAD_CTL = Part("load_ctl", "slt", unless_salvage=True)
_PROCESS = Part("process", "slt", unless_salvage=True)
_FELL_ST = Part("fell_small_trees", "st", "weight_st", "gasoline")
_FELL_LLT = Part("fell_limb_buck_large", "llt", "none", "gasoline")
_FELL_ALL = Part("fell_limb_buck_all", "all", "bole", "gasoline")
_HARVEST = Part("harvest", "st", "bole")
_CABLE_BY_WEIGHT = Part("cable_yard", "all", "weight_all")

SYSTEM_TABLE: dict[str, System] = {
    s.name: s
    for s in (
        System(
            "Ground-Based Mech WT",
            (
                Part("fell_bunch", "st", "weight_st"),
                Part("fell_limb_buck_large_mech", "llt", "none", "gasoline"),
                Part("skid_bunched", "all", "weight_all"),
                _PROCESS,
                _LOAD,
            ),
            "chip_whole_trees", "all", True, "loose",
            ("feller_buncher", "skidder", "processor", "loader"), 4, 5, 40, 0,
        ),
        System(
            "Ground-Based Manual WT",
            (_FELL_ST, _FELL_LLT, Part("skid_unbunched", "all", "weight_all"), _PROCESS, _LOAD),
            "chip_whole_trees", "all", True, "loose", ("skidder", "processor", "loader"), 3, 4, 40, 0,
        ),
        System(
            "Ground-Based Manual Log",
            (_FELL_ALL, Part("skid_unbunched", "all", "bole"), _LOAD),
            "chip_whole_trees", "all", False, None, ("skidder", "loader"), 2, 3, 40, 0,
        ),
        System(
            "Ground-Based CTL",
            (_HARVEST, Part("forward", "st", "bole"), _LOAD_CTL),
            "chip_ctl_logs", "st", False, "bundles", ("harvester", "forwarder", "loader"), 3, 4, 40, 0,
        ),
        System(
            "Cable Manual WT/Log",
            (
                Part("fell_limb_buck_logs", "alt", "none", "gasoline"),
                Part("fell_chip_trees", "ct", "all", "gasoline"),
                _CABLE_BY_WEIGHT,
                _LOAD,
            ),
            "chip_whole_trees", "all", True, None, ("yarder", "loader"), 3, 4, 100, 1300, "both",
        ),
        System(
            "Cable Manual WT",
            (_FELL_ST, _FELL_LLT, _CABLE_BY_WEIGHT, _PROCESS, _LOAD),
            "chip_whole_trees", "all", True, "loose", ("yarder", "processor", "loader"), 4, 5, 100, 1300,
        ),
        System(
            "Cable Manual Log",
            (_FELL_ALL, Part("cable_yard", "all", "bole"), _LOAD),
            "chip_whole_trees", "all", False, None, ("yarder", "loader"), 2, 3, 100, 1300,
        ),
        System(
            "Cable CTL",
            (_HARVEST, Part("cable_yard_ctl", "st", "bole"), _LOAD_CTL),
            "chip_whole_trees", "st", False, None, ("harvester", "yarder", "loader"), 3, 4, 40, 1300, "both",
        ),
        System(
            "Helicopter Manual Log",
            (
                _FELL_ALL,
                Part("helicopter_yard", "all", "bole", "jet"),
                Part("helicopter_load", "alt", unless_salvage=True, fuel_times=2.0),
            ),
            "chip_whole_trees", "all", False, None, ("helicopter", "loader", "loader"), 2, 3, 100, 10_000, "total",
        ),
        System(
            "Helicopter CTL",
            (
                Part("harvest", "st", "bole", fuel_to_feedstock=False),
                Part("helicopter_yard_ctl", "st", "bole", "jet"),
                Part("helicopter_load_ctl", "slt", unless_salvage=True, fuel_times=2.0),
            ),
            "chip_whole_trees", "st", False, None, ("harvester", "helicopter", "loader", "loader"), 3, 4, 40, 10_000, "both",
        ),
    )
}  # fmt: skip
"""`@ucdavis/frcs` 2.0.0, one row a system. Loads are the package's own counts, not the number of machines."""
