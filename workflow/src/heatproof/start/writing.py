"""config.yaml with sources and figures: a new one, or an existing one with more of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from heatproof.start import block
from heatproof.start.block import Line
from heatproof.util.errors import Error

SCHEMA = ".heatproof.schema.json"
"""Beside the config: by it editors complete keys and show what they mean."""
HEADER = f"""\
# yaml-language-server: $schema={SCHEMA}
# Written by `heatproof init`: beside each line stands what was seen in the logs. A line that begins
# with # is another reading, or more that could be said. README.md explains the keys.
"""


Sections = Mapping[str, list[Line]]
"""Section → its lines."""


def new(sections: Sections) -> str:
    """A config of its own."""
    told = {section: lines for section, lines in sections.items() if lines}
    parts = [f"{section}:\n{block.text(lines, 2)}\n" for section, lines in told.items()]
    written = "\n".join([HEADER, *parts])
    _require(written, {section: block.plain(lines) for section, lines in told.items()})
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
    wanted = dict(before)
    for section, lines in sections.items():
        if lines:
            text = _in_section(text, section, lines, name)
            wanted[section] = {**(wanted.get(section) or {}), **block.plain(lines)}
    _require(text, wanted)
    return text


def _in_section(text: str, section: str, lines: list[Line], name: str) -> str:
    root = yaml.compose(text)
    nodes = {key.value: (key, value) for key, value in root.value} if root else {}
    if section not in nodes:
        return f"{text.rstrip()}\n\n{section}:\n{block.text(lines, 2)}\n"
    key, node = nodes[section]
    if not isinstance(node, yaml.MappingNode) and node.value in ("", "null", "~"):
        place, indent = key.end_mark.line, 2
    elif not isinstance(node, yaml.MappingNode) or node.flow_style or not node.value:
        told = block.text([Line(section, lines)])
        raise Error(f"{name}: {section}: nothing can be put behind it; paste this there:\n{told}")
    else:
        place, indent = _last_line(node), node.value[0][0].start_mark.column
    rows = text.splitlines(keepends=True)
    rows[place] = rows[place].rstrip("\n") + "\n"
    return "".join([*rows[: place + 1], block.text(lines, indent), "\n", *rows[place + 1 :]])


def _last_line(node: Any) -> int:
    """The last line of what a node holds; lines are counted from 0."""
    if isinstance(node, yaml.ScalarNode) or node.flow_style or not node.value:
        mark = node.end_mark
        return int(mark.line - (mark.column == 0 and mark.line > node.start_mark.line))
    last = node.value[-1]
    return _last_line(last[1] if isinstance(last, tuple) else last)


def _require(text: str, wanted: Mapping[str, Any]) -> None:
    """Raise Error if YAML does not read what is meant, as with a clash of names."""
    if yaml.safe_load(text) != wanted:
        raise Error("what is written would be read otherwise than it is meant; nothing was written")
