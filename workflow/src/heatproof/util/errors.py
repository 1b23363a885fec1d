"""The one exception a user is meant to read."""

from __future__ import annotations

import json
import os
import re
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from heatproof.util.marks import Marks

NAMED = "HEATPROOF_CONFIG"
"""Environment variable: what the file is called that the config was read from. Of several, those
that are laid over others stand behind them, with JOINED between."""
GIVEN = "HEATPROOF_CONFIG_GIVEN"
"""Environment variable: JSON of the values that the command line lays over all."""
JOINED = " + "
CONFIG = re.compile(r"(?<![\w./-])config\.yaml\b(?!:\d)")
PLACED = re.compile(r"(?<![\w./-])config\.yaml: (.*)")
"""A message about a place in it; what follows on the line is part of that."""


BEGUN = re.compile(r"\S.*?: \S")
"""Begins a mistake; what follows without it belongs to the one above."""
SPOT = re.compile(r"(.+?):(\d+):(\d+): ")
SEPARATORS = re.compile(r"[-_ ]")
"""What does not tell two names apart where one was meant for the other."""
SHORTEST = 3
"""Letters of a word that may stand for a longer one."""


class Error(Exception):
    """A mistake in the inputs: its message names the wrong value, the valid ones and the place."""


class Lasting(Error):
    """A mistake of a figure that no further record mends: it is told as soon as one shows it."""


class Absent(Error):
    """A mistake of a figure that asks for what no record has: it is told where all are known."""


def unreadable(path: object, error: OSError) -> Error:
    """What to tell of a file or folder that is named but cannot be read."""
    return Error(f"{path}: {why_unread(error)}")


def why_unread(error: OSError) -> str:
    """Why a file cannot be read."""
    reason = error.strerror or str(error)
    return f"it cannot be read: {reason[:1].lower()}{reason[1:]}"


def choices(wrong: object, valid: Iterable[object]) -> str:
    """Say what would have been valid, the likeliest first: `there are a, b (did you mean b?)`."""
    names = [str(name) for name in valid]
    shown = [repr(name) if name in ("", "none") else name for name in names]
    near = likeliest(wrong, names)
    hint = f" (did you mean {near!r}?)" if near else ""
    return f"there are {', '.join(shown)}{hint}" if names else "there are none"


def likeliest(wrong: object, names: Iterable[str]) -> str:
    """Which of the names was meant: in any case, as a beginning, or as the end of a place."""
    plain: dict[str, str] = {}
    for name in names:
        plain.setdefault(_plain(name), name)
    word = _plain(str(wrong))
    if word in plain:
        return plain[word]
    longer = [
        one for one in plain
        if one.endswith(f".{word}") or (len(word) >= SHORTEST and one.startswith(word))
    ]  # fmt: skip
    near = get_close_matches(word, plain, n=1) or longer
    return plain[near[0]] if word and near else ""


def _plain(name: str) -> str:
    return SEPARATORS.sub("", name.casefold())


def said(text: object, files: Sequence[str] = ()) -> str:
    """What users are told of the config: under the true name of its file, with line and column.

    Whoever writes a message calls the file config.yaml, and begins with the place in it: no result
    hangs on its name, nor on a line that was put above.

    Args:
        text: the message.
        files: where the config was read from, if not as the environment says.
    """
    names = [*files] or (os.environ.get(NAMED) or "config.yaml").split(JOINED)
    told = PLACED.sub(_Placed(names), str(text))
    return CONFIG.sub(lambda _: JOINED.join(names), told)


def in_order(text: str) -> str:
    """Mistakes in the order of the files that they stand in; what has no place comes last."""
    found: list[list[str]] = []
    for line in text.splitlines():
        if not found or BEGUN.match(line):
            found.append([])
        found[-1].append(line)
    return "\n".join("\n".join(one) for one in sorted(found, key=lambda one: _order(one[0])))


def _order(line: str) -> tuple[bool, str, int, int]:
    match = SPOT.match(line)
    return (False, match[1], int(match[2]), int(match[3])) if match else (True, "", 0, 0)


class _Placed:
    """What stands in the place of `config.yaml: ` in a message; files are read for the first."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names

    @cached_property
    def _marks(self) -> Marks:
        from heatproof.util.marks import Marks

        return Marks(self._names, json.loads(os.environ.get(GIVEN) or "{}"))

    def __call__(self, match: re.Match[str]) -> str:
        spot = self._marks.of(match[1])
        return f"{spot}: {match[1]}" if spot else match[0]
