"""The low-carbon fuel credit, with each year's own life-cycle intensity: zero as long as biogenic CO2 is counted."""

from __future__ import annotations

from collections.abc import Sequence

from csrag.ask.computation.facts import Ledger
from csrag.economics.carbon import credit_usd, standard_g_per_mj
from csrag.economics.finance import present_worth_usd
from csrag.economics.inputs import PlantInputs
from csrag.economics.plant import PlantResult


def credits_usd(inputs: PlantInputs, intensities_g_per_mj: Sequence[float], generation_mwh: float) -> list[float]:
    """Credit of each year [USD of that year].

    Parameters
    ----------
    inputs : PlantInputs
        First year, price, energy economy ratio, inflation.
    intensities_g_per_mj : sequence of float
        Carbon intensity of each year [g CO2 equivalent per MJ].
    generation_mwh : float
        [MWh per year]
    """
    return [
        credit_usd(
            inputs.first_year + k, inputs.first_year, inputs.carbon_credit_usd_per_t, intensity,
            inputs.energy_economy_ratio, inputs.general_inflation_pct, generation_mwh * 1000,
        )
        for k, intensity in enumerate(intensities_g_per_mj)
    ]  # fmt: skip


def put_credit(ledger: Ledger, inputs: PlantInputs, intensities_g_per_mj: Sequence[float], generation_mwh: float,
               result: PlantResult | None) -> None:  # fmt: skip
    """Record the credit, plainly where there is none.

    Parameters
    ----------
    ledger : Ledger
        Receives the values.
    inputs : PlantInputs
        Of the plant.
    intensities_g_per_mj : sequence of float
        Of each year that is supplied, construction in year one as in the reference [g CO2 equivalent per MJ].
    generation_mwh : float
        [MWh per year]
    result : PlantResult or None
        The plant; None where the supply ends before its life does.
    """
    earned = credits_usd(inputs, intensities_g_per_mj, generation_mwh)
    standard = standard_g_per_mj(inputs.first_year)
    ratio = inputs.energy_economy_ratio
    ledger.put("lcfs_standard_g_per_mj", standard, f"diesel standard of {inputs.first_year}; it falls every year")
    ledger.put("lcfs_intensity_g_per_mj", min(intensities_g_per_mj), "lowest of the years, biogenic CO2 included")
    ledger.put(
        "lcfs_credit_usd",
        sum(earned),
        f"over the {len(earned)} years supplied, at an energy economy ratio of {ratio:g}",
    )
    rows = [
        (k + 1, inputs.first_year + k, intensity, standard_g_per_mj(inputs.first_year + k) * ratio, credit)
        for k, (intensity, credit) in enumerate(zip(intensities_g_per_mj, earned, strict=True))
    ]
    ledger.table(
        "lcfs", ("year", "calendar_year", "carbon_intensity_g_per_mj", "standard_g_per_mj", "credit_usd"), rows,
        "biogenic CO2 included; construction counted in year one, as in the reference",
    )  # fmt: skip
    if not any(earned):
        ledger.caveat("no_lcfs_credit", "No low-carbon fuel credit: the reference's life cycle counts biogenic CO2, so the "
                      f"electricity's carbon intensity ({min(intensities_g_per_mj):.0f} g per MJ at best) lies above the standard "
                      f"({standard * ratio:.1f} g per MJ in {inputs.first_year}) in every year.")  # fmt: skip
    if result is None or len(earned) < inputs.economic_life_y:
        return
    worth = sum(present_worth_usd(usd, k, inputs.equity_return_pct) for k, usd in enumerate(earned, start=1))
    money = result.tea.money.equity_factor / generation_mwh
    ledger.put("lcfs_usd_per_mwh", worth * money, "levelised over the life, current dollars")
    ledger.put("lcoe_with_lcfs_current", result.lcoe_current_usd_per_mwh - worth * money,
               "levelised cost less the credit, current dollars; equal where there is no credit")  # fmt: skip
