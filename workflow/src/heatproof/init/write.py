"""config.yaml of lines with a comment each: a new one, or an existing one with more of them."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

from heatproof.util import terminal
from heatproof.util.errors import Error

if TYPE_CHECKING:
    from collections.abc import Sequence

SCHEMA = ".heatproof.schema.json"
"""Beside the config: by it editors complete keys and show what they mean."""
HEADER = f"""\
# yaml-language-server: $schema={SCHEMA}
# Written by `heatproof init`: beside each line stands what was seen in the logs. A line that begins
# with # is another reading, or more that could be said. README.md explains the keys.
"""
COMMENT = 50
"""Column in which comments begin, where a line leaves room."""
WIDE = 100
"""Characters of a line of YAML that is not broken."""
LONG = 24
"""Characters of a value that is listed."""
LISTED = 6


class Line(NamedTuple):
    """A key with its value, and what was seen that tells it."""

    key: str
    value: Any
    """A single value, a list or mapping of such; or lines of its own."""
    why: str = ""
    off: bool = False
    """Whether it is written as a comment alone: another reading."""


Sections = Mapping[str, "list[Line]"]
"""Section → its lines."""


def listed(values: Sequence[Any]) -> str:
    """Values in a few words."""
    texts = [short(value) for value in values]
    more = f" … {texts[-1]}, {len(texts)} in all" if len(texts) > LISTED else ""
    return ", ".join(texts[: LISTED - 1 if more else LISTED]) + more


def short(value: Any) -> str:
    """A value as it stands in a list of such."""
    text = terminal.name(value)
    return text if len(text) <= LONG else f"{text[: LONG - 1]}…"


# --------------------------------------------------------------------------------------- the config


def new(sections: Sections, notes: Sequence[str] = ()) -> str:
    """A config of its own; `notes` stand at its end, as comments."""
    blocks = {section: lines for section, lines in sections.items() if lines}
    parts = [f"{section}:\n{block(lines, 2)}\n" for section, lines in blocks.items()]
    comments = ["".join(f"# {line}".rstrip() + "\n" for line in notes)] if notes else []
    written = "\n".join([HEADER, *parts, *comments])
    _require(written, {section: plain(lines) for section, lines in blocks.items() if plain(lines)})
    return written


def added(text: str, sections: Sections, name: str) -> str:
    """An existing config with more sources and figures; no other line of it is changed.

    Raises:
        Error: it is no YAML, or its sections are written so that nothing can be put behind them.
    """
    try:
        before = yaml.safe_load(text) or {}
    except yaml.YAMLError as error:
        raise Error(f"{name}: it is no YAML, so nothing can be added to it: {error}") from error
    after = dict(before)
    for section, lines in sections.items():
        if lines:
            text = _in_section(text, section, lines, name)
            after[section] = {**(after.get(section) or {}), **plain(lines)}
    _require(text, after)
    return text


def _in_section(text: str, section: str, lines: list[Line], name: str) -> str:
    """The text with lines at the end of a section, which begins where the text has none."""
    root = yaml.compose(text)
    nodes = {key.value: (key, value) for key, value in root.value} if root else {}
    if section not in nodes:
        return f"{text.rstrip()}\n\n{section}:\n{block(lines, 2)}\n"
    key, node = nodes[section]
    rows = text.splitlines()
    if isinstance(node, yaml.MappingNode) and node.value and not node.flow_style:
        end, indent = node.end_mark.line, node.value[0][0].start_mark.column
        end = len(rows) if node is root.value[-1][1] else end
        while not rows[end - 1].strip() or rows[end - 1].startswith("#"):
            end -= 1
    elif isinstance(node, yaml.ScalarNode) and node.value in ("", "null", "~"):
        end, indent = key.end_mark.line + 1, 2
    else:
        paste = block([Line(section, lines)])
        raise Error(f"{name}: {section}: nothing can be put behind it; paste this there:\n{paste}")
    return "\n".join([*rows[:end], block(lines, indent), *rows[end:], ""])


def _require(text: str, expected: Mapping[str, Any]) -> None:
    """Raise Error if YAML does not read what is meant, as with a clash of names."""
    if {k: v for k, v in (yaml.safe_load(text) or {}).items() if v} != expected:
        raise Error("what is written would be read otherwise than it is meant; nothing was written")


# ---------------------------------------------------------------------------------- lines of YAML


def plain(lines: list[Line]) -> dict[str, Any]:
    """What YAML makes of lines."""
    return {
        line.key: plain(line.value) if _is_block(line.value) else line.value
        for line in lines
        if not line.off
    }


def _is_block(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(line, Line) for line in value)


def block(lines: list[Line], indent: int = 0) -> str:
    """The lines as YAML."""
    rows = []
    for line in lines:
        start = " " * indent + ("# " if line.off else "") + f"{flow(line.key)}:"
        if _is_block(line.value):
            rows.append(_noted(start, line.why, indent))
            inner = block(line.value, indent + 2)
            hidden = (f"{' ' * indent}# {row[indent:]}" for row in inner.splitlines())
            rows.append("\n".join(hidden) if line.off else inner)
            continue
        value = flow(line.value)
        wide = indent + len(line.key) + 2 + len(value) > WIDE
        if isinstance(line.value, list) and wide and not line.off:
            rows.append(_noted(start, line.why, indent))
            rows += [f"{' ' * indent}  - {flow(item)}" for item in line.value]
        else:
            rows.append(_noted(f"{start} {value}", line.why, indent))
    return "\n".join(rows)


def _noted(start: str, why: str, indent: int) -> str:
    """A line and its comment; above it, where there is no room beside it."""
    if not why:
        return start
    note = " ".join(why.split())
    beside = f"{start.ljust(COMMENT - 2)}  # {note}"
    return beside if len(beside) <= WIDE else f"{' ' * indent}# {note}\n{start}"


def flow(value: Any) -> str:
    """A value on one line, as YAML reads it back."""
    text: str = yaml.safe_dump(
        [value], default_flow_style=True, sort_keys=False, allow_unicode=True, width=sys.maxsize
    )
    return text.strip()[1:-1]
