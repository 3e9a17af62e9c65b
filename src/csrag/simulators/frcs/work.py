"""Operations of a block of rows, each computed once however many systems use it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from csrag.simulators.frcs import bundling, chipping, helicopter_loading, helicopter_yarding, loading
from csrag.simulators.frcs.cable_clear_cut import yard_clear_cut
from csrag.simulators.frcs.cable_ctl import yard_ctl
from csrag.simulators.frcs.cable_partial_cut import yard_partial_cut
from csrag.simulators.frcs.fell_bunch import fell_bunch
from csrag.simulators.frcs.fell_limb_buck import (
    fell_limb_buck_all,
    fell_limb_buck_large,
    fell_limb_buck_large_mech,
    fell_limb_buck_logs,
)
from csrag.simulators.frcs.fell_manual import fell_chip_trees, fell_small_trees
from csrag.simulators.frcs.forwarding import forward
from csrag.simulators.frcs.harvesting import harvest
from csrag.simulators.frcs.processing import process
from csrag.simulators.frcs.ramps import Floats, Operation
from csrag.simulators.frcs.rates import Rates
from csrag.simulators.frcs.skidding import skid_bunched, skid_unbunched
from csrag.simulators.frcs.stand import Stand

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Terms:
    """What is not the stand: recovery, switches, the harvest unit.

    Parameters
    ----------
    moisture : (n,) or () float64
        Moisture, share, wet basis.
    recovery_wt, recovery_ctl : (n,) or () float64
        Share of residue recovered by whole-tree and by cut-to-length systems.
    collect : (n,) or () bool
        Collect and chip the optional residue.
    salvage : (n,) or () bool
        Chip every tree.
    include_loading, include_move_in : (n,) or () bool
        Cost items to count.
    area : (n,) or () float64
        Harvest unit [acre].
    move_in_distance : (n,) or () float64
        Distance of the move-in [mile].
    """

    moisture: Floats
    recovery_wt: Floats
    recovery_ctl: Floats
    collect: Flags
    salvage: Flags
    include_loading: Flags
    include_move_in: Flags
    area: Floats
    move_in_distance: Floats


@dataclass
class Work:
    """Operations of a block; the names are those of `systems.Part.operation` and `systems.System.chip`.

    Parameters
    ----------
    stand : Stand
    rates : Rates
    terms : Terms
    fuel : bool
        Whether fuel is wanted too.
    air_distance : (n,) float64, optional
        Distance of helicopters [ft] where it differs from the stand's.
    """

    stand: Stand
    rates: Rates
    terms: Terms
    fuel: bool = False
    air_distance: Floats | None = None

    @cached_property
    def flown(self) -> Stand:
        """The stand as helicopters see it."""
        return self.stand if self.air_distance is None else self.stand.at_distance(self.air_distance)

    def operation(self, name: str) -> Operation:
        """The operation called `name`."""
        found: Operation = getattr(self, name)
        return found

    @cached_property
    def fell_bunch(self) -> Operation:
        """See `fell_bunch.fell_bunch`."""
        return fell_bunch(self.stand, self.rates, fuel=self.fuel)

    @cached_property
    def fell_small_trees(self) -> Operation:
        """See `fell_manual.fell_small_trees`."""
        return fell_small_trees(self.stand, self.rates)

    @cached_property
    def fell_chip_trees(self) -> Operation:
        """See `fell_manual.fell_chip_trees`."""
        return fell_chip_trees(self.stand, self.rates)

    @cached_property
    def fell_limb_buck_all(self) -> Operation:
        """See `fell_limb_buck.fell_limb_buck_all`."""
        return fell_limb_buck_all(self.stand, self.rates)

    @cached_property
    def fell_limb_buck_logs(self) -> Operation:
        """See `fell_limb_buck.fell_limb_buck_logs`."""
        return fell_limb_buck_logs(self.stand, self.rates)

    @cached_property
    def fell_limb_buck_large(self) -> Operation:
        """See `fell_limb_buck.fell_limb_buck_large`."""
        return fell_limb_buck_large(self.stand, self.rates)

    @cached_property
    def fell_limb_buck_large_mech(self) -> Operation:
        """See `fell_limb_buck.fell_limb_buck_large_mech`."""
        return fell_limb_buck_large_mech(self.stand, self.rates)

    @cached_property
    def harvest(self) -> Operation:
        """See `harvesting.harvest`."""
        return harvest(self.stand, self.rates, fuel=self.fuel)

    @cached_property
    def skid_bunched(self) -> Operation:
        """See `skidding.skid_bunched`."""
        return skid_bunched(self.stand, self.rates, fuel=self.fuel)

    @cached_property
    def skid_unbunched(self) -> Operation:
        """See `skidding.skid_unbunched`."""
        return skid_unbunched(self.stand, self.rates, fuel=self.fuel)

    @cached_property
    def forward(self) -> Operation:
        """See `forwarding.forward`."""
        return forward(self.stand, self.rates, fuel=self.fuel)

    @cached_property
    def cable_yard(self) -> Operation:
        """Cable yarding of all trees, by the kind of cut."""
        partial = self.stand.partial_cut
        if partial.all():
            return yard_partial_cut(self.stand, self.rates, fuel=self.fuel)
        clear = yard_clear_cut(self.stand, self.rates, fuel=self.fuel)
        if not partial.any():
            return clear
        kept = yard_partial_cut(self.stand, self.rates, fuel=self.fuel)
        gal = None
        if kept.gal_per_ccf is not None and clear.gal_per_ccf is not None:
            gal = np.where(partial, kept.gal_per_ccf, clear.gal_per_ccf)
        return Operation(np.where(partial, kept.usd_per_ccf, clear.usd_per_ccf), gal)

    @cached_property
    def cable_yard_ctl(self) -> Operation:
        """See `cable_ctl.yard_ctl`."""
        return yard_ctl(self.stand, self.rates, fuel=self.fuel)

    @cached_property
    def helicopter_yard(self) -> Operation:
        """See `helicopter_yarding.yard_log`."""
        return helicopter_yarding.yard_log(self.flown, self.rates, fuel=self.fuel)

    @cached_property
    def helicopter_yard_ctl(self) -> Operation:
        """See `helicopter_yarding.yard_ctl`."""
        return helicopter_yarding.yard_ctl(self.flown, self.rates, fuel=self.fuel)

    @cached_property
    def helicopter_load(self) -> Operation:
        """See `helicopter_loading.load_log`; its fuel is that of ordinary loading, so it falls away with that."""
        gal = self.load_full_length.gal_per_ccf if self.fuel else None
        return Operation(helicopter_loading.load_log(self.flown, self.rates).usd_per_ccf, gal)

    @cached_property
    def helicopter_load_ctl(self) -> Operation:
        """See `helicopter_loading.load_ctl`; fuel as for `helicopter_load`."""
        gal = self.load_ctl.gal_per_ccf if self.fuel else None
        return Operation(helicopter_loading.load_ctl(self.flown, self.rates).usd_per_ccf, gal)

    @cached_property
    def process(self) -> Operation:
        """See `processing.process`."""
        return process(self.stand, self.rates, fuel=self.fuel)

    @cached_property
    def load_full_length(self) -> Operation:
        """See `loading.load_full_length`."""
        return loading.load_full_length(self.stand, self.rates, self.terms.include_loading, fuel=self.fuel)

    @cached_property
    def load_ctl(self) -> Operation:
        """See `loading.load_ctl`."""
        return loading.load_ctl(self.stand, self.rates, self.terms.include_loading, fuel=self.fuel)

    @cached_property
    def chip_whole_trees(self) -> Operation:
        """See `chipping.chip_whole_trees`."""
        return chipping.chip_whole_trees(self.stand, self.rates, self.terms.moisture, fuel=self.fuel)

    @cached_property
    def chip_ctl_logs(self) -> Operation:
        """See `chipping.chip_ctl_logs`."""
        return chipping.chip_ctl_logs(self.stand, self.rates, self.terms.moisture, fuel=self.fuel)

    @cached_property
    def loose_residue(self) -> Operation:
        """Optional residue of whole-tree systems, chipped at the landing [USD/GT]."""
        return chipping.chip_loose(self.stand, self.rates, self.terms.moisture, fuel=self.fuel)

    @cached_property
    def bundled_residue(self) -> tuple[Operation, ...]:
        """Optional residue of cut-to-length systems: bundled, forwarded, chipped [USD/GT each]."""
        return (
            bundling.bundle(self.stand, self.rates, self.terms.recovery_ctl, fuel=self.fuel),
            bundling.forward_bundles(self.stand, self.rates, fuel=self.fuel),
            chipping.chip_bundles(self.stand, self.rates, self.terms.moisture, fuel=self.fuel),
        )
