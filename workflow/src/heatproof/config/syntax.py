"""Mistakes of YAML syntax: file, line, column, and what to write instead.

The parser often gives up below the mistake: a table of habits explains it by the lines near it.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

from heatproof.config.schema import COMMENT
from heatproof.util.errors import MERGE, Error

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from heatproof.util.errors import Mistake

USUAL = "config.yaml"
WRITES = "`heatproof init FOLDER` writes one for a folder of logs"
SIGNS = "\u00a0\u2007\u202f\u3000\u200b\ufeff\uff1a\uff0c\u201c\u201d\u2018\u2019"
"""Blanks, colons, commas and quotes that look like those of YAML and are none."""
TAKEN = {"*": "an alias", "&": "an anchor", "!": "a tag", "[": "a list", "{": "a mapping"}
"""Beginning of a text without quotes → what YAML takes it for, if not a word of its own."""
VALUE = r"\s*(?:- +)?(?:[\w$.-]+: +)?"  # what a line holds before its value
KEY = re.compile(r"\s*(?:- +)?([^\s#'\"{\[][^:]*)(:|$)")
"""What a line begins with, as far as it may be a key."""


class Place(NamedTuple):
    """The place of a mistake, from 0."""

    line: int
    column: int
    message: str


class Habit(NamedTuple):
    """A frequent mistake, as the parser and its line show it."""

    says: str  # pattern of the parser's message: context, then problem
    rows: str
    """Lines to look at: `here`, up to the parser's place, the one `before`, or the `start` of what
    it could not read."""
    stands: str
    """Pattern of such a line; its group `at` is wrong, or if that is empty the parser's place."""
    message: str
    """With {at}, what it is {taken} for, and the line {begins} of what does not end."""


NO_SPACE = r"\s*(?:- +)?(?P<at>[\w$.-]+):(?=[^\s/])"
NO_COLON = "no ':' follows {at}"
HABITS = [
    Habit("double-quoted.*escape", "here", r".*(?P<at>\\.)",
          "'{at}' is not an escape within double quotes: put the pattern in single quotes"),
    Habit("found unexpected end of stream", "start", "(?P<at>)",
          "the text that begins with this quote does not end"),
    Habit("", "start here before", rf"(?:(?! #).)*?(?P<at>[{SIGNS}])",
          "{at!r} is not a sign of YAML: write a plain blank, colon, comma or quote"),
    Habit(r"\\t", "here", r".*?(?P<at>\t)", "a tab; indent with spaces only"),
    Habit("a simple key.*could not find", "start", NO_SPACE, "a space is missing after '{at}:'"),
    Habit("not allowed here", "before", NO_SPACE, "a space is missing after '{at}:'"),
    Habit("flow .*;", "start before", r".*?(?<=[\[, ])(?P<at>#(?:[0-9a-fA-F]{3}){1,2}\b)", COMMENT),
    Habit(r"<block end>, but found '[}\]]'$", "here", "(?P<at>)", "one bracket too many"),
    Habit("flow .*;", "here", "(?P<at>)",
          "here a comma is missing, or the bracket of line {begins} does not end"),
    Habit("could not find expected ':'", "start", r"\s*(?P<at>\S.{0,39})", NO_COLON),
    Habit("<block end>", "here", VALUE + r"(?P<quote>['\"]).*(?P<at>(?P=quote))",
          "the text ends at this quote; within the text, write '', or \\\" between two \""),
    Habit("^(?!.*<block mapping)", "here", VALUE + r"(?P<at>[*&!\[{@%`])",
          "YAML reads {at} as {taken}: put the whole text in single quotes"),
    Habit("not allowed here", "here", r"\s*(?:- +)?[\w$.-]+: +(?P<at>\S)",
          "a text with ': ' in it: put it in single quotes"),
    Habit("not allowed here", "before", r"\s*(?P<at>[\w.-]+)\s*$", NO_COLON),
]  # fmt: skip


@contextmanager
def loading(paths: Sequence[str | Path], *, thorough: bool) -> Iterator[list[Mistake]]:
    """Replace Snakemake's error about a config file that is no YAML, which names no line, by ours.

    What is yielded has the mistakes afterwards. `paths`: the list to which Snakemake adds each file
    that it loads; `thorough`: look at all of them, even without an error.
    """
    mistakes: list[Mistake] = []
    failure = None
    try:
        yield mistakes
    except BaseException as error:  # noqa: BLE001 - what is not explained is raised again
        failure = error
    try:
        if failure and not Path(USUAL).exists() and not paths:
            raise Error(f"there is no ./{USUAL}; {WRITES}")
        for path in paths if failure or thorough else ():
            require_sound(Path(path), os.path.relpath(path), sections=failure is not None)
    except Error as error:
        mistakes += error.mistakes
    if failure and not mistakes:
        raise failure


def require_sound(path: Path, name: str, *, sections: bool = False) -> None:
    """Refuse a config file that is no YAML, or in which a key occurs twice; `name`: in messages.

    `sections`: refuse also one without sections. Raises Error: with line and column, from 1.
    """
    data, sound = path.read_bytes(), False
    with suppress(ValueError):  # JSON may be written in ways that YAML does not know
        sound = json.loads(data) is not None
    try:
        wrong = [] if sound else problems(data.decode())
    except UnicodeDecodeError as error:
        wrong = [Place(data[: error.start].count(b"\n"), 0, "not UTF-8; save the file as UTF-8")]
    top = yaml.compose(data, yaml.SafeLoader) if sections and not wrong else None
    if sections and not wrong and top is None:
        raise Error(f"{name}: it is empty; {WRITES}")
    if top and not isinstance(top, yaml.MappingNode):
        what = "a list" if isinstance(top, yaml.SequenceNode) else repr(top.value)
        message = f"{what} where sections belong: sources: and figures:"
        wrong = [Place(top.start_mark.line, top.start_mark.column, message)]
    if wrong:
        raise Error([f"{name}:{line + 1}:{column + 1}: {text}" for line, column, text in wrong])


def problems(text: str) -> list[Place]:
    """Where the parser gives up; else all oddities that it accepts."""
    try:
        top = yaml.compose(text, yaml.SafeLoader)
    except yaml.reader.ReaderError as error:
        before = text[: error.position]
        message = f"a control character, U+{ord(text[error.position]):04X}"
        return [Place(before.count("\n"), len(before) - before.rfind("\n") - 1, message)]
    except yaml.MarkedYAMLError as error:
        return [explained(error, text.splitlines())]
    return [*_oddities(top, set(), set())]


def _oddities(node: Any, visited: set[int], above: set[int]) -> Iterator[Place]:
    """Tags, keys that occur twice, keys that are no words, an anchor within itself.

    `visited`: ids of nodes before; `above`: ids of those around the node.
    """
    if node is None or (id(node) in visited and id(node) not in above):
        return
    spot = node.start_mark.line, node.start_mark.column
    if id(node) in above:
        yield Place(*spot, "this anchor contains itself")
        return
    visited.add(id(node))
    if node.tag.startswith("!"):
        yield Place(*spot, "YAML reads ! as a tag: put the whole text in single quotes")
    values = node.value if isinstance(node, yaml.SequenceNode) else []
    if isinstance(node, yaml.MappingNode):
        yield from _odd_keys(node)
        values = [value for _, value in node.value]
    for value in values:
        yield from _oddities(value, visited, {*above, id(node)})


def _odd_keys(node: yaml.MappingNode) -> Iterator[Place]:
    lines: dict[tuple[str, str], int] = {}
    for key, value in node.value:
        spot = key.start_mark.line, key.start_mark.column
        merged = value.value if isinstance(value, yaml.SequenceNode) else [value]
        word = (key.tag, str(key.value))
        if not isinstance(key, yaml.ScalarNode):
            what = "a mapping" if isinstance(key, yaml.MappingNode) else "a list"
            yield Place(
                *spot, f"YAML reads this as {what}, which cannot be a key: put it in single quotes"
            )
        elif key.tag == MERGE and not all(isinstance(m, yaml.MappingNode) for m in merged):
            yield Place(*spot, "<< takes an alias of a mapping: <<: *NAME, of one with &NAME above")
        elif word in lines:
            first = f"first in line {lines[word] + 1}"
            yield Place(*spot, f"{key.value!r} occurs twice, {first}; keep one")
        lines[word] = spot[0]


def explained(error: yaml.MarkedYAMLError, lines: list[str]) -> Place:
    """A parser's error, explained by the first habit that fits, else in its own words."""
    says = f"{error.context or ''} ; {error.problem or ''}"
    mark = error.problem_mark or error.context_mark
    since = error.context_mark or mark
    row, column = (mark.line, mark.column) if mark else (0, 0)
    start = (since.line, since.column) if since else (0, 0)
    rows = {"here": row, "start": start[0], "before": row - 1}
    for habit in HABITS:
        for name in habit.rows.split() if re.search(habit.says, says) else []:
            number = rows[name]
            text = lines[number] if 0 <= number < len(lines) else ""
            if match := re.match(habit.stands, text[: column + 1] if name == "here" else text):
                begin = start[1] if name == "start" else column
                taken = TAKEN.get(match["at"], "a word of its own")
                message = habit.message.format(at=match["at"], taken=taken, begins=start[0] + 1)
                return Place(number, match.start("at") if match["at"] else begin, message)
    return _depth(lines, row) or Place(row, column, says.strip(" ;").replace(" ; ", " "))


def _depth(lines: Sequence[str], row: int) -> Place | None:
    """A line that is indented neither like its neighbours nor below one."""
    name = KEY.match(lines[row]) if row < len(lines) else None
    depths: list[int] = []  # of those above that the line could belong to
    for line in reversed(lines[:row]):
        depth = len(line) - len(line.lstrip(" "))
        if line.strip() and not line.lstrip().startswith("#") and depth < min([*depths, depth + 1]):
            depths.append(depth)
    depth = len(lines[row]) - len(lines[row].lstrip(" ")) if name else 0
    if not name or not depths or depth in depths:
        return None
    beside = min((other for other in depths if other > depth), default=max(depths))
    return Place(row, depth, f"'{name[1]}' is indented by {depth}, its neighbours by {beside}")
