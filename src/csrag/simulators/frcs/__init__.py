"""FRCS-West, the fuel reduction cost simulator, vectorised.

What a cut costs and yields, by harvesting system, as the npm package ``@ucdavis/frcs`` 2.0.0 computes it
(Fight, Hartsough and Noordijk 2006, PNW-GTR-668, is the published model). Units inside are American: ft, ft3, acres,
green short tons (GT), CCF = 100 ft3, PMH = productive machine hours.

How an operation looks
----------------------
One file an operation, one function a way of doing it::

    def skid_bunched(stand: Stand, rates: Rates, *, fuel: bool = False) -> Operation: ...

* `Stand` holds the inputs of a block of rows and everything several operations share, each computed when first read and
  then kept (`stand.dbh_st`, `stand.log_vol_all`, ...). Suffixes: ``ct`` chip trees, ``slt`` small log trees, ``llt``
  large log trees, ``st`` = ct + slt, ``alt`` = slt + llt, ``all`` = every tree cut.
* `Rates` holds the machine rates in USD per PMH.
* `Operation` is ``(usd_per_ccf, gal_per_ccf)``; the second is None unless `fuel` is asked for (a layer build is not).
* Values are float64 arrays of the block's length, or 0-d arrays where a column is constant (economics in a layer
  build): never call ``len``, index, or use Python arithmetic that raises on division by zero; ufuncs only.
* The entry points hold ``np.errstate(all="ignore")``: 0/0 is NaN on purpose, as in the package.
* Weights that fall or rise linearly come from `ramps.falling` and `ramps.rising`; machines of two sizes are mixed by
  `rates.blend`; partial cut or clear cut is chosen by `ramps.choose`.
* A row's result depends on that row alone, to the last bit.
"""

from csrag.simulators.frcs.simulate import (
    FrcsOutputs,
    Summary,
    cost_and_yield,
    cost_and_yield_systems,
    simulate,
    simulate_record,
)
from csrag.simulators.frcs.validation import PARAMETERS, FrcsInputError

__all__ = [
    "PARAMETERS",
    "FrcsInputError",
    "FrcsOutputs",
    "Summary",
    "cost_and_yield",
    "cost_and_yield_systems",
    "simulate",
    "simulate_record",
]
