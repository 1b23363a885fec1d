#!/usr/bin/env python3
"""Write docs/keys.md and docs/config.schema.json: `python docs/keys.py`; --check writes nothing.

Both come from the structs that check config.yaml.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heatproof.config import entries, schema

if TYPE_CHECKING:
    import msgspec

DOCS = Path(__file__).resolve().parent
HEAD = """\
# Every key of config.yaml

What each key does, its values and its default. [logs.md](logs.md) and [figures.md](figures.md) show
the keys at work. A format or kind has the keys of **each section that names it**; the last one
counts. One value may stand for a list. A section of the config whose name begins with a dot is for
YAML anchors alone.

Your editor completes keys and marks mistakes if the config begins with

    # yaml-language-server: $schema=docs/config.schema.json

or with the path of the file that `heatproof schema >heatproof.schema.json` wrote.

`python docs/keys.py` writes this page from the code that checks the config.
"""
WORDS = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true, false"}
"""Type of JSON schema → what it is called here."""
GUIDE = re.compile(r"`heatproof guide (\w+)(#[\w-]+)?`")
SCALARS = tuple(WORDS.values())  # of all of them together is said: value


def page() -> str:
    """The page of keys."""
    parts = [HEAD]
    for section, base in ((schema.SOURCES, entries.Source), (schema.FIGURES, entries.Figure)):
        noun, every = section.name.removesuffix("s"), _rows(base)
        parts += [f"## {section.name}\n\nName → {noun}. Every {noun} has:\n", _table(every)]
        own = {word: _beyond(_rows(section.entry(word)), every) for word in section.words()}
        users: dict[type, list[str]] = {}
        for word in own:
            for struct in reversed(section.entry(word).__mro__):
                if issubclass(struct, base) and struct is not base:
                    users.setdefault(struct, []).append(word)
        for struct, words in users.items():
            shared = _shared([own[word] for word in words])
            own |= {word: _beyond(own[word], shared) for word in words}
            if shared or struct.__mro__[1] is base:
                head = f"### {section.key}: {', '.join(words)}\n\n{schema.summary(struct)}\n"
                parts += [head, _table(shared)]
    return "\n".join(parts)


def _shared(tables: list[dict[str, str]]) -> dict[str, str]:
    """The rows of keys that all tables have, as most of them have them."""
    shared: dict[str, str] = {}
    for key in tables[0]:
        if all(key in table for table in tables):
            row, number = Counter(table[key] for table in tables).most_common(1)[0]
            shared |= {key: row} if 2 * number > len(tables) else {}
    return shared


def _beyond(rows: dict[str, str], others: dict[str, str]) -> dict[str, str]:
    """The rows that are not the same in others."""
    return {key: row for key, row in rows.items() if others.get(key) != row}


def _table(rows: dict[str, str]) -> str:
    """Rows below their head."""
    lines = ["| key | value | what it does |", "|---|---|---|", *rows.values(), ""]
    return "\n".join(lines) if rows else "No further keys.\n"


def _rows(entry: type[msgspec.Struct]) -> dict[str, str]:
    """Key → its row: value, default and meaning."""
    definitions: dict[str, Any] = {}
    schema.define(entry, "x", definitions)
    definition, rows = definitions["x"], {}
    for key, item in definition["properties"].items():
        value = _value(item, definitions)
        if "default" in item:
            default = item["default"]
            text = default if isinstance(default, str) else json.dumps(default)
            value += f"; default `{text}`"
        value += " (needed)" * (key in definition.get("required", []))
        meaning = item.get("description", "").replace("|", "\\|")
        meaning = GUIDE.sub(r"[\1](\1.md\2)", meaning)
        rows[key] = f"| `{key}` | {value} | {meaning} |"
    return rows


def _value(item: dict[str, Any], definitions: dict[str, Any]) -> str:
    """What a key may hold, in a few words."""
    kind = item.get("type", "")
    if "$ref" in item:
        inner = definitions[item["$ref"].rpartition("/")[2]]["properties"]
        return f"keys {', '.join(f'`{key}`' for key in inner)}"
    if "anyOf" in item:
        parts = [part for part in item["anyOf"] if part.get("type") != "null"]
        words = [_value(part, definitions) for part in parts]
        if {*SCALARS} <= {*words}:
            words = ["value", *(word for word in words if word not in SCALARS)]
        return " or ".join(dict.fromkeys(words))
    if "enum" in item:
        return ", ".join(f"`{word}`" for word in item["enum"])
    if kind == "array":
        return f"list of {_value(item['items'], definitions)}"
    if kind == "object":
        return f"name → {_value(item['additionalProperties'], definitions)}"
    return WORDS.get(kind, "anything")


def main() -> int:
    """0, or 1 if a file was not as it is made now."""
    parser = argparse.ArgumentParser(description=str(__doc__))
    parser.add_argument("--check", action="store_true", help="write nothing, only tell")
    options = parser.parse_args()
    files = {DOCS / "keys.md": page(), DOCS / "config.schema.json": schema.text()}
    stale = [p for p, text in files.items() if not p.is_file() or p.read_text() != text]
    for path in stale:
        print(f"{path.name}: {'not as it is made now' if options.check else 'written'}")
        if not options.check:
            path.write_text(files[path], encoding="utf-8")
    return int(options.check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
