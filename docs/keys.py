#!/usr/bin/env python3
"""Write docs/keys.md and docs/config.schema.json: `python docs/keys.py`; --check writes nothing.

Both are made of the structs that check config.yaml, and so can say nothing else than these.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heatproof import formats, kinds
from heatproof.config import entries, schema
from heatproof.plan import SECTIONS
from heatproof.util import registry

if TYPE_CHECKING:
    import msgspec

DOCS = Path(__file__).resolve().parent
HEAD = """\
# Every key of config.yaml

Made by `python docs/keys.py` of what checks the config. [logs.md](logs.md) and
[figures.md](figures.md) show the keys at work. `config.schema.json`, beside this page, tells the
same to editors: with

    # yaml-language-server: $schema=docs/config.schema.json

as the first line of a config (or the path of what `heatproof schema >heatproof.schema.json` wrote),
they complete keys, show what each means, and mark what is wrong. A section whose name begins with a
dot is for YAML anchors alone. Where a list is wanted, one value may stand for it.
"""
WORDS = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true, false"}
"""Type of JSON schema → what it is called here."""
SCALARS = tuple(WORDS.values())
"""Of all of them together is said: value."""


def page() -> str:
    """The page of keys."""
    parts = [HEAD, "## sources\n\nName → source. Every source has:\n", _table(entries.Source)]
    for name in registry.names(formats):
        entry = registry.load(formats, name).Entry
        parts += [f"### format: {name}\n\n{_text(entry)}\n", _table(entry, entries.Source)]
    parts += ["## figures\n\nName → figure. Every figure has:\n", _table(entries.Figure)]
    for name in registry.names(kinds):
        entry = registry.load(kinds, name).Entry
        parts += [f"### kind: {name}\n\n{_text(entry)}\n", _table(entry, entries.Figure)]
    for name, entry in SECTIONS.items():
        parts += [f"## {name}\n\n{_text(entry)}\n", _table(entry)]
    return "\n".join(parts)


def _text(entry: type) -> str:
    return f"{schema.summary(entry)}"


def _table(entry: type[msgspec.Struct], beyond: type[msgspec.Struct] | None = None) -> str:
    """Key, value, default and meaning of each key, but for those of `beyond` that are the same."""
    known = {} if beyond is None else _rows(beyond)
    rows = [row for key, row in _rows(entry).items() if known.get(key) != row]
    if not rows:
        return "No further keys.\n"
    lines = ["| key | value | what it says |", "|---|---|---|", *rows]
    return "\n".join(lines) + "\n"


def _rows(entry: type[msgspec.Struct]) -> dict[str, str]:
    made: dict[str, Any] = {}
    schema.define(entry, "x", made)
    told, parts = made["x"], made
    wanted = set(told.get("required", []))
    rows = {}
    for key, one in told["properties"].items():
        need = " (needed)" if key in wanted else ""
        default = f"; without: {_spelled(one['default'])}" if "default" in one else ""
        said = one.get("description", "").replace("|", "\\|")
        rows[key] = f"| `{key}` | {_value(one, parts)}{default}{need} | {said} |"
    return rows


def _value(one: dict[str, Any], parts: dict[str, Any]) -> str:
    """What a key may hold, in a few words."""
    if "$ref" in one:
        inner = parts[one["$ref"].rpartition("/")[2]]["properties"]
        return f"keys {', '.join(f'`{key}`' for key in inner)}"
    if "anyOf" in one:
        given = [part for part in one["anyOf"] if part.get("type") != "null"]
        words = [_value(part, parts) for part in given]
        if {*SCALARS} <= {*words}:
            words = ["value", *(word for word in words if word not in SCALARS)]
        return " or ".join(dict.fromkeys(words))
    if "enum" in one:
        return ", ".join(f"`{word}`" for word in one["enum"])
    if one.get("type") == "array":
        return f"list of {_value(one['items'], parts)}" if "items" in one else "list"
    if one.get("type") == "object":
        return f"name → {_value(one.get('additionalProperties', {}), parts)}"
    return WORDS.get(one.get("type", ""), "anything")


def _spelled(default: Any) -> str:
    return f"`{default if isinstance(default, str) else json.dumps(default)}`"


def files() -> dict[Path, str]:
    """What is to stand in docs."""
    return {DOCS / "keys.md": page(), DOCS / "config.schema.json": schema.text(SECTIONS)}


def main() -> int:
    """0, or 1 if a file was not as it is made now."""
    parser = argparse.ArgumentParser(description=str(__doc__))
    parser.add_argument("--check", action="store_true", help="write nothing, only tell")
    given = parser.parse_args()
    stale = [p for p, text in files().items() if not p.is_file() or p.read_text() != text]
    for path in stale:
        print(f"{path.name}: {'not as it is made now' if given.check else 'written'}")
        if not given.check:
            path.write_text(files()[path], encoding="utf-8")
    return int(given.check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
