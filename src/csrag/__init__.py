"""csrag: biomass siting questions answered by computation over forest, fire and road surfaces."""

__version__ = "0.1.0"
