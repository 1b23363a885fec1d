"""The locked environment: what is pinned in requirements/run.txt, and what is installed."""

from __future__ import annotations

import re
from functools import cache
from importlib import metadata

from heatproof.util import repository

NAME = "requirements/run.txt"
"""Of the pins, in the repository."""
FILE = repository.ROOT / NAME
"""Beside the workflow; an installed copy has none, for its packages are the user's to choose."""

_LINE = re.compile(r"^([\w.-]+)==([^\s;\\]+)", re.MULTILINE)


@cache
def pinned() -> dict[str, str]:
    """Package → pinned version; several, where they differ by Python or platform."""
    versions: dict[str, list[str]] = {}
    for name, number in _LINE.findall(FILE.read_text() if FILE.is_file() else ""):
        versions.setdefault(_plain(name), []).append(number)
    return {name: " or ".join(sorted(set(numbers))) for name, numbers in versions.items()}


def pin(name: str) -> str:
    """The pinned version of a package; empty where it is not pinned."""
    return pinned().get(_plain(name), "")


@cache
def version(name: str) -> str:
    """The installed version of a package: each is looked up once, from several files.

    Raises:
        PackageNotFoundError: it is not installed.
    """
    return metadata.version(name)


def installed(name: str) -> str:
    """The same; empty where it is not installed."""
    try:
        return version(name)
    except metadata.PackageNotFoundError:
        return ""


def known() -> list[str]:
    """The pinned packages that are installed, and so may run; without pins, all that we need."""
    return [name for name in sorted(pinned() or needed()) if installed(name)]


def needed(package: str = "heatproof") -> set[str]:
    """A package and all that it needs, and those need, as what is installed tells it."""
    from packaging.requirements import Requirement  # Snakemake needs it too

    versions, waiting = set[str](), [package]
    while waiting:
        name = _plain(waiting.pop())
        if name not in versions and installed(name):
            versions.add(name)
            needs = map(Requirement, metadata.requires(name) or ())
            waiting += [
                requirement.name
                for requirement in needs
                if requirement.marker is None or requirement.marker.evaluate({"extra": ""})
            ]
    return versions


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
