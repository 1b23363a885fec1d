"""What `--keep-going` leaves out: figures with a mistake, or of a source with one.

Every mistake that is known before a job is told as ever; with `--keep-going` the figures that none
of them touches are planned all the same. Whose mistake one is, its place says. One that is of no
source and no figure, as a wrong section, is of all.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from heatproof.util.errors import Mistake  # noqa: TC001  msgspec looks it up

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


BEHIND = ("", ".", "[")
"""What may stand behind a name in a place."""
NEVER = ".snakemake/heatproof/left_out"
"""A file that is asked for where something is left out, and never made: its job fails."""
SHOWN = 4
"""Figures named at most."""
OPTION = "--keep-going"
FLAGS = re.compile(r"-[nFfpr]*k\w*")
"""Short options of Snakemake's, several in a word, `-k` among them."""


class LeftOut(msgspec.Struct):
    """Figures that are left out, and sources."""

    figures: dict[str, list[Mistake]] = {}
    """Name → the mistakes that touch it."""
    sources: list[str] = []

    def __bool__(self) -> bool:
        return bool(self.figures)

    def lines(self) -> list[Mistake]:
        """All mistakes, each once."""
        return [*dict.fromkeys(line for told in self.figures.values() for line in told)]

    def without(self, raw: Mapping[str, Any]) -> dict[str, Any]:
        """The config without them."""
        rest = dict(raw)
        for section, names in (("figures", self.figures), ("sources", self.sources)):
            if isinstance(entries := rest.get(section), dict):
                rest[section] = {k: one for k, one in entries.items() if str(k) not in names}
        return rest

    def also(self, more: LeftOut) -> LeftOut:
        """Those of both."""
        return LeftOut(self.figures | more.figures, [*self.sources, *more.sources])


def is_asked(words: Iterable[str]) -> bool:
    """Whether Snakemake was called with `--keep-going`, which a Snakefile cannot ask it."""
    return any(word.startswith("--keep-g") or FLAGS.fullmatch(word) is not None for word in words)


def way_on(spared: Sequence[str]) -> str:
    """How to have the figures all the same that no mistake touches."""
    more = f" and {len(spared) - SHOWN} more" if len(spared) > SHOWN else ""
    return f"to draw {', '.join(spared[:SHOWN])}{more} all the same: {OPTION}"


def touched(mistakes: Iterable[Mistake], raw: Mapping[str, Any]) -> LeftOut | None:
    """What mistakes leave out of a config; None if one is of all, or no figure would be left."""
    entries = {name: raw.get(name) for name in ("sources", "figures")}
    sections = {name: [*map(str, one)] for name, one in entries.items() if isinstance(one, dict)}
    if len(sections) < len(entries):
        return None
    found = LeftOut()
    for mistake in mistakes:
        section, _, rest = (mistake.place or "").partition(".")
        name = _named(rest, sections[section]) if section in sections else ""
        if section == "sources":
            names = [*_of_source(rest, name, raw["figures"])]
            found.sources += [name] if name and name not in found.sources else []
        else:
            names = [name] if name else []
        if not (names or name):
            return None
        for figure in names:
            found.figures.setdefault(figure, []).append(mistake)
    return found if len(found.figures) < len(sections["figures"]) else None


def _named(rest: str, names: Sequence[str]) -> str:
    """The name with which a place goes on; names may have dots in them."""
    fits = [one for one in names if rest.startswith(one) and rest[len(one) :][:1] in BEHIND]
    return max(fits, key=len, default="")


def _of_source(rest: str, name: str, figures: Mapping[Any, Any]) -> Iterator[str]:
    """Figures that show a source, by itself or with others."""
    for figure, given in figures.items():
        shown = given.get("source") if isinstance(given, dict) else None
        several = [one for one in shown if isinstance(one, str)] if isinstance(shown, list) else []
        joined = "-and-".join(dict.fromkeys(several))
        if (name and name in (shown, *several)) or (joined and _named(rest, [joined])):
            yield str(figure)
