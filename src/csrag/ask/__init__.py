"""The four stages: intent, retrieval, computation, synthesis; `pipeline` calls them in order.

The package's name is also that of the public function ``csrag.ask``. Importing any part of it makes ``csrag.ask`` this
module, so the module itself can be called: ``csrag.ask(layers, question)`` works whatever was imported before.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _CallablePackage(ModuleType):
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from csrag.ask.agent.session import answering

        return answering(kwargs.get("assistant"))(*args, **kwargs)


sys.modules[__name__].__class__ = _CallablePackage
