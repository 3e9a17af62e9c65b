"""FRCS's own limits, without its costs: where the simulator is FRCS, feasibility needs no model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csrag.simulators.frcs.limits import stand_codes, system_codes
from csrag.simulators.frcs.mapping import check_variant, frcs_inputs, is_level, level_distance
from csrag.simulators.frcs.simulate import known_system, work_of
from csrag.simulators.frcs.systems import HELICOPTERS
from csrag.simulators.harvest import HarvestEconomics
from csrag.surfaces.catalog import REMOVAL_COLUMNS, SYSTEMS


def within_limits(
    stand: Mapping[str, NDArray[Any]], systems: Sequence[str], economics: HarvestEconomics, mapping: str
) -> NDArray[np.bool_]:
    """Whether FRCS takes each record: tree volumes, slope, yarding distance, elevation.

    Parameters
    ----------
    stand : mapping of str to ndarray, shape (n,)
        Site and removal columns of the catalog; `roaded` is not looked at.
    systems : sequence of str
        FRCS names.
    economics : HarvestEconomics
        Prices; only the moisture reaches the inputs that the limits test.
    mapping : str
        split, fixed or backend.

    Returns
    -------
    ndarray of bool, shape (systems, n)
        True where no limit is exceeded. FRCS still gives no cost where a record yields no feedstock.
    """
    variant = check_variant(mapping)
    columns = {name: np.asarray(values, dtype=np.float64) for name, values in stand.items()}
    on_the_ground = next(name for name in SYSTEMS if not is_level(name, variant))
    out = np.empty((len(systems), len(columns[REMOVAL_COLUMNS[0]])), dtype=np.bool_)
    with np.errstate(all="ignore"):
        inputs = frcs_inputs(columns, on_the_ground, economics, clear_cut=False, variant=variant)
        work = work_of(inputs, with_fuel=False, air_distance=level_distance(columns))
        common = stand_codes(work.stand)
        for i, name in enumerate(systems):
            flown = name in HELICOPTERS and is_level(name, variant)
            out[i] = (common | system_codes(known_system(name), work.flown if flown else work.stand)) == 0
    return out
