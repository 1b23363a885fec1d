"""Files → families of one layout → tables: columns are keys, heads, parts of paths, sidecars."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from heatproof.formats import detection
from heatproof.init import paths, tree
from heatproof.util.lazy import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

ABSENT = "absent"
"""What stands for a setting that a record does not have: absent is a value."""
BUDGET = 96 << 20
"""Bytes that are looked at of all files."""
DOCUMENT = 64 << 20
"""Bytes of a document, which can only be read whole."""
ROWS = 100_000
COLUMNS = 240
ALIKE = {"json": 0.5, "jsonl": 0.7, "csv": 0.7}
"""Format → part of their keys that files of one family have in common."""
DELIMITERS = ",\t;|"
NUMBER = re.compile(r"[-+]?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?%?")
"""Texts that are numbers; 02 is a text."""


class Place(NamedTuple):
    """Where a column of a frame stands in the logs."""

    part: str
    """field; list (of a grade for each repetition); head (above the record); sidecar; hole (a key
    on the way); key; index; path."""
    text: str
    """As a source writes it."""


@dataclass
class Family:
    """Files of one format whose records name about the same things."""

    format: str
    paths: list[str]
    """All of them."""
    sampled: list[str]
    """Those that were looked into."""
    documents: list[Any]
    """Of each of these the document, or the list of its rows."""
    keys: set[str]
    delimiter: str = ","
    decimal: str = "."
    sidecar: str = ""
    """What the file is called that holds settings of a log, in its folder or above."""
    settings: list[dict[str, Any]] = field(default_factory=list)
    """Of each file that was looked into: place in its sidecar → value."""


@dataclass
class Frame:
    """One reading of a family: a row for each record."""

    family: Family
    at: str | None
    data: pl.DataFrame
    places: dict[str, Place]
    """Of each column; `$file` has none."""
    pattern: str
    """Regular expression whose groups are the parts of paths."""
    group: list[str] = field(default_factory=list)
    """Columns whose names stand for values, where nothing beside a name tells them."""


# ----------------------------------------------------------------------------------------- families


def families(sampled: Sequence[str], root: Path) -> tuple[list[Family], dict[str, str]]:
    """Families of files, and file → why it is in none."""
    groups: list[Family] = []
    unread: dict[str, str] = {}
    left = BUDGET
    for path in sampled:
        try:
            taken, family = _family(path, root, max(detection.HEAD, left // len(sampled)), left)
        except ValueError as error:
            unread[path] = str(error)
            continue
        left -= taken
        same = next((other for other in groups if _alike(other, family)), None)
        if same is None:
            groups.append(family)
            continue
        same.paths.append(path)
        same.sampled.append(path)
        same.documents += family.documents
        same.keys |= family.keys
    return groups, unread


def _alike(first: Family, other: Family) -> bool:
    layout = (first.format, first.delimiter, first.decimal)
    common = len(first.keys & other.keys)
    enough = ALIKE[first.format] * min(len(first.keys | other.keys), 400)
    return layout == (other.format, other.delimiter, other.decimal) and common >= enough


def _family(path: str, root: Path, size: int, left: int) -> tuple[int, Family]:
    """Bytes that were read, and a family of one file.

    Raises:
        ValueError: why it can be in none.
    """
    end = detection.plain(path).rpartition(".")[2].lower()
    head = detection.head(path, root, size)
    if not head.whole and not head.fault and end == "json":
        head = detection.head(path, root, min(DOCUMENT, left))
    if head.fault:
        raise ValueError(head.fault)
    text = _decoded(head.data, cut=not head.whole)
    if end in ("csv", "tsv"):
        delimiter, decimal, rows = _table(text, cut=not head.whole)
        family = Family("csv", [path], [path], [rows], set(), delimiter, decimal)
    else:
        format_, document = _parsed(text, end, complete=head.whole)
        family = Family(format_, [path], [path], [document], set())
    family.keys = tree.names(family.documents[0])
    if not family.keys:
        raise ValueError("no record in it: a list without items, or no row below the header")
    return len(head.data), family


def _decoded(data: bytes, *, cut: bool) -> str:
    try:
        return data.decode("utf-8-sig", errors="ignore" if cut else "strict")
    except UnicodeDecodeError as error:
        raise ValueError(f"it is not UTF-8 (byte {error.start:,})") from None


def _parsed(text: str, end: str, *, complete: bool) -> tuple[str, Any]:
    """Format and content of JSON, or of JSON lines."""
    lines = text.split("\n")
    lines = [line for line in (lines if complete else lines[:-1]) if line.strip()]
    if end in ("json", "") and complete and len(lines) != 1:
        try:
            return "json", json.loads(text)
        except ValueError:
            pass  # lines of JSON may be called so, too
    rows = []
    for line in lines:
        try:
            row = json.loads(line)
        except ValueError:
            continue
        rows += [row] if isinstance(row, dict) else []
    if len(lines) == 1 and end == "json" and text.strip()[:1] in "[{":
        try:
            return "json", json.loads(text)
        except ValueError:
            pass
    if not rows or 2 * len(rows) < len(lines):
        why = "neither a JSON document nor lines of JSON" if complete else "too large to look into"
        raise ValueError(why)
    return "jsonl", rows


def _table(text: str, *, cut: bool) -> tuple[str, str, list[dict[str, Any]]]:
    """Delimiter, decimal sign and rows of a table."""
    text = text[: text.rfind("\n")] if cut else text
    header = text.split("\n", 1)[0]
    delimiter = max(DELIMITERS, key=header.count)
    rows = list(csv.reader(io.StringIO(text), delimiter=delimiter))
    names = rows[0] if rows else []
    cells = [row for row in rows[1:] if len(row) == len(names)]
    if not cells or len(names) < 2 or len({*names}) < len(names):
        raise ValueError("no table: a header whose names differ, and rows of as many cells")
    commas = delimiter != "," and any(re.fullmatch(r"-?\d+,\d+", c) for row in cells for c in row)
    decimal = "," if commas else "."
    return (
        delimiter,
        decimal,
        [
            {name: typed(cell, decimal) for name, cell in zip(names, row, strict=True)}
            for row in cells
        ],
    )


def typed(text: str, decimal: str = ".") -> Any:
    """A cell as the readers take it: a number, true or false, nothing, or a text."""
    text = text.strip()
    plain = text.replace(",", ".") if decimal == "," else text
    if text == "":
        return None
    if text.casefold() in ("true", "false"):
        return text.casefold() == "true"
    if text.casefold() in ("nan", "n/a", "none", "null", "-", "–"):
        return None
    if not NUMBER.fullmatch(plain) or plain.endswith("%"):
        return text
    number = float(plain)
    return int(number) if re.fullmatch(r"[-+]?\d+", plain) else number


# ------------------------------------------------------------------------------------------- frames


def frames(family: Family) -> list[Frame]:
    """Each reading of a family as a table."""
    every, pattern = paths.parts(family.paths)
    sampled = [family.paths.index(path) for path in family.sampled]
    parts = {name: [values[number] for number in sampled] for name, values in every.items()}
    if family.format == "json":
        places = tree.of_documents(family.documents)
    else:
        places = tree.of_lines(family.documents)
    tables = [_frame(family, place, parts, pattern) for place in places if place.rows]
    return [table for table in tables if len(table.data)]


def _frame(
    family: Family, records: tree.Records, parts: dict[str, list[str]], pattern: str
) -> Frame:
    rows = records.rows[:ROWS]
    columns: dict[str, list[Any]] = defaultdict(lambda: [None] * len(rows))
    places: dict[str, Place] = {}
    for number, record in enumerate(rows):
        for name, place, value in _cells(family, record, parts):
            columns[name][number] = value
            places[name] = place
    filled = {name: sum(value is not None for value in columns[name]) for name in columns}
    order = {"field": 1, "head": 2, "sidecar": 2}
    names = sorted(columns, key=lambda name: (order.get(places[name].part, 0), -filled[name]))
    series = []
    for name in names[:COLUMNS]:
        if any(isinstance(value, list) for value in columns[name][:50]):
            columns[name], places[name] = _means(columns[name]), Place("list", name)
        if filled[name] and columns[name]:
            series.append(_series(name, columns[name]))
    files = pl.Series("$file", [family.sampled[record.file] for record in rows])
    return Frame(family, records.at, pl.DataFrame([*series, files]), places, pattern)


def _cells(
    family: Family, record: tree.Record, parts: dict[str, list[str]]
) -> Iterator[tuple[str, Place, Any]]:
    """Column, place and value of all that is known of a record."""
    for name, value in tree.flat(record.node, 3).items():
        if name:
            yield name, Place("field", name), value
    settings = family.settings[record.file] if family.settings else {}
    for kind, values in (("head", record.head), ("sidecar", settings)):
        for name, value in values.items():
            yield f"^{name}", Place(kind, f"^{name}"), value
    for name, value in record.holes.items():
        yield name, Place({"$key": "key", "$index": "index"}.get(name, "hole"), name), value
    for name, of_files in parts.items():
        yield f"/{name}", Place("path", name), of_files[record.file]


def _means(values: list[Any]) -> list[float | None]:
    """Of lists of grades the share that is right; nothing if they are lists of something else."""
    items = {item if isinstance(item, bool | int | float) else "" for value in values
             for item in (value if isinstance(value, list) else [])}  # fmt: skip
    if not items or not items <= {True, False}:
        return []
    return [
        sum(value) / len(value) if isinstance(value, list) and value else None for value in values
    ]


def _series(name: str, values: list[Any]) -> pl.Series:
    """A column of one type: true and false, whole numbers, numbers, or texts."""
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {bool}:
        return pl.Series(name, values, dtype=pl.Boolean)
    if kinds <= {int} and all(abs(value or 0) < 1 << 62 for value in values):
        return pl.Series(name, values, dtype=pl.Int64)
    if kinds <= {int, float}:
        numbers = [None if value is None else float(value) for value in values]
        return pl.Series(name, numbers, dtype=pl.Float64).fill_nan(None)
    texts = [
        value if value is None or isinstance(value, str) else json.dumps(value) for value in values
    ]
    return pl.Series(name, texts, dtype=pl.String)
