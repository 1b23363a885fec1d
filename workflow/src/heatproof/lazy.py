"""Heavy libraries, loaded when first used.

Reading the config needs the definitions of every figure kind and reader, but neither altair
(a second) nor polars (a quarter): modules import them from here and pay at the first attribute.
"""

from __future__ import annotations

import importlib.util
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

    import altair
    import polars
else:

    def _load(name: str) -> ModuleType:
        if name in sys.modules:
            return sys.modules[name]
        spec = importlib.util.find_spec(name)
        spec.loader = importlib.util.LazyLoader(spec.loader)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return module

    altair = _load("altair")
    polars = _load("polars")

__all__ = ["altair", "polars"]
