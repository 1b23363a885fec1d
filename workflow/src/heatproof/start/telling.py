"""What `heatproof init` says: what was found, what became of it, what is not sure, what is left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heatproof.start import inventory
from heatproof.start.source import listed
from heatproof.util import terminal
from heatproof.util.numerals import numbered

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from heatproof.start.start import Made, Start

WORD = 10
"""Width of the first column."""
FIGURES = 12
"""Figures that are told one by one."""
ROLES = 14
"""Places that are told of a source."""


def text(start: Start) -> str:
    """All of it, but for what was written."""
    lines = [*_pointers(start)]
    for made in start.made:
        lines += _made(made)
    failed: dict[str, list[str]] = {}
    for family, why in start.failed:
        failed.setdefault(why, []).extend(family.paths)
    lines += [_row("unread", f"{_files(paths)}: {why}") for why, paths in failed.items()]
    lines += _left(start)
    return "\n".join(lines)


def _row(word: str, told: str) -> str:
    return f"{word.ljust(WORD - 1)} {told}"


def _files(paths: Sequence[str]) -> str:
    name = terminal.name(paths[0])
    return name if len(paths) == 1 else f"{numbered(len(paths), 'file')}, such as {name}"


def _pointers(start: Start) -> Iterator[str]:
    found = start.inventory.pointers
    if not found:
        return
    size = sum(file.size for file in found)
    are = "is a git-LFS pointer" if len(found) == 1 else "are git-LFS pointers"
    yield _row(
        "pointer",
        f"{_files([file.path for file in found])} {are}, not logs ({size:,} bytes elsewhere): "
        "git lfs pull, then heatproof init --add",
    )


def _made(made: Made) -> Iterator[str]:
    family = made.found.family
    looked = "" if family.all_looked else f"; {len(family.looked):,} looked into"
    yield _row(family.format, f"{_files(family.paths)}: {family.why}{looked}")
    told = made.found.told[:ROLES]
    wide = min(max((len(place) for place, _, _ in told), default=0), 32)
    for place, seen, became in told:
        arrow = f" -> {became}" if became else ""
        yield _row("", f"{(place or '(path)').ljust(wide)}  {seen}{arrow}")
    if family.beside:
        yield _row("beside", f"{_files(family.beside)}: settings of these logs")
    for word, said in made.words:
        yield _row(word, said)
    for doubt in made.found.doubts:
        yield _row("not sure", doubt)


def _left(start: Start) -> Iterator[str]:
    """Files that no source names, and why."""
    for name, paths in start.sorted.sidecars.items():
        yield _row("beside", f"{_files(paths)}: written by {name} beside its logs")
    for reason, paths in start.sorted.unread.items():
        if reason:
            yield _row("unread", f"{_files(paths)}: {reason}")
    for reason, paths in start.inventory.closed.items():
        yield _row("unread", f"{_files(paths)}: {reason}")
    if start.inventory.empty:
        yield _row("empty", _files(start.inventory.empty))
    passed = [path for paths in start.inventory.passed.values() for path in paths]
    passed += start.sorted.unread.get("", [])
    if passed:
        ends = listed(sorted({inventory.ending(path) or "no ending" for path in passed}))
        yield _row("passed", f"{numbered(len(passed), 'other file')} ({ends})")
    if start.known:
        yield _row("known", f"{numbered(start.known, 'file')} that the config reads already")


def written(start: Start, name: str, verb: str) -> str:
    """What was written, and how many files are in it."""
    inside = sum(len(one.found.family.paths) for one in start.made)
    sources = [one.name for one in start.made]
    drawn = [(figure.name, figure.what) for one in start.made for figure in one.figures]
    wide = max(len(one) for one, _ in drawn)
    lines = [f"{name} {verb}: {_several('source', sources)} ({numbered(inside, 'log')})"]
    lines += [_row("", f"figure {one.ljust(wide)}  {what}") for one, what in drawn[:FIGURES]]
    if len(drawn) > FIGURES:
        lines.append(_row("", f"and {len(drawn) - FIGURES} more"))
    return "\n".join(lines)


def _several(word: str, names: Iterable[str]) -> str:
    told = list(names)
    return f"{word}{'s' if len(told) > 1 else ''} {', '.join(told)}"
