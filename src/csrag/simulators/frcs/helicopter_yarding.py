"""Helicopter yarding: of log lengths, and of cut-to-length logs."""

from __future__ import annotations

from csrag.simulators.frcs.helicopter import JET_GAL_PER_DAY, YARDING_USD_PER_DAY, ccf_per_day
from csrag.simulators.frcs.ramps import Floats, Operation
from csrag.simulators.frcs.rates import Rates
from csrag.simulators.frcs.stand import Stand


def _operation(stand: Stand, daily_ccf: Floats, fuel: bool) -> Operation:
    usd_per_ccf = stand.hardwood_factor_all * (YARDING_USD_PER_DAY / daily_ccf)
    # The package derives fuel from cost, so hardwood burns more too.
    return Operation(usd_per_ccf, usd_per_ccf * (JET_GAL_PER_DAY / YARDING_USD_PER_DAY) if fuel else None)


def yard_log(stand: Stand, rates: Rates, *, fuel: bool = False) -> Operation:  # noqa: ARG001 - rates do not act here
    """Helicopter yarding of all trees in log lengths.

    Parameters
    ----------
    stand : Stand
        Rows of the block.
    rates : Rates
        Not used: daily costs are fixed dollars.
    fuel : bool
        Jet fuel too.

    Returns
    -------
    Operation
        [USD per CCF] and jet fuel [gal per CCF] of all trees; NaN from 150 ft3 a tree on.

    Notes
    -----
    Source: `@ucdavis/frcs` 2.0.0, `helicopteryarding`.
    """
    daily = ccf_per_day(stand, stand.vol_all, stand.density_all, stand.log_vol_all, ctl=False)
    return _operation(stand, daily, fuel)


def yard_ctl(stand: Stand, rates: Rates, *, fuel: bool = False) -> Operation:  # noqa: ARG001 - as above
    """Helicopter yarding of the logs of chip and small log trees.

    Parameters
    ----------
    stand : Stand
        Rows of the block.
    rates : Rates
        Not used: daily costs are fixed dollars.
    fuel : bool
        Jet fuel too.

    Returns
    -------
    Operation
        [USD per CCF] and jet fuel [gal per CCF] of chip and small log trees; NaN from 150 ft3 on in the mean of ALL
        trees, whose hardwood factor is used too, as in the package.

    Notes
    -----
    Source: `@ucdavis/frcs` 2.0.0, `helicopteryarding`.
    """
    return _operation(stand, ccf_per_day(stand, stand.vol_st, stand.density_st, stand.log_vol_st, ctl=True), fuel)
