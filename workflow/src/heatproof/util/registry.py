"""Find the modules of a package by name: a new reader or figure kind is one new file."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from typing import TYPE_CHECKING

from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    from types import ModuleType


def names(package: ModuleType) -> list[str]:
    """Names of the modules in `package` that a user may choose.

    A package may name the `ENDING` of their files, which is no part of the name, and modules that
    are `SHARED` by them or `INNER`: found, but not to be chosen.
    """
    present = {module.name for module in pkgutil.iter_modules(package.__path__)}
    ending = getattr(package, "ENDING", "")
    own = present - {*getattr(package, "SHARED", ())}
    words = {name.removesuffix(ending) for name in own if name.endswith(ending)}
    return sorted(words - {*getattr(package, "INNER", ())})


def load(package: ModuleType, name: str) -> ModuleType:
    """The module `name` of a package, which is there."""
    return import_module(f"{package.__name__}.{name}{getattr(package, 'ENDING', '')}")


def find(package: ModuleType, name: str, place: str, what: str) -> ModuleType:
    """The module `name` of a package.

    Raises Error at `place` if there is none, or it lacks attributes, or modules in its folder, that
    the package `NEEDS`.
    """
    where = f"{place}: " if place else ""
    if name not in (*names(package), *getattr(package, "INNER", ())):
        raise Error(f"{where}{name!r} is not a {what}; {choices(name, names(package))}")
    module, needed = load(package, name), getattr(package, "NEEDS", ())
    inside = {part.name for part in pkgutil.iter_modules(getattr(module, "__path__", ()))}
    for item in needed:
        if not hasattr(module, item) and item not in inside:
            lacks = f"{module.__name__} has no {item!r}; a {what} needs {', '.join(needed)}"
            raise Error(where + lacks)
    return module
