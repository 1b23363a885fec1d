"""The locked environment: what is pinned in requirements/run.txt, and what is installed."""

from __future__ import annotations

import re
from functools import cache
from importlib import metadata
from pathlib import Path

NAME = "requirements/run.txt"
"""Of the pins, in the repository."""
FILE = Path(__file__).resolve().parents[4] / NAME
"""Beside the workflow; where the library is used elsewhere, there may be none."""

_LINE = re.compile(r"^([\w.-]+)==([^\s;\\]+)", re.MULTILINE)


@cache
def pinned() -> dict[str, str]:
    """Package → pinned version; several, where they differ by Python or platform."""
    found: dict[str, list[str]] = {}
    for name, number in _LINE.findall(FILE.read_text() if FILE.is_file() else ""):
        found.setdefault(_plain(name), []).append(number)
    return {name: " or ".join(sorted(set(numbers))) for name, numbers in found.items()}


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
    """The pinned packages that are installed, and so may run."""
    return [name for name in sorted(pinned()) if installed(name)]


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
