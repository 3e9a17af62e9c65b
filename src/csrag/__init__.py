"""csrag: biomass siting questions answered by computation over forest, fire and road surfaces.

Public names load on first use, so that ``import csrag`` costs nothing::

    import csrag

    layers = csrag.open_layers()
    answer = csrag.ask(layers, "25 MW facility near Quincy, CA. Fire risk matters.")
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

_PUBLIC = {
    "open_layers": "csrag.interfaces.open",
    "ask": "csrag.ask.pipeline",
    "SitingQuery": "csrag.ask.records",
    "Answer": "csrag.ask.results",
    "CsragError": "csrag.errors",
    "verify_text": "csrag.ask.synthesis.foreign",
}
__all__ = ["Answer", "CsragError", "SitingQuery", "__version__", "ask", "open_layers", "verify_text"]


def __getattr__(name: str) -> Any:
    if name == "ask":
        # The package, which can be called: what `csrag.ask` is must not depend on what was imported before.
        return importlib.import_module("csrag.ask")
    if name in _PUBLIC:
        return getattr(importlib.import_module(_PUBLIC[name]), name)
    raise AttributeError(f"module 'csrag' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
