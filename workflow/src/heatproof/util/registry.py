"""Find the modules of a package by name: a new reader or figure kind is one new file."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from typing import TYPE_CHECKING

from heatproof.util.errors import Error, choices

if TYPE_CHECKING:
    from types import ModuleType


def names(package: ModuleType) -> list[str]:
    """Names of the modules in `package`.

    Those that start with an underscore are not for users, nor are those that it says are `SHARED`.
    """
    found = {module.name for module in pkgutil.iter_modules(package.__path__)}
    return sorted(n for n in found - {*getattr(package, "SHARED", ())} if not n.startswith("_"))


def load(package: ModuleType, name: str) -> ModuleType:
    """The module `name` of `package`, which is there."""
    return import_module(f"{package.__name__}.{name}")


def find(package: ModuleType, name: str, place: str, what: str) -> ModuleType:
    """The module `name` of `package`.

    Raises:
        Error: there is none, or it lacks what the package says that its modules need (`NEEDS`);
            the message names the place and those there are.
    """
    if name not in names(package):
        raise Error(f"{place}: {name!r} is not a {what}; {choices(name, names(package))}")
    module = load(package, name)
    needed = getattr(package, "NEEDS", ())
    if missing := [one for one in needed if not _holds(module, one)]:
        raise Error(
            f"{place}: {module.__name__} has no {missing[0]!r}; a {what} needs {', '.join(needed)}"
        )
    return module


def _holds(module: ModuleType, name: str) -> bool:
    """Whether a module has something of that name; of a folder, it may be a module in it."""
    inside = getattr(module, "__path__", ())
    return hasattr(module, name) or name in {one.name for one in pkgutil.iter_modules(inside)}
