"""Loading at a helicopter landing: loaders that keep pace with the helicopters."""

from __future__ import annotations

from csrag.simulators.frcs.helicopter import LOADING_USD_PER_DAY, ccf_per_day
from csrag.simulators.frcs.ramps import Operation
from csrag.simulators.frcs.rates import Rates
from csrag.simulators.frcs.stand import Stand


def load_log(stand: Stand, rates: Rates) -> Operation:  # noqa: ARG001 - rates do not act here
    """Loading of log lengths flown by helicopter.

    Parameters
    ----------
    stand : Stand
        Rows of the block.
    rates : Rates
        Not used: daily costs are fixed dollars.

    Returns
    -------
    Operation
        [USD per CCF]; NaN from 150 ft3 a tree on. Its fuel is None: the package takes twice that of loading on the
        ground (`loading`).

    Notes
    -----
    Source: `@ucdavis/frcs` 2.0.0, `helicopteryarding`. The cost does not depend on whether loading is to be included.
    """
    daily = ccf_per_day(stand, stand.vol_all, stand.density_all, stand.log_vol_all, ctl=False)
    return Operation(stand.hardwood_factor_all * (LOADING_USD_PER_DAY / daily), None)


def load_ctl(stand: Stand, rates: Rates) -> Operation:  # noqa: ARG001 - as above
    """Loading of cut-to-length logs flown by helicopter; see `load_log`.

    Parameters
    ----------
    stand : Stand
        Rows of the block.
    rates : Rates
        Not used: daily costs are fixed dollars.

    Returns
    -------
    Operation
        [USD per CCF]; no fuel.
    """
    daily = ccf_per_day(stand, stand.vol_st, stand.density_st, stand.log_vol_st, ctl=True)
    return Operation(stand.hardwood_factor_all * (LOADING_USD_PER_DAY / daily), None)
