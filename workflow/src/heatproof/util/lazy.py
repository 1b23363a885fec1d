"""Heavy libraries, loaded at the first use of an attribute.

Reading the config needs every figure kind and reader, but not altair (a second), polars (a quarter)
or numpy (a tenth).
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair
    import numpy
    import pikepdf
    import polars
    import pyarrow
    from pyarrow import parquet
else:

    class _Lazy(ModuleType):
        """Stands for a module, outside sys.modules, where others would look into it too soon."""

        def __getattr__(self, name: str) -> Any:
            value = getattr(import_module(self.__name__), name)
            setattr(self, name, value)  # so that it is asked for once
            return value

    altair = _Lazy("altair")
    numpy = _Lazy("numpy")
    pikepdf = _Lazy("pikepdf")
    polars = _Lazy("polars")
    pyarrow = _Lazy("pyarrow")
    parquet = _Lazy("pyarrow.parquet")

__all__ = ["altair", "numpy", "parquet", "pikepdf", "polars", "pyarrow"]
