"""verify: what a check answers, and the comparison that all of them are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable


ABSENT = "not there"


class Failure(msgspec.Struct):
    """Something that is not what it should be."""

    path: str
    """The file, or the key in config.yaml, or the package."""
    expected: str
    found: str
    figures: list[str]
    """Those whose numbers or looks hang on it."""


class Stage(msgspec.Struct):
    """One line of the answer."""

    name: str
    checked: str
    """What was looked at, in words."""
    failures: list[Failure]


def differing(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """The keys of two entries whose values differ."""
    return [key for key in old | new if old.get(key) != new.get(key)]


def compare(
    expected: dict[str, str], found: dict[str, str], touches: Callable[[str], list[str]]
) -> list[Failure]:
    """What differs, is missing, or is there but should not be."""
    return [
        Failure(name, expected.get(name, ABSENT), found.get(name, ABSENT), touches(name))
        for name in sorted(expected.keys() | found.keys())
        if expected.get(name) != found.get(name)
    ]
