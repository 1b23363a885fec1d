"""The one exception a user is meant to read, and the mistakes of a config that it tells."""

from __future__ import annotations

import json
import os
import re
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, NamedTuple, Self

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from heatproof.util.marks import Marks

NAMED = "HEATPROOF_CONFIG"
"""Environment variable: what the file is called that the config was read from. Of several, those
that are laid over others stand behind them, with JOINED between."""
GIVEN = "HEATPROOF_CONFIG_GIVEN"
"""Environment variable: JSON of the values that the command line lays over all."""
JOINED = " + "
FILE = "config.yaml"
"""What every message calls the file, whatever its name is: no result depends on that."""
CONFIG = re.compile(r"(?<![\w./-])config\.yaml\b(?!:\d)")
PLACED = re.compile(r"(?<![\w./-])config\.yaml: (.*)")
"""A mistake in a text; what follows on the line is part of it."""
BEGUN = re.compile(r"\S.*?: \S")
"""Begins a mistake; what follows without it belongs to the one above."""
SEPARATORS = re.compile(r"[-_ ]")
"""What does not tell two names apart where one was meant for the other."""
SHORTEST = 3
"""Letters of a word that may stand for a longer one."""


class Mistake(NamedTuple):
    """Something that is wrong in a config."""

    place: str | None
    """The keys that lead to it, `figures.mine.kind`; of what an entry tells of itself, those within
    the entry, `.kind`. Empty: the config as a whole; None: it lies in another file."""
    message: str
    """The wrong value, what there is instead, what to write."""
    code: str = ""
    """What kind of mistake it is, of those that the config's own checks tell: `unknown key`."""

    def __str__(self) -> str:
        if self.place is None:
            return self.message
        return f"{FILE}: {self.place}{': ' * bool(self.place)}{self.message}"

    def below(self, place: str) -> Self:
        """The same in an entry that lies at a place."""
        return self._replace(place=f"{place}{self.place or ''}")

    @classmethod
    def parse(cls, text: str) -> Self:
        """The mistake of a line that begins with its place: `figures.mine.kind: message`."""
        place, colon, message = text.partition(": ")
        return cls(place, message) if colon and text[0] not in "'\"" else cls("", text)


class Error(Exception):
    """A mistake in the inputs: its message names the wrong value, the valid ones and the place."""

    def __init__(self, message: object = "", kind: Any = "") -> None:
        """`message`: a text of one or more lines, or mistakes of a config.

        `kind`: of a record that is refused for it, see `formats.api.Kind`.
        """
        self._parts = message if isinstance(message, list) else [message]
        super().__init__("\n".join(map(str, self._parts)))
        self.kind = kind

    @property
    def mistakes(self) -> list[Mistake]:
        """What it tells, one by one."""
        found: list[Mistake] = []
        for part in self._parts:
            found += [part] if isinstance(part, Mistake) else _mistakes(str(part))
        return found


def _mistakes(text: str) -> Iterator[Mistake]:
    """The mistakes of a text; a line that begins none belongs to the one above."""
    lines: list[str] = []
    for line in [*text.splitlines(), None]:
        if lines and (line is None or BEGUN.match(line)):
            one = "\n".join(lines)
            inside = one.startswith(f"{FILE}: ")
            yield Mistake.parse(one.removeprefix(f"{FILE}: ")) if inside else Mistake(None, one)
            lines = []
        lines += [] if line is None else [line]


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
    """A text as users read it: mistakes under the true name of their file, with line and column.

    Args:
        text: words, or an error.
        files: where the config was read from, if not as the environment says.
    """
    names = [*files] or _names()

    def place(match: re.Match[str]) -> str:
        spot = _marks(*names).of(Mistake.parse(match[1]))
        return f"{spot}: {match[1]}" if spot else match[0]

    return CONFIG.sub(lambda _: JOINED.join(names), PLACED.sub(place, str(text)))


def in_order(mistakes: Iterable[Mistake], files: Sequence[str] = ()) -> str:
    """Mistakes as users read them, in the order of their files; what has no place comes last."""
    marks = _marks(*(files or _names()))
    spots = [(one, marks.of(one)) for one in mistakes]
    ordered = sorted(spots, key=lambda pair: (pair[1] is None, pair[1] or ()))
    return "\n".join(said(one, files) for one, _ in ordered)


def _names() -> list[str]:
    return (os.environ.get(NAMED) or FILE).split(JOINED)


def _marks(*names: str) -> Marks:
    """Where the config says something; its files are read at the first mistake."""
    from heatproof.util.marks import Marks

    return Marks(names, json.loads(os.environ.get(GIVEN) or "{}"))
