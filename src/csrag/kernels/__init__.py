"""Compiled loops for what NumPy cannot do fast enough; every one has a NumPy twin that gives the same results."""

from csrag.kernels.loading import SWITCH, GridRecord, PoolRecord, describe, library

__all__ = ["SWITCH", "GridRecord", "PoolRecord", "describe", "library"]
