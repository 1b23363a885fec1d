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

    Spot = tuple[str, int, int]  # file, line and column

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
        messages = message if isinstance(message, list) else [message]
        self.mistakes = list(map(_as_mistake, messages))
        super().__init__("\n".join(map(str, self.mistakes)))
        self.kind, self.field = kind, field


def _as_mistake(message: object) -> Mistake:
    if isinstance(message, Mistake):
        return message
    return Mistake(None, str(message))


def why_unread(error: OSError) -> str:
    """Why a file cannot be read."""
    reason = error.strerror or str(error)
    return f"it cannot be read: {reason[:1].lower()}{reason[1:]}"


def choices(wrong: object, valid: Iterable[object]) -> str:
    """The valid names, and the likeliest of them: `there are a, b (did you mean 'b'?)`."""
    names = [str(name) for name in valid]
    if not names:
        return "there are none"
    words = [repr(name) if name in ("", "none") else name for name in names]
    text = f"there are {', '.join(words)}"
    if similar := likeliest(wrong, names):
        text += f" (did you mean {similar!r}?)"
    return text


def not_one_of(wrong: object, noun: str, valid: Iterable[object]) -> str:
    """That a word is none of those there are: `'heatmp' is not a kind; there are heatmap, line`."""
    return f"{wrong!r} is not a {noun}; {choices(wrong, valid)}"


def likeliest(wrong: object, names: Iterable[str]) -> str:
    """The name that was meant: in any case, by its beginning, or by the end of a place."""
    if len(str(wrong)) > LONGEST:  # no name that somebody typed
        return ""
    plain: dict[str, str] = {}
    for name in names:
        plain.setdefault(_plain_name(name), name)
    typed = _plain_name(str(wrong))
    if typed in plain:
        return plain[typed]
    if not typed:
        return ""
    for candidate in get_close_matches(typed, plain, n=1):
        return plain[candidate]
    for candidate, name in plain.items():
        begins = len(typed) >= SHORTEST and candidate.startswith(typed)
        if begins or candidate.endswith(f".{typed}"):
            return name
    return ""


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
    spots, unplaced = [], []
    for mistake in mistakes:
        if spot := _spot(mistake, tops):
            spots.append((spot, mistake))
        else:
            unplaced.append(mistake)
    lines = []
    for (name, line, column), mistake in sorted(spots, key=lambda pair: pair[0]):
        place = f"{name}:{line}:{column}" if line else name
        lines.append(f"{place}: {mistake.sentence}")
    return "\n".join(with_file_names(line, names) for line in lines + unplaced)


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


def _spot(mistake: Mistake, tops: Sequence[tuple[str, Any]]) -> Spot | None:
    """File, line and column of a mistake, from 1; None if no file has it. Line 0: command line.

    It is the wrong word, if it is a key or item at the place; else the plain value there, at the
    offset; else its key.
    """
    if mistake.place is None:
        return None
    deepest, spot = 0, None
    for name, top in tops:
        depth, key, node = _node_at(top, mistake.place)
        if not depth and mistake.word in _key_texts(top):
            depth = 1
        if not depth or depth < deepest:  # of those that lead equally deep, the last counts
            continue
        deepest = depth
        if name == OVER:
            spot = (name, 0, 0)
            continue
        target = _wrong_node(mistake.word, key, node)
        line, column = target.start_mark.line, target.start_mark.column
        if mistake.offset is not None and target is node and line == node.end_mark.line:
            column += _shift(mistake.offset, node)
        spot = (name, line + 1, column + 1)
    return spot


def _key_texts(top: Any) -> set[str]:
    return {key.value for key, _ in _node_items(top) if key is not None}


def _wrong_node(word: str, key: Any, node: Any) -> Any:
    """The key or item that is the wrong word; else the plain value, or the key of none."""
    candidates = []
    if key is not None:
        candidates.append(key)
    for item_key, value in _node_items(node):
        candidates.append(value if item_key is None else item_key)
    for candidate in candidates:
        if word and candidate.value == word:
            return candidate
    has_text = node.id == "scalar" and node.value
    return node if has_text or key is None else key


def _shift(offset: int, node: Any) -> int:
    """How far a position in a plain value lies behind its first sign, quotes among them."""
    plain = node.value if node.id == "scalar" else ""
    offset = min(offset, len(plain))
    if node.style is None:
        return offset
    if node.style == "'":
        return offset + 1 + int(plain.count("'", 0, offset))
    return 0


def _node_items(node: Any) -> Iterator[tuple[Any, Any]]:
    """Keys and values of a mapping, merged ones last; or items, with None for the key."""
    if node is None or node.id == "scalar":
        return
    if node.id == "sequence":
        yield from ((None, item) for item in node.value)
        return
    merged: list[Any] = []
    for key, value in node.value:
        if key.tag == MERGE and value.id == "sequence":
            merged += value.value
        elif key.tag == MERGE:
            merged.append(value)
        elif key.id == "scalar" and key.value:
            yield key, value
    for mapping in merged:
        yield from _node_items(mapping)


def _node_at(top: Any, place: str) -> tuple[int, Any, Any]:
    """How deep a place leads, and the key and the node there."""
    depth, key, node, rest = 0, None, top, place
    while rest:
        if depth:
            rest = rest.removeprefix(".")
        steps = []
        for number, (item_key, value) in enumerate(_node_items(node)):
            name = f"[{number}]" if item_key is None else item_key.value
            end = len(name)
            if rest.startswith(name) and rest[end : end + 1] in ("", ".", "["):
                steps.append((end, item_key, value))
        if not steps:
            break
        # Names may have dots in them: the longest fits. A mapping's own keys come before merged.
        length, key, node = max(steps, key=lambda step: step[0])
        depth, rest = depth + 1, rest[length:]
    return depth, key, node
