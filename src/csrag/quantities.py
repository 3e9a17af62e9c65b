"""Every quantity once: name, unit, range, meaning; and the conversions between units.

The suffix of a name is its unit (`_bdt`, `_usd_per_bdt`, `_km`, `_pct`); it is part of every JSON field, CLI option
and column. Masses always say their basis: a bone-dry short ton (BDT) is 907.18474 kg with no water in it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from csrag.errors import InvalidValueError

KG_PER_SHORT_TON = 907.18474
"""Avoirdupois short ton of 2,000 lb [kg], exact (NIST SP 811)."""
TONNE_PER_SHORT_TON = KG_PER_SHORT_TON / 1000
KM_PER_MILE = 1.609344
ACRES_PER_HECTARE = 2.4710538
M_PER_FT = 0.3048
HOURS_PER_YEAR = 8760
CLUSTER_ACRES = 32.024857
"""One 360 m x 360 m cell [acre]."""
TRUCK_PAYLOAD_GT = 25.0
"""Payload of one chip truck [green short ton]."""
HHV_GJ_PER_BDMT = 18.608
"""Higher heating value of the wood [GJ per bone-dry tonne] (FRREDSS default)."""


@dataclass(frozen=True)
class Quantity:
    """One named quantity.

    Parameters
    ----------
    name : str
        Name as used in JSON, options and columns.
    unit : str
        Unit in words.
    low, high : float
        Inclusive range allowed from a user; NaN where there is no bound.
    meaning : str
        One line for the reference page.
    """

    name: str
    unit: str
    low: float
    high: float
    meaning: str

    def check(self, value: float) -> float:
        """Return `value` if it is a finite number in range.

        Raises
        ------
        InvalidValueError
            Naming the quantity, the value, the unit and the allowed range.
        """
        number = float(value)
        if not math.isfinite(number):
            raise InvalidValueError(f"{self.name} is not a finite number.", f"Give it in {self.unit}.")
        low_bad = not math.isnan(self.low) and number < self.low
        high_bad = not math.isnan(self.high) and number > self.high
        if low_bad or high_bad:
            low = "" if math.isnan(self.low) else f"at least {self.low:g}"
            high = "" if math.isnan(self.high) else f"at most {self.high:g}"
            allowed = " and ".join(part for part in (low, high) if part)
            raise InvalidValueError(
                f"{self.name} = {number:g} {self.unit} is outside the allowed range.", f"It must be {allowed}."
            )
        return number


_TABLE = [
    Quantity("capacity_mw", "MW", 0.1, 200, "net electrical capacity of the plant"),
    Quantity("demand_bdt", "BDT per year", 1, 3_000_000, "fuel the plant burns in a year, bone dry"),
    Quantity("radius_km", "km", 1, 400, "radius of the procurement circle, a true circle on the ground"),
    Quantity("fire_weight", "0 to 1", 0, 1, "weight of burn probability in the selection score"),
    Quantity("max_cost_usd_per_bdt", "USD per BDT", 0.01, 10_000, "cap on delivered cost"),
    Quantity("budget_usd_per_year", "USD per year", 1, 1e10, "fuel budget"),
    Quantity("max_slope_pct", "percent", 0, 400, "steepest terrain slope taken; 100 percent is 45 degrees"),
    Quantity("min_burn_probability", "per year", 0, 1, "least annual burn probability taken"),
    Quantity("years", "years", 1, 40, "length of a projection"),
    Quantity("reentry_years", "years", 1, 100, "years after which a cluster may be treated again"),
    Quantity("burn_loss_pct", "percent", 0, 100, "share of its tons that a burned cluster loses"),
    Quantity("line_km", "km", 0.1, 500, "power line to build"),
    Quantity("char_usd_per_t", "USD per tonne of dry char", 0, 10_000, "price of a gasifier's char, dry"),
    Quantity("moisture_pct", "percent wet basis", 0, 80, "moisture of the wood as delivered"),
    Quantity("capacity_factor_pct", "percent", 1, 100, "share of the year at full load"),
    Quantity("efficiency_pct", "percent", 1, 100, "net station efficiency on the higher heating value"),
    Quantity("gas_efficiency_pct", "percent", 1, 100, "gasifier efficiency, fuel to gas (gasification)"),
    Quantity("dual_fuel_pct", "percent", 0, 99, "share of fuel energy from diesel (gasification)"),
    Quantity("diesel_usd_per_gal", "USD per gallon", 0, 50, "diesel price, haul and harvest alike"),
    Quantity("driver_wage_usd_per_h", "USD per hour", 0, 500, "truck driver's wage before benefits"),
    Quantity("faller_wage_usd_per_h", "USD per hour", 0, 500, "faller's wage before benefits"),
    Quantity("other_wage_usd_per_h", "USD per hour", 0, 500, "other woods workers' wage before benefits"),
    Quantity("driver_benefits_pct", "percent", 0, 300, "driver's benefits on top of the wage"),
    Quantity("benefits_pct", "percent", 0, 300, "woods workers' benefits on top of the wage"),
    Quantity("oil_usd_per_mile", "USD per mile", 0, 20, "truck oil, tyres and wear per mile"),
    Quantity("ppi", "index, 2002 = 176.6", 1, 2000, "producer price index for machine purchase prices"),
    Quantity("speed_km_per_h", "km per hour", 1, 130, "mean truck speed where there is no road network"),
    Quantity("contractor_margin_pct", "percent", 0, 100, "contractor's profit on the harvest cost"),
    Quantity("debt_ratio_pct", "percent", 0, 100, "share of capital that is debt"),
    Quantity("debt_interest_pct", "percent", 0, 50, "interest on debt"),
    Quantity("equity_return_pct", "percent", 0, 100, "return on equity"),
    Quantity("economic_life_y", "years", 1, 60, "economic life of the plant"),
    Quantity("capital_usd", "USD", 1, 1e11, "capital cost of the plant"),
    Quantity("power_price_usd_per_mwh", "USD per MWh", 0.01, 10_000, "price that the plant's electricity is sold at"),
    Quantity("production_tax_credit_usd_per_kwh", "USD per kWh", 0, 1, "production tax credit of its years"),
    Quantity("price_escalation_pct", "percent a year", -20, 20, "growth of the power price"),
    Quantity("subsidy_usd_per_bdt", "USD per BDT", 0, 1_000, "subsidy on every ton of fuel, bone dry"),
    Quantity("sensitivity_pct", "percent", 0.1, 90, "how far a sensitivity goes to either side of the base"),
    Quantity("site_count", "sites", 1, 20, "how many sites a search gives, or plants a portfolio has"),
    Quantity("min_separation_km", "km", 0, 1000, "least distance between the sites of a search"),
    Quantity("min_average_burn_probability", "per year", 0, 1, "least average burn probability of what a site takes"),
    Quantity("max_site_slope_pct", "percent", 0, 400, "steepest ground a plant may stand on"),
    Quantity("max_km_to_road", "km", 0.1, 500, "farthest a site may lie from a road of the layer set"),
    Quantity("max_km_to_substation", "km", 0.1, 500, "farthest a site may lie from a substation of the layer set"),
    Quantity("max_km_to_plant", "km", 0.1, 500, "farthest a site may lie from a wood-burning plant"),
    Quantity("min_high_hazard_pct", "percent", 0, 100, "least share of the tons from high hazard zones"),
    Quantity("min_land_share_pct", "percent", 0, 100, "least share of the tons from a land use"),
    Quantity("max_land_share_pct", "percent", 0, 100, "largest share of the tons from a land use"),
    Quantity("max_road_km", "km", 1, 600, "longest haul taken, one way"),
    Quantity(
        "max_extra_cost_pct", "percent", 0, 1_000, "what less fire-prone forest may cost beyond the cost-only selection"
    ),
    Quantity(
        "expansion_factor", "ratio", 1, 10, "multiple of one year's demand that the rings gather before the choice"
    ),
    Quantity("data_edge_share", "share", 0, 1, "share of the circle outside the data area"),
]

QUANTITIES: dict[str, Quantity] = {q.name: q for q in _TABLE}


def check(name: str, value: float) -> float:
    """Check `value` against the table; see `Quantity.check`."""
    return QUANTITIES[name].check(value)


def gt_to_bdt(gt: float, moisture_pct: float) -> float:
    """Green short tons to bone-dry short tons at a wet-basis moisture [percent]."""
    return gt * (1 - moisture_pct / 100)


def bdt_to_gt(bdt: float, moisture_pct: float) -> float:
    """Bone-dry short tons to green short tons at a wet-basis moisture [percent]."""
    return bdt / (1 - moisture_pct / 100)


def bdt_to_bdmt(bdt: float) -> float:
    """Bone-dry short tons to bone-dry metric tonnes."""
    return bdt * TONNE_PER_SHORT_TON


def bdmt_to_bdt(bdmt: float) -> float:
    """Bone-dry metric tonnes to bone-dry short tons."""
    return bdmt / TONNE_PER_SHORT_TON


def usd_per_gt_to_usd_per_bdt(usd_per_gt: float, moisture_pct: float) -> float:
    """USD per green short ton to USD per BDT at a wet-basis moisture [percent]."""
    return usd_per_gt / (1 - moisture_pct / 100)


def usd_per_bdt_to_usd_per_gt(usd_per_bdt: float, moisture_pct: float) -> float:
    """USD per BDT to USD per green short ton at a wet-basis moisture [percent]."""
    return usd_per_bdt * (1 - moisture_pct / 100)


def usd_per_bdt_to_usd_per_bdmt(usd_per_bdt: float) -> float:
    """USD per BDT to USD per bone-dry metric tonne."""
    return usd_per_bdt / TONNE_PER_SHORT_TON


def usd_per_bdmt_to_usd_per_bdt(usd_per_bdmt: float) -> float:
    """USD per bone-dry metric tonne to USD per BDT."""
    return usd_per_bdmt * TONNE_PER_SHORT_TON


def miles_to_km(miles: float) -> float:
    """Statute miles to km."""
    return miles * KM_PER_MILE


def km_to_miles(km: float) -> float:
    """Kilometres to statute miles."""
    return km / KM_PER_MILE


def hectares_to_acres(hectares: float) -> float:
    """Hectares to acres."""
    return hectares * ACRES_PER_HECTARE


def acres_to_hectares(acres: float) -> float:
    """Acres to hectares."""
    return acres / ACRES_PER_HECTARE


def degrees_to_slope_pct(degrees: float) -> float:
    """Slope angle [degrees] to slope [percent], 100 tan."""
    return 100 * math.tan(math.radians(degrees))


def slope_pct_to_degrees(slope_pct: float) -> float:
    """Slope [percent] to slope angle [degrees]."""
    return math.degrees(math.atan(slope_pct / 100))
