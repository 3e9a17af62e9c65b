"""Capital cost of a power line and of a substation, as in `@ucdavis/tea` 1.4.3 (USD of 2021).

The line's cost is not monotonic in length: a mile costs 1.5, 1.2 or 1 times the base by length class, so that 2.99
miles cost more than 3 and 10 more than 10.01. Kept, and said in the answer where a line is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from csrag.economics import grid_tables as tables
from csrag.economics.schema import Caution, Checked, Field, read

FT_PER_MILE = 5280
SQFT_PER_ACRE = 43_560
MILES_PER_KM = 0.621371
"""The reference back end's factor."""


@dataclass(frozen=True, kw_only=True)
class LineInputs(Checked):
    """A power line: class, conductor, towers, and miles by terrain and by rent zone."""

    table: ClassVar[tuple[Field, ...]] = tables.LINE

    voltage_class: str
    conductor: str
    structure: str
    length_class: str
    work: str
    forested_miles: float
    flat_miles: float
    wetland_miles: float
    farmland_miles: float
    desert_miles: float
    urban_miles: float
    hills_miles: float
    mountain_miles: float
    zone1_miles: float
    zone2_miles: float
    zone3_miles: float
    zone4_miles: float
    zone5_miles: float
    zone6_miles: float
    zone7_miles: float
    zone8_miles: float
    zone9_miles: float
    zone10_miles: float
    zone11_miles: float
    zone12_miles: float

    @classmethod
    def from_package(cls, given: Mapping[str, Any]) -> LineInputs:
        """Record from inputs with the package's names; `AverageTerrainMultiplier` has no effect there nor here.

        Raises
        ------
        InvalidValueError
            Where something is missing, unknown or has no meaning.
        """
        return cls(**read(cls.table, given, "The power line"))

    @property
    def total_miles(self) -> float:
        """Length over all terrains [miles]."""
        return float(sum(getattr(self, f"{name.lower()}_miles") for name in tables.TERRAIN_FACTORS))

    def conflicts(self) -> list[tuple[str, str]]:
        """A line has a length."""
        if self.total_miles > 0:
            return []
        return [("The power line is 0 miles long.", "Give miles of Forested, Flat or another terrain, or no line.")]

    def cautions(self) -> list[Caution]:
        """Those of the table, and a length class that the miles do not have."""
        found = super().cautions()
        right = length_class(self.total_miles)
        if self.length_class != right:
            found.append(Caution("length_class_mismatch", (
                f"LengthCategory is {self.length_class!r} and the line is {self.total_miles:g} miles long ({right!r})."
            )))  # fmt: skip
        return found


@dataclass(frozen=True, slots=True)
class LineCost:
    """Cost of a power line [USD of 2021] and its loss at full load [MW]."""

    line_usd: float
    right_of_way_usd: float
    overhead_usd: float
    total_usd: float
    loss_mw: float


def length_class(miles: float) -> str:
    """Length class of a line [miles]: under 3, 3 to 10 inclusive, over 10."""
    return "< 3 miles" if miles < 3 else "3-10 miles" if miles <= 10 else "> 10 miles"


def line_cost(line: LineInputs) -> LineCost:
    """Capital cost of a power line.

    Notes
    -----
    line = base x CPI x conductor x towers x length class x (new or re-conductor) x sum of miles x terrain factor;
    right of way = sum over zones of miles x land value x width; overhead 17.5 % on both.
    """
    base, losses, structures, reconductor, width_ft = tables.LINES[line.voltage_class]
    conductors = list(tables.CONDUCTOR_FACTORS)
    per_mile = (
        base
        * tables.CPI_2012_TO_2021
        * tables.CONDUCTOR_FACTORS[line.conductor]
        * structures[tables.STRUCTURES.index(line.structure)]
        * tables.LENGTH_FACTORS[line.length_class]
        * (1.0 if line.work == "New" else reconductor)
    )
    weighted = sum(getattr(line, f"{name.lower()}_miles") * f for name, f in tables.TERRAIN_FACTORS.items())
    acres_per_mile = width_ft * FT_PER_MILE / SQFT_PER_ACRE
    land = sum(
        getattr(line, f"zone{n}_miles") * rent * tables.LAND_VALUE_PER_RENT * acres_per_mile
        for n, rent in enumerate(tables.RENT_USD_PER_ACRE_Y, start=1)
    )
    steel = per_mile * weighted
    overhead = (steel + land) * tables.OVERHEAD
    return LineCost(
        line_usd=steel,
        right_of_way_usd=land,
        overhead_usd=overhead,
        total_usd=steel + land + overhead,
        loss_mw=losses[conductors.index(line.conductor)] * line.total_miles,
    )


def default_line(length_km: float) -> LineInputs:
    """The reference product's line of a length [km]: 230 kV single circuit, ACSS, lattice, all forested, one mile of
    right of way in the cheapest zone, whatever the plant's size."""
    return with_length(LineInputs(**{f.name: f.default for f in tables.LINE} | {"forested_miles": 1.0}), length_km)


def with_length(line: LineInputs, length_km: float) -> LineInputs:
    """`line` with its forested part set to `length_km` [km] and the length class that this distance has."""
    miles = length_km * MILES_PER_KM
    return replace(line, forested_miles=miles, length_class=length_class(miles))


@dataclass(frozen=True, kw_only=True)
class SubstationInputs(Checked):
    """A substation."""

    table: ClassVar[tuple[Field, ...]] = tables.SUBSTATION

    voltage: str
    new_or_existing: str
    breakers: str
    positions: float
    converter: str
    transformer: str
    mva_per_transformer: float
    transformers: float
    svc_mvar: float
    shunt_reactor_mvar: float
    series_capacitor_mvar: float

    @classmethod
    def from_package(cls, given: Mapping[str, Any]) -> SubstationInputs:
        """Record from inputs with the package's names.

        Raises
        ------
        InvalidValueError
            Where something is missing, unknown or has no meaning.
        """
        return cls(**read(cls.table, given, "The substation"))

    def cautions(self) -> list[Caution]:
        """Parts that the price list does not have at this voltage: they are counted as 0 USD, as in the package."""
        found = super().cautions()
        if self.transformer not in tables.SUBSTATIONS[self.voltage][3] and self.mva_per_transformer * self.transformers:
            found.append(Caution("part_without_price", (
                f"No price for {self.transformer} in a {self.voltage}: its cost is counted as 0. "
                f"Choose one of {', '.join(tables.SUBSTATIONS[self.voltage][3])}."
            )))  # fmt: skip
        if self.converter != "No" and not _converts(self.voltage):
            found.append(Caution("part_without_price", (
                f"No price for a {self.converter} in a {self.voltage}: its cost is counted as 0. Choose 'No', or 500 kV."
            )))  # fmt: skip
        return found


@dataclass(frozen=True, slots=True)
class SubstationCost:
    """Cost of a substation by part [USD of 2021]."""

    base_usd: float
    breakers_usd: float
    converter_usd: float
    transformers_usd: float
    svc_usd: float
    shunt_reactor_usd: float
    series_capacitor_usd: float
    overhead_usd: float
    total_usd: float


def _converts(voltage: str) -> bool:
    return voltage == "500 kV Substation"


def substation_cost(station: SubstationInputs) -> SubstationCost:
    """Capital cost of a substation: parts at 2012 prices x CPI, overhead 17.5 %."""
    base, position, capacitor, transformers = tables.SUBSTATIONS[station.voltage]
    cpi = tables.CPI_2012_TO_2021
    parts = (
        base * cpi if station.new_or_existing == "New" else 0.0,
        position * cpi * tables.BREAKER_FACTORS[station.breakers] * station.positions,
        tables.CONVERTERS[station.converter] * cpi if _converts(station.voltage) else 0.0,
        transformers.get(station.transformer, 0.0) * cpi * station.mva_per_transformer * station.transformers,
        station.svc_mvar * tables.SVC_USD_PER_MVAR * cpi,
        station.shunt_reactor_mvar * tables.SHUNT_REACTOR_USD_PER_MVAR * cpi,
        station.series_capacitor_mvar * capacitor * cpi,
    )
    overhead = sum(parts) * tables.OVERHEAD
    return SubstationCost(*parts, overhead, sum(parts) + overhead)
