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


def module(package: ModuleType, name: str) -> str:
    """The full name of the module that is known by `name` in `package`."""
    return f"{package.__name__}.{name}{getattr(package, 'ENDING', '')}"


def load(package: ModuleType, name: str) -> ModuleType:
    """The module that is known by `name` in `package`, which is there."""
    return import_module(module(package, name))


def find(package: ModuleType, name: str, place: str, what: str) -> ModuleType:
    """The module that is known by `name` in `package`.

    Raises:
        Error: there is none, or it lacks what the package says that its modules need (`NEEDS`);
            the message names the place and those there are.
    """
    where = f"{place}: " if place else ""
    if name not in (*names(package), *getattr(package, "INNER", ())):
        raise Error(f"{where}{name!r} is not a {what}; {choices(name, names(package))}")
    present = load(package, name)
    needed = getattr(package, "NEEDS", ())
    if missing := [item for item in needed if not _holds(present, item)]:
        raise Error(
            f"{where}{present.__name__} has no {missing[0]!r}; a {what} needs {', '.join(needed)}"
        )
    return present


def _holds(module: ModuleType, name: str) -> bool:
    """Whether a module has something of that name; of a folder, it may be a module in it."""
    inside = getattr(module, "__path__", ())
    return hasattr(module, name) or name in {item.name for item in pkgutil.iter_modules(inside)}
