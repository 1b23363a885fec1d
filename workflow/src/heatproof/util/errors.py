"""The one exception a user is meant to read, and the mistakes of a config that it tells."""

from __future__ import annotations

import json
import os
import re
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, NamedTuple, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

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
    word: str = ""
    """The key or the item at the place that is wrong, if it is not all that stands there."""
    offset: int | None = None
    """Where in a text that stands there the mistake is."""

    def __str__(self) -> str:
        return self.sentence if self.place is None else f"{FILE}: {self.sentence}"

    @property
    def sentence(self) -> str:
        """Place and message, without the file."""
        return f"{self.place}: {self.message}" if self.place else self.message

    def restated(self, restate: Callable[[str], str]) -> Self:
        """The same in other words."""
        place = self.place and restate(self.place)
        return self._replace(place=place, message=restate(self.message))

    def below(self, place: str) -> Self:
        """The same in an entry that lies at a place."""
        return self._replace(place=f"{place}{self.place or ''}")


class Error(Exception):
    """A mistake in the inputs: its message names the wrong value, the valid ones and the place."""

    def __init__(self, message: object = "", kind: Any = "") -> None:
        """`message`: a text, a mistake of a config, or several.

        `kind`: of a record that is refused for it, see `formats.api.Kind`.
        """
        parts = message if isinstance(message, list) else [message]
        self.mistakes = [
            part if isinstance(part, Mistake) else Mistake(None, str(part)) for part in parts
        ]
        """What it tells, one by one."""
        super().__init__("\n".join(map(str, self.mistakes)))
        self.kind = kind


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
    words = [repr(name) if name in ("", "none") else name for name in names]
    near = likeliest(wrong, names)
    hint = f" (did you mean {near!r}?)" if near else ""
    return f"there are {', '.join(words)}{hint}" if names else "there are none"


def likeliest(wrong: object, names: Iterable[str]) -> str:
    """Which of the names was meant: in any case, as a beginning, or as the end of a place."""
    plain: dict[str, str] = {}
    for name in names:
        plain.setdefault(_plain(name), name)
    word = _plain(str(wrong))
    if word in plain:
        return plain[word]
    longer = [
        candidate for candidate in plain
        if candidate.endswith(f".{word}") or (len(word) >= SHORTEST and candidate.startswith(word))
    ]  # fmt: skip
    near = get_close_matches(word, plain, n=1) or longer
    return plain[near[0]] if word and near else ""


def _plain(name: str) -> str:
    return SEPARATORS.sub("", name.casefold())


def with_file_names(text: object, files: Sequence[str] = ()) -> str:
    """A text as users read it: the config under the true name of its files."""
    return CONFIG.sub(lambda _: JOINED.join(files or _names()), str(text))


def in_order(mistakes: Iterable[Mistake], files: Sequence[str] = ()) -> str:
    """Mistakes as users read them, with file, line and column, in the order of their files.

    What has no place comes last. `files`: where the config was read from, if not as the environment
    says.
    """
    names = [*files] or _names()
    marks = _marks(*names)
    spots = [(mistake, marks.of(mistake)) for mistake in mistakes]
    ordered = sorted(spots, key=lambda pair: (pair[1] is None, pair[1] or ()))
    return "\n".join(
        with_file_names(f"{spot}: {mistake.sentence}" if spot else mistake, names)
        for mistake, spot in ordered
    )


def _names() -> list[str]:
    return (os.environ.get(NAMED) or FILE).split(JOINED)


def _marks(*names: str) -> Marks:
    """Where the config says something; its files are read at the first mistake."""
    from heatproof.util.marks import Marks

    return Marks(names, json.loads(os.environ.get(GIVEN) or "{}"))
