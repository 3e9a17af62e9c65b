"""What moving machines costs by the hour: constants that FRCS's two move-in models share (`@ucdavis/frcs` 2.0.0)."""

from __future__ import annotations

LOWBOY_USD_PER_HOUR = 35.0 + 18.0
"""Truck and driver [USD per hour]; fixed in FRCS, not indexed."""
LOAD_HOURS = 2.0
"""Loading and unloading a machine [h]."""
LOADED_MILES_PER_HOUR = 25.0
EMPTY_MILES_PER_HOUR = 40.0
TRUCK_MILES_PER_GALLON = 6.0
HELICOPTER_MILES_PER_HOUR = 120.0
HELICOPTER_USD_PER_HOUR = (3700 / 6 + 340 + 7580 / 6.76 + 1052 + 6750 / 8.5 + 840) / 3
"""Mean of the three helicopters of FRCS: daily fixed cost over flight hours, plus the hourly cost."""
BUNDLE_MACHINES = ("bundler", "forwarder")
"""Machines that collect residue in cut-to-length work."""
BUNDLE_LOADS = 2
