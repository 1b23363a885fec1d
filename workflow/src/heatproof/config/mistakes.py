"""Check plain data against a typed struct and name every mistake, not only the first.

Mistakes of YAML told in the words of its user: file, line, column, and what to write instead.
"""

from __future__ import annotations

import json
import os
import re
import types
import typing
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    NamedTuple,
    Self,
    TypeGuard,
    Union,
    get_args,
    get_origin,
)

import msgspec
import yaml

from heatproof.util.errors import Error, choices, likeliest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


EXPONENT = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+")

COMMENT = "behind # YAML takes all for a comment: put colours and the like in quotes"

HEX = re.compile(r"(?<=[\[, ])#([0-9a-fA-F]{3}){1,2}\b")
"""A colour without quotes."""

GLUED = re.compile(r"(\w+):[^/].*")
"""A key and its value, without the blank between."""

KINDS = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


def check(kind: Any, value: object, place: str) -> list[str]:  # noqa: PLR0911 - one per type
    """Problems with `value` as a `kind`: place, wrong value, valid ones; none if it fits.

    `kind`: str, int, float, bool, None, Any, Literal, list, dict, unions, msgspec structs.
    """
    origin = get_origin(kind)
    if kind is Any:
        return []
    if value is None and types.NoneType not in (kind, *get_args(kind)):
        return [f"{place}: needs a value"]
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return _struct(kind, value, place)
    if origin in (Union, types.UnionType):
        return _union(get_args(kind), value, place)
    if origin is Literal:
        names = get_args(kind)
        return (
            [] if value in names else [f"{place}: {value!r} is not valid; {choices(value, names)}"]
        )
    if origin is list:
        return _list(get_args(kind)[0], value, place)
    if origin is dict:
        return _dict(get_args(kind)[1], value, place)
    return _scalar(kind, value, place)


def _scalar(kind: Any, value: object, place: str) -> list[str]:
    # Booleans are ints to Python, ints are fine where a number is asked for.
    accepted = {float: (int, float), int: (int,), str: (str,), bool: (bool,)}.get(kind, (kind,))
    right = isinstance(value, accepted) and (kind is bool or not isinstance(value, bool))
    if right:
        return []
    hint = f"; write {_pointed(float(value))}" if kind is float and is_bare_exponent(value) else ""
    if kind is str and isinstance(value, (bool, int, float, datetime)):
        hint = "; put it in quotes"
        hint += ": yes, no, on and off are true and false in YAML" * isinstance(value, bool)
    return [f"{place}: {_shown(value)} is not {KINDS.get(kind, kind)}{hint}"]


def _shown(value: object) -> str:
    """A wrong value as the message names it."""
    return str(value) if isinstance(value, datetime) else repr(value)


def is_bare_exponent(value: object) -> TypeGuard[str]:
    """Whether this is a number that YAML 1.1 reads as text: 1e-5, which it wants as 1.0e-5."""
    return isinstance(value, str) and bool(EXPONENT.fullmatch(value))


def _pointed(value: float) -> str:
    """A number as YAML 1.1 reads it."""
    text = repr(value)
    return text if "." in text else text.replace("e", ".0e")


def _union(kinds: tuple[Any, ...], value: object, place: str) -> list[str]:
    if value is None and type(None) in kinds:
        return []
    tried = {kind: check(kind, value, place) for kind in kinds if kind is not type(None)}
    if not all(tried.values()):
        return []
    # What is wrong inside tells most, where there is an inside.
    meant = [kind for kind in tried if len(tried) == 1 or isinstance(value, _shape(kind))]
    if meant:
        return tried[meant[0]]
    words = [_word(kind) for kind in tried]
    return [f"{place}: {_shown(value)} is not {', '.join(words[:-1])} or {words[-1]}"]


def _shape(kind: Any) -> type | tuple[type, ...]:
    """What a value is that was meant as this; of scalars none is, unless they are choices."""
    if get_origin(kind) is Literal:
        return str
    if get_origin(kind) is list:
        return list
    return dict if _is_mapping(kind) else ()


def _is_mapping(kind: Any) -> bool:
    struct = isinstance(kind, type) and issubclass(kind, msgspec.Struct)
    return struct or get_origin(kind) is dict


def _word(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return ", ".join(map(str, get_args(kind)))
    if get_origin(kind) is list:
        return "a list"
    return "a mapping" if _is_mapping(kind) else KINDS[kind]


def _list(kind: Any, value: object, place: str) -> list[str]:
    if not isinstance(value, list):
        return [f"{place}: {value!r} is not a list"]
    if kind is str and value and all(one is None for one in value):
        return [f"{place}: lists nothing; {COMMENT}"]
    return [p for i, item in enumerate(value) for p in check(kind, item, f"{place}[{i}]")]


def _dict(kind: Any, value: object, place: str) -> list[str]:
    if not isinstance(value, dict):
        return [f"{place}: {value!r} is not a mapping"]
    return [p for key, item in value.items() for p in check(kind, item, f"{place}.{key}")]


@cache
def _fields(kind: type[msgspec.Struct]) -> dict[str, tuple[Any, bool]]:
    """The type of each field of a struct, and whether it must be given."""
    hints, fields = typing.get_type_hints(kind), msgspec.structs.fields(kind)
    return {field.encode_name: (hints[field.name], field.required) for field in fields}


def with_lists(kind: type[msgspec.Struct], given: dict[str, Any]) -> dict[str, Any]:
    """The entry with a list of one where a text stands for it: `pool: seed` for `pool: [seed]`."""
    fields = _fields(kind)
    lists = {name for name, (hint, _) in fields.items() if get_origin(hint) is list}
    return {
        name: [value] if name in lists and isinstance(value, str) else value
        for name, value in given.items()
    }


FILLED = ("ranges", "base")
"""Fields of an entry that nobody writes: they are filled from what else the config says."""


def glued(value: object) -> str:
    """What to tell of `x:ratio`, which for YAML is one word; nothing of others."""
    match = GLUED.fullmatch(value) if isinstance(value, str) else None
    return f"a blank is missing behind '{match[1]}:'" if match else ""


def _struct(kind: type[msgspec.Struct], value: object, place: str) -> list[str]:
    if not isinstance(value, dict):
        hint = f"; {hint}" if (hint := glued(value)) else ""
        return [f"{place}: {value!r} is not a mapping{hint}"]
    fields = {name: field for name, field in _fields(kind).items() if name not in FILLED}
    shown = [name for name in fields if name != "name"]
    problems = [
        f"{place}: {key!r} is not a key here; {glued(key) or choices(key, shown)}"
        for key in value
        if key not in fields
    ]
    # A name that is spelled wrong does not lack as well.
    meant = {likeliest(key, shown) for key in value if key not in fields}
    problems += [
        f"{place}: needs {name!r}"
        for name, (_, required) in fields.items()
        if required and name not in value and name not in meant
    ]
    known = (key for key in value if key in fields)
    return problems + [
        p for key in known for p in check(fields[key][0], value[key], f"{place}.{key}")
    ]


GLUED_LINE = re.compile(r"\s*(?:- +)?([\w$.-]+):(?=[^\s/])")
"""A key and its value, without a blank between; no address of a web page."""
KEY = re.compile(r"\s*(?:- +)?([^\s#'\"{\[][^:]*)(:|$)")
"""What a line begins with, as far as it may be a key."""
TAKEN = {"*": "an alias", "&": "an anchor", "!": "a tag", "[": "a list", "{": "a mapping",
         "@": "a word of its own", "%": "a word of its own", "`": "a word of its own",
         "'": "a text that ends there", '"': "a text that ends there"}  # fmt: skip
"""How a text can only begin within quotes, and what YAML takes it for."""


USUAL = "config.yaml"
WRITES = "`heatproof init FOLDER` writes one for a folder of logs"


class Place(NamedTuple):
    """Where something is wrong, from 0, and what."""

    line: int
    column: int
    said: str


class Loading:
    """While config files are loaded: what Snakemake says of one that is no YAML is kept back.

    It names neither file nor line nor cause; `require_sound` does.
    """

    def __init__(self, paths: Sequence[str | Path], thorough: bool) -> None:
        """`paths`: where Snakemake gathers those that it loads; `thorough`: look at all of them."""
        self._paths, self._thorough = paths, thorough
        self._mistake: Error | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        if self._thorough or kind:
            try:
                if kind and not Path(USUAL).exists() and not self._paths:
                    raise Error(f"there is no ./{USUAL}; {WRITES}")
                for path in self._paths:
                    require_sound(Path(path), os.path.relpath(path))
                    if kind:
                        _require_sections(Path(path), os.path.relpath(path))
            except Error as error:
                self._mistake = error
        return self._mistake is not None

    def require_sound(self) -> None:
        """Raises Error: one of the files has a mistake."""
        if self._mistake:
            raise self._mistake


def require_sound(path: Path, name: str) -> None:
    """Refuse a config file that is no YAML, or in which a key stands twice; `name`: its own.

    Raises:
        Error: with line and column, from 1.
    """
    data = path.read_bytes()
    try:
        found = None if is_json(data) else problem(data.decode())
    except UnicodeDecodeError as error:
        found = Place(data[: error.start].count(b"\n"), 0, "not UTF-8; save the file as UTF-8")
    if found:
        raise Error(f"{name}:{found.line + 1}:{found.column + 1}: {found.said}")


def _require_sections(path: Path, name: str) -> None:
    """Raise Error if a config file holds something else than sections, or nothing."""
    top = yaml.compose(path.read_bytes(), yaml.SafeLoader)
    if isinstance(top, yaml.MappingNode):
        return
    if top is None:
        raise Error(f"{name}: it is empty; {WRITES}")
    spot = f"{name}:{top.start_mark.line + 1}:{top.start_mark.column + 1}"
    what = "a list" if isinstance(top, yaml.SequenceNode) else repr(top.value)
    raise Error(f"{spot}: {what} where sections belong: sources: and figures:")


def is_json(data: bytes) -> bool:
    """Whether a config file is JSON, which may be written in ways that YAML does not know."""
    try:
        json.loads(data)
    except ValueError:
        return False
    return True


def problem(text: str) -> Place | None:
    """What is wrong with a text as YAML; None if nothing is."""
    try:
        top = yaml.compose(text, yaml.SafeLoader)
    except yaml.reader.ReaderError as error:
        before = text[: error.position]
        said = f"a control character, U+{ord(text[error.position]):04X}"
        return Place(before.count("\n"), len(before) - before.rfind("\n") - 1, said)
    except yaml.MarkedYAMLError as error:
        return _Mistake(error, text.splitlines()).place()
    return next(_wrong(top), None)


def _taken(first: str) -> str:
    return f"YAML takes {first} for {TAKEN[first]}: put all of the text in single quotes"


def _wrong(node: Any) -> Iterator[Place]:
    """Tags, which nobody means, and keys that stand twice, of which YAML takes the last."""
    if node is not None and node.tag.startswith("!"):
        yield Place(node.start_mark.line, node.start_mark.column, _taken("!"))
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _wrong(item)
    if isinstance(node, yaml.MappingNode):
        yield from _repeated(node)


def _repeated(node: yaml.MappingNode) -> Iterator[Place]:
    seen: dict[tuple[str, str], int] = {}
    for key, value in node.value:
        same, mark = (key.tag, str(key.value)), key.start_mark
        if same in seen:
            said = f"{key.value!r} stands twice, first in line {seen[same] + 1}; keep one"
            yield Place(mark.line, mark.column, said)
        seen[same] = mark.line
        yield from _wrong(value)


def _spot(mark: yaml.Mark | None) -> tuple[int, int]:
    return (mark.line, mark.column) if mark else (0, 0)


class _Mistake:
    """What a parser's error means."""

    def __init__(self, error: yaml.MarkedYAMLError, lines: list[str]) -> None:
        self.said, self.context = error.problem or "", error.context or ""
        self.lines = lines
        at = error.problem_mark or error.context_mark
        since = error.context_mark or at
        self.row, self.column = _spot(at)
        self.since = _spot(since)
        self.line = lines[self.row] if self.row < len(lines) else ""
        self.depth = len(self.line) - len(self.line.lstrip(" "))

    def place(self) -> Place:
        """The first meaning that fits; else the parser's own words."""
        for meaning in (self._tab, self._escape, self._open, self._glued, self._comment,
                        self._bracket, self._keyless, self._quotes, self._depth):  # fmt: skip
            if found := meaning():
                return found
        return Place(self.row, self.column, f"{self.context} {self.said}".strip())

    def _tab(self) -> Place | None:
        if "\\t" not in self.said:
            return None
        return Place(self.row, self.column, "a tab; indent with blanks, and none but them")

    def _escape(self) -> Place | None:
        if "double-quoted" not in self.context or "escape" not in self.said:
            return None
        start = self.line.rfind("\\", 0, self.column + 1)
        said = "is no escape within double quotes: put the pattern in single quotes"
        return Place(self.row, start, f"'{self.line[start : start + 2]}' {said}")

    def _open(self) -> Place | None:
        if self.said != "found unexpected end of stream":
            return None
        return Place(*self.since, "the text that begins with this quote does not end")

    def _glued(self) -> Place | None:
        """A blank that is missing between key and value: the parser tells a line further down."""
        row = {"while scanning a simple key": self.since[0]}.get(self.context, self.row - 1)
        keyless = "not allowed here" in self.said or "could not find" in self.said
        match = GLUED_LINE.match(self.lines[row]) if keyless and row >= 0 else None
        said = f"a blank is missing behind '{match[1]}:'" if match else ""
        return Place(row, match.start(1), said) if match else None

    def _comment(self) -> Place | None:
        """Of a list in which a colour without quotes hides all behind it, its end too."""
        last = min(self.row, len(self.lines) - 1) if "flow" in self.context else -1
        for row in range(last, max(last - 3, -1), -1):
            if found := HEX.search(self.lines[row]):
                return Place(row, found.start(), COMMENT)
        return None

    def _bracket(self) -> Place | None:
        """Of lists and mappings in brackets."""
        if "expected <block end>, but found" in self.said and self.said[-2] in "}]":
            return Place(self.row, self.column, f"one {self.said[-3:]} too many")
        if "flow" not in self.context:
            return None
        row, column = self.since
        if row >= len(self.lines):
            return None
        closing = {"{": "}", "[": "]"}.get(self.lines[row][column], "")
        said = f"here a comma is missing, or {closing!r} for the bracket of line {row + 1}"
        return Place(self.row, self.column, said)

    def _keyless(self) -> Place | None:
        if "could not find expected ':'" not in self.said:
            return None
        word = self.lines[self.since[0]].strip()
        return Place(*self.since, f"{word:.40} is followed by no ':'")

    def _quotes(self) -> Place | None:
        """Of values that cannot do without quotes."""
        match = re.match(r"\s*(?:- +)?(?:[\w$.-]+: +)?(\S)", self.line)
        if not match or self.column < match.start(1) or "<block mapping" in self.said:
            return None
        if match[1] in TAKEN:
            return Place(self.row, match.start(1), _taken(match[1]))
        if "not allowed here" in self.said and ":" in self.line[: self.column]:
            said = "a text with ': ' in it: put it in single quotes"
            return Place(self.row, match.start(1), said)
        return None

    def _depth(self) -> Place | None:
        """Of lines that stand neither in line with their neighbours nor below one."""
        name = KEY.match(self.line)
        opened = self._opened()
        if not name or self.depth in opened or not opened:
            return None
        beside = min((d for d in opened if d > self.depth), default=max(opened))
        said = f"'{name[1]}' stands {self.depth} deep, its neighbours {beside}"
        return Place(self.row, self.depth, said)

    def _opened(self) -> set[int]:
        """How deep those lines above stand that this one could belong to."""
        found: list[int] = []
        for line in reversed(self.lines[: self.row]):
            depth = len(line) - len(line.lstrip())
            if line.strip() and not line.lstrip().startswith("#"):
                found += [depth] if not found or depth < found[-1] else []
        return set(found)
