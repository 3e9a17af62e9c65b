"""Stage 1: what is asked. `parse` turns a question into a `SitingQuery`."""

from csrag.ask.intent.parse import parse

__all__ = ["parse"]
