"""A power line to build: what it costs apart, and where the reference's prices jump with its length."""

from __future__ import annotations

from csrag.ask.computation.facts import Ledger
from csrag.economics.grid import MILES_PER_KM, default_line, length_class, line_cost
from csrag.economics.plant import PlantResult

STEPS_MILES = (3.0, 10.0)
"""Lengths at which the cost of a mile drops [miles]: 1.5 times the base below 3, 1.2 from 3 to 10, 1 above."""
LARGE_FOR_MW = 20.0
"""Below this a 230 kV line is far more than the plant needs (assumed) [MW]."""
_JUST = 0.01
_SAME_MILES = 1e-4


def snapped_km(length_km: float) -> float:
    """A length that was given as 3 or 10 miles lies on the step itself, whatever the km say in their last digits [km]."""
    miles = length_km * MILES_PER_KM
    for step in STEPS_MILES:
        if abs(miles - step) < _SAME_MILES:
            return step / MILES_PER_KM  # both steps come back in their own class, see the tests
    return length_km


def line_usd(length_km: float) -> float:
    """Capital of the reference's default line of a length [km] in USD of 2021."""
    return line_cost(default_line(snapped_km(length_km))).total_usd


def put_line(ledger: Ledger, line_km: float, capacity_mw: float, result: PlantResult | None,
             without: PlantResult | None, basis: str = "as asked") -> None:  # fmt: skip
    """Record a power line apart from the plant.

    Parameters
    ----------
    ledger : Ledger
        Receives the values.
    line_km : float
        Its length [km].
    capacity_mw : float
        [MW]
    result, without : PlantResult
        The plant with its line, and without; None where the supply ends before the plant's life does.
    basis : str
        Where the length comes from.
    """
    usd = line_usd(line_km)
    ledger.put("line_km", line_km, basis)
    ledger.put("line_miles", line_km * MILES_PER_KM, basis)
    ledger.put(
        "line_usd",
        usd,
        "230 kV line of the reference model through forest, overhead and one mile of right of way in it",
    )
    if result is None or without is None:
        why = "the wood in reach ends before the plant's life does, so there is no levelised cost"
        for value_id in ("line_usd_per_mwh", "lcoe_without_line_current", "lcoe_without_line_constant"):
            ledger.put(value_id, None, why)
    else:
        _put_shares(ledger, result, without)
    if capacity_mw < LARGE_FOR_MW:
        ledger.caveat("line_reference_model", f"The line's cost is that of the reference's 230 kV line whatever the plant's size; a "
                      f"plant of {capacity_mw:g} MW would join a smaller line at a lower cost.")  # fmt: skip
    message = step_message(line_km)
    if message:
        ledger.caveat("line_cost_not_monotonic", message)


def _put_shares(ledger: Ledger, result: PlantResult, without: PlantResult) -> None:
    apart = result.lcoe_current_usd_per_mwh - without.lcoe_current_usd_per_mwh
    ledger.put("line_usd_per_mwh", apart, "levelised cost with the line less that without, current dollars")
    ledger.put("lcoe_without_line_current", without.lcoe_current_usd_per_mwh, "current dollars, no power line")
    ledger.put("lcoe_without_line_constant", without.lcoe_constant_usd_per_mwh, "constant dollars, no power line")


def step_message(line_km: float) -> str:
    """Where a length lies so near a step of the price that a longer line costs less, both sides in figures; else empty.

    Parameters
    ----------
    line_km : float
        [km]
    """
    miles = snapped_km(line_km) * MILES_PER_KM
    for step in STEPS_MILES:
        # The class of 3 to 10 miles holds both its ends, so one step falls just below its figure and one just above.
        short, long = (step - _JUST, step) if length_class(step) != length_class(step - _JUST) else (step, step + _JUST)
        before, after = line_usd(short / MILES_PER_KM), line_usd(long / MILES_PER_KM)
        own = line_usd(line_km)
        below = length_class(miles) == length_class(short)
        dearer_than_longer = below and own > after
        cheaper_than_shorter = not below and miles > short and own < before
        if dearer_than_longer or cheaper_than_shorter:
            return (
                f"The reference's line cost is not monotonic in length: at {short:g} miles it is {before / 1e6:.2f} million USD, at "
                f"{long:g} miles {after / 1e6:.2f} million. This line of {miles:.4g} miles ({own / 1e6:.2f} million) lies near "
                "that step; take its cost as rough."
            )
    return ""
