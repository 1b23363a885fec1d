"""Lines of a config with a comment each, and the YAML that they make."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import yaml

COMMENT = 50
"""Column in which comments begin, where a line leaves room."""
WIDE = 100
"""Characters of a line of YAML that is not broken."""


class Line(NamedTuple):
    """A key with its value, and what was seen that tells it."""

    key: str
    value: Any
    """A single value, a list or mapping of such; or lines of its own."""
    why: str = ""
    off: bool = False
    """Whether it is written as a comment alone: another reading."""


def plain(lines: list[Line]) -> dict[str, Any]:
    """What YAML makes of lines."""
    return {line.key: _value(line.value) for line in lines if not line.off}


def _value(value: Any) -> Any:
    return plain(value) if _is_block(value) else value


def _is_block(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, Line) for one in value)


def text(lines: list[Line], indent: int = 0) -> str:
    """The lines as YAML."""
    found = []
    for line in lines:
        start = " " * indent + ("# " if line.off else "") + f"{flow(line.key)}:"
        if _is_block(line.value):
            found.append(_noted(start, line.why, indent))
            inner = text(line.value, indent + 2)
            found.append(_hidden(inner, indent) if line.off else inner)
        elif _is_long(line, indent):
            found.append(_noted(start, line.why, indent))
            found += [f"{' ' * indent}  - {flow(one)}" for one in line.value]
        else:
            found.append(_noted(f"{start} {flow(line.value)}", line.why, indent))
    return "\n".join(found)


def _is_long(line: Line, indent: int) -> bool:
    """Whether it is a list that has no room on a line."""
    wide = indent + len(line.key) + 2 + len(flow(line.value)) > WIDE
    return isinstance(line.value, list) and wide and not line.off


def _noted(start: str, why: str, indent: int) -> str:
    """A line and its comment; above it, where there is no room beside it."""
    if not why:
        return start
    note = " ".join(why.split())
    beside = f"{start.ljust(COMMENT - 2)}  # {note}"
    return beside if len(beside) <= WIDE else f"{' ' * indent}# {note}\n{start}"


def _hidden(inner: str, indent: int) -> str:
    return "\n".join(f"{' ' * indent}# {line[indent:]}" for line in inner.splitlines())


def flow(value: Any) -> str:
    """A value on one line, as YAML reads it back."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{flow(key)}: {flow(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(flow(one) for one in value) + "]"
    return _scalar(value)


def _scalar(value: Any) -> str:
    if not isinstance(value, str):
        return json.dumps(value)
    if value.isprintable() and _reads_back(value, value):
        return value
    quoted = "'" + value.replace("'", "''") + "'"
    return quoted if value.isprintable() and _reads_back(quoted, value) else json.dumps(value)


def _reads_back(written: str, value: str) -> bool:
    """Whether YAML takes what is written for the text, within lists and as a key, too."""
    try:
        return bool(yaml.safe_load(f"{{k: [{written}, {written}]}}") == {"k": [value, value]}
                    and yaml.safe_load(f"{written}: 1  # x") == {value: 1})  # fmt: skip
    except yaml.YAMLError:
        return False
