"""Mistakes of YAML told in the words of its user: file, line, column, and what to write instead."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import yaml

from heatproof.config.mistakes import COMMENT
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

HEX = re.compile(r"(?<=[\[, ])#([0-9a-fA-F]{3}){1,2}\b")
"""A colour without quotes."""

GLUED_LINE = re.compile(r"\s*(?:- +)?([\w$.-]+):(?=[^\s/])")
"""A key and its value, without a blank between; no address of a web page."""
INNER = re.compile(
    r"\s*(encoding|epochs|fields|labels|measures|names|params|range|set|sort|verdicts|where):"
    r" +(\w+: [^#:]+)"
)
"""A key of which a mapping is the value, and another behind it on the line."""
KEY = re.compile(r"\s*(?:- +)?([^\s#'\"{\[][^:]*)(:|$)")
"""What a line begins with, as far as it may be a key."""
TAKEN = {"*": "an alias", "&": "an anchor", "!": "a tag", "[": "a list", "{": "a mapping",
         "@": "a word of its own", "%": "a word of its own", "`": "a word of its own"}  # fmt: skip
"""How a text can only begin within quotes, and what YAML takes it for."""


MERGE = "tag:yaml.org,2002:merge"
PLAIN = "a plain blank"
ODD = {
    "\u00a0": ("a no-break space", PLAIN), "\u2007": ("a figure space", PLAIN),
    "\u202f": ("a narrow no-break space", PLAIN), "\u3000": ("a wide blank", PLAIN),
    "\u200b": ("a blank without width", "nothing"), "\ufeff": ("a byte order mark", "nothing"),
    "\uff1a": ("a wide colon", "': '"), "\uff0c": ("a wide comma", "', '"),
    "\u201c": ("a curly quote", "'\"'"), "\u201d": ("a curly quote", "'\"'"),
    "\u2018": ("a curly quote", '"\'"'), "\u2019": ("a curly quote", '"\'"'),
}  # fmt: skip
"""What looks like a sign of YAML and is none → its name, and what to write."""
USUAL = "config.yaml"
WRITES = "`heatproof init FOLDER` writes one for a folder of logs"


TAB, NO_ESCAPE, NO_BLANK = "a tab", "is no escape within double quotes", "a blank is missing behind"
"""Mistakes behind which a parser can go on."""
TOLD = 20
"""Mistakes told at most, or a few more."""


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
        found = [] if is_json(data) else problems(data.decode())
    except UnicodeDecodeError as error:
        found = [Place(data[: error.start].count(b"\n"), 0, "not UTF-8; save the file as UTF-8")]
    if found:
        told = (f"{name}:{one.line + 1}:{one.column + 1}: {one.said}" for one in found)
        raise Error("\n".join(told))


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


def problems(text: str) -> list[Place]:
    """What is wrong with a text as YAML; as far as what comes first can be mended, all of it."""
    found: list[Place] = []
    while len(found) < TOLD and (here := _problems(text)):
        found += here
        if len(here) > 1 or not (mended := _mended(text, here[0])):
            break
        text = mended
    return found


def _problems(text: str) -> list[Place]:
    """Where a parser gives up; where it does not, all that nobody can mean."""
    try:
        top = yaml.compose(text, yaml.SafeLoader)
    except yaml.reader.ReaderError as error:
        before = text[: error.position]
        said = f"a control character, U+{ord(text[error.position]):04X}"
        return [Place(before.count("\n"), len(before) - before.rfind("\n") - 1, said)]
    except yaml.MarkedYAMLError as error:
        return [_Mistake(error, text.splitlines()).place()]
    return [*_wrong(top, set(), set())]


def _mended(text: str, place: Place) -> str:
    """The text with a mistake mended, so that those behind it are seen; empty if it is not sure."""
    lines = text.splitlines()
    if place.line >= len(lines):
        return ""
    line = lines[place.line]
    if place.said.startswith(TAB):
        above = next((one for one in reversed(lines[: place.line]) if one.strip()), "")
        depth = len(above) - len(above.lstrip()) + 2 * above.rstrip().endswith(":")
        blank = not line[: place.column].strip()
        mended = " " * depth + line.lstrip() if blank else line.replace("\t", " ")
    elif NO_ESCAPE in place.said:
        mended = line.replace("\\", "\\\\")
    elif place.said.startswith(NO_BLANK):
        mended = re.sub(r"^(\s*(?:- +)?[\w$.-]+:)(?=[^\s/])", r"\1 ", line)
    else:
        return ""
    lines[place.line] = mended
    return "\n".join(lines) + "\n" if mended != line else ""


def _taken(first: str) -> str:
    return f"YAML takes {first} for {TAKEN[first]}: put all of the text in single quotes"


def _wrong(node: Any, seen: set[int], above: set[int]) -> Iterator[Place]:
    """What a parser takes and nobody means: tags, keys that stand twice, of which YAML takes the
    last, keys that are no words, an anchor within itself.

    Args:
        node: what is looked at; of one that aliases name too, once.
        seen: those that were looked at.
        above: those that it stands in.
    """
    if node is None or (id(node) in seen and id(node) not in above):
        return
    mark = node.start_mark
    if id(node) in above:
        yield Place(mark.line, mark.column, "what this anchor names holds itself")
        return
    seen.add(id(node))
    if node.tag.startswith("!"):
        yield Place(mark.line, mark.column, _taken("!"))
    inside = {*above, id(node)}
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _wrong(item, seen, inside)
    if isinstance(node, yaml.MappingNode):
        yield from _keys(node)
        for _, value in node.value:
            yield from _wrong(value, seen, inside)


def _keys(node: yaml.MappingNode) -> Iterator[Place]:
    """What is wrong with the keys of a mapping."""
    first: dict[tuple[str, str], int] = {}
    for key, value in node.value:
        mark = key.start_mark
        if not isinstance(key, yaml.ScalarNode):
            what = "a mapping" if isinstance(key, yaml.MappingNode) else "a list"
            said = f"YAML takes this for {what}, which is no key: put the text in single quotes"
            yield Place(mark.line, mark.column, said)
            continue
        if key.tag == MERGE and not _merges(value):
            said = "<< takes an alias of a mapping: <<: *NAME, of one with &NAME in front"
            yield Place(mark.line, mark.column, said)
        same = (key.tag, key.value)
        if same in first:
            said = f"{key.value!r} stands twice, first in line {first[same] + 1}; keep one"
            yield Place(mark.line, mark.column, said)
        first[same] = mark.line


def _merges(node: Any) -> bool:
    """Whether what stands behind << can be merged."""
    if isinstance(node, yaml.SequenceNode):
        return all(isinstance(item, yaml.MappingNode) for item in node.value)
    return isinstance(node, yaml.MappingNode)


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
        for meaning in (self._tab, self._escape, self._second, self._odd, self._open, self._glued,
                        self._comment, self._bracket, self._keyless, self._ended, self._quotes,
                        self._bare, self._depth):  # fmt: skip
            if found := meaning():
                return found
        return Place(self.row, self.column, f"{self.context} {self.said}".strip())

    def _tab(self) -> Place | None:
        if "\\t" not in self.said:
            return None
        return Place(self.row, self.column, f"{TAB}; indent with blanks, and none but them")

    def _escape(self) -> Place | None:
        if "double-quoted" not in self.context or "escape" not in self.said:
            return None
        start = self.line.rfind("\\", 0, self.column + 1)
        said = f"{NO_ESCAPE}: put the pattern in single quotes"
        return Place(self.row, start, f"'{self.line[start : start + 2]}' {said}")

    def _second(self) -> Place | None:
        """Of what is no single document of YAML."""
        if "expected a single document" in self.context:
            return Place(self.row, self.column, "'---' begins a second document: one is read")
        if "expected '<document start>'" in self.said and self.lines[0].lstrip().startswith("["):
            said = "this is no YAML: write sources: and figures:, and `key: value` below"
            return Place(0, 0, said)
        return None

    def _odd(self) -> Place | None:
        """Of signs that look like those of YAML; outside of comments."""
        for row in dict.fromkeys((self.since[0], self.row, max(self.row - 1, 0))):
            line = self.lines[row] if row < len(self.lines) else ""
            for column, sign in enumerate(line.partition(" #")[0]):
                if sign in ODD:
                    name, plain = ODD[sign]
                    return Place(row, column, f"{name} (U+{ord(sign):04X}); write {plain}")
        return None

    def _open(self) -> Place | None:
        if self.said != "found unexpected end of stream":
            return None
        return Place(*self.since, "the text that begins with this quote does not end")

    def _glued(self) -> Place | None:
        """A blank that is missing between key and value: the parser tells a line further down."""
        row = {"while scanning a simple key": self.since[0]}.get(self.context, self.row - 1)
        keyless = "not allowed here" in self.said or "could not find" in self.said
        match = GLUED_LINE.match(self.lines[row]) if keyless and row >= 0 else None
        said = f"{NO_BLANK} '{match[1]}:'" if match else ""
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

    def _ended(self) -> Place | None:
        """Of a text that a quote in it ends."""
        match = re.match(r"\s*(?:- +)?(?:[\w$.-]+: +)?(['\"])", self.line)
        if not match or self.column <= match.end() or "expected <block end>" not in self.said:
            return None
        end = self.line.rfind(match[1], match.end(), self.column)
        inside = "''" if match[1] == "'" else '\\"'
        said = f"the text ends at this quote; within the text, write {inside}"
        return Place(self.row, end, said) if end > 0 else None

    def _bare(self) -> Place | None:
        """Of a name above the line that is followed by no colon."""
        above = [r for r in range(self.row) if self.lines[r].strip()]
        line = self.lines[above[-1]] if above and "not allowed here" in self.said else ""
        depth = len(line) - len(line.lstrip())
        if not re.fullmatch(r"\s*[\w.-]+\s*", line) or depth >= self.depth:
            return None
        return Place(above[-1], depth, f"{line.strip()} is followed by no ':'")

    def _quotes(self) -> Place | None:
        """Of values that cannot do without quotes."""
        match = re.match(r"\s*(?:- +)?(?:[\w$.-]+: +)?(\S)", self.line)
        if not match or self.column < match.start(1) or "<block mapping" in self.said:
            return None
        if match[1] in TAKEN:
            return Place(self.row, match.start(1), _taken(match[1]))
        if "not allowed here" in self.said and ":" in self.line[: self.column]:
            if inner := INNER.match(self.line):
                said = f"a key behind a key: write {inner[1]}: {{{inner[2].strip()}}}"
                return Place(self.row, match.start(1), said)
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
