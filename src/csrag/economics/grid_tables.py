"""Inputs and cost tables of the power line and the substation.

Cost figures: Black & Veatch for WECC, "Capital Costs for Transmission and Substations" (2012 USD, updated 2014), as
used by `@ucdavis/tea` 1.4.3. Land: rents of the US Bureau of Land Management's linear right-of-way schedule, 2015.
"""

from __future__ import annotations

from csrag.economics.schema import ANY, NOT_NEGATIVE, Field, Interval

CPI_2012_TO_2021 = 1 + (287.494 - 232.376) / 232.376
OVERHEAD = 0.175
"""Overhead on everything: engineering, administration, finance during construction."""

LENGTH_FACTORS = {"< 3 miles": 1.5, "3-10 miles": 1.2, "> 10 miles": 1.0}
CONDUCTOR_FACTORS = {"ACSR": 1.0, "ACSS": 1.08, "HTLS": 3.6}
STRUCTURES = ("Lattice", "Tubular Steel")
WORKS = ("New", "Re-conductor")

LINES: dict[str, tuple[float, tuple[float, float, float], tuple[float, float], float, float]] = {
    "230 kV Single Circuit": (927_000, (0.1336, 0.3624, 0.366), (0.9, 1.0), 0.35, 125),
    "230 kV Double Circuit": (1_484_000, (0.2672, 0.7249, 0.7319), (0.9, 1.0), 0.45, 150),
    "345 kV Single Circuit": (1_298_000, (0.1606, 0.4009, 0.3959), (1.0, 1.3), 0.45, 175),
    "345 kV Double Circuit": (2_077_000, (0.3212, 0.8018, 0.7918), (1.0, 1.3), 0.55, 200),
    "500 kV Single Circuit": (1_854_000, (0.1079, 0.284, 0.2968), (1.0, 1.5), 0.55, 200),
    "500 kV Double Circuit": (2_967_000, (0.2159, 0.568, 0.5936), (1.0, 1.5), 0.65, 250),
    "500 kV HVDC Circuit": (1_484_000, (0.1652, 0.4429, 0.4709), (1.0, 1.5), 0.55, 200),
    "600 kV HVDC Circuit": (1_558_200, (0.1147, 0.3076, 0.2986), (1.0, 1.5), 0.55, 225),
}
"""USD of 2012 a mile; loss a mile by conductor [MW]; factors of lattice and tubular steel; factor of re-conductoring;
width of the right of way [ft]."""

TERRAIN_FACTORS = {
    "Forested": 2.25, "Flat": 1.0, "Wetland": 1.2, "Farmland": 1.0,
    "Desert": 1.05, "Urban": 1.59, "Hills": 1.4, "Mountain": 1.75,
}  # fmt: skip
RENT_USD_PER_ACRE_Y = (8.62, 17.24, 34.49, 51.73, 68.97, 103.46, 172.43, 344.86, 689.72, 1034.58, 1724.3, 3448.6)
"""Zones 1 to 12."""
LAND_VALUE_PER_RENT = (1 - 0.01) / 0.1
"""Rent less 1 % land tax, capitalised at 10 %."""

_MILES = "miles"

LINE = (
    Field("voltage_class", "VoltageClass", "word", "voltage and circuits", kind="word", words=tuple(LINES),
          default="230 kV Single Circuit"),
    Field("conductor", "ConductorType", "word", "conductor", kind="word", words=tuple(CONDUCTOR_FACTORS),
          default="ACSS"),
    Field("structure", "Structure", "word", "towers", kind="word", words=STRUCTURES, default="Lattice"),
    Field("length_class", "LengthCategory", "word", "length class; the shorter, the dearer a mile", kind="word",
          words=tuple(LENGTH_FACTORS), default="> 10 miles"),
    Field("work", "NewOrReconductor", "word", "new line, or new conductors on old towers", kind="word", words=WORKS,
          default="New"),
    *(Field(f"{name.lower()}_miles", f"Miles.{name}", _MILES, f"length over terrain of class {name}", NOT_NEGATIVE,
            Interval(0, 200), 0.0) for name in TERRAIN_FACTORS),
    *(Field(f"zone{n}_miles", f"Miles.Zone{n}", _MILES, f"length of right of way to buy in rent zone {n}",
            NOT_NEGATIVE, Interval(0, 200), 1.0 if n == 1 else 0.0) for n in range(1, 13)),
)  # fmt: skip

TRANSFORMERS = (
    "115/230 kV XFMR", "115/345 kV XFMR", "115/500 kV XFMR", "138/230 kV XFMR", "138/345 kV XFMR", "138/500 kV XFMR",
    "230/345 kV XFMR", "230/500 kV XFMR", "345/500 kV XFMR",
)  # fmt: skip
BREAKER_FACTORS = {"Ring Bus": 1.0, "Breaker and a Half": 1.5}
CONVERTERS = {"No": 0.0, "500 kV HVDC Converter": 445_000_000.0, "600 kV HVDC Converter": 489_500_000.0}
"""USD of 2012; at 500 kV only."""

SUBSTATIONS: dict[str, tuple[float, float, float, dict[str, float]]] = {
    "230 kV Substation": (
        1_648_000, 1_442_000, 30_000,
        {"115/230 kV XFMR": 7_000, "138/230 kV XFMR": 7_000, "230/500 kV XFMR": 11_000},
    ),
    "345 kV Substation": (
        2_060_000, 2_163_000, 10_000,
        {"115/345 kV XFMR": 10_000, "138/345 kV XFMR": 10_000, "230/345 kV XFMR": 10_000, "345/500 kV XFMR": 13_000},
    ),
    "500 kV Substation": (
        2_472_000, 2_884_000, 10_000,
        {"115/500 kV XFMR": 10_000, "138/500 kV XFMR": 10_000, "230/500 kV XFMR": 11_000, "345/500 kV XFMR": 13_000},
    ),
}  # fmt: skip
"""USD of 2012: new substation, line or transformer position, series capacitor per MVAr, transformers per MVA."""
SHUNT_REACTOR_USD_PER_MVAR = 20_000.0
SVC_USD_PER_MVAR = 85_000.0

SUBSTATION = (
    Field("voltage", "Voltage", "word", "voltage", kind="word", words=tuple(SUBSTATIONS), default="230 kV Substation"),
    Field("new_or_existing", "NewOrExisting", "word", "a new substation pays for its site", kind="word",
          words=("New", "Existing"), default="New"),
    Field("breakers", "CircuitBreakerType", "word", "arrangement of the circuit breakers", kind="word",
          words=tuple(BREAKER_FACTORS), default="Ring Bus"),
    Field("positions", "NoLineXFMRPositions", "positions", "line and transformer positions", NOT_NEGATIVE,
          Interval(0, 20), 1.0),
    Field("converter", "HVDCconverter", "word", "direct-current converter", kind="word", words=tuple(CONVERTERS),
          default="No"),
    Field("transformer", "TransformerType", "word", "transformer", kind="word", words=TRANSFORMERS,
          default="115/230 kV XFMR"),
    Field("mva_per_transformer", "MVAratingPerTransformer", "MVA", "rating of one transformer", NOT_NEGATIVE,
          Interval(0, 2000), 100.0),
    Field("transformers", "NoTransformers", "transformers", "number of transformers", NOT_NEGATIVE, Interval(0, 20),
          1.0),
    Field("svc_mvar", "SVCmvarRating", "MVAr", "static VAr compensator", NOT_NEGATIVE, ANY, 0.0),
    Field("shunt_reactor_mvar", "ShuntReactorMVARrating", "MVAr", "shunt reactor", NOT_NEGATIVE, ANY, 0.0),
    Field("series_capacitor_mvar", "SeriesCapacitorMVARrating", "MVAr", "series capacitor", NOT_NEGATIVE, ANY, 0.0),
)  # fmt: skip
