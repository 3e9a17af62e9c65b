"""The command line."""

from csrag.interfaces.cli.main import main

__all__ = ["main"]
