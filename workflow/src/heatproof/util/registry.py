"""Find the modules of a package by name: a new reader or figure kind is one new file."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from typing import TYPE_CHECKING

from heatproof.util.errors import Error, not_one_of

if TYPE_CHECKING:
    from types import ModuleType


def names(package: ModuleType) -> list[str]:
    """Names of the modules in `package` that a user may choose.

    A package may name the `ENDING` of their files, which is no part of the name, and modules that
    are `SHARED` by them or `INNER`: found, but not to be chosen.
    """
    present = _modules_in(package)
    present -= set(getattr(package, "SHARED", ()))
    ending = getattr(package, "ENDING", "")
    words = {name.removesuffix(ending) for name in present if name.endswith(ending)}
    return sorted(words - set(getattr(package, "INNER", ())))


def _modules_in(package: ModuleType) -> set[str]:
    """Names of the modules in a folder; none of a module without one."""
    folders = getattr(package, "__path__", ())
    return {module.name for module in pkgutil.iter_modules(folders)}


def load(package: ModuleType, name: str) -> ModuleType:
    """The module `name` of a package, which is there."""
    return import_module(f"{package.__name__}.{name}{getattr(package, 'ENDING', '')}")


def find(package: ModuleType, name: str, place: str, noun: str) -> ModuleType:
    """The module `name` of a package.

    Raises Error at `place` if there is none, or it lacks attributes, or modules in its folder, that
    the package `NEEDS`.
    """
    head = ""
    if place:
        head = f"{place}: "
    words = names(package)
    if name not in words and name not in getattr(package, "INNER", ()):
        raise Error(head + not_one_of(name, noun, words))
    module, needed = load(package, name), getattr(package, "NEEDS", ())
    modules = _modules_in(module)
    for item in needed:
        if not hasattr(module, item) and item not in modules:
            needs = f"a {noun} needs {', '.join(needed)}"
            raise Error(f"{head}{module.__name__} has no {item!r}; {needs}")
    return module
