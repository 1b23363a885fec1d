"""The exception that users read, and the lines of the config that it is about.

A config may be read from several files, of which the last that says something counts, and from the
command line. Anchors and merges of YAML are followed to where the text stands.
"""

from __future__ import annotations

import os
import re
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, NamedTuple, Self

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

FILES = "HEATPROOF_CONFIG"
"""Environment variable: the files that the config was read from, JOINED; the later ones count."""
VALUES = "HEATPROOF_CONFIG_GIVEN"
"""Environment variable: JSON of the values of the command line, which count before all files."""
JOINED = " + "
OVER = "--config"  # the place of values of the command line
MERGE = "tag:yaml.org,2002:merge"
FILE = "config.yaml"  # the name in every message until it is printed, whatever the files are called
CONFIG = re.compile(r"(?<![\w./-])config\.yaml\b(?!:\d)")
SEPARATORS = re.compile(r"[-_ ]")  # two names that differ by these are the same word
LONGEST = 80  # characters of a name for which another may have been meant
SHORTEST = 3  # letters of a word that may stand for a longer one


class Mistake(NamedTuple):
    """A mistake in a config."""

    place: str | None
    """The keys that lead to it, `figures.mine.kind`, or within an entry, `.kind`. Empty: the config
    as a whole; None: it lies in another file."""
    message: str  # the wrong value, what there is instead, what to write
    code: str = ""  # of those that the config's own checks find: `unknown key`
    word: str = ""  # the wrong key or item at the place, if the rest is right
    offset: int | None = None  # position of the mistake in a text at the place

    def __str__(self) -> str:
        return self.sentence if self.place is None else f"{FILE}: {self.sentence}"

    @property
    def sentence(self) -> str:
        """Place and message, without the file."""
        return f"{self.place}: {self.message}" if self.place else self.message

    def below(self, place: str) -> Self:
        """The same of an entry at a place."""
        return self._replace(place=f"{place}{self.place or ''}")


class Error(Exception):
    """A mistake in the inputs. The message names the wrong value, the valid ones and the place."""

    def __init__(self, message: object = "", kind: Any = "", field: str = "") -> None:
        """`message`: a text, a mistake, or several; `kind`, `field`: of a `formats.api.Reject`."""
        parts = message if isinstance(message, list) else [message]
        self.mistakes = [
            part if isinstance(part, Mistake) else Mistake(None, str(part)) for part in parts
        ]
        super().__init__("\n".join(map(str, self.mistakes)))
        self.kind, self.field = kind, field


def why_unread(error: OSError) -> str:
    """Why a file cannot be read."""
    reason = error.strerror or str(error)
    return f"it cannot be read: {reason[:1].lower()}{reason[1:]}"


def choices(wrong: object, valid: Iterable[object]) -> str:
    """The valid names, and the likeliest of them: `there are a, b (did you mean 'b'?)`."""
    names = [str(name) for name in valid]
    words = [repr(name) if name in ("", "none") else name for name in names]
    near = likeliest(wrong, names)
    hint = f" (did you mean {near!r}?)" if near else ""
    return f"there are {', '.join(words)}{hint}" if names else "there are none"


def likeliest(wrong: object, names: Iterable[str]) -> str:
    """The name that was meant: in any case, by its beginning, or by the end of a place."""
    if len(str(wrong)) > LONGEST:  # no name that somebody typed
        return ""
    plain: dict[str, str] = {}
    for name in names:
        plain.setdefault(_plain_name(name), name)
    word = _plain_name(str(wrong))
    if word in plain:
        return plain[word]
    longer = [
        candidate for candidate in plain
        if candidate.endswith(f".{word}") or (len(word) >= SHORTEST and candidate.startswith(word))
    ]  # fmt: skip
    near = get_close_matches(word, plain, n=1) or longer
    return plain[near[0]] if word and near else ""


def _plain_name(name: str) -> str:
    return SEPARATORS.sub("", name.casefold())


def with_file_names(text: object, files: Sequence[str] = ()) -> str:
    """A text with the true names of the files in place of `config.yaml`."""
    return CONFIG.sub(lambda _: JOINED.join(files or _config_names()), str(text))


def in_order(mistakes: Iterable[Mistake], files: Sequence[str] = ()) -> str:
    """Mistakes with file, line and column, in their order; those without a place last.

    `files`: where the config was read from, if not as the environment says; the later ones count.
    """
    names = list(files) or _config_names()
    tops = [(name, _compose(_file_text(name))) for name in names]
    if values := os.environ.get(VALUES):
        tops.append((OVER, _compose(values)))
    spots = [(mistake, _spot(mistake, tops)) for mistake in mistakes]
    lines = []
    for mistake, spot in sorted(spots, key=lambda pair: (pair[1] is None, pair[1] or ())):
        name, line, column = spot or ("", 0, 0)
        place = f"{name}:{line}:{column}" if line else name
        lines.append(with_file_names(f"{place}: {mistake.sentence}" if spot else mistake, names))
    return "\n".join(lines)


def _config_names() -> list[str]:
    return (os.environ.get(FILES) or FILE).split(JOINED)


def _file_text(path: str) -> str:
    try:
        with open(os.fsencode(path), encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError):
        return ""


def _compose(text: str) -> Any:
    import yaml  # where all is well nothing is looked up

    try:
        return yaml.compose(text, yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError):
        return None


def _spot(mistake: Mistake, tops: Sequence[tuple[str, Any]]) -> tuple[str, int, int] | None:
    """File, line and column of a mistake, from 1; None if no file has it. Line 0: command line.

    It is the wrong word, if it is a key or item at the place; else the plain value there, at the
    offset; else its key.
    """
    best, spot = 0, None
    for name, top in tops if mistake.place is not None else ():
        depth, key, node = _node_at(top, mistake.place or "")
        if not depth and any(
            k is not None and k.value == mistake.word for k, _ in _node_items(top)
        ):
            depth = 1
        if not depth or depth < best:  # of those that lead equally deep, the last counts
            continue
        words = [] if key is None else [key]
        words += [value if below is None else below for below, value in _node_items(node)]
        plain = node.value if node.id == "scalar" else ""
        fallback = node if plain or key is None else key
        at = next((w for w in words if mistake.word and w.value == mistake.word), fallback)
        line, column = at.start_mark.line, at.start_mark.column
        if mistake.offset is not None and at is node and line == at.end_mark.line:
            offset = min(mistake.offset, len(plain))
            quotes = {None: 0, "'": 1 + plain.count("'", 0, offset)}.get(node.style)
            column += 0 if quotes is None else quotes + offset
        best, spot = depth, (name, 0, 0) if name == OVER else (name, line + 1, column + 1)
    return spot


def _node_items(node: Any) -> Iterator[tuple[Any, Any]]:
    """Keys and values of a mapping, merged ones last; or items, with None for the key."""
    if node is None or node.id == "scalar":
        return
    if node.id == "sequence":
        yield from ((None, item) for item in node.value)
        return
    merged: list[Any] = []
    for key, value in node.value:
        if key.tag == MERGE:
            merged += value.value if value.id == "sequence" else [value]
        elif key.id == "scalar" and key.value:
            yield key, value
    for mapping in merged:
        yield from _node_items(mapping)


def _node_at(top: Any, place: str) -> tuple[int, Any, Any]:
    """How deep a place leads, and the key and the node there."""
    depth, key, node, rest = 0, None, top, place
    while rest:
        rest = rest.removeprefix(".") if depth else rest
        steps = []
        for number, (below, value) in enumerate(_node_items(node)):
            name = f"[{number}]" if below is None else below.value
            if rest.startswith(name) and rest[len(name) :][:1] in ("", ".", "["):
                steps.append((len(name), below, value))
        if not steps:
            break
        # Names may have dots in them: the longest fits. A mapping's own keys come before merged.
        length, key, node = max(steps, key=lambda step: step[0])
        depth, rest = depth + 1, rest[length:]
    return depth, key, node
