"""Implementations of the layer store; chosen in `csrag.interfaces.open` only."""
