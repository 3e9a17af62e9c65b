"""Low-carbon fuel credit of a year.

California's standard for diesel falls along the line -1.3705 year + 2862.1 g CO2e/MJ (86.84 in 2025, 79.99 in 2030); it
crosses zero in 2089, after which only a negative carbon intensity earns anything. As in `@ucdavis/tea` 1.4.3. With the
intensity of its own life-cycle model, which counts biogenic CO2 (280 to 530 g/MJ), the credit is zero unless the energy
economy ratio is above 3.2 to 5.3.
"""

from __future__ import annotations

MJ_PER_KWH = 3.6
G_PER_T = 1_000_000


def standard_g_per_mj(year: int) -> float:
    """Diesel compliance standard of a calendar year [g CO2e per MJ]; `year` is a number."""
    return -1.3705 * year + 2862.1


def credit_usd(
    year: int, first_year: int, price_usd_per_t: float, intensity_g_per_mj: float, energy_economy_ratio: float,
    escalation_pct: float, generation_kwh: float,
) -> float:  # fmt: skip
    """Income from credits in one calendar year.

    Parameters
    ----------
    year, first_year : int
        Calendar years.
    price_usd_per_t : float
        Credit price in the first year [USD per tonne of CO2 equivalent].
    intensity_g_per_mj : float
        Carbon intensity of the electricity [g CO2e per MJ].
    energy_economy_ratio : float
        Ratio that multiplies the standard.
    escalation_pct : float
        Growth of the price [percent a year].
    generation_kwh : float
        Electricity in the year [kWh].

    Returns
    -------
    float
        [USD], never negative: there is no charge for being above the standard.
    """
    headroom = standard_g_per_mj(year) * energy_economy_ratio - intensity_g_per_mj
    if headroom <= 0:
        return 0.0
    price = price_usd_per_t * (1 + escalation_pct / 100) ** (year - first_year)
    return float(headroom / G_PER_T * MJ_PER_KWH * price * generation_kwh)
