"""Find the modules of a package by name: a new reader or figure kind is one new file."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from typing import TYPE_CHECKING

from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    from types import ModuleType


def names(package: ModuleType) -> list[str]:
    """Names that the modules in `package` are known by.

    A package may say how the files of these end (`ENDING`, no part of the name), which of its
    modules are `SHARED` and none of them, and which are `INNER`: found, but not to be chosen.
    """
    present = {module.name for module in pkgutil.iter_modules(package.__path__)}
    ending = getattr(package, "ENDING", "")
    own = present - {*getattr(package, "SHARED", ())}
    words = {name.removesuffix(ending) for name in own if name.endswith(ending)}
    return sorted(words - {*getattr(package, "INNER", ())})


def load(package: ModuleType, name: str) -> ModuleType:
    """The module that is known by `name` in `package`, which is there."""
    return import_module(f"{package.__name__}.{name}{getattr(package, 'ENDING', '')}")


def find(package: ModuleType, name: str, place: str, what: str) -> ModuleType:
    """The module that is known by `name` in `package`.

    Raises:
        Error: there is none, or it lacks what the package says that its modules need (`NEEDS`; of a
            folder, it may be a module in it); the message names the place and those there are.
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
