"""Patterns of paths that name some files of a folder, and no others of it."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from typing import TYPE_CHECKING

from heatproof.logs.logs import fits

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ENDING = re.compile(r"(?:\.[A-Za-z_-]+)*\.[^.]*$")
FEW = 12
"""Folders of which each has a pattern, at most."""
LISTED = 40
"""Files that are listed one by one, at most."""


def patterns(paths: Sequence[str], others: Sequence[str], more: bool = False) -> str | list[str]:
    """One pattern, or several, that match all `paths` and none of `others`.

    Where there is none, the plainest that matches all; others are then met, and refused. `more`:
    whether files like a single one are to come, as the next run of a harness writes them.
    """
    if len(paths) == 1:
        folder, slash, name = paths[0].rpartition("/")
        wide = f"{_escaped(folder)}{slash}*{_escaped(_ending(name))}"
        free = more and not any(_matches([wide], other) for other in others)
        return wide if free else _escaped(paths[0])
    plainest = _apart(paths, others)
    plainest = plainest if len(plainest) <= LISTED else next(_candidates(paths))
    return plainest if len(plainest) > 1 else plainest[0]


def _apart(paths: Sequence[str], others: Sequence[str]) -> list[str]:
    """The plainest patterns without others; where one part of the folder needs it, part by part."""
    if len(paths) == 1:
        return [_escaped(paths[0])]
    for candidate in _candidates(paths):
        if not any(_matches(candidate, other) for other in others):
            return candidate
    parts: dict[str, list[str]] = defaultdict(list)
    base = os.path.commonpath([path.rpartition("/")[0] for path in paths])
    depth = len(base.split("/")) if base else 0
    for path in paths:
        below = path.split("/")[depth:]
        parts[below[0] if len(below) > 1 else ""].append(path)
    if len(parts) == 1:
        return [_escaped(path) for path in paths]
    return [pattern for part in parts.values() for pattern in _apart(part, others)]


def _matches(patterns: Sequence[str], path: str) -> bool:
    return any(fits(pattern.split("/"), path.split("/")) for pattern in patterns)


def _candidates(paths: Sequence[str]) -> Iterator[list[str]]:
    """From the plainest to the list of all."""
    folders = sorted({path.rpartition("/")[0] for path in paths})
    names = [path.rpartition("/")[2] for path in paths]
    base = os.path.commonpath(folders) if len(folders) > 1 and all(folders) else ""
    base = folders[0] if len(folders) == 1 else base
    above = f"{_escaped(base)}/" if base else ""
    below = "" if len(folders) == 1 else "**/"
    ends = _common([name[::-1] for name in names])[::-1]
    plain = _ending(ends)
    yield [f"{above}{below}*{_escaped(plain)}"]
    starts = _common(names)
    if len(starts) + len(plain) <= min(map(len, names)):
        yield [f"{above}{below}{_escaped(starts)}*{_escaped(plain)}"]
    middle = _middle(names, starts, ends)
    yield [f"{above}{below}{middle}"]
    if len(folders) <= FEW:
        yield [f"{_escaped(folder)}/{middle}" if folder else middle for folder in folders]
    if len(paths) <= LISTED:
        yield [_escaped(path) for path in paths]


def _middle(names: Sequence[str], starts: str, ends: str) -> str:
    """A pattern of what all names begin and end with, of which no sign counts as both."""
    if len({*names}) == 1:
        return _escaped(names[0])
    ends = ends[max(len(starts) + len(ends) - min(map(len, names)), 0) :]
    return f"{_escaped(starts)}*{_escaped(ends)}"


def _common(names: Sequence[str]) -> str:
    """The text that all names begin with."""
    first, last = min(names), max(names)
    same = (n for n, (a, b) in enumerate(zip(first, last, strict=False)) if a != b)
    return first[: next(same, min(len(first), len(last)))]


def _ending(ends: str) -> str:
    """What a file's kind is known by: `.eval_results.json` of `_0.2.eval_results.json`.

    Digits are of what a file holds, such as a time or a temperature: the next one has others.
    """
    match = ENDING.search(ends)
    return match[0] if match else ends


def _escaped(text: str) -> str:
    """A text that a pattern takes as it is."""
    return "".join(f"[{sign}]" if sign in "*?[" else sign for sign in text)
