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
from heatproof.util.errors import Error

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
INDENTED = "'{at}' is indented neither like the keys above nor below one of them"
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
    Habit("'<block mapping start>'$", "here", r"\s*(?P<at>\S)", INDENTED.replace("'{at}'", "this")),
    Habit("<block end>", "here", VALUE + r"(?P<quote>['\"]).*(?P<at>(?P=quote))",
          "the text ends at this quote; within the text, write '', or \\\" between two \""),
    Habit("^(?!.*<block mapping)", "here", VALUE + r"(?P<at>[*&!\[{@%`])",
          "YAML reads {at} as {taken}: put the whole text in single quotes"),
    Habit("not allowed here", "here", r"\s*(?:- +)?[\w$.-]+: +(?P<at>\S)",
          "a text with ': ' in it: put it in single quotes"),
    Habit("not allowed here", "before", r"\s*(?P<at>[\w.-]+)\s*$", NO_COLON),
    Habit("not allowed here", "here", r"\s*(?P<at>[\w$.-]+):?$", INDENTED),
    Habit("for merging", "here", "(?P<at>)",
          "<< takes an alias of a mapping: <<: *NAME, of one with &NAME above"),
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
    data = path.read_bytes()
    wrong = [] if is_json(data) else problems(data)
    if sections and not wrong:
        top = yaml.compose(data, yaml.SafeLoader)
        if top is None:
            raise Error(f"{name}: it is empty; {WRITES}")
        if not isinstance(top, yaml.MappingNode):
            kind = "a list" if isinstance(top, yaml.SequenceNode) else repr(top.value)
            message = f"{kind} where sections belong: sources: and figures:"
            wrong = [Place(top.start_mark.line, top.start_mark.column, message)]
    if wrong:
        raise Error([f"{name}:{line + 1}:{column + 1}: {text}" for line, column, text in wrong])


def is_json(data: bytes) -> bool:
    """JSON may be written in ways that YAML does not know."""
    with suppress(ValueError):
        return json.loads(data) is not None
    return False


def problems(data: bytes) -> list[Place]:
    """Where the parser gives up; else keys that occur twice, and anchors within themselves."""
    try:
        text = data.decode()
        with suppress(ValueError):  # such as a date that there is not, of which Snakemake says so
            yaml.safe_load(text)
        top = yaml.compose(text, yaml.SafeLoader)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n")
        return [Place(line, 0, "not UTF-8; save the file as UTF-8")]
    except yaml.reader.ReaderError as error:
        before = text[: error.position]
        message = f"a control character, U+{ord(text[error.position]):04X}"
        column = len(before) - before.rfind("\n") - 1
        return [Place(before.count("\n"), column, message)]
    except yaml.MarkedYAMLError as error:
        return [explained(error, text.splitlines())]
    return list(_repetitions(top, set(), set()))


def _repetitions(node: Any, visited: set[int], parents: set[int]) -> Iterator[Place]:
    """Keys that occur twice, and an anchor within itself.

    `visited`: ids of nodes before; `parents`: ids of those around the node.
    """
    if id(node) in parents:
        yield Place(node.start_mark.line, node.start_mark.column, "this anchor contains itself")
    if node is None or id(node) in visited:
        return
    visited.add(id(node))
    values = node.value if isinstance(node, yaml.SequenceNode) else []
    if isinstance(node, yaml.MappingNode):
        yield from _repeated_keys(node)
        values = [value for _, value in node.value]
    for value in values:
        yield from _repetitions(value, visited, {*parents, id(node)})


def _repeated_keys(node: yaml.MappingNode) -> Iterator[Place]:
    lines: dict[tuple[str, str], int] = {}
    for key, _ in node.value:
        line, column = key.start_mark.line, key.start_mark.column
        word = (key.tag, str(key.value))
        if word in lines:
            first = f"first in line {lines[word] + 1}"
            yield Place(line, column, f"{key.value!r} occurs twice, {first}; keep one")
        lines[word] = line


def explained(error: yaml.MarkedYAMLError, lines: list[str]) -> Place:
    """A parser's error, explained by the first habit that fits, else in its own words."""
    says = f"{error.context or ''} ; {error.problem or ''}"
    mark = error.problem_mark or error.context_mark
    begin = error.context_mark or mark
    if mark:
        row, column = mark.line, mark.column
    else:
        row, column = 0, 0
    if begin:
        first_row, first_column = begin.line, begin.column
    else:
        first_row, first_column = 0, 0
    rows = {"here": row, "start": first_row, "before": row - 1}
    for habit in HABITS:
        names = []
        if re.search(habit.says, says):
            names = habit.rows.split()
        for name in names:
            number = rows[name]
            text = lines[number] if 0 <= number < len(lines) else ""
            if name == "here":
                text = text[: column + 1]
            match = re.match(habit.stands, text)
            if match:
                wrong = match["at"]
                taken = TAKEN.get(wrong, "a word of its own")
                message = habit.message.format(at=wrong, taken=taken, begins=first_row + 1)
                usual = first_column if name == "start" else column
                return Place(number, match.start("at") if wrong else usual, message)
    return Place(row, column, says.strip(" ;").replace(" ; ", " "))
